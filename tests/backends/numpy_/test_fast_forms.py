"""The forms of mode ``fast`` against the definition, and the array forms of both modes bit for bit: random shapes and
numbers with NaNs, infinities, zeros of both signs and ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.backends.numpy_ import blocks, fast_rows
from refrelax.backends.numpy_.operators import OPERATORS
from tests.draws import draws

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, float("inf"), float("-inf"), float("nan"), 1e-40, 65504.0]


def program(params: str, body: str, symbols: str = "n m k") -> Any:
    heads = "".join(f'{s} = TypeVar("{s}")\n' for s in symbols.split())
    lines = "\n".join("        " + line.strip() for line in body.strip().splitlines())
    return rr.check(
        rr.parse(f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n{lines}\n")
    )


def floats(draw: Any, shape: tuple[int, ...], dtype: str) -> Any:
    count = int(np.prod(shape))
    if draw(st.booleans()):
        cells = draw(st.lists(st.sampled_from(SPECIAL), min_size=count, max_size=count))
    else:
        cells = draw(st.lists(st.integers(-3, 3).map(float), min_size=count, max_size=count))
    return np.array(cells, "float32").astype(rr.Tensor.of([0.0], dtype).numpy().dtype).reshape(shape)


def agree(checked: Any, *args: Any) -> None:
    """In mode ``bits`` the definition's bits, in mode ``fast`` what it permits."""
    wanted = rr.run(checked, "main", *args)
    found = rr.compile(checked, mode="bits").run("main", *args)
    if isinstance(wanted, rr.Unspecified):  # any end will do
        return
    assert type(wanted) is type(found), (wanted, found)
    if isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned):
        bits_agree(wanted.value, found.value)
        fast = rr.compile(checked, mode="fast")["main"](*args)
        permitted = rr.run(checked, "main", *args, numerics="enclosure").value
        inside(permitted, fast)
    else:
        assert wanted.rule == found.rule


def bits_agree(a: Any, b: Any) -> None:
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            bits_agree(x, y)
        return
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    pairs = zip(a.patterns(), b.patterns(), strict=True)
    assert all(x is None or x == y for x, y in pairs), (a.tolist(), b.tolist())


def inside(permitted: Any, found: Any) -> None:
    if isinstance(permitted, tuple):
        for p, f in zip(permitted, found, strict=True):
            inside(p, f)
        return
    assert not isinstance(permitted.judge(found), rr.Outside), (permitted.judge(found), found)


DTYPES = st.sampled_from(["float32", "float16", "bfloat16", "float64"])
SHAPES = st.tuples(st.integers(0, 3), st.integers(0, 6))

# --- each element ----------------------------------------------------------------------------------------------------

UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "log",
    "negative", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    "isnan", "isfinite", "isinf", "nn.relu", "nn.gelu", "nn.gelu_tanh", "nn.silu", "nn.leakyrelu",
]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 3)])
def test_every_rank(name: str, shape: tuple[int, ...]) -> None:
    """One operator, and three that are a group; numbers that each of them has."""
    x = (np.arange(int(np.prod(shape))).reshape(shape) / 8 + (1.0 if name == "acosh" else 0.0)).astype("float32")
    head = f'x: R.Tensor({shape}, "float32")'
    agree(program(head, f"y = R.{name}(x)\nreturn y"), x)
    if not name.startswith("is"):
        agree(program(head, f"a = R.multiply(x, x)\nb = R.{name}(a)\ny = R.add(b, x)\nreturn y"), x)


# --- order -----------------------------------------------------------------------------------------------------------


