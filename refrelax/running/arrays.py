"""The one border to arrays from outside: NumPy, DLPack, buffers, nested lists, and back.

Inside, a tensor is cells of a reading; outside, it is dtype, shape and bit patterns. NumPy and ml_dtypes are
imported only
when somebody asks for a NumPy array.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from refrelax.errors import NoBits, UsageError
from refrelax.extras import optional
from refrelax.running.scalars import element
from refrelax.running.sharing import as_it_lies, canonical, dtype_of, name_of, shared
from refrelax.running.sharing import numpy_dtype as numpy_dtype
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.verdicts import Containment
from refrelax.semantics.values import TensorValue, from_bits
from refrelax.syntax import bits, dtypes
from refrelax.syntax.module import MACHINE, ConstantArray


class NoNumbers(UsageError):
    """Numbers were asked of elements that are none under their reading."""


class Tensor:
    """A tensor at the surface: dtype, shape and elements; a view of run-time memory, so externs may write to it.

    Make one with ``Tensor.of(nested_list_or_array, dtype)``.

    A tensor that came from an array is that array until its cells are asked for (``core``): until then
    ``np.asarray(tensor)``, ``np.from_dlpack(tensor)`` and ``memoryview(tensor)`` (Python 3.12) see its memory and copy
    nothing. From then on the cells are the tensor.
    """

    __slots__ = ("__weakref__", "_array", "_core")

    def __init__(self, core: TensorValue) -> None:
        self._core: TensorValue | None = core
        self._array: Any = None

    @staticmethod
    def over(array: Any) -> Tensor:
        """A tensor over the memory of a NumPy array of a dtype of ours."""
        if dtypes.memory_bits(name := name_of(array.dtype)) % 8:
            return Tensor.of_bytes(name, array.shape, array.tobytes())
        made = Tensor.__new__(Tensor)
        made._core, made._array = None, array
        return made

    @property
    def core(self) -> TensorValue:
        """The cells."""
        if self._core is None:
            held = self._array
            raw = ConstantArray(name_of(held.dtype), held.shape, _little_endian(held))
            self._core = from_bits(reading("ieee"), raw.dtype, raw.shape, raw.packed())
            self._array = None
        return self._core

    @staticmethod
    def of(data: Any, dtype: str | None = None) -> Tensor:
        """A tensor from a nested list, a number or any array. ``dtype`` defaults to the array's own, or to
        int32, float32 or bool by the first element of a list."""
        if type(data).__module__ == "numpy" and hasattr(data, "dtype"):
            if dtype is not None and data.dtype.name != dtype:
                raise UsageError(f"expected an array of {dtype}, found {data.dtype.name}")
            return Tensor.over(shared(data).copy())
        raw = to_constant(data, dtype)
        return Tensor(from_bits(reading("ieee"), raw.dtype, raw.shape, raw.packed()))

    @staticmethod
    def of_bytes(dtype: str, shape: tuple[int, ...], data: bytes) -> Tensor:
        """A tensor from the elements' bytes, little-endian, row-major."""
        raw = ConstantArray(dtype, shape, data)
        return Tensor(from_bits(reading("ieee"), dtype, shape, raw.packed()))

    @property
    def dtype(self) -> str:
        return self._core.dtype if self._core is not None else name_of(self._array.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._core.shape if self._core is not None else tuple(self._array.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    def patterns(self) -> list[int | None]:
        """Bit patterns, row-major; ``None`` for poison.

        Raises:
            UsageError: an element of this reading is no single number.
        """
        if self._core is None and (name := name_of(self._array.dtype)) != "bool":
            return [*ConstantArray(name, self._array.shape, _little_endian(canonical(self._array))).packed()]
        try:
            return self.core.bits()
        except NoBits:
            name = self.core.numerics.name
            held = "sets: .lo and .hi are their bounds, .judge(array) compares" if name in ENCLOSING else "terms"
            raise NoNumbers(f"elements under {name} are {held}; run with numerics='ieee' for numbers") from None

    def tolist(self) -> Any:
        """Elements as nested lists of Python numbers; ``None`` for poison. Raises as ``patterns``."""
        flat: Iterator[Any] = iter(_number(self.dtype, p) for p in self.patterns())
        return _nest(flat, self.shape)

    def tobytes(self) -> bytes:
        """The elements little-endian, row-major; poison is written as zeros."""
        if self._core is None:
            return _little_endian(canonical(self._array))
        return pack(self.dtype, [p or 0 for p in self.patterns()])

    def numpy(self) -> Any:
        """A NumPy array with these elements (a copy); low-precision floats come from ml_dtypes. Poison becomes 0 there:
        look at ``poison()`` first."""
        if self._core is None:
            found = canonical(self._array)
            return found.copy("C") if found is self._array else found
        dtype = numpy_dtype(self.dtype)
        import numpy

        return numpy.frombuffer(self.tobytes(), dtype=dtype).reshape(self.shape).copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """``copy``: as NumPy has it. Cells are always copied, so ``copy=False`` of a tensor that has them is an
        error."""
        if self._core is None and not copy:
            same = dtype is None or self._array.dtype == dtype
            if same or copy is None:
                return self._array if same else self._array.astype(dtype)
        if copy is False:
            raise ValueError("this tensor is no NumPy array of that dtype: its elements have to be copied")
        result = self.numpy()
        return result if dtype is None else result.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """As NumPy's: the memory of the array that the tensor came from, else a copy of the cells. A format that
        DLPack in NumPy lacks (``bfloat16``) is a ``BufferError``."""
        return self.__array__().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __buffer__(self, flags: int) -> memoryview:
        """As ``__dlpack__``."""
        return memoryview(self.__array__())

    def poison(self) -> dict[tuple[int, ...], str]:
        """The elements without meaning, by index, with the rule of each."""
        rule_of = self.core.numerics.poison_rule
        pairs = zip(self.core.indices(), self.core.payloads(), strict=True)
        return {index: found for index, payload in pairs if (found := rule_of(payload)) is not None}

    def assign(self, data: Any) -> None:
        """Overwrite all elements (what a destination-passing extern does)."""
        raw = to_constant(data, self.dtype)
        if raw.shape != self.shape or raw.dtype != self.dtype:
            raise UsageError(f"cannot assign {raw.dtype}{list(raw.shape)} to {self.dtype}{list(self.shape)}")
        if self._core is None and self._array.flags.writeable:
            self._array[...] = Tensor.of_bytes(raw.dtype, raw.shape, raw.data).numpy()
            return
        make = self.core.numerics.at(self.dtype).from_bits
        self.core.assign([make(p) for p in raw.patterns()])

    def __setitem__(self, index: Any, data: Any) -> None:
        if index is not Ellipsis and index != ():
            raise UsageError("only out[...] = values is supported")
        self.assign(data)

    def __eq__(self, other: object) -> bool:
        """Whether dtype, shape, reading and every element are the same: bit for bit, or as sets; poison by its rule."""
        if not isinstance(other, Tensor):
            return NotImplemented
        if self._core is None and other._core is None:
            same = (self.dtype, self.shape) == (other.dtype, other.shape)
            return same and self.tobytes() == other.tobytes()
        mine, theirs = self.core, other.core
        if (mine.dtype, mine.shape, mine.numerics.name) != (theirs.dtype, theirs.shape, theirs.numerics.name):
            return False
        if mine.numerics.exact_bits:
            return self.patterns() == other.patterns() and self.poison() == other.poison()
        return list(map(repr, mine.payloads())) == list(map(repr, theirs.payloads()))

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        dims = ", ".join(map(str, self.shape))
        if self.size > 16 or not self.core.numerics.exact_bits:
            return f"Tensor({self.dtype}[{dims}])"
        return f"Tensor({self.dtype}[{dims}], {spelled(self, self.tolist())})"

    # --- the set of permitted results (numerics="enclosure") ---------------------------------------------------------

    def judge(self, observed: Any) -> Containment:
        """``Inside(margin)``, ``Outside(index, by)`` or ``Undecided(width)`` for an observed array of this dtype and
        shape."""
        from refrelax.semantics.judging import judge_tensor

        self._has_bounds()
        raw = to_constant(observed, self.dtype)
        return judge_tensor(self.core, raw.dtype, raw.shape, raw.patterns())

    def contains(self, observed: Any) -> bool:
        """Whether every element of ``observed`` is permitted."""
        from refrelax.semantics.judging import contains_tensor

        self._has_bounds()
        raw = to_constant(observed, self.dtype)
        return contains_tensor(self.core, raw.dtype, raw.shape, raw.patterns())

    @property
    def lo(self) -> Any:
        """Least permitted values, as nested lists (``None`` where there is none)."""
        return _nest(iter(b[0] for b in self._bounds()), self.shape)

    @property
    def hi(self) -> Any:
        """Greatest permitted values, as nested lists."""
        return _nest(iter(b[1] for b in self._bounds()), self.shape)

    def _bounds(self) -> list[tuple[Any, Any]]:
        from refrelax.semantics.judging import bounds

        self._has_bounds()
        return [bounds(payload, self.dtype) for payload in self.core.payloads()]

    def _has_bounds(self) -> None:
        if (name := self.core.numerics.name) in ("exact", "ideal", "symbolic"):
            raise UsageError(f"elements under {name} have no bounds; run with numerics='enclosure' to compare")


ENCLOSING = ("enclosure", "strict")
"""Readings whose elements are sets with bounds."""


def spelled(value: Tensor, nested: Any) -> str:
    """Nested lists with something for each element of a tensor; an element without meaning says which rule took it."""
    lost = iter(value.core.payloads())

    def level(part: Any) -> str:
        if isinstance(part, list):
            return f"[{', '.join(map(level, part))}]"
        payload = next(lost)
        if isinstance(payload, Poison):
            return str(payload)
        rule = value.core.numerics.poison_rule(payload) if part is None else None
        return f"poison({rule})" if rule is not None else "nan" if part is None else repr(part)

    return level(nested)


def tensors(value: Any) -> list[Tensor]:
    """The tensors of a value, those of tuples in order."""
    if isinstance(value, tuple):
        return [each for field in value for each in tensors(field)]
    return [value] if isinstance(value, Tensor) else []


def _number(dtype: str, pattern: int | None) -> Any:
    if pattern is None:
        return None
    value = bits.decode(dtype, pattern)
    return bool(value) if dtype == "bool" else value


def _nest(flat: Iterator[Any], shape: Sequence[int]) -> Any:
    if not shape:
        return next(flat)
    return [_nest(flat, shape[1:]) for _ in range(shape[0])]


def pack(dtype: str, patterns: Sequence[int]) -> bytes:
    """Bit patterns as little-endian bytes."""
    size = dtypes.itemsize(dtype)
    if size not in MACHINE:
        return b"".join(pattern.to_bytes(size, "little") for pattern in patterns)
    cells = array(MACHINE[size], patterns)
    import sys

    if sys.byteorder == "big":
        cells.byteswap()
    return cells.tobytes()


# --- from outside ----------------------------------------------------------------------------------------------------


def to_constant(data: Any, dtype: str | None = None) -> ConstantArray:
    """Anything array-like as dtype, shape and bytes.

    Arrays keep their dtype (a differing ``dtype`` is an error, not a cast); lists and numbers take ``dtype``.

    Raises:
        UsageError: ragged lists, elements that are no numbers, unknown dtypes, or a dtype that contradicts the array's.
    """
    match data:
        case ConstantArray():
            raw = data
        case Tensor():
            raw = ConstantArray(data.dtype, data.shape, data.tobytes())
        case bool() | int() | float() | list() | tuple():
            return _from_lists(data, dtype)
        case _:
            raw = _from_array(data)
    if dtype is not None and raw.dtype != dtype:
        raise UsageError(f"expected an array of {dtype}, found {raw.dtype}")
    return raw


def _from_lists(data: Any, dtype: str | None) -> ConstantArray:
    shape: list[int] = []
    level: list[Any] = [data]
    while level and isinstance(level[0], list | tuple):
        lengths = {len(each) if isinstance(each, list | tuple) else -1 for each in level}
        if len(lengths) != 1:
            raise UsageError("a ragged nested list is no tensor")
        shape.append(lengths.pop())
        level = [item for each in level for item in each]
    if any(isinstance(each, list | tuple) for each in level):
        raise UsageError("a ragged nested list is no tensor")
    if any(getattr(each, "shape", ()) != () for each in level):
        raise UsageError("a list of arrays is no tensor: give each argument by itself, or one array")
    level = [element(each) for each in level]
    chosen = dtype or _default_dtype(level)
    try:
        patterns = [bits.pattern(chosen, each) for each in level]
    except (TypeError, ValueError) as error:
        raise UsageError(f"these elements are no {chosen}: {error}") from None
    return ConstantArray(chosen, tuple(shape), pack(chosen, patterns))


def _default_dtype(items: list[Any]) -> str:
    if items and all(isinstance(each, bool) for each in items):
        return "bool"
    return "int32" if items and all(isinstance(each, int) for each in items) else "float32"


def _from_array(data: Any) -> ConstantArray:
    """NumPy arrays and scalars, DLPack tensors, and objects with the buffer protocol."""
    name = dtype_of(data)
    as_it_lies(data)
    if name is not None and hasattr(data, "tobytes") and hasattr(data, "shape"):
        return ConstantArray(_known(name), tuple(int(e) for e in data.shape), _little_endian(data))
    if hasattr(data, "__dlpack__"):
        return _from_dlpack(data)
    if hasattr(data, "__array__"):
        return _from_array(data.__array__())
    try:
        view = memoryview(data)
    except TypeError:
        raise UsageError(f"a {type(data).__name__} is no array") from None
    return ConstantArray(_buffer_dtype(view), tuple(view.shape or ()), view.tobytes())


def _little_endian(data: Any) -> bytes:
    dtype = data.dtype
    if hasattr(dtype, "byteorder") and dtype.byteorder == ">":
        data = data.astype(dtype.newbyteorder("<"))
    found: bytes = data.tobytes()
    return found


def _from_dlpack(data: Any) -> ConstantArray:
    with optional("a DLPack tensor"):
        return _from_array(shared(data.detach().cpu() if hasattr(data, "detach") else data))


_FORMATS = {"e": "float16", "f": "float32", "d": "float64", "?": "bool"}


def _buffer_dtype(view: memoryview) -> str:
    code = view.format.lstrip("@=<")
    if code in _FORMATS:
        return _FORMATS[code]
    if code in "bhilqBHILQ":
        return ("int" if code.islower() else "uint") + str(8 * view.itemsize)
    raise UsageError(f"a buffer of format {view.format!r} is no tensor")


def _known(name: str) -> str:
    if not dtypes.is_dtype(name):
        raise UsageError(f"{name} is no dtype of refrelax")
    return name
