"""Scalar expressions as text: precedence, literals that read back exactly, and the spelling that no parser folds.

TVM's own operators fold while they build (``n + 0`` is ``n``), so an expression that would not survive ``a + b`` is
written with the node's constructor, ``T.Add(a, b)``, as TVM's printer does.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from refrelax.syntax import bits, dtypes
from refrelax.syntax.read.building import BuildError, binary
from refrelax.syntax.read.intrinsics import INTRINSICS, PACKED, REGISTERED
from refrelax.syntax.read.signatures import Signature
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    Broadcast,
    BufferLoad,
    BufferRef,
    Cast,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Select,
    Shuffle,
    StringImm,
    SymVar,
    as_int,
    children,
    int_imm,
)
from refrelax.syntax.write.short_forms import short

Piece = tuple[str, int]
"""A rendered expression and how tightly its outermost operator binds."""

ATOM = 15
_SUGAR: dict[str, tuple[str, int]] = {
    "Or": ("or", 3), "And": ("and", 4),
    "LT": ("<", 6), "LE": ("<=", 6), "GT": (">", 6), "GE": (">=", 6), "EQ": ("==", 6), "NE": ("!=", 6),
    "Add": ("+", 11), "Sub": ("-", 11),
    "Mul": ("*", 12), "Div": ("/", 12), "FloorDiv": ("//", 12), "FloorMod": ("%", 12),
}  # fmt: skip
_NOT = 5
_COMPARE = 6
_CALLS = {"Mod": "truncmod", "Min": "min", "Max": "max"}

_WIDENING = ("min", "max")
"""The calls in which TVM's reader makes a bare number as wide as the other operand, as it does beside a sign."""

_PLAIN = Signature("arg0", 0, None)


@dataclass(slots=True)
class Style:
    """How scalars are spelled where they stand.

    ``bare`` is the integer dtype that needs no constructor: int64 at graph level, int32 at loop level. ``cells`` are
    the buffers that are mutable scalars, written as plain names. ``aliases``: how the variables are written that the
    signature defines as strides and offsets, ``A.strides[0]``. ``read``: it is read again, so that what a reader would
    fold is spelled as a call; a statement that is shown is ``4 < 5``.
    """

    bare: str = "int32"
    cells: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    module: str = "Module"
    read: bool = True


GRAPH = Style("int64")
SHOWN = Style("int64", read=False)


def expression(node: PrimExpr, style: Style = GRAPH) -> str:
    """``node`` as text. Works without recursion on nested operators, so depth is no concern."""
    return _fold(node, style)[0]


def _fold(root: PrimExpr, style: Style) -> Piece:
    done: list[Piece] = []
    pending: list[tuple[PrimExpr, bool]] = [(root, False)]
    while pending:
        node, ready = pending.pop()
        below = children(node)
        if below and not ready:
            pending.append((node, True))
            pending.extend((each, False) for each in reversed(below))
            continue
        first = len(done) - len(below)
        pieces = done[first:]
        del done[first:]
        done.append(_render(node, pieces, style))
    return done[0]


def _render(node: PrimExpr, pieces: list[Piece], style: Style) -> Piece:
    texts = [text for text, _ in pieces]
    match node:
        case Binary():
            return _binary(node, pieces, style)
        case Not():
            if isinstance(node.a, Literal):
                return f"T.Not({texts[0]})", ATOM
            return "not " + _enclose(pieces[0], _NOT), _NOT
        case Literal():
            return literal(node, style), ATOM
        case SymVar():
            return style.aliases.get(node.name, node.name), ATOM
        case StringImm():
            return quoted(node.value), ATOM
        case Cast():
            return f"T.Cast({quoted(node.dtype)}, {texts[0]})", ATOM
        case Select():
            return f"T.Select({', '.join(_typed(node, texts, style))})", ATOM
        case Intrinsic(op="if_then_else"):
            return intrinsic(node, _typed(node, texts, style), style), ATOM
        case Intrinsic():
            return intrinsic(node, texts, style), ATOM
        case BufferLoad():
            return _load(node, texts, style), ATOM
        case Ramp():
            return f"T.Ramp({texts[0]}, {texts[1]}, {_lanes(node.lanes)})", ATOM
        case Broadcast():
            return f"T.Broadcast({texts[0]}, {_lanes(node.lanes)})", ATOM
        case Shuffle():
            split = len(node.vectors)
            return f"T.Shuffle([{', '.join(texts[:split])}], [{', '.join(texts[split:])}])", ATOM
        case Let():
            return f"T.Let({texts[1]}, where={{{node.var.name}: {texts[0]}}})", ATOM
        case BufferRef():
            return _reference(node, style), ATOM
        case CommReducer():
            return _reducer(node, texts), ATOM
        case RangeArg():
            return region(node.buffer, node.ranges, style), ATOM


