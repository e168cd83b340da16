"""Loop programs in step: the same statements on the same memory are proved, whatever they do; others are not."""

from dataclasses import replace

import pytest

import refrelax as rr

HEAD = 'n = TypeVar("n")\n\n@I.ir_module\nclass Module:\n'
PARAMS = 'A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), X: T.Buffer((n,), "int32")'
MATRICES = ', M: T.Buffer((5, 3), "float32"), N: T.Buffer((n, 4), "float32"), U: T.Buffer((1, 1), "float32")'
PARAMS += MATRICES


def module(body: str, params: str = PARAMS, more: str = "") -> rr.Module:
    lines = "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines())
    return rr.parse(f"{HEAD}{more}    @T.prim_func(s_tir=True)\n    def main({params}):\n{lines}")


SCAN = "for i in range(n - 1):\n    B[i + 1] = B[i] + A[i + 1]"
BREAK = "for i in range(n):\n    if X[i] == 3:\n        break\n    B[i] = A[i]"
WHILE = """k = T.alloc_buffer((1,), "int32")
k[0] = 0
while X[k[0]] != 3:
    k[0] = k[0] + 1
B[0] = A[0]"""
BLOCK = """for i in range(n - 1):
    with T.sblock("s"):
        v = T.axis.spatial(n - 1, i)
        B[v + 1] = B[v] + A[v + 1]"""
ROLLED = "for j in range(4):\n    for i in range(n - 4):\n        B[i + j + 1] = B[i] + A[i + j]"
UNROLLED = "\n".join(f"for i in range(n - 4):\n    B[i + {j} + 1] = B[i] + A[i + {j}]" for j in range(4))
ECHO = 'T.call_packed("echo", A.data, {})\nB[0] = A[0]'
INSIDE = """for i in range(n):
    C = T.alloc_buffer((3,), "float32")
    if X[i] > 0:
        C[0] = A[i]
    B[i] = C[0]"""
OUTSIDE = """C = T.alloc_buffer((3,), "float32")
for i in range(n):
    if X[i] > 0:
        C[0] = A[i]
    B[i] = C[0]"""

WIDE = """for i in range(n - 2):
    C = T.alloc_buffer((n, n), "float32")
    for j in range(2):
        C[i, i + j] = B[i + j] + A[i + j]
    B[i + 2] = C[i, i + 1] - C[i, i]"""
SMALL = (
    WIDE.replace("(n, n)", "(1, 2)")
    .replace("i, i + j]", "0, j]")
    .replace("i, i + 1]", "0, 1]")
    .replace("i, i]", "0, 0]")
)
ONE_ROW = """for i in range(n - 2):
    B[i + 2] = B[i] + M[i % 5, i % 3]
    M[i % 5, 2] = B[i]"""
FLAT = """V = T.decl_buffer((15,), "float32", data=M.data)
for i in range(n - 2):
    B[i + 2] = B[i] + V[i % 5 * 3 + i % 3]
    V[i % 5 * 3 + 2] = B[i]"""
TALL = "for i, j in T.grid(n - 1, 4):\n    N[i + 1, j] = N[i, j] + A[i]"
FLAT_TALL = """V = T.decl_buffer((n * 4,), "float32", data=N.data)
for i, j in T.grid(n - 1, 4):
    V[(i + 1) * 4 + j] = V[i * 4 + j] + A[i]"""

SAME = {
    "another name and another sum": (SCAN, "for j in range(n - 1):\n    B[1 + j] = B[j] + A[1 + j * 1]"),
    "a scan in a block": (BLOCK, SCAN),
    "a loop that is left": (
        BREAK,
        BREAK.replace("for i in range(n)", "for q in range(0 + n)").replace("B[i]", "B[q % n]").replace("[i]", "[q]"),
    ),
    "a loop on data": (WHILE, WHILE.replace("k[0] + 1", "1 + k[0]")),
    "a loop of one iteration": (f"for o in range(1):\n    {SCAN.replace(chr(10), chr(10) + '    ')}", SCAN),
    "a call of what is not here": (ECHO.format("X[T.Add(1, 1)]"), ECHO.format("X[2]")),
    "memory that is made once": (INSIDE, OUTSIDE),
    "an order": (SCAN.replace("B[i]", "A[i]").replace("range", "T.parallel"), SCAN.replace("B[i]", "A[i]")),
    "memory that is made smaller": (WIDE, SMALL),
    "a matrix as a vector": (ONE_ROW, FLAT),
    "a vector as a matrix": (FLAT, ONE_ROW),
    "a matrix of any height as a vector": (TALL, FLAT_TALL),
    "another name for a matrix": (
        ONE_ROW,
        'V = T.decl_buffer((5, 3), "float32", data=M.data)\n' + ONE_ROW.replace("M[i % 5, i % 3]", "V[i % 5, i % 3]"),
    ),
    "a branch that is always taken": ("if n >= 0:\n    B[0] = B[0] + A[X[0]]", "B[0] = B[0] + A[X[0]]"),
}

