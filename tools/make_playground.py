"""Make the playground: a folder that a plain web server serves, in which the package runs in a browser.

    python tools/make_playground.py OUT

Python for the browser (Pyodide) comes from npm, at the version below, and is not kept in the repository. The rest is
this checkout and mpmath, as one archive of byte code, which node makes with that very Python: compiling in the browser
took longer than everything else. Z3 has no wheel for it: claims that only Z3 decides are answered ``Unknown``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from refrelax.exercises import EXERCISES, starts

PYODIDE = "314.0.7"
ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "tools" / "playground"
LEFT_OUT = {"cases", "examples", "commands", "tests", "__pycache__"}
"""Folders that nothing in the browser asks for."""

WANTED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def fetch(out: Path) -> None:
    """Pyodide's files, from npm."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as packed:
            for name in WANTED:
                held = packed.extractfile(f"package/{name}")
                if held is None:
                    raise FileNotFoundError(name)
                (out / name).write_bytes(held.read())


def pack(out: Path) -> None:
    """The package, its spec, and mpmath, as one archive."""
    import mpmath

    folders = (
        (ROOT / "refrelax", "refrelax"),
        (ROOT / "spec", "refrelax/spec"),
        (Path(mpmath.__file__).parent, "mpmath"),
    )
    with zipfile.ZipFile(out / "packages.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, inside in folders:
            for path in sorted(folder.rglob("*")):
                known = path.is_file() and path.suffix in (".py", ".md", ".html", ".toml", ".json")
                if known and not LEFT_OUT & set(path.relative_to(folder).parts):
                    archive.write(path, f"{inside}/{path.relative_to(folder).as_posix()}")


def compiled(out: Path) -> None:
    """The archive as byte code of the Python that will run it."""
    done = subprocess.run(["node", str(HERE / "compile.mjs"), str(out)], capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if len(line) < 500]  # node quotes whole files
        raise RuntimeError("the package does not run in Pyodide:\n" + "\n".join(said))


def examples() -> list[dict[str, str]]:
    """The programs that the page begins with: the tutorial's and the exercises' own."""
    return [
        {"title": "a wrong fusion", "first": starts.UNFUSED, "second": starts.FUSED.replace("(n)", "(n - 1)")},
        {"title": "an index out of range", "first": starts.POISON, "seed": "1"},
        {"title": "a schedule", "first": starts.SCHEDULE, "dims": "n=5"},
        {"title": "a sum", "first": starts.SUM, "reading": "enclosure", "args": "[[1e8, 1, -1e8, 1]]"},
        {"title": "a claim", "first": "i * m + j < n * m", "second": "0 <= i < n\n0 <= j < m"},
    ]


def exercises() -> list[dict[str, object]]:
    """The exercises; ``apart``: the start is a program, and the answer is something else."""
    return [
        {
            "title": each.title, "task": each.task, "start": each.start, "hints": each.hints,
            "apart": "as JSON" in each.task,
        }
        for each in EXERCISES
    ]  # fmt: skip


def main(out: Path, rules: str = "") -> int:
    """Make it; ``rules``: where the pages of rules lie, seen from ``out``, if there are any."""
    out.mkdir(parents=True, exist_ok=True)
    fetch(out)
    pack(out)
    compiled(out)
    for path in HERE.iterdir():
        if path.name != "compile.mjs":
            shutil.copy(path, out / path.name)
    given = {"EXAMPLES": examples(), "EXERCISES": exercises(), "RULES": rules}
    lines = [f"const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in given.items()]
    (out / "examples.js").write_text("".join(lines), encoding="utf-8")
    size = sum(each.stat().st_size for each in out.iterdir())
    print(f"{out}: {size / 1e6:.1f} MB; serve it, for example: python -m http.server -d {out}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rules", default="", help="where the pages of rules lie, seen from OUT")
    chosen = parser.parse_args()
    sys.exit(main(chosen.out, chosen.rules))
