"""Proof that a loop program comes from where it says: lowered again, its origin is that loop program.

What the lowering makes in this process it vouches for: the pair need not be made twice. Anything else (a module read
from text, an edited one) is lowered again, once.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.errors import InternalError, Rejection
from refrelax.lower.claims import Ledger
from refrelax.lower.fuse_loops import fused, simplified
from refrelax.lower.fuse_ops.outputs import split_outputs
from refrelax.lower.legalize.driver import run as legalize
from refrelax.lower.names import Taken
from refrelax.lower.origins.text import Origin, bare, hint, read
from refrelax.lower.origins.vouched import remembered, vouched
from refrelax.semantics.types.check import check
from refrelax.syntax.equal import structural_equal
from refrelax.syntax.graph import Call, Function, GlobalVar, Op, PrimValue, Tuple, Var
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import SymVar

MAIN = "main"


def origin_of(func: PrimFunc) -> Origin | None:
    """Where a loop program comes from, if it says so and that is proved."""
    text = hint(func)
    if text is None:
        return None
    found = vouched(func)
    if found is None:
        found = remembered(func, _proved(text, func))
    return found if isinstance(found, Origin) else None


def _proved(text: str, func: PrimFunc) -> Origin | None:
    """The origin behind a hint, if what is made from it is ``func`` up to names."""
    function = read(text)
    if function is None:
        return None
    try:
        checked = check(Module({MAIN: function}))
    except Rejection:
        return None
    wanted = bare(func)
    if any(structural_equal(bare(each), wanted) for each in _lowered(checked.module)):
        return Origin(function, tuple(checked.types[MAIN].items()))
    return None


def _lowered(module: Module) -> Iterator[PrimFunc]:
    """The loop programs that a function of operator calls becomes: by legalization alone where it makes one call, on
    the function's parameters in their order; simplified; as a fused group."""
    try:
        checked = check(legalize(check(module), Ledger()))
        made = _only(checked.module)
        if made is not None:
            yield made
            yield simplified(made, Ledger(), MAIN)
        split = split_outputs(checked, Ledger(), Taken(checked.module.functions))
        function = split.functions[MAIN]
        assert isinstance(function, Function)
        whole = fused(split, function, Ledger(), MAIN)
        if whole is not None:
            yield whole
    except Rejection as refused:
        raise InternalError(f"an origin gave a module that does not check: {refused}") from refused


def _only(module: Module) -> PrimFunc | None:
    """The loop program of a function that makes one call, with its own parameters in order."""
    function = module.functions[MAIN]
    assert isinstance(function, Function)
    bindings = [b for block in function.body.blocks for b in block.bindings]
    match [b.value for b in bindings]:
        case [Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=name), Tuple(fields=fields)))]:
            callee = module.functions[name]
        case _:
            return None
    if not isinstance(callee, PrimFunc):
        return None
    origin = Origin(function)
    tensors = [Var(name) for name, _ in origin.tensors]
    scalars = [each.value.name for each in fields if isinstance(each, PrimValue) and isinstance(each.value, SymVar)]
    given = [each for each in fields if isinstance(each, Var)]
    in_order = given == tensors and tuple(scalars) == origin.symbols[: len(scalars)]
    return callee if in_order and len(given) + len(scalars) == len(fields) else None