OTHER = {
    "another index": (SCAN, "for i in range(n - 1):\n    B[i + 1] = B[i] + A[i]"),
    "an iteration less": (SCAN, SCAN.replace("n - 1", "n - 2")),
    "the loop backwards": (SCAN, "for i in range(n - 1):\n    B[n - 1 - i] = B[n - 2 - i] + A[n - 1 - i]"),
    "no order": (SCAN, SCAN.replace("range", "T.parallel")),
    "lanes": (SCAN, SCAN.replace("range", "T.vectorized")),
    "buffers exchanged": (SCAN, SCAN.replace("A[", "Z[").replace("B[", "A[").replace("Z[", "B[")),
    "another operation": (SCAN, SCAN.replace("B[i] + A", "B[i] - A")),
    "operands that do not commute": (
        SCAN.replace("+ A", "- A"),
        "for i in range(n - 1):\n    B[i + 1] = A[i + 1] - B[i]",
    ),
    "a store more": (SCAN, f"{SCAN}\nB[0] = A[0]"),
    "a store less": (f"{SCAN}\nB[0] = A[0]", SCAN),
    "another number": (BREAK, BREAK.replace("3", "4")),
    "the loop goes on": (BREAK, BREAK.replace("break", "continue")),
    "a loop of one iteration that is left": (
        "for o in range(1):\n    if X[0] == 3:\n        break\n    B[0] = A[0]",
        "if X[0] == 3:\n    B[0] = B[0]\nB[0] = A[0]",
    ),
    "an iteration of a loop less": (ROLLED, UNROLLED.rsplit("for", 1)[0]),
    "iterations in another order": (
        ROLLED,
        UNROLLED.replace("+ 0", "+ 9").replace("+ 3", "+ 0").replace("+ 9", "+ 3"),
    ),
    "memory made anew": (OUTSIDE, INSIDE),
    "another condition": (
        "if n > 5:\n    " + SCAN.replace("\n", "\n    "),
        "if n >= 5:\n    " + SCAN.replace("\n", "\n    "),
    ),
    "a matrix as a vector by columns": (ONE_ROW, FLAT.replace("i % 5 * 3 + i % 3", "i % 3 * 5 + i % 5")),
    "a matrix as a vector, the next element": (ONE_ROW, FLAT.replace("* 3 + 2", "* 3 + 1")),
    "a matrix as a vector of another width": (TALL, FLAT_TALL.replace("(i + 1) * 4 +", "(i + 1) * 3 +")),
    "a matrix as a vector that is longer": (ONE_ROW, FLAT.replace("(15,)", "(16,)")),
    "a matrix as one of other rows": (
        ONE_ROW,
        FLAT.replace("(15,)", "(3, 5)")
        .replace("i % 5 * 3 + i % 3", "i % 3, i % 5")
        .replace("i % 5 * 3 + 2", "2, i % 5"),
    ),
    "an element beyond a view of one": (
        "for i in range(n - 1):\n    B[i + 1] = B[i] + U[0]",
        'V = T.decl_buffer((1,), "float32", data=U.data)\nfor i in range(n - 1):\n    B[i + 1] = B[i] + V[i]',
    ),
    "an element beyond an axis of a view": (
        ONE_ROW.replace("i % 5, 2]", "i % 4 + 1, 0]"),
        'V = T.decl_buffer((5, 3), "float32", data=M.data)\n' + ONE_ROW.replace("M[i % 5, 2]", "V[i % 4, 3]"),
    ),
    "smaller memory, another element": (WIDE, SMALL.replace("0, 1] - C[0, 0]", "0, 0] - C[0, 1]")),
    "smaller memory that is too small": (WIDE, SMALL.replace("(1, 2)", "(1, 1)")),
    "smaller memory that is used at two begins": (WIDE, SMALL.replace("C[0, j]", "C[0, 1 - j]")),
    "smaller memory that is kept": (
        WIDE.replace("for i in range(n - 2):\n    C", "C")
        .replace("n, n", "n, n")
        .replace('"float32")\n', '"float32")\nfor i in range(n - 2):\n', 1),
        SMALL.replace("for i in range(n - 2):\n    C", "C").replace(
            '"float32")\n', '"float32")\nfor i in range(n - 2):\n', 1
        ),
    ),
    "smaller memory by what changes": (
        WIDE.replace("[i, i + 1] - C[i, i]", "[i, i + 1]"),
        SMALL.replace("(1, 2)", "(1, 1)").replace("C[0, j]", "C[0, 0]").replace("[0, 1] - C[0, 0]", "[0, 0]"),
    ),
    "smaller memory of which something else is told": (
        WIDE + '\n    T.call_packed("echo", C.data)',
        SMALL + '\n    T.call_packed("echo", C.data)',
    ),
    "memory of negative extent": (
        WIDE,
        SMALL.replace("(1, 2)", "(1, n - 3)"),
    ),
    "a branch that is not always taken": ("B[0] = A[X[0]]", "if n > 1:\n    B[0] = A[X[0]]"),
    "another call": (ECHO.format("X[2]"), ECHO.format("X[1]")),
    "a call more": (ECHO.format("0"), f'T.call_packed("echo", A.data, 0)\n{ECHO.format("0")}'),
    "a call of another function": (ECHO.format("0"), ECHO.format("0").replace("echo", "shout")),
    "an assertion less": (f'assert X[0] > 0, "no"\n{SCAN}', SCAN),
    "an assertion later": (f'assert X[0] > 0, "no"\n{SCAN}', f'{SCAN}\nassert X[0] > 0, "no"'),
    "a choice by poison": (
        'C = T.alloc_buffer((3,), "float32")\nB[0] = T.Select(C[0] > A[0], A[0], A[0])\nB[0] = A[0]',
        'C = T.alloc_buffer((3,), "float32")\nB[0] = T.if_then_else(C[0] > A[0], A[0], A[0])\nB[0] = A[0]',
    ),
    "a name for poison": (
        'C = T.alloc_buffer((3,), "int32")\nv: T.let[T.int32] = C[0]\nX[0] = v\nX[1] = 1',
        'C = T.alloc_buffer((3,), "int32")\nv: T.let[T.int32] = C[0]\nX[0] = v\nX[1] = T.Select(v > 0, 1, 1)',
    ),
    "a quotient that both arms evaluate": (
        "for i in range(n):\n    X[i] = T.if_then_else(i > 0, X[i] + T.Cast('int32', T.int64(7) // i), X[i])",
        "for i in range(n):\n    X[i] = T.Select(i > 0, X[i] + T.Cast('int32', T.int64(7) // i), X[i])",
    ),
}


