"""The second blind set: schedules of tiles, pipelines, packed weights, attention, resizing, scans, clamps.

Format: ``shapes.py``.
"""

SCHEDULES = """
pid // (gm * nn) * gm + pid % gm < nm + gm | 0 <= pid < nm * nn; gm >= 1; nn >= 1
min(nm - pid // ({a} * nn) * {a}, {a}) >= 1 | 0 <= pid < nm * nn; nn >= 1
pid // ({a} * nn) * {a} + pid % min(nm - pid // ({a} * nn) * {a}, {a}) < nm | 0 <= pid < nm * nn; nn >= 1
pid % ({a} * nn) // {a} < nn | 0 <= pid; nn >= 1
pid // nn < nm and pid % nn < nn | 0 <= pid < nm * nn; nn >= 1
pid % nm + pid // nm % nn * nm < nm * nn | pid >= 0; nm >= 1; nn >= 1
(pid % nm + pid // nm % nn * nm) // nm == pid // nm % nn | nm >= 1; nn >= 1
sk * ceildiv(K, {a}) + k < {a} * ceildiv(K, {a}) | 0 <= sk < {a}; 0 <= k < ceildiv(K, {a})
min((sk + 1) * ceildiv(K, S), K) >= min(sk * ceildiv(K, S), K) | S >= 1; K >= 0; sk >= 0
S * ceildiv(K, S) >= K | S >= 1
S * (K // S) <= K | S >= 1
ceildiv(ceildiv(K, {b}), S) * S * {b} >= K | S >= 1
implies(t < T, t // W * W <= T - 1) | W >= 1; t >= 0
w + i * W < T | 0 <= w < W; 0 <= i < T // W; W >= 1
w + i * W < T | 0 <= w < W; 0 <= i < ceildiv(T - w, W); W >= 1
implies(w + i * W == u + j * W, w == u and i == j) | 0 <= w < W; 0 <= u < W
ceildiv(T - w, W) <= ceildiv(T, W) | 0 <= w; W >= 1
ceildiv(T - w, W) >= T // W | 0 <= w < W; W >= 1
(k + 1) % {a} != k % {a} | {a} >= 2
(k + {a}) % {a} == k % {a}
(k + {a-1}) % {a} == (k - 1) % {a}
1 - k % 2 == (k + 1) % 2
(k // {a} + 1) % 2 != k // {a} % 2
k // {a} % 2 == (k % {2*a}) // {a}
(k % {a} + 1) % {a} == (k + 1) % {a}
select(k % {a} == {a-1}, 0, k % {a} + 1) == (k + 1) % {a}
i * {a} + min({a}, n - i * {a}) <= n | i * {a} < n
n - (n - 1) // {a} * {a} <= {a} and n - (n - 1) // {a} * {a} >= 1
(n - 1) // {a} * {a} + (n - (n - 1) // {a} * {a}) == n
(i * {a} + j) * {b} + k >= n or i < ceildiv(n, {a*b}) | 0 <= j < {a}; 0 <= k < {b}
implies((i * {a} + j) * {b} + k < n, i * {a} + j < ceildiv(n, {b})) | 0 <= k < {b}
max(n - {a}, 0) + min(n, {a}) == n | n >= 0
max(n - {a}, 0) // {b} * {b} + {a} <= n + {a} | n >= 0
! pid // (gm * nn) * gm + pid % gm < nm | 0 <= pid < nm * nn; gm >= 1; nn >= 1
! w + i * W < T | 0 <= w < W; 0 <= i < ceildiv(T, W); W >= 1
! ceildiv(T - w, W) == ceildiv(T, W) | 0 <= w < W
! (k + 1) % {a} > k % {a}
"""

