"""Whether ``T.exp(x)`` says all of a call: its dtype, its arguments and its attributes.

The reader folds some calls while it builds them, fills in defaults, and takes the dtype of a result from the operands;
``T.call_intrin`` and ``T.Call`` hold what that would lose.

Spec: ``spec/03c-printing-and-json.md``, *Scalars*.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.syntax import dtypes
from refrelax.syntax.read import rewrites
from refrelax.syntax.read.building import BuildError
from refrelax.syntax.read.intrinsics import BUILT, FLOAT_ONLY, INTRINSICS
from refrelax.syntax.scalars import Intrinsic, PrimExpr

_FOLDING: dict[str, Callable[..., PrimExpr]] = {**rewrites.UNARY, **rewrites.BINARY, **rewrites.TERNARY}


def short(node: Intrinsic) -> bool:
    """Whether the reader builds exactly ``node`` from ``T.<op>(…)``; of what has no other spelling, true."""
    if node.op in BUILT:
        return _folds_to(node)
    signature = INTRINSICS.get(node.op)
    if signature is None:
        return True
    if len(node.args) < signature.least or (signature.most is not None and len(node.args) > signature.most):
        return False
    given = dict(node.attrs).get(signature.dtype_key) if signature.dtype_key else None
    result = given if given is not None else signature.result
    if isinstance(result, str) and result.startswith("arg"):
        result = node.args[int(result[3:])].dtype
    if node.op in FLOAT_ONLY and dtypes.kind(node.dtype) != "float":
        return False
    return result in ("text", node.dtype)


def _folds_to(node: Intrinsic) -> bool:
    try:
        return _FOLDING[node.op](*node.args) == node
    except (BuildError, TypeError):  # operands that it does not take, or another number of them
        return False
