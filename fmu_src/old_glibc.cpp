// Lets the runtime load on systems with a C library older than that of the machine it is built on.
// libstdc++ and libgcc_eh, linked statically, and the headers refer to symbols that glibc has only
// had since
//
//   _dl_find_object                          2.35   which module a code address lies in
//   pthread_once, __pthread_key_create       2.34   in libc.so.6, libpthread.so.0 before
//   __libc_single_threaded                   2.32   leave out atomics while there is one thread
//   exp, log, pow (2.29), hypot (2.35)              the same functions with another way to errno
//   __tls_get_addr                                  would make ld-linux.so a needed library
//
// They are defined here, hidden, so that the references end inside the library. The remaining ones
// need glibc 2.17 on x86-64; a test prints the version.

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#define MBS_HIDDEN __attribute__((visibility("hidden")))

// ---- the unwinder's look-up, by the program headers of all modules

#if __GLIBC_PREREQ(2, 35)

namespace {

struct Lookup {
  ElfW(Addr) address;
  dl_find_object* result;
};

int look_into(dl_phdr_info* module, std::size_t, void* data) {
  const Lookup& lookup = *static_cast<Lookup*>(data);
  ElfW(Addr) begin = ~ElfW(Addr){0}, end = 0, frame = 0;
  bool inside = false;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    const ElfW(Addr) from = module->dlpi_addr + segment.p_vaddr, to = from + segment.p_memsz;
    if (segment.p_type == PT_GNU_EH_FRAME) frame = from;
    if (segment.p_type != PT_LOAD) continue;
    inside = inside || (lookup.address >= from && lookup.address < to);
    if (from < begin) begin = from;
    if (to > end) end = to;
  }
  if (!inside || frame == 0) return 0;
  lookup.result->dlfo_flags = 0;
  lookup.result->dlfo_map_start = reinterpret_cast<void*>(begin);
  lookup.result->dlfo_map_end = reinterpret_cast<void*>(end);
  lookup.result->dlfo_link_map = nullptr;  // the unwinder does not look at it
  lookup.result->dlfo_eh_frame = reinterpret_cast<void*>(frame);
  return 1;
}

}  // namespace

extern "C" MBS_HIDDEN int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Lookup lookup{reinterpret_cast<ElfW(Addr)>(address), result};
  return dl_iterate_phdr(look_into, &lookup) == 1 ? 0 : -1;
}

#endif

// ---- threads

extern "C" MBS_HIDDEN int pthread_once(pthread_once_t* control, void (*function)()) {
  static_assert(sizeof(pthread_once_t) == sizeof(int) && PTHREAD_ONCE_INIT == 0);
  enum { never, running, done };
  std::atomic_ref<int> state(*control);
  for (int expected = never; state.load(std::memory_order_acquire) != done; expected = never) {
    if (state.compare_exchange_strong(expected, running, std::memory_order_acquire)) {
      function();
      state.store(done, std::memory_order_release);
    } else if (expected == running) {
      sched_yield();
    }
  }
  return 0;
}

// libgcc_eh only asks whether it is there: then there may be threads and it locks.
extern "C" MBS_HIDDEN int __pthread_key_create(pthread_key_t*, void (*)(void*)) noexcept {
  return ENOSYS;
}

extern "C" MBS_HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

// ---- the exceptions in flight, one record a thread; compiled with TLS descriptors

namespace {
struct ExceptionGlobals {
  void* caught;
  unsigned int uncaught;
};
__thread ExceptionGlobals exception_globals;
}  // namespace

namespace __cxxabiv1 {
extern "C" MBS_HIDDEN ExceptionGlobals* __cxa_get_globals() noexcept {
  return &exception_globals;
}
extern "C" MBS_HIDDEN ExceptionGlobals* __cxa_get_globals_fast() noexcept {
  return &exception_globals;
}
}  // namespace __cxxabiv1

// ---- elementary functions: the symbols' first versions

#define MBS_FIRST_VERSION(name) __asm__(".symver first_" #name ", " #name "@GLIBC_2.2.5")
MBS_FIRST_VERSION(exp);
MBS_FIRST_VERSION(log);
MBS_FIRST_VERSION(pow);
MBS_FIRST_VERSION(hypot);

extern "C" {
double first_exp(double);
double first_log(double);
double first_pow(double, double);
double first_hypot(double, double);

MBS_HIDDEN double exp(double x) noexcept {
  return first_exp(x);
}
MBS_HIDDEN double log(double x) noexcept {
  return first_log(x);
}
MBS_HIDDEN double pow(double x, double y) noexcept {
  return first_pow(x, y);
}
MBS_HIDDEN double hypot(double x, double y) noexcept {
  return first_hypot(x, y);
}
}

#endif
