"""``modules()``: well-typed modules over everything that exists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from refrelax.semantics.graph.link import nodes
from refrelax.semantics.ops import IMPURE
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    DataflowBlock,
    Expr,
    Function,
    If,
    Op,
    Param,
    SeqExpr,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import FuncType, ShapeType, TupleType, Type, tensor_of
from refrelax.testing import control_rules, graph_rules, loop_functions, network_rules
from refrelax.testing.building import Building, bare_symbols, start, used_symbols, visible_type
from refrelax.testing.graph_rules import Rule
from refrelax.testing.options import FEATURES, LEVELS, Options, check_integer, dtype_names, subset

RULES: dict[str, dict[str, Rule]] = {
    "elementwise": graph_rules.ELEMENTWISE,
    "reductions": graph_rules.REDUCTIONS,
    "shapes": graph_rules.SHAPES,
    "indexing": graph_rules.INDEXING,
    "linear": graph_rules.LINEAR,
    "networks": network_rules.NETWORKS,
    "tuples": control_rules.TUPLES,
    "primitives": control_rules.PRIMITIVES,
    "match_cast": control_rules.CASTS,
    "branches": control_rules.BRANCHES,
    "functions": control_rules.FUNCTIONS,
    "recursion": control_rules.RECURSION,
    "libraries": control_rules.LIBRARIES,
    "effects": control_rules.EFFECTS,
}
"""Rules by feature. The loop level has a table of its own."""


def modules(
    *,
    max_bindings: int = 6,
    levels: Collection[str] | None = None,
    dtypes: Collection[str] | None = None,
    features: Collection[str] | None = None,
    symbols: Collection[str] = ("n", "m"),
) -> st.SearchStrategy[Module]:
    """Well-typed modules with a function ``main``.

    Valid by construction: ``rr.check`` accepts every one of them. Their dims are numbers, the ``symbols`` of ``main``,
    and sums and products of them (``n``, ``n + 1``, ``n * 2``; with the feature ``float_extents`` also
    ``int64(ceil(float32(n) * 1.5))``). Library functions that they call are in
    ``rr.testing.EXTERNS``. Shrinks to few bindings, parameters and small shapes.

    ``max_bindings``: how many rules build ``main`` (a rule adds one or two bindings). ``levels``: ``"graph"``,
    ``"loops"`` (generated PrimFuncs under ``R.call_tir``). ``dtypes``: element types, simplest first. ``features``:
    names of ``rr.testing.FEATURES``; leave out what an implementation under test cannot do.

    >>> from hypothesis import given
    >>> @given(modules(features=["elementwise", "branches"], dtypes=["float32"]))  # doctest: +SKIP
    ... def test_check_accepts(module):
    ...     rr.check(module)

    Raises:
        InvalidArgument: an unknown level, dtype or feature, features that build nothing, or a number below 1.
    """
    check_integer("max_bindings", max_bindings, 1)
    chosen_levels = subset("levels", levels, LEVELS)
    options = Options(
        max_bindings,
        chosen_levels,
        dtype_names("dtypes", dtypes),
        subset("features", features, FEATURES),
        tuple(symbols),
    )
    tables = [RULES[name] for name in options.features if name in RULES] if "graph" in chosen_levels else []
    if "loops" in chosen_levels:
        tables += [loop_functions.LOOPS, loop_functions.LOOPS]  # as likely as two features
    if not tables:
        raise InvalidArgument(f"features={features!r} build nothing by themselves: add one of {', '.join(RULES)}")

    return _modules(options, tables)


@st.composite
def _modules(draw: Any, options: Options, tables: list[dict[str, Rule]]) -> Module:
    functions: dict[str, BaseFunc] = {}
    b = start(draw, options, functions, [0], "main")
    for _ in range(options.max_bindings):
        if not draw(_one_step(b, tables)):
            break
    functions["main"] = _finish(b)
    return Module(functions)  # what the reader makes of its text: test_modules.py


@st.composite
def _one_step(draw: Any, b: Building, tables: list[dict[str, Rule]]) -> bool:
    """One rule, or the end: one span of choices, so that shrinking can drop it as a whole."""
    if draw(st.integers(0, 5)) == 0 and b.bindings:
        return False
    saved = b.draw
    b.draw = draw
    table = b.pick(tables)
    table[b.pick(list(table))](b)
    b.draw = saved
    return True


def _finish(b: Building) -> Function:
    """``main``: the parameters that define its symbols, blocks, and the value: one variable or those not used yet."""
    result = _result(b)
    _define_symbols(b)
    params = tuple(b.params)
    known = [p.type for p in params if p.type is not None]
    symbols = tuple(bare_symbols(known))
    scalars = {p.name for p in params}
    ret = _result_type(b, result, {*symbols, *scalars})
    impure = any(_impure(each) for each in b.bindings)
    body = SeqExpr(blocks(b, result), result)
    return Function(params, ret, body, pure=not impure, symbols=symbols)


def _result(b: Building) -> Expr:
    values = [n for n, t in b.types.items() if not isinstance(t, FuncType) and not n.startswith("_")]
    if not values:
        return b.operator("zeros", _shape(()), dtype=b.options.dtypes[0])[0]
    used = {n.name for each in b.bindings for n in nodes(each) if isinstance(n, Var)}
    unused = [n for n in values if n not in used and n not in {p.name for p in b.params}]
    if not unused:
        return Var(b.pick(values))
    if len(unused) == 1 or not b.flag():
        return Var(unused[-1])
    return Tuple(tuple(Var(n) for n in unused))


def _shape(dims: tuple[Any, ...]) -> Expr:
    from refrelax.syntax.graph import ShapeExpr

    return ShapeExpr(dims)


def _result_type(b: Building, result: Expr, symbols: set[str]) -> Type:
    if isinstance(result, Tuple):
        fields = tuple(b.types[v.name] for v in result.fields if isinstance(v, Var))
        return visible_type(TupleType(fields), symbols)
    assert isinstance(result, Var)
    return visible_type(b.types[result.name], symbols)


def _define_symbols(b: Building) -> None:
    """A parameter for every symbol that is used but stands alone in no parameter's type."""
    types = [p.type for p in b.params if p.type is not None]
    used = used_symbols(types) | {n.name for each in b.bindings for n in nodes(each) if isinstance(n, SymVar)}
    missing = [s for s in b.options.symbols if s in used and s not in bare_symbols(types)]
    if missing:
        dims = tuple(SymVar(name) for name in missing)
        choice = b.pick(("shape", "tensor"))
        type_: Type = ShapeType(dims, len(dims)) if choice == "shape" else tensor_of(dims, b.options.dtypes[0])
        b.params.append(Param(b.name("x"), type_))


