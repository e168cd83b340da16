"""Broken rules, one at a time: edits of the syntax trees of functions, put in force by swapping their code.

Nothing is written and no module is imported again: a mutant is compiled from the text of its function's file and takes
the place of the function's code object while the ``with`` of ``in_force`` lasts, wherever the function is referred to;
so do the functions inside it, of which tables hold some that were made when their module was imported.

What no program can tell is not broken: ``assert``, checks that end in an ``InternalError``, ``zip(…, strict=True)``,
annotations, what is charged to a budget, and what ``m.taken`` guesses of a symbolic extent, which says under which
premise a proof is made.
"""

from __future__ import annotations
import __future__

import ast
import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from refrelax.conformance.citations import OPENING, REJECTING, package
from refrelax.conformance.fired import import_the_definition
from refrelax.conformance.spec_text import ID

ROOMS = ("syntax", "semantics", "shape_solver", "lower", "judge")
"""Where rules live."""

TEXTS = "refrelax/semantics/ops/"
"""Where the texts of operators are, all edits of which are mutants (``--only text/``)."""

LITERALS = 3
"""Most mutations of operators and literals in one function marked with ``@rule``."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit. ``rules``: those whose code it breaks; ``what``: the edit in words."""

    rules: tuple[str, ...]
    file: str
    line: int
    what: str
    apply: Callable[[], Callable[[], None]] = field(repr=False, compare=False)
    """Makes the edit in the tree; gives what takes it back."""
    root: ast.stmt = field(repr=False, compare=False)
    """The top-level statement that holds the edit."""
    function: FunctionType = field(repr=False, compare=False)

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def of_text(self) -> bool:
        """Whether it breaks the text of an operator, not a rule."""
        return self.rules[0].startswith("text/")


# --- functions of the definition --------------------------------------------------------------------------------------


@cache
def functions() -> dict[tuple[str, int, str], FunctionType]:
    """Every function and method of the package, by file, first line and name."""
    import_the_definition()
    found: dict[tuple[str, int, str], FunctionType] = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("refrelax.") and isinstance(module, ModuleType):
            for value in list(vars(module).values()):
                for each in _unwrapped(value):
                    code = each.__code__
                    found[code.co_filename, code.co_firstlineno, code.co_name] = each
    return found


def _unwrapped(value: Any) -> Iterator[FunctionType]:
    """The functions behind a global: itself, what it wraps, the methods of a class."""
    members = list(vars(value).values()) if isinstance(value, type) else [value]
    for each in members:
        each = getattr(each, "fget", None) or getattr(each, "__func__", each)
        while hasattr(each, "__wrapped__"):
            each = each.__wrapped__
        if isinstance(each, FunctionType):
            yield each


def caches() -> list[Any]:
    """What the definition remembers between calls; a mutant must not see the answers of the honest code, or leave its
    own."""
    import_the_definition()
    return _caches(len(sys.modules))


@lru_cache(maxsize=1)
def _caches(_modules: int) -> list[Any]:
    """Looked for again when there are other modules than the last time."""
    found = []
    for name, module in list(sys.modules.items()):
        if name.startswith(tuple(f"refrelax.{room}" for room in ROOMS)):
            found += [value for value in vars(module).values() if hasattr(value, "cache_clear")]
    return found


@contextmanager
def in_force(mutant: Mutant) -> Iterator[bool]:
    """The mutant instead of the function inside the ``with``; gives whether it could be compiled."""
    code = _compiled(mutant)
    if code is None:
        yield False
        return
    remembered, swapped = caches(), [*swaps(mutant.function.__code__, code), (mutant.function, code)]
    before = [(function, function.__code__) for function, _ in swapped]
    for function, new in swapped:
        function.__code__ = new
    try:
        for each in remembered:
            each.cache_clear()
        yield True
    finally:
        for function, old in before:
            function.__code__ = old
        for each in remembered:
            each.cache_clear()


def swaps(old: CodeType, new: CodeType) -> Iterator[tuple[FunctionType, CodeType]]:
    """The functions that the code ``old`` has made so far, each with its part of ``new``."""
    inner = list(parts(old, new))
    other = {id(before): after for before, after in inner}
    for before, after in inner:
        for each in _settled.get(id(before), ()):
            yield each, after
    for each in gc.get_referrers(*(before for before, _ in inner)) if inner else ():
        if isinstance(each, FunctionType) and id(each.__code__) in other:
            yield each, other[id(each.__code__)]


