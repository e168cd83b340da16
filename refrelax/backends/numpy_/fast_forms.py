"""Array forms that use permitted reassociation: contractions as ``einsum``, reductions as NumPy's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.numpy_.names import local
from refrelax.semantics.dims import equal
from refrelax.syntax.scalars import Binary, BufferLoad, Literal, PrimExpr, SymVar, as_int

if TYPE_CHECKING:
    from refrelax.backends.numpy_.loops import Nest

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def contraction(text: Text, nest: Nest, axes: list[str]) -> str | None:
    """``C[i, j] = Σ_k A[i, k] * B[k, j]`` as one ``np.einsum``; ``None`` if the nest is no float contraction from
    zero."""
    store, init = nest.store, nest.init
    reduced = [loop.var.name for loop in nest.loops if loop.var.name not in axes]
    if init is None or not reduced or store.value.dtype not in ("float32", "float64"):
        return None
    if not isinstance(init.value, Literal) or init.value.bits != 0:
        return None
    item = _summand(store.value, store.buffer)
    factors = None if item is None else _factors(item)
    if factors is None:
        return None
    letters = {name: LETTERS[k] for k, name in enumerate([*axes, *reduced])}
    subscripts = []
    for load in factors:
        word = _subscript(text, load, letters)
        if word is None or load.buffer == store.buffer:
            return None
        subscripts.append(word)
    if not set(reduced) <= {name for name, letter in letters.items() if any(letter in word for word in subscripts)}:
        return None
    if not all(any(letters[a] in word for word in subscripts) for a in axes):
        return None
    out = "".join(letters[a] for a in axes)
    arrays = ", ".join(local(load.buffer) for load in factors)
    target = ", ".join(
        ":" if isinstance(r := text.resolve(i), SymVar) and r.name in axes else text.index(i) for i in store.indices
    )
    return f"{local(store.buffer)}[{target}] = np.einsum('{','.join(subscripts)}->{out}', {arrays}, optimize=True)"


def _summand(value: PrimExpr, buffer: str) -> PrimExpr | None:
    match value:
        case Binary(op="Add", a=BufferLoad(buffer=own), b=item) if own == buffer:
            return item
        case Binary(op="Add", a=item, b=BufferLoad(buffer=own)) if own == buffer:
            return item
        case _:
            return None


def _factors(item: PrimExpr) -> list[BufferLoad] | None:
    match item:
        case BufferLoad():
            return [item]
        case Binary(op="Mul", a=BufferLoad() as a, b=BufferLoad() as b):
            return [a, b]
        case _:
            return None


def _subscript(text: Text, load: BufferLoad, letters: dict[str, str]) -> str | None:
    """The einsum letters of a load whose indices are whole loops; ``None`` otherwise."""
    word = ""
    for index, dim in zip(load.indices, text.buffers[load.buffer].shape, strict=True):
        index = text.resolve(index)
        if not isinstance(index, SymVar) or index.name not in letters:
            return None
        low, extent = text.extents[index.name]
        if as_int(low) != 0 or equal(extent, dim, text.facts) is not True:
            return None
        word += letters[index.name]
    return word
