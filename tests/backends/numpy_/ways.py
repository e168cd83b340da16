"""Which statements of the NumPy backend a call runs. Short cuts give what the long way gives; that they are taken, and
where they are not, nothing else says.

Of every row of ``rows.py`` and every program of ``near_forms.py``, in both modes, on arrays as they are and, in mode
``fast``, turned: how many functions are entered, how many statements they run (each once an entry), and all of that in
six letters. The compilation is told for the programs of ``near_forms.py``, and the quick forms of operators are called
by themselves, too. It is written down by ``tools/make_decisions.py``, and held by ``test_ways.py``.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import refrelax as rr
from refrelax.backends.numpy_ import fast_operators
from refrelax.backends.numpy_.fast_operators import FAST_OPERATORS
from refrelax.lower.pipeline import lower
from tests.backends.numpy_ import near_forms, rows, trails
from tests.backends.numpy_.test_forms_are_rows import calls
from tests.digests import digest

FROZEN = Path(__file__).parent / "ways.txt"

ROOM = "/refrelax/backends/"
UNSEEN = ("memory.py", "executable.py", "lent.py")
"""What depends on what was run before."""


@cache
def statements(file: str) -> tuple[list[int], list[int]]:
    """Of each line of a file, where the innermost statement around it begins; and where statements begin, in order."""
    text = Path(file).read_text("utf-8")
    found = [0] * (text.count("\n") + 2)
    begins = set()
    for each in ast.walk(ast.parse(text)):  # the outer ones first
        if isinstance(each, ast.stmt):
            begins.add(each.lineno)
            found[each.lineno : (each.end_lineno or each.lineno) + 1] = [each.lineno] * (
                (each.end_lineno or each.lineno) + 1 - each.lineno
            )
    return found, sorted(begins)


def way(work: Callable[[], Any]) -> tuple[int, int, str]:
    """The functions that are entered, the statements that they run, and both in order, as letters."""
    entered: list[tuple[str, int, str, set[int]]] = []

    def called(frame: Any, event: str, _arg: Any) -> Any:
        code = frame.f_code
        file = code.co_filename
        if event != "call" or ROOM not in file or "<" in code.co_name or file.endswith(UNSEEN):
            return None
        lines = set[int]()
        entered.append((file, code.co_firstlineno, code.co_name, lines))

        def passed(frame: Any, event: str, _arg: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            return passed

        return passed

    before = sys.gettrace()
    sys.settrace(called)
    try:
        work()
    finally:
        sys.settrace(before)
    told, count = [], 0
    for file, first, name, lines in entered:
        of, begins = statements(file)
        here = sorted({bisect_right(begins, of[line]) - bisect_right(begins, first) for line in lines})
        count += len(here)
        told.append(f"{Path(file).stem}.{name} {here}")
    return len(entered), count, digest(" / ".join(told))


def line(label: str, *work: Callable[[], Any]) -> str:
    found = []
    for each in work:
        each()  # what is remembered is so from here on
        found.append(way(each))
    entered, count = (sum(each[k] for each in found) for k in range(2))
    return f"{label}: {entered} functions, {count} statements, {digest(' '.join(each[2] for each in found))}"


def text(kind: str, name: str, mode: str) -> str:
    """One line of ``FROZEN``."""
    if kind == "form":
        return form(name)
    label = f"{kind} {name}, {mode}"
    of = rows if kind == "row" else near_forms
    checked = of.program(name)
    if mode == "compiled":
        return line(label, partial(rr.compile, checked), partial(rr.compile, lower(checked, "kernels").module))
    made, args = rr.compile(checked, mode=mode)["main"], of.arguments(name, 0)
    turned = [np.array(each, order="F") for each in args]
    return line(label, partial(made, *args), *([partial(made, *turned)] if mode == "fast" else []))


FORMS = 40
"""Calls of a quick form, at most, that are looked at (``test_forms_are_rows.py`` makes them)."""


def form(name: str) -> str:
    """The quick form of an operator, also into memory that is given, and of arrays that lie otherwise."""
    apply = FAST_OPERATORS[f"relax.{name}"]
    drawn = list(calls(name))
    found = list[tuple[int, int, str]]()
    before, fast_operators.LARGE = fast_operators.LARGE, trails.LARGE
    try:
        for args, attrs in Random(name).sample(drawn, min(len(drawn), FORMS)):
            for _, given, said in trails.variants(apply, args, attrs):
                work = partial(quiet, partial(apply, *given, **said))
                work()
                found.append(way(work))
    finally:
        fast_operators.LARGE = before
    entered, count = (sum(each[k] for each in found) for k in range(2))
    return f"form {name}: {entered} functions, {count} statements, {digest(' '.join(each[2] for each in found))}"


def quiet(work: Callable[[], Any]) -> None:
    with np.errstate(all="ignore"), suppress(*trails.ODD):
        work()


MODES = ("fast", "bits")

PROGRAMS = [
    *(("row", name, mode) for name in rows.ROWS for mode in MODES[: 1 if name in rows.LONG else 2]),
    *(("near", name, mode) for name in near_forms.NEAR for mode in (*MODES, "compiled")),
    *(("form", name, "") for name in trails.NAMES),
]


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{text(*program)}\n" for program in PROGRAMS)
