"""A loop program under transformation: buffers by name, nests in order; from a Primitive function and to a PrimFunc.

Spec: ``spec/11-fusion.md``, ``lo/fuse-concatenate``.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from refrelax.lower.claims import Ledger
from refrelax.lower.domains import Domain, dims_of
from refrelax.lower.fuse_ops.interface import Interface, dims_equal, extents, interface
from refrelax.lower.names import Taken
from refrelax.lower.nests import Axis, Nest, rewritten, write_nest
from refrelax.lower.pattern_kinds import outputs, program
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.overwriting import stores_in_inputs
from refrelax.syntax.graph import Call, DataflowBlock, Expr, Function, GlobalVar, Op, PrimValue, Tuple, Var, VarBinding
from refrelax.syntax.loops import Buffer, BufferParam, PrimFunc, ScalarParam, Stmt
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import ShapeType, TensorType, Type


@dataclass(slots=True)
class Program:
    """``inputs`` and ``output`` are parameters, every other buffer is an intermediate. ``scalars``: the symbols that
    no buffer of a parameter defines."""

    inputs: list[str]
    scalars: list[SymVar]
    output: str = ""
    buffers: dict[str, Buffer] = field(default_factory=dict)
    nests: list[Nest] = field(default_factory=list)
    taken: Taken = field(default_factory=Taken)
    blocks: Taken = field(default_factory=Taken)

    @property
    def intermediates(self) -> list[str]:
        outside = {*self.inputs, self.output}
        return [name for name in self.buffers if name not in outside]

    def writers(self, buffer: str) -> list[Nest]:
        return [nest for nest in self.nests if nest.buffer == buffer]

    def readers(self, buffer: str) -> list[Nest]:
        """The nests that read ``buffer`` other than to go on with a reduction into it."""
        return [nest for nest in self.nests if nest.buffer != buffer and nest.reads(buffer)]

    def domain(self, nest: Nest) -> Domain:
        return Domain(nest.axes, dims_of(b.shape for b in self.buffers.values()))

    def add(self, name: str, shape: tuple[PrimExpr, ...], dtype: str) -> str:
        """A new buffer; the result is its name."""
        fresh = self.taken.fresh(name)
        self.buffers[fresh] = Buffer(fresh, shape, dtype)
        return fresh

    def substitute(self, old: Nest, new: Nest | None) -> None:
        """Put ``new`` in the place of ``old``, or nothing."""
        at = next(k for k, nest in enumerate(self.nests) if nest is old)
        self.nests[at : at + 1] = [] if new is None else [new]

    def drop(self, buffer: str) -> None:
        """Forget an intermediate that nobody reads, and what computes it."""
        self.nests = [nest for nest in self.nests if nest.buffer != buffer]
        del self.buffers[buffer]


# --- from functions --------------------------------------------------------------------------------------------------


@rule("lo/fuse-concatenate")
def from_primitive(module: Module, function: Function, ledger: Ledger, where: str) -> Program | None:
    """The bodies of the function's calls, one after the other, over buffers for its parameters and bindings; ``None``
    if it is not of the form that ``fuse_ops`` makes, or an entry check inside it is not proved to succeed."""
    result = Program([], [])
    known: dict[str, Type] = {p.name: p.type for p in function.params if p.type is not None}
    symbols = {name for type_ in known.values() for name in _symbols(type_)}
    result.taken.add(*symbols)
    names: dict[str, str] = {}
    for param in function.params:
        match param.type:
            case TensorType(shape=tuple() as shape, dtype=str() as dtype):
                names[param.name] = result.add(param.name, shape, dtype)
                result.inputs.append(names[param.name])
            case ShapeType(values=tuple() as values) if all(isinstance(v, SymVar) for v in values):
                result.scalars += [v for v in values if isinstance(v, SymVar)]
            case _:
                return None
    if len({v.name for v in result.scalars}) < len(result.scalars):
        return None  # (a symbol that stands twice is compared, and no scalar parameter does that)
    match function.body.blocks, function.body.body:
        case ((DataflowBlock(bindings=bindings, outputs=(out,)),), Var(name=last)) if out == last:
            pass
        case _:
            return None
    checks: list[tuple[PrimExpr, PrimExpr]] = []
    for binding in bindings:
        found = _append(result, module, binding, names, known) if isinstance(binding, VarBinding) else None
        if found is None:
            return None
        checks += found.equal
    if not dims_equal(ledger, checks, where, extents([t for t in known.values() if isinstance(t, TensorType)])):
        return None
    result.output = names[last]
    return result


def _symbols(type_: Type) -> set[str]:
    match type_:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            return {name for dim in dims for name in free_symbols(dim)}
        case _:
            return set()


def _append(
    result: Program, module: Module, binding: VarBinding, names: dict[str, str], known: dict[str, Type]
) -> Interface | None:
    """The body of one call; what its entry check compares."""
    match binding.value:
        case Call(
            op=Op(name="relax.call_tir" | "relax.call_tir_with_grad"),
            args=(GlobalVar(name=callee), Tuple(fields=args)),
            ty_args=(TensorType() as out,),
        ):
            func = module.functions.get(callee)
        case _:
            return None
    if not isinstance(func, PrimFunc) or not isinstance(out.shape, tuple) or out.dtype is None:
        return None
    if stores_in_inputs(func, len(args)):
        return None  # (what is given may be the memory of another parameter)
    operands = [*(_operand(arg, known) for arg in args), out]
    nests = program(func)
    found = interface(func, tuple(o for o in operands if o is not None)) if None not in operands else None
    if nests is None or found is None:
        return None
    names[binding.name] = result.add(binding.name, out.shape, out.dtype)
    known[binding.name] = out
    actual = [names.get(arg.name, "") if isinstance(arg, Var) else "" for arg in args] + [names[binding.name]]
    params = {p.buffer.name: name for p, name in zip(func.params, actual, strict=True) if isinstance(p, BufferParam)}
    append_body(result, func, nests, params, found.given)
    return found


def _operand(arg: Expr, known: Mapping[str, Type]) -> TensorType | PrimExpr | None:
    match arg:
        case Var(name=name):
            type_ = known.get(name)
            return type_ if isinstance(type_, TensorType) else None
        case PrimValue(value=value):
            return value
        case _:
            return None


def append_body(
    result: Program, func: PrimFunc, nests: tuple[Nest, ...], buffers: Mapping[str, str], given: Mapping[str, PrimExpr]
) -> None:
    """Append the nests of ``func``, its parameters called ``buffers`` and its symbols being ``given``."""
    renamed = dict(buffers)
    for alloc in func.root_allocs:
        shape = tuple(substitute(dim, given) for dim in alloc.shape)
        renamed[alloc.name] = result.add(alloc.name, shape, alloc.dtype)
    for nest in nests:
        axes = tuple(
            Axis(SymVar(result.taken.fresh(a.var.name), a.var.dtype), substitute(a.extent, given), a.kind)
            for a in nest.axes
        )
        by = {**given, **{old.var.name: new.var for old, new in zip(nest.axes, axes, strict=True)}}
        fresh = rewritten(nest, by, renamed, axes)
        result.nests.append(replace(fresh, block=result.blocks.fresh(nest.block)))


def from_prim_func(func: PrimFunc) -> Program | None:
    """A loop program of several nests and one output as it stands."""
    nests = program(func)
    if nests is None or len(nests) < 2 or len(outputs(func, nests)) != 1:
        return None
    result = Program([], [p.var for p in func.params if isinstance(p, ScalarParam)])
    result.taken.add(*(v.name for v in (*func.symbols, *result.scalars)))
    params: dict[str, str] = {}
    for param in func.params:
        if isinstance(param, BufferParam):
            b = param.buffer
            params[b.name] = result.add(b.name, b.shape, b.dtype)
    result.output = params[outputs(func, nests)[0]]
    result.inputs = [name for name in params.values() if name != result.output]
    append_body(result, func, nests, params, {})
    return result


# --- to a function ---------------------------------------------------------------------------------------------------


def to_prim_func(p: Program) -> PrimFunc:
    """Inputs, scalars, output; intermediates are allocated by the function."""
    scalars = [ScalarParam(v) for v in p.scalars]
    inputs = [BufferParam(p.buffers[name]) for name in p.inputs]
    params: tuple[ScalarParam | BufferParam, ...] = (*inputs, *scalars, BufferParam(p.buffers[p.output]))
    own = {v.name for v in p.scalars}
    symbols: dict[str, SymVar] = {}
    for name in (*p.inputs, p.output):
        for dim in p.buffers[name].shape:
            if isinstance(dim, SymVar) and dim.name not in own:
                symbols.setdefault(dim.name, dim)
    return PrimFunc(
        params,
        body(p),
        attrs=(("tirx.noalias", True),),
        private=True,
        s_tir=True,
        symbols=tuple(symbols.values()),
        root_allocs=tuple(p.buffers[name] for name in p.intermediates),
    )


def body(p: Program) -> tuple[Stmt, ...]:
    """The statements of the nests, under loop variables of their own."""
    return tuple(write_nest(nest, tuple(p.taken.fresh(_loop_name(a.var.name)) for a in nest.axes)) for nest in p.nests)


def _loop_name(axis: str) -> str:
    """A loop variable's, for an axis: ``i`` for ``v_i``, and for what leaves no name (``v_1``, made of ``v``)."""
    name = axis.removeprefix("v_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "i"
