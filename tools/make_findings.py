"""Write ``docs/findings/``: a table of what campaigns found in TVM, a page a cause, the list for ``fuzz --known``.

``python tools/make_findings.py CAMPAIGN.jsonl…`` takes findings that are new from what ``refrelax fuzz --json``
printed; without arguments it writes the pages again from ``findings.jsonl`` and ``verdicts.toml``, which says whose
fault a cause is and by what. A test holds the pages to them.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.judge.campaign.causes import Cause  # noqa: E402

FOLDER = ROOT / "docs" / "findings"
KNOWN = ROOT / "refrelax" / "interop" / "tvm" / "known_causes.toml"

KEPT = ("cause", "signs", "kind", "message", "program", "expected", "blame", "versions", "seed", "task", "script")

HEAD = """# What campaigns found in TVM 0.27.0.post1

Each row is a cause: one place in TVM's sources that refuses programs that TVM's own reader and type deduction accept,
one check or pass that fails, one operator whose value is wrong for a class of dtypes, or (`import: …`) one call of
PyTorch or node of ONNX that an importer makes something else of. A page has the smallest program that was found, as a
script that needs TVM and NumPy (or the front end) alone. Whose fault it is, is said by the order of authority: TVM's
own type and documentation, then what NumPy or PyTorch give, then the specification; *the specification alone* means
that nobody else was found to ask. *Given by hand* are programs that somebody wrote for what a campaign had met
elsewhere, or `spec/deviations.md` says; they were judged, confirmed and blamed like all others
(`tools/given_finding.py`).

`refrelax fuzz --impl tvm --known refrelax/interop/tvm/known_causes.toml` looks for others.
`benchmarks/results/recall.md` counts how many misbehaviours are found that were known before.
Made by `tools/make_findings.py`.
"""


def take(paths: list[str]) -> None:
    """Add findings whose cause no earlier one covers."""
    rows = read()
    have = [Cause.of_row(row["signs"]) for row in rows]
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            row = json.loads(line)
            if "cause" not in row or row["verdict"] != "FOUND":
                continue
            cause = Cause.of_row(row["signs"])
            if not any(each.covers(cause) for each in have):
                have.append(cause)
                rows.append({name: row[name] for name in KEPT})
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (FOLDER / "findings.jsonl").write_text(text, "utf-8")


def read() -> list[dict[str, Any]]:
    """The findings that are kept."""
    path = FOLDER / "findings.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def verdicts() -> list[dict[str, Any]]:
    """Whose fault, by patterns of causes: the first that fits counts."""
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / "verdicts.toml").read_text("utf-8"))["verdict"]
    return found


def same() -> list[dict[str, Any]]:
    """Causes that are one defect with a finding (``as``), though they are told apart where nobody has looked."""
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / "verdicts.toml").read_text("utf-8")).get("same", [])
    return found


def rejected() -> list[dict[str, Any]]:
    """What was looked at and is no finding."""
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / "verdicts.toml").read_text("utf-8")).get("rejected", [])
    return found


def judged(row: dict[str, Any], said: list[dict[str, Any]]) -> dict[str, Any]:
    """The verdict on a finding."""
    return next(each for each in said if any(fnmatchcase(row["cause"], pattern) for pattern in each["causes"]))


def name_of(number: int, row: dict[str, Any]) -> str:
    return f"{number:03}-{re.sub(r'[^a-z0-9]+', '-', row['cause'].lower()).strip('-')[:60].strip('-')}.md"


def page(row: dict[str, Any], verdict: dict[str, Any]) -> str:
    """One cause."""
    blame = row["blame"]
    stage = f"{blame['stage']} {blame.get('pass', '')}".strip() if blame.get("stage") else "not found"
    place = f", at `{blame['place']}`" if blame.get("place") else ""
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    lines = [
        f"# `{row['cause']}`",
        "",
        f"{row['message']}",
        "",
        f"- **Blamed**: {stage}{place}",
        f"- **Whose fault**: {verdict['fault']}, by {verdict['by']}. {verdict['says']}",
        f"- **Versions**: {versions}; {_how_found(row)}",
        *(f"- **The same defect**: {each['says']}" for each in same() if each["as"] == row["cause"]),
        "",
        "```python",
        row["script"].rstrip(),
        "```",
        "",
    ]
    return "\n".join(lines)


def _how_found(row: dict[str, Any]) -> str:
    """By which task of which campaign, or that the program was written by hand."""
    return "given by hand" if row["task"].startswith("given/") else f"seed {row['seed']}, {row['task']}"


def pages() -> dict[Path, str]:
    """Every file that is written."""
    said = verdicts()
    made: dict[Path, str] = {}
    table = ["| cause | kind | blamed | whose fault | by |", "|---|---|---|---|---|"]
    rows = [(row, judged(row, said)) for row in read()]
    for number, (row, verdict) in enumerate(rows, 1):
        name = name_of(number, row)
        made[FOLDER / name] = page(row, verdict)
        blame = row["blame"].get("pass") or row["blame"].get("stage") or ""
        cause = row["cause"].replace("|", "\\|")
        table.append(f"| [`{cause}`]({name}) | {row['kind']} | {blame} | {verdict['fault']} | {verdict['by']} |")
    faults = Counter(verdict["fault"] for _, verdict in rows)
    kinds = Counter(row["cause"].partition(":")[0] for row, _ in rows)
    count = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    whose = ", ".join(f"{n} {fault}" for fault, n in faults.most_common())
    made[FOLDER / "README.md"] = (
        f"{HEAD}\n{len(rows)} causes: {count}. Whose fault: {whose}.\n\n" + "\n".join(table) + "\n" + _left_out()
    )
    made[KNOWN] = known([row for row, _ in rows])
    return made


def _left_out() -> str:
    """What differs, and is nobody's defect, or not TVM's alone."""
    rows = [f"| `{each['cause'].replace('|', chr(92) + '|')}` | {each['why']} |" for each in rejected()]
    return "\n".join(
        ["\n## Looked at, and no finding\n", "| what differs | why it is not counted |", "|---|---|", *rows, ""]
    )


def known(rows: list[dict[str, Any]]) -> str:
    """The list for ``fuzz --known``."""
    head = (
        "# Causes that docs/findings/ has: `refrelax fuzz --impl tvm --known FILE`. Made by tools/make_findings.py.\n"
    )
    parts = []
    for number, row in enumerate(rows, 1):
        others = [cause for each in same() if each["as"] == row["cause"] for cause in each["causes"]]
        causes = json.dumps(["".join(f"[{c}]" if c in "*?[" else c for c in row["cause"]), *others])
        parts.append(f'\n[[known]]\nid = "{name_of(number, row).removesuffix(".md")}"\ncauses = {causes}\n')
    return head + "".join(parts)


def main() -> None:
    if sys.argv[1:]:
        take(sys.argv[1:])
    made = pages()
    for old in FOLDER.glob("[0-9]*.md"):
        if old not in made:
            old.unlink()
    for path, text in made.items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
