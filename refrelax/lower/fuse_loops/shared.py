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
from refrelax.semantics.graph.overwriting import stores_in_inputs
from refrelax.semantics.ops import DESTINATION_PASSING
from refrelax.syntax.graph import Call, Expr, Function, GlobalVar, Op, Param, Tuple
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Intrinsic


@rule("lo/fuse-undisturbed")
def sharing(module: Module) -> frozenset[str]:
    """The loop programs of which some call, or use as a value, is not seen to keep apart what it stores in."""
    mentions = Counter(name for function in module.functions.values() for name in _mentioned(function))
    found: set[str] = set()
    apart: Counter[str] = Counter()
    for name, function in module.relax_functions().items():
        aliases = aliases_of(module, function)
        given = [node.name for node in nodes(function) if isinstance(node, Param)]
        if mentions[name] or given != [p.name for p in function.params]:
            aliases.join(*given)  # (two parameters of what the module calls may be one memory)
        for callee, args in _calls(function):
            program = module.functions.get(callee)
            if isinstance(program, PrimFunc) and stores_in_inputs(program, len(args)) and _meet(args, aliases):
                found.add(callee)
            apart[callee] += 1
    return frozenset(found | {name for name, count in mentions.items() if apart[name] < count})


def _mentioned(function: object) -> Iterator[str]:
    """The functions of the module that one mentions."""
    for node in nodes(function):
        if isinstance(node, GlobalVar):
            yield node.name
        elif isinstance(node, Intrinsic) and node.op.startswith("cls."):
            yield node.op.removeprefix("cls.")


def _calls(function: Function) -> Iterator[tuple[str, Sequence[Expr]]]:
    """The calls of functions of the module by name, with what they are given besides fresh outputs."""
    for node in nodes(function):
        match node:
            case Call(op=Op(name=form), args=(GlobalVar(name=name), Tuple(fields=args), *_)) if (
                form in DESTINATION_PASSING
            ):
                yield name, args
            case Call(op=GlobalVar(name=name), args=args):
                yield name, args
            case _:
                pass


def _meet(args: Sequence[Expr], aliases: Aliases) -> bool:
    """Whether two arguments may be one memory."""
    groups = [{aliases.find(name) for name in names_in(each)} for each in args]
    return any(a & b for k, a in enumerate(groups) for b in groups[:k])
