"""Make the playground: a folder that a plain web server serves, in which the package runs in a browser.

    python tools/make_playground.py OUT

Python for the browser (Pyodide) comes from npm, at the version below, and is not kept in the repository. The rest is
this checkout and mpmath, as one archive. Z3 has no wheel for it: claims that only Z3 decides are answered ``Unknown``.
"""

from __future__ import annotations

import argparse
import json
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PYODIDE = "314.0.7"
ROOT = Path(__file__).resolve().parents[1]
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
                plain = path.is_file() and "__pycache__" not in path.parts and "tests" not in path.parts
                if plain and path.suffix in (".py", ".md", ".html", ".toml", ".json") and "cases" not in path.parts:
                    archive.write(path, f"{inside}/{path.relative_to(folder).as_posix()}")


def examples() -> list[dict[str, str]]:
    """The programs that the page begins with: the tutorial's and the exercises' own."""
    starts = runpy.run_path(str(ROOT / "refrelax" / "exercises" / "starts.py"))
    return [
        {"title": "a wrong fusion", "first": starts["UNFUSED"], "second": starts["FUSED"].replace("(n)", "(n - 1)")},
        {"title": "a loop with poison", "first": starts["POISON"], "seed": "1"},
        {"title": "a schedule", "first": starts["SCHEDULE"], "dims": "n=5"},
        {"title": "a sum", "first": starts["SUM"], "reading": "enclosure"},
        {"title": "a claim", "first": "i * m + j < n * m", "second": "0 <= i < n\n0 <= j < m"},
    ]


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    fetch(out)
    pack(out)
    for path in (ROOT / "tools" / "playground").iterdir():
        shutil.copy(path, out / path.name)
    (out / "examples.js").write_text(f"const EXAMPLES = {json.dumps(examples())};\n", encoding="utf-8")
    size = sum(each.stat().st_size for each in out.iterdir())
    print(f"{out}: {size / 1e6:.1f} MB; serve it, for example: python -m http.server -d {out}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    sys.exit(main(parser.parse_args().out))
