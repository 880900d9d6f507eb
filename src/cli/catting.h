/* catting.h - what cat is asked for, and its walk over a trace. */
#ifndef CLI_CATTING_H
#define CLI_CATTING_H

#include "cli/range.h"
#include "cli/session.h"

struct catting {
    struct common common;
    const char *format, *condition, *time;
    struct ras_where *where; /* the condition; NULL: none */
    struct range range;
    struct list types, fields;
    struct number limit, depth;
    bool follow, merged, no_symbols, float_bits, strict, csv_safe, header, blobs;
};

/* Print what is asked for of one trace; `options` is a struct catting. The exit status. */
int catting_show(void *options, const char *path, struct answer *answer);

/* cat_lines.c: 0, or EXIT_TROUBLE after saying which options do not go together. */
int cat_lines_refuse(const struct catting *);
/* All of a trace, so that it can be built again; the exit status. */
int cat_lines(const struct catting *, const char *path, struct ras_trace *, struct answer *);
#endif
