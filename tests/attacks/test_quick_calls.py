"""A call of a compiled module that takes no detour: wrong arguments, calls within calls, threads, whose memory a result
is, and checks whose symbols are read only where they fail."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import calls
from refrelax.errors import RunError


def compiled(params: str, body: str, symbols: str = "n") -> Any:
    heads = "".join(f'{name} = TypeVar("{name}")\n' for name in symbols.split())
    lines = "\n".join("            " + line.strip() for line in body.strip().splitlines())
    return rr.compile(
        rr.check(
            rr.parse(
                f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
                f"        with R.dataflow():\n{lines}\n            R.output(out)\n        return out\n"
            )
        )
    )


SUM = 'x: R.Tensor((n,), "float32"), y: R.Tensor((n,), "float32")', "a = R.add(x, y)\nout = R.nn.relu(a)"
ONES = np.ones(3, "float32")


@pytest.mark.parametrize("args", [(), (ONES,), (ONES, ONES, ONES), (ONES, ONES, ONES, None)])
def test_the_number_of_arguments(args: tuple[Any, ...]) -> None:
    with pytest.raises(RunError) as found:
        compiled(*SUM)["main"](*args)
    assert found.value.outcome == rr.Trapped("ev/arity", f"main takes 2 arguments, {len(args)} were given")


def test_arguments_have_no_names() -> None:
    with pytest.raises(TypeError):
        compiled(*SUM)["main"](x=ONES, y=ONES)


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        ((ONES, np.ones(4, "float32")), "ev/param-shape"),
        ((ONES, np.ones((3, 1), "float32")), "ev/param-rank"),
        ((np.ones((1, 3), "float32"), ONES), "ev/param-rank"),
        ((ONES, np.ones(3)), "ev/param-dtype"),
    ],
)
def test_what_a_check_says(args: tuple[Any, ...], rule: str) -> None:
    """The symbol is not read where all is well."""
    f = compiled(*SUM)
    assert "\n    n = " not in f.source
    with pytest.raises(RunError) as found:
        f["main"](*args)
    assert isinstance(found.value.outcome, rr.Trapped) and found.value.outcome.rule == rule


def test_symbols_that_are_read_stay() -> None:
    f = compiled('x: R.Tensor((n, m), "float32")', "out = R.reshape(x, R.shape([m, n]))", "n m")
    assert f["main"](np.zeros((2, 3), "float32")).shape == (3, 2)
    f = compiled('x: R.Tensor((n,), "float32"), y: R.Tensor((n + 1,), "float32")', "out = R.concat((x, y), axis=0)")
    assert f["main"](ONES, np.zeros(4, "float32")).shape == (7,)
    with pytest.raises(RunError):
        f["main"](ONES, ONES)


def test_parameters_that_are_called_like_what_a_call_uses() -> None:
    names = ["array_", "float32_", "args", "call", "enter_", "more_", "FAILURES"]
    params = ", ".join(f'{name}: R.Tensor((n,), "float32")' for name in names)
    body = "\n".join(f"s{k} = R.add({'s' + str(k - 1) if k else names[0]}, {name})" for k, name in enumerate(names))
    f = compiled(params, f"{body}\nout = R.nn.relu(s{len(names) - 1})")
    assert (f["main"](*[ONES] * len(names)) == len(names) + 1).all()
    with pytest.raises(RunError):
        f["main"](*[ONES] * (len(names) - 1), np.ones(4, "float32"))


def test_no_parameter() -> None:
    call = compiled("", 'out = R.zeros(R.shape([2]), "float32")', "")["main"]
    assert (call() == 0).all()
    with pytest.raises(RunError) as found:
        call(ONES)
    assert found.value.outcome == rr.Trapped("ev/arity", "main takes 0 arguments, 1 were given")


def test_a_call_while_the_context_is_entered() -> None:
    """As a signal's handler makes it, or another thread: it takes the long way."""
    f = compiled(*SUM)
    call = f["main"]
    wanted, met = np.maximum(ONES + ONES, 0), list[Any]()
    entered: Any = calls.QUIET.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "QUIET", type("Same", (), {"copy": staticmethod(lambda: entered)}))
        again = rr.compile(f.checked)["main"]
        entered.run(lambda: met.append(again(ONES, ONES)))
    assert (met[0] == wanted).all() and (call(ONES, ONES) == wanted).all()


