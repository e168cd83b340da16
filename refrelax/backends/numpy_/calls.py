"""``f["main"]``: the fast call of a compiled module, over the caller's memory; how a run ends that raised."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Any

import numpy as np

from refrelax.backends.numpy_.border import (
    apart,
    arrays_in,
    compact,
    copied,
    given,
    inward,
    made_anew,
    overlaps_itself,
    own,
    stored,
    types_of,
    unlike,
    views,
)
from refrelax.backends.numpy_.graph_checks import told_at_a_glance
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.numpy_.narrow import UPPER
from refrelax.errors import Ended, Exhausted, Outcome, Returned, RunError, Trapped, Unspecified, UsageError, trap
from refrelax.running.arrays import Tensor
from refrelax.running.sharing import holds_truths
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.types import PrimType, TensorType


class Called:
    """``f["main"]``: NumPy arrays, and anything with DLPack, the buffer or the array protocol, without a copy; lists
    and numbers are converted. Gives NumPy arrays that can be written.

    A result shares memory with an argument only where the definition lets it (``R.reshape`` of a parameter, a
    parameter itself). An argument is written only where the program overwrites that parameter.

    Raises:
        RunError: the run ended otherwise than by returning.
        UsageError: an argument is no array, on another device, or cannot be written where the program writes.
        Unlinkable: a library function or constant is missing.
    """

    __slots__ = (
        "_alone",
        "_entry",
        "_executable",
        "_free",
        "_func",
        "_overwrites",
        "_quick",
        "_run",
        "_sees",
        "_tensors",
        "_types",
        "_written",
    )

    def __init__(self, executable: Any, entry: str) -> None:
        """``executable``: a ``NumPyExecutable``."""
        self._executable, self._entry = executable, entry
        self._func = executable._entry(entry, {})
        self._types = types_of(self._func, len(self._func.params))
        self._tensors = all(isinstance(each, TensorType) for each in self._types)
        self._run = executable._functions[function(entry)]
        self._written = stored(self._func) if isinstance(self._func, PrimFunc) else {}
        self._overwrites = not executable._views or bool(self._written)
        self._free = views(self._func) if isinstance(self._func, Function) else False
        # whether memory may be seen in another shape or dtype
        self._sees = bool(re.search(r"\bvm\.", executable.source))
        # whether nothing looks at the run
        self._alone = not re.search(r"\brun\.|\bvm\.|\brun, *args", executable.source)
        # whether arrays go in as they are, and nobody else's code is a part of the run
        self._quick = (
            QUIET is not None
            and self._alone
            and self._tensors
            and isinstance(self._func, Function)
            and not self._overwrites
            and not executable._kept
        )

    def quickest(self) -> Callable[..., Any]:
        """The same as one function, where the source itself looks at all of its arguments at a glance."""
        if not self._quick or not all(map(told_at_a_glance, self._types)):
            return self
        own = getattr(self._run, "own", False)
        enter = QUIET.copy().run if ONE_AT_A_TIME else _apart
        names: dict[str, Any] = {
            "call_": self._called, "enter_": enter, "f_": self._run, "given_": given, "free_": self._free,
            "none_": NONE, "failures_": (*FAILURES, RuntimeError),
        }  # fmt: skip
        exec(_straight([local(p.name) for p in self._func.params], own), names)  # noqa: S102
        call: Callable[..., Any] = names["call"]
        call.__doc__ = Called.__doc__
        return call

    def __call__(self, *args: Any) -> Any:
        if self._quick and len(args) == len(self._types):
            for each in args:
                if type(each) is not np.ndarray:
                    break
                if id(each.dtype) not in NATIVE and not (each.dtype is TRUTH and holds_truths(each)):
                    break
            else:
                try:
                    result = QUIET.copy().run(self._run, None, *args)
                except FAILURES as error:
                    return self._failed(error, args)
                return given(result, args, self._free)
        return self._called(args)

    def _called(self, args: tuple[Any, ...]) -> Any:
        """The same for arguments and programs of any kind."""
        f, types = self._executable, self._types
        if len(args) != len(types):
            raise RunError(trap("ev/arity", arity(self._entry, len(args), len(types))).outcome)
        values = [
            a if type(a) is np.ndarray and id(a.dtype) in NATIVE and type(t) is not PrimType else self._inward(a, t)
            for a, t in zip(args, types)
        ]
        before: list[tuple[Any, Any, Any]] = []
        if self._overwrites:
            values = self._own(args, values)
            before = [] if self._written else converted(args, values)
        try:
            with np.errstate(all="ignore"):
                if isinstance(self._func, Function):
                    result = self._run(None if self._alone else f._running(f._functions, {}), *values)
                else:
                    result = self._run(*values)
        except FAILURES as error:
            return self._failed(error, args)
        if self._overwrites:
            for given_, value, was in before:
                if _differs(value, was):
                    raise UsageError(f"the program writes to an argument given as {_told(given_)}: give an array")
            give_back(args, values)
        return copied(result) if f._kept else given(result, values if self._tensors else arrays_in(values), self._free)

    def _failed(self, error: BaseException, args: tuple[Any, ...]) -> Any:
        """The end of a run that raised, or what its loops give."""
        if self._executable._again and isinstance(ended(error), Trapped | Unspecified):
            return self._by_loops(args)
        if isinstance(error, ValueError) and "read-only" in str(error):
            raise UsageError("the program writes to an argument, and the array given for it is read-only") from None
        raise RunError(ended(error)) from None

    def _by_loops(self, args: tuple[Any, ...]) -> Any:
        """What loops give, which may have a meaning where the operators that they come from have none."""
        f = self._executable
        outcome = f._run(f._loops, self._entry, args, {})[0]
        if not isinstance(outcome, Returned):
            raise RunError(outcome)
        return _arrays(outcome.value)

    def _inward(self, value: Any, type_: Any) -> Any:
        trapped = unlike(self._func, self._entry, value, type_)
        if trapped is not None:
            raise RunError(trapped)
        return inward(value, type_, copy=False)

    def _own(self, args: tuple[Any, ...], values: list[Any]) -> list[Any]:
        if isinstance(self._func, PrimFunc):
            own(self._func, args, values, self._written)
            return values
        return apart(compact(values) if self._sees else values)


NONE = object()
"""An argument that was not given."""

ONE_AT_A_TIME = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether no two threads can enter the same context at once. (Who finds it entered is told so.)"""


