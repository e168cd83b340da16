"""Bit operators as symbols of which only their range is known: signs and highest bits decide many claims.

``a & b`` is no more than an operand that is not negative, ``a | b`` no less than either if none is; neither they nor
``a ^ b`` have a bit that no operand has. Where ``b`` ends below ``2**k`` and ``a`` may not, ``a ^ b`` and ``a | b`` are
``a`` but for its lowest ``k`` bits. What holds whatever these symbols are holds of what they stand for.

Spec: ``spec/06-shapes.md``, ``sh/cases``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.ranges import interval
from refrelax.shape_solver.allowance import RANGE
from refrelax.shape_solver.bit_forms import BITWISE
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import INT, integer, rebuilt
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.normal import Spent
from refrelax.shape_solver.size import measure
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, PrimExpr, SymVar, children

MAX_PARTS = 12
"""Bit operators replaced in one claim."""

Range = tuple[int | None, int | None]


@rule("sh/cases")
def by_range(claim: PrimExpr, context: Context, spent: Spent | None = None) -> tuple[PrimExpr, Context] | None:
    """``claim`` with its bit operators replaced, and ``context`` with what is known of the symbols for them; ``None``
    if it has none, or too many. ``spent``: what may be spent on ranges; past it nothing is known of any."""
    parts = _Parts(context, spent or Spent())
    found = parts.visit(claim)
    if not parts.ranges or len(parts.ranges) > MAX_PARTS:
        return None
    facts = context.facts
    for name, (low, high) in parts.ranges.items():
        facts = facts.with_bounds(name, low, high)
    return found, replace(context, facts=facts).assuming(*(opened(each, context) for each in parts.orders))


@dataclass(slots=True)
class _Parts:
    context: Context
    spent: Spent
    ranges: dict[str, Range] = field(default_factory=dict)
    orders: list[PrimExpr] = field(default_factory=list)
    known: dict[PrimExpr, PrimExpr] = field(default_factory=dict)

    def visit(self, e: PrimExpr) -> PrimExpr:
        if isinstance(e, (SymVar, Literal)) or len(self.ranges) > MAX_PARTS:
            return e
        inner = rebuilt(e, tuple(map(self.visit, children(e))))
        match inner:
            case Intrinsic("bitwise_not", (a,)):
                return Binary("Sub", integer(-1), a)
            case Intrinsic(op, (a, b)) if op in BITWISE:
                if inner not in self.known:
                    self.known[inner] = self.replaced(op, a, b) or self.replaced(op, b, a) or inner
                return self.known[inner]
            case _:
                return inner

    def replaced(self, op: str, a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
        """``a op b``, if ``b`` is not negative; what is said of ``b`` is said of ``a`` where the other way round."""
        (low, high), (least, most) = self.range(a), self.range(b)
        if least is None or least < 0 or empty(low, high) or empty(least, most):
            return None
        if op == "bitwise_and":
            ends = [each for each in (most, high if low is not None and low >= 0 else None) if each is not None]
            s = self.symbol(0, min(ends, default=None))
            self.say(*(Binary("LE", s, part) for part in ((a, b) if low is not None and low >= 0 else (b,))))
            return s
        wide = low is None or low < 0 or high is None or (most is not None and high.bit_length() > most.bit_length())
        if wide and most is not None:
            power = 1 << most.bit_length()
            rest = Binary("FloorMod", a, integer(power))
            return Binary("Add", Binary("Sub", a, rest), self.symbol(0, power - 1))
        if low is None or low < 0 or (high is not None and most is None):
            return None
        s = self.symbol(0, None if high is None or most is None else (1 << most.bit_length()) - 1)
        self.say(
            *(Binary("GE", s, part) for part in (a, b) if op == "bitwise_or"), Binary("LE", s, Binary("Add", a, b))
        )
        return s

    def say(self, *orders: PrimExpr) -> None:
        """Only of what is defined everywhere: a guard may be what says that a part has a value."""
        self.orders += [each for each in orders if not conditions(each)]

    def range(self, e: PrimExpr) -> Range:
        self.spent.work += RANGE * measure(e)[0]
        if self.spent.work > self.spent.most:
            return None, None
        facts = self.context.facts
        for name, (low, high) in self.ranges.items():
            facts = facts.with_bounds(name, low, high)
        atoms = Atoms(facts)
        return interval(normal(self.context.image(opened(e, self.context)), atoms), atoms)

    def symbol(self, low: int, high: int | None) -> SymVar:
        name = f"'bits{len(self.ranges)}"
        self.ranges[name] = low, high
        return SymVar(name, INT)


def empty(low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and low > high
