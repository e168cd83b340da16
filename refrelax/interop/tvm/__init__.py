"""The bridge to TVM 0.27: live modules in, and TVM as an implementation to be judged.

The other direction needs no bridge: ``tvm.script.from_source`` reads what ``rr.print_module`` writes (with
constants, give it ``extra_vars`` that hold ``metadata["ir.GenericConst"]``).

TVM itself runs in a subprocess only (it can end with a segmentation fault or SIGFPE on legal programs);
``from_ir_module`` alone touches live objects, which are in the caller's process anyway.
"""

from __future__ import annotations

from typing import Any

from refrelax.interop.tvm.implementation import TvmImplementation
from refrelax.interop.tvm.passes import TvmPasses
from refrelax.interop.tvm.process import find_python
from refrelax.syntax.module import Module


def from_ir_module(mod: Any) -> Module:
    """A live ``tvm.IRModule`` (or one function of it, which becomes ``main``) as a ``Module``, constants included.

    Raises:
        Malformed: its script is outside the language.
        BridgeError: its text and its objects disagree on the constants.
    """
    from refrelax import api
    from refrelax.interop.tvm.live import text_and_constants

    text, constants = text_and_constants(mod)
    return api.bind_constants(api.parse(text, filename="<tvm>"), constants)


__all__ = ["TvmImplementation", "TvmPasses", "find_python", "from_ir_module"]
