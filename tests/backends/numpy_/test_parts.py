"""Parts of the backend against plain definitions: cuts of operands, bounds of views, roundings that are mended,
windows, programs of threads, and calls that are a little off what a form takes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.numpy_ import exact, machine
from refrelax.backends.numpy_.attention import _cut
from refrelax.backends.numpy_.border import _shares
from refrelax.backends.numpy_.fast_groups import _limits
from refrelax.backends.numpy_.guests import _usual
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import Ended
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.values import Prim, Shape
from tests.backends.numpy_.test_short_cuts import both, module, normal, tensor


@pytest.mark.parametrize("part", [slice(0, 2), slice(2, 3), slice(0, 3)])
@pytest.mark.parametrize("seen", [slice(0, 4), slice(1, 3), slice(3, 4)])
def test_a_cut_is_a_cut_of_the_whole(part: slice, seen: slice) -> None:
    for shape in ((), (4,), (1,), (3, 4), (1, 4), (3, 1), (1, 1), (2, 3, 4), (2, 1, 1)):
        x = np.arange(np.prod(shape)).reshape(shape)
        whole = np.broadcast_to(x, (*shape[:-2], 3, 4))[..., part, seen]
        assert (np.broadcast_to(_cut(x, part, seen), whole.shape) == whole).all(), shape


def test_a_view_lies_in_its_bytes() -> None:
    for dtype, to, n, offset in product(("float32", "int8"), ("float64", "int16", None), (0, 1, 3), (-1, 0, 4, 5, 24)):
        x = np.zeros((2, 3), dtype)
        size = n * (x.itemsize if to is None else np.dtype(to).itemsize)
        if offset >= 0 and offset + size <= x.nbytes:
            assert machine.within(x, Shape((n,)), to, offset) == (Shape((n,)), to or dtype)
        else:
            with pytest.raises(Ended):
                machine.within(x, Shape((n,)), to, offset)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_what_is_doubted_is_mended(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is off by less than the margin rounds right all the same."""
    x = np.random.default_rng(0).uniform(0.5, 2, 400).astype(numpy_dtype(dtype))
    wanted = exact.elementary("exp", x)
    off = float(np.finfo(np.float32).eps) / 64 if dtype == "float32" else 2.0**-11
    monkeypatch.setattr(exact, "MARGIN", off)
    monkeypatch.setitem(exact._DOUBLE, "exp", lambda each: np.exp(each) * (1 + off * 0.9))
    assert (exact.elementary("exp", x) == wanted).all()
    monkeypatch.setattr(exact, "MARGIN", 0.0)
    assert (exact.elementary("exp", x) != wanted).any()


KINDS = (
    ("conv2d", "NCHW", 1), ("conv2d", "NCHW", 2), ("conv2d", "NHWC", 1), ("conv2d", "NHWC", 2),
    ("max_pool2d", "NCHW", 1), ("avg_pool2d", "NHWC", 1),
)  # fmt: skip
STEPS = ((1, 1, [0, 0, 0, 0]), (2, 1, [1, 0, 0, 1]), (1, 2, [1, 1, 2, 2]), (3, 1, [0, 0, 0, 0]))
WINDOWS = [(*kind, *step) for kind in KINDS for step in STEPS]


