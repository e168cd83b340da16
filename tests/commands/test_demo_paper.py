"""``demo --paper`` prints each model when it is done, and names what is not proved."""

from __future__ import annotations

import pytest

from refrelax.commands import demo_paper
from refrelax.commands.ablation import AblationRow, ModelAblation, series_of

CLAIM = "fuse_loops: UNKNOWN  gather/B: 0 <= n - 1  [lo/simplify]"


def fake(name: str) -> ModelAblation:
    row = AblationRow(
        name,
        "prefill",
        78,
        20,
        (60, 53),
        (83, 65),
        "b=2 n=128,256",
        (4096, 3072),
        (4096, 0),
        evidence={"build": "PROVED"},
    )
    return ModelAblation(name, {"capture": (0, 0), "fuse_loops": (21, 22)}, [CLAIM], [row])


def test_a_run_that_is_cut_has_told_what_it_had(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stops(example: object, live: bool) -> ModelAblation:
        name = example.name  # type: ignore[attr-defined]
        if name == "qwen":
            raise KeyboardInterrupt
        return fake(name)

    monkeypatch.setattr(demo_paper, "ablation", stops)
    with pytest.raises(KeyboardInterrupt):
        demo_paper.demo_paper(["gemma", "qwen"], json=False)
    told = capsys.readouterr().out
    assert "gemma.prefill" in told and "gemma: nothing is wrong" in told


def test_what_is_counted_and_what_is_open_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    demo_paper.show(fake("gemma"))
    told = capsys.readouterr().out
    assert f"left alone by {CLAIM}" in told and "21 of 22" in told
    assert "60 + 20" in told and "53 + 20" in told and "83" in told
    assert "b=2 n=128,256" in told and "-25.0 %" in told and "-100.0 %" in told


def test_a_series_in_a_few_words() -> None:
    runs = [{"n": 128, "b": 2}, {"n": 256, "b": 2}]
    assert series_of(runs) == "b=2 n=128,256"
    assert series_of([{"b": 1, "t": 9}]) == "b=1 t=9"
