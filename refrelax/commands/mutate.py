"""``rules mutate``: rules and texts of operators broken one at a time, and which of them no case sees."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from refrelax.commands.shared import emit, meter, progress, share
from refrelax.conformance import mutate, tie
from refrelax.conformance.equivalent import why_equivalent
from refrelax.conformance.mutants import Mutant
from refrelax.conformance.mutants_kept import Kept, Told
from refrelax.errors import UsageError


@dataclass
class Sums:
    """How many mutants were looked at, how many of those survived, and how many of the survivors are the same
    function."""

    seen: int = 0
    survived: int = 0
    same: int = 0

    def __str__(self) -> str:
        told, killed = self.seen - self.same, self.seen - self.same - self.survived
        besides = f"; {self.same} of {self.seen} are equivalent, for the reason listed" if self.same else ""
        return f"{killed} of {told} mutants seen by a case ({100 * killed / max(told, 1):.1f} %){besides}"


def run(options: argparse.Namespace) -> int:
    """A line for each mutant that no case sees; 0 if there is none.

    Raises:
        UsageError: nothing is chosen, or the state is of something else.
    """
    draw = {"only": options.only or "", "sample": options.sample, "seed": options.seed or 0}
    chosen = mutate.choose(draw["sample"], draw["seed"], draw["only"])
    if not chosen:
        raise UsageError(f"--only: no mutant of a rule named {options.only}…")
    mine = share(list(enumerate(chosen)), options.shard, "mutants")
    kept = Kept(Path(options.state) if options.state else None, **draw)
    left = [each for each in mine if each[0] not in kept.told]
    if left and kept.lines is None:
        cases = len(tie.read().cases) + len(tie.read().examples)
        with progress(cases, "cases") as step:
            kept.keep_lines(mutate.follow(chosen if options.state else [m for _, m in left], step))
    sums = Sums()
    try:
        for number, mutant in mine:
            if number in kept.told:
                _tell(mutant, kept.told[number], sums, options.json)
        with meter(len(left), "mutants") as show:
            verdicts = mutate.campaign((m for _, m in left), kept.lines)
            for (number, mutant), verdict in zip(left, verdicts, strict=True):
                kept.keep(number, verdict)
                _tell(mutant, kept.told[number], sums, options.json)
                show(None, f"{sums.survived} of {sums.seen} not seen")
    finally:
        if not options.json:
            stopped = f"stopped: {sums.seen} of {len(mine)} asked; " if sums.seen < len(mine) else ""
            print(f"{stopped}{sums}", flush=True)
    return 1 if sums.survived else 0


def _tell(m: Mutant, told: Told, sums: Sums, json: bool) -> None:
    killer, asked = told
    why = why_equivalent(m) if m.of_text and killer is None else None
    alive = killer is None and why is None
    sums.seen += 1
    sums.same += why is not None
    sums.survived += alive
    if json:
        row = {"rules": m.rules, "place": m.place, "edit": m.what, "case": killer}
        emit({**row, "cases": asked, "equivalent": why})
    elif alive:
        print(f"SURVIVED {m.place}: {', '.join(m.rules)}: {m.what} ({asked} cases pass)", flush=True)
