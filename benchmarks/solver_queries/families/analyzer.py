"""The second blind set: ranges, residues, bounds to deduce, digits with offsets, sums of digits, and narrow arithmetic.

Format: ``shapes.py``.
"""

RANGES = """
x // {a} == 0 | 0 <= x < {a}
x // {a} == -1 | -{a} <= x < 0
x % {a} == x + {a} | -{a} <= x < 0
x % {a} == x - {a} | {a} <= x < {2*a}
truncdiv(x, {a}) == 0 | -{a} < x < {a}
truncmod(x, {a}) == x | -{a} < x < {a}
x // {a} <= {b} | x <= {a*b+a-1}
x // {a} >= -{b} | x >= -{a*b}
x // y == 0 | 0 <= x; x < y
x // y == -1 | x < 0; x + y >= 0
x % y == x | 0 <= x; x < y
x % y == x + y | x < 0; x + y >= 0
x % y == x - y | y <= x; x < 2 * y
x // y == 1 | y <= x; x < 2 * y
{a} * x + {c} >= {c} | x >= 0
{a} * x - y <= {a*b} | x <= {b}; y >= 0
-{a} * x + {c} <= {c} | x >= 0
x * y <= {a*b} | -{a} <= x <= {a}; -{b} <= y <= {b}
x * x <= {a*a} | -{a} <= x <= {a}
x * y - z <= {a*b} | 0 <= x <= {a}; 0 <= y <= {b}; z >= 0
(x + y) // 2 <= {a} | x <= {a}; y <= {a}
x // {a} * {a} >= x - {a-1}
x // y * y > x - y | y >= 1
x - y // {a} >= 0 | x >= y; y >= 0
x // {a} - x // {a*b} >= 0 | x >= 0
x // {a} + y // {a} <= (x + y) // {a}
abs(x // {a}) <= abs(x)
abs(x) // {a} <= abs(x)
x % {a} * {b} <= {a*b-b}
x % {a} - y % {a} < {a}
x % {a} - y % {a} > -{a}
x % {a} + x // {a} <= x | x >= 0
x % y + x // y <= x | x >= 0; y >= 1
x % y <= x // 2 | x >= 0; y >= 1; y <= x
2 * (x % y) < x + y | y >= 1; x >= 0
(x + {a}) // {b} >= x // {b}
({a} * x + {b}) // {c} <= ({a} * y + {b}) // {c} | x <= y
({a} * x < {c}) == (x < {-(-c // a)})
({a} * x + {b} <= y) == (x <= (y - {b}) // {a})
({a} * x + {b} > y) == (x > (y - {b}) // {a})
({a} * x - {b} >= y) == (x >= ceildiv(y + {b}, {a}))
(-{a} * x <= y) == (x >= ceildiv(-y, {a}))
({a} * x + y < {a} * z) == (x < z) | 0 <= y < {a}
(x * y < z) == (x < ceildiv(z, y)) | y >= 1
(x * y <= z) == (x <= z // y) | y >= 1
(x // y >= z) == (x >= y * z) | y >= 1
(x // y < z) == (x < y * z) | y >= 1
(x // {a} == y // {a}) == (x // {a} * {a} <= y and y < x // {a} * {a} + {a})
! x // {a} == 0 | -1 <= x < {a}
! (x // {a}) * {a} > x - {a-1}
! 2 * (x % y) < x | y >= 1; x >= y - 1
! ({a+1} * x <= y) == (x < y // {a+1})
! x % {a} + x // {a} <= x
! (x * y <= z) == (x <= z // y)
! x * y <= {a*b} | x <= {a}; y <= {b}
"""

