"""Where in TVM's sources an exception comes from."""

from __future__ import annotations

import pytest

from refrelax.interop.tvm import worker


def raised(*frames: tuple[str, str]) -> BaseException:
    """An exception with these frames (file, function), outermost first."""
    names: dict[str, object] = {}
    body = "raise IndexError('Index 0 out of bounds 0')"
    for file, function in reversed(frames):
        exec(compile(f"def {function}():\n    {body}", file, "exec"), names)
        body = f"{function}()"
    try:
        exec(body, names)
    except IndexError as error:
        return error
    raise AssertionError("nothing was raised")


OURS = "/somewhere/refrelax/interop/tvm/"


@pytest.mark.parametrize(("frames", "place"), [
    (((f"{OURS}pass_worker.py", "answer"), ("/tvm/topi/nn.py", "pool")), "nn.py:pool"),
    (((f"{OURS}pass_worker.py", "answer"),), "<string>:<module>"),
    (((f"{OURS}worker.py", "build"), ("/tvm/ir/transform.py", "call")), "<string>:<module>"),
])  # fmt: skip
def test_a_place_is_never_one_of_the_workers(frames: tuple[tuple[str, str], ...], place: str) -> None:
    """They are on every way; an error of TVM's may bring no frame of its own."""
    assert worker.place_of(raised(*frames)) == place


def test_the_reader_deduces_where_it_adds_a_binding() -> None:
    reads = ("/tvm/script/parser.py", "parse")
    assert not worker.deducing(raised(reads))
    error = raised(reads)
    names = {"error": error}
    frame = f"{worker.DEDUCES}(tvm::Expr const&)"
    code = compile("def f():\n    raise error\n\nf()", "x.cc", "exec")
    inner = code.co_consts[0].replace(co_name=frame, co_qualname=frame)
    code = code.replace(co_consts=tuple(inner if each is code.co_consts[0] else each for each in code.co_consts))
    with pytest.raises(IndexError) as caught:
        exec(code, names)
    assert worker.deducing(caught.value)
