# ruff: noqa: E501
"""What front ends ask: layouts, windows, slices, concatenation, broadcasting, lengths.

A line is ``claim | assumptions | dtype of fits``; ``{expression}`` over the drawn constants of ``drawing.py``; a leading ``!`` says false.
All true lines hold over all integers that meet their assumptions.
"""

LAYOUTS = """
((n * C + c) * H + h) * W + w < N * C * H * W | 0 <= n < N; 0 <= c < C; 0 <= h < H; 0 <= w < W
(((n * C + c) * H + h) * W + w) // (H * W) % C == c | 0 <= n < N; 0 <= c < C; 0 <= h < H; 0 <= w < W
(((n * C + c) * H + h) * W + w) // W % H == h | 0 <= n < N; 0 <= c < C; 0 <= h < H; 0 <= w < W
(((n * H + h) * W + w) * C + c) % C == c | 0 <= n; 0 <= c < C; 0 <= h < H; 0 <= w < W
(((n * H + h) * W + w) * C + c) // C % W == w | 0 <= n; 0 <= c < C; 0 <= h < H; 0 <= w < W
(c // {a} * H + h) * {a} + c % {a} < C * H | 0 <= c < C; 0 <= h < H; C % {a} == 0
((c // {a} * H + h) * {a} + c % {a}) // {a} // H * {a} + ((c // {a} * H + h) * {a} + c % {a}) % {a} == c | 0 <= h < H
((c // {a} * H + h) * {a} + c % {a}) // {a} % H == h | 0 <= h < H
(x // {a} * {b} + y // {b}) * {a*b} + x % {a} * {b} + y % {b} < {a*b*4*b} | 0 <= x < {4*a}; 0 <= y < {b*b}
((x // {a} * 3 + y // {b}) * {a*b} + x % {a} * {b} + y % {b}) // {a*b} // 3 == x // {a} | 0 <= y < {3*b}
((x // {a} * 3 + y // {b}) * {a*b} + x % {a} * {b} + y % {b}) % {b} == y % {b} | 0 <= y < {3*b}
((x // {a} * 3 + y // {b}) * {a*b} + x % {a} * {b} + y % {b}) // {b} % {a} == x % {a} | 0 <= y < {3*b}
v // (m * k) * (m * k) + v // k % m * k + v % k == v | m >= 1; k >= 1
(v % m * n + v // m) % n == v // m | 0 <= v < n * m; m >= 1
(v % m * n + v // m) // n == v % m | 0 <= v < n * m; m >= 1
v % m * n + v // m < n * m | 0 <= v < n * m; m >= 1
v // {a} * {a*c} + (v % {a}) * {c} + j < n * {c} | 0 <= v < n; 0 <= j < {c}
(v // {a} * {a*c} + (v % {a}) * {c} + j) // {c} == v | 0 <= j < {c}
(i * {a} + j) // {a*b} == i // {b} | 0 <= j < {a}
(i * {a} + j) % {a*b} == i % {b} * {a} + j | 0 <= j < {a}
(i * {a} + j) // {a*b} * {b} + (i * {a} + j) % {a*b} // {a} == i | 0 <= j < {a}
((i * {b} + j) * {c} + k) // {c} // {b} == i | 0 <= j < {b}; 0 <= k < {c}
((i * {b} + j) * {c} + k) // {c} % {b} == j | 0 <= j < {b}; 0 <= k < {c}
i * s0 + j * s1 + k < n * s0 | 0 <= i < n; 0 <= j < m; 0 <= k < s1; s0 == m * s1
i * s0 + j * s1 + k < p * s0 + q * s1 + r | s1 >= 1; s0 >= s1; 0 <= i < p; 0 <= j <= q; 0 <= k <= r
i * m + j != p * m + q | 0 <= j < m; 0 <= q < m; i != p
implies(i * m + j == p * m + q, i == p and j == q) | 0 <= j < m; 0 <= q < m
implies((i * m + j) * k + l == (p * m + q) * k + r, i == p and j == q and l == r) | 0 <= j < m; 0 <= q < m; 0 <= l < k; 0 <= r < k
implies(i * {a} + j == p * {a} + q, i == p and j == q) | 0 <= j < {a}; 0 <= q < {a}
! implies(i * {a} + j == p * {a} + q, i == p and j == q) | 0 <= j <= {a}; 0 <= q <= {a}
! ((i * {b} + j) * {c} + k) // {b} % {c} == j | 0 <= j < {b}; 0 <= k < {c}; 0 <= i
! (v % m * n + v // m) % m == v // m | 0 <= v < n * m; m >= 1
! v // {a} * {b} + v % {a} < n * {b} | 0 <= v < n
"""

