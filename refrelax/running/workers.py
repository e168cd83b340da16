"""Several workers that run one function together, each on its own arguments.

The workers take turns: one runs until it comes to a collective or ends, then the next. So a run is reproducible,
whatever the reading.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import Outcome, UsageError, unspecified
from refrelax.rules import rule
from refrelax.running.run import run
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.world import World

_STACK = 256 * 1024 * 1024
"""Bytes of address space for a worker's stack: evaluation recurses."""


@dataclass(slots=True)
class _Seat:
    """One worker: whose turn it is, what it waits for, how it ended."""

    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    back: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    request: tuple[tuple[Any, ...], Any, bool] | None = None
    reply: list[Any] | None = None
    outcome: Outcome | None = None
    fault: BaseException | None = None
    ended: bool = False


class _Member(World):
    """A worker among others."""

    def __init__(self, seat: _Seat, worker: int, workers: int, group_size: int) -> None:
        super().__init__(worker, workers, group_size)
        self.seat = seat

    @rule("op.ccl/all-take-part")
    def share(self, what: Sequence[Any], value: Any, in_group: bool) -> list[Any]:
        seat = self.seat
        seat.request = (tuple(what), value, in_group)
        seat.back.release()
        seat.go.acquire()
        if seat.reply is None:
            raise unspecified(
                "op.ccl/all-take-part", f"worker {self.worker} is at {what[0]}, and not all others come to the same"
            )
        return seat.reply


def run_workers(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Sequence[Any]],
    *,
    groups: int = 1,
    seed: int = 0,
    **options: Any,
) -> list[Outcome]:
    """Run a function on as many workers as ``args`` has rows; the outcome of each.

    ``groups``: equal runs of workers that collectives with ``in_group`` stay within. ``options``: those of ``run``.
    Under ``sampled``, worker ``k`` draws from ``seed + k``.

    Raises:
        UsageError: no worker, or groups of unequal size; and as ``run``.
        Unlinkable: as ``run``.
    """
    if not args or groups < 1 or len(args) % groups:
        raise UsageError(f"{len(args)} workers cannot be {groups} equal groups")
    seats = [_Seat() for _ in args]
    size = len(args) // groups

    def work(number: int) -> Callable[[], None]:
        seat, world = seats[number], _Member(seats[number], number, len(args), size)

        def body() -> None:
            seat.go.acquire()
            try:
                seat.outcome = run(checked, entry, *args[number], seed=seed + number, world=world, **options)
            except BaseException as fault:  # handed to the caller below
                seat.fault = fault
            seat.ended = True
            seat.back.release()

        return body

    before = threading.stack_size(_STACK)
    try:
        for number in range(len(args)):
            threading.Thread(target=work(number), daemon=True).start()
    finally:
        threading.stack_size(before)
    _take_turns(seats, size)
    for seat in seats:
        if seat.fault is not None:
            raise seat.fault
    return [seat.outcome for seat in seats if seat.outcome is not None]


def _take_turns(seats: Sequence[_Seat], size: int) -> None:
    """Let every worker run until it waits or ends; answer those that wait; until all have ended."""
    ready = list(seats)
    while ready:
        for seat in ready:
            seat.request = None
            seat.go.release()
            seat.back.acquire()
        ready = [seat for seat in seats if not seat.ended]
        for number, seat in enumerate(seats):
            if seat.request is not None and not seat.ended:
                first = number - number % size
                seat.reply = _answer(seats[first : first + size] if seat.request[2] else seats, seat.request)


def _answer(partners: Sequence[_Seat], request: tuple[tuple[Any, ...], Any, bool]) -> list[Any] | None:
    """What all partners gave to the collective of ``request``; ``None`` where one is elsewhere."""
    what, _, in_group = request
    found = [seat.request for seat in partners if not seat.ended]
    values = [each[1] for each in found if each is not None and each[0] == what and each[2] == in_group]
    return values if len(values) == len(partners) else None
