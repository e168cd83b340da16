"""What an implementation does not show is not judged; what programs name in constants is drawn; lanes are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.executable import Frame, Observed
from refrelax.errors import UsageError
from refrelax.syntax.module import Module

RESHAPE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        y: R.Tensor((n * 4,), "float32") = R.reshape(x, (n * 4,))
        return y
"""


@dataclass(frozen=True)
class Shows:
    """An implementation that shows variables and no symbols."""

    def run(self, module: Module, entry: str, args: list[Any]) -> rr.Outcome:
        return rr.run(rr.check(module), entry, *args)

    def observe(self, module: Module, entry: str, args: list[Any]) -> Observed:
        return Observed(self.run(module, entry, args), (Frame("main", "y", {"x": args[0]}, args[0].reshape(8), True),))


def test_a_binding_whose_symbols_are_not_shown_is_undecided() -> None:
    x = np.arange(8, dtype="float32").reshape(2, 4)
    found = rr.diff(rr.check(rr.parse(RESHAPE)), "main", [x], Shows())
    assert isinstance(found, rr.Agreement), found
    assert [each.word for each in found.bindings] == ["undecided"]
    assert [each.word for each in found.results] == ["inside"]


@pytest.mark.parametrize("bound", [False, True])
def test_validate_draws_what_constants_name(bound: bool) -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "int32")):
        y = R.equal(x, {})
        return y
"""
    if bound:
        text = text.format('metadata["ir.GenericConst"][0]')
        one, two = (rr.bind_constants(rr.parse(text), {0: np.array(k, "int32")}) for k in (123456, 123457))
    else:
        one, two = (rr.parse(text.format(f'R.const({k}, "int32")')) for k in (123456, 123457))
    assert rr.validate(one, two).word == "REFUTED"
    assert rr.validate(one, one).word == "PROVED"


def test_vectors_are_not_made_up() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((3,), "float32x4"), C: T.Buffer((3,), "float32x4")):
        for i in range(3):
            C[i] = A[i] * T.Broadcast(T.float32({}), 4)
"""
    one, two = (rr.check(rr.parse(text.format(k))) for k in (2, 3))
    with pytest.raises(UsageError, match="float32x4"):
        rr.testing.random_arguments(one.module)
    answer = rr.validate(one, two)
    assert isinstance(answer, rr.NoVerdict) and "float32x4" in answer.why