WINDOWS = """
o * {s} + k * {d} < H + {2*p} | 0 <= o < (H + {2*p} - {d*(k-1)} - 1) // {s} + 1; 0 <= k < {k}
o * {s} + k * {d} - {p} < H + {p} | 0 <= o; o <= (H + {2*p} - {d} * (K - 1) - 1) // {s}; 0 <= k < K
o * s + k * d < H | 0 <= o < (H - d * (K - 1) - 1) // s + 1; 0 <= k < K; s >= 1; d >= 1
o * s + k < H + 2 * p | 0 <= o < (H + 2 * p - K) // s + 1; 0 <= k < K; s >= 1; p >= 0
(H + {2*p} - {k}) // {s} + 1 >= 1 | H >= {k}
(H - {k} + {s}) // {s} == (H - {k}) // {s} + 1
(H - 1) // {s} + 1 == ceildiv(H, {s})
((H - 1) // {s} + 1 - 1) // {c} + 1 == ceildiv(H, {s*c})
((H - K) // s + 1 - 1) * s + K <= H | s >= 1
(((H - K) // s + 1) * s) + K > H | s >= 1
max((ceildiv(H, {s}) - 1) * {s} + {k} - H, 0) <= {k + s} | H >= 0
(H + max((ceildiv(H, {s}) - 1) * {s} + {k} - H, 0) - {k}) // {s} + 1 == ceildiv(H, {s}) | {k} >= {s}
ceildiv(H - {k}, {s}) + 1 >= (H - {k}) // {s} + 1
ceildiv(H - {k}, {s}) + 1 <= (H - {k}) // {s} + 2
ceildiv(H + {2*p} - {k}, {s}) * {s} >= H + {2*p} - {k}
((o - 1) * {s} - {2*p} + {k} + {2*p} - {k}) // {s} + 1 == o
((H - 1) * {s} + {k} - {2*p} + {2*p} - {k}) // {s} + 1 == H
((H - 1) * s + K - K) // s + 1 == H | s >= 1
(y * {s} + {k}) // {s} == y + {k // s}
y // {s} * {s} + {s} > y and y // {s} < H | 0 <= y < H * {s}
(c * {k*k} + kh * {k} + kw) // {k*k} == c | 0 <= kh < {k}; 0 <= kw < {k}
(c * {k*k} + kh * {k} + kw) % {k*k} // {k} == kh | 0 <= kh < {k}; 0 <= kw < {k}
(c * {k*k} + kh * {k} + kw) % {k} == kw | 0 <= kh < {k}; 0 <= kw < {k}
r // (K * L) * (K * L) + r % (K * L) // L * L + r % L == r | K >= 1; L >= 1
(oh * OW + ow) // OW * {s} + r % {k} <= (OH - 1) * {s} + {k-1} | 0 <= oh < OH; 0 <= ow < OW
implies(x >= {p} and x < H + {p}, 0 <= x - {p} and x - {p} < H)
select(x < {p}, {p} - x, select(x < H + {p}, x - {p}, 2 * H - 2 + {p} - x)) >= 0 | 0 <= x < H + {2*p}; H > {p}
select(x < {p}, {p} - x, select(x < H + {p}, x - {p}, 2 * H - 2 + {p} - x)) < H | 0 <= x < H + {2*p}; H > {p}
min(max(x - {p}, 0), H - 1) < H and min(max(x - {p}, 0), H - 1) >= 0 | H >= 1
(x - {p}) % H < H and (x - {p}) % H >= 0 | H >= 1
min(o * {s} + {k}, H) - o * {s} >= 1 | 0 <= o < ceildiv(H, {s})
min(o * {s} - {p} + {k}, H) - max(o * {s} - {p}, 0) <= {k}
o * H // O <= (o + 1) * H // O | O >= 1; H >= 0
ceildiv((o + 1) * H, O) <= H | 0 <= o < O; H >= 0
ceildiv((o + 1) * H, O) > o * H // O | 0 <= o < O; H >= 1
o * H // O < H | 0 <= o < O; H >= 1
! (H + {2*p} - {k}) // {s} + 1 >= 1 | H >= {k - 2*p - s}
! ((H - 1) // {s+1} + 1) * {s+1} == H | H >= 1
! ceildiv(H - {k}, {s+1}) == (H - {k}) // {s+1}
! o * {s} + k * {d} < H + {2*p} | 0 <= o <= (H + {2*p} - {d*(k-1)} - 1) // {s} + 1; 0 <= k < {k}
! o * H // O + 1 >= ceildiv((o + 1) * H, O) | 0 <= o < O; H >= 1
"""

