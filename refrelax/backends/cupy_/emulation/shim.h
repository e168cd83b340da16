// The part of CUDA that generated kernels use, on a CPU: included before their source (g++ -include).
//
// Blocks run one after another. The threads of a block run one after another too, or, in a kernel with barriers, as
// fibers that take turns at every barrier and exchange. Memory is checked as it is used: every access is in bounds;
// shared memory is read only after it is written; two threads that touch one element, one of them writing, are ordered
// by a barrier, or it is a race.
#pragma once
#define REFRELAX_EMULATION 1
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS 1  // C's own headers: the C++ library takes longer to read than a kernel
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __device__
#define FN inline

struct Dim3 { unsigned x = 0, y = 0, z = 0; };
inline Dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

struct Fault { char message[512]; };

[[noreturn]] inline void fail(const char* format, ...) {
  Fault fault;
  va_list values;
  va_start(values, format);
  int used = vsnprintf(fault.message, 400, format, values);
  va_end(values);
  snprintf(fault.message + used, 100, " (block %u, thread %u)", blockIdx.x, threadIdx.x);
  throw fault;
}

template <class T> struct Array {  // grows, never shrinks
  T* items = nullptr;
  long long count = 0;
  void ensure(long long wanted) {
    if (wanted <= count) return;
    T* larger = new T[wanted]();
    for (long long k = 0; k < count; ++k) larger[k] = items[k];
    delete[] items;
    items = larger, count = wanted;
  }
  T& operator[](long long k) { return items[k]; }
};

template <class T> struct Plainly { typedef T Type; static constexpr bool constant = false; };
template <class T> struct Plainly<const T> { typedef T Type; static constexpr bool constant = true; };
template <bool Condition, class A, class B> struct Either { typedef A Type; };
template <class A, class B> struct Either<false, A, B> { typedef B Type; };

struct Launch {
  long long blocks;
  int threads, barriers, order, races;  // order: 0 forward, 1 backward, otherwise a seed of shuffling
  long long shared;  // bytes of the block's memory that the launch asks for
};

struct Argument {
  void* data;
  long long count, integer;
  double number;
  const char* name;
  long long read, written;  // elements, as often as a thread did it
  long long vectors;        // of those, how often several at once
};

// --- races -----------------------------------------------------------------------------------------------------------

constexpr int NOBODY = -1, SEVERAL = -2;
inline int epoch;  // barriers of this block so far

struct Access {
  int thread = NOBODY, epoch = 0;
  long long block = NOBODY;
  bool conflicts() const {
    if (thread == NOBODY) return false;
    if (block != (long long)blockIdx.x) return true;
    return thread != (int)threadIdx.x && epoch == emulated::epoch;
  }
  void mark() {
    const bool same_epoch = thread != NOBODY && block == (long long)blockIdx.x && epoch == emulated::epoch;
    thread = same_epoch && thread != (int)threadIdx.x ? SEVERAL : (int)threadIdx.x;
    block = block == NOBODY || block == (long long)blockIdx.x ? (long long)blockIdx.x : (long long)SEVERAL;
    epoch = emulated::epoch;
  }
};

struct Shadow {
  Access reader, writer;
  void read(const char* name, long long index) {
    if (writer.conflicts()) fail("race: %s[%lld] is read while another thread writes it", name, index);
    reader.mark();
  }
  void write(const char* name, long long index) {
    if (writer.conflicts() || reader.conflicts())
      fail("race: %s[%lld] is written while another thread uses it", name, index);
    writer.mark();
  }
};

// Who touched what, by the start of the memory: two parameters may be the same array.
struct Memory {
  const void* start;
  Array<Shadow> cells;
};
inline Array<Memory> memories;
inline long long memories_used;

inline Shadow* shadow_of(const void* start, long long count) {
  long long k = 0;
  while (k < memories_used && memories[k].start != start) ++k;
  if (k == memories_used) {
    memories.ensure(++memories_used);
    memories[k] = Memory{start, Array<Shadow>()};
  }
  memories[k].cells.ensure(count);
  return memories[k].cells.items;
}

inline void forget_memories() {
  for (long long k = 0; k < memories_used; ++k) delete[] memories[k].cells.items;
  memories_used = 0;
}

// --- global memory ---------------------------------------------------------------------------------------------------

