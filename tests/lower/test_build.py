"""Built modules: the erased program ends as the typed one does, value, effects, poison and the rule of a trap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Exhausted, Outcome, Unspecified
from refrelax.examples import load
from refrelax.judge.bad_calls import refused
from refrelax.lower.pipeline import lower
from refrelax.running.run import parameter_types
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Function, MatchCast, Op, ShapeExpr
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import AnyType
from refrelax.testing import call_arguments, modules
from refrelax.testing.arguments import random_arguments
from refrelax.testing.externs import EXTERNS

from .built_modules import PASSES, STEPS, printed, typed
from .mutants_build import FAULTS, Fault
from .test_plan_memory import shown

TYPED = ("legalize", "dead_code", "to_destinations", "plan_memory")


def ends(out: Outcome) -> Any:
    """What two runs are compared by; the rule of a trap is part of it."""
    if isinstance(out, rr.Returned):
        effects = [(e.kind, e.name, [p.bits() if hasattr(p, "bits") else p for p in e.payload]) for e in out.effects]
        return shown(out.value), shown(out.arguments), effects, out.poison
    return type(out).__name__, getattr(out, "rule", None)


def agree(typed: rr.CheckedModule, built: rr.CheckedModule, args: list[Any]) -> Outcome:
    """Hold one call of both against each other; the outcome of the typed program."""
    wanted = rr.run(typed, "main", *args, externs=EXTERNS)
    if not isinstance(wanted, Unspecified | Exhausted):
        found = rr.run(built, "main", *args, externs=EXTERNS)
        if not isinstance(found, Exhausted):
            assert ends(found) == ends(wanted), f"{wanted}\n{found}"
    return wanted


def remains(module: rr.Module, name: str) -> list[object]:
    """What of a built function is no call, name, literal or ``if``."""
    func = module.functions[name]
    assert isinstance(func, Function)
    assert all(p.type == AnyType() for p in func.params) and func.ret == AnyType()
    found: list[object] = []
    for node in nodes(func.body):
        match node:
            case MatchCast() | Function():
                found.append(node)
            case Op(name=op) if op not in ("relax.call_builtin_with_ctx", "relax.vm.kill_object"):
                found.append(node)
            case ShapeExpr(values=dims):
                found.extend(d for d in dims if as_int(d) is None)
            case _:
                pass
    return found


# --- programs of shapes ----------------------------------------------------------------------------------------------

DIMS = ("n", "m", "n", "m", "2", "3", "n + 1", "n * m", "m * 2", "m - n", "n // m", "T.max(n, m)")
LATER = (*DIMS, "k", "j", "k * n")
"""Extents of the body: ``k`` and ``j`` are bound by a ``match_cast``, or nowhere (and then the program is refused)."""

PROGRAM = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fill(A: T.handle):
        p, q = T.int64(), T.int64()
        B = T.match_buffer(A, (p, q), "float32")
        for i, j in T.grid(p, q):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.Cast("float32", vi * q + vj)

    @R.function(private=True)
    def same(u: R.Tensor(("p", 2), "float32")) -> R.Tensor(("p", 2), "float32"):
        p = T.int64()
        return u

    @R.function
    def main({params}){ret}:
        cls = Module
        n, m, k, j = T.int64(), T.int64(), T.int64(), T.int64()
        R.func_attr({{"relax.force_pure": True}})
{body}
        return {result}
"""

