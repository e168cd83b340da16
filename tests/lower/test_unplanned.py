"""Planned memory written as results: only where nobody can tell the difference, whatever the plan."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends import compile as compile_
from refrelax.lower import lower
from refrelax.lower.origins.expand import proved_origins
from refrelax.lower.origins.unplanned import unplanned
from tests.lower.test_legalize import cells, same

KERNELS = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.add(a, x)
            c = R.permute_dims(b)
            d = R.reshape(c, (n, 3))
            e = R.exp(d)
            f = R.permute_dims(e)
            g = R.split(f, 3, axis=0)
            R.output(f, g)
        return (f, g)
"""
"""The loop programs of the tests are what this becomes."""

OWN = """
    @T.prim_func(private=True, s_tir=True)
    def halve(a: T.Buffer((n, T.int64(3)), "float32"), out: T.Buffer((n, T.int64(3)), "float32")):
        for i, j in T.grid(n, T.int64(3)):
            out[i, j] = a[i, j] * T.float32(0.5)

    @T.prim_func(private=True, s_tir=True)
    def bump(out: T.Buffer((n, T.int64(3)), "float32")):
        for i, j in T.grid(n, T.int64(3)):
            out[i, j] = out[i, j] + T.float32(1)

"""

POKE = """
    @R.function(pure=False, private=True)
    def poke(t: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):
        cls = Module
        _ = cls.bump(t)
        return t

"""

MAIN = """    @R.function(pure=False)
    def main(x: R.Tensor((n, 3), "float32")):
        cls = Module
"""

KERNEL_TEXT = rr.print_module(lower(rr.check(rr.parse(KERNELS)), "legalize").module.module).split("    @R.function")[0]

SHAPES = {"A": "R.shape([n, 3])", "B": "R.shape([3, n])"}

CALLS = {
    "negative": ("A", "A"), "exp": ("A", "A"), "add": ("AA", "A"), "transpose": ("A", "B"), "reshape": ("B", "A"),
    "halve": ("A", "A"), "bump": ("", "A"),
}  # fmt: skip
"""Kernels, by the shapes of what they read and store; the last two come from no operator."""


def program(*lines: str) -> rr.CheckedModule:
    own = OWN + POKE * any("cls.poke" in line for line in lines) + MAIN
    return rr.check(rr.parse(KERNEL_TEXT + own + "\n".join(" " * 8 + line for line in lines) + "\n"))


@cache
def fixed_kernels() -> str:
    """The loop programs at numbers."""
    made = lower(rr.check(rr.parse(KERNELS.replace("(n, 3)", "(2, 3)"))), "legalize").module
    return rr.print_module(made.module).split("    @R.function")[0]


def fixed(*places: str, body: tuple[str, ...] = ("_ = cls.negative(x, a)", "_1 = cls.exp(x, b)")) -> rr.CheckedModule:
    """Two tensors of 24 bytes in one storage, both in use at the end."""
    lines = [
        'x: R.Tensor((2, 3), "float32")):', "    cls = Module",
        '    s = R.memory.alloc_storage(R.shape([64]), 0, R.str("global"), R.dtype("uint8"))',
        *(f'    {name} = R.memory.alloc_tensor(s, {at}, R.shape([2, 3]), R.dtype("float32"), 0)'
          for name, at in zip("ab", places, strict=True)),
        *(f"    {each}" for each in body), "    return (a, b)",
    ]  # fmt: skip
    head = f"{fixed_kernels()}    @R.function(pure=False)\n    def main("
    return rr.check(rr.parse(head + "\n    ".join(lines) + "\n"))


@pytest.mark.parametrize(("first", "second"), [(0, 24), (24, 0), (0, 32), (40, 0), (0, 20), (20, 0), (0, 0), (4, 24)])
def test_tensors_that_live_at_once_lie_apart_or_stay(first: int, second: int) -> None:
    checked = fixed(str(first), str(second))
    assert results(checked) == ({"a", "b"} if abs(first - second) >= 24 else set())
    wanted = rr.run(checked, "main", [[1.0, -2.0, 3.0], [0.5, 0.25, -8.0]])
    found = compile_(checked, mode="bits").run("main", [[1.0, -2.0, 3.0], [0.5, 0.25, -8.0]])
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    compare(wanted.value, found.value, "bits")


def storage(name: str) -> str:
    return f'{name} = R.memory.alloc_storage(R.shape([n * 16 + 16]), 0, R.str("global"), R.dtype("uint8"))'


def tensor(name: str, where: str, kind: str = "A", at: int = 0) -> str:
    if not where:
        return f'{name} = R.builtin.alloc_tensor({SHAPES[kind]}, R.dtype("float32"), 0, R.str("global"))'
    return f'{name} = R.memory.alloc_tensor({where}, {at}, {SHAPES[kind]}, R.dtype("float32"), 0)'


