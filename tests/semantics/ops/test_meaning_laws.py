"""What a text folds while it is written down means the same; what it takes for granted holds."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

import refrelax as rr
from refrelax.errors import Ended
from refrelax.judge.openings import openings
from refrelax.semantics.dims import value
from refrelax.semantics.ops.meaning.indices import Ix, binary
from refrelax.semantics.ops.meaning.terms import Terms
from refrelax.syntax.scalars import Binary, BinaryOp, PrimExpr, SymVar, int_imm
from refrelax.syntax.write.types import type_text

I, N = SymVar("i", "int64"), SymVar("n", "int64")
PARTS: list[PrimExpr] = [
    *map(int_imm, (-1, 0, 1, 2)), I, N, Binary("FloorDiv", I, N), Binary("FloorMod", I, N),
    Binary("FloorDiv", I, int_imm(2)), Binary("FloorMod", I, int_imm(0)), Binary("Add", I, N),
]  # fmt: skip
ARITHMETIC = ("Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Min", "Max", "EQ", "LT", "GE")


def valued(e: PrimExpr, at: dict[str, int]) -> int | None:
    """The value; ``None`` where there is none."""
    try:
        return int(value(e, at))
    except Ended:
        return None


@pytest.mark.parametrize("op", ARITHMETIC)
def test_what_is_folded_means_the_same(op: BinaryOp) -> None:
    assert op in get_args(BinaryOp)
    for a, b in product(PARTS, repeat=2):
        folded, plain = binary(op, a, b), Binary(op, a, b)
        for i, n in ((0, 0), (3, 0), (5, 2), (-3, 2)):
            at = {"i": i, "n": n}
            assert folded is plain or valued(folded, at) == valued(plain, at), (folded, plain, at)


def test_what_is_neutral_goes() -> None:
    half = Binary("FloorDiv", I, int_imm(2))
    assert binary("Add", half, int_imm(0)) is half and binary("Mul", int_imm(1), half) is half
    assert binary("Mul", int_imm(0), half) == binary("FloorMod", half, int_imm(1)) == int_imm(0)
    assert binary("Sub", half, half) == int_imm(0)


def test_a_bound_is_known_of_a_variable_that_runs_below_it() -> None:
    terms = Terms()
    terms.extents["i"] = N
    i, n, j = Ix(I), Ix(N), Ix(SymVar("j", "int64"))
    assert terms.known(i >= 0) and terms.known(i < n) and terms.known(True) and terms.known(Ix(int_imm(1)))
    for each in (i >= 1, i < n - 1, i < j, j < n, j >= 0, i + 1 < n, i - 1 >= 0, False, i <= n):
        assert not terms.known(each), each


def module(params: str, call: str) -> rr.CheckedModule:
    head = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
    return rr.check(rr.parse(f"{head}        gv = {call}\n        return gv\n"))


@pytest.mark.parametrize(("dtype", "is_open"), [("float32", False), ("float8_e5m2", False), ("float4_e2m1fn", True)])
def test_a_nan_is_open_where_a_format_has_none(dtype: str, is_open: bool) -> None:
    checked = module(f'x: R.Tensor((4,), "{dtype}"), i: R.Tensor((2,), "int64")', 'R.take(x, i, axis=0, mode="nan")')
    found = {each.rule for _, of_call in openings(checked, "main", reads=True) for each in of_call or ()}
    assert found == ({"num/no-nan"} if is_open else set())


def test_under_strict_a_negative_index_counts_from_the_end() -> None:
    checked = module('x: R.Tensor((4,), "float32"), i: R.Tensor((3,), "int64")', "R.take(x, i, axis=0)")
    out = rr.run(checked, "main", [1.0, 2.0, 3.0, 4.0], rr.Tensor.of([-1, -3, 2], "int64"), numerics="strict")
    assert isinstance(out, rr.Returned) and out.value.tolist() == [4.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("call", "type_"),
    [
        ("R.tile(a, [2])", '(n, 6, m * 2)'), ("R.tile(a, [2, 3])", '(n, 12, m * 3)'),
        ("R.tile(a, [2, 1, 1, 3])", '(2, n, 6, m * 3)'), ("R.ccl.allgather(a, 2, False)", "(n * 2, 6, m)"),
        ("R.nn.pixel_shuffle(R.reshape(a, R.shape([12, n, m])), 2)", "(3, n * 2, m * 2)"),
        ("R.repeat(a, 2, axis=1)", "(n, 12, m)"), ("R.nn.batch_flatten(a)", "(n, 6 * m)"),
    ],
)  # fmt: skip
def test_types_of_extents(call: str, type_: str) -> None:
    found = module('a: R.Tensor(("n", 6, "m"), "float32")', call).types["main"]["gv"]
    assert type_text(found) == f'R.Tensor({type_}, dtype="float32")'


@pytest.mark.parametrize(
    ("boxes", "counts"), [('"float32", ndim=3', '(2,), "int32"'), ('(2, 7, 6), "float32"', '"int32", ndim=1')]
)
def test_counts_of_unknown_boxes(boxes: str, counts: str) -> None:
    params = f'a: R.Tensor({boxes}), b: R.Tensor({counts}), c: R.Tensor((2, 7), "int32")'
    found = module(params, "R.vision.non_max_suppression(a, b, c)").types["main"]["gv"]
    inner = '(2, 7), dtype="int32"' if "7" in boxes else 'dtype="int32", ndim=2'
    assert type_text(found).startswith(f"R.Tuple(R.Tensor({inner})")
