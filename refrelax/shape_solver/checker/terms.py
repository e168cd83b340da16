"""Questions as a certificate states them: typed terms, their sorts, and the bounds on what is read at all.

A question is JSON::

    {"symbols": ["int" | "bool", …], "assumptions": [b, …], "claim": b, "fits": dtype | null,
     "division": "assume" | "require"}

with terms of two sorts, ideal integers and truths; ``["sym", k]`` is the symbol number ``k``:

* ``t``: ``["const", z]``, ``["sym", k]``, ``["wrap", dtype, t]``, ``["abs", t]``, ``["not", t]`` (bitwise),
  ``["select", b, t, t]`` and ``[operator, t, t]`` for the operators of ``BINARY``;
* ``b``: ``["true"]``, ``["false"]``, ``["sym", k]``, ``["not", b]``, ``["select", b, b, b]``, ``[connective, b, b]``
  for those of ``CONNECTIVES``, and ``[comparison, t, t]`` for those of ``COMPARISONS``.

``wrap`` alone knows a width. Nothing else of the checker looks at a question that ``Question.read`` has not accepted.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Term: TypeAlias = Any
"""A term that was read: nested lists."""

Sort: TypeAlias = Literal["int", "bool"]

DIVISIONS = ("floordiv", "floormod", "truncdiv", "truncmod")
SHIFTS = ("shl", "shr")
BINARY = ("add", "sub", "mul", *DIVISIONS, "min", "max", *SHIFTS, "and", "or", "xor")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
CONNECTIVES = ("and", "or", "implies", "iff")

MAX_NODES = 50_000
"""Nodes of one question."""

MAX_DEPTH = 200
"""Nesting of one term."""

MAX_BITS = 8_192
"""Bits of an integer that a certificate spells out."""

MAX_SHIFT = 4_096
"""A shift of something else than 0 by more is not worked out."""


class Rejected(ValueError):
    """What was expected of a certificate, and what was found."""


class Fuel:
    """Work that one certificate may still cost; counted, never timed."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, cost: int = 1) -> None:
        """Raises ``Rejected`` when the work is more than a certificate may cost."""
        self.left -= cost
        if self.left < 0:
            raise Rejected("expected a certificate that takes less work to check")


def expect(held: bool, expected: str, found: object) -> None:
    if not held:
        raise Rejected(f"expected {expected}, found {shown(found)}")


def shown(found: object) -> str:
    """``found`` on one short line, whatever it is."""
    try:
        return repr(found)[:200]
    except (RecursionError, ValueError):  # nested without end, or an integer of thousands of digits
        return type(found).__name__


def integer(number: Any) -> int:
    """An integer that is one (no truth, no float) and not too long."""
    if type(number) is not int or number.bit_length() > MAX_BITS:
        found = f"one of {number.bit_length()} bits" if type(number) is int else shown(number)
        raise Rejected(f"expected an integer of at most {MAX_BITS} bits, found {found}")
    return number


def dtype_range(dtype: Any) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype."""
    found = re.fullmatch(r"(u?)int([1-9][0-9]{0,2})", dtype) if isinstance(dtype, str) else None
    if found is None:
        raise Rejected(f"expected an integer dtype, found {shown(dtype)}")
    width = int(found[2])
    return (0, (1 << width) - 1) if found[1] else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose terms have the sorts that they should."""

    symbols: tuple[Sort, ...]
    assumptions: tuple[Term, ...]
    claim: Term
    fits: tuple[int, int] | None = None
    require: bool = False
    dtype: str = ""
    """The dtype of ``fits``."""
    nodes: Fuel = field(default_factory=lambda: Fuel(MAX_NODES), compare=False, repr=False)
    """How many nodes more are looked at, in all terms of one certificate together."""

    @staticmethod
    def read(given: Any) -> Question:
        """The question in ``given``.

        Raises:
            Rejected: it is none, or larger than what is checked.
        """
        match given:
            case {
                "symbols": [*sorts],
                "assumptions": [*assumptions],
                "claim": claim,
                "fits": fits,
                "division": division,
            }:
                expect(len(given) == 5, "five fields of a question", sorted(map(str, given)))
            case _:
                raise Rejected("expected a question: symbols, assumptions, claim, fits and division")
        expect(all(isinstance(each, str) and each in ("int", "bool") for each in sorts), "sorts", sorts)
        expect(len(sorts) <= MAX_NODES, f"at most {MAX_NODES} symbols", len(sorts))
        expect(division in ("assume", "require"), "division: assume or require", division)
        span = None if fits is None else dtype_range(fits)
        expect(span is None or span[0] <= 0 < 1 <= span[1], "a dtype that holds 0 and 1", fits)
        found = Question(tuple(sorts), tuple(assumptions), claim, span, division == "require", fits or "")
        for each in (*assumptions, claim):
            found.well_formed(each, "bool")
        return found

    def well_formed(self, e: Any, sort: Sort) -> None:
        """That ``e`` is a term of ``sort`` over the symbols of this question."""
        _Sorts(self.symbols, self.nodes).check(e, sort, MAX_DEPTH)


@dataclass(slots=True)
class _Sorts:
    symbols: tuple[Sort, ...]
    nodes: Fuel

    def check(self, e: Any, sort: Sort, depth: int) -> None:
        """That ``e`` is a term of ``sort``."""
        self.nodes.spend()
        expect(depth > 0, f"at most {MAX_DEPTH} levels", "more")
        if not isinstance(e, list) or not e or not isinstance(e[0], str):
            raise Rejected(f"expected a term, found {shown(e)}")
        for part, needed in self.parts(e, sort):
            self.check(part, needed, depth - 1)

    def parts(self, e: list[Any], sort: Sort) -> list[tuple[Any, Sort]]:
        """The terms in ``e`` and the sorts they must have."""
        match e:
            case ["sym", number]:
                known = type(number) is int and 0 <= number < len(self.symbols) and self.symbols[number] == sort
                expect(known, f"the number of a symbol of sort {sort}", e)
                return []
            case ["select", c, a, b]:
                return [(c, "bool"), (a, sort), (b, sort)]
            case ["not", a]:
                return [(a, sort)]
        return self.integers(e) if sort == "int" else self.truths(e)

    def integers(self, e: list[Any]) -> list[tuple[Any, Sort]]:
        match e:
            case ["const", number]:
                integer(number)
                return []
            case ["wrap", dtype, a]:
                dtype_range(dtype)
                return [(a, "int")]
            case ["abs", a]:
                return [(a, "int")]
            case [op, a, b] if op in BINARY:
                return [(a, "int"), (b, "int")]
        raise Rejected(f"expected an integer, found {shown(e)}")

    def truths(self, e: list[Any]) -> list[tuple[Any, Sort]]:
        match e:
            case ["true"] | ["false"]:
                return []
            case [op, a, b] if op in COMPARISONS:
                return [(a, "int"), (b, "int")]
            case [op, a, b] if op in CONNECTIVES:
                return [(a, "bool"), (b, "bool")]
        raise Rejected(f"expected a truth, found {shown(e)}")
