"""Element terms: what one element of a tensor is, as a function of its indices.

A ``Tensor`` is an input, a constant array, or ``body`` at each point of its index variables. Terms share: every maker
of ``Terms`` gives the same object for the same parts, so that identity is equality and memos are cheap. Loads name a
tensor and are not expanded until a comparison needs it; a network stays as small as its text.

An integer that is computed from data and used as an index is an *opaque* symbol, whose term the table keeps.

Spec: ``spec/06c-pointwise.md``, ``sh/element-term``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from refrelax.semantics.dims import NO_FACTS, substitute
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.spell import spell
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols, int_imm, walk

LONG = 12
"""How many parts make an index a long one."""

OPAQUE = "?"
"""How the names of opaque symbols begin."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorTerm:
    """A function from indices to elements. ``body is None``: given (an input, or ``data``: a constant array)."""

    name: str
    shape: tuple[PrimExpr, ...]
    dtype: str
    vars: tuple[SymVar, ...] = ()
    body: Term | None = None
    data: tuple[int, ...] | None = None
    """The bit patterns of a constant, row-major; its shape is made of literals."""
    computed: bool = False
    """Of what is given: what a call left that is not read. Its elements may be poison."""


@dataclass(frozen=True, slots=True, eq=False)
class Int:
    """An integer or truth that depends on indices and shapes alone."""

    value: PrimExpr

    @property
    def dtype(self) -> str:
        return self.value.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A literal, by its bits."""

    dtype: str
    bits: int


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """An arithmetic operation, cast or intrinsic on elements."""

    op: str
    dtype: str
    args: tuple[Term, ...]
    attrs: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """An element of a tensor."""

    tensor: TensorTerm
    indices: tuple[PrimExpr, ...]

    @property
    def dtype(self) -> str:
        return self.tensor.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Choose:
    """``yes`` where the condition holds, else ``no``; the other arm does not matter."""

    condition: Term
    yes: Term
    no: Term

    @property
    def dtype(self) -> str:
        return self.no.dtype if isinstance(self.yes, OpenTerm | Identity | Old) else self.yes.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """``start`` combined by ``op`` with ``body`` at each point of the axes where ``guard`` holds.

    ``axes``: (variable, extent), each from 0, in order, the last fastest. ``free``: any order is permitted.
    """

    op: str
    start: Term
    axes: tuple[tuple[SymVar, PrimExpr], ...]
    guard: PrimExpr | None
    body: Term
    free: bool

    @property
    def dtype(self) -> str:
        return self.body.dtype


@dataclass(frozen=True, slots=True, eq=False)
class OpenTerm:
    """An element never written: poison."""

    dtype: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Old:
    """While a program is read: the element's value before the store under way."""

    dtype: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """Nothing to combine: a point of a reduction where its guard does not hold."""

    op: str
    dtype: str = ""


Term = Int | Number | Apply | Load | Choose | Fold | OpenTerm | Old | Identity

OPEN = OpenTerm()
OLD = Old()


@dataclass(frozen=True, slots=True)
class Fact:
    """For all values of the variables ``over``: where ``given`` holds, the element at ``indices`` is ``value``."""

    indices: tuple[PrimExpr, ...]
    given: tuple[PrimExpr, ...]
    over: frozenset[str]
    value: Term