template <class T> struct Cell {  // an element of memory that is also written
  T* where;
  Shadow* shadow;
  const char* name;
  long long index;
  Argument* argument;
  operator T() const {
    ++argument->read;
    if (shadow) shadow->read(name, index);
    return *where;
  }
  const Cell& operator=(T value) const {
    ++argument->written;
    if (shadow) shadow->write(name, index);
    *where = value;
    return *this;
  }
};

template <class T> struct span {
  typedef typename Plainly<T>::Type Plain;
  T* data;
  long long count;
  const char* name;
  Shadow* shadow = nullptr;
  Argument* argument;
  span(Argument& a, bool races)
      : data((T*)a.data), count(a.count), name(a.name), shadow(races ? shadow_of(a.data, a.count) : nullptr), argument(&a) {}
  typename Either<Plainly<T>::constant, Plain, Cell<Plain>>::Type operator[](long long index) const {
    if (index < 0 || index >= count) fail("out of bounds: %s[%lld] of %lld", name, index, count);
    if constexpr (Plainly<T>::constant) {
      ++argument->read;
      if (shadow) shadow[index].read(name, index);
      return data[index];
    } else {
      return {data + index, shadow ? shadow + index : nullptr, name, index, argument};
    }
  }
};

// --- shared memory ---------------------------------------------------------------------------------------------------

inline long long generation;  // of the running block

template <class T> struct SharedCell {
  T* where;
  Shadow* shadow;
  bool* written;
  const char* name;
  long long index;
  operator T() const {
    if (!*written) fail("uninitialised: %s[%lld] is read before it is written", name, index);
    shadow->read(name, index);
    return *where;
  }
  const SharedCell& operator=(T value) const {
    shadow->write(name, index);
    *where = value;
    *written = true;
    return *this;
  }
};

template <class T, int N> struct Shared {
  T cells[N];
  Shadow shadow[N];
  bool written[N];
  const char* name;
  long long seen = -1;
  explicit Shared(const char* n) : name(n) {}
  Shared& enter() {
    if (seen != generation) {
      seen = generation;
      memset((void*)cells, 0xff, sizeof cells);
      for (int k = 0; k < N; ++k) shadow[k] = Shadow(), written[k] = false;
    }
    return *this;
  }
  SharedCell<T> operator[](long long index) {
    if (index < 0 || index >= N) fail("out of bounds: shared %s[%lld] of %d", name, index, N);
    return {cells + index, shadow + index, written + index, name, index};
  }
};

// The memory that a launch asks for: bytes, in which a kernel lays out arrays.
constexpr long long MOST_SHARED = 227 * 1024;
inline char kept_bytes[MOST_SHARED];
inline Shadow kept_shadow[MOST_SHARED];
inline long long kept_written[MOST_SHARED];  // the generation that wrote an element here
inline long long kept_seen[MOST_SHARED];
inline int kept_size[MOST_SHARED];
inline long long shared_bytes;

template <class T> struct KeptCell {
  long long place;
  const char* name;
  long long index;
  Shadow* shadow() const {
    if (kept_seen[place] != generation) kept_seen[place] = generation, kept_shadow[place] = Shadow();
    return kept_shadow + place;
  }
  operator T() const {
    if (kept_written[place] != generation || kept_size[place] != (int)sizeof(T))
      fail("uninitialised: %s[%lld] is read before it is written", name, index);
    shadow()->read(name, index);
    T found;
    memcpy(&found, kept_bytes + place, sizeof(T));
    return found;
  }
  const KeptCell& operator=(T value) const {
    shadow()->write(name, index);
    memcpy(kept_bytes + place, &value, sizeof(T));
    for (int k = 0; k < (int)sizeof(T); ++k) kept_written[place + k] = -1;
    kept_written[place] = generation, kept_size[place] = (int)sizeof(T);
    return *this;
  }
};

template <class T> struct Kept {
  long long start, count;
  const char* name;
  Kept(long long s, long long n, const char* called) : start(s), count(n), name(called) {}
  KeptCell<T> operator[](long long index) const {
    const long long place = start + index * (long long)sizeof(T);
    if (index < 0 || index >= count) fail("out of bounds: kept %s[%lld] of %lld", name, index, count);
    if (place % (long long)sizeof(T) != 0) fail("misaligned: kept %s starts at byte %lld", name, start);
    if (place + (long long)sizeof(T) > shared_bytes)
      fail("out of bounds: kept %s[%lld] lies beyond %lld bytes", name, index, shared_bytes);
    return {place, name, index};
  }
};

