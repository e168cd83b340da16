"""The CuPy backend: every PrimFunc becomes CUDA C++ kernels, run on a GPU by CuPy or on the CPU by an emulation.

``plan.py`` turns a PrimFunc into kernels in order (``nests.py``: what may run in parallel; ``kernels.py``: the forms of
a kernel; ``statements.py``, ``expressions.py``: the text inside one thread; ``bounds.py``, ``intervals.py``: which
bounds checks may go). ``launch.py`` runs a plan on a device: ``device.py`` (CuPy) or ``emulate.py`` (g++ behind
``emulation/shim.h``). ``compile.py`` joins them with the Relax functions, which are Python as in the NumPy backend.
"""