@dataclass(slots=True)
class Terms:
    """The table of terms, and the fresh names of one comparison."""

    table: dict[tuple[Any, ...], Term] = field(default_factory=dict)
    opaque: dict[str, Term] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    """Of the terms in ``opaque``, by identity."""
    constants: dict[tuple[str, tuple[PrimExpr, ...], tuple[int, ...]], TensorTerm] = field(default_factory=dict)
    short: dict[PrimExpr, PrimExpr] = field(default_factory=dict)
    """Long indices in their normal form."""
    tidy: bool = True
    """Whether long indices are spelled anew as they are made."""
    count: int = 0
    facts: dict[int, list[Fact]] = field(default_factory=dict)
    """What is known of the elements of a tensor, by identity."""
    computed: dict[tuple[Any, ...], TensorTerm] = field(default_factory=dict)
    """Computed tensors by what they are up to bound names (``one_object``)."""

    # --- makers

    def _put(self, key: tuple[Any, ...], new: Term) -> Term:
        return self.table.setdefault(key, new)

    def integer(self, value: PrimExpr) -> Term:
        if isinstance(value, SymVar) and value.name in self.opaque:
            return self.opaque[value.name]
        return self._put(("int", value, value.dtype), Int(value))

    def number(self, dtype: str, bits: int) -> Term:
        return self._put(("number", dtype, bits), Number(dtype, bits))

    def apply(self, op: str, dtype: str, args: tuple[Term, ...], attrs: tuple[tuple[str, object], ...] = ()) -> Term:
        return self._put(("apply", op, dtype, attrs, *map(id, args)), Apply(op, dtype, args, attrs))

    def load(self, tensor: TensorTerm, indices: tuple[PrimExpr, ...]) -> Term:
        return self._put(("load", id(tensor), *indices), Load(tensor, indices))

    def choose(self, condition: Term, yes: Term, no: Term) -> Term:
        """A choice. Of two equal arms it is that arm only where the condition cannot be poison: what it was computed
        from is an obligation of reading where it is an ``Int``, and is looked at by nobody where it is data."""
        if yes is no and isinstance(condition, Int):
            return yes
        return self._put(("choose", id(condition), id(yes), id(no)), Choose(condition, yes, no))

    def fold(
        self,
        op: str,
        start: Term,
        axes: tuple[tuple[SymVar, PrimExpr], ...],
        guard: PrimExpr | None,
        body: Term,
        free: bool,
    ) -> Term:
        return self._put(("fold", op, id(start), axes, guard, id(body), free), Fold(op, start, axes, guard, body, free))

    def identity(self, op: str, dtype: str) -> Term:
        return self._put(("identity", op, dtype), Identity(op, dtype))

    def fresh(self, name: str = "v", dtype: str = "int64") -> SymVar:
        """A variable that occurs nowhere else."""
        self.count += 1
        return SymVar(f"{name.split('%')[0]}%{self.count}", dtype)

    def as_index(self, term: Term) -> PrimExpr:
        """An integer term as an expression: itself, or an opaque symbol."""
        if isinstance(term, Int):
            return term.value
        return SymVar(self.opaque_name(term), term.dtype)

    def opaque_name(self, term: Term) -> str:
        """The name of the opaque symbol that stands for a term."""
        name = self.names.setdefault(id(term), f"{OPAQUE}{len(self.names)}")
        self.opaque[name] = term
        return name

    def dtype_of(self, name: str) -> str | None:
        """The dtype of an opaque symbol's element."""
        found = self.opaque.get(name)
        return None if found is None else found.dtype

    def constant(self, name: str, dtype: str, shape: tuple[int, ...], data: tuple[int, ...]) -> TensorTerm:
        """A constant array; the same contents are the same tensor."""
        dims = tuple(int_imm(d) for d in shape)
        return self.constants.setdefault((dtype, dims, data), TensorTerm(name, dims, dtype, data=data))

    # --- substitution

    def tidied(self, e: PrimExpr) -> PrimExpr:
        """A long index in the spelling of its normal form: what one loop adds another one takes away."""
        if not self.tidy or e.dtype == "bool" or sum(1 for _ in islice(walk(e), LONG)) < LONG:
            return e
        if e not in self.short:
            atoms = Atoms(NO_FACTS)
            found = spell(normal(e, atoms), atoms, e.dtype)
            self.short[e] = e if found is None else found
        return self.short[e]

    def replaced(self, term: Term, by: Mapping[str, PrimExpr], old: Term | None = None) -> Term:
        """``term`` with variables replaced; ``old``: what stands for ``Old``."""
        if not by and old is None:
            return term
        return Substitution(self, by, old).term(term)

    def index(self, e: PrimExpr, by: Mapping[str, PrimExpr]) -> PrimExpr:
        """An index expression with variables replaced, those of opaque symbols too."""
        return Substitution(self, by, None).index(e)

    def at(self, tensor: TensorTerm, indices: tuple[PrimExpr, ...]) -> Term:
        """The element of a computed tensor, its body expanded."""
        assert tensor.body is not None
        return self.replaced(tensor.body, {v.name: i for v, i in zip(tensor.vars, indices, strict=True)})


