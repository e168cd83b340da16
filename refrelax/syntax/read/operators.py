"""Operator calls by the signature table: the same canonical ``Call`` for hand-written and printed text."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    AttrList,
    Attrs,
    AttrValue,
    Call,
    DataTypeValue,
    Expr,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
)
from refrelax.syntax.read import attributes, expressions
from refrelax.syntax.read.constants import constant, shown, try_constant
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.types import read_dims, read_dtype, read_type
from refrelax.syntax.scalars import Literal, PrimExpr, int_imm
from refrelax.syntax.signatures import OPERATOR_NAMES, Signature, Slot, has_signature, signature
from refrelax.syntax.types import Type

Given = dict[str, ast.expr]


def known(name: str) -> bool:
    """Whether ``name`` is a registered operator."""
    return name in OPERATOR_NAMES


# --- arguments -------------------------------------------------------------------------------------------------------


@rule("syn/arguments")
def positional(reader: Reader, node: ast.Call) -> list[ast.expr]:
    """The positional arguments; a ``*list`` of constants is refused like any other star."""
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            reader.src.fail(arg, "syn/arguments", "a call takes no * arguments")
    return node.args


def no_keywords(reader: Reader, node: ast.Call) -> None:
    """Refuse keyword arguments."""
    if node.keywords:
        reader.src.fail(node.keywords[0].value, "syn/arguments", f"unexpected argument {node.keywords[0].arg!r}")


def keywords(reader: Reader, node: ast.Call) -> Given:
    """The keyword arguments by name."""
    given: Given = {}
    for each in node.keywords:
        if each.arg is None:
            reader.src.fail(each.value, "syn/arguments", "a call takes no ** arguments")
        if each.arg in given:
            reader.src.fail(each.value, "syn/arguments", f"the argument {each.arg!r} is given twice")
        given[each.arg] = each.value
    return given


def by_name(reader: Reader, node: ast.Call, names: tuple[str, ...]) -> Given:
    """Arguments by name, for parameters ``names`` in order."""
    args = positional(reader, node)
    if len(args) > len(names):
        reader.src.fail(node, "syn/arguments", f"expected at most {len(names)} arguments, found {len(args)}")
    given = dict(zip(names, args, strict=False))
    for name, value in keywords(reader, node).items():
        if name not in names:
            reader.src.fail(value, "syn/arguments", f"unexpected argument {name!r}; expected {', '.join(names)}")
        if name in given:
            reader.src.fail(value, "syn/arguments", f"the argument {name!r} is given twice")
        given[name] = value
    return given


def is_none(node: ast.expr | None) -> bool:
    """A missing argument, or the literal ``None``."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


# --- operators -------------------------------------------------------------------------------------------------------


@rule("syn/unknown-operator")
def read_operator(reader: Reader, node: ast.Call, name: str) -> Expr:
    """A call of an operator of the table.

    Raises:
        Malformed: no such operator, or arguments that do not fit.
    """
    if not has_signature(name):
        close = difflib.get_close_matches(name, sorted(OPERATOR_NAMES), 1)
        hint = f"; did you mean R.{close[0].removeprefix('relax.')}?" if close else ""
        reader.src.fail(node, "syn/unknown-operator", f"there is no operator R.{name.removeprefix('relax.')}{hint}")
    if name == "relax.nn.attention":
        name, node = _attention(node)
    node, types = _type_arguments(reader, node)
    sig = signature(name)
    given = _adjusted(reader, node, name, by_name(reader, node, _order(node, sig)))
    for slot in sig.surface:
        if slot.required and slot.name not in given:
            reader.src.fail(node, "syn/arguments", f"R.{name.removeprefix('relax.')} needs the argument {slot.name!r}")
    args = tuple(arg for slot in sig.args for arg in _argument(reader, node, name, slot, given))
    attrs = tuple((slot.name, _attribute(reader, node, slot, given)) for slot in sig.attrs)
    attrs = tuple((k, dict(attrs)[v[1:]] if isinstance(v, str) and v.startswith("@") else v) for k, v in attrs)
    span = reader.src.span(node)
    types = () if name in DEDUCED else types
    return Call(Op(name, span=span), args, _completed(name, args, attrs), types, span=span)


