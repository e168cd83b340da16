"""Random sequences of TVM's passes and schedules, each in an order in which TVM promises to take them.

Graph passes come in any order, and again; schedules and passes over loop programs after ``LegalizeOps``; what lowers to
a virtual machine, or takes blocks from loop programs, comes last and in the order of TVM's own pipelines.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from refrelax.interop.tvm.pass_steps import PRIMITIVES

GRAPH = (
    "Normalize", "NormalizeGlobalVar", "CanonicalizeBindings", "ConvertToDataflow", "DeadCodeElimination",
    "EliminateCommonSubexpr", "FoldConstant", "TopologicalSort", "InlinePrivateFunctions", "LambdaLift",
    "ExpandTupleArguments", "RemoveUnusedParameters", "RemoveUnusedOutputs", "RemoveRedundantReshape",
    "ReorderPermuteDimsAfterConcat", "ReorderTakeAfterMatmul", "AdjustMatmulOrder", "ExpandMatmulOfSum",
    "CombineParallelMatmul", "FuseTransposeMatmul", "OptimizeLayoutTransform", "DecomposeOpsForInference",
    "FoldBatchnormToConv2D", "DataflowUseInplaceCalls", "SpecializePrimFuncBasedOnCallSite",
)  # fmt: skip
"""Passes that say nothing of what must have come before."""

LEGALIZE = "LegalizeOps"

LOOPS = (
    "s_tir.StmtSimplify", "s_tir.CanonicalizeLoop", "s_tir.RenormalizeSplitPattern", "tirx.StmtSimplify",
    "dlight.gpu.Matmul", "dlight.gpu.GEMV", "dlight.gpu.Reduction", "dlight.gpu.GeneralReduction",
    "dlight.gpu.RMSNorm", "dlight.gpu.Transpose", "dlight.gpu.LowBatchGEMV", "dlight.gpu.Fallback",
    "dlight.cpu.GEMV", "dlight.cpu.Reduction",
)  # fmt: skip
"""Passes and default schedules for loop programs that have blocks."""

FUSE = ("AnnotateTIROpPattern", "FuseOps", "FuseTIR")

ENDING = (
    "RewriteDataflowReshape", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite", "StaticPlanBlockMemory",
    "RewriteCUDAGraph", "LowerAllocTensor", "KillAfterLastUse", "LowerRuntimeBuiltin", "ComputePrimValue",
    "VMShapeLower",
)  # fmt: skip
"""Down to a virtual machine, in this order."""

OPTIONAL = frozenset(
    {"RewriteDataflowReshape", "StaticPlanBlockMemory", "RewriteCUDAGraph", "KillAfterLastUse", "ComputePrimValue"}
)
"""Of ``ENDING``, what may be left out."""

BLOCKS = (
    "s_tir.LowerCrossThreadReduction", "s_tir.LowerInitBlock", "s_tir.PlanAndUpdateBufferAllocationLocation",
    "s_tir.ConvertBlocksToOpaque", "s_tir.LiftThreadBinding", "s_tir.ManifestSharedMemoryLocalStage",
    "s_tir.CompactBufferAllocation", "s_tir.UnifyThreadBinding", "s_tir.LowerMatchBuffer", "s_tir.StmtSimplify",
    "s_tir.InjectSoftwarePipeline", "s_tir.LowerOpaqueBlock", "tirx.FlattenBuffer", "tirx.BF16ComputeLegalize",
    "tirx.NarrowDataType(32)", "s_tir.LoopPartition", "tirx.VectorizeLoop", "s_tir.InjectVirtualThread",
    "tirx.StorageRewrite", "s_tir.HoistIfThenElse", "tirx.UnrollLoop", "tirx.StmtSimplify", "tirx.RemoveNoOp",
    "s_tir.RewriteUnsafeSelect", "tirx.CommonSubexprElim",
)  # fmt: skip
"""Out of blocks, in this order: what ``tvm.compile`` does with loop programs."""

MOST = 5
"""Steps of a kind."""


def sequence(turn: random.Random) -> tuple[str, ...]:
    """Some steps, legal together."""
    steps = [turn.choice(GRAPH) for _ in range(turn.randrange(MOST))]
    if turn.random() < 0.85:
        steps.append(LEGALIZE)
        for _ in range(turn.randrange(MOST + 1)):
            steps += _middle(turn)
        if turn.random() < 0.5:
            steps += _ending(turn)
    return tuple(steps) or (LEGALIZE,)


def _middle(turn: random.Random) -> list[str]:
    what = turn.random()
    if what < 0.5:
        return [primitive(turn)]
    if what < 0.75:
        return [turn.choice(LOOPS)]
    return list(FUSE) if what < 0.85 else [turn.choice(GRAPH)]


def primitive(turn: random.Random) -> str:
    """A primitive of a schedule, its loop program, block, loops and factors by number."""
    numbers = [turn.randrange(4), turn.randrange(4), *(turn.choice((0, 1, 2, 3, 4, 5)) for _ in range(3))]
    return f"sch.{turn.choice(tuple(PRIMITIVES))}({','.join(map(str, numbers))})"


def _ending(turn: random.Random) -> list[str]:
    found: list[str] = []
    if turn.random() < 0.7:
        last = turn.randrange(1, len(ENDING) + 1)
        found += [each for each in ENDING[:last] if each not in OPTIONAL or turn.random() < 0.7]
    if turn.random() < 0.5:
        found += BLOCKS[: turn.randrange(1, len(BLOCKS) + 1)]
    return found


def varied(turn: random.Random, steps: Sequence[str]) -> tuple[str, ...]:
    """The steps with one or two inserted, left out, exchanged, or with other numbers; legal like ``sequence``."""
    for _ in range(20):
        found = list(steps)
        for _ in range(turn.randrange(1, 3)):
            at = turn.randrange(len(found) + 1)
            match turn.randrange(4):
                case 0 if found:
                    del found[min(at, len(found) - 1)]
                case 1 if len(found) > 1:
                    j, k = turn.sample(range(len(found)), 2)
                    found[j], found[k] = found[k], found[j]
                case 2 if any("(" in each for each in found):
                    k = turn.choice([k for k, each in enumerate(found) if each.startswith("sch.")] or [0])
                    if found[k].startswith("sch."):
                        numbers = primitive(turn).partition("(")[2]
                        found[k] = f"{found[k].partition('(')[0]}({numbers}"
                case _:
                    found[at:at] = turn.choice(([turn.choice(GRAPH)], _middle(turn), _ending(turn)))
        if found and legal(found) and tuple(found) != tuple(steps):
            return tuple(found)
    return sequence(turn)


def legal(steps: Sequence[str]) -> bool:
    """Whether TVM promises to take the steps in this order: graph, ``LegalizeOps`` and loop programs, virtual machine,
    out of blocks; of the last two each begins at its beginning and leaves nothing out that is needed."""
    first = next((k for k, each in enumerate(steps) if each == BLOCKS[0]), len(steps))
    free, blocks = list(steps[:first]), list(steps[first:])
    start = next((k for k, each in enumerate(free) if each in ENDING), len(free))
    middle, ending = free[:start], free[start:]
    places = [ENDING.index(each) for each in ending if each in ENDING]
    needed = [each for each in ENDING if each not in OPTIONAL]
    have = [each for each in ending if each in needed]
    alone = all(each in (*GRAPH, *LOOPS, *FUSE, LEGALIZE) or each.startswith("sch.") for each in middle)
    return (
        alone
        and len(places) == len(ending)
        and places == sorted(set(places))
        and have == needed[: len(have)]
        and blocks == list(BLOCKS[: len(blocks)])
        and (LEGALIZE in middle or not (ending or blocks))
        and ("FuseTIR" not in middle or _fused(middle))
    )


def _fused(middle: Sequence[str]) -> bool:
    """Whether what ``FuseTIR`` needs stands before it."""
    at = middle.index("FuseTIR")
    return set(FUSE[:2]) <= set(middle[:at])
