"""Every schema of the proof log, proved once: by Z3 over all integers, and exhaustively on a small domain.

A failure here means that the checker could accept a wrong proof.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest

from refrelax.shape_solver.checker.schemas import (
    AXIOMS,
    BY_ID,
    CHOICES,
    COUNT,
    KINDS,
    MAX_STEP,
    NUMBERED,
    PAIRS,
    TRIPLES,
    Axiom,
    Zero,
    bits_apart,
    bits_below,
    bits_split,
    minimum_low,
    power_above,
    power_below,
    power_shift,
)

z3 = pytest.importorskip("z3")

SMALL = range(-7, 8)
ARITY = {**KINDS, "": 1}


def exact(kind: str, args: tuple[int, ...]) -> int | None:
    """The value of an atom by Python's arithmetic; ``None`` where it is any integer."""
    match kind, args:
        case "fd", (a, b):
            return a // b if b else None
        case "td", (a, b):
            return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else None
        case "min", _:
            return min(args)
        case "and", (a, b):
            return a & b
        case "ge", (a,):
            return int(a >= 0)
        case "eq", (a,):
            return int(a == 0)
        case "p2", (k,):
            return 2**k if k >= 0 else None
        case "define", (a,):
            return a
    raise AssertionError(kind)


def holds(fact: Any) -> bool:
    return bool(fact.p == 0) if isinstance(fact, Zero) else bool(fact >= 0)


def operands(kind: str, count: int) -> Any:
    """Values and operands of ``count`` atoms, all over the small domain; an unknown value is tried with several."""
    domain = SMALL if ARITY[kind] * count < 4 else range(-4, 5)
    for args in itertools.product(domain, repeat=ARITY[kind] * count):
        parts = [args[i * ARITY[kind] : (i + 1) * ARITY[kind]] for i in range(count)]
        values = [exact(kind, part) for part in parts]
        choices = [(value,) if value is not None else (-9, -1, 0, 1, 5) for value in values]
        for chosen in itertools.product(*choices):
            yield chosen, args


@pytest.mark.parametrize("axiom", [*AXIOMS, *PAIRS, *TRIPLES], ids=lambda axiom: axiom.id)
def test_axioms_hold_on_a_small_domain(axiom: Axiom) -> None:
    reached = 0
    for values, args in operands(axiom.kind, COUNT[axiom.id]):
        if all(need >= 0 for need in axiom.needs(*values, *args)):
            reached += 1
            assert holds(axiom.gives(*values, *args)), (values, args)
    assert reached


@pytest.mark.parametrize("step", [0, 1, 2, 5, MAX_STEP])
def test_powers_apart_by_a_constant(step: int) -> None:
    axiom = power_shift(step)
    for j in range(-3, 6):
        for k in range(-3, 6 + step):
            v, w = 2 ** max(k, 0), 2 ** max(j, 0)
            if all(need >= 0 for need in axiom.needs(v, w, k, j)):
                assert holds(axiom.gives(v, w, k, j))


@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_bits_below_a_power_of_two(width: int) -> None:
    reached = Counter[str]()
    for p, q, a in itertools.product(range(-9, 17), range(-2, 9), range(-3, 5)):
        for axiom, values in ((bits_below(width), (p & q, p, q)), (bits_apart(width), (p & q, a & 5, p, q, a, 5))):
            if all(need >= 0 for need in axiom.needs(*values)):
                reached[axiom.id] += 1
                assert holds(axiom.gives(*values)), values
    assert len(reached) == 2


@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_bits_split_at_a_place(width: int) -> None:
    axiom, reached = bits_split(width), 0
    for a, b in itertools.product(range(-3, 4), repeat=2):
        for c, d in itertools.product(range(-1, 9), repeat=2):
            for by in (0, 1):
                p, q = (a << width) + c + by, (b << width) + d
                values = (p & q, a & b, c & d, p, q, a, b, c, d)
                if all(need >= 0 for need in axiom.needs(*values)):
                    reached += 1
                    assert holds(axiom.gives(*values)), values
    assert reached == 49 << 2 * width


