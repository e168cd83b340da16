"""Broken programs by number: mutations of the texts that this repository holds, at the level of bytes and of tokens.

``mutant(k)`` depends on ``k`` and on the sources only, so that a finding is named by a number.
"""

# ruff: noqa: E501
from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax import conformance

EXAMPLES = Path(rr.__file__).parent / "examples"

HUGE = (
    "10**5000", "9**9**9", "1" * 5000, "0x" + "f" * 5000, "10**9", "2**(10**9)", "1 << 10**9", "1e999", "-1e-999", "1e5000",
    "2**63", "-2**63 - 1", "2**64", "2**31", "-1", "0", "1", "True", "None", "...", "1j", "0.5", "'\\ud800'", "b'x'",
    "[0] * 10**9", "(1,) * 10**5", "'a' * 10**9", "[x for x in range(10**9)]", "[[y for y in range(1000)] for x in range(1000)]",
    "{k: k for k in range(9)}", "{1: 2, **{}}", "sum(range(10**6))", "f'{10**3000}'", "f'{1:>999999999}'", "f'{x!r}'", "float('nan')",
    "int('9' * 5000)", "str(10**5000)", "max()", "T.int64(2**64)", "T.float32(1e999)", "T.int8(300)", "T.uint64(-1)", "T.bool(2)",
    "R.const(10**30, 'int64')", "R.const([[1], [2, 3]], 'float32')", "R.shape([10**12, -1])", "R.prim_value(n)", "R.dtype('float99')",
    "lambda x: x", "lambda *a, **k: a", "(yield)", "await x", "(x := 1)", "*x", "**x", "x if x else x", "not x", "x == x == x", "x[::0]",
    "x[10**9]", "x.shape[0]", "cls.main(x)", "main", "R.str('\\0')", "'n * 2'", "'n // 0'", "'(' * 999", "'n n'", "''", "'10**5000'",
    "T.max_value('int32')", "T.infinity('float8_e4m3fn')", "T.Buffer((10**12,), 'float32')", "metadata['ir.GenericConst'][10**30]",
    "__import__('os')", "math.inf", "math.nan", "-math.inf", "n % 0", "n // (n - n)", "n ** n", "n << 70", "1 / 0", "~True", "@",
)  # fmt: skip
"""Expressions that ask for too much, or for what is no program."""

BOMBS: tuple[Callable[[str, int], str], ...] = (
    lambda x, k: "(" * k + x + ")" * k,
    lambda x, k: "[" * k + x + "]" * k,
    lambda x, k: "-" * k + x,
    lambda x, k: "not " * k + x,
    lambda x, k: x + f" + {x}" * k,
    lambda x, k: x + f" * {x}" * k,
    lambda x, k: x + f" and {x}" * k,
    lambda x, k: x + f" < {x}" * k,
    lambda x, k: x + ".a" * k,
    lambda x, k: x + "[0]" * k,
    lambda x, k: x + "()" * k,
    lambda x, k: "R.add(" * k + x + f", {x})" * k,
    lambda x, k: "(" + f"{x}, " * k + ")",
    lambda x, k: "R.Tuple([" * k + x + "])" * k,
    lambda x, k: "lambda: " * k + x,
    lambda x, k: f"{x} if {x} else " * k + x,
    lambda x, k: "'" + "(" * k + x + ")" * k + "'",
    lambda x, k: "'" + f"{x} + " * k + x + "'",
    lambda x, k: "T.max(" * k + x + ", 1)" * k,
    lambda x, k: x + " // 2 % 3" * k,
    lambda x, k: "x" * k,
    lambda x, k: "f'{" * min(k, 3) + x + "}'" * min(k, 3),
)
"""Nesting and length, ``k`` times."""

_TOKEN = re.compile(
    r"\n[ ]*|[ ]+|\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\w+|\*\*|//|->|==|<=|>=|!=|:=|[^\w\s]|.", re.S
)


@cache
def sources() -> dict[str, str]:
    """The models of the package and the modules of all conformance cases, by name."""
    found = {p.relative_to(EXAMPLES).as_posix(): p.read_text("utf-8") for p in sorted(EXAMPLES.glob("*/*.py"))}
    found.update((c.name, c.module) for c in conformance.load() if 0 < len(c.module) < 20_000)
    return found


