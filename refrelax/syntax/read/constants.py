"""Python constants in a text: what can be known without running anything.

Numbers, strings, lists, tuples, dicts, arithmetic on them, comprehensions over them, names that the text binds to such
values. Everything else is refused; nothing is ever evaluated by Python itself.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from refrelax.rules import rule
from refrelax.syntax.read.context import MAX_BITS, Known, Scope, Source

MAX_ITEMS = 200_000
"""Longest sequence that constant arithmetic makes, the items of nested sequences counted too."""


class NotConstant(Exception):
    """Internal: the expression needs more than constants. Carries the node that does."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node
        super().__init__()


@rule("syn/constant-expression")
def constant(src: Source, node: ast.expr, scope: Scope) -> Any:
    """The value of a constant expression.

    Raises:
        Malformed: it is no constant, or too large.
    """
    try:
        return _value(src, node, scope)
    except NotConstant as stop:
        src.fail(stop.node, "syn/constant-expression", f"expected a constant, found `{shown(stop.node)}`")


def try_constant(src: Source, node: ast.expr, scope: Scope) -> tuple[bool, Any]:
    """``(True, value)`` if ``node`` is a constant expression, else ``(False, None)``."""
    try:
        return True, _value(src, node, scope)
    except NotConstant:
        return False, None


def shown(node: ast.AST) -> str:
    """A short rendering of a piece of text, for messages: one line."""
    try:
        text = " ".join(ast.unparse(node).splitlines())
    except (RecursionError, ValueError):
        return type(node).__name__
    return text if len(text) <= 60 else text[:57] + "…"


