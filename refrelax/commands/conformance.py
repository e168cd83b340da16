"""``conformance``: the suite for others."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from refrelax import conformance as suite
from refrelax.conformance.cases import Case
from refrelax.conformance.implementations import find
from refrelax.conformance.judged import WORDS, Judged
from refrelax.commands.shared import add_json, emit, plain, progress
from refrelax.version import SPEC_EDITION, __version__


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="export|run", required=True)
    export = what.add_parser("export", help="write every case as JSON, with a manifest")
    export.add_argument("directory", metavar="DIR")
    run_ = what.add_parser("run", help="run the suite on an implementation")
    run_.add_argument("--impl", required=True, help="reference | numpy | cuda-emulated | cupy | tvm | module:factory")
    run_.add_argument("--all", action="store_true", help="also list what was excluded, undecided or not supported")
    run_.add_argument("--only", metavar="AREA", default="", help="only cases whose name begins so")
    add_json(run_)


def run(options: argparse.Namespace) -> int:
    """0 if all went well."""
    return _export(Path(options.directory)) if options.what == "export" else _run(options)


def _export(directory: Path) -> int:
    cases = [case for case in suite.load() if case.portable]
    for case in cases:
        target = directory / f"{case.name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        row = {
            "name": case.name, "rule": case.rule, "verdict": case.verdict, "module": case.module, "entry": case.entry,
            "args": case.args, "expect": str(case.expect), "value": case.value,
        }  # fmt: skip
        target.write_text(json.dumps(plain(row), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    manifest = {"edition": SPEC_EDITION, "version": __version__, "cases": [case.name for case in cases]}
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases in {directory}")
    return 0


def _run(options: argparse.Namespace) -> int:
    """0 if no case failed; what is not a pass is counted by kind."""
    cases = [case for case in suite.load() if case.name.startswith(options.only)]
    if options.impl == "reference":
        rows: Iterator[Judged] = map(_by_definition, cases)
    else:
        cases = [case for case in cases if case.portable]
        rows = suite.judge_cases(cases, find(options.impl))
    counts: Counter[str] = Counter()
    with progress(len(cases), "conformance") as step:
        for row in rows:
            step(row.case.name)
            counts[row.word] += 1
            if options.json:
                emit({"case": row.case.name, "passed": row.word == "passed", "verdict": row.word, "why": row.why})
            elif row.word == "failed" or (options.all and row.word != "passed"):
                print(f"{row.word.upper()} {row.case.name} ({row.case.place}): {row.why}")
    if not options.json:
        print(", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word] or word in ("passed", "failed")))
    return 1 if counts["failed"] else 0


def _by_definition(case: Case) -> Judged:
    result = suite.run_case(case)
    return Judged(case, "passed" if result.passed else "failed", result.reason)