@cache
def _tables() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names of the small and of the large sources, and the words that sources are written with."""
    small = tuple(name for name, text in sources().items() if len(text) <= 4_000)
    large = tuple(name for name, text in sources().items() if len(text) > 4_000)
    words = {each for text in sources().values() for each in _TOKEN.findall(text) if each.strip() and len(each) < 60}
    return small, large, tuple(sorted(words))


@cache
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(sources()[name]))


def mutant(number: int) -> str:
    """The mutated text with this number; bytes that are no UTF-8 show as lone surrogates or as U+FFFD."""
    rng = random.Random(number)
    small, large, _ = _tables()
    name = rng.choice(large) if rng.random() < 0.03 else rng.choice(small)
    if rng.random() < 0.25:
        raw = bytearray(sources()[name].encode())
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            rng.choice(BYTES)(rng, raw)
        return bytes(raw).decode("utf-8", rng.choice(("replace", "surrogateescape")))
    tokens = list(_tokens(name))
    changes = GENTLE if rng.random() < 0.5 else TOKENS
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        if tokens:
            rng.choice(changes)(rng, tokens)
    return "".join(tokens)


# --- bytes ------------------------------------------------------------------------------------------------------------

ODD = (b"\0", b"\r\n", b"\r", b"\t", b"\f", b"\x1a", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"\\",
       b"\"\"\"", b"'", b"#", b"\\\n", b"\xc2\xa0", "ｎ".encode(), "é".encode(), "e\u0301".encode(), b"0", b"9", b"(", b"]", b"{", b":", b",", b" ")  # fmt: skip


def _at(rng: random.Random, items: Any) -> int:
    return rng.randrange(len(items) + 1)


def _span(rng: random.Random, items: Any) -> slice:
    first = _at(rng, items)
    return slice(first, first + rng.choice((1, 1, 2, 5, 20, 100)))


def flip(rng: random.Random, raw: bytearray) -> None:
    if raw:
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)


def replace_byte(rng: random.Random, raw: bytearray) -> None:
    if raw:
        raw[rng.randrange(len(raw))] = rng.randrange(32, 127)


def insert_odd(rng: random.Random, raw: bytearray) -> None:
    place = _at(rng, raw)
    raw[place:place] = rng.choice(ODD)


def delete(rng: random.Random, items: Any) -> None:
    del items[_span(rng, items)]


def duplicate(rng: random.Random, items: Any) -> None:
    place, copied = _at(rng, items), items[_span(rng, items)]
    items[place:place] = copied * rng.choice((1, 1, 2, 50))


def truncate(rng: random.Random, items: Any) -> None:
    del items[_at(rng, items) :]


def behead(rng: random.Random, items: Any) -> None:
    del items[: _at(rng, items)]


def splice(rng: random.Random, raw: bytearray) -> None:
    """A piece of another source."""
    other = sources()[rng.choice(_tables()[0])].encode()
    place = _at(rng, raw)
    raw[place:place] = other[_span(rng, other)]


def line_ends(rng: random.Random, raw: bytearray) -> None:
    raw[:] = raw.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\x0c", b";", b" ")))


def long_line(rng: random.Random, raw: bytearray) -> None:
    place = _at(rng, raw)
    raw[place:place] = rng.choice((b" ", b"#", b"x", b"1", b"x,", b"\t", b"'", b"\xf0\x9f\x98\x80")) * rng.choice(
        (1000, 50_000)
    )


BYTES: tuple[Callable[[random.Random, bytearray], None], ...] = (
    flip, flip, replace_byte, replace_byte, insert_odd, insert_odd, delete, delete, duplicate, truncate, behead, splice,
    line_ends, long_line,
)  # fmt: skip


# --- tokens -----------------------------------------------------------------------------------------------------------


def _place(rng: random.Random, tokens: list[str], wanted: str = r"\S") -> int:
    """A token that begins like ``wanted``, or any."""
    found = [k for k, each in enumerate(tokens) if re.match(wanted, each)]
    return rng.choice(found) if found else rng.randrange(len(tokens))


def word(rng: random.Random, tokens: list[str]) -> None:
    """A token becomes another word of the language."""
    tokens[_place(rng, tokens)] = rng.choice(_tables()[2])


def own_word(rng: random.Random, tokens: list[str]) -> None:
    """A name or literal becomes another one of the same text: the likeliest to stay a program."""
    tokens[_place(rng, tokens, r"\w|[\"']")] = tokens[_place(rng, tokens, r"\w|[\"']")]


def insert_word(rng: random.Random, tokens: list[str]) -> None:
    place = _at(rng, tokens)
    tokens[place:place] = [rng.choice(("", " ")), rng.choice(_tables()[2]), rng.choice(("", " "))]


def swap(rng: random.Random, tokens: list[str]) -> None:
    a, b = _place(rng, tokens), _place(rng, tokens)
    tokens[a], tokens[b] = tokens[b], tokens[a]


def number(rng: random.Random, tokens: list[str]) -> None:
    """A number becomes another number, or an expression that asks for too much."""
    tokens[_place(rng, tokens, r"\d")] = rng.choice((str(rng.randrange(-3, 12)), rng.choice(HUGE)))


def huge(rng: random.Random, tokens: list[str]) -> None:
    tokens[_place(rng, tokens, r"[\w\"']")] = rng.choice(HUGE)


def bomb(rng: random.Random, tokens: list[str]) -> None:
    place = _place(rng, tokens, r"\w")
    tokens[place] = rng.choice(BOMBS)(tokens[place], rng.choice((3, 50, 150, 400, 3000)))


def text(rng: random.Random, tokens: list[str]) -> None:
    """The inside of a string literal changes."""
    place = _place(rng, tokens, r"[\"']\w")
    inside = tokens[place][1:-1]
    other = rng.choice(_tables()[2]).strip("\"'")
    inside = rng.choice(
        (
            other,
            inside + other,
            inside[:-1],
            inside + " + 1",
            f"-{inside}",
            inside * 100,
            "",
            inside.upper(),
            f" {inside}",
        )
    )
    tokens[place] = json.dumps(inside)


def _lines(tokens: list[str]) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    for each in tokens:
        if each.startswith("\n"):
            lines.append([])
        lines[-1].append(each)
    return lines


def move_lines(rng: random.Random, tokens: list[str]) -> None:
    """Lines are moved, copied, dropped or taken from another source."""
    lines = _lines(tokens)
    taken = _span(rng, lines)
    piece = lines[taken]
    match rng.randrange(4):
        case 0:
            del lines[taken]
        case 1:
            del lines[taken]
            place = _at(rng, lines)
            lines[place:place] = piece
        case 2:
            place = _at(rng, lines)
            lines[place:place] = piece * rng.choice((1, 2, 60))
        case _:
            other = _lines(list(_tokens(rng.choice(_tables()[0]))))
            place = _at(rng, lines)
            lines[place:place] = other[_span(rng, other)]
    tokens[:] = [each for line in lines for each in line]


def indent(rng: random.Random, tokens: list[str]) -> None:
    """Lines move right or left, or under a statement put before them, perhaps many levels deep."""
    lines = _lines(tokens)
    first = rng.randrange(len(lines))
    margin = len(lines[first][0]) - 1 if lines[first] and lines[first][0].startswith("\n") else 0
    head = rng.choice(("", "if x:", "else:", "while True:", "for i in range(9):", "for i in T.serial(10**9):", "with R.dataflow():",
                       "with T.sblock('b'):", "def inner(x):", "class C:", "try:", "async def f():", "match x:", "with T.attr(0, 'k', 1):"))  # fmt: skip
    levels = rng.choice((1, 1, 2, 30, 98)) if head else rng.choice((-1, 1, 3))
    before = [["\n" + " " * (margin + 4 * k), head] for k in range(levels)] if head else []
    for line in lines[first : first + rng.choice((1, 3, 1000))]:
        if line and line[0].startswith("\n"):
            line[0] = "\n" + " " * max(0, len(line[0]) - 1 + 4 * levels)
    lines[first:first] = before
    tokens[:] = [each for line in lines for each in line]


def alike(rng: random.Random, tokens: list[str]) -> None:
    """A name, number or string becomes another one of its kind, of this text or of any."""
    kind = rng.choice((r"[a-z_]\w*$", r"[a-z_]\w*$", r"\d+$", r"[A-Z]\w*$", r"[\"']"))
    place = _place(rng, tokens, kind)
    others = tokens if rng.random() < 0.6 else _tables()[2]
    found = [each for each in others if re.match(kind, each)]
    if found:
        tokens[place] = rng.choice(found)


def operand(rng: random.Random, tokens: list[str]) -> None:
    """An operand grows into an expression."""
    place = _place(rng, tokens, r"[a-z]\w*$|\d+$")
    form = rng.choice(("{0} + 1", "-{0}", "{0} * {0}", "({0},)", "[{0}]", "{0} // 2", "{0} % 3", "T.min({0}, 2)", "T.Cast('int8', {0})",
                       "R.add({0}, {0})", "T.if_then_else({0} > 0, {0}, 0)", "R.tuple({0})", "{0}[0]", "T.int64({0})", "{0} == 1"))  # fmt: skip
    tokens[place] = form.format(tokens[place])


def one_line(rng: random.Random, tokens: list[str]) -> None:
    """One line goes, comes twice, or changes places with the next."""
    lines = _lines(tokens)
    k = rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            del lines[k]
        case 1:
            lines.insert(k, lines[k])
        case _:
            lines[k : k + 2] = reversed(lines[k : k + 2])
    tokens[:] = [each for line in lines for each in line]


def small_number(rng: random.Random, tokens: list[str]) -> None:
    tokens[_place(rng, tokens, r"\d+$")] = rng.choice((str(rng.randrange(-3, 12)), str(2 ** rng.randrange(8, 66)), "n"))


GENTLE: tuple[Callable[[random.Random, list[str]], None], ...] = (
    alike, alike, alike, alike, operand, operand, one_line, small_number, small_number, text,
)  # fmt: skip
"""Changes that a program is likely to survive as far as the checker."""

TOKENS: tuple[Callable[[random.Random, list[str]], None], ...] = (
    word, word, own_word, own_word, own_word, insert_word, swap, delete, duplicate, number, number, huge, huge, bomb, text,
    text, move_lines, move_lines, indent, truncate,
)  # fmt: skip


# --- JSON -------------------------------------------------------------------------------------------------------------

LEAVES: tuple[Any, ...] = (None, True, -1, 0, 2**63, 10**30, 10**4000, 0.5, "", "x", "0x0", "0x" + "f" * 5000, "float32", "n", "\ud800", "a b",
                           [], {}, [[]], {"node": "Var"}, {"node": None}, {"node": "Module", "functions": {}}, "AA==", "int64", "handle")  # fmt: skip


@cache
def _trees() -> tuple[str, ...]:
    found = []
    for text in sources().values():
        try:
            found.append(rr.to_json(rr.parse(text), spans=len(found) % 3 == 0))
        except rr.Malformed:
            continue
    return tuple(each for each in found if len(each) < 30_000)


def json_mutant(number: int) -> str:
    """The mutated JSON text with this number: bytes, or leaves and branches of its tree."""
    rng = random.Random(-1 - number)
    text = rng.choice(_trees())
    if rng.random() < 0.25:
        raw = bytearray(text.encode())
        rng.choice(BYTES)(rng, raw)
        return bytes(raw).decode("utf-8", "replace")
    tree = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _change(rng, tree)
    if rng.random() < 0.02:
        return "[" * 100_000
    return json.dumps(tree) if rng.random() < 0.97 else json.dumps(tree)[:-1] + ', "x": ' + "9" * 5000 + "}"


def _change(rng: random.Random, tree: Any) -> None:
    places: list[tuple[Any, Any]] = []
    pending = [tree]
    while pending:
        each = pending.pop()
        found = list(each.items()) if isinstance(each, dict) else list(enumerate(each))
        places += [(each, key) for key, _ in found]
        pending += [value for _, value in found if isinstance(value, dict | list)]
    if not places:
        return
    (here, key), (there, other) = rng.choice(places), rng.choice(places)
    match rng.randrange(6):
        case 0:
            del here[key]
        case 1:
            here[key] = json.loads(json.dumps(there[other]))
        case 2 if isinstance(here, dict):
            here[rng.choice(("node", "name", "x", "span", str(key)))] = here.pop(key)
        case 3 if isinstance(here, list):
            here.insert(key, json.loads(json.dumps(there[other])))
        case 4:
            same = [(h, k) for h, k in places if k == key and type(h[k]) is type(here[key])]
            there, other = rng.choice(same)
            here[key] = json.loads(json.dumps(there[other]))
        case _:
            here[key] = deepcopy(rng.choice(LEAVES))
