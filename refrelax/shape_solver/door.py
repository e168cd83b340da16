"""The one door into the solver: every question becomes well-typed terms over numbered symbols here, or is refused.

Names live outside: inside a symbol is ``s000``, ``s001``, … in order of appearance, so that no name can capture what
the solver makes up (``s000'0``, ``!0``) or leave the text of a script. What is no integer arithmetic (floats, loads,
calls) is an *opaque* symbol: equal to another where the two are the same expression, and nothing else is known of it.

Spec: ``spec/06b-solver.md``, ``sh/question``, ``sh/arithmetic``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as _Lit
from typing import NoReturn

from refrelax.errors import Diagnostic, Malformed
from refrelax.rules import rule
from refrelax.shape_solver.core import INT, integer, mapped, spread
from refrelax.syntax.dtypes import integer_range, is_dtype, kind, lanes
from refrelax.syntax.scalars import (
    COMPARISONS,
    Binary,
    BinaryOp,
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
    literal_int,
)

Arithmetic = _Lit["exact", "wrap", "no-overflow"]
"""``exact``: ideal integers, every conversion wraps (claims as text). ``wrap``: every operation wraps at its dtype.
``no-overflow``: a program whose run ends where a step leaves its dtype; a conversion that its declared dtypes make
lossless is its operand."""

MAX_DEPTH = 160
"""Nesting of one expression, chains of one associative operator not counted."""

LONG = 24
"""Operands from which such a chain is nested evenly."""

ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max"})
BITS = {"bitwise_and": 2, "bitwise_or": 2, "bitwise_xor": 2, "bitwise_not": 1}
INTEGERS = {**BITS, "abs": 1, "shift_left": 2, "shift_right": 2}
"""Intrinsics on integers, with how many operands they have."""


class NoQuestion(Malformed, ValueError):
    """Not a well-typed claim over integers (``sh/question``): a ``ValueError``, too, for who passes an AST."""


NoQuestion.__name__ = Malformed.__name__  # reports name the public class


class TooDeep(Exception):
    """Nested more than ``MAX_DEPTH`` levels."""


def sort(dtype: str) -> str | None:
    """``int`` or ``bool`` for a scalar of integers or truths, ``None`` for anything else."""
    if not is_dtype(dtype) or lanes(dtype) != 1:
        return None
    found = kind(dtype)
    return "bool" if found == "bool" else "int" if found in ("int", "uint") else None


@dataclass(slots=True)
class Door:
    """What has come in so far: the number of each symbol, what it is outside, and which are opaque.

    ``stepwise``: every step of the evaluation counts (``fits``), so that sums keep their order.
    """

    arithmetic: Arithmetic = "exact"
    stepwise: bool = False
    numbers: dict[tuple[str, str], SymVar] = field(default_factory=dict)
    """By name and sort: in another question a name may be of another sort."""
    outside: dict[str, PrimExpr] = field(default_factory=dict)
    """What each number stands for: a symbol as it came in last."""
    sorts: dict[str, str] = field(default_factory=dict)
    """What each name is in this question."""
    assumed: dict[str, str] | None = None
    """What names are in its assumptions, once these are all in."""
    opaque: dict[object, SymVar] = field(default_factory=dict)

    @rule("sh/question")
    def claim(self, e: PrimExpr) -> PrimExpr:
        """``e`` as a truth.

        Raises:
            NoQuestion: it is none, or not well-typed.
            TooDeep: it is nested too deep.
        """
        if self.assumed is not None:
            self.sorts = dict(self.assumed)
        if sort(e.dtype) != "bool":
            _refuse(e, f"expected a claim (an expression of dtype bool), found {e.dtype}")
        return _Entry(self).build(e)

    def dim(self, e: PrimExpr) -> PrimExpr:
        """``e`` as an integer. Raises as ``claim`` does."""
        if sort(e.dtype) != "int":
            _refuse(e, f"expected an integer, found {e.dtype}")
        return _Entry(self).build(e)

    def number(self, e: SymVar) -> SymVar:
        """The number of a symbol; it has one sort in one question."""
        wanted = "bool" if e.dtype == "bool" else INT
        if self.sorts.setdefault(e.name, wanted) != wanted:
            _refuse(e, f"expected {e.name!r} to be one thing, found it as a truth and as an integer")
        found = self.numbers.get((e.name, wanted))
        if found is None:
            found = self.numbers[e.name, wanted] = self.fresh(e, wanted)
        self.outside[found.name] = e
        return found

    def settled(self) -> None:
        """All assumptions are in: each claim from now on is a question of its own with them."""
        self.assumed = dict(self.sorts)

    def fresh(self, e: PrimExpr, dtype: str) -> SymVar:
        symbol = SymVar(f"s{len(self.outside):03d}", dtype)
        self.outside[symbol.name] = e
        return symbol

    @property
    def guessed(self) -> frozenset[str]:
        """The numbers of what is opaque: their values are nobody's."""
        return frozenset(each.name for each in self.opaque.values())

    def out(self, e: PrimExpr) -> PrimExpr:
        """``e`` with its symbols as they are outside."""
        return mapped(e, lambda node: self.outside.get(node.name, node) if isinstance(node, SymVar) else node)

    def names(self) -> dict[str, str]:
        """The name outside of each number; what is opaque is named by its place."""
        taken, found = {name for name, _ in self.numbers}, {}
        for number, e in self.outside.items():
            name = e.name if isinstance(e, SymVar) else f"opaque_{number}"
            while not isinstance(e, SymVar) and name in taken:
                name += "_"
            found[number] = name
        return found

    def model(self, model: Mapping[str, int]) -> dict[str, int]:
        """Values by their names outside, without what is opaque."""
        found = ((self.outside[number], value) for number, value in model.items())
        return {e.name: value for e, value in found if isinstance(e, SymVar)}


