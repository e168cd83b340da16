"""What the reader knows of an intrinsic: how many arguments it takes and what dtype it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Signature:
    """``result``: a dtype, ``argK`` or ``text``; ``most`` None: any number; ``dtype_at``: where the text has the dtype;
    ``dropped``: by hand it comes first, and says nothing that the call keeps.

    ``defaults`` fill the last arguments when the text leaves them out. ``keywords``: the constants that the text gives
    by keyword; the one named ``dtype_key`` gives the dtype of the result, ``result`` where it is missing.
    """

    result: str
    least: int
    most: int | None
    dtype_at: Literal["", "first", "last", "dropped"] = ""
    defaults: tuple[int, ...] = ()
    keywords: tuple[str, ...] = ()
    dtype_key: str = ""