@dataclass(slots=True)
class Substitution:
    """Variables of a term replaced; a reduction whose variable is mentioned by what arrives gets another one."""

    terms: Terms
    by: Mapping[str, PrimExpr]
    old: Term | None
    memo: dict[int, Term] = field(default_factory=dict)
    _arriving: frozenset[str] | None = None
    """The names that the replacements mention: a reduction whose variable is among them gets another variable."""

    def index(self, e: PrimExpr) -> PrimExpr:
        by = dict(self.by)
        for name in free_symbols(e):
            if name in self.terms.opaque:
                by[name] = self.terms.as_index(self.term(self.terms.opaque[name]))
        new = substitute(e, by)
        return new if new is e else self.terms.tidied(new)

    def term(self, t: Term) -> Term:
        found = self.memo.get(id(t))
        if found is None:
            found = self.memo[id(t)] = self._term(t)
        return found

    def _term(self, t: Term) -> Term:
        terms = self.terms
        match t:
            case Int(value):
                return terms.integer(self.index(value))
            case Apply(op, dtype, args, attrs):
                return terms.apply(op, dtype, tuple(self.term(a) for a in args), attrs)
            case Load(tensor, indices):
                return terms.load(tensor, tuple(self.index(i) for i in indices))
            case Choose(condition, yes, no):
                return terms.choose(self.term(condition), self.term(yes), self.term(no))
            case Fold():
                return self.fold(t)
            case Old():
                return t if self.old is None else self.old
            case Number() | OpenTerm() | Identity():
                return t

    def fold(self, t: Fold) -> Term:
        """A reduction; inside it ``Old`` is its own."""
        start, t = self.term(t.start), self._apart(t)
        axes = tuple((v, self.index(extent)) for v, extent in t.axes)
        guard = None if t.guard is None else self.index(t.guard)
        body = replace(self, old=None, memo={}).term(t.body) if self.old is not None else self.term(t.body)
        return self.terms.fold(t.op, start, axes, guard, body, t.free)

    def _apart(self, t: Fold) -> Fold:
        """The reduction with variables that no replacement mentions or replaces."""
        if self._arriving is None:
            arriving = set(self.by)
            for e in self.by.values():
                arriving |= variables_of(self.terms, e)
            self._arriving = frozenset(arriving)
        names = {v.name: self.terms.fresh(v.name, v.dtype) for v, _ in t.axes if v.name in self._arriving}
        if not names:
            return t
        rename = Substitution(self.terms, names, None)
        return Fold(
            t.op,
            t.start,
            tuple((names.get(v.name, v), rename.index(extent)) for v, extent in t.axes),
            None if t.guard is None else rename.index(t.guard),
            rename.term(t.body),
            t.free,
        )


def variables_of(terms: Terms, e: PrimExpr) -> frozenset[str]:
    """The free variables of an index expression; those inside opaque symbols too."""
    return variables(terms, Int(e))


def mentions(terms: Terms, t: Term, names: frozenset[str]) -> bool:
    """Whether any variable of ``names`` occurs in ``t``."""
    return bool(variables(terms, t) & names)


def variables(terms: Terms, t: Term) -> frozenset[str]:
    """The free variables of a term; those inside opaque symbols too."""
    found: set[str] = set()
    seen: set[int] = set()
    pending: list[Term] = [t]
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        exprs: list[PrimExpr] = []
        match each:
            case Int(value):
                exprs.append(value)
            case Apply(args=args):
                pending.extend(args)
            case Load(indices=indices):
                exprs.extend(indices)
            case Choose(condition, yes, no):
                pending += [condition, yes, no]
            case Fold():
                exprs += [extent for _, extent in each.axes]
                exprs += [] if each.guard is None else [each.guard]
                pending += [each.start, each.body]
            case _:
                pass
        for e in exprs:
            for name in free_symbols(e):
                if name in terms.opaque:
                    pending.append(terms.opaque[name])
                else:
                    found.add(name)
    return frozenset(found)


def has_old(t: Term) -> bool:
    """Whether the value before the store occurs in ``t``."""
    seen: set[int] = set()
    pending: list[Term] = [t]
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case Old():
                return True
            case Apply(args=args):
                pending.extend(args)
            case Choose(condition, yes, no):
                pending += [condition, yes, no]
            case Fold():
                pending += [each.start, each.body]
            case _:
                pass
    return False


def may_be_open(t: Term) -> bool:
    """Whether an element that was never written stands in ``t``, other than behind a load."""
    pending: list[Term] = [t]
    while pending:
        match pending.pop():
            case OpenTerm():
                return True
            case Apply(args=args):
                pending.extend(args)
            case Choose(condition, yes, no):
                pending += [condition, yes, no]
            case Fold() as fold:
                pending += [fold.start, fold.body]
            case _:
                pass
    return False


def loads(terms: Terms, t: Term) -> list[Load]:
    """Every load of a term, those in index positions too."""
    found: list[Load] = []
    seen: set[int] = set()
    pending: list[Term] = [t]
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        exprs: tuple[PrimExpr, ...] = ()
        match each:
            case Load(indices=indices):
                found.append(each)
                exprs = indices
            case Int(value):
                exprs = (value,)
            case Apply(args=args):
                pending.extend(args)
            case Choose(condition, yes, no):
                pending += [condition, yes, no]
            case Fold():
                pending += [each.start, each.body]
                exprs = (*(e for _, e in each.axes), *(() if each.guard is None else (each.guard,)))
            case _:
                pass
        for e in exprs:
            pending += [terms.opaque[n] for n in free_symbols(e) if n in terms.opaque]
    return found
