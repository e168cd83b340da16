"""What an operation of the calculus is as an expression of a loop program: run, it gives what the operation gives."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import Ended
from refrelax.lower.legalize.operations import NOT_OF_TRUTHS, OPERATIONS, combination, operation
from refrelax.lower.legalize.scalars import (
    Scalar,
    all_of,
    greatest,
    if_then_else,
    index,
    indexed,
    least,
    lit,
    maximum,
    minimum,
)
from refrelax.lower.legalize.site import Unfit
from refrelax.semantics.dims import value
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.values import from_bits
from refrelax.syntax import bits, dtypes
from refrelax.syntax.loops import BufferStore, For, PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, Intrinsic, PrimExpr, SymVar

IEEE = reading("ieee")
FLOATS = (-2.5, -0.0, 0.5, math.inf, math.nan)
OF_TRUTHS = ("negate", "all_of", "any_of")
TESTS = ("less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite", *OF_TRUTHS)
ONE = (
    "neg",
    "bit_not",
    "isnan",
    "isinf",
    "isfinite",
    "negate",
    *(each for each in OPERATIONS if each.startswith("math:")),
)
OF_BITS = ("bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right")
NOT_OF = {
    "float": (*OF_TRUTHS, *OF_BITS),
    "int": (*OF_TRUTHS, "isnan", "isinf", "isfinite"),
    "bool": ("sub", "neg", "isnan", "isinf", "isfinite"),
}
"""What no text asks at such a dtype."""

TEXT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer(({n},), "{dtype}"), b: T.Buffer(({n},), "{dtype}"), c: T.Buffer(({n},), "{result}")):
        for i in range({n}):
            c[i] = {zero}
"""


parsed = cache(rr.parse)


def values(dtype: str) -> list[Any]:
    """Numbers of a dtype, as payloads."""
    if dtypes.is_float(dtype):
        return [x for x in map(IEEE.at(dtype).lit, FLOATS) if not isinstance(x, Poison)]
    if dtype == "bool":
        return [IEEE.truth(False), IEEE.truth(True)]
    low, high = dtypes.integer_range(dtype)
    return [x for x in (low, -1, 0, 3, high) if low <= x <= high]


def run_kernel(expr: PrimExpr, dtype: str, pairs: list[tuple[Any, Any]]) -> list[int]:
    """The patterns that a kernel stores whose only statement stores ``expr`` of ``a[i]`` and ``b[i]``."""
    zero = "T.bool(False)" if expr.dtype == "bool" else f"T.{expr.dtype}(0)"
    module = parsed(TEXT.format(n=len(pairs), dtype=dtype, result=expr.dtype, zero=zero))
    main = module.functions["main"]
    assert isinstance(main, PrimFunc)
    (loop,) = main.body
    assert isinstance(loop, For)
    (store,) = loop.body
    assert isinstance(store, BufferStore)
    body = (replace(loop, body=(replace(store, value=expr),)),)
    checked = rr.check(replace(module, functions={"main": replace(main, body=body)}))
    f = IEEE.at(dtype)
    columns = [tensor(dtype, [f.to_bits(pair[k]) for pair in pairs]) for k in (0, 1)]
    out = tensor(expr.dtype, [0] * len(pairs))
    ended = rr.run(checked, "main", *columns, out)
    assert isinstance(ended, rr.Returned), ended
    return list(ended.arguments[2].core.bits())


def tensor(dtype: str, patterns: list[int]) -> rr.Tensor:
    return rr.Tensor(from_bits(IEEE, dtype, (len(patterns),), patterns))


def plainly(name: str, dtype: str, args: tuple[Any, ...]) -> Any:
    """The operation under ``ieee``; ``None`` where a run would end or the element be poison."""
    f: Any = IEEE if name in OF_TRUTHS else IEEE.at(dtype)
    kind, _, function = name.partition(":")
    try:
        found = getattr(f, kind)(function)(*args) if function else getattr(f, name)(*args)
    except Ended:
        return None
    return None if isinstance(found, Poison) else found


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float32", "float8_e4m3fn"])
def test_an_operation_of_a_kernel(dtype: str) -> None:
    a, b = (Scalar(BufferLoad(name, (SymVar("i", "int32"),), dtype)) for name in "ab")
    kind = "float" if dtypes.is_float(dtype) else "bool" if dtype == "bool" else "int"
    for name in (*OPERATIONS, "math:exp", "math2:pow"):
        if name == "select" or name in NOT_OF[kind]:
            continue
        args = (a,) if name in ONE or name == "math:exp" else (a, b)
        try:
            made = operation(name, dtype, *args)
        except Unfit:
            assert name in (*(NOT_OF_TRUTHS if dtype == "bool" else ()), "math:exp", "math2:pow"), name
            continue
        of_two = product(values(dtype), repeat=2) if len(args) == 2 else ((x, x) for x in values(dtype))
        pairs = [pair for pair in of_two if plainly(name, dtype, pair[: len(args)]) is not None]
        at = IEEE.at(made.dtype)
        wanted = [at.to_bits(plainly(name, dtype, pair[: len(args)])) for pair in pairs]
        assert run_kernel(made.node, dtype, pairs) == wanted, name


