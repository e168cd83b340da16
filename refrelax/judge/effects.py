"""Graph-level effects under a proof: library functions that are not read, prints, assertions, casts that may fail.

Spec: ``spec/06c-pointwise.md``, ``va/events``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from refrelax.judge.contents import Contents
from refrelax.judge.counted import CountedCall, results
from refrelax.judge.events import OpaqueCall, Reach, leaves, named, outline
from refrelax.judge.graph_values import OpaqueResult, Value, as_number, place_of
from refrelax.judge.planned import Joined, Place, View
from refrelax.judge.same_calls import unknown
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.pointwise import NotRead, TensorTerm
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax import graph
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from refrelax.syntax.types import AnyType, TensorType, TupleType, Type


@dataclass(slots=True)
class Effects(Contents):
    """What one program does that others see."""

    casts: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The names of those ``match_cast`` that are the program's own; others stand for other checks."""

    def event(
        self,
        what: tuple[object, ...],
        values: tuple[Value, ...],
        reach: Reach = "nothing",
        outputs: int = 0,
        gives: Callable[[], tuple[Value, ...]] = tuple,
    ) -> OpaqueCall:
        """One event: the first program's is noted, the second's found there. ``reach``: what it may store in, with
        ``outputs`` the last of the values; ``gives``: makes the unknowns that it gives."""
        if self.path:
            raise NotRead(f"{named(what)} in a branch")
        parts = leaves(values)
        if any(isinstance(each, Joined) for each in parts):
            raise NotRead(f"{named(what)}, which is given what an if gives")
        seen = tuple(map(self.content, values))
        if self.descent is None:
            self.events.sizes.append(dict(self.logic.sizes.known))
            event = self.noted(what, seen, parts, reach, outputs, gives)
        else:
            event = self.events.next(what, seen, self.descent)
            self.logic.sizes.known |= self.events.sizes[self.events.at]
        self.stored(event, parts)
        return event

    def noted(
        self,
        what: tuple[object, ...],
        seen: tuple[Value, ...],
        parts: list[Value],
        reach: Reach,
        outputs: int,
        gives: Callable[[], tuple[Value, ...]],
    ) -> OpaqueCall:
        """An event of the first program."""
        stored = range(len(parts)) if reach == "all" else range(len(parts) - outputs, len(parts))
        contents = {k: self.content(parts[k]) for k in stored if reach != "nothing"}
        left = {k: unknown(each) for k, each in contents.items() if isinstance(each, TensorTerm)}
        rest = tuple(unknown(each.content) for each in self.others(parts)) if reach == "all" else ()
        event = OpaqueCall(what, seen, reach, left, rest, gives())
        self.events.made.append(event)
        return event

    def stored(self, event: OpaqueCall, parts: list[Value]) -> None:
        """What may have been stored is unknown afterwards."""
        for k, new in event.left.items():
            part = parts[k]
            if isinstance(part, Place | View):
                self.known_to_nobody(str(event.what[1]), place_of(part), itself=event.reach == "outputs")
            match part:
                case Place() as place:
                    self.memory.write(place, self.like(new, place.content))
                case View(of, shape):
                    self.memory.write(
                        of, self.reshaped(self.like(new, self.reshaped(of.content, shape)), of.content.shape)
                    )
                case _ if event.reach == "all":
                    raise NotRead(f"{event.what[0]} of memory that has no name")
                case _:
                    pass  # an output, which is what the event has left
        if event.reach == "all":
            others = self.others(parts)
            if len(others) != len(event.rest):
                raise NotRead(f"{event.what[0]} that may know other memory")
            for place, new in zip(others, event.rest, strict=True):
                self.memory.write(place, self.like(new, place.content))

    def others(self, parts: list[Value]) -> list[Place]:
        """What a library function may know besides what it is given."""
        given = [place_of(each) for each in parts if isinstance(each, Place | View)]
        return [each for each in self.reachable if each not in given]

    def like(self, new: TensorTerm, old: TensorTerm) -> TensorTerm:
        """Unknown contents for memory of the second program: of the same type as they were."""
        same = len(new.shape) == len(old.shape) and new.dtype == old.dtype
        if not same or not all(self.logic.equal(p, q) for p, q in zip(new.shape, old.shape, strict=True)):
            raise NotRead("a library function that reaches other memory")
        return new

    def counted(self, op: str, args: Sequence[Value]) -> Value:
        """What an operator gives of which the elements decide how much there is."""
        seen = tuple(map(self.content, args))
        if self.path:
            raise NotRead(f"{op} in a branch")
        if self.descent is not None:
            return self.events.counts(op, seen, self.descent)
        call = CountedCall(op, seen, results(op, seen, self.terms, self.logic), len(self.events.made))
        self.events.counted.append(call)
        return call.gives

    def printed(self, args: Sequence[Value | str]) -> Value:
        """``R.print``."""
        self.event(("R.print", *_words(args)), _values(args))
        return ()

    def asserted(self, args: Sequence[Value | str]) -> Value:
        """``R.assert_op``: what it found holds afterwards."""
        self.event(("R.assert_op", *_words(args)), _values(args))
        condition = None if isinstance(args[0], str) else as_number(args[0])
        if condition is not None:
            self.facts += [each for each in conjuncts(condition) if each not in self.facts]
        return ()

    def stored_by_library(self, name: str, args: Sequence[Value | str], fresh: tuple[Value, ...]) -> tuple[Value, ...]:
        """``R.call_dps_packed``: what its outputs hold. A library function stores in them alone, ``fresh`` ones."""
        outs = leaves(fresh)
        values = (*_values(args), *outs)
        self.apart(name, values)
        event = self.event(self.called(name, args, values), values, "outputs", len(outs))
        first = len(leaves(values)) - len(outs)
        if any(first + k not in event.left for k in range(len(outs))):
            raise NotRead(f"{name} with outputs of other places")
        if all(isinstance(each, Place) for each in outs):
            return fresh
        return tuple(self.like(event.left[first + k], out) for k, out in enumerate(outs) if isinstance(out, TensorTerm))

    def given_by_library(
        self, name: str, args: Sequence[Value | str], types: Sequence[Type], pure: bool, symbols: dict[str, PrimExpr]
    ) -> Value:
        """A library function that is called for what it gives. Unless it is pure it may store in what it is given, and
        in what it or another one was given or gave before. What is promised void is dropped; where nothing is promised,
        the result is."""
        values = _values(args)
        self.apart(name, values)
        wanted: Type = types[0] if len(types) == 1 else TupleType(tuple(types)) if types else AnyType()
        said = self.said(wanted, symbols)
        plain = self.called(name, args, values)
        dropped = isinstance(wanted, AnyType) and self.comes(plain)
        if not pure and (dropped or not any(said)):  # its outputs may be among its arguments
            event = self.event(plain, values, "all")
        else:
            what = (*plain, "gives", pure, _form(wanted))
            seen = (*values, *(shape for _, shape in said))
            gives = lambda: tuple(self.unknown(*each) for each in said)  # noqa: E731
            event = self.event(what, seen, "nothing" if pure else "all", 0, gives)
        if event.reach != "outputs":
            self.know([each for value in values for each in leaves(value)])
        if dropped and not event.gives:
            return OpaqueResult()
        results = iter([self.kept(each) for each in event.gives])
        return _built(wanted, lambda: next(results))

    def comes(self, what: tuple[object, ...]) -> bool:
        """Whether the first program does this next, to which what is given here is nothing."""
        made = self.events.made
        return self.descent is not None and self.events.at < len(made) and made[self.events.at].what == what

    def called(self, name: str, args: Sequence[Value | str], values: tuple[Value, ...]) -> tuple[object, ...]:
        if name in contracts_of(self.module):
            raise NotRead(f"a call of {name}, which has a contract")
        return ("a call of", name, _words(args), outline(values))

    def know(self, parts: Sequence[Value]) -> None:
        """From now on a library function may know this memory."""
        for each in parts:
            if isinstance(each, Place | View) and place_of(each) not in self.reachable:
                self.reachable.append(place_of(each))

    def kept(self, value: Value) -> Value:
        """A result in memory that the library may know."""
        if not isinstance(value, TensorTerm):
            return value
        place = self.memory.allocated(value)
        self.memory.write(place, value)
        self.know([place])
        return place

    def said(self, type_: Type, symbols: dict[str, PrimExpr]) -> list[tuple[str, graph.ShapeExpr]]:
        """What a call says of the parts of its result: dtypes, and extents over symbols that are known."""
        match type_:
            case TupleType(fields):
                return [leaf for each in fields for leaf in self.said(each, symbols)]
            case AnyType():
                return [("", graph.ShapeExpr(()))]
            case TensorType(shape=tuple() as dims, dtype=str() as dtype, vdevice=None):
                return [(dtype, graph.ShapeExpr(tuple(self.scalar(d, symbols) for d in dims)))]
            case _:
                raise NotRead("a library function whose result is of no type that is read")

    def unknown(self, dtype: str, shape: graph.ShapeExpr) -> Value:
        if not dtype:
            return OpaqueResult()
        self.logic.sizes.exists(shape.values, dtype)
        return TensorTerm("library", shape.values, dtype, computed=True)

    def apart(self, name: str, values: Sequence[Value]) -> None:
        """See that a library function is given no two tensors that share bytes."""
        found = [leaf for value in values for leaf in leaves(value)]
        self.memory.given(name, [place_of(each) for each in found if isinstance(each, Place | View)])

    def checked_cast(self, name: str, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> Value:
        """A ``match_cast``: one that cannot fail, or an event. What it is given, as it is known afterwards."""
        if isinstance(value, OpaqueResult) and name in self.casts:
            return self.told(value, type_, symbols)
        open_: list[PrimExpr] | None = [] if name in self.casts else None
        self.cast(self.content(value), type_, symbols, open_)
        if open_:
            sides = [side for each in open_ if isinstance(each, Binary) for side in (each.a, each.b)]
            self.event(("match_cast",), tuple(sides))
            self.facts += open_
        return value

    def told(self, value: OpaqueResult, type_: Type, symbols: dict[str, PrimExpr]) -> Value:
        """What a library function gave, seen to be a tensor; the symbols that the type defines are its extents."""
        if not isinstance(type_, TensorType) or not isinstance(type_.shape, tuple) or type_.dtype is None:
            if isinstance(type_, AnyType):
                return value
            raise NotRead("a match_cast that is not decided here")
        new = [d.name if isinstance(d, SymVar) and d.name not in symbols else None for d in type_.shape]
        first_at = {each: new.index(each) for each in new if each is not None}
        pattern = tuple(None if each is None else first_at[each] for each in new)
        known = tuple(self.scalar(d, symbols) for d, each in zip(type_.shape, new, strict=True) if each is None)

        def extents() -> tuple[Value, ...]:
            fresh = {each: self.terms.fresh(each) for each in first_at}
            for each in fresh.values():
                self.logic.assume(compare("GE", each, int_imm(0)))
            rest = iter(known)
            shape = tuple(next(rest) if each is None else fresh[each] for each in new)
            return (self.unknown(type_.dtype or "", graph.ShapeExpr(shape)),)

        what = ("match_cast", type_.dtype, len(new), pattern)
        (found,) = self.event(what, (value, graph.ShapeExpr(known)), gives=extents).gives
        assert isinstance(found, TensorTerm)
        for each, k in first_at.items():
            symbols[each] = found.shape[k]
        return self.kept(found)


def _words(args: Sequence[Value | str]) -> tuple[tuple[int, str], ...]:
    """The texts among arguments, with their places."""
    return tuple((k, each) for k, each in enumerate(args) if isinstance(each, str))


def _values(args: Sequence[Value | str]) -> tuple[Value, ...]:
    return tuple(each for each in args if not isinstance(each, str))


def _form(type_: Type) -> object:
    """A type as tuples of dtypes; of what has no type, nothing."""
    match type_:
        case TupleType(fields):
            return tuple(map(_form, fields))
        case _:
            return type_.dtype if isinstance(type_, TensorType) else ""


def _built(type_: Type, part: Callable[[], Value]) -> Value:
    if isinstance(type_, TupleType):
        return tuple(_built(each, part) for each in type_.fields)
    return part()
