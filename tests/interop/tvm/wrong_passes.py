"""Pipelines with a wrong pass, for TVM: run in the process that has it, by ``FILE.py:function``."""

# ruff: noqa
from __future__ import annotations

import os
import signal
import time

import tvm
from tvm import relax
from tvm.relax import transform as t


@relax.expr_functor.mutator
class Swap(relax.PyExprMutator):
    """``a - b`` becomes ``b - a``."""

    def visit_call_(self, call):
        call = super().visit_call_(call)
        if isinstance(call.op, tvm.ir.Op) and call.op.name == "relax.subtract":
            return relax.op.subtract(call.args[1], call.args[0])
        return call


@tvm.transform.module_pass(opt_level=0, name="SwapOperands")
def swap(mod, _ctx):
    out = tvm.IRModule(dict(mod.functions_items()))
    for gv, func in mod.functions_items():
        if isinstance(func, relax.Function):
            out[gv] = Swap(mod).visit_expr(func)
    return out


@tvm.transform.module_pass(opt_level=0, name="Crash")
def crash(mod, _ctx):
    os.kill(os.getpid(), signal.SIGSEGV)
    return mod


@tvm.transform.module_pass(opt_level=0, name="Hang")
def hang(mod, _ctx):
    time.sleep(60)
    return mod


@tvm.transform.module_pass(opt_level=0, name="Refuse")
def refuse(mod, _ctx):
    raise ValueError("not this one")


@tvm.transform.module_pass(opt_level=0, name="RefuseAtLength")
def refuse_at_length(mod, _ctx):
    raise ValueError("\n".join(f"line {k}" for k in range(3)))


def refusing_at_length():
    return [t.LegalizeOps(), refuse_at_length]


def swapped_first():
    return [swap, t.LegalizeOps(), t.FuseOps(), t.FuseTIR()]


def swapped_later():
    """The same, one pass later, in a container."""
    return tvm.ir.transform.Sequential([t.Normalize(), t.CanonicalizeBindings(), swap, t.LegalizeOps()])


def right():
    return [t.LegalizeOps(), t.FuseOps(), t.FuseTIR()]


def crashing():
    return [t.LegalizeOps(), crash, t.FuseOps()]


def hanging():
    return [t.LegalizeOps(), hang]


def refusing():
    return [t.LegalizeOps(), refuse]
