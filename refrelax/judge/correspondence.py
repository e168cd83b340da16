"""How two entries correspond that do not take the same: what a pass binds, bundles, drops or makes static.

The side that takes more is called by a wrapper that takes what the other does; so a correspondence is a program, and
is judged as programs are. Which one was taken is said with the answer.

* Parameters of the first program that are constants in the second: by arrays that the caller gives, or by those of the
  second program's constants that have their types, in order.
* Parameters that the second program takes as fields of a tuple, or the other way round, in order.
* Parameters that the second program does not take any more.
* Parameters that another function of the second program computes from the first one's.
* Parameters that the second program fetches by calls, and results that it sets by calls (``lazily``).
* Extents of the second program's parameters that are literals where the first has symbols.
* Loop programs: what a packed call hands over, the memory behind pointers, bytes (``loop_entries``).

Spec: ``spec/06c-pointwise.md``, ``va/correspondence``, ``va/computed-ahead``, ``va/fetched``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from refrelax.errors import Rejection
from refrelax.judge.lazily import Unlike, fetched_at_once, fetches
from refrelax.judge.loop_entries import Correspondence, as_memory
from refrelax.judge.overwritten import overwritten
from refrelax.rules import rule
from refrelax.running.arrays import to_constant
from refrelax.semantics.dims import substitute
from refrelax.semantics.graph.link import callees, library_names, nodes
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import map_dims
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax import graph
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import FuncType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.types import type_text

INNER = "_as_it_was"
LIFTED = "transform_params"
"""How a pass names what computes parameters ahead."""
BUNDLE = "model_params"
"""And the tuple that it takes."""


@rule("va/correspondence")
def corresponding(one: CheckedModule, two: CheckedModule, entry: str, bind: Mapping[str, Any]) -> Correspondence | None:
    """The two programs as ones whose entries take the same; ``None`` where none of the ways above leads there.

    ``bind``: arrays for parameters of the first program.
    """
    first, second = (_told(each, entry) for each in (one, two))
    a, b = first.functions.get(entry), second.functions.get(entry)
    if isinstance(a, PrimFunc) and not bind:
        return as_memory(first, second, entry, on_request=True)
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function):
        return None
    if any(p.type is None for p in (*a.params, *b.params)):
        return None
    if len(a.params) == len(b.params) and not bind:
        return _static(first, second, entry, a, b) or _packed(first, second, entry, a, b)
    return _packed(first, second, entry, a, b) or _fewer(first, second, entry, bind, a, b)


@rule("va/computed-ahead")
def lifted(one: CheckedModule, two: CheckedModule, entry: str, defined: Iterable[str] = ()) -> Correspondence | None:
    """Parameters that the second program takes as another function of it gives them (``LiftTransformParams``): that
    function on the first one's; ``None`` where there is none, which the first program does not have.

    That function may fetch what it takes and set what it gives, and the entry fetch that (``LazyTransformParams``,
    ``LazyGetInput`` and ``LazySetOutput`` after it): what the one sets as number k is what the other fetches as number
    k. ``defined``: as of ``fetched``.

    Raises:
        Unlike: they fetch or set, but not so that the programs correspond.
    """
    first, second = (_told(each, entry) for each in (one, two))
    a, b = first.functions.get(entry), second.functions.get(entry)
    names = [n for n in (f"{entry}_{LIFTED}", LIFTED) if n in second.functions and n not in first.functions]
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function) or not names or names[0] == entry:
        return None
    of = second.functions[names[0]]
    if not isinstance(of, graph.Function) or (own := _own(a, of)) is None:
        return None
    known = _known(first, second, defined)
    types = tuple(p.type for p in a.params[own:] if p.type is not None)
    if len(types) != len(a.params) - own:
        return None
    words: tuple[str, ...] = ()
    if (found := _fetched(_taking(of, names[0], types), second, names[0], known, named=False)) is not None:
        second, words = found.second, tuple(f"in {names[0]}, {each}" for each in found.words)
        second = _told(_checked(second), names[0])
    given = _checked(second).signatures[names[0]].ret
    if not isinstance(given, TupleType) or not _takes_one_tuple(second.functions[names[0]]):
        return None
    entry_known = known.union(name for each in nodes(of) for name in library_names(each))
    virtual = _taking_more(a, own, names[0], given)
    before = Module({entry: virtual})
    if (found := _fetched(before, second, entry, entry_known, named=False)) is not None:
        second, words = _told(_checked(found.second), entry), (*words, *found.words)
        b = second.functions[entry]
    assert isinstance(b, graph.Function)
    _fits(names[0], given, b.params[own:])
    if _overwritten(second, b, b.params[own:]):
        raise Unlike(f"{entry} may store in what {names[0]} gives, which the next call is given again")
    call = graph.Call(graph.GlobalVar(names[0]), (graph.Tuple(tuple(graph.Var(p.name) for p in a.params[own:])),))
    fields = tuple(graph.TupleGetItem(call, k) for k in range(len(given.fields)))
    args: tuple[graph.Expr, ...] = (*(graph.Var(p.name) for p in a.params[:own]), *fields)
    new = _wrapped(second, entry, b, a.params, a.symbols, args)
    after = ", ".join(p.name for p in b.params[own:])
    said = f"{after} are what {names[0]} gives of {', '.join(p.name for p in a.params[own:])}"
    return None if new is None else Correspondence(first, new, (said, *words))


def _fits(name: str, given: TupleType, params: Sequence[graph.Param]) -> None:
    """See that an entry takes what the function of this name gives, as far as literals in types tell."""
    if len(given.fields) != len(params):
        taken = ", ".join(p.name for p in params) or "none"
        raise Unlike(f"{name} gives {len(given.fields)} values, the entry takes {len(params)} ({taken})")
    for k, (type_, p) in enumerate(zip(given.fields, params, strict=True)):
        if p.type is not None and _unlike(type_, p.type):
            where = f"{p.span}: " if p.span else ""
            raise Unlike(f"{where}{name} gives {type_text(type_)} as number {k}, {p.name} is {type_text(p.type)}")


def _unlike(a: Type, b: Type) -> bool:
    """Whether no value is of both types, as far as is seen."""
    match a, b:
        case TensorType(), TensorType():
            other = a.dtype != b.dtype and None not in (a.dtype, b.dtype)
            dims = list(zip(map(as_int, _extents(a)), map(as_int, _extents(b)), strict=False))
            return other or a.ndim != b.ndim or any(None not in pair and pair[0] != pair[1] for pair in dims)
        case _:
            return type(a) is not type(b)


def _own(a: graph.Function, of: graph.Function) -> int | None:
    """How many of an entry's parameters are not for what is computed ahead: as many as the tuple leaves that ``of``
    takes, or as the entry says."""
    match [p.type for p in of.params]:
        case [TupleType(fields=fields), *_]:
            own = len(a.params) - len(fields)
        case _:
            own = next((n for key, n in a.attrs if key == "num_input" and isinstance(n, int)), -1)
    return own if 0 <= own <= len(a.params) else None


def _taking(of: graph.Function, name: str, types: tuple[Type, ...]) -> Module:
    """A module with a function of this name that takes one tuple, under the name that ``of`` takes one by."""
    called = next((p.name for p in of.params if isinstance(p.type, TupleType)), BUNDLE)
    param = graph.Param(called, TupleType(types))
    return Module({name: graph.Function((param,), None, graph.SeqExpr((), graph.Var(called)), symbols=_symbols(types))})


def _taking_more(a: graph.Function, own: int, name: str, given: TupleType) -> graph.Function:
    """An entry that takes its own parameters and each field of what the function of this name gives, over symbols of
    their own."""
    names = {each.name for each in nodes(given) if isinstance(each, SymVar)}
    by = {each: SymVar(f"{each}_of_{name}", "int64") for each in names}
    types = [map_dims(each, lambda d: substitute(d, by)) for each in given.fields]
    params = (*a.params[:own], *(graph.Param(f"{name}_{k}", each) for k, each in enumerate(types)))
    return replace(a, params=params, symbols=_symbols(tuple(p.type for p in params)))


def _symbols(types: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in nodes(types) if isinstance(each, SymVar)))


@rule("va/fetched")
def fetched(one: CheckedModule, two: CheckedModule, entry: str, defined: Iterable[str] = ()) -> Correspondence | None:
    """Parameters that the second program fetches, and results that it hands over, by functions that the first one does
    not have (``LazyTransformParams``); ``None`` where it does not, or by one that a contract or the caller defines.

    ``defined``: names of library functions that the caller defines.

    Raises:
        Unlike: it does, but not so that the programs correspond.
    """
    first, second = (_told(each, entry) for each in (one, two))
    return _fetched(first, second, entry, _known(first, second, defined))


@rule("va/fetched")
def fetched_in_both(
    one: CheckedModule, two: CheckedModule, entry: str, defined: Iterable[str] = ()
) -> Correspondence | None:
    """Two programs that fetch by one function, which both are given under one name: both with parameters for what the
    first one fetches, of the types that it casts them to; ``None`` where they are not.

    Raises:
        Unlike: they do, but not in this way.
    """
    first, second = (_told(each, entry) for each in (one, two))
    a, b = first.functions.get(entry), second.functions.get(entry)
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function):
        return None
    both = {p.name for p in b.params}
    functions = [p.name for p in a.params if isinstance(p.type, FuncType) and p.name in both]
    items = fetches(a, functions[0]) if len(functions) == 1 else None
    if items is None or any(p.type is None for p in a.params):
        return None
    own = [p for p in a.params if p.name != functions[0]]
    params = (*own, *(graph.Param(called, type_) for called, type_ in items))
    if len({p.name for p in params}) < len(params):
        return None
    taking = replace(a, params=params, symbols=_symbols(tuple(p.type for p in params)))
    known = _known(first, second, defined)
    found = [_fetched(Module({entry: taking}), each, entry, known) for each in (first, second)]
    if found[0] is None or found[1] is None:
        return None
    words = f"what {functions[0]} gives is assumed to be of the types that the first program casts it to"
    said = (words, *dict.fromkeys(word for each in found if each is not None for word in each.words))
    return Correspondence(found[0].second, found[1].second, said)


def _known(first: Module, second: Module, defined: Iterable[str]) -> frozenset[str]:
    """The functions of which nothing may be assumed."""
    ours = frozenset(name for each in nodes(tuple(first.functions.values())) for name in library_names(each))
    return ours.union(contracts_of(first), contracts_of(second), first.functions, second.functions, defined)


def _fetched(
    first: Module, second: Module, entry: str, known: frozenset[str], named: bool = True
) -> Correspondence | None:
    """As ``fetched``. A tuple that is set as number 0 may be the result itself, if that is a tuple, too."""
    a, b = first.functions.get(entry), second.functions.get(entry)
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function):
        return None
    try:
        found = _turned_back(a, second, entry, known, named, whole=False)
    except Unlike:
        if not isinstance(a.ret, TupleType):
            raise
        found = None
    else:
        if found is None:
            return None
    if found is None or _set_as_one(a.ret, found[0].ret):
        try:
            found = _turned_back(a, second, entry, known, named, whole=True)
        except Unlike:
            found = _turned_back(a, second, entry, known, named, whole=False)
    if found is None:
        return None
    new, args, words = found
    wrapped = _wrapped(second, entry, new, a.params, a.symbols, args)
    return None if wrapped is None else Correspondence(first, wrapped, words)


def _turned_back(
    a: graph.Function, second: Module, entry: str, known: frozenset[str], named: bool, whole: bool
) -> tuple[graph.Function, tuple[graph.Expr, ...], tuple[str, ...]] | None:
    """As ``fetched_at_once``, with the type of the result."""
    b = second.functions[entry]
    assert isinstance(b, graph.Function)
    found = fetched_at_once(a, b, second.functions, known, named, whole)
    if found is None:
        return None
    new, args, words = found
    checked = _checked(replace(second, functions={**second.functions, entry: new}))
    return replace(new, ret=checked.signatures[entry].ret), args, words


def _checked(module: Module) -> CheckedModule:
    """A program in which calls that fetch are what they are assumed to give."""
    try:
        return check(module)
    except Rejection as rejection:
        raise Unlike(f"{rejection.diagnostics[0]}, with what the number says in the place of what is fetched") from None


def _takes_one_tuple(function: object) -> bool:
    return (
        isinstance(function, graph.Function)
        and len(function.params) == 1
        and isinstance(function.params[0].type, TupleType)
    )


def _set_as_one(wanted: Type | None, found: Type | None) -> bool:
    """Whether the only field of what is given is a tuple, as what is wanted is whose fields are others."""
    match found:
        case TupleType(fields=(TupleType() as inner,)):
            return wanted is None or (_packing(wanted) != _packing(found) and _packing(wanted) == _packing(inner))
        case _:
            return False


def _overwritten(module: Module, func: graph.Function, params: Sequence[graph.Param]) -> bool:
    """Whether a function may store in what it is given for some parameters, which the next call is given again."""
    bindings = [each for block in func.body.blocks for each in block.bindings]
    return overwritten(module.functions, bindings, (p.name for p in params))


def _told(checked: CheckedModule, entry: str) -> Module:
    """The module with the type that its entry gives: as it is written, or as it was deduced."""
    func = checked.module.functions.get(entry)
    if not isinstance(func, graph.Function) or func.ret is not None or entry not in checked.signatures:
        return checked.module
    told = replace(func, ret=checked.signatures[entry].ret)
    return replace(checked.module, functions={**checked.module.functions, entry: told})


def _static(first: Module, second: Module, entry: str, a: graph.Function, b: graph.Function) -> Correspondence | None:
    """Literals in the second program's extents: the first one on arguments of the second's types."""
    said: dict[str, str] = {}
    for p, q in zip(a.params, b.params, strict=True):
        for x, y in zip(_extents(p.type), _extents(q.type), strict=False):
            if isinstance(x, SymVar) and isinstance(y, Literal):
                said[x.name] = f"{x.name} = {as_int(y)}"
    if not said:
        return None
    args = tuple(graph.Var(q.name) for q in b.params)
    new = _wrapped(first, entry, a, b.params, b.symbols, args)
    return None if new is None else Correspondence(new, second, tuple(said.values()))


def _extents(type_: Type | None) -> tuple[PrimExpr, ...]:
    match type_:
        case TensorType(shape=tuple() as dims) | ShapeType(values=tuple() as dims):
            return dims
        case _:
            return ()


def _packed(first: Module, second: Module, entry: str, a: graph.Function, b: graph.Function) -> Correspondence | None:
    """Parameters that the one takes as fields of a tuple: the second program on the first one's arguments."""
    ours = [leaf for p in a.params for leaf in _leaves(graph.Var(p.name), p.type)]
    theirs = [leaf for p in b.params for leaf in _leaves(graph.Var(p.name), p.type)]
    shapes = [[_packing(p.type) for p in f.params] for f in (a, b)]
    if len(ours) != len(theirs) or shapes[0] == shapes[1]:
        return None
    rest = iter([each for each, _ in ours])
    args = tuple(_built(p.type, rest) for p in b.params)
    new = _wrapped(second, entry, b, a.params, a.symbols, args)
    tuples = [p.name for f in (a, b) for p in f.params if isinstance(p.type, TupleType)]
    words = tuple(f"the fields of {name} are parameters of their own" for name in dict.fromkeys(tuples))
    return None if new is None else Correspondence(first, new, words)


