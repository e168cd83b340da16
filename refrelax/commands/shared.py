"""What the commands share: sources, messages, tables, JSON lines."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from refrelax.errors import Diagnostic, Malformed, Rejection, Span, UsageError
from refrelax.spelled import DECIMAL_BITS, spelled

if TYPE_CHECKING:
    from refrelax.semantics.types.checked import CheckedModule
    from refrelax.syntax.module import Module

T = TypeVar("T")

# --- in ---------------------------------------------------------------------------------------------------------------


def source(path: str) -> tuple[str, str]:
    """The text of a file (``-``: standard input) and its name for messages.

    Raises:
        OSError: it cannot be read.
        Malformed: it is no UTF-8.
    """
    name = "<stdin>" if path == "-" else path
    if path == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed")
        raw = sys.stdin.buffer.read()
    else:
        with open(path, "rb") as file:  # noqa: PTH123 (keeps the name as given in errors)
            raw = file.read()
    try:
        return raw.decode("utf-8"), name
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"expected UTF-8 text, found byte 0x{raw[error.start]:02x}"
        raise Malformed([Diagnostic("syn/source-text", message, Span(name, line, 1))]) from None


def read_module(path: str, constants: str | None = None) -> Module:
    """The module in a file, or the live one of ``FILE.py:FUNCTION``, with the constants of an ``.npz`` bound (members
    are named by index)."""
    from refrelax import api
    from refrelax.running import npz

    if ":" in path and (live := import_module("refrelax.interop.tvm.live_module")).is_function(path):
        module: Module = live.read(path)
    else:
        text, name = source(path)
        module = api.parse(text, filename=name)
    if constants is None:
        return module
    arrays = npz.read(constants)
    wrong = [k for k in arrays if not k.removeprefix("arr_").isdigit()]
    if wrong:
        raise UsageError(f"{constants}: constants are named by their index (0, 1, …), found {wrong[0]!r}")
    return api.bind_constants(module, {int(k.removeprefix("arr_")): v for k, v in arrays.items()})


def read_checked(path: str, constants: str | None = None) -> CheckedModule:
    """The same, checked."""
    from refrelax import api

    return api.check(read_module(path, constants))


def seconds(text: str) -> float:
    """``90``, ``60s``, ``10m`` or ``2h`` as seconds, for argparse."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", text)
    if found is None or float(found.group(1)) <= 0:
        raise argparse.ArgumentTypeError(f"expected a time such as 60s, 10m or 2h, found {text!r}")
    return float(found.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[found.group(2)]


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def shard_of(text: str) -> tuple[int, int]:
    """``K/N`` as two numbers.

    Raises:
        UsageError: it is none, or there is no K-th of N parts.
    """
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard: expected K/N with 1 <= K <= N, found {text!r}")
    return int(found[1]), int(found[2])


def share(chosen: list[T], shard: str | None, what: str) -> list[T]:
    """The part ``K/N`` of what was chosen; all of it without one.

    Raises:
        UsageError: it is no such part, or an empty one.
    """
    if shard is None:
        return chosen
    first, parts = shard_of(shard)
    part = chosen[first - 1 :: parts]
    if not part:
        raise UsageError(f"--shard: the part {shard} of {len(chosen)} {what} is empty")
    return part


def add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="TVMScript; - is standard input")


def add_strict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="also hold it to what ONNX, the array API and IEEE fix")


def add_implementation(parser: argparse.ArgumentParser) -> None:
    """``--impl``, and what is chosen of TVM."""
    known = "numpy | cupy | cuda-emulated | tvm | tvm@PYTHON (of another environment) | module:factory"
    parser.set_defaults(also=())
    parser.add_argument("--impl", required=True, action=Implementations, help=f"{known}; repeatable: side by side")
    add_pipeline(parser)
    add_strict(parser)


def add_pipeline(parser: argparse.ArgumentParser) -> None:
    """``--pipeline`` and ``--target``."""
    named = "a name, passes with commas between them, or FILE.py:function"
    parser.add_argument("--pipeline", metavar="NAME", help=f"tvm: what it runs before it compiles: {named}")
    parser.add_argument("--target", metavar="T", help="tvm: what it compiles for (default: llvm)")


class Implementations(argparse.Action):
    """``--impl A --impl B``: the first is ``impl``, the others are ``also``."""

    def __call__(self, _parser: Any, options: argparse.Namespace, value: Any, _option: str | None = None) -> None:
        if getattr(options, self.dest, None) is None:
            setattr(options, self.dest, value)
        else:
            options.also = (*options.also, value)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def without_effect(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse options that were given and that nothing would look at.

    Raises:
        UsageError: names the first one.
    """
    for name in names:
        if getattr(options, name.lstrip("-").replace("-", "_")) not in (None, False, []):
            raise UsageError(f"{name} has no effect {why}")


# --- out --------------------------------------------------------------------------------------------------------------


def complain(rejection: Rejection) -> None:
    """Every diagnostic, a line each, on standard error."""
    for diagnostic in rejection.diagnostics:
        print(diagnostic, file=sys.stderr)


def emit(row: dict[str, Any]) -> None:
    """One JSON object on one line; infinities, NaN and integers of more than ``DECIMAL_BITS`` bits (in hex) as strings,
    so that every reader takes it."""
    print(json.dumps(plain(row), ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """A value that JSON can say."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > DECIMAL_BITS:
        return spelled(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def diagnostic_row(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic for JSON."""
    span = diagnostic.span
    place = {} if span is None else {"file": span.file, "line": span.line, "column": span.column}
    return {"rule": diagnostic.rule, "message": diagnostic.message, **place}


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """A table: drawn on a terminal, aligned columns in a pipe."""
    listed = [list(row) for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        drawn = Table(*headers, title=title or None, title_justify="left")
        for row in listed:
            drawn.add_row(*row)
        Console().print(drawn, markup=False)
        return
    if title:
        print(title)
    widths = [max(len(row[k]) for row in [list(headers), *listed]) for k in range(len(headers))]
    for row in [list(headers), *listed]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[str], None]]:
    """A progress bar on a terminal, nothing in a pipe; gives what to call at each step, with its name."""
    if not sys.stderr.isatty():
        yield lambda _name: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda name: bar.update(task, advance=1, description=f"{what} {name}"[:60])


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A sign of life on a terminal for work whose length is not known, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def cpu_seconds() -> float:
    """What this process and those that it started and that ended have spent."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@contextmanager
def meter(total: float, what: str) -> Iterator[Callable[[float | None, str], None]]:
    """A progress bar with a text of its own, nothing in a pipe; gives what to call with how far it is (``None``: one
    further) and the text."""
    if not sys.stderr.isatty():
        yield lambda _done, _text: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def show(done: float | None, text: str) -> None:
            bar.update(task, advance=1 if done is None else None, completed=done, description=f"{what} {text}"[:60])

        yield show
