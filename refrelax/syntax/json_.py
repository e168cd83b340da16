"""Canonical JSON of a module, and back; generic over the node classes, so that it cannot forget a field.

A node is an object whose ``"node"`` names its class and whose other keys are its fields, all of them, in the order of
their declaration. Tuples are arrays. Bit patterns are hexadecimal strings (JSON numbers lose bits in many readers), the
bytes of constant arrays are base64. ``schema.json`` beside this file describes the format; ``schema()`` makes it.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, NoReturn

from refrelax.errors import Diagnostic, Malformed, Span, UsageError
from refrelax.rules import rule
from refrelax.syntax import graph, loops, module, scalars
from refrelax.syntax import types as relax_types
from refrelax.syntax.json_nodes import fault
from refrelax.syntax.module import Module

_SKIPPED = frozenset({("Module", "source")})


@dataclass(frozen=True, slots=True)
class _Coding:
    """A field whose JSON form is not that of its type."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    schema: dict[str, Any]


_HEX = {"type": "string", "pattern": "^0x(0|[1-9a-f][0-9a-f]*)$"}


def _from_hex(value: Any) -> int:
    if not isinstance(value, str) or not value.startswith("0x") or value != hex(int(value, 16)):
        raise ValueError('expected a bit pattern such as "0x3f800000"')
    return int(value, 16)


def _decode_base64(value: Any) -> bytes:
    return base64.b64decode(value, validate=True)


def _by_index(value: Any) -> dict[int, Any]:
    if wrong := next((key for key in value if not re.fullmatch("0|[1-9][0-9]*", key, re.ASCII)), None):
        raise ValueError(f"expected an index in decimal, found {wrong!r}")
    return {int(key): each for key, each in value.items()}


_CODINGS: dict[tuple[str, str], _Coding] = {
    ("Literal", "bits"): _Coding(hex, _from_hex, _HEX),
    ("Constant", "data"): _Coding(
        lambda data: tuple(hex(each) for each in data),
        lambda data: tuple(_from_hex(each) for each in data),
        {"type": "array", "items": _HEX},
    ),
    ("ConstantArray", "data"): _Coding(
        lambda data: base64.b64encode(data).decode("ascii"),
        _decode_base64,
        {"type": "string", "contentEncoding": "base64"},
    ),
    ("Module", "constants"): _Coding(
        lambda table: {str(key): table[key] for key in sorted(table)},
        _by_index,
        {
            "type": "object",
            "propertyNames": {"pattern": "^(0|[1-9][0-9]*)$"},
            "additionalProperties": {"$ref": "#/$defs/ConstantArray"},
        },
    ),
}


def _collect() -> dict[str, type]:
    found: dict[str, type] = {}
    for source in (scalars, relax_types, graph, loops, module):
        for name, value in vars(source).items():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == source.__name__:
                if name in found:
                    raise AssertionError(f"two node classes are called {name}")
                found[name] = value
    return found