@settings(max_examples=draws(60))
@given(st.data())
def test_orders(data: st.DataObject) -> None:
    dtype, shape = data.draw(st.one_of(DTYPES, st.sampled_from(["int8", "uint32", "int64", "bool"]))), data.draw(SHAPES)
    if dtype in ("int8", "uint32", "int64", "bool"):
        x = np.array(data.draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
        x = x.reshape(shape).astype(dtype)
    else:
        x = floats(data.draw, shape, dtype)
    axis, down, k = data.draw(st.sampled_from([0, 1, -1])), data.draw(st.booleans()), data.draw(st.integers(1, 3))
    body = data.draw(
        st.sampled_from(
            [
                f"y = R.sort(x, axis={axis}, descending={down})",
                f'y = R.argsort(x, axis={axis}, descending={down}, dtype="int64")',
                f'y = R.topk(x, k={k}, axis={axis}, ret_type="both", largest={down}, dtype="int64")',
                f'y = R.topk(x, k={k}, axis={axis}, ret_type="values", largest={down}, dtype="int64")',
            ]
        )
    )
    agree(program(f'x: R.Tensor((n, m), "{dtype}")', f"{body}\nreturn y"), x)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("special", [None, np.nan, -0.0, np.inf])
def test_a_few_of_many(largest: bool, special: float | None) -> None:
    """Long rows, of which few are asked for: the ways that partition."""
    x = np.random.default_rng(0).integers(-500, 500, (2, 90)).astype(np.float32)
    if special is not None:
        x[:, ::7] = special
    for kind in ("both", "values", "indices"):
        text = f'y = R.topk(x, k=9, axis=-1, ret_type="{kind}", largest={largest}, dtype="int32")\nreturn y'
        agree(program('x: R.Tensor((n, m), "float32")', text), x)


# --- loads and stores ------------------------------------------------------------------------------------------------


@settings(max_examples=draws(60))
@given(st.data())
def test_scatter(data: st.DataObject) -> None:
    dtype, rows = data.draw(DTYPES), data.draw(st.integers(1, 3))
    width, count = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 7))
    x, u = floats(data.draw, (rows, width), dtype), floats(data.draw, (count, width), dtype)
    reduction = data.draw(st.sampled_from(["add", "mul", "max", "min", "update"]))
    index = data.draw(st.lists(st.integers(-rows, rows - 1), min_size=count, max_size=count))
    nd = program(
        f'x: R.Tensor((n, m), "{dtype}"), i: R.Tensor((k, 1), "int64"), u: R.Tensor((k, m), "{dtype}")',
        f'y = R.scatter_nd(x, i, u, reduction="{reduction}")\nreturn y',
    )
    places = np.array(index, "int64").reshape(count, 1)
    agree(nd, x, places, u)
    if not width:
        return
    elements = program(
        f'x: R.Tensor((n, m), "{dtype}"), i: R.Tensor((k, m), "int64"), u: R.Tensor((k, m), "{dtype}")',
        f'y = R.scatter_elements(x, i, u, axis=0, reduction="{reduction}")\nreturn y',
    )
    agree(elements, x, np.repeat(places, width, axis=1), u)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "update"])
@pytest.mark.parametrize("skew", [False, True])
def test_many_stores(reduction: str, skew: bool) -> None:
    """More stores than rows, evenly and nearly all to one row, in the defined order."""
    rng = np.random.default_rng(1)
    x, u = rng.standard_normal((5, 3)).astype("float32"), rng.standard_normal((120, 3)).astype("float32")
    i = np.where(rng.random((120, 1)) < 0.9, 2, 4) if skew else rng.integers(0, 5, (120, 1))
    checked = program(
        'x: R.Tensor((n, m), "float32"), i: R.Tensor((k, 1), "int64"), u: R.Tensor((k, m), "float32")',
        f'y = R.scatter_nd(x, i, u, reduction="{reduction}")\nreturn y',
    )
    agree(checked, x, i.astype("int64"), u)


