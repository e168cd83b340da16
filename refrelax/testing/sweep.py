"""Every operator, at every dtype, at corner values, in every reading and in the NumPy backend.

The property: a program that ``check`` accepts ends as Returned, Trapped, Unspecified or Exhausted under ``ieee``,
``enclosure``, ``sampled`` and in both modes of the NumPy backend; never in a Python exception, which is a fault of
ours. What ``ieee`` and ``sampled`` give lies in the enclosure, what ``bits`` gives has the bits of ``ieee``, and what
``fast`` gives is not outside. A value has the extents that its type says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import product
from math import prod
from typing import Any

from refrelax.backends import compile
from refrelax.backends.errors import Unsupported
from refrelax.errors import Exhausted, Outcome, Rejection, Returned, Trapped, Unlinkable, Unspecified, UsageError
from refrelax.running.arrays import Tensor, pack
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.semantics.types import CheckedModule, check
from refrelax.semantics.values import Shape
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Function
from refrelax.syntax.graph import Param as GraphParam
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.syntax.types import TensorType
from refrelax.testing.corners import ELEMENT_DTYPES, corners, fill, plain
from refrelax.testing.deduced import mistyped
from refrelax.testing.sketches import SKETCHES

INDEX_DTYPES = ("int64", "int32", "uint8", "int8", "uint64", "int16", "bool", "uint32", "float32", "int4")
SECOND_DTYPES = (
    "float32", "int8", "bool", "float16", "uint8", "int64", "float64", "bfloat16", "float8_e8m0fnu", "uint64",
)  # fmt: skip
EXTENTS = (3, 1, 0)
"""What ``n`` is; ``m`` is 2."""

_AS_LONG = {len(each): each for each in reversed(ELEMENT_DTYPES)}
"""The first dtype with a name of each length."""

_PARAM = re.compile(r"(\w+):(\w+)(?:\[([^\]]*)\])?")
_LETTER = re.compile(r"(?<![\w.])[DEFI](?!\w)(?!\.)")
_CHOICE = re.compile(r"(?<!\{)\{([^{}]*)\}(?!\})")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a program: its name, dtype (or ``shape``) and extents as text; ``None`` for a scalar.

    ``known``: what its annotation says of a tensor: ``"all"``, ``"rank"`` (and dtype), or ``"nothing"``. The less it
    says, the less its arguments have to do with the line of the table.
    """

    name: str
    dtype: str
    extents: tuple[str, ...] | None
    known: str = "all"
    index: bool = False
    """Whether its elements are positions: the letter ``I`` of the table."""

    @property
    def stand_in(self) -> Param:
        """The same with the first dtype whose name is as long, if it is a tensor."""
        if self.extents is None or self.dtype == "shape":
            return self
        return replace(self, dtype=_AS_LONG[len(self.dtype)])

    @property
    def annotation(self) -> str:
        if self.known != "all" and self.dtype != "shape" and self.extents is not None:
            ranked = f'dtype="{self.dtype}", ndim={len(self.extents)}'
            return "R.Tensor()" if self.known == "nothing" or self.extents == ("*",) else f"R.Tensor({ranked})"
        if self.dtype == "shape":
            return f"R.Shape([{', '.join(map(_quoted, self.extents or ()))}])"
        if self.extents is None:
            return f'R.Prim("{self.dtype}")'
        if self.extents == ("*",):
            return f'R.Tensor(dtype="{self.dtype}")'
        if "?" in self.extents:
            return f'R.Tensor(dtype="{self.dtype}", ndim={len(self.extents)})'
        return f'R.Tensor({_extents(self.extents)}, "{self.dtype}")'

    def value(self, n: int, seed: int, policy: str) -> Any:
        """An argument: elements of ``policy`` (``"corners"``, ``"plain"``, ``"ascending"`` or ``"identity"``: zeros
        and ones, so ties) where ``n`` has this value."""
        if self.known != "all" and self.extents is not None and self.dtype != "shape":
            return self._strange(self._shape(n), seed, policy)
        shape, data = self.elements(n, seed, policy)
        if self.dtype == "shape":
            return Shape(shape)
        if self.extents is None:
            return bits.decode(self.dtype, int.from_bytes(data, "little"))
        return Tensor.of_bytes(self.dtype, shape, data)

    def _shape(self, n: int) -> tuple[int, ...]:
        known = {"?": 2, "m": 2, "n": n, "4*n": 4 * n, "*": 6}
        return tuple(known[e] if e in known else int(e) for e in self.extents or ())

    def elements(self, n: int, seed: int, policy: str) -> tuple[tuple[int, ...], bytes]:
        """The extents and the bytes of what ``value`` gives where the type is known."""
        shape = self._shape(n)
        return shape, b"" if self.dtype == "shape" else _filled(self.dtype, prod(shape), seed, policy)

    def _strange(self, shape: tuple[int, ...], seed: int, policy: str) -> Tensor:
        """A tensor that the annotation lets pass: extents off by one, and where nothing is known rank and dtype too."""
        turn = random.Random(f"{self.name} {seed} {shape}")
        dtype = self.dtype
        if turn.random() < 0.5:
            shape = tuple(max(0, extent + turn.choice((0, 0, 1, -1))) for extent in shape)
        if self.known == "nothing":
            dtype = turn.choice((dtype, dtype, dtype, *SECOND_DTYPES))
            shape = turn.choice((shape, shape, shape, shape[1:], (*shape, 2)))
        count = prod(shape)
        patterns = fill(corners(dtype) if policy == "corners" else plain(dtype), count, seed)
        return Tensor.of_bytes(dtype, shape, pack(dtype, patterns))


