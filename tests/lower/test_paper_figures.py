"""The programs of the paper's figures, with the outcome that is expected of each."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.fuse_ops.primitive import is_primitive
from refrelax.lower.pattern_kinds import Kind, pattern_kind
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.paper_figures import BOUND_INSIDE, FIGURE_8, FIGURE_9, FIGURE_12

FUSION = ("fuse_ops", "fuse_loops")


def checked(text: str) -> CheckedModule:
    return rr.check(rr.parse(text))


def same_bits(before: CheckedModule, after: CheckedModule) -> None:
    for n in (0, 1, 3):
        dims = {k: v for k, v in {"n": n, "m": 5, "g": 2}.items() if k in symbols_of(before.module, "main")}
        args = random_arguments(before.module, "main", 1, dims, "dyadic")
        one, two = rr.run(before, "main", *args), rr.run(after, "main", *args)
        assert isinstance(one, rr.Returned) and isinstance(two, rr.Returned)
        assert one.value == two.value


@pytest.mark.parametrize("name", FIGURE_9)
def test_figure_9_decode_and_product(name: str) -> None:
    """Kinds are read off loops that no operator made; the two programs become one that never stores the weights."""
    before = checked(FIGURE_9[name])
    kinds = {k: pattern_kind(f) for k, f in before.module.prim_funcs().items()}
    assert kinds == {name[:2].join(("decode_", "")): Kind.INJECTIVE, "mm": Kind.OUTPUT_FUSIBLE}
    lowered = lower(before, passes=FUSION)
    assert all(claim.proved for claim in lowered.claims)
    (fused,) = lowered.module.module.prim_funcs().values()
    assert not fused.root_allocs and pattern_kind(fused) == Kind.OUTPUT_FUSIBLE
    assert isinstance(rr.validate(before, lowered.module, rounds=2), rr.Equivalent)
    same_bits(before, lowered.module)


def test_figure_9_arithmetic_that_unpacks_nothing_is_not_repeated() -> None:
    """The same product after an ordinary computation of its weights: that would be done again for every row."""
    text = (
        FIGURE_9["q4"]
        .replace('"uint32"', '"float16"')
        .replace("// T.int64(8)", "")
        .replace("T.int64(2)", "T.int64(16)")
    )
    start, end = text.index("(T.Cast("), text.index(" * S[")
    before = checked(
        (text[:start] + "(D[vk, vj] - T.float16(7))" + text[end:]).replace("R.Tensor((2, 6)", "R.Tensor((16, 6)")
    )
    assert len(lower(before, passes=FUSION).module.module.prim_funcs()) == 2


def test_figure_8_a_symbol_that_no_parameter_can_say() -> None:
    """The group reads ``n * 2`` elements and needs ``n``: it gets one more parameter, a shape; then a scalar."""
    before = lower(checked(FIGURE_8), "legalize").module
    grouped = lower(before, passes=["fuse_ops"]).module
    (group,) = [f for f in grouped.module.relax_functions().values() if is_primitive(f)]
    assert [str(p.type) for p in group.params] == ['R.Tensor((n * 2,), dtype="float32")', "R.Shape([n])"]
    after = lower(grouped, passes=["fuse_loops"]).module
    assert "R.call_tir(cls.fused_twice_ramp, (f, n)" in rr.print_module(after.module)
    for each in (grouped, after):
        assert isinstance(rr.validate(before, each, rounds=2), rr.Equivalent)
    for n in (1, 3):
        args = random_arguments(before.module, "main", 1, {"n": n}, "dyadic")
        assert rr.run(before, "main", *args) == rr.run(after, "main", *args)


def test_figure_8_without_the_parameter_the_module_is_ill_formed() -> None:
    grouped = lower(lower(checked(FIGURE_8), "legalize").module, passes=["fuse_ops"]).module
    text = rr.print_module(grouped.module).replace(", symbols: R.Shape([n])", "").replace(", R.shape([n])", "")
    with pytest.raises(rr.IllFormed):
        checked(text)


def test_section_3_2_nothing_moves_above_the_match_cast_that_binds_its_symbol() -> None:
    """Of the three calls the two after the check are fused; the one before it stays where it is."""
    before = checked(BOUND_INSIDE)
    after = lower(before, passes=FUSION).module
    (block,) = after.module.relax_functions()["main"].body.blocks
    assert [b.name for b in block.bindings] == ["a", "c", "d"]
    assert isinstance(rr.validate(before, after, rounds=2), rr.Equivalent)


@pytest.mark.thorough
def test_figure_12_partial_lowering() -> None:
    """A norm and a product go to libraries, the rest becomes one kernel, and the whole is proved."""
    before = checked(FIGURE_12)
    lowered = lower(before, "dispatch")
    after = lowered.module
    assert set(contracts_of(after.module)) == {"cutlass.rms_norm_rows_eps5_f32", "cublas.matmul_rows_f32"}
    assert list(after.module.prim_funcs()) == ["fused_silu_multiply"]
    for step in lowered.steps:
        assert isinstance(rr.validate(before, step.module, rounds=1), rr.Equivalent), step.name
    args = random_arguments(before.module, "main", 1, {"n": 3}, "normal")
    for backend in ("numpy", "cuda-emulated"):
        assert isinstance(rr.diff(after, "main", args, impl=backend), rr.Agreement)
