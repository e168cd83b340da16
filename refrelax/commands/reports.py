"""An answer of the judge as text, as JSON and as an exit code: three views of its report."""

from __future__ import annotations

import argparse
import hashlib
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import emit
from refrelax.judge.report import EXIT, Report
from refrelax.judge.verdicts import BindingVerdict
from refrelax.running.arrays import Tensor
from refrelax.syntax.module import ConstantArray

MOST_ELEMENTS = 4096
"""A larger argument is shown by type and digest in JSON; ``--save-args`` keeps it whole."""


def tell(answer: Any, options: argparse.Namespace) -> int:
    """Print an answer as the options ask, and give its exit code."""
    if options.json:
        emit(row(answer))
    else:
        print(answer)
    return EXIT[answer.word]


def row(answer: Any) -> dict[str, Any]:
    """An answer for JSON: its word, what it says, and its report."""
    said = {key: getattr(answer, key) for key in ("binding", "field", "message", "why", "reason", "kind", "detail")
            if getattr(answer, key, "")}  # fmt: skip
    bindings = [_binding(each) for each in getattr(answer, "bindings", ())]
    return {"verdict": answer.word, "says": str(answer), **said, **report(answer.report), "bindings": bindings}


def report(found: Report) -> dict[str, Any]:
    """A report for JSON, the arguments included."""
    return {**found.row(), "arguments": [_argument(each) for each in found.arguments]}


def _argument(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_argument(each) for each in value]
    if isinstance(value, ConstantArray):  # from --args
        value = Tensor.of(value)
    if isinstance(value, Tensor) and value.size > MOST_ELEMENTS:
        digest = hashlib.sha256(value.tobytes()).hexdigest()
        return {"dtype": value.dtype, "shape": list(value.shape), "sha256": digest}
    return values.value_json(value)


def _binding(each: BindingVerdict) -> dict[str, Any]:
    margin = getattr(each.verdict, "margin", None)
    return {
        "binding": f"{each.path}/{each.name}", "what": each.what, "field": each.field, "verdict": each.word,
        "margin": margin,
        "inside": each.counts.inside, "outside": each.counts.outside, "undecided": each.counts.undecided,
        "excluded": each.counts.excluded, "span": None if each.span is None else str(each.span),
    }  # fmt: skip
