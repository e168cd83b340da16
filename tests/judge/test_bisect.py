"""``bisect``: a wrong pass is found where it stands, a right pipeline is not blamed; what cannot be said is said so."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

import refrelax as rr
from refrelax import judge
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.stages import Part
from refrelax.lower import pipeline as own
from refrelax.syntax.module import Module

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor((n, 4), "float32")) -> R.Tensor((n,), "float32"):
        a = R.subtract(x, y)
        b = R.multiply(a, x)
        c = R.permute_dims(b, axes=[1, 0])
        d = R.sum(c, axis=[0])
        e = R.maximum(d, R.const(20.0, "float32"))
        return e
"""
X = [[1.5, 2.0, -0.5, 3.0], [0.25, -4.0, 1.0, 2.5], [1.0, 0.75, 8.0, -2.0]]
Y = [[0.5, -2.0, 1.5, 2.0], [1.25, 3.0, 0.5, 0.0], [2.0, 0.25, -1.0, 4.0]]
PASSES = own.PIPELINES["default"]

FAULTS = {
    "operands": ("R.subtract(x, y)", "R.subtract(y, x)"),
    "operator": ("R.sum(c", "R.mean(c"),
    "dropped cast": ("R.multiply(a, x)", "R.multiply(x, x)"),
    "arguments": ("cls.subtract, (x, y)", "cls.subtract, (y, x)"),
    "sign": ("- b[", "+ b["),
    "start": ("T.float32(0.0)", "T.float32(-1.0)"),
    "constant": ("T.float32(20.0)", "T.float32(512.0)"),
    "index": ("a[v_i1, v_i0]", "a[v_i1, 0]"),
    "extent": ("T.grid(T.int64(4), n)", "T.grid(T.int64(3), n)"),
    "overlap": ("c = R.memory.alloc_tensor(storage,", "c = R.memory.alloc_tensor(storage_1,"),
    "early kill": ("_call_2 = cls.transpose(b, c)", "_k = R.memory.kill_tensor(b)\\n        _k2 = cls.transpose(b, c)"),
    "argument": ("_call = cls.subtract(x, y, a)", "_call = cls.subtract(x, x, a)"),
    "result": ("        return e", "        return d"),
}
"""What the wrong pass does to the text, by name."""


