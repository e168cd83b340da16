"""Many programs in one request to TVM: what each gives alone, whatever the others do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.errors import Returned
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.implementation import ImplementationFailed
from refrelax.testing.cells import COMMON, cells

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmImplementation]:
    implementation = TvmImplementation(timeout=120)
    yield implementation
    implementation.close()


def program(call: str, dtype: str = "float32", shape: str = "(3,)") -> Any:
    text = f"""
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor({shape}, "{dtype}"), y: R.Tensor({shape}, "{dtype}")):
        gv = {call}
        return gv
"""
    return rr.check(rr.parse(text)).module


def tensor(dtype: str, *elements: Any) -> Any:
    import numpy as np

    return rr.Tensor.of(np.array(elements, dtype))


def test_each_program_gives_what_it_gives_alone(tvm: TvmImplementation) -> None:
    """Calls that go well, one that no build takes, one that dies in the middle of its inputs."""
    x, y, zero = (tensor("int32", *each) for each in ((7, 8, 9), (2, 3, 4), (1, 0, 1)))
    f = tensor("float32", 1.0, 2.0, 3.0)
    programs = [
        (program("R.add(x, y)"), "main", [[f, f], [f, f]]),
        (program("R.floor_divide(x, y)", "int32"), "main", [[x, y], [x, zero], [y, x]]),
        (program("R.ewise_fma(x, y, y)"), "main", [[f, f]]),
        (program("R.multiply(x, y)", "int32"), "main", [[x, y]]),
    ]
    added, divided, fma, multiplied = tvm.run_many(programs)
    assert [each.value.tolist() for each in added] == [[2.0, 4.0, 6.0]] * 2
    assert divided[0].value.tolist() == [3, 2, 2] and divided[2].value.tolist() == [0, 0, 0]
    assert isinstance(divided[1], ImplementationFailed) and (divided[1].kind, divided[1].message) == ("crash", "SIGFPE")
    assert isinstance(fma[0], ImplementationFailed) and fma[0].kind == "refused" and fma[0].place
    assert multiplied[0].value.tolist() == [14, 24, 36]


def test_cells_alone_and_together(tvm: TvmImplementation) -> None:
    typed = []
    for each in islice(cells(3, COMMON), 24):
        try:
            typed.append((rr.check(rr.parse(each.program.text)).module, "main", [each.arguments(each.inputs[0])]))
        except rr.Rejection:
            continue
    together = tvm.run_many(typed)
    for (module, entry, calls), (answer,) in zip(typed, together, strict=True):
        (alone,) = tvm.run_many([(module, entry, calls)])[0]
        assert type(alone) is type(answer)
        if isinstance(alone, ImplementationFailed) and isinstance(answer, ImplementationFailed):
            assert (alone.kind, alone.place) == (answer.kind, answer.place)


def test_without_tvm() -> None:
    nowhere = TvmImplementation(process=TvmProcess(str(Path(__file__))))
    with pytest.raises(ImplementationFailed) as failed:
        nowhere.run_many([(program("R.add(x, y)"), "main", [])])
    assert failed.value.kind == "absent"


def test_a_script_needs_no_refrelax(tvm: TvmImplementation, tmp_path: Path) -> None:
    import os
    import subprocess

    module = program("R.add(x, y)", "bfloat16")
    half = rr.Tensor.of_bytes("bfloat16", (3,), bytes([0x80, 0x3F] * 3))
    path = tmp_path / "script.py"
    path.write_text(tvm.script(module, [half, half], 'say """this"""', "[2, 2, 2]"), "utf-8")
    assert "import refrelax" not in path.read_text("utf-8")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    python = str(find_python())
    done = subprocess.run([python, str(path)], cwd=tmp_path, env=clean, capture_output=True, text=True, check=True)
    got, expected = done.stdout.splitlines()[:2]
    assert got.split() == ["got:", "[2", "2", "2]"] and expected.split()[0] == "expected:"
    assert isinstance(tvm.run(module, "main", [half, half]), Returned)


def test_what_cannot_be_told_ends_no_other_request(tvm: TvmImplementation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that dies while its answer is written: the next request gets its own answer, not the rest of this one."""
    f, g = tensor("float32", 1.0, 2.0, 3.0), tensor("float32", 4.0, 4.0, 4.0)
    opaque = "R.call_pure_packed('refrelax.nothing', x, ty_args=(R.Any,))"
    for _ in range(2):
        rows = tvm.run_many([(program("R.add(x, y)"), "main", [[f, f], [f, g]]), (program(opaque), "main", [[f, f]])])
        assert [each.value.tolist() for each in rows[0]] == [[2.0, 4.0, 6.0], [5.0, 6.0, 7.0]]
        assert tvm.run(program("R.multiply(x, y)"), "main", [f, g]).value.tolist() == [4.0, 8.0, 12.0]
