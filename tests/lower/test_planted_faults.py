"""How many faults are planted in the passes of the paper's pipeline, and that each kind asked for is among them.

That ``validate`` (of a library's code ``diff``) refutes each with a counterexample is asked where it is planted:
`test_dispatch_faults`, `test_memory_faults`, `test_build`, `test_fusion_mutants`. Faults that are seen before anything
is compared, since the module no longer checks, are not counted, nor those that differ in bits alone.
"""

from __future__ import annotations

from .memory_faults import FAULTS as OF_PLANS
from .mutants_build import FAULTS as OF_BUILDS
from .mutants_dispatch import MUTANTS as OF_DISPATCH
from .mutants_fusion import MUTANTS as OF_FUSION
from .test_dispatch_faults import BROKEN
from .test_fusion_mutants import UNREFUTED

REFUTED = {
    "plans": {each.name for each in OF_PLANS},
    "builds": {each.name for each in OF_BUILDS},
    "dispatch": {each.name for each in OF_DISPATCH if each.how == "refuted"},
    "fusion": {each.name for each in OF_FUSION if each.how == "outcome" and each.name not in UNREFUTED},
    "libraries": set(BROKEN),
}

NAMED = {
    "wrong contract": {"dispatch": "contract: another activation", "libraries": "transposed operand"},
    "stale workspace": {"plans": "a stale workspace is read"},
    "arena too small at one shape": {"plans": "the arena is too small at the bound"},
    "capture of a host read": {"builds": "a host read is captured"},
    "symbol used before it is bound": {"builds": "symbol used before it is bound"},
    "erased check that mattered": {"builds": "match_cast erased"},
}


def test_there_are_enough() -> None:
    assert sum(map(len, REFUTED.values())) >= 60, REFUTED
    assert all(len(names) >= 10 for names in REFUTED.values()), REFUTED


def test_every_kind_is_among_them() -> None:
    for kind, faults in NAMED.items():
        for where, name in faults.items():
            assert name in REFUTED[where], kind
