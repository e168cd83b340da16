"""The module that shows its bindings, run by the definition itself: the same result, and every binding inside. These
need no TVM."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax import testing
from refrelax.interop.tvm.frames import Frames
from refrelax.interop.tvm.instrument import OBSERVE, instrument
from refrelax.judge.bindings import bindings_of, composite, judge_frames
from refrelax.judge.outcomes import copies

PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def twice(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(3)), "float32")
        B = T.match_buffer(b, (n, T.int64(3)), "float32")
        for i, j in T.grid(n, T.int64(3)):
            with T.sblock("twice"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def helper(x: R.Tensor(("k", 3), "float32"), p: T.int64) -> R.Tensor(("k", 3), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, x)
            R.output(b)
        return b

    @R.function
    def falls(x: R.Tensor(("k", 3), "float32"), p: R.Tensor((), "int32")) -> R.Tensor(("k", 3), "float32"):
        cls = Module
        c = R.greater(p, R.const(0, "int32"))
        if c:
            q = R.subtract(p, R.const(1, "int32"))
            h = R.multiply(x, R.const(0.5, "float32"))
            f = cls.falls(h, q)
            r = R.add(f, x)
        else:
            r = R.negative(x)
        return r

    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), c: R.Tensor((), "bool"), s: R.Shape(["n", "m"]), f: T.int64,
             d: R.Tensor("float32", ndim=2)) -> R.Any:
        n = T.int64()
        u = T.int64()
        cls = Module
        with R.dataflow():
            y = R.add(x, x)
            t2 = R.call_tir(cls.twice, (y,), out_ty=R.Tensor((n, 3), "float32"))
            sh = R.shape_of(t2)
            t = (t2, sh)
            z = R.match_cast(d, R.Tensor((u, 3), "float32"))
            w = R.reshape(z, R.shape([u * 3]))
            q = R.split(z, 3, axis=1)
            q0 = q[0]
            R.output(z, w)
        k: T.int64 = f + 1
        l = cls.helper(x, k)
        e = cls.falls(l, R.const(3, "int32"))

        @R.function
        def inner(v: R.Tensor) -> R.Tensor:
            i1 = R.negative(v)
            i2 = R.negative(i1)
            i3 = R.add(i2, d)
            return i3

        i = inner(e)
        if c:
            a1 = R.multiply(l, l)
            r = R.add(a1, a1)
        else:
            r = R.subtract(l, l)
        return (r, i, w)
"""


def shown(module: rr.Module, args: list[Any], entry: str = "main") -> tuple[rr.Outcome, Frames]:
    """What the definition does with the module that shows, and what it is shown."""
    made = instrument(module, entry)
    assert rr.parse(rr.print_module(made.module)) == made.module
    frames = Frames(made)

    def observe(site: int, *values: Any) -> None:
        frames.take(site, list(copies(values)))

    return rr.run(rr.check(made.module), entry, *args, externs={**testing.EXTERNS, OBSERVE: observe}), frames


X = [[1.0, 2.0, 0.5], [-1.0, 0.25, 3.0]]


@pytest.mark.parametrize("c", [True, False])
def test_every_binding_is_shown(c: bool) -> None:
    module, args = rr.parse(PROGRAM), [X, c, (2, 7), 5, [[1.0, 2.0, 3.0]]]
    checked = rr.check(module)
    outcome, frames = shown(module, args)
    plain = rr.run(checked, "main", *args)
    assert (
        isinstance(outcome, rr.Returned) and isinstance(plain, rr.Returned) and str(outcome.value) == str(plain.value)
    )
    verdicts = judge_frames(checked, tuple(frames.frames))
    assert all(isinstance(each.verdict, rr.Inside) for each in verdicts) and len(verdicts) == len(frames.frames)
    assert frames.scopes == []
    found = {f"{each.path}/{each.name}" for each in verdicts}
    wanted = {
        f"{path}/{b.name}"
        for name in ("main", "helper", "falls")
        for path, b in bindings_of(checked.module.relax_functions()[name], name)
        if not composite(checked, b)
    }
    one_branch = {"main/a1", "main/r_1", "main/r_2"} & (wanted - found)
    assert wanted - found == one_branch and found <= wanted
    assert frames.unobserved() == () and "main/inner/i3" in found


def test_recursion_is_not_mixed_up() -> None:
    """The values of an outer call are its own when an inner one has come and gone."""
    checked = rr.check(rr.parse(PROGRAM))
    _, frames = shown(checked.module, [X, True, (2, 7), 5, X])
    outer = [each for each in frames.frames if each.path == "falls" and each.name == "c"]
    assert [int(each.names["p"].tolist()) for each in outer] == [3, 2, 1, 0]
    adds = [each for each in frames.frames if each.path == "falls" and "f" in each.names]
    assert len(adds) == 3 and len({str(each.names["x"]) for each in adds}) == 3


IN_PLACE = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def grow(A: T.Buffer((T.int64(3),), "float32")):
        for i in range(T.int64(3)):
            with T.sblock("grow"):
                v = T.axis.spatial(T.int64(3), i)
                A[v] = A[v] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        a = R.add(x, x)
        b = R.add(a, a)
        _ = cls.grow(a)
        d = R.add(a, b)
        return d
"""


def test_what_is_written_in_place_is_shown_as_it_was() -> None:
    checked = rr.check(rr.parse(IN_PLACE))
    _, frames = shown(checked.module, [[1.0, 2.0, 4.0]])
    by_name = {each.name: each for each in frames.frames}
    assert by_name["b"].names["a"].tolist() == [2, 4, 8] and by_name["d"].names["a"].tolist() == [3, 5, 9]
    assert all(isinstance(each.verdict, rr.Inside) for each in judge_frames(checked, tuple(frames.frames)))
    assert dict(frames.unobserved()) == {"no value": 1}


def test_a_loop_level_entry_has_no_bindings() -> None:
    made = instrument(rr.parse(IN_PLACE), "grow")
    assert made.sites == () and made.module == rr.parse(IN_PLACE)


def test_a_run_that_ends_early_shows_what_it_came_to() -> None:
    text = PROGRAM.replace(
        'R.match_cast(d, R.Tensor((u, 3), "float32"))', 'R.match_cast(d, R.Tensor((u, 4), "float32"))'
    )
    module = rr.parse(text.replace("with R.dataflow():", "if True:", 0))
    outcome, frames = shown(module, [X, True, (2, 7), 5, X])
    assert isinstance(outcome, rr.Trapped)
    frames.ended("stopped")
    assert dict(frames.unobserved())["stopped"] > 5


@pytest.mark.thorough
@settings(max_examples=20 if settings.default.max_examples < 1000 else 1000)
@given(st.data())
def test_any_module_shows_itself(data: st.DataObject) -> None:
    module = data.draw(testing.modules())
    checked = module if isinstance(module, rr.CheckedModule) else rr.check(module)
    args = data.draw(testing.call_arguments(checked.module))
    plain = rr.run(checked, "main", *copies(args), externs=testing.EXTERNS)
    outcome, frames = shown(checked.module, list(copies(args)))
    assert type(outcome) is type(plain)
    assert not any(
        isinstance(each.verdict, rr.Outside) for each in judge_frames(checked, tuple(frames.frames), testing.EXTERNS)
    )
    if isinstance(plain, rr.Returned) and isinstance(outcome, rr.Returned):
        assert str(plain.value) == str(outcome.value) and not frames.scopes
