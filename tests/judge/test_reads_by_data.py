"""Elements that are looked up by data: where the index is out of bounds, the first program's element is poison."""

import pytest

import refrelax as rr

SYMBOLS = "".join(f"{name} = TypeVar({name!r})\n" for name in "bknt")
HEAD = f"{SYMBOLS}\n@I.ir_module\nclass Module:\n    @R.function\n"
PARAMS = (
    '    def main(x: R.Tensor((b, {k}), "float32"), w: R.Tensor(({k}, n), "float32"), i: R.Tensor((t,), "int64"), '
    'j: R.Tensor((t,), "int64")):\n'
)
FIRST = ("s = R.take(w, i, axis=1)", "y = R.matmul(x, s)", "return y")
SECOND = ("s = R.matmul(x, w)", "y = R.take(s, i, axis=1)", "return y")


def word(first: tuple[str, ...], second: tuple[str, ...], k: str = "16") -> str:
    texts = (
        HEAD + PARAMS.replace("{k}", k) + "".join(f"        {line}\n" for line in each) for each in (first, second)
    )
    one, two = map(rr.parse, texts)
    return rr.validate(one, two, timeout=20).word


def test_a_take_moves_behind_a_product() -> None:
    assert word(FIRST, SECOND) == "PROVED"


WRONG = {
    "another index": (FIRST, (SECOND[0], "y = R.take(s, j, axis=1)", "return y"), "16"),
    "a product over nothing": (FIRST, SECOND, "k"),
    "an index that is cut off": (
        ("c = R.clip(i, 0, 3)", "s = R.take(w, c, axis=1)", *FIRST[1:]),
        SECOND,
        "16",
    ),
    "an index that the first program takes modulo": (
        ("c = R.floor_mod(i, R.const(3, 'int64'))", "s = R.take(w, c, axis=1)", *FIRST[1:]),
        SECOND,
        "16",
    ),
    "elements that are chosen in one program alone": (
        ("z = R.where(R.less(i, R.const(2, 'int64')), i, R.zeros_like(i))", "s = R.take(w, z, axis=1)", *FIRST[1:]),
        SECOND,
        "16",
    ),
}


@pytest.mark.parametrize("how", WRONG)
def test_others_do_not(how: str) -> None:
    first, second, k = WRONG[how]
    assert word(first, second, k) != "PROVED"
