"""A deduced extent is that of the value and never negative: operators that compute extents, at corners of attributes.

Spec: ``op.common/deduced-extents``.
"""

from __future__ import annotations

import random
import re
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax import check, parse, run
from refrelax.errors import Rejection, Returned
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Shape
from refrelax.testing.deduced import mistyped, negative

EXTENTS = (0, 1, 2, 3, 5, 7)

CALLS: dict[str, tuple[str, ...]] = {
    "arange": (
        'R.arange({I}, {I}, {S}, "int64")', 'R.arange({I}, n, {S}, "int64")', 'R.arange(n, {I}, {S}, "float32")',
        'R.arange(n, m, {S}, "int64")', 'R.arange({I}, {I}, n - m, "int64")', 'R.arange(k, {I}, {S}, "int64")',
        'R.arange(T.float32({F}), T.float32({F}), T.float32({G}), "float32")',
        'R.arange({I}, T.float32({F}), T.float32({G}), "float32")',
        'R.arange(T.float32({F}), T.Cast("float32", n), T.float32({G}), "float32")',
        'R.arange(T.float64({F}), T.Cast("float64", n) * T.float64(0.1), T.float64({G}), "float64")',
        'R.arange(n, T.float32({F}), T.float32({G}), "float32")',
        'R.arange(T.Cast("int32", k), T.Cast("int32", n), T.int32({S}), "int32")',
        'R.arange(T.uint8(3), T.uint8({N}), T.uint8(2), "int64")',
    ),
    "strided_slice": (
        "R.strided_slice(x, axes=[0], begin=[{I}], end=[{I}], strides=[{S}], assume_inbound={B})",
        "R.strided_slice(x, axes=[1], begin=[{I}], end=[{I}], strides=[{S}], assume_inbound={B})",
        "R.strided_slice(x, axes=[0], begin=[k], end=[{I}], strides=[{S}], assume_inbound={B})",
        "R.strided_slice(x, axes=[0], begin=[{I}], end=[m], strides=[{S}], assume_inbound={B})",
        "R.strided_slice(x, axes=[0, 1], begin=[m, k], end=[n - k, m], strides=[{S}, {S}], assume_inbound={B})",
        "R.strided_slice(x, axes=[0], begin=[{I}], end=[{I}], strides=[k], assume_inbound={B})",
        "R.strided_slice(x, axes=[0], begin=[{I}], end=[{I}], assume_inbound={B})",
    ),
    "nn.pad": (
        'R.nn.pad(x, pad_width=[{I}, {I}, {I}, {I}], pad_mode={"constant"; "replicate"; "circular"; "reflect"})',
    ),
    "repeat": ("R.repeat(x, repeats={I}, axis={None; 0; 1; -1})",),
    "tile": ("R.tile(x, repeats=[{N}])", "R.tile(x, repeats=[{N}, {N}, {N}])"),
    "split": ("R.split(x, {N}, axis={0; 1})", "R.split(x, [{I}, {I}], axis={0; 1})"),
    "concat": ("R.concat((x, x), axis={0; 1; None})",),
    "pool": tuple(
        f"R.nn.{kind}_pool2d(z, pool_size=[{{N}}, {{N}}], strides=[{{P}}, {{P}}], "
        "padding=[{N}, {N}, {N}, {N}], dilation=[{P}, {P}], ceil_mode={B})" for kind in ("max", "avg")
    ),
    "adaptive": ("R.nn.adaptive_avg_pool2d(z, output_size=[{N}, {N}])", "R.nn.adaptive_avg_pool2d(z)"),
    "conv": (
        "R.nn.conv2d(z, w, strides=[{P}, {P}], padding=[{I}, {N}, {N}, {I}], dilation=[{P}, {P}])",
        "R.nn.conv2d_transpose(z, v, strides=[{P}, {P}], padding=[{I}, {N}, {N}, {I}], dilation=[{P}, {P}], "
        "output_padding=[{O}, {O}])",
    ),
    "resize": ("R.image.resize2d(z, ({I}, {N}))", "R.image.resize2d(z, (k, m))"),
    "pixel_shuffle": ("R.nn.pixel_shuffle(y, {N})",),
    "one_hot": ("R.one_hot(i, T.float32(1), T.float32(0), {I}, axis={-1; 0})",),
    "topk": ("R.topk(x, k={I}, axis={0; 1})",),
    "eye": ('R.eye({I}, n, {I}, "int64")', 'R.eye(m, k, {I}, "int64")'),
    "hamming_window": ('R.hamming_window({I}, 1, T.float32(0.54), T.float32(0.46), "float32")',
                       'R.hamming_window(k, 1, T.float32(0.54), T.float32(0.46), "float32")'),
    "full": ('R.zeros(R.shape([n - m, {I}]), "float32")', 'R.ones(R.shape([k]), "float32")'),
    "reshape": ("R.reshape(x, ({I}, -1))", "R.reshape(x, (0, -1))", "R.reshape(x, R.shape([m, n]))"),
    "broadcast_to": ("R.broadcast_to(x, R.shape([{I}, n, m]))",),
    "affine_grid": ("R.image.affine_grid(t, ({N}, {I}))",),
    "roi": ("R.vision.roi_align(z, r, pooled_size=[{I}, {N}], spatial_scale=0.5)",),
    "squeeze": ("R.squeeze(x)", "R.squeeze(x, axis=[{0; 1; -1}])", "R.squeeze(z, axis=[0, {2; 3}])"),
    "scan": ("R.cumsum(x, axis={None; 0})",),
    "meshgrid": ('R.meshgrid((i, i), indexing={"ij"; "xy"})',),
    "take": ("R.take(x, R.arange(0, {I}, 1, \"int64\"), axis=0)",),
}  # fmt: skip
"""``{I}`` any integer, ``{N}`` small and mostly not negative, ``{S}`` a stride, ``{P}`` a dilation."""

