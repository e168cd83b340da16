"""The only file that imports Z3: formulas in, ``unsat`` / a model / neither out.

A context of its own for every question and a limit in Z3's resource units, so that the answer is the same on every
machine. One of Z3's loops counts next to nothing: bounds of a product and of its factors raise each other where a
factor has none of its own (``x + y == z``, ``x * y == z``), and their lengths double each time, so that soon one
multiplication takes seconds, in which Z3 looks at no limit. Formulas with such a product are therefore asked with
``GLANCE`` units first, which a clock stops soon; then within a box, where no bound grows past ``BOX``, and what is
shown there counts only where Z3 did not use the box; and as they are if that is open, and nothing was seen to grow.
What else takes far longer than its units should is stopped by a clock as well, and the answer is then that nothing was
found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from math import inf
from operator import add, and_, eq, ge, gt, le, lshift, lt, mul, ne, or_, sub, xor
from threading import Event, Thread, get_ident
from time import clock_gettime, monotonic, pthread_getcpuclockid
from typing import Any

from refrelax.shape_solver.allowance import BUILT, FEWEST, KEPT, LOOP, SLOWEST, SPENT, Allowance
from refrelax.shape_solver.axioms import Node
from refrelax.spelled import decimal, of_decimal
from refrelax.syntax.dtypes import bits, kind
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, Not, PrimExpr, Select, SymVar, literal_int


class _OnFirstUse:
    """Stands for Z3 until something of it is asked for: loading it costs more than most commands."""

    def __getattr__(self, name: str) -> Any:
        import z3 as loaded

        global z3, _idle
        z3, _idle = loaded, loaded.Context()
        return getattr(z3, name)


z3: Any = _OnFirstUse()

_idle: Any = None
"""A context that nobody asks: while it is there, the memory of another that is done with (16 MB) stays with the
process. Without it each question gave that back and took it anew, page by page, four fifths of what most cost."""

AVAILABLE = find_spec("z3") is not None
"""Whether the solver extra is installed."""


STOPPED = "stopped by the clock: Z3 did not keep to its limit"
WITHIN = "no counterexample within 2**128"


GLANCE = 20_000
"""Units in which bounds that grow without end show, and most other questions end."""

GLANCED = 100
"""Milliseconds of processor time for these: ten times what they take where nothing grows. (A clock that stops later
pays several times over: the last step takes longer than all those before it.)"""

OVERRUN = 4
"""How many times longer than the clock says such a question may take: it is given so much less of what is left."""

BOX = 1 << 128
"""Beyond all that questions are about."""

MAX_WALL = 20
"""How many times longer than ``patience`` a question may take on a clock on the wall."""


def patience(resources: int) -> int:
    """Milliseconds of processor time after which a question counts as one that Z3 loops on: three times and more what
    its units took in the questions of ``benchmarks``. (Waiting longer costs more than the wait: the numbers grow, and
    Z3 looks up between operations on them.)"""
    return 250 + resources // SLOWEST


def solve(
    formulas: Sequence[Node],
    resources: int,
    booleans: frozenset[str] = frozenset(),
    tactic: str = "",
    until: float = inf,
    allowance: Allowance | None = None,
) -> str | dict[str, int]:
    """``"unsat"``, integers for the variables under which all formulas hold, or in words why neither: ``"open"``,
    ``WITHIN``, ``STOPPED``, ``SPENT``.

    ``tactic``: the logic whose strategy Z3 uses; by default its plain incremental core, which is faster on most
    questions. ``allowance``: what is left of the question's, which this is taken from.
    """
    allowance = allowance or Allowance(resources + KEPT)
    resources = allowance.share(resources, KEPT)
    if resources < FEWEST or allowance.milliseconds <= 0:
        return SPENT
    growing = _growing(formulas)
    if not growing:
        return _asked(formulas, resources, patience(resources), booleans, tactic, until, allowance)
    if not allowance.grew:
        found = _asked(formulas, min(resources, GLANCE), GLANCED, booleans, tactic, until, allowance)
        allowance.grew = found == STOPPED
        if found not in ("open", STOPPED) or (found == "open" and resources <= GLANCE):
            return found
        resources = allowance.share(resources, KEPT)
    if allowance.grew or not tactic:
        found = _asked(formulas, resources, patience(resources), booleans, "", until, allowance, growing)
        if allowance.grew or found not in ("open", WITHIN):
            return found
        resources = allowance.share(resources, KEPT)
        if resources < FEWEST or allowance.milliseconds <= 0:
            return found
    least = min(patience(resources), allowance.milliseconds / OVERRUN)
    found = _asked(formulas, resources, least, booleans, tactic, until, allowance)
    allowance.grew = found == STOPPED
    return found


def _asked(
    formulas: Sequence[Node],
    resources: int,
    milliseconds: float,
    booleans: frozenset[str],
    tactic: str,
    until: float,
    allowance: Allowance,
    boxed: frozenset[str] = frozenset(),
) -> str | dict[str, int]:
    """As ``solve``. ``boxed``: variables that are looked at within ``BOX`` alone, where that is not what makes it
    ``"unsat"``."""
    context = z3.Context()
    solver = z3.SolverFor(tactic, ctx=context) if tactic else z3.SimpleSolver(ctx=context)
    solver.set("rlimit", resources, "timeout", MAX_WALL * patience(resources))
    builder = _Builder(context)
    for formula in formulas:
        solver.add(builder.formula(formula))
    for name in sorted(booleans & builder.variables.keys()):
        solver.add(builder.variables[name] >= 0, builder.variables[name] <= 1)
    inside = [z3.Bool("#box", context)] if boxed else []
    for name in sorted(boxed):
        variable = builder.variables[name]
        solver.add(z3.Or(z3.Not(inside[0]), z3.And(variable >= -BOX, variable <= BOX)))
    allowance.spend(BUILT * builder.size())
    answer, stopped = _checked(solver, context, resources, until, allowance, milliseconds, inside)
    if answer == z3.unsat:
        return WITHIN if boxed and len(solver.unsat_core()) else "unsat"
    if answer != z3.sat or stopped:  # Z3 calls all limits "canceled"
        return STOPPED if stopped else "open"
    model = solver.model()
    found = {name: model.eval(variable, model_completion=True) for name, variable in builder.variables.items()}
    return {name: of_decimal(value.as_string()) for name, value in found.items()}


def _growing(formulas: Sequence[Node]) -> frozenset[str]:
    """Variables in factors of products that are not all numbers, if one of these has no bound on some side."""
    low, high = set(), set()
    for formula in formulas:
        match formula:
            case ("<=", int(), ("var", name)):
                low.add(name)
            case ("<=", ("var", name), int()):
                high.add(name)
    found: set[str] = set()
    seen: set[int] = set()
    pending: list[tuple[Any, bool]] = [(formula, False) for formula in formulas]
    while pending:
        node, factor = pending.pop()
        if not isinstance(node, tuple):
            continue
        if node[0] == "var":
            if factor and not (node[1] in low and node[1] in high):
                found.add(node[1])
            continue
        factor = factor or (node[0] == "*" and sum(not isinstance(part, int) for part in node[1:]) > 1)
        if (2 * id(node) + factor) not in seen:
            seen.add(2 * id(node) + factor)
            pending.extend((part, factor) for part in node[1:])
    return frozenset(found)


def _checked(
    solver: Any,
    context: Any,
    resources: int,
    until: float,
    allowance: Allowance,
    milliseconds: float,
    given: Sequence[Any] = (),
) -> tuple[Any, bool]:
    """Z3's answer where ``given`` holds, and whether it was stopped after ``milliseconds`` of this thread's processor,
    or what the question has left of them: a busy machine decides nothing. What it took is paid for."""
    clock = pthread_getcpuclockid(get_ident())
    start = clock_gettime(clock)
    end = start + min(milliseconds, allowance.milliseconds) / 1e3
    done, late = Event(), Event()

    def watch() -> None:
        while not done.wait(max(0.01, min(end - clock_gettime(clock), until - monotonic()))):
            if clock_gettime(clock) >= end or monotonic() >= until:
                late.set()
                context.interrupt()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        answer, stopped = solver.check(*given), late.is_set()
        if stopped:  # as much as may be, but for what is kept for others
            allowance.spend(max(resources, min(resources + LOOP, allowance.left - KEPT)))
        else:
            allowance.spend(_spent(solver))
        return answer, stopped
    finally:
        allowance.milliseconds -= 1e3 * (clock_gettime(clock) - start)
        done.set()
        watcher.join()


def _spent(solver: Any) -> int:
    """The resource units that a solver of a context of its own has taken."""
    return int(solver.statistics().get_key_value("rlimit count"))


def replay(script: str, resources: int) -> str:
    """What Z3 says of an SMT-LIB script: ``"unsat"``, ``"sat"`` or ``"unknown"``."""
    answers = []
    for tactic in ("", "QF_NIA"):
        context = z3.Context()
        solver = z3.SolverFor(tactic, ctx=context) if tactic else z3.SimpleSolver(ctx=context)
        solver.set("rlimit", resources, "timeout", patience(resources))
        solver.add(z3.parse_smt2_string(script.replace("(check-sat)", ""), ctx=context))
        answers.append(str(solver.check()))
        if answers[-1] == "unsat":
            break
    return answers[-1]


class _Builder:
    """Walks the formula language of ``encode``."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.variables: dict[str, Any] = {}
        self.numbers: dict[int, Any] = {}
        self.joins: dict[tuple[str | int, ...], Any] = {}
        self.objects: dict[int, tuple[Node, Any]] = {}
        self.formulas: dict[int, tuple[Node, Any]] = {}
        """By identity: ``encode`` gives one object for one part, however often it stands."""

    def formula(self, node: Node) -> Any:
        if isinstance(node, bool):
            return z3.BoolVal(node, self.context)
        found = self.formulas.get(id(node))
        if found is None:
            found = self.formulas[id(node)] = (node, self.built(node))
        return found[1]

    def built(self, node: Node) -> Any:
        match node:
            case ("and", *parts):
                return self.joined(z3.Z3_mk_and, [self.formula(each) for each in parts], z3.BoolRef)
            case ("or", *parts):
                return self.joined(z3.Z3_mk_or, [self.formula(each) for each in parts], z3.BoolRef)
            case ("not", part):
                return z3.BoolRef(z3.Z3_mk_not(self.context.ref(), self.formula(part).ast), self.context)
            case ("<=", a, b):
                return self.pair(z3.Z3_mk_le, a, b)
            case ("=", a, b):
                return self.pair(z3.Z3_mk_eq, a, b)
        raise AssertionError(node)

    def joined(self, make: Any, parts: list[Any], kind: Any) -> Any:
        """Z3's own constructors: its operators on expressions convert and check every operand first."""
        array = (z3.Ast * len(parts))(*(each.ast for each in parts))
        return kind(make(self.context.ref(), len(parts), array), self.context)

    def pair(self, make: Any, a: Node, b: Node) -> Any:
        left, right = self.term(a), self.term(b)
        return z3.BoolRef(make(self.context.ref(), left.ast, right.ast), self.context)

    def term(self, node: Node) -> Any:
        if isinstance(node, int):
            found = self.numbers.get(node)
            if found is None:
                found = self.numbers[node] = z3.IntVal(decimal(node), self.context)
            return found
        known = self.objects.get(id(node))
        if known is None:
            known = self.objects[id(node)] = (node, self.build(node))
        return known[1]

    def build(self, node: Node) -> Any:
        match node:
            case ("var", name):
                return self.variables.setdefault(name, z3.Int(name, self.context))
            case ("+", *parts):
                return self.once("+", z3.Z3_mk_add, parts)
            case ("*", *parts):
                return self.once("*", z3.Z3_mk_mul, parts)
            case ("ite", condition, a, b):
                three = (self.formula(condition).ast, self.term(a).ast, self.term(b).ast)
                return z3.ArithRef(z3.Z3_mk_ite(self.context.ref(), *three), self.context)
        raise AssertionError(node)

    def once(self, op: str, make: Any, parts: list[Node]) -> Any:
        """Equal sums and products are one: Z3 numbers its own terms, so that a look at the operands is enough."""
        terms = [self.term(each) for each in parts]
        key = op, *(z3.Z3_get_ast_id(self.context.ref(), each.ast) for each in terms)
        if key not in self.joins:
            self.joins[key] = self.joined(make, terms, z3.ArithRef)
        return self.joins[key]

    def size(self) -> int:
        """How many nodes were handed over."""
        return len(self.formulas) + len(self.numbers) + len(self.variables) + len(self.joins)


