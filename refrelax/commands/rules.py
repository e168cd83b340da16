"""``rules``: the tie between spec, code and cases."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

from refrelax.commands.shared import add_json, emit, positive, progress, table, without_effect
from refrelax.conformance import tie
from refrelax.conformance.cases import BadCase
from refrelax.errors import UsageError
from refrelax.shape_solver import z3_

MOST_SHOWN = 40
"""Findings shown of one group without ``--all``."""


def rules_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("check", "mutate", "coverage"),
        help="check: all findings; mutate: break rules one at a time, which does no case see?; coverage: cases a rule",
    )
    parser.add_argument(
        "--text", action="store_true", help="check: the text and its examples, not the cases: in seconds"
    )
    parser.add_argument("--all", action="store_true", help="every finding, however many")
    parser.add_argument(
        "--only", metavar="AREA", help="only rules whose id begins so; mutate: text/PAGE, what operators mean"
    )
    parser.add_argument(
        "--sample", metavar="N", type=positive, help="mutate: only so many mutants, spread over the rules"
    )
    parser.add_argument("--seed", metavar="S", type=int, help="mutate: of the sample (0)")
    parser.add_argument("--shard", metavar="K/N", help="mutate: the K-th of N equal parts of what is chosen, from 1")
    parser.add_argument("--state", metavar="FILE", help="mutate: JSON lines: stop, and go on where it ended")
    add_json(parser)


def rules(options: argparse.Namespace) -> int:
    """0 if spec, code and cases agree (``mutate``: if a case saw every mutant)."""
    of_mutate = ("--sample", "--seed", "--shard", "--state")
    without = {"check": of_mutate, "coverage": (*of_mutate, "--all", "--text"), "mutate": ("--all", "--text")}
    without_effect(options, without[options.what], f"on {options.what}")
    if options.seed is not None and options.sample is None:
        raise UsageError("--seed has no effect without --sample")
    if not z3_.AVAILABLE:
        raise ModuleNotFoundError("No module named 'z3'", name="z3")  # cases are claims that only it decides
    try:
        read = tie.read()
    except BadCase as error:
        raise UsageError(str(error)) from None
    if options.what != "mutate" or not (options.only or "").startswith("text/"):
        _some(options.only, read.defined)
    if options.what == "mutate":
        from refrelax.commands import mutate

        return mutate.run(options)
    with progress(len(read.cases) * (not options.text) + len(read.examples), "cases") as step:
        report = tie.check_text(step) if options.text else tie.check(step)
    if options.what == "coverage":
        return _coverage(report, options)
    findings = [f for f in report.findings if f.rule.startswith(options.only or "")]
    if options.json:
        for finding in findings:
            emit({"group": finding.group, "rule": finding.rule, "message": finding.message, "place": finding.place})
    else:
        _print_groups(findings, options.all)
        cases = "no case run" if options.text else f"{report.cases} cases"
        summary = f"{report.rules} rules, {cases}, {report.examples} examples of the spec"
        print(f"{summary}: {'all tied' if not findings else f'{len(findings)} findings'}")
    return 1 if findings else 0


def _some(only: str | None, rules: Iterable[str]) -> None:
    """Refuse an ``--only`` that no rule begins with."""
    there = list(rules)
    if only and not any(rule.startswith(only) for rule in there):
        areas = ", ".join(sorted({re.split("[./]", rule)[0] for rule in there}))
        raise UsageError(f"--only: no rule is named {only}…; there are {areas}")


def _print_groups(findings: list[tie.Finding], everything: bool) -> None:
    for group, title in tie.GROUPS.items():
        members = [f for f in findings if f.group == group]
        if not members:
            continue
        print(f"{title} ({len(members)}):")
        shown = members if everything else members[:MOST_SHOWN]
        for finding in shown:
            print(f"  {finding}")
        if len(shown) < len(members):
            print(f"  … {len(members) - len(shown)} more (--all)")


def _coverage(report: tie.TieReport, options: argparse.Namespace) -> int:
    """A row a rule: how many cases go through it, how many of them it ends; last, those that no case reaches."""
    defined = sorted(rule for rule in tie.read().defined if rule.startswith(options.only or ""))
    rows = [(rule, report.reached.get(rule, []), report.ended.get(rule, [])) for rule in defined]
    unreached = [rule for rule, names, _ in rows if not names]
    if options.json:
        for rule, names, ended in rows:
            emit({"rule": rule, "cases": names, "ended": ended})
        return 0
    shown = [(rule, str(len(names)), str(len(ended)), names[0]) for rule, names, ended in rows if names]
    table(("rule", "cases", "ended", "first"), shown)
    for rule in unreached:
        print(f"no case reaches {rule}")
    print(f"{len(rows) - len(unreached)} of {len(rows)} rules reached, {sum(bool(e) for *_, e in rows)} end a case")
    return 0
