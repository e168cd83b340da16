# ruff: noqa: E501
"""What an index simplifier asks: operator pairs with constants of either sign, truncation, divisibility, truth, overflow, casts.

Format: ``shapes.py``.
"""

PAIRS = """
(x + {a}) // {b} == (x + {a % b}) // {b} + {a // b}
(x - {a}) // {b} == (x + {-a % b}) // {b} + {-a // b}
(x * {a} + {c}) // {a} == x + {c // a}
(x * -{a} + y) // {a} == y // {a} - x
(x * {a} + y) // -{a} == (-y) // {a} - x
(x * {a*b} + y * {a} + {a-1}) // {a} == x * {b} + y
(x * {a*b} + y) // {a} % {b} == y // {a} % {b}
x // -{a} == -x // {a}
x % -{a} == -((-x) % {a})
x % -{a} <= 0 and x % -{a} > -{a}
x // -{a} * -{a} + x % -{a} == x
(x + {a}) % {a} == x % {a}
(x * {a+1}) % {a} == x % {a}
(x * {a-1}) % {a} == (-x) % {a}
(x * {a*b+1} + y) % {b} == (x + y) % {b}
(x % {a} + y) % {a} == (x + y) % {a}
(x % {a*b} + y) % {a} == (x + y) % {a}
(x % {a}) * (y % {a}) % {a} == x * y % {a}
(x - y) % {a} == (x % {a} - y % {a}) % {a}
x % {a} // {a} == 0
x % {a*b} // {b} < {a}
x // {a} % {b} * {a} + x % {a} == x % {a*b}
x // {a*b} * {b} + x // {a} % {b} == x // {a}
(x % {a} + {a}) // {a} == 1
(x % {a} - {a}) // {a} == -1
(x + y % {a}) // {a} <= x // {a} + 1
(x + y % {a}) // {a} >= x // {a}
min(x, {a}) + max(x, {a}) == x + {a}
min(x + {a}, y + {b}) - {a} == min(x, y + {b-a})
max({a} - x, {b} - x) == {max(a, b)} - x
min(x * -{a}, y * -{a}) == -max(x, y) * {a}
min(x, y) // {a} == min(x // {a}, y // {a})
max(x, y) // -{a} == min(x // -{a}, y // -{a})
max(x // {a}, y // {a}) * {a} <= max(x, y)
min(max(x, {c}), {c+a}) - {c} <= {a}
min(max(x, {c}), {c+a}) == max(min(x, {c+a}), {c})
max(min(x, {c}), {c}) == {c}
min(x % {a}, {a-1}) == x % {a}
min(x % {a}, {a}) == x % {a}
max(x % {a}, -1) == x % {a}
min(x // {a} * {a}, x) == x // {a} * {a}
max(ceildiv(x, {a}) * {a}, x) == ceildiv(x, {a}) * {a}
min(ceildiv(x, {a}) * {a}, x) == x
max(x // {a} * {a} + {a}, x) == x // {a} * {a} + {a}
max(min(x, y), min(x, z)) == min(x, max(y, z))
min(x, y) + min(-x, -y) == -abs(x - y)
abs(x) == max(x, -x)
abs(x * {a}) == abs(x) * {a}
abs(x) // {a} >= 0
abs(x + y) <= abs(x) + abs(y)
abs(x) - abs(y) <= abs(x - y)
abs(x * y) == abs(x) * abs(y)
select(x < {a}, x, {a}) == min(x, {a})
select(x % {a} == 0, x // {a}, x // {a} + 1) == ceildiv(x, {a})
select(x >= 0, x, -x) % {a} == abs(x) % {a}
select(p > 0, x * {a} + y, x * {a} + z) // {a} == x + select(p > 0, y // {a}, z // {a})
select(p > 0, x, y) * {a} == select(p > 0, x * {a}, y * {a})
(x < {a} + y) == (x - y < {a})
({a} * x < {a} * y + {a}) == (x <= y)
({a} * x + {a-1} < {a} * y) == (x < y)
(x * {a} <= {c}) == (x <= {c // a})
(x * {a} >= {c}) == (x >= {-(-c // a)})
(x * {a} == {a*b}) == (x == {b})
not x * {2*a} == y * {2*b} + 1
(x // {a} >= {b}) == (x >= {a*b})
(x // {a} == {b}) == ({a*b} <= x and x < {a*b+a})
(x // {a} < y) == (x < y * {a})
(x // {a} <= y) == (x < y * {a} + {a})
(x // {a} > y) == (x >= y * {a} + {a})
(ceildiv(x, {a}) <= y) == (x <= y * {a})
(ceildiv(x, {a}) < y) == (x <= y * {a} - {a})
(min(x, {a}) < {b}) == (x < {b} or {a} < {b})
(max(x, y) <= z) == (x <= z and y <= z)
(min(x, y) == x) == (x <= y)
(max(x, y) == x) == (y <= x)
(min(x, y) < max(x, y)) == (x != y)
(x % {a} == {a-1}) == ((x + 1) % {a} == 0)
(x % {a} == y % {a}) == ((x - y) % {a} == 0)
(x % 2 == 0) == (x % 2 != 1)
(x // {a} == (x + 1) // {a}) == (x % {a} != {a-1})
x // {a} + (x + {a-1}) // {a} <= x or x < {a}
x // 2 + (x + 1) // 2 == x
x // 3 + (x + 1) // 3 + (x + 2) // 3 == x
(x // {a} + y // {a}) * {a} <= x + y
(x + y) // {a} - x // {a} - y // {a} <= 1
(x - y) // {a} - x // {a} + y // {a} <= 0
(x * {a} + y * {b}) % {b} == x * {a} % {b}
! (x * {a} + y) // {a+1} == x + y // {a+1}
! x // -{a} == -(x // {a})
! x % -{a} == -(x % {a})
! (x + {a-1}) % {a} == x % {a} - 1
! (x % {a}) % {b} == x % {b} | {a} > {b}; {a % b} > 0
! min(x, y) % {a} == min(x % {a}, y % {a})
! max(x, y) // -{a} == max(x // -{a}, y // -{a})
! abs(x // {a}) == abs(x) // {a}
! (x - y) // {a} - x // {a} + y // {a} == 0
! abs(x) - abs(y) >= abs(x - y)
! (x * {a} >= {a*b+1}) == (x >= {b})
"""

