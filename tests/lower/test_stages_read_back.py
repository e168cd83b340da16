"""Every stage of a pipeline comes back from its text: the module that is printed is the module that is read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

import refrelax as rr
from refrelax import examples
from refrelax.lower import lower
from refrelax.syntax.scalars import Binary, SymVar, int_imm
from refrelax.syntax.types import ShapeType, TensorType, defined_by
from refrelax.testing import modules

from .built_modules import TEXTS
from .dispatch_programs import PROGRAMS, library, program
from .fusion_modules import MODULES as FUSION
from .memory_modules import MODULES as MEMORY

PIPELINES = ("paper", "build")
CORPUS = {
    **{f"fusion-{name}": text for name, text in FUSION.items()},
    **{f"memory-{name}": text for name, text in MEMORY.items()},
}

MIXED = """
m = TypeVar("m")

@I.ir_module
class Module:
    @R.function(private=True)
    def inner(z: R.Tensor(("k", m), "float32"), s: R.Shape(["j", m])) -> R.Tensor(("k", m), "float32"):
        return R.exp(z)

    @R.function
    def main(x: R.Tensor(("n", m), "float32"), y: R.Tensor((m, "n"), "float32")) -> R.Tensor(("n", m), "float32"):
        cls = Module
        n = T.int64()
        a = R.add(x, R.permute_dims(y))
        b = cls.inner(a, R.shape([n, m]))
        return b
"""
"""Symbols in quotes before others: they were declared in another order than those of the printed text."""


def read_back(checked: rr.CheckedModule, pipeline: str, *libraries: rr.Module) -> list[str]:
    """The stages that do not come back, the module itself first."""
    steps = lower(checked, pipeline, effort="quick", libraries=libraries or None).steps
    wrong = []
    for name, stage in (("the module", checked), *((step.name, step.module) for step in steps)):
        read = replace(rr.parse(rr.print_module(stage.module)), constants=stage.module.constants)
        if not (rr.structural_equal(stage.module, read) and stage.module == read):
            wrong.append(f"{pipeline}: {name}")
    return wrong


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", ["MIXED", *TEXTS])
def test_programs(name: str) -> None:
    checked = rr.check(rr.parse({"MIXED": MIXED, **TEXTS}[name]))
    assert [each for pipeline in PIPELINES for each in read_back(checked, pipeline)] == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", CORPUS)
def test_more_programs(name: str) -> None:
    checked = rr.check(rr.parse(CORPUS[name]))
    assert [each for pipeline in PIPELINES for each in read_back(checked, pipeline)] == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_given_to_libraries(name: str) -> None:
    checked = rr.check(rr.parse(program(name)))
    assert read_back(checked, "paper", rr.parse(library(*PROGRAMS[name].tried))) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    ["mlp", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("cnn", "decoder")),
     *(pytest.param(name, marks=pytest.mark.nightly) for name in examples.paper_names())],
)  # fmt: skip
def test_examples(name: str) -> None:
    for stage in examples.load(name).stages:
        text = rr.parse(stage.text)
        checked = rr.check(rr.bind_constants(text, stage.constants))
        assert [each for pipeline in PIPELINES for each in read_back(checked, pipeline)] == []


SHIFTED = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n + 1,), "float32"), y: R.Tensor((2, m), "int64"), s: R.Shape((n,))):
        with R.dataflow():
            a = R.square(x)
            b = R.floor_mod(y, R.const(1, "int64"))
            c = R.take(a, b, axis=0, mode="fast")
            R.output(c)
        return c
"""


def test_a_symbol_that_is_mentioned_before_it_is_defined() -> None:
    """``n + 1`` stands before the ``m`` of a fused function, and ``n`` itself behind it."""
    assert read_back(rr.check(rr.parse(SHIFTED)), "paper") == []


def test_names_of_symbols_follow_their_mention() -> None:
    """What fused and captured functions name their symbols by."""
    n, m = SymVar("n"), SymVar("m")
    shifted = TensorType((Binary("Add", n, int_imm(1)),), "float32", 1)
    types = [shifted, None, TensorType((int_imm(2), m), "int64", 2), ShapeType((n,), 1), ShapeType((SymVar("k"),), 1)]
    assert defined_by(types) == ("n", "m", "k")
    assert defined_by(types[:3]) == ("m",)  # nothing defines n


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(modules())
def test_random_modules(module: rr.Module) -> None:
    assert read_back(rr.check(module), "paper") == []