def wrong_pass(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """The pass ``wrong``: it makes one fault and nothing else."""

    def run(checked: rr.CheckedModule, ledger: Any) -> Module:
        before, after = (each.replace("\\n", "\n") for each in FAULTS[fault])
        text = rr.print_module(checked.module)
        return replace(rr.parse(text.replace(before, after, 1)), constants=checked.module.constants)

    module = ModuleType("wrong_pass")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wrong_pass", module)
    monkeypatch.setitem(own.PASSES, "wrong", "wrong_pass")


def places(fault: str) -> list[int]:
    """How many passes stand before the wrong one, for each place at which it changes the text."""
    steps = [rr.print_module(rr.parse(PROGRAM))]
    steps += [rr.print_module(s.module.module) for s in rr.lower(rr.check(rr.parse(PROGRAM))).steps]
    return [k for k, text in enumerate(steps) if FAULTS[fault][0] in text]


@pytest.mark.thorough
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_pass_is_found_where_it_stands(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at = places(fault)
    assert at, "the fault never applies"
    wrong_pass(monkeypatch, fault)
    for k in at:
        found = rr.bisect(
            rr.parse(PROGRAM), "main", (X, Y), impl="refrelax", pipeline=",".join([*PASSES[:k], "wrong", *PASSES[k:]])
        )
        assert isinstance(found, rr.WrongPass), f"{fault} after {PASSES[:k]}: {found}"
        assert (found.name, found.index) == ("wrong", k + 1)
        assert found.before.name == (PASSES[k - 1] if k else "read")
        assert FAULTS[fault][0] in found.before.text and FAULTS[fault][0] not in found.after.text.partition("\n")[0]
        assert found.message and isinstance(found.expected, rr.Returned)


def test_the_first_binding_with_another_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_pass(monkeypatch, "operator")
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl="refrelax", pipeline="wrong,legalize")
    assert isinstance(found, rr.WrongPass) and found.binding == "main/d"


@pytest.mark.thorough
def test_right_pipelines_are_not_blamed() -> None:
    checked = rr.check(rr.parse(PROGRAM))
    for pipeline, passes in own.PIPELINES.items():
        if passes:
            assert rr.bisect(checked, "main", (X, Y), impl="refrelax", pipeline=pipeline) is None


def test_a_pipeline_without_passes_compares_nothing() -> None:
    checked = rr.check(rr.parse(PROGRAM))
    for pipeline in (name for name, passes in own.PIPELINES.items() if not passes):
        with pytest.raises(rr.UsageError, match="has no pass"):
            rr.bisect(checked, "main", (X, Y), impl="refrelax", pipeline=pipeline)


def test_size_zero_and_one() -> None:
    checked = rr.check(rr.parse(PROGRAM))
    for rows in (X[:1], rr.Tensor.of([], "float32")):
        if isinstance(rows, rr.Tensor):
            import numpy as np

            rows = np.zeros((0, 4), "float32")
        assert rr.bisect(checked, "main", (rows, rows), impl="refrelax", pipeline="default") is None


class Fixed:
    """A compiler that has these texts for stages, then ends as it is told."""

    def __init__(self, *texts: str, end: Exception | None = None) -> None:
        self.texts, self.end = texts, end

    def stages(self, module: Module, pipeline: str) -> Iterator[judge.Stage]:
        for k, text in enumerate(self.texts):
            yield judge.Stage("read" if k == 0 else f"pass{k}", text, {})
        if self.end is not None:
            raise self.end


def bisect(*texts: str, end: Exception | None = None, program: str = PROGRAM, args: Any = (X, Y)) -> Any:
    return rr.bisect(rr.parse(program), "main", args, impl=Fixed(*texts, end=end), pipeline="any")


def test_an_unchanged_text_is_not_run_again() -> None:
    found = judge.follow(rr.parse(PROGRAM), "main", (X, Y), impl=Fixed(PROGRAM, PROGRAM), pipeline="any")
    assert found.answer is None and [s.verdict for s in found.steps] == ["equal", "unchanged"]


def test_reading_may_change_the_meaning() -> None:
    found = bisect(PROGRAM.replace("R.subtract", "R.add"))
    assert isinstance(found, rr.WrongPass) and (found.name, found.index) == ("read", 0)


def test_a_rejected_program_is_a_change() -> None:
    found = bisect(PROGRAM, PROGRAM.replace("R.multiply(a, x)", "R.multiply(a, z)"))
    assert isinstance(found, rr.WrongPass) and "is rejected" in found.message and found.found is None


def test_a_lost_entry_is_a_change() -> None:
    found = bisect(PROGRAM, PROGRAM.replace("def main", "def other"))
    assert isinstance(found, rr.WrongPass) and "no function 'main'" in found.message


CASTS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32")) -> R.Tensor((3, 4), "float32"):
        y = R.match_cast(x, R.Tensor((3, {}), "float32"))
        z = R.match_cast({}, R.Tensor((3, 4), "float32"))
        return z
"""


@pytest.mark.parametrize(("program", "changed"), [((4, "y"), True), ((5, "x"), False)])
def test_traps(program: tuple[int, str], changed: bool) -> None:
    """A trap that was none is a change; two traps agree wherever they happen."""
    found = bisect(CASTS.format(5, "x"), CASTS.format(5, "x"), program=CASTS.format(*program), args=(X,))
    assert isinstance(found, rr.WrongPass) if changed else found is None


def test_only_the_other_side_leaves_it_open() -> None:
    loaded = PROGRAM.replace("R.subtract(x, y)", "R.take(x, R.arange(1, 5, 1), axis=1, mode='fast')")
    found = bisect(PROGRAM, loaded)
    assert isinstance(found, rr.WrongPass), found


@pytest.mark.parametrize(
    ("kind", "found_kind", "says"),
    [
        ("refused", "refused", "Fuse refused the program: why"),
        ("crash", "crash", "Fuse crashed: why"),
        ("hang", "hang", "Fuse hung: why"),
    ],
)
def test_a_pass_that_does_not_take_the_program_is_found(kind: str, found_kind: str, says: str) -> None:
    found = bisect(PROGRAM, end=judge.StagesEnded("Fuse", kind, "why", "the whole message"))
    assert isinstance(found, rr.WrongPass) and (found.name, found.kind, found.message) == ("Fuse", found_kind, says)
    assert found.detail == "the whole message" and found.index == 1


@pytest.mark.parametrize(("name", "kind"), [("", "absent"), ("read", "unread"), ("Fuse", "unsupported"), ("", "fault")])
def test_what_says_nothing_about_a_pass_gives_no_verdict(name: str, kind: str) -> None:
    found = bisect(PROGRAM, end=judge.StagesEnded(name, kind, "why"))
    assert isinstance(found, rr.NoVerdict) and "why" in found.why and found.reason in (kind, "unread")


def test_a_reader_that_does_not_deduce_the_type_of_a_binding_is_found() -> None:
    """Unlike a text that it does not take: that says nothing."""
    found = bisect(end=judge.StagesEnded("read", "refused", "why", place="binary.cc:infer"))
    assert isinstance(found, rr.WrongPass) and (found.name, found.index, found.part) == ("read", 0, "import")
    assert found.kind == "refused" and found.place == "binary.cc:infer"


NOTHING_TO_COMPARE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 0), "float32")) -> R.Tensor((2,), "float32"):
        a = R.max(x, axis=[1])
        return a
"""


@pytest.mark.parametrize("kind", ["refused", "crash", "unsupported", None])
def test_a_refusal_is_found_though_every_element_is_left_open(kind: str | None) -> None:
    """What the elements are does not matter to a pass that does not take the program."""
    end = None if kind is None else judge.StagesEnded("Fuse", kind, "why")
    found = bisect(NOTHING_TO_COMPARE, program=NOTHING_TO_COMPARE, args=([[], []],), end=end)
    if kind in ("refused", "crash"):
        assert isinstance(found, rr.WrongPass) and (found.name, found.kind, found.index) == ("Fuse", kind, 1)
    else:
        assert isinstance(found, rr.NoVerdict) and found.reason == "open", found


@pytest.mark.parametrize("kind", ["refused", "crash", "unsupported", None])
def test_a_refusal_is_found_behind_a_pass_after_which_the_entry_takes_other_arguments(kind: str | None) -> None:
    bundled = PROGRAM.replace(', y: R.Tensor((n, 4), "float32")', "").replace("(x, y)", "(x, x)")
    end = None if kind is None else judge.StagesEnded("Fuse", kind, "why")
    found = bisect(bundled, bundled, end=end)
    if kind in ("refused", "crash"):
        assert isinstance(found, rr.WrongPass) and (found.name, found.kind, found.index) == ("Fuse", kind, 2)
    else:
        assert isinstance(found, rr.NoVerdict) and found.reason == "interface", found


class Builds(Fixed):
    """A compiler with right passes and a wrong code generator."""

    def implementation(self, pipeline: str) -> Any:
        return self

    def run(self, module: Module, entry: str, args: Any) -> Any:
        return rr.run(rr.check(rr.parse(PROGRAM.replace("R.subtract", "R.add"))), entry, *args)


class Dies(Fixed):
    """A compiler of which everything that it builds dies."""

    def implementation(self, pipeline: str) -> Any:
        return self

    def run(self, module: Module, entry: str, args: Any) -> Any:
        raise ImplementationFailed("crash", "SIGFPE")


@pytest.mark.parametrize("strict", [False, True])
def test_dying_of_a_run_that_is_open_is_found_under_strict(strict: bool) -> None:
    text = PROGRAM.replace("R.multiply(a, x)", "R.squeeze(x, axis=[0])").replace("axes=[1, 0]", "axes=[0]")
    text = text.replace("R.sum(c, axis=[0])", "R.add(c, c)").replace('((n,), "float32")', '(dtype="float32", ndim=1)')
    found = rr.bisect(rr.parse(text), "main", (X, Y), impl=Dies(text), pipeline="any", strict=strict)
    if strict:
        assert isinstance(found, rr.WrongPass) and (found.name, found.kind) == ("build", "crash")
    else:
        assert isinstance(found, rr.NoVerdict) and found.reason == "open", found


def test_what_is_built_is_judged_after_the_last_pass() -> None:
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=Builds(PROGRAM), pipeline="any")
    assert isinstance(found, rr.WrongPass) and found.name == "build"


