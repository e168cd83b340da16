"""The attention cache of one tensor that grows along its first axis: ``vm.builtin.attention_kv_cache_*``.

A cache is an object that the program passes around. It holds ``filled`` entries in memory with room for more; when
there is no room, the room is doubled until there is. A view shares the cache's memory.

Spec: ``spec/08-effects-and-storage.md``, *Attention caches*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.access import Host, elements, integer, tensors, wanted
from refrelax.semantics.values import Opaque, Shape, TensorValue, empty

Args = list[Any]


@dataclass(eq=False, slots=True)
class Cache:
    """``data``: the memory; ``filled``: how many entries of it count; ``position``: where a window goes on."""

    data: TensorValue
    filled: int = 0
    position: int = 0

    @property
    def entry(self) -> int:
        """The elements of one entry."""
        return prod(self.data.shape[1:])


def _cache(args: Args, span: Span | None) -> Cache:
    cache = args[0].value if isinstance(args[0], Opaque) else None
    if not isinstance(cache, Cache):
        raise unspecified("vm/argument", "this function takes an attention cache first", span)
    return cache


def _entries(cache: Cache, args: Args, span: Span | None) -> TensorValue:
    (value,) = tensors(args[1:], 1, "a cache and a tensor", span)
    fits = value.ndim > 0 and value.dtype == cache.data.dtype and value.shape[1:] == cache.data.shape[1:]
    wanted(fits, f"entries of shape {cache.data.shape[1:]} and dtype {cache.data.dtype}", span)
    return value


def _reserve(machine: Host, cache: Cache, entries: int) -> None:
    """Double the room until ``entries`` fit; what was held is kept, in new memory."""
    room = cache.data.shape[0]
    while 0 < room < entries:
        room *= 2
    if room == cache.data.shape[0]:
        return
    held, count = elements(cache.data, machine), room * cache.entry
    machine.meter.make(count)
    cache.data = empty(cache.data.numerics, cache.data.dtype, (room, *cache.data.shape[1:]))
    _store(cache, 0, held)


def _store(cache: Cache, first: int, payloads: list[Any]) -> None:
    """Write elements from element ``first`` on."""
    cache.data.storage.plane(cache.data.dtype, cache.data.numerics)
    for k, payload in enumerate(payloads):
        cache.data.storage.store(cache.data.dtype, cache.data.offset + first + k, payload)


@rule("vm/kv-cache-create")
def create(machine: Host, args: Args, span: Span | None) -> Any:
    """``(first entries, shape of the room, filled)``: a cache; a count from 0 on says how many entries are filled."""
    (first,) = tensors(args, 1, "a tensor first", span)
    room, filled = args[1], integer(args[2], span)
    fits = isinstance(room, Shape) and len(room) == first.ndim > 0 and min(room.dims) >= 0 and room.dims[0] > 0
    wanted(fits and room.dims[1:] == first.shape[1:], "a shape with room for entries like the first", span)
    wanted(filled <= max(first.shape[0], room.dims[0]), "a count of entries that there is room for", span)
    machine.meter.make(prod(room.dims))
    cache = Cache(empty(machine.numerics, first.dtype, room.dims))
    append(machine, [Opaque(cache), first], span)
    if filled >= 0:
        cache.filled = cache.position = filled
    return Opaque(cache)


@rule("vm/kv-cache-append")
def append(machine: Host, args: Args, span: Span | None) -> Any:
    """``(cache, entries)``: the entries follow the filled ones; gives the cache."""
    cache = _cache(args, span)
    value = _entries(cache, args, span)
    _reserve(machine, cache, cache.filled + value.shape[0])
    _store(cache, cache.filled * cache.entry, elements(value, machine))
    cache.filled += value.shape[0]
    return args[0]


@rule("vm/kv-cache-update")
def update(machine: Host, args: Args, span: Span | None) -> Any:
    """``(cache, entries)``: as many entries as are filled, in place of them; gives the cache."""
    cache = _cache(args, span)
    value = _entries(cache, args, span)
    wanted(value.shape[0] == cache.filled, f"{cache.filled} entries", span)
    _store(cache, 0, elements(value, machine))
    return args[0]


@rule("vm/kv-cache-window")
def override(machine: Host, args: Args, span: Span | None) -> Any:
    """``(cache, entries, size, sinks)``: a window of ``size`` entries, which goes on behind the first ``sinks``."""
    cache = _cache(args, span)
    value, size = _entries(cache, args, span), integer(args[2], span)
    sinks, count = integer(args[3], span) if len(args) > 3 else 0, value.shape[0]
    wanted(sinks >= 0 and count <= size - sinks, "no more entries than the window takes", span)
    if cache.filled + count <= size:
        _reserve(machine, cache, cache.filled + count)
    now, before, payloads = min(count, size - cache.position), cache.position, elements(value, machine)
    cache.filled, cache.position = min(cache.filled + count, size), min(cache.position + count, size)
    rest = count - now
    wanted(now >= 0 and before + now <= cache.data.shape[0], "a window that there is room for", span)
    _store(cache, before * cache.entry, payloads[: now * cache.entry])
    if rest:
        wanted(cache.filled == size and sinks + rest <= cache.data.shape[0], "a window that was filled", span)
        _store(cache, sinks * cache.entry, payloads[now * cache.entry :])
        cache.position = sinks + rest
    return args[0]


@rule("vm/kv-cache-view")
def view(machine: Host, args: Args, span: Span | None) -> Any:
    """``(cache, shape?)``: the filled entries as a tensor over the same memory; the shape must be theirs."""
    cache = _cache(args, span)
    shape = (cache.filled, *cache.data.shape[1:])
    given = args[1] if len(args) > 1 else Shape(shape)
    wanted(isinstance(given, Shape) and given.dims == shape, f"the shape {shape}", span)
    return TensorValue(cache.data.dtype, shape, cache.data.storage, cache.data.numerics, cache.data.offset)


def _all(args: Args, span: Span | None) -> list[Cache]:
    wanted(isinstance(args[0], tuple), "a tuple of caches", span)
    return [_cache([each], span) for each in args[0]]


@rule("vm/kv-cache-shrink")
def pop(machine: Host, args: Args, span: Span | None) -> Any:
    """``(caches, n)``: each lets go of its last ``n`` entries."""
    caches, count = _all(args, span), integer(args[1], span)
    wanted(all(0 <= count <= each.filled for each in caches), "no more entries than are filled", span)
    for each in caches:
        each.filled -= count
    return ()


@rule("vm/kv-cache-shrink")
def clear(machine: Host, args: Args, span: Span | None) -> Any:
    """``(caches,)``: each lets go of all its entries."""
    for each in _all(args, span):
        each.filled = each.position = 0
    return ()


KV_CACHE: dict[str, tuple[int, Callable[[Host, Args, Span | None], Any]]] = {
    "vm.builtin.attention_kv_cache_create": (3, create),
    "vm.builtin.attention_kv_cache_append": (2, append),
    "vm.builtin.attention_kv_cache_update": (2, update),
    "vm.builtin.attention_kv_cache_window_override": (3, override),
    "vm.builtin.attention_kv_cache_window_override_with_sinks": (4, override),
    "vm.builtin.attention_kv_cache_view": (1, view),
    "vm.builtin.attention_kv_cache_array_popn": (2, pop),
    "vm.builtin.attention_kv_cache_array_clear": (1, clear),
}
"""The least number of arguments, and the meaning."""