@pytest.mark.parametrize(("kind", "layout", "groups", "stride", "dilation", "padding"), WINDOWS)
def test_windows(kind: str, layout: str, groups: int, stride: int, dilation: int, padding: list[int]) -> None:
    """Both ways of a row, against a loop over windows; the last windows of a pool may reach beyond the padding."""
    attrs: dict[str, Any] = {
        "strides": [stride] * 2,
        "dilation": [dilation] * 2,
        "padding": padding,
        "out_layout": None,
    }
    data, size = np.random.default_rng(3).integers(-4, 5, (2, 4, 8, 7)).astype(np.float32), 3
    kernel = np.random.default_rng(4).integers(-2, 3, (6, 4 // groups, size, size)).astype(np.float32)
    given = np.ascontiguousarray(np.moveaxis(data, 1, -1)) if layout == "NHWC" else data
    for ceil in (False, True)[: 1 if kind == "conv2d" else 2]:
        if kind == "conv2d":
            args: tuple[Any, ...] = (given, kernel)
            more = {"groups": groups, "data_layout": layout, "kernel_layout": "OIHW", "out_dtype": None}
        else:
            args, more = (
                (given,),
                {"layout": layout, "pool_size": [size] * 2, "ceil_mode": ceil, "count_include_pad": False},
            )
        for fast in (False, True):
            found = OPERATORS[f"relax.nn.{kind}"]({**attrs, **more}, args, fast)
            found = np.moveaxis(found, -1, 1) if layout == "NHWC" else found
            wanted = windows(kind, data, kernel, groups, stride, dilation, padding, ceil)
            assert found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-6), (fast, ceil)


def windows(kind: str, x: Any, w: Any, groups: int, s: int, d: int, padding: list[int], ceil: bool) -> Any:
    """By loops, as the text says it."""
    (top, left, bottom, right), reach = padding, 2 * d + 1
    counts = []
    for n, p, q in ((x.shape[2], top, bottom), (x.shape[3], left, right)):
        room = n + p + q - reach
        count = (-(-room // s) if ceil else room // s) + 1
        counts.append(count - 1 if ceil and (count - 1) * s >= n + p else count)
    made = np.zeros((2, w.shape[0] if kind == "conv2d" else 4, *counts), np.float32)
    for i, j in np.ndindex(*counts):
        at = [(a, b, i * s + a * d - top, j * s + b * d - left) for a, b in product(range(3), repeat=2)]
        inside = [(a, b, y, z) for a, b, y, z in at if 0 <= y < x.shape[2] and 0 <= z < x.shape[3]]
        cells = np.stack([x[:, :, y, z] for _, _, y, z in inside], -1) if inside else np.zeros((2, 4, 0), np.float32)
        if kind == "max_pool2d":
            made[:, :, i, j] = cells.max(-1, initial=-np.inf)
        elif kind == "avg_pool2d":
            made[:, :, i, j] = cells.sum(-1) / max(len(inside), 1)
        else:
            taps = np.stack([w[:, :, a, b] for a, b, _, _ in inside], -1) if inside else w[:, :, 0, :0]
            for g in range(groups):
                own, ins = slice(g * 6 // groups, (g + 1) * 6 // groups), slice(g * 4 // groups, (g + 1) * 4 // groups)
                made[:, own, i, j] = np.einsum("bct,oct->bo", cells[:, ins], taps[own])
    return made


def test_narrow_floats_are_added_in_wider_ones() -> None:
    for dtype, most in (("float16", 4096), ("bfloat16", 512)):
        checked = module(tensor("x", "n", dtype), "R.sum(x)")
        assert float(rr.compile(checked)["main"](np.ones(most, numpy_dtype(dtype)))) == most


def test_parts_that_are_reshaped_to_an_extent_that_is_inferred() -> None:
    body = "R.concat((R.reshape(x, R.shape([-1, 2])), R.reshape(y, R.shape([n, 2]))), axis=0)"
    found, wanted = both(module(f"{tensor('x', 'm, 4')}, {tensor('y', 'n, 2')}", body), normal(3, 4), normal(2, 2))
    assert found.shape == (8, 2) and (found == wanted).all()


THREADS = """@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="{}"):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi] + T.float32(1)
"""


IN_TURN = """@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="{}"):
        if A[i] > T.float32(-9):
            B[i] = A[i] + T.float32(1)
"""


@pytest.mark.parametrize("thread", ["threadIdx.x", "blockIdx.x"])
@pytest.mark.parametrize("text", [THREADS, IN_TURN], ids=["at once", "in turn"])
def test_threads_that_share_nothing(text: str, thread: str) -> None:
    f = rr.compile(rr.check(rr.parse(text.format(thread))))["main"]
    a, b = normal(4), np.zeros(4, np.float32)
    f(a, b)
    assert (b == a + 1).all()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_program_that_is_given_too_few(count: int) -> None:
    f = rr.compile(rr.check(rr.parse(THREADS.format("blockIdx.x"))))
    wanted = rr.run(rr.check(rr.parse(THREADS.format("blockIdx.x"))), "main", *[normal(4)] * count)
    found = f.run("main", *[normal(4)] * count)
    assert type(found) is type(wanted) and found.rule == wanted.rule  # type: ignore[union-attr]
    with pytest.raises(rr.RunError, match="ev/arity"):
        f["main"](*[normal(4)] * count)


@pytest.mark.parametrize("fill", ["-1.0", "-1e30", "0.0"])
@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_a_mask_of_attention_that_hides_or_does_not(fill: str, axis: int) -> None:
    params = f"{tensor('q', 'n, 8')}, {tensor('k', '8, n')}, {tensor('v', 'n, 4')}, {tensor('c', 'n, n', 'bool')}"
    text = f"R.matmul(R.nn.softmax(R.where(c, R.matmul(q, k), R.const({fill}, 'float32')), axis={axis}), v)"
    c = np.tri(6, dtype=bool)
    found, wanted = both(module(params, text), normal(6, 8), normal(8, 6), normal(6, 4), c)
    assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_product_of_what_has_no_known_shape() -> None:
    params = 'x: R.Tensor("float32", ndim=2), y: R.Tensor("float32", ndim=2)'
    found, wanted = both(module(params, "R.matmul(x, y)"), normal(2, 3), normal(3, 4))
    assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("step", [0, 1, 3])
def test_a_step_that_is_known_at_a_run(step: int) -> None:
    checked = module(
        f"{tensor('x', 'n, 3')}, s: R.Shape([n, m])", "R.strided_slice(x, axes=[0], begin=[0], end=[n], strides=[m])"
    )
    args = (normal(4, 3), rr.Shape((4, step)))
    wanted = rr.run(checked, "main", *args)
    for mode in ("fast", "bits"):
        found = rr.compile(checked, mode=mode).run("main", *args)
        if isinstance(wanted, rr.Returned):
            assert isinstance(found, rr.Returned) and found.value.tolist() == wanted.value.tolist()
        else:
            assert type(found) is type(wanted) and found.rule == wanted.rule


@pytest.mark.parametrize("query", ["q", "R.const([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]], 'float32')"])
@pytest.mark.parametrize("bias", ["w", "R.const([[0.0, -1e30, 0.0]], 'float32')", "R.add(w, w)"])
def test_attention_of_something_else(query: str, bias: str) -> None:
    params = f"{tensor('q', 'n, 2')}, {tensor('k', '2, 3')}, {tensor('v', '3, 4')}, {tensor('w', '1, 3')}"
    for scores in (
        f"R.add(s, {bias})",
        f"R.where(R.less({bias}, R.const(0, 'float32')), s, R.const(-1e30, 'float32'))",
    ):
        text = f"R.matmul(R.nn.softmax({scores.replace('s,', f'R.matmul({query}, k),')}, axis=-1), v)"
        found, wanted = both(module(params, text), normal(3, 2), normal(2, 3), normal(3, 4), normal(1, 3))
        assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_bounds_of_a_clip_that_are_in_order() -> None:
    for low, high, wanted in (("-1", "2", [-1, 2]), ("1", "1", [1, 1]), ("2", "-1", None), ("1", "0", None)):
        function = module(tensor("x", "n"), f"R.clip(x, {low}, {high})").module.functions["main"]
        (binding, *_) = function.body.blocks[0].bindings
        assert _limits(binding.value) == wanted
    for low, high in (("-1", "2"), ("2", "-1")):
        x = np.array([-3.0, 0.5, 1.5, 9.0], np.float32)
        text = f"R.multiply(R.clip(R.add(x, x), {low}, {high}), R.const(3, 'float32'))"
        found, plain = both(module(tensor("x", "n"), text), x)
        assert found.tolist() == plain.tolist(), (low, high)


def test_whose_memory_a_result_lies_in() -> None:
    own, other, raw = np.zeros(8), np.zeros(8), bytearray(64)
    over, inside = np.frombuffer(raw), memoryview(raw)
    first, second = np.frombuffer(inside[:32]), np.frombuffer(inside[32:])
    for value, given, wanted in (
        (own, own, True), (own[2:], own, True), (own, own[2:], True), (own[:2][:1], own[2:], True),
        (own, other, False), (own[2:], other[2:], False), (over, own, False), (own, over, False),
        (over, first, True), (over[4:], first, False), (first, second, False), (first[:2], over, True),
    ):  # fmt: skip
        assert _shares(value, [other[:0].copy(), given]) is wanted, (value, given)
    assert not _shares(own, [])


def test_arguments_of_the_dtypes_that_numpy_has() -> None:
    plain, narrow = np.zeros(2, np.float32), np.zeros(2, numpy_dtype("bfloat16"))
    one, other = Prim("float32", 1.0), Prim("bfloat16", 1.0)
    for args, wanted in (
        ([], True), ([plain], True), ([narrow], False), ([plain, narrow], False), ([(plain, one)], True),
        ([(plain, narrow), plain], False), ([one], True), ([plain, other], False), ([((),)], True), ([[plain]], False),
        ([np.zeros(2, bool), np.zeros(2, np.int8)], True), ([((narrow,),)], False),
    ):  # fmt: skip
        assert _usual(args) is wanted, args


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_adaptive_windows(layout: str, dtype: str) -> None:
    for (h, w), (p, q) in product(((4, 6), (5, 7)), ((2, 3), (1, 1), (4, 6))):
        data = np.random.default_rng(h).integers(-8, 9, (2, 3, h, w)).astype(dtype)
        wanted = np.zeros((2, 3, p, q), dtype)
        for i, j in product(range(p), range(q)):
            part = data[:, :, i * h // p : -(-(i + 1) * h // p), j * w // q : -(-(j + 1) * w // q)]
            wanted[:, :, i, j] = part.mean(axis=(2, 3), dtype=dtype)
        given, shown = (np.moveaxis(each, 1, -1) if layout == "NHWC" else each for each in (data, wanted))
        for fast in (False, True):
            attrs = {"output_size": [p, q], "layout": layout, "out_layout": None}
            found = OPERATORS["relax.nn.adaptive_avg_pool2d"](attrs, (given,), fast)
            assert found.dtype == dtype and found.shape == shown.shape
            assert np.allclose(found, shown, rtol=2e-3 if dtype == "float16" else 1e-6), (h, w, p, q, fast)


def test_adaptive_windows_of_lines() -> None:
    data = np.random.default_rng(0).integers(-8, 9, (2, 3, 6)).astype(np.float32)
    for q, fast in product((1, 2, 4, 6), (False, True)):
        parts = [data[:, :, j * 6 // q : -(-(j + 1) * 6 // q)] for j in range(q)]
        attrs = {"output_size": [q], "layout": "NCW", "out_layout": None}
        found = OPERATORS["relax.nn.adaptive_avg_pool1d"](attrs, (data,), fast)
        assert np.allclose(found, np.stack([each.mean(axis=2) for each in parts], axis=2)), (q, fast)


PRODUCT = """
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer((3, 4), "float32"), b: T.Buffer((4, 2), "float32"), c: T.Buffer({shape}, "float32")):
        for i, j, k in T.grid(3, 2, 4):
            with T.sblock("c"):
                x, y, z = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[{at}] = T.float32(0)
                c[{at}] = c[{at}] + a[x, z] * b[z, y]
"""


@pytest.mark.parametrize(
    ("shape", "at"), [((3, 2), "x, y"), ((2, 3), "y, x"), ((3, 2, 2), "x, 1, y"), ((2, 2, 3), "1, y, x")]
)
def test_where_a_contraction_is_stored(shape: tuple[int, ...], at: str) -> None:
    checked = rr.check(rr.parse(PRODUCT.format(shape=shape, at=at)))
    a, b = normal(3, 4), normal(4, 2)
    found, wanted = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    view = wanted[:, 1] if at == "x, 1, y" else wanted[1] if at == "1, y, x" else wanted
    view[...] = (a @ b).T if at.endswith("y, x") else a @ b
    rr.compile(checked)["main"](a, b, found)
    assert np.allclose(found, wanted, rtol=1e-5, atol=1e-6)
