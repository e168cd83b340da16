"""Loop programs that may be given one memory as two of their parameters, and store in it.

``tirx.noalias`` promises nothing to the definition: such a program reads what it has stored.

Spec: ``spec/11-fusion.md``, ``lo/fuse-undisturbed``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from refrelax.lower.aliases import Aliases, aliases_of, names_in
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.overwriting import stored_inputs
from refrelax.semantics.ops import DESTINATION_PASSING, FRESH
from refrelax.syntax.graph import (
    Call,
    ConstantRef,
    Expr,
    Function,
    GlobalVar,
    If,
    MatchCast,
    Op,
    Param,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Intrinsic

CONSTANT = "a constant of the module"


@rule("lo/fuse-undisturbed")
def sharing(module: Module) -> frozenset[str]:
    """The loop programs of which some call, or use as a value, is not seen to keep apart what it stores in."""
    if not module.prim_funcs():
        return frozenset()
    mentions = _mentions(module)
    called = Counter(name for function in module.relax_functions().values() for name, _, _ in _calls(function))
    found = {name for name, _ in given_twice(module)}
    return frozenset(found | {name for name, count in mentions.items() if called[name] < count})


def given_twice(module: Module) -> Iterator[tuple[str, Call]]:
    """The calls of loop programs, with their names, that store in one of two arguments that may be one memory."""
    if not module.prim_funcs():
        return
    mentions = _mentions(module)
    constants = any(isinstance(node, ConstantRef) for each in module.relax_functions().values() for node in nodes(each))
    for name, function in module.relax_functions().items():
        aliases = aliases_of(module, function)
        given = [node.name for node in nodes(function) if isinstance(node, Param)]
        known = [each for each in _of_constants(module, function) if constants]
        if mentions[name] or given != [p.name for p in function.params]:
            known += given  # (two parameters of what the module calls may be one memory)
        aliases.join(CONSTANT, *known)
        for callee, args, call in _calls(function):
            program = module.functions.get(callee)
            if isinstance(program, PrimFunc) and _meet(args, stored_inputs(program, len(args)), aliases):
                yield callee, call


def _mentions(module: Module) -> Counter[str]:
    return Counter(name for function in module.functions.values() for name in _mentioned(function))


def _mentioned(function: object) -> Iterator[str]:
    """The functions of the module that one mentions."""
    for node in nodes(function):
        if isinstance(node, GlobalVar):
            yield node.name
        elif isinstance(node, Intrinsic) and node.op.startswith("cls."):
            yield node.op.removeprefix("cls.")


def _calls(function: Function) -> Iterator[tuple[str, Sequence[Expr], Call]]:
    """The calls of functions of the module by name, with what they are given besides fresh outputs."""
    for node in nodes(function):
        match node:
            case Call(op=Op(name=form), args=(GlobalVar(name=name), Tuple(fields=args), *_)) if (
                form in DESTINATION_PASSING
            ):
                yield name, args, node
            case Call(op=GlobalVar(name=name), args=args):
                yield name, args, node
            case _:
                pass


def _of_constants(module: Module, function: Function) -> Iterator[str]:
    """The names of what may be a constant of the module, one memory wherever it is mentioned: what a function gives,
    too."""
    for node in nodes(function):
        match node:
            case VarBinding(value=Function()):
                pass
            case VarBinding(name=name, value=Call(op=GlobalVar(name=callee))):
                if not isinstance(module.functions.get(callee), PrimFunc):
                    yield name
            case VarBinding(value=Call(op=Op(name=form))) if form in FRESH:
                pass
            case VarBinding(name=name, value=If(then_branch=yes, else_branch=no)):
                if any(map(_is_constant, (*nodes(yes.body), *nodes(no.body)))):
                    yield name
            case VarBinding(name=name, value=value) | MatchCast(name=name, value=value):
                if (isinstance(value, Call) and isinstance(value.op, Var)) or any(map(_is_constant, nodes(value))):
                    yield name
            case _:
                pass


def _is_constant(node: object) -> bool:
    return isinstance(node, ConstantRef)


def _memories(root: Expr) -> Iterator[str]:
    """The names in an argument, a constant of the module as ``CONSTANT``."""
    yield from names_in(root)
    if any(map(_is_constant, nodes(root))):
        yield CONSTANT


def _meet(args: Sequence[Expr], stored: frozenset[int], aliases: Aliases) -> bool:
    """Whether an argument that is stored in and another one may be one memory."""
    if not stored:
        return False
    groups = [{aliases.find(name) for name in _memories(each)} for each in args]
    return any(groups[k] & other for k in stored for j, other in enumerate(groups) if j != k)
