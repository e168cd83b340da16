"""Scans, sorts and the first of a sort along an axis: a block for a row or some, whose threads go through it together.

What a loop program computes is taken from its proved origin (``lower/origins``): its loops are sequential for a scan
and quadratic for a sort. Integers are scanned warp by warp, in any order. Floats are summed in the order of the loops,
which permit no other: all threads move a tile of some rows in and out, and one of them goes along each row there. A
sort merges runs of positions; every comparison of two elements is decided, at last by their positions, so there is one
answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Literal as _Lit

from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.forms import ROW_DTYPES, wide
from refrelax.backends.cupy_.groups import mentions, used_outside
from refrelax.backends.cupy_.names import C_TYPES, c_name, c_type, is_float
from refrelax.backends.cupy_.nests import accesses
from refrelax.backends.cupy_.statements import Lines
from refrelax.backends.cupy_.traffic import Touch, When
from refrelax.backends.numpy_.graph_writer import plain
from refrelax.lower.names import Taken
from refrelax.lower.origins.proof import origin_of
from refrelax.lower.origins.text import Origin, hinted
from refrelax.semantics.dims.spell import product
from refrelax.semantics.types.renaming import definable
from refrelax.syntax.graph import (
    Call,
    DataflowBlock,
    Function,
    Op,
    Param,
    SeqExpr,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import Buffer, BufferParam, PrimFunc
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, free_symbols, int_imm, walk
from refrelax.syntax.types import TensorType

THREADS = 256

FEW = 32
"""A scan along another axis than the last takes this form where fewer columns than this lie side by side; else each
column has a thread, and threads next to each other read elements next to each other."""

OPERATORS = frozenset({"relax.sort", "relax.argsort", "relax.topk", "relax.cumsum", "relax.cumprod"})

MOST_STATEMENTS = 3
"""Of what one of them becomes."""

TILE_ROWS, TILE_COLUMNS = 32, 64
"""Of a scan in turn."""

SCANS = {"relax.cumsum": ("Sum", "+", "0"), "relax.cumprod": ("Product", "*", "1")}


@dataclass(frozen=True, slots=True)
class Ordered:
    """``form``: what is computed of ``source`` along an axis of ``count`` elements, in rows over ``outer`` and
    ``inner``; ``positions``: a sort's, instead of its elements; ``keep``: how many of them; ``least``: they begin with
    the least; ``exclusive``: a scan leaves the element itself out."""

    form: _Lit["scan", "scan in turn", "sort"]
    operator: str
    source: Buffer
    out: Buffer
    outer: tuple[PrimExpr, ...]
    count: PrimExpr
    inner: tuple[PrimExpr, ...]
    keep: PrimExpr
    positions: bool = False
    least: bool = True
    exclusive: bool = False

    @property
    def temporaries(self) -> tuple[Buffer, ...]:
        """Positions of rows that do not fit into the block's memory."""
        symbols = {name for b in (self.source, self.out) for dim in b.shape for name in free_symbols(dim)}
        taken, shape = Taken({self.source.name, self.out.name, *symbols}), (*self.outer, *self.inner, self.count)
        names = ("order", "order") if self.form == "sort" else ()
        return tuple(Buffer(taken.fresh(name), shape, "int32") for name in names)


def ordered(func: PrimFunc, origin: Origin) -> Ordered | None:
    """What a loop program of this origin computes, if it is one of these and nothing else."""
    first, *rest = origin.bindings
    buffers = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    match first.value:
        case Call(op=Op(name=name), args=(Var(), *_), attrs=attrs) if len(func.params) == len(buffers) == 2:
            given = {key: plain(each) for key, each in attrs}
        case _:
            return None
    field = 0
    match rest:
        case []:
            pass
        case [last] if isinstance(last.value, TupleGetItem) and last.value.tuple == Var(first.name):
            field = last.value.index
        case _:
            return None
    source, out = buffers
    if len(origin.tensors) != 1 or not source.shape or not out.shape or source.dtype not in C_TYPES:
        return None
    if name in SCANS:
        return _scan(name, given, source, out)
    if name not in ("relax.sort", "relax.argsort", "relax.topk") or given.get("axis") is None:
        return None
    axis = given["axis"] % len(source.shape)
    both = given.get("ret_type", "values" if name == "relax.sort" else "indices")
    positions = both == "indices" or (both == "both" and field == 1)
    least = not given["largest"] if name == "relax.topk" else not given["descending"]
    return Ordered("sort", name, source, out, source.shape[:axis], source.shape[axis], source.shape[axis + 1 :],
                   out.shape[axis], positions, least)  # fmt: skip


