"""A question as facts over atoms: the checker's own reading of what a certificate claims to prove.

The question is JSON: ``{"claim": e, "assume": [e, …], "fits": [low, high] | null, "division": "assume" | "require"}``,
where an expression ``e`` is ``["int", n]``, ``["bool", 0 | 1]``, ``["sym", name, dtype]``,
``["Cast", target, source, a]``, ``["Let", name, value, body]`` or ``[operator, operand, …]``. The facts say: the
assumptions are defined and true, the claim is defined and false (or undefined, where definedness is required). A
contradiction among them is a proof.

Spec: ``spec/06-shapes.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.steps import DIVISIONS, Expr, is_bool, steps

Formula = tuple[Any, ...]
"""``("ge", p)``: ``p >= 0``; ``("eq", p)``: ``p == 0``; ``("and", f, …)``; ``("or", f, …)``."""

COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
MAX_SHIFT = 4096


def ge(p: Poly) -> Formula:
    return ("ge", p)


def eq(p: Poly) -> Formula:
    return ("eq", p)


def both(*parts: Formula) -> Formula:
    """Conjunction, flattened."""
    flat = [each for part in parts for each in (part[1:] if part[0] == "and" else (part,))]
    return flat[0] if len(flat) == 1 else ("and", *flat)


def some(*parts: Formula) -> Formula:
    """Disjunction, flattened."""
    flat = [each for part in parts for each in (part[1:] if part[0] == "or" else (part,))]
    return flat[0] if len(flat) == 1 else ("or", *flat)


def negated(f: Formula) -> Formula:
    """``not f``, pushed inwards."""
    match f:
        case ("ge", p):
            return ge(-p - 1)
        case ("eq", p):
            return some(ge(p - 1), ge(-p - 1))
        case ("and", *parts):
            return some(*map(negated, parts))
        case (_, *parts):
            return both(*map(negated, parts))
    raise ValueError(f)


def dtype_range(dtype: str) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype."""
    found = re.fullmatch(r"(u?)int(\d{1,3})", dtype)
    if dtype == "bool":
        return 0, 1
    if found is None or not int(found[2]):
        raise ValueError(f"expected an integer dtype, found {dtype!r}"[:200])
    width = int(found[2])
    return (0, (1 << width) - 1) if found[1] else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


@dataclass(frozen=True, slots=True)
class Atom:
    """``kind`` and operands as in ``schemas``; ``sym`` and ``define`` have a name or nothing; ``ite`` has its two
    branches."""

    kind: str
    args: tuple[Poly, ...] = ()
    name: str = ""
    branches: tuple[Formula, Formula] | None = None


