"""Whole texts: headers, the module class, lone functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import AttrDict, AttrList, Attrs, AttrValue, ExternFunc, GlobalVar
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.read import operators
from refrelax.syntax.read.arguments import dtype_named
from refrelax.syntax.read.attributes import read_any, read_attrs, target_kind
from refrelax.syntax.read.constants import shown, try_constant
from refrelax.syntax.read.context import Known, ModuleAlias, Names, Scope, Source, TypeVarDecl
from refrelax.syntax.read.graph import read_function, type_var
from refrelax.syntax.read.loops import read_prim_func
from refrelax.syntax.read.macros import take_macros
from refrelax.syntax.read.metadata import take_metadata
from refrelax.syntax.read.migration import migrate
from refrelax.syntax.read.reader import Reader, Sink
from refrelax.syntax.read.trees import walk
from refrelax.syntax.read.types import SHORT_DTYPES, dotted

LIBRARIES = {"relax": "R", "tirx": "T", "tir": "T", "ir": "I"}
"""What ``from tvm.script import … as …`` may rename."""


@dataclass(slots=True)
class _Parts:
    functions: dict[str, BaseFunc] = field(default_factory=dict)
    attrs: Attrs = ()
    infos: tuple[tuple[str, tuple[AttrValue, ...]], ...] = ()


def read_module(src: Source, tree: ast.Module) -> Module:
    """The module that a text spells: one ``@I.ir_module`` class, or functions that stand alone.

    Raises:
        Malformed: it is neither.
    """
    _rename_imports(src, tree)
    take_metadata(src, tree)
    migrate(src, tree)
    scope = Scope()
    for name in ("Module", "cls"):
        scope.define(name, ModuleAlias())
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    lone = take_macros(src, [each for each in tree.body if isinstance(each, ast.FunctionDef)], scope)
    for each in tree.body:
        if not isinstance(each, (ast.ClassDef, ast.FunctionDef)):
            _top_statement(src, each, scope)
    if len(classes) + bool(lone) != 1:
        place = (classes + lone + [tree])[-1]
        src.fail(place, "syn/one-module", f"expected one module class or functions, found {len(classes)} classes and "
                 f"{len(lone)} functions")  # fmt: skip
    src.lone = not classes
    parts = _class(src, classes[0], scope) if classes else _functions(src, lone, scope, _Parts())
    return Module(parts.functions, parts.attrs, parts.infos, source=src.text)


_HEADER = re.compile(r"^# from tvm\.script import (\w+) as (\w+)$", re.MULTILINE)
"""An import as TVM's printer writes it."""


@rule("syn/import")
def _rename_imports(src: Source, tree: ast.Module) -> None:
    """Bring ``from tvm.script import relax as RX`` to the usual ``R``; other imports of TVM mean nothing here."""
    renamed = {name: LIBRARIES[name] for name in ("relax", "tirx", "tir")}
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("tvm.script"):
            for alias in each.names:
                usual = LIBRARIES.get(alias.name)
                if usual is not None and (alias.asname or alias.name) != usual:
                    renamed[alias.asname or alias.name] = usual
    for library, name in _HEADER.findall(src.text):
        if library in LIBRARIES and name != LIBRARIES[library]:
            renamed[name] = LIBRARIES[library]
    if not re.search(rf"(?<![\w.\"'])(?:{'|'.join(renamed)})\b\s*\.", src.text):
        return
    nodes = walk(tree)
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in renamed and node.id not in bound:
            node.id = renamed[node.id]


@rule("syn/top-level")
def _top_statement(src: Source, node: ast.stmt, scope: Scope) -> None:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return
        case ast.Assign(targets=[target], value=value):
            _assign(src, node, target, value, scope)
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            _assign(src, node, target, value, scope)
        case _:
            src.fail(
                node,
                "syn/top-level",
                f"expected imports, constants, TypeVars, a module or functions, found `{shown(node)}`",
            )


