"""Text to a Python syntax tree, within limits and without ever failing in another way than ``Malformed``.

Nothing is executed: the text is parsed with ``ast``. A head with symbols of its own, ``def f[n, m: int](…)``, is newer
than the Python that this package runs on, so the brackets are blanked (places stay) and kept beside the tree.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import sys
import tokenize
import warnings
from collections.abc import Callable

from refrelax.errors import Diagnostic, Malformed, Span
from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.read.context import MAX_BITS, Source
from refrelax.syntax.read.trees import children, walk

MAX_BYTES = 16 * 1024 * 1024
"""The largest text that is read."""

MAX_BRACKETS = 200
"""Deepest nesting of brackets (Python's own tokenizer stops there too)."""

MAX_TREE_DEPTH = 1000
"""Deepest syntax tree that is read; ``context.MAX_DEPTH`` then bounds what the tree means."""

_RECURSION = 20_000


def refuse(filename: str, line: int, column: int, rule_id: str, message: str) -> Malformed:
    """The refusal of a text at a place."""
    return Malformed([Diagnostic(rule_id, message, Span(filename, line, column))])


@rule("syn/text-too-large", "syn/no-null-character", "syn/python-grammar")
def load(text: str, filename: str = "<string>") -> tuple[ast.Module, Source]:
    """Parse ``text`` as Python.

    Raises:
        Malformed: the text is too large, holds a null character, is no Python, or nests too deeply.
    """
    if len(text) > MAX_BYTES:
        raise refuse(
            filename, 1, 1, "syn/text-too-large", f"expected at most {MAX_BYTES} characters, found {len(text)}"
        )
    null = text.find("\0")
    if null >= 0:
        line = text.count("\n", 0, null) + 1
        column = null - (text.rfind("\n", 0, null) + 1) + 1
        raise refuse(filename, line, column, "syn/no-null-character", "a null character in the text")
    text = _without_numerals(_normal_lines(text))
    _bound_brackets(text, filename)
    source = Source(text, filename)
    text, source.heads = _blank_heads(text, filename)
    tree = _parse(text, filename)
    _bound_tree(tree, filename)
    return tree, source


def _normal_lines(text: str) -> str:
    """Without a byte order mark, with ``\\n`` line ends, and without a common indentation."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    margin = first[: len(first) - len(first.lstrip())]
    if not margin:
        return text
    # shifting every line alike keeps the lines; columns are those of the text without its margin
    return "\n".join(line.removeprefix(margin) for line in text.split("\n"))


_NUMERAL = re.compile(r"^([ \t]*)(0|[1-9][0-9]{0,17}) = TypeVar\(\"\2\"\)[ \t]*$", re.MULTILINE)


_NUMERAL_LET = re.compile(r"^([ \t]*)(0|[1-9][0-9]{0,17}): T\.let\[T\.(int32|int64)\] = ([^#\n]+)$", re.MULTILINE)


@rule("syn/numeral-symbol")
def _without_numerals(text: str) -> str:
    """Without the lines ``3 = TypeVar("3")``: a symbol that an importer named after its value is read as that value.

    Where a text binds such a symbol, ``3: T.let[T.int64] = e``, the value is what ``e`` has to be: an ``assert``.
    """
    for line, written in ((_NUMERAL, r"\1pass"), (_NUMERAL_LET, r'\1assert (\4) == T.\3(\2), "\2"')):
        if line.search(text):
            text = line.sub(_outside_strings(text, written), text)
    return text


def _outside_strings(text: str, written: str) -> Callable[[re.Match[str]], str]:
    """What puts ``written`` in place of a match, but for one that stands in a string over several lines."""
    strings = _strings_over_lines(text)

    def put(found: re.Match[str]) -> str:
        inside = strings and text.count("\n", 0, found.start()) + 1 in strings
        return found.group() if inside else found.expand(written)

    return put


@rule("syn/too-deep")
def _bound_brackets(text: str, filename: str) -> None:
    """Refuse nesting that could exhaust the C stack, before the parser sees it. Strings may only make it stricter."""
    depth = line = 0
    for line, content in enumerate(text.split("\n"), 1):
        if (
            "(" not in content
            and "[" not in content
            and "{" not in content
            and ")" not in content
            and "]" not in content
            and "}" not in content
        ):
            continue
        bare = _STRING.sub(lambda found: " " * len(found.group()), content)
        for found in _BRACKET.finditer(bare):
            char = found.group()
            if char in "([{":
                depth += 1
                if depth > MAX_BRACKETS:
                    message = f"more than {MAX_BRACKETS} open brackets"
                    raise refuse(filename, line, found.start() + 1, "syn/too-deep", message)
            elif char == "#":
                break
            else:
                depth = max(0, depth - 1)


_BRACKET = re.compile(r"[()\[\]{}#]")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


def _parse(text: str, filename: str) -> ast.Module:
    if sys.getrecursionlimit() < _RECURSION:
        sys.setrecursionlimit(_RECURSION)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, filename="<text>")
    except SyntaxError as error:
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        raise refuse(filename, line, column, "syn/python-grammar", f"not Python: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise refuse(filename, 1, 1, "syn/too-deep", "nesting too deep for the parser") from None
    except (ValueError, OverflowError) as error:
        raise refuse(filename, 1, 1, "syn/python-grammar", f"not Python: {error}") from None
    if not text.isascii():
        _in_characters(tree, text)
    return tree


_LINE = re.compile(r"\r\n?|\n")


def _in_characters(tree: ast.Module, text: str) -> None:
    """Columns as an editor counts them, in characters, as Python does of its own mistakes; of nodes it counts bytes."""
    lines = [line.encode("utf-8", "surrogatepass") for line in _LINE.split(text)]
    for node in walk(tree):
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        if 1 <= line <= len(lines):
            node.col_offset = len(lines[line - 1][:column].decode("utf-8", "ignore"))  # type: ignore[attr-defined]


@rule("syn/python-grammar", "syn/attribute-value")
def refuse_repeated(node: ast.AST, filename: str) -> None:
    """Refuse a keyword that a call gives twice, two parameters of one name, and a key that a dict gives twice.

    ``ast.parse`` reads them all, Python's compiler refuses the first two; what is looked up would be one of two.
    """
    found: list[tuple[object, ast.expr | ast.keyword | ast.arg]]
    match node:
        case ast.Call(keywords=given):
            found, rule_ = [(each.arg, each) for each in given if each.arg is not None], "syn/python-grammar"
        case ast.arguments() as params:
            rest = [each for each in (params.vararg, params.kwarg) if each is not None]
            every = [*params.posonlyargs, *params.args, *params.kwonlyargs, *rest]
            found, rule_ = [(each.arg, each) for each in every], "syn/python-grammar"
        case ast.Dict(keys=keys):
            texts = [each for each in keys if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            found, rule_ = [(each.value, each) for each in texts], "syn/attribute-value"
        case _:
            return
    seen: set[object] = set()
    for name, each in found:
        if name in seen:
            raise refuse(filename, each.lineno, each.col_offset + 1, rule_, f"the name {name!r} is given twice")
        seen.add(name)


_NAMING = frozenset((ast.Call, ast.arguments, ast.Dict))
"""The nodes that may give a name twice."""


@rule("syn/constant-too-large")
def _bound_tree(tree: ast.AST, filename: str) -> None:
    """Refuse a deep tree before anything recurses into it (a sum of 3000 terms is 3000 deep), and wide integers."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_TREE_DEPTH):
        if not level:
            return
        for node in level:
            if node.__class__ is ast.Constant and node.value.__class__ is int and node.value.bit_length() > MAX_BITS:
                message = f"an integer of more than {MAX_BITS} bits"
                raise refuse(filename, node.lineno, node.col_offset + 1, "syn/constant-too-large", message)
            if node.__class__ in _NAMING:
                refuse_repeated(node, filename)
        level = [child for node in level for child in children(node)]
    place = next((node for node in level if hasattr(node, "lineno")), None)
    line, column = getattr(place, "lineno", 1), getattr(place, "col_offset", 0) + 1
    raise refuse(filename, line, column, "syn/too-deep", f"a syntax tree of more than {MAX_TREE_DEPTH} levels")


def parse_quoted(source: Source, node: ast.AST, text: str) -> ast.expr:
    """The expression quoted in ``text`` (``"n * 2"``), its places set to the place of the quotation.

    Raises:
        Malformed: ``text`` is not an expression.
    """
    if len(text) > 10_000:
        source.fail(node, "syn/quoted-expression", "a quoted expression longer than 10000 characters")
    _bound_brackets(text, source.filename)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        source.fail(node, "syn/quoted-expression", f"expected an expression in quotes, found {text[:60]!r}")
    _bound_tree(tree, source.filename)
    pending: list[ast.AST] = [tree]
    while pending:
        each = pending.pop()
        ast.copy_location(each, node)
        pending.extend(children(each))
    return tree


# --- heads with symbols ----------------------------------------------------------------------------------------------

_HEAD = re.compile(r"^([ \t]*def[ \t]+[A-Za-z_]\w*[ \t]*)\[([^\]]*)\]", re.MULTILINE)
_HEAD_DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}