def agree(checked: rr.CheckedModule) -> None:
    """The compiled program gives what the definition gives, where that says something."""
    for rows in ([[1.0, -2.0, 3.0], [0.5, 0.25, -8.0]], [], [[1.0, 2.0, 4.0]]):
        x = np.array(rows, np.float32).reshape(len(rows), 3)
        wanted = rr.run(checked, "main", x)
        for mode in ("bits", "fast"):
            found = compile_(checked, mode=mode).run("main", x)
            if isinstance(wanted, rr.Returned):
                assert isinstance(found, rr.Returned), found
                compare(wanted.value, found.value, mode)


def compare(wanted: Any, found: Any, mode: str) -> None:
    """Bit for bit, or nearly; where an element has a meaning."""
    if isinstance(wanted, tuple):
        for a, b in zip(wanted, found, strict=True):
            compare(a, b, mode)
    elif mode == "bits":
        assert same(cells(wanted), cells(found))
    else:
        told = [k for k, bits in enumerate(wanted.patterns()) if bits is not None]
        a, b = (np.array(each.patterns(), object)[told].astype(np.uint32).view(np.float32) for each in (wanted, found))
        np.testing.assert_allclose(a, b, rtol=1e-5)


def results(checked: rr.CheckedModule) -> set[str]:
    found = unplanned(checked, "main", proved_origins(checked.module, lambda _: True))
    return set() if found is None else set(found.results)


APART = [storage("s"), tensor("a", "s"), "_ = cls.negative(x, a)", tensor("b", ""), "_1 = cls.add(a, x, b)",
         "_k = R.memory.kill_tensor(a)"]  # fmt: skip

BOTH = ["_ = cls.negative(x, a)", "_1 = cls.exp(x, b)"]

PLANS: dict[str, tuple[list[str], set[str]]] = {
    "in turn": ([*APART, tensor("c", "s"), "_2 = cls.exp(b, c)", "return c"], {"a", "b", "c"}),
    "stored over while it is used": (
        [storage("s"), tensor("a", "s"), tensor("b", "s"), *BOTH, "return a"], set(),
    ),
    "at offsets that meet": (
        [storage("s"), tensor("a", "s"), tensor("b", "s", at=4), *BOTH, "return a"], set(),
    ),
    "stored twice": ([tensor("a", ""), "_ = cls.negative(x, a)", "b = a", "_1 = cls.exp(x, a)", "return b"], set()),
    "read before": ([tensor("a", ""), "b = R.add(a, x)", "_ = cls.negative(x, a)", "return a"], set()),
    "read where something was stored before": (
        [storage("s"), tensor("a", "s"), tensor("b", "s"), "_ = cls.negative(x, a)", "_1 = cls.bump(b)", "return b"],
        set(),
    ),
    "in place": ([tensor("a", ""), "_ = cls.negative(x, a)", "_1 = cls.exp(a, a)", "return a"], set()),
    "changed by a loop program": ([tensor("a", ""), "_ = cls.negative(x, a)", "_1 = cls.bump(a)", "return a"], set()),
    "given to a function": ([tensor("a", ""), "_ = cls.negative(x, a)", "b = cls.poke(a)", "return a"], set()),
    "seen by a loop program": (
        [tensor("a", ""), "_ = cls.negative(x, a)", tensor("b", ""), "_1 = cls.halve(a, b)", "return b"], {"a"},
    ),
    "changed through a view": (
        [tensor("a", ""), "_ = cls.negative(x, a)", 'v = R.memory.view(a, R.shape([n, 3]), R.dtype("float32"), 0)',
         "_1 = cls.bump(v)", "return a"], set(),
    ),
    "a view that outlives": (
        [*APART[:3], 'v = R.memory.view(a, R.shape([3, n]), R.dtype("float32"), 0)', tensor("b", "s"),
         "_1 = cls.exp(x, b)", tensor("c", ""), "_2 = cls.reshape(v, c)", "return c"], {"c"},
    ),
    "a view of a result that outlives its storage": (
        [storage("s"), tensor("a", "s"), "_ = cls.add(x, x, a)", tensor("t", "", "B"), "_1 = cls.transpose(a, t)",
         tensor("b", "s"), "_2 = cls.negative(x, b)", tensor("c", ""),
         "_3 = cls.exp(b, c)", tensor("d", ""), "_4 = cls.reshape(t, d)", "e = R.add(c, d)", "return e"],
        {"a", "t", "b", "c", "d"},
    ),
    "the storage has two names": (
        [storage("s"), "z = s", tensor("a", "s"), tensor("b", "z"), *BOTH, "return a"], set(),
    ),
    "a parameter": (["_ = cls.exp(x, x)", "return x"], set()),
}  # fmt: skip


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", PLANS)
def test_plans(name: str) -> None:
    lines, wanted = PLANS[name]
    checked = program(*lines)
    agree(checked)
    assert results(checked) == wanted


