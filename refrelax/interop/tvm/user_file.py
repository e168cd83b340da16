"""``FILE.py:FUNCTION``: a function of somebody's file, called where ``tvm`` can be imported. Imports nothing of
refrelax."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path
from typing import Any


class UserFault(Exception):
    """The file or its function is not there or went wrong; one line, with the place in the file."""


def call(named: str) -> Any:
    """What ``FILE.py:FUNCTION`` gives.

    Raises:
        UserFault: no such file or function, or it raised.
    """
    path, _, name = named.rpartition(":")
    names = load(named)
    try:
        return names[name]()
    except UserFault:
        raise
    except BaseException as error:  # SystemExit too
        raise UserFault(_said(path, error)) from None


def load(named: str) -> dict[str, Any]:
    """The names of the file of ``FILE.py:NAME``, this one among them. The file's folder is on the path while it runs,
    as for any script.

    Raises:
        UserFault: no such file or name, or the file raised.
    """
    path, _, name = named.rpartition(":")
    if not Path(path).is_file():
        raise UserFault(f"{path}: no such file")
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        names = runpy.run_path(path)
    except BaseException as error:
        raise UserFault(_said(path, error)) from None
    if names.get(name) is None:
        raise UserFault(f"{path}: there is no function {name!r}")
    return names


def _said(path: str, error: BaseException) -> str:
    """``FILE.py:12: ValueError: …``: the innermost line of the file itself."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    place = f"{path}:{lines[-1]}" if lines else path
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {' '.join(said.split())}"
