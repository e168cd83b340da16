"""The border to implementations of others: whatever they raise or give, a call ends as the protocol says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from refrelax.backends.executable import Frame, Observed
from refrelax.errors import Effect, Outcome, Rejection, Returned
from refrelax.judge.implementation import ImplementationFailed
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import TensorValue
from refrelax.syntax.module import Module


class Foreign:
    """Somebody else's implementation. It needs ``run`` only; whatever it raises or gives, it ends as the protocol says.

    ``check`` and ``observe`` are there if the implementation has them, ``name`` is its class's unless it has one.
    """

    def __init__(self, implementation: Any) -> None:
        self.implementation = implementation
        self.name = str(getattr(implementation, "name", None) or type(implementation).__name__)
        self.known = getattr(implementation, "known", None)
        if callable(getattr(implementation, "check", None)):
            self.check = self._check
        if callable(getattr(implementation, "observe", None)):
            self.observe = self._observe

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """Its outcome.

        Raises:
            Rejection: it refuses the module.
            ImplementationFailed: everything else that is no outcome; ``NotImplementedError`` is "unsupported".
        """
        return _outcome("run", self._call("run", module, entry, args))

    def _observe(self, module: Module, entry: str, args: Sequence[Any]) -> Observed:
        observed = self._call("observe", module, entry, args)
        if not isinstance(observed, Observed):
            raise ImplementationFailed("crash", f"observe gave a {type(observed).__name__}, expected Observed")
        _outcome("observe", observed.outcome)
        if not all(isinstance(each, Frame) for each in observed.frames):
            raise ImplementationFailed("crash", f"observe gave frames {observed.frames!r:.80}, expected Frames")
        return observed

    def _check(self, module: Module) -> None:
        self._call("check", module)

    def _call(self, method: str, *args: Any) -> Any:
        try:
            return getattr(self.implementation, method)(*args)
        except (Rejection, ImplementationFailed):
            raise
        except NotImplementedError as error:
            raise ImplementationFailed("unsupported", str(error) or f"{method} is not implemented") from error
        except (Exception, SystemExit) as error:
            raise ImplementationFailed("crash", f"{type(error).__name__}: {error}") from error


def _outcome(method: str, given: Any) -> Outcome:
    """An outcome that is one."""
    if not isinstance(given, get_args(Outcome)):
        kinds = " | ".join(each.__name__ for each in get_args(Outcome))
        raise ImplementationFailed("crash", f"{method} gave a {type(given).__name__}, expected {kinds}")
    if isinstance(given, Returned):
        _hold_together(given)
    return given  # type: ignore[no-any-return]


def _made_up(value: Any) -> bool:
    """Whether something in a value is a ``Tensor`` of no cells."""
    if isinstance(value, tuple):
        return any(map(_made_up, value))
    return isinstance(value, Tensor) and not isinstance(value.core, TensorValue)


def _hold_together(outcome: Returned) -> None:
    """Refuse an outcome whose parts are not what they are called."""
    poison = outcome.poison if isinstance(outcome.poison, tuple | list) else None
    parts = {
        "tensors (make them with Tensor.of)": not _made_up(outcome.value),
        "arguments": isinstance(outcome.arguments, tuple | list),
        "effects": isinstance(outcome.effects, tuple | list) and all(isinstance(e, Effect) for e in outcome.effects),
        "poison": poison is not None and all(isinstance(p, tuple | list) and len(p) == 2 for p in poison),
    }
    wrong = next((name for name, right in parts.items() if not right), None)
    if wrong is not None:
        raise ImplementationFailed("crash", f"a Returned whose {wrong} are {getattr(outcome, wrong, 'none')!r:.80}")
