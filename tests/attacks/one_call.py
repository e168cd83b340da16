"""Programs of one call, of vectors ``a`` and ``b``."""

from __future__ import annotations

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        gv = {call}
        return gv
"""


def checked(call: str, *params: tuple[int, str]) -> rr.CheckedModule:
    """The program that returns ``call``. ``params``: extent and dtype of each vector."""
    types = (f'{name}: R.Tensor(({size},), dtype="{dtype}")' for name, (size, dtype) in zip("ab", params, strict=False))
    return rr.check(rr.parse(MODULE.format(params=", ".join(types), call=call)))