// --- threads ---------------------------------------------------------------------------------------------------------

enum class State { READY, AT_BARRIER, AT_EXCHANGE, DONE };
constexpr unsigned long STACK = 64 * 1024;

struct Fiber {
  ucontext_t context;
  char* stack = nullptr;
  State state = State::READY;
  int site = 0;
  int exchanges = 0;
};

inline Fiber fibers[1024];
inline int fiber_count;
inline unsigned long long deposits[2][1024];
inline ucontext_t scheduler;
inline void (*entry)(void*);
inline void* closure;
inline Fault fault;
inline bool fibered, faulty;

inline void trampoline() {
  try {
    entry(closure);
  } catch (const Fault& f) {
    if (!faulty) fault = f;
    faulty = true;
  }
  fibers[threadIdx.x].state = State::DONE;
  swapcontext(&fibers[threadIdx.x].context, &scheduler);
}

inline void wait(State state, int site) {
  if (!fibered) fail("a barrier in a kernel that is launched without fibers");
  const unsigned self = threadIdx.x;
  fibers[self].state = state;
  fibers[self].site = site;
  swapcontext(&fibers[self].context, &scheduler);
  threadIdx.x = self;
}

inline void barrier(int site) { wait(State::AT_BARRIER, site); }

// What thread `from` of the warp has: every thread says what it has, and waits for the others of its warp.
template <class T> T exchange(T value, unsigned from) {
  static_assert(sizeof(T) <= 8, "what warps exchange");
  const unsigned self = threadIdx.x, other = self - self % 32 + from;
  const int turn = fibers[self].exchanges++ % 2;
  memcpy(&deposits[turn][self], &value, sizeof(T));
  wait(State::AT_EXCHANGE, 0);
  if (from >= 32 || other >= blockDim.x) return value;
  T found;
  memcpy(&found, &deposits[turn][other], sizeof(T));
  return found;
}

inline bool release_warps() {
  bool any = false;
  for (int first = 0; first < fiber_count; first += 32) {
    const int last = first + 32 < fiber_count ? first + 32 : fiber_count;
    bool all = true;
    for (int k = first; k < last; ++k) all = all && fibers[k].state == State::AT_EXCHANGE;
    for (int k = first; all && k < last; ++k) fibers[k].state = State::READY;
    any = any || all;
  }
  return any;
}

inline bool release_block() {
  for (int k = 0; k < fiber_count; ++k)
    if (fibers[k].state != State::AT_BARRIER || fibers[k].site != fibers[0].site) return false;
  for (int k = 0; k < fiber_count; ++k) fibers[k].state = State::READY;
  ++epoch;
  return true;
}

inline void arrange(Array<long long>& order, long long count, int how, unsigned long long salt) {
  order.ensure(count);
  for (long long k = 0; k < count; ++k) order[k] = how == 1 ? count - 1 - k : k;
  if (how <= 1) return;
  unsigned long long state = 0x9e3779b97f4a7c15ULL * (how + 1) + salt;
  for (long long k = count; k > 1; --k) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const long long other = (long long)(state % k), kept = order[k - 1];
    order[k - 1] = order[other], order[other] = kept;
  }
}

inline Array<long long> block_order, thread_order;

inline void run_block_of_fibers(const Launch& launch) {
  fiber_count = launch.threads;
  for (int k = 0; k < fiber_count; ++k) {
    Fiber& f = fibers[k];
    if (!f.stack) f.stack = (char*)malloc(STACK);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = nullptr;
    f.state = State::READY;
    f.exchanges = 0;
    makecontext(&f.context, trampoline, 0);
  }
  for (unsigned long long round = 0;; ++round) {
    arrange(thread_order, fiber_count, launch.order, round);
    bool ran = false;
    for (int turn = 0; turn < fiber_count; ++turn) {
      const long long k = thread_order[turn];
      if (fibers[k].state != State::READY) continue;
      ran = true;
      threadIdx.x = (unsigned)k;
      swapcontext(&scheduler, &fibers[k].context);
      if (faulty) throw fault;
    }
    bool finished = true;
    for (int k = 0; k < fiber_count; ++k) finished = finished && fibers[k].state == State::DONE;
    if (finished) return;
    const bool released = release_warps();
    if (!release_block() && !released && !ran) fail("divergence: some threads wait where the others do not come");
  }
}

