"""Workspaces: lifted ones mean the same for all shapes and are planned; others stay; wrong lifts are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower import lift_workspace
from refrelax.lower.claims import Ledger
from refrelax.lower.pipeline import lower
from refrelax.lower.plan_memory import planned_bytes
from refrelax.semantics.dims import value
from refrelax.syntax.graph import Function
from refrelax.syntax.scalars import Binary, int_imm

HEAD = """# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T
n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
"""
FIGURE_11 = (
    HEAD
    + """
    @T.prim_func(private=True)
    def mm_stream_k(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 12), "float32")
        B = T.match_buffer(b, (12, 5), "float32")
        C = T.match_buffer(c, (n, 5), "float32")
        workspace = T.alloc_buffer((3, n, 5), "float32", scope="global")
        for s, i, j in T.grid(3, n, 5):
            workspace[s, i, j] = T.float32(0)
            for k in range(4):
                workspace[s, i, j] = workspace[s, i, j] + A[i, s * 4 + k] * B[s * 4 + k, j]
        for i, j in T.grid(n, 5):
            C[i, j] = T.float32(0)
            for s in range(3):
                C[i, j] = C[i, j] + workspace[s, i, j]

    @T.prim_func(private=True)
    def exp(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 12), "float32")
        B = T.match_buffer(b, (n, 12), "float32")
        for i, j in T.grid(n, 12):
            B[i, j] = T.exp(A[i, j])

    @R.function
    def main(x: R.Tensor((n, 12), "float32"), w: R.Tensor((12, 5), "float32")) -> R.Tensor((n, 5), "float32"):
        cls = Module
        with R.dataflow():
            lv0 = R.call_tir(cls.exp, (x,), out_ty=R.Tensor((n, 12), "float32"))
            lv1 = R.call_tir(cls.exp, (lv0,), out_ty=R.Tensor((n, 12), "float32"))
            lv2 = R.call_tir(cls.mm_stream_k, (lv1, w), out_ty=R.Tensor((n, 5), "float32"))
            R.output(lv2)
        return lv2
"""
)
"""The paper's Figure 11: a matrix product in the manner of Stream-K, whose partial sums lie in global memory that the
program allocates for itself; lifted, the workspace takes memory that other tensors had."""

MEMORY = ("to_destinations", "plan_memory")


def lifted(text: str) -> tuple[rr.CheckedModule, rr.CheckedModule]:
    checked = rr.check(rr.parse(text))
    return checked, lower(checked, passes=("lift_workspace",)).module


def test_figure_11() -> None:
    checked, after = lifted(FIGURE_11)
    text = rr.print_module(after.module)
    assert "def mm_stream_k_workspace(" in text and "def mm_stream_k(" not in text
    assert "alloc_buffer" not in text
    shape = 'out_ty=[R.Tensor((n, 5), dtype="float32"), R.Tensor((3, n, 5), dtype="float32")]'
    assert f"lv2_all = R.call_tir(cls.mm_stream_k_workspace, (lv1, w), {shape})" in text
    assert isinstance(rr.validate(checked, after), rr.Equivalent)
    planned = lower(after, passes=MEMORY)
    assert all(claim.proved for claim in planned.claims)
    assert isinstance(rr.validate(checked, planned.module), rr.Equivalent)
    # lv0 and lv1 take n * 48 each; the workspace, n * 60, goes where lv0 was, which grows
    assert value(planned_bytes(planned.module.module)[1], {"n": 7}) == 7 * (60 + 48 + 20)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_figure_11_runs_as_before(n: int) -> None:
    checked, after = lifted(FIGURE_11)
    planned = lower(after, passes=MEMORY).module
    x = [[0.25 * (i + j) for j in range(12)] for i in range(n)]
    w = [[float(k - j) for j in range(5)] for k in range(12)]
    import numpy as np

    args = (np.array(x, "float32").reshape(n, 12), np.array(w, "float32"))
    before, now = (rr.run(each, "main", *args) for each in (checked, planned))
    assert isinstance(before, rr.Returned) and isinstance(now, rr.Returned)
    assert before.value.core.bits() == now.value.core.bits()
    assert before.poison == now.poison == ()


KERNEL = """
    @T.prim_func(private=True)
    def f({params}):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
{body}
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> {ret}:
        cls = Module
        y = {call}
        return y
