"""Rules for everything around the operators: tuples, scalars, casts, branches, functions, library calls, effects."""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.types.deduce import value_type
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    BindingBlock,
    Call,
    Constant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    Op,
    Param,
    PrimValue,
    SeqExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import Binary, SymVar, as_int, int_imm
from refrelax.syntax.types import FuncType, PrimType, ShapeType, TensorType, TupleType, Type, tensor_of
from refrelax.testing.building import Building, bare_symbols, dims_of, start
from refrelax.testing.graph_rules import ELEMENTWISE, INDEXING, LINEAR, REDUCTIONS, SHAPES, Rule

# --- tuples, scalars, casts ------------------------------------------------------------------------------------------


def make_tuple(b: Building) -> None:
    # a function in a tuple could leave: its parameters' symbols would then be named in the outer signature
    names = [name for name, type_ in b.types.items() if not isinstance(type_, FuncType)]
    if names:
        b.emit(Tuple(tuple(Var(b.pick(names)) for _ in range(b.integer(1, 3)))))


def tuple_item(b: Building) -> None:
    found = [(n, t) for n, t in b.types.items() if isinstance(t, TupleType) and t.fields]
    if found:
        name, type_ = b.pick(found)
        b.emit(TupleGetItem(Var(name), b.integer(0, len(type_.fields) - 1)))


def primitive(b: Building) -> None:
    """A scalar that is a dim from here on."""
    var, _ = b.emit(b.scalar(b.dim()), "k")
    b.symbols.append(var.name)


def match_cast(b: Building) -> None:
    """To the same type with new names for some dims, or from an unknown shape back to a known one."""
    x, type_ = b.tensor(b.options.dtypes)
    shape = []
    for dim in dims_of(type_):
        if as_int(dim) is None and b.flag():
            shape.append(SymVar(b.name("d")))
            b.symbols.append(shape[-1].name)
        else:
            shape.append(dim)  # type: ignore[arg-type]
    b.cast(x, tensor_of(tuple(shape), type_.dtype))


def match_shape(b: Building) -> None:
    found = [(n, t) for n, t in b.types.items() if isinstance(t, ShapeType) and t.values]
    if found:
        name, type_ = b.pick(found)
        fresh = tuple(SymVar(b.name("d")) for _ in type_.values or ())
        b.symbols.extend(s.name for s in fresh)
        b.cast(Var(name), ShapeType(fresh, len(fresh)))


# --- branches --------------------------------------------------------------------------------------------------------


def condition(b: Building) -> Expr:
    """A truth value: a comparison of dims, a constant, or a bool parameter of rank 0."""
    form = b.pick(("constant", "dims", "tensor"))
    if form == "dims" and b.symbols:
        return PrimValue(Binary("GT", SymVar(b.pick(b.symbols)), int_imm(b.integer(1, 4))))
    if form == "tensor":
        return b.operand((), "bool")[0]
    return Constant("bool", (), (b.integer(0, 1),))


def branch(b: Building) -> None:
    """An ``If`` whose branches give tensors of one dtype and rank, now and then of different shapes."""
    if b.depth >= 2:
        return
    test = condition(b)
    x, type_ = b.tensor(b.options.dtypes)
    then_branch = _arm(b, x, type_)
    else_branch = _arm(b, x, type_)
    b.emit(If(test, then_branch, else_branch))


def _arm(b: Building, x: Expr, type_: TensorType) -> SeqExpr:
    """Up to two bindings, then a tensor of the wanted dtype and rank."""
    saved = (b.bindings, dict(b.types), list(b.symbols), b.depth)
    b.bindings, b.depth = [], b.depth + 1
    fixed = {p.name for p in b.params}
    for _ in range(b.integer(0, 2)):
        step(b, SMALL)
    rank = len(dims_of(type_))
    found = [v for v, t in b.tensors(lambda t: t.dtype == type_.dtype and len(dims_of(t)) == rank)]
    inside = {each.name for each in b.bindings}
    result = b.pick([x, *(v for v in found if isinstance(v, Var) and v.name in inside)])
    blocks = (BindingBlock(tuple(b.bindings)),) if b.bindings else ()
    grown = {p.name: p.type for p in b.params if p.name not in fixed}
    b.bindings, types, b.symbols, b.depth = saved
    b.types = {**types, **grown}  # type: ignore[dict-item]
    b.types = {**{p.name: b.types[p.name] for p in b.params}, **b.types}
    return SeqExpr(blocks, result)


def step(b: Building, rules: dict[str, Rule]) -> None:
    """One rule of a table."""
    rules[b.pick(list(rules))](b)


SMALL: dict[str, Rule] = {
    name: {**ELEMENTWISE, **REDUCTIONS, **SHAPES, **LINEAR, **INDEXING}[name]
    for name in ("unary", "binary", "reduction", "permute_dims", "concat", "matmul", "clip", "where")
}
"""What branches and inner functions are made of."""


# --- functions -------------------------------------------------------------------------------------------------------


def _inner(b: Building, name: str, types: Sequence[Type], pure: bool = True) -> Building:
    """A closed function with fixed parameters, its own symbols, and the module's functions."""
    inner = start(b.draw, b.options, b.functions, b.counter, name)
    inner.symbols = bare_symbols(types)
    inner.frame.define_symbols(types)
    inner.params = [Param(b.name("x"), t) for t in types]
    inner.types = {p.name: p.type for p in inner.params if p.type is not None}
    inner.frame.types.update(inner.types)
    inner.closed, inner.depth = True, 1
    inner.frame.pure = pure
    return inner


