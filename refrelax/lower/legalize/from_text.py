"""The loops of a text: what an operator means, written down as data, becomes a loop program.

An array of the text is a nest, or is written where it is read: if it only says where an element comes from, or if it is
read once, element by element. What the text leaves open may become anything, so a choice between poison and an element
becomes the element; and what it requires is what the kernel may rest on.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refrelax.lower.legalize import scalars as S
from refrelax.lower.legalize.folds import Env, Folds, bound
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.operations import converted, operation
from refrelax.lower.legalize.prepare import prepared, ranges, symbols
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Site, Unfit, with_relations
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.ops.meaning import data, indices
from refrelax.semantics.ops.meaning.calculus import Text
from refrelax.semantics.ops.meaning.indices import in_range
from refrelax.semantics.ops.meaning.terms import written
from refrelax.syntax.graph import Call, Expr, Op, PrimValue, Tuple
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, Not, PrimExpr, SymVar, as_int, conjuncts


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


class Writer(Folds):
    """One text on its way into one kernel."""

    def __init__(self, s: Site, program: data.Program, operands: Sequence[Array | None]) -> None:
        self.s, self.opaque, self.premises = s, program.opaque, program.premises
        pairs = zip(program.operands, operands, strict=True)
        self.arrays: dict[int, Array] = {id(a): x for a, x in pairs if x is not None}
        """Where operands and definitions lie; of a definition without the axes of extent 1."""
        self.below = {v.name: n for v, n in ranges(program)}
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
        """Elsewhere the call is open. Extents that have to agree are claims, as a kernel reads past an array else; but
        how many elements a reshape takes may be seen in a run alone (``R.reshape(x, s)`` of a shape that is given)."""
        claim = CLAIMS.get(step.rule, "lo/equal-extents")
        for each in conjuncts(step.condition):
            if any(v.name in self.opaque for v in symbols(each)):
                continue
            if as_int(each) == 0:
                raise Unfit("a call that is always open")
            if isinstance(each, Binary) and each.op == "EQ" and not self.seen_in_a_run(step.rule, each.a, each.b):
                self.equal(each.a, each.b, claim)
            else:
                self.s.suppose(self.index(each, {}))

    def seen_in_a_run(self, rule: str, a: PrimExpr, b: PrimExpr) -> bool:
        """Whether a requirement of numbers of elements is no claim, since it is not proved; it may be supposed."""
        if rule not in CLAIMS or equal(a, b, NO_FACTS) is True:
            return False
        return not self.s.ask(Binary("EQ", self.index(a, {}).node, self.index(b, {}).node), ())

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


CLAIMS = {"op.reshape/element-count-run": "lo/reshape-same-size"}
"""Requirements that are claims by a name of their own."""

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


def negated(e: PrimExpr) -> PrimExpr:
    return Binary("NE", e.a, e.b) if isinstance(e, Binary) and e.op == "EQ" else Not(e)
