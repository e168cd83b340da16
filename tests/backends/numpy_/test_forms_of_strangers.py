"""Forms of mode ``fast`` that came from workloads of strangers, and exact ones of both modes, against the definition
or mode ``bits``."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.running.arrays import numpy_dtype
from tests.testing.comparing import same_bits


def module(params: str, body: str, symbols: str = "n") -> rr.CheckedModule:
    heads = "".join(f'{name} = TypeVar("{name}")\n' for name in symbols.split())
    lines = "\n".join("            " + line.strip() for line in body.strip().splitlines())
    return rr.check(
        rr.parse(
            f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
            f"        with R.dataflow():\n{lines}\n            R.output(out)\n        return out\n"
        )
    )


def near(checked: rr.CheckedModule, *args: Any, tolerance: float = 1e-5) -> str:
    """Mode ``fast`` against ``bits``; gives the source."""
    compiled = rr.compile(checked)
    found, wanted = compiled["main"](*args), rr.compile(checked, mode="bits")["main"](*args)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
    return str(compiled.source)


def exactly(checked: rr.CheckedModule, *args: Any) -> None:
    """Both modes against the definition, where both are exact."""
    wanted = rr.run(checked, "main", *args)
    assert isinstance(wanted, rr.Returned), wanted
    for mode in ("bits", "fast"):
        found = rr.compile(checked, mode=mode).run("main", *args)
        assert isinstance(found, rr.Returned)
        assert same_bits(wanted.value, found.value), mode


ATTENTION = module(
    'q: R.Tensor((2, n, 8), "float32"), k: R.Tensor((2, m, 8), "float32"), v: R.Tensor((2, m, 4), "float32"),'
    ' mask: R.Tensor((n, m), "float32")',
    """kt = R.permute_dims(k, axes=[0, 2, 1])
    s0 = R.matmul(q, kt)
    s = R.divide(s0, R.const(4.0, "float32"))
    t = R.add(mask, s)
    p = R.nn.softmax(t, axis=-1)
    out = R.matmul(p, v)""",
    "n m",
)


@pytest.mark.by_day(4)
@pytest.mark.parametrize("fill", [-np.inf, -1e9, -1e8, -5.0])
@pytest.mark.parametrize("sizes", [(1, 1), (150, 170), (70, 1), (1, 90)])
def test_an_added_mask(fill: float, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    n, m = sizes
    q, k = (rng.standard_normal((2, size, 8)).astype(np.float32) for size in sizes)
    v = rng.standard_normal((2, m, 4)).astype(np.float32)
    seen = np.abs(np.arange(n)[:, None] - np.arange(m)) < 20
    seen[:, 0] |= ~seen.any(1)
    mask = np.where(seen, rng.standard_normal((n, m)), fill).astype(np.float32)
    assert "rt.attend_biased" in near(ATTENTION, q, k, v, mask)
    near(ATTENTION, q * np.float32(1e4), k * np.float32(1e4), v, mask)  # scores beside which -1e9 hides nothing
    mask[n // 2] = fill  # a query that sees nothing
    near(ATTENTION, q, k, v, mask)


def test_what_is_no_number_stays() -> None:
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 130, size)).astype(np.float32) for size in (8, 8, 4))
    mask = np.where(np.tri(130, dtype=bool), 0, -np.inf).astype(np.float32)
    for array, number in product((0, 1, 2), (np.nan, np.inf)):
        given = [q.copy(), k.copy(), v.copy()]
        given[array][0, 100, 1] = number
        near(ATTENTION, *given, mask)
    mask[5, 3] = np.nan
    near(ATTENTION, q, k, v, mask)


@pytest.mark.parametrize("shape", [(5, 7), (3, 4, 6), (1, 1), (2, 300), (0, 3)])
def test_sums_of_products(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    dims = ", ".join("nmk"[: len(shape)])
    for form, axis, keep in product(("multiply(x, y)", "square(x)"), ("[-1]", "None"), (True, False)):
        checked = module(
            f'x: R.Tensor(({dims}), "float32"), y: R.Tensor(({dims}), "float32")',
            f"s = R.{form}\nout = R.sum(s, axis={axis}, keepdims={keep})",
            " ".join("nmk"[: len(shape)]),
        )
        x, y = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
        assert "rt.sum_of_products" in near(checked, x, y, tolerance=1e-4)
        near(checked, x[..., ::-1], y, tolerance=1e-4)


def test_a_product_of_two_uses_is_made() -> None:
    checked = module(
        'x: R.Tensor((n, 4), "float32")', "s = R.square(x)\nt = R.sum(s, axis=[1], keepdims=True)\nout = R.add(s, t)"
    )
    assert "sum_of_products" not in near(checked, np.arange(12, dtype=np.float32).reshape(3, 4))


CLASSES = 'x: R.Tensor((n, 5), "{0}"), t: R.Tensor((n,), "{1}"), w: R.Tensor((5,), "{0}")'


@pytest.mark.parametrize(("more", "reduction"), [("", "mean"), (", w", "mean"), ("", "sum"), (", w", "sum")])
@pytest.mark.parametrize("count", [1, 4, pytest.param(30_000, marks=pytest.mark.thorough)])
def test_a_loss_reads_one_logarithm_a_row(more: str, reduction: str, count: int) -> None:
    """The same number as of logarithms that are made, because they are returned, too."""
    rng = np.random.default_rng(count)
    for kind, index in product(("float32", "float64"), ("int32", "int64")):
        logs = "l = R.nn.log_softmax(x, axis=-1)"
        loss = f'out = R.nn.nll_loss(l, t{more}, reduction="{reduction}")'
        checked = module(CLASSES.format(kind, index), f"{logs}\n{loss}")
        x, w = (rng.standard_normal(shape).astype(kind) for shape in ((count, 5), 5))
        t = rng.integers(0, 5, count).astype(index)
        assert "rt.nll_of_log_softmax" in near(checked, x, t, abs(w) + 1, tolerance=1e-4)
        near(checked, np.asfortranarray(x), t, abs(w) + 1, tolerance=1e-4)
        two = module(CLASSES.format(kind, index), f"{logs}\n{loss.replace('out', 'a')}\nout = (a, l)")
        made = rr.compile(two)
        assert "rt.nll_of_log_softmax" not in made.source
        if count < 30_000:  # (sums of one order)
            assert rr.compile(checked)["main"](x, t, w) == made["main"](x, t, w)[0]


@pytest.mark.parametrize("index", [5, -1, -100, 2**40, -(2**63)])
def test_a_target_that_is_no_class(index: int) -> None:
    """Ignored where it is the one to be, else left open: then as of logarithms that are made."""
    text = 'l = R.nn.log_softmax(x, axis=-1)\na = R.nn.nll_loss(l, t, reduction="sum"{0})\nout = {1}'
    x, w, t = np.arange(10, dtype=np.float32).reshape(2, 5), np.ones(5, np.float32), np.array([1, index])
    for more in ("", ", ignore_index=1", f", ignore_index={index}" if abs(index) < 2**31 else ""):
        quick, made = (module(CLASSES.format("float32", "int64"), text.format(more, out)) for out in ("a", "(a, l)"))
        found = rr.compile(quick)["main"](x, t, w)
        np.testing.assert_array_equal(found, rr.compile(made)["main"](x, t, w)[0])
        if str(index) in more:
            np.testing.assert_allclose(found, 3.4519143, rtol=1e-5)  # of the first row, alone


def test_logarithms_along_another_axis_are_made() -> None:
    checked = module(
        'x: R.Tensor((n, 5), "float32"), t: R.Tensor((n,), "int64")',
        'l = R.nn.log_softmax(x, axis=0)\nout = R.nn.nll_loss(l, t, reduction="mean")',
    )
    x = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
    assert "rt.nll_of_log_softmax" not in near(checked, x, np.array([0, 4, 2, 2]))


@pytest.mark.parametrize("index", [[], [0, 2, 1], [3], [-1], [0, -3, 1], [2**40]])
def test_rows_of_one_hot(index: list[int]) -> None:
    for kind, off, axis in product(("float32", "float64"), ("0", "-0.0", "1"), (-1, 1, 0)):
        checked = module(
            'i: R.Tensor((n,), "int64")', f"out = R.one_hot(i, T.{kind}(2.5), T.{kind}({off}), 3, axis={axis})"
        )
        assert ("rt.hot" in rr.compile(checked).source) == (off == "0" and axis != 0)
        exactly(checked, np.array(index, np.int64))


@pytest.mark.parametrize("shape", [(3, 8, 64), (3, 7, 64), (2, 2, 8, 64), (3, 1, 64), (0, 8, 64), (3, 200, 64)])
def test_a_stack_times_a_matrix(shape: tuple[int, ...]) -> None:
    """One by one, or as one product of all rows."""
    dims = ", ".join("nmk"[: len(shape) - 1])
    checked = module(
        f'x: R.Tensor(({dims}, 64), "float32"), y: R.Tensor((64, 96), "float32")', "out = R.matmul(x, y)", "n m k"
    )
    rng = np.random.default_rng(8)
    x, y = (rng.standard_normal(each).astype(np.float32) for each in (shape, (64, 96)))
    for a, b in ((x, y), (x[..., ::-1], y), (x, y.T.copy().T)):
        assert "rt.times_matrix" in near(checked, a, b, tolerance=1e-4)


SPREAD = """v = R.variance(x, axis=[{1}], keepdims=True)
    {0}
    m = R.mean(x, axis=[0], keepdims=True)
    c = R.subtract(x, m)
    d = R.add(c, v)
    out = R.add(d, c)"""


@pytest.mark.parametrize("between", ["", "k = R.exp(v)"])
def test_a_distance_that_comes_later(between: str) -> None:
    """A variance before the difference from the mean is told of it, as one behind it is; of another axis it is not."""
    x = np.random.default_rng(9).standard_normal((40, 7)).astype(np.float32)
    for axis in (0, 1):
        source = near(module('x: R.Tensor((n, 7), "float32")', SPREAD.format(between, axis)), x, tolerance=1e-4)
        assert ("ops['variance'](x, c," in source) == (axis == 0)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64", "uint64"])
def test_remainders_of_one_divisor(kind: str) -> None:
    """By division where it is positive, at both ends of the dtype."""
    ends = np.iinfo(kind)
    x = np.array([0, 1, 6, 7, 8, 100, ends.max, ends.max - 1, ends.min, ends.min // 2], kind)
    if ends.min:
        x = np.concatenate([x, -x[:6]])
    for divisor in (1, 2, 7, int(ends.max), *((-1, -7, int(ends.min)) if ends.min else ())):
        for form in (f'out = R.floor_mod(x, R.const({divisor}, "{kind}"))', "out = R.floor_mod(x, y)"):
            checked = module(f'x: R.Tensor((n,), "{kind}"), y: R.Tensor((1,), "{kind}")', form)
            exactly(checked, x, np.array([divisor], kind))


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_remainders_of_floats(kind: str) -> None:
    rng = np.random.default_rng(12)
    for shape, other in product(((4, 6), (6,), ()), repeat=2):
        dims = [f'R.Tensor({each}, "{kind}")' for each in (shape, other)]
        x, y = (np.asarray(rng.standard_normal(each) * 4).astype(numpy_dtype(kind)) for each in (shape, other))
        exactly(module(f"x: {dims[0]}, y: {dims[1]}", "out = R.floor_mod(x, y)"), x, y)


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int32", "uint8", "int8"])
@pytest.mark.parametrize("odd", ["", "none", "none at the end", "infinite", "zeros", "equal", "few"])
def test_the_first_of_long_lines(kind: str, odd: str) -> None:
    rng = np.random.default_rng(13)
    for shape, axis in (((2, 10_001), 1), ((8192,), 0), ((8200, 3), 0)):
        x = (
            (rng.standard_normal(shape) * 1e4).astype(kind)
            if "int" not in kind
            else rng.integers(0, 120, shape).astype(kind)
        )
        line = x[0] if axis == 1 else x if x.ndim == 1 else x[:, 1]
        if "float" in kind and odd:
            line[-1 if "end" in odd else 77] = {"infinite": -np.inf, "zeros": 0.0}.get(
                odd, 7.0 if odd == "equal" else np.nan
            )
        if odd == "equal":
            line[...] = line[77]
        if odd == "zeros":
            line[line > 0] = 0
        if odd == "few":
            line[10:] = line[:10].min()
        for count, largest in product((1, 4, 32, 33), (True, False)):
            checked = module(
                f'x: R.Tensor({shape}, "{kind}")',
                f'out = R.topk(x, k={count}, axis={axis}, ret_type="values", largest={largest})',
            )
            found = [rr.compile(checked, mode=mode).run("main", x) for mode in ("fast", "bits")]
            order = np.sort(x, axis)[(slice(None),) * axis + (slice(None, None, -1 if largest else 1),)]
            wanted = order[(slice(None),) * axis + (slice(0, count),)]
            if np.isnan(x.astype(np.float64)).any():
                assert type(found[0]) is type(found[1])
                continue
            for each in found:
                assert isinstance(each, rr.Returned)
                np.testing.assert_array_equal(each.value.numpy(), wanted)


@pytest.mark.by_day(1)
@pytest.mark.parametrize("kind", ["float32", "int32", "float16"])
def test_pools(kind: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-3, 3, (2, 3, 7, 6)).astype(kind)
    for size, stride, pad, dilation, ceil in product(([3, 3], [2, 1]), ([1, 1], [2, 3]), (0, 1), (1, 2), (True, False)):
        attrs = f"pool_size={size}, strides={stride}, padding={[pad] * 4}, dilation={[dilation] * 2}, ceil_mode={ceil}"
        exactly(module(f'x: R.Tensor((n, 3, 7, 6), "{kind}")', f"out = R.nn.max_pool2d(x, {attrs})"), x)
        checked = module(f'x: R.Tensor((n, 3, 7, 6), "{kind}")', f"out = R.nn.avg_pool2d(x, {attrs})")
        near(checked, x, tolerance=2e-3 if kind == "float16" else 1e-5)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 5), (3,), (0, 3)])
def test_losses(reduction: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    kept = shape[:1] + shape[2:] if len(shape) > 1 else ()
    x = rng.standard_normal(shape).astype(np.float32)
    targets = np.asarray(rng.integers(0, 3, kept), np.int64)
    targets[...] = np.where(rng.random(kept) < 0.2, -100, targets)
    for weights in ("", ", w"):
        checked = module(
            f'x: R.Tensor({shape}, "float32"), t: R.Tensor({kept}, "int64"), w: R.Tensor((3,), "float32")',
            f'out = R.nn.nll_loss(x, t{weights}, reduction="{reduction}")',
        )
        args = (x, targets, rng.standard_normal(3).astype(np.float32))
        wanted = rr.run(checked, "main", *args)
        found = rr.compile(checked, mode="bits").run("main", *args)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
        assert same_bits(wanted.value, found.value)
        near(checked, *args)


@pytest.mark.parametrize(("a", "b", "out"), [("int8", "int8", "int32"), ("uint8", "uint8", "int8"),
                                             ("int32", "int32", "int32"), ("int64", "int64", "int64")])  # fmt: skip
def test_products_of_integers(a: str, b: str, out: str) -> None:
    rng = np.random.default_rng(6)
    for bits, count in product((6, 20, 31), (1, 5, 70)):
        x, y = (rng.integers(0, 1 << bits, shape).astype(np.int64).astype(kind)
                for shape, kind in (((3, count), a), ((count, 2), b)))  # fmt: skip
        checked = module(
            f'x: R.Tensor((3, n), "{a}"), y: R.Tensor((n, 2), "{b}")', f'out = R.matmul(x, y, out_dtype="{out}")'
        )
        exactly(checked, x, y)


def test_medians() -> None:
    rng = np.random.default_rng(7)
    checked = module('x: R.Tensor((n, m), "float32")', "t = R.median(x, axis=[-1])\na = t[0]\nb = t[1]\n"
                     'c = R.astype(b, "float32")\nout = R.stack((a, c), axis=0)', "n m")  # fmt: skip
    for width in (1, 2, 7, 8):
        x = rng.integers(-2, 3, (9, width)).astype(np.float32)
        x[0, 0], x[1, -1] = np.nan, -0.0
        exactly(checked, x)


@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_sections(size: int) -> None:
    checked = module(f'x: R.Tensor(({size}, 3), "float32")', "out = R.split(x, indices_or_sections=2, axis=0)")
    x = np.arange(3 * size, dtype=np.float32).reshape(size, 3)
    wanted = rr.run(checked, "main", x)
    for mode in ("bits", "fast"):
        found = rr.compile(checked, mode=mode).run("main", x)
        assert type(found) is type(wanted)
        if isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned):
            assert same_bits(wanted.value, found.value)


def test_a_view_of_what_is_overwritten_is_none() -> None:
    """What is sliced lives on where its operand is written over."""
    checked = module(
        'x: R.Tensor((n, 64), "float32")',
        """a = R.exp(x)
        b = R.strided_slice(a, axes=[1], begin=[0], end=[64], strides=[2])
        c = R.negative(a)
        d = R.sum(c, axis=[1], keepdims=True)
        out = R.add(b, d)""",
    )
    x = np.random.default_rng(8).standard_normal((50, 64)).astype(np.float32)
    near(checked, x, tolerance=1e-4)
    alone = module('x: R.Tensor((n, 4), "float32")', "out = R.strided_slice(x, axes=[1], begin=[0], end=[2])")
    given = np.ones((3, 4), np.float32)
    assert not np.shares_memory(rr.compile(alone)["main"](given), given)


BUILT = {
    "softmax": ('x: R.Tensor((n, 16), "float32")', "out = R.nn.softmax(x, axis=-1)"),
    "views": (
        'x: R.Tensor((n, 4, 4), "float32")',
        "a = R.permute_dims(x, axes=[0, 2, 1])\nb = R.reshape(a, R.shape([n, 16]))\nout = R.exp(b)",
    ),
    "two symbols": (
        'x: R.Tensor((n, 16), "float32"), y: R.Tensor((m, 16), "float32")',
        "z = R.concat((x, y), axis=0)\na = R.exp(z)\nout = R.repeat(a, 2, axis=0)",
    ),
}


@pytest.mark.parametrize("name", BUILT)
def test_built_modules_are_read_back(name: str) -> None:
    params, body = BUILT[name]
    checked = module(params, body, "n m" if "m," in params else "n")
    built = rr.lower(checked, "build").module
    compiled = rr.compile(built)
    assert "vm." not in compiled.source.partition("def f_main")[2]
    shapes = [(3, 4, 4)] if name == "views" else [(3, 16), (5, 16)][: params.count("Tensor")]
    args = [np.random.default_rng(9).standard_normal(shape).astype(np.float32) for shape in shapes]
    np.testing.assert_allclose(compiled["main"](*args), rr.compile(checked)["main"](*args), rtol=1e-6)
    wanted = rr.run(built, "main", *args)
    found = rr.compile(built, mode="bits").run("main", *args)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert same_bits(wanted.value, found.value)
    wrong = [np.zeros(shape, np.float64) for shape in shapes]
    ended = rr.run(built, "main", *wrong)
    assert isinstance(ended, rr.Trapped)
    assert compiled.run("main", *wrong).rule == ended.rule  # type: ignore[union-attr]