def _lanes(count: int) -> str:
    return str(count) if count > 0 else f"T.vscale() * {-count}" if count < -1 else "T.vscale()"


def _enclose(piece: Piece, least: int) -> str:
    text, binding = piece
    return text if binding >= least else f"({text})"


def _binary(node: Binary, pieces: list[Piece], style: Style) -> Piece:
    folded = style.read and folds(node.op, node.a, node.b)
    whole = dtypes.is_integer(node.a.dtype) or dtypes.kind(node.a.dtype) == "bool"
    if folded or node.op in _CALLS or (node.op == "Div" and whole):
        name = node.op if folded else _CALLS.get(node.op, node.op)
        texts = [text for text, _ in pieces]
        return f"T.{name}({', '.join(texts if name in _WIDENING else _typed(node, texts, style))})", ATOM
    sign, binding = _SUGAR[node.op]
    # a comparison beside a comparison would read as a chain, so both sides are enclosed there
    left = _enclose(pieces[0], binding + 1 if binding == _COMPARE else binding)
    return f"{left} {sign} {_enclose(pieces[1], binding + 1)}", binding


def folds(op: BinaryOp, a: PrimExpr, b: PrimExpr) -> bool:
    """Whether ``a op b`` in a text gives something else than the plain node, because it folds while it is built."""
    try:
        built = binary(op, a, b)
    except BuildError:
        return True
    return not (isinstance(built, Binary) and built.op == op and built.a is a and built.b is b)


def _is(node: PrimExpr, value: int) -> bool:
    return isinstance(node, Literal) and bits.literal_value(node) == value


