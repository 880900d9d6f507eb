/* atf_rewrite_put.c - the files of one thread, record by record as they are copied. */
#include "formats/atf/atf_rewrite.h"
#include "formats/atf/atf_write.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = ATF_EVENTS_AT_ONCE * RAS_ATF_INDEX_EVENT_SIZE };

/* "DIR/thread_N/FILE", or as the source has it. */
static int copy_begin_file(struct rewrite *rw, const struct atf_copy *c, const char *file,
                           struct ras_sink **out, struct ras_error *err)
{
    const struct atf_rewrite *k = rw->priv;
    const struct atf_thread *t = atf_copy_thread(rw, c);
    const char *dir = k->processes[c->process].dir;
    char name[4096];
    int len = rw->count == 1
                  ? snprintf(name, sizeof name, "%s%s%s", t->dir, *t->dir ? "/" : "", file)
                  : snprintf(name, sizeof name, "%s%sthread_%" PRIu32 "/%s", dir, *dir ? "/" : "",
                             t->thread_id, file);
    if (len >= (int)sizeof name)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a name of %d bytes is too long", len);
    return ras_folder_sink(rw->folder, name, out, err);
}

static int copy_begin_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct rewrite *rw = user;
    struct atf_rewrite *k = rw->priv;
    int status = RAS_OK;
    if (k->alone)
        k->detail = rw->sink;
    else
        status = copy_begin_file(rw, k->open, "detail.atf", &k->detail, err);
    *out = k->detail;
    return status;
}

/* What the new index says of itself: as the old one, or as the details do. */
static struct ras_atf_index_header header_of(const struct rewrite *rw, const struct atf_copy *c)
{
    const struct atf_rewrite *k = rw->priv;
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_atf_index_header h = {.thread_id = t->thread_id,
                                     .arch = RAS_ATF_X86_64,
                                     .os = RAS_ATF_LINUX,
                                     .clock_type = RAS_ATF_BOOTTIME};
    if (atf_index_ready(atf_copy_session(rw, c), t)) {
        const struct ras_atf_index_header *old = &t->index.header;
        h = (struct ras_atf_index_header){.thread_id = old->thread_id,
                                          .arch = old->arch,
                                          .os = old->os,
                                          .clock_type = old->clock_type,
                                          .flags = k->alone ? old->flags & RAS_ATF_HAS_DETAIL : 0};
    } else if (atf_detail_ready(atf_copy_session(rw, c), t)) {
        h.thread_id = t->detail.header.thread_id;
        h.arch = t->detail.header.arch;
        h.os = t->detail.header.os;
    }
    if (!strcmp(rw->target, "spec") && !strcmp(rw->sources[c->source]->dialect, "production"))
        h.clock_type = h.os == RAS_ATF_IOS || h.os == RAS_ATF_MACOS ? RAS_ATF_MACH_CONTINUOUS
                       : h.os == RAS_ATF_WINDOWS                    ? RAS_ATF_QPC
                                                                    : RAS_ATF_BOOTTIME;
    return h;
}

int atf_copy_open(struct rewrite *rw, struct atf_copy *c, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_atf_index_header h = header_of(rw, c);
    bool lone_index = k->alone && t->index_file.part >= 0;
    struct ras_atf_writer_options options = {.detail = lone_index ? NULL : copy_begin_detail,
                                             .user = rw};
    int status = RAS_OK;
    k->open = c;
    k->index = k->detail = NULL;
    c->written = k->processes[c->process].placed = true;
    if (k->batch == NULL && !(k->batch = malloc(BATCH)))
        return fail_memory(err);
    if (lone_index)
        k->index = rw->sink;
    else if (k->alone) /* a lone detail.atf has no index */
        status = ras_sink_memory(&k->scratch, err), k->index = k->scratch;
    else
        status = copy_begin_file(rw, c, "index.atf", &k->index, err);
    if (status == RAS_OK)
        status = ras_atf_writer_open(&k->writer, k->index, &h, &options, err);
    if (status == RAS_OK) /* as they are, be they unknown */
        atf_writer_codes(k->writer, &h);
    uint32_t *clock = &k->processes[c->process].clock_type;
    *clock = *clock ? *clock : h.clock_type;
    return status;
}

static int flush(struct atf_rewrite *k, struct ras_error *err)
{
    if (!k->len)
        return RAS_OK;
    int status = k->batch_details ? ras_atf_writer_append_details(k->writer, k->batch, k->len, err)
                                  : ras_atf_writer_append(k->writer, k->batch,
                                                          k->len / RAS_ATF_INDEX_EVENT_SIZE, err);
    k->len = 0;
    return status;
}

/* Where the next record of the batch goes; NULL: see *status. */
static uint8_t *batch_place(struct atf_rewrite *k, bool details, size_t size, int *status,
                            struct ras_error *err)
{
    *status = RAS_OK;
    if (k->batch_details != details || BATCH - k->len < size)
        *status = flush(k, err);
    k->batch_details = details;
    if (*status < 0)
        return NULL;
    k->len += size;
    return k->batch + k->len - size;
}