class BuildsInSteps(Builds):
    """A compiler that also shows how it builds."""

    def __init__(self, *texts: str, below: tuple[str, ...] = (), end: Exception | None = None) -> None:
        super().__init__(*texts)
        self.texts_below, self.end_below = below, end

    def below(self, module: Module, pipeline: str) -> Iterator[judge.Stage]:
        for k, text in enumerate(self.texts_below):
            yield judge.Stage(f"tir{k}", text, {}, "tir")
        if self.end_below is not None:
            raise self.end_below


NOT_READ = "what only a machine understands"
WRONG = PROGRAM.replace("R.subtract", "R.add")


@pytest.mark.parametrize(("below", "name", "part"), [
    ((PROGRAM, WRONG, NOT_READ), "tir1", "tir"),
    ((PROGRAM, NOT_READ, "", WRONG), "tir3", "tir"),
    ((PROGRAM, NOT_READ, ""), "build", "codegen"),
    ((), "build", "run"),
])  # fmt: skip
def test_a_build_that_diverges_is_followed_to_the_end(below: tuple[str, ...], name: str, part: str) -> None:
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=BuildsInSteps(PROGRAM, below=below), pipeline="any")
    assert isinstance(found, rr.WrongPass) and (found.name, found.part) == (name, part)
    assert found.before.text == PROGRAM, "the last that was seen"


