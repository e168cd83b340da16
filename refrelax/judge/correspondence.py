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

Spec: ``spec/06c-pointwise.md``, ``va/correspondence``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from refrelax.errors import Rejection
from refrelax.judge.lazily import fetched_at_once
from refrelax.judge.loop_entries import Correspondence, as_memory
from refrelax.judge.overwritten import overwritten
from refrelax.rules import rule
from refrelax.running.arrays import to_constant
from refrelax.semantics.graph.link import callees, library_names, nodes
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax import graph
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import ShapeType, TensorType, TupleType, Type

INNER = "_as_it_was"
LIFTED = "transform_params"
"""How a pass names what computes parameters ahead."""


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


@rule("va/correspondence")
def lifted(one: CheckedModule, two: CheckedModule, entry: str) -> Correspondence | None:
    """Parameters that the second program takes as another function of it gives them (``LiftTransformParams``): that
    function on the first one's; ``None`` where there is none, which the first program does not have."""
    first, second = (_told(each, entry) for each in (one, two))
    a, b = first.functions.get(entry), second.functions.get(entry)
    names = [n for n in (f"{entry}_{LIFTED}", LIFTED) if n in second.functions and n not in first.functions]
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function) or not names:
        return None
    of = second.functions[names[0]]
    if not isinstance(of, graph.Function) or len(of.params) != 1 or names[0] == entry:
        return None
    taken, given = of.params[0].type, two.signatures[names[0]].ret
    if not isinstance(taken, TupleType) or not isinstance(given, TupleType):
        return None
    own = len(a.params) - len(taken.fields)
    if own < 0 or len(b.params) != own + len(given.fields) or _overwritten(second, b, b.params[own:]):
        return None
    call = graph.Call(graph.GlobalVar(names[0]), (graph.Tuple(tuple(graph.Var(p.name) for p in a.params[own:])),))
    fields = tuple(graph.TupleGetItem(call, k) for k in range(len(given.fields)))
    args: tuple[graph.Expr, ...] = (*(graph.Var(p.name) for p in a.params[:own]), *fields)
    new = _wrapped(second, entry, b, a.params, a.symbols, args)
    after = ", ".join(p.name for p in b.params[own:])
    words = f"{after} are what {names[0]} gives of {', '.join(p.name for p in a.params[own:])}"
    return None if new is None else Correspondence(first, new, (words,))


@rule("va/correspondence")
def fetched(one: CheckedModule, two: CheckedModule, entry: str, defined: Iterable[str] = ()) -> Correspondence | None:
    """Parameters that the second program fetches, and results that it hands over, by functions that the first one does
    not have (``LazyTransformParams``); ``None`` where it does not, or by one that a contract or the caller defines.

    ``defined``: names of library functions that the caller defines.
    """
    first, second = (_told(each, entry) for each in (one, two))
    a, b = first.functions.get(entry), second.functions.get(entry)
    if not isinstance(a, graph.Function) or not isinstance(b, graph.Function):
        return None
    ours = frozenset(name for each in nodes(tuple(first.functions.values())) for name in library_names(each))
    known = ours.union(contracts_of(first), contracts_of(second), first.functions, second.functions, defined)
    found = fetched_at_once(a, b, second.functions, known)
    if found is None:
        return None
    new, args, words = found
    try:
        checked = check(replace(second, functions={**second.functions, entry: new}))
    except Rejection:
        return None
    new = replace(new, ret=checked.signatures[entry].ret)
    wrapped = _wrapped(second, entry, new, a.params, a.symbols, args)
    return None if wrapped is None else Correspondence(first, wrapped, words)


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
    if inner in module.functions or any(entry in callees(each) for each in module.functions.values()):
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

    call = graph.Call(graph.GlobalVar(inner), tuple(map(named, args)))
    result = f"{entry}{INNER}_result"
    block = graph.BindingBlock((*bindings, graph.VarBinding(result, call)))
    body = graph.SeqExpr((block,), graph.Var(result))
    new = graph.Function(tuple(params), None, body, pure=func.pure, symbols=symbols)
    own = replace(func, private=True, attrs=attrs)
    return replace(module, functions={**module.functions, entry: new, inner: own})
