"""Memory planning: tensors that do not live at the same time share storage, where the sizes are proved to fit.

Works on ``R.builtin.alloc_tensor`` (see ``to_destinations``). A tensor lives from its allocation to the last mention of
any name that may name its memory (``aliases``). When it is dead its storage is free: for a later tensor of the same
sequence, or for one inside a branch of a later ``if``. What leaves the sequence, and all parameters and results, keep
memory of their own.

A storage holds one tensor at a time, from byte 0. The claims: every size can be computed (``lo/size-fits``), every
tensor fits (``lo/reuse-fits``), and its life begins after the one before it ended (``lo/reuse-disjoint``).

Where a function promises bounds of its symbols, the tensors whose size they bound lie in one arena (``arena``).

Spec: ``spec/12-memory.md``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from refrelax.lower.aliases import Aliases, aliases_of, kept_by_libraries, occurrences
from refrelax.lower.arena import in_arena
from refrelax.lower.claims import Ledger, both, le, lt
from refrelax.lower.kills import killed
from refrelax.lower.lives import Life, lives, of_groups
from refrelax.lower.may_trap import Traps
from refrelax.lower.memory_sizes import Dims, nbytes, plannable, planned_bytes, usual_bytes
from refrelax.lower.names import Taken
from refrelax.lower.to_destinations import by_name, names_of
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.symbol_bounds import as_claims, promised_names, symbol_bounds
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.renaming import definable
from refrelax.shape_solver import Proved
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Call,
    DataTypeValue,
    Expr,
    Function,
    If,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringValue,
    Var,
    VarBinding,
)
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.promises import UPPER, of_signature
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols, int_imm
from refrelax.syntax.types import TensorType

__all__ = ["planned_bytes", "run"]

GREATEST = int_imm((1 << 63) - 1)
MOST_CANDIDATES = 16
"""Free storages that are looked at for one tensor."""


def run(checked: CheckedModule, ledger: Ledger) -> Module:
    """The module with storage planned in every graph-level function."""
    functions: dict[str, BaseFunc] = {}
    for name, func in checked.module.functions.items():
        functions[name] = func
        if isinstance(func, Function) and any(map(_allocates, nodes(func))):
            functions[name] = plan(checked, name, func, ledger)
    ledger.done += _of_no_symbol(checked.module)
    return checked.module.with_functions(functions)


def _of_no_symbol(module: Module) -> list[str]:
    """What is promised of names that no signature of the module defines: a slip of the pen, for all that is known."""
    own = [each for f in module.relax_functions().values() for each in nodes(f) if isinstance(each, Function)]
    defined = {name for each in own for name in of_signature(each)}
    found: dict[str, None] = {}
    for name, f in module.relax_functions().items():
        for each in (node for node in nodes(f) if isinstance(node, Function)):
            for symbol in sorted(promised_names(each) - defined):
                found[f"{name} promises something of {symbol}, which no function has"] = None
    return list(found)


def _allocates(node: object) -> bool:
    return isinstance(node, Call) and plannable(node) is not None


def plan(checked: CheckedModule, name: str, func: Function, ledger: Ledger) -> Function:
    """One function, nested functions included."""
    module = checked.module
    traps = Traps(module, name, by_name(checked.types.get(name, {})), ledger.apart())
    aliases = aliases_of(module, func)
    whole = Counter(map(aliases.find, occurrences(func)))
    whole.update({aliases.find(each): 1 for each in kept_by_libraries(module, func)})
    plans: list[tuple[int, Function, Ledger]] = []
    branches = any(isinstance(node, If) for node in nodes(func))
    for alike, hoist in ((False, False), (True, False), *(((False, True), (True, True)) if branches else ())):
        own = ledger.apart()
        outside = _outside(func)
        planner = _Planner(name, own, aliases, names_of(func), whole, _signature(func), _extents(func), outside)
        planner.alike, planner.hoist, planner.killed, planner.traps = alike, hoist, killed(func), traps
        if UPPER in dict(func.attrs):
            planner.arrange(func)
        planned = planner.function(func)
        plans.append((usual_bytes(planned), planned, own))
    _, planned, own = min(plans, key=lambda each: each[0])
    ledger.claims.extend((*own.claims, *traps.ledger.claims))
    return planned


def _signature(func: Function) -> frozenset[str]:
    """The symbols that are known from the start."""
    return frozenset(s.name for p in func.params if p.type is not None for s in definable(p.type))


def _extents(func: Function) -> frozenset[str]:
    """The symbols that are extents of tensors in the signature: they are not negative."""
    types = [node for p in func.params for node in nodes(p.type) if isinstance(node, TensorType)]
    dims = [d for ty in types if isinstance(ty.shape, tuple) for d in ty.shape]
    return frozenset(d.name for d in dims if isinstance(d, SymVar))


def _outside(func: Function) -> tuple[PrimExpr, ...]:
    """What is known before anything runs: what the function promises, and that its arguments' bytes can be counted."""
    types = [node for p in func.params for node in nodes(p.type) if isinstance(node, TensorType)]
    sizes = [nbytes(ty.shape, ty.dtype) for ty in types if isinstance(ty.shape, tuple) and ty.dtype is not None]
    return (*as_claims(func), *(le(size, GREATEST) for size in dict.fromkeys(sizes) if as_int(size) is None))


