"""Programs that were given, as ``refrelax fuzz --impl tvm --json`` says a finding: for ``tools/make_findings.py``.

``python tools/given_finding.py FOLDER NAME… [--strict] > CAMPAIGN.jsonl``. The first lines of a module make its
arguments: ``# arg: float32 [[1, NaN], [2, Infinity]]``, or ``# arg: shape [3]``. ``# dtype:`` is the one that most
depends on, for the cause; ``# operator:`` is told instead of those of the program; ``# how:`` tells two defects of one
operator apart; of ``# pipeline: A;B`` the passes are judged. A divergence is asked again in a fresh process, and
blamed; what does not diverge is said on stderr.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

from refrelax.commands import findings  # noqa: E402
from refrelax.commands.shared import plain  # noqa: E402
from refrelax.conformance.alone import find_to_fuzz  # noqa: E402
from refrelax.judge.campaign import run, sequences  # noqa: E402
from refrelax.judge.campaign.blame import blame, compiler_of  # noqa: E402
from refrelax.judge.campaign.causes import cause_of  # noqa: E402
from refrelax.judge.campaign.look import verdict_of  # noqa: E402
from refrelax.judge.fuzz import Finding, Plan, Signature, implementation_of, kind_of, operators_of, portable  # noqa: E402
from refrelax.judge.report import NOTHING  # noqa: E402
from refrelax.judge.verdicts import Divergence  # noqa: E402
from refrelax.running.arrays import Tensor  # noqa: E402
from refrelax.semantics.types.check import check  # noqa: E402
from refrelax.semantics.values import Shape  # noqa: E402
from refrelax.syntax.read import parse  # noqa: E402

HEADER = re.compile(r"^# (\w+): (.*)$", re.MULTILINE)


def headers(text: str, name: str) -> list[str]:
    return [value for key, value in HEADER.findall(text) if key == name]


def argument(text: str) -> Any:
    """What ``# arg:`` says."""
    dtype, _, data = text.partition(" ")
    elements = json.loads(data)
    if dtype == "shape":
        return Shape(tuple(elements))
    kind = getattr(ml_dtypes, dtype, None)
    return Tensor.of(np.array(elements, dtype if kind is None else kind))


def finding(plan: Plan, name: str, text: str) -> Finding | str:
    """The finding, or why there is none."""
    checked = check(parse(text))
    args = [argument(each) for each in headers(text, "arg")]
    steps = headers(text, "pipeline")
    given = tuple(map(portable, args))
    operators = tuple(headers(text, "operator")) or tuple(sorted(operators_of(checked.module)))
    if steps:
        return of_steps(plan, name, text, args, tuple(steps[0].split(";")))
    asked = run._Whole(implementation_of(plan.find, plan.name, plan.pipeline, plan.target))
    verdict = verdict_of(checked, args, asked, plan.strict)
    if not isinstance(verdict, Divergence):
        return str(verdict)
    empty = any(isinstance(each, Tensor) and 0 in each.shape for each in args)
    dtype = (headers(text, "dtype") or [""])[0]
    cause = cause_of(verdict, operators, dtype, empty)
    for how in headers(text, "how"):
        cause = run.replace(cause, how=how)
    said = run.replace(verdict, bindings=(), report=NOTHING)
    found = Finding(Signature(kind_of(verdict), operators), cause, text, given, said, f"given/{name}")
    if not run._again(plan, found):
        return "it did not show again in a fresh process"
    return run._told(plan, run.replace(found, blame=blame(plan, found)))


def of_steps(plan: Plan, name: str, text: str, args: list[Any], steps: tuple[str, ...]) -> Finding | str:
    """The same of a program and its passes."""
    pair = sequences.Pair(text, tuple(args), steps)
    wrong = sequences.judge(compiler_of(plan), pair, plan.strict).wrong
    if wrong is None:
        return "no step is wrong"
    operators = tuple(sorted(operators_of(check(parse(text)).module)))
    cause = sequences.cause_of_step(wrong, check(parse(text)))
    who = {"stage": wrong.part, "pass": wrong.name, "index": wrong.index, "how": wrong.kind, "why": wrong.message[:400]}
    said = {"operator": "+".join(operators), "place": wrong.place, **who}
    found = Finding(
        Signature(f"{wrong.kind} by {wrong.name.partition('(')[0]}", operators),
        cause,
        text,
        tuple(map(portable, args)),
        sequences.divergence(wrong),
        f"given/{name}",
        said,
        steps=steps,
    )
    told = run._told(plan, found)
    return run.replace(told, script=_plain(told.script, steps))


def _plain(script: str, steps: tuple[str, ...]) -> str:
    """The script without what finds passes by their names, where they are graph passes without arguments."""
    if not all(each.isidentifier() for each in steps):
        return script
    head, _, rest = script.partition("\nimport re\n")
    text, told = rest[rest.index('TEXT = """') :].split('if __name__ == "__main__":')[0], script.rpartition("print(")[2]
    body = "".join(f"module = relax.transform.{each}()(module)\n" for each in steps)
    made = f"{head}\nimport tvm\nfrom tvm import relax\n\n{text}module = tvm.script.from_source(TEXT)\n{body}"
    return f"{made}print(module.script())\nprint({told}"


def main() -> None:
    strict = "--strict" in sys.argv
    folder, *names = (each for each in sys.argv[1:] if each != "--strict")
    plan = Plan(find_to_fuzz, "tvm", strict=strict, compiler=findings.compiler)
    for name in names or sorted(each.stem for each in Path(folder).glob("*.py")):
        text = (Path(folder) / f"{name}.py").read_text("utf-8")
        try:
            found = finding(plan, name, text)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if isinstance(found, str):
            print(f"{name}: {found[:400]}", file=sys.stderr, flush=True)
            continue
        report = findings.report(found, plan, run.State())
        row = {"verdict": "FOUND", "kind": found.signature.kind, "message": found.message, "seed": plan.seed, **report}
        print(json.dumps(plain(row), ensure_ascii=False), flush=True)
        print(f"{name}: FOUND {found.cause.id}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
