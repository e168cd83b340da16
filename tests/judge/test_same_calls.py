"""Calls that both programs make, whether or not the function can be read; and what must not be taken for one."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.judge.same_calls import repeatable

SCAN = """    @T.prim_func
    def scan(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = T.if_then_else(i == 0, x[i], y[i - 1] + x[i])

"""
ADD = """    @T.prim_func
    def add(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = x[i] + x[i]

"""
OUT = 'R.Tensor((n,), "float32")'


def module(body: str, functions: str = SCAN + ADD) -> rr.CheckedModule:
    main = (
        '    @R.function\n    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")):\n'
        + '        R.func_attr({"relax.force_pure": True})\n' * ("alloc_tensor" in body)
        + "        cls = Module\n"
    )
    lines = "".join(f"        {line}\n" for line in body.strip().split("; "))
    return rr.check(rr.parse(f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n{functions}{main}{lines}'))


def tir(name: str, of: str) -> str:
    return f"R.call_tir(cls.{name}, ({of},), out_ty={OUT})"


FIRST = f"a = {tir('scan', 'x')}; b = {tir('add', 'a')}; c = {tir('scan', 'b')}; return c"


@pytest.mark.parametrize(
    "second",
    [
        f"a = {tir('scan', 'x')}; b = R.add(a, a); c = {tir('scan', 'b')}; return c",
        f"a = {tir('scan', 'x')}; b = {tir('add', 'a')}; c = {tir('scan', 'b')}; return c",
        "a = R.builtin.alloc_tensor(R.shape([n]), R.dtype('float32'), 0); _ = cls.scan(x, a); "
        "b = R.builtin.alloc_tensor(R.shape([n]), R.dtype('float32'), 0); _1 = cls.add(a, b); "
        "c = R.builtin.alloc_tensor(R.shape([n]), R.dtype('float32'), 0); _2 = cls.scan(b, c); return c",
    ],
)
def test_the_same_calls_give_the_same(second: str) -> None:
    found = attempt(module(FIRST), module(second), "main")
    assert isinstance(found, Proved), found


def test_a_call_of_its_own_that_is_not_read_is_no_proof() -> None:
    more = f"d = {tir('scan', 'y')}; {FIRST}"
    assert isinstance(attempt(module(FIRST), module(more), "main"), str)
    assert isinstance(attempt(module(more), module(FIRST), "main"), Proved)


@pytest.mark.parametrize(
    ("second", "functions"),
    [
        (FIRST.replace(tir("scan", "x"), tir("scan", "y")), SCAN + ADD),
        (FIRST.replace(tir("add", "a"), tir("add", "x")), SCAN + ADD),
        (FIRST.replace("return c", "return a"), SCAN + ADD),
        (FIRST, SCAN.replace("y[i - 1] + x[i]", "y[i - 1] - x[i]") + ADD),
        (FIRST, SCAN + ADD.replace("x[i] + x[i]", "x[i] * x[i]")),
    ],
)
def test_other_calls_are_not_taken_for_the_same(second: str, functions: str) -> None:
    assert isinstance(attempt(module(FIRST), module(second, functions), "main"), str)
    assert isinstance(rr.validate(module(FIRST), module(second, functions), rounds=2), rr.Refuted)


def test_a_call_of_one_branch_is_not_one_of_the_other() -> None:
    head = 'n = TypeVar("n")\n@I.ir_module\nclass Module:\n' + SCAN
    main = (
        '    @R.function\n    def main(c: R.Tensor((), "bool"), x: R.Tensor((n,), "float32"), '
        'y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):\n        cls = Module\n        if c:\n'
        "            r = {0}\n        else:\n            r = {1}\n        return r\n"
    )
    one = head + main.format(tir("scan", "x"), tir("scan", "y"))
    other = head + main.format(tir("scan", "y"), tir("scan", "x"))
    first, second = rr.check(rr.parse(one)), rr.check(rr.parse(other))
    assert isinstance(attempt(first, second, "main"), str)


@pytest.mark.parametrize(
    ("edit", "to"),
    [
        ("y[i] =", 'assert n > 1, "more"\n            y[i] ='),
        ("y[i] =", 'T.evaluate(T.call_extern("int32", "effect"))\n            y[i] ='),
        ("for i", "z = T.decl_buffer((100,), data=x.data)\n        for i"),
        ('x: T.Buffer((n,), "float32")', 'x: T.Buffer((n,), "float32", strides=(2,))'),
    ],
)
def test_what_looks_beyond_its_arguments_is_no_repeatable_call(edit: str, to: str) -> None:
    text = 'n = TypeVar("n")\n@I.ir_module\nclass Module:\n' + SCAN
    assert repeatable(rr.parse(text).functions["scan"])
    assert edit in text
    assert not repeatable(rr.parse(text.replace(edit, to, 1)).functions["scan"])


def test_an_offset_that_the_function_uses_is_no_repeatable_call() -> None:
    text = (
        'o = TypeVar("o")\n@I.ir_module\nclass Module:\n    @T.prim_func\n'
        '    def f(x: T.Buffer((4,), "float32", elem_offset=o), y: T.Buffer((4,), "float32")):\n'
        "        for i in range(4):\n            y[i] = x[i] + T.float32(1)\n"
    )
    assert repeatable(rr.parse(text).functions["f"])
    used = text.replace("T.float32(1)", 'T.Cast("float32", o)')
    assert not repeatable(rr.parse(used).functions["f"])


def twice(names: str) -> str:
    """Two calls of one function; what is done with them."""
    return f"a = {tir('add', 'x')}; b = {tir('add', 'y')}; c = R.subtract({names}); d = {tir('scan', 'c')}; return d"


def test_calls_that_both_make_are_not_read() -> None:
    between = tir("add", "x") + "; b = " + tir("add", "y")
    swapped = twice("a, b").replace(between, tir("add", "y") + "; b = " + tir("add", "x")).replace("a, b)", "b, a)")
    assert isinstance(attempt(module(twice("a, b")), module(swapped), "main"), Proved), "in another order"


@pytest.mark.parametrize("wrong", ["b, a", "a, a", "b, b", "a, x"])
def test_what_is_not_read_is_not_taken_for_something_else(wrong: str) -> None:
    assert isinstance(attempt(module(twice("a, b")), module(twice(wrong)), "main"), str)


def test_calls_are_read_where_a_proof_needs_it() -> None:
    """Both call ``add`` once, on other things: what it gives has to be looked at."""
    first = f"a = {tir('add', 'x')}; b = R.flip(a, axis=0); return b"
    second = f"b = R.flip(x, axis=0); a = {tir('add', 'b')}; return a"
    assert isinstance(attempt(module(first), module(second), "main"), Proved)
    assert isinstance(attempt(module(first), module(second.replace("flip(x", "flip(y")), "main"), str)


def test_the_same_call_made_twice_may_be_two_unknowns_in_the_same_order() -> None:
    body = f"a = {tir('scan', 'x')}; b = {tir('scan', 'x')}; c = R.add(a, R.negative(b)); return (a, b, c)"
    assert isinstance(attempt(module(body), module(body), "main"), Proved)
    other = body.replace("R.negative(b)", "R.negative(a)")
    assert isinstance(attempt(module(body), module(other), "main"), str)


HALF = """    @T.prim_func
    def half(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            if x[i] > T.float32(0):
                y[i] = x[i]

"""


def test_what_a_call_leaves_unwritten_is_its_own() -> None:
    body = f"a = {tir('half', 'x')}; b = {tir('half', 'x')}; return (a, b)"
    assert isinstance(attempt(module(body, HALF), module(body, HALF), "main"), Proved)


def branching(yes: str, no: str, condition: str = "c") -> rr.CheckedModule:
    """An ``if`` of which both branches are sequences of bindings that end with ``r``."""
    lines = [
        f"    def main(c: R.Tensor((), 'bool'), d: R.Tensor((), 'bool'), x: {OUT}, y: {OUT}):", "        cls = Module",
        f"        if {condition}:", *(f"            {line}" for line in yes.split("; ")), "        else:",
        *(f"            {line}" for line in no.split("; ")), "        return r",
    ]  # fmt: skip
    text = "    @R.function\n" + "\n".join(lines)
    return rr.check(rr.parse(f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n{SCAN}{ADD}{text}\n'))


YES, NO = f"a = {tir('scan', 'x')}; r = {tir('add', 'a')}", f"b = {tir('add', 'y')}; r = {tir('scan', 'b')}"


def test_calls_in_a_branch_are_those_of_the_same_branch() -> None:
    first = branching(YES, NO)
    assert isinstance(attempt(first, branching(YES, f"o = {tir('add', 'x')}; {NO}"), "main"), Proved)
    turned = branching(YES.replace(tir("add", "a"), "R.add(a, a)"), NO.replace(tir("add", "y"), "R.add(y, y)"))
    assert isinstance(attempt(first, turned, "main"), Proved)


@pytest.mark.parametrize(
    "yes, no, condition",
    [(NO, YES, "c"), (YES, YES, "c"), (YES, NO, "d"), (YES.replace("x", "y"), NO, "c"), (NO, NO, "c")],
)
def test_a_call_of_the_other_branch_is_another(yes: str, no: str, condition: str) -> None:
    assert isinstance(attempt(branching(YES, NO), branching(yes, no, condition), "main"), str)


RISKY = """    @T.prim_func
    def risky(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i + T.Cast("int64", x[0] > T.float32(0))] = x[i]

"""


def test_a_call_of_a_branch_is_not_made_outside_of_it() -> None:
    """It may have no meaning where the first program does not come to it."""
    lines = "{}if c:; {}    r = a; else:; {}    r = x; return r"
    call = f"a = {tir('risky', 'x')}; "
    texts = [lines.format("", f"    {call}", ""), lines.format(call, "", "")]
    first, second = (
        rr.check(
            rr.parse(
                f'n = TypeVar("n")\n@I.ir_module\nclass Module:\n{RISKY}    @R.function\n'
                f"    def main(c: R.Tensor((), 'bool'), x: {OUT}):\n        cls = Module\n"
                + "".join(f"        {line}\n" for line in text.split("; "))
            )
        )
        for text in texts
    )
    assert isinstance(attempt(first, first, "main"), Proved)
    assert isinstance(attempt(first, second, "main"), str)
