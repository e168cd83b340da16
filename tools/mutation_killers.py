"""Who may notice a mutant of our own code: cases, programs on which our implementations are held against each other,
tests. Each is asked on the honest code first, while probes say which mutants it goes through and what that costs.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import gc
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from types import CodeType, FunctionType
from typing import Any

from refrelax.backends.errors import Unsupported
from refrelax.conformance import mutants as M
from refrelax.conformance import tie
from refrelax.conformance.alone import find_to_fuzz
from refrelax.conformance.run import run_case
from refrelax.errors import Outcome, Returned
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.judge.fuzz import Plan, generated
from refrelax.judge.outcomes import copies
from refrelax.judge.verdicts import Divergence, NoVerdict, Verdict
from refrelax.lower.pipeline import lower
from refrelax.running.run import outward, run
from refrelax.semantics.types.check import check
from refrelax.semantics.values import TensorValue
from refrelax.syntax.module import Module
from refrelax.testing.cells import cells

PROBE = "__mutation_probe__"


@dataclass(slots=True)
class Killer:
    """``ask`` says in a few words what is wrong (empty: nothing). ``recorded``: only because the answer is another than
    that of the honest code, which nothing else says is right."""

    kind: str
    name: str
    ask: Callable[[], str]
    seconds: float = 0.0
    """Of a processor, when the honest code was asked."""
    through: set[int] = field(default_factory=set)
    """Which mutants' statements it runs."""
    text: str = ""
    """Of the file that it stands in, which may name what it is about."""

    def cost(self, file: str) -> float:
        """By what it stands in the queue of a mutant: the quick first, and those of a file that names the mutant's file
        or its folder."""
        module = PurePosixPath(file).with_suffix("")
        near = 8 if ".".join(module.parts) in self.text else 3 if ".".join(module.parts[:-1]) in self.text else 1
        return self.seconds / near


# --- probes ----------------------------------------------------------------------------------------------------------


def _with_probes(root: ast.stmt, node: ast.FunctionDef, at: dict[int, list[int]]) -> ast.stmt:
    """A copy of a statement in which the statements of some lines of a function say that they are run."""
    whole = copy.deepcopy(root)
    (mine,) = (
        each
        for each in ast.walk(whole)
        if isinstance(each, ast.FunctionDef) and (each.lineno, each.name) == (node.lineno, node.name)
    )
    for line, numbers in at.items():
        body, place = _innermost(mine, line)
        for number in numbers:
            told = ast.parse(f"{PROBE}({number})").body[0]
            for part in ast.walk(told):  # (all of it: who follows lines must not see another one)
                ast.copy_location(part, body[place])
            body.insert(place, told)
            place += 1
    return whole


def _innermost(node: Any, line: int) -> tuple[list[Any], int]:
    """The list of statements, and the place in it, of the smallest statement that a line belongs to."""
    best: tuple[list[Any], int] = (node.body, 0)
    pending: list[Any] = [node]
    while pending:
        each = pending.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(each, name, None)
            if not isinstance(inner, list):
                continue
            for k, part in enumerate(inner):
                first = getattr(part, "lineno", None) or part.body[0].lineno
                last = getattr(part, "end_lineno", None) or part.body[-1].end_lineno
                if isinstance(part, ast.stmt) and first <= line <= last:
                    best = inner, k
                    pending.append(part)
                elif not isinstance(part, ast.stmt) and line <= last:
                    pending.append(part)
    return best


