/* The tiny FMU with one defect, named by a text in the library that a test writes over: one library
   a version for all defects. */
#pragma once

#include <stdbool.h>
#include <string.h>

static volatile const char defect_text[] = "defect:none                              ";

static bool has(const char* defect) {
  char now[sizeof defect_text] = "";
  for (size_t i = 0; i < sizeof now - 1 && defect_text[7 + i]; ++i) now[i] = defect_text[7 + i];
  return strcmp(now, defect) == 0;
}
