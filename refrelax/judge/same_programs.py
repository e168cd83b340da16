"""Whether two entries are the same up to names.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.semantics.graph.link import nodes, reached
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.graph import Binding, BindingBlock, Function, If, MatchCast, SeqExpr, VarBinding
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module


def same_programs(first: Module, second: Module, entry: str) -> bool:
    """Whether all that the entries reach is equal up to names, constants included; not what no run looks at: attributes
    of loop programs (targets, names for the linker) and of the module."""
    return structural_equal(_bare(first, entry), _bare(second, entry)) and _constants(first) == _constants(second)


def same_runs(first: Module, second: Module, entry: str) -> bool:
    """``same_programs``, wherever dataflow blocks begin and end: a run goes through bindings alike."""
    return same_programs(_without_blocks(first, entry), _without_blocks(second, entry), entry)


def same_callees(first: Module, second: Module, entry: str) -> bool:
    """Whether the functions are equal that the entries reach besides themselves."""
    found = [reached(each.functions, (entry,)) for each in (first, second)]
    ours, theirs = ({n: _without_labels(f) for n, f in each.items() if n != entry} for each in found)
    return ours.keys() == theirs.keys() and structural_equal(Module(ours), Module(theirs))


def _bare(module: Module, entry: str) -> Module:
    kept = reached(module.functions, (entry,))
    return replace(module, functions={name: _without_labels(each) for name, each in kept.items()}, attrs=())


def _without_labels(function: BaseFunc) -> BaseFunc:
    """A loop program without the attributes that promise nothing."""
    if not isinstance(function, PrimFunc):
        return function
    promises = tuple((key, value) for key, value in function.attrs if key.startswith("tir_"))
    return replace(function, attrs=promises, private=False)


def _without_blocks(module: Module, entry: str) -> Module:
    """The module with ordinary blocks in what the entry reaches, but for functions with a ``match_cast``: a dataflow
    block keeps the symbols of those to itself."""
    kept = reached(module.functions, (entry,))
    functions = {
        name: replace(each, body=_in_one_block(each.body))
        if isinstance(each, Function) and not any(isinstance(node, MatchCast) for node in nodes(each))
        else each
        for name, each in kept.items()
    }
    return module.with_functions(functions)


def _in_one_block(seq: SeqExpr) -> SeqExpr:
    bindings = tuple(_inside(each) for block in seq.blocks for each in block.bindings)
    return replace(seq, blocks=(BindingBlock(bindings),) if bindings else ())


def _inside(binding: Binding) -> Binding:
    match binding:
        case VarBinding(value=If(then_branch=yes, else_branch=no) as value):
            value = replace(value, then_branch=_in_one_block(yes), else_branch=_in_one_block(no))
            return replace(binding, value=value)
        case VarBinding(value=Function(body=body) as value):
            return replace(binding, value=replace(value, body=_in_one_block(body)))
        case _:
            return binding


def _constants(module: Module) -> dict[int, tuple[object, ...]]:
    return {k: (a.dtype, a.shape, tuple(a.patterns())) for k, a in module.constants.items()}
