"""The parameters of two entries as values of one comparison: tensors, shapes, scalars and tuples of them.

A symbol that is an extent of a tensor is not negative; of a scalar or of a shape that is given nothing is known.

Spec: ``spec/06c-pointwise.md``, ``va/parameters``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from refrelax.judge.graph_values import Value
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import nodes
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.pointwise import Logic, NotRead, TensorTerm, Terms
from refrelax.shape_solver.pointwise.elements import ideal
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import compare, symbols_nonnegative
from refrelax.syntax import dtypes, graph
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols, int_imm
from refrelax.syntax.types import PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.types import type_text

Signature = tuple[tuple[str, Type], ...]
Names = dict[str, PrimExpr]


@dataclass(slots=True)
class Parameters:
    """Both signatures, taken together. ``ours`` and ``theirs``: what their symbols stand for."""

    terms: Terms
    logic: Logic
    ours: Names = field(default_factory=dict)
    theirs: Names = field(default_factory=dict)

    @rule("va/parameters")
    def values(self, first: object, second: object) -> tuple[Value, ...]:
        """What both entries are given.

        Raises:
            NotRead: their parameters differ, or are of a kind that has no value here.
        """
        a, b = signature(first), signature(second)
        if len(a) != len(b):
            raise NotRead("the entries take different numbers of arguments")
        for (name, x), (other, y) in zip(a, b, strict=True):
            if not isinstance(x, PrimType) or x != y or x.dtype == "bool":
                continue
            if dtypes.is_float(x.dtype):
                self.ours[name] = self.theirs[other] = self.terms.as_index(
                    self.terms.load(self.tensor(name, (), x.dtype), ())
                )
            else:
                self.match(SymVar(name, x.dtype), SymVar(other, x.dtype))
        for (name, x), (_, y) in zip(a, b, strict=True):
            self.pair(name, x, y)
        for name, x in a:  # before the size of any: an extent may be a product of symbols of a later one
            for each in _tensors(x):
                self.logic.assume(*symbols_nonnegative(self.dims(name, each)))
        found = tuple(self.value(name, x) for name, x in a)
        for (name, x), (_, y) in zip(a, b, strict=True):
            if any(
                substitute(p, self.theirs) != substitute(q, self.ours) for p, q in zip(_dims(y), _dims(x), strict=True)
            ):
                raise NotRead(f"the parameter {name} has different shapes")
        return found

    def pair(self, name: str, a: Type, b: Type) -> None:
        """See that two types are of one kind, and match their symbols."""
        match a, b:
            case TensorType(), TensorType() if a.dtype == b.dtype:
                pass
            case PrimType(), PrimType() if a.dtype == b.dtype:
                return
            case ShapeType(), ShapeType():
                pass
            case TupleType(ours), TupleType(theirs) if len(ours) == len(theirs):
                for x, y in zip(ours, theirs, strict=True):
                    self.pair(name, x, y)
                return
            case _:
                raise NotRead(f"the parameter {name} has different types")
        if len(_dims(a)) != len(_dims(b)):
            raise NotRead(f"the parameter {name} has different types")
        for p, q in zip(_dims(a), _dims(b), strict=True):
            self.match(p, q)

    def match(self, x: PrimExpr, y: PrimExpr) -> None:
        if isinstance(x, SymVar) and isinstance(y, SymVar) and x.dtype == y.dtype:
            if x.name not in self.ours and y.name not in self.theirs:
                self.ours[x.name] = self.theirs[y.name] = self.terms.fresh(x.name, x.dtype)

    def value(self, name: str, type_: Type) -> Value:
        match type_:
            case TensorType():
                return self.tensor(name, self.dims(name, type_), type_.dtype or "")
            case PrimType("bool"):  # a tensor of one element: nothing is done with it but to branch on it
                return self.tensor(name, (), "bool")
            case PrimType(dtype) if dtypes.is_float(dtype):  # no index is made of it: an element, by a name
                return self.ours[name]
            case PrimType(dtype):
                scalar = ideal(self.ours[name])
                low, high = dtypes.integer_range(dtype)
                self.logic.assume(compare("GE", scalar, int_imm(low)), compare("LE", scalar, int_imm(high)))
                return scalar
            case ShapeType():
                return graph.ShapeExpr(tuple(map(ideal, self.dims(name, type_))))
            case TupleType(fields):
                return tuple(self.value(f"{name}[{k}]", each) for k, each in enumerate(fields))
            case _:
                raise NotRead(f"the parameter {name} is of no type that is read")

    def dims(self, name: str, type_: Type) -> tuple[PrimExpr, ...]:
        if any(n not in self.ours for d in _dims(type_) for n in free_symbols(d)):
            raise NotRead(f"a symbol of {name} is no dimension of a parameter")
        return tuple(substitute(d, self.ours) for d in _dims(type_))

    def tensor(self, name: str, shape: tuple[PrimExpr, ...], dtype: str) -> TensorTerm:
        self.logic.sizes.exists(shape, dtype)
        return TensorTerm(name, shape, dtype)


def signature(func: object) -> Signature:
    """The names and types of an entry's parameters. Raises ``NotRead``."""
    match func:
        case graph.Function():
            found = tuple((p.name, p.type) for p in func.params)
        case PrimFunc():
            found = tuple(
                (p.buffer.name, TensorType(p.buffer.shape, p.buffer.dtype, len(p.buffer.shape)))
                if isinstance(p, BufferParam)
                else (p.var.name, PrimType(p.var.dtype))
                for p in func.params
            )
        case _:
            raise NotRead("the entry is no function")
    read: list[tuple[str, Type]] = []
    for name, told in found:
        type_ = None if told is None else _opened(name, told)
        if type_ == PrimType("bool") and not _is_branched_on(name, func):
            raise NotRead(f"the truth {name} that goes elsewhere than in a condition: it is no tensor")
        if type_ is None or not _is_read(type_, func):
            what = "an unknown type" if type_ is None else type_text(type_)
            raise NotRead(f"the parameter {name} of type {what}: read are known extents and dtypes, and numbers")
        read.append((name, type_))
    return tuple(read)