def test_a_build_that_is_right_is_not_looked_into() -> None:
    class Right(BuildsInSteps):
        def run(self, module: Module, entry: str, args: Any) -> Any:
            return rr.run(rr.check(module), entry, *args)

    assert rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=Right(PROGRAM, below=(WRONG,)), pipeline="any") is None


class BuildsRight(Builds):
    def run(self, module: Module, entry: str, args: Any) -> Any:
        return rr.run(rr.check(module), entry, *args)


NOT_HERE = PROGRAM.replace("R.subtract(x, y)", 'R.call_pure_packed("lib.f", x, ty_args=R.Tensor((n, 4), "float32"))')


@pytest.mark.parametrize("hidden", [NOT_READ, NOT_HERE])
def test_past_a_stage_that_cannot_be_seen_what_is_built_has_the_word(hidden: str) -> None:
    """That we cannot read or run what a pass left is no reason to say nothing of a wrong result."""
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=Builds(PROGRAM, hidden, PROGRAM), pipeline="any")
    assert isinstance(found, rr.WrongPass) and found.name == "build" and "before it the program after" in found.message
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=Builds(PROGRAM, hidden, WRONG, hidden), pipeline="any")
    assert isinstance(found, rr.WrongPass) and found.name == "pass2" and found.before.text == PROGRAM
    assert "pass1" in found.message


@pytest.mark.parametrize("rest", [(), (PROGRAM,), (WRONG,)])
def test_what_is_built_right_is_not_blamed_for_a_stage_that_cannot_be_seen(rest: tuple[str, ...]) -> None:
    """Nor for a later one that differs: it may hold what we misread."""
    impl = BuildsRight(PROGRAM, NOT_READ, *rest)
    found = judge.follow(rr.parse(PROGRAM), "main", (X, Y), impl=impl, pipeline="any")
    assert isinstance(found.answer, rr.NoVerdict) and "pass1" in found.answer.why
    assert found.report.counts.outside == 0 and found.report.counts.inside


