"""Comparing the terms of two programs: equal as they stand, or equal under named relaxations that are on.

Terms have a normal form: neutral items of reductions left out where that changes no bit, operands of commutative
operations ordered. A reduction of the second program that feeds another may be one with it, since the first program's
reduction permits any grouping of its items; the other way round that is ``reassociation``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from refrelax.judge.zero_signs import crossed
from refrelax.semantics.numbers.bounds import EXTREME_IDENTITY, REASSOCIATION, ZERO_SIGN
from refrelax.semantics.numbers.symbolic import COMMUTES, START, Symbolic, Term
from refrelax.semantics.values import TensorValue
from refrelax.syntax import bits


class TermComparison:
    """One comparison of two programs under one ``Symbolic`` reading. ``relaxations`` collects what was needed;
    ``results``: how many elements of each result were compared; ``open``: those that the first leaves open, by rule."""

    def __init__(self, reading: Symbolic, relax: frozenset[str] = frozenset()) -> None:
        self.reading = reading
        self.relaxations: set[str] = set()
        self.results: dict[str, int] = {}
        self.open: Counter[str] = Counter()
        self._plain = Form(reading)
        self._merged = Form(reading, merge=True)
        self._relaxed = Form(reading, relax, merge=REASSOCIATION in relax)
        self._relaxed_merged = Form(reading, relax, merge=True)

    @property
    def compared(self) -> int:
        """How many elements of results were compared."""
        return sum(self.results.values())

    def values(self, a: tuple[Any, list[Any]], b: tuple[Any, list[Any]]) -> bool:
        """Whether the results and final arguments of two runs are equal; what the first leaves open is skipped. Only
        arguments that some run changed count as results."""
        pairs = [
            ("the result", a[0], b[0]),
            *((f"argument {k}", x, y) for k, (x, y) in enumerate(zip(a[1], b[1], strict=True))),
        ]
        return all(self._value(name, x, y) for name, x, y in pairs)

    def _value(self, name: str, a: Any, b: Any) -> bool:
        if isinstance(a, tuple | list):
            same = isinstance(b, tuple | list) and len(a) == len(b)
            return same and all(self._value(f"{name}[{k}]", x, y) for k, (x, y) in enumerate(zip(a, b, strict=True)))
        if not isinstance(a, TensorValue):
            if a is not None and name == "the result":
                self.results[name] = 1
            return bool(a == b) and not crossed(a, b)
        if not isinstance(b, TensorValue) or (a.dtype, a.shape) != (b.dtype, b.shape):
            return False
        return all(self._elements(name, a, b))

    def _elements(self, name: str, a: TensorValue, b: TensorValue) -> Iterator[bool]:
        argument = name.startswith("argument")
        if not argument:
            self.results.setdefault(name, 0 if 0 not in a.shape else 1)
        for x, y in zip(a.payloads(), b.payloads(), strict=True):
            if argument and x is y and isinstance(x, Term) and x.op == "var":
                continue  # as it was
            self.results.setdefault(name, 0)
            rule = self.reading.poison_rule(x)
            if rule is not None:
                self.open[rule] += 1
                continue
            self.results[name] += 1
            yield self.equal(x, y)

    def equal(self, x: Any, y: Any) -> bool:
        """Whether two payloads are equal for all values of the variables: the second is what the first permits."""
        if not (isinstance(x, Term) and isinstance(y, Term)):
            return self._same(x, y)
        if x is y or self._plain.of(x)[0] is self._plain.of(y)[0] or self._plain.of(x)[0] is self._merged.of(y)[0]:
            return True
        for form in (self._relaxed, self._relaxed_merged):
            (ours, needed), (theirs, more) = self._relaxed.of(x), form.of(y)
            if ours is theirs:
                self.relaxations |= needed | more
                return True
        return False

    def _same(self, x: Any, y: Any) -> bool:
        if isinstance(x, float) and isinstance(y, float):
            return x.hex() == y.hex() or (x != x and y != y)
        return x is y or (type(x) is type(y) and isinstance(x, int | str) and x == y)


@dataclass(slots=True)
class Form:
    """Normal forms of terms, with the relaxations that each needed. ``merge``: reductions that feed one of the same
    operation are one with it."""

    reading: Symbolic
    relax: frozenset[str] = frozenset()
    merge: bool = False
    _known: dict[int, tuple[Any, frozenset[str]]] = field(default_factory=dict)

    def of(self, term: Any) -> tuple[Any, frozenset[str]]:
        """The normal form of a payload."""
        if not isinstance(term, Term) or term.op == "var":
            return term, frozenset()
        found = self._known.get(term.number)
        if found is None:
            found = self._known[term.number] = self._of(term)
        return found

    def _of(self, term: Term) -> tuple[Any, frozenset[str]]:
        parts = [self.of(each) for each in term.args]
        needed = frozenset(name for _, names in parts for name in names)
        op, args = term.op, tuple(each for each, _ in parts)
        if op == "neg":  # the same number, bit for bit
            op, args = "mul", (*args, -1.0 if term.dtype in bits.FORMATS else -1)
        if op.startswith((START, "Red.")):
            return self._reduction(term, op, args, needed)
        if op in COMMUTES:
            args = tuple(sorted(args, key=self.reading.rank))
        return self.reading.make(op, term.dtype, args), needed

    def _reduction(
        self, term: Term, op: str, args: tuple[Any, ...], needed: frozenset[str]
    ) -> tuple[Any, frozenset[str]]:
        real = term.dtype in bits.FORMATS
        if op.startswith(START) and ZERO_SIGN in self.relax:
            op, needed = op.replace(START, "Red.", 1), needed | {ZERO_SIGN}
        if op.startswith(START):
            return self.reading.make(op, term.dtype, (args[0], *sorted(args[1:], key=self.reading.rank))), needed
        if self.merge or not (real and op in ("Red.add", "Red.mul")):
            args = tuple(part for each in args for part in self._parts(op, term.dtype, each))
            if self.merge and REASSOCIATION in self.relax and len(args) > len(term.args):
                needed = needed | {REASSOCIATION}
        kept = tuple(each for each in args if not _neutral(op, each)) if real else args
        if EXTREME_IDENTITY in self.relax and op in ("Red.maximum", "Red.minimum") and real:
            last = float(bits.largest_finite(term.dtype))
            least = -last if op == "Red.maximum" else last
            fewer = tuple(each for each in kept if not (isinstance(each, float) and each == least))
            if len(fewer) < len(kept):
                kept, needed = fewer, needed | {EXTREME_IDENTITY}
        args = tuple(sorted(kept or args, key=self.reading.rank))
        extreme = real and op in ("Red.maximum", "Red.minimum")  # of a NaN alone it permits more than the NaN
        if len(args) == 1 and not extreme and (op != "Red.add" or not real or ZERO_SIGN in self.relax):
            return args[0], needed | ({ZERO_SIGN} if op == "Red.add" and real else frozenset())
        return self.reading.make(op, term.dtype, args), needed

    def _parts(self, op: str, dtype: str, each: Any) -> tuple[Any, ...]:
        return each.args if isinstance(each, Term) and (each.op, each.dtype) == (op, dtype) else (each,)


def _neutral(op: str, each: Any) -> bool:
    """Whether an item changes no bit of a float reduction: of a sum, which starts from +0, either zero."""
    if not isinstance(each, float):
        return False
    match op:
        case "Red.add":
            return each == 0.0
        case "Red.mul":
            return each == 1.0
        case "Red.maximum":
            return each == float("-inf")
        case "Red.minimum":
            return each == float("inf")
        case _:
            return False
