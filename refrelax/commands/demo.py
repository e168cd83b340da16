"""``demo``: the main job on the models in the package."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from refrelax.commands.demo_paper import demo_paper
from refrelax.commands.models import DEFAULT, MOST_UNDECIDED, Row, Shares, judge_stage, pick
from refrelax.commands.models_lowered import LoweringRow, lowering_row
from refrelax.commands.shared import add_json, emit, progress, table

STEPS = ("parse", "check", "run", "enclosure", "compile", "numpy", "judge")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "models", metavar="MODEL[/STAGE]", nargs="*", help=f"a model in the package (default: {' '.join(DEFAULT)})"
    )
    parser.add_argument("--paper", action="store_true", help="the paper's ablation in kind, on its models, made small")
    add_json(parser)


def demo(options: argparse.Namespace) -> int:
    """0 if every row agrees."""
    if options.paper:
        return demo_paper(options.models, options.json)
    stages = pick(options.models or DEFAULT)
    models = {example.name: example for example, stage in stages if stage.name == "imported"}
    rows: list[Row] = []
    lowered: list[LoweringRow] = []
    with progress(len(stages) + len(models), "demo") as step:
        for example, stage in stages:
            rows.append(judge_stage(example, stage))
            step(f"{example.name}/{stage.name}")
            if options.json:
                emit(_json(rows[-1]))
        for example in models.values():
            lowered.append(lowering_row(example))
            step(f"{example.name}, lowered")
            if options.json:
                emit({"lowered": True, **asdict(lowered[-1]), "agrees": lowered[-1].agrees})
    agree = [row.agrees for row in rows] + [row.agrees for row in lowered]
    if not options.json:
        _show(rows)
        if lowered:
            _show_lowered(lowered)
        print(f"\n{sum(agree)} of {len(agree)} agree")
    return 0 if all(agree) else 1


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


LOWERING_STEPS = ("lower", "run", "judge", "validate ours", "validate zero")


def _show_lowered(rows: list[LoweringRow]) -> None:
    headers = ("model", "claims proved", "kernels", "inside", "undecided", "bits", "bytes before", "bytes planned")
    table(
        (*headers, *LOWERING_STEPS),
        [_lowered_cells(row) for row in rows],
        title="\nThe imported models lowered by our passes: legalize, fuse, plan memory; times in seconds",
    )
    print(
        "\nclaims: statements over symbolic integers that the rewrites rest on; what is not proved is not rewritten;"
        "\nkernels: loop programs called before and after fusion; bytes: of intermediate memory, for every n;"
        "\nbits: the planned module and the imported one bit-equal on dyadic inputs."
    )
    for row in rows:
        for name, evidence in row.evidence.items():
            what = "our lowering" if name == "ours" else "TVM's zero pipeline"
            print(f"{row.model}, {what}: {evidence}")
        for line in row.trouble:
            print(f"{row.model}: {line}")


def _lowered_cells(row: LoweringRow) -> tuple[str, ...]:
    inside, judged = row.bindings
    bits = {True: "equal", False: "DIFFER", None: "-"}[row.bits_equal]
    return (
        row.model,
        f"{row.proved} of {row.claims}",
        f"{row.kernels[0]} -> {row.kernels[1]}",
        f"{inside} of {judged}",
        str(row.undecided),
        bits,
        *row.memory,
        *(f"{row.seconds.get(k, 0.0):.2f}" for k in LOWERING_STEPS),
    )


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
