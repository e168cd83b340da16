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
from refrelax.conformance.suite.deduced import types_of
from refrelax.conformance.suite.protocol import PROTOCOL
from refrelax.conformance.suite.records import PROFILES
from refrelax.errors import Exhausted, Rejection, Returned, Trapped, Unspecified, UsageError
from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.shape_solver.claim import Division
from refrelax.syntax.json_ import from_json
from refrelax.syntax.module import Module

Line = dict[str, Any]


def serve(requests: IO[str] = sys.stdin, answers: IO[str] = sys.stdout) -> None:
    """Answer every line until the end of input."""
    for line in requests:
        asked = _asked(line)
        answers.write(json.dumps({"id": asked.get("id"), **answer(asked)}, separators=(",", ":")) + "\n")
        answers.flush()


NEEDED = {"check": ("case",), "run": ("case", "entry", "args"), "prove": ("claim",)}
"""What a request says, beside the module; ``constants`` and the conditions of a claim may be left out."""

FORMS: dict[str, type | tuple[type, ...]] = {
    "case": str, "entry": str, "args": list, "constants": list, "claim": str, "assume": list,
    "fits": (str, type(None)), "division": str,
}  # fmt: skip
"""Of which kind what a request says is."""


def _asked(line: str) -> Line:
    """A request; what is none asks for nothing."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


def answer(asked: Line) -> Line:
    """The answer to one request, its number left out."""
    missing = [name for name in NEEDED.get(str(asked.get("ask")), ()) if name not in asked]
    if missing:
        return {"end": "unsupported", "why": f"a request without {missing[0]!r}"}
    wrong = [name for name, form in FORMS.items() if name in asked and not isinstance(asked[name], form)]
    if "assume" not in wrong and not all(isinstance(each, str) for each in asked.get("assume", ())):
        wrong.append("assume")
    if wrong:
        return {"end": "unsupported", "why": f"a request with another {wrong[0]!r}: {values.shown(asked[wrong[0]])}"}
    match asked.get("ask"):
        case "hello":
            return {"protocol": PROTOCOL, "name": "refrelax", "profiles": [*PROFILES], "takes": "both"}
        case "prove":
            return _proved(asked)
        case "check" | "run":
            return _ran(asked)
        case None:
            return {"end": "unsupported", "why": 'a request is one JSON object a line, with "ask"'}
        case other:
            return {"end": "unsupported", "why": f"a request to {other}"}


def _proved(asked: Line) -> Line:
    try:
        division = cast(Division, asked.get("division", "assume"))
        found = prove(asked["claim"], asked.get("assume", []), fits=asked.get("fits"), division=division)
    except Rejection as rejection:
        return {"end": "rejected", "why": str(rejection)}
    except UsageError as error:
        return {"end": "unsupported", "why": str(error)}
    match found:
        case Proved():
            return {"end": "proved"}
        case Refuted():
            return {"end": "refuted", "model": dict(found.model)}
        case _:
            return {"end": "unknown", "why": found.reason}


def _module(asked: Line) -> Module:
    if "tree" not in asked:
        if not isinstance(asked.get("text"), str):
            raise UsageError("a request without a module: give it as 'tree' or as 'text'")
        return api.parse(asked["text"], filename=str(asked["case"]))
    tree = asked["tree"]
    return from_json(tree if isinstance(tree, str) else json.dumps(tree))


def _ran(asked: Line) -> Line:
    try:
        module = _module(asked)
        constants = list(map(values.from_json, asked.get("constants", [])))
        module = api.bind_constants(module, dict(enumerate(constants))) if constants else module
        checked = api.check(module)
        if asked["ask"] == "check":
            return {"end": "accepted", "types": types_of(checked)}
        ended = api.run(checked, asked["entry"], *map(values.from_json, asked["args"]), externs=LIBRARY, typed=True)
    except Rejection as rejection:
        return {"end": "rejected", "why": str(rejection)}
    except UsageError as error:
        return {"end": "unsupported", "why": str(error)}
    match ended:
        case Returned():
            effects = [
                {"kind": e.kind, "name": e.name, "payload": list(map(values.to_json, e.payload))} for e in ended.effects
            ]
            given = list(map(values.told, ended.arguments))
            return {"end": "returned", "value": values.told(ended.value), "arguments": given, "effects": effects}
        case Trapped() | Unspecified():
            return {"end": "trapped", "why": f"{ended.rule}: {ended.message}"}
        case Exhausted():
            return {"end": "unsupported", "why": f"out of {ended.what}"}
