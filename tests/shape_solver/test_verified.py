"""The verified checker (``verified/``) and the one in Python: the same axioms, the same verdicts, the same words.

What needs the program that ``make verified`` builds is a nightly test, and is skipped where it is not there.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from refrelax.shape_solver.certify import verified, verified_checker
from refrelax.shape_solver.checker.document import examine, load, question_said
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.schemas import BY_ID, COUNT, KINDS, NUMBERED, Zero
from tests.shape_solver.forgeries import FORGERIES, LIES, ONE, POINTS, X, forged
from tests.shape_solver.forgeries_of_steps import HONEST, STEPS
from tests.shape_solver.mutations import mutated, still_true

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "certificates.jsonl"
TEXTS = CORPUS.read_text(encoding="utf-8").splitlines()
KIND = {"FD": "fd", "TD": "td", "AND": "and", "GE": "ge", "EQ": "eq", "P2": "p2", "DEFINE": "define"}

with_program = pytest.mark.skipif(verified_checker() is None, reason="not built (make verified)")


# --- without the program ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_frozen_certificates_are_accepted() -> None:
    """Certificates that were written once stay certificates."""
    kinds = {"log": 0, "points": 0}
    for text in TEXTS[::3]:
        document = load(text)
        assert examine(document).by in ("checker", "enumeration"), text[:300]
        kinds[document["evidence"]["kind"]] += 1
    assert len(TEXTS) >= 400 and kinds["log"] > 100 and kinds["points"] > 5 and CORPUS.stat().st_size < 1_000_000


def test_the_frozen_certificates_use_every_rule() -> None:
    rules = set(re.findall(r'"rule":"([^"]+)"', "\n".join(TEXTS)))
    assert rules >= {"combine", "equal", "cases", "fd/low", "fd/high", "td/low-pp", "min/low", "p2/positive", "define"}


def coq(text: str, *values: Poly) -> Poly:
    """A term of a row in Coq, over polynomials: ``V n`` is the value number ``n``; ``v a b`` are the first."""
    tree = ast.parse(re.sub(r"\bneg (\w+)", r"neg(\1)", re.sub(r"\bV (\d)", r"V(\1)", text)), mode="eval")

    def read(node: ast.expr) -> Any:
        match node:
            case ast.Constant(int() as number):
                return Poly.of(number)
            case ast.Name(name):
                return values["vab".index(name)]
            case ast.Call(ast.Name("V"), [ast.Constant(int() as place)]):
                return values[place]
            case ast.Call(ast.Name("neg"), [part]):
                return -read(part)
            case ast.BinOp(left, op, right):
                a, b = read(left), read(right)
                return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
        raise AssertionError(ast.dump(node))

    found = read(tree.body)
    assert isinstance(found, Poly)
    return found


ONE_ATOM = re.compile(r'\("([a-z0-9/-]+)", ax1 (\w+) \[([^]]*)\] \((Nonneg|Null) (.*?)\)\) ::')
MORE = re.compile(
    r'\("([a-z0-9/-]+)", \{\| ax_kind := (\w+); ax_count := (\d);\s+ax_needs := \[([^]]*)\];\s*'
    r"ax_gives := (Nonneg|Null) \((.*?)\) \|\}\) ::"
)


def rows() -> dict[str, tuple[str, int, list[str], str, str]]:
    """The table of ``verified/Axioms.v``: kind, number of atoms, needs, what kind the conclusion is, and it."""
    text = (ROOT / "verified" / "Axioms.v").read_text(encoding="utf-8")
    found = {m[1]: (m[2], 1, m[3], m[4], m[5]) for m in ONE_ATOM.finditer(text)}
    found |= {m[1]: (m[2], int(m[3]), m[4], m[5], m[6]) for m in MORE.finditer(text)}
    assert len(found) == text.split("Definition power_shift")[0].count('    ("')
    return {
        name: (kind, count, [each for each in needs.split("; ") if each], fact, gives)
        for name, (kind, count, needs, fact, gives) in found.items()
    }


def test_both_tables_of_axioms_are_the_same() -> None:
    table = rows()
    assert set(table) == set(BY_ID)
    numbered = re.search(r"Definition numbered .*?\]%list", (ROOT / "verified" / "Axioms.v").read_text(), re.DOTALL)
    assert numbered is not None and {"min/low", *re.findall(r'\("([^"]+)"', numbered[0])} == set(NUMBERED)
    for name, (kind, count, needs, fact, gives) in table.items():
        axiom = BY_ID[name]
        values = [Poly.atom(number) for number in range(count * (1 + KINDS[axiom.kind]))]
        assert (KIND[kind], count) == (axiom.kind, COUNT[name])
        assert [coq(each, *values) for each in needs] == [Poly.of(each) for each in axiom.needs(*values)], name
        expected = axiom.gives(*values)
        assert (fact == "Null") == isinstance(expected, Zero), name
        assert coq(gives, *values) == (expected.p if isinstance(expected, Zero) else expected), name


NUMBERED_ROW = re.compile(
    r"Definition (\w+) \(n : nat\) : axiom :=\s+(?:let (\w+) := ([^\n]*) in\s+)?"
    r"\{\| ax_kind := (\w+); ax_count := (\d);\s+ax_needs := \[(.*?)\];\s+ax_gives := (Nonneg|Null) \((.*?)\) \|\}\.",
    re.DOTALL,
)


@pytest.mark.parametrize("number", [0, 1, 5])
def test_both_tables_of_numbered_axioms_are_the_same(number: int) -> None:
    text = (ROOT / "verified" / "Axioms.v").read_text(encoding="utf-8")
    called = dict(re.findall(r'\("([a-z0-9/-]+)", (\w+)\)', text.split("Definition numbered")[1].split("]%list")[0]))
    found = {m[1]: m.groups()[1:] for m in NUMBERED_ROW.finditer(text)}
    assert set(called.values()) == set(found) and {"min/low", *called} == set(NUMBERED)

    def numbers(part: str) -> str:
        part = part.replace("C (2 ^ Z.of_nat n - 1)%Z", str(2**number - 1)).replace(
            "C (2 ^ Z.of_nat n)%Z", str(2**number)
        )
        return part.replace("C (Z.of_nat n)", str(number))

    for name, definition in called.items():
        short, value, kind, count, needs, fact, gives = found[definition]
        atoms, _, made = NUMBERED[name]
        axiom = made(number)
        values = [Poly.atom(each) for each in range(atoms * (1 + KINDS[axiom.kind]))]
        assert (KIND[kind], int(count)) == (axiom.kind, atoms)

        def read(part: str, short: str = short, value: str = value, values: list[Poly] = values) -> Poly:
            part = " ".join(part.split())
            return coq(numbers(re.sub(rf"\b{short}\b", value, part) if short else part), *values)

        assert [read(each) for each in needs.split(";")] == [Poly.of(each) for each in axiom.needs(*values)], name
        expected = axiom.gives(*values)
        assert (fact == "Null") == isinstance(expected, Zero), name
        assert read(gives) == (expected.p if isinstance(expected, Zero) else expected), name


def test_the_meaning_cites_rules_that_exist() -> None:
    meaning = (ROOT / "verified" / "Meaning.v").read_text(encoding="utf-8")
    cited = set(re.findall(r"\[(sh/[a-z-]+)\]", meaning))
    chapters = ("06-shapes.md", "06b-solver.md")
    spec = "".join((ROOT / "spec" / name).read_text(encoding="utf-8") for name in chapters)
    assert len(cited) >= 6 and len(meaning.splitlines()) < 170
    for rule in cited:
        assert f"**`{rule}`**" in spec, rule


def test_nothing_in_the_development_is_assumed() -> None:
    for path in sorted((ROOT / "verified").glob("*.v")):
        text = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", text), path


def test_the_program_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REFRELAX_VERIFIED", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(Path, "exists", lambda self: False)
    assert "make verified" in verified(TEXTS[0]).missing
    monkeypatch.setenv("REFRELAX_VERIFIED", str(tmp_path / "none"))
    assert "that runs" in verified(TEXTS[0]).missing


def test_a_mutated_certificate_is_refused_or_still_true() -> None:
    survived(Random(1), 150)


# --- with it ---------------------------------------------------------------------------------------------------------


def asked(texts: list[str], folder: Path) -> list[str]:
    """What the verified checker says of each text."""
    program = verified_checker()
    assert program is not None
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.json")
        paths[-1].write_text(text, encoding="utf-8")
    done = subprocess.run([program, *map(str, paths)], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert len(said) == len(texts), done.stderr
    return [line.split(": ", 1)[1] for line in said]


@pytest.mark.nightly
@with_program
def test_both_accept_the_frozen_certificates_and_say_the_same(tmp_path: Path) -> None:
    for text, said in zip(TEXTS, asked(TEXTS, tmp_path)):
        assert said == f"CERTIFIED by verified: {question_said(load(text))}", text[:300]


@pytest.mark.nightly
@with_program
def test_both_refuse_the_forgeries(tmp_path: Path) -> None:
    lies = {**LIES, **STEPS}
    for name, said in zip(lies, asked(list(lies.values()), tmp_path)):
        assert said.startswith("REJECTED "), name
    assert all(said.startswith("CERTIFIED ") for said in asked(list(HONEST.values()), tmp_path))
    assert verified(FORGERIES["a script of its own"]).missing


@pytest.mark.nightly
@with_program
def test_a_step_that_fails_is_named() -> None:
    document = json.loads(next(text for text in TEXTS if '"fd/low"' in text))
    found = next(n for n, step in enumerate(document["evidence"]["steps"]) if step["rule"] == "fd/low")
    document["evidence"]["steps"][found]["gives"] = ["ge", [[-1, []]]]
    assert verified(json.dumps(document)).rejected == f"step {found} (fd/low) does not follow"
    assert examine(document).rejected.startswith(f"step {found}: ")
    assert verified(forged(["lt", ["floordiv", X, ONE], X])).rejected.startswith("expected a table")
    assert verified(forged(["lt", X, X], POINTS)).rejected.startswith("expected a claim that holds")


def survived(random: Random, count: int) -> list[tuple[str, bool]]:
    """Mutated certificates, and whether the checker accepts them; one that it accepts states something true."""
    found = []
    for _ in range(count):
        document = mutated(load(random.choice(TEXTS)), random)
        accepted = bool(examine(document).by)
        if accepted:
            assert still_true(document, random), json.dumps(document)
        found.append((json.dumps(document), accepted))
    return found


@pytest.mark.nightly
def test_of_many_mutated_certificates_none_is_accepted_for_something_false(tmp_path: Path) -> None:
    random = Random(20261122)
    for _ in range(50):
        rows = survived(random, 1_000)
        if verified_checker() is None:
            continue
        for (text, accepted), said in zip(rows, asked([text for text, _ in rows], tmp_path)):
            assert said.startswith("CERTIFIED") == accepted, (text, said)
