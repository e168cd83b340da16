"""What calls and checks of the NumPy backend ask before they take a short way, and the parts that they are made of:
tables of what goes either way."""

# ruff: noqa: E501
from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.numpy_ import blocks, border, by_definition, operators_window, runtime
from refrelax.backends.numpy_.calls import Called
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import Ended
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax.graph import Call, Op, Var
from refrelax.syntax.types import TensorType


def module(params: str, body: str = "return x", more: str = "", pure: bool = True) -> rr.CheckedModule:
    lines = "\n".join(f"        {each}" for each in body.split("; "))
    return rr.check(
        rr.parse(
            f'n = TypeVar("n")\nm = TypeVar("m")\n@I.ir_module\nclass Module:\n{more}    @R.function(pure={pure})\n    def main({params}):\n{lines}\n'
        )
    )


F2 = 'x: R.Tensor((n, 3), "float32")'
PROGRAM = """    @T.prim_func(private=True)
    def f(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("b"):
                vi = T.axis.spatial(2, i)
                B[vi] = A[vi] + T.float32(1)

"""

STRAIGHT: dict[str, tuple[rr.CheckedModule, bool]] = {
    "a tensor": (module(F2, "return R.exp(x)"), True), "two tensors": (module(F2 + ', y: R.Tensor((n, 3), "int8")', "return R.exp(x)"), True),
    "no rank": (module('x: R.Tensor(dtype="float32")', "return x"), False), "a rank alone": (module('x: R.Tensor(dtype="float32", ndim=2)'), False),
    "no dtype": (module("x: R.Tensor((n, 3))"), False), "truths": (module('x: R.Tensor((n, 3), "bool")', "return R.logical_not(x)"), False),
    "a narrow format": (module('x: R.Tensor((n, 3), "bfloat16")', "return R.exp(x)"), True), "a number": (module('x: R.Prim("int64")'), False),
    "a tensor and a shape": (module(F2 + ", s: R.Shape([m])", "return R.exp(x)"), False), "a tuple": (module('x: R.Tuple(R.Tensor((n,), "float32"))', "return x[0]"), False),
    "anything": (module("x: R.Any"), False), "no parameter": (module("", 'return R.zeros(R.shape([2]), "float32")'), True),
    "a print": (module(F2, 'z = R.print(x, format=R.str("{}")); return x', pure=False), False),
    "a loop program": (module('x: R.Tensor((2,), "float32")', 'cls = Module; z = R.call_tir(cls.f, (x,), out_ty=R.Tensor((2,), "float32")); return z', PROGRAM), True),
    "in place": (module('x: R.Tensor((2,), "float32")', 'cls = Module; z = R.call_tir_inplace(cls.f, (x, x), out_ty=R.Tensor((2,), "float32"), inplace_indices=[1]); return z', PROGRAM, pure=False), False),
}  # fmt: skip


@pytest.mark.parametrize("name", STRAIGHT)
def test_a_call_as_one_function(name: str) -> None:
    checked, straight = STRAIGHT[name]
    assert isinstance(rr.compile(checked)["main"], Called) is not straight


SIGNATURES: dict[str, tuple[str, list[Any]]] = {
    "extents": ('x: R.Tensor((n, 3), "float32")', [np.ones((2, 3), "f")]),
    "an extent twice": ('x: R.Tensor((n, n), "float32")', [np.ones((2, 2), "f")]),
    "an extent of two": ('x: R.Tensor((n, 3), "float32"), y: R.Tensor((3, n), "int8")', [np.ones((2, 3), "f"), np.ones((3, 2), "b")]),
    "a sum of extents": ('x: R.Tensor((n,), "float32"), y: R.Tensor((n + 1,), "float32")', [np.ones(2, "f"), np.ones(3, "f")]),
    "numbers": ('x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float64")', [np.ones((2, 3), "f"), np.ones(3, "d")]),
    "numbers, alike": ('x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")', [np.ones((2, 3), "f"), np.ones((2, 3), "f")]),
    "a rank": ('x: R.Tensor(dtype="float32", ndim=2)', [np.ones((2, 3), "f")]),
    "any": ("x: R.Tensor", [np.ones((2, 3), "f")]),
    "truths": ('x: R.Tensor((n,), "bool"), y: R.Tensor((n, n), "float32")', [np.ones(2, bool), np.ones((2, 2), "f")]),
    "rank 0": ('x: R.Tensor((), "float32"), y: R.Tensor((1,), "float32")', [np.ones((), "f"), np.ones(1, "f")]),
    "a tuple": ('x: R.Tuple(R.Tensor((n,), "float32"), R.Tensor((n, 2), "int32"))', [(np.ones(3, "f"), np.ones((3, 2), "i"))]),
    "a shape": ('x: R.Shape([n, 4]), y: R.Tensor((n,), "float32")', [Shape((2, 4)), np.ones(2, "f")]),
    "a shape of a rank": ('x: R.Shape(ndim=2), y: R.Tensor((n,), "float32")', [Shape((2, 4)), np.ones(2, "f")]),
    "numbers of their own": ('x: R.Prim("int64"), y: R.Prim("float32")', [Prim("int64", 3), Prim("float32", 0.5)]),
    "a narrow format": ('x: R.Tensor((n,), "float16"), y: R.Tensor((n,), "float16")', [np.ones(2, "e"), np.ones(2, "e")]),
    "three": ('x: R.Tensor((n, m), "float32"), y: R.Tensor((m,), "float32"), z: R.Tensor((n, m, n * m), "float32")', [np.ones((2, 3), "f"), np.ones(3, "f"), np.ones((2, 3, 6), "f")]),
}  # fmt: skip


