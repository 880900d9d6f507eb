/* glsl_loops.h - how many rounds the loops of a shader can take at most. */
#ifndef GPU_GLSL_LOOPS_H
#define GPU_GLSL_LOOPS_H

#include <rastrum/rastrum.h>

#define GLSL_ROUNDS_UNKNOWN UINT64_MAX

/* The rounds of all loops together in one run of a GLSL ES 3.00 shader, the last test of each
 * loop's condition counted as a round: 0 without loops, GLSL_ROUNDS_UNKNOWN where no bound can be
 * proven from the text. */
uint64_t glsl_rounds(struct ras_bytes text);
#endif
