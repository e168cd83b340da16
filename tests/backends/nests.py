"""Small loop-level functions on memory that holds something already: loops in any order and direction, offsets,
predicates, ``T.init``, stores that other iterations read."""

from __future__ import annotations

from hypothesis import strategies as st

EXTENTS = (3, 4, 2)


def _index(draw: st.DrawFn, name: str, extent: int) -> str:
    """An index of an axis of ``extent + 2`` elements that a variable below ``extent`` keeps in bounds."""
    return draw(st.sampled_from([name, name, f"{name} + 1", f"{extent - 1} - {name}", f"{name} + 2", "0"]))


def often(draw: st.DrawFn) -> bool:
    """True three times in four."""
    return draw(st.integers(0, 3)) > 0


@st.composite
def nests(draw: st.DrawFn) -> str:
    """The text of ``main(A, B)``: ``A`` is only read, ``B`` is read and written; both have room for every index."""
    rank = draw(st.integers(1, 3))
    names = [f"i{k}" for k in range(rank)]
    extents = dict(zip(names, draw(st.permutations(EXTENTS)), strict=False))
    if draw(st.booleans()):
        extents[draw(st.sampled_from(names))] = draw(st.sampled_from([0, 1]))
    order = draw(st.permutations(names))
    blocks = often(draw)
    axes = {name: f"v{name}" if blocks else name for name in names}
    spatial = draw(st.lists(st.sampled_from(names), unique=True, min_size=min(rank - 1, 1), max_size=2))
    plain = [often(draw) for _ in spatial]
    indices = [axes[n] if each else _index(draw, axes[n], extents[n]) for n, each in zip(spatial, plain, strict=True)]
    target = ", ".join(indices + ["0"] * (2 - len(spatial)))
    source = ", ".join(_index(draw, axes[n], extents[n]) for n in names)
    lines = [f"{'    ' * (k + 1)}for {n} in {_loop(draw, n, extents[n])}:" for k, n in enumerate(order)]
    pad = "    " * (rank + 1)
    condition = "" if often(draw) else _condition(draw, names)
    if blocks:
        lines.append(f'{pad}with T.sblock("b"):')
        pad += "    "
        if condition:
            lines.append(f"{pad}T.where({condition})")
        for name in names:
            kind = "spatial" if name in spatial else "reduce"
            binding = name if name in spatial or often(draw) else f"{extents[name] - 1} - {name}"
            lines.append(f"{pad}{axes[name]} = T.axis.{kind}({extents[name]}, {binding})")
        if often(draw) and len(spatial) < rank:
            lines += [f"{pad}with T.init():", f"{pad}    B[{target}] = T.float32({draw(st.integers(-2, 2))})"]
    elif condition:
        lines.append(f"{pad}if {condition}:")
        pad += "    "
    lines += [f"{pad}{each}" for each in _stores(draw, target, source, axes, extents, names)]
    shape = ", ".join(str(extents[n] + 2) for n in names)
    rooms = [extents[n] + (0 if each else 2) for n, each in zip(spatial, plain, strict=True)]
    room = ", ".join(map(str, rooms + [2] * (2 - len(spatial))))
    head = f'def main(A: T.Buffer(({shape},), "float32"), B: T.Buffer(({room}), "float32")):'
    return "\n".join(["@T.prim_func(private=True, s_tir=True)", head, *lines, ""])


def _loop(draw: st.DrawFn, name: str, extent: int) -> str:
    kind = draw(st.sampled_from(["range", "range", "range", "T.serial", "T.unroll"]))
    return f"{kind}({extent})"


def _condition(draw: st.DrawFn, names: list[str]) -> str:
    left, right = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    return draw(st.sampled_from([f"{left} > 0", f"{left} < 2", f"{left} + {right} < 3", f"{left} <= {right}"]))


def _stores(
    draw: st.DrawFn, target: str, source: str, axes: dict[str, str], extents: dict[str, int], names: list[str]
) -> list[str]:
    loaded = f"A[{source}]"
    again = f"A[{', '.join(_index(draw, axes[n], extents[n]) for n in names)}]"
    forms = [
        f"B[{target}] = {loaded} * T.float32(2) - {again}",
        f"B[{target}] = B[{target}] + {loaded}",
        f"B[{target}] = B[{target}] + {loaded} * {again}",
        f"B[{target}] = T.max(B[{target}], {loaded})",
        f"B[{target}] = {loaded} - B[{target}]",
        f"B[{target}] = B[1, 1] + {loaded}",
        f"B[{target}] = T.if_then_else({axes[names[0]]} > 0, {loaded}, B[{target}])",
    ]
    chosen = draw(st.lists(st.sampled_from(forms), min_size=1, max_size=2))
    return chosen[:1] if often(draw) else chosen
