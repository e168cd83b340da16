"""The commands, one file a family: arguments and output; the work is done by the rooms.

A command's file is imported when it is chosen: ``refrelax --version`` costs what ``import refrelax`` does.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Command:
    """One command: a line of help; its file; there, what adds its arguments and what runs it to an exit code."""

    help: str
    home: str
    arguments: str
    run: str

    def load(self, parser: ArgumentParser) -> Callable[[Namespace], int]:
        """Import the command, add its arguments, give what runs it."""
        home = import_module(f"refrelax.commands.{self.home}")
        getattr(home, self.arguments)(parser)
        found: Callable[[Namespace], int] = getattr(home, self.run)
        return found

    def examples(self, name: str) -> str:
        """What its help ends with."""
        codes = f"\n\nExit codes: {CODES[name]}." if name in CODES else ""
        return "examples:\n" + "\n".join(f"  refrelax {each}" for each in EXAMPLES[name]) + codes


COMMANDS: dict[str, Command] = {
    "demo": Command("the main job on the models in the package, judged", "demo", "arguments", "demo"),
    "parse": Command("the canonical JSON of a module", "read", "parse_arguments", "parse"),
    "fmt": Command("the canonical TVMScript of a module", "read", "fmt_arguments", "fmt"),
    "check": Command("well-formedness and types; all diagnostics", "read", "check_arguments", "check"),
    "run": Command("run a function", "run", "arguments", "run"),
    "trace": Command("a run, event by event", "trace", "arguments", "run"),
    "lower": Command("passes, each with the claims that it rests on", "lower", "arguments", "lower"),
    "diff": Command("the first binding on which an implementation diverges", "judge", "diff_arguments", "diff"),
    "bisect": Command("the first pass that changed the meaning", "bisect", "arguments", "bisect"),
    "validate": Command("one program against another", "judge", "validate_arguments", "validate"),
    "prove-rewrite": Command("a rewrite rule, for all sizes", "rewrite", "arguments", "prove_rewrite"),
    "fuzz": Command("generated programs against an implementation", "fuzz", "arguments", "fuzz"),
    "prove": Command("prove or refute a claim over integers", "prove", "arguments", "prove"),
    "certify": Command("check the certificates of proofs", "certify", "arguments", "certify"),
    "rules": Command("the tie between spec, code and cases", "rules", "rules_arguments", "rules"),
    "exercise": Command("twelve exercises, each checks your answer", "exercise", "arguments", "exercise"),
    "explain": Command("what a rule or operator says, where it lives, cases", "explain", "arguments", "explain"),
    "conformance": Command("export the suite, or run it on an implementation", "conformance", "arguments", "run"),
    "completion": Command("what a shell completes, as a script", "completion", "arguments", "completion"),
}
"""Name to command, in the order of ``refrelax --help``."""


EXAMPLES: dict[str, tuple[str, ...]] = {
    "demo": ("demo mlp",),
    "parse": ("parse m.py",),
    "fmt": ("fmt m.py",),
    "check": ("check m.py", "check m.py --explain --svg types.svg"),
    "run": (
        "run m.py --random 0 --dim n=3",
        "run m.py --arg 'x=[[1,2],[3,4]]' --numerics enclosure",
        "run m.py --random 0 --dim n=3 --numerics symbolic",
        "run m.py --random 0 --html permitted.html --element 'value[0]'",
        "run m.py --random 0 --extern lib.twice=mine.py:twice",
    ),
    "trace": ("trace m.py --random 0 --dim n=3", "trace m.py --random 0 --loops --html run.html"),
    "lower": (
        "lower m.py --show-evidence",
        "lower m.py -o lowered.py --html passes.html",
        "lower m.py --memory n=128,256 --html plan.html",
        "lower m.py --memory n=1..64 --html plan.html",
    ),
    "diff": ("diff m.py --impl numpy --random 0", "diff m.py --impl my_package:make --random 0 --html parting.html"),
    "bisect": (
        "bisect m.py --impl tvm --random 0",
        "bisect --front model.py:model",
        "bisect --front m.onnx --random 0",
    ),
    "validate": (
        "validate before.py after.py",
        "validate before.py after.py --require proved --html answer.html",
        "validate before.py after.py --assume 'n % 8 == 0' --correspond",
    ),
    "prove-rewrite": ("prove-rewrite lhs.py rhs.py --given '0 <= a' --given 'a <= n'",),
    "fuzz": ("fuzz --impl numpy --time 60s", "fuzz --impl tvm --kinds front --time 60s"),
    "prove": (
        "prove 'n*m + m == m*(n + 1)'",
        "prove 'i*m + j < n*m' --assume '0 <= i < n' --assume '0 <= j < m' --certificate c.json",
    ),
    "certify": ("certify c.json",),
    "rules": ("rules check",),
    "exercise": ("exercise", "exercise 3 --start mine.py", "exercise 3 mine.py"),
    "explain": ("explain ev/match-cast-mismatch", "explain R.matmul", "explain loads out of bounds"),
    "conformance": ("conformance run --impl numpy", "conformance export suite"),
    "completion": ("completion bash", "completion fish"),
}
"""Command lines that the help of each command ends with; a test reads every one."""

CODES: dict[str, str] = {
    "prove": "0 proved, 1 refuted, 2 usage (also a claim or an assumption that is none), 3 unknown",
    "certify": "0 all confirmed, 1 one is rejected, 2 usage (a missing file), 3 nobody confirmed one",
}
"""What the exit codes of commands are where the general rule leaves a question open."""


class LazyParser(ArgumentParser):
    """A command's parser. It imports the command when it is the one chosen."""

    def __init__(self, *args: Any, command: Command | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.command = command

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As its base class, with the arguments of the command."""
        command, self.command = self.command, None
        if command is not None:
            self.set_defaults(run=command.load(self))
        return super().parse_known_args(args, namespace)


__all__ = ["COMMANDS", "Command", "LazyParser"]
