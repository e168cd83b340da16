"""A registered function computes with numbers: where a reading has sets, nothing is known of the whole, and no more."""

from __future__ import annotations

from typing import Any

import numpy as np

import refrelax as rr

PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        w = R.exp(x)
        y = R.call_pure_packed("e", w, ty_args=[R.Tensor((2,), "float32")])
        z = R.OP(y, x)
        return z
"""
X = [np.array([1.25, 2.5], "float32")]


def program(op: str) -> rr.CheckedModule:
    return rr.check(rr.parse(PROGRAM.replace("OP", op)))


def minus(x: Any) -> Any:
    return -x.numpy()


def test_an_implementation_is_judged_binding_by_binding() -> None:
    verdict = rr.diff(program("add"), "main", X, impl="numpy", externs={"e": minus})
    assert isinstance(verdict, rr.Agreement)


def test_a_wrong_binding_is_found() -> None:
    class Wrong:
        def observe(self, checked: Any, entry: str, args: Any, externs: Any) -> Any:
            return rr.compile(program("subtract")).observe(entry, *args, externs=externs)

        def run(self, checked: Any, entry: str, args: Any) -> Any:
            return rr.compile(program("subtract")).run(entry, *args, externs={"e": minus})

    assert isinstance(rr.diff(program("add"), "main", X, impl=Wrong(), externs={"e": minus}), rr.Divergence)


def test_what_it_computed_from_sets_is_not_known() -> None:
    first, second = program("add"), program("subtract")
    answer = rr.validate(first, second, externs={"e": minus}, rounds=2)
    assert isinstance(answer, rr.NoVerdict) and answer.reason == "undecided"
    ended = rr.run(first, "main", X[0], numerics="enclosure", externs={"e": minus})
    assert ended == rr.Exhausted("single numbers for a library function")
