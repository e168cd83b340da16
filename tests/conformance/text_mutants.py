"""Who sees a broken text of an operator: NumPy, by the samples of the catalogue and the table of oracles, then cases.

``refrelax rules mutate --only text/`` asks the cases alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import refrelax as rr
from refrelax.conformance import mutate
from refrelax.conformance.equivalent import why_equivalent
from refrelax.conformance.mutants import Mutant, in_force, settled
from refrelax.semantics.ops import OPERATORS
from refrelax.testing.limits import limited
from refrelax.testing.oracles import ORACLES, Absent
from tests.semantics.ops.catalogue import SAMPLES, Sample, data
from tests.semantics.ops.test_values import as_array, close, leaves
from tests.testing.oracle_calls import asked, by_numpy, refused

SECONDS = 20
SHARED = 60
"""Samples asked about what several families share."""


def by_file() -> dict[str, set[str]]:
    """The operators of each file of texts."""
    found: dict[str, set[str]] = {}
    for name, each in OPERATORS.items():
        found.setdefault(f"{each.page.removesuffix('.md')}.py", set()).add(name)
        text: Any = each.text
        if text is not None:
            found.setdefault(Path(text.__code__.co_filename).name, set()).add(name)
    return found


def killers(mutant: Mutant) -> Iterator[tuple[str, Callable[[], bool]]]:
    """What may see a mutant: a name, and whether all is as it should be."""
    names = by_file().get(Path(mutant.file).name, set(OPERATORS))
    samples = [s for s in SAMPLES if f"relax.{s.op}" in names]
    step = max(1, len(samples) // SHARED) if len(names) == len(OPERATORS) else 1
    for k, sample in enumerate(samples[::step]):
        yield f"sample {k} of {sample.op}", lambda s=sample: of_sample(s)
    for name in sorted(names):
        rows = ORACLES.get(name, ())
        for oracle in () if isinstance(rows, Absent) else rows:
            if oracle.library == "numpy" and not oracle.workers:
                yield f"oracle of {name}", lambda o=oracle: of_oracle(o)
    words = re.compile("|".join(rf"\bR\.{re.escape(n.removeprefix('relax.'))}\(" for n in sorted(names)))
    cases = [c for c in (*mutate.tie.read().cases, *mutate.tie.read().examples) if words.search(c.module)]
    for case in cases[:: max(1, len(cases) // 200)]:
        yield case.name, lambda c=case: mutate.run_case(c).passed


@cache
def modelled(sample: Sample, seed: int) -> tuple[Any, list[np.ndarray], list[Any]]:
    arrays = data(sample, seed=seed)
    expected = sample.model(*arrays)
    return rr.check(rr.parse(sample.text)), arrays, list(expected) if isinstance(expected, tuple) else [expected]


def of_sample(sample: Sample) -> bool:
    for seed in (0, 1):
        checked, arrays, expected = modelled(sample, seed)
        out = rr.run(checked, "main", *arrays)
        if not isinstance(out, rr.Returned):
            return False
        found = [out.value] if isinstance(out.value, rr.Shape) else leaves(out.value)
        wanted = [tuple(expected)] if isinstance(out.value, rr.Shape) and len(expected) > 1 else expected
        if not all(close(as_array(a), b, sample.ulps) for a, b in zip(found, wanted, strict=True)):
            return False
    return True


def of_oracle(oracle: Any) -> bool:
    call = asked(oracle)
    checked = rr.check(rr.parse(call.text))
    for seed in (0, 1):
        arrays = call.arguments(seed)
        out = rr.run(checked, "main", *arrays, numerics="enclosure")
        if not isinstance(out, rr.Returned) or refused(out.value, by_numpy(call, arrays)) is not None:
            return False
    return True


def killer(mutant: Mutant) -> str | None:
    """Who sees it first; ``None`` if nobody does."""
    with in_force(mutant) as possible:
        if not possible:
            return "(cannot be compiled)"
        for name, fine in killers(mutant):
            try:
                with limited(SECONDS):
                    if not fine():
                        return name
            except (Exception, RecursionError) as error:
                return f"{name} ({type(error).__name__})"
    return None


def judged(only: str = "text/", part: int = 0, parts: int = 1) -> Iterator[tuple[Mutant, str | None]]:
    """Every mutant that is no equivalent one, and who sees it."""
    chosen = mutate.choose(None, only=only)
    with settled():
        for k, mutant in enumerate(chosen):
            if k % parts == part and why_equivalent(mutant) is None:
                yield mutant, killer(mutant)