@rule("syn/head-symbols")
def _blank_heads(text: str, filename: str) -> tuple[str, dict[int, tuple[tuple[str, str], ...]]]:
    heads: dict[int, tuple[tuple[str, str], ...]] = {}
    if "def" not in text or not _HEAD.search(text):
        return text, heads
    strings = _strings_over_lines(text)

    def blank(found: re.Match[str]) -> str:
        line = text.count("\n", 0, found.start()) + 1
        if line in strings:
            return found.group()
        pieces = [piece for piece in re.sub("#[^\n]*", "", found.group(2)).split(",") if piece.strip()]
        heads[line] = tuple(_head_symbol(piece, line, filename) for piece in pieces)
        if not pieces or len(dict(heads[line])) != len(heads[line]):
            raise refuse(filename, line, 1, "syn/head-symbols", "a head gives symbols, each once")
        lines = found.group(2).count("\n")
        inside = "\\\n" * lines if lines else " " * len(found.group(2))
        return f"{found.group(1)} {inside} "

    return _HEAD.sub(blank, text), heads


def _strings_over_lines(text: str) -> frozenset[int]:
    """The lines that begin inside a string: what looks like a head there is none."""
    found: set[int] = set()
    if '"""' not in text and "'''" not in text:
        return frozenset()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                found.update(range(token.start[0] + 1, token.end[0] + 1))
    except (SyntaxError, tokenize.TokenError):
        pass  # no Python, as the parser will say
    return frozenset(found)


def bound_dtype(text: str) -> str | None:
    """The dtype that a bound of a symbol names: ``int``, ``int32``, ``T.int32``."""
    dtype = _HEAD_DTYPES.get(text, text.removeprefix("T."))
    return dtype if dtypes.is_dtype(dtype) else None


def _head_symbol(piece: str, line: int, filename: str) -> tuple[str, str]:
    name, colon, bound = (part.strip() for part in piece.partition(":"))
    dtype = bound_dtype(bound.strip("\"'")) if colon else "int64"
    if not name.isidentifier() or keyword.iskeyword(name) or dtype is None:
        raise refuse(
            filename,
            line,
            1,
            "syn/head-symbols",
            f"expected symbols `n` or `n: int` in the head, found {piece.strip()!r}",
        )
    return name, dtype
