/* repair_cut.c - repair a trace of a format that has no repair of its own: keep every whole
 * record, cut off what cannot be read after the last one. */
#include "core/walk.h"
#include "ops/repair/repair.h"

#include <stdlib.h>

/* Walk the trace; where the last record of each part ends. */
static int find_ends(struct ras_trace *t, uint64_t *ends, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && (status = walk_next(t, c, &r, err)) == RAS_OK) {
        uint64_t end = r->offset + r->raw_len;
        if (r->schema != RAS_SCHEMA_GAP && end > ends[r->part])
            ends[r->part] = end;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int repair_cut(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
               struct ras_error *err)
{
    (void)options;
    uint64_t *ends = calloc(source_count(t->source) + 1, sizeof *ends);
    int status = ends ? find_ends(t, ends, err) : fail_memory(err);
    struct ras_ending e = ras_ending(t);
    if (status == RAS_OK && e.kind > RAS_UNSEALED && e.part < source_count(t->source)) {
        uint64_t size = source_bytes(t->source, e.part).len;
        if (e.offset < ends[e.part]) {
            plan_note(plan, "the damage at %" PRIu64 " stays: records follow it", e.offset);
        } else if (e.offset < size) {
            plan_lose(plan, size - e.offset, RAS_NONE);
            plan_patch(plan, source_name(t->source, e.part), e.offset, size - e.offset, NULL, 0);
        }
    }
    free(ends);
    return status;
}
