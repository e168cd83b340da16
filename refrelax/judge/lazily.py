"""Parameters that are fetched when they are needed, and results that are handed over when they are there.

``LazyTransformParams`` and its kin turn parameters into calls ``get_item(k)`` or ``fget(k, name)``, and the fields of
the result into calls ``set_item(k, value)`` or ``fset(k, value)``. The program is turned back: what is fetched as
number k is item k of what the second program does not take, what is set as number k is field k of the result. That
the functions do this and nothing else is assumed, and said.

Spec: ``spec/06c-pointwise.md``, ``va/fetched``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.judge.overwritten import overwritten
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.dims import NO_FACTS, substitute
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.unknown_calls import LibraryCalls, functions_named
from refrelax.semantics.types.lattice import is_base_of
from refrelax.semantics.types.renaming import map_dims
from refrelax.semantics.types.unify import by_ty_args
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    Expr,
    ExternFunc,
    Function,
    MatchCast,
    Op,
    Param,
    PrimValue,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.types import (
    VOID,
    AnyType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
)

MOST_ITEMS = 10_000
"""How many numbers a program may fetch by."""

STORING = frozenset({"relax.call_tir_inplace", "relax.call_inplace_packed"})


class Unlike(Exception):
    """Calls that fetch or set, but not so that the programs correspond; the message says which and why."""


Item = tuple[Expr, str, Type]
"""What the first program takes: an expression over its parameters, what it is called, and its type."""


@dataclass(frozen=True, slots=True)
class _Items:
    """What is fetched by number, from the first program's parameters that the second one does not take by name."""

    params: tuple[Item, ...]
    fields: tuple[Item, ...]
    """The fields of the one such parameter, if it is one and a tuple, else the same."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a call, and the type of the function where that is given, say of what is set and of the result."""

    takes_any: bool
    """Whether what is set may be anything."""
    gives: tuple[Type, ...]
    """The types that the result is promised to have, each."""

    def of(self, type_: Type, made: str) -> bool:
        """Whether every value of a type of the first program's is as promised. Another promise stops the run of the
        second program (``ev/packed-result-type``), where no check does that the first one may make. A symbol of the
        promise is the second program's, and so none of the type's, whatever its name."""
        named = any(isinstance(n, TensorType) and isinstance(n.shape, str) for n in nodes(self.gives))
        return not named and all(is_base_of(each, _apart(type_, made), NO_FACTS) for each in self.gives)


def _said(call: Call, type_: Type | None) -> _Said:
    gives = (by_ty_args(call.ty_args),)
    if not isinstance(type_, FuncType):
        return _Said(takes_any=True, gives=gives)
    anything = type_.params is None or (len(type_.params) > 0 and isinstance(type_.params[-1], AnyType))
    return _Said(anything, (*gives, type_.ret))