@pytest.mark.parametrize("end", [0, 1, 3, MAX_STEP])
def test_powers_below_and_above_a_number(end: int) -> None:
    for k in range(-3, end + 4):
        for axiom in (power_below(end), power_above(end)):
            value = 2**k if k >= 0 else 77
            if all(need >= 0 for need in axiom.needs(value, k)):
                assert holds(axiom.gives(value, k)), (axiom.id, k)


@pytest.mark.parametrize("k", range(5))
def test_the_bit_at_a_place(k: int) -> None:
    """``and/bit``, as the checker states it."""
    for a in range(-40, 41):
        assert a & 2**k == 2**k * (a // 2**k - 2 * (a // 2**k // 2))


def test_the_least_is_at_most_each() -> None:
    for args in itertools.product(range(-3, 4), repeat=3):
        assert all(holds(minimum_low(member).gives(min(args), *args)) for member in range(3))


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.id)
def test_one_branch_holds_on_a_small_domain(choice: Any) -> None:
    for args in itertools.product(SMALL, repeat=ARITY[choice.kind]):
        value = () if not choice.kind else (exact(choice.kind, args),)
        assert any(all(map(holds, branch)) for branch in choice.branches(*value, *args)), args


# --- over all integers -----------------------------------------------------------------------------------------------


def meaning(kind: str, v: Any, args: tuple[Any, ...], power: Any) -> list[Any]:
    """What defines an atom's value, in Z3's own operators (its division is floor only for positive divisors)."""
    match kind, args:
        case "fd", (a, b):
            return [z3.Implies(b > 0, v == a / b), z3.Implies(b < 0, v == (-a) / (-b))]
        case "td", (a, b):
            magnitude = z3.If(a >= 0, a, -a) / z3.If(b >= 0, b, -b)
            return [z3.Implies(b != 0, v == z3.If((a < 0) == (b < 0), magnitude, -magnitude))]
        case "min", (a, b):
            return [v == z3.If(a <= b, a, b)]
        case "ge", (a,):
            return [v == z3.If(a >= 0, 1, 0)]
        case "eq", (a,):
            return [v == z3.If(a == 0, 1, 0)]
        case "p2", (k,):
            return [z3.Implies(k >= 0, v == power(k))]
        case "define", (a,):
            return [v == a]
        case "", _:
            return []
    raise AssertionError(kind)


def proved(given: list[Any], goal: Any) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", 60_000_000)
    solver.add(*given, z3.Not(goal))
    return bool(solver.check() == z3.unsat)


def said(fact: Any) -> Any:
    return fact.p == 0 if isinstance(fact, Zero) else fact >= 0


LEMMAS: dict[str, Any] = {
    # what induction shows of powers (2**0 == 1, 2**(k+1) == 2 * 2**k): shown below, then used
    "p2/positive": lambda p, k: p(k) >= 1,
    "p2/growth": lambda p, k: p(k) >= k + 1,
    "p2/order": lambda p, k, d: z3.Implies(d >= 0, p(k + d) >= p(k)),
    "p2/double": lambda p, k, d: z3.Implies(d >= 1, p(k + d) >= 2 * p(k)),
    "p2/product": lambda p, k, d: p(k + d) == p(k) * p(d),
}


@pytest.mark.parametrize("axiom", [a for a in (*AXIOMS, minimum_low(0), minimum_low(1)) if a.kind not in ("p2", "and")],
                         ids=lambda axiom: axiom.id)  # fmt: skip
def test_axioms_hold_over_all_integers(axiom: Axiom) -> None:
    args = tuple(z3.Ints("a b")[: ARITY[axiom.kind]])
    v = z3.Int("v")
    needs = [need >= 0 for need in axiom.needs(v, *args)]
    assert proved([*meaning(axiom.kind, v, args, None), *needs], said(axiom.gives(v, *args)))


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.id)
def test_one_branch_holds_over_all_integers(choice: Any) -> None:
    args = tuple(z3.Ints("a b")[: ARITY[choice.kind]])
    v = z3.Int("v")
    given = meaning(choice.kind, v, args, None)
    branches = choice.branches(*([v] if choice.kind else []), *args)
    assert proved(given, z3.Or(*(z3.And(*map(said, branch)) for branch in branches)))


