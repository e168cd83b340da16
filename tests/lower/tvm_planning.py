"""TVM's passes up to its memory planner, for ``FILE.py:planning``. Run where ``tvm`` can be imported."""


def planning():  # type: ignore[no-untyped-def]
    from tvm.relax import transform

    return [
        transform.LegalizeOps(),
        transform.RewriteDataflowReshape(),
        transform.ToNonDataflow(),
        transform.RemovePurityChecking(),
        transform.CallTIRRewrite(),
        transform.StaticPlanBlockMemory(),
        transform.LowerAllocTensor(),
        transform.KillAfterLastUse(),
    ]
