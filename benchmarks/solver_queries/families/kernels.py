# ruff: noqa: E501
"""What kernels and memory planning ask: tilings, threads, masks, pages, bytes, triangles, bijections, loop bounds.

Format: ``shapes.py``.
"""

TILINGS = """
min((i + 1) * {a}, n) - i * {a} >= 1 | 0 <= i < ceildiv(n, {a})
min((i + 1) * {a}, n) - i * {a} <= {a}
min((i + 1) * t, n) - i * t >= 1 | 0 <= i < ceildiv(n, t); t >= 1
ceildiv(n, {a}) * {a} - n < {a}
ceildiv(n, {a}) * {a} - n >= 0
ceildiv(n, t) * t >= n | t >= 1
ceildiv(n, t) * t - n < t | t >= 1
i // {a} < ceildiv(n, {a}) | 0 <= i < n
i // t < ceildiv(n, t) | 0 <= i < n; t >= 1
implies(i * {a} + j < n, i < ceildiv(n, {a})) | 0 <= j < {a}
implies(i < n // {a}, i * {a} + j < n) | 0 <= j < {a}
implies(i < n // t, i * t + j < n) | 0 <= j < t
(i < n // {a}) == ((i + 1) * {a} <= n)
(i * {a} < n) == (i < ceildiv(n, {a}))
(i * {a} + {b} <= n) == (i <= (n - {b}) // {a})
(n // {a} * {a} == n) == (n % {a} == 0)
n // {a} * {a} + i < n | 0 <= i < n % {a}
n // {a} * {a} + i < n | 0 <= i < n - n // {a} * {a}
i * {a*b} + j * {b} + k < ceildiv(n, {a*b}) * {a*b} | 0 <= i < ceildiv(n, {a*b}); 0 <= j < {a}; 0 <= k < {b}
i * {a*b} + j * {b} + k < n + {a*b} | 0 <= i < ceildiv(n, {a*b}); 0 <= j < {a}; 0 <= k < {b}
(i * {a} + j) * {b} + k < n * {a*b} | 0 <= i < n; 0 <= j < {a}; 0 <= k < {b}
ceildiv(n, {a*b}) * {a} >= ceildiv(n, {b})
ceildiv(n + {a}, {a}) == ceildiv(n, {a}) + 1
ceildiv(n, {a}) - n // {a} <= 1
ceildiv(n, {a}) == select(n % {a} == 0, n // {a}, n // {a} + 1)
ceildiv(n, {a}) == n // {a} + min(n % {a}, 1)
ceildiv(n + 1, {a}) == n // {a} + 1
ceildiv(n, {a}) * ceildiv(m, {b}) * {a*b} >= n * m | n >= 0; m >= 0
bx * {a} + tx < {a} * ceildiv(n, {a}) | 0 <= bx < ceildiv(n, {a}); 0 <= tx < {a}
(bx * {a} + tx) // W < H | 0 <= bx; 0 <= tx < {a}; bx * {a} + tx < H * W; W >= 1
(bx * {a} + tx) // W * W + (bx * {a} + tx) % W < H * W | 0 <= bx; 0 <= tx < {a}; bx * {a} + tx < H * W; W >= 1
max(lo, i * {a}) < min(hi, (i + 1) * {a}) | lo < hi; i == lo // {a}
lo // {a} * {a} <= lo and lo < lo // {a} * {a} + {a}
ceildiv(lo, {a}) * {a} <= hi // {a} * {a} | ceildiv(lo, {a}) <= hi // {a}
ceildiv(lo, {a}) <= i | lo <= i * {a}
i <= hi // {a} | i * {a} <= hi
! implies(i < ceildiv(n, {a}), i * {a} + j < n) | 0 <= j < {a}; n >= 1
! ceildiv(lo, {a}) <= hi // {a} | lo < hi
! ceildiv(n, {a}) * {b} >= ceildiv(n, {b}) * {a} | n >= 0; {a} > {b} or {a} < {b}
! min((i + 1) * t, n) - i * t >= 1 | 0 <= i <= ceildiv(n, t); t >= 1; n >= 0
! (n + m) // {a} == n // {a} + m // {a} | n >= 0; m >= 0
! ceildiv(n + m, {a}) == ceildiv(n, {a}) + ceildiv(m, {a})
"""