TRUNCATION = """
truncdiv(x, {a}) == select(x >= 0, x // {a}, -((-x) // {a}))
truncdiv(x, {a}) == select(x >= 0, x // {a}, ceildiv(x, {a}))
truncdiv(x, {a}) == (x + select(x < 0, {a-1}, 0)) // {a}
truncdiv(x, {a}) - x // {a} <= 1
truncdiv(x, {a}) - x // {a} == select(x < 0 and x % {a} != 0, 1, 0)
truncmod(x, {a}) - x % {a} == 0 or truncmod(x, {a}) - x % {a} == -{a}
(truncmod(x, {a}) + {a}) % {a} == x % {a}
truncmod(truncmod(x, {a}) + {a}, {a}) == x % {a}
truncmod(x, {a}) % {a} == x % {a}
truncmod(x, -{a}) == truncmod(x, {a})
truncmod(-x, {a}) == -truncmod(x, {a})
truncdiv(x, -{a}) == -truncdiv(x, {a})
truncdiv(-x, -{a}) == truncdiv(x, {a})
truncdiv(x * {a}, {a*b}) == truncdiv(x, {b})
truncdiv(x * {a*b}, -{a}) == -x * {b}
truncmod(x * {a}, {a*b}) == truncmod(x, {b}) * {a}
truncmod(truncmod(x, {a*b}), {a}) == truncmod(x, {a})
truncdiv(truncmod(x, {a*b}), {a}) == truncmod(truncdiv(x, {a}), {b})
truncdiv(truncdiv(x, {a}), -{b}) == -truncdiv(x, {a*b})
abs(truncmod(x, {a})) <= {a-1}
abs(truncmod(x, {a})) == abs(x) % {a}
abs(truncdiv(x, {a})) == abs(x) // {a}
abs(truncdiv(x, y)) <= abs(x) | y != 0
abs(truncdiv(x, y)) == abs(x) // abs(y) | y != 0
truncdiv(x, y) * y <= x | x >= 0; y != 0
truncdiv(x, y) * y >= x | x <= 0; y != 0
(truncmod(x, y) > 0) == (x > 0 and truncmod(x, y) != 0) | y != 0
(truncdiv(x, {a}) == 0) == (-{a} < x and x < {a})
(truncdiv(x, {a}) >= {b}) == (x >= {a*b})
(truncdiv(x, {a}) <= -{b}) == (x <= -{a*b})
(truncmod(x, {a}) == 0) == (x % {a} == 0)
truncdiv(x + {a}, {b}) == (x + {a}) // {b} | x >= -{a}
truncdiv(x + y, {a}) >= truncdiv(x, {a}) | y >= 0
truncdiv(x, {a}) <= truncdiv(y, {a}) | x <= y
truncdiv(x * {a} + y, {a}) == x + truncdiv(y, {a}) | x >= 0; y >= 0
truncdiv(x * {a} + y, {a}) == x + truncdiv(y, {a}) | x <= 0; y <= 0
truncmod(x * {a} + y, {a}) == y | x >= 0; 0 <= y < {a}
truncmod(x - 1, {a}) + 1 <= {a} and truncmod(x - 1, {a}) + 1 > 0 | x >= 1
truncdiv(x - 1, {a}) + 1 == ceildiv(x, {a}) | x >= 1
truncdiv(x + {a-1}, {a}) == ceildiv(x, {a}) | x >= 0
truncdiv(x + {a-1}, {a}) >= ceildiv(x, {a})
min(truncdiv(x, {a}), truncdiv(y, {a})) == truncdiv(min(x, y), {a})
max(truncdiv(x, -{a}), truncdiv(y, -{a})) == truncdiv(min(x, y), -{a})
truncdiv(min(x, 0), {a}) + truncdiv(max(x, 0), {a}) == truncdiv(x, {a})
truncmod(x, {a}) + truncmod(-x, {a}) == 0
x % {a} + (-x) % {a} == 0 or x % {a} + (-x) % {a} == {a}
truncdiv(abs(x), {a}) == abs(x) // {a}
truncdiv(x // {a}, {b}) == x // {a*b} | x >= 0
truncdiv(x, {a}) // {b} == x // {a*b} | x >= 0
x // {a} <= truncdiv(x, {a}) and truncdiv(x, {a}) <= ceildiv(x, {a})
! truncdiv(x, {a}) // {b} == x // {a*b}
! truncdiv(x * {a} + y, {a}) == x + truncdiv(y, {a}) | x >= 0
! truncdiv(x + {a-1}, {a}) == ceildiv(x, {a})
! truncmod(x, {a}) == truncmod(x + {a}, {a})
! truncmod(x * {a} + y, {a}) == y | 0 <= y < {a}
! truncdiv(x + {a}, {b}) == (x + {a}) // {b}
! (truncdiv(x, {a}) == 0) == (-{a} <= x and x < {a})
! truncmod(x, y) == truncmod(y, x) | x >= 1; y >= 1
"""

