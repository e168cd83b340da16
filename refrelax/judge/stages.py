"""A program between the passes of a pipeline, whoever runs the passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from refrelax.errors import UsageError
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import ConstantArray, Module

Part = Literal["import", "pass", "tir", "codegen", "run"]

PARTS: dict[Part, str] = {
    "import": "reading the program, or making it of a front end's",
    "pass": "a pass over graph functions (it may rewrite loop programs too)",
    "tir": "a pass over loop programs, below the last of those",
    "codegen": "making machine code of what the last pass left",
    "run": "running what was made",
}
"""The parts of a way from text to result, in order."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What stood after a pass: its name, the text, and the arrays behind the text's constant indices."""

    name: str
    text: str
    constants: dict[int, ConstantArray]
    part: Part = "pass"

    def module(self) -> Module:
        """The text as a module. Raises ``Malformed``."""
        from refrelax.syntax.read import parse

        return replace(parse(self.text, f"<{self.name}>"), constants=self.constants)

    def same_as(self, other: Stage) -> bool:
        """Whether nothing changed."""
        return self.text == other.text and self.constants == other.constants


class StagesEnded(RuntimeError):
    """The pipeline went no further: the pass ``name`` refused the program, crashed or hung, or nothing ran at all.

    ``kind`` is a word of ``implementation.KINDS``: ``"refused"``, ``"crash"`` and ``"hang"`` are about the
    pass, and were confirmed; the others (``"absent"``, ``"unread"``, ``"fault"``, …) say nothing about it. ``detail``:
    all that the compiler said; ``part``: which part of the way ended; ``place``: where in the compiler's sources it was
    said, if known.
    """

    def __init__(
        self, name: str, kind: str, message: str, detail: str = "", part: Part = "pass", place: str = ""
    ) -> None:
        self.name, self.kind, self.message, self.detail = name, kind, message, detail or message
        self.part, self.place = part, place
        super().__init__(f"{name}: {kind}: {message}" if name else f"{kind}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return StagesEnded, (self.name, self.kind, self.message, self.detail, self.part, self.place)


@runtime_checkable
class Compiler(Protocol):
    """Whatever has pipelines of passes and shows the program between them.

    ``stages`` gives the program as it was read first, then one stage after each pass, in order. One that can also
    build has ``implementation(pipeline)``, which gives an ``Implementation``; one that can also show how it builds has
    ``below(module, pipeline)``, the stages from the end of the pipeline to machine code, of what ``implementation``
    runs. A stage that cannot be shown has no text.

    Raises (while it is iterated):
        StagesEnded: the pipeline went no further.
        UsageError: no such pipeline.
    """

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]: ...


class OwnPasses:
    """The lowerings of this package, in a named pipeline or as a list of passes: ``legalize,fuse_ops``."""

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        """See ``Compiler``. A pass whose result does not check is shown all the same."""
        from refrelax.lower.claims import Ledger
        from refrelax.lower.pipeline import PASSES, PIPELINES, find_pass

        names = PIPELINES.get(pipeline)
        if names is None:
            names = tuple(pipeline.split(","))
            unknown = [each for each in names if each not in PASSES]
            if unknown:
                known = f"pipelines {', '.join(PIPELINES)}; passes {', '.join(PASSES)}"
                raise UsageError(f"unknown pipeline or pass {unknown[0]!r}; known: {known}")
        yield _shown("read", module)
        checked: CheckedModule = check(module)
        for name in names:
            module = find_pass(name)(checked, Ledger("normal"))
            yield _shown(name, module)
            checked = check(module)


def _shown(name: str, module: Module) -> Stage:
    from refrelax.syntax.write.module import print_module

    return Stage(name, print_module(module), dict(module.constants))


__all__ = ["Compiler", "OwnPasses", "Stage", "StagesEnded"]
