"""float16 and bfloat16 held in float32: the elements that the narrow format has, with a rounding where one is due.

NumPy converts float16 one element after the other; by the bits of whole arrays it costs half, and so does a rounding to
bfloat16, whose elements are the upper halves of float32's. A sum, difference,
product, quotient or root in float32 that is rounded once more is the correctly rounded one of the narrow format, since
float32 has more than twice its digits and two.
"""

from __future__ import annotations

from threading import local
from typing import Any

import numpy as np

from refrelax.backends.numpy_.memory import fresh
from refrelax.running.arrays import numpy_dtype

WIDE, HALF, UPPER = np.dtype(np.float32), np.dtype(np.float16), numpy_dtype("bfloat16")

FEW = 256
"""Elements for which NumPy's own conversion costs less than looking."""

MOST = 1 << 17
"""Elements of the scratch memory of a thread."""

_own = local()

_UP, _DOWN = np.float32(2.0**112), np.float32(2.0**-112)
"""Between the exponents of float16 and those of float32."""

_LEAST, _BEYOND = np.float32(2.0**-14), np.float32(65520)
"""The least normal number of float16, and the least that is rounded to an infinity."""

_SPECIAL = 0xF800
"""The least pattern of an infinity or a NaN of float16 without its sign, a place further up."""

_SPLIT = np.float32(0x2001)
"""``p - (p - t)`` for ``p = _SPLIT * t`` has the eleven digits that float16 has of a normal number (Veltkamp): to the
nearest, of two the even one, since ``p`` and ``p - t`` of what lies between two have one digit too many, and are
rounded to the even one."""

_SHIFT = np.float32(0.75)
"""Beside which float32 has the places of the least numbers of float16."""


def widened(x: Any, out: Any = None) -> Any:
    """The elements of ``x`` in float32, where they are the same."""
    out = fresh(x.shape, WIDE) if out is None else out
    if x.size < FEW or x.dtype != HALF or not x.flags.c_contiguous:
        np.copyto(out, x)
        return out
    bits = out.view(np.int32)
    if np.maximum.reduce(np.left_shift(x.view(np.uint16), 1), axis=None) >= _SPECIAL:
        np.copyto(out, x)
        return out
    np.copyto(bits, x.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, np.int32(-0x70002000), out=bits)  # the sign, and what was shifted
    return np.multiply(out, _UP, out=out)


def rounded(t: Any, kind: Any, sign: int = 0) -> None:
    """Float32 elements rounded to a narrow format, in place. A NaN among them is one of arithmetic on narrow elements,
    or one of theirs: the half that is cut off is 0. ``sign``: 1 if the others are of [0, 1], -1 if none is above 0."""
    if kind == UPPER and t.size >= FEW and t.flags.c_contiguous:
        _cut(t)
    elif t.size < FEW or kind != HALF or not t.flags.c_contiguous or not _even(t, sign):
        near = _spare(t).reshape(-1).view(kind)[: t.size].reshape(t.shape)
        np.copyto(near, t, casting="unsafe")
        np.copyto(t, near)


_BITS = np.dtype(np.uint32)
_HALF_LESS, _LAST, _UPPER, _PLACES = (np.array(n, np.uint32) for n in (0x7FFF, 1, 0xFFFF0000, 16))


def _cut(t: Any) -> None:
    """Round to the upper half of the bits."""
    bits = _carried(t)
    np.bitwise_and(bits, _UPPER, bits)


def _carried(t: Any) -> Any:
    """The bits of ``t``, over it, with what their lower half adds to the upper one: up from above the middle, and from
    the middle if the last place is odd. What is carried into the exponent is the next power of two, or the infinity."""
    bits, odd = t.view(_BITS), _spare(t).view(_BITS)
    np.right_shift(bits, _PLACES, odd)
    np.bitwise_and(odd, _LAST, odd)
    np.add(odd, _HALF_LESS, odd)
    return np.add(bits, odd, bits)


_PARTS, _BELOW = np.array(2.0**16 + 1, WIDE), np.array(2.0**-16, WIDE)


