"""The reference: every public name with its signature and docstring, every command with its help; read off the code."""

from __future__ import annotations

import argparse
import html
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import markdown
from addresses import ROOT

import refrelax as rr
from refrelax.cli import make_parser
from refrelax.commands import COMMANDS


def write(out: Path) -> None:
    """Write ``reference/python.html`` and ``reference/commands.html``."""
    folder = out / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "python.html").write_text(_framed("refrelax in Python", "\n".join(_names())), encoding="utf-8")
    (folder / "commands.html").write_text(
        _framed("refrelax on the command line", "\n".join(_commands())), encoding="utf-8"
    )


def public() -> list[str]:
    """The names of ``refrelax``."""
    return sorted(name for name in rr.__all__ if not name.startswith("_"))


def _names() -> Iterator[str]:
    yield "<p>" + ", ".join(f'<a href="#{name}"><code>{name}</code></a>' for name in public()) + "</p>"
    for name in public():
        value = getattr(rr, name)
        yield f'<h2 id="{name}"><code>rr.{name}</code></h2>'
        if callable(value) and (said := _signature(value)):
            yield f"<pre>{html.escape(f'{name}{said}')}</pre>"
        yield markdown.markdown(_docstring(value), extensions=["tables", "fenced_code"])
        if where := _place(value):
            yield f'<p class="said">{where}</p>'


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _docstring(value: Any) -> str:
    if not (inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value)):
        return f"`{value!r}`"
    return inspect.cleandoc(value.__doc__ or "")


def _place(value: Any) -> str:
    try:
        file = Path(inspect.getsourcefile(value) or "")
        line = inspect.getsourcelines(value)[1]
    except (TypeError, OSError):
        return ""
    if not file.is_relative_to(ROOT):
        return ""
    name = file.relative_to(ROOT).as_posix()
    return f"{html.escape(name)}:{line}"


def _commands() -> Iterator[str]:
    yield "<p>" + ", ".join(f'<a href="#{name}"><code>{name}</code></a>' for name in COMMANDS) + "</p>"
    yield f"<pre>{html.escape(make_parser().format_help())}</pre>"
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser(
            prog=f"refrelax {name}", description=command.help, epilog=command.examples(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.load(parser)
        yield f'<h2 id="{name}"><code>refrelax {name}</code></h2><pre>{html.escape(parser.format_help())}</pre>'


def _framed(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{html.escape(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="../site.css">'
        f'</head><body class="alone"><main><p><a href="../index.html">refrelax</a></p>'
        f"<h1>{html.escape(title)}</h1>\n{body}\n"
        "</main></body></html>\n"
    )
