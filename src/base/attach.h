/* attach.h - what `rastrum record --attach` and the hooks in the other process share.
 *
 * The hooks are loaded into the process from a copy in the session, which has a name of its own
 * and its settings beside it. They prepare everything but the jumps; the functions into which
 * these are written while all threads are stopped are listed in memory. */
#ifndef BASE_ATTACH_H
#define BASE_ATTACH_H

#include <stdint.h>

#define ATTACH_FOLDER   "attach"
#define ATTACH_LIBRARY  "librastrum-attached.so"
#define ATTACH_SETTINGS "settings"
/* Symbols of the library. */
#define ATTACH_STATE  "rastrum_attached"
#define ATTACH_DETACH "rastrum_detach"

/* `ATTACH_STACK` bytes at rastrum_attached.stack are for the call of rastrum_detach(). */
enum { ATTACH_JUMP = 5, ATTACH_VERSION = 2, ATTACH_STACK = 32 << 10 };

/* A function: its bytes, and the jump in their place. */
struct attach_site {
    uint64_t at;
    uint8_t original[ATTACH_JUMP], jump[ATTACH_JUMP];
    uint8_t is_linker; /* of the dynamic linker: reports modules that are loaded */
    uint8_t zero[5];
};
_Static_assert(sizeof(struct attach_site) == 24, "no padding");

/* Sites of a module, by address; addresses are those of the process. */
struct attach_sites {
    uint64_t next; /* 0: none */
    uint64_t count;
    struct attach_site at[];
};

enum attach_step {
    ATTACH_NOT,    /* not yet */
    ATTACH_READY,  /* recording is on */
    ATTACH_ENDING, /* rastrum_detach() was called */
    ATTACH_FAILED,
};

struct attach_state {
    uint32_t version, step; /* enum attach_step */
    uint64_t sites;         /* struct attach_sites; 0: none */
    uint64_t sealed;        /* where a uint32_t becomes 1 when the files are closed */
    uint64_t stack;
    /* Set by the process that detaches: modules that are loaded from now on are left as they are.
     * Not 0: some are being patched. */
    uint32_t closed, busy;
};
#endif
