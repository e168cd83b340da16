"""Equality up to renaming."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from refrelax.syntax import structural_equal
from refrelax.syntax.alike import _NAMES, outline
from refrelax.syntax.graph import BindingBlock, Call, Function, GlobalVar, IndexMap, Op, Param, SeqExpr, Var, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, CommReducer, Let, SymVar, int_imm
from refrelax.syntax.types import TensorType, tensor_of

FEW = settings().max_examples // 4


def rename(node: Any, change: Any) -> Any:
    """``node`` with every name of a variable, symbol, buffer or local function changed."""
    if isinstance(node, tuple):
        return tuple(rename(each, change) for each in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    values = {}
    for each in fields(node):
        if not each.init or each.name == "span":
            continue
        value = getattr(node, each.name)
        if _NAMES.get(type(node)) == each.name and isinstance(value, str):
            values[each.name] = change(value)
        elif (
            _NAMES.get(type(node)) == each.name and isinstance(value, tuple) and all(isinstance(v, str) for v in value)
        ):
            values[each.name] = tuple(change(v) for v in value)
        else:
            values[each.name] = rename(value, change)
    return type(node)(**values)


def renamed(module: Module, change: Any) -> Module:
    return module.with_functions({name: rename(f, change) for name, f in module.functions.items()})


@settings(max_examples=FEW)
@given(data=st.data())
def test_renaming_one_to_one_keeps_equality(any_modules: Any, data: st.DataObject) -> None:
    module = data.draw(any_modules)
    other = renamed(module, lambda name: f"z_{name}")
    assert structural_equal(module, module)
    assert structural_equal(module, other)
    assert structural_equal(other, module)
    assert [outline(f) for f in module.functions.values()] == [outline(f) for f in other.functions.values()]


@settings(max_examples=FEW)
@given(data=st.data())
def test_different_modules_differ(any_modules: Any, data: st.DataObject) -> None:
    a, b = data.draw(any_modules), data.draw(any_modules)
    assume(renamed(a, lambda _: "x") != renamed(b, lambda _: "x"))
    assert not structural_equal(a, b)


def function(*names: str, body: Any = None) -> Function:
    params = tuple(Param(name, TensorType()) for name in names)
    return Function(params, None, SeqExpr((), body or Call(Op("relax.add"), (Var(names[0]), Var(names[1])))))


def test_two_names_do_not_become_one() -> None:
    assert structural_equal(function("a", "b"), function("x", "y"))
    assert not structural_equal(function("a", "b"), function("a", "a"))
    assert not structural_equal(function("a", "a"), function("a", "b"))
    swapped = Call(Op("relax.add"), (Var("b"), Var("a")))
    assert not structural_equal(function("a", "b"), function("a", "b", body=swapped))


def test_outlines_tell_data_apart() -> None:
    one, two = (function("a", "b", body=Call(Op(name), (Var("a"), Var("b")))) for name in ("relax.add", "relax.mod"))
    assert outline(one) != outline(two)
    assert outline(int_imm(1)) != outline(int_imm(2))


def test_a_name_cannot_trade_places_with_a_free_one() -> None:
    assert not structural_equal((Var("a"), Var("b")), (Var("b"), Var("b")))
    assert structural_equal((Var("a"), Var("b")), (Var("b"), Var("a")))


def test_names_of_the_module_are_fixed() -> None:
    f, g = function("a", "b", body=GlobalVar("f")), function("a", "b", body=GlobalVar("g"))
    assert not structural_equal(f, g)
    assert not structural_equal(Module({"f": f}), Module({"g": f}))
    assert structural_equal(Module({"f": f, "g": g}), Module({"g": g, "f": f}))


def test_functions_do_not_share_names() -> None:
    one = Module({"f": function("a", "b"), "g": function("a", "b")})
    two = Module({"f": function("x", "y"), "g": function("y", "x")})
    assert structural_equal(one, two)


def test_symbols_and_types() -> None:
    def of(name: str, *shape: Any) -> Function:
        return Function((Param("x", tensor_of(shape, "float32")),), None, SeqExpr((), Var("x")), symbols=(name,))

    n, m = SymVar("n"), SymVar("m")
    assert structural_equal(of("n", n, Binary("Mul", n, int_imm(2))), of("m", m, Binary("Mul", m, int_imm(2))))
    assert not structural_equal(of("n", n, n), of("m", m, n))
    assert not structural_equal(of("n", n), of("n", SymVar("n", "int32")))
    assert not structural_equal(
        of("n"), Function((Param("x", TensorType(None, "float32", 0)),), None, SeqExpr((), Var("x")))
    )
    assert not structural_equal(TensorType("s"), TensorType(()))
    assert structural_equal(TensorType("s"), TensorType("t"))


def test_the_order_in_which_symbols_are_declared_is_none() -> None:
    """Which is which is told by where they stand."""
    n, m = SymVar("n", "int64"), SymVar("m", "int64")

    def function(dims: tuple[SymVar, ...], *symbols: str) -> Function:
        x = Param("x", TensorType(dims, "float32", len(dims)))
        return Function((x,), None, SeqExpr((), Var("x")), symbols=symbols)

    assert structural_equal(function((n, m), "n", "m"), function((n, m), "m", "n"))
    assert structural_equal(function((n, m), "n", "m"), function((m, n), "n", "m"))
    assert structural_equal(function((), "n", "m"), function((), "k", "l"))
    assert not structural_equal(function((n, m), "n", "m"), function((n, m), "n"))
    assert not structural_equal(function((n, m), "n", "m"), function((n, m), "n", "k"))
    assert not structural_equal(function((n, n), "n", "m"), function((n, m), "n", "m"))
    assert not structural_equal(function((n,), "n", "m"), function((n,), "m", "k"))


def test_inner_scopes() -> None:
    def swap(a: str, b: str, free: str) -> IndexMap:
        return IndexMap((a, b), (SymVar(b), SymVar(free)))

    assert structural_equal(swap("i", "j", "n"), swap("j", "i", "n"))
    assert not structural_equal(swap("i", "j", "i"), swap("i", "j", "j"))
    assert structural_equal((swap("i", "j", "n"), SymVar("i")), (swap("p", "q", "n"), SymVar("i")))
    assert not structural_equal((swap("i", "j", "n"), SymVar("n")), (swap("i", "j", "n"), SymVar("m")))
    one, two = int_imm(1), SymVar("k")
    assert structural_equal(Let(SymVar("a"), one, SymVar("a")), Let(SymVar("b"), one, SymVar("b")))
    assert not structural_equal(Let(SymVar("a"), one, SymVar("a")), Let(SymVar("a"), one, two))
    x, y = SymVar("x"), SymVar("y")
    add = CommReducer((x,), (y,), (Binary("Add", x, y),), (one,))
    assert structural_equal(add, CommReducer((y,), (x,), (Binary("Add", y, x),), (one,)))
    assert not structural_equal(add, CommReducer((x,), (y,), (Binary("Add", y, x),), (one,)))


@pytest.mark.thorough
@pytest.mark.parametrize("levels", [10_000])
def test_depth_is_no_concern(levels: int) -> None:
    def deep(last: str) -> Any:
        node: Any = SymVar(last)
        for _ in range(levels):
            node = Binary("Add", node, int_imm(1))
        return node

    assert structural_equal(deep("a"), deep("b"))
    assert not structural_equal((deep("a"), SymVar("a")), (deep("b"), SymVar("a")))


def test_attributes_and_order_matter() -> None:
    a, b = VarBinding("a", Op("relax.abs")), VarBinding("b", Op("relax.exp"))
    assert not structural_equal(BindingBlock((a, b)), BindingBlock((b, a)))
    f = function("a", "b")
    assert not structural_equal(f, replace(f, attrs=(("k", 1),)))
    assert not structural_equal(replace(f, attrs=(("k", True),)), replace(f, attrs=(("k", 1),)))
