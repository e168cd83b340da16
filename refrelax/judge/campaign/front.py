"""Programs of front ends: is what was imported right, and then is what is made of it?

A program is run by its own means and imported. Where its own answer is outside of what the imported module permits (or
there is no module), the cause stands in the import, and is told by the first call of the program that is wrong: every
call's result is asked for. A module that was imported rightly is judged like any other composed program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from refrelax.judge import front
from refrelax.judge.campaign.causes import Cause, template
from refrelax.judge.campaign.kept import of_json, to_json
from refrelax.judge.campaign.look import BUDGET, SECONDS, Seen, Sighting, verdicts
from refrelax.judge.front import Imported, Importer, NoProgram
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.running.arrays import Tensor, pack
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import bits
from refrelax.syntax.write.module import print_module
from refrelax.testing.front import Framework, Param, Program, arguments, draw, fixed, plainer
from refrelax.testing.limits import limited

MOST_TRIES = 40
"""Programs that the shrinking of one finding imports."""

MOST_ELEMENTS = 32
"""Elements of an argument that are tried one by one."""

FRAMEWORKS: tuple[Framework, ...] = ("torch", "torch", "onnx")
"""Whose programs follow one another."""

STEPS = {"make": "no program", "eager": "no program", "export": "not exported"}
"""What is counted of a program that came no further."""


@dataclass(slots=True)
class Judged:
    """A program, what came of it, and the verdict on each run with the arguments (one without any where there is no
    module)."""

    program: Program
    imported: Imported
    checked: CheckedModule | None
    verdicts: list[tuple[tuple[Any, ...], Verdict]]

    @property
    def wrong(self) -> tuple[tuple[Any, ...], Divergence] | None:
        """The first run that diverges."""
        return next(((args, v) for args, v in self.verdicts if isinstance(v, Divergence)), None)


def judge(importer: Importer, program: Program, inputs: Sequence[Sequence[Any]], strict: bool = False) -> Judged:
    """Raises ``NoProgram``."""
    found = _judged(importer, program, inputs, strict, False)
    if found.wrong is not None and found.wrong[1].kind == "values":
        return _judged(importer, program, inputs, strict, True)
    return found


def _judged(
    importer: Importer, program: Program, inputs: Sequence[Sequence[Any]], strict: bool, closely: bool
) -> Judged:
    imported = importer.imported({"source": program.source}, inputs, closely)
    checked = front.checked_of(imported)
    if not isinstance(checked, CheckedModule):
        return Judged(program, imported, None, [((), checked)])
    found: list[tuple[tuple[Any, ...], Verdict]] = []
    for each in imported.runs:
        try:
            with limited(SECONDS):
                found.append((each.args, front.verdict(checked, each, BUDGET, strict)))
        except TimeoutError as error:
            found.append((each.args, NoVerdict(f"the definition takes {error}", reason="budget")))
        except Exception as error:
            fault = NoVerdict(f"a fault of refrelax ({type(error).__name__}: {error})", reason="fault")
            found.append((each.args, fault))
    return Judged(program, imported, checked, found)


def cause_of(program: Program, found: Divergence, judged: Judged) -> Cause:
    """The cause of a program whose import is wrong."""
    if found.kind in ("crash", "hang"):
        return Cause("import", found.kind, program.operators)
    if found.kind == "refused":
        said = template(re.sub(r"\brelax(\.\w+)+", "an operator", found.detail or found.message))
        said = said.partition(". ")[0][:80].strip()
        return Cause("import", f"{judged.imported.by} refuses, at {found.place}: {said}", program.operators, "", True)
    operators = program.operators
    number = found.field.partition(".")[0]
    if number.isdigit() and int(number) < len(program.results) and found.field:
        name = program.results[int(number)]
        operators = next((each.operator,) for each in program.lines if each.name == name)
    elif len(program.results) == 1 and found.kind == "values":
        operators = (program.lines[-1].operator,) if len(program.lines) == 1 else operators
    if found.kind == "end":
        rule = re.findall(r"\[([\w./-]+)\]", found.message)
        return Cause(
            "import",
            f"{'rejected' if 'rejected' in found.message else 'trap'} {rule[0] if rule else ''}".strip(),
            operators,
        )
    if found.message.startswith("result"):
        return Cause("import", _structure(found.message), operators)
    return Cause("import", "elements", operators)


def _structure(message: str) -> str:
    """Whether it is the dtype or the shape of a result that differs, or what it is at all."""
    told = re.findall(r"(?:is|itself) (\w+)\[", message)
    if len(told) < 2:
        return "structure"
    return "dtype" if told[0] != told[1] else "shape"


def all_results(program: Program) -> Program:
    """The program that gives the result of every call."""
    return replace(program, results=tuple(each.name for each in program.lines))


def told(importer: Importer, judged: Judged, strict: bool = False) -> tuple[Judged, tuple[Any, ...], Divergence] | None:
    """A program whose import is wrong, as one that says which call it is, with the arguments and what was found."""
    if judged.wrong is None:
        return None
    whole = all_results(judged.program)
    if whole != judged.program and judged.imported.stage is not None:
        try:
            again = judge(importer, whole, [judged.wrong[0]] if judged.wrong[0] else [], strict)
        except NoProgram:
            again = judged
        if again.wrong is not None:
            judged = again
    assert judged.wrong is not None
    return judged, *judged.wrong


# --- a task ----------------------------------------------------------------------------------------------------------


def framework_of(number: int) -> tuple[Framework, int]:
    """Whose the program of a number is, and which of theirs."""
    turn, k = divmod(number, len(FRAMEWORKS))
    chosen = FRAMEWORKS[k]
    return chosen, turn * FRAMEWORKS.count(chosen) + FRAMEWORKS[:k].count(chosen)


def look(
    importer: Importer, seed: str, first: int, size: int, implementation: Any, cause_in: Any, strict: bool = False
) -> Seen:
    """Judge so many programs, the first of this number. ``cause_in``: the cause of a verdict on a module, where it is
    not the import that is wrong."""
    seen = Seen()
    right: list[tuple[int, CheckedModule, list[list[Any]]]] = []
    for k in range(size):
        program = draw(framework_of(first + k)[0], seed, framework_of(first + k)[1])
        seen.programs += 1
        try:
            judged = judge(importer, program, arguments(program, f"{seed}/{first + k}"), strict)
        except NoProgram as no:
            missing = re.match(r"\w+ is not installed where TVM is", no.message)
            why = missing[0] if missing else STEPS.get(no.step, no.step)
            seen.open[why] = seen.open.get(why, 0) + 1
            continue
        words: dict[str, int] = {}
        for _, verdict in judged.verdicts:
            seen.note(verdict)
            words[verdict.word] = words.get(verdict.word, 0) + 1
            if isinstance(verdict, NoVerdict) and verdict.reason == "fault":
                cause = Cause("fault", template(verdict.why), program.operators)
                seen.meet(Sighting(cause, k, 0, verdict.why, True, [program.row(), []]))
        seen.cells += [[f"{seed}/{first + k}/{each}", each, "", words] for each in program.operators]
        wrong = told(importer, judged, strict)
        if wrong is not None:
            shown, args, found = wrong
            row = [shown.program.row(), [to_json(each) for each in args]]
            seen.meet(Sighting(cause_of(shown.program, found, shown), k, 0, found.message, case=row))
        elif judged.checked is not None and not judged.checked.module.constants:
            good = [list(args) for args, each in judged.verdicts if isinstance(each, Agreement) and not _empty(args)]
            if good:
                right.append((k, judged.checked, good[:2]))
    _built(seen, right, implementation, cause_in, strict)
    return seen


def _empty(args: Sequence[Any]) -> bool:
    """Whether an argument has no elements: loops over nothing are one defect, and what calls of one operator show."""
    return any(isinstance(each, Tensor) and 0 in each.shape for each in args)


def _built(
    seen: Seen,
    right: list[tuple[int, CheckedModule, list[list[Any]]]],
    implementation: Any,
    cause_in: Any,
    strict: bool,
) -> None:
    """What is made of the modules that were imported rightly."""
    rows = verdicts([(checked, inputs) for _, checked, inputs in right], implementation, strict)
    for (k, checked, inputs), row in zip(right, rows, strict=True):
        for j, (args, verdict) in enumerate(zip(inputs, row, strict=True)):
            seen.note(verdict)
            fault = isinstance(verdict, NoVerdict)
            if isinstance(verdict, Divergence) or (isinstance(verdict, NoVerdict) and verdict.reason == "fault"):
                said = verdict.why if isinstance(verdict, NoVerdict) else verdict.message
                case = [print_module(checked.module), [to_json(each) for each in args], []]
                seen.meet(Sighting(cause_in(checked.module, verdict), k, j, said, fault, case))


def verdict_of(importer: Importer, program: Program, args: Sequence[Any], strict: bool = False) -> Verdict:
    """The verdict on the import of a program on some arguments (on its own, if there are none)."""
    try:
        judged = judge(importer, program, [args] if args else arguments(program, "0")[:1], strict)
    except NoProgram as no:
        return NoVerdict(str(no), reason="unsupported")
    except ImplementationFailed as failed:
        return NoVerdict(str(failed), reason="absent")
    return judged.wrong[1] if judged.wrong is not None else judged.verdicts[0][1]


# --- a finding -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Small:
    """A program that is as small as it was made, its arguments, what was said, and how many were tried."""

    judged: Judged
    args: tuple[Any, ...]
    found: Divergence
    cause: Cause
    tried: int = 0


class _Shrinking:
    def __init__(self, importer: Importer, cause: Cause, strict: bool) -> None:
        self.importer, self.cause, self.strict, self.tried = importer, cause, strict, 0

    def still(self, program: Program, inputs: Sequence[Sequence[Any]]) -> Small | None:
        """The first of the inputs on which a program has the cause."""
        if self.tried > MOST_TRIES:
            return None
        self.tried += 1
        try:
            judged = judge(self.importer, program, inputs, self.strict)
        except NoProgram:
            return None
        for args, verdict in judged.verdicts:
            if isinstance(verdict, Divergence):
                cause = cause_of(program, verdict, judged)
                if cause.covers(self.cause):
                    return Small(judged, args or tuple(inputs[0]), verdict, cause)
        return None


def shrink(importer: Importer, case: Sequence[Any], cause: Cause, strict: bool = False) -> Small | None:
    """The call alone, fixed sizes, no attribute that is not needed, ones for elements; nothing if it does not show
    again."""
    program, args = Program.of_row(case[0]), [of_json(each) for each in case[1]]
    if not args:
        args = [*arguments(program, "0")[0]]
    at = _Shrinking(importer, cause, strict)
    small = at.still(program, [args])
    if small is None:
        return None
    for candidate, given in _alone(small):
        if (found := at.still(candidate, [given])) is not None:
            small = found
            break
    for _ in range(3):
        shorter = next((s for p in plainer(small.judged.program) if (s := at.still(p, [small.args])) is not None), None)
        if shorter is None:
            break
        small = shorter
    if small.judged.program.sized:
        n = _size(small.judged.program, small.args)
        small = at.still(fixed(small.judged.program, n), [small.args]) or small
    small = _of_ones(at, small)
    return replace_tried(small, at.tried)


def replace_tried(small: Small, tried: int) -> Small:
    small.tried = tried
    return small


def _size(program: Program, args: Sequence[Any]) -> int:
    pairs = ((e, s) for p, a in zip(program.params, args, strict=True) for e, s in zip(p.extents, a.shape, strict=True))
    return next((size for extent, size in pairs if extent == "n"), 1)


def _alone(small: Small) -> list[tuple[Program, list[Any]]]:
    """Each call by itself, the wrong one first, its operands as parameters of the values that they had; then the lines
    that lead up to it."""
    program, run = small.judged.program, small.judged.imported.runs[0] if small.judged.imported.runs else None
    if len(program.lines) < 2 or run is None or run.why:
        return []
    values: dict[str, Any] = {p.name: a for p, a in zip(program.params, run.args, strict=True)}
    if program.results == tuple(each.name for each in program.lines):
        given = run.value if isinstance(run.value, tuple) else (run.value,)
        values |= dict(zip(program.results, given, strict=False))
    known = {p.name: p for p in program.params}
    wrong = small.cause.operators
    found = []
    for line in sorted(program.lines, key=lambda each: each.operator not in wrong):
        names = sorted(line.names)
        if not all(isinstance(values.get(each), Tensor) for each in names):
            continue
        params = [known.get(n) or Param(n, values[n].dtype, tuple(values[n].shape)) for n in names]
        made = Program(program.framework, tuple(params), (line,), (line.name,))
        found.append((made, [values[n] for n in names]))
    for k in range(1, len(program.lines)):
        shorter = replace(
            program, lines=program.lines[:k], results=tuple(each.name for each in program.lines[:k])
        ).tidy()
        found.append((shorter, [values[p.name] for p in shorter.params]))
    return found


def _of_ones(at: _Shrinking, small: Small) -> Small:
    """The arguments with ones wherever they may be ones: one program, imported once for many inputs."""
    for k, arg in enumerate(small.args):
        patterns = [each for each in arg.patterns() if each is not None] if isinstance(arg, Tensor) else []
        if not patterns or small.judged.program.params[k].values == "position":
            continue
        one = bits.encode(arg.dtype, 1)
        places = [j for j, p in enumerate(patterns) if p != one][:MOST_ELEMENTS]
        tries = [[one] * len(patterns)]
        tries += [[p if i == j else one for i, p in enumerate(patterns)] for j in places]
        inputs = [_with(small.args, k, each) for each in tries]
        small = at.still(small.judged.program, inputs) or small
    return small


def _with(args: Sequence[Any], k: int, patterns: Sequence[int]) -> list[Any]:
    old = args[k]
    return [*args[:k], Tensor.of_bytes(old.dtype, old.shape, pack(old.dtype, list(patterns))), *args[k + 1 :]]


__all__ = ["Judged", "Program", "Small", "all_results", "cause_of", "judge", "look", "shrink", "told", "verdict_of"]
