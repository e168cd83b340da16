"""Whatever the text: a module or a rejection with places, in bounded time and memory."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import refrelax as rr
from tests.clock import seconds_since

from .mutations import json_mutant, mutant

SECONDS = 2.0
"""The longest that a mutant may take, in time of this process: other processes must not make a test fail."""

MEGABYTES = 600
"""How much a campaign may add to the peak of the process."""


class Hang(BaseException):
    """Raised by the alarm; no ``except Exception`` may catch it."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """``Hang`` inside the ``with`` after so many seconds."""

    def ring(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judge(read: Callable[[str], rr.Module], text: str, places: bool = True, canonical: bool = True) -> str:
    """What became of a text: the class of its rejection, or ``"Module"``.

    Raises:
        AssertionError: a diagnostic without a place, or a module that its own text does not give back.
    """
    try:
        module = read(text)
        rr.check(module)
    except rr.Rejection as rejection:
        assert rejection.diagnostics
        for each in rejection.diagnostics:
            placed = each.span is not None and each.span.line >= 1 and each.span.column >= 1
            assert placed or not (places or isinstance(rejection, rr.Malformed)), f"no place: {each}"
            assert "\n" not in each.message, f"a message of several lines: {each}"
        return type(rejection).__name__
    text = rr.print_module(module)
    assert not canonical or rr.parse(text) == module, "its own text gives another module"
    return "Module"


def findings(numbers: Iterable[int], make: Callable[[int], str], one: Callable[[str], str]) -> list[str]:
    """What went wrong, each with its number."""
    found, counts = [], dict[str, int]()
    for number in numbers:
        text = make(number)
        began = time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            with alarm(5 * SECONDS):
                kind = one(text)
            counts[kind] = counts.get(kind, 0) + 1
        except Hang:
            found.append(f"{number}: hangs")
        except Exception as error:
            found.append(f"{number}: {type(error).__name__}: {str(error)[:300]}")
        if (took := seconds_since(began)) > SECONDS:
            found.append(f"{number}: took {took:.1f} s")
        if (
            grown := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
        ) > 300_000:  # 200 MB may be Python's parser
            found.append(f"{number}: {grown // 1000} MB more")
    print(counts)
    return found


def text_findings(numbers: Iterable[int]) -> list[str]:
    return findings(numbers, mutant, lambda text: judge(rr.parse, text))


def json_findings(numbers: Iterable[int]) -> list[str]:
    return findings(numbers, json_mutant, lambda text: judge(rr.from_json, text, places=False, canonical=False))


@pytest.mark.thorough
def test_text() -> None:
    assert not text_findings(range(600))


@pytest.mark.thorough
def test_json() -> None:
    assert not json_findings(range(350))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
def test_text_long(part: int) -> None:
    assert not text_findings(range(10_000 * part, 10_000 * (part + 1)))


@pytest.mark.nightly
def test_json_long() -> None:
    assert not json_findings(range(20_000))