def _refuse(e: PrimExpr, message: str) -> NoReturn:
    raise NoQuestion([Diagnostic("sh/question", message, e.span)])


@dataclass(slots=True)
class _Entry:
    """One expression on its way in."""

    door: Door
    scope: dict[str, PrimExpr] = field(default_factory=dict)
    """What the variable of a ``T.Let`` stands for."""
    known: dict[int, tuple[PrimExpr, PrimExpr]] = field(default_factory=dict)
    """By identity, in this scope; the expressions are kept alive."""
    depth: int = 0

    def build(self, e: PrimExpr) -> PrimExpr:
        found = self.known.get(id(e))
        if found is None:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TooDeep
            found = self.known[id(e)] = (e, self.built(e))
            self.depth -= 1
        return found[1]

    def built(self, e: PrimExpr) -> PrimExpr:
        wanted = sort(e.dtype)
        if wanted is None:
            _refuse(e, f"expected an integer or a truth, found {e.dtype}")
        match e:
            case Literal():
                return bool_imm(bool(e.bits)) if wanted == "bool" else integer(literal_int(e))
            case SymVar(name):
                found = self.scope.get(name) or self.door.number(e)
                if (found.dtype == "bool") != (wanted == "bool"):
                    _refuse(e, f"expected {name!r} to be one thing, found it as a truth and as an integer")
                return found
            case Binary():
                return self.binary(e)
            case Not(a):
                return Not(self.truth(a, e))
            case Select(c, a, b):
                return Select(self.truth(c, e), *self.pair(a, b, e))
            case Cast():
                return self.cast(e)
            case Let():
                return self.let(e)
            case Intrinsic():
                return self.intrinsic(e)
            case _:
                return self.hidden(e)

    def integer(self, e: PrimExpr, inside: PrimExpr) -> PrimExpr:
        if sort(e.dtype) != "int":
            _refuse(inside, f"expected an integer operand, found {e.dtype}")
        return self.build(e)

    def truth(self, e: PrimExpr, inside: PrimExpr) -> PrimExpr:
        if sort(e.dtype) != "bool":
            _refuse(inside, f"expected a truth as operand, found {e.dtype}")
        return self.build(e)

    def pair(self, a: PrimExpr, b: PrimExpr, inside: PrimExpr) -> tuple[PrimExpr, PrimExpr]:
        """Two operands of one sort."""
        if sort(a.dtype) != sort(b.dtype):
            _refuse(inside, f"expected operands of one sort, found {a.dtype} and {b.dtype}")
        return self.build(a), self.build(b)

    # --- operators

    def binary(self, e: Binary) -> PrimExpr:
        first, second = sort(e.a.dtype), sort(e.b.dtype)
        if first is None or second is None or (first != second and self.door.arithmetic == "no-overflow"):
            return self.hidden(e)
        if e.op in ("And", "Or"):
            return self.chain(e.op, e)
        if e.op in ("EQ", "NE"):
            return Binary(e.op, *self.pair(e.a, e.b, e))
        if e.op in COMPARISONS:
            return Binary(e.op, self.integer(e.a, e), self.integer(e.b, e))
        if e.op in ("Add", "Sub", "Mul", "Min", "Max") and self.door.arithmetic != "wrap":
            return self.chain(e.op, e)
        return self.wrapped(Binary(e.op, self.integer(e.a, e), self.integer(e.b, e)), e.dtype)

    def chain(self, op: BinaryOp, e: Binary) -> PrimExpr:
        """``a + b + c + …`` without recursion; a long one is nested evenly, where no step of it is looked at."""
        like = ("Add", "Sub") if op in ("Add", "Sub") else (op,)
        spine: list[Binary] = []
        node: PrimExpr = e
        while isinstance(node, Binary) and node.op in like and id(node) not in self.known:
            spine.append(node)
            node = node.a
        read = self.truth if op in ("And", "Or") else self.integer
        parts = [read(node, spine[-1])]
        parts += [read(each.b, each) for each in reversed(spine)]
        ops = [each.op for each in reversed(spine)]
        if len(parts) < LONG or (self.door.stepwise and op in ("Add", "Sub", "Mul")):
            if len(parts) > MAX_DEPTH:
                raise TooDeep
            result = parts[0]
            for each, part in zip(ops, parts[1:]):
                result = Binary(each, result, part)
            return result
        if op not in ("Add", "Sub"):
            return spread(op, parts)
        plus = [parts[0], *(part for each, part in zip(ops, parts[1:]) if each == "Add")]
        minus = [part for each, part in zip(ops, parts[1:]) if each == "Sub"]
        total = spread("Add", plus)
        return Binary("Sub", total, spread("Add", minus)) if minus else total

    def wrapped(self, e: PrimExpr, dtype: str) -> PrimExpr:
        """The result of an operation of ``dtype``."""
        return Cast(dtype, e) if self.door.arithmetic == "wrap" else e

    @rule("sh/arithmetic")
    def cast(self, e: Cast) -> PrimExpr:
        source = sort(e.value.dtype)
        if source is None:
            return self.hidden(e)
        inner = self.build(e.value)
        if e.dtype == "bool":
            return inner if source == "bool" else Binary("NE", inner, int_imm(0))
        low, high = integer_range(e.dtype)
        if source == "bool":
            whole: PrimExpr = Intrinsic("if_then_else", (inner, int_imm(1), int_imm(0)), INT)
            return whole if high >= 1 else Cast(e.dtype, whole)
        if self.door.arithmetic == "no-overflow":
            known = _declared(e.value)
            if known is not None and low <= known[0] and known[1] <= high:
                return inner
        return Cast(e.dtype, inner)

    def let(self, e: Let) -> PrimExpr:
        """The value stands wherever the variable stood, and is evaluated first."""
        if sort(e.value.dtype) is None:
            return self.hidden(e)
        value = self.build(e.value)
        inner = _Entry(self.door, {**self.scope, e.var.name: value}, {}, self.depth)
        body = inner.build(e.body)
        if isinstance(value, SymVar) or (isinstance(value, Literal) and not self.door.stepwise):
            return body
        done = Binary("EQ", value, value)  # a literal may be out of the range of ``fits``
        if body.dtype == "bool":
            return Binary("And", done, body)
        return Intrinsic("if_then_else", (done, body, int_imm(0)), INT)

    def intrinsic(self, e: Intrinsic) -> PrimExpr:
        match e.op, e.args:
            case "if_then_else", (c, a, b):
                return Intrinsic("if_then_else", (self.truth(c, e), *(arms := self.pair(a, b, e))), arms[0].dtype)
            case "likely", (a,):
                return self.build(a)
            case (("bitwise_and" | "bitwise_or" | "bitwise_xor"), (_, _)) if self.long(e):
                return self.bit_chain(e)
            case op, args if op in INTEGERS and len(args) == INTEGERS[op] and not e.attrs:
                if e.dtype == "bool":
                    return self.on_truths(e)
                if any(sort(each.dtype) is None for each in args):
                    return self.hidden(e)
                return self.wrapped(
                    self.of_integers(op, tuple(self.integer(each, e) for each in args), e.dtype), e.dtype
                )
            case _:
                return self.hidden(e)

    def of_integers(self, op: str, args: tuple[PrimExpr, ...], dtype: str) -> PrimExpr:
        """``op`` on integers. ``~`` of an unsigned scalar of a program turns its bits around, and leaves no range."""
        if op == "bitwise_not" and self.door.arithmetic == "no-overflow" and dtype.startswith("uint"):
            return Binary("Sub", integer(integer_range(dtype)[1]), args[0])
        return Intrinsic(op, args, INT)

    def long(self, e: Intrinsic) -> bool:
        """Whether ``e`` begins a long chain of one operator on integers, which may be nested otherwise."""
        length, node = 0, e.args[0]
        while isinstance(node, Intrinsic) and node.op == e.op and sort(node.dtype) == "int" and len(node.args) == 2:
            length, node = length + 1, node.args[0]
        return length >= LONG and not self.door.stepwise and self.door.arithmetic != "wrap"

    def bit_chain(self, e: Intrinsic) -> PrimExpr:
        parts: list[PrimExpr] = []
        node: PrimExpr = e
        while isinstance(node, Intrinsic) and node.op == e.op and len(node.args) == 2:
            parts.append(self.integer(node.args[1], e))
            node = node.args[0]
        level = [self.integer(node, e), *reversed(parts)]
        while len(level) > 1:
            pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
            level = [Intrinsic(e.op, (p[0], p[1]), INT) if len(p) == 2 else p[0] for p in pairs]
        return level[0]

    def on_truths(self, e: Intrinsic) -> PrimExpr:
        """A bit operator on truths: both operands are evaluated."""
        if e.op not in BITS:
            _refuse(e, f"expected integers under {e.op}, found bool")
        if e.op == "bitwise_not":
            return Not(self.truth(e.args[0], e))
        ones = [
            Intrinsic("if_then_else", (self.truth(each, e), int_imm(1), int_imm(0)), INT) for each in e.args
        ]  # fmt: skip
        return Binary("NE", Intrinsic(e.op, tuple(ones), INT), int_imm(0))

    def hidden(self, e: PrimExpr) -> PrimExpr:
        """The opaque symbol of ``e``: one for each expression and each meaning of the variables around it."""
        names = sorted(free_symbols(e) & self.scope.keys())
        found = (e, e.dtype, *((name, self.scope[name]) for name in names))
        dtype = "bool" if sort(e.dtype) == "bool" else INT
        if found not in self.door.opaque:
            self.door.opaque[found] = self.door.fresh(e, dtype)
        return self.door.opaque[found]


def _declared(e: PrimExpr) -> tuple[int, int] | None:
    """The range of ``e`` by its dtype, if all that it is made of agrees on one."""
    match e:
        case Binary(op, a, b) if op in ARITHMETIC:
            if a.dtype == b.dtype:
                return integer_range(e.dtype) if _declared(a) and _declared(b) else None
            for literal, other in ((a, b), (b, a)):
                value, known = as_int(literal), _declared(other)
                if value is not None and known is not None and known[0] <= value <= known[1]:
                    return known
            return None
        case Select(_, a, b) | Intrinsic("if_then_else", (_, a, b)) if a.dtype != b.dtype:
            return None
        case _:
            return integer_range(e.dtype) if sort(e.dtype) == "int" else None
