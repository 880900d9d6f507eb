/* tick_scan.c - the marks of ticks, found by a walk through a trace. */
#include "core/format.h"

/* Traces whose records have ticks, or frames that count them. */
static int scan_records(struct tick_index *index, struct ras_trace *trace, uint64_t first,
                        struct ras_error *err)
{
    const struct tick_ops *ops = trace->format->ticks;
    const struct ras_pick pick = {.type = ops->type};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t row = 0;
    int status = ras_cursor_open(&c, trace, &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        if (!(r->flags & RAS_HAS_TICK))
            continue;
        uint64_t tick = ops->value == TICK_BY_FRAME ? first + r->tick : r->tick;
        uint64_t value = ops->value == TICK_BY_OFFSET ? r->offset
                         : ops->value == TICK_BY_ROW  ? row
                                                      : r->tick;
        tick_index_add(index, ops->column, tick, value);
        row++;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int tick_index_scan(struct tick_index *index, struct ras_trace *trace, uint64_t first,
                    struct ras_error *err)
{
    const struct tick_ops *ops = trace->format->ticks;
    if (!ops)
        return RAS_OK;
    int status =
        ops->scan ? ops->scan(trace, index, first, err) : scan_records(index, trace, first, err);
    return status == RAS_OK && index->nomem ? fail_memory(err) : status;
}
