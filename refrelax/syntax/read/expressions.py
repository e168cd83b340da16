"""Graph-level expressions in text. Nested calls are bound to fresh variables, innermost first, left to right."""

from __future__ import annotations

import ast
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import bits
from refrelax.syntax.graph import (
    LEAVES,
    Call,
    ConstantRef,
    DataTypeValue,
    Expr,
    ExternFunc,
    GlobalVar,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.read import call_forms, operators
from refrelax.syntax.read.const import read_const, read_dist_const
from refrelax.syntax.read.constants import constant, shown, try_constant
from refrelax.syntax.read.context import Known, Macro, ModuleAlias, TypeVarDecl
from refrelax.syntax.read.graph_macros import expand_value
from refrelax.syntax.read.metadata import ARRAYS
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.types import dotted, read_dims, read_dtype
from refrelax.syntax.scalars import Literal, SymVar, int_imm

INFIX: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "mod", ast.Pow: "power", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal",
}  # fmt: skip
"""What an infix operator on tensors means. ``%`` truncates (it is ``mod``); ``==`` and ``!=`` are no operators."""


def read_leaf(reader: Reader, node: ast.expr) -> Expr:
    """An expression that may stand as an argument: anything compound is bound to a temporary first."""
    value = read_expr(reader, node)
    if isinstance(value, (*LEAVES, Tuple)):
        return value
    return reader.bind(value, node)


def read_expr(reader: Reader, node: ast.expr) -> Expr:
    """Any graph-level expression; the fields and arguments inside it are leaves.

    Raises:
        Malformed: it is none.
    """
    with reader.src.deeper(node):
        match node:
            case ast.Constant(value=value):
                return from_constant(reader, node, value)
            case ast.Name(id=name):
                return _name(reader, node, name)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return read_tuple(reader, node, items)
            case ast.Attribute():
                return _attribute(reader, node)
            case ast.Subscript(value=base, slice=index):
                return _subscript(reader, node, base, index)
            case ast.Call():
                return _call(reader, node)
            case ast.IfExp(test=test, body=body, orelse=orelse) if try_constant(reader.src, test, reader.scope)[0]:
                return read_expr(reader, body if constant(reader.src, test, reader.scope) else orelse)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.IfExp():
                return _infix(reader, node)
            case ast.ListComp() | ast.JoinedStr():
                return from_constant(reader, node, constant(reader.src, node, reader.scope))
            case _:
                return reader.src.fail(
                    node, "syn/graph-expression", f"expected a graph-level expression, found `{shown(node)}`"
                )


def read_tuple(reader: Reader, node: ast.AST, items: list[ast.expr]) -> Tuple:
    """A tuple of leaves."""
    fields: list[Expr] = []
    for item in items:
        if isinstance(item, ast.Starred):
            reader.src.fail(item, "syn/graph-expression", "a tuple of Relax values takes no *")
        fields.append(read_leaf(reader, item))
    return Tuple(tuple(fields), span=reader.src.span(node))


@rule("syn/graph-expression")
def from_constant(reader: Reader, node: ast.AST, value: Any) -> Expr:
    """A Python constant as an argument: numbers are scalars (int64, float64, bool), strings strings, lists tuples."""
    span = reader.src.span(node)
    match value:
        case bool():
            return PrimValue(Literal("bool", int(value), span=span), span=span)
        case int():
            if not -(1 << 63) <= value < 1 << 63:
                reader.src.fail(node, "syn/literal-range", f"the integer {shown(node)} does not fit into int64")
            return PrimValue(int_imm(value, span=span), span=span)
        case float():
            return PrimValue(bits.literal("float64", value), span=span)
        case str():
            return StringValue(value, span=span)
        case list() | tuple():
            return Tuple(tuple(from_constant(reader, node, v) for v in value), span=span)
        case _:
            return reader.src.fail(node, "syn/graph-expression", f"expected an expression, found `{shown(node)}`")


