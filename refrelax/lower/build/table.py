"""The table of a built function: an ``int64`` tensor with a slot for each symbol and each expression over symbols, and
the loop programs that compute slots from slots on the host.

Spec: ``spec/14-build.md``, *The table*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from refrelax.lower.claims import Ledger, both, le
from refrelax.lower.names import Taken
from refrelax.lower.nests import parts, rebuilt
from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.syntax.loops import Buffer, BufferParam, BufferStore, PrimFunc
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    free_symbols,
    int_imm,
    walk,
)

HEAP = "H"
LEAST, GREATEST = int_imm(-(1 << 63)), int_imm((1 << 63) - 1)
_DIVISIONS = frozenset({"FloorDiv", "FloorMod", "Div", "Mod"})
_STEPS = frozenset({"Add", "Sub", "Mul", "Min", "Max", *_DIVISIONS})


@dataclass(slots=True)
class Programs:
    """The host programs of a module. ``names``: of the functions that are there."""

    names: frozenset[str]
    ledger: Ledger
    functions: dict[str, PrimFunc] = field(default_factory=dict)

    def fresh(self) -> str:
        """A name for a program that is not written yet."""
        taken = Taken([*self.names, *self.functions])
        return taken.fresh("shape_func")

    def hold(self, name: str) -> None:
        """Keep a name for a program whose text follows."""
        self.functions[name] = PrimFunc((), ())


@dataclass(slots=True)
class Table:
    """The slots of one function. ``slots``: by expression; ``known``: those that hold their number where we stand."""

    programs: Programs
    slots: dict[PrimExpr, int] = field(default_factory=dict)
    known: set[PrimExpr] = field(default_factory=set)
    pending: list[tuple[str, tuple[PrimExpr, ...]]] = field(default_factory=list)

    def slot(self, e: PrimExpr) -> int:
        """The slot of a symbol or an expression."""
        return self.slots.setdefault(e, len(self.slots))

    def define(self, symbol: SymVar) -> int:
        """The slot of a symbol that is stored here."""
        self.known.add(symbol)
        return self.slot(symbol)

    @rule("lo/shape-function")
    def program(self, wanted: Iterable[PrimExpr]) -> str | None:
        """The name of a host program that computes the expressions that are not known yet; ``None`` if all are."""
        missing = tuple(dict.fromkeys(e for e in wanted if e not in self.known))
        if not missing:
            return None
        for e in missing:
            self.slot(e)
        self.known.update(missing)
        name = self.programs.fresh()
        self.programs.hold(name)
        self.pending.append((name, missing))
        return name

    def close(self) -> None:
        """Write the programs, now that the size of the table is known."""
        for name, wanted in self.pending:
            self.programs.functions[name] = self._written(wanted)

    def _written(self, wanted: tuple[PrimExpr, ...]) -> PrimFunc:
        """``H[slot] = expression``, one store for each."""
        heap = Buffer(HEAP, (int_imm(len(self.slots)),), "int64")
        held = {s.name: s for s in self.slots if isinstance(s, SymVar)}
        stores = []
        taken = Taken([HEAP, *held])
        for e in wanted:
            loads = {name: self._load(held[name]) for name in free_symbols(e)}
            value = substitute(as_elements(e, taken), loads)
            if value.dtype != "int64":
                value = Cast("int64", value)
            stores.append(BufferStore(HEAP, value, (int_imm(self.slots[e]),)))
        attrs = (("tirx.is_host_func", True),)
        return PrimFunc((BufferParam(heap),), tuple(stores), attrs=attrs, private=True, s_tir=True)

    def _load(self, symbol: SymVar) -> PrimExpr:
        load = BufferLoad(HEAP, (int_imm(self.slots[symbol]),), "int64")
        return load if symbol.dtype == "int64" else Cast(symbol.dtype, load)


@rule("lo/shape-function")
def as_elements(e: PrimExpr, taken: Taken) -> PrimExpr:
    """A dim as a loop program computes it: there both sides of ``and`` and ``or`` are evaluated, which a dim does not
    do, and every variable has a name of its own."""
    match e:
        case Let():
            var = SymVar(taken.fresh(e.var.name), e.var.dtype)
            body = substitute(e.body, {e.var.name: var})
            return Let(var, as_elements(e.value, taken), as_elements(body, taken), span=e.span)
        case Binary(op="And" | "Or" as op, a=a, b=b) if not _plain(b):
            left, right = as_elements(a, taken), as_elements(b, taken)
            arms = (right, bool_imm(False)) if op == "And" else (bool_imm(True), right)
            return Intrinsic("if_then_else", (left, *arms), "bool", span=e.span)
        case Binary() | Not() | Cast() | Select() | Intrinsic():
            return rebuilt(e, tuple(as_elements(each, taken) for each in parts(e)))
        case _:
            return e


def _plain(e: PrimExpr) -> bool:
    """Whether a truth is one for all numbers, as elements are computed, which wrap."""
    return all(
        isinstance(node, SymVar | Literal | Not) or (isinstance(node, Binary) and node.op not in _DIVISIONS)
        for node in walk(e)
    )


@rule("lo/shape-early")
def early(
    ledger: Ledger, where: str, wanted: Iterable[PrimExpr], symbols: frozenset[str], given: tuple[PrimExpr, ...]
) -> list[PrimExpr]:
    """Of ``wanted``, what may be computed as soon as the symbols are known: that is the claim that no step leaves
    int64, whatever the arguments. (What stands in a branch that is not taken is not computed by the program.)"""
    found: list[PrimExpr] = []
    for e in dict.fromkeys(wanted):
        if not isinstance(e, SymVar) and free_symbols(e) <= symbols and all(map(_total, walk(e))):
            claim = both(le(LEAST, e), le(e, GREATEST))
            if ledger.known(claim, given, "int64") and ledger.holds(claim, "lo/shape-early", where, given, "int64"):
                found.append(e)
    return found


def _total(node: PrimExpr) -> bool:
    """Whether a step has a value for all operands, or would but for its range."""
    match node:
        case Binary(op, _, b):
            return op in _STEPS and (op not in _DIVISIONS or as_int(b) not in (None, 0, -1))
        case SymVar(dtype=dtype) | Literal(dtype=dtype):
            return dtype == "int64"
        case _:
            return False