def test_who_refuses_past_a_stage_that_cannot_be_seen_is_named() -> None:
    found = bisect(PROGRAM, NOT_READ, end=judge.StagesEnded("Fuse", "refused", "why"))
    assert isinstance(found, rr.WrongPass) and (found.name, found.index) == ("Fuse", 2)
    found = bisect(NOT_READ, end=judge.StagesEnded("Fuse", "refused", "why"))
    assert isinstance(found, rr.WrongPass) and found.before.text == rr.print_module(rr.parse(PROGRAM))
    found = bisect(PROGRAM, NOT_READ, end=judge.StagesEnded("", "absent", "why"))
    assert isinstance(found, rr.NoVerdict) and "pass1" in found.why


@pytest.mark.parametrize(("name", "part"), [("tirx.Lower", "tir"), ("codegen", "codegen")])
def test_who_refuses_below_the_pipeline_is_named(name: str, part: Part) -> None:
    class Refused(BuildsInSteps):
        def run(self, module: Module, entry: str, args: Any) -> Any:
            raise ImplementationFailed("refused", "no", place="there.cc")

    end = judge.StagesEnded(name, "refused", "no", part=part, place="there.cc")
    impl = Refused(PROGRAM, below=(PROGRAM, NOT_READ), end=end)
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y), impl=impl, pipeline="any")
    assert isinstance(found, rr.WrongPass) and (found.name, found.part, found.kind) == (name, part, "refused")
    assert found.place == "there.cc"


OPEN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2,), "float32"):
        y = R.take(x, R.const({}, "int64"), axis=1, mode="fast")
        z = R.add(y, R.const(1.0, "float32"))
        return z
"""


def test_a_result_of_which_nothing_is_compared_is_not_none() -> None:
    found = bisect(OPEN.format(-1), OPEN.format(-2), program=OPEN.format(-1), args=(rr.Tensor.of([[1.5] * 3] * 2),))
    assert isinstance(found, rr.NoVerdict) and found.word == "OPEN"
    assert found.report.open[0].binding == "main/y" and found.report.open[0].count == 2


def test_a_construct_without_meaning_here_is_not_blamed_on_a_pass() -> None:
    lacking = ONE_LOOP.format('T.call_llvm_pure_intrin("float32", "llvm.no.such", A[i])')
    found = bisect(ONE_LOOP.format("A[i]"), lacking, program=ONE_LOOP.format("A[i]"), args=(rr.Tensor.of([1.0, 2.0]),))
    assert isinstance(found, rr.NoVerdict) and found.reason in ("lacking", "library") and "llvm" in found.why


ONE_LOOP = """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(2),), "float32")):
        for i in range(T.int64(2)):
            B[i] = {}
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((2,), "float32"))
        return y
"""


def test_a_change_before_the_crash_is_found() -> None:
    wrong = PROGRAM.replace("R.subtract", "R.add")
    found = bisect(PROGRAM, wrong, end=judge.StagesEnded("Fuse", "crash", "SIGSEGV"))
    assert isinstance(found, rr.WrongPass) and found.name == "pass1"


def test_a_text_that_cannot_be_read_gives_no_verdict() -> None:
    found = bisect(PROGRAM, PROGRAM.replace("return e", "return e +"))
    assert isinstance(found, rr.NoVerdict) and "after pass1 cannot be read" in found.why


def test_a_program_that_cannot_be_run_gives_no_verdict() -> None:
    packed = 'R.call_pure_packed("lib.f", x, ty_args=R.Tensor((n, 4), "float32"))'
    found = bisect(PROGRAM, PROGRAM.replace("R.subtract(x, y)", packed))
    assert isinstance(found, rr.NoVerdict) and "after pass1 cannot be run" in found.why


GATHERED = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((3,), "float32"), b: R.Tensor((2,), "int64")) -> R.Tensor((2,), "float32"):
        y = R.gather_elements(a, b, axis=0)
        return y
"""


KERNEL = """class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(3),), "float32"), B: T.Buffer((T.int64(2),), "int64"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("f"):
                vi = T.axis.spatial(2, i)
                C[vi] = A[B[vi]]
"""