THREADS = """
(t & {2**e-1}) + (t >> {e}) * {2**e} == t
(t & {2**e-1}) * {2**f} + (t >> {e}) < {2**(e+f)} | 0 <= t < {2**(e+f)}
((t & {2**e-1}) << {f}) + (t >> {e}) < {2**(e+f)} | 0 <= t < {2**(e+f)}
(((t & {2**e-1}) << {f}) + (t >> {e})) >> {f} == (t & {2**e-1}) | 0 <= t < {2**(e+f)}
(((t & {2**e-1}) << {f}) + (t >> {e})) & {2**f-1} == t >> {e} | 0 <= t < {2**(e+f)}
(t >> {e}) << {e} <= t
(t >> {e}) << {e} == t - t % {2**e}
(t >> {e}) & {2**f-1} == t // {2**e} % {2**f}
((t & {2**(e+f)-1}) >> {e}) == ((t >> {e}) & {2**f-1})
(t & {2**(e+f)-1}) & {2**e-1} == t & {2**e-1}
(t & -{2**e}) == t // {2**e} * {2**e}
(t & -{2**e}) + (t & {2**e-1}) == t
(t + {2**e-1}) & -{2**e} >= t
((t + {2**e-1}) & -{2**e}) - t <= {2**e-1}
((t + {2**e-1}) & -{2**e}) % {2**e} == 0
(t & {2**e-1}) < {2**e} and (t & {2**e-1}) >= 0
(t & {2**e}) == t // {2**e} % 2 * {2**e}
(t & 1) == t % 2
(t << {e}) % {2**e} == 0
((t << {e}) + u) >> {e} == t | 0 <= u < {2**e}
((t << {e})|u) == t * {2**e} + u | 0 <= u < {2**e}; 0 <= t
(t >> {e}) >> {f} == t >> {e+f}
(t << {e}) >> {e+f} == t >> {f}
(t << {e+f}) >> {e} == t << {f}
(t * {a}) >> {e} == t * {a} // {2**e}
t // 32 * 32 + (t & 31) == t
(t % 32) // 4 * 4 + t % 4 == t % 32
(t % 32 // 4) * 8 + t % 4 * 2 + r % 2 < 64 | 0 <= r < 4
(t % 32 // 4 + r // 2 * 8) * 8 + t % 4 * 2 + r % 2 < 128 | 0 <= r < 4
((t % 32 // 4 + r // 2 * 8) * 8 + t % 4 * 2 + r % 2) // 8 % 8 == t % 32 // 4 | 0 <= r < 4
((t % 32 // 4 + r // 2 * 8) * 8 + t % 4 * 2 + r % 2) % 8 // 2 == t % 4 | 0 <= r < 4
(i * 33 + j) % 32 == (i + j) % 32
implies((i * 33 + c) % 32 == (j * 33 + c) % 32, i == j) | 0 <= i < 32; 0 <= j < 32
(i + j) % 8 < 8 and (j + 8 - i) % 8 >= 0
((c + r) % 8 - r) % 8 == c | 0 <= c < 8
implies((c + r) % 8 == (d + r) % 8, c == d) | 0 <= c < 8; 0 <= d < 8
r * 64 + (c // 8 + r) % 8 * 8 + c % 8 < R * 64 | 0 <= r < R; 0 <= c < 64
(r * 64 + (c // 8 + r) % 8 * 8 + c % 8) // 64 == r | 0 <= c < 64
(r * 64 + (c // 8 + r) % 8 * 8 + c % 8) % 8 == c % 8 | 0 <= c < 64
i * 4 + j < n | 0 <= i < n >> 2; 0 <= j < 4
(n >> 2 << 2) + i < n | 0 <= i < n & 3
i * {2**e} + v < n | 0 <= i < n // {2**e}; 0 <= v < {2**e}
w * 32 + l < {a*32} | 0 <= w < {a}; 0 <= l < 32
(w * 32 + l) >> 5 == w | 0 <= l < 32
((x * {2**e} + y) & {2**e-1}) == (y & {2**e-1})
min(t & {2**e-1}, {2**e-1}) == (t & {2**e-1})
(1 << (t & {e})) >= 1
(1 << k) > k | k >= 0
(n + (1 << k) - 1) >> k == ceildiv(n, 1 << k) | k >= 0
((n >> k) << k) + (n % (1 << k)) == n | k >= 0
! (t & {2**e}) == t % {2**(e+1)} - t % {2**e} + 1
! (t & {2**e+1}) == t % {2**e+2} | t >= 0
! (t << {e}) >> {e+1} == t | t >= 0
! i * 4 + j < n | 0 <= i <= n >> 2; 0 <= j < 4; n >= 0
! (i * 32 + j) % 32 == (i + j) % 32 | 0 <= i; 0 <= j
! t >> {e} == truncdiv(t, {2**e})
! implies((i * 34 + c) % 32 == (j * 34 + c) % 32, i == j) | 0 <= i < 32; 0 <= j < 32
"""

