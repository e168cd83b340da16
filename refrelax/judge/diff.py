"""``diff``: one implementation against the definition, on given arguments.

Refinement has a direction: what the reference leaves open is excluded; what only the implementation leaves open is a
divergence. Two traps agree whatever their rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refrelax.backends import compile
from refrelax.backends.errors import Unsupported
from refrelax.errors import Exhausted, InternalError, Outcome, Rejection, Returned, Trapped, Unspecified, UsageError
from refrelax.judge.bindings import judge_frames, judge_value
from refrelax.judge.outcomes import copies, cores
from refrelax.judge.verdicts import Agreement, BindingVerdict, Divergence, NoVerdict, Verdict
from refrelax.runs import run
from refrelax.semantics.numbers.verdicts import Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.loops import PrimFunc

BACKENDS = frozenset({"numpy", "cupy", "cuda-emulated"})
"""Implementations that show every binding."""

Externs = Mapping[str, Callable[..., Any]]


def diff(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Any = "numpy",
    mode: str = "fast",
    externs: Externs | None = None,
) -> Verdict:
    """Judge an implementation on one call.

    ``impl``: ``"numpy"``, ``"cupy"``, ``"cuda-emulated"`` (judged binding by binding), or anything with
    ``run(module, entry, args) -> Outcome`` (``"tvm"``, a ``conformance.Implementation``), judged on its results.
    """
    externs = externs or {}
    reference = run(checked, entry, *copies(args), externs=externs)
    if isinstance(reference, Exhausted):
        return NoVerdict(f"the definition ran out of {reference.what}")
    if isinstance(reference, Unspecified):
        return NoVerdict(f"the definition leaves this run open: {reference.message} [{reference.rule}]", excluded=True)
    if isinstance(impl, str) and impl in BACKENDS:
        return _diff_backend(checked, entry, args, str(impl), mode, externs, reference)
    return _diff_implementation(checked, entry, args, _implementation(impl), externs, reference)


def _implementation(impl: str | Any) -> Any:
    if not isinstance(impl, str):
        return impl
    if impl == "tvm":
        from importlib import import_module

        return import_module("refrelax.interop.tvm").TvmImplementation()  # a layer below: found when it is asked for
    known = ", ".join(sorted(BACKENDS))
    raise UsageError(
        f"unknown implementation {impl!r}; known: {known}, tvm, or an object with run(module, entry, args)"
    )


def _diff_backend(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Any],
    backend: str,
    mode: str,
    externs: Externs,
    reference: Outcome,
) -> Verdict:
    try:
        executable = compile(checked, backend, mode)
    except Unsupported as missing:
        return NoVerdict(str(missing))
    if isinstance(checked.module.functions[entry], PrimFunc):
        outcome = executable.run(entry, *copies(args), externs=externs)
        return _judge_results(checked, entry, args, outcome, externs, reference)
    observed = executable.observe(entry, *copies(args), externs=externs)
    early = ends_differ(reference, observed.outcome)
    verdicts = tuple(judge_frames(checked, observed.frames, externs))
    first = next((v for v in verdicts if isinstance(v.verdict, Outside)), None)
    if first is not None:
        return Divergence(f"{first.path}/{first.name}", _outside(first), verdicts)
    if early is not None:
        return early
    if isinstance(reference, Trapped):
        return Agreement(verdicts, "both end in a trap")
    return Agreement(verdicts)


def ends_differ(reference: Outcome, outcome: Outcome) -> Divergence | NoVerdict | None:
    """The verdict when the two ends alone decide it."""
    match reference, outcome:
        case _, Exhausted(what=what):
            return NoVerdict(f"the implementation ran out of {what}")
        case (Returned(), Returned()) | (Trapped(), Trapped()):
            return None
        case Trapped(), _:
            return Divergence("", f"the definition traps ({reference.message}), the implementation does not: {outcome}")
        case _:
            return Divergence("", f"the definition returns, the implementation ends as {outcome}")


def _outside(verdict: BindingVerdict) -> str:
    assert isinstance(verdict.verdict, Outside)
    index = ", ".join(map(str, verdict.verdict.index))
    where = f"{verdict.name}[{index}]" if verdict.verdict.index else verdict.name
    by = verdict.verdict.by
    how = f"by {by:.3g} units in the last place" if by < float("inf") else "altogether"
    return f"{where} ({verdict.what}) is outside the permitted results {how}"


def _diff_implementation(
    checked: CheckedModule, entry: str, args: Sequence[Any], impl: Any, externs: Externs, reference: Outcome
) -> Verdict:
    try:
        outcome = impl.run(checked.module, entry, list(copies(args)))
    except Exception as failed:
        kind = getattr(failed, "kind", None)
        if isinstance(failed, InternalError | Rejection):
            raise
        if kind in ("absent", "unsupported"):
            return NoVerdict(str(failed))
        said = str(failed) if kind else f"{type(failed).__name__}: {failed}"
        return Divergence("", f"the implementation failed ({said})")
    return _judge_results(checked, entry, args, outcome, externs, reference)


def _judge_results(
    checked: CheckedModule, entry: str, args: Sequence[Any], outcome: Outcome, externs: Externs, reference: Outcome
) -> Verdict:
    """Judge the result and the final contents of the arguments against the enclosure of the whole call."""
    early = ends_differ(reference, outcome)
    if early is not None:
        return early
    if isinstance(reference, Trapped):
        return Agreement((), "both end in a trap")
    if isinstance(reference, Returned) and isinstance(outcome, Returned):
        opened = newly_open(reference, outcome)
        if opened is not None:
            return Divergence(entry, opened)
    permitted = run(checked, entry, *copies(args), numerics="enclosure", externs=externs)
    if not isinstance(permitted, Returned) or not isinstance(outcome, Returned):
        return Agreement((BindingVerdict(entry, "return", "result", Undecided(float("inf"))),))
    pairs = [("return", permitted.value, outcome.value)]
    if isinstance(checked.module.functions[entry], PrimFunc):
        wanted, found = len(permitted.arguments), len(outcome.arguments)
        if wanted != found:
            return Divergence(entry, f"expected the final contents of {wanted} arguments, found {found}")
        pairs = [
            (f"argument {k}", w, f) for k, (w, f) in enumerate(zip(permitted.arguments, outcome.arguments, strict=True))
        ]
    verdicts = []
    for name, wanted, found in pairs:
        verdict, excluded = judge_value(cores(wanted), found)
        verdicts.append(BindingVerdict(entry, name, "result", verdict, excluded))
        if isinstance(verdict, Outside):
            return Divergence(f"{entry}/{name}", _outside(verdicts[-1]), tuple(verdicts))
    return Agreement(tuple(verdicts))


def newly_open(reference: Returned, outcome: Returned) -> str | None:
    """An element that only the implementation leaves open: refinement has a direction."""
    known = {path for path, _ in reference.poison}
    for path, rule in outcome.poison:
        if path not in known:
            return f"{path} means nothing in the implementation [{rule}]; the definition determines it"
    return None
