"""Every pass that TVM exports, on the example models, a verdict for each: ``docs/tvm-passes.md``.

    REFRELAX_TVM_PYTHON=… .venv/bin/python tools/make_pass_table.py [--only FoldConstant] [--models mlp,cnn]
        [--timeout 60] [--rows ROWS.jsonl] [--out FILE]

A pass is applied where it may stand: to the imported model, after ``LegalizeOps``, on the way to the virtual machine,
or on the way out of blocks, for a CPU or after the default schedules for a GPU. What it gives is held against what it
was given, for each public function. ``--timeout`` is for one pass on one model (processor time); ``--rows`` keeps each
row, and those that it has are not asked anew.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import refrelax as rr  # noqa: E402
from refrelax import examples  # noqa: E402
from refrelax.interop.names import compiler_of  # noqa: E402
from refrelax.interop.tvm.sequences import BLOCKS, ENDING, FUSE, GRAPH, LEGALIZE, LOOPS  # noqa: E402
from refrelax.judge.pipelines import Asked, PipelineVerdict, Recorded, along, public_functions  # noqa: E402
from tools.make_pipeline_table import ORDER, RELAX, SCHEDULES, cell, passes, said  # noqa: E402

OUT = ROOT / "docs" / "tvm-passes.md"

MODELS = ("mlp", "cnn", "decoder", "paper/llama", "paper/whisper")

FLAT = (*BLOCKS[: BLOCKS.index("tirx.FlattenBuffer") + 1],)
"""Out of blocks, with flat memory."""

LEGAL = (LEGALIZE,)
FUSED = (LEGALIZE, *FUSE)
GPU = (*SCHEDULES.split(","),)
VM = (*FUSED, *ENDING)
BEFORE_FLAT = (*BLOCKS[: BLOCKS.index("tirx.FlattenBuffer")],)


def before(way: Sequence[str], name: str) -> tuple[str, ...]:
    """What comes before a pass on a way."""
    return tuple(way[: list(way).index(name)])


def bound(target: str) -> tuple[str, ...]:
    """Out of blocks, for a target that the functions name."""
    return (*BLOCKS, f"tirx.BindTarget({target})", "tirx.AnnotateEntryFunc")


FOR_TARGET = ("tirx.LowerIntrin", "tirx.LowerWarpMemory", "tirx.SplitHostDevice", "tirx.MakePackedAPI",
              "tirx.LowerTVMBuiltin", "s_tir.LowerThreadAllreduce", "tirx.BF16StorageLegalize",
              "tirx.FP8StorageLegalize")  # fmt: skip
"""Passes that ask functions for their target."""

SYNCHRONISED = ("s_tir.ThreadSync(shared)",)
"""What must stand before barriers are written for anything else: from then on none is owed."""

TARGETS = {"": "llvm", "gpu": "nvidia/nvidia-a100"}

PLACES: dict[str, tuple[str, ...]] = {
    # of the graph
    **dict.fromkeys(GRAPH, ()),
    "LegalizeOps": (),
    "DataflowUseInplaceCalls": ("ConvertToDataflow",),
    "DecomposeOpsForTraining": (),
    "FastMathTransform": (),
    "ToMixedPrecision": (),
    "ConvertLayout": (),
    "MergeCompositeFunctions": (),
    "RunCodegen": (),
    "LiftTransformParams": (),
    "BundleModelParams": (),
    "LazyTransformParams": ("LiftTransformParams",),
    "LazyGetInput": (),
    "LazySetOutput": (),
    "RealizeVDevice": (),
    "AttachGlobalSymbol": LEGAL,
    "AnnotateTIROpPattern": LEGAL,
    "FuseOps": (*LEGAL, *FUSE[:1]),
    "FuseTIR": (*LEGAL, *FUSE[:2]),
    "SpecializePrimFuncBasedOnCallSite": FUSED,
    "AttachAttrLayoutFreeBuffers": FUSED,
    "SplitLayoutRewritePreproc": (*FUSED, "AttachAttrLayoutFreeBuffers"),
    "AllocateWorkspace": FUSED,
    **{name: (*FUSED, *before(ENDING, name)) for name in ENDING},
    "LowerGPUIPCAllocStorage": (*FUSED, *before(ENDING, "KillAfterLastUse")),
    # of loop programs with blocks
    **dict.fromkeys(LOOPS, LEGAL),
    "tirx.ConvertSSA": LEGAL,
    "s_tir.ConvertSSA": LEGAL,
    "tirx.InlinePrivateFunctions": LEGAL,
    "s_tir.DefaultGPUSchedule": LEGAL,
    "s_tir.UseAssumeToReduceBranches": LEGAL,
    "s_tir.RemoveWeightLayoutRewriteBlock": LEGAL,
    "s_tir.AnnotateIrregularLoop": LEGAL,
    "s_tir.HoistExpression": LEGAL,
    "tirx.RemoveAssume": LEGAL,
    "tirx.SkipAssert": LEGAL,
    "tirx.FP8ComputeLegalize": LEGAL,
    "tirx.AnnotateEntryFunc": LEGAL,
    # out of blocks
    **{name: (*FUSED, *before(BLOCKS, name)) for name in BLOCKS if name not in LOOPS},
    "s_tir.TransformMmaBufferLayout": (*FUSED, *before(BLOCKS, "s_tir.LowerOpaqueBlock")),
    "s_tir.InjectPermutedLayout": (*FUSED, *before(BLOCKS, "s_tir.LowerOpaqueBlock")),
    "s_tir.LowerAutoCopy": (*FUSED, *before(BLOCKS, "s_tir.UnifyThreadBinding")),
    "tirx.LowerTIRxOpaque": (*FUSED, *BEFORE_FLAT),
}
"""Where a pass stands: what runs before it. One that is not listed comes after all of ``BLOCKS``, the last passes of
TVM that leave functions which can be called as before."""

ARGUMENTS = {
    "tirx.NarrowDataType": ("32",),
    "s_tir.ThreadSync": ("shared", "global"),
}
"""Of passes that need one: what they are given."""

ALIASES = frozenset({"VMBuiltinLower"})
"""Other names of passes."""

NEEDS = {
    "AlterOpImpl": "replacements of loop programs",
    "AttachExternModules": "compiled modules",
    "BindParams": "values of parameters",
    "BindSymbolicVars": "values of symbols",
    "ConvertLayout": "layouts",
    "DataflowBlockPass": "a function: it makes passes",
    "FunctionPass": "a function: it makes passes",
    "FuseOpsByPattern": "patterns",
    "Gradient": "a function, which gets another signature",
    "IPCAllReduceRewrite": "several devices",
    "MetaScheduleApplyDatabase": "a database of schedules",
    "MetaScheduleTuneIRMod": "a device to measure on",
    "MetaScheduleTuneTIR": "a device to measure on",
    "SplitCallTIRByPattern": "patterns",
    "UpdateParamType": "a function",
    "UpdateVDevice": "a device",
    "tirx.Apply": "a function",
    "tirx.BindTarget": "a target: it sets an attribute",
    "tirx.Filter": "a condition: it removes functions",
    "tirx.PrimFuncPass": "a function: it makes passes",
}
"""Exported, and not asked: what they need."""


def exported() -> list[str]:
    """The passes that this TVM exports and that need nothing, or what ``ARGUMENTS`` gives."""
    python = os.environ.get("REFRELAX_TVM_PYTHON", sys.executable)
    program = LISTING.format(arguments=ARGUMENTS)
    ran = subprocess.run([python, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    return [name for name in json.loads(ran.stdout.splitlines()[-1]) if name not in ALIASES]


LISTING = """
import json, tvm
from tvm import relax
from tvm.ir.transform import Pass
found = []
for prefix, where in (("", relax.transform), ("tirx.", tvm.tirx.transform), ("s_tir.", tvm.s_tir.transform)):
    for name in sorted(dir(where)):
        make = getattr(where, name)
        if name.startswith("_") or not callable(make):
            continue
        for given in {arguments!r}.get(prefix + name, ("",)):
            try:
                made = make(*([int(given) if given.isdigit() else given] if given else []))
            except Exception:
                continue
            if isinstance(made, Pass):
                found.append(prefix + name + (f"({{given}})" if given else ""))
