"""A text written down: indices are expressions, elements the nodes of ``data``. See ``calculus.Meaning``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from refrelax.semantics.dims import NO_FACTS, simplify, substitute
from refrelax.semantics.numbers.interface import ReduceOp
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.ops.meaning.calculus import Hits, Run, Text, replaced
from refrelax.semantics.ops.meaning.indices import TRUE, Ix, Unfit, both, node, total
from refrelax.semantics.ops.meaning.runs import runs
from refrelax.semantics.ops.meaning.symbolic import Arithmetic, Families, Symbolic, SymbolicScalar, Table, View, joined
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import Binary, Intrinsic, Not, PrimExpr, SymVar, as_int, walk


class Terms:
    """The reading that writes down; ``program`` is what has been written."""

    def __init__(self) -> None:
        self.program = data.Program()
        self.extents: dict[str, PrimExpr] = {}
        """The extent that each variable of a definition runs below."""
        self._counts: dict[str, int] = {}

    at = staticmethod(Arithmetic)

    def variable(self, letter: str) -> SymVar:
        """A fresh index variable; no symbol of a program has a name with a dot."""
        self._counts[letter] = k = self._counts.get(letter, -1) + 1
        return SymVar(f"{letter}.{k}")

    def truth(self, value: bool) -> data.Literal:
        return data.Literal("bool", value)

    def negate(self, a: data.Element) -> data.Operation:
        return data.Operation("negate", "bool", "bool", (a,))

    def all_of(self, a: data.Element, b: data.Element) -> data.Operation:
        return data.Operation("all_of", "bool", "bool", (a, b))

    def any_of(self, a: data.Element, b: data.Element) -> data.Operation:
        return data.Operation("any_of", "bool", "bool", (a, b))

    # --- arrays

    def operand(self, name: str, dims: Sequence[Any], dtype: str, scalar: PrimExpr | None = None) -> Symbolic:
        """An array that the operator is given; of a scalar its expression."""
        shape = self.extents_of(dims)
        found = data.Operand(name, tuple(n.node for n in shape), dtype)
        self.program.operands.append(found)
        return Symbolic(self, found, shape) if scalar is None else SymbolicScalar(self, found, shape, scalar)

    @staticmethod
    def extents_of(dims: Sequence[Any]) -> tuple[Ix, ...]:
        """Extents given as numbers, names of symbols, or expressions."""
        named = [SymVar(n) if isinstance(n, str) else n for n in dims]
        return tuple(Ix(n if isinstance(n, PrimExpr) else node(n)) for n in named)

    def tensor(self, dims: Iterable[Any], dtype: str, element: Callable[..., data.Element]) -> Symbolic:
        shape = tuple(Ix(node(n)) for n in dims)
        names = self.variables(shape)
        return self.define(shape, dtype, names, element(*map(Ix, names)))

    def variables(self, dims: Sequence[Any]) -> tuple[SymVar, ...]:
        """Variables of a definition, which run below its extents."""
        names = tuple(self.variable("i") for _ in dims)
        self.extents |= {v.name: node(n) for v, n in zip(names, dims, strict=True)}
        return names

    def define(
        self,
        dims: tuple[Ix, ...],
        dtype: str,
        names: tuple[SymVar, ...],
        body: data.Element,
        within: tuple[PrimExpr, PrimExpr] | None = None,
    ) -> Symbolic:
        """One more step."""
        name = f"t{sum(isinstance(s, data.Definition) for s in self.program.steps)}"
        found = data.Definition(name, tuple(n.node for n in dims), dtype, names, body, within)
        self.program.steps.append(found)
        return Symbolic(self, found, dims)

    def pointwise(self, dtype: str, function: Callable[..., data.Element], *arrays: Symbolic) -> Symbolic:
        dims = self.broadcast(*(x.dims for x in arrays))
        views = [self.spread(x, dims) for x in arrays]
        runs = arrays[0].runs
        if runs is not None:
            return self.rows(dims, dtype, runs, lambda *i: function(*(x[i] for x in views)))
        return self.tensor(dims, dtype, lambda *i: function(*(x[i] for x in views)))

    def rows(
        self, dims: Sequence[Any], dtype: str, runs: Callable[..., Run], element: Callable[..., data.Element]
    ) -> Symbolic:
        shape = tuple(Ix(node(n)) for n in dims)
        names = self.variables(shape)
        at = tuple(map(Ix, names))
        run = runs(*at[:-1])
        if run.count is None:
            return self.define(shape, dtype, names, element(*at))
        start, end = node(run.start), simplify(node(run.start + run.count), NO_FACTS)
        found = self.define(shape, dtype, names, element(*at), (start, end))
        found.runs = runs
        return found

    def each(
        self, dims: Sequence[Any], item: Callable[..., data.Element], where: Callable[..., Any] | None = None
    ) -> data.Each:
        names = tuple(self.variable("r") for _ in dims)
        hits = [(n, Ix(name)) for n, name in zip(dims, names, strict=True)]
        at = [n.at(k) if isinstance(n, Hits) else k for n, k in hits]
        checks = [n.where(k) for n, k in hits if isinstance(n, Hits)]
        extents = tuple(node(n.count if isinstance(n, Hits) else n) for n in dims)
        condition = node(self.every([*checks, where is None or where(*at)]))
        return data.Each(names, extents, item(*at), None if condition == TRUE else condition)

    def indices(self, dims: Sequence[Any], element: Callable[..., Any]) -> Table:
        """A table is a step only where what it holds depends on elements, else each read of it is written out."""
        shape, names = tuple(Ix(node(n)) for n in dims), self.variables(dims)
        body = node(element(*map(Ix, names)))
        if total(body) and not any(isinstance(n, SymVar) and n.name in self.program.opaque for n in walk(body)):
            return Table(shape, lambda at: Ix(node(element(*at))))
        held = self.define(shape, "int64", names, data.Literal("int64", body))
        return Table(shape, lambda at: self.index_of(held[at], "int64"))

    def reached(self, table: Table, i: Any) -> Any:
        one = data.Literal("int64", 1)
        return self.size(self.each(table.dims, lambda s: one, lambda s: table[s,] <= i))

    def arrivals(
        self, dims: Sequence[Any], place: Callable[..., Sequence[Any]]
    ) -> Callable[[Sequence[Any], Callable[..., data.Element]], data.Each]:
        def at(i: Sequence[Any], item: Callable[..., data.Element]) -> data.Each:
            return self.each(dims, item, lambda *k: self.every(p == q for p, q in zip(place(*k), i, strict=True)))

        return at

    def scan(self, op: ReduceOp, x: Symbolic, axis: int, itself: bool) -> Symbolic:
        def element(*i: Ix) -> data.Element:
            return self.at(x.dtype).reduce(op, x.over(replaced(i, axis, Run(0, i[axis] + int(itself)))))

        return self.tensor(x.dims, x.dtype, element)

    @staticmethod
    def after(first: data.Element, family: Families) -> Families:
        return (data.Items((first,)), *joined(family))

    def size(self, family: data.Each) -> Ix:
        ones = replace(family, item=data.Literal("int64", 1))
        return self.index_of(data.Fold("reduce", "int64", "int64", "add", (ones,)), "int64")

    @staticmethod
    def last(dtype: str, family: Families) -> data.Fold:
        return data.Fold("last", dtype, dtype, "", joined(family))

    @staticmethod
    def mapped(function: Callable[[data.Element], data.Element], family: data.Each) -> data.Each:
        return replace(family, item=function(family.item))

    def broadcast(self, *shapes: tuple[Any, ...], rule: str = "") -> tuple[Any, ...]:
        result = []
        for k in range(1, max(map(len, shapes), default=0) + 1):
            column = [shape[-k] for shape in shapes if k <= len(shape)]
            wide = [n for n in column if as_int(node(n)) != 1]
            for n in wide[1:]:
                self.assume(n == wide[0])
            result.append(wide[0] if wide else column[0])
        return tuple(reversed(result))

    def assume(self, condition: Any) -> None:
        """A premise of what is written down, to be proved by whoever relies on it."""
        if condition is not True and node(condition) not in self.program.premises:
            self.program.premises.append(node(condition))

    def dim(self, e: PrimExpr) -> Ix:
        if as_int(e) is None:
            raise Unfit(f"an extent that only a run knows: {e}")
        return Ix(e)

    def told(self, x: Symbolic, position: int, axis: int) -> bool:
        return as_int(node(x.dims[axis])) is not None

    def taken(self, condition: Any, guess: bool) -> bool:
        known = as_int(node(condition))
        if known is None:
            self.assume(condition if guess else Ix(Not(node(condition))))
        return guess if known is None else bool(known)

    def stretches(self, n: Any, wide: Any, rule: str, message: str = "") -> bool:
        if as_int(node(n)) == 1:
            return True
        agree = n == wide
        if agree is False:
            self.require(False, rule, message)
        else:
            self.assume(agree)
        return False

    def spread(self, x: Symbolic, dims: Sequence[Any]) -> Symbolic:
        lead = len(dims) - x.ndim
        if not lead and all(node(a) == node(b) for a, b in zip(x.dims, dims, strict=True)):
            return x
        return self.along(x, range(lead, len(dims)), dims)

    def flat(self, x: Symbolic) -> Symbolic:
        return self.reshaped(x, (self.product(x.dims),))

    def reshaped(self, x: Symbolic, dims: Sequence[Any]) -> Symbolic:
        found = runs([node(n) for n in x.dims], [node(n) for n in dims])

        def at(i: Sequence[Any]) -> list[Any]:
            inner: list[Any] = [0] * x.ndim
            for left, right in found:
                position = i[right[0]] if right else 0
                for k in right[1:]:
                    position = position * dims[k] + i[k]
                for k, p in zip(left, self.digits(position, [x.dims[k] for k in left]), strict=True):
                    inner[k] = p
            return inner

        if all(len(left) < 2 and len(right) < 2 for left, right in found):  # axes of extent 1 come and go
            return self.seen(x, dims, at)
        return self.tensor(dims, x.dtype, lambda *i: x[at(i)])

    def digits(self, position: Any, dims: Sequence[Any]) -> list[Any]:
        """The index of a row-major position."""
        found: list[Any] = []
        for k, n in enumerate(dims):
            whole = position // self.product(dims[k + 1 :])
            found.append(whole % n if k else whole)
        return found

    def seen(self, x: Symbolic, dims: Sequence[Any], at: View) -> Symbolic:
        """An array seen at extents ``dims``, ``at`` of an index being its own."""
        view = at if x.view is None else lambda i, inner=x.view: inner(at(i))
        return Symbolic(self, x.array, tuple(Ix(node(n)) for n in dims), view)

    def moved(self, x: Symbolic, order: Sequence[int]) -> Symbolic:
        return self.seen(x, [x.dims[k] for k in order], lambda i: [i[order.index(k)] for k in range(x.ndim)])

    def along(self, x: Symbolic, axes: Sequence[int], dims: Sequence[Any]) -> Symbolic:
        single = [as_int(node(n)) == 1 for n in x.dims]
        return self.seen(x, dims, lambda i: [0 if one else i[k] for k, one in zip(axes, single, strict=True)])

    def strided(self, x: Symbolic, starts: Sequence[Any], steps: Sequence[Any], dims: Sequence[Any]) -> Symbolic:
        back = [as_int(node(s)) == -1 for s in steps]
        parts = list(zip(starts, steps, back, strict=True))
        return self.seen(
            x, dims, lambda i: [a - p if turn else a + p * s for p, (a, s, turn) in zip(i, parts, strict=True)]
        )

    def copy(self, x: Symbolic) -> Symbolic:
        return self.tensor(x.dims, x.dtype, lambda *i: x[i])

    def pieces(self, extents: Sequence[Any]) -> Callable[[Any, Callable[[int, Any], Any]], Any]:
        starts: list[Any] = [0]
        for n in extents[:-1]:
            starts.append(starts[-1] + n)

        def at(position: Any, body: Callable[[int, Any], Any]) -> Any:
            """Found by halves, so that each piece stands below few conditions."""

            def among(first: int, last: int) -> Any:
                if first == last:
                    return body(first, position - starts[first])
                middle = (first + last) // 2 + 1
                return self.choose(
                    position < starts[middle], lambda: among(first, middle - 1), lambda: among(middle, last)
                )

            if not extents:
                raise Unfit("a position among no pieces")
            return among(0, len(extents) - 1)

        return at

    # --- indices and conditions

    def choose(self, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        c = node(condition)
        if as_int(c) is not None:
            return then() if as_int(c) else other()
        a, b = then(), other()
        if isinstance(a, Ix | int) and isinstance(b, Ix | int):
            return Ix(Intrinsic("if_then_else", (c, node(a), node(b)), "int64"))
        return data.Choice(c, a, b)

    def pick(self, condition: Any, a: Any, b: Any) -> Any:
        return self.choose(condition, lambda: a, lambda: b)

    @staticmethod
    def least(a: Any, b: Any) -> Ix:
        x, y = as_int(node(a)), as_int(node(b))
        return Ix(node(min(x, y))) if x is not None and y is not None else Ix(Binary("Min", node(a), node(b)))

    @staticmethod
    def most(a: Any, b: Any) -> Ix:
        x, y = as_int(node(a)), as_int(node(b))
        return Ix(node(max(x, y))) if x is not None and y is not None else Ix(Binary("Max", node(a), node(b)))

    @staticmethod
    def every(conditions: Iterable[Any]) -> Any:
        found: PrimExpr = TRUE
        for c in map(node, conditions):
            if as_int(c) == 0:
                return False
            found = both(found, c) if as_int(c) is None else found
        return Ix(found)

    @staticmethod
    def some(conditions: Iterable[Any]) -> Any:
        found: PrimExpr | None = None
        for c in map(node, conditions):
            if as_int(c) == 1:
                return True
            if as_int(c) is None:
                found = c if found is None else Binary("Or", found, c)
        return False if found is None else Ix(found)

    @staticmethod
    def product(extents: Iterable[Any]) -> Any:
        result: Any = 1
        for n in extents:
            result = n * result if isinstance(n, Ix) else result * n
        return result

    def known(self, condition: Any) -> bool:
        """Whether a bound holds because the position is a variable that runs below that extent."""
        c = node(condition)
        if as_int(c) is not None:
            return bool(as_int(c))
        if not isinstance(c, Binary) or not isinstance(c.a, SymVar) or c.a.name not in self.extents:
            return False
        return (c.op == "GE" and as_int(c.b) == 0) or (c.op == "LT" and c.b == self.extents[c.a.name])

    def index_of(self, element: data.Element, dtype: str) -> Ix:
        if isinstance(element, data.Literal) and dtypes.is_integer(dtype):
            return Ix(node(element.value))
        if dtype == "uint64" or not dtypes.is_integer(dtype):
            raise Unfit(f"an index is an int64, which an element of {dtype} may not be")
        symbol = SymVar(f"?{len(self.program.opaque)}")
        self.program.opaque[symbol.name] = (element, dtype)
        return Ix(symbol)

    def with_index(
        self,
        dtype: str,
        index: data.Element,
        candidates: tuple[Any, Any],
        value: Callable[[Ix], data.Element],
        otherwise: data.Element | None = None,
        rule: str = "",
    ) -> data.Bound:
        symbol, (low, high) = self.variable("k"), map(node, candidates)
        return data.Bound(dtype, symbol, index, value(Ix(symbol)), low, high, otherwise, rule)

    def charge(self, count: int) -> None:
        """Nothing is computed here."""

    @staticmethod
    def value(expression: PrimExpr, names: Mapping[str, Any]) -> Ix:
        return Ix(substitute(expression, {name: node(each) for name, each in names.items()}))

    @staticmethod
    def highest(dims: Sequence[Any], index: Callable[..., Any]) -> NoReturn:
        raise Unfit("the greatest of some indices")

    @staticmethod
    def counted(index: Any, extent: Any) -> Any:
        return index

    @staticmethod
    def place(at: Sequence[Any], dims: Sequence[Any]) -> Any:
        position: Any = 0
        for p, n in zip(at, dims, strict=True):
            position = position * n + p
        return position

    def stored(self, at: Sequence[Any], dims: Sequence[Any], rule: str, nothing: Any = False) -> Any:
        margin: Any = 0  # no conjunction, of which what follows a false one is not looked at
        for p, n in zip(at, dims, strict=True):
            margin = self.least(margin, self.least(p, n - 1 - p))
        margin = self.most(margin, self.choose(nothing, lambda: 0, lambda: -1))
        return self.choose(margin >= 0, lambda: self.place(at, dims), lambda: self.ends(rule))

    # --- what is open

    def ends(self, rule: str, message: str = "") -> Ix:
        return self.index_of(data.OpenElement(rule), "int64")

    def require(self, condition: Any, rule: str, message: str = "") -> None:
        c = node(condition)
        if as_int(c) == 0:
            raise Unfit(f"always open: {rule}")
        if not as_int(c):
            self.program.steps.append(data.Requirement(c, rule))

    @staticmethod
    def poison(rule: str) -> data.OpenElement:
        return data.OpenElement(rule)


def written(text: Text, call: Call, *operands: tuple[Any, ...] | list[Any] | None) -> data.Program:
    """A text as data. An array is given as (name, extents, dtype), a scalar as (name, [1], dtype, expression), a shape
    or a tuple of scalars as the list of its extents; an extent is a number, a symbol's name, or an expression.

    Raises:
        Unfit: the text asks what only concrete extents can answer.
    """
    m = Terms()

    def taken(each: Any) -> Any:
        if isinstance(each, tuple):
            return m.operand(*each)
        return None if each is None else m.extents_of(each)

    found = text(m, call, *map(taken, operands))
    for each in found if isinstance(found, tuple) else (found,):
        m.program.outputs.append(defined_array(m, each))
    return m.program


def defined_array(m: Terms, x: Symbolic) -> data.Definition:
    """The definition that an array is; of an operand or a view, a copy."""
    if isinstance(x.array, data.Definition) and x.view is None:
        return x.array
    copy = m.copy(x).array
    assert isinstance(copy, data.Definition)
    return copy
