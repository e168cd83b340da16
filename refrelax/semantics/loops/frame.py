"""What building a loop-level function needs: where variables live, what is known of them, which memory buffers name.

A PrimFunc is built once per call: its symbols, the memory of its parameters and of its root allocations are known then
and end up as constants in the closures. A *frame* is a Python list with one slot per variable.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from refrelax.errors import Effect, Span
from refrelax.semantics.budget import Meter
from refrelax.semantics.loops.launch import Ask, Launch
from refrelax.semantics.loops.races import Races
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.storage import Cells, Storage
from refrelax.syntax.loops import PrimFunc, Stmt
from refrelax.syntax.scalars import CommReducer, Intrinsic, PrimExpr

Frame = list[Any]
"""One slot a variable: a Python int for index variables, a payload for element variables."""

Run = Callable[[Frame], Any]
"""A built statement or expression."""

Element = Callable[[Frame], Payload]
"""A built expression that gives a payload."""

Access = Literal["read", "write"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Index:
    """A built integer expression in index position, with what is known of its value.

    ``lo``/``hi``: inclusive bounds of the values that it can give, ``None`` when unknown. ``slot``: set when it is a
    plain variable. ``ends``: evaluating it may end the run, so that equal bounds do not make it a constant. Known
    bounds only ever remove checks that cannot fail.
    """

    run: Run
    lo: int | None = None
    hi: int | None = None
    slot: int | None = None
    ends: bool = False

    @property
    def constant(self) -> int | None:
        """The one value that it has, which may then stand for its evaluation."""
        return self.lo if self.lo is not None and self.lo == self.hi and not self.ends else None


def fixed(value: int) -> Index:
    """The constant ``value`` as an index."""
    return Index(lambda _frame: value, value, value)


def spelled(indices: Sequence[Index], frame: Frame) -> str:
    """An index in a message."""
    return ", ".join(str(int(i.run(frame))) for i in indices)


Box = list[tuple[Run, Run]]
"""(min, extent) per axis, as closures."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What one block declares: the boxes of each buffer that it may read and write. ``outside``: the buffers that
    exist around the block; its own memory needs no declaration."""

    block: str
    reads: dict[str, list[Box]] | None
    writes: dict[str, list[Box]] | None
    outside: frozenset[str]


@dataclass(slots=True)
class Bound:
    """A buffer with the memory that it names: ``cells[origin + Σ index·stride]``.

    ``shape``, ``strides`` and ``origin`` are indices because a buffer declared inside a loop may depend on it; for
    parameters and most allocations they are constants.
    """

    name: str
    dtype: str
    storage: Storage
    cells: Cells
    shape: tuple[Index, ...]
    strides: tuple[Index, ...]
    origin: Index
    scope: str = "global"
    pointer: Index = field(default_factory=lambda: fixed(0))
    """Where its data pointer points, in elements from the start of the storage; ``origin`` adds the element offset."""
    elements: int = 0
    """How many elements the allocation has, for resetting it; 0 for views."""
    depth: int = 0
    """How many concurrent loops were around its allocation: strands of deeper ones share it."""
    borrowed: bool = False
    """Whether it is a view whose shape may reach beyond the memory that there is."""


Extern = Callable[..., Any]


@dataclass(slots=True)
class Context:
    """What stays the same during a run: the reading, the budget, other functions, library functions, effects."""

    numerics: Numerics
    meter: Meter
    call_function: Callable[[str, list[Any], Span | None], Any]
    externs: Mapping[str, Extern] = field(default_factory=dict)
    contracts: Mapping[str, Callable[[list[Any], Span | None], Any]] = field(default_factory=dict)
    """Library functions whose meaning is a function of the module."""
    effects: list[Effect] = field(default_factory=list)
    listener: Any = None
    check_regions: bool = False
    """Whether accesses are held to the ``T.reads`` and ``T.writes`` of their blocks."""
    races: Races = field(default_factory=Races)
    running: dict[str, int] = field(default_factory=dict)
    """The thread that runs, of loops over threads one after the other: its place for each tag."""
    tiles: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """The sizes (m, n, k) of the matrix fragments in a storage, by its identity."""


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judgements of the loop level that call one another across files, each as the function that builds it.

    An expression may hold a call, a call expressions; a block holds statements, a statement blocks. So that files still
    import in one direction only, what calls up the text does so through this record: ``judgements.py`` fills it.
    """

    element: Callable[[Builder, PrimExpr], Element]
    vector: Callable[[Builder, PrimExpr], Element]
    intrinsic: Callable[[Builder, Intrinsic], Element]
    effect: Callable[[Builder, PrimExpr], Run]
    statement: Callable[[Builder, Stmt], Run]
    body: Callable[[Builder, Iterable[Stmt]], Run]
    field: Callable[[Builder, Intrinsic], Index | None]
    record: Callable[[Builder, Intrinsic], Any]
    matrices: Callable[[Builder, Intrinsic], Ask]


