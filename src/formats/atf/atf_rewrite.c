/* atf_rewrite.c - copies events and details of one or more sessions into a new one.
 *
 * A first pass finds which records are taken, so that the second can renumber the links of each as
 * it is copied. A link to a record that is not taken is cleared. */
#include "base/memory.h"
#include "formats/atf/atf_rewrite.h"
#include "formats/atf/atf_write.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- which records are taken --------------------------------------------------------- */

/* Numbers from `from` up to `to`, ascending; false: no memory. */
static bool runs_add(struct atf_runs *r, uint64_t from, uint64_t to)
{
    struct atf_run *last = r->count ? &r->at[r->count - 1] : NULL;
    if (from >= to)
        return true;
    if (last && last->to == from) {
        last->to = to;
    } else {
        if (!array_grow(&r->at, &r->room, r->count + 1, sizeof *r->at))
            return false;
        r->at[r->count++] = (struct atf_run){from, to, r->total};
    }
    r->total += to - from;
    return true;
}

/* The new number, or RAS_ATF_NO_DETAIL when it is not copied. */
static uint32_t runs_find(struct atf_runs *r, uint64_t seq)
{
    size_t low = 0, high = r->count;
    if (r->hint < r->count && seq >= r->at[r->hint].from && seq < r->at[r->hint].to)
        low = r->hint, high = r->hint + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct atf_run *run = &r->at[middle];
        if (seq >= run->from && seq < run->to) {
            r->hint = middle;
            return (uint32_t)(run->at + (seq - run->from));
        }
        if (seq < run->from)
            high = middle;
        else
            low = middle + 1;
    }
    return RAS_ATF_NO_DETAIL;
}

/* ---- without a walk ----------------------------------------------------------------- */

/* Half-open; RAS_NONE as `to` means no limit. */
static bool copy_in_time(const struct ras_rewrite_options *o, uint64_t time)
{
    return o->axis == RAS_AXIS_NONE || (time >= o->from && (time < o->to || o->to == RAS_NONE));
}

static bool choose_events(const struct rewrite *rw, struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    const struct ras_rewrite_options *o = rw->options;
    if (!atf_index_ready(s, t))
        return true;
    uint64_t count = t->index.count;
    if (o->axis == RAS_AXIS_NONE)
        return runs_add(&c->events, 0, count);
    if (count && atf_times(s, t)->back == RAS_NONE)
        return runs_add(&c->events, atf_time_place(s, t, o->from),
                        o->to == RAS_NONE ? count : atf_time_place(s, t, o->to));
    const uint8_t *events = atf_events(s, t);
    count = t->index.count;
    for (uint64_t i = 0; i < count; i++)
        if (copy_in_time(o, load_u64(events + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP)) &&
            !runs_add(&c->events, i, i + 1))
            return false;
    return true;
}

static bool choose_details(const struct rewrite *rw, struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_atf_detail_event d;
    if (!atf_detail_ready(s, t))
        return true;
    if (rw->options->axis == RAS_AXIS_NONE)
        return runs_add(&c->details, 0, atf_detail_walk(s, t)->count);
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    uint64_t at = t->detail.at;
    for (uint64_t i = 0; ras_atf_detail_step(&t->detail, bytes, &at, &d) == RAS_OK; i++)
        if (copy_in_time(rw->options, d.timestamp) && !runs_add(&c->details, i, i + 1))
            return false;
    return true;
}

/* The records of a thread that are taken, found without reading them; false: no memory. */
static bool choose_records(const struct rewrite *rw, struct atf_copy *c)
{
    const struct ras_rewrite_options *o = rw->options;
    if (c->converted || !rewrite_asks_stream(o, atf_copy_thread(rw, c)->stream))
        return true;
    return (!rewrite_asks_type(o, "event") || choose_events(rw, c)) &&
           (!rewrite_asks_type(o, "detail") || choose_details(rw, c));
}

/* ---- the files of a thread ----------------------------------------------------------- */

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
    if (k->lone_file)
        k->detail = rw->sink;
    else
        status = copy_begin_file(rw, k->open, "detail.atf", &k->detail, err);
    *out = k->detail;
    return status;
}

