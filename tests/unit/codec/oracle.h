/* oracle.h - what an independent implementation in Python says.
 *
 * A script in oracle/ prints blobs: each a little-endian u32 length and that
 * many bytes. Where Python or the module is absent it exits with 77 and the
 * test is skipped. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include "base/in.h"
#include "base/out.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

/* Run oracle/NAME with one argument; all it prints, to be freed with out_free. */
static inline struct out oracle(const char *name, const char *argument)
{
    const char *python = access("/usr/bin/python3", X_OK) ? "python3" : "/usr/bin/python3";
    char command[1024];
    snprintf(command, sizeof command, "%s '%s/%s' %s", python, ORACLE_DIR, name, argument);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    struct out all = {0};
    for (;;) {
        uint8_t *room = out_room(&all, 65536);
        assert_non_null(room);
        size_t n = fread(room, 1, 65536, pipe);
        if (!n)
            break;
        all.len += n;
    }
    int status = pclose(pipe);
    if (status == 77 << 8 || status == 127 << 8) {
        out_free(&all);
        skip();
    }
    assert_int_equal(status, 0);
    return all;
}

static inline struct in oracle_in(const struct out *all)
{
    return in_bytes((struct ras_bytes){all->at, all->len});
}

static inline struct ras_bytes oracle_blob(struct in *in)
{
    struct ras_bytes blob = in_span(in, in_u32(in));
    assert_false(in->cut);
    return blob;
}
#endif
