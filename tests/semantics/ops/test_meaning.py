"""One text, two readers: what is written down, run, is the text run on numbers: bits, sets, poison and ends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import pytest

import refrelax as rr
from refrelax import conformance
from refrelax.conformance import data as values
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Ended
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.as_json import program_from_json, program_to_json
from refrelax.semantics.ops.meaning.evaluate import evaluate
from refrelax.semantics.ops.meaning.indices import Ix, Unfit
from refrelax.semantics.ops.meaning.numbers import Dense, given, operands, value_rule
from refrelax.semantics.ops.meaning.procedures import PROCEDURES, WITHOUT_ELEMENTS
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.scalars import Binary, SymVar, int_imm
from refrelax.testing import sweep
from refrelax.testing.arguments import random_arguments
from refrelax.testing.sweep import EXTENTS

from .catalogue import SAMPLES
from .written_texts import described

TEXTS = sorted(name for name, each in OPERATORS.items() if each.text is not None)


class Both:
    """A value rule that runs a text both ways and holds them against each other."""

    def __init__(self, name: str) -> None:
        self.definition = OPERATORS[name]
        assert self.definition.text is not None
        self.rule = value_rule(self.definition.text)
        self.same = self.unfit = 0

    def __call__(self, e: Evaluation, call: Call, args: tuple[Any, ...]) -> Any:
        second = self.written(e, call, operands(args))
        try:
            found = self.rule(e, call, args)
        except Ended as end:
            assert second is None or second == getattr(end.outcome, "rule", None), (second, end)
            raise
        if second is not None:
            outputs = found if isinstance(found, tuple) else (found,)
            assert [(x.shape, list(map(told, x.payloads()))) for x in outputs] == second
            self.same += 1
        return (
            found
            if any(isinstance(x, TensorValue) for x in operands(args))
            else self.definition.evaluate(e, call, args)
        )

    def written(self, e: Evaluation, call: Call, values: list[Any], literally: bool = False) -> Any:
        """What the text as data gives: extents and elements, or the rule that ends it. Over extents as symbols, or
        ``literally`` where the text asks for numbers."""
        arrays = [x for x in (given(e, each) for each in values) if isinstance(x, Dense)]
        operands_, symbols = described(values, literally)
        try:
            program = written(self.definition.text, call, *operands_)  # type: ignore[arg-type]
        except Unfit:
            if not literally:
                return self.written(e, call, values, True)
            self.unfit += 1
            return None
        cells = [(x.dims, x.listed()) for x in arrays]
        if self.same % 4 == 0:
            program = again(program)
        try:
            found = evaluate(program, e.numerics, symbols, cells)
        except Ended as end:
            return getattr(end.outcome, "rule", None)
        except rr.InternalError as error:
            if "written down for" in str(error):
                return None  # an extent is 1 only at run time: another case of the text
            raise
        return [(dims, list(map(told, row))) for dims, row in found]


def again(program: data.Program) -> data.Program:
    """The program as anybody reads it who has the JSON."""
    tree = json.loads(json.dumps(program_to_json(program)))
    found = program_from_json(tree)
    assert program_to_json(found) == tree
    return found


def told(payload: Any) -> str:
    """A payload, without what a mark notes for its reader."""
    return payload.rule if isinstance(payload, Poison) else repr(payload)


@cache
def cases() -> list[Any]:
    return [c for c in conformance.load() if c.entry and c.expect.kind in ("Returned", "Unspecified")]


def programs(short: str) -> Iterator[tuple[str, str, list[list[Any]]]]:
    """Module, entry and arguments of the cases and samples that call an operator; few of many."""
    for case in [c for c in cases() if f"R.{short}(" in c.module][:12]:
        yield case.module, case.entry or "main", [[values.to_value(each) for each in case.args]]
    for sample in [s for s in SAMPLES if f"R.{short}(" in s.text][:12]:
        yield sample.text, "main", []
    for k, each in enumerate(sweep.programs(short, per_dtype=1, only=DTYPES if NIGHT else daily(short))):
        program = each.loosened(("all", "rank")[k % 3 == 2])
        sizes = enumerate(EXTENTS if program.sized else EXTENTS[:1])
        yield program.text, "main", [program.arguments(n, k, ("corners", "plain")[(j + k) % 2]) for j, n in sizes]


NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
DTYPES = ("float32", "int8", "bool", "float16", "uint32", "float8_e4m3fn")
"""All of them every night."""


def daily(short: str) -> tuple[str, ...]:
    """float32, and one of the others: another one for the next operator."""
    return DTYPES[0], DTYPES[1 + TEXTS.index(f"relax.{short}") % (len(DTYPES) - 1)]


FEW = {"relax.vision.roi_align": 1, "relax.image.resize2d": 2, "relax.image.resize3d": 3, "relax.image.grid_sample": 3}
"""Operators of which an element is large, and on how many runs they are held against their data; nightly on all."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", TEXTS)
def test_the_text_written_down_is_the_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holds(name, monkeypatch, FEW.get(name))


