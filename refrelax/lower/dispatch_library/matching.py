"""Matching: a pattern laid over the bindings of a dataflow block.

A match is found by names, operators, attributes, constants and dtypes alone; the extents that must be equal are handed
on as pairs, to be claimed.

Spec: ``spec/10-lowering.md``, ``lo/dispatch-match``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from refrelax.lower.dead_code import mentions
from refrelax.lower.dispatch_library.misses import Misses
from refrelax.lower.dispatch_library.patterns import Pattern
from refrelax.lower.fuse_ops.graph import is_barrier, operand
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import map_dims
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    AttrList,
    AttrValue,
    Call,
    Constant,
    ConstantRef,
    DataflowBlock,
    DataTypeValue,
    Expr,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import TensorType, Type

Pair = tuple[PrimExpr, PrimExpr]
"""A dim of the contract, over what its symbols stand for, and the extent found for it."""


COMMUTATIVE = frozenset({"relax.add", "relax.multiply"})
"""Operators whose value has the same bits with the operands exchanged."""


AXES_OF_FIRST = frozenset(
    Op(f"relax.{name}")
    for name in ("nn.softmax", "nn.log_softmax", "nn.layer_norm", "nn.rms_norm", "sum", "mean", "prod", "max", "min",
                 "variance", "std", "argmax", "argmin", "cumsum", "cumprod", "sort", "argsort", "topk", "take", "flip",
                 "permute_dims", "squeeze")
)  # fmt: skip
"""Operators whose ``axis`` and ``axes`` count the axes of the first argument: of these -1 is the last one."""


ALL_OF_FIRST = frozenset(Op(f"relax.{name}") for name in ("sum", "mean", "prod", "max", "min", "variance", "std"))
"""Of ``AXES_OF_FIRST``, those whose ``axis`` is all axes where it is left out."""

AXES = ("axis", "axes")


def _counted(attrs: dict[str, AttrValue], op: Expr, rank: int | None) -> dict[str, AttrValue]:
    """The attributes with axes written out and counted from the front, where the rank is known."""
    if rank is None:
        return attrs
    return {k: _from_front(_written_out(v, op, rank), rank) if k in AXES else v for k, v in attrs.items()}


def _written_out(value: AttrValue, op: Expr, rank: int) -> AttrValue:
    """What stands for axes that are left out: of a transposition the last first, of a reduction all."""
    match value:
        case None if op == Op("relax.permute_dims"):
            return AttrList(tuple(reversed(range(rank))))
        case None if op in ALL_OF_FIRST:
            return AttrList(tuple(range(rank)))
        case _:
            return value


def _from_front(value: AttrValue, rank: int) -> AttrValue:
    match value:
        case int() if not isinstance(value, bool) and -rank <= value < 0:
            return value + rank
        case Literal() if (k := as_int(value)) is not None and -rank <= k < 0:
            return int_imm(k + rank, value.dtype)
        case AttrList(items=items):
            return replace(value, items=tuple(_from_front(each, rank) for each in items))
        case _:
            return value


def short(op: str) -> str:
    """The name of an operator as it is written."""
    return op.replace("relax.", "R.", 1)


@dataclass(slots=True)
class Site:
    """A dataflow block: ``made``: where each of its variables is bound; ``uses``: who uses it; ``segments``: what no
    call is moved across; ``taken``: bindings that a match has."""

    checked: CheckedModule
    types: Mapping[str, Type]
    promised: frozenset[str]
    block: DataflowBlock
    made: dict[str, int] = field(default_factory=dict)
    uses: dict[str, set[int]] = field(default_factory=dict)
    segments: list[int] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        segment = 0
        for position, binding in enumerate(self.block.bindings):
            segment += is_barrier(binding, self.checked.module)
            self.segments.append(segment)
            for name in mentions(binding):
                self.uses.setdefault(name, set()).add(position)
            self.made[binding.name] = position

    def value(self, position: int) -> Expr | None:
        """The value of a binding that a match may take."""
        binding = self.block.bindings[position]
        free = isinstance(binding, VarBinding) and position not in self.taken and binding.name not in self.promised
        return binding.value if free else None


@dataclass(slots=True)
class Match:
    """``given``: what stands for each parameter; ``positions``: the bindings that the library function replaces;
    ``pairs``: extents that must be equal; ``known``: types whose extents were evaluated; ``asked``: what the contract's
    attributes promise of its symbols; ``result``: the contract's type of the result."""

    given: dict[str, Expr]
    positions: set[int]
    pairs: list[Pair]
    known: list[TensorType]
    asked: tuple[PrimExpr, ...]
    result: Type


STEPS = 4096
"""How many names of a pattern are looked at in all ways together: an exchange that fails late is tried often."""


