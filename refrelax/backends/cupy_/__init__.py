"""The CuPy backend: every PrimFunc becomes CUDA C++ kernels, run on a GPU by CuPy or on the CPU by an emulation.

``plan.py`` turns a PrimFunc into kernels in order. ``nests.py`` says what may run in parallel; ``kernels.py`` and
``forms.py`` write the forms of a kernel; ``statements.py`` and ``expressions.py`` the text inside one thread;
``bounds.py`` and ``intervals.py`` say which bounds checks may go. ``launch.py`` runs a plan on a device: ``device.py``
(CuPy) or ``emulate.py`` (g++ behind ``emulation/shim.h``). ``compile.py`` joins them with the Relax functions, which
are Python as in the NumPy backend.
"""
