"""Broken modules by number: changes of JSON trees that know what a node is, and of each argument of each intrinsic."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import refrelax as rr
from refrelax.syntax.json_ import NODES

from .mutations import LEAVES, sources

INTEGERS = (-1, 0, 1, 2, 3, True, False, 2**31, 2**63 - 1, 2**63, 10**30, -(2**63), "3", None, 0.5)
DTYPES = (
    "int64", "int32", "float32", "float16", "bool", "handle", "void", "uint8", "float32x4", "int32xvscalex4", "int4",
    "float8_e4m3fn", "", "int0", None, 3, "int128", "float64", "uint1",
)  # fmt: skip
KEYS = ("k", "tir_var_upper_bound", "tir_non_negative_var", "relax.force_pure", "global_symbol", "a b", "", "axis")

Place = tuple[Any, Any]
"""A list or an object, and the index or key of one of its values."""


@cache
def _trees() -> tuple[str, ...]:
    found = []
    for text in sources().values():
        try:
            found.append(rr.to_json(rr.parse(text)))
        except rr.Malformed:
            continue
    return tuple(each for each in found if len(each) < 12_000)


@cache
def _by_class() -> dict[str, list[str]]:
    """Nodes of all trees by their class, the smallest first."""
    found: dict[str, dict[str, None]] = {}
    for text in _trees():
        for here, key in places(json.loads(text)):
            if isinstance(each := here[key], dict) and "node" in each:
                found.setdefault(each["node"], {})[json.dumps(each)] = None
    return {name: sorted(each, key=len)[:400] for name, each in found.items()}


def places(tree: Any) -> list[Place]:
    """Everywhere that something stands in a tree."""
    found, pending = list[Place](), [tree]
    while pending:
        each = pending.pop()
        found += [(each, key) for key in (each if isinstance(each, dict) else range(len(each)))]
        pending += [v for v in (each.values() if isinstance(each, dict) else each) if isinstance(v, dict | list)]
    return found


def _copy(tree: Any) -> Any:
    return json.loads(json.dumps(tree))


def _put(rng: random.Random, at: list[Place], value: Callable[[Any], Any]) -> None:
    if at:
        here, key = rng.choice(at)
        here[key] = _copy(value(here[key]))


def _listed(rng: random.Random, at: list[Place]) -> None:
    items = rng.choice([here[key] for here, key in at if isinstance(here[key], list) and here[key]] or [[0]])
    k = rng.randrange(len(items))
    match rng.randrange(4):
        case 0:
            items.insert(k, _copy(items[k]))
        case 1:
            del items[k]
        case 2:
            rng.shuffle(items)
        case _:
            items[k] = [items[k]]


def _attributes(rng: random.Random, at: list[Place]) -> None:
    tables = [h[k] for h, k in at if k in ("attrs", "annotations", "global_infos") and isinstance(h[k], list)]
    table = rng.choice(tables or [[]])
    match rng.randrange(3):
        case 0 if table:
            table.append(_copy(rng.choice(table)))
        case 1 if table and isinstance(pair := rng.choice(table), list) and len(pair) == 2:
            pair[1] = rng.choice(LEAVES)
        case _:
            table.append([rng.choice(KEYS), rng.choice(LEAVES)])


def _change(rng: random.Random, tree: Any) -> None:
    at = places(tree)
    if not at:
        return
    here, key = rng.choice(at)

    def among(wanted: Callable[[Any, Any], bool]) -> list[Place]:
        return [(h, k) for h, k in at if wanted(k, h[k])]

    nodes = among(lambda _, v: isinstance(v, dict) and isinstance(v.get("node"), str))
    match rng.randrange(12):
        case 0:
            del here[key]
        case 1:
            _put(rng, at, lambda _: rng.choice(LEAVES))
        case 2:
            _put(rng, nodes, lambda v: json.loads(rng.choice(_by_class().get(v["node"], ["{}"]))))
        case 3:
            _put(rng, nodes, lambda _: json.loads(rng.choice(rng.choice(list(_by_class().values())))))
        case 4:
            strings = among(lambda k, v: isinstance(v, str) and k != "node")
            _put(rng, strings, lambda _: (lambda h, k: h[k])(*rng.choice(strings)))
        case 5:
            _put(rng, among(lambda _, v: isinstance(v, int)), lambda _: rng.choice(INTEGERS))
        case 6:
            _listed(rng, at)
        case 7:
            names = among(lambda k, v: k == "name" and isinstance(v, str))
            _put(rng, names, lambda _: (lambda h, k: h[k])(*rng.choice(names)))
        case 8:
            _put(rng, among(lambda k, _: k == "node"), lambda _: rng.choice(sorted(NODES)))
        case 9:
            _put(rng, among(lambda k, _: k == "dtype"), lambda _: rng.choice(DTYPES))
        case 10:
            _attributes(rng, at)
        case _:
            other, same = rng.choice(at)
            here[key] = _copy(other[same])


def changed(number: int) -> str:
    """The changed module with this number, as JSON."""
    rng = random.Random(number)
    tree = json.loads(rng.choice(_trees()))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(rng, tree)
    return json.dumps(tree)


# --- arguments of intrinsics ------------------------------------------------------------------------------------------

OTHERS: tuple[dict[str, Any], ...] = (
    {"node": "Literal", "dtype": "float32", "bits": "0x3f800000"},
    {"node": "Literal", "dtype": "bool", "bits": "0x1"},
    {"node": "Literal", "dtype": "int32", "bits": "0xffffffff"},
    {"node": "Literal", "dtype": "int64", "bits": "0x7fffffffffffffff"},
    {"node": "StringImm", "value": "x"},
    {"node": "Broadcast", "value": {"node": "Literal", "dtype": "int32", "bits": "0x1"}, "lanes": 4},
    {"node": "Intrinsic", "op": "tvm_tuple", "args": [], "dtype": "void"},
)
"""Arguments of every sort."""


def other_arguments(sites: int) -> Iterator[tuple[str, str]]:
    """Modules in which one argument of an intrinsic, or its dtype, is another: what was changed, and the JSON.
    ``sites``: of how many calls of each intrinsic."""
    seen: dict[tuple[str, int], int] = {}
    for text in _trees():
        tree = json.loads(text)
        calls = [h[k] for h, k in places(tree) if isinstance(h[k], dict) and h[k].get("node") == "Intrinsic"]
        for call in calls:
            form = call["op"], len(call["args"])
            seen[form] = seen.get(form, 0) + 1
            if seen[form] > sites:
                continue
            for k, before in enumerate(list(call["args"])):
                for other in OTHERS:
                    call["args"][k] = other
                    yield f"argument {k} of {form[0]}: {other}", json.dumps(tree)
                call["args"][k] = before
            dtype = call["dtype"]
            for other_dtype in ("int32", "float32", "handle", "void", "bool", "float32x4"):
                call["dtype"] = other_dtype
                yield f"the dtype of {form[0]}: {other_dtype}", json.dumps(tree)
            call["dtype"] = dtype
