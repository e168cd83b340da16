"""Generated programs through TVM's pipelines: does every pass keep the meaning?

    REFRELAX_TVM_PYTHON=… .venv/bin/python tools/follow_tvm.py [--count 200] [--seed 0] [--pipeline default_build]
                                                               [--setting symbolic] [--out DIR]

Programs come from ``rr.testing.modules``, the same ones for a seed. Each is run by the definition as it stands after
every pass, on dyadic arguments, and compared with the first one (``rr.judge.follow``). Settings:

``symbolic``   as generated, with the symbols n and m, no extent computed by floats (on which ``FoldConstant`` ends)
``floats``     the same, with such extents
``bounded``    the same, with upper bounds declared for them, which memory planning uses
``static``     generated without symbols

Printed: how many programs went through how many stages, how each stage compared, and every program that did not end
as ``None``. With ``--out`` those are kept as files, with what ``bisect`` says.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

import refrelax as rr
from refrelax import judge
from refrelax.interop.tvm import TvmPasses
from refrelax.syntax.module import Module

SETTINGS = ("symbolic", "floats", "bounded", "static")
EXTENTS = ((3, 5), (1, 4), (0, 2), (4, 1), (2, 7))
"""Values of n and m, in turn."""


def generate(count: int, start: int, setting: str = "symbolic") -> list[Module]:
    """``count`` modules, the same ones for a seed."""
    found: list[Module] = []
    symbols = () if setting == "static" else ("n", "m")
    features = [each for each in rr.testing.FEATURES if each != "float_extents" or setting == "floats"]

    @seed(start)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(rr.testing.modules(max_bindings=8, symbols=symbols, features=features))
    def collect(module: Module) -> None:
        found.append(bounded(module) if setting == "bounded" else module)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reader raises Python's recursion limit
        collect()
    return found


def bounded(module: Module) -> Module:
    """``main`` with upper bounds for its symbols, in the attribute that TVM's planner reads."""
    text = rr.print_module(module)
    line = 'R.func_attr({"tir_var_upper_bound": {"m": 8, "n": 8}})\n        '
    head, sign, tail = text.partition("    def main(")
    signature, end, body = tail.partition(":\n        ")
    return replace(rr.parse(head + sign + signature + end + line + body), constants=module.constants)


def dims(module: Module, k: int) -> dict[str, int]:
    """Values for the symbols that the parameters of ``main`` mention."""
    from refrelax.testing.arguments import symbols_of

    chosen = dict(zip(("n", "m"), EXTENTS[k % len(EXTENTS)], strict=True))
    return {name: chosen[name] for name in symbols_of(module, "main") if name in chosen}


