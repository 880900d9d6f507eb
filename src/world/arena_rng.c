/* arena_rng.c - the random numbers of the arena, each with who drew it.
 *
 * The generator is that of a well-known C library: 15 bits of a 32-bit state. */
#include "world/arena_world.h"

uint32_t arena_seed(uint64_t seed)
{
    return (uint32_t)(seed ^ seed >> 32);
}

uint32_t arena_draw(struct arena *a, enum arena_caller caller)
{
    uint32_t before = a->rng;
    a->rng = before * 214013u + 2531011u;
    uint32_t value = a->rng >> 16 & 0x7fff;
    if (a->now.draw_count < ARENA_DRAWS)
        a->now.draws[a->now.draw_count] =
            (struct arena_draw_row){value, before, a->rng, (uint32_t)caller};
    a->now.draw_count++;
    return value;
}

float arena_draw_part(struct arena *a, enum arena_caller caller)
{
    return (float)arena_draw(a, caller) * (1.0f / 32768);
}
