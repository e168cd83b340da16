"""How much the exported suite alone tells apart in an implementation that it was not made from: mutants of
``conformance/held-out/impl.c``, and which the suite kills.

    python tools/mutate_held_out.py [--draw 300] [--seed 1] [--suite DIR] [--report conformance/held-out/mutants.md]

A mutant changes one token: a comparison or an operation for a neighbour, a number by one, a condition to always or
never, ``&&`` to ``||``, a negation or an assignment left out. Not what reads lines and gives memory, and not what only
tells why or that a thing is not supported. A mutant that a compiler refuses is none. It is *killed* if a case that the
implementation passes is failed, refused or not answered, judged by the exported data, or a wrong answer is given to one
that it does not support. ``conformance/held-out/equivalent.toml`` names those that no case can tell apart, each with a
reason.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutate_second import equivalents, options_of, records_of

from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import request
from refrelax.conformance.suite.records import Record

ROOT = Path(__file__).resolve().parents[1]
HELD_OUT = ROOT / "conformance" / "held-out"
FROM, PROFILES = "/* --- dtypes and elements", ("graph", "loops")
"""Where what is mutated begins, and what the implementation has."""
SECONDS = 20
"""How much of a processor all requests may take: a machine that others use makes nobody late."""

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "*": "+", "/": "*",
    "%": "/", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "+=": "-=", "*=": "+=",
    "/=": "*=", "++": "--",
}  # fmt: skip
NAMES = {"floor": "ceil", "ceil": "floor", "trunc": "floor", "sqrt": "fabs"}
TOKEN = re.compile(
    r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|0x[0-9A-Fa-f]+\w*|\d+(?:\.\d+)?\w*"
    r"|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|[-+*/%&|^]=|\S",
    re.DOTALL,
)
SILENT = ("unsupported(", "stop(", "#include", "enum {", "static jmp_buf", "va_", "typedef")
"""What stands in a line that is not mutated."""


@dataclass(frozen=True)
class Mutant:
    """One change: from ``start`` to ``end`` of the text stands ``text``."""

    start: int
    end: int
    text: str
    kind: str
    line: str

    @property
    def key(self) -> str:
        """Its name: the line, the column in it and what stands there now."""
        return f"{self.line.strip()} @{self.kind}"


def mutants(source: str) -> list[Mutant]:
    """Every mutant, in the order of places."""
    return [m for m in _mutants(source) if m.text != source[m.start : m.end]]


def _mutants(source: str) -> Iterator[Mutant]:
    found = [m for m in TOKEN.finditer(source, source.index(FROM)) if not m.group().startswith("/*")]
    for k, token in enumerate(found):
        word, (start, end) = token.group(), token.span()
        begin = source.rfind("\n", 0, start) + 1
        line = source[begin : source.index("\n", start)]
        if any(each in line for each in SILENT):
            continue

        def made(to: int, text: str, kind: str, start: int = start, begin: int = begin, line: str = line) -> Mutant:
            return Mutant(start, to, text, f"{kind} at {start - begin}", line)

        before, after = found[k - 1].group(), found[k + 1].group() if k + 1 < len(found) else ""
        operand = re.fullmatch(r"\w+|[)\]\"']", before) and before not in ("return", "case", "if", "while")
        spaced = source[start - 1] == " " and source[end] == " "
        if word in SWAPS and (operand or word in ("++",)) and (spaced or word == "++"):
            yield made(end, SWAPS[word], f"{word} becomes {SWAPS[word]}")
        elif word in NAMES and after == "(":
            yield made(end, NAMES[word], f"{word} becomes {NAMES[word]}")
        elif word == "!" and after != "=":
            yield made(end, "", "! dropped")
        elif re.fullmatch(r"\d+", word) and before != "[" and "[8]" not in f"{before}{word}{after}":
            yield made(end, str(int(word) + 1), f"{word} becomes {int(word) + 1}")
        elif word in ("if", "while") and after == "(":
            inside, close = found[k + 1].end(), _closing(found, k + 1)
            for value, kind in (("0 && ", "never"), ("1 || ", "always")):
                text = f"{word} ({value}({source[inside:close]}))"
                if not (word == "while" and kind == "always"):
                    yield made(close + 1, text, f"condition {kind}")
        elif (
            word == "="
            and re.match(r"\s*[\w\[\]>.*()-]+ = [^{]*;$", line)
            and source[start - 1] == " "
            and source[begin:start].strip()
        ):
            yield Mutant(begin, begin + len(line), "  ;", f"statement dropped at {begin - begin}", line)
        elif word == "?":
            yield made(end, "== 0 ?", "choice turned")


def _closing(tokens: list[re.Match[str]], k: int) -> int:
    """Where the parenthesis at token ``k`` is closed."""
    depth = 0
    while True:
        depth += {"(": 1, ")": -1}.get(tokens[k].group(), 0)
        if depth == 0:
            return tokens[k].start()
        k += 1


@dataclass(frozen=True)
class Asked:
    """What is asked, and the implementation's own answers."""

    records: list[Record]
    lines: list[bytes]
    answers: list[bytes]
    words: list[str]


