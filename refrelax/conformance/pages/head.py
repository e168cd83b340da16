"""What stands on a page before its sections: the family in words, its constraints, those that are said elsewhere."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from refrelax.conformance.pages.constraints import RULES
from refrelax.semantics.ops import FAMILIES, layout

COMMON = "op.common/"
"""How the rules of the page of what all share begin."""

SHARED = "refrelax.semantics.ops."


def head(family: Any, ends: Mapping[str, str]) -> list[str]:
    """The lines of a family's page above its first operator."""
    title, _, rest = (inspect.getdoc(family) or "").partition("\n")
    lines = [f"# Operators: {title.rstrip('.')}", "", re.sub(r"Spec: .*", "", rest).strip().replace("``", "`"), ""]
    own = rules_of(family)
    return _plain([*lines, "## Constraints", "", *constraints(own, ends), *_elsewhere(family, own)])


def common(ends: Mapping[str, str]) -> list[str]:
    """The constraints of the page of what all share."""
    return _plain(["## Constraints", "", *constraints([r for r in RULES if r.startswith(COMMON)], ends)])


def _plain(lines: Iterable[str]) -> list[str]:
    """Lines as they stand on a page: one empty line at most, none at the end."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").split("\n")


def rules_of(family: Any) -> list[str]:
    """The rules whose paragraphs stand on the family's page."""
    return [rule for rule in _cited(family) if said()[rule] == family.PAGE]


@cache
def said() -> dict[str, str]:
    """The page of each rule: of the first family whose code names it."""
    found = {rule: "common" for rule in RULES if rule.startswith(COMMON)}
    for family in FAMILIES:
        for rule in _cited(family):
            found.setdefault(rule, family.PAGE)
    return found


@cache
def _cited(family: Any) -> tuple[str, ...]:
    source = inspect.getsource(family)
    extra = inspect.getsource(layout) if family.PAGE == "conv" else ""
    return tuple(sorted(rule for rule in RULES if f'"{rule}"' in source + extra))


def constraints(rules: Iterable[str], ends: Mapping[str, str]) -> list[str]:
    """Constraints, numbered, each with its end."""
    lines = list[str]()
    for number, rule in enumerate(rules, 1):
        end = f" *Ends: {ends[rule]}.*" if ends.get(rule) else ""
        lines += [f"{number}. **`{rule}`** — {RULES[rule]}{end}", ""]
    return lines


def _elsewhere(family: Any, own: Iterable[str]) -> list[str]:
    """The rules that other pages say and that count here: those of functions of other families that this one takes."""
    taken = [f for f in vars(family).values() if inspect.isroutine(f) and f.__module__.startswith(SHARED)]
    rooms = [family, layout] if any(each is layout for each in vars(family).values()) else [family]
    source = "\n".join(map(inspect.getsource, [*rooms, *taken]))
    own = set(own)
    found = sorted(rule for rule in RULES if f'"{rule}"' in source and rule not in own and rule in said())
    links = ", ".join(f"[`{rule}`]({said()[rule]}.md)" for rule in found)
    return [f"Said elsewhere, and counts here: {links}.", ""] if links else []
