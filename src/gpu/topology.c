/* topology.c - lists, strips and fans; adjacent vertices are for geometry shaders alone. */
#include "gpu/topology.h"

#include <stddef.h>

static void list(uint64_t i, uint64_t c[3])
{
    c[0] = 3 * i;
    c[1] = 3 * i + 1;
    c[2] = 3 * i + 2;
}

/* Every other triangle is turned, so that all face the same way. */
static void strip(uint64_t i, uint64_t c[3])
{
    c[0] = i;
    c[1] = i + 1 + (i & 1);
    c[2] = i + 2 - (i & 1);
}

static void fan(uint64_t i, uint64_t c[3])
{
    c[0] = i + 1;
    c[1] = i + 2;
    c[2] = 0;
}

static void list_adjacent(uint64_t i, uint64_t c[3])
{
    c[0] = 6 * i;
    c[1] = 6 * i + 2;
    c[2] = 6 * i + 4;
}

static void strip_adjacent(uint64_t i, uint64_t c[3])
{
    strip(i, c);
    for (int k = 0; k < 3; k++)
        c[k] *= 2;
}

static const struct topology topologies[] = {
    {4, 3, 3, list},           {5, 3, 1, strip},           {6, 3, 1, fan},
    {12, 6, 6, list_adjacent}, {13, 6, 2, strip_adjacent},
};

const struct topology *topology_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        if (topologies[i].id == id)
            return &topologies[i];
    return NULL;
}