def add(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a + b`` folded as TVM folds it, for the upper ends of ranges and slices."""
    if _is(a, 0):
        return b
    if _is(b, 0):
        return a
    left, right = as_int(a), as_int(b)
    if left is not None and right is not None:
        return int_imm(left + right, a.dtype)
    return Binary("Add", a, b)


# --- leaves ----------------------------------------------------------------------------------------------------------

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f-\xa0\xad\u2028\u2029\ud800-\udfff]')


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


def quoted(text: str) -> str:
    """A string literal on one line, in double quotes."""
    return '"' + _UNSAFE.sub(_escaped, text) + '"'


def real(value: float) -> str:
    """A finite float so that it reads back exactly, or ``"nan"``, ``"inf"``, ``"-inf"`` in quotes."""
    if math.isnan(value):
        return '"nan"'
    if math.isinf(value):
        return '"inf"' if value > 0 else '"-inf"'
    return f"{value:.1f}" if value == int(value) else f"{value:.17g}"


def number(dtype: str, pattern: int) -> str:
    """The number that ``pattern`` stands for in ``dtype``, as a Python literal (a string for NaN and infinities)."""
    value = bits.decode(dtype, pattern)
    match dtypes.kind(dtype):
        case "bool":
            return "True" if value else "False"
        case "float":
            return real(float(value))
        case _:
            return str(value)


def dtype_name(dtype: str) -> str:
    """A dtype as an annotation: ``T.float32``, ``T.handle("float32", "global")``."""
    found = dtypes.pointee(dtype)
    return f"T.{dtype}" if found is None else f"T.handle({quoted(found[0])}, {quoted(found[1])})"


def declared(dtype: str) -> str:
    """A new variable of a dtype: ``T.int32()``."""
    name = dtype_name(dtype)
    return name if name.endswith(")") else f"{name}()"


def _typed(node: Binary | Select | Intrinsic, texts: list[str], style: Style) -> list[str]:
    """The operands of a call, numbers with their dtype: TVM's reader takes a bare one for an int32."""
    if style.bare == "int32":
        return texts
    operands = zip(children(node), texts, strict=True)
    return [f"T.{a.dtype}({t})" if isinstance(a, Literal) and a.dtype == style.bare else t for a, t in operands]


def dtype_value(dtype: str) -> str:
    """A dtype among arguments: ``"float32"``, ``T.handle("float32", "global").ty``."""
    return f"{declared(dtype)}.ty" if dtypes.kind(dtype) == "handle" else quoted(dtype)


def literal(node: Literal, style: Style) -> str:
    """A literal with its dtype, where the place does not give it."""
    text = number(node.dtype, node.bits)
    if node.dtype == style.bare or (node.dtype == "bool" and style.bare == "int64"):
        return text
    return f"T.{node.dtype}({text})"


# --- calls and memory ------------------------------------------------------------------------------------------------


def intrinsic(node: Intrinsic, args: Sequence[str], style: Style) -> str:
    """A call of an intrinsic or of a function of the module (``cls.name``)."""
    parts = list(args)
    registered = _registered(node)
    if registered is not None and node.attrs:
        attrs = ", ".join(f"{quoted(key)}: {_keyword(value, style)}" for key, value in node.attrs)
        listed = ", ".join(parts)
        return f"T.Call({quoted(registered)}, [{listed}], attrs={{{attrs}}}, ret_ty={dtype_value(node.dtype)})"
    if registered is not None:
        return f"T.call_intrin({', '.join([dtype_value(node.dtype), quoted(registered), *parts])})"
    match INTRINSICS.get(node.op, _PLAIN).dtype_at:
        case "first":
            parts.insert(0, dtype_value(node.dtype))
        case "last":
            parts.append(dtype_value(node.dtype))
    parts += [f"{key}={_keyword(value, style)}" for key, value in node.attrs]
    if node.op.startswith("cls."):
        return f"{style.module}.{node.op[4:]}({', '.join(parts)})"
    return f"T.{node.op}({', '.join(parts)})"


def _registered(node: Intrinsic) -> str | None:
    """The registered name, where ``T.<op>(…)`` does not say all (``short``) or TVM's parser does not take it."""
    if node.op == "if_then_else" and dtypes.kind(node.dtype) == "handle":
        return "prim.if_then_else"
    if node.op in PACKED and node.dtype != "int32":
        return f"tirx.tvm_{node.op}"
    return REGISTERED.get(node.op, None if short(node) else f"tirx.{node.op}")


def _keyword(value: object, style: Style) -> str:
    match value:
        case None | bool() | int():
            return str(value)
        case float():
            return real(value)
        case str():
            return quoted(value)
        case tuple():
            return "[" + ", ".join(_keyword(each, style) for each in value) + "]"
        case _:
            return expression(value, style)  # type: ignore[arg-type]


def indices(nodes: Sequence[PrimExpr], style: Style) -> str:
    """What stands between the brackets of a store: a ramp of constant stride is a slice, no index at all is ``()``.

    In a load a ramp stays ``T.Ramp(…)``: TVM takes a slice there for a region, and regions for no operands.
    """
    return ", ".join(_index(each, style) for each in nodes) or "()"


def _index(node: PrimExpr, style: Style) -> str:
    if isinstance(node, Ramp) and node.lanes > 0 and (stride := as_int(node.stride) or 0) > 0:
        stop = add(node.base, int_imm(node.lanes * stride, node.base.dtype))
        step = "" if stride == 1 else f":{expression(node.stride, style)}"
        return f"{expression(node.base, style)}:{expression(stop, style)}{step}"
    return expression(node, style)


def _load(node: BufferLoad, texts: list[str], style: Style) -> str:
    name = node.buffer
    if node.predicate is not None:
        base = f"{name}.source" if name in style.cells else name
        return f"{base}.vload([{', '.join(texts[:-1])}], predicate={texts[-1]})"
    if name in style.cells and all(_is(each, 0) for each in node.indices):
        return name
    return f"{name}[{', '.join(texts) or '()'}]"


def region(buffer: str, ranges: Sequence[tuple[PrimExpr, PrimExpr]], style: Style) -> str:
    """``A[vi, 0:4]``: an axis of extent 1 is its index."""
    parts = []
    for low, extent in ranges:
        start = expression(low, style)
        parts.append(start if as_int(extent) == 1 else f"{start}:{expression(add(low, extent), style)}")
    name = f"{buffer}.source" if buffer in style.cells else buffer
    return f"{name}[{', '.join(parts) or '()'}]"


def _reference(node: BufferRef, style: Style) -> str:
    base = f"{node.buffer}.source" if node.buffer in style.cells else node.buffer
    return f"{base}.{node.part}" if node.part else base


def _reducer(node: CommReducer, texts: list[str]) -> str:
    names = ", ".join(each.name for each in (*node.lhs, *node.rhs))
    results, identity = texts[: len(node.result)], texts[len(node.result) :]
    body = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return f"T.comm_reducer(lambda {names}: {body}, [{', '.join(identity)}])"
