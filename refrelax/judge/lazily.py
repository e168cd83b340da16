"""Parameters that are fetched when they are needed, and results that are handed over when they are there.

``LazyTransformParams`` and its kin turn parameters into calls ``get_item(k)`` or ``fget(k, name)``, and the fields of
the result into calls ``set_item(k, value)`` or ``fset(k, value)``. The program is turned back: what is fetched as
number k is the k-th parameter that the second program does not take, what is set as number k is field k of the result.

Spec: ``spec/06c-pointwise.md``, ``va/correspondence``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.judge.overwritten import overwritten
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.types.renaming import map_dims
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Expr,
    ExternFunc,
    Function,
    Op,
    Param,
    PrimValue,
    StringValue,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.types import AnyType, FuncType, PackedFuncType, TupleType, Type

GET, SET = "get_item", "set_item"
"""The names that TVM gives the library functions."""

STORING = frozenset({"relax.call_tir_inplace", "relax.call_inplace_packed"})


@dataclass(slots=True)
class _Calls:
    """What a function fetches and sets, by number."""

    callbacks: frozenset[str]
    wanted: Sequence[tuple[str, Type]]
    fetched: dict[str, int] = field(default_factory=dict)
    """By the name of the binding."""
    set: dict[int, str] = field(default_factory=dict)
    """By number: the name under which the value is kept."""
    understood: bool = True

    def of(self, b: VarBinding) -> tuple[str, int, Expr | None] | None:
        """``get`` or ``set``, the number and the value of a call of a callback."""
        if not isinstance(b.value, Call):
            return None
        args = list(b.value.args)
        match b.value.op:
            case Var(name) if name in self.callbacks:
                kind = ""
            case ExternFunc(name) if name in (GET, SET):
                kind = name
                if args and isinstance(args[0], Var) and args[0].name in self.callbacks:
                    del args[0]
            case _:
                return None
        match args:
            case [PrimValue(value)] if kind in ("", GET):
                return self._numbered("get", value, None)
            case [PrimValue(value), StringValue(name)] if kind in ("", GET):
                k = as_int(value)
                named = k is not None and k < len(self.wanted) and self.wanted[k][0] == name
                return self._numbered("get", value, None) if named else self._strange()
            case [PrimValue(value), given] if kind in ("", SET):
                return self._numbered("set", value, given)
            case _:
                return self._strange()

    def _numbered(self, kind: str, value: PrimExpr, given: Expr | None) -> tuple[str, int, Expr | None] | None:
        k = as_int(value)
        if k is None or k < 0 or (kind == "get" and k >= len(self.wanted)) or (kind == "set" and k in self.set):
            return self._strange()
        return kind, k, given

    def _strange(self) -> tuple[str, int, Expr | None] | None:
        self.understood = False
        return None


def fetched_at_once(
    first: Function,
    second: Function,
    leaves: Sequence[tuple[Expr, str, Type | None]],
    functions: Mapping[str, Any],
) -> tuple[Function, tuple[Expr, ...], tuple[str, ...]] | None:
    """The second program's entry with the first one's parameters for what it fetches, what to give it, and what was
    taken for what; ``None``: it does not fetch parameters, or not in this way. ``leaves``: the first program's
    parameters in parts, with the name of each; ``functions``: those of the second program."""
    callbacks = frozenset(p.name for p in second.params if isinstance(p.type, FuncType | PackedFuncType | AnyType))
    kept = [p for p in second.params if p.name not in callbacks]
    names = {p.name for p in kept}
    wanted = [(e, name, type_) for e, name, type_ in leaves if name not in names]
    typed = [(name, type_) for _, name, type_ in wanted if type_ is not None]
    ours = {p.name for p in first.params}
    if len(typed) != len(wanted) or not names <= ours or _stores(second):
        return None
    calls = _Calls(callbacks, typed)
    blocks = tuple(
        BindingBlock(tuple(new for b in block.bindings for new in _turned(b, calls))) for block in second.body.blocks
    )
    if not calls.understood or not (calls.fetched or calls.set) or _mentions(blocks, calls):
        return None
    if calls.set and sorted(calls.set) != list(range(len(calls.set))):
        return None
    if _set_too_early([b for block in blocks for b in block.bindings], calls, functions):
        return None
    params = [*kept, *(Param(_lazy(k), _apart(type_)) for k, (_, type_) in enumerate(typed))]
    result: Expr = second.body.body
    if calls.set:
        fields = tuple(Var(calls.set[k]) for k in sorted(calls.set))
        one = len(fields) == 1 and not isinstance(first.ret, TupleType)
        given = VarBinding("_lazy_result", Tuple(fields))
        blocks, result = (*blocks, BindingBlock((given,))), fields[0] if one else Var(given.name)
    symbols = tuple(
        dict.fromkeys([*second.symbols, *(s.name for p in params for s in nodes(p) if isinstance(s, SymVar))])
    )
    new = replace(
        second, params=tuple(params), ret=None, body=replace(second.body, blocks=blocks, body=result), symbols=symbols
    )
    args = (*(Var(p.name) for p in kept), *(e for e, _, _ in wanted))
    words = [f"number {k} that is fetched is {typed[k][0]}" for k in sorted(set(calls.fetched.values()))]
    words += [f"number {k} that is set is a field of the result" for k in sorted(calls.set)]
    return new, args, tuple(words)


def _turned(b: object, calls: _Calls) -> Iterator[VarBinding]:
    """A binding without the call of a callback."""
    found = calls.of(b) if isinstance(b, VarBinding) else None
    if found is None or not isinstance(b, VarBinding):
        yield b  # type: ignore[misc]
        return
    kind, k, value = found
    if kind == "get" or value is None:
        calls.fetched[b.name] = k
        yield VarBinding(b.name, Var(_lazy(k)))
        return
    calls.set[k] = f"_lazy_set{k}"
    yield VarBinding(calls.set[k], value)
    yield VarBinding(b.name, Tuple(()))


def _mentions(blocks: Sequence[BindingBlock], calls: _Calls) -> bool:
    """Whether a callback is still called or handed on."""
    for node in nodes(blocks):
        match node:
            case Var(name) if name in calls.callbacks:
                return True
            case ExternFunc(name) if name in (GET, SET):
                return True
            case _:
                pass
    return False


def _stores(function: Function) -> bool:
    """Whether what is set may be overwritten later."""
    return any(
        isinstance(each, Call) and isinstance(each.op, Op) and each.op.name in STORING for each in nodes(function)
    )


def _set_too_early(bindings: Sequence[Binding], calls: _Calls, functions: Mapping[str, Any]) -> bool:
    """Whether the program may store in something after it was set."""
    places = {b.name: k for k, b in enumerate(bindings)}
    return any(overwritten(functions, bindings, (name,), places[name]) for name in calls.set.values())


def _lazy(k: int) -> str:
    return f"_lazy{k}"


def _apart(type_: Type) -> Type:
    """A type over symbols of its own."""
    named = {each.name for each in nodes(type_) if isinstance(each, SymVar)}
    by = {name: SymVar(f"{name}__lazy", "int64") for name in named}
    return map_dims(type_, lambda d: substitute(d, by))


__all__ = ["fetched_at_once"]
