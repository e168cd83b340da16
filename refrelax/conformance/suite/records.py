"""A case as the record that is exported: what is asked of an implementation, and everything that a judge needs.

What a case leaves to a run of the definition (the result, the permitted sets, final arguments, effects, deduced types)
is computed here once and written down, so that whoever judges by the record runs nothing.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from refrelax import api
from refrelax.conformance import data
from refrelax.conformance.cases import REJECTIONS, Case
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.suite import values
from refrelax.conformance.suite.deduced import Types, required_of, types_of
from refrelax.errors import Rejection, Returned
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.json_ import from_json, to_json
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module

Record = dict[str, Any]

PROFILES = {
    "syntax": "which texts and trees are modules",
    "static": "which modules are well-formed and well-typed, and the types of their bindings",
    "graph": "running graph-level functions",
    "loops": "running loop-level functions, on one thread",
    "gpu": "running loop-level functions with threads",
    "vm": "explicit storage and the virtual machine's library",
    "shapes": "claims over integers",
}
"""What an implementation may say that it has."""

REFUSED = tuple(each for each in REJECTIONS if each != "Unlinkable")
"""Ends of a case whose module is refused before anybody looks for what it needs."""

READINGS = ("ieee", "sampled")
"""Readings under which a run says something of any implementation."""


def exported(cases: Iterable[Case]) -> Iterator[Record]:
    """The records of all cases that say something of any implementation; of cases that ask the same, the first, which
    names the others, where there are any (``also``)."""
    first: dict[str, Record] = {}
    for case in cases:
        if not asks_anybody(case):
            continue
        record = record_of(case)
        asked = json.dumps([value for key, value in record.items() if key not in ABOUT], sort_keys=True)
        if asked in first:
            first[asked].setdefault("also", []).append(case.name)
        else:
            first[asked] = record
    yield from first.values()


ABOUT = ("name", "also", "rule", "verdict", "hash")
"""What a record says of the case, and not of what is asked."""


def asks_anybody(case: Case) -> bool:
    """Whether a case says something of any implementation: no pair of programs, no reading of ours."""
    if case.question is not None:
        return case.question.becomes is None
    by_reading = case.manner.numerics in READINGS and not case.manner.check_regions
    return case.second is None and case.remarks is None and by_reading


def record_of(case: Case) -> Record:
    """The record of one case."""
    record: Record = {
        "name": case.name, "rule": case.rule, "verdict": case.verdict, "expect": str(case.expect),
    }  # fmt: skip
    if case.question is not None:
        q = case.question
        asked = {"claim": q.claim, "assume": list(q.assume), "fits": q.fits, "division": q.division}
        return _sealed({**record, "profile": "shapes", "ask": "prove", **asked})
    runs = case.entry is not None and case.expect.kind not in REFUSED
    record |= {
        "ask": "run" if runs else "check",
        "module": case.module or None,
        **_repeat(case),
        "tree": None,
        "constants": [],
    }
    try:
        module = _read(case)
    except Rejection:
        if case.json is not None:
            record["tree"] = case.json  # as text: what is wrong with it may be what a reader of JSON forgets
        return _sealed({**record, "profile": "syntax"})
    record["tree"] = json.loads(to_json(module))
    record["constants"] = [values.to_json(data.to_value(each)) for each in case.constants]
    record["operators"] = sorted({n.op.name for f in module.functions.values() for n in nodes(f) if _is_operator(n)})
    try:
        checked = api.check(module)
    except Rejection:
        return _sealed({**record, **_required(module, None), "profile": "static"})
    record["types"] = types_of(checked)
    record |= _required(module, record["types"])
    if not runs:
        return _sealed({**record, "profile": "static"})
    return _sealed({**record, "profile": _profile(module, case), **_ran(case, checked)})


def _required(module: Module, types: Types | None) -> Record:
    """What an implementation may say that shows no more than it must, where that is something else."""
    found = required_of(module, types)
    return {"required": found} if found else {}


def _repeat(case: Case) -> Record:
    """A module that repeats one text: the mark, the text and how often it stands in the mark's place."""
    if case.repeated is None:
        return {}
    module, *repeat = case.repeated
    return {"module": module, "repeat": repeat}


def text_of(record: Record) -> str | None:
    """The text of a record's module, its repetition written out."""
    text: str | None = record["module"]
    if text is None or "repeat" not in record:
        return text
    mark, copied, count = record["repeat"]
    return text.replace(mark, copied * count)


def _is_operator(node: object) -> bool:
    return isinstance(node, Call) and isinstance(node.op, Op)


def _read(case: Case) -> Module:
    module = from_json(case.json) if case.json is not None else api.parse(case.module, filename=case.place)
    return api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants)))) if case.constants else module


def _ran(case: Case, checked: CheckedModule) -> Record:
    """Arguments, and how the run ends: the definition's own result, and what is permitted in its place."""
    entry = case.entry or "main"
    found: Record = {"entry": entry, "args": [_argument(each) for each in case.args]}
    if case.expect.kind != "Returned":
        return found
    ended, permitted = (
        api.run(checked, entry, *map(data.to_value, case.args), externs=LIBRARY, numerics=reading, typed=True)
        for reading in ("ieee", "enclosure")
    )
    assert isinstance(ended, Returned), f"{case.place}: {ended}"
    effects = [{"kind": e.kind, "name": e.name, "payload": list(map(values.to_json, e.payload))} for e in ended.effects]
    found |= {
        "value": values.told(ended.value),
        "arguments": values.by_bits(list(map(values.told, ended.arguments))),
    }
    found |= {"effects": effects, "permitted": None}
    if isinstance(permitted, Returned) and not isinstance(permitted.value, Interval):
        sets = {
            "value": values.permitted_to_json(permitted.value),
            "arguments": list(map(values.permitted_to_json, permitted.arguments)),
            "effects": [list(map(values.permitted_to_json, each.payload)) for each in permitted.effects],
        }
        own = {**found, "effects": [each["payload"] for each in effects]}
        found["permitted"] = {name: values.brief(each, own[name]) for name, each in sets.items()}
    return found


def _argument(spec: Any) -> Any:
    """An argument; a bare number stays one, also where it is no integer: the parameter says of which dtype it is."""
    match spec:
        case list():
            return [_argument(each) for each in spec]
        case float() if math.isfinite(spec):
            return spec
        case _:
            return values.to_json(data.to_value(spec))


GPU = ("T.launch_thread", "thread=", "T.thread_binding", '"LaunchThread"', '"thread":"')
VM = ("vm.builtin.", "R.memory.", "R.vm.", "R.builtin.")


def _profile(module: Module, case: Case) -> str:
    """The least profile that an implementation needs to run a case."""
    text = case.module or to_json(module)
    if any(each in text for each in VM):
        return "vm"
    loops = [f for f in module.functions.values() if isinstance(f, PrimFunc)]
    return "graph" if not loops else "gpu" if any(each in text for each in GPU) else "loops"


def _sealed(record: Record) -> Record:
    """The record with a hash of what it says, so that two editions can be told apart case by case."""
    return {**record, "hash": hash_of(record)}


def hash_of(record: Record) -> str:
    """The hash of all that a record says, but for itself and the other names of the case."""
    said = {k: v for k, v in record.items() if k not in ("also", "hash")}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
