"""Pages in a real browser: they draw what the recording says, without an error on the console."""

from __future__ import annotations

from pathlib import Path

import pytest

import refrelax as rr
from refrelax.views.recording import record
from refrelax.views.stepper import page
from tests.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")

TEXT = """
@T.prim_func(private=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        s = T.alloc_buffer((4,), scope="shared")
        s[tx] = A[tx]
        T.tvm_storage_sync("shared")
        if tx == 0:
            B[0] = s[1] + s[3]
"""


@pytest.mark.thorough
def test_the_stepper_steps_through_a_block_of_threads(tmp_path: Path) -> None:
    """The one look into a browser that every run of the tests takes; the others are nightly (``test_site.py``)."""
    recording = record(rr.check(rr.parse(TEXT)), "main", [1.0, 2.0, 3.0, 4.0], [0.0], loops=True).json()
    plain, packed = tmp_path / "run.html", tmp_path / "packed.html"
    plain.write_text(page(recording), encoding="utf-8")
    packed.write_text(page(recording | {"text": recording["text"] + "#" + " " * 500_000}), encoding="utf-8")
    last = len(recording["steps"])
    with Browser() as browser:
        for path in (plain, packed):
            seen = browser.page(f"{path.as_uri()}#step={last - 1}", dark=path is packed)
            seen.until(f"document.getElementById('count').textContent === 'step {last - 1} of {last}'")
            seen.press("ArrowRight")
            text = seen.value("document.body.innerText")
            assert f"step {last} of {last}" in text and "x = 3" in text and "B[0] = 6" in text
            seen.click("#back")
            assert seen.value("document.querySelector('.row.now').innerText").endswith("B[0] = s[1] + s[3]")
            assert seen.value("location.hash") == f"#step={last - 1}"
            assert not seen.errors, seen.errors
            assert all(each.startswith((path.as_uri(), "data:")) for each in seen.requests)


LOOKED = """
@T.prim_func
def main(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3,), "int64"), n: T.int64):
    V = T.decl_buffer((3,), "float32x2", data=A.data)
    W = T.decl_buffer((1,), "int32", data=A.data, elem_offset=5)
    for i in range(2):
        C = T.alloc_buffer((1,), "float32")
        A[0, n] = C[0]
        C[0] = T.float32(-0.0)
    V[1] = V[0]
    V[2] = T.Broadcast(T.float32(-0.0), 2)
    W[0] = 5
    B[0] = T.Cast("int64", A[0, n + T.int64(3)])
"""
"""Memory that is allocated twice, views of another shape and dtype, an index that is outside."""


@pytest.mark.nightly
def test_what_the_page_shows_of_numbers_and_memory_is_so(tmp_path: Path) -> None:
    given = [[-0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [2**63 - 1, -(2**63), 2**53 + 1], 1
    recording = record(rr.check(rr.parse(LOOKED)), "main", *given, loops=True).json()
    path = tmp_path / "run.html"
    path.write_text(page(recording), encoding="utf-8")
    kinds = [(each["kind"], each["name"]) for each in recording["steps"]]
    with Browser() as browser:
        seen = browser.page(path.as_uri())
        seen.until(f"document.getElementById('count').textContent === 'step 1 of {len(kinds)}'")

        def rows(step: int) -> list[str]:
            seen.value(f"go({step})")
            found: str = seen.value("[...document.querySelectorAll('#state tr')].map(r => r.innerText).join('|')")
            return found.replace("\t", " ").split("|")

        whole = "9223372036854775807 -9223372036854775808 9007199254740993"
        assert rows(0)[:3] == ["-0 1 2", "3 4 5", whole]
        assert rows(0)[3:] == ["-0 unset unset", "unset -0 7.0065e-45", "poison" + whole[19:]]
        second = [k for k, each in enumerate(kinds) if each == ("allocate", "C")][1]
        assert rows(second - 1)[0] == "-0" and rows(second)[0] == "unset"
        assert rows(kinds.index(("write", "V")))[1:] == ["· unset unset", "unset · ·"]
        assert rows(kinds.index(("write", "W")))[1:] == ["· unset unset", "unset -0 as int32"]
        assert rows(kinds.index(("write", "B")))[1:] == ["· unset unset", "unset -0 as int32", "poison · ·"]
        assert "B is now int64[3] [poison, -9223372036854775808" in seen.value("document.body.innerText")
        assert not seen.errors, seen.errors


@pytest.mark.nightly
def test_a_frame_without_an_address_steps_too(tmp_path: Path) -> None:
    """In a notebook the page is in a frame, where every step raised an error: it cannot change its address."""
    recording = record(rr.check(rr.parse(TEXT)), "main", [1.0, 2.0, 3.0, 4.0], [0.0], loops=True)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{recording._repr_html_()}", encoding="utf-8")
    with Browser() as browser:
        outer = browser.page(path.as_uri())
        outer.until("document.querySelector('iframe') !== null")
        for _ in range(200):
            if outer.frames and outer.value("document.getElementById('count')?.textContent || ''", frame=True):
                break
            outer.value("new Promise(done => setTimeout(() => done(true), 30))")
        outer.value("document.getElementById('next').click()", frame=True)
        assert outer.value("document.getElementById('count').textContent", frame=True).startswith("step 2 of")
        outer.value("1")
        assert not outer.errors, outer.errors


LONG = """
n = TypeVar("n")
@R.function
def main(x: R.Tensor((1, n, 32), dtype="float32")):
    with R.dataflow():
        a: R.Tensor((1, n, 32), dtype="float32") = R.add(R.multiply(x, x), R.multiply(R.exp(x), R.sin(x)))
        b: R.Tensor((n, 32), dtype="float32") = R.reshape(a, R.shape([n, 32]))
        R.output(b)
    return b
"""


@pytest.mark.nightly
def test_no_value_lies_over_the_text_of_its_line(tmp_path: Path) -> None:
    """On a projector the operator of a long line stood under the value that it gave."""
    value = rr.Tensor.of([[[0.5] * 32]], "float32")
    path = tmp_path / "long.html"
    path.write_text(page(record(rr.check(rr.parse(LONG)), "main", value).json()), encoding="utf-8")
    with Browser() as browser:
        seen = browser.page(path.as_uri())
        seen.until("document.getElementById('count').textContent.startsWith('step 1 of')")
        seen.press("End")
        over = seen.value(
            "[...document.querySelectorAll('.row')].filter(row => {"
            "const v = row.querySelector('.v'); if (!v) return false;"
            "const text = document.createRange(); text.selectNode(row.children[1].firstChild);"
            "const b = v.getBoundingClientRect(); return [...text.getClientRects()].some(a => a.left < b.right - 1 &&"
            "b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) }).map(row => row.innerText)"
        )
        assert over == [], over
        assert seen.value("document.querySelectorAll('.row .v').length") >= 2
        assert seen.value("(m => m.scrollWidth <= m.clientWidth)(document.querySelector('main'))"), "all is in sight"
        assert not seen.errors, seen.errors
