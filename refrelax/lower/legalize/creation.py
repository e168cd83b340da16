"""Tensors from numbers and positions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from refrelax.lower.legalize.elementwise import Legalizer, number_at
from refrelax.lower.legalize.scalars import Scalar, cast, function, if_then_else, index, lit, select
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import PrimValue
from refrelax.syntax.scalars import Literal, as_int


def _full(s: Site) -> None:
    fill = s.array(1)
    s.k.compute(s.out, lambda *_: cast(s.out.dtype, fill[()]))


def _constant(value: int) -> Legalizer:
    return lambda s: _keep(s, lit(s.out.dtype, value))


def _keep(s: Site, value: Scalar) -> None:
    s.k.compute(s.out, lambda *_: value)


def _offset(s: Site, position: int) -> Scalar:
    found = s.scalar(position)
    if found.dtype != "int64":
        raise Unfit("an offset that is no int64")
    return found


def _eye(position: int) -> Legalizer:
    def legalize(s: Site) -> None:
        k, one, zero = _offset(s, position), lit(s.out.dtype, 1), lit(s.out.dtype, 0)
        s.k.compute(s.out, lambda i, j: select((j - i).equals(k), one, zero))

    return legalize


def _arange(s: Site) -> None:
    """``start + i * step``; on floats the product and the sum are rounded in the result's dtype."""
    dtype = s.out.dtype
    step_literal = s.scalar(2).node
    if not isinstance(step_literal, Literal) or bits.literal_value(step_literal) <= 0:
        raise Unfit("a step that is not known to be positive")
    if dtypes.is_float(dtype):
        start, step = number_at(dtype, s.scalar(0)), number_at(dtype, s.scalar(2))
        s.k.compute(s.out, lambda i: start + cast(dtype, i) * step)
        return
    if any(s.scalar(k).dtype != "int64" for k in (0, 2)) or dtype == "bool":
        raise Unfit("positions that are no int64")
    start, step = s.scalar(0), s.scalar(2)
    s.k.compute(s.out, lambda i: cast(dtype, start + i * step))


def _triangle(lower: bool) -> Legalizer:
    def legalize(s: Site) -> None:
        x, k = s.array(0), _offset(s, 1)
        zero = lit(x.dtype, 0)

        def element(*i: Scalar) -> Scalar:
            apart = i[-1] - i[-2]
            return select(apart <= k if lower else apart >= k, x[i], zero)

        s.k.compute(s.out, element)

    return legalize


PI = Fraction(884279719003555, 2**48)
"""pi, rounded to binary64."""


def _hamming(s: Site) -> None:
    """``alpha - beta * cos(2 pi i / m)``."""
    arguments = [each.value for each in s.call.args if isinstance(each, PrimValue)]
    numbers = [bits.literal_value(each) for each in arguments if isinstance(each, Literal)]
    if len(numbers) != 4 or as_int(arguments[0]) is None:
        raise Unfit("a window whose size is not known")
    size, periodic, alpha, beta = int(numbers[0]), bool(numbers[1]), numbers[2], numbers[3]
    dtype = s.out.dtype
    if size == 1:
        return _keep(s, lit(dtype, 1))
    points = size if periodic else size - 1
    turn = (lit(dtype, 2) * PI).over(points)
    s.k.compute(s.out, lambda i: lit(dtype, alpha) - lit(dtype, beta) * function("cos", turn * cast(dtype, i)))
    return None


def _dropout(s: Site) -> None:
    x, (same, mask) = s.array(0), s.outs
    s.k.compute(same, lambda *i: x[i])
    s.k.compute(mask, lambda *_: lit(mask.dtype, 1))


# --- padding, rearranging --------------------------------------------------------------------------------------------


def _pad(s: Site) -> None:
    """``x[i - before]`` inside; outside the fill, or the mirrored, nearest or wrapped element."""
    x, widths, mode = s.array(0), A.int_list(s.call, "pad_width"), A.text(s.call, "pad_mode")
    value = A.real(s.call, "pad_value")
    fill = lit(x.dtype, value if dtypes.is_float(x.dtype) or x.dtype == "bool" else int(value))

    def source(p: Scalar, n: Scalar) -> Scalar:
        match mode:
            case "reflect":
                return if_then_else(p < 0, index(0) - p, if_then_else(p >= n, n * 2 - 2 - p, p))
            case "replicate":
                return if_then_else(p < 0, index(0), if_then_else(p >= n, n - 1, p))
            case "circular":
                return p % n
            case _:
                return p

    def element(*i: Scalar) -> Scalar:
        at = [source(p - w, n) if a else p for p, w, n, a in zip(i, widths[::2], x.dims, padded, strict=True)]
        value = x[at]
        if mode == "constant":
            for p, n, a in reversed(list(zip(at, x.dims, padded, strict=True))):
                value = if_then_else((p >= 0) & (p < n), value, fill) if a else value
        return value

    padded = [before != 0 or after != 0 for before, after in zip(widths[::2], widths[1::2], strict=True)]
    if mode in ("replicate", "circular"):
        for n in x.dims:
            s.suppose(n >= 1)
    s.k.compute(s.out, element)


def _pixel_shuffle(s: Site) -> None:
    x, r = s.array(0), A.integer(s.call, "upscale_factor")

    def element(*i: Scalar) -> Scalar:
        *at, c, h, w = i
        return x[[*at, c * (r * r) + h % r * r + w % r, h // r, w // r]]

    s.k.compute(s.out, element)


CREATION: Mapping[str, Legalizer] = {
    "relax.full": _full,
    "relax.full_like": _full,
    "relax.ones": _constant(1),
    "relax.zeros": _constant(0),
    "relax.ones_like": _constant(1),
    "relax.zeros_like": _constant(0),
    "relax.eye": _eye(2),
    "relax.eye_like": _eye(1),
    "relax.arange": _arange,
    "relax.tril": _triangle(lower=True),
    "relax.triu": _triangle(lower=False),
    "relax.hamming_window": _hamming,
    "relax.nn.dropout": _dropout,
    "relax.nn.pad": _pad,
    "relax.nn.pixel_shuffle": _pixel_shuffle,
}

SHAPE_ONLY: Mapping[str, tuple[int, ...]] = {
    "relax.full_like": (0,),
    "relax.ones_like": (0,),
    "relax.zeros_like": (0,),
    "relax.eye_like": (0,),
    "relax.collapse_sum_like": (1,),
}
"""Arguments of which only the dims matter: the kernel does not take them."""
