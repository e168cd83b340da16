#!/usr/bin/env python
"""How much sequences of passes cover, led by what was new and at random: ``tools/coverage_curve.py --programs 160``.

Covered is a pair of a step and something that stood after it: a rule of typing, an operator, a kind of node, an end.
"""

from __future__ import annotations

import argparse
import sys
import time

from refrelax.commands.findings import compiler
from refrelax.conformance.alone import find_to_fuzz
from refrelax.judge.campaign.memory import Memory
from refrelax.judge.campaign.run import campaign
from refrelax.judge.fuzz import Plan


def curve(programs: int, seed: int, guided: bool, every: int) -> list[int]:
    """What is covered after each ``every`` programs."""
    plan = Plan(find_to_fuzz, "tvm", seed, count=programs, kinds=("passes",), guided=guided, compiler=compiler)
    found: list[int] = []
    began = time.perf_counter()
    everything = {"*": "anything"}  # nothing is shrunk: only what is seen counts
    for state, _ in campaign(plan, Memory(None, {}), _here, 1, everything, lambda: False):
        if state.programs // every > len(found):
            found.append(len(state.corpus.covered))
            way, spent = "led" if guided else "plain", time.perf_counter() - began
            print(f"seed {seed}, {way}: {state.programs} programs, {found[-1]}, {spent:.0f} s", file=sys.stderr)
    return found


def _here(work: object, *args: object) -> object:
    return lambda: work(*args)  # type: ignore[operator]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=160)
    parser.add_argument("--every", type=int, default=16)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    print("| programs | " + " | ".join(f"{way}, seed {s}" for s in seeds for way in ("led", "plain")) + " |")
    print("|---|" + "---|" * (2 * options.seeds), flush=True)
    columns = [curve(options.programs, s, led, options.every) for s in seeds for led in (True, False)]
    for k, row in enumerate(zip(*columns, strict=False), start=1):
        print(f"| {k * options.every} | " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