def cut(t: Any, sum_: bool) -> None:
    """``rounded`` to bfloat16, whatever is there."""
    rounded(t, UPPER)


def near(t: Any, sum_: bool) -> None:
    """The same by three steps in float32, where these raise ``FloatingPointError`` for what they cannot round
    (``told``): ``p - (p - t)`` for ``p = (2**16 + 1) * t`` has the first eight digits of ``t`` (Veltkamp), if ``p`` is
    finite. Of a subnormal number bfloat16 has fewer: those of ``sum_``, which is one of two elements, are all there,
    and of others a part in 2**16 is inexact if not."""
    parts = _spare(t)
    if not sum_:
        np.multiply(t, _BELOW, parts)
    np.multiply(t, _PARTS, parts)
    np.subtract(parts, t, t)
    np.subtract(parts, t, t)


def told() -> Any:
    """In which overflow, underflow and invalid operations raise."""
    return np.errstate(over="raise", under="raise", invalid="raise")


def _tells() -> bool:
    """Whether they do on this machine, of every step of ``near``."""
    with told():
        for number in (2.0**112, np.inf, 1.5 * 2.0**-133):
            try:
                near(np.full(64, number, WIDE), False)
            except FloatingPointError:
                continue
            return False
    return True


def _spare(t: Any) -> Any:
    """Scratch memory of the thread, like ``t``: taking it from the kernel at each step costs more than the step."""
    if t.size > MOST:
        return np.empty(t.shape, WIDE)
    try:
        cells = _own.cells
    except AttributeError:
        cells = _own.cells = np.empty(MOST, WIDE)
    return cells[: t.size] if t.ndim == 1 else cells[: t.size].reshape(t.shape)


def _even(t: Any, sign: int = 0) -> bool:
    """Round to the nearest element of float16, of two the even one; not if one is, or becomes, an infinity or, where
    nothing is known of them, a NaN, which stays one."""
    far = _spare(t)
    if sign > 0:
        low = np.less(t, _LEAST)
    elif sign < 0:
        if not np.minimum.reduce(t, axis=None) > -_BEYOND:
            return False
        low = np.greater(t, -_LEAST)
    else:
        np.abs(t, out=far)
        if not np.maximum.reduce(far, axis=None) < _BEYOND:
            return False
        low = np.less(far, _LEAST)
    few = np.count_nonzero(low)
    if few > t.size >> 3:  # (zeros, mostly, which stay what they are)
        low &= t != 0
        few = np.count_nonzero(low)
    at = np.flatnonzero(low) if 0 < few < t.size >> 3 else None
    tiny = None if not few else t.reshape(-1)[at] if at is not None else t.copy()
    np.multiply(t, _SPLIT, out=far)
    np.subtract(far, t, out=t)
    np.subtract(far, t, out=t)
    if tiny is None:
        return True
    shift = np.copysign(_SHIFT, tiny)
    tiny = np.copysign((tiny + shift) - shift, tiny)
    if at is None:
        np.copyto(t, tiny, where=low)
    else:
        t.reshape(-1)[at] = tiny
    return True


def narrowed(t: Any, kind: Any, out: Any = None, sign: int = 0) -> Any:
    """Float32 elements, a NaN and ``sign`` as of ``rounded``, rounded to a narrow format; ``t`` is scratch memory
    afterwards."""
    out = np.empty(t.shape, kind) if out is None else out
    usual = t.size >= FEW and t.flags.c_contiguous and out.flags.c_contiguous
    if usual and kind == UPPER:
        bits = _carried(t)
        np.right_shift(bits, _PLACES, bits)
        np.copyto(out.view(np.uint16), bits, casting="unsafe")
        return out
    usual = usual and kind == HALF
    if not usual or not _even(t, sign):
        np.copyto(out, t, casting="unsafe")
        return out
    bits = t.view(np.int32)
    np.multiply(t, _DOWN, out=t)
    sign = np.right_shift(bits, 16, out=_spare(t).view(np.int32))
    sign &= 0x8000
    bits >>= 13
    bits |= sign
    np.copyto(out.view(np.uint16), bits, casting="unsafe")
    return out


TELLS = _tells()
