"""Atomic operations: threads change one element, in an order that nobody promises.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element, Frame, fixed
from refrelax.semantics.loops.memory import OUTSIDE, is_watched, out_of_bounds, position, putting, race_of, watch
from refrelax.semantics.loops.pointers import resolve
from refrelax.semantics.numbers.poison import poison
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic

ATOMICS = frozenset({"atomic_add", "cuda.atomic_add"})


@rule("ev/atomic-add", "ev/atomic-order")
def build_atomic(build: Builder, call: Intrinsic) -> Element:
    """``T.atomic_add(pointer, value)``: the element at the pointer plus ``value``; gives what it was before.

    Among concurrent threads that is poison, since it depends on their order; the sum permits any order.
    """
    bound, value = resolve(build, call.args[0]), build_element(build, call.args[1])
    place = replace(bound, origin=bound.pointer)
    where, _ = position(place, [fixed(0)])
    cells, put, f = bound.cells, putting(build, bound), build.context.numerics.at(dtypes.element(bound.dtype))
    watched, races = is_watched(build, bound), build.context.races
    raced = watch(build, bound, races.atomic)
    told = getattr(build.context.listener, "on_access", None)
    open_order = poison("ev/atomic-order")

    def add(frame: Frame) -> Any:
        item, k = value(frame), where(frame)
        if k == OUTSIDE or not 0 <= k < len(cells):
            raise out_of_bounds(place, [fixed(0)], frame, call.span)
        if watched and raced(k):
            races.report(race_of(build, place, [fixed(0)], frame, "changes", "reads or writes", call.span))
        before = cells[k]
        after = f.accumulate("add", before, item)
        put(k, after)
        if told is not None:
            told(build.path, "write", bound, [0], after, call.span, k)
        return open_order if watched else f.settle(before)

    return add
