"""``demo``: the main job on the models in the package."""

from __future__ import annotations

import argparse

from refrelax.commands.shared import add_json, emit, progress, table
from refrelax.conformance.demo import DEFAULT, MOST_UNDECIDED, Row, Shares, judge_stage, pick

STEPS = ("parse", "check", "run", "enclosure", "compile", "numpy", "judge")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", metavar="MODEL[/STAGE]", nargs="*", help=f"a model in the package (default: {' '.join(DEFAULT)})"
    )
    add_json(parser)


def demo(options: argparse.Namespace) -> int:
    """0 if every row agrees."""
    stages = pick(options.models or DEFAULT)
    rows: list[Row] = []
    with progress(len(stages), "demo") as step:
        for example, stage in stages:
            rows.append(judge_stage(example, stage))
            step(f"{example.name}/{stage.name}")
            if options.json:
                emit(_json(rows[-1]))
    if not options.json:
        _show(rows)
    return 0 if all(row.agrees for row in rows) else 1


def _show(rows: list[Row]) -> None:
    headers = ("module", "outcome", "bindings", "inside", "outside", "undecided", "margin", "dyadic", "TVM", *STEPS)
    table(headers, [_cells(row) for row in rows], title="Models as TVM 0.27 printed them; times in seconds")
    print(
        "\nbindings: of the NumPy backend, each judged on its own inputs against the set of permitted results;"
        "\nmargin: the least distance from the edge of that set (1: in its middle);"
        "\ndyadic: interpreter and NumPy bit-equal;"
        "\nTVM: the outputs that TVM 0.27 recorded, against the permitted results of the whole network."
    )
    for row in rows:
        for line in row.trouble:
            print(f"{row.model}/{row.stage}: {line}")
        if row.bindings.undecided > MOST_UNDECIDED * max(row.bindings.total, 1):
            print(f"{row.model}/{row.stage}: more than {MOST_UNDECIDED:.0%} of the bindings are undecided")
    print(f"\n{sum(row.agrees for row in rows)} of {len(rows)} agree")


def _cells(row: Row) -> tuple[str, ...]:
    b = row.bindings
    share = [f"{count / b.total:.0%}" if b.total else "-" for count in (b.inside, b.outside, b.undecided)]
    times = [f"{row.seconds[k]:.3f}" if k in row.seconds else "-" for k in STEPS]
    dyadic = {True: "equal", False: "DIFFER", None: "-"}[row.dyadic_equal]
    return (
        f"{row.model}/{row.stage}",
        row.outcome,
        str(b.total),
        *share,
        f"{b.margin:.2f}",
        dyadic,
        _tvm(row.tvm),
        *times,
    )


def _tvm(shares: Shares) -> str:
    words = (("Inside", shares.inside), ("Outside", shares.outside), ("Undecided", shares.undecided))
    return " ".join(f"{word} {count}" for word, count in words if count) or "-"


def _json(row: Row) -> dict[str, object]:
    def shares(s: Shares) -> dict[str, object]:
        return {"inside": s.inside, "outside": s.outside, "undecided": s.undecided, "margin": s.margin}

    return {
        "model": row.model, "stage": row.stage, "outcome": row.outcome, "bindings": shares(row.bindings),
        "dyadic_equal": row.dyadic_equal, "tvm": shares(row.tvm), "seconds": row.seconds, "agrees": row.agrees,
        "trouble": row.trouble,
    }  # fmt: skip
