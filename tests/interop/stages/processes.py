"""The other process: a Python that has TVM, asked for every stage of a pipeline."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")


class Stages:
    """Asks for stages; starts the process again after it died."""

    def __init__(self, python: str) -> None:
        self.python = python
        self._process: subprocess.Popen[bytes] | None = None

    def of(self, text: str, constants: Mapping[int, Any], pipeline: str) -> dict[str, Any]:
        """``{"stages": [[pass, text, constants], …], "refused": …}``."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [self.python, "-W", "ignore", str(WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        request = {"text": text, "constants": constants, "pipeline": pipeline}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the process ended with {self._process.wait()}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