Names = MutableMapping[str, T]
"""What names stand for in a scope."""

FEW = 64
"""Names that are copied into a scope; more are looked up around it."""


def inner(names: Names[T]) -> Names[T]:
    """Names of a scope inside another: what it adds is its own. The one around stands still while it is built."""
    if isinstance(names, ChainMap):
        return names.new_child()
    return dict(names) if len(names) <= FEW else ChainMap({}, names)


@dataclass(slots=True)
class Builder:
    """Names in scope while a function is being built. ``child()`` opens an inner scope over the same frame layout.

    ``element``, ``body`` and the others named as in ``Judgements`` build a part in this scope.
    """

    context: Context
    judgements: Judgements
    slots: list[int]
    variables: dict[str, Index]
    elements: dict[str, int]
    buffers: Names[Bound]
    handles: Names[Any]
    aliasing: bool = False
    """Whether some buffer of the function shares memory at another dtype, so that stores must keep planes in step."""
    depth: int = 0
    """Concurrent loops (parallel, thread-bound) around the statement that is being built."""
    function: PrimFunc | None = None
    """The loop program that is being built."""
    known: Mapping[str, PrimExpr] = field(default_factory=dict)
    """In lockstep: the names of integers that are known when the function is called, over its scalars and symbols."""
    implicit: bool = False
    """Whether the compiler owes the synchronisation of shared memory (block level, no barrier written)."""
    launch: Launch | None = None
    """The block of threads in lockstep that is being built, if any."""
    tags: tuple[str, ...] = ()
    """In lockstep: the tags of the thread loops around, outermost first."""
    threads: dict[str, str] = field(default_factory=dict)
    """Thread variables in scope, with their tags."""
    varying: frozenset[str] = frozenset()
    """Variables that may differ between the threads of a block."""
    uniform: bool = True
    """In lockstep: whether all threads reach the statement that is being built."""
    reducer: CommReducer | None = None
    """The reducer of the enclosing ``reduce_scope``."""
    unwatched: frozenset[str] = frozenset()
    """Buffers that a reduction across threads writes: its threads take turns."""
    declared: tuple[Declared, ...] = ()
    """The regions of the enclosing blocks, when they are checked."""
    loops: tuple[tuple[str, int], ...] = ()
    """The enclosing loop variables and their slots, outermost first."""
    path: str = ""
    """The function, for what watches the run."""

    def child(self) -> Builder:
        """The same frame, with scopes of its own."""
        return replace(
            self,
            variables=dict(self.variables),
            elements=dict(self.elements),
            buffers=inner(self.buffers),
            handles=inner(self.handles),
            threads=dict(self.threads),
        )

    # --- the parts of what is being built --------------------------------------------------------------------------

    def element(self, expr: PrimExpr) -> Element:
        """An expression for its payload."""
        return self.judgements.element(self, expr)

    def vector(self, expr: PrimExpr) -> Element:
        """An expression of several lanes, for the tuple of its payloads."""
        return self.judgements.vector(self, expr)

    def intrinsic(self, call: Intrinsic) -> Element:
        """A call of an intrinsic for its value."""
        return self.judgements.intrinsic(self, call)

    def effect(self, value: PrimExpr) -> Run:
        """An expression for its effect."""
        return self.judgements.effect(self, value)

    def statement(self, stmt: Stmt) -> Run:
        """A statement; what it declares is in this scope."""
        return self.judgements.statement(self, stmt)

    def body(self, stmts: Iterable[Stmt]) -> Run:
        """Statements in a scope of their own."""
        return self.judgements.body(self, stmts)

    def field(self, call: Intrinsic) -> Index | None:
        """An integer field of a record of the caller, if it is known."""
        return self.judgements.field(self, call)

    def record(self, call: Intrinsic) -> Any:
        """What a handle that comes out of a record points to."""
        return self.judgements.record(self, call)

    def matrices(self, call: Intrinsic) -> Ask:
        """What all lanes of a warp do together."""
        return self.judgements.matrices(self, call)

    # --- places ------------------------------------------------------------------------------------------------------

    def new_slot(self) -> int:
        """A fresh place in the frame."""
        self.slots[0] += 1
        return self.slots[0] - 1

    def variable(self, name: str, lo: int | None = None, hi: int | None = None) -> int:
        """Declare an index variable; gives its slot."""
        slot = self.new_slot()
        self.variables[name] = Index(lambda frame: frame[slot], lo, hi, slot)
        return slot

    def element_variable(self, name: str) -> int:
        """Declare a variable that holds a payload; gives its slot."""
        slot = self.new_slot()
        self.elements[name] = slot
        return slot


def new_builder(context: Context, judgements: Judgements) -> Builder:
    """A builder with nothing in scope."""
    return Builder(context, judgements, [0], {}, {}, {}, {})
