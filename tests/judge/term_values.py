"""Element terms evaluated at one point: extents, what the inputs hold, values of index variables.

Each node goes to the primitive that the loop evaluator takes for it (``numbers.scalar_operators``), so that terms and
runs can differ in what was read, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, assert_never

from refrelax.errors import Ended
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.semantics.numbers.scalar_operators import ARITHMETIC, BINARY, TERNARY, UNARY
from refrelax.shape_solver.evaluate import Run, TooLarge, Undefined, compiled
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fold,
    Identity,
    Int,
    Load,
    Number,
    Old,
    OpenTerm,
    TensorTerm,
    Term,
    Terms,
    variables,
)
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import PrimExpr

Payload = Any
OUTSIDE = poison("ld/load-out-of-bounds")
UNWRITTEN = poison("st/never-written")
MOST_ITEMS = 4096


class Dangling(Exception):
    """A term mentions what has no value: a variable of nothing, the value before a store that is over."""


class Unnamed(Undefined):
    """An element of a tensor of which nothing is known but its name."""


class Poisoned(Undefined):
    """An index that is poison."""


@dataclass(frozen=True)
class Nothing:
    """What a point of a reduction is that does not count."""

    op: str


class Env(dict[str, int]):
    """Values of index variables, and of opaque symbols once they are asked for."""

    def __init__(self, at: At, known: Mapping[str, int]) -> None:
        super().__init__(known)
        self.at = at

    def __missing__(self, name: str) -> int:
        term = self.at.terms.opaque.get(name)
        if term is None:
            raise Dangling(name)
        return self.at.integer(self.at.value(term, self), term.dtype)


@dataclass
class At:
    """One point. ``cells``: of each input tensor (by identity) its extents and payloads, row-major."""

    terms: Terms
    cells: Mapping[int, tuple[tuple[int, ...], Sequence[Payload]]]
    extents: frozenset[str] = frozenset()
    named: Mapping[str, int] = field(default_factory=dict)
    """The input tensors by their names."""
    runs: dict[int, tuple[PrimExpr, Run]] = field(default_factory=dict)
    """Indices compiled, by identity; with each the index itself, so that no other one gets its identity."""
    mentioned: dict[tuple[int, int], tuple[Term, frozenset[str]]] = field(default_factory=dict)
    """The free variables of terms, by the identity of the table and of the term; with each the term itself."""
    numerics: Any = field(default_factory=ieee)
    _known: dict[tuple[int, ...], Payload] = field(default_factory=dict)
    _closed: dict[int, bool] = field(default_factory=dict)

    # --- indices

    def index(self, e: PrimExpr, env: Env) -> int:
        """Raises ``Undefined`` where it has no value, ``Ended`` where it hangs on poison."""
        kept = self.runs.get(id(e))
        if kept is None:
            kept = self.runs[id(e)] = (e, compiled(e))
        return kept[1](env)

    def integer(self, x: Payload, dtype: str) -> int:
        if isinstance(x, Poison):
            raise Poisoned
        if dtype == "bool":
            return int(self.numerics.decide(x))
        return int(self.numerics.to_index(x, dtype))

    def names(self, t: Term) -> frozenset[str]:
        """The free variables of a term."""
        key = (id(self.terms), id(t))
        if key not in self.mentioned:
            self.mentioned[key] = (t, variables(self.terms, t))
        return self.mentioned[key][1]

    # --- elements

    def value(self, t: Term, env: Env) -> Payload:
        match t:
            case Int(e):
                whole = self.index(e, env)
                return self.numerics.truth(bool(whole)) if e.dtype == "bool" else self.numerics.at(e.dtype).lit(whole)
            case Number(dtype, pattern):
                return self.numerics.at(dtype).from_bits(pattern)
            case Apply():
                return self.applied(t, [self.value(a, env) for a in t.args])
            case Load(tensor, indices):
                return self.element(tensor, [self.index(i, env) for i in indices], env)
            case Choose(Int(c), yes, no):
                return self.value(yes if self.index(c, env) else no, env)
            case Choose(condition, yes, no):
                truth = self.value(condition, env)
                if isinstance(truth, Poison):
                    return truth
                return self.value(yes if self.numerics.decide(truth) else no, env)
            case Fold():
                return self.folded(t, env)
            case OpenTerm():
                return UNWRITTEN
            case Identity(op):
                return Nothing(op)
            case Old():
                raise Dangling("the value before a store")
            case _:
                assert_never(t)

    def applied(self, t: Apply, args: list[Payload]) -> Payload:
        numerics, op = self.numerics, t.op
        of = dict(t.attrs).get("of")
        given = list(of) if isinstance(of, tuple) else [a.dtype for a in t.args]
        first = next((d for d, a in zip(given, t.args, strict=True) if not isinstance(a, Int)), given[0])
        match op:
            case "And":
                return numerics.all_of(*args)
            case "Or":
                return numerics.any_of(*args)
            case "Not":
                return numerics.negate(*args)
            case "Cast":
                return numerics.at(t.dtype).cast(args[0], given[0])
            case "T.reinterpret":
                return numerics.at(t.dtype).reinterpret(args[0], given[0])
            case _ if op in ARITHMETIC:
                at = first if t.dtype == "bool" else t.dtype
                return ARITHMETIC[op](numerics.at(at))(*args)
        name, f = op.removeprefix("T."), numerics.at(given[0])
        return {1: UNARY, 2: BINARY, 3: TERNARY}[len(args)][name](f)(*args)

    def element(self, tensor: TensorTerm, index: list[int], env: Env) -> Payload:
        dims = [self.index(d, env) for d in tensor.shape]
        if not all(0 <= i < d for i, d in zip(index, dims, strict=True)):
            return OUTSIDE
        if tensor.body is not None:
            names = {v.name: i for v, i in zip(tensor.vars, index, strict=True)}
            if not self.closed(tensor):
                return self.value(tensor.body, Env(self, {**env, **names}))
            key = (id(tensor), *index)
            if key not in self._known:
                self._known[key] = self.value(tensor.body, Env(self, {**env, **names}))
            return self._known[key]
        position = 0
        for i, d in zip(index, dims, strict=True):
            position = position * d + i
        if tensor.data is not None:
            return self.numerics.at(tensor.dtype).from_bits(tensor.data[position])
        if id(tensor) in self.cells:
            return self.cells[id(tensor)][1][position]
        if tensor.computed or tensor.name not in self.named:
            raise Unnamed  # what a call that cannot be read gave: a name, not a value
        return self.cells[self.named[tensor.name]][1][position]  # a parameter that two programs in step leave alone

    def closed(self, tensor: TensorTerm) -> bool:
        """Whether the elements depend on nothing but their index and the extents."""
        if id(tensor) not in self._closed:
            assert tensor.body is not None
            known = {v.name for v in tensor.vars} | self.extents
            self._closed[id(tensor)] = self.names(tensor.body) <= known
        return self._closed[id(tensor)]

    def folded(self, t: Fold, env: Env) -> Payload:
        total = self.value(t.start, env)
        f = self.numerics.at(t.dtype)
        combine = {"And": self.numerics.all_of, "Or": self.numerics.any_of}.get(t.op) or ARITHMETIC[t.op](f)
        for inner in self.points(t, env):
            if t.guard is None or self.index(t.guard, inner):
                item = self.value(t.body, inner)
                total = total if isinstance(item, Nothing) else combine(total, item)
        return total

    def points(self, t: Fold, env: Env) -> Iterator[Env]:
        """The points of a reduction: extents of inner axes may mention outer ones, so they are asked for one by one."""

        def below(k: int, known: Env) -> Iterator[Env]:
            if k == len(t.axes):
                yield known
                return
            v, extent = t.axes[k]
            for i in range(self.index(extent, known)):
                yield from below(k + 1, Env(self, {**known, v.name: i}))

        return below(0, Env(self, {k: v for k, v in env.items() if k not in self.terms.opaque}))


def outcome(at: At, t: Term, env: Mapping[str, int]) -> Payload | None:
    """An element; ``None`` where it has no value."""
    try:
        return at.value(t, Env(at, env))
    except (Undefined, Ended):
        return None


def excused(at: At, t: Term, env: Mapping[str, int]) -> bool:
    """Whether an element has no value because nothing is known of a tensor but its name, or because an index divides by
    zero: that none does is what a reading rests on, and is asked beside it."""
    try:
        at.value(t, Env(at, env))
    except Poisoned:
        return False
    except Undefined:
        return True
    except Ended:
        return False
    return False


def whole(at: At, tensor: TensorTerm, env: Mapping[str, int]) -> list[Payload | None]:
    """Every element of a tensor, row-major."""
    known = Env(at, env)
    found: list[Payload | None] = []
    for index in product(*(range(at.index(d, known)) for d in tensor.shape)):
        try:
            found.append(at.element(tensor, list(index), Env(at, env)))
        except (Undefined, Ended):
            found.append(None)
    return found


def same(dtype: str, a: Payload, b: Payload) -> bool:
    """The same element: one number, or two NaNs, or poison both."""
    if isinstance(a, Poison | Nothing) or isinstance(b, Poison | Nothing):
        return type(a) is type(b) or (isinstance(a, Poison) and isinstance(b, Poison))
    x, y = pattern(dtype, a), pattern(dtype, b)
    if x == y or not dtypes.is_float(dtype):
        return x == y
    u, v = bits.decode(dtype, x), bits.decode(dtype, y)
    return bool(u != u and v != v)


def pattern(dtype: str, a: Payload) -> int:
    if dtype == "bool":
        return int(ieee().decide(a))
    return int(ieee().at(dtype).to_bits(a))


__all__ = ["At", "Dangling", "Env", "Nothing", "TooLarge", "Undefined", "outcome", "same", "whole"]
