# ruff: noqa: E501
"""A third set from practice, written when the solver was done and not used to make it: 122 claims, 102 true, 20 false.

Format: ``shapes.py``; nothing is drawn.
"""

ATTENTION = """
qb * 64 + r >= kb * 64 + c or kb * 64 + c > qb * 64 + r | 0 <= r < 64; 0 <= c < 64
implies(kb < qb, kb * 64 + c < qb * 64 + r) | 0 <= r < 64; 0 <= c < 64
implies(kb > qb, kb * 64 + c > qb * 64 + r) | 0 <= r < 64; 0 <= c < 64
implies(k <= q, k // 64 < ceildiv(q + 1, 64)) | 0 <= k; 0 <= q
min(ceildiv((qb + 1) * 128, 64), ceildiv(S, 64)) <= ceildiv(S, 64)
(h // G) * D + d < (H // G) * D | 0 <= h < H; 0 <= d < D; H % G == 0; G >= 1
implies(q - w <= k and k <= q, 0 <= q - k and q - k <= w) | w >= 0
max(0, q - w + 1) <= q | 0 <= q; 1 <= w
q - max(0, q - w + 1) + 1 <= w | 0 <= q; 1 <= w
(p * 16 + o) // 16 == p and (p * 16 + o) % 16 == o | 0 <= o < 16
t // 16 < ceildiv(L, 16) | 0 <= t < L
(L + 15) // 16 * 16 - L < 16
t // P * P + t % P < M * P | 0 <= t < L; L <= M * P; P >= 1
((b * H + h) * S + s) * D + d < B * H * S * D | 0 <= b < B; 0 <= h < H; 0 <= s < S; 0 <= d < D
select(d < R // 2, d + R // 2, d - R // 2) < R | 0 <= d < R; R % 2 == 0
select(d < R // 2, d + R // 2, d - R // 2) >= 0 | 0 <= d < R; R % 2 == 0
((pos + n) % W - pos % W - n) % W == 0 | W >= 1
! implies(k <= q, k // 64 < q // 64) | 0 <= k; 0 <= q
! q - max(0, q - w + 1) < w - 1 | 0 <= q; 1 <= w
! (h // G) * D + d < (H // G) * D | 0 <= h < H; 0 <= d < D; G >= 1
"""

CONVOLUTION = """
(o * s - p + k * d) < I + p | 0 <= o < (I + 2 * p - d * (K - 1) - 1) // s + 1; 0 <= k < K; s >= 1; d >= 1; p >= 0
o * 2 + k < I | 0 <= o < (I - 3) // 2 + 1; 0 <= k < 3
o + k < I | 0 <= o < I - K + 1; 0 <= k < K
(I + 2 - 3) // 1 + 1 == I
(I + 2 - 3) // 2 + 1 == ceildiv(I, 2)
(I - 1) * 2 - 2 + 4 == I * 2
ceildiv(I, 2) == I - I // 2
max(o * 2 - 1, 0) < min(o * 2 + 2, I) | 0 <= o < ceildiv(I, 2)
(c // (C // G)) < G | 0 <= c < C; C % G == 0; G >= 1; C >= 1
(((c // 16) * H + h) * W + w) * 16 + c % 16 < ceildiv(C, 16) * H * W * 16 | 0 <= c < C; 0 <= h < H; 0 <= w < W
x // 2 * 2 + x % 2 < 2 * H | 0 <= x < 2 * H
(y // r * r + y % r) == y | r >= 1
((c * r + i) * r + j) // r % r == i | 0 <= i < r; 0 <= j < r
c * 4 + i * 2 + j < 4 * C | 0 <= c < C; 0 <= i < 2; 0 <= j < 2
(k // 9) < C and k % 9 // 3 < 3 and k % 3 < 3 | 0 <= k < C * 9
k // (R * S) * (R * S) + k // S % R * S + k % S == k | R >= 1; S >= 1
i * I // O < I | 0 <= i < O; 1 <= I
implies((i * I) // O == j, j * O <= i * I) | 1 <= O
(i * I) // O <= ((i + 1) * I - 1) // O | 1 <= I; 1 <= O
! (I + 2 - 3) // 2 + 1 == I // 2 | I >= 1
! o * 2 + k < I | 0 <= o < ceildiv(I, 2); 0 <= k < 3
! max(o * 3 - 1, 0) < min(o * 3 + 1, I) | 0 <= o <= ceildiv(I, 3); I >= 1
"""

