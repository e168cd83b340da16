#!/usr/bin/env python
"""Writes down what is decided and said on many small programs, after it was changed on purpose: by passes
``tests/lower/decisions.txt``; by the NumPy backend ``written.txt``, ``trails.txt``, ``steps.txt`` and ``ways.txt`` of
``tests/backends/numpy_/``; by CUDA ``tests/backends/cupy_/launches.txt``; what operators are deduced to be where less
is known, ``tests/semantics/ops/types_of_less.txt``; what the readings answer, ``tests/semantics/numbers/answers.txt``;
the texts of operators written down as data, ``tests/semantics/ops/written_texts.txt``; what every operator says at
corner values, ``tests/semantics/ops/swept.txt``; and what runs of the suite's cases tell beside what a case expects,
``tests/semantics/told_by_cases.txt``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from refrelax.running.run import make_headroom
from tests.backends.cupy_ import near
from tests.backends.numpy_ import steps, trails, ways, written
from tests.lower import decisions
from tests.semantics import told_by_cases
from tests.semantics.numbers import answers
from tests.semantics.ops import swept, types_of_less, written_texts


def main(say: Callable[..., Any] = print) -> None:
    make_headroom()
    for each in (
        decisions, written, trails, steps, ways, near, types_of_less, answers, written_texts, swept, told_by_cases,
    ):  # fmt: skip
        text = each.whole()
        changed = not each.FROZEN.exists() or each.FROZEN.read_text(encoding="utf-8") != text
        each.FROZEN.write_text(text, encoding="utf-8")
        say(
            f"{each.FROZEN.relative_to(Path(__file__).parents[1])}: {'written' if changed else 'as it was'}", flush=True
        )


if __name__ == "__main__":
    main()
