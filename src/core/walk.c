/* walk.c - what passes over a whole trace. */
#include "core/walk.h"
#include "core/format.h"

int walk_next(struct ras_trace *t, struct ras_cursor *c, const struct ras_record **record,
              struct ras_error *err)
{
    int status;
    while ((status = ras_next(c, record, err)) == RAS_WAIT) {
        status = ras_wait(t, -1, err);
        if (status < 0)
            return status;
        if (status == RAS_WAIT && !source_interrupted(t->source)) /* only its owner can fill it */
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "the memory still grows: ras_trace_grow() it first");
    }
    return status;
}