PAGES = """
pos // {a} * {a} + pos % {a} == pos
pos // {a} < ceildiv(len, {a}) | 0 <= pos < len
page * {a} + slot < P * {a} | 0 <= page < P; 0 <= slot < {a}
implies(page != q, page * {a} + s != q * {a} + t) | 0 <= s < {a}; 0 <= t < {a}
(page * {a} + slot) * D + d < P * {a} * D | 0 <= page < P; 0 <= slot < {a}; 0 <= d < D
((page * 2 + kv) * H + h) * {a} * D + slot * D + d < P * 2 * H * {a} * D | 0 <= page < P; 0 <= kv < 2; 0 <= h < H; 0 <= slot < {a}; 0 <= d < D
((page * 2 + kv) * H + h) * {a} + slot < P * 2 * H * {a} | 0 <= page < P; 0 <= kv < 2; 0 <= h < H; 0 <= slot < {a}
(((page * 2 + kv) * H + h) * {a} + slot) // {a} // H // 2 == page | 0 <= kv < 2; 0 <= h < H; 0 <= slot < {a}
(((page * 2 + kv) * H + h) * {a} + slot) // {a} // H % 2 == kv | 0 <= kv < 2; 0 <= h < H; 0 <= slot < {a}
ceildiv(len, {a}) * {a} - len < {a}
ceildiv(len + new, {a}) - ceildiv(len, {a}) <= ceildiv(new, {a})
ceildiv(len + new, {a}) >= ceildiv(len, {a}) | new >= 0
ceildiv(len + 1, {a}) == ceildiv(len, {a}) + select(len % {a} == 0, 1, 0)
(len - 1) % {a} + 1 <= {a} and (len - 1) // {a} * {a} + (len - 1) % {a} + 1 == len
h // G < K | 0 <= h < K * G; G >= 1
h // G * G + h % G == h | G >= 1
(h // G) * D + d < K * D | 0 <= h < K * G; G >= 1; 0 <= d < D
h // {a} < K | 0 <= h < K * {a}
h * K // Q < K | 0 <= h < Q; K >= 1
h // (Q // K) < K | 0 <= h < Q; Q % K == 0; K >= 1; Q >= 1
h // (Q // K) * (Q // K) + h % (Q // K) == h | K >= 1; Q >= K
b * L + i < B * L | 0 <= b < B; 0 <= i < len; len <= L
lo + i < total | 0 <= i < hi - lo; hi <= total
lo + i != lo2 + j | 0 <= i < hi - lo; 0 <= j; hi <= lo2
min(start + {a}, hi) - start <= {a}
min(start + {a}, hi) - start >= 1 | start < hi
kv_len - q_len + i < kv_len | 0 <= i < q_len
implies(j <= kv_len - q_len + i, j < kv_len) | 0 <= i < q_len
max(0, i - W + 1) <= j or j < i - W + 1 | i >= 0; j >= 0
i - max(0, i - W + 1) < W | i >= 0; W >= 1
(start + i) % R < R | R >= 1
implies((start + i) % R == (start + j) % R, i == j) | 0 <= i < R; 0 <= j < R
(head + n - tail) % R == n | head == tail; 0 <= n < R
select(i < sink, i, sink + (i - sink) % (C - sink)) < C | 0 <= i; 0 <= sink < C
select(i < sink, i, sink + (i - sink) % (C - sink)) >= 0 | 0 <= i; 0 <= sink < C
ceildiv(ceildiv(len, {a}), {b}) * {a*b} >= len
(t // {a}) * {a} <= t and t - t // {a} * {a} == t % {a}
tok * top + e < T * top | 0 <= tok < T; 0 <= e < top
(tok * top + e) // top == tok | 0 <= e < top
ceildiv(T * top, E) * E >= T * top | E >= 1
T * top + E * {a-1} >= T * top | E >= 0
(T + E * {a-1}) // {a} * {a} >= T - {a} + 1 | E >= 0
! ceildiv(len + new, {a}) == ceildiv(len, {a}) + ceildiv(new, {a}) | len >= 0; new >= 0
! pos // {a} < len // {a} | 0 <= pos < len
! h // (Q // K) < K | 0 <= h < Q; K >= 1; Q >= K
! kv_len - q_len + i >= 0 | 0 <= i < q_len; kv_len >= 1
! implies((start + i) % R == (start + j) % R, i == j) | 0 <= i <= R; 0 <= j <= R; R >= 1
"""

