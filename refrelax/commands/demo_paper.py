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
    """0 if nothing is wrong; what is not proved for all shapes is named, and no fault. Each model is printed when it is
    done, so that a run that is cut has told what it had."""
    chosen = pick(names)
    live = bool(os.environ.get("REFRELAX_TVM_PYTHON"))
    right = 0
    if not json:
        print(LEGEND, flush=True)
    with progress(len(chosen), "demo --paper") as step:
        for name in chosen:
            found = ablation(examples.load(name), live=live)
            step(name)
            right += found.agrees
            if json:
                emit({**asdict(found), "agrees": found.agrees})
            else:
                show(found)
            sys.stdout.flush()
    if not json:
        print(f"{right} of {len(chosen)} models: nothing is wrong")
    return 0 if right == len(chosen) else 1


LEGEND = f"""Small models of the paper's kinds; our passes: {", ".join(PIPELINE)}

operators: at graph level, as imported; to libraries: calls of library functions that took one or more of them;
kernels + lib: calls of loop programs after legalization, and those of library functions; fused + lib: after fusion;
TVM's, fused: TVM 0.27's after LegalizeOps and FuseTIR, which dispatch nothing: what we give to libraries (the products)
are loop programs there, and counted; without dispatch our legalization makes as many;
inside: bindings of NumPy's form after fusion, each judged on its own inputs;
TVM inside: the outputs that TVM recorded, not outside what the imported model permits;
built: the same of what our last pass made, run by the definition;
last, under names of passes: what is said of ours after these passes against the imported model, for all batches and
lengths;
memory: what a pool holds after these runs, one after the other, without and with a plan.
"""


def show(found: ModelAblation) -> None:
    """The tables of one model, and what is not proved of it, or wrong, by name."""
    headers = (
        "function", "operators", "to libraries", "kernels + lib", "fused + lib", "TVM's", "fused", "inside",
        "TVM inside", "built", *found.rows[0].evidence,
    )  # fmt: skip
    table(headers, [_cells(row) for row in found.rows])
    print()
    memory = ("memory", "successive runs", "KiB", "planned", "", "TVM's KiB", "planned", "")
    table(memory, [(_name(row), row.series, *_kib(row.held), *_kib(row.tvm_held)) for row in found.rows])
    print()
    passes = tuple(found.claims)
    shares = [_share(each) for each in found.claims.values()]
    table(("claims proved", *passes, "seconds"), [(found.model, *shares, f"{sum(found.seconds.values()):.1f}")])
    lines = [f"{found.model}, left alone by {each}" for each in found.open_claims]
    lines += dict.fromkeys(f"{_name(row)}, {each}" for row in found.rows for each in row.unproved)
    lines += [f"{found.model}: {line}" for line in found.theirs]
    lines += [f"WRONG {_name(row)}: {each}" for row in found.rows for each in row.trouble]
    print("", *lines, sep="\n")
    print(f"{found.model}: {'nothing is wrong' if found.agrees else 'WRONG'}\n")


def _name(row: AblationRow) -> str:
    return f"{row.model}.{row.function}"


def _cells(row: AblationRow) -> tuple[str, ...]:
    return (
        _name(row),
        str(row.operators),
        str(row.dispatched),
        *(f"{each} + {row.dispatched}" for each in row.kernels),
        *map(str, row.tvm_kernels),
        "{} of {}".format(*row.bindings),
        "{} of {}".format(*row.tvm_outputs),
        "{} of {}".format(*row.built),
        *row.evidence.values(),
    )


def _kib(held: tuple[int, int]) -> tuple[str, str, str]:
    """Without and with a plan, and by how much the plan changes it."""
    bare, planned = held
    change = f"{100 * (planned - bare) / bare:+.1f} %" if bare else "-"
    return f"{bare / 1024:.0f}", f"{planned / 1024:.0f}", change


def _share(claims: tuple[int, int]) -> str:
    return f"{claims[0]} of {claims[1]}" if claims[1] else "-"
