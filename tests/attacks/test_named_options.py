"""A target or pipeline that does not exist is the user's slip: no finding about TVM, no fault of refrelax."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.interop.tvm import find_python

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]


@pytest.mark.parametrize("option", ["--target", "--pipeline"])
def test_fuzz_blames_nobody(option: str, tmp_path: Path) -> None:
    assert main(["fuzz", "--impl", "tvm", "--count", "1", option, "nosuch", "--out", str(tmp_path / "kept")]) == 2
    assert not (tmp_path / "kept").exists()