@contextmanager
def probes(chosen: Mapping[int, M.Mutant] | Sequence[M.Mutant], wanted: set[int]) -> Iterator[set[int]]:
    """Collects the numbers of those mutants whose statements are run inside the ``with``; the set may be cleared."""
    hit: set[int] = set()
    by: dict[Any, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    roots = {}
    for number in sorted(wanted):
        mutant = chosen[number]
        by[mutant.function][mutant.line].append(number)
        roots[mutant.function] = mutant
    code_of: dict[int, CodeType] = {}  # what stands for a piece of code, by its identity
    before: dict[int, CodeType] = {}
    kept = []
    for function, at in by.items():
        mutant = roots[function]
        node = next(each for _, each in M.live(function.__code__.co_filename, mutant.root) if _ is function)
        code = M.code_of(_with_probes(mutant.root, node, at), function)
        assert code is not None, mutant.place
        pairs = [(function.__code__, code), *M.parts(function.__code__, code)]
        code_of |= {id(old): new for old, new in pairs}
        before |= {id(new): old for old, new in pairs}
        kept += pairs  # (an identity is one as long as its code is there)
    setattr(builtins, PROBE, hit.add)
    _swap(code_of)
    forget()
    try:
        yield hit
    finally:
        forget()
        _swap(before)


def _swap(code_of: dict[int, CodeType]) -> None:
    """Other code in all functions that have some, also those that were made inside another one."""
    gc.unfreeze()  # what is frozen nobody would find
    for each in gc.get_objects():
        if type(each) is FunctionType and id(each.__code__) in code_of:
            each.__code__ = code_of[id(each.__code__)]


FORGET = ("refrelax.", "tests.")


def forget() -> None:
    """What everybody remembers between calls."""
    for name, module in list(sys.modules.items()):
        if name.startswith(FORGET):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and hasattr(value, "cache_info"):
                    value.cache_clear()


# --- cases -----------------------------------------------------------------------------------------------------------


def of_cases() -> Iterator[Killer]:
    """Every case of the suite and example of the text, but for questions to the solver, which is no room of ours."""
    for case in (*tie.read().cases, *tie.read().examples):
        if case.question is not None:
            continue
        yield Killer("case", case.name, lambda case=case: run_case(case, law=True).reason)  # type: ignore[misc]


# --- programs --------------------------------------------------------------------------------------------------------


def programs(seed: int, calls: int, rounds: int) -> Iterator[tuple[str, Module, tuple[Any, ...]]]:
    """Programs of a campaign with arguments: single calls, and composed ones."""
    for cell in islice(cells(seed), calls):
        checked = look.checked_of(cell.program)
        if checked is not None:
            for k, each in enumerate(cell.inputs[:3]):
                yield f"{cell.key} #{k}", checked.module, tuple(cell.arguments(each))
    plan = Plan(find_to_fuzz, "numpy", seed)
    for number in range(rounds):
        for k, (module, args) in enumerate(generated(plan, "rounds", number, 40)):
            yield f"rounds/{number}#{k}", module, tuple(args)


WAYS = ("definition", "numpy", "bits", "default", "paper")


def of_programs(seed: int, calls: int, rounds: int, emulated: int) -> Iterator[Killer]:
    """Our implementations on programs, each held against the definition; the definition, against what it said."""
    for k, (name, module, args) in enumerate(programs(seed, calls, rounds)):
        for way in (*WAYS, *(("cuda",) if emulated and k % emulated == 0 else ())):
            yield Killer("program", f"{way}: {name}", _Asked(way, module, args))


class _Asked:
    """One implementation on one program. The first answer is remembered."""

    def __init__(self, way: str, module: Module, args: tuple[Any, ...]) -> None:
        self.way, self.module, self.args = way, module, args
        self.first: Any = None

    def __call__(self) -> str:
        answer, wrong = self.answer()
        if self.first is None:
            self.first = answer
        if wrong:
            return wrong
        return "" if answer == self.first else "RECORDED"

    def answer(self) -> tuple[Any, str]:
        """What is compared with the first answer, and what is wrong by itself."""
        checked = check(self.module)
        if self.way == "definition":
            return _told(run(checked, "main", *copies(self.args), budget=look.BUDGET)), ""
        implementation: Any
        if self.way in ("numpy", "bits"):
            implementation = Backend("numpy", "bits" if self.way == "bits" else "fast")
        elif self.way == "cuda":
            implementation = Backend("cuda-emulated")
        else:
            made = lower(checked, self.way).module
            implementation = look.Told(run(made, "main", *copies(self.args), budget=look.BUDGET))
        with contextlib.suppress(Unsupported):
            verdict = look.verdict_of(checked, self.args, implementation, False)
            return _said(verdict), _wrong(verdict)
        return "unsupported", ""


def _wrong(verdict: Verdict) -> str:
    match verdict:
        case Divergence(message=message):
            return message or "diverges"
        case NoVerdict(reason="fault", why=why):
            return why
        case _:
            return ""


def _said(verdict: Verdict) -> Any:
    return type(verdict).__name__, getattr(verdict, "reason", ""), verdict.report.counts


def _told(outcome: Outcome) -> Any:
    if not isinstance(outcome, Returned):
        return type(outcome).__name__, getattr(outcome, "rule", getattr(outcome, "what", ""))
    effects = [(e.kind, e.name, _leaf(outward(e.payload))) for e in outcome.effects]
    return "Returned", _leaf(outcome.value), _leaf(outcome.arguments), effects, outcome.poison


def _leaf(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_leaf(each) for each in value]
    core = getattr(value, "core", value)
    if isinstance(core, TensorValue):
        return core.dtype, tuple(core.shape), list(core.bits())
    return type(core).__name__, repr(getattr(core, "value", core)) if not callable(core) else ""


# --- tests -----------------------------------------------------------------------------------------------------------


def with_tests(folders: Sequence[str], quick: bool, body: Callable[[list[Killer]], None]) -> None:
    """Calls ``body`` with the tests of folders inside a session of pytest; ``quick``: without the thorough ones."""
    import pytest
    from _pytest.runner import runtestprotocol
    from hypothesis import HealthCheck, Phase, settings

    # The same examples each time: probes told which statements they go through. None is shrunk, none remembered.
    settings.register_profile(
        "mutants", max_examples=16, deadline=None, derandomize=True, database=None,
        phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"

    class Session:
        def pytest_runtestloop(self, session: Any) -> bool:
            def asks(item: Any) -> Callable[[], str]:
                def ask() -> str:
                    reports = runtestprotocol(item, nextitem=None, log=False)
                    return next((f"{each.when} failed" for each in reports if each.failed), "")

                return ask

            texts = {path: path.read_text("utf-8") for path in {each.path for each in session.items}}
            body([Killer("test", each.nodeid, asks(each), text=texts[each.path]) for each in session.items])
            return True

    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # what is broken was imported before: meant
    marks = ("-m", f"not nightly and not tvm{' and not thorough' if quick else ''}")
    pytest.main([*folders, *marks, "-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *quiet], plugins=[Session()])


# --- asking ----------------------------------------------------------------------------------------------------------


class TooLong(BaseException):
    """A killer takes many times longer than with the honest code."""


def _ring(*_: Any) -> None:
    raise TooLong


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Raises ``TooLong`` after so many seconds of the processor, again and again until somebody hears it."""
    before = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def asked(killer: Killer, least: float = 2.0) -> str:
    """What a killer says; whatever it raises is seen."""
    try:
        with processor_limit(max(least, 20 * killer.seconds)):
            return killer.ask()
    except TooLong:
        return "does not end"
    except (Exception, RecursionError) as error:
        return f"{type(error).__name__}: {error}"[:200] or "fails"


def asked_alone(killer: Killer) -> str:
    """Whether the honest code is still fine when everything is forgotten; to be called in a copy of the process."""
    forget()
    return asked(killer) or "fine"


def follow(killers: Sequence[Killer], hit: set[int], longest: float) -> list[Killer]:
    """Asks each of the honest code, with probes in force; gives those that are content, quick enough and go through a
    mutant, the cheapest first."""
    kept = []
    for each in killers:
        hit.clear()
        start = time.process_time()
        wrong = asked(each, 3 * longest)
        each.seconds = time.process_time() - start
        each.through = set(hit)
        if not wrong and each.seconds <= longest and each.through:
            kept.append(each)
    return sorted(kept, key=lambda each: each.seconds)


def in_a_child(work: Callable[[], str], seconds: float) -> str:
    """What a copy of this process says; one that dies or hangs is seen."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        said = "fails"
        try:
            said = work()
        except BaseException as error:
            said = f"killed: {type(error).__name__}"
        finally:
            with contextlib.suppress(OSError):
                os.write(writing, said.encode(errors="replace")[:4000])
            os._exit(0)
    os.close(writing)
    return _heard(child, reading, seconds)


PATIENCE = 10
"""How many times longer than its processor time a copy may take on a clock on the wall."""


def _heard(child: int, reading: int, seconds: float) -> str:
    """What a copy says; one that has taken so much of the processor runs on, one that has not had it says nothing of
    the mutant."""
    end = time.monotonic() + PATIENCE * seconds
    processor = (~child << 3) | 2  # (the clock of another process, as Linux numbers them)
    said = "alive: no answer in time"
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with os.fdopen(reading, "rb") as pipe:
                said = pipe.read().decode(errors="replace")
            return said if os.WIFEXITED(status) and said else f"killed: the process died ({status})"
        with contextlib.suppress(OSError):
            if time.clock_gettime(processor) >= seconds:
                said = "killed: does not end"
                break
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    return said
