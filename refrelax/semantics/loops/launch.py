"""A block of GPU threads in lockstep: what its threads wait for, and what they are answered.

Each thread yields a ``Request`` (a barrier, a warp exchange, a reduction across threads) and waits. When every thread
waits or has ended, ``Launch.answer`` says which of them go on, and with what. A request that can never be answered is a
barrier that some thread never reaches.

Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.races import Accesses, Label, Races
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.storage import Contents, Storage

Coords = tuple[tuple[str, int], ...]
"""A thread: its value for each thread tag, outermost loop first."""

WARP = 32
"""Threads of a warp, in increasing order of ``x + extent(x) * (y + extent(y) * z)``."""

INACTIVE = poison("ev/warp-shuffle-inactive")


@dataclass(slots=True)
class Request:
    """What a thread waits for. ``kind``: ``barrier``, ``warp-barrier``, ``active``, ``shuffle``, ``gather``,
    ``reduce``.

    ``values``: the payloads that it brings; ``source``: the lane that a shuffle reads, in this thread's warp;
    ``mask``: the lanes that take part; ``tags``: the thread tags that a reduction runs over; ``combine``: its reducer.
    """

    kind: str
    what: str
    span: Span | None = None
    values: tuple[Any, ...] = ()
    source: int = 0
    mask: int = -1
    active: bool = True
    tags: frozenset[str] = frozenset()
    combine: Callable[[Iterable[tuple[Any, ...]]], tuple[Any, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """``request``: what the thread waits for; ``receive``: the value, and the effect, of the answer."""

    request: Callable[[list[Any]], Request]
    receive: Callable[[list[Any], Any], Any]


Pending = dict[Coords, Request]
Answers = dict[Coords, Any]


@dataclass(slots=True)
class Level:
    """The memory that every thread of a group has for itself. It holds what belongs to ``owner``, the one that runs;
    what the others have is kept."""

    storages: list[Storage] = field(default_factory=list)
    owner: Coords = ()
    kept: dict[Coords, list[tuple[Contents, dict[str, dict[int, Accesses]]]]] = field(default_factory=dict)

    def belong(self, owner: Coords, races: Races) -> None:
        """Hold what belongs to another thread."""
        if self.owner:
            self.kept[self.owner] = [(each.contents(), races.taken(each)) for each in self.storages]
        found = self.kept.pop(owner, None)
        for k, each in enumerate(self.storages):
            contents, records = found[k] if found is not None else (None, {})
            each.hold(contents)
            races.put(each, records)
        self.owner = owner


@dataclass(slots=True)
class Launch:
    """One block of threads: extents by tag, memory shared by its threads, who has ended, and the barrier epoch.

    ``explicit``: its barriers are written, and not owed (``ev/implicit-synchronisation``)."""

    races: Races
    depth: int
    explicit: bool = True
    extents: dict[str, int] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)
    resets: list[Callable[[], None]] = field(default_factory=list)
    ended: set[Coords] = field(default_factory=set)
    outer: Label = ()
    epoch: int = 0
    warp_epochs: dict[int, int] = field(default_factory=dict)
    numbers: dict[Coords, int] = field(default_factory=dict)
    running: Coords = ()
    """The thread that runs."""
    levels: list[Level] = field(default_factory=list)
    """The memory of threads by the number of thread loops around it, but for one."""
    listener: Any = None
    path: str = ""
    """What watches the run, and the function, for it."""

    def start(self) -> None:
        """A new block: shared memory is fresh, no thread has ended."""
        self.ended.clear()
        self.races.ended.clear()
        self.running = ()
        for level in self.levels:
            level.owner = ()
            level.kept.clear()
        self.outer = self.races.label
        self.races.lockstep = True
        self._new_epoch()
        for reset in self.resets:
            reset()
        self.tell("on_block", dict(self.extents), dict(self.shared))

    def tell(self, what: str, *said: Any) -> None:
        """What watches the run is told of the block: it starts, a thread goes on, threads met, it is over."""
        if self.listener is not None and (told := getattr(self.listener, what, None)) is not None:
            told(self.path, *said)

    def settle(self) -> None:
        """All threads wait or have ended, and nothing else is wrong: what they did to each other counts now."""
        if self.races.found is not None:
            race, self.races.found = self.races.found, None
            raise race

    def finish(self) -> None:
        """The block is over, or the run is."""
        self.races.label, self.races.lockstep, self.races.found = self.outer, False, None
        self.races.ended.clear()
        self.races.owed = None
        self.tell("on_block_end")

    def _new_epoch(self, owed: bool = False) -> None:
        """What follows comes after what was, but for global memory at a barrier that is ``owed``."""
        self.epoch = self.races.instance()
        if not self.explicit and not owed:
            self.races.owed = len(self.outer), self.epoch
        self.warp_epochs.clear()

    def enter(self, coords: Coords) -> None:
        """The thread ``coords`` goes on."""
        self.have(coords)
        linear = self.linear(coords)
        warp = linear // WARP
        since = self.warp_epochs.get(warp, 0)
        self.races.label = (*self.outer, (self.epoch, warp), (since, linear))
        if self.listener is not None:
            self.tell("on_thread", linear, coords)

    def have(self, coords: Coords) -> None:
        """Private memory is that of the thread ``coords``."""
        self.running = coords
        for depth, level in enumerate(self.levels[: len(coords)], 1):
            if level.storages and level.owner != coords[:depth]:
                level.belong(coords[:depth], self.races)

    def end(self, coords: Coords) -> None:
        """The thread ``coords`` has ended: nothing orders what it did last with what others of its warp do then."""
        self.ended.add(coords)
        self.races.ended.add(self.races.label)

    def linear(self, coords: Coords) -> int:
        """The number of a thread in its block (asked for when all extents are known)."""
        known = self.numbers.get(coords)
        if known is None:
            known = self.numbers[coords] = self._number(coords)
        return known

    def _number(self, coords: Coords) -> int:
        at = dict(coords)
        x, y = self.extents.get("threadIdx.x", 1), self.extents.get("threadIdx.y", 1)
        inner = at.get("threadIdx.x", 0) + x * (at.get("threadIdx.y", 0) + y * at.get("threadIdx.z", 0))
        virtual = sum(v for tag, v in coords if not tag.startswith("threadIdx"))
        return inner + virtual * x * y * self.extents.get("threadIdx.z", 1)

    def answer(self, pending: Pending) -> Answers:
        """Who goes on, with what; at least one thread does.

        Raises:
            Ended: ``Unspecified("ev/barrier-divergence")`` when no thread can.
        """
        found = self._answer(pending)
        if self.listener is not None:
            met = next(pending[each] for each in found)
            self.tell("on_front", met.what, met.span, sorted(map(self.linear, found)))
        return found

    def _answer(self, pending: Pending) -> Answers:
        answers = {**self._warps(pending), **self._reductions(pending)}
        if answers:
            return answers
        if not self.ended and all(each.kind == "barrier" for each in pending.values()):
            self.settle()
            self._new_epoch(owed=not self.explicit)
            return dict.fromkeys(pending)
        raise self._diverged(pending)

    # --- warps -------------------------------------------------------------------------------------------------------

    @rule("ev/warp-shuffle", "ev/warp-active-mask", "ev/warp-barrier")
    def _warps(self, pending: Pending) -> Answers:
        warps: dict[int, dict[int, Coords]] = {}
        for coords in pending:
            linear = self.linear(coords)
            warps.setdefault(linear // WARP, {})[linear % WARP] = coords
        answers: Answers = {}
        for warp, lanes in warps.items():
            answers.update(self._warp(warp, lanes, pending))
        return answers

    def _warp(self, warp: int, lanes: dict[int, Coords], pending: Pending) -> Answers:
        asking = [k for k in lanes if pending[lanes[k]].kind == "active"]
        if asking:
            mask = sum(1 << k for k in asking)
            return {lanes[k]: mask for k in asking}
        shuffling = {k: pending[lanes[k]] for k in lanes if pending[lanes[k]].kind == "shuffle"}
        if shuffling:
            return self._shuffle(lanes, shuffling)
        if len(lanes) == WARP and len({pending[each].what for each in lanes.values() if _gathers(pending[each])}) == 1:
            if all(_gathers(pending[each]) for each in lanes.values()):
                return dict.fromkeys(lanes.values(), tuple(pending[lanes[k]].values for k in range(WARP)))
        if all(pending[each].kind == "warp-barrier" for each in lanes.values()):
            self.warp_epochs[warp] = self.races.instance()
            return dict.fromkeys(lanes.values())
        return {}

    def _shuffle(self, lanes: dict[int, Coords], shuffling: dict[int, Request]) -> Answers:
        """Every lane gets what its source lane brought; a lane that is not there brings poison."""
        named = 0
        for request in shuffling.values():
            named |= request.mask
        if any(k not in shuffling and named >> k & 1 for k in lanes):
            return {}
        return {
            lanes[k]: shuffling[request.source].values[0] if request.source in shuffling else INACTIVE
            for k, request in shuffling.items()
        }

    # --- reductions --------------------------------------------------------------------------------------------------

    @rule("ev/thread-allreduce")
    def _reductions(self, pending: Pending) -> Answers:
        groups: dict[Coords, list[Coords]] = {}
        answers: Answers = {}
        for coords, request in pending.items():
            key = tuple(each for each in coords if each[0] not in request.tags) if request.kind == "reduce" else None
            if key is not None:
                groups.setdefault(key, []).append(coords)
        for members in groups.values():
            first = pending[members[0]]
            expected = 1
            for tag in first.tags:
                expected *= self.extents[tag]
            if len(members) == expected and first.combine is not None:
                ordered = sorted(members, key=self.linear)
                result = first.combine(pending[each].values for each in ordered if pending[each].active)
                answers.update(dict.fromkeys(members, result))
        if len(answers) == len(pending):
            self._new_epoch()  # a reduction by all threads of a block also orders their memory
        return answers

    @rule("ev/barrier-divergence")
    def _diverged(self, pending: Pending) -> Exception:
        """The end of a run in which some threads wait for what others never reach."""
        at, request = next(iter(pending.items()))
        other = next((c for c, r in pending.items() if r.kind != request.kind), None)
        if self.ended:
            why = f"thread {spelled(min(self.ended))} never reaches"
        elif other is not None:
            why = f"thread {spelled(other)}, which waits at {pending[other].what}, does not reach"
        else:
            why = "others do not reach"
        return unspecified(
            "ev/barrier-divergence", f"thread {spelled(at)} waits at {request.what} that {why}", request.span
        )


def _gathers(request: Request) -> bool:
    return request.kind == "gather"


def spelled(coords: Coords) -> str:
    """A thread in a message: ``threadIdx.x = 3, threadIdx.y = 0``."""
    return ", ".join(f"{tag} = {value}" for tag, value in coords)
