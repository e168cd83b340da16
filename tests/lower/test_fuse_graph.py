"""What stands in the way of a call, which calls are members, who post-dominates whom, and what may be grouped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.fuse_ops.graph import Graph, Member, is_barrier, read_block, used
from refrelax.lower.fuse_ops.groups import LARGEST, Groups, between, form_groups, one_anchor, post_dominators
from refrelax.lower.pattern_kinds import Kind
from refrelax.syntax.graph import DataflowBlock, Function
from tests.lower.fusion_modules import HEAD, buffer, kernel, nest, pointwise

KERNELS = (
    pointwise("f", "X[i] + X[i]", "n", buffer("X", "n"))
    + "\n" + pointwise("moved", "X[n - T.int64(1) - i]", "n", buffer("X", "n"))
    + "\n" + pointwise("g", "X[i] + Y[i]", "n", f"{buffer('X', 'n')}; {buffer('Y', 'n')}")
    + "\n" + kernel("total", f"{buffer('X', 'n')}; {buffer('O', 'T.int64(1)')}",
                    nest("s", "O", "T.int64(0)", "O[T.int64(0)] + X[i]", "n", "T.float32(0)", "R"))
    + "\n" + kernel("strange", f"{buffer('X', 'n')}; {buffer('O', 'n')}",
                    "for i in T.serial(T.int64(1), n):\n    O[i] = X[i]")
    + "\n" + kernel("scaled", f"{buffer('X', 'n')}; s: T.float32; {buffer('O', 'n')}",
                    "for i in range(n):\n    O[i] = X[i] * s")
)  # fmt: skip


def checked(*bindings: str, outputs: str = "out") -> rr.CheckedModule:
    lines = "\n".join(f"            {b}" for b in bindings)
    return rr.check(
        rr.parse(f"""{HEAD}{KERNELS}
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("n",), "float32"), a: R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
{lines}
            R.output({outputs})
        return out
""")
    )


def block_of(module: rr.CheckedModule) -> DataflowBlock:
    function = module.module.functions["main"]
    assert isinstance(function, Function)
    (block,) = function.body.blocks
    assert isinstance(block, DataflowBlock)
    return block


def call(name: str, *args: str, out: str = 'R.Tensor((n,), "float32")') -> str:
    given = "".join(f"{each}, " for each in args)
    return f"R.call_tir(cls.{name}, ({given}), out_sinfo={out})"


BARRIERS: dict[str, bool] = {
    call("f", "x"): False,
    "R.exp(x)": False,
    "R.match_cast(x, R.Tensor((n,), \"float32\"))": True,
    "R.call_dps_packed(\"strange\", (x,), out_sinfo=R.Tensor((n,), \"float32\"))": True,
    "R.call_pure_packed(\"strange\", x, sinfo_args=R.Tensor((n,), \"float32\"))": True,
    "R.builtin.alloc_tensor(R.shape([n]), R.dtype(\"float32\"), R.prim_value(0), R.str(\"global\"))": True,
    "(x, w)": False,
    "x": False,
}  # fmt: skip


@pytest.mark.parametrize("value", BARRIERS)
def test_barriers(value: str) -> None:
    if "alloc_tensor" in value:
        text = f"""{HEAD}    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        out = {value}
        return out