/* The header of the new index: as the old one, or from the details. */
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
                                          .flags =
                                              k->lone_file ? old->flags & RAS_ATF_HAS_DETAIL : 0};
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
    bool lone_index = k->lone_file && t->index_file.part >= 0;
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
    else if (k->lone_file) /* a lone detail.atf has no index */
        status = ras_sink_memory(&k->scratch, err), k->index = k->scratch;
    else
        status = copy_begin_file(rw, c, "index.atf", &k->index, err);
    if (status == RAS_OK)
        status = ras_atf_writer_open(&k->writer, k->index, &h, &options, err);
    if (status == RAS_OK) /* kept as they are, even if unknown */
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

/* Room for the next record of the batch; NULL: see *status. */
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

/* Note the times of events and the functions they need. */
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
        if (!k->lone_file && (p == raw || function != function_id))
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
    size_t i = k->lone_file ? count : 0;
    for (; i < count; i++) {
        uint32_t link = load_u32(raw + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_DETAIL_SEQ);
        if (link != RAS_ATF_NO_DETAIL && runs_find(&k->open->details, link) != link)
            break;
    }
    return i;
}

static int copy_events(struct rewrite *rw, const uint8_t *raw, size_t count, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    size_t size = count * RAS_ATF_INDEX_EVENT_SIZE, i = first_relinked(k, raw, count);
    int status;
    rewrite_see_events(rw, raw, count);
    if (i == count) { /* they are copied unchanged */
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
            store_u32(p + i * RAS_ATF_INDEX_EVENT_SIZE, runs_find(&k->open->details, link));
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

static int copy_detail(struct rewrite *rw, const uint8_t *raw, uint32_t length,
                       struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_copy *c = k->open;
    uint32_t link = load_u32(raw + RECORD_INDEX_SEQ);
    struct ras_atf_detail_event d;
    struct ras_atf_payload payload;
    c->has_detail = true;
    if (link != RAS_ATF_NO_DETAIL && !k->lone_file)
        link = runs_find(&c->events, link);
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
    if (status == RAS_OK && k->lone_file && !k->detail && k->scratch) /* no detail was taken */
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

/* ---- sources ------------------------------------------------------------------- */

static bool set_parts(struct rewrite *rw, size_t source)
{
    struct atf_rewrite *k = rw->priv;
    struct ras_atf_session *s = &((struct atf *)rw->sources[source]->priv)->session;
    bool converted =
        !strcmp(rw->target, "spec") && !strcmp(rw->sources[source]->dialect, "production");
    size_t copies = k->copy_count;
    k->by_part[source] = calloc(source_count(s->source) + 1, sizeof **k->by_part);
    for (size_t i = 0; k->by_part[source] && i < s->thread_count; i++) {
        const struct atf_thread *t = &s->threads[i];
        struct atf_copy *c = &k->copies[k->copy_count++];
        *c = (struct atf_copy){.source = source,
                               .thread = i,
                               .converted = converted,
                               .process = k->process_count + t->process,
                               .time_min = UINT64_MAX};
        if (t->index_file.part >= 0)
            k->by_part[source][t->index_file.part] = (uint32_t)k->copy_count;
        if (t->detail_file.part >= 0)
            k->by_part[source][t->detail_file.part] = (uint32_t)k->copy_count;
    }
    for (size_t i = 0; i < s->process_count; i++)
        k->processes[k->process_count++] = (struct atf_process_copy){
            .source = source, .process = i, .copies = copies, .dir = s->processes[i].dir};
    return k->by_part[source];
}

static int set_up(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    size_t threads = 0, processes = 0;
    for (size_t i = 0; i < rw->count; i++) {
        const struct ras_atf_session *s = &((struct atf *)rw->sources[i]->priv)->session;
        threads += s->thread_count;
        processes += s->process_count;
    }
    k->copies = calloc(threads + 1, sizeof *k->copies);
    k->processes = calloc(processes + 1, sizeof *k->processes);
    k->by_part = calloc(rw->count, sizeof(uint32_t *));
    if (!k->copies || !k->processes || !k->by_part)
        return fail_memory(err);
    for (size_t i = 0; i < rw->count; i++)
        if (!set_parts(rw, rw->order[i]))
            return fail_memory(err);
    return RAS_OK;
}

static bool to_folder(const struct ras_trace *t)
{
    return source_is_dir(t->source);
}

static int check_sources(const struct rewrite *rw, struct ras_error *err)
{
    bool spec = !strcmp(rw->target, "spec");
    for (size_t i = 0; i < rw->count; i++) {
        const struct ras_trace *t = rw->sources[i];
        bool production = !strcmp(t->dialect, "production");
        if (rw->count > 1 && !source_is_dir(t->source))
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "trace %zu is a lone file: name the directory of its thread or session",
                        i + 1);
        if (!spec && !production)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "trace %zu is of the spec dialect: conversion to the public tracer's form "
                        "is not supported",
                        i + 1);
        if (spec && production && (!rw->whole || !source_is_dir(t->source)))
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "only whole sessions are converted from production to spec");
    }
    return RAS_OK;
}

