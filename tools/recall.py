"""Which known misbehaviours of TVM are found when their program is given, and what is blamed.

``python tools/recall.py [NAME…] [--impl tvm@PYTHON] [--json]`` asks ``tests/judge/campaign/known/*.py``, each a
program with headers: ``# source:`` where the misbehaviour is known from; ``# shows:`` how it shows in TVM alone
(``tools/recall_alone.py`` says whether it does); ``# arg:`` as for ``tools/given_finding.py``, or ``prim DTYPE
NUMBER``; ``# pipeline:`` what is run (else ``default_build``); ``# strict:`` that only other standards fix the value,
and which; ``# blame:`` passes, stages or rules any of which is rightly blamed; ``# operator:`` the operator that is.

Found is: the definition rejects what TVM takes (``check``), ``bisect`` ends with a wrong pass, or ``diff`` diverges.
Each program is asked without ``--strict``, and with it where nothing is found. The operator that is blamed is that of
the first wrong binding; where a place in TVM's sources or a rule answers, that is named instead.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tools"))

from given_finding import argument, headers  # noqa: E402

from refrelax.commands import findings  # noqa: E402
from refrelax.errors import Rejection, UsageError  # noqa: E402
from refrelax.judge.bisect import WrongPass, follow  # noqa: E402
from refrelax.judge.campaign.causes import cause_of  # noqa: E402
from refrelax.judge.diff import diff  # noqa: E402
from refrelax.judge.fuzz import operators_of  # noqa: E402
from refrelax.judge.verdicts import Divergence  # noqa: E402
from refrelax.running.arrays import Tensor  # noqa: E402
from refrelax.semantics.types.check import check  # noqa: E402
from refrelax.semantics.types.checked import CheckedModule  # noqa: E402
from refrelax.semantics.values import Prim  # noqa: E402
from refrelax.syntax.read import parse  # noqa: E402

KNOWN = ROOT / "tests" / "judge" / "campaign" / "known"
PRIM = re.compile(r"prim (\w+) (\S+)")


@dataclass
class Answer:
    """What refrelax says of one program. ``by``: ``check``, ``bisect``, ``diff``, or empty where nothing was found;
    ``named``: every pass, stage, rule and operator that is blamed; ``message``: the finding, or why there is none."""

    by: str = ""
    strict: bool = False
    named: list[str] = field(default_factory=list)
    message: str = ""


def given(text: str) -> list[Any]:
    found = []
    for each in headers(text, "arg"):
        prim = PRIM.fullmatch(each)
        found.append(Prim(prim[1], json.loads(prim[2])) if prim else argument(each))
    return found


def ask(text: str, compiler: Any) -> Answer:
    """Check, then bisect and diff; with what other standards fix only where nothing else is found."""
    try:
        checked = check(parse(text))
    except Rejection as rejection:
        first = rejection.diagnostics[0]
        return Answer("check", named=[str(first.rule)], message=str(first)[:300])
    found = _asked(checked, text, compiler, False)
    return found if found.by else _asked(checked, text, compiler, True)


def _asked(checked: CheckedModule, text: str, compiler: Any, strict: bool) -> Answer:
    pipeline = (headers(text, "pipeline") or ["default_build"])[0]
    if ":" in pipeline:
        pipeline = str(ROOT / pipeline)
    found = Answer(strict=strict)
    try:
        answer = follow(checked, "main", given(text), compiler, pipeline, strict=strict).answer
        found.message = str(answer)[:300]
        if isinstance(answer, WrongPass):
            found.by = "bisect"
            found.named = [answer.name, answer.part]
    except (Rejection, UsageError) as error:
        found.message = f"{type(error).__name__}: {error}"[:300]
    try:
        verdict = diff(checked, "main", given(text), compiler.implementation(pipeline), strict=strict)
    except (Rejection, UsageError) as error:
        verdict = None
        found.message += f" / {type(error).__name__}: {error}"[:300]
    if isinstance(verdict, Divergence):
        args = given(text)
        empty = any(isinstance(each, Tensor) and 0 in each.shape for each in args)
        cause = cause_of(verdict, sorted(operators_of(checked.module)), "", empty)
        found.named += [cause.how.rpartition(": ")[2]] if cause.answered else cause.operators
        if verdict.kind == "end":
            found.named += re.findall(r"\bR\.[\w.]+(?=:)", " ".join(map(str, verdict.report.open)))
        found.by = found.by or "diff"
        found.message += f" | diff: {str(verdict)[:300]}"
    else:
        found.message += f" | diff: {str(verdict)[:200]}"
    return found


def rightly(text: str, answer: Answer) -> str:
    """``pass``, ``operator``, ``pass and operator``, or nothing: what of the blame is right. One of several operators
    that are named is right only if no other is."""
    wanted = [each.strip() for line in headers(text, "blame") for each in line.split(",")]
    operators = [each for each in answer.named if each.startswith(("R.", "T."))]
    others = [each for each in answer.named if each not in operators]
    right = ["pass"] if any(each in wanted for each in others) else []
    right += ["operator"] if operators and operators == headers(text, "operator") else []
    return " and ".join(right) if answer.by else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--impl", default="tvm")
    parser.add_argument("--folder", default=str(KNOWN))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.names or sorted(each.stem for each in Path(options.folder).glob("*.py"))
    found = blamed = 0
    compiler = findings.compiler(options.impl, None)
    for name in names:
        text = (Path(options.folder) / f"{name}.py").read_text("utf-8")
        answer = ask(text, compiler)
        right = rightly(text, answer)
        found += bool(answer.by)
        blamed += bool(right)
        row = {"name": name, "by": answer.by, "strict": answer.strict, "named": answer.named, "right": right}
        if options.json:
            print(json.dumps({**row, "message": answer.message}, ensure_ascii=False), flush=True)
        else:
            how = f"{answer.by}{' --strict' if answer.strict and answer.by else ''}" or "MISSED"
            print(f"{name}: {how}; blamed {', '.join(answer.named) or 'nobody'} ({right or 'WRONG'})", flush=True)
            print(f"    {answer.message}", flush=True)
    compiler.close()
    print(f"{found} of {len(names)} found, {blamed} rightly blamed", file=sys.stderr)


if __name__ == "__main__":
    main()
