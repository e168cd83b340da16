"""The three laws of element terms on many generated programs: how many of each were looked at, and what broke one.

    python benchmarks/term_laws.py [--count PAIRS] [--operators CALLS] [--first SEED] [--seconds S]

A pair is two programs (``tests/judge/pair_programs.py``); a call is one of ``tests/lower/cases.py`` at random
extents and arguments. The exit code is 1 if a law does not hold; ``tests/judge/term_laws.py`` says what the laws are.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.judge.term_laws import Broken, laws, operator_laws


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50_000, help="pairs of programs (50000)")
    parser.add_argument("--operators", type=int, default=10_000, help="calls of operators (10000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    options = parser.parse_args()
    broken, start = 0, perf_counter()
    for law, count, per in ((laws, options.count, 2), (operator_laws, options.operators, 1)):
        counts: Counter[str] = Counter()
        for seed in range(options.first, options.first + count):
            if perf_counter() > start + options.seconds:
                break
            try:
                counts += law(seed)
            except Broken as problem:
                broken += 1
                print(problem, flush=True)
            counts["programs"] += per
            if counts["programs"] % (per * 1000) == 0:
                print(f"{law.__name__} {dict(counts)} {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        print(f"{law.__name__}: {', '.join(f'{what} {n}' for what, n in sorted(counts.items()))}")
    print(f"{broken} broken, {perf_counter() - start:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
