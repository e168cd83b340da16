"""A backend of this package as an implementation to be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.backends import compile
from refrelax.backends.errors import Unsupported
from refrelax.backends.executable import Executable, Observed
from refrelax.errors import Outcome
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend of ``refrelax.backends``, compiled when it is asked; it shows every binding."""

    name: str
    mode: str = "fast"
    kept: tuple[CheckedModule, Executable | Unsupported] | None = field(default=None, compare=False, repr=False)
    """A module that it was compiled for before, and what came of it."""

    def compiled(self, checked: CheckedModule) -> Backend:
        """The same, for many calls of one module."""
        made: Executable | Unsupported
        try:
            made = compile(checked, self.name, self.mode, watched=True)
        except Unsupported as error:
            made = error  # which each call says
        return replace(self, kept=(checked, made))

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """See ``Implementation``. Raises ``Unsupported``."""
        return compile(check(module), self.name, self.mode).run(entry, *args)

    def observe(
        self, checked: CheckedModule, entry: str, args: Sequence[Any], externs: Mapping[str, Callable[..., Any]]
    ) -> Observed:
        """Compile and run, watching every binding. Raises ``Unsupported``."""
        if self.kept is not None and self.kept[0] is checked:
            executable = self.kept[1]
            if isinstance(executable, Unsupported):
                raise executable.with_traceback(None)
        else:
            executable = compile(checked, self.name, self.mode, watched=True)
        if isinstance(checked.module.functions[entry], PrimFunc):
            return Observed(executable.run(entry, *args, externs=externs), ())
        return executable.observe(entry, *args, externs=externs)
