"""Deliberately wrong variants of library dispatch, each with a program of a few bindings that shows it.

As in ``mutants_fusion``: ``patches`` are (module or class, attribute, replacement); ``shows`` names the program of
``dispatch_programs``. ``how``: ``validate`` refutes the result, or it no longer checks (``rejected``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from refrelax.lower import dispatch_library
from refrelax.lower.dispatch_library import matching as match
from refrelax.syntax.graph import Call, Constant, ExternFunc, Function, Op, Tuple, TupleGetItem, Var, VarBinding
from refrelax.syntax.scalars import int_imm
from refrelax.syntax.types import TensorType

Patch = tuple[Any, str, Any]


@dataclass(frozen=True)
class Mutant:
    name: str
    shows: str
    patches: tuple[Patch, ...]
    how: str = "refuted"


MATCHER, DISPATCHER = match._Matcher, dispatch_library._Dispatcher
TRUE_VARIABLE, TRUE_EXPRESSION = MATCHER.variable, MATCHER.expression
TRUE_UNIFIED, TRUE_CALLED = MATCHER.unified, dispatch_library._called
TRUE_RUN = dispatch_library.run


def _nothing(*_: Any) -> None:
    return None


def _true(*_: Any, **__: Any) -> bool:
    return True


def _as_it_was(_self: Any, _pattern: Any, _found: Any, _where: str, binding: str, site: Any) -> Any:
    return site.types[binding]


def _not_shared(self: Any, name: str, e: Any, way: Any) -> Any:
    return [way] if name in way.found else TRUE_VARIABLE(self, name, e, way)


def _any_constant(self: Any, wanted: Any, e: Any, bound: Any, way: Any) -> Any:
    is_one = isinstance(wanted, Constant) and isinstance(e, Constant)
    return TRUE_EXPRESSION(self, wanted, wanted if is_one else e, bound, way)


def _any_operator(self: Any, wanted: Any, e: Any, bound: Any, way: Any) -> Any:
    if isinstance(wanted, Call) and isinstance(e, Call) and len(wanted.args) == len(e.args) == 1:
        e = replace(e, op=wanted.op, attrs=wanted.attrs)
    return TRUE_EXPRESSION(self, wanted, e, bound, way)


def _any_field(self: Any, wanted: Any, e: Any, bound: Any, way: Any) -> Any:
    if isinstance(wanted, TupleGetItem) and isinstance(e, TupleGetItem):
        e = replace(e, index=wanted.index)
    return TRUE_EXPRESSION(self, wanted, e, bound, way)


def _any_dtype(own: Any, found: Any) -> bool:
    return isinstance(found, TensorType) and isinstance(found.shape, tuple) and own.ndim == found.ndim


def _unified_at_any_dtype(self: Any, position: int, way: Any) -> Any:
    old = self.pattern
    dtype = self.site.types[self.site.block.bindings[position].name].dtype
    self.pattern = replace(
        old, params={k: replace(v, dtype=dtype) for k, v in old.params.items()}, result=replace(old.result, dtype=dtype)
    )
    return TRUE_UNIFIED(self, position, way)


def _no_conditions(self: Any, position: int, way: Any) -> Any:
    self.pattern = replace(self.pattern, conditions=())
    return TRUE_UNIFIED(self, position, way)


def _other_arguments(change: Any) -> Any:
    def called(pattern: Any, found: Any, binding: Any, site: Any) -> VarBinding:
        new = TRUE_CALLED(pattern, found, binding, site)
        callee, packed = new.value.args  # type: ignore[union-attr]
        return replace(new, value=replace(new.value, args=(callee, Tuple(change(packed.fields)))))  # type: ignore[type-var]

    return called


def _other_type(pattern: Any, found: Any, binding: Any, site: Any) -> VarBinding:
    new = TRUE_CALLED(pattern, found, binding, site)
    (out,) = new.value.ty_args  # type: ignore[union-attr]
    longer = replace(out, shape=(*out.shape[:-1], int_imm(7)))
    return replace(new, annotation=None, value=replace(new.value, ty_args=(longer,)))  # type: ignore[type-var]


def _other_name(pattern: Any, found: Any, binding: Any, site: Any) -> VarBinding:
    new = TRUE_CALLED(pattern, found, binding, site)
    assert isinstance(new.value, Call)
    return replace(new, value=replace(new.value, args=(ExternFunc("lib.half"), *new.value.args[1:])))


def _contract_with(change: Any) -> Any:
    """The module carries another contract than the one that was matched."""

    def run(checked: Any, ledger: Any, *rest: Any, **named: Any) -> Any:
        module = TRUE_RUN(checked, ledger, *rest, **named)
        functions = dict(module.functions)
        for name, f in module.functions.items():
            if isinstance(f, Function) and dict(f.attrs).get("Contract"):
                functions[name] = _changed(f, change)
        return module.with_functions(functions)

    return run


def _changed(f: Function, change: Any) -> Function:
    def block(b: Any) -> Any:
        return replace(b, bindings=tuple(replace(each, value=change(each.value)) for each in b.bindings))

    return replace(f, body=replace(f.body, blocks=tuple(map(block, f.body.blocks))))


def _instead(old: str, new: Any) -> Any:
    def change(value: Any) -> Any:
        return new(value) if isinstance(value, Call) and value.op == Op(f"relax.{old}") else value

    return change


def _first_operand(value: Any) -> Any:
    return value.args[0]


def _operand_twice(value: Any) -> Any:
    return replace(value, args=(value.args[0], value.args[0]))


def _operator(name: str) -> Any:
    return lambda value: replace(value, op=Op(f"relax.{name}"))


def _at_the_first(self: Any, block: Any, where: str) -> Any:
    """The call at the place of the first binding of the match."""
    new = TRUE_DATAFLOW(self, block, where)
    moved = [b for b in new.bindings if isinstance(b.value, Call) and b.value.op == Op("relax.call_dps_packed")]
    return replace(new, bindings=(*moved, *(b for b in new.bindings if b not in moved)))


TRUE_DATAFLOW = DISPATCHER.dataflow


def _matches_that_may_eat_arguments(pattern: Any, site: Any, position: int, misses: Any) -> Any:
    matcher = MATCHER(pattern, site)
    here = Var(site.block.bindings[position].name)
    for way in matcher.variable(pattern.root, here, match._Way()):
        found = None if match.outside(site, way.positions, position) else matcher.unified(position, way)
        if found is not None:
            yield found


MUTANTS: tuple[Mutant, ...] = (
    Mutant("condition dropped: k % 8, a number", "not aligned", ((MATCHER, "unified", _no_conditions),)),
    Mutant("condition dropped: k % 8, a symbol", "alignment unknown", ((MATCHER, "unified", _no_conditions),)),
    Mutant("claim taken for granted", "alignment unknown", ((DISPATCHER, "result", _as_it_was),)),
    Mutant("shared wildcard ignored", "two factors", ((MATCHER, "variable", _not_shared),)),
    Mutant("constant ignored", "quarter", ((MATCHER, "expression", _any_constant),)),
    Mutant("attribute ignored: axis", "another axis", ((MATCHER, "attributes", _true),)),
    Mutant("attribute ignored: axes", "axes as they were, square", ((MATCHER, "attributes", _true),)),
    Mutant("another operator taken", "diamond of others", ((MATCHER, "expression", _any_operator),)),
    Mutant("field ignored", "the first half", ((MATCHER, "expression", _any_field),)),
    Mutant(
        "dtype ignored",
        "square of half precision",
        ((match, "_fits", _any_dtype), (MATCHER, "unified", _unified_at_any_dtype)),
    ),
    Mutant("difference commutes", "turned difference", ((match, "COMMUTATIVE", frozenset({"relax.subtract"})),)),
    Mutant("product commutes", "turned product", ((match, "COMMUTATIVE", frozenset({"relax.matmul"})),)),
    Mutant(
        "arguments exchanged", "square product", ((dispatch_library, "_called", _other_arguments(lambda a: a[::-1])),)
    ),
    Mutant(
        "first argument twice",
        "square product",
        ((dispatch_library, "_called", _other_arguments(lambda a: (a[0], a[0]))),),
    ),
    Mutant("argument dropped", "bias", ((dispatch_library, "_called", _other_arguments(lambda a: a[:-1])),)),
    Mutant("type of another result", "bias", ((dispatch_library, "_called", _other_type),)),
    Mutant("another library function", "square and half", ((dispatch_library, "_called", _other_name),)),
    Mutant("contract: no bias", "bias", ((dispatch_library, "run", _contract_with(_instead("add", _first_operand))),)),
    Mutant(
        "contract: not transposed",
        "square transposed",
        ((dispatch_library, "run", _contract_with(_instead("permute_dims", _first_operand))),),
    ),
    Mutant(
        "contract: another activation",
        "an inner result is an argument",
        ((dispatch_library, "run", _contract_with(_instead("nn.relu", _operator("abs")))),),
    ),
    Mutant(
        "contract: product with itself",
        "square product",
        ((dispatch_library, "run", _contract_with(_instead("matmul", _operand_twice))),),
    ),
    Mutant(
        "contract: difference for sum",
        "bias",
        ((dispatch_library, "run", _contract_with(_instead("add", _operator("subtract")))),),
    ),
    Mutant("inner result used outside", "an inner result is used", ((match, "outside", _nothing),), "rejected"),
    Mutant(
        "inner result leaves the block", "an inner result leaves the block", ((match, "outside", _nothing),), "rejected"
    ),
    Mutant(
        "inner result passed on",
        "the sum with its product",
        ((dispatch_library, "matches", _matches_that_may_eat_arguments),),
        "rejected",
    ),
    Mutant("symbol used before it is bound", "after the check", ((DISPATCHER, "dataflow", _at_the_first),), "rejected"),
    Mutant("across an update", "an update between", ((match, "is_barrier", lambda *_: False),)),
)