@dataclass(slots=True)
class Reading:
    """The atoms met so far, numbered in order of appearance."""

    atoms: list[Atom] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    scope: dict[str, Poly] = field(default_factory=dict)

    def make(self, kind: str, args: tuple[Poly, ...], name: str = "") -> Poly:
        """The atom with this kind, operands and name."""
        return Poly.atom(self.number((kind, args, name), Atom(kind, args, name)))

    def number(self, key: Any, atom: Atom) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.atoms)
            self.atoms.append(atom)
        return self.numbers[key]

    # --- integers

    def term(self, e: Expr) -> Poly:
        """The value of ``e``; truth values are 0 and 1."""
        match e:
            case ["int", int() as value]:
                return Poly.of(value)
            case ["bool", 0 | 1 as value]:
                return Poly.of(int(value))
            case ["sym", str() as name, str() as dtype]:
                return self.symbol(name, dtype)
            case ["Add", a, b]:
                return self.term(a) + self.term(b)
            case ["Sub", a, b]:
                return self.term(a) - self.term(b)
            case ["Mul", a, b]:
                return self.term(a) * self.term(b)
            case [("FloorDiv" | "FloorMod" | "Div" | "Mod") as op, a, b]:
                return self.quotient(op, self.term(a), self.term(b))
            case ["Min", a, b]:
                return self.minimum(self.term(a), self.term(b))
            case ["Max", a, b]:
                return -self.minimum(-self.term(a), -self.term(b))
            case [("Select" | "if_then_else"), c, a, b] if not is_bool(a):
                return self.choice(c, self.term(a), self.term(b))
            case ["Cast", str() as target, _, a]:
                return self.cast(target, a)
            case ["Let", str() as name, value, body]:
                inner: Poly = self.let(name, value, body, self.term)
                return inner
            case _ if is_bool(e):
                return self.choice(e, Poly.of(1), Poly.of(0))
            case _:
                return self.intrinsic(e)

    def symbol(self, name: str, dtype: str) -> Poly:
        if name in self.scope:
            return self.scope[name]
        if self.symbols.setdefault(name, dtype) != dtype:
            raise ValueError(f"expected one dtype of the symbol {name!r}")
        return self.make("sym", (), name)

    def quotient(self, op: str, a: Poly, b: Poly) -> Poly:
        q = self.make("fd" if op.startswith("Floor") else "td", (a, b))
        return q if op in ("FloorDiv", "Div") else a - b * q

    def minimum(self, a: Poly, b: Poly) -> Poly:
        return self.make("min", (a, b))

    def choice(self, c: Expr, a: Poly, b: Poly) -> Poly:
        """``a`` where ``c`` holds, else ``b``."""
        yes, no = self.truth(c, True), self.truth(c, False)
        key = ("ite", yes, no, a, b)
        return Poly.atom(self.number(key, Atom("ite", (a, b), "", (yes, no))))

    def cast(self, target: str, a: Expr) -> Poly:
        if target == "bool":
            return self.choice(["NE", a, ["int", 0]], Poly.of(1), Poly.of(0))
        low, high = dtype_range(target)
        p = self.term(a)
        return p - (high - low + 1) * self.make("fd", (p - low, Poly.of(high - low + 1)))

    def let(self, name: str, value: Expr, body: Expr, read: Any) -> Any:
        saved, self.scope = self.scope, {**self.scope, name: self.term(value)}
        result = read(body)
        self.scope = saved
        return result

    def intrinsic(self, e: Expr) -> Poly:
        match e:
            case ["likely", a]:
                return self.term(a)
            case ["abs", a]:
                p = self.term(a)
                return -self.minimum(p, -p)
            case ["bitwise_not", a]:
                return -self.term(a) - 1
            case ["shift_left", a, b]:
                return self.term(a) * self.two_to(self.term(b))
            case ["shift_right", a, b]:
                return self.make("fd", (self.term(a), self.two_to(self.term(b))))
            case [("bitwise_and" | "bitwise_or" | "bitwise_xor") as op, a, b]:
                return self.bits(op, self.term(a), self.term(b))
            case _:
                raise ValueError(f"expected an integer expression, found {json.dumps(e)}"[:200])

    def two_to(self, k: Poly) -> Poly:
        value = k.constant()
        return Poly.of(1 << value) if value is not None and 0 <= value <= MAX_SHIFT else self.make("p2", (k,))

    def bits(self, op: str, a: Poly, b: Poly) -> Poly:
        """``a | b`` is ``a + b - (a & b)``, ``a ^ b`` is ``a + b - 2 * (a & b)``."""
        common = self.bit_and(a, b)
        return common if op == "bitwise_and" else a + b - (common if op == "bitwise_or" else 2 * common)

    def bit_and(self, a: Poly, b: Poly) -> Poly:
        """``a & c`` with a constant is a sum of ``a // 2**k % 2**w * 2**k`` over the runs of ``w`` ones from bit ``k``
        of ``c``; for a negative one it is ``a - (a & ~c)``."""
        x, y = a.constant(), b.constant()
        if x is not None and y is not None:
            return Poly.of(x & y)
        if x is None and y is None:
            return self.make("and", (a, b))
        p, mask = (a, y) if y is not None else (b, x or 0)
        return p - self.masked(p, ~mask) if mask < 0 else self.masked(p, mask)

    def masked(self, p: Poly, mask: int) -> Poly:
        total, start = Poly.of(0), 0
        while mask >> start:
            start += ((mask >> start) & -(mask >> start)).bit_length() - 1
            ones = mask >> start
            width = ((ones + 1) & -(ones + 1)).bit_length() - 1
            q = p if start == 0 else self.make("fd", (p, Poly.of(1 << start)))
            total = total + (1 << start) * (q - (1 << width) * self.make("fd", (q, Poly.of(1 << width))))
            start += width
        return total

    # --- truth

    def truth(self, e: Expr, value: bool) -> Formula:
        """That ``e`` is ``value``; what is undefined has some value."""
        match e:
            case ["bool", 0 | 1 as number]:
                return ("and",) if bool(number) == value else ("or",)
            case ["sym", str() as name, "bool"]:
                return eq(self.symbol(name, "bool") - int(value))
            case ["Not", a]:
                return self.truth(a, not value)
            case [("And" | "Or") as op, a, b]:
                join = both if (op == "And") == value else some
                return join(self.truth(a, value), self.truth(b, value))
            case [("EQ" | "NE") as op, a, b] if is_bool(a):
                same = (op == "EQ") == value
                return some(both(self.truth(a, True), self.truth(b, same)),
                            both(self.truth(a, False), self.truth(b, not same)))  # fmt: skip
            case [op, a, b] if op in COMPARISONS:
                return self.compared(op, self.term(a), self.term(b), value)
            case [("Select" | "if_then_else"), c, a, b]:
                return some(both(self.truth(c, True), self.truth(a, value)),
                            both(self.truth(c, False), self.truth(b, value)))  # fmt: skip
            case ["likely", a]:
                return self.truth(a, value)
            case ["Cast", "bool", _, a]:
                return self.truth(a, value) if is_bool(a) else self.compared("NE", self.term(a), Poly.of(0), value)
            case ["Let", str() as name, bound, body]:
                found: Formula = self.let(name, bound, body, lambda inner: self.truth(inner, value))
                return found
            case _:
                raise ValueError(f"expected a claim, found {json.dumps(e)}"[:200])

    def compared(self, op: str, a: Poly, b: Poly, value: bool) -> Formula:
        formula = {
            "EQ": lambda: eq(a - b), "NE": lambda: negated(eq(a - b)), "LT": lambda: ge(b - a - 1),
            "LE": lambda: ge(b - a), "GT": lambda: ge(a - b - 1), "GE": lambda: ge(a - b),
        }[op]()  # fmt: skip
        return formula if value else negated(formula)

    # --- definedness

    def defined(self, e: Expr) -> Formula:
        """That ``e`` has a value: no division by zero and no negative shift count where evaluation gets to."""
        match e:
            case ["int" | "bool" | "sym", *_]:
                return ("and",)
            case [("And" | "Or") as op, a, b]:
                needed = self.defined(b)
                guarded = needed if needed == ("and",) else some(self.truth(a, op == "Or"), needed)
                return both(self.defined(a), guarded)
            case ["if_then_else", c, a, b]:
                arms = [
                    some(self.truth(c, stops), needed)
                    for stops, needed in ((False, self.defined(a)), (True, self.defined(b)))
                    if needed != ("and",)
                ]
                return both(self.defined(c), *arms)
            case ["Cast", _, _, a]:
                return self.defined(a)
            case ["Let", str() as name, value, body]:
                return both(self.defined(value), self.let(name, value, body, self.defined))
            case [op, *parts]:
                return both(*map(self.defined, parts), *self.own(op, parts))
        raise ValueError(f"expected an expression, found {json.dumps(e)}"[:200])

    def own(self, op: str, parts: list[Expr]) -> list[Formula]:
        if op in DIVISIONS and len(parts) == 2:
            b = self.term(parts[1])
            return [] if b.constant() else [negated(eq(b))]
        if op in ("shift_left", "shift_right") and len(parts) == 2:
            b = self.term(parts[1])
            fixed = b.constant()
            return [] if fixed is not None and fixed >= 0 else [ge(b)]
        return []

    def settled(self, e: Expr, value: bool) -> Formula:
        """That ``e`` is defined here and is ``value``."""
        match e:
            case ["Not", a]:
                return self.settled(a, not value)
            case [("And" | "Or") as op, a, b]:
                if (op == "And") == value:
                    return both(self.settled(a, value), self.settled(b, value))
                return some(self.settled(a, value), both(self.settled(a, not value), self.settled(b, value)))
            case _:
                return both(self.defined(e), self.truth(e, value))


