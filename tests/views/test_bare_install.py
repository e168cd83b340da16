"""Everything that is shown is shown without any extra: as in a browser, or after a plain ``pip install``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from refrelax.exercises import starts
from refrelax.extras import EXTRAS
from refrelax.play import ACTIONS

SCRIPT = """
import json, sys
for name in ("{absent}").split():
    sys.modules[name] = None
from refrelax.play import answer
for request in json.load(sys.stdin):
    print(json.dumps(sorted(answer(request))))
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, list[str]]:
    common = {
        "program": starts.UNFUSED,
        "second": starts.FUSED,
        "claim": "n // 2 <= n",
        "assume": "n >= 0",
        "rule": "ev/if",
    }
    requests = [common | {"action": action} for action in ACTIONS]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(absent=" ".join(EXTRAS))],
        input=json.dumps(requests), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {action: json.loads(line) for action, line in zip(ACTIONS, done.stdout.splitlines(), strict=True)}


@pytest.mark.thorough
def test_the_playground_answers_without_any_extra(answers: dict[str, list[str]]) -> None:
    assert all("text" in keys and "marks" not in keys for keys in answers.values())
    assert {action for action, keys in answers.items() if "page" in keys} >= {"trace", "lower", "validate"}
