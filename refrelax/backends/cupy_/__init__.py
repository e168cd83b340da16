"""The CuPy backend: every PrimFunc becomes CUDA C++ kernels, run on a GPU by CuPy or on the CPU by an emulation.

``plan.py`` turns a PrimFunc into kernels in order. ``nests.py`` says what may run in parallel, ``groups.py`` which
statements one kernel may run row by row; ``kernels.py`` and ``forms.py`` write the forms of a kernel, ``programs.py``
row programs, ``attention.py`` two contractions with rows between them, ``vectors.py`` what is moved 16 bytes at a time;
``statements.py`` and ``expressions.py`` the text inside one thread; ``bounds.py`` and ``intervals.py`` say which bounds
checks may go. ``launch.py`` runs a plan on a device, with the grids of ``geometry.py``: ``device.py`` (CuPy),
``emulate.py`` (g++ behind ``emulation/shim.h``), ``counting.py`` (which counts launches, and by ``traffic.py`` bytes).
``products.py`` are contractions that a library runs; ``resident.py`` calls as lists of launches. ``compile.py`` joins
them with the Relax functions, which are Python as in the NumPy backend.
"""