def _assign(src: Source, node: ast.stmt, target: ast.expr, value: ast.expr, scope: Scope) -> None:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for each, item in zip(target.elts, value.elts, strict=True):
            _assign(src, node, each, item, scope)
        return
    if not isinstance(target, ast.Name):
        src.fail(target, "syn/top-level", f"expected a name, found `{shown(target)}`")
    symbol = _symbol(src, target.id, value)
    if symbol is not None:
        scope.define(target.id, symbol)
        return
    known, constant = try_constant(src, value, scope)
    if not known:
        src.fail(value, "syn/constant-expression", f"expected a constant or TypeVar, found `{shown(value)}`")
    scope.define(target.id, Known(constant))


def _symbol(src: Source, name: str, value: ast.expr) -> TypeVarDecl | None:
    """``TypeVar("n")``, ``T.int64()``, ``tirx.Var("n", "int64")``."""
    if not isinstance(value, ast.Call):
        return None
    head = dotted(value.func) or ""
    last = head.rsplit(".", 1)[-1]
    if last == "TypeVar":
        return type_var(src, value, name)
    if last in ("Var", "SizeVar") and head != last:
        given = [*value.args[1:], *(each.value for each in value.keywords if each.arg == "dtype")]
        dtype = given[0].value if given and isinstance(given[0], ast.Constant) else "" if given else "int32"
        named = value.args and isinstance(value.args[0], ast.Constant) and isinstance(value.args[0].value, str)
        if not named or len(value.args) + len(value.keywords) != 1 + len(given) or len(given) > 1:
            src.fail(value, "syn/symbol-declaration", f"`{shown(value.func)}` takes the name of the symbol and a dtype")
        if not isinstance(dtype, str) or not dtypes.is_dtype(dtype):
            src.fail(given[0], "syn/dtype", f"expected a dtype, found `{shown(given[0])}`")
        return TypeVarDecl(name, dtype)
    if head.startswith("T.") and not value.args and not value.keywords:
        dtype = SHORT_DTYPES.get(last, last)
        return TypeVarDecl(name, dtype) if dtypes.is_dtype(dtype) else None
    return None


# --- the class -------------------------------------------------------------------------------------------------------


@rule("syn/module-class")
def _class(src: Source, node: ast.ClassDef, scope: Scope) -> _Parts:
    head = node.decorator_list[-1] if node.decorator_list else None
    name = dotted(head.func if isinstance(head, ast.Call) else head) if head is not None else None
    if name not in ("I.ir_module", "ir_module", "tvm.script.ir_module"):
        src.fail(node, "syn/module-class", "a module is a class under @I.ir_module")
    flags = head.keywords if isinstance(head, ast.Call) else []
    if (
        any((dotted(each) or "").split(".")[-1] != "BasePyModule" for each in node.bases)
        or node.keywords
        or len(node.decorator_list) > 1
        or (isinstance(head, ast.Call) and head.args)
        or any(each.arg != "check_well_formed" for each in flags)
    ):
        src.fail(
            node,
            "syn/module-class",
            "a module has one decorator, with check_well_formed= at most, and no bases but BasePyModule",
        )
    if node.name not in LIBRARIES.values():  # inside a class T, too, T.int32 is the dialect's
        scope.define(node.name, ModuleAlias())
    inner = scope.child()
    functions: list[ast.FunctionDef] = []
    parts = _Parts()
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            functions.append(each)
        else:
            _member(src, each, inner, parts)
    return _functions(src, functions, inner, parts)


def _member(src: Source, node: ast.stmt, scope: Scope, parts: _Parts) -> None:
    reader = Reader(src, Names(), scope, Sink())
    match node:
        case ast.Expr(value=ast.Call(func=func, args=[first], keywords=[])) if dotted(func) == "I.module_attrs":
            parts.attrs = read_attrs(reader, first)
        case ast.Expr(value=ast.Call(func=func, args=[first], keywords=[])) if dotted(func) == "I.module_global_infos":
            parts.infos = _infos(src, node, read_any(reader, first))
            src.vdevices = _vdevices(dict(parts.infos).get("vdevice", ()))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func) as call) if dotted(func) in _EXTERN:
            symbol = operators.by_name(reader, call, ("global_symbol",)).get("global_symbol")
            if not isinstance(symbol, ast.Constant) or not isinstance(symbol.value, str):
                src.fail(call, "syn/arguments", "R.ExternFunc takes a name")
            _add(src, node, parts, name, ExternFunc(symbol.value, span=src.span(node)))
        case ast.ClassDef():
            src.fail(node, "syn/module-class", "a class inside a module")
        case _:
            _top_statement(src, node, scope)


