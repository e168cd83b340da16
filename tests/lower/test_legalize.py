"""Legalization: every operator's loop program gives the operator's bits, in the interpreter and in NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import refrelax as rr
from refrelax.backends import compile as compile_
from refrelax.examples import load
from refrelax.lower import lower
from refrelax.lower.legalize import LEGALIZERS
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Op
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.cases import CASES, module_text

SIZES: tuple[dict[str, int], ...] = ({"n": 5, "m": 3}, {"n": 1, "m": 2}, {"n": 0, "m": 1})


def operators(checked: rr.CheckedModule) -> set[str]:
    """The operators that the graph level of a module still calls."""
    return {
        node.op.name
        for func in checked.module.relax_functions().values()
        for node in nodes(func)
        if isinstance(node, Call) and isinstance(node.op, Op)
    }


def cells(value: Any) -> list[Any]:
    """Dtypes, shapes and bits (``None``: poison) of a value."""
    if isinstance(value, tuple):
        return [each for field in value for each in cells(field)]
    return [value.dtype, value.shape, *value.patterns()]


def same(wanted: list[Any], found: list[Any]) -> bool:
    """Equal wherever the definition says something."""
    return len(wanted) == len(found) and all(a is None or a == b for a, b in zip(wanted, found, strict=True))


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("op", "params", "call"), CASES, ids=[f"{k}-{c[0]}" for k, c in enumerate(CASES)])
def test_operator(op: str, params: str, call: str) -> None:
    checked = rr.check(rr.parse(module_text(params, call)))
    assert operators(checked) == {f"relax.{op}"}
    lowered = lower(checked, "legalize")
    assert all(claim.proved for claim in lowered.claims), [str(c) for c in lowered.claims if not c.proved]
    assert operators(lowered.module) == {"relax.call_tir"}
    compiled = compile_(lowered.module, backend="numpy", mode="bits")
    symbols = symbols_of(checked.module, "main")
    compared = 0
    for sizes in SIZES if symbols else SIZES[:1]:
        for seed, policy in enumerate(("special", "normal")):
            dims = {k: v for k, v in sizes.items() if k in symbols}
            args = random_arguments(checked.module, "main", seed, dims, policy)
            before = rr.run(checked, "main", *args)
            if not isinstance(before, rr.Returned):
                continue
            compared += 1
            wanted = cells(before.value)
            for after in (rr.run(lowered.module, "main", *args), compiled.run("main", *args)):
                assert isinstance(after, rr.Returned), after
                assert same(wanted, cells(after.value)), (dims, policy, wanted, cells(after.value))
    assert compared


def test_every_legalizer_has_a_case() -> None:
    assert {f"relax.{op}" for op, _, _ in CASES} == set(LEGALIZERS)


def model(name: str) -> tuple[rr.CheckedModule, Any]:
    example = load(name)
    stage = example.stage("imported")
    return rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants)), example


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_model(name: str) -> None:
    checked, example = model(name)
    lowered = lower(checked, "legalize")
    assert operators(lowered.module) == {"relax.call_tir"}
    assert all(claim.proved for claim in lowered.claims)
    assert rr.structural_equal(rr.parse(rr.print_module(lowered.module.module)), lowered.module.module)
    compiled = compile_(lowered.module, backend="numpy", mode="bits")
    args = example.runs[0].args
    wanted = rr.run(checked, "main", *args)
    assert isinstance(wanted, rr.Returned)
    for after in (rr.run(lowered.module, "main", *args), compiled.run("main", *args)):
        assert isinstance(after, rr.Returned)
        assert cells(after.value) == cells(wanted.value)


def test_model_under_the_enclosure() -> None:
    """The loop programs leave the freedom that the operators leave: what one computes is permitted by the other."""
    checked, example = model("mlp")
    lowered = lower(checked, "legalize").module
    args = example.runs[0].args
    permitted = rr.run(lowered, "main", *args, numerics="enclosure")
    sampled = rr.run(checked, "main", *args, numerics="sampled", seed=3)
    assert isinstance(permitted, rr.Returned) and isinstance(sampled, rr.Returned)
    for box, found in zip(permitted.value, sampled.value, strict=True):
        assert isinstance(box.judge(found), rr.Inside)


STAYS = [
    ("x: f32[m, 3], k: f32[n]", "R.broadcast_to(x, R.shape([n, 3]))"),
    ("x: f32[n, 3], y: f32[m]", "R.matmul(x, y)"),
]


@pytest.mark.parametrize(("params", "call"), STAYS)
def test_what_is_not_proved_is_not_rewritten(params: str, call: str) -> None:
    checked = rr.check(rr.parse(module_text(params, call)))
    lowered = lower(checked, "legalize")
    assert lowered.module.module == checked.module
    assert [type(c.answer).__name__ for c in lowered.claims] == ["Refuted"]


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("params", "call"),
    [
        ("x: f32[n], s: R.Shape([m, k])", "R.reshape(x, s)"),
        ("x: f32[n], s: R.Shape([m, k])", "R.reshape(x, R.shape([m, k]))"),
        ("x: f32[n, 2], s: R.Shape([m, k, m])", "R.reshape(x, s)"),
        ("x: f32[n, 3], s: R.Shape([m])", "R.reshape(x, R.shape([m, 3]))"),
        ("x: f32[n, 3], s: R.Shape([m])", "R.reshape(x, R.shape([2, m]))"),
    ],
)
def test_a_reshape_whose_size_only_a_run_shows(params: str, call: str) -> None:
    """Elsewhere the call is open (``op.reshape/element-count-run``), so that its loops rest on it."""
    text = module_text(params, call).replace("n, m = T.int64(), T.int64()", "n, m, k = T.int64(), T.int64(), T.int64()")
    checked = rr.check(rr.parse(text))
    step = lower(checked, "legalize")
    assert operators(step.module) == {"relax.call_tir"} and all(claim.proved for claim in step.claims)
    assert isinstance(rr.validate(checked, step.module), rr.Equivalent)
    compiled = compile_(step.module, backend="numpy", mode="bits")
    compared = open_ = 0
    for n, m, k in product(range(5), range(4), range(4)):
        dims = {name: v for name, v in {"n": n, "m": m, "k": k}.items() if name in symbols_of(checked.module, "main")}
        args = random_arguments(checked.module, "main", 1, dims)
        before = rr.run(checked, "main", *args)
        if not isinstance(before, rr.Returned):
            assert isinstance(before, rr.Unspecified) and before.rule == "op.reshape/element-count-run"
            open_ += 1
            continue
        compared += 1
        for after in (rr.run(step.module, "main", *args), compiled.run("main", *args)):
            assert isinstance(after, rr.Returned)
            assert same(cells(before.value), cells(after.value))
    assert compared and open_


@pytest.mark.parametrize("ends", ["m, m + n, 1", "m - n, m, 1", "m * 2, m * 2 + n * 3, 3"])
def test_scalars_of_a_call_are_numbers(ends: str) -> None:
    """``R.arange(t, t + n)``, as a decoder counts the positions behind those of a cache: ``t + n`` is evaluated before
    the loops run."""
    values = ", ".join(f"R.prim_value({e})" for e in ends.split(", "))
    call = f'R.arange({values}, dtype="int64")'
    checked = rr.check(rr.parse(module_text("x: f32[n], s: R.Shape([m])", call)))
    step = lower(checked, "legalize")
    assert operators(step.module) == {"relax.call_tir"} and all(claim.proved for claim in step.claims)
    assert isinstance(rr.validate(checked, step.module), rr.Equivalent)


def test_unknown_dims_stay() -> None:
    checked = rr.check(rr.parse(module_text("x: R.Tensor(ndim=2, dtype='float32')", "R.add(x, x)")))
    lowered = lower(checked, "legalize")
    assert lowered.module.module == checked.module
    assert lowered.claims == ()


def test_kernels_are_shared_and_named_apart() -> None:
    more = ["b = R.add(y, y)", "c = R.add(z, z)", "d = R.exp(b)", "R.output(gv)"]
    text = module_text("x: f32[n, 3], y: f32[m, 3], z: f32[2]", "R.add(x, x)")
    text = text.replace("R.output(gv)", "\n            ".join(more))
    lowered = lower(rr.check(rr.parse(text)), "legalize").module.module
    assert set(lowered.prim_funcs()) == {"add", "add1", "exp"}


NESTED = """
from tvm.script import ir as I, relax as R, tirx as T
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((n, 3), dtype="float32")) -> R.Tensor((n, 3), dtype="float32"):
        @R.function
        def inner(y: R.Tensor((m, 3), dtype="float32")) -> R.Tensor((m, 3), dtype="float32"):
            a: R.Tensor((m, 3), dtype="float32") = R.exp(y)
            return a

        if p:
            b: R.Tensor((n, 3), dtype="float32") = inner(x)
            r: R.Tensor((n, 3), dtype="float32") = R.add(b, x)
        else:
            r: R.Tensor((n, 3), dtype="float32") = R.negative(x)
        return r
"""


def test_nested_functions_and_branches() -> None:
    checked = rr.check(rr.parse(NESTED))
    lowered = lower(checked, "legalize").module
    assert operators(lowered) == {"relax.call_tir"}
    for p in (True, False):
        before, after = (rr.run(c, "main", p, [[1.0, 2.0, -0.5]]) for c in (checked, lowered))
        assert isinstance(before, rr.Returned) and isinstance(after, rr.Returned)
        assert cells(before.value) == cells(after.value)
