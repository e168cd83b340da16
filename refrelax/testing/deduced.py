"""Whether a value is what its deduced type says, under the extents of a run.

Spec: ``spec/05b-judgements.md``, *Soundness* (2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refrelax.errors import Ended
from refrelax.running.arrays import Tensor
from refrelax.semantics.dims import exact
from refrelax.semantics.ops.common import as_tensor_type
from refrelax.semantics.values import Shape
from refrelax.syntax.scalars import PrimExpr, as_int, free_symbols
from refrelax.syntax.types import ShapeType, TupleType, Type


def mistyped(deduced: Type, value: Any, env: Mapping[str, int]) -> str | None:
    """Why ``value`` is none of type ``deduced`` where the symbols have the values of ``env``; ``None`` if it is one.

    Dtypes, ranks, and the extents that can be told from ``env`` count.
    """
    if isinstance(deduced, TupleType):
        if not isinstance(value, tuple) or len(value) != len(deduced.fields):
            return f"expected {deduced}, found {value!r}"
        pairs = zip(deduced.fields, value, strict=True)
        return next((why for field, each in pairs if (why := mistyped(field, each, env))), None)
    tensor = as_tensor_type(deduced)
    if tensor is not None and isinstance(value, Tensor):
        if tensor.dtype not in (None, value.dtype) or tensor.ndim not in (-1, len(value.shape)):
            return f"expected {deduced}, found {value.dtype} of shape {value.shape}"
        return _other_extents(deduced, tensor.shape, value.shape, env)
    if isinstance(deduced, ShapeType) and isinstance(value, Shape):
        return _other_extents(deduced, deduced.values, value.dims, env)
    return None


def _other_extents(deduced: Type, dims: Any, found: tuple[int, ...], env: Mapping[str, int]) -> str | None:
    if not isinstance(dims, tuple):
        return None
    wanted = tuple(_extent(dim, env) for dim in dims)
    if len(wanted) == len(found) and all(a in (None, b) for a, b in zip(wanted, found, strict=True)):
        return None
    return f"expected {deduced}, of extents {wanted} where {dict(env)}, found {found}"


def negative(deduced: Type) -> str | None:
    """Why a deduced type is no type of any value: an extent that is a negative number; ``None`` if none is."""
    if isinstance(deduced, TupleType):
        return next((why for field in deduced.fields if (why := negative(field))), None)
    tensor = as_tensor_type(deduced)
    dims = tensor.shape if tensor is not None else None
    numbers = [as_int(dim) for dim in dims] if isinstance(dims, tuple) else []
    return f"{deduced} has a negative extent" if any(n is not None and n < 0 for n in numbers) else None


def _extent(dim: PrimExpr, env: Mapping[str, int]) -> int | None:
    if not free_symbols(dim) <= set(env):
        return None
    try:
        return exact.value(dim, env)
    except Ended:
        return None
