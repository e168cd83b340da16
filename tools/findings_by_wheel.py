"""The causes of ``docs/findings/``, asked again of several wheels of TVM: what each says, and since when.

``python tools/findings_by_wheel.py PYTHON… [--every N] [--only TEXT] > docs/findings/wheels.md``, the newest wheel
first. Asked are the findings that are a program on arguments: not those of front ends, nor those of single passes. The
arguments are read from a finding's script. Beside them the programs of ``docs/findings/mended/``, which TVM's own
history says an older wheel gets wrong; their arguments are written as ``tools/given_finding.py`` reads them.
Exits 1 where the first wheel does not diverge on a finding, which is then to be made anew, or does on what is mended.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from given_finding import argument, headers  # noqa: E402

from refrelax.conformance.alone import find_to_fuzz  # noqa: E402
from refrelax.judge.campaign.look import Call, verdicts  # noqa: E402
from refrelax.judge.verdicts import Divergence, NoVerdict, Verdict  # noqa: E402
from refrelax.judge.wheels import Told, history  # noqa: E402
from refrelax.running.arrays import Tensor  # noqa: E402
from refrelax.semantics.types.check import check  # noqa: E402
from refrelax.semantics.values import Shape  # noqa: E402
from refrelax.syntax.read import parse  # noqa: E402

MENDED = ROOT / "docs" / "findings" / "mended"

PACK = 8
"""Programs a request."""

AGAIN = 3
"""How often a program that agrees is asked again, alone."""

ARGS = re.compile(r"\nargs = (\[.*?\n?\])\n", re.DOTALL)


def arguments(script: str) -> list[Any] | None:
    """The arguments of a finding's script."""
    found = ARGS.search(script)
    if found is None:
        return None
    runtime = SimpleNamespace(tensor=Tensor.of, ShapeTuple=lambda dims: Shape(tuple(dims)))
    known = {"np": np, "ml_dtypes": ml_dtypes, "tvm": SimpleNamespace(runtime=runtime)}
    return list(eval(found[1], known))  # noqa: S307 (a script that this project wrote)


def told(version: str, verdict: Verdict) -> Told:
    said = verdict.message if isinstance(verdict, Divergence) else verdict.why
    word = "unread" if isinstance(verdict, NoVerdict) and verdict.reason == "unread" else verdict.word
    return Told(version, word, said)


def _again(implementation: Any, call: Call, verdict: Verdict) -> Verdict:
    """The verdict, or a divergence in a fresh process: what was never written holds the right value by luck."""
    for _ in range(AGAIN if verdict.word == "AGREE" else 0):
        implementation.close()
        asked = verdicts([call], implementation, False)[0][0]
        if isinstance(asked, Divergence):
            return asked
    return verdict


def mended() -> dict[str, Call]:
    """The programs that newer wheels get right, by name."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(MENDED.glob("*.py"))}
    return {name: (check(parse(text)), [list(map(argument, headers(text, "arg")))]) for name, text in texts.items()}


def table(names: list[str], found: list[list[Told]], versions: list[str], of: str) -> None:
    for k, version in enumerate(versions):
        words = Counter(row[k].word for row in found)
        print(f"- {version}: " + ", ".join(f"{n} {word}" for word, n in words.most_common()))
    print(f"\n| {of} | {' | '.join(versions)} | since when |\n|---|{'---|' * len(versions)}---|")
    for name, said in zip(names, found, strict=True):
        print(f"| {name} | {' | '.join(each.word for each in said)} | {history(said)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", nargs="+", help="the Python of an environment with TVM")
    parser.add_argument("--every", type=int, default=1, help="one finding of so many")
    parser.add_argument("--only", default="", help="causes with this in their names")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (ROOT / "docs/findings/findings.jsonl").read_text("utf-8").splitlines()]
    rows = [r for r in rows if not r["kind"].startswith("import")]
    asked = [(r, args) for r in rows if (args := arguments(r["script"])) is not None]
    asked = [each for each in asked if options.only in each[0]["cause"]][:: options.every]
    right = {name: call for name, call in mended().items() if options.only in name}
    calls = [*((check(parse(r["program"])), [args]) for r, args in asked), *right.values()]
    found: list[list[Told]] = [[] for _ in calls]
    versions: list[str] = []
    for each in options.wheels:
        implementation = find_to_fuzz(f"tvm@{each}")
        version = implementation.versions()["tvm"]
        versions.append(version)
        for k in range(0, len(calls), PACK):
            for j, row in enumerate(verdicts(calls[k : k + PACK], implementation, False)):
                found[k + j].append(told(version, _again(implementation, calls[k + j], row[0])))
            print(version, min(k + PACK, len(calls)), "of", len(calls), file=sys.stderr)
        implementation.close()
    wrong, gone = found[: len(asked)], found[len(asked) :]
    print("# The causes, by wheel\n")
    print(f"Made by `tools/findings_by_wheel.py`: {len(asked)} causes that are a program on arguments, asked again.")
    print("*unread*: the wheel does not read the program.\n")
    escaped = [r["cause"].replace("|", "\\|") for r, _ in asked]
    table([f"`{cause}`" for cause in escaped], wrong, versions, "cause")
    print("\n## What newer wheels mended\n")
    print(f"{len(right)} programs that an older wheel gets wrong, taken from what TVM's history mends.\n")
    table([f"[{name.replace('_', ' ')}](mended/{name}.py)" for name in right], gone, versions, "program")
    stale = [(r["cause"], said[0]) for (r, _), said in zip(asked, wrong, strict=True) if said[0].word != "DIVERGE"]
    stale += [(name, said[0]) for name, said in zip(right, gone, strict=True) if said[0].word != "AGREE"]
    for name, first in stale:
        print(f"{name}: {first}", file=sys.stderr)
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
