/* cdt_write_raw.c - rows from bytes: what the reader would refuse is not written. */
#include "base/error.h"
#include "formats/cdt/cdt_load.h"
#include "formats/cdt/cdt_write.h"

int ras_cdt_writer_raw(struct ras_cdt_writer *w, struct ras_bytes tick, struct ras_error *err)
{
    struct ras_cdt_tick_record record;
    struct cdt_problem problem;
    struct cdt_memory memory = {0};
    struct out *rows = cdt_writer_rows(w);
    size_t before = rows->len;
    uint8_t *at = out_room(rows, tick.len + CDT_PADDING);
    if (!at) {
        rows->failed = false;
        return fail_memory(err);
    }
    if (tick.len)
        memcpy(at, tick.at, tick.len);
    memset(at + tick.len, 0, CDT_PADDING);
    int status = cdt_payload_decode(&memory, &cdt_tick_record, (struct ras_bytes){at, tick.len},
                                    cdt_writer_at(w), &record, &problem, err);
    cdt_memory_free(&memory);
    if (status < 0)
        return status;
    if (record.node.wide & 1)
        record.tick_index = INT64_MAX; /* beyond it, in truth */
    rows->len += tick.len;
    return cdt_writer_take(w, before, record.tick_index, err);
}
