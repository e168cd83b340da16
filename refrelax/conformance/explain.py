"""``refrelax explain``: what a rule (or an operator, or a word) says, where it lives, and cases of it."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from refrelax.conformance import cases, spec_text
from refrelax.conformance.cases import Case
from refrelax.conformance.citations import naming
from refrelax.conformance.nearest import headed, in_a_row, nearest, stems

MOST_CASES = 3

SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be by can do does for from has have how if in is it may of on or that the to what when where"
        " which who why with",
    )
)
"""Words of a question that say nothing of what it is about."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One rule: its paragraph, the places in code (``how file:line``), up to three cases."""

    rule: str
    prose: str
    defined_at: str
    code: tuple[str, ...]
    cases: tuple[Case, ...]
    tests: tuple[str, ...] = ()
    follows: str = ""
    """The table, list or block that the paragraph announces."""
    deviations: tuple[str, ...] = ()
    """The rows of TVM's known deviations that name it: what is there, as ``file:line``."""


@dataclass(frozen=True, slots=True)
class ExplainedOp:
    """One operator: its page, where its type and value rules live, what is permitted of it, and its rules."""

    name: str
    page: str
    deduce: str
    evaluate: str
    pure: bool
    rules: tuple[Explained, ...]
    accuracy: str = ""
    memory: str = ""
    semantics: str = ""
    formula: str = ""
    example: Case | None = None
    cases: tuple[Case, ...] = ()
    """Up to three that call it, one that is refused or left open among them where there is one."""
    tests: tuple[str, ...] = ()


Explanation = ExplainedOp | tuple[Explained, ...]


def explain(what: str) -> Explanation:
    """Everything on a rule id, an operator (``relax.nn.relu``, ``R.nn.relu``, ``relu``), an intrinsic (``T.exp``), a
    word in rule ids (``match_cast``), or words that a rule's chapter and paragraph hold (``fusion``,
    ``"stores out of bounds"``), the nearest first, and of these
    the rule whose paragraph says them as they stand; a word that only others use (``denormal``); of a sentence that no
    rule says, the rules of the place where it stands.

    Raises:
        KeyError: nothing is known by that name; the message suggests the nearest names.
    """
    defined = spec_text.defined()
    if what in defined:
        return (_rule(what),)
    elsewhere = {tuple(stems(words)): rules for words, rules in spec_text.words_of_others().items()}
    if (known := elsewhere.get(tuple(stems(what)))) is not None:
        return tuple(_rule(rule) for rule in known)
    operator = _operator(what) or _operator("_".join(what.lower().split()))
    if operator is not None:
        return operator
    intrinsic = spec_text.intrinsics().get(what.strip().removeprefix("T.")) if what.strip().startswith("T.") else None
    if intrinsic is not None:
        return tuple(_rule(rule) for rule in intrinsic.rules if rule in defined)
    word = what.strip().removeprefix("R.").removeprefix("T.").removeprefix("relax.").replace("_", "-").lower()
    rules = sorted(rule for rule in defined if word and _begins(word, rule))
    if word.isalpha() or (not rules and ("/" not in what or " " in what.strip())):
        rules = list(dict.fromkeys((*rules, *_about(what)))) or nearest(what)
        if " " in what.strip():
            said = (r for r, p in defined.items() if in_a_row(what, p.text))
            rules = list(dict.fromkeys((*_called(what), *headed(what), *said, *rules)))
    if not rules:
        raise KeyError(_nothing(what))
    return tuple(_rule(rule) for rule in rules)


