"""Soundness (chapter 05b) on every case that runs: no internal fault, each value that is bound has its deduced type.

Generated programs are held to the same in ``tests/testing/test_modules.py``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refrelax import api, conformance
from refrelax.conformance import data
from refrelax.conformance.cases import Case
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.run import _read
from refrelax.errors import Rejection
from refrelax.semantics.graph.matching import Mismatch, match
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Binding, Function, VarBinding
from refrelax.syntax.types import TensorType, Type

RUN = [case for case in conformance.load() if case.runs and case.second is None]


class Held:
    """A listener: what was bound, and what had another type than was deduced."""

    def __init__(self, checked: CheckedModule) -> None:
        self.checked, self.seen = checked, 0
        self.wrong: list[str] = []

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Any) -> None:
        function, *inner = path.split("/")
        type_ = self.checked.types[function].get("/".join([*inner, binding.name]))
        if type_ is None:
            return
        self.seen += 1
        try:
            match(value, type_, dict(scope.symbols), scope.values, binding.name)
        except Mismatch as mismatch:
            self.wrong.append(f"{path}/{binding.name}: {mismatch.message}")


def run(case: Case) -> Held | None:
    """The case, run; ``None`` where it is refused before. Raises ``InternalError`` of a fault."""
    try:
        checked = api.check(_read(case))
    except Rejection:
        return None
    held = Held(checked)
    args = [data.to_value(each) for each in case.args]
    with suppress(Rejection):  # a library function that is missing
        api.run(checked, case.entry or "main", *args, externs=LIBRARY, numerics=case.manner.numerics, listener=held)
    return held


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(4))
def test_every_value_has_its_deduced_type(part: int) -> None:
    wrong, seen = [], 0
    for case in RUN[part::4]:
        held = run(case)
        if held is not None:
            seen += held.seen
            wrong += [f"{case.name}: {each}" for each in held.wrong]
    assert not wrong
    assert seen > 100


def weaker(type_: Type, how: str) -> Type:
    """The type of a tensor that tells less: no dims, no rank, or no dtype."""
    if not isinstance(type_, TensorType):
        return type_
    if how == "dtype":
        return replace(type_, dtype=None)
    known = len(type_.shape) if isinstance(type_.shape, tuple) else type_.ndim
    return replace(type_, shape=None, ndim=known if how == "dims" else -1)


def telling_less(function: Function, how: str) -> Function:
    """The function with weaker parameters, and nothing that its bindings or its result are promised to be."""

    def bare(binding: Binding) -> Binding:
        return replace(binding, annotation=None) if isinstance(binding, VarBinding) else binding

    blocks = tuple(replace(b, bindings=tuple(map(bare, b.bindings))) for b in function.body.blocks)
    params = tuple(replace(p, type=None if p.type is None else weaker(p.type, how)) for p in function.params)
    return replace(function, params=params, ret=None, body=replace(function.body, blocks=blocks), symbols=())


ASKS_FOR_EXTENTS = ("op.quantize/parameter-dims", "op.dynamic_strided_slice/index-tensor")
"""Rules that ask for extents that are *known*: a run that finds the rank alone ends by them (``ev/operator-type``)."""


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["dims", "rank", "dtype"])
def test_a_run_does_not_depend_on_what_types_tell(how: str) -> None:
    """Every operator's example: where it is accepted with less known, it gives what it gave, each value of its type."""
    wrong, compared = [], 0
    for case in conformance.load_named_examples():
        if case.expect.kind != "Returned" or "/relax." not in case.name:
            continue
        module, entry = _read(case), case.entry or "main"
        function = module.functions[entry]
        assert isinstance(function, Function)
        less = replace(module, functions={**module.functions, entry: telling_less(function, how)})
        try:
            checked = api.check(less)
        except Rejection:
            continue
        held, args = Held(checked), [data.to_value(each) for each in case.args]
        found = api.run(checked, entry, *args, externs=LIBRARY, listener=held)
        was = api.run(api.check(module), entry, *[data.to_value(each) for each in case.args], externs=LIBRARY)
        compared += 1
        wrong += [f"{case.name}: {each}" for each in held.wrong]
        if getattr(found, "rule", None) not in ASKS_FOR_EXTENTS and repr(found) != repr(was):
            wrong.append(f"{case.name}: {found}, was {was}")
    assert not wrong
    assert compared > 100


def test_a_type_that_is_not_the_values_is_seen() -> None:
    """The listener is no listener that cannot fail."""
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        return y
"""
    checked, other = (api.check(api.parse(each)) for each in (text, text.replace("float32", "float64")))
    held = Held(other)
    api.run(checked, "main", data.to_value({"dtype": "float32", "shape": [2], "data": [1, 2]}), listener=held)
    assert held.wrong


def test_the_borders_of_the_chapter_are_the_cases() -> None:
    """Every case of ``index_or_element`` stands in the table, and every name there is one."""
    chapter = (Path(__file__).parents[2] / "spec" / "05b-judgements.md").read_text("utf-8")
    table = chapter.split("## Index or element")[1].split("## Soundness")[0]
    cells = [row for row in table.splitlines() if row.startswith("| ")][1:]
    named = {name for row in cells for name in re.findall(r": `([a-z-]+)`", row)}
    assert named == {c.name.split("/")[1] for c in conformance.load() if c.name.startswith("index_or_element/")}
