"""Strategies for elements, tensors and whole argument lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any, get_args

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from refrelax.errors import UsageError
from refrelax.running.arrays import Tensor, pack
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.values import DType, Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.types import AnyType, DTensorType, PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.testing.arguments import Policy, parameters
from refrelax.testing.building import all_dims
from refrelax.testing.options import check_integer

Elements = st.SearchStrategy[int]
"""Bit patterns of one dtype."""


def elements(dtype: str, *, policy: Policy = "dyadic") -> Elements:
    """Bit patterns of ``dtype`` (see ``call_arguments`` for the policies).

    >>> elements("float32", policy="integer").example()  # doctest: +SKIP
    1073741824
    """
    _check_policy(policy)
    if not isinstance(dtype, str) or not dtypes.is_dtype(dtype) or dtypes.kind(dtype) in ("handle", "void"):
        raise InvalidArgument(f"dtype={dtype!r}: expected the name of a dtype with elements")
    match dtypes.kind(dtype):
        case "bool":
            return st.integers(0, 1)
        case "float":
            return _floats(dtype, policy)
        case _:
            low, high = dtypes.integer_range(dtype)
            small = st.integers(max(low, -8), min(high, 8))
            if policy == "special":
                small |= st.sampled_from(sorted({low, high, low + 1, high - 1}))
            return small.map(lambda n: bits.encode(dtype, n))


def _floats(dtype: str, policy: Policy) -> Elements:
    match policy:
        case "integer":
            return st.integers(-4, 4).map(lambda n: bits.encode(dtype, float(n)))
        case "dyadic":
            return st.integers(-8, 8).map(lambda n: bits.encode(dtype, n / 4))
        case "normal":
            finite = st.floats(-4.0, 4.0, width=16)
            return finite.map(lambda x: bits.encode(dtype, x))
        case "special":
            return st.one_of(_floats(dtype, "dyadic"), st.sampled_from(special_floats(dtype)))


def special_floats(dtype: str) -> list[int]:
    """Zeros of both signs, infinities, a NaN, the least positive numbers, the greatest, and 1 and its neighbour."""
    width = dtypes.bits(dtype)
    sign = 1 << (width - 1)
    one = bits.encode(dtype, 1.0)
    infinite = [bits.encode(dtype, float(text)) for text in ("inf", "-inf", "nan")]
    return list(dict.fromkeys([0, sign, *infinite, 1, sign | 1, one, one + 1, infinite[0] - 1]))


def _check_policy(policy: str) -> None:
    if policy not in get_args(Policy):
        raise InvalidArgument(f"policy={policy!r}: expected one of {', '.join(get_args(Policy))}")


def tensors(
    dtype: str | st.SearchStrategy[str] | None = None,
    shape: tuple[int, ...] | st.SearchStrategy[tuple[int, ...]] | None = None,
    *,
    policy: Policy = "dyadic",
) -> st.SearchStrategy[Tensor]:
    """Tensors (``rr.Tensor``).

    ``dtype``: a name or a strategy of names (default: any of the generated dtypes). ``shape``: extents or a strategy of
    them (default: up to three axes of at most four). ``policy``: as in ``call_arguments``.

    >>> tensors("float32", (2,), policy="integer").example()  # doctest: +SKIP
    Tensor(float32[2], [0.0, 3.0])
    """
    from refrelax.testing.options import DTYPES

    _check_policy(policy)
    names = st.sampled_from(DTYPES) if dtype is None else st.just(dtype) if isinstance(dtype, str) else dtype
    if not isinstance(names, st.SearchStrategy):
        raise InvalidArgument(f"dtype={dtype!r}: expected a name or a strategy of names")
    shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple) if shape is None else shape
    if isinstance(shapes, tuple):
        if not all(isinstance(e, int) and e >= 0 for e in shapes):
            raise InvalidArgument(f"shape={shape!r}: expected extents of at least 0")
        shapes = st.just(shapes)
    if not isinstance(shapes, st.SearchStrategy):
        raise InvalidArgument(f"shape={shape!r}: expected extents or a strategy of them")
    return _tensors(names, shapes, policy)


@st.composite
def _tensors(draw: Any, names: Any, shapes: Any, policy: Policy) -> Tensor:
    return draw(_tensor(draw(names), draw(shapes), policy))  # type: ignore[no-any-return]


@lru_cache(maxsize=1 << 12)
def _tensor(dtype: str, shape: tuple[int, ...], policy: Policy) -> st.SearchStrategy[Tensor]:
    """A tensor whose elements are a few drawn ones, repeated: large tensors must not exhaust the choices."""
    count = prod(shape)
    if count == 0:
        return st.just(Tensor.of_bytes(dtype, shape, b""))
    drawn = st.lists(elements(dtype, policy=policy), min_size=min(count, 8), max_size=min(count, 8))

    def fill(patterns: list[int]) -> Tensor:
        # a stride coprime to the count keeps neighbouring rows different
        cells = [patterns[(k * 5 + k // 8) % len(patterns)] for k in range(count)]
        return Tensor.of_bytes(dtype, shape, pack(dtype, cells))

    return drawn.map(fill)


# --- arguments -------------------------------------------------------------------------------------------------------

EXTENTS = (2, 3, 1, 4, 0)
"""Extents of symbols, simplest first: sizes 0 and 1 are as likely as any."""


def call_arguments(
    module: Module,
    entry: str = "main",
    *,
    policy: Policy = "dyadic",
    dims: Mapping[str, int] | None = None,
    max_extent: int = 4,
) -> st.SearchStrategy[list[Any]]:
    """Arguments for a function of ``module``, of the right types.

    Symbols are drawn once, so related dims (``n``, ``n * 2``, ``n + 1``) fit each other; ``dims`` fixes some.

    ``policy``: ``"dyadic"`` small multiples of 1/4, on which sums and products are exact; ``"integer"`` small whole
    numbers; ``"normal"`` floats of moderate size; ``"special"`` also NaN, infinities, -0, subnormals, and the least and
    greatest integers. Sizes 0 and 1 occur under every policy.

    >>> from hypothesis import given, strategies as st
    >>> @given(st.data())  # doctest: +SKIP
    ... def test_main(data):
    ...     args = data.draw(rr.testing.call_arguments(checked.module))
    ...     rr.run(checked, "main", *args)

    Raises:
        InvalidArgument: an unknown policy, no such function, or a parameter (a function) that cannot be made up.
    """
    _check_policy(policy)
    check_integer("max_extent", max_extent, 1)
    if not isinstance(module, Module):
        raise InvalidArgument(f"module={module!r}: expected a Module")
    try:
        given = parameters(module, entry)
    except UsageError as error:
        raise InvalidArgument(str(error)) from None
    sizes = [e for e in EXTENTS if e <= max_extent] + list(range(5, max_extent + 1))

    return _arguments(given, sizes, dims or {}, policy)


@st.composite
def _arguments(draw: Any, given: Any, sizes: list[int], dims: Mapping[str, int], policy: Policy) -> list[Any]:
    symbols = dict(dims)
    for name, type_ in given:
        for dim in all_dims(type_):
            for symbol in sorted(free_symbols(dim)):
                if symbol not in symbols:
                    symbols[symbol] = draw(st.sampled_from(sizes))
        if isinstance(type_, PrimType) and not dtypes.is_float(type_.dtype) and name not in symbols:
            symbols[name] = draw(st.sampled_from(sizes if type_.dtype != "bool" else [0, 1]))
    return [draw(_argument(name, type_, symbols, policy)) for name, type_ in given]


def _argument(name: str, type_: Type, symbols: Mapping[str, int], policy: Policy) -> st.SearchStrategy[Any]:
    match type_:
        case TensorType():
            return _typed_tensor(type_, symbols, policy)
        case DTensorType(tensor=tensor):
            return _typed_tensor(tensor, symbols, policy)
        case ShapeType(values=tuple() as values):
            return st.just(Shape(tuple(dim_value(d, symbols) for d in values)))
        case ShapeType(ndim=ndim):
            rank = st.integers(0, 3) if ndim < 0 else st.just(ndim)
            return rank.flatmap(lambda r: st.tuples(*[st.integers(0, 4)] * r)).map(Shape)
        case PrimType(dtype=dtype) if dtypes.is_float(dtype) and name in symbols:
            return st.just(float(symbols[name]))
        case PrimType(dtype=dtype) if dtypes.is_float(dtype):
            return elements(dtype, policy="dyadic").map(lambda p: bits.decode(dtype, p))
        case PrimType(dtype=dtype):
            return st.just(bool(symbols[name]) if dtype == "bool" else symbols[name])
        case TupleType(fields=fields):
            return st.tuples(*(_argument(name, each, symbols, policy) for each in fields))
        case AnyType():
            return st.just(DType("float32"))
        case _:
            raise InvalidArgument(f"the parameter {name} is a function: it cannot be made up")


def _typed_tensor(type_: TensorType, symbols: Mapping[str, int], policy: Policy) -> st.SearchStrategy[Tensor]:
    dtype = type_.dtype or "float32"
    if isinstance(type_.shape, tuple):
        return _tensor(dtype, tuple(_extent(d, symbols) for d in type_.shape), policy)
    rank = st.integers(0, 3) if type_.ndim < 0 else st.just(type_.ndim)
    shapes = rank.flatmap(lambda r: st.tuples(*[st.integers(0, 3)] * r))
    return shapes.flatmap(lambda shape: _tensor(dtype, shape, policy))


def _extent(dim: PrimExpr, symbols: Mapping[str, int]) -> int:
    known = as_int(dim)
    if known is not None:
        return known
    return max(0, symbols[dim.name] if isinstance(dim, SymVar) else dim_value(dim, symbols))