SLICES = """
b + (ceildiv(e - b, {s}) - 1) * {s} < e | b < e
b + i * {s} < e | 0 <= i < ceildiv(e - b, {s})
b + i * s < e | 0 <= i < ceildiv(e - b, s); s >= 1
b + i * s < n | 0 <= i < ceildiv(min(e, n) - b, s); s >= 1; 0 <= b
b - i * {s} > e | 0 <= i < ceildiv(b - e, {s})
b - i * {s} >= 0 | 0 <= i < ceildiv(b + 1, {s}); 0 <= b < n
max(min(e, n), 0) - min(max(b, 0), n) <= n | n >= 0
select(b < 0, max(b + n, 0), min(b, n)) >= 0 | n >= 0
select(b < 0, max(b + n, 0), min(b, n)) <= n | n >= 0
select(b < 0, b + n, b) < n | -n <= b < n
select(b < 0, b + n, b) >= 0 | -n <= b < n
select(b < 0, b + n, b) == b % n | -n <= b < n
max(ceildiv(e - b, {s}), 0) == select(e > b, (e - b - 1) // {s} + 1, 0)
max(0, (e - b + {s} - 1) // {s}) == max(0, ceildiv(e - b, {s}))
ceildiv(b - e, {s}) == -((e - b) // {s})
(b - e + {s} - 1) // {s} == (e - b + 1 - {s} ) // -{s}
ceildiv(e - b, -{s}) >= 1 or e - b > -{s+1} | {s} >= 1
ceildiv(ceildiv(n, {a}), {b}) == ceildiv(n, {a*b})
ceildiv(n, {s}) + ceildiv(n - 1, {s}) >= (2 * n - 1) // {s}
ceildiv(n - 0, 2) + ceildiv(n - 1, 2) == n
ceildiv(n, 3) + ceildiv(n - 1, 3) + ceildiv(n - 2, 3) == n
implies(b + i * {s} == b + j * {s}, i == j)
implies(0 <= i and i < ceildiv(n, {s}), i * {s} <= n - 1)
(n - 1 - (n - 1 - i)) == i and n - 1 - i >= 0 | 0 <= i < n
n - 1 - (n - 1 - i) // {s} * {s} >= 0 | 0 <= i < n
i * ((b - a) // (n - 1)) + a <= b | 0 <= i < n; n >= 2; a <= b
a + (b - a) * i // (n - 1) <= b | 0 <= i < n; n >= 2; a <= b
a + (b - a) * i // (n - 1) >= a | 0 <= i < n; n >= 2; a <= b
min(e, n) - min(b, n) <= e - b | b <= e
min(max(e, 0), n) - min(max(b, 0), n) <= e - b | b <= e; n >= 0
min(b + k, n) - min(b, n) + min(b, n) == min(b + k, n) and min(b + k, n) >= min(b, n) | k >= 0
! b + i * {s} < e - 1 | 0 <= i < ceildiv(e - b, {s})
! ceildiv(b - e, {s+1}) == -((e - b) // {s}) | b >= e
! b - i * {s} >= 1 | 0 <= i < ceildiv(b + 1, {s}); 0 <= b < n
! select(b < 0, b + n, b) < n | -n <= b <= n; n >= 0
! min(max(e, 0), n) - min(max(b, 0), n) == e - b | b <= e; n >= 0
"""

