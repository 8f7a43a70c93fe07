// libstdc++, linked statically, allocates a reserve for exceptions when the library is loaded (72
// KB) and leaves it to the end of the process. Importers load and unload: it goes with the library.

namespace __gnu_cxx {
void __freeres();
}

namespace {
__attribute__((destructor)) void free_exception_reserve() {
  __gnu_cxx::__freeres();
}
}  // namespace
