"""Relax types in text: ``R.Tensor((n, 4), dtype="float32")``, ``R.Shape([n])``, ``T.int64``, ``R.Tuple(…)``, ….

Old spellings (``R.Object``, ``R.Prim("int64")``, quoted dims) give the same types as the new ones. A quoted name in a
signature defines a symbol (``graph.py`` sees to it); a quoted expression refers to symbols, wherever they are defined.
"""

from __future__ import annotations

import ast
import keyword
import unicodedata
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Var
from refrelax.syntax.read.constants import constant, shown, try_constant
from refrelax.syntax.read.context import Known
from refrelax.syntax.read.source import parse_quoted
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm
from refrelax.syntax.types import (
    AnyType,
    DTensorType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
)

if TYPE_CHECKING:
    from refrelax.syntax.read.reader import Reader

SHORT_DTYPES = {
    "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "boolean": "bool",
}  # fmt: skip
"""Aliases of the ``T.`` constructors."""


def dotted(node: ast.expr) -> str | None:
    """``"R.nn.relu"`` for a name with attributes, else ``None``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


@rule("syn/type-annotation")
def read_type(reader: Reader, node: ast.expr) -> Type:
    """The type that an annotation spells.

    Raises:
        Malformed: it is no type.
    """
    with reader.src.deeper(node):
        head, args, keywords = node, list[ast.expr](), dict[str, ast.expr]()
        if isinstance(node, ast.Call):
            head, args = node.func, node.args
            keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
            if len(keywords) != len(node.keywords) or any(isinstance(a, ast.Starred) for a in args):
                reader.src.fail(node, "syn/type-annotation", "a type takes no * or ** arguments")
        name = dotted(head)
        match name:
            case "R.Tensor":
                return _tensor(reader, node, args, keywords)
            case "R.DTensor" | "R.dist.DTensor":
                return _dtensor(reader, node, args, keywords)
            case "R.Shape":
                return _shape(reader, node, args, keywords)
            case "R.Tuple" | "T.Tuple":
                return _tuple(reader, node, args, keywords)
            case "R.Callable":
                return _callable(reader, node, args, keywords)
            case "R.Any" | "R.Object" | "I.StringType" | "R.PackedFunc":
                _take(reader, node, (), args, keywords)
                return PackedFuncType() if name == "R.PackedFunc" else AnyType()
            case "R.Prim":
                return _prim(reader, node, args, keywords)
            case str() if name.startswith("T.") and not args and not keywords:
                dtype = SHORT_DTYPES.get(name[2:], name[2:])
                if dtypes.is_dtype(dtype):
                    return PrimType(dtype)
        if isinstance(node, ast.Constant) and node.value is None:
            return TupleType(())
        if isinstance(node, ast.Attribute) and node.attr == "ty" and isinstance(node.value, ast.Name):
            entry = reader.scope.lookup(node.value.id)
            declared = reader.types.get(entry.name) if isinstance(entry, (Var, SymVar)) else None
            if declared is not None:
                return declared
        return reader.src.fail(
            node, "syn/type-annotation", f'expected a type such as R.Tensor((n, 4), "float32"), found `{shown(node)}`'
        )


def _take(
    reader: Reader, node: ast.AST, names: tuple[str, ...], args: list[ast.expr], keywords: dict[str, ast.expr]
) -> dict[str, ast.expr]:
    """Arguments by name; ``None`` literals are left out."""
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names):
        reader.src.fail(node, "syn/type-annotation", f"expected at most {len(names)} arguments, found {len(args)}")
    for key, value in keywords.items():
        if key not in names or key in given:
            reader.src.fail(value, "syn/type-annotation", f"unexpected argument {key!r}")
        given[key] = value
    return {k: v for k, v in given.items() if not (isinstance(v, ast.Constant) and v.value is None)}


def read_dtype(reader: Reader, node: ast.expr) -> str | None:
    """A dtype in any spelling: ``"float32"``, ``R.dtype("float32")``, ``T.float32``; ``None`` for the unknown one.

    Raises:
        Malformed: it names no dtype.
    """
    match node:
        case ast.Call(func=func, args=[given], keywords=[]) if dotted(func) in ("R.dtype", "T.dtype"):
            node = given
        case ast.Call(func=func, args=[], keywords=[ast.keyword(arg="value", value=given)]) if dotted(func) in (
            "R.dtype",
            "T.dtype",
        ):
            node = given
    name = dotted(node)
    known, value = try_constant(reader.src, node, reader.scope)
    if not known and name is not None and name.startswith("T."):
        value = SHORT_DTYPES.get(name[2:], name[2:])
    if value is None or value in ("", "void"):
        if known:
            return None
    if not isinstance(value, str) or not dtypes.is_dtype(value):
        reader.src.fail(node, "syn/dtype", f'expected a dtype such as "float32", found `{shown(node)}`')
    return value


def _integer(reader: Reader, node: ast.expr, least: int, what: str) -> int:
    value = constant(reader.src, node, reader.scope)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 63:
        reader.src.fail(node, "syn/type-annotation", f"expected {what}, found `{shown(node)}`")
    return value


@rule("syn/tensor-type")
def _tensor(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> TensorType:
    given = _take(reader, node, ("shape", "dtype", "vdevice", "ndim"), args, keywords)
    first = given.get("shape")
    if first is not None and "dtype" not in given:
        known, value = try_constant(reader.src, first, reader.scope)
        if known and isinstance(value, str):  # R.Tensor("float32", ndim=2)
            given["dtype"] = given.pop("shape")
    dtype = read_dtype(reader, given["dtype"]) if "dtype" in given else None
    vdevice = reader.vdevice(given["vdevice"]) if "vdevice" in given else None
    ndim = _integer(reader, given["ndim"], -1, "a number of dimensions") if "ndim" in given else -1
    if "shape" not in given:
        return TensorType(None, dtype, ndim, vdevice)
    shape = _tensor_shape(reader, given["shape"])
    if isinstance(shape, str):
        return TensorType(shape, dtype, ndim, vdevice)
    if ndim not in (-1, len(shape)):
        reader.src.fail(node, "syn/tensor-type", f"expected ndim={len(shape)} as the shape has it, found {ndim}")
    return TensorType(shape, dtype, len(shape), vdevice)


def _tensor_shape(reader: Reader, node: ast.expr) -> tuple[PrimExpr, ...] | str:
    if isinstance(node, ast.Call) and dotted(node.func) in ("R.shape", "R.Shape") and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Name):
        entry = reader.scope.lookup(node.id)
        if isinstance(entry, Var):
            return entry.name
        if entry is None:
            return node.id  # a shape variable that nothing defines: for the well-formedness check to refuse
    return read_dims(reader, node)


def read_dims(reader: Reader, node: ast.expr) -> tuple[PrimExpr, ...]:
    """A shape: a list or tuple of dims (or a known constant list)."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(read_dim(reader, each) for each in node.elts)
    known, value = try_constant(reader.src, node, reader.scope)
    if known and isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
        low, high = dtypes.integer_range("int64")
        if not all(low <= v <= high for v in value):
            reader.src.fail(node, "syn/scalar-range", f"a dim of `{shown(node)}` does not fit into int64")
        return tuple(int_imm(v, span=reader.src.span(node)) for v in value)
    return reader.src.fail(node, "syn/shape", f"expected a list of dimensions, found `{shown(node)}`")