BYTES = """
(n + 255) // 256 * 256 >= n and (n + 255) // 256 * 256 % 256 == 0
(n * {2**e} + 255) // 256 * 256 - n * {2**e} <= 255
n * 4 <= m * 4 | n <= m
n * m * 2 <= n * m * 4 | n >= 0; m >= 0
(n * m * {a} + 7) // 8 <= n * m * {a} | n >= 0; m >= 0
(n * 4 + 31) // 32 * 4 >= ceildiv(n, 8) * 4
ceildiv(n * 4, 8) == ceildiv(n, 2)
ceildiv(n, 8) * 8 * 4 <= n * 4 + 28
off + (n * 4 + 63) // 64 * 64 <= off2 | off2 >= off + n * 4; off % 64 == 0; off2 % 64 == 0
off + n * 4 <= off2 | off2 == off + (n * 4 + 63) // 64 * 64
off + i < off2 + j | off + size <= off2; 0 <= i < size; 0 <= j
off + i * 4 + 3 < off + n * 4 | 0 <= i < n
(off + {a-1}) // {a} * {a} % {a} == 0
(off + {a-1}) // {a} * {a} == off | off % {a} == 0
(off + al - 1) // al * al == off | off % al == 0; al >= 1
(off + al - 1) // al * al - off < al | al >= 1
max(n * 4, m * 4) == 4 * max(n, m)
max(n * k, m * k) >= k * n | k >= 0
max(n, m) * k == max(n * k, m * k) | k >= 0
n * h * w * 4 <= max(n * h * w, m) * 4
n * h * 4 <= N * H * 4 | 0 <= n <= N; 0 <= h <= H
n * h * w <= N * H * W | 0 <= n <= N; 0 <= h <= H; 0 <= w <= W
(n + m) * 4 - n * 4 == m * 4
n // 2 * 4 <= n * 2
ceildiv(n, 32) * 4 <= n | n >= 4
ceildiv(n, {a}) * {a} <= ceildiv(m, {a}) * {a} | n <= m
ceildiv(n, al) * al <= ceildiv(m, al) * al | n <= m; al >= 1
ceildiv(n, {a*b}) * {a*b} % {a} == 0
ceildiv(ceildiv(n, {a}) * {a}, {a}) == ceildiv(n, {a})
ceildiv(n * {a}, {a*b}) == ceildiv(n, {b})
n * 8 // 3 * 3 <= n * 8
(n * 6 + 7) // 8 <= n | n >= 0
n % 2 == 0 or ceildiv(n, 2) == n // 2 + 1
n * m // 2 * 2 == n * m | n % 2 == 0 or m % 2 == 0
p + n * 2 <= q or q + m * 4 <= p | p + n * 2 <= q
not (p + i == q + j) | p + n <= q or q + m <= p; 0 <= i < n; 0 <= j < m
n * {a} + m * {b} <= (n + m) * {max(a,b)} | n >= 0; m >= 0
n * {a} + m * {b} >= (n + m) * {min(a,b)} | n >= 0; m >= 0
! (n * m * 4 + 7) // 8 * 2 == n * m | n >= 0; m >= 0
! ceildiv(n, 32) * 4 <= n | n >= 3
! off + (n * 4 + 63) // 64 * 64 <= off2 | off2 >= off + n * 4; off >= 0; n >= 0
! n * h * 4 <= N * H * 4 | n <= N; h <= H
! off + i * 4 + 4 < off + n * 4 | 0 <= i < n
! n * {a} + m * {b+a} <= (n + m) * {a} | n >= 0; m >= 0
"""

