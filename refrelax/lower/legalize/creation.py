"""Tensors from numbers and positions."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.scalars import Scalar, if_then_else, index, lit
from refrelax.lower.legalize.site import Site
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes


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