@settings(max_examples=draws(30))
@given(st.data())
def test_gather(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(0, 2)))
    x, count = floats(data.draw, shape, "float32"), data.draw(st.integers(0, 4))
    pairs = [(data.draw(st.integers(0, shape[0] - 1)), data.draw(st.integers(0, shape[1] - 1))) for _ in range(count)]
    index = np.array(pairs, "int64").reshape(count, 2)
    text = 'x: R.Tensor((n, m, k), "float32"), i: R.Tensor((j, 2), "int64")'
    agree(program(text, "y = R.gather_nd(x, i)\nreturn y", "n m k j"), x, index)


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("near", [1, 1 << 20])
@pytest.mark.parametrize(
    "body",
    [
        "y = R.nn.softmax(x, axis=-1)", "y = R.nn.log_softmax(x, axis=-1)", "y = R.nn.softmax(x, axis=0)",
        "y = R.nn.rms_norm(x, g, axes=[-1])", "y = R.nn.layer_norm(x, g, b, axes=[-1])",
        "y = R.nn.layer_norm(x, g, b, axes=[-1], center=False)", "y = R.nn.layer_norm(x, g, b, axes=[-1], scale=False)",
        "y = R.sum(x, axis=[-1])", "y = R.mean(x, axis=[-1], keepdims=True)", "y = R.max(x, axis=[0])",
        "y = R.argmax(x, axis=-1)", "y = R.argmin(x, axis=0, keepdims=True)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_rows(monkeypatch: pytest.MonkeyPatch, body: str, rows: int, near: int) -> None:
    monkeypatch.setattr(fast_rows, "NEAR", near)
    rng = np.random.default_rng(2)
    x, g, b = (rng.standard_normal(s).astype("float32") for s in ((rows, 7), (7,), (7,)))
    if rows == 0 and "axis=0" in body.replace("[0]", "0"):
        return
    params = 'x: R.Tensor((n, 7), "float32"), g: R.Tensor((7,), "float32"), b: R.Tensor((7,), "float32")'
    agree(program(params, f"{body}\nreturn y", "n"), x, g, b)


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("name", ["group_norm", "instance_norm", "batch_norm"])
def test_norms_of_channels(name: str, size: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((size, 4, 3, 2)).astype("float32")
    more = [rng.random(4).astype("float32") + np.float32(0.5) for _ in range(4)]
    params = ", ".join(['x: R.Tensor((n, 4, 3, 2), "float32")', *(f'{p}: R.Tensor((4,), "float32")' for p in "gbmv")])
    call = {
        "group_norm": "R.nn.group_norm(x, g, b, num_groups=2, channel_axis=1, axes=[2, 3])",
        "instance_norm": "R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])",
        "batch_norm": "R.nn.batch_norm(x, g, b, m, v, axis=1, training=False)",
    }[name]
    agree(program(params, f"y = {call}\nreturn y", "n"), x, *more)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("count", [0, 1, 70_000])
def test_quantisation(dtype: str, count: int) -> None:
    """``fast`` is the row, which the definition is held against, some elements at a time."""
    rng = np.random.default_rng(4)
    x = (rng.standard_normal(count) * 200).astype("float32")
    scale, zero = np.array(0.7, "float32"), np.array(3, "int32")
    body = f'q = R.quantize(x, s, z, axis=0, out_dtype="{dtype}")\ny = R.dequantize(q, s, z, axis=0)\nreturn (q, y)'
    checked = program('x: R.Tensor((n,), "float32"), s: R.Tensor((), "float32"), z: R.Tensor((), "int32")', body, "n")
    for a, b in zip(*(rr.compile(checked, mode=m)["main"](x, scale, zero) for m in ("fast", "bits")), strict=True):
        np.testing.assert_array_equal(a, b)
    if count < 2:
        agree(checked, x, scale, zero)


# --- runs of elementwise steps ---------------------------------------------------------------------------------------

STEPS = ["R.add({0}, {1})", "R.subtract({0}, {1})", "R.multiply({0}, {1})", "R.maximum({0}, {1})", "R.nn.relu({0})",
         "R.nn.silu({0})", "R.tanh({0})", "R.sigmoid({0})", "R.nn.gelu({0})", "R.nn.gelu_tanh({0})", "R.erf({0})",
         "R.negative({0})", 'R.minimum({0}, R.const(2, "float32"))', "R.where({m}, {0}, {1})",
         'R.where({m}, {0}, R.const(-1, "float32"))', "R.exp({0})", "R.square({0})"]  # fmt: skip


@pytest.mark.thorough
@settings(max_examples=draws(80))
@given(st.data())
def test_elementwise_runs(data: st.DataObject) -> None:
    """Any run of steps, with rows and columns among the operands and any of its values returned, gives what its steps
    give one by one."""
    names, lines = ["x", "y", "row", "column"], []
    for k in range(data.draw(st.integers(1, 7))):
        step = data.draw(st.sampled_from(STEPS))
        a = data.draw(st.sampled_from([n for n in names if n not in ("row", "column")]))
        lines.append(f"v{k} = {step.format(a, data.draw(st.sampled_from(names)), m='m')}")
        names.append(f"v{k}")
    result = data.draw(st.lists(st.sampled_from(names[4:]), min_size=1, max_size=3, unique=True))
    params = ('x: R.Tensor((n, 3), "float32"), y: R.Tensor((n, 3), "float32"), m: R.Tensor((n, 3), "bool"), '
              'row: R.Tensor((3,), "float32"), column: R.Tensor((n, 1), "float32")')  # fmt: skip
    checked = program(params, "\n".join([*lines, f"return ({', '.join(result)},)"]), "n")
    executable = rr.compile(checked)
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    for n in (0, 1, 5):
        args = [rng.standard_normal(s).astype("float32") for s in ((n, 3), (n, 3), (3,), (n, 1))]
        args.insert(2, rng.random((n, 3)) < 0.5)
        near, blocks.NEAR = blocks.NEAR, 4
        try:
            found = executable["main"](*args)
        finally:
            blocks.NEAR = near
        observed = executable.observe("main", *args).outcome
        for a, b in zip(found, observed.value, strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["nn.gelu", "erf", "nn.silu", "nn.gelu_tanh", "sigmoid", "rsqrt"])
def test_steps_of_several(name: str) -> None:
    """Within what is permitted, at corners too."""
    x = np.array([*SPECIAL, *np.linspace(-9, 9, 41), 1e-8, 4.0, -4.0, 3.99], "float32")
    checked = program('x: R.Tensor((n,), "float32")', f"y = R.{name}(x)\nreturn y", "n")
    inside(rr.run(checked, "main", x, numerics="enclosure").value, rr.compile(checked)["main"](x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_choosing_by_bits(dtype: str) -> None:
    rng = np.random.default_rng(5)
    a, b, m = rng.standard_normal((40, 50)).astype(dtype), rng.standard_normal(50).astype(dtype), rng.random(50) < 0.5
    for x, y in ((a, b), (b, a), (a, np.array(-np.inf, dtype)), (np.array(np.nan, dtype), a)):
        out = np.empty((40, 50), dtype)
        blocks.where(m, x, y, out)
        np.testing.assert_array_equal(out, np.where(m, x, y))


# --- one operator ----------------------------------------------------------------------------------------------------

ONE = ["R.power(x, y)", "R.atan2(x, y)", "R.clip(x, -1, 2)", "R.nn.leakyrelu(x, alpha=0.5)", "R.floor(x)", "R.round(x)",
       "R.variance(x, axis=[-1])", "R.std(x, axis=[-1], keepdims=True)", "R.cumsum(x, axis=1, exclusive=True)",
       "R.cumsum(x, axis=0)", "R.cumprod(x, axis=1, exclusive=True)", "R.nn.softmax(x, axis=-1)", "R.sum(x, axis=[0])",
       "R.nn.log_softmax(x, axis=1)", "R.mean(x)", "R.exp(x)", "R.sigmoid(x)", "R.nn.gelu(x)", "R.nn.silu(x)",
       "R.tanh(x)",
       "R.tril(x, 1)", "R.triu(x, -1)", "R.nn.pad(x, [1, 0, 2, 1])", "R.nn.pad(x, [1, 1, 0, 1], \"replicate\")",
       "R.strided_slice(x, axes=[0, 1], begin=[0, 9], end=[9, -9], strides=[2, -2])", "R.flip(x, axis=1)",
       "R.strided_slice(x, axes=[1], begin=[1], end=[3])", "R.nn.rms_norm(x, g, axes=[-1])",
       "R.nn.layer_norm(x, g, g, axes=[-1])", "R.matmul(x, R.permute_dims(y))"]  # fmt: skip


@pytest.mark.thorough
@settings(max_examples=draws(150))
@given(st.data())
def test_one_operator(data: st.DataObject) -> None:
    """At every format, with special numbers."""
    dtype, call = data.draw(DTYPES), data.draw(st.sampled_from(ONE))
    shape = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4)))
    x, y = floats(data.draw, shape, dtype), floats(data.draw, shape, dtype)
    g = floats(data.draw, shape[1:], dtype)
    params = f'x: R.Tensor((n, m), "{dtype}"), y: R.Tensor((n, m), "{dtype}"), g: R.Tensor((m,), "{dtype}")'
    agree(program(params, f"z = {call}\nreturn z", "n m"), x, y, g)


WORDS = ["ij,jk->ik", "bij,bjk->bik", "ij,kj->ki", "bij,jk->kbi", "ij,ij->", "ij,ij->i", "i,j->ij", "ij,jk->i",
         "ii,ij->j", "bij,bij->bj"]  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_contractions(words: str) -> None:
    size = {"i": 3, "j": 4, "k": 2, "b": 5}
    left, right = words.partition("->")[0].split(",")
    rng = np.random.default_rng(7)
    args = [rng.standard_normal([size[c] for c in w]).astype("float32") for w in (left, right)]
    dims = {n: ", ".join(str(size[c]) for c in w) for n, w in (("x", left), ("y", right))}
    params = ", ".join(f'{n}: R.Tensor(({text},), "float32")' for n, text in dims.items())
    agree(program(params, f'z = R.einsum((x, y), "{words}")\nreturn z', ""), *args)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_runs_of_integers_wrap(dtype: str) -> None:
    body = "a = R.add(x, y)\nb = R.multiply(a, x)\nc = R.subtract(b, y)\nd = R.maximum(c, y)\nreturn (d, b)"
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.max, 0, 1, 3], dtype)
    agree(program(f'x: R.Tensor((n,), "{dtype}"), y: R.Tensor((n,), "{dtype}")', body, "n"), x, x[::-1].copy())


