"""``conformance``: the suite for others."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from refrelax import conformance as suite
from refrelax.commands.shared import add_json, emit, plain, progress
from refrelax.conformance.cases import Case
from refrelax.conformance.implementations import find
from refrelax.conformance.judged import FAULTS, WORDS, Judged
from refrelax.conformance.known import known_as, load_known
from refrelax.shape_solver import z3_
from refrelax.version import SPEC_EDITION, __version__


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="export|run", required=True)
    export = what.add_parser("export", help="write every case as JSON, with a manifest")
    export.add_argument("directory", metavar="DIR")
    run_ = what.add_parser("run", help="run the suite on an implementation")
    run_.add_argument("--impl", required=True, help="reference | numpy | cuda-emulated | cupy | tvm | module:factory")
    run_.add_argument("--all", action="store_true", help="also list what was excluded, undecided or not supported")
    run_.add_argument("--only", metavar="AREA", default="", help="only cases whose name begins so")
    run_.add_argument("--known", metavar="FILE", help="a TOML list of known deviations (for tvm there is one)")
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
    """0 if no case failed or was refused but as is known; what is not a pass is counted by kind."""
    cases = [case for case in suite.load() if case.name.startswith(options.only)]
    listed = options.known
    if options.impl == "reference":
        rows: Iterator[Judged] = map(_by_definition, cases)
    else:
        cases = [case for case in cases if case.portable]
        implementation = find(options.impl)
        listed = listed or getattr(implementation, "known", None)
        rows = suite.judge_cases(cases, implementation)
    known = load_known(Path(listed)) if listed else {}
    counts: Counter[str] = Counter()
    with progress(len(cases), "conformance") as step:
        for row in rows:
            step(row.case.name)
            _tell(row, known_as(row, known), options, counts)
    if not options.json:
        said = [f"{counts[word]} {word}" for word in WORDS if counts[word] or word in ("passed", "failed")]
        more = f"; {counts['known']} known, {counts['unexpected']} unexpected" if known else ""
        print(", ".join(said) + more)
    return 1 if counts["unexpected"] else 0


def _tell(row: Judged, deviation: str | None, options: argparse.Namespace, counts: Counter[str]) -> None:
    """One row: counted, and shown if it is unexpected or asked for."""
    unexpected = row.word in FAULTS and deviation is None
    counts.update([row.word, *["unexpected"] * unexpected, *["known"] * (deviation is not None)])
    if options.json:
        found = {"case": row.case.name, "passed": row.word == "passed", "verdict": row.word, "why": row.why}
        emit({**found, "known": deviation})
    elif unexpected or (options.all and row.word != "passed"):
        note = f" [known: {deviation}]" if deviation else ""
        print(f"{row.word.upper()} {row.case.name} ({row.case.place}): {row.why}{note}")


def _by_definition(case: Case) -> Judged:
    result = suite.run_case(case)
    if not result.passed and result.found == "Unknown" and not z3_.AVAILABLE:
        return Judged(case, "unsupported", "needs z3: pip install 'refrelax[solver]'")
    return Judged(case, "passed" if result.passed else "failed", result.reason)