@pytest.mark.nightly
@pytest.mark.parametrize("name", FEW)
def test_all_programs_of_a_large_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holds(name, monkeypatch, None)


@cache
def checked_module(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(text))


def holds(name: str, monkeypatch: pytest.MonkeyPatch, few: int | None) -> None:
    both = Both(name)
    monkeypatch.setitem(OPERATORS, name, replace(OPERATORS[name], evaluate=both))  # type: ignore[index]
    for module, entry, args in islice(runs(name), few):
        if '"handle"' in module:  # of which there are no elements, not even none
            continue
        # a choice of dtypes that is none, a case without its constants, a library function that takes no such number
        with suppress(rr.Rejection, rr.UsageError):
            checked = checked_module(module)
            for numerics in ("ieee", "enclosure"):
                rr.run(checked, entry, *args, numerics=numerics, externs=LIBRARY)
    assert both.same > 0, f"{both.unfit} not written down"


def runs(name: str) -> Iterator[tuple[str, str, list[Any]]]:
    """Module, entry and arguments."""
    for module, entry, cases_ in programs(name.removeprefix("relax.")):
        yield from ((module, entry, args) for args in cases_)
        if len(cases_) < 2:
            with suppress(rr.Rejection, rr.UsageError):  # (an extent that hangs on a truth has no number here)
                checked = checked_module(module)
                yield module, entry, random_arguments(checked.module, entry, 1, {}, "special")


def test_an_operator_is_a_text_a_procedure_or_has_no_elements() -> None:
    tables = [set(PROCEDURES), set(WITHOUT_ELEMENTS)]
    assert not tables[0] & tables[1] and tables[0] | tables[1] <= set(OPERATORS)
    assert not (tables[0] | tables[1]) & set(TEXTS), "a row for an operator that has a text"
    comprehensions = set(OPERATORS) - tables[0] - tables[1]
    left = sorted(comprehensions - set(TEXTS))
    print(f"{len(TEXTS)} of {len(comprehensions)} comprehensions are texts; left: {left}")
    assert not left


# --- what cannot slip through ----------------------------------------------------------------------------------------


def test_a_text_cannot_branch_on_an_index() -> None:
    n = Ix(SymVar("n"))
    for broken in (lambda: bool(n < 3), lambda: range(n), lambda: [0][n], lambda: hash(n), lambda: list(n)):
        with pytest.raises((Unfit, TypeError)):
            broken()
    assert bool(Ix(int_imm(3)) < 4) and (n == n) is True


def test_folding_keeps_what_may_have_no_value() -> None:
    """``0 * (i // n)`` is not 0: at n = 0 it has no value."""
    i, n = Ix(SymVar("i")), Ix(SymVar("n"))
    assert isinstance((0 * (i // n)).node, Binary) and isinstance(((i // n) - (i // n)).node, Binary)
    assert (0 * i).node == int_imm(0) and (i - i).node == int_imm(0) and (0 * (i // 3)).node == int_imm(0)


def test_what_is_written_down_is_an_ordered_list() -> None:
    call = Call(Op("relax.nn.softmax"), (), (("axis", -1),))
    program = written(OPERATORS["relax.nn.softmax"].text, call, ("x", ["n", 5], "float32"))  # type: ignore[arg-type]
    assert [type(each) for each in program.steps] == [data.Definition] * 4 and not program.premises
    top = program.steps[0]
    assert isinstance(top, data.Definition) and top.dims == (SymVar("n"), int_imm(1))
    assert isinstance(top.body, data.Fold) and top.body.op == "maximum"