RESIDUES = """
({2*a} * x + 1) % 2 == 1
({a*b} * x + {a} * y) % {a} == 0
({a} * x + {c}) % {a} == {c % a}
({a} * x + {a} * y * z + {a-1}) % {a} == {a-1}
select(p > 0, {a} * x, {a*b} * y + {a}) % {a} == 0
min({a} * x, {a} * y + {a}) % {a} == 0
max({a} * x, {a*b}) % {a} == 0
({a} * x + 1) * ({a} * y + 1) % {a} == 1
({a} * x - 1) * ({a} * y - 1) % {a} == {1 % a}
(x * {a}) // {b} * {b} % {b} == 0
x * (x - 1) % 2 == 0
x * (x + 1) * (2 * x + 1) % 6 == 0
(x * x - x) % 2 == 0
x * x * x % 2 == x % 2
(x + y) * (x - y) % 2 == (x + y) % 2
x * x % 2 == x % 2
(x * x + y * y) % 4 != 3
(x * x * x * x) % 5 <= 1
(3 * x) % 7 == (3 * (x % 7)) % 7
(x % 6) % 3 == x % 3
(x % 6) % 4 == x % 4 or x % 6 != x
x % 6 // 3 == x // 3 % 2
x % 4 == 1 or x % 4 == 3 | x % 2 == 1
x % 3 == 0 | x % 6 == 3
x % 2 == 1 | x % 6 == 3
x % 12 == 7 | x % 3 == 1; x % 4 == 3
x % 15 == 8 | x % 3 == 2; x % 5 == 3
x // 2 % 2 == 0 or x % 4 >= 2
x % 4 // 2 * 2 + x % 2 == x % 4
x % {a*b} - x % {a} == x // {a} % {b} * {a}
(x - x % {a}) % {a} == 0
(x + y) % {a} == (x % {a} + y % {a}) % {a}
(x + y) % {a} == x % {a} + y % {a} | x % {a} + y % {a} < {a}
x % {a} == y % {a} | x == y + {a} * z
x % d == y % d | x == y + d * z; d >= 1
(x * d + y) % d == y % d | d >= 1
(x + d - 1) % d == (x - 1) % d | d >= 1
(x + d * y) // d % 2 == (x // d + y) % 2 | d >= 1
x % (d * e) % d == x % d | d >= 1; e >= 1
x % (d * e) // d == x // d % e | d >= 1; e >= 1
(x % d + d) % d == x % d | d >= 1
(d - x % d) % d == -x % d | d >= 1
x + (-x) % d == ceildiv(x, d) * d | d >= 1
(-x) % {a} == ({a} - x % {a}) % {a}
(-x) % {a} + x == ceildiv(x, {a}) * {a}
! (x + y) % {a} == x % {a} + y % {a}
! x * (x + 1) % 4 == 0
! x % 12 == 7 | x % 3 == 1; x % 4 == 0
! x * x % 8 <= 1
! (x % 6) % 4 == x % 4
! x % (d * e) // d == x // e % d | d >= 1; e >= 1
"""

DIGITS = """
(i - {c}) // {a} * {a} + (i - {c}) % {a} + {c} == i
(i * {a} + j - {c}) // {a} == i | {c} <= j < {a+c}
(i * {a} + j - {c}) % {a} == j - {c} | {c} <= j < {a+c}
(i * {a*b} + j * {b} + k) // {a*b} == i | 0 <= j < {a}; 0 <= k < {b}
(i * {a*b} + j * {b} + k) // {b} % {a} == j | 0 <= j < {a}; 0 <= k < {b}
(i * {a*b} + j * {b} + k) % {b} == k | 0 <= k < {b}
(i * {a*b} + j * {b} + k) % {a*b} == j * {b} + k | 0 <= j < {a}; 0 <= k < {b}
(i * {a*b} + j * {b} + k + 1) // {b} == i * {a} + j | 0 <= k < {b-1}
(i * {a*b} + j * {b} + {b-1} - k) // {b} == i * {a} + j | 0 <= k < {b}
({a-1} - i) // 1 >= 0 | i < {a}
(n * {a} - 1 - i) // {a} == n - 1 - i // {a}
(n * {a} - 1 - i) % {a} == {a-1} - i % {a}
(n * d - 1 - i) // d == n - 1 - i // d | d >= 1
(n * d - 1 - i) % d == d - 1 - i % d | d >= 1
(x // {a} * {c} + x % {a} * {c}) // {c} == x // {a} + x % {a}
x // {a*b} * {a*b} + x % {a*b} // {a} * {a} + x % {a} == x
x // {a*b} * {b} + x % {a*b} // {a} == x // {a}
(x // {a*b} * {a*b} + x % {a*b}) // {a} == x // {a}
(x // 4 * 4 + x % 2 * 2 + x // 2 % 2) // 4 == x // 4
(x // 4 * 4 + x % 2 * 2 + x // 2 % 2) % 2 == x // 2 % 2
x % 2 * 4 + x // 2 % 2 * 2 + x // 4 % 2 <= 7
x % 2 * 4 + x // 2 % 2 * 2 + x // 4 == 0 or x > 0 | 0 <= x < 8
(x % 2 * 4 + x // 2 % 2 * 2 + x // 4 % 2) // 4 == x % 2
implies(x % 2 * 4 + x // 2 % 2 * 2 + x // 4 == y % 2 * 4 + y // 2 % 2 * 2 + y // 4, x == y) | 0 <= x < 8; 0 <= y < 8
implies(x // {a} == y // {a} and x % {a} == y % {a}, x == y)
implies(x // d == y // d and x % d == y % d, x == y) | d >= 1
implies(x % {a} * {b} + x // {a} == y % {a} * {b} + y // {a}, x == y) | 0 <= x < {a*b}; 0 <= y < {a*b}
x % {a} * {b} + x // {a} < {a*b} | 0 <= x < {a*b}
(x % {a} * {b} + x // {a}) % {b} == x // {a} | 0 <= x < {a*b}
(x % {a} * {b} + x // {a}) // {b} == x % {a} | 0 <= x < {a*b}
(x + y * {a}) // {a*b} == (x // {a} + y) // {b}
(x + y * {a}) % {a*b} == (x // {a} + y) % {b} * {a} + x % {a}
(x * {a} + y) // {b} == x * {a} // {b} + y // {b} | y % {b} == 0
x // 3 // 5 == x // 5 // 3
x // 6 % 2 + x // 12 * 2 == x // 6
(i * m + j) * k + l < n * m * k | 0 <= i < n; 0 <= j < m; 0 <= l < k
i + j * n + l * n * m < n * m * k | 0 <= i < n; 0 <= j < m; 0 <= l < k
(i + j * n + l * n * m) % n == i | 0 <= i < n
(i + j * n + l * n * m) // n % m == j | 0 <= i < n; 0 <= j < m
(i + j * n + l * n * m) // (n * m) == l | 0 <= i < n; 0 <= j < m
v // (n * m) * (n * m) + v // n % m * n + v % n == v | n >= 1; m >= 1
v // (n * m) < k | 0 <= v < n * m * k; n >= 1; m >= 1
! (i * {a} + j - {c}) // {a} == i | {c-1} <= j < {a+c}
! (n * {a} - 1 - i) // {a} == n - i // {a}
! implies(x // {a} == y // {a}, x == y)
! x % {a} * {b} + x // {a} < {a*b} | 0 <= x <= {a*b}
! (i + j * n) // n == j | 0 <= i <= n; n >= 1
"""

