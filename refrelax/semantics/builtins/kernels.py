"""Library functions that work on tensors and need no registration: called from either level, by name.

What else the virtual machine brings is in ``library.py``: those functions see the program. A function without a meaning
may have a reason for that in ``missing.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.errors import Ended, Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.access import Host
from refrelax.semantics.builtins.contrib import CONTRIB
from refrelax.semantics.builtins.kv_cache import KV_CACHE
from refrelax.semantics.builtins.missing import reason
from refrelax.semantics.builtins.sampling import SAMPLING
from refrelax.semantics.builtins.sorting import SORTING

Kernel = Callable[[Host, list[Any], Span | None], Any]


def _sorting(name: str) -> Kernel:
    return lambda machine, args, _span: SORTING[name](machine.numerics, *args)


KERNELS: dict[str, tuple[int, Kernel]] = {
    **{name: (4, _sorting(name)) for name in SORTING},
    **CONTRIB,
    **SAMPLING,
    **KV_CACHE,
}
"""The least number of arguments, and the meaning."""


@rule("vm/argument")
def call_kernel(machine: Host, name: str, args: list[Any], span: Span | None) -> Any:
    """Call a function of ``KERNELS``."""
    least, kernel = KERNELS[name]
    if len(args) < least:
        raise unspecified("vm/argument", f"{name} takes {least} arguments or more, found {len(args)}", span)
    try:
        return kernel(machine, args, span)
    except Ended as end:
        raise named(end, name) from None


def named(end: Ended, name: str) -> Ended:
    """An end that is open for its arguments, with the function's name in its message."""
    outcome = end.outcome
    if getattr(outcome, "rule", "") != "vm/argument":
        return end
    message = str(getattr(outcome, "message", "")).replace("this function", name, 1)
    return unspecified("vm/argument", message, getattr(outcome, "span", None))


@rule("ev/library-missing")
def missing(name: str, span: Span | None) -> Ended:
    """A library function that is neither registered nor defined here."""
    return unspecified("ev/library-missing", f"the library function {name!r} is not registered{reason(name)}", span)
