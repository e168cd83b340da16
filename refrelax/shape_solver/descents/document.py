"""A recorded descent as a file: its format, and whether every step follows.

A record is JSON: ``globals`` (the symbols of the entry, by sort), ``known`` (what is taken for granted of them),
``table`` (tensors and terms), ``certificates``, ``contexts``, ``steps``, and ``results``: pairs of tensors, each with
the step that compares their elements, or of integers.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from refrelax.shape_solver.checker.document import TOO_DEEP
from refrelax.shape_solver.checker.terms import Rejected, expect, shown
from refrelax.shape_solver.descents.claims import Certificates, Known, Shown, assumed
from refrelax.shape_solver.descents.steps import Inference, Steps, _One
from refrelax.shape_solver.descents.terms import Table

FORMAT = "refrelax-descent"
VERSION = 1
FIELDS = {
    "format", "version", "globals", "known", "table", "certificates", "contexts", "steps", "results", "relaxations",
}  # fmt: skip
SORTS = ("int", "bool")


@dataclass(frozen=True, slots=True)
class Finding:
    """``rejected``: why a record is wrong; else how many ``steps`` and ``results`` follow, by which ``relaxations``."""

    rejected: str = ""
    results: int = 0
    steps: int = 0
    certificates: int = 0
    relaxations: tuple[str, ...] = ()


def examine(document: Any) -> Finding:
    """Whether every step of a record follows, and every result is one of them."""
    try:
        return _examined(document)
    except Rejected as error:
        return Finding(rejected=str(error))
    except RecursionError:
        return Finding(rejected=TOO_DEEP)


def _examined(document: Any) -> Finding:
    expect(isinstance(document, dict) and set(map(str, document)) == FIELDS, "a record of a descent", document)
    expect(document["format"] == FORMAT, f"the format {FORMAT}", document["format"])
    version = document["version"]
    expect(type(version) is int and version == VERSION, f"version {VERSION} of the format", version)
    globals_, lists = document["globals"], ("known", "certificates", "contexts", "steps", "results", "relaxations")
    for each in lists:
        expect(isinstance(document[each], list), f"a list of {each}", document[each])
    good = isinstance(globals_, dict) and all(sort in SORTS for sort in globals_.values())
    expect(good, "the sorts of the globals", globals_)
    table = Table(globals_)
    table.read(document["table"])
    base = assumed(table, Known(frozenset(), frozenset()), map(table.truth, document["known"]))
    expect(not base.names, "claims about globals", sorted(base.names))
    certificates = Certificates(table, document["certificates"], {})
    steps = Steps(table, base, certificates)
    for facts in document["contexts"]:
        expect(isinstance(facts, list), "a list of facts", facts)
        steps.contexts.append(assumed(table, base, map(table.truth, facts)))
    for place, row in enumerate(document["steps"]):
        try:
            steps.check(row)
        except Rejected as error:
            raise Rejected(f"step {place}: {error}") from None
    expect(len(document["results"]) > 0, "a result", document["results"])
    for row in document["results"]:
        _result(row, steps)
    expect(
        sorted(steps.relaxations) == document["relaxations"],
        f"the relaxations {sorted(steps.relaxations)}",
        document["relaxations"],
    )
    return Finding(
        "", len(document["results"]), len(steps.done), len(certificates.confirmed), tuple(document["relaxations"])
    )


def _result(row: Any, steps: Steps) -> None:
    """What a record is for: two tensors, whose shapes are equal and whose elements a step compares; two integers; two
    elements; an element that is never poison."""
    table = steps.table
    match row:
        case {"claims": [*rows], **parts}:
            claims = [steps.certificates.instance(each) for each in rows]
        case _:
            raise Rejected(f"expected a result, found {shown(row)}")
    rest: dict[Any, Any] = {**parts}
    one = _One(steps, Inference(steps.base, 0, 0), Shown(table, claims))
    match rest:
        case {"first": first, "second": second, "variables": names, "step": step, **none} if not none:
            a, b = table.tensors[table.tensor(first)], table.tensors[table.tensor(second)]
            expect(a.dtype == b.dtype and len(a.shape) == len(b.shape), "one dtype and rank", (a.dtype, b.dtype))
            for d, e in zip(a.shape, b.shape, strict=True):
                one.shown.equal(d, e, steps.base)
            if first != second:
                one.everywhere(first, second, names, step)
        case {"integers": [x, y], **none} if not none:
            one.shown.equal(table.integer(x), table.integer(y), steps.base)
        case {"elements": [x, y], "under": under, "step": step, **none} if not none:
            one.premise(step, table.element(x), table.element(y), steps.context(under))
        case {"never poison": t, "under": under, **none} if not none:
            expect(one.never(table.element(t), steps.context(under)), "an element that is never poison", table.nodes[t])
        case _:
            raise Rejected(f"expected a result, found {shown(row)}")
