"""``prove``: claims over integers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from refrelax.commands.shared import add_json, complain, diagnostic_row, emit, seconds
from refrelax.errors import Malformed
from refrelax.spelled import spelled

FITS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("claim", help='for example "n*m + m == m*(n + 1)"')
    parser.add_argument("--assume", action="append", default=[], metavar="A", help="a fact; may be repeated")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal")
    parser.add_argument("--fits", choices=FITS, help="also prove that nothing overflows in it")
    parser.add_argument("--division", choices=("assume", "require"), help="defined divisions: assumed, or to be proved")
    parser.add_argument(
        "--explain", action="store_true", help="the stages, the one that decided, and the steps of the log"
    )
    parser.add_argument("--certificate", metavar="OUT", help="write a certificate of the proof, for `refrelax certify`")
    parser.add_argument("--smt2", metavar="OUT", help="write the question as SMT-LIB")
    parser.add_argument(
        "--also", choices=("tvm",), help="ask TVM's analyzer the same question, and say where they disagree"
    )
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="give up after S seconds (default: limits that count)"
    )
    add_json(parser)


def prove(options: argparse.Namespace) -> int:
    """0 proved, 1 refuted, 3 unknown; 2 where the claim or an assumption is none, which is no answer to it."""
    try:
        return _proved(options)
    except Malformed as error:
        complain(error)
        if options.json:
            found = [diagnostic_row(each) for each in error.diagnostics]
            emit({"claim": options.claim, "answer": "MALFORMED", "rejection": "Malformed", "diagnostics": found})
        return 2


def _proved(options: argparse.Namespace) -> int:
    from refrelax import shape_solver

    extra: dict[str, Any] = {k: v for k in ("fits", "division") if (v := getattr(options, k)) is not None}
    if options.smt2 is not None:
        Path(options.smt2).write_text(_smt2(options), encoding="utf-8")
    if options.timeout is not None:
        extra["timeout"] = options.timeout
    answer = shape_solver.prove(options.claim, assume=options.assume, effort=options.effort, **extra)
    row, line, code = _said(answer)
    document, why = None, "nothing was proved"
    if options.certificate is not None or options.explain:
        document, why = _document(answer, options.effort)
    if options.certificate is not None and document is not None:
        Path(options.certificate).write_text(json.dumps(document) + "\n", encoding="utf-8")
        row["certificate"] = document["evidence"]["kind"]
    more = _explained(answer, document) if options.explain else []
    if options.also is not None:
        opinion = _opinion(options, answer)
        row["tvm"] = {"verdict": opinion.verdict, "note": opinion.note, "disagrees": opinion.disagrees}
        line = f"{line}\n{opinion}"
    if options.json:
        emit({"claim": options.claim, **row, **({"explained": more} if options.explain else {})})
    else:
        print(line, *more, sep="\n")
        if options.certificate is not None:
            print(f"certificate: {row.get('certificate', f'none, since {why}')}")
    return code


def _opinion(options: argparse.Namespace, answer: Any) -> Any:
    """What TVM's analyzer says of the same question; it knows neither ``--fits`` nor ``--division require``."""
    from refrelax.errors import UsageError
    from refrelax.interop.tvm.analyzer import TvmAnalyzer

    if options.fits is not None or options.division == "require":
        raise UsageError("--also tvm: expected a question without --fits and --division require")
    analyzer = TvmAnalyzer(timeout=options.timeout or 60.0)
    try:
        return analyzer.opinion(options.claim, options.assume, answer)
    finally:
        analyzer.close()


def _document(answer: Any, effort: Any) -> tuple[dict[str, Any] | None, str]:
    """The certificate of a proof, or why there is none."""
    from refrelax.shape_solver import Proved
    from refrelax.shape_solver.certificate import NoCertificate

    if not isinstance(answer, Proved):
        return None, "nothing was proved"
    try:
        return answer.certificate.document(effort), ""
    except NoCertificate as error:
        return None, f"its question is not stated: {error}"


def _explained(answer: Any, document: dict[str, Any] | None) -> list[str]:
    """The stages, in order, and the log of the last one if there is one."""
    from refrelax.shape_solver.checker.words import explained

    stages = [f"{number}. {stage.name}: {stage.outcome}" for number, stage in enumerate(answer.stages, 1)]
    if stages:
        stages[-1] += "  <- decided" if not hasattr(answer, "reason") else ""
    return [*stages, *(explained(document) if document is not None else [])]


def _said(answer: Any) -> tuple[dict[str, Any], str, int]:
    """An answer for JSON, as a line, and its exit code."""
    from refrelax.shape_solver import Proved, Refuted

    match answer:
        case Proved(vacuous=vacuous):
            note = " (vacuously: the assumptions hold nowhere, or the claim is defined nowhere)" if vacuous else ""
            return {"answer": "PROVED", "vacuous": vacuous}, f"PROVED{note}", 0
        case Refuted(model=model):
            values = " ".join(f"{k}={spelled(v)}" for k, v in sorted(model.items()))
            return {"answer": "REFUTED", "model": dict(model)}, f"REFUTED {values}".rstrip(), 1
        case _:
            reason, stage = str(answer.reason), str(answer.stage)
            where = {"kind": answer.scope.kind, "names": list(answer.scope.names)}
            row = {"answer": "UNKNOWN", "reason": reason, "stage": stage, "scope": where}
            return row, f"UNKNOWN {answer}", 3


def _smt2(options: argparse.Namespace) -> str:
    """The question as an SMT-LIB script: ``unsat`` means that the claim holds."""
    from refrelax.shape_solver import Prover

    prover = Prover(options.assume, options.effort, options.fits, options.division or "assume")
    return prover.posed(options.claim).smt2()
