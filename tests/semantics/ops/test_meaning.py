"""One text, two readers: what is written down, run, is the text run on numbers: bits, sets, poison and ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import refrelax as rr
from refrelax import conformance
from refrelax.conformance import data as values
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Ended
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.evaluate import evaluate
from refrelax.semantics.ops.meaning.indices import Ix, Unfit
from refrelax.semantics.ops.meaning.procedures import PROCEDURES, WITHOUT_ELEMENTS
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.values import Tensor
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.scalars import Binary, SymVar, int_imm
from refrelax.testing.arguments import random_arguments

from .catalogue import SAMPLES, Sample, f

TEXTS = sorted(name for name, each in OPERATORS.items() if each.text is not None)


class Both:
    """A value rule that runs a text both ways and holds them against each other."""

    def __init__(self, name: str) -> None:
        self.definition = OPERATORS[name]
        self.same = self.unfit = 0

    def __call__(self, e: Evaluation, call: Call, args: tuple[Any, ...]) -> Any:
        flat = [field for each in args for field in (each if isinstance(each, tuple) else (each,))]
        second = self.written(e, call, flat) if all(isinstance(each, Tensor) for each in flat) else None
        try:
            found = self.definition.evaluate(e, call, args)
        except Ended as end:
            assert second is None or second == getattr(end.outcome, "rule", None), (second, end)
            raise
        if second is not None:
            outputs = found if isinstance(found, tuple) else (found,)
            assert [(x.shape, list(map(repr, x.payloads()))) for x in outputs] == second
            self.same += 1
        return found

    def written(self, e: Evaluation, call: Call, operands: list[Tensor]) -> Any:
        """What the text as data gives: extents and elements, or the rule that ends it."""
        symbols = {f"d{k}_{axis}": n for k, x in enumerate(operands) for axis, n in enumerate(x.shape)}
        given = [
            (f"x{k}", [1 if n == 1 else f"d{k}_{axis}" for axis, n in enumerate(x.shape)], x.dtype)
            for k, x in enumerate(operands)
        ]
        try:
            program = written(self.definition.text, call, *given)  # type: ignore[arg-type]
        except Unfit:
            self.unfit += 1
            return None
        cells = [(x.shape, x.payloads()) for x in operands]
        try:
            found = evaluate(program, e.numerics, symbols, cells)
        except Ended as end:
            return getattr(end.outcome, "rule", None)
        except rr.InternalError as error:
            if "written down for" in str(error):
                return None  # an extent is 1 only at run time: another case of the text
            raise
        return [(dims, list(map(repr, row))) for dims, row in found]


@cache
def cases() -> list[Any]:
    return [c for c in conformance.load() if c.entry and c.expect.kind in ("Returned", "Unspecified")]


MORE = {
    "R.nn.conv3d_transpose": [
        Sample("", (f(1, 2, 3, 1, 2), f(2, 1, 2, 1, 3)), "R.nn.conv3d_transpose(a, b, strides=[2, 1, 1])", len)
    ],
}
"""Samples of operators that have too few elsewhere."""


def programs(short: str) -> Iterator[tuple[str, str, list[list[Any]]]]:
    """Module, entry and arguments of the cases and samples that call an operator; few of many. Of two samples also with
    extents 0 and 1 in place of each extent."""
    for case in [c for c in cases() if f"{short}(" in c.module][:10]:
        yield case.module, case.entry or "main", [[values.to_value(each) for each in case.args]]
    samples = [s for s in SAMPLES if f"{short}(" in s.text][:8] + MORE.get(short, [])
    for sample in samples:
        yield sample.text, "main", []
    for sample in (samples[:1] + samples[-1:])[: len(samples)]:
        for small in (0, 1):
            for extent in {n for shape, _ in sample.params for n in shape} - {small}:
                params = tuple((tuple(small if n == extent else n for n in shape), t) for shape, t in sample.params)
                yield replace(sample, params=params).text, "main", []


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_written_down_is_the_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(name)
    monkeypatch.setitem(OPERATORS, name, replace(OPERATORS[name], evaluate=both))  # type: ignore[index]
    for module, entry, given in programs(name.replace("relax.", "R.", 1)):
        try:
            checked = rr.check(rr.parse(module))
        except rr.IllTyped:
            continue
        made = [
            random_arguments(checked.module, entry, seed, {}, policy)
            for seed, policy in ((1, "normal"), (2, "special"))
        ]
        for args in (*given, *made):
            for numerics in ("ieee", "enclosure"):
                rr.run(checked, entry, *args, numerics=numerics, externs=LIBRARY)
    assert both.same > 0, f"{both.unfit} not written down"


def test_an_operator_is_a_text_a_procedure_or_has_no_elements() -> None:
    tables = [set(PROCEDURES), set(WITHOUT_ELEMENTS)]
    assert not tables[0] & tables[1] and tables[0] | tables[1] <= set(OPERATORS)
    assert not (tables[0] | tables[1]) & set(TEXTS), "a row for an operator that has a text"
    comprehensions = set(OPERATORS) - tables[0] - tables[1]
    left = sorted(comprehensions - set(TEXTS))
    print(f"{len(TEXTS)} of {len(comprehensions)} comprehensions are texts; left: {left}")
    assert len(left) <= LEFT, left


LEFT = 125
"""Comprehensions that are still functions: goes down only."""


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
