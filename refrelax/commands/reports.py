"""An answer of the judge as text, as JSON and as an exit code: three views of its report."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import emit
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.report import EXIT, Report
from refrelax.judge.verdicts import BindingVerdict
from refrelax.judge.wheels import Told, history
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


def tell_all(answers: Sequence[tuple[str, Any]], options: argparse.Namespace) -> int:
    """The same of several versions, and since when and until when it is wrong. 1 if it is wrong in any of them, else 3
    if any has no verdict."""
    said = history([Told(version, answer.word) for version, answer in answers])
    for version, answer in answers:
        if options.json:
            emit({"version": version, **row(answer)})
        else:
            print(f"{version}: {answer}")
    if options.json:
        emit({"history": said, "versions": {version: answer.word for version, answer in answers}})
    elif said:
        print(said)
    codes = {EXIT[answer.word] for _, answer in answers}
    return next(code for code in (1, 3, 0) if code in codes)


def version_of(implementation: Any, name: str) -> str:
    """What an implementation is called beside others: ``tvm 0.26.0``, or its name."""
    versions = getattr(implementation, "versions", None)
    if versions is None:
        return name
    try:
        return f"tvm {versions()['tvm']}"
    except ImplementationFailed:  # it says so itself, where it is asked
        return name


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
