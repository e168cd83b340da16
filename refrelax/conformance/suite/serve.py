"""The definition itself, answering by the protocol: ``refrelax conformance serve``. It reads nothing but the requests.

Spec: ``spec/01-conformance.md``, *The protocol*.
"""

from __future__ import annotations

import json
import sys
from typing import IO, Any, cast

from refrelax import api
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.suite import values
from refrelax.conformance.suite.protocol import PROTOCOL
from refrelax.conformance.suite.records import PROFILES, types_of
from refrelax.errors import Exhausted, Rejection, Returned, Trapped, Unspecified, UsageError
from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.shape_solver.claim import Division
from refrelax.syntax.json_ import from_json
from refrelax.syntax.module import Module

Line = dict[str, Any]


def serve(requests: IO[str] = sys.stdin, answers: IO[str] = sys.stdout) -> None:
    """Answer every line until the end of input."""
    for line in requests:
        asked = json.loads(line)
        answers.write(json.dumps({"id": asked["id"], **answer(asked)}, separators=(",", ":")) + "\n")
        answers.flush()


def answer(asked: Line) -> Line:
    """The answer to one request, its number left out."""
    match asked["ask"]:
        case "hello":
            return {"protocol": PROTOCOL, "name": "refrelax", "profiles": [*PROFILES], "takes": "both"}
        case "prove":
            return _proved(asked)
        case "check" | "run":
            return _ran(asked)
        case other:
            return {"end": "unsupported", "why": f"a request to {other}"}


def _proved(asked: Line) -> Line:
    try:
        found = prove(asked["claim"], asked["assume"], fits=asked["fits"], division=cast(Division, asked["division"]))
    except Rejection as rejection:
        return {"end": "rejected", "why": str(rejection)}
    match found:
        case Proved():
            return {"end": "proved"}
        case Refuted():
            return {"end": "refuted", "model": dict(found.model)}
        case _:
            return {"end": "unknown", "why": found.reason}


def _module(asked: Line) -> Module:
    if "tree" not in asked:
        return api.parse(asked["text"], filename=asked["case"])
    tree = asked["tree"]
    return from_json(tree if isinstance(tree, str) else json.dumps(tree))


def _ran(asked: Line) -> Line:
    try:
        module = _module(asked)
        constants = list(map(values.from_json, asked["constants"]))
        module = api.bind_constants(module, dict(enumerate(constants))) if constants else module
        checked = api.check(module)
        if asked["ask"] == "check":
            return {"end": "accepted", "types": types_of(checked)}
        ended = api.run(checked, asked["entry"], *map(values.from_json, asked["args"]), externs=LIBRARY)
    except Rejection as rejection:
        return {"end": "rejected", "why": str(rejection)}
    except UsageError as error:
        return {"end": "unsupported", "why": str(error)}
    match ended:
        case Returned():
            effects = [
                {"kind": e.kind, "name": e.name, "payload": list(map(values.to_json, e.payload))} for e in ended.effects
            ]
            given = list(map(values.to_json, ended.arguments))
            return {"end": "returned", "value": values.to_json(ended.value), "arguments": given, "effects": effects}
        case Trapped() | Unspecified():
            return {"end": "trapped", "why": f"{ended.rule}: {ended.message}"}
        case Exhausted():
            return {"end": "unsupported", "why": f"out of {ended.what}"}