# --- words


def solve_words(
    parts: Sequence[PrimExpr],
    width: int,
    ranges: Mapping[str, tuple[int, int]],
    resources: int,
    until: float = inf,
    allowance: Allowance | None = None,
) -> str | dict[str, int]:
    """As ``solve``, for truths of the core over words of ``width`` bits that hold every value in them."""
    allowance = allowance or Allowance(resources + KEPT)
    resources = allowance.share(resources, KEPT)
    if resources < FEWEST or allowance.milliseconds <= 0:
        return SPENT
    context = z3.Context()
    solver = z3.SolverFor("QF_BV", ctx=context)
    solver.set("rlimit", resources, "timeout", MAX_WALL * patience(resources))
    words = _Words(context, width)
    for part in parts:
        solver.add(words.truth(part))
    for name, (low, high) in ranges.items():
        if name in words.variables:
            solver.add(words.variables[name] >= low, words.variables[name] <= high)
    allowance.spend(BUILT * len(words.known))
    answer, stopped = _checked(solver, context, resources, until, allowance, patience(resources))
    if answer == z3.unsat:
        return "unsat"
    if answer != z3.sat or stopped:
        return STOPPED if stopped else "open"
    model = solver.model()
    found = {name: model.eval(word, model_completion=True).as_signed_long() for name, word in words.variables.items()}
    truths = {name: int(z3.is_true(model.eval(each, model_completion=True))) for name, each in words.truths.items()}
    return {**found, **truths}


