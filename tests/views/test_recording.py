"""A recording says what happened: steps as a tree, memory, poison, and it is JSON that anybody can read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.views import permitted
from refrelax.views.recording import record
from refrelax.views.stepper import page

TEXT = """
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        for i in range(3):
            B[i] = A[i] + A[i]
    @R.function
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        y = R.match_cast(x, R.Tensor((3,), dtype="float32"))
        z = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((3,), dtype="float32"))
        w = R.add(z, z)
        return w
"""


def recorded(text: str = TEXT, *args: Any, **options: Any) -> dict[str, Any]:
    checked = rr.check(rr.parse(text, filename="m.py"))
    found: dict[str, Any] = json.loads(json.dumps(record(checked, "main", *args, **options).json(), allow_nan=False))
    return found


def test_steps_form_a_tree_in_the_order_of_time() -> None:
    found = recorded(TEXT, [1.0, 2.0, 3.0], loops=True)
    steps = found["steps"]
    kinds = [each["kind"] for each in steps]
    loop = ["loop", "read", "read", "write"]
    assert kinds == ["call", "match", "bind", "call", *loop * 3, "bind"]
    for k, each in enumerate(steps):
        parent = each.get("parent")
        assert (parent is None) == (k == 0)
        assert parent is None or (parent < k and each["end"] <= steps[parent]["end"])
    assert steps[2]["symbols"] == {"n": 3} and steps[2]["value"]["data"] == [2.0, 4.0, 6.0]
    assert "ev/call-tir" in steps[2]["rules"] and "ev/match-cast" in steps[1]["rules"]
    write = next(each for each in steps if each["kind"] == "write")
    assert write["index"] == [0] and write["value"] == 2.0 and write["span"] == [8, 13]
    assert found["outcome"]["value"]["data"] == [4.0, 8.0, 12.0]
    assert found["types"]["main"]["w"] == 'R.Tensor((3,), dtype="float32")'


def test_memory_has_its_names_and_its_writes() -> None:
    found = recorded(TEXT, [1.0, 2.0, 3.0], loops=True)
    names = [each["names"] for each in found["memory"]]
    assert names == [["x", "y", "A"], ["B", "z"], ["w"]]
    assert {each["memory"] for each in found["steps"] if each["kind"] == "write"} == {1}


def test_planned_memory_lies_in_its_storage_and_dies() -> None:
    text = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        storage = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(storage, R.prim_value(8), R.shape([2]), R.dtype("float32"))
        _ = R.memory.kill_tensor(a)
        b = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        return x
"""
    found = recorded(text, [1.0, 2.0])["memory"]
    storage, a, b = found[1:]
    assert storage["names"] == ["storage"] and storage["bytes"] == 16
    assert (a["inside"], a["offset"]) == (1, 8) and a["died"] is not None
    assert (b["inside"], b["offset"]) == (1, 0) and b["died"] is None


def test_memory_dies_with_its_last_name_and_not_with_a_name_that_is_spelled_alike() -> None:
    text = """
@I.ir_module
class Module:
    @R.function(private=True, pure=False)
    def inner(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        _ = R.memory.kill_storage(s)
        _1 = R.memory.kill_tensor(a)
        _2 = R.memory.kill_tensor(x)
        return R.const([0.0, 1.0], "float32")
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        s = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([2]), R.dtype("float32"))
        b = a
        y = cls.inner(x)
        _ = R.memory.kill_tensor(a)
        t = (x, b)
        _1 = R.memory.kill_tensor(b)
        _2 = R.memory.kill_storage(s)
        _3 = R.vm.kill_object(t)
        return y
"""
    found = recorded(text, [1.0, 2.0])
    told = [(each["names"], each["died"]) for each in found["memory"][:5]]
    names = [each["name"] for each in found["steps"]]
    last = names.index("_3") + 1
    inner = names.index("_1") + 1
    assert told == [
        (["x", "t[0]"], None), (["s"], last), (["a", "b", "t[1]"], last), (["s"], inner), (["a"], inner),
    ]  # fmt: skip