def refuting(reading: Reading, claim: Expr, fits: list[int], division: str) -> Formula:
    """That the first step of ``claim`` that goes wrong refutes it, or that none does and it is false: a step out of
    range refutes it, and one without a value where definedness is required."""
    found: dict[str, tuple[bool, Expr]] = {}
    for defines, each in steps(claim, *fits):
        found.setdefault(json.dumps(each), (defines, each))
    result = reading.settled(claim, False)
    for defines, each in reversed(found.values()):
        holds = reading.truth(each, True)
        result = both(holds, result) if holds != ("and",) else result
        if division == "require" or not defines:
            result = some(reading.truth(each, False), result)
    return result


def questions(question: Any) -> tuple[Reading, list[Formula], list[Formula]]:
    """A reading of ``question``, the facts that the assumptions give, and those that the negated claim gives.

    Raises:
        ValueError: the question is malformed.
    """
    reading = Reading()
    match question:
        case {"claim": claim, "assume": [*assume], "fits": fits, "division": "assume" | "require" as division}:
            if fits is not None and not (isinstance(fits, list) and [type(end) for end in fits] == [int, int]):
                raise ValueError("expected two integers as the range of fits")
        case _:
            raise ValueError("expected a question with claim, assume, fits and division")
    given = [reading.settled(each, True) for each in assume]
    if fits is not None:
        wanted = refuting(reading, claim, fits, division)
    elif division == "require":
        wanted = negated(reading.settled(claim, True))
    else:
        wanted = reading.settled(claim, False)
    for name, dtype in reading.symbols.items():
        x = reading.symbol(name, dtype)
        if dtype == "bool":
            given += [ge(x), ge(1 - x)]
        elif fits is not None:
            given += [ge(x - fits[0]), ge(fits[1] - x)]
    return reading, flattened(given), flattened([wanted])


def flattened(formulas: list[Formula]) -> list[Formula]:
    """Conjunctions opened; an empty disjunction is ``-1 >= 0``."""
    result: list[Formula] = []
    for formula in formulas:
        for part in formula[1:] if formula[0] == "and" else (formula,):
            result.append(ge(Poly.of(-1)) if part == ("or",) else part)
    return result
