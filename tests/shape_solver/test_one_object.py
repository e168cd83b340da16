"""Computed tensors that are the same up to the names that they bind are one object, and no others are
(``sh/element-term``, ``sh/index-digits``)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.semantics.dims.poly import Poly, add, join
from refrelax.shape_solver.pointwise import Logic, TensorTerm, Terms
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import STEPS, compare
from refrelax.shape_solver.pointwise.one_object import one_object
from refrelax.shape_solver.pointwise.simplify import divides, quotient_and_rest, simplified
from refrelax.shape_solver.pointwise.terms import OPEN, Fold, Int, Load, Term
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm

N = SymVar("n", "int64")


class House:
    """A table of terms, a logic in which ``n`` is not negative, and two inputs."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.logic = Logic(Sizes(self.terms.dtype_of), left=STEPS["normal"])
        self.logic.assume(compare("GE", N, int_imm(0)))
        self.x = TensorTerm("x", (N, N), "float32")
        self.i = TensorTerm("i", (N,), "int64")

    def one(self, body: Callable[[SymVar, SymVar], Term], shape: tuple[PrimExpr, ...] = (N, N)) -> TensorTerm:
        """What is computed at two new indices."""
        a, b = self.terms.fresh("a"), self.terms.fresh("b")
        return one_object(self.terms, self.logic, TensorTerm("y", shape, "float32", (a, b), body(a, b)))

    def total(
        self, at: Callable[[SymVar, SymVar], tuple[PrimExpr, PrimExpr]], outer: str = "k", inner: str = "l"
    ) -> Term:
        """A sum of sums of the first input."""
        k, l = SymVar(outer), SymVar(inner)
        zero = self.terms.number("float32", 0)
        within = self.terms.fold("Add", zero, ((l, N),), None, self.terms.load(self.x, at(k, l)), True)
        return self.terms.fold("Add", zero, ((k, N),), None, within, True)


def test_two_readings_of_one_loop_are_one() -> None:
    h = House()
    first = h.one(lambda a, b: h.terms.apply("Add", "float32", (h.terms.load(h.x, (a, b)), h.terms.load(h.x, (b, a)))))
    again = h.one(lambda a, b: h.terms.apply("Add", "float32", (h.terms.load(h.x, (a, b)), h.terms.load(h.x, (b, a)))))
    other = h.one(lambda a, b: h.terms.apply("Add", "float32", (h.terms.load(h.x, (b, a)), h.terms.load(h.x, (b, a)))))
    assert first is again is not other


def test_variables_of_reductions_are_told_by_where_they_are_bound() -> None:
    h = House()
    rows = h.one(lambda a, b: h.total(lambda k, l: (k, l)))
    same = h.one(lambda a, b: h.total(lambda k, l: (k, l), "p", "q"))
    columns = h.one(lambda a, b: h.total(lambda k, l: (l, k)))
    hidden = h.one(lambda a, b: h.total(lambda k, l: (k, l), "k", "k"))
    inner = h.one(lambda a, b: h.total(lambda k, l: (l, l), "p", "q"))
    assert rows is same
    assert hidden is inner
    assert len({id(each) for each in (rows, columns, hidden)}) == 3


def test_a_reduction_over_another_number_of_items_is_another() -> None:
    h = House()
    zero = h.terms.number("float32", 0)

    def over(extent: PrimExpr, guard: PrimExpr | None, free: bool) -> TensorTerm:
        k = h.terms.fresh("k")
        return h.one(lambda a, _: h.terms.fold("Add", zero, ((k, extent),), guard, h.terms.load(h.x, (a, k)), free))

    fewer = Binary("Sub", N, int_imm(1))
    kinds = [
        over(N, None, True),
        over(fewer, None, True),
        over(N, None, False),
        over(N, compare("GT", N, int_imm(3)), True),
    ]
    assert len({id(each) for each in kinds}) == len(kinds)
    assert over(fewer, None, True) is kinds[1]


def test_an_extent_is_over_the_axes_before_it() -> None:
    """``sum over p of sum over (p < n, q < p)``, whose ``p`` is the inner one, beside one over ``q < `` the outer."""
    h = House()
    zero = h.terms.number("float32", 0)

    def triangles(outer: str, inner: str, of: str) -> TensorTerm:
        p, q, o = SymVar(inner), SymVar("q"), SymVar(outer)
        within = h.terms.fold("Add", zero, ((p, N), (q, SymVar(of))), None, h.terms.load(h.x, (q, q)), True)
        return h.one(lambda a, b: h.terms.fold("Add", zero, ((o, N),), None, within, True))

    shadowed, own, other = triangles("p", "p", "p"), triangles("o", "p", "p"), triangles("o", "p", "o")
    assert shadowed is own is not other
    assert triangles("r", "s", "s") is own
    assert triangles("r", "s", "r") is other


