"""The site in a real browser, with clicks and keys: every page of the book, steppers, pictures, playground, search."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import CHROMIUM, Browser, Page, served

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools" / "site"


def tool(name: str) -> dict[str, object]:
    """A file of ``tools/site``, which import one another by their names."""
    sys.path.insert(0, str(TOOLS))
    try:
        return runpy.run_path(str(TOOLS / f"{name}.py"))
    finally:
        sys.path.remove(str(TOOLS))


def test_notebooks_hold_the_text_and_the_outputs_of_the_tutorial(tmp_path: Path) -> None:
    made = tool("notebooks")["write"](tmp_path)  # type: ignore[operator]
    assert len(made) >= 11
    for path in made:
        held = json.loads(path.read_text("utf-8"))
        page = (ROOT / "docs" / "tutorial" / f"{path.stem}.md").read_text("utf-8")
        kinds = [cell["cell_type"] for cell in held["cells"]]
        assert kinds.count("code") == page.count("```python\n") + page.count("```console\n") and "markdown" in kinds
        printed = ["".join(out["text"]) for cell in held["cells"] for out in cell.get("outputs", ())]
        assert len(printed) == page.count("```text\n") and all(text in page for text in printed)


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec("nbclient") is None, reason="nbclient is not installed: make notebooks")
def test_notebooks_print_in_a_kernel_what_they_show() -> None:
    tools = tool("notebooks")
    wrong = {name: said for name, held in tools["notebooks"]().items() if (said := tools["stale"](held))}  # type: ignore[operator]
    assert not wrong, wrong


def test_a_link_that_leads_nowhere_is_seen(tmp_path: Path) -> None:
    dead = tool("links")["dead"]
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<h1 id="here">b</h1><a href="../a.html">a</a>', "utf-8")
    good = '<a href="b/#here">b</a><a href="https://example.org">far</a><img src="data:,">'
    (tmp_path / "a.html").write_text(good, "utf-8")
    assert list(dead(tmp_path)) == []  # type: ignore[operator]
    for wrong in (
        '<a href="c.html">',
        '<a href="b/#there">',
        "<a class=x href='b/c.md'>",
        '<script src="https://cdn.example/x.js">',
    ):
        (tmp_path / "a.html").write_text(good + wrong, "utf-8")
        assert len(list(dead(tmp_path))) == 1, wrong  # type: ignore[operator]
    (tmp_path / "a.html").write_text('<a href="playground/index.html#code">', "utf-8")
    assert list(dead(tmp_path)) == [], "a site without a playground"  # type: ignore[operator]
    (tmp_path / "playground").mkdir()
    assert len(list(dead(tmp_path))) == 1  # type: ignore[operator]


@pytest.mark.thorough
def test_a_link_of_a_rule_leads_from_the_rule_s_own_page() -> None:
    from refrelax.conformance import spec_text, tie

    leading = tool("addresses")["leading"]
    assert leading("../", "spec/ops/nn.md", "[a](../02-values.md#x), [b](conv.md)") == (  # type: ignore[operator]
        "[a](../spec/02-values/#x), [b](../spec/ops/conv/)"
    )
    for rule, paragraph in tie.read().defined.items():
        text = f"{paragraph.text}\n\n{spec_text.following(paragraph)}"
        shown = leading("../", paragraph.file, text)  # type: ignore[operator]
        assert ".md)" not in shown and ".md#" not in shown, rule
        for page in re.findall(r"\]\(\.\./([^)#]+)/[)#]", shown):
            assert (ROOT / f"{page}.md").is_file(), (rule, page)


# --- the whole site --------------------------------------------------------------------------------------------------

needs = [
    pytest.mark.nightly,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"),
    pytest.mark.skipif(
        importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed: pip install -e '.[docs]'"
    ),
]


def whole(function):  # type: ignore[no-untyped-def]
    for mark in needs:
        function = mark(function)
    return function


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; REFRELAX_SITE_DIR names one that is there."""
    if given := os.environ.get("REFRELAX_SITE_DIR"):
        return Path(given)
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    subprocess.run(command, cwd=ROOT, check=True)
    return out


@pytest.fixture(scope="module")
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


def quiet(page: Page, base: str) -> None:
    """Nothing went wrong on the page, and nothing was asked of another host."""
    page.value("1")
    assert not page.errors, page.errors
    foreign = [each for each in page.requests if not each.startswith((base, "data:", "blob:", "about:"))]
    assert not foreign, foreign