def quoted_name(node: ast.expr) -> str | None:
    """The name that a quoted dim consists of, as Python reads names (NFKC), or ``None``."""
    text = node.value.strip() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if not text.isidentifier() or keyword.iskeyword(text):
        return None
    return unicodedata.normalize("NFKC", text)


@rule("syn/shape", "syn/quoted-expression")
def read_dim(reader: Reader, node: ast.expr) -> PrimExpr:
    """One dimension: an integer expression, possibly quoted."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        name = quoted_name(node)
        if name is not None:
            return reader.quoted_symbol(node, name)
        return reader.scalar(parse_quoted(reader.src, node, node.value.strip()))
    if isinstance(node, ast.Name):
        entry = reader.scope.lookup(node.id)
        if isinstance(entry, Var):  # a scalar that an unannotated binding gave
            return SymVar(entry.name, span=reader.src.span(node))
        if isinstance(entry, Known) and isinstance(entry.value, str):
            return reader.quoted_symbol(node, entry.value)
    return reader.scalar(node)


def _dtensor(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> DTensorType:
    given = _take(reader, node, ("shape", "dtype", "device_mesh", "placement", "ndim"), args, keywords)
    inner = {k: v for k, v in given.items() if k in ("shape", "dtype", "ndim")}
    texts = []
    for key in ("device_mesh", "placement"):
        value = constant(reader.src, given[key], reader.scope) if key in given else ""
        if not isinstance(value, str):
            reader.src.fail(
                given[key], "syn/type-annotation", f"expected {key} as a string, found `{shown(given[key])}`"
            )
        texts.append(value)
    return DTensorType(_tensor(reader, node, [], inner), texts[0], texts[1])


def _shape(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> ShapeType:
    given = _take(reader, node, ("values", "ndim"), args, keywords)
    ndim = _integer(reader, given["ndim"], -1, "a number of dimensions") if "ndim" in given else -1
    if "values" not in given:
        return ShapeType(None, ndim)
    values = read_dims(reader, given["values"])
    if ndim not in (-1, len(values)):
        reader.src.fail(node, "syn/type-annotation", f"expected ndim={len(values)} as the dims have it, found {ndim}")
    return ShapeType(values, len(values))


def _tuple(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> TupleType:
    if keywords:
        reader.src.fail(node, "syn/type-annotation", "R.Tuple takes no keyword arguments")
    if len(args) == 1 and isinstance(args[0], (ast.List, ast.Tuple)):
        args = args[0].elts
    return TupleType(tuple(read_type(reader, each) for each in args))


def _callable(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> FuncType:
    given = _take(reader, node, ("params", "ret", "purity", "derive_func"), args, keywords)
    purity = "params" in given
    if "purity" in given:
        value = constant(reader.src, given["purity"], reader.scope)
        if not isinstance(value, bool):
            reader.src.fail(given["purity"], "syn/type-annotation", "expected purity as True or False")
        purity = value
    derive = constant(reader.src, given["derive_func"], reader.scope) if "derive_func" in given else None
    if derive is not None and not isinstance(derive, str):
        reader.src.fail(given["derive_func"], "syn/type-annotation", "expected derive_func as a string")
    params = None
    if "params" in given:
        listed = given["params"]
        items = listed.elts if isinstance(listed, (ast.Tuple, ast.List)) else [listed]
        params = tuple(read_type(reader, each) for each in items)
    ret = read_type(reader, given["ret"]) if "ret" in given else AnyType()
    return FuncType(params, ret, purity, derive)


def _prim(reader: Reader, node: ast.AST, args: list[ast.expr], keywords: dict[str, ast.expr]) -> PrimType:
    given = _take(reader, node, ("dtype", "value"), args, keywords)
    if "dtype" in given:
        dtype = read_dtype(reader, given["dtype"])
        if dtype is not None:
            return PrimType(dtype)
    if "value" in given:
        return PrimType(read_dim(reader, given["value"]).dtype)
    return reader.src.fail(node, "syn/type-annotation", "R.Prim takes a dtype")
