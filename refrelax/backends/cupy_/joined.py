"""Attention that was written out: a product, what is done with its rows, and another product, as one loop program.

Passes fuse around one product alone. Here three calls or more become one where each result goes to the next call and
nowhere else, and where the kernel of it all is one launch (``attention.py``).
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.backends.cupy_.concatenated import concatenated
from refrelax.backends.cupy_.plan import plan
from refrelax.backends.errors import Unsupported
from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_loops.sites import call_tir
from refrelax.lower.fuse_ops.graph import Graph, Member, read_block
from refrelax.lower.fuse_ops.interface import extents, interface_holds
from refrelax.lower.fuse_ops.primitive import make_primitive
from refrelax.lower.names import Taken
from refrelax.lower.orphans import without_orphans
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Binding, Block, Call, DataflowBlock, Function, VarBinding
from refrelax.syntax.loops import PrimFunc, SBlock
from refrelax.syntax.module import BaseFunc
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, walk
from refrelax.syntax.types import TensorType

LONGEST = 8
"""The most calls that become one."""


def joined(checked: CheckedModule) -> CheckedModule:
    """The module with attention in one loop program; the same object where there is none."""
    functions = dict(checked.module.functions)
    names = Taken(functions)
    for name, function in checked.module.relax_functions().items():
        blocks = tuple(_block(checked, name, function, block, functions, names) for block in function.body.blocks)
        if blocks != function.body.blocks:
            functions[name] = replace(function, body=replace(function.body, blocks=blocks))
    if functions == checked.module.functions:
        return checked
    return check(checked.module.with_functions(without_orphans(functions, checked.module.functions)))


def _block(
    checked: CheckedModule, name: str, function: Function, block: Block, functions: dict[str, BaseFunc], names: Taken
) -> Block:
    if not isinstance(block, DataflowBlock):
        return block
    graph = read_block(checked, name, block, opaque=True)
    bindings: dict[int, Binding] = dict(enumerate(block.bindings))
    for members in chains(graph):
        found = _whole(checked, name, function, members, names)
        if found is None or any(m.position not in bindings for m in members):
            continue
        binding, func = found
        assert isinstance(binding.value, Call)
        functions[binding.value.op.name] = func
        for member in members[:-1]:
            del bindings[member.position]
        last = members[-1]
        assert isinstance(last.out, TensorType)
        bindings[last.position] = replace(binding, value=call_tir(binding.value, last.out))
    return replace(block, bindings=tuple(bindings[k] for k in sorted(bindings)))


def chains(graph: Graph) -> list[list[Member]]:
    """Calls each of whose results goes to the next one alone, from a product to the next product."""
    found = []
    for first, member in graph.members.items():
        path, at = [member], first
        while len(path) < LONGEST and (len(path) == 1) == _multiplies(path[-1]):
            users = graph.users[at]
            if len(users) != 1 or (at := next(iter(users))) not in graph.members:
                break
            path.append(graph.members[at])
        if len(path) > 2 and _multiplies(path[-1]):
            found.append(path)
    return found


def _multiplies(member: Member) -> bool:
    """Whether a call folds over products of what two arrays have."""
    blocks = [n for n in nodes(member.func) if isinstance(n, SBlock) and any(a.kind == "reduce" for a in n.iters)]
    products = [n for block in blocks for n in nodes(block.body) if isinstance(n, Binary) and n.op == "Mul"]
    return any(_arrays(each.a) and _arrays(each.b) and _arrays(each.a) != _arrays(each.b) for each in products)


def _arrays(e: PrimExpr) -> set[str]:
    return {n.buffer for n in walk(e) if isinstance(n, BufferLoad)}


def _whole(
    checked: CheckedModule, where: str, function: Function, members: list[Member], names: Taken
) -> tuple[VarBinding, PrimFunc] | None:
    """The calls as one loop program of one launch, and the call of it."""
    ledger = Ledger("quick")
    types = [o for m in members for o in (*m.operands, m.out) if isinstance(o, TensorType)]
    known = extents(types, as_claims(function))
    if not all(interface_holds(ledger, m, f"{where}.{m.name}: cls.{m.callee}", known) for m in members):
        return None
    made = make_primitive(members, names)
    func = None if made is None else concatenated(checked.module, made.function)
    if made is None or func is None:
        return None
    try:
        forms = [kernel.form for kernel in plan(made.name, func, "fast").kernels]
    except Unsupported:
        return None
    return (made.binding, func) if forms == ["attention"] else None
