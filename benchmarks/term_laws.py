"""The three laws of element terms on many generated programs: how many of each were looked at, and what broke one.

    python benchmarks/term_laws.py [--count PAIRS] [--operators CALLS] [--first SEED] [--seconds S] [--state FILE]

A pair is two programs (``tests/judge/pair_programs.py``); a call is one of ``tests/lower/cases.py`` at random
extents and arguments. ``--state``, a JSON file, keeps what was looked at: stop, and go on later. The exit code is 1 if
a law does not hold; ``tests/judge/term_laws.py`` says what the laws are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.judge.term_laws import Broken, laws, operator_laws

OFTEN = 100
"""Seeds after which the state is written."""


@dataclass
class Looked:
    """What was looked at so far, of each law by its name. ``done``: seeds, from ``first`` on."""

    first: int
    done: Counter[str] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    """CPU time."""

    def keep(self, path: Path | None) -> None:
        if path is not None:
            beside = path.with_name(path.name + ".new")
            beside.write_text(json.dumps(vars(self), indent=1), encoding="utf-8")
            beside.replace(path)


def resumed(path: Path | None, first: int) -> Looked:
    """What ``path`` says was looked at; nothing without one."""
    if path is None or not path.exists():
        return Looked(first)
    kept = json.loads(path.read_text(encoding="utf-8"))
    if kept["first"] != first:
        raise SystemExit(f"{path} begins with seed {kept['first']}, not {first}")
    counts = {law: Counter(found) for law, found in kept["counts"].items()}
    return Looked(first, Counter(kept["done"]), counts, kept["broken"], kept["seconds"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50_000, help="pairs of programs (50000)")
    parser.add_argument("--operators", type=int, default=10_000, help="calls of operators (10000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many of CPU time")
    parser.add_argument("--state", type=Path, help="JSON: go on with what is left, and keep what was found")
    options = parser.parse_args()
    looked = resumed(options.state, options.first)
    before, end = looked.seconds, process_time() + options.seconds
    for law, count, per in ((laws, options.count, 2), (operator_laws, options.operators, 1)):
        name = law.__name__
        counts = looked.counts.setdefault(name, Counter())
        while looked.done[name] < count and process_time() < end:
            try:
                counts += law(options.first + looked.done[name])
            except Broken as problem:
                looked.broken.append(str(problem))
                print(problem, flush=True)
            counts["programs"] += per
            looked.done[name] += 1
            looked.seconds = before + process_time()
            if looked.done[name] % OFTEN == 0:
                looked.keep(options.state)
            if looked.done[name] % 1000 == 0:
                print(f"{name} {dict(counts)} {looked.seconds:.0f} s", file=sys.stderr, flush=True)
        print(f"{name}: {', '.join(f'{what} {n}' for what, n in sorted(counts.items()))}")
    looked.keep(options.state)
    print(f"{len(looked.broken)} broken, {looked.seconds:.0f} s")
    return 1 if looked.broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