def test_what_strict_alone_determines_must_not_be_left_open() -> None:
    """ONNX counts a negative index from the end; a kernel that reads outside of the memory there was held to be the
    same, since Relax leaves both open, and what it was built into was blamed."""
    call = 'R.call_tir(Module.f, (a, b), out_ty=R.Tensor((2,), "float32"))'
    reads_outside = GATHERED.replace("R.gather_elements(a, b, axis=0)", call).replace("class Module:\n", KERNEL)
    given: dict[str, Any] = {"args": ([1.0, 2.0, 3.0], [-1, 0]), "impl": Fixed(GATHERED, reads_outside)}
    found = judge.follow(rr.parse(GATHERED), "main", pipeline="any", strict=True, **given)
    assert isinstance(found.answer, rr.WrongPass) and found.answer.name == "pass1", found
    assert judge.follow(rr.parse(GATHERED), "main", pipeline="any", **given).answer is None


def test_a_run_that_is_left_open_gives_no_verdict() -> None:
    found = judge.follow(
        rr.parse(PROGRAM), "main", (X, Y), impl=Fixed(PROGRAM), pipeline="any", budget=rr.Budget(steps=3)
    )
    assert isinstance(found.answer, rr.NoVerdict) and found.answer.excluded


def test_rounding_that_is_permitted_is_no_change() -> None:
    program = PROGRAM.replace("R.permute_dims(b, axes=[1, 0])", "R.permute_dims(R.exp(b), axes=[1, 0])")
    by_hand = program.replace("R.sum(c, axis=[0])", "R.add(R.sum(R.strided_slice(c, [0], [0], [2]), axis=[0]), "
                              "R.sum(R.strided_slice(c, [0], [2], [4]), axis=[0]))")  # fmt: skip
    steps = judge.follow(rr.parse(program), "main", (X, Y), impl=Fixed(program, by_hand), pipeline="any").steps
    assert [s.verdict for s in steps] in (["equal", "inside"], ["equal", "equal"])


def test_what_is_not_there_is_a_usage_error() -> None:
    module = rr.parse(PROGRAM)
    with pytest.raises(rr.UsageError, match="unknown compiler 'nobody'"):
        rr.bisect(module, "main", (X, Y), impl="nobody")
    with pytest.raises(rr.UsageError, match="unknown pipeline or pass 'nothing'"):
        rr.bisect(module, "main", (X, Y), impl="refrelax", pipeline="nothing")
    with pytest.raises(rr.UsageError, match="no function 'other'"):
        rr.bisect(module, "other", (X, Y), impl="refrelax", pipeline="default")


def test_without_tvm_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", "/no/such/python")
    found = rr.bisect(rr.parse(PROGRAM), "main", (X, Y))
    assert isinstance(found, rr.NoVerdict) and "install refrelax[tvm]" in found.why
    assert "REFRELAX_TVM_PYTHON names /no/such/python" in found.why
    monkeypatch.setenv("REFRELAX_TVM_PYTHON", "/bin/false")
    assert isinstance(rr.bisect(rr.parse(PROGRAM), "main", (X, Y)), rr.NoVerdict)


LIBRARY = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            y = R.call_pure_packed("lib.f", x, ty_args=(R.Tensor((2,), "float32"),))
            R.output(y)
        z = R.call_packed("lib.g", x, ty_args=(R.Tensor((2,), "float32"),))
        return x
"""
PURE = LIBRARY[LIBRARY.index("        with R.dataflow") : LIBRARY.index("        z = ")]
IMPURE = LIBRARY[LIBRARY.index("        z = ") : LIBRARY.index("        return x")]


@pytest.mark.parametrize(("dropped", "changed"), [(PURE, False), (IMPURE, True)])
def test_a_pure_call_may_be_dropped_and_an_impure_one_may_not(dropped: str, changed: bool) -> None:
    externs = {"lib.f": lambda x: x, "lib.g": lambda x: x}
    shorter = Fixed(LIBRARY, LIBRARY.replace(dropped, ""))
    found = rr.bisect(rr.parse(LIBRARY), "main", ([1.0, 2.0],), impl=shorter, pipeline="any", externs=externs)
    assert isinstance(found, rr.WrongPass) if changed else found is None