NARROW = """
i * 4 + 3 <= 2147483647 | 0 <= i < n; n <= 500000000 | int32
(i * m + j) * k + l >= 0 | 0 <= i < n; 0 <= j < m; 0 <= l < k; n <= 1024; m <= 1024; k <= 2047 | int32
n * {a} // {b} >= 0 | 0 <= n <= {(2**31-1)//a} | int32
ceildiv(n, {a}) * {a} >= n | 0 <= n <= {2**31-1-2*a} | int32
n - n // {a} * {a} >= 0 | 0 <= n | int64
i + (j - i) // 2 <= j | 0 <= i; i <= j | int64
max(n - {a}, 0) >= 0 | n >= -100 | int16
min(n, {a}) * min(n, {a}) >= 0 | n >= -{a} | int16
n % {a} * {b} < {a*b} |  | int16
abs(n - m) >= 0 | -64 <= n < 64; -63 <= m < 64 | int8
select(n > 100, 100, n) <= n | n >= -128 | int16
implies(n < 100 and n >= 0, n + n < 200) |  | int16
implies(n * n < 0, False) | -181 <= n <= 181 | int16
not (n > 0 and m > 0) or n - m < n |  | int32
n // 2 * 2 + n % 2 == n |  | int32
(n >> 1) + (m >> 1) <= max(n, m) |  | int32
(n >> {e}) << {e} <= n | n >= 0 | int16
int64(int32(n)) * {a} >= -{a} * 2147483648
int64(int8(n)) * int8(m) <= 16384
int32(n + m) == n + m | 0 <= n <= 1073741823; 0 <= m <= 1073741824
uint8(n + m) == (n + m) % 256
int8(n * 2) == n * 2 | -64 <= n < 64
uint16(n) // 256 < 256
uint8(n // 256) == n // 256 % 256
int32(n) // {a} <= 2147483647
uint8(n) * 256 + uint8(m) < 65536
int16(n) == n or n > 32767 or n < -32768
uint8(n) == n - 256 * (n // 256)
! i * 4 + 3 <= 2147483647 | 0 <= i < n; n <= 600000000 | int32
! (i * m + j) * k + l >= 0 | 0 <= i < n; 0 <= j < m; 0 <= l < k; n <= 2048; m <= 1024; k <= 2048 | int32
! abs(n - m) >= 0 | -64 <= n <= 64; -64 <= m <= 64 | int8
! n + {a} > n |  | int64
! int8(n * 2) == n * 2 | -64 <= n <= 64
! n // 2 * 2 + n % 2 + 1 > n |  | int32
! uint8(n + m) == uint8(n) + uint8(m)
! ceildiv(n, {a}) * {a} >= n | 0 <= n | int32
! uint8(n // 256) == n // 256 | n >= 0
"""

FAMILIES = {"ranges": RANGES, "residues": RESIDUES, "digits": DIGITS, "narrow": NARROW}
