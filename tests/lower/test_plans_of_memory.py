"""Plans of small functions: which storage each tensor lies in, what its size is, and when lives end.

A plan is a line: ``s:n * 4`` is a storage of so many bytes, ``a@s`` a tensor in it, ``a@s+64`` one that does not begin
at its first byte, ``own:a`` an allocation that stays, ``-a`` the end of a life; everything else is its name.
"""

# ruff: noqa: E501
from __future__ import annotations

import re

import pytest

import refrelax as rr
from refrelax.lower import lower

HEAD = """
n, m, p = T.int64(), T.int64(), T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((n,), "float32"), b: T.Buffer((m,), "float32")):
        for i in range(m):
            b[i] = T.float32(1)

    @T.prim_func(private=True)
    def same(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32"), c: R.Tensor((), "bool"), k: R.Shape([p])):
        cls = Module
"""


def new(name: str, shape: str = "n", dtype: str = "float32", device: int = 0, scope: str = "global") -> str:
    return f'{name} = R.builtin.alloc_tensor(R.shape([{shape}]), R.dtype("{dtype}"), {device}, R.str("{scope}"))'


def used(name: str, number: int, by: str = "y") -> str:
    return f"_{number} = cls.f({by}, {name})"


def one(name: str, shape: str, number: int) -> tuple[str, str]:
    """A tensor that lives for one call."""
    return new(name, shape), used(name, number)


END = (new("out"), "_9 = cls.f(y, out)")
LAST = "own:out _9"


def branches(then: tuple[str, ...], other: tuple[str, ...], *after: str) -> tuple[str, ...]:
    lines = [
        "if c:",
        *(f"    {each}" for each in then),
        "    z = x",
        "else:",
        *(f"    {each}" for each in other),
        "    z = x",
    ]
    return (*lines, *after)


THEN = (*one("a", "n", 1), *one("b", "n", 2))
WASTE = (*one("a", "n * 2", 1), new("d"), new("e", "n * 2"), used("d", 2), used("e", 3, "d"))
TRAP = "_t = cls.same(x, y)"
CAST = 'z = R.match_cast(y, R.Tensor((p,), "float32"))'

