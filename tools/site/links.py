"""Every link of a made site leads to something, and nothing is asked of another host.

python tools/site/links.py SITE
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"""<(a|link|script|img|iframe)\b[^>]*?\b(?:href|src)=(?:"([^"]*)"|'([^']*)')""")
ANCHOR = re.compile(r"""\b(?:id|name)=(?:"([^"]+)"|'([^']+)')""")


def dead(site: Path) -> Iterator[str]:
    """The links that lead nowhere, and what is loaded from elsewhere.

    Of a site that was made without its playground, links to the playground are not asked.
    """
    whole = (site / "playground").is_dir()
    for page in sorted(site.rglob("*.html")):
        if page.name in ("404.html",) or page.parent.name == "source":
            continue
        text = page.read_text(encoding="utf-8")
        for found in LINK.finditer(re.sub(r"<script\b[^>]*>.+?</script>", "", text, flags=re.DOTALL)):
            address = html.unescape(found[2] or found[3] or "")
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if found[1] != "a" and parts.scheme != "data":
                    yield f"{page.relative_to(site)}: loads {address}"
            elif not whole and "playground" in parts.path.split("/"):
                continue
            elif not _leads(page, unquote(parts.path), unquote(parts.fragment), site):
                yield f"{page.relative_to(site)}: {address[:120]}"


def _leads(page: Path, path: str, fragment: str, site: Path) -> bool:
    target = page if not path else (site / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    known = target.suffix != ".html" or not fragment or "playground" in target.parts or target.parent.name == "seen"
    return known or fragment in _anchors(target)


@cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(first or second for first, second in ANCHOR.findall(page.read_text(encoding="utf-8")))


if __name__ == "__main__":
    lost = list(dead(Path(sys.argv[1]).resolve()))
    print("\n".join(lost) or "every link leads somewhere")
    sys.exit(1 if lost else 0)
