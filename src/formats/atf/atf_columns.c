/* atf_columns.c - index events as columns: each field of many events in a loop of its own. */
#include "formats/atf/atf_driver.h"
#include "ops/columns/columns_driver.h"

enum { TRANSPOSED = 512 }; /* events at a time: they stay in the nearest cache */

static void transpose_u64(struct column_buffer *b, const uint8_t *p, size_t n)
{
    uint64_t *to = fill_room(b, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = load_u64(p + i * RAS_ATF_INDEX_EVENT_SIZE);
    fill_done(b, n);
}

static void transpose_u32(struct column_buffer *b, const uint8_t *p, size_t n)
{
    uint32_t *to = fill_room(b, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = load_u32(p + i * RAS_ATF_INDEX_EVENT_SIZE);
    fill_done(b, n);
}

static void transpose_link(struct column_buffer *b, const uint8_t *p, size_t n)
{
    for (size_t i = 0, none; i < n; i++) {
        uint32_t seq = 0;
        for (none = 0; i < n; i++, none++) { /* most are */
            seq = load_u32(p + i * RAS_ATF_INDEX_EVENT_SIZE);
            if (seq != RAS_ATF_NO_DETAIL)
                break;
        }
        column_nulls(b, none);
        if (i < n)
            column_u32(b, seq);
    }
}

static void transpose_functions(struct column_fill *f, const struct atf_process *process,
                                const uint8_t *p, size_t n)
{
    struct column_buffer *b = f->fields[EVENT_F_FUNCTION];
    struct fill_texts *texts = fill_texts(f, EVENT_F_FUNCTION, process);
    for (size_t i = 0; i < n; i++) {
        uint64_t id = load_u64(p + i * RAS_ATF_INDEX_EVENT_SIZE);
        if (fill_known(b, texts, id))
            continue;
        const struct ras_atf_symbol *symbol = atf_manifest_symbol(&process->manifest, id);
        fill_text(b, texts, id, symbol ? symbol->name : NULL, symbol ? symbol->name_len : 0);
    }
}

static void transpose_modules(struct column_fill *f, const struct atf_process *process,
                              const uint8_t *p, size_t n)
{
    struct column_buffer *b = f->fields[EVENT_F_MODULE];
    struct fill_texts *texts = fill_texts(f, EVENT_F_MODULE, process);
    for (size_t i = 0; i < n; i++) {
        uint64_t id = load_u64(p + i * RAS_ATF_INDEX_EVENT_SIZE) >> 32;
        if (fill_known(b, texts, id))
            continue;
        const struct ras_atf_module *module = atf_manifest_module(&process->manifest, (uint32_t)id);
        fill_text(b, texts, id, module ? module->path : NULL, module ? strlen(module->path) : 0);
    }
}

static void transpose_events(struct column_fill *f, const struct atf_process *process,
                             const uint8_t *p, size_t n)
{
    static const struct {
        uint8_t field, at;
    } numbers[] = {{EVENT_F_THREAD_ID, EVENT_THREAD_ID},
                   {EVENT_F_KIND, EVENT_KIND},
                   {EVENT_F_CALL_DEPTH, EVENT_CALL_DEPTH}};
    if (f->time)
        transpose_u64(f->time, p + EVENT_TIMESTAMP, n);
    if (f->fields[EVENT_F_FUNCTION_ID])
        transpose_u64(f->fields[EVENT_F_FUNCTION_ID], p + EVENT_FUNCTION_ID, n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (f->fields[numbers[i].field])
            transpose_u32(f->fields[numbers[i].field], p + numbers[i].at, n);
    if (f->fields[EVENT_F_DETAIL_SEQ])
        transpose_link(f->fields[EVENT_F_DETAIL_SEQ], p + EVENT_DETAIL_SEQ, n);
    if (f->fields[EVENT_F_FUNCTION])
        transpose_functions(f, process, p + EVENT_FUNCTION_ID, n);
    if (f->fields[EVENT_F_MODULE])
        transpose_modules(f, process, p + EVENT_FUNCTION_ID, n);
}

/* How many of the events that follow the scan wants, all of them. */
static uint64_t events_wanted(struct ras_cursor *c, const struct atf_cursor *a)
{
    const struct ras_scan *s = &c->scan;
    struct atf_thread *t = atf_thread_of(c);
    uint64_t left = atf_left(c);
    if (a->stage != STAGE_EVENTS || !left || a->slow || a->order || c->seq == RAS_NONE ||
        !cursor_wants_stream(c, t->stream))
        return 0;
    if (s->axis == RAS_AXIS_SEQ) {
        if (c->seq < s->from || (s->to != RAS_NONE && c->seq >= s->to))
            return 0;
        return s->to != RAS_NONE && s->to - c->seq < left ? s->to - c->seq : left;
    }
    /* A range of times was searched where they are sorted. */
    bool exact = s->axis != RAS_AXIS_TIME || atf_times(atf_session_of(c), t)->back == RAS_NONE;
    return s->axis != RAS_AXIS_TICK && exact ? left : 0;
}

size_t atf_columns(struct ras_cursor *c, struct column_fill *f)
{
    struct atf_cursor *a = c->priv;
    uint64_t wanted = f->schema == ATF_EVENT ? events_wanted(c, a) : 0;
    size_t count = wanted < f->rows ? (size_t)wanted : f->rows;
    const uint8_t *p = c->in.at;
    if (!count)
        return 0;
    f->first = (struct ras_record){.seq = c->seq,
                                   .flags = RAS_HAS_TIME,
                                   .parent = RAS_NONE,
                                   .offset = cursor_offset(c),
                                   .raw = p,
                                   .raw_len = RAS_ATF_INDEX_EVENT_SIZE,
                                   .part = c->part,
                                   .schema = ATF_EVENT,
                                   .stream = atf_thread_of(c)->stream};
    f->stride = RAS_ATF_INDEX_EVENT_SIZE;
    for (size_t done = 0; done < count; done += TRANSPOSED) {
        size_t n = count - done < TRANSPOSED ? count - done : TRANSPOSED;
        transpose_events(f, atf_process_of(c), p + done * RAS_ATF_INDEX_EVENT_SIZE, n);
    }
    c->in.at = p + count * RAS_ATF_INDEX_EVENT_SIZE;
    c->seq += count;
    c->record.offset = f->first.offset + (count - 1) * RAS_ATF_INDEX_EVENT_SIZE;
    return count;
}
