"""The published schemas (JSON Schema 2020-12): of a module, a value, a record, a manifest, and of the protocol's lines.

What the runner writes is closed; what it reads may have keys that it passes over.
"""

from __future__ import annotations

from typing import Any

from refrelax.conformance.suite.judge import ENDS
from refrelax.conformance.suite.protocol import FORMS, PROTOCOL
from refrelax.conformance.suite.records import PROFILES
from refrelax.conformance.suite.values import BITS as BITS_READ
from refrelax.semantics.ops.accuracy import WORDS
from refrelax.semantics.ops.meaning.as_json import NODES
from refrelax.syntax.json_ import schema as module_schema

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

BITS: Schema = {"type": "string", "pattern": "^0x(0|[1-9a-f][0-9a-f]*)$"}
NUMBERS: Schema = {"type": "array", "items": {"type": "integer"}}
TEXT: Schema = {"type": "string"}


def _object(required: Schema, optional: Schema | None = None) -> Schema:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _open(required: Schema, optional: Schema) -> Schema:
    """An object that may have other keys, too."""
    return {**_object(required, optional), "additionalProperties": True}


READ: Schema = {"type": "string", "pattern": f"^{BITS_READ}$"}
"""A bit pattern in an answer."""


def value(bits: Schema = BITS) -> Schema:
    """A value: a number, a truth, a text, null, a tuple, a tensor, a shape, a prim value, a dtype, something opaque."""
    tensor = _object({
        "dtype": TEXT, "shape": NUMBERS, "bits": {"type": "array", "items": {"anyOf": [bits, {"type": "null"}]}},
    }, {"data": {"type": "array"}})  # fmt: skip
    numbers = _object({"dtype": TEXT, "shape": NUMBERS, "data": {"type": "array"}})
    forms = [
        {"type": ["number", "boolean", "string", "null"]},
        {"type": "array", "items": {"$ref": "#/$defs/value"}},
        tensor,
        numbers,
        _object({"shape": NUMBERS}),
        _object({"dtype": TEXT, "value": bits}),
        _object({"dtype": TEXT}),
        _object({"opaque": TEXT}),
    ]
    return {"anyOf": forms}


def permitted() -> Schema:
    """What may be given in the place of a value: as it, but that an element of a tensor may be a set."""
    element = {
        "anyOf": [
            BITS,
            _object({}, {
                "low": BITS, "high": BITS, "values": {"type": "array", "items": BITS},
                "nan": {"const": True}, "open": TEXT,
            }),
        ]
    }  # fmt: skip
    tensor = _object({"dtype": TEXT, "shape": NUMBERS, "permitted": {"type": "array", "items": element}})
    forms = [tensor, {"type": "array", "items": {"$ref": "#/$defs/permitted"}}, {"$ref": "#/$defs/value"}]
    return {"anyOf": forms}


