"""The one register of implementations and compilers: what a name stands for.

``rr.diff`` and ``rr.bisect`` are those of ``judge``, with names looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from shutil import which
from typing import Any

from refrelax.backends import BACKENDS
from refrelax.errors import UsageError
from refrelax.extras import EXTRAS
from refrelax.interop.foreign import Foreign
from refrelax.interop.tvm import TvmImplementation, TvmPasses
from refrelax.judge.backend import Backend
from refrelax.judge.bisect import Bisection, WrongPass
from refrelax.judge.bisect import follow as judge_follow
from refrelax.judge.diff import diff as judge_diff
from refrelax.judge.outcomes import Externs
from refrelax.judge.pipelines import Asked, PipelineVerdict, claims
from refrelax.judge.pipelines import validate_pipeline as judge_pipeline
from refrelax.judge.proved_stages import follow_proofs as judge_proofs
from refrelax.judge.stages import Compiler, OwnPasses
from refrelax.judge.verdicts import NoVerdict, Verdict
from refrelax.semantics.budget import Budget
from refrelax.semantics.types.checked import CheckedModule, wants
from refrelax.syntax.module import Module


def diff(
    checked: CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Any = "numpy",
    mode: str = "fast",
    externs: Externs | None = None,
    strict: bool = False,
    budget: Budget | None = None,
) -> Verdict:
    """Judge an implementation on one call.

    ``impl``: ``"numpy"``, ``"cupy"``, ``"cuda-emulated"`` (in a ``mode`` of ``rr.compile``), ``"tvm"``,
    ``"tvm@PYTHON"`` (the TVM of another environment: 0.25, 0.26, 0.27), or anything with
    ``run(module, entry, args) -> Outcome``; one that also has ``observe(module, entry, args) -> Observed`` is
    judged binding by binding. ``strict``: also hold it to what ONNX, the array API and IEEE 754 fix though Relax leaves
    it open, and report a crash of the implementation on a run that is open.

    Raises:
        UsageError: no such function or implementation.
    """
    wants("diff", checked, checked=True)
    implementation = implementation_of(impl, mode)
    try:
        return judge_diff(checked, entry, args, implementation, externs=externs, strict=strict, budget=budget)
    finally:
        _close(impl, implementation)


def bisect(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any] | None,
    impl: str | Compiler = "tvm",
    pipeline: str = "default_build",
    externs: Externs | None = None,
    budget: Budget | None = None,
    strict: bool = False,
    target: str | None = None,
    prove: bool = False,
) -> WrongPass | NoVerdict | None:
    """The first pass that changed the meaning of ``entry`` on ``args``, or ``None``; with ``prove`` on any arguments,
    ``args`` (which may be ``None``) among them, and ``None`` only where each pass is proved.

    ``impl``: ``"tvm"`` (in a subprocess; ``pipeline`` as in ``interop.tvm.TvmPasses``), ``"refrelax"`` (``pipeline``
    as in ``rr.lower``, or passes joined by commas), or an object with ``stages(module, pipeline)``. ``strict``: as in
    ``diff``; ``target``: what TVM compiles for.

    A pass that crashes, hangs or refuses the program is found too. ``NoVerdict`` where nothing can be said: no TVM, a
    run that is left open, a library function or constant that is missing, a construct that this package gives no
    meaning, a text that cannot be read, results too wide to tell.

    Raises:
        Rejection: ``module`` is no checked module.
        UsageError: no such function, compiler or pipeline.
    """
    wants("bisect", module)
    if prove:
        if budget is not None:
            raise UsageError("a budget has no effect on proofs: give arguments and no prove, or a time to validate")
        return follow_proofs(module, entry, args, impl, pipeline, externs, strict=strict, target=target).answer
    return follow(module, entry, args or (), impl, pipeline, externs, budget, strict, target).answer


def follow_proofs(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any] | None = None,
    impl: str | Compiler = "tvm",
    pipeline: str = "default_build",
    externs: Externs | None = None,
    relax: Iterable[str] = (),
    assume: Sequence[str] = (),
    timeout: float | None = None,
    strict: bool = False,
    target: str | None = None,
) -> Bisection:
    """``bisect`` with ``prove``, with every stage on the way and the report; ``relax``, ``assume`` and ``timeout`` are
    those of ``validate``."""
    compiler = compiler_of(impl, target)
    asked = Asked((entry,), externs, relax=tuple(relax), claims=claims(assume), timeout=timeout, args=args)
    try:
        return judge_proofs(module, compiler, pipeline, asked, strict)
    finally:
        _close(impl, compiler)


def validate_pipeline(
    module: Module | CheckedModule,
    pipeline: str = "default_build",
    impl: str | Compiler = "tvm",
    target: str | None = None,
    **asked: Any,
) -> PipelineVerdict:
    """Whether every pass of a pipeline keeps what the public functions of a module mean; ``asked``: as of
    ``judge.validate_pipeline``, ``entries``, ``assume`` and ``timeout`` among it.

    Raises:
        Rejection: ``module`` is no checked module.
        UsageError: no such compiler, pipeline or function.
    """
    compiler = compiler_of(impl, target)
    try:
        return judge_pipeline(module, compiler, pipeline, **asked)
    finally:
        _close(impl, compiler)


def follow(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Compiler = "tvm",
    pipeline: str = "default_build",
    externs: Externs | None = None,
    budget: Budget | None = None,
    strict: bool = False,
    target: str | None = None,
) -> Bisection:
    """``bisect``, with every stage on the way and the report."""
    compiler = compiler_of(impl, target)
    try:
        return judge_follow(module, entry, args, compiler, pipeline, externs, budget, strict)
    finally:
        _close(impl, compiler)


def _close(given: Any, made: Any) -> None:
    """What was made of a name is nobody else's."""
    if isinstance(given, str) and hasattr(made, "close"):
        made.close()


