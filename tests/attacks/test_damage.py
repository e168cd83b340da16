"""A case is not to blame for what an earlier one did to the implementation's process."""

from __future__ import annotations

from pathlib import Path

import pytest

from refrelax import conformance as suite
from refrelax.conformance.workers import Worker

DIES = """
import os
import refrelax as rr
from refrelax.conformance.library import LIBRARY

class Implementation:
    name, calls = "dies", 0

    def run(self, module, entry, args):
        self.calls += 1
        if self.calls >= {first}:
            os._exit(3)
        return rr.run(rr.check(module), entry, *args, externs=LIBRARY)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("first", "words"), [(3, ["passed"] * 3), (1, ["failed"] * 3)])
def test_a_crash_is_confirmed_in_a_fresh_process(
    first: int, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"dies_at_{first}.py").write_text(DIES.format(first=first))
    monkeypatch.syspath_prepend(tmp_path)
    cases = [each for each in suite.load() if each.portable and each.name.startswith("ops-binary/")]
    runs = [each for each in cases if each.entry is not None and each.expect.kind == "Returned"][:3]
    worker = Worker(f"dies_at_{first}:Implementation", 60.0)
    try:
        assert [each.word for each in worker.judge(runs)] == words
    finally:
        worker.close()
