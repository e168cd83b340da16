"""Array forms that use permitted reassociation: contractions as ``einsum``, reductions as NumPy's own."""

from __future__ import annotations

from dataclasses import replace

from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.nests import Nest
from refrelax.syntax.scalars import Binary, BufferLoad, Literal, PrimExpr, SymVar, walk

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def contraction(text: Text, nest: Nest, axes: list[str]) -> list[str] | None:
    """``C[i, j] = Σ_k a[i, k] * b[k, j]`` as one ``np.einsum``; ``None`` if the nest is no float contraction from zero.

    A factor is any expression: it becomes an array over just the loops that it depends on.
    """
    store, init = nest.store, nest.init
    reduced = [loop.var.name for loop in nest.loops if loop.var.name not in axes]
    if init is None or not reduced or store.value.dtype not in ("float32", "float64"):
        return None
    if not isinstance(init.value, Literal) or init.value.bits != 0:
        return None
    item = _summand(store.value, store.buffer)
    if item is None or any(isinstance(n, BufferLoad) and n.buffer == store.buffer for n in walk(item)):
        return None
    letters = {name: LETTERS[k] for k, name in enumerate([*axes, *reduced])}
    lines: list[str] = []
    words, arrays = [], []
    for factor in _factors(item):
        used = [name for name in letters if _depends(text, factor, name)]
        if len(used) == len(letters) and not isinstance(factor, BufferLoad):
            return None  # an array over the whole iteration space: ``reduction`` says when that is worth it
        own = replace(text, axes=tuple(used), grids=set())
        arrays.append(own.element(factor))
        if own.grids:
            return None  # a factor that needs loop numbers as data
        words.append("".join(letters[name] for name in used))
    if set("".join(words)) != set(letters.values()):
        return None
    out = "".join(letters[a] for a in axes)
    target = ", ".join(
        ":" if isinstance(r := text.resolve(i), SymVar) and r.name in axes else text.index(i) for i in store.indices
    )
    call = f"np.einsum('{','.join(words)}->{out}', {', '.join(arrays)}, optimize=True)"
    lines.append(f"{local(store.buffer)}[{target}] = {call}")
    return lines


REDUCERS = {"Add": "sum", "Max": "max", "Min": "min"}


def reduction(text: Text, nest: Nest, axes: list[str]) -> list[str] | None:
    """``C[i] = max over k of e[i, k]`` (or the sum, or the least) as one NumPy reduction; ``None`` otherwise.

    The item becomes an array over the whole iteration space, so it must read one element there anyway.
    """
    store, init = nest.store, nest.init
    reduced = [loop.var.name for loop in nest.loops if loop.var.name not in axes]
    if init is None or not reduced or store.value.dtype not in ("float32", "float64"):
        return None
    match store.value:
        case Binary(op=("Add" | "Max" | "Min") as op, a=BufferLoad(buffer=own), b=item) if own == store.buffer:
            pass
        case _:
            return None
    loads = [n for n in walk(item) if isinstance(n, BufferLoad)]
    if not isinstance(init.value, Literal) or any(n.buffer == store.buffer for n in loads):
        return None
    space = [*axes, *reduced]
    if not any(all(_depends(text, load, name) for name in space) for load in loads):
        return None
    own_text = replace(text, axes=tuple(space), grids=set())
    value = own_text.element(item)
    shape = ", ".join(text.index(text.extents[name][1]) for name in space)
    along = tuple(range(len(axes), len(space)))
    target = ", ".join(
        ":" if isinstance(r := text.resolve(i), SymVar) and r.name in axes else text.index(i) for i in store.indices
    )
    start = text.element(init.value)
    call = f"np.{REDUCERS[op]}(np.broadcast_to({value}, ({shape})), axis={along}, initial={start})"
    return [*own_text.grid_definitions(), f"{local(store.buffer)}[{target}] = {call}"]


def _depends(text: Text, expr: PrimExpr, name: str) -> bool:
    """Whether an expression's value depends on a loop variable."""
    for node in walk(expr):
        if isinstance(node, SymVar):
            meaning = text.resolve(node)
            if isinstance(meaning, SymVar):
                if meaning.name == name:
                    return True
            elif _depends(text, meaning, name):
                return True
    return False


def _summand(value: PrimExpr, buffer: str) -> PrimExpr | None:
    match value:
        case Binary(op="Add", a=BufferLoad(buffer=own), b=item) if own == buffer:
            return item
        case Binary(op="Add", a=item, b=BufferLoad(buffer=own)) if own == buffer:
            return item
        case _:
            return None


def _factors(item: PrimExpr) -> list[PrimExpr]:
    match item:
        case Binary(op="Mul", a=a, b=b):
            return [a, b]
        case _:
            return [item]
