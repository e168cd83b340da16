"""The bytes that a lowered function takes at given values of its symbols, in one run and in successive runs.

An allocation lives to the last mention of a name that may name its memory. Between runs a pool keeps what was
allocated, as TVM's pooled allocator does: sizes are rounded up to pages, and a request is served by a free block of
the very same size, else by new memory. So without a plan a run at new extents finds few of the blocks of the runs
before it, which is what the paper's Table 2 measures.

Spec: ``spec/12-memory.md``, Report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.errors import UsageError
from refrelax.lower.aliases import Aliases, aliases_of, occurrences
from refrelax.lower.lives import of_groups
from refrelax.lower.memory_sizes import allocated, nbytes
from refrelax.semantics.dims import value
from refrelax.semantics.symbol_bounds import broken
from refrelax.syntax.graph import Call, Expr, Function, If, Op, SeqExpr, ShapeExpr, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, free_symbols

PAGE = 4096
"""Bytes: what TVM's pooled allocator rounds sizes up to."""

Event = tuple[str, int]
"""A name, and the bytes that it takes (positive) or gives back (negative)."""


@dataclass(frozen=True, slots=True)
class Use:
    """One run. ``total``: the bytes of all allocations; ``peak``: of those that live at once; ``held``: what the pool
    holds after this run and all runs before it."""

    symbols: Mapping[str, int]
    total: int
    peak: int
    held: int


def successive_use(module: Module, runs: Sequence[Mapping[str, int]], name: str = "main") -> tuple[Use, ...]:
    """The memory of successive runs of a function, one for each choice of its symbols.

    Of the branches of an ``if`` the one with the larger peak counts. Results are given back after their run.

    Raises:
        UsageError: as ``measured``; a size depends on a symbol that has no value.
    """
    func = measured(module, name, runs)
    aliases = aliases_of(module, func)
    walk = _Walk(aliases, Counter(map(aliases.find, occurrences(func))))
    pool, found = Pool(), []
    for symbols in runs:
        events = list(walk.sequence(func.body, symbols))
        for each in events:
            pool.take(each)
        pool.end()
        found.append(Use(dict(symbols), sum(n for _, n in events if n > 0), peak(events), pool.held))
    return tuple(found)


def measured(module: Module, name: str, runs: Sequence[Mapping[str, int]]) -> Function:
    """The function whose memory is asked for. Beyond a bound that it promises a run has no meaning, and the literal
    sizes of a plan, which rely on the bound, are too small.

    Raises:
        UsageError: there is no graph-level function of that name; values of its symbols break a promise.
    """
    func = module.functions.get(name)
    if not isinstance(func, Function):
        raise UsageError(f"the module has no graph-level function {name!r}")
    for symbols in runs:
        if (said := broken(func, symbols)) is not None:
            raise UsageError(f"{name} {said} (ev/symbol-bounds)")
    return func


def peak(events: Sequence[Event]) -> int:
    """The most bytes that live at once."""
    most = now = 0
    for _, n in events:
        now += n
        most = max(most, now)
    return most


@dataclass(slots=True)
class Pool:
    """Blocks in use by name, free ones by size. ``held``: bytes of both."""

    used: dict[str, int] = field(default_factory=dict)
    free: Counter[int] = field(default_factory=Counter)
    held: int = 0

    def take(self, event: Event) -> None:
        """Serve a request, or take a block back."""
        name, n = event
        if n < 0 or (n == 0 and name in self.used):
            self.free[self.used.pop(name)] += 1
            return
        size = -(-n // PAGE) * PAGE
        if self.free[size]:
            self.free[size] -= 1
        else:
            self.held += size
        self.used[name] = size

    def end(self) -> None:
        """A run is over: nothing is in use."""
        self.free.update(self.used.values())
        self.used.clear()


@dataclass(slots=True)
class _Walk:
    """One function, at one choice of its symbols."""

    aliases: Aliases
    whole: Counter[str]

    def sequence(self, seq: SeqExpr, symbols: Mapping[str, int]) -> Iterator[Event]:
        bindings = [b for block in seq.blocks for b in block.bindings]
        local, ends = of_groups(bindings, self.aliases, self.whole)
        living: dict[str, list[Event]] = {}
        for index, binding in enumerate(bindings):
            if isinstance(binding, VarBinding):
                match binding.value:
                    case If(then_branch=then, else_branch=other):
                        yield from max((list(self.sequence(each, symbols)) for each in (then, other)), key=peak)
                    case each if (size := _size(each)) is not None:
                        event = (binding.name, _at(size, symbols))
                        yield event
                        living.setdefault(self.aliases.find(binding.name), []).append(event)
            for group in [g for g in living if g in local and ends[g] == index]:
                yield from ((name, -n) for name, n in living.pop(group))


def _size(e: Expr) -> PrimExpr | None:
    """The bytes that an expression allocates."""
    match e:
        case Call(op=Op(name="relax.memory.alloc_storage"), args=(ShapeExpr(values=(size,)), *_)):
            return size
        case _:
            found = allocated(e)
            return None if found is None else nbytes(*found)


def _at(size: PrimExpr, symbols: Mapping[str, int]) -> int:
    missing = sorted(free_symbols(size) - symbols.keys())
    if missing:
        raise UsageError(f"the size of an allocation depends on {', '.join(missing)}, of which no value was given")
    return value(size, symbols)