static int rewrite_begin(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    k->lone_file = !source_is_dir(rw->sources[0]->source);
    int status = check_sources(rw, err);
    if (status == RAS_OK)
        status = set_up(rw, err);
    if (status == RAS_OK)
        status = atf_copy_layout(rw, err);
    /* On the axis of seq only the walk knows; a lone file keeps its links. */
    rw->settled =
        k->lone_file || rw->options->axis == RAS_AXIS_NONE || rw->options->axis == RAS_AXIS_TIME;
    for (size_t i = 0; status == RAS_OK && rw->settled && !k->lone_file && i < k->copy_count; i++)
        if (!choose_records(rw, &k->copies[i]))
            status = fail_memory(err);
    return status;
}

/* ---- records -------------------------------------------------------------------- */

static struct atf_copy *copy_of(const struct rewrite *rw, const struct taken *t)
{
    const struct atf_rewrite *k = rw->priv;
    return &k->copies[k->by_part[t->source][t->record->part] - 1];
}

static bool is_event(const struct rewrite *rw, const struct atf_copy *c, const struct taken *t)
{
    return t->record->part == atf_copy_thread(rw, c)->index_file.part;
}

/* The number of a detail, which is not stored in the file; details come in order. */
static uint64_t detail_number(const struct rewrite *rw, struct atf_copy *c, uint64_t offset)
{
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_bytes bytes =
        source_bytes(rw->sources[c->source]->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event d;
    if (!c->detail_at)
        c->detail_at = t->detail.at;
    while (c->detail_at < offset &&
           ras_atf_detail_step(&t->detail, bytes, &c->detail_at, &d) == RAS_OK)
        c->detail_seq++;
    return c->detail_seq;
}

/* How many adjacent events, with the current one, are all taken. */
static size_t events_at_once(const struct rewrite *rw, const struct taken *t)
{
    uint64_t more = rewrite_ahead(rw, t), left = atf_left(t->cursor);
    more = more < left ? more : left;
    more = more < ATF_EVENTS_AT_ONCE ? more : ATF_EVENTS_AT_ONCE - 1;
    if (rw->options->axis != RAS_AXIS_TIME)
        return (size_t)more + 1;
    for (size_t i = 1; i <= more; i++)
        if (!copy_in_time(rw->options, load_u64(t->record->raw + i * RAS_ATF_INDEX_EVENT_SIZE)))
            return i;
    return (size_t)more + 1;
}

/* Skip events that were taken with the current one. */
static void rewrite_pass_events(const struct taken *t, size_t more)
{
    t->cursor->in.at += more * RAS_ATF_INDEX_EVENT_SIZE;
    t->cursor->seq += more;
}

static int need_events(struct atf_copy *c, const struct rewrite *rw, const struct taken *t,
                       struct ras_error *err)
{
    uint64_t seq =
        (t->record->offset - atf_copy_thread(rw, c)->index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    size_t count = events_at_once(rw, t);
    rewrite_pass_events(t, count - 1);
    return runs_add(&c->events, seq, seq + count) ? RAS_OK : fail_memory(err);
}

static int rewrite_take_events(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    size_t count = events_at_once(rw, t);
    int status = copy_events(rw, t->record->raw, count, err);
    rewrite_pass_events(t, count - 1);
    if (count > 1)
        rewrite_kept(rw, atf_event_schema.name, count - 1);
    return status;
}

static int need(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct atf_copy *c = copy_of(rw, t);
    if (!t->wanted || c->converted)
        return RAS_OK;
    if (is_event(rw, c, t))
        return need_events(c, rw, t, err);
    uint64_t seq = detail_number(rw, c, t->record->offset);
    return runs_add(&c->details, seq, seq + 1) ? RAS_OK : fail_memory(err);
}

static int rewrite_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_copy *c = copy_of(rw, t);
    if (!t->wanted || c->converted)
        return RAS_OK;
    if (k->open != c) {
        int status = atf_copy_close(rw, err);
        if (status == RAS_OK)
            status = atf_copy_open(rw, c, err);
        if (status < 0)
            return status;
    }
    return is_event(rw, c, t) ? rewrite_take_events(rw, t, err)
                              : copy_detail(rw, t->record->raw, t->record->raw_len, err);
}

/* A thread with anything readable: its events, or only its details. */
static bool is_readable(const struct rewrite *rw, const struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    return atf_index_ready(s, t) || atf_detail_ready(s, t);
}

/* Whether its process has copied events of ras_event() but no thread beside which they would be
 * found. */
static bool is_needed(const struct atf_rewrite *k, const struct atf_copy *c)
{
    const struct atf_process_copy *p = &k->processes[c->process];
    return p->carried && !p->placed;
}

/* Whether this thread is the only one that could make the output a session. */
static bool is_last(const struct atf_rewrite *k, size_t i, bool any)
{
    bool last = i + 1 == k->copy_count;
    if (is_needed(k, &k->copies[i]))
        return last || k->copies[i + 1].process != k->copies[i].process;
    return last && !any;
}

/* Threads without records are kept where nothing was to be left out; one is needed in any case:
 * a session without threads cannot be opened. */
static int write_rest(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    bool any = false;
    int status = RAS_OK;
    for (size_t i = 0; i < k->copy_count; i++)
        any |= k->copies[i].written;
    for (size_t i = 0; status == RAS_OK && i < k->copy_count; i++) {
        struct atf_copy *c = &k->copies[i];
        if (c->written || !(rw->whole || !any || is_needed(k, c)))
            continue;
        if (!k->lone_file && !is_readable(rw, c) && !is_last(k, i, any))
            continue;
        if (c->converted) {
            status = atf_copy_to_spec(rw, c, err);
        } else {
            status = atf_copy_open(rw, c, err);
            if (status == RAS_OK)
                status = atf_copy_close(rw, err);
        }
        any = true;
    }
    return status;
}

static int rewrite_end(struct rewrite *rw, struct ras_error *err)
{
    int status = atf_copy_close(rw, err);
    if (status == RAS_OK)
        status = write_rest(rw, err);
    const struct atf_rewrite *k = rw->priv;
    rewrite_dropped(rw, atf_event_schema.name, k->folded); /* stored twice, kept once */
    return status == RAS_OK && rw->folder ? atf_copy_manifests(rw, err) : status;
}

/* ---- events of ras_event() ---------------------------------------------------------- */

static struct atf_process_copy *copied_process(struct rewrite *rw, size_t source, size_t part)
{
    struct atf_rewrite *k = rw->priv;
    size_t i = 0;
    while (k->processes[i].source != source)
        i++;
    return &k->processes[i + atf_session_carrier(
                                 &((struct atf *)rw->sources[source]->priv)->session, part)];
}

static char *carry_name(struct rewrite *rw, size_t source, size_t part)
{
    const char *dir = copied_process(rw, source, part)->dir;
    size_t room = strlen(dir) + sizeof ATF_EVENTS_NAME + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s%s%s", dir, *dir ? "/" : "", ATF_EVENTS_NAME);
    return name;
}

static void rewrite_carried(struct rewrite *rw, size_t source, size_t part, uint64_t records)
{
    struct atf_process_copy *p = copied_process(rw, source, part);
    p->has_events_file = true;
    p->carried += records;
}

static void rewrite_stop(struct rewrite *rw)
{
    struct atf_rewrite *k = rw->priv;
    (void)!ras_atf_writer_close(k->writer, NULL);
    ras_sink_drop(k->scratch);
    for (size_t i = 0; i < k->copy_count; i++) {
        free(k->copies[i].events.at);
        free(k->copies[i].details.at);
    }
    for (size_t i = 0; i < k->process_count; i++) {
        free(k->processes[i].made);
        free(k->processes[i].symbols);
        free(k->processes[i].modules);
    }
    for (size_t i = 0; k->by_part && i < rw->count; i++)
        free(k->by_part[i]);
    free((void *)k->by_part);
    free(k->copies);
    free(k->processes);
    free(k->batch);
}

const struct rewrite_ops atf_rewrite = {
    .targets = (const char *const[]){"spec", "production", NULL},
    .size = sizeof(struct atf_rewrite),
    .to_folder = to_folder,
    .begin = rewrite_begin,
    .need = need,
    .take = rewrite_take,
    .end = rewrite_end,
    .carry_name = carry_name,
    .carried = rewrite_carried,
    .stop = rewrite_stop,
};