def compiled(text: str, folder: Path, name: str) -> Path | None:
    """The program; ``None`` if it is none."""
    source, program = folder / f"{name}.c", folder / name
    source.write_text(text, encoding="utf-8")
    done = subprocess.run(["cc", "-w", "-o", program, source, "-lm"], capture_output=True, check=False)
    return program if done.returncode == 0 else None


def answered(program: Path, lines: list[bytes]) -> list[bytes]:
    """Its answers; fewer, if it dies or takes too long."""
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$0"', program]
    return subprocess.run(limited, input=b"".join(lines), capture_output=True, check=False).stdout.splitlines(True)


def ask(program: Path, records: list[Record]) -> Asked:
    """What the implementation itself passes or does not support; what it fails is no part of the measure."""
    sent = [(r, request(k, r, "tree")) for k, r in enumerate(records) if r.get("profile") in PROFILES]
    there = [(r, json.dumps(q).encode() + b"\n") for r, q in sent if q is not None]
    answers = answered(program, [line for _, line in there])
    assert len(answers) == len(there), f"{len(answers)} answers to {len(there)} requests"
    words = [judge(r, json.loads(a))[0] for (r, _), a in zip(there, answers, strict=True)]
    kept = [k for k, word in enumerate(words) if word in ("passed", "unsupported", "excluded")]
    return Asked(
        [there[k][0] for k in kept], [there[k][1] for k in kept], [answers[k] for k in kept], [words[k] for k in kept]
    )


def killer(text: str, asked: Asked, folder: Path, name: str) -> str | None:
    """The first case that kills a mutant; empty if none does; ``None`` if it is no program."""
    program = compiled(text, folder, name)
    if program is None:
        return None
    found = answered(program, asked.lines)
    program.unlink()
    for record, own, word, given in zip(asked.records, asked.answers, asked.words, found, strict=False):
        if given == own:
            continue
        try:
            said = judge(record, json.loads(given))[0]
        except ValueError:
            return str(record["name"])
        if said not in ("passed", "excluded") and not (said == "unsupported" and word != "passed"):
            return str(record["name"])
    return "" if len(found) == len(asked.lines) else str(asked.records[len(found)]["name"])


NARROWER = ("condition never", "|| becomes &&")
"""Kinds of changes after which a condition holds less often."""


def same(mutant: Mutant, known: dict[str, str]) -> str | None:
    """Why no case tells a mutant that survives from the implementation; ``None`` if one may."""
    if mutant.kind.startswith(NARROWER):
        if ') trapped("open:' in mutant.line:
            return "decides only whether the run is open, where everything is permitted"
        if re.search(r"\bif \(.*\) (return POISON|[\w>\[\]-]+ = POISON);", mutant.line):
            return "an element without meaning is computed from: any result is permitted"
    return known.get(mutant.key)


def report(
    drawn: list[Mutant], found: list[str | None], asked: Asked, total: int, seed: int, source: str
) -> tuple[str, float]:
    """The report, in Markdown, and the share that is killed."""
    known = equivalents(HELD_OUT)
    programs = [(m, by) for m, by in zip(drawn, found, strict=True) if by is not None]
    alike = [m for m, by in programs if not by and same(m, known)]
    alive = [m for m, by in programs if not by and not same(m, known)]
    judged = len(programs) - len(alike)
    share = 100 * (judged - len(alive)) / judged
    passes = Counter(asked.words)["passed"]
    place = {m: source.count("\n", 0, m.start) + 1 for m, _ in programs}
    lines = [
        "# Mutants of an implementation that the suite was not made from", "",
        f"Made by `python tools/mutate_held_out.py --draw {len(drawn)} --seed {seed}`.", "",
        f"{len(programs)} of {len(drawn)} drawn from {total} one-place mutants of `impl.c`",
        f"(`{hashlib.sha256(source.encode()).hexdigest()[:16]}`) compile. Of {len(asked.records)} exported cases the",
        f"implementation passes {passes}; they kill {judged - len(alive)} mutants; {len(alike)} are the same program;",
        f"{len(alive)} survive: {share:.1f} % of {judged} are killed.", "",
    ]  # fmt: skip
    if alive:
        lines += ["## What survives", "", *(f"* `impl.c:{place[m]}` {m.kind}: `{m.line.strip()}`" for m in alive), ""]
    if alike:
        lines += ["## The same program", "", *(f"* `impl.c:{place[m]}` {m.kind}: {same(m, known)}" for m in alike), ""]
    return "\n".join(lines), share


def main() -> int:
    """0 if at least ``--least`` percent of the mutants that are not equivalent are killed."""
    options = options_of(__doc__, draw=300, least=95.0).parse_args()
    source = (HELD_OUT / "impl.c").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        program = compiled(source, folder, "own")
        assert program is not None
        asked = ask(program, records_of(options.suite))
        listed = mutants(source)
        drawn = random.Random(options.seed).sample(listed, min(options.draw, len(listed)))
        texts = [source[: m.start] + m.text + source[m.end :] for m in drawn]
        found = list(pool.map(lambda pair: killer(pair[1], asked, folder, f"m{pair[0]}"), enumerate(texts)))
    text, share = report(drawn, found, asked, len(listed), options.seed, source)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    print(text)
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
