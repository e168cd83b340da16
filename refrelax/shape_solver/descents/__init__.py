"""The checker of recorded descents: what a proof by congruence said, step by step, without the code that found it.

``document.examine`` reads a record (JSON) and says whether every step follows by one of the rules of ``steps`` and
``rewrites``. It imports the checker of integer certificates and nothing else of refrelax.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""
