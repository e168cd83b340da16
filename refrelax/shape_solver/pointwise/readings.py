"""Calls of one loop program on other tensors: read once, with names for what it is given, and said again for each call.

A model calls the same few loop programs in every layer. What reading one comes to depends on the extents and scalars of
the call and on what is known of symbols, never on the elements that it is given: those are loads of a tensor that
stands for them (where an element becomes an index, a call is read by itself). So a *reading* with stand-ins is made
when a program is read a second time, and a call is what comes of it when tensors take the place of the stand-ins, with
bound names of its own.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver.pointwise.extract import read
from refrelax.shape_solver.pointwise.fits import Fits, Size
from refrelax.shape_solver.pointwise.logic import Logic
from refrelax.shape_solver.pointwise.one_object import one_object
from refrelax.shape_solver.pointwise.state import ASSUMED, Definedness
from refrelax.shape_solver.pointwise.terms import OPEN, Fold, Load, Substitution, TensorTerm, Term, Terms
from refrelax.syntax.loops import BufferParam, DeclBuffer, PrimFunc
from refrelax.syntax.scalars import PrimExpr

Read = tuple[tuple[TensorTerm, ...], list[Definedness]]
"""What the buffers hold after a call, in the order of the parameters, and what the call's meaning rests on."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A loop program read with ``given`` for what its buffers hold before; ``rests_on``: the sizes that were known to
    fit, and ``sizes``: those of its own buffers."""

    func: PrimFunc
    given: tuple[TensorTerm, ...]
    left: tuple[TensorTerm, ...]
    obligations: list[Definedness]
    rests_on: frozenset[Size]
    sizes: Fits


@dataclass(slots=True)
class Readings:
    """Those of one comparison. ``outline``: what is the same of loop programs that are the same up to names; ``equal``:
    whether two of one outline are."""

    terms: Terms
    logic: Logic
    outline: Callable[[PrimFunc], Hashable]
    equal: Callable[[PrimFunc, PrimFunc], bool]
    _seen: set[Hashable] = field(default_factory=set)
    _alone: set[Hashable] = field(default_factory=set)
    """Of calls that have to be read by themselves."""
    _made: dict[Hashable, list[Reading]] = field(default_factory=dict)

    @rule("sh/read-program")
    def read(self, func: PrimFunc, given: Mapping[str, TensorTerm], scalars: Mapping[str, PrimExpr]) -> Read:
        """As ``extract.read``.

        Raises:
            NotRead: the program uses what element terms cannot say.
        """
        names = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
        before = tuple(given[name] for name in names)
        form = tuple((each.shape, each.dtype, each.body is OPEN) for each in before)
        key = (self.outline(func), form, tuple(scalars.values()))
        if not _by_itself(func):
            made = self._found(key, func)
            if made is None and key in self._seen and key not in self._alone:
                made = self._new(key, func, names, before, scalars)
            if made is not None:
                self.logic.sizes.known |= made.sizes
                return self._instance(made, before)
        self._seen.add(key)
        contents, obligations = read(func, given, scalars, self.terms, self.logic)
        return tuple(contents[name] for name in names), obligations

    def _found(self, key: Hashable, func: PrimFunc) -> Reading | None:
        """The reading of this program: of it, and with no size known that is not known here."""
        known = self.logic.sizes.known.keys()
        return next(
            (
                each
                for each in self._made.get(key, ())
                if (each.func is func or self.equal(each.func, func)) and each.rests_on <= known
            ),
            None,
        )

    def _new(
        self,
        key: Hashable,
        func: PrimFunc,
        names: Sequence[str],
        before: Sequence[TensorTerm],
        scalars: Mapping[str, PrimExpr],
    ) -> Reading | None:
        """A reading, unless the call has to be read by itself."""
        given = {name: self._stand_in(name, each) for name, each in zip(names, before, strict=True)}
        known, opaque = dict(self.logic.sizes.known), len(self.terms.names)
        contents, obligations = read(func, given, scalars, self.terms, self.logic)
        sizes = {key: size for key, size in self.logic.sizes.known.items() if key not in known}
        self.logic.sizes.known = known
        if len(self.terms.names) != opaque or any(each.purpose == ASSUMED for each in obligations):
            self._alone.add(key)
            return None
        made = Reading(
            func,
            tuple(given.values()),
            tuple(contents[name] for name in names),
            obligations,
            frozenset(known),
            sizes,
        )
        self._made.setdefault(key, []).append(made)
        return made

    def _stand_in(self, name: str, content: TensorTerm) -> TensorTerm:
        """A tensor of which nothing is known, poison included, or of which nothing is written."""
        if content.body is OPEN:
            at = tuple(self.terms.fresh("o") for _ in content.shape)
            return TensorTerm(name, content.shape, content.dtype, at, OPEN)
        return TensorTerm(name, content.shape, content.dtype, computed=True)

    def _instance(self, made: Reading, before: tuple[TensorTerm, ...]) -> Read:
        """What the reading says of these tensors."""
        to = {id(old): new for old, new in zip(made.given, before, strict=True)}
        of = _Instance(self.terms, {}, None, logic=self.logic, to=to)
        left = tuple(
            new if each is old else _another(of.tensor(each), new)
            for each, old, new in zip(made.left, made.given, before, strict=True)
        )
        obligations = [
            each if each.term is None else replace(each, term=of.term(each.term)) for each in made.obligations
        ]
        return left, obligations


def _another(found: TensorTerm, before: TensorTerm) -> TensorTerm:
    """What was stored, and not the tensor that was there, if it be the same (as of ``extract.read``)."""
    return replace(found) if found is before else found


def _by_itself(func: PrimFunc) -> bool:
    """Whether it declares views, which look into the tensors that they are of."""
    return any(isinstance(each, DeclBuffer) for each in statements_of(func.body))


@dataclass(slots=True)
class _Instance(Substitution):
    """Tensors in the place of others (``to``, by identity), and every bound name a fresh one."""

    logic: Logic = field(kw_only=True)
    to: dict[int, TensorTerm] = field(kw_only=True)

    def index(self, e: PrimExpr) -> PrimExpr:
        """With other names it is as short as it was. No opaque symbol is of what is renamed."""
        return substitute(e, self.by)

    def tensor(self, t: TensorTerm) -> TensorTerm:
        """The tensor that is ``t`` of what was given."""
        if id(t) not in self.to:
            self.to[id(t)] = t if t.body is None or t.body is OPEN else self._computed(t, t.body)
        return self.to[id(t)]

    def _computed(self, t: TensorTerm, body: Term) -> TensorTerm:
        at = tuple(self.terms.fresh(v.name, v.dtype) for v in t.vars)
        by: dict[str, PrimExpr] = {v.name: new for v, new in zip(t.vars, at, strict=True)}
        new = replace(t, vars=at, body=replace(self, by=by, memo={}).term(body))
        return one_object(self.terms, self.logic, new)

    def _term(self, t: Term) -> Term:
        match t:
            case Load(tensor, indices):
                return self.terms.load(self.tensor(tensor), tuple(self.index(i) for i in indices))
            case _:
                return Substitution._term(self, t)

    def fold(self, t: Fold) -> Term:
        names = {v.name: self.terms.fresh(v.name, v.dtype) for v, _ in t.axes}
        inside = replace(self, by={**self.by, **names}, memo={})
        axes = tuple((names[v.name], inside.index(extent)) for v, extent in t.axes)
        guard = None if t.guard is None else inside.index(t.guard)
        return self.terms.fold(t.op, self.term(t.start), axes, guard, inside.term(t.body), t.free)
