"""Pipelines for ``refrelax bisect --pipeline tools/tvm_pipelines.py:NAME``: run in the process that has TVM."""

from __future__ import annotations

from typing import Any


def lifted() -> list[Any]:
    """``default_build`` for programs with local functions, which TVM wants lifted first."""
    from tvm import relax

    return [relax.transform.LambdaLift(), relax.get_pipeline("default_build")]


def inlined() -> list[Any]:
    """``InlinePrivateFunctions`` alone."""
    from tvm.relax import transform as t

    return [t.InlinePrivateFunctions()]


def tidied() -> list[Any]:
    """The graph-level clean-ups that front ends run."""
    from tvm.relax import transform as t

    return [
        t.Normalize(),
        t.CanonicalizeBindings(),
        t.EliminateCommonSubexpr(),
        t.ConvertToDataflow(),
        t.TopologicalSort(),
        t.FoldConstant(),
        t.DeadCodeElimination(),
        t.InlinePrivateFunctions(),
        t.DeadCodeElimination(),
        t.RemoveUnusedOutputs(),
        t.ExpandTupleArguments(),
        t.RemoveUnusedParameters(),
        t.FuseTransposeMatmul(),
        t.DecomposeOpsForInference(),
        t.RemoveRedundantReshape(),
        t.LambdaLift(),
    ]
