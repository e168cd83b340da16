"""Scalars at the backend's border, where Python numbers stand for prim values: a run ends as the definition's does."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.semantics.values import Prim
from tests.draws import draws

DTYPES = ["bool", "int32", "int64", "float32", "float64"]
NUMBERS = {"bool": [True, False], "int": [3, -2, 0, 1], "float": [0.5, -2.0, 0.0]}

SINKS = {
    "return": "def main(x: {source}) -> {wanted}:\n        return x",
    "match-cast": "def main(x: {source}):\n        y = R.match_cast(x, {wanted})\n        return y",
    "call": "def main(x: {source}):\n        y = Module.f(x)\n        return y\n"
    "    @R.function\n    def f(x: {wanted}):\n        return x",
    "lost in a call": "def main(x: {source}):\n        y = Module.f(x)\n        return y\n"
    "    @R.function\n    def f(x: R.Any):\n        y = R.match_cast(x, {wanted})\n        return y",
    "lost in a result": "def main(x: {source}):\n        y = Module.f(x)\n        z = R.match_cast(y, {wanted})\n"
    "        return z\n    @R.function\n    def f(x: {source}) -> R.Any:\n        return x",
    "lost in a name": "def main(x: {source}):\n        y: R.Any = x\n        z = R.match_cast(y, {wanted})\n"
    "        return z",
    "lost in a branch": "def main(x: {source}):\n        if R.const(True):\n            y = x\n        else:\n"
    "            y = R.const(1)\n        z = R.match_cast(y, {wanted})\n        return z",
    "lost in a local function": "def main(x: {source}):\n        @R.function\n        def f(x: R.Any) -> R.Any:\n"
    "            return x\n        y = f(x)\n        z = R.match_cast(y, {wanted})\n        return z",
    "made": "def main(x: {source}) -> R.Tuple({wanted}, R.Tensor):\n        y = (x, R.const(1))\n        return y",
}


@settings(max_examples=draws(150))
@given(st.data())
def test_a_scalar_has_its_dtype(data: st.DataObject) -> None:
    wanted = f'R.Prim("{data.draw(st.sampled_from(DTYPES))}")'
    source = data.draw(st.sampled_from(["R.Any", *(f'R.Prim("{each}")' for each in DTYPES)]))
    value: object = data.draw(st.sampled_from([n for each in NUMBERS.values() for n in each]))
    assume("int" not in source or not isinstance(value, float))  # no value of that type
    if data.draw(st.booleans()):
        wanted, source = f'R.Tuple({wanted}, R.Tensor((2,), "float32"))', source
        source = source if source == "R.Any" else f"R.Tuple({source}, R.Any)"
        value = (value, rr.Tensor.of([1.0, 2.0], "float32"))
    body = SINKS[data.draw(st.sampled_from(sorted(SINKS)))].format(source=source, wanted=wanted)
    ends_alike(f"@I.ir_module\nclass Module:\n    @R.function\n    {body}\n", value)


def ends_alike(text: str, value: object) -> None:
    try:
        checked = rr.check(rr.parse(text))
        executables = [rr.compile(checked, mode=mode) for mode in ("bits", "fast")]  # type: ignore[arg-type]
    except (rr.Rejection, Unsupported):
        return
    expected = rr.run(checked, "main", value)
    for each in executables:
        found = each.run("main", value)
        assert type(found) is type(expected), (text, value, expected, found)
        if isinstance(expected, rr.Returned) and isinstance(found, rr.Returned):
            assert repr(found.value) == repr(expected.value) or found.value == expected.value
        elif isinstance(expected, rr.Trapped) and isinstance(found, rr.Trapped):
            assert found.rule == expected.rule, (text, value, expected, found)


def test_the_width_of_a_scalar_of_unknown_type_is_not_guessed() -> None:
    text = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Any):
        y = R.match_cast(x, {})
        return y
"""
    with pytest.raises(Unsupported, match="a scalar of unknown type as int32"):
        rr.compile(rr.check(rr.parse(text.format('R.Prim("int32")'))))
    ends_alike(text.format('R.Prim("int64")'), 3)


