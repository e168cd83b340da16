"""Forged records: a record with one part changed, by the kind of change.

A change is drawn at a place of the JSON: an operation for another, operands exchanged, a number moved, a name for
another, a part left out or said twice, what is known strengthened, a side condition dropped.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

NAMES = {
    "operations": ("Add", "Sub", "Mul", "Div", "Max", "Min", "And", "Or", "LT", "LE", "EQ", "NE", "T.exp", "T.sqrt",
                   "FloorDiv", "FloorMod", "T.bitwise_and", "T.bitwise_or", "T.shift_left", "T.shift_right"),
    "integers": ("add", "sub", "mul", "floordiv", "floormod", "min", "max"),
    "orders": ("lt", "le", "gt", "ge", "eq", "ne"),
    "rules": (
        "same", "open", "absurd", "integers", "load", "tensors", "operation", "cases", "choice", "either", "chosen",
        "nothing", "rewrite", "fold", "flat", "words", "supposed", "constants",
    ),
    "rewrites": ("unfold", "constant", "turn", "single", "merge", "idle", "law", "empty", "spread", "outside",
                 "parted", "alike", "vacuous", "told", "passed-over", "fact"),
    "sides": ("first", "second"),
    "dtypes": ("float32", "float64", "int32", "int64", "uint32", "bool"),
    "truths": ("true", "false"),
}  # fmt: skip
OF = {name: names for names in NAMES.values() for name in names}


def places(e: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, certificates' evidence aside."""
    yield path
    items = e.items() if isinstance(e, dict) else enumerate(e) if isinstance(e, list) else ()
    for key, part in items:
        if key != "evidence":
            yield from places(part, (*path, key))


def mutant(document: Any, rng: random.Random, everywhere: list[tuple[Any, ...]]) -> Any | None:
    """The document with one part changed; nothing where the part that was drawn has no other form."""
    new = copy.deepcopy(document)
    path = rng.choice(everywhere)
    if not path:
        return None
    holder = new
    for key in path[:-1]:
        holder = holder[key]
    found = changed(holder[path[-1]], holder, path[-1], rng, document)
    return None if found is None or new == document else new


def changed(part: Any, holder: Any, key: Any, rng: random.Random, document: Any) -> bool | None:
    """Changes a part in place."""
    match part:
        case bool():
            holder[key] = not part
        case int():
            holder[key] = rng.choice((part + 1, max(0, part - 1), 0, rng.randrange(12)))
        case str() if part in OF:
            holder[key] = rng.choice(OF[part])
        case str():
            names = sorted(set(symbols(document)))
            holder[key] = rng.choice(names) if names else part + "x"
        case list() if len(part) > 1 and rng.random() < 0.5:
            i, j = rng.sample(range(len(part)), 2)
            part[i], part[j] = part[j], part[i]
        case list() if part:
            match rng.randrange(3):
                case 0:
                    del part[rng.randrange(len(part))]
                case 1:
                    part.append(copy.deepcopy(rng.choice(part)))
                case _:
                    part[rng.randrange(len(part))] = copy.deepcopy(rng.choice(part))
        case dict() if part and isinstance(holder, dict | list):
            del part[rng.choice(sorted(part, key=str))]
        case None:
            holder[key] = ["true"]
        case _:
            return None
    return True


def symbols(e: Any) -> Iterator[str]:
    match e:
        case ["sym", str() as name]:
            yield name
        case list():
            for part in e:
                yield from symbols(part)
        case dict():
            for part in e.values():
                yield from symbols(part)
