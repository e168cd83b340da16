"""Which blocks of the specification differ from an earlier edition, and which from an earlier text.

A block is a paragraph, a heading, an item of a list or a row of a table. It differs from an earlier edition if it names
what a flag of ``refrelax/syntax/editions.py`` gives up, or what came in its place: ``WORDS`` has these words, and the
flag's own line says what changed. It differs from an earlier text (``--against``) if that has no such block.
"""

from __future__ import annotations

import ast
import html
import re
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from refrelax.syntax import editions
from refrelax.syntax.editions import EDITIONS, Edition

BLOCK = re.compile(r"<(p|li|tr|h[1-4])>(.*?)(?=</\1>|<(?:ul|ol|li|p)>)", re.DOTALL)
PROGRAM = re.compile(r"<pre>.*?</pre>", re.DOTALL)

WORDS = {
    "plain_lets": (r"plain <code>y = e</code>", r"\bT\.LetStmt\b"),
    "block_allocations": (r"\bT\.(?:s?block_)alloc_buffer\b",),
    "tir_attributes": (r'"tir\.\w+"',),
    "all_scheduled": (r"has the flag <code>s_tir</code>",),
    "struct_info": (r"\b(?:out_sinfo|sinfo_args|struct_info|tir_vars)\b", r"\bR\.Object\b", r"relax\.expr\.Constant"),
    "quoted_symbols": (r"\bTypeVar\b",),
}
"""By flag, how the text speaks of the former way or of the one in its place."""


@dataclass(frozen=True)
class Change:
    """A way that an edition gave up: the flag, the last edition that had it, and what the flag says of it."""

    flag: str
    edition: Edition
    says: str

    @property
    def is_last(self) -> bool:
        """Whether the edition before the current one had it still."""
        return self.edition == EDITIONS[-2]


@cache
def changes() -> tuple[Change, ...]:
    """What the editions gave up, the latest first; those of one edition in the order of the flags."""
    says = _lines_of_flags()
    flags = [each.name for each in fields(Edition) if each.name != "last"]
    had = {flag: [each for each in EDITIONS if getattr(each, flag)] for flag in flags}
    found = [Change(flag, had[flag][-1], says[flag]) for flag in flags]
    return tuple(sorted(found, key=lambda each: each.edition.last, reverse=True))


def _lines_of_flags() -> dict[str, str]:
    """What stands below each field of ``Edition``."""
    tree = ast.parse(Path(editions.__file__).read_text(encoding="utf-8"))
    body = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Edition").body
    found = {}
    for field, line in pairwise(body):
        match field, line:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                found[name] = text
    return found


def blocks(page: str) -> Iterator[str]:
    """The blocks of a page, without marks of a number or an anchor, blanks as one; no programs."""
    return (plain(found[2]) for found in BLOCK.finditer(PROGRAM.sub("", page)))


def plain(block: str) -> str:
    """The words of a block: what a reader reads, without the numbers that the document gives to rules."""
    text = re.sub(r'<span class="number">.*?</span>', "", block, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


def change_of(block: str) -> Change | None:
    """The latest edition whose giving up something a block is about."""
    return next((each for each in changes() if any(re.search(word, block) for word in WORDS[each.flag])), None)


class Bars:
    """Puts a bar beside each block that differs; remembers which."""

    def __init__(self, earlier: frozenset[str] | None = None) -> None:
        """``earlier``: the blocks of an earlier text; the bars are against it then, and not against an edition."""
        self.earlier = earlier
        self.marked: list[tuple[Change | None, str]] = []

    def mark(self, page: str) -> str:
        """The page with its bars; programs stay as they are."""
        pieces = re.split(f"({PROGRAM.pattern})", page, flags=re.DOTALL)
        return "".join(each if k % 2 else BLOCK.sub(self._block, each) for k, each in enumerate(pieces))

    def _block(self, found: re.Match[str]) -> str:
        tag, inside = found[1], found[2]
        if self.earlier is not None:
            text = plain(inside)
            if not text or text in self.earlier:
                return found[0]
            return self._marked(tag, inside, None, "changed", "not in the earlier text")
        change = change_of(html.unescape(inside))
        if change is None:
            return found[0]
        kind = "changed" if change.is_last else "changed before"
        return self._marked(tag, inside, change, kind, f"otherwise up to edition {change.edition}")

    def _marked(self, tag: str, inside: str, change: Change | None, kind: str, title: str) -> str:
        anchor = f"change-{len(self.marked) + 1}"
        self.marked.append((change, anchor))
        at = f'<a id="{anchor}"></a>'
        inside = re.sub(r"^(\s*<t[dh][^>]*>)", rf"\1{at}", inside) if tag == "tr" else at + inside
        return f'<{tag} class="{kind}" title="{title}">{inside}'


def text_of(source: str, root: Path, into: Path) -> Path:
    """The folder of an earlier text: a folder, or ``spec`` of a commit of this repository, unpacked.

    Raises:
        SystemExit: it is neither.
    """
    if Path(source).is_dir():
        return Path(source).resolve()
    told = subprocess.run(["git", "-C", root, "archive", source, "spec"], capture_output=True, check=False)
    if told.returncode:
        why = told.stderr.decode().strip()
        raise SystemExit(f"--against: expected a folder or a commit that has spec/, found {source!r}: {why}")
    with tarfile.open(fileobj=BytesIO(told.stdout)) as packed:
        packed.extractall(into, filter="data")
    return into / "spec"
