"""``conformance``: the suite for others."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from refrelax import conformance as suite
from refrelax.commands.shared import (
    add_json,
    emit,
    positive,
    progress,
    seconds,
    shard_of,
    share,
    source,
    without_effect,
)
from refrelax.conformance.cases import Case
from refrelax.conformance.judged import FAULTS, WORDS, Judged
from refrelax.conformance.known import Deviation, known_as, load_known
from refrelax.conformance.suite import serve, store
from refrelax.conformance.suite.command import Command, ask_all
from refrelax.conformance.suite.judge import Answer
from refrelax.conformance.suite.pairs import Scored, score
from refrelax.conformance.suite.protocol import answer_of
from refrelax.conformance.suite.records import PROFILES, Record, asks_anybody, exported
from refrelax.conformance.suite.scores import board, chapters, junit, lacks, row
from refrelax.conformance.workers import Worker
from refrelax.errors import UsageError
from refrelax.interop.names import is_tvm, python_of
from refrelax.shape_solver import z3_
from refrelax.testing.limits import limited

T = TypeVar("T")


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="export|run|judge|serve", required=True)
    export = what.add_parser("export", help="write every case as JSON, with a manifest and schemas")
    export.add_argument("directory", metavar="DIR")
    run_ = what.add_parser("run", help="run the suite on an implementation")
    run_.add_argument(
        "--impl", required=True,
        help="reference | numpy | cuda-emulated | cupy | tvm | tvm@PYTHON | module:factory | 'COMMAND …' (JSON lines)",
    )  # fmt: skip
    run_.add_argument("--answers", metavar="OUT", help="also write what a command answered, a JSON object a line")
    run_.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes of a command (default: 1)")
    run_.add_argument(
        "--deadline", metavar="S", type=seconds, default=60.0, help="seconds for one case, 90, 30s or 2m (default: 60)"
    )
    judge_ = what.add_parser("judge", help="judge answers that were given before; nothing is run")
    judge_.add_argument("answers", metavar="ANSWERS.jsonl")
    for each in (export, run_, judge_):
        _choosing(each)
    for each in (run_, judge_):
        each.add_argument("--suite", metavar="DIR", help="a suite that was exported, in place of this edition's own")
        each.add_argument("--all", action="store_true", help="also list what was excluded, undecided or not supported")
        each.add_argument("--known", metavar="FILE", help="a TOML list of known deviations (for tvm there is one)")
        each.add_argument("--junit", metavar="OUT", help="also write JUnit's XML")
        add_json(each)
    what.add_parser("serve", help="the definition as an implementation: answers JSON lines on standard input")


def _choosing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", metavar="AREA", default="", help="only cases whose name begins so")
    parser.add_argument("--rule", metavar="ID", help="only cases of one rule, or of an area such as ev/")
    parser.add_argument("--chapter", metavar="NN", help="only cases of rules of one chapter, such as 07")
    parser.add_argument("--operator", metavar="OP", help="only cases that call an operator, such as add")
    parser.add_argument("--profile", metavar="NAME", help=f"only cases that need it: {', '.join(PROFILES)}")
    parser.add_argument("--shard", metavar="K/N", help="the K-th of N equal parts of what is chosen, from 1")


def run(options: argparse.Namespace) -> int:
    """0 if all went well."""
    if options.what == "serve":
        serve.serve()
        return 0
    if options.shard is not None:  # (what cannot be chosen is refused before there is a suite to choose from)
        shard_of(options.shard)
    if options.profile not in (None, *PROFILES):
        raise UsageError(f"no case is chosen by --profile {options.profile}; profiles {', '.join(PROFILES)}")
    if options.what == "export":
        chosen = _recorded(options)
        print(f"{store.write(Path(options.directory), chosen)} cases in {options.directory}")
        return 0
    if options.json:
        without_effect(options, ("--all",), "with --json, which lists every case")
    if options.what == "judge":
        return _judge(options)
    if is_command(options.impl):
        return _command(options)
    given = {"--jobs": options.jobs != 1, "--answers": options.answers, "--suite": options.suite}
    for name, there in given.items():
        if there:
            raise UsageError(f"{name} is for an implementation that is a command; {options.impl} is asked in Python")
    return _run(options)


def is_command(impl: str) -> bool:
    """Whether ``--impl`` is a command: it has a space or is a path. (``tvm@PYTHON`` is none.)"""
    return not is_tvm(impl) and any(each.isspace() or each in "/\\" for each in impl)


# --- choosing -------------------------------------------------------------------------------------------------------


def _recorded(options: argparse.Namespace) -> list[Record]:
    """The chosen cases as records, of this edition or of ``--suite``.

    Raises:
        UsageError: nothing is chosen, or a selection names nothing.
    """
    given = getattr(options, "suite", None)
    found = list(store.read(Path(given))) if given else list(exported(_cases(options, portable=True)))
    chosen = [each for each in found if _is_chosen(each, options)]
    if not chosen:
        raise UsageError(f"no case is chosen{_which(options)}")
    return share(chosen, options.shard, "cases")


def _is_chosen(record: Record, options: argparse.Namespace) -> bool:
    operator = (
        None if options.operator is None else f"relax.{options.operator.removeprefix('relax.').removeprefix('R.')}"
    )
    return (
        any(name.startswith(options.only) for name in (record["name"], *record.get("also", [])))
        and _of_rule(record["rule"], options)
        and (operator is None or operator in record.get("operators", ()))
        and options.profile in (None, record["profile"])
    )


def _of_rule(rule: str | None, options: argparse.Namespace) -> bool:
    """Whether a rule is the chosen one, or of the chosen area and chapter."""
    chapter = chapters().get(rule or "", "")
    area = options.rule is not None and options.rule.endswith("/") and str(rule).startswith(options.rule)
    return (options.rule in (None, rule) or area) and (
        options.chapter is None or chapter.split("-")[0] == options.chapter or chapter == options.chapter
    )


def _which(options: argparse.Namespace) -> str:
    """The selection, in words."""
    names = ("only", "rule", "chapter", "operator", "profile")
    told = [f"--{name} {value}" for name in names if (value := getattr(options, name))]
    areas = ", ".join(sorted({case.name.partition("/")[0] for case in suite.load()}))
    return f" by {' '.join(told)}; there are {areas}; profiles {', '.join(PROFILES)}" if told else ""


def _cases(options: argparse.Namespace, portable: bool) -> list[Case]:
    """The cases that a name and a rule choose.

    Raises:
        UsageError: there is none.
    """
    there: list[Case] = [*suite.load()]
    if portable:
        there = [case for case in (*there, *suite.load_named_examples()) if asks_anybody(case)]
    chosen = [case for case in there if case.name.startswith(options.only) and _of_rule(case.rule, options)]
    if not chosen:
        raise UsageError(f"no case is chosen{_which(options)}")
    return chosen


def _chosen(options: argparse.Namespace) -> list[Case]:
    """The chosen cases, for an implementation that is asked in Python."""
    cases = _cases(options, portable=False)
    if options.impl != "reference":
        cases = [case for case in cases if case.portable]
    if options.operator is not None or options.profile is not None:
        named = {
            name
            for each in _recorded(argparse.Namespace(**{**vars(options), "shard": None, "suite": None}))
            for name in (each["name"], *each.get("also", []))
        }
        cases = [case for case in cases if case.name in named]
    if not cases:
        raise UsageError(f"no case is chosen{_which(options)}")
    return share(cases, options.shard, "cases")


# --- by data --------------------------------------------------------------------------------------------------------


def _command(options: argparse.Namespace) -> int:
    """The suite on a command, judged by what was exported."""
    answers: dict[str, Answer] = {}
    with closing(Command(options.impl, options.deadline)) as first:
        first.start()  # (before the suite is made, which takes longer than to hear that there is no such command)
        records = _recorded(options)
        with progress(len(records), "conformance") as step:
            for answer in ask_all(options.impl, records, options.deadline, options.jobs, first):
                answers[str(answer["case"])] = answer
                step(str(answer["case"]))
    if options.answers:
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in answers.values())
        Path(options.answers).write_text("".join(lines), encoding="utf-8")
    return _scored(records, answers, options)


def _judge(options: argparse.Namespace) -> int:
    """Answers from a file, judged."""
    answers: dict[str, Answer] = {}
    text, name = source(options.answers)
    for number, line in enumerate(text.split("\n"), 1):  # (a string may hold what else Python takes for a line's end)
        if not line.strip():
            continue
        try:
            answer = answer_of(line)
        except UsageError as error:
            raise UsageError(f"{name}:{number}: {error}") from None
        if not isinstance(answer.get("case"), str):
            raise UsageError(f'{name}:{number}: expected an object with "case" and "end"')
        if answer["case"] in answers:
            raise UsageError(f"{name}:{number}: a second answer to {answer['case']}")
        answers[answer["case"]] = answer
    records = _recorded(options)
    if strange := sorted(answers.keys() - {each["name"] for each in records}):
        text = "other cases than those chosen" if any(_which(options)) else "no case of the suite"
        raise UsageError(f"{name}: answers to {text}: {', '.join(strange[:3])}")
    return _scored(records, answers, options)


def _scored(records: list[Record], answers: Mapping[str, Answer], options: argparse.Namespace) -> int:
    known = load_known(Path(options.known)) if options.known else {}
    rows = list(score(records, answers))
    code = _told(rows, len(rows), known, options)
    _summed(rows, options)
    return code


def _summed(rows: list[Scored], options: argparse.Namespace) -> None:
    """What is told after the cases."""
    if not options.json:
        print("\n".join([*board(rows), *lacks(rows)]))
    if options.junit:
        Path(options.junit).write_text(junit(rows), encoding="utf-8")


# --- by a judge in Python -------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> int:
    """0 if no case failed or was refused but as is known; what is not a pass is counted by kind."""
    with _judging(options) as (judge, listed):
        known = load_known(Path(listed)) if listed else {}
        cases = _chosen(options)
        rows: list[Scored] = []
        code = _told(_kept(judge(cases), rows), len(cases), known, options)
    _summed(rows, options)
    return code


def _kept(rows: Iterator[Judged], kept: list[Scored]) -> Iterator[Scored]:
    """Each row with the time that it took, kept."""
    began = time.perf_counter()
    for each in rows:
        kept.append(Scored(_as_record(each.case), each.word, each.why, round(time.perf_counter() - began, 6)))
        yield kept[-1]
        began = time.perf_counter()


def _as_record(case: Case) -> Record:
    """A case as far as reports show a record."""
    return {"name": case.name, "rule": case.rule, "expect": str(case.expect), "place": case.place}


Judging = Callable[[list[Case]], Iterator[Judged]]


@contextmanager
def _judging(options: argparse.Namespace) -> Iterator[tuple[Judging, Any]]:
    """What judges cases, and the list of known deviations. The definition and TVM, which has a process of its own
    already, are asked here; others in a process that can be ended."""
    if options.impl == "reference":
        yield lambda cases: _in_time(_by_definition, cases, options.deadline), options.known
    elif is_tvm(options.impl):
        from refrelax.interop.tvm import TvmImplementation

        tvm = TvmImplementation(timeout=options.deadline, python=python_of(options.impl))
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


def _told(rows: Iterable[Scored], total: int, known: Mapping[str, Deviation], options: argparse.Namespace) -> int:
    """Every row, and the sum. 0 if nothing unexpected was found, 3 if nothing could be judged."""
    counts, why = Counter[str](), ""
    with progress(total, "conformance") as step:
        for each in rows:
            name = str(each.record["name"])
            step(name)
            why = why or each.why
            _tell(each, known_as(name, each.word, known), options, counts)
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


def _tell(scored: Scored, deviation: str | None, options: argparse.Namespace, counts: Counter[str]) -> None:
    """One case: counted, and shown if it is unexpected or asked for, with where it stands, else with its rule."""
    word, record = scored.word, scored.record
    unexpected = word in FAULTS and deviation is None
    counts.update([word, *["unexpected"] * unexpected, *["known"] * (deviation is not None)])
    if options.json:
        emit({**row(scored), "known": deviation})
    elif unexpected or (options.all and word != "passed"):
        note = f" [known: {deviation}]" if deviation else ""
        print(f"{word.upper()} {record['name']} ({record.get('place', record['rule'])}): {scored.why}{note}")


def _by_definition(case: Case) -> Judged:
    result = suite.run_case(case)
    if not result.passed and result.found == "Unknown" and not z3_.AVAILABLE:
        return Judged(case, "unsupported", "needs z3: pip install 'refrelax[solver]'")
    return Judged(case, "passed" if result.passed else "failed", result.reason)
