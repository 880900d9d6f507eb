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
    bool follow, merged, with_detail, float_bits, strict, csv_safe;
};

/* Print what is asked for of one trace; `options` is a struct catting. The exit status. */
int catting_show(void *options, const char *path, struct answer *answer);
#endif