def _name(reader: Reader, node: ast.Name, name: str) -> Expr:
    span = reader.src.span(node)
    match reader.scope.lookup(name):
        case Var(name=unique):
            return Var(unique, span=span)
        case SymVar(name=unique, dtype=dtype):
            return (
                Var(unique, span=span)
                if unique in reader.scalars
                else PrimValue(SymVar(unique, dtype, span=span), span=span)
            )
        case GlobalVar(name=unique):
            return GlobalVar(unique, span=span)
        case Known(value=value):
            return from_constant(reader, node, value)
        case TypeVarDecl(dtype=dtype):
            return PrimValue(SymVar(name, dtype, span=span), span=span)
        case None:
            return Var(name, span=span)  # defined nowhere: chapter 04 refuses it, with all the others
        case _:
            return reader.src.fail(node, "syn/graph-expression", f"{name!r} is no value here")


def _attribute(reader: Reader, node: ast.Attribute) -> Expr:
    if isinstance(node.value, ast.Name) and isinstance(reader.scope.lookup(node.value.id), ModuleAlias):
        return GlobalVar(node.attr, span=reader.src.span(node))
    text = dotted(node)
    if text is not None and text.startswith("R.") and operators.known(f"relax.{text[2:]}"):
        return Op(f"relax.{text[2:]}", span=reader.src.span(node))
    return reader.src.fail(node, "syn/unknown-name", f"`{shown(node)}` is unknown")


@rule("syn/metadata")
def _subscript(reader: Reader, node: ast.Subscript, base: ast.expr, index: ast.expr) -> Expr:
    match base:
        case ast.Subscript(value=ast.Name(id="metadata"), slice=ast.Constant(value=str() as key)):
            if key not in ARRAYS:
                reader.src.fail(node, "syn/metadata", f'expected metadata["ir.GenericConst"], found metadata[{key!r}]')
            place = constant(reader.src, index, reader.scope)
            if not isinstance(place, int) or isinstance(place, bool) or place < 0:
                reader.src.fail(index, "syn/metadata", f"expected the index of a constant, found `{shown(index)}`")
            kind = key if key == "ffi.Tensor" else "ir.GenericConst"
            return ConstantRef(place, kind, span=reader.src.span(node))
    known, value = try_constant(reader.src, node, reader.scope)
    if known:
        return from_constant(reader, node, value)
    of = read_leaf(reader, base)
    if not isinstance(of, (Var, Tuple)):
        reader.src.fail(node, "syn/graph-expression", f"`{shown(base)}` has no items")
    place = constant(reader.src, index, reader.scope)
    if not isinstance(place, int) or isinstance(place, bool):
        reader.src.fail(index, "syn/tuple-index", f"expected a constant index, found `{shown(index)}`")
    if place < 0 and isinstance(of, Tuple):
        place += len(of.fields)
    if not 0 <= place < 1 << 63:
        reader.src.fail(index, "syn/tuple-index", "a tuple index counts from 0, and is one of int64")
    return TupleGetItem(of, place, span=reader.src.span(node))


# --- scalars or tensors? ---------------------------------------------------------------------------------------------


def is_scalar(reader: Reader, node: ast.expr) -> bool:
    """Whether ``node`` is made of numbers, symbols and ``T.`` calls only."""
    pending = [node]
    while pending:
        each = pending.pop()
        match each:
            case ast.Constant(value=value):
                if not isinstance(value, (bool, int, float)):
                    return False
            case ast.Name(id=name):
                entry = reader.scope.lookup(name)
                if not isinstance(entry, (SymVar, TypeVarDecl)) and not (
                    isinstance(entry, Known) and isinstance(entry.value, (int, float))
                ):
                    return False
            case ast.BinOp(left=a, right=b):
                pending += [a, b]
            case ast.UnaryOp(operand=a):
                pending.append(a)
            case ast.Compare(left=a, comparators=rest):
                pending += [a, *rest]
            case ast.BoolOp(values=values):
                pending += values
            case ast.IfExp(test=a, body=b, orelse=c):
                pending += [a, b, c]
            case ast.Call(func=func):
                if not (dotted(func) or "").startswith("T."):
                    return False
            case _:
                return False
    return True


