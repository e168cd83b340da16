"""Kernels with several outputs, taken apart: ``t = call_tir(split, …)``, ``a = t[0]``, ``b = t[1]`` becomes a kernel
for ``a`` and a kernel for ``b``, each with the nests that it needs, if that computes nothing twice.

A kernel of one output is what fusion understands; an output that nobody uses is not computed any more.

Spec: ``spec/11-fusion.md``, ``lo/fuse-split-outputs``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_ops.graph import Operand, operand, used
from refrelax.lower.fuse_ops.interface import dims_equal, extents, interface
from refrelax.lower.names import Taken
from refrelax.lower.nests import Nest
from refrelax.lower.origins.made import field_of
from refrelax.lower.origins.vouched import Claimed, claimed, with_origin
from refrelax.lower.pattern_kinds import is_copy, outputs, program
from refrelax.rules import rule
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import (
    Binding,
    Call,
    DataflowBlock,
    Function,
    GlobalVar,
    Op,
    SeqExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import Buffer, BufferParam, PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import TensorType, TupleType, Type


def split_outputs(checked: CheckedModule, ledger: Ledger, names: Taken) -> Module:
    """The module with such calls rewritten, in the dataflow blocks of its functions' bodies."""
    module = checked.module
    functions: dict[str, BaseFunc] = dict(module.functions)
    for name, function in module.relax_functions().items():
        splitter = _Splitter(checked, ledger, names, name)
        body = splitter.sequence(function)
        if splitter.made:
            functions[name] = replace(function, body=body)
            functions.update(splitter.made.values())
    return module.with_functions(functions) if functions != dict(module.functions) else module


class _Splitter:
    def __init__(self, checked: CheckedModule, ledger: Ledger, names: Taken, where: str) -> None:
        self.module = checked.module
        self.types = checked.types.get(where, {})
        self.ledger = ledger
        self.where = where
        self.names = names
        self.made: dict[tuple[str, int], tuple[str, PrimFunc]] = {}

    def sequence(self, function: Function) -> SeqExpr:
        seq = function.body
        elsewhere = [b.value for block in seq.blocks for b in block.bindings]
        uses: dict[str, int] = {}
        for e in (*elsewhere, seq.body):
            for name in used(e):
                uses[name] = uses.get(name, 0) + 1
        blocks = tuple(self.block(b, uses) if isinstance(b, DataflowBlock) else b for b in seq.blocks)
        return replace(seq, blocks=blocks)

    def block(self, block: DataflowBlock, uses: dict[str, int]) -> DataflowBlock:
        fields: dict[str, list[VarBinding]] = {}
        for b in block.bindings:
            if isinstance(b, VarBinding) and isinstance(b.value, TupleGetItem) and isinstance(b.value.tuple, Var):
                fields.setdefault(b.value.tuple.name, []).append(b)
        new: dict[str, list[Binding]] = {}
        gone: set[str] = set()
        for b in block.bindings:
            taken = fields.get(b.name, [])
            if taken and len(taken) == uses.get(b.name, 0) and b.name not in block.outputs:
                calls = self.calls(b, taken)
                if calls is not None:
                    new[b.name] = calls
                    gone |= {each.name for each in taken}
        bindings = [c for b in block.bindings if b.name not in gone for c in new.get(b.name, [b])]
        return replace(block, bindings=tuple(bindings))

    def calls(self, binding: Binding, fields: list[VarBinding]) -> list[Binding] | None:
        """One call for each output that is used; a second name of it is an alias."""
        match binding.value:
            case Call(
                op=Op(name="relax.call_tir"),
                args=(GlobalVar(name=callee), Tuple() as args),
                ty_args=(TupleType() as out,),
            ):
                func = self.module.functions.get(callee)
            case _:
                return None
        first: dict[int, str] = {}
        result: list[Binding] = []
        wanted = sorted({_index(b) for b in fields})
        if not isinstance(func, PrimFunc) or not self.passes(func, args, out, f"{self.where}.{binding.name}: {callee}"):
            return None
        if not self.specialised(callee, func, wanted, len(out.fields)):
            return None
        for b in fields:
            k = _index(b)
            if k in first:
                result.append(replace(b, value=Var(first[k])))
                continue
            first[k] = b.name
            name = self.made[callee, k][0]
            call = Call(Op("relax.call_tir"), (GlobalVar(name), args), ty_args=(out.fields[k],), span=binding.span)
            result.append(replace(b, value=call, annotation=self.annotation(b.name, out.fields[k])))
        return result

    @rule("ty/annotation-claims")
    def annotation(self, name: str, own: Type) -> Type | None:
        """What makes a call of the type ``own`` of the type that a field had: that of the tuple's annotation, if it had
        one, whatever the field's own said."""
        type_ = self.types.get(name)
        return None if type_ == own else type_

    @rule("lo/fuse-shape-equal")
    def passes(self, func: PrimFunc, args: Tuple, out: TupleType, where: str) -> bool:
        """Whether the call's entry check is proved to succeed: it compares extents of several outputs, and those of
        outputs that are not computed any more."""
        operands = tuple(operand(self.module, self.types, each) for each in args.fields)
        found = tuple(each for each in (*operands, *out.fields) if each is not None and _is_known(each))
        if not len(found) == len(operands) + len(out.fields) == len(func.params):
            return False
        if any(
            isinstance(p, BufferParam) != isinstance(o, TensorType) for p, o in zip(func.params, found, strict=True)
        ):
            return False
        seen = interface(func, found)
        tensors = [each for each in found if isinstance(each, TensorType)]
        return seen is not None and dims_equal(self.ledger, list(seen.equal), where, extents(tensors))

    @rule("lo/fuse-split-outputs")
    def specialised(self, callee: str, func: PrimFunc, wanted: list[int], count: int) -> bool:
        """Make a kernel for each wanted output, if no nest that computes anything would be in two of them."""
        nests = program(func)
        params = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        if nests is None or count < 2 or len(params) < count or outputs(func, nests) != tuple(params[-count:]):
            return False
        needed = {k: needed_for(nests, params[len(params) - count + k]) for k in wanted}
        repeated = [n for n in nests if sum(n in each for each in needed.values()) > 1]
        if not all(map(is_copy, repeated)):
            return False
        made = {k: _kernel(func, nests, needed[k], params[-count:], k) for k in wanted}
        found = {k: f for k, f in made.items() if f is not None}
        if len(found) != len(made):
            return False
        for k, f in found.items():
            if (callee, k) not in self.made:
                self.made[callee, k] = (self.names.fresh(f"{callee}_output{k}"), with_origin(f, _field(func, k)))
        return True


