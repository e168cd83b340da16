"""Deliberately wrong variants of the fusion passes, each with a program of at most three bindings that shows it.

``Mutant.patches`` are (module or class, attribute, replacement): put in place with ``monkeypatch.setattr``. ``shows``
names the program (``tests/lower/fusion_modules.py``), ``dims`` the extents.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.lower import fuse_ops
from refrelax.lower.fuse_loops import in_place, indices, inline, program, sites
from refrelax.lower.fuse_ops import graph, groups, outputs, primitive
from refrelax.lower.nests import Axis, Nest, map_loads, parts, rebuilt, write_nest
from refrelax.semantics.dims import substitute
from refrelax.syntax.graph import Call, Constant, MatchCast, Op, Tuple, VarBinding
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    int_imm,
)

Patch = tuple[Any, str, Any]


@dataclass(frozen=True)
class Mutant:
    """``how``: the outcomes differ (``outcome``), or the result no longer checks (``rejected``)."""

    name: str
    shows: str
    patches: tuple[Patch, ...]
    dims: dict[str, int] = field(default_factory=lambda: {"n": 5, "m": 3})
    how: str = "outcome"


def on_values(change: Any) -> Patch:
    """Change the value that is inlined."""
    true = inline._Inliner.element

    def element(self: Any, load: BufferLoad, domain: Any) -> PrimExpr:
        return everywhere(true(self, load, domain), change)

    return (inline._Inliner, "element", element)


def everywhere(e: PrimExpr, change: Any) -> PrimExpr:
    """``change`` at every node, innermost first."""
    found: PrimExpr = change(rebuilt(e, tuple(everywhere(part, change) for part in parts(e))))
    return found


def on_nests(change: Any) -> Patch:
    """Change every nest as it is written out."""
    true = program.body

    def body(p: Any) -> Any:
        p.nests = [new for k, nest in enumerate(p.nests) if (new := change(p, k, nest)) is not None]
        return true(p)

    return (program, "body", body)


# --- grouping --------------------------------------------------------------------------------------------------------


def _without_match_casts(checked: Any, ledger: Any) -> Any:
    """Drop the ``match_cast``s of every dataflow block, then fuse."""
    from refrelax.semantics.types.check import check

    module = checked.module
    main = module["main"]
    (block,) = main.body.blocks
    alias = {b.name: b.value for b in block.bindings if isinstance(b, MatchCast)}

    def arg(e: Any) -> Any:
        return alias.get(getattr(e, "name", None), e)

    def call(value: Call) -> Call:
        """The same call on what was cast, with extents as they were before."""
        callee, fields = value.args
        (out,) = value.ty_args
        dims = tuple(SymVar("n") if as_int(d) == 4 else d for d in out.shape)  # type: ignore[union-attr]
        return replace(value, args=(callee, Tuple(tuple(map(arg, fields.fields)))), ty_args=(replace(out, shape=dims),))  # type: ignore[union-attr]

    bindings = tuple(replace(b, value=call(b.value)) for b in block.bindings if not isinstance(b, MatchCast))
    body = replace(main.body, blocks=(replace(block, bindings=bindings),))
    seen = module.with_functions({**module.functions, "main": replace(main, body=body)})
    return TRUE_RUN(check(seen), ledger)


TRUE_RUN = fuse_ops.run


def _no_barrier(binding: Any, module: Any) -> bool:
    return False


def _always_closed(self: Any, whole: set[int]) -> bool:
    return True


def _first_user(graph_: Any) -> dict[int, int]:
    """The first user instead of the post-dominator."""
    return {p: min(graph_.users[p] or {graph_.end}) for p in graph_.members}


def _one_constant(arg: Any) -> Any:
    return replace(arg, span=None, data=(0x40000000,)) if isinstance(arg, Constant) else replace(arg, span=None)


def _reversed_arguments(members: Any, names: Any) -> Any:
    made = TRUE_MAKE(members, names)
    call = made.binding.value
    return replace(made, binding=VarBinding(made.binding.name, replace(call, args=tuple(reversed(call.args)))))


TRUE_MAKE = primitive.make_primitive
TRUE_SITE = sites.call_tir


def _reversed_symbols(call: Any, type_: Any) -> Call:
    made = TRUE_SITE(call, type_)
    callee, fields = made.args
    return Call(Op("relax.call_tir"), (callee, Tuple(tuple(reversed(fields.fields)))), ty_args=made.ty_args)  # type: ignore[union-attr]


# --- inlining --------------------------------------------------------------------------------------------------------


def _by_position(self: Any, load: BufferLoad, domain: Any) -> PrimExpr:
    """The load's own index is ignored: the reader's axes are taken instead."""
    axes = [axis.var for axis in self.reader.spatial]
    by: dict[str, PrimExpr] = {}
    for own, axis in zip(self.producer.indices, axes, strict=False):
        by[own.name] = axis
    return substitute(self.producer.value, by)


def _shifted(self: Any, load: BufferLoad, domain: Any) -> PrimExpr:
    """Off by one in the index map."""
    by: dict[str, PrimExpr] = {
        own.name: Binary("Add", index, int_imm(1))
        for own, index in zip(self.producer.indices, load.indices, strict=True)
    }
    return substitute(self.producer.value, by)


def _other_axis(self: Any, load: BufferLoad, domain: Any) -> PrimExpr:
    """What the producer broadcasts along the rows it takes along the columns."""
    value = TRUE_ELEMENT(self, load, domain)

    def change(e: PrimExpr) -> PrimExpr:
        if isinstance(e, BufferLoad) and len(e.indices) == 1:
            return replace(e, indices=(self.reader.axes[0].var,))
        return e

    return everywhere(value, change)


TRUE_ELEMENT = inline._Inliner.element


def _round_trip(e: PrimExpr) -> PrimExpr:
    """A cast there and back is dropped, though there lies a rounding in between."""
    match e:
        case Cast(dtype=dtype, value=Cast(value=inner)) if inner.dtype == dtype:
            return inner
        case _:
            return e


def _rounded_less(p: Any, k: int, nest: Nest) -> Nest:
    return replace(nest, value=everywhere(nest.value, _round_trip))


def _swapped(e: PrimExpr) -> PrimExpr:
    return Binary(e.op, e.b, e.a) if isinstance(e, Binary) and e.op == "Sub" and "float" in e.dtype else e


def _reassociated(e: PrimExpr) -> PrimExpr:
    match e:
        case Binary(op="Add", a=Binary(op="Mul", a=x, b=y), b=z) if "float" in e.dtype:
            return Binary("Mul", x, Binary("Add", y, z))
        case _:
            return e


def _unguarded(e: PrimExpr) -> PrimExpr:
    return e.args[1] if isinstance(e, Intrinsic) and e.op == "if_then_else" else e


def _wrong_arm(e: PrimExpr) -> PrimExpr:
    match e:
        case Intrinsic(op="if_then_else", args=(c, a, b)):
            return replace(e, args=(c, b, a))
        case Select(condition=c, true_value=a, false_value=b):
            return Select(c, b, a)
        case _:
            return e


def _positive_zero(e: PrimExpr) -> PrimExpr:
    """``x * -1`` as ``0 - x``."""
    match e:
        case Binary(op="Mul", a=a, b=Literal(bits=0xBF800000)):
            return Binary("Sub", Literal("float32", 0), a)
        case _:
            return e


def _nothing(*_: Any) -> None:
    return None


def _true(*_: Any, **__: Any) -> bool:
    return True


def _unclaimed_index(self: Any, index: PrimExpr, domain: Any) -> PrimExpr:
    """``a % b`` is ``a``: nobody asks."""
    return everywhere(index, lambda e: e.a if isinstance(e, Binary) and e.op == "FloorMod" else e)


# --- reductions and epilogues ----------------------------------------------------------------------------------------


def _short(p: Any, k: int, nest: Nest) -> Nest:
    """Every first axis is one too short."""
    first, *rest = nest.axes
    return replace(nest, axes=(Axis(first.var, Binary("Sub", first.extent, int_imm(1)), first.kind), *rest))


def _short_reduction(p: Any, k: int, nest: Nest) -> Nest:
    axes = tuple(
        replace(a, extent=int_imm((as_int(a.extent) or 1) - 1)) if a.kind == "reduce" else a for a in nest.axes
    )
    return replace(nest, axes=axes)


def _no_init(nest: Nest, names: Any) -> Any:
    return write_nest(replace(nest, init=None), names)


def _epilogue_first(p: Any) -> Any:
    p.nests = list(reversed(p.nests))
    return TRUE_BODY(p)


TRUE_BODY = program.body


def _epilogue_each_step(p: Any) -> Any:
    """The epilogue is applied to every partial sum."""
    if len(p.nests) == 2 and p.nests[0].reduces:
        first, last = p.nests
        places = {old.var.name: i for old, i in zip(last.spatial, first.indices, strict=True)}
        (own,) = {load for load in last.loads() if load.buffer == first.buffer}
        p.nests = [replace(first, value=map_loads(substitute(last.value, places), {
            replace(own, indices=first.indices): first.value,
        }))]  # fmt: skip
    return TRUE_BODY(p)


def _reversed_order(p: Any, k: int, nest: Nest) -> Nest:
    """The reduce axes run backwards."""
    by: dict[str, PrimExpr] = {
        a.var.name: Binary("Sub", Binary("Sub", a.extent, int_imm(1)), a.var) for a in nest.axes if a.kind == "reduce"
    }
    return replace(nest, value=substitute(nest.value, by))


def _first_step_only(p: Any, k: int, nest: Nest) -> Nest:
    """The accumulator is not read."""
    if not nest.reduces or not isinstance(nest.value, Binary):
        return nest
    return replace(nest, value=Binary(nest.value.op, nest.init or nest.value.a, nest.value.b))


def _in_half(p: Any, k: int, nest: Nest) -> Nest:
    """``out_dtype`` is lost: products in the inputs' dtype, cast afterwards."""

    def change(e: PrimExpr) -> PrimExpr:
        match e:
            case Binary(op="Mul", a=Cast(value=a), b=Cast(value=b)) if a.dtype == b.dtype == "float16":
                return Cast("float32", Binary("Mul", a, b))
            case _:
                return e

    return replace(nest, value=everywhere(nest.value, change))