def all_ordered(func: PrimFunc, origin: Origin) -> list[Ordered]:
    """The same of each result, where there are the elements of a ``topk`` and their positions."""
    params = [p for p in func.params if isinstance(p, BufferParam)]
    given = origin.bindings[0].value
    if len(params) != 3 or len(origin.bindings) != 1 or not isinstance(given, Call) or given.op != Op("relax.topk"):
        found = ordered(func, origin)
        return [] if found is None else [found]
    (first,), made = origin.bindings, []
    for field, out in enumerate(params[1:]):
        last = VarBinding("field", TupleGetItem(Var(first.name), field))
        block = DataflowBlock((first, last), (last.name,))
        function = replace(origin.function, body=SeqExpr((block,), Var(last.name)))
        found = ordered(replace(func, params=(params[0], out)), replace(origin, function=function))
        made += [] if found is None else [found]
    return made


def ordered_at(func: PrimFunc, origin: Origin, at: int) -> tuple[Ordered, int] | None:
    """The same of some statements of a loop program that was fused from more: those from ``at`` on, and how many they
    are. That they are a sort of an array or the like is proved as it is of whole loop programs."""
    for count in range(1, min(MOST_STATEMENTS, len(func.body) - at) + 1):
        part = _part(func, at, count)
        for binding in origin.bindings if part is not None else ():
            said = _said(origin, binding)
            proved = None if part is None or said is None else origin_of(hinted(part, said))
            found = None if part is None or proved is None else ordered(part, proved)
            if found is not None:
                return found, count
    return None


def _part(func: PrimFunc, at: int, count: int) -> PrimFunc | None:
    """Some statements as a loop program of what they read and what they give, if that is one array each."""
    stmts = func.body[at : at + count]
    found = accesses(stmts)
    stored, read = ({name for name, _ in each} for each in (found.stores, found.loads))
    params = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    inside = stored - used_outside(mentions(func.body), stmts) - {b.name for b in params}
    given, needed = stored - inside, read - stored
    buffers = {b.name: b for b in (*params, *func.root_allocs)}
    if len(given) != 1 or len(needed) != 1 or not stored | needed <= buffers.keys():
        return None
    source, out = buffers[next(iter(needed))], buffers[next(iter(given))]
    symbols = {n.name: n for b in (source, out) for dim in b.shape for n in walk(dim) if isinstance(n, SymVar)}
    return PrimFunc(
        (BufferParam(source), BufferParam(out)), stmts, attrs=(("tirx.noalias", True),), private=True, s_tir=True,
        symbols=tuple(symbols.values()), root_allocs=tuple(b for b in func.root_allocs if b.name in inside),
    )  # fmt: skip


def _said(origin: Origin, last: VarBinding) -> Origin | None:
    """The origin of one binding alone: of a sort or the like, or of a field of one."""
    made = {b.name: b for b in origin.bindings}
    field = last.value.tuple if isinstance(last.value, TupleGetItem) else None
    first = made.get(field.name) if isinstance(field, Var) else last
    types = dict(origin.types)
    match first:
        case VarBinding(value=Call(op=Op(name=name), args=(Var(name=source), *_))) if name in OPERATORS:
            given, result = types.get(source), types.get(last.name)
        case _:
            return None
    if not isinstance(given, TensorType) or not isinstance(result, TensorType):
        return None
    bindings = (first,) if first is last else (first, last)
    body = SeqExpr((DataflowBlock(bindings, (last.name,)),), Var(last.name))
    symbols = tuple(symbol.name for symbol in definable(given))
    function = Function((Param(source, given),), result, body, symbols=symbols)
    known = tuple((name, types[name]) for name in (source, *(b.name for b in bindings)) if name in types)
    return Origin(function, known)


