"""The attribute of a loop program that says where it comes from: a graph-level function as text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from refrelax.errors import Rejection
from refrelax.semantics.types.renaming import dims_of
from refrelax.syntax.graph import (
    BindingBlock,
    Call,
    DataflowBlock,
    Function,
    Op,
    SeqExpr,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import For, PrimFunc, SBlock, Stmt
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import free_symbols
from refrelax.syntax.types import ShapeType, TensorType, Type
from refrelax.syntax.write.graph import write_function
from refrelax.syntax.write.lines import Lines

ORIGIN = "Origin"


@dataclass(frozen=True, slots=True)
class Origin:
    """A function of tensors whose bindings call operators; ``types``: of its parameters and bindings.

    Its tensors are the inputs of the loop program, in order. Where a symbol is defined by none of them, a last
    parameter of shape type has it: first the loop program's scalars, in order, then what only its outputs define.
    """

    function: Function
    types: tuple[tuple[str, Type], ...] = ()

    @property
    def tensors(self) -> tuple[tuple[str, TensorType], ...]:
        """Names and types of the inputs."""
        return tuple((p.name, p.type) for p in self.function.params if isinstance(p.type, TensorType))

    @property
    def bindings(self) -> tuple[VarBinding, ...]:
        """What is computed, in order; the last one is the result."""
        return tuple(b for block in self.function.body.blocks for b in block.bindings if isinstance(b, VarBinding))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols of the last parameter."""
        last = self.function.params[-1].type if self.function.params else None
        values = (last.values or ()) if isinstance(last, ShapeType) else ()
        return tuple(name for v in values for name in free_symbols(v))


def hinted(func: PrimFunc, origin: Origin) -> PrimFunc:
    """The loop program with its origin written down."""
    return replace(func, attrs=tuple(sorted({**dict(func.attrs), ORIGIN: written(origin)}.items())))


def unhinted(func: PrimFunc) -> PrimFunc:
    """The loop program without what is said of its origin."""
    return replace(func, attrs=tuple(each for each in func.attrs if each[0] != ORIGIN))


def bare(func: PrimFunc) -> PrimFunc:
    """The loop program without that, and without what its blocks say of the regions that they read and write, which
    TVM's printer adds."""
    return replace(unhinted(func), body=tuple(map(_without_regions, func.body)))


def _without_regions(stmt: Stmt) -> Stmt:
    match stmt:
        case For():
            return replace(stmt, body=tuple(map(_without_regions, stmt.body)))
        case SBlock():
            return replace(stmt, reads=None, writes=None, body=tuple(map(_without_regions, stmt.body)))
        case _:
            return stmt


def hint(func: PrimFunc) -> str | None:
    """What a loop program says of its origin."""
    text = dict(func.attrs).get(ORIGIN)
    return text if isinstance(text, str) else None


def written(origin: Origin) -> str:
    """The function as a line of text, without its decorator and without a dataflow block."""
    block = BindingBlock(origin.bindings)
    func = replace(origin.function, body=replace(origin.function.body, blocks=(block,)), private=False, attrs=())
    types: list[Type] = [p.type for p in func.params if p.type is not None]
    types += [func.ret] if func.ret is not None else []
    symbols = frozenset(name for t in types for dim in dims_of(t) for name in free_symbols(dim))
    out = Lines()
    write_function("main", func, out, quoted_symbols=symbols)
    _, head, *lines = out.lines
    return f"{head} {'; '.join(line.strip() for line in lines)}"


def read(text: str) -> Function | None:
    """The function behind a hint, its bindings in one dataflow block; ``None`` for anything but tensors (and a shape)
    to a result through calls of operators."""
    try:
        module = parse("@R.function\n" + text)
    except Rejection:
        return None
    func = module.functions.get("main")
    if set(module.functions) != {"main"} or not isinstance(func, Function) or module.constants:
        return None
    bindings = [b for block in func.body.blocks for b in block.bindings]
    shapes = [k for k, p in enumerate(func.params) if isinstance(p.type, ShapeType)]
    if shapes not in ([], [len(func.params) - 1]) or not bindings:
        return None
    if not all(isinstance(p.type, TensorType | ShapeType) for p in func.params):
        return None
    if not all(isinstance(b, VarBinding) and plain(b) for b in bindings):
        return None
    last = bindings[-1].name
    if func.body.body != Var(last):
        return None
    body = SeqExpr((DataflowBlock(tuple(bindings), (last,)),), Var(last))
    return replace(func, body=body, attrs=())


def plain(binding: VarBinding) -> bool:
    """Whether a binding calls an operator on values that have names, or takes a field of a tuple."""
    match binding.value:
        case Call(op=Op(name=name), ty_args=()):
            return name not in ("relax.call_tir", "relax.call_dps_packed", "relax.call_pure_packed")
        case TupleGetItem(tuple=Var()):
            return True
        case _:
            return False