@rule("lo/dispatch-match")
def matches(pattern: Pattern, site: Site, position: int, misses: Misses) -> Iterator[Match]:
    """The matches of a pattern whose result is bound at ``position``, one for each order of operands that may be
    exchanged; why there is none is told to ``misses``."""
    matcher, here = _Matcher(pattern, site), Var(site.block.bindings[position].name)
    for way in matcher.variable(pattern.root, here, _Way()):
        other = outside(site, way.positions, position) or inside(pattern, site, way)
        found = matcher.unified(position, way) if other is None else None
        if found is not None:
            yield found
        else:
            why = other or f"the dtypes, ranks or extents at {here.name} are not those of its types"
            misses.note(pattern.library, len(way.positions), why)
    misses.note(pattern.library, *matcher.miss)  # (no more bindings than a whole way has: that is kept)


def inside(pattern: Pattern, site: Site, way: _Way) -> str | None:
    """Why the match cannot be a call, in words: an argument is an inner result, which is computed nowhere then."""
    replaced = {site.block.bindings[p].name for p in way.positions}
    given = (way.found[name] for name in pattern.params)
    inner = next((e.name for e in given if isinstance(e, Var) and e.name in replaced), None)
    return None if inner is None else f"{inner} is an argument of it as well"


@rule("lo/dispatch-inner")
def outside(site: Site, positions: frozenset[int], root: int) -> str | None:
    """Why the match is not by itself, in words: all but the root's results are used by it alone, and nothing moves
    across a barrier."""
    for position in sorted(positions - {root}):
        name = site.block.bindings[position].name
        if name in site.block.outputs or not site.uses.get(name, set()) <= positions:
            return f"{name} is used beside it as well"
    return None if len({site.segments[p] for p in positions}) == 1 else "a call between its operators may store"


@dataclass(frozen=True, slots=True)
class _Way:
    """``found``: what stands for each name of the pattern so far; ``positions``: the bindings; ``pairs``: extents that
    must be equal."""

    found: Mapping[str, Expr] = field(default_factory=dict)
    positions: frozenset[int] = frozenset()
    pairs: tuple[Pair, ...] = ()

    def paired(self, *pairs: Pair) -> _Way:
        return replace(self, pairs=self.pairs + pairs)


