"""What somebody else's implementation must offer to be judged: one method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from refrelax.errors import Outcome
from refrelax.syntax.module import Module


@runtime_checkable
class Implementation(Protocol):
    """Anything that can run a module.

    ``run`` raises a ``Rejection`` if it refuses the module, and ``ImplementationFailed`` if it does not come to an end
    of its own; every other way to end is an ``Outcome``.

    An implementation may offer more, each found by its name:

    * ``check(module)`` raises a ``Rejection``, or ``ImplementationFailed`` of kind ``"unread"`` or ``"refused"``, for a
      module that it does not take;
    * ``name``, for messages;
    * ``observe(module, entry, args)`` gives a ``backends.executable.Observed``: the outcome of ``run``, and a frame for
      each binding that it can show, with the values that it had itself.
    """

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome: ...


Kind = Literal["absent", "unread", "unsupported", "lacking", "library", "refused", "crash", "hang", "fault"]

KINDS: dict[Kind, str] = {
    "absent": "there is no such implementation here: it is not installed, cannot be started, or is another program",
    "unread": "its reader did not take our text, which says nothing about the program",
    "unsupported": "it says that it has no such thing: another device, a library function, a session of workers",
    "lacking": "it has no meaning for a construct of the program",
    "library": "a library function that the program calls was not supplied",
    "refused": "it read the program and would not build it",
    "crash": "its process died",
    "hang": "it gave no answer in time",
    "fault": "the call itself went wrong on our side: an argument that cannot be handed over",
}
"""Every way in which an implementation may fail to give an outcome. The vocabulary is closed."""

FINDINGS: frozenset[Kind] = frozenset({"refused", "crash", "hang"})
"""The kinds that say something about the implementation, on a well-typed program; a refusal and a crash are confirmed
alone, in a fresh process, before they are reported. The others say nothing: no verdict."""


_FORMER: dict[str, Kind] = {"error": "refused"}
"""Words of earlier releases."""


class ImplementationFailed(RuntimeError):
    """The implementation gave no outcome. ``kind`` is one of ``KINDS``; the message is one line, ``detail`` everything
    that the implementation itself said, ``place`` where in its sources it said so, if known.

    Raises:
        ValueError: another kind.
    """

    def __init__(self, kind: str, message: str, detail: str = "", place: str = "") -> None:
        known: dict[str, Kind] = {**_FORMER, **{each: each for each in KINDS}}
        if kind not in known:
            raise ValueError(f"expected a kind among {', '.join(KINDS)}; found {kind!r}")
        self.kind: Kind = known[kind]
        self.message, self.detail = " ".join(message.split()), detail or message
        self.place = place
        super().__init__(f"{self.kind}: {self.message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.message, self.detail, self.place)
