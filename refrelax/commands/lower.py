"""``lower``: passes over a module, each with the claims that its rewrites rest on."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from refrelax import api
from refrelax.commands.shared import add_json, emit, read_checked
from refrelax.errors import UsageError
from refrelax.lower import PASSES, PIPELINES, Lowered, Step
from refrelax.lower import lower as lower_module
from refrelax.lower.claims import Claim
from refrelax.lower.dispatch_library import DEFAULT, KNOWN
from refrelax.lower.memory_report import Use, successive_use
from refrelax.lower.pipeline import DISPATCH
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar
from refrelax.views import comparison, plan
from refrelax.views.sheet import sheet


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="TVMScript; - is standard input")
    parser.add_argument("--consts", metavar="C.npz", help='the arrays behind metadata["ir.GenericConst"][k], by index')
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--pipeline", default="default", help=f"one of {', '.join(PIPELINES)}")
    chosen.add_argument("--passes", metavar="a,b", help=f"passes in order, of {', '.join(PASSES)}")
    parser.add_argument(
        "--library",
        metavar="NAME|FILE",
        action="append",
        help=f"for {DISPATCH}, in place of {', '.join(DEFAULT)}: one of {', '.join(KNOWN)}, or a file of contracts",
    )
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal", help="of the solver")
    parser.add_argument("--show-evidence", action="store_true", help="every claim, with its answer")
    parser.add_argument("-o", "--output", metavar="OUT", help="write the lowered module here instead of printing it")
    parser.add_argument(
        "--memory", metavar="n=128,256", action="append",
        help="instead of the module: the bytes of successive runs at these values of a symbol (n=1..8: all of them), "
        "before and after a plan; may be repeated, for another symbol",
    )  # fmt: skip
    parser.add_argument(
        "--cost", metavar="n=128", action="append",
        help="instead of the module: the launches of its CUDA kernels (mode fast) at this value of a symbol, and the "
        "bytes that they read and write; may be repeated, for another symbol",
    )  # fmt: skip
    parser.add_argument("--entry", help="with --memory or --cost: the function (main)")
    parser.add_argument(
        "--html",
        metavar="OUT",
        help="also a page: each pass side by side with its claims; with --memory, the plan",
    )
    add_json(parser)


def lower(options: argparse.Namespace) -> int:
    """0 lowered, 1 rejected. The module goes to standard output (or OUT), what happened to standard error."""
    checked = read_checked(options.file, options.consts)
    passes = None if options.passes is None else [each for each in options.passes.split(",") if each]
    lowered = lower_module(checked, options.pipeline, passes, options.effort, options.library)
    if options.html is not None and options.memory is None:
        Path(options.html).write_text(comparison.lowered(lowered, checked), encoding="utf-8")
    if options.memory is not None:
        return _memory(lowered, options)
    if options.cost is not None:
        return _cost(lowered, options)
    if options.entry is not None:
        raise UsageError("--entry has an effect with --memory and --cost alone: every function is lowered")
    text = api.print_module(lowered.module.module).rstrip("\n") + "\n"
    if options.output is not None:
        Path(options.output).write_text(text, encoding="utf-8")
    if options.json:
        for step in lowered.steps:
            emit(_row(step))
        if options.output is None:
            emit({"module": text})
        return 0
    _tell(lowered, options.show_evidence)
    if options.output is None:
        sys.stdout.write(text)
    return 0


def _known(module: Module, name: str, runs: list[dict[str, int]]) -> None:
    """See that every name of ``--memory`` is a symbol of the function."""
    own = {each.name for each in nodes(module.functions.get(name)) if isinstance(each, SymVar)}
    unknown = sorted({each for symbols in runs for each in symbols} - own)
    if own and unknown:
        raise UsageError(f"{name} has no symbol {', '.join(unknown)}; it has {', '.join(sorted(own))}")


def _memory(lowered: Lowered, options: argparse.Namespace) -> int:
    """The bytes of successive runs, without a plan and with it."""
    if options.output is not None:
        raise UsageError("-o has no effect with --memory, which writes no module")
    names = [step.name for step in lowered.steps]
    if "plan_memory" not in names[1:]:
        raise UsageError(
            f"--memory compares the memory before and after plan_memory; the passes are {', '.join(names)}"
        )
    at = names.index("plan_memory", 1)
    runs = _runs(options.memory)
    _known(lowered.steps[at - 1].module.module, options.entry or "main", runs)
    before, after = (
        successive_use(step.module.module, runs, options.entry or "main")
        for step in (lowered.steps[at - 1], lowered.steps[at])
    )
    if options.html is not None:
        modules = (lowered.steps[at - 1].module.module, lowered.steps[at].module.module)
        body = plan.charts(*modules, runs, options.entry or "main")
        Path(options.html).write_text(sheet("Memory before and after a plan", body), encoding="utf-8")
    if options.json:
        for a, b in zip(before, after, strict=True):
            emit({"symbols": dict(a.symbols), "before": _row_of(a), "after": _row_of(b)})
        return 0
    lines: list[tuple[str, ...]] = [("run", "tensors", "live at once", "planned", "held before", "held after")]
    for a, b in zip(before, after, strict=True):
        where = " ".join(f"{name}={k}" for name, k in a.symbols.items())
        lines.append((where, *(f"{k:_}".replace("_", " ") for k in (a.total, a.peak, b.peak, a.held, b.held))))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print(
            "  ".join(
                each.rjust(w) if k else each.ljust(w) for k, (each, w) in enumerate(zip(line, widths, strict=True))
            )
        )
    held, planned = before[-1].held, after[-1].held
    if held:
        print(f"held after all of them: {held} -> {planned} bytes ({100 * (planned - held) / held:+.1f} %)")
    return 0


def _cost(lowered: Lowered, options: argparse.Namespace) -> int:
    """What a call launches on a device, counted without one."""
    if options.output is not None:
        raise UsageError("-o has no effect with --cost, which writes no module")
    from refrelax.extras import optional

    (symbols,) = _runs(options.cost, "--cost", most=1)
    with optional("--cost"):
        from refrelax.backends.cupy_.compile import cost_of

        found = cost_of(lowered.module, options.entry or "main", symbols)
    if options.json:
        for each in found.kernels:
            emit(asdict(each))
        emit({"launches": found.launches, "read": found.read, "written": found.written})
    else:
        print(found)
    return 0


def _row_of(use: Use) -> dict[str, int]:
    return {"total": use.total, "peak": use.peak, "held": use.held}


def _runs(given: list[str], option: str = "--memory", most: int = 0) -> list[dict[str, int]]:
    """``n=1,2`` and ``m=3`` as the symbols of each run (of which there are ``most`` at most); one value stands for all
    runs."""
    columns: dict[str, list[int]] = {}
    for each in given:
        name, _, values = each.partition("=")
        try:
            columns[name] = [k for part in values.split(",") for k in _several(part)]
        except ValueError:
            wanted = "NAME=INT" if most == 1 else "NAME=INT,INT,… or NAME=INT..INT"
            raise UsageError(f"{option}: expected {wanted}, found {each!r}") from None
        if not name or min(columns[name], default=-1) < 0:
            raise UsageError(f"{option}: expected extents of a symbol, found {each!r}")
    count = max(map(len, columns.values()))
    if count > most > 0:
        raise UsageError(f"{option}: one value of each symbol, found {', '.join(given)}")
    if any(len(values) not in (1, count) for values in columns.values()):
        raise UsageError(f"{option}: one value or {count} of each symbol, found {', '.join(given)}")
    return [{name: values[k % len(values)] for name, values in columns.items()} for k in range(count)]


MOST_RUNS = 256
"""Values of a symbol that ``a..b`` stands for at most."""


def _several(text: str) -> range:
    """``3`` or ``1..8``, which stands for every value from 1 to 8."""
    first, dots, last = text.partition("..")
    found = range(int(first), int(last if dots else first) + 1)
    if len(found) > MOST_RUNS:
        raise UsageError(f"--memory: {text} are more than {MOST_RUNS} runs")
    return found


def _tell(lowered: Lowered, claims: bool) -> None:
    for step in lowered.steps:
        print(f"{step.name}: {step.evidence}", file=sys.stderr)
        for claim in step.claims if claims else ():
            print(f"  {claim}", file=sys.stderr)


def _row(step: Step) -> dict[str, object]:
    return {"pass": step.name, "evidence": step.evidence, "claims": [_claim(each) for each in step.claims]}


def _claim(claim: Claim) -> dict[str, object]:
    from refrelax.syntax.write.scalars import expression

    return {
        "rule": claim.rule,
        "where": claim.where,
        "claim": expression(claim.statement),
        "assume": [expression(each) for each in claim.assumptions],
        "fits": claim.fits,
        "answer": type(claim.answer).__name__,
    }
