"""``--scheduler``: a campaign on Dask, with workers that die."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from refrelax import cli

HERE = Path(__file__).parent
DASK = importlib.util.find_spec("distributed") is not None
LINE = ["fuzz", "--impl", "strange:find", "--dtypes", "bfloat16,float32", "--json"]


def environment() -> dict[str, str]:
    """The same modules for everybody."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])}


@pytest.mark.skipif(DASK, reason="Dask is installed")
def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    assert cli.main([*LINE, "--count", "1", "--scheduler", "tcp://127.0.0.1:1"]) == 3
    assert "--scheduler needs distributed: pip install 'refrelax[dask]'" in capsys.readouterr().err


def test_a_scheduler_and_jobs_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*LINE, "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "not allowed with" in capsys.readouterr().err


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler, and so many workers, each a process."""
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment()}
    start = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [sys.executable, *start], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment()
    )
    started = [scheduler]
    try:
        assert scheduler.stderr is not None
        address = next(m[0] for line in scheduler.stderr if (m := re.search(r"tcp://127\.0\.0\.1:\d+", line.decode())))
        options = ["--no-dashboard", "--no-nanny", "--nthreads", "1", "--memory-limit", "0"]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, *options]
        started += [subprocess.Popen(worker, **quiet) for _ in range(workers)]
        yield address, started[1:]
    finally:
        for each in reversed(started):
            each.kill()
            each.wait()
        if scheduler.stderr is not None:
            scheduler.stderr.close()


def findings(out: str) -> list[tuple[str, str]]:
    return [(row["cause"], row["program"]) for row in map(json.loads, out.splitlines()) if "cause" in row]


@pytest.mark.nightly
@pytest.mark.skipif(not DASK, reason="needs refrelax[dask]")
def test_three_workers_of_which_one_is_killed(tmp_path: Path) -> None:
    def go(*more: str, kill: subprocess.Popen[bytes] | None = None) -> list[tuple[str, str]]:
        command = [sys.executable, "-m", "refrelax", *LINE, "--count", "64", "--out", str(tmp_path / "out"), *more]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True)
        if kill is not None:
            time.sleep(8)
            kill.send_signal(signal.SIGKILL)
        out, _ = running.communicate(timeout=600)
        assert running.returncode == 1
        return findings(out)

    alone = go()
    with cluster(3) as (address, workers):
        assert alone and go("--scheduler", address, kill=workers[0]) == alone


@pytest.mark.nightly
@pytest.mark.skipif(not DASK, reason="needs refrelax[dask]")
def test_nobody_answers() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refrelax", *LINE, "--count", "1", "--scheduler", "tcp://127.0.0.1:1"],
        capture_output=True, text=True, env=environment(), cwd=HERE,
    )  # fmt: skip
    assert done.returncode == 2 and "no scheduler answers there" in done.stderr and "Traceback" not in done.stderr
