"""The memory of a function over its bindings as a chart: which bytes each tensor has, from when to when.

Without a plan each tensor has bytes of its own; with one, tensors lie in storages at offsets, and those that never live
at one time share bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from refrelax.errors import UsageError
from refrelax.lower.aliases import Aliases, aliases_of, occurrences
from refrelax.lower.lives import of_groups
from refrelax.lower.memory_report import measured
from refrelax.lower.memory_sizes import allocated, nbytes
from refrelax.semantics.dims import value
from refrelax.syntax.graph import (
    Binding,
    Call,
    DataTypeValue,
    Expr,
    Function,
    If,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Var,
    VarBinding,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, free_symbols


@dataclass(slots=True)
class Bar:
    """One run of bytes: ``name`` has those from ``offset`` on, from binding ``begin`` to binding ``end``; ``inside``:
    the storage that they are a part of."""

    name: str
    bytes: int
    begin: int
    end: int
    offset: int = 0
    inside: str = ""


def bars(module: Module, symbols: Mapping[str, int], name: str = "main") -> tuple[Bar, ...]:
    """The tensors and storages of a function at given values of its symbols, in the order of allocation.

    Raises:
        UsageError: as ``measured``; a size depends on a symbol that has no value.
    """
    func = measured(module, name, [symbols])
    walk = _Walk(_Groups.of(module, func), _Groups.of(module, replace(func, body=_unplaced(func.body))), symbols)
    walk.sequence(func.body)
    return tuple(walk.found)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Names that may be one thing, and how often each group is mentioned in the function."""

    aliases: Aliases
    whole: Counter[str]

    @classmethod
    def of(cls, module: Module, func: Function) -> _Groups:
        aliases = aliases_of(module, func)
        return cls(aliases, Counter(map(aliases.find, occurrences(func))))


def _unplaced(seq: SeqExpr) -> SeqExpr:
    """The same with every tensor in memory of its own: its life is not that of the storage, nor of what follows it
    there."""

    def binding(b: Binding) -> Binding:
        match b:
            case VarBinding(value=Call(op=Op(name="relax.memory.alloc_tensor"), args=(_, _, *rest)) as call):
                return replace(b, value=replace(call, op=Op("relax.builtin.alloc_tensor"), args=tuple(rest)))
            case VarBinding(value=If(then_branch=then, else_branch=other) as choice):
                return replace(b, value=replace(choice, then_branch=_unplaced(then), else_branch=_unplaced(other)))
            case _:
                return b

    return replace(seq, blocks=tuple(replace(x, bindings=tuple(map(binding, x.bindings))) for x in seq.blocks))


@dataclass(slots=True)
class _Walk:
    """``memory``: groups of names that may be one memory; ``tensors``: one tensor, wherever it lies."""

    memory: _Groups
    tensors: _Groups
    symbols: Mapping[str, int]
    found: list[Bar] = field(default_factory=list)
    time: int = 0

    def sequence(self, seq: SeqExpr) -> list[Bar]:
        """Note what is allocated; gives the bars that are not over when the sequence is."""
        bindings = [b for block in seq.blocks for b in block.bindings]
        unplaced = [b for block in _unplaced(seq).blocks for b in block.bindings]
        in_memory = of_groups(bindings, self.memory.aliases, self.memory.whole)
        as_tensors = of_groups(unplaced, self.tensors.aliases, self.tensors.whole)
        begun: list[Bar] = []
        after: list[int] = []
        for binding in bindings:
            if isinstance(binding, VarBinding):
                if isinstance(binding.value, If):
                    for branch in (binding.value.then_branch, binding.value.else_branch):
                        begun += self.sequence(branch)
                elif (bar := self.bar(binding.name, binding.value)) is not None:
                    begun.append(bar)
                    self.found.append(bar)
            self.time += 1
            after.append(self.time)
        left = []
        for bar in begun:
            groups, (local, ends) = (self.tensors, as_tensors) if bar.inside else (self.memory, in_memory)
            group = groups.aliases.find(bar.name)
            bar.end = after[ends[group]] if group in local else self.time
            left += [] if group in local else [bar]
        return left

    def bar(self, name: str, e: Expr) -> Bar | None:
        match e:
            case Call(op=Op(name="relax.memory.alloc_storage"), args=(ShapeExpr(values=(size,)), *_)):
                return Bar(name, self.at(size), self.time, self.time)
            case Call(
                op=Op(name="relax.memory.alloc_tensor"),
                args=(
                    Var(name=storage),
                    PrimValue(value=offset),
                    ShapeExpr(values=dims),
                    DataTypeValue(dtype=dtype),
                    *_,
                ),
            ):
                return Bar(name, self.at(nbytes(dims, dtype)), self.time, self.time, self.at(offset), storage)
            case _:
                new = allocated(e)
                return None if new is None else Bar(name, self.at(nbytes(*new)), self.time, self.time)

    def at(self, size: PrimExpr) -> int:
        missing = sorted(free_symbols(size) - self.symbols.keys())
        if missing:
            raise UsageError(f"the size of an allocation depends on {', '.join(missing)}, of which no value was given")
        return value(size, self.symbols)