def _fewer(
    first: Module, second: Module, entry: str, bind: Mapping[str, Any], a: graph.Function, b: graph.Function
) -> Correspondence | None:
    """Parameters that the second program does not take: constants, or nothing that it needs."""
    kept = [p.name for p in b.params]
    missing = [p for p in a.params if p.name not in kept]
    same = [p.name for p in a.params if p.name in kept] == kept
    if not same or not missing or not bind.keys() <= {p.name for p in missing}:
        return None
    arrays = {name: to_constant(each) for name, each in bind.items()}
    sources = dict.fromkeys(arrays, "given")
    if not arrays:
        found = _among(missing, second)
        if any(p.name not in found and _new_of(_static_type(p), first, second) for p in missing):
            return None  # (one of these constants may be it: which, is for the caller to say)
        arrays = {name: each for name, (each, _) in found.items()}
        sources = {name: f"constant {index} of the second program" for name, (_, index) in found.items()}
    dropped = [p.name for p in missing if p.name not in arrays]
    if arrays:
        params = tuple(p for p in a.params if p.name not in arrays)
        index = max(first.constants, default=-1) + 1
        refs = {name: graph.ConstantRef(index + k) for k, name in enumerate(arrays)}
        more = {index + k: each for k, each in enumerate(arrays.values())}
        base = replace(first, constants={**first.constants, **more})
        args = tuple(refs.get(p.name, graph.Var(p.name)) for p in a.params)
        new = _wrapped(base, entry, a, params, _used(params, a.symbols), args)
    else:
        params, new = a.params, first
    if new is None:
        return None
    words = [f"{name} is {source}" for name, source in sources.items()]
    if not dropped:
        return Correspondence(new, second, tuple(words))
    other = _wrapped(second, entry, b, params, _used(params, a.symbols), tuple(graph.Var(name) for name in kept))
    words += [f"{name} is not taken by the second program" for name in dropped]
    return None if other is None else Correspondence(new, other, tuple(words))


