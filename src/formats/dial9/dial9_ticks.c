/* dial9_ticks.c - the events that mark the ticks of a run: `tick`, the last of each. */
#include "core/row.h"
#include "formats/dial9/dial9_driver.h"

static int scan_ticks(struct ras_trace *trace, struct tick_index *index, uint64_t first,
                      struct ras_error *err)
{
    static const char *const fields[] = {"tick"};
    const struct ras_pick pick = {.type = "tick", .fields = fields, .field_count = 1};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick;
    (void)first;
    int status = ras_cursor_open(&c, trace, &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        if (count && cell_uint(v, &tick))
            tick_index_add(index, dial9_ticks.column, tick, r->seq);
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

const struct tick_ops dial9_ticks = {.column = "dial9.event", .scan = scan_ticks};
