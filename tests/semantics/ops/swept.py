"""What every operator says at a few dtypes, extents and corner values: what its calls are deduced to be or refused by,
the elements of runs, the permitted sets, the ends, messages and charges. Of each operator the types and the runs in six
letters each.

That a run ends, and in its permitted set, is held by the sweep (``refrelax/testing/sweep.py``), which asks all readings
and the backends whether they agree; what all of them say is written down here, by ``tools/make_decisions.py``, and held
by ``test_swept.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import refrelax as rr
from refrelax.semantics.ops import OPERATORS
from refrelax.syntax.write.types import type_text
from refrelax.testing import sweep
from refrelax.testing.sketches import SKETCHES
from tests.digests import digest
from tests.semantics.told_by_cases import diagnostics, run

FROZEN = Path(__file__).parent / "swept.txt"
ASKED = sorted(each for name in OPERATORS if (each := name.removeprefix("relax.")) in SKETCHES)
DTYPES = ("float32", "int8", "float16", "bool")
EXTENTS = (0, 1, 3)
KNOWN = ("all", "rank", "nothing")
"""What a program tells of its parameters, in turn."""


def told(op: str) -> Iterator[tuple[str, list[str]]]:
    """Of each program its type or what refuses it, and how it runs."""
    for k, program in enumerate(sweep.programs(op, per_dtype=1, only=DTYPES)):
        each = program.loosened(KNOWN[k % 3])
        try:
            checked = rr.check(rr.parse(each.text))
        except rr.Rejection as refused:
            yield diagnostics(refused), []
            continue
        runs = []
        for n in EXTENTS if each.sized else EXTENTS[-1:]:
            for numerics in ("ieee", "enclosure"):
                runs.append(" ".join(run(checked, "main", each.arguments(n, k, "corners"), numerics=numerics)).strip())
        yield type_text(checked.types["main"]["gv"]), runs


def line(op: str) -> str:
    found = list(told(op))
    types, runs = [each for each, _ in found], [each for _, several in found for each in several]
    return f"{op}: {digest(' | '.join(types))} {digest(' | '.join(runs))}, {len(types)} and {len(runs)}"


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line(op)}\n" for op in ASKED)
