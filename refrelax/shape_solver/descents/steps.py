"""The rules of a recorded descent: a step says that one term may stand for another under what is known.

Each step names earlier steps as premises, the integer claims that it needs, and nothing else: what it says follows or
it is rejected. A step holds for all values of the variables in it.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-steps``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.terms import Rejected, expect, shown
from refrelax.shape_solver.descents.by_points import constants
from refrelax.shape_solver.descents.by_words import words
from refrelax.shape_solver.descents.claims import Certificates, Known, Shown, assumed, domain
from refrelax.shape_solver.descents.formats import RELAXED, is_nan, neutral
from refrelax.shape_solver.descents.rewrites import Rewriting, is_integer, is_neutral
from refrelax.shape_solver.descents.terms import GROUPED, Expr, Key, Node, Table, conjuncts, negated
from refrelax.shape_solver.descents.words import Settled, leaf

COMMUTES = frozenset({"Add", "Mul", "Max", "Min", "And", "Or", "EQ", "NE"})


@dataclass(frozen=True, slots=True)
class Inference:
    """For all values of the variables, where ``known`` holds, ``second`` may stand for ``first``."""

    known: Known
    first: int
    second: int


@dataclass(slots=True)
class Steps:
    """The steps of a record, checked one after the other."""

    table: Table
    base: Known
    certificates: Certificates
    contexts: list[Known] = field(default_factory=list)
    done: list[Inference] = field(default_factory=list)
    relaxations: set[str] = field(default_factory=set)

    def check(self, row: Any) -> None:
        """Takes in one step.

        Raises:
            Rejected: it does not follow.
        """
        match row:
            case {"rule": str() as rule, "first": first, "second": second, "under": under, **parts} if rule in RULES:
                step = Inference(self.context(under), self.table.term(first), self.table.term(second))
            case _:
                raise Rejected(f"expected a step, found {shown(row)}")
        rest: dict[str, Any] = {str(key): part for key, part in parts.items()}
        claims = rest.pop("claims", [])
        expect(isinstance(claims, list), "a list of claims", claims)
        one = _One(self, step, Shown(self.table, [self.certificates.instance(each) for each in claims]))
        RULES[rule](one, rest)
        expect(not rest, f"what {rule} is made of", sorted(rest))
        self.done.append(step)

    def context(self, number: Any) -> Known:
        known = type(number) is int and 0 <= number < len(self.contexts)
        expect(known, "the number of a context", number)
        return self.contexts[int(number)]


@dataclass(slots=True)
class _One:
    """One step under check."""

    steps: Steps
    step: Inference
    shown: Shown

    @property
    def table(self) -> Table:
        return self.steps.table

    @property
    def known(self) -> Known:
        return self.step.known

    @property
    def sides(self) -> tuple[int, int]:
        return self.step.first, self.step.second

    @property
    def nodes(self) -> tuple[Node, Node]:
        return self.table.nodes[self.step.first], self.table.nodes[self.step.second]

    def premise(self, number: Any, first: int, second: int, known: Known) -> None:
        """That an earlier step says this, of no more than what is known here."""
        earlier = type(number) is int and 0 <= number < len(self.steps.done)
        expect(earlier, "the number of an earlier step", number)
        found = self.steps.done[number]
        more = found.known.facts - known.facts - self.steps.base.facts
        expect(not more, f"premise {number} under what is known", sorted(map(shown, more))[:4])
        for mine, theirs, which in ((first, found.first, "first"), (second, found.second, "second")):
            same = self.table.key(mine) == self.table.key(theirs)
            expect(
                same,
                f"premise {number} about the {which} term {shown(self.table.nodes[mine])}",
                self.table.nodes[theirs],
            )

    def premises(self, rest: dict[str, Any], count: int) -> list[Any]:
        found = rest.pop("premises", None)
        expect(isinstance(found, list) and len(found) == count, f"{count} premises", found)
        return list(found)

    # --- the rules

    def same(self, rest: dict[str, Any]) -> None:
        """They are the same term, or NaNs both."""
        if self.table.key(self.step.first) == self.table.key(self.step.second):
            return
        match self.nodes:
            case ("number", dtype, x), ("number", other, y):
                expect(dtype == other and is_nan(dtype, x) and is_nan(dtype, y), "the same number", self.nodes)
            case _:
                raise Rejected(f"expected the same term, found {shown(self.nodes)}")

    def open(self, rest: dict[str, Any]) -> None:
        """The first was never written."""
        expect(self.nodes[0] == ("open",), "an element that was never written", self.nodes[0])

    def absurd(self, rest: dict[str, Any]) -> None:
        """What is known never holds."""
        expect(self.shown.holds(("false",), self.step.known), "a contradiction", self.nodes)

    def integers(self, rest: dict[str, Any]) -> None:
        """Integers over indices are equal."""
        match self.nodes:
            case ("int", dtype, x), ("int", other, y) if dtype == other:
                self.shown.need(("iff" if dtype == "bool" else "eq", x, y), self.step.known)
            case _:
                raise Rejected(f"expected two integers of one dtype, found {shown(self.nodes)}")

    def load(self, rest: dict[str, Any]) -> None:
        """They load one tensor at equal indices."""
        match self.nodes:
            case ("load", tensor, indices), ("load", other, theirs) if tensor == other:
                self.indices(indices, theirs)
            case _:
                raise Rejected(f"expected loads of one tensor, found {shown(self.nodes)}")

    def indices(self, ours: Sequence[Expr], theirs: Sequence[Expr]) -> None:
        for a, b in zip(ours, theirs, strict=True):
            self.shown.equal(a, b, self.step.known)

    def tensors(self, rest: dict[str, Any]) -> None:
        """They load, at equal indices, two tensors whose elements at new indices in bounds are so in their turn."""
        (premise,), names = self.premises(rest, 1), rest.pop("variables", None)
        match self.nodes:
            case ("load", one, indices), ("load", two, theirs) if len(indices) == len(theirs):
                self.indices(indices, theirs)
            case _:
                raise Rejected(f"expected loads at one number of indices, found {shown(self.nodes)}")
        self.everywhere(one, two, names, premise)

    def everywhere(self, one: int, two: int, names: Any, premise: Any) -> None:
        """That each element of ``two`` in bounds of ``one`` may stand for that of ``one``."""
        shape = self.table.tensors[one].shape
        new = self.table.variables(names, len(shape))
        known = self.steps.base
        for name, extent in zip(new, shape, strict=True):
            known = assumed(self.table, known, domain(name, extent))
        at = tuple(("sym", name) for name in new)
        ours, theirs = (self.table.number(("load", tensor, at)) for tensor in (one, two))
        self.premise(premise, ours, theirs, known)

    def operation(self, rest: dict[str, Any]) -> None:
        """One operation, on operands that may stand for one another, of some operations in either order."""
        match self.nodes:
            case ("apply", op, dtype, attrs, args), ("apply", *head, theirs) if head == [op, dtype, attrs]:
                expect(len(args) == len(theirs), "as many operands", self.nodes)
            case _:
                raise Rejected(f"expected one operation, found {shown(self.nodes)}")
        turned = rest.pop("turned", False)
        expect(
            turned is False or (turned is True and op in COMMUTES and len(args) == 2), "an operation that commutes", op
        )
        pairs = list(zip(args, theirs[::-1] if turned else theirs, strict=True))
        for number, (x, y) in zip(self.premises(rest, len(pairs)), pairs, strict=True):
            expect(self.table.dtype(x) == self.table.dtype(y), "operands of one dtype", (x, y))
            self.premise(number, x, y, self.step.known)

    def cases(self, rest: dict[str, Any]) -> None:
        """So it is where a comparison in a condition at the head of either holds, and where it does not."""
        yes, no = self.premises(rest, 2)
        on = self.table.truth(rest.pop("on", None))
        key = self.table.truth_key(on)
        parts = [part for node in self.nodes for part in self.comparisons(node)]
        expect(key in parts or negated(key) in parts, "a comparison in a condition at a head", on)
        for number, fact in ((yes, on), (no, ("not", on))):
            known = assumed(self.table, self.step.known, [fact])
            self.premise(number, self.step.first, self.step.second, known)

    def supposed(self, rest: dict[str, Any]) -> None:
        """So it is where a truth that is data holds, and where it does not: one that is never poison, or the condition
        of the first element, which then is poison as well."""
        yes, no = self.premises(rest, 2)
        t, node = leaf(self.table, rest.pop("on", None)), self.nodes[0]
        expect(self.table.dtype(t) == "bool", "a truth", self.table.nodes[t])
        expect(Settled(self.table)(t), "a truth that is one value", self.table.nodes[t])
        own = node[0] == "choose" and self.table.key(node[1]) == self.table.key(t)
        expect(own or self.never(t, self.step.known), "a truth that is never poison", self.table.nodes[t])
        for number, fact in ((yes, ("elem", t)), (no, ("not", ("elem", t)))):
            known = assumed(self.table, self.step.known, [fact])
            self.premise(number, self.step.first, self.step.second, known)

    def comparisons(self, node: Node) -> list[Key]:
        match node:
            case ("choose", c, _, _) if self.table.nodes[c][0] == "int":
                return parts_of(self.table.truth_key(self.table.nodes[c][2]))
        return []

    def choice(self, rest: dict[str, Any]) -> None:
        """Two choices: the conditions and the arms, one by one."""
        match self.nodes:
            case ("choose", *ours), ("choose", *theirs):
                pairs = list(zip(ours, theirs, strict=True))
            case _:
                raise Rejected(f"expected two choices, found {shown(self.nodes)}")
        known = [self.step.known] * 3
        match self.table.nodes[ours[0]], self.table.nodes[theirs[0]]:
            case ("int", _, e), ("int", *_):
                known = [known[0], *(assumed(self.table, known[0], [fact]) for fact in (e, ("not", e)))]
        for number, (x, y), under in zip(self.premises(rest, 3), pairs, known, strict=True):
            self.premise(number, x, y, under)

    def either(self, rest: dict[str, Any]) -> None:
        """A choice of the first program by data: the second term may stand for both arms."""
        match self.nodes[0]:
            case ("choose", _, yes, no):
                pairs = (yes, no)
            case node:
                raise Rejected(f"expected a choice, found {shown(node)}")
        for number, arm in zip(self.premises(rest, 2), pairs, strict=True):
            self.premise(number, arm, self.step.second, self.step.known)

    def chosen(self, rest: dict[str, Any]) -> None:
        """A choice of the second program by data that is never poison: both arms may stand for the first term."""
        match self.nodes[1]:
            case ("choose", c, yes, no):
                expect(self.never(c, self.step.known), "a condition that is never poison", self.table.nodes[c])
            case node:
                raise Rejected(f"expected a choice, found {shown(node)}")
        for number, arm in zip(self.premises(rest, 2), (yes, no), strict=True):
            self.premise(number, self.step.first, arm, self.step.known)

    def never(self, t: int, known: Known) -> bool:
        """Whether an element is never poison, where ``known`` holds."""
        return Rewriting(self.table, self.shown, True, set()).never(t, known)

    def nothing(self, rest: dict[str, Any]) -> None:
        """No item on one side is, on the other, none or what combines as nothing."""
        for one, other in (self.nodes, self.nodes[::-1]):
            match one, other:
                case ("nothing", op, _), ("nothing", *_):
                    return
                case ("nothing", op, _), ("number", dtype, bits) if bits in neutral(op, dtype):
                    return
                case ("nothing", op, _), ("int", *_) if is_neutral(self.table, op, self.table.number(other)):
                    return
        raise Rejected(f"expected what combines as nothing, found {shown(self.nodes)}")

    def rewrite(self, rest: dict[str, Any]) -> None:
        """What a term of either side is by a rule of ``rewrites``."""
        (premise,), which, how = self.premises(rest, 1), rest.pop("side", None), rest.pop("by", None)
        expect(which in ("first", "second") and isinstance(how, list), "a side and a rule", (which, how))
        second = which == "second"
        rewriting = Rewriting(self.table, self.shown, second, self.steps.relaxations)
        new = rewriting.of(self.step.second if second else self.step.first, how, self.step.known)
        sides = (self.step.first, new) if second else (new, self.step.second)
        self.premise(premise, *sides, self.step.known)

    # --- reductions

    def fold(self, rest: dict[str, Any]) -> None:
        """The same reduction, item by item: axis by axis, in some order of the second one's."""
        names = rest.pop("variables", None)
        ours, theirs = self.reductions()
        item = self.started(rest, ours, theirs)
        order = self.order(rest.pop("order", None), theirs[3])
        axes = [theirs[3][k] for k in order]
        expect(len(axes) == len(ours[3]), "as many axes", self.nodes)
        backwards = rest.pop("backwards", [])
        good = isinstance(backwards, list) and all(type(k) is int and 0 <= k < len(axes) for k in backwards)
        expect(good, "axes that are taken backwards", backwards)
        if order != sorted(order) or backwards:
            self.unordered(ours)
            self.independent(axes)
        new, known = self.fresh(names, len(axes)), self.step.known
        one: dict[str, Expr] = {}
        two: dict[str, Expr] = {}
        for k, (name, (v, extent), (w, other)) in enumerate(zip(new, ours[3], axes, strict=True)):
            extent, other = self.table.placed(extent, one), self.table.placed(other, two)
            self.shown.equal(extent, other, known)
            known = assumed(self.table, known, domain(name, extent))
            one[v] = two[w] = ("sym", name)
            if k in backwards:
                two[w] = ("sub", ("sub", other, ("const", 1)), ("sym", name))
        self.premise(item, self.item(ours, one, None), self.item(theirs, two, None), known)

    def flat(self, rest: dict[str, Any]) -> None:
        """The same reduction over one index, of which the axes are digits; beyond the shorter one nothing combines."""
        names = rest.pop("variables", None)
        shorter = rest.pop("shorter", "")
        ours, theirs = self.reductions()
        item = self.started(rest, ours, theirs)
        orders = rest.pop("order of first", None), rest.pop("order of second", None)
        a, b = ([f[3][k] for k in self.order(order, f[3])] for order, f in zip(orders, (ours, theirs), strict=True))
        if a != list(ours[3]) or b != list(theirs[3]):
            self.unordered(ours)
        self.independent(a)
        self.independent(b)
        for axes in (a, b):
            for _, extent in axes if len(axes) > 1 else ():
                self.shown.need(("ge", extent, ("const", 0)), self.step.known)
        (k,) = self.fresh(names, 1)
        (one, count), (two, other) = digits(k, a), digits(k, b)
        within: list[Expr | None] = [None, None]
        match shorter:
            case "":
                self.shown.equal(count, other, self.step.known)
            case "first":
                self.shown.need(("le", count, other), self.step.known)
                within[0], count = ("lt", ("sym", k), count), other
            case "second":
                self.shown.need(("le", other, count), self.step.known)
                within[1] = ("lt", ("sym", k), other)
            case _:
                raise Rejected(f"expected the side that is shorter, found {shown(shorter)}")
        known = assumed(self.table, self.step.known, domain(k, count))
        self.premise(item, self.item(ours, one, within[0]), self.item(theirs, two, within[1]), known)

    def reductions(self) -> tuple[Node, Node]:
        """Both reductions, of one operation and dtype; the second in an order that the first one permits."""
        ours, theirs = self.nodes
        expect(ours[0] == theirs[0] == "fold" and ours[1] == theirs[1], "reductions by one operation", self.nodes)
        one, two = self.table.dtype(self.step.first), self.table.dtype(self.step.second)
        expect(one == two, "reductions of one dtype", (one, two))
        if theirs[6] == GROUPED or (theirs[6] and ours[1] in ("Add", "Mul")):
            self.unordered(ours)
        return ours, theirs

    def started(self, rest: dict[str, Any], ours: Node, theirs: Node) -> Any:
        """The premise about the items, behind the one about the starts: there is none of starts that are the same under
        a relaxation."""
        relaxed = rest.pop("relaxed", None)
        if relaxed is None:
            start, item = self.premises(rest, 2)
            self.premise(start, ours[2], theirs[2], self.step.known)
            return item
        (item,) = self.premises(rest, 1)
        match self.table.nodes[ours[2]], self.table.nodes[theirs[2]]:
            case ("number", dtype, x), ("number", other, y) if dtype == other:
                starts = RELAXED.get((str(relaxed), str(ours[1])))
                same = starts is not None and {x, y} <= starts(ours[1], dtype)
                expect(same, f"starts that {shown(relaxed)} takes for the same", (x, y))
            case one, two:
                raise Rejected(f"expected two numbers, found {shown(one)} and {shown(two)}")
        self.steps.relaxations.add(str(relaxed))
        return item

    def unordered(self, ours: Node) -> None:
        """That the first program's reduction permits any order, or another one is a relaxation."""
        dtype = self.table.dtype(self.step.first)
        if not ours[6] and not is_integer(dtype):
            expect(ours[1] in ("Add", "Mul"), "a reduction that permits another order", ours)
            self.steps.relaxations.add("reassociation")

    def order(self, given: Any, axes: Sequence[Any]) -> list[int]:
        if given is None:
            return list(range(len(axes)))
        good = isinstance(given, list) and all(type(each) is int for each in given)
        expect(good and sorted(given) == list(range(len(axes))), "an order of the axes", given)
        return list(given)

    def independent(self, axes: Sequence[tuple[str, Expr]]) -> None:
        names = {name for name, _ in axes}
        used = frozenset[str]().union(*(self.table.mentions(extent) for _, extent in axes))
        expect(not used & names, "extents that depend on no axis", axes)

    def fresh(self, names: Any, count: int) -> tuple[str, ...]:
        """New variables: in neither term, and nothing is known of them."""
        new = self.table.variables(names, count)
        used = self.step.known.names | self.table.free(self.step.first) | self.table.free(self.step.second)
        expect(not used & set(new), "new variables", names)
        return new

    def item(self, fold: Node, by: dict[str, Expr], only: Expr | None) -> int:
        """The item at a point; where the point does not count, nothing."""
        _, op, start, _, guard, body, _ = fold
        item = self.table.replaced(body, by)
        tests = [each for each in (only, None if guard is None else self.table.placed(guard, by)) if each is not None]
        if not tests:
            return item
        condition = tests[0] if len(tests) == 1 else ("and", *tests)
        dtype = self.table.dtype(item)
        minus_zero = self.table.nodes[start][0] == "number" and self.table.nodes[start][2] != 0 and op == "Add"
        name = op if is_neutral(self.table, op, start) and not minus_zero else ""
        nothing = self.table.number(("nothing", name, dtype))
        return self.table.number(("choose", self.table.number(("int", "bool", condition)), item, nothing))


