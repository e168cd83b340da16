"""Where the code names a rule, read with ``ast`` (nothing is imported).

How a rule is cited follows from the call that its id stands in: ``require``, ``Diagnostic``, ``trap`` and the
``fail`` of a deduction or of the reader *reject*; ``unspecified`` and ``poison`` *open*; ``@rule`` and everything
else *implement*. A call of a helper that passes an id on is told apart by the helper's name (``REJECTING``,
``OPENING``). An id built in an f-string (``f"op.{name}/dtype"``) is a pattern: it cites every defined rule that it
matches.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from refrelax.conformance.spec_text import ID

_FULL = re.compile(rf"{ID}\Z")
_MAYBE = re.compile(r"""["'][a-z][a-z0-9_.]*[^"'\s]*/[^"'\s]+["']""")

REJECTING = re.compile(r"(require|[Dd]iagnostic|trap|fail|refuse|reject|diagnose|complain|error)\w*\Z")
OPENING = re.compile(r"(unspecified|poison|Poison|Unspecified)\w*\Z")

_TEMPLATE = re.compile(r"""\b[rR]?[fF][rR]?(["'])((?:(?!\1).)*/(?:(?!\1).)*)\1""")
"""An f-string in which a slash stands; that of an id is written in one piece."""

SKIPPED = ("conformance", "commands", "cli.py")
"""Rooms that talk about rules and implement none."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One place that names a rule. ``rule`` is an id, or a pattern if ``dynamic``; ``kind``: rejects, opens,
    implements."""

    rule: str
    kind: str
    file: str
    line: int
    dynamic: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def names(self, rule: str) -> bool:
        """Whether this place names ``rule``."""
        return re.fullmatch(self.rule, rule) is not None if self.dynamic else self.rule == rule


def package() -> Path:
    """The folder of the package."""
    return Path(__file__).resolve().parents[1]


def scan(root: Path | None = None, areas: frozenset[str] | None = None) -> list[Citation]:
    """Every citation in the package.

    ``areas`` (the part before the slash) tell an id from any other text with a slash where it stands outside a call
    that is known to take one; without them only such calls count.
    """
    files = _texts(root or package())
    return [each for file, text in files for each in _Scanner(file, areas or frozenset(), text).scan()]


def naming(rule: str, areas: frozenset[str]) -> list[Citation]:
    """What ``scan`` finds of one rule. Only files whose text may name it are parsed: parsing all takes seconds."""
    return [
        each
        for file, text in _own_texts()
        if rule in text or any(template.fullmatch(rule) for template in _templates(file))
        for each in _of_file(file, areas)
        if each.names(rule)
    ]


def _texts(base: Path) -> Iterator[tuple[str, str]]:
    """The files that may implement rules, in order, each with its text."""
    for path in sorted(base.rglob("*.py")):
        parts = path.relative_to(base).parts
        if parts[0] not in SKIPPED and "__pycache__" not in parts:
            yield f"{base.name}/{'/'.join(parts)}", path.read_text(encoding="utf-8")


@cache
def _own_texts() -> tuple[tuple[str, str], ...]:
    return tuple(_texts(package()))


@cache
def _templates(file: str) -> tuple[re.Pattern[str], ...]:
    """What may be patterns of ids in a file, each at least as wide as what ``scan`` makes of it."""
    lines = [each for each in dict(_own_texts())[file].splitlines() if "{" in each and "/" in each]
    found = {each[2] for line in lines for each in _TEMPLATE.finditer(line)}
    parts = (re.split(r"\{[^{}]*\}", each) for each in sorted(found))
    return tuple(re.compile(".+".join(map(re.escape, each))) for each in parts if len(each) > 1)


@cache
def _of_file(file: str, areas: frozenset[str]) -> tuple[Citation, ...]:
    return tuple(_Scanner(file, areas, dict(_own_texts())[file]).scan())


class _Scanner:
    def __init__(self, file: str, areas: frozenset[str], text: str) -> None:
        self.file, self.areas, self.text = file, areas, text
        self.lines = [k for k, line in enumerate(text.splitlines(), 1) if _MAYBE.search(line)]
        """The lines where an id may stand: whatever spans none of them is not looked at."""

    def scan(self) -> list[Citation]:
        return list(self._visit(ast.parse(self.text), None)) if self.lines else []

    def _skips(self, node: ast.AST) -> bool:
        first = getattr(node, "lineno", None)
        if first is None:
            return False
        first = min([first, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        at = bisect_left(self.lines, first)
        return at == len(self.lines) or self.lines[at] > (getattr(node, "end_lineno", None) or first)

    def _visit(self, node: ast.AST, kind: str | None) -> Iterator[Citation]:
        """``kind``: how the nearest call around ``node`` cites, if it is one that takes ids."""
        if self._skips(node):
            return
        match node:
            case ast.Constant(value=str(text)) if _FULL.match(text):
                if kind is not None or text.split("/")[0] in self.areas:
                    yield Citation(text, kind or "implements", self.file, node.lineno)
            case ast.JoinedStr():
                pattern = _pattern(node)
                if kind is not None and pattern is not None:
                    yield Citation(pattern, kind, self.file, node.lineno, dynamic=True)
            case ast.Call():
                inner = _kind_of(node.func) or kind
                yield from self._visit(node.func, kind)
                for child in [*node.args, *node.keywords]:
                    yield from self._visit(child, inner)
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self._visit(child, None if isinstance(node, ast.stmt) else kind)


def _kind_of(function: ast.expr) -> str | None:
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    name = name.lstrip("_")
    if name == "rule":
        return "implements"
    if REJECTING.match(name):
        return "rejects"
    return "opens" if OPENING.match(name) else None


def _pattern(node: ast.JoinedStr) -> str | None:
    """An f-string as a regular expression for ids; ``None`` if it cannot be one."""
    parts = [re.escape(str(v.value)) if isinstance(v, ast.Constant) else "[a-z0-9_.-]+" for v in node.values]
    shape = "".join(str(v.value) if isinstance(v, ast.Constant) else "x" for v in node.values)
    fixed = "".join(str(v.value) for v in node.values if isinstance(v, ast.Constant))
    return "".join(parts) if _FULL.match(shape) and "/" in fixed and len(fixed) > 3 else None
