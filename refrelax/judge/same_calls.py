"""Calls that both programs make: of the same loop program, with the same arguments.

What a loop program computes is determined by what it is given, up to what it leaves open; and given more that is
determined, it determines no less. So a call of the second program whose arguments refine those of a call that every run
of the first one makes gives what that call gives, and rests on nothing that the first program's run does not rest on;
whether or not the function can be read as element terms.

Spec: ``spec/06c-pointwise.md``, ``va/same-call``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import islice

from refrelax.judge.events import Path
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver.pointwise import OPEN, Logic, TensorTerm
from refrelax.shape_solver.pointwise.elements import OF_INDICES, PURE
from refrelax.syntax import dtypes
from refrelax.syntax.alike import outline
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import (
    AllocBuffer,
    AttrStmt,
    Bind,
    Buffer,
    BufferParam,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import BufferRef, Intrinsic, Literal, PrimExpr, SymVar

ALLOWED = PURE | OF_INDICES | {"tvm_storage_sync"}

MOST_TRIED = 2
"""How many calls of the same function are compared argument by argument."""

Same = Callable[[TensorTerm, TensorTerm], bool]
"""Whether a second tensor is what the first permits."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A call that every run of the first program makes that decides ``path``.

    ``given``: the contents of its buffers before; ``scalars``: its scalar arguments; ``left``: the contents after,
    ``None`` where nothing is stored; ``behind``: how many events come before it, at each of which a run may end."""

    func: PrimFunc
    given: tuple[TensorTerm, ...]
    scalars: tuple[PrimExpr, ...]
    left: tuple[TensorTerm | None, ...]
    behind: int = 0
    path: Path = frozenset()

    def after(self, before: tuple[TensorTerm, ...]) -> tuple[TensorTerm, ...]:
        """What the same call leaves of contents that refine those that were given."""
        return tuple(old if new is None else new for new, old in zip(self.left, before, strict=True))


@dataclass(slots=True)
class Calls:
    """The calls of the first program."""

    logic: Logic
    made: dict[int, list[Made]] = field(default_factory=dict)
    """By the outline of the loop program."""
    unread: list[str] = field(default_factory=list)
    """Why calls were not read."""
    closed: set[int] = field(default_factory=set)
    """Loop programs, by identity, that are not read since both programs call them as often."""
    compared: list[tuple[TensorTerm, TensorTerm]] = field(default_factory=list)
    """What calls of both programs are given that were seen to be the same."""
    _by_first: dict[tuple[int, int | None], list[tuple[int, Made]]] = field(default_factory=dict)
    """The calls of each outline with their places in ``made``, by the first argument, by identity; under ``None`` those
    in which no element of it is written."""
    _found: set[int] = field(default_factory=set)
    """Calls that are one of the second program's, by identity."""
    _same: dict[tuple[int, int], bool] = field(default_factory=dict)
    _outlines: dict[int, int] = field(default_factory=dict)
    _kept: list[PrimFunc] = field(default_factory=list)

    def close(self, first: Module, second: Module) -> bool:
        """Read no loop program that both modules call as often, up to names; whether there are any."""
        kinds: list[tuple[PrimFunc, list[PrimFunc], list[int]]] = []
        by_outline: dict[int, list[int]] = {}
        for side, module in enumerate((first, second)):
            used = Counter(
                each.name for f in module.relax_functions().values() for each in nodes(f) if isinstance(each, GlobalVar)
            )
            for name, func in module.functions.items():
                if not isinstance(func, PrimFunc) or not used[name] or not repeatable(func):
                    continue
                alike = by_outline.setdefault(self.outline(func), [])
                kind = next((k for k in alike if self.equal(kinds[k][0], func)), None)
                if kind is None:
                    kind = len(kinds)
                    alike.append(kind)
                    kinds.append((func, [], [0, 0]))
                kinds[kind][1].append(func)
                kinds[kind][2][side] += used[name]
        self.closed = {id(func) for _, funcs, (ours, theirs) in kinds if ours == theirs for func in funcs}
        return bool(self.closed)

    def keep(self, made: Made) -> None:
        """Note a call."""
        outlined = self.outline(made.func)
        alike = self.made.setdefault(outlined, [])
        if made.given:
            first = None if made.given[0].body is OPEN else id(made.given[0])
            self._by_first.setdefault((outlined, first), []).append((len(alike), made))
        alike.append(made)

    def given(self, outlined: int, first: TensorTerm) -> list[Made]:
        """The calls whose first argument may be ``first``, or that with no element written, in order."""
        own, open_ = (self._by_first.get((outlined, key), []) for key in (id(first), None))
        return [made for _, made in merge(own, open_, key=lambda each: each[0])]

    @rule("va/same-call")
    def find(
        self,
        func: PrimFunc,
        given: tuple[TensorTerm, ...],
        scalars: tuple[PrimExpr, ...],
        behind: int,
        path: Path,
        same: Same | None = None,
    ) -> Made | None:
        """A call whose results are those of this one as well: its arguments are the same, or with ``same`` seen to be
        equal. ``behind``: how many events come before this one; the first program's comes behind no more. ``path``:
        what is decided here; nothing else decides whether the first program's is made."""
        if not self.made or not repeatable(func):
            return None
        alike: Sequence[Made] = self.made.get(self.outline(func), ())
        if same is None and given:
            alike = self.given(self.outline(func), given[0])
        # what calls leave open may differ: one another's in order
        of = (
            each
            for again in (False, True)
            for each in alike
            if (id(each) in self._found) is again
            and each.behind <= behind
            and each.path <= path
            and self.equal(each.func, func)
            and all(map(self.scalar, each.scalars, scalars))
        )
        if same is None:
            found = next((each for each in of if all(map(self.unwritten, each.given, given))), None)
        else:
            found = next((each for each in islice(of, MOST_TRIED) if all(map(same, each.given, given))), None)
            self.compared += zip(found.given, given, strict=True) if found is not None else ()
        self._found |= set() if found is None else {id(found)}
        return found

    def scalar(self, a: PrimExpr, b: PrimExpr) -> bool:
        return a == b or (dtypes.is_integer(a.dtype) and a.dtype == b.dtype and self.logic.equal(a, b))

    def unwritten(self, a: TensorTerm, b: TensorTerm) -> bool:
        """Whether ``b`` is ``a``, or ``a`` of its type with no element written."""
        if a is b:
            return True
        like = a.dtype == b.dtype and len(a.shape) == len(b.shape)
        return a.body is OPEN and like and all(map(self.logic.equal, a.shape, b.shape))

    def equal(self, a: PrimFunc, b: PrimFunc) -> bool:
        """Whether two loop programs of one outline are the same up to names."""
        key = (id(a), id(b))
        if key not in self._same:
            self._kept += (a, b)
            self._same[key] = structural_equal(_bare(a), _bare(b))
        return self._same[key]

    def outline(self, func: PrimFunc) -> int:
        """What is the same of loop programs that are the same up to names."""
        if id(func) not in self._outlines:
            self._kept.append(func)
            self._outlines[id(func)] = outline(_bare(func))
        return self._outlines[id(func)]


