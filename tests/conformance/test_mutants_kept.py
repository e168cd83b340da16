"""``rules mutate --state FILE`` goes on where it ended, asks again what other cases may see, and refuses what is of
other mutants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refrelax import cli
from refrelax.conformance import mutants_kept, mutate
from refrelax.conformance.mutants import functions, in_force, mutants, settled
from refrelax.conformance.mutants_kept import Kept
from refrelax.errors import UsageError

pytestmark = pytest.mark.thorough

DRAW = {"only": "text/ternary", "sample": 3, "seed": 1}
KILLER = "operator-edges/attention-heads-of-keys-and-of-values"


def verdict(killer: str | None) -> mutate.MutantResult:
    return mutate.MutantResult(mutants()[0], killer, 7)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    first = Kept(tmp_path / "s", **DRAW)
    file = str(Path(mutate.__file__))
    first.keep_lines({(file, 3): [KILLER, "b"], (file, 8): ["b"]})
    first.keep(2, verdict(f"{KILLER} (ValueError)"))
    first.keep(4, verdict(None))
    first.keep(5, verdict("(cannot be compiled)"))
    for _ in range(2):
        again = Kept(tmp_path / "s", **DRAW)
        assert again.lines == {(file, 3): [KILLER, "b"], (file, 8): ["b"]}
        assert again.told == {2: (f"{KILLER} (ValueError)", 7), 4: (None, 7), 5: ("(cannot be compiled)", 7)}


def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path) -> None:
    first = Kept(tmp_path / "s", **DRAW)
    first.keep(2, verdict(KILLER))
    with (tmp_path / "s").open("a") as file:
        file.write('{"number": 3, "ca')
    again = Kept(tmp_path / "s", **DRAW)
    again.keep(3, verdict(None))
    assert Kept(tmp_path / "s", **DRAW).told == {2: (KILLER, 7), 3: (None, 7)}


def test_other_cases_ask_survivors_again_and_a_changed_one_what_it_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Kept(tmp_path / "s", **DRAW)
    first.keep_lines({})
    first.keep(1, verdict(KILLER))
    first.keep(2, verdict(None))
    monkeypatch.setattr(mutants_kept, "all_cases", lambda: "others")
    other = Kept(tmp_path / "s", **DRAW)
    assert other.told == {1: (KILLER, 7)} and other.lines is None
    monkeypatch.setattr(mutants_kept, "_cases", dict)
    assert Kept(tmp_path / "s", **DRAW).told == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seed": 2}, "the state of other mutants: its seed is 1, not 2"),
        ({"sample": None}, "the state of other mutants: its sample is 3, not None"),
    ],
)
def test_the_state_of_others_is_refused(tmp_path: Path, given: dict[str, object], said: str) -> None:
    Kept(tmp_path / "s", **DRAW)
    with pytest.raises(UsageError, match=said):
        Kept(tmp_path / "s", **{**DRAW, **given})


@pytest.mark.parametrize("text", ["", "[]\n", "{}\n", "SQLite\n", '{"mutants": 3}\n'])
def test_what_is_no_state_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "s").write_text(text)
    with pytest.raises(UsageError, match="no state of"):
        Kept(tmp_path / "s", **DRAW)
    assert (tmp_path / "s").read_text() == text


def test_the_state_of_other_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Kept(tmp_path / "s", **DRAW)
    monkeypatch.setattr(mutants_kept, "_code", lambda: "other")
    with pytest.raises(UsageError, match="its code is other code"):
        Kept(tmp_path / "s", **DRAW)


def test_functions_are_found_as_well_while_nothing_is_looked_through_again() -> None:
    """A mutant of a function that made others is in force in those, whenever they were made."""
    chosen = [m for m in mutants() if m.of_text and any(hasattr(c, "co_name") for c in m.function.__code__.co_consts)]
    mutant = chosen[0]
    before = {key: each.__code__ for key, each in functions().items()}

    def swapped() -> set[object]:
        with in_force(mutant) as possible:
            assert possible
            return {key for key, each in functions().items() if each.__code__ is not before[key]}

    alone = swapped()
    with settled(), settled():
        assert swapped() == alone
    assert swapped() == alone and all(each.__code__ is before[key] for key, each in functions().items())


@pytest.mark.nightly
def test_the_command_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["rules", "mutate", "--only", "text/ternary", "--json", "--state", str(tmp_path / "s")]
    assert cli.main([*line, "--shard", "1/2"]) in (0, 1)
    part = capsys.readouterr().out.splitlines()
    code = cli.main(line)
    whole = capsys.readouterr().out.splitlines()
    assert 0 < len(part) < len(whole) == len(mutate.choose(None, only="text/ternary")) and set(part) <= set(whole)
    assert cli.main(line) == code and sorted(capsys.readouterr().out.splitlines()) == sorted(whole)
    assert all(json.loads(row)["rules"] == ["text/ternary"] for row in whole)
