/* property_test.c - holds every golden trace to one property.
 *
 *   property_test PROPERTY DIRECTORY-OF-GOLDENS [FORMAT]
 *
 * RASTRUM_EFFORT is reduced, normal or full. */
#include "properties.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct property {
    const char *name;
    void (*hold)(const struct goldens *, enum effort);
};

static const struct property properties[] = {
    {"prefix", prefix_property}, {"growth", growth_property},   {"damage", damage_property},
    {"field", field_property},   {"order", order_property},     {"choice", choice_property},
    {"steady", steady_property}, {"repair", repair_property},   {"rewrite", rewrite_property},
    {"memory", memory_property}, {"compare", compare_property}, {"reduce", reduce_property},
    {"where", where_property},   {"columns", columns_property}, {"derived", derived_property},
    {"resume", resume_property},
};

static enum effort effort_asked(void)
{
    const char *effort = getenv("RASTRUM_EFFORT");
    if (effort && !strcmp(effort, "reduced"))
        return REDUCED;
    return effort && !strcmp(effort, "full") ? FULL : NORMAL;
}

int main(int argc, char **argv)
{
    struct goldens g = {0};
    if (argc < 3 || argc > 4 || !goldens_load(&g, argv[2], argv[3])) {
        fprintf(stderr, "usage: property_test PROPERTY DIRECTORY-OF-GOLDENS [FORMAT]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (strcmp(properties[i].name, argv[1]))
            continue;
        if (g.count == 0) {
            printf("property/%s: there is no golden trace, not run\n", argv[1]);
            return 77;
        }
        properties[i].hold(&g, effort_asked());
        goldens_free(&g);
        return trials_close();
    }
    fprintf(stderr, "property_test: no property is called %s\n", argv[1]);
    return 2;
}
