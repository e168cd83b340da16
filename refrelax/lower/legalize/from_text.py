"""The loops of a text: what an operator means, written down as data, becomes a loop program.

An array of the text is a nest, or is written where it is read: if it only says where an element comes from, or if it is
read once, element by element. What the text leaves open may become anything, so a choice between poison and an element
becomes the element; and what it requires is what the kernel may rest on.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from refrelax.lower.legalize import scalars as S
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.operations import combination, converted, operation
from refrelax.lower.legalize.prepare import below, nothing, prepared, ranges, symbols
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Site, Unfit, with_relations
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal, value
from refrelax.semantics.ops.meaning import data, indices
from refrelax.semantics.ops.meaning.calculus import Text
from refrelax.semantics.ops.meaning.indices import in_range
from refrelax.semantics.ops.meaning.terms import written
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, Expr, Op, PrimValue, Tuple
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, Not, PrimExpr, SymVar, as_int, conjuncts, int_imm

Env = Mapping[str, Scalar]
"""Index variables of the text to what they are in the kernel."""


@rule("lo/legalize")
def legalizer(text: Text) -> Any:
    """The legalizer that a text is."""

    def legalize(s: Site) -> None:
        given = [each for k, arg in enumerate(s.call.args) for each in _operands(s, k, arg)]
        try:
            program = written(text, s.call, *(operand for operand, _ in given))
        except indices.Unfit as reason:
            raise Unfit(str(reason)) from None
        Writer(s, program, [x for operand, x in given if isinstance(operand, tuple)]).write()

    return legalize


def _operands(s: Site, k: int, arg: Expr) -> list[tuple[Any, Array | None]]:
    """What argument ``k`` is to a text, and the array that it is to a kernel."""
    match s.a[k]:
        case Array() as x:
            return [((f"x{k}", _extents(s, x), x.dtype), x)]
        case Scalar() as x:
            return [((f"x{k}", [1], x.dtype, x.node), Array("", (S.index(1),), x.dtype, x))]
        case list() as xs:
            return [((f"x{k}_{n}", _extents(s, x), x.dtype), x) for n, x in enumerate(xs)]
    if k in s.dtypes:
        return [((f"x{k}", list(s.shapes[k]), s.dtypes[k]), None)]
    if k in s.shapes:
        return [(list(s.shapes[k]), None)]
    match arg:
        case Tuple(fields=fields) if all(isinstance(each, PrimValue) for each in fields):
            return [([each.value for each in fields if isinstance(each, PrimValue)], None)]
        case Call(op=Op("relax.null_value")):
            return [(None, None)]
        case _:
            raise Unfit("an argument that is no tensor, scalar or shape")


def _extents(s: Site, x: Array) -> list[PrimExpr]:
    """The extents of an operand as the caller wrote them, from which a text may see more than from names."""
    return [with_relations(s, d.node) for d in x.dims]


class Writer:
    """One text on its way into one kernel."""

    def __init__(self, s: Site, program: data.Program, operands: Sequence[Array | None]) -> None:
        self.s, self.opaque, self.premises = s, program.opaque, program.premises
        pairs = zip(program.operands, operands, strict=True)
        self.arrays: dict[int, Array] = {id(a): x for a, x in pairs if x is not None}
        """Where operands and definitions lie; of a definition without the axes of extent 1."""
        self.below = {v.name: n for v, n in ranges(program.steps)}
        """What each variable of the text is less than."""
        self.asked: dict[PrimExpr, bool] = {}
        self.ready = prepared(program, self.guards)

    def write(self) -> None:
        for premise in self.premises:
            self.premise(premise)
        copies = self.results()
        for step in self.ready.steps:
            if isinstance(step, data.Requirement):
                self.require(step)
            elif id(step) not in self.ready.inlined:
                self.define(step)
        for out, source in copies:
            self.s.k.compute(out, lambda *i, source=source: source[i])

    # --- what the kernel rests on

    def premise(self, condition: PrimExpr) -> None:
        """The data is what the operator means only where this holds."""
        if isinstance(condition, Binary) and condition.op == "EQ":
            self.equal(condition.a, condition.b, "lo/broadcast-equal")
        else:
            self.s.demand("lo/broadcast-equal", condition)

    def require(self, step: data.Requirement) -> None:
        """Elsewhere the call is open. Extents that have to agree are claims, as a kernel reads past an array else."""
        claim = CLAIMS.get(step.rule, "lo/equal-extents")
        for each in conjuncts(step.condition):
            if any(v.name in self.opaque for v in symbols(each)):
                continue
            if as_int(each) == 0:
                raise Unfit("a call that is always open")
            if isinstance(each, Binary) and each.op == "EQ":
                self.equal(each.a, each.b, claim)
            else:
                self.s.suppose(Scalar(each))

    def equal(self, a: PrimExpr, b: PrimExpr, claim: str) -> None:
        """Two extents are equal: a claim. A product of which a part may leave int64 where another is 0 cannot be one;
        it is a number all the same, and equal if it is one expression."""
        x, y = self.index(a, {}), self.index(b, {})
        if equal(a, b, NO_FACTS) is not True or self.s.ask(Binary("EQ", x.node, y.node), ()):
            self.s.same(x, y, claim)

    def results(self) -> list[tuple[Array, Array]]:
        """The results lie where the call wants them, and have its extents; what is two results is copied."""
        copies = []
        for found, out in zip(self.ready.outputs, self.s.outs, strict=True):
            if found.dtype != out.dtype or len(found.dims) != out.ndim:
                raise Unfit("a result of another dtype or rank than was deduced")
            for own, wanted in zip(found.dims, out.dims, strict=True):
                self.equal(with_relations(self.s, wanted.node), own, "lo/equal-extents")
            if id(found) in self.arrays:
                copies.append((out, self.arrays[id(found)]))
            else:
                self.arrays[id(found)] = out
        return copies

    # --- indices

    def needed(self, condition: PrimExpr) -> list[PrimExpr]:
        """The parts of a condition that are not known to hold at every index."""
        found = []
        for each in conjuncts(condition):
            names = symbols(each)
            if any(v.name in self.opaque for v in names) or not (isinstance(each, Binary) and each.op in BOUNDS):
                found.append(each)
                continue
            if each not in self.asked:
                bounded = [v for v in dict.fromkeys(names) if v.name in self.below]
                given = in_range(bounded, [self.below[v.name] for v in bounded])
                self.asked[each] = self.s.ask(each, given)
                if self.asked[each]:
                    self.s.always.append((each, given))
            if not self.asked[each]:
                found.append(each)
        return found

    def guards(self, condition: PrimExpr) -> bool:
        """Whether a condition keeps reads in range that are not in range anyway. Not if it is about elements: a read at
        such an index is open by itself."""
        return not any(v.name in self.opaque for v in symbols(condition)) and bool(self.needed(condition))

    def suppose(self, condition: PrimExpr) -> None:
        """Where the kernel computes an index at all, this holds, or the call is open. Only extents are told of."""
        if all(v.name not in self.opaque and v.name not in self.below for v in symbols(condition)):
            self.s.suppose(Scalar(condition))

    def ends(self, e: PrimExpr) -> bool:
        """Whether an index is none: the run is open where it is asked for."""
        return isinstance(e, SymVar) and e.name in self.opaque and isinstance(self.opaque[e.name][0], data.OpenElement)

    def index(self, e: PrimExpr, env: Env) -> Scalar:
        """An index or a condition on indices, in the kernel's variables."""
        if e in self.s.named:
            return Scalar(self.s.named[e])
        match e:
            case SymVar(name) if name in self.opaque:
                element, dtype = self.opaque[name]
                if dtype == "uint64":
                    raise Unfit("unsigned positions of 64 bits")
                return S.cast("int64", self.element(element, env))
            case SymVar(name):
                return env[name] if name in env else self.s.expression(e)
            case Literal():
                return Scalar(e)
            case Intrinsic("if_then_else", (condition, then, other)) if self.ends(other):
                self.suppose(condition)
                return self.index(then, env)
            case Intrinsic("if_then_else", (condition, then, other)) if self.ends(then):
                self.suppose(negated(condition))
                return self.index(other, env)
            case Intrinsic("if_then_else", (condition, then, _)) if not self.needed(condition):
                return self.index(then, env)
            case Intrinsic("if_then_else", (condition, then, other)):
                return S.if_then_else(*(self.index(each, env) for each in (condition, then, other)))
            case Not(a):
                return ~self.index(a, env)
            case Binary("FloorMod", SymVar(name) as a, b) if self.below.get(name) == b:
                return self.index(a, env)
            case Binary("And", a, b):
                return self.index(a, env) & self.index(b, env)
            case Binary("Or", a, b):
                return self.index(a, env) | self.index(b, env)
            case Binary(op, a, b):
                return S.indexed(op, self.index(a, env), self.index(b, env))
            case _:
                raise Unfit(f"an index that is {e}")

    # --- elements

    def element(self, t: data.Element, env: Env) -> Scalar:
        match t:
            case data.Literal(dtype, value):
                return self.literal(dtype, value, env)
            case data.Read(array, at):
                return self.read(array, [self.index(p, env) for p in at])
            case data.Choice(condition, then, other):
                needed = S.all_of([self.index(each, env) for each in self.needed(condition)])
                choose = (
                    S.select if isinstance(then, data.Literal) and isinstance(other, data.Literal) else S.if_then_else
                )
                return choose(needed, self.element(then, env), self.element(other, env))
            case data.Operation("cast", at, _, (a,)):
                return converted(at, self.element(a, env))
            case data.Operation(name, at, _, args):
                return operation(name, at, *(self.element(a, env) for a in args))
            case _:
                raise Unfit("a fold inside of what is folded")

    def literal(self, dtype: str, value: Any, env: Env) -> Scalar:
        """A number, or an extent as a number."""
        if isinstance(value, PrimExpr):
            return converted(dtype, self.index(value, env))
        return S.lit(dtype, value)

    def read(self, array: data.Operand | data.Definition, at: Sequence[Scalar]) -> Scalar:
        if id(array) in self.ready.inlined and isinstance(array, data.Definition):
            return self.element(array.body, {v.name: p for v, p in zip(array.vars, at, strict=True)})
        if id(array) not in self.arrays:
            raise Unfit("elements of an argument that is only looked at")
        found = self.arrays[id(array)]
        if isinstance(array, data.Definition) and found.ndim < len(at):
            at = [p for p, n in zip(at, array.dims, strict=True) if as_int(n) != 1]
        return found[at]

    # --- nests

    def define(self, a: data.Definition) -> None:
        """The nest of an array."""
        wide = [k for k, n in enumerate(a.dims) if as_int(n) != 1]
        out = self.arrays.get(id(a))
        if out is None:
            out = self.s.k.alloc(called(a.body), [self.index(a.dims[k], {}) for k in wide], a.dtype)
            self.arrays[id(a)] = out
        axes = a.vars if out.ndim == len(a.vars) else tuple(a.vars[k] for k in wide)
        fixed = {v.name: S.index(0) for v in a.vars if v not in axes}
        if isinstance(a.body, data.Fold):
            self.fold(out, axes, fixed, a.body)
        else:
            self.s.k.compute(out, lambda *i: self.element(a.body, bound(fixed, axes, i)))

    def fold(self, out: Array, axes: Sequence[SymVar], fixed: Env, t: data.Fold) -> None:
        *first, family = t.families if t.name != "dot" else t.families[:1]
        listed = [e for f in first for e in (f.items if isinstance(f, data.Items) else (None,))]
        if isinstance(family, data.Items) or None in listed:
            raise Unfit("a list of elements that is folded")
        own = {v.name for v in axes}
        if any(v.name in own for d in family.dims for v in symbols(d)):
            if not listed and self.ending(axes, family) is not None:
                return self.prefix(out, axes, fixed, t, family)
            family = self.longest(family)
        lengths = [self.index(d, fixed) for d in family.dims]

        def env(i: Sequence[Scalar], f: data.Each) -> Env:
            return bound(fixed, (*axes, *f.vars), i)

        if t.name == "argreduce":
            return self.position(out, lengths, t, family, lambda i: env(i, family))
        guards = [] if family.where is None else self.needed(family.where)
        if listed or t.name == "last":
            before = [e for e in listed if e is not None]
            return self.collected(out, axes, fixed, t, before, replace(family, where=conjunction(guards)), lengths)
        connect, start = combination(t.op, t.at)

        def item(*i: Scalar) -> Scalar:
            found = self.element(family.item, env(i, family))
            if t.name == "dot":
                other = t.families[1]
                assert isinstance(other, data.Each)
                found = converted(t.at, found) * converted(t.at, self.element(other.item, env(i, other)))
            if not guards:
                return found
            return S.if_then_else(S.all_of([self.index(each, env(i, family)) for each in guards]), found, start)

        self.s.k.reduce(out, lengths, connect, start, item)
        return None

    def collected(
        self,
        out: Array,
        axes: Sequence[SymVar],
        fixed: Env,
        t: data.Fold,
        before: Sequence[data.Element],
        family: data.Each,
        lengths: Sequence[Scalar],
    ) -> None:
        """A fold that begins with elements, or the last of all: where a guard fails, a step leaves the result alone."""
        connect = start = None
        if t.name != "last":
            connect, start = combination(t.op, t.at)

        def joined(own: Scalar, new: Scalar) -> Scalar:
            return new if connect is None else Scalar(Binary(connect, own.node, new.node))

        def begin(*i: Scalar) -> Scalar:
            found = [self.element(e, bound(fixed, axes, i)) for e in before]
            if start is not None and (not found or connect in ("Add", "Mul")):
                found.insert(0, start)
            return reduce(joined, found or [self.element(nothing(t.dtype), {})])

        def step(own: Scalar, *i: Scalar) -> Scalar:
            env = bound(fixed, (*axes, *family.vars), i)
            new = joined(own, self.element(family.item, env))
            return new if family.where is None else S.if_then_else(self.index(family.where, env), new, own)

        self.s.k.fold(out, lengths, begin, step)

    def position(self, out: Array, lengths: Sequence[Scalar], t: data.Fold, family: data.Each, env: Any) -> None:
        """The first position of the extreme; the first NaN is the extreme. The extreme itself has a cell of its own: a
        position that is poison must not become an index."""
        if family.where is not None:
            raise Unfit("a position among some elements")
        dtype, k = "uint8" if t.at == "bool" else t.at, self.s.k
        extreme = k.alloc("extreme", out.dims, dtype)

        def at(i: Sequence[Scalar]) -> Scalar:
            digits = [i[-1]] if lengths else []
            for n in reversed(lengths[1:]):
                digits[:1] = [digits[0] // n, digits[0] % n]
            return S.cast(dtype, self.element(family.item, env((*i[:-1], *digits))))

        def nan(value: Scalar) -> Scalar:
            return operation("isnan", dtype, value)

        def greater(old: Scalar, *i: Scalar) -> Scalar:
            new = at(i)
            better = new > old if t.op == "maximum" else new < old
            if dtypes.is_float(dtype):
                better = better | (nan(new) & ~nan(old))
            return S.select(better, new, old)

        def first(found: Scalar, *i: Scalar) -> Scalar:
            new, best = at(i), extreme[i[:-1]]
            here = new.equals(best)
            if dtypes.is_float(dtype):
                here = here | (nan(new) & nan(best))
            return S.select(here & (found < 0), i[-1], found)

        count = S.product(lengths)
        k.fold(extreme, [count], S.least(dtype) if t.op == "maximum" else S.greatest(dtype), greater)
        k.fold(out, [count], S.index(-1), first)

    def longest(self, family: data.Each) -> data.Each:
        """A family of as many elements at each index as at the index that has most, the others guarded."""
        dims, where = list(family.dims), family.where
        for k, (v, n) in enumerate(zip(family.vars, family.dims, strict=True)):
            if not symbols(n):
                continue
            self.below[v.name] = dims[k] = self.greatest(n) or axis_of(family.item, v)
            inside = Binary("LT", v, n)
            where = inside if where is None else Binary("And", inside, where)
        return replace(family, dims=tuple(dims), where=where)

    def greatest(self, n: PrimExpr) -> PrimExpr | None:
        """The greatest value of a length, if its variables have known ranges."""
        names = list(dict.fromkeys(symbols(n)))
        ranges = [as_int(self.below[each.name]) if each.name in self.below else None for each in names]
        sizes = [each for each in ranges if each is not None]
        if len(sizes) < len(names) or prod(sizes) > MOST_LENGTHS:
            return None
        points = product(*map(range, sizes))
        found = (value(n, dict(zip((each.name for each in names), at, strict=True))) for at in points)
        return int_imm(max(0, max(found, default=0)))

    @staticmethod
    def ending(axes: Sequence[SymVar], family: data.Each) -> int | None:
        """The axis up to whose position a family runs, if it is a prefix."""
        if len(family.dims) != 1:
            return None
        length = family.dims[0]
        return next((k for k, v in enumerate(axes) if length in (v, Binary("Add", v, int_imm(1)))), None)

    def prefix(self, out: Array, axes: Sequence[SymVar], fixed: Env, t: data.Fold, family: data.Each) -> None:
        """``out[i] = fold(x[0 .. i])``, or without the last: each from the one before it, in increasing order."""
        axis = self.ending(axes, family)
        if axis is None or t.name != "reduce" or family.where is not None:
            raise Unfit("a fold of a prefix that is no sum")
        length, (inner,) = family.dims[0], family.vars
        inside = (v for part, _ in below(family.item) for e in data.index_parts(part) for v in symbols(e))
        if axes[axis] in inside:
            raise Unfit("elements that depend on where the prefix ends")
        closed = length != axes[axis]
        connect, start = combination(t.op, t.at)

        def element(*i: Scalar) -> Scalar:
            env = bound(fixed, axes, i)
            before = out[[p - 1 if k == axis else p for k, p in enumerate(i)]]
            item = self.element(family.item, {**env, inner.name: i[axis] if closed else i[axis] - 1})
            if closed:
                first = S.function("if_then_else", i[axis] > 0, before, start, dtype=start.dtype)
                return Scalar(Binary(connect, first.node, item.node))
            both = Scalar(Binary(connect, before.node, item.node))
            return S.function("if_then_else", i[axis] > 0, both, start, dtype=start.dtype)

        self.s.k.scan(out, axis, element)


CLAIMS = {"op.reshape/element-count-run": "lo/reshape-same-size"}
"""Requirements that are claims by a name of their own."""

MOST_LENGTHS = 4096
"""Indices that are looked at for the greatest length of a fold."""

BOUNDS = ("GE", "GT", "LT", "LE")

NAMES = {"add": "total", "mul": "product", "maximum": "greatest", "minimum": "least"}
"""What the result of a fold is called."""


def called(t: data.Element) -> str:
    """What an intermediate array is called: after what makes it."""
    match t:
        case data.Fold(op=op):
            return NAMES.get(op, op)
        case data.Operation(name):
            return name.rpartition(":")[2]
        case _:
            return "value"


def axis_of(item: data.Element, v: SymVar) -> PrimExpr:
    """The extent of an axis at whose position ``v`` an element is read, whatever its index, so that ``v`` is below it.

    Raises:
        Unfit: there is none.
    """
    pending: list[data.Element] = [item]
    while pending:
        match pending.pop():
            case data.Read(array=array, at=at) if v in at:
                return array.dims[at.index(v)]
            case data.Operation(args=args):
                pending += args
            case _:
                pass
    raise Unfit("a fold whose greatest length is not known")


def bound(fixed: Env, names: Sequence[SymVar], i: Sequence[Scalar]) -> Env:
    return {**fixed, **dict(zip((v.name for v in names), i, strict=True))}


def conjunction(parts: Sequence[PrimExpr]) -> PrimExpr | None:
    return reduce(lambda a, b: Binary("And", a, b), parts) if parts else None


def negated(e: PrimExpr) -> PrimExpr:
    return Binary("NE", e.a, e.b) if isinstance(e, Binary) and e.op == "EQ" else Not(e)
