"""Of proofs for all shapes, how many are written down as a record that the checker of descents accepts.

    python tools/descent_records.py [--pairs PAIRS.jsonl] [--library] [--rules RANK] [--models] [--cases] [--out DIR]

``--library``: the pairs of ``benchmarks/pointwise.toml``; ``--rules``: the rewrite rules of ``tests/judge``;
``--cases``: the proofs of the conformance suite; ``--models``: the example models, imported against TVM's kernels;
``--pairs``: as ``tools/pass_pairs.py`` reads them. A line a pair that is proved: whether its record is accepted, with
its steps and size, else why there is none. Times are processor time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import refrelax as rr  # noqa: E402
from refrelax.judge.evidence import Proved  # noqa: E402
from refrelax.judge.pointwise import Options, attempt  # noqa: E402
from refrelax.shape_solver.descents.document import examine  # noqa: E402
from refrelax.shape_solver.parse import parse_claim  # noqa: E402

HEAD = "".join(f"{s} = TypeVar('{s}')\n" for s in "nmpq") + "@I.ir_module\nclass Module:\n"

Pair = tuple[str, Any, Any, str, Options]


def library() -> Iterator[Pair]:
    found = tomllib.loads((ROOT / "benchmarks" / "pointwise.toml").read_text(encoding="utf-8"))["pair"]
    for each in found:
        first, second = (rr.check(rr.parse(HEAD + each[side])) for side in ("first", "second"))
        options = Options(relax=frozenset(each.get("relaxations", ())), record=True)
        yield each["name"], first, second, "main", options


def rules(rank: int) -> Iterator[Pair]:
    from tests.judge.rewrite_rules import rules, text

    for each in rules(rank):
        first, second = (rr.check(rr.parse(text(each.params, side))) for side in (each.left, each.right))
        yield each.name, first, second, "main", Options(assume=tuple(map(parse_claim, each.given)), record=True)


def models() -> Iterator[Pair]:
    from refrelax import examples

    for name in examples.names():
        example = examples.load(name)
        stages = [example.stage(each) for each in ("imported", "zero")]
        first, second = (rr.check(rr.bind_constants(rr.parse(s.text), s.constants)) for s in stages)
        yield name, first, second, example.entry, Options(relax=frozenset({"extreme-identity"}), record=True)


def cases() -> Iterator[Pair]:
    path = ROOT / "refrelax" / "conformance" / "cases" / "validation.toml"
    for each in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
        if each.get("expect") == "Proved" and "correspond" not in each:  # (those are asked through wrappers)
            first, second = (rr.check(rr.parse(each[side])) for side in ("module", "validate"))
            yield each["name"], first, second, "main", Options(record=True)


def pairs(path: Path) -> Iterator[Pair]:
    from tools.pass_pairs import Nothing, changed, constants, text

    for line in path.read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        try:
            before, after = (constants(rr.parse(text(each[s])), each.get(f"consts_{s}")) for s in ("before", "after"))
            entry = each.get("entry") or changed(before, after)
            yield each.get("name", "?"), rr.check(before), rr.check(after), entry, Options(record=True)
        except (Nothing, rr.Rejection):
            continue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--rules", type=int, choices=(1, 2))
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    sources = [library()] if asked.library else []
    sources += [rules(asked.rules)] if asked.rules else []
    sources += [cases()] if asked.cases else []
    sources += [models()] if asked.models else []
    sources += [pairs(asked.pairs)] if asked.pairs else []
    counts: Counter[str] = Counter()
    for source in sources:
        for name, first, second, entry, options in source:
            if asked.only in name:
                counts[told(name, first, second, entry, options, asked.out)] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return 0


def told(name: str, first: Any, second: Any, entry: str, options: Options, out: Path | None) -> str:
    start = time.process_time()
    try:
        found = attempt(first, second, entry, options)
    except rr.Rejection:
        return "refused"
    if not isinstance(found, Proved):
        return "not proved"
    made = time.process_time()
    if isinstance(found.record, str):
        print(f"{name}: no record: {found.record[:300]} ({made - start:.2f} s)", flush=True)
        return "without a record"
    written = json.dumps(found.record)
    said = examine(json.loads(written))
    checked = time.process_time()
    if said.rejected:
        print(f"{name}: REJECTED: {said.rejected}", flush=True)
        return "rejected"
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name.replace(' ', '-').replace(',', '')}.json").write_text(written + "\n", encoding="utf-8")
    of = f"{said.steps} steps, {said.certificates} certificates, {len(written) / 1000:.1f} kB"
    print(f"{name}: {of}, made in {made - start:.2f} s, checked in {checked - made:.2f} s", flush=True)
    return "with an accepted record"


if __name__ == "__main__":
    raise SystemExit(main())