UNKNOWN = """@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Any):
        {}
        return y
"""
USES = {
    "a cast": 'y = R.match_cast(x, R.Prim("int64"))',
    "a cast of a float": 'y = R.match_cast(x, R.Prim("float64"))',
    "a cast to a tensor": 'y = R.match_cast(x, R.Tensor((1,), "int64"))',
    "a cast of a tuple": 'y = R.match_cast(x, R.Tuple(R.Prim("int64"), R.Prim("bool")))',
    "a result": "y = (x, x)",
    "a print": '_ = R.print(x, format="{}")\n        y = x',
    "a library function": 'y = R.call_packed("lib.same", x, ty_args=(R.Any,))',
    "a condition": "if x:\n            y = R.const(1)\n        else:\n            y = R.const(2)",
}


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("use", USES)
def test_a_scalar_that_says_its_dtype_keeps_it_where_no_type_is_known(use: str, backend: str) -> None:
    checked = rr.check(rr.parse(UNKNOWN.format(USES[use])))
    compiled = rr.compile(checked, backend=backend)  # type: ignore[arg-type]
    externs = {"lib.same": lambda x: x}
    scalars = [Prim("int32", 0), Prim("int32", 3), Prim("int64", 3), Prim("float32", 0.0), Prim("float64", 0.5)]
    for value in [*scalars, *((each, True) for each in scalars if use != "a condition")]:
        expected = rr.run(checked, "main", value, externs=externs)
        found = compiled.run("main", value, externs=externs)
        assert type(found) is type(expected), (value, expected, found)
        if isinstance(expected, rr.Returned) and isinstance(found, rr.Returned):
            assert repr((found.value, found.arguments)) == repr((expected.value, expected.arguments))
            assert repr(found.effects) == repr(expected.effects)
        elif isinstance(expected, rr.Trapped) and isinstance(found, rr.Trapped):
            assert found.rule == expected.rule


ENTERED = """@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "{dtype}")) -> T.{dtype}:
        I = T.alloc_buffer((1,), "int32")
        I[0] = 0
        while I[0] < 4:
            if I[0] > 2:
                return A[I[0]]
            I[0] = I[0] + 1
        return A[0]
"""


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "float32", "float64", "bfloat16"])
def test_a_kernel_that_is_entered_gives_a_number_of_python(dtype: str, mode: str) -> None:
    """Out of a loop, too; and the definition gives one (``ev/prim-func-result``), no truth of a reading's own."""
    checked = rr.check(rr.parse(ENTERED.format(dtype=dtype)))
    given = rr.Tensor.of([True] * 4 if dtype == "bool" else [1, 2, 3, 1], dtype)
    expected = rr.run(checked, "main", given)
    assert isinstance(expected, rr.Returned)
    assert type(expected.value) in (bool, int, float)
    compiled = rr.compile(checked, mode=mode)  # type: ignore[arg-type]
    found = compiled.run("main", given)
    assert isinstance(found, rr.Returned)
    assert repr(found.value) == repr(expected.value) == repr(compiled["main"](given))
    assert isinstance(rr.diff(checked, "main", [given], impl="numpy"), rr.Agreement)


@pytest.mark.parametrize(("dtype", "rule"), [("int32", "st/never-written"), ("float32", "ev/prim-value")])
def test_a_kernel_that_is_entered_and_gives_poison_is_open(dtype: str, rule: str) -> None:
    text = ENTERED.format(dtype=dtype).replace("return A[0]", f'U = T.alloc_buffer((1,), "{dtype}"); return U[0]')
    checked = rr.check(rr.parse(text.replace("I[0] > 2", "I[0] > 9")))
    outcome = rr.run(checked, "main", rr.Tensor.of([1, 2, 3, 4], dtype))
    assert isinstance(outcome, rr.Unspecified)
    assert outcome.rule == rule
