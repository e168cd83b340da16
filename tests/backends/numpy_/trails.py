"""Which way each call of a quick form goes: the functions of the backend that it enters, in order, and whether the row
of its operator is among them. A short cut gives what the row gives, so nothing but this tells that it is taken.

It is written down by ``tools/make_decisions.py``, and held by ``test_trails.py``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import fast_operators
from refrelax.backends.numpy_.fast_operators import FAST_OPERATORS
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.errors import Ended
from tests.backends.numpy_.test_forms_are_rows import calls
from tests.digests import digest

FROZEN = Path(__file__).parent / "trails.txt"

NAMES = sorted(each.removeprefix("relax.") for each in FAST_OPERATORS)

LARGE = 64
"""``fast_operators.LARGE`` of these calls, which are small."""

MOST = 200
"""Calls of a form, at most, that are looked at."""

ODD = (Ended, TypeError, ValueError, KeyError, AttributeError, IndexError)


def trail(work: Callable[[], Any], row: Any = None) -> list[str]:
    """The functions of the backends that are entered, in order: ``module.function``, or ``ROW``."""
    found: list[str] = []
    whole = getattr(row, "__code__", None)

    def heard(frame: Any, event: str, _arg: Any) -> None:
        code = frame.f_code
        if event == "call" and "/refrelax/backends/" in code.co_filename and "<" not in code.co_name:
            found.append("ROW" if code is whole else f"{Path(code.co_filename).stem}.{code.co_name}")

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        with np.errstate(all="ignore"), suppress(*ODD):
            work()
    finally:
        sys.setprofile(before)
    return found


Given = tuple[str, tuple[Any, ...], dict[str, Any]]


def variants(apply: Any, args: tuple[Any, ...], attrs: dict[str, Any]) -> Iterator[Given]:
    """The call as it is; its first array turned; and with memory to write to, of the right and of the wrong kinds."""
    yield "", args, attrs
    first = args[0] if args and isinstance(args[0], np.ndarray) else None
    if first is not None and first.ndim > 1:
        yield "turned", (np.asfortranarray(first), *args[1:]), attrs
    taken = signature(apply).parameters
    if first is None or not first.ndim or "out" not in taken:
        return
    try:
        with np.errstate(all="ignore"):
            made = apply(*args, **attrs)
    except ODD:
        return
    if not isinstance(made, np.ndarray):
        return
    locked = np.zeros(made.shape, made.dtype)
    locked.flags.writeable = False
    yield "into", args, {**attrs, "out": np.zeros(made.shape, made.dtype)}
    yield "into what is read-only", args, {**attrs, "out": locked}
    yield "into more", args, {**attrs, "out": np.zeros((2, *made.shape), made.dtype)}
    other = np.float64 if made.dtype == np.float32 else np.float32
    yield "into another dtype", args, {**attrs, "out": np.zeros(made.shape, other)}


def lines(name: str) -> list[str]:
    """By what is special: how many calls, how many without the row, and the trails of all in six letters."""
    apply, row = FAST_OPERATORS[f"relax.{name}"], OPERATORS[f"relax.{name}"]
    by: dict[str, list[str]] = defaultdict(list)
    before, fast_operators.LARGE = fast_operators.LARGE, LARGE
    try:
        drawn = list(calls(name))
        if len(drawn) > MOST:
            drawn = Random(name).sample(drawn, MOST)
        for args, attrs in drawn:
            for kind, given, said in variants(apply, args, attrs):
                work = partial(apply, *given, **said)
                trail(work)  # what is remembered is so from here on
                by[f"{name}{f', {kind}' if kind else ''}"].append(" ".join(trail(work, row)))
    finally:
        fast_operators.LARGE = before
    return [
        f"{label}: {sum('ROW' not in each for each in found)} of {len(found)} without the row,"
        f" {digest(' / '.join(found))}"
        for label, found in by.items()
    ]  # fmt: skip


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line}\n" for name in NAMES for line in lines(name))
