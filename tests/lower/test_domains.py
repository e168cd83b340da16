"""Indices as sums of products, what is proposed in their place, and what of a domain bears on an expression."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.lower.domains import Domain, dims_of, factors, flat, is_plain, same_place, shortest, spelled, terms
from refrelax.lower.nests import Axis, Nest
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, int_imm

N, M, I, J, K = map(SymVar, ("n", "m", "i", "j", "k"))
ZERO, ONE, TWO = map(int_imm, (0, 1, 2))


def binary(op: Any, *parts: PrimExpr) -> PrimExpr:
    first, *rest = parts
    for each in rest:
        first = Binary(op, first, each)
    return first


def add(*parts: PrimExpr) -> PrimExpr:
    return binary("Add", *parts)


def mul(*parts: PrimExpr) -> PrimExpr:
    return binary("Mul", *parts)


SPELLED: list[tuple[list[tuple[int, tuple[PrimExpr, ...]]], PrimExpr]] = [
    ([], ZERO),
    ([(3, ())], int_imm(3)),
    ([(1, ())], ONE),
    ([(1, (I,))], I),
    ([(2, (I,))], mul(I, TWO)),
    ([(1, (I, N))], mul(I, N)),
    ([(-1, (I,))], Binary("Sub", ZERO, I)),
    ([(-2, (I,))], Binary("Sub", ZERO, mul(I, TWO))),
    ([(-1, ())], Binary("Sub", ZERO, ONE)),
    ([(1, (I,)), (-1, (J,))], Binary("Sub", I, J)),
    ([(1, (I,)), (3, (J,)), (-2, ())], Binary("Sub", add(I, mul(J, int_imm(3))), TWO)),
    ([(0, (I,))], mul(I, ZERO)),
]


@pytest.mark.parametrize(("found", "wanted"), SPELLED)
def test_spelled(found: Any, wanted: PrimExpr) -> None:
    assert spelled(found, "int64") == wanted


def test_terms() -> None:
    assert terms(ZERO) == [] and terms(int_imm(-3)) == [(-3, ())] and terms(I) == [(1, (I,))]
    assert terms(add(I, mul(J, TWO))) == [(1, (I,)), (2, (J,))]
    assert terms(Binary("Sub", I, add(J, ONE))) == [(1, (I,)), (-1, (J,)), (-1, ())]
    assert terms(mul(add(I, ONE), add(J, TWO))) == [(1, (I, J)), (2, (I,)), (1, (J,)), (2, ())]
    assert terms(Binary("FloorDiv", I, TWO)) == [(1, (Binary("FloorDiv", I, TWO),))]
    assert factors(mul(I, N, TWO)) == (2, (I, N)) and factors(add(I, ONE)) is None and factors(ZERO) is None


AXES = (Axis(I, N), Axis(J, M), Axis(K, ONE))
DOMAIN = Domain(AXES, (N, M))


def div(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("FloorDiv", a, b)


def rest(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("FloorMod", a, b)


SHORTEST: dict[str, tuple[PrimExpr, PrimExpr]] = {
    "a quotient": (div(add(mul(I, M), J), M), I),
    "a rest": (rest(add(mul(I, M), J), M), J),
    "by a number": (div(add(mul(I, int_imm(4)), int_imm(3)), int_imm(4)), I),
    "by less than the rest": (div(add(mul(I, int_imm(4)), int_imm(5)), int_imm(4)), add(I, ONE)),
    "a multiple": (div(mul(I, M), M), I),
    "of three": (div(rest(add(mul(I, M, N), mul(J, N), I), mul(M, N)), N), J),
    "the point of an axis": (add(I, K), I),
    "with a rest that may be greater": (div(add(mul(I, M), I), M), div(add(mul(I, M), I), M)),
    "twice": (div(add(mul(I, TWO), J), TWO), div(add(mul(I, TWO), J), TWO)),
    "plain": (I, I),
    "a number": (TWO, TWO),
}


@pytest.mark.parametrize("name", SHORTEST)
def test_shortest(name: str) -> None:
    index, wanted = SHORTEST[name]
    found = shortest(index, DOMAIN)
    if name in ("by less than the rest", "with a rest that may be greater", "twice"):
        assert not is_plain(found)
    else:
        assert found == wanted


def test_memory_is_not_shortened() -> None:
    index = add(K, BufferLoad("A", (K,), "int64"))
    assert shortest(index, DOMAIN) == index


def less(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    return Binary("LT", a, b)


def test_what_bears_on_an_expression() -> None:
    whole = Domain(AXES, (N, M, add(N, M), TWO), (less(I, J), less(K, TWO)))
    assert whole.about(K) == Domain((AXES[2],), (), (less(K, TWO),))
    assert whole.about(N) == Domain((), (N, add(N, M)), ())
    assert whole.about(I) == Domain(AXES[:2], (N, M, add(N, M)), (less(I, J),))
    assert Domain(AXES, (N, M)).about(I) == Domain(AXES[:1], (N,), ())


def test_statements() -> None:
    found = Domain(AXES[:1], (N, N, TWO, add(N, M), SymVar("s", "int32")), (less(I, J),)).assumptions()
    assert [e for e in found if e in (Binary("GE", N, ZERO), Binary("GE", add(N, M), ZERO))] == [
        Binary("GE", N, ZERO), Binary("GE", add(N, M), ZERO),
    ]  # fmt: skip
    assert len(found) == 6 and found[-3:] == (Binary("GE", I, ZERO), less(I, N), less(I, J))
    assert isinstance(found[2], Binary) and (found[2].op, found[2].a) == ("LE", add(N, M))
    assert DOMAIN.when(less(I, J)).conditions == (less(I, J),)
    assert DOMAIN.when(less(BufferLoad("A", (I,), "int64"), J)).conditions == ()


def test_extents_and_places() -> None:
    assert dims_of([(N, M), (M, TWO)]) == (N, M, TWO)
    assert flat((I, J), (N, M)) == add(mul(add(mul(ZERO, N), I), M), J)
    copy = Nest(AXES[:2], "B", (I, J), BufferLoad("A", (add(mul(I, M), J),), "float32"))
    assert same_place(copy, (mul(N, M),), (N, M))
    turned = Nest(AXES[:2], "B", (I, J), BufferLoad("A", (add(mul(J, N), I),), "float32"))
    assert not same_place(turned, (mul(N, M),), (N, M))
    changed = Nest(AXES[:2], "B", (I, J), add(copy.value, copy.value))
    assert not same_place(changed, (mul(N, M),), (N, M))
