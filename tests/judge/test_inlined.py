"""Calls in place: a program with its calls read through runs as it did; over the whole suite, and for each form."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.conformance import cases
from refrelax.conformance.cases import Case
from refrelax.conformance.data import to_value
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Rejection
from refrelax.judge.inlined import Inlined, inlined
from refrelax.judge.pointwise import SAME
from refrelax.judge.same_programs import same_programs
from refrelax.lower import lower
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.fusion_modules import MODULES


def checked(text: str) -> CheckedModule:
    return rr.check(rr.parse(text))


@cache
def calling() -> dict[str, tuple[Case, CheckedModule, Inlined]]:
    """The cases of the suite whose entry has a call that is put in place, as they are and with it."""
    found = {}
    for case in (*cases.load(), *cases.load_examples()):
        if not (case.portable and case.runs and case.entry and ("cls." in case.module or "Contract" in case.module)):
            continue
        try:
            program = checked(case.module)
        except Rejection:
            continue
        new = inlined(program, case.entry)
        if new.program.module != program.module and _calls(program, case.entry) != _calls(new.program, case.entry):
            found[case.name] = (case, program, new)
    return found


def _calls(program: CheckedModule, entry: str) -> list[str]:
    """The functions that an entry calls, and library functions that have a contract."""
    function = program.module.functions[entry]
    assert isinstance(function, Function)
    found = []
    for block in function.body.blocks:
        for b in block.bindings:
            value: Any = getattr(b, "value", None)
            if isinstance(value, Call):
                named = (value.op, *value.args[:1])
                found += [each.name for each in named if isinstance(each, GlobalVar | ExternFunc)]
    return found


@pytest.mark.thorough
def test_every_case_of_the_suite_ends_as_it_did() -> None:
    assert len(calling()) >= 5
    for name, (case, program, new) in calling().items():
        assert case.entry is not None
        args = [to_value(each) for each in case.args]
        one = rr.run(program, case.entry, *args, externs=LIBRARY)
        two = rr.run(new.program, case.entry, *args, externs=LIBRARY)
        if isinstance(one, rr.Returned) or new.quiet:
            assert type(one) is type(two), name
        if isinstance(one, rr.Returned) and isinstance(two, rr.Returned):
            assert (one.value, one.arguments, one.poison) == (two.value, two.arguments, two.poison), name


def _as_before(module: rr.Module, draw: Any) -> None:
    program = rr.check(module)
    new = inlined(program, "main")
    assume(new.program.module != program.module)
    given_ = draw(rr.testing.call_arguments(module))
    runs = [rr.run(c, "main", *deepcopy(given_), externs=rr.testing.EXTERNS) for c in (program, new.program)]
    one, two = runs
    assert type(one) is type(two)
    if isinstance(one, rr.Returned) and isinstance(two, rr.Returned):
        assert (one.value, one.arguments, one.poison) == (two.value, two.arguments, two.poison)


@pytest.mark.thorough
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(rr.testing.modules(), st.data())
def test_random_modules(module: Any, data: st.DataObject) -> None:
    _as_before(module, data.draw)


@pytest.mark.nightly
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(rr.testing.modules(), st.data())
def test_many_random_modules(module: Any, data: st.DataObject) -> None:
    _as_before(module, data.draw)


HEAD = """
n = TypeVar("n")
m = TypeVar("m")
p = TypeVar("p")
@I.ir_module
class Module:
"""
SQUARE = """
    @R.function(private=True)
    def square(a: R.Tensor((m, p), "float32")) -> R.Tensor((m, p), "float32"):
        with R.dataflow():
            b = R.multiply(a, a)
            R.output(b)
        return b
