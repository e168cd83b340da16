"""A text, or a module that nobody checked, where a checked one is wanted: said in words, by every door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import refrelax as rr

PLAIN = rr.parse('@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    y = R.exp(x)\n    return y\n')

CHECKED: dict[str, Callable[[Any], Any]] = {
    "run": lambda m: rr.run(m, "main", [1.0, 2.0]),
    "lower": rr.lower,
    "diff": lambda m: rr.diff(m, "main", [[1.0, 2.0]]),
}
EITHER: dict[str, Callable[[Any], Any]] = {
    "check": rr.check,
    "compile": rr.compile,
    "print_module": rr.print_module,
    "validate": lambda m: rr.validate(PLAIN, m),
    "bisect": lambda m: rr.bisect(m, "main", [[1.0, 2.0]], impl="refrelax", pipeline="default"),
}


@pytest.mark.parametrize("name", CHECKED)
def test_a_module_has_to_be_checked(name: str) -> None:
    with pytest.raises(rr.UsageError, match=f"^{name} takes a module that rr.check has checked, found one that is not"):
        CHECKED[name](PLAIN)
    CHECKED[name](rr.check(PLAIN))


@pytest.mark.parametrize("name", CHECKED | EITHER)
def test_a_text_is_no_module(name: str) -> None:
    with pytest.raises(rr.UsageError, match=f"^{name} takes a module.*, found str: rr.parse reads a text"):
        (CHECKED | EITHER)[name]("def main(): ...")


@pytest.mark.parametrize("name", EITHER)
def test_a_checked_one_is_a_module(name: str) -> None:
    for each in (PLAIN, rr.check(PLAIN)):
        EITHER[name](each)


def test_what_is_checked_stays_what_it_is() -> None:
    checked = rr.check(PLAIN)
    assert rr.check(checked) is checked
