"""Scalar expressions as Python source, over Python integers or over whole index grids at once.

``Text`` writes one expression. ``axes`` names the loop variables that are grids (arrays) instead of integers, in the
order of the grid's dimensions; with none, everything is a scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.backends.errors import Unsupported
from refrelax.backends.intervals import leaves_int64, may_wrap
from refrelax.backends.numpy_.guests import WIDER
from refrelax.backends.numpy_.names import local
from refrelax.errors import UsageError
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import Facts, equal, substitute
from refrelax.semantics.intrinsics.foreign import LLVM_CALLS, spelled
from refrelax.semantics.numbers.interface import MATH, MATH2
from refrelax.syntax import bits, dtypes
from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    literal_int,
    walk,
)


def held(dtype: str) -> None:
    """Refuse a dtype that NumPy does not hold.

    Raises:
        Unsupported: it does not.
    """
    try:
        numpy_dtype(dtype)
    except UsageError as error:
        raise Unsupported(f"tensors of {dtype} ({error})") from None


def own(dtype: str) -> None:
    """Refuse arithmetic in a dtype in which NumPy does not calculate as the language does.

    Raises:
        Unsupported: it does not.
    """
    if dtype in WIDER:
        raise Unsupported(f"arithmetic of {dtype}")


def dtype_text(dtype: str) -> str:
    """A dtype in generated source: ``np.float32``, or what ``rt`` has for formats that NumPy lacks."""
    if dtype == "bool":
        return "np.bool_"
    if dtypes.lanes(dtype) != 1:
        raise Unsupported(f"the vector dtype {dtype}")
    plain = dtypes.kind(dtype) in ("int", "uint") and dtypes.bits(dtype) in (8, 16, 32, 64)
    held(dtype)
    return f"np.{dtype}" if plain or dtype in ("float16", "float32", "float64") else f"rt.dtype({dtype!r})"


def scalar_text(dtype: str, text: str) -> str:
    """A number, or an array of them, at a dtype, in generated source."""
    kind = dtype_text(dtype)
    return f"{kind}({text})" if kind.startswith("np.") else f"rt.of_dtype({text}, {kind})"


def number_text(node: Literal) -> str:
    """A literal as a NumPy scalar of its dtype."""
    if dtypes.kind(node.dtype) == "float":
        value = bits.decode(node.dtype, node.bits)
        text = repr(value) if abs(value) < float("inf") else f"float({str(value)!r})"
        kind = dtype_text(node.dtype)
        return f"{kind}({text})" if kind.startswith("np.") else f"rt.number({node.dtype!r}, {node.bits})"
    if node.dtype == "bool":
        return str(bool(node.bits))
    return scalar_text(node.dtype, str(literal_int(node)))


@dataclass(slots=True)
class Text:
    """Writes expressions in one place of the source.

    ``extents``: the domain ``(min, extent)`` of every loop variable in scope; ``lets``: index variables with a value
    of their
    own text; ``elements``: variables that hold elements; ``grids``: the grid variables used so far, to be defined
    first.
    """

    buffers: Mapping[str, Buffer]
    facts: Facts
    axes: Sequence[str] = ()
    extents: dict[str, tuple[PrimExpr, PrimExpr]] = field(default_factory=dict)
    aliases: dict[str, PrimExpr] = field(default_factory=dict)
    elements: set[str] = field(default_factory=set)
    grids: set[str] = field(default_factory=set)
    fast: bool = False

    # --- index level: Python integers, or integer grids ---------------------------------------------------------------

    def resolve(self, expr: PrimExpr) -> PrimExpr:
        """A block variable as the loop variable or expression that it is bound to."""
        while isinstance(expr, SymVar) and expr.name in self.aliases:
            expr = self.aliases[expr.name]
        return expr

    def on_grid(self, expr: PrimExpr) -> bool:
        """Whether the value of an index expression differs between grid points (or it reads memory)."""
        for node in walk(expr):
            if isinstance(node, BufferLoad) and self.axes:
                return True
            if isinstance(node, SymVar):
                meaning = self.resolve(node)
                if isinstance(meaning, SymVar):
                    if meaning.name in self.axes:
                        return True
                elif self.on_grid(meaning):
                    return True
        return False

    def is_index(self, expr: PrimExpr) -> bool:
        """Integers and bools over loop variables and symbols only."""
        for node in walk(expr):
            if isinstance(node, SymVar) and node.name in self.elements:
                return False
            if isinstance(node, BufferLoad | Let) or dtypes.kind(node.dtype) in ("float", "handle"):
                return False
            if isinstance(node, Intrinsic) and node.op not in ("if_then_else", "likely"):
                return False
        return True

    def is_exact(self, expr: PrimExpr) -> bool:
        """Whether an element is what it is as an index: made of indices, and nowhere does it wrap."""
        if not self.is_index(expr):
            return False
        return not may_wrap(substitute(expr, self.aliases), self.extents)

    def index(self, expr: PrimExpr) -> str:
        """An integer or bool expression in index position."""
        expr = self.resolve(expr)
        match expr:
            case Literal():
                return str(bool(expr.bits)) if expr.dtype == "bool" else str(literal_int(expr))
            case SymVar():
                if expr.name in self.axes:
                    self.grids.add(expr.name)
                return local(expr.name)
            case Binary() if self.is_index(expr) or dtypes.kind(expr.a.dtype) in ("int", "uint", "bool"):
                return self._index_binary(expr)
            case Not():
                return (
                    f"np.logical_not({self.index(expr.a)})" if self.on_grid(expr.a) else f"(not {self.index(expr.a)})"
                )
            case Cast() if dtypes.kind(expr.dtype) != "float" and dtypes.kind(expr.value.dtype) != "float":
                return self._index_cast(expr)
            case Select():
                return self._choice(expr.condition, self.index(expr.true_value), self.index(expr.false_value), expr)
            case Intrinsic(op="if_then_else", args=(c, a, b)):
                return self._choice(c, self.index(a), self.index(b), expr)
            case Intrinsic(op="likely"):
                return self.index(expr.args[0])
            case _:
                text = self.element(expr)
                return text if self.axes else f"int({text})" if dtypes.kind(expr.dtype) != "bool" else f"bool({text})"

    def _index_cast(self, expr: Cast) -> str:
        text, grid = self.index(expr.value), self.on_grid(expr.value)
        if expr.dtype == expr.value.dtype:
            return text
        if expr.dtype == "bool":
            return f"({text} != 0)"
        if expr.value.dtype == "bool":
            return f"rt.cast({text}, np.int64)" if grid else f"int({text})"
        width = dtypes.bits(expr.dtype)
        if dtypes.holds(expr.dtype, expr.value.dtype) or (grid and width == 64):  # grids are of int64
            return text
        return f"rt.wrapped({text}, {dtypes.integer_range(expr.dtype)[0]}, {width})"

    def _choice(self, condition: PrimExpr, a: str, b: str, whole: PrimExpr) -> str:
        if self.on_grid(whole):
            return f"np.where({self.index(condition)}, {a}, {b})"
        return f"({a} if {self.index(condition)} else {b})"

    def _index_binary(self, expr: Binary) -> str:
        a, b, grid = self.index(expr.a), self.index(expr.b), self.on_grid(expr)
        match expr.op:
            case "Min" | "Max":
                name = expr.op.lower()
                return f"np.{name}imum({a}, {b})" if grid else f"{name}({a}, {b})"
            case "And" | "Or":
                word = expr.op.lower()
                return f"np.logical_{word}({a}, {b})" if grid else f"({a} {word} {b})"
            case "Div" | "Mod":
                name = "quotient" if expr.op == "Div" else "remainder"
                return f"rt.grid_{name}({a}, {b})" if grid else f"rt.{name}({a}, {b})"
            case "FloorDiv" | "FloorMod" if grid and as_int(self.resolve(expr.b)) in (None, 0):
                return f"rt.floor{expr.op[5:].lower()}({a}, {b})"
            case _:
                return f"({a} {SYMBOLS[expr.op]} {b})"

    # --- element level: NumPy scalars or arrays -----------------------------------------------------------------------

    def element(self, expr: PrimExpr) -> str:
        """A scalar expression as an element (or an array of elements, one per grid point)."""
        match expr:
            case Literal():
                return number_text(expr)
            case SymVar():
                return self._variable(expr)
            case Binary():
                return self._binary(expr)
            case Not():
                return f"np.logical_not({self.element(expr.a)})"
            case Cast():
                return self._cast(expr)
            case Select():
                return self._where(expr.condition, expr.true_value, expr.false_value)
            case BufferLoad():
                return self.load(expr)
            case Let():
                return self.element(substitute(expr.body, {expr.var.name: expr.value}))
            case Intrinsic():
                return self._intrinsic(expr)
            case _:
                raise Unsupported(f"the expression {type(expr).__name__}")

    def _variable(self, expr: SymVar) -> str:
        if expr.name in self.elements:
            return local(expr.name)
        return scalar_text(expr.dtype, self.index(expr))

    def condition(self, expr: PrimExpr) -> str:
        """A condition: index level if it can be."""
        exact = self.is_index(expr) and not leaves_int64(substitute(expr, self.aliases), self.extents)
        return self.index(expr) if exact else self.element(expr)

    def _where(self, condition: PrimExpr, a: PrimExpr, b: PrimExpr) -> str:
        if self.axes:
            return f"np.where({self.condition(condition)}, {self.element(a)}, {self.element(b)})"
        return f"({self.element(a)} if {self.condition(condition)} else {self.element(b)})"

    def _binary(self, expr: Binary) -> str:
        if dtypes.kind(expr.dtype) == "bool" and self.is_exact(expr):
            return self.index(expr)
        if expr.op in ("And", "Or"):
            return f"np.logical_{expr.op.lower()}({self.element(expr.a)}, {self.element(expr.b)})"
        own(expr.a.dtype)
        a, b = self.element(expr.a), self.element(expr.b)
        integer = dtypes.kind(expr.a.dtype) != "float"
        match expr.op:
            case "Min" | "Max":
                module = "np" if self.fast or integer else "rt"
                return f"{module}.{expr.op.lower()}imum({a}, {b})"
            case "Sub" if expr.a.dtype == "bool":
                return f"np.logical_xor({a}, {b})"
            case "Div":
                return f"rt.truncated_divide({a}, {b})" if integer else f"({a} / {b})"
            case "Mod":
                return f"rt.truncated_remainder({a}, {b})"
            case "FloorDiv":
                return f"rt.floor_divide({a}, {b})"
            case "FloorMod":
                return f"rt.floor_modulo({a}, {b})"
            case _:
                return f"({a} {SYMBOLS[expr.op]} {b})"

    def _cast(self, expr: Cast) -> str:
        if self.is_exact(expr.value) and dtypes.kind(expr.dtype) != "float":
            return scalar_text(expr.dtype, self.index(expr))
        return f"rt.cast({self.element(expr.value)}, {dtype_text(expr.dtype)})"

    def _intrinsic(self, expr: Intrinsic) -> str:
        match expr.op:
            case "if_then_else":
                return self._where(*expr.args)
            case "likely":
                return self.element(expr.args[0])
            case "undef":
                return scalar_text(expr.dtype, "0")
            case "fma":
                return f"rt.fma({', '.join(self.element(a) for a in expr.args)})"
            case op if op in FUNCTIONS:
                own(expr.args[0].dtype)
                write = FUNCTIONS[op]
                return write([self.element(a) for a in expr.args], self.fast and expr.dtype in ("float32", "float64"))
            case op if op in LLVM_CALLS and (plain := spelled(expr)) is not None:
                return self._intrinsic(plain)
            case op:
                raise Unsupported(f"the intrinsic T.{op}")

    # --- memory -------------------------------------------------------------------------------------------------------

    def load(self, expr: BufferLoad) -> str:
        """``A[i, j]``: slices where indices are grid variables, a gather with clamped indices otherwise."""
        buffer = self.buffers[expr.buffer]
        name = local(expr.buffer)
        if buffer.scalar:
            return f"{name}[0]"
        parts = [self._subscript(i, dim) for i, dim in zip(expr.indices, buffer.shape, strict=True)]
        axes = [axis for part in parts if part is not None and (axis := part[1]) is not None]
        if any(part is None for part in parts) or len(set(axes)) != len(axes):
            grids = ", ".join(self.index(i) for i in expr.indices)
            return f"rt.gather({name}, {grids})"
        found = [part[0] for part in parts if part is not None]
        moved = [str(k) for k, each in enumerate(found) if each.startswith("rt.clamp(") and not as_int(buffer.shape[k])]
        name = f"rt.some({name}, {', '.join(moved)})" if moved else name
        return self._aligned(f"{name}[{', '.join(found) or '()'}]", axes)

    def _subscript(self, index: PrimExpr, dim: PrimExpr) -> tuple[str, int | None] | None:
        """One index as a subscript and the grid axis it runs over; ``None`` if only a gather will do."""
        index = self.resolve(index)
        if isinstance(index, SymVar) and index.name in self.axes:
            low, extent = self.extents[index.name]
            if as_int(low) == 0 and equal(extent, dim, self.facts) is True:
                return ":", list(self.axes).index(index.name)
            return None
        if self.on_grid(index):
            return None
        return (
            self.index(index) if self.inside(index, dim) else f"rt.clamp({self.index(index)}, {self.index(dim)})"
        ), None

    def inside(self, index: PrimExpr, dim: PrimExpr) -> bool:
        """Whether a scalar index is in range for sure: a loop over the whole dimension, or a constant below it."""
        if isinstance(index, SymVar) and index.name in self.extents:
            low, extent = self.extents[index.name]
            return as_int(low) == 0 and equal(extent, dim, self.facts) is True
        k, n = as_int(index), as_int(dim)
        return k is not None and n is not None and 0 <= k < n

    def _aligned(self, text: str, axes: list[int]) -> str:
        """A slice whose dimensions run over ``axes``, transposed and padded to the dimensions of the grid."""
        order = sorted(axes)
        if axes != order:
            text = f"{text}.transpose({', '.join(str(axes.index(a)) for a in order)})"
        if not order or len(self.axes) == len(order):
            return text
        first = order[0]
        marks = [":" if a in order else "None" for a in range(first, len(self.axes))]
        return text if "None" not in marks else f"{text}[{', '.join(marks)}]"

    def grid_definitions(self) -> list[str]:
        """One line per grid variable that was used as a number."""
        lines = []
        for axis, name in enumerate(self.axes):
            if name in self.grids:
                low, extent = self.extents[name]
                inner = Text(self.buffers, self.facts, (), self.extents, self.aliases, self.elements)
                lines.append(
                    f"{local(name)} = rt.axis({inner.index(low)}, {inner.index(extent)}, {axis}, {len(self.axes)})"
                )
        return lines


SYMBOLS = {
    "Add": "+", "Sub": "-", "Mul": "*", "FloorDiv": "//", "FloorMod": "%",
    "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=",
}  # fmt: skip

NUMPY_NAMES = {"exp": "exp", "log": "log", "sqrt": "sqrt", "tanh": "tanh", "sin": "sin", "cos": "cos"}


def _elementary(name: str) -> Callable[[list[str], bool], str]:
    def write(args: list[str], fast: bool) -> str:
        if fast and name in NUMPY_NAMES:
            return f"np.{NUMPY_NAMES[name]}({args[0]})"
        return f"rt.elementary({name!r}, {args[0]})"

    return write


def _operator(form: str) -> Callable[[list[str], bool], str]:
    return lambda args, _fast: form.format(*args)


FUNCTIONS: dict[str, Callable[[list[str], bool], str]] = {
    **{name: _elementary(name) for name in (*MATH, "fabs", "nearbyint")},
    **{name: _operator(f"rt.binary({name!r}, {{0}}, {{1}})") for name in MATH2},
    "bitwise_and": _operator("({0} & {1})"),
    "bitwise_or": _operator("({0} | {1})"),
    "bitwise_xor": _operator("({0} ^ {1})"),
    "bitwise_not": _operator("(~{0})"),
    "shift_left": _operator("({0} << {1})"),
    "shift_right": _operator("({0} >> {1})"),
    "isnan": _operator("np.isnan({0})"),
    "isinf": _operator("np.isinf({0})"),
    "isfinite": _operator("np.isfinite({0})"),
    "popcount": _operator("rt.popcount({0})"),
    "clz": _operator("rt.clz({0})"),
}  # fmt: skip