DIVISIBILITY = """
n // {a} * {a} == n | n % {a} == 0
n // {a} * {b} * {a} == n * {b} | n % {a} == 0
n // {a} // {b} * {a*b} == n | n % {a*b} == 0
n % {a} == 0 | n % {a*b} == 0
(n + {a*c}) % {a} == 0 | n % {a} == 0
(n * m) % {a} == 0 | n % {a} == 0
(n + m) % {a} == 0 | n % {a} == 0; m % {a} == 0
(n * m) % {a*b} == 0 | n % {a} == 0; m % {b} == 0
(n + m) // {a} == n // {a} + m // {a} | n % {a} == 0
(n + {a-1}) // {a} == n // {a} | n % {a} == 0
ceildiv(n, {a}) == n // {a} | n % {a} == 0
ceildiv(n, {a}) * {a} == n | n % {a} == 0
n % 12 == 0 | n % 4 == 0; n % 6 == 0
n % 6 == 0 | n % 2 == 0; n % 3 == 0
n % 4 != 2 or n % 2 == 0
n % 30 == 0 | n % 6 == 0; n % 10 == 0
n % {a*b} < {a*b} - {a-1} | n % {a} == 0
i < n // {a} * {a} | i < n; n % {a} == 0
i // {a} < n // {a} | i < n; n % {a} == 0
i // d < n // d | i < n; n % d == 0; d >= 1
n // d * d == n | n % d == 0; d >= 1
n * m // d == n // d * m | n % d == 0; d >= 1
n // d >= 1 | n % d == 0; d >= 1; n >= 1
(n + d) % d == 0 | n % d == 0; d >= 1
(n + m) % d == 0 | n % d == 0; m % d == 0; d >= 1
(n * m) % d == 0 | n % d == 0; d >= 1
ceildiv(n, d) == n // d | n % d == 0; d >= 1
n // d // e * e * d == n | n % (d * e) == 0; d >= 1; e >= 1
n % d == 0 | n % (d * e) == 0; d >= 1; e >= 1
n + {a} <= m | n < m; n % {a} == 0; m % {a} == 0
n == m | n % {a} == 0; m % {a} == 0; n - m < {a}; m - n < {a}
n >= {a} | n >= 1; n % {a} == 0
n == 0 | 0 <= n < {a}; n % {a} == 0
n != {a+1} | n % {a} == 0
n == {a} | n % {a} == 0; {a-1} <= n <= {a+1}
min(n, m) % {a} == 0 | n % {a} == 0; m % {a} == 0
max(n, m) % {a} == 0 | n % {a} == 0; m % {a} == 0
select(p > 0, n, m) % {a} == 0 | n % {a} == 0; m % {a} == 0
n // 2 * 2 == n | n % 4 == 2
n % {a} == {a-1} | (n + 1) % {a} == 0
(n * {b}) % {a} == 0 | n % {a} == 0
n * (n + 1) % 4 == 0 or n % 4 == 1 or n % 4 == 2
n // {a} % {b} == 0 | n % {a*b} == 0
n // {a} % {b} == m // {a} % {b} | (n - m) % {a*b} == 0
(n // {a}) * {a*c} + j < n * {c} | n % {a} == 0; j < 0
truncdiv(n, {a}) == n // {a} | n % {a} == 0
truncdiv(n, {a}) * {a} == n | n % {a} == 0
truncmod(n, {a}) == 0 | n % {a*b} == 0
n // {a} * {a} + {a} <= n + {a} | n % {b} == 0
implies(n % {a} == 0 and n > 0, n // {a} > 0)
implies(n % {a} == 0 and m % {a} == 0 and n > m, n // {a} > m // {a})
implies(n % {a*b} == {c % (a*b)}, n % {a} == {c % a})
! n % {2*a} == 0 | n % 2 == 0; n % {a} == 0; {a} % 2 == 0
! n // {a} * {a} == n | n % {a} <= 1
! n * m % {a*a} == 0 | n % {a} == 0
! i < n - {a} | i < n; n % {a} == 0
! n // d * d == n | n % e == 0; e >= 1; d >= 1
! (n + m) // {a} == n // {a} + m // {a} | (n + m) % {a} == 0
! n >= {a+1} | n >= 1; n % {a} == 0
! implies(n % {a*b} != 0, n % {a} != 0)
"""