template <class F> int run(const Launch& launch, char* message, F kernel) {
  faulty = false;
  fibered = launch.barriers;
  shared_bytes = launch.shared;
  entry = [](void* f) { (*(F*)f)(); };
  closure = (void*)&kernel;
  blockDim = {(unsigned)launch.threads, 1, 1};
  gridDim = {(unsigned)launch.blocks, 1, 1};
  arrange(block_order, launch.blocks, launch.order, 1);
  int outcome = 0;
  try {
    for (long long turn = 0; turn < launch.blocks; ++turn) {
      const long long b = block_order[turn];
      blockIdx.x = (unsigned)b;
      ++generation;
      epoch = 0;
      if (launch.barriers) {
        run_block_of_fibers(launch);
        continue;
      }
      arrange(thread_order, launch.threads, launch.order, b);
      for (int k = 0; k < launch.threads; ++k) {
        threadIdx.x = (unsigned)thread_order[k];
        kernel();
      }
    }
  } catch (const Fault& f) {
    memcpy(message, f.message, sizeof f.message);
    outcome = 1;
  }
  forget_memories();
  return outcome;
}

}  // namespace emulated

template <class T> using ptr = emulated::span<T>;
#define SHARED(T, name, count)                              \
  static emulated::Shared<T, count> name##_memory(#name);   \
  auto& name = name##_memory.enter()
#define UNROLL
#define ALIGNED(size) alignas(size)
template <class T> bool together(const emulated::span<T>& p, long long offset, unsigned long long size) {
  return (unsigned long long)(p.data + offset) % size == 0;
}
template <class V, class T> V at_once(const emulated::span<T>& p, long long offset) {
  V found;
  constexpr int count = sizeof found.at / sizeof found.at[0];
  ++p.argument->vectors;
  for (int k = 0; k < count; ++k) found.at[k] = p[offset + k];
  return found;
}
template <class V, class T> void at_once(const emulated::span<T>& p, long long offset, V value) {
  ++p.argument->vectors;
  for (int k = 0; k < (int)(sizeof value.at / sizeof value.at[0]); ++k) p[offset + k] = value.at[k];
}
#define KEPT(T, name, start, count) const emulated::Kept<T> name((start), (count), #name)
#define SYNC() emulated::barrier(__LINE__)

template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  return emulated::exchange(value, threadIdx.x % 32 + distance);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  const unsigned lane = threadIdx.x % 32;
  return emulated::exchange(value, lane < distance ? lane : lane - distance);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, unsigned lanes) {
  return emulated::exchange(value, threadIdx.x % 32 ^ lanes);
}
inline unsigned atomicOr(unsigned* where, unsigned bits) {
  const unsigned old = *where;
  *where |= bits;
  return old;
}

// --- bits ------------------------------------------------------------------------------------------------------------

template <class To, class From> inline To bit_copy(From x) {
  static_assert(sizeof(To) == sizeof(From), "equal sizes");
  To r;
  memcpy(&r, &x, sizeof r);
  return r;
}
inline unsigned bits_of(float x) { return bit_copy<unsigned>(x); }
inline unsigned long long bits_of(double x) { return bit_copy<unsigned long long>(x); }
inline float f32_from(unsigned x) { return bit_copy<float>(x); }
inline double f64_from(unsigned long long x) { return bit_copy<double>(x); }
inline int count_bits(unsigned long long x) { return __builtin_popcountll(x); }
inline int leading_zeros(unsigned long long x) { return x ? __builtin_clzll(x) : 64; }

inline float f16_widen(unsigned short x) {
  const unsigned sign = (unsigned)(x & 0x8000) << 16, exponent = x >> 10 & 31, mantissa = x & 1023;
  if (exponent == 31) return f32_from(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f;
  return f32_from(sign | (exponent + 112) << 23 | mantissa << 13);
}

// To nearest, ties to even: the mantissa is rounded where its last kept bit lies, in exact binary64 arithmetic.
inline unsigned short f16_round(float x) {
  const unsigned short sign = (unsigned short)(bits_of(x) >> 16 & 0x8000);
  const double size = fabs((double)x);
  if (x != x) return sign | 0x7e00;
  if (size >= 65520.0) return sign | 0x7c00;
  int exponent = size > 0 ? ilogb(size) : -14;
  if (exponent < -14) exponent = -14;
  const long units = (long)nearbyint(ldexp(size, 10 - exponent));
  return (unsigned short)(sign | (((exponent + 14) << 10) + units));
}
