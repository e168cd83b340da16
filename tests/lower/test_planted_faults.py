"""How many faults are planted in the passes of the paper's pipeline, and that the named ones are among them.

That each is refuted is asked where it is planted: `test_dispatch_faults`, `test_memory_faults`, `test_build`,
`test_fusion_mutants`.
"""

from __future__ import annotations

from .memory_faults import FAULTS as OF_PLANS
from .mutants_build import FAULTS as OF_BUILDS
from .mutants_dispatch import MUTANTS as OF_DISPATCH
from .mutants_fusion import MUTANTS as OF_FUSION

NAMED = {
    "symbol used before it is bound": OF_BUILDS,
    "a host read is captured": OF_BUILDS,
    "match_cast erased": OF_BUILDS,
    "a stale workspace is read": OF_PLANS,
    "the arena is too small at the bound": OF_PLANS,
}


def test_there_are_enough() -> None:
    names = [each.name for kind in (OF_PLANS, OF_BUILDS, OF_DISPATCH, OF_FUSION) for each in kind]
    assert len(set(names)) >= 60, len(set(names))


def test_the_named_ones_are_among_them() -> None:
    for name, faults in NAMED.items():
        assert name in {each.name for each in faults}, name
