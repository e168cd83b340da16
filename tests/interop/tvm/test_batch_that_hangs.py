"""What ends a group of programs costs the others nothing but a second asking: these need no TVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.interop.tvm import TvmImplementation
from refrelax.interop.tvm.batch import run_many
from refrelax.interop.tvm.implementation import encode
from refrelax.judge.implementation import ImplementationFailed


class Process:
    """A process that reads programs one by one and builds them together; their texts say what goes wrong."""

    timeout = 5.0

    def __init__(self) -> None:
        self.asked = list[tuple[list[str], bool]]()

    def start(self) -> None:
        """It runs."""

    def stream(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        texts, number = [each["text"] for each in request["programs"]], {"request": request["request"]}
        self.asked.append((texts, request["apart"]))
        for k, text in enumerate(texts):
            yield {"at": k, **number}
            if text.startswith("reads:"):
                raise ImplementationFailed(text.removeprefix("reads:"), "while it is read")
        shared = len(texts) > 1 and not request["apart"]
        for k, text in enumerate(texts):
            yield {"at": None if shared else k, **number}
            if text.startswith("builds:"):
                raise ImplementationFailed(text.removeprefix("builds:"), "while it is built")
        for k, text in enumerate(texts):
            yield {"at": k, **number}
            yield {"program": k, "call": 0, "answer": {"returned": text, "arguments": []}, **number}
        yield {"end": {}}


class Asking:
    """What ``run_many`` needs of an implementation: a program is a text."""

    target, pipeline = "llvm", None

    def __init__(self) -> None:
        self.process = Process()

    def shown(self, module: Any) -> dict[str, Any]:
        return {"text": module, "constants": {}}

    def call(self, _module: Any, _entry: str, args: Any) -> dict[str, Any]:
        return {"args": list(args)}

    def told(self, answer: dict[str, Any], _text: str) -> dict[str, Any]:
        return answer

    def outcome(self, answer: dict[str, Any]) -> rr.Outcome:
        return rr.Returned(answer["returned"])


def asked(*texts: str) -> tuple[list[str], int]:
    """What comes of each program, and how often the process was asked."""
    implementation = Asking()
    found = run_many(implementation, [(text, "main", [[]]) for text in texts])  # type: ignore[arg-type,misc,list-item]
    told = [each.kind if isinstance(each, ImplementationFailed) else str(each.value) for (each,) in found]  # type: ignore[union-attr]
    return told, len(implementation.process.asked)


@pytest.mark.parametrize("kind", ["hang", "crash"])
def test_a_program_that_ends_the_reading_is_asked_once(kind: str) -> None:
    assert asked("a", f"reads:{kind}", "b", "c") == (["a", kind, "b", "c"], 2)


@pytest.mark.parametrize("kind", ["hang", "crash"])
def test_a_program_that_ends_a_build_is_found_by_builds_of_their_own(kind: str) -> None:
    assert asked("a", "b", f"builds:{kind}", "c") == (["a", "b", kind, "c"], 3)
    assert asked(f"builds:{kind}") == ([kind], 1)


def test_all_that_end_a_group_are_found() -> None:
    told = ["a", "hang", "hang", "crash", "b"]
    assert asked("a", "reads:hang", "builds:hang", "reads:crash", "b") == (told, 5)


def test_a_fault_of_ours_is_every_programs() -> None:
    assert asked("a", "reads:fault", "b")[0] == ["a", "fault", "b"]


MODULE = rr.parse(
    "@I.ir_module\nclass Module:\n    @R.function\n"
    '    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):\n        return x\n'
)


def test_a_hang_costs_one_deadline(tmp_path: Path) -> None:
    """No second process is started to wait once more; for a crash there is one."""
    python = tmp_path / "python"
    for kind, does in (("hang", "exec sleep 60"), ("crash", "kill -SEGV $$")):
        starts = tmp_path / kind
        python.write_text(f'#!/bin/sh\necho >>{starts}\necho \'{{"tvm": "0.27.0"}}\'\nread line\n{does}\n', "utf-8")
        python.chmod(0o755)
        tvm = TvmImplementation(python=str(python), timeout=0.2 if kind == "hang" else 20)
        for ask in (lambda: tvm.check(MODULE), lambda: tvm.run(MODULE, "main", [[1.0, 2.0]])):
            with pytest.raises(ImplementationFailed) as failed:
                ask()
            assert failed.value.kind == kind
        tvm.close()
        assert len(starts.read_text("utf-8")) == {"hang": 2, "crash": 4}[kind]


def test_an_integer_past_int64_is_unsupported() -> None:
    """The bridge to TVM carries no other."""
    assert encode(2**63 - 1) == 2**63 - 1 and encode(True) is True
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(ImplementationFailed) as failed:
            encode(value)
        assert failed.value.kind == "unsupported"
