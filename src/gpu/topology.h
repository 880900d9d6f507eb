/* topology.h - which vertices make which triangle. */
#ifndef GPU_TOPOLOGY_H
#define GPU_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

struct topology {
    uint32_t id;          /* AEROGPU_TOPOLOGY */
    uint32_t first, next; /* vertices that the first triangle takes, and each other */
    /* The vertices of triangle i, counted from the draw's first. */
    void (*corners)(uint64_t i, uint64_t corners[3]);
};

/* NULL: no triangles, or not known. */
const struct topology *topology_find(uint32_t id);
static inline uint64_t topology_triangles(const struct topology *t, uint64_t vertices)
{
    return vertices < t->first ? 0 : 1 + (vertices - t->first) / t->next;
}
#endif