LOGIC = """
(x < y and y < z) == (x < y and y < z and x + 1 < z)
implies(x < y and y < z, x + 2 <= z)
implies(x < y, x <= y)
implies(x <= y and x != y, x < y)
implies(not x < y, y <= x)
implies(a <= x and x < b, a < b)
implies(max(a, c) < min(b, d), a < d and c < b)
implies(a < b and c < d and a < d and c < b, max(a, c) < min(b, d))
(not (a < d and c < b)) == (d <= a or b <= c)
not (x < {a} and x >= {a})
x < {a} or x >= {a}
x < {a} or x > {a-1}
x < {a} or x > {a} or x == {a}
implies(x > {a} and x < {a+2}, x == {a+1})
implies(x * 2 > {2*a} and x * 2 < {2*a+4}, x == {a+1})
implies(x >= {a} and y >= {b}, x + y >= {a+b})
implies(x >= {a} and y >= {b}, x * y >= {a*b})
implies(x + y < {a} and x >= 0 and y >= 0, x < {a} and y < {a})
implies(x + y == {a} and x - y == {a}, y == 0)
implies(x + y == z and x - y == z, y == 0)
implies(2 * x + 3 * y == 12 and x >= 0 and y >= 0, x == 0 or x == 3 or x == 6)
implies(x == y, x * x == y * y)
implies(x == {a} or x == {b}, x <= {max(a,b)})
implies(p == 0 or p == 1, p * p == p)
implies(p == 0 or p == 1, p * (1 - p) == 0)
implies(p * (1 - p) == 0, 0 <= p and p <= 1)
select(p == 0, x, y) == x or p != 0
select(x < y, x < z, y < z) == (min(x, y) < z)
select(x < y, select(y < z, x, z), select(x < z, y, z)) <= max(x, y)
(p > 0 and q > 0) == (min(p, q) > 0)
(p > 0 or q > 0) == (max(p, q) > 0)
(not p > 0) == (p <= 0)
not (p > 0) or p >= 1
((x < y) == (z < w)) == ((x < y and z < w) or (y <= x and w <= z))
((x < y) != (y <= x))
implies(implies(x < y, y < z), not x < y or y < z)
implies(x % {a} == 0 or y % {a} == 0, x * y % {a} == 0)
implies(x // {a} < y // {a}, x < y)
implies(x < y, x // {a} <= y // {a})
implies(x // {a} == y // {a}, abs(x - y) < {a})
implies(x // {a} == y // {a} and x % {a} == y % {a}, x == y)
x <= z | x <= y; y <= z
x < z + {a} | x <= y + {a-1}; y <= z
x + {a} <= z | x + {a} <= y; y <= z; z <= w
x == z | x <= y; y <= z; z <= x
x >= {a} | x > y; y >= {a-1}
x * z <= y * z | x <= y; z >= 0; w >= z
x + y <= {a+b} | x <= {a}; y <= {b}
x - y <= {a+b} | x <= {a}; y >= -{b}
x * y <= {a*b} | 0 <= x <= {a}; 0 <= y <= {b}
x * y >= -{a*b} | -{a} <= x <= {a}; 0 <= y <= {b}
x // y <= {a} | 0 <= x <= {a}; y >= 1
x * y < {a} * z | 0 <= x < {a}; 0 <= y; y <= z; z >= 1
x % y < {a} | 1 <= y <= {a}
abs(x) <= {a} | -{a} <= x <= {a}
min(x, y) >= {a} | x >= {a}; y >= {a+b}
n - i >= 1 | i < n; 0 <= i
n - i - 1 >= j | i + j < n
n * m >= 1 | n >= 1; m >= 1
n == {a} | n >= {a}; n <= {a}
n >= {a+1} | n >= {a}; n != {a}
n == 1 | n >= 0; n < 2; n != 0
x == {a} or x == {a+2} | {a} <= x <= {a+2}; x != {a+1}
i * 2 + j < n * 2 | 0 <= j < 2; i < n
i == 0 | 0 <= i; i * {a} < {a}
2 * i + 1 != 2 * j
{2*a} * i + {2*b} * j != {2*c+1}
! implies(x < y and y < z, x + 3 <= z)
! implies(x >= {a} and y >= -{b}, x * y >= -{a*b})
! (p > 0 or q > 0) == (p + q > 0)
! implies(x // {a} <= y // {a}, x <= y)
! x <= z | x <= y; y <= z + 1
! x * z <= y * z | x <= y; w >= z; w >= 0
! not (x < {a} and x >= {a-1})
! x * y < {a} * z | 0 <= x < {a}; 0 <= y; y <= z
! select(x < y, x < z, y < z) == (max(x, y) < z)
! implies(x * y >= 0, x >= 0 and y >= 0)
"""

