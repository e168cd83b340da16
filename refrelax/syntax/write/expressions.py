"""Graph-level expressions and attributes as text.

Operators are written as TVM writes them: every argument by position, then every attribute by keyword. The few that
TVM writes differently (``call_tir`` and its kin, ``print``, ``assert_op`` …) have a line each in ``_SPECIAL``.

Spec: ``spec/03c-printing-and-json.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import get_args

from refrelax.errors import UsageError
from refrelax.syntax.graph import (
    AttrDict,
    AttrList,
    Attrs,
    AttrValue,
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    IndexMap,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.read.attributes import KIND_KEY
from refrelax.syntax.read.metadata import ARRAYS
from refrelax.syntax.scalars import Literal, PrimExpr, literal_int
from refrelax.syntax.signatures import FORMATS
from refrelax.syntax.types import DTensorType, TupleType, Type
from refrelax.syntax.write.scalars import Style, expression, number, quoted
from refrelax.syntax.write.types import type_text

_TYPES = get_args(Type)
_PRIMS = get_args(PrimExpr)


def expr_text(node: Expr) -> str:
    """An expression on one line. ``If`` and ``Function`` are statements and never reach this place."""
    match node:
        case Var():
            return node.name
        case GlobalVar():
            return f"cls.{node.name}"
        case ExternFunc():
            return f"R.ExternFunc({quoted(node.name)})"
        case Op():
            return _operator(node.name)
        case Constant():
            return f"R.const({_elements(node)}, {quoted(node.dtype)})"
        case DistConstant():
            return f"R.dist.const({_elements(node.value)}, {type_text(node.type)})"
        case ConstantRef():
            return f"metadata[{quoted(node.kind)}][{node.index}]"
        case PrimValue():
            return expression(node.value)
        case ShapeExpr():
            return f"R.shape([{', '.join(expression(each) for each in node.values)}])"
        case StringValue():
            return f"R.str({quoted(node.value)})"
        case DataTypeValue():
            return f"R.dtype({quoted(node.dtype)})"
        case Tuple():
            return tuple_text([expr_text(each) for each in node.fields]) if node.fields else "R.tuple()"
        case TupleGetItem():
            return f"{expr_text(node.tuple)}[{node.index}]"
        case Call():
            return _call(node)
        case If() | Function():
            raise UsageError(f"a {type(node).__name__} inside an expression has no text; bind it to a variable")


def value_text(node: Expr) -> str:
    """An expression where a bare number would become a tensor constant: a literal is written ``R.prim_value(3)``."""
    text = expr_text(node)
    return f"R.prim_value({text})" if isinstance(node, PrimValue) and isinstance(node.value, Literal) else text


def tuple_text(parts: Sequence[str]) -> str:
    """``(a, b)``, ``(a,)``, ``()``."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _operator(name: str) -> str:
    return f"R.{name.removeprefix('relax.')}"


def _elements(node: Constant) -> str:
    """Nested lists; an axis of extent 0 ends them: ``[[], []]`` is what text can say of the shape (2, 0)."""
    texts = [number(node.dtype, each) for each in node.data]
    shape = node.shape[: node.shape.index(0)] if 0 in node.shape else node.shape
    if 0 in node.shape:
        texts = ["[]"] * prod(shape)
    for extent in reversed(shape):
        texts = ["[" + ", ".join(texts[k : k + extent]) + "]" for k in range(0, len(texts), extent)]
    return texts[0]


# --- calls -----------------------------------------------------------------------------------------------------------


def _call(node: Call) -> str:
    match node.op:
        case Op(name=name):
            special = _SPECIAL.get(name)
            return special(node) if special is not None else _plain(_operator(name), node)
        case ExternFunc(name=name):
            return _plain("R.call_packed", node, [quoted(name)])
        case GlobalVar() | Var() if node.ty_args:  # which a plain call has no place for
            return _plain("R.call_packed", node, [expr_text(node.op)])
        case GlobalVar() | Var():
            return f"{expr_text(node.op)}({', '.join(_applied(node))})"


def _callee(node: Expr) -> str:
    """The first argument of an operator: a library function stands there as its bare name."""
    return quoted(node.name) if isinstance(node, ExternFunc) else expr_text(node)


