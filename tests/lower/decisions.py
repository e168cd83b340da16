"""What the passes decide on many small programs and on programs a little off them: after every pass the functions,
bindings, nodes, the sum of the numbers in them, and the claims.

It is written down by ``tools/make_decisions.py``, and held by ``test_decisions.py``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import refrelax as rr
from refrelax.errors import InternalError
from refrelax.lower.pipeline import lower
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import bits
from refrelax.syntax.graph import MatchCast, VarBinding
from refrelax.syntax.scalars import Literal
from refrelax.testing.mutations import mutant
from tests.digests import digest
from tests.lower import built_modules, cases, dispatch_programs, fusion_modules, memory_modules, paper_like

FROZEN = Path(__file__).parent / "decisions.txt"

PASSES: dict[str, tuple[str, ...]] = {
    "paper": (
        "dispatch_library", "legalize", "fold_constants", "dead_code", "fuse_ops", "fuse_loops", "lift_workspace",
        "to_destinations", "plan_memory", "capture", "build",
    ),
    "default": ("legalize", "dead_code", "fuse_ops", "fuse_loops", "to_destinations", "plan_memory"),
    "operator": ("legalize", "fuse_ops", "to_destinations", "plan_memory"),
}  # fmt: skip
EVERY = 3
"""One of so many operators' calls."""
MUTANTS = 2
"""Of each program that is none of these."""


def texts() -> dict[str, tuple[str, str]]:
    """The program and its passes by name."""
    found = {f"fusion {name}": ("default", text) for name, text in fusion_modules.MODULES.items()}
    found |= {f"memory {name}": ("default", text) for name, text in memory_modules.MODULES.items()}
    found |= {f"paper {name}": ("paper", text) for name, text in paper_like.PROGRAMS.items()}
    found |= {f"built {name}": ("paper", text) for name, text in built_modules.TEXTS.items()}
    found |= {f"dispatch {name}": ("paper", dispatch_programs.program(name)) for name in dispatch_programs.PROGRAMS}
    for k, (op, params, call) in enumerate(cases.CASES[::EVERY]):
        found[f"operator {op} {k}"] = "operator", cases.module_text(params, call)
    return found


def family(name: str, kind: str, text: str) -> Iterator[tuple[str, rr.CheckedModule]]:
    try:
        checked = rr.check(rr.parse(text))
    except rr.Rejection:
        return
    yield name, checked
    for k in range(0 if kind == "operator" else MUTANTS):
        made = mutant(checked.module, random.Random(f"{name} {k}"), 1 + k)
        if made is not None:
            yield f"{name} ~{k}", made


def counted(module: rr.Module) -> str:
    """The text of a module in six letters, and its size in a few numbers."""
    every = [each for f in module.functions.values() for each in nodes(f)]
    bindings = sum(isinstance(each, VarBinding | MatchCast) for each in every)
    numbers = sum(int(bits.decode(e.dtype, e.bits)) for e in every if isinstance(e, Literal) and e.dtype[:3] == "int")
    return f"{digest(rr.print_module(module))} {len(module.functions)}f {bindings}b {len(every)}n {numbers}s"


def decided(checked: rr.CheckedModule, kind: str) -> str:
    try:
        steps = lower(checked, passes=PASSES[kind]).steps
    except (rr.Rejection, rr.RunError, InternalError) as error:
        return type(error).__name__
    return " | ".join(f"{each.name} {counted(each.module.module)} {len(each.claims)}c" for each in steps)


def lines(name: str, kind: str, text: str) -> list[str]:
    return [f"{label}: {decided(checked, kind)}" for label, checked in family(name, kind, text)]


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line}\n" for name, (kind, text) in texts().items() for line in lines(name, kind, text))