def _identity_placing(p: Any, last: Nest, name: str) -> Any:
    """The epilogue reads in another order than it stores: ignored."""
    loads = {load.indices for load in last.loads() if load.buffer == name}
    same = p.buffers[name].dtype == p.buffers[p.output].dtype and len(p.buffers[name].shape) == len(last.indices)
    return tuple(range(len(last.indices))) if loads and same else None


def _one_load_counts(p: Any, name: str, placing: Any) -> bool:
    return True


def _first_load(p: Any, last: Nest, name: str) -> Any:
    """Only one of the loads is looked at: the others read elements that are overwritten."""
    if any(load.buffer == name and load.indices == last.indices for load in last.loads()):
        return tuple(range(len(last.indices)))
    return None


def _move_all(p: Any, last: Nest, name: str, placing: Any) -> None:
    """Every load of the intermediate becomes a load of the output, wherever it is."""
    for nest in list(p.nests):
        change = {load: replace(load, buffer=p.output) for load in nest.loads() if load.buffer == name}
        target = p.output if nest.buffer == name else nest.buffer
        init = None if nest.init is None else map_loads(nest.init, change)
        p.substitute(nest, replace(nest, buffer=target, value=map_loads(nest.value, change), init=init))
    del p.buffers[name]


def _no_fill(p: Any, k: int, nest: Nest) -> Nest | None:
    """The nest that covers the empty reduction is thought dead."""
    later = [other for other in p.nests[k + 1 :] if other.buffer == nest.buffer and other.reduces]
    return None if later and not nest.reduces else nest