def test_poison_says_where_it_arose_and_why() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        with R.dataflow():
            i = R.const([0, 5, 1], "int32")
            y = R.take(x, i, axis=0)
            z = R.add(y, y)
            R.output(z)
        return z
"""
    found = recorded(text, [1.0, 2.0])
    (origin,) = found["poison"]
    assert found["steps"][origin["step"]]["name"] == "y" and origin["count"] == 1
    assert "index 5 of 2" in origin["why"]
    assert found["steps"][-1]["value"]["data"][1]["poison"] == origin["rule"]


def test_sets_and_terms_are_shown() -> None:
    data = recorded(TEXT, [0.1, 2.0, 3.0], numerics="enclosure")["steps"][-1]["value"]["data"]
    assert all(isinstance(each, (int, float, list)) for each in data)


def test_elements_are_read_by_the_reading_of_the_run_when_no_argument_tells_it() -> None:
    text = """
@T.prim_func
def main(k: T.int64):
    B = T.alloc_buffer((1,), "float32")
    B[0] = T.float32(1) / T.float32(4)
"""
    found = recorded(text, 1, loops=True, numerics="exact")
    assert found["steps"][-1]["value"] == "1/4" and found["numerics"] == "exact"
    assert recorded(text, 1, numerics="enclosure", strict=True)["numerics"] == "strict"


STORES = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def put(A: T.Buffer((2, 3), "float32"), B: T.Buffer((2, 2), "int32"), n: T.int64):
        V = T.decl_buffer((3, 2), "float32", data=A.data)
        W = T.decl_buffer((2,), "int32", data=A.data, elem_offset=4)
        for i in range(2):
            C = T.alloc_buffer((2,), "int32")
            B[i, 0] = C[0]
            C[0] = i
        V[2, 0] = T.float32(7)
        W[0] = 5
        B[0, 1] = T.Cast("int32", A[0, n])
    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 2), "int32")) -> R.Tensor((2, 2), "int32"):
        cls = Module
        @R.function(pure=False)
        def inner(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 2), "int32"):
            _ = cls.put(a, y, R.prim_value(3))
            return y
        z = inner(x)
        return z
"""


def test_accesses_say_where_in_memory_they_are() -> None:
    found = recorded(STORES, [[1.0] * 3] * 2, [[0] * 2] * 2, loops=True)
    calls = [(each["parameters"], each["places"]) for each in found["steps"] if each["kind"] == "call"]
    assert calls == [(["x", "y"], [[0, 0], [1, 0]]), (["a"], [[0, 0]]), (["A", "B", "n"], [[0, 0], [1, 0], None])]
    told = [
        (each["name"], each["memory"], each.get("bit"), each.get("dtype"))
        for each in found["steps"] if each["kind"] in ("read", "write") and each["name"] in "VWA"
    ]  # fmt: skip
    assert told == [("V", 0, 128, None), ("W", 0, 128, "int32"), ("A", 0, None, None)]
    allocated = [each["memory"] for each in found["steps"] if each["kind"] == "allocate"]
    assert allocated == [2, 2] and found["memory"][2]["names"] == ["C"]


def test_what_calls_leave_in_their_arguments_is_told_without_loops_and_of_library_functions() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def put(A: T.Buffer((2,), "int32")):
        A[1] = 7
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "int32"), y: R.Tensor((2,), "int32")) -> R.Tensor((2,), "int32"):
        cls = Module
        _ = cls.put(x)
        _1 = R.call_packed("put", y, x, ty_args=(R.Tuple,))
        return x
