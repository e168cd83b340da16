"""TVM's passes in the order of the paper, as a pipeline for ``FILE.py:FUNCTION``: products to composite functions that
ask for a workspace, the rest to loop programs, fused, planned, captured, down to a virtual machine."""

from __future__ import annotations

from typing import Any

WORKSPACE = 64
"""Bytes that each composite function asks for; what TVM's own annotation asks for attention alone."""


def dispatched() -> Any:
    """With composite functions, which keep their bodies, down to recorded runs and a virtual machine."""
    return _chain(annotate=False, graphs=True)


def workspaces() -> Any:
    """With functions for code generation that ask for a workspace. No code is generated, so that local functions stay:
    of these RewriteCUDAGraph dies (of a segmentation fault), and VMShapeLower refuses them."""
    return _chain(annotate=True, graphs=False)


def _chain(annotate: bool, graphs: bool) -> Any:
    import tvm
    from tvm import relax
    from tvm.relax import transform as t
    from tvm.relax.backend.cuda import cublas  # noqa: F401 (it registers its patterns)

    @tvm.transform.module_pass(opt_level=0, name="AskForWorkspace")
    def ask(mod: Any, ctx: Any) -> Any:
        return _asking(mod)

    @tvm.transform.module_pass(opt_level=0, name="RewriteCUDAGraph")
    def recorded(mod: Any, ctx: Any) -> Any:
        with tvm.target.Target("cuda"), tvm.transform.PassContext(config={"relax.backend.use_cuda_graph": True}):
            return t.RewriteCUDAGraph()(mod)

    patterns = relax.backend.get_patterns_with_prefix("cublas")
    return tvm.transform.Sequential([
        t.FuseOpsByPattern(patterns, bind_constants=False, annotate_codegen=annotate),
        *([ask, t.AllocateWorkspace()] if annotate else []),
        t.LegalizeOps(), t.AnnotateTIROpPattern(), t.FuseOps(), t.FuseTIR(),
        t.RewriteDataflowReshape(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite(),
        t.StaticPlanBlockMemory(), *([recorded] if graphs else []),
        t.LowerAllocTensor(), t.KillAfterLastUse(), t.LowerRuntimeBuiltin(), t.ComputePrimValue(),
        *([] if annotate else [t.VMShapeLower()]),
    ])  # fmt: skip


def _asking(mod: Any) -> Any:
    """The module whose functions for code generation, and the composite functions in them, ask for a workspace."""
    from tvm import relax

    for var, func in list(mod.functions_items()):
        if not isinstance(func, relax.Function) or "Codegen" not in (func.attrs or {}):
            continue
        block = func.body.blocks[0]
        found = [_asked(each) for each in block.bindings]
        body = relax.SeqExpr([type(block)(found), *func.body.blocks[1:]], func.body.body)
        new = relax.Function(func.params, body, func.ret_ty, func.is_pure, func.attrs)
        mod[var] = new.with_attr("WorkspaceSize", WORKSPACE)
    return mod


def _asked(binding: Any) -> Any:
    from tvm import relax

    if not isinstance(binding.value, relax.Function):
        return binding
    return relax.VarBinding(binding.var, binding.value.with_attr("WorkspaceSize", WORKSPACE))