print(json.dumps(found))
"""


def ways(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where a pass is asked: ``cpu``, and after the default schedules for a GPU if it comes after loops are fused."""
    place = PLACES.get(name.partition("(")[0], PLACES.get(name, (*FUSED, *BLOCKS)))
    if name in FOR_TARGET:
        synchronised = SYNCHRONISED if name == "s_tir.LowerThreadAllreduce" else ()
        yield "", (*FUSED, *bound(TARGETS[""]), *synchronised)
        yield "gpu", (*GPU, *bound(TARGETS["gpu"]), *synchronised)
        return
    yield "", place
    if place[: len(FUSED)] == FUSED and name.startswith(("tirx.", "s_tir.")):
        yield "gpu", (*GPU, *place[len(FUSED) :])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--rows", type=Path)
    asked = parser.parse_args()
    rows = [] if asked.rows is None or not asked.rows.exists() else list(map(json.loads, asked.rows.open()))
    known = {(row["model"], row["pass"], row["for"]) for row in rows}
    compilers = {"": compiler_of("tvm", None), "gpu": compiler_of("tvm", "cuda")}
    names = exported()
    for model in asked.models.split(","):
        for name in names:
            for target, place in ways(name):
                if asked.only in name and (model, name, target) not in known:
                    row = row_of(model, name, target, place, compilers[target], asked.timeout)
                    rows.append(row)
                    words = [each["word"] for each in row["functions"]]
                    print(model, name, target, words, row["ended"][:80], file=sys.stderr, flush=True)
                    if asked.rows is not None:
                        with asked.rows.open("a", encoding="utf-8") as kept:
                            kept.write(json.dumps(row) + "\n")
    asked.out.write_text(page(rows, names, asked.timeout), encoding="utf-8")
    return 0


