"""Calls that give a result, spelled out as allocations and calls that store: each form, and forms a step away.

``new[n]`` stands for an allocation of that shape, ``view(x)[n]`` for a view.
"""

# ruff: noqa: E501
from __future__ import annotations

import re

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.to_destinations import by_name
from refrelax.syntax.scalars import int_imm
from refrelax.syntax.types import TensorType
from tests.lower.fusion_modules import buffer, kernel, nest

N = buffer("X", "n")
KERNELS = {
    "f": kernel("f", f"{N}; {buffer('O', 'n')}", nest("o", "O", "i", "X[i] + T.float32(1)", "n")),
    "turned": kernel("turned", f"{N}; {buffer('O', 'n, T.int64(1)')}", nest("o", "O", "i, T.int64(0)", "X[i]", "n")),
    "flat": kernel("flat", f"{buffer('X', 'n, T.int64(4)')}; {buffer('O', 'n * 4')}", nest("o", "O", "i", "X[i // 4, i % 4]", "n * 4")),
    "bare": kernel("bare", f"{buffer('X', 'n, T.int64(4)')}; {buffer('Y', 'n')}; {buffer('O', 'n * 4')}", nest("o", "O", "i", "X[i // 4, i % 4]", "n * 4")),
    "folded": kernel("folded", f"{N}; {buffer('O', 'm, k')}", nest("o", "O", "i, j", "X[i * k + j]", "m, k")),
    "two": kernel("two", f"{N}; {buffer('P', 'n')}; {buffer('O', 'n')}", nest("p", "P", "i", "X[i]", "n") + "\n" + nest("o", "O", "i", "X[i] + X[i]", "n")),
    "one": kernel("one", f"{N}; {buffer('O', 'n')}", nest("o", "O", "i", "X[i]", "n")),
    "both": kernel("both", f"{N}; {buffer('Y', 'n')}; {buffer('O', 'n, T.int64(1)')}", nest("o", "O", "i, T.int64(0)", "X[i]", "n")),
    "up": kernel("up", f"{N}; {buffer('Y', 'n')}", nest("u", "X", "i", "X[i] + Y[i]", "n")),
    "scaled": kernel("scaled", f"{N}; k: T.int64; {buffer('O', 'n')}", nest("o", "O", "i", 'X[i] * T.Cast("float32", k)', "n")),
}  # fmt: skip


def typed(dims: str = "n,") -> str:
    return f'R.Tensor(({dims}), "float32")'


def tir(name: str, out: str = typed(), args: str = "x,", more: str = "") -> str:
    form = "call_tir_inplace" if "inplace" in more else "call_tir"
    return f"R.{form}(cls.{name}, ({args}), {more}out_ty={out})"


TWO = tir("two", f"[{typed()}, {typed()}]")
LESS = 'R.Tensor("float32", ndim=1)'
UP = "inplace_indices=[0], "
ROW, PAIR = 'R.const([[1.0, 2.0, 3.0, 4.0]], "float32"),', 'R.const([1.0], "float32"), R.const([2.0], "float32")'

