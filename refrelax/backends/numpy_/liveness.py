"""When arrays die in a function, and which bindings may calculate in place of an operand.

Names that may share memory form one group: ``lv1 = R.reshape(lv, …)`` puts both in one. A group is *kept* when
something outside of the bindings can see it: parameters, constants, what is returned, what an inner function captures,
what a function of the module gave. Every other group dies at its last use: there its names can be forgotten, so that
the next allocation finds warm memory, and there an elementwise operator may write its result over an operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf

from refrelax.backends.numpy_.fast_operators import FIRST_ONLY, IN_PLACE
from refrelax.semantics.dims import Facts, equal
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import FRESH
from refrelax.syntax.graph import (
    Binding,
    Call,
    Constant,
    ConstantRef,
    Expr,
    Function,
    If,
    MatchCast,
    Op,
    SeqExpr,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.types import TensorType, Type

VIEWED = frozenset({"relax.strided_slice"})
"""Operators whose result is new memory in the language, and may be a view here (``fast_operators.py``): nothing is
overwritten where they are called so, but by what asks here."""

WHOLE_VIEWS = frozenset({"relax.reshape", "relax.permute_dims", "relax.expand_dims", "relax.squeeze", "relax.flatten"})
"""Operators whose result, if it is a view, has every element of the operand exactly once."""


@dataclass(slots=True)
class Liveness:
    """The analysis of one function; inner functions have their own."""

    types: Mapping[str, Type]
    prefix: str = ""
    placed: Mapping[str, str] = field(default_factory=dict)
    """Names whose memory was given to them, and the names of that: who gave it says when it is used again."""
    clock: int = 0
    at: dict[int, int] = field(default_factory=dict)
    """When a binding runs, by identity: a time of its own for each, increasing in the order of the text."""
    last: dict[str, int] = field(default_factory=dict)
    """The last use (or definition) of a name."""
    parent: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    """Names whose array may be written over when it is dead: new memory, or all of it seen otherwise."""
    home: dict[str, int] = field(default_factory=dict)
    """The sequence that binds a name (by identity); a name bound in two has none."""
    place: dict[int, int] = field(default_factory=dict)
    """The sequence of a binding; both by identity."""
    ends: dict[str, int] = field(default_factory=dict)
    """The last use of a group that is not kept, by its root."""
    dying: dict[int, list[str]] = field(default_factory=dict)
    """The names of the groups of new memory, by their ends."""
    given: set[str] = field(default_factory=set)
    """The groups of names whose memory was given to them, by their roots."""

    # --- the walk ---------------------------------------------------------------------------------------------------

    def function(self, func: Function) -> Liveness:
        """Analyse the bindings of a function; gives itself."""
        for param in func.params:
            self._keep([param.name])
        self._sequence(func.body)
        self._keep(_names(func.body.body))
        self._settle()
        return self

    def _sequence(self, seq: SeqExpr) -> None:
        for block in seq.blocks:
            for each in block.bindings:
                self._binding(seq, each)
        self.clock += 1
        self._use(_names(seq.body))

    def _binding(self, seq: SeqExpr, each: Binding) -> None:
        value = each.value
        self.home[each.name] = id(seq) if each.name not in self.home else 0
        if isinstance(value, If):
            self._branch(each.name, value)
        elif isinstance(value, Function):
            self._keep([each.name, *_names(value)])
        else:
            self._effect(each.name, value)
        self.clock += 1
        self.at[id(each)] = self.clock
        self.place[id(each)] = id(seq)
        self._use([each.name, *_names(value)] if not isinstance(value, If) else [each.name])
        self._use([self.placed[each.name]] if each.name in self.placed else [])

    def _branch(self, name: str, branch: If) -> None:
        """The result may be what either branch gave."""
        self.clock += 1
        self._use(_names(branch.condition))
        for seq in (branch.then_branch, branch.else_branch):
            self._sequence(seq)
            self._join(name, _names(seq.body))
        self._keep([name])

    def _effect(self, name: str, value: Expr) -> None:
        """What the value of a binding does to the groups."""
        match value:
            case Call(op=Op(name=op)) if op in FRESH and op not in VIEWED:
                self.fresh.add(name)
                self.whole.add(name)
                self._join(name, ())
            case Call(op=Op(name=op), args=(Var(name=source), *_)) if op in WHOLE_VIEWS:
                self._join(name, [source])
                self.whole |= {name} if source in self.whole else set()
            case Var(name=source):
                self._join(name, [source])
                self.whole |= {name} if source in self.whole else set()
            case Tuple() | TupleGetItem():
                self._join(name, _names(value))
            case Call(op=Op()):
                self._join(name, _names(value))
            case _:
                self._join(name, _names(value))
                self._keep([name])

    def _use(self, names: Iterable[str]) -> None:
        for name in names:
            self.last[name] = self.clock

    def _keep(self, names: Iterable[str]) -> None:
        self.kept.update(names)

    # --- groups -----------------------------------------------------------------------------------------------------

    def root(self, name: str) -> str:
        """The name that stands for the group of a name."""
        while (up := self.parent.get(name, name)) != name:
            self.parent[name] = name = self.parent.get(up, up)
        return name

    def _join(self, name: str, others: Iterable[str]) -> None:
        self.parent.setdefault(name, name)
        for other in others:
            self.parent.setdefault(other, other)
            self.parent[self.root(other)] = self.root(name)

    def _settle(self) -> None:
        """Every group's end, once all of them are known."""
        groups: dict[str, list[str]] = {}
        for name in self.parent:
            groups.setdefault(self.root(name), []).append(name)
        for root, names in groups.items():
            if not self.kept.intersection(names):
                self.ends[root] = max(self.last.get(n, 0) for n in names)
                if self.fresh.intersection(names):
                    self.dying.setdefault(self.ends[root], []).extend(names)
        self.given = set(map(self.root, self.placed))

    # --- the answers ------------------------------------------------------------------------------------------------

    def forgotten(self, each: Binding) -> list[str]:
        """Names to forget after a binding: those of the groups of new memory that die at it."""
        here = self.place[id(each)]
        return [name for name in self.dying.get(self.at[id(each)], ()) if self.home.get(name) == here]

    def end(self, name: str) -> float:
        """When the group of a name dies, on the clock of ``at``; never, if it is kept."""
        root = self.root(name)
        return self.ends.get(root, inf)

    def target(self, each: Binding) -> str | None:
        """The operand that a binding may write its result over."""
        call = each.value
        if isinstance(each, MatchCast) or not isinstance(call, Call) or not isinstance(call.op, Op):
            return None
        if call.op.name not in IN_PLACE or not all(isinstance(a, Var | Constant | ConstantRef) for a in call.args):
            return None
        operands = [a.name for a in call.args if isinstance(a, Var)]
        chosen = call.args[1:2] if call.op.name == "relax.where" else call.args
        if call.op.name in FIRST_ONLY:  # it reads the others after it has begun to write
            chosen = () if operands.count(operands[0] if operands else "") > 1 else call.args[:1]
        return next((a.name for a in chosen if isinstance(a, Var) and self._may_hold(a.name, each, operands)), None)

    def _may_hold(self, name: str, each: Binding, operands: list[str]) -> bool:
        """Whole, bound by the same sequence, dead here, of the result's type, its memory no other operand's."""
        root = self.root(name)
        if name not in self.whole or self.home.get(name) != self.place[id(each)]:
            return False
        if root in self.given:
            return False
        if self.ends.get(root) != self.at[id(each)] or any(n != name and self.root(n) == root for n in operands):
            return False
        return same_tensor(self._type(name), self._type(each.name))

    def may_end_within(self, name: str, each: Binding, first: int, last: int) -> bool:
        """Whether an operand of a run of bindings, the last of them ``each``, dies in it and may hold its result, if no
        other operand is of its group."""
        root = self.root(name)
        if name not in self.whole or self.home.get(name) != self.place[id(each)]:
            return False
        if root in self.given or not first <= self.ends.get(root, -1) <= last:
            return False
        return same_tensor(self._type(name), self._type(each.name))

    def _type(self, name: str) -> Type | None:
        return self.types.get(self.prefix + name) or self.types.get(name)


def same_tensor(a: Type | None, b: Type | None) -> bool:
    """Whether two types say the same float format and, provably, the same extents; a rank of at least 1."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return False
    return a.dtype == b.dtype and a.dtype in ("float32", "float64") and same_shape(a, b)


def same_shape(a: Type | None, b: Type | None) -> bool:
    """Whether two tensors have, provably, the same extents; a rank of at least 1."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return False
    if not isinstance(a.shape, tuple) or not isinstance(b.shape, tuple) or not a.shape or len(a.shape) != len(b.shape):
        return False
    return all(equal(x, y, Facts()) is True for x, y in zip(a.shape, b.shape, strict=True))


def _names(expr: Expr) -> list[str]:
    """Variables that an expression mentions, each once."""
    return list(dict.fromkeys(node.name for node in nodes(expr) if isinstance(node, Var)))
