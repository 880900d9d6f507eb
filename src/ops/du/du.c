/* du.c - where the bytes of a trace go. */
#include "core/format.h"
#include "ops/du/usage.h"

int ras_du(struct ras_du **out, struct ras_trace *t, enum ras_du_by by, ras_progress *progress,
           void *user, struct ras_error *err)
{
    *out = NULL;
    struct usage *u = usage_new(t, by, progress, user);
    if (!u)
        return fail_memory(err);
    int status = source_whole(t->source, err);
    trace_report_driver(t, "du", "usage", t->format->usage != NULL);
    if (status == RAS_OK)
        status = t->format->usage ? t->format->usage(t, u, err) : usage_records(t, u, err);
    if (status == RAS_OK)
        status = usage_finish(u, out, err);
    usage_free(u);
    return status;
}