HEAD = (
    'x: R.Tensor(("n", "m"), "float32"), y: R.Tensor((1, 4, "n", "m"), "float32"), '
    'z: R.Tensor((1, 2, "n", "m"), "float32"), w: R.Tensor((1, 2, 2, 3), "float32"), '
    'v: R.Tensor((2, 1, 2, 3), "float32"), i: R.Tensor(("n",), "int64"), t: R.Tensor((1, 2, 3), "float32"), '
    'r: R.Tensor((2, 5), "float32"), '
)
SHAPES = {"x": "nm", "y": "14nm", "z": "12nm", "w": "1223", "v": "2123", "i": "n", "t": "123", "r": "25"}


def _filled(call: str, turn: random.Random) -> str:
    draws = {
        "I": lambda: turn.choice((0, 1, 2, 3, 4, 5, 7, 9, -1, -2, -5, -9)), "N": lambda: turn.choice((0, 1, 2, 3, 5)),
        "S": lambda: turn.choice((1, 2, 3, 7, -1, -2, -3, -9)), "P": lambda: turn.choice((1, 2, 3)),
        "O": lambda: turn.choice((0, 0, 0, 1)),
        "F": lambda: turn.choice((0.0, 0.1, 3.0, -2.5, 7.3)),
        "G": lambda: turn.choice((0.1, 0.3, 1.0, -0.1, -2.0, 2.5)),
        "B": lambda: turn.choice((True, False)),
    }  # fmt: skip
    call = re.sub(r"\{([A-Z])\}", lambda found: str(draws[found[1]]()), call)
    return re.sub(r"\{([^{}]*;[^{}]*)\}", lambda found: turn.choice(found[1].split(";")).strip(), call)


def _program(call: str, turn: random.Random, env: dict[str, int], scalar: bool) -> str:
    """The program of a call, with some of its symbols written as numbers; ``k`` is a scalar or an extent."""
    text = (
        HEAD + ('k: R.Prim("int64")' if scalar else 's: R.Shape(["k"])') + f"):\n        gv = {_filled(call, turn)}\n"
    )
    for name in "nm" if scalar else "nmk":
        if turn.random() < 0.4:
            text = re.sub(rf'"{name}"|\b{name}\b', str(env[name]), text)
    symbols = "".join(f"        {name} = T.int64()\n" for name in "nmk" if f'"{name}"' in text)
    text = text.replace("):\n", "):\n" + symbols, 1)
    return f"@I.ir_module\nclass Module:\n    @R.function(pure=False)\n    def main({text}        return gv\n"


@pytest.mark.thorough
@pytest.mark.parametrize("family", sorted(CALLS))
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_the_value_has_the_deduced_extents(family: str, seed: int) -> None:
    disagreement(family, seed)


def disagreement(family: str, seed: int) -> str:
    """Draw one program and run it: how it ended. Asserts that its value has the deduced extents."""
    turn = random.Random(seed)
    scalar = turn.random() < 0.5
    env = {
        "n": turn.choice(EXTENTS),
        "m": turn.choice(EXTENTS),
        "k": turn.choice((*EXTENTS, *((-1, -3) if scalar else ()))),
    }
    text = _program(turn.choice(CALLS[family]), turn, env, scalar)
    try:
        checked = check(parse(text))
    except Rejection:
        return "rejected"
    deduced = checked.types["main"]["gv"]
    assert not negative(deduced), f"{negative(deduced)}\n{text}"
    last = env["k"] if scalar else Shape((env["k"],))
    outcome = run(checked, "main", args=[*(_argument(*each, env) for each in SHAPES.items()), last])
    if isinstance(outcome, Returned):
        why = mistyped(deduced, outcome.value, env)
        assert not why, f"{why}\n{text}"
    return f"{type(outcome).__name__} {getattr(outcome, 'rule', '')}"


def _argument(name: str, dims: str, env: dict[str, int]) -> Tensor:
    shape = tuple(env[dim] if dim in env else int(dim) for dim in dims)
    dtype = "int64" if name == "i" else "float32"
    return Tensor.of_bytes(dtype, shape, bytes(prod(shape) * (8 if dtype == "int64" else 4)))
