"""What chapter 07b says of an intrinsic is run: its examples, and the rules that it names."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import refrelax as rr
from refrelax.conformance.cases import Case, load, load_examples
from refrelax.conformance.chapters.held import chapter, held, holds, over, same
from refrelax.conformance.run import run_case
from refrelax.syntax import bits
from refrelax.syntax.loops import BufferStore, PrimFunc
from refrelax.syntax.scalars import BufferLoad, Intrinsic

ROW = re.compile(r"^\| `([^`]+)` \|(.*)\|$", re.MULTILINE)
EXAMPLE = re.compile(r"`([\w.]+)\(([^`]*)\)` (?:= `([^`]+)`|ends: `([^`]+)`)")
EFFECTS = {"assume", "prefetch", "ret", "break_loop", "continue_loop", "thread_return"}
"""What gives no value."""
DTYPES = {"reinterpret": "int32", "clz": "int32", "isnan": "bool", "isinf": "bool", "isfinite": "bool"}
"""The dtype of a result that is not its first argument's."""
FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def rows(first: str, last: str) -> dict[str, list[str]]:
    part = chapter("07b-intrinsics.md").partition(f"\n## {first}")[2].partition(f"\n## {last}")[0]
    return {m[1]: [cell.strip() for cell in m[2].split("|")] for m in ROW.finditer(part)}


def with_examples() -> dict[str, list[str]]:
    return rows("Functions of floats", "Memory")


def examples() -> list[tuple[str, ...]]:
    return [m.groups() for cells in with_examples().values() for m in EXAMPLE.finditer(cells[-1])]


@held("07b-intrinsics.md")
def every_function_has_an_example() -> None:
    for name, cells in with_examples().items():
        found = [m[1] for m in EXAMPLE.finditer(cells[-1])]
        holds(set(found) == {name} or (name in EFFECTS and not found), name)
        same(len(found), cells[-1].count(" = ") + cells[-1].count(" ends: "), name)


def number(text: str) -> bool | int | float:
    if text in FLOATS:
        return FLOATS[text]
    found = json.loads(text.lower())
    assert isinstance(found, bool | int | float)
    return found


def dtype_of(value: bool | int | float) -> str:
    return "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"


@held("07b-intrinsics.md")
@over(examples)
def an_example_is_what_it_says(name: str, given: str, value: str | None, end: str | None) -> None:
    args = [number(each) for each in given.split(", ") if each]
    out = DTYPES.get(name) or (dtype_of(args[1 if name == "if_then_else" else 0]) if args else "float32")
    ended = evaluate(name, args, out)
    if end is not None:
        assert isinstance(ended, rr.Unspecified)
        same(ended.rule, end)
        return
    assert isinstance(ended, rr.Returned)
    if value is not None and value.startswith("poison("):
        same([rule for _, rule in ended.poison], [value[7:-1]])
        return
    assert value is not None
    same(ended.arguments[-1].patterns(), [bits.encode(out, number(value))])


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


def by_rule() -> list[tuple[str, str]]:
    return [
        (name, rule)
        for name, cells in rows("Choice, hints", "Without a meaning").items()
        for rule in re.findall(r"`([a-z]+/[\w-]+)`", cells[0])
    ]


def named(name: str, text: str) -> bool:
    return re.search(rf"(?:T\.|\"){re.escape(name)}\b", text) is not None


@cache
def suite() -> tuple[Case, ...]:
    return tuple(case for case in (*load(), *load_examples()) if case.module)


@held("07b-intrinsics.md")
@over(by_rule)
def the_rule_that_is_named_is_the_one_that_counts(name: str, rule: str) -> None:
    """A case of the rule calls the intrinsic, or a program that calls it goes by the rule."""
    holds(
        any(named(name, c.module or "") for c in suite() if rule in (c.rule, c.expect.rule))
        or any(rule in run_case(each, observe=True).fired.all for each in calling(name, rule))
    )


def calling(name: str, rule: str) -> Iterator[Case]:
    """Cases that call the intrinsic; then those that call another of the rule, with this one in its place."""
    yield from (case for case in suite() if named(name, case.module or ""))
    for other in dict.fromkeys(n for n, r in by_rule() if r == rule and n != name):
        for case in suite():
            if named(other, case.module or ""):
                text = re.sub(rf"T\.{re.escape(other)}\b", f"T.{name}", case.module or "")
                yield replace(case, module=text)