@dataclass
class Tally:
    """What a campaign found."""

    programs: int = 0
    through: int = 0
    stages: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    odd: list[tuple[int, Module, list[Any], Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, k: int, module: Module, args: list[Any], found: judge.Bisection, why: str | None = None) -> None:
        """Count one program; ``why``: the known fault that was found."""
        self.programs += 1
        self.stages += len(found.steps)
        self.verdicts.update(step.verdict for step in found.steps)
        self.ends[describe(why or found.answer)] += 1
        if found.answer is None:
            self.through += 1
        elif why is None and not getattr(found.answer, "excluded", False):
            self.odd.append((k, module, args, found))


@dataclass(frozen=True)
class Known:
    """A fault of TVM 0.27 that ``spec/deviations.md`` shows: how it is recognised.

    The pass, what is said of it (a pattern), and either a pattern of the text after it, or a change of the program
    (pattern, replacement) without which it does not happen.
    """

    title: str
    name: str
    message: str
    after: str = ""
    without: tuple[str, str] | None = None


KNOWN = (
    Known("a call in place whose kernel has other symbols", "FuseTIR", r"Inconsistent buffers"),
    Known("an einsum over an empty axis", "build", r"\(einsum\) is outside"),
    Known("rms_norm of rank 1", "LegalizeOps", r"Tensor dimension mismatch in read"),
    Known("a storage used where it is not defined", "StaticPlanBlockMemory", r"wf/var-defined-before-use\]$"),
    Known("layer_norm ignores center, scale", "LegalizeOps", "outside", "", (r"(center|scale)=False", r"\1=True")),
    Known(
        "an empty sum is never written", "LegalizeOps", "st/never-written", r"T\.grid\(.*T\.int64\(0\)\):\n.*T_einsum"
    ),
    Known("a dataflow variable used outside of its block", "InlinePrivateFunctions", r"wf/dataflow-var-scope\]$"),
    Known("a parameter's extent of a float is not folded", "FoldConstant", "no block is being built"),
    Known("functions inside of functions are not lifted", "VMShapeLower", "make sure to run it after LambdaLift"),
    Known("functions inside of functions are not lifted", "build", "make sure to run it after LambdaLift"),
    Known("a variance in one pass", "build", r"nn\.(group|instance)_norm\) is outside"),
    Known("a scan along an empty axis", "DispatchSortScan", "out-of-bounds", r"in range\((T\.int64\(-1\)|.* - .*)\)"),
)


def explained(module: Module, args: list[Any], pipeline: str, passes: TvmPasses, wrong: rr.WrongPass) -> str | None:
    """The title of a known fault, if that is what was found."""
    for known in KNOWN:
        if known.name != wrong.name or not re.search(known.message, wrong.message):
            continue
        if not re.search(known.after, wrong.after.text):
            continue
        if known.without is not None:
            text, times = re.subn(*known.without, rr.print_module(module))
            other = replace(rr.parse(text), constants=module.constants)
            still = rr.bisect(other, "main", args, passes, pipeline, rr.testing.EXTERNS)
            if not times or (isinstance(still, rr.WrongPass) and still.name == known.name):
                continue
        return known.title
    return None


def describe(answer: Any) -> str:
    """An answer without what differs between programs."""
    match answer:
        case None:
            return "none"
        case str():
            return f"known: {answer}"
        case rr.WrongPass(name=name, message=message):
            return f"FOUND {name}: {message[-90:]}"
        case _:
            return f"no verdict: {answer.why[:150]}"


def campaign(modules: list[Module], pipeline: str, externs: Mapping[str, Any] | None = None) -> Iterator[Tally]:
    """Follow every module; yields the tally after each."""
    tally = Tally()
    start = time.monotonic()
    passes = TvmPasses()
    for k, module in enumerate(modules):
        try:
            args = rr.testing.random_arguments(module, "main", k, dims(module, k), "dyadic")
        except rr.UsageError:
            continue
        found = judge.follow(module, "main", args, passes, pipeline, externs or rr.testing.EXTERNS)
        wrong = found.answer if isinstance(found.answer, rr.WrongPass) else None
        why = None if wrong is None else explained(module, args, pipeline, passes, wrong)
        tally.add(k, module, args, found, why)
        tally.seconds = time.monotonic() - start
        yield tally
    passes.close()


def main() -> None:
    """Run one campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="default_build")
    parser.add_argument("--setting", choices=SETTINGS, default="symbolic")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tallies = campaign(generate(options.count, options.seed, options.setting), options.pipeline)
    *_, tally = tallies
    report(tally, options)


def report(tally: Tally, options: argparse.Namespace) -> None:
    """Figures, and the programs that did not end as ``None``."""
    print(
        f"{options.pipeline}, {options.setting}, seed {options.seed}: {tally.programs} programs, {tally.through} whole"
    )
    print(f"{tally.stages} stages in {tally.seconds:.0f} s: {dict(tally.verdicts.most_common())}")
    for end, times in tally.ends.most_common():
        print(f"{times:5}  {end}")
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        for k, module, _args, found in tally.odd:
            pipeline = options.pipeline.rpartition(":")[2]
            stem = options.out / f"{options.setting}-{pipeline}-{options.seed}-{k}"
            stem.with_suffix(".py").write_text(rr.print_module(module), encoding="utf-8")
            said = {"answer": repr(found.answer), "steps": [(s.stage.name, s.verdict) for s in found.steps]}
            stem.with_suffix(".json").write_text(json.dumps(said, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
