"""Many programs and many calls in one request to the process that has TVM: read one by one, built together, each run in
a process of its own. Imports nothing of refrelax.

A request: ``{"programs": [{"text", "constants", "entry", "calls": [[value, …], …]}, …], "target", "pipeline"}``, values
as in ``worker.py``; ``"apart": true`` if no two may share a build, and ``"seconds"`` for a call. The answer: a line
``{"program": k, "call": j, "answer": …}`` for each call, with what ``worker.py`` answers or ``{"died": code}``; or
``{"program": k, "refused": [stage, class, message], "place": where}`` for a program that TVM does not take;
``{"program": k, "done": calls}`` after the last call of a program; at the end ``{"end": {"builds": how many}}``. A line
``{"at": k}`` says that program ``k`` is read, built or run next, and ``{"at": null}`` that several share a build, so
that whoever waits in vain knows for which. The lines about programs repeat the request's ``"request"``: one that
outlives the process that forked it may write when another request is answered.

LLVM takes most of the time of a small program, and takes less for many at once. A program that TVM's Relax passes
refuse is told from the rest before that; if the rest cannot be built together, each is built by itself. What kills the
process that builds kills the request: whoever asked asks again, without the program that did it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import worker  # type: ignore[import-not-found]  # beside this file, which is imported by a script

Say = Callable[[dict[str, Any]], None]

CALL_SECONDS = 20
"""The longest that a call may take if the request does not say; one that takes longer dies by ``SIGALRM``."""


def answer(request: dict[str, Any], say: Say) -> None:
    """Every program of a request."""
    import suite_library  # type: ignore[import-not-found]
    import tvm

    def tell(row: dict[str, Any]) -> None:
        say({**row, "request": request.get("request")})

    tvm.target.Target(request["target"])
    worker.asked_for(request)
    suite_library.register()
    worker.watch(say)
    read: dict[int, Any] = {}
    for k, program in enumerate(request["programs"]):
        tell({"at": k})
        try:
            stage = "read"
            mod = worker.read_module(program["text"], program["constants"])
            stage = "build"
            if len(mod.functions) == 1 and len(request["programs"]) > 1:
                legalized(mod, request)
            read[k] = mod
        except BaseException as error:
            tell(_refused(k, stage, error))
    together = len(read) > 1 and not request.get("apart")
    builds = _together(read, request, tell) if together else _each(read, request, tell)
    say({"end": {"builds": builds}})


def legalized(mod: Any, request: dict[str, Any]) -> Any:
    """The module after the lowering of its operators, which refuses most of what is refused."""
    import tvm
    from tvm import relax

    with tvm.target.Target(request["target"]):
        return relax.transform.LegalizeOps()(mod)


def _together(read: dict[int, Any], request: dict[str, Any], say: Say) -> int:
    """Programs of a single function in one module; the others, and all if that cannot be built, by themselves."""
    import tvm

    packed = {k: mod for k, mod in read.items() if len(mod.functions) == 1 and not mod.global_infos}
    rest = {k: mod for k, mod in read.items() if k not in packed}
    entries = {k: request["programs"][k]["entry"] for k in packed}
    functions = {f"c{k}": mod[entries[k]].with_attr("global_symbol", f"c{k}") for k, mod in packed.items()}
    say({"at": None})
    try:
        made = _built(tvm.IRModule(functions), request) if len(packed) > 1 else None
    except BaseException:
        made = None
    if made is None:
        return _each(read, request, say)
    for k in packed:
        run(k, lambda k=k: made[f"c{k}"], request, say)  # type: ignore[misc]
    return 1 + _each(rest, request, say)


def _each(read: dict[int, Any], request: dict[str, Any], say: Say) -> int:
    for k, mod in read.items():
        say({"at": k})
        try:
            made = _built(mod, request)
        except BaseException as error:
            say(_refused(k, "build", error))
            continue
        run(k, lambda k=k, made=made: made[request["programs"][k]["entry"]], request, say)  # type: ignore[misc]
    return len(read)


def _built(mod: Any, request: dict[str, Any]) -> Any:
    """A virtual machine for a module, as ``worker.build`` makes one."""
    import tvm
    from tvm import relax

    with tvm.target.Target(request["target"]):
        for each in worker.asked_for(request):
            mod = each(mod)
    return relax.VirtualMachine(tvm.compile(mod, target=request["target"]), tvm.cpu())


def _refused(k: int, stage: str, error: BaseException) -> dict[str, Any]:
    refused = [stage, type(error).__name__, str(error)[:20_000]]
    return {"program": k, "refused": refused, "place": worker.place_of(error)}


def run(k: int, find: Callable[[], Any], request: dict[str, Any], say: Say) -> None:
    """The calls of a program, in processes that end with the first that dies: one for all that go well."""
    calls, seconds = request["programs"][k]["calls"], request.get("seconds", CALL_SECONDS)
    done = 0
    say({"at": k})
    while done < len(calls):
        done, code = _forked(k, find, calls, done, seconds, say)
        if code is not None and done < len(calls):
            say({"program": k, "call": done, "answer": {"died": code}})
            done += 1
    say({"program": k, "done": len(calls)})


def _forked(
    k: int, find: Callable[[], Any], calls: list[list[Any]], first: int, seconds: int, say: Say
) -> tuple[int, int | None]:
    """How many calls are done, and how the process died, if it did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            for j in range(first, len(calls)):
                signal.alarm(seconds)
                say({"program": k, "call": j, "answer": _call(find, calls[j])})
                os.write(writer, b".")
        finally:
            os._exit(0)  # nothing may go on from here as if it were the process that forked it
    os.close(writer)
    done = first
    while got := os.read(reader, 4096):
        done += len(got)
    os.close(reader)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return done, code if code != 0 or done < len(calls) else None


def _call(find: Callable[[], Any], given: list[Any]) -> dict[str, Any]:
    try:
        function = find()
        args = [worker.decode(each) for each in given]
    except BaseException as error:
        return {"refused": ["arguments", type(error).__name__, str(error)]}
    try:
        value = function(*args)
    except BaseException as error:
        return {"raised": [type(error).__name__, str(error)], "place": worker.place_of(error)}
    try:
        answer: dict[str, Any] = worker.returned(value, args)
        return answer
    except BaseException as error:
        return {"refused": ["arguments", type(error).__name__, str(error)]}