def _among(params: Sequence[graph.Param], module: Module) -> dict[str, tuple[ConstantArray, int]]:
    """Constants of a module for parameters: those of a type in order, where there are as many."""
    found: dict[str, tuple[ConstantArray, int]] = {}
    for type_ in dict.fromkeys(map(_static_type, params)):
        of_type = [p for p in params if _static_type(p) == type_]
        constants = [(each, k) for k, each in sorted(module.constants.items()) if (each.dtype, each.shape) == type_]
        if type_ is not None and len(constants) == len(of_type):
            found |= {p.name: each for p, each in zip(of_type, constants, strict=True)}
    return found


def _new_of(type_: tuple[str, tuple[int, ...]] | None, first: Module, second: Module) -> bool:
    """Whether the second program has more constants of a type."""
    ours, theirs = (
        sum((each.dtype, each.shape) == type_ for each in module.constants.values()) for module in (first, second)
    )
    return theirs > ours


def _static_type(p: graph.Param) -> tuple[str, tuple[int, ...]] | None:
    match p.type:
        case TensorType(shape=tuple() as dims, dtype=str() as dtype):
            extents = tuple(as_int(d) for d in dims)
            return None if any(d is None for d in extents) else (dtype, tuple(d or 0 for d in extents))
        case _:
            return None


