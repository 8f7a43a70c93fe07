/* A model small enough to be known by heart, for tests of the importer: the oscillator
     x' = v,  v' = u - k x,  x(start) = x0, v(start) = 0
   by explicit Euler steps of at most 1 ms, and a counter that ticks at every full second while
   `ticking`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TINY_TOKEN "{tiny-1}"

enum {
  TINY_TIME = 0,
  TINY_K = 1,
  TINY_X0 = 2,
  TINY_U = 3,
  TINY_X = 4,
  TINY_V = 5,
  TINY_COUNT = 6,
  TINY_TICKING = 7,
  TINY_LABEL = 8,
  TINY_MODE = 9,
  TINY_WEIGHTS = 10, /* FMI 3 from here: array of 3 */
  TINY_BLOB = 11,
  TINY_SINGLE = 12,
  TINY_WHOLE = 20 /* one of each width: int8, uint8, ..., uint64 */
};

/* Where an instance is in its life; bits, for what is allowed when. */
enum {
  TINY_NEW = 1,
  TINY_INITIALIZING = 2,
  TINY_STEPPING = 4,
  TINY_ENDED = 8,
  TINY_CONFIGURABLE = TINY_NEW | TINY_INITIALIZING,
  TINY_RUNNING = TINY_CONFIGURABLE | TINY_STEPPING
};

/* Everything on which the continuation depends; copied as it is for saved states. */
typedef struct {
  double time, x, v, u, k, x0, next_tick, weights[3];
  float single;
  int32_t count, ticking, mode;
  int64_t whole[8];
  size_t blob_size;
  unsigned char blob[32];
  char label[32];
} TinyData;

/* What a step met. */
typedef struct {
  double time;
  bool tick_due; /* at `time`, not yet counted */
} TinyStep;

void tiny_reset(TinyData* data);
void tiny_start(TinyData* data, double start);
double* tiny_real(TinyData* data, unsigned reference); /* null: no such variable */
/* Fixed parameters and inputs before the first step, tunable ones and inputs later too. */
bool tiny_can_set(int phase, unsigned reference);
/* Whether a step may begin and end there; `stop` is the last time allowed. */
bool tiny_can_step(const TinyData* data, double time, double step, double stop);
/* A state as bytes: with a checksum behind. */
size_t tiny_bytes(void);
void tiny_pack(const TinyData* data, void* bytes);
bool tiny_unpack(TinyData* data, const void* bytes, size_t size);
bool tiny_set_label(TinyData* data, const char* label);
void tiny_tick(TinyData* data);
/* Goes to `end`; with stop_at_tick not beyond the next tick, which is then left to the caller. */
TinyStep tiny_advance(TinyData* data, double end, bool stop_at_tick);
