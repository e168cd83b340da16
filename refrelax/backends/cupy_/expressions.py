"""Scalar expressions as CUDA C++ text.

Indices are arithmetic in ``idx``, of 32 bits where that is seen to do for the sizes of a launch, else of 64; elements
are computed in their dtype, one rounding a step. Every index into memory is moved into range (``at``) unless ``Bounds``
proves that it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from refrelax.backends.cupy_.bounds import Bounds
from refrelax.backends.cupy_.names import c_name, c_type, is_float
from refrelax.backends.cupy_.traffic import Touch, When
from refrelax.backends.errors import Unsupported
from refrelax.backends.intervals import leaves_int64, may_wrap
from refrelax.semantics.dims import substitute
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

Domains = tuple[tuple[str, PrimExpr, PrimExpr], ...]


@dataclass(slots=True)
class Used:
    """What the text of one kernel mentions: its parameters."""

    buffers: dict[str, Buffer] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    symbols: dict[str, str] = field(default_factory=dict)
    reports: bool = False
    indices: dict[tuple[PrimExpr, Domains], None] = field(default_factory=dict)
    touches: dict[tuple[object, ...], Touch] = field(default_factory=dict)
    phase: int = 0
    when: When = "always"
    repeats: tuple[PrimExpr, ...] = ()
    columns: frozenset[str] = frozenset()


@dataclass(slots=True)
class Text:
    """Writes expressions at one place of a kernel.

    ``aliases``: block variables and index lets as expressions over loop variables and symbols; ``local``: names that
    are C++ variables at this place (the rest are symbols, which become parameters); ``elements``: those of them that
    hold elements; ``private``: buffers of the thread's own;
    ``registers``: buffers whose one element of interest is a variable; ``kept``: loads that are one already;
    ``stored``: buffers that the kernel writes.
    """

    buffers: dict[str, Buffer]
    bounds: Bounds
    exact: bool
    used: Used
    aliases: dict[str, PrimExpr] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)
    elements: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    registers: dict[str, str] = field(default_factory=dict)
    kept: dict[tuple[str, tuple[PrimExpr, ...]], str] = field(default_factory=dict)
    stored: frozenset[str] = frozenset()

    def scope(self) -> Text:
        """The same kernel, with names of its own."""
        return Text(
            dict(self.buffers), self.bounds.scope(), self.exact, self.used, dict(self.aliases), set(self.local),
            set(self.elements), set(self.private), dict(self.registers), dict(self.kept), self.stored,
        )  # fmt: skip

    def resolve(self, expr: PrimExpr) -> PrimExpr:
        """Over loop variables and symbols only."""
        return substitute(expr, self.aliases)

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
        return self.is_index(expr) and not may_wrap(self.resolve(expr), self.bounds.domains)

    # --- indices: idx -------------------------------------------------------------------------------------------------

    def index(self, expr: PrimExpr) -> str:
        """An integer or bool expression in index position."""
        resolved = self.resolve(expr)
        if not isinstance(resolved, Literal | SymVar):
            domains = tuple((name, low, extent) for name, (low, extent) in self.bounds.domains.items())
            self.used.indices[resolved, domains] = None
        return self._index(resolved)

    def _index(self, expr: PrimExpr) -> str:
        match expr:
            case Literal():
                return _bool(expr) if expr.dtype == "bool" else str(literal_int(expr))
            case SymVar() if expr.name not in self.elements:
                return self._variable(expr)
            case Binary() if not is_float(expr.a.dtype):
                return self._index_binary(expr)
            case Not():
                return f"!{self._index(expr.a)}"
            case Cast() if dtypes.kind(expr.dtype) in ("int", "uint") and self.is_index(expr.value):
                inner = self._index(expr.value)
                return inner if dtypes.holds(expr.dtype, expr.value.dtype) else f"(i64)({c_type(expr.dtype)}){inner}"
            case Select():
                return self._choice(expr.condition, expr.true_value, expr.false_value, self._index)
            case Intrinsic(op="if_then_else", args=(c, a, b)):
                return self._choice(c, a, b, self._index)
            case Intrinsic(op="likely", args=(a,)):
                return self._index(a)
            case _:
                text = self.element(expr)
                return text if expr.dtype == "bool" else f"(i64){text}"

    def _variable(self, expr: SymVar) -> str:
        if expr.name not in self.local:
            self.used.symbols[expr.name] = expr.dtype
        return c_name(expr.name)

    def _index_binary(self, expr: Binary) -> str:
        a, b, kind = self._index(expr.a), self._index(expr.b), self._width(expr)
        match expr.op:
            case "Min":
                return f"minimum(({kind}){a}, ({kind}){b})"
            case "Max":
                return f"maximum(({kind}){a}, ({kind}){b})"
            case "Div" | "Mod" | "FloorDiv" | "FloorMod":
                return self._index_quotient(expr, a, b)
            case _:
                return f"({a} {SYMBOLS[expr.op]} {b})"

    def _index_quotient(self, expr: Binary, a: str, b: str) -> str:
        """``/`` and ``%`` of C++ where the divisor is a positive constant and the dividend is never negative."""
        divisor = as_int(expr.b)
        if divisor is not None and divisor > 0 and self.bounds.never_negative(expr.a):
            return f"({a} {'/' if expr.op in ('Div', 'FloorDiv') else '%'} {b})"
        return f"{QUOTIENTS[expr.op]}(({self._width(expr)}){a}, ({self._width(expr)}){b})"

    def _width(self, expr: PrimExpr) -> str:
        """What an index is computed in: what comes from memory may be anything."""
        return "idx" if self.is_index(expr) else "i64"

    def _choice(self, condition: PrimExpr, a: PrimExpr, b: PrimExpr, write: Callable[[PrimExpr], str]) -> str:
        """``c ? a : b``, each arm written under what the condition says."""
        test = self.condition(condition)
        with self.bounds.knowing(self.resolve(condition)):
            first = write(a)
        with self.bounds.knowing(Not(self.resolve(condition))):
            second = write(b)
        return f"({test} ? {first} : {second})"

    # --- elements -----------------------------------------------------------------------------------------------------

    def condition(self, expr: PrimExpr) -> str:
        """A condition: index level if it can be."""
        exact = self.is_index(expr) and not leaves_int64(self.resolve(expr), self.bounds.domains)
        return self.index(expr) if exact else self.element(expr)

    def element(self, expr: PrimExpr) -> str:
        """An expression in its own dtype."""
        match expr:
            case Literal():
                return literal(expr)
            case SymVar():
                return self._element_variable(expr)
            case Binary():
                return self._binary(expr)
            case Not():
                return f"!{self.element(expr.a)}"
            case Cast():
                return self._cast(expr)
            case Select():
                return self._choice(expr.condition, expr.true_value, expr.false_value, self.element)
            case BufferLoad():
                return self.load(expr)
            case Let():
                return self._let(expr)
            case Intrinsic():
                return self._intrinsic(expr)
            case _:
                raise Unsupported(f"the expression {type(expr).__name__} in a CUDA kernel")

    def _element_variable(self, expr: SymVar) -> str:
        if expr.name in self.elements:
            return self._variable(expr)
        text = self.index(expr)
        return text if expr.dtype == "bool" else f"({c_type(expr.dtype)})({text})"

    def _binary(self, expr: Binary) -> str:
        if expr.dtype == "bool" and self.is_exact(expr):
            return self.index(expr)
        if expr.op in ("And", "Or"):
            return f"({self.element(expr.a)} {SYMBOLS[expr.op]} {self.element(expr.b)})"
        a, b = self.element(expr.a), self.element(expr.b)
        c_type(expr.a.dtype)
        if expr.op in ("Min", "Max"):
            return f"{expr.op.lower()}imum({a}, {b})"
        if is_float(expr.a.dtype):
            return f"{FLOAT_QUOTIENTS[expr.op]}({a}, {b})" if expr.op in FLOAT_QUOTIENTS else self._infix(expr.op, a, b)
        if expr.op in QUOTIENTS:
            if as_int(expr.b) in (None, 0):
                b = f"nonzero({b}, {self.status()})"
            return f"{QUOTIENTS[expr.op]}({a}, {b})"
        if expr.op in ("Add", "Sub", "Mul") and expr.dtype != "bool":
            return f"{expr.op.lower()}({a}, {b})"
        return self._infix(expr.op, a, b)

    def _infix(self, op: str, a: str, b: str) -> str:
        return f"({a} {SYMBOLS[op]} {b})"

    def status(self) -> str:
        self.used.reports = True
        return "status"

    def _cast(self, expr: Cast) -> str:
        if expr.dtype == expr.value.dtype:
            return self.element(expr.value)
        if self.is_exact(expr.value) and expr.value.dtype != "bool":
            return f"cast<{c_type(expr.dtype)}>((i64){self.index(expr.value)})"
        return f"cast<{c_type(expr.dtype)}>({self.element(expr.value)})"

    def _let(self, expr: Let) -> str:
        value = self.element(expr.value)
        inner = self.scope()
        inner.local.add(expr.var.name)
        inner.elements.add(expr.var.name)
        kind = c_type(expr.var.dtype)
        return f"[&] {{ const {kind} {c_name(expr.var.name)} = {value}; return {inner.element(expr.body)}; }}()"

    def _intrinsic(self, expr: Intrinsic) -> str:
        match expr.op, expr.args:
            case "if_then_else", (c, a, b):
                return self._choice(c, a, b, self.element)
            case "likely", (a,):
                return self.element(a)
            case "undef", _:
                return f"cast<{c_type(expr.dtype)}>(0)"
            case op, args:
                given = [self.element(a) for a in args]
                for each in args:
                    c_type(each.dtype)
                return function(op, is_float(args[0].dtype) if args else False, given, self)

    # --- memory -------------------------------------------------------------------------------------------------------

    def load(self, expr: BufferLoad) -> str:
        """``A[…]``, every index moved into range unless it is proved to be there; nothing is read where no index is."""
        if expr.predicate is not None:
            raise Unsupported("a predicated load in a CUDA kernel")
        if expr.buffer in self.registers:
            return self.registers[expr.buffer]
        if self.kept and (known := self.kept.get((expr.buffer, tuple(map(self.resolve, expr.indices))))) is not None:
            return known
        buffer = self.buffers[expr.buffer]
        if expr.buffer not in self.private:
            self.used.buffers[expr.buffer] = buffer
            self.touch(buffer, expr.indices, written=False)
        kind, text = c_type(buffer.dtype), f"{c_name(expr.buffer)}[{self.offset(buffer, expr.indices)}]"
        if some := self.some(buffer, expr.indices):
            return f"({some} ? ({kind}){text} : {kind}())"
        # memory that is also written is not a plain array under emulation: its elements are read by a conversion
        return f"({kind}){text}" if expr.buffer in self.stored else text

    def touch(self, buffer: Buffer, indices: tuple[PrimExpr, ...], written: bool) -> None:
        """Note that this place reads or writes memory."""
        used, domains = self.used, self.bounds.domains
        resolved = tuple(map(self.resolve, indices))
        names = {n.name for each in resolved for n in walk(each) if isinstance(n, SymVar)}
        along = None if names & (self.local - domains.keys()) else frozenset(names & domains.keys())
        loops = tuple((name, low, extent) for name, (low, extent) in domains.items())
        shape = tuple(map(self.resolve, buffer.shape))
        used.touches[buffer.name, written, resolved, used.phase, used.when] = Touch(
            buffer.name, buffer.dtype, shape, written, resolved, loops, along, used.phase, used.when, used.repeats,
            used.columns,
        )  # fmt: skip

    def offset(self, buffer: Buffer, indices: tuple[PrimExpr, ...]) -> str:
        """The row-major offset of an element, its indices moved into range."""
        if buffer.scalar or not buffer.shape:
            return "0"
        parts = []
        for index, dim in zip(indices, buffer.shape, strict=True):
            proved = self.inside(index, dim, buffer)
            parts.append(self.index(index) if proved else f"at({self.index(index)}, {self.index(dim)})")
        return self.row_major(buffer, parts)

    def some(self, buffer: Buffer, indices: tuple[PrimExpr, ...]) -> str:
        """Whether there is an element where indices are moved into range, as text; none where that is known."""
        pairs = () if buffer.scalar else zip(indices, buffer.shape, strict=True)
        empty = (dim for index, dim in pairs if not as_int(dim) and not self.inside(index, dim, buffer))
        return " && ".join(f"{self.index(each)} > 0" for each in dict.fromkeys(empty))

    def inside(self, index: PrimExpr, dim: PrimExpr, buffer: Buffer) -> bool:
        """Whether an index is proved to be in range."""
        return self.is_index(index) and self.bounds.inside(self.resolve(index), self.resolve(dim), buffer.name)

    def row_major(self, buffer: Buffer, parts: list[str]) -> str:
        text = ""
        for part, dim in zip(parts, buffer.shape, strict=True):
            if as_int(dim) == 1 and part in ("0", ""):
                continue
            text = part if text in ("", "0") else f"({text}) * {self.index(dim)} + {part}"
        return text or "0"


def _bool(node: Literal) -> str:
    return "true" if node.bits else "false"


def literal(node: Literal) -> str:
    """A literal of its dtype."""
    match dtypes.kind(node.dtype):
        case "bool":
            return _bool(node)
        case "int" | "uint":
            value = literal_int(node)
            if node.dtype == "int64" and value == -(1 << 63):
                return "(i64)(1ULL << 63)"
            suffix = "ULL" if value >= 1 << 63 else "LL" if not -(1 << 31) <= value < 1 << 31 else ""
            return f"({c_type(node.dtype)}){value}{suffix}"
        case "float":
            return _float_literal(node)
        case _:
            raise Unsupported(f"a literal of dtype {node.dtype}")


def _float_literal(node: Literal) -> str:
    kind, value = c_type(node.dtype), bits.decode(node.dtype, node.bits)
    if node.dtype in ("float16", "bfloat16"):
        return f"{kind}{{0x{node.bits:04x}}} /* {value} */"
    if value != value or value in (float("inf"), float("-inf")):
        return f"{kind}_from(0x{node.bits:x}{'ULL' if kind == 'f64' else 'u'}) /* {value} */"
    return f"{value!r}{'f' if kind == 'f32' else ''}"


SYMBOLS = {
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/",
    "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "And": "&&", "Or": "||",
}  # fmt: skip

QUOTIENTS = {"Div": "trunc_div", "Mod": "trunc_mod", "FloorDiv": "floor_div", "FloorMod": "floor_mod"}
FLOAT_QUOTIENTS = {"Mod": "float_mod", "FloorDiv": "float_floor_div", "FloorMod": "float_floor_mod"}

ELEMENTARY = frozenset({
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "rsqrt", "tanh", "sigmoid", "erf", "sin", "cos",
    "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "pow", "atan2", "hypot",
})  # fmt: skip
"""Functions that are ``fast_…`` (the platform's) or ``exact_…`` (rounded right, or reported as in doubt)."""

FLOAT_FORMS = {
    "sqrt": "root({0})", "floor": "floored({0})", "ceil": "ceiled({0})", "trunc": "truncated({0})",
    "round": "to_even({0})", "nearbyint": "to_even({0})", "abs": "magnitude({0})", "fabs": "magnitude({0})",
    "sign": "signum({0})", "square": "({0} * {0})", "isnan": "is_nan({0})", "isinf": "is_inf({0})",
    "isfinite": "is_finite({0})", "copysign": "signed_as({0}, {1})", "fmod": "float_mod({0}, {1})",
    "fma": "fused({0}, {1}, {2})", "max": "maximum({0}, {1})", "min": "minimum({0}, {1})",
}  # fmt: skip

INTEGER_FORMS = {
    "abs": "absolute({0})", "sign": "sign_of({0})", "square": "mul({0}, {0})", "popcount": "popcount({0})",
    "clz": "clz({0})", "shift_left": "shift_left({0}, {1})", "shift_right": "shift_right({0}, {1})",
    "bitwise_and": "bit_and({0}, {1})", "bitwise_or": "bit_or({0}, {1})", "bitwise_xor": "bit_xor({0}, {1})",
    "bitwise_not": "bit_not({0})",
    "isnan": "false", "isinf": "false", "isfinite": "true",
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), "{0}"),
    "max": "maximum({0}, {1})", "min": "minimum({0}, {1})",
}  # fmt: skip


def function(op: str, on_floats: bool, args: list[str], text: Text) -> str:
    """A call of a pure intrinsic."""
    if on_floats and op in ELEMENTARY:
        return f"exact_{op}({', '.join(args)}, {text.status()})" if text.exact else f"fast_{op}({', '.join(args)})"
    forms = FLOAT_FORMS if on_floats else INTEGER_FORMS
    if op in forms:
        return forms[op].format(*args)
    raise Unsupported(f"the intrinsic T.{op} in a CUDA kernel")
