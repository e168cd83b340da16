"""The only file that imports Z3: formulas in, ``unsat`` / a model / neither out.

A context of its own for every question and a limit in Z3's resource units, so that the answer is the same on every
machine. Some of Z3's loops (cuts over numbers that grow) count nothing; a clock stops those, far from what the units
take, and the answer is then that nothing was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Event, Thread, get_ident
from time import clock_gettime, pthread_getcpuclockid
from typing import Any

from refrelax.shape_solver.axioms import Node


class _OnFirstUse:
    """Stands for Z3 until something of it is asked for: loading it costs more than most commands."""

    def __getattr__(self, name: str) -> Any:
        import z3 as loaded

        global z3
        z3 = loaded
        return getattr(z3, name)


z3: Any = _OnFirstUse()

AVAILABLE = find_spec("z3") is not None
"""Whether the solver extra is installed."""


STOPPED = "stopped by the clock: Z3 did not keep to its limit"


MAX_WALL = 20
"""How many times longer than ``patience`` a question may take on a clock on the wall."""


def patience(resources: int) -> int:
    """Milliseconds of processor time after which a question counts as one that Z3 loops on: three times and more what
    its units took in the questions of ``benchmarks``. (Waiting longer costs more than the wait: the numbers grow, and
    Z3 looks up between operations on them.)"""
    return 250 + resources // 4_000


def solve(
    formulas: Sequence[Node], resources: int, booleans: frozenset[str] = frozenset(), tactic: str = ""
) -> str | dict[str, int]:
    """``"unsat"``, ``"open"``, ``STOPPED``, or integer values of the variables under which all formulas hold.

    ``tactic``: the logic whose strategy Z3 uses; by default its plain incremental core, which is faster on most
    questions.
    """
    context = z3.Context()
    solver = z3.SolverFor(tactic, ctx=context) if tactic else z3.SimpleSolver(ctx=context)
    solver.set("rlimit", resources, "timeout", MAX_WALL * patience(resources))
    builder = _Builder(context)
    for formula in formulas:
        solver.add(builder.formula(formula))
    for name in sorted(booleans & builder.variables.keys()):
        solver.add(builder.variables[name] >= 0, builder.variables[name] <= 1)
    answer, stopped = _checked(solver, context, patience(resources))
    if answer == z3.unsat:
        return "unsat"
    if answer != z3.sat or stopped:  # Z3 calls all limits "canceled"
        return STOPPED if stopped else "open"
    model = solver.model()
    return {name: model.eval(variable, model_completion=True).as_long() for name, variable in builder.variables.items()}


def _checked(solver: Any, context: Any, milliseconds: int) -> tuple[Any, bool]:
    """Z3's answer, and whether it was stopped after so much time of this thread's processor: a busy machine decides
    nothing."""
    clock = pthread_getcpuclockid(get_ident())
    end = clock_gettime(clock) + milliseconds / 1e3
    done, late = Event(), Event()

    def watch() -> None:
        while not done.wait(max(0.01, end - clock_gettime(clock))):
            if clock_gettime(clock) >= end:
                late.set()
                context.interrupt()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return solver.check(), late.is_set()
    finally:
        done.set()
        watcher.join()


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
        self.terms: dict[Node, Any] = {}
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
        found = self.terms.get(node)
        if found is None:
            found = self.terms[node] = self.build(node)
        return found

    def build(self, node: Node) -> Any:
        if isinstance(node, int):
            return z3.IntVal(node, self.context)
        match node:
            case ("var", name):
                return self.variables.setdefault(name, z3.Int(name, self.context))
            case ("+", *parts):
                return self.joined(z3.Z3_mk_add, [self.term(each) for each in parts], z3.ArithRef)
            case ("*", *parts):
                return self.joined(z3.Z3_mk_mul, [self.term(each) for each in parts], z3.ArithRef)
            case ("ite", condition, a, b):
                three = (self.formula(condition).ast, self.term(a).ast, self.term(b).ast)
                return z3.ArithRef(z3.Z3_mk_ite(self.context.ref(), *three), self.context)
        raise AssertionError(node)
