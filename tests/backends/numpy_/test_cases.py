"""Every conformance case that runs, through the NumPy backend in mode ``bits``: the same end, the same bits."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.conformance import data
from refrelax.conformance.cases import Case, load
from refrelax.conformance.library import LIBRARY
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax import bits, dtypes

CASES = [c for c in load() if c.module and c.runs and c.expect.kind in ("Returned", "Trapped")]


def same_bits(a: Any, b: Any) -> bool:
    """Equal bits wherever ``a`` is determined; any NaN equals any NaN."""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same_bits, a, b))
    if not isinstance(a, rr.Tensor):
        return bool(a == b or (a != a and b != b) or not isinstance(a, int | float | str | rr.Shape | None))
    if not isinstance(b, rr.Tensor) or (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    pairs = zip(a.patterns(), b.patterns(), strict=True)
    return all(x is None or y is None or x == y or _both_nan(a.dtype, x, y) for x, y in pairs)


def _both_nan(dtype: str, x: int, y: int) -> bool:
    a, b = bits.decode(dtype, x), bits.decode(dtype, y)
    return dtypes.is_float(dtype) and a != a and b != b


def compare(case: Case) -> str | None:
    """``None`` if both end alike, else the difference; ``Unsupported`` if NumPy cannot compile the module."""
    checked = rr.check(rr.bind_constants(rr.parse(case.module), dict(enumerate(map(data.to_value, case.constants)))))
    entry = case.entry or "main"
    compiled = rr.compile(checked, mode="bits")
    kept = contracts_of(checked.module)  # what is registered here need not keep the contract of a case
    externs = {name: each for name, each in LIBRARY.items() if name not in kept}
    wanted = rr.run(checked, entry, *map(data.to_value, case.args), externs=externs)
    found = compiled.run(entry, *map(data.to_value, case.args), externs=externs)
    if type(wanted) is not type(found):
        return f"expected {wanted}, found {found}"
    if not isinstance(wanted, rr.Returned) or not isinstance(found, rr.Returned):
        return None
    if not same_bits(wanted.value, found.value):
        return f"expected {wanted.value}, found {found.value}"
    if not same_bits(wanted.arguments, found.arguments):
        return f"expected the arguments {wanted.arguments}, found {found.arguments}"
    return None


MISSING = (
    "the operator relax.memory.", "the operator relax.builtin.alloc_tensor", "the operator relax.call_builtin_with_ctx",
    "the builtin ", "the operator relax.inspect.", "the operator relax.make_closure",
    "the operator relax.invoke_closure", "the operator relax.invoke_pure_closure",
    "a scalar of unknown type as ",
    "a vector store", "a barrier between threads", "memory shared between threads", "the expression Let",
    "the expression BufferRef",
    "the operator relax.call_inplace_packed", "the operator relax.call_py_func", "the operator relax.ccl.",
    "the operator relax.dist.",
    "the layout ", "T.decl_buffer", "a buffer match of a region",
    "the intrinsic T.", "a handle parameter without a buffer",
    "memory that each thread has for itself",
)  # fmt: skip
"""What the backend cannot compile: it says so, and nothing is said about the program."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    try:
        difference = compare(case)
    except Unsupported as missing:
        assert missing.what.startswith(MISSING)
    else:
        assert difference is None