def test_threads() -> None:
    call = compiled(*SUM)["main"]
    failed: list[object] = []

    def work(k: int) -> None:
        x = np.full(30_000, k, "float32")
        for _ in range(40):
            if not (call(x, x) == 2 * k).all():
                failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed


ROWS = 'x: R.Tensor((n, m), "float32")'
NEW = {
    "flip": "out = R.flip(x, axis=1)",
    "tile": "out = R.tile(x, repeats=[1, 1])",
    "concat": "out = R.concat((x,), axis=0)",
    "cumsum": "out = R.cumsum(x, axis=0)",
    "cumprod": "out = R.cumprod(x, axis=1, exclusive=True)",
    "stack": "out = R.stack((x,), axis=0)",
    "topk": 'out = R.topk(x, k=2, axis=-1, ret_type="values", largest=True)',
    "topk_both": 'out = R.topk(x, k=0, axis=-1, ret_type="both", largest=True)',
    "scatter": 'i = R.full(R.shape([0, 1]), R.const(0, "int64"), dtype="int64")\n'
    'u = R.full(R.shape([0, m]), R.const(0, "float32"), dtype="float32")\n'
    'out = R.scatter_nd(x, i, u, reduction="update")',
}


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (600, 700), (0, 3), (3, 0)])
@pytest.mark.parametrize("name", NEW)
def test_a_result_is_memory_of_its_own(name: str, shape: tuple[int, int]) -> None:
    f = compiled(ROWS, NEW[name], "n m")
    x = np.arange(shape[0] * shape[1], dtype="float32").reshape(shape)
    before = x.copy()
    try:
        found = f["main"](x)
    except RunError:  # of so few elements
        assert 0 in shape or shape == (1, 1)
        return
    for each in found if isinstance(found, tuple) else (found,):
        assert type(each) is np.ndarray and each.flags.writeable and not np.may_share_memory(each, x)
        each[...] = 7
    second = f["main"](x)
    assert (x == before).all()
    for each, other in zip(*((t if isinstance(t, tuple) else (t,)) for t in (found, second)), strict=True):
        assert not np.may_share_memory(each, other) and (each == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64", "uint16"])
@pytest.mark.parametrize("shape", [(5, 70), (3, 4, 80), (2, 70, 3), (1, 200), (4, 0, 90), (2, 3, 4, 20), (30, 3, 90)])
def test_scans_along_every_axis(dtype: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(len(shape)).integers(-9, 9, shape).astype(dtype)
    dims = ", ".join("abcd"[: len(shape)])
    for axis in range(-len(shape), len(shape)):
        for exclusive, turned in ((False, False), (True, False), (False, True)):
            more = ", exclusive=True" if exclusive else ""
            f = compiled(
                f'x: R.Tensor(({dims}), "{dtype}")', f"out = R.cumsum(x, axis={axis}{more})", " ".join(dims.split(", "))
            )
            given = np.array(x, order="F") if turned else x
            wanted = np.cumsum(x.astype("int64"), axis)
            wanted = (wanted - x if exclusive else wanted).astype(dtype)
            found = f["main"](given)
            assert found.dtype == x.dtype and (found == wanted).all()


def test_what_is_no_number_in_a_scan() -> None:
    x = np.ones((4, 100), "float32")
    x[1, 5], x[2, 6], x[1, 7], x[2, 7] = np.nan, np.inf, np.inf, -np.inf
    for axis in (0, 1):
        f = compiled(ROWS, f"out = R.cumsum(x, axis={axis})", "n m")
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(f["main"](x), np.cumsum(x, axis))


STANDARD = """m = R.mean(x, axis=[{0}], keepdims=True)
c = R.subtract(x, m)
v = R.{1}(x, axis=[{0}], keepdims={2})
r = R.sum(v)
out = R.{3}(c, r)"""


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 500), (300, 70), (2, 20_000)])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["variance", "std"])
def test_a_variance_beside_its_distances(name: str, axis: int, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(1).standard_normal(shape).astype("float32") + np.float32(9)
    wide = x.astype("float64")
    for keep, last in ((True, "multiply"), (False, "add")):
        f = compiled(ROWS, STANDARD.format(axis, name, keep, last), "n m")
        assert f"ops['{name}'](x, c, " in f.source
        centre = wide - wide.mean(axis, keepdims=True)
        total = (wide.var(axis) if name == "variance" else wide.std(axis)).sum()
        wanted = centre * total if last == "multiply" else centre + total
        np.testing.assert_allclose(f["main"](x), wanted, rtol=1e-4, atol=1e-4 * max(1, float(abs(wanted).max())))


def test_a_variance_along_others_is_its_own() -> None:
    f = compiled(
        ROWS,
        STANDARD.format(0, "variance", True, "multiply").replace("variance(x, axis=[0]", "variance(x, axis=[1]"),
        "n m",
    )
    assert "ops['variance'](x, axis" in f.source
    body = STANDARD.format(0, "variance", True, "multiply").replace("c = R.subtract(x, m)", "c = R.subtract(m, x)")
    assert "ops['variance'](x, axis" in compiled(ROWS, body, "n m").source


def test_bytes_whose_products_fill_their_sums() -> None:
    params = 'x: R.Tensor((n, k), "int8"), y: R.Tensor((k, m), "int8")'
    f = compiled(params, 'out = R.matmul(x, y, out_dtype="int32")', "n k m")["main"]
    for depth in (0, 1, 1023, 1024, 1500):
        x, y = np.full((2, depth), -128, "int8"), np.full((depth, 3), -128, "int8")
        x[:, 1::7], y[2::5] = 127, 127
        assert (f(x, y) == x.astype("int64") @ y.astype("int64")).all() and f(x, y).dtype == np.int32


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_integers_are_chosen_by_bits(dtype: str) -> None:
    params = f'c: R.Tensor((n, m), "bool"), x: R.Tensor((n, m), "{dtype}"), y: R.Tensor((n, m), "{dtype}")'
    f = compiled(params, "out = R.where(c, x, y)", "n m")["main"]
    turn, kind = np.random.default_rng(3), np.iinfo(dtype)
    for shape in ((0, 3), (1, 1), (70, 80), (80, 70)):
        x, y = (turn.integers(kind.min, kind.max, shape, dtype, endpoint=True) for _ in "xy")
        c = turn.random(shape) < 0.5
        assert (f(c, x, y) == np.where(c, x, y)).all()
        assert (f(c.T, x.T, y.T) == np.where(c, x, y).T).all()


@pytest.mark.parametrize("count", [0, 1, 1 << 14, (1 << 14) + 1, 100_000])
def test_sums_of_long_products(count: int) -> None:
    f = compiled('x: R.Tensor((n,), "float32")', "a = R.multiply(x, x)\nout = R.sum(a)")["main"]
    x = np.random.default_rng(count).standard_normal(count).astype("float32")
    np.testing.assert_allclose(f(x), (x.astype("float64") ** 2).sum(), rtol=2e-6)
    if count:
        x[count // 2] = np.nan
        assert np.isnan(f(x))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_quotients_by_zero_beside_others(dtype: str) -> None:
    """Those by another number are what they are."""
    params = f'x: R.Tensor((n,), "{dtype}"), y: R.Tensor((n,), "{dtype}")'
    x, y = np.array([7, -7, 7, -7], dtype), np.array([2, 2, 0, -2], dtype)
    for name, wanted in (("floor_divide", [3, -4, 0, 3]), ("floor_mod", [1, 1, 0, -1])):
        found = compiled(params, f"out = R.{name}(x, y)")["main"](x, y)
        assert [found[k] for k in (0, 1, 3)] == [wanted[k] for k in (0, 1, 3)]