"""


def main(params: str, body: str) -> str:
    return f"    @R.function\n    def main({params}):\n        cls = Module\n        {body}\n"


X = 'x: R.Tensor((n, 3), "float32")'
IN_PLACE = {
    "a function": (SQUARE, "y = cls.square(x)\n        return y"),
    "twice": (SQUARE, "y = cls.square(x)\n        z = cls.square(y)\n        return z"),
    "a local function": (
        "",
        '@R.function\n        def f(a: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):\n'
        "            b = R.multiply(a, a)\n            return b\n        y = f(x)\n        return y",
    ),
    "a shape": (
        '    @R.function(private=True)\n    def f(a: R.Tensor(("n * p",), "float32"), s: R.Shape(["n", "p"])) -> R.Tensor((n, p), "float32"):\n'  # noqa: E501
        "        b = R.reshape(a, R.shape([n, p]))\n        return b\n",
        "w = R.reshape(x, R.shape([n * 3]))\n        y = cls.f(w, R.shape([n, 3]))\n        return y",
    ),
    "a tuple": (
        '    @R.function(private=True)\n    def f(t: R.Tuple(R.Tensor((n, p), "float32"), R.Tensor((n, p), "float32"))) -> R.Tensor((n, p), "float32"):\n'  # noqa: E501
        "        a = t[0]\n        b = t[1]\n        c = R.add(a, b)\n        return c\n",
        "y = cls.f((x, x))\n        return y",
    ),
    "a check inside": (
        '    @R.function(private=True)\n    def f(a: R.Tensor((n, p), "float32")) -> R.Tensor((n, 3), "float32"):\n'
        '        b = R.match_cast(a, R.Tensor((n, 3), "float32"))\n        return b\n',
        "y = cls.f(x)\n        return y",
    ),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_forms(name: str) -> None:
    functions, body = IN_PLACE[name]
    program = checked(HEAD + functions + main(X, body))
    new = inlined(program, "main")
    assert list(new.program.module.functions) == ["main"] and "cls." not in rr.print_module(new.program.module)
    for n in (0, 1, 4):
        args = random_arguments(program.module, "main", 1, {"n": n}, "special")
        assert rr.run(program, "main", *args) == rr.run(new.program, "main", *args)
    assert isinstance(rr.validate(program, new.program, rounds=1), rr.Equivalent)


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODULES)
def test_groups_of_fused_calls(name: str) -> None:
    """What ``fuse_ops`` makes functions of, put back in place."""
    grouped = lower(rr.check(rr.parse(MODULES[name])), passes=("legalize", "fuse_ops")).module
    new = inlined(grouped, "main").program
    assert list(new.module.relax_functions()) == ["main"]
    known = {k: v for k, v in {"n": 5, "m": 3}.items() if k in symbols_of(grouped.module, "main")}
    one, two = (rr.run(c, "main", *random_arguments(c.module, "main", 1, known, "special")) for c in (grouped, new))
    assert type(one) is type(two)
    if isinstance(one, rr.Returned) and isinstance(two, rr.Returned):
        assert (one.value, one.arguments, one.poison) == (two.value, two.arguments, two.poison)


def test_a_function_that_calls_itself_stays() -> None:
    text = HEAD + main(X, "y = cls.main(x)\n        return y").replace(
        ":\n        cls", ' -> R.Tensor((n, 3), "float32"):\n        cls', 1
    )
    program = checked(text)
    assert inlined(program, "main").program.module == program.module


def test_a_check_at_the_call_is_kept() -> None:
    """Rows of unknown length given to what wants three: a ``match_cast``, which fails where the call did."""
    text = (
        HEAD
        + SQUARE.replace("(m, p)", "(m, 3)")
        + main('x: R.Tensor((n, p), "float32")', "y = cls.square(x)\n        return y")
    )
    program = checked(text)
    new = inlined(program, "main")
    assert "R.match_cast(x" in rr.print_module(new.program.module)
    good, bad = [[1.0, 2.0, 3.0]], [[1.0, 2.0]]
    assert rr.run(program, "main", good) == rr.run(new.program, "main", good)
    assert isinstance(rr.run(program, "main", bad), rr.Trapped) and isinstance(
        rr.run(new.program, "main", bad), rr.Trapped
    )


CHECKING = """
    @R.function(private=True)
    def contract(a: R.Tensor((m, p), "float32")) -> R.Tensor((m, p), "float32"):
        R.func_attr({"Contract": "lib.f"})
        with R.dataflow():
            even = R.match_cast(a, R.Tensor((m // 2 * 2, p), "float32"))
            b = R.multiply(a, a)
            R.output(b)
        return b
"""


def test_a_contract_that_checks_is_not_the_same_as_the_check() -> None:
    """The first program traps for odd ``n``; the second is left open there, which is worse: no proof by likeness."""
    first = checked(
        HEAD
        + main(
            X,
            'with R.dataflow():\n            even = R.match_cast(x, R.Tensor((n // 2 * 2, 3), "float32"))\n'
            "            y = R.multiply(x, x)\n            R.output(y)\n        return y",
        )
    )
    call = 'with R.dataflow():\n            y = R.call_dps_packed("lib.f", (x,), out_ty=R.Tensor((n, 3), "float32"))\n            R.output(y)\n        return y'  # noqa: E501
    second = checked(HEAD + CHECKING + main(X, call))
    one, two = inlined(first, "main"), inlined(second, "main")
    assert one.quiet and not two.quiet and same_programs(one.program.module, two.program.module, "main")
    assert two.contracts == ("lib.f",) and not contracts_of(two.program.module)
    assert not isinstance(rr.validate(first, second), rr.Equivalent | rr.ProvedAt)
    assert isinstance(rr.validate(second, second), rr.Equivalent)
    back = rr.validate(second, first)  # a trap where anything may happen
    assert not isinstance(back, rr.Refuted)


def test_a_tuple_by_name_is_left_to_the_call() -> None:
    """``call_dps_packed`` hands on its fields: a contract of one tuple is not what is called."""
    of_a_tuple = CHECKING.replace('a: R.Tensor((m, p), "float32")', 't: R.Tuple(R.Tensor((m, p), "float32"))').replace(
        '            even = R.match_cast(a, R.Tensor((m // 2 * 2, p), "float32"))\n', "            a = t[0]\n"
    )
    body = 't = (x,)\n        y = R.call_dps_packed("lib.f", t, out_ty=R.Tensor((n, 3), "float32"))\n        return y'
    program = checked(HEAD + of_a_tuple + main(X, body))
    assert "lib.f" in rr.print_module(inlined(program, "main").program.module)


def test_a_proof_names_what_it_read() -> None:
    plain = checked(HEAD + SQUARE + main(X, "y = cls.square(x)\n        return y"))
    other = checked(HEAD + main(X, "y = R.multiply(x, x)\n        return y"))
    verdict = rr.validate(plain, other, rounds=1)
    assert isinstance(verdict, rr.Equivalent) and SAME in verdict.evidence.trusts