def _bare(func: PrimFunc) -> PrimFunc:
    """Without what no run looks at."""
    return replace(func, attrs=(), private=False)


def repeatable(func: PrimFunc) -> bool:
    """Whether a call does nothing but store what the elements of its buffers and its scalars determine: no effect, no
    check that can fail, no look at where its memory lies or what lies beside it."""
    return (
        func.ret is None
        and all(_nowhere(p.buffer, func) for p in func.params if isinstance(p, BufferParam))
        and all(map(_only_stores, statements_of(func.body)))
        and not any(isinstance(each, BufferRef) for each in nodes(func.body))
        and all(each.op in ALLOWED for each in nodes(func.body) if isinstance(each, Intrinsic))
    )


def unknown(content: TensorTerm) -> TensorTerm:
    """Contents of which nothing is known."""
    return TensorTerm(content.name, content.shape, content.dtype, computed=True)


def _nowhere(buffer: Buffer, func: PrimFunc) -> bool:
    """Whether a function never looks at the strides and the offset of an argument, whatever they are."""
    names = [each.name if isinstance(each, SymVar) else "" for each in (*buffer.strides, buffer.elem_offset) if each]
    uses = [each.name for each in nodes(func) if isinstance(each, SymVar)] if names else []
    defined = {each.name for each in func.symbols}
    return all(name in defined and uses.count(name) == 1 + _counted(func, name) for name in names)


def _counted(func: PrimFunc, name: str) -> int:
    """How often a symbol stands in the list of the function's symbols."""
    return sum(each.name == name for each in func.symbols)


def _only_stores(stmt: Stmt) -> bool:
    match stmt:
        case SBlock():
            return not stmt.matches and all(each.data is None for each in stmt.allocs)
        case AllocBuffer() | DeclBuffer():
            return stmt.buffer.data is None
        case For() | BufferStore() | IfThenElse() | AttrStmt() | LaunchThread():
            return True
        case Bind(var=SymVar(dtype=dtype)):
            return not dtype.startswith("handle")
        case Evaluate(value=Literal() | Intrinsic("tvm_storage_sync")):
            return True
        case _:
            return False


__all__ = ["Calls", "Made", "repeatable", "unknown"]