@whole
def test_the_site_is_small_and_its_links_lead_somewhere(folder: Path) -> None:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert size <= 60_000_000 and (folder / "seen" / "decoder.html").stat().st_size <= 2_000_000
    assert list(tool("links")["dead"](folder.resolve())) == []  # type: ignore[operator]


@whole
def test_every_page_of_the_book_opens_without_a_fault(folder: Path, base: str, browser: Browser) -> None:
    there = (path.relative_to(folder) for path in folder.glob("**/index.html"))
    pages = sorted(path.as_posix() for path in there if "playground" not in path.parts)
    assert len(pages) > 60
    page = browser.page(f"{base}/index.html")
    for name in pages:
        page.go(f"{base}/{name}")
        assert page.value("document.querySelector('h1, h2') !== null"), name
    quiet(page, base)


READ = (Path(__file__).parent / "readable.js").read_text("utf-8")
"""What cannot be read: letters too pale for WCAG (4.5 to 1), pages wider than their window, what has no name."""


@whole
@pytest.mark.parametrize("dark", [False, True])
def test_pages_of_every_kind_can_be_read_on_a_phone_and_on_a_projector(
    dark: bool, folder: Path, base: str, browser: Browser
) -> None:
    names = [
        "index.html", "tutorial/08-wrong-pass/index.html", "howto-teach/index.html", "spec/ops/nn/index.html",
        "rules/num-exact-is-permitted.html", "reference/commands.html", "source/refrelax/semantics/ops/nn.py.html",
        *(f"seen/{each}.html" for each in ("decoder", "kernel", "memory", "parting", "passes", "permitted")),
    ]  # fmt: skip
    if (folder / "playground").is_dir():
        names.append("playground/index.html")
    wrong = []
    for name in names:
        page = browser.page(f"{base}/{name}", dark=dark)
        for width, height in ((400, 800), (960, 540)):
            page.size(width, height)
            wrong += [f"{name} at {width}: {each}" for each in page.value(READ)[:4]]
    assert not wrong, "\n".join(wrong)


@whole
@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder", "kernel"])
def test_a_stepper_steps_with_keys_and_clicks(name: str, base: str, browser: Browser) -> None:
    page = browser.page(f"{base}/seen/{name}.html", dark=name == "cnn")
    page.until("document.getElementById('count').textContent.startsWith('step 1 of')")
    page.press("ArrowRight", 3)
    assert page.value("document.getElementById('count').textContent").startswith("step 4 of")
    page.click("#next")
    page.click("#back")
    assert page.value("location.hash") == "#step=4"
    page.press("r")
    assert page.value("Number(location.hash.slice(6))") > 4
    page.press("End")
    assert page.value("document.getElementById('next').disabled")
    if name == "kernel":
        page.press("Home")
        page.press("ArrowRight", 8)
        assert page.value("document.querySelectorAll('rect.lane').length") > 8
    assert page.value("[...document.querySelectorAll('button')].every(b => b.textContent || b.ariaLabel)")
    quiet(page, base)


@whole
def test_pictures_are_there_and_the_slider_slides(base: str, browser: Browser) -> None:
    page = browser.page(f"{base}/seen/memory.html")
    assert page.value("[...document.querySelectorAll('section.run')].filter(s => !s.hidden).length") == 1
    page.value("document.getElementById('slide').focus()")
    page.press("ArrowRight", 2)
    assert page.value("document.getElementById('at').textContent") == "n=3"
    quiet(page, base)
    for name, mark in (("permitted", "among"), ("passes", "as a graph"), ("parting", "Where they part")):
        page = browser.page(f"{base}/seen/{name}.html")
        assert page.value("document.querySelectorAll('svg').length") >= 1
        assert name == "permitted" or mark in page.value("document.body.innerText")
        quiet(page, base)


@whole
def test_the_search_finds_a_rule(base: str, browser: Browser) -> None:
    page = browser.page(f"{base}/search.html?q=match_cast")
    page.until("document.querySelectorAll('#mkdocs-search-results article').length > 2")
    quiet(page, base)


