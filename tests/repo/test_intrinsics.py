"""What chapter 07b says of an intrinsic is run: its examples, and the rules that it names."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.conformance.cases import Case, load, load_examples
from refrelax.conformance.run import run_case
from refrelax.syntax import bits
from refrelax.syntax.loops import BufferStore, PrimFunc
from refrelax.syntax.scalars import BufferLoad, Intrinsic

PAGE = (Path(__file__).resolve().parents[2] / "spec" / "07b-intrinsics.md").read_text("utf-8")
ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|$", re.MULTILINE)
EXAMPLE = re.compile(r"`([\w.]+)\(([^`]*)\)` (?:= `([^`]+)`|ends: `([^`]+)`)")
EFFECTS = {"assume", "prefetch", "ret", "break_loop", "continue_loop", "thread_return"}
"""What gives no value."""
DTYPES = {"reinterpret": "int32", "clz": "int32", "isnan": "bool", "isinf": "bool", "isfinite": "bool"}
"""The dtype of a result that is not its first argument's."""
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def rows(first: str, last: str) -> dict[str, list[str]]:
    part = PAGE.partition(f"\n## {first}")[2].partition(f"\n## {last}")[0]
    return {m[1]: [cell.strip() for cell in m[2].split("|")] for m in ROW.finditer(part)}


WITH_EXAMPLES = rows("Functions of floats", "Memory")
EXAMPLES = [m.groups() for cells in WITH_EXAMPLES.values() for m in EXAMPLE.finditer(cells[-1])]


def test_every_function_has_an_example() -> None:
    for name, cells in WITH_EXAMPLES.items():
        found = [m[1] for m in EXAMPLE.finditer(cells[-1])]
        assert set(found) == {name} or (name in EFFECTS and not found), name
        assert len(found) == cells[-1].count(" = ") + cells[-1].count(" ends: "), name


def number(text: str) -> bool | int | float:
    if text in FLOATS:
        return FLOATS[text]
    found = json.loads(text.lower())
    assert isinstance(found, bool | int | float)
    return found


def dtype_of(value: bool | int | float) -> str:
    return "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"


@pytest.mark.parametrize(("name", "given", "value", "end"), EXAMPLES, ids=lambda x: x)
def test_an_example_is_what_it_says(name: str, given: str, value: str | None, end: str | None) -> None:
    args = [number(each) for each in given.split(", ") if each]
    out = DTYPES.get(name) or (dtype_of(args[1 if name == "if_then_else" else 0]) if args else "float32")
    ended = evaluate(name, args, out)
    if end is not None:
        assert isinstance(ended, rr.Unspecified) and ended.rule == end
        return
    assert isinstance(ended, rr.Returned)
    if value is not None and value.startswith("poison("):
        assert [rule for _, rule in ended.poison] == [value[7:-1]]
        return
    assert value is not None and ended.arguments[-1].patterns() == [bits.encode(out, number(value))]


def evaluate(name: str, args: list[bool | int | float], out: str) -> object:
    """One call in a program of its own, whose arguments are loaded, so that nothing is folded."""
    names = [f"x{k}" for k in range(len(args))]
    heads = ", ".join(f'{x}: T.Buffer((1,), "{dtype_of(v)}")' for x, v in zip(names, args, strict=True))
    zero = "T.bool(False)" if out == "bool" else f"T.{out}(0)"
    text = f"""@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main({heads}{", " * bool(heads)}O: T.Buffer((1,), "{out}")):
        O[0] = {zero}
"""
    module = rr.parse(text)
    function = module.functions["main"]
    assert isinstance(function, PrimFunc)
    (store,) = function.body
    assert isinstance(store, BufferStore)
    call = Intrinsic(
        name, tuple(BufferLoad(x, store.indices, dtype_of(v)) for x, v in zip(names, args, strict=True)), out
    )
    changed = replace(module, functions={"main": replace(function, body=(replace(store, value=call),))})
    given = [rr.Tensor.of([v], dtype_of(v)) for v in args]
    return rr.run(rr.check(changed), "main", *given, rr.Tensor.of([0], out))


# --- the rules that are named


BY_RULE = [
    (name, rule)
    for name, cells in rows("Choice, hints", "Without a meaning").items()
    for rule in re.findall(r"`([a-z]+/[\w-]+)`", cells[0])
]


def named(name: str, text: str) -> bool:
    return re.search(rf"(?:T\.|\"){re.escape(name)}\b", text) is not None


@cache
def suite() -> tuple[Case, ...]:
    return tuple(case for case in (*load(), *load_examples()) if case.module)


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("name", "rule"), BY_RULE, ids=lambda x: x)
def test_the_rule_that_is_named_is_the_one_that_counts(name: str, rule: str) -> None:
    """A case of the rule calls the intrinsic, or a program that calls it goes by the rule."""
    assert any(named(name, c.module or "") for c in suite() if rule in (c.rule, c.expect.rule)) or any(
        rule in run_case(each, observe=True).fired.all for each in calling(name, rule)
    )


def calling(name: str, rule: str) -> Iterator[Case]:
    """Cases that call the intrinsic; then those that call another of the rule, with this one in its place."""
    yield from (case for case in suite() if named(name, case.module or ""))
    for other in dict.fromkeys(n for n, r in BY_RULE if r == rule and n != name):
        for case in suite():
            if named(other, case.module or ""):
                text = re.sub(rf"T\.{re.escape(other)}\b", f"T.{name}", case.module or "")
                yield replace(case, module=text)


HANDLES = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer((1,), "bool")):
        O[0] = T.isnullptr({pointer})
"""


@pytest.mark.parametrize(("pointer", "null"), [("T.tvm_static_handle()", True), ("A.data", False)])
def test_a_static_handle_is_null(pointer: str, null: bool) -> None:
    ended = rr.run(rr.check(rr.parse(HANDLES.format(pointer=pointer))), "main", [0.0] * 4, rr.Tensor.of([not null]))
    assert isinstance(ended, rr.Returned) and ended.arguments[1].tolist() == [null]


HALVES = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer(({lanes},), "float32")):
        O[0:{lanes}] = {value}
"""


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("T.vectorlow('float32x2', A[0:4])", [1, 2]),
        ("T.vectorhigh('float32x2', A[0:4])", [3, 4]),
        ("T.vectorcombine('float32x4', A[2:4], A[0:2])", [3, 4, 1, 2]),
    ],
)
def test_halves(value: str, found: list[float]) -> None:
    program = rr.check(rr.parse(HALVES.format(lanes=len(found), value=value)))
    ended = rr.run(program, "main", [1.0, 2, 3, 4], [0.0] * len(found))
    assert isinstance(ended, rr.Returned) and ended.arguments[1].tolist() == found
