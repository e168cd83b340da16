"""Names of implementations to implementations, and the border to those of others."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, get_args

from refrelax.backends.executable import Frame, Observed
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.errors import Effect, Outcome, Rejection, Returned, UsageError
from refrelax.extras import EXTRAS
from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Tensor as Core
from refrelax.syntax.module import Module

BUILT_IN = ("numpy", "cupy", "cuda-emulated")
"""Backends: ``rr.diff`` takes these names itself."""


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
    return isinstance(value, Tensor) and not isinstance(value.core, Core)


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


def find(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """What ``rr.diff`` takes as ``impl``: a backend's name, TVM in a subprocess, or ``module:factory`` called.

    ``pipeline``, ``target``: of TVM, what it runs before it compiles and what it compiles for.

    Raises:
        UsageError: nothing by that name, what is there makes no implementation, or an option without effect.
    """
    if name != "tvm" and (pipeline is not None or target is not None):
        option = "--pipeline" if pipeline is not None else "--target"
        raise UsageError(f"{option} has no effect on {name!r}: only tvm has pipelines and targets to choose")
    if name in BUILT_IN:
        return name
    if name == "tvm":
        from refrelax.interop.tvm import TvmImplementation

        return TvmImplementation(pipeline, target or "llvm")
    module, colon, factory = name.partition(":")
    if not colon or not factory or not module.strip("."):
        raise UsageError(f"no implementation {name!r}: expected {', '.join(BUILT_IN)}, tvm, or module:factory")
    made = _made(name, module, factory)
    if not callable(getattr(made, "run", None)):
        raise UsageError(f"{name!r} gives a {type(made).__name__}, which has no method run(module, entry, args)")
    return Foreign(made)


def _made(name: str, module: str, factory: str) -> Any:
    """What the factory gives, called without arguments."""
    try:
        make = import_module(module)
        for part in factory.split("."):
            make = getattr(make, part)
        if not callable(make):
            what = f"{factory} is a {type(make).__name__}, expected something to call"
            raise UsageError(f"implementation {name!r}: {what}")
    except UsageError:
        raise
    except ModuleNotFoundError as error:
        if error.name in EXTRAS:
            raise
        raise UsageError(f"implementation {name!r}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UsageError(f"implementation {name!r}: {type(error).__name__}: {error}") from None
    try:
        return make()
    except (Exception, SystemExit) as error:
        said = f"{factory}(), called without arguments, raises {type(error).__name__}: {error}"
        raise UsageError(f"implementation {name!r}: {said}") from None
