"""Passes by name, one after the other: ``LegalizeOps,sch.split(0,0,1,2)``. Imports nothing of refrelax.

A step is a name, with arguments (integers, words) in parentheses where it takes some:

* ``FoldConstant``: of ``tvm.relax.transform``; ``tirx.X``, ``s_tir.X``: of those dialects' ``transform``;
* ``tirx.BindTarget(llvm)``: of a target by name, its host ``llvm``;
* ``dlight.gpu.Matmul``: a default schedule, applied to every loop program that it fits;
* ``sch.split(f,b,l,4)``: a primitive of ``s_tir.Schedule`` on loop program ``f``, block ``b``, loop ``l``, all counted
  modulo how many there are. What a schedule refuses by a ``ScheduleError`` changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_STEP = re.compile(r"([A-Za-z_][\w.]*)(?:\(([^()]*)\))?$")


class UnknownStep(Exception):
    """A name that leads to no pass."""


def split(sequence: str) -> list[str]:
    """The steps of a sequence: commas inside of parentheses do not part them."""
    return [each.strip() for each in re.split(r",(?![^()]*\))", sequence) if each.strip()]


def passes(sequence: str) -> list[tuple[str, Callable[[Any], Any]]]:
    """Every step with its name.

    Raises:
        UnknownStep: there is no such pass in this wheel.
    """
    return [(each, find(each)) for each in split(sequence)]


def find(step: str) -> Callable[[Any], Any]:
    """The pass of a step."""
    import tvm
    from tvm import relax

    told = _STEP.match(step)
    if told is None:
        raise UnknownStep(f"{step!r} is no pass: expected a name, or a name with arguments in parentheses")
    name, given = told[1], [_argument(each) for each in (told[2] or "").split(",") if each.strip()]
    if name.startswith("sch."):
        return schedule(name.removeprefix("sch."), given)
    if name.startswith("dlight."):
        from tvm.s_tir import dlight

        made = _of(dlight, name.removeprefix("dlight."), step)
        return _default_schedule(dlight.ApplyDefaultSchedule(made(*given)), GPU if "gpu" in name else "llvm")
    if name == "tirx.BindTarget":
        given = [tvm.target.Target(str(each), host="llvm") for each in given]
    if name.startswith(("tirx.", "s_tir.")):
        dialect, _, rest = name.partition(".")
        found = _of(getattr(tvm, dialect).transform, rest, step)
    else:
        found = _of(relax.transform, name, step)
    pass_: Callable[[Any], Any] = found(*given)
    return pass_


GPU = "nvidia/nvidia-a100"
"""What default schedules for a GPU are made for; nothing is built for it."""


def _default_schedule(rule: Any, target: str) -> Callable[[Any], Any]:
    """The rule for a target. It writes into the module that it is given: so it gets another. Loop programs without
    blocks are set aside: a default schedule is made for those that have some, and ends on others."""

    def applied(mod: Any) -> Any:
        import tvm

        bare = {g: f for g, f in mod.functions.items() if isinstance(f, tvm.tirx.PrimFunc) and not _in_a_block(f)}
        fit = {g: f for g, f in mod.functions.items() if g not in bare}
        copy = tvm.IRModule(fit, attrs=mod.attrs, global_infos=mod.global_infos)
        with tvm.target.Target(target):
            made = rule(copy)
        for g, f in bare.items():
            made[g] = f
        return made

    return applied


def _in_a_block(func: Any) -> bool:
    """Whether the body of a loop program is its root block."""
    return type(func.body).__name__.endswith("BlockRealize")


def _of(where: Any, name: str, step: str) -> Any:
    for part in name.split("."):
        where = getattr(where, part, None)
        if where is None or part.startswith("_"):
            raise UnknownStep(f"{step!r}: this TVM has no such pass")
    return where


def _argument(text: str) -> Any:
    text = text.strip()
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return {"True": True, "False": False}.get(text, text)


# --- schedules --------------------------------------------------------------------------------------------------------


def schedule(primitive: str, given: list[Any]) -> Callable[[Any], Any]:
    """A primitive as a pass."""
    if primitive not in PRIMITIVES:
        raise UnknownStep(f"no primitive sch.{primitive}; known: {', '.join(PRIMITIVES)}")

    def applied(mod: Any) -> Any:
        import tvm

        loops = sorted((g.name_hint, g, f) for g, f in mod.functions.items() if isinstance(f, tvm.tirx.PrimFunc))
        if not loops:
            return mod
        numbers = [each if isinstance(each, int) else 0 for each in given] + [0] * 6
        _, var, function = loops[numbers[0] % len(loops)]
        sch = tvm.s_tir.Schedule(tvm.IRModule({"main": function}))
        try:
            if not _apply(sch, primitive, numbers[1:]):
                return mod
        except tvm.s_tir.ScheduleError:
            return mod
        changed = tvm.IRModule(dict(mod.functions.items()), attrs=mod.attrs, global_infos=mod.global_infos)
        changed.update_func(var, sch.mod["main"])
        return changed

    return applied


def _apply(sch: Any, primitive: str, numbers: list[int]) -> bool:
    """Whether there was something to apply it to."""
    blocks = getattr(sch, "get_child_blocks", None) or sch.get_child_sblocks
    root = (getattr(sch, "get_block", None) or sch.get_sblock)("root")
    every = list(blocks(root))
    if not every:
        return False
    block = every[numbers[0] % len(every)]
    loops = list(sch.get_loops(block))
    if not loops and primitive not in WITHOUT_LOOPS:
        return False
    if primitive == "vectorize" and not isinstance(_extent(sch, _loop(loops, numbers[1])), int):
        return False  # machines have vectors of fixed lengths only, and the primitive does not look
    if primitive == "transform_layout" and _is_of_the_caller(sch, block):
        return False  # the layout of a parameter is the caller's as well, whom a schedule does not see
    PRIMITIVES[primitive](sch, every, block, loops, numbers[1:])
    return True


def _is_of_the_caller(sch: Any, block: Any) -> bool:
    """Whether the first buffer that a block writes is a parameter of the function."""
    written, function = _buffer(sch.get(block).writes[0]), sch.mod["main"]
    buffers = getattr(function, "buffer_map", None)  # (since 0.27 the parameters themselves)
    taken = function.params if buffers is None else buffers.values()
    return any(written.same_as(each) for each in taken)


def _buffer(region: Any) -> Any:
    """The buffer of a region (its name since 0.27: ``source``)."""
    return region.buffer if hasattr(region, "buffer") else region.source


def _index_map(sch: Any, block: Any, side: str, step: int) -> Any:
    """The indices of the first buffer that a block reads or writes, in order or turned around. (A function of ``*v``
    does not say how many there are.)"""
    import tvm

    regions = getattr(sch.get(block), side)
    if side == "reads":
        ndim = len(sch.get(block).iter_vars)
    else:
        ndim = len(_buffer(regions[0]).shape)
    return tvm.tirx.IndexMap.from_func(lambda *v: list(v[::step]), ndim=ndim)


def _extent(sch: Any, loop: Any) -> Any:
    """The extent of a loop: a number where it is one."""
    extent = sch.get(loop).extent
    return getattr(extent, "value", extent)


def _loop(loops: list[Any], number: int) -> Any:
    return loops[number % len(loops)]


PRIMITIVES: dict[str, Callable[[Any, list[Any], Any, list[Any], list[int]], Any]] = {
    "split": lambda s, _e, _b, l, n: s.split(_loop(l, n[0]), [None, max(1, n[1])]),
    "split_outer": lambda s, _e, _b, l, n: s.split(_loop(l, n[0]), [max(1, n[1]), None]),
    "fuse": lambda s, _e, _b, l, n: s.fuse(*l[n[0] % len(l) : n[0] % len(l) + 2]),
    "reorder": lambda s, _e, _b, l, n: s.reorder(_loop(l, n[0]), _loop(l, n[1])),
    "parallel": lambda s, _e, _b, l, n: s.parallel(_loop(l, n[0])),
    "vectorize": lambda s, _e, _b, l, n: s.vectorize(_loop(l, n[0])),
    "unroll": lambda s, _e, _b, l, n: s.unroll(_loop(l, n[0])),
    "compute_inline": lambda s, _e, b, _l, _n: s.compute_inline(b),
    "reverse_compute_inline": lambda s, _e, b, _l, _n: s.reverse_compute_inline(b),
    "compute_at": lambda s, e, b, _l, n: s.compute_at(b, _loop(s.get_loops(_loop(e, n[0])), n[1])),
    "reverse_compute_at": lambda s, e, b, _l, n: s.reverse_compute_at(b, _loop(s.get_loops(_loop(e, n[0])), n[1])),
    "cache_read": lambda s, _e, b, _l, n: s.cache_read(b, n[0] % 2, ("local", "global", "shared")[n[1] % 3]),
    "cache_write": lambda s, _e, b, _l, n: s.cache_write(b, 0, ("local", "global", "shared")[n[0] % 3]),
    "decompose_reduction": lambda s, _e, b, l, n: s.decompose_reduction(b, _loop(l, n[0])),
    "rfactor": lambda s, _e, _b, l, n: s.rfactor(_loop(l, n[0]), n[1] % 2),
    "bind": lambda s, _e, _b, l, n: s.bind(_loop(l, n[0]), ("threadIdx.x", "blockIdx.x", "vthread.x")[n[1] % 3]),
    "add_unit_loop": lambda s, _e, b, _l, _n: s.add_unit_loop(b),
    "blockize": lambda s, _e, _b, l, n: (getattr(s, "blockize", None) or s.sblockize)(_loop(l, n[0])),
    "reindex": lambda s, _e, b, _l, n: s.reindex(b, ("read" if n[0] % 2 else "write", 0)),
    "merge": lambda s, e, b, l, n: s.merge(_loop(l, n[0]), _loop(s.get_loops(_loop(e, n[1])), n[2])),
    "loop_partition": lambda s, _e, _b, l, n: s.loop_partition(_loop(l, n[0]), [None, max(1, n[1])]),
    "re_cache_read": lambda s, _e, b, _l, n: s.reindex_cache_read(b, 0, "local", _index_map(s, b, "reads", 1)),
    "transform_layout": lambda s, _e, b, _l, n: s.transform_layout(b, ("write", 0), _index_map(s, b, "writes", -1)),
    "pad_einsum": lambda s, _e, b, l, n: s.pad_einsum(b, [max(1, n[0])] * len(l)),
    "storage_align": lambda s, _e, b, _l, n: s.storage_align(b, 0, -1, max(1, n[0]), 1),
    "set_scope": lambda s, _e, b, _l, n: s.set_scope(b, 0, ("local", "shared")[n[0] % 2]),
}
"""Primitives: of a schedule, all its blocks, one of them, its loops, and numbers."""

WITHOUT_LOOPS = frozenset({"compute_inline", "reverse_compute_inline", "cache_read", "cache_write", "add_unit_loop",
                           "reindex", "set_scope"})  # fmt: skip
