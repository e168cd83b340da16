"""A program of the calculus as JSON, and back.

What is shared is written once. Arrays are numbered, the operands first, then the definitions; ``elements`` holds every
element after those that it is made of, ``scalars`` every index, extent and condition on them after its parts, as nodes
of canonical JSON (chapter 03d) with numbers for their parts. A number is text, exact: ``"7"``, ``"1/3"``,
``"0x1.8p+1"``, ``"-inf"``, ``"nan"``.

Spec: ``spec/01-conformance.md``, *Definitions as data*.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeAlias

from refrelax.semantics.numbers.real_steps import EXP_OF_DIFFERENCE
from refrelax.semantics.ops.meaning import data
from refrelax.syntax.json_ import node_from_json, to_json

Json: TypeAlias = dict[str, Any]

ELEMENTS = (
    data.Literal, data.Read, data.Operation, data.Choice, data.OpenElement, data.Fold, data.Either, data.Bound,
)  # fmt: skip
NODES = {kind.__name__: kind for kind in (*ELEMENTS, data.Each, data.Items)}


FUNCTIONS = {each.name: each for each in (EXP_OF_DIFFERENCE,)}
"""The real functions that ``ideal`` rounds once."""


def program_to_json(program: data.Program) -> Json:
    """The program, to be read by anybody."""
    return _Writer(program).all()


def program_from_json(tree: Json) -> data.Program:
    """The program that ``program_to_json`` gave."""
    return _Reader(tree).program


def parts(node: Any) -> Iterator[data.Element]:
    """The elements that an element or a family is made of, in the order of its fields."""
    for each in fields(node):
        value = getattr(node, each.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, ELEMENTS):
                yield part
            elif isinstance(part, data.Each | data.Items):
                yield from parts(part)


class _Writer:
    def __init__(self, program: data.Program) -> None:
        self.program = program
        self.arrays: dict[int, int] = {}
        self.places: dict[int, int] = {}
        self.elements: dict[str, int] = {}
        self.scalars: dict[str, int] = {}
        """Where each that was written stands, by its text."""

    def all(self) -> Json:
        p = self.program
        definitions = [each for each in p.steps if isinstance(each, data.Definition)]
        self.arrays = {id(each): k for k, each in enumerate((*p.operands, *definitions))}
        steps = [self.step(each) for each in p.steps]
        opaque = {
            spelled(name): {"element": self.element(e), "dtype": dtype} for name, (e, dtype) in sorted(p.opaque.items())
        }
        return {
            "operands": [{"name": x.name, "dims": self.value(x.dims), "dtype": x.dtype} for x in p.operands],
            "premises": self.value(tuple(p.premises)),
            "steps": steps,
            "outputs": [self.arrays[id(x)] for x in p.outputs],
            "opaque": opaque,
            "elements": [json.loads(each) for each in self.elements],
            "scalars": [json.loads(each) for each in self.scalars],
        }

    def step(self, step: data.Step) -> Json:
        if isinstance(step, data.Requirement):
            return {"condition": self.value(step.condition), "rule": step.rule}
        return {
            "array": self.arrays[id(step)], "name": step.name, "dims": self.value(step.dims), "dtype": step.dtype,
            "vars": self.value(step.vars), "body": self.element(step.body), "within": self.value(step.within),
        }  # fmt: skip

    def element(self, e: data.Element) -> int:
        """The place of an element, which is written if it was not; nothing here recurses."""
        pending = [e]
        while pending:
            each = pending[-1]
            if id(each) not in self.places:
                missing = [part for part in parts(each) if id(part) not in self.places]
                if missing:
                    pending += reversed(missing)
                    continue
                text = json.dumps(self.node(each))
                self.places[id(each)] = self.elements.setdefault(text, len(self.elements))
            pending.pop()
        return self.places[id(e)]

    def node(self, node: Any) -> Json:
        return {"node": type(node).__name__, **{f.name: self.value(getattr(node, f.name)) for f in fields(node)}}

    def value(self, value: Any) -> Any:
        match value:
            case None | bool() | str():
                return value
            case int():
                return {"number": str(value)}
            case Fraction(numerator=a, denominator=b):
                return {"number": f"{a}/{b}"}
            case float():
                return {"number": value.hex()}
            case tuple():
                return [self.value(each) for each in value]
            case data.Operand() | data.Definition():
                return self.arrays[id(value)]
            case data.Each() | data.Items():
                return self.node(value)
            case _ if isinstance(value, ELEMENTS):
                return self.places[id(value)]
            case _ if hasattr(value, "span"):
                return {"scalar": self.scalar(json.loads(to_json(value)))}
            case _:
                return {"function": value.name}

    def scalar(self, tree: Any) -> Any:
        """A tree of canonical JSON with the places of its nodes for them."""
        match tree:
            case {"node": "SymVar", "name": str(name), **others}:
                text = json.dumps({"node": "SymVar", "name": spelled(name), **others})
                return self.scalars.setdefault(text, len(self.scalars))
            case {"node": _}:
                text = json.dumps({key: self.scalar(each) for key, each in tree.items()})
                return self.scalars.setdefault(text, len(self.scalars))
            case list():
                return [self.scalar(each) for each in tree]
            case _:
                return tree


class _Reader:
    def __init__(self, tree: Json) -> None:
        self.arrays: list[data.Operand | data.Definition] = []
        self.elements: list[data.Element] = []
        self.scalars: list[Any] = []
        """As trees of canonical JSON, which share."""
        for each in tree["scalars"]:
            self.scalars.append({key: self.part(value) for key, value in each.items()})
        self.tree = tree
        given = [data.Operand(each["name"], self.trees(each["dims"]), each["dtype"]) for each in tree["operands"]]
        self.arrays += given
        steps = [self.step(each) for each in tree["steps"]]
        opaque = {name: (self.element(each["element"]), each["dtype"]) for name, each in tree["opaque"].items()}
        outputs = [each for k in tree["outputs"] if isinstance(each := self.arrays[k], data.Definition)]
        self.program = data.Program(given, steps, outputs, list(self.trees(tree["premises"])), opaque)

    def step(self, tree: Json) -> data.Step:
        if "rule" in tree:
            return data.Requirement(self.value(tree["condition"]), tree["rule"])
        body, within = self.element(tree["body"]), tree["within"]
        found = data.Definition(
            tree["name"], self.trees(tree["dims"]), tree["dtype"], self.trees(tree["vars"]), body,
            None if within is None else (self.value(within[0]), self.value(within[1])),
        )  # fmt: skip
        self.arrays.append(found)
        return found

    def element(self, place: int) -> data.Element:
        """The element at a place; those before it are made first, since arrays that they read are there by then."""
        while len(self.elements) <= place:
            self.elements.append(self.node(self.tree["elements"][len(self.elements)]))
        return self.elements[place]

    def trees(self, trees: list[Json]) -> tuple[Any, ...]:
        return tuple(map(self.value, trees))

    def node(self, tree: Json) -> Any:
        kind = NODES[tree["node"]]
        return kind(**{f.name: self.field(kind, f.name, tree[f.name]) for f in fields(kind)})

    def field(self, kind: type, name: str, value: Any) -> Any:
        if kind is data.Read and name == "array":
            return self.arrays[value]
        return self.value(value)

    def value(self, value: Any) -> Any:
        match value:
            case bool() | None | str():
                return value
            case int():
                return self.elements[value]
            case list():
                return tuple(map(self.value, value))
            case {"number": text}:
                return number(text)
            case {"function": name}:
                return FUNCTIONS[name]
            case {"node": name} if name in (data.Each.__name__, data.Items.__name__):
                return self.node(value)
            case _:
                return node_from_json(self.scalars[value["scalar"]])

    def part(self, value: Any) -> Any:
        """What a scalar is made of."""
        if isinstance(value, list):
            return [self.part(each) for each in value]
        return self.scalars[value] if isinstance(value, int) and not isinstance(value, bool) else value


def spelled(name: str) -> str:
    """A symbol's name as an identifier, which names of the calculus are not: ``?3`` is ``n3``, ``i.2`` is ``i_2``."""
    return name.replace("?", "n").replace(".", "_")


def number(text: str) -> int | float | Fraction:
    """The number that a text names: an integer, a quotient, or a float in hexadecimal."""
    if "/" in text:
        return Fraction(text)
    return int(text) if text.lstrip("-").isdigit() else float.fromhex(text)


__all__ = ["number", "parts", "program_from_json", "program_to_json"]
