"""What every part of the reader shares: places, unique names, scopes, and the one way to refuse a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from refrelax.errors import Diagnostic, Malformed, Span
from refrelax.rules import rule
from refrelax.syntax.editions import CURRENT, Edition
from refrelax.syntax.graph import GlobalVar, Var
from refrelax.syntax.loops import Buffer
from refrelax.syntax.read.trees import children, walk
from refrelax.syntax.scalars import Let, SymVar

MAX_DEPTH = 300
"""Deepest nesting of expressions and statements that the reader takes."""

MAX_BITS = 4096
"""Widest integer that a text may spell, and that constant arithmetic makes."""

MAX_STEPS = 50_000
"""Steps that all comprehensions of a text may take."""

_MAX_MESSAGE = 500


@dataclass(slots=True)
class Source:
    """A text and its name; makes spans and refusals."""

    text: str
    filename: str
    depth: int = 0
    deepest: int = 0
    """The deepest nesting that was met."""
    work: int = 0
    """Steps of comprehensions in constants so far, in the whole text."""
    lone: bool = False
    """Whether the functions of the text stand alone, without a module class."""
    vdevices: tuple[str, ...] = ()
    """The virtual devices that the module lists, as ``kind:index:scope``: ``"vdevice:1"`` is the second."""
    expansions: int = 0
    """Macro calls so far, in the whole text."""
    expanding: list[ast.FunctionDef] = field(default_factory=list)
    """The macros that are being expanded, outermost first."""
    edition: Edition = CURRENT
    """How the text is spelled: ``migration.py`` decides before anything is read."""
    heads: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """PEP 695 heads, ``def f[n, m: int](…)``: line of the ``def`` to (symbol, dtype), blanked out of the tree."""
    returns: dict[str, str] = field(default_factory=dict)
    """The dtypes that the loop-level functions of the module return, where their heads name one."""

    def span(self, node: ast.AST) -> Span:
        """Where ``node`` begins."""
        return Span(self.filename, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def fail(self, node: ast.AST, rule: str, message: str) -> NoReturn:
        """Refuse the text at ``node`` under ``rule``. A message that quotes a very long name is cut."""
        short = message if len(message) <= _MAX_MESSAGE else message[: _MAX_MESSAGE - 1] + "…"
        raise Malformed([Diagnostic(rule, short, self.span(node))])

    def step(self, node: ast.AST) -> None:
        """Count one step of a comprehension; refuses past ``MAX_STEPS``."""
        self.work += 1
        if self.work > MAX_STEPS:
            self.fail(node, "syn/constant-too-large", f"comprehensions of more than {MAX_STEPS} steps")

    def deeper(self, node: ast.AST) -> _Deeper:
        """Counts one level of nesting inside the ``with``; refuses under ``syn/too-deep`` past ``MAX_DEPTH``."""
        return _Deeper(self, node)


class _Deeper:
    """What ``Source.deeper`` gives: asked at every node, where a generator costs three times as much."""

    __slots__ = ("node", "source")

    def __init__(self, source: Source, node: ast.AST) -> None:
        self.source, self.node = source, node

    def __enter__(self) -> None:
        source = self.source
        if source.depth >= MAX_DEPTH:
            source.fail(self.node, "syn/too-deep", f"nesting deeper than {MAX_DEPTH} levels")
        source.depth += 1
        if source.depth > source.deepest:
            source.deepest = source.depth

    def __exit__(self, *_: object) -> None:
        self.source.depth -= 1


_SUFFIX = re.compile(r"_[0-9]+\Z")


@dataclass(slots=True)
class Names:
    """The names taken in one top-level function."""

    taken: set[str] = field(default_factory=set)
    last: dict[str, int] = field(default_factory=dict)
    """The number that each wanted name reached, so that many equal names stay cheap."""
    made: list[str] = field(default_factory=list)
    """What ``fresh`` gave, in order."""
    lets: list[tuple[str, int, Let]] = field(default_factory=list)
    """The ``T.Let``s, in order, each with the name that the text gives its variable, and its outline."""

    @rule("syn/unique-names")
    def fresh(self, wanted: str) -> str:
        """``wanted`` if free, else ``wanted_1``, ``wanted_2``, …; the result is taken from now on.

        Idempotent over a printed text: names that are already unique come back unchanged.
        """
        name, k = wanted, self.last.get(wanted, 0)
        while name in self.taken:
            k += 1
            name = f"{wanted}_{k}"
        self.last[wanted] = max(k - 1, 0)
        self.taken.add(name)
        self.made.append(name)
        return name

    def release(self, name: str) -> None:
        """Give a name back that nothing uses after all."""
        self.taken.discard(name)
        self.last.clear()

    def release_since(self, made: int, lets: int) -> None:
        """Give back what was made, and forget the lets that were read, since there were so many of each."""
        for name in self.made[made:]:
            self.release(name)
        del self.made[made:], self.lets[lets:]


@dataclass(frozen=True, slots=True)
class ModuleAlias:
    """``cls`` / ``Module``: attribute access on it gives a function of the module."""


@dataclass(frozen=True, slots=True)
class Known:
    """A Python constant known while reading: a captured number, list, string, dtype name, …"""

    value: Any


@dataclass(frozen=True, slots=True)
class TypeVarDecl:
    """``n = TypeVar("n")``: a spelling; each function that uses it gets a symbol of its own. ``dtype`` as declared."""

    name: str
    dtype: str = "int64"


@dataclass(frozen=True, slots=True)
class Macro:
    """``@T.macro def f(…)``: a call of it stands for its statements, with the names of ``scope``.

    ``graph``: it is an ``@R.macro``, whose statements are bindings and whose last one returns a value.
    """

    node: ast.FunctionDef
    scope: Scope
    hygienic: bool = True
    graph: bool = False


Entry = SymVar | Buffer | Var | GlobalVar | ModuleAlias | Known | TypeVarDecl | Macro
"""What a surface name may stand for."""


@dataclass(slots=True)
class Scope:
    """Surface names to what they stand for, innermost scope first."""

    parent: Scope | None = None
    table: dict[str, Entry] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    """The names that have been ``TypeVar``s here."""

    def lookup(self, name: str) -> Entry | None:
        """The entry of ``name`` in this scope or an enclosing one."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.table.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def define(self, name: str, entry: Entry) -> None:
        """Give ``name`` a meaning here, hiding any outer one."""
        self.table[name] = entry
        if isinstance(entry, TypeVarDecl):
            self.declared.add(name)

    def child(self) -> Scope:
        """A scope inside this one."""
        return Scope(self)