WIDTH, LEAST = 900, 3
"""Pixels: the width of a chart, and the least height of a bar."""


def chart(found: Sequence[Bar], title: str, scale: float) -> str:
    """The bars as SVG: bindings from left to right, bytes from top to bottom, ``scale`` pixels a byte."""
    tops, high = dict[str, float](), 4.0
    for each in found:
        if not each.inside:
            tops[each.name] = high
            high += max(each.bytes * scale, LEAST) + 2
    last = max((each.end for each in found), default=1) or 1
    holding = {each.inside for each in found}
    marks = [mark for each in found for mark in _marks(each, tops, scale, last, each.name in holding)]
    total = sum(each.bytes for each in found if not each.inside)
    return (
        '<div class="wide">'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}: {total} bytes" '
        f'viewBox="0 0 {WIDTH} {high + 4:.0f}" font-family="ui-monospace, Menlo, Consolas, monospace" '
        f'font-size="10">{"".join(marks)}</svg></div>'
    )


def _marks(bar: Bar, tops: Mapping[str, float], scale: float, last: int, holds: bool) -> Iterator[str]:
    top = tops.get(bar.inside, tops.get(bar.name, 0.0)) + (bar.offset * scale if bar.inside else 0)
    left, wide = bar.begin / last * WIDTH, max((bar.end - bar.begin) / last * WIDTH, 3)
    high = max(bar.bytes * scale, LEAST)
    colour = "none" if holds else f"hsl({sum(map(ord, bar.name)) * 67 % 360} 55% 60%)"
    told = f"{bar.name}: {bar.bytes} bytes" + (f" from byte {bar.offset} of {bar.inside}" if bar.inside else "")
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{colour}" rx="2" '
        f'stroke="#667085" stroke-width="{1 if holds else 0.4}"><title>{escape(told)}</title></rect>'
    )
    if high > 10 and wide > 6 * len(bar.name) and not holds:
        yield f'<text x="{left + 3:.1f}" y="{top + high / 2 + 4:.1f}">{escape(bar.name)}</text>'


def charts(before: Module, after: Module, runs: Sequence[Mapping[str, int]], name: str = "main") -> str:
    """Before and after a plan, one part for each choice of the symbols, all at one scale; of several a slider shows one
    at a time."""
    found = [[bars(module, symbols, name) for module in (before, after)] for symbols in runs]
    totals = [[sum(each.bytes for each in side if not each.inside) for side in pair] for pair in found]
    scale = 320 / max(1, *(max(pair) for pair in totals))
    spelled = [", ".join(f"{key}={k}" for key, k in symbols.items()) or "its only shape" for symbols in runs]
    parts = []
    for at, pair, sums in zip(spelled, found, totals, strict=True):
        lines = [f"<h2>Memory at {escape(at)}</h2>"]
        for word, side, total in zip(("without a plan", "with the plan"), pair, sums, strict=True):
            said = f"{word}: {total} bytes"
            lines.append(f"<p>{said}</p>{chart(side, f'{said}, {at}', scale)}")
        parts.append(f'<section class="run">{"".join(lines)}</section>')
    return "\n".join([slider(spelled), *parts] if len(parts) > 1 else parts)


def slider(names: Sequence[str]) -> str:
    """A slider over the parts of the page, by their names; without scripts all of them stand there."""
    return (
        f'<p><label>symbols <input id="slide" type="range" min="0" max="{len(names) - 1}" value="0" '
        f'aria-label="choice of the symbols" style="width:min(34rem, 70%)" hidden></label> '
        f'<output id="at" for="slide">{escape(", ".join(names))}</output></p>'
        f'<script type="application/json" id="names">{json.dumps(list(names)).replace("<", "")}</script>'
        f"<script>{SLIDER}</script>"
    )


SLIDER = """
addEventListener("DOMContentLoaded", () => {
  const slide = document.getElementById("slide"), parts = document.querySelectorAll("section.run");
  const names = JSON.parse(document.getElementById("names").textContent);
  const show = () => {
    parts.forEach((part, k) => { part.hidden = k !== Number(slide.value) });
    document.getElementById("at").textContent = slide.ariaValueText = names[slide.value];
  };
  slide.hidden = false; slide.oninput = show; show();
});
"""
"""Shows the part that the slider stands at."""
