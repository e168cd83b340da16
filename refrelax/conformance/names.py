"""Words that the chapters put in code and that nothing here has: a misspelt name, a rule of grammar gone wrong.

A word in code is the name of something: of a node, an operator, a key, a rule, an option. So it stands somewhere in the
package too, as that name or in a program. The few that are examples of what does not exist, or name what is TVM's,
are listed by chapter.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from refrelax.conformance import spec_text
from refrelax.syntax import dtypes

_WORD = re.compile(r"(?<![0-9A-Za-z_])[A-Za-z_][A-Za-z_0-9]*")
_SPAN = re.compile(r"`([^`]+)`")

LEAST = 3
"""Letters of a word that is looked up: shorter ones are variables."""

NOT_HERE: dict[str, str] = {
    "00-reading-guide.md": "CONTRIBUTING",
    "02-values.md": "intN uintN",
    "03-syntax.md": "name_k Tree",
    "03b-loops-syntax.md": "NAME_elem_offset ax_0 ax_1 i_1",
    "03c-printing-and-json.md": "xhh uhhhh x_handle",
    "03d-abstract-syntax.md": "intN uintN AACA f800000"
    " int0 uint7 int65 uint065 bool8 float32x0 float32x04 float32xvscale4 float32x4x4 Float32",
    "06c-pointwise.md": "ENTRY_transform_params",
    "07-evaluation.md": "shifts_right _f16 _f64 _xor",
    "08-effects-and-storage.md": "_window_override_with_sinks _array_clear _with_sinks",
}
"""Words by chapter that nothing here has, and may stand there: patterns of names (``name_k``), the ends of names that a
sentence puts together (``_xor``), and spellings that are shown because they are none (``int65``)."""

OF_OTHERS = frozenset({"deviations.md", "errata-14148.md", "rules.md"})
"""Pages about what stands elsewhere: in TVM, in its draft, in this repository."""


@dataclass(frozen=True, slots=True)
class Nameless:
    """A word in code that nothing here has."""

    word: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@cache
def known() -> frozenset[str]:
    """Every word of the package, but for those of this file."""
    root = Path(__file__).resolve().parents[1]
    files = [
        each for end in ("py", "toml", "json") for each in root.rglob(f"*.{end}") if each != Path(__file__).resolve()
    ]
    return frozenset(
        word for file in files for word in _WORD.findall(file.read_text(encoding="utf-8", errors="replace"))
    )


def unknown(directory: Path | None = None) -> Iterator[Nameless]:
    """The words in code that nothing here has, in reading order."""
    root = directory or spec_text.spec_directory()
    for path in sorted(root.glob("*.md")):
        if path.name not in OF_OTHERS:
            yield from _unknown(path, set(NOT_HERE.get(path.name, "").split()))


def _unknown(path: Path, permitted: set[str]) -> Iterator[Nameless]:
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        for span in () if fenced else _SPAN.findall(line):
            for word in _WORD.findall(span):
                if len(word) >= LEAST and word not in permitted and word not in known() and not dtypes.is_dtype(word):
                    yield Nameless(word, f"spec/{path.name}", number)


__all__ = ["Nameless", "unknown"]
