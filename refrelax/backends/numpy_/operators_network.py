"""Activations, statistics and normalisations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erf, prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.blocks import erf as fast_erf
from refrelax.backends.numpy_.guests import admit
from refrelax.backends.numpy_.operands import NARROW, Attrs, Run, axes_of, is_float, literal, plain
from refrelax.backends.numpy_.operators_index import PLAIN_SORTS, positions
from refrelax.backends.numpy_.reductions import reduce
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax import bits

# --- elementary functions by mode ------------------------------------------------------------------------------------

_ERF = np.frompyfunc(erf, 1, 1)

_FAST: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "tanh": np.tanh, "log1p": np.log1p, "sqrt": np.sqrt, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x), "expm1": np.expm1,
    "erf": lambda x: _error(x),
}  # fmt: skip


def _error(x: Any) -> Any:
    if x.dtype != np.float32:
        return np.asarray(_ERF(x.astype(np.float64))).astype(x.dtype)
    result = np.empty_like(x)
    fast_erf(x, result)
    return result


def elementary(name: str, x: Any, fast: bool) -> Any:
    """A function of every element: NumPy's in mode ``fast`` at float32 and float64, else correctly rounded."""
    x = np.asarray(x)
    if fast and x.dtype.name in NARROW:
        return np.asarray(_FAST[name](x.astype(np.float32))).astype(x.dtype)
    return np.asarray(_FAST[name](x), dtype=x.dtype) if plain(fast, x) else exact.elementary(name, x)


# --- activations -----------------------------------------------------------------------------------------------------


