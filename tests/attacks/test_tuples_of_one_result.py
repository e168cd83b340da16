"""``R.meshgrid`` of one vector gives a tuple of one tensor; a loop program that stores one output is called for that
tensor itself, and the tuple is made of it (``ty/call-tir-out-ty``)."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent

PROGRAM = """
n = TypeVar("n")

@R.function
def main(x: R.Tensor((n,), "float32"), a_field_only: R.Tensor((), "float32")):
    with R.dataflow():
        a = R.meshgrid(({vectors},))
        b = a[0]
        c = R.add(b, a_field_only)
        R.output(a, c)
    return a, c
"""


@pytest.mark.parametrize("pipeline", ["legalize", "default", "build"])
@pytest.mark.parametrize("vectors", ["x", "x, x"])
def test_a_tuple_of_one_is_legalized(pipeline: str, vectors: str) -> None:
    program = rr.check(rr.parse(PROGRAM.format(vectors=vectors)))
    lowered = rr.lower(program, pipeline).module
    text = rr.print_module(lowered.module)
    assert "R.meshgrid" not in "".join(line for line in text.splitlines() if '"Origin"' not in line)
    assert vectors != "x" or "R.meshgrid" not in text  # the loop program gives a tensor, the call a tuple
    found = rr.validate(program, lowered)
    assert isinstance(found, Equivalent) or (pipeline == "build" and found.word in ("TESTED", "PROVED-AT")), str(found)