@pytest.mark.parametrize("how", SAME)
def test_the_same_steps_are_proved(how: str) -> None:
    first, second = SAME[how]
    found = rr.validate(module(first), module(second), timeout=20)
    assert found.word == "PROVED" and "statements in step" in found.trusts


@pytest.mark.by_day(2)
@pytest.mark.parametrize("how", OTHER)
def test_other_steps_are_not(how: str) -> None:
    first, second = OTHER[how]
    assert rr.validate(module(first), module(second), timeout=20).word != "PROVED"


@pytest.mark.thorough
def test_a_narrower_index_has_to_fit() -> None:
    wide = "for i in range(m):\n    B[i % n] = B[i % n] + A[(i * T.int64(65536)) // T.int64(65536) % n]"
    narrow = "for i in range(m):\n    B[i % n] = B[i % n] + A[T.Cast('int64', T.Cast('int32', i) * 65536 // 65536) % n]"
    params = f"{PARAMS}, m: T.int64"
    assert rr.validate(module(wide, params), module(narrow, params), timeout=20).word != "PROVED"


VECTORS = """for i in range(n // 4 - 1):
    B[T.Ramp(i * 4 + 4, 1, 4)] = B[T.Ramp(i * 4, 1, 4)] + A[T.Ramp(i * 4, 1, 4)] * T.Broadcast(T.float32(2), 4)"""
ADDED = VECTORS.replace("A[T.Ramp(i * 4, 1, 4)]", "A[T.Broadcast(i * 4, 4) + T.Ramp(T.int64(0), T.int64(1), 4)]")
OTHER_VECTORS = {
    "another begin": ADDED.replace("Ramp(T.int64(0)", "Ramp(T.int64(1)"),
    "another stride": ADDED.replace("T.int64(1), 4)]", "T.int64(2), 4)]"),
    "backwards": ADDED.replace("Ramp(T.int64(0), T.int64(1)", "Ramp(T.int64(3), T.int64(-1)"),
    "one element": ADDED.replace("+ T.Ramp(T.int64(0), T.int64(1), 4)", "+ T.Broadcast(T.int64(0), 4)"),
    "another number": ADDED.replace("T.float32(2)", "T.float32(3)"),
    "stored elsewhere": ADDED.replace("i * 4 + 4, 1", "i * 4 + 5, 1"),
    "stored backwards": ADDED.replace("B[T.Ramp(i * 4 + 4, 1", "B[T.Ramp(i * 4 + 7, -1"),
    "reads what was stored": ADDED.replace("= B[T.Ramp(i * 4,", "= B[T.Ramp(i * 4 + 4,"),
    "does not fit": ADDED.replace("T.Broadcast(i * 4, 4)", "T.Broadcast(i * 4611686018427387904 * 4, 4)"),
    "lanes by number": ADDED.replace("T.Broadcast(T.float32(2), 4)", 'T.Cast("float32x4", T.Ramp(0, 1, 4))'),
}


