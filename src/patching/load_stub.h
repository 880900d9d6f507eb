/* load_stub.h - code that is written into another process to load a library in a thread of its
 * own: a thread of the program is diverted for as long as it takes to create that one. */
#ifndef PATCHING_LOAD_STUB_H
#define PATCHING_LOAD_STUB_H

#include <stddef.h>
#include <stdint.h>

/* Its only argument; addresses are those of the other process. */
struct load_order {
    uint64_t open, create, detach, errno_location, unmap; /* dlopen(), pthread_create(), ... */
    uint64_t path, flags;
    uint64_t block, block_size; /* in which all of this is; unmapped at the end */
    uint64_t thread;
    uint64_t handle;                      /* what dlopen() returned, once it is `done` */
    uint32_t done, released, error, zero; /* `released`: by us, the block is not needed any more */
};

/* load_stub(order) creates the thread, preserves errno, and returns what pthread_create() does.
 * The code is independent of its position. */
extern const uint8_t load_stub[], load_stub_end[];
#endif
