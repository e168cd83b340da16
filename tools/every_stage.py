"""Every stage of TVM's pipelines, for programs of our own: read, written, read back by TVM, checked, deduced.

    REFRELAX_TVM_PYTHON=… .venv/bin/python tools/every_stage.py [--only torch_] [--pipelines zero,…] [--show]

Programs: ``tools/stages/*_programs.py`` (PyTorch, ``relax.frontend.nn``, ``BlockBuilder``, ONNX) and the hand-written
texts of ``tests/interop/stages/programs.py``. For every stage of every pipeline:

* every way of printing it that loses nothing parses, and gives the same module;
* what we write parses to that module again;
* TVM reads what we write as a structurally equal module, exactly or up to what no text tells it
  (``tools/stages/lost_in_text.py``; counted by part);
* the checker accepts it;
* without its annotations, deduction gives for every binding the type that TVM printed.

Differences are compared with ``tools/stages/differences.toml``, where each has a rule id; the exit code is 1 if there
is another.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import refrelax as rr
from refrelax.interop.tvm.passes import array as constant_array
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.bindings import bindings_of
from refrelax.semantics.types import lattice
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module

ROOT = Path(__file__).resolve().parents[1]
WORKER = ROOT / "tools" / "stages" / "tvm_side.py"
LISTED = ROOT / "tools" / "stages" / "differences.toml"
PIPELINES = ("zero", "default_build", "cpu_generic")


@dataclass
class Figures:
    """What was counted, and every difference: (kind, program, pass, what)."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str, str, str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def differ(self, kind: str, where: tuple[str, str], what: str) -> None:
        """Note a difference once."""
        row = (kind, *where, " ".join(what.split())[:400])
        if row not in self.differences:
            self.differences.append(row)


