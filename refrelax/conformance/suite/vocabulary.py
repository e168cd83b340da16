"""The names that a tree may call, as data: ``operators.json`` and ``intrinsics.json`` of an exported suite.

Nobody who has the suite parses a page to learn which operators exist, and which arguments and attributes they take.

Spec: ``spec/03d-abstract-syntax.md``, *Attributes of operators*; ``syn/json-node``, ``wf/argument-count``.
"""

from __future__ import annotations

from typing import Any

from refrelax.conformance.pages.section import sort
from refrelax.semantics.dims.kinds import ARITY
from refrelax.syntax.json_nodes import EITHER_WAY, FILLED, FORM_ATTRS
from refrelax.syntax.read.intrinsics import INTRINSICS
from refrelax.syntax.signatures import OPERATOR_NAMES, Slot, has_signature, signature


def operators() -> dict[str, Any]:
    """Every operator by name: the sorts of its arguments, how many of them are left out at most, and its attributes."""
    return {name: _operator(name) if has_signature(name) else _form(name) for name in sorted(OPERATOR_NAMES)}


def _operator(name: str) -> dict[str, Any]:
    found = signature(name)
    return {
        "arguments": [{"name": slot.name, "sort": sort(slot.kind)} for slot in found.args],
        "least": sum(not slot.optional or (name, slot.name) in FILLED for slot in found.args),
        "attributes": [
            {"name": slot.name, "sort": sort(slot.kind), **_count(slot), "none": _may_be_none(name, slot)}
            for slot in found.attrs
        ],
    }


def _form(name: str) -> dict[str, Any]:
    """A form of chapters 05 and 07, or one that takes any number of values: its arguments are no table."""
    named = [{"name": each, "sort": "anything", "none": False} for each in FORM_ATTRS.get(name, ())]
    return {"arguments": None, "least": 0, "attributes": named}


def _count(slot: Slot) -> dict[str, int]:
    """How many items the list of a tree has, where that is fixed: what a text repeats is written out there."""
    if not slot.kind[-1].isdigit():
        return {}
    return {"count": int(slot.kind[-1]) * (2 if slot.kind.startswith("pad") else 1)}


def _may_be_none(name: str, slot: Slot) -> bool:
    return (name, slot.name) not in FILLED and (slot.optional or slot.kind in EITHER_WAY)


def intrinsics() -> dict[str, Any]:
    """Every intrinsic whose arguments are counted: the least and the greatest number, null where there is none."""
    counted = {name: (found.least, found.most) for name, found in INTRINSICS.items()}
    counted |= {name: (count, count) for name, count in ARITY.items()}
    return {name: {"least": least, "most": most} for name, (least, most) in sorted(counted.items())}