ROWS: dict[str, tuple[tuple[str, ...], str]] = {
    "one result": ((f"out = {tir('f')}",), "out = new[n]; _call = cls.f(x, out)"),
    "a type that says less": (
        (f"out: {LESS} = {tir('f')}",), 'out_0: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.f(x, out_0); out = R.match_cast(out_0, R.Tensor(dtype="float32", ndim=1))',
    ),
    "a type that says as much": ((f"out: {typed()} = {tir('f')}",), 'out: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.f(x, out)'),
    "a number": ((f"out = {tir('scaled', args='x, 5')}",), "out = new[n]; _call = cls.scaled(x, R.prim_value(5), out)"),
    "a copy of its shape": ((f"out = {tir('one')}",), "out = new[n]; _call = cls.one(x, out)"),
    "an axis more": ((f"out = {tir('turned', typed('n, 1'))}",), "out = new[n, 1]; _call = cls.turned(x, out)"),
    "a reshape": ((f"out = {tir('flat', typed('n * 4,'), 'v,')}",), "out = view(v)[n * 4]"),
    "a reshape that is annotated": (
        (f"out: {LESS} = {tir('flat', typed('n * 4,'), 'v,')}",), 'out: R.Tensor(dtype="float32", ndim=1) = view(v)[n * 4]',
    ),
    "a reshape of a constant": ((f"out = {tir('flat', typed('4,'), ROW)}",), 'out = view(R.const([[1.0, 2.0, 3.0, 4.0]], "float32"))[4]'),
    "a reshape with another argument": (
        (f"out = {tir('bare', typed('n * 4,'), 'v, x')}",), "out = new[n * 4]; _call = cls.bare(v, x, out)",
    ),
    "a reshape whose extents a run shows": ((f"out = {tir('folded', typed('p, q'))}",), "out = new[p, q]; _call = cls.folded(x, out)"),
    "a reshape beside what stores in place": (
        (f"a = {tir('flat', typed('n * 4,'), 'v,')}", f"out = {tir('up', args='x, x', more=UP)}"),
        "a = new[n * 4]; _call = cls.flat(v, a); _call_1 = cls.up(x, x); out = x",
    ),
    "a reshape of one of two": ((f"out = {tir('both', typed('n, 1'), 'x, x')}",), "out = new[n, 1]; _call = cls.both(x, x, out)"),
    # --- in place
    "in place": ((f"out = {tir('up', args='x, x', more=UP)}",), "_call = cls.up(x, x); out = x"),
    "a constant in place": (
        (f"out = {tir('up', typed('1,'), PAIR, UP)}",),
        '_kept = R.const([1.0], "float32"); _call = cls.up(_kept, R.const([2.0], "float32")); out = _kept',
    ),
    # --- several
    "two results": (
        (f"t = {TWO}", "a = t[0]", "b = t[1]", "out = R.add(a, b)"),
        't_0: R.Tensor((n,), dtype="float32") = new[n]; t_1: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.two(x, t_0, t_1); a = t_0; b = t_1; out = R.add(a, b)',
    ),
    "two results and the tuple": (
        (f"t = {TWO}", "a = t[0]", "out = (a, t)"),
        't_0: R.Tensor((n,), dtype="float32") = new[n]; t_1: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.two(x, t_0, t_1); t = t_0, t_1; a = t[0]; out = a, t',
    ),
    "two results and another name": (
        (f"t = {TWO}", "a = t[0]", "u = t", "b = u[1]", "out = (a, b)"),
        't_0: R.Tensor((n,), dtype="float32") = new[n]; t_1: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.two(x, t_0, t_1); t = t_0, t_1; a = t[0]; u = t; b = u[1]; out = a, b',
    ),
    "two results, one killed": (
        (f"t = {TWO}", "a = t[0]", "b = t[1]", "_ = R.memory.kill_tensor(a)", "out = b"),
        't_0: R.Tensor((n,), dtype="float32") = new[n]; t_1: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.two(x, t_0, t_1); t = t_0, t_1; a = t[0]; b = t[1]; _ = R.memory.kill_tensor(a); out = b',
    ),
    "two results of which less is said": (
        (f"t: R.Tuple({LESS}, {LESS}) = {TWO}", "a = t[0]", "out = a"),
        't_0: R.Tensor((n,), dtype="float32") = new[n]; t_1: R.Tensor((n,), dtype="float32") = new[n]; _call = cls.two(x, t_0, t_1); t = R.match_cast((t_0, t_1), R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1))); a = t[0]; out = a',
    ),
    # --- libraries
    "a library": ((f'out = R.call_dps_packed("lib", (x,), out_ty={typed()})',), 'out = new[n]; _call = R.call_packed("lib", x, out, ty_args=(R.Tuple,))'),
    "a library with two results": (
        (f'out = R.call_dps_packed("lib", (x, y), out_ty=[{typed()}, {typed("m,")}])',),
        'out_0: R.Tensor((n,), dtype="float32") = new[n]; out_1: R.Tensor((m,), dtype="float32") = new[m]; _call = R.call_packed("lib", x, y, out_0, out_1, ty_args=(R.Tuple,)); out = out_0, out_1',
    ),
    "a library and a shape": ((f'out = R.call_dps_packed("lib", (x, R.shape([n])), out_ty={typed()})',), 'out = new[n]; _call = R.call_packed("lib", x, R.shape([n]), out, ty_args=(R.Tuple,))'),
    # --- where
    "in a branch": (
        ("if c:", f"    a = {tir('f')}", "    out = a", "else:", f"    b = {tir('f')}", "    out = b"),
        "if c:; a = new[n]; _call = cls.f(x, a); out = a; else:; b = new[n]; _call_1 = cls.f(x, b); out = b",
    ),
    "in a function": (
        ("@R.function(pure=False)", f"def inner(z: {typed()}) -> {typed()}:", "    a = " + tir("f", args="z,"), "    return a", "out = inner(x)"),
        '@R.function(pure=False); def inner(z: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):; cls = Module; a = new[n]; _call = cls.f(z, a); return a; out = inner(x)',
    ),
    "an operator": (("out = R.exp(x)",), "out = R.exp(x)"),
    "a check": ((f"out = R.match_cast(x, {typed()})",), 'out = R.match_cast(x, R.Tensor((n,), dtype="float32"))'),
}  # fmt: skip