def home(place: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of a sentence of a chapter that is no rule's: where the chapter's code is, and where the tests of that are."""
    root = Path(__file__).resolve().parents[2]
    code = [f"refrelax/{each.removeprefix('refrelax/')}" for each in spec_text.rooms(place.partition(":")[0])]
    code = [each if (root / each).exists() else each.replace("refrelax/", "refrelax/semantics/") for each in code]
    tests = [
        _mirror(root, Path(each)) if each.endswith(".py") else each.replace("refrelax/", "tests/", 1).rstrip("/")
        for each in code
    ]
    return tuple(code), tuple(dict.fromkeys(each for each in tests if each and (root / each).exists()))


def _called(what: str) -> list[str]:
    """The rules whose id has these words in a row, those first whose id has no others."""
    found = [rule for rule in spec_text.defined() if in_a_row(what, rule)]
    return sorted(found, key=lambda rule: (stems(rule.partition("/")[2]) != stems(what), rule))


def _about(what: str) -> list[str]:
    """The rules whose id, chapter and paragraph hold every word, those first whose id and chapter do."""
    words = [each for each in stems(what) if each not in SMALL] or stems(what)

    def rank(rule: str) -> int:
        p = spec_text.defined()[rule]
        title, text = f"{rule} {p.file}".lower(), p.text.lower()
        if not words or not all(_begins(word, title) or _begins(word, text) for word in words):
            return 0
        return sum(5 * bool(_begins(word, title)) + min(_begins(word, text), 4) for word in words)

    ranks = {rule: found for rule in spec_text.defined() if (found := rank(rule))}
    return sorted(ranks, key=lambda rule: (-ranks[rule], rule))


def _begins(word: str, text: str) -> int:
    """How many words of a text begin so: there is no tie in a quotient."""
    return len(re.findall(rf"(?<![a-z0-9]){re.escape(word)}", text))


def _nothing(what: str) -> str:
    known = [*spec_text.defined(), *spec_text.operators()]
    near = difflib.get_close_matches(what, known, n=3, cutoff=0.5)
    return f"no rule or operator is called {what!r}" + (f"; nearest: {', '.join(near)}" if near else "")


def _rule(rule: str) -> Explained:
    p = spec_text.defined()[rule]
    named = naming(rule, spec_text.areas())
    code = dict.fromkeys(f"{c.kind} at {c.place}" for c in named)
    about = [each.case() for each in cases.blocks() if each.rule == rule] or _ended_by(rule) or _beside(rule)
    accepted = [c for c in about if c.verdict == "accepts"]
    rejected = [c for c in about if c.verdict == "rejects"]
    picked = (accepted[:1] + rejected[:2] + accepted[1:])[:MOST_CASES]
    return Explained(
        rule,
        p.text,
        p.place,
        tuple(code),
        tuple(picked),
        _tests(rule, [c.place for c in named]),
        spec_text.following(p),
        _deviations(rule),
    )


def _ended_by(rule: str) -> list[Case]:
    """The cases that end by it, of other rules."""
    found = [each.case() for each in cases.blocks() if rule in each.text]
    return [case for case in found if case.expect.rule == rule]


def _beside(rule: str) -> list[Case]:
    """The cases of the nearest rule of the chapter that has any: cases go through this one on the way to another."""
    defined = spec_text.defined()
    p = defined[rule]
    of = [o for o in {each.rule for each in cases.blocks()} if o in defined and defined[o].file == p.file]
    near = min(of, key=lambda other: (abs(defined[other].line - p.line), other), default=None)
    return [each.case() for each in cases.blocks() if near is not None and each.rule == near]


def _tests(rule: str, places: Sequence[str]) -> tuple[str, ...]:
    """Test files of a checkout that name the rule (or call the operator), then those that mirror its code; none in an
    installed package."""
    root = Path(__file__).resolve().parents[2]
    found = [f"{file}:{text.count(chr(10), 0, text.index(rule)) + 1}" for file, text in _test_texts() if rule in text]
    mirrors = (_mirror(root, Path(each.rpartition(":")[0])) for each in places)
    return tuple(dict.fromkeys((*found[:MOST_CASES], *(each for each in mirrors if each))))[:MOST_CASES]


@cache
def _test_texts() -> tuple[tuple[str, str], ...]:
    root = Path(__file__).resolve().parents[2]
    files = sorted((root / "tests").rglob("*.py")) if (root / "tests").is_dir() else []
    return tuple((path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in files)


def _mirror(root: Path, code: Path) -> str:
    """The tests of a file, or of the nearest folder of the code that has any: ``refrelax/a/b.py`` and
    ``tests/a/test_b.py``, else ``tests/a``."""
    inside = Path("tests", *code.parts[1:])
    own = inside.with_name(f"test_{inside.name}")
    if (root / own).is_file():
        return own.as_posix()
    folder = next((each for each in inside.parents if any((root / each).glob("test_*.py"))), None)
    return folder.as_posix() if folder is not None and folder != Path("tests") else ""


def _deviations(rule: str) -> tuple[str, ...]:
    lines = (spec_text.spec_directory() / "deviations.md").read_text("utf-8").splitlines()
    return tuple(f"spec/deviations.md:{number}" for number, line in enumerate(lines, 1) if f"`{rule}`" in line)


def _operator(what: str) -> ExplainedOp | None:
    bare, known = what.removeprefix("R.").removeprefix("relax."), spec_text.operators()
    name = next((n for n in (what, f"relax.{bare}") if n in known), None)
    if name is None and bare.isidentifier():
        last = [n for n in known if n.rpartition(".")[2] == bare]
        name = last[0] if len(last) == 1 else None
    if name is None:
        return None
    from refrelax.semantics.ops import OPERATORS  # a second, of which words and rules need nothing

    op = OPERATORS[name]
    short = name.removeprefix("relax.")
    own = [rule for rule in spec_text.defined() if rule.startswith(f"op.{short}/")]
    said = spec_text.section(op.page, name)
    call = f"{name.replace('relax.', 'R.', 1)}("
    examples = [c for c in cases.load_examples() if c.expect.kind == "Returned" and call in c.module]
    calling = [each.case() for each in cases.blocks() if call in each.text][: 10 * MOST_CASES]
    returning = [each for each in calling if each.expect.kind == "Returned"]
    others = [each for each in calling if each.expect.kind != "Returned"]
    places = (_place(op.deduce), _place(op.text or op.evaluate))
    return ExplainedOp(
        name,
        op.page,
        *places,
        op.pure,
        tuple(_rule(rule) for rule in sorted(own)),
        op.accuracy.sentence,
        op.memory,
        said.get("meaning", ""),
        "\n".join(re.findall(r"```text\n(.*?)```", said.get("formula", ""), re.S)).rstrip(),
        min(examples, key=lambda c: not c.file.endswith(f"/{op.page}.md"), default=None),  # its own page first
        tuple((returning[: MOST_CASES - 1] + others + returning[MOST_CASES - 1 :])[:MOST_CASES]),
        _tests(call, places),
    )


def _place(function: object) -> str:
    """``file:line`` of a function, looking through partial application."""
    target = inspect.unwrap(getattr(function, "func", function))  # type: ignore[arg-type]
    try:
        file = Path(inspect.getsourcefile(target) or "")
        line = inspect.getsourcelines(target)[1]
    except (TypeError, OSError):
        return "?"
    root = Path(__file__).resolve().parents[2]
    return f"{file.relative_to(root).as_posix() if file.is_relative_to(root) else file}:{line}"
