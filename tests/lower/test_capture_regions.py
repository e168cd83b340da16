"""What is recorded, and which memory is kept: a function of planned memory, and each a step away from it.

Of each row: the functions of recorded runs (what they are given, what they bind, what they give), then what is left.
"""

# ruff: noqa: E501
from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.syntax.graph import Function, Tuple, Var
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import ShapeType

HEAD = """
n, m = T.int64(), T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] + T.float32(1)

    @T.prim_func(private=True)
    def scaled(a: T.Buffer((n,), "float32"), k: T.int64, b: T.Buffer((n,), "float32")):
        for i in range(n):
            b[i] = a[i] * T.Cast("float32", k)

    @T.prim_func(private=True)
    def calls(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32")):
        T.call_extern("void", "other")
        for i in range(n):
            b[i] = a[i] + T.float32(1)

    @R.function(pure=False, private=True)
    def plain(x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        return x

    @R.function(pure=False)
    def main(x: R.Tensor((n,), "float32"), k: R.Shape([m])):
        cls = Module
"""


def storage(name: str = "s", size: str = "64", more: str = '0, R.str("global")') -> str:
    return f'{name} = R.memory.alloc_storage(R.shape([{size}]), {more}, R.dtype("uint8"))'


def tensor(name: str, at: str = "0", shape: str = "n", where: str = "s") -> str:
    return f'{name} = R.memory.alloc_tensor({where}, {at}, R.shape([{shape}]), R.dtype("float32"), 0)'


def kill(number: int, name: str, what: str = "tensor") -> str:
    return f"_{number} = R.memory.kill_{what}({name})"


OUT = 'out = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'
CONST = 'R.const([1.0, 2.0], "float32")'
START = (storage(), tensor("a"), tensor("b", "32"), "_ = cls.f(x, a)")
"""Of it nothing is recorded: the argument has another address each time."""
END = (OUT, "_9 = cls.f(b, out)")
WHOLE = (*START, "_1 = cls.f(a, b)", *END)

