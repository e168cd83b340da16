"""Every operator against somebody else's: what NumPy, PyTorch and TVM give is permitted by its enclosure."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refrelax.worlds import run_workers

import refrelax as rr
from refrelax.semantics.ops import OPERATORS
from refrelax.testing.oracles import ORACLES, Absent, Oracle
from tests.semantics.ops.catalogue import SAMPLES

from .oracle_calls import Asked, asked, by_numpy, refused

PYTHON = os.environ.get("REFRELAX_TVM_PYTHON", "")
CHILD = Path(__file__).with_name("oracle_child.py")


def rows(*libraries: str, workers: bool = False) -> list[Any]:
    return [
        pytest.param(name, oracle, id=f"{name.removeprefix('relax.')}-{k}")
        for name, found in ORACLES.items()
        if not isinstance(found, Absent)
        for k, oracle in enumerate(found)
        if oracle.library in libraries and bool(oracle.workers) == workers
    ]


def test_every_operator_has_an_oracle_or_a_reason() -> None:
    by_sample = {f"relax.{sample.op}" for sample in SAMPLES}
    """The model of a sample in the catalogue is NumPy's, and ``tests/semantics/ops/test_values.py`` asks it."""
    assert set(ORACLES) <= set(OPERATORS) and set(OPERATORS) - set(ORACLES) <= by_sample
    for name, found in ORACLES.items():
        assert (isinstance(found, Absent) and len(found.reason) > 20) or (
            found and name.removeprefix("relax.") in found[0].call
        )


def permitted(call: Asked, arrays: list[np.ndarray]) -> Any:
    out = rr.run(rr.check(rr.parse(call.text)), "main", *arrays, numerics="enclosure")
    assert isinstance(out, rr.Returned), out
    return out.value


@pytest.mark.parametrize(("name", "oracle"), rows("numpy"))
def test_what_numpy_gives_is_permitted(name: str, oracle: Oracle) -> None:
    call = asked(oracle)
    for seed in (0, 1):
        arrays = call.arguments(seed)
        why = refused(permitted(call, arrays), by_numpy(call, arrays))
        assert why is None, f"{call.expr}: {why}"


@pytest.mark.parametrize(("name", "oracle"), rows("numpy", workers=True))
def test_what_numpy_gives_the_workers_is_permitted(name: str, oracle: Oracle) -> None:
    call = asked(oracle)
    each = [call.arguments(seed) for seed in range(oracle.workers)]
    outs = run_workers(rr.check(rr.parse(call.text)), "main", each, numerics="enclosure")
    values = tuple(out.value for out in outs if isinstance(out, rr.Returned))
    why = refused(values, by_numpy(call, [list(column) for column in zip(*each, strict=True)]))
    assert why is None, f"{call.expr}: {why}"


@pytest.mark.parametrize(("name", "oracle"), rows("torch", "tvm"))
def test_the_call_of_the_table_returns(name: str, oracle: Oracle) -> None:
    """Where the library is not at hand (``permitted`` looks at how the run ended)."""
    call = asked(oracle)
    permitted(call, call.arguments(0))


# --- in the interpreter that has them --------------------------------------------------------------------------------


class Libraries:
    """PyTorch and TVM in a process of their own, started again when a call kills it."""

    def __init__(self) -> None:
        self.child: Any = None

    def ask(self, call: Asked, arrays: list[np.ndarray]) -> dict[str, Any]:
        if self.child is None or self.child.poll() is not None:
            pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self.child = subprocess.Popen([PYTHON, str(CHILD)], text=True, **pipes)
        told = {n: _told(a) for n, a in zip(call.names, arrays, strict=True)}
        job = {"library": call.oracle.library, "text": call.text, "expression": call.oracle.expression, "args": told}
        try:
            self.child.stdin.write(json.dumps(job) + "\n")
            self.child.stdin.flush()
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": "the process died"}

    def close(self) -> None:
        if self.child is not None:
            self.child.stdin.close()
            self.child.stdout.close()
            self.child.wait(timeout=60)


def _told(a: np.ndarray) -> dict[str, Any]:
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": base64.b64encode(a.tobytes()).decode()}


@pytest.fixture(scope="module")
def libraries() -> Iterator[Libraries]:
    found = Libraries()
    yield found
    found.close()


@pytest.mark.tvm
@pytest.mark.skipif(not PYTHON, reason="REFRELAX_TVM_PYTHON is not set")
@pytest.mark.parametrize(("name", "oracle"), rows("torch", "tvm"))
def test_what_the_library_gives_is_permitted(name: str, oracle: Oracle, libraries: Libraries) -> None:
    call = asked(oracle)
    for seed in (0, 1):
        arrays = call.arguments(seed)
        answer = libraries.ask(call, arrays)
        assert "error" not in answer, answer["error"]
        why = refused(permitted(call, arrays), _arrays(answer))
        assert why is None, f"{call.expr}: {why}"


def _arrays(answer: dict[str, Any]) -> list[np.ndarray]:
    return [np.frombuffer(base64.b64decode(one["data"]), one["dtype"]).reshape(one["shape"]) for one in answer["value"]]