@dataclass(eq=False, slots=True)
class Slot:
    """A storage of the plan. ``size`` grows while its sequence is planned; ``dims``: extents that are known to be
    computed wherever it is used; ``last``: the tensor that had it last, and when its life ended; ``begin``: before
    which binding of its sequence it stands; ``end``: where it is used last."""

    name: str
    size: PrimExpr
    dims: tuple[Dims, ...]
    home: int
    last: tuple[str, int] = ("", 0)
    end: int = 0
    begin: int = 0


@dataclass(slots=True)
class _Level:
    """A sequence being planned, at the binding ``index``: what it may use, what it made, what lives in it."""

    number: int
    free: list[Slot]
    bindings: list[Binding] = field(default_factory=list)
    index: int = 0
    own: list[Slot] = field(default_factory=list)
    living: dict[str, list[tuple[str, Slot]]] = field(default_factory=dict)
    touched: set[Slot] = field(default_factory=set)
    hoisted: list[Slot] = field(default_factory=list)
    """Of a function's own sequence: storages that were first needed in a branch, and stand before its ``if``."""


@dataclass(slots=True)
class _Planner:
    """One function. ``whole`` counts the mentions of each group; ``outside``: what holds wherever its symbols are
    known; ``time`` numbers the bindings as they stand. ``alike``: symbolic sizes share storage only where they are
    equal; ``hoist``: a storage that a branch needs stands before the ``if``, for the other branch and what follows;
    ``killed``: names that the program kills itself; ``traps``: where a run may end."""

    function_name: str
    ledger: Ledger
    aliases: Aliases
    taken: Taken
    whole: Counter[str]
    known: frozenset[str]
    extents: frozenset[str]
    outside: tuple[PrimExpr, ...] = ()
    alike: bool = False
    hoist: bool = False
    stack: list[_Level] = field(default_factory=list)
    offsets: dict[str, int] = field(default_factory=dict)
    arena: Slot | None = None
    killed: frozenset[str] = frozenset()
    traps: Traps | None = None
    time: int = 0
    levels: int = 0

    def arrange(self, func: Function) -> None:
        """Find a place in one arena for every tensor whose size the promises of the function bound."""

        def given(life: Life, size: PrimExpr) -> tuple[PrimExpr, ...]:
            return self._given(life.dims, size)

        found = lives(func.body, self.aliases, self.whole)
        arena = in_arena(found, symbol_bounds(func), given, self.function_name, self.ledger)
        if arena.rooms:
            self.offsets = arena.offsets
            self.arena = Slot(self.taken.fresh("arena"), int_imm(arena.size), (), 1)

    def function(self, func: Function) -> Function:
        attrs = dict(func.attrs)
        if func.pure:
            attrs["relax.force_pure"] = True
        body, _ = self.sequence(func.body, [])
        return replace(func, body=body, attrs=tuple(sorted(attrs.items())))

    @rule("lo/plan-life")
    def sequence(self, seq: SeqExpr, free: list[Slot]) -> tuple[SeqExpr, set[Slot]]:
        """A planned sequence, and the storages from outside that it used. ``free``: storages that it may use."""
        bindings = [b for block in seq.blocks for b in block.bindings]
        local, ends = of_groups(bindings, self.aliases, self.whole)
        self.levels += 1
        level = _Level(self.levels, list(free), bindings)
        self.stack.append(level)
        if self.levels == 1 and self.arena is not None:
            level.own.append(self.arena)
        parts: list[list[Binding | Slot]] = []
        for index, binding in enumerate(bindings):
            self.time, level.index = self.time + 1, index
            parts.append(self._binding(binding, index, level, local))
            parts[-1].extend(self._deaths(index, ends, level))
        self.stack.pop()
        return self._written(seq, parts, level), level.touched - set(level.own)

    # --- one binding -------------------------------------------------------------------------------------------------

    def _binding(self, binding: Binding, index: int, level: _Level, local: set[str]) -> list[Binding | Slot]:
        if isinstance(binding, MatchCast):
            return [binding]
        match binding.value:
            case If() as branch:
                before, used, bodies = len(self.stack[0].hoisted), set(), []
                for each in (branch.then_branch, branch.else_branch):
                    known = len(self.stack[0].hoisted)
                    body, slots = self.sequence(each, level.free)
                    level.free.extend(self.stack[0].hoisted[known:])  # (what lived in a branch is dead after it)
                    used |= slots
                    bodies.append(body)
                for slot in used:
                    slot.end = index if slot in level.own else slot.end
                    level.touched.add(slot)
                new = self.stack[0].hoisted[before:] if level is self.stack[0] else []
                return [*new, replace(binding, value=replace(branch, then_branch=bodies[0], else_branch=bodies[1]))]
            case Function() as inner:
                own = replace(self, known=_signature(inner), extents=self.extents | _extents(inner), offsets={})
                nested = replace(own, outside=(*self.outside, *_outside(inner)), stack=[])
                return [replace(binding, value=nested.function(inner))]
            case other:
                found = plannable(other)
                group = self.aliases.find(binding.name)
                if found is None or group not in local:
                    return [binding]
                return self._planned(binding, group, *found, index, level)

    @rule("lo/size-fits")
    def _planned(
        self, binding: VarBinding, group: str, dims: Dims, dtype: str, index: int, level: _Level
    ) -> list[Binding | Slot]:
        """An allocation in a storage: at its place in the arena, in a storage that is free, or in a new one."""
        size = nbytes(dims, dtype)
        if binding.name in self.offsets and self.arena is not None:
            return [self._tensor(binding, group, dims, dtype, index, level, self.arena, self.offsets[binding.name])]
        where = f"{self.function_name}/{binding.name}"
        if not self.ledger.holds(le(int_imm(0), size), "lo/size-fits", where, self._given(dims, size), "int64"):
            return [binding]
        slot = self._choose(size, dims, where, level)
        new = slot is None
        if slot is None:
            home = self._home(size, where, level)
            known = (dims,) if home is level else ()
            slot = Slot(self.taken.fresh("storage"), size, known, home.number, begin=home.index)
            home.own.append(slot)
            if home is not level:
                home.hoisted.append(slot)
                new = False
        else:
            level.free.remove(slot)
            self._disjoint(slot, where)
        tensor = self._tensor(binding, group, dims, dtype, index, level, slot, 0)
        return [slot, tensor] if new else [tensor]

    @rule("lo/size-fits")
    def _home(self, size: PrimExpr, where: str, level: _Level) -> _Level:
        """Where a new storage stands: with its tensor, or before the outermost ``if`` around it if its size can be
        computed there whatever branch is taken."""
        outermost = self.stack[0]
        if not self.hoist or level is outermost or not free_symbols(size) <= self.known:
            return level
        assume = tuple(self._about(size))
        statement = le(int_imm(0), size)
        if not self.ledger.known(statement, assume, "int64"):
            return level
        return (
            outermost
            if self.ledger.holds(statement, "lo/size-fits", f"{where} before the if", assume, "int64")
            else level
        )

    def _about(self, *exprs: PrimExpr) -> list[PrimExpr]:
        """What is known of the symbols of some sizes before anything runs."""
        symbols = {name for e in exprs for name in free_symbols(e)}
        signs = [Binary("GE", SymVar(name, "int64"), int_imm(0)) for name in sorted(symbols & self.extents)]
        return [*signs, *(each for each in self.outside if free_symbols(each) <= symbols)]

    def _tensor(
        self, binding: VarBinding, group: str, dims: Dims, dtype: str, index: int, level: _Level, slot: Slot, at: int
    ) -> VarBinding:
        """``R.memory.alloc_tensor(storage, at, …)``, noted as living."""
        slot.end = index if slot in level.own else slot.end
        level.touched.add(slot)
        level.living.setdefault(group, []).append((binding.name, slot))
        args = (Var(slot.name), PrimValue(int_imm(at)), ShapeExpr(dims), DataTypeValue(dtype), PrimValue(int_imm(0)))
        return replace(binding, value=Call(Op("relax.memory.alloc_tensor"), args, span=binding.value.span))

    @rule("lo/reuse-disjoint")
    def _disjoint(self, slot: Slot, where: str) -> None:
        """The life of the tensor that had the storage before ended before this one begins."""
        before, ended = slot.last
        statement = lt(int_imm(ended), int_imm(self.time))
        self.ledger.holds(statement, "lo/reuse-disjoint", f"{where} in {slot.name} after {before}")

    def _deaths(self, index: int, ends: dict[str, int], level: _Level) -> list[Binding | Slot]:
        """After its last mention a tensor is killed, and its storage is free."""
        found: list[Binding | Slot] = []
        for group in [g for g in level.living if ends[g] == index]:
            for name, slot in level.living.pop(group):
                if name not in self.killed:
                    found.append(self._kill("kill_tensor", name))
                slot.last = (name, self.time)
                slot.end = index if slot in level.own else slot.end
                if slot is not self.arena:
                    level.free.append(slot)
        return found

    def _kill(self, what: str, name: str) -> VarBinding:
        return VarBinding(self.taken.fresh("_kill"), Call(Op(f"relax.memory.{what}"), (Var(name),)))

    # --- choosing ----------------------------------------------------------------------------------------------------

    @rule("lo/reuse-fits")
    def _choose(self, size: PrimExpr, dims: Dims, where: str, level: _Level) -> Slot | None:
        """The free storage of the same size, else the smallest that is proved large enough, else one that can grow."""
        fits = [slot for slot in level.free if not self.alike or _alike(slot.size, size)]
        free = sorted(fits, key=lambda slot: (slot.size != size, _rank(slot.size)))[:MOST_CANDIDATES]
        for slot in free:
            if self._proved(le(size, slot.size), where, (dims, *slot.dims), size, slot.size):
                if slot.home == level.number:  # what a branch computes is not known after it
                    slot.dims = (*slot.dims, dims)
                return slot
        for slot in reversed(free):
            if slot.home == level.number and free_symbols(size) <= self.known | free_symbols(slot.size):
                larger = both(le(int_imm(0), size), le(slot.size, size))
                if self._early(size, slot, level) and self._proved(larger, where, slot.dims, slot.size):
                    slot.size, slot.dims = size, (*slot.dims, dims)
                    return slot
        return None

    @rule("lo/reuse-fits")
    def _early(self, size: PrimExpr, slot: Slot, level: _Level) -> bool:
        """Whether a size may be computed where a storage stands: it is an ``int64`` there, or no run comes so far
        without coming here, where it is computed as well."""
        between = level.bindings[slot.begin : level.index]
        if self.traps is not None and not self.traps.among(between):
            return True
        assume = self._given(tuple(d for each in slot.dims for d in each), slot.size)
        claim = le(int_imm(0), size)
        fits = self.ledger.known(claim, assume, "int64")
        return fits and self.ledger.holds(claim, "lo/reuse-fits", f"{self.function_name}: early", assume, "int64")

    def _proved(self, statement: PrimExpr, where: str, dims: tuple[Dims, ...], *sizes: PrimExpr) -> bool:
        """Whether a claim is proved; only then it is raised, since what is not proved is not used."""
        assume = self._given(tuple(d for each in dims for d in each), *sizes)
        prover = Prover(assume, self.ledger.effort, arithmetic="no-overflow")  # type: ignore[arg-type]
        if not isinstance(prover.prove(statement), Proved):
            return False
        return self.ledger.holds(statement, "lo/reuse-fits", where, assume)

    def _given(self, dims: Dims, *sizes: PrimExpr) -> tuple[PrimExpr, ...]:
        """What is known where a tensor is allocated: no extent is negative, and its bytes can be counted."""
        found = self._about(*dims, *sizes)
        for dim in dict.fromkeys(dims):
            if as_int(dim) is None:
                found.append(Binary("GE", dim, int_imm(0)))
                if not isinstance(dim, SymVar):
                    found.append(le(dim, GREATEST))
        found.extend(le(size, GREATEST) for size in dict.fromkeys(sizes) if as_int(size) is None)
        return tuple(dict.fromkeys(found))

    # --- writing -----------------------------------------------------------------------------------------------------

    def _written(self, seq: SeqExpr, parts: list[list[Binding | Slot]], level: _Level) -> SeqExpr:
        """The bindings, with the storages at their final size, each killed after its last use."""
        found: list[Binding] = [storage(self.arena)] if self.arena in level.own and self.arena is not None else []
        for index, part in enumerate(parts):
            for each in part:
                found.append(storage(each) if isinstance(each, Slot) else each)
            found.extend(self._kill("kill_storage", slot.name) for slot in level.own if slot.end == index)
        return replace(seq, blocks=(BindingBlock(tuple(found)),) if found else ())


def _alike(a: PrimExpr, b: PrimExpr) -> bool:
    return a == b or (as_int(a) is not None and as_int(b) is not None)


def _rank(size: PrimExpr) -> int:
    value = as_int(size)
    return value if value is not None else 1 << 62


def storage(slot: Slot) -> VarBinding:
    """``storage = R.memory.alloc_storage(R.shape([bytes]), 0, "global", "uint8")``."""
    args: tuple[Expr, ...] = (
        ShapeExpr((slot.size,)), PrimValue(int_imm(0)), StringValue("global"), DataTypeValue("uint8")
    )  # fmt: skip
    return VarBinding(slot.name, Call(Op("relax.memory.alloc_storage"), args))
