"""Loop programs that a function calls one after the other, as one: their bodies in order, under other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from refrelax.lower.fuse_ops.graph import Operand
from refrelax.lower.fuse_ops.interface import interface
from refrelax.lower.names import Taken
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Binding, Call, Expr, Function, GlobalVar, PrimValue, Tuple, Var
from refrelax.syntax.loops import Bind, Buffer, BufferParam, For, IterVar, PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import ShapeType, TensorType


def concatenated(module: Module, function: Function) -> PrimFunc | None:
    """A function of the form that ``make_primitive`` gives, whose calls go through, as one loop program; its
    intermediates are buffers of its own."""
    (block,), last = function.body.blocks, function.body.body
    assert isinstance(last, Var)
    types = {p.name: p.type for p in function.params if isinstance(p.type, TensorType)}
    shapes = [p.type.values or () for p in function.params if isinstance(p.type, ShapeType)]
    scalars = [v for values in shapes for v in values if isinstance(v, SymVar)]
    dims = [n for each in types.values() for n in nodes(each.shape) if isinstance(n, SymVar)]
    whole = _Whole(module, Taken(v.name for v in (*scalars, *dims)))
    for name, type_ in types.items():
        whole.add(name, type_)
    if not all(map(whole.append, block.bindings)):
        return None
    inputs, result = [whole.buffers[name] for name in types], whole.buffers[last.name]
    between = [b for b in whole.buffers.values() if b not in inputs and b is not result]
    own = {v.name for v in scalars}
    shaped = [dim for b in (*inputs, result) for dim in b.shape if isinstance(dim, SymVar) and dim.name not in own]
    return PrimFunc(
        (*map(BufferParam, inputs), *map(ScalarParam, scalars), BufferParam(result)),
        tuple(whole.body),
        attrs=(("tirx.noalias", True),),
        private=True,
        s_tir=True,
        symbols=tuple({dim.name: dim for dim in shaped}.values()),
        root_allocs=(*between, *whole.allocated),
    )


@dataclass(slots=True)
class _Whole:
    """``buffers`` and ``types``: of the function's variables; ``allocated``: what the loop programs allocate."""

    module: Module
    taken: Taken
    buffers: dict[str, Buffer] = field(default_factory=dict)
    types: dict[str, TensorType] = field(default_factory=dict)
    allocated: list[Buffer] = field(default_factory=list)
    body: list[Any] = field(default_factory=list)

    def add(self, name: str, type_: TensorType) -> None:
        assert isinstance(type_.shape, tuple) and type_.dtype is not None
        self.types[name] = type_
        self.buffers[name] = Buffer(self.taken.fresh(name), type_.shape, type_.dtype)

    def append(self, binding: Binding) -> bool:
        """The body of one call; ``False`` if it is none that can stand here."""
        match binding.value:
            case Call(args=(GlobalVar(name=callee), Tuple(fields=args)), ty_args=(TensorType() as out,)):
                func = self.module.functions.get(callee)
            case _:
                return False
        if not isinstance(func, PrimFunc) or func.ret is not None or not all(map(_plain, _buffers(func))):
            return False
        operands = tuple(each for each in map(self.operand, args) if each is not None)
        found = interface(func, (*operands, out)) if len(operands) == len(args) else None
        if found is None:
            return False
        self.add(binding.name, out)
        given = [self.buffers[each.name] for each in (*args, Var(binding.name)) if isinstance(each, Var)]
        params = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        names = {old: new.name for old, new in zip(params, given, strict=True)}
        names |= {b.name: self.taken.fresh(b.name) for b in _buffers(func) if b.name not in names}
        by: dict[str, PrimExpr] = dict(found.given)
        for var in _variables(func):
            by[var.name] = SymVar(self.taken.fresh(var.name), var.dtype)
        self.allocated += renamed(func.root_allocs, by, names)
        self.body += renamed(func.body, by, names)
        return True

    def operand(self, arg: Expr) -> Operand | None:
        match arg:
            case Var(name=name):
                return self.types.get(name)
            case PrimValue(value=value):
                return value
            case _:
                return None


def _buffers(func: PrimFunc) -> list[Buffer]:
    return [node for node in nodes(func) if isinstance(node, Buffer)]


def _plain(b: Buffer) -> bool:
    return not b.strides and b.elem_offset is None and b.data is None and b.scope == "global"


def _variables(func: PrimFunc) -> list[SymVar]:
    """The variables of loops, axes and lets."""
    return [node.var for node in nodes(func.body) if isinstance(node, For | IterVar | Bind)]


def renamed(root: Any, by: Mapping[str, PrimExpr], names: Mapping[str, str]) -> Any:
    """A tree of statements with other variables, and its buffers under other names."""
    match root:
        case tuple():
            return tuple(renamed(each, by, names) for each in root)
        case SymVar():
            return by.get(root.name, root)
        case _ if not is_dataclass(root) or isinstance(root, type):
            return root
        case _:
            new = {f.name: renamed(getattr(root, f.name), by, names) for f in fields(root) if f.name != "span"}
            if isinstance(root, Buffer):
                new["name"] = names.get(root.name, root.name)
            elif isinstance(new.get("buffer"), str):
                new["buffer"] = names.get(new["buffer"], new["buffer"])
            changed = {k: v for k, v in new.items() if v is not getattr(root, k)}
            return replace(root, **changed) if changed else root