PACKED = """
(i // 2) * 2 + i % 2 == i and i // 2 < ceildiv(n, 2) | 0 <= i < n
(i % 2) * 4 + 3 < 8
i // {a} * {a} + (i % {a}) == i
(i * 4) // 32 < ceildiv(n, 8) | 0 <= i < n
(i % 8) * 4 <= 28
((w >> 4) & 15) <= 15 and ((w >> 4) & 15) >= 0
((w >> 4) & 15) * 16 + (w & 15) == w | 0 <= w < 256
((w >> 4) & 15) * 16 + (w & 15) == w % 256
((hi & 15) << 4) + (lo & 15) < 256
((((hi & 15) << 4) + (lo & 15)) >> 4) == (hi & 15)
((((hi & 15) << 4) + (lo & 15)) & 15) == (lo & 15)
(w & 240) == (w >> 4 & 15) * 16
(w & 240) + (w & 15) == (w & 255)
(w & 12) == (w >> 2 & 3) << 2
(w & 10) == (w & 8) + (w & 2)
(w & 5) <= 5
(w & -8) <= w
w - (w & 7) == (w & -8)
(w ^ -1) == -w - 1
(w ^ 1) == w + 1 - 2 * (w % 2)
(w ^ 1) // 2 == w // 2
(w ^ 3) % 4 == 3 - w % 4
((w ^ 5) ^ 5) == w
(w|7) == (w & -8) + 7
(w|1) >= w
(w|8) - w <= 8
((w << 3)|5) == 8 * w + 5
((w << {e})|(u & {2**e-1})) == w * {2**e} + u % {2**e}
((w << {e})|(u & {2**e-1})) >> {e} == w
(w & u) <= w | w >= 0; u >= 0
(w & u) >= 0 | w >= 0
(w|u) >= w | w >= 0; u >= 0
(w|u) <= w + u | w >= 0; u >= 0
(w ^ u) == (w|u) - (w & u)
(w ^ u) <= w + u | w >= 0; u >= 0
(w & u) + (w|u) == w + u
g * {a} + i % {a} == i | g == i // {a}
i // {a*b} <= i // {a} | i >= 0
(k // {a}) * N + n < ceildiv(K, {a}) * N | 0 <= k < K; 0 <= n < N
k // 32 * N + n < K // 32 * N | 0 <= k < K; 0 <= n < N; K % 32 == 0
(r * 64 + ((c // 8) ^ (r % 8)) * 8 + c % 8) // 64 == r | 0 <= c < 64
((c // 8) ^ (r % 8)) < 8 | 0 <= c < 64
(((c ^ r) ^ r) == c) | 0 <= c < 8; 0 <= r < 8
implies((c ^ r) == (d ^ r), c == d) | 0 <= c < 8; 0 <= d < 8; 0 <= r < 8
! (w & 5) == w % 6
! (w|4) == w + 4
! (w ^ 3) == 3 - w
! (w & 240) == (w >> 4) * 16
! (w & u) <= u
! ((hi << 4) + lo) >> 4 == hi | 0 <= lo <= 16
! (w|u) == w + u | w >= 0; u >= 0
"""

