"""Arrays in and out of compiled functions: no copy, no memory that is somebody else's, and errors that say what is
wrong."""

from __future__ import annotations

import array
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.numpy_ import memory
from tests.draws import draws

HEAD = 'n = TypeVar("n")\n@I.ir_module\nclass Module:\n'
LOOP = """    @T.prim_func
    def f(p: T.handle, q: T.handle):
        n = T.int64()
        A = T.match_buffer(p, (n, 3), "float32")
        B = T.match_buffer(q, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(1)

"""
INPLACE = """    @T.prim_func
    def g(p: T.handle):
        n = T.int64()
        A = T.match_buffer(p, (n, 3), "float32")
        for i, j in T.grid(n, 3):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] + T.float32(1)

"""


def module(body: str, more: str = "", params: str = 'x: R.Tensor((n, 3), "float32")', pure: bool = True) -> str:
    lines = "\n".join("        " + line for line in body.splitlines())
    return f"{HEAD}{more}    @R.function{'' if pure else '(pure=False)'}\n    def main({params}):\n{lines}\n"


def compiled(text: str, mode: str = "fast") -> Any:
    return rr.compile(rr.check(rr.parse(text)), mode=mode)


def ones(n: int = 2) -> Any:
    return np.arange(3 * n, dtype=np.float32).reshape(n, 3)


ADD = module("y = R.add(x, x)\nreturn y")


# --- what goes in ----------------------------------------------------------------------------------------------------


class Labelled(np.ndarray):
    """A subclass whose operators mean something else."""

    def __add__(self, other: Any) -> Any:
        raise AssertionError


class Dlpack:
    """An array that has DLPack and nothing else."""

    def __init__(self, inner: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.inner, self.device = inner, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


@pytest.mark.parametrize(
    "given_",
    [
        lambda x: x,
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(">f4"),
        lambda x: x.view(Labelled),
        lambda x: memoryview(x),
        lambda x: Dlpack(x),
        lambda x: rr.Tensor.of(x),
        lambda x: rr.Tensor.of(x.tolist(), "float32"),
        lambda x: x.tolist(),
    ],
    ids=[
        "array",
        "fortran",
        "strided",
        "reversed",
        "swapped",
        "subclass",
        "buffer",
        "dlpack",
        "tensor",
        "cells",
        "list",
    ],
)
def test_every_kind_of_array(given_: Any) -> None:
    x = ones()
    for mode in ("fast", "bits"):
        found = compiled(ADD, mode)["main"](given_(x))
        assert type(found) is np.ndarray and found.flags.writeable
        np.testing.assert_array_equal(found, x + x)


def test_nothing_is_copied_on_the_way() -> None:
    """A parameter that is given back is the caller's memory, whichever way it came."""
    same = compiled(module("return x"))["main"]
    x = ones()
    assert same(x) is x
    for each in (memoryview(x), Dlpack(x), rr.Tensor.over(x)):
        assert np.shares_memory(same(each), x)
    flat = array.array("f", [1, 2, 3])
    vector = compiled(module("return x", params='x: R.Tensor((n,), "float32")'))["main"]
    found = vector(flat)
    flat[0] = 7
    assert found[0] == 7


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "bool", "uint8", "float16"])
def test_narrow_formats(dtype: str) -> None:
    x = rr.Tensor.of([1, 0, 1], dtype).numpy()
    found = compiled(module("return x", params=f'x: R.Tensor((n,), "{dtype}")'))["main"](x)
    assert found.dtype == x.dtype and found.tobytes() == x.tobytes()


def rule(call: Any, *args: Any) -> str:
    with pytest.raises(rr.RunError) as caught:
        call(*args)
    return str(caught.value.outcome.rule)


@pytest.mark.parametrize("mode", ["fast", "bits"])
def test_what_does_not_fit(mode: str) -> None:
    params = 'x: R.Tensor((n, 3), "float32"), z: R.Tensor((n, 3), "float32")'
    call = compiled(module("y = R.add(x, z)\nreturn y", params=params), mode)["main"]
    assert rule(call, ones().astype("float64"), ones()) == "ev/param-dtype"
    assert rule(call, ones()[0], ones()) == "ev/param-rank"
    assert rule(call, ones()[:, :2], ones()) == "ev/param-shape"
    assert rule(call, ones(), ones(1)) == "ev/param-shape"
    assert rule(call, ones()) == "ev/arity"
    with pytest.raises(rr.UsageError, match="expected"):
        call(Dlpack(ones(), (2, 0)), ones())
    with pytest.raises(rr.UsageError, match="complex64"):
        call(ones().astype("complex64"), ones())
    with pytest.raises(rr.UsageError, match="object is no dtype"):
        call(ones().astype(object), ones())


class Refuses(Dlpack):
    """Says nothing of its device."""

    def __dlpack_device__(self) -> tuple[int, int]:
        raise ValueError("no device")


