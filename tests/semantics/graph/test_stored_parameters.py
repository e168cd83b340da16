"""Into which parameters a loop program may store: under their names and those of views, regions, pointers and calls; a
near miss beside each, of which it does not. Live bytes of runs, and calls in destination form that are spelled out."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.graph.live_bytes import LiveBytes
from refrelax.semantics.graph.overwriting import stored_inputs, stores_in_inputs
from refrelax.semantics.graph.unknown_calls import spelled_out
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc

FRAME = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), n: T.int64, C: T.Buffer((4,), "float32")):
{}
"""

STORES = [
    ("C[0] = A[0] + B[0]", {}),
    ("A[0] = B[0]", {0}),
    ("B[1] = A[0]\nA[0] = T.float32(1)", {0, 1}),
    ("for i in range(4):\n    if n > 2:\n        B[i] = A[i]", {1}),
    ("V = T.decl_buffer((2,), data=A.data)\nV[0] = B[0]", {0}),
    ("V = T.decl_buffer((2,), data=A.data)\nC[0] = V[0]", {}),
    ("V = T.decl_buffer((2,), data=A.data)\nW = T.decl_buffer((2,), data=V.data)\nW[0] = B[0]", {0}),
    ("V = T.alloc_buffer((2,))\nV[0] = A[0]", {}),
    ("p = A.data\nV = T.decl_buffer((2,), data=p)\nV[0] = B[0]", {0}),
    ("V = T.decl_buffer((2,), data=B.data)\nC[0] = A[0]", {}),
    ("for i in range(2):\n    with T.sblock('b'):\n        vi = T.axis.spatial(2, i)\n"
     "        R = T.match_buffer(B[0:2], (2,))\n        R[vi] = A[vi]", {1}),
    ("for i in range(2):\n    with T.sblock('b'):\n        vi = T.axis.spatial(2, i)\n"
     "        R = T.match_buffer(B[0:2], (2,))\n        C[vi] = R[vi]", {}),
    ("for i in range(2):\n    with T.sblock('b'):\n        vi = T.axis.spatial(2, i)\n"
     "        R = T.sblock_alloc_buffer((2,))\n        R[vi] = A[vi]", {}),
    ("T.call_packed('f', T.tvm_access_ptr(T.type_annotation('float32'), A.data, 0, 4, 2))", {0}),
    ("T.call_packed('f', B.data)", {1}),
    ("T.call_packed('f', C.data, n)", {}),
    ("m: T.let[T.int64] = n + T.int64(1)\nC[m] = A[0]", {}),
]  # fmt: skip


def program(body: str) -> PrimFunc:
    lines = "\n".join("        " + line for line in body.splitlines())
    found = rr.check(rr.parse(FRAME.format(lines))).module.functions["f"]
    assert isinstance(found, PrimFunc)
    return found


@pytest.mark.by_day(len(STORES))
@pytest.mark.parametrize(("body", "wanted"), STORES)
def test_which_inputs_are_stored_into(body: str, wanted: set[int]) -> None:
    """Of the first ``count`` parameters; the others are outputs."""
    f = program(body)
    assert stored_inputs(f, 3) == frozenset(wanted)
    assert stored_inputs(f, 1) == frozenset(wanted) & {0}
    assert stores_in_inputs(f, 2) is bool(wanted) and not stores_in_inputs(f, 0)


PLANNED = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        s = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        t = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        u = R.builtin.alloc_tensor(R.shape([6]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        k = R.memory.kill_storage(s)
        v = R.builtin.alloc_tensor(R.shape([3]), R.dtype("int8"), R.prim_value(0), R.str("global"))
        l = R.memory.kill_tensor(u)
        w = R.builtin.alloc_tensor(R.shape([5]), R.dtype("int8"), R.prim_value(0), R.str("global"))
        m = R.memory.kill_tensor(t)
        y = R.add(x, x)
        return y
"""


def test_live_bytes_of_a_run() -> None:
    """A storage and a tensor of its own count until they end; a tensor in a storage does not."""
    meter = LiveBytes()
    told: list[tuple[str, int]] = []

    class Watch:
        def on_binding(self, path: str, binding: object, value: object, scope: object) -> None:
            meter.on_binding(path, binding, value, scope)  # type: ignore[arg-type]
            told.append((binding.name, meter.now))  # type: ignore[attr-defined]

    out = rr.run(rr.check(rr.parse(PLANNED)), "main", rr.Tensor.of([1.0, 2, 3, 4], "float32"), listener=Watch())
    assert isinstance(out, rr.Returned)
    assert told == [
        ("s", 64), ("t", 64), ("u", 88), ("k", 24), ("v", 27), ("l", 3), ("w", 8), ("m", 8), ("y", 8)
    ]  # fmt: skip
    assert (meter.now, meter.peak) == (8, 88)


SPELLED = """
@I.ir_module
class Module:
    @R.function(pure={pure})
    def main(x: R.Tensor((4,), "float32")):
        R.func_attr({{"relax.force_pure": {force}}})
        o = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        {use}
        g = {call}
        return o
"""
CALL = 'R.call_packed("f", x, o, ty_args=[R.Tuple()])'
ASIDE = [
    ("", CALL, 1),
    ("", 'R.call_packed("f", o, x, ty_args=[R.Tuple()])', 0),  # the last is no fresh memory
    ("", 'R.call_packed("f", x, o, ty_args=[R.Tensor((4,), "float32")])', 0),  # what it gives is not dropped
    ("u = R.add(o, o)", CALL, 0),  # something has named it since
    ("u = R.add(x, x)", CALL, 1),
    ("u = o", CALL, 0),
    ('u = R.call_packed("f", x, o, ty_args=[R.Tuple()])', CALL, 1),  # the first of two
    ("", 'R.call_packed("f", ty_args=[R.Tuple()])', 0),
]  # fmt: skip


@pytest.mark.parametrize(("use", "call", "wanted"), ASIDE)
def test_calls_in_destination_form_spelled_out(use: str, call: str, wanted: int) -> None:
    text = SPELLED.format(pure=True, force=True, use=use or "pass", call=call).replace("        pass\n", "")
    function = rr.check(rr.parse(text)).module.functions["main"]
    assert isinstance(function, Function)
    assert len(spelled_out(function)) == wanted
