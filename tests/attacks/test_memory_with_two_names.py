"""A view is another name of memory: what is asked of names, in a text, is asked of the memory; its scope as well."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt
from refrelax.semantics.types.check import check

HEAD = """n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=IMPLICIT)
    def main(A: T.Buffer((16, n), "float32"), C: T.Buffer((16, n), "float32"), D: T.Buffer((16, n), "float32")):
"""


def proved(first: str, second: str, implicit: bool = False) -> bool:
    head = HEAD.replace("IMPLICIT", str(implicit))
    texts = [head + "".join(f"        {line}\n" for line in text.splitlines()) for text in (first, second)]
    return isinstance(attempt(*(check(rr.parse(text)) for text in texts), "main"), Proved)


NAMES = [f'V = T.decl_buffer((16, {n}), "float32", data=C.data)\n' for n in ("T.max(n, 0)", "n * 2 // 2")]
CHANGED = """for t in range(16):
    for i in range(n):
        C[t, i] = T.float32(1)
        D[t, i] = C[t, i]"""
BEFORE = """for t in range(16):
    for i in range(n):
        D[t, i] = C[t, i]
        C[t, i] = T.float32(1)"""
LET = """for t in range(16):
    for i in range(n):
        x: T.let[T.float32] = C[t, i]
        V[t, i] = T.float32(1)
        D[t, i] = x"""


@pytest.mark.parametrize("view", NAMES)
@pytest.mark.parametrize("names", ["CV", "VC"])
def test_a_let_holds_what_was_there_under_either_name(view: str, names: str) -> None:
    second = LET.replace("C[", "?").replace("V[", f"{names[1]}[").replace("?", f"{names[0]}[")
    assert not proved(CHANGED, view + second)
    assert proved(CHANGED, view + CHANGED.replace("D[t, i] = C", "D[t, i] = V"))
    assert proved(BEFORE, view + BEFORE.replace("D[t, i] = C", "D[t, i] = V"))


PLAIN = """for t in range(16):
    for i in range(n):
        C[t, i] = A[15 - t, i] * T.float32(2)
        D[t, i] = A[15 - t, i] + A[WHICH, i] * T.float32(2)"""
THREADS = """for tx in T.thread_binding(16, thread="threadIdx.x"):
    with T.sblock("b"):
        vt = T.axis.spatial(16, tx)
        S = T.sblock_alloc_buffer((16,), scope="shared")
        for i in range(n):
            C[vt, i] = A[15 - vt, i] * T.float32(2)
            S[vt] = A[vt, i]
            D[vt, i] = S[15 - vt] + V[WHICH, i]"""


@pytest.mark.parametrize("view", NAMES)
def test_threads_wait_for_memory_under_either_name(view: str) -> None:
    own, other = (THREADS.replace("WHICH", which) for which in ("vt", "15 - vt"))
    assert proved(PLAIN.replace("WHICH", "15 - t"), view + own, implicit=True)
    assert not proved(PLAIN.replace("WHICH", "t"), view + other, implicit=True)


@pytest.mark.parametrize(
    ("memory", "scope", "seen"), [("shared", "shared", True), ("global", "shared", False), ("global", "local", False)]
)
def test_a_view_has_the_scope_of_its_memory(memory: str, scope: str, seen: bool) -> None:
    first = "for t in range(16):\n    for i in range(n):\n        D[t, i] = A[15 - t, i]"
    made = f'S = T.alloc_buffer((16, 2), scope="{memory}")\nV = T.decl_buffer((32,), data=S.data, scope="{scope}")\n'
    second = f"""{made}for tx in T.thread_binding(16, thread="threadIdx.x"):
    for i in range(n):
        V[2 * tx] = A[tx, i]
        D[tx, i] = V[2 * (15 - tx)]"""
    assert proved(first, second, implicit=True) is seen
