"""Library dispatch: what a library function computes becomes a call of it; the rest stays, and becomes loops.

A library is a list of contracts, graph-level functions that say what a library function computes. The contract is the
pattern: where its operators stand in a dataflow block, and its extents are claimed to fit for all shapes, one
``call_dps_packed`` takes their place, and the contract travels with the module as the meaning of that call.

Spec: ``spec/10-lowering.md``, Library dispatch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from refrelax.lower.claims import Ledger, both, eq
from refrelax.lower.counts import operators
from refrelax.lower.dispatch_library.library import DEFAULT, KNOWN, load, own_patterns, tried
from refrelax.lower.dispatch_library.matching import Match, Site, matches
from refrelax.lower.dispatch_library.misses import Misses
from refrelax.lower.dispatch_library.patterns import Pattern
from refrelax.lower.fuse_ops.interface import extents
from refrelax.lower.fuse_ops.primitive import is_primitive
from refrelax.lower.names import Taken
from refrelax.lower.set_aside import libraries_named
from refrelax.rules import rule
from refrelax.semantics.symbol_bounds import as_claims
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contract_of, contracts_of
from refrelax.syntax.graph import (
    Binding,
    BindingBlock,
    Block,
    Call,
    DataflowBlock,
    ExternFunc,
    Function,
    If,
    Op,
    SeqExpr,
    Tuple,
    VarBinding,
)
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.scalars import SymVar, as_int
from refrelax.syntax.types import Type

__all__ = ["DEFAULT", "KNOWN", "load", "run"]


def run(
    checked: CheckedModule, ledger: Ledger, libraries: Sequence[str | Path | Module | CheckedModule] = DEFAULT
) -> Module:
    """The pass. The module's own contracts are tried before those of the ``libraries``.

    Raises:
        UsageError: no such library.
        Rejection: a library that cannot be read, or a contract in it that is no pattern.
    """
    own = own_patterns(checked)
    known = contracts_of(checked.module)
    found = tried(libraries)
    called = libraries_named(checked.module) - known.keys()
    taken = known.keys() | called
    patterns = [*own, *(each for each, _ in found if each.library not in taken)]
    given = {each.library for each, is_given in found if is_given}
    dispatcher = _Dispatcher(checked, ledger, patterns, Misses(given - taken))
    ledger.unused |= dict.fromkeys(given & called, "the module calls a function of that name, without a contract")
    functions: dict[str, BaseFunc] = dict(checked.module.functions)
    own_code = [name for name, function in functions.items() if _is_code(function)]
    for name in own_code:
        function = functions[name]
        assert isinstance(function, Function)
        functions[name] = replace(function, body=dispatcher.sequence(function.body, name))
    ledger.done += _told(dispatcher, checked.module, checked.module.with_functions(functions), own_code)
    ledger.unused |= {name: why for name, why in dispatcher.misses.told().items() if name not in dispatcher.used}
    names = Taken(functions)
    for pattern in dispatcher.used.values():
        if pattern.library not in known:
            functions[names.fresh(_function_name(pattern))] = pattern.contract
    return checked.module.with_functions(functions)


def _is_code(function: BaseFunc) -> bool:
    """Whether it is a graph-level function that may call libraries."""
    return isinstance(function, Function) and contract_of(function) is None and not is_primitive(function)


def _told(dispatcher: _Dispatcher, before: Module, after: Module, names: Sequence[str]) -> list[str]:
    """How many operators went to which library functions, and how many did not."""
    was, left = (sum(operators(module, name) for name in names) for module in (before, after))
    if not dispatcher.calls:
        return [f"operators given to library functions: 0; left to become loops: {was}"] if was else []
    by_name = ", ".join(f"{library} ({count})" for library, count in dispatcher.calls.most_common())
    return [f"operators given to library functions: {was - left}, as {by_name}; left to become loops: {left}"]


def _function_name(pattern: Pattern) -> str:
    return "".join(c if c.isalnum() else "_" for c in pattern.library)


@dataclass(slots=True)
class _Dispatcher:
    """``used``: the patterns that matched somewhere, by the library function's name; ``calls``: how often."""

    checked: CheckedModule
    ledger: Ledger
    patterns: list[Pattern]
    misses: Misses
    used: dict[str, Pattern] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    def sequence(self, seq: SeqExpr, where: str) -> SeqExpr:
        return replace(seq, blocks=tuple(self.block(each, where) for each in seq.blocks))

    def block(self, block: Block, where: str) -> Block:
        if isinstance(block, BindingBlock):
            return BindingBlock(tuple(self.branches(each, where) for each in block.bindings))
        return self.dataflow(block, where)

    def branches(self, binding: Binding, where: str) -> Binding:
        """The blocks of both branches of an ``if``."""
        if isinstance(binding, VarBinding) and isinstance(binding.value, If):
            value = binding.value
            then, other = self.sequence(value.then_branch, where), self.sequence(value.else_branch, where)
            return replace(binding, value=replace(value, then_branch=then, else_branch=other))
        return binding

    @rule("lo/dispatch")
    def dataflow(self, block: DataflowBlock, where: str) -> DataflowBlock:
        """The block with a call of a library function for each match, at the place of its last binding."""
        promised = frozenset(p.name for p in self.checked.promises if p.function == where)
        site = Site(self.checked, self.checked.types.get(where, {}), promised, block)
        new: dict[int, VarBinding] = {}
        for pattern in self.patterns:
            for position in reversed(range(len(block.bindings))):
                binding = block.bindings[position]
                for found in matches(pattern, site, position, self.misses) if position not in site.taken else ():
                    out = self.result(pattern, found, where, binding.name, site)
                    if out is not None:
                        site.taken |= found.positions
                        new[position] = _called(pattern, found, binding, out)
                        self.used[pattern.library] = pattern
                        self.calls[pattern.library] += 1
                        break
        kept = ((p, b) for p, b in enumerate(block.bindings) if p in new or p not in site.taken)
        return replace(block, bindings=tuple(new.get(p, b) for p, b in kept))

    @rule("lo/dispatch-extents")
    def result(self, pattern: Pattern, found: Match, where: str, binding: str, site: Site) -> Type | None:
        """The type of the result, if what the contract asks of extents is proved for all of them that the function
        ``where`` promises. It is the binding's, or the contract's where that is equal but computed another way: ``h +
        1 - s`` may have no int64 on the way where ``h - s + 1`` has."""
        pairs = dict.fromkeys((a, b) for a, b in found.pairs if a != b)
        asked = [*(eq(a, b) for a, b in pairs), *found.asked]
        if not asked:
            return site.types[binding]
        caller = self.checked.module.functions[where]
        assert isinstance(caller, Function)
        known = (*extents(found.known), *as_claims(caller))
        place, rule_ = f"{where}.{binding}: {pattern.library}", "lo/dispatch-extents"
        computed = [eq(a, a) for a, _ in pairs if as_int(a) is None and not isinstance(a, SymVar)]
        tried = self.ledger.apart()
        if tried.holds(both(*asked), rule_, place, known, "int64"):
            self.ledger.claims += tried.claims
            return site.types[binding]
        other = ((asked, None), (computed, "int64"))
        self.misses.note(
            pattern.library, len(found.positions) + 1, f"its extents are not seen to fit at {where}.{binding}"
        )
        if computed and all(tried.holds(both(*each), rule_, place, known, fits) for each, fits in other):
            self.ledger.claims += tried.claims[1:]
            return found.result
        self.ledger.claims += tried.claims[:1]
        return None


def _called(pattern: Pattern, found: Match, binding: Binding, out: Type) -> VarBinding:
    assert isinstance(binding, VarBinding)
    args = Tuple(tuple(found.given[p.name] for p in pattern.contract.params))
    span = getattr(binding.value, "span", None)
    call = Call(Op("relax.call_dps_packed"), (ExternFunc(pattern.library), args), ty_args=(out,), span=span)
    return replace(binding, value=call)
