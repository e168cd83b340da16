"""Claims: what a rewrite rests on, asked once and kept.

A ``Ledger`` belongs to one run of one pass. ``holds`` asks the shape solver and writes the claim down with its
answer, so that the evidence of a lowering is a list a person can read and a solver can check again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from refrelax.errors import Span
from refrelax.lower.extent_parts import Question
from refrelax.shape_solver import Proved, Refuted, Unknown
from refrelax.shape_solver.prover import Prover
from refrelax.shape_solver.size import total
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm, walk

MAX_NODES = 1_000
"""Nodes of one claim and what it is asked under: what a claim may cost grows faster than this. More is left alone."""

Answer = Proved | Refuted | Unknown


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement over symbolic integers and what the solver said.

    ``rule``: what the statement is for (``lo/…``); ``where``: the function and binding (or kernel) it is about;
    ``fits``: the dtype whose range every step must stay in, when the no-overflow obligation is part of it.
    """

    rule: str
    where: str
    statement: PrimExpr
    assumptions: tuple[PrimExpr, ...]
    answer: Answer
    fits: str | None = None
    span: Span | None = field(default=None, compare=False)

    @property
    def proved(self) -> bool:
        return isinstance(self.answer, Proved)

    def __str__(self) -> str:
        from refrelax.syntax.write.scalars import SHOWN, expression

        given = ", ".join(expression(a, SHOWN) for a in self.assumptions)
        verdict = type(self.answer).__name__.upper()
        under = f"  given {given}" if given else ""
        steps = f", every step in {self.fits}" if self.fits else ""
        return f"{verdict}  {self.where}: {expression(self.statement, SHOWN)}{steps}{under}  [{self.rule}]"


@dataclass(slots=True)
class Ledger:
    """The claims of one pass, in the order in which they were asked. ``effort`` is the solver's; ``done``: what
    the pass did, in words; ``left``: the functions that it could do nothing about, each with why."""

    effort: str = "normal"
    claims: list[Claim] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)
    _provers: dict[tuple[tuple[PrimExpr, ...], str | None, str], Prover] = field(default_factory=dict)

    def holds(
        self,
        statement: PrimExpr,
        rule: str,
        where: str,
        assume: Iterable[PrimExpr] = (),
        fits: str | None = None,
        span: Span | None = None,
        first: Iterable[Question] = (),
    ) -> bool:
        """Whether the statement is proved for all values of its symbols under ``assume``; the claim is kept either
        way.

        ``first``: questions of which each implies the claim. They are tried before it, with little effort.
        """
        given = tuple(assume)
        for each in first:
            answer = self._answer(each.statement, each.given, fits, "quick")
            if isinstance(answer, Proved):
                break
        else:
            answer = self._answer(statement, given, fits, self.effort)
        self.claims.append(Claim(rule, where, statement, given, answer, fits, span))
        return isinstance(answer, Proved)

    def apart(self) -> Ledger:
        """An empty ledger for a rewrite that may be dropped; it knows the answers of this one."""
        return Ledger(self.effort, _provers=self._provers)

    def known(self, statement: PrimExpr, assume: Iterable[PrimExpr], fits: str | None = None) -> bool:
        """Whether the statement is proved with little effort. Nothing is kept: whoever relies on it claims it."""
        return isinstance(self._answer(statement, tuple(assume), fits, "quick"), Proved)

    def _answer(self, statement: PrimExpr, given: tuple[PrimExpr, ...], fits: str | None, effort: str) -> Answer:
        size = total((statement, *given))[0]
        if size > MAX_NODES:
            return Unknown(f"more than {MAX_NODES} nodes for one claim of a lowering", "size")
        prover = self._provers.get((given, fits, effort))
        if prover is None:
            prover = Prover(given, effort, fits, arithmetic="no-overflow")  # type: ignore[arg-type]
            self._provers[given, fits, effort] = prover
        return prover.prove(statement)

    @property
    def unproved(self) -> int:
        return sum(not claim.proved for claim in self.claims)


# --- statements ------------------------------------------------------------------------------------------------------


def eq(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a == b``."""
    return Binary("EQ", a, b)


def le(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a <= b``."""
    return Binary("LE", a, b)


def lt(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a < b``."""
    return Binary("LT", a, b)


def both(*statements: PrimExpr) -> PrimExpr:
    """All of them (at least one)."""
    result = statements[0]
    for each in statements[1:]:
        result = Binary("And", result, each)
    return result


def within(index: PrimExpr, low: PrimExpr, high: PrimExpr) -> PrimExpr:
    """``low <= index < high``."""
    return both(le(low, index), lt(index, high))


def nonnegative(*expressions: PrimExpr) -> tuple[PrimExpr, ...]:
    """``s >= 0`` for every symbol of the expressions: what is known of extents."""
    found: dict[str, SymVar] = {}
    for each in expressions:
        for node in walk(each):
            if isinstance(node, SymVar) and node.name in free_symbols(each):
                found.setdefault(node.name, node)
    return tuple(Binary("GE", v, int_imm(0, v.dtype)) for v in found.values())