OVERFLOW = """
n * m >= 0 | 0 <= n <= 46340; 0 <= m <= 46340 | int32
n * m >= 0 | 0 <= n <= 3037000499; 0 <= m <= 3037000499 | int64
n + m >= n | 0 <= n <= 1073741823; 0 <= m <= 1073741823 | int32
(n + {a}) // {b} >= 0 | 0 <= n <= {2**31 - 1 - a} | int32
i * m + j < n * m | 0 <= i < n; 0 <= j < m; n <= 40000; m <= 50000 | int32
i * m + j < n * m | 0 <= i < n; 0 <= j < m; n <= 2147483647; m <= 4294967296 | int64
(b * {a*1000} + t) // {a} >= 0 | 0 <= b < 65536; 0 <= t < {a} | int64
b * 1024 + t >= 0 | 0 <= b < 2097151; 0 <= t < 1024 | int32
b * 1024 + t < 2147483647 | 0 <= b < 2097151; 0 <= t < 1024 | int32
(x - y) // 2 <= x | 0 <= y; y <= x | int32
min(x, y) + (max(x, y) - min(x, y)) // 2 <= max(x, y) | 0 <= x; 0 <= y | int32
x - x // {a} * {a} == x % {a} | x >= 0 | int32
x // {a} * {a} <= x | x >= -{2**31 - a} | int32
x % {a} + {c} <= {a+c} |  | int16
abs(x) >= 0 | x > -128 | int8
x * x >= 0 | -11 <= x <= 11 | int8
x * x >= 0 | -181 <= x <= 181 | int16
-x == 0 - x | x >= -127 | int8
(x << {e}) == x * {2**e} | 0 <= x < {2**(15-e)} | int16
x >> {e} <= x | x >= 0 | int32
x * {a} // {a} == x | -{2**31 // a} <= x <= {2**31 // a - 1} | int32
(x + y) // 2 <= max(x, y) | 0 <= x <= 1073741823; 0 <= y <= 1073741823 | int32
n * {a} + {c} > 0 | 0 <= n <= {(2**31 - 1 - c) // a} | int32
n * h * w <= 2147483647 | 0 <= n <= 1290; 0 <= h <= 1290; 0 <= w <= 1290 | int32
((n * {a} + i) * {b} + j) * 4 < {a*b*4} * 1000 | 0 <= n < 1000; 0 <= i < {a}; 0 <= j < {b} | int32
off + n * 4 <= 2147483647 | 0 <= off <= 1073741824; 0 <= n <= 268435455 | int32
select(x > 0, x - 1, x + 1) <= x + 1 | x < 2147483647 | int32
implies(x < 2147483647, x + 1 > x) |  | int32
x < 127 and x + 1 > x or x == 127 |  | int8
truncdiv(x, {a}) <= x or x < 0 |  | int32
! n * m >= 0 | 0 <= n <= 46341; 0 <= m <= 46341 | int32
! n * m >= 0 | 0 <= n <= 3037000500; 0 <= m <= 3037000500 | int64
! n + m >= n | 0 <= n <= 1073741824; 0 <= m <= 1073741824 | int32
! b * 1024 + t >= 0 | 0 <= b <= 2097152; 0 <= t < 1024 | int32
! (x + y) // 2 <= max(x, y) | 0 <= x <= 1073741824; 0 <= y <= 1073741824 | int32
! x * x >= 0 | -12 <= x <= 12 | int8
! abs(x) >= 0 |  | int8
! x - (x - 1) == 1 |  | int32
! x // {a} * {a} <= x |  | int8
! n * h * w >= 0 | 0 <= n <= 1300; 0 <= h <= 1300; 0 <= w <= 1300 | int32
! off + n * 4 >= off | 0 <= off <= 1073741828; 0 <= n <= 268435456 | int32
! n * {a} + {c} > 0 | 0 <= n <= {(2**31 - 1 - c) // a + 1} | int32
! i * m + j < n * m | 0 <= i < n; 0 <= j < m; n <= 50000; m <= 50000 | int32
! x // -1 == -x |  | int32
! (x << {e}) >> {e} == x | 0 <= x <= {2**(15-e)} | int16
"""

