"""One operator call that is to become a loop program: its arguments as arrays, its results, its symbols.

The kernel's buffers carry the caller's dims. A dim that is a compound expression stays one where its symbols are plain
dims of arguments; else it becomes a symbol of its own, and ``relations`` says what it stands for. A symbol that no
buffer defines becomes an int64 argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from refrelax.lower.legalize.kernel import Array, Kernel
from refrelax.lower.legalize.scalars import Scalar
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, Constant, ConstantRef, Expr, PrimValue, ShapeExpr, Tuple, TupleGetItem, Var
from refrelax.syntax.loops import ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import (
    Binary,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    free_symbols,
    free_variables,
    int_imm,
)
from refrelax.syntax.types import PrimType, ShapeType, TensorType, TupleType, Type


class Unfit(Exception):
    """The call cannot become a loop program; it stays as it is."""


Argument = Array | Scalar | list[Array] | None
"""A tensor, a scalar, a tuple of tensors, or a shape (which a kernel takes as its result's dims)."""


@dataclass(slots=True)
class Site:
    """A call under legalization. ``a``: its arguments; ``outs``: its results; ``k``: the kernel."""

    call: Call
    k: Kernel
    a: list[Argument] = field(default_factory=list)
    outs: list[Array] = field(default_factory=list)
    tupled: bool = False
    """Whether the call gives a tuple, be it of one result."""
    passed: list[Expr] = field(default_factory=list)
    before: list[tuple[str, Expr]] = field(default_factory=list)
    """Bindings that the call needs in front of it: the fields of a tuple that is a variable."""
    relations: dict[str, PrimExpr] = field(default_factory=dict)
    required: list[tuple[str, PrimExpr]] = field(default_factory=list)
    """Statements that the kernel rests on besides its bounds: (rule, statement)."""
    always: list[tuple[PrimExpr, tuple[PrimExpr, ...]]] = field(default_factory=list)
    """Conditions that were left out because they hold wherever what is beside them does."""
    ask: Callable[[PrimExpr, tuple[PrimExpr, ...]], bool] = lambda _statement, _given: False
    """Whether a condition is proved under others; what is relied on goes to ``always``."""
    premises: list[PrimExpr] = field(default_factory=list)
    """What may be taken for granted: elsewhere the definition leaves the call open."""
    solved: set[str] = field(default_factory=set)
    shapes: dict[int, tuple[PrimExpr, ...]] = field(default_factory=dict)
    """The extents of arguments that are shapes, or tensors of which only the extents are looked at."""
    dtypes: dict[int, str] = field(default_factory=dict)
    """Of the latter, their dtypes."""
    named: dict[PrimExpr, SymVar] = field(default_factory=dict)
    scalars: dict[str, SymVar] = field(default_factory=dict)

    @property
    def out(self) -> Array:
        """The only result."""
        return self.outs[0]

    def array(self, position: int) -> Array:
        """Argument ``position`` as an array."""
        found = self.a[position]
        if not isinstance(found, Array):
            raise Unfit(f"argument {position} is no tensor")
        return found

    def arrays(self, position: int) -> list[Array]:
        """Argument ``position`` as a tuple of arrays."""
        found = self.a[position]
        if not isinstance(found, list):
            raise Unfit(f"argument {position} is no tuple of tensors")
        return found

    def scalar(self, position: int) -> Scalar:
        """Argument ``position`` as a scalar."""
        found = self.a[position]
        if not isinstance(found, Scalar):
            raise Unfit(f"argument {position} is no scalar")
        return found

    # --- dims ---------------------------------------------------------------------------------------------------------

    @rule("lo/kernel-dims")
    def dim(self, dim: PrimExpr) -> PrimExpr:
        """A dim of the caller as a dim of a kernel's buffer."""
        if isinstance(dim, Literal | SymVar):
            return dim
        if dim in self.named:
            return self.named[dim]
        if free_symbols(dim) <= self.solved:
            return dim
        symbol = self.named[dim] = SymVar(self.k.fresh("m"))
        self.relations[symbol.name] = dim
        return symbol

    def expression(self, value: PrimExpr) -> Scalar:
        """A scalar expression of the caller inside the kernel; symbols that no buffer defines become arguments."""
        if value in self.named:
            return Scalar(self.named[value])
        for name in sorted(free_symbols(value) - self.solved - set(self.scalars) - set(self.relations)):
            (symbol,) = {each for each in free_variables(value) if each.name == name}
            if symbol.dtype != "int64":
                raise Unfit(f"the symbol {name} is no int64")
            self.scalars[name] = symbol
            self.k.scalars.append(ScalarParam(symbol))
        return Scalar(value)

    def demand(self, rule: str, statement: PrimExpr) -> None:
        """The kernel is right only if ``statement`` holds."""
        if (rule, statement) not in self.required:
            self.required.append((rule, statement))

    def same(self, a: Scalar, b: Scalar, rule: str = "lo/broadcast-equal") -> None:
        """Two extents are equal; a claim unless they are written alike."""
        if a.node == b.node:
            return
        if as_int(a.node) is not None and as_int(b.node) is not None:
            raise Unfit("extents that differ")
        self.demand(rule, Binary("EQ", a.node, b.node))

    def suppose(self, statement: Scalar) -> None:
        """The definition leaves the call open where ``statement`` is false."""
        self.premises.append(statement.node)

    def spread(self, x: Array, at: Sequence[Scalar], over: Sequence[Scalar]) -> Scalar:
        """The element of ``x`` that broadcasts to index ``at`` of a shape ``over``."""
        if x.number is not None:
            return x.number
        lead = len(over) - x.ndim
        where: list[Scalar | int] = []
        for i, own, wide in zip(at[lead:], x.dims, over[lead:], strict=True):
            if as_int(own.node) == 1:
                where.append(0)
            else:
                self.same(own, wide)
                where.append(i)
        return x[where]


# --- making a site ---------------------------------------------------------------------------------------------------

TypeOf = Callable[[str], Type | None]


@dataclass(frozen=True, slots=True)
class Typing:
    """Types of expressions: ``of_name`` for variables, the module for constants."""

    module: Module
    of_name: TypeOf

    def of(self, expr: Expr) -> Type | None:
        """The type of an argument; ``None`` if it is not known."""
        match expr:
            case Var():
                return self.of_name(expr.name)
            case Constant():
                return _tensor(expr.dtype, expr.shape)
            case ConstantRef() if expr.index in self.module.constants:
                found = self.module.constants[expr.index]
                return _tensor(found.dtype, found.shape)
            case PrimValue():
                return PrimType(expr.value.dtype)
            case ShapeExpr():
                return ShapeType(expr.values, len(expr.values))
            case Tuple():
                fields = [self.of(each) for each in expr.fields]
                known = [each for each in fields if each is not None]
                return TupleType(tuple(known)) if len(known) == len(fields) else None
            case TupleGetItem():
                whole = self.of(expr.tuple)
                return whole.fields[expr.index] if isinstance(whole, TupleType) else None
            case _:
                return None


def _tensor(dtype: str, shape: tuple[int, ...]) -> TensorType:
    return TensorType(tuple(int_imm(n) for n in shape), dtype, len(shape))


def known_tensor(found: Type | None) -> TensorType:
    """A tensor type with a dtype of one lane and int64 dims. Raises ``Unfit`` for anything else."""
    if not isinstance(found, TensorType) or not isinstance(found.shape, tuple) or found.dtype is None:
        raise Unfit("a tensor whose dims or dtype are not known")
    if dtypes.lanes(found.dtype) != 1 or any(d.dtype != "int64" for d in found.shape):
        raise Unfit("a tensor of vectors, or with dims that are no int64")
    return found


def result_types(found: Type | None) -> list[TensorType]:
    """The tensors that a call gives."""
    fields: Sequence[Type | None] = found.fields if isinstance(found, TupleType) else [found]
    if not fields:
        raise Unfit("no result")
    return [known_tensor(each) for each in fields]


def make_site(
    call: Call, name: str, result: Type | None, typing: Typing, bound: str, unread: Sequence[int] = ()
) -> Site:
    """The site of a call bound to ``bound``; the arguments ``unread`` give dims only. Raises ``Unfit``."""
    results = result_types(result)
    given = [arg for k, arg in enumerate(call.args) if k not in unread]
    flat = [_flatten(arg, typing, f"{bound}_{k}") for k, arg in enumerate(given)]
    dims: list[PrimExpr] = [d for t in results for d in _dims(t)]
    dims += [d for parts in flat for _, t in parts.items for d in _dims(t)]
    k = Kernel(name, set(_symbols([*dims, *_scalars(call.args)])))
    site = Site(call, k, tupled=isinstance(result, TupleType))
    for parts in flat:
        site.before += parts.before
        site.solved |= {d.name for _, t in parts.items for d in _dims(t) if isinstance(d, SymVar)}
    rest = iter(flat)
    for position in range(len(call.args)):
        site.a.append(None if position in unread else _argument(site, next(rest)))
    site.solved |= {d.name for t in results for d in _dims(t) if isinstance(d, SymVar)}
    for n, t in enumerate(results):
        out = [site.dim(d) for d in _dims(t)]
        site.outs.append(k.output("out" if len(results) == 1 else f"out{n}", out, t.dtype or ""))
        for old, new in zip(_dims(t), out, strict=True):
            if not isinstance(old, Literal | SymVar):
                site.demand("lo/extent-nonnegative", Binary("GE", new, int_imm(0)))
    for position, arg in enumerate(call.args):
        if isinstance(arg, PrimValue):
            site.a[position] = site.expression(arg.value)
        elif site.a[position] is None:
            _look(site, position, typing.of(arg))
    return site


def _look(site: Site, position: int, found: Type | None) -> None:
    """Keep the extents of an argument that no kernel takes."""
    match found:
        case ShapeType(values=tuple() as values):
            site.shapes[position] = values
        case TensorType(shape=tuple() as dims, dtype=str() as dtype):
            site.shapes[position], site.dtypes[position] = dims, dtype
        case _:
            pass


@dataclass(frozen=True, slots=True)
class _Parts:
    """One argument: the tensors in it, whether they were a tuple, and the bindings that name them."""

    items: list[tuple[Expr, Type]]
    several: bool
    before: list[tuple[str, Expr]]


def _flatten(arg: Expr, typing: Typing, name: str) -> _Parts:
    found = typing.of(arg)
    if found is None:
        raise Unfit("an argument whose type is not known")
    if not isinstance(found, TupleType):
        return _Parts([(arg, found)], False, [])
    if isinstance(arg, Tuple):
        return _Parts(list(zip(arg.fields, found.fields, strict=True)), True, [])
    fields = [(f"{name}_{n}", TupleGetItem(arg, n)) for n in range(len(found.fields))]
    return _Parts([(Var(v), t) for (v, _), t in zip(fields, found.fields, strict=True)], True, list(fields))


def _argument(site: Site, parts: _Parts) -> Argument:
    if parts.several:
        if all(isinstance(t, PrimType) for _, t in parts.items):
            return None
        return [_array(site, e, t) for e, t in parts.items]
    ((expr, found),) = parts.items
    if isinstance(found, TensorType):
        return _array(site, expr, found)
    if isinstance(found, ShapeType) or isinstance(expr, PrimValue):
        return None
    raise Unfit(f"an argument that is a {type(found).__name__}")


def _array(site: Site, expr: Expr, found: Type) -> Array:
    t = known_tensor(found)
    if isinstance(expr, Constant) and expr.shape == () and t.dtype is not None:
        return Array("", (), t.dtype, Scalar(Literal(t.dtype, expr.data[0])))
    site.passed.append(expr)
    name = chr(ord("a") + len(site.passed) - 1) if len(site.passed) <= 26 else f"a{len(site.passed)}"
    return site.k.input(name, [site.dim(d) for d in _dims(t)], t.dtype or "")


def _dims(t: Type) -> tuple[PrimExpr, ...]:
    return t.shape if isinstance(t, TensorType) and isinstance(t.shape, tuple) else ()


def _scalars(args: Iterable[Expr]) -> list[PrimExpr]:
    found: list[PrimExpr] = []
    for arg in args:
        match arg:
            case PrimValue():
                found.append(arg.value)
            case ShapeExpr():
                found += arg.values
            case Tuple():
                found += _scalars(arg.fields)
            case _:
                pass
    return found


def _symbols(exprs: Iterable[PrimExpr]) -> set[str]:
    return {name for e in exprs for name in free_symbols(e)}


def with_relations(site: Site, e: PrimExpr) -> PrimExpr:
    """``e`` in the caller's terms."""
    return substitute(e, site.relations)
