"""Evidence for a proof that somebody else can check.

``Certificate.document()`` is what ``refrelax prove --certificate`` writes: the question and, as evidence, a log of rule
instances for the checker (``checker/check.py``), or "these are few points", or a script for a solver. The log is made
when it is asked for.

``Certificate.smt2()`` is the question itself, not a transcript of how it was answered: assumptions, and the claim
defined and false, written straight from the expression in SMT-LIB 2 (quantifier-free nonlinear integers). Any solver
that answers ``unsat`` confirms the proof.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.axioms import Node
from refrelax.shape_solver.claim import Effort, Query, Stage
from refrelax.shape_solver.defined import obligation
from refrelax.shape_solver.encode import Plain, settled
from refrelax.spelled import decimal

NO_NAMES: Mapping[str, str] = MappingProxyType({})


class NoCertificate(Exception):
    """A proof whose question no certificate can state: it is no integer arithmetic, or takes too much to check."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof of ``query`` and the stages that led to it."""

    query: Query
    stages: tuple[Stage, ...] = field(default=())
    names: Mapping[str, str] = field(default_factory=dict)
    """What the numbered symbols of ``query`` are called outside."""

    def called(self) -> list[str]:
        """What the symbols of the question are called outside, by number."""
        return [self.names.get(name, name) for name in self.query.symbols()]

    def document(self, effort: Effort = "normal") -> dict[str, Any]:
        """The certificate as JSON (``sh/certificate-log``). ``effort`` limits the search for a log; where none is
        found, the evidence is points or a script.

        Raises:
            NoCertificate: no certificate can state the question, or it would take too much to check.
        """
        from refrelax.shape_solver.checker.terms import Rejected
        from refrelax.shape_solver.prooflog.translate import Untranslatable

        try:
            return document(self, effort)
        except (Rejected, Untranslatable) as error:
            raise NoCertificate(str(error)) from None

    def smt2(self) -> str:
        """The question in SMT-LIB 2: ``unsat`` means that the claim holds wherever it is defined."""
        return smt2(self.query, self.names)


@rule("sh/certificate")
def document(certificate: Certificate, effort: Effort = "normal") -> dict[str, Any]:
    """The certificate as JSON: a log where one is found, else few points, else a script."""
    # a proof that nobody asks to see loads none of this
    from refrelax.shape_solver.checker.document import FORMAT, VERSION
    from refrelax.shape_solver.checker.points import few
    from refrelax.shape_solver.checker.script import script
    from refrelax.shape_solver.checker.terms import Question
    from refrelax.shape_solver.prooflog.elaborate import LATER, SOON, prooflog
    from refrelax.shape_solver.prooflog.translate import question

    asked = question(certificate.query)
    read = Question.read(asked)
    decided = certificate.stages[-1].name if certificate.stages else ""
    points = few(read)
    try:
        log = None if decided == "all points" and points else prooflog(certificate.query, effort, SOON, decided)
        if log is None and not points:
            log = prooflog(certificate.query, effort, LATER, decided)
    except ValueError:  # a product that the checker would not read
        log = None
    if log is not None:
        evidence: dict[str, Any] = {"kind": "log", **log}
    elif points:
        evidence = {"kind": "points"}
    else:
        evidence = {"kind": "smt2", "script": script(read)}
    stages = [[stage.name, stage.outcome] for stage in certificate.stages]
    return {
        "format": FORMAT, "version": VERSION, "question": asked, "names": certificate.called(),
        "stages": stages, "evidence": evidence,
    }  # fmt: skip


@rule("sh/certificate")
def smt2(query: Query, names: Mapping[str, str] = NO_NAMES) -> str:
    """``query`` as an SMT-LIB 2 script that is unsatisfiable exactly if the claim holds. A symbol has its name
    outside if that is a plain identifier, else its number."""
    reading = Plain()
    claim = query.claim
    if query.fits is not None or query.division == "require":
        claim = obligation(claim, query.fits, query.division)
    formulas = [settled(each, True, reading) for each in query.assumptions]
    formulas.append(settled(claim, False, reading))
    symbols = query.symbols()
    if query.fits is not None:
        low, high = query.fits
        formulas += [f for name in symbols for f in (("<=", low, ("var", name)), ("<=", ("var", name), high))]
    formulas += reading.fresh.axioms
    for name, dtype in symbols.items():
        if dtype == "bool":
            formulas += [("<=", 0, ("var", name)), ("<=", ("var", name), 1)]
    found = dict.fromkeys(name for formula in formulas for name in _names(formula))
    called = {each: name if (name := names.get(each, each)).isidentifier() else f"{each}'" for each in symbols}
    called = {each: called.get(each, each) for each in found}
    lines = ["(set-logic ALL)", *(f"(declare-const |{called[name]}| Int)" for name in found)]
    lines += [f"(assert {_text(formula, called)})" for formula in formulas]
    return "\n".join([*lines, "(check-sat)", ""])


def _names(node: Node) -> list[str]:
    if not isinstance(node, tuple):
        return []
    if node[0] == "var":
        return [node[1]]
    return [name for part in node[1:] for name in _names(part)]


def _text(node: Node, called: Mapping[str, str]) -> str:
    match node:
        case bool():
            return "true" if node else "false"
        case int():
            return decimal(node) if node >= 0 else f"(- {decimal(-node)})"
        case ("var", name):
            return f"|{called[name]}|"
        case (("+" | "*" | "and" | "or") as op, single):
            return _text(single, called)
        case ("and",):
            return "true"
        case ("or",):
            return "false"
        case (op, *parts):
            return f"({op} {' '.join(_text(part, called) for part in parts)})"
    raise AssertionError(node)
