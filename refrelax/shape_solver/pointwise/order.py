"""In which order threads of a block use memory: where nobody waited, no thread changes what another one uses.

Spec: ``spec/06c-pointwise.md``, ``sh/phases``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.semantics.loops.threads import is_shared
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.own_elements import owned
from refrelax.syntax.loops import Buffer, For, Stmt


@dataclass(slots=True)
class Accesses:
    """Memory that is not one thread's, by name: what threads did of which others may not know."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)

    def copy(self) -> Accesses:
        return Accesses(set(self.read), set(self.written))

    def add(self, other: Accesses) -> None:
        self.read |= other.read
        self.written |= other.written

    def conflicts(self, later: Accesses) -> set[str]:
        return self.written & (later.read | later.written) | self.read & later.written


@dataclass(slots=True)
class Head:
    """What a loop begins with. ``shared``, ``other``: whether that of shared and of other memory is still seen."""

    seen: Accesses = field(default_factory=Accesses)
    shared: bool = True
    other: bool = True


@dataclass(slots=True, kw_only=True)
class Order:
    """What threads did since they last waited. ``scopes``: of the buffers around the launch."""

    scopes: Mapping[str, str]
    launch: For | None = None
    """The threads' outermost loop."""
    buffers: dict[str, Buffer] = field(default_factory=dict)
    since: Accesses = field(default_factory=Accesses)
    """Since threads last waited for each other, on some way here."""
    heads: list[Head] = field(default_factory=list)
    """Of the loops around, from where they begin to where threads first wait."""
    roots: dict[str, str] = field(default_factory=dict)
    """Of what memory a buffer is another name."""
    owned: dict[str, bool] = field(default_factory=dict)
    """Whether each element of a memory is used by one thread alone."""

    @rule("sh/phases")
    def follow(self, now: Accesses) -> None:
        """A phase that comes after others, in some order unless threads waited."""
        self.apart_from(self.since, now)
        self.since.add(now)
        shared, other = self.parted(now)
        for head in self.heads:
            if head.shared:
                head.seen.add(shared)
            if head.other:
                head.seen.add(other)

    def apart_from(self, before: Accesses, now: Accesses) -> None:
        for name in sorted(before.conflicts(now)):
            if name not in self.owned:
                self.owned[name] = self.launch is not None and owned(self.launch, name)
            if not self.owned[name]:
                raise NotRead(f"{name} is used again, and no thread waits before that")

    def waited(self) -> None:
        """All threads waited: what they did before is known to all."""
        self.since = Accesses()
        for head in self.heads:
            head.shared = head.other = False

    def waited_for_shared(self) -> None:
        """As the compiler owes it: for shared memory."""
        _, self.since = self.parted(self.since)
        for head in self.heads:
            head.shared = False

    def ordered(self, name: str) -> None:
        """Of one memory it is known in which order it is used."""
        for accesses in (self.since, *(head.seen for head in self.heads)):
            accesses.read.discard(name)
            accesses.written.discard(name)

    def parted(self, accesses: Accesses) -> tuple[Accesses, Accesses]:
        """Those of shared memory, and the others."""
        read, written = accesses.read, accesses.written
        ours = {name for name in read | written if self.shared(name)}
        return Accesses(read & ours, written & ours), Accesses(read - ours, written - ours)

    def shared(self, name: str) -> bool:
        buffer = self.buffers.get(name)
        return is_shared(buffer.scope if buffer is not None else self.scopes.get(name, "global"))

    def maybe(self, run: Callable[[], list[Stmt]]) -> list[Stmt]:
        """Statements that are perhaps not run: nobody may have waited in them."""
        before, open_heads = self.since.copy(), [(head, head.shared, head.other) for head in self.heads]
        found = run()
        self.since.add(before)
        for head, shared, other in open_heads:
            head.shared, head.other = shared, other
        return found
