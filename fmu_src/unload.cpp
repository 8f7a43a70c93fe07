// libstdc++, linked statically, allocates a reserve for exceptions when the library is loaded (72
// KB) and leaves it allocated until the process ends. Importers load and unload FMUs: the reserve
// is freed with the library.

namespace __gnu_cxx {
void __freeres();
}

namespace {
__attribute__((destructor)) void free_exception_reserve() {
  __gnu_cxx::__freeres();
}
}  // namespace
