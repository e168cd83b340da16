"""Run the tutorial and write what its programs print into its pages.

    python tools/make_tutorial.py [--check]

A page is one session: its blocks of ``python`` and ``console`` run in order, in a folder of their own; a block of
``text`` after one holds what it printed. ``--check`` writes nothing and says which pages are stale (exit code 1); a
test does the same.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1] / "docs" / "tutorial"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def page_run(text: str) -> str:
    """A page with what its programs print."""
    space: dict[str, Any] = {"__name__": "tutorial"}

    def filled(found: re.Match[str]) -> str:
        kind, code = found[1], found[2]
        said = printed(kind, code, space)
        shown = f"\n```text\n{said}```\n" if said else ""
        return f"```{kind}\n{code}```\n{shown}"

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return BLOCK.sub(filled, text)
        finally:
            os.chdir(before)


def printed(kind: str, code: str, space: dict[str, Any]) -> str:
    """What a block prints; of commands what they say on both streams, and how they end if not well."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        if kind == "python":
            exec(compile(code, "tutorial", "exec"), space)  # noqa: S102
        else:
            from refrelax.cli import main

            for line in code.splitlines():
                program, *arguments = shlex.split(line.removeprefix("$ "))
                if program != "refrelax":
                    raise ValueError(f"expected a command of refrelax, found {program}")
                ended = main(arguments)
                if ended:
                    print(f"(exit code {ended})")
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join(lines) + "\n" if lines else ""


def main_(check: bool) -> int:
    stale = []
    for path in sorted(HOME.glob("*.md")):
        old = path.read_text(encoding="utf-8")
        new = page_run(old)
        if new != old:
            stale.append(path.name)
            if not check:
                path.write_text(new, encoding="utf-8")
    print(f"stale: {', '.join(stale) or 'none'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main_("--check" in sys.argv[1:]))