def test_what_is_no_array_here() -> None:
    call = compiled(ADD)["main"]
    for each in (Refuses(ones()), object(), {"a": 1}):
        with pytest.raises(rr.UsageError):
            call(each)


def test_a_module_is_checked_first() -> None:
    np.testing.assert_array_equal(rr.compile(rr.parse(ADD))["main"](ones()), 2 * ones())
    with pytest.raises(rr.IllFormed):
        rr.compile(rr.parse(ADD.replace("return y", "return z")))


# --- what comes out --------------------------------------------------------------------------------------------------

RESULTS = {
    "add": "y = R.add(x, x)\nreturn y",
    "astype": 'y = R.astype(x, "float32")\nreturn y',
    "copies": "y = R.nn.relu(x)\nreturn (y, x)",
    "slice": "y = R.strided_slice(x, axes=[0], begin=[0], end=[1])\nreturn y",
    "concat": "y = R.concat((x,), axis=0)\nreturn y",
    "take": 'y = R.take(x, R.const([0, 1], "int64"), axis=0)\nreturn y',
    "flip": "y = R.flip(x, axis=0)\nreturn y",
    "max": "y = R.max(x, axis=[])\nreturn y",
    "where": 'y = R.where(R.const(True, "bool"), x, x)\nreturn y',
    "tuple": "t = (x, x)\ny = t[0]\nz = R.add(y, y)\nreturn (z, R.add(x, z))",
    "view then fresh": "v = R.reshape(x, R.shape([n * 3]))\ny = R.negative(v)\nreturn y",
    "tril": "y = R.tril(x, 7)\nreturn y",
    "constant": 'y = R.const([1, 2, 3], "float32")\nreturn y',
}


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_fresh_result_is_nobody_elses(name: str, mode: str) -> None:
    """Writing to the arguments afterwards changes no fresh result, writing to a result changes no later one."""
    call = compiled(module(RESULTS[name]), mode)["main"]
    x = ones()
    first = call(x)
    results = first if isinstance(first, tuple) else (first,)
    kept = [r.copy() for r in results]
    again = call(x)
    fresh = [k for k, r in enumerate(results) if r is not x]
    assert fresh
    x[...] = 99
    for k in fresh:
        np.testing.assert_array_equal(results[k], kept[k])
        results[k][...] = -5
    for k in fresh:
        np.testing.assert_array_equal((again if isinstance(again, tuple) else (again,))[k], kept[k])
    np.testing.assert_array_equal(x, 99)


@pytest.mark.parametrize("op", ["R.reshape(x, R.shape([3, n]))", "R.permute_dims(x)", "R.expand_dims(x, axis=[0])"])
def test_a_view_may_be_the_callers(op: str) -> None:
    """Where the definition leaves it open nothing is copied."""
    x = ones()
    assert np.shares_memory(compiled(module(f"y = {op}\nreturn y"))["main"](x), x)


def test_results_over_read_only_memory_are_copied() -> None:
    x = ones()
    x.flags.writeable = False
    found = compiled(module("y = R.permute_dims(x)\nreturn y"))["main"](x)
    assert found.flags.writeable and not np.shares_memory(found, x)


# --- what is written -------------------------------------------------------------------------------------------------


def test_a_loop_program_writes_where_it_is_told() -> None:
    call = compiled(HEAD + LOOP)["f"]
    x, y = ones(), np.zeros((2, 3), np.float32)
    assert call(x, y) is None
    np.testing.assert_array_equal(y, x + 1)
    strided = np.zeros((4, 6), np.float32)
    call(x, strided[::2, ::2])
    np.testing.assert_array_equal(strided[::2, ::2], x + 1)
    assert not strided[1::2].any()
    tensor = rr.Tensor.of([[0.0] * 3] * 2)
    call(x, tensor)
    assert tensor.tolist() == (x + 1).tolist()


def test_what_cannot_be_written() -> None:
    call = compiled(HEAD + LOOP)["f"]
    x, y = ones(), np.zeros((2, 3), np.float32)
    y.flags.writeable = False
    with pytest.raises(rr.UsageError, match=r"B is written.*read-only"):
        call(x, y)
    with pytest.raises(rr.UsageError, match="share memory"):
        call(x, x)
    with pytest.raises(rr.UsageError, match="B is written"):
        call(x, y.tolist())
    with pytest.raises(rr.UsageError, match="byte order"):
        call(x, np.zeros((2, 3), ">f4"))
    x.flags.writeable = False  # which is only read
    call(x, np.zeros((2, 3), np.float32))


IN_PLACE = 'y = R.call_tir_inplace(Module.g, (x,), out_ty=R.Tensor((n, 3), "float32"), inplace_indices=[0])\nreturn y'


