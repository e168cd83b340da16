"""Where loop programs come from: said by the lowering, proved by lowering again, believed in no other case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends import compile as compile_
from refrelax.lower import lower
from refrelax.lower.origins import vouched
from refrelax.lower.origins.proof import origin_of
from refrelax.lower.origins.text import ORIGIN, hint, unhinted
from refrelax.syntax.loops import PrimFunc
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.cases import CASES, module_text
from tests.lower.test_legalize import cells, same

ONE_EACH = {op: (params, call) for op, params, call in reversed(CASES)}

DIMS_ALONE = {"zeros_like", "ones_like", "full_like", "eye_like", "collapse_sum_like"}
"""Operators of which an argument gives its extents alone: the kernel does not take it."""

HEAD = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
{body}
            R.output(out)
        return out
"""


def module(params: str, *lines: str) -> rr.CheckedModule:
    body = "\n".join(" " * 12 + line for line in lines)
    return rr.check(rr.parse(HEAD.format(params=params, body=body)))


def hinted(checked: rr.CheckedModule) -> dict[str, PrimFunc]:
    return {name: f for name, f in checked.module.prim_funcs().items() if hint(f) is not None}


def anew(func: PrimFunc) -> bool:
    """Whether the origin of a loop program is proved with nothing remembered."""
    vouched.forget()
    return origin_of(func) is not None


@pytest.mark.by_day(6)
@pytest.mark.parametrize("op", ONE_EACH)
def test_every_operator(op: str) -> None:
    """What is written down is proved, and computes what the loops do, wherever these have a meaning."""
    checked = rr.check(rr.parse(module_text(*ONE_EACH[op])))
    lowered = lower(checked, "default").module
    assert (len(hinted(lowered)) > 0) == (op not in DIMS_ALONE)
    compiled = compile_(lowered, mode="bits")
    assert all(map(anew, hinted(lowered).values()))
    symbols = symbols_of(checked.module, "main")
    for sizes in ({"n": 3, "m": 2}, {"n": 0, "m": 1}) if symbols else ({},):
        args = random_arguments(checked.module, "main", 0, {k: v for k, v in sizes.items() if k in symbols}, "special")
        wanted, found = rr.run(lowered, "main", *args), compiled.run("main", *args)
        if isinstance(wanted, rr.Returned):
            assert isinstance(found, rr.Returned), found
            assert same(cells(wanted.value), cells(found.value))


FUSED = {
    "epilogue": ("x: R.Tensor((n, m), 'float32'), w: R.Tensor((m, 4), 'float32'), b: R.Tensor((4,), 'float32')",
                 "a = R.matmul(x, w)", "c = R.add(a, b)", "out = R.nn.relu(c)"),
    "output of several": ("x: R.Tensor((n, 6), 'float32')",
                          "a = R.split(x, 2, axis=1)", "b = a[0]", "c = a[1]", "d = R.negative(c)",
                          "out = R.concat([d, b], axis=1)"),
    "extents that no argument tells": ("x: R.Tensor((n, m), 'float32')",
                                       "a = R.reshape(x, (n * m,))", "b = R.exp(a)", "c = R.add(b, b)",
                                       "out = R.reshape(c, (m, n))"),
    "a scalar": ("x: R.Tensor((n, 3), 'int64'), y: R.Tensor((m,), 'float32')",
                 "a = R.arange(R.prim_value(0), R.prim_value(m), R.prim_value(1), dtype='int64')",
                 "b = R.astype(a, 'float32')", "out = R.multiply(b, y)"),
    "the same operand twice": ("x: R.Tensor((n,), 'float32')", "a = R.add(x, x)", "out = R.multiply(a, x)"),
    "a constant": ("x: R.Tensor((n,), 'float32')", "a = R.multiply(x, R.const(float('inf'), 'float32'))",
                   "out = R.minimum(a, R.const(-0.0, 'float32'))"),
}  # fmt: skip


