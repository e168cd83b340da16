"""Deliberately wrong memory plans: each changes one thing in the passes, and names the module that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from refrelax.lower import aliases, lives, memory_sizes, plan_memory, to_destinations
from refrelax.syntax.graph import Call, DataTypeValue, Function, If, MatchCast, Op, PrimValue, Tuple, TupleGetItem, Var
from refrelax.syntax.scalars import Binary, as_int, int_imm

Patch = Callable[[pytest.MonkeyPatch], None]
Planner: Any = plan_memory._Planner
Walk: Any = aliases._Walk
Rewriter: Any = to_destinations._Rewriter


@dataclass(frozen=True)
class Mutant:
    """``module``: a key of ``memory_modules.MODULES``."""

    name: str
    module: str
    patch: Patch


def _without(kind: Callable[[Any], bool]) -> Patch:
    """Values of a kind share no memory with what they are made of."""

    def patch(m: pytest.MonkeyPatch) -> None:
        honest = Walk.sources
        m.setattr(Walk, "sources", lambda walk, value: [] if kind(value) else honest(walk, value))

    return patch


def _operator(name: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Call) and isinstance(value.op, Op) and value.op.name == name


def _casts_are_fresh(m: pytest.MonkeyPatch) -> None:
    honest = Walk.sequence

    def sequence(walk: Any, seq: Any) -> None:
        blocks = tuple(
            replace(b, bindings=tuple(each for each in b.bindings if not isinstance(each, MatchCast)))
            for b in seq.blocks
        )
        honest(walk, replace(seq, blocks=blocks))

    m.setattr(Walk, "sequence", sequence)


def _nothing_leaves(kill: bool) -> Patch:
    """What a sequence gives back counts as local."""

    def patch(m: pytest.MonkeyPatch) -> None:
        honest = Planner.sequence

        def sequence(planner: Any, seq: Any, free: Any) -> Any:
            whole = planner.whole
            for block in seq.blocks:
                names = [planner.aliases.find(n) for b in block.bindings for n in plan_memory.occurrences(b)]
                whole = planner.whole.copy()
                whole.update({n: names.count(n) - whole[n] for n in set(names)})
            planner.whole, kept = whole, planner.whole
            result = honest(planner, seq, free)
            planner.whole = kept
            return result

        m.setattr(Planner, "sequence", sequence)
        if not kill:
            _no_kills(m)

    return patch


def _no_kills(m: pytest.MonkeyPatch) -> None:
    honest = Planner._written

    def written(planner: Any, seq: Any, parts: Any, level: Any) -> Any:
        plan = honest(planner, seq, parts, level)
        blocks = tuple(
            replace(b, bindings=tuple(each for each in b.bindings if not _is_kill(each.value))) for b in plan.blocks
        )
        return replace(plan, blocks=blocks)

    m.setattr(Planner, "_written", written)


def _is_kill(value: Any) -> bool:
    return isinstance(value, Call) and isinstance(value.op, Op) and ".kill_" in value.op.name


def _dies_early(by: int, kill: bool) -> Patch:
    """A tensor is dead some bindings before its last mention."""

    def patch(m: pytest.MonkeyPatch) -> None:
        honest = Planner._deaths

        def deaths(planner: Any, index: int, ends: Any, level: Any) -> Any:
            return honest(planner, index, {g: max(e - by, 0) for g, e in ends.items()}, level)

        m.setattr(Planner, "_deaths", deaths)
        if not kill:
            _no_kills(m)

    return patch


def _branches_are_shallow(m: pytest.MonkeyPatch) -> None:
    honest = lives.occurrences

    def occurrences(root: Any) -> Any:
        if isinstance(getattr(root, "value", None), If):
            return iter([root.name])
        return honest(root)

    m.setattr(lives, "occurrences", occurrences)
    honest_plan = Planner.sequence

    def sequence(planner: Any, seq: Any, free: Any) -> Any:
        for block in seq.blocks:
            for b in block.bindings:
                if isinstance(b.value, If):
                    for n in honest(b.value):
                        planner.whole[planner.aliases.find(n)] -= 1
        return honest_plan(planner, seq, free)

    m.setattr(Planner, "sequence", sequence)


def _size(change: Callable[[tuple[Any, ...], str], Any]) -> Patch:
    """Another size formula."""
    return lambda m: m.setattr(plan_memory, "nbytes", change)


def _first_extent_less_one(dims: tuple[Any, ...], dtype: str) -> Any:
    first = as_int(dims[0])
    less = int_imm(first - 1) if first is not None else Binary("Sub", dims[0], int_imm(1))
    return memory_sizes.nbytes((less, *dims[1:]), dtype)


def _symbols_are_one(dims: tuple[Any, ...], dtype: str) -> Any:
    return memory_sizes.nbytes(tuple(d if as_int(d) is not None else int_imm(1) for d in dims), dtype)


def _everything_fits(m: pytest.MonkeyPatch) -> None:
    m.setattr(Planner, "_proved", lambda planner, statement, where, dims, *sizes: True)


def _reversed_comparison(m: pytest.MonkeyPatch) -> None:
    m.setattr(plan_memory, "le", lambda a, b: Binary("GE", a, b))
    m.setattr(Planner, "_given", lambda planner, dims, *sizes: ())
    m.setattr(plan_memory.Ledger, "holds", lambda ledger, statement, *rest: True)


def _grows_on_paper(m: pytest.MonkeyPatch) -> None:
    honest = Planner._choose

    def choose(planner: Any, size: Any, dims: Any, where: str, level: Any) -> Any:
        before = {slot: slot.size for slot in level.free}
        slot = honest(planner, size, dims, where, level)
        if slot is not None:
            slot.size = before[slot]
        return slot

    m.setattr(Planner, "_choose", choose)


def _grows_with_unknown_symbols(m: pytest.MonkeyPatch) -> None:
    m.setattr(plan_memory, "free_symbols", lambda e: set())
    _everything_fits(m)
    m.setattr(Planner, "_choose", _always_grow)


def _always_grow(planner: Any, size: Any, dims: Any, where: str, level: Any) -> Any:
    for slot in level.free:
        slot.size = size
        return slot
    return None


def _storage_stays_free(m: pytest.MonkeyPatch) -> None:
    honest = Planner._planned

    def planned(planner: Any, binding: Any, group: str, dims: Any, dtype: str, index: int, level: Any) -> Any:
        kept = list(level.free)
        result = honest(planner, binding, group, dims, dtype, index, level)
        level.free[:] = [*level.free, *(slot for slot in kept if slot not in level.free)]
        return result

    m.setattr(Planner, "_planned", planned)


def _storage_killed_early(m: pytest.MonkeyPatch) -> None:
    """The end of a storage is that of its first tensor."""
    honest = Planner._written

    def written(planner: Any, seq: Any, parts: Any, level: Any) -> Any:
        for slot in level.own:
            slot.end = next(k for k, part in enumerate(parts) if slot in part)
        return honest(planner, seq, parts, level)

    m.setattr(Planner, "_written", written)


def _leaks_across_branches(m: pytest.MonkeyPatch) -> None:
    """What one branch allocated is free in the next."""
    honest = Planner.sequence
    made: list[Any] = []

    def sequence(planner: Any, seq: Any, free: Any) -> Any:
        result = honest(planner, seq, [*free, *made])
        made.extend(planner_slots)
        return result

    planner_slots: list[Any] = []
    honest_planned = Planner._planned

    def planned(planner: Any, *rest: Any) -> Any:
        result = honest_planned(planner, *rest)
        planner_slots.extend(each for each in result if isinstance(each, plan_memory.Slot))
        return result

    m.setattr(Planner, "sequence", sequence)
    m.setattr(Planner, "_planned", planned)


def _branches_take_living_storage(m: pytest.MonkeyPatch) -> None:
    honest = Planner._binding

    def binding(planner: Any, each: Any, index: int, level: Any, local: Any) -> Any:
        if isinstance(each.value, If):
            kept = list(level.free)
            level.free[:] = [*kept, *(slot for pairs in level.living.values() for _, slot in pairs)]
            result = honest(planner, each, index, level, local)
            level.free[:] = kept
            return result
        return honest(planner, each, index, level, local)

    m.setattr(Planner, "_binding", binding)


def _alloc(change: Callable[[Call], Call]) -> Patch:
    """Another ``alloc_tensor``."""

    def patch(m: pytest.MonkeyPatch) -> None:
        honest = Planner._planned

        def planned(planner: Any, *rest: Any) -> Any:
            *before, tensor = honest(planner, *rest)
            call = tensor.value
            changed = change(call) if isinstance(call, Call) and len(call.args) == 5 else call
            return [*before, replace(tensor, value=changed)]

        m.setattr(Planner, "_planned", planned)

    return patch


def _at(call: Call, position: int, arg: Any) -> Call:
    return replace(call, args=(*call.args[:position], arg, *call.args[position + 1 :]))


def _views_although_in_place(m: pytest.MonkeyPatch) -> None:
    m.setattr(to_destinations, "stores_somewhere", lambda *_: False)


def _any_kernel_is_a_view(m: pytest.MonkeyPatch) -> None:
    m.setattr(to_destinations, "is_reshape", lambda func: len(func.params) == 2)


def _outputs_first(m: pytest.MonkeyPatch) -> None:
    honest = Rewriter._call
    m.setattr(Rewriter, "_call", lambda r, call, args: honest(r, call, (*args[1:], args[0])))


def _in_place_is_fresh(m: pytest.MonkeyPatch) -> None:
    """The updated tensor gets memory of its own: what the call did is lost."""
    honest = Rewriter.spelled_out

    def spelled_out(r: Any, binding: Any, call: Any) -> Any:
        found = honest(r, binding, call)
        if to_destinations.inplace_indices(call) == (0,):
            found[-1] = replace(found[-1], value=to_destinations.allocation(call.ty_args[0]))
        return found

    m.setattr(Rewriter, "spelled_out", spelled_out)


def _call_forgotten(m: pytest.MonkeyPatch) -> None:
    honest = Rewriter.spelled_out

    def spelled_out(r: Any, binding: Any, call: Any) -> Any:
        found = honest(r, binding, call)
        return [each for each in found if each.name == binding.name] or found

    m.setattr(Rewriter, "spelled_out", spelled_out)


def _same_destination(m: pytest.MonkeyPatch) -> None:
    """All outputs of a call go to the first one's memory."""
    honest = Rewriter._call

    def call(r: Any, form: Any, args: Any) -> Any:
        return honest(r, form, (*args[:-1], args[-2])) if len(args) == 3 else honest(r, form, args)

    m.setattr(Rewriter, "_call", call)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("a name is no alias", "name", _without(lambda v: isinstance(v, Var))),
    Mutant("match_cast is no alias", "match_cast", _casts_are_fresh),
    Mutant("a tuple is no alias", "tuple", _without(lambda v: isinstance(v, Tuple))),
    Mutant("a reshape is no alias", "reshape", _without(_operator("relax.reshape"))),
    Mutant("a view is no alias", "view", _without(_operator("relax.memory.view"))),
    Mutant("a call is no alias", "function", _without(lambda v: isinstance(v, Call) and v.op.name == "same")),
    Mutant("a branch is no alias", "branch_value", _without(lambda v: isinstance(v, If))),
    Mutant("a field is no alias", "field", _without(lambda v: isinstance(v, TupleGetItem))),
    Mutant("a closure keeps nothing", "closure", _without(lambda v: isinstance(v, Function))),
    Mutant("the result is freed", "output", _nothing_leaves(kill=True)),
    Mutant("the memory of the result is used again", "output", _nothing_leaves(kill=False)),
    Mutant("the result of a branch is freed", "branch_result", _nothing_leaves(kill=True)),
    Mutant("dead one binding early", "chain", _dies_early(1, kill=True)),
    Mutant("memory of an argument for the result of its call", "chain", _dies_early(2, kill=False)),
    Mutant("uses inside a branch do not count", "branch_use", _branches_are_shallow),
    Mutant("size without the item size", "chain", _size(lambda dims, dtype: memory_sizes.nbytes(dims, "int8"))),
    Mutant("size with an extent less one", "matrix", _size(_first_extent_less_one)),
    Mutant("size with symbols for one", "symbolic", _size(_symbols_are_one)),
    Mutant("size of the first axis only", "matrix", _size(lambda dims, dtype: memory_sizes.nbytes(dims[:1], dtype))),
    Mutant("any storage fits", "larger", _everything_fits),
    Mutant("any storage fits, under symbols", "symbolic_rows", _everything_fits),
    Mutant("larger storage is too small, smaller fits", "larger", _reversed_comparison),
    Mutant("a storage grows in the claim only", "larger", _grows_on_paper),
    Mutant("a storage grows in the claim only, under symbols", "symbolic_rows", _grows_on_paper),
    Mutant("a storage of a size not known yet", "late_symbol", _grows_with_unknown_symbols),
    Mutant("a storage is free while in use", "two_outputs", _storage_stays_free),
    Mutant("a storage is killed after its first tensor", "dead_then_live", _storage_killed_early),
    Mutant("storage of one branch in the other", "branch_storage", _leaks_across_branches),
    Mutant("a branch takes storage that is in use", "branch_live", _branches_take_living_storage),
    Mutant("an offset of four bytes", "chain", _alloc(lambda call: _at(call, 1, PrimValue(int_imm(4))))),
    Mutant("another dtype", "chain", _alloc(lambda call: _at(call, 3, DataTypeValue("int32")))),
    Mutant("a view although memory is updated", "in_place", _views_although_in_place),
    Mutant("any copy is a view", "output", _any_kernel_is_a_view),
    Mutant("outputs before inputs", "chain", _outputs_first),
    Mutant("the in-place output is fresh", "in_place_result", _in_place_is_fresh),
    Mutant("the call is forgotten", "chain", _call_forgotten),
    Mutant("one destination for two outputs", "pair_used", _same_destination),
)
