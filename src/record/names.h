/* names.h - modules and functions, numbered as they are told of. */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include "record/atom.h"
#include <rastrum/record.h>

struct module {
    char *path;
    char **functions; /* the first has index 1 */
    size_t count, room;
    uint32_t *slots; /* by hash of the name: index, 0: none */
    size_t slot_count;
    uint64_t base, size; /* where it is loaded; 0: not told */
    char *build_id;      /* in hexadecimal; NULL: not told */
};

struct names {
    struct lock lock;
    struct module *modules; /* the first is module 1 */
    size_t count, room;
    uint64_t changed; /* with every name */
};

/* For hooks, which number things themselves: the next module, which is loaded there; and the
 * next function of a module, whatever others are called. False: memory is short. */
bool names_add_module(const char *path, uint64_t base, uint64_t size, const char *build_id);
bool names_add_function(uint32_t module, const char *name);
#endif
