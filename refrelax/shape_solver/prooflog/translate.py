"""Between the expressions of the prover and the atoms of the checker."""

from __future__ import annotations

from functools import reduce
from typing import Any

from refrelax.semantics.dims.atoms import Atom as NormalAtom
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.poly import Poly as NormalPoly
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula
from refrelax.shape_solver.checker.terms import COMPARISONS, MAX_NODES, Term, dtype_range
from refrelax.shape_solver.claim import Query, conjunction
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.lets import without_lets
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.size import total
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    bool_imm,
    children,
    int_imm,
    literal_int,
)


class Untranslatable(Exception):
    """An expression that the log has no words for."""


class Core:
    """From expressions of the prover to the typed terms of a certificate (``checker/terms.py``).

    Every conversion is a ``wrap`` of an exact integer; ``T.Let`` is opened before; ``T.Select`` evaluates both values.
    """

    def __init__(self, numbers: dict[str, int], stepwise: bool = False) -> None:
        self.numbers = numbers
        self.stepwise = stepwise
        """Whether each step may leave a range: then it matters what is evaluated, even where it has a value."""

    def truth(self, e: PrimExpr) -> Term:
        match e:
            case _ if e.dtype != "bool":
                return ["ne", self.integer(e), ["const", 0]]
            case Literal():
                return ["true" if literal_int(e) else "false"]
            case SymVar(name):
                return self.symbol(name)
            case Not(a):
                return ["not", self.truth(a)]
            case Binary("And" | "Or" as op, a, b):
                return [op.lower(), self.truth(a), self.truth(b)]
            case Binary("EQ" | "NE" as op, a, b) if a.dtype == b.dtype == "bool":
                same = ["iff", self.truth(a), self.truth(b)]
                return same if op == "EQ" else ["not", same]
            case Binary(op, a, b) if op.lower() in COMPARISONS:
                return [op.lower(), self.integer(a), self.integer(b)]
            case Cast(_, a):
                return self.truth(a)
            case Select(c, a, b):
                return self.chosen(c, self.truth(a), self.truth(b), a, b, ["false"])
            case Intrinsic("if_then_else", (c, a, b)):
                return ["select", self.truth(c), self.truth(a), self.truth(b)]
            case Intrinsic("likely", (a,)):
                return self.truth(a)
            case _:
                raise Untranslatable(type(e).__name__)

    def integer(self, e: PrimExpr) -> Term:
        match e:
            case Intrinsic("likely", (a,)):
                return self.integer(a)
            case _ if e.dtype == "bool":
                return ["select", self.truth(e), ["const", 1], ["const", 0]]
            case Literal():
                return ["const", literal_int(e)]
            case SymVar(name):
                return self.symbol(name)
            case Binary(op, a, b) if op in BINARY:
                return [BINARY[op], self.integer(a), self.integer(b)]
            case Cast(dtype, a):
                return ["wrap", dtype, self.integer(a)]
            case Select(c, a, b):
                return self.chosen(c, self.integer(a), self.integer(b), a, b, ["const", 0])
            case Intrinsic("if_then_else", (c, a, b)):
                return ["select", self.truth(c), self.integer(a), self.integer(b)]
            case Intrinsic("abs" | "bitwise_not" as op, (a,)):
                return ["abs" if op == "abs" else "not", self.integer(a)]
            case Intrinsic(op, (a, b)) if op in INTRINSIC:
                return [INTRINSIC[op], self.integer(a), self.integer(b)]
            case _:
                raise Untranslatable(type(e).__name__)

    def symbol(self, name: str) -> Term:
        if name not in self.numbers:
            raise Untranslatable(name)
        return ["sym", self.numbers[name]]

    def chosen(self, c: PrimExpr, a: Term, b: Term, first: PrimExpr, second: PrimExpr, never: Term) -> Term:
        """``T.Select``: both values are evaluated, after the condition."""
        test = self.truth(c)
        if not self.stepwise and not partial(first) and not partial(second):
            return ["select", test, a, b]
        same = "iff" if first.dtype == "bool" else "eq"
        evaluated = ["and", ["iff", test, test], ["and", [same, a, a], [same, b, b]]]
        return ["select", evaluated, ["select", test, a, b], never]


def partial(e: PrimExpr) -> bool:
    """Whether ``e`` may have no value, by its form."""
    match e:
        case Binary("FloorDiv" | "FloorMod" | "Div" | "Mod", _, b) if not isinstance(b, Literal) or not literal_int(b):
            return True
        case Intrinsic("shift_left" | "shift_right", (_, b)) if not isinstance(b, Literal) or literal_int(b) < 0:
            return True
        case _:
            return any(map(partial, children(e)))


BINARY = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "FloorDiv": "floordiv", "FloorMod": "floormod", "Div": "truncdiv",
    "Mod": "truncmod", "Min": "min", "Max": "max",
}  # fmt: skip
INTRINSIC = {
    "shift_left": "shl", "shift_right": "shr", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
}  # fmt: skip


def question(query: Query) -> dict[str, Any]:
    """``query`` as a certificate states it.

    Raises:
        Untranslatable: it is no integer arithmetic, or too large.
    """
    symbols = query.symbols()
    numbers = {name: place for place, name in enumerate(symbols)}
    opened = [without_lets(each) for each in (query.claim, *query.assumptions)]
    if total(opened)[0] > MAX_NODES:
        raise Untranslatable(f"more than {MAX_NODES} nodes")
    core = Core(numbers)
    return {
        "symbols": ["bool" if dtype == "bool" else "int" for dtype in symbols.values()],
        "assumptions": [core.truth(each) for each in opened[1:]],
        "claim": Core(numbers, query.fits is not None).truth(opened[0]), "fits": dtype_of(query.fits),
        "division": query.division,
    }  # fmt: skip


def dtype_of(fits: tuple[int, int] | None) -> str | None:
    """The integer dtype with this range."""
    if fits is None:
        return None
    low, high = fits
    dtype = f"int{high.bit_length() + 1}" if low < 0 else f"uint{high.bit_length()}"
    if dtype_range(dtype) != fits:
        raise Untranslatable(f"no dtype has the range {fits}")
    return dtype


class Names:
    """What the symbols of the prover are in the log, fresh ones included."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.numbers = {name: number for number, (name, _) in enumerate(ledger.symbols)}
        self.fresh: dict[str, Poly] = {}
        self.spelled: dict[int, PrimExpr] = {}

    def term(self, e: PrimExpr) -> Poly:
        """``e`` as the checker reads it; fresh symbols are numbered after those of the question."""
        reading = self.ledger.reading
        fresh = {name: len(self.numbers) + place for place, name in enumerate(self.fresh)}
        reading.scope = {fresh[name]: p for name, p in self.fresh.items()}
        try:
            return reading.term(Core({**self.numbers, **fresh}).integer(without_lets(e)))
        finally:
            reading.scope = {}

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
            name, dtype = self.ledger.symbols[atom.symbol]
            if dtype == "bool":
                return Intrinsic("if_then_else", (SymVar(name, "bool"), int_imm(1), int_imm(0)), "int64")
            return SymVar(name, dtype)
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
        if ("sym", self.numbers.get(name)) not in self.ledger.reading.numbers:
            raise Untranslatable(name)
        return self.ledger.reading.make_symbol(self.numbers[name])