class _Words:
    """Terms of the core as bit-vectors; each object once. What is undefined has some value."""

    def __init__(self, context: Any, width: int) -> None:
        self.context, self.width = context, width
        self.variables: dict[str, Any] = {}
        self.truths: dict[str, Any] = {}
        self.known: dict[int, tuple[PrimExpr, Any]] = {}

    def once(self, e: PrimExpr, make: Callable[[PrimExpr], Any]) -> Any:
        if id(e) not in self.known:
            self.known[id(e)] = e, make(e)
        return self.known[id(e)][1]

    def number(self, value: int) -> Any:
        return z3.BitVecVal(value, self.width, self.context)

    def truth(self, e: PrimExpr) -> Any:
        return self.once(e, self._truth)

    def term(self, e: PrimExpr) -> Any:
        return self.once(e, self._term)

    def _truth(self, e: PrimExpr) -> Any:
        match e:
            case Literal():
                return z3.BoolVal(bool(e.bits), self.context)
            case SymVar(name):
                return self.truths.setdefault(name, z3.Bool(name, self.context))
            case Not(a):
                return z3.Not(self.truth(a))
            case Binary("And", a, b):
                return z3.And(self.truth(a), self.truth(b))
            case Binary("Or", a, b):
                return z3.Or(self.truth(a), self.truth(b))
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                return z3.If(self.truth(c), self.truth(a), self.truth(b))
            case Binary(("EQ" | "NE") as op, a, b) if a.dtype == "bool":
                same = self.truth(a) == self.truth(b)
                return same if op == "EQ" else z3.Not(same)
            case Binary(op, a, b):
                return ORDERS[op](self.term(a), self.term(b))
        raise AssertionError(e)

    def _term(self, e: PrimExpr) -> Any:
        match e:
            case Literal():
                return self.number(literal_int(e))
            case SymVar(name):
                return self.variables.setdefault(name, z3.BitVec(name, self.width, self.context))
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                return z3.If(self.truth(c), self.term(a), self.term(b))
            case Cast(dtype, a):
                whole, size = self.term(a), bits(dtype)
                if size >= self.width:
                    return whole
                low = z3.Extract(size - 1, 0, whole)
                return (z3.SignExt if kind(dtype) == "int" else z3.ZeroExt)(self.width - size, low)
            case Intrinsic("abs", (a,)):
                x = self.term(a)
                return z3.If(x < 0, -x, x)
            case Intrinsic("bitwise_not", (a,)):
                return ~self.term(a)
            case Intrinsic(op, (a, b)) | Binary(op, a, b):
                return self.operation(op, self.term(a), self.term(b))
        raise AssertionError(e)

    def operation(self, op: str, x: Any, y: Any) -> Any:
        match op:
            case "Min":
                return z3.If(x <= y, x, y)
            case "Max":
                return z3.If(x <= y, y, x)
            case "shift_right":  # no count that is as large as the width gives another value
                return z3.If(z3.UGE(y, self.width), z3.If(x < 0, self.number(-1), self.number(0)), x >> y)
            case "Div":
                return x / y
            case "Mod":
                return z3.SRem(x, y)
            case "FloorDiv":
                rest = z3.SRem(x, y)
                return z3.If(z3.And(rest != 0, (rest < 0) != (y < 0)), x / y - 1, x / y)
            case "FloorMod":
                rest = z3.SRem(x, y)
                return z3.If(z3.And(rest != 0, (rest < 0) != (y < 0)), rest + y, rest)
            case _:
                return WORDS[op](x, y)


ORDERS = {"EQ": eq, "NE": ne, "LT": lt, "LE": le, "GT": gt, "GE": ge}
WORDS = {
    "Add": add, "Sub": sub, "Mul": mul, "bitwise_and": and_, "bitwise_or": or_, "bitwise_xor": xor,
    "shift_left": lshift,
}  # fmt: skip
