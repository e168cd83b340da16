"""A backend of this package as an implementation to be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.backends import compile
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
    kept: tuple[CheckedModule, Executable] | None = field(default=None, compare=False, repr=False)
    """A module that it was compiled for before."""

    def compiled(self, checked: CheckedModule) -> Backend:
        """The same, for many calls of one module. Raises ``Unsupported``."""
        return replace(self, kept=(checked, compile(checked, self.name, self.mode)))

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """See ``Implementation``. Raises ``Unsupported``."""
        return compile(check(module), self.name, self.mode).run(entry, *args)

    def observe(
        self, checked: CheckedModule, entry: str, args: Sequence[Any], externs: Mapping[str, Callable[..., Any]]
    ) -> Observed:
        """Compile and run, watching every binding. Raises ``Unsupported``."""
        if self.kept is not None and self.kept[0] is checked:
            executable = self.kept[1]
        else:
            executable = compile(checked, self.name, self.mode)
        if isinstance(checked.module.functions[entry], PrimFunc):
            return Observed(executable.run(entry, *args, externs=externs), ())
        return executable.observe(entry, *args, externs=externs)
