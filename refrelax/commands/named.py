"""``--arg NAME=JSON``: arguments by the names of the parameters, read by their types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from refrelax.conformance.typed import read
from refrelax.errors import UsageError
from refrelax.syntax.types import Type


def values(items: Sequence[str], types: Mapping[str, Type]) -> dict[str, Any]:
    """``x=[[1,2],[3,4]]`` for each parameter that is given so.

    Raises:
        UsageError: no such parameter, no JSON, or a value that the type of the parameter cannot take.
    """
    found: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals:
            raise UsageError(f"--arg: expected NAME=JSON, found {item!r}")
        if name not in types:
            raise UsageError(f"--arg: there is no parameter {name!r}; there are {', '.join(types) or 'none'}")
        if name in found:
            raise UsageError(f"--arg: {name} is given twice")
        try:
            found[name] = read(json.loads(text), types[name])
        except (ValueError, TypeError, AssertionError, OverflowError, RecursionError) as error:
            raise UsageError(f"--arg {name}: {_said(error)}") from None
    return found


def _said(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON: {error}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


def extents(values: Mapping[str, Any], types: Mapping[str, Type], dims: Mapping[str, int]) -> dict[str, int]:
    """``dims`` with the symbols that ``values`` settle, so that ``--random`` makes the other arguments to fit.

    Raises:
        UsageError: two extents for one symbol.
    """
    from refrelax.testing.arguments import settled

    found, by = dict(dims), dict.fromkeys(dims, "--dim")
    for name, value in values.items():
        for symbol, extent in settled(name, types[name], value):
            if found.get(symbol, extent) != extent:
                raise UsageError(f"{symbol} is {found[symbol]} by {by[symbol]} and {extent} by --arg {name}")
            found[symbol], by[symbol] = extent, f"--arg {name}"
    return found
