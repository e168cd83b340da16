"""``FILE.py:FUNCTION``: a live ``tvm.IRModule`` in place of a text. The function is called where TVM is; nothing of the
file runs in our process."""

from __future__ import annotations

import re
from pathlib import Path

from refrelax import api
from refrelax.errors import UsageError
from refrelax.interop.tvm.passes import array
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.implementation import ImplementationFailed
from refrelax.syntax.module import Module

_WORKER = Path(__file__).with_name("live_worker.py")
_NAMED = re.compile(r".+\.py:[A-Za-z_]\w*")


def is_function(path: str) -> bool:
    """Whether ``path`` names a function of a file, and no file of that very name."""
    return _NAMED.fullmatch(path) is not None and not Path(path).exists()


def read(named: str, python: str | None = None, timeout: float = 600.0) -> Module:
    """The module that ``FILE.py:FUNCTION`` gives, constants included.

    The function takes nothing and gives a ``tvm.IRModule``, one function of it, or a pair of a module and its
    parameters: ``{name: array}`` for ``main``, or ``{function: [arrays]}`` for the last parameters of each function.
    ``timeout``: seconds for all of it.

    Raises:
        ImplementationFailed: there is no TVM, or it is broken; it died or gave no answer in time.
        UsageError: no such file or function, it raised (with the place in the file), or it gave no module.
        Malformed: its script is outside of the language.
    """
    with TvmProcess(python, timeout, _WORKER) as process:
        try:
            answer = process.ask({"make": named})
        except ImplementationFailed as failed:
            raise ImplementationFailed(failed.kind, f"{named}: {failed.message}", failed.detail) from None
    match answer:
        case {"text": str(text), "constants": dict(constants)}:
            module = api.parse(text, filename=named)
            return api.bind_constants(module, {int(k): array(v) for k, v in constants.items()})
        case {"wrong": str(message)}:
            raise UsageError(message)
    raise ImplementationFailed("absent", f"{named}: what was asked for TVM's module answered something else")
