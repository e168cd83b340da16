// The part of CUDA that generated kernels use, on a CPU: included before their source (g++ -include).
//
// Blocks run one after another. The threads of a block run one after another too, or, in a kernel with barriers, as
// fibers that take turns at every barrier and exchange. Memory is checked as it is used: every access is in bounds;
// shared memory is read only after it is written; two threads that touch one element, one of them writing, are ordered
// by a barrier, or it is a race.
#pragma once
#define REFRELAX_EMULATION 1
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#define __global__
#define __device__
#define FN inline

struct Dim3 { unsigned x = 0, y = 0, z = 0; };
inline Dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

struct Fault { std::string message; };

[[noreturn]] inline void fail(const std::string& what) {
  throw Fault{what + " (block " + std::to_string(blockIdx.x) + ", thread " + std::to_string(threadIdx.x) + ")"};
}

struct Launch {
  long long blocks;
  int threads, barriers, order, races;  // order: 0 forward, 1 backward, otherwise a seed of shuffling
};

struct Argument {
  void* data;
  long long count, integer;
  double number;
  const char* name;
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
    if (writer.conflicts()) fail("race: " + std::string(name) + "[" + std::to_string(index) + "] is read while another thread writes it");
    reader.mark();
  }
  void write(const char* name, long long index) {
    if (writer.conflicts() || reader.conflicts())
      fail("race: " + std::string(name) + "[" + std::to_string(index) + "] is written while another thread uses it");
    writer.mark();
  }
};

inline std::unordered_map<const void*, std::vector<Shadow>> shadows;

// --- global memory ---------------------------------------------------------------------------------------------------

template <class T> struct Cell {  // an element of memory that is also written
  T* where;
  Shadow* shadow;
  const char* name;
  long long index;
  operator T() const {
    if (shadow) shadow->read(name, index);
    return *where;
  }
  const Cell& operator=(T value) const {
    if (shadow) shadow->write(name, index);
    *where = value;
    return *this;
  }
};

template <class T> struct span {
  typedef std::remove_const_t<T> Plain;
  T* data;
  long long count;
  const char* name;
  Shadow* shadow = nullptr;
  span(const Argument& a, bool races) : data((T*)a.data), count(a.count), name(a.name) {
    if (races) {
      auto& cells = shadows[a.data];
      if ((long long)cells.size() < count) cells.resize(count);
      shadow = cells.data();
    }
  }
  void check(long long index) const {
    if (index < 0 || index >= count)
      fail(std::string("out of bounds: ") + name + "[" + std::to_string(index) + "] of " + std::to_string(count));
  }
  std::conditional_t<std::is_const_v<T>, Plain, Cell<Plain>> operator[](long long index) const {
    check(index);
    if constexpr (std::is_const_v<T>) {
      if (shadow) shadow[index].read(name, index);
      return data[index];
    } else {
      return {data + index, shadow ? shadow + index : nullptr, name, index};
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
    if (!*written) fail(std::string("uninitialised: ") + name + "[" + std::to_string(index) + "] is read before it is written");
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
      std::memset((void*)cells, 0xff, sizeof cells);
      for (int k = 0; k < N; ++k) shadow[k] = Shadow(), written[k] = false;
    }
    return *this;
  }
  SharedCell<T> operator[](long long index) {
    if (index < 0 || index >= N) fail(std::string("out of bounds: shared ") + name + "[" + std::to_string(index) + "]");
    return {cells + index, shadow + index, written + index, name, index};
  }
};

// --- threads ---------------------------------------------------------------------------------------------------------

enum class State { READY, AT_BARRIER, AT_EXCHANGE, DONE };
constexpr size_t STACK = 64 * 1024;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  State state = State::READY;
  int site = 0;
  int exchanges = 0;
};

inline std::vector<Fiber> fibers;
inline std::vector<unsigned long long> deposits[2];
inline ucontext_t scheduler;
inline void (*entry)(void*);
inline void* closure;
inline std::string fault;
inline bool fibered;