def hand_written() -> dict[str, str]:
    """The texts of ``tests/interop/stages/programs.py``."""
    path = ROOT / "tests" / "interop" / "stages" / "programs.py"
    spec = importlib.util.spec_from_file_location("programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module
    spec.loader.exec_module(module)
    return {f"text_{each.name}": each.text for each in module.PROGRAMS}


def requests(process: TvmProcess, only: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every program and how it is asked for."""
    for name in process.ask({"list": True})["programs"]:
        if only in name:
            yield name, {"program": name}
    for name, text in hand_written().items():
        if only in name:
            yield name, {"text": text, "constants": {}}


def examine(process: TvmProcess, name: str, request: dict[str, Any], figures: Figures, seen: set[str]) -> None:
    """One program through one pipeline. ``seen``: texts that were looked at."""
    found = process.ask(request)
    if "refused" in found:
        step, why = found["refused"]
        figures.refused[f"{name} {request['pipeline']}"] = f"{step}: {why}"
    for k, stage in enumerate(found["stages"]):
        figures.counts["stages"] += 1
        if stage["texts"]["plain"] in seen:
            figures.counts["stages seen before"] += 1
            continue
        seen.add(stage["texts"]["plain"])
        where = (name, stage["pass"])
        module = read(stage, where, figures)
        if module is None:
            continue
        text = rr.print_module(module)
        figures.counts["written"] += 1
        if rr.parse(text) != module:
            figures.differ("round trip", where, "parse(print(m)) != m")
        answer = process.ask({"compare": k, "text": text})
        figures.counts["read by TVM"] += "equal" in answer
        for part in answer.get("equal", ()):
            figures.counts[f"read by TVM up to {part}"] += 1
        figures.counts["read by TVM exactly"] += answer.get("equal") == []
        if "equal" not in answer:
            own = process.ask({"compare": k, "text": stage["texts"]["plain"]})
            figures.counts["not read by TVM, nor its own text"] += "equal" not in own
            figures.differ("TVM reads" if "equal" in own else "TVM's own text", where, str(answer))
        deduce(module, where, figures)


def read(stage: dict[str, Any], where: tuple[str, str], figures: Figures) -> Module | None:
    """The module of a stage; all its texts give the same one."""
    plain: Module | None = None
    for option, text in stage["texts"].items():
        figures.counts["texts"] += 1
        if plain is not None and text == stage["texts"]["plain"]:
            figures.counts["parsed"] += 1
            continue
        try:
            module = rr.parse(text)
        except rr.Malformed as rejection:
            figures.differ("parse", where, f"{option}: {rejection.diagnostics[0]}")
            continue
        figures.counts["parsed"] += 1
        if option == "plain":
            plain = replace(module, constants={int(k): constant_array(v) for k, v in stage["constants"].items()})
        elif plain is not None and option != "no types" and not rr.structural_equal(module, plain):
            figures.differ("same module", where, option)
    return plain


def deduce(module: Module, where: tuple[str, str], figures: Figures) -> None:
    """Check it, and its copy without annotations; compare the types of all bindings."""
    try:
        rr.check(module)
        figures.counts["checked"] += 1
        deduced = rr.check(without_annotations(module))
    except (rr.IllFormed, rr.IllTyped) as rejection:
        figures.differ("check", where, str(rejection.diagnostics[0]))
        return
    facts = lattice.Facts()
    for name, function in module.relax_functions().items():
        for path, binding in bindings_of(function, name):
            annotation = getattr(binding, "annotation", None)
            if annotation is None:
                continue
            figures.counts["bindings"] += 1
            inner = "/".join([*path.split("/")[1:], binding.name])
            found = deduced.types[name].get(inner)
            if found is not None and str(found) == str(annotation):
                figures.counts["same type"] += 1
            elif found is not None and all(
                lattice.is_base_of(a, b, facts) for a, b in ((found, annotation), (annotation, found))
            ):
                figures.counts["same type"] += 1
                figures.counts["same type, other spelling"] += 1
            else:
                figures.differ("type", where, f"{binding.name}: printed {annotation}, deduced {found}")


def without_annotations(module: Module) -> Module:
    """The module with no binding annotated."""
    functions = {name: strip(f) if isinstance(f, Function) else f for name, f in module.functions.items()}
    return replace(module, functions=functions)


def strip(node: Any) -> Any:
    """A graph-level node without the annotations of bindings."""
    from dataclasses import fields, is_dataclass

    if isinstance(node, tuple):
        return tuple(strip(each) for each in node)
    if not is_dataclass(node) or isinstance(node, type) or type(node).__module__ != "refrelax.syntax.graph":
        return node
    parts = {f.name: strip(getattr(node, f.name)) for f in fields(node) if f.init}
    if "annotation" in parts:
        parts["annotation"] = None
    return type(node)(**parts)


def listed() -> list[dict[str, str]]:
    """The differences that have a rule."""
    rows: list[dict[str, str]] = tomllib.loads(LISTED.read_text(encoding="utf-8")).get("difference", [])
    return rows


def explain(difference: tuple[str, str, str, str], rows: list[dict[str, str]]) -> str | None:
    """The rule of a listed difference."""
    import re

    kind, program, name, what = difference
    for row in rows:
        if row["kind"] == kind and re.search(row["what"], what) and re.search(row.get("program", ""), program):
            if re.search(row.get("pass", ""), name):
                return row["rule"]
    return None


def run(only: str = "", pipelines: tuple[str, ...] = PIPELINES, tell: Callable[[str], None] = str) -> Figures:
    """Everything, or the programs whose names contain ``only``. ``tell`` hears of differences that are not listed, and
    of the counts, after each program."""
    figures, rows = Figures(), listed()
    with TvmProcess(None, 180.0, WORKER) as process:
        for name, request in requests(process, only):
            seen: set[str] = set()
            figures.counts["programs"] += 1
            before = len(figures.differences)
            for pipeline in pipelines:
                try:
                    examine(process, name, {**request, "pipeline": pipeline}, figures, seen)
                except Exception as failed:
                    figures.refused[f"{name} {pipeline}"] = f"{type(failed).__name__}: {failed}"
                    if isinstance(failed, rr.InternalError):
                        raise
            for each in figures.differences[before:]:
                if explain(each, rows) is None:
                    tell(f"NOT LISTED | {' | '.join(each)}")
            tell(f"{name} {dict(figures.counts)}")
    return figures


def main() -> int:
    """Print the figures; 1 if a difference is not listed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--pipelines", default=",".join(PIPELINES))
    parser.add_argument("--show", action="store_true", help="every difference, not only those that are not listed")
    options = parser.parse_args()
    start = time.monotonic()
    figures = run(
        options.only, tuple(options.pipelines.split(",")), lambda line: print(line, file=sys.stderr, flush=True)
    )
    rows = listed()
    rules = [explain(each, rows) for each in figures.differences]
    for difference, rule in zip(figures.differences, rules, strict=True):
        if options.show:
            print(rule or "NOT LISTED", *difference, sep=" | ")
    for name, why in figures.refused.items():
        print("refused |", name, "|", why[:200])
    print(f"{time.monotonic() - start:.0f} s", dict(figures.counts))
    print("differences:", dict(Counter(kind for kind, *_ in figures.differences)), "by rule:", dict(Counter(rules)))
    return 1 if None in rules else 0


if __name__ == "__main__":
    sys.exit(main())
