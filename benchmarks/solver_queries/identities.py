"""Writes ``identities.json``: facts that an index simplifier such as TVM's analyzer rests on, as claims.

They are stated from the mathematics of each operator pair, for symbols and for several constants. All are true.
Run: ``python benchmarks/solver_queries/identities.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

from generate import counterexample

PLAIN = """
x + y - y == x
x + y - x == y
x - y + y == x
x - (x + y) == -y
(x + y) - (x + z) == y - z
(x - y) - (x - z) == z - y
x * y + x * z == x * (y + z)
x * y - x * z == x * (y - z)
y * x + x == x * (y + 1)
x * y - x == x * (y - 1)
x - (y - z) == x + z - y
(x - y) - z == x - (y + z)
min(x, y) - x == min(0, y - x)
max(x, y) - y == max(x - y, 0)
x - min(x, y) == max(0, x - y)
x - max(x, y) == min(0, x - y)
min(x, y) - max(x, y) == -abs(x - y)
max(x, y) - min(x, y) == abs(x - y)
min(x + z, y + z) == min(x, y) + z
max(z + x, z + y) == max(x, y) + z
min(x - z, y - z) == min(x, y) - z
min(z - x, z - y) == z - max(x, y)
max(z - x, z - y) == z - min(x, y)
min(x, min(x, y)) == min(x, y)
max(max(x, y), y) == max(x, y)
min(max(x, y), y) == y
max(min(x, y), y) == y
min(min(x, y), min(x, z)) == min(min(y, z), x)
max(max(x, y), max(x, z)) == max(max(y, z), x)
max(min(x, y), min(x, z)) == min(max(y, z), x)
min(max(x, y), max(x, z)) == max(min(y, z), x)
min(x, y) * 2 == min(2*x, 2*y)
max(x, y) * -3 == min(-3*x, -3*y)
x * (y + 2) == x * y + 2 * x
(x * 2) * 3 == x * 6
(x + 1) * 4 == 4 * x + 4
select(x < y, x, y) == min(x, y)
select(x < y, y, x) == max(x, y)
select(x >= y, x, y) == max(x, y)
select(b > 0, x, y) + select(b > 0, z, w) == select(b > 0, x + z, y + w)
select(b > 0, x, y) - x == select(b > 0, 0, y - x)
select(b > 0, x, x) == x
select(not b > 0, x, y) == select(b > 0, y, x)
(x < y) == (x + 1 <= y)
(x <= y) == (not y < x)
(x == y) == (y == x)
(x != y) == (x < y or y < x)
(x - y == 0) == (x == y)
(x + z < y + z) == (x < y)
(z - x < z - y) == (y < x)
(x * 2 < y * 2) == (x < y)
(x * -2 < y * -2) == (y < x)
(min(x, y) < z) == (x < z or y < z)
(max(x, y) < z) == (x < z and y < z)
(z < min(x, y)) == (z < x and z < y)
(z < max(x, y)) == (z < x or z < y)
(x < min(x, y) + 1) == (x <= y)
(x < y and y < x) == False
(x < y or y <= x) == True
(x == y and x != y) == False
(x <= y and y <= x) == (x == y)
not (x <= y and y < x)
x <= max(x, y)
min(x, y) <= y
(x * y == 0) == (x == 0 or y == 0)
x // 1 == x
x % 1 == 0
truncdiv(0, y) == 0 | y != 0
x // x == 1 | x != 0
x % x == 0 | x != 0
x * y // y == x | y != 0
y * x // y == x | y != 0
x * y % y == 0 | y != 0
(x * y + z) // y == x + z // y | y >= 1
(x * y - z) // y == x + (-z) // y | y >= 1
(z + x * y) // y == z // y + x | y >= 1
(x + y) // y == x // y + 1 | y >= 1
(x + y) % y == x % y | y >= 1
(x * y + z) % y == z % y | y >= 1
x * z // (y * z) == x // y | y >= 1; z >= 1
x * z % (y * z) == x % y * z | y >= 1; z >= 1
x // y // z == x // (y * z) | y >= 1; z >= 1
x % y < y | y >= 1
x % y >= 0 | y >= 1
x // y * y + x % y == x | y != 0
x // y * y <= x | y >= 1
x < x // y * y + y | y >= 1
(x - x % y) // y == x // y | y >= 1
x - x // y * y == x % y | y != 0
x // y == 0 | 0 <= x < y
x % y == x | 0 <= x < y
(x % y) // y == 0 | y >= 1
(x % y) % y == x % y | y >= 1
truncdiv(x, y) == x // y | x >= 0; y >= 1
truncmod(x, y) == x % y | x >= 0; y >= 1
truncdiv(x * y, y) == x | y != 0
truncmod(x * y, y) == 0 | y != 0
truncdiv(x * z, y * z) == truncdiv(x, y) | y >= 1; z >= 1
truncdiv(x, y) * y + truncmod(x, y) == x | y != 0
truncdiv(truncdiv(x, y), z) == truncdiv(x, y * z) | x >= 0; y >= 1; z >= 1
truncdiv(x * y + z, y) == x + truncdiv(z, y) | x >= 0; y >= 1; z >= 0
truncmod(x * y + z, y) == truncmod(z, y) | x >= 0; y >= 1; z >= 0
(x << 2) == x * 4
(x >> 2) == x // 4
(x & 15) == x % 16
(x << y) >> y == x | y >= 0
ceildiv(x, y) == x // y + select(x % y == 0, 0, 1) | y >= 1
ceildiv(x, y) * y >= x | y >= 1
min(x // y * y, x) == x // y * y | y >= 1
max((x + y - 1) // y * y, x) == (x + y - 1) // y * y | y >= 1
min((x + y - 1) // y * y, x) == x | y >= 1
max(x // y * y, x) == x | y >= 1
"""

CONSTANT = """
(x * {c} + y) // {c} == x + y // {c}
(x * {c} + y) % {c} == y % {c}
(x * {cd} + y) // {c} == x * {d} + y // {c}
(x * {cd} + y) % {c} == y % {c}
(x * {c} + y) // {cd} == (x + y // {c}) // {d}
(x * {c} + y) % {cd} == (x + y // {c}) % {d} * {c} + y % {c}
x * {c} // {cd} == x // {d}
x * {c} % {cd} == x % {d} * {c}
x * {cd} // {c} == x * {d}
x // {c} // {d} == x // {cd}
(x // {c} + 1) // {d} == (x + {c}) // {cd}
(x + {c}) // {c} == x // {c} + 1
(x - {c}) // {c} == x // {c} - 1
(x + {cd}) % {c} == x % {c}
x % {cd} % {c} == x % {c}
x % {cd} // {c} == x // {c} % {d}
(x % {cd} + y * {cd}) // {c} == x // {c} % {d} + y * {d}
x // {c} * {c} + x % {c} == x
x // {cd} * {d} + x // {c} % {d} == x // {c}
(x // {c} * {c} == x) == (x % {c} == 0)
(x < {c} * y) == (x // {c} < y)
(x * {c} < y) == (x < (y + {c1}) // {c})
(x // {c} < y) == (x < y * {c})
(y <= x // {c}) == (y * {c} <= x)
(x // {c} == y) == (y * {c} <= x and x < (y + 1) * {c})
(x * {c} == y * {c}) == (x == y)
(x * {c} == {c1}) == ({c1} == 0 and x == 0)
min(x * {c}, y * {c}) == min(x, y) * {c}
max(x // {c}, y // {c}) == max(x, y) // {c}
min(x, x + {c}) == x
max(x - {c}, x) == x
min(x + {c}, y + {c}) == min(x, y) + {c}
max(x, {c}) - {c} == max(x - {c}, 0)
min(x // {c} * {c} + {c1}, x) == x
max(x // {c} * {c}, x) == x
min((x + {c1}) // {c} * {c}, max(x, 0)) == max(x, 0) or x < 0
(x + {c1}) // {c} * {c} - x <= {c1}
truncdiv(x * {c}, {c}) == x
truncmod(x * {cd}, {c}) == 0
truncdiv(x * {c}, {cd}) == truncdiv(x, {d})
truncmod(x * {c}, {cd}) == truncmod(x, {d}) * {c}
truncdiv(truncdiv(x, {c}), {d}) == truncdiv(x, {cd})
truncdiv(x, -{c}) == -truncdiv(x, {c})
truncmod(x, -{c}) == truncmod(x, {c})
truncmod(truncmod(x, {cd}), {c}) == truncmod(x, {c})
truncdiv(x * {c} + y, {c}) == x + truncdiv(y, {c}) | x >= 0; y >= 0
truncmod(x * {c} + y, {c}) == truncmod(y, {c}) | x >= 0; y >= 0
truncdiv(min(x * {c}, y), {c}) == min(x, truncdiv(y, {c})) | x >= 0; y >= 0
max(x * {c}, y) // {c} == max(x, y // {c})
(min(x, y * {c}) + z * {c}) // {c} == min(x // {c}, y) + z
x // -{c} == (-x) // {c}
x % -{c} == -((-x) % {c})
(x + y // {c} * {c}) % {c} == x % {c}
(x + y % {c}) % {c} == (x + y) % {c}
(x * (y % {c})) % {c} == (x * y) % {c}
(x - y % {c}) % {c} == (x - y) % {c}
(x + {c}) // {cd} - x // {cd} <= 1
"""


def main() -> None:
    lines = PLAIN.strip().splitlines()
    for c, d in ((2, 3), (4, 4), (7, 5), (16, 8)):
        numbers = {"c": c, "d": d, "cd": c * d, "c1": c - 1}
        lines += [line.format(**numbers) for line in CONSTANT.strip().splitlines()]
    queries = []
    for place, line in enumerate(lines):
        claim, _, given = line.partition(" | ")
        assume = [each for each in given.split("; ") if each]
        found = counterexample(claim, assume, None)
        if found is not None:
            raise SystemExit(f"{line}: false at {found}")
        queries.append({"name": f"identities/{place}", "claim": claim, "assume": assume, "fits": None, "truth": True})
    path = Path(__file__).parent / "identities.json"
    path.write_text("[\n" + ",\n".join(json.dumps(each) for each in queries) + "\n]\n", encoding="utf-8")
    print(f"{len(queries)} identities: {path}")


if __name__ == "__main__":
    main()
