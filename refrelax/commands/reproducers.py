"""A finding as a folder: the program, its arguments, what was said, and the command that says it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refrelax import api
from refrelax.commands.shared import plain
from refrelax.interop.names import is_tvm
from refrelax.interop.tvm.process import POISONED
from refrelax.running import npz
from refrelax.running.arrays import Tensor, pack
from refrelax.running.run import parameter_types
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax import bits
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.types import PrimType, Type
from refrelax.version import SPEC_EDITION, __version__

if TYPE_CHECKING:
    from refrelax.judge.fuzz import Finding, Plan


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a finding lies, its report, and the command line that reproduces it."""

    folder: Path
    report: dict[str, Any]
    command: str

    @property
    def name(self) -> str:
        return self.folder.name


def keep(out: Path, finding: Finding, plan: Plan, more: dict[str, Any]) -> Kept:
    """Write ``OUT/NNNN/{module.py,args.npz,report.json,how-to-run}`` under the next free number, and ``script.py``,
    which needs no refrelax, for an implementation that can say a call so. ``more``: of the report."""
    out.mkdir(parents=True, exist_ok=True)
    taken = [int(p.name) for p in out.iterdir() if p.name.isdecimal()]
    folder = out / f"{max(taken, default=0) + 1:04}"
    folder.mkdir()
    if finding.text:
        (folder / "module.py").write_text(finding.text, encoding="utf-8")
    members = arrays(finding.args, parameter_types(api.parse(finding.text), "main") if finding.text else ())
    npz.write(folder / "args.npz", members)
    given = f" --args {shlex.quote(str(folder / 'args.npz'))}" if members else ""
    chosen = {"--pipeline": plan.pipeline, "--target": plan.target}
    options = "".join(f" {option} {shlex.quote(value)}" for option, value in chosen.items() if value is not None)
    impl = f"{' --impl '.join(map(shlex.quote, (plan.name, *plan.also)))}{options}{' --strict' * plan.strict}"
    poisoned = f"{'='.join(POISONED)} " if is_tvm(plan.name) else ""
    command = f"{poisoned}refrelax diff {shlex.quote(str(folder / 'module.py'))} --impl {impl}{given}"
    if finding.steps:
        through = f"--pipeline {shlex.quote(','.join(finding.steps))}"
        command = f"refrelax bisect {shlex.quote(str(folder / 'module.py'))} --impl {impl} {through}{given}"
    if finding.front is not None:
        (folder / "program.py").write_text(finding.front.source, encoding="utf-8")
        named = shlex.quote(f"{folder / 'program.py'}:program")
        given = given if finding.text else ""
        command = f"refrelax bisect --front {named} --impl {impl}{given}"
    report = {
        "signature": str(finding.signature),
        "kind": finding.signature.kind,
        "operators": list(finding.signature.operators),
        "verdict": "FAULT" if finding.fault else "FOUND",
        "binding": getattr(finding.verdict, "binding", ""),
        "message": finding.message,
        "detail": finding.verdict.detail,
        "impl": plan.name,
        "seed": plan.seed,
        "round": finding.round,
        "version": __version__,
        "edition": SPEC_EDITION,
        "command": command,
        **more,
    }
    if finding.script:
        (folder / "script.py").write_text(finding.script, "utf-8")
    (folder / "report.json").write_text(json.dumps(plain(report), indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "how-to-run").write_text(f"{command}\n", "utf-8")
    return Kept(folder, report, command)


def arrays(args: Sequence[Any], types: Sequence[Type | None]) -> dict[str, ConstantArray]:
    """Arguments as members of an ``.npz``, as ``--args`` reads them: ``0``, ``1``, the fields of a tuple ``2.0``, …."""
    found: dict[str, ConstantArray] = {}
    for k, arg in enumerate(args):
        found.update(_members(str(k), arg, types[k] if k < len(types) else None))
    return found


def _members(name: str, value: Any, type_: Type | None) -> dict[str, ConstantArray]:
    match value:
        case tuple():
            return {k: a for n, each in enumerate(value) for k, a in _members(f"{name}.{n}", each, None).items()}
        case ConstantArray():
            return {name: value}
        case Tensor():
            return {name: ConstantArray(value.dtype, value.shape, value.tobytes())}
        case Shape(dims):
            return {name: ConstantArray("int64", (len(dims),), pack("int64", [bits.encode("int64", d) for d in dims]))}
        case Prim(dtype, number):
            return {name: ConstantArray(dtype, (), pack(dtype, [bits.encode(dtype, number)]))}
        case bool() | int() | float():
            guess = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float64"
            dtype = type_.dtype if isinstance(type_, PrimType) else guess
            return {name: ConstantArray(dtype, (), pack(dtype, [bits.encode(dtype, value)]))}
        case _:
            raise TypeError(f"an argument of type {type(value).__name__} fits into no .npz")