# --- blocks ----------------------------------------------------------------------------------------------------------


def _impure(binding: Binding) -> bool:
    return any(isinstance(n, Call) and isinstance(n.op, Op) and n.op.name in IMPURE for n in nodes(binding))


def _fits_dataflow(binding: Binding) -> bool:
    """No control flow, no function, no effect."""
    if isinstance(binding, VarBinding) and isinstance(binding.value, If | Function):
        return False
    return not _impure(binding)


def blocks(b: Building, result: Expr) -> tuple[Block, ...]:
    """The bindings in blocks: runs of pure ones become dataflow blocks, or do not."""
    runs: list[tuple[bool, list[Binding]]] = []
    for each in b.bindings:
        pure = _fits_dataflow(each)
        if not runs or runs[-1][0] != pure:
            runs.append((pure, []))
        runs[-1][1].append(each)
    found: list[Block] = []
    rest = [_used([each for _, run in runs[k + 1 :] for each in run]) | _variables(result) for k in range(len(runs))]
    for (pure, run), later in zip(runs, rest, strict=True):
        dims = {n.name for each in run for n in nodes(each) if isinstance(n, SymVar)}  # no dataflow variable is a dim
        outputs = tuple(each.name for each in run if each.name in later | dims)
        if pure and outputs and b.flag():
            found.append(DataflowBlock(tuple(run), outputs))
        elif found and isinstance(found[-1], BindingBlock):
            found[-1] = BindingBlock((*found[-1].bindings, *run))
        else:
            found.append(BindingBlock(tuple(run)))
    return tuple(found)


def _used(bindings: Iterable[Binding]) -> set[str]:
    return {name for each in bindings for name in _variables(each)}


def _variables(root: Expr | Binding) -> set[str]:
    """Variables that an expression uses; a scalar variable may be used as a symbol."""
    return {n.name for n in nodes(root) if isinstance(n, Var | SymVar)}
