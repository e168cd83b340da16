"""The texts of operators written down as data, over extents as symbols: of each call of the catalogue the program as
JSON and where it leaves something open, in six letters.

That the program is the text is held by ``test_meaning.py``, by runs, and that what is open was foretold by
``test_openings.py``; both leave open in what words. It is written down by ``tools/make_decisions.py``, and held by
``test_written_texts.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.common import extents
from refrelax.semantics.ops.definition import Evaluation
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.as_json import program_to_json
from refrelax.semantics.ops.meaning.indices import Unfit
from refrelax.semantics.ops.meaning.numbers import operands
from refrelax.semantics.ops.meaning.openings import openings
from refrelax.semantics.ops.meaning.terms import written
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.write.scalars import expression
from refrelax.testing.arguments import random_arguments
from tests.digests import digest

from .catalogue import SAMPLES, Sample

FROZEN = Path(__file__).parent / "written_texts.txt"
TEXTS = sorted({each.op for each in SAMPLES if (row := OPERATORS.get(f"relax.{each.op}")) and row.text is not None})


def described(values: list[Any], literally: bool) -> tuple[list[Any], dict[str, int]]:
    """Operands as a text takes them that is written down, over extents as symbols or ``literally``; what the symbols
    are."""
    symbols: dict[str, int] = {}

    def named(k: int, dims: tuple[int, ...]) -> list[Any]:
        symbols.update({f"d{k}_{axis}": n for axis, n in enumerate(dims)})
        return [n if n == 1 or literally else f"d{k}_{axis}" for axis, n in enumerate(dims)]

    def operand(k: int, x: Any) -> Any:
        if isinstance(x, TensorValue):
            return f"x{k}", named(k, x.shape), x.dtype
        if not isinstance(x, Prim):
            return None if x is None else named(k, extents(x))
        if dtypes.is_integer(x.dtype) and not literally:
            symbols[f"s{k}"] = int(x.value)
        return f"x{k}", [1], x.dtype, SymVar(f"s{k}", x.dtype) if f"s{k}" in symbols else literal(x.dtype, x.value)

    return [operand(k, x) for k, x in enumerate(values)], symbols


@dataclass
class Met:
    """A call in a run, its operands, and what it gave."""

    e: Evaluation
    call: Call
    values: list[Any]
    gave: Any


def calls(sample: Sample) -> Iterator[Met]:
    """The calls of the operator in a run of a sample."""
    name = f"relax.{sample.op}"
    row, met = OPERATORS[name], list[Met]()

    def evaluate(e: Evaluation, call: Call, args: tuple[Any, ...]) -> Any:
        met.append(Met(e, call, operands(args), row.evaluate(e, call, args)))
        return met[-1].gave

    OPERATORS[name] = replace(row, evaluate=evaluate)  # type: ignore[index]
    try:
        checked = rr.check(rr.parse(sample.text))
        rr.run(checked, "main", *random_arguments(checked.module, "main", 1, {}, "plain"))
    finally:
        OPERATORS[name] = row  # type: ignore[index]
    yield from met


def programs(op: str) -> Iterator[tuple[Met, data.Program, dict[str, int]]]:
    """Of each call over symbols, or, where the text asks for numbers, literally; what the symbols are."""
    text = OPERATORS[f"relax.{op}"].text
    for sample in [each for each in SAMPLES if each.op == op][:3]:
        for met in calls(sample):
            for literally in (False, True):
                given, symbols = described(met.values, literally)
                try:
                    yield met, written(text, met.call, *given), symbols  # type: ignore[arg-type]
                    break
                except Unfit:
                    continue


def line(op: str) -> str:
    found = [program for _, program, _ in programs(op)]
    open_ = [
        f"{each.rule}: {expression(each.statement)} of {' '.join(map(expression, each.given))}"
        f" {each.whole} {each.read}" for program in found for each in openings(program)
    ]  # fmt: skip
    words = digest(" | ".join(json.dumps(program_to_json(each)) for each in found)), digest(" | ".join(open_))
    return f"{op}: {' '.join(words)}, {len(found)} and {len(open_)}"


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line(op)}\n" for op in TEXTS)