TRIANGLES = """
i * (i + 1) // 2 + j < n * (n + 1) // 2 | 0 <= j <= i; i < n
i * (i - 1) // 2 + j < n * (n - 1) // 2 | 0 <= j < i; i < n
i * (i + 1) // 2 * 2 == i * (i + 1)
(i + 1) * (i + 2) // 2 - i * (i + 1) // 2 == i + 1
n * (n - 1) // 2 >= n - 1 | n >= 1
i * (2 * n - i - 1) // 2 + j - i - 1 < n * (n - 1) // 2 | 0 <= i < j; j < n
i * n + j >= i * (i + 1) // 2 + j | 0 <= i < n
i * n - i * (i - 1) // 2 >= i | 0 <= i <= n; n >= 1
n * n >= n
n * n - n >= 0
(n + 1) * (n + 1) > n * n | n >= 0
n * n // n == n | n >= 1
(n * n - 1) // (n - 1) == n + 1 | n >= 2
(n * m) * (n * m) == n * n * m * m
n * n * n >= n * n | n >= 1
(n // {a}) * (n // {a}) <= n * n
(n // 2) * ((n + 1) // 2) <= n * n | n >= 0
(n // 2) * ((n + 1) // 2) == n * n // 4
n * n % 3 != 2
n * n % 8 <= 4
n * n * n % 7 != 3
(n * n * n - n) % 3 == 0
(n * n * n - n) % 6 == 0
n * n + m * m >= 2 * n * m
n * m <= n * n + m * m | n >= 0; m >= 0
n * m >= n + m - 1 | n >= 1; m >= 1
(n - m) * (n + m) == n * n - m * m
implies(n * m == 0, n == 0 or m == 0)
implies(n * m == 1, n == m)
implies(n * m > 0, (n > 0) == (m > 0))
implies(n * n == m * m, n == m or n == -m)
implies(n * n == m * m, n == m) | n >= 0; m >= 0
implies(n * n < m * m, n < m) | n >= 0; m >= 0
n * k <= m * k | n <= m; k >= 0
n // k <= m // k | n <= m; k >= 1
n // k >= n // m | 1 <= k <= m; n >= 0
n // k <= n // m | 1 <= k <= m; n <= 0
n % m <= n | n >= 0; m >= 1
n // m * k // k == n // m | k >= 1; m >= 1
n * k // (m * k) == n // m | k >= 1; m >= 1
(n + m * k) // k == n // k + m | k != 0
(n * m + k) // m == n + k // m | m != 0
n // (m * k) == n // m // k | m >= 1; k >= 1
! n * n * n >= n * n
! implies(n * n == m * m, n == m)
! n * k <= m * k | n <= m
! n // k >= n // m | 1 <= k <= m
! i * (i + 1) // 2 + j < n * (n + 1) // 2 | 0 <= j <= i + 1; i < n; i >= 0
! n * n % 5 <= 3
! n // (m * k) == n // m // k | m != 0; k != 0
"""

FAMILIES = {"tilings": TILINGS, "threads": THREADS, "pages": PAGES, "bytes": BYTES, "triangles": TRIANGLES}
