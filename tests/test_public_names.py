"""``rr.NAME`` is the same thing whatever was imported before."""

from __future__ import annotations

import subprocess
import sys

import pytest

ORDERS = [
    "rr.lower",
    "import refrelax.lower",
    "from refrelax.lower import pipeline",
    "import refrelax.lower.pipeline; rr.lower",
]


@pytest.mark.parametrize("first", ORDERS)
def test_a_folder_does_not_hide_the_function_of_its_name(first: str) -> None:
    program = f"import refrelax as rr\n{first}\nassert type(rr.lower).__name__ == 'function', rr.lower"
    subprocess.run([sys.executable, "-c", program], check=True)
