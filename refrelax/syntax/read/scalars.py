"""Reading scalar expressions: shapes, indices, and the arithmetic of the loop level.

``read_scalar`` is the way in from outside; ``ScalarReader`` is what the statements of a ``PrimFunc`` are read with. An
expression is first *evaluated* to a value, which is a Python constant (``4``, ``"float32"``, ``[1, 2]``), a buffer, a
buffer region, a dtype name such as ``T.float32``, or an expression of the language; constants become literals only
where an expression is needed, as in TVM (``2 * 8`` folds in Python, ``n * 2`` takes ``2`` to the dtype of ``n``).
Spec: ``spec/03b-loops-syntax.md``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import Buffer
from refrelax.syntax.read import building, scalar_calls
from refrelax.syntax.read.building import BuildError
from refrelax.syntax.read.constants import shown, try_constant
from refrelax.syntax.read.context import Known, ModuleAlias, Names, Scope, Source, TypeVarDecl
from refrelax.syntax.read.regions import Slice, View, load_of_view
from refrelax.syntax.read.scalar_values import (
    ARITHMETIC,
    BITWISE,
    COMPARISON,
    DTypeName,
    Value,
    is_constant,
    is_expression,
)
from refrelax.syntax.read.source import refuse_repeated
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Literal,
    PrimExpr,
    RangeArg,
    StringImm,
    SymVar,
)


def read_scalar(src: Source, node: ast.expr, scope: Scope, int_dtype: str = "int32") -> PrimExpr:
    """The scalar expression that ``node`` writes; a quoted one (``"n * 2"``) is read from the string.

    ``int_dtype``: the dtype of bare integers, int32 in a PrimFunc and int64 in Relax shapes. A bare float is float32.

    Raises:
        Malformed: it is no scalar expression, a name is unknown, or operands do not go together.
    """
    reader = ScalarReader(src, scope, int_dtype)
    try:
        return reader.quoted(node)
    except RecursionError:
        src.fail(node, "syn/too-deep", "the expression nests too deeply")


_BARE = {"int": "int32", "uint": "uint32", "float": "float32"}
"""Dtypes without a width."""


@dataclass(slots=True)
class ScalarReader:
    """Reads expressions in one scope.

    ``names``: the names taken in the function; ``unbound``: variables declared (``v = T.int32()``) and not yet bound.
    """

    src: Source
    scope: Scope
    int_dtype: str = "int32"
    names: Names = field(default_factory=Names)
    unbound: set[str] = field(default_factory=set)

    def inside(self, scope: Scope) -> ScalarReader:
        """The same reader in another scope."""
        return ScalarReader(self.src, scope, self.int_dtype, self.names, self.unbound)

    # --- expressions wanted ------------------------------------------------------------------------------------------

    def scalar(self, node: ast.expr) -> PrimExpr:
        """The expression that ``node`` writes."""
        return self.expression(node, self.value(node))

    def quoted(self, node: ast.expr) -> PrimExpr:
        """As ``scalar``; a string holds the expression's text."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = self.parse_quoted(node, node.value)
        return self.scalar(node)

    @rule("syn/quoted-scalar")
    def parse_quoted(self, node: ast.expr, text: str) -> ast.expr:
        """The tree of a quoted expression, placed where the quotes stand."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.src.fail(node, "syn/quoted-scalar", f"{text!r} is no expression")
        for each in ast.walk(tree):
            refuse_repeated(each, self.src.filename)
            ast.copy_location(each, node)
        return tree

    @rule("syn/not-a-scalar")
    def expression(self, node: ast.expr, value: Value) -> PrimExpr:
        """``value`` as an expression: Python numbers become literals, a mutable scalar or a slice becomes a load."""
        try:
            match value:
                case bool() | int() | float():
                    return building.from_python(value, self.int_dtype, self.src.span(node))
                case Buffer(scalar=True):
                    return BufferLoad(value.name, (Literal("int32", 0),), value.dtype, span=self.src.span(node))
                case View():
                    return load_of_view(value, self.src.span(node))
                case StringImm() | BufferRef() | RangeArg():
                    return value
                case _ if is_expression(value):
                    return value  # type: ignore[no-any-return]
        except BuildError as error:
            self.src.fail(node, error.rule, str(error))
        return self.src.fail(node, "syn/not-a-scalar", f"expected a scalar expression, found `{shown(node)}`")

    def argument(self, node: ast.expr, value: Value) -> PrimExpr:
        """``value`` among the arguments of an intrinsic: also strings and buffers (a slice is a vector load)."""
        match value:
            case str():
                return StringImm(value, span=self.src.span(node))
            case Buffer(scalar=False):
                return BufferRef(value.name, "", span=self.src.span(node))
            case DTypeName(dtype):
                return StringImm(dtype, span=self.src.span(node))
            case _:
                return self.expression(node, value)

    def dtype_of(self, node: ast.expr) -> str:
        """A dtype as an argument: ``"float32"``, ``T.float32``, ``A.dtype``, ``T.handle("float32").ty``."""
        value = self.value(node)
        if isinstance(value, str) and dtypes.is_dtype(_BARE.get(value, value)):
            return _BARE.get(value, value)
        if isinstance(value, str) and value in ("", "void"):
            return "void"
        if isinstance(value, DTypeName):
            return value.dtype
        return self.src.fail(node, "syn/unknown-dtype", f"expected a dtype, found `{shown(node)}`")

    # --- evaluation --------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """What ``node`` evaluates to."""
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
                return value
            case ast.Name(id=name):
                return self.name(node, name)
        with self.src.deeper(node):
            try:
                return self._compound(node)
            except BuildError as error:
                self.src.fail(node, error.rule, str(error))

    def _compound(self, node: ast.expr) -> Value:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(node, op, left, right)
            case ast.Call():
                return scalar_calls.call(self, node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Attribute():
                return scalar_calls.attribute(self, node)
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                return self.connective(node)
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(node, op, operand)
            case ast.IfExp():
                return self.choice(node)
            case ast.Tuple(elts=items):
                return tuple(self.items(items))
            case ast.List(elts=items):
                return self.items(items)
            case ast.Dict(keys=keys, values=values):
                return {self._key(node, k): self.value(v) for k, v in zip(keys, values, strict=True)}
            case ast.ListComp(elt=element, generators=[ast.comprehension() as one]):
                return self.comprehension(element, one)
            case _:
                return self.constant(node)

    def constant(self, node: ast.expr) -> Value:
        """``node`` as Python constant, or a refusal."""
        known, value = try_constant(self.src, node, self.scope)
        if not known:
            self.src.fail(node, "syn/not-a-scalar", f"`{shown(node)}` has no meaning at the loop level")
        return value

    @rule("syn/undefined-name")
    def name(self, node: ast.expr, name: str) -> Value:
        """What a name stands for."""
        entry = self.scope.lookup(name)
        match entry:
            case Known(value):
                return value
            case TypeVarDecl(spelled, dtype):
                return SymVar(spelled, dtype, span=self.src.span(node))
            case SymVar(spelled, dtype):
                return SymVar(spelled, dtype, span=self.src.span(node))
            case Buffer() | GlobalVar() | ModuleAlias():
                return entry
            case None:
                self.src.fail(node, "syn/undefined-name", f"the name {name!r} is not defined here")
        return self.src.fail(node, "syn/not-a-scalar", f"{name!r} is a Relax value, not a scalar")

    def items(self, nodes: list[ast.expr]) -> list[Value]:
        """The elements of a list or tuple, starred ones spread."""
        found: list[Value] = []
        for each in nodes:
            if isinstance(each, ast.Starred):
                inner = self.value(each.value)
                if not isinstance(inner, (list, tuple)):
                    self.src.fail(each, "syn/not-a-scalar", f"`{shown(each)}` is no sequence")
                found.extend(inner)
            else:
                found.append(self.value(each))
        return found

    def comprehension(self, element: ast.expr, one: ast.comprehension) -> list[Value]:
        """``[f(i) for i in …]`` over a constant sequence."""
        if not isinstance(one.target, ast.Name):
            self.src.fail(one.target, "syn/not-a-scalar", "expected one name in the comprehension")
        found = []
        for item in self.value(one.iter):
            self.src.step(element)
            inner = self.inside(self.scope.child())
            inner.scope.define(one.target.id, Known(item))
            if all(inner.value(test) for test in one.ifs):
                found.append(inner.value(element))
        return found

    def _key(self, node: ast.expr, key: ast.expr | None) -> Value:
        value = None if key is None else self.value(key)
        if not isinstance(value, (str, int, SymVar)):
            self.src.fail(key or node, "syn/not-a-scalar", "expected a string, a number or a variable as key")
        return value

    # --- operators ---------------------------------------------------------------------------------------------------

    def binary(self, node: ast.expr, op: ast.operator, left: ast.expr, right: ast.expr) -> Value:
        """``left op right``."""
        return self.combine(node, op, (left, self.value(left)), (right, self.value(right)))

    def combine(self, node: ast.expr, op: ast.operator, a: tuple[ast.expr, Value], b: tuple[ast.expr, Value]) -> Value:
        """Two values under an arithmetic operator: two constants fold in Python, anything else builds an expression."""
        if is_constant(a[1]) and is_constant(b[1]):
            known, value = try_constant(self.src, node, self.scope)
            if known:
                return value
        x, y = self.operands(a, b)
        span = self.src.span(node)
        if isinstance(op, ast.Div):
            return building.divide(x, y, span)
        if type(op) in ARITHMETIC:
            return building.binary(ARITHMETIC[type(op)], x, y, span)  # type: ignore[arg-type]
        if type(op) in BITWISE:
            return building.bit_operation(BITWISE[type(op)], x, y, span)
        return self.src.fail(node, "syn/scalar-operator", f"`{shown(node)}`: this operator has no meaning on scalars")

    def operands(self, a: tuple[ast.expr, Value], b: tuple[ast.expr, Value]) -> tuple[PrimExpr, PrimExpr]:
        """Both as expressions; a Python float next to a wider float is rounded only once, to that dtype."""
        x = None if isinstance(a[1], float) else self.expression(*a)
        y = None if isinstance(b[1], float) else self.expression(*b)
        return (
            x if x is not None else self._beside(a, y),
            y if y is not None else self._beside(b, x),
        )

    def _beside(self, of: tuple[ast.expr, Value], other: PrimExpr | None) -> PrimExpr:
        if other is not None and dtypes.element(other.dtype) == "float64":
            return building.constant(of[1], "float64", self.src.span(of[0]))
        return self.expression(*of)

    def compare(self, node: ast.Compare) -> Value:
        """``a < b < c``: the conjunction of its links."""
        values = [(n, self.value(n)) for n in (node.left, *node.comparators)]
        if all(is_constant(v) for _, v in values):
            known, value = try_constant(self.src, node, self.scope)
            if known:
                return value
        result: PrimExpr | None = None
        for op, a, b in zip(node.ops, values[:-1], values[1:], strict=True):
            if type(op) not in COMPARISON:
                self.src.fail(
                    node, "syn/scalar-operator", f"`{shown(node)}`: this comparison has no meaning on scalars"
                )
            link = building.binary(COMPARISON[type(op)], *self.operands(a, b), self.src.span(node))  # type: ignore[arg-type]
            result = link if result is None else Binary("And", result, link, span=self.src.span(node))
        return result

    def connective(self, node: ast.BoolOp) -> Value:
        """``a and b``: nothing folds, except Python constants, which decide while reading."""
        op = "And" if isinstance(node.op, ast.And) else "Or"
        result = self.value(node.values[0])
        for each in node.values[1:]:
            if isinstance(result, bool) and result is (op == "Or"):
                return result
            other = self.value(each)
            if isinstance(result, bool) and isinstance(other, bool):
                result = other
                continue
            a, b = self.expression(node.values[0], result), self.expression(each, other)
            if dtypes.lanes(a.dtype) != 1 or dtypes.lanes(b.dtype) != 1:
                result = building.bit_operation(f"bitwise_{op.lower()}", a, b, self.src.span(node))
            else:
                result = building.raw_binary(op, a, b, self.src.span(node))  # type: ignore[arg-type]
        return result

    def unary(self, node: ast.expr, op: ast.unaryop, operand: ast.expr) -> Value:
        """``-a``, ``not a``, ``~a``, ``+a``."""
        value = self.value(operand)
        if is_constant(value):
            known, folded = try_constant(self.src, node, self.scope)
            if known:
                return folded
        x = self.expression(operand, value)
        match op:
            case ast.USub():
                return building.negative(x, self.src.span(node))
            case ast.Not():
                return building.logical_not(x, self.src.span(node))
            case ast.Invert():
                return building.bitwise_not(x, self.src.span(node))
            case _:
                return x

    def choice(self, node: ast.IfExp) -> Value:
        """``a if c else b``: a constant condition chooses while reading, any other builds ``if_then_else``."""
        condition = self.value(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        test = self.expression(node.test, condition)
        return building.if_then_else(test, self.scalar(node.body), self.scalar(node.orelse), self.src.span(node))

    # --- subscripts --------------------------------------------------------------------------------------------------

    def subscript(self, node: ast.Subscript) -> Value:
        """``A[i, j]`` is a load, ``A[i, 0:4]`` a view, ``[1, 2][0]`` a constant."""
        base = self.value(node.value)
        if isinstance(base, Buffer):
            return self.access(node, base, node.slice)
        if isinstance(base, (list, tuple)):
            index = self.value(node.slice)
            if isinstance(index, Literal):
                index = index.bits
            if isinstance(index, int) and -len(base) <= index < len(base):
                return base[index]
            self.src.fail(node, "syn/not-a-scalar", f"`{shown(node)}`: no such item")
        return self.constant(node)

    def access(self, node: ast.expr, buffer: Buffer, index: ast.expr) -> Value:
        """A load of ``buffer``, or a view if some index is a slice."""
        items = self.indices(buffer, index)
        if any(isinstance(i, Slice) for i in items):
            return View(buffer, tuple(items))
        return load_of_view(View(buffer, tuple(items)), self.src.span(node))

    @rule("syn/index-count")
    def indices(self, buffer: Buffer, index: ast.expr) -> list[PrimExpr | Slice]:
        """The indices of a subscript of ``buffer``, one per axis."""
        nodes = index.elts if isinstance(index, ast.Tuple) else [index]
        items: list[PrimExpr | Slice] = []
        for each in nodes:
            if isinstance(each, ast.Slice):
                items.append(self._slice(buffer, len(items), each))
                continue
            if isinstance(each, ast.Starred):
                items.extend(self.expression(each, v) for v in self.items([each]))
                continue
            found = self.value(each)
            spread = found if isinstance(found, (list, tuple)) and len(nodes) == 1 else [found]
            items.extend(self.expression(each, v) for v in spread)
        if len(items) > len(buffer.shape):
            message = f"buffer {buffer.name!r} has {len(buffer.shape)} axes, but {len(items)} indices are given"
            self.src.fail(index, "syn/index-count", message)
        rest = buffer.shape[len(items) :]
        return items + [Slice(Literal(extent.dtype, 0), extent) for extent in rest]

    def _slice(self, buffer: Buffer, axis: int, node: ast.Slice) -> Slice:
        if axis >= len(buffer.shape):
            self.src.fail(node, "syn/index-count", f"buffer {buffer.name!r} has {len(buffer.shape)} axes")
        extent = buffer.shape[axis]
        begin = self.scalar(node.lower) if node.lower is not None else Literal(extent.dtype, 0)
        end = self.scalar(node.upper) if node.upper is not None else extent
        step = self.scalar(node.step) if node.step is not None else None
        try:
            return Slice.between(begin, end, step)
        except BuildError as error:
            self.src.fail(node, error.rule, str(error))
