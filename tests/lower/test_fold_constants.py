"""Constant folding."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.lower import lower
from refrelax.syntax.graph import Constant, ConstantRef, VarBinding

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), dtype="float32")):
        with R.dataflow():
"""


def folded(*lines: str) -> rr.CheckedModule:
    text = HEAD + "".join(f"            {line}\n" for line in (*lines, "R.output(r)")) + "        return r\n"
    module = rr.bind_constants(rr.parse(text), {0: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]})
    return lower(rr.check(module), passes=["fold_constants"]).module


def value(checked: rr.CheckedModule, name: str) -> object:
    for block in checked.module.relax_functions()["main"].body.blocks:
        for binding in block.bindings:
            if binding.name == name:
                assert isinstance(binding, VarBinding)
                return binding.value
    raise KeyError(name)


def test_a_chain_of_constants_folds() -> None:
    checked = folded(
        'a = R.permute_dims(metadata["ir.GenericConst"][0])',
        "b = R.multiply(a, R.const(2.0, 'float32'))",
        "r = R.matmul(x, b)",
    )
    b = value(checked, "b")
    assert isinstance(b, ConstantRef)
    array = checked.module.constants[b.index]
    assert array.shape == (3, 2)
    assert array.patterns() == rr.Tensor.of([[2.0, 8.0], [4.0, 10.0], [6.0, 12.0]]).patterns()
    found = rr.run(checked, "main", [[1.0, 0.0, 0.0]])
    assert isinstance(found, rr.Returned)
    assert found.value.patterns() == rr.Tensor.of([[2.0, 8.0]]).patterns()


def test_a_scalar_becomes_an_inline_constant() -> None:
    checked = folded("a = R.add(R.const(1, 'int32'), R.const(2, 'int32'))", "r = R.multiply(x, x)")
    assert value(checked, "a") == Constant("int32", (), (3,))


@pytest.mark.parametrize(
    "call",
    [
        "R.exp(x)",
        "R.zeros(R.shape([2, 3]), dtype='float32')",
        "R.floor_divide(R.const(1, 'int32'), R.const(0, 'int32'))",
        "R.astype(R.const('nan', 'float32'), dtype='int32')",
        "R.broadcast_to(metadata['ir.GenericConst'][0], R.shape([n, 2, 3]))",
    ],
    ids=["argument", "from nothing", "open run", "poison", "symbols"],
)
def test_what_stays(call: str) -> None:
    checked = folded(f"a = {call}", "r = R.multiply(x, x)")
    assert type(value(checked, "a")).__name__ == "Call"


@pytest.mark.parametrize("passes", [["fold_constants"], ["legalize", "fold_constants", "dead_code"]])
def test_a_model_keeps_its_bits(passes: list[str]) -> None:
    example = load("mlp")
    stage = example.stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    lowered = lower(checked, passes=passes).module
    assert len(lowered.module.constants) > len(checked.module.constants)
    wanted, found = (rr.run(c, "main", *example.runs[0].args) for c in (checked, lowered))
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert [t.patterns() for t in wanted.value] == [t.patterns() for t in found.value]
