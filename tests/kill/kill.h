/* kill.h - writers that are killed, and what is left of their traces.
 *
 * A format's part is one struct killed_writer in NAME_kill.c: it writes numbered records and
 * acknowledges each that the system has taken, until the process is killed; and it says which
 * number a record of the repaired trace has. */
#ifndef KILL_H
#define KILL_H

#include <rastrum/rastrum.h>

struct killed_writer {
    const char *name;
    /* Write records 0, 1, 2 ... to the path, a file or a directory; acknowledged() after each one
     * that was handed to the system. Returns only when it fails. */
    void (*write)(const char *path, void (*acknowledged)(void *user), void *user);
    /* The number of a record; RAS_NONE: it has none. */
    uint64_t (*number)(const struct ras_cursor *, const struct ras_record *);
};

extern const struct killed_writer aerogpu_writer, atf_writer, cdt_writer, dial9_writer, murk_writer;
#endif
