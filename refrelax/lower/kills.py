"""Names whose life a program itself ends: nobody may use one afterwards, where another name of its memory may go on.

Spec: ``spec/08-effects-and-storage.md``, ``ev/kill``.
"""

from __future__ import annotations

from typing import Any

from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Op, Var


def killed(root: Any) -> frozenset[str]:
    """The names that are killed below ``root``."""
    calls = (each for each in nodes(root) if isinstance(each, Call) and isinstance(each.op, Op))
    ended = (each.args[0] for each in calls if each.op.name in KILLS and each.args)
    return frozenset(each.name for each in ended if isinstance(each, Var))
