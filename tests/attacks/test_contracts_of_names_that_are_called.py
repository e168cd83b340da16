"""A contract says what a name means in the whole module: also where it was called before, and in other contracts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr

V = 'R.Tensor((n,), "float32")'
X = np.array([-1, 2, -3], "float32")


def module(functions: str, main: str, params: str = f"x: {V}") -> str:
    return (
        f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n{functions}\n    @R.function\n    def main({params}):\n{main}'
    )


def contract(name: str, library: str, value: str) -> str:
    return f"""
    @R.function(private=True)
    def {name}(x: {V}) -> {V}:
        R.func_attr({{"Contract": "{library}"}})
        with R.dataflow():
            y = {value}
            R.output(y)
        return y
"""


NEGATIVE = """        with R.dataflow():
            r = R.nn.relu(x)
            R.output(r)
"""
LIBRARY = rr.parse(f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n{contract("c", "mine", "R.nn.relu(x)")}')
CALLS = {
    "destinations": f'R.call_dps_packed("mine", (x,), out_ty={V})',
    "packed": f'R.call_pure_packed("mine", x, ty_args=[{V}])',
    "loops": f"R.call_tir(Module.loops, (x,), out_ty={V})",
}
LOOPS = """
    @T.prim_func(private=True)
    def loops(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        T.call_packed("mine", A, B)
"""


def doubled(x: Any, *outs: Any) -> Any:
    for out in outs:
        out.assign(x.numpy() * 2)
    return x.numpy() * 2


@pytest.mark.parametrize("how", CALLS)
def test_a_library_says_nothing_of_calls_that_were_there_before(how: str) -> None:
    text = module(LOOPS, f"{NEGATIVE}        b = {CALLS[how]}\n        return (r, b)")
    checked = rr.check(rr.parse(text))
    lowered = rr.lower(checked, "dispatch", libraries=[LIBRARY])
    first, second = (rr.run(each, "main", X, externs={"mine": doubled}) for each in (checked, lowered.module))
    assert isinstance(first, rr.Returned) and first == second
    assert first.value[1].tolist() == [-2, 4, -6]
    assert "mine is called nowhere: the module calls a function of that name" in lowered.steps[0].evidence


def test_it_is_tried_where_the_name_is_new() -> None:
    lowered = rr.lower(rr.check(rr.parse(module("", f"{NEGATIVE}        return r"))), "dispatch", libraries=[LIBRARY])
    assert "as mine (1)" in lowered.steps[0].evidence


@pytest.mark.parametrize("pipeline", ["legalize", "default", "paper"])
def test_what_a_contract_calls_keeps_its_contract(pipeline: str) -> None:
    """A chain of three, and one that nobody calls any more."""
    calls = [contract(f"c{k}", f"lib.{k}", f'R.call_dps_packed("lib.{k + 1}", (x,), out_ty={V})') for k in (1, 2)]
    texts = "".join((*calls, contract("c3", "lib.3", "R.negative(x)"), contract("c4", "lib.4", "R.exp(x)")))
    dead = f"""        with R.dataflow():
            gone = R.call_dps_packed("lib.4", (x,), out_ty={V})
            y = R.call_dps_packed("lib.1", (x,), out_ty={V})
            R.output(y)
"""
    checked = rr.check(rr.parse(module(texts, f"{dead}        return y")))
    lowered = rr.lower(checked, pipeline).module
    assert rr.run(lowered, "main", X).value.tolist() == [1, -2, 3]
    contracts = {name for name in lowered.module.functions if name.startswith("c")}
    assert contracts == {"c1", "c2", "c3"} | ({"c4"} if pipeline == "legalize" else set())


@pytest.mark.parametrize("name", ["vm.builtin.make_tuple", "vm.builtin.match_shape"])
def test_the_machine_is_not_given_another_meaning(name: str) -> None:
    main = f'        y = R.call_dps_packed("{name}", (x,), out_ty={V})\n        return (x, y)'
    checked = rr.check(rr.parse(module(contract("c", name, "R.negative(x)"), main)))
    lowered = rr.lower(checked, "build")
    assert rr.run(lowered.module, "main", X).value == rr.run(checked, "main", X).value
    assert f"the module stays as it is: it has a contract of {name}" in lowered.steps[-1].evidence