@pytest.mark.parametrize("index", [[], [0, 2, 1], [0, 3], [-1, 0]])
def test_one_hot(index: list[int]) -> None:
    body = "y = R.one_hot(i, R.prim_value(T.float32(2)), R.prim_value(T.float32(-1)), 3)\nreturn y"
    agree(program('i: R.Tensor((n,), "int64")', body, "n"), np.array(index, "int64"))


# --- attention -------------------------------------------------------------------------------------------------------

ATTENTION = """kt = R.permute_dims(k, axes=[0, 2, 1])
s0 = R.matmul(q, kt)
s1 = R.multiply(s0, R.const(0.5, "float32"))
s2 = R.add(s1, b)
w0 = R.where(m, s2, R.const({fill}, "float32"))
w1 = R.nn.softmax(w0, axis=-1)
y = R.matmul(w1, v)
return y"""
QKV = ", ".join(
    [*(f'{p}: R.Tensor((2, n, 3), "float32")' for p in "qkv"), 'b: R.Tensor((2, 1, n), "float32")']
    + ['m: R.Tensor((n, n), "bool")']
)


@pytest.mark.parametrize("fill", ['float("-inf")', "-1000000000", "-1"])
@pytest.mark.parametrize("mask", ["causal", "window", "none", "some rows see nothing", "random"])
def test_attention_of_operators(mask: str, fill: str) -> None:
    checked = program(QKV, ATTENTION.format(fill=fill), "n")
    executable = rr.compile(checked)
    assert ("rt.attend" in executable.source) == (fill != "-1")
    for n in (0, 1, 40):
        rng, i = np.random.default_rng(n), np.arange(n)
        apart = i[:, None] - i
        seen = {"causal": apart >= 0, "window": (apart >= 0) & (apart < 5), "none": apart < n,
                "some rows see nothing": apart > 3, "random": rng.random((n, n)) < 0.5}[mask]  # fmt: skip
        q, k, v, b = (rng.standard_normal(s).astype("float32") for s in ((2, n, 3), (2, n, 3), (2, n, 3), (2, 1, n)))
        wanted = executable.observe("main", q, k, v, b, seen).outcome.value.numpy()
        np.testing.assert_allclose(executable["main"](q, k, v, b, seen), wanted, rtol=1e-4, atol=1e-5)