def told(lines: tuple[str, ...]) -> str:
    text = "n, m, k, p, q = T.int64(), T.int64(), T.int64(), T.int64(), T.int64()\n\n@I.ir_module\nclass Module:\n"
    text += "\n".join(each for name, each in KERNELS.items() if f"cls.{name}," in "".join(lines))
    given = f'x: {typed()}, y: {typed("m,")}, c: R.Tensor((), "bool"), w: {typed("p, q")}, v: {typed("n, 4")}'
    text += f"\n    @R.function(pure=False)\n    def main({given}):\n        cls = Module\n"
    text += "\n".join(f"        {each}" for each in lines) + "\n        return out\n"
    made = rr.print_module(lower(rr.check(rr.parse(text)), passes=("to_destinations",)).module.module)
    body = "; ".join(line.strip() for line in made.partition("def main(")[2].splitlines()[1:-1] if line.strip())
    body = re.sub(
        r'R\.builtin\.alloc_tensor\(R\.shape\((\[.*?\])\), R\.dtype\("float32"\), 0, R\.str\("global"\)\)',
        r"new\1",
        body,
    )
    body = re.sub(r'R\.memory\.view\((.*?), R\.shape\((\[.*?\])\), R\.dtype\("float32"\), 0\)', r"view(\1)\2", body)
    return body.removeprefix("cls = Module; ").removesuffix("; return out")


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_spelled_out(name: str) -> None:
    lines, wanted = ROWS[name]
    assert told(lines) == wanted


def test_pure_functions_are_checked_before() -> None:
    for head, wanted in (("R.function", True), ("R.function(pure=False)", False)):
        text = (
            f"@I.ir_module\nclass Module:\n    @{head}\n    def main(x: R.Tensor((2,), 'float32')):\n        return x\n"
        )
        made = lower(rr.check(rr.parse(text)), passes=("to_destinations",)).module.module
        assert ("relax.force_pure" in dict(made.functions["main"].attrs)) is wanted


def test_a_name_of_two_types_has_none() -> None:
    a, b = (TensorType((int_imm(k),), "float32", 1) for k in (1, 2))
    assert by_name({"x": a, "f/x": a, "y": a, "f/y": b, "g/h/z": b}) == {"x": a, "z": b}