def _apart(*args: Any) -> Any:
    """A call in a context of its own."""
    return QUIET.copy().run(*args)


def _straight(params: Sequence[str], own: bool) -> str:
    """A call as source, without a tuple of its arguments: that costs as much as a step on few elements."""
    args = ", ".join(params)
    run = f"enter_(f_, None, {args})" if params else "enter_(f_, None)"
    head = ", ".join([*(f"{name}=none_" for name in params), *(["/"] if params else []), "*more_"])
    listed = f"({args},)" if params else "()"
    return f"""def call({head}):
    if more_:
        return call_({listed} + more_)
    try:
        return {run if own else f"given_({run}, {listed}, free_)"}
    except failures_:
        return call_(tuple([each for each in {listed} if each is not none_]))
"""


def quiet() -> Any:
    """A context in which NumPy does not warn: entering a copy of it costs a tenth of ``np.errstate``. ``None`` where
    NumPy keeps its settings by thread (before 2.0)."""
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return None
    made = Context()
    made.run(np.seterr, all="ignore")
    return made


QUIET = quiet()

NATIVE = frozenset(map(id, (*map(np.dtype, "efdbBhHiIlLqQ"), UPPER)))
"""NumPy's own dtypes of numbers that are dtypes of ours, and bfloat16, in the machine's byte order, by identity: there
is one of each. The bytes of bools are looked at (``sharing.truths``)."""

TRUTH = np.dtype(np.bool_)

FAILURES = (
    Ended, RecursionError, ZeroDivisionError, IndexError, ValueError, OverflowError, MemoryError, TypeError, KeyError,
)  # fmt: skip
"""What generated source raises."""


def ended(error: BaseException) -> Outcome:
    """How a run ended that raised."""
    match error:
        case Ended():
            return error.outcome
        case RecursionError():
            return Exhausted("depth")
        case ZeroDivisionError():
            return Unspecified("num/int-division-by-zero", "integer division by zero")
        case _:
            return Unspecified("impl/error", f"{type(error).__name__}: {error}")


def give_back(args: Sequence[Any], values: Sequence[Any]) -> None:
    """What was written to copies: of tensors that are no arrays, of arrays in the other byte order or that share
    memory with another argument. What is found to be changed is told before any of it is given back."""
    changed = [(a, v) for a, v in beside(args, values) if _is_changed(a, v)]
    for a, _ in changed:
        if isinstance(a, np.ndarray) and overlaps_itself(a):
            raise UsageError(
                "elements of an argument share memory that the program writes: give an array with a place for each"
            )
        if isinstance(a, np.ndarray) and not a.flags.writeable:
            raise UsageError("the program writes to an argument, and the array given for it is read-only")
    for a, v in changed:
        if isinstance(a, Tensor):
            a.assign(v)
        else:
            a[...] = v


def converted(args: Sequence[Any], values: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
    """What was given and has no memory to write to (``made_anew``), the array made of it, and what is in that."""
    return [
        (a, v, v.copy()) for a, v in beside(args, values) if not isinstance(a, Tensor | np.ndarray) and made_anew(a, v)
    ]


def beside(args: Sequence[Any], values: Sequence[Any]) -> list[tuple[Any, Any]]:
    """What was given for each array, also within tuples."""
    found: list[tuple[Any, Any]] = []
    for given_, value in zip(args, values, strict=False):
        if isinstance(value, np.ndarray):
            found.append((given_, value))
        elif isinstance(value, tuple) and isinstance(given_, list | tuple):
            found += beside(given_, value)
    return found


def _told(value: Any) -> str:
    plain = isinstance(value, list | tuple | bool | int | float)
    return "a list or a number" if plain else f"a {type(value).__name__}, which has no memory for it"


def _differs(value: Any, was: Any) -> bool:
    return bool(value.tobytes() != was.tobytes())


def _is_changed(given: Any, value: Any) -> bool:
    """Whether an argument is an array, or a tensor, whose elements are others now in a copy of it."""
    if not isinstance(given, Tensor | np.ndarray):
        return False
    array = given.__array__() if isinstance(given, Tensor) else given
    if array.dtype == np.bool_:
        return not np.may_share_memory(array, value) and bool(((array.view(np.uint8) != 0) != value).any())
    if np.may_share_memory(array, value) or array.dtype.newbyteorder("=") != value.dtype:
        return False
    return bool(array.astype(value.dtype).tobytes() != value.tobytes())


def _arrays(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.numpy()
    return tuple(map(_arrays, value)) if isinstance(value, tuple) else value


def arity(name: str, found: int, wanted: int) -> str:
    return f"{name} takes {wanted} arguments, {found} were given"