def _value(src: Source, node: ast.expr, scope: Scope) -> Any:
    with src.deeper(node):
        match node:
            case ast.Constant(value=value) if value is not Ellipsis and not isinstance(value, (bytes, complex)):
                return value
            case ast.Name(id=name):
                return _name(node, name, scope)
            case ast.Attribute(value=ast.Name(id="math"), attr="inf" | "nan" | "pi" as name) if (
                scope.lookup("math") is None
            ):
                return getattr(math, name)
            case ast.List(elts=items):
                return _items(src, items, scope)
            case ast.Tuple(elts=items):
                return tuple(_items(src, items, scope))
            case ast.Dict(keys=keys, values=values):
                return {_key(src, k, scope, node): _value(src, v, scope) for k, v in zip(keys, values, strict=True)}
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(src, node, op, _value(src, operand, scope))
            case ast.BinOp(left=left, op=op, right=right):
                return _binary(src, node, op, _value(src, left, scope), _value(src, right, scope))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return _compare(node, op, _value(src, left, scope), _value(src, right, scope))
            case ast.BoolOp(op=op, values=values):
                return _connective(src, op, values, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return _value(src, body if _value(src, test, scope) else orelse, scope)
            case ast.Subscript(value=base, slice=index):
                return _item(src, node, base, index, scope)
            case ast.ListComp(elt=element, generators=[ast.comprehension() as one]):
                return list(_comprehension(src, element, one, scope))
            case ast.GeneratorExp(elt=element, generators=[ast.comprehension() as one]):
                return list(_comprehension(src, element, one, scope))
            case ast.JoinedStr(values=values):
                return "".join(_formatted(src, piece, scope) for piece in values)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return _builtin(src, node, name, args, scope)
            case _:
                raise NotConstant(node)


def _name(node: ast.AST, name: str, scope: Scope) -> Any:
    entry = scope.lookup(name)
    if isinstance(entry, Known):
        return entry.value
    raise NotConstant(node)


def _key(src: Source, key: ast.expr | None, scope: Scope, node: ast.AST) -> Any:
    if key is None:
        raise NotConstant(node)
    value = _value(src, key, scope)
    if not isinstance(value, (str, int)):
        raise NotConstant(key)
    return value


def _items(src: Source, items: list[ast.expr], scope: Scope) -> list[Any]:
    found: list[Any] = []
    for item in items:
        if isinstance(item, ast.Starred):
            inner = _value(src, item.value, scope)
            if not isinstance(inner, (list, tuple)):
                raise NotConstant(item)
            found.extend(inner)
        else:
            found.append(_value(src, item, scope))
    if any(isinstance(item, (list, tuple)) for item in found):
        _bound_weight(src, items[0], found)
    return found


def _weight(value: Any) -> int:
    """How many items a constant has, those of nested sequences included; stops counting past the limit."""
    total, pending = 0, [value]
    while pending and total <= MAX_ITEMS:
        each = pending.pop()
        if isinstance(each, (list, tuple)):
            total += len(each)
            if len(each) <= MAX_ITEMS:
                pending.extend(item for item in each if isinstance(item, (list, tuple)))
    return total


def _bound_weight(src: Source, node: ast.AST, value: Any, times: int = 1) -> Any:
    if _weight(value) * times > MAX_ITEMS:
        src.fail(node, "syn/constant-too-large", f"a sequence of more than {MAX_ITEMS} items")
    return value


@rule("syn/constant-too-large")
def _bound(src: Source, node: ast.AST, value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        src.fail(node, "syn/constant-too-large", f"an integer of more than {MAX_BITS} bits")
    if isinstance(value, (str, list, tuple)) and len(value) > MAX_ITEMS:
        src.fail(node, "syn/constant-too-large", f"a sequence of more than {MAX_ITEMS} items")
    return value


def _unary(src: Source, node: ast.AST, op: ast.unaryop, value: Any) -> Any:
    if not isinstance(value, (int, float)):
        raise NotConstant(node)
    match op:
        case ast.USub():
            return -value
        case ast.UAdd():
            return +value
        case ast.Not():
            return not value
        case ast.Invert() if isinstance(value, int):
            return ~int(value)
        case _:
            raise NotConstant(node)


def _binary(src: Source, node: ast.AST, op: ast.operator, a: Any, b: Any) -> Any:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _bound(src, node, _arithmetic(src, node, op, a, b))
    if isinstance(op, ast.Add) and type(a) is type(b) and isinstance(a, (str, list, tuple)):
        return _bound_weight(src, node, _bound(src, node, a + b))
    if isinstance(op, ast.Mult) and isinstance(a, int) and isinstance(b, (str, list, tuple)):
        a, b = b, a
    if isinstance(op, ast.Mult) and isinstance(a, (str, list, tuple)) and isinstance(b, int):
        if len(a) * b > MAX_ITEMS:
            src.fail(node, "syn/constant-too-large", f"a sequence of more than {MAX_ITEMS} items")
        _bound_weight(src, node, a, max(b, 0))
        return a * b
    raise NotConstant(node)


def _least_bits(op: ast.operator, a: int, b: int) -> int:
    """What a power or a shift has at least, so that nothing large is computed: what it has is asked of the result."""
    match op:
        case ast.Pow() if abs(a) > 1:
            return (abs(a).bit_length() - 1) * b + 1
        case ast.LShift() if a:
            return a.bit_length() + b
    return 0


def _arithmetic(src: Source, node: ast.AST, op: ast.operator, a: Any, b: Any) -> Any:
    integers = isinstance(a, int) and isinstance(b, int)
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and b == 0:
        src.fail(node, "syn/constant-expression", "division of a constant by zero")
    if isinstance(op, (ast.Pow, ast.LShift, ast.RShift)) and integers and b < 0:
        src.fail(node, "syn/constant-too-large", "a negative power or shift of an integer")
    if integers and _least_bits(op, a, b) > MAX_BITS:
        src.fail(node, "syn/constant-too-large", f"an integer of more than {MAX_BITS} bits")
    try:
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a / b
            case ast.FloorDiv():
                return a // b
            case ast.Mod():
                return a % b
            case ast.Pow() if integers or a >= 0:
                return a**b
            case ast.LShift() if integers:
                return a << b
            case ast.RShift() if integers and b >= 0:
                return a >> b
            case ast.BitAnd() if integers:
                return a & b
            case ast.BitOr() if integers:
                return a | b
            case ast.BitXor() if integers:
                return a ^ b
            case _:
                raise NotConstant(node)
    except (OverflowError, ZeroDivisionError):
        src.fail(node, "syn/constant-too-large", "constant arithmetic overflows")


def _compare(node: ast.AST, op: ast.cmpop, a: Any, b: Any) -> bool:
    try:
        match op:
            case ast.Eq():
                return bool(a == b)
            case ast.NotEq():
                return bool(a != b)
            case ast.Lt():
                return bool(a < b)
            case ast.LtE():
                return bool(a <= b)
            case ast.Gt():
                return bool(a > b)
            case ast.GtE():
                return bool(a >= b)
            case ast.In():
                return a in b
            case ast.NotIn():
                return a not in b
            case ast.Is() if a is None or b is None:  # of other values Python does not say
                return a is b
            case ast.IsNot() if a is None or b is None:
                return a is not b
            case _:
                raise NotConstant(node)
    except TypeError:
        raise NotConstant(node) from None


def _connective(src: Source, op: ast.boolop, values: list[ast.expr], scope: Scope) -> Any:
    result: Any = None
    for each in values:
        result = _value(src, each, scope)
        if bool(result) is isinstance(op, ast.Or):
            return result
    return result


def _item(src: Source, node: ast.AST, base: ast.expr, index: ast.expr, scope: Scope) -> Any:
    value = _value(src, base, scope)
    if isinstance(index, ast.Slice):
        parts = [None if p is None else _value(src, p, scope) for p in (index.lower, index.upper, index.step)]
        if not isinstance(value, (list, tuple, str)) or any(p is not None and not isinstance(p, int) for p in parts):
            raise NotConstant(node)
        return (
            value[slice(*parts)] if parts[2] != 0 else src.fail(node, "syn/constant-expression", "a slice of step zero")
        )
    key = _value(src, index, scope)
    try:
        return value[key]
    except (TypeError, IndexError, KeyError):
        raise NotConstant(node) from None


def _comprehension(src: Source, element: ast.expr, one: ast.comprehension, scope: Scope) -> list[Any]:
    items = _value(src, one.iter, scope)
    if one.is_async or not isinstance(items, (list, tuple, range, str)):
        raise NotConstant(one.iter)
    found: list[Any] = []
    for item in items:
        src.step(element)
        inner = scope.child()
        _bind_target(one.target, item, inner)
        if all(_value(src, test, inner) for test in one.ifs):
            found.append(_value(src, element, inner))
    return list(_bound_weight(src, element, found))


def _bind_target(target: ast.expr, value: Any, scope: Scope) -> None:
    match target:
        case ast.Name(id=name):
            scope.define(name, Known(value))
        case ast.Tuple(elts=names) if isinstance(value, (list, tuple)) and len(value) == len(names):
            for each, item in zip(names, value, strict=True):
                _bind_target(each, item, scope)
        case _:
            raise NotConstant(target)


def _formatted(src: Source, piece: ast.expr, scope: Scope) -> str:
    match piece:
        case ast.Constant(value=str() as text):
            return text
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            value = _value(src, inner, scope)
            if not isinstance(value, (int, float, str)):
                raise NotConstant(piece)
            return str(
                _bound(src, piece, str(value) if not isinstance(value, int) or value.bit_length() < MAX_BITS else "")
            )
        case _:
            raise NotConstant(piece)


def _builtin(src: Source, node: ast.AST, name: str, args: list[ast.expr], scope: Scope) -> Any:
    """The few pure functions that constants in a text are written with."""
    if scope.lookup(name) is not None or name not in _BUILTINS:
        raise NotConstant(node)
    values = [_value(src, arg, scope) for arg in args]
    try:
        result = _BUILTINS[name](*values)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise NotConstant(node) from None
    return _bound(src, node, result)


def _range(*bounds: int) -> list[int]:
    found = range(*bounds)
    if len(found) > MAX_ITEMS:
        raise ValueError
    return list(found)


def _number(text: Any = 0) -> float:
    if isinstance(text, str) and len(text) > 400:
        raise ValueError
    return float(text)


def _sum(items: Any) -> int | float:
    if not all(isinstance(item, (int, float)) for item in items):
        raise TypeError
    total: int | float = sum(items)
    return total


def _integer(value: Any = 0) -> int:
    if not isinstance(value, (int, float)):
        raise TypeError
    return int(value)


_BUILTINS: dict[str, Any] = {
    "float": _number, "int": _integer, "bool": bool, "str": str, "len": len, "range": _range, "list": list,
    "tuple": tuple, "min": min, "max": max, "abs": abs, "sum": _sum,
}  # fmt: skip


def is_number(value: Any) -> bool:
    """Whether a constant is an ``int``, ``bool`` or ``float``."""
    return isinstance(value, (int, float))
