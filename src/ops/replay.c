/* replay.c - execute a replay again. */
#include "core/format.h"
#include <rastrum/replay.h>

#include <stdlib.h>

int ras_replay(struct ras_replay **out, struct ras_trace *t,
               const struct ras_replay_options *options, struct ras_error *err)
{
    static const struct ras_replay_options usual;
    *out = NULL;
    if (!t->format->play)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be executed",
                    t->format->about.name);
    if (options && options->against && options->against->format != t->format)
        return fail(err, RAS_EUSAGE, RAS_NONE, "different formats: %s and %s",
                    t->format->about.name, options->against->format->about.name);
    struct ras_replay *r = calloc(1, sizeof *r);
    int status = r ? t->format->play(t, options ? options : &usual, r, err) : fail_memory(err);
    if (status < 0) {
        ras_replay_free(r);
        return status;
    }
    *out = r;
    return RAS_OK;
}

void ras_replay_free(struct ras_replay *r)
{
    if (r)
        free(r->memory);
    free(r);
}
