/* aerogpu_roundtrip.c - GPU traces, command streams and allocation tables encoded again.
 *
 * Way 0 writes each record with the ids that it has; way 1 makes the calls that the
 * reference's own recorder makes: ids that count by themselves, submissions with all
 * they refer to, meta_json from its fields. */
#include "roundtrip.h"
#include <rastrum/aerogpu.h>

#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 64 };

/* ---- what a trace begins with --------------------------------------------------------- */

static struct ras_bytes fact_of(const struct ras_trace *t, const char *key)
{
    size_t count;
    const struct ras_fact *facts = ras_facts(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, key) && facts[i].value.kind == RAS_STR)
            return (struct ras_bytes){facts[i].value.at, facts[i].value.count};
    return (struct ras_bytes){0};
}

/* Open a writer for a trace like `file`. */
static int open_like(struct ras_bytes file, const struct ras_aero_header *h, unsigned way,
                     struct ras_sink *sink, struct ras_aero_writer **w, struct ras_error *err)
{
    struct ras_trace *t;
    struct ras_aero_writer_options start = {.container_version = h->container_version,
                                            .command_abi_version = h->command_abi_version};
    if (way == 0) {
        start.meta_json = ras_aero_meta(file, h);
        return ras_aero_writer_open(w, sink, &start, err);
    }
    int status = ras_open_memory(&t, file.at, file.len, NULL, err);
    if (status < 0)
        return status;
    struct ras_bytes notes = fact_of(t, "notes");
    start.emulator_version = fact_of(t, "emulator_version");
    start.notes = notes.at ? &notes : NULL;
    status = ras_aero_writer_open(w, sink, &start, err);
    ras_close(t);
    return status;
}

/* ---- record by record ------------------------------------------------------------------- */

struct trip {
    struct ras_aero_writer *w;
    unsigned way;
    bool open;
    /* Way 1: blobs that may belong to the next submission. */
    struct ras_aero_blob held[RANGES_MAX];
    unsigned held_count;
};

static int release(struct trip *t, struct ras_error *err)
{
    int status = RAS_OK;
    for (unsigned i = 0; status == RAS_OK && i < t->held_count; i++) {
        uint64_t id = 0;
        status = ras_aero_writer_blob(t->w, t->held[i].kind, t->held[i].data, &id, err);
        if (status == RAS_OK && id != t->held[i].blob_id)
            status = RAS_END; /* another writer's numbers */
    }
    t->held_count = 0;
    return status;
}

static int put_blob(struct trip *t, const struct ras_aero_blob *b, struct ras_error *err)
{
    if (t->way == 0)
        return ras_aero_writer_blob_as(t->w, b->blob_id, b->kind, b->data, err);
    if (b->kind < RAS_AERO_CMD_STREAM || t->held_count == RANGES_MAX) {
        int status = release(t, err);
        if (status != RAS_OK)
            return status;
    }
    t->held[t->held_count++] = *b;
    return b->kind < RAS_AERO_CMD_STREAM ? release(t, err) : RAS_OK;
}

/* The held blobs are exactly those of the submission, in order. */
static bool is_captured(const struct trip *t, const struct ras_aero_submission *s)
{
    unsigned i = 0;
    bool ok = t->held_count && t->held[i++].blob_id == s->cmd_stream_blob_id;
    if (s->alloc_table_blob_id)
        ok = ok && i < t->held_count && t->held[i++].blob_id == s->alloc_table_blob_id;
    for (uint32_t r = 0; ok && r < s->memory_range_count; r++) {
        struct ras_aero_range range = ras_aero_range_at(s, r);
        ok = i < t->held_count && t->held[i].blob_id == range.blob_id &&
             t->held[i].data.len == range.size_bytes;
        i++;
    }
    return ok && i == t->held_count;
}

static int put_capture(struct trip *t, const struct ras_aero_submission *s, struct ras_error *err)
{
    struct ras_aero_memory memory[RANGES_MAX];
    unsigned first = s->alloc_table_blob_id ? 2 : 1;
    for (uint32_t r = 0; r < s->memory_range_count; r++) {
        struct ras_aero_range range = ras_aero_range_at(s, r);
        memory[r] = (struct ras_aero_memory){range.alloc_id, range.flags, range.gpa,
                                             t->held[first + r].data};
    }
    struct ras_aero_capture c = {.submit_flags = s->submit_flags,
                                 .context_id = s->context_id,
                                 .engine_id = s->engine_id,
                                 .signal_fence = s->signal_fence,
                                 .cmd_stream = t->held[0].data,
                                 .alloc_table = first == 2 ? &t->held[1].data : NULL,
                                 .memory = memory,
                                 .memory_count = s->memory_range_count};
    t->held_count = 0;
    return ras_aero_writer_capture(t->w, &c, err);
}

