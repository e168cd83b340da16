"""Integers of any size as text. Python turns none of more than 4300 decimal digits into one (its setting for the whole
process, which a library leaves alone)."""

from __future__ import annotations

from collections.abc import Mapping

DECIMAL_BITS = 2_048
"""Up to so many bits a number is printed in decimals: fewer digits than the least limit that Python can be given."""

CHUNK = 512
"""Decimal digits that are converted at once."""


def spelled(number: int) -> str:
    """``number`` as claims are read and people read them: in decimals, a large one in hex."""
    return str(number) if number.bit_length() <= DECIMAL_BITS else hex(number)


def decimal(number: int) -> str:
    """``number`` in decimals however large, for languages that have no other integers (SMT-LIB)."""
    if number.bit_length() <= DECIMAL_BITS:
        return str(number)
    chunks, rest = [], abs(number)
    while rest.bit_length() > DECIMAL_BITS:
        rest, low = divmod(rest, 10**CHUNK)
        chunks.append(f"{low:0{CHUNK}}")
    return ("-" if number < 0 else "") + str(rest) + "".join(reversed(chunks))


def of_decimal(text: str) -> int:
    """The number that ``decimal`` wrote, however long."""
    digits, number = text.removeprefix("-"), 0
    first = len(digits) % CHUNK
    for start, end in [(0, first), *((k, k + CHUNK) for k in range(first, len(digits), CHUNK))]:
        number = number * 10 ** (end - start) + int(digits[start:end] or "0")
    return -number if text.startswith("-") else number


def spelled_values(values: Mapping[str, int]) -> str:
    """Integers by name, as Python prints a dictionary, each as ``spelled``."""
    return f"{{{', '.join(f'{name!r}: {spelled(value)}' for name, value in values.items())}}}"
