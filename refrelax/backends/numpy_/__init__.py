"""The NumPy backend: a checked module becomes readable Python source over arrays.

``graph.py`` and ``loops.py`` write the source, ``expressions.py`` the scalar expressions in it, ``liveness.py`` says
what memory mode ``fast`` may reuse, ``fast_groups.py`` and ``fast_attention.py`` which bindings it runs as one.
``compile.py`` makes the executable, ``calls.py`` its fast call, ``border.py`` turns values of the surface into arrays.
The rest is what the source calls: ``runtime.py`` (checks, memory), ``operators*.py``, ``reductions.py`` (graph-level
operators), ``fast_operators.py``, ``fast_norms.py``, ``fast_rows.py``, ``fast_places.py``, ``blocks.py``,
``pairs.py``, ``attention.py`` (short cuts of mode ``fast``), ``memory.py`` (arrays in memory that was used before),
``exact.py`` (elementary functions with the interpreter's bits), ``by_definition.py`` (operators without an array form).

But for the last it is written independently of ``semantics/ops``: a second implementation, never its own oracle.
"""