static int put_submission(struct trip *t, const struct ras_aero_submission *s,
                          struct ras_error *err)
{
    struct ras_aero_range ranges[RANGES_MAX];
    if (s->memory_range_count > RANGES_MAX)
        return RAS_END;
    if (t->way == 1 && is_captured(t, s))
        return put_capture(t, s, err);
    int status = release(t, err);
    for (uint32_t i = 0; i < s->memory_range_count; i++)
        ranges[i] = ras_aero_range_at(s, i);
    return status == RAS_OK ? ras_aero_writer_submission(t->w, s, ranges, err) : status;
}

static int put_marker(struct trip *t, const struct ras_aero_record *r, struct ras_error *err)
{
    uint32_t index;
    int status = release(t, err);
    if (status == RAS_OK)
        status = ras_aero_frame_index_get(r->payload, &index, err);
    if (status != RAS_OK)
        return status;
    t->open = r->record_type == RAS_AERO_BEGIN_FRAME;
    return t->open ? ras_aero_writer_begin_frame(t->w, index, err)
                   : ras_aero_writer_present(t->w, index, err);
}

static int put_record(struct trip *t, const struct ras_aero_record *r, struct ras_error *err)
{
    struct ras_aero_blob b;
    struct ras_aero_submission s;
    int status;
    if (r->record_type == RAS_AERO_BLOB) {
        status = ras_aero_blob_get(r->payload, &b, err);
        return status < 0 ? status : put_blob(t, &b, err);
    }
    if (r->record_type == RAS_AERO_SUBMISSION) {
        status = ras_aero_submission_get(r->payload, &s, err);
        return status < 0 ? status : put_submission(t, &s, err);
    }
    if (r->record_type != RAS_AERO_PACKET)
        return put_marker(t, r, err);
    status = release(t, err);
    return status == RAS_OK ? ras_aero_writer_packet(t->w, r->payload, err) : status;
}

static int put_container(struct ras_bytes file, unsigned way, struct ras_sink *sink,
                         struct ras_error *err)
{
    struct trip t = {.way = way};
    struct ras_aero_header h;
    struct ras_aero_footer f;
    struct ras_aero_record r;
    int status = ras_aero_header_get(file, &h, err);
    if (status == RAS_OK)
        status = ras_aero_footer_get(file, &f, err);
    if (status == RAS_OK)
        status = open_like(file, &h, way, sink, &t.w, err);
    if (status < 0)
        return status;
    uint64_t at = RAS_AERO_HEADER_SIZE + (uint64_t)h.meta_len;
    struct ras_bytes records = {file.at, (size_t)f.toc_offset};
    while (status == RAS_OK && at < records.len) {
        status = ras_aero_record_get(records, &at, &r, err);
        status = status == RAS_OK ? put_record(&t, &r, err) : status;
    }
    if (status == RAS_OK)
        status = release(&t, err);
    if (status == RAS_OK && t.open)
        status = ras_aero_writer_end_frame(t.w, err);
    if (status == RAS_OK)
        status = ras_aero_writer_finish(t.w, err);
    int closed = ras_aero_writer_close(t.w, status == RAS_OK ? err : NULL);
    return status == RAS_OK ? closed : status;
}

/* ---- streams and tables that stand alone ---------------------------------------------------- */

static int put_bytes(struct ras_sink *sink, struct ras_bytes b, struct ras_error *err)
{
    return b.len ? ras_sink_write(sink, b.at, b.len, err) : RAS_OK;
}

static int put_stream(const struct ras_aero_stream *s, struct ras_sink *sink, struct ras_error *err)
{
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    struct ras_aero_command c;
    uint64_t at = 0;
    ras_aero_stream_put(s, head);
    int status = ras_sink_write(sink, head, sizeof head, err);
    while (status == RAS_OK && at < s->commands.len) {
        status = ras_aero_command_get(s->commands, &at, &c, err);
        ras_aero_command_put(&c, head);
        if (status == RAS_OK)
            status = ras_sink_write(sink, head, RAS_AERO_COMMAND_HEADER_SIZE, err);
        if (status == RAS_OK)
            status = put_bytes(sink, c.payload, err);
    }
    return status == RAS_OK ? put_bytes(sink, s->trailing, err) : status;
}

