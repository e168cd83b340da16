"""``diff``: an implementation against the definition, binding by binding. ``validate``: one program against another."""

from __future__ import annotations

import argparse
from dataclasses import fields, is_dataclass
from typing import Any

from refrelax.commands import values
from refrelax.commands.shared import add_json, emit, read_checked

CODES = {"Agreement": 0, "Divergence": 1, "NoVerdict": 3}


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.add_argument("--impl", required=True, help="numpy | cupy | cuda-emulated | tvm | module:factory")
    values.add_inputs(parser)
    add_json(parser)


def diff(options: argparse.Namespace) -> int:
    """0 agree, 1 diverge, 3 no verdict."""
    from refrelax import judge
    from refrelax.conformance.implementations import find

    implementation = find(options.impl)
    checked = read_checked(options.file, options.consts)
    given = values.arguments(options, checked.module)
    verdict = judge.diff(checked, options.entry, given, impl=implementation)
    name = type(verdict).__name__
    if options.json:
        emit({"verdict": name, **_row(verdict)})
    else:
        for line in said(verdict):
            print(line)
    return CODES.get(name, 3)


def said(verdict: Any) -> list[str]:
    """A verdict in words: the first diverging binding, or how many were judged how."""
    from refrelax.judge import Agreement, Divergence

    match verdict:
        case Agreement(bindings=bindings) if bindings:
            counts = [f"{verdict.inside} of {len(bindings)} bindings inside (least margin {verdict.margin:.2f})"]
            if verdict.undecided:
                counts.append(f"{verdict.undecided} undecided")
            return [f"AGREE  {', '.join(counts)}"]
        case Agreement(why=why):
            return [f"AGREE  {why}"]
        case Divergence(binding=binding, message=message):
            return [f"DIVERGE  {binding or 'the run'}: {message}"]
        case _:
            return [f"NO VERDICT  {verdict.why}"]


def _row(node: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(node, f.name)) for f in fields(node) if f.repr}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {"is": type(value).__name__, **_row(value)}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return value if isinstance(value, bool | int | float | str | None) else str(value)


STRENGTH = {"tested": 0, "proved-at": 1, "proved": 2}
"""What ``--require`` may ask for, weakest first."""

STRENGTHS = {"TESTED": 0, "PROVED-AT": 1, "PROVED": 2}
VALIDATED = {"TESTED": 0, "PROVED-AT": 0, "PROVED": 0, "REFUTED": 1}


def validate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="BEFORE", help="TVMScript")
    parser.add_argument("after", metavar="AFTER", help="TVMScript; - is standard input")
    parser.add_argument("--entry", default="main", help="the function (default: main)")
    parser.add_argument("--require", choices=tuple(STRENGTH), default="tested", help="the least evidence that counts")
    parser.add_argument("--relax", action="append", default=[], metavar="NAME", help="a named relaxation; repeatable")
    parser.add_argument("--assume", action="append", default=[], metavar="CLAIM", help="about the symbols; repeatable")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for everything")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal", help="of the proof")
    parser.add_argument("--consts", metavar="C.npz", help="constants of BEFORE")
    parser.add_argument("--consts-after", metavar="C.npz", help="constants of AFTER")
    parser.add_argument("--seed", type=int, default=0)
    add_json(parser)


def validate(options: argparse.Namespace) -> int:
    """0 equivalent, 1 refuted, 3 no verdict or weaker than required."""
    from refrelax import judge

    before = read_checked(options.before, options.consts)
    after = read_checked(options.after, options.consts_after)
    verdict = judge.validate(
        before,
        after,
        options.entry,
        seed=options.seed,
        relax=options.relax,
        assume=options.assume,
        timeout=options.timeout,
        effort=options.effort,
    )
    code, refused = _weighed(verdict, options.require)
    if options.json:
        emit(_validated(verdict, refused))
    else:
        print("\n".join(_lines(verdict, refused)))
    return code


def _weighed(verdict: Any, required: str) -> tuple[int, str]:
    """The exit code, and why an answer is weaker than required. A proof that leaned on a relaxation is no proof of what
    the definition says."""
    code = VALIDATED.get(verdict.word, 3)
    if code:
        return code, ""
    if STRENGTHS[verdict.word] < STRENGTH[required]:
        return 3, f"{verdict.word} is weaker than {required}"
    if required == "proved" and verdict.relaxations:
        return 3, f"proved only under {', '.join(verdict.relaxations)}"
    return 0, ""


def _lines(verdict: Any, refused: str) -> list[str]:
    """An answer as text: the verdict, what it rests on, why there is no proof."""
    found = [str(verdict)]
    if refused:
        found.append(f"  not enough: {refused}")
    if verdict.trusts:
        found.append(f"  trusts: {'; '.join(verdict.trusts)}")
    found += [f"  not proved: {line}" for line in getattr(verdict, "unproved", "").splitlines()]
    return found


def _validated(verdict: Any, refused: str) -> dict[str, Any]:
    """An answer for JSON."""
    tally = verdict.tally
    open_ = [
        {"rule": o.rule, "binding": o.binding, "span": None if o.span is None else str(o.span), "count": o.count}
        for o in tally.open
    ]
    arguments = [values.value_json(each) for each in getattr(verdict, "arguments", ())]
    return {
        "verdict": verdict.word,
        "says": str(verdict),
        "unproved": getattr(verdict, "unproved", ""),
        "not_enough": refused,
        "compared": tally.compared,
        "inside": tally.inside,
        "outside": tally.outside,
        "undecided": tally.undecided,
        "excluded": tally.excluded,
        "open": open_,
        "relaxations": list(verdict.relaxations),
        "trusts": list(verdict.trusts),
        "arguments": arguments,
    }