def _renamed(b: Building, type_: TensorType) -> TensorType:
    """The type with a symbol of its own for each dim that is no number."""
    shape = tuple(d if as_int(d) is not None else SymVar(b.name("e")) for d in dims_of(type_))
    return tensor_of(shape, type_.dtype)


def _body(inner: Building, count: int, dtype: str) -> tuple[SeqExpr, Type]:
    for _ in range(count):
        step(inner, SMALL)
    name = inner.pick(list(inner.types))
    blocks = (BindingBlock(tuple(inner.bindings)),) if inner.bindings else ()
    return SeqExpr(blocks, Var(name)), inner.types[name]


def global_function(b: Building) -> None:
    """A private function of the module, and a call of it."""
    x, type_ = b.tensor(b.options.dtypes)
    name = b.name("f")
    inner = _inner(b, name, [_renamed(b, type_)])
    body, result = _body(inner, b.integer(1, 3), type_.dtype or "")
    symbols = tuple(bare_symbols([p.type for p in inner.params if p.type is not None]))
    b.define(name, Function(tuple(inner.params), result, body, private=True, symbols=symbols))
    b.emit(Call(GlobalVar(name), (x,)))


def local_function(b: Building) -> None:
    """A closure over what is in scope, and a call of it."""
    if b.depth:
        return
    x, type_ = b.tensor(b.options.numbers or b.options.dtypes)
    wanted = _renamed(b, type_)
    name, param, result = b.name("g"), b.name("x"), b.name("v")
    other: Expr = Var(param)
    same = b.tensors(lambda t: t.dtype == type_.dtype and dims_of(t) == ())
    if same:
        other = b.pick([Var(param), *(v for v, _ in same)])
    op = "relax.logical_or" if type_.dtype == "bool" else b.pick(("relax.add", "relax.multiply", "relax.maximum"))
    block = BindingBlock((VarBinding(result, Call(Op(op), (Var(param), other))),))
    symbols = tuple(bare_symbols([wanted]))
    function = Function((Param(param, wanted),), wanted, SeqExpr((block,), Var(result)), private=True, symbols=symbols)
    binding = VarBinding(name, function)
    b._bind(binding, value_type(b.frame, binding))
    b._refuse_diagnostics(binding)
    b.emit(Call(Var(name), (x,)))


def recursion(b: Building) -> None:
    """``f(x, k) = x if k <= 0 else f(step(x), k - 1)``, called with a small count."""
    x, type_ = b.tensor(b.options.floats or b.options.dtypes)
    name, wanted = b.name("f"), _renamed(b, type_)
    param, count, once, again, result = b.name("x"), b.name("k"), b.name("v"), b.name("v"), b.name("v")
    op = "relax.tanh" if dtypes.is_float(type_.dtype or "") else "relax.negative"
    if type_.dtype == "bool":
        op = "relax.logical_not"
    k = SymVar(count)
    then_branch = SeqExpr(
        (BindingBlock((
            VarBinding(once, Call(Op(op), (Var(param),))),
            VarBinding(again, Call(GlobalVar(name), (Var(once), PrimValue(Binary("Sub", k, int_imm(1)))))),
        )),),
        Var(again),
    )  # fmt: skip
    test = PrimValue(Binary("GT", k, int_imm(0)))
    branch_ = VarBinding(result, If(test, then_branch, SeqExpr((), Var(param))))
    params = (Param(param, wanted), Param(count, PrimType("int64")))
    body = SeqExpr((BindingBlock((branch_,)),), Var(result))
    b.define(name, Function(params, wanted, body, private=True, symbols=tuple(bare_symbols([wanted]))))
    b.emit(Call(GlobalVar(name), (x, PrimValue(int_imm(b.integer(0, 3))))))


# --- library functions and effects -----------------------------------------------------------------------------------


def dps_packed(b: Building) -> None:
    x, type_ = b.tensor(b.options.numbers or b.options.dtypes)
    name = b.pick(("testing.copy_into", "testing.add_into")) if type_.dtype != "bool" else "testing.copy_into"
    args: list[Expr] = [x]
    if name == "testing.add_into":
        args.append(b.operand(dims_of(type_), type_.dtype or "")[0])
    b.emit(Call(Op("relax.call_dps_packed"), (ExternFunc(name), Tuple(tuple(args))), (), (type_,)))


def pure_packed(b: Building) -> None:
    x, type_ = b.tensor(b.options.numbers or b.options.dtypes)
    name = "testing.reversed" if type_.dtype == "bool" else b.pick(("testing.reversed", "testing.doubled"))
    b.emit(Call(Op("relax.call_pure_packed"), (ExternFunc(name), x), (), (type_,)))


def show(b: Building) -> None:
    """``R.print``: the only effect that is observed."""
    x, _ = b.tensor(b.options.dtypes)
    b.emit(Call(Op("relax.print"), (StringValue("{}"), x)), "_")


TUPLES: dict[str, Rule] = {"make_tuple": make_tuple, "tuple_item": tuple_item}
PRIMITIVES: dict[str, Rule] = {"primitive": primitive}
CASTS: dict[str, Rule] = {"match_cast": match_cast, "match_shape": match_shape}
BRANCHES: dict[str, Rule] = {"branch": branch}
FUNCTIONS: dict[str, Rule] = {"global_function": global_function, "local_function": local_function}
RECURSION: dict[str, Rule] = {"recursion": recursion}
LIBRARIES: dict[str, Rule] = {"dps_packed": dps_packed, "pure_packed": pure_packed}
EFFECTS: dict[str, Rule] = {"show": show}
