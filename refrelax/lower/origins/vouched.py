"""What is known of origins in this process: those that the lowering wrote down itself, and those that were proved."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from refrelax.lower.origins.text import Origin, hint, hinted, read, unhinted
from refrelax.syntax.loops import PrimFunc

MOST = 16384
"""How many loop programs are remembered (some 4 KiB each; a lowering asks for two of each function, and one that asks
for more than there are finds none); those that were asked for longest ago are forgotten first."""

_KNOWN: OrderedDict[PrimFunc, Origin | bool] = OrderedDict()
"""By loop program, the hint included; ``False``: no proof of it was found."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """An origin that a loop program claims; ``sure``: it is known to be right."""

    origin: Origin
    sure: bool


def claimed(func: PrimFunc) -> Claimed | None:
    """What a loop program says of its origin, right or not: enough to write another hint from."""
    text = hint(func)
    if text is None:
        return None
    known = vouched(func)
    if isinstance(known, Origin):
        return Claimed(known, True)
    function = read(text) if known is None else None
    return None if function is None else Claimed(Origin(function), False)


def with_origin(func: PrimFunc, claim: Claimed | None) -> PrimFunc:
    """The loop program with this origin alone; the caller answers for one that is sure."""
    bare = unhinted(func)
    if claim is None:
        return bare
    known = hinted(bare, claim.origin)
    if claim.sure:
        remembered(known, claim.origin)
    return known


def vouched(func: PrimFunc) -> Origin | bool | None:
    """What is known of a loop program that has a hint; ``None``: nothing yet."""
    known = _KNOWN.get(func)
    if known is not None:
        _KNOWN.move_to_end(func)
    return known


def remembered(func: PrimFunc, origin: Origin | None) -> Origin | bool:
    """Keep what was found out about a loop program."""
    found: Origin | bool = origin if origin is not None else False
    _KNOWN[func] = found
    while len(_KNOWN) > MOST:
        _KNOWN.popitem(last=False)
    return found


def forget() -> None:
    """Know nothing any more."""
    _KNOWN.clear()
