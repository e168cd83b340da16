"""The scripts of ``tools/`` as modules, for the tests of them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools"


def script(name: str) -> ModuleType:
    """A script, with those beside it in reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        return importlib.import_module(name)