@whole
def test_a_rule_has_its_anchor_its_code_and_a_case_to_try(base: str, browser: Browser) -> None:
    page = browser.page(f"{base}/spec/07-evaluation/#rule-ev-match-cast-mismatch")
    assert page.value("document.querySelector(':target a').textContent") == "ev/match-cast-mismatch"
    page.click(":target a")
    page.until("location.pathname.endsWith('rules/ev-match-cast-mismatch.html')")
    assert page.value("document.querySelectorAll('p.try a').length") >= 2
    page.click("ul a")
    page.until("location.pathname.includes('/source/refrelax/')")
    page.until("document.querySelector(':target') !== null")
    quiet(page, base)


STATUS, OUT = "document.getElementById('status').textContent", "document.getElementById('out').textContent"
SLOW = """@T.prim_func(private=True)
def main(A: T.Buffer((1,), 'int32')):
    for i in range(1900000):
        A[0] = (A[0] * 3) % 7 + (A[0] * 5) % 11 + A[0] // 3 + A[0] // 5 + (A[0] * 7) % 13
"""


def asked(page: Page, action: str) -> str:
    """What the playground answers to a button."""
    page.value("document.getElementById('out').textContent = ''; document.getElementById('marks').replaceChildren()")
    page.click(f"[data-do={action}]")
    page.until(f"{STATUS}.startsWith('answered')", 60)
    return page.value(OUT)


@pytest.fixture(scope="module")
def playground(folder: Path, base: str, browser: Browser) -> Page:
    if not (folder / "playground").is_dir():
        pytest.skip("the site was made without npm: there is no playground")
    page = browser.page(f"{base}/playground/index.html")
    page.click("[data-do=validate]")
    took = page.until(f"{STATUS}.startsWith('answered')", 90)
    print(f"first answer after {took:.1f} s; load {os.getloadavg()[0]:.1f}")
    assert took <= 10 or os.getloadavg()[0] > 2, f"the first answer took {took:.1f} s"
    return page


@whole
def test_the_playground_comes_to_a_verdict_at_once(playground: Page, base: str) -> None:
    assert playground.value(OUT).startswith("REFUTED")
    answers = {
        "check": "accepted", "run": "Returned", "trace": "steps", "lower": "fuse_ops", "permitted": "permitted"
    }  # fmt: skip
    for action, said in answers.items():
        assert said in asked(playground, action)
        if action != "run":
            playground.until("!document.getElementById('frame').hidden")
    playground.value("load(EXAMPLES[EXAMPLES.length - 1])")
    assert asked(playground, "prove").startswith("Proved")
    quiet(playground, base)


@whole
def test_a_stepper_in_the_playground_steps(playground: Page, base: str) -> None:
    playground.value("load(EXAMPLES[2])")
    asked(playground, "trace")
    playground.until("!document.getElementById('frame').hidden")
    for _ in range(100):
        if playground.frames and playground.value("document.getElementById('count')?.textContent || ''", frame=True):
            break
        playground.until("new Promise(done => setTimeout(() => done(true), 50))")
    playground.value("document.getElementById('next').click()", frame=True)
    assert playground.value("document.getElementById('count').textContent", frame=True).startswith("step 2 of")
    quiet(playground, base)


@whole
def test_a_mistake_is_marked_and_its_rule_is_a_click_away(playground: Page, base: str) -> None:
    playground.value("load(EXAMPLES[0])")
    playground.click("#first")
    playground.press("End", control=True)
    playground.write("\n    y = R.add(q")
    asked(playground, "check")
    assert playground.value("document.querySelectorAll('.mark').length") >= 1
    assert "was never closed" in playground.value("document.getElementById('marks').innerText")
    link = playground.value("document.querySelector('#marks a').href")
    assert link == f"{base}/rules/syn-python-grammar.html"
    playground.click("#marks button", 1)
    playground.until(f"{OUT}.includes('A text is a Python module')")
    quiet(playground, base)


@whole
def test_a_squiggle_is_under_the_word_that_is_wrong(playground: Page, base: str) -> None:
    """Also behind characters that are two units of JavaScript's strings."""
    text = "@R.function\ndef main(x: R.Tensor((3,), 'float32')):\n    y = R.str('𝄞𝄞'); z = R.foo(x)\n    return y\n"
    playground.value(f"load({{ first: {json.dumps(text)} }})")
    asked(playground, "check")
    assert playground.value("[...document.querySelectorAll('.mark')].map(e => e.textContent).join('')") == "R.foo"
    playground.click("#marks button")
    assert playground.value("areas.first.value.slice(areas.first.selectionStart)").startswith("R.foo(x)")
    quiet(playground, base)


