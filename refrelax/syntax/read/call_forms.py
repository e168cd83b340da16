"""The call forms: operators whose arguments follow rules of their own (``R.call_tir``, ``R.print``, …)."""

from __future__ import annotations

import ast
from collections.abc import Callable

from refrelax.rules import rule
from refrelax.syntax.graph import AttrDict, Attrs, Call, Expr, ExternFunc, GlobalVar, Op, StringValue, Tuple, Var
from refrelax.syntax.read import attributes, expressions, operators
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.types import read_type
from refrelax.syntax.types import TupleType, Type


def _given(reader: Reader, node: ast.Call, names: tuple[str, ...], needed: tuple[str, ...]) -> operators.Given:
    """Arguments by name; ``out_sinfo`` and ``sinfo_args`` are old names of ``out_ty`` and ``ty_args``."""
    renamed = [
        ast.keyword({"out_sinfo": "out_ty", "sinfo_args": "ty_args"}.get(k.arg or "", k.arg), k.value)
        for k in node.keywords
    ]
    for each, old in zip(renamed, node.keywords, strict=True):
        ast.copy_location(each, old)
    copy = ast.copy_location(ast.Call(node.func, node.args, renamed), node)
    given = operators.by_name(reader, copy, names)
    for name in needed:
        if name not in given:
            reader.src.fail(node, "syn/arguments", f"{shown(node.func)} needs the argument {name!r}")
    return given


def _callee(reader: Reader, node: ast.expr) -> Expr:
    """A function of the module, a variable, or a library function given by a string."""
    value = expressions.read_leaf(reader, node)
    if isinstance(value, StringValue):
        return ExternFunc(value.value, span=value.span)
    return value


def _args_tuple(reader: Reader, node: ast.expr) -> Expr:
    """The arguments of a call form as one tuple; a single value counts as a tuple of one."""
    value = expressions.read_leaf(reader, node)
    if isinstance(value, Tuple):
        return value
    if isinstance(node, ast.Name) and isinstance(reader.scope.lookup(node.id), Known):
        return value
    return Tuple((value,), span=reader.src.span(node))


def _out_types(reader: Reader, node: ast.expr) -> tuple[Type, ...]:
    """``out_ty=``: a list of other than one type is one tuple type."""
    if isinstance(node, (ast.List, ast.Tuple)):
        found = tuple(read_type(reader, each) for each in node.elts)
        return found if len(found) == 1 else (TupleType(found),)
    return (read_type(reader, node),)