_EXTERN = ("R.ExternFunc", "R.extern", "relax.ExternFunc")


def _infos(src: Source, node: ast.stmt, value: AttrValue) -> tuple[tuple[str, tuple[AttrValue, ...]], ...]:
    found = []
    for key, listed in value.items if isinstance(value, AttrDict) else ():
        found.append((key, listed.items if isinstance(listed, AttrList) else (listed,)))
    if not isinstance(value, AttrDict):
        src.fail(node, "syn/module-class", "I.module_global_infos takes a dict of lists")
    return tuple(found)


def _vdevices(listed: tuple[AttrValue, ...]) -> tuple[str, ...]:
    """The devices of a module as ``kind:index:scope``; the index counts the devices of one kind."""
    found: list[str] = []
    for each in listed:
        items = dict(each.items) if isinstance(each, AttrDict) else {}
        target = target_kind(items.get("target"))
        count = sum(name.split(":")[0] == target for name in found)
        found.append(f"{target}:{count}:{items.get('memory_scope', 'global')}")
    return tuple(found)


@rule("syn/duplicate-function")
def _add(src: Source, node: ast.stmt, parts: _Parts, name: str, function: BaseFunc) -> None:
    if name in parts.functions:
        src.fail(node, "syn/duplicate-function", f"the module has two functions named {name!r}")
    parts.functions[name] = function


# --- functions -------------------------------------------------------------------------------------------------------


def _functions(src: Source, nodes: list[ast.FunctionDef], scope: Scope, parts: _Parts) -> _Parts:
    """All names first, so that calls may come before definitions."""
    nodes = take_macros(src, nodes, scope)
    for each in nodes:
        _name_function(scope, each.name)
        returned = dtype_named((dotted(each.returns) or "").removeprefix("T.")) if each.returns is not None else None
        if returned is not None:
            src.returns[each.name] = returned
    for name in parts.functions:
        _name_function(scope, name)
    for each in nodes:
        function = _function_reader(src, each)(src, each, scope.child())
        if function is not None:
            _add(src, each, parts, each.name, function)
    return parts


def _name_function(scope: Scope, name: str) -> None:
    """A bare name of a function, unless it is a symbol's: ``cls.n`` is the function ``n`` in any case."""
    if not isinstance(scope.lookup(name), TypeVarDecl):
        scope.define(name, GlobalVar(name))


FunctionReader = Callable[[Source, ast.FunctionDef, Scope], BaseFunc | None]


@rule("syn/function-kind")
def _function_reader(src: Source, node: ast.FunctionDef) -> FunctionReader:
    head = node.decorator_list[-1] if node.decorator_list else None
    name = dotted(head.func if isinstance(head, ast.Call) else head) if head is not None else None
    found = _KINDS.get(name or "")
    if found is None:
        refused = " (macros and rewriters run Python while TVM reads them)" if name in _REFUSED else ""
        hint = f"; a Python function that makes a module is named FILE.py:{node.name}" if head is None else ""
        src.fail(node, "syn/function-kind", f"expected @R.function or @T.prim_func above {node.name}{refused}{hint}")
    return found


def _prim_func(src: Source, node: ast.FunctionDef, scope: Scope) -> PrimFunc:
    return read_prim_func(src, node, scope)


def _pyfunc(src: Source, node: ast.FunctionDef, scope: Scope) -> ExternFunc:
    """A Python function of the module: a library function by its name."""
    return ExternFunc(node.name, span=src.span(node))


_REFUSED = ("R.macro", "R.rewriter", "T.jit")
_KINDS: dict[str, FunctionReader] = {
    "R.function": read_function,
    "T.prim_func": _prim_func,
    "I.pyfunc": _pyfunc,
}