def test_two_results_of_one_call() -> None:
    text = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32")):
        with R.dataflow():
            t = R.topk(x, k=2)
            a = t[0]
            b = R.exp(a)
            c = t[1]
            R.output(b, c)
        return (b, c)
"""
    checked = rr.check(rr.parse(text))
    lowered = lower(checked, "default").module
    args = ([[1.0, 3.0, 2.0, -1.0], [0.0, -0.0, 5.0, 5.0]],)
    wanted, found = rr.run(checked, "main", *args), compile_(lowered, mode="bits").run("main", *args)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert cells(found.value) == cells(wanted.value)
    assert "ops['topk']" in compile_(lowered).source


STEPS = st.tuples(st.sampled_from(["alloc", "call", "call", "call", "view", "name", "kill"]), *[st.integers(0, 9)] * 4)


@pytest.mark.thorough
@given(st.lists(STEPS, min_size=3, max_size=14), st.integers(0, 9), st.integers(0, 9))
def test_any_plan(steps: list[tuple[Any, ...]], first: int, second: int) -> None:
    """Tensors anywhere in two storages, stored and read in any order. (No loop program stores where it reads: they
    promise that. Nothing is read through a tensor that nothing stored: to store what is poison changes no bytes.)"""
    lines, names = [storage("s"), storage("t")], {"A": ["x"], "B": list[str]()}
    memory = {"x": "x"}
    places: dict[str, list[str]] = {"A": [], "B": []}
    for k, (what, a, b, c, d) in enumerate(steps):
        kind = "AAB"[a % 3]
        match what:
            case "alloc":
                lines.append(tensor(f"v{k}", ("s", "t", "")[b % 3], kind, 4 * (c % 2)))
                memory[f"v{k}"] = ("s", "t", f"v{k}")[b % 3]
                places[kind].append(f"v{k}")
            case "call":
                callee = [*CALLS][a % len(CALLS)]
                reads, stores = CALLS[callee]
                if not places[stores]:
                    where = ("s", "t", "")[b % 3]
                    lines.append(tensor(f"w{k}", where, stores))
                    memory[f"w{k}"] = where or f"w{k}"
                    places[stores].append(f"w{k}")
                if all(names[each] for each in reads):
                    given_ = [names[each][-1 - (b + c * j) % min(3, len(names[each]))] for j, each in enumerate(reads)]
                    out = places[stores][-1 - d % min(2, len(places[stores]))]
                    if all(memory[each] != memory[out] for each in given_) and (reads or out in names[stores]):
                        lines.append(f"_{k} = cls.{callee}({', '.join([*given_, out])})")
                        names[stores].append(out)
            case "view" if names[kind]:
                other = "AB"[b % 2]
                of = names[kind][-1 - c % len(names[kind])]
                lines.append(f'v{k} = R.memory.view({of}, {SHAPES[other]}, R.dtype("float32"), 0)')
                names[other].append(f"v{k}")
                memory[f"v{k}"] = memory[of]
                if d % 3 == 0:
                    places[other].append(f"v{k}")
            case "name" if names[kind]:
                memory[f"v{k}"] = memory[of := names[kind][-1 - b % len(names[kind])]]
                lines.append(f"v{k} = {of}")
                names[kind].append(f"v{k}")
            case _:
                pass
    one, two = (names["A"][-1 - j % min(4, len(names["A"]))] for j in (first, second))
    note("\n".join(lines))
    agree(program(*lines, f"out = ({one}, {two})", "return out"))


def test_a_whole_view_of_a_result_is_a_reshape() -> None:
    """What is no part of a storage any more is not looked at through one; a view of a part, or of other bytes, is."""
    lines = (storage("s"), tensor("a", "s"), "_ = cls.negative(x, a)")
    whole = program(
        *lines, 'v = R.memory.view(a, R.shape([3, n]), R.dtype("float32"), 0)', "w = R.add(v, v)", "return w"
    )
    part = program(
        *lines, 'v = R.memory.view(a, R.shape([n, 2]), R.dtype("float32"), 0)', "w = R.add(v, v)", "return w"
    )
    bits = program(*lines, 'v = R.memory.view(a, R.shape([n, 3]), R.dtype("int32"), 0)', "w = R.add(v, v)", "return w")
    given = program('v = R.memory.view(x, R.shape([3, n]), R.dtype("float32"), 0)', *lines, "return (v, a)")
    for checked, through in ((whole, False), (part, True), (bits, True), (given, True)):
        agree(checked)
        assert ("TensorCreateView" in compile_(checked, mode="fast").source) == through
