# ruff: noqa: E501
"""Each layer of the prover against exact evaluation: normal form, bounds, digits, residues, simplification.

Every function takes a generator of random numbers, makes one random expression or claim, and gives the number of
points at which it was checked; a wrong answer is an ``AssertionError`` that names the expression and the point.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random

from refrelax.semantics.dims import NO_FACTS, Facts
from refrelax.semantics.dims import simplify as simplify_plain
from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.exact import truncated
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly
from refrelax.semantics.dims.ranges import interval, nonneg
from refrelax.shape_solver import parse_claim, parse_dim
from refrelax.shape_solver import simplify as simplify_given
from refrelax.shape_solver.cases import by_residues
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.evaluate import Undefined, compiled
from refrelax.shape_solver.normal import proves
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import PrimExpr

NAMES = ("x", "y", "z")
NOWHERE = 7_777_777
"""What an atom that is undefined counts as: anything would do."""


class Opaque(Exception):
    """The atom is a function that nothing is known about."""


def term(random: Random, depth: int) -> str:
    """An integer expression as text."""
    if depth == 0 or random.random() < 0.12:
        return random.choice((*NAMES, *NAMES, str(random.randint(-5, 9))))
    a, b = term(random, depth - 1), term(random, depth - 1)
    k = random.choice((-4, -3, -2, 2, 3, 4, 5, 6, 8))
    return random.choice((
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {k})", f"(({a}) // {k})", f"(({a}) % {k})", f"(({a}) // ({b}))",
        f"(({a}) % ({b}))", f"truncdiv({a}, {k})", f"truncmod({a}, {k})", f"truncdiv({a}, {b})", f"min({a}, {b})", f"max({a}, {b})",
        f"select({claim(random, depth - 1)}, {a}, {b})", f"(({a}) & {random.choice((1, 3, 7, 5, -4))})", f"abs({a})",
        f"(({a}) << {abs(k)})", f"(({a}) >> {abs(k) // 2})", f"int8({a})", f"(({a}) // {k} * {k})", f"(({a}) // {abs(k)} // 2)",
        f"(1 << (({a}) % 4))", f"(({a}) * {abs(k)} // {abs(k) + 1})", f"uint8({a})",
    ))  # fmt: skip


def claim(random: Random, depth: int) -> str:
    """A comparison, or some of them."""
    compared = (
        f"({term(random, depth)} {random.choice(('<', '<=', '==', '!=', '>='))} {term(random, max(depth - 1, 0))})"
    )
    if random.random() < 0.75:
        return compared
    other = f"({term(random, 1)} {random.choice(('<', '==', '>='))} {term(random, 1)})"
    return random.choice((f"({compared} and {other})", f"({compared} or {other})", f"implies({other}, {compared})"))


def bounded(random: Random) -> tuple[Facts, list[range]]:
    """Facts about the symbols, and small ranges inside them."""
    facts, ranges = NO_FACTS, []
    for name in NAMES:
        low = random.choice((None, 0, 0, 1, -3))
        high = random.choice((None, None, 4, 9)) if low is not None else random.choice((None, 3))
        facts = facts.with_bounds(name, low, high)
        start = low if low is not None else -5
        ranges.append(range(start, min(high if high is not None else start + 8, start + 8) + 1))
    return facts, ranges


def points(ranges: list[range]) -> Iterator[dict[str, int]]:
    return (dict(zip(NAMES, point)) for point in itertools.product(*ranges))


# --- the value of a polynomial over atoms


def value(p: Poly, env: dict[str, int], atoms: Atoms, known: dict[str, int]) -> int:
    total = 0
    for mono, coefficient in p.items():
        for key in mono:
            if key not in known:
                known[key] = _atom(atoms.table[key], env, atoms, known)
            coefficient *= known[key]
        total += coefficient
    return total


def _atom(atom: Atom, env: dict[str, int], atoms: Atoms, known: dict[str, int]) -> int:
    if atom.kind == "var":
        return env[atom.name]
    args = [value(each, env, atoms, known) for each in atom.args]
    match atom.kind, atom.name:
        case ("fd", _) | ("call", "//" | "FloorDiv"):
            return args[0] // args[1] if args[1] else NOWHERE
        case ("td", _) | ("call", "truncdiv" | "Div"):
            return truncated(args[0], args[1]) if args[1] else NOWHERE
        case "min", _:
            return min(args)
        case "ge", _:
            return int(args[0] >= 0)
        case "eq", _:
            return int(args[0] == 0)
        case ("p2", _) | ("call", "1 <<"):
            return 1 << args[0] if args[0] >= 0 else NOWHERE
        case "cast", _:
            low, high = integer_range(atom.dtype)
            return (args[0] - low) % (high - low + 1) + low
        case "call", "bitwise_and":
            return args[0] & args[1]
        case "call", "*" | "Mul":
            return args[0] * args[1]
    raise Opaque


# --- the layers


def normal_form(random: Random) -> int:
    """``sh/normal-form``: the polynomial has the value of the expression; intervals hold it; nonneg is never wrong."""
    text = term(random, random.randint(1, 4))
    e, (facts, ranges) = parse_dim(text), bounded(random)
    atoms = Atoms(facts)
    p = normal(e, atoms)
    low, high = interval(p, atoms)
    positive, run, count = nonneg(p, atoms), compiled(e), 0
    for env in points(ranges):
        try:
            exact = run(env)
            assert value(p, env, atoms, {}) == exact, (text, facts, env, p)
        except Undefined:
            continue
        except Opaque:
            return count
        count += 1
        assert (low is None or low <= exact) and (high is None or exact <= high), (text, facts, env, low, high)
        assert exact >= 0 or not positive, (text, facts, env, "nonneg")
    return count


ASSUMPTIONS = (
    "x >= 0", "y >= 1", "z >= 1", "x < y", "x < y * z", "0 <= x < 12", "y % 3 == 0", "y % 4 == 1", "z == y + 1", "x <= z",
    "x // 2 < y", "y * z <= 20", "x != y", "z % y == 0", "x == 2 * y", "x % 2 == 1 or y == 0", "x + y < z", "min(x, y) >= 0",
)  # fmt: skip


def _rule(
    random: Random, proved: Callable[[PrimExpr, Context], bool], make: Callable[[Random, int], str] = claim
) -> int:
    text, given = make(random, random.randint(1, 3)), random.sample(ASSUMPTIONS, random.randint(0, 3))
    e, assumed = parse_claim(text), [parse_claim(each) for each in given]
    context = Context().assuming(*assumed)
    if not proved(e, context):
        return 1
    run, checks, count = compiled(e), [compiled(each) for each in assumed], 0
    for env in points([range(-5, 10)] * 3):
        try:
            if all(check(env) for check in checks):
                count += 1
                assert run(env), (text, given, env)
        except Undefined:
            continue
    return max(count, 1)


def normal_form_proofs(random: Random) -> int:
    return _rule(random, proves)


def digit_proofs(random: Random) -> int:
    return _rule(random, lambda e, context: proves(e, digits(e, context)), near_truth)


def residue_proofs(random: Random) -> int:
    return _rule(random, lambda e, context: by_residues(e, context) > 0, near_truth)


def near_truth(random: Random, depth: int) -> str:
    """Claims about quotients and remainders that hold more often than not."""
    t, u = term(random, depth - 1), term(random, 0)
    k, m = random.choice((2, 3, 4, 5)), random.choice((2, 3, 4))
    d = random.choice(("y", "z", str(k)))
    return random.choice((
        f"({t}) // {d} * {d} + ({t}) % {d} == {t}", f"({t}) // {k} // {m} == ({t}) // {k * m}", f"({t}) % {k * m} % {k} == ({t}) % {k}",
        f"({t}) // {d} * {d} <= {t}", f"({t} + {k} * ({u})) // {k} == ({t}) // {k} + {u}", f"x // {d} * {d} + {d} > x",
        f"(x // {d} * {m} + x % {d}) // {m} == x // {d}", f"x % {d} * {k} + {u} < {d} * {k}", f"x // {d} % {m} + {k} * (x // {d} // {m}) == x // {d}",
        f"x * {u} % {k} == (x % {k}) * (({u}) % {k}) % {k}", f"x * (x + {random.randint(0, 3)}) % {m} {random.choice(('==', '<='))} {random.randint(0, 2)}",
    ))  # fmt: skip


def simplification(random: Random) -> int:
    """``sh/simplify``, with and without assumptions: the same value, idempotent."""
    text = term(random, random.randint(1, 3))
    e, (facts, ranges) = parse_dim(text), bounded(random)
    short = simplify_plain(e, facts)
    assert simplify_plain(short, facts) == short, (text, "not idempotent")
    first, second, count = compiled(e), compiled(short), 0
    for env in points(ranges):
        try:
            exact = first(env)
        except Undefined:
            continue
        count += 1
        assert second(env) == exact, (text, facts, env, short)
    return count


def simplification_under_assumptions(random: Random) -> int:
    text, given = term(random, random.randint(1, 3)), random.sample(ASSUMPTIONS, random.randint(0, 3))
    e, assumed = parse_dim(text), [compiled(parse_claim(each)) for each in given]
    first, second, count = compiled(e), compiled(simplify_given(e, given)), 0
    for env in points([range(-4, 9)] * 3):
        try:
            if not all(check(env) for check in assumed):
                continue
            exact = first(env)
        except Undefined:
            continue
        count += 1
        assert second(env) == exact, (text, given, env)
    return max(count, 1)


LAYERS: dict[str, Callable[[Random], int]] = {
    "normal form": normal_form, "normal form proofs": normal_form_proofs, "digits": digit_proofs,
    "residues": residue_proofs, "simplify": simplification, "simplify under assumptions": simplification_under_assumptions,
}  # fmt: skip


def campaign(seed: int, wanted: int) -> dict[str, int]:
    """At least ``wanted`` points in all, the layers in turn; how many each had."""
    counts = dict.fromkeys(LAYERS, 0)
    for turn in itertools.count():
        random = Random(f"{seed}/{turn}")
        for name, layer in LAYERS.items():
            counts[name] += layer(random)
        if sum(counts.values()) >= wanted:
            return counts
    raise AssertionError