TILES = """
(bm * 128 + wm * 64 + i) < ceildiv(M, 128) * 128 | 0 <= bm < ceildiv(M, 128); 0 <= wm < 2; 0 <= i < 64
implies(ceildiv(M, 128) * 128 == M, M % 128 == 0)
(tid // 32) * 32 + tid % 32 == tid
(tid % 32) // 4 * 8 + tid % 4 * 2 + 1 < 64
(tid * 8) // 64 * 64 + (tid * 8) % 64 + 7 < 8192 | 0 <= tid < 1024
((tid * 8) % 64) % 8 == 0
(row ^ (col // 8 % 8)) < 64 | 0 <= row < 64; 0 <= col < 64
((row % 8) ^ chunk) ^ (row % 8) == chunk
(row * 8 + (chunk ^ row % 8)) // 8 == row | 0 <= chunk < 8
(row * 8 + (chunk ^ row % 8)) % 8 == chunk ^ row % 8 | 0 <= chunk < 8
implies(chunk != other, (chunk ^ row % 8) != (other ^ row % 8))
stage % 3 != (stage + 1) % 3 and stage % 3 != (stage + 2) % 3
(k + 3 - 1) % 3 == (k + 2) % 3
k // 32 * 32 + min(32, K - k // 32 * 32) <= K | 0 <= k < K
sum0 + ceildiv(K, s) * s >= sum0 + K | s >= 1
z * ceildiv(K, Z) < K or z * ceildiv(K, Z) >= K
min(ceildiv(K, Z), max(0, K - z * ceildiv(K, Z))) <= ceildiv(K, Z) | K >= 0; Z >= 1; z >= 0
min((z + 1) * c, K) - min(z * c, K) <= c | c >= 0
pid // (8 * n) * 8 + pid % (8 * n) % min(m - pid // (8 * n) * 8, 8) < m | 0 <= pid < m * n; n >= 1
pid % (8 * n) // min(m - pid // (8 * n) * 8, 8) < n | 0 <= pid < m * n; n >= 1
i * (N + 8) + j != p * (N + 8) + q | 0 <= j < N; 0 <= q < N; i != p
((n + 3) & ~3) % 4 == 0
((n + 3) & ~3) - n <= 3 and ((n + 3) & ~3) >= n
n // 4 * 4 + n % 4 == n and n // 4 * 4 <= n
(w * 32 + l) * 4 + v < 4 * T | 0 <= l < 32; 0 <= v < 4; 0 <= w < T // 32
! (w * 32 + l) * 4 + v < 4 * T | 0 <= l < 32; 0 <= v < 4; 0 <= w <= T // 32; T >= 1
! stage % 3 != (stage + 6) % 3
! ((n + 3) & ~3) - n <= 2
! i * N + j != p * N + q | 0 <= j <= N; 0 <= q <= N; i != p; N >= 1
! pid // (8 * n) * 8 + pid % 8 < m | 0 <= pid < m * n; n >= 1
"""