JOINS = """
select(i < n, i, i - n) < max(n, m) | 0 <= i < n + m; n >= 0; m >= 0
select(i < n, i, i - n) >= 0 | 0 <= i < n + m; n >= 0; m >= 0
select(i < n, 0, select(i < n + m, 1, 2)) <= 2
select(i < n, i, select(i < n + m, i - n, i - n - m)) < max(n, m, k) | 0 <= i < n + m + k; n >= 0; m >= 0; k >= 0
select(i < n, i, n + (i - n)) == i
implies(i >= n and i < n + m, 0 <= i - n and i - n < m)
implies(i < n and j >= n, i != j)
select(i < n, i * {a}, n * {a} + (i - n) * {a}) == i * {a}
n * {a} + (i - n) * {a} + j < (n + m) * {a} | n <= i < n + m; 0 <= j < {a}
i * (n + m) + j < (i + 1) * (n + m) | 0 <= j < n; m >= 0
i * (n + m) + n + j < (i + 1) * (n + m) | 0 <= j < m; n >= 0
i * (n + m) + n + j != p * (n + m) + q | 0 <= j < m; 0 <= q < n; i == p
(i * (n + m) + n + j) % (n + m) == n + j | 0 <= j < m; n >= 0
(i * (n + m) + n + j) // (n + m) == i | 0 <= j < m; n >= 0
i // {a} * {a} + i % {a} < n + m | 0 <= i < n; m >= 0
select(n == 1, m, n) >= 1 | n >= 1; m >= 1
select(n == 1, m, n) == select(m == 1, n, m) | n >= 1; m >= 1; n == m or n == 1 or m == 1
select(n == 1, m, n) == max(n, m) | n >= 1; m >= 1; n == m or n == 1 or m == 1
select(n == 1, 0, i) < n | n >= 1; m >= 1; n == m or n == 1; 0 <= i < m
select(n == 1, 0, i) * m + j < n * m | 0 <= i < max(n, 1); 0 <= j < m; n >= 1
select(select(n == 1, m, n) == 1, k, select(n == 1, m, n)) == select(n == 1, select(m == 1, k, m), n) | n >= 1; m >= 1; k >= 1
implies(n * m == k * m and m >= 1, n == k)
n == m | n * {a} == m * {a}
n == m | n + k == m + k
n == m | n // {a} == m // {a}; n % {a} == m % {a}
n == m | n <= m; m <= n
n * m == k | n == k; m == 1
n * k == m * k | n == m or k == 0
i // (n // {a}) < {a} | 0 <= i < n; n % {a} == 0; n >= 1
i % (n // {a}) < n // {a} | 0 <= i < n; n % {a} == 0; n >= 1
i // (n // {a}) * (n // {a}) + i % (n // {a}) == i | n >= {a}
(n + {a-1}) // {a} * i + j < n + {a} * i | 0 <= i < {a}; 0 <= j < n - (n + {a-1}) // {a} * i
min((i + 1) * ceildiv(n, {a}), n) - min(i * ceildiv(n, {a}), n) <= ceildiv(n, {a}) | n >= 0; i >= 0
min({a} * ceildiv(n, {a}), n) == n
n // {a} + select(i < n % {a}, 1, 0) <= ceildiv(n, {a}) | 0 <= i
i * (n // {a}) + min(i, n % {a}) <= n | 0 <= i <= {a}; n >= 0
(i + 1) * (n // {a}) + min(i + 1, n % {a}) - (i * (n // {a}) + min(i, n % {a})) == n // {a} + select(i < n % {a}, 1, 0)
! i // (n // {a}) < {a} | 0 <= i < n; n >= {a}
! select(n == 1, m, n) == select(m == 1, n, m) | n >= 1; m >= 1
! n == m | n // {a} == m // {a}
! n == m | n * k == m * k
! select(i < n, i, i - n) < n | 0 <= i < n + m; n >= 0; m >= 0
"""

FAMILIES = {"layouts": LAYOUTS, "windows": WINDOWS, "slices": SLICES, "joins": JOINS}
