"""Shorter indices: each replacement is proved equal where the index is evaluated, and proved to fit.

Spec: ``spec/11-fusion.md``, ``lo/fuse-index-equal``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from refrelax.lower.claims import Ledger, eq
from refrelax.lower.domains import Domain, is_plain, shortest
from refrelax.lower.fuse_loops.program import Program
from refrelax.lower.nests import parts, rebuilt
from refrelax.rules import rule
from refrelax.semantics.loops.indices import of_indices
from refrelax.shape_solver.defined import in_range
from refrelax.syntax import dtypes
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import COMPARISONS, Binary, BufferLoad, Intrinsic, Not, PrimExpr, Select, walk


@dataclass(slots=True)
class Asker:
    """Asks about index expressions of one nest."""

    ledger: Ledger
    where: str

    def holds(
        self, claim: PrimExpr, rule_id: str, domain: Domain, evaluated: tuple[PrimExpr, ...], fits: str = "int64"
    ) -> bool:
        """Ask under the domain. ``evaluated``: what the program computes at this very place already, so that its
        steps are known to fit (only said where they are products); ``fits``: the dtype whose range every step of the
        claim must stay in."""
        if _read_from_memory(claim):
            return False
        return self.ledger.holds(claim, rule_id, self.where, _given(claim, domain, evaluated), fits)

    def known(self, claim: PrimExpr, domain: Domain, evaluated: tuple[PrimExpr, ...], fits: str = "int64") -> bool:
        """Whether a claim is proved with little effort. Nothing is kept."""
        return not _read_from_memory(claim) and self.ledger.known(claim, _given(claim, domain, evaluated), fits)

    @rule("lo/fuse-index-equal")
    def shorter(self, e: PrimExpr, domain: Domain) -> PrimExpr:
        """``e`` with the indices of its loads, and of its conditions the sides of integer comparisons, simplified where
        the shorter form is proved equal. ``domain``: where ``e`` is evaluated."""
        match e:
            case BufferLoad():
                return replace(e, indices=tuple(self.index(i, domain) for i in e.indices))
            case Intrinsic(op="if_then_else", args=(condition, a, b)):
                first = self.condition(condition, domain)
                yes, no = self.shorter(a, domain.when(condition)), self.shorter(b, domain.when(Not(condition)))
                return replace(e, args=(first, yes, no))
            case Select(condition=condition, true_value=a, false_value=b):
                chosen = (self.condition(condition, domain), self.shorter(a, domain), self.shorter(b, domain))
                return rebuilt(e, chosen)
            case _:
                return rebuilt(e, tuple(self.shorter(part, domain) for part in parts(e)))

    def condition(self, e: PrimExpr, domain: Domain) -> PrimExpr:
        """A condition, shorter. Only one of indices is exact: on elements comparisons are of what has wrapped."""
        return self._compared(e, domain) if of_indices(e) else self.shorter(e, domain)

    def _compared(self, e: PrimExpr, domain: Domain) -> PrimExpr:
        match e:
            case Binary(op=op, a=a, b=b) if op in COMPARISONS and _index_only(a) and _index_only(b):
                return Binary(op, self.index(a, domain), self.index(b, domain))
            case Intrinsic(op="if_then_else", args=(condition, a, b)):
                first = self._compared(condition, domain)
                yes, no = self._compared(a, domain.when(condition)), self._compared(b, domain.when(Not(condition)))
                return replace(e, args=(first, yes, no))
            case _:
                return rebuilt(e, tuple(self._compared(part, domain) for part in parts(e)))

    def index(self, index: PrimExpr, domain: Domain) -> PrimExpr:
        """One index, shorter if that is proved."""
        if is_plain(index) or not of_indices(index):
            return index
        short = shortest(index, domain.about(index))
        if short == index or not self.equal(index, short, domain):
            return index
        fits = is_plain(short) or self.holds(eq(short, short), "lo/fuse-index-equal", domain, (index,), index.dtype)
        return short if fits else index

    def equal(self, index: PrimExpr, short: PrimExpr, domain: Domain) -> bool:
        """Equality of exact integers: that the steps of ``index`` fit is known, the program has evaluated it here."""
        claim = eq(index, short)
        return self.ledger.holds(claim, "lo/fuse-index-equal", self.where, domain.about(claim).assumptions())


def _given(claim: PrimExpr, domain: Domain, evaluated: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...]:
    assume = domain.about(claim).assumptions()
    for e in evaluated:
        dtypes_ = {n.dtype for n in walk(e) if dtypes.is_integer(n.dtype)}
        one_range = len(dtypes_) == 1  # (behind a conversion each step has the range of its own)
        if one_range and any(isinstance(n, Binary) and n.op == "Mul" for n in walk(e)):
            assume = (*assume, *in_range(e, *integer_range(dtypes_.pop())))
    return assume


def _read_from_memory(claim: PrimExpr) -> bool:
    """Whether the claim is about elements that are indices, of which nothing is known."""
    return any(isinstance(n, BufferLoad) for n in walk(claim))


def _index_only(e: PrimExpr) -> bool:
    """Integer arithmetic on variables and numbers."""
    return all(dtypes.kind(n.dtype) == "int" and not isinstance(n, BufferLoad | Intrinsic) for n in walk(e))


def shorten(p: Program, ledger: Ledger, where: str) -> None:
    """Simplify the indices of every nest."""
    for nest in list(p.nests):
        asker, domain = Asker(ledger, f"{where}: {nest.buffer}"), p.domain(nest)
        value = asker.shorter(nest.value, domain)
        init = None if nest.init is None else asker.shorter(nest.init, domain)
        if value != nest.value or init != nest.init:
            p.substitute(nest, replace(nest, value=value, init=init))