PACKED = """
((b >> 4) << 4)|(b & 15) == b
((x & 15)|((y & 15) << 4)) < 256
(((x & 15)|((y & 15) << 4)) >> 4) == (y & 15)
int8((v & 15) << 4) >> 4 >= -8 and int8((v & 15) << 4) >> 4 < 8
int8(v & 127) == v & 127
uint8(a + b) == uint8(uint8(a) + uint8(b))
uint8(255 - uint8(a)) == uint8(~a)
(int32(x) - int8(x)) % 256 == 0
min(max(x, -128), 127) == int8(min(max(x, -128), 127))
i // 8 * 4 + i % 8 // 2 == i // 2
k // 128 < ceildiv(K, 128) | 0 <= k < K
(k // 128) * N + n < ceildiv(K, 128) * N | 0 <= k < K; 0 <= n < N
(i * 3) // 8 <= ((i + 1) * 3 - 1) // 8
((i + 1) * 3 - 1) // 8 - (i * 3) // 8 <= 1
((a << 16)|b) >> 16 == a | 0 <= b < 65536
(((a << 16)|b) & 65535) == b | 0 <= b < 65536
((x >> 1) & 0x55) * 2 + (x & 0x55) == x | 0 <= x < 256
(x & (x - 1)) < x | x >= 1
x & -x <= x | x >= 1
! int8(x) == x | -129 <= x < 128
! ((a << 4)|b) >> 4 == a | 0 <= b < 32
! (i * 9) // 8 == i | 0 <= i
"""

MEMORY = """
(p + 63) // 64 * 64 >= p and (p + 63) // 64 * 64 < p + 64
implies(a + n <= b, a + i < b + j) | 0 <= i < n; 0 <= j
implies(a % 64 == 0 and n % 64 == 0, (a + n) % 64 == 0)
off + i < cap | 0 <= i < size; 0 <= off; off + size <= cap
s * e + i < cap | 0 <= i < e; 0 <= s < cap // e; e >= 1
head % C < C and head % C >= 0 | C >= 1
(head + 1) % C == select(head % C == C - 1, 0, head % C + 1) | C >= 1
(r * (n // w) + i) < n | 0 <= r < w; 0 <= i < n // w; w >= 1
r * ceildiv(n, w) + i < n + ceildiv(n, w) * w | 0 <= r < w; 0 <= i < ceildiv(n, w)
i // (n // w) < w | 0 <= i < n; n % w == 0; w >= 1
n // w * w + n % w == n | w >= 1
r * (n // w) + min(r, n % w) + (n // w + select(r < n % w, 1, 0)) == (r + 1) * (n // w) + min(r + 1, n % w) | 0 <= r < w; w >= 1; n >= 0
i * (i + 1) // 2 + j < n * (n + 1) // 2 | 0 <= j <= i; i < n
n * (n - 1) // 2 - (n - i) * (n - i - 1) // 2 + j - i - 1 < n * (n - 1) // 2 | 0 <= i < j; j < n
implies(i < p, i * (i + 1) // 2 + j < p * (p + 1) // 2) | 0 <= j <= i
(i ^ 1) // 2 == i // 2
i ^ (1 << s) != i | s >= 0
(i ^ (1 << s)) < (1 << (s + 1)) | 0 <= i < (1 << (s + 1)); s >= 0
b * n + e < 2147483648 | 0 <= b < 1024; 0 <= e < n; n <= 2097152
(x * 2 + y) // 2 == x + y // 2
min(a, b) + max(a, b) - a == b
v // (a * b) * (a * b) + v % b * a + v // b % a < n * a * b | 0 <= v < n * a * b; a >= 1; b >= 1
! i // (n // w) < w | 0 <= i < n; w >= 1; n >= w
! (r * ceildiv(n, w) + i) < n | 0 <= r < w; 0 <= i < ceildiv(n, w); w >= 1
! b * n + e < 2147483648 | 0 <= b <= 1024; 0 <= e < n; n <= 2097152
! i * (i - 1) // 2 + j < n * (n - 1) // 2 | 0 <= j <= i; i < n
! (head + 1) % C > head % C | C >= 1
! (x ^ y) < 100 | 0 <= x < 100; 0 <= y < 100
"""

FAMILIES = {"attention": ATTENTION, "convolution": CONVOLUTION, "tiles": TILES, "packed": PACKED, "memory": MEMORY}
