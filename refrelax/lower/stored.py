"""Which names and constants of a function may be memory that some call stores in: what they hold is not what they were
made of.

Spec: ``spec/10-lowering.md``, ``lo/fold-constants``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from refrelax.lower.aliases import Aliases, aliases_of, names_in
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import Overwriting
from refrelax.semantics.ops import FRESH
from refrelax.syntax.graph import Call, ConstantRef, Expr, ExternFunc, Function, MatchCast, Op, SeqExpr, VarBinding
from refrelax.syntax.module import Module


@dataclass(frozen=True, slots=True)
class Stored:
    """``groups``: those of ``aliases`` that may be stored in; ``constants``: arrays that may be."""

    aliases: Aliases
    groups: frozenset[str] = frozenset()
    constants: frozenset[int] = frozenset()

    def __contains__(self, name: str) -> bool:
        return self.aliases.find(name) in self.groups


def stored(module: Module) -> dict[str, Stored]:
    """By graph-level function. Where nothing stores in what has a name, nothing is; where something does, what a
    function gives may be stored in as well."""
    overwrites = Overwriting(module.functions)
    functions = module.relax_functions()
    found: dict[str, Stored] = {}
    for name, function in functions.items():
        aliases = aliases_of(module, function)
        calls = [node for node in nodes(function) if _of_library(node) or overwrites(node)]
        found[name] = Stored(aliases, frozenset(aliases.find(each) for each in names_in(tuple(calls))))
    if not any(_of_library(node) or overwrites(node) for function in functions.values() for node in nodes(function)):
        return found
    for name, each in found.items():
        given = {each.aliases.find(n) for n in names_in(_results(functions[name]))}
        found[name] = Stored(each.aliases, each.groups | given)
    refs = frozenset(i for name, each in found.items() for i in _constants(functions[name], each, overwrites))
    return {name: Stored(each.aliases, each.groups, refs) for name, each in found.items()}


def _of_library(node: object) -> bool:
    """Whether a call is of a library function that nobody knows the stores of."""
    return isinstance(node, Call) and isinstance(node.op, ExternFunc)


def _results(function: Function) -> tuple[Expr, ...]:
    """What the function gives, and functions inside it."""
    return tuple(node.body.body for node in nodes(function) if isinstance(node, Function))


def _constants(function: Function, known: Stored, overwrites: Overwriting) -> Iterator[int]:
    """The arrays that are handed to a call that stores, or that a name of memory that is stored in may be."""
    for node in nodes(function):
        match node:
            case VarBinding(value=Call(op=Op(name=op))) if op in FRESH and not overwrites(node.value):
                continue
            case VarBinding(name=name) | MatchCast(name=name) if name in known:
                root: object = node.value
            case SeqExpr():
                root = node.body
            case Call() if _of_library(node) or overwrites(node):
                root = node
            case _:
                continue
        yield from (each.index for each in nodes(root) if isinstance(each, ConstantRef))


__all__ = ["Stored", "stored"]