ROWS: dict[str, tuple[tuple[str, ...], str]] = {
    "a call on kept memory": (WHOLE, "a b n: _1 -> | s a b _ out _9"),
    "an argument": ((*START, "_1 = cls.f(x, b)", *END), "| as it was"),
    "a result": ((*START, OUT, "_9 = cls.f(b, out)"), "| as it was"),
    "what is allocated in between": (
        (storage(), tensor("a"), "_ = cls.f(x, a)", tensor("b", "32"), "_1 = cls.f(a, b)", *END), "s a n: b _1 -> b | s a _ b out _9",
    ),
    "two calls in a row": ((*START, "_1 = cls.f(a, b)", "_2 = cls.f(b, a)", *END), "a b n: _1 _2 -> | s a b _ out _9"),
    "two runs": (
        (*START, "_1 = cls.f(a, b)", "_2 = cls.f(x, a)", "_3 = cls.f(a, b)", *END), "a b n: _1 -> | a b n: _3 -> | s a b _ _2 out _9",
    ),
    "of a program that calls": ((*START, "_1 = cls.calls(a, b)", *END), "| as it was"),
    "of a function": ((*START, "_1 = cls.plain(a, b)", *END), "| as it was"),
    "on a constant": ((*START, f"_1 = cls.f({CONST}, b)", *END), "b n: _1 -> | s a b _ out _9"),
    "with a number": ((*START, "_1 = cls.scaled(a, 3, b)", *END), "a b n: _1 -> | s a b _ out _9"),
    "with a symbol": ((*START, "_1 = cls.scaled(a, m, b)", *END), "a b m n: _1 -> | s a b _ out _9"),
    "with a symbol that is found on the way": (
        (*START, "z = R.match_cast(x, R.Tensor((p,), 'float32'))", "_1 = cls.scaled(a, p, b)", *END), "| as it was",
    ),
    "another name": ((*START, "c = a", "_1 = cls.f(c, b)", *END), "a b n: c _1 -> | s a b _ out _9"),
    "another name of an argument": ((*START, "c = x", "_1 = cls.f(c, b)", *END), "| as it was"),
    "a view": (
        (*START, 'v = R.memory.view(a, R.shape([n]), R.dtype("float32"), 0)', "_1 = cls.f(v, b)", *END), "a b n: v _1 -> | s a b _ out _9",
    ),
    "a view of extents that are found on the way": (
        (*START, "z = R.match_cast(x, R.Tensor((p,), 'float32'))", 'v = R.memory.view(a, R.shape([p]), R.dtype("float32"), 0)', "_1 = cls.f(v, b)", *END), "| as it was",
    ),
    "a view of an argument": (
        (*START, 'v = R.memory.view(x, R.shape([n]), R.dtype("float32"), 0)', "_1 = cls.f(v, b)", *END), "| as it was",
    ),
    "a view that is used later": (
        (*START, 'v = R.memory.view(b, R.shape([n]), R.dtype("float32"), 0)', "_1 = cls.f(a, b)", OUT, "_9 = cls.f(v, out)"),
        "b a n: v _1 -> v | s a b _ v out _9",
    ),
    "what follows the last call": (
        (*START, "_1 = cls.f(a, b)", 'v = R.memory.view(b, R.shape([n]), R.dtype("float32"), 0)', OUT, "_9 = cls.f(v, out)"),
        "a b n: _1 -> | s a b _ v out _9",
    ),
    # --- the ends of lives
    "killed inside": (
        (storage(), tensor("a"), "_ = cls.f(x, a)", tensor("b", "32"), "_1 = cls.f(a, b)", tensor("c", "0"), "_2 = cls.f(b, c)", kill(3, "b"), "_4 = cls.f(c, a)", OUT, "_9 = cls.f(a, out)"),
        "s a n: b _1 c _2 _4 -> | s a _ out _9",
    ),
    "killed inside, known outside": (
        (*START, "_1 = cls.f(a, b)", kill(3, "a"), "_2 = cls.f(b, b)", *END), "a b n: _1 _2 -> | s a b _ _3 out _9",
    ),
    "killed behind": ((*WHOLE, kill(3, "a"), kill(4, "b"), kill(5, "s", "storage")), "a b n: _1 -> | s a b _ out _9 _3 _4"),
    "known inside, killed behind": (
        (storage(), tensor("a"), "_ = cls.f(x, a)", tensor("b", "32"), "_1 = cls.f(a, b)", "_2 = cls.f(b, a)", OUT, "_9 = cls.f(a, out)", kill(3, "b"), kill(4, "a")),
        "s a n: b _1 _2 -> | s a _ out _9 _4",
    ),
    # --- memory that is kept
    "a size of two": ((storage(size="8, 8"), *WHOLE[1:]), "a b n: _1 -> | s a b _ out _9"),
    "a size of none": ((storage(size="0"), *WHOLE[1:]), "a b n: _1 -> | s a b _ out _9"),
    "a size that is computed": ((storage(size="n * 8"), *WHOLE[1:]), "| as it was"),
    "a size that is below 0": ((storage(size="-8"), *WHOLE[1:]), "| as it was"),
    "memory that is a result": ((*WHOLE, "w = (out, b)"), "w | as it was"),
    "memory that has another name that is a result": ((*WHOLE, "d = b", "w = (out, d)"), "w | as it was"),
    "one of two storages": (
        (storage("t"), tensor("d", where="t"), *WHOLE, "_2 = cls.f(b, d)", "w = (out, d)"), "w a b n: _1 -> | s t d a b _ out _9 _2 w",
    ),
    "two storages": (
        (storage("t"), tensor("d", where="t"), *WHOLE, "_2 = cls.f(b, d)", "_3 = cls.f(d, out)"), "a b n: _1 -> | b d n: _2 -> | t s d a b _ out _9 _3",
    ),
}  # fmt: skip


def told(name: str) -> str:
    lines, wanted = ROWS[name]
    result = "w" if wanted.startswith("w ") else "out"
    text = HEAD.replace("n, m = T.int64(), T.int64()", "n, m, p = T.int64(), T.int64(), T.int64()")
    text += "\n".join(f"        {each}" for each in lines) + f"\n        return {result}\n"
    checked = rr.check(rr.parse(text))
    made = lower(checked, passes=("capture",)).module.module
    functions = made.relax_functions()
    if made == checked.module:
        return "| as it was"
    parts = [recorded(functions[each]) for each in functions if "_capture" in each]
    left = [b.name for block in functions["main"].body.blocks for b in block.bindings]
    return " | ".join([*parts, " ".join(each for each in left if not each.startswith(("cached", "graph")))])


def recorded(function: Function) -> str:
    given = [p.name for p in function.params if not p.name.startswith("extents")]
    symbols = [
        d.name
        for p in function.params
        if isinstance(p.type, ShapeType)
        for d in p.type.values or ()
        if isinstance(d, SymVar)
    ]
    bound = [b.name for block in function.body.blocks for b in block.bindings]
    assert isinstance(function.body.body, Tuple)
    gives = [each.name for each in function.body.body.fields if isinstance(each, Var)]
    return f"{' '.join([*given, *symbols])}: {' '.join(bound)} -> {' '.join(gives)}".strip()


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", ROWS)
def test_what_is_recorded(name: str) -> None:
    assert told(name) == ROWS[name][1].removeprefix("w ")
