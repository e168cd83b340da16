"""Destination passing and memory planning: outcomes stay, memory shrinks, claims hold, wrong plans are caught."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import Outcome, UsageError
from refrelax.lower import plan_memory, to_destinations
from refrelax.lower.claims import Ledger
from refrelax.lower.pipeline import lower
from refrelax.lower.plan_memory import planned_bytes
from refrelax.syntax.write.scalars import expression

from .memory_modules import HEAD, MODULES, V, call, module
from .mutants_memory import MUTANTS, Mutant

MEMORY = ("to_destinations", "plan_memory")
X, Y = [1.0, 2.0, 3.0, 4.0], [0.5, -8.0, 16.0, 32.0]


def arguments(text: str) -> list[list[Any]]:
    """Arguments for ``main``: both truth values where it takes a condition."""
    return [[c, X, Y] for c in (True, False)] if "c: T.bool" in text else [[X, Y]]


def shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    return (value.dtype, value.shape, tuple(value.core.bits())) if isinstance(value, rr.Tensor) else value


def observed(out: Outcome) -> Any:
    """What two runs are compared by."""
    if isinstance(out, rr.Returned):
        return shown(out.value), shown(out.arguments), out.poison
    return type(out).__name__, getattr(out, "rule", None)


def outcomes(checked: rr.CheckedModule, text: str) -> list[Any]:
    return [observed(rr.run(checked, "main", *args)) for args in arguments(text)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODULES)
def test_planned_modules_mean_the_same(name: str) -> None:
    text = MODULES[name]
    checked = rr.check(rr.parse(text))
    lowered = lower(checked, passes=MEMORY)
    assert all(claim.proved for claim in lowered.claims)
    assert rr.parse(rr.print_module(lowered.module.module)) == lowered.module.module
    assert outcomes(lowered.module, text) == outcomes(checked, text)


@pytest.mark.by_day(8)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_wrong_plans_are_caught(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    text = MODULES[mutant.module]
    checked = rr.check(rr.parse(text))
    right = outcomes(checked, text)
    mutant.patch(monkeypatch)
    plan = plan_memory.run(rr.check(to_destinations.run(checked, Ledger())), Ledger())
    try:
        wrong = outcomes(rr.check(plan), text)
    except (rr.IllFormed, rr.IllTyped) as refused:
        by_checking = {"wf/var-defined-before-use", "wf/symbol-defined", "ty/call-argument"}
        assert {each.rule for each in refused.diagnostics} <= by_checking
        return
    assert wrong != right


CHAIN = module(
    f"a = {call('double', 'x')}",
    f"b = {call('bump', 'a')}",
    f"d = {call('double', 'b')}",
    f"r = {call('bump', 'd')}",
    "return r",
)


def sizes(text: str, passes: tuple[str, ...] = MEMORY) -> tuple[str, str]:
    before, after = planned_bytes(lower(rr.check(rr.parse(text)), passes=passes).module.module)
    return expression(before), expression(after)


def test_dead_memory_is_used_again() -> None:
    assert sizes(CHAIN) == ("64", "48")  # d in the memory of a; the result keeps its own


def test_symbolic_sizes() -> None:
    n = 'R.Tensor((n,), "float32")'
    lines = [f"{new} = {call('sym', old, out=n)}" for new, old in zip("abdefr", "xabdef", strict=True)]
    text = module(
        "n = T.int64()", *lines, "return r", ret='R.Tensor(("n",), "float32")', params='x: R.Tensor(("n",), "float32")'
    )
    assert sizes(text) == ("n * 24", "n * 12")


def test_a_storage_grows_where_that_is_proved() -> None:
    assert sizes(MODULES["larger"]) == ("48", "32")
    assert sizes(MODULES["symbolic_rows"]) == ("n * 12", "n * 8")


def test_a_size_known_later_is_no_reason_to_grow() -> None:
    assert sizes(MODULES["late_symbol"]) == ("m * 8 + 16", "m * 8 + 16")


def test_branches_share_what_is_free_before_them() -> None:
    text = module(
        f"a = {call('double', 'x')}",
        f"b = {call('bump', 'x')}",
        "if c:",
        f"    v = {call('bump', 'b')}",
        f"    w = {call('double', 'v')}",
        "else:",
        f"    u = {call('double', 'b')}",
        f"    w = {call('bump', 'u')}",
        f"e = {call('double', 'w')}",
        f"r = {call('double', 'e')}",
        "return r",
        params=f"c: T.bool, x: {V}, y: {V}",
    )
    before, after = sizes(text)
    assert (before, after) == ("96", "64")  # one for a, b', v, u and e; one for the result of each branch; the result
    checked = rr.check(rr.parse(text))
    assert outcomes(lower(checked, passes=MEMORY).module, text) == outcomes(checked, text)


def test_what_a_branch_used_is_free_after_it() -> None:
    """Storages that only branches needed first stand before the ``if``: both branches and what follows use them."""
    lines = [
        f"a = {call('bump', 'x')}", "if c:", f"    d = {call('bump', 'a')}", f"    e = {call('double', 'd')}",
        f"    v = {call('bump', 'e')}", "else:", f"    e = {call('bump', 'a')}", f"    v = {call('bump', 'e')}",
        f"f = {call('bump', 'v')}", f"g = {call('double', 'f')}", f"h = {call('bump', 'a')}",
        f"t = {call('pair', 'h', out=f'[{V}, {V}]')}", "r = g", "return r",
    ]  # fmt: skip
    text = module(*lines, params=f"c: T.bool, x: {V}, y: {V}")
    checked = rr.check(rr.parse(text))
    lowered = lower(checked, passes=MEMORY)
    main = rr.print_module(lowered.module.module).split("def main(")[1]
    assert "alloc_storage" not in main.split("if c:")[1].split("        v = v_2")[0]
    assert outcomes(lowered.module, text) == outcomes(checked, text)
    assert all(claim.proved for claim in lowered.claims)


def test_figure_10() -> None:
    """The paper's Figure 10 in kind: (2, n) and (n, 2) have equal sizes, so four tensors take two storages."""
    kernels = {
        "exp": "(2, n)|(2, n)|T.exp(A[i, j])",
        "transpose": "(2, n)|(n, 2)|A[j, i]",
        "relu": "(n, 2)|(n, 2)|T.max(A[i, j], T.float32(0))",
        "twice": "(n, 2)|(n, 2)|A[i, j] + A[i, j]",
    }
    text = HEAD.replace("@I.ir_module", 'n = TypeVar("n")\n\n@I.ir_module')
    for name, (source, target, body) in ((k, v.split("|")) for k, v in kernels.items()):
        text += f"""
    @T.prim_func(private=True)
    def {name}(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, {source}, "float32")
        B = T.match_buffer(b, {target}, "float32")
        for i, j in T.grid{target}:
            B[i, j] = {body}
"""
    calls = [("lv0", "exp", "x", "2, n"), ("lv1", "transpose", "lv0", "n, 2"), ("lv2", "relu", "lv1", "n, 2"),
             ("lv3", "twice", "lv2", "n, 2"), ("gv", "relu", "lv3", "n, 2")]  # fmt: skip
    body = "".join(
        f'        {new} = R.call_tir(cls.{f}, ({old},), out_ty=R.Tensor(({dims}), "float32"))\n'
        for new, f, old, dims in calls
    )
    text += f"""
    @R.function
    def main(x: R.Tensor((2, n), "float32")) -> R.Tensor((n, 2), "float32"):
        cls = Module
{body}        return gv
"""
    checked = rr.check(rr.parse(text))
    lowered = lower(checked, passes=MEMORY)
    assert [expression(e) for e in planned_bytes(lowered.module.module)] == ["n * 40", "n * 24"]
    assert isinstance(rr.validate(checked, lowered.module), rr.Equivalent)


def test_claims_say_what_they_are_for() -> None:
    claims = lower(rr.check(rr.parse(CHAIN)), passes=MEMORY).claims
    assert {claim.rule for claim in claims} == {"lo/size-fits", "lo/reuse-fits", "lo/reuse-disjoint"}
    assert any("main/d" in claim.where and "after a" in claim.where for claim in claims)


def test_a_module_without_allocations_is_left_alone() -> None:
    checked = rr.check(rr.parse(module("a = R.add(x, y)", "return a")))
    assert plan_memory.run(checked, Ledger()) == checked.module
    assert sizes(module("a = R.add(x, y)", "return a")) == ("0", "0")


def test_planned_bytes_of_no_function() -> None:
    with pytest.raises(UsageError, match="no graph-level function 'other'"):
        planned_bytes(rr.parse(CHAIN), "other")