ATTENTION = """
d % (D // 2) < D // 2 | 0 <= d < D; D >= 2
select(d < D // 2, d + D // 2, d - D // 2) < D | 0 <= d < D; D % 2 == 0
select(d < D // 2, d + D // 2, d - D // 2) >= 0 | 0 <= d < D; D % 2 == 0
(d + D // 2) % D < D | D >= 1
(d // 2 * 2 + 1) < D | 0 <= d < D; D % 2 == 0
d + 1 - 2 * (d % 2) < D | 0 <= d < D; D % 2 == 0
d + 1 - 2 * (d % 2) >= 0 | 0 <= d
((b * S + s) * (H * D) + h * D + d) < B * S * H * D | 0 <= b < B; 0 <= s < S; 0 <= h < H; 0 <= d < D
((b * H + h) * S + s) * D + d < B * H * S * D | 0 <= b < B; 0 <= s < S; 0 <= h < H; 0 <= d < D
(h * D + d) // D == h and (h * D + d) % D == d | 0 <= d < D
((b * S + s) * H + h) // H // S == b | 0 <= s < S; 0 <= h < H
((b * S + s) * H + h) // H % S == s | 0 <= s < S; 0 <= h < H
c // D < 3 * H | 0 <= c < 3 * H * D; D >= 1
c // (H * D) < 3 | 0 <= c < 3 * H * D; H >= 1; D >= 1
c % (H * D) // D < H | 0 <= c; H >= 1; D >= 1
c // (H * D) * H + c % (H * D) // D == c // D | H >= 1; D >= 1
(qh * G + g) // G == qh | 0 <= g < G
(qh * G + g) * D + d < K * G * D | 0 <= qh < K; 0 <= g < G; 0 <= d < D
min(kv, (bq + 1) * {a} + off) <= kv
ceildiv(min(kv, (bq + 1) * {a} + off), {b}) <= ceildiv(kv, {b})
max(0, bq * {a} + off - W + 1) // {b} * {b} <= max(0, bq * {a} + off - W + 1)
max(0, q - W + 1) <= q | q >= 0; W >= 1
implies(k <= q and q - k < W, k >= q - W + 1)
(q >= k and q - k < W) == (k <= q and k > q - W)
implies(q // {a} > k // {a}, q > k)
implies(k // {a} < q // {a}, k <= q)
(bk + 1) * {a} - 1 <= bq * {a} | bk < bq
implies(bk > bq, bk * {a} > bq * {a} + i) | 0 <= i < {a}
lens + i < cap | 0 <= i < new; lens + new <= cap
ceildiv(lens, {a}) <= ceildiv(cap, {a}) | lens <= cap
(lens + {a-1}) // {a} * {a} <= cap | lens <= cap; cap % {a} == 0
(o1 - o0) + (o2 - o1) == o2 - o0
o0 + i < o2 | 0 <= i < o1 - o0; o1 <= o2
q * (T // G) + r < T | 0 <= q < G; 0 <= r < T // G
implies(i != j, i * D + d != j * D + e) | 0 <= d < D; 0 <= e < D
slot // {a} == page and slot % {a} == p | slot == page * {a} + p; 0 <= p < {a}
! (d // 2 * 2 + 1) < D | 0 <= d < D
! select(d < D // 2, d + D // 2, d - D // 2) < D - 1 | 0 <= d < D; D % 2 == 0
! c % D < H | 0 <= c; H >= 1; D >= 1
! implies(k <= q, k // {a} < q // {a})
! (lens + {a-1}) // {a} * {a} <= cap | lens <= cap
"""

RESIZE = """
o * (H - 1) // (O - 1) <= H - 1 | 0 <= o < O; O >= 2; H >= 1
o * (H - 1) // (O - 1) >= 0 | 0 <= o < O; O >= 2; H >= 1
min(o * H // O + 1, H - 1) < H | 0 <= o < O
(2 * o + 1) * H // (2 * O) < H | 0 <= o < O; H >= 1
(2 * o + 1) * H // (2 * O) >= 0 | 0 <= o < O; H >= 1
o // {s} < H | 0 <= o < H * {s}
o // s < H | 0 <= o < H * s; s >= 1
(o // s) * s <= o and o < (o // s + 1) * s | s >= 1
(o * s + s // 2) // s == o | s >= 1
o * H // O <= p * H // O | o <= p; O >= 1; H >= 0
o * {a} // {b} <= p * {a} // {b} | o <= p
o * {a} // {b} < {a} * n | 0 <= o < {b} * n
(o * {a} // {b}) * {b} <= o * {a}
(y * s + r) * (x * s) + c >= 0 | y >= 0; s >= 1; r >= 0; x >= 0; c >= 0
y // r * r + y % r == y | r >= 1
(c * (r * r) + (y % r) * r + x % r) // (r * r) == c | r >= 1
(y // r) * r * W + (x // r) * r + 0 <= y * W + x | r >= 1; y >= 0; W >= 0; x >= 0
(x - {p} + {2*p}) // 1 == x + {p}
(n + {2*p} - 1) // {s} <= n + {2*p} | n >= 1
ceildiv(n * {a}, {b}) * {b} >= n * {a}
(n * {a} + {b} - 1) // {b} == ceildiv(n * {a}, {b})
n * {a} // {a*b} == n // {b}
n * m // (m * {a}) == n // {a} | m >= 1
n * m * k // (m * k) == n | m >= 1; k >= 1
n * m * k // m // k == n | m >= 1; k >= 1
n * m * k % (m * k) == 0 | m >= 1; k >= 1
(n * m + i) * k // (m * k) == n | 0 <= i < m; k >= 1
(n * m + i) * k % (m * k) == i * k | 0 <= i < m; k >= 1
((n * m + i) * k + j) // (m * k) == n | 0 <= i < m; 0 <= j < k
((n * m + i) * k + j) % (m * k) == i * k + j | 0 <= i < m; 0 <= j < k
((n * m + i) * k + j) % (m * k) // k == i | 0 <= i < m; 0 <= j < k
(i * k + j) // m == 0 | 0 <= j < k; 0 <= i; (i + 1) * k <= m
i * k + j <= n * k - 1 | i < n; j < k; k >= 1
i * k // k == i or k == 0
i * j // k <= i * j | i >= 0; j >= 0; k >= 1
i * (j // k) <= i * j // k | i >= 0; j >= 0; k >= 1
(i // k) * (j // k) * k * k <= i * j | i >= 0; j >= 0; k >= 1
! o * (H - 1) // (O - 1) < H - 1 | 0 <= o < O; O >= 2; H >= 1
! i * (j // k) == i * j // k | i >= 0; j >= 0; k >= 1
! (n * m + i) // m == n | 0 <= i <= m; m >= 1
! o * {a} // {b} == o // {b} * {a} | {a} != {b}
"""

