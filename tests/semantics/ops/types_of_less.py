"""What every operator's call is deduced to be where less is known of its arguments, or another thing: the catalogue's
calls with one parameter at a time of unknown extents, rank or dtype, of symbolic extents, of one axis more, of another
dtype. Of each operator the texts of the types, or of the rules that refuse, in six letters, and how many are refused.

It is written down by ``tools/make_decisions.py``, and held by ``test_types_of_less.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import refrelax as rr
from refrelax.syntax.write.types import type_text
from tests.digests import digest

from .catalogue import SAMPLES, Sample

FROZEN = Path(__file__).parent / "types_of_less.txt"


def others(shape: tuple[int, ...], dtype: str) -> Iterator[str]:
    """The types that take the place of a parameter's, those that say less of it first."""
    yield f'R.Tensor(dtype="{dtype}", ndim={len(shape)})'
    yield f'R.Tensor(dtype="{dtype}")'
    yield f"R.Tensor({shape})"
    yield f'R.Tensor({shape if not shape else tuple(f"n{k}" for k in range(len(shape)))}, dtype="{dtype}")'
    yield f'R.Tensor({(*shape, 1)}, dtype="{dtype}")'
    yield f'R.Tensor({tuple(n + 1 for n in shape)}, dtype="{dtype}")'
    yield f'R.Tensor({shape}, dtype="{"float16" if dtype.startswith("int") else "int8"}")'


LESS = 3
"""How many of them say less."""


def calls(sample: Sample) -> Iterator[tuple[int, str]]:
    """Which of the other types, and the module."""
    heads = [f'R.Tensor({s}, dtype="{t}")' for s, t in sample.params]
    for place, (shape, dtype) in enumerate(sample.params):
        for k, other in enumerate(others(shape, dtype)):
            given = [other if j == place else head for j, head in enumerate(heads)]
            params = ", ".join(f"{n}: {t}" for n, t in zip("abcde", given, strict=False))
            text = f"@R.function(pure=False)\ndef main({params}):\n    gv = {sample.expr}\n    return gv\n"
            yield k, text


def told(text: str) -> str:
    """The deduced type, or what refuses."""
    try:
        return type_text(rr.check(rr.parse(text)).types["main"]["gv"])
    except rr.Rejection as refused:
        return " ".join(f"{d.rule}: {d.message}" for d in refused.diagnostics)


def by_operator() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = defaultdict(list)
    for each in SAMPLES:
        found[each.op].append(each)
    return found


def line(op: str, samples: list[Sample]) -> str:
    types = [told(text) for each in samples for _, text in calls(each)]
    return f"{op}: {digest(' | '.join(types))} {sum(not each.startswith('R.') for each in types)} of {len(types)}"


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line(op, samples)}\n" for op, samples in by_operator().items())
