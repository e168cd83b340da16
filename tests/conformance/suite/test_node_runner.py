"""The runner for node (``conformance/second/runner``): it says of every answer what the judge here says, also of
answers that were spoilt; packed and installed it needs nothing but node and an exported suite."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance import load
from refrelax.conformance.suite import store
from refrelax.conformance.suite.pairs import score
from refrelax.conformance.suite.records import Record, exported

ROOT = Path(__file__).resolve().parents[3]
SECOND = ROOT / "conformance" / "second"
RUNNER = SECOND / "runner" / "main.js"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not RUNNER.is_file(), reason="needs node, and conformance/second"
)
AREAS = ("single-features/", "evaluation/", "separating-runs/", "separating-types/", "types/", "numbers/", "claims/")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Record]]:
    folder = tmp_path_factory.mktemp("suite")
    records = [json.loads(json.dumps(r)) for r in exported(c for c in load() if c.name.startswith(AREAS))]
    store.write(folder, records)
    return folder, records


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", RUNNER, *words], capture_output=True, text=True, check=False)


def words(answers: dict[str, Any], folder: Path, file: Path) -> dict[str, str]:
    """What the runner says of answers."""
    file.write_text("".join(json.dumps(a) + "\n" for a in answers.values()), "utf-8")
    done = run(folder, "--judge", file, "--json")
    assert done.returncode in (0, 1), done.stderr
    return {each["case"]: each["verdict"] for each in map(json.loads, done.stdout.splitlines())}


def asked(folder: Path, file: Path) -> dict[str, Any]:
    done = run(folder, "--impl", f"node {SECOND / 'main.js'}", "--answers", file)
    assert done.returncode == 0, done.stdout + done.stderr
    return {a["case"]: a for a in map(json.loads, file.read_text("utf-8").splitlines())}


def spoilt(x: Any, rng: random.Random) -> Any:
    """A value that is a little wrong somewhere."""
    match x:
        case {"bits": [_, *_] as bits, "shape": _} if rng.random() < 0.8:
            k = rng.randrange(len(bits))
            wrong = rng.choice([None, "0x0", "0x1", hex(int(bits[k] or "0x0", 16) ^ 1 << rng.randrange(8))])
            given = {**x, "bits": [*bits[:k], wrong, *bits[k + 1 :]]}
            return rng.choice([given, given, {**x, "dtype": "int32"}, {**x, "shape": x["shape"][::-1]}, 3])
        case dict() if x:
            key = rng.choice(list(x))
            return {**x, key: spoilt(x[key], rng)}
        case list() if x and rng.random() < 0.95:
            k = rng.randrange(len(x))
            return [*x[:k], spoilt(x[k], rng), *x[k + 1 :]]
        case list():
            return [*x, 1]
        case bool():
            return rng.choice([not x, 1, 0, "a"])
        case int() | float():
            return rng.choice([x + 1, None, True, {"dtype": "int32", "value": "0x1"}])
        case None:
            return rng.choice([[], 0, {"opaque": "x"}, "a"])
        case _:
            return rng.choice(["0x0", "int32", None, "n"])


@pytest.mark.thorough
def test_it_judges_as_the_judge_here(suite: tuple[Path, list[Record]], tmp_path: Path) -> None:
    folder, records = suite
    own = asked(folder, tmp_path / "own.jsonl")
    assert words(own, folder, tmp_path / "again.jsonl") == {s.record["name"]: s.word for s in score(records, own)}
    rng = random.Random(3)
    for _ in range(3):
        wrong = {
            name: {**a, part: spoilt(a[part], rng)}
            for name, a in own.items()
            for part in (["types"] if a.get("types") else [rng.choice(["value", "arguments", "effects"])])
            if part in a
        }
        found = words({**own, **wrong}, folder, tmp_path / "wrong.jsonl")
        expected = {s.record["name"]: s.word for s in score(records, {**own, **wrong})}
        assert {k: (w, expected[k]) for k, w in found.items() if w != expected[k]} == {}
        assert sum(word == "failed" for word in expected.values()) > 200


@pytest.mark.thorough
def test_a_crash_a_hang_and_a_refusal_cost_one_case_each(suite: tuple[Path, list[Record]], tmp_path: Path) -> None:
    folder, _ = suite
    fragile = tmp_path / "fragile.js"
    fragile.write_text(
        "let n = 0;\n"
        "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {\n"
        "  const q = JSON.parse(line);\n"
        "  if (q.ask === 'hello') return console.log(JSON.stringify({ id: 0, protocol: 1, profiles: ['graph'] }));\n"
        "  if (q.case === 'evaluation/if-true') process.exit(3);\n"
        "  if (q.case === 'evaluation/call-packed') return undefined;\n"
        "  const end = q.case === 'evaluation/order' ? 'rejected' : 'unsupported';\n"
        "  console.log(JSON.stringify({ id: q.id, end }));\n"
        "});\n"
    )
    done = run(folder, "--impl", f"node '{fragile}'", "--deadline", "1", "--only", "evaluation/", "--json")
    said = {each["case"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 1
    wrong = {name: each["why"].split(":")[0] for name, each in said.items() if each["verdict"] == "failed"}
    assert wrong.pop("evaluation/if-true") == "crash"
    assert set(wrong.values()) <= {"hang"}


@pytest.mark.thorough
def test_an_answer_that_is_nested_too_deep_costs_its_case(suite: tuple[Path, list[Record]], tmp_path: Path) -> None:
    folder, _ = suite
    deep = tmp_path / "deep.js"
    deep.write_text(
        "require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {\n"
        "  const q = JSON.parse(line);\n"
        "  if (q.ask === 'hello') return console.log(JSON.stringify({ id: 0, protocol: 1 }));\n"
        "  const n = q.case === 'evaluation/if-true' ? 900 : 50000;\n"
        '  console.log(`{"id": ${q.id}, "end": "returned", "value": ${\'[\'.repeat(n)}${\']\'.repeat(n)}}`);\n'
        "});\n"
    )
    done = run(folder, "--impl", f"node '{deep}'", "--only", "evaluation/if-", "--json")
    said = {each["case"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert len(said) > 1
    assert "deep" not in said.pop("evaluation/if-true")["why"]
    whys = {each["why"] for each in said.values() if each["verdict"] == "failed"}
    assert whys == {"crash: expected an answer nested at most 1000 deep"}


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_package_is_enough(suite: tuple[Path, list[Record]], tmp_path: Path) -> None:
    folder, _ = suite
    made = subprocess.run(["npm", "pack", "--json", SECOND], cwd=tmp_path, capture_output=True, text=True, check=True)
    (package,) = (tmp_path / each["filename"] for each in json.loads(made.stdout))
    home = tmp_path / "home"
    home.mkdir()
    offline = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", str(home), str(package)]
    subprocess.run(offline, cwd=home, capture_output=True, check=True)
    command = home / "node_modules" / ".bin" / "refrelax-conformance"
    second = home / "node_modules" / ".bin" / "refrelax-second"
    done = subprocess.run(
        [command, folder, "--impl", second, "--only", "evaluation/if"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and " 0 failed" in done.stdout, done.stdout + done.stderr


def test_a_bad_command_line_is_told() -> None:
    assert run().returncode == 2 and run("nowhere", "--impl").returncode == 2
    assert run("nowhere", "--judge", "x").returncode == 3


@pytest.mark.thorough
def test_an_empty_choice_is_no_score(suite: tuple[Path, list[Record]]) -> None:
    done = run(suite[0], "--impl", f"node {SECOND / 'main.js'}", "--only", "nothing-like-it")
    assert done.returncode == 3 and "no case is chosen" in done.stderr


HANGS = """
const second = require({main});
require("node:readline").createInterface({{ input: process.stdin }}).on("line", (line) => {{
  const asked = JSON.parse(line);
  for (; asked.case === {case};);
  process.stdout.write(JSON.stringify({{ ...second.ended(asked), id: asked.id }}) + "\\n");
}});
"""


@pytest.mark.thorough
def test_a_case_that_hangs_costs_nothing_but_its_deadline(suite: tuple[Path, list[Record]], tmp_path: Path) -> None:
    """Every other answer is the one that is given without it."""
    folder, records = suite
    hangs = next(each["name"] for each in records[len(records) // 2 :] if each["profile"] == "graph")
    program = tmp_path / "hangs.js"
    program.write_text(HANGS.format(main=json.dumps(str(SECOND / "main.js")), case=json.dumps(hangs)), "utf-8")
    without, kept = tmp_path / "without.jsonl", tmp_path / "kept.jsonl"
    asked(folder, without)
    done = run(folder, "--impl", f"node {program}", "--deadline", "20", "--answers", kept)
    assert f"failed: {hangs}: hang" in done.stdout
    pairs = zip(without.read_text("utf-8").splitlines(), kept.read_text("utf-8").splitlines(), strict=True)
    assert [json.loads(theirs)["case"] for own, theirs in pairs if own != theirs] == [hangs]


@pytest.mark.thorough
def test_what_is_lacking_is_told(suite: tuple[Path, list[Record]]) -> None:
    done = run(suite[0], "--impl", f"node {SECOND / 'main.js'}", "--only", "claims/")
    assert "asked for most: the profile shapes (" in done.stdout