@whole
def test_what_was_typed_comes_back_and_an_exercise_can_be_begun_again(playground: Page, base: str) -> None:
    choose = "(e => { e.selectedIndex = {k}; e.onchange() })(document.getElementById('example'))"
    playground.value("load(EXAMPLES[0])")
    playground.value("areas.first.focus(); document.execCommand('insertText', false, '# mine\\n')")
    playground.value(choose.replace("{k}", "EXAMPLES.length"))
    assert "___" in playground.value("areas.first.value")
    playground.value("history.back()")
    playground.until("areas.first.value.includes('# mine')")
    playground.value(choose.replace("{k}", "EXAMPLES.length"))
    playground.value("areas.first.focus(); document.execCommand('insertText', false, '# mine')")
    assert playground.value("document.getElementById('example').value") == "own", "it can be chosen once more"
    playground.click("[data-do=validate]")  # a second program stands there now: the answer is the first all the same
    playground.value(choose.replace("{k}", "EXAMPLES.length"))
    playground.value("two(true); areas.first.value = areas.first.value.replace('___', '(6, n)')")
    playground.click("#answer")
    playground.until(f"{OUT} === 'Right.'", 60)
    quiet(playground, base)


@whole
@pytest.mark.parametrize("address", ["%7B%7D", "null", "%5B%5D", "foo", '{"first":1}', '{"first":"x","action":"no"}'])
def test_an_address_that_somebody_wrote_by_hand_breaks_nothing(
    address: str, playground: Page, base: str, browser: Browser
) -> None:
    page = browser.page(f"{base}/playground/index.html#{address}")
    page.until("document.getElementById('example')?.options.length > 2")
    assert page.value("areas.first.value").startswith("x" if '"x"' in address else "n = TypeVar")
    quiet(page, base)
    page.ask("Page.close")  # it was about to load Python


@whole
def test_everything_is_in_the_address(playground: Page, base: str, browser: Browser) -> None:
    playground.value("load({ first: 'n * 2 == n + n', second: 'n >= 0' })")
    asked(playground, "prove")
    other = browser.page(playground.value("location.href"))
    other.until(f"{OUT}.startsWith('Proved')", 90)
    quiet(other, base)


@whole
def test_a_student_goes_from_the_first_page_to_the_wrong_fusion(playground: Page, base: str, browser: Browser) -> None:
    page = browser.page(f"{base}/index.html")
    for text, where in (
        ("a wrong pass, caught", "/tutorial/08-wrong-pass/"),
        ("Try it in the playground", "/playground/"),
    ):
        link = f"[...document.querySelectorAll('.rst-content a')].find(a => a.textContent === {text!r})"
        assert page.value(f"{link} !== undefined"), text
        page.value(f"{link}.click()")
        page.until(f"location.pathname.includes('{where}')")
    page.until(f"document.getElementById('out') && {OUT}.startsWith('REFUTED n=1')", 90)
    quiet(page, base)


@whole
def test_what_takes_long_is_stopped(playground: Page, base: str) -> None:
    playground.value(f"load({{ first: {json.dumps(SLOW)} }})")
    playground.click("[data-do=permitted]")
    playground.until("!document.getElementById('stop').disabled")
    playground.click("#stop")
    assert "stopped" in playground.value(STATUS)
    playground.until(f"{STATUS}.startsWith('ready')", 90)
    assert asked(playground, "check").startswith("accepted")
    quiet(playground, base)


@whole
def test_an_exercise_is_answered_in_the_browser(playground: Page, base: str) -> None:
    playground.value("(e => { e.selectedIndex = EXAMPLES.length; e.onchange() })(document.getElementById('example'))")
    playground.click("#hint")
    assert "Hint:" in playground.value("document.getElementById('task').innerText")
    playground.click("#answer")
    playground.until(f"{STATUS}.startsWith('answered') && {OUT}.includes('hole')", 60)
    playground.value("areas.first.value = areas.first.value.replace('___', '(6, n)')")
    playground.click("#answer")
    playground.until(f"{OUT} === 'Right.'", 60)
    quiet(playground, base)