def test_attention_where_a_hidden_value_is_infinite() -> None:
    """A weight of 0 times infinity is NaN: nothing is left out then."""
    checked = program(QKV, ATTENTION.format(fill='float("-inf")'), "n")
    q = k = np.ones((2, 20, 3), "float32")
    v, b, m = np.ones((2, 20, 3), "float32"), np.zeros((2, 1, 20), "float32"), np.tri(20, dtype=bool)
    v[:, -1] = np.inf
    assert np.isnan(rr.compile(checked)["main"](q, k, v, b, m)[:, :-1]).all()


@pytest.mark.parametrize("mask", ["None", '"TopLeft"', '"BottomRight"'])
@pytest.mark.parametrize("queries", [1, 3, 40])
def test_attention(mask: str, queries: int) -> None:
    params = ", ".join(f'{p}: R.Tensor((1, {s}, 2, 3), "float32")' for p, s in (("q", "n"), ("k", "m"), ("v", "m")))
    checked = program(params, f"y = R.nn.attention(q, k, v, causal_mask={mask})\nreturn y", "n m")
    rng = np.random.default_rng(6)
    args = [rng.standard_normal((1, s, 2, 3)).astype("float32") for s in (queries, 37, 37)]
    fast, bits = (rr.compile(checked, mode=m)["main"](*args) for m in ("fast", "bits"))
    np.testing.assert_allclose(fast, bits, rtol=1e-4, atol=1e-6)


# --- windows ---------------------------------------------------------------------------------------------------------

LAYOUTS = [("NCHW", "OIHW", (2, 3, 5, 4), (6, 3, 3, 2)), ("NHWC", "HWIO", (2, 5, 4, 3), (3, 2, 3, 6)),
           ("NHWC", "OIHW", (2, 5, 4, 3), (6, 3, 1, 1))]  # fmt: skip


