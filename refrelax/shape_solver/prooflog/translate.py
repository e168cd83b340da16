"""Between the expressions of the prover and the atoms of the checker."""

from __future__ import annotations

from functools import reduce
from typing import Any

from refrelax.semantics.dims.atoms import Atom as NormalAtom
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.poly import Poly as NormalPoly
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, dtype_range
from refrelax.shape_solver.claim import Query, conjunction
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    bool_imm,
    int_imm,
    literal_int,
)


class Untranslatable(Exception):
    """An expression that the log has no words for."""


def expression(e: PrimExpr) -> list[Any]:
    """``e`` in the certificate's JSON (``checker/reading.py``)."""
    match e:
        case Literal():
            return ["bool" if e.dtype == "bool" else "int", literal_int(e)]
        case SymVar(name, dtype):
            return ["sym", name, dtype]
        case Binary(op, a, b):
            return [op, expression(a), expression(b)]
        case Not(a):
            return ["Not", expression(a)]
        case Select(c, a, b):
            return ["Select", expression(c), expression(a), expression(b)]
        case Cast(dtype, a):
            return ["Cast", dtype, "int64", expression(a)]
        case Let(var, value, body):
            return ["Let", var.name, expression(value), expression(body)]
        case Intrinsic(op, args):
            return [op, *map(expression, args)]
        case _:
            raise Untranslatable(type(e).__name__)


def question(query: Query) -> dict[str, Any]:
    """``query`` as a certificate states it."""
    return {
        "claim": expression(query.claim), "assume": [expression(each) for each in query.assumptions],
        "fits": None if query.fits is None else list(query.fits), "division": query.division,
    }  # fmt: skip


class Names:
    """What the symbols of the prover are in the log, fresh ones included."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.fresh: dict[str, Poly] = {}
        self.spelled: dict[int, PrimExpr] = {}

    def term(self, e: PrimExpr) -> Poly:
        """``e`` as the checker reads it."""
        reading = self.ledger.reading
        saved, reading.scope = reading.scope, dict(self.fresh)
        symbols = dict(reading.symbols)
        try:
            return reading.term(expression(e))
        finally:
            reading.scope = saved
            if reading.symbols != symbols:
                raise Untranslatable("a symbol that is not known")

    def newest(self, origin: PrimExpr) -> int | None:
        """The atom of the symbol from which ``origin`` takes something away, or whose remainder it is."""
        match origin:
            case Binary(("Sub" | "FloorMod"), SymVar(name), _) if (p := self.symbol(name)).terms:
                return next(iter(p.mentions()))
            case _:
                return None

    # --- back to expressions

    def spell(self, p: Poly) -> PrimExpr:
        parts = [self.product(c, mono) for mono, c in sorted(p.terms.items(), key=lambda each: (-len(each[0]), each))]
        return reduce(lambda a, b: Binary("Add", a, b), parts) if parts else int_imm(0)

    def product(self, c: int, mono: tuple[int, ...]) -> PrimExpr:
        factors = [self.atom(each) for each in mono]
        if not factors:
            return integer(c)
        whole = reduce(lambda a, b: Binary("Mul", a, b), factors)
        return whole if c == 1 else Binary("Mul", whole, integer(c))

    def atom(self, number: int) -> PrimExpr:
        if number not in self.spelled:
            self.spelled[number] = self.built(number)
        return self.spelled[number]

    def built(self, number: int) -> PrimExpr:
        atom = self.ledger.reading.atoms[number]
        if atom.kind == "sym":
            dtype = self.ledger.reading.symbols.get(atom.name, "int64")
            if dtype == "bool":
                return Intrinsic("if_then_else", (SymVar(atom.name, "bool"), int_imm(1), int_imm(0)), "int64")
            return SymVar(atom.name, dtype)
        args = [self.spell(each) for each in atom.args]
        match atom.kind:
            case "fd":
                return Binary("FloorDiv", args[0], args[1])
            case "td":
                return Binary("Div", args[0], args[1])
            case "min":
                return reduce(lambda a, b: Binary("Min", a, b), args)
            case "p2":
                return Intrinsic("shift_left", (int_imm(1), args[0]), "int64")
            case "and":
                return Intrinsic("bitwise_and", tuple(args), "int64")
            case "ge" | "eq":
                op = "GE" if atom.kind == "ge" else "EQ"
                return Intrinsic("if_then_else", (Binary(op, args[0], int_imm(0)), int_imm(1), int_imm(0)), "int64")  # type: ignore[arg-type]
            case "ite":
                assert atom.branches is not None
                return Intrinsic("if_then_else", (self.formula(atom.branches[0]), *args), "int64")
            case _:
                raise Untranslatable(atom.kind)

    def formula(self, f: Formula) -> PrimExpr:
        match f:
            case ("ge", p):
                return Binary("GE", self.spell(p), int_imm(0))
            case ("eq", p):
                return Binary("EQ", self.spell(p), int_imm(0))
            case ("and", *parts):
                return conjunction([self.formula(each) for each in parts])
            case (_, *parts):
                whole: PrimExpr = bool_imm(False)
                for each in parts:
                    whole = Binary("Or", whole, self.formula(each))
                return whole
        raise AssertionError(f)

    # --- from the normal form

    def normal(self, p: NormalPoly, atoms: Atoms) -> Poly:
        """A polynomial of the normal form over the log's atoms."""
        total = Poly.of(0)
        for mono, c in sorted(p.items()):
            product = Poly.of(c)
            for key in mono:
                product = product * self.known(atoms.table[key], atoms)
            total = total + product
        return total

    def known(self, atom: NormalAtom, atoms: Atoms) -> Poly:
        if atom.kind == "var":
            return self.symbol(atom.name)
        args = tuple(self.normal(each, atoms) for each in atom.args)
        match atom.kind, atom.name:
            case ("fd" | "td" | "min" | "ge" | "eq" | "p2") as kind, _:
                return self.ledger.reading.make(kind, args)
            case "call", "//":
                return self.ledger.reading.make("fd", args)
            case "call", "truncdiv":
                return self.ledger.reading.make("td", args)
            case "call", "1 <<":
                return self.ledger.reading.make("p2", args)
            case "call", "bitwise_and":
                return self.ledger.reading.make("and", args)
            case "call", "*":
                return args[0] * args[1]
            case "cast", _:
                low, high = dtype_range(atom.dtype)
                turns = self.ledger.reading.make("fd", (args[0] - low, Poly.of(high - low + 1)))
                return args[0] - (high - low + 1) * turns
            case _:
                raise Untranslatable(atom.name)

    def symbol(self, name: str) -> Poly:
        if name in self.fresh:
            return self.fresh[name]
        reading = self.ledger.reading
        if ("sym", (), name) not in reading.numbers:
            raise Untranslatable(name)
        return reading.make("sym", (), name)
