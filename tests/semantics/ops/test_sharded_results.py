"""Where the result of a call on distributed tensors lies. A call shards an axis of an argument at a time, and the table
says which axis of the result that becomes: extents are pairwise distinct, so that no two axes can be confused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import refrelax as rr
from refrelax.semantics.ops.sharding import AXES, OWN, placement
from refrelax.syntax.types import DTensorType

Shape = tuple[int, ...]
Becomes = tuple[int | None, ...]
"""Of each axis of an argument the axis of the result that it becomes; ``None``: the result does not lie so."""

MESHES = "I.module_global_infos({'mesh': [R.device_mesh((2, 2), I.Range(0, 4)), R.device_mesh((2, 2), I.Range(4, 8))]})"


def module(expr: str, shapes: Sequence[Shape | str], placements: Sequence[str], meshes: Sequence[int]) -> str:
    """An expression in ``a``, ``b``, which lie so on these meshes; who has no placement is not distributed."""
    heads = [
        f"{name}: R.{'D' if at else ''}Tensor({shape}, 'float32'" + (f", 'mesh[{mesh}]', '{at}')" if at else ")")
        for name, shape, at, mesh in zip("ab", shapes, placements, meshes, strict=False)
    ]  # fmt: skip
    return f"""
@I.ir_module
class Module:
    {MESHES}
    @R.function(pure=False)
    def main({", ".join(heads)}):
        gv = {expr}
        return gv
