"""What the playground asks: one request, one answer, both plain data. It runs as well outside a browser.

A request has ``action`` (``ACTIONS``), ``program``, ``second`` (for ``validate``), ``entry``, ``seed``, ``dims``
(``n=3``), ``args`` (a list in JSON, in place of arguments that are made up), ``claim`` and ``assume`` (for ``prove``),
``exercise`` (its number; ``program`` is the answer), ``rule`` (for ``explain``). An answer has ``text``, perhaps
``page`` (a whole page for a frame), ``right`` (of an exercise), and ``marks`` (``line``, ``column``, ``rule``,
``message`` of each diagnostic, and in which program).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from refrelax import api
from refrelax.errors import Rejection, UsageError
from refrelax.extras import advice
from refrelax.judge.outcomes import copies
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.types import Type
from refrelax.views import comparison, derivation, permitted, stepper
from refrelax.views.recording import record
from refrelax.views.sheet import sheet
from refrelax.views.words import brief, ended

Request = Mapping[str, Any]
Answer = dict[str, Any]

BUDGET = Budget(steps=2_000_000, elements=2_000_000)
"""Of one run: a visitor may stop it earlier."""


def answer(request: Request) -> Answer:
    """The answer to a request; a bad program is an answer too."""
    action = ACTIONS.get(str(request.get("action")))
    if action is None:
        return {"text": f"what is asked is one of {', '.join(ACTIONS)}"}
    try:
        return action(request)
    except Rejection as rejection:
        marks = [
            {
                "line": d.span.line if d.span else 1, "column": d.span.column if d.span else 1, "rule": d.rule,
                "message": d.message, "program": d.span.file if d.span else "first",
            }
            for d in rejection.diagnostics
        ]  # fmt: skip
        return {"text": "\n".join(map(str, rejection.diagnostics)), "marks": marks}
    except (UsageError, Unsupported) as error:
        return {"text": str(error)}
    except ImportError as error:
        if (said := advice(error)) is None:
            raise
        return {"text": f"this {said}, which is not here"}
    except RecursionError:
        return {"text": "the program is nested too deeply"}
    except MemoryError:
        return {"text": "there is not enough memory"}


def _checked(text: str, name: str = "first") -> CheckedModule:
    return api.check(api.parse(text, filename=name))


def _arguments(request: Request, checked: CheckedModule) -> list[Any]:
    from refrelax.testing.arguments import parameters, random_arguments

    if str(request.get("args") or "").strip():
        return _given(str(request["args"]), [type_ for _, type_ in parameters(checked.module, _entry(request))])
    dims: dict[str, int] = {}
    for each in filter(None, (part.strip() for part in str(request.get("dims") or "").split(","))):
        name, _, size = each.partition("=")
        if not size.strip().isdigit():
            raise UsageError(f"sizes: expected NAME=SIZE, found {each}")
        dims[name.strip()] = int(size)
    return random_arguments(checked.module, _entry(request), int(request.get("seed") or 0), dims, "dyadic")


def _given(text: str, types: Sequence[Type]) -> list[Any]:
    """A list in JSON, each argument read by the type of its parameter."""
    from refrelax.conformance.typed import read

    try:
        found = json.loads(text)
        if not isinstance(found, list):
            raise ValueError("expected a list")
        if len(found) != len(types):
            raise ValueError(f"expected {len(types)}, found {len(found)}")
        return list(map(read, found, types))
    except (ValueError, TypeError, KeyError, AssertionError, OverflowError, RecursionError) as error:
        raise UsageError(f"arguments: expected a list in JSON, such as [[1, 2], 3]: {error}") from None


def _entry(request: Request) -> str:
    return str(request.get("entry") or "main")


def _check(request: Request) -> Answer:
    checked = _checked(request["program"])
    lines, pictures = ["accepted"], []
    for name in checked.module.relax_functions():
        lines += ["", f"{name}: {checked.signatures[name]}"]
        trees = derivation.trees(checked, name)
        lines += [line for tree in trees for line in derivation.text(tree)]
        pictures.append(
            f"<h2>{escape(name)}</h2><div class='wide drawn'>{derivation.svg(trees, f'types of {name}')}</div>"
        )
    return {"text": "\n".join(lines), "page": sheet("Where the types come from", "".join(pictures))}


def _run(request: Request) -> Answer:
    checked = _checked(request["program"])
    args, reading = _arguments(request, checked), str(request.get("reading") or "ieee")
    end = api.run(checked, _entry(request), args=copies(args), numerics=reading, budget=BUDGET)
    lines = [f"argument {k}: {brief(each)}" for k, each in enumerate(args)] + ["", type(end).__name__]
    return {"text": "\n".join([*lines, *ended(end, args)])}


def _trace(request: Request) -> Answer:
    checked = _checked(request["program"])
    run = record(checked, _entry(request), *_arguments(request, checked), loops=True, keep=20_000, budget=BUDGET)
    return {"text": f"{len(run.steps)} steps", "page": stepper.page(run.json())}


def _permitted(request: Request) -> Answer:
    checked = _checked(request["program"])
    args = _arguments(request, checked)
    page = permitted.page(checked, _entry(request), args, str(request.get("element") or ""), budget=BUDGET)
    return {"text": "what is permitted of this run", "page": page}


def _lower(request: Request) -> Answer:
    from refrelax.lower import lower

    checked = _checked(request["program"])
    lowered = lower(checked)
    lines = [f"{step.name}: {step.evidence}" for step in lowered.steps]
    return {"text": "\n".join(lines), "page": comparison.lowered(lowered, checked)}


def _validate(request: Request) -> Answer:
    from refrelax.judge import validate

    before, after = _checked(request["program"]), _checked(request.get("second") or "", "second")
    verdict = validate(before, after, _entry(request))
    return {"text": str(verdict), "page": comparison.validated(verdict, before.module, after.module)}


def _exercise(request: Request) -> Answer:
    from refrelax.exercises import EXERCISES
    from refrelax.exercises.exercise import verdict

    number = str(request.get("exercise") or "")
    if not number.isdigit() or not 1 <= int(number) <= len(EXERCISES):
        raise UsageError(f"there are exercises 1 to {len(EXERCISES)}")
    missing = verdict(EXERCISES[int(number) - 1], request["program"])
    return {"text": missing or "Right.", "right": not missing}


def _explain(request: Request) -> Answer:
    from refrelax.conformance.spec_text import following, paragraphs

    rule = str(request.get("rule") or "")
    found = next((each for each in paragraphs() if each.rule == rule), None)
    if found is None:
        raise UsageError(f"there is no rule {rule!r}")
    return {"text": f"{found.text}\n{following(found)}".strip() + f"\n\n{found.place}"}


def _prove(request: Request) -> Answer:
    from refrelax.shape_solver import prove

    claim, given = (str(request.get(name) or "").strip() for name in ("claim", "assume"))
    if not claim or "\n" in claim:
        raise UsageError(
            "prove takes a claim in one line where the first program stands, such as n * 2 == n + n, and assumptions, "
            "a line each, where the second one stands"
        )
    return {"text": str(prove(claim, assume=[line for line in given.splitlines() if line.strip()]))}


ACTIONS: dict[str, Callable[[Request], Answer]] = {
    "check": _check, "run": _run, "trace": _trace, "permitted": _permitted, "lower": _lower, "validate": _validate,
    "prove": _prove, "exercise": _exercise, "explain": _explain,
}  # fmt: skip
"""What can be asked."""
