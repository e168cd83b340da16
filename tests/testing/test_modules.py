"""Properties of generated modules: they are what ``modules()`` promises, and they shrink."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument, NoSuchExample

import refrelax as rr
from refrelax.judge.fuzz import PIPELINED, PORTABLE
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.graph.matching import Mismatch, match
from refrelax.syntax import scalars as s
from refrelax.syntax.graph import Binding, Call, Function, If, MatchCast, Op, VarBinding
from refrelax.syntax.json_ import from_json, to_json
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.types import TensorType
from refrelax.testing import call_arguments, modules

from .programs import programs

EXTERNS = rr.testing.EXTERNS


@given(modules())
def test_check_accepts(module: rr.Module) -> None:
    rr.check(module)


@given(modules())
def test_printing_round_trips(module: rr.Module) -> None:
    assert rr.parse(rr.print_module(module)) == module


@given(modules())
def test_json_round_trips(module: rr.Module) -> None:
    assert from_json(to_json(module)) == module


class Types:
    """A listener: every value that is bound has the type that was deduced for its variable."""

    def __init__(self, checked: rr.CheckedModule) -> None:
        self.checked = checked
        self.seen = 0

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Any) -> None:
        function, *inner = path.split("/")
        type_ = self.checked.types[function]["/".join([*inner, binding.name])]
        try:
            match(value, type_, dict(scope.symbols), scope.values, binding.name)
        except Mismatch as mismatch:
            raise AssertionError(f"{path}/{binding.name}: {mismatch.message}") from None
        self.seen += 1


@given(programs())
def test_deduced_types_contain_the_values(program: tuple[rr.CheckedModule, list[Any]]) -> None:
    checked, args = program
    types = Types(checked)
    outcome = rr.run(checked, "main", *args, externs=EXTERNS, listener=types)
    assert isinstance(outcome, rr.Returned)
    assert types.seen


# --- what is generated -----------------------------------------------------------------------------------------------


def _holds(module: rr.Module, kind: type, where: Any = lambda _n: True) -> bool:
    return any(isinstance(n, kind) and where(n) for f in module.functions.values() for n in nodes(f))


WANTED = {
    "if": lambda m: _holds(m, If),
    "match_cast": lambda m: _holds(m, MatchCast),
    "local function": lambda m: _holds(m, VarBinding, lambda b: isinstance(b.value, Function)),
    "global function": lambda m: len(m.relax_functions()) > 1,
    "loop function": lambda m: bool(m.prim_funcs()),
    "two outputs": lambda m: _holds(m, Call, lambda c: _op(c) == "relax.call_tir" and _several(c)),
    "in place": lambda m: _holds(m, Call, lambda c: _op(c) == "relax.call_tir_inplace"),
    "library": lambda m: _holds(m, Call, lambda c: _op(c) == "relax.call_dps_packed"),
    "related dims": lambda m: _holds(m, TensorType, lambda t: _related(t)),
    "padded load": lambda m: any(_holds(m, s.Intrinsic, lambda n: n.op == "if_then_else") for _ in m.prim_funcs()),
}


def _op(call: Call) -> str:
    return call.op.name if isinstance(call.op, Op) else ""


def _several(call: Call) -> bool:
    return not isinstance(call.ty_args[0], TensorType)


def _related(type_: TensorType) -> bool:
    return isinstance(type_.shape, tuple) and any(isinstance(d, s.Binary) for d in type_.shape)


def test_everything_occurs() -> None:
    """Within a few hundred examples every kind of construct appears."""
    missing = dict(WANTED)
    quiet = settings(
        max_examples=300,
        database=None,
        derandomize=True,  # "in place" is rare enough to be missed by some seeds
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def was_the_last(module: rr.Module) -> bool:
        for what in [name for name, holds in missing.items() if holds(module)]:
            del missing[what]
        return not missing

    with suppress(NoSuchExample):
        find(modules(), was_the_last, settings=quiet)
    assert not missing


def _bindings(module: rr.Module) -> int:
    return sum(isinstance(n, VarBinding | MatchCast) for f in module.functions.values() for n in nodes(f))


FAULTS = {
    "a library call": lambda m: _holds(m, Call, lambda c: _op(c) == "relax.call_dps_packed"),
    "a reduction block": lambda m: _holds(m, PrimFunc, lambda f: any(getattr(n, "init", None) for n in nodes(f.body))),
}


@pytest.mark.thorough
@pytest.mark.parametrize("fault", ["a reduction block", pytest.param("a library call", marks=pytest.mark.nightly)])
def test_shrinks_to_few_bindings(fault: str) -> None:
    """Whatever goes wrong with one or two constructs is shown by a module of at most three bindings."""
    quiet = settings(max_examples=600, database=None, suppress_health_check=list(HealthCheck))
    smallest = find(modules(features=["elementwise", "libraries"]), FAULTS[fault], settings=quiet)
    assert _bindings(smallest) <= 3, rr.print_module(smallest)


def test_a_planted_fault_shrinks_to_three_bindings() -> None:
    """A backend that negates instead of taking the absolute value is shown by a module of at most three bindings."""
    from refrelax.backends.numpy_ import compile as backend

    from .comparing import same_bits

    honest = backend.OPERATORS["relax.abs"]

    def differs(program: tuple[rr.CheckedModule, list[Any]]) -> bool:
        checked, args = program
        wanted = rr.run(checked, "main", *args, externs=EXTERNS)
        found = rr.compile(checked, mode="bits").run("main", *args, externs=EXTERNS)
        return not same_bits(_value(wanted), _value(found))

    quiet = settings(max_examples=2_000, database=None, suppress_health_check=list(HealthCheck), deadline=None)
    backend.OPERATORS["relax.abs"] = lambda _attrs, args, _fast: -args[0]
    try:
        few = programs(features=["elementwise", "tuples"], levels=["graph"], dtypes=["float32"])
        checked, _ = find(few, differs, settings=quiet)
    finally:
        backend.OPERATORS["relax.abs"] = honest
    assert _bindings(checked.module) <= 3, rr.print_module(checked.module)


def _value(outcome: Any) -> Any:
    assert isinstance(outcome, rr.Returned)
    return outcome.value


# --- options ---------------------------------------------------------------------------------------------------------


@given(modules(levels=["graph"], dtypes=["float32"], features=["elementwise", "reductions"]))
def test_options_limit_what_is_generated(module: rr.Module) -> None:
    assert not module.prim_funcs()
    assert list(module.functions) == ["main"]
    assert not _holds(module, If)
    for type_ in (n for f in module.functions.values() for n in nodes(f) if isinstance(n, TensorType)):
        assert type_.dtype in ("float32", "bool", "int64", "int32")


@given(modules(levels=["loops"], max_bindings=2))
def test_loops_alone(module: rr.Module) -> None:
    calls = [n for n in nodes(module["main"]) if isinstance(n, Call)]
    assert any(_op(c).startswith("relax.call_tir") for c in calls)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bindings": 0}, "at least 1"),
        ({"max_bindings": True}, "expected an integer"),
        ({"levels": ["asm"]}, "unknown 'asm'"),
        ({"levels": "graph"}, "expected a collection"),
        ({"features": []}, "is empty"),
        ({"features": ["magic"]}, "unknown 'magic'"),
        ({"dtypes": ["float33"]}, "no scalar dtype"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        modules(**options)


@given(st.data())
def test_arguments_fit_the_types(data: st.DataObject) -> None:
    """No entry check fails, whatever the policy: related dims fit each other."""
    checked, args = data.draw(programs(max_bindings=3))
    assert not isinstance(rr.run(checked, "main", *args, externs=EXTERNS), rr.Trapped)


@pytest.mark.thorough
def test_chosen_dims_are_kept() -> None:
    head = 'def main(x: R.Tensor(("n", "m * 2"), "float32"), y: R.Tensor(("m",), "int8")):'
    module = rr.parse(f"@I.ir_module\nclass Module:\n    @R.function\n    {head}\n        return x\n")
    x, y = find(call_arguments(module, dims={"n": 3, "m": 2}), lambda _a: True)
    assert (x.shape, y.shape) == ((3, 4), (2,))


def test_arguments_of_an_unknown_function() -> None:
    with pytest.raises(InvalidArgument, match="no function"):
        call_arguments(rr.Module({}), "nowhere")


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(rr.testing.modules(features=[f for f in rr.testing.FEATURES if f != "float_extents"]))
def test_no_extent_is_computed_by_floats_unless_asked_for(module: rr.Module) -> None:
    assert "T.ceil(" not in rr.print_module(module)


def test_extents_of_floats_build_nothing_by_themselves() -> None:
    with pytest.raises(InvalidArgument, match="build nothing"):
        rr.testing.modules(features=["float_extents"], levels=["graph"])


def test_a_named_pipeline_is_fuzzed_without_them() -> None:
    assert set(PORTABLE) - set(PIPELINED) == {"float_extents"}