PLANS: dict[str, tuple[tuple[str, ...], str]] = {
    # --- which tensors
    "one": ((*one("a", "n", 1), *END), f"s:n * 4 a@s _1 -a -s {LAST}"),
    "no call": ((new("a"), *END), f"s:n * 4 a@s -a -s {LAST}"),
    "on another device": ((new("a", device=1), used("a", 1), *END), f"own:a _1 {LAST}"),
    "in memory of another kind": ((new("a", scope="local"), used("a", 1), *END), f"own:a _1 {LAST}"),
    "a result": ((*one("a", "n", 1), "w = (a, x)", *END, "out1 = (out, w)"), f"own:a _1 w {LAST} out1"),
    "by another name": ((*one("a", "n", 1), "d = a", *one("b", "n", 2), used("x", 3, "d"), *END), f"s:n * 4 a@s _1 d t:n * 4 b@t _2 -b -t _3 -a -s {LAST}"),
    "in a tuple with an argument": ((*one("a", "n", 1), "w = (a, x)", *END), f"own:a _1 w {LAST}"),
    "killed by the program": ((*one("a", "n", 1), "_k = R.memory.kill_tensor(a)", *one("b", "n", 2), *END), f"s:n * 4 a@s _1 _k b@s _2 -b -s {LAST}"),
    "no elements": ((*one("a", "0", 1), *END), f"s:0 a@s _1 -a -s {LAST}"),
    "a size that may be negative": ((*one("a", "n - m", 1), *END), f"s:n * 4 - m * 4 a@s _1 -a -s {LAST}"),
    "two dims": ((new("a", "n, 3"), "_1 = R.add(a, a)", *END), f"s:n * 12 a@s _1 -a -s {LAST}"),
    "bits": ((new("a", "n", "int4"), "_1 = R.add(a, a)", *END), f"s:n a@s _1 -a -s {LAST}"),
    # --- in turn
    "two in turn": ((*one("a", "n", 1), *one("b", "n", 2), *END), f"s:n * 4 a@s _1 -a b@s _2 -b -s {LAST}"),
    "two at once": ((new("a"), new("b"), used("a", 1), used("b", 2, "a"), *END), f"s:n * 4 a@s t:n * 4 b@t _1 _2 -a -b -s -t {LAST}"),
    "a chain": (
        (*one("a", "n", 1), new("b"), used("b", 2, "a"), new("d"), used("d", 3, "b"), *END),
        f"s:n * 4 a@s _1 t:n * 4 b@t _2 -a d@s _3 -b -d -s -t {LAST}",
    ),
    "another dtype of the same size": ((new("a", "n, 2", "float16"), "_1 = R.add(a, a)", *one("b", "n", 2), *END), f"s:n * 4 a@s _1 -a b@s _2 -b -s {LAST}"),
    "a smaller one": ((*one("a", "n * 2", 1), *one("b", "n", 2), *END), f"s:n * 8 a@s _1 -a b@s _2 -b -s {LAST}"),
    "a larger one": ((*one("a", "n", 1), *one("b", "n * 2", 2), *END), f"s:n * 8 a@s _1 -a b@s _2 -b -s {LAST}"),
    "a larger one behind what may trap": ((*one("a", "n", 1), TRAP, *one("b", "n * 2", 2), *END), f"s:n * 4 a@s _1 -a -s _t t:n * 8 b@t _2 -b -t {LAST}"),
    "a larger number behind what may trap": ((*one("a", "5", 1), TRAP, *one("b", "10", 2), *END), f"s:40 a@s _1 -a _t b@s _2 -b -s {LAST}"),
    "who knows": ((*one("a", "n", 1), *one("b", "m", 2), *END), f"s:n * 4 a@s _1 -a -s t:m * 4 b@t _2 -b -t {LAST}"),
    "an extent that is found later": ((*one("a", "n", 1), CAST, *one("b", "p", 2), *END), f"s:n * 4 a@s _1 -a -s z t:p * 4 b@t _2 -b -t {LAST}"),
    # --- which storage
    "of the same size first": (
        (*one("a", "100", 1), new("b", "10"), used("b", 2), new("d", "100"), used("d", 3, "b"), *one("e", "10", 4), *END), f"s:400 a@s _1 -a b@s _2 t:400 d@t _3 -b -d -t e@s _4 -e -s {LAST}",
    ),
    "numbers": (
        (new("a", "100"), new("b", "20"), used("a", 1), used("b", 2), *one("d", "10", 3), *one("e", "20", 4), *one("g", "50", 5), *one("h", "200", 6), *END), f"s:800 a@s t:80 b@t _1 -a _2 -b d@t _3 -d e@t _4 -e -t g@s _5 -g h@s _6 -h -s {LAST}",
    ),
    # --- branches
    "in both branches": (branches(THEN, one("d", "n", 3), *one("e", "n", 4), *END), f"s:n * 4 if c: a@s _1 -a b@s _2 -b z else: d@s _3 -d z e@s _4 -e -s {LAST}"),
    "in one branch": (branches(THEN, (), *END), f"if c: s:n * 4 a@s _1 -a b@s _2 -b -s z else: z {LAST}"),
    "larger in a branch": (branches(one("a", "n", 1), one("d", "n * 2", 3), *END), f"if c: s:n * 4 a@s _1 -a -s z else: t:n * 8 d@t _3 -d -t z {LAST}"),
    "other extents in a branch": (branches(one("a", "n", 1), one("d", "m", 3), *one("e", "n", 4), *END), f"if c: s:n * 4 a@s _1 -a -s z else: t:m * 4 d@t _3 -d -t z u:n * 4 e@u _4 -e -u {LAST}"),
    "free before a branch": ((*one("e", "n", 4), *branches(one("a", "n", 1), one("d", "n", 3)), *END), f"s:n * 4 e@s _4 -e if c: a@s _1 -a z else: d@s _3 -d z -s {LAST}"),
    "across a branch": ((*one("e", "n", 4), *branches(one("a", "n", 1), one("d", "n", 3)), used("x", 5, "e"), *END), f"s:n * 4 e@s _4 if c: t:n * 4 a@t _1 -a -t z else: u:n * 4 d@u _3 -d -u z _5 -e -s {LAST}"),
    "a smaller one would waste it": ((*WASTE, *END), f"s:n * 8 a@s _1 -a t:n * 4 d@t e@s _2 _3 -d -e -s -t {LAST}"),
    "a smaller one would waste it in a branch": (
        branches(WASTE, (), new("g", "n * 2"), new("h"), used("g", 4), used("h", 5, "g"), *END),
        f"t:n * 4 if c: s:n * 8 a@s _1 -a d@t e@s _2 _3 -d -e -s z else: z u:n * 8 g@u h@t _4 _5 -g -h -t -u {LAST}",
    ),
    "after one branch": (branches(THEN, (), *one("e", "n", 4), *END), f"s:n * 4 if c: a@s _1 -a b@s _2 -b z else: z e@s _4 -e -s {LAST}"),
    "after the other": (branches((), THEN, *one("e", "n", 4), *END), f"s:n * 4 if c: z else: a@s _1 -a b@s _2 -b z e@s _4 -e -s {LAST}"),
    "one in each branch, both after": (
        branches(one("a", "n", 1), one("d", "m", 3), *one("e", "n", 4), *one("g", "m", 5), *END),
        f"s:n * 4 t:m * 4 if c: a@s _1 -a z else: d@t _3 -d z e@s _4 -e -s g@t _5 -g -t {LAST}",
    ),
}  # fmt: skip


def told(lines: tuple[str, ...]) -> str:
    result = (
        "(out, z)" if any(each.startswith("if") for each in lines) else "out1" if "out1 = (out, w)" in lines else "out"
    )
    text = HEAD + "\n".join(f"        {each}" for each in lines) + f"\n        return {result}\n"
    made = lower(rr.check(rr.parse(text)), passes=("plan_memory",)).module.module
    found = []
    names = {"storage": "s", "storage_1": "t", "storage_2": "u", "storage_3": "v"}
    for line in rr.print_module(made).partition("def main(")[2].splitlines()[2:]:
        name, _, value = line.strip().partition(" = ")
        if kill := re.match(r"R\.memory\.kill_\w+\((\w+)\)", value):
            found.append(f"-{names.get(kill[1], kill[1])}" if name.startswith("_kill") else name)
        elif size := re.match(
            r"R\.memory\.alloc_storage\(R\.shape\(\[(.*)\]\), 0, R\.str\(\"global\"\), R\.dtype\(\"uint8\"\)\)", value
        ):
            found.append(f"{names[name]}:{size[1]}")
        elif place := re.match(r"R\.memory\.alloc_tensor\((\w+), (\d+), ", value):
            found.append(f"{name}@{names[place[1]]}" + f"+{place[2]}" * (place[2] != "0"))
        elif value.startswith("R.builtin.alloc_tensor"):
            found.append(f"own:{name}")
        elif name and not name.startswith("return") and value != "T.int64()":
            found.append(name)
    return " ".join(found)


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", PLANS)
def test_a_plan(name: str) -> None:
    lines, wanted = PLANS[name]
    assert told(lines) == wanted