"""

    def put(y: rr.Tensor, _x: rr.Tensor) -> tuple[()]:
        y[...] = [3, 0]
        return ()

    found = recorded(text, [1, 2], [0, 0], externs={"put": put})
    kept = [(each["kind"], each["name"], each["stored"]) for each in found["steps"] if "stored" in each]
    value: dict[str, Any] = {"dtype": "int32", "shape": [2]}
    x, y = {**value, "data": [1, 7]}, {**value, "data": [3, 0]}
    assert kept == [
        ("call", "main", [{"name": "x", "place": [0, 0], "value": x}, {"name": "y", "place": [1, 0], "value": y}]),
        ("call", "put", [{"name": "A", "place": [0, 0], "value": x}]),
        ("bind", "_1", [{"name": "y", "place": [1, 0], "value": y}]),
    ]
    assert found["outcome"]["arguments"] == [x, y]


def test_a_view_has_its_strides_and_a_closure_the_arguments_that_it_is_given() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inner(B: T.Buffer((2,), "int32"), O: T.Buffer((2,), "int32")):
        O[1] = B[1]
    @T.prim_func(private=True)
    def other(A: T.Buffer((4,), "int32"), O: T.Buffer((2,), "int32")):
        cls = Module
        V = T.decl_buffer((2,), "int32", data=A.data, strides=(2,), elem_offset=1)
        cls.inner(V, O)
    @R.function(private=True)
    def minus(a: R.Tensor((2,), "int32"), b: R.Tensor((2,), "int32")) -> R.Tensor((2,), "int32"):
        return R.subtract(a, b)
    @R.function
    def main(x: R.Tensor((2,), "int32")) -> R.Tensor((2,), "int32"):
        cls = Module
        y = R.add(x, x)
        c = R.make_closure(cls.minus, (y,))
        r = R.invoke_pure_closure(c, (x,), ty_args=R.Tensor((2,), "int32"))
        d = R.concat((r, r))
        e = R.call_tir(cls.other, (d,), out_ty=R.Tensor((2,), "int32"))
        return e
"""
    calls = [each for each in recorded(text, [1, 2])["steps"] if each["kind"] == "call"]
    assert [(each["name"], each["parameters"], each["places"]) for each in calls] == [
        ("main", ["x"], [[0, 0]]), ("minus", ["a"], [[0, 0]]),
        ("other", ["A", "O"], [[3, 0], [4, 0]]), ("inner", ["B", "O"], [[3, 32, [2]], [4, 0]]),
    ]  # fmt: skip


def test_poison_that_no_binding_shows_is_told() -> None:
    for loops, kind in ((True, "read"), (False, "call")):
        found = recorded(STORES, [[1.0] * 3] * 2, [[0] * 2] * 2, loops=loops)
        (origin,) = found["poison"]
        assert origin["rule"] == "ld/load-out-of-bounds" and found["steps"][origin["step"]]["kind"] == kind


def test_a_reduction_that_collects_and_an_atomic_are_written_down() -> None:
    text = """
@T.prim_func
def main(A: T.Buffer((2,), "float32"), B: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")):
    for i, k in T.grid(1, 2):
        with T.sblock("s"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vk]
    for j in range(2):
        T.evaluate(T.atomic_add(T.address_of(C[0]), A[j]))
    C[0] = B[0]
"""
    given = [1.0, 2.0], [0.0], [0.0]
    for numerics, sums in (("ieee", [1.0, 3.0]), ("enclosure", [{"partial": "add"}] * 2)):
        steps = recorded(text, *given, loops=True, numerics=numerics)["steps"]
        written = [(each["name"], each["value"]) for each in steps if each["kind"] == "write"]
        in_b, in_c = ([value for name, value in written if name == each] for each in "BC")
        assert in_b == [0.0, *sums] and in_c[:2] == sums


def test_what_is_not_kept_is_said_and_a_bad_end_is_told() -> None:
    found = recorded(TEXT, [1.0, 2.0, 3.0], loops=True, keep=5)
    assert found["truncated"] and len(found["steps"]) == 5 and found["outcome"]["kind"] == "Returned"
    bad = recorded(TEXT, [1.0, 2.0])
    assert bad["outcome"]["rule"] == "ev/match-cast-mismatch" and bad["steps"][-1]["name"] == "y"


def test_size_zero_and_size_one() -> None:
    for count in (0, 1):
        text = TEXT.replace("(3,)", f"({count},)").replace("range(3)", f"range({count})")
        assert recorded(text, [1.0] * count, loops=True)["outcome"]["value"]["shape"] == [count]