def _type_arguments(reader: Reader, node: ast.Call) -> tuple[ast.Call, tuple[Type, ...]]:
    """The call without ``ty_args=``, and its types: lowered modules carry them on operators too."""
    types: tuple[Type, ...] = ()
    rest = []
    for each in node.keywords:
        if each.arg in ("ty_args", "sinfo_args"):
            items = each.value.elts if isinstance(each.value, (ast.List, ast.Tuple)) else [each.value]
            types = tuple(read_type(reader, item) for item in items)
        else:
            rest.append(each)
    return ast.copy_location(ast.Call(node.func, node.args, rest), node), types


DEDUCED = frozenset({"relax.builtin.alloc_tensor"})
"""Operators that TVM prints with a ``ty_args=`` that says what their arguments say, and that its parser refuses."""


def _attention(node: ast.Call) -> tuple[str, ast.Call]:
    """``R.nn.attention`` with a bias is the operator ``attention_bias``."""
    args, named = list(node.args), list(node.keywords)
    bias = args[3] if len(args) > 3 else next((k.value for k in named if k.arg == "bias"), None)
    if bias is None:
        return "relax.nn.attention", node
    if not is_none(bias):
        return "relax.nn.attention_bias", node
    plain = ast.Call(node.func, args[:3] + args[4:], [k for k in named if k.arg != "bias"])
    return "relax.nn.attention", ast.copy_location(plain, node)


def _order(node: ast.Call, sig: Signature) -> tuple[str, ...]:
    """Parameters in the order of the text: the IR's if all attributes are keywords and all arguments by position."""
    named = {k.arg for k in node.keywords}
    if sig.attrs and all(slot.name in named for slot in sig.attrs) and len(node.args) == len(sig.args):
        return tuple(slot.name for slot in (*sig.args, *sig.attrs))
    return tuple(slot.name for slot in sig.surface)


def _adjusted(reader: Reader, node: ast.Call, name: str, given: Given) -> Given:
    """The few defaults that depend on another argument."""
    match name:
        case "relax.arange" if is_none(given.get("end")) and "start" in given:
            zero = ast.copy_location(ast.Constant(0), node)
            given = {**given, "start": zero, "end": given["start"]}
        case "relax.eye" if is_none(given.get("m")) and "n" in given:
            given = {**given, "m": given["n"]}
        case "relax.nn.attention_var_len":
            for missing, other in (("seqstart_k", "seqstart_q"), ("max_seqlen_k", "max_seqlen_q")):
                if is_none(given.get(missing)) and other in given:
                    given = {**given, missing: given[other]}
        case "relax.hint_on_device":
            given = attributes.split_device(reader, given)
    return given


def _completed(name: str, args: tuple[Expr, ...], attrs: Attrs) -> Attrs:
    """``R.arange`` without a dtype takes int64 if all its arguments are integers, else float32."""
    if name == "relax.arange" and dict(attrs)["dtype"] is None:
        scalars = [a.value.dtype if isinstance(a, PrimValue) else "int64" for a in args]
        return (("dtype", "int64" if all(dtypes.is_integer(d) for d in scalars) else "float32"),)
    return attrs


def _argument(reader: Reader, node: ast.Call, name: str, slot: Slot, given: Given) -> tuple[Expr, ...]:
    """The IR argument of ``slot``: none or one."""
    value = given.get(slot.name)
    if is_none(value):
        if slot.required or (value is not None and not slot.optional):
            reader.src.fail(value or node, "syn/arguments", f"expected a value for {slot.name!r}, found None")
        if not slot.optional:
            return (_default_argument(slot.default, slot),)
        # R.memory.view has four arguments whatever is left out: an empty tuple stands for a missing one
        return (_missing_view(reader, node, slot),) if name == "relax.memory.view" else ()
    assert value is not None
    return (read_argument(reader, value, slot.kind),)


def _missing_view(reader: Reader, node: ast.Call, slot: Slot) -> Expr:
    """What stands for a missing argument of ``R.memory.view``: a null value for the dtype, an empty tuple otherwise."""
    span = reader.src.span(node)
    if slot.name == "dtype":
        return reader.bind(Call(Op("relax.null_value", span=span), (), span=span), node)
    return Tuple((), span=span)


def _default_argument(value: Any, slot: Slot) -> Expr:
    match value:
        case bool():
            return PrimValue(Literal("bool", int(value)))
        case int():
            return PrimValue(int_imm(value))
        case str() if slot.kind == "str":
            return StringValue(value)
        case _:
            raise AssertionError(f"{slot.name} has a default that is no argument")


