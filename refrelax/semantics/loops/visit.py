"""Walking loop-level statements: the statements inside, the expressions of one, the buffers that are touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    BufferParam,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    Return,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    BufferRef,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Select,
    Shuffle,
    SymVar,
    walk,
)


def inner_statements(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements directly inside ``stmt``."""
    match stmt:
        case For() | While() | AttrStmt() | LaunchThread():
            return stmt.body
        case SBlock():
            return (*(stmt.init or ()), *stmt.body)
        case IfThenElse():
            return (*stmt.then_body, *stmt.else_body)
        case _:
            return ()


def statements_of(stmts: Iterable[Stmt]) -> Iterator[Stmt]:
    """All statements in ``stmts``, outer ones first."""
    for stmt in stmts:
        yield stmt
        yield from statements_of(inner_statements(stmt))


def stored_to(func: PrimFunc) -> frozenset[str]:
    """The buffers that a loop program names in a store."""
    return frozenset(each.buffer for each in statements_of(func.body) if isinstance(each, BufferStore))


def expressions(stmt: Stmt) -> tuple[PrimExpr, ...]:
    """The expressions of ``stmt`` itself, in the order in which they are evaluated."""
    match stmt:
        case BufferStore():
            guard = () if stmt.predicate is None else (stmt.predicate,)
            return (*guard, stmt.value, *stmt.indices)
        case Bind() | Evaluate() | Return():
            return (stmt.value,)
        case AllocBuffer():
            return () if stmt.init is None else (stmt.init,)
        case IfThenElse() | AssertStmt() | While():
            return (stmt.condition,)
        case For():
            return (stmt.min, stmt.extent)
        case LaunchThread():
            return (stmt.extent,)
        case SBlock():
            guard = () if stmt.predicate is None else (stmt.predicate,)
            return (*(axis.binding for axis in stmt.iters), *guard)
        case _:
            return ()


def accessed(stmts: Iterable[Stmt]) -> tuple[set[str], set[str]]:
    """The buffers that are read and those that are written in ``stmts``; one passed on as a handle is both."""
    read: set[str] = set()
    written: set[str] = set()
    for stmt in statements_of(stmts):
        if isinstance(stmt, BufferStore):
            written.add(stmt.buffer)
        for expr in expressions(stmt):
            for node in walk(expr):
                match node:
                    case BufferLoad(buffer=name):
                        read.add(name)
                    case BufferRef(buffer=name) | RangeArg(buffer=name):
                        read.add(name)
                        written.add(name)
                    case _:
                        pass
    return read, written


def touched(stmts: Iterable[Stmt]) -> set[str]:
    """The buffers and pointers by which ``stmts`` come to memory: to read or write it, or as that of a view."""
    stmts = tuple(stmts)
    read, written = accessed(stmts)
    found = read | written
    for stmt in statements_of(stmts):
        named = [*expressions(stmt)]
        match stmt:
            case DeclBuffer(buffer=buffer) | AllocBuffer(buffer=buffer) if buffer.data is not None:
                named.append(buffer.data)
            case SBlock(matches=matches):
                found |= {each.source.buffer for each in matches}
            case _:
                pass
        for node in (node for each in named for node in walk(each)):
            match node:
                case BufferRef(buffer=name) | SymVar(name=name) if node.dtype.startswith("handle"):
                    found.add(name)
                case _:
                    pass
    return found


def reinterprets(function: PrimFunc) -> bool:
    """Whether some memory may be viewed at two dtypes, so that a store through one view is one for the other too."""
    seen: dict[str, str] = {
        each.buffer.name: each.buffer.dtype for each in function.params if isinstance(each, BufferParam)
    }
    seen |= {each.name: each.dtype for each in function.root_allocs}
    names: dict[str, str] = {}

    def root(expr: PrimExpr) -> str:
        found = [each for each in walk(expr) if isinstance(each, BufferRef | BufferLoad | SymVar)]
        at = found[0] if found else None
        name = "" if at is None else at.name if isinstance(at, SymVar) else at.buffer
        return names.get(name, name)

    for stmt in statements_of(function.body):
        match stmt:
            case Bind(var=SymVar(name=name, dtype=dtype), value=value) if dtype.startswith("handle"):
                names[name] = root(value)
            case AllocBuffer(buffer=buffer) | DeclBuffer(buffer=buffer):
                if buffer.data is not None:
                    names[buffer.name] = root(buffer.data)
                if seen.setdefault(names.get(buffer.name, buffer.name), buffer.dtype) != buffer.dtype:
                    return True
            case Evaluate(value=Intrinsic() as call):
                for node in walk(call):
                    if isinstance(node, Intrinsic) and node.op == "tvm_access_ptr":
                        if seen.get(root(node.args[1]), node.args[0].dtype) != node.args[0].dtype:
                            return True
            case SBlock():
                seen |= {each.name: each.dtype for each in stmt.allocs}
                for match in stmt.matches:
                    names[match.buffer.name] = names.get(match.source.buffer, match.source.buffer)
            case _:
                pass
    return False


def with_parts(root: Any, go: Callable[[Any], Any]) -> Any:
    """A text with ``go`` of each part in its place: of a tuple its members, of a node its fields; what has no parts is
    itself."""
    if isinstance(root, tuple):
        return tuple(map(go, root))
    if not is_dataclass(root) or isinstance(root, type | Literal):
        return root
    return replace(root, **{each.name: go(getattr(root, each.name)) for each in fields(root) if each.init})


def rebuild(expr: PrimExpr, change: Callable[[PrimExpr], PrimExpr]) -> PrimExpr:
    """``expr`` with every node replaced by what ``change`` makes of it, operands first, left to right."""

    def go(node: PrimExpr) -> PrimExpr:
        return change(with_operands(node, go))

    return go(expr)


def with_operands(node: PrimExpr, go: Callable[[PrimExpr], PrimExpr]) -> PrimExpr:
    """``node`` with ``go`` applied to its operands, left to right; the predicate of a load stays."""
    match node:
        case Binary():
            return replace(node, a=go(node.a), b=go(node.b))
        case Not():
            return replace(node, a=go(node.a))
        case Cast() | Broadcast():
            return replace(node, value=go(node.value))
        case Select():
            condition = go(node.condition)
            return replace(node, condition=condition, true_value=go(node.true_value), false_value=go(node.false_value))
        case Intrinsic():
            return replace(node, args=tuple(go(each) for each in node.args))
        case BufferLoad():
            return replace(node, indices=tuple(go(each) for each in node.indices))
        case Ramp():
            return replace(node, base=go(node.base), stride=go(node.stride))
        case Shuffle():
            return replace(node, vectors=tuple(go(each) for each in node.vectors))
        case Let():
            value = go(node.value)
            return replace(node, value=value, body=go(node.body))
        case _:
            return node
