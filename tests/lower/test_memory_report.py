"""The bytes of successive runs: what a pool holds with a plan and without one; ``refrelax lower --memory``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.cli import main
from refrelax.errors import UsageError
from refrelax.examples import load
from refrelax.lower.memory_report import PAGE, Pool, peak, successive_use
from refrelax.lower.pipeline import lower

from .memory_faults import PROGRAMS, call, program

MEMORY = ("to_destinations", "plan_memory")
WIDE = program(
    "a = " + call("rows", "x", out='R.Tensor((n, 2), "float32")'), f"b = {call('columns', 'a')}",
    "d = " + call("rows", "b", out='R.Tensor((n, 2), "float32")'), f"r = {call('columns', 'd')}", "return r",
    bound=4096,
)  # fmt: skip


def uses(text: str, *sizes: int, passes: tuple[str, ...] = MEMORY) -> list[tuple[int, int, int]]:
    module = lower(rr.check(rr.parse(text)), passes=passes).module.module
    return [(u.total, u.peak, u.held) for u in successive_use(module, [{"n": n} for n in sizes])]


def test_bytes_of_runs() -> None:
    unplanned = uses(WIDE, 1024, 2048, 1024, passes=MEMORY[:1])
    assert unplanned == [(24 << 10, 12 << 10, 12 << 10), (48 << 10, 24 << 10, 28 << 10), (24 << 10, 12 << 10, 28 << 10)]
    planned = uses(WIDE, 1024, 2048, 1024)  # 32 KiB for a and d, 16 KiB for b; the result has memory of its own
    assert planned == [(52 << 10, 52 << 10, 52 << 10), (56 << 10, 56 << 10, 60 << 10), (52 << 10, 52 << 10, 60 << 10)]


def test_of_the_branches_the_larger_peak_counts() -> None:
    text = program(
        "if c:", f"    a = {call('bump', 'x')}", f"    v = {call('bump', 'a')}",
        "else:", f"    v = {call('bump', 'x')}", "return v",
        params='c: R.Tensor((), "bool"), x: R.Tensor((n,), "float32")', bound=None,
    )  # fmt: skip
    assert uses(text, 25, passes=MEMORY[:1]) == [(200, 200, 2 * PAGE)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20_000)), max_size=30))
def test_a_pool_holds_what_it_serves(requests: list[tuple[int, int]]) -> None:
    pool, events = Pool(), []
    for name, size in requests:
        if str(name) in pool.used:
            events.append((str(name), -size))
        else:
            events.append((str(name), size))
        pool.take(events[-1])
        assert pool.held == sum(pool.used.values()) + sum(size * count for size, count in pool.free.items())
    pool.end()
    assert not pool.used
    assert peak([("a", 5), ("b", 7), ("a", -5), ("c", 1)]) == 12


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "bound", "sizes", "most"),
    [("decoder", 1024, (128, 256, 512, 1024), 0.78), ("cnn", 64, (1, 16, 32, 64), 0.6)],
)
def test_one_plan_for_successive_runs(name: str, bound: int, sizes: tuple[int, ...], most: float) -> None:
    """The paper's Table 2 in kind: prefills of 128 to 1024 (there -22 %), batches of 1 to 64 (there -40 %)."""
    text = load(name).stage("imported").text
    promise = text.replace('{"tir_var_lower_bound": {"n": 1}}', f'{{"tir_var_upper_bound": {{"n": {bound}}}}}')
    assert promise != text
    checked = rr.check(rr.parse(promise))
    stages = lower(checked, passes=("legalize", *MEMORY)).steps
    runs = [{"n": n} for n in sizes]
    before, after = (successive_use(each.module.module, runs)[-1] for each in stages[1:])
    assert after.held < before.held * most
    assert after.peak < before.peak * 1.01  # the arena is as large as what lives at once


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.py"
    file.write_text(WIDE, encoding="utf-8")
    assert main(["lower", str(file), "--passes", ",".join(MEMORY), "--memory", "n=1024,2048"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split("  ")[0] == "run" and out[1].startswith("n=1024") and len(out) == 4
    assert out[-1] == "held after all of them: 28672 -> 61440 bytes (+114.3 %)"
    assert main(["lower", str(file), "--passes", ",".join(MEMORY), "--memory", "n=1024", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row == {
        "symbols": {"n": 1024}, "before": {"total": 24576, "peak": 12288, "held": 12288},
        "after": {"total": 53248, "peak": 53248, "held": 53248},
    }  # fmt: skip


@pytest.mark.parametrize(
    "given_",
    [
        ["--memory", "n"], ["--memory", "n=x"], ["--memory", "n=-1"], ["--memory", "m=3"],
        ["--memory", "n=1,2", "--memory", "m=1,2,3"], ["--memory", "n=3", "--passes", "to_destinations"],
        ["--memory", "n=3", "-o", "out.py"], ["--memory", "n=3", "--entry", "other"], ["--entry", "main"],
    ],
)  # fmt: skip
def test_usage(given_: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.py"
    file.write_text(PROGRAMS["exact"], encoding="utf-8")
    assert main(["lower", str(file), *given_]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_no_function() -> None:
    with pytest.raises(UsageError, match="no graph-level function 'f'"):
        successive_use(rr.parse(PROGRAMS["exact"]), [{"n": 1}], "f")