@lru_cache(maxsize=1 << 14)
def _filled(dtype: str, count: int, seed: int, policy: str) -> bytes:
    """So many elements of a policy."""
    patterns = fill(_elements(dtype, policy), count, seed)
    if policy == "ascending":
        patterns = sorted(fill(plain(dtype), count, 0), key=lambda each: bits.decode(dtype, each))
    return pack(dtype, patterns)


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> Module:
    return parse(text)


def _of_dtype(param: GraphParam, dtype: str) -> GraphParam:
    """A parameter with another dtype, if it is a tensor of one."""
    match param.type:
        case TensorType(dtype=str()) as type_:
            return replace(param, type=replace(type_, dtype=dtype))
        case _:
            return param


def _elements(dtype: str, policy: str) -> tuple[int, ...]:
    if policy == "corners":
        return corners(dtype)
    return plain(dtype) if policy == "plain" else plain(dtype, 2)


@cache
def _extents(extents: tuple[str, ...]) -> str:
    return f"({''.join([_quoted(e) + ', ' for e in extents])})"


def _quoted(extent: str) -> str:
    return extent if extent.isdigit() else f'"{extent}"'


@dataclass(frozen=True, slots=True)
class Program:
    """One call of ``op`` with its parameters, as text."""

    op: str
    params: tuple[Param, ...]
    call: str

    @property
    def text(self) -> str:
        head = ", ".join([f"{p.name}: {p.annotation}" for p in self.params])
        body = f"    @R.function(pure=False)\n    def main({head}):\n        gv = {self.call}\n        return gv\n"
        world = '    I.module_global_infos({"vdevice": [I.vdevice("llvm")], "mesh": [R.device_mesh((2,), [0, 1])]})\n'
        return "@I.ir_module\nclass Module:\n" + (world if "mesh[" in self.call or "llvm:" in self.call else "") + body

    @property
    def module(self) -> Module:
        """``text``, read. Reading asks for no dtype of a tensor: those are put in place of the ones of a text that was
        read before, in which everything has the same place.

        Raises:
            Malformed: as ``parse``.
        """
        read = _read(replace(self, params=tuple([p.stand_in for p in self.params])).text)
        function = read.functions["main"]
        assert isinstance(function, Function)
        params = tuple(_of_dtype(told, p.dtype) for told, p in zip(function.params, self.params, strict=True))
        return replace(read, functions={"main": replace(function, params=params)}, source=self.text)

    def loosened(self, known: str) -> Program:
        """The program with less known of its parameters."""
        return replace(self, params=tuple(replace(p, known=known) for p in self.params))

    @property
    def sized(self) -> bool:
        """Whether the arguments depend on what ``n`` is."""
        sizes = [e in ("n", "4*n") or p.known != "all" for p in self.params for e in p.extents or ()]
        return True in sizes

    def arguments(self, n: int, seed: int, policy: str) -> list[Any]:
        return [p.value(n, seed + 5 * k, policy) for k, p in enumerate(self.params)]


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong (``where``: the stage), in which program, with which arguments."""

    op: str
    where: str
    detail: str
    text: str
    arguments: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.op} [{self.where}] {self.detail}\n{self.text}arguments: {list(self.arguments)}"


def alternatives(call: str) -> list[str]:
    """The calls that ``{a; b}`` stand for; ``{{}}`` is a pair of braces."""
    pieces = _CHOICE.split(call)
    choices = [[piece] if k % 2 == 0 else [each.strip() for each in piece.split(";")] for k, piece in enumerate(pieces)]
    return ["".join(each).replace("{{", "{").replace("}}", "}") for each in product(*choices)]


def programs(op: str, seed: int = 0, per_dtype: int = 2, only: tuple[str, ...] = ELEMENT_DTYPES) -> Iterator[Program]:
    """Programs that call ``op`` (without ``relax.``): each line at every dtype, some of its alternatives each."""
    turn = random.Random(f"{op} {seed}")
    for line in SKETCHES[op]:
        head, _, call = line.replace("{op}", op).partition("|")
        calls = alternatives(call.strip())
        params = _parameters(head)
        turn.shuffle(calls)
        letters = [x for x in "DFEI" if re.search(rf"\b{x}\b", line)]
        mains = only if "D" in letters or "F" in letters else only[:1]
        step = turn.randrange(100)
        for k, main in enumerate(mains):
            for j in range(min(per_dtype, len(calls))):
                place = step + 7 * k + j
                chosen = {
                    "D": main, "F": main if "D" not in letters else ("float32", "float16", main)[place % 3],
                    "E": SECOND_DTYPES[place % len(SECOND_DTYPES)],
                    "I": (INDEX_DTYPES if place % 2 else INDEX_DTYPES[:2])[place // 2 % (10 if place % 2 else 2)],
                }  # fmt: skip
                yield _program(op, params, calls[(k * per_dtype + j) % len(calls)], chosen)


Line = tuple[tuple[str, str, tuple[str, ...] | None], ...]
"""The parameters of a line: name, dtype or letter, extents."""


def _parameters(head: str) -> Line:
    return tuple(
        (m[1], m[2], None if m[3] is None else tuple(e.strip() for e in m[3].split(",") if e.strip()))
        for m in _PARAM.finditer(head)
    )


def _program(op: str, line: Line, call: str, chosen: dict[str, str]) -> Program:
    params = [Param(name, chosen.get(dtype, dtype), extents, "all", dtype == "I") for name, dtype, extents in line]
    return Program(op, tuple(params), _LETTER.sub(lambda m: chosen[m[0]], call))


# --- judging one program ---------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """How many programs were met, accepted, run, and how the runs of ``ieee`` ended."""

    programs: int = 0
    accepted: int = 0
    runs: int = 0
    returned: int = 0
    unsupported: int = 0


BUDGET = Budget(steps=200_000, elements=200_000)


def examine(program: Program, tally: Tally | None = None, backends: bool = True, deep: bool = True) -> Iterator[Fault]:
    """The faults of one program. ``backends``: the NumPy backend as well; ``deep``: also run it, not only check."""
    tally = tally if tally is not None else Tally()
    tally.programs += 1
    try:
        checked = check(parse(program.text))
    except Rejection:
        return
    except Exception as error:
        yield Fault(program.op, "check", _named(error), program.text)
        return
    tally.accepted += 1
    if not deep:
        return
    executables: dict[str, Any] = {}
    for mode in ("bits", "fast") if backends else ():
        try:
            executables[mode] = compile(checked, "numpy", mode)
        except Unsupported:
            tally.unsupported += 1
        except Exception as error:
            yield Fault(program.op, f"compile {mode}", _named(error), program.text)
    for k, (n, policy) in enumerate(product(EXTENTS, ("corners", "plain"))):
        if n != EXTENTS[0] and not program.sized:
            continue
        tally.runs += 1
        made = partial(program.arguments, n, k, policy)
        typed = all(p.known == "all" for p in program.params)
        extents = {"n": n, "m": 2} if typed else {}
        for where, detail in _runs(checked, executables, made, tally, extents):
            yield Fault(program.op, where, detail, program.text, tuple(made()))


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _runs(
    checked: CheckedModule,
    executables: dict[str, Any],
    arguments: Callable[[], list[Any]],
    tally: Tally,
    extents: dict[str, int],
) -> Iterator[tuple[str, str]]:
    found: dict[str, Outcome] = {}
    for numerics in ("ieee", "enclosure", "sampled"):
        try:
            found[numerics] = run(checked, "main", *arguments(), numerics=numerics, budget=BUDGET, seed=tally.runs)
        except Unlinkable:
            return
        except Exception as error:
            yield numerics, _named(error)
    for mode, executable in executables.items():
        try:
            found[mode] = executable.run("main", *arguments())
        except (Unsupported, UsageError):
            continue
        except Exception as error:
            yield mode, _named(error)
            continue
        if not extents and isinstance(found[mode], Unspecified):
            del found[mode]  # the backend writes no checks for what typing leaves open, and says so
    reference, wide = found.get("ieee"), found.get("enclosure")
    tally.returned += isinstance(reference, Returned)
    deduced = checked.types["main"].get("gv")
    if isinstance(reference, Returned) and deduced is not None and (why := mistyped(deduced, reference.value, extents)):
        yield "deduced type", why
    if reference is None or wide is None:
        return
    for name in ("ieee", "sampled", "fast", "bits"):
        try:
            if name in found and (why := _contradiction(wide, found[name])):
                yield f"{name} against enclosure", why
        except Exception as error:
            yield f"judging {name}", _named(error)
    if "bits" in found and (why := _unequal(reference, found["bits"])):
        yield "bits against ieee", why


def _contradiction(wide: Outcome, found: Outcome) -> str | None:
    """Why an outcome is none that the enclosure permits; ``None`` if it is."""
    match wide, found:
        case (Exhausted() | Unspecified(), _) | (_, Exhausted()):
            return None
        case (Trapped(), Trapped()):
            return None
        case (Returned(value=a), Returned(value=b)):
            return _outside(a, b)
        case _:
            return f"{_brief(wide)} against {_brief(found)}"


def _brief(outcome: Outcome) -> str:
    return type(outcome).__name__ + (f" {outcome.rule}" if isinstance(outcome, Trapped | Unspecified) else "")


def _outside(wide: Any, found: Any) -> str | None:
    if isinstance(wide, tuple):
        if not isinstance(found, tuple) or len(wide) != len(found):
            return f"a tuple of {len(wide)} against {found!r}"
        return next((why for a, b in zip(wide, found, strict=True) if (why := _outside(a, b))), None)
    if not isinstance(wide, Tensor):
        same = wide == found or (wide != wide and found != found)
        return None if same or not isinstance(wide, bool | int | float | str) else f"{wide!r} against {found!r}"
    if not isinstance(found, Tensor):
        return f"{wide!r} against {found!r}"
    if found.dtype != wide.dtype or found.shape != wide.shape:
        return f"{wide.dtype}{wide.shape} against {found.dtype}{found.shape}"
    open_here, may_be = found.poison(), wide.poison()
    for index, mark in open_here.items():
        if index not in may_be:
            return f"poison {mark} at {index}, which the enclosure has not"
    verdict = wide.judge(found)
    if isinstance(verdict, Outside):
        flat = wide.core.payloads()
        position = list(wide.core.indices()).index(verdict.index)
        return f"{verdict}: {found.core.payloads()[position]!r} in {flat[position]!r}"
    return None


def _unequal(a: Outcome, b: Outcome) -> str | None:
    """Why the bits of two outcomes differ where the first is determined."""
    match a, b:
        case (Exhausted() | Unspecified(), _) | (_, Exhausted()):
            return None
        case (Returned(value=x), Returned(value=y)):
            return _different(x, y)
        case (Trapped(), Trapped()):
            return None
        case _:
            return f"{_brief(a)} against {_brief(b)}"


def _different(a: Any, b: Any) -> str | None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return next((why for x, y in zip(a, b, strict=True) if (why := _different(x, y))), None)
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return None
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{a.shape} against {b.dtype}{b.shape}"
    for index, x, y in zip(a.core.indices(), a.patterns(), b.patterns(), strict=True):
        if x is not None and x != y and not (y is not None and _nan(a.dtype, x) and _nan(a.dtype, y)):
            shown = "poison" if y is None else bits.decode(a.dtype, y)
            return f"{bits.decode(a.dtype, x)!r} against {shown!r} at {index}"
    return None


def _nan(dtype: str, pattern: int) -> bool:
    return dtypes.is_float(dtype) and bits.decode(dtype, pattern) != bits.decode(dtype, pattern)
