"""The text of a kernel that runs a group: its rows side by side, its phases one after the other.

A row belongs to ``lanes`` threads: to a warp or a whole block, which fold by shuffles; or to one thread, where the
columns do not lie side by side or are few, or where a fold is no reduction. What one phase leaves for the next is a
variable that every thread of the row has, or an element in the block's memory that belongs to one thread, so nobody
waits but in folds. How many columns of a row stay there is decided at launch (``fits``): all, where they fit; else as
many as there is room for, and the others are read and written in the device's memory, but for what can be computed
again from what is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.backends.cupy_ import statements
from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.forms import OPERATORS, ROW_DTYPES, neutral, wide
from refrelax.backends.cupy_.groups import Group, Indices, Phase, certain
from refrelax.backends.cupy_.names import c_type, letters
from refrelax.backends.cupy_.nests import Reduction, told_only_by_equality
from refrelax.backends.cupy_.statements import Lines
from refrelax.backends.cupy_.vectors import Chunk, contiguous, width
from refrelax.semantics.dims import substitute
from refrelax.syntax.loops import Buffer, For
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, walk

Key = tuple[str, Indices]
"""A buffer and the index at which it is used."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a row program keeps of a row: a buffer at one index, for every column of a span.

    ``room``: the array that it lies in, which others have before or after it; ``phases``: those that use it;
    ``loaded``: the first of them reads it from memory; ``stored``: the last of them that stores it, and ``final``:
    whether that store goes to memory."""

    name: str
    room: str
    key: Key
    dtype: str
    span: int
    phases: tuple[int, ...]
    loaded: bool
    stored: int | None
    final: bool


@dataclass(slots=True)
class Program:
    """Writes the phases of a group.

    ``outside``: the buffers that are used elsewhere; ``alone``: one thread a row; ``later``: what is used for every
    column when the phases are over; ``width``: columns that a thread takes at once; ``stays``: whether this column is
    kept in the block's memory, as text."""

    group: Group
    text: Text
    outside: set[str]
    alone: bool
    later: tuple[Key, ...] = ()
    width: int = 1
    stays: str = "fits"
    kept: list[Kept] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)
    chunk: Chunk | None = None
    first: set[str] = field(default_factory=set)
    """What is read of a row before it is stored for sure."""
    again: dict[tuple[str, int], int] = field(default_factory=dict)
    """What is computed again where rows do not fit: by the name of what is kept and the phase that reads it, the phase
    that stored it."""

    def __post_init__(self) -> None:
        scalars = self.group.scalars
        for name in sorted(scalars):
            self.held[name] = f"held{letters(len(self.held))}"
        self.kept = list(self._kept(scalars))
        self.again = {(each.name, k): j for each in self.kept for k, j in self._again(each).items()}
        assigned: set[str] = set()
        for phase in self.group.phases:
            self.first |= {name for name, _ in phase.loads() if name in self.held and name not in assigned}
            if phase.store.buffer in self.held and (phase.fold is None or not self.tests(self.text, phase)):
                assigned.add(phase.store.buffer)

    def _kept(self, scalars: set[str]) -> list[Kept]:
        """The buffers at an index that more than one phase uses."""
        uses: dict[Key, list[int]] = {}
        stores: dict[Key, list[int]] = {}
        spans: dict[Key, int] = {}
        for k, phase in enumerate(self.group.phases):
            found = dict.fromkeys(key for key in phase.loads() if key[0] not in scalars)
            if phase.store.buffer not in scalars:
                key = phase.store.buffer, phase.target
                stores.setdefault(key, []).append(k)
                found[key] = None
            for key in found:
                if phase.span >= 0 and self._of_a_row(key, phase.span):
                    uses.setdefault(key, []).append(k)
                    spans[key] = phase.span
        for key in self.later:
            uses.setdefault(key, []).append(len(self.group.phases))
        made: list[Kept] = []
        for key, phases in uses.items():
            first = self.group.phases[phases[0]]
            reads = any(key == each for each in first.loads())
            stored = stores.get(key, [])
            if reads and not stored and not self._certain(first, key):
                continue
            if len(phases) > 1:
                final = bool(stored) and key[0] in self.outside
                last = stored[-1] if stored else None
                name = f"kept{letters(len(made))}"
                dtype = self.text.buffers[key[0]].dtype
                free = (e.room for e in reversed(made) if self._over(e, made, dtype, spans[key], phases[0], reads))
                room = next(free, "")
                made.append(Kept(name, room or name, key, dtype, spans[key], tuple(phases), reads, last, final))
        return made

    def _again(self, each: Kept) -> dict[int, int]:
        """For every phase that reads it the phase that stored it, if each of them finds what that was computed from:
        arguments of the kernel, and variables of the row, that nothing stores in between. Else nothing."""
        phases, found = self.group.phases, dict[int, int]()
        if each.loaded or each.phases[-1] >= len(phases):
            return {}
        columns = {p.store.buffer for p in phases} - self.held.keys()
        stores = [k for k in each.phases if (phases[k].store.buffer, phases[k].target) == each.key]
        for k in (k for k in each.phases if each.key in phases[k].loads()):
            source = max((j for j in stores if j < k), default=None)
            if source is None or phases[source].fold is not None:
                return {}
            behind = {p.store.buffer for p in phases[source + 1 : k + 1]}
            if {name for name, _ in phases[source].loads()} & (behind | columns):
                return {}
            found[k] = source
        return found

    def for_the_block(self, k: int) -> bool:
        """Whether what a phase stores is looked for in the block's memory alone, so that it has nothing to do where
        rows do not fit."""
        if k >= len(self.group.phases):
            return False
        key = self.group.phases[k].store.buffer, self.group.phases[k].target
        each = next((e for e in self.kept if e.key == key), None)
        computed = each is not None and any(name == each.name for name, _ in self.again)
        return each is not None and computed and not (k == each.stored and each.final)

    @staticmethod
    def _over(each: Kept, made: list[Kept], dtype: str, span: int, first: int, reads: bool) -> bool:
        """Whether nobody needs the room of what is kept any more when phase ``first`` begins (or, if that reads nothing
        into it, when it stores)."""
        last = max(k for e in made if e.room == each.room for k in e.phases)
        return (each.dtype, each.span) == (dtype, span) and (last < first or (last == first and not reads))

    @property
    def spans(self) -> tuple[tuple[PrimExpr, ...], ...]:
        """The extents of the columns, span by span."""
        return tuple(tuple(loop.extent for loop in span) for span in self.group.spans)

    @property
    def needs(self) -> tuple[tuple[str, int], ...]:
        """What is kept for every column of a span."""
        return tuple((each.dtype, each.span) for each in self.rooms)

    @property
    def rooms(self) -> list[Kept]:
        """The first of every room."""
        return [each for each in self.kept if each.name == each.room]

    def _of_a_row(self, key: Key, span: int) -> bool:
        """Whether it has one element for every row and column."""
        names = {n.name for i in key[1] for n in walk(i) if isinstance(n, SymVar)}
        columns = {loop.var.name for loop in self.group.spans[span]}
        rows = {loop.var.name for loop in self.group.rows}
        return columns <= names and (not rows or bool(rows & names)) and all(map(self.text.is_index, key[1]))

    @staticmethod
    def _certain(phase: Phase, key: Key) -> bool:
        for expr in phase.expressions():
            for load in certain(expr):
                if (load.buffer, tuple(substitute(i, phase.aliases) for i in load.indices)) == key:
                    return True
        return False

    # --- one element a row --------------------------------------------------------------------------------------------

    def declare(self, out: Lines, text: Text) -> None:
        """The variables of a row; what is read before it is stored comes from memory."""
        for name, variable in self.held.items():
            kind = c_type(text.buffers[name].dtype)
            start = f"cast<{kind}>(0)"
            if name in self.first and name in self.outside:
                start = text.load(BufferLoad(name, self.group.indices[name], text.buffers[name].dtype))
            out.line(f"{kind} {variable} = {start};")
        text.registers.update(self.held)

    @property
    def usable(self) -> bool:
        """No row reads by all its threads what one of them stores; nobody sees which of two zeros is the greatest."""
        return self.alone or not (self.first & self.outside or any(map(self._sees_zeros, self.group.phases)))

    def _sees_zeros(self, phase: Phase) -> bool:
        name = phase.store.buffer
        if phase.combine not in ("Greatest", "Least"):
            return False
        others = [e for each in self.group.phases if each.store.buffer != name for e in each.expressions()]
        again = sum(each.fold is not None for each in self.group.phases if each.store.buffer == name)
        return name in self.outside or again > 1 or not all(told_only_by_equality(name, e) for e in others)

    def tests(self, text: Text, phase: Phase) -> list[str]:
        """Under what conditions a fold stores anything."""
        columns = self.group.spans[phase.span] if phase.span >= 0 else ()
        return [f"{text.index(loop.extent)} > 0" for loop in columns if statements.maybe_empty(loop)]

    def settle(self, out: Lines, text: Text, guard: str = "") -> None:
        """Variables into memory, where somebody else looks for them."""
        for name, variable in self.held.items():
            if name not in self.outside:
                continue
            stores = [p for p in self.group.phases if p.store.buffer == name]
            if not stores:
                continue
            tests = [] if any(not p.fold or not self.tests(text, p) for p in stores) else self.tests(text, stores[-1])
            tests = [*([guard] if guard else []), *tests]
            if tests:
                out.open(f"if ({' && '.join(tests)})")
            key = name, self.group.indices[name]
            if self.chunk is None or not self.chunk.store(out, text, key, variable):
                statements.write(out, text, text.buffers[name], key[1], variable)
            if tests:
                out.close()

    def scalar(self, out: Lines, text: Text, phase: Phase) -> None:
        """A store of one element a row."""
        inner = text.scope()
        inner.aliases.update(phase.aliases)
        out.line(f"{self.held[phase.store.buffer]} = {inner.element(phase.store.value)};")

    def gives_only(self, fold: Reduction) -> bool:
        """Whether the group gives the fold alone: what comes before it is what it stores over."""
        *before, last = self.group.phases
        name = fold.store.buffer
        return last.fold is fold and name in self.outside and all(phase.store.buffer == name for phase in before)

    def around(self, out: Lines, text: Text, fold: Reduction, total: str, guard: str = "") -> None:
        """An element whose fold is done elsewhere (of ``depth`` steps): what comes before it and after it. ``guard``:
        under what condition it is stored."""
        self.declare(out, text)
        for k, phase in enumerate(self.group.phases):
            text.used.phase = 3 + k
            if phase.fold is not fold:
                self.scalar(out, text, phase)
            else:
                out.line(f"if (depth > 0) {self.held[phase.store.buffer]} = {total};")
        self.settle(out, text, guard)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def write(self, out: Lines, text: Text) -> None:
        """The body of a row, its loop variables given."""
        self.begin(out, text)
        for k, phase in enumerate(self.group.phases):
            self.phase(out, text, k, phase)
        self.settle(out, text, "" if self.alone else "lane == 0")

    def begin(self, out: Lines, text: Text, active: str = "") -> None:
        """The row's variables, and the room for what is kept. ``active``: whether this thread has a row at all."""
        self.declare(out, text)
        for k, span in enumerate(self.group.spans):
            count = statements.size(text, span)
            out.line(f"const idx count{letters(k)} = {f'{active} ? {count} : 0' if active else count};")
            if self.stays != "fits":
                out.line(f"const idx stay{letters(k)} = count{letters(k)} < fits ? count{letters(k)} : fits;")
        if self.kept:
            out.line("i64 place = 0;")
        for each in self.rooms:
            size = statements.size(text, self.group.spans[each.span])
            if self.stays != "fits":
                size = f"stay{letters(each.span)}"
            count = f"{size} * rows"
            if self.width > 1:
                count = f"({size} + {self.width - 1}) / {self.width} * {self.width} * rows"
            out.line(f"KEPT({c_type(each.dtype)}, {each.name}, place, {count});")
            if each is not self.rooms[-1]:
                out.line(f"place += ({count} * sizeof({c_type(each.dtype)}) + 15) / 16 * 16;")

    def phase(self, out: Lines, text: Text, k: int, phase: Phase) -> None:
        text.used.phase = k
        if phase.span < 0:
            self.scalar(out, text, phase)
        elif phase.fold is not None:
            self.fold(out, text, k, phase)
        else:
            self.columns(out, text, k, phase)

    def open(self, out: Lines, text: Text, k: int, phase: Phase) -> Text:
        """The loop over the columns of this thread (over those that stay, where it has nothing to do for others), and
        what is kept for them."""
        letter = letters(phase.span)
        count, size = f"count{letter}", f"count{letter}"
        if self.stays != "fits":
            size = f"stay{letter}"
            count = size if self.for_the_block(k) else count
        first, step = ("0", "++step") if self.alone else ("lane", "step += lanes")
        span = self.group.spans[phase.span]
        text.used.columns = frozenset(loop.var.name for loop in span)
        if self.width > 1:
            out.open(f"for (idx step = lane * {self.width}; step < {count}; step += lanes * {self.width})")
            many = f"{count} - step < {self.width} ? (i32)({count} - step) : {self.width}"
            loads, stores = self.vectors(k, phase)
            self.chunk = Chunk(span, self.width, "step", many, loads, stores)
            self.chunk.before(out, text)
            inner = self.chunk.element(out, text)
        else:
            self.chunk = None
            out.open(f"for (idx step = {first}; step < {count}; {step})")
            if span:
                out.line("idx rest = step;")
            inner = statements.unflatten(out, text, span, "rest")
        inner.aliases.update(phase.aliases)
        mine = [each for each in self.kept if k in each.phases]
        if mine:
            at = "step * rows + local" if self.alone else f"local * {size} + step"
            if self.width > 1:  # threads next to each other have elements next to each other
                chunks = f"(({size} + {self.width - 1}) / {self.width})"
                at = f"(local * {self.width} + part) * {chunks} + step / {self.width}"
            out.line(f"const idx slot = {at};")
        for each in mine:
            reads = any(each.key == found for found in phase.loads())
            if reads:
                self.read(out, inner, k, each)
        return inner

    def close(self, out: Lines, text: Text) -> None:
        """The end of that loop."""
        if self.chunk is not None:
            self.chunk.after(out, text)
        out.close()
        text.used.columns = frozenset()

    def widest(self) -> int:
        """How many columns a thread should take at once: of what lies side by side, 16 bytes."""
        dtypes: list[str] = []
        for k, phase in enumerate(self.group.phases):
            if phase.span >= 0:
                loads, stores = self.vectors(k, phase)
                dtypes += [load.dtype for load in loads] + [self.text.buffers[name].dtype for name, _ in stores]
        return width(dtypes)

    def points(self) -> Chunk | None:
        """Of elementwise statements: what a thread takes at once, along all loops or the innermost one."""
        buffers, rows = self.text.buffers, self.group.rows
        stores = tuple((name, at) for name, at in self.group.indices.items() if name in self.outside)
        keys = dict.fromkeys(
            key
            for phase in self.group.phases
            for key in phase.loads()
            if (key[0] not in self.held or key[0] in self.first & self.outside) and self._certain(phase, key)
        )
        every = {key for phase in self.group.phases for key in phase.loads() if key[0] not in self.held}
        loads = [BufferLoad(name, at, buffers[name].dtype) for name, at in keys]
        for loops in (rows, rows[-1:]):
            found = tuple(
                e for e in loads if contiguous(buffers[e.buffer], e.indices, loops) and self._within(e, loops)
            )
            whole = len(loops) == 1 or (len(found) == len(loads) and every <= keys.keys())
            together = all(contiguous(buffers[name], at, loops) for name, at in stores)
            if loops and whole and together and all(self._inside(key, self.group.phases[0]) for key in stores):
                size = width([*(e.dtype for e in found), *(buffers[name].dtype for name, _ in stores)])
                many = f"columns - step < {size} ? (i32)(columns - step) : {size}"
                return Chunk(tuple(loops), size, "step", many, found, stores) if size > 1 else None
        return None

    def vectors(self, k: int, phase: Phase) -> tuple[tuple[BufferLoad, ...], tuple[Key, ...]]:
        """What a phase loads from memory, and stores there, side by side."""
        span, buffers = self.group.spans[phase.span], self.text.buffers
        later = {each.key for each in self.kept if k in each.phases[1:]}
        loads = [
            BufferLoad(name, at, buffers[name].dtype)
            for name, at in dict.fromkeys(phase.loads())
            if (name, at) not in later and name not in self.held and self._certain(phase, (name, at))
        ]
        found = tuple(e for e in loads if contiguous(buffers[e.buffer], e.indices, span) and self._within(e, span))
        key = phase.store.buffer, phase.target
        each = next((e for e in self.kept if e.key == key), None)
        direct = each is None or (k == each.stored and each.final)
        if phase.fold is None and direct and contiguous(buffers[key[0]], key[1], span) and self._inside(key, phase):
            return found, (key,)
        return found, ()

    def _within(self, load: BufferLoad, loops: tuple[For, ...]) -> bool:
        """Whether the indices along these loops are proved to be in bounds: elements that are moved at once are not
        moved into range one by one."""
        text = self.text.scope()
        for loop in (*self.group.rows, *loops):
            statements.enter(text, loop)
        pairs = list(zip(load.indices, text.buffers[load.buffer].shape, strict=True))[-len(loops) :]
        return all(text.bounds.inside(text.resolve(i), text.resolve(dim), load.buffer) for i, dim in pairs)

    def _inside(self, key: Key, phase: Phase) -> bool:
        """Whether a store is proved to be in bounds."""
        text = self.text.scope()
        for loop in (*self.group.rows, *(self.group.spans[phase.span] if phase.span >= 0 else ())):
            statements.enter(text, loop)
        return not statements.place(text, text.buffers[key[0]], key[1])[1]

    def read(self, out: Lines, text: Text, k: int, each: Kept) -> None:
        """What is kept, into a variable: from memory the first time."""
        kind, variable = c_type(each.dtype), f"now{each.name}"
        load = BufferLoad(each.key[0], each.key[1], each.dtype)
        first = k == each.phases[0]
        if not first and self.for_the_block(k):  # (of what stays only)
            out.line(f"const {kind} {variable} = {each.room}[slot];")
            text.kept[each.key] = variable
            return
        before, text.used.when = text.used.when, text.used.when if first else "spills"
        source = self.again.get((each.name, k))
        if source is None:
            raw = text.load(load)
        else:
            inner = text.scope()
            inner.aliases.update(self.group.phases[source].aliases)
            raw = inner.element(self.group.phases[source].store.value)
        text.used.when = before
        if first:
            out.line(f"const {kind} {variable} = {raw};")
            out.line(f"if ({self.stays}) {each.room}[slot] = {variable};")
        else:
            out.line(f"const {kind} {variable} = {self.stays} ? ({kind}){each.room}[slot] : ({kind}){raw};")
        text.kept[each.key] = variable

    def columns(self, out: Lines, text: Text, k: int, phase: Phase) -> None:
        """A store for every column."""
        if block := self.for_the_block(k):
            out.open("if (fits)")
            text.used.when = "fits"
        inner = self.open(out, text, k, phase)
        self.keep(out, inner, k, phase, inner.element(phase.store.value))
        self.close(out, text)
        if block:
            text.used.when = "always"
            out.close()

    def keep(self, out: Lines, inner: Text, k: int, phase: Phase, value: str) -> None:
        """A value of this column where later phases, or others, look for it."""
        buffer = inner.buffers[phase.store.buffer]
        each = next((e for e in self.kept if e.key == (buffer.name, phase.target)), None)
        if each is None or (k == each.stored and each.final and k == each.phases[-1]):
            self.store(out, inner, buffer, phase, value)
        else:
            out.line(f"const {c_type(buffer.dtype)} found = {value};")
            if k == each.stored and each.final:
                out.line(f"if ({self.stays}) {each.room}[slot] = found;")
                self.store(out, inner, buffer, phase, "found")
            elif self.for_the_block(k):
                out.line(f"{each.room}[slot] = found;")
            else:
                out.open(f"if ({self.stays})")
                out.line(f"{each.room}[slot] = found;")
                out.close("} else {")
                out.depth += 1
                inner.used.when = "spills"
                statements.write(out, inner, buffer, phase.target, "found")
                inner.used.when = "always"
                out.close()

    def store(self, out: Lines, text: Text, buffer: Buffer, phase: Phase, value: str) -> None:
        key = buffer.name, phase.target
        if self.chunk is None or not self.chunk.store(out, text, key, value):
            statements.write(out, text, buffer, phase.target, value)

    def fold(self, out: Lines, text: Text, k: int, phase: Phase) -> None:
        """All columns into one element of the row."""
        reduction = phase.fold
        assert reduction is not None
        variable = self.held[phase.store.buffer]
        start = text.scope()
        start.aliases.update(phase.aliases)
        init = start.element(reduction.init)
        tests = self.tests(text, phase)
        out.open(f"if ({' && '.join(tests)})" if tests else "")
        combine, item = reduction.combine, reduction.item
        if combine is None or item is None or (self.alone and phase.store.value.dtype not in ROW_DTYPES):
            out.line(f"{variable} = {init};")
            inner = self.open(out, text, k, phase)
            out.line(f"{variable} = {inner.element(phase.store.value)};")
            self.close(out, text)
        else:
            kind, operator = wide(phase.store.value.dtype), OPERATORS[combine]
            out.line(f"{kind} acc = {neutral(combine, kind)};")
            inner = self.open(out, text, k, phase)
            out.line(f"acc = {operator}::of(acc, widen({inner.element(item)}));")
            self.close(out, text)
            if not self.alone:
                out.line(f"acc = row_total<{operator}>(acc, lanes);")
            total = f"{operator}::of(widen({init}), acc)"
            out.line(f"{variable} = cast<{c_type(phase.store.value.dtype)}>({total});")
        out.close()