@dataclass(slots=True)
class _Calls:
    """What a function fetches and sets, by number."""

    handed: Mapping[str, Type]
    """Parameters that only the second program has, and their types: functions, and what those are given first."""
    known: frozenset[str]
    """Library functions of which nothing may be assumed: the first program calls them, or they are defined."""
    items: _Items
    pure: frozenset[str]
    """Parameters that are functions whose types say that they change nothing."""
    named: bool
    """Whether the items have names that a call must say."""
    made: str
    """What every name that is made has in it, and none that is there."""
    by: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """``get`` and ``set``: the function that does it, and what each call gives it before the number."""
    numbers: dict[int, Item] = field(default_factory=dict)
    """What is fetched by number."""
    kept: dict[int, str] = field(default_factory=dict)
    """By number: the name under which the value is kept."""
    gone: set[str] = field(default_factory=set)
    """What calls that set give."""
    said: dict[int, str] = field(default_factory=dict)
    """By number: the name that calls say where items have none; no two have the same."""

    def not_so(self, b: VarBinding, what: str) -> Unlike:
        """Why a call is not one that fetches or sets, with its place."""
        return Unlike(f"{f'{b.span}: ' if b.span else ''}{what}")

    def of(self, b: VarBinding) -> tuple[str, int, Expr | None] | None:
        """``get`` or ``set``, the number and the value of a call of such a function."""
        if not isinstance(b.value, Call):
            return None
        match b.value.op:
            case Var(name) if name in self.handed:
                of_library = False
            case ExternFunc(name) if name not in LIBRARY and name not in KERNELS and name not in self.known:
                of_library = True
            case _:
                return None
        args = list(b.value.args)
        first: list[str] = []
        while args and isinstance(leading := args[0], Var) and leading.name in self.handed:
            first.append(leading.name)
            del args[0]
        function = name, tuple(first)
        said = _said(b.value, None if of_library else self.handed[name])
        match args:
            case [PrimValue(value)]:
                items = self.items.fields if of_library else self.items.params
                return self._fetched(b, function, value, items, None, said)
            case [PrimValue(value), StringValue(called)]:
                return self._fetched(b, function, value, self.items.params, called, said)
            case [PrimValue(value), given]:
                return self._set(b, function, value, given, said)
            case _:
                raise Unlike(f"another library function, {name}, is called" if self.by else "")

    def _set(
        self, b: VarBinding, function: tuple[str, tuple[str, ...]], value: PrimExpr, given: Expr, said: _Said
    ) -> tuple[str, int, Expr | None]:
        k = as_int(value)
        if k is None or k < 0:
            raise self.not_so(b, f"the number that {function[0]} is given is no literal, or below 0")
        if k in self.kept:
            raise self.not_so(b, f"{function[0]} sets number {k} twice")
        if not said.takes_any or any(each not in (AnyType(), VOID) for each in said.gives):
            raise self.not_so(b, f"{function[0]} is promised to take or to give something else than any value and none")
        self._does(b, "set", function)
        return "set", k, given

    def _fetched(
        self,
        b: VarBinding,
        function: tuple[str, tuple[str, ...]],
        value: PrimExpr,
        items: Sequence[Item],
        called: str | None,
        said: _Said,
    ) -> tuple[str, int, Expr | None]:
        k = as_int(value)
        if k is None:
            raise self.not_so(b, f"the number that {function[0]} is given is no literal")
        if not 0 <= k < len(items):
            there = ", ".join(f"{n}: {name}" for n, (_, name, _) in enumerate(items)) or "none"
            raise self.not_so(b, f"{function[0]} fetches number {k}; what may be fetched: {there}")
        if called is not None and called != (items[k][1] if self.named else self.said.setdefault(k, called)):
            other = items[k][1] if self.named else self.said[k]
            raise self.not_so(b, f"{function[0]} fetches number {k} as {called!r}; that number is {other!r}")
        if len(set(self.said.values())) < len(self.said):
            raise self.not_so(b, f"{function[0]} fetches number {k} as {called!r}, as which another number is fetched")
        if not said.of(items[k][2], self.made):
            raise self.not_so(b, f"{function[0]} is promised to give more than the type of {items[k][1]} says")
        self._does(b, "get", function)
        self.numbers[k] = items[k]
        return "get", k, None

    def name(self, k: int) -> str:
        """What stands for the item of a number."""
        return f"{self.made}{k}"

    def _does(self, b: VarBinding, kind: str, function: tuple[str, tuple[str, ...]]) -> None:
        """See that this function, so called, is the one that fetches or sets, and does not do the other."""
        other = self.by.get("set" if kind == "get" else "get")
        if other is not None and other[0] == function[0]:
            raise self.not_so(b, f"{function[0]} fetches and sets")
        if (first := self.by.setdefault(kind, function)) != function:
            both = "otherwise than before" if first[0] == function[0] else f"and {first[0]} does, too"
            raise self.not_so(b, f"{function[0]} {'fetches' if kind == 'get' else 'sets'} {both}")