_settled: dict[int, list[FunctionType]] = {}
"""Functions inside ``settled``, by the identity of their code: those that ``gc`` does not look at."""


@contextmanager
def settled() -> Iterator[None]:
    """For many mutants, one after the other: what the process holds by now is searched for functions once, not for each
    mutant, and the collector of garbage leaves it alone."""
    if _settled:
        yield
        return
    gc.collect()
    for each in gc.get_objects():
        if type(each) is FunctionType:
            _settled.setdefault(id(each.__code__), []).append(each)
    gc.freeze()  # from here on ``gc.get_referrers`` sees only what is made later
    try:
        yield
    finally:
        gc.unfreeze()
        _settled.clear()


def parts(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The code of the functions inside another, and what stands for each in ``new``."""
    inner = ([each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new))
    for before, after in zip(*inner, strict=False):
        if (before.co_name, before.co_freevars) == (after.co_name, after.co_freevars):
            yield before, after
            yield from parts(before, after)


def _compiled(mutant: Mutant) -> CodeType | None:
    undo = mutant.apply()
    try:
        return code_of(mutant.root, mutant.function)
    except SyntaxError:
        return None
    finally:
        undo()


def code_of(root: ast.stmt, function: FunctionType) -> CodeType | None:
    """The code of a function by the top-level statement that holds it, if it may stand for the code that it has."""
    before = function.__code__
    flags = __future__.annotations.compiler_flag
    tree = ast.fix_missing_locations(ast.Module([root], []))
    pending = [compile(tree, before.co_filename, "exec", flags=flags, dont_inherit=True)]
    while pending:
        code = pending.pop()
        if (code.co_name, code.co_firstlineno) == (before.co_name, before.co_firstlineno):
            return code if code.co_freevars == before.co_freevars else None
        pending.extend(each for each in code.co_consts if isinstance(each, CodeType))
    return None


# --- where to break ---------------------------------------------------------------------------------------------------


@cache
def mutants() -> tuple[Mutant, ...]:
    """Every mutant of the definition, in the order of files and lines; found once in a process."""
    return tuple(_mutants())


def _mutants() -> Iterator[Mutant]:
    base = package()
    for room in ROOMS:
        for path in sorted((base / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = f"{base.name}/{path.relative_to(base).as_posix()}"
            tree = ast.parse(text)
            texts = _texts(tree) if name.startswith(TEXTS) else set()
            for root in tree.body:
                for function, node in live(str(path), root):
                    yield from _of_function(name, root, function, node, node in texts)


def live(path: str, root: ast.stmt) -> Iterator[tuple[FunctionType, ast.FunctionDef]]:
    holders = [root] if isinstance(root, ast.FunctionDef) else root.body if isinstance(root, ast.ClassDef) else []
    for node in holders:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            function = functions().get((path, first, node.name))
            if function is not None:
                yield function, node


def _of_function(
    file: str, root: ast.stmt, function: FunctionType, node: ast.FunctionDef, is_text: bool
) -> Iterator[Mutant]:
    for rule, line, what, apply in _checks(node):
        yield Mutant((rule,), file, line, what, apply, root, function)
    if is_text:
        for line, what, apply in (*literals(node), *_operations(node)):
            yield Mutant((f"text/{Path(file).stem}",), file, line, what, apply, root, function)
    marked = tuple(_ids(d) for d in node.decorator_list if isinstance(d, ast.Call) and _name(d.func) == "rule")
    rules = tuple(each for group in marked for each in group)
    if rules:
        edits = list(literals(node))
        step = max(1, len(edits) // LITERALS)
        for line, what, apply in edits[::step][:LITERALS]:
            yield Mutant(rules, file, line, what, apply, root, function)


def _texts(tree: ast.Module) -> set[ast.AST]:
    """The functions and methods of a file that are texts of the calculus or parts of one: that are given the reading or
    its arithmetic, or make a function that is, and what those name in this file, but for what deduces types."""
    held = [root.body if isinstance(root, ast.ClassDef) else [root] for root in tree.body]
    functions = [each for body in held for each in body if isinstance(each, ast.FunctionDef)]
    values = [each for each in functions if not _given(each) & {"Deduction", "Evaluation"}]
    pending = [each for each in values if any(_given(inner) & {"Meaning", "Arithmetic"} for inner in _inner(each))]
    found = set[ast.AST]()
    while pending:
        text = pending.pop()
        found.add(text)
        named = {each.id if isinstance(each, ast.Name) else each.attr for each in ast.walk(text)
                 if isinstance(each, ast.Name | ast.Attribute)}  # fmt: skip
        pending += [each for each in values if each.name in named and each not in found]
    return found


def _inner(node: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    return (each for each in ast.walk(node) if isinstance(each, ast.FunctionDef))


def _given(node: ast.FunctionDef) -> set[str]:
    """The names of the types of a function's parameters."""
    return {each.annotation.id for each in node.args.args if isinstance(each.annotation, ast.Name)}


def _name(function: ast.expr) -> str:
    named = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return str(named).lstrip("_")


def _ids(call: ast.Call) -> tuple[str, ...]:
    values = [each.value for each in (*call.args, *(k.value for k in call.keywords)) if isinstance(each, ast.Constant)]
    return tuple(each for each in values if isinstance(each, str) and _FULL.fullmatch(each))


_FULL = re.compile(ID)

Edit = tuple[int, str, Callable[[], Callable[[], None]]]


def edit_of(node: ast.AST, name: str, value: Any) -> Callable[[], Callable[[], None]]:
    def apply() -> Callable[[], None]:
        before = getattr(node, name)
        setattr(node, name, value)
        return lambda: setattr(node, name, before)

    return apply


def _checks(node: ast.FunctionDef) -> Iterator[tuple[str, int, str, Callable[[], Callable[[], None]]]]:
    """A check that never refuses, and one that refuses what it should let pass."""
    above: dict[ast.AST, ast.AST] = {child: each for each in ast.walk(node) for child in ast.iter_child_nodes(each)}
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or call in node.decorator_list:
            continue
        name = _name(call.func)
        if not (REJECTING.match(name) or OPENING.match(name)):
            continue
        for rule in _ids(call):
            if name == "require" and call.args:
                yield rule, call.lineno, "never refuses", _first(call, ast.Constant(True))
                yield rule, call.lineno, "refuses the opposite", _first(call, _negated(call.args[0]))
            elif (test := _deciding(call, above)) is not None:
                yield rule, test.lineno, "never happens", edit_of(test, "test", ast.Constant(False))
                yield rule, test.lineno, "happens otherwise", edit_of(test, "test", _negated(test.test))
            elif (dropped := _dropped(call, above)) is not None:
                yield rule, call.lineno, "is dropped", dropped


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _first(call: ast.Call, value: ast.expr) -> Callable[[], Callable[[], None]]:
    return edit_of(call, "args", [value, *call.args[1:]])


def _dropped(call: ast.AST, above: dict[ast.AST, ast.AST]) -> Callable[[], Callable[[], None]] | None:
    """Nothing in the place of the statement that raises or reports, where no ``if`` decides about it."""
    statement: ast.AST | None = call
    while statement is not None and not isinstance(statement, ast.stmt):
        statement = above.get(statement)
    parent = None if statement is None else above.get(statement)
    if not isinstance(statement, ast.Raise | ast.Expr) or statement not in getattr(parent, "body", ()):
        return None
    body = [ast.copy_location(ast.Pass(), each) if each is statement else each for each in parent.body]  # type: ignore
    return edit_of(parent, "body", body)  # type: ignore[arg-type]


def _deciding(call: ast.AST, above: dict[ast.AST, ast.AST]) -> ast.If | ast.IfExp | None:
    """The ``if`` in whose body the call stands."""
    child, parent = call, above.get(call)
    while parent is not None and not isinstance(parent, ast.FunctionDef | ast.Lambda):
        if isinstance(parent, ast.If) and any(child is each for each in parent.body):
            return parent
        if isinstance(parent, ast.IfExp) and child is parent.body:
            return parent
        child, parent = parent, above.get(parent)
    return None


def _parts_that_count(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node that a run reads."""
    match node:
        case ast.Call(func=ast.Attribute(attr="taken") as function, args=[condition, *_]):
            yield from (function, condition)
        case ast.Call(func=ast.Attribute(attr="charge") as function):
            yield function
        case _:
            dropped = {id(getattr(node, name, None)) for name in ("annotation", "returns")}
            yield from (each for each in ast.iter_child_nodes(node) if id(each) not in dropped)


def _meant(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it that a run reads, as ``ast.walk`` orders them."""
    pending = [node]
    for each in pending:
        yield each
        pending.extend(_parts_that_count(each))


def _operations(node: ast.FunctionDef) -> Iterator[Edit]:
    """An operation of the calculus for another, and with its operands swapped."""
    for each in chain.from_iterable(map(_meant, node.body)):
        match each:
            case ast.Attribute(attr=name) if name in _OTHER:
                yield each.lineno, f"{name} becomes {_OTHER[name]}", edit_of(each, "attr", _OTHER[name])
            case ast.Call(func=ast.Attribute(attr="sub" | "div" | "less" | "less_equal" as name), args=[a, b]):
                yield each.lineno, f"{name} with swapped operands", edit_of(each, "args", [b, a])
            case ast.Call(func=ast.Attribute(attr="select" | "choose" | "pick" as name), args=[c, a, b]):
                yield each.lineno, f"{name} with swapped arms", edit_of(each, "args", [c, b, a])
            case ast.Constant(value=str(name)) if name in _OTHER_WORD:
                yield each.lineno, f"{name} becomes {_OTHER_WORD[name]}", edit_of(each, "value", _OTHER_WORD[name])


_OTHER = {
    "add": "sub", "sub": "add", "mul": "add", "div": "mul", "maximum": "minimum", "minimum": "maximum",
    "less": "less_equal", "less_equal": "less", "equal": "not_equal", "not_equal": "equal", "all_of": "any_of",
    "any_of": "all_of", "bit_and": "bit_or", "bit_or": "bit_xor", "bit_xor": "bit_and", "floordiv": "div",
    "floormod": "mod", "mod": "floormod", "shift_left": "shift_right", "shift_right": "shift_left", "least": "most",
    "most": "least", "every": "some", "some": "every",
}  # fmt: skip
_OTHER_WORD = {
    "maximum": "minimum", "minimum": "maximum", "exp": "exp2", "log": "log2", "floor": "ceil", "ceil": "floor",
    "sqrt": "square", "rsqrt": "sqrt", "tanh": "sigmoid", "sigmoid": "tanh", "round": "trunc", "log1p": "log",
}  # fmt: skip
"""Operations of the calculus, and functions and folds by name, for which a careless author might write another."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.Lt: (ast.LtE, "< becomes <="), ast.LtE: (ast.Lt, "<= becomes <"), ast.Gt: (ast.GtE, "> becomes >="),
    ast.GtE: (ast.Gt, ">= becomes >"), ast.Eq: (ast.NotEq, "== becomes !="), ast.NotEq: (ast.Eq, "!= becomes =="),
    ast.In: (ast.NotIn, "in becomes not in"), ast.NotIn: (ast.In, "not in becomes in"),
    ast.Is: (ast.IsNot, "is becomes is not"), ast.IsNot: (ast.Is, "is not becomes is"),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], str]] = {
    ast.Add: (ast.Sub, "+ becomes -"), ast.Sub: (ast.Add, "- becomes +"), ast.Mult: (ast.Add, "* becomes +"),
    ast.FloorDiv: (ast.Mult, "// becomes *"),
}  # fmt: skip


def internal(statement: ast.stmt) -> bool:
    """Whether it says that refrelax itself is at fault."""
    return isinstance(statement, ast.Raise) and "InternalError" in ast.dump(statement)


def literals(node: ast.FunctionDef) -> Iterator[Edit]:
    """Small edits of a body: comparisons, arithmetic, connectives, numbers, truth values. Messages stay."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        each = pending.pop(0)
        match each:
            case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.keyword(arg="strict"):
                continue
            case ast.If() if any(internal(inner) for inner in each.body):
                pending.extend(each.orelse)
                continue
            case ast.Compare(ops=[op, *_]) if type(op) in _COMPARISONS:
                other, what = _COMPARISONS[type(op)]
                yield each.lineno, what, edit_of(each, "ops", [other(), *each.ops[1:]])
            case ast.BinOp(op=op) if type(op) in _OPERATORS and not isinstance(each.left, ast.JoinedStr):
                operator, what = _OPERATORS[type(op)]
                yield each.lineno, what, edit_of(each, "op", operator())
            case ast.BoolOp(op=op):
                both = isinstance(op, ast.And)
                what = "and becomes or" if both else "or becomes and"
                yield each.lineno, what, edit_of(each, "op", ast.Or() if both else ast.And())
            case ast.UnaryOp(op=ast.Not()):
                yield each.lineno, "not is dropped", edit_of(each, "op", ast.UAdd())
            case ast.Constant(value=bool(value)):
                yield each.lineno, f"{value} becomes {not value}", edit_of(each, "value", not value)
            case ast.Constant(value=int(value)):
                yield each.lineno, f"{value} becomes {value + 1}", edit_of(each, "value", value + 1)
        pending.extend(_parts_that_count(each))