@dataclass(slots=True)
class _Matcher:
    """Each method that matches takes a way and gives every way to go on, one for each order of operands."""

    pattern: Pattern
    site: Site
    steps: int = STEPS
    miss: tuple[int, str] = (0, "")
    """How many bindings were matched where most were, and what was different there."""

    def differs(self, way: _Way, why: str) -> bool:
        """Note what is different. ``False``."""
        if len(way.positions) > self.miss[0]:
            self.miss = (len(way.positions), why)
        return False

    def variable(self, name: str, e: Expr, way: _Way) -> Iterator[_Way]:
        """A name of the pattern: the same wherever it occurs."""
        self.steps -= 1
        if self.steps < 0:
            return
        if name in way.found:
            if way.found[name] == e:
                yield way
            return
        way = replace(way, found={**way.found, name: e})
        if name in self.pattern.params:
            if isinstance(e, Var | Constant | ConstantRef):
                yield way
            return
        if not isinstance(e, Var) or e.name not in self.site.made:
            return
        position = self.site.made[e.name]
        value = self.site.value(position)
        if value is not None and position not in way.positions:
            way = replace(way, positions=way.positions | {position})
            yield from self.expression(self.pattern.wanted[name], value, (name, e.name), way)

    def expression(self, wanted: Expr, e: Expr, bound: tuple[str, str], way: _Way) -> Iterator[_Way]:
        """``bound``: what the two are bound to, in the pattern and in the block."""
        match wanted, e:
            case Var(name=name), _:
                yield from self.variable(name, e, way)
            case Call(op=Op(name=a)), Call(op=Op(name=b)) if a != b:
                if len(way.positions) > 1:
                    self.differs(way, f"{bound[1]} is a {short(b)}, expected a {short(a)}")
            case Call(op=Op(name=a)), Call(op=Op()):
                any_way = False
                fits = not e.ty_args and self.attributes(wanted, e, bound, way)
                orders = (e.args, e.args[::-1]) if a in COMMUTATIVE else (e.args,)
                for args in dict.fromkeys(orders) if fits else ():
                    for each in self.each(wanted.args, args, bound, way):
                        any_way = True
                        yield each
                if not any_way:
                    self.differs(way, f"{bound[1]} has other operands than the contract")
            case Tuple(fields=a), Tuple(fields=b):
                yield from self.each(a, b, bound, way)
            case TupleGetItem(tuple=a, index=i), TupleGetItem(tuple=b, index=j) if i == j:
                yield from self.expression(a, b, bound, way)
            case ShapeExpr(values=a), ShapeExpr(values=b) if len(a) == len(b):
                yield way.paired(*zip(a, b, strict=True))
            case PrimValue(value=a), PrimValue(value=b) if dtypes.is_float(a.dtype):
                if a == b:  # bit for bit: zeros that compare equal are two
                    yield way
            case PrimValue(value=a), PrimValue(value=b) if a.dtype == b.dtype:
                yield way.paired((a, b))
            case ((Constant() | StringValue() | DataTypeValue()), _) if wanted == e:
                yield way

    def each(self, wanted: Sequence[Expr], given: Sequence[Expr], bound: tuple[str, str], way: _Way) -> Iterator[_Way]:
        """Expressions one by one, from the left."""
        if len(wanted) != len(given):
            return
        if not wanted:
            yield way
            return
        for first in self.expression(wanted[0], given[0], bound, way):
            yield from self.each(wanted[1:], given[1:], bound, first)

    def attributes(self, wanted: Call, call: Call, bound: tuple[str, str], way: _Way) -> bool:
        """Equal attributes; an ``out_dtype`` that is left out is the dtype of the result."""
        of, at = bound
        ours, theirs = dict(wanted.attrs), dict(call.attrs)
        if "out_dtype" in ours:
            ours["out_dtype"] = _dtype(ours["out_dtype"], self.pattern.types.get(of))
            theirs["out_dtype"] = _dtype(theirs["out_dtype"], self.site.types.get(at))
        if wanted.op in AXES_OF_FIRST:
            ours = _counted(ours, wanted.op, self.rank(wanted.args[0]))
            theirs = _counted(theirs, call.op, self.rank_here(call.args[0]))
        other = next((key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)), None)
        if other is None:
            return True
        return self.differs(way, f"{at} has another {other} than the contract")

    def rank(self, e: Expr) -> int | None:
        """Of a name of the pattern."""
        types = {**self.pattern.types, **self.pattern.params}
        found = types.get(e.name) if isinstance(e, Var) else None
        return found.ndim if isinstance(found, TensorType) and found.ndim >= 0 else None

    def rank_here(self, e: Expr) -> int | None:
        """Of an argument in the block."""
        found = operand(self.site.checked.module, self.site.types, e)
        return found.ndim if isinstance(found, TensorType) and found.ndim >= 0 else None

    @rule("lo/dispatch-unify")
    def unified(self, position: int, way: _Way) -> Match | None:
        """The contract's symbols as the extents that were found, and the pairs of all other dims."""
        symbols: dict[str, PrimExpr] = {}
        heads: list[tuple[TensorType, TensorType]] = []
        for name, own in self.pattern.params.items():
            type_ = operand(self.site.checked.module, self.site.types, way.found[name])
            if not isinstance(type_, TensorType) or (type_.dtype, type_.ndim) != (own.dtype, own.ndim):
                return None
            heads.append((own, type_))
        result = self.site.types.get(self.site.block.bindings[position].name)
        if not _fits(self.pattern.result, result):
            return None
        assert isinstance(result, TensorType)
        pairs = list(way.pairs)
        for own, type_ in heads:
            for dim, extent in _dims(own, type_):
                if isinstance(dim, SymVar) and symbols.setdefault(dim.name, extent) is extent:
                    continue
                pairs.append((dim, extent))
        by_name = {name: type_ for name, (_, type_) in zip(self.pattern.params, heads, strict=True)}
        for name, condition in self.pattern.conditions:
            pairs += _dims(condition, by_name[name])
        pairs += _dims(self.pattern.result, result)
        compared = [(substitute(dim, symbols), extent) for dim, extent in pairs]
        if any(as_int(a) is not None and as_int(b) is not None and as_int(a) != as_int(b) for a, b in compared):
            return None
        given = {name: way.found[name] for name in self.pattern.params}
        asked = tuple(substitute(each, symbols) for each in as_claims(self.pattern.contract))
        out = map_dims(self.pattern.result, lambda d: substitute(d, symbols))
        return Match(given, set(way.positions), compared, [*by_name.values(), result], asked, out)


def _fits(own: TensorType, found: Type | None) -> bool:
    """A tensor of known extents on no device in particular, of the contract's dtype and rank."""
    return (
        isinstance(found, TensorType)
        and isinstance(found.shape, tuple)
        and found.vdevice is None
        and (own.dtype, own.ndim) == (found.dtype, found.ndim)
    )


def _dims(own: TensorType, found: TensorType) -> list[Pair]:
    assert isinstance(own.shape, tuple) and isinstance(found.shape, tuple)
    return list(zip(own.shape, found.shape, strict=True))


def _dtype(value: AttrValue, result: Type | None) -> AttrValue:
    """What an ``out_dtype``, written or left out, makes of the result."""
    return result.dtype if isinstance(result, TensorType) else value
