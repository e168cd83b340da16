"""Loop programs that get a form of their own on CUDA, and those that one thing keeps from it: `FORMS[name]` says which
kernels there are. A guard that is gone, or asks too much, gives another list.

A program is its buffers (a name, extents, a dtype if it is none of binary32), and statements ``loops | store | init``.
A loop ``k:m*`` is a reduce axis, ``k:2+m`` begins at 2; whole numbers are ``int64``, others ``float32``. ``if c ? …``
is the block's predicate.
"""

# ruff: noqa: E501
from __future__ import annotations

import re
from functools import cache

import refrelax as rr
from refrelax.semantics.types.checked import CheckedModule

NUMBER = re.compile(r'T\.(?:u?int|b?float)\w*\([^()]*\)|T\.\w+|"[^"]*"|\b\d+\.\d+\b|\b\d+\b')


def numbers(text: str) -> str:
    """Whole numbers as ``int64``, others as ``float32``."""

    def one(found: re.Match[str]) -> str:
        text = found[0]
        return text if not text[0].isdigit() else f"T.float32({text})" if "." in text else f"T.int64({text})"

    return NUMBER.sub(one, text)


def statement(text: str, number: int) -> list[str]:
    loops, store, *init = (each.strip() for each in text.split("|"))
    predicate = ""
    if store.startswith("if "):
        predicate, store = (each.strip() for each in store[3:].split("?"))
    lines, depth, axes = [], 2, []
    for each in loops.split():
        name, extent = each.split(":")
        kind = "reduce" if extent.endswith("*") else "spatial"
        low, _, extent = extent.rstrip("*").rpartition("+")
        stop = numbers(f"{low} + {extent}" if low else extent)
        lines.append(f"{'    ' * depth}for {name}_ in range({numbers(low) + ', ' if low else ''}{stop}):")
        depth += 1
        domain = f"({numbers(low)}, {stop})" if low else stop
        axes.append(f"{name} = T.axis.{kind}({domain}, {name}_)")
    lines.append(f'{"    " * depth}with T.sblock("b{number}"):')
    depth += 1
    lines += ["    " * depth + each for each in axes]
    if predicate:
        lines.append(f"{'    ' * depth}T.where({numbers(predicate)})")
    if init:
        lines += [f"{'    ' * depth}with T.init():"]
        lines += [f"{'    ' * (depth + 1)}{numbers(each.strip())}" for each in init[0].split(";")]
    return [*lines, *(f"{'    ' * depth}{numbers(each.strip())}" for each in store.split(";"))]


def text_of(buffers: str, statements: list[str]) -> str:
    given = [each.split() for each in buffers.split(",")]
    lines = ["@I.ir_module", "class Module:", "    @T.prim_func(s_tir=True)"]
    outside = [each for each in given if each[0].isupper() and each[0] not in "SUW"]
    lines.append(f"    def main({', '.join(f'{name.lower()}_: T.handle' for name, *_ in outside)}):")
    symbols = sorted({dim for _, *dims in outside for dim in dims if dim in "nmlpq"})
    if symbols:
        lines.append(f"        {', '.join(symbols)}{',' * (len(symbols) == 1)} = "
                     f"{', '.join(['T.int64()'] * len(symbols))}{',' * (len(symbols) == 1)}")  # fmt: skip
    for name, *dims in given:
        dtype = dims.pop() if dims and re.search("int|float|bool", dims[-1]) else "float32"
        shape = f"({', '.join(map(numbers, dims))}{',' * (len(dims) == 1)})"
        here = (name, *dims)
        made = f"T.match_buffer({name.lower()}_, " if any(e[0] == here[0] for e in outside) else "T.alloc_buffer("
        lines.append(f'        {name} = {made}{shape}, "{dtype}")')
    for k, each in enumerate(statements):
        lines += statement(each, k)
    return "\n".join([*lines, ""])


def sum_of(item: str, loops: str = "i:n k:m*", init: str = "0.0", target: str = "O[i]", op: str = "+") -> str:
    return f"{loops} | {target} = {target} {op} {item} | {target} = {init}"


MATMUL = "A n l, B m l, O n m"


def matmul(item: str = "A[i, k] * B[j, k]", loops: str = "i:n j:m k:l*", init: str = "0.0", op: str = "+") -> str:
    return sum_of(item, loops, init, "O[i, j]", op)