def _types(reader: Reader, node: ast.expr) -> tuple[Type, ...]:
    """``ty_args=``: one type, or several."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(read_type(reader, each) for each in node.elts)
    return (read_type(reader, node),)


def _made(
    reader: Reader, node: ast.Call, name: str, args: tuple[Expr, ...], attrs: Attrs = (), types: tuple[Type, ...] = ()
) -> Call:
    span = reader.src.span(node)
    return Call(Op(f"relax.{name}", span=span), args, attrs, types, span=span)


@rule("syn/call-form")
def _call_tir(reader: Reader, node: ast.Call, name: str = "call_tir") -> Expr:
    given = _given(reader, node, ("gvar", "args", "out_ty", "tir_vars"), ("gvar", "args", "out_ty"))
    if not operators.is_none(given.get("tir_vars")):
        reader.src.fail(given["tir_vars"], "syn/call-form", "tir_vars= belongs to the older spelling of a whole module")
    args = (_callee(reader, given["gvar"]), _args_tuple(reader, given["args"]))
    return _made(reader, node, name, args, types=_out_types(reader, given["out_ty"]))


def _call_tir_local_view(reader: Reader, node: ast.Call) -> Expr:
    return _call_tir(reader, node, "dist.call_tir_local_view")


def _call_tir_inplace(reader: Reader, node: ast.Call) -> Expr:
    names = ("gvar", "args", "inplace_indices", "out_ty", "tir_vars")
    given = _given(reader, node, names, ("gvar", "args", "inplace_indices", "out_ty"))
    if not operators.is_none(given.get("tir_vars")):
        reader.src.fail(given["tir_vars"], "syn/call-form", "tir_vars= belongs to the older spelling of a whole module")
    args = (_callee(reader, given["gvar"]), _args_tuple(reader, given["args"]))
    indices = operators.constant_list(reader, given["inplace_indices"])
    types = _out_types(reader, given["out_ty"])
    return _made(reader, node, "call_tir_inplace", args, (("inplace_indices", indices),), types)


def _call_tir_with_grad(reader: Reader, node: ast.Call) -> Expr:
    names = ("gvar", "args", "out_ty", "te_grad_name", "te_grad_kwargs", "tir_vars")
    given = _given(reader, node, names, ("gvar", "args", "out_ty", "te_grad_name"))
    args = (_callee(reader, given["gvar"]), _args_tuple(reader, given["args"]))
    kwargs = given.get("te_grad_kwargs")
    extra = AttrDict(()) if kwargs is None or operators.is_none(kwargs) else attributes.read_any(reader, kwargs)
    grad = attributes.read_any(reader, given["te_grad_name"])
    if not isinstance(grad, str) or not isinstance(extra, AttrDict):
        reader.src.fail(node, "syn/call-form", "te_grad_name= is a string, te_grad_kwargs= a dict")
    attrs: Attrs = (("te_grad_name", grad), ("te_grad_kwargs", extra))
    return _made(reader, node, "call_tir_with_grad", args, attrs, _out_types(reader, given["out_ty"]))


def _call_dps_packed(reader: Reader, node: ast.Call) -> Expr:
    given = _given(reader, node, ("func", "args", "out_ty"), ("func", "args", "out_ty"))
    args = (_callee(reader, given["func"]), _args_tuple(reader, given["args"]))
    return _made(reader, node, "call_dps_packed", args, types=_out_types(reader, given["out_ty"]))


def _call_py_func(reader: Reader, node: ast.Call) -> Expr:
    """``R.call_py_func("f", x, y, out_ty=…)``; printed with one tuple of arguments and ``ty_args=``."""
    listed = operators.positional(reader, node)
    given = operators.keywords(reader, node)
    out = given.pop("out_ty", None) or given.pop("ty_args", None) or given.pop("out_sinfo", None)
    if not listed or out is None or given:
        reader.src.fail(node, "syn/arguments", "R.call_py_func takes a name, arguments and out_ty=")
    name = expressions.read_leaf(reader, listed[0])
    values = tuple(expressions.read_leaf(reader, each) for each in listed[1:])
    args = values[0] if len(values) == 1 and isinstance(values[0], Tuple) else Tuple(values, span=reader.src.span(node))
    return _made(reader, node, "call_py_func", (name, args), types=_out_types(reader, out))


def _packed_parts(
    reader: Reader, node: ast.Call
) -> tuple[Expr, tuple[Expr, ...], dict[str, ast.expr], tuple[Type, ...]]:
    """Callee, arguments, further keywords and ``ty_args=`` of the packed calls."""
    listed = operators.positional(reader, node)
    given = operators.keywords(reader, node)
    if "func" in given and not listed:
        listed = [given.pop("func")]
    if not listed or "func" in given:
        reader.src.fail(node, "syn/arguments", f"{shown(node.func)} takes the name of a library function, once")
    given.pop("attrs_type_key", None)
    types: tuple[Type, ...] = ()
    for key in ("ty_args", "sinfo_args"):
        if key in given:
            types = _types(reader, given.pop(key))
    callee = _callee(reader, listed[0])
    return callee, tuple(expressions.read_leaf(reader, each) for each in listed[1:]), given, types


def _call_packed(reader: Reader, node: ast.Call) -> Expr:
    """``R.call_packed("f", x, ty_args=…)``: a call of the library function itself, impure."""
    callee, args, given, types = _packed_parts(reader, node)
    attrs = tuple((key, attributes.read_any(reader, value)) for key, value in given.items())
    if not isinstance(callee, (ExternFunc, GlobalVar, Var)):
        reader.src.fail(
            node, "syn/call-form", f"expected the name of a library function, found `{shown(node.args[0])}`"
        )
    if attrs and not isinstance(callee, ExternFunc):
        reader.src.fail(node, "syn/arguments", f"a call of a function of the program has no argument {attrs[0][0]!r}")
    return Call(callee, args, attrs, types, span=reader.src.span(node))


def _call_pure_packed(reader: Reader, node: ast.Call) -> Expr:
    callee, args, given, types = _packed_parts(reader, node)
    attrs = tuple((key, attributes.read_any(reader, value)) for key, value in given.items())
    return _made(reader, node, "call_pure_packed", (callee, *args), attrs, types)


def _call_inplace_packed(reader: Reader, node: ast.Call) -> Expr:
    callee, args, given, types = _packed_parts(reader, node)
    if set(given) != {"inplace_indices"}:
        reader.src.fail(node, "syn/arguments", "R.call_inplace_packed takes inplace_indices= and ty_args=")
    indices = operators.constant_list(reader, given["inplace_indices"])
    return _made(reader, node, "call_inplace_packed", (callee, *args), (("inplace_indices", indices),), types)


def _with_types(name: str, first: str) -> Callable[[Reader, ast.Call], Expr]:
    """A call form of a callee, one argument tuple, and ``ty_args=``."""

    def read(reader: Reader, node: ast.Call) -> Expr:
        given = _given(reader, node, (first, "args", "ty_args"), (first, "args"))
        types = given.get("ty_args")
        args = (_callee(reader, given[first]), _args_tuple(reader, given["args"]))
        found = () if types is None or operators.is_none(types) else _types(reader, types)
        return _made(reader, node, name, args, types=found)

    return read


def _format(reader: Reader, node: ast.expr | None) -> Expr:
    if node is None:
        return StringValue("")
    value = expressions.read_leaf(reader, node)
    if not isinstance(value, StringValue):
        reader.src.fail(node, "syn/call-form", f"expected format as a string, found `{shown(node)}`")
    return value


def _print(reader: Reader, node: ast.Call) -> Expr:
    """``R.print(a, b, format="{} {}")``: the format is argument 0 of the call."""
    given = operators.keywords(reader, node)
    values = tuple(expressions.read_leaf(reader, each) for each in operators.positional(reader, node))
    form = _format(reader, given.pop("format", None))
    if given:
        reader.src.fail(node, "syn/arguments", f"R.print has no argument {next(iter(given))!r}")
    return _made(reader, node, "print", (form, *values))


def _assert_op(reader: Reader, node: ast.Call) -> Expr:
    """``R.assert_op(c, a, b, format="…")``: the format is argument 1. By hand: ``R.assert_op(c, [a, b], "…")``."""
    given = operators.keywords(reader, node)
    listed = list(operators.positional(reader, node))
    if not listed and "condition" in given:
        listed = [given.pop("condition")]
    if not listed:
        reader.src.fail(node, "syn/arguments", "R.assert_op takes a condition")
    condition = expressions.read_leaf(reader, listed[0])
    rest = listed[1:]
    if "format_args" in given:
        rest = [given.pop("format_args")]
    if (
        "format" not in given
        and len(rest) == 2
        and isinstance(rest[1], ast.Constant)
        and isinstance(rest[1].value, str)
    ):
        given["format"] = rest.pop()
    values: list[Expr] = []
    for each in rest:
        items = each.elts if isinstance(each, (ast.List, ast.Tuple)) and len(rest) == 1 else [each]
        values += [expressions.read_leaf(reader, item) for item in items if not operators.is_none(item)]
    form = _format(reader, given.pop("format", None))
    if given:
        reader.src.fail(node, "syn/arguments", f"R.assert_op has no argument {next(iter(given))!r}")
    return _made(reader, node, "assert_op", (condition, form, *values))


def _make_closure(reader: Reader, node: ast.Call) -> Expr:
    given = _given(reader, node, ("func", "args"), ("func", "args"))
    return _made(reader, node, "make_closure", (_callee(reader, given["func"]), _args_tuple(reader, given["args"])))


def _null_value(reader: Reader, node: ast.Call) -> Expr:
    if node.args or node.keywords:
        reader.src.fail(node, "syn/arguments", "R.null_value takes no arguments")
    return _made(reader, node, "null_value", ())


@rule("syn/not-in-the-language")
def _foreign(reader: Reader, node: ast.Call) -> Expr:
    reader.src.fail(
        node,
        "syn/not-in-the-language",
        f"`{shown(node.func)}` runs Python while TVM reads it; print the module with TVM first",
    )


CALLS: dict[str, Callable[[Reader, ast.Call], Expr]] = {
    "call_tir": _call_tir,
    "dist.call_tir": _call_tir,
    "dist.call_tir_local_view": _call_tir_local_view,
    "call_tir_inplace": _call_tir_inplace,
    "call_tir_with_grad": _call_tir_with_grad,
    "call_dps_packed": _call_dps_packed,
    "call_packed": _call_packed,
    "call_pure_packed": _call_pure_packed,
    "call_inplace_packed": _call_inplace_packed,
    "call_py_func": _call_py_func,
    "call_builtin_with_ctx": _with_types("call_builtin_with_ctx", "func"),
    "invoke_closure": _with_types("invoke_closure", "closure"),
    "invoke_pure_closure": _with_types("invoke_pure_closure", "closure"),
    "make_closure": _make_closure,
    "null_value": _null_value,
    "print": _print,
    "assert_op": _assert_op,
    "emit_te": _foreign,
    "emit": _foreign,
    "emit_with_type": _foreign,
    "call_py": _foreign,
}
"""Call forms by their name after ``R.``."""