@rule("ev/negative-extent")
def binds_no_more(first: object, second: object) -> None:
    """See that the second entry leaves no run open for a negative number in a shape that the first one does not: where
    its shapes have a symbol alone, the first one's have. (Where types are erased nothing is bound.)

    Raises:
        NotRead: it may.
    """
    types = [[p.type for p in each.params] if isinstance(each, graph.Function) else [] for each in (first, second)]
    for a, b in zip(*types, strict=False):
        if not _alone(b) <= _alone(a):
            raise NotRead("a shape whose symbols are extents in the second program alone: a number may be negative")


def _alone(type_: Type | None, path: tuple[int, ...] = ()) -> set[tuple[int, ...]]:
    """The places in the shapes of a parameter where a symbol stands alone."""
    match type_:
        case ShapeType(values=tuple() as dims):
            return {(*path, k) for k, dim in enumerate(dims) if isinstance(dim, SymVar)}
        case TupleType(fields):
            return {place for k, each in enumerate(fields) for place in _alone(each, (*path, k))}
        case _:
            return set()


def _is_branched_on(name: str, func: object) -> bool:
    """Whether a name is mentioned nowhere but as the condition of a branch."""
    found = list(nodes(func.body)) if isinstance(func, graph.Function) else []
    branches = [each.condition for each in found if isinstance(each, graph.If)]
    mentions = [each for each in (*found, *branches) if isinstance(each, graph.Var) and each.name == name]
    return len(mentions) == 2 * sum(isinstance(each, graph.Var) and each.name == name for each in branches)


def _opened(name: str, type_: Type) -> Type:
    """A type that knows its rank alone with extents of its own, which no program names."""
    match type_:
        case TensorType(shape=None, ndim=rank) if rank >= 0:
            return replace(type_, shape=_own(name, rank))
        case ShapeType(values=None, ndim=rank) if rank >= 0:
            return replace(type_, values=_own(name, rank))
        case TupleType(fields):
            return replace(type_, fields=tuple(_opened(f"{name}[{k}]", each) for k, each in enumerate(fields)))
        case _:
            return type_


def _own(name: str, rank: int) -> tuple[PrimExpr, ...]:
    return tuple(SymVar(f"{name}.shape[{axis}]", "int64") for axis in range(rank))


def _is_read(type_: Type, func: object) -> bool:
    match type_:
        case TensorType(shape=tuple(), dtype=str()) | ShapeType(values=tuple()):
            return True
        case PrimType("bool"):
            return isinstance(func, graph.Function)
        case PrimType(dtype):
            return dtype in ("int32", "int64") or dtypes.is_float(dtype)
        case TupleType(fields):
            return all(not isinstance(each, PrimType) and _is_read(each, func) for each in fields)
        case _:
            return False


def _tensors(type_: Type) -> Iterator[TensorType]:
    if isinstance(type_, TensorType):
        yield type_
    elif isinstance(type_, TupleType):
        for each in type_.fields:
            yield from _tensors(each)


def _dims(type_: Type) -> tuple[PrimExpr, ...]:
    return tuple(_all_dims(type_))


def _all_dims(type_: Type) -> Iterator[PrimExpr]:
    match type_:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            yield from dims
        case TupleType(fields):
            for each in fields:
                yield from _all_dims(each)
        case _:
            return


def known_of_both(
    first: Module, second: Module, entry: str, claims: Sequence[PrimExpr], sizes: bool = False
) -> tuple[tuple[PrimExpr, ...], tuple[PrimExpr, ...]]:
    """Claims about the int64 symbols of the first entry, in the names of each program: of the second one's symbols only
    those are meant that stand alone in the place of one of the first. (Another claim is known of neither.) ``sizes``:
    that each extent, as many elements of its buffer at the least, fits in bytes, too."""
    terms = Terms()
    both = Parameters(terms, Logic(Sizes(terms.dtype_of)))
    try:
        both.values(first.functions.get(entry), second.functions.get(entry))
    except NotRead:
        return (), ()
    names = {name: e for name, e in both.ours.items() if e.dtype == "int64"}
    if sizes:
        claims = (*claims, *_that_fit(first.functions[entry]))
    back: Names = {e.name: SymVar(name, e.dtype) for name, e in both.theirs.items() if isinstance(e, SymVar)}
    known = [part for claim in claims if free_symbols(claim) <= names.keys() for part in conjuncts(ideal(claim))]
    return tuple(known), tuple(substitute(substitute(each, names), back) for each in known)


def _that_fit(entry: object) -> Iterator[PrimExpr]:
    """That the bytes along each extent of a tensor that an entry is given fit int64: the others count as one."""
    for p in entry.params if isinstance(entry, graph.Function) else ():
        for each in nodes(p.type):
            if isinstance(each, TensorType) and isinstance(each.shape, tuple) and each.dtype is not None:
                most = int_imm(((1 << 63) - 1) // max(1, dtypes.bits(each.dtype) // 8))
                yield from (compare("LE", d, most) for d in each.shape if isinstance(d, SymVar))
