"""The pages of operators: what is computed from the definition, and whether a page still says it.

What stands above the sections is made from the family (``head``); in a section a block stands between
``<!-- made: NAME -->`` and ``<!-- /made -->`` and is written anew from the operator's definition and from the example
of its section (``section.blocks``).

Spec: ``spec/ops/common.md``, *How a page reads*.
"""

from refrelax.conformance.pages.check import Stale, ends_of, stale, stale_page
from refrelax.conformance.pages.head import common, head, said
from refrelax.conformance.pages.section import blocks, marked, section

__all__ = ["Stale", "blocks", "common", "ends_of", "head", "marked", "said", "section", "stale", "stale_page"]