@pytest.mark.parametrize("more", ["", "padding=[1, 0, 2, 1]", "strides=[2, 1], dilation=[1, 2]"])
@pytest.mark.parametrize("layouts", LAYOUTS, ids=lambda each: "-".join(each[:2]))
def test_convolutions(layouts: tuple[str, str, tuple[int, ...], tuple[int, ...]], more: str) -> None:
    data, kernel, *shapes = layouts
    rng = np.random.default_rng(8)
    args = [rng.integers(-3, 4, s).astype("float32") for s in shapes]
    params = ", ".join(f'{n}: R.Tensor({tuple(s)}, "float32")' for n, s in zip("xw", shapes, strict=True))
    call = f'R.nn.conv2d(x, w, data_layout="{data}", kernel_layout="{kernel}"{", " if more else ""}{more})'
    agree(program(params, f"y = {call}\nreturn y", ""), *args)


@pytest.mark.parametrize("more", ["", "strides=[2, 3], output_padding=[1, 2]", "padding=[1, 0, 0, 1], groups=2"])
def test_transposed_convolutions(more: str) -> None:
    rng = np.random.default_rng(9)
    x, w = rng.integers(-3, 4, (2, 4, 3, 2)).astype("float32"), rng.integers(-3, 4, (4, 3, 2, 3)).astype("float32")
    call = f"R.nn.conv2d_transpose(x, w{', ' if more else ''}{more})"
    params = 'x: R.Tensor((n, 4, 3, 2), "float32"), w: R.Tensor((4, 3, 2, 3), "float32")'
    agree(program(params, f"y = {call}\nreturn y", "n"), x, w)


MODES = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_crop_and_resize"]


@pytest.mark.by_day(4)
@pytest.mark.parametrize("method", ["nearest_neighbor", "linear", "cubic"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [(1, 7), (5, 2)])
def test_resizing(method: str, mode: str, size: tuple[int, int]) -> None:
    x = np.random.default_rng(10).integers(-8, 9, (1, 2, 3, 4)).astype("float32")
    attributes = f'method="{method}", coordinate_transformation_mode="{mode}", roi=[0.0, 0.1, 1.0, 1.2]'
    call = f"R.image.resize2d(x, {size}, {attributes})"
    agree(program('x: R.Tensor((n, 2, 3, 4), "float32")', f"y = {call}\nreturn y", "n"), x)


def test_what_the_definition_runs_is_not_shown() -> None:
    body = "y = R.grad.take_backward(u, x, i, axis=0)\nz = R.negative(y)\nreturn z"
    params = 'u: R.Tensor((n,), "float32"), x: R.Tensor((3,), "float32"), i: R.Tensor((n,), "int64")'
    executable = rr.compile(program(params, body, "n"))
    args = np.array([3, 1, 4, 2], "float32"), np.zeros(3, "float32"), np.array([0, 2, 0, 1])
    assert executable["main"](*args).tolist() == [-7, -2, -1]
    observed = executable.observe("main", *args)
    assert [f.name for f in observed.frames] == ["", "z"] and observed.unobserved == (("run by the definition", 1),)


# --- moves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_reshapes_that_are_joined(axis: int, n: int) -> None:
    body = f"""a = R.permute_dims(x, axes=[0, 2, 1])
    b = R.reshape(a, R.shape([n, 6]))
    y = R.concat((b, z, z), axis={axis})
    return y"""
    checked = program('x: R.Tensor((n, 2, 3), "float32"), z: R.Tensor((n, 6), "float32")', body, "n")
    assert "Reshaped" in rr.compile(checked).source
    agree(checked, np.arange(6 * n, dtype="float32").reshape(n, 2, 3), np.ones((n, 6), "float32"))


def test_every_operator_compiles_or_says_why() -> None:
    """Every operator that is no call of something else has an array form or is run by the definition."""
    from refrelax.backends.numpy_.by_definition import BY_DEFINITION
    from refrelax.backends.numpy_.graph_values import EFFECTS, INSPECT
    from refrelax.backends.numpy_.machine import MEMORY
    from refrelax.semantics.builtins.forms import KILLS
    from refrelax.semantics.ops import OPERATORS as DEFINED

    ways = {each for each in DEFINED if each.startswith(INSPECT)}
    ways |= {*OPERATORS, *BY_DEFINITION, *EFFECTS, *KILLS, *MEMORY}
    ways |= {"relax.null_value", "relax.builtin.alloc_tensor", "relax.vm.call_tir_dyn"}
    left = {name for name in DEFINED if name not in ways}
    assert not left
    assert not set(OPERATORS) & BY_DEFINITION
