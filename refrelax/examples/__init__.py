"""The example models: as TVM 0.27 printed them, with constants, inputs and the outputs that TVM recorded.

Made by ``tools/make_examples.py`` (its docstring says what each file is); read here without NumPy. Those under
``paper/`` are small ones of the kinds that the Relax paper measures, made by ``tools/make_paper_models.py``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refrelax.running import npz
from refrelax.syntax.module import ConstantArray

_HOME = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of TVM's VM: the function, the sizes, the inputs, and what came back (the fields of the result tuple)."""

    function: str
    dims: dict[str, int]
    args: tuple[ConstantArray, ...]
    outputs: tuple[ConstantArray, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """One printed form of a model and the arrays behind its constants."""

    name: str
    path: Path
    text: str
    constants: dict[int, ConstantArray]


@dataclass(frozen=True, slots=True)
class Example:
    """A model: its stages (``imported``, ``zero``) and its recorded runs. ``entry``: its function, of several the
    first."""

    name: str
    title: str
    entry: str
    stages: tuple[Stage, ...]
    runs: tuple[RecordedRun, ...]
    facts: dict[str, Any]

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that were run."""
        return tuple(dict.fromkeys(run.function for run in self.runs))

    def stage(self, name: str) -> Stage:
        """The stage called ``name``; ``KeyError`` if there is none."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)


def names() -> tuple[str, ...]:
    """The models in the package, smallest first."""
    found = [path.parent for path in _HOME.glob("*/example.json")]
    return tuple(p.name for p in sorted(found, key=lambda p: ((p / "zero.py").stat().st_size, p.name)))


def paper_names() -> tuple[str, ...]:
    """The paper's models in the package, in the order of the paper."""
    return tuple(f"paper/{each}" for each in ("llama", "gemma", "qwen", "whisper", "llava"))


def load(name: str) -> Example:
    """A model by name; ``KeyError`` if there is none."""
    folder = _HOME / name
    if not (folder / "example.json").is_file():
        raise KeyError(f"no example {name!r}; there are {', '.join(names())}")
    facts = json.loads((folder / "example.json").read_text(encoding="utf-8"))
    arrays = npz.read(folder / "runs.npz")
    runs = tuple(
        RecordedRun(run.get("function", facts["entry"]), run["dims"], tuple(arrays[k] for k in run["args"]), tuple(arrays[k] for k in run["outputs"]))
        for run in facts["runs"]
    )
    stages = tuple(_stage(folder, stage) for stage in facts["stages"])
    return Example(facts["name"], facts["title"], facts["entry"], stages, runs, facts)


def _stage(folder: Path, name: str) -> Stage:
    path = folder / f"{name}.py"
    constants = {int(k): v for k, v in npz.read(folder / f"{name}.npz").items()}
    return Stage(name, path, path.read_text(encoding="utf-8"), constants)