_LIBRARY_CALLS = ("relax.call_pure_packed", "relax.call_inplace_packed")


def _library_argument(node: Expr) -> str:
    """An argument of a library function: TVM's reader takes a bare ``True`` there for an int64."""
    boolean = isinstance(node, PrimValue) and isinstance(node.value, Literal) and node.value.dtype == "bool"
    return value_text(node) if boolean else expr_text(node)


def _applied(node: Call) -> list[str]:
    """The arguments of a function of the module or a closure: TVM's reader takes no bare number there."""
    return [value_text(each) for each in node.args] + _keywords(node.attrs)


def _types_given(node: Call) -> list[str]:
    return [f"ty_args={tuple_text([type_text(each, inner=True) for each in node.ty_args])}"] if node.ty_args else []


def _plain(head: str, node: Call, before: Sequence[str] = ()) -> str:
    library = isinstance(node.op, ExternFunc) or (isinstance(node.op, Op) and node.op.name in _LIBRARY_CALLS)
    given = _library_argument if library else expr_text
    parts = [
        *before,
        *(_callee(a) if isinstance(a, ExternFunc) and k == 0 else given(a) for k, a in enumerate(node.args)),
    ]
    attrs = tuple(each for each in node.attrs if each not in _implied(node))
    parts += _keywords(attrs) + _types_given(node)
    return f"{head}({', '.join(parts)})"


_NOT_TAKEN: dict[str, Attrs] = {"relax.grad.take_backward": (("mode", "fast"),)}
"""Attributes that TVM's reader has no keyword for, with the value that it gives them."""


def _implied(node: Call) -> Attrs:
    return _NOT_TAKEN.get(node.op.name, ()) if isinstance(node.op, Op) else ()


def _keywords(attrs: Attrs) -> list[str]:
    return [f"{key}={attribute(value)}" for key, value in attrs]


def _destination_passing(node: Call) -> str:
    """``call_tir`` and its kin: callee, arguments, ``out_ty=`` (a list for several outputs), then the attributes."""
    assert isinstance(node.op, Op)
    head = _operator(node.op.name)
    parts = [_callee(node.args[0]), *(expr_text(each) for each in node.args[1:])]
    out = node.ty_args[0] if node.ty_args else None
    outs = out.fields if isinstance(out, TupleType) else (out,)
    if node.op.name == "relax.call_tir" and any(isinstance(each, DTensorType) for each in outs):
        head = "R.dist.call_tir"
    if isinstance(out, TupleType) and len(outs) != 1:  # a list of one type is that type
        parts.append(f"out_ty=[{', '.join(type_text(each) for each in out.fields)}]")
    elif out is not None:
        parts.append(f"out_ty={type_text(out)}")
    attrs = tuple((k, v) for k, v in node.attrs if not (k == "te_grad_kwargs" and v == AttrDict(())))
    return f"{head}({', '.join(parts + _keywords(attrs))})"


def _formatted(place: int) -> Callable[[Call], str]:
    """``print`` and ``assert_op``: the format string is argument ``place`` of the IR, a keyword in the text."""

    def write(node: Call) -> str:
        assert isinstance(node.op, Op)
        parts = [expr_text(each) for k, each in enumerate(node.args) if k != place]
        parts.append(f"format={expr_text(node.args[place])}")
        return f"{_operator(node.op.name)}({', '.join(parts + _keywords(node.attrs))})"

    return write


def _hint_on_device(node: Call) -> str:
    attrs = dict(node.attrs)
    scope = attrs.pop("memory_scope", "global")
    device = f"R.device({', '.join(_keywords(tuple(attrs.items())))})"
    return f"R.hint_on_device({expr_text(node.args[0])}, {device}, {attribute(scope)})"


def _python_function(node: Call) -> str:
    """``R.call_py_func``: arguments one by one. TVM prints one tuple, which its reader takes for a single argument."""
    assert isinstance(node.op, Op)
    args = node.args[1] if len(node.args) == 2 else None  # (a tree may have others: `ty/call-form-arguments`)
    if not isinstance(args, Tuple) or (len(args.fields) == 1 and isinstance(args.fields[0], Tuple)):
        return _destination_passing(node)
    return _destination_passing(replace(node, args=(node.args[0], *args.fields)))


