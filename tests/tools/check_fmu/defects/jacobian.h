/* One more output of the tiny FMU, a = v' = u - k x, its partial derivatives and what can be wrong
   with them. All of it under defects that are named so: other descriptions do not declare it. */
#include <math.h>

#include "tests/tools/import/tiny/tiny.h"

enum { ACCELERATION = 40 };

static double kink; /* where the last derivative was asked for */

static bool derives(void) {
  return strncmp((const char*)defect_text + 7, "jacobian", 8) == 0;
}

static double acceleration(const TinyData* data) {
  double value = data->u - data->k * data->x;
  if (has("jacobian-kink")) value += 3 * fabs(data->x - kink);
  if (has("jacobian-jump")) value += data->x > kink;
  return value;
}

static double partial(const TinyData* data, unsigned unknown, unsigned known) {
  const bool of_a = unknown == ACCELERATION;
  if (of_a && known == TINY_U) return has("jacobian-wrong-input") ? 2 : 1;
  if (of_a && known == TINY_X)
    return has("jacobian-wrong-state") ? -2 * data->k
           : has("jacobian-kink")      ? 3 - data->k
                                       : -data->k;
  if (of_a && known == TINY_V) return has("jacobian-hidden") ? 1 : 0;
  return unknown == known ? 1 : 0;
}

/* J seed, or its transpose's; false: refused. */
static bool multiply(const TinyData* data, const unsigned unknowns[], size_t unknown_count,
                     const unsigned knowns[], size_t known_count, const double seed[],
                     double result[], bool transposed) {
  if (!derives() || has("jacobian-refused")) return false;
  if (transposed && has("jacobian-adjoint-refused")) return false;
  kink = data->x;
  for (size_t i = 0; i < (transposed ? known_count : unknown_count); ++i) result[i] = 0;
  for (size_t i = 0; i < unknown_count; ++i)
    for (size_t k = 0; k < known_count; ++k) {
      const bool is_unknown =
          unknowns[i] == TINY_X || unknowns[i] == TINY_V || unknowns[i] == ACCELERATION;
      const bool is_known = knowns[k] == TINY_U || knowns[k] == TINY_X || knowns[k] == TINY_V;
      if (!(is_unknown && is_known) && has("jacobian-crashes")) raise(SIGSEGV);
      if (!(is_unknown && is_known) && !has("jacobian-any-reference")) return false;
      double factor = partial(data, unknowns[i], knowns[k]);
      if (transposed && has("jacobian-adjoint-wrong")) factor = fabs(factor);
      double by = seed[transposed ? i : k];
      if (has("jacobian-unit-seed") && by != 0) by = 1;
      double* sum = &result[transposed ? k : i];
      if (has("jacobian-last-known") && !transposed) *sum = 0;
      *sum += factor * by;
    }
  if (has("jacobian-nan")) result[0] = NAN;
  return true;
}
