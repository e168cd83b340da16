"""Which names may name the same memory, in one function: groups, closed under everything that can pass memory on.

Names, ``match_cast``, tuples and their fields, views, both branches of an ``if``, closures over what they capture, and
the results of calls that are not known to be fresh. A group errs on the large side: that costs reuse, never rightness.

Spec: ``spec/12-memory.md``, ``lo/aliases``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.unknown_calls import LibraryCalls
from refrelax.semantics.ops import FRESH
from refrelax.semantics.types.calls import inplace_indices
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import (
    Call,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    Param,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.types import VOID


def names_in(root: Any) -> Iterator[str]:
    """The variables that occur below ``root``."""
    return (node.name for node in nodes(root) if isinstance(node, Var))


def definitions(root: Any) -> Iterator[str]:
    """The variables that are defined below ``root``."""
    return (node.name for node in nodes(root) if isinstance(node, VarBinding | MatchCast | Param))


def occurrences(root: Any) -> Iterator[str]:
    """The variables that occur below ``root``, where they are defined included."""
    return (node.name for node in nodes(root) if isinstance(node, Var | VarBinding | MatchCast | Param))


@dataclass(slots=True)
class Aliases:
    """Disjoint groups of names."""

    leader: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str:
        """The name that stands for the group."""
        seen = []
        while (up := self.leader.get(name, name)) != name:
            seen.append(name)
            name = up
        for each in seen:
            self.leader[each] = name
        return name

    def join(self, *names: str) -> None:
        """These are one group from now on."""
        for other in names[1:]:
            self.leader[self.find(other)] = self.find(names[0])


@rule("lo/aliases")
def aliases_of(module: Module, func: Function) -> Aliases:
    """The groups of a function, its nested functions included."""
    found = Aliases()
    _Walk(module, found).sequence(func.body)
    return found


@dataclass(slots=True)
class _Walk:
    module: Module
    found: Aliases

    def sequence(self, seq: SeqExpr) -> None:
        for block in seq.blocks:
            for binding in block.bindings:
                if isinstance(binding, MatchCast):
                    self.found.join(binding.name, *names_in(binding.value))
                else:
                    self.found.join(binding.name, *self.sources(binding.value))

    def sources(self, value: Expr) -> list[str]:
        """The names whose memory a value may be; what stands inside it is grouped on the way."""
        match value:
            case If(then_branch=then, else_branch=other):
                self.sequence(then)
                self.sequence(other)
                return [*names_in(then.body), *names_in(other.body)]
            case Function():
                self.sequence(value.body)
                inside = set(definitions(value))
                return [*(n for n in names_in(value) if n not in inside), *names_in(value.body.body)]
            case Call():
                return self.of_call(value)
            case _:
                return list(names_in(value))

    def of_call(self, call: Call) -> list[str]:
        """A result may be memory of any argument, except where it is known to be fresh or no memory at all; a
        closure may give what it captured."""
        match call.op:
            case Op(name=name) if name in FRESH:
                return []
            case GlobalVar(name=name) if isinstance(self.module.functions.get(name), PrimFunc):
                return []
            case Op(name="relax.call_tir_inplace") if len(call.args) > 1 and isinstance(call.args[1], Tuple):
                fields = call.args[1].fields
                return [n for k in inplace_indices(call) if 0 <= k < len(fields) for n in names_in(fields[k])]
            case ExternFunc() if call.ty_args == (VOID,):
                return []
            case Var(name=name):
                return [name, *names_in(call.args)]
            case _:
                return list(names_in(call.args))


def kept_by_libraries(module: Module, func: Function) -> Iterator[str]:
    """The names of what library functions may keep: all that is given to one of which nothing is known, or to a
    function that may call one, but for calls in destination form."""
    calls = LibraryCalls(module.functions, frozenset({*LIBRARY, *KERNELS, *contracts_of(module)}))
    for each in (node for node in nodes(func) if isinstance(node, Function)):
        for call in calls.of(each):
            yield from names_in((call.op, call.args))
