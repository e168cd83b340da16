"""Element terms as data: a table that is read from a record, its normal forms, and substitution.

Integers are the terms of certificates (``checker/terms.py``) with names in place of numbers, ``["sym", name]``, and
with elements, ``["elem", k]``: the integer that term number ``k`` is. They are exact. Two of them are the same if their
ring normal forms are; what is no ring operation is an atom over normal forms.

A *global* has one value in the whole record: the symbols of the entry. Every other name is a variable, bound by a
tensor, a reduction or the facts of a step. What a tensor is made of mentions its own variables and globals alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.terms import (
    BINARY,
    COMPARISONS,
    CONNECTIVES,
    MAX_DEPTH,
    Fuel,
    Rejected,
    dtype_range,
    expect,
    integer,
    shown,
)

Expr: TypeAlias = tuple[Any, ...]
"""An integer or truth over indices, as it was read: nested tuples."""

Node: TypeAlias = tuple[Any, ...]
"""``("int", dtype, e)``, ``("number", dtype, bits)``, ``("apply", op, dtype, attrs, args)``, ``("load", tensor, es)``,
``("choose", c, yes, no)``, ``("fold", op, start, axes, guard, body, free)``, ``("open",)``, ``("nothing", op, dtype)``;
operands are numbers of terms, axes ``((name, extent), …)``."""

Key: TypeAlias = Any
"""A normal form: equal keys, equal values."""

GROUPED = "grouped"
"""In place of whether a reduction is free: of the second program, in any order and grouping."""

FOLDS = ("Add", "Mul", "Max", "Min", "And", "Or")
MAX_WORK = 4_000_000
MAX_TERMS = 200_000


class Fact(NamedTuple):
    """For all integers that ``names`` stand for: where ``given`` holds, the element at ``indices`` is ``value``."""

    names: tuple[str, ...]
    given: tuple[Expr, ...]
    indices: tuple[Expr, ...]
    value: int


class Array:
    """``body`` at ``variables``, or what is given (``data``: the bits of its elements, row-major; ``poison``: elements
    may be poison; ``facts``: what is taken for granted of elements)."""

    __slots__ = ("body", "data", "dtype", "facts", "poison", "shape", "variables")

    def __init__(self, dtype: str, shape: tuple[Expr, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        self.variables: tuple[str, ...] = ()
        self.body: int | None = None
        self.data: tuple[int, ...] | None = None
        self.facts: tuple[Fact, ...] = ()
        self.poison = False


class Table:
    """The terms of a record, hash-consed; ``number`` gives those that rules make."""

    def __init__(self, globals_: Mapping[str, str]) -> None:
        self.globals = dict(globals_)
        self.nodes: list[Node] = []
        self.tensors: list[Array] = []
        self.fuel = Fuel(MAX_WORK)
        self.plain: list[bool] = []
        """Of each term, whether no *nothing* stands in it: that is an item of a reduction, or an arm of one."""
        self._numbers: dict[Node, int] = {}
        self._atoms: dict[Key, int] = {}
        self._dtypes: dict[int, str] = {}
        self._free: dict[int, frozenset[str]] = {}
        self._keys: dict[Any, Key] = {}

    # --- reading

    def read(self, rows: Any) -> None:
        """Takes in the table of a record: what a row is made of comes before it."""
        expect(isinstance(rows, list) and len(rows) <= MAX_TERMS, f"a table of at most {MAX_TERMS} rows", rows)
        for row in rows:
            if isinstance(row, dict):
                self.take_tensor(row)
                continue
            node = self.node(row)
            expect(node not in self._numbers, "a new term", row)
            self.number(node)

    def take_tensor(self, row: Any) -> None:
        """Takes in a tensor, after those before."""
        match row:
            case {"dtype": str() as dtype, "shape": [*shape], **rest}:
                new = Array(dtype, tuple(self.integer(e) for e in shape))
            case _:
                raise Rejected(f"expected a tensor, found {shown(row)}")
        match rest:
            case {"body": body, "variables": [*names], **none} if not none:
                new.body, new.variables = self.element(body), self.variables(names, len(shape))
                expect(self.dtype(new.body) in (dtype, ""), f"a body of {dtype}", self.dtype(new.body))
            case {"data": [*data], **none} if not none:
                new.data = tuple(map(integer, data))
            case {"facts": [_, *_] as facts, **other} if not other or other == {"poison": True}:
                new.poison = bool(other)
                new.facts = tuple(self.fact(each, new) for each in facts)
            case {"poison": True, **none} if not none:
                new.poison = True
            case _:
                expect(not rest, "a tensor: body and variables, data, poison, facts, or nothing", row)
        own = set(new.variables)
        used = frozenset[str]().union(*(self.mentions(e) for e in new.shape))
        expect(used <= self.globals.keys(), "a shape over globals", sorted(used - self.globals.keys()))
        if new.body is not None:
            more = self.free(new.body) - own - self.globals.keys()
            expect(not more, "a body over its variables and globals", sorted(more))
        self.tensors.append(new)

    def fact(self, row: Any, of: Array) -> Fact:
        """A fact of a tensor that is given: over its own names and globals, a literal of the tensor's dtype."""
        match row:
            case [[*names], [*given], [*indices], value]:
                own = self.variables(names, len(names))
                found = Fact(own, tuple(map(self.truth, given)), tuple(map(self.integer, indices)), self.element(value))
            case _:
                raise Rejected(f"expected a fact, found {shown(row)}")
        expect(len(found.indices) == len(of.shape), "an index for each axis", row)
        used = frozenset[str]().union(*(self.mentions(e) for e in (*found.given, *found.indices)))
        expect(used <= self.globals.keys() | set(own), "a fact over its names and globals", sorted(used - set(own)))
        match self.nodes[found.value]:
            case ("number", dtype, _) | ("int", dtype, ("const", _)) if dtype == of.dtype:
                return found
        raise Rejected(f"expected a literal of {of.dtype}, found {shown(self.nodes[found.value])}")

    def variables(self, names: Any, count: int) -> tuple[str, ...]:
        """``count`` different variables."""
        good = isinstance(names, list) and all(isinstance(each, str) for each in names)
        expect(good and len(set(names)) == len(names) == count, f"{count} variables", names)
        expect(not self.globals.keys() & set(names), "variables that are no globals", names)
        return tuple(names)

    def term(self, number: Any) -> int:
        expect(type(number) is int and 0 <= number < len(self.nodes), "the number of an earlier term", number)
        return int(number)

    def element(self, number: Any) -> int:
        """A term that is an element, wherever it stands."""
        expect(self.plain[self.term(number)], "an element", number)
        return int(number)

    def tensor(self, number: Any) -> int:
        expect(type(number) is int and 0 <= number < len(self.tensors), "the number of an earlier tensor", number)
        return int(number)

    def node(self, row: Any) -> Node:
        """A term that was read."""
        self.fuel.spend()
        match row:
            case ["int", str() as dtype, e]:
                if dtype == "bool":
                    return ("int", dtype, self.truth(e))
                low, high = dtype_range(dtype)
                read = self.integer(e)
                expect(read[0] != "const" or low <= read[1] <= high, f"a number of {dtype}", e)
                return ("int", dtype, read)
            case ["number", str() as dtype, bits]:
                expect(integer(bits) >= 0, "bits", bits)
                return ("number", dtype, bits)
            case ["apply", str() as op, str() as dtype, str() as attrs, [*args]]:
                return ("apply", op, dtype, attrs, tuple(map(self.element, args)))
            case ["load", tensor, [*indices]]:
                found = self.tensor(tensor)
                expect(len(indices) == len(self.tensors[found].shape), "an index for each axis", row)
                return ("load", found, tuple(map(self.integer, indices)))
            case ["choose", c, yes, no]:
                expect(self.dtype(self.element(c)) == "bool", "a truth as condition", row)
                one, other = self.dtype(self.term(yes)), self.dtype(self.term(no))
                expect(one == other or "" in (one, other), "arms of one dtype", row)
                return ("choose", c, yes, no)
            case ["fold", str() as op, start, [*axes], guard, body, (bool() | "grouped") as free]:
                expect(op in FOLDS and len(axes) > 0, "a reduction", row)
                expect(all(isinstance(each, list) and len(each) == 2 for each in axes), "axes", axes)
                names = self.variables([name for name, _ in axes], len(axes))
                extents = [self.integer(extent) for _, extent in axes]
                for place, extent in enumerate(extents):
                    expect(not self.mentions(extent) & set(names[place:]), "extents over earlier axes", row)
                test = None if guard is None else self.truth(guard)
                start_dtype = self.dtype(self.element(start))
                expect(start_dtype in (self.dtype(self.element(body)), ""), "a start of its dtype", row)
                return ("fold", op, start, tuple(zip(names, extents, strict=True)), test, body, free)
            case ["open"]:
                return ("open",)
            case ["nothing", str() as op, str() as dtype]:
                expect(op in ("", *FOLDS), "an operation", op)
                return ("nothing", op, dtype)
        raise Rejected(f"expected a term, found {shown(row)}")

    # --- integers as data

    def integer(self, e: Any, depth: int = MAX_DEPTH) -> Expr:
        """An integer that was read: a term of its sort."""
        self.fuel.spend()
        expect(depth > 0, f"at most {MAX_DEPTH} levels", "more")
        match e:
            case ["const", value]:
                return ("const", integer(value))
            case ["sym", str() as name]:
                expect(self.globals.get(name, "int") == "int", "an integer symbol", e)
                return ("sym", name)
            case ["elem", number]:
                dtype_range(self.dtype(self.element(number)))
                return ("elem", number)
            case ["wrap", str() as dtype, a]:
                dtype_range(dtype)
                return ("wrap", dtype, self.integer(a, depth - 1))
            case ["abs" | "not" as op, a]:
                return (op, self.integer(a, depth - 1))
            case ["select", c, a, b]:
                return ("select", self.truth(c, depth - 1), self.integer(a, depth - 1), self.integer(b, depth - 1))
            case [str() as op, a, b] if op in BINARY:
                return (op, self.integer(a, depth - 1), self.integer(b, depth - 1))
        raise Rejected(f"expected an integer, found {shown(e)}")

    def truth(self, e: Any, depth: int = MAX_DEPTH) -> Expr:
        """A truth that was read."""
        self.fuel.spend()
        expect(depth > 0, f"at most {MAX_DEPTH} levels", "more")
        match e:
            case ["true"] | ["false"]:
                return (e[0],)
            case ["sym", str() as name]:
                expect(self.globals.get(name) == "bool", "a truth", e)
                return ("sym", name)
            case ["elem", number]:
                expect(self.dtype(self.element(number)) == "bool", "an element that is a truth", e)
                return ("elem", number)
            case ["not", a]:
                return ("not", self.truth(a, depth - 1))
            case ["select", c, a, b]:
                return ("select", *(self.truth(each, depth - 1) for each in (c, a, b)))
            case [str() as op, a, b] if op in COMPARISONS:
                return (op, self.integer(a, depth - 1), self.integer(b, depth - 1))
            case [str() as op, a, b] if op in CONNECTIVES:
                return (op, self.truth(a, depth - 1), self.truth(b, depth - 1))
        raise Rejected(f"expected a truth, found {shown(e)}")

    # --- what terms are

    def number(self, node: Node) -> int:
        """The number of a term that a rule makes."""
        self.fuel.spend()
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self._dtypes[found] = self._dtype(node)
            arms = node[2:] if node[0] == "choose" else ()
            self.plain.append(node[0] != "nothing" and GROUPED not in node[6:] and all(self.plain[arm] for arm in arms))
        return found

    def dtype(self, t: int) -> str:
        return self._dtypes[t]

    def _dtype(self, node: Node) -> str:
        match node:
            case ("int" | "number", dtype, _) | ("apply", _, dtype, _, _) | ("nothing", _, dtype):
                return str(dtype)
            case ("load", tensor, _):
                return self.tensors[tensor].dtype
            case ("choose", _, yes, no):
                return self.dtype(yes) or self.dtype(no)
            case ("fold", _, _, _, _, body, _):
                return self.dtype(body)
        return ""

    def free(self, t: int) -> frozenset[str]:
        """Names in a term that nothing in it binds; what tensors are made of has none but globals."""
        found = self._free.get(t)
        if found is None:
            self.fuel.spend()
            found = self._free[t] = self._names(self.nodes[t])
        return found

    def _names(self, node: Node) -> frozenset[str]:
        none = frozenset[str]()
        match node:
            case ("int", _, e):
                return self.mentions(e)
            case ("apply", _, _, _, args):
                return none.union(*map(self.free, args))
            case ("load", _, indices):
                return none.union(*map(self.mentions, indices))
            case ("choose", *parts):
                return none.union(*map(self.free, parts))
            case ("fold", _, start, axes, guard, body, _):
                found, bound = set(self.free(start)), set[str]()
                for name, extent in axes:
                    found |= self.mentions(extent) - bound
                    bound.add(name)
                inside = self.free(body) | (none if guard is None else self.mentions(guard))
                return frozenset(found | (inside - bound))
        return none

    def mentions(self, e: Expr) -> frozenset[str]:
        match e:
            case ("sym", name):
                return frozenset({name})
            case ("elem", t):
                return self.free(t)
        return frozenset[str]().union(*(self.mentions(part) for part in e[1:] if isinstance(part, tuple)))

    def sized(self, t: int) -> bool:
        """Whether an integer element is, wherever it has a value, a number of its dtype: one that is given, or comes of
        an operation or a reduction. What is computed of indices is exact, and may be none."""
        match self.nodes[t]:
            case ("apply" | "fold", *_):
                return True
            case ("load", tensor, _):
                body = self.tensors[tensor].body
                return body is None or self.sized(body)
            case ("choose", _, yes, no):
                return self.sized(yes) and self.sized(no)
        return False

    # --- substitution

    def replaced(self, t: int, by: Mapping[str, Expr]) -> int:
        """``t`` with variables replaced; a reduction's variable that a replacement mentions gets another name."""
        return _Substitution(self, by).term(t)

    def placed(self, e: Expr, by: Mapping[str, Expr]) -> Expr:
        """An integer or truth with variables replaced."""
        return _Substitution(self, by).expr(e)

    # --- normal forms

    def key(self, t: int, bound: Mapping[str, int] | None = None) -> Key:
        """The normal form of a term: the same for the same element, whatever its reductions call their variables."""
        bound = bound or {}
        at = (t, depth(bound), *sorted((name, bound[name]) for name in self.free(t) if name in bound))
        if at not in self._keys:
            self.fuel.spend()
            self._keys[at] = self._key(self.nodes[t], bound)
        return self._keys[at]

    def _key(self, node: Node, bound: Mapping[str, int]) -> Key:
        match node:
            case ("int", dtype, e):
                return ("int", dtype, self.truth_key(e, bound) if dtype == "bool" else self.integer_key(e, bound))
            case ("apply", op, dtype, attrs, args):
                return ("apply", op, dtype, attrs, tuple(self.key(each, bound) for each in args))
            case ("load", tensor, indices):
                return ("load", tensor, tuple(self.integer_key(e, bound) for e in indices))
            case ("choose", *parts):
                return ("choose", *(self.key(each, bound) for each in parts))
            case ("fold", op, start, axes, guard, body, free):
                inside, extents = dict(bound), []
                for name, extent in axes:
                    extents.append(self.integer_key(extent, inside))
                    inside[name] = depth(inside)
                test = None if guard is None else self.truth_key(guard, inside)
                return ("fold", op, self.key(start, bound), tuple(extents), test, self.key(body, inside), free)
        return node

    def integer_key(self, e: Expr, bound: Mapping[str, int] | None = None) -> Key:
        return tuple(sorted(self.poly(e, bound or {}).terms.items()))

    def atom(self, key: Key) -> Poly:
        return Poly.atom(self._atoms.setdefault(key, len(self._atoms)))

    def poly(self, e: Expr, bound: Mapping[str, int]) -> Poly:
        """The ring normal form of an integer."""
        self.fuel.spend()
        match e:
            case ("const", value):
                return Poly.of(value)
            case ("sym", name):
                return self.atom(("bound", bound[name]) if name in bound else ("sym", name))
            case ("elem", t):
                return self.atom(("elem", self.key(t, bound)))
            case ("add", a, b):
                return self.poly(a, bound) + self.poly(b, bound)
            case ("sub", a, b):
                return self.poly(a, bound) - self.poly(b, bound)
            case ("mul", a, b):
                return self.poly(a, bound).times(self.poly(b, bound), self.fuel)
            case ("wrap", dtype, a):
                return self.atom(("wrap", dtype, self.integer_key(a, bound)))
            case ("select", c, a, b):
                parts = self.truth_key(c, bound), self.integer_key(a, bound), self.integer_key(b, bound)
                return self.atom(("select", *parts))
            case (op, *args):
                return self.atom((op, *(self.integer_key(each, bound) for each in args)))
        raise Rejected(f"expected an integer, found {shown(e)}")

    def truth_key(self, e: Expr, bound: Mapping[str, int] | None = None) -> Key:
        """The normal form of a truth: orders are ``p >= 0``, negations pushed inwards."""
        bound = bound or {}
        match e:
            case ("true" | "false",):
                return e
            case ("sym", name):
                return ("is", ("bound", bound[name]) if name in bound else ("sym", name))
            case ("elem", t):
                return ("is", ("elem", self.key(t, bound)))
            case ("not", a):
                return negated(self.truth_key(a, bound))
            case ("lt" | "le" | "gt" | "ge" | "eq" | "ne" as op, a, b):
                return ordered(op, self.poly(a, bound), self.poly(b, bound))
            case ("and" | "or" as op, a, b):
                return (op, self.truth_key(a, bound), self.truth_key(b, bound))
            case ("implies", a, b):
                return ("or", negated(self.truth_key(a, bound)), self.truth_key(b, bound))
            case ("iff" | "select" as op, *args):
                return (op, *(self.truth_key(each, bound) for each in args))
        raise Rejected(f"expected a truth, found {shown(e)}")


