"""Fusion keeps every bit: the interpreter and NumPy, before and after, for several values of every symbol."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends import compile as compile_
from refrelax.examples import load
from refrelax.lower import lower
from refrelax.lower.fuse_loops.program import from_prim_func
from refrelax.lower.fuse_ops.primitive import is_primitive
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Call, GlobalVar, Op
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.fusion_modules import MODULES, X, Y, graph, pointwise, program
from tests.lower.test_fusion_mutants import FUSION, legal, observed

SIZES: tuple[dict[str, int], ...] = ({"n": 5, "m": 3}, {"n": 1, "m": 2}, {"n": 0, "m": 1}, {"n": 2, "m": 0})

UNPROVED = {"unequal": 1, "gather-shift": 1, "wrap": 1}
"""Claims that are false for some sizes, and so must not be proved."""

KERNELS = {
    "matmul-bias-relu": 1, "matmul-transposed": 1, "weight-transposed": 1, "transpose-subtract": 1, "half": 1,
    "bias-subtract": 1, "half-chain": 1, "rms": 1, "sum-of-squares": 1, "sum-of-exp": 1, "softmax-scale": 1,
    "concat-scale": 1, "rotate": 1, "arange-scale": 1, "slice-add": 1, "take-add": 1, "diamond": 1, "two-matmuls": 2,
    "heads": 3, "conv-bias-relu": 1, "integers": 1, "masked": 1, "empty-sum": 1, "across-match-cast": 2,
    "across-update": 3, "mixed-precision": 1, "square-matmul": 1, "palindrome": 1, "roll": 1, "diamond-open": 2,
    "halves": 2, "pad-sum": 1,
}  # fmt: skip
"""How many loop programs ``main`` calls after fusion."""

INTERMEDIATES = {
    "matmul-bias-relu": 0, "matmul-transposed": 0, "rms": 1, "conv-bias-relu": 0, "softmax-scale": 2, "palindrome": 1,
    "square-matmul": 0, "mixed-precision": 1, "rotate": 0, "two-symbols": 0, "sum-of-squares": 0, "rewritten-source": 1,
}  # fmt: skip
"""How many buffers the loop programs allocate after fusion."""


def kernels(checked: CheckedModule) -> int:
    """Calls of loop programs in ``main``."""
    main = checked.module.relax_functions()["main"]
    values = [b.value for block in main.body.blocks for b in block.bindings]
    return sum(isinstance(v, Call) and isinstance(v.op, Op) and v.op.name.startswith("relax.call_tir") for v in values)


def intermediates(checked: CheckedModule) -> int:
    return sum(len(f.root_allocs) for f in checked.module.prim_funcs().values())


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODULES)
def test_outcomes(name: str) -> None:
    before = legal(name)
    fused = lower(before, passes=FUSION)
    assert sum(not claim.proved for claim in fused.claims) == UNPROVED.get(name, 0)
    text = rr.print_module(fused.module.module)
    assert rr.structural_equal(rr.parse(text), fused.module.module)
    for dims in SIZES:
        for seed, policy in enumerate(("normal", "special")):
            assert observed(fused.module, dims, policy, seed) == observed(before, dims, policy, seed), dims


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", MODULES)
def test_numpy_gives_the_same_bits(name: str) -> None:
    before = legal(name)
    compiled = compile_(lower(before, passes=FUSION).module, backend="numpy", mode="bits")
    for dims in SIZES[:2]:
        known = {k: v for k, v in dims.items() if k in symbols_of(before.module, "main")}
        args = random_arguments(before.module, "main", 3, known, "normal")
        again = random_arguments(before.module, "main", 3, known, "normal")
        wanted, found = rr.run(before, "main", *args), compiled.run("main", *again)
        if isinstance(wanted, rr.Returned) and not wanted.poison:
            assert isinstance(found, rr.Returned)
            assert _bits(found.value) == _bits(wanted.value)


def _bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_bits, value))
    return (value.dtype, value.shape, tuple(value.patterns()))


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    assert kernels(lower(legal(name), passes=FUSION).module) == KERNELS[name]


@pytest.mark.parametrize("name", INTERMEDIATES)
def test_intermediates(name: str) -> None:
    assert intermediates(lower(legal(name), passes=FUSION).module) == INTERMEDIATES[name]


@pytest.mark.parametrize("name", ["matmul-bias-relu", "two-symbols", "arange-scale", "rms"])
def test_primitive_functions(name: str) -> None:
    """Between the two passes there are private functions, called by ``main``, with the meaning of what they replace."""
    before = legal(name)
    grouped = lower(before, passes=("fuse_ops",)).module
    made = {k: f for k, f in grouped.module.relax_functions().items() if is_primitive(f)}
    assert made and all(f.private for f in made.values())
    main = grouped.module.relax_functions()["main"]
    called = {b.value.op.name for b in main.body.blocks[0].bindings
              if isinstance(b.value, Call) and isinstance(b.value.op, GlobalVar)}  # fmt: skip
    assert called == set(made)
    for dims in SIZES:
        assert observed(grouped, dims, "normal") == observed(before, dims, "normal")


def test_a_symbol_without_a_parameter_gets_one() -> None:
    """``main(s: R.Shape([n, m]))`` makes its tensors from nothing: the group takes ``n`` and ``m`` as a shape."""
    text = rr.print_module(lower(legal("two-symbols"), passes=("fuse_ops",)).module.module)
    assert "symbols: R.Shape([n, m])" in text and "R.shape([n, m])" in text


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_examples(name: str) -> None:
    """From the imported text and from what TVM fused already; every claim is proved."""
    counts = {("mlp", "imported"): 3, ("cnn", "imported"): 6, ("decoder", "imported"): 24}
    example = load(name)
    for stage in example.stages:
        fused, before = _fused_example(stage)
        assert kernels(fused.module) == counts.get((name, stage.name), kernels(fused.module))
        for n in (2, 1):
            assert observed(fused.module, {"n": n}, "normal") == observed(before, {"n": n}, "normal")


def _fused_example(stage: Any) -> tuple[Any, CheckedModule]:
    module = replace(rr.parse(stage.text), constants=stage.constants)
    before = lower(rr.check(module), passes=("legalize", "dead_code")).module
    fused = lower(before, passes=FUSION)
    assert all(claim.proved for claim in fused.claims)
    assert kernels(fused.module) <= kernels(before)
    return fused, before


def test_a_second_time_changes_nothing() -> None:
    once = lower(legal("rms"), passes=FUSION).module
    assert lower(once, passes=FUSION).module.module == once.module


def test_an_update_in_place_stays_as_it_is() -> None:
    """A program that reads its own output is left alone, whatever it computes."""
    before = legal("across-update")
    assert lower(before, passes=FUSION).module.module == before.module


def test_a_hazard_stays() -> None:
    func = legal("rewritten-source").module.prim_funcs()["twice"]
    assert from_prim_func(func) is not None
    assert lower(legal("rewritten-source"), passes=FUSION).module.module["twice"].root_allocs


def test_a_primitive_function_of_unknown_origin() -> None:
    """Its entry checks are not known to succeed: it stays a function, and still traps."""
    text = program(
        pointwise("plus", "X[i] + Y[i]", "n", f"{X}; {Y}")
        + """    @R.function(private=True)
    def fused(x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"Primitive": True})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.plus, (x, y), out_ty=R.Tensor((n,), "float32"))
            R.output(a)
        return a
