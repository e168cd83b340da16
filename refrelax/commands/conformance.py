"""``conformance``: the suite for others."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from refrelax import conformance as suite
from refrelax.commands.shared import add_json, emit, plain, progress, seconds, without_effect
from refrelax.conformance.cases import Case
from refrelax.conformance.data import of_value
from refrelax.conformance.judged import FAULTS, WORDS, Judged, read
from refrelax.conformance.known import Deviation, known_as, load_known
from refrelax.conformance.run import returned
from refrelax.conformance.workers import Worker
from refrelax.errors import Rejection, UsageError
from refrelax.shape_solver import z3_
from refrelax.syntax.json_ import to_json
from refrelax.testing.limits import limited
from refrelax.version import SPEC_EDITION, __version__


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="export|run", required=True)
    export = what.add_parser("export", help="write every case as JSON, with a manifest")
    export.add_argument("directory", metavar="DIR")
    export.add_argument("--only", metavar="AREA", default="", help="only cases whose name begins so")
    run_ = what.add_parser("run", help="run the suite on an implementation")
    run_.add_argument("--impl", required=True, help="reference | numpy | cuda-emulated | cupy | tvm | module:factory")
    run_.add_argument("--all", action="store_true", help="also list what was excluded, undecided or not supported")
    run_.add_argument("--only", metavar="AREA", default="", help="only cases whose name begins so")
    run_.add_argument("--known", metavar="FILE", help="a TOML list of known deviations (for tvm there is one)")
    run_.add_argument(
        "--deadline", metavar="S", type=seconds, default=60.0, help="seconds for one case, 90, 30s or 2m (default: 60)"
    )
    add_json(run_)


def run(options: argparse.Namespace) -> int:
    """0 if all went well."""
    if options.what == "export":
        return _export(Path(options.directory), _chosen(options.only, portable=True))
    if options.json:
        without_effect(options, ("--all",), "with --json, which lists every case")
    return _run(options)


def _chosen(only: str, portable: bool) -> list[Case]:
    """The cases whose name begins with ``only``.

    Raises:
        UsageError: there is none.
    """
    there = [case for case in suite.load() if case.portable or not portable]
    chosen = [case for case in there if case.name.startswith(only)]
    if not chosen:
        areas = ", ".join(sorted({case.name.partition("/")[0] for case in there}))
        raise UsageError(f"--only: no case is named {only}…; there are {areas}")
    return chosen


def _export(directory: Path, cases: list[Case]) -> int:
    for case in cases:
        target = directory / f"{case.name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        row = {
            "name": case.name, "rule": case.rule, "verdict": case.verdict, "module": case.module, "tree": _tree(case),
            "entry": case.entry,
            "constants": case.constants, "args": case.args, "expect": str(case.expect), "value": case.value,
            **_returned(case),
        }  # fmt: skip
        target.write_text(json.dumps(plain(row), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    manifest = {"edition": SPEC_EDITION, "version": __version__, "cases": [case.name for case in cases]}
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases in {directory}")
    return 0


def _tree(case: Case) -> Any:
    """The module in canonical JSON, for implementations that do not read TVMScript; ``None`` where the text is none."""
    try:
        return json.loads(to_json(read(case)))
    except Rejection:
        return None


def _returned(case: Case) -> dict[str, Any]:
    """What a run gives beside what the case says of it: others have nothing else to compare with."""
    if (ended := returned(case)) is None:
        return {}
    effects = [{"kind": e.kind, "name": e.name, "payload": list(map(of_value, e.payload))} for e in ended.effects]
    value = {} if case.value is not None else {"value": of_value(ended.value)}
    return {**value, "arguments": list(map(of_value, ended.arguments)), "effects": effects}


def _run(options: argparse.Namespace) -> int:
    """0 if no case failed or was refused but as is known; what is not a pass is counted by kind."""
    with _judging(options) as (judge, listed):
        known = load_known(Path(listed)) if listed else {}
        cases = _chosen(options.only, portable=options.impl != "reference")
        return _told(judge(cases), len(cases), known, options)


Judging = Callable[[list[Case]], Iterator[Judged]]


@contextmanager
def _judging(options: argparse.Namespace) -> Iterator[tuple[Judging, Any]]:
    """What judges cases, and the list of known deviations. The definition and TVM, which has a process of its own
    already, are asked here; others in a process that can be ended."""
    if options.impl == "reference":
        yield lambda cases: _in_time(_by_definition, cases, options.deadline), options.known
    elif options.impl == "tvm":
        from refrelax.interop.tvm import TvmImplementation

        tvm = TvmImplementation(timeout=options.deadline)
        yield lambda cases: suite.judge_cases(cases, tvm), options.known or tvm.known
    else:
        worker = Worker(options.impl, options.deadline)
        try:
            yield worker.judge, options.known or worker.known
        finally:
            worker.close()


def _in_time(judge: Callable[[Case], Judged], cases: list[Case], deadline: float) -> Iterator[Judged]:
    for case in cases:
        try:
            with limited(deadline):
                judged = judge(case)
        except TimeoutError as error:
            judged = Judged(case, "failed", f"hang: {error}")
        yield judged


def _told(rows: Iterator[Judged], total: int, known: Mapping[str, Deviation], options: argparse.Namespace) -> int:
    """Every row, and the sum. 0 if nothing unexpected was found, 3 if nothing could be judged."""
    counts, why = Counter[str](), ""
    with progress(total, "conformance") as step:
        for row in rows:
            step(row.case.name)
            why = why or row.why
            _tell(row, known_as(row, known), options, counts)
    if not options.json:
        said = [f"{counts[word]} {word}" for word in WORDS if counts[word] or word in ("passed", "failed")]
        more = f"; {counts['known']} known, {counts['unexpected']} unexpected" if known else ""
        print(", ".join(said) + more)
    if counts["unexpected"]:
        return 1
    if not counts["passed"] and not counts["known"]:
        if why and not options.json:
            print(f"nothing was judged: {why}")
        return 3
    return 0


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
