"""The subprocess that has TVM: found, started, asked, and ended when it hangs or dies."""

from __future__ import annotations

import importlib.util
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from refrelax.conformance.implementation import ImplementationFailed

_WORKER = Path(__file__).with_name("worker.py")


def find_python() -> str | None:
    """An interpreter that has TVM: ``REFRELAX_TVM_PYTHON``, else this one; ``None`` if neither has it."""
    named = os.environ.get("REFRELAX_TVM_PYTHON")
    if named:
        return shutil.which(named)
    return sys.executable if importlib.util.find_spec("tvm") is not None else None


class TvmProcess:
    """One process that answers requests in order. A crash or a hang ends it; the next request starts another.

    ``timeout``: seconds for one line of an answer, starting the process included. ``worker``: the script that it runs.
    """

    def __init__(self, python: str | None = None, timeout: float = 60.0, worker: Path = _WORKER) -> None:
        self.python = python or find_python()
        self.timeout = timeout
        self.worker = worker
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._read = b""

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            ImplementationFailed: no TVM, a crash (with the signal's name), or no answer in time.
        """
        process = self._running()
        with suppress(BrokenPipeError):
            self._send(process, request)
        return self._answer(process)

    def stream(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The lines of an answer as they come, up to and with one that has the key ``"end"``.

        Whoever stops before that ends the process. Raises like ``ask``.
        """
        process = self._running()
        ended = False
        try:
            with suppress(BrokenPipeError):
                self._send(process, request)
            while not ended:
                answer = self._answer(process)
                ended = "end" in answer
                yield answer
        finally:
            if not ended:
                self.close()

    @staticmethod
    def _send(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    def _answer(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        line = self._line(process)
        if not line:
            raise ImplementationFailed("crash", self._last_words(process))
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        self._read = b""
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):  # a request may still stand in the buffer of a process that died
                        stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def __enter__(self) -> TvmProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        if self.python is None:
            raise ImplementationFailed("absent", "no TVM: install refrelax[tvm] or set REFRELAX_TVM_PYTHON")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        self._process = subprocess.Popen(
            [self.python, "-W", "ignore", str(self.worker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        """One line of the answer pipe; empty when the process ended before it was whole."""
        assert process.stdout is not None
        until = time.monotonic() + self.timeout
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if not waiting.select(max(until - time.monotonic(), 0)):
                    self.close()
                    raise ImplementationFailed("hang", f"no answer in {self.timeout:g} s")
                chunk = os.read(process.stdout.fileno(), 1 << 20)  # past the buffer, which select does not see
                if not chunk:
                    return b""
                self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code = process.wait(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.close()
            return "closed its output and went on"
        try:
            how = signal.Signals(-code).name if code < 0 else f"exit {code}"
        except ValueError:
            how = f"signal {-code}"
        said = ""
        if self._errors is not None:
            self._errors.seek(0)
            lines = [line for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()]
            said = f": {lines[-1]}" if lines else ""
        self.close()
        return f"{how}{said}"
