"""Calls that may be of a library function: by its name, by that of a function of the module that is one, or as a value.

Spec: ``spec/10-lowering.md``, ``lo/overwrites``.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.semantics.graph.link import library_names, nodes, reached_nodes
from refrelax.semantics.ops.forms import CALL_FORMS
from refrelax.semantics.types.purity import may_act
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar, Op, SeqExpr, StringValue, Var, VarBinding
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import Intrinsic
from refrelax.syntax.types import VOID

NONE: frozenset[str] = frozenset()
NOWHERE: frozenset[int] = frozenset()
PURE_CLOSURE = Op("relax.invoke_pure_closure")


def functions_named(root: Any) -> dict[str, Any]:
    """What the names below ``root`` are that are bound to a function."""
    return functions_among(nodes(root))


def functions_among(walked: Iterable[Any]) -> dict[str, Any]:
    """``functions_named`` of nodes that were walked already."""
    found = [each for each in walked if each.__class__ is VarBinding]
    return {each.name: each.value for each in found if isinstance(each.value, Function | GlobalVar | ExternFunc)}


def callee_of(call: Call, functions: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """What a call calls, as far as that is seen: a function of the module or of ``named``, an ``ExternFunc``, an
    operator; ``None`` where it is a value of which nothing is known."""
    callee: Any = call.op
    if isinstance(callee, Op) and callee.name in CALL_FORMS and not CALL_FORMS[callee.name].pure:
        callee = call.args[0] if call.args else None
    if isinstance(callee, Var):
        callee = named.get(callee.name)
    if isinstance(callee, GlobalVar):
        callee = functions.get(callee.name)
    return ExternFunc(callee.value) if isinstance(callee, StringValue) else callee


def of_library(
    call: Call, functions: Mapping[str, Any], named: Mapping[str, Any], known: Container[str] = NONE
) -> bool:
    """Whether a call may be of a library function that is not ``known``. (One that is given to a call form that is pure
    stores nowhere but in its outputs.)"""
    callee = callee_of(call, functions, named)
    if isinstance(callee, ExternFunc):
        return callee.name not in known
    return not isinstance(callee, Function | PrimFunc | Op)


@dataclass(slots=True)
class LibraryCalls:
    """Which calls of a module may come to a library function that is not ``known``, for what it stores or keeps: such a
    call, or one of a function of the module, of either level, in which such a call may be made. A pure function is one
    by its author's word alone where it has ``relax.force_pure``; of its calls those are set aside that are in
    destination form, spelled out."""

    functions: Mapping[str, Any]
    known: Container[str] = NONE
    _within: dict[int, bool] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)
    _somewhere: bool | None = None

    def of(self, function: Function) -> Iterator[Call]:
        """Such calls below a graph-level function."""
        named = functions_named(function)
        return (call for call in self._not_aside(function) if self.may_be(call, named))

    def may_be(self, call: Call, named: Mapping[str, Any]) -> bool:
        """Whether a call may come to one. ``named``: the names around it that are bound to a function."""
        callee = callee_of(call, self.functions, named)
        return self.within(callee) if isinstance(callee, Function) else self._is_one(call, named)

    def _is_one(self, call: Call, named: Mapping[str, Any]) -> bool:
        if call.op == PURE_CLOSURE and self._anywhere():
            return True  # (it may be of any function of the module)
        return self._by_itself(call, named)

    def _anywhere(self) -> bool:
        """Whether such a call stands in any graph-level function of the module."""
        if self._somewhere is None:
            graph = (each for each in self.functions.values() if isinstance(each, Function))
            self._somewhere = any(
                self._by_itself(call, named)
                for each, named in ((each, functions_named(each)) for each in graph)
                for call in self._not_aside(each)
            )
        return self._somewhere

    def _by_itself(self, call: Call, named: Mapping[str, Any]) -> bool:
        programs = (each.name for each in (call.op, *call.args) if isinstance(each, GlobalVar))
        return of_library(call, self.functions, named, self.known) or any(map(self.in_program, programs))

    def in_program(self, name: str) -> bool:
        """Whether a loop program calls one, itself or through others."""
        program = self.functions.get(name)
        if not isinstance(program, PrimFunc):
            return False
        if id(program) not in self._within:
            self._kept.append(program)
            reached = (n for _, n in reached_nodes(self.functions, (name,)) if isinstance(n, Intrinsic) and may_act(n))
            self._within[id(program)] = any(each not in self.known for node in reached for each in library_names(node))
        return self._within[id(program)]

    def within(self, function: Function) -> bool:
        """Whether a call may that stands in a function, or in one that it calls, and so on."""
        if id(function) not in self._within:
            self._kept.append(function)  # (so that nothing else gets its id)
            self._within[id(function)] = self._reached(function)
        return self._within[id(function)]

    def _reached(self, start: Function) -> bool:
        waiting, seen = [start], {id(start)}
        while waiting:
            function = waiting.pop()
            named = functions_named(function)
            for call in self._not_aside(function):
                callee = callee_of(call, self.functions, named)
                if isinstance(callee, Function):
                    if id(callee) not in seen:
                        seen.add(id(callee))
                        waiting.append(callee)
                elif self._is_one(call, named):
                    return True
        return False

    @staticmethod
    def _not_aside(function: Function) -> Iterator[Call]:
        aside = spelled_out(function) if function.pure else NOWHERE
        return (node for node in nodes(function) if isinstance(node, Call) and id(node) not in aside)


ALLOCATING = frozenset({"relax.builtin.alloc_tensor", "relax.memory.alloc_tensor", "relax.vm.alloc_tensor"})


def spelled_out(function: Function) -> frozenset[int]:
    """The calls of a function that are ``R.call_dps_packed`` spelled out (``lo/destinations``), by their ``id``: what
    they give is dropped, and they are given last memory that was allocated before and that nothing has named since."""
    found: set[int] = set()
    for seq in (each for each in nodes(function) if isinstance(each, SeqExpr)):
        fresh: set[str] = set()
        for binding in (each for block in seq.blocks for each in block.bindings):
            value = binding.value
            if isinstance(value, Call) and value.ty_args == (VOID,) and not isinstance(value.op, Op | GlobalVar):
                last = value.args[-1] if value.args else None
                if isinstance(last, Var) and last.name in fresh:
                    found.add(id(value))
            fresh -= {each.name for each in nodes(value) if isinstance(each, Var)}
            if isinstance(value, Call) and isinstance(value.op, Op) and value.op.name in ALLOCATING:
                fresh.add(binding.name)
    impure = (each for each in nodes(function) if isinstance(each, Function) and not each.pure)
    return frozenset(found) - {id(node) for each in impure for node in nodes(each)}


__all__ = ["LibraryCalls", "callee_of", "functions_named", "of_library", "spelled_out"]
