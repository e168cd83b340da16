"""The tutorial as notebooks: the same text, its programs as cells, and what they print below them.

    python tools/site/notebooks.py OUT [--check]

The outputs are those of the pages, which a test compares with what the programs print. ``--check`` runs every notebook
in a kernel (with ``nbclient``, if it is there) or as one program, and says which ones fail.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "tutorial"
TOOL = ROOT / "tools" / "make_tutorial.py"


def notebook(page: str) -> dict[str, Any]:
    """A page as a notebook (version 4.5 of its format)."""
    cells: list[dict[str, Any]] = []
    last, pattern = 0, runpy.run_path(str(TOOL))["BLOCK"]
    for found in pattern.finditer(page):
        _say(cells, page[last : found.start()])
        code = found[2] if found[1] == "python" else _shell(found[2])
        printed = [{"output_type": "stream", "name": "stdout", "text": _lines(found[3])}] if found[3] else []
        cells.append({"cell_type": "code", "source": _lines(code), "outputs": printed, "execution_count": None})
        last = found.end()
    _say(cells, page[last:])
    for k, cell in enumerate(cells):
        cell |= {"id": f"cell-{k}", "metadata": {}}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "nbformat": 4, "nbformat_minor": 5, "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
    }  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").splitlines(keepends=True)


def _shell(commands: str) -> str:
    """Commands of refrelax as calls, so that a notebook needs nothing on its PATH."""
    lines = ["from refrelax.cli import main", ""]
    for line in commands.splitlines():
        given = shlex.split(line.removeprefix("$ refrelax "))
        lines += [f"if code := main({given}):", '    print(f"(exit code {code})")']
    return "\n".join(lines)


def _say(cells: list[dict[str, Any]], text: str) -> None:
    text = re.sub(r"\]\(([\w-]+)\.md\)", r"](\1.ipynb)", text.strip())
    if text:
        cells.append({"cell_type": "markdown", "source": _lines(text)})


def notebooks() -> dict[str, dict[str, Any]]:
    """Every page of the tutorial, by name."""
    return {path.stem: notebook(path.read_text(encoding="utf-8")) for path in sorted(PAGES.glob("[0-9]*.md"))}


def write(out: Path) -> list[Path]:
    """Write them; their paths."""
    out.mkdir(parents=True, exist_ok=True)
    found = []
    for name, held in notebooks().items():
        found.append(out / f"{name}.ipynb")
        found[-1].write_text(json.dumps(held, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return found


def stale(held: dict[str, Any]) -> str:
    """Run a notebook in a kernel; the first cell that prints something else, or nothing.

    Raises:
        ModuleNotFoundError: nbclient is not installed.
    """
    import nbformat
    from nbclient import NotebookClient

    given = nbformat.reads(json.dumps(held), as_version=4)
    wanted = ["".join(each.get("text", "") for each in cell.get("outputs", ())) for cell in given.cells]
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(given, timeout=300, kernel_name="python3", resources=resources).execute()
    for cell, text in zip(given.cells, wanted, strict=True):
        printed = "".join(each.get("text", "") for each in cell.get("outputs", ()) if each.output_type == "stream")
        if [line.rstrip() for line in printed.splitlines()] != [line.rstrip() for line in text.splitlines()]:
            return f"{cell.source[:200]}\nprints\n{printed[:400]}"
    return ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--check", action="store_true", help="run each in a kernel")
    chosen = parser.parse_args()
    print(f"{len(write(chosen.out))} notebooks in {chosen.out}")
    wrong = {name: said for name, held in notebooks().items() if chosen.check and (said := stale(held))}
    for name, said in wrong.items():
        print(f"stale: {name}: {said}")
    sys.exit(1 if wrong else 0)