def row_of(model: str, name: str, target: str, place: tuple[str, ...], compiler: Any, timeout: float) -> dict[str, Any]:
    """One pass on one model."""
    stage = examples.load(model).stage("imported")
    module = rr.bind_constants(rr.parse(stage.text, filename=stage.path.name), stage.constants)
    row = {"model": model, "pass": name, "for": target, "after": list(place), "functions": [], "seconds": 0.0}
    way = Recorded.of(compiler, module, ",".join((*place, name)))
    if way.ended is not None:
        where = "" if way.ended.name == name else f"before it, {way.ended.name} "
        return {**row, "ended": f"{where}{way.ended.message}"}
    try:
        given = rr.check(way.given[-2].module())
    except rr.Rejection as rejection:
        return {**row, "ended": f"before it: {rejection.diagnostics[0]}"}
    started = time.process_time()
    asked = Asked(public_functions(given.module), relax=RELAX, timeout=timeout, correspond=True)
    found = tuple(along(given, Recorded(way.given[-1:]), asked))
    took = round(time.process_time() - started, 2)
    return {**row, "ended": "", "seconds": took, "functions": passes(PipelineVerdict(name, found))}


def page(rows: list[dict[str, Any]], names: list[str], timeout: float) -> str:
    """The page."""
    by_pass: dict[str, Counter[str]] = defaultdict(Counter)
    rest: list[tuple[str, ...]] = []
    for row in rows:
        label = f"{row['pass']} (GPU)" if row["for"] else row["pass"]
        if row["ended"]:
            by_pass[label]["refused by TVM"] += 1
            rest.append((row["pass"], row["model"], row["for"], "", f"refused by TVM: {row['ended']}"))
        for each in row["functions"]:
            by_pass[label][each["word"]] += 1
            if each["word"] not in ("PROVED", "UNCHANGED"):
                rest.append((row["pass"], row["model"], row["for"], each["function"], said(each)))
    whole = sum(by_pass.values(), Counter[str]())
    asked = sum(whole[word] for word in ORDER if word != "UNCHANGED")
    words = [word for word in (*ORDER, "refused by TVM") if whole[word]]
    models = ", ".join(dict.fromkeys(row["model"] for row in rows))
    seconds = sorted(row["seconds"] for row in rows if row["functions"]) or [0.0]
    listed = "; ".join(f"`{name}` ({why})" for name, why in NEEDS.items())
    lines = [
        "# TVM's passes, one by one",
        "",
        f"Every pass that apache-tvm 0.27.0.post1 exports and that needs no argument of the caller ({len(names)}), on "
        f"{models}: what it gives against what it was given, for each public function, for all shapes. Made by "
        f"`tools/make_pass_table.py --timeout {timeout:g}`, which says what ran before each. *(GPU)*: after the "
        "default schedules of `dlight`. *UNCHANGED*: the pass left all that the function reaches as it was.",
        "",
        f"**{whole['PROVED']} of {asked}** questions are proved for all shapes and values"
        + "".join(f", {whole[word]} {word}" for word in words if word not in ("PROVED", "UNCHANGED", "refused by TVM"))
        + f"; {whole['UNCHANGED']} asked nothing, and TVM refused {whole['refused by TVM']} programs. A pass on a "
        f"model took {seconds[len(seconds) // 2]:.2f} s of processor time in the median, {seconds[-1]:.0f} s at most.",
        "",
        f"Not asked, since they need something of the caller: {listed}.",
        "",
        f"| pass | {' | '.join(words)} |",
        f"|---|{'---:|' * len(words)}",
    ]
    lines += [f"| {n} | {' | '.join(str(c[word] or '') for word in words)} |" for n, c in sorted(by_pass.items())]
    lines += ["", "## What is not proved", "", "| pass | model | for | function | why |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(map(cell, each))} |" for each in rest]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
