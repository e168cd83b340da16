"""Comparing the terms of two programs: equal as they stand, or equal under named relaxations, which are noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.semantics.numbers.symbolic import COMMUTES, Symbolic, Term
from refrelax.semantics.values import Tensor
from refrelax.syntax import bits

EXTREME_IDENTITY = "extreme-identity"


class TermComparison:
    """One comparison of two programs under one ``Symbolic`` reading; ``relaxations`` collects what was needed.

    Terms that are not one object are relaxed (rebuilt without what a relaxation permits to differ) and looked at again.
    """

    def __init__(self, reading: Symbolic) -> None:
        self.reading = reading
        self.relaxations: set[str] = set()
        self._relaxed: dict[int, Any] = {}

    def values(self, a: Any, b: Any, is_open: Callable[[Any], bool]) -> bool:
        """Whether two results are equal; elements that ``is_open`` says the first program leaves open are skipped."""
        if isinstance(a, tuple | list):
            same = isinstance(b, tuple | list) and len(a) == len(b)
            return same and all(self.values(x, y, is_open) for x, y in zip(a, b, strict=True))
        if isinstance(a, Tensor):
            if not isinstance(b, Tensor) or (a.dtype, a.shape) != (b.dtype, b.shape):
                return False
            return all(is_open(x) or self.equal(x, y) for x, y in zip(a.payloads(), b.payloads(), strict=True))
        return bool(a == b)

    def equal(self, x: Any, y: Any) -> bool:
        """Whether two payloads are equal for all values of the variables."""
        if isinstance(x, Term) and isinstance(y, Term):
            return x is y or self.relaxed(x) is self.relaxed(y)
        if isinstance(x, float) and isinstance(y, float):
            return x.hex() == y.hex()
        return x is y or (type(x) is type(y) and isinstance(x, int | str) and x == y)

    def relaxed(self, term: Any) -> Any:
        """A term without the finite starts of its extremes, inside as well; commutative operands ordered anew."""
        if not isinstance(term, Term) or term.op == "var":
            return term
        if term.number not in self._relaxed:
            args = tuple(self.relaxed(each) for each in self._kept(term))
            op = term.op
            if op == "neg":  # the same number, bit for bit
                op, args = "mul", (*args, -1.0 if term.dtype in bits.FORMATS else -1)
            if op in COMMUTES or op.startswith("Red."):
                args = tuple(sorted(args, key=self.reading.rank))
            alone = op.startswith("Red.") and len(args) == 1  # a reduction of one item is that item
            self._relaxed[term.number] = args[0] if alone else self.reading.make(op, term.dtype, args)
        return self._relaxed[term.number]

    def _kept(self, term: Term) -> tuple[Any, ...]:
        """The arguments; an extreme drops the finite number that its reduction started from."""
        if term.op not in ("Red.maximum", "Red.minimum") or term.dtype not in bits.FORMATS:
            return term.args
        last = float(bits.largest_finite(term.dtype))
        start = -last if term.op == "Red.maximum" else last
        kept = tuple(each for each in term.args if not (isinstance(each, float) and each == start))
        if len(kept) < len(term.args):
            self.relaxations.add(EXTREME_IDENTITY)
        return kept