def test_an_index_that_is_read_is_known_by_what_is_read() -> None:
    h = House()
    other = TensorTerm("j", (N,), "int64")

    def taken(tensor: TensorTerm, turned: bool = False) -> TensorTerm:
        def body(a: SymVar, b: SymVar) -> Term:
            row = h.terms.as_index(h.terms.load(tensor, (b if turned else a,)))
            return h.terms.load(h.x, (row, b))

        return h.one(body)

    assert taken(h.i) is taken(h.i)
    assert len({id(taken(h.i)), id(taken(other)), id(taken(h.i, turned=True))}) == 3


def test_what_is_not_written_and_what_is_given_are_their_own() -> None:
    h = House()
    at = (h.terms.fresh("o"),)
    first, second = (TensorTerm("y", (N,), "float32", at, OPEN) for _ in range(2))
    assert one_object(h.terms, h.logic, first) is first
    assert one_object(h.terms, h.logic, second) is second
    assert one_object(h.terms, h.logic, h.x) is h.x
    assert one_object(h.terms, h.logic, TensorTerm("x", (N, N), "float32")) is not h.x


def test_shape_dtype_and_dtype_of_indices_matter() -> None:
    h = House()
    more = Binary("Add", N, int_imm(1))
    body = h.terms.number("float32", 0)
    found = [
        one_object(h.terms, h.logic, TensorTerm("y", shape, dtype, (SymVar("o", kind),), body))
        for shape in ((N,), (more,))
        for dtype in ("float32", "float64")
        for kind in ("int64", "int32")
    ]
    assert len(set(map(id, found))) == 8


def test_a_view_of_a_view_is_a_view() -> None:
    h = House()
    turned = h.one(lambda a, b: h.terms.load(h.x, (b, a)))
    back = h.one(lambda a, b: h.terms.load(turned, (b, a)))
    straight = h.one(lambda a, b: h.terms.load(h.x, (a, b)))
    assert back is straight
    assert isinstance(back.body, Load) and back.body.tensor is h.x


def test_a_view_that_may_leave_another_stays_one_of_it() -> None:
    """The middle one has fewer rows: an element of its outside is poison, though the input has it."""
    h = House()
    fewer = h.one(lambda a, b: h.terms.load(h.x, (a, b)), (Binary("Sub", N, int_imm(1)), N))
    through = h.one(lambda a, b: h.terms.load(fewer, (a, b)))
    assert isinstance(through.body, Load) and through.body.tensor is fewer
    assert through is not h.one(lambda a, b: h.terms.load(h.x, (a, b)))


def test_a_reshape_is_one_tensor_whoever_says_it() -> None:
    """``n + 6`` rows of 12, as ``(n + 6) * 12`` elements and back: by a flat position, by digits, by itself."""
    h = House()
    rows = Binary("Add", N, int_imm(6))
    x = TensorTerm("x", (rows, int_imm(12)), "float32")
    twelve = int_imm(12)

    def flat(a: PrimExpr, b: PrimExpr) -> PrimExpr:
        return Binary("Add", Binary("Mul", a, twelve), b)

    def digits(a: SymVar, b: SymVar) -> Term:
        return h.terms.load(x, (Binary("FloorDiv", flat(a, b), twelve), Binary("FloorMod", flat(a, b), twelve)))

    def modulo(a: SymVar, b: SymVar) -> Term:
        return h.terms.load(x, (Binary("FloorMod", Binary("FloorDiv", flat(a, b), twelve), rows), b))

    shape = (rows, twelve)
    straight = h.one(lambda a, b: h.terms.load(x, (a, b)), shape)
    assert h.one(digits, shape) is straight
    assert h.one(modulo, shape) is straight
    assert (
        h.one(lambda a, b: h.terms.load(x, (Binary("FloorMod", Binary("Add", a, int_imm(1)), rows), b)), shape)
        is not straight
    )


def test_the_body_that_is_kept_binds_its_own_names() -> None:
    """Only the key has names by position: what is expanded stays apart from what is around it."""
    h = House()
    found = h.one(lambda a, b: h.total(lambda k, l: (k, l), "p", "q"))
    assert isinstance(found.body, Fold)
    assert [v.name for v, _ in found.body.axes] == ["p"]
    assert not any(v.name.startswith("%") for v in found.vars)


