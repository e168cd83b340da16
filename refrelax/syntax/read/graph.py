"""Relax functions in text: signatures, blocks, bindings, branches.

Names of a top-level function, its nested functions and its symbols included, are made unique while they are read; a
text whose names are unique keeps them.
"""

from __future__ import annotations

import ast

from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    LEAVES,
    AttrValue,
    Constant,
    DataflowBlock,
    Expr,
    Function,
    If,
    MatchCast,
    PrimValue,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.read import operators
from refrelax.syntax.read.attributes import read_attrs
from refrelax.syntax.read.constants import shown, try_constant
from refrelax.syntax.read.context import Known, ModuleAlias, Names, Scope, Source, TypeVarDecl
from refrelax.syntax.read.expressions import read_expr, read_leaf
from refrelax.syntax.read.macros import macro_of
from refrelax.syntax.read.parameters import read_parameters
from refrelax.syntax.read.reader import Reader, Sink
from refrelax.syntax.read.returns import return_after
from refrelax.syntax.read.source import bound_dtype
from refrelax.syntax.read.trees import walk
from refrelax.syntax.read.types import SHORT_DTYPES, dotted, read_type
from refrelax.syntax.scalars import Literal, SymVar
from refrelax.syntax.types import VOID, PrimType, Type


def read_function(src: Source, node: ast.FunctionDef, scope: Scope) -> Function:
    """A top-level Relax function.

    Raises:
        Malformed: the text is no Relax function.
    """
    inside = walk(node)
    texts = {each.id for each in inside if each.__class__ is ast.Name}
    texts |= {each.arg for each in inside if each.__class__ is ast.arg}
    texts |= {each.name for each in inside if each.__class__ is ast.FunctionDef}
    reader = Reader(src, Names(), scope, Sink(), frozenset(texts))
    return _function(reader, node, nested=False)


def flag(src: Source, node: ast.FunctionDef, name: str, default: bool) -> bool:
    """A truth in the last decorator: ``@R.function(pure=False)``."""
    decorator = node.decorator_list[-1] if node.decorator_list else None
    if isinstance(decorator, ast.Call):
        for each in decorator.keywords:
            if each.arg == name:
                if not (isinstance(each.value, ast.Constant) and isinstance(each.value.value, bool)):
                    src.fail(each.value, "syn/decorator", f"expected {name}=True or {name}=False")
                return each.value.value
    return default


@rule("syn/decorator")
def check_decorator(src: Source, node: ast.FunctionDef, allowed: tuple[str, ...]) -> None:
    """Refuse unknown arguments of a decorator."""
    decorator = node.decorator_list[-1]
    if isinstance(decorator, ast.Call):
        if decorator.args:
            src.fail(decorator, "syn/decorator", "a decorator takes keyword arguments only")
        for each in decorator.keywords:
            if each.arg not in allowed:
                src.fail(decorator, "syn/decorator", f"unexpected argument {each.arg!r}; expected {', '.join(allowed)}")


def _function(reader: Reader, node: ast.FunctionDef, nested: bool) -> Function:
    with reader.src.deeper(node), reader.inside(reader.scope.child()):
        check_decorator(reader.src, node, ("pure", "private", "check_well_formed"))
        pure, private = flag(reader.src, node, "pure", True), flag(reader.src, node, "private", False)
        flag(reader.src, node, "check_well_formed", True)
        params, symbols = read_parameters(reader, node)
        ret = read_type(reader, node.returns) if node.returns is not None else None
        body, attrs = _body(reader, node)
    if not private and not nested and attrs.get("global_symbol") == node.name:
        del attrs["global_symbol"]
    span = reader.src.span(node)
    return Function(params, ret, body, pure, private or nested, tuple(sorted(attrs.items())), symbols, span=span)


# --- bodies ----------------------------------------------------------------------------------------------------------


