"""The same examples in every process.

Hypothesis mixes constants of whatever source happens to be loaded into the values that it draws, so that one seed gives
other examples in another process. Versions that do so let it be switched off here; others need nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def independent_of_loaded_modules() -> Iterator[None]:
    """Inside the ``with``, what Hypothesis draws follows from its random source alone."""
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    collect = getattr(providers, "_get_local_constants", None)
    cache = getattr(getattr(providers, "CONSTANTS_CACHE", None), "cache", None)
    if collect is None or cache is None:
        yield
        return
    none = type(providers._local_constants)()
    providers._get_local_constants = lambda: none
    cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = collect
        cache.clear()