def read_argument(reader: Reader, node: ast.expr, kind: str) -> Expr:
    """An argument of a kind of the signature table."""
    span = reader.src.span(node)
    match kind:
        case "prim":
            return prim(reader, node, None)
        case "shape" | "shape2" | "shape3":
            return _shape(reader, node, int(kind[5:] or 0))
        case "dtype":
            known_value, value = try_constant(reader.src, node, reader.scope)
            if known_value and isinstance(value, str):
                return DataTypeValue(read_dtype(reader, node) or "void", span=span)
        case "tuple":
            known_value, value = try_constant(reader.src, node, reader.scope)
            if known_value and isinstance(value, list):
                return expressions.from_constant(reader, node, value)
    return expressions.read_leaf(reader, node)


def prim(reader: Reader, node: ast.expr, dtype: str | None) -> Expr:
    """A scalar argument: a number, an expression over symbols, or a variable that holds one."""
    known_value, value = try_constant(reader.src, node, reader.scope)
    span = reader.src.span(node)
    if known_value and isinstance(value, (int, float)):
        if dtype is None:
            return expressions.from_constant(reader, node, value)
        return PrimValue(literal_of(reader, node, value, dtype), span=span)
    return expressions.read_leaf(reader, node)


@rule("syn/literal-range")
def literal_of(reader: Reader, node: ast.AST, value: int | float, dtype: str) -> PrimExpr:
    """A number as a literal of ``dtype``."""
    if dtypes.kind(dtype) in ("handle", "void") or dtypes.lanes(dtype) != 1:
        reader.src.fail(node, "syn/literal-range", f"there are no literals of {dtype}")
    if dtypes.is_integer(dtype) or dtype == "bool":
        low, high = dtypes.integer_range(dtype)
        if value != value or not low <= value <= high or int(value) != value:
            reader.src.fail(node, "syn/literal-range", f"expected a number of {dtype}, found `{shown(node)}`")
        value = int(value)
    if not bits.has_number(dtype, value):
        reader.src.fail(node, "syn/literal-range", f"{dtype} has no NaN")
    literal = bits.literal(dtype, value)
    return Literal(dtype, literal.bits, span=reader.src.span(node))


def _shape(reader: Reader, node: ast.expr, axes: int) -> Expr:
    span = reader.src.span(node)
    match node:
        case ast.List() | ast.Tuple():
            values = read_dims(reader, node)
            return ShapeExpr(values * axes if axes and len(values) == 1 else values, span=span)
    known_value, value = try_constant(reader.src, node, reader.scope)
    if known_value and isinstance(value, (list, tuple)):
        return ShapeExpr(read_dims(reader, node), span=span)
    found = expressions.read_leaf(reader, node)
    if axes and isinstance(found, PrimValue):
        return ShapeExpr((found.value,) * axes, span=span)
    if isinstance(found, PrimValue):
        reader.src.fail(node, "syn/shape", f"expected a list of dimensions, found `{shown(node)}`")
    return found


def _attribute(reader: Reader, node: ast.Call, slot: Slot, given: Given) -> AttrValue:
    value = given.get(slot.name)
    if value is not None and is_none(value) and not slot.optional:
        if isinstance(slot.default, str) and slot.default.startswith("@"):
            return slot.default
        if slot.default is None:
            reader.src.fail(value, "syn/attribute", f"expected a value for {slot.name!r}, found None")
        value = None
    if value is None:
        if isinstance(slot.default, str) and slot.default.startswith("@"):
            return slot.default
        return attributes.from_default(slot)
    if is_none(value):
        return None
    return attributes.read_attribute(reader, value, slot)


def astype(reader: Reader, node: ast.Call, operand: Expr) -> Expr:
    """``x.astype("float16")``."""
    given = by_name(reader, node, ("dtype",))
    dtype = read_dtype(reader, given["dtype"]) if "dtype" in given else None
    if dtype is None:
        reader.src.fail(node, "syn/arguments", "astype takes a dtype")
    span = reader.src.span(node)
    return Call(Op("relax.astype", span=span), (operand,), (("dtype", dtype),), span=span)


def constant_list(reader: Reader, node: ast.expr) -> AttrList:
    """A list of integers; one integer counts as a list of one."""
    value = constant(reader.src, node, reader.scope)
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in items):
        reader.src.fail(node, "syn/attribute", f"expected integers, found `{shown(node)}`")
    return AttrList(tuple(items))
