#pragma once

namespace mbs {

// KLU allocates in every factorisation with new pivots, which can come in the middle of a warm
// simulation. From the first call on it takes its memory from a cache that keeps what is freed.
// To be called before anything else of KLU; threads may do so at the same time.
void keep_klu_memory();

}  // namespace mbs
