"""Calls of the virtual machine's library with an argument too many, of another sort, or out of place: the backends say
what the definition says of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.judge import diff
from refrelax.lower.pipeline import lower
from refrelax.testing.mutations import mutant

RELU = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        with R.dataflow():
            r = R.nn.relu(x)
            R.output(r)
        return r
"""

PLACE = r', R.str("ErrorContext(fn=main, loc=param[0], param=x, annotation=R.Tensor((n, m), dtype=\"float32\")) ")'
OFF = {
    "a size that is less than its codes": ('make_shape", shape_heap, 2', 'make_shape", shape_heap, 1'),
    "a place that is no text": (PLACE, f"{PLACE}, 7"),
    "no place": (PLACE, ", 7"),
    "a loop program with an argument too many": ("cls.relu, x, r, R.shape([])", "cls.relu, x, r, r, R.shape([])"),
}


def built() -> rr.CheckedModule:
    return lower(rr.check(rr.parse(RELU)), pipeline="build").module


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("what", OFF)
def test_one_call_is_another(what: str, mode: str) -> None:
    text, (old, new) = rr.print_module(built().module), OFF[what]
    assert old in text, text[text.index("def main") :]
    off = rr.check(rr.parse(text.replace(old, new)))
    verdict = diff(off, "main", [np.ones((3, 2), np.float32)], mode=mode)
    assert not isinstance(verdict, rr.Divergence), verdict


@pytest.mark.thorough
def test_mutants_of_a_built_module() -> None:
    turn, looked = random.Random(11), 0
    for _ in range(60):
        off = mutant(built().module, turn, turn.choice((1, 2)))
        if off is None or "main" not in off.module.functions:
            continue
        for mode in ("fast", "bits"):
            try:
                verdict = diff(off, "main", [np.ones((3, 2), np.float32)], mode=mode)
            except Unsupported:
                continue
            looked += not isinstance(verdict, rr.NoVerdict)
            assert not isinstance(verdict, rr.Divergence), (verdict, rr.print_module(off.module))
    assert looked > 20
