"""What somebody else's implementation must offer to be judged: one method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from refrelax.errors import Outcome
from refrelax.syntax.module import Module


@runtime_checkable
class Implementation(Protocol):
    """Anything that can run a module.

    ``run`` raises a ``Rejection`` if it refuses the module, and ``ImplementationFailed`` if it cannot say (it crashed,
    hung, or has no such operator); every other way to end is an ``Outcome``. An implementation may have a ``name``; one
    that can tell which modules it refuses also has ``check(module)``, which raises a ``Rejection``, or
    ``ImplementationFailed`` of kind ``"error"``.
    """

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome: ...


class ImplementationFailed(RuntimeError):
    """The implementation crashed, hung or could not be started: a verdict about *it*, never about the program.

    ``kind`` is ``"crash"``, ``"hang"``, ``"error"``, ``"absent"``, or ``"unsupported"`` for a program that it says it
    cannot take.
    """

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(f"{kind}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return ImplementationFailed, (self.kind, self.message)
