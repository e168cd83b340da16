"""Pages in a real browser: they draw what the recording says, without an error on the console."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.views.recording import record
from refrelax.views.stepper import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [pytest.mark.nightly, pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")]

TEXT = """
@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        s = T.alloc_buffer((4,), scope="shared")
        s[tx] = A[tx]
        T.tvm_storage_sync("shared")
        if tx == 0:
            B[0] = s[1] + s[3]
"""


def drawn(path: Path, fragment: str) -> tuple[str, str]:
    """The page as the browser has it, and what it said on its console."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
        "--enable-logging=stderr", "--dump-dom", f"{path.as_uri()}{fragment}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.parametrize("packed", [False, True])
def test_the_stepper_draws_a_block_of_threads(tmp_path: Path, packed: bool) -> None:
    recording = record(rr.check(rr.parse(TEXT)), "main", [1.0, 2.0, 3.0, 4.0], [0.0], loops=True).json()
    if packed:
        recording["text"] += "#" + " " * 500_000
    file = tmp_path / "run.html"
    file.write_text(page(recording), encoding="utf-8")
    last = len(recording["steps"])
    html, console = drawn(file, f"#step={last}")
    assert f"step {last} of {last}" in html and "x = 3" in html and "B[0] = 6" in html
    assert not console, console
