// What the kernels below are written in. No header is included, so that NVRTC needs none.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#ifdef WIDE_INDICES  // some index of the launch may leave 32 bits
typedef i64 idx;
#else
typedef i32 idx;
#endif

// --- what differs between a device and the emulation -----------------------------------------------------------------

#ifndef REFRELAX_EMULATION
template <class T> using ptr = T*;
#define SHARED(T, name, count) __shared__ T name[count]
extern __shared__ __align__(16) u8 row_memory[];  // as much as the launch asks for
#define KEPT(T, name, start, count) T* name = (T*)(row_memory + (start))
#define UNROLL _Pragma("unroll")
#define ALIGNED(size) __align__(size)
#define SYNC() __syncthreads()
#define FN __device__ __forceinline__
FN u32 bits_of(f32 x) { return __float_as_uint(x); }
FN u64 bits_of(f64 x) { return (u64)__double_as_longlong(x); }
FN f32 f32_from(u32 x) { return __uint_as_float(x); }
FN f64 f64_from(u64 x) { return __longlong_as_double((i64)x); }
FN f32 f16_widen(u16 x) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x)); return r; }
FN u16 f16_round(f32 x) { u16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
FN i32 count_bits(u64 x) { return __popcll((i64)x); }
FN i32 leading_zeros(u64 x) { return __clzll((i64)x); }
#endif

// --- reports: what a kernel tells the host ---------------------------------------------------------------------------

enum Report { STORE_OUT_OF_BOUNDS = 1, ASSERT_FAILED = 2, DIVISION_BY_ZERO = 4, IN_DOUBT = 8 };
FN void report(u32* status, Report what) { atomicOr(status, (u32)what); }

// --- 16-bit floats: computed in binary32, rounded after every step ---------------------------------------------------

template <class Format> struct narrow { u16 bits; };
struct Half;
struct Brain;
typedef narrow<Half> f16;
typedef narrow<Brain> bf16;

FN i32 widen(i32 x) { return x; }
FN i64 widen(i64 x) { return x; }
FN f32 widen(f32 x) { return x; }
FN f64 widen(f64 x) { return x; }
FN f32 widen(f16 x) { return f16_widen(x.bits); }
FN f32 widen(bf16 x) { return f32_from((u32)x.bits << 16); }

template <class T> FN T rounded(f32 x);
template <> FN f32 rounded<f32>(f32 x) { return x; }
template <> FN f64 rounded<f64>(f32 x) { return x; }
template <> FN f16 rounded<f16>(f32 x) { return f16{f16_round(x)}; }
template <> FN bf16 rounded<bf16>(f32 x) {
  u32 b = bits_of(x);
  if (x != x) return bf16{(u16)(b >> 16 | 0x40)};
  return bf16{(u16)((b + 0x7fff + (b >> 16 & 1)) >> 16)};
}

template <class F> FN narrow<F> operator+(narrow<F> a, narrow<F> b) { return rounded<narrow<F>>(widen(a) + widen(b)); }
template <class F> FN narrow<F> operator-(narrow<F> a, narrow<F> b) { return rounded<narrow<F>>(widen(a) - widen(b)); }
template <class F> FN narrow<F> operator*(narrow<F> a, narrow<F> b) { return rounded<narrow<F>>(widen(a) * widen(b)); }
template <class F> FN narrow<F> operator/(narrow<F> a, narrow<F> b) { return rounded<narrow<F>>(widen(a) / widen(b)); }
template <class F> FN bool operator==(narrow<F> a, narrow<F> b) { return widen(a) == widen(b); }
template <class F> FN bool operator!=(narrow<F> a, narrow<F> b) { return widen(a) != widen(b); }
template <class F> FN bool operator<(narrow<F> a, narrow<F> b) { return widen(a) < widen(b); }
template <class F> FN bool operator<=(narrow<F> a, narrow<F> b) { return widen(a) <= widen(b); }
template <class F> FN bool operator>(narrow<F> a, narrow<F> b) { return widen(a) > widen(b); }
template <class F> FN bool operator>=(narrow<F> a, narrow<F> b) { return widen(a) >= widen(b); }

// --- elements side by side ---------------------------------------------------------------------------------------------

template <class T, i32 V> struct ALIGNED(sizeof(T) * V) vec { T at[V]; };

#ifndef REFRELAX_EMULATION
template <class T> FN bool together(T* p, i64 offset, u64 size) { return (u64)(p + offset) % size == 0; }
template <class V, class T> FN V at_once(T* p, i64 offset) { return *(const V*)(p + offset); }
template <class V, class T> FN void at_once(T* p, i64 offset, V value) { *(V*)(p + offset) = value; }
#endif

// The first `count` of V elements, at once if all of them are wanted and the address allows it.
template <class T, i32 V, class P> FN vec<T, V> loaded(P p, i64 offset, i32 count) {
  if (count == V && together(p, offset, sizeof(T) * V)) return at_once<vec<T, V>>(p, offset);
  vec<T, V> found;
  UNROLL
  for (i32 k = 0; k < V; ++k)
    if (k < count) found.at[k] = (T)p[offset + k];
  return found;
}
template <class T, i32 V, class P> FN void stored(P p, i64 offset, i32 count, vec<T, V> value) {
  if (count == V && together(p, offset, sizeof(T) * V)) {
    at_once<vec<T, V>>(p, offset, value);
    return;
  }
  UNROLL
  for (i32 k = 0; k < V; ++k)
    if (k < count) p[offset + k] = value.at[k];
}

// --- conversions: integers wrap, floats round once, a float out of an integer's range is moved into it ---------------

// binary64 to binary32 rounded to odd: one more rounding to a narrower format is then as if it were the only one.
FN f32 odd(f64 x) {
  f32 near = (f32)x;
  if (near != near || (f64)near == x) return near;
  u32 b = bits_of(near);
  if ((b & 0x7fffffffu) == 0x7f800000u) return near;
  if (((f64)near < 0 ? -(f64)near : (f64)near) > (x < 0 ? -x : x)) b -= 1;
  if ((b & 0x7fffffffu) == 0) b |= x < 0 ? 0x80000000u : 0;
  return f32_from(b | 1);
}

// An integer as binary64 rounded to odd.
FN f64 odd(u64 m) { return (f64)(m >> 53 ? (m & ~0xfffULL) | ((m & 0xfff) != 0 ? 0x1000 : 0) : m); }
FN f64 odd(i64 x) { return x < 0 ? -odd((u64)0 - (u64)x) : odd((u64)x); }

template <class To> FN To saturated(f64 x) {
  const bool is_signed = (To)-1 < (To)0;
  const To high = is_signed ? (To)(((u64)1 << (8 * sizeof(To) - 1)) - 1) : (To)-1;
  const To low = is_signed ? (To)((u64)1 << (8 * sizeof(To) - 1)) : (To)0;
  if (x != x) return 0;
  if (x <= (f64)low) return low;
  return x >= (f64)high ? high : (To)x;
}

template <class To> struct Cast {
  static FN To of(f32 x) { return saturated<To>(x); }
  static FN To of(f64 x) { return saturated<To>(x); }
  template <class F> static FN To of(narrow<F> x) { return saturated<To>(widen(x)); }
  template <class I> static FN To of(I x) { return (To)x; }
};
template <> struct Cast<bool> {
  template <class F> static FN bool of(narrow<F> x) { return widen(x) != 0; }
  template <class T> static FN bool of(T x) { return x != (T)0; }
};
template <> struct Cast<f32> {
  template <class F> static FN f32 of(narrow<F> x) { return widen(x); }
  template <class T> static FN f32 of(T x) { return (f32)x; }
};
template <> struct Cast<f64> {
  template <class F> static FN f64 of(narrow<F> x) { return widen(x); }
  template <class T> static FN f64 of(T x) { return (f64)x; }
};
template <class F> struct Cast<narrow<F>> {
  typedef narrow<F> To;
  static FN To of(To x) { return x; }
  template <class G> static FN To of(narrow<G> x) { return rounded<To>(widen(x)); }
  static FN To of(f32 x) { return rounded<To>(x); }
  static FN To of(f64 x) { return rounded<To>(odd(x)); }
  static FN To of(u64 x) { return of(odd(x)); }
  template <class I> static FN To of(I x) { return of(odd((i64)x)); }
};
template <class To, class From> FN To cast(From x) { return Cast<To>::of(x); }

// --- integers: two's complement at their own width; a quotient by zero means nothing ---------------------------------

template <class T> FN T add(T a, T b) { return (T)((u64)a + (u64)b); }
template <class T> FN T sub(T a, T b) { return (T)((u64)a - (u64)b); }
template <class T> FN T mul(T a, T b) { return (T)((u64)a * (u64)b); }
template <class T> FN bool minus_one(T b) { return (T)-1 < (T)0 && b == (T)-1; }
template <class T> FN T trunc_div(T a, T b) { return b == 0 ? 0 : minus_one(b) ? sub((T)0, a) : (T)(a / b); }
template <class T> FN T trunc_mod(T a, T b) { return b == 0 || minus_one(b) ? 0 : (T)(a % b); }
template <class T> FN T floor_mod(T a, T b) {
  T r = trunc_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? (T)(r + b) : r;
}
template <class T> FN T floor_div(T a, T b) {
  T q = trunc_div(a, b);
  return trunc_mod(a, b) != 0 && (a < 0) != (b < 0) ? (T)(q - 1) : q;
}
template <class T> FN T nonzero(T b, u32* status) {
  if (b == 0) report(status, DIVISION_BY_ZERO);
  return b;
}
template <class T> FN T shift_left(T a, T b) { return b < 0 || b >= (T)(8 * sizeof(T)) ? 0 : (T)((u64)a << b); }
template <class T> FN T shift_right(T a, T b) { return b < 0 || b >= (T)(8 * sizeof(T)) ? 0 : (T)(a >> b); }
template <class T> FN T bit_and(T a, T b) { return (T)(a & b); }
template <class T> FN T bit_or(T a, T b) { return (T)(a | b); }
template <class T> FN T bit_xor(T a, T b) { return (T)(a ^ b); }
template <class T> FN T bit_not(T a) { return (T)~a; }
FN bool bit_not(bool a) { return !a; }
template <class T> FN T absolute(T a) { return a < 0 ? sub((T)0, a) : a; }
template <class T> FN T sign_of(T a) { return (T)((a > 0) - (a < 0)); }
template <class T> FN u64 pattern(T a) { return (u64)a & (~(u64)0 >> (64 - 8 * sizeof(T))); }
template <class T> FN T popcount(T a) { return (T)count_bits(pattern(a)); }
template <class T> FN T clz(T a) { return (T)(leading_zeros(pattern(a)) - (64 - 8 * (i32)sizeof(T))); }

// An index moved into [0, extent): what is loaded out of range means nothing.
FN i64 at(i64 index, i64 extent) { return index < 0 || extent <= 0 ? 0 : index < extent ? index : extent - 1; }
FN bool inside(i64 index, i64 extent) { return 0 <= index && index < extent; }

// --- floats ----------------------------------------------------------------------------------------------------------

template <class T> FN bool negative(T x) { return x < 0; }
FN bool negative(f32 x) { return bits_of(x) >> 31; }
FN bool negative(f64 x) { return bits_of(x) >> 63; }
template <class F> FN bool negative(narrow<F> x) { return x.bits >> 15; }

// IEEE 754-2019: a NaN wins, and +0 is greater than -0.
template <class T> FN T maximum(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  return a == b ? (negative(a) ? b : a) : a > b ? a : b;
}
template <class T> FN T minimum(T a, T b) {
  if (a != a) return a;
  if (b != b) return b;
  return a == b ? (negative(a) ? a : b) : a < b ? a : b;
}
template <class T> FN bool is_nan(T x) { return x != x; }
template <class T> FN bool is_inf(T x) { return widen(x) == widen(x) && widen(x) - widen(x) != widen(x) - widen(x); }
template <class T> FN bool is_finite(T x) { return widen(x) - widen(x) == 0; }

// The correctly rounded value of a function known to 64 units of binary64's last place, or a report that it is open.
template <class T> FN T settled(f64 wide, u32* status) {
  const f64 margin = 1.4210854715202004e-14;
  if (wide != wide || wide - wide != 0) return cast<T>(wide);
  if (cast<T>(wide * (1 - margin)) != cast<T>(wide * (1 + margin))) report(status, IN_DOUBT);
  return cast<T>(wide);
}
template <> FN f64 settled<f64>(f64 wide, u32* status) {
  report(status, IN_DOUBT);
  return wide;
}

#define ELEMENTARY(name, single, wide)                                                                        \
  FN f32 fast_##name(f32 x) { return single; }                                                                \
  FN f64 fast_##name(f64 x) { return wide; }                                                                  \
  template <class F> FN narrow<F> fast_##name(narrow<F> x) { return rounded<narrow<F>>(fast_##name(widen(x))); } \
  template <class T> FN T exact_##name(T x, u32* status) { return settled<T>(fast_##name((f64)widen(x)), status); }

ELEMENTARY(exp, expf(x), exp(x))
ELEMENTARY(exp2, exp2f(x), exp2(x))
ELEMENTARY(exp10, exp10f(x), exp10(x))
ELEMENTARY(expm1, expm1f(x), expm1(x))
ELEMENTARY(log, logf(x), log(x))
ELEMENTARY(log2, log2f(x), log2(x))
ELEMENTARY(log10, log10f(x), log10(x))
ELEMENTARY(log1p, log1pf(x), log1p(x))
ELEMENTARY(rsqrt, 1.0f / sqrtf(x), 1.0 / sqrt(x))
ELEMENTARY(tanh, tanhf(x), tanh(x))
ELEMENTARY(sigmoid, 1.0f / (1.0f + expf(-x)), 1.0 / (1.0 + exp(-x)))
ELEMENTARY(erf, erff(x), erf(x))
ELEMENTARY(sin, sinf(x), sin(x))
ELEMENTARY(cos, cosf(x), cos(x))
ELEMENTARY(tan, tanf(x), tan(x))
ELEMENTARY(sinh, sinhf(x), sinh(x))
ELEMENTARY(cosh, coshf(x), cosh(x))
ELEMENTARY(asin, asinf(x), asin(x))
ELEMENTARY(acos, acosf(x), acos(x))
ELEMENTARY(atan, atanf(x), atan(x))
ELEMENTARY(asinh, asinhf(x), asinh(x))
ELEMENTARY(acosh, acoshf(x), acosh(x))
ELEMENTARY(atanh, atanhf(x), atanh(x))

#define ROUNDED(name, single, wide)                                                                      \
  FN f32 name(f32 x) { return single; }                                                                  \
  FN f64 name(f64 x) { return wide; }                                                                    \
  template <class F> FN narrow<F> name(narrow<F> x) { return rounded<narrow<F>>(name(widen(x))); }

ROUNDED(root, sqrtf(x), sqrt(x))
ROUNDED(floored, floorf(x), floor(x))
ROUNDED(ceiled, ceilf(x), ceil(x))
ROUNDED(truncated, truncf(x), trunc(x))
ROUNDED(to_even, rintf(x), rint(x))
ROUNDED(magnitude, fabsf(x), fabs(x))
ROUNDED(signum, x != x || x == 0 ? x : x > 0 ? 1.0f : -1.0f, x != x || x == 0 ? x : x > 0 ? 1.0 : -1.0)

#define ELEMENTARY_2(name, single, wide)                                                                 \
  FN f32 fast_##name(f32 x, f32 y) { return single; }                                                    \
  FN f64 fast_##name(f64 x, f64 y) { return wide; }                                                      \
  template <class F> FN narrow<F> fast_##name(narrow<F> x, narrow<F> y) {                                \
    return rounded<narrow<F>>(fast_##name(widen(x), widen(y)));                                          \
  }                                                                                                      \
  template <class T> FN T exact_##name(T x, T y, u32* status) {                                          \
    return settled<T>(fast_##name((f64)widen(x), (f64)widen(y)), status);                                \
  }

ELEMENTARY_2(pow, powf(x, y), pow(x, y))
ELEMENTARY_2(atan2, atan2f(x, y), atan2(x, y))
ELEMENTARY_2(hypot, hypotf(x, y), hypot(x, y))

#define ROUNDED_2(name, single, wide)                                                                    \
  FN f32 name(f32 x, f32 y) { return single; }                                                           \
  FN f64 name(f64 x, f64 y) { return wide; }                                                             \
  template <class F> FN narrow<F> name(narrow<F> x, narrow<F> y) {                                       \
    return rounded<narrow<F>>(name(widen(x), widen(y)));                                                 \
  }

ROUNDED_2(float_mod, fmodf(x, y), fmod(x, y))
ROUNDED_2(signed_as, copysignf(x, y), copysign(x, y))
template <class T> FN T float_floor_div(T a, T b) { return floored(a / b); }
template <class T> FN T float_floor_mod(T a, T b) { return a - floored(a / b) * b; }

FN f32 fused(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
FN f64 fused(f64 a, f64 b, f64 c) { return fma(a, b, c); }
template <class F> FN narrow<F> fused(narrow<F> a, narrow<F> b, narrow<F> c) {
  return cast<narrow<F>>(fma((f64)widen(a), (f64)widen(b), (f64)widen(c)));
}

// --- combining the threads of a block --------------------------------------------------------------------------------

struct Sum {
  template <class T> static FN T of(T a, T b) { return a + b; }
  static FN i32 of(i32 a, i32 b) { return add(a, b); }
  static FN i64 of(i64 a, i64 b) { return add(a, b); }
};
struct Product {
  template <class T> static FN T of(T a, T b) { return a * b; }
  static FN i32 of(i32 a, i32 b) { return mul(a, b); }
  static FN i64 of(i64 a, i64 b) { return mul(a, b); }
};
struct Maximum { template <class T> static FN T of(T a, T b) { return maximum(a, b); } };
struct First { template <class T> static FN T of(T a, T b) { return a < 0 ? b : b < 0 || a < b ? a : b; } };
struct Minimum { template <class T> static FN T of(T a, T b) { return minimum(a, b); } };

// The combination of `mine` over the threads of a row (a power of two up to a warp, or the whole block), the same in all
// of them. Whole warps take part.
template <class Op, class T> FN T row_total(T mine, i32 lanes) {
  for (i32 mask = (lanes < 32 ? lanes : 32) / 2; mask > 0; mask /= 2) mine = Op::of(mine, __shfl_xor_sync(~0u, mine, mask));
  if (lanes <= 32) return mine;
  SHARED(T, partial, 32);
  SYNC();  // the last total may still be read
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  SYNC();
  mine = partial[0];
  for (i32 warp = 1; warp < lanes / 32; ++warp) mine = Op::of(mine, (T)partial[warp]);
  return mine;
}

// --- rows in order ---------------------------------------------------------------------------------------------------

// The combination of what the threads of the warp up to this one have.
template <class Op, class T> FN T warp_scan(T mine) {
  for (i32 distance = 1; distance < 32; distance *= 2) {
    const T before = __shfl_up_sync(~0u, mine, distance);
    if (threadIdx.x % 32 >= distance) mine = Op::of(before, mine);
  }
  return mine;
}

// Whether x at position i comes before y at position j: NaN last, equal ones as they stand.
template <bool least, class T> FN bool comes_before(T x, i64 i, T y, i64 j) {
  if (x != x || y != y) return (x != x) == (y != y) ? i < j : y != y;
  if (least ? x < y : x > y) return true;
  return x == y && i < j;
}

// The positions of a row in order, by merging runs: each element looks up its place in the other run. In `near`, or in
// `far` if that is true. The whole block takes part.
template <class T, bool least, class Keys, class Places>
FN bool sort_row(Keys keys, i64 base, i64 stride, Places near, Places far, i64 row, i64 count) {
  for (i64 step = threadIdx.x; step < count; step += blockDim.x) near[row + step] = (i32)step;
  SYNC();
  bool turned = false;
  for (i64 width = 1; width < count; width *= 2, turned = !turned) {
    for (i64 step = threadIdx.x; step < count; step += blockDim.x) {
      const i64 run = step / width, other = run ^ 1;
      i64 low = other * width < count ? other * width : count, high = low + width < count ? low + width : count;
      const i64 first = low, mine = turned ? (i32)far[row + step] : (i32)near[row + step];
      const T key = keys[base + mine * stride];
      while (low < high) {
        const i64 middle = (low + high) / 2;
        const i64 theirs = turned ? (i32)far[row + middle] : (i32)near[row + middle];
        if (comes_before<least>((T)keys[base + theirs * stride], theirs, key, mine)) low = middle + 1; else high = middle;
      }
      const i64 place = row + (run & ~(i64)1) * width + (step - run * width) + (low - first);
      if (turned) near[place] = (i32)mine; else far[place] = (i32)mine;
    }
    SYNC();
  }
  return turned;
}