def used_names(nodes: Iterable[ast.AST | None]) -> list[str]:
    """Names that occur in ``nodes``, in source order, each once; quoted expressions (``"n * 2"``) are looked into."""
    found: dict[tuple[int, int], list[str]] = {}
    pending = [n for n in nodes if n is not None]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            found.setdefault((node.lineno, node.col_offset), []).append(node.id)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                found.setdefault((node.lineno, node.col_offset), []).extend(_IDENTIFIER.findall(node.value))
        elif not (isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in _NAMESPACES):
            pending.extend(children(node))
    return list(dict.fromkeys(name for place in sorted(found) for name in found[place]))


_NAMESPACES = ("R", "T", "I")
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.])")


def _bound_inside(node: ast.FunctionDef) -> set[str]:
    """Names that the body gives a meaning of its own: assigned, or parameters of a local function."""
    inside = [each for statement in node.body for each in walk(statement)]
    stored = {each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return stored | {each.arg for each in inside if isinstance(each, ast.arg)}


def _without_functions(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """The parts of a body that lie in no local function: such a function has symbols of its own."""
    pending: list[ast.AST] = list(statements)
    while pending:
        each = pending.pop()
        if not isinstance(each, ast.FunctionDef):
            pending.extend(child for child in ast.iter_child_nodes(each) if isinstance(child, ast.stmt))
            yield from (child for child in ast.iter_child_nodes(each) if not isinstance(child, ast.stmt))


def _used_in_body(node: ast.FunctionDef, scope: Scope, known: set[str]) -> tuple[list[str], set[str]]:
    """Names that the body uses and binds; not looked for when no ``TypeVar`` is left that only a body could use."""
    left: Scope | None = scope
    while left is not None:
        if any(isinstance(left.table[name], TypeVarDecl) and name not in known for name in left.declared):
            return used_names(_without_functions(node.body)), _bound_inside(node)
        left = left.parent
    return [], set()


def own_symbols(src: Source, node: ast.FunctionDef, scope: Scope, names: Names) -> list[SymVar]:
    """Give ``node``'s function its own symbols: those of a PEP 695 head, then each ``TypeVar`` that its signature uses.

    They are defined in ``scope`` (the function's own). A parameter of the same name takes precedence. ``TypeVar``s
    that only the body uses are defined as well, but not returned: no signature determines them.
    """
    params = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    made: list[SymVar] = []
    heads: dict[str, SymVar] = {}
    for name, dtype in src.heads.get(node.lineno, ()):
        if name in params:
            src.fail(node, "syn/symbol-name", f"{name!r} is a parameter, and a symbol of the head")
        if isinstance(scope.lookup(name), GlobalVar):
            names.taken.add(name)  # a canonical text could not tell the two apart
        heads[name] = SymVar(names.fresh(name), dtype, span=src.span(node))
        scope.define(name, heads[name])
    signature = used_names([*(a.annotation for a in node.args.args), node.returns])
    body, inside = _used_in_body(node, scope, {*signature, *params})
    for wanted in (signature, body):
        for name in wanted:
            entry = scope.lookup(name)
            if name in params or (wanted is not signature and name in inside):
                continue
            if wanted is signature and name in heads:
                made.append(heads[name])
            elif isinstance(entry, TypeVarDecl):
                symbol = SymVar(names.fresh(name), entry.dtype, span=src.span(node))
                scope.define(name, symbol)
                if wanted is signature:
                    made.append(symbol)
    return made
