"""The NumPy backend: a checked module becomes readable Python source over arrays.

``graph.py`` and ``loops.py`` write the source, ``expressions.py`` the scalar expressions in it, ``liveness.py`` says
what memory mode ``fast`` may reuse. The rest is what the source calls: ``runtime.py`` (checks, memory),
``operators.py``, ``reductions.py`` (graph-level operators), ``fast_operators.py`` (short cuts of mode ``fast``),
``exact.py`` (elementary functions with the interpreter's bits).

It is written independently of ``semantics/ops``: a second implementation, never its own oracle.
"""