def digits(k: str, axes: Sequence[tuple[str, Expr]]) -> tuple[dict[str, Expr], Expr]:
    """Each axis as a digit of the flat index ``k``, and the number of points."""
    by: dict[str, Expr] = {}
    below: Expr | None = None
    for place, (name, extent) in reversed(list(enumerate(axes))):
        digit: Expr = ("sym", k) if below is None else ("floordiv", ("sym", k), below)
        by[name] = digit if place == 0 else ("floormod", digit, extent)
        below = extent if below is None else ("mul", extent, below)
    assert below is not None
    return by, below


def parts_of(key: Key) -> list[Key]:
    """The comparisons in a condition, and itself."""
    return [key, *(part for each in key[1:] for part in parts_of(each))] if key[0] in ("and", "or") else [key]


RULES = {
    "same": _One.same,
    "open": _One.open,
    "absurd": _One.absurd,
    "integers": _One.integers,
    "load": _One.load,
    "tensors": _One.tensors,
    "operation": _One.operation,
    "cases": _One.cases,
    "choice": _One.choice,
    "either": _One.either,
    "chosen": _One.chosen,
    "nothing": _One.nothing,
    "rewrite": _One.rewrite,
    "fold": _One.fold,
    "flat": _One.flat,
    "words": words,
    "constants": constants,
    "supposed": _One.supposed,
}

__all__ = ["RULES", "Inference", "Steps", "conjuncts"]