def _next_output(b: Any) -> int:
    return 1 - int(b.value.index)


def _only_last(nests: Any, output: str) -> list[Nest]:
    return [nest for nest in nests if nest.buffer == output]


MUTANTS: tuple[Mutant, ...] = (
    Mutant("fusion across a match_cast", "across-match-cast", ((fuse_ops, "run", _without_match_casts),)),
    Mutant("fusion across a call in place", "across-update", ((graph, "is_barrier", _no_barrier),)),
    Mutant(
        "a result with another user is taken in",
        "diamond-open",
        (
            (groups, "post_dominators", _first_user),
            (groups, "between", lambda *_: set()),
            (groups.Groups, "_closed", _always_closed),
        ),
        how="rejected",
    ),
    Mutant(
        "no claim that entry checks succeed",
        "unequal",
        ((fuse_ops, "interface_holds", _true), (program, "dims_equal", _true)),
    ),
    Mutant("two constants are one parameter", "two-constants", ((primitive, "_unplaced", _one_constant),)),
    Mutant("arguments of the fused call reversed", "minus", ((fuse_ops, "make_primitive", _reversed_arguments),)),
    Mutant("symbols of the fused call reversed", "two-symbols", ((sites, "call_tir", _reversed_symbols),)),
    Mutant("outputs of a split kernel exchanged", "halves", ((outputs, "_index", _next_output),), {"n": 4}),
    Mutant("a split kernel without its intermediates", "halves", ((outputs, "needed_for", _only_last),), {"n": 4}),
    Mutant("index map by position", "exp-transpose", ((inline._Inliner, "element", _by_position),)),
    Mutant("index map off by one", "bias-subtract", ((inline._Inliner, "element", _shifted),)),
    Mutant("wrong broadcast axis", "bias-square", ((inline._Inliner, "element", _other_axis),)),
    Mutant("dropped cast", "half", (on_nests(_rounded_less),)),
    Mutant("dropped out_dtype", "mixed-precision", (on_nests(_in_half),)),
    Mutant("swapped operands", "bias-subtract", (on_values(_swapped),)),
    Mutant("distributed product", "half-chain", (on_values(_reassociated),)),
    Mutant("dropped guard", "concat-scale", (on_values(_unguarded),)),
    Mutant("exchanged arms", "pad-negate", (on_values(_wrong_arm),)),
    Mutant("negation as 0 - x", "negate-copy", (on_values(_positive_zero),)),
    Mutant("no claim that the index is in bounds", "gather-shift", ((inline._Inliner, "in_bounds", _nothing),)),
    Mutant("no claim that elements fit", "wrap", ((inline._Inliner, "elements_fit", _nothing),)),
    Mutant("a simplified index is not proved equal", "roll", ((indices.Asker, "index", _unclaimed_index),)),
    Mutant("the source changes between producer and reader", "rewritten-source", ((inline, "undisturbed", _true),)),
    Mutant("loops one too short", "half-chain", (on_nests(_short),)),
    Mutant("reduction one too short", "matmul-bias-relu", (on_nests(_short_reduction),)),
    Mutant("dropped init", "matmul-bias-relu", ((program, "write_nest", _no_init),)),
    Mutant("epilogue before the reduction", "matmul-bias-relu", ((program, "body", _epilogue_first),)),
    Mutant("epilogue before the reduction completes", "matmul-bias-relu", ((program, "body", _epilogue_each_step),)),
    Mutant("reduction in another order", "two-matmuls", (on_nests(_reversed_order),)),
    Mutant("accumulator forgotten", "matmul-bias-relu", (on_nests(_first_step_only),)),
    Mutant("transposed epilogue in place", "square-matmul", ((in_place, "_placing", _identity_placing),)),
    Mutant(
        "epilogue in place over elements still to be read",
        "palindrome",
        ((in_place, "_placing", _first_load), (in_place, "_points", _one_load_counts), (in_place, "_move", _move_all)),
    ),
    Mutant("the empty reduction keeps nothing", "empty-sum", (on_nests(_no_fill),), {"n": 3, "m": 0}),
)
