"""What TVM's pipeline ``zero`` costs ``validate`` on a decoder of many layers, and how that grows with them.

    REFRELAX_TVM_PYTHON=… python benchmarks/layers.py 4 8 16 32

For each number of layers: the stages that changed something, how many are PROVED (under ``extreme-identity``: TVM's
maxima begin at the lowest finite number), the seconds of CPU of checking and proving all of them, and the peak of
memory. Each number of layers runs in a process of its own.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path

LAYER = Path(__file__).parent / "data" / "decoder256.py"
SCALE = 'metadata["ir.GenericConst"][0]'


def decoder(layers: int) -> str:
    """The layer of ``decoder.py`` so many times, each with weights of its own."""
    text = LAYER.read_text()
    body = [line for line in text.splitlines() if re.match(r" +lv\d*: ", line)]
    found = re.search(r"def main\((.*)\) -> R", text)
    assert found
    weights = re.findall(r'(p_\w+): (R\.Tensor\(\([^)]*\), dtype="float32"\))', found.group(1))
    params = ['x: R.Tensor((1, n, 256), "float32")', 'frequency: R.Tensor((32,), "float32")']
    params += [f"{name}_{k}: {type_}" for k in range(layers) for name, type_ in weights]
    lines, last = [], "x"
    for k in range(layers):
        for line in body:
            own = re.sub(r"\b(p_\w+|lv\d*)\b", rf"\1_{k}", line.replace(SCALE, "frequency"))
            lines.append(re.sub(r"\bx\b", last, own))
        last = f"lv101_{k}"
    return "\n".join([
        "n = T.int64()", "@I.ir_module", "class Module:", "    @R.function", f"    def main({', '.join(params)}):",
        "        with R.dataflow():", *lines, f"            gv = R.nn.relu({last})", "            R.output(gv)",
        "        return gv",
    ])  # fmt: skip


def measure(layers: int) -> None:
    """One line."""
    import refrelax as rr
    from refrelax.interop.tvm.passes import TvmPasses
    from refrelax.judge.evidence import Proved
    from refrelax.judge.pointwise import Options, attempt

    sys.setrecursionlimit(20_000)
    options = Options(relax=frozenset({"extreme-identity"}))
    before = rr.check(rr.parse(decoder(layers)))
    passes, text, stages, proved, spent = TvmPasses(), "", 0, 0, 0.0
    for stage in passes.stages(before.module, "zero"):
        if stage.text == text:
            continue
        text, start = stage.text, time.process_time()
        after = rr.check(rr.bind_constants(rr.parse(text), stage.constants))
        found = attempt(before, after, "main", options)
        spent += time.process_time() - start
        stages, proved, before = stages + 1, proved + isinstance(found, Proved), after
    passes.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{layers:4} layers: {proved} of {stages} stages PROVED, {spent:6.1f} s, {peak:6.0f} MiB", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        measure(int(sys.argv[2]))
    else:
        for each in sys.argv[1:] or ["4", "8"]:
            subprocess.run([sys.executable, __file__, "--one", each], check=True)