CLAMPS = """
min(max(x, 0), n) == max(min(x, n), 0) | n >= 0
min(max(x, lo), hi) >= lo | lo <= hi
min(max(x, lo), hi) <= hi
min(max(x, lo), hi) == x | lo <= x <= hi
min(max(min(max(x, lo), hi), lo), hi) == min(max(x, lo), hi) | lo <= hi
min(max(x + y, lo + y), hi + y) == min(max(x, lo), hi) + y
min(max(-x, -hi), -lo) == -min(max(x, lo), hi) | lo <= hi
min(max(x, lo), hi) <= min(max(y, lo), hi) | x <= y
min(max(x * {a}, lo * {a}), hi * {a}) == min(max(x, lo), hi) * {a}
min(max(x, lo * {a}), hi * {a} + {a-1}) // {a} == min(max(x // {a}, lo), hi)
abs(min(max(x, lo), hi) - min(max(y, lo), hi)) <= abs(x - y) | lo <= hi
max(x, 0) - max(-x, 0) == x
max(x, 0) + max(-x, 0) == abs(x)
max(x, 0) * min(x, 0) == 0
max(x, y) * min(x, y) == x * y
max(x, y, z) >= min(x, y, z)
max(x, y, z) + min(x, y, z) <= x + y + z or max(x, y, z) + min(x, y, z) >= x + y + z
max(x, y, z) - min(x, y, z) >= abs(x - z)
min(x, y, z) == min(z, x, y)
max(min(x, y), min(y, z), min(x, z)) == min(max(x, y), max(y, z), max(x, z))
max(a, c) <= min(b, d) or b < c or d < a | a <= b; c <= d
max(0, min(b, d) - max(a, c)) <= b - a | a <= b
max(0, min(b, d) - max(a, c)) + max(0, max(a, c) - b) >= 0
select(x > {a}, {a}, select(x < -{b}, -{b}, x)) == min(max(x, -{b}), {a})
select(x < 0, 0, select(x >= n, n - 1, x)) == min(max(x, 0), n - 1) | n >= 1
select(x < 0, -x - 1, select(x < n, x, 2 * n - 1 - x)) < n | -n <= x < 2 * n
select(x < 0, -x - 1, select(x < n, x, 2 * n - 1 - x)) >= 0 | -n <= x < 2 * n
select(x == y, x, y) == y
select(x != y, x, y) == x
select(x < y, 1, 0) + select(y < x, 1, 0) + select(x == y, 1, 0) == 1
select(x < y, 1, 0) <= 1
select(c > 0, select(c > 0, x, y), z) == select(c > 0, x, z)
select(c > 0 and d > 0, x, y) == select(c > 0, select(d > 0, x, y), y)
select(c > 0, x, y) < select(c > 0, z, w) | x < z; y < w
select(c > 0, x // {a}, y // {a}) == select(c > 0, x, y) // {a}
select(x >= y, x - y, y - x) == abs(x - y)
! min(max(x, lo), hi) >= lo
! min(max(x, lo), hi) < min(max(y, lo), hi) | x < y; lo <= hi
! max(x, y, z) + min(x, y, z) == x + z
! max(a, c) <= min(b, d) | a <= b; c <= d
! select(x > {a}, {a}, x) == max(x, {a})
"""

FAMILIES = {"schedules": SCHEDULES, "packed": PACKED, "attention": ATTENTION, "resize": RESIZE, "clamps": CLAMPS}
