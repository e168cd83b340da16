"""Our own passes as an implementation: what a pipeline made of a program, run by the definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refrelax.errors import Outcome
from refrelax.lower.pipeline import lower
from refrelax.running.run import run
from refrelax.semantics.types.check import check
from refrelax.syntax.module import Module


class Lowered:
    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        return run(lower(check(module), self.pipeline).module, entry, *args)


def paper() -> Lowered:
    return Lowered("paper")


def default() -> Lowered:
    return Lowered("default")
