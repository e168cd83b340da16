"""Loop programs that may be given one memory twice and store in it: one of each kind, and near ones."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower.fuse_loops.shared import given_twice, sharing
from tests.lower.fusion_modules import HEAD, buffer, kernel, nest, pointwise

KERNELS = (
    pointwise("double", "X[i] + X[i]", "n", buffer("X", "n"))
    + kernel("increase", f"{buffer('X', 'n')}; {buffer('Y', 'n')}", nest("u", "X", "i", "X[i] + Y[i]", "n"))
)  # fmt: skip

FLOAT = 'R.Tensor((n,), "float32")'
INPLACE = f"R.call_tir_inplace(cls.increase, ({{}}, {{}}), inplace_indices=[0], out_sinfo={FLOAT})"
DOUBLE = f"R.call_tir(cls.double, ({{}},), out_sinfo={FLOAT})"
CONSTANT = 'R.const([1.0, 2.0], "float32")'


def module(*bindings: str, more: str = "", length: str = "n") -> rr.Module:
    lines = "\n".join(f"        {b}" for b in bindings)
    text = f"""{HEAD}{KERNELS}{more}
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
{lines}
        return out
"""
    return rr.check(rr.parse(text)).module


OWN = f"a = {DOUBLE.format('x')}"

INNER = """
    @R.function(private=True, pure=False)
    def inner(p: R.Tensor(("n",), "float32"), q: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        r = R.call_tir_inplace(cls.increase, (p, q), inplace_indices=[0], out_sinfo=R.Tensor((n,), "float32"))
        return r
"""

ROWS: dict[str, tuple[tuple[str, ...], str, set[str]]] = {
    "nothing stored": ((f"out = {DOUBLE.format('x')}",), "", {"increase"} - {"increase"}),
    "two memories": ((OWN, f"out = {INPLACE.format('a', 'x')}"), "", set()),
    "parameters of an entry": ((f"out = {INPLACE.format('x', 'y')}",), "", set()),
    "one memory": ((OWN, f"out = {INPLACE.format('a', 'a')}"), "", {"increase"}),
    "one memory by two names": ((OWN, "b = a", f"out = {INPLACE.format('a', 'b')}"), "", {"increase"}),
    "one memory in a tuple": ((OWN, "t = (a, x)", "b = t[0]", f"out = {INPLACE.format('a', 'b')}"), "", {"increase"}),
    "parameters of what is called": (("out = cls.inner(x, x)",), INNER, {"increase"}),
    "a result of an operator": (("a = R.exp(x)", f"out = {INPLACE.format('a', 'x')}"), "", set()),
    "results of an operator": (("a = R.exp(x)", "b = R.exp(x)", f"out = {INPLACE.format('a', 'b')}"), "", set()),
}


@pytest.mark.parametrize("name", ROWS)
def test_who_shares(name: str) -> None:
    bindings, more, wanted = ROWS[name]
    made = module(*bindings, more=more)
    assert sharing(made) == wanted
    assert {callee for callee, _ in given_twice(made)} == wanted


META = 'metadata["ir.GenericConst"][0]'

FIXED = f"""{HEAD}{{kernels}}
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
{{lines}}
        return out
"""
OF_TWO = KERNELS.replace("(n,", "(T.int64(2),").replace("range(n)", "range(T.int64(2))")
PAIR = 'R.call_tir_inplace(cls.increase, ({}, {}), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))'

CONSTANTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "a constant twice": ((f"c = {CONSTANT}", f"out = {PAIR.format('c', 'c')}"), True),
    "two constants": ((f"c = {CONSTANT}", f"d = {CONSTANT}", f"out = {PAIR.format('c', 'd')}"), False),
    "a constant and its exponential": ((f"c = {CONSTANT}", "d = R.exp(c)", f"out = {PAIR.format('d', 'c')}"), False),
    "a constant and a parameter": ((f"c = {CONSTANT}", f"out = {PAIR.format('x', 'c')}"), False),
    "a constant of the module twice": ((f"c = {META}", f"d = {META}", f"out = {PAIR.format('c', 'd')}"), True),
    "two of the module": ((f"c = {META}", f"d = {META.replace('0', '1')}", f"out = {PAIR.format('c', 'd')}"), True),
    "one of the module and its exponential": (
        (f"c = {META}", "d = R.exp(c)", f"out = {PAIR.format('d', 'c')}"),
        False,
    ),
    "one of the module and a fresh one": (
        (f"c = {META}", "d = R.exp(x)", f"out = {PAIR.format('d', 'c')}"),
        False,
    ),
    "one of the module and a parameter": ((f"c = {META}", f"out = {PAIR.format('x', 'c')}"), False),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_may_be_one_memory(name: str) -> None:
    lines, wanted = CONSTANTS[name]
    text = FIXED.format(kernels=OF_TWO, lines="\n".join(f"        {each}" for each in lines))
    checked = rr.check(rr.bind_constants(rr.parse(text), {0: [1.0, 2.0], 1: [1.0, 2.0]}))
    assert ("increase" in sharing(checked.module)) is wanted


def test_a_program_that_is_a_value_is_not_seen() -> None:
    made = module(f"out = {DOUBLE.format('x')}")
    assert sharing(made) == frozenset()
    alone = made.with_functions({name: made.functions[name] for name in ("double", "increase")})
    assert sharing(alone) == frozenset()
    assert sharing(made.with_functions({"main": made.functions["main"]})) == frozenset()
