/* How a function of the C interface is made visible outside of the shared library, everything else
 * being hidden. */
#pragma once

#if defined(_WIN32) || defined(__CYGWIN__)
#define FMI_EXPORT __declspec(dllexport)
#else
#define FMI_EXPORT __attribute__((visibility("default")))
#endif
