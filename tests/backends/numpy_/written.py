"""What the NumPy backend writes for many programs and for those a little off them: the functions that its text calls,
how often, and how many results go where something was.

It is written down by ``tools/make_decisions.py``, and held by ``test_written.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.lower.pipeline import lower
from tests.backends.cupy_.near import family, programs_near
from tests.backends.numpy_ import near_forms
from tests.digests import digest

FROZEN = Path(__file__).parent / "written.txt"

BIG = {
    "places": "a = R.exp(x); b = R.nn.softmax(a, axis=-1); d = R.matmul(b, x); e = R.where(c, d, x); z = R.tanh(e)",
    "norms": "a = R.nn.layer_norm(x, w, w, axes=[-1]); b = R.nn.rms_norm(a, w, axes=[-1]); z = R.add(b, x)",
    "where": "a = R.where(c, x, x); b = R.matmul(a, a); d = R.where(c, b, a); z = R.matmul(d, b)",
    "sums": "a = R.sum(x, axis=[0]); b = R.mean(x, axis=[-1], keepdims=True); d = R.subtract(x, b); z = R.add(d, a)",
    "views": "a = R.reshape(x, R.shape([256, 1024])); b = R.exp(a); z = R.reshape(b, R.shape([512, 512]))",
    "truths": "a = R.greater(x, x); b = R.logical_and(a, c); d = R.astype(b, 'float32'); z = R.multiply(d, x)",
}
"""Tensors that are worth a place: of a megabyte."""


def big(name: str) -> rr.CheckedModule:
    lines = "\n".join(f"            {each}" for each in BIG[name].split("; "))
    return rr.check(
        rr.parse(f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((512, 512), "float32"), c: R.Tensor((512, 512), "bool"), w: R.Tensor((512,), "float32")):
        with R.dataflow():
{lines}
            R.output(z)
        return z
""")
    )


def programs() -> Iterator[tuple[str, str]]:
    yield from programs_near()
    for name in BIG:
        yield f"big {name}", "big"
    for name in near_forms.NEAR:
        yield f"near {name}", "near"


def modules(name: str, entry: str) -> Iterator[tuple[str, rr.CheckedModule]]:
    if entry == "near":
        whole = near_forms.program(name.removeprefix("near "))
        yield name, whole
        yield f"{name} kernels", lower(whole, "kernels").module
        return
    if entry != "big":
        yield from family(name, entry)
        return
    whole = big(name.removeprefix("big "))
    yield name, whole
    for pipeline in ("default", "build", "kernels"):
        yield f"{name} {pipeline}", lower(whole, pipeline).module


def told(source: str) -> str:
    """The text in six letters, the names that are called, and stores over what was there."""
    called = Counter(re.findall(r"(?<!def )\b([A-Za-z_][\w.]*|ops\['[\w.]+'\])\(", source))
    called["out="], called["_place"] = source.count("out="), source.count("_place = ")
    return " ".join((digest(source), *(f"{name}*{count}" for name, count in sorted(called.items()) if count)))


def is_short(name: str, label: str, mode: str) -> bool:
    """Whether the text is told by its digest alone."""
    loops = mode == "bits" or label.endswith(" kernels")
    return name.startswith(("form ", "statements ")) or (name.startswith("near ") and loops)


def lines(name: str, entry: str) -> list[str]:
    found = []
    for label, checked in modules(name, entry):
        for mode in ("fast", "bits")[: 1 if "~" in label else 2]:
            try:
                source = rr.compile(checked, mode=mode).source
                found.append(f"{label}, {mode}: {digest(source) if is_short(name, label, mode) else told(source)}")
            except Unsupported:
                found.append(f"{label}, {mode}: Unsupported")
    return found


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line}\n" for each in programs() for line in lines(*each))
