#!/usr/bin/env python
"""Writes down what passes and backends decide on many small programs, after a decision was changed on purpose:
``tests/lower/decisions.txt``; ``written.txt``, ``trails.txt``, ``steps.txt`` and ``ways.txt`` of
``tests/backends/numpy_/``;
``tests/backends/cupy_/launches.txt``; and what operators are deduced to be where less is known,
``tests/semantics/ops/types_of_less.txt``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.backends.cupy_ import near
from tests.backends.numpy_ import steps, trails, ways, written
from tests.lower import decisions
from tests.semantics.ops import types_of_less


def main(say: Callable[..., Any] = print) -> None:
    for each in (decisions, written, trails, steps, ways, near, types_of_less):
        text = each.whole()
        changed = not each.FROZEN.exists() or each.FROZEN.read_text(encoding="utf-8") != text
        each.FROZEN.write_text(text, encoding="utf-8")
        say(
            f"{each.FROZEN.relative_to(Path(__file__).parents[1])}: {'written' if changed else 'as it was'}", flush=True
        )


if __name__ == "__main__":
    main()
