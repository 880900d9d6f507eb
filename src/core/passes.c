/* passes.c - the progress callback of a verb. */
#include "core/passes.h"
#include "base/error.h"
#include "core/format.h"

bool passes_inner(void *user, uint64_t done, uint64_t total)
{
    struct passes *p = user;
    if (p->canceled || !p->progress)
        return !p->canceled;
    uint64_t all = p->all ? p->all : total, sum = p->before + done;
    if (sum > p->most) /* the parts of a trace are not walked one after the other */
        p->most = sum;
    if (all && p->most > all)
        p->most = all;
    p->canceled = !p->progress(p->user, p->most, all);
    return !p->canceled;
}

bool passes_at(struct passes *p, uint64_t done, uint64_t total)
{
    if (p->canceled || done - p->reported < PASSES_EVERY) /* enough, too, where it went back */
        return !p->canceled;
    p->reported = done;
    return passes_inner(p, done, total);
}

void passes_next(struct passes *p, uint64_t size)
{
    p->before += size;
    p->reported = p->walked = p->offset = 0;
}

int passes_walk(struct passes *p, struct ras_trace *t, struct ras_cursor *c,
                const struct ras_record **record, struct ras_error *err)
{
    int status = walk_next(t, c, record, err);
    if (status != RAS_OK || !p->progress)
        return status;
    const struct ras_record *r = *record;
    bool onward = r->part == p->part && r->offset > p->offset;
    p->walked += onward ? r->offset - p->offset : (uint64_t)r->raw_len + 1;
    p->offset = r->offset;
    p->part = r->part;
    if (p->walked < PASSES_EVERY)
        return RAS_OK;
    uint64_t total, done = ras_cursor_progress(c, &total); /* not cheap where parts are many */
    p->walked = 0;
    return passes_inner(p, done, total) ? RAS_OK : fail_canceled(err);
}