def test_the_page_holds_the_recording_and_nothing_of_it_runs() -> None:
    text = TEXT.replace('"m.py"', "").replace("class Module:", "class Module:  # </script><script>alert(1)</script>")
    recording = recorded(text, [1.0, 2.0, 3.0])
    html = page(recording)
    held = re.search(r'type="application/json">(.*?)</script>', html, re.S)
    assert held is not None
    kept = json.loads(held.group(1))
    texts = kept.pop("paragraphs")
    assert kept == recording
    assert texts["ev/call-tir"].startswith("**`ev/call-tir`**")
    assert set(texts) == {rule for step in recording["steps"] for rule in step.get("rules", ())}
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "") and "https://" not in html


def test_what_comes_after_a_loop_is_no_part_of_it() -> None:
    text = """
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(2):
        for k in range(3):
            if k == i:
                break
        A[i] = k
    A[2] = 5
    for j in range(1):
        A[3] = 6
"""
    steps = recorded(text.replace("A[i] = k", "A[i] = 7"), [0, 0, 0, 0], loops=True)["steps"]

    def around(k: int) -> list[str]:
        parent = steps[k].get("parent")
        return [] if parent is None else [*around(parent), steps[parent]["name"]]

    writes = [(each["value"], around(k)) for k, each in enumerate(steps) if each["kind"] == "write"]
    assert writes == [(7, ["main", "i"]), (7, ["main", "i"]), (5, ["main"]), (6, ["main", "j"])]
    ends = [(each["name"], each["value"], each["end"]) for each in steps if each["kind"] == "loop"]
    assert ends == [("i", 0, 4), ("k", 0, 3), ("i", 1, 8), ("k", 0, 6), ("k", 1, 7), ("j", 0, 11)]


def test_a_scalar_that_is_no_number_is_a_symbol_too() -> None:
    text = """
@R.function
def main(a: R.Prim("float32"), b: R.Prim("float64")):
    x = a
    return b
"""
    symbols = recorded(text, float("inf"), float("nan"))["steps"][-1]["symbols"]
    assert symbols == {"a": "inf", "b": "nan", "x": "inf"}


def test_strings_are_strings_and_what_no_file_can_hold_is_spelled_out(tmp_path: Path) -> None:
    text = r"""
@R.function(pure=False)
def main(x: R.Tensor((1,), dtype="float32")):
    s = R.str("nothing </script> \ud800")
    d = R.dtype("float32")
    _ = R.assert_op(R.const(False, "bool"), x, format="\ud800{}")
    return x
"""
    checked = rr.check(rr.parse(text))
    recording = record(checked, "main", [1.0]).json()
    values = [each.get("value") for each in recording["steps"]]
    assert values[1:3] == [{"string": "nothing </script> \ud800"}, {"is": "float32"}]
    pages = page(recording), page({**recording, "text": "#" * 500_000}), permitted.page(checked, "main", [[1.0]])
    for each in pages:
        (tmp_path / "page.html").write_text(each, encoding="utf-8")
    held = re.search(r'type="application/json">(.*?)</script>', pages[0], re.S)
    assert held is not None and json.loads(held.group(1))["steps"] == recording["steps"]


def test_symbols_have_the_equations_that_bound_them() -> None:
    text = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            B[i] = A[i]
    @R.function
    def main(p: R.Tuple(R.Tensor((2, n), dtype="float32"), R.Shape([n])), i: R.Tensor(dtype="float32", ndim=1)):
        cls = Module
        j = R.match_cast(i, R.Tensor((m,), dtype="float32"))
        k = R.match_cast(j, R.Tensor((n,), dtype="float32"))
        y = R.call_tir(cls.copy, (k,), out_ty=R.Tensor((n,), dtype="float32"))
        return y
"""
    found = recorded(text, ([[1.0], [2.0]], rr.run(rr.check(rr.parse(SHAPE)), "main").value), [3.0])
    told = [(each["name"], each["equations"]) for each in found["steps"] if each.get("equations")]
    assert told == [("main", {"n": "axis 1 of p.0"}), ("j", {"m": "axis 0 of j"}), ("copy", {"n": "axis 0 of A"})]


SHAPE = """
@R.function
def main() -> R.Shape([1]):
    return R.shape([1])
"""