def leakyrelu(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x, alpha = args[0], attrs["alpha"]
    if plain(fast, x) and 0 < alpha <= 1:
        return np.maximum(x, x * literal(x, alpha))
    return np.where(x > 0, x, x * literal(x, alpha))


def prelu(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, alpha = args
    axis = attrs["axis"] % x.ndim
    if alpha.ndim != 1 or alpha.shape[0] not in (1, x.shape[axis]):
        raise unspecified("op.nn.prelu/alpha-extent", f"alpha {alpha.shape} for {x.shape}, axis {axis}")
    return np.where(x > 0, x, x * along(alpha, axis, x.ndim))


def silu(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    return args[0] * elementary("sigmoid", args[0], fast)


ROOT_HALF = Fraction(6369051672525773, 9007199254740992)
ROOT_TWO_OVER_PI = Fraction(7186705221432913, 9007199254740992)


def gelu(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x = args[0]
    half = literal(x, 0.5)
    return x * (half + elementary("erf", x * literal(x, ROOT_HALF), fast) * half)


def gelu_tanh(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x = args[0]
    half, one, cubic = literal(x, 0.5), literal(x, 1), literal(x, Fraction(44715, 1000000))
    inner = (literal(x, ROOT_TWO_OVER_PI) * x) * (one + cubic * (x * x))
    return (half * x) * (one + elementary("tanh", inner, fast))


def selu(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x = args[0]
    alpha = literal(x, Fraction("1.6732632423543772848170429916717"))
    scale = literal(x, Fraction("1.0507009873554804934193349852946"))
    return scale * np.where(x > 0, x, alpha * (elementary("exp", x, fast) - literal(x, 1)))


def softplus(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x = args[0]
    beta = literal(x, attrs["beta"])
    scaled = beta * x
    smooth = elementary("log1p", elementary("exp", scaled, fast), fast) / beta
    return np.where(scaled > literal(x, attrs["threshold"]), x, smooth)


def ewise_fma(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    a, b, c = args
    return a * b + c


# --- statistics ------------------------------------------------------------------------------------------------------


def mean(x: Any, axes: Sequence[int], keepdims: bool, fast: bool) -> Any:
    """The sum divided by the count, at the dtype of ``x``; of nothing any value."""
    count = prod(x.shape[a] for a in axes)
    total = reduce("add", x, axes, keepdims, fast)
    return exact.truncated_divide(total, exact.cast(np.array(count), x.dtype))


def variance(x: Any, axes: Sequence[int], keepdims: bool, fast: bool) -> Any:
    """The mean of the squared deviations from the mean."""
    if plain(fast, x) and x.ndim > 1 and [a % x.ndim for a in axes] == [x.ndim - 1] and x.shape[-1]:
        apart = x - mean(x, axes, True, True)
        found = np.einsum("...i,...i->...", apart, apart) / x.dtype.type(x.shape[-1])
        return found[..., None] if keepdims else found
    apart = x - mean(x, axes, True, fast)
    return mean(apart * apart, axes, keepdims, fast)


def _statistic(root: bool) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x = args[0]
        if x.dtype == np.bool_ or (root and not is_float(x.dtype)):
            raise unspecified("op.reduce/arithmetic-dtype", f"a statistic of {x.dtype.name}")
        found = variance(x, axes_of(attrs, "axis", x.ndim), bool(attrs["keepdims"]), fast)
        return elementary("sqrt", found, fast) if root else np.asarray(found)

    return run


def _middle(lines: Any) -> Any:
    """Where the lower middle of each line is in the stable order: behind what is less, and behind so many that are
    equal; ``None`` where it is a NaN, or NumPy does not order the elements itself."""
    if lines.dtype.num not in PLAIN_SORTS or not lines.size:
        return None
    lead, lines = lines.shape[:-1], lines.reshape(-1, lines.shape[-1])
    k = (lines.shape[-1] - 1) // 2
    value = np.partition(lines, k, axis=-1)[..., k : k + 1]
    if np.isnan(value).any():
        return None
    same = lines == value
    place = same.argmax(-1)
    if np.count_nonzero(same) == len(lines):
        return place.reshape(*lead, 1)
    turn = k - np.count_nonzero(lines < value, axis=-1)
    later = np.flatnonzero(turn)
    if len(later):
        place[later] = (same[later].cumsum(-1) == turn[later, None] + 1).argmax(-1)
    return place.reshape(*lead, 1)


def median(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """The lower middle; with one axis also its position."""
    (x,), axes, keepdims = args, attrs["axis"], bool(attrs["keepdims"])
    if axes is not None and len(axes) != 1:
        raise unspecified("op.median/one-axis", f"over {len(axes)} axes")
    lines = x.reshape(-1) if axes is None else x
    axis = 0 if axes is None else axes[0] % x.ndim
    n = lines.shape[axis]
    if n and (place := _middle(np.moveaxis(lines, axis, -1))) is not None:
        middle = np.moveaxis(place, -1, axis)
        values = np.take_along_axis(lines, middle, axis)
    elif n == 0:  # the middle of nothing is any number
        shape = [1 if k == axis else e for k, e in enumerate(lines.shape)]
        values, middle = np.zeros(shape, lines.dtype), np.zeros(shape, np.int64)
    else:
        middle = np.take(positions(lines, axis, False), [(n - 1) // 2], axis=axis)
        values = np.take_along_axis(lines, middle, axis)
    if axes is None:
        return values.reshape([1] * x.ndim if keepdims else ())
    return tuple(v if keepdims else np.squeeze(v, axis) for v in (values, middle.astype(np.int64)))


# --- normalisations --------------------------------------------------------------------------------------------------


def along(vector: Any, axis: int, ndim: int) -> Any:
    """A vector laid along one axis of an array of rank ``ndim``."""
    return vector.reshape([-1 if k == axis else 1 for k in range(ndim)])


def spread(parameter: Any, axes: Sequence[int], ndim: int) -> Any:
    """A parameter whose axes belong to ``axes`` (in that order) of an array of rank ``ndim``."""
    ordered = np.transpose(parameter, np.argsort(axes)) if len(axes) > 1 else parameter
    return ordered.reshape([parameter.shape[list(axes).index(k)] if k in axes else 1 for k in range(ndim)])


def wide(x: Any) -> Any:
    """At least float32."""
    return exact.cast(x, np.float32) if x.dtype.itemsize < 4 else x


def normalized(x: Any, axes: Sequence[int], epsilon: float, fast: bool) -> Any:
    """``(x - mean) * rsqrt(variance + epsilon)``, in the wide dtype, rounded once to that of ``x``."""
    up, axes = wide(x), sorted(axes)
    factor = elementary("rsqrt", variance(up, axes, True, fast) + literal(up, epsilon), fast)
    return exact.cast((up - mean(up, axes, True, fast)) * factor, x.dtype)


def affine(attrs: Attrs, value: Any, gamma: Any, beta: Any) -> Any:
    value = value * gamma if attrs["scale"] else value
    return value + beta if attrs["center"] else value


def check_extents(found: Sequence[Any], wanted: tuple[int, ...]) -> None:
    if any(p.shape != wanted for p in found):
        raise unspecified("op.norm/parameter-extents", f"expected {wanted}")


def layer_norm(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x, gamma, beta = args
    axes = [a % x.ndim for a in attrs["axes"]]
    check_extents((gamma, beta), tuple(x.shape[a] for a in axes))
    value = normalized(x, axes, attrs["epsilon"], fast)
    return affine(attrs, value, spread(gamma, axes, x.ndim), spread(beta, axes, x.ndim))


def rms_norm(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x, weight = args
    axes = [a % x.ndim for a in attrs["axes"]]
    check_extents((weight,), tuple(x.shape[a] for a in axes))
    up = wide(x)
    square = mean(up * up, sorted(axes), True, fast)
    factor = elementary("rsqrt", square + literal(up, attrs["epsilon"]), fast)
    return exact.cast((factor * up) * wide(spread(weight, axes, x.ndim)), x.dtype)


def group_norm(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """Statistics over ``axes`` and the channels of one group."""
    x, gamma, beta = args
    channel, groups = attrs["channel_axis"] % x.ndim, attrs["num_groups"]
    if x.shape[channel] % groups:
        raise unspecified("op.nn.group_norm/group-count-run", f"{x.shape[channel]} channels, {groups} groups")
    return _by_channel(attrs, (x, gamma, beta), channel, max(x.shape[channel] // groups, 1), fast)


def instance_norm(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    admit("relax.nn.instance_norm", [x.dtype.name for x in args], attrs)
    return _by_channel(attrs, args, attrs["channel_axis"] % args[0].ndim, 1, fast)


def _by_channel(attrs: Attrs, args: Sequence[Any], channel: int, size: int, fast: bool) -> Any:
    x, gamma, beta = args
    check_extents((gamma, beta), (x.shape[channel],))
    cells = x.reshape(*x.shape[:channel], x.shape[channel] // size, size, *x.shape[channel + 1 :])
    axes = [channel + 1, *((a % x.ndim) + (a % x.ndim > channel) for a in attrs["axes"])]
    value = normalized(cells, axes, attrs["epsilon"], fast).reshape(x.shape)
    return affine(attrs, value, along(gamma, channel, x.ndim), along(beta, channel, x.ndim))


def batch_norm(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` and the moving statistics."""
    x, gamma, beta, moving_mean, moving_variance = args
    axis = attrs["axis"] % x.ndim
    check_extents(args[1:], (x.shape[axis],))
    rest = [k for k in range(x.ndim) if k != axis]
    training = attrs["training"]
    center = mean(x, rest, False, fast) if training else moving_mean
    width = variance(x, rest, False, fast) if training else moving_variance
    root = elementary("sqrt", width + literal(x, attrs["epsilon"]), fast)
    value = (x - along(center, axis, x.ndim)) / along(root, axis, x.ndim)
    out = affine(attrs, value, along(gamma, axis, x.ndim), along(beta, axis, x.ndim))
    if not training:
        return out, moving_mean.copy(), moving_variance.copy()
    new, old = literal(x, attrs["momentum"]), literal(x, 1.0 - attrs["momentum"])
    return out, old * moving_mean + new * center, old * moving_variance + new * width


# --- quantisation ----------------------------------------------------------------------------------------------------


def clamped(x: Any, dtype: Any) -> Any:
    """A float array clamped to the finite range of ``dtype``."""
    if is_float(dtype):
        high = Fraction(bits.largest_finite(np.dtype(dtype).name))
        low = -high
    else:
        low, high = (Fraction(int(b)) for b in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    return exact.maximum(exact.minimum(x, literal(x, high)), literal(x, low))


def _parameter(attrs: Attrs, parameter: Any, x: Any, dtype: Any) -> Any:
    """A quantisation parameter: one for all, or one a position of the axis."""
    found = exact.cast(parameter, dtype)
    if found.size == 1:
        return found.reshape(())
    axis = attrs["axis"] % x.ndim
    if found.shape != (x.shape[axis],):
        raise unspecified("op.quantize/parameter-extents", f"{found.shape} for {x.shape}, axis {axis}")
    return along(found, axis, x.ndim)


def quantize(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """``clamp(round(x / scale) + zero_point)``, half to even; a float output is not rounded."""
    x, scale, zero = args
    out = numpy_dtype(attrs["out_dtype"])
    in_float32 = np.float32 in (x.dtype, scale.dtype) or not is_float(zero.dtype)
    acc = np.dtype(np.float32) if in_float32 else x.dtype
    ratio = exact.cast(x, acc) / _parameter(attrs, scale, x, acc)
    whole = ratio if is_float(out) else exact.elementary("round", ratio)
    return exact.cast(clamped(whole + _parameter(attrs, zero, x, acc), out), out)


def dequantize(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """``(x - zero_point) * scale`` in float32, the difference of integers in int32."""
    x, scale, zero = args
    out = numpy_dtype(attrs["out_dtype"])
    middle = np.dtype(np.float32 if is_float(x.dtype) or is_float(zero.dtype) else np.int32)
    apart = exact.cast(x, middle) - _parameter(attrs, zero, x, middle)
    value = exact.cast(apart, np.float32) * _parameter(attrs, scale, x, np.float32)
    return value if out == np.float32 else exact.cast(clamped(value, np.float16), out)


# --- losses ----------------------------------------------------------------------------------------------------------


def nll_loss(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``-x[n, t, k] * w[t]``, 0 where ``t`` is ignored; the sum, or that divided by the sum of the weights."""
    x, targets, *rest = args
    axis = 0 if x.ndim == 1 else 1
    kept = x.shape[:axis] + x.shape[axis + 1 :]
    weights = exact.cast(rest[0], x.dtype) if rest else np.ones(x.shape[axis], x.dtype)
    if targets.shape != kept or weights.shape != (x.shape[axis],):
        raise unspecified("op.common/fits-run", f"predictions {x.shape}, targets {targets.shape}")
    ignored = targets == attrs["ignore_index"]
    if x.shape[axis]:
        t = np.clip(targets, 0, x.shape[axis] - 1).astype(np.int64)
        found = np.take_along_axis(x, np.expand_dims(t, axis), axis).reshape(kept)
        taken = np.where(ignored, np.zeros((), x.dtype), weights[t])
    else:  # no class that a target could be
        found = taken = np.zeros(kept, x.dtype)
    losses = np.where(ignored, np.zeros((), x.dtype), -found * taken)
    if attrs["reduction"] == "none":
        return losses
    every = range(losses.ndim)
    total = np.asarray(reduce("add", losses, every, fast=fast))
    if attrs["reduction"] == "sum":
        return total
    return np.asarray(exact.truncated_divide(total, reduce("add", taken, every, fast=fast)))


OPERATORS: dict[str, Run] = {
    "relax.nn.nll_loss": nll_loss,
    "relax.quantize": quantize,
    "relax.dequantize": dequantize,
    "relax.nn.leakyrelu": leakyrelu,
    "relax.nn.prelu": prelu,
    "relax.nn.silu": silu,
    "relax.nn.gelu": gelu,
    "relax.nn.gelu_tanh": gelu_tanh,
    "relax.nn.selu": selu,
    "relax.nn.softplus": softplus,
    "relax.ewise_fma": ewise_fma,
    "relax.variance": _statistic(root=False),
    "relax.std": _statistic(root=True),
    "relax.median": median,
    "relax.nn.layer_norm": layer_norm,
    "relax.nn.rms_norm": rms_norm,
    "relax.nn.group_norm": group_norm,
    "relax.nn.instance_norm": instance_norm,
    "relax.nn.batch_norm": batch_norm,
}