""",
        "x: f32[n], y: f32[m]",
        "out = cls.fused(x, y)",
    )
    before = rr.check(rr.parse(text))
    after = lower(before, passes=("fuse_loops",))
    assert [claim.proved for claim in after.claims] == [False]
    assert isinstance(observed(after.module, {"n": 3, "m": 2}, "normal"), rr.Trapped)
    known = rr.check(rr.parse(text.replace("(m,)", "(n,)")))
    assert "fused" in lower(known, passes=("fuse_loops",)).module.module.prim_funcs()


BRANCHES = """        if c:
            with R.dataflow():
                a = R.exp(x)
                b = R.add(a, x)
                R.output(b)
            out = b
        else:
            with R.dataflow():
                d = R.negative(x)
                e = R.multiply(d, x)
                R.output(e)
            out = e
"""


def test_blocks_in_branches() -> None:
    block = "        with R.dataflow():\n            out = x\n            R.output(out)\n"
    text = graph("c: b[], x: f32[n]", "out = x")
    assert block in text
    before = lower(rr.check(rr.parse(text.replace(block, BRANCHES))), "legalize").module
    after = lower(before, passes=FUSION).module
    assert all(name.startswith("fused_") for name in after.module.prim_funcs())
    for seed in range(4):
        assert observed(after, {"n": 5}, "normal", seed) == observed(before, {"n": 5}, "normal", seed)


# --- random graphs ---------------------------------------------------------------------------------------------------

SQUARE = (
    "R.add({a}, {b})", "R.subtract({a}, {b})", "R.multiply({a}, {b})", "R.exp({a})", "R.negative({a})",
    "R.permute_dims({a}, axes=[1, 0])", "R.matmul({a}, {b})", "R.tril({a})", "R.flip({a}, axis=1)",
    "R.maximum({a}, {b})", "R.nn.softmax({a}, axis=-1)",
    "R.broadcast_to(R.sum({a}, axis=[1], keepdims=True), R.shape([n, n]))",
    "R.strided_slice(R.concat([{a}, {b}], axis=0), axes=[0], begin=[1], end=[n + 1])",
    "R.reshape(R.reshape({a}, R.shape([n * n])), R.shape([n, n]))",
    "R.reshape(R.expand_dims({a}, axis=[0]), R.shape([n, n]))",
    'R.astype(R.astype({a}, "float16"), "float32")',
)  # fmt: skip


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A dataflow block of square tensors: any result may be used again, or not at all."""
    names = ["x", "y"]
    lines: list[str] = []
    for k in range(draw(st.integers(2, 7))):
        form = draw(st.sampled_from(SQUARE))
        a, b = draw(st.sampled_from(names[-3:])), draw(st.sampled_from(names))
        lines.append(f"v{k} = {form.format(a=a, b=b)}")
        names.append(f"v{k}")
    outs = draw(st.sampled_from([names[-1], f"({names[-1]}, {names[-2]})"]))
    return graph("x: f32[n, n], y: f32[n, n]", *lines, f"out = {outs}")


@pytest.mark.thorough
@given(graphs(), st.sampled_from([1, 2, 3]))
@settings(max_examples=12, deadline=None)
def test_random_graphs(text: str, n: int) -> None:
    before = lower(rr.check(rr.parse(text)), passes=("legalize", "dead_code")).module
    fused = lower(before, passes=FUSION).module
    assert kernels(fused) <= kernels(before)
    assert observed(fused, {"n": n}, "normal") == observed(before, {"n": n}, "normal")


@pytest.mark.nightly
@given(graphs(), st.sampled_from([0, 1, 2, 3]), st.sampled_from(["normal", "special"]))
@settings(max_examples=100, deadline=None)
def test_many_random_graphs(text: str, n: int, policy: str) -> None:
    before = lower(rr.check(rr.parse(text)), passes=("legalize", "dead_code")).module
    fused = lower(before, passes=FUSION).module
    assert observed(fused, {"n": n}, policy) == observed(before, {"n": n}, policy)
