"""What is known about an index where it stands, and whether it is proved to be in range."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from refrelax.backends.intervals import UncheckedIndex
from refrelax.lower.claims import Ledger, le, lt, within
from refrelax.semantics.dims import Facts, equal
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    SymVar,
    as_int,
    int_imm,
    walk,
)

SYMBOL_LIMIT = (1 << 31) - 1
"""The greatest extent that a kernel is launched with; a run with a greater one ends as ``Exhausted``."""

NEGATED = {"LT": "GE", "GE": "LT", "LE": "GT", "GT": "LE", "EQ": "NE", "NE": "EQ"}


@dataclass(slots=True)
class Bounds:
    """``domains``: every loop variable in scope with its ``(min, extent)``; ``extents``: the symbols that are extents
    of buffers, so never negative; ``path``: conditions that hold here."""

    ledger: Ledger
    where: str
    extents: frozenset[str]
    domains: dict[str, tuple[PrimExpr, PrimExpr]] = field(default_factory=dict)
    path: list[PrimExpr] = field(default_factory=list)
    asked: dict[tuple[object, ...], bool] = field(default_factory=dict)
    obligations: list[UncheckedIndex] = field(default_factory=list)

    def scope(self) -> Bounds:
        return Bounds(
            self.ledger, self.where, self.extents, dict(self.domains), list(self.path), self.asked, self.obligations
        )

    @contextmanager
    def knowing(self, condition: PrimExpr) -> Iterator[None]:
        """Inside: the condition holds. Conditions on memory say nothing here."""
        before = len(self.path)
        self.learn(condition)
        yield
        del self.path[before:]

    def learn(self, condition: PrimExpr) -> None:
        """The condition holds from here on."""
        self.path.extend(c for c in conjuncts(condition) if arithmetic(c))

    def inside(self, index: PrimExpr, dim: PrimExpr, buffer: str) -> bool:
        """Whether ``0 <= index < dim`` is proved. That its steps fit int64 becomes an obligation of the launch, unless
        it holds for all sizes."""
        k, n = as_int(index), as_int(dim)
        if k is not None and n is not None:
            return 0 <= k < n
        if isinstance(index, SymVar) and index.name in self.domains:
            low, extent = self.domains[index.name]
            if as_int(low) == 0 and equal(extent, dim, Facts()) is True:
                return True
        if not self._ask(within(index, int_imm(0, index.dtype), dim), f"{self.where}: {buffer}"):
            return False
        self._oblige(index)
        return True

    def never_negative(self, expr: PrimExpr) -> bool:
        """Whether ``0 <= expr`` is proved."""
        if isinstance(expr, SymVar) and expr.name in self.domains and as_int(self.domains[expr.name][0]) == 0:
            return True
        if not self._ask(le(int_imm(0, expr.dtype), expr), self.where):
            return False
        self._oblige(expr)
        return True

    def _oblige(self, index: PrimExpr) -> None:
        """The steps of an unchecked index fit int64: for all sizes up to the limit, or to be seen at each launch."""
        obligation = UncheckedIndex(index, tuple((name, low, size) for name, (low, size) in self.domains.items()))
        if not obligation.fits(dict.fromkeys(self.extents, (0, SYMBOL_LIMIT))) and obligation not in self.obligations:
            self.obligations.append(obligation)

    def _ask(self, statement: PrimExpr, where: str) -> bool:
        if not arithmetic(statement):
            return False
        statement = widened(statement)
        given = tuple(map(widened, self.assumptions(statement)))
        key = (statement, given)
        if key not in self.asked:
            self.asked[key] = self.ledger.holds(statement, "lo/in-bounds", where, given)
        return self.asked[key]

    def assumptions(self, statement: PrimExpr) -> list[PrimExpr]:
        """What holds of the symbols of a statement: domains of loops, extents, and the path."""
        given: list[PrimExpr] = []
        pending, seen = symbols(statement), set()
        path = list(self.path)
        while pending:
            var = pending.pop(0)
            if var.name in seen:
                continue
            seen.add(var.name)
            about = self._about(var)
            about += [c for c in path if c not in given and any(s.name == var.name for s in symbols(c))]
            given += about
            for each in about:
                pending += symbols(each)
        return given

    def _about(self, var: SymVar) -> list[PrimExpr]:
        if var.name in self.domains:
            low, extent = self.domains[var.name]
            end = extent if as_int(low) == 0 else Binary("Add", low, extent)
            return [le(low, var), lt(var, end)]
        if var.name in self.extents:
            return [le(int_imm(0, var.dtype), var), le(var, int_imm(SYMBOL_LIMIT, var.dtype))]
        return []


def symbols(expr: PrimExpr) -> list[SymVar]:
    """The variables of an expression, in order of appearance."""
    found = {node.name: node for node in walk(expr) if isinstance(node, SymVar)}
    return list(found.values())


def arithmetic(expr: PrimExpr) -> bool:
    """Whether the solver reads the expression: integers and conditions, no memory, no calls but a choice."""
    for node in walk(expr):
        if isinstance(node, BufferLoad) or dtypes.kind(node.dtype) not in ("int", "uint", "bool"):
            return False
        if isinstance(node, Intrinsic) and node.op != "if_then_else":
            return False
        if not isinstance(node, Binary | Literal | SymVar | Cast | Not | Intrinsic):
            return False
    return True


def widened(expr: PrimExpr) -> PrimExpr:
    """The same arithmetic in int64, as kernels do it."""
    match expr:
        case SymVar():
            return SymVar(expr.name, "int64") if expr.dtype != "bool" else expr
        case Literal() if expr.dtype != "bool":
            number = as_int(expr)
            assert number is not None
            return int_imm(number, "int64")
        case Binary():
            return Binary(expr.op, widened(expr.a), widened(expr.b))
        case Not():
            return Not(widened(expr.a))
        case Cast():
            inner = widened(expr.value)
            return inner if dtypes.holds(expr.dtype, expr.value.dtype) else Cast(expr.dtype, inner)
        case Intrinsic():
            return Intrinsic(expr.op, tuple(map(widened, expr.args)), "int64" if expr.dtype != "bool" else "bool")
        case _:
            return expr


def conjuncts(condition: PrimExpr) -> list[PrimExpr]:
    """A condition as the conditions that it joins."""
    match condition:
        case Binary(op="And", a=a, b=b):
            return [*conjuncts(a), *conjuncts(b)]
        case Not(a=Binary(op="Or", a=a, b=b)):
            return [*conjuncts(Not(a)), *conjuncts(Not(b))]
        case Not(a=Binary(op=op, a=a, b=b)) if op in NEGATED:
            return [Binary(NEGATED[op], a, b)]  # type: ignore[arg-type]
        case Not(a=Not(a=inner)):
            return conjuncts(inner)
        case Intrinsic(op="likely", args=(inner,)):
            return conjuncts(inner)
        case _:
            return [condition]