static int put_table(const struct ras_aero_alloc_table *t, struct ras_sink *sink,
                     struct ras_error *err)
{
    uint8_t bytes[RAS_AERO_ALLOC_SIZE];
    ras_aero_alloc_table_put(t, bytes);
    int status = ras_sink_write(sink, bytes, RAS_AERO_ALLOC_TABLE_HEADER_SIZE, err);
    for (uint32_t i = 0; status == RAS_OK && i < t->entry_count; i++) {
        struct ras_aero_alloc a = ras_aero_alloc_at(t, i);
        const uint8_t *entry = t->entries.at + (size_t)i * t->entry_stride;
        ras_aero_alloc_put(&a, bytes);
        status = ras_sink_write(sink, bytes, sizeof bytes, err);
        if (status == RAS_OK) /* what is after the known fields of an entry */
            status = put_bytes(
                sink, (struct ras_bytes){entry + sizeof bytes, t->entry_stride - sizeof bytes},
                err);
    }
    return status;
}

int reencode(struct ras_bytes file, unsigned way, struct ras_sink *sink, struct ras_error *err)
{
    struct ras_aero_stream stream;
    struct ras_aero_alloc_table table;
    if (way > 1)
        return RAS_END;
    if (ras_aero_stream_get(file, &stream, NULL) == RAS_OK)
        return way ? RAS_END : put_stream(&stream, sink, err);
    if (ras_aero_alloc_table_get(file, &table, NULL) == RAS_OK)
        return way ? RAS_END : put_table(&table, sink, err);
    return put_container(file, way, sink, err);
}

/* ---- random values ------------------------------------------------------------------- */

enum { DATA_MAX = 300, CALLS = 60 };

/* The records a random trace should hold, by the number of the call. */
struct dice {
    uint64_t state;
    uint8_t data[DATA_MAX];
    struct ras_aero_range ranges[4];
};

static struct ras_bytes any_data(struct dice *d)
{
    size_t len = any_number(&d->state) % DATA_MAX;
    for (size_t i = 0; i < len; i++)
        d->data[i] = (uint8_t)any_number(&d->state);
    return (struct ras_bytes){d->data, len};
}

static struct ras_aero_submission any_submission(struct dice *d)
{
    struct ras_aero_submission s = {.record_version = 1, .header_size = RAS_AERO_SUBMISSION_SIZE};
    s.submit_flags = (uint32_t)any_number(&d->state);
    s.context_id = (uint32_t)any_number(&d->state);
    s.engine_id = (uint32_t)any_number(&d->state);
    s.signal_fence = any_number(&d->state);
    s.cmd_stream_blob_id = any_number(&d->state);
    s.alloc_table_blob_id = any_number(&d->state);
    s.memory_range_count = (uint32_t)(any_number(&d->state) % 5);
    for (uint32_t i = 0; i < s.memory_range_count; i++)
        d->ranges[i] = (struct ras_aero_range){
            (uint32_t)any_number(&d->state), (uint32_t)any_number(&d->state), any_number(&d->state),
            any_number(&d->state), any_number(&d->state)};
    return s;
}

static uint32_t any_kind(struct dice *d, uint32_t version)
{
    uint32_t k = (uint32_t)(any_number(&d->state) % (version == 1 ? 5 : 8));
    return k < 5 ? k + 1 : RAS_AERO_CMD_STREAM + k - 5;
}

static const char *same_submission(const struct ras_aero_record *r, struct dice *d)
{
    struct ras_aero_submission got, s = any_submission(d);
    uint8_t want[RAS_AERO_SUBMISSION_SIZE], found[RAS_AERO_SUBMISSION_SIZE];
    if (ras_aero_submission_get(r->payload, &got, NULL) < 0)
        return "a submission does not decode";
    ras_aero_submission_put(&s, want);
    ras_aero_submission_put(&got, found);
    if (memcmp(want, found, sizeof want) || got.trailing.len)
        return "a submission differs";
    for (uint32_t i = 0; i < s.memory_range_count; i++) {
        struct ras_aero_range range = ras_aero_range_at(&got, i);
        if (memcmp(&range, &d->ranges[i], sizeof range))
            return "a memory range differs";
    }
    return NULL;
}

static const char *same_blob(const struct ras_aero_record *r, uint64_t id, uint32_t version,
                             struct dice *d)
{
    struct ras_aero_blob b;
    uint32_t kind = any_kind(d, version);
    struct ras_bytes data = any_data(d);
    if (ras_aero_blob_get(r->payload, &b, NULL) < 0 || b.blob_id != id || b.kind != kind ||
        b.reserved || b.data.len != data.len || (data.len && memcmp(b.data.at, data.at, data.len)))
        return "a blob differs";
    return NULL;
}

/* Call number `i` of a trace: which record it makes. A frame is open from 0 on. */
static unsigned any_call(struct dice *d, uint32_t version)
{
    return (unsigned)(any_number(&d->state) % (version == 1 ? 3 : 4));
}