"""
        module = rr.check(rr.parse(text))
        function = module.module.functions["main"]
        assert isinstance(function, Function)
        binding = function.body.blocks[0].bindings[0]
    else:
        module = checked(f"y = {value}", "out = x")
        binding = block_of(module).bindings[0]
    assert is_barrier(binding, module.module) is BARRIERS[value]


MEMBERS: dict[str, tuple[str, Kind | None]] = {
    "pointwise": (call("f", "x"), Kind.ELEMENTWISE),
    "of two": (call("g", "x", "w"), Kind.ELEMENTWISE),
    "into one cell": (call("total", "x", out='R.Tensor((1,), "float32")'), None),
    "with a number": (call("scaled", "x", "T.float32(2)"), Kind.ELEMENTWISE),
    "of no kind": (call("strange", "x"), None),
    "an operator": ("R.exp(x)", None),
    "of unknown extents": (call("f", "a"), None),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members(name: str) -> None:
    value, kind = MEMBERS[name]
    module = checked(f"y = {value}", "out = x")
    graph = read_block(module, "main", block_of(module))
    assert {k: m.kind for k, m in graph.members.items()} == ({} if kind is None else {0: kind})
    strange = read_block(module, "main", block_of(module), opaque=True)
    assert (0 in strange.members) is (kind is not None or name in ("of no kind", "into one cell"))


def test_an_annotation_that_says_less_keeps_a_call_out() -> None:
    for annotation, members in (('R.Tensor((n,), "float32")', 1), ('R.Tensor(ndim=1, dtype="float32")', 0)):
        module = checked(f"y: {annotation} = {call('f', 'x')}", "out = x")
        assert len(read_block(module, "main", block_of(module)).members) == members, annotation


def test_users() -> None:
    module = checked(
        f"y = {call('f', 'x')}", f"z = {call('g', 'y', 'y')}", "t = (z, w)", "u = R.match_cast(x, R.Tensor((n,)))",
        f"out = {call('g', 'y', 'x')}",
    )  # fmt: skip
    graph = read_block(module, "main", block_of(module))
    assert graph.end == 5 and list(graph.members) == [0, 1, 4]
    assert [graph.members[k].segment for k in (0, 1, 4)] == [0, 0, 1]
    assert graph.users == {0: {1, 5}, 1: {5}, 2: set(), 3: set(), 4: {5}}
    bindings = block_of(module).bindings
    assert [used(b.value) for b in bindings[1:3]] == [{"y"}, {"z", "w"}]


# --- groups ----------------------------------------------------------------------------------------------------------


def graph(kinds: str, **users: Any) -> Graph:
    """``kinds``: a letter a member (``p`` pointwise, ``c`` a copy, ``r`` a reduction, ``-`` none); users by
    ``u0=(1, 2)``; without any, the end."""
    module = checked(f"y = {call('f', 'x')}", f"z = {call('moved', 'x')}", "out = x")
    member, copy = read_block(module, "main", block_of(module)).members.values()
    made = Graph(end=len(kinds))
    for k, kind in enumerate(kinds):
        if kind != "-":
            of = Kind.REDUCTION if kind == "r" else Kind.ELEMENTWISE
            made.members[k] = replace(copy if kind == "c" else member, position=k, name=f"v{k}", kind=of)
        made.users[k] = set(users.get(f"u{k}", (len(kinds),)))
    return made


def test_post_dominators() -> None:
    assert post_dominators(graph("ppp", u0=(1,), u1=(2,))) == {0: 1, 1: 2, 2: 3}
    assert post_dominators(graph("pppp", u0=(1, 2), u1=(3,), u2=(3,))) == {0: 3, 1: 3, 2: 3, 3: 4}
    assert post_dominators(graph("pppp", u0=(1, 3), u1=(2,), u2=(3,))) == {0: 3, 1: 2, 2: 3, 3: 4}
    assert post_dominators(graph("pppp", u0=(1, 2), u1=(3,))) == {0: 4, 1: 3, 2: 4, 3: 4}
    assert post_dominators(graph("ppppp", u0=(1, 2, 3), u1=(4,), u2=(3,), u3=(4,))) == {0: 4, 1: 4, 2: 3, 3: 4, 4: 5}
    assert post_dominators(graph("p", u0=())) == {0: 1}


def test_members_between() -> None:
    made = graph("ppppp", u0=(1, 2, 3), u1=(4,), u2=(3,), u3=(4,))
    assert between(made, 0, 4) == {1, 2, 3} and between(made, 2, 4) == {3} and between(made, 3, 4) == set()


def test_one_result_and_one_anchor() -> None:
    made = graph("prpr", u0=(1,), u1=(2,), u2=(3,))
    assert one_anchor(made, {0, 1, 2}) and one_anchor(made, {0, 2}) and not one_anchor(made, {1, 2, 3})
    groups = Groups(made)
    assert groups.merge({0, 1}) and groups.merge({1, 2}) and not groups.merge({2, 3})
    assert groups.of[0] == {0, 1, 2} and groups.of[3] == {3}
    assert [[m.position for m in group] for group in groups.result()] == [[0, 1, 2]]
    assert not Groups(graph("pp", u0=(1, 2))).merge({0, 1}), "two results"


def test_no_group_is_greater_than_can_be_read() -> None:
    for count in (LARGEST, LARGEST + 1):
        made = graph("p" * count, **{f"u{k}": (k + 1,) for k in range(count - 1)})
        assert Groups(made).merge(set(range(count))) is (count == LARGEST)


def positions(made: list[list[Member]]) -> list[list[int]]:
    return [[m.position for m in group] for group in made]


def test_groups() -> None:
    assert positions(form_groups(graph("ppp", u0=(1,), u1=(2,)))) == [[0, 1, 2]]
    assert positions(form_groups(graph("rpp", u0=(1,), u1=(2,)))) == [[0, 1, 2]]
    assert positions(form_groups(graph("rrp", u0=(1,), u1=(2,)))) == [[1, 2]]
    assert positions(form_groups(graph("pppp", u0=(1, 2), u1=(3,), u2=(3,)))) == [[0, 1, 2, 3]]
    assert positions(form_groups(graph("pppp", u0=(1, 2), u1=(3,), u2=(4,)))) == [[1, 3]]
    assert positions(form_groups(graph("pppp", u1=(3,), u0=(2,)))) == [[0, 2], [1, 3]]
    assert positions(form_groups(graph("prp", u0=(1, 2), u1=(2,)))) == [[1, 2]]


def test_what_an_anchor_takes_in() -> None:
    assert positions(form_groups(graph("cr", u0=(1,)))) == [[0, 1]], "a copy may be made again"
    assert positions(form_groups(graph("pr", u0=(1,)))) == [], "a sum may not"
    assert positions(form_groups(graph("pcr", u0=(1,), u1=(2,)))) == [[0, 1]], "nor one with a copy behind it"
    assert positions(form_groups(graph("ccr", u0=(1,), u1=(2,)))) == [[0, 1, 2]]
    assert positions(form_groups(graph("cr", u0=(1, 2)))) == []