@pytest.mark.by_day(3)
@pytest.mark.parametrize("name", FUSED)
def test_groups(name: str) -> None:
    """The origin of a fused group is the group; through text, too."""
    params, *lines = FUSED[name]
    lowered = lower(module(params, *lines), "default").module
    assert len(hinted(lowered)) == len(lowered.module.prim_funcs())
    again = rr.parse(rr.print_module(lowered.module))
    assert rr.structural_equal(again, lowered.module)
    assert all(anew(func) for func in again.prim_funcs().values())


def test_renamed() -> None:
    """Names of buffers are nobody's business."""
    lowered = lower(module("x: R.Tensor((n, m), 'float32')", "out = R.nn.softmax(x)"), "legalize").module
    text = rr.print_module(lowered.module)
    head, kernel = text.split("def softmax")
    for old, new in (("(a: T.", "(u: T."), ("a[", "u["), ("greatest[", "top["), ("greatest =", "top =")):
        assert old in kernel
        kernel = kernel.replace(old, new)
    (func,) = rr.parse(f"{head}def softmax{kernel}").prim_funcs().values()
    assert {p.buffer.name for p in func.params if hasattr(p, "buffer")} == {"u", "out"}
    assert anew(func)


# --- what is not so is not believed ----------------------------------------------------------------------------------

SUBTRACT = ("x: R.Tensor((n,), 'float32'), y: R.Tensor((n,), 'float32')", "out = R.subtract(x, y)")


def forged(text: str) -> rr.CheckedModule:
    """A module that subtracts, whose loop program says that it comes from ``text``."""
    checked = lower(module(*SUBTRACT), "legalize").module
    functions = dict(checked.module.functions)
    func = functions["subtract"]
    assert isinstance(func, PrimFunc)
    functions["subtract"] = replace(unhinted(func), attrs=((ORIGIN, text), *unhinted(func).attrs))
    return rr.check(checked.module.with_functions(functions))


V = 'R.Tensor(("n",), dtype="float32")'
HERE = f"def main(a: {V}, b: {V}) -> {V}:"


def lines(head: str, *body: str) -> str:
    return "\n    ".join([head, *body])