static int write_call(struct ras_aero_writer *w, uint32_t version, uint32_t *frame, struct dice *d)
{
    struct ras_aero_submission s;
    uint32_t kind;
    switch (any_call(d, version)) {
    case 0:
        return ras_aero_writer_packet(w, any_data(d), NULL);
    case 1:
        kind = any_kind(d, version);
        return ras_aero_writer_blob(w, kind, any_data(d), NULL, NULL);
    case 2:
        if (ras_aero_writer_present(w, *frame, NULL) < 0)
            return RAS_EUSAGE;
        *frame ^= (uint32_t)any_number(&d->state) | 1; /* not the same again */
        return ras_aero_writer_begin_frame(w, *frame, NULL);
    default:
        s = any_submission(d);
        return ras_aero_writer_submission(w, &s, d->ranges, NULL);
    }
}

struct check {
    struct ras_bytes records;
    uint64_t at, blobs;
    uint32_t frame;
};

static const char *next_marker(struct check *c, uint8_t type, uint32_t frame)
{
    struct ras_aero_record r;
    uint32_t index;
    if (ras_aero_record_get(c->records, &c->at, &r, NULL) != RAS_OK || r.record_type != type ||
        ras_aero_frame_index_get(r.payload, &index, NULL) < 0 || index != frame)
        return "a frame marker differs";
    return NULL;
}

static const char *check_call(struct check *c, uint32_t version, struct dice *d)
{
    struct ras_aero_record r;
    struct ras_bytes data;
    unsigned call = any_call(d, version);
    if (call == 2) {
        const char *wrong = next_marker(c, RAS_AERO_PRESENT, c->frame);
        c->frame ^= (uint32_t)any_number(&d->state) | 1;
        return wrong ? wrong : next_marker(c, RAS_AERO_BEGIN_FRAME, c->frame);
    }
    if (ras_aero_record_get(c->records, &c->at, &r, NULL) != RAS_OK || r.flags || r.reserved)
        return "a record is missing or odd";
    if (call == 1)
        return r.record_type == RAS_AERO_BLOB ? same_blob(&r, ++c->blobs, version, d)
                                              : "a blob is missing";
    if (call == 3)
        return r.record_type == RAS_AERO_SUBMISSION ? same_submission(&r, d)
                                                    : "a submission is missing";
    data = any_data(d);
    if (r.record_type != RAS_AERO_PACKET || r.payload.len != data.len ||
        (data.len && memcmp(r.payload.at, data.at, data.len)))
        return "a packet differs";
    return NULL;
}

/* The same dice, thrown again, say what each record must be. */
static const char *check_trace(struct ras_bytes file, uint32_t version, uint64_t seed)
{
    struct dice d = {.state = seed};
    struct ras_aero_header h;
    struct ras_aero_footer f;
    struct ras_aero_toc toc;
    if (ras_aero_header_get(file, &h, NULL) < 0 || ras_aero_footer_get(file, &f, NULL) < 0 ||
        ras_aero_toc_get(file, &f, &toc, NULL) < 0)
        return "header, footer or TOC do not decode";
    if (h.container_version != version || h.command_abi_version != (uint32_t)any_number(&d.state))
        return "the header differs";
    struct check c = {.records = {file.at, (size_t)f.toc_offset},
                      .at = RAS_AERO_HEADER_SIZE + (uint64_t)h.meta_len};
    const char *wrong = next_marker(&c, RAS_AERO_BEGIN_FRAME, 0);
    for (unsigned i = 0; !wrong && i < CALLS; i++)
        wrong = check_call(&c, version, &d);
    if (!wrong)
        wrong = next_marker(&c, RAS_AERO_PRESENT, c.frame);
    return wrong || c.at == f.toc_offset ? wrong : "records follow that were not written";
}

const char *random_trip(uint64_t seed)
{
    struct dice d = {.state = seed};
    uint32_t version = seed % 2 ? 2 : 1, frame = 0;
    struct ras_aero_writer_options start = {.container_version = version,
                                            .command_abi_version = (uint32_t)any_number(&d.state)};
    struct ras_aero_writer *w = NULL;
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        return "no memory";
    int status = ras_aero_writer_open(&w, sink, &start, NULL);
    if (status == RAS_OK)
        status = ras_aero_writer_begin_frame(w, frame, NULL);
    for (unsigned i = 0; status == RAS_OK && i < CALLS; i++)
        status = write_call(w, version, &frame, &d);
    if (status == RAS_OK)
        status = ras_aero_writer_present(w, frame, NULL);
    if (status == RAS_OK)
        status = ras_aero_writer_finish(w, NULL);
    if (status == RAS_OK)
        status = ras_aero_writer_close(w, NULL);
    const char *wrong = status == RAS_OK ? check_trace(ras_sink_bytes(sink), version, seed)
                                         : "the writer refused a call";
    ras_sink_drop(sink);
    return wrong;
}
