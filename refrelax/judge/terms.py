"""Comparing the terms of two programs: equal as they stand, or equal under named relaxations, which are noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.semantics.numbers.symbolic import Term
from refrelax.semantics.values import Tensor
from refrelax.syntax import bits

EXTREME_IDENTITY = "extreme-identity"


class TermComparison:
    """One comparison of two programs under one ``Symbolic`` reading; ``relaxations`` collects what was needed."""

    def __init__(self) -> None:
        self.relaxations: set[str] = set()
        self._known: dict[tuple[int, int], bool] = {}

    def values(self, a: Any, b: Any, is_open: Callable[[Any], bool]) -> bool:
        """Whether two results are equal; elements that ``is_open`` says the first program leaves open are skipped."""
        if isinstance(a, tuple | list):
            return (
                isinstance(b, tuple | list)
                and len(a) == len(b)
                and all(self.values(x, y, is_open) for x, y in zip(a, b, strict=True))
            )
        if isinstance(a, Tensor):
            if not isinstance(b, Tensor) or (a.dtype, a.shape) != (b.dtype, b.shape):
                return False
            return all(is_open(x) or self.equal(x, y) for x, y in zip(a.payloads(), b.payloads(), strict=True))
        return bool(a == b)

    def equal(self, x: Any, y: Any) -> bool:
        """Whether two payloads are equal for all values of the variables."""
        if x is y:
            return True
        if isinstance(x, Term) and isinstance(y, Term):
            key = (x.number, y.number)
            if key not in self._known:
                self._known[key] = self._terms(x, y)
            return self._known[key]
        if isinstance(x, float) and isinstance(y, float):
            return x.hex() == y.hex()
        return type(x) is type(y) and isinstance(x, int | str) and x == y

    def _terms(self, x: Term, y: Term) -> bool:
        if (x.op, x.dtype) != (y.op, y.dtype):
            return False
        left, right = self._items(x), self._items(y)
        return len(left) == len(right) and all(map(self.equal, left, right))

    def _items(self, term: Term) -> tuple[Any, ...]:
        """The arguments; an extreme drops the finite number that its reduction started from."""
        if term.op in ("Red.maximum", "Red.minimum"):
            start = float(bits.largest_finite(term.dtype)) if term.dtype in bits.FORMATS else None
            if start is not None:
                wanted = -start if term.op == "Red.maximum" else start
                kept = tuple(each for each in term.args if not (isinstance(each, float) and each == wanted))
                if len(kept) < len(term.args):
                    self.relaxations.add(EXTREME_IDENTITY)
                return kept
        return term.args