FORGED = {
    "another operator": lines(HERE, "r = R.add(a, b)", "return r"),
    "operands exchanged": lines(HERE, "r = R.subtract(b, a)", "return r"),
    "parameters exchanged": lines(f"def main(b: {V}, a: {V}) -> {V}:", "r = R.subtract(a, b)", "return r"),
    "one operand": lines(f"def main(a: {V}) -> {V}:", "r = R.subtract(a, a)", "return r"),
    "more is computed": lines(HERE, "q = R.subtract(a, b)", "r = R.abs(q)", "return r"),
    "one size": lines(HERE.replace('"n"', "2"), "r = R.subtract(a, b)", "return r"),
    "a loop program": lines(HERE, f'r = R.call_tir("f", (a, b), out_ty={V})', "return r"),
    "a library": lines(HERE, f'r = R.call_pure_packed("f", a, b, ty_args={V})', "return r"),
    "an effect": lines(HERE, "_ = R.print(a)", "r = R.subtract(a, b)", "return r"),
    "no function": "subtract",
    "no Python": "def main(",
    "two functions": lines(HERE, "r = R.subtract(a, b)", "return r")
    + lines(f"\n\n@R.function\ndef g(a: {V}):", "return a"),
    "nothing": "",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_hint_changes_nothing(name: str) -> None:
    checked = forged(FORGED[name])
    func = checked.module.functions["subtract"]
    assert isinstance(func, PrimFunc) and not anew(func)
    args = ([3.0, 5.0], [1.0, 7.0])
    wanted = rr.run(checked, "main", *args)
    assert isinstance(wanted, rr.Returned) and wanted.value.numpy().tolist() == [2.0, -2.0]
    for mode in ("bits", "fast"):
        found = compile_(checked, mode=mode).run("main", *args)
        assert isinstance(found, rr.Returned) and cells(found.value) == cells(wanted.value)


def test_regions_of_blocks_do_not_matter() -> None:
    """TVM prints what each block reads and writes."""
    lowered = lower(module("x: R.Tensor((n,), 'float32')", "out = R.exp(x)"), "legalize").module
    text = rr.print_module(lowered.module)
    line = "v_i0 = T.axis.spatial(n, i0)"
    more = f"{line}\n                T.reads(a[v_i0])\n                T.writes(out[v_i0])"
    assert line in text
    assert anew(rr.parse(text.replace(line, more)).prim_funcs()["exp"])


def test_edited_loops_lose_their_origin() -> None:
    checked = lower(
        module("x: R.Tensor((n,), 'float32')", "out = R.add(x, R.const(1.0, 'float32'))"), "legalize"
    ).module
    text = rr.print_module(checked.module)
    edited = rr.check(rr.parse(text.replace("T.float32(1.0)", "T.float32(2.0)")))
    assert anew(checked.module.prim_funcs()["add"]) and not anew(edited.module.prim_funcs()["add"])
    found = compile_(edited).run("main", [1.0])
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == [3.0]


def test_a_promise_of_one_function_is_none_of_another() -> None:
    """What rests on a bound that a function promises is proved without it or not at all."""
    text = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        with R.dataflow():
            a = R.exp(x)
            out = R.cumsum(a, axis=0)
            R.output(out)
        return out
"""
    vouched.forget()
    lowered = lower(rr.check(rr.parse(text)), "default").module
    assert all(vouched.vouched(func) is None for func in hinted(lowered).values())
    assert all(map(anew, hinted(lowered).values()))


# --- runs ------------------------------------------------------------------------------------------------------------


def test_loops_with_a_meaning_where_the_operator_has_none() -> None:
    """``take`` from an axis without elements is open; its loops read past the array, which is poison that is shown."""
    params = "x: R.Tensor((n, 2), 'float32'), i: R.Tensor((m,), 'int64')"
    checked = module(params, "out = R.take(x, i, axis=0, mode='clip')")
    lowered = lower(checked, "kernels").module
    args = random_arguments(checked.module, "main", 0, {"n": 0, "m": 1}, "normal")
    assert isinstance(rr.run(checked, "main", *args), rr.Unspecified)
    wanted = rr.run(lowered, "main", *args)
    assert type(compile_(lowered).run("main", *args)) is type(wanted)


def test_observed_bindings_are_the_programs_own() -> None:
    lowered = lower(module(*FUSED["epilogue"]), "kernels").module
    args = random_arguments(lowered.module, "main", 0, {"n": 2, "m": 3}, "normal")
    seen = compile_(lowered).observe("main", *args)
    names = [b.name for block in lowered.module.relax_functions()["main"].body.blocks for b in block.bindings]
    assert [frame.name for frame in seen.frames if frame.name] == names


def flat(value: Any) -> list[Any]:
    """Dtypes, shapes and bits of the tensors of a value, and what else there is in it."""
    if isinstance(value, tuple):
        return [each for field in value for each in flat(field)]
    return cells(value) if isinstance(value, rr.Tensor) else [repr(value)]


@pytest.mark.thorough
@given(st.data(), st.sampled_from(["legalize", "kernels", "default", "build"]))
def test_generated_modules(data: st.DataObject, pipeline: str) -> None:
    """Operators in place of loops change no bit that means something; what the lowering vouches for is proved."""
    module = data.draw(rr.testing.modules())
    args = data.draw(rr.testing.call_arguments(module))
    lowered = lower(rr.check(module), pipeline).module
    sure = [func for func in hinted(lowered).values() if vouched.vouched(func)]
    wanted = rr.run(lowered, "main", *args, externs=rr.testing.EXTERNS)
    found = compile_(lowered, mode="bits").run("main", *args, externs=rr.testing.EXTERNS)
    if isinstance(wanted, rr.Returned):
        assert isinstance(found, rr.Returned), found
        assert same(flat(wanted.value), flat(found.value))
    assert all(map(anew, sure))
