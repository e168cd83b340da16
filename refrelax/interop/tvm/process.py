"""The subprocess that has TVM: found, started, asked, and ended when it hangs or dies."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from refrelax.judge.implementation import FINDINGS, ImplementationFailed

POISONED = ("MALLOC_PERTURB_", "165")
"""Variable and value with which glibc fills the memory that a process is given: what a program reads before it was
written is then wrong every time, and not only where something else was there before."""

_WORKER = Path(__file__).with_name("worker.py")
Answer = TypeVar("Answer")


def find_python() -> str | None:
    """An interpreter that has TVM: ``REFRELAX_TVM_PYTHON``, else this one; ``None`` if neither has it."""
    named = os.environ.get("REFRELAX_TVM_PYTHON")
    if named:
        return shutil.which(named)
    return sys.executable if importlib.util.find_spec("tvm") is not None else None


def _no_python() -> str:
    named = os.environ.get("REFRELAX_TVM_PYTHON")
    if named:
        here = "which cannot be started; name a Python and install refrelax[tvm] there"
        return f"no TVM: REFRELAX_TVM_PYTHON names {named}, {here}"
    return "no TVM: install refrelax[tvm] or set REFRELAX_TVM_PYTHON"


class TvmProcess:
    """One process that has TVM and answers requests in order, each program in a child of its own (``serve.py``). A hang
    ends it; the next request starts another.

    ``timeout``: seconds for one line of an answer. ``worker``: the script that it runs. ``version``: TVM's, once it
    runs. ``alone``: whether each program has a process of its own. ``doubted``: failures that a
    second process did not show again.
    """

    def __init__(self, python: str | None = None, timeout: float = 60.0, worker: Path = _WORKER) -> None:
        self.python = python or find_python()
        self.timeout = timeout
        self.worker = worker
        self.version = ""
        self.alone = False
        self.doubted: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._read = b""

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request, where it is one line.

        Raises:
            ImplementationFailed: ``absent``, ``crash`` (with the signal's name), ``hang`` or ``fault``.
        """
        *_, last = self.stream(request)
        end: dict[str, Any] = last["end"]
        return end

    def stream(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The lines of an answer as they come, up to and with one that has the key ``"end"``.

        Whoever stops before that ends the process. Raises like ``ask``.
        """
        process = self.start()
        ended = False
        try:
            with suppress(BrokenPipeError):
                self._send(process, {**request, "limit": math.ceil(2 * self.timeout) + 10})
            while not ended:
                row = self._row(process)
                ended = not row.keys().isdisjoint(("end", "died", "fault"))
                self._look(row)
                yield row
        finally:
            if not ended:
                self.close()

    def confirmed(self, attempt: Callable[[], Answer]) -> Answer:
        """What ``attempt`` gives. A failure that would be a finding is tried once more, alone, in a fresh process, and
        the second end counts: the first may have been another program's doing, or the machine's. A hang is what it is:
        who waits twice has another deadline than the one that was given."""
        try:
            return attempt()
        except ImplementationFailed as failed:
            if failed.kind not in FINDINGS or failed.kind == "hang":
                raise
            first = str(failed)
        if not self.alone:
            self.close()
        answer = attempt()
        self.doubted.append(first)
        return answer

    @staticmethod
    def _send(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    def _row(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        """One line of an answer."""
        line = self._line(process, self.timeout)
        if not line:
            raise ImplementationFailed("crash", *self._last_words(process))
        row = _json(line)
        if not isinstance(row, dict):
            raise ImplementationFailed("crash", f"answered what is no answer: {line[:80]!r}", repr(line[:4000]))
        return row

    def _look(self, row: dict[str, Any]) -> None:
        """Raise the failure that a line tells of."""
        match row:
            case {"died": int(code)}:
                raise ImplementationFailed("crash", *self._how_died(code))
            case {"fault": str(said)}:
                raise ImplementationFailed("fault", f"the script that has TVM: {_last(said)}", said)

    def close(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        self._read = b""
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # the program that it forked, too
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

    def start(self) -> subprocess.Popen[bytes]:
        """The process, started if it does not run, once it has said which TVM it has.

        Raises:
            ImplementationFailed: ``absent``.
        """
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        if self.python is None:
            raise ImplementationFailed("absent", _no_python())
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        try:
            self._process = subprocess.Popen(
                [self.python, "-W", "ignore", str(self.worker)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            raise ImplementationFailed("absent", f"{self.python} cannot be started: {error.strerror}") from None
        self._greet(self._process)
        return self._process

    def _greet(self, process: subprocess.Popen[bytes]) -> None:
        """Read the first line, which says that there is TVM, and which."""
        try:
            line = self._line(process, max(self.timeout, _START), starts=True)
        except ImplementationFailed:
            raise ImplementationFailed("absent", f"{self.python} says nothing: is it a Python with TVM?") from None
        if not line:
            how, said = self._last_words(process)
            raise ImplementationFailed("absent", f"{self.python} is no Python with TVM ({how})", said)
        match _json(line):
            case {"tvm": str(version), **rest}:
                self.version, self.alone = version, bool(rest.get("alone"))
                return
            case {"absent": str(why)}:
                self.close()
                raise ImplementationFailed("absent", f"{self.python} has no TVM: {_last(why)}", why)
        self.close()
        raise ImplementationFailed("absent", f"{self.python} is no Python with TVM: it says {line[:80]!r}")

    def _line(self, process: subprocess.Popen[bytes], timeout: float, starts: bool = False) -> bytes:
        """One line of the answer pipe; empty when the process ended before it was whole. ``starts``: who still loads
        something is waited for, however busy the machine is."""
        assert process.stdout is not None
        until, loaded = time.monotonic() + timeout, 0.0
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if not waiting.select(max(until - time.monotonic(), 0)):
                    if starts and loaded + _LOADS < (now := _cpu_seconds(process.pid)) < _START:
                        until, loaded = time.monotonic() + timeout, now
                        continue
                    self.close()
                    raise ImplementationFailed("hang", f"no answer in {timeout:g} s")
                chunk = os.read(process.stdout.fileno(), 1 << 20)  # past the buffer, which select does not see
                if not chunk:
                    return b""
                self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        return line or b"\n"

    def _last_words(self, process: subprocess.Popen[bytes]) -> tuple[str, str]:
        """How a process ended, in a line, and all that it said on standard error."""
        try:
            code = process.wait(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.close()
            return "closed its output and went on", ""
        try:
            return self._how_died(code)
        finally:
            self.close()

    def _how_died(self, code: int) -> tuple[str, str]:
        try:
            how = signal.Signals(-code).name if code < 0 else f"exit {code}"
        except ValueError:
            how = f"signal {-code}"
        said = ""
        if self._errors is not None:
            size = os.fstat(self._errors.fileno()).st_size
            said = os.pread(self._errors.fileno(), 20_000, max(size - 20_000, 0)).decode(errors="replace")
        last = _last(said)
        return f"{how}: {last}" if last else how, said


_START = 120.0
"""Seconds for the first line: TVM may be long in loading. As many more, as long as it takes its share of the CPU, but
no more than so many of those."""

_LOADS = 0.5
"""Seconds of the CPU in ``_START`` that tell loading from waiting."""


def _cpu_seconds(pid: int) -> float:
    """The seconds of the CPU that a process took; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:  # a UnicodeDecodeError is one
        return None


def _last(said: str) -> str:
    """The last line that says something."""
    lines = [each.strip() for each in said.splitlines() if each.strip()]
    return lines[-1] if lines else ""
