"""No wheel is kept in the repository (five of TVM's once were, 120 MB, and went into the sdist)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_no_wheel_is_kept() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository")
    kept = subprocess.run(["git", "ls-files", "*.whl"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert kept.stdout == ""
