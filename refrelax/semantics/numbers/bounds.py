"""How far a result may lie from the exact value: one literal table, in units in the last place of the exact result.

0.5 means correctly rounded. The allowances cover the C libraries, the documented bounds of CUDA's math library (maximum
4 for single precision among the functions listed) and TVM's own expansions except the defects named in
``spec/deviations.md``. Spec: ``spec/02-values.md``, ``num/permitted-ulps``.
"""

from __future__ import annotations

from refrelax.semantics.numbers.functions import FUNCTIONS

PERMITTED_ULPS: dict[str, float] = {
    **{name: f.ulps for name, f in FUNCTIONS.items()},
    "add": 0.5, "sub": 0.5, "mul": 0.5, "div": 0.5, "fma": 0.5,
    "copysign": 0.5, "nextafter": 0.5, "fmod": 0.5, "ldexp": 0.5,
    "pow": 8.0, "atan2": 4.0, "hypot": 4.0,
    "silu": 4.0, "gelu": 4.0, "gelu_tanh": 4.0, "selu": 4.0, "softplus": 4.0, "log_add_exp": 4.0, "scale": 0.5,
    "reduction": 1.0, "stepwise": 1.0,
}  # fmt: skip
"""Every operation on floats that is rounded, by name."""

ABSOLUTE = {name: f.slack for name, f in FUNCTIONS.items() if f.slack}
"""Additional slack in units of the least normal number."""

OF_ONE = {name: f.of_one for name, f in FUNCTIONS.items() if f.of_one}
"""Slack in units in the last place of 1, where that is more; a result keeps the sign of the exact one or is 0."""

REASSOCIATION, EXTREME_IDENTITY, ZERO_SIGN = "reassociation", "extreme-identity", "zero-sign"

RELAXATIONS: dict[str, str] = {
    REASSOCIATION: "any order and association of + and * outside of reductions",
    "fma": "contraction of a product into the addition that uses it, outside of reductions",
    "excess-precision": "keeping float16 and bfloat16 intermediates of fused steps in a wider format",
    "reciprocal": "x * (1 / y) for x / y",
    "flush-subnormals": "subnormal operands and results replaced by zero",
    ZERO_SIGN: "-0 for +0 and the reverse",
    EXTREME_IDENTITY: (
        "the lowest finite number for minus infinity where a maximum starts, and the reverse for a minimum"
    ),
    "one-pass-variance": "the variance as the mean of the squares less the square of the mean",
}
"""The named relaxations: off unless a comparison switches them on, and always reported. Permitted sets hold no sign of
a zero, so where results are compared ``zero-sign`` is reported without having been on."""

NARROW = 8
"""Formats of fewer significant bits (float8 and smaller) are computed in a wider one: one ulp is permitted there."""


def permitted_ulps(name: str, precision: int) -> float:
    """How far a result of ``name`` may lie from the exact value, for a format of ``precision`` significant bits."""
    ulps = PERMITTED_ULPS[name]
    return min(ulps, 1.0) if precision < NARROW else ulps


INFORMATIVE = 3
"""An enclosure decides when at least this fraction (one third) of the significant bits is determined."""


def widest_decisive(precision: int) -> float:
    """The greatest relative width that still decides, for a format of ``precision`` significant bits.

    ``2 ** -(precision // 3)``: 0.4 % for float32, 12 % for float16, 25 % for bfloat16. Seeded faults (a dropped
    product, a wrong epsilon, a swapped operand) move results by more than that of the output's magnitude; rounding in
    a sum of some thousand terms by less. An enclosure that is wider than this would hold many of the faulty results as
    well.
    """
    return 2.0 ** -(precision // INFORMATIVE)
