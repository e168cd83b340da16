"""The certificate as a file: its format, and what of it can be checked without a solver.

Spec: ``spec/06b-solver.md``, ``sh/certificate``, ``sh/certificate-log``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.points import counterexample
from refrelax.shape_solver.checker.script import script
from refrelax.shape_solver.checker.terms import Question, Rejected, expect, shown
from refrelax.shape_solver.checker.words import display, readable, truth

FORMAT = "refrelax-certificate"
VERSION = 2
FIELDS = {"format", "version", "question", "names", "stages", "evidence"}
MAX_BYTES = 16_000_000
TOO_DEEP = "expected a certificate that is nested less deeply"


@dataclass(frozen=True, slots=True)
class Finding:
    """``by``: who confirms it. ``rejected``: why it is wrong. ``script``: what a solver has to find ``unsat``."""

    by: str = ""
    rejected: str = ""
    script: str = ""


def load(text: str) -> Any:
    """The JSON in ``text``: keys that are unique, numbers that are integers.

    Raises:
        ValueError: it is none.
    """
    expect(len(text) <= MAX_BYTES, f"at most {MAX_BYTES} characters", len(text))
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_float=_no_integer, parse_constant=_no_integer)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    expect(len(found) == len(pairs), "each key once", [key for key, _ in pairs])
    return found


def _no_integer(text: str) -> Any:
    raise Rejected(f"expected integers only, found {shown(text)}")


def asked(document: Any) -> Question:
    """The question of a certificate.

    Raises:
        Rejected: it is no certificate of this format.
    """
    expect(isinstance(document, dict), "a certificate: format, version, question and evidence", document)
    expect(document.get("format") == FORMAT, f"the format {FORMAT}", document.get("format"))
    version = document.get("version")
    expect(type(version) is int and version == VERSION, f"version {VERSION} of the format", version)
    expect(
        not set(map(str, document)) - FIELDS, f"no fields but {', '.join(sorted(FIELDS))}", sorted(map(str, document))
    )
    return Question.read(document.get("question"))


def examine(document: Any) -> Finding:
    """What the checker says of a certificate: confirmed, rejected, or a question for a solver."""
    try:
        return _examined(document, asked(document))
    except Rejected as error:
        return Finding(rejected=str(error))
    except RecursionError:
        return Finding(rejected=TOO_DEEP)


def _examined(document: Any, question: Question) -> Finding:
    match document.get("evidence"):
        case {"kind": "log", **log}:
            verdict = check(document["question"], log)
            place = ".".join(str(number) for number in verdict.place) or "none"
            return Finding("checker") if verdict.accepted else Finding(rejected=f"step {place}: {verdict.reason}")
        case {"kind": "points", **rest} if not rest:
            point = counterexample(question)
            if point is None:
                return Finding("enumeration")
            names = display(question, document.get("names"))
            return Finding(rejected=f"the claim fails at {' '.join(f'{n}={v}' for n, v in zip(names, point))}")
        case {"kind": "smt2", "script": str() as text, **rest} if not rest:
            own = script(question)
            return Finding(script=own) if text == own else Finding(rejected="the script is not that of the question")
        case found:
            raise Rejected(f"expected evidence: a log, points, or a script, found {shown(found)}")


def decoded(document: Any) -> dict[str, Any]:
    """The question of a certificate, read back from the file: ``claim`` and ``assumptions`` in the syntax of claims,
    ``fits`` (a dtype or ``None``) and ``division``.

    Raises:
        Rejected: there is none.
    """
    question = asked(document)
    names = display(question, document.get("names"))
    return {
        "claim": truth(question.claim, names),
        "assumptions": [truth(each, names) for each in question.assumptions],
        "fits": question.dtype if question.fits is not None else None,
        "division": "require" if question.require else "assume",
    }


def question_said(document: Any) -> str:
    """The question of a certificate in the syntax of claims: what is certified, read back from the file.

    Raises:
        Rejected: there is none.
    """
    return readable(asked(document), document.get("names"))
