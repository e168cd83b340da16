"""Data layouts such as ``"NHWC"`` and ``"NCHW4c"``.

A capital letter is an axis of the plain layout; a number and the small letter is the inner part of that axis, whose
capital then holds the outer part: ``C4c`` is channel ``4 * C + c``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import UNKNOWN, known_dims, rank, short
from refrelax.semantics.ops.definition import Deduction
from refrelax.semantics.ops.meaning import Array, Index, Meaning
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import TensorType

_ITEM = re.compile(r"([A-Z])|([0-9]+)([a-z])")


@dataclass(frozen=True, slots=True)
class Layout:
    """``axes``: per axis of the tensor its letter; ``factors``: per small letter its extent; ``plain``: the target."""

    name: str
    axes: tuple[str, ...]
    factors: dict[str, int]
    plain: str
    order: tuple[int, ...]
    """Where the capitals of the plain layout stand."""

    def to_plain_dims(self, dims: Sequence[PrimExpr]) -> list[PrimExpr]:
        """The dims of the plain layout, from the dims of this one."""
        at = dict(zip(self.axes, dims, strict=True))
        return [
            D.mul(at[letter], D.imm(self.factors[letter.lower()])) if letter.lower() in self.factors else at[letter]
            for letter in self.plain
        ]

    def from_plain_dims(self, dims: Sequence[PrimExpr]) -> list[PrimExpr]:
        """The dims of this layout, from the dims of the plain one."""
        at = dict(zip(self.plain, dims, strict=True))
        result: list[PrimExpr] = []
        for letter in self.axes:
            if letter in self.factors:
                result.append(D.imm(self.factors[letter]))
            elif letter.lower() in self.factors:
                result.append(D.floordiv(at[letter], D.imm(self.factors[letter.lower()])))
            else:
                result.append(at[letter])
        return result

    def to_plain(self, index: Sequence[Index]) -> tuple[Index, ...]:
        """A position in the plain layout, from one in this layout."""
        if not self.factors:
            return tuple([index[k] for k in self.order])
        at = dict(zip(self.axes, index, strict=True))
        return tuple(
            at[letter] * self.factors[letter.lower()] + at[letter.lower()]
            if letter.lower() in self.factors
            else at[letter]
            for letter in self.plain
        )

    def from_plain(self, index: Sequence[Index]) -> tuple[Index, ...]:
        """A position in this layout, from one in the plain layout."""
        at = dict(zip(self.plain, index, strict=True))
        result = []
        for letter in self.axes:
            if letter in self.factors:
                result.append(at[letter.upper()] % self.factors[letter])
            elif letter.lower() in self.factors:
                result.append(at[letter] // self.factors[letter.lower()])
            else:
                result.append(at[letter])
        return tuple(result)

    @rule("op.layout/inner-extent")
    def read(self, m: Meaning, x: Array) -> Array:
        """An array in this layout, seen in the plain one; a copy only where an axis is split. The run is open where an
        inner axis has another extent than the layout says."""
        at = dict(zip(self.axes, x.dims, strict=True))
        for letter, factor in self.factors.items():
            m.require(at[letter] == factor, "op.layout/inner-extent", f"{x.dims} in layout {self.name}")
        if not self.factors:
            return x if self.axes == tuple(self.plain) else m.moved(x, self.order)
        dims = (at[letter] * self.factors.get(letter.lower(), 1) for letter in self.plain)
        return m.tensor(dims, x.dtype, lambda *i: x[self.from_plain(i)])

    def written(self, m: Meaning, plain: Sequence[Index], dtype: str, element: Callable[..., Payload]) -> Array:
        """The array in this layout of which ``element`` says each element by its plain index."""
        if self.axes == tuple(self.plain):
            return m.tensor(plain, dtype, element)
        return m.tensor(self.shape(plain), dtype, lambda *i: element(*self.to_plain(i)))

    def shape(self, plain: Sequence[Index]) -> tuple[Index, ...]:
        """The extents of this layout, from those of the plain one."""
        at = dict(zip(self.plain, plain, strict=True))
        return tuple(
            self.factors[letter] if letter in self.factors else at[letter] // self.factors.get(letter.lower(), 1)
            for letter in self.axes
        )


@cache
def parse(name: str, plain: str) -> Layout | None:
    """The layout ``name`` of a tensor whose plain layout is ``plain``; ``None`` if it is none."""
    axes: list[str] = []
    factors: dict[str, int] = {}
    position = 0
    while position < len(name):
        found = _ITEM.match(name, position)
        if found is None:
            return None
        position = found.end()
        letter = found.group(1) or found.group(3)
        if letter in axes or letter.upper() not in plain:
            return None
        axes.append(letter)
        if found.group(2):
            factors[letter] = int(found.group(2))
    capitals = [each for each in axes if each.isupper()]
    if sorted(capitals) != sorted(plain) or any(factor < 1 for factor in factors.values()):
        return None
    return Layout(name, tuple(axes), factors, plain, tuple(map(axes.index, plain)))


def known(name: str, plain: str) -> Layout:
    """The layout ``name``, which deduction has checked."""
    found = parse(name, plain)
    assert found is not None, name
    return found


@rule("op.layout/convertible")
def check(d: Deduction, call: Call, name: str, plain: str) -> Layout:
    """The layout ``name``, a permutation of ``plain`` with or without split axes."""
    found = parse(name, plain)
    if found is None:
        d.fail("op.layout/convertible", f"{short(call)}: the layout {name!r} is not convertible to {plain}")
    return found


@rule("op.layout/rank")
def plain_dims(d: Deduction, call: Call, t: TensorType, layout: Layout) -> list[PrimExpr] | None:
    """The dims of ``t`` in the plain layout; ``None`` if they are unknown."""
    if rank(t) not in (UNKNOWN, len(layout.axes)):
        d.fail("op.layout/rank", f"{short(call)}: layout {layout.name} needs rank {len(layout.axes)}, found {rank(t)}")
    dims = known_dims(t)
    return None if dims is None else layout.to_plain_dims(dims)
