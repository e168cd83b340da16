"""``conformance``: the suite for others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from refrelax import conformance as suite
from refrelax.commands.shared import add_json, emit, plain, progress
from refrelax.version import SPEC_EDITION, __version__


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="export|run", required=True)
    export = what.add_parser("export", help="write every case as JSON, with a manifest")
    export.add_argument("directory", metavar="DIR")
    run_ = what.add_parser("run", help="run the suite on an implementation")
    run_.add_argument("--impl", required=True, help="reference | numpy | tvm | module:factory")
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
    from refrelax.conformance.implementations import runner

    implementation = None if options.impl == "reference" else runner(options.impl)
    cases = [case for case in suite.load() if case.name.startswith(options.only)]
    if implementation is not None:
        cases = [case for case in cases if case.portable]
    failed = 0
    with progress(len(cases), "conformance") as step:
        for case in cases:
            step(case.name)
            result = suite.run_case(case, implementation)
            failed += not result.passed
            if options.json:
                emit({"case": case.name, "passed": result.passed, "found": result.found, "reason": result.reason})
            elif not result.passed:
                print(f"FAILED {case.name} ({case.place}): {result.reason}")
    if not options.json:
        print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0
