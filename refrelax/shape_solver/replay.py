"""The only file that imports cvc5: an SMT-LIB script in, its answer out (extra ``certify``).

cvc5 shares no code with Z3 or with the normal form: what it confirms does not rest on either.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

from typing import Any

try:
    import cvc5
except ImportError:  # the extra is not installed
    cvc5 = None

AVAILABLE = cvc5 is not None


def replay(script: str, milliseconds: int = 1_000, resources: int = 0) -> str:
    """``"unsat"``, ``"sat"`` or ``"unknown"``. ``resources`` limits cvc5's own units, for an answer that no clock
    decides.

    Raises:
        ModuleNotFoundError: cvc5 is not installed.
    """
    if cvc5 is None:
        raise ModuleNotFoundError("expected cvc5 (pip install refrelax[certify]), found none")
    solver = cvc5.Solver()
    if resources:
        solver.setOption("rlimit", str(resources))
    if milliseconds:
        solver.setOption("tlimit-per", str(milliseconds))
    solver.setOption("nl-ext-tplanes", "true")
    return _run(solver, script)


def _run(solver: Any, script: str) -> str:
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "claim")
    symbols = parser.getSymbolManager()
    answer = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        said = command.invoke(solver, symbols).strip()
        if said in ("sat", "unsat", "unknown"):
            answer = said