def depth(bound: Mapping[str, int]) -> int:
    """The number of the next variable that is bound."""
    return max(bound.values(), default=-1) + 1


def ordered(op: str, a: Poly, b: Poly) -> Key:
    """A comparison as ``("ge", p)``, ``("eq", p)``, ``("ne", p)`` or a constant."""
    match op:
        case "lt":
            p = b - a - 1
        case "le":
            p = b - a
        case "gt":
            p = a - b - 1
        case _:
            p = a - b
    value = p.constant()
    if op in ("eq", "ne"):
        if value is not None:
            return ("true",) if (value == 0) is (op == "eq") else ("false",)
        rows = sorted(p.terms.items())
        return (op, tuple(rows) if rows[-1][1] > 0 else tuple((mono, -c) for mono, c in rows))
    if value is not None:
        return ("true",) if value >= 0 else ("false",)
    return ("ge", tuple(sorted(p.terms.items())))


def negated(key: Key) -> Key:
    """The normal form of ``not``."""
    match key:
        case ("true",):
            return ("false",)
        case ("false",):
            return ("true",)
        case ("ge", rows):
            return ordered("ge", -Poly(dict(rows)) - 1, Poly.of(0))
        case ("eq", rows):
            return ("ne", rows)
        case ("ne", rows):
            return ("eq", rows)
        case ("and", a, b):
            return ("or", negated(a), negated(b))
        case ("or", a, b):
            return ("and", negated(a), negated(b))
        case ("not", a):
            return a
    return ("not", key)


