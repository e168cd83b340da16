"""Elements that are one number or one truth, told for many at once.

Most tensors hold nothing else: what a reading would be asked of each element (is it poison, which bits has it) is then
answered for all of them without a call for each. What is anything else is asked of the reading, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.truth import Truth
from refrelax.syntax import bits, dtypes

PLAIN = frozenset((float, int, Truth))


def plain(payloads: Sequence[Payload]) -> bool:
    """Whether every element is one number or one truth: none is poison, or a set, or a term."""
    return PLAIN.issuperset(map(type, payloads))


def several_bits(dtype: str, payloads: Sequence[Payload]) -> tuple[list[int | None], list[int]]:
    """The bits of elements of ``ieee``, and at which places an element has to be asked by itself: a NaN has the bits
    that ``num/nan-canonical`` says, poison has none, and some formats are packed by nobody."""
    if dtype == "bool":
        others = [k for k, each in enumerate(payloads) if each.__class__ is not Truth]
        return [each.number if each.__class__ is Truth else None for each in payloads], others
    wanted = float if dtypes.is_float(dtype) else int
    others = [k for k, each in enumerate(payloads) if each.__class__ is not wanted or each != each]
    numbers = payloads
    if others:
        numbers = list(payloads)
        for k in others:
            numbers[k] = wanted(0)
    if dtype == "bfloat16":  # its numbers are the upper halves of those of float32
        found = bits.encode_all("float32", numbers)
        return [each >> 16 for each in found], others  # type: ignore[union-attr]
    found = bits.encode_all(dtype, numbers)
    return ([None] * len(payloads), list(range(len(payloads)))) if found is None else (list(found), others)


__all__ = ["PLAIN", "plain", "several_bits"]
