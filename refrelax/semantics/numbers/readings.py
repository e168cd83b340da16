"""The readings by name."""

from __future__ import annotations

from collections.abc import Callable

from refrelax.errors import UsageError
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.exact import exact
from refrelax.semantics.numbers.guarded import guarded
from refrelax.semantics.numbers.ideal import ideal
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.numbers.sampled import sampled
from refrelax.semantics.numbers.strict import strict
from refrelax.semantics.numbers.symbolic import symbolic

READINGS: dict[str, Callable[[int], Numerics]] = {
    "ieee": lambda _seed: ieee(),
    "enclosure": lambda _seed: enclosure(),
    "strict": lambda _seed: strict(),
    "sampled": sampled,
    "exact": lambda _seed: exact(),
    "symbolic": lambda _seed: symbolic(),
    "guarded": lambda _seed: guarded(),
    "ideal": lambda _seed: ideal(),
}
"""Every reading by name; only ``sampled`` makes use of the seed."""


def reading(name: str, seed: int = 0) -> Numerics:
    """The reading ``name``.

    Raises:
        UsageError: no reading has this name.
    """
    make = READINGS.get(name)
    if make is None:
        raise UsageError(f"no reading is called {name!r}: expected one of {', '.join(READINGS)}")
    return make(seed)