def _scan(name: str, given: dict[str, object], source: Buffer, out: Buffer) -> Ordered | None:
    axis = given["axis"]
    if out.dtype not in ROW_DTYPES:
        return None
    at = axis % len(source.shape) if isinstance(axis, int) else None
    outer = () if at is None else source.shape[:at]
    count = _product(source.shape) if at is None else source.shape[at]
    inner = () if at is None else source.shape[at + 1 :]
    beside = [n for n in map(as_int, inner) if n is not None]
    if len(beside) < len(inner) or prod(beside) >= FEW:
        return None
    form: _Lit["scan", "scan in turn"] = "scan in turn" if is_float(out.dtype) else "scan"
    return Ordered(form, name, source, out, outer, count, inner, count, exclusive=bool(given["exclusive"]))


def _product(dims: tuple[PrimExpr, ...]) -> PrimExpr:
    return product(dims or (int_imm(1),))


@dataclass(slots=True)
class Writing:
    """Writes the kernel of one. What a sort of long rows reads again in every merge is not counted as traffic."""

    found: Ordered
    text: Text

    def write(self, out: Lines) -> None:
        found, text = self.found, self.text
        out.line(f"const idx count = {text.index(found.count)}, inner = {text.index(_product(found.inner))};")
        self.touch(found.source, False)
        self.touch(found.out, True)
        if found.form == "scan in turn":
            self.in_turn(out)
            return
        out.line("const idx outer = (idx)blockIdx.x / inner, beside = (idx)blockIdx.x % inner;")
        out.line("const idx base = outer * count * inner + beside;")
        if found.form == "scan":
            self.scan(out)
        else:
            self.sort(out)

    def touch(self, buffer: Buffer, written: bool, when: When = "always") -> None:
        """Every element of an array, once."""
        used = self.text.used
        used.buffers[buffer.name] = buffer
        used.written |= {buffer.name} if written else set()
        loops = tuple((f"axis{k}", int_imm(0), dim) for k, dim in enumerate(buffer.shape))
        used.touches[buffer.name, written, when] = Touch(
            buffer.name, buffer.dtype, buffer.shape, written, (), loops, None, when=when
        )

    def scan(self, out: Lines) -> None:
        found = self.found
        operator, _, neutral = SCANS[found.operator]
        kind, made = wide(found.out.dtype), c_type(found.out.dtype)
        shift = " - 1" if found.exclusive else ""
        there = "step > 0 && step < count" if found.exclusive else "step < count"
        out.line(f"SHARED({kind}, totals, {THREADS // 32});")
        out.line("const i32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;")
        out.line(f"{kind} carry = {neutral};")
        out.open(f"for (idx start = 0; start < count; start += {THREADS})")
        out.line("const idx step = start + threadIdx.x;")
        out.line(f"{kind} mine = {neutral};")
        item = f"{c_name(found.source.name)}[base + (step{shift}) * inner]"
        out.line(f"if ({there}) mine = widen(cast<{made}>(({c_type(found.source.dtype)}){item}));")
        out.line(f"mine = warp_scan<{operator}>(mine);")
        out.line("if (lane == 31) totals[warp] = mine;")
        out.line("SYNC();")
        out.line(f"{kind} before = carry;")
        out.line(f"for (i32 other = 0; other < warp; ++other) before = {operator}::of(before, ({kind})totals[other]);")
        out.line(f"mine = {operator}::of(before, mine);")
        out.line(f"if (step < count) {c_name(found.out.name)}[base + step * inner] = cast<{made}>(mine);")
        out.line(f"for (i32 other = 0; other < {THREADS // 32}; ++other)")
        out.line(f"  carry = {operator}::of(carry, ({kind})totals[other]);")
        out.line("SYNC();")
        out.close()

    def in_turn(self, out: Lines) -> None:
        """Elements of a row one after the other, where the loops have them."""
        found = self.found
        _, sign, neutral = SCANS[found.operator]
        made, edge = c_type(found.out.dtype), TILE_COLUMNS + 1
        rows = self.text.index(_product((*found.outer, *found.inner)))
        out.line(f"SHARED({made}, tile, {TILE_ROWS * edge});")
        out.line(f"const idx rows = {rows}, first = (idx)blockIdx.x * {TILE_ROWS};")
        out.line(f"{made} carry = cast<{made}>({neutral});")
        out.open(f"for (idx start = 0; start < count; start += {TILE_COLUMNS})")
        item = f"cast<{made}>(({c_type(found.source.dtype)}){c_name(found.source.name)}[place])"
        self.tile(out, f"tile[line * {edge} + column] = {item};")
        out.line("SYNC();")
        out.open(f"if (threadIdx.x < {TILE_ROWS} && first + threadIdx.x < rows)")
        out.open(f"for (i32 column = 0; column < {TILE_COLUMNS} && start + column < count; ++column)")
        out.line(f"const {made} mine = tile[threadIdx.x * {edge} + column], before = carry;")
        out.line(f"carry = carry {sign} mine;")
        out.line(f"tile[threadIdx.x * {edge} + column] = {'before' if found.exclusive else 'carry'};")
        out.close()
        out.close()
        out.line("SYNC();")
        self.tile(out, f"{c_name(found.out.name)}[place] = ({made})tile[line * {edge} + column];")
        out.line("SYNC();")
        out.close()

    def tile(self, out: Lines, line: str) -> None:
        """A line for every element of a tile, side by side for threads that are."""
        out.open(f"for (i32 each = threadIdx.x; each < {TILE_ROWS * TILE_COLUMNS}; each += {THREADS})")
        out.line(f"const i32 line = each / {TILE_COLUMNS}, column = each % {TILE_COLUMNS};")
        out.line("const idx row = first + line, step = start + column;")
        out.open("if (row < rows && step < count)")
        out.line("const idx place = (row / inner * count + step) * inner + row % inner;")
        out.line(line)
        out.close()
        out.close()

    def sort(self, out: Lines) -> None:
        found, least = self.found, str(self.found.least).lower()
        kind, source = c_type(found.source.dtype), c_name(found.source.name)
        one, two = (c_name(b.name) for b in found.temporaries)
        for buffer in found.temporaries:
            self.touch(buffer, True, "spills")
            self.touch(buffer, False, "spills")
        out.line(f"const idx keep = {self.text.index(found.keep)};")
        out.line("const idx place = outer * keep * inner + beside, row = (idx)blockIdx.x * count;")
        out.open("if (fits)")
        out.line("const i64 large = (i64)count * sizeof(i32);")
        out.line("KEPT(i32, near, 0, count);")
        out.line("KEPT(i32, far, (large + 15) / 16 * 16, count);")
        out.line(f"KEPT({kind}, keys, (large + 15) / 16 * 32, count);")
        out.line("for (idx step = threadIdx.x; step < count; step += blockDim.x)")
        out.line(f"  keys[step] = {source}[base + step * inner];")
        out.line("SYNC();")
        out.line(f"const bool turned = sort_row<{kind}, {least}>(keys, 0, 1, near, far, 0, count);")
        self.give(out, "near", "far", "", f"({kind})keys[from]")
        out.close("} else {")
        out.depth += 1
        out.line(f"const bool turned = sort_row<{kind}, {least}>({source}, base, inner, {one}, {two}, row, count);")
        self.give(out, one, two, "row + ", f"({kind}){source}[base + from * inner]")
        out.close()

    def give(self, out: Lines, one: str, two: str, first: str, value: str) -> None:
        """The sorted positions, or the elements there, where they go."""
        kind = c_type(self.found.out.dtype)
        out.open("for (idx step = threadIdx.x; step < keep; step += blockDim.x)")
        out.line("i64 from = 0;")
        out.line(f"if (step < count) from = turned ? (i32){two}[{first}step] : (i32){one}[{first}step];")
        given = f"cast<{kind}>(from)" if self.found.positions else value
        target = f"{c_name(self.found.out.name)}[place + step * inner]"
        out.line(f"if (step < count) {target} = {given}; else {target} = cast<{kind}>(0);")
        out.close()
