"""TVM's pipelines on the example models, a verdict for every pass and function: ``docs/tvm-pipelines.md``.

    REFRELAX_TVM_PYTHON=… .venv/bin/python tools/make_pipeline_table.py [--only llama] [--timeout 120] [--out FILE]
        [--pages DIR] [--rows ROWS.jsonl]

Every model of the package goes through every pipeline below; what stands after each pass is held against what stood
before it, for each public function. ``--timeout`` is for one model in one pipeline (processor time); ``--pages`` keeps
the page of each; ``--rows`` keeps each line of the table, and those that it has are not asked anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
time.perf_counter = time.process_time  # (what validate measures its time by, before it takes it: others work here, too)

import refrelax as rr  # noqa: E402
from refrelax import examples  # noqa: E402
from refrelax.interop.names import compiler_of  # noqa: E402
from refrelax.judge.pipelines import PipelineVerdict, validate_pipeline  # noqa: E402
from refrelax.views import comparison  # noqa: E402

ZERO = ("LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR")
RULES = ("Matmul", "GEMV", "Reduction", "GeneralReduction", "Fallback")
SCHEDULES = ",".join([*ZERO, *(f"dlight.gpu.{each}" for each in RULES)])
PIPELINES: tuple[tuple[str, str], ...] = (
    ("zero", "zero"),
    ("default_build", "default_build"),
    ("cpu_generic", "cpu_generic"),
    ("default GPU schedules", SCHEDULES),
)
"""What a row is called, and the pipeline."""

RELAX = ("extreme-identity",)
"""TVM starts a maximum at the lowest finite number, the definition at minus infinity."""

OUT = ROOT / "docs" / "tvm-pipelines.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--rows", type=Path)
    asked = parser.parse_args()
    rows = [] if asked.rows is None or not asked.rows.exists() else list(map(json.loads, asked.rows.open()))
    known = {(row["model"], row["pipeline"]) for row in rows}
    for name in (*examples.names(), *examples.paper_names()):
        for label, pipeline in PIPELINES:
            if asked.only in name and (name, label) not in known:
                rows.append(row_of(name, label, pipeline, asked.timeout, asked.pages))
                print(json.dumps({k: v for k, v in rows[-1].items() if k != "passes"}), file=sys.stderr, flush=True)
                if asked.rows is not None:
                    with asked.rows.open("a", encoding="utf-8") as kept:
                        kept.write(json.dumps(rows[-1]) + "\n")
    asked.out.write_text(page(rows, asked.timeout), encoding="utf-8")
    return 0


def row_of(name: str, label: str, pipeline: str, timeout: float, pages: Path | None) -> dict[str, Any]:
    """One model in one pipeline."""
    stage = examples.load(name).stage("imported")
    module = rr.bind_constants(rr.parse(stage.text, filename=stage.path.name), stage.constants)
    target = "cuda" if pipeline == SCHEDULES else None
    compiler = compiler_of("tvm", target)
    started = time.process_time()
    try:
        found = validate_pipeline(module, compiler, pipeline, relax=RELAX, timeout=timeout)
    finally:
        compiler.close()
    if pages is not None:
        pages.mkdir(parents=True, exist_ok=True)
        file = pages / f"{name}-{label}.html".replace("/", "-").replace(" ", "-")
        file.write_text(comparison.followed(found), encoding="utf-8")
    took = time.process_time() - started
    ended = "" if found.ended is None else found.ended.why
    return {"model": name, "pipeline": label, "seconds": round(took, 1), "ended": ended, "passes": passes(found)}


def passes(found: PipelineVerdict) -> list[dict[str, Any]]:
    """A row for every function after every pass that changed it."""
    rows = []
    for each in found.passes:
        if each.unread:
            rows.append({"pass": each.name, "function": "", "word": each.word, "why": each.unread})
        for f in each.functions:
            why = getattr(f.answer, "unproved", "") or ("" if f.answer is None else str(f.answer))
            rows.append({"pass": each.name, "function": f.name, "word": f.word, "why": why})
    return rows


def page(rows: list[dict[str, Any]], timeout: float) -> str:
    """The page."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    by_pass: dict[str, Counter[str]] = defaultdict(Counter)
    rest: list[tuple[str, str, str, str, str]] = []
    for row in rows:
        key = f"{row['model']} | {row['pipeline']}"
        for each in row["passes"]:
            counts[key][each["word"]] += 1
            by_pass[each["pass"]][each["word"]] += 1
            if each["word"] not in ("PROVED", "UNCHANGED"):
                rest.append((row["model"], row["pipeline"], each["pass"], each["function"], said(each)))
    whole = sum(counts.values(), Counter[str]())
    asked = sum(whole.values()) - whole["UNCHANGED"]
    words = [word for word in ORDER if whole[word]]
    median = sorted(row["seconds"] for row in rows)[len(rows) // 2]
    lines = [
        "# TVM's pipelines on the example models",
        "",
        "What stands after each pass against what stood before it, for each public function of each model, for all "
        "shapes: `refrelax validate m.py --pipeline NAME --relax extreme-identity`. "
        f"Made by `tools/make_pipeline_table.py --timeout {timeout:g}` on apache-tvm 0.27.0.post1; the schedules are "
        "those that `dlight` applies by default, one after the other, after the passes of `zero`. A function that a "
        "pass left as it was asks nothing; a model or pipeline that has no row was not run.",
        "",
        f"**{whole['PROVED']} of {asked}** questions are proved for all shapes and values"
        + "".join(f", {whole[word]} {word}" for word in words if word not in ("PROVED", "UNCHANGED"))
        + f"; {whole['UNCHANGED']} asked nothing. A pipeline on a model took {median:.1f} s of processor time in the "
        f"median, {max(r['seconds'] for r in rows):.0f} s at most.",
        "",
        "## Models",
        "",
        f"| model | pipeline | {' | '.join(words)} | seconds | ended early |",
        f"|---|---|{'---:|' * len(words)}---:|---|",
    ]
    for row in rows:
        count = counts[f"{row['model']} | {row['pipeline']}"]
        cells = " | ".join(str(count[word] or "") for word in words)
        lines.append(f"| {row['model']} | {row['pipeline']} | {cells} | {row['seconds']} | {cell(row['ended'])} |")
    lines += ["", "## Passes", "", f"| pass | {' | '.join(words)} |", f"|---|{'---:|' * len(words)}"]
    for name, count in by_pass.items():
        if sum(count.values()) > count["UNCHANGED"]:
            lines.append(f"| {name} | {' | '.join(str(count[word] or '') for word in words)} |")
    lines += ["", "## What is not proved", "", "| model | pipeline | pass | function | why |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(map(cell, each))} |" for each in rest]
    return "\n".join(lines) + "\n"


ORDER = ("PROVED", "PROVED-AT", "TESTED", "UNDECIDED", "OPEN", "REFUTED", "NO-VERDICT", "UNREAD", "UNCHANGED")


def said(each: dict[str, str]) -> str:
    """The word and the end of the reason, where the descent got stuck."""
    lines = [line for line in each["why"].splitlines() if not line.startswith("relaxations")]
    return f"{each['word']}: {lines[-1] if lines else ''}"


def cell(text: str) -> str:
    """A text in a cell of a table."""
    one = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return one if len(one) <= 160 else one[:159] + "…"


if __name__ == "__main__":
    sys.exit(main())