inline void trampoline() {
  try {
    entry(closure);
  } catch (const Fault& f) {
    if (fault.empty()) fault = f.message;
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

template <class T> T shuffle_down(unsigned, T value, unsigned distance) {
  static_assert(sizeof(T) <= 8, "what warps exchange");
  const unsigned self = threadIdx.x, lane = self % 32;
  const int turn = fibers[self].exchanges++ % 2;
  std::memcpy(&deposits[turn][self], &value, sizeof(T));
  wait(State::AT_EXCHANGE, 0);
  if (lane + distance >= 32 || self + distance >= blockDim.x) return value;
  T found;
  std::memcpy(&found, &deposits[turn][self + distance], sizeof(T));
  return found;
}

inline bool release_warps() {
  bool any = false;
  for (size_t first = 0; first < fibers.size(); first += 32) {
    const size_t last = std::min(first + 32, fibers.size());
    bool all = true;
    for (size_t k = first; k < last; ++k) all = all && fibers[k].state == State::AT_EXCHANGE;
    for (size_t k = first; all && k < last; ++k) fibers[k].state = State::READY;
    any = any || all;
  }
  return any;
}

inline bool release_block() {
  for (const Fiber& f : fibers)
    if (f.state != State::AT_BARRIER || f.site != fibers[0].site) return false;
  for (Fiber& f : fibers) f.state = State::READY;
  ++epoch;
  return true;
}

inline void arrange(std::vector<long long>& order, int how, unsigned long long salt) {
  for (size_t k = 0; k < order.size(); ++k) order[k] = how == 1 ? (long long)(order.size() - 1 - k) : (long long)k;
  if (how <= 1) return;
  unsigned long long state = 0x9e3779b97f4a7c15ULL * (how + 1) + salt;
  for (size_t k = order.size(); k > 1; --k) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(order[k - 1], order[state % k]);
  }
}

inline void run_block_of_fibers(const Launch& launch) {
  fibers.resize(launch.threads);
  for (auto& slots : deposits) slots.assign(launch.threads, 0);
  for (Fiber& f : fibers) {
    if (!f.stack) f.stack.reset(new char[STACK]);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get();
    f.context.uc_stack.ss_size = STACK;
    f.context.uc_link = nullptr;
    f.state = State::READY;
    f.exchanges = 0;
    makecontext(&f.context, trampoline, 0);
  }
  std::vector<long long> order(launch.threads);
  for (unsigned long long round = 0;; ++round) {
    arrange(order, launch.order, round);
    bool ran = false;
    for (long long k : order) {
      if (fibers[k].state != State::READY) continue;
      ran = true;
      threadIdx.x = (unsigned)k;
      swapcontext(&scheduler, &fibers[k].context);
      if (!fault.empty()) throw Fault{fault};
    }
    bool finished = true;
    for (const Fiber& f : fibers) finished = finished && f.state == State::DONE;
    if (finished) return;
    const bool released = release_warps();
    if (!release_block() && !released && !ran) fail("divergence: some threads wait where the others do not come");
  }
}

template <class F> int run(const Launch& launch, char* message, F kernel) {
  shadows.clear();
  fault.clear();
  fibered = launch.barriers;
  entry = [](void* f) { (*(F*)f)(); };
  closure = (void*)&kernel;
  blockDim = {(unsigned)launch.threads, 1, 1};
  gridDim = {(unsigned)launch.blocks, 1, 1};
  std::vector<long long> blocks(launch.blocks), threads(launch.threads);
  arrange(blocks, launch.order, 1);
  try {
    for (long long b : blocks) {
      blockIdx.x = (unsigned)b;
      ++generation;
      epoch = 0;
      if (launch.barriers) {
        run_block_of_fibers(launch);
        continue;
      }
      arrange(threads, launch.order, b);
      for (long long t : threads) {
        threadIdx.x = (unsigned)t;
        kernel();
      }
    }
  } catch (const Fault& f) {
    std::snprintf(message, 512, "%s", f.message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace emulated

template <class T> using ptr = emulated::span<T>;
#define SHARED(T, name, count)                              \
  static emulated::Shared<T, count> name##_memory(#name);   \
  auto& name = name##_memory.enter()
#define SYNC() emulated::barrier(__LINE__)

template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  return emulated::shuffle_down(mask, value, distance);
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
  std::memcpy(&r, &x, sizeof r);
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
  const double size = std::fabs((double)x);
  if (x != x) return sign | 0x7e00;
  if (size >= 65520.0) return sign | 0x7c00;
  int exponent = size > 0 ? std::ilogb(size) : -14;
  if (exponent < -14) exponent = -14;
  const long units = (long)std::nearbyint(std::ldexp(size, 10 - exponent));
  return (unsigned short)(sign | (((exponent + 14) << 10) + units));
}