def _many(of: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/$defs/{of}"}}


def _defs() -> Schema:
    return {"value": value(), "permitted": permitted()}


EFFECT = _object({"kind": TEXT, "name": TEXT, "payload": _many("value")})
TYPES: Schema = {"type": "object", "additionalProperties": {"type": "object"}}
REQUIRED = _object({}, {"types": TYPES, "end": {"enum": ["accepted", "rejected"]}})


def case() -> Schema:
    """A record."""
    nothing = {"type": "null"}
    required = {
        "name": TEXT, "rule": {"anyOf": [TEXT, nothing]},
        "verdict": {"enum": ["accepts", "rejects"]}, "expect": TEXT, "profile": {"enum": [*PROFILES]},
        "ask": {"enum": ["check", "run", "prove"]}, "hash": TEXT,
    }  # fmt: skip
    allowed = _object({"value": {"$ref": "#/$defs/permitted"}, "arguments": _many("permitted"), "effects": {
        "type": "array", "items": _many("permitted"),
    }})  # fmt: skip
    optional = {
        "also": {"type": "array", "items": TEXT}, "module": {"anyOf": [TEXT, nothing]}, "repeat": {"type": "array"},
        "tree": {}, "constants": _many("value"),
        "operators": {"type": "array", "items": TEXT}, "types": TYPES, "required": REQUIRED,
        "entry": TEXT, "args": _many("value"),
        "value": {"$ref": "#/$defs/value"}, "arguments": _many("value"), "effects": {"type": "array", "items": EFFECT},
        "permitted": {"anyOf": [nothing, allowed]},
        "claim": TEXT, "assume": {"type": "array", "items": TEXT}, "fits": {"anyOf": [TEXT, nothing]},
        "division": TEXT,
    }  # fmt: skip
    return {"$schema": DRAFT, "title": "refrelax case", "$defs": _defs(), **_object(required, optional)}


def request() -> Schema:
    """A line that an implementation is sent."""
    number, nothing = {"type": "integer", "minimum": 1}, {"type": "null"}
    case_ = {"id": number, "case": TEXT}
    tree = {"type": ["object", "string"]}  # (a string: the text of the JSON itself)
    module = {"anyOf": [{"required": ["tree"]}, {"required": ["text"]}]}
    forms = {"tree": tree, "text": TEXT}
    check = _object({**case_, "ask": {"const": "check"}, "constants": _many("value")}, forms)
    run = _object({
        **case_, "ask": {"const": "run"}, "constants": _many("value"), "entry": TEXT, "args": _many("value"),
    }, forms)  # fmt: skip
    prove = _object({
        **case_, "ask": {"const": "prove"}, "claim": TEXT, "assume": {"type": "array", "items": TEXT},
        "fits": {"anyOf": [TEXT, nothing]}, "division": {"enum": ["assume", "require"]},
    })  # fmt: skip
    first = _object({"id": {"const": 0}, "ask": {"const": "hello"}, "protocol": {"const": PROTOCOL}})
    asked = [first, {**check, **module}, {**run, **module}, prove]
    return {"$schema": DRAFT, "title": "refrelax request", "$defs": {"value": value()}, "oneOf": asked}


def hello() -> Schema:
    """The line of an implementation about itself."""
    optional = {"name": {}, "profiles": {"type": "array", "items": {"enum": [*PROFILES]}}, "takes": {"enum": [*FORMS]}}
    required = {"id": {"const": 0}, "protocol": {"const": PROTOCOL}}
    return {"$schema": DRAFT, "title": "refrelax hello", **_open(required, optional)}


def answer() -> Schema:
    """A line of an implementation about a case."""
    optional = {
        "id": {"type": "integer"}, "case": TEXT, "why": TEXT, "types": TYPES, "value": {"$ref": "#/$defs/value"},
        "arguments": _many("value"), "effects": {"type": "array", "items": EFFECT}, "model": {"type": "object"},
        "seconds": {"type": "number"},
    }  # fmt: skip
    return {
        "$schema": DRAFT,
        "title": "refrelax answer",
        "$defs": {"value": value(READ)},
        **_open({"end": {"enum": [*ENDS]}}, optional),
    }


def manifest() -> Schema:
    """The table of contents."""
    texts = {"type": "array", "items": TEXT}
    places = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    required = {
        "edition": TEXT, "version": TEXT, "format": {"type": "integer"}, "license": TEXT, "hash": TEXT,
        "profiles": {"type": "object", "additionalProperties": TEXT},
        "cases": texts, "rules": {"type": "object", "additionalProperties": places},
    }  # fmt: skip
    return {"$schema": DRAFT, "title": "refrelax manifest", **_object(required)}


def operators() -> Schema:
    """The operators by name, and what they take (``vocabulary.operators``)."""
    argument = _object({"name": TEXT, "sort": TEXT})
    attribute = _object({"name": TEXT, "sort": TEXT, "none": {"type": "boolean"}}, {"count": {"type": "integer"}})
    several = {"anyOf": [{"type": "null"}, {"type": "array", "items": argument}]}
    each = _object(
        {"arguments": several, "least": {"type": "integer"}, "attributes": {"type": "array", "items": attribute}}
    )
    return {"$schema": DRAFT, "title": "refrelax operators", "type": "object", "additionalProperties": each}


def intrinsics() -> Schema:
    """The intrinsics by name, and how many arguments they take (``vocabulary.intrinsics``)."""
    each = _object({"least": {"type": "integer"}, "most": {"type": ["integer", "null"]}})
    return {"$schema": DRAFT, "title": "refrelax intrinsics", "type": "object", "additionalProperties": each}


def definitions() -> Schema:
    """What the operators mean (``definitions.definitions``); what is in a node is said in chapter 01."""
    number, names = {"type": "integer", "minimum": 0}, {"type": "array", "items": {"type": "object"}}
    node = _open({"node": {"enum": [*NODES]}}, {})
    array = _object({"name": TEXT, "dims": names, "dtype": TEXT})
    step = {
        "anyOf": [
            _object({"condition": {"type": "object"}, "rule": TEXT}),
            _object({
                "array": number, "name": TEXT, "dims": names, "dtype": TEXT, "vars": names, "body": number,
                "within": {"anyOf": [{"type": "null"}, names]},
            }),
        ]
    }  # fmt: skip
    opaque = {"type": "object", "additionalProperties": _object({"element": number, "dtype": TEXT})}
    definition = _object({
        "operands": {"type": "array", "items": array}, "premises": names, "steps": {"type": "array", "items": step},
        "outputs": {"type": "array", "items": number}, "opaque": opaque, "elements": {"type": "array", "items": node},
        "scalars": {"type": "array", "items": _open({"node": TEXT}, {})},
    })  # fmt: skip
    required = {"page": TEXT, "pure": {"type": "boolean"}, "permitted": {"enum": [*WORDS]}, "example": TEXT}
    each = _object(required, {"definition": definition, "none": TEXT})
    return {"$schema": DRAFT, "title": "refrelax definitions", "type": "object", "additionalProperties": each}


def all_of_them() -> dict[str, Schema]:
    """Every schema by its name."""
    return {
        "module": module_schema(), "case": case(), "manifest": manifest(),
        "request": request(), "hello": hello(), "answer": answer(),
        "operators": operators(), "intrinsics": intrinsics(), "definitions": definitions(),
    }  # fmt: skip
