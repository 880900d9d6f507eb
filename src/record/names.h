/* names.h - modules and functions, numbered as they are told of. */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include <pthread.h>
#include <rastrum/record.h>

struct module {
    char *path;
    char **functions; /* the first has index 1 */
    size_t count, room;
    uint32_t *slots; /* by hash of the name: index, 0: none */
    size_t slot_count;
};

struct names {
    pthread_mutex_t lock;
    struct module *modules; /* the first is module 1 */
    size_t count, room;
    uint64_t changed; /* with every name */
};
#endif
