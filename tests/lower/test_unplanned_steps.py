"""Planned memory written as results: which tensors become results, and what stands where they were allocated.

A row is a function, the tensors that become results (``""``: it stays as it is), and the names of what is left.
"""

# ruff: noqa: E501
from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.origins.expand import proved_origins
from refrelax.lower.origins.unplanned import needed, unplanned
from refrelax.syntax.graph import Function
from tests.lower.test_unplanned import BOTH, program, storage, tensor

NEGATED, READ = (storage("s"), tensor("a", "s"), "_ = cls.negative(x, a)"), ("b = R.add(a, x)", "return b")
OWN = (tensor("a", ""), "_ = cls.negative(x, a)")
FLOAT = 'R.Tensor((n, 3), "float32")'

ROWS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "in a storage": ((*NEGATED, *READ), "a", "s a b"), "in memory of its own": ((*OWN, *READ), "a", "a b"),
    "with its ends": ((*NEGATED, "b = R.add(a, x)", "_k = R.memory.kill_tensor(a)", "_l = R.memory.kill_storage(s)", "return b"), "a", "s a b _l"),
    "a result": ((*OWN, "return a"), "a", "a"), "nothing allocated": (("b = R.add(x, x)", "return b"), "", ""),
    # --- who reads it
    "read by an operator": ((*OWN, "b = R.add(a, a)", "return b"), "a", "a b"),
    "read through a reshape": ((*OWN, "b = R.reshape(a, R.shape([3, n]))", "return b"), "a", "a b"),
    "read by a call of a loop program": ((*OWN, f"b = R.call_tir(cls.halve, (a,), out_ty={FLOAT})", "return b"), "a", "a b"),
    "stored in by a call of a loop program": ((*OWN, f"b = R.call_tir_inplace(cls.bump, (a,), inplace_indices=[0], out_ty={FLOAT})", "return b"), "", ""),
    "given to a library": ((*OWN, f'b = R.call_packed("lib.f", a, ty_args=({FLOAT},))', "return b"), "", ""),
    "another name": ((*OWN, "b = a", "return b"), "a", "a b"), "checked": ((*OWN, f"b = R.match_cast(a, {FLOAT})", "return b"), "", ""),
    "a field": ((*OWN, "t = (a, x)", "b = t[0]", "return b"), "a", "a t b"),
    "changed by its field": ((*OWN, "t = (a, x)", "b = t[0]", "_1 = cls.bump(b)", "return b"), "", ""),
    # --- what stores in it
    "stored by a loop program of no operator": ((tensor("a", ""), "_ = cls.halve(x, a)", *READ), "", ""),
    "never stored": ((tensor("a", ""), *READ), "", ""),
    "stored twice": ((*OWN, "_1 = cls.exp(x, a)", *READ), "", ""),
    "stored from itself": ((tensor("a", ""), "_ = cls.exp(a, a)", *READ), "", ""),
    "read first": ((tensor("a", ""), "c = R.add(a, x)", "_ = cls.exp(x, a)", *READ), "", ""),
    "named first": ((tensor("a", ""), "c = a", "_ = cls.exp(x, a)", *READ), "", ""),
    "stored by another name": ((tensor("a", ""), "c = a", "_ = cls.exp(x, c)", *READ), "", ""),
    "an argument": (("_ = cls.exp(x, x)", "a = x", *READ), "", ""),
    "of another dtype": ((tensor("a", "").replace("float32", "int32"), "return a"), "", ""),
    # --- what lies beside it
    "two in two storages": ((*NEGATED, storage("t"), tensor("b", "t"), "_1 = cls.exp(a, b)", "return b"), "a b", "s a t b"),
    "before it": ((storage("s"), tensor("b", "s"), "_1 = cls.halve(x, b)", "c = R.add(b, x)", tensor("a", "s"), "_ = cls.negative(x, a)", *READ[:0], "d = R.add(a, c)", "return d"), "a", "s b _1 c a d"),
    "after it, stored whole": ((*NEGATED, "c = R.add(a, x)", tensor("b", "s"), "_1 = cls.exp(x, b)", "d = R.add(b, c)", "return d"), "a b", "s a c b d"),
    "after it, stored by another": ((*NEGATED, "c = R.add(a, x)", tensor("b", "s"), "_1 = cls.halve(x, b)", "d = R.add(b, c)", "return d"), "", ""),
    "after it, read": ((*NEGATED, "c = R.add(a, x)", tensor("b", "s"), "d = R.add(b, c)", "return d"), "", ""),
    "after it, not used": ((*NEGATED, "c = R.add(a, x)", tensor("b", "s"), "return c"), "a", "s a c b"),
    "at once": ((storage("s"), tensor("a", "s"), tensor("b", "s"), *BOTH, "c = R.add(a, b)", "return c"), "", ""),
    "from one to the other": ((*NEGATED, tensor("b", "s"), "_1 = cls.exp(a, b)", "return b"), "", ""),
    "a storage with another name": ((storage("s"), "z = s", tensor("a", "s"), "_ = cls.negative(x, a)", *READ), "", ""),
    # --- views
    "a whole view": ((*OWN, 'v = R.memory.view(a, R.shape([3, n]), R.dtype("float32"), 0)', "w = R.add(v, v)", "return w"), "a", "a v=reshape w"),
    "a view of fewer": ((*OWN, 'v = R.memory.view(a, R.shape([2, n]), R.dtype("float32"), 0)', "w = R.add(v, v)", "return w"), "a", "a v=memory.view w"),
    "a view of other bits": ((*OWN, 'v = R.memory.view(a, R.shape([3, n]), R.dtype("int32"), 0)', "w = R.add(v, v)", "return w"), "a", "a v=memory.view w"),
    "a view of no elements": ((*OWN, 'v = R.memory.view(a, R.shape([0, n]), R.dtype("float32"), 0)', "w = R.add(v, v)", "return w"), "a", "a v=memory.view w"),
    "a view of an argument": ((*OWN, 'v = R.memory.view(x, R.shape([3, n]), R.dtype("float32"), 0)', "return (v, a)"), "a", "a v=memory.view"),
}  # fmt: skip


