"""``demo --paper``: the paper's ablation in kind, as tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from refrelax import examples
from refrelax.commands.ablation import PIPELINE, AblationRow, ModelAblation, ablation
from refrelax.commands.shared import emit, progress, table
from refrelax.errors import UsageError


def pick(names: Sequence[str]) -> list[str]:
    """Names of the paper's models, with or without ``paper/``.

    Raises:
        UsageError: there is no such model.
    """
    known = examples.paper_names()
    for each in names:
        if f"paper/{each.removeprefix('paper/')}" not in known:
            short = ", ".join(name.removeprefix("paper/") for name in known)
            raise UsageError(f"no model {each!r} of the paper; there are {short}")
    return [f"paper/{each.removeprefix('paper/')}" for each in names] or list(known)


def demo_paper(names: Sequence[str], json: bool) -> int:
    """0 if nothing is wrong; what is not proved for all shapes is named, and no fault."""
    chosen = pick(names)
    live = bool(os.environ.get("REFRELAX_TVM_PYTHON"))
    found: list[ModelAblation] = []
    with progress(len(chosen), "demo --paper") as step:
        for name in chosen:
            found.append(ablation(examples.load(name), live=live))
            step(name)
            if not json and not sys.stderr.isatty():
                word = "nothing is wrong" if found[-1].agrees else "WRONG"
                print(f"{name}: {word} ({_time(found[-1])} s)", file=sys.stderr, flush=True)
            if json:
                emit({**asdict(found[-1]), "agrees": found[-1].agrees})
    if not json:
        _show(found)
    return 0 if all(each.agrees for each in found) else 1


def _show(found: list[ModelAblation]) -> None:
    rows = [row for each in found for row in each.rows]
    headers = (
        "function", "operators", "to libraries", "kernels", "fused", "TVM's", "fused", "KiB", "planned", "TVM's",
        "planned", "inside", "TVM inside", "built", *rows[0].evidence,
    )  # fmt: skip
    table(
        headers,
        [_cells(row) for row in rows],
        title=f"Small models of the paper's kinds; our passes: {', '.join(PIPELINE)}",
    )
    print(
        "\noperators: at graph level, as imported; to libraries: of these, taken by a library function;"
        "\nkernels: calls of loop programs after legalization and after fusion, ours and TVM 0.27's;"
        "\nKiB: what a pool holds after four successive runs, without and with a plan of memory, ours and TVM's;"
        "\ninside: bindings of NumPy's form after fusion, each judged on its own inputs;"
        "\nTVM inside: the outputs that TVM recorded, not outside what the imported model permits;"
        "\nbuilt: the same of what our last pass made, run by the definition;"
        "\nlast: what is said of ours after these passes against the imported model, for all batches and lengths.\n"
    )
    passes = list(dict.fromkeys(name for each in found for name in each.claims))
    cells = [(each.model, *(_share(each.claims.get(name, (0, 0))) for name in passes), _time(each)) for each in found]
    table(("model", *passes, "seconds"), cells, title="Claims proved, of those that each pass raised")
    lines = list(dict.fromkeys(f"{row.model}.{row.function}, {each}" for row in rows for each in row.unproved))
    lines += [f"{each.model}: {line}" for each in found for line in each.theirs]
    lines += [f"WRONG {row.model}.{row.function}: {each}" for row in rows for each in row.trouble]
    print("", *lines, sep="\n")
    print(f"\n{sum(each.agrees for each in found)} of {len(found)} models: nothing is wrong")


def _cells(row: AblationRow) -> tuple[str, ...]:
    kib = [f"{each / 1024:.0f}" for each in (*row.held, *row.tvm_held)]
    return (
        f"{row.model}.{row.function}",
        str(row.operators),
        str(row.dispatched),
        *(str(each) for each in (*row.kernels, *row.tvm_kernels)),
        *kib,
        "{} of {}".format(*row.bindings),
        "{} of {}".format(*row.tvm_outputs),
        "{} of {}".format(*row.built),
        *row.evidence.values(),
    )


def _share(claims: tuple[int, int]) -> str:
    return f"{claims[0]} of {claims[1]}" if claims[1] else "-"


def _time(each: ModelAblation) -> str:
    return f"{sum(each.seconds.values()):.1f}"
