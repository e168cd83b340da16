"""The call forms: operators whose meaning is to call something else, and what a call does.

Their type rules stand in ``semantics/types/calls.py``, their evaluation in ``semantics/graph/calls.py``.

Spec: ``spec/05-types.md``, Call forms; ``spec/07-evaluation.md``, *Calls across levels*.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.semantics.ops.definition import Memory


@dataclass(frozen=True, slots=True)
class CallForm:
    """One call form. ``pure``, ``memory`` and ``overwrites`` as of an ``OpDef``.

    ``destinations``: its outputs, of the types ``out_ty``, are handed to the callee behind the arguments. ``library``:
    what it calls may be a library function, named by a string.
    """

    name: str
    memory: Memory
    pure: bool = True
    overwrites: bool = False
    destinations: bool = False
    library: bool = False


CALL_FORMS: dict[str, CallForm] = {
    form.name: form
    for form in (
        CallForm("relax.call_tir", "fresh", destinations=True),
        CallForm("relax.call_tir_with_grad", "fresh", destinations=True),
        CallForm("relax.call_tir_inplace", "either", overwrites=True, destinations=True),
        CallForm("relax.dist.call_tir_local_view", "fresh"),
        CallForm("relax.call_dps_packed", "fresh", destinations=True, library=True),
        CallForm("relax.call_pure_packed", "either", library=True),
        CallForm("relax.call_inplace_packed", "either", overwrites=True, library=True),
        CallForm("relax.call_builtin_with_ctx", "either", pure=False, library=True),
        CallForm("relax.call_py_func", "either", library=True),
        CallForm("relax.make_closure", "either"),
        CallForm("relax.invoke_closure", "either", pure=False),
        CallForm("relax.invoke_pure_closure", "either"),
    )
}