"""
TENSOR = 'R.Tensor((n,), "float32")'
CALL = f"R.call_tir(cls.f, (x,), out_ty={TENSOR})"


def kernel(*body: str, params: str = "a: T.handle, b: T.handle", call: str = CALL, ret: str = TENSOR) -> str:
    lines = "\n".join(f"        {line}" for line in body)
    return HEAD + KERNEL.format(params=params, body=lines + "\n", call=call, ret=ret)


COPY = ("for i in range(n):", "    W[i] = A[i] + T.float32(1)", "for i in range(n):", "    B[i] = W[i] * W[i]")
ALLOC = 'W = T.alloc_buffer({}, "float32", scope="{}")'.format
STAYS: dict[str, str] = {
    "shared memory": kernel(ALLOC("(n,)", "shared"), *COPY),
    "local memory": kernel(
        ALLOC("(4,)", "local"), "W[0] = T.float32(2)", "for i in range(n):", "    B[i] = A[i] * W[0]"
    ),
    "allocated in a loop": kernel(
        "for i in range(n):", "    " + ALLOC("(1,)", "global"), "    W[0] = A[i]", "    B[i] = W[0] * W[0]"
    ),
    "an extent that may be negative": kernel(ALLOC("(n - 1,)", "global"), "for i in range(n):", "    B[i] = A[i]"),
    "another buffer in its memory": kernel(
        ALLOC("(n,)", "global"), 'V = T.decl_buffer((n,), "float32", data=W.data)',
        "for i in range(n):", "    V[i] = A[i]", "for i in range(n):", "    B[i] = W[i]",
    ),
    "a call in place": kernel(
        ALLOC("(n,)", "global"), *COPY,
        call=f"R.call_tir_inplace(cls.f, (x, x), inplace_indices=[1], out_ty={TENSOR})",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", STAYS)
def test_what_is_no_workspace_of_a_call_stays(what: str) -> None:
    checked, after = lifted(STAYS[what])
    assert after.module == checked.module


GOES: dict[str, str] = {
    "at the root": kernel(ALLOC("(n,)", "global"), *COPY),
    "of the root block": kernel("W = T.sblock_alloc_buffer((n,))", *COPY),
    "an extent of a scalar parameter": HEAD
    + """
    @T.prim_func(private=True)
    def f(a: T.handle, k: T.int64, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        W = T.alloc_buffer((k, 2), "float32", scope="global")
        for i, j in T.grid(k, 2):
            W[i, j] = T.float32(3)
        for i in range(n):
            B[i] = A[i] + W[0, 1]

    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 1000}})
        cls = Module
        y = R.call_tir(cls.f, (x, n + 1), out_ty=R.Tensor((n,), "float32"))
        return y
""",
    "two outputs": kernel(
        'C = T.match_buffer(c, (n,), "float32")', ALLOC("(n,)", "global"), *COPY, "for i in range(n):",
        "    C[i] = W[i]", params="a: T.handle, b: T.handle, c: T.handle",
        call=f"R.call_tir(cls.f, (x,), out_ty=[{TENSOR}, {TENSOR}])", ret=f"R.Tuple({TENSOR}, {TENSOR})",
    ),
    "with a layout, as TVM prints it": kernel(
        'W = T.alloc_buffer((n,), "float32", layout=T.TileLayout(T.S[(n,):(1,)]))', *COPY
    ),
    "two workspaces": kernel(
        ALLOC("(n,)", "global"), 'U = T.alloc_buffer((n, 2), "float16", scope="global")', *COPY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", GOES)
def test_a_workspace_is_lifted(what: str) -> None:
    checked, after = lifted(GOES[what])
    text = rr.print_module(after.module)
    assert "cls.f_workspace" in text and "alloc_buffer" not in text
    assert rr.parse(text) == after.module
    planned = lower(after, passes=MEMORY).module
    for each in (after, planned):
        found = rr.validate(checked, each)
        assert isinstance(found, rr.Equivalent), getattr(found, "unproved", found)


def test_a_public_loop_program_stays_beside_the_lifted_one() -> None:
    text = kernel(ALLOC("(n,)", "global"), *COPY).replace("@T.prim_func(private=True)", "@T.prim_func")
    checked, after = lifted(text)
    assert set(after.module.functions) == {"f", "f_workspace", "main"}
    assert after.module.functions["f"] == checked.module.functions["f"]


# --- wrong lifts -----------------------------------------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch], None]


def _types(change: Callable[[Any], Any]) -> Patch:
    def patch(m: pytest.MonkeyPatch) -> None:
        honest = lift_workspace._dims
        m.setattr(lift_workspace, "_dims", lambda buffer, given: change(honest(buffer, given)))

    return patch


def _before_the_outputs(m: pytest.MonkeyPatch) -> None:
    honest = lift_workspace.with_parameters
    m.setattr(lift_workspace, "with_parameters", lambda func, spaces, at: honest(func, spaces, at - 1))


def _the_workspace_is_the_result(m: pytest.MonkeyPatch) -> None:
    honest = lift_workspace._Rewriter.call

    def call(rewriter: Any, binding: Any, *rest: Any) -> Any:
        found = honest(rewriter, binding, *rest)
        return [found[0], replace(found[1], value=replace(found[1].value, index=1))] if found else found

    m.setattr(lift_workspace._Rewriter, "call", call)


def _stores_are_dropped(m: pytest.MonkeyPatch) -> None:
    """The first loop, which fills the workspace, goes with its allocation."""
    honest = lift_workspace._without
    m.setattr(lift_workspace, "_without", lambda body, names: honest(body, names)[1:])


WRONG: dict[str, tuple[str, Patch]] = {
    "an extent more": (GOES["at the root"], _types(lambda dims: (Binary("Add", dims[0], int_imm(1)), *dims[1:]))),
    "an extent of one": (GOES["at the root"], _types(lambda dims: (int_imm(1), *dims[1:]))),
    "workspaces before the outputs": (GOES["at the root"], _before_the_outputs),
    "the workspace is the result": (GOES["at the root"], _the_workspace_is_the_result),
    "what fills the workspace is gone": (GOES["at the root"], _stores_are_dropped),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_lift_is_refuted(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, patch = WRONG[what]
    checked = rr.check(rr.parse(text))
    patch(monkeypatch)
    try:
        after = rr.check(lift_workspace.run(checked, Ledger()))
    except rr.IllTyped as refused:
        assert what in ("an extent more", "an extent of one"), refused
        assert "ty/call-tir-out-ty" in {each.rule for each in refused.diagnostics}
        return
    monkeypatch.undo()
    assert isinstance(after.module.functions["main"], Function) and after.module != checked.module
    found = rr.validate(checked, after)
    assert isinstance(found, rr.Refuted), found