ROW, FOLD, TILED, EACH, SEQ = "row program", "fold", "tiled contraction", "elementwise", "sequential"

FORMS: dict[str, tuple[str, list[str], str]] = {
    # --- a contraction: a float sum from zero of a product whose factors have loops of their own
    "product": (MATMUL, [matmul()], TILED),
    "product, turned": (MATMUL, [matmul("B[j, k] * A[i, k]")], TILED),
    "product, from one": (MATMUL, [matmul(init="1.0")], ROW),
    "product, from less than zero": (MATMUL, [matmul(init="T.float32(-0.0)")], ROW),
    "product of products": (MATMUL, [matmul("(A[i, k] * B[j, k])", op="*")], ROW),
    "sum of quotients": (MATMUL, [matmul("A[i, k] / B[j, k]")], ROW),
    "sum of sums": (MATMUL, [matmul("(A[i, k] + B[j, k])")], ROW),
    "product of integers": ("A n l int32, B m l int32, O n m int32", [matmul(init="T.int32(0)")], ROW),
    "product with itself": ("A n l, O n m", [matmul("A[i, k] * A[i, k]")], ROW),
    "product with a row": ("A n l, B l, O n m", [matmul("A[i, k] * B[k]")], ROW),
    "outer product": ("A n, B m, O n m", [matmul("A[i] * B[j]", "i:n j:m k:7*")], FOLD),
    "product, a factor without depth": ("A n l, B m, O n m", [matmul("A[i, k] * B[j]")], ROW),
    "product, both of both": ("A n m l, B n m l, O n m", [matmul("A[i, j, k] * B[i, j, k]")], ROW),
    "product, batched": ("A n 3 l, B n 5 l, O n 3 5", [sum_of("A[b, i, k] * B[b, j, k]", "b:n i:3 j:5 k:l*", target="O[b, i, j]")], TILED),
    "product, two depths": ("A n l 4, B m l 4, O n m", [matmul("A[i, k, r] * B[j, k, r]", "i:n j:m k:l* r:4*")], TILED),
    "product over a triangle": ("A 6 6, B 5 6, O 6 5", [matmul(loops="i:6 j:5 k:i_+1*")], FOLD),
    "product, depth first": (MATMUL, [matmul(loops="k:l* i:n j:m")], TILED),
    # --- a row: long and contiguous along the last reduced loop
    "row": ("A n m, O n", [sum_of("A[i, k]")], ROW),
    "row of 32": ("A n 32, O n", [sum_of("A[i, k]", "i:n k:32*")], ROW),
    "row of 31": ("A n 31, O n", [sum_of("A[i, k]", "i:n k:31*")], FOLD),
    "row of 4 by 8": ("A n 4 8, O n", [sum_of("A[i, k, r]", "i:n k:4* r:8*")], ROW),
    "row of 4 by 7": ("A n 4 7, O n", [sum_of("A[i, k, r]", "i:n k:4* r:7*")], FOLD),
    "row of one by n": ("A n 1 m, O n", [sum_of("A[i, k, r]", "i:n k:1* r:m*")], ROW),
    "column": ("A m n, O n", [sum_of("A[k, i]")], FOLD),
    "row, the inner loop outside": ("A n 4 m, O n", [sum_of("A[i, k, r]", "i:n r:m* k:4*")], FOLD),
    "row backwards": ("A n m, O n", [sum_of("A[i, m - 1 - k]")], ROW),
    "row of differences": ("A n m, O n", [sum_of("A[i, k]", op="-")], FOLD),
    "row of greatest": ("A n m, O n", ["i:n k:m* | O[i] = T.max(O[i], A[i, k]) | O[i] = T.min_value(\"float32\")"], ROW),
    "row of least, turned": ("A n m, O n", ["i:n k:m* | O[i] = T.min(A[i, k], O[i]) | O[i] = A[i, 0]"], ROW),
    "row of greatest of itself": ("A n m, O n", ["i:n k:m* | O[i] = T.max(O[i], O[i]) | O[i] = 0.0"], FOLD),
    "row of small integers": ("A n m int8, O n int8", [sum_of("A[i, k]", init="T.int8(0)")], FOLD),
    "row of narrow floats": ("A n m float16, O n float16", [sum_of("A[i, k]", init="T.float16(0)")], ROW),
    "row of a number": ("A n m, O n", [sum_of("1.0")], FOLD),
    "row that begins at 1": ("A n m, O n", [sum_of("A[i, k]", "i:n k:1+m*")], FOLD),
    "row that begins at i": ("A n 40, O n", [sum_of("A[i, k]", "i:n k:i_+40*")], FOLD),
    "rows of nobody": ("A m, O 1", [sum_of("A[k]", "i:1 k:m*")], ROW),
    "row, doubled by its end": ("A n m, O n", ["i:n k:m* | O[i] = O[i] + O[i] + A[i, k] | O[i] = 0.0"], FOLD),
    "row under a condition": ("A n m, O n", ["i:n k:m* | if k_ < 3 ? O[i] = O[i] + A[i, k] | O[i] = 0.0"], FOLD),
    "row from itself": ("A n m, O n", [sum_of("A[i, k]", init="O[i] + 1.0")], FOLD),
    "row elsewhere": ("A n m, O n", ["i:n k:m* | O[i] = O[i] + A[i, k] | O[n - 1 - i] = 0.0"], SEQ),
    "row of another": ("A n m, O n, Q n", ["i:n k:m* | O[i] = O[i] + A[i, k] | Q[i] = 0.0"], FOLD),
    "row of two": ("A n m, O n, Q n", ["i:n k:m* | O[i] = O[i] + A[i, k]; Q[i] = Q[i] + A[i, k] | O[i] = 0.0; Q[i] = 0.0"], FOLD),
    "row of one, two starts": ("A n m, O n, Q n", ["i:n k:m* | O[i] = O[i] + A[i, k] | O[i] = 0.0; Q[i] = 0.0"], FOLD),
    "row along a spatial axis": ("A n m, O n", ["i:n k:m | O[i] = O[i] + A[i, k]"], FOLD),
    "row at its own place": ("A n m, O n m", ["i:n k:m* | O[i, k] = O[i, k] + A[i, k] | O[i, k] = 0.0"], EACH),
    "row of a neighbour": ("A n m, O n", ["i:n k:m* | O[i] = O[i] + O[0] + A[i, k] | O[i] = 0.0"], SEQ),
    # --- argmax
    "first": ("A n m, S n, O n int64", [
        "i:n k:m* | S[i] = T.max(S[i], A[i, k]) | S[i] = T.min_value(\"float32\")",
        "i:n k:m* | O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, k, O[i]) | O[i] = -1",
    ], ROW),
    **{
        f"first, {why}": ("A n m, S n, O n int64, Q n int64", [
            "i:n k:m* | S[i] = T.max(S[i], A[i, k]) | S[i] = T.min_value(\"float32\")", f"i:n k:m* | {store} | {init}",
        ], form)
        for why, store, init, form in (
            ("from -2", "O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, k, O[i])", "O[i] = -2", f"{ROW} {FOLD}"),
            ("below 1", "O[i] = T.Select(A[i, k] == S[i] and O[i] < 1, k, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("of another", "O[i] = T.Select(A[i, k] == S[i] and Q[i] < 0, k, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("else another", "O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, k, Q[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("or", "O[i] = T.Select(A[i, k] == S[i] or O[i] < 0, k, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("not above", "O[i] = T.Select(A[i, k] == S[i] and O[i] <= 0, k, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("one after it", "O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, k + 1, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("the row", "O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, i, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
            ("told by itself", "O[i] = T.Select(k == O[i] and O[i] < 0, k, O[i])", "O[i] = -1", f"{ROW} {FOLD}"),
        )
    },
    "first of a part": ("A n m, S n, O n int64", [
        "i:n k:m* | S[i] = T.max(S[i], A[i, k]) | S[i] = T.min_value(\"float32\")",
        "i:n k:1+m* | O[i] = T.Select(A[i, k] == S[i] and O[i] < 0, k, O[i]) | O[i] = -1",
    ], f"{ROW} {FOLD}"),
    "first of two axes": ("A n 6 m, S n, O n int64", [
        "i:n r:6* k:m* | S[i] = T.max(S[i], A[i, r, k]) | S[i] = T.min_value(\"float32\")",
        "i:n r:6* k:m* | O[i] = T.Select(A[i, r, k] == S[i] and O[i] < 0, k, O[i]) | O[i] = -1",
    ], f"{ROW} {FOLD}"),
    "greatest integers": ("A n m int32, O n int32", ["i:n k:m* | O[i] = T.Select(A[i, k] > O[i], A[i, k], O[i]) | O[i] = T.int32(0)"], FOLD),
    "least integers": ("A n m int32, O n int32", ["i:n k:m* | O[i] = T.Select(A[i, k] < O[i], A[i, k], O[i]) | O[i] = T.int32(0)"], FOLD),
    "greatest or equal": ("A n m int32, O n int32", ["i:n k:m* | O[i] = T.Select(A[i, k] >= O[i], A[i, k], O[i]) | O[i] = T.int32(0)"], FOLD),
    "greatest, floats": ("A n m, O n", ["i:n k:m* | O[i] = T.Select(A[i, k] > O[i], A[i, k], O[i]) | O[i] = 0.0"], FOLD),
    "greatest, with NaN": ("A n m, O n int32, S n", [
        "i:n k:m* | S[i] = T.Select(A[i, k] > S[i] or (T.isnan(A[i, k]) and not T.isnan(S[i])), A[i, k], S[i]) | S[i] = T.min_value(\"float32\")",
        "i:n | O[i] = T.Cast(\"int32\", S[i] == A[i, 0])",
    ], ROW),
    "greatest, given away": ("A n m, O n", [
        "i:n k:m* | O[i] = T.Select(A[i, k] > O[i] or (T.isnan(A[i, k]) and not T.isnan(O[i])), A[i, k], O[i]) | O[i] = T.min_value(\"float32\")",
    ], FOLD),
    "greatest, with itself": ("A n m int32, O n int32", ["i:n k:m* | O[i] = T.Select(A[i, k] > O[i], O[i] + A[i, k], O[i]) | O[i] = T.int32(0)"], FOLD),
    # --- independent loops
    "places": ("A n m, O n m", ["i:n j:m | O[i, j] = A[i, j]"], EACH),
    "places, shifted": ("A n m, O n m", ["i:n j:m | O[i, j] = O[i, j + 1]"], FOLD),
    "places, on a line": ("A n 4, O p", ["i:n j:4 | O[i * 4 + j] = A[i, j]"], EACH),
    "places, on a short line": ("A n 4, O p", ["i:n j:4 | O[i * 3 + j] = A[i, j]"], SEQ),
    "places, in two orders": ("A n n, O n n", ["i:n j:n | O[i, j] = O[j, i]"], SEQ),
    "places, read": ("A n n, I n int64, O n n", ["i:n j:n | O[I[i], j] = A[i, j]"], FOLD),
    "places, a triangle": ("A 7 7, O 7 7", ["i:7 j:i_+7 | O[i, j] = A[i, j]"], FOLD),
    "a local sum": ("A n m, O n", ["i:n | O[i] = A[i, 0] + A[i, 1]; O[i] = O[i] * 2.0"], EACH),
    "greatest integers, told": ("A n m int32, S n int32, O n bool", [
        "i:n k:m* | S[i] = T.Select(A[i, k] > S[i], A[i, k], S[i]) | S[i] = T.int32(0)", "i:n | O[i] = S[i] == A[i, 0]",
    ], ROW),
    "least integers, told twice": ("A n m int32, S n int32, O n bool", [
        "i:n k:m* | S[i] = T.Select(A[i, k] < S[i], A[i, k], S[i]) | S[i] = T.int32(0)", "i:n | O[i] = S[i] == A[i, 0]",
        "i:n k:m* | S[i] = T.Select(A[i, k] < S[i], A[i, k], S[i]) | S[i] = T.int32(0)", "i:n | O[i] = S[i] != A[i, 0]",
    ], f"{FOLD} {EACH} {FOLD} {EACH}"),
    "greatest integers, used": ("A n m int32, S n int32, O n int32", [
        "i:n k:m* | S[i] = T.Select(A[i, k] > S[i], A[i, k], S[i]) | S[i] = T.int32(0)", "i:n | O[i] = S[i] + T.int32(1)",
    ], f"{FOLD} {EACH}"),
    # --- what one kernel does together
    "together": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m | O[i, j] = B[i, j] + 1.0"], EACH),
    "together, other names": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "p:n q:m | O[p, q] = B[p, q] + 1.0"], EACH),
    "together, turned": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "j:m i:n | O[i, j] = B[i, j] + 1.0"], f"{EACH} {EACH}"),
    "together, shorter": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m-1 | O[i, j] = B[i, j] + 1.0"], f"{EACH} {EACH}"),
    "together, one more loop of one": ("A n m, B n m, O n m 1", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m r:1 | O[i, j, r] = B[i, j] + 1.0"], EACH),
    "together, one less": ("A n m, B n m, O n", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n | O[i] = A[i, 0] + 1.0"], f"{EACH} {EACH}"),
    "together, shifted": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m | O[i, j] = B[i, j - 1] + 1.0"], f"{EACH} {EACH}"),
    "together, read before": ("A n m, B n m, O n m", ["i:n j:m | O[i, j] = B[i, j - 1] + 1.0", "i:n j:m | B[i, j] = A[i, j] * 2.0"], f"{EACH} {EACH}"),
    "together, stored at two places": ("A n m, O n m", ["i:n j:m | O[i, j] = A[i, j] * 2.0", "i:n j:m | O[i, m - 1 - j] = A[i, j]"], f"{EACH} {FOLD}"),
    "together, under a condition": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m | if j_ < 3 ? O[i, j] = B[i, j] + 1.0"], f"{EACH} {EACH}"),
    "together, two stores": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:m | O[i, j] = B[i, j]; O[i, j] = B[i, j] + O[i, j]"], f"{EACH} {EACH}"),
    "together, from 1": ("A n m, B n m, O n m", ["i:n j:m | B[i, j] = A[i, j] * 2.0", "i:n j:1+m | O[i, j] = B[i, j]"], f"{EACH} {EACH}"),
    "rows, then columns": ("A n m, S n, O n m", [sum_of("A[i, k]", target="S[i]"), "i:n j:m | O[i, j] = A[i, j] / S[i]"], ROW),
    "rows, then others": ("A n m, B n p, S n, O n p", [sum_of("A[i, k]", target="S[i]"), "i:n j:p | O[i, j] = B[i, j] / S[i]"], ROW),
    "rows, then rows": ("A n m, S n, O n", [sum_of("A[i, k]", target="S[i]"), "i:n | O[i] = S[i] * 2.0"], ROW),
    "rows, then another row's": ("A n n, S n, O n n", [sum_of("A[i, k]", "i:n k:n*", target="S[i]"), "i:n j:n | O[i, j] = A[i, j] / S[n - 1 - i]"], f"{ROW} {EACH}"),
    "rows, then rows of the other axis": ("A n n, S n, O n n", [sum_of("A[i, k]", "i:n k:n*", target="S[i]"), "i:n j:n | O[i, j] = A[i, j] / S[j]"], ROW),
    "rows, then columns outside": ("A n m, S n, O n m", [sum_of("A[i, k]", target="S[i]"), "j:m i:n | O[i, j] = A[i, j] / S[i]"], ROW),
    "short rows, then 1024": ("A n 8, B n 1024, S n, O n 1024", [sum_of("A[i, k]", "i:n k:8*", target="S[i]"), "i:n j:1024 | O[i, j] = B[i, j] / S[i]"], ROW),
    "short rows, then 1025": ("A n 8, B n 1025, S n, O n 1025", [sum_of("A[i, k]", "i:n k:8*", target="S[i]"), "i:n j:1025 | O[i, j] = B[i, j] / S[i]"], f"{FOLD} {EACH}"),
    "short rows, then some": ("A n 8, B n m, S n, O n m", [sum_of("A[i, k]", "i:n k:8*", target="S[i]"), "i:n j:m | O[i, j] = B[i, j] / S[i]"], f"{FOLD} {EACH}"),
    "short rows, then 32 by 32": ("A n 8, S n, O n 32 32", [sum_of("A[i, k]", "i:n k:8*", target="S[i]"), "i:n j:32 r:32 | O[i, j, r] = S[i]"], ROW),
    "short rows, then 33 by 32": ("A n 8, S n, O n 33 32", [sum_of("A[i, k]", "i:n k:8*", target="S[i]"), "i:n j:33 r:32 | O[i, j, r] = S[i]"], f"{FOLD} {EACH}"),
    "long rows, then short ones": ("A n m, B n 8, S n, O n", [sum_of("A[i, k]", target="S[i]"), sum_of("B[i, k]", "i:n k:8*")], f"{ROW} {FOLD}"),
    "short rows, then short ones": ("A n 7, B n 8, S n, O n", [sum_of("A[i, k]", "i:n k:7*", target="S[i]"), sum_of("B[i, k]", "i:n k:8*")], ROW),
    "short rows, then long ones": ("A n 7, B n m, S n, O n", [sum_of("A[i, k]", "i:n k:7*", target="S[i]"), sum_of("B[i, k]")], f"{FOLD} {ROW}"),
    "all, then columns": ("A m, S 1, O m", [sum_of("A[k]", "i:1 k:m*", target="S[i]"), "j:m | O[j] = A[j] / S[0]"], f"{ROW} {EACH}"),
    "a product, then its elements": ("A n l, B m l, S n m, O n m", [matmul().replace("O", "S"), "i:n j:m | O[i, j] = S[i, j] * 2.0"], TILED),
    "a product, then more than it": ("A n l, B m l, S n m, O n m 4", [matmul().replace("O", "S"), "i:n j:m r:4 | O[i, j, r] = S[i, j] * 2.0"], f"{TILED} {EACH}"),
    "a product after its start": ("A n l, B m l, S n m, O n m", ["i:n j:m | O[i, j] = 3.0", matmul()], TILED),
    "a product, then a product": ("A n l, B m l, P p m, S n m, O n p", [matmul().replace("O", "S"), sum_of("S[i, k] * P[j, k]", "i:n j:p k:m*", target="O[i, j]")], f"{TILED} {TILED}"),
    "channels, in groups": ("A n 2 m, S n 2, O n 6 m", [sum_of("A[i, g, k]", "i:n g:2 k:m*", target="S[i, g]"), "i:n c:6 j:m | O[i, c, j] = S[i, c // 3]"], ROW),
    "channels, in groups of another size": ("A n 2 m, S n 2, O n 6 m", [sum_of("A[i, g, k]", "i:n g:2 k:m*", target="S[i, g]"), "i:n c:6 j:m | O[i, c, j] = S[i, c // 4]"], f"{ROW} {EACH}"),
    "channels, the place in a group": ("A n 2 m, S n 2, O n 6 m", [sum_of("A[i, g, k]", "i:n g:2 k:m*", target="S[i, g]"), "i:n c:6 j:m | O[i, c, j] = S[i, c % 2]"], f"{ROW} {EACH}"),
    "channels, in groups that do not fit": ("A n 4 m, S n 4, O n 6 m", [sum_of("A[i, g, k]", "i:n g:4 k:m*", target="S[i, g]"), "i:n c:6 j:m | O[i, c, j] = S[i, c // 2]"], f"{ROW} {EACH}"),
    "channels, and the place beside it": ("A n 2 m, B 3, S n 2, O n 6 m", [sum_of("A[i, g, k]", "i:n g:2 k:m*", target="S[i, g]"), "i:n c:6 j:m | O[i, c, j] = S[i, c // 3] * B[c % 3]"], ROW),
    # --- what stays in the block's memory
    "kept": ("A n m, B n m, S n, O n m", ["i:n j:m | B[i, j] = A[i, j] * A[i, j]", sum_of("B[i, k]", target="S[i]"), "i:n j:m | O[i, j] = B[i, j] - S[i]"], ROW),
    "kept, and given": ("A n m, Q n m, S n, O n m", ["i:n j:m | Q[i, j] = A[i, j] * A[i, j]", sum_of("Q[i, k]", target="S[i]"), "i:n j:m | O[i, j] = Q[i, j] - S[i]"], ROW),
    "kept, stored twice": ("A n m, W n m, S n, O n m", ["i:n j:m | W[i, j] = A[i, j] * A[i, j]", sum_of("W[i, k]", target="S[i]"), "i:n j:m | W[i, j] = W[i, j] - S[i]", sum_of("W[i, k]", target="S[i]"), "i:n j:m | O[i, j] = W[i, j] / S[i]"], ROW),
    "kept, of what is overwritten": ("Q n m, W n m, S n, O n m", ["i:n j:m | W[i, j] = Q[i, j] * 2.0", sum_of("W[i, k]", target="S[i]"), "i:n j:m | Q[i, j] = S[i]", "i:n j:m | O[i, j] = W[i, j]"], ROW),
    "kept, of two kinds": ("A n m, W n m float16, U n m, S n, O n m", ["i:n j:m | W[i, j] = T.Cast(\"float16\", A[i, j])", "i:n j:m | U[i, j] = T.exp(A[i, j])", sum_of("U[i, k]", target="S[i]"), "i:n j:m | O[i, j] = T.Cast(\"float32\", W[i, j]) * U[i, j] - S[i]"], ROW),
    "kept, one after the other": ("A n m, W n m, U n m, S n, O n m", ["i:n j:m | W[i, j] = T.exp(A[i, j])", sum_of("W[i, k]", target="S[i]"), "i:n j:m | U[i, j] = W[i, j] - S[i]", sum_of("U[i, k]", target="S[i]"), "i:n j:m | O[i, j] = U[i, j] * S[i]"], ROW),
    "kept, of two spans": ("A n m, B n p, W n m, U n p, S n, O n m, Q n p", ["i:n j:m | W[i, j] = T.exp(A[i, j])", "i:n j:p | U[i, j] = T.exp(B[i, j])", sum_of("W[i, k]", target="S[i]"), sum_of("U[i, k]", "i:n k:p*", target="S[i]"), "i:n j:m | O[i, j] = W[i, j] - S[i]", "i:n j:p | Q[i, j] = U[i, j] - S[i]"], ROW),
    "kept, read under a condition": ("A n m, S n, O n m", [sum_of("T.if_then_else(k < 2, A[i, k], 0.0)", target="S[i]"), "i:n j:m | O[i, j] = A[i, j] - S[i]"], ROW),
    "kept, of narrow rows": ("A n m float16, W n m float16, S n float16, O n m float16", ["i:n j:m | W[i, j] = A[i, j] * A[i, j]", sum_of("W[i, k]", target="S[i]", init="T.float16(0)"), "i:n j:m | O[i, j] = W[i, j] - S[i]"], ROW),
    "kept, of short rows": ("A n 7, W n 7, S n, O n 7", ["i:n j:7 | W[i, j] = A[i, j] * A[i, j]", sum_of("W[i, k]", "i:n k:7*", target="S[i]"), "i:n j:7 | O[i, j] = W[i, j] - S[i]"], ROW),
    "kept, of small integers": ("A n m int8, W n m int8, S n int8, O n m int8", ["i:n j:m | W[i, j] = A[i, j] * A[i, j]", sum_of("W[i, k]", target="S[i]", init="T.int8(0)"), "i:n j:m | O[i, j] = W[i, j] - S[i]"], f"{EACH} {FOLD} {EACH}"),
    # --- side by side
    **{
        f"side by side, {why}": (f"A {dims} {dtype}, O {dims} {dtype}", [f"{loops} | O[{at}] = A[{to}] + A[{to}]"], EACH)
        for why, dims, dtype, loops, at, to in (
            ("a line", "n", "float32", "i:n", "i", "i"), ("bytes", "n", "int8", "i:n", "i", "i"),
            ("doubles", "n", "float64", "i:n", "i", "i"), ("two axes", "n m", "float16", "i:n j:m", "i, j", "i, j"),
            ("one of two", "n m", "float16", "i:n j:m", "i, j", "0, j"), ("turned", "n n", "float32", "i:n j:n", "i, j", "j, i"),
            ("backwards", "n m", "float32", "i:n j:m", "i, j", "i, m - 1 - j"), ("shifted", "n m", "float32", "i:n j:m", "i, j", "i, j + 1"),
            ("every other", "n m", "float32", "i:n j:m", "i, j", "i, j * 2"), ("columns outside", "n m", "float32", "j:m i:n", "i, j", "i, j"),
            ("one for all", "n m", "float32", "i:n j:m", "i, j", "0, 0"), ("of four", "n 4", "float32", "i:n j:4", "i, j", "i, j"),
            ("of three", "n 3", "float32", "i:n j:3", "i, j", "i, j"), ("a part", "n 8", "float32", "i:n j:4", "i, j", "i, j"),
        )
    },
    "side by side, of two kinds": ("A n float16, O n", ["i:n | O[i] = T.Cast(\"float32\", A[i])"], EACH),
    "side by side, under a condition": ("A n, B n, O n", ["i:n | O[i] = T.if_then_else(i < 3, A[i], B[i])"], EACH),
    "side by side, selected": ("A n, B n, O n", ["i:n | O[i] = T.Select(i < 3, A[i], B[i])"], EACH),
    "side by side, over itself": ("O n", ["i:n | O[i] = O[i] * 2.0"], EACH),
    "side by side, by a table": ("A n, I n int64, O n", ["i:n | O[i] = A[I[i]]"], EACH),
}  # fmt: skip


@cache
def program(name: str) -> CheckedModule:
    buffers, statements, _ = FORMS[name]
    return rr.check(rr.parse(text_of(buffers, statements), f"{name}.py"))
