"""Random programs of calls, names, casts, reshapes, tuples and branches mean the same under a memory plan."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.lower.plan_memory import planned_bytes
from refrelax.semantics.dims import value

from .memory_modules import M, V, W, call, module

Choices = list[tuple[int, int, int]]
KINDS = ("double", "bump", "flat", "square", "grow", "shrink", "name", "cast", "pair", "tuple", "branch", "same")


class Writer:
    """Lines of a program; ``vars`` maps a type to the variables in scope that have it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def statement(self, kind: str, a: int, b: int, names: dict[str, list[str]], indent: str, depth: int) -> None:
        def pick(ty: str, k: int) -> str | None:
            return names[ty][k % len(names[ty])] if names[ty] else None

        source, target = {
            "flat": (V, M), "square": (M, V), "grow": (V, W), "shrink": (W, V),
        }.get(kind, (V, V))  # fmt: skip
        x = pick(source, a)
        if x is None:
            return
        name = self.fresh()
        match kind:
            case "double" | "bump" | "flat" | "square" | "grow" | "shrink":
                self.add(indent, f"{name} = {call(kind, x, out=target)}")
            case "name":
                self.add(indent, f"{name} = {x}")
            case "cast":
                self.add(indent, f"{name} = R.match_cast({x}, {V})")
            case "same":
                self.add(indent, f"{name} = cls.same({x})")
            case "pair":
                self.add(indent, f"{name}t = {call('pair', x, out=f'[{V}, {V}]')}", f"{name} = {name}t[{b % 2}]")
            case "tuple":
                self.add(indent, f"{name}t = ({x}, {pick(V, b)})", f"{name} = {name}t[{b % 2}]")
            case _:
                if depth == 2:
                    return
                for k, word in enumerate(("if c:", "else:")):
                    self.add(indent, word)
                    inner = {ty: list(each) for ty, each in names.items()}
                    for step in range(1 + (a + k) % 3):
                        other = KINDS[(b + 5 * k + 3 * step) % len(KINDS)]
                        self.statement(other, a + step, b + k + step, inner, indent + "    ", depth + 1)
                    self.add(indent + "    ", f"{name} = {inner[V][-1 - (b + k) % min(3, len(inner[V]))]}")
        names[target].append(name)

    def add(self, indent: str, *lines: str) -> None:
        self.lines.extend(indent + line for line in lines)


def program(choices: Choices, result: int) -> str:
    writer = Writer()
    names: dict[str, list[str]] = {V: ["x", "y"], M: [], W: []}
    for kind, a, b in choices:
        writer.statement(KINDS[kind], a, b, names, "", 0)
    found = names[V][-1 - result % min(4, len(names[V]))]
    return module(*writer.lines, f"return {found}", params=f"c: T.bool, x: {V}, y: {V}")


def observed(out: Any) -> Any:
    assert isinstance(out, rr.Returned), out
    return out.value.core.bits(), [each.core.bits() for each in out.arguments[1:]], out.poison


@given(
    st.lists(st.tuples(st.integers(0, len(KINDS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12),
    st.integers(0, 3),
)
def test_random_programs(choices: Choices, result: int) -> None:
    checked = rr.check(rr.parse(program(choices, result)))
    lowered = lower(checked, passes=("to_destinations", "plan_memory"))
    assert all(claim.proved for claim in lowered.claims)
    before, after = planned_bytes(lowered.module.module)
    assert value(after, {}) <= value(before, {})
    for c in (True, False):
        args = [c, [1.0, 2.0, 3.0, 4.0], [0.5, -8.0, 16.0, 32.0]]
        assert observed(rr.run(lowered.module, "main", *args)) == observed(rr.run(checked, "main", *args))