@rule("syn/return-last")
def _body(reader: Reader, node: ast.FunctionDef) -> tuple[SeqExpr, dict[str, AttrValue]]:
    attrs: dict[str, AttrValue] = {}
    *statements, last = return_after(node.body)
    if not isinstance(last, ast.Return) or last.value is None:
        reader.src.fail(last, "syn/return-last", f"the function {node.name} has to end with `return` of a value")
    with reader.collecting() as sink:
        for each in statements:
            if _is_call(each, "R.func_attr"):
                attrs.update(_func_attr(reader, each))
            else:
                read_statement(reader, each)
        value = _literal_tensor(reader, last.value) or read_expr(reader, last.value)
        if not isinstance(value, (*LEAVES, Tuple)):
            value = reader.bind(value, last.value)
        sink.flush()
    return SeqExpr(tuple(sink.blocks), value, span=reader.src.span(node)), attrs


def _is_call(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and dotted(node.value.func) == name


def _func_attr(reader: Reader, node: ast.stmt) -> dict[str, AttrValue]:
    assert isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if len(node.value.args) != 1 or node.value.keywords:
        reader.src.fail(node, "syn/arguments", "R.func_attr takes one dict")
    return dict(read_attrs(reader, node.value.args[0]))


@rule("syn/graph-statement")
def read_statement(reader: Reader, node: ast.stmt) -> None:
    """One statement of a body: bindings, or a name for something."""
    with reader.src.deeper(node):
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass() | ast.Nonlocal():
                return
            case ast.Expr(value=value):
                _bare(reader, node, value)
            case ast.Assign(targets=[target], value=value):
                _assign(reader, node, target, value, None)
            case ast.AnnAssign(target=target, value=ast.expr() as value, annotation=annotation):
                _assign(reader, node, target, value, annotation)
            case ast.AnnAssign(target=ast.Name(), value=None):
                return  # how a variable prints that is defined nowhere: its uses are refused in chapter 04
            case ast.With():
                _dataflow(reader, node)
            case ast.If():
                _if(reader, node)
            case ast.FunctionDef():
                _nested_function(reader, node)
            case ast.Return():
                reader.src.fail(node, "syn/return-last", "`return` stands at the end of a function only")
            case _:
                reader.src.fail(node, "syn/graph-statement", f"expected a binding, found `{shown(node)}`")


def _bare(reader: Reader, node: ast.stmt, value: ast.expr) -> None:
    if _is_call(node, "R.output"):
        reader.src.fail(node, "syn/dataflow-output", "R.output stands at the end of a dataflow block only")
    if _is_call(node, "R.func_attr"):
        reader.src.fail(node, "syn/graph-statement", "R.func_attr stands directly in a function")
    if not isinstance(value, ast.Call):
        reader.src.fail(node, "syn/graph-statement", f"expected a call that gives no value, found `{shown(node)}`")
    found = read_expr(reader, value)
    reader.sink.pending.append(VarBinding(reader.anonymous(), found, VOID, span=reader.src.span(node)))


@rule("syn/assignment")
def _assign(reader: Reader, node: ast.stmt, target: ast.expr, value: ast.expr, annotation: ast.expr | None) -> None:
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        if len(target.elts) != len(value.elts) or annotation is not None:
            reader.src.fail(node, "syn/assignment", "expected as many values as names")
        for each, item in zip(target.elts, value.elts, strict=True):
            _assign(reader, node, each, item, None)
        return
    if not isinstance(target, ast.Name):
        reader.src.fail(target, "syn/assignment", f"expected a name, found `{shown(target)}`")
    if _declaration(reader, node, target.id, value, annotation) or (
        annotation is None and _alias(reader, target.id, value)
    ):
        return
    declared = read_type(reader, annotation) if annotation is not None else None
    if isinstance(value, ast.Call) and dotted(value.func) == "R.match_cast":
        _match_cast(reader, node, target.id, value, declared)
    else:
        _bind(reader, node, target.id, _bound_value(reader, value, declared), declared)


def _bind(reader: Reader, node: ast.stmt, name: str, value: Expr, declared: Type | None) -> None:
    unique = reader.names.fresh(name) if name != "_" else reader.anonymous()
    reader.sink.pending.append(VarBinding(unique, value, declared, span=reader.src.span(node)))
    _define(reader, name, unique, declared if declared is not None else _scalar_type(reader, value))


def _define(reader: Reader, name: str, unique: str, declared: Type | None) -> None:
    if declared is not None:
        reader.types[unique] = declared
    if isinstance(declared, PrimType):
        reader.scalars[unique] = declared.dtype
        reader.scope.define(name, SymVar(unique, declared.dtype))
    else:
        reader.scope.define(name, Var(unique))


def _scalar_type(reader: Reader, value: Expr) -> Type | None:
    """The type of a scalar that is written out, or that is another name of one."""
    match value:
        case PrimValue():
            return PrimType(value.value.dtype)
        case Var(name=name) if name in reader.scalars:
            return PrimType(reader.scalars[name])
        case _:
            return None


def _bound_value(reader: Reader, value: ast.expr, declared: Type | None) -> Expr:
    """The value of a binding. A bare number is a scalar under a scalar annotation, and a tensor constant otherwise."""
    if isinstance(declared, PrimType):
        known, number = try_constant(reader.src, value, reader.scope)
        if known and isinstance(number, (int, float)):
            literal = operators.literal_of(reader, value, number, declared.dtype)
            return PrimValue(literal, span=reader.src.span(value))
    return _literal_tensor(reader, value) or read_expr(reader, value)


def _literal_tensor(reader: Reader, value: ast.expr) -> Expr | None:
    known, number = try_constant(reader.src, value, reader.scope)
    if not known or not isinstance(number, (int, float)):
        return None
    dtype = "bool" if isinstance(number, bool) else "int32" if isinstance(number, int) else "float32"
    if dtype == "int32" and not -(1 << 31) <= number < 1 << 31:
        dtype = "int64"
    literal = operators.literal_of(reader, value, number, dtype)
    return Constant(dtype, (), (bits.encode(dtype, number),), span=literal.span)


@rule("syn/symbol-declaration")
def _declaration(reader: Reader, node: ast.stmt, name: str, value: ast.expr, annotation: ast.expr | None) -> bool:
    """``n = T.int64()`` declares a symbol, ``n = TypeVar("n")`` one for the functions below."""
    if not isinstance(value, ast.Call) or value.keywords:
        return False
    head = dotted(value.func) or ""
    if head == "TypeVar" or head.endswith(".TypeVar"):
        reader.scope.define(name, type_var(reader.src, value, name))
        return True
    dtype = SHORT_DTYPES.get(head[2:], head[2:])
    if value.args or not head.startswith("T.") or not dtypes.is_dtype(dtype):
        return False
    entry = reader.scope.lookup(name)
    if isinstance(entry, SymVar) and entry.name not in reader.scalars:
        if entry.dtype != dtype:
            reader.src.fail(
                node, "syn/symbol-declaration", f"the symbol {name} is {entry.dtype}, declared again as {dtype}"
            )
        return True
    if isinstance(entry, SymVar):
        if entry.dtype == dtype:
            return True
        reader.src.fail(
            node, "syn/symbol-declaration", f"{name} is a {entry.dtype}, declared as the symbol {name} of {dtype}"
        )
    if isinstance(entry, Var):
        reader.src.fail(node, "syn/symbol-declaration", f"{name} is a variable already; a symbol needs another name")
    reader.scope.define(name, SymVar(reader.names.fresh(name), dtype, span=reader.src.span(node)))
    return True


def type_var(src: Source, value: ast.Call, name: str) -> TypeVarDecl:
    """``TypeVar("n")``, with an optional bound that names a dtype."""
    first = value.args[0] if value.args else None
    named = isinstance(first, ast.Constant) and isinstance(first.value, str)
    if not named or len(value.args) > 1 or any(each.arg != "bound" for each in value.keywords):
        src.fail(value, "syn/symbol-declaration", "TypeVar takes the name of the symbol, and perhaps `bound=`")
    dtype = "int64"
    for each in value.keywords:
        given = dotted(each.value) or (each.value.value if isinstance(each.value, ast.Constant) else "")
        found = bound_dtype(given) if isinstance(given, str) else None
        if found is None:
            src.fail(each.value, "syn/head-symbols", f"expected a dtype as the bound, found `{shown(each.value)}`")
        dtype = found
    return TypeVarDecl(name, dtype)


@rule("syn/meta-var")
def _alias(reader: Reader, name: str, value: ast.expr) -> bool:
    """``cls = Module``, and names of Python lists, strings and ``None``, which bind nothing."""
    if isinstance(value, ast.Name) and isinstance(reader.scope.lookup(value.id), ModuleAlias):
        reader.scope.define(name, ModuleAlias())
        return True
    match value:
        case ast.Call(func=func, args=[kept], keywords=[]) if dotted(func) in ("I.meta_var", "T.meta_var"):
            literal = reader.scalar(kept)
            if not isinstance(literal, Literal):
                reader.src.fail(value, "syn/meta-var", f"expected a number in `{shown(value)}`")
            reader.scope.define(name, Known(bits.literal_value(literal)))
            return True
    known, constant = try_constant(reader.src, value, reader.scope)
    if known and (constant is None or isinstance(constant, (str, list, dict))):
        reader.scope.define(name, Known(constant))
        return True
    return False


@rule("syn/match-cast-place")
def _match_cast(reader: Reader, node: ast.stmt, name: str, value: ast.Call, declared: Type | None) -> None:
    given = operators.by_name(reader, value, ("value", "ty", "struct_info"))
    if "struct_info" in given:
        given["ty"] = given.pop("struct_info")
    if set(given) != {"value", "ty"}:
        reader.src.fail(value, "syn/arguments", "R.match_cast takes a value and a type")
    what = read_leaf(reader, given["value"])
    target = read_type(reader, given["ty"])
    if declared is not None and declared != target:
        reader.src.fail(node, "syn/match-cast-annotation", "the annotation differs from the type of the match_cast")
    unique = reader.names.fresh(name) if name != "_" else reader.anonymous()
    reader.sink.pending.append(MatchCast(unique, what, target, declared, span=reader.src.span(node)))
    _define(reader, name, unique, target)


def _nested_function(reader: Reader, node: ast.FunctionDef) -> None:
    macro = macro_of(reader.src, node, reader.scope)
    if macro is not None:
        reader.scope.define(node.name, macro)
        return
    head = node.decorator_list[-1] if node.decorator_list else None
    kind = dotted(head.func if isinstance(head, ast.Call) else head) if head is not None else None
    if kind != "R.function":
        reader.src.fail(node, "syn/nested-function", "a nested function is an @R.function")
    unique = reader.names.fresh(node.name)
    reader.scope.define(node.name, Var(unique))
    outer, reader.sink = reader.sink, Sink()
    try:
        function = _function(reader, node, nested=True)
    finally:
        reader.sink = outer
    reader.sink.pending.append(VarBinding(unique, function, span=reader.src.span(node)))


# --- dataflow blocks and branches ------------------------------------------------------------------------------------


@rule("syn/dataflow-output")
def _dataflow(reader: Reader, node: ast.With) -> None:
    item = node.items[0]
    call = item.context_expr
    name = dotted(call.func) if isinstance(call, ast.Call) else None
    more = isinstance(call, ast.Call) and bool(call.args or call.keywords)
    if len(node.items) != 1 or name != "R.dataflow" or more or item.optional_vars is not None:
        reader.src.fail(node, "syn/graph-statement", "expected `with R.dataflow():`")
    if reader.sink.dataflow:
        reader.src.fail(node, "syn/graph-statement", "a dataflow block inside a dataflow block")
    outer = reader.sink
    outputs: list[ast.expr] | None = None
    scope = reader.scope.child()
    with reader.inside(scope), reader.collecting(dataflow=True) as inner:
        for each in node.body:
            if outputs is not None:
                reader.src.fail(each, "syn/dataflow-output", "R.output stands at the end of a dataflow block")
            if _is_call(each, "R.output"):
                assert isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
                operators.no_keywords(reader, each.value)
                outputs = list(operators.positional(reader, each.value))
            else:
                read_statement(reader, each)
        names = tuple(_output(reader, each) for each in outputs or ())
    outer.flush()
    outer.blocks.append(DataflowBlock(tuple(inner.pending), names))
    for given in outputs or ():
        assert isinstance(given, ast.Name)
        reader.scope.define(given.id, scope.table[given.id])
    for key, entry in scope.table.items():  # symbols outlive the block, like those of a match_cast outside one
        if isinstance(entry, SymVar) and entry.name not in reader.scalars:
            reader.scope.define(key, entry)


def _output(reader: Reader, node: ast.expr) -> str:
    entry = reader.scope.table.get(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(entry, (Var, SymVar)):
        reader.src.fail(node, "syn/dataflow-output", f"expected a variable of the block, found `{shown(node)}`")
    return entry.name


@rule("syn/branches-bind-one-name", "syn/else-required")
def _if(reader: Reader, node: ast.If) -> None:
    """Both branches end by binding one name; the ``If`` is bound to it."""
    if not node.orelse:
        reader.src.fail(node, "syn/else-required", "an `if` in a Relax function needs an `else`")
    name, other = _final_name(reader, node.body), _final_name(reader, node.orelse)
    if name != other:
        reader.src.fail(
            node, "syn/branches-bind-one-name", f"the branches end by binding {name!r} and {other!r}; expected one name"
        )
    condition = read_leaf(reader, node.test)
    unique = reader.names.fresh(name) if name != "_" else reader.anonymous()
    then_branch, first = _branch(reader, node.body, name)
    else_branch, second = _branch(reader, node.orelse, name)
    declared = first if first == second else None
    span = reader.src.span(node)
    value = If(condition, then_branch, else_branch, span=span)
    reader.sink.pending.append(VarBinding(unique, value, declared, span=span))
    _define(reader, name, unique, declared)


def _final_name(reader: Reader, body: list[ast.stmt]) -> str:
    """The name that a branch ends by binding; ``_`` for a bare statement. What binds nothing says nothing here."""
    match next((each for each in reversed(body) if not _binds_nothing(reader, each)), body[-1]):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(
            targets=[ast.Tuple(elts=[*_, ast.Name(id=name)]) | ast.List(elts=[*_, ast.Name(id=name)])],
            value=ast.Tuple() | ast.List(),
        ):
            return name
        case ast.If(body=inner):
            return _final_name(reader, inner)
        case ast.FunctionDef(name=name):
            return name
        case ast.Expr(value=ast.Call()):
            return "_"
        case other:
            return reader.src.fail(other, "syn/branches-bind-one-name", "a branch has to end by binding a variable")


def _binds_nothing(reader: Reader, node: ast.stmt) -> bool:
    """Whether a statement is a declaration, another name for something, or says nothing."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Nonlocal() | ast.AnnAssign(value=None):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func, args=[], keywords=[])):
            name = dotted(func) or ""
            return name.startswith("T.") and dtypes.is_dtype(SHORT_DTYPES.get(name[2:], name[2:]))
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=func)):
            return (dotted(func) or "").rpartition(".")[2] in ("meta_var", "TypeVar")
        case ast.Assign(targets=[ast.Name()], value=ast.Name(id=name)):
            return isinstance(reader.scope.lookup(name), ModuleAlias)
        case ast.Assign(targets=[ast.Name()], value=value):
            known, constant = try_constant(reader.src, value, reader.scope)
            return known and (constant is None or isinstance(constant, (str, list, dict)))
        case _:
            return False


def _branch(reader: Reader, body: list[ast.stmt], name: str) -> tuple[SeqExpr, Type | None]:
    """A branch and the annotation of its last binding. A last binding to a leaf is dropped: the leaf is the value."""
    with reader.inside(reader.scope.child()), reader.collecting() as sink:
        for each in body:
            read_statement(reader, each)
        if not sink.pending:
            reader.src.fail(body[-1], "syn/branches-bind-one-name", "a branch has to end by binding a variable")
        last, bound = sink.pending[-1], reader.scope.lookup(name)
        if name != "_" and not (isinstance(bound, (Var, SymVar)) and bound.name == last.name):
            reader.src.fail(
                body[-1], "syn/branches-bind-one-name", f"a branch ends by binding {name!r}: it names no value"
            )
        value: Expr = Var(last.name, span=last.span)
        if isinstance(last, VarBinding) and isinstance(last.value, (*LEAVES, Tuple)):
            sink.pending.pop()
            reader.names.release(last.name)
            reader.scalars.pop(last.name, None)
            value = last.value
        sink.flush()
    return SeqExpr(tuple(sink.blocks), value, span=reader.src.span(body[0])), last.annotation