@pytest.mark.parametrize("mode", ["fast", "bits"])
def test_only_what_the_program_overwrites_is_written(mode: str) -> None:
    """A parameter that is overwritten is the caller's, as in the definition; a fresh value is not."""
    text = module(IN_PLACE, INPLACE, pure=False)
    x = ones()
    wanted = rr.run(rr.check(rr.parse(text)), "main", x)
    assert isinstance(wanted, rr.Returned)
    found = compiled(text, mode)["main"](x)
    np.testing.assert_array_equal(x, wanted.arguments[0].numpy())
    np.testing.assert_array_equal(found, wanted.value.numpy())
    other = module("z = R.add(x, x)\n" + IN_PLACE.replace("(x,)", "(z,)"), INPLACE, pure=False)
    x = ones()
    np.testing.assert_array_equal(compiled(other, mode)["main"](x), 2 * x + 1)
    np.testing.assert_array_equal(x, ones())


def test_a_constant_that_is_overwritten_stays() -> None:
    text = module(
        'z = R.const([[1, 2, 3]], "float32")\n' + IN_PLACE.replace("(x,)", "(z,)").replace("(n, 3)", "(1, 3)"),
        INPLACE, pure=False,
    )  # fmt: skip
    call = compiled(text)["main"]
    for _ in range(3):
        assert call(ones()).tolist() == [[2, 3, 4]]


def test_overwriting_read_only_memory() -> None:
    x = ones()
    x.flags.writeable = False
    with pytest.raises(rr.UsageError, match="read-only"):
        compiled(module(IN_PLACE, INPLACE, pure=False))["main"](x)


# --- tensors ---------------------------------------------------------------------------------------------------------


def test_a_tensor_is_the_array_until_it_has_cells() -> None:
    x = ones()
    tensor = rr.Tensor.over(x)
    assert np.asarray(tensor) is x
    assert np.shares_memory(np.from_dlpack(tensor), x)
    assert not np.shares_memory(tensor.numpy(), x)
    if sys.version_info >= (3, 12):
        assert np.shares_memory(np.asarray(memoryview(tensor)), x)
    assert tensor == rr.Tensor.of(x.tolist(), "float32")
    with pytest.raises(ValueError, match="copied"):
        np.asarray(tensor, copy=False)  # it has cells now
    np.testing.assert_array_equal(np.asarray(tensor), x)


def test_a_result_is_an_array_underneath() -> None:
    outcome = compiled(ADD).run("main", ones())
    assert isinstance(outcome, rr.Returned)
    assert np.shares_memory(np.asarray(outcome.value), np.asarray(outcome.value))
    assert outcome.value.shape == (2, 3) and outcome.value.dtype == "float32"


def test_not_a_number_is_the_canonical_one() -> None:
    x = np.array([0xFFC00001, 0x7F800001, 0x3F800000], np.uint32).view(np.float32)
    assert rr.Tensor.of(x).tobytes() == rr.Tensor.of(x.tolist(), "float32").tobytes()
    assert rr.Tensor.of(x).patterns() == [0x7FC00000, 0x7FC00000, 0x3F800000]


@settings(max_examples=draws(60))
@given(st.data())
def test_generated_modules(data: st.DataObject) -> None:
    """A call gives what a run gives, and leaves the arguments as they are where the program does."""
    checked = rr.check(data.draw(rr.testing.modules()))
    args = data.draw(rr.testing.call_arguments(checked.module))
    executable = rr.compile(checked)
    try:
        call = executable["main"]
    except rr.Unlinkable:
        return
    wanted = executable.run("main", *args)
    if not isinstance(wanted, rr.Returned):
        with pytest.raises(rr.RunError):
            call(*args)
        return
    before = [np.asarray(a).tobytes() if isinstance(a, rr.Tensor) else a for a in args]
    found = call(*args)
    same(found, wanted.value)
    for a, old, new in zip(args, before, wanted.arguments, strict=True):
        if isinstance(a, rr.Tensor):
            now = np.asarray(a).tobytes()
            assert now == old or now == np.asarray(new).tobytes()


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b)
    elif isinstance(wanted, rr.Tensor):
        assert type(found) is np.ndarray and rr.Tensor.of(found) == wanted


# --- memory that is used again ---------------------------------------------------------------------------------------


def test_memory_is_used_again_only_when_nobody_has_it() -> None:
    first = memory.fresh((1 << 18,), np.float32)
    view = first[5:7]
    second = memory.fresh((1 << 18,), np.float32)
    assert not np.shares_memory(first, second)
    del first
    assert not np.shares_memory(view, memory.fresh((1 << 18,), np.float32))
    view[...] = 3
    del second
    filled = [memory.fresh((1 << 18,), np.float32) for _ in range(4)]
    assert not any(np.shares_memory(view, each) for each in filled) and (view == 3).all()


def test_threads_get_memory_of_their_own() -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(50):
            own = memory.fresh((1 << 17,), np.float32)
            own[...] = number
            other = memory.fresh((1 << 17,), np.float32)
            other[...] = -1
            if not (own == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