/* What events tell of themselves: their times, the functions they need. */
static void rewrite_see_events(struct rewrite *rw, const uint8_t *raw, size_t count)
{
    const struct atf_rewrite *k = rw->priv;
    struct atf_copy *c = k->open;
    uint64_t min = c->time_min, max = c->time_max, function_id = 0;
    for (const uint8_t *p = raw, *end = raw + count * RAS_ATF_INDEX_EVENT_SIZE; p < end;
         p += RAS_ATF_INDEX_EVENT_SIZE) {
        uint64_t time = load_u64(p + EVENT_TIMESTAMP), function = load_u64(p + EVENT_FUNCTION_ID);
        min = time < min ? time : min;
        max = time > max ? time : max;
        if (!k->alone && (p == raw || function != function_id))
            atf_copy_needs(rw, c, function);
        function_id = function;
    }
    c->time_min = min;
    c->time_max = max;
    c->event_count += count;
}

/* The first event whose link changes; `count`: none does. */
static size_t first_relinked(struct atf_rewrite *k, const uint8_t *raw, size_t count)
{
    size_t i = k->alone ? count : 0;
    for (; i < count; i++) {
        uint32_t link = load_u32(raw + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_DETAIL_SEQ);
        if (link != RAS_ATF_NO_DETAIL && atf_runs_find(&k->open->details, link) != link)
            break;
    }
    return i;
}

int atf_copy_events(struct rewrite *rw, const uint8_t *raw, size_t count, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    size_t size = count * RAS_ATF_INDEX_EVENT_SIZE, i = first_relinked(k, raw, count);
    int status;
    rewrite_see_events(rw, raw, count);
    if (i == count) { /* they go as they stand */
        status = flush(k, err);
        return status == RAS_OK ? ras_atf_writer_append(k->writer, raw, count, err) : status;
    }
    uint8_t *p = batch_place(k, false, size, &status, err);
    if (!p)
        return status;
    memcpy(p, raw, size);
    for (p += EVENT_DETAIL_SEQ; i < count; i++) {
        uint32_t link = load_u32(p + i * RAS_ATF_INDEX_EVENT_SIZE);
        if (link != RAS_ATF_NO_DETAIL)
            store_u32(p + i * RAS_ATF_INDEX_EVENT_SIZE, atf_runs_find(&k->open->details, link));
    }
    return RAS_OK;
}

static int put_long(struct rewrite *rw, const uint8_t *raw, uint32_t length, uint32_t link,
                    struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    int status = flush(k, err);
    uint8_t *copy = status == RAS_OK ? malloc(length) : NULL;
    if (status < 0)
        return status;
    if (!copy)
        return fail_memory(err);
    memcpy(copy, raw, length);
    store_u32(copy + RECORD_INDEX_SEQ, link);
    status = ras_atf_writer_append_details(k->writer, copy, length, err);
    free(copy);
    return status;
}

int atf_copy_detail(struct rewrite *rw, const uint8_t *raw, uint32_t length, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_copy *c = k->open;
    uint32_t link = load_u32(raw + RECORD_INDEX_SEQ);
    struct ras_atf_detail_event d;
    struct ras_atf_payload payload;
    c->has_detail = true;
    if (link != RAS_ATF_NO_DETAIL && !k->alone)
        link = atf_runs_find(&c->events, link);
    if (ras_atf_detail_event_get((struct ras_bytes){raw, length}, &d) &&
        ras_atf_payload_get(&d, RAS_ATF_OPAQUE, &payload) != RAS_ATF_OPAQUE)
        atf_copy_needs(rw, c, payload.function_id);
    if (length > BATCH)
        return put_long(rw, raw, length, link, err);
    int status;
    uint8_t *p = batch_place(k, true, length, &status, err);
    if (!p)
        return status;
    memcpy(p, raw, length);
    store_u32(p + RECORD_INDEX_SEQ, link);
    return RAS_OK;
}

int atf_copy_close(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    if (!k->writer)
        return RAS_OK;
    int status = flush(k, err);
    if (status == RAS_OK && k->alone && !k->detail && k->scratch) /* no detail was taken */
        status = atf_writer_begin_details(k->writer, err);
    if (status == RAS_OK)
        status = ras_atf_writer_finalize(k->writer, err);
    (void)!ras_atf_writer_close(k->writer, NULL);
    k->writer = NULL;
    k->open = NULL;
    ras_sink_drop(k->scratch);
    k->scratch = NULL;
    if (status == RAS_OK && rw->folder && k->detail)
        status = ras_folder_finish(rw->folder, k->detail, err);
    if (status == RAS_OK && rw->folder)
        status = ras_folder_finish(rw->folder, k->index, err);
    return status;
}