NODES: dict[str, type] = _collect()
"""Every node class by its name."""


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a node class that JSON holds (the span is a matter of its own)."""
    names = [f.name for f in fields(kind) if f.init and f.name != "span"]
    return tuple(each for each in names if (kind.__name__, each) not in _SKIPPED)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _key(name: str) -> str:
    """The JSON key of a field: its name, but for the field ``node`` of an ``AttrStmt``, since ``"node"`` is the tag."""
    return "node_" if name == "node" else name


# --- to JSON ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Raw:
    text: str


def to_json(node: Module, spans: bool = False) -> str:
    """The canonical JSON of ``node``, on one line: equal modules give equal texts (unless ``spans`` are asked for).

    Nothing here recurses, so any depth can be written.
    """
    parts: list[str] = []
    pending: list[Any] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, _Raw):
            parts.append(current.text)
        elif isinstance(current, tuple):
            pending.extend(reversed(list(_separated("[", current, "]"))))
        elif isinstance(current, Mapping):
            pairs = [(_Raw(json.dumps(key) + ":"), value) for key, value in current.items()]
            pending.extend(reversed(list(_joined("{", pairs, "}"))))
        elif is_dataclass(current):
            pending.extend(reversed(list(_joined("{", _object(current, spans), "}"))))
        elif current is None or isinstance(current, (bool, int, str)):
            parts.append(json.dumps(current))
        else:
            raise TypeError(f"{type(current).__name__} is no part of the syntax")
    return "".join(parts)


def _separated(first: str, items: tuple[Any, ...], last: str) -> Iterator[Any]:
    yield _Raw(first)
    for k, each in enumerate(items):
        if k:
            yield _Raw(",")
        yield each
    yield _Raw(last)


def _joined(first: str, pairs: list[tuple[_Raw, Any]], last: str) -> Iterator[Any]:
    yield _Raw(first)
    for k, (key, value) in enumerate(pairs):
        if k:
            yield _Raw(",")
        yield key
        yield value
    yield _Raw(last)


def _object(node: Any, spans: bool) -> list[tuple[_Raw, Any]]:
    kind: type = type(node)
    pairs = [(_Raw('"node":'), _Raw(json.dumps(kind.__name__)))]
    for name in _fields(kind):
        value = getattr(node, name)
        coding = _CODINGS.get((kind.__name__, name))
        pairs.append((_Raw(f'"{_key(name)}":'), coding.encode(value) if coding else value))
    span = getattr(node, "span", None) if spans else None
    if span is not None:
        place = {"file": span.file, "line": span.line, "column": span.column}
        pairs.append((_Raw('"span":'), _Raw(json.dumps(place, separators=(",", ":")))))
    return pairs


# --- from JSON -------------------------------------------------------------------------------------------------------


@rule("syn/json-text")
def from_json(text: str, filename: str = "<json>") -> Module:
    """The module that ``text`` describes.

    Raises:
        Malformed: the text is no JSON, is nested too deep, or does not describe a module; at the object at fault.
    """
    try:
        tree = json.loads(text, parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_no_repeats)
    except RecursionError:
        raise _malformed("syn/json-text", "the JSON text is nested too deep", Span(filename, 1, 1)) from None
    except json.JSONDecodeError as error:
        where = Span(filename, error.lineno, error.colno)
        raise _malformed("syn/json-text", f"expected JSON: {error.msg}", where) from None
    except ValueError as error:
        raise _malformed("syn/json-text", f"expected JSON: {error}", Span(filename, 1, 1)) from None
    found, fault = _build(tree)
    if fault is None and not isinstance(found, Module):
        fault = tree, f'expected an object with "node": "Module", found {_shown(found)}'
    if fault is not None:
        raise _malformed("syn/json-node", fault[1], _begin(text, tree, fault[0], filename)) from None
    assert isinstance(found, Module)
    return found


def node_from_json(tree: Any) -> Any:
    """The node of any class that a JSON tree (of ``json.loads``) describes.

    Raises:
        UsageError: it describes none.
    """
    found, fault = _build(tree)
    if fault is not None:
        raise UsageError(fault[1])
    return found


def _malformed(rule_id: str, message: str, where: Span) -> Malformed:
    return Malformed([Diagnostic(rule_id, message, where)])


_BRACES = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')


def _begin(text: str, tree: Any, wanted: Any, filename: str) -> Span:
    """Where the object ``wanted`` of ``tree`` begins in ``text``: objects end in the order in which they are built."""
    ended, pending, opened = 0, [(tree, False)], list[int]()
    while pending:
        current, ready = pending.pop()
        if ready and current is wanted:
            break
        if ready:
            ended += isinstance(current, dict)
        elif isinstance(current, (list, dict)):
            pending.append((current, True))
            below = current.values() if isinstance(current, dict) else current
            pending.extend((each, False) for each in reversed(list(below)))
    start = 0
    for brace in _BRACES.finditer(text) if isinstance(wanted, dict) else ():
        if brace.group() == "{":
            opened.append(brace.start())
        elif brace.group() == "}":
            start, ended = opened.pop(), ended - 1
            if ended < 0:
                break
    return Span(filename, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"the number {text} is no integer")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object repeats a key")
    return found


class _Refused(Exception):
    """Internal: an object that describes no node; the message says why."""


@rule("syn/json-node")
def _refuse(message: str) -> NoReturn:
    raise _Refused(message)


def _build(tree: Any) -> tuple[Any, tuple[Any, str] | None]:
    """The syntax that a JSON tree describes, leaves first, without recursion; or the object at fault, and why."""
    done: list[Any] = []
    pending: list[tuple[Any, bool]] = [(tree, False)]
    while pending:
        current, ready = pending.pop()
        if not isinstance(current, (list, dict)):
            done.append(current)
            continue
        below = list(current.values()) if isinstance(current, dict) else current
        if not ready:
            pending.append((current, True))
            pending.extend((each, False) for each in reversed(below))
            continue
        first = len(done) - len(below)
        items = done[first:]
        del done[first:]
        try:
            done.append(_node(dict(zip(current, items, strict=True))) if isinstance(current, dict) else tuple(items))
        except _Refused as refused:
            return None, (current, str(refused))
    return done[0], None


def _node(given: dict[str, Any]) -> Any:
    if "node" not in given:
        return given  # a table of functions or constants, or the place of a span
    name = given.pop("node")
    kind = NODES.get(name) if isinstance(name, str) else None
    if kind is None:
        _refuse(f"no node is called {_shown(name)}")
    span = given.pop("span", None)
    values = dict(_field(kind, key, value) for key, value in given.items())
    missing = [f.name for f in fields(kind) if f.name in _fields(kind) and f.name not in values and _needed(f)]
    if missing:
        _refuse(f"a {name} needs the field {missing[0]!r}")
    if span is not None:
        values["span"] = _place(span)
    made = kind(**values)
    wrong = fault(made)
    if wrong is not None:
        _refuse(wrong)
    return made


def _needed(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _field(kind: type, key: str, value: Any) -> tuple[str, Any]:
    names = {_key(name): name for name in _fields(kind)}
    if key not in names:
        _refuse(f"a {kind.__name__} has no field {key!r}")
    name = names[key]
    coding = _CODINGS.get((kind.__name__, name))
    if coding is not None:
        try:
            value = coding.decode(value)
        except (ValueError, TypeError, AttributeError, binascii.Error) as error:
            _refuse(f"the field {key!r} of a {kind.__name__}: {error}")
    if not _fits(value, _hints(kind)[name]):
        _refuse(f"the field {key!r} of a {kind.__name__} does not take {_shown(value)}")
    return name, value


def _place(value: Any) -> Span:
    match value:
        case {"file": str(file), "line": line, "column": column} if _counts(line) and _counts(column):
            return Span(file, line, column)
        case _:
            _refuse(f"expected a span, found {_shown(value)}")


def _counts(value: Any) -> bool:
    return type(value) is int and value >= 1


def _fits(value: Any, hint: Any) -> bool:
    """Whether ``value``, whose parts are built already, is of the type ``hint``."""
    if hint is Any or hint is object:
        return True
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, each) for each in typing.get_args(hint))
    if origin is typing.Literal:
        return any(value == each and type(value) is type(each) for each in typing.get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and _fits_tuple(value, typing.get_args(hint))
    if origin is not None and issubclass(origin, Mapping):
        key, item = typing.get_args(hint)
        return isinstance(value, dict) and all(_fits(k, key) and _fits(v, item) for k, v in value.items())
    if hint is None or hint is type(None):
        return value is None
    return type(value) is hint


def _fits_tuple(value: tuple[Any, ...], items: tuple[Any, ...]) -> bool:
    if len(items) == 2 and items[1] is Ellipsis:
        return all(_fits(each, items[0]) for each in value)
    return len(value) == len(items) and all(_fits(each, item) for each, item in zip(value, items, strict=True))


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, (str, int, dict, type(None))) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "…"


# --- the schema ------------------------------------------------------------------------------------------------------


def schema() -> dict[str, Any]:
    """The JSON Schema of the format (``schema.json`` is its text)."""
    place = {"type": "object", "properties": {"file": {"type": "string"}, "line": _INT, "column": _INT}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "refrelax module",
        "$ref": "#/$defs/Module",
        "$defs": {"Span": place, **{name: _node_schema(kind) for name, kind in sorted(NODES.items())}},
    }


_INT = {"type": "integer"}
_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"}, int: _INT, bool: {"type": "boolean"}, type(None): {"type": "null"}, None: {"type": "null"},
    Any: {}, object: {},
}  # fmt: skip


def _node_schema(kind: type) -> dict[str, Any]:
    properties: dict[str, Any] = {"node": {"const": kind.__name__}}
    for name in _fields(kind):
        coding = _CODINGS.get((kind.__name__, name))
        properties[_key(name)] = coding.schema if coding else _type_schema(_hints(kind)[name])
    required = ["node", *(_key(f.name) for f in fields(kind) if _key(f.name) in properties and _needed(f))]
    if "span" in _hints(kind):
        properties["span"] = {"$ref": "#/$defs/Span"}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _type_schema(hint: Any) -> dict[str, Any]:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_type_schema(each) for each in args]}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": _type_schema(args[0])}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [_type_schema(each) for each in args],
            "items": False,
            "minItems": len(args),
        }
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type_schema(args[1])}
    return {"$ref": f"#/$defs/{hint.__name__}"}
