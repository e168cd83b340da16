"""Help has examples that are read, poison says its cause, terms are shown, a symbol of a match_cast is sized."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from refrelax.cli import main, make_parser
from refrelax.commands import COMMANDS, EXAMPLES

pytestmark = pytest.mark.thorough

PROGRAM = """
n = TypeVar("n")
m = TypeVar("m")
@R.function
def main(x: R.Tensor((n,), dtype="float32"), i: R.Tensor(dtype="int64", ndim=1)):
    with R.dataflow():
        j = R.match_cast(i, R.Tensor((m,), dtype="int64"))
        y = R.take(x, j, axis=0)
        z = R.add(y, y)
        R.output(z)
    return z
"""
STORAGE = """
@R.function(pure=False)
def main(x: R.Tensor((2,), dtype="float32")):
    storage = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2]), R.dtype("float32"))
    return (storage, a)
"""


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(text: str, *line: str, code: int = 0) -> str:
        file = tmp_path / "m.py"
        file.write_text(text, encoding="utf-8")
        assert main([line[0], str(file), *line[1:]]) == code
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_help_are_command_lines(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line in EXAMPLES[name]:
        options = make_parser().parse_args(shlex.split(line))
        assert options.command == name
    with pytest.raises(SystemExit):
        make_parser().parse_args([name, "--help"])
    assert f"  refrelax {EXAMPLES[name][0]}" in capsys.readouterr().out


def test_poison_is_printed_with_its_cause(said) -> None:
    given = ("--arg", "x=[1,2,3]", "--arg", "i=[1,7]")
    for more in ((), ("--numerics", "symbolic"), ("--numerics", "enclosure")):
        shown = said(PROGRAM, "run", *given, *more)
        assert "poison(op.take/out-of-range" in shown and "None" not in shown
    assert "poison(op.take/out-of-range: index 7 of 3)" in said(PROGRAM, "trace", *given)


def test_storage_is_never_shown_as_it_is_kept(said) -> None:
    for command in ("run", "trace"):
        shown = said(STORAGE, command, "--random", "0")
        assert "<storage storage: 16 bytes, global>" in shown and "Arena" not in shown and "None" not in shown


def test_symbolic_shows_terms_of_what_is_made_up(said) -> None:
    text = STORAGE[: STORAGE.index("    storage")].replace("(pure=False)", "") + "    return R.add(x, R.exp(x))\n"
    shown = said(text, "run", "--random", "0", "--numerics", "symbolic")
    assert "argument x: float32[2] [x[0], x[1]]" in shown and "(x[1] + exp(x[1]))" in shown
    assert "exp" not in said(text, "run", "--arg", "x=[0,1]", "--numerics", "symbolic")


@pytest.mark.parametrize("m", [0, 1, 4])
def test_a_symbol_that_only_a_match_cast_defines_is_sized(said, m: int) -> None:
    shown = said(PROGRAM, "run", "--random", "0", "--dim", f"n=3,m={m}")
    assert f"argument i: int64[{m}]" in shown and f"value: float32[{m}]" in shown
    said(PROGRAM, "run", "--random", "0", "--dim", "q=3", code=2)


def explained(capsys: pytest.CaptureFixture[str], what: str) -> str:
    assert main(["explain", what]) == 0
    return capsys.readouterr().out


def test_a_rule_is_explained_with_what_it_announces_and_the_programs_of_its_cases(capsys) -> None:
    kinds = explained(capsys, "lo/pattern-kind")
    assert "| output-fusible | elements that are read at several points" in kinds and "## Groups" not in kinds
    shown = explained(capsys, "ev/match-cast-mismatch")
    assert shown.count("  case      ") == 3 and shown.count("    |     @R.function") >= 2
    assert "    | given" in explained(capsys, "sh/assumptions")


def test_an_operator_is_explained_with_its_formula_and_a_program(capsys) -> None:
    shown = explained(capsys, "R.matmul")
    assert "out[i, j] = dot(x1[i, p] * x2[p, j] for p < M)" in shown and "gv = R.matmul(a, b)" in shown


@pytest.mark.parametrize("word", ["poison", "fusion", "symbol", "extent"])
def test_words_of_the_field_are_explained_in_words_first(capsys, word: str) -> None:
    assert explained(capsys, word).startswith(f"{word}: ")


@pytest.mark.parametrize(
    "name", ["relax.add", "relax.nn.softmax", "relax.take", "relax.memory.alloc_tensor", "relax.print"]
)
def test_operators_of_every_kind_are_explained(capsys, name: str) -> None:
    assert explained(capsys, name).startswith(name)


@pytest.mark.parametrize(
    ("sentence", "operator"),
    [
        ("without `axes` the axes are reversed", "relax.permute_dims"),
        ("else the moving ones are used and returned", "relax.nn.batch_norm"),
        ("an index out of range gives `off` throughout", "relax.one_hot"),
    ],
)
def test_a_sentence_of_an_operators_section_is_explained_as_that_operator(capsys, sentence: str, operator: str) -> None:
    """The rules whose words were nearest were shown, of other operators of the page."""
    shown = explained(capsys, sentence)
    assert f"\n{operator}  (" in shown
    kinds = ("  type      ", "  value     ", "  test      tests/", "  case      ")
    assert all(each in shown.partition(f"\n{operator}  (")[2].partition("\nop.")[0] for each in kinds)


@pytest.mark.parametrize(
    ("sentence", "place", "room"),
    [
        ("a backend may do anything but harm", "spec/13-backends.md:", "backends"),
        ("An exported suite (chapter 01) has the same as data", "spec/03d-abstract-syntax.md:", "syntax"),
    ],
)
def test_a_sentence_that_is_no_rule_is_shown_with_the_room_of_its_chapter(
    capsys, sentence: str, place: str, room: str
) -> None:
    """Only rules of other chapters were shown, with code and tests of other things."""
    shown = explained(capsys, sentence).partition("\n\n")[0]
    assert shown.startswith(place)
    assert shown.endswith(f"  code      refrelax/{room}/\n  test      tests/{room}")