def test_vectors_are_compared_by_lanes() -> None:
    found = rr.validate(module(VECTORS), module(ADDED), timeout=20)
    assert found.word == "PROVED" and "statements in step" in found.trusts


@pytest.mark.by_day(1)
@pytest.mark.parametrize("how", OTHER_VECTORS)
def test_other_lanes_are_not_the_same(how: str) -> None:
    assert rr.validate(module(VECTORS), module(OTHER_VECTORS[how]), timeout=20).word != "PROVED"


def test_a_reduction_in_any_order_is_no_loop() -> None:
    loop = "B[0] = T.float32(0)\nfor i in range(n):\n    B[0] = B[0] + A[i]"
    block = """for i in range(n):
    with T.sblock("s"):
        v = T.axis.reduce(n, i)
        with T.init():
            B[0] = T.float32(0)
        B[0] = B[0] + A[v]"""
    assert rr.validate(module(loop), module(block), timeout=20).word != "PROVED"


def test_threads_keep_their_names() -> None:
    text = "for t in T.thread_binding(n, thread={!r}):\n    B[t] = B[t] + A[X[t] - X[t] + t]"
    first, second = (module(text.format(tag)) for tag in ("threadIdx.x", "blockIdx.x"))
    assert "statements in step" not in rr.validate(first, second, timeout=20).trusts


FLOATS = "a: T.float32, b: T.float32, n: T.int32"
SUM = "if n > 3:\n    return a\nreturn T.Cast('float32', a) + T.Cast('float32', T.Cast('float16', b))"
OTHER_SUMS = {
    "not rounded": SUM.replace("T.Cast('float32', T.Cast('float16', b))", "b"),
    "the other one": SUM.replace("return a\n", "return b\n"),
    "twice": SUM.replace("'float16', b", "'float16', a"),
    "another product": SUM.replace(") + T.", ") - T."),
    "later": SUM.replace("n > 3", "n > 4"),
    "of another sign": SUM.replace("T.Cast('float32', a) +", "(T.float32(0) - (T.float32(0) - a)) +"),
}


def test_floats_that_are_given_are_elements() -> None:
    second = SUM.replace("T.Cast('float32', a)", "a * T.float32(1)")
    assert rr.validate(module(SUM, FLOATS), module(second, FLOATS), timeout=20).word == "PROVED"


@pytest.mark.parametrize("how", OTHER_SUMS)
def test_other_floats_are_not(how: str) -> None:
    assert rr.validate(module(SUM, FLOATS), module(OTHER_SUMS[how], FLOATS), timeout=20).word != "PROVED"


COUNTS = "for i in T.serial({}, {}):\n    X[0] = X[0] + 1"


@pytest.mark.parametrize("extent", [3, 40])
def test_a_loop_whose_variable_may_leave_its_dtype_is_not_taken_for_another(extent: int) -> None:
    """Also where no iteration names the variable, unrolled or not (``ld/index-overflow``)."""
    params = 'X: T.Buffer((2,), "int32"), k: T.int32'
    plain = module(COUNTS.format(0, extent), params)
    moved = module(COUNTS.format("k", f"k + {extent}"), params)
    assert rr.validate(plain, moved, timeout=20).word != "PROVED"
    assert rr.validate(moved, plain, timeout=20).word == "PROVED"


def test_a_loop_whose_variable_is_narrower_than_its_bounds_is_another() -> None:
    """No text has one, a tree may."""
    module_ = module(COUNTS.format("T.int64(0)", "k"), 'X: T.Buffer((2,), "int32"), k: T.int64')
    function = module_.functions["main"]
    (loop,) = function.body  # type: ignore[union-attr, misc]
    narrow = replace(loop, var=replace(loop.var, dtype="int32"))  # type: ignore[type-var, union-attr, arg-type]
    other = module_.with_functions({"main": replace(function, body=(narrow,))})  # type: ignore[call-arg]
    assert rr.validate(module_, other, timeout=20).word != "PROVED"
