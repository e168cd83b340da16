"""The marked blocks of an operator's page: what is computed from its definition, and whether a page still says it.

A page's sentences are kept by hand; a block stands between ``<!-- made: NAME -->`` and ``<!-- /made -->`` and is
written anew from the operator's definition and from the example of its section (``section.blocks``).

Spec: ``spec/ops/common.md``, *How a page reads*.
"""

from refrelax.conformance.pages.check import Stale, ends_of, stale, stale_page
from refrelax.conformance.pages.section import blocks, marked, section

__all__ = ["Stale", "blocks", "ends_of", "marked", "section", "stale", "stale_page"]
