"""Fused indices among whose digits are sums (``m + 1``) and products of them, as ``dlight.gpu.Fallback`` makes them of
a cache that grows by what is appended to it."""

import pytest

import refrelax as rr

HEAD = """b = TypeVar("b")
h = TypeVar("h")
m = TypeVar("m")
n = TypeVar("n")

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main({parameters}):
"""
GROWN = "M: T.Buffer((m,), 'float32'), A: T.Buffer((m + 1, 4, 16), 'float32'), C: T.Buffer((4, m + 1, 16), 'float32')"
GROWN_PLAIN = """for i, j, k in T.grid(4, m + 1, 16):
    C[i, j, k] = A[j, i, k]"""
GROWN_FUSED = """for f0 in T.thread_binding(m // 16 + 1, thread="blockIdx.x"):
    for f1 in T.thread_binding(1024, thread="threadIdx.x"):
        with T.sblock("C"):
            i = T.axis.spatial(4, (f0 * 1024 + f1) // (m * 16 + 16))
            j = T.axis.spatial(m + 1, (f0 * 1024 + f1) % (m * 16 + 16) // 16)
            k = T.axis.spatial(16, (f0 * 1024 + f1) % 16)
            T.where(f0 * 1024 + f1 < m * 64 + 64)
            C[i, j, k] = A[j, i, k]"""
JOINED = (
    "M: T.Buffer((m, n), 'float32'), A: T.Buffer((b, m + n, h, 16), 'float32'), "
    "C: T.Buffer((b, h, m + n, 16), 'float32')"
)
JOINED_PLAIN = """for i, j, k, l in T.grid(b, h, m + n, 16):
    C[i, j, k, l] = A[i, k, j, l]"""
JOINED_FUSED = """for f0 in T.thread_binding((b * h * (m + n) * 16 + 1023) // 1024, thread="blockIdx.x"):
    for f1 in T.thread_binding(1024, thread="threadIdx.x"):
        with T.sblock("C"):
            i = T.axis.spatial(b, (f0 * 1024 + f1) // (h * (m * 16 + n * 16)))
            j = T.axis.spatial(h, (f0 * 1024 + f1) % (h * (m * 16 + n * 16)) // (m * 16 + n * 16))
            k = T.axis.spatial(m + n, (f0 * 1024 + f1) % (m * 16 + n * 16) // 16)
            l = T.axis.spatial(16, (f0 * 1024 + f1) % 16)
            T.where(f0 * 1024 + f1 < b * h * (m + n) * 16)
            C[i, j, k, l] = A[i, k, j, l]"""


def module(parameters: str, body: str) -> rr.Module:
    head = HEAD.format(parameters=parameters)
    return rr.parse(head + "".join(f"        {line}\n" for line in body.splitlines()))


def word(parameters: str, plain: str, fused: str) -> str:
    return rr.validate(module(parameters, plain), module(parameters, fused), timeout=60).word


@pytest.mark.by_day(1)
@pytest.mark.parametrize("case", [(GROWN, GROWN_PLAIN, GROWN_FUSED), (JOINED, JOINED_PLAIN, JOINED_FUSED)])
def test_they_are_proved(case: tuple[str, str, str]) -> None:
    assert word(*case) == "PROVED"


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("(m * 16 + 16) // 16", "(m * 16 + 17) // 16", marks=pytest.mark.thorough),
        pytest.param("(m * 16 + 16) // 16", "(m * 16) // 16", marks=pytest.mark.thorough),
        pytest.param("// (m * 16 + 16)", "// (m * 16 + 32)", marks=pytest.mark.thorough),
        ("m // 16 + 1", "m // 16"),
        ("< m * 64 + 64", "< m * 64 + 63"),
        ("A[j, i, k]", "A[j, i, 15 - k]"),
    ],
)
def test_others_are_refuted(old: str, new: str) -> None:
    assert old in GROWN_FUSED
    assert word(GROWN, GROWN_PLAIN, GROWN_FUSED.replace(old, new)) == "REFUTED"