def fetched_at_once(
    first: Function,
    second: Function,
    functions: Mapping[str, Any],
    known: frozenset[str],
    named: bool = True,
    whole: bool = False,
) -> tuple[Function, tuple[Expr, ...], tuple[str, ...]] | None:
    """The second program's entry with the first one's parameters for what it fetches, what to give it, and what was
    taken for what; ``None``: it does not fetch parameters. ``functions``: those of the second program; ``known``: the
    library functions that the first one calls, that a contract of either says the meaning of or that the caller
    defines: of these nothing is assumed; ``named``: whether what is fetched under a name has it in the first program;
    ``whole``: whether a result that is a tuple is set as number 0.

    Raises:
        Unlike: it does, but not in this way.
    """
    own = {p.name for p in first.params}
    new = [p for p in second.params if p.name not in own]
    handed = {p.name: p.type for p in new if isinstance(p.type, FuncType | PackedFuncType | AnyType)}
    kept = [p for p in second.params if p.name not in handed]
    items = _items(first, {p.name for p in kept})
    held = None if items is None else _held([p for p in new if p.name not in handed], items)
    if items is None or held is None:
        return None
    pure = frozenset(p.name for p in second.params if isinstance(p.type, FuncType) and p.type.purity)
    calls = _Calls(handed, known, items, pure, named, _new_mark((first, second)))
    blocks = tuple(
        BindingBlock(tuple(new for b in block.bindings for new in _turned(b, calls))) for block in second.body.blocks
    )
    if not calls.by:
        return None
    if _stores(second):
        raise Unlike("the second program stores in tensors in place, perhaps in what it set or fetched")
    if not _in_order(first, kept, held):
        raise Unlike("the parameters that are not fetched stand in another order")
    if (left := _mentioned(blocks, calls)) is not None:
        raise Unlike(f"{left} is used in another way as well")
    if calls.kept:
        _seen_to_set_all(first, second, calls, whole)
    if _meddles([b for block in blocks for b in block.bindings], calls, functions):
        raise Unlike("another library function is called, or something is stored in what was fetched or set")
    params = [
        *kept,
        *(Param(calls.name(k), _apart(type_, calls.made)) for k, (_, _, type_) in sorted(calls.numbers.items())),
    ]
    result: Expr = second.body.body
    if calls.kept:
        fields = tuple(Var(calls.kept[k]) for k in sorted(calls.kept))
        one = whole or (len(fields) == 1 and first.ret is not None and not isinstance(first.ret, TupleType))
        given = VarBinding(f"{calls.made}_result", Tuple(fields))
        blocks, result = (*blocks, BindingBlock((given,))), fields[0] if one else Var(given.name)
    symbols = tuple(
        dict.fromkeys([*second.symbols, *(s.name for p in params for s in nodes(p) if isinstance(s, SymVar))])
    )
    function = replace(
        second, params=tuple(params), ret=None, body=replace(second.body, blocks=blocks, body=result), symbols=symbols
    )
    taken = (held[p.name][0] if p.name in held else Var(p.name) for p in kept)
    args = (*taken, *(e for _, (e, _, _) in sorted(calls.numbers.items())))
    return function, args, (*(f"{name} is {called}" for name, (_, called, _) in held.items()), *_words(calls, whole))


def fetches(function: Function, by: str) -> list[tuple[str, Type]] | None:
    """What a function fetches by one that it is given, by number from 0 on: names, and the types that it is cast to.
    A number that is not fetched has a type that nothing is taken of; ``None``: it fetches nothing, or casts it to
    none."""
    bindings = [b for block in function.body.blocks for b in block.bindings]
    casts: dict[str, Type] = {}
    for b in bindings:
        if isinstance(b, MatchCast) and isinstance(b.value, Var):
            casts.setdefault(b.value.name, b.type)
    found: dict[int, tuple[str, Type]] = {}
    for b in bindings:
        match b:
            case VarBinding(name, Call(op=Var(name=called), args=(PrimValue(value), *rest))) if called == by:
                k, type_ = as_int(value), casts.get(name)
                if k is None or not 0 <= k < MOST_ITEMS or type_ is None:
                    return None
                said = next((each.value for each in rest if isinstance(each, StringValue)), f"{by}_{k}")
                found.setdefault(k, (said, type_))
            case _:
                pass
    if not found:
        return None
    return [found.get(k, (f"{by}_{k}", ShapeType((), 0))) for k in range(max(found) + 1)]


def _words(calls: _Calls, whole: bool) -> Iterator[str]:
    """What is assumed of the functions."""
    if "get" in calls.by:
        given = ", ".join(f"{k}: {called}" for k, (_, called, _) in sorted(calls.numbers.items()))
        yield f"{calls.by['get'][0]} is assumed to give what has the number, at each call ({given}), and to do no more"
    if "set" in calls.by:
        what = "the result" if whole else f"the fields of the result ({_list(sorted(calls.kept))})"
        yield f"{calls.by['set'][0]} is assumed to keep {what}, and to do no more"
    for name in dict.fromkeys(name for _, first in calls.by.values() for name in first):
        yield f"{name} is assumed to be for these functions alone"


def _items(first: Function, taken: set[str]) -> _Items | None:
    """What may be fetched; ``None``: a parameter says no type."""
    missing: list[Item] = [(Var(p.name), p.name, p.type) for p in first.params if p.name not in taken and p.type]
    if len(missing) != sum(p.name not in taken for p in first.params):
        return None
    match missing:
        case [(e, name, TupleType(fields=types))]:
            fields = tuple((TupleGetItem(e, k), f"{name}[{k}]", each) for k, each in enumerate(types))
            return _Items(tuple(missing), fields)
        case _:
            return _Items(tuple(missing), tuple(missing))


def _held(params: Sequence[Param], items: _Items) -> dict[str, Item] | None:
    """Parameters under another name: the shapes and scalars among what the second program does not take by name, all
    of them, in order."""
    if not params:
        return {}
    found = [each for each in items.fields if isinstance(each[2], ShapeType | PrimType)]
    if [_kind(p.type) for p in params] != [_kind(type_) for _, _, type_ in found]:
        return None
    return {p.name: item for p, item in zip(params, found, strict=True)}


