"""Rules that replace a term on one side of a step, at its head or at a place inside.

The element of the first program permits at least what stands for it afterwards; the element of the second program is
permitted by what stands for it. What is poison in the first program permits anything, so its loads need no bounds.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-rewrites``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from refrelax.shape_solver.checker.terms import Rejected, expect, shown
from refrelax.shape_solver.descents.claims import Known, Shown, assumed, domain
from refrelax.shape_solver.descents.formats import FORMATS, constant, neutral, total
from refrelax.shape_solver.descents.laws import LAWS
from refrelax.shape_solver.descents.reductions import REDUCTIONS, vacuous
from refrelax.shape_solver.descents.terms import GROUPED, Expr, Node, Table, negated
from refrelax.shape_solver.descents.words import Settled, Words, leaf


@dataclass(slots=True)
class Rewriting:
    """``second``: whether it is the second program's term; ``relaxations``: those that a rule needed."""

    table: Table
    shown: Shown
    second: bool
    relaxations: set[str]

    def of(self, t: int, how: Any, known: Known) -> int:
        """What ``t`` is by one rule."""
        self.table.fuel.spend()
        node = self.table.nodes[t]
        match how, node:
            case ["unfold"], ("load", tensor, indices):
                return self.unfolded(tensor, indices, known)
            case ["constant"], ("load", tensor, indices):
                return self.constant(tensor, indices, known)
            case ["indices", [*new]], ("load", tensor, indices):
                read = tuple(map(self.table.integer, new))
                expect(len(read) == len(indices), "an index for each axis", how)
                for a, b in zip(indices, read, strict=True):
                    self.shown.equal(a, b, known)
                return self.table.number(("load", tensor, read))
            case ["fact", int() as k, [*values]], ("load", tensor, indices):
                return self.fact(tensor, indices, k, values, known)
            case ["arm", bool() as holds], ("choose", c, yes, no):
                condition = self.integral(c)
                self.shown.need(condition if holds else ("not", condition), known)
                return int(yes if holds else no)
            case ["told", bool() as holds, [*leaves]], ("choose", c, yes, no):
                self.told(c, holds, leaves, known)
                return int(yes if holds else no)
            case ["turn"], ("choose", c, yes, no):
                match self.table.nodes[c]:
                    case ("apply", "Not", "bool", _, (inner,)):
                        return self.table.number(("choose", inner, no, yes))
            case ["passed-over", 0 | 1 as k], ("apply", "Max" | "Min" as op, dtype, _, (x, y)) if not self.second:
                end, other = (x, y) if k == 0 else (y, x)
                if dtype in FORMATS and self.table.nodes[end][0] == "number":
                    expect(self.table.nodes[end][2] in neutral(op, dtype), "an infinity", self.table.nodes[end])
                    return int(other)
            case ["law", str() as name], _ if name in LAWS:
                found = LAWS[name](self.table, node)
                if found is not None:
                    return found
            case ["empty", int() as axis], ("fold", _, start, axes, _, _, _) if 0 <= axis < len(axes):
                expect(not self.table.mentions(axes[axis][1]) & {name for name, _ in axes}, "an extent of its own", how)
                self.shown.need(("le", axes[axis][1], ("const", 0)), known)
                return int(start)
            case ["idle", [*inside]], ("fold", *_):
                return self.idle(node, inside, known)
            case ["single"], ("fold", *_):
                return self.single(node, known)
            case ["merge", [*inside]], ("fold", *_):
                return self.merged(node, inside, known)
            case [str() as name, *rest], ("fold", *_) if name in REDUCTIONS:
                return REDUCTIONS[name](self, node, rest, known)
            case ["vacuous", *rest], ("choose", *_):
                return vacuous(self, node, rest, known)
            case [str() as place, *rest], _ if place in PLACES:
                return self.inside(node, place, rest, known)
        raise Rejected(f"expected a rule for {shown(node)}, found {shown(how)}")

    def told(self, c: int, holds: bool, leaves: list[Any], known: Known) -> None:
        """That a condition which is data holds, or does not, by what is known of its leaves; of the second program,
        that it is not poison either: of each leaf it is known whether it holds, or it is never poison."""
        table, settled = self.table, Settled(self.table)
        words = Words(table, {t: ("elem", t) for t in (leaf(table, each) for each in leaves)})
        claim = words.word(c, "bool")
        for t in words.met:
            expect(settled(t), "a leaf that is one value", table.nodes[t])
            key = table.truth_key(("elem", t)) if table.dtype(t) == "bool" else None
            decided = key is not None and bool({key, negated(key)} & known.facts)
            if self.second and not decided:
                expect(self.never(t, known), "a leaf that is known or never poison", table.nodes[t])
        self.shown.need(claim if holds else ("not", claim), known)

    def integral(self, c: int) -> Expr:
        """A condition over indices."""
        match self.table.nodes[c]:
            case ("int", "bool", e):
                return e  # type: ignore[no-any-return]
        raise Rejected(f"expected a condition over indices, found {shown(self.table.nodes[c])}")

    def in_bounds(self, tensor: int, indices: tuple[Expr, ...], known: Known) -> None:
        for index, extent in zip(indices, self.table.tensors[tensor].shape, strict=True):
            self.shown.need(("ge", index, ("const", 0)), known)
            self.shown.need(("lt", index, extent), known)

    def unfolded(self, tensor: int, indices: tuple[Expr, ...], known: Known) -> int:
        found = self.table.tensors[tensor]
        if found.body is None:
            raise Rejected(f"expected a tensor that is computed, found number {tensor}")
        if self.second:
            self.in_bounds(tensor, indices, known)
        return self.table.replaced(found.body, dict(zip(found.variables, indices, strict=True)))

    def constant(self, tensor: int, indices: tuple[Expr, ...], known: Known) -> int:
        found = self.table.tensors[tensor]
        expect(found.data is not None and len(set(found.data)) == 1, "a constant array of one number", tensor)
        expect(found.dtype in FORMATS, "floats", found.dtype)
        assert found.data is not None
        if self.second:
            self.in_bounds(tensor, indices, known)
        return self.table.number(("number", found.dtype, found.data[0]))

    def fact(self, tensor: int, indices: tuple[Expr, ...], k: int, values: list[Any], known: Known) -> int:
        """The number that an element is by a fact of its tensor, for these values of the fact's names."""
        facts = self.table.tensors[tensor].facts
        expect(type(k) is int and 0 <= k < len(facts), "the number of a fact", k)
        fact = facts[k]
        expect(len(values) == len(fact.names), "a value for each name", values)
        by = dict(zip(fact.names, map(self.table.integer, values), strict=True))
        for each in fact.given:
            self.shown.need(self.table.placed(each, by), known)
        for said, index in zip(fact.indices, indices, strict=True):
            self.shown.equal(self.table.placed(said, by), index, known)
        return fact.value

    def never(self, t: int, known: Known) -> bool:
        """Whether an element is never poison, where ``known`` holds."""
        table = self.table
        table.fuel.spend()
        match table.nodes[t]:
            case ("int" | "number", _, _):
                return True
            case ("apply", op, dtype, _, args):
                return total(op, dtype, list(map(table.dtype, args))) and all(self.never(x, known) for x in args)
            case ("load", tensor, indices):
                self.in_bounds(tensor, indices, known)
                found = table.tensors[tensor]
                if found.body is None:
                    return not found.poison
                return self.never(table.replaced(found.body, dict(zip(found.variables, indices, strict=True))), known)
            case ("choose", c, yes, no):
                arms = self.arm(c, True, known), self.arm(c, False, known)
                return all(self.never(x, under) for x, under in zip((c, yes, no), (known, *arms), strict=True))
            case ("fold", _, start, axes, guard, body, _):
                return self.never(start, known) and self.never(body, self.within(axes, guard, known))
        return False

    # --- places

    def inside(self, node: Node, place: str, rest: list[Any], known: Known) -> int:
        """A rule inside an operation, a choice or a reduction, under what is known there."""
        table = self.table
        match place, rest, node:
            case "operand", [int() as k, how], ("apply", op, dtype, attrs, args) if 0 <= k < len(args):
                new = self.of(args[k], how, known)
                return table.number(("apply", op, dtype, attrs, (*args[:k], new, *args[k + 1 :])))
            case "condition", [how], ("choose", c, yes, no):
                return table.number(("choose", self.of(c, how, known), yes, no))
            case "yes", [how], ("choose", c, yes, no):
                return table.number(("choose", c, self.of(yes, how, self.arm(c, True, known)), no))
            case "no", [how], ("choose", c, yes, no):
                return table.number(("choose", c, yes, self.of(no, how, self.arm(c, False, known))))
            case "start", [how], ("fold", op, start, axes, guard, body, free):
                return table.number(("fold", op, self.of(start, how, known), axes, guard, body, free))
            case "body", [how], ("fold", op, start, axes, guard, body, free):
                new = self.of(body, how, self.within(axes, guard, known))
                return table.number(("fold", op, start, axes, guard, new, free))
        raise Rejected(f"expected a place in {shown(node)}, found {shown([place, *rest])}")

    def arm(self, c: int, holds: bool, known: Known) -> Known:
        match self.table.nodes[c]:
            case ("int", "bool", e):
                return assumed(self.table, known, [e if holds else ("not", e)])
        return known

    def within(self, axes: tuple[tuple[str, Expr], ...], guard: Expr | None, known: Known) -> Known:
        """What is known of the items of a reduction, whose variables nothing else may speak of."""
        expect(not known.names & {name for name, _ in axes}, "variables of which nothing is known", axes)
        for name, extent in axes:
            known = assumed(self.table, known, domain(name, extent))
        return known if guard is None else assumed(self.table, known, [guard])

    # --- reductions

    def idle(self, node: Node, inside: list[Any], known: Known) -> int:
        """A reduction from what changes nothing, of which every item is that: its start."""
        _, op, start, axes, guard, body, _ = node
        below = self.within(axes, guard, known)
        for how in inside:
            body = self.of(body, how, below)
        for each in (start, body):
            expect(is_neutral(self.table, op, each), "what combines as nothing", self.table.nodes[each])
        minus_zero = op == "Add" and self.table.nodes[start][0] == "number" and self.table.nodes[start][2] != 0
        expect(not minus_zero, "a start that is no -0", self.table.nodes[start])
        return int(start)

    def single(self, node: Node, known: Known) -> int:
        """Without axes of one point; without any axis and guard, the start and the one item combined."""
        _, op, start, axes, guard, body, free = node
        gone: dict[str, Expr] = {}
        left: list[tuple[str, Expr]] = []
        for name, extent in axes:
            extent = self.table.placed(extent, gone)
            if self.table.integer_key(extent) == self.table.integer_key(("const", 1)):
                gone[name] = ("const", 0)
            else:
                left.append((name, extent))
        expect(bool(gone) and (bool(left) or guard is None), "an axis of one point", node)
        body = self.table.replaced(body, gone)
        if not left:
            return self.table.number(("apply", op, self.table.dtype(body), "", (start, body)))
        test = None if guard is None else self.table.placed(guard, gone)
        return self.table.number(("fold", op, start, tuple(left), test, body, free))

    def reassociated(self, op: str, dtype: str) -> None:
        """Another order or grouping: a relaxation of sums and products of floats; of integers it changes nothing."""
        if not is_integer(dtype):
            expect(op in ("Add", "Mul"), "a sum or a product", op)
            self.relaxations.add("reassociation")

    def merged(self, node: Node, inside: list[Any], known: Known) -> int:
        """A reduction of reductions from what changes nothing as one; of the second program then in any order."""
        table = self.table
        _, op, start, axes, guard, body, free = node
        expect(guard is None, "an outer reduction without a guard", node)
        below = self.within(axes, None, known)
        for how in inside:
            body = self.of(body, how, below)
        match table.nodes[body]:
            case ("fold", inner_op, inner_start, inner_axes, inner_guard, inner_body, _) if inner_op == op:
                pass
            case other:
                raise Rejected(f"expected a reduction of the same operation, found {shown(other)}")
        dtype = table.dtype(inner_body)
        expect(is_neutral(table, op, inner_start), "an inner start that changes nothing", table.nodes[inner_start])
        if op == "Add" and dtype in FORMATS:
            zero, outer = constant(dtype, "-0"), table.nodes[start]
            expect(table.nodes[inner_start][2] != zero, "an inner start of +0", table.nodes[inner_start])
            expect(outer[0] == "number" and outer[2] != zero, "an outer start that is no -0", outer)
        if not self.second:
            self.reassociated(op, dtype)
        new = ("fold", op, inner_start, inner_axes, inner_guard, inner_body)
        names = {name for name, _ in axes} & {name for name, _ in new[3]}
        expect(not names, "different variables", names)
        whole = ("fold", op, start, (*axes, *new[3]), new[4], new[5], GROUPED if self.second else free)
        return table.number(whole)


PLACES = ("operand", "condition", "yes", "no", "start", "body")


def is_integer(dtype: str) -> bool:
    """An integer dtype, or a truth: operations of reductions on these are associative and commute."""
    return dtype == "bool" or dtype.removeprefix("u").startswith("int")


def is_neutral(table: Table, op: str, t: int) -> bool:
    """Whether combining with a literal changes nothing (for a sum of floats: nothing that is no -0)."""
    match table.nodes[t]:
        case ("number", dtype, bits):
            return bits in neutral(op, dtype)
        case ("int", dtype, ("const", value)):
            least, most = ends(dtype)
            return bool(value == {"Add": 0, "Mul": 1, "Max": least, "Min": most}.get(op))
        case ("int", "bool", ("true" | "false" as value,)):
            return (op, value) in (("And", "true"), ("Or", "false"))
    return False


def ends(dtype: str) -> tuple[int | None, int | None]:
    """The least and the greatest integer of a dtype."""
    digits = dtype.removeprefix("u").removeprefix("int")
    if not digits.isdigit():
        return None, None
    width = int(digits)
    return (0, (1 << width) - 1) if dtype.startswith("u") else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
