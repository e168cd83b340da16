"""The report of a finding: what a maintainer wants to know, for JSON, text and the page of a campaign."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from refrelax.errors import UsageError
from refrelax.judge.wheels import history

if TYPE_CHECKING:
    from refrelax.judge.campaign.run import State
    from refrelax.judge.fuzz import Finding, Plan

MOST_SPEC = 1600
"""Characters of the specification that a report quotes."""


def compiler(name: str, target: str | None) -> Any:
    """What shows its stages, for blame."""
    from refrelax.interop.names import compiler_of, is_tvm, shared_passes

    if is_tvm(name):
        return shared_passes(name, target)
    try:
        return compiler_of(name, target)
    except UsageError:
        return None


def importer(name: str) -> Any:
    """What imports programs of front ends."""
    from refrelax.interop.names import python_of
    from refrelax.interop.tvm.front import TvmFront

    return TvmFront(python_of(name))


def report(finding: Finding, plan: Plan, state: State) -> dict[str, Any]:
    """What a report has besides what every reproducer has."""
    versions = {"refrelax": _version(), **finding.versions}
    return {
        "cause": finding.cause.id,
        "signs": finding.cause.row(),
        "blame": finding.blame,
        "program": finding.text if finding.front is None else finding.front.source,
        **({} if finding.front is None else {"imported": finding.text}),
        "expected": finding.expected,
        "found": finding.message,
        "spec": [says for each in finding.cause.operators[:2] if (says := of_operator(each)) is not None],
        "versions": versions,
        "elsewhere": {each.version: {"verdict": each.word, "says": each.says} for each in finding.elsewhere},
        "history": history(finding.elsewhere),
        "task": finding.round,
        "tried": finding.tried,
        "pipeline": ",".join(finding.steps) or plan.pipeline,
        "after": {"programs": state.programs, "inputs": state.inputs},
        "script": finding.script,
    }


def _version() -> str:
    from refrelax.version import SPEC_EDITION, __version__

    return f"{__version__} (edition {SPEC_EDITION})"


@cache
def of_operator(name: str) -> dict[str, str] | None:
    """Where the specification has an operator, and what it says there: its prose, what is permitted, its formula."""
    from refrelax.conformance.spec_text import spec_directory
    from refrelax.semantics.ops import OPERATORS

    full = f"relax.{name.removeprefix('R.')}"
    if full not in OPERATORS:
        return None
    page = OPERATORS[full].page
    path = next((p for p in (spec_directory() / "ops").glob("*.md") if f"\n## {full}\n" in p.read_text("utf-8")), None)
    if path is None:
        return None
    section = path.read_text("utf-8").partition(f"\n## {full}\n")[2].partition("\n## ")[0]
    kept = re.sub(r"<!-- made: (operands|type) -->.*?<!-- /made -->", "", section, flags=re.DOTALL)
    kept = re.sub(r"<!--.*?-->\n?", "", kept)
    said = re.sub(r"\n{3,}", "\n\n", kept).strip()
    return {"operator": full, "page": page or f"spec/ops/{path.name}", "says": said[:MOST_SPEC]}


def blame_line(row: dict[str, Any]) -> str:
    """Who is to blame, in a line."""
    blame = row.get("blame") or {}
    stage = blame.get("stage")
    if not stage:
        return f"blame: not found ({blame['why']})" if blame.get("why") else ""
    named = (
        f" {blame['pass']} (pass {blame['index']})"
        if "pass" in blame and stage in ("pass", "import", "tir", "codegen")
        else ""
    )
    place = f", at {blame['place']}" if blame.get("place") else ""
    return f"blame: {stage}{named}{place}"
