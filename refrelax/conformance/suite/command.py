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

from refrelax.conformance.patience import IN_A_ROW, Patience
from refrelax.conformance.process import ended_by
from refrelax.conformance.suite.judge import Answer
from refrelax.conformance.suite.protocol import Hello, answer_of, request
from refrelax.conformance.suite.protocol import hello as greeting
from refrelax.conformance.suite.records import Record
from refrelax.errors import UsageError

ENDING = 5.0
"""Seconds that a process that closed its output may take to end."""

START = 60.0
"""Seconds that a command may take to say hello."""

LOOK = 0.5
"""Seconds of silence after which is looked whether the process is still there."""

LEFT = {"end": "crash", "why": f"its process ended with {ended_by(0)}"}
"""What is said of a process that leaves without a fault."""

LONGEST = 1 << 28
"""Bytes of one answer."""


class Command:
    """One process of an implementation. ``deadline``: seconds for one answer."""

    def __init__(self, command: str, deadline: float) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--impl: expected a command as a shell reads it, found {command!r}: {error}") from None
        if not self.words:
            raise UsageError("--impl: expected a command, found nothing")
        self.deadline = deadline
        self.hello: Hello | None = None
        """What it says of itself, once it did."""
        self._patience = Patience()
        self._silent = 0
        """Starts in a row without a hello."""
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = bytearray()

    def start(self) -> Hello:
        """Start the process, if none is running, and hear what it says of itself.

        Raises:
            UsageError: it cannot be started, or says no hello.
        """
        if self._process is not None and self.hello is not None:
            return self.hello
        if self._silent == IN_A_ROW:
            raise UsageError(f"not started again: {IN_A_ROW} starts in a row gave no hello")
        self._silent += 1
        try:
            self._process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise UsageError(f"--impl: {self.words[0]} cannot be started: {error.strerror}") from None
        self._rest = bytearray()
        answer = self._exchange(greeting(), START)
        if answer.get("end") in ("crash", "hang"):
            hint = " (is its input or its output buffered?)" if answer["end"] == "hang" else ""
            raise UsageError(f"--impl: no answer to hello: {answer['end']}: {answer['why']}{hint}")
        try:
            self.hello = Hello.of(answer)
        except UsageError:
            self.close()
            raise
        self._silent = 0
        return self.hello

    def ask(self, number: int, record: Record) -> Answer:
        """What it answers to one case; what it does not have is not asked.

        Raises:
            UsageError: it never said hello. One that did, and does not when it is started again, has crashed.
        """
        if (why := self._patience.refusal(record["name"])) is not None:
            return {"end": "unsupported", "why": why}
        fresh = self._process is None
        try:
            hello = self.start()
        except UsageError as error:
            if self.hello is None:
                raise
            return _not_started(error)
        if record["profile"] not in hello.profiles:
            return {"end": "unsupported", "why": f"the profile {record['profile']}"}
        asked = request(number, record, hello.takes)
        if asked is None:
            return {"end": "unsupported", "why": f"the case has no {hello.takes}"}
        try:
            if self._has_said_more():
                self.close()
                self.start()
                fresh = True
            began = time.perf_counter()
            answer = self._exchange(asked, self.deadline)
            if answer == LEFT and not fresh:  # it may have left before it was asked: a new one is
                self.start()
                answer = self._exchange(asked, self.deadline)
        except UsageError as error:
            return _not_started(error)
        self._patience.heard(record["name"], answer["end"] == "hang" if "end" in answer else False)
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
        except UsageError as error:
            self.close()
            return {"end": "crash", "why": str(error)}
        except (OSError, EOFError):
            return {"end": "crash", "why": self._ended()}
        try:
            answer = answer_of(found)
        except UsageError as error:
            self.close()
            return {"end": "crash", "why": str(error)}
        if type(answer.get("id")) is not int or answer["id"] != asked["id"]:
            self.close()
            shown = f"{found[:60]!r}".removeprefix("b")
            return {"end": "crash", "why": f"expected an answer to the request {asked['id']}, found {shown}"}
        if self._rest:
            shown = f"{bytes(self._rest[:60])!r}".removeprefix("b")
            self.close()
            return {"end": "crash", "why": f"expected one line for one request, found more: {shown}"}
        return answer

    def _has_said_more(self) -> bool:
        """Whether the process said something that it was not asked: what comes next is no answer to what is asked
        next."""
        process = self._process
        assert process is not None and process.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout.fileno(), selectors.EVENT_READ)
            return bool(ready.select(0))

    def _talk(self, process: subprocess.Popen[bytes], line: bytes, until: float) -> bytes:
        """Write the request and read one line, neither waiting for the other for ever.

        Raises:
            TimeoutError: there is none in time.
            EOFError: there will be none: the output is closed, or the process died and a child of its holds it open.
            UsageError: it is too long.
        """
        assert process.stdin is not None and process.stdout is not None
        read, write = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(write, False)
        with selectors.DefaultSelector() as ready:
            ready.register(read, selectors.EVENT_READ)
            ready.register(write, selectors.EVENT_WRITE)
            is_whole = b"\n" in self._rest
            while line or not is_whole:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                seen = ready.select(min(left, LOOK))
                if not seen and process.poll():
                    raise EOFError
                for key, _ in seen:
                    if key.fd == write:
                        line = line[os.write(write, line[: 1 << 16]) :]
                        if not line:
                            ready.unregister(write)
                    else:
                        piece = os.read(read, 1 << 16)
                        if not piece:
                            raise EOFError
                        self._rest += piece
                        is_whole = is_whole or b"\n" in piece
                        if len(self._rest) > LONGEST:
                            raise UsageError(f"expected an answer of at most {LONGEST} bytes")
        found, _, self._rest = self._rest.partition(b"\n")
        return bytes(found)

    def _ended(self) -> str:
        process = self._process
        assert process is not None
        try:
            code = process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self.close()
            return "its process closed its standard input or output"
        self.close()
        return f"its process ended with {ended_by(code)}"

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


def _not_started(error: UsageError) -> Answer:
    """What is said of a case where the process that is started for it says no hello."""
    return {"end": "crash", "why": str(error).removeprefix("--impl: ")}


def ask_all(
    command: str, records: Iterable[Record], deadline: float, jobs: int = 1, first: Command | None = None
) -> Iterator[Answer]:
    """The answers to all records, in their order, from ``jobs`` processes; ``first``: one that said hello already.

    Raises:
        UsageError: the command cannot be started or says no hello.
    """
    listed = list(records)
    workers = [first or Command(command, deadline), *(Command(command, deadline) for _ in range(jobs - 1))]
    try:
        hello = workers[0].start()
        for each in workers[1:]:
            each.hello = hello
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
    for number, record in numbered:
        answer = worker.ask(number, record)
        yield {"case": record["name"], **{k: v for k, v in answer.items() if k not in ("id", "case")}}