def others(value: Any) -> list[Any]:
    """What is a little off a value."""
    if isinstance(value, tuple) and not isinstance(value, Shape):
        return [
            value[:1],
            (*value, value[0]),
            *((*value[:k], each, *value[k + 1 :]) for k in range(len(value)) for each in others(value[k])),
        ]
    if isinstance(value, Shape):
        return [
            Shape((*value.dims[:-1], value.dims[-1] + 1)),
            Shape((*value.dims, 1)),
            Shape(value.dims[:1]),
            np.ones(2, "f"),
        ]
    if isinstance(value, Prim):
        return [Prim("int32", 1), Prim("bool", True), np.ones(1, "f"), Shape((1,))]
    found: list[Any] = [value.astype("d" if value.dtype == np.float32 else "f"), value[None], Shape((2,))]
    for k, extent in enumerate(value.shape):
        found += [
            np.ones([n + (j == k) for j, n in enumerate(value.shape)], value.dtype),
            np.ones([n * (j != k) for j, n in enumerate(value.shape)], value.dtype),
        ]
        found += [value[(slice(None),) * k + (0,)]] if extent else []
    return found


@pytest.mark.parametrize("name", SIGNATURES)
def test_ends_of_calls_that_do_not_fit(name: str) -> None:
    params, right = SIGNATURES[name]
    checked = module(params, "return 0")
    made = rr.compile(checked)
    tries = [right, right[:-1], [*right, right[0]]]
    tries += [[*right[:k], each, *right[k + 1 :]] for k in range(len(right)) for each in others(right[k])]
    ends = set()
    for args in tries:
        wanted, found = rr.run(checked, "main", *args), made.run("main", *args)
        assert type(found) is type(wanted) and getattr(found, "rule", "") == getattr(wanted, "rule", ""), (
            args,
            wanted,
            found,
        )
        ends.add(getattr(wanted, "rule", ""))
    assert len(ends) > 1