"""


def told(expr: str, shapes: Sequence[Shape | str], placements: Sequence[str], meshes: Sequence[int] = (0, 0)) -> str:
    """Where the result lies: its placement, or the rule that refuses the call."""
    try:
        found = rr.check(rr.parse(module(expr, shapes, placements, meshes))).types["main"]["gv"]
    except rr.Rejection as refused:
        return " ".join(sorted({each.rule for each in refused.diagnostics}))
    assert isinstance(found, DTensorType)
    return found.placement


TABLE: list[tuple[str, tuple[Shape | str, ...], tuple[Becomes, ...]]] = [
    # elementwise: right-aligned, and an axis of extent 1 counts where it is not stretched
    ("R.exp(a)", ((2, 3, 4),), ((0, 1, 2),)),
    ("R.add(a, b)", ((2, 3, 4), (2, 3, 4)), ((0, 1, 2), (0, 1, 2))),
    ("R.add(a, b)", ((2, 3, 4), (3, 4)), ((0, 1, 2), (1, 2))),
    ("R.add(a, b)", ((4,), (2, 3, 4)), ((2,), (0, 1, 2))),
    ("R.add(a, b)", ((3, 1), (1, 4)), ((0, None), (None, 1))),
    ("R.add(a, b)", ((1, 3), (1, 3)), ((0, 1), (0, 1))),
    ("R.add(a, b)", ((3, 1), (3, 1)), ((0, 1), (0, 1))),
    ("R.add(a, b)", ((2, 1, 4), (3, 1)), ((0, None, 2), (1, None))),
    ("R.less(a, b)", ((2, 0), (2, 1)), ((0, 1), (0, None))),
    # matmul: the stacks broadcast, the rows of the one, the columns of the other; a vector has neither
    ("R.matmul(a, b)", ((3, 4), (4, 5)), ((0, None), (None, 1))),
    ("R.matmul(a, b)", ((2, 3, 4), (4, 5)), ((0, 1, None), (None, 2))),
    ("R.matmul(a, b)", ((3, 4), (2, 4, 5)), ((1, None), (0, None, 2))),
    ("R.matmul(a, b)", ((4,), (4, 5)), ((None,), (None, 0))),
    ("R.matmul(a, b)", ((3, 4), (4,)), ((0, None), (None,))),
    ("R.matmul(a, b)", ((2, 3, 4), (4,)), ((0, 1, None), (None,))),
    ("R.matmul(a, b)", ((4,), (2, 4, 5)), ((None,), (0, None, 1))),
    ("R.matmul(a, b)", ((6, 1, 3, 4), (2, 4, 5)), ((0, None, 2, None), (1, None, 3))),
    ("R.matmul(a, b)", ((2, 3, 4), (6, 1, 4, 5)), ((1, 2, None), (0, None, None, 3))),
    ("R.matmul(a, b)", ((1, 3, 4), (1, 4, 5)), ((0, 1, None), (0, None, 2))),
    ("R.matmul(a, b)", ((6, 1, 3, 4), (1, 4, 5)), ((0, 1, 2, None), (1, None, 3))),
    ("R.matmul(a, b)", ((4,), (4,)), ((None,), (None,))),
    # an axis that moves
    ("R.permute_dims(a)", ((2, 3, 4),), ((2, 1, 0),)),
    ("R.permute_dims(a, axes=[1, 2, 0])", ((2, 3, 4),), ((2, 0, 1),)),
    ("R.permute_dims(a, axes=[-1, 0, -2])", ((2, 3, 4),), ((1, 2, 0),)),
    # an axis that is folded
    ("R.sum(a, axis=[1])", ((2, 3, 4),), ((0, None, 1),)),
    ("R.sum(a, axis=-3)", ((2, 3, 4),), ((None, 0, 1),)),
    ("R.sum(a, axis=[0, -1])", ((2, 3, 4),), ((None, 0, None),)),
    ("R.sum(a, axis=[1], keepdims=True)", ((2, 3, 4),), ((0, None, 2),)),
    ("R.max(a)", ((2, 3, 4),), ((None, None, None),)),
    ("R.max(a, keepdims=True)", ((2, 3, 4),), ((None, None, None),)),
    ("R.nn.softmax(a, axis=1)", ((2, 3, 4),), ((0, None, 2),)),
    ("R.nn.softmax(a, axis=-1)", ((2, 3, 4),), ((0, 1, None),)),
    # reshape: as many elements lie behind an axis as behind one of the result; the first is never reached
    ("R.reshape(a, (2, 3, 4))", ((2, 3, 4),), ((None, 1, 2),)),
    ("R.reshape(a, (6, 4))", ((2, 3, 4),), ((None, None, 1),)),
    ("R.reshape(a, (2, 12))", ((2, 3, 4),), ((None, 1, None),)),
    ("R.reshape(a, (3, 2, 4))", ((2, 3, 4),), ((None, None, 2),)),
    ("R.reshape(a, (2, 3, 4))", ((6, 4),), ((None, 2),)),
    ("R.reshape(a, (4, 3, 5, 2))", ((4, 15, 2),), ((None, 1, 3),)),
    ("R.reshape(a, (2, 15, 3))", ((2, 3, 5, 3),), ((None, 1, None, 2),)),
    ("R.reshape(a, (4, 6))", ((2, 3, 4),), ((None, None, None),)),
    ("R.reshape(a, (24,))", ((2, 3, 4),), ((None, None, None),)),
    ("R.reshape(a, (5, 3, 0))", ((5, 2, 0),), ((None, None, None),)),
]  # fmt: skip


@pytest.mark.by_day(len(TABLE))
@pytest.mark.parametrize(("expr", "shapes", "becomes"), TABLE, ids=[f"{e}{s}" for e, s, _ in TABLE])
def test_an_axis_goes_its_way(expr: str, shapes: tuple[Shape, ...], becomes: tuple[Becomes, ...]) -> None:
    for place, axes in enumerate(becomes):
        assert len(axes) == len(shapes[place])
        for axis, wanted in enumerate(axes):
            for k in range(2):
                at = [over(k, axis if each == place else None) for each in range(len(shapes))]
                assert told(expr, shapes, at) == over(k, wanted), (place, axis)


def over(k: int, axis: int | None) -> str:
    """A placement in which the ``k``-th axis of the mesh alone shards something."""
    return ", ".join("R" if axis is None or each != k else f"S[{axis}]" for each in range(2))


SEVERAL = [
    # two axes of a tensor over two of the mesh, either way round
    ("R.permute_dims(a)", ((2, 3),), ("S[0], S[1]",), "S[1], S[0]"),
    ("R.exp(a)", ((2, 3),), ("S[1], S[0]",), "S[1], S[0]"),
    # who comes first has its way: with the axis of the mesh, and with the axis of the result
    ("R.add(a, b)", ((2, 3), (2, 3)), ("S[0], R", "S[1], R"), "S[0], R"),
    ("R.add(a, b)", ((2, 3), (2, 3)), ("S[0], R", "R, S[0]"), "S[0], R"),
    ("R.add(a, b)", ((2, 3), (2, 3)), ("R, S[0]", "S[0], R"), "R, S[0]"),
    ("R.add(a, b)", ((2, 3), (2, 3)), ("S[0], R", "R, S[1]"), "S[0], S[1]"),
    # who is not distributed is replicated
    ("R.add(a, b)", ((2, 3), (2, 3)), ("S[0], R", ""), "S[0], R"),
    ("R.add(a, b)", ((2, 3), (2, 3)), ("", "R, S[1]"), "R, S[1]"),
    ("R.add(a, b)", ((2, 3), (2, 3)), ("R, R", ""), "R, R"),
    # an extent that is not known ends a search from the last axis on, and no other
    ("R.exp(a)", ('("n", 3)',), ("S[0], S[1]",), "S[0], S[1]"),
    ("R.add(a, b)", ('("n", 3)', "(3,)"), ("S[0], R", "R, S[0]"), "S[0], S[1]"),
    ("R.reshape(a, (n, 2, 3))", ('("n", 6)',), ("R, S[1]",), "R, S[1]"),
    ("R.reshape(a, (n, 6))", ('("n", 2, 3)',), ("R, S[1]",), "R, S[1]"),
    ("R.reshape(a, (2, n, 3))", ('(2, "n", 3)',), ("S[1], S[2]",), "R, S[2]"),
]  # fmt: skip


@pytest.mark.by_day(len(SEVERAL))
@pytest.mark.parametrize(("expr", "shapes", "at", "wanted"), SEVERAL)
def test_two_axes_of_a_mesh(expr: str, shapes: tuple[str, ...], at: tuple[str, ...], wanted: str) -> None:
    assert told(expr, shapes, at) == wanted


def test_who_is_refused() -> None:
    pair = ((2, 3), (2, 3))
    assert told("R.add(a, b)", pair, ("S[0], R", "S[0], R"), (0, 1)) == "op.common/one-mesh"
    assert told("R.add(a, b)", pair, ("S[0], R", ""), (1, 0)) == "S[0], R"
    for expr in ("R.flip(a, axis=0)", "R.logical_not(a)", "R.concat((a, b))"):
        assert told(expr, pair, ("S[0], R", "R, R")) == "op.common/not-distributed"


@pytest.mark.parametrize(
    ("expr", "meshes", "wanted"),
    [
        ("R.add(a, b)", (1, 0), "R.add: the arguments lie on several meshes: mesh[0], mesh[1]"),
        ("R.flip(a, axis=0)", (0, 0), "R.flip is not defined on distributed tensors"),
    ],
)
def test_who_is_refused_is_told_why(expr: str, meshes: tuple[int, ...], wanted: str) -> None:
    with pytest.raises(rr.Rejection) as refused:
        rr.check(rr.parse(module(expr, ((2, 3), (2, 3)), ("R, R", "R, R"), meshes)))
    (found,) = refused.value.diagnostics
    assert found.message == wanted and found.span is not None and found.span.line == 7


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", []), ("R", [None]), ("S[0]", [0]), (" S[12] , R,S[3]", [12, None, 3]), ("S[1]x", [None]), ("  ", [])],
)
def test_a_placement_is_read(text: str, wanted: list[int | None]) -> None:
    assert placement(text) == wanted


def test_no_operator_has_two_rules() -> None:
    assert not {f"relax.{name}" for name in AXES} & OWN