def _is_known(e: Operand | Type) -> TypeGuard[Operand]:
    """Whether it is a scalar, or the type of a tensor of known extents."""
    return isinstance(e.shape, tuple) if isinstance(e, TensorType) else isinstance(e, PrimExpr)


def _field(func: PrimFunc, k: int) -> Claimed | None:
    """The origin of a loop program that computes output ``k`` of another."""
    whole = claimed(func)
    origin = None if whole is None else field_of(whole.origin, k)
    return None if whole is None or origin is None else Claimed(origin, whole.sure)


def _index(b: VarBinding) -> int:
    assert isinstance(b.value, TupleGetItem)
    return b.value.index


def needed_for(nests: Iterable[Nest], output: str) -> list[Nest]:
    """The nests that an output depends on, in order."""
    wanted = {output}
    found: list[Nest] = []
    for nest in reversed(list(nests)):
        if nest.buffer in wanted:
            wanted |= {load.buffer for load in nest.loads()}
            found.insert(0, nest)
    return found


def _kernel(func: PrimFunc, nests: tuple[Nest, ...], needed: list[Nest], outs: list[str], k: int) -> PrimFunc | None:
    """``func`` for one output: the others become intermediates where they are needed; ``None`` if a symbol would stay
    without a definition."""
    kept = tuple(stmt for stmt, nest in zip(func.body, nests, strict=True) if nest in needed)
    mentioned = {n.buffer for n in needed} | {load.buffer for n in needed for load in n.loads()}
    other = {name for j, name in enumerate(outs) if j != k}
    params = tuple(p for p in func.params if not isinstance(p, BufferParam) or p.buffer.name not in other)
    moved = (p.buffer for p in func.params if isinstance(p, BufferParam) and p.buffer.name in other)
    allocs = tuple(b for b in (*func.root_allocs, *moved) if b.name in mentioned)
    buffers = [p.buffer for p in params if isinstance(p, BufferParam)]
    defined = {p.var.name for p in params if not isinstance(p, BufferParam)}
    defined |= {d.name for b in buffers for d in b.shape if isinstance(d, SymVar)}
    if not _free([*buffers, *allocs], needed) <= defined:
        return None
    symbols = tuple(v for v in func.symbols if v.name in defined)
    attrs = tuple((key, value) for key, value in func.attrs if key == "tirx.noalias")
    return replace(func, params=params, body=kept, root_allocs=allocs, symbols=symbols, private=True, attrs=attrs)


def _free(buffers: list[Buffer], nests: list[Nest]) -> set[str]:
    """The symbols that buffers and nests use."""
    found = {s for b in buffers for d in b.shape for s in free_symbols(d)}
    for nest in nests:
        own = {axis.var.name for axis in nest.axes}
        found |= {s for axis in nest.axes for s in free_symbols(axis.extent)}
        found |= {s for e in (*nest.expressions(), *nest.indices) for s in free_symbols(e)} - own
    return found
