"""What was written down of many programs, and a text in six letters, to see whether it is the same."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path


def digest(text: str) -> str:
    """Of a text without comments of C or Python, and without what spaces it has."""
    bare = re.sub(r"(//|#)[^\n]*", "", text)
    return sha256(" ".join(bare.split()).encode()).hexdigest()[:6]


@cache
def written_down(file: Path) -> dict[str, str]:
    """The lines of a file that ``tools/make_decisions.py`` writes, by what stands before their first colon."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {label: rest for label, _, rest in (each.partition(": ") for each in lines)}
