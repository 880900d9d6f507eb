/* atf_build.h - names given as values, on their way to a manifest. */
#ifndef ATF_BUILD_H
#define ATF_BUILD_H

#include "core/format.h"
#include <rastrum/atf.h>

/* Functions by id and by name; modules by id. */
struct atf_names {
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    size_t module_count, module_room, symbol_count, symbol_room;
    uint32_t *by_id, *by_name; /* 1 + symbol, 0 where empty; open addressing */
    size_t size;               /* of both, a power of two or 0 */
    struct arena texts;
};
void atf_names_free(struct atf_names *);
/* A function of this id is called so, unless it has a name. False: no memory. */
bool atf_names_symbol(struct atf_names *, uint64_t function_id, struct ras_bytes name);
/* A module lies there, unless it is known; its entry, or NULL: no memory. */
struct ras_atf_module *atf_names_module(struct atf_names *, uint32_t module_id,
                                        struct ras_bytes path);
/* The id of a function that is known by name only: as the public tracer numbers them, by
 * a hash of the module's path and the order of appearance. False: no memory. */
bool atf_names_id(struct atf_names *, struct ras_bytes module, struct ras_bytes name,
                  uint64_t *function_id);
#endif
