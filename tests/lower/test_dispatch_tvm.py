"""TVM 0.27's own pattern dispatch beside ours: both proved, and what TVM's names promise held against contracts.

A composite function keeps its body, so that it is right as a program whatever it is called. Code generation goes by its
name: there TVM takes more than the name says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.interop.tvm import find_python
from refrelax.interop.tvm.passes import TvmPasses
from refrelax.lower import lower
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module
from tests.lower.dispatch_programs import PROGRAMS, program
from tests.lower.test_dispatch import checked

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]

PASSES = Path(__file__).with_name("tvm_dispatch_passes.py")

ANOTHER_NAME = {
    "bias of one element": "cuBLAS reads an element for each column: TVM does not look at the length",
    "axes as they were": "the axes are [0, 1], nothing is transposed: TVM does not look at the axes",
}
"""Programs where TVM's name says something else than the body does, and why."""

TVM_TAKES_MORE = {
    "another out_dtype": "cuBLAS sums float32 in float64 only where the operands are float64: no contract of ours",
    "bias with a row axis": "a bias (1, n) is a vector of n elements in memory; our contract has rank 1",
}
WE_TAKE_MORE = {
    "aligned by a product": "TVM wants a constant axis of the sum",
    "alignment unknown": "as above",
    "turned product": "as above",
    "square product": "as above",
    "axes as they were, square": "as above",
    "square transposed": "as above",
}
PRODUCTS = [name for name in PROGRAMS if "R.matmul" in program(name) and not PROGRAMS[name].kernels]


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmPasses]:
    passes = TvmPasses(python=find_python())
    yield passes
    passes.process.close()


def by_tvm(tvm: TvmPasses, module: Module, pipeline: str) -> Module:
    stages = list(tvm.stages(module, f"{PASSES}:{pipeline}"))
    return rr.parse(stages[-1].text)


def ours(before: CheckedModule) -> list[str]:
    """The products that we give to cuBLAS, under TVM's names: without rank and formats."""
    found = contracts_of(lower(before, passes=["dispatch_library"], libraries=["cublas"]).module.module)
    return sorted(_tvms(name) for name in found)


def _tvms(name: str) -> str:
    return re.sub("_(rows|batched|heads)", "", name).removesuffix("_f32").removesuffix("_f16")


def composites(module: Module) -> dict[str, Function]:
    """The composite functions of a module, by name."""
    found = {}
    for name, f in module.relax_functions().items():
        label = dict(f.attrs).get("Composite")
        if label is not None:
            found[f"{name}: {getattr(label, 'value', label)}"] = f
    return found


@pytest.mark.parametrize("pipeline", ["cublas", "cublas_annotated"])
@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != "lengths that may differ"])
def test_what_tvm_takes_is_proved_as_a_program(name: str, pipeline: str, tvm: TvmPasses) -> None:
    before = checked(program(name))
    after = by_tvm(tvm, before.module, pipeline)
    verdict = rr.validate(before, after, rounds=1)
    assert isinstance(verdict, rr.Equivalent) and not verdict.relaxations, verdict


@pytest.mark.parametrize("name", PRODUCTS)
def test_what_both_take(name: str, tvm: TvmPasses) -> None:
    before = checked(program(name))
    theirs = sorted(label.split(": ")[1] for label in composites(by_tvm(tvm, before.module, "cublas")))
    differs = {*ANOTHER_NAME, *TVM_TAKES_MORE, *WE_TAKE_MORE}
    assert (theirs == ours(before)) is (name not in differs), (theirs, ours(before))


@pytest.mark.parametrize("name", PRODUCTS)
def test_what_a_composite_is_called_is_what_it_computes(name: str, tvm: TvmPasses) -> None:
    """Its body is the contract of the library function that it is named after, for all shapes; but for known ones."""
    before = checked(program(name))
    for label, f in composites(by_tvm(tvm, before.module, "cublas")).items():
        alone = checked(rr.print_module(before.module.with_functions({"main": _public(f)})))
        right = ours(alone) == [label.split(": ")[1]]
        assert right is (name not in {*ANOTHER_NAME, *TVM_TAKES_MORE}), (label, ours(alone))


def _public(f: Function) -> Function:
    from dataclasses import replace

    return replace(f, private=False, attrs=())


@pytest.mark.parametrize("name", ANOTHER_NAME)
def test_a_library_that_does_what_the_name_says_is_refuted(name: str, tvm: TvmPasses) -> None:
    """The calls that code generation would make of TVM's composites, by our contracts of those names."""
    before = checked(program(name))
    (label,) = composites(by_tvm(tvm, before.module, "cublas"))
    library = label.split(": ")[1] + "_f32"
    from refrelax.lower.dispatch_library import load

    whole = load("cublas").module
    contract = {f: whole.functions[f] for n, f in contracts_of(whole).items() if n == library}
    it = PROGRAMS[name]
    given = ", ".join(each.split(":")[0] for each in it.params.split("; "))
    text = rr.print_module(whole.with_functions(contract)) + program(name).split("class Module:\n")[1]
    body = text.index("            R.output(out)")
    start = text.index("        with R.dataflow():\n", text.index("def main")) + len("        with R.dataflow():\n")
    out = before.types["main"]["out"]
    called = f'            out = R.call_dps_packed("{library}", ({given}), out_ty={out})\n'
    after = checked(text[:start] + called + text[body:])
    assert isinstance(rr.validate(before, after), rr.Refuted)