def _scalar(reader: Reader, node: ast.expr) -> Expr:
    """A scalar expression as a value; one that is built to a mere variable (``p + 0``) is that variable."""
    found, span = reader.scalar(node), reader.src.span(node)
    if isinstance(found, SymVar) and found.name in reader.scalars:
        return Var(found.name, span=span)
    return PrimValue(found, span=span)


@rule("syn/infix-number", "syn/infix-operator")
def _infix(reader: Reader, node: ast.expr) -> Expr:
    if is_scalar(reader, node):
        known, value = try_constant(reader.src, node, reader.scope)
        if known:
            return from_constant(reader, node, value)
        return _scalar(reader, node)
    span = reader.src.span(node)
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Call(Op("relax.negative", span=span), (_operand(reader, operand),), span=span)
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]) if (
            type(op) in INFIX
        ):
            a, b = _operand(reader, left), _operand(reader, right)
            return Call(Op(f"relax.{INFIX[type(op)]}", span=span), (a, b), span=span)
        case _:
            return reader.src.fail(node, "syn/infix-operator", f"no such operator on tensors: `{shown(node)}`")


def _operand(reader: Reader, node: ast.expr) -> Expr:
    known, _ = try_constant(reader.src, node, reader.scope)
    if known or is_scalar(reader, node):
        text = shown(node)
        advice = f"; write R.const({text})" if known else ": what a call gives is no part of a scalar expression"
        reader.src.fail(node, "syn/infix-number", f"expected a tensor, found the number `{text}`{advice}")
    return read_leaf(reader, node)


# --- calls -----------------------------------------------------------------------------------------------------------


@rule("syn/unknown-name")
def _call(reader: Reader, node: ast.Call) -> Expr:
    name = dotted(node.func)
    if name is not None:
        root = name.split(".", 1)[0]
        if root == "R":
            return _relax_call(reader, node, name[2:])
        if root == "T":
            return _scalar(reader, node)
        if name == "float" and reader.scope.lookup("float") is None:
            return from_constant(reader, node, constant(reader.src, node, reader.scope))
    macro = reader.scope.lookup(node.func.id) if isinstance(node.func, ast.Name) else None
    if isinstance(macro, Macro):
        return expand_value(reader, node, macro, read_expr)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
        return operators.astype(reader, node, read_leaf(reader, node.func.value))
    callee = _callee(reader, node)
    if not isinstance(callee, (Var, GlobalVar, ExternFunc, Op)):
        callee = reader.bind(callee, node.func)
    operators.no_keywords(reader, node)
    args = tuple(read_leaf(reader, arg) for arg in operators.positional(reader, node))
    return Call(callee, args, span=reader.src.span(node))


def _callee(reader: Reader, node: ast.Call) -> Expr:
    """What is called. A bare name that nothing defines is a function that the text leaves out, if no class is there."""
    if not isinstance(node.func, ast.Name) or reader.scope.lookup(node.func.id) is not None:
        return read_expr(reader, node.func)
    if not reader.src.lone:
        reader.src.fail(node, "syn/unknown-name", f"the function `{shown(node.func)}` is unknown")
    return GlobalVar(node.func.id, span=reader.src.span(node.func))


def _relax_call(reader: Reader, node: ast.Call, name: str) -> Expr:
    constructor = _CONSTRUCTORS.get(name)
    if constructor is not None:
        return constructor(reader, node)
    name = "builtin.stop_lift_params" if name == "stop_lift_params" else name.removeprefix("op.")
    form = call_forms.CALLS.get(name)
    if form is not None:
        return form(reader, node)
    return operators.read_operator(reader, node, f"relax.{name}")


def _one(reader: Reader, node: ast.Call, name: str, what: str) -> ast.expr:
    """The argument of a form that has one parameter."""
    given = operators.by_name(reader, node, (name,))
    if not given:
        reader.src.fail(node, "syn/arguments", f"expected one argument: {what}")
    return given[name]


