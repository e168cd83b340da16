"""Whether a function may store in memory that others have as well: what the next call is given again, what was set.

Spec: ``spec/06c-pointwise.md``, *To store*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import Overwriting, stored_inputs
from refrelax.semantics.graph.unknown_calls import LibraryCalls, functions_named
from refrelax.semantics.ops import FRESH
from refrelax.syntax.graph import Binding, Call, GlobalVar, Op, Var
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.types import TupleType


@rule("va/computed-ahead", "va/fetched")
def overwritten(
    functions: Mapping[str, Any], bindings: Sequence[Binding], names: Iterable[str], since: int = 0
) -> bool:
    """Whether a call in the bindings from number ``since`` on may store in what some names stand for: one that stores
    somewhere, or of a library, mentions what may be such memory."""
    memory = set(names)
    groups = [{b.name, *_mentioned(b.value)} for b in bindings if not _apart(b.value, functions)]
    while more := {name for each in groups if each & memory for name in each} - memory:
        memory |= more
    overwriting, named = Overwriting(functions), functions_named(tuple(bindings))
    libraries = LibraryCalls(functions, LIBRARY)
    calls = [each for b in bindings[since:] for each in nodes(b) if isinstance(each, Call)]
    stores = (c for c in calls if overwriting(c) or libraries.may_be(c, named))
    return any(_stored_in(each, functions, libraries) & memory for each in stores)


def _stored_in(call: Call, functions: Mapping[str, Any], libraries: LibraryCalls) -> set[str]:
    """What a call that stores somewhere may store in: of a loop program that calls no library, the arguments that its
    text stores in; else all that it mentions."""
    match call:
        case Call(op=GlobalVar(name=name), args=args) if isinstance(f := functions.get(name), PrimFunc):
            if len(args) == len(f.params) and not libraries.in_program(name):
                return {each for k in stored_inputs(f, len(args)) for each in _mentioned(args[k])}
        case _:
            pass
    return _mentioned(call)


def _mentioned(root: object) -> set[str]:
    return {each.name for each in nodes(root) if isinstance(each, Var)}


def _apart(e: object, functions: Mapping[str, Any]) -> bool:
    """Whether a value is new memory, or none."""
    match e:
        case Call(op=Op(name=name)) if name in FRESH:
            return True
        case Call(op=GlobalVar(name=name)) if isinstance(functions.get(name), PrimFunc):
            return True
        case Call(ty_args=(TupleType(fields=()),)):
            return True
        case _:
            return False


__all__ = ["overwritten"]