def test_a_view_that_is_shortened_binds_its_own_names() -> None:
    """What an index is read from may be a reduction: its variables are names that the body binds as well."""
    h = House()

    def body(name: str, turned: bool) -> Callable[[SymVar, SymVar], Term]:
        k = SymVar(name)

        def view(a: SymVar, b: SymVar) -> Term:
            index = h.terms.as_index(h.terms.load(h.i, (k,)))
            row = h.terms.as_index(h.terms.fold("Max", h.terms.integer(a), ((k, N),), None, Int(index), True))
            flat = Binary("FloorMod", Binary("Add", Binary("Mul", a, N), b), N)
            return h.terms.load(h.x, (row, flat if turned else b))

        return view

    long, short, other = (h.one(body(*each)) for each in (("p", True), ("q", False), ("r", True)))
    assert long is short is other
    assert isinstance(long.body, Load)
    assert long.body.indices[1] == long.vars[1]
    (row,) = (h.terms.opaque[n] for n in free_symbols(long.body.indices[0]))
    assert isinstance(row, Fold)
    assert [v.name for v, _ in row.axes] == ["p"]


# --- division by a sum ------------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c")
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda names: tuple(sorted(names)))
POLYNOMIALS = st.dictionaries(MONOMIALS, st.integers(-12, 12).filter(bool), max_size=5)


def product(p: Poly, q: Poly) -> Poly:
    whole: Poly = {}
    for mono, c in p.items():
        whole = add(whole, {join(mono, each): c * d for each, d in q.items()})
    return whole


@given(POLYNOMIALS, POLYNOMIALS.filter(bool), POLYNOMIALS)
def test_a_quotient_and_its_rest_are_the_whole(p: Poly, q: Poly, rest: Poly) -> None:
    for whole in (p, add(product(p, q), rest)):
        found, left = quotient_and_rest(whole, q)
        assert add(product(found, q), left) == whole


@pytest.mark.parametrize("k", [1, 3, 6])
def test_digits_by_a_sum(k: int) -> None:
    h = House()
    rows = Binary("Add", N, int_imm(k))
    i, j = SymVar("i"), SymVar("j")
    inside = (*h.logic.domain(i, N), *h.logic.domain(j, rows))
    flat = Binary("Add", Binary("Mul", i, rows), j)
    assert simplified(Binary("FloorDiv", flat, rows), inside, h.logic) == i
    assert simplified(Binary("FloorMod", flat, rows), inside, h.logic) == j
    assert simplified(Binary("FloorDiv", j, rows), inside, h.logic) == int_imm(0)


def test_no_digits_where_the_rest_may_be_too_large() -> None:
    """``j`` may be ``n + 3``, and the divisor may be 0 where ``n`` is."""
    h = House()
    i, j = SymVar("i"), SymVar("j")
    rows = Binary("Add", N, int_imm(3))
    inside = (*h.logic.domain(i, N), *h.logic.domain(j, Binary("Add", rows, int_imm(1))))
    flat = Binary("Add", Binary("Mul", i, rows), j)
    assert simplified(Binary("FloorDiv", flat, rows), inside, h.logic) != i
    less = Binary("Sub", N, int_imm(3))
    for e in (Binary("FloorDiv", j, less), Binary("FloorMod", j, less)):
        assert divides(simplified(e, (compare("GE", j, int_imm(0)),), h.logic))


@given(st.integers(-4, 4), st.integers(0, 5), st.data())
def test_short_indices_have_the_same_value(k: int, n: int, data: st.DataObject) -> None:
    """Sums of products over a domain, divided by ``n + k``: the same number at each point of it."""
    h = House()
    i, j = SymVar("i"), SymVar("j")
    rows = Binary("Add", N, int_imm(k))
    h.logic.assume(compare("GT", rows, int_imm(0)))
    inside = (*h.logic.domain(i, N), *h.logic.domain(j, rows))
    c, d = data.draw(st.integers(-3, 3)), data.draw(st.integers(-3, 3))
    flat = Binary(
        "Add", Binary("Add", Binary("Mul", Binary("Mul", i, rows), int_imm(c)), Binary("Mul", j, int_imm(d))), N
    )
    op = data.draw(st.sampled_from(["FloorDiv", "FloorMod"]))
    e = Binary(op, flat, rows)  # type: ignore[arg-type]
    short = simplified(e, inside, h.logic)
    if n + k <= 0 or n == 0:
        return
    at = {"n": n, "i": data.draw(st.integers(0, n - 1)), "j": data.draw(st.integers(0, n + k - 1))}
    assert valued(short, at) == valued(e, at)


def valued(e: PrimExpr, at: dict[str, int]) -> int:
    """Integers as they are, in another style than the definition's."""
    match e:
        case SymVar(name):
            return at[name]
        case Binary(op, a, b):
            x, y = valued(a, at), valued(b, at)
            return {
                "Add": x + y,
                "Sub": x - y,
                "Mul": x * y,
                "FloorDiv": x // y if y else 0,
                "FloorMod": x % y if y else 0,
            }[op]
        case _:
            number = as_int(e)
            assert number is not None
            return number
