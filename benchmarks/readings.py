"""Microseconds an operation of each reading: ``python benchmarks/readings.py [dtype …]``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from timeit import repeat
from typing import Any

from refrelax.semantics.numbers import reading


def operations(numerics: Any, dtype: str) -> dict[str, Callable[[], Any]]:
    """The operations that are timed, on ordinary operands."""
    f = numerics.at(dtype)
    a, b = f.lit(1.25), f.lit(0.7)
    items = [f.lit(0.1 * k) for k in range(64)]
    found: dict[str, Callable[[], Any]] = {
        "add": lambda: f.add(a, b),
        "mul": lambda: f.mul(a, b),
        "div": lambda: f.div(a, b),
        "less": lambda: f.less(a, b),
        "maximum": lambda: f.maximum(a, b),
        "fma": lambda: f.fma(a, b, a),
        "sum of 64": lambda: f.reduce("add", items),
        "dot of 64": lambda: f.dot(items, items, dtype),
    }
    if numerics.name != "exact":
        exp, tanh = f.math("exp"), f.math("tanh")
        found |= {"exp": lambda: exp(a), "tanh": lambda: tanh(a)}
        wide = exp(a)
        found |= {"add after exp": lambda: f.add(wide, b), "exp after exp": lambda: exp(wide)}
    return found


def main(dtypes: list[str]) -> None:
    """Prints one table a dtype, a column a reading."""
    readings = [reading(name) for name in ("ieee", "enclosure", "sampled", "symbolic", "exact", "guarded")]
    for dtype in dtypes:
        print(f"\n{dtype:16}" + "".join(f"{numerics.name:>12}" for numerics in readings))
        tables = [operations(numerics, dtype) for numerics in readings]
        for name in tables[0]:
            cells = []
            for table in tables:
                count = 200 if "64" in name or dtype == "float64" else 2000
                cells.append(
                    f"{min(repeat(table[name], number=count, repeat=3)) / count * 1e6:12.2f}"
                    if name in table
                    else f"{'-':>12}"
                )
            print(f"{name:16}" + "".join(cells))


if __name__ == "__main__":
    main(sys.argv[1:] or ["float32", "float16", "bfloat16", "float64"])