_SPECIAL: dict[str, Callable[[Call], str]] = {
    "relax.call_tir": _destination_passing,
    "relax.call_tir_inplace": _destination_passing,
    "relax.call_tir_with_grad": _destination_passing,
    "relax.call_dps_packed": _destination_passing,
    "relax.call_py_func": _python_function,
    "relax.dist.call_tir": _destination_passing,
    "relax.dist.call_tir_local_view": _destination_passing,
    **{name: _formatted(place) for name, place in FORMATS.items()},
    "relax.hint_on_device": _hint_on_device,
}


# --- attributes ------------------------------------------------------------------------------------------------------

_ATTRIBUTE = Style(bare="")


def attribute(node: AttrValue) -> str:
    """An attribute: a Python literal wherever it is one (a float64 literal is a float)."""
    match node:
        case None | bool() | int():
            return str(node)
        case str():
            return quoted(node)
        case AttrList():
            return f"[{', '.join(attribute(each) for each in node.items)}]"
        case AttrDict():
            return _tagged(node)
        case IndexMap():
            return index_map(node)
        case Literal(dtype="float64"):
            text = number("float64", node.bits)
            return f"float({text})" if text.startswith('"') else text
        case Literal(dtype="int64"):
            return str(literal_int(node))
        case Literal(dtype="bool"):
            return str(bool(node.bits))
        case _ if isinstance(node, _TYPES):
            return type_text(node)
        case _ if isinstance(node, _PRIMS):
            return expression(node, _ATTRIBUTE)
        case _:
            return expr_text(node)  # type: ignore[arg-type]  # what remains of the union is Expr


def _tagged(node: AttrDict) -> str:
    """A dict, or the constructor call that it stands for."""
    items = dict(node.items)
    kind = items.pop(KIND_KEY, None)
    order = _CONSTRUCTORS.get(kind) if isinstance(kind, str) else None
    if order is None or items.keys() != {*order[1:]} or not _constructed(str(kind), items):
        return attributes(node.items)
    head, *names = order
    if kind == "metadata":
        return f"metadata[{quoted(str(items['table']))}][{items['index']}]"
    parts = [attribute(items[name]) for name in names]
    if kind == "device":
        parts = [f"{name}={part}" for name, part in zip(names, parts, strict=True)]
    elif kind == "device_mesh" and isinstance(items["shape"], AttrList):
        parts[0] = tuple_text([attribute(each) for each in items["shape"].items])
    return f"{head}({', '.join(parts)})"


def _constructed(kind: str, items: dict[str, AttrValue]) -> bool:
    """Whether the constructor call keeps the items as they are."""
    match kind:
        case "metadata":
            index = items["index"]
            return (
                isinstance(items["table"], str) and items["table"] not in ARRAYS and type(index) is int and index >= 0
            )
        case "vdevice":
            return items["vdevice_id"] is not None and items["memory_scope"] not in (None, "")
        case _:
            return True


_CONSTRUCTORS: dict[str, tuple[str, ...]] = {
    "vdevice": ("I.vdevice", "target", "vdevice_id", "memory_scope"),
    "device_mesh": ("R.device_mesh", "shape", "device_ids"),
    "range": ("I.Range", "start", "end"),
    "dummy_global_info": ("I.dummy_global_info",),
    "target": ("T.target", "value"),
    "metadata": ("metadata", "table", "index"),
    "device": ("R.device", "device_type", "index"),
}
"""What the reader keeps as a dict with a kind: the call, and its arguments in order."""


def attributes(attrs: Attrs) -> str:
    """``{"k": v}``."""
    return "{" + ", ".join(f"{quoted(key)}: {attribute(value)}" for key, value in attrs) + "}"


def index_map(node: IndexMap) -> str:
    """``T.index_map(lambda i, j: (j, i))``."""
    text = _lambda(node)
    return (
        f"T.index_map({text})"
        if node.inverse is None
        else f"T.index_map({text}, inverse_index_map={_lambda(node.inverse)})"
    )


def _lambda(node: IndexMap) -> str:
    results = tuple_text([expression(each) for each in node.results])
    return f"lambda{' ' if node.params else ''}{', '.join(node.params)}: {results}"
