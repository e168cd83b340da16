"""A user's script, held to ``mypy --strict`` by ``make lint`` and, against the installed wheel, by the release test."""

import refrelax as rr
from refrelax import Returned, lower, prove


def first(path: str) -> float:
    with open(path) as file:  # noqa: PTH123
        checked = rr.check(rr.bind_constants(rr.parse(file.read(), filename=path), {0: [1.0]}))
    match rr.run(checked, "main", args=[[[0.0, 0.0]]], numerics="ieee", budget=rr.Budget(steps=10), externs={}):
        case rr.Returned(value=value, poison=poison):
            return float(value.tolist()[0][0]) if not poison else 0.0
        case rr.Trapped(rule=rule) | rr.Unspecified(rule=rule):
            print(rule)
        case rr.Exhausted(what):
            print(what)
    return 0.0


def judged(checked: rr.CheckedModule) -> str:
    lowered: rr.CheckedModule = lower(checked, pipeline="default").module
    match rr.diff(checked, "main", args=[[1.0]], impl="numpy"):
        case rr.Divergence(binding=binding):
            return binding
        case rr.NoVerdict(why=why):
            return why
    if isinstance(rr.validate(checked, lowered), rr.Refuted):
        return rr.print_module(lowered.module)
    found = rr.bisect(checked, "main", [[1.0]], impl="refrelax", pipeline="default")
    if isinstance(found, rr.WrongPass):
        return found.name
    executable = rr.compile(checked, backend="numpy", mode="bits")
    outcome = executable.run("main", [1.0])
    return executable.source if isinstance(outcome, Returned) else ""


def proved() -> bool:
    answer = prove("n + 1 > n", assume=["n >= 0"], effort="quick")
    if isinstance(answer, rr.Refuted):
        print(dict(answer.model))
    return isinstance(answer, rr.Proved) and not answer.vacuous


def refused(text: str) -> list[str]:
    try:
        rr.check(rr.parse(text))
    except rr.Rejection as rejection:
        return [f"{each.span}: {each.rule}" for each in rejection.diagnostics]
    return [rr.__version__, rr.SPEC_EDITION, *(case.name for case in rr.conformance.load())]


def enclosed(checked: rr.CheckedModule, observed: rr.Tensor) -> bool:
    events, outcome = rr.trace(checked, "main", [1.0])
    print([event.name for event in events], outcome, list(rr.remarks(checked)))
    permitted = rr.run(checked, "main", [1.0], numerics="enclosure")
    if isinstance(permitted, rr.Returned):
        match permitted.value.judge(observed):
            case rr.Inside(margin):
                return bool(margin > 0)
            case rr.Outside() | rr.Undecided():
                return False
    return False
