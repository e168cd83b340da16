"""An implementation as a command: asked case by case, ended and started anew when it hangs or dies.

Spec: ``spec/01-conformance.md``, *The protocol*.
"""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from refrelax.conformance.suite.judge import Answer
from refrelax.conformance.suite.protocol import Hello, hello, request
from refrelax.conformance.suite.records import Record
from refrelax.errors import UsageError

START = 60.0
"""Seconds that a command may take to say hello."""

LONGEST = 1 << 28
"""Bytes of one answer."""

DEEPEST = 1_000
"""How deep an answer may be nested: what reads it calls itself."""


def is_deep(answer: Any) -> bool:
    """Whether an answer is nested more than ``DEEPEST`` deep."""
    level = [answer]
    for _ in range(DEEPEST):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for part in parts for each in part if isinstance(each, dict | list)]
        if not level:
            return False
    return True


class Command:
    """One process of an implementation. ``deadline``: seconds for one answer."""

    def __init__(self, command: str, deadline: float) -> None:
        self.words = shlex.split(command)
        if not self.words:
            raise UsageError("--impl: expected a command, found nothing")
        self.deadline = deadline
        self.hello = Hello()
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def start(self) -> Hello:
        """Start the process and hear what it says of itself.

        Raises:
            UsageError: it cannot be started, or says no hello.
        """
        if self._process is not None:
            return self.hello
        try:
            self._process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise UsageError(f"--impl: {self.words[0]} cannot be started: {error.strerror}") from None
        self._rest = b""
        answer = self._exchange(hello(), START)
        if answer.get("end") in ("crash", "hang"):
            raise UsageError(f"--impl: no answer to hello: {answer['end']}: {answer['why']}")
        self.hello = Hello.of(answer)
        return self.hello

    def ask(self, number: int, record: Record) -> Answer:
        """What it answers to one case; what it does not have is not asked."""
        if record["profile"] not in self.start().profiles:
            return {"end": "unsupported", "why": f"the profile {record['profile']}"}
        asked = request(number, record, self.hello.takes)
        if asked is None:
            return {"end": "unsupported", "why": f"the case has no {self.hello.takes}"}
        began = time.perf_counter()
        answer = self._exchange(asked, self.deadline)
        return {**answer, "seconds": round(time.perf_counter() - began, 6)}

    def _exchange(self, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        line = json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        until = time.monotonic() + seconds
        try:
            found = self._talk(process, line, until)
        except TimeoutError:
            self.close()
            return {"end": "hang", "why": f"no answer within {seconds:g} s"}
        except (OSError, EOFError):
            return {"end": "crash", "why": self._ended()}
        try:
            answer = json.loads(found)
        except (ValueError, RecursionError):
            self.close()
            return {"end": "crash", "why": f"expected a JSON object on one line, found {found[:60]!r}"}
        if is_deep(answer):
            self.close()
            return {"end": "crash", "why": f"expected an answer nested at most {DEEPEST} deep"}
        if not isinstance(answer, dict) or answer.get("id") != asked["id"]:
            self.close()
            return {"end": "crash", "why": f"expected an answer to the request {asked['id']}, found {found[:60]!r}"}
        return answer

    def _talk(self, process: subprocess.Popen[bytes], line: bytes, until: float) -> bytes:
        """Write the request and read one line, neither waiting for the other for ever."""
        assert process.stdin is not None and process.stdout is not None
        read, write = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(write, False)
        with selectors.DefaultSelector() as ready:
            ready.register(read, selectors.EVENT_READ)
            ready.register(write, selectors.EVENT_WRITE)
            while b"\n" not in self._rest:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                for key, _ in ready.select(left):
                    if key.fd == write:
                        line = line[os.write(write, line[: 1 << 16]) :]
                        if not line:
                            ready.unregister(write)
                    else:
                        piece = os.read(read, 1 << 16)
                        if not piece or len(self._rest) > LONGEST:
                            raise EOFError
                        self._rest += piece
        found, _, self._rest = self._rest.partition(b"\n")
        return found

    def _ended(self) -> str:
        process = self._process
        assert process is not None
        try:
            code = process.wait(5)
        except subprocess.TimeoutExpired:
            code = 0
        self.close()
        return f"its process ended with {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"

    def close(self) -> None:
        """End the process, and what it started."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


IN_A_ROW = 3
"""Hangs in a row after which the rest of an area is not asked."""


def ask_all(command: str, records: Iterable[Record], deadline: float, jobs: int = 1) -> Iterator[Answer]:
    """The answers to all records, in their order, from ``jobs`` processes.

    Raises:
        UsageError: the command cannot be started or says no hello.
    """
    listed = list(records)
    workers = [Command(command, deadline) for _ in range(max(1, jobs))]
    try:
        workers[0].start()
        if len(workers) == 1:
            yield from _in_turn(workers[0], list(enumerate(listed, 1)))
            return
        shares = [[(k, r) for k, r in enumerate(listed, 1) if k % len(workers) == w] for w in range(len(workers))]
        with ThreadPoolExecutor(len(workers)) as pool:
            streams = list(pool.map(lambda pair: list(_in_turn(*pair)), zip(workers, shares, strict=True)))
        waiting = [iter(each) for each in streams]
        for k in range(1, len(listed) + 1):
            yield next(waiting[k % len(workers)])
    finally:
        for each in workers:
            each.close()


def _in_turn(worker: Command, numbered: list[tuple[int, Record]]) -> Iterator[Answer]:
    hung: dict[str, int] = {}
    for number, record in numbered:
        area = record["name"].partition("/")[0]
        if hung.get(area, 0) == IN_A_ROW:
            why = f"not asked: {IN_A_ROW} cases of {area} in a row hung"
            yield {"case": record["name"], "end": "unsupported", "why": why}
            continue
        answer = worker.ask(number, record)
        hung[area] = hung.get(area, 0) + 1 if answer["end"] == "hang" else 0
        yield {"case": record["name"], **{k: v for k, v in answer.items() if k not in ("id", "case")}}