def implementation_of(impl: str | Any, mode: str = "fast") -> Any:
    """What a name stands for; an object stands for itself.

    Raises:
        UsageError: nothing by that name, or an object without ``run``.
    """
    known = f"{', '.join(BACKENDS)}, tvm, tvm@PYTHON, or an object with run(module, entry, args)"
    if not isinstance(impl, str):
        if not callable(getattr(impl, "run", None)):
            raise UsageError(f"expected {known}, found a {type(impl).__name__}")
        return impl
    if impl in BACKENDS:
        return Backend(impl, mode)
    if is_tvm(impl):
        return TvmImplementation(python=python_of(impl))
    raise UsageError(f"unknown implementation {impl!r}; known: {known}")


def is_tvm(name: str) -> bool:
    """Whether a name is ``tvm``, or ``tvm@PYTHON``: the TVM of another interpreter."""
    return name == "tvm" or name.startswith("tvm@")


def python_of(name: str) -> str | None:
    """The interpreter that a name of TVM names, if it names one.

    Raises:
        UsageError: there is no such program.
    """
    _, at, path = name.partition("@")
    if not at:
        return None
    found = which(path)
    if found is None:
        raise UsageError(f"{name}: {path or 'nothing'} is no program that can be started; expected tvm@PYTHON")
    return found


def compiler_of(impl: str | Compiler, target: str | None = None) -> Compiler:
    """``"refrelax"``, ``"tvm"`` or ``"tvm@PYTHON"`` (in a subprocess, for ``target``), or an object with ``stages``.

    Raises:
        UsageError: nothing by that name; a target for what has none.
    """
    if isinstance(impl, str) and is_tvm(impl):
        return TvmPasses(target or "llvm", python=python_of(impl))
    if target is not None:
        raise UsageError("--target has no effect here: only tvm has targets to choose")
    if not isinstance(impl, str):
        return impl
    if impl != "refrelax":
        known = "refrelax, tvm, tvm@PYTHON, or an object with stages(module, pipeline)"
        raise UsageError(f"unknown compiler {impl!r}; known: {known}")
    return OwnPasses()


@cache
def shared_passes(name: str, target: str | None = None) -> TvmPasses:
    """``compiler_of`` a name of TVM, the same for all who ask in this process: a campaign needs its passes beside what
    it builds, and a second process that loads TVM takes as long as a finding."""
    return TvmPasses(target or "llvm", timeout=60.0, python=python_of(name))


def find(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """What a command line names: what ``rr.diff`` takes by name, or ``module:factory`` called.

    ``pipeline``, ``target``: of TVM, what it runs before it compiles and what it compiles for.

    Raises:
        UsageError: nothing by that name, what is there makes no implementation, or an option without effect.
    """
    if is_tvm(name):
        return TvmImplementation(pipeline, target or "llvm", python=python_of(name))
    if pipeline is not None or target is not None:
        option = "--pipeline" if pipeline is not None else "--target"
        raise UsageError(f"{option} has no effect on {name!r}: only tvm has pipelines and targets to choose")
    if name in BACKENDS:
        return Backend(name)
    module, colon, factory = name.partition(":")
    if not colon or not factory or not module.strip("."):
        raise UsageError(
            f"no implementation {name!r}: expected {', '.join(BACKENDS)}, tvm, tvm@PYTHON, or module:factory"
        )
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