def _used(params: Sequence[graph.Param], symbols: Sequence[str]) -> tuple[str, ...]:
    """Those of a function's symbols that its parameters mention."""
    names: set[str] = set()
    for p in params:
        for _, type_ in _leaves(graph.Var(p.name), p.type):
            if isinstance(type_, TensorType) and isinstance(type_.shape, tuple):
                names |= {n for d in type_.shape for n in free_symbols(d)}
    return tuple(name for name in symbols if name in names)


def _leaves(e: graph.Expr, type_: Type | None) -> list[tuple[graph.Expr, Type | None]]:
    """The parts of a value that are no tuples."""
    if not isinstance(type_, TupleType):
        return [(e, type_)]
    parts = enumerate(type_.fields)
    return [leaf for k, each in parts for leaf in _leaves(graph.TupleGetItem(e, k), each)]


def _packing(type_: Type | None) -> object:
    return tuple(map(_packing, type_.fields)) if isinstance(type_, TupleType) else None


def _built(type_: Type | None, leaves: Any) -> graph.Expr:
    """A value of a type from its parts."""
    if isinstance(type_, TupleType):
        return graph.Tuple(tuple(_built(each, leaves) for each in type_.fields))
    found: graph.Expr = next(leaves)
    return found


def _wrapped(
    module: Module,
    entry: str,
    func: graph.Function,
    params: Sequence[graph.Param],
    symbols: tuple[str, ...],
    args: tuple[graph.Expr, ...],
) -> Module | None:
    """The module with an entry that takes ``params`` and calls what the entry was; ``None`` where others call it."""
    inner = f"{entry}{INNER}"
    while inner in module.functions:  # (it may have been called so before)
        inner = f"{inner}_{INNER}"
    if any(entry in callees(each) for each in module.functions.values()):
        return None
    attrs = tuple((key, value) for key, value in func.attrs if key != "global_symbol")
    bindings: list[graph.Binding] = []
    known: dict[int, graph.Var] = {}

    def named(e: graph.Expr) -> graph.Expr:
        if isinstance(e, graph.Var | graph.ConstantRef):
            return e
        if (found := known.get(id(e))) is None:
            found = known[id(e)] = bound(e)
        return found

    def bound(e: graph.Expr) -> graph.Var:
        if isinstance(e, graph.Tuple):
            e = replace(e, fields=tuple(map(named, e.fields)))
        if isinstance(e, graph.TupleGetItem):
            e = replace(e, tuple=named(e.tuple))
        if isinstance(e, graph.Call):
            e = replace(e, args=tuple(map(named, e.args)))
        bindings.append(graph.VarBinding(f"{entry}{INNER}_{len(bindings)}", e))
        return graph.Var(bindings[-1].name)

    callees_ = [module.functions.get(name) for e in args for name in callees(e)]
    call = graph.Call(graph.GlobalVar(inner), tuple(map(named, args)))
    result = f"{entry}{INNER}_result"
    block = graph.BindingBlock((*bindings, graph.VarBinding(result, call)))
    body = graph.SeqExpr((block,), graph.Var(result))
    pure = func.pure and all(each.pure for each in callees_ if isinstance(each, graph.Function))
    new = graph.Function(tuple(params), None, body, pure=pure, symbols=symbols)
    own = replace(func, private=True, attrs=attrs)
    return replace(module, functions={**module.functions, entry: new, inner: own})
