"""The specification as one document: a self-contained HTML file, and a PDF where chromium or weasyprint is there.

    python tools/make_spec.py [--out build/spec] [--against DIR|COMMIT]

Rules are numbered in reading order and keep an anchor that does not change, ``#rule-AREA-NAME``; every heading has one
(``#FILE--HEADING``), and links between the files of ``spec/`` become links inside of the document. Indexes of all rules
and operators, the edition, how to cite it and the licence of the text are part of it. Bars in the margin say what
differs from the last edition, or, with ``--against``, from an earlier text (``change_bars.py``). Needs the package
``markdown``, which mkdocs brings; chromium makes the PDF, or WeasyPrint with its Pango (``pip install -e '.[docs]'``).
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import markdown
from change_bars import Bars, blocks, changes, text_of

from refrelax.syntax.editions import CURRENT, EDITIONS
from refrelax.version import SPEC_EDITION, __version__

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "spec"
RULE = re.compile(r"<strong><code>([a-z][a-z0-9_.]*/[a-z0-9-]+)</code></strong>")
MENTION = re.compile(r"<code>([a-z][a-z0-9_.]*/[a-z0-9-]+)</code>")
HEADING = re.compile(r"<h([1-4])(| [^>]*)>(.*?)</h\1>", re.DOTALL)
LINK = re.compile(r'href="([^"]+)"')
LEFT_OUT = ("rules.md", "status.md")
"""Generated indexes of the folder: the document makes its own."""

STYLE = """
body { font: 16px/1.5 Georgia, serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
code, pre { font: 0.85em/1.4 ui-monospace, Menlo, Consolas, monospace; }
pre { background: #f6f6f4; padding: 0.7rem; overflow-x: auto; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid #ccc; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
h1 { border-top: 2px solid #111; padding-top: 1rem; margin-top: 3rem; }
a { color: #0645ad; text-decoration: none; } .number { color: #777; font-size: 0.8em; }
.changed { border-left: 0.25rem solid #b30000; margin-left: -0.8rem; padding-left: 0.55rem; }
.before { border-color: #999; }
tr.changed { border-left: 0; } tr.changed > :first-child { border-left: 0.25rem solid #b30000; }
tr.before > :first-child { border-left-color: #999; }
.index { columns: 2; font-size: 0.85em; } .index p { margin: 0; }
@page { size: A4; margin: 2cm 2cm 2.2cm; @bottom-center { content: counter(page); font: 9pt Georgia, serif; } }
@media print {
  body { max-width: none; margin: 0; padding: 0 0 0 1rem; font-size: 10pt; } pre { white-space: pre-wrap; }
  h1 { break-before: page; margin-top: 0; } #top { break-before: avoid; border-top: 0; padding-top: 0; }
  h1, h2, h3, h4 { break-after: avoid; } pre, tr { break-inside: avoid; } p, li { orphans: 3; widows: 3; }
}
"""


def sources() -> list[Path]:
    """The files of the text, in reading order: chapters, then the pages of operators, then what lists differences."""
    chapters = sorted(p for p in SPEC.glob("[0-9]*.md"))
    pages = [SPEC / "ops" / "common.md", *sorted(p for p in (SPEC / "ops").glob("*.md") if p.name != "common.md")]
    rest = sorted(p for p in SPEC.glob("*.md") if p not in chapters)
    return [p for p in (*chapters, *pages, *rest) if p.name not in LEFT_OUT]


def page_of(path: Path) -> str:
    """A file of the text as HTML."""
    return markdown.markdown(path.read_text(encoding="utf-8"), extensions=["tables", "fenced_code"])


def earlier_blocks(folder: Path) -> frozenset[str]:
    """The blocks of an earlier text."""
    return frozenset(block for path in folder.rglob("*.md") for block in blocks(page_of(path)))


def bars_against(source: str | None) -> Bars:
    """The bars of a document: against an earlier text, else against earlier editions."""
    if source is None:
        return Bars()
    with tempfile.TemporaryDirectory() as folder:
        return Bars(earlier_blocks(text_of(source, ROOT, Path(folder))))


def slug(text: str) -> str:
    """A heading as part of an anchor."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", text)).lower()
    return re.sub(r"[^\w.]+", "-", plain).strip("-")


def file_anchor(path: Path) -> str:
    """The anchor of a file of the text."""
    return path.relative_to(SPEC).with_suffix("").as_posix().replace("/", "-")


def rule_anchor(rule: str) -> str:
    """The anchor of a rule: it does not change while the rule keeps its id."""
    return f"rule-{rule.replace('/', '-')}"


class Document:
    """The body of the document, and what the indexes list."""

    def __init__(self, against: str | None = None) -> None:
        """``against``: the folder or commit of an earlier text, which the bars compare with."""
        self.against = against
        self.bars = bars_against(against)
        self.rules: dict[str, int] = {}
        self.operators: dict[str, str] = {}
        self.contents: list[tuple[int, str, str]] = []
        self._anchors: set[str] = set()
        self.parts = [self._part(path) for path in sources()]

    def _part(self, path: Path) -> str:
        text = RULE.sub(self._rule, self.bars.mark(page_of(path)))
        text = HEADING.sub(lambda found: self._heading(path, found), text)
        return LINK.sub(lambda found: self._link(path, found), text)

    def _rule(self, found: re.Match[str]) -> str:
        rule = found[1]
        if rule in self.rules:
            return found[0]
        self.rules[rule] = len(self.rules) + 1
        number = f'<span class="number">{self.rules[rule]}</span>'
        return f'{number} <strong id="{rule_anchor(rule)}"><code>{rule}</code></strong>'

    def _heading(self, path: Path, found: re.Match[str]) -> str:
        level, text = int(found[1]), re.sub(r'^<a id="change-\d+"></a>', "", found[3])
        anchor = file_anchor(path) if level == 1 else f"{file_anchor(path)}--{slug(text)}"
        while anchor in self._anchors:
            anchor += "-again"
        self._anchors.add(anchor)
        if level <= 2 and not (level == 2 and "ops" in path.parts):
            self.contents.append((level, text, anchor))
        if level == 2 and text.startswith("relax."):
            self.operators[text] = anchor
        return f'<h{level}{found[2]} id="{anchor}">{found[3]}</h{level}>'

    def _link(self, path: Path, found: re.Match[str]) -> str:
        target, _, fragment = found[1].partition("#")
        if re.match(r"[a-z]+:", target) or not (target.endswith(".md") or not target):
            return found[0]
        there = (path.parent / target).resolve() if target else path
        if there.name in LEFT_OUT:
            return 'href="#index-of-rules"' if there.name == "rules.md" else 'href="#index-of-operators"'
        if SPEC not in there.parents:
            return found[0]
        return f'href="#{file_anchor(there)}{f"--{fragment}" if fragment else ""}"'

    def mentions(self, text: str) -> str:
        """Rules that are mentioned, as links."""

        def linked(found: re.Match[str]) -> str:
            return f'<a href="#{rule_anchor(found[1])}">{found[0]}</a>' if found[1] in self.rules else found[0]

        return re.sub(r"<pre>.*?</pre>|<strong id=.*?</strong>|<a .*?</a>|" + MENTION.pattern, lambda found: (
            linked(found) if found[1] else found[0]
        ), text, flags=re.DOTALL)  # fmt: skip

    def html(self) -> str:
        """The whole document."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        title = f"The Relax specification, edition {SPEC_EDITION}"
        yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        yield f"<style>{STYLE}</style></head><body>"
        yield f'<h1 id="top">{title}</h1>'
        yield f"<p>{len(self.rules)} rules, {len(self.operators)} operators. Made by refrelax {__version__}.</p>"
        yield from front_matter()
        yield from self._changes()
        yield '<h2 id="contents">Contents</h2>'
        for level, text, anchor in self.contents:
            yield f'<p style="margin:0 0 0 {2 * (level - 1)}rem"><a href="#{anchor}">{text}</a></p>'
        yield '<p><a href="#index-of-rules">Index of rules</a></p>'
        yield '<p><a href="#index-of-operators">Index of operators</a></p>'
        yield from map(self.mentions, self.parts)
        yield '<h1 id="index-of-rules">Index of rules</h1><div class="index">'
        for rule, number in sorted(self.rules.items()):
            yield f'<p><span class="number">{number}</span> <a href="#{rule_anchor(rule)}">{rule}</a></p>'
        yield '</div><h1 id="index-of-operators">Index of operators</h1><div class="index">'
        for name, anchor in sorted(self.operators.items()):
            yield f'<p><a href="#{anchor}">{name}</a></p>'
        yield "</div></body></html>"

    def _changes(self) -> Iterator[str]:
        """What the bars say, and where they stand."""
        yield '<h2 id="changes">Changes</h2>'
        if self.against is not None:
            where = [f'<a href="#{anchor}">{k}</a>' for k, (_, anchor) in enumerate(self.bars.marked, 1)]
            yield '<p class="changed">A bar stands beside what is not in the earlier text, '
            yield f"<code>{html.escape(self.against)}</code>: {len(where)} blocks. {' '.join(where)}</p>"
            return
        yield f'<p class="changed">A bar like this: it was otherwise in the last edition, {EDITIONS[-2]}.</p>'
        yield '<p class="changed before">One like this: it was otherwise in an edition before that.</p>'
        yield f"<p>Editions up to {CURRENT} differ in spelling: what a program means is the same in all of them.</p>"
        yield "<table><tr><th>last edition that has it</th><th>what it was</th><th>where</th></tr>"
        for change in changes():
            anchors = [anchor for by, anchor in self.bars.marked if by == change]
            where = [f'<a href="#{anchor}">{k}</a>' for k, anchor in enumerate(anchors, 1)]
            says = re.sub("``(.*?)``", r"<code>\1</code>", html.escape(change.says))
            yield f"<tr><td>{change.edition}</td><td>{says}</td><td>{' '.join(where)}</td></tr>"
        yield "</table>"


def front_matter() -> Iterator[str]:
    """How to cite the document, and its licence."""
    title = f"The Relax specification, edition {SPEC_EDITION} (refrelax {__version__})"
    yield f'<h2 id="how-to-cite">How to cite</h2><p>The refrelax maintainers. <em>{title}</em>.</p>'
    yield f"<p>A rule is cited by its id and the edition: <code>ev/if</code>, edition {SPEC_EDITION}."
    yield "Numbers of rules are those of this edition alone.</p>"
    licence = "https://www.apache.org/licenses/LICENSE-2.0"
    yield f'<h2 id="licence">Licence of the text</h2><p>Apache-2.0, <a href="{licence}">{licence}</a>.</p>'


def broken(text: str) -> list[str]:
    """Links of a document that lead nowhere inside it, and anchors that stand twice."""
    anchors = re.findall(r'\bid="([^"]+)"', text)
    twice = {each for each in anchors if anchors.count(each) > 1} if len(set(anchors)) < len(anchors) else set()
    inside = {found[1:] for found in LINK.findall(text) if found.startswith("#")}
    return [f"#{each}" for each in sorted(inside - set(anchors))] + [f"{each} stands twice" for each in sorted(twice)]


def print_pdf(page: Path, out: Path) -> str:
    """Print the page; gives what did it, or why nothing did."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={out}"]
            ended = subprocess.run([found, *flags, page.as_uri()], capture_output=True, check=False)
            return name if ended.returncode == 0 and out.exists() else f"no PDF: {name} ended with {ended.returncode}"
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    if found := shutil.which("weasyprint", path=beside):
        ended = subprocess.run([found, "--quiet", str(page), str(out)], capture_output=True, check=False)
        lacking = f"no PDF: weasyprint ended with {ended.returncode} (it needs Pango)"
        return lacking if ended.returncode else "weasyprint"
    return "no PDF: neither chromium nor weasyprint is there"


def main() -> int:
    """0 if the document was written and no link in it is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "spec")
    parser.add_argument("--no-pdf", action="store_true")
    parser.add_argument("--against", help="bars against an earlier text: its folder, or a commit that has spec/")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    page = options.out / "relax-specification.html"
    text = Document(options.against).html()
    page.write_text(text, encoding="utf-8")
    print(f"{page}: {len(text) // 1024} KiB")
    if not options.no_pdf:
        pdf = page.with_suffix(".pdf").resolve()
        print(f"{pdf}: {print_pdf(page.resolve(), pdf)}")
    wrong = broken(text)
    for each in wrong[:20]:
        print(f"broken: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
