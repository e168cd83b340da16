"""Pattern kinds: one program a kind, order of reads, and where the paper's printed algorithm is wrong."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.lower.nests import Axis, Nest, covers, read_nest
from refrelax.lower.pattern_kinds import Kind, is_copy, nest_kind, pattern_kind, program, read_once, unpacks
from refrelax.lower.reshapes import is_reshape
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, PrimExpr, SymVar, int_imm
from tests.lower.fusion_modules import HEAD, buffer, kernel, nest, pointwise

X2, Y1 = buffer("X", "n, m"), buffer("Y", "m")
I, J, K = SymVar("i"), SymVar("j"), SymVar("k")


def function(text: str) -> PrimFunc:
    module = rr.parse(HEAD + text)
    (found,) = module.prim_funcs().values()
    rr.check(module)
    return found


CASES: dict[str, tuple[Kind, str]] = {
    "elementwise": (Kind.ELEMENTWISE, pointwise("f", "X[i, j] + X[i, j]", "n, m", X2)),
    "constant": (Kind.ELEMENTWISE, pointwise("f", 'T.Cast("float32", i)', "n, m", X2)),
    "broadcast": (
        Kind.BROADCAST,
        pointwise("f", "Y[j] * T.float32(2)", "n, m", Y1, "n, m").replace("Y: T", "X: T.Buffer((n,)), Y: T"),
    ),
    "unit axis": (Kind.BROADCAST, pointwise("f", "X[i, T.int64(0)]", "n, m", buffer("X", "n, T.int64(1)"))),
    "bias": (Kind.ELEMENTWISE, pointwise("f", "X[i, j] + Y[j]", "n, m", f"{X2}; {Y1}")),
    "transpose": (Kind.INJECTIVE, pointwise("f", "X[j, i]", "n, m", buffer("X", "m, n"))),
    "transpose first": (
        Kind.INJECTIVE,
        pointwise("f", "X[j, i] + Y[i, j]", "n, n", f"{buffer('X', 'n, n')}; {buffer('Y', 'n, n')}"),
    ),
    "transpose last": (
        Kind.INJECTIVE,
        pointwise("f", "Y[i, j] + X[j, i]", "n, n", f"{buffer('X', 'n, n')}; {buffer('Y', 'n, n')}"),
    ),
    "reversed": (Kind.INJECTIVE, pointwise("f", "X[n - T.int64(1) - i]", "n", buffer("X", "n"))),
    "gather": (Kind.INJECTIVE, pointwise("f", "X[Y[i]]", "n", f"{buffer('X', 'm')}; {buffer('Y', 'n', 'int64')}")),
    "sum": (
        Kind.REDUCTION,
        kernel("f", f"{X2}; {buffer('O', 'n')}", nest("s", "O", "i", "O[i] + X[i, j]", "n, m", "T.float32(0)", "SR")),
    ),
    "mean": (
        Kind.REDUCTION,
        kernel(
            "f",
            f"{X2}; {buffer('O', 'n')}",
            nest("s", "A", "i", "A[i] + X[i, j]", "n, m", "T.float32(0)", "SR")
            + "\n"
            + nest("d", "O", "k", "A[k] / T.float32(3)", "n").replace("i = ", "k = ").replace("li", "lk"),
            'A = T.sblock_alloc_buffer((n,), "float32")',
        ),
    ),
    "matmul": (
        Kind.OUTPUT_FUSIBLE,
        kernel(
            "f",
            f"{X2}; {buffer('W', 'm, T.int64(5)')}; {buffer('O', 'n, T.int64(5)')}",
            nest("s", "O", "i, j", "O[i, j] + X[i, k] * W[k, j]", "n, T.int64(5), m", "T.float32(0)", "SSR"),
        ),
    ),
    "pooling": (
        Kind.OUTPUT_FUSIBLE,
        kernel(
            "f",
            f"{buffer('X', 'n * T.int64(2) + T.int64(1)')}; n: T.int64; {buffer('O', 'n')}",
            nest("s", "O", "i", "T.max(O[i], X[i * T.int64(2) + j])", "n, T.int64(3)", "T.float32(0)", "SR"),
        ),
    ),
    "prefix sum": (
        Kind.OPAQUE,
        kernel(
            "f",
            f"{buffer('X', 'n')}; {buffer('O', 'n')}",
            "for i in range(n):\n    O[i] = T.if_then_else(i > T.int64(0), O[i - T.int64(1)], T.float32(0)) + X[i]",
        ),
    ),
    "two outputs": (
        Kind.OPAQUE,
        kernel(
            "f",
            f"{buffer('X', 'n')}; {buffer('P', 'n')}; {buffer('O', 'n')}",
            nest("s", "P", "i", "X[i]", "n")
            + "\n"
            + nest("t", "O", "k", "X[k]", "n").replace("i = ", "k = ").replace("li", "lk"),
        ),
    ),
    "diagonal": (
        Kind.OPAQUE,
        kernel("f", f"{buffer('X', 'n')}; {buffer('O', 'n, n')}", nest("s", "O", "i, i", "X[i]", "n")),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_kind(name: str) -> None:
    wanted, text = CASES[name]
    assert pattern_kind(function(text)) == wanted


READS: tuple[tuple[PrimExpr, ...], ...] = (
    (I, J),
    (J,),
    (I,),
    (J, I),
    (Binary("Add", I, int_imm(1)), J),
    (int_imm(0), J),
)


def reading(indices: tuple[tuple[PrimExpr, ...], ...]) -> tuple[Nest, list[BufferLoad]]:
    """A nest over ``(i, j)`` that adds up loads at these indices, and the loads in order."""
    loads = [BufferLoad(f"A{k}", each, "float32") for k, each in enumerate(indices)]
    value: PrimExpr = loads[0]
    for load in loads[1:]:
        value = Binary("Add", value, load)
    return Nest((Axis(I, SymVar("n")), Axis(J, SymVar("m"))), "O", (I, J), value), loads


@given(st.lists(st.sampled_from(READS), min_size=1, max_size=4))
def test_order_of_reads_does_not_matter(reads: list[tuple[PrimExpr, ...]]) -> None:
    kinds = {nest_kind(reading(order)[0]) for order in itertools.permutations(reads)}
    assert len(kinds) == 1


@given(st.lists(st.sampled_from(READS), min_size=1, max_size=4))
def test_kind_grows_with_reads(reads: list[tuple[PrimExpr, ...]]) -> None:
    """Another read never makes a program less than it was; an element at its own index excuses a broadcast."""
    before = nest_kind(reading(tuple(reads))[0])
    for more in READS:
        after = nest_kind(reading((*reads, more))[0])
        assert after >= before or (before, after) == (Kind.BROADCAST, Kind.ELEMENTWISE)


def test_reads_once() -> None:
    axes = (Axis(I, SymVar("n")), Axis(J, int_imm(1)), Axis(K, SymVar("m"), "reduce"))
    nest_ = Nest(axes, "O", (I, J), int_imm(0), int_imm(0))
    assert read_once(nest_, BufferLoad("A", (I, K), "float32"))
    assert not read_once(nest_, BufferLoad("A", (K,), "float32"))
    assert not read_once(nest_, BufferLoad("A", (Binary("Add", I, K),), "float32"))


BLOCK = 'for i in range(n):\n    with T.sblock("b"):\n        vi = T.axis.{}\n        O[vi] = X[vi]'


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n):\n    for j in range(i):\n        O[i] = X[j]",
        "for i in range(n):\n    if X[i] > T.float32(0):\n        O[i] = X[i]",
        "for i in T.serial(T.int64(1), n):\n    O[i] = X[i]",
        "for i in range(n):\n    O[i] = X[i]\n    O[i] = X[i]",
        BLOCK.format("spatial(n, i)\n        T.where(i < T.int64(3))"),
        BLOCK.format("spatial(n, n - T.int64(1) - i)"),
        BLOCK.format("reduce(n, i)"),
    ],
)
def test_not_a_nest(body: str) -> None:
    func = function(kernel("f", f"{buffer('X', 'n')}; {buffer('O', 'n')}", body))
    assert read_nest(func.body[0]) is None or not covers(program(func)[0])  # type: ignore[index]
    assert pattern_kind(func) == Kind.OPAQUE


@pytest.mark.parametrize(
    ("value", "source", "target", "wanted"),
    [
        ("X[i, j * T.int64(4) + k]", "n, T.int64(12)", "n, T.int64(3), T.int64(4)", True),
        ("X[i, j // T.int64(4), j % T.int64(4)]", "n, T.int64(3), T.int64(4)", "n, T.int64(12)", True),
        ("X[i, j * T.int64(4) + k]", "n, T.int64(13)", "n, T.int64(3), T.int64(4)", False),
        ("X[i, k * T.int64(3) + j]", "n, T.int64(12)", "n, T.int64(3), T.int64(4)", False),
        ("X[i, j]", "n, T.int64(4)", "n, T.int64(4)", False),
        ("X[j]", "n", "T.int64(1), n", False),
    ],
)
def test_reshapes(value: str, source: str, target: str, wanted: bool) -> None:
    func = function(pointwise("f", value, target, buffer("X", source)))
    assert is_reshape(func) is wanted


# --- words that hold several -----------------------------------------------------------------------------------------

EIGHTH, HALF = Binary("FloorDiv", I, int_imm(8)), Binary("FloorDiv", I, int_imm(2))
UNPACKS: dict[str, tuple[Nest, bool]] = {
    name: (
        Nest((Axis(I, SymVar("n")), Axis(J, SymVar("m"), kind)), "O", at, Cast(dtype, BufferLoad("W", word, held))),
        wanted,
    )
    for name, dtype, held, word, at, kind, wanted in (
        ("a word of eight", "float16", "uint32", (EIGHTH, J), (I, J), "spatial", True),
        ("a word of two", "float32", "uint32", (HALF, J), (I, J), "spatial", True),
        ("as many bits", "float16", "uint32", (HALF, J), (I, J), "spatial", False),
        ("a word of one", "float64", "uint32", (Binary("FloorDiv", I, int_imm(1)), J), (I, J), "spatial", False),
        ("by a symbol", "float64", "uint32", (Binary("FloorDiv", I, SymVar("n")), J), (I, J), "spatial", False),
        ("by a remainder", "float16", "uint32", (Binary("FloorMod", I, int_imm(8)), J), (I, J), "spatial", False),
        ("by a product", "float16", "uint32", (Binary("Mul", I, int_imm(8)), J), (I, J), "spatial", False),
        ("floats", "float16", "float32", (EIGHTH, J), (I, J), "spatial", False),
        ("into integers", "int32", "uint32", (EIGHTH, J), (I, J), "spatial", False),
        ("not whole", "float16", "uint32", (EIGHTH, J), (I,), "spatial", False),
        ("a sum", "float16", "uint32", (EIGHTH, J), (I,), "reduce", False),
    )
}  # fmt: skip


@pytest.mark.parametrize("name", UNPACKS)
def test_unpacking(name: str) -> None:
    made, wanted = UNPACKS[name]
    assert unpacks(made) is wanted


def test_copies_cost_nothing() -> None:
    axes = (Axis(I, SymVar("n")), Axis(J, SymVar("m")))
    moved = BufferLoad("X", (J, I), "float32")
    assert is_copy(Nest(axes, "O", (I, J), moved)) and is_copy(Nest(axes, "O", (I, J), Cast("float16", moved)))
    assert not is_copy(Nest(axes, "O", (I, J), Binary("Add", moved, moved)))
    assert not is_copy(Nest((axes[0], Axis(J, SymVar("m"), "reduce")), "O", (I,), moved, moved))


X1, TWO = buffer("X", "n"), f"{buffer('P', 'n')}; {buffer('O', 'n')}"

NOT_ONE_OUTPUT: dict[str, tuple[str, str]] = {
    "two outputs": (f"{X1}; {TWO}", nest("a", "P", "i", "X[i]", "n") + "\n" + nest("b", "O", "i", "X[i]", "n")),
    "not the last": (f"{X1}; {TWO}", nest("a", "P", "i", "X[i]", "n")),
    "read by a later nest": (
        f"{X1}; {buffer('O', 'n')}",
        nest("a", "O", "i", "X[i]", "n") + "\n" + nest("b", "A", "i", "O[i]", "n"),
    ),
}


@pytest.mark.parametrize("name", NOT_ONE_OUTPUT)
def test_not_one_output(name: str) -> None:
    params, body = NOT_ONE_OUTPUT[name]
    allocs = 'A = T.sblock_alloc_buffer((n,), "float32")' if "A[" in body else ""
    assert pattern_kind(function(kernel("f", params, body, allocs))) == Kind.OPAQUE


STEPS: dict[str, tuple[Kind, str]] = {
    "two pointwise steps": (
        Kind.ELEMENTWISE, nest("a", "A", "i", "X[i] + X[i]", "n") + "\n" + nest("b", "O", "i", "A[i]", "n"),
    ),
    "a sum and a step": (
        Kind.REDUCTION,
        nest("a", "A", "i", "A[i] + Z[i, j]", "n, m", "T.float32(0)", "SR") + "\n" + nest("b", "O", "i", "A[i]", "n"),
    ),
    "two sums": (
        Kind.OUTPUT_FUSIBLE,
        nest("a", "A", "i", "A[i] + Z[i, j]", "n, m", "T.float32(0)", "SR") + "\n"
        + nest("b", "O", "i", "O[i] + Z[i, j] * A[i]", "n, m", "T.float32(0)", "SR"),
    ),
    "a step that is no nest": (
        Kind.OPAQUE, "for i in T.serial(T.int64(1), n):\n    A[i] = X[i]\n" + nest("b", "O", "i", "A[i]", "n"),
    ),
    "a step that does not cover": (
        Kind.OPAQUE, nest("a", "A", "T.int64(0)", "X[i]", "n") + "\n" + nest("b", "O", "i", "A[i]", "n"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str) -> None:
    wanted, body = STEPS[name]
    params = f"{X1}; {buffer('Z', 'n, m')}; {buffer('O', 'n')}"
    assert pattern_kind(function(kernel("f", params, body, 'A = T.sblock_alloc_buffer((n,), "float32")'))) == wanted


@pytest.mark.parametrize(
    "param",
    ['O: T.Buffer((n,), "float32", strides=(2,))', 'O: T.Buffer((n,), "float32", elem_offset=4)',
     'O: T.Buffer((n,), "float32", scope="shared")'],
)  # fmt: skip
def test_memory_that_is_not_compact_is_opaque(param: str) -> None:
    func = function(kernel("f", f"{X1}; {param}", nest("s", "O", "i", "X[i]", "n")))
    assert pattern_kind(func) == Kind.OPAQUE