def test_a_view_beyond_its_bytes_is_told_in_bits() -> None:
    for n, to, offset in ((7, "float32", 0), (2, "float64", 16), (3, "int8", 22), (6, "float32", 1)):
        checked = module(
            'x: R.Tensor((n,), "float32"), s: R.Shape([m])', f'return R.memory.view(x, s, R.dtype("{to}"), {offset})'
        )
        args = np.ones(6, "f"), Shape((n,))
        wanted, found = rr.run(checked, "main", *args), rr.compile(checked).run("main", *args)
        assert isinstance(wanted, rr.Trapped) and isinstance(found, rr.Trapped)
        assert found.message == wanted.message


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("main", {"x": "a", "y": "y"}),
        ("main/f", {"x": "b", "y": "y"}),
        ("main/f/g", {"x": "c", "y": "y"}),
        ("other", {"x": "d"}),
        ("none", {}),
    ],
)
def test_the_types_that_an_operator_of_the_definition_sees(
    path: str, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(dtype: str) -> TensorType:
        return TensorType((), dtype, 0)

    known = {"main": {"x": of("a"), "f/x": of("b"), "f/g/x": of("c"), "y": of("y")}, "other": {"x": of("d")}}
    seen: list[Any] = []
    plain = by_definition.Evaluation
    monkeypatch.setattr(
        by_definition, "Evaluation", lambda *a, type_of, **k: seen.append(type_of) or plain(*a, type_of=type_of, **k)
    )
    by_definition.evaluated(known, Call(Op("relax.abs"), (Var("x"),)), path, (np.ones(1, "f"),))
    (type_of,) = seen
    for name in "xyz":
        found = type_of(Var(name))
        assert (found and found.dtype) == names.get(name)
    assert type_of(Call(Op("relax.abs"), (Var("x"),))) is None


def test_pieces_do_not_begin_at_the_same_place_of_a_page() -> None:
    for size, kinds in product(
        (0, 1, 16, 17, 48, 64, 100), (("float32",) * 3, ("bool", "float64"), ("float16", "float32", "float16"))
    ):
        made = blocks.pieces((size, 2), kinds)
        assert [(each.shape, each.dtype.name) for each in made] == [((size, 2), kind) for kind in kinds]
        starts = [each.__array_interface__["data"][0] for each in made]
        for a, b, each in zip(starts, starts[1:], made, strict=False):
            assert b - a == math.ceil((each.nbytes + blocks.APART) / 64) * 64, (size, kinds)
    (alone,) = blocks.pieces((3, 2), ("float64",))
    assert alone.shape == (3, 2) and alone.dtype == np.float64 and blocks.pieces((3,), ()) == []


def test_elements_that_share_bytes() -> None:
    room = np.zeros(64, np.float32)
    for shape, steps in product(
        ((2,), (3, 2), (2, 3), (2, 1, 3), (1, 4), (0, 3), (2, 2, 2)),
        product((-8, -4, 0, 2, 4, 8, 12, 16, 20), repeat=3),
    ):
        strides = steps[: len(shape)]
        x = np.lib.stride_tricks.as_strided(room[32:], shape, strides)
        places = [sum(i * s for i, s in zip(at, strides, strict=True)) for at in np.ndindex(*shape)]
        wanted = any(abs(a - b) < 4 for k, a in enumerate(places) for b in places[:k])
        assert border.overlaps_itself(x) is wanted, (shape, strides)


def test_parts_of_generated_source() -> None:
    for a, b in product((-7, -6, -1, 0, 1, 5, 6), (-3, -2, -1, 1, 2, 3)):
        assert runtime.quotient(a, b) == math.trunc(a / b) and runtime.remainder(a, b) == math.fmod(a, b)
    for value, low, width in product(range(-20, 20), (0, -8), (3, 4)):
        found = runtime.wrapped(value, low, width)
        assert low <= found < low + 2**width and (found - value) % 2**width == 0
    for low, extent, place, rank in ((2, 3, 0, 1), (0, 4, 1, 3), (1, 0, 2, 3), (1, -2, 0, 2)):
        found = runtime.axis(low, extent, place, rank)
        assert found.shape == tuple(max(extent, 0) if k == place else 1 for k in range(rank))
        assert found.reshape(-1).tolist() == list(range(low, low + extent))
    assert [runtime.clamp(i, 3) for i in (-2, 0, 1, 2, 3, 9)] == [0, 0, 1, 2, 2, 2] and runtime.clamp(1, 0) == 0
    x = np.arange(6).reshape(2, 3)
    assert runtime.some(x, 0, 1) is x and runtime.some(x[:0], 1).shape == (0, 3)
    assert runtime.some(x[:0], 0).shape == (1, 3) and runtime.some(x[:, :0], 0, 1).tolist() == [[0], [0]]
    assert runtime.gather(x, np.array([-1, 0, 5]), np.array([2, 9, -4])).tolist() == [2, 2, 3]
    assert runtime.gather(x[:0], np.zeros((2, 1), int), np.zeros(3, int)).tolist() == [[0] * 3] * 2
    assert [runtime.stride(np.zeros((2, 3, 5)), k) for k in range(3)] == [15, 5, 1]
    for dtype in ("int8", "uint8", "int32", "uint64"):
        cells = np.array([0, 1, 2, 7, 96, np.iinfo(dtype).max], dtype)
        width = 8 * cells.itemsize
        assert (
            runtime.popcount(cells).tolist() == [int(e).bit_count() for e in cells]
            and runtime.popcount(cells).dtype == dtype
        )
        assert (
            runtime.clz(cells).tolist() == [width - int(e).bit_length() for e in cells]
            and runtime.clz(cells).dtype == dtype
        )
    if np.int8(-1) < 0:
        assert runtime.clz(np.int8(-1)) == 0 and runtime.popcount(np.int8(-1)) == 8


def test_scalars_of_generated_source() -> None:
    for value, wanted in (
        (np.float32(0.5), 0.5),
        (np.array(3), 3),
        (np.bool_(True), True),
        (np.array(2.5, "e"), 2.5),
        (4, 4),
        ("a", "a"),
        (np.array(1, "u1"), 1),
    ):
        found = runtime.returned(value)
        assert found == wanted and type(found) is type(wanted)
    narrow = runtime.number("bfloat16", 0x3FC0)
    assert type(runtime.returned(narrow)) is float and runtime.returned(narrow) == 1.5
    for value, wanted in (
        (np.array([0.5], "f"), 0.5),
        (np.array([3]), 3),
        (np.array([True]), True),
        (np.array([narrow]), 1.5),
        (7, 7),
    ):
        found = runtime.scalar(value)
        assert found == wanted and type(found) is type(wanted)
    for tensor in (np.ones(2), np.ones(()), np.ones((1, 1))):
        assert runtime.scalar(tensor) is tensor
    for value, wanted in (
        (np.array([0, 1]), False),
        (np.array([[2.5]]), True),
        (Prim("bool", False), False),
        (Prim("int64", 3), True),
        (0, False),
        (1.5, True),
    ):
        assert runtime.truth(value) is wanted
    for wrong in (lambda: runtime.truth(np.zeros(0)), lambda: runtime.empty((2, -1), "f")):
        with pytest.raises(Ended):
            wrong()
    assert runtime.empty((2, 0), "f").shape == (2, 0) and runtime.unit(None) == () and runtime.unit(3) == 3
    assert runtime.shape(2, 3) == Shape((2, 3)) and all(type(d) is int for d in runtime.shape(np.int64(2), 3).dims)  # type: ignore[arg-type]
    for dtype, patterns in (("bool", [0, 1, 2]), ("float16", [0x3C00, 0x8000]), ("int4", [1, 7])):
        made = runtime.constant(dtype, (len(patterns),), patterns)
        assert made.dtype.name == dtype and not made.flags.writeable
    assert runtime.of_bytes("bool", (3,), b"\0\2\1").tolist() == [False, True, True]
    assert runtime.of_bytes("int16", (1, 2), b"\1\0\0\1").tolist() == [[1, 256]] and runtime.of_bytes(
        "int8", (2,), b"\1\xff"
    ).tolist() == [1, -1]
    a, b = np.zeros(3), np.zeros(3)
    for written, rest, wanted in (
        ([a], [b], False),
        ([a], [a[1:]], True),
        ([a, b], [], False),
        ([a, a], [], True),
        ([], [a, a], False),
        ([a], [1.0], False),
    ):
        assert runtime.share_memory(written, rest) is wanted
    for index, ok in (((0, 2), True), ((1, 3), False), ((-1, 0), False), ((2, 0), False), ((1, 0), True)):
        if ok:
            runtime.inside("A", (2, 3), *index)
        else:
            with pytest.raises(Ended):
                runtime.inside("A", (2, 3), *index)


POOLS = (
    (7, 3, 2, 1, 0, 0, False, 0), (7, 2, 3, 2, 1, 1, False, 1), (7, 2, 2, 1, 0, 0, True, 1), (7, 2, 2, 1, 0, 0, False, 0),
    (5, 3, 1, 2, 2, 0, False, 0), (5, 3, 1, 2, 2, 3, False, 3), (6, 1, 4, 1, 0, 0, True, 0), (6, 4, 5, 1, 2, 1, True, 1),
)  # fmt: skip
"""Size, taps, stride, dilation, padding at both ends, whether a last window may reach beyond; what is put behind."""


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("row", POOLS)
def test_a_pool_grows_by_no_more_than_its_windows_reach(
    kind: str, row: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    size, taps, stride, dilation, before, after, ceil, wanted = row
    asked: list[Any] = []
    plain = operators_window.padded
    monkeypatch.setattr(operators_window, "padded", lambda x, *a: asked.append(a[:2]) or plain(x, *a))
    attrs = {
        "pool_size": [taps],
        "strides": [stride],
        "dilation": [dilation],
        "padding": [before, after],
        "ceil_mode": ceil,
        "layout": "NCW",
        "out_layout": None,
        "count_include_pad": False,
    }
    OPERATORS[f"relax.nn.{kind}_pool1d"](attrs, (np.ones((2, 3, size), np.float32),), True)
    assert asked == [([before], [wanted])]


@pytest.mark.parametrize(
    ("where", "guarded"), [("True", False), ("T.bool(True)", False), ("i < 8", True), ("i < n", True)]
)
def test_a_condition_that_always_holds_is_none(where: str, guarded: bool) -> None:
    lines = [
        "def main(a: T.handle, b: T.handle):",
        "    n = T.int64()",
        '    A = T.match_buffer(a, (n,), "float32")',
        '    B = T.match_buffer(b, (n,), "float32")',
        "    for i in range(n):",
        '        with T.sblock("b"):',
        "            vi = T.axis.spatial(n, i)",
        f"            T.where({where})",
        "            B[vi] = A[vi] + T.float32(1)",
    ]
    text = "@I.ir_module\nclass Module:\n    @T.prim_func\n" + "".join(f"    {each}\n" for each in lines)
    assert ("np.where" in rr.compile(rr.check(rr.parse(text))).source) is guarded