def _prim_value(reader: Reader, node: ast.Call) -> Expr:
    given = operators.by_name(reader, node, ("value", "dtype"))
    if "value" not in given:
        reader.src.fail(node, "syn/arguments", "R.prim_value takes a value")
    dtype = read_dtype(reader, given["dtype"]) if "dtype" in given else None
    found = operators.prim(reader, given["value"], dtype)
    if not isinstance(found, (PrimValue, Var)):
        reader.src.fail(given["value"], "syn/arguments", "R.prim_value takes a number, a scalar or a variable")
    return found


def _str(reader: Reader, node: ast.Call) -> Expr:
    value = constant(reader.src, _one(reader, node, "value", "a string"), reader.scope)
    if not isinstance(value, str):
        reader.src.fail(node, "syn/arguments", "R.str takes a string")
    return StringValue(value, span=reader.src.span(node))


def _dtype(reader: Reader, node: ast.Call) -> Expr:
    found = read_dtype(reader, _one(reader, node, "value", "a dtype"))
    return DataTypeValue(found or "void", span=reader.src.span(node))


def _shape(reader: Reader, node: ast.Call) -> Expr:
    return ShapeExpr(read_dims(reader, _one(reader, node, "value", "a list of dimensions")), span=reader.src.span(node))


def _tuple(reader: Reader, node: ast.Call) -> Expr:
    operators.no_keywords(reader, node)
    return read_tuple(reader, node, list(node.args))


def _extern(reader: Reader, node: ast.Call) -> Expr:
    value = constant(reader.src, _one(reader, node, "global_symbol", "the name of a library function"), reader.scope)
    if not isinstance(value, str):
        reader.src.fail(node, "syn/arguments", "R.ExternFunc takes a name")
    return ExternFunc(value, span=reader.src.span(node))


def _tuple_item(reader: Reader, node: ast.Call) -> Expr:
    given = operators.by_name(reader, node, ("tuple_value", "index"))
    if len(given) != 2:
        reader.src.fail(node, "syn/arguments", "R.TupleGetItem takes a tuple and an index")
    item = ast.Subscript(given["tuple_value"], given["index"], ast.Load())
    return read_expr(reader, ast.copy_location(item, node))


def _relu6(reader: Reader, node: ast.Call) -> Expr:
    """``R.nn.relu6(x)`` stands for ``R.clip(x, 0, 6)``."""
    operand = read_leaf(reader, _one(reader, node, "data", "a tensor"))
    span = reader.src.span(node)
    bounds = (PrimValue(int_imm(0), span=span), PrimValue(int_imm(6), span=span))
    return Call(Op("relax.clip", span=span), (operand, *bounds), span=span)


def _linear(reader: Reader, node: ast.Call) -> Expr:
    """``R.linear(x, w, bias)`` stands for a transposition, a matrix product and an addition."""
    given = operators.by_name(reader, node, ("data", "weight", "bias", "out_dtype"))
    if "data" not in given or "weight" not in given:
        reader.src.fail(node, "syn/arguments", "R.linear takes data and weight")
    data, weight = read_leaf(reader, given["data"]), read_leaf(reader, given["weight"])
    span = reader.src.span(node)
    dtype = read_dtype(reader, given["out_dtype"]) if "out_dtype" in given else None
    transposed = reader.bind(Call(Op("relax.permute_dims", span=span), (weight,), (("axes", None),), span=span), node)
    product = Call(Op("relax.matmul", span=span), (data, transposed), (("out_dtype", dtype),), span=span)
    if operators.is_none(given.get("bias")):
        return product
    bias = read_leaf(reader, given["bias"])
    return Call(Op("relax.add", span=span), (reader.bind(product, node), bias), span=span)


def _match_cast(reader: Reader, node: ast.Call) -> Expr:
    return reader.src.fail(node, "syn/match-cast-place", "write `name = R.match_cast(value, type)` alone")


_CONSTRUCTORS = {
    "const": read_const, "prim_value": _prim_value, "str": _str, "dtype": _dtype, "shape": _shape, "tuple": _tuple,
    "ExternFunc": _extern, "extern": _extern, "match_cast": _match_cast,
    "TupleGetItem": _tuple_item, "ShapeExpr": _shape, "nn.relu6": _relu6, "linear": _linear,
    "dist.const": read_dist_const,
}  # fmt: skip
