"""Pointwise equality: which pairs are proved for all shapes, on how many claims, how fast; which wrong variants are.

    python benchmarks/pointwise.py

The pairs are ``pointwise.toml`` and the example models (as imported, against TVM's kernels). No wrong variant may be
proved.
"""

from __future__ import annotations

import sys
import time
import tomllib
from pathlib import Path

import refrelax as rr
from refrelax import examples
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import Options, attempt

HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nmpq") + "@I.ir_module\nclass Module:\n"


def main() -> int:
    pairs = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["pair"]
    proved = wrong = mistaken = 0
    print(f"{'pair':48} {'claims':>6} {'ms':>7}  wrong variants, relaxations")
    for pair in pairs:
        first = rr.check(rr.parse(HEAD + pair["first"]))
        relax = tuple(pair.get("relaxations", ()))
        proved += _row(
            pair["name"], first, rr.check(rr.parse(HEAD + pair["second"])), "main", len(pair["wrong"]), relax
        )
        for _, old, new in pair["wrong"]:
            wrong += 1
            variant = rr.check(rr.parse(HEAD + pair["second"].replace(old, new)))
            mistaken += isinstance(attempt(first, variant, "main"), Proved)
    for name in examples.names():
        example = examples.load(name)
        stages = [example.stage(each) for each in ("imported", "zero")]
        checked = [rr.check(rr.bind_constants(rr.parse(s.text), s.constants)) for s in stages]
        proved += _row(f"example {name}", checked[0], checked[1], example.entry, 0, ("extreme-identity",))
    total = len(pairs) + len(examples.names())
    print(f"proved {proved} of {total}; wrong variants proved: {mistaken} of {wrong}")
    return int(proved < total or mistaken > 0)


def _row(
    name: str, first: rr.CheckedModule, second: rr.CheckedModule, entry: str, variants: int, relax: tuple[str, ...]
) -> bool:
    start = time.perf_counter()
    found = attempt(first, second, entry, Options(relax=frozenset(relax)))
    spent = 1000 * (time.perf_counter() - start)
    ok = isinstance(found, Proved)
    claims = len(found.claims) if isinstance(found, Proved) else 0
    notes = ", ".join(found.relaxations) if isinstance(found, Proved) else "NOT PROVED"
    print(f"{name:48} {claims:6} {spent:7.0f}  {variants:2} {notes}")
    if isinstance(found, str):
        print(f"    {found}")
    return ok


if __name__ == "__main__":
    sys.exit(main())