TYPES = st.sampled_from(DIMS).flatmap(
    lambda d: st.sampled_from(DIMS).flatmap(
        lambda e: st.sampled_from(
            [
                f'R.Tensor(("{d}", "{e}"), "float32")',
                f'R.Tensor(("{d}",), "int32")',
                f'R.Shape(["{d}", "{e}"])',
                f'R.Tuple(R.Tensor(("{d}",), "float32"), R.Tuple(R.Shape(["{e}"])))',
                'R.Tensor(ndim=2, dtype="float32")',
                'R.Tensor("float32")',
                "R.Any",
            ]
        )
    )
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program of parameters, casts, calls, shapes, tuples and branches over extents that may or may not agree."""
    types = ['R.Tensor(("n", "m"), "float32")', 'R.Tensor((), "bool")', *draw(st.lists(TYPES, max_size=2))]
    order = draw(st.permutations(range(len(types))))
    params = ", ".join(f"p{k}: {types[k]}" for k in order)
    lines: list[str] = []
    names = ["p0"]

    def dims() -> str:
        return ", ".join(f"{draw(st.sampled_from(LATER))}" for _ in range(2))

    def statement(indent: str, names: list[str], depth: int) -> None:
        name, source = f"v{len(lines)}", draw(st.sampled_from(names))
        match draw(st.sampled_from(("cast", "cast", "cast", "fill", "same", "tuple", "branch"))):
            case "cast":
                lines.append(f'{indent}{name} = R.match_cast({source}, R.Tensor(({dims()}), "float32"))')
            case "fill":
                shape = dims()
                lines.append(f'{indent}{name} = R.builtin.alloc_tensor(R.shape([{shape}]), "float32", 0, "global")')
                lines.append(f"{indent}_{name} = cls.fill({name})")
            case "same":
                lines.append(f"{indent}{name} = cls.same({source})")
            case "tuple":
                lines.append(f"{indent}t{name} = ({source}, (p0, R.shape([{dims()}])))")
                lines.append(f"{indent}{name} = t{name}[0]")
            case _ if depth == 0:
                lines.append(f"{indent}if p1:")
                inner = [*names]
                statement(f"{indent}    ", inner, 1)
                lines.append(f"{indent}    {name} = {inner[-1]}")
                lines.append(f"{indent}else:")
                inner = [*names]
                statement(f"{indent}    ", inner, 1)
                lines.append(f"{indent}    {name} = {inner[-1]}")
            case _:
                lines.append(f"{indent}{name} = {source}")
        names.append(name)

    for _ in range(draw(st.integers(0, 4))):
        statement(" " * 8, names, 0)
    ret = draw(st.sampled_from(["", f' -> R.Tensor(({dims()}), "float32")', ' -> R.Tensor(dtype="float32", ndim=2)']))
    ret = ret.replace("(k", "(n").replace(" k", " m").replace("j", "m")
    return PROGRAM.format(params=params, ret=ret, body="\n".join(lines), result=names[-1])


@pytest.mark.thorough
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(programs(), st.sampled_from([(2, 3), (3, 2), (1, 2), (0, 2), (5, 5)]))
def test_erasure(text: str, extents: tuple[int, int]) -> None:
    try:
        typed = rr.check(rr.parse(text))
    except rr.errors.Rejection:
        assume(False)
    step = lower(typed, passes=("build",), effort="quick")
    built = step.module
    assert "stays" not in step.steps[0].evidence
    assert not remains(built.module, "main")
    assert rr.parse(rr.print_module(built.module)) == built.module
    try:
        args = random_arguments(typed.module, "main", 0, dict(zip("nm", extents, strict=True)))
    except rr.UsageError:
        assume(False)
    agree(typed, built, args)
    for bad in refused(args, [t or AnyType() for t in parameter_types(typed.module, "main")]):
        agree(typed, built, bad)


@pytest.mark.nightly
@settings(max_examples=60, deadline=None)
@given(modules().flatmap(lambda m: call_arguments(m).map(lambda args: (m, args))))
def test_erasure_of_modules(drawn: tuple[rr.Module, list[Any]]) -> None:
    module, args = drawn
    typed = lower(rr.check(module), passes=TYPED, effort="quick").module
    step = lower(typed, passes=("build",), effort="quick")
    event(f"built: {'main stays' not in step.steps[0].evidence}")
    agree(typed, step.module, args)
    for bad in refused(args, [t or AnyType() for t in parameter_types(typed.module, "main")]):
        agree(typed, step.module, bad)


PARTLY = """
@I.ir_module
class Module:
    @R.function(private=True)
    def called(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x

    @R.function(private=True)
    def apart(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x

    @R.function(private=True)
    def typed(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = cls.called(x)
        z = R.add(y, y)
        return z

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = cls.typed(x)
        return y

    @R.function
    def other(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = cls.apart(x)
        return y
"""


def test_what_stays_typed_is_closed_under_calls() -> None:
    step = lower(rr.check(rr.parse(PARTLY)), passes=("build",))
    functions = step.module.module.relax_functions()
    erased = {name for name, f in functions.items() if all(p.type == AnyType() for p in f.params)}
    assert erased == {"apart", "other"}
    assert "typed stays as it is: relax.add has no call of the machine" in step.steps[0].evidence
    args = [np.ones(2, "float32")]
    assert ends(rr.run(step.module, "main", *args)) == ends(rr.run(rr.check(rr.parse(PARTLY)), "main", *args))


COUNTED = """
n = T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 2), "int32")) -> R.Tuple(R.Tensor(ndim=1, dtype="int32"), R.Tensor(ndim=2), R.Any):
        u = R.unique(x, sorted=True)
        v = R.unique(x, sorted=False, return_index=True, return_inverse=True, return_counts=True, axis=0)
        z = R.nonzero(x)
        return (u, z, v)
"""


@pytest.mark.parametrize("n", [0, 1, 4])
def test_what_elements_count_is_built(n: int) -> None:
    typed = rr.check(rr.parse(COUNTED))
    step = lower(typed, pipeline="build")
    assert "stays" not in step.steps[-1].evidence and not remains(step.module.module, "main")
    x = np.array([3, 1, 0, 2, 3, 1, 0, 0], "int32").reshape(4, 2)[:n]
    assert isinstance(agree(typed, step.module, [x]), rr.Returned)


# --- planted faults --------------------------------------------------------------------------------------------------


@pytest.mark.by_day(3)
@pytest.mark.parametrize("name", PASSES)
def test_what_is_built_does_the_same(name: str) -> None:
    verdict = rr.validate(typed(name), rr.parse(printed(name)))
    assert not isinstance(verdict, rr.Refuted | rr.NoVerdict), verdict


@pytest.mark.by_day(4)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_planted_faults_are_refuted(fault: Fault) -> None:
    text = printed(fault.module)
    wrong = fault.edit(text)
    assert wrong != text
    verdict = rr.validate(typed(fault.module), rr.check(rr.parse(wrong)))
    assert isinstance(verdict, rr.Refuted) and verdict.counterexample, verdict


def test_memory_whose_size_is_no_number_is_not_kept() -> None:
    text = STEPS.replace("R.shape([64])", "R.shape([n * 4])")
    assert len(lower(rr.check(rr.parse(text)), passes=("capture",)).module.module.functions) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["mlp", "decoder"])
def test_examples_are_built_whole(name: str) -> None:
    stage = load(name).stage("imported")
    module = replace(rr.parse(stage.text), constants=stage.constants)
    typed_ = lower(rr.check(module), "default", effort="quick").module
    step = lower(typed_, passes=("capture", "build"), effort="quick")
    assert "stays" not in step.steps[-1].evidence and not remains(step.module.module, "main")
    args = random_arguments(typed_.module, "main", 0, {"n": 2})
    assert isinstance(agree(typed_, step.module, args), rr.Returned)
    types = [t or AnyType() for t in parameter_types(typed_.module, "main")]
    ends_of_bad_calls = [agree(typed_, step.module, bad) for bad in refused(args, types)]
    assert sum(isinstance(each, rr.Trapped) for each in ends_of_bad_calls) >= 3
