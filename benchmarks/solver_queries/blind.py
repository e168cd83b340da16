# ruff: noqa: E501
"""Writes ``blind.json``, ``blind2.json`` and ``realistic.json``: questions from compiler practice, made without regard to
how the prover works.

Run: ``python benchmarks/solver_queries/blind.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from families import analyzer, arithmetic, kernels, practice, random_, realistic, shapes
from families.drawing import questions, read

SEED = 20261122


def main() -> None:
    write("blind", SEED, {**shapes.FAMILIES, **kernels.FAMILIES, **arithmetic.FAMILIES}, 30)
    write("blind2", SEED + 1, {**practice.FAMILIES, **analyzer.FAMILIES}, 100)
    stored(
        "realistic",
        [read(line, family) for family, table in realistic.FAMILIES.items() for line in table.strip().splitlines()],
    )


def write(name: str, seed: int, tables: dict[str, str], count: int) -> None:
    """The questions of ``tables`` and ``count`` rounds of the random families, to ``name.json``."""
    queries = []
    for family, table in tables.items():
        queries += questions(table, 2, Random(f"{seed}/{family}"), family)
    for family, make in (("periodic", random_.periodic), ("bounded", random_.bounded)):
        for claim, assume, truth in make(Random(f"{seed}/{family}"), count):
            queries.append({"name": family, "claim": claim, "assume": assume, "fits": None, "truth": truth})
    stored(name, queries)


def stored(name: str, queries: list[dict[str, Any]]) -> None:
    """The questions, numbered, in ``name.json``."""
    for place, query in enumerate(queries):
        query["name"] += f"/{place}"
    path = Path(__file__).parent / f"{name}.json"
    path.write_text("[\n" + ",\n".join(map(json.dumps, queries)) + "\n]\n", encoding="utf-8")
    true = sum(1 for each in queries if each["truth"])
    print(f"{len(queries)} questions, {true} true and {len(queries) - true} false: {path}")


if __name__ == "__main__":
    main()