def told(lines: tuple[str, ...]) -> tuple[str, str]:
    checked = program(*lines)
    found = unplanned(checked, "main", proved_origins(checked.module, lambda _: True))
    if found is None:
        return "", ""
    left = []
    for each in (b for block in found.function.body.blocks for b in block.bindings):
        op = getattr(getattr(each.value, "op", None), "name", "").removeprefix("relax.")
        left.append(f"{each.name}={op}" if op in ("reshape", "memory.view") and each.name == "v" else each.name)
    assert set(found.types) >= found.results
    return " ".join(sorted(found.results)), " ".join(left)


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_becomes_a_result(name: str) -> None:
    lines, results, left = ROWS[name]
    assert told(lines) == (results, left)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((storage("s"), "return x"), ""), ((storage("s"), "_l = R.memory.kill_storage(s)", "return x"), ""),
        ((storage("s"), tensor("a", "s"), "return a"), "s a"), ((storage("s"), "t = s", "_l = R.memory.kill_storage(s)", "return x"), "s t _l"),
        ((storage("s"), storage("t"), tensor("a", "t"), "_l = R.memory.kill_storage(s)", "_m = R.memory.kill_storage(t)", "return a"), "t a _m"),
        ((tensor("a", ""), "return x"), "a"),
    ],
)  # fmt: skip
def test_storages_that_are_needed(lines: tuple[str, ...], wanted: str) -> None:
    function = program(*lines).module.functions["main"]
    assert isinstance(function, Function)
    bindings = [b for block in function.body.blocks for b in block.bindings]
    assert " ".join(b.name for b in needed(bindings) if b.name != "cls") == wanted


@pytest.mark.thorough
def test_the_rows_run() -> None:
    """They are programs: of each a run has an end that is no fault of ours."""
    for lines, results, _ in ROWS.values():
        out = rr.run(program(*lines), "main", [[1.0, -2.0, 0.5]]) if "lib.f" not in "".join(lines) else None
        assert not results or isinstance(out, rr.Returned | rr.Unspecified), lines