def test_choices_of_kernels() -> None:
    a, b = (Scalar(BufferLoad(name, (SymVar("i", "int32"),), "int8")) for name in "ab")
    made = operation("select", "int8", a < b, a, b)
    pairs = [*product(values("int8"), repeat=2)]
    assert run_kernel(made.node, "int8", pairs) == [IEEE.at("int8").to_bits(min(pair)) for pair in pairs]


STARTS = {
    "float32": (-math.inf, math.inf), "float8_e4m3fn": (-448.0, 448.0), "float8_e8m0fnu": (2.0**-127, 2.0**127),
    "int8": (-128, 127), "uint8": (0, 255),
}  # fmt: skip


@pytest.mark.parametrize("dtype", STARTS)
def test_what_a_fold_starts_with(dtype: str) -> None:
    low, high = STARTS[dtype]
    wanted = {"add": ("Add", 0), "mul": ("Mul", 1), "maximum": ("Max", low), "minimum": ("Min", high)}
    for op, (connect, start) in wanted.items():
        found = combination(op, dtype)
        assert found[0] == connect
        if dtype != "float8_e8m0fnu" or op != "add":
            assert bits.literal_value(found[1].node) == start  # type: ignore[arg-type]
    for op in ("and", "or", "xor"):
        with pytest.raises(Unfit):
            combination(op, dtype)
    assert bits.literal_value(least(dtype).node) == low and bits.literal_value(greatest(dtype).node) == high  # type: ignore[arg-type]


def test_what_a_fold_of_truths_starts_with() -> None:
    for op in ("add", "maximum", "or"):
        assert said(*combination(op, "bool")) == said("Or", FALSE)
    for op in ("mul", "minimum", "and"):
        assert said(*combination(op, "bool")) == said("And", TRUE)


TRUE, FALSE = lit("bool", True), lit("bool", False)


def said(connect: str, start: Scalar) -> tuple[str, PrimExpr]:
    """(A comparison of scalars writes one.)"""
    return connect, start.node


def test_integers_are_folded_as_they_are_computed() -> None:
    n = Scalar(SymVar("n", "int64"))
    for inner, a, b in product((None, ("Add", 3), ("Sub", 3)), (-2, 0, 1, 3), (-3, 0, 1, 2)):
        x = n if inner is None else n + 3 if inner[0] == "Add" else n - 3
        at = lambda k, inner=inner: k if inner is None else k + 3 if inner[0] == "Add" else k - 3  # noqa: E731
        for op, plain in PLAIN.items():
            of_two = [plain(index(a), index(b)), plain(x, index(b)), plain(index(a), x)]
            for k in (-4, 5):
                for made, numbers in zip(of_two, ((a, b), (at(k), b), (a, at(k))), strict=True):
                    if op not in ("//", "%") or numbers[1]:
                        assert value(made.node, {"n": k}) == plain(*numbers), (op, made.node, numbers)


PLAIN: dict[str, Any] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b, "max": lambda a, b: maximum(a, b) if isinstance(a, Scalar) else max(a, b),
    "min": lambda a, b: minimum(a, b) if isinstance(a, Scalar) else min(a, b),
}  # fmt: skip


def test_what_is_seen_is_not_written() -> None:
    n = Scalar(SymVar("n", "int64"))
    load = Scalar(BufferLoad("A", (n.node,), "int64"))
    for made in (n + 0, n - 0, n * 1, n // 1, index(0) + n, index(1) * n, (n + 3) - 3, (n - 3) + 3):
        assert made.node == n.node
    for made in (n * 0, index(0) * n, n % 1, index(0) // n):
        assert made.node == index(0).node
    for made in (load * 0, index(0) * load, load % 1):  # what is read may be poison
        assert isinstance(made.node, Binary)
    for made, wanted in (((n + 3) + 4, n + 7), ((n - 3) - 4, n - 7), ((n + 3) - 4, n - 1), ((n - 3) + 4, n + 1)):
        assert made.node == wanted.node
    holds = n < 3
    assert ((TRUE & holds).node, (FALSE & holds).node) == (holds.node, FALSE.node)
    assert isinstance((FALSE & (load < 3)).node, Binary) and isinstance((holds & TRUE).node, Binary)
    for known, chosen in ((TRUE, n), (FALSE, load)):
        assert if_then_else(known, n, load).node == chosen.node
    assert isinstance(if_then_else(holds, n, load).node, Intrinsic)
    assert all_of([]).node == TRUE.node and all_of([holds]).node == holds.node
    for op, is_so in (("LT", True), ("LE", True), ("GT", False), ("GE", False), ("EQ", False), ("NE", True)):
        assert indexed(op, index(2), index(3)).node == lit("bool", is_so).node  # type: ignore[arg-type]
        assert indexed(op, n, index(3)).node == Binary(op, n.node, index(3).node)  # type: ignore[arg-type]
