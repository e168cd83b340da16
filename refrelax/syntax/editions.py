"""The editions of the language: one row for each spelling that some version of TVM reads.

Code asks an edition for one of its flags and never which edition it is. A flag names a former way: it is ``False`` in
the current edition, so that a new one is a row at the end, and a flag for what it gives up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edition:
    """A spelling. ``last``: the last version of TVM that has it."""

    last: tuple[int, int]
    plain_lets: bool = False
    """Loop level: ``x = e`` and ``x: T.int32 = e`` are lets. Later they are mutable scalars, a slice an alias."""
    block_allocations: bool = False
    """``T.alloc_buffer`` in a block allocates for the block. Later that is ``T.sblock_alloc_buffer``."""
    tir_attributes: bool = False
    """Attributes of functions begin with ``tir.``. Later with ``tirx.``."""
    all_scheduled: bool = False
    """Every PrimFunc is one of blocks. Later ``s_tir=True`` says so."""
    struct_info: bool = False
    """Graph level: ``out_sinfo=``, ``sinfo_args=``, ``tir_vars=``, ``R.Object``. Later ``out_ty=``, ``R.Any``."""
    quoted_symbols: bool = False
    """Symbols of a signature stand in quotes and are declared in the body. Later ``TypeVar`` declares them."""

    def __str__(self) -> str:
        return ".".join(map(str, self.last))


BLOCKS = Edition(
    (0, 22),
    plain_lets=True,
    block_allocations=True,
    tir_attributes=True,
    all_scheduled=True,
    struct_info=True,
    quoted_symbols=True,
)
"""``T.block``: the former loop level."""

STRUCT_INFO = Edition((0, 25), struct_info=True, quoted_symbols=True)
"""The former graph level."""

OUT_TYPES = Edition((0, 26), quoted_symbols=True)
"""Types at the graph level instead of struct info, and still no ``TypeVar``."""

EDITIONS = (BLOCKS, STRUCT_INFO, OUT_TYPES, Edition((0, 27)))
"""In order; the last one is what the specification is about."""

CURRENT = EDITIONS[-1]


def edition_of(version: str) -> Edition:
    """The edition that a version of TVM (``0.26.0``) reads; the current one where the version says nothing."""
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None:
        return CURRENT
    number = int(found[1]), int(found[2])
    return next((each for each in EDITIONS if number <= each.last), CURRENT)
