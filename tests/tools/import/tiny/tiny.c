#include "tiny.h"

#include <math.h>
#include <string.h>

void tiny_reset(TinyData* data) {
  memset(data, 0, sizeof *data);
  data->k = 4;
  data->x0 = 1;
  data->x = 1;
  data->ticking = 1;
  data->mode = 2;
  data->weights[0] = 1;
  data->weights[1] = 2;
  data->weights[2] = 3;
  data->single = 0.1f;
  for (int i = 0; i < 8; ++i) data->whole[i] = i + 1;
  data->blob_size = 2;
  data->blob[0] = 0xca;
  data->blob[1] = 0xfe;
  strcpy(data->label, "tiny");
}

void tiny_start(TinyData* data, double start) {
  data->time = start;
  data->x = data->x0;
  data->next_tick = floor(start) + 1;
}

double* tiny_real(TinyData* data, unsigned reference) {
  switch (reference) {
    case TINY_TIME:
      return &data->time;
    case TINY_K:
      return &data->k;
    case TINY_X0:
      return &data->x0;
    case TINY_U:
      return &data->u;
    case TINY_X:
      return &data->x;
    case TINY_V:
      return &data->v;
    default:
      return NULL;
  }
}

bool tiny_can_set(int phase, unsigned reference) {
  const bool tunable = reference == TINY_U || reference == TINY_K || reference == TINY_V ||
                       reference == TINY_WEIGHTS;
  return (phase & (tunable ? TINY_RUNNING : TINY_CONFIGURABLE)) != 0;
}

bool tiny_can_step(const TinyData* data, double time, double step, double stop) {
  const double rounding = 1e-9 * step + 1e-12 * fmax(1, fabs(time));
  return step > 0 && fabs(time - data->time) <= rounding &&
         time + step <= stop + 1e-9 * fmax(1, fabs(stop));
}

static uint64_t checksum(const TinyData* data) {
  uint64_t sum = 1469598103934665603u;
  const unsigned char* bytes = (const unsigned char*)data;
  for (size_t i = 0; i < sizeof *data; ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

size_t tiny_bytes(void) {
  return sizeof(TinyData) + sizeof(uint64_t);
}

void tiny_pack(const TinyData* data, void* bytes) {
  const uint64_t sum = checksum(data);
  memcpy(bytes, data, sizeof *data);
  memcpy((char*)bytes + sizeof *data, &sum, sizeof sum);
}

bool tiny_unpack(TinyData* data, const void* bytes, size_t size) {
  uint64_t sum;
  if (size != tiny_bytes()) return false;
  TinyData copy;
  memcpy(&copy, bytes, sizeof copy);
  memcpy(&sum, (const char*)bytes + sizeof copy, sizeof sum);
  if (sum != checksum(&copy)) return false;
  *data = copy;
  return true;
}

bool tiny_set_label(TinyData* data, const char* label) {
  if (!label || strlen(label) >= sizeof data->label) return false;
  memset(data->label, 0, sizeof data->label);
  strcpy(data->label, label);
  return true;
}

void tiny_tick(TinyData* data) {
  data->next_tick += 1;
  data->count += data->ticking;
}

static void integrate(TinyData* data, double end) {
  const double steps = fmax(1, ceil((end - data->time) / 1e-3));
  const double h = (end - data->time) / steps;
  for (int i = 0; i < steps; ++i) {
    const double acceleration = data->u - data->k * data->x;
    data->x += h * data->v;
    data->v += h * acceleration;
  }
  data->time = end;
}

TinyStep tiny_advance(TinyData* data, double end, bool stop_at_tick) {
  while (data->next_tick <= end) {
    if (data->next_tick > data->time) integrate(data, data->next_tick);
    if (stop_at_tick) return (TinyStep){data->time, true};
    tiny_tick(data);
  }
  if (end > data->time) integrate(data, end);
  return (TinyStep){end, false};
}