CASTS = """
int32(x) == x | -2147483648 <= x < 2147483648
int32(x) == x | 0 <= x < {a*1000}
uint8(x) == x % 256
uint8(x) == (x & 255)
int8(x) == (x + 128) % 256 - 128
int8(x) == x | -128 <= x < 128
uint8(x) >= 0 and uint8(x) <= 255
int16(x) <= 32767
uint16(uint8(x)) == uint8(x)
int64(uint32(x)) == x % 4294967296
int32(int64(int8(x))) == int8(x)
uint8(x + 256) == uint8(x)
int8(x + {256*a}) == int8(x)
uint8(x) == x | 0 <= x < {a*b}; x < 256
int32(x * {a}) == x * {a} | 0 <= x < 100000
int32(n * m) == n * m | 0 <= n <= 40000; 0 <= m <= 40000
int32(i * m + j) < n * m | 0 <= i < n; 0 <= j < m; n <= 30000; m <= 30000
int32(x) + int32(y) == x + y | 0 <= x < 1000; 0 <= y < 1000
int64(int32(x)) // {a} == x // {a} | -1000 <= x <= 1000
int32(x // {a}) == x // {a} | 0 <= x <= 2147483647
uint32(x) // {a} == x // {a} | 0 <= x <= 2147483647
(int8(x) - x) % 256 == 0
(uint16(x) - x) % 65536 == 0
uint8(x) % {2**e} == x % {2**e} | {e} <= 8
int8(uint8(x)) == int8(x)
uint8(int8(x)) == uint8(x)
bool(x) == (x != 0)
! int32(x) == x | -2147483648 <= x <= 2147483648
! uint8(x) == x | -1 <= x < 256
! int8(x) >= 0 | x >= 0
! int8(x) == int16(x) | 0 <= x <= 128
! uint8(x) + uint8(y) == uint8(x + y) | x >= 0; y >= 0
! uint8(x * {a}) == uint8(x) * {a}
! int32(n * m) == n * m | 0 <= n <= 50000; 0 <= m <= 50000
! uint8(x) // {a} == uint8(x // {a})
! int16(uint16(x)) == uint16(x)
"""

FAMILIES = {"pairs": PAIRS, "truncation": TRUNCATION, "divisibility": DIVISIBILITY, "logic": LOGIC, "overflow": OVERFLOW, "casts": CASTS}  # fmt: skip