@pytest.mark.parametrize("name", LEMMAS)
def test_powers_by_induction(name: str) -> None:
    """Base and step for the last variable; the others are arbitrary and at least 0."""
    power = z3.Function("power", z3.IntSort(), z3.IntSort())
    k, d = z3.Ints("k d")
    lemma = LEMMAS[name]
    several = lemma.__code__.co_argcount == 3
    rest, last = ((k,), d) if several else ((), k)
    doubles = [power(x + 1) == 2 * power(x) for x in (k, d, k + d)]
    lower = [power(x) >= 1 for x in (k, d, k + d, k + d + 1)] if name != "p2/positive" else []
    base = lemma(power, *rest, z3.IntVal(0)) if name != "p2/double" else lemma(power, k, z3.IntVal(1))
    assert proved([power(z3.IntVal(0)) == 1, *doubles, *lower, k >= 0], base)
    start = 1 if name == "p2/double" else 0
    assert proved([*doubles, *lower, k >= 0, last >= start, lemma(power, *rest, last)], lemma(power, *rest, last + 1))


@pytest.mark.parametrize("name", sorted(name for name in (*BY_ID, "p2/shift") if name.startswith("p2/")))
def test_axioms_of_powers_follow_from_the_lemmas(name: str) -> None:
    power = z3.Function("power", z3.IntSort(), z3.IntSort())
    axiom = power_shift(9) if name == "p2/shift" else BY_ID[name]
    count = {"p2/product": 3, "p2/positive": 1, "p2/growth": 1}.get(name, 2)
    values, exponents = z3.Ints("u v w")[:count], z3.Ints("i j k")[:count]
    given = [fact for v, e in zip(values, exponents) for fact in meaning("p2", v, (e,), power)]
    given += [need >= 0 for need in axiom.needs(*values, *exponents)]
    if name == "p2/shift":
        j = exponents[1]
        given += [power(j + n + 1) == 2 * power(j + n) for n in range(9)]
    elif count == 1:
        given.append(LEMMAS[name](power, exponents[0]))
    elif name == "p2/product":
        i, j, k = exponents
        given.append(LEMMAS[name](power, j, k))
        given.append(z3.Implies(i == j + k, power(i) == power(j + k)))
    else:
        i, j = exponents
        given.append(LEMMAS[name](power, j, i - j))
        given.append(power(j + (i - j)) == power(i))
    assert proved(given, said(axiom.gives(*values, *exponents)))


@pytest.mark.parametrize("axiom", [a for a in AXIOMS if a.id.startswith(("and/low", "and/high"))], ids=lambda a: a.id)
def test_bits_by_induction(axiom: Axiom) -> None:
    """``a & b`` is twice that of the halves plus the product of the last bits; halving leads to 0, where it is 0."""
    conjunction = z3.Function("and", z3.IntSort(), z3.IntSort(), z3.IntSort())
    a, b = z3.Ints("a b")
    (side,) = (0 if axiom.id.endswith("left") else 1,)
    halves = (a / 2, b / 2)
    last = z3.If(z3.And(a % 2 == 1, b % 2 == 1), 1, 0)
    step = conjunction(a, b) == 2 * conjunction(*halves) + last
    shown = z3.Implies((a, b)[side] / 2 >= 0, said(axiom.gives(conjunction(*halves), *halves)))
    zero = z3.Implies((a, b)[side] == 0, conjunction(a, b) == 0)
    assert proved([step, shown, zero, (a, b)[side] >= 0], said(axiom.gives(conjunction(a, b), a, b)))


@pytest.mark.thorough
@pytest.mark.parametrize("axiom", [a for a in (*AXIOMS, *PAIRS, bits_below(5), bits_apart(5), bits_split(5))
                                   if a.kind == "and" and not a.id.startswith(("and/low", "and/high"))],
                         ids=lambda axiom: axiom.id)  # fmt: skip
def test_bits_in_words(axiom: Axiom) -> None:
    """Words of 20 bits for operands of 12: no sum in these axioms overflows. (Over all integers: ``verified/``.)"""
    operands = [z3.SignExt(8, each) for each in z3.BitVecs("p q a b c d", 12)]
    count = NUMBERED[axiom.id][0] if axiom.id in NUMBERED else COUNT[axiom.id]
    values = [operands[place] & operands[place + 1] for place in (0, 2, 4)]
    given = [*values[:count], *operands[: 2 * count]]
    assert proved([need >= 0 for need in axiom.needs(*given)], said(axiom.gives(*given)))
