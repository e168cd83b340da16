"""What mkdocs calls while it makes the site: rules become links, programs get a link to the playground, and the pages
that mkdocs does not know are added: rules, listings, steppers, pictures, notebooks, the playground.

``REFRELAX_SITE=text`` leaves those out that take long (steppers, pictures, the playground) and asks no link;
``REFRELAX_SITE=offline`` leaves out the playground alone, which npm brings.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import links
import notebooks
import reference
import rule_pages
import seen
from addresses import ROOT, RULE, listing, rule_anchor, rule_page, try_example, try_it

FENCE = re.compile(r"^```(tvmscript|python|text)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r'^(text|before|after|reduction) = """\n(.*?)^"""$', re.MULTILINE | re.DOTALL)
PART = re.compile(
    rf"(?P<kept><a\b.*?</a>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>)|<strong><code>(?P<own>{RULE})</code></strong>"
    rf"|<code>(?P<named>{RULE})</code>",
    re.DOTALL,
)
SOURCE = re.compile(r'href="(?:\.\./)*(refrelax/[\w/.]+\.(?:py|toml))"')


def up(page: Any) -> str:
    """From a page to the root of the site."""
    return "../" * page.url.count("/")


def known_rules() -> set[str]:
    """Every rule of the text."""
    from refrelax.conformance import spec_text

    return {each.rule for each in spec_text.paragraphs()}


RULES = known_rules()


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Programs are coloured as Python, and lead to the playground; what the tutorial's print is broken where a line is
    longer than the page, since nobody can move a page that is projected."""

    def tried(found: re.Match[str]) -> str:
        kind, code = found[1], found[2]
        if kind == "text":
            return f'<pre class="said">{escape(code)}</pre>\n' if page.url.startswith("tutorial/") else found[0]
        block = f"```python\n{code}```\n"
        if kind == "tvmscript":
            return f"{block}\n{try_example(up(page), code)}\n"
        programs = {name: program for name, program in PROGRAM.findall(code) if "def " in program}
        if "before" in programs and "after" in programs:
            return f"{block}\n{try_it(up(page), 'validate', programs['before'], programs['after'])}\n"
        links = (try_it(up(page), "check", program) for program in programs.values())
        return block + "".join(f"\n{link}\n" for link in links)

    return FENCE.sub(tried, text)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Every rule has an anchor where it is defined, and a link to its page wherever it is named."""
    root = up(page)

    def linked(found: re.Match[str]) -> str:
        rule = found["own"] or found["named"]
        if found["kept"] or rule not in RULES:
            return found[0]
        link = f'<a class="rule" href="{root}{rule_page(rule)}"><code>{rule}</code></a>'
        return f'<strong id="{rule_anchor(rule)}">{link}</strong>' if found["own"] else link

    return SOURCE.sub(lambda found: f'href="{root}{listing(found[1])}"', PART.sub(linked, html))


def on_post_build(config: Any, **_: Any) -> None:
    """The pages that mkdocs does not know."""
    out = Path(config["site_dir"])
    rule_pages.write(out)
    notebooks.write(out / "notebooks")
    reference.write(out)
    kind = os.environ.get("REFRELAX_SITE")
    if kind == "text":
        return
    seen.write(out / "seen")
    here = shutil.which("npm") is not None and shutil.which("node") is not None
    if here and kind != "offline":
        command = [
            sys.executable,
            str(ROOT / "tools" / "make_playground.py"),
            str(out / "playground"),
            "--rules",
            "../rules/",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    else:
        print(
            "the site is made without the playground" + ("" if here else ": npm and node are not here"), file=sys.stderr
        )
    if lost := list(links.dead(out.resolve())):
        raise RuntimeError("links that lead nowhere:\n" + "\n".join(lost[:40]))
