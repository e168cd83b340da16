"""Normalisations: mean and variance in two passes, in float32 or wider, then one elementwise nest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.reductions import Axes, divided, moments
from refrelax.lower.legalize.scalars import Scalar, cast, function, lit, product
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import as_int


def wide(dtype: str) -> str:
    """Where sums of ``dtype`` are kept: float32 for what is narrower."""
    return "float32" if dtypes.is_float(dtype) and dtypes.bits(dtype) < 32 else dtype


def _epsilon(s: Site, dtype: str) -> Scalar:
    return lit(dtype, A.real(s.call, "epsilon"))


def _factor(s: Site, variance: Array) -> Array:
    """The reciprocal root of the variance plus epsilon."""
    factor = s.k.alloc("factor", variance.dims, variance.dtype)
    return s.k.compute(factor, lambda *i: function("rsqrt", variance[i] + _epsilon(s, factor.dtype)))


def _affine(s: Site, value: Scalar, gamma: Scalar, beta: Scalar) -> Scalar:
    value = value * gamma if A.flag(s.call, "scale", True) else value
    return value + beta if A.flag(s.call, "center", True) else value


def _parameters(s: Site, expected: Sequence[Scalar], parameters: Sequence[Array]) -> None:
    for p in parameters:
        for a, b in zip(expected, p.dims, strict=True):
            s.same(a, b, "lo/equal-extents")


def _over_axes(s: Site, x: Array) -> Axes:
    return Axes(x, A.int_list(s.call, "axes"), False)


def _normalized(
    s: Site, x: Array, mean: Array, factor: Array, key: Callable[..., list[Scalar]]
) -> Callable[..., Scalar]:
    """``(x - mean) * factor`` in the wide dtype, rounded once to the data's."""

    def element(*i: Scalar) -> Scalar:
        at = key(i)
        return cast(x.dtype, (cast(mean.dtype, x[i]) - mean[at]) * factor[at])

    return element


def _layer_norm(s: Site) -> None:
    x, gamma, beta = (s.array(k) for k in range(3))
    axes, acc = _over_axes(s, x), wide(x.dtype)
    order = [axis % x.ndim for axis in A.int_list(s.call, "axes")]
    _parameters(s, [x.dims[axis] for axis in order], (gamma, beta))
    mean, variance = moments(s, axes.dims, axes.lengths, acc, lambda *i: cast(acc, x[axes.source(*axes.split(i))]))
    normalized = _normalized(s, x, mean, _factor(s, variance), lambda i: [i[axis] for axis in axes.kept])

    def element(*i: Scalar) -> Scalar:
        at = [i[axis] for axis in order]
        return _affine(s, normalized(*i), gamma[at], beta[at])

    s.k.compute(s.out, element)


def _rms_norm(s: Site) -> None:
    """``x * rsqrt(mean(x * x) + epsilon) * weight``, all wide, rounded once."""
    x, weight = s.array(0), s.array(1)
    axes, acc = _over_axes(s, x), wide(x.dtype)
    order = [axis % x.ndim for axis in A.int_list(s.call, "axes")]
    _parameters(s, [x.dims[axis] for axis in order], (weight,))

    def item(*i: Scalar) -> Scalar:
        value = cast(acc, x[axes.source(*axes.split(i))])
        return value * value

    total, factor = s.k.alloc("total", axes.dims, acc), s.k.alloc("factor", axes.dims, acc)
    s.k.reduce(total, axes.lengths, "Add", lit(acc, 0), item)
    s.k.compute(factor, lambda *i: function("rsqrt", divided(total[i], product(axes.lengths)) + _epsilon(s, acc)))

    def element(*i: Scalar) -> Scalar:
        scaled = factor[[i[axis] for axis in axes.kept]] * cast(acc, x[i])
        return cast(x.dtype, scaled * cast(acc, weight[[i[axis] for axis in order]]))

    s.k.compute(s.out, element)


def _by_channel(groups: bool) -> Legalizer:
    """Statistics over ``axes`` and runs of channels; parameters along the channel axis."""

    def legalize(s: Site) -> None:
        x, gamma, beta = (s.array(k) for k in range(3))
        acc, axes = wide(x.dtype), _over_axes(s, x)
        channel = A.integer(s.call, "channel_axis") % x.ndim
        size = _group_size(s, x, channel) if groups else 1
        _parameters(s, [x.dims[channel]], (gamma, beta))
        dims = [x.dims[axis] // size if axis == channel else x.dims[axis] for axis in axes.kept]
        inner = [axis for axis in range(x.ndim) if axis in axes.gone or (axis == channel and groups)]
        lengths = [lit("int64", size) if axis == channel else x.dims[axis] for axis in inner]

        def item(*i: Scalar) -> Scalar:
            outer = dict(zip(axes.kept, i[: len(dims)], strict=True))
            steps = dict(zip(inner, i[len(dims) :], strict=True))
            at = [steps[axis] if axis in axes.gone else outer[axis] for axis in range(x.ndim)]
            if groups:
                at[channel] = outer[channel] * size + steps[channel]
            return cast(acc, x[at])

        mean, variance = moments(s, dims, lengths, acc, item)
        normalized = _normalized(
            s, x, mean, _factor(s, variance),
            lambda i: [i[axis] // size if axis == channel else i[axis] for axis in axes.kept],
        )  # fmt: skip
        s.k.compute(s.out, lambda *i: _affine(s, normalized(*i), gamma[i[channel]], beta[i[channel]]))

    return legalize


def _group_size(s: Site, x: Array, channel: int) -> int:
    count, groups = as_int(x.dims[channel].node), A.integer(s.call, "num_groups")
    if count is None or count % groups or not count:
        raise Unfit("channels that do not make groups")
    return count // groups


def _batch_norm(s: Site) -> None:
    """By the moving statistics, or in training by the batch's, which then move them."""
    x, gamma, beta, mean, variance = (s.array(k) for k in range(5))
    axis = A.integer(s.call, "axis") % x.ndim
    _parameters(s, [x.dims[axis]], (gamma, beta, mean, variance))
    training, dtype = A.flag(s.call, "training", True), x.dtype
    used = mean, variance
    if training:
        axes = Axes(x, [k for k in range(x.ndim) if k != axis], False)
        used = moments(s, axes.dims, axes.lengths, dtype, lambda *i: x[axes.source(*axes.split(i))])

    def element(*i: Scalar) -> Scalar:
        c = i[axis]
        root = function("sqrt", used[1][c] + _epsilon(s, dtype))
        return _affine(s, (x[i] - used[0][c]).over(root), gamma[c], beta[c])

    s.k.compute(s.outs[0], element)
    momentum = A.real(s.call, "momentum", 0.1)
    for out, old, new in zip(s.outs[1:], (mean, variance), used, strict=True):
        if training:
            _move(s, out, old, new, momentum)
        else:
            _copy(s, out, old)


def _move(s: Site, out: Array, old: Array, new: Array, momentum: float) -> None:
    rest = lit(out.dtype, 1.0 - momentum)
    s.k.compute(out, lambda c: rest * old[c] + lit(out.dtype, momentum) * new[c])


def _copy(s: Site, out: Array, x: Array) -> None:
    s.k.compute(out, lambda *i: x[i])


NORMS: Mapping[str, Legalizer] = {
    "relax.nn.layer_norm": _layer_norm,
    "relax.nn.rms_norm": _rms_norm,
    "relax.nn.group_norm": _by_channel(groups=True),
    "relax.nn.instance_norm": _by_channel(groups=False),
    "relax.nn.batch_norm": _batch_norm,
}
