"""Where things lie in the site: pages of rules, listings of files, and the playground with a program in it."""

from __future__ import annotations

import html
import json
import posixpath
import re
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]

LINK = re.compile(r"\]\(((?:[\w-]+|\.\.)(?:/[\w-]+)*)\.md((?:#[\w-]+)?)\)")
"""A link to another file of the text."""

RULE = r"[a-z][a-z0-9_.]*/[a-z0-9-]+"


def rule_page(rule: str) -> str:
    """The page of a rule, from the root of the site; it does not change while the rule keeps its id."""
    return f"rules/{rule.replace('/', '-')}.html"


def rule_anchor(rule: str) -> str:
    """The anchor of a rule in its chapter."""
    return f"rule-{rule.replace('/', '-')}"


def chapter_page(file: str) -> str:
    """The page of a file of the text (``spec/07-evaluation.md``)."""
    return f"{file.removesuffix('.md')}/"


def leading(up: str, file: str, text: str) -> str:
    """Text of a file of the spec, its links to other files written from a page of the site that is no chapter."""
    folder = posixpath.dirname(file)
    return LINK.sub(lambda m: f"]({up}{posixpath.normpath(posixpath.join(folder, m[1]))}/{m[2]})", text)


def listing(file: str, line: int | None = None) -> str:
    """The listing of a file of the repository, at a line."""
    return f"source/{file}.html" + ("" if line is None else f"#L{line}")


def playground(up: str, action: str, first: str, second: str = "", **more: str) -> str:
    """The playground with a program in it, which does ``action`` at once; ``up`` leads to the root of the site."""
    state = {"first": first, "second": second, "action": action, **more}
    return f"{up}playground/index.html#{quote(json.dumps(state), safe='')}"


def try_it(up: str, action: str, first: str, second: str = "", **more: str) -> str:
    """A link to that, as markup."""
    address = html.escape(playground(up, action, first, second, **more))
    return f'<p class="try"><a href="{address}">Try it in the playground</a></p>'


ARGS = re.compile(r"^\s*# args: (\[.*\])$", re.MULTILINE)
PASSES = re.compile(r"^\s*# passes: ", re.MULTILINE)
ENTRY = re.compile(r"^\s*# entry: (\w+)$", re.MULTILINE)


def try_example(up: str, program: str) -> str:
    """A link for an example of the text: it is run on its arguments, lowered, or checked."""
    args, entry = ARGS.search(program), ENTRY.search(program)
    more = {} if args is None else {"args": args[1]}
    if entry is not None and entry[1] != "main":
        more["entry"] = entry[1]
    action = "lower" if PASSES.search(program) else "run" if args or "# expect: Returned" in program else "check"
    return try_it(up, action, program, **more)
