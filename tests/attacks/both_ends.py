"""Two bodies of one function: how both end, and whether the second is proved to be the first."""

from __future__ import annotations

from typing import Any

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt


def both_ends(
    module: str, params: str, bodies: tuple[str, str], args: tuple[Any, ...]
) -> tuple[list[rr.Outcome], bool]:
    """``module``: a text with places for the parameters and the body of ``main``; in a body ``; `` parts statements."""
    texts = [module.format(params=params, body=each.replace("; ", "\n        ")) for each in bodies]
    first, second = (rr.check(rr.parse(each)) for each in texts)
    proved = isinstance(attempt(first, second, "main"), Proved)
    return [rr.run(each, "main", *args) for each in (first, second)], proved