def conjuncts(key: Key) -> list[Key]:
    """The parts of a conjunction."""
    return [*conjuncts(key[1]), *conjuncts(key[2])] if key[0] == "and" else [key]


class _Substitution:
    def __init__(self, table: Table, by: Mapping[str, Expr]) -> None:
        self.table = table
        self.by = dict(by)
        self.arriving = frozenset[str]().union(*map(table.mentions, by.values()))
        self.done: dict[int, int] = {}

    def expr(self, e: Expr) -> Expr:
        self.table.fuel.spend()
        match e:
            case ("sym", name):
                return self.by.get(name, e)
            case ("elem", t):
                return ("elem", self.term(t))
        return tuple(self.expr(part) if isinstance(part, tuple) else part for part in e)

    def term(self, t: int) -> int:
        if not self.table.free(t) & self.by.keys():
            return t
        if t not in self.done:
            self.done[t] = self.table.number(self.node(self.table.nodes[t]))
        return self.done[t]

    def node(self, node: Node) -> Node:
        match node:
            case ("int", dtype, e):
                return ("int", dtype, self.expr(e))
            case ("apply", op, dtype, attrs, args):
                return ("apply", op, dtype, attrs, tuple(map(self.term, args)))
            case ("load", tensor, indices):
                return ("load", tensor, tuple(map(self.expr, indices)))
            case ("choose", *parts):
                return ("choose", *map(self.term, parts))
            case ("fold", op, start, axes, guard, body, free):
                return self.fold(op, start, axes, guard, body, free)
        return node

    def fold(
        self, op: str, start: int, axes: Sequence[tuple[str, Expr]], guard: Expr | None, body: int, free: bool
    ) -> Node:
        taken = self.arriving | self.by.keys() | self.table.free(body) | self.table.globals.keys()
        taken |= {name for name, _ in axes}.union(*(self.table.mentions(extent) for _, extent in axes))
        taken |= set() if guard is None else self.table.mentions(guard)
        inner = {name: e for name, e in self.by.items() if name not in dict(axes)}
        new: list[tuple[str, Expr]] = []
        scope = dict(self.by)
        for name, extent in axes:
            extent = _Substitution(self.table, scope).expr(extent)
            other = name
            if name in self.arriving:
                other = another(name, taken)
                taken |= {other}
                inner[name] = ("sym", other)
            scope = {
                **{n: e for n, e in scope.items() if n != name},
                **({name: ("sym", other)} if other != name else {}),
            }
            new.append((other, extent))
        inside = _Substitution(self.table, inner)
        test = None if guard is None else inside.expr(guard)
        return ("fold", op, self.term(start), tuple(new), test, inside.term(body), free)


def another(name: str, taken: frozenset[str] | set[str]) -> str:
    """A name like ``name`` that is not taken."""
    count = 0
    while (found := f"{name}'{count}") in taken:
        count += 1
    return found


__all__ = ["GROUPED", "Expr", "Key", "Node", "Table", "Array", "another", "conjuncts", "negated", "ordered"]
