"""Checks a certificate with something that had no part in the proof.

Nothing here uses the normal form, the context or the stages. A small domain is enumerated with the evaluator that
defines the language (``semantics/dims/exact.py``; the prover has another one); everything else is the certificate's
SMT-LIB text, asked of Z3 where Z3 did not make the proof, and of cvc5.

Spec: ``spec/06-shapes.md``, ``sh/certificate``.
"""

from __future__ import annotations

import itertools

from refrelax.errors import Ended
from refrelax.rules import rule
from refrelax.semantics.dims.exact import value
from refrelax.shape_solver import replay, z3_
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.claim import Query
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int

MAX_POINTS = 500_000
RESOURCES = 8_000_000
"""What Z3 may spend on one script."""


@rule("sh/certificate")
def certify(certificate: Certificate, milliseconds: int = 2_000) -> str | None:
    """Who confirms the proof: ``"enumeration"``, ``"z3"``, ``"cvc5"``; ``None`` if nobody does.

    Raises:
        AssertionError: somebody found a counterexample. That is a bug of the prover, never a verdict on the claim.
    """
    made_by = certificate.stages[-1].name if certificate.stages else ""
    if made_by in ("all points", "assumptions") and enumerated(certificate.query):
        return "enumeration"
    script = certificate.smt2()
    if z3_.AVAILABLE and not made_by.startswith("z3"):
        if z3_.replay(script, RESOURCES) == "unsat":
            return "z3"
    if replay.AVAILABLE and replay.replay(script, milliseconds) == "unsat":
        return "cvc5"
    return None


def enumerated(query: Query) -> bool:
    """Whether every point that the assumptions' plain bounds leave confirms the claim; ``False`` if too many."""
    if query.fits is not None:
        return False
    names = list(query.symbols())
    ranges = [_range(name, query) for name in names]
    total = 1
    for each in ranges:
        total *= len(each) if each is not None else MAX_POINTS + 1
    if total > MAX_POINTS:
        return False
    for point in itertools.product(*(each for each in ranges if each is not None)):
        env = dict(zip(names, point))
        if all(_holds(each, env) is True for each in query.assumptions):
            held = _holds(query.claim, env)
            fine = held is True or (held is None and query.division == "assume")
            assert fine, f"a proof is refuted at {env}"
    return True


def _holds(e: PrimExpr, env: dict[str, int]) -> bool | None:
    try:
        return bool(value(e, env))
    except Ended:
        return None


def _range(name: str, query: Query) -> range | None:
    """The values that comparisons of the bare symbol with literals leave."""
    if query.symbols()[name] == "bool":
        return range(2)
    low: int | None = None
    high: int | None = None
    for e in _conjuncts(query.assumptions):
        for op, a, b in ((e.op, e.a, e.b), (_MIRRORED.get(e.op, ""), e.b, e.a)):
            bound = as_int(b)
            if not (isinstance(a, SymVar) and a.name == name) or bound is None:
                continue
            if op in ("GE", "GT", "EQ"):
                least = bound + (op == "GT")
                low = least if low is None else max(low, least)
            if op in ("LE", "LT", "EQ"):
                greatest = bound - (op == "LT")
                high = greatest if high is None else min(high, greatest)
    return None if low is None or high is None else range(low, high + 1)


_MIRRORED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "EQ"}


def _conjuncts(parts: tuple[PrimExpr, ...]) -> list[Binary]:
    found: list[Binary] = []
    pending = list(parts)
    while pending:
        e = pending.pop()
        if isinstance(e, Binary) and e.op == "And":
            pending += [e.a, e.b]
        elif isinstance(e, Binary):
            found.append(e)
    return found