def _in_order(first: Function, kept: Sequence[Param], held: Mapping[str, Item]) -> bool:
    """Whether the parameters that are left, under their own names or others, stand as the first program has them: what
    is called by position would take one for another."""
    places = {p.name: k for k, p in enumerate(first.params)}

    def place(p: Param) -> int:
        e: object = held[p.name][0] if p.name in held else Var(p.name)
        owner = e.tuple if isinstance(e, TupleGetItem) else e
        assert isinstance(owner, Var)
        return places[owner.name]

    found = [place(p) for p in kept]
    return found == sorted(found)


def _kind(type_: Type | None) -> object:
    match type_:
        case ShapeType(ndim=ndim):
            return ndim
        case PrimType(dtype=dtype):
            return dtype
        case _:
            return None


def _turned(b: Binding, calls: _Calls) -> Iterator[Binding]:
    """A binding without the call of such a function."""
    found = calls.of(b) if isinstance(b, VarBinding) else None
    if found is None:
        yield b
        return
    kind, k, value = found
    if kind == "get" or value is None:
        yield VarBinding(b.name, Var(calls.name(k)))
        return
    calls.kept[k] = f"{calls.made}_set{k}"
    calls.gone.add(b.name)
    yield VarBinding(calls.kept[k], value)


def _mentioned(blocks: Sequence[BindingBlock], calls: _Calls) -> str | None:
    """Such a function, what is for it alone, or what one that sets gives, if it is still called or handed on."""
    functions = {name for name, _ in calls.by.values()}
    for node in nodes(blocks):
        match node:
            case Var(name) if name in calls.handed or name in calls.gone:
                return name if name in calls.handed else f"what {calls.by['set'][0]} gives ({name})"
            case ExternFunc(name) | StringValue(name) if name in functions:
                return name
            case _:
                pass
    return None


def _seen_to_set_all(first: Function, second: Function, calls: _Calls, whole: bool) -> None:
    """See that each field of the result is set, and nothing else given."""
    name, numbers = calls.by["set"][0], sorted(calls.kept)
    fields = len(first.ret.fields) if isinstance(first.ret, TupleType) else 1
    count = 1 if whole else max(numbers) + 1 if first.ret is None else fields
    if numbers != list(range(count)):
        missing = sorted({*range(count)} - {*numbers})
        why = f", and number {_list(missing)} is not set" if missing else ""
        raise Unlike(f"{name} sets number {_list(numbers)}; there are {count} results, from number 0 on{why}")
    if not _gives_nothing(second):
        raise Unlike(f"the second program gives something beside what {name} sets")


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _gives_nothing(function: Function) -> bool:
    """Whether the result is the empty tuple."""
    known = {b.name: b.value for block in function.body.blocks for b in block.bindings if isinstance(b, VarBinding)}
    result: Expr | None = function.body.body
    while isinstance(result, Var):
        result = known.pop(result.name, None)
    return isinstance(result, Tuple) and not result.fields


def _stores(function: Function) -> bool:
    """Whether what is set may be overwritten later."""
    return any(
        isinstance(each, Call) and isinstance(each.op, Op) and each.op.name in STORING for each in nodes(function)
    )


def _meddles(bindings: Sequence[Binding], calls: _Calls, functions: Mapping[str, Any]) -> bool:
    """Whether the program may store in what was fetched, or in something after it was set, or calls another library
    function, which may change what is fetched next."""
    libraries, named = LibraryCalls(functions, LIBRARY), functions_named(tuple(bindings))
    found = (each for each in nodes(tuple(bindings)) if isinstance(each, Call) and libraries.may_be(each, named))
    if not all(isinstance(each.op, Var) and each.op.name in calls.pure for each in found):
        return True
    if overwritten(functions, bindings, map(calls.name, calls.numbers)):
        return True
    places = {b.name: k for k, b in enumerate(bindings)}
    return any(overwritten(functions, bindings, (name,), places[name]) for name in calls.kept.values())


def _apart(type_: Type, made: str) -> Type:
    """A type over symbols of its own."""
    named = {each.name for each in nodes(type_) if isinstance(each, SymVar)}
    by = {name: SymVar(f"{name}{made}", "int64") for name in named}
    return map_dims(type_, lambda d: substitute(d, by))


def _new_mark(functions: Sequence[Function]) -> str:
    """What no name in the functions has in it, of values and of symbols."""
    names = {name for each in nodes(tuple(functions)) if isinstance(name := getattr(each, "name", None), str)}
    names.update(name for each in nodes(tuple(functions)) if isinstance(each, Function) for name in each.symbols)
    made = "_lazy"
    while any(made in name for name in names):
        made = f"_{made}"
    return made


__all__ = ["fetched_at_once"]
