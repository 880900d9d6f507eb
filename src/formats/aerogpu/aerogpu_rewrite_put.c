/* aerogpu_rewrite_put.c - the bytes of a rewritten trace: header, records, frames, TOC.
 *
 * A frame may be as short as a few records, so that a long trace has millions of them: each is
 * kept as its differences to the one before, in a few bytes where the TOC takes 32.
 *
 * Where everything in range is taken, the rewriter need not show each record: a sweep follows their
 * headers and only counts their commands. A record that is unusual, or where the range begins or
 * ends, stops the sweep and is shown. */
#include "base/memory.h"
#include "codec/leb128.h"
#include "formats/aerogpu/aerogpu_rewrite.h"
#include "formats/aerogpu/aerogpu_state.h"

#include <stdlib.h>

/* ---- the TOC ------------------------------------------------------------------------- */

enum { PIECE = 1024 }; /* entries written at once */

/* The frame before, from which differences are counted. */
struct before {
    uint32_t index; /* that comes next */
    uint64_t end;
};

static uint8_t *put_leb128(uint8_t *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p++ = (uint8_t)(value | 0x80);
    *p++ = (uint8_t)value;
    return p;
}

/* A frame ends with its Present, or else where the next one begins. */
static bool pack_frame(struct aero_copier *k)
{
    struct ras_aero_frame *f = &k->frame;
    k->open = false;
    if (!k->frame_count)
        return true;
    if (!f->present_offset)
        f->end_offset = k->at;
    uint8_t *start = out_reserve(&k->toc, 4 * LEB128_SIZE_MOST), *p = start;
    if (!start)
        return false;
    p = put_leb128(p, (uint32_t)(f->frame_index - k->toc_index));
    p = put_leb128(p, f->start_offset - k->toc_end);
    p = put_leb128(p, f->present_offset ? f->present_offset - f->start_offset : 0);
    p = put_leb128(p, f->end_offset - f->start_offset);
    k->toc.len += (size_t)(p - start);
    k->toc_index = f->frame_index + 1;
    k->toc_end = f->end_offset;
    return true;
}

static struct ras_aero_frame packed_frame(struct in *in, struct before *b)
{
    struct ras_aero_frame f = {0};
    bool bad = false;
    f.frame_index = b->index + (uint32_t)in_leb128(in, &bad);
    f.start_offset = b->end + in_leb128(in, &bad);
    uint64_t present = in_leb128(in, &bad);
    f.present_offset = present ? f.start_offset + present : 0;
    f.end_offset = f.start_offset + in_leb128(in, &bad);
    *b = (struct before){f.frame_index + 1, f.end_offset};
    return f;
}

static int put_entries(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct in in = in_bytes((struct ras_bytes){k->toc.at, k->toc.len});
    struct before b = {0};
    uint8_t entries[PIECE * RAS_AERO_TOC_ENTRY_SIZE];
    size_t len = 0;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < k->frame_count; i++) {
        struct ras_aero_frame f = packed_frame(&in, &b);
        ras_aero_frame_put(&f, entries + len);
        len += RAS_AERO_TOC_ENTRY_SIZE;
        if (len < sizeof entries && i + 1 < k->frame_count)
            continue;
        status = aero_put_bytes(rw, entries, len, err);
        len = 0;
    }
    return status;
}

int aero_put_seal(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (!pack_frame(k))
        return fail_memory(err);
    uint8_t bytes[RAS_AERO_FOOTER_SIZE];
    const struct ras_aero_toc toc = {1, (uint32_t)k->frame_count};
    const struct ras_aero_footer footer = {RAS_AERO_FOOTER_SIZE, k->version, k->at,
                                           RAS_AERO_TOC_HEADER_SIZE +
                                               (uint64_t)k->frame_count * RAS_AERO_TOC_ENTRY_SIZE};
    ras_aero_toc_put(&toc, bytes);
    int status = aero_put_bytes(rw, bytes, RAS_AERO_TOC_HEADER_SIZE, err);
    if (status == RAS_OK)
        status = put_entries(rw, err);
    ras_aero_footer_put(&footer, bytes);
    return status == RAS_OK ? aero_put_bytes(rw, bytes, sizeof bytes, err) : status;
}

enum { RUN_MAX = 1 << 17 }; /* bytes copied in one piece: longer ones are slower on disks */

/* ---- bytes --------------------------------------------------------------------------- */

int aero_put_run(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    size_t size = k->run_size;
    k->run_size = 0;
    return size ? ras_sink_write(rw->sink, k->run_at, size, err) : RAS_OK;
}

int aero_put_bytes(struct rewrite *rw, const void *bytes, size_t size, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    int status = aero_put_run(rw, err);
    k->at += size;
    return status < 0 ? status : ras_sink_write(rw->sink, bytes, size, err);
}

/* As they are in the source, in one piece with what follows there. */
int aero_put_raw(struct rewrite *rw, const uint8_t *raw, uint64_t size, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    bool next = k->run_size && k->run_at + k->run_size == raw && k->run_size < RUN_MAX;
    int status = next ? RAS_OK : aero_put_run(rw, err);
    k->run_at = next ? k->run_at : raw;
    k->run_size += (size_t)size;
    k->at += size;
    return status;
}

/* ---- header and meta_json -------------------------------------------------------------- */

/* meta_json states the index of the first frame, where that is not 0. */
static bool put_meta(struct rewrite *rw, struct ras_bytes text, struct out *out)
{
    const struct aero_copier *k = rw->priv;
    struct aero_meta meta = aero_meta_get(text);
    if (!k->any_frame || meta.first_frame == k->first_index) {
        out_bytes(out, text.at, text.len);
    } else if (meta.first_frame_text.at) {
        size_t front = (size_t)(meta.first_frame_text.at - text.at);
        size_t after = front + meta.first_frame_text.len;
        out_bytes(out, text.at, front);
        out_u64(out, k->first_index);
        out_bytes(out, text.at + after, text.len - after);
    } else if (meta.object) {
        struct json j = json_start_inside(out, 0, !meta.empty);
        out_bytes(out, text.at, meta.close_at);
        json_uint(&j, AERO_FIRST_FRAME, k->first_index);
        out_bytes(out, text.at + meta.close_at, text.len - meta.close_at);
    } else {
        rewrite_note(rw, "frames begin with %" PRIu32 ", which meta_json cannot state: %s",
                     k->first_index, meta.why);
        out_bytes(out, text.at, text.len);
    }
    return !out->failed && out->len <= UINT32_MAX;
}

/* How far to search for the canvas before it is stated. If the output can be rewound, the canvas of
 * the frames up to the slice is assumed to be that of all: the others are read anyway while they
 * are copied. */
static uint64_t canvas_until(const struct rewrite *rw)
{
    enum { AHEAD = 1 << 20 };
    const struct aero_copier *k = rw->priv;
    uint64_t body = rw->sources[0]->body;
    if (rw->careful)
        return RAS_NONE;
    return AHEAD + (k->state && k->state->end > body ? k->state->end : body);
}

/* A slice has the canvas of its source, even if only frames outside of it define that. */
static int put_canvas(struct rewrite *rw, struct out *meta, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_meta old = aero_meta_get((struct ras_bytes){meta->at, meta->len});
    struct out to = {0};
    if (!k->with_state || !old.object)
        return RAS_OK;
    struct json j = json_start_inside(&to, 0, !old.empty);
    out_bytes(&to, meta->at, old.close_at);
    int status = aero_canvas_members(rw->sources[0], canvas_until(rw), &k->search, &j, err);
    if (status != RAS_OK) {
        out_free(&to);
        return status < 0 ? status : RAS_OK;
    }
    out_bytes(&to, meta->at + old.close_at, meta->len - old.close_at);
    bool failed = to.failed || to.len > UINT32_MAX;
    out_free(failed ? &to : meta);
    if (failed)
        return fail_memory(err);
    *meta = to;
    return RAS_OK;
}

int aero_put_header(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    size_t first = rw->order[0];
    const struct aero *a = rw->sources[first]->priv;
    struct ras_aero_header h = a->header;
    struct out meta = {0};
    uint8_t head[RAS_AERO_HEADER_SIZE];
    if (!put_meta(rw, ras_aero_meta(aero_source(rw, first), &h), &meta)) {
        out_free(&meta);
        return fail_memory(err);
    }
    int status = put_canvas(rw, &meta, err);
    if (status < 0) {
        out_free(&meta);
        return status;
    }
    h.container_version = k->version;
    h.meta_len = (uint32_t)meta.len;
    ras_aero_header_put(&h, head);
    status = aero_put_bytes(rw, head, sizeof head, err);
    if (status == RAS_OK && meta.len)
        status = aero_put_bytes(rw, meta.at, meta.len, err);
    out_free(&meta);
    return status;
}

/* ---- records --------------------------------------------------------------------------- */

/* The data of a blob are not copied twice: only its id may change. */
static int copy_blob(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    enum { DATA_AT = RAS_AERO_RECORD_HEADER_SIZE + 8 };
    const uint8_t *raw = one->base + one->offset;
    uint64_t old = aero_id_at(raw + RAS_AERO_RECORD_HEADER_SIZE);
    uint64_t id = aero_new_id(rw, one->source, old);
    if (id == old)
        return aero_put_raw(rw, raw, one->size, err);
    uint8_t head[DATA_AT];
    memcpy(head, raw, RAS_AERO_RECORD_HEADER_SIZE);
    aero_id_put(id, head + RAS_AERO_RECORD_HEADER_SIZE);
    int status = aero_put_bytes(rw, head, sizeof head, err);
    return status < 0 ? status : aero_put_raw(rw, raw + DATA_AT, one->size - DATA_AT, err);
}

/* A copy of the record with its references changed; false: none has to be. */
static bool change_refs(struct rewrite *rw, const struct aero_one *one, bool *nomem)
{
    struct aero_copier *k = rw->priv;
    const uint8_t *raw = one->base + one->offset;
    struct ras_bytes payload = {raw + RAS_AERO_RECORD_HEADER_SIZE,
                                (size_t)one->size - RAS_AERO_RECORD_HEADER_SIZE};
    bool changed = false;
    uint64_t at;
    if (!one->submission && !aero_has_refs(one->type, payload))
        return false;
    struct aero_refs refs = one->submission ? aero_refs_of_submission(one->submission, payload)
                                            : aero_refs_of(one->type, payload);
    while (aero_refs_next(&refs, &at)) {
        uint64_t old = aero_id_at(payload.at + at), id = aero_new_ref(rw, one->source, old);
        if (id == old)
            continue;
        if (!changed && !array_grow(&k->buffer, &k->room, (size_t)one->size, 1)) {
            *nomem = true;
            return true;
        }
        if (!changed)
            memcpy(k->buffer, raw, (size_t)one->size);
        changed = true;
        aero_id_put(id, k->buffer + RAS_AERO_RECORD_HEADER_SIZE + at);
    }
    return changed;
}

int aero_put_record(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    bool nomem = false;
    if (one->type == RAS_AERO_BLOB)
        return copy_blob(rw, one, err);
    if (k->numbers == AERO_UNCHANGED || !change_refs(rw, one, &nomem))
        return aero_put_raw(rw, one->base + one->offset, one->size, err);
    return nomem ? fail_memory(err) : aero_put_bytes(rw, k->buffer, (size_t)one->size, err);
}

/* ---- frames ------------------------------------------------------------------------------ */

enum { MARKER_SIZE = RAS_AERO_RECORD_HEADER_SIZE + 4 };

/* BeginFrame or Present of the frame that is open in the output. */
static int put_marker(struct rewrite *rw, const uint8_t *raw, uint32_t old, uint32_t index,
                      struct ras_error *err)
{
    uint8_t marker[MARKER_SIZE];
    if (index == old)
        return aero_put_raw(rw, raw, MARKER_SIZE, err);
    memcpy(marker, raw, sizeof marker);
    aero_word_put(index, marker + RAS_AERO_RECORD_HEADER_SIZE);
    return aero_put_bytes(rw, marker, sizeof marker, err);
}

static uint32_t index_at(const uint8_t *raw)
{
    return aero_word_at(raw + RAS_AERO_RECORD_HEADER_SIZE);
}

static int put_begin(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const uint8_t *raw = one->base + one->frame_start;
    uint32_t old = index_at(raw), index = old;
    if (!pack_frame(k))
        return fail_memory(err);
    bool counted = rw->count > 1; /* continues the indexes of the first trace */
    uint64_t next = (counted ? k->first_index : 0) + (uint64_t)k->frame_count;
    if (next > UINT32_MAX)
        return fail(err, RAS_ELIMIT, one->frame_start,
                    "frame %" PRIu64 ", indexes end with %" PRIu32, next, UINT32_MAX);
    if (counted)
        index = (uint32_t)next;
    k->frame = (struct ras_aero_frame){.frame_index = index, .start_offset = k->at};
    k->frame_count++;
    k->open = true;
    k->frame_source = one->source;
    k->frame_start = one->frame_start;
    return put_marker(rw, raw, old, index, err);
}

static int put_present(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct ras_aero_frame *f = &k->frame;
    uint32_t old = index_at(one->base + one->offset);
    uint32_t index = old == index_at(one->base + k->frame_start) ? f->frame_index : old;
    f->present_offset = k->at;
    int status = put_marker(rw, one->base + one->offset, old, index, err);
    f->end_offset = k->at;
    k->open = false;
    return status;
}

void aero_drop_state(struct aero_copier *k)
{
    if (k->state)
        aero_state_free(k->state);
    free(k->state);
    k->state = NULL;
}

static int put_state(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    int status = k->state ? aero_state_put(rw, k->state, err) : RAS_OK;
    aero_drop_state(k);
    return status;
}

/* Open the frame of the record in the output. */
static int copier_enter_frame(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (!one->in_frame) {
        k->open = false; /* this record is in no frame */
        return RAS_OK;
    }
    if (k->open && k->frame_source == one->source && k->frame_start == one->frame_start)
        return RAS_OK;
    return put_begin(rw, one, err);
}

int aero_take_one(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    int status = copier_enter_frame(rw, one, err);
    if (status == RAS_OK)
        status = put_state(rw, err);
    if (status < 0)
        return status;
    return one->type == RAS_AERO_PRESENT ? put_present(rw, one, err)
                                         : aero_put_record(rw, one, err);
}

/* ---- sweeps -------------------------------------------------------------------------- */

enum { SWEEP_BYTES = 1 << 20 };

struct sweep {
    struct rewrite *rw;
    struct aero_copier *k;
    struct ras_cursor *c;
    struct aero_cursor *a;
    bool taking, checks;       /* checks which resources commands make and use */
    bool all;                  /* from here on everything is in range */
    struct ras_aero_blob last; /* that was passed */
    uint64_t kept[AERO_COMMAND_TYPE + 1];
};

/* How many commands a stream has, and whether one of them makes or uses anything; false: it must be
 * shown. */
static bool count_commands(const struct sweep *s, struct ras_bytes bytes, uint64_t *count,
                           bool *touches)
{
    uint64_t at = RAS_AERO_STREAM_HEADER_SIZE, n = 0;
    *count = 0;
    *touches = false;
    if (!bytes.len)
        return true;
    bytes.len = aero_stream_size(bytes);
    if (!bytes.len)
        return false;
    for (uint32_t size; at < bytes.len; at += size, n++) {
        if (!(size = aero_command_size(bytes, at)))
            return false;
        if (s->checks)
            *touches |= aero_made_touches(&s->k->made, false, aero_word_at(bytes.at + at));
    }
    *count = n;
    return true;
}

static uint64_t tick_of(const struct sweep *s)
{
    return s->a->tick_flag ? s->a->frame_index : 0;
}

/* The resources that the commands of a counted stream make and use. */
static int sweep_commands(const struct sweep *s, struct ras_bytes bytes, uint64_t count,
                          struct ras_error *err)
{
    uint64_t at = RAS_AERO_STREAM_HEADER_SIZE;
    int status = RAS_OK;
    for (; count && status == RAS_OK && !s->k->made.missing; count--) {
        uint32_t size = aero_command_size(bytes, at);
        status = aero_see_command(s->rw, tick_of(s), false, aero_slice(bytes, at, size), err);
        at += size;
    }
    return status;
}

/* The stream that a submission names, if it is a recent one; false: it must be looked up. */
static bool stream_of(const struct sweep *s, uint64_t blob_id, struct ras_bytes *stream)
{
    struct ras_bytes all = {s->c->base, (size_t)(s->c->in.end - s->c->base)};
    struct ras_aero_record r;
    struct ras_aero_blob blob;
    if (blob_id && blob_id == s->last.blob_id && s->last.kind == RAS_AERO_CMD_STREAM) {
        *stream = s->last.data;
        return true;
    }
    uint64_t at = aero_recall(s->a, blob_id);
    *stream = (struct ras_bytes){0};
    if (!blob_id)
        return true;
    if (at == RAS_NONE || ras_aero_record_get(all, &at, &r, NULL) < 0 ||
        ras_aero_blob_get(r.payload, &blob, NULL) < 0 || blob.kind != RAS_AERO_CMD_STREAM)
        return false;
    *stream = blob.data;
    return true;
}

/* Whether the next record and its `children` are in range; *whole: all of them are on the same
 * side. */
static bool sweep_in_range(const struct sweep *s, uint64_t children, bool *whole)
{
    const struct ras_rewrite_options *o = s->rw->options;
    uint64_t first = s->c->seq, last = first + children;
    *whole = true;
    if (s->all)
        return true;
    if (o->axis == RAS_AXIS_SEQ) {
        bool begins = first >= o->from && (first < o->to || o->to == RAS_NONE);
        bool ends = last >= o->from && (last < o->to || o->to == RAS_NONE);
        *whole = begins == ends && (begins || last < o->from || first >= o->to);
        return begins;
    }
    if (o->axis == RAS_AXIS_TICK)
        return s->a->tick_flag && s->a->frame_index >= o->from &&
               (s->a->frame_index < o->to || o->to == RAS_NONE);
    return false;
}

/* One record with its commands, for both passes. RAS_END: it must be shown. */
static int sweep_record(struct sweep *s, struct aero_one *one, uint32_t schema, uint64_t commands,
                        struct ras_error *err)
{
    bool whole = true, in = s->all || sweep_in_range(s, commands, &whole);
    if (!whole || (s->taking && !in))
        return RAS_END;
    one->in_frame = s->a->tick_flag;
    one->frame_start = s->a->frame_start;
    if (s->taking && s->k->feeds[one->source].need_next < s->k->feeds[one->source].need_count)
        (void)aero_reach(s->rw, one->source, one->offset);
    int status =
        s->taking ? aero_take_one(s->rw, one, err) : aero_need_one(s->rw, one, in, in, err);
    s->kept[schema]++;
    s->kept[AERO_COMMAND_TYPE] += commands;
    s->c->seq += 1 + commands;
    return status;
}

/* A record whose commands are those of a stream, if it has one. */
static int sweep_stream(struct sweep *s, struct aero_one *one, uint32_t schema,
                        struct ras_bytes stream, struct ras_error *err)
{
    uint64_t commands;
    bool whole, touches;
    int status = RAS_OK;
    if (!count_commands(s, stream, &commands, &touches))
        return RAS_END;
    if (touches && sweep_in_range(s, commands, &whole) && whole)
        status = sweep_commands(s, stream, commands, err);
    return status == RAS_OK ? sweep_record(s, one, schema, commands, err) : status;
}

static int sweep_packet(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                        struct ras_error *err)
{
    bool whole;
    int status = RAS_OK;
    if (!aero_is_packet(payload.at, (uint32_t)payload.len))
        return sweep_stream(s, one, AERO_PACKET_TYPE,
                            ras_aero_is_stream(payload) ? payload : (struct ras_bytes){0}, err);
    if (s->checks && aero_made_touches(&s->k->made, true, aero_word_at(payload.at)) &&
        sweep_in_range(s, 1, &whole) && whole)
        status = aero_see_command(s->rw, tick_of(s), true, payload, err);
    return status == RAS_OK ? sweep_record(s, one, AERO_PACKET_TYPE, 1, err) : status;
}

static int sweep_blob(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                      struct ras_error *err)
{
    struct ras_aero_blob blob;
    if (ras_aero_blob_get(payload, &blob, NULL) < 0)
        return RAS_END;
    int status = sweep_record(s, one, AERO_BLOB_TYPE, 0, err);
    if (status != RAS_OK)
        return status;
    aero_remember(s->a, &blob, one->offset);
    s->last = blob;
    return RAS_OK;
}

static int sweep_submission(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                            struct ras_error *err)
{
    struct ras_aero_submission submission;
    struct ras_bytes stream;
    if (ras_aero_submission_get(payload, &submission, NULL) < 0 ||
        !stream_of(s, submission.cmd_stream_blob_id, &stream))
        return RAS_END;
    one->submission = &submission;
    return sweep_stream(s, one, AERO_SUBMISSION_TYPE, stream, err);
}

/* BeginFrame and Present, which delivers the frame. */
static int sweep_marker(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                        struct ras_error *err)
{
    struct aero_cursor *a = s->a;
    if (payload.len != 4)
        return RAS_END;
    if (one->type == RAS_AERO_PRESENT) {
        if (!a->tick_flag || a->frame_start >= one->offset)
            return RAS_OK; /* closes none */
        int status = sweep_record(s, one, AERO_FRAME_TYPE, 0, err);
        a->tick_flag = status == RAS_OK ? 0 : a->tick_flag;
        return status;
    }
    a->frame_index = aero_word_at(payload.at);
    a->frame_start = one->offset;
    a->tick_flag = RAS_HAS_TICK;
    return RAS_OK;
}

/* One record at p; RAS_END: it must be shown. */
static int sweep_any(struct sweep *s, size_t source, const uint8_t *p, struct ras_error *err)
{
    struct ras_bytes payload = {p + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(p)};
    struct aero_one one = {.source = source,
                           .type = aero_type_at(p),
                           .base = s->c->base,
                           .offset = (uint64_t)(p - s->c->base),
                           .size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)payload.len};
    switch (one.type) {
    case RAS_AERO_PACKET:
        return sweep_packet(s, &one, payload, err);
    case RAS_AERO_BLOB:
        return sweep_blob(s, &one, payload, err);
    case RAS_AERO_SUBMISSION:
        return sweep_submission(s, &one, payload, err);
    default:
        return sweep_marker(s, &one, payload, err);
    }
}

static bool can_sweep(const struct rewrite *rw, const struct taken *t)
{
    const struct aero_cursor *a = t->cursor->priv;
    const struct aero *source = t->cursor->trace->priv;
    const struct aero_copier *k = rw->priv;
    return !rw->options->span_count && !rw->options->type_count && !rw->options->stream_count &&
           !t->cursor->live && t->cursor->seq != RAS_NONE && a->pending == AERO_NOTHING &&
           k->version >= source->header.container_version && !t->cursor->skipping;
}

int aero_sweep(struct rewrite *rw, const struct taken *t, bool taking, struct ras_error *err)
{
    struct ras_cursor *c = t->cursor;
    struct sweep s = {.rw = rw, .k = rw->priv, .c = c, .a = c->priv, .taking = taking};
    const uint8_t *start = c->in.at;
    int status = RAS_OK;
    const struct ras_rewrite_options *o = rw->options;
    s.checks = taking && o->axis != RAS_AXIS_NONE && !s.k->with_state;
    s.all = o->axis == RAS_AXIS_NONE ||
            (o->axis == RAS_AXIS_SEQ && c->seq >= o->from && o->to == RAS_NONE);
    if (!can_sweep(rw, t))
        return RAS_OK;
    aero_made_ready(&s.k->made);
    while (status == RAS_OK && c->in.at - start < SWEEP_BYTES) {
        const uint8_t *p = c->in.at;
        if (!aero_is_usual(s.a, p, (uint64_t)(c->in.end - p)))
            break;
        status = sweep_any(&s, t->source, p, err);
        if (status == RAS_OK)
            c->in.at = p + RAS_AERO_RECORD_HEADER_SIZE + aero_len_at(p);
    }
    for (uint32_t i = 0; taking && i <= AERO_COMMAND_TYPE; i++)
        if (s.kept[i])
            rewrite_kept(rw, ras_schema_at(rw->sources[t->source], i)->name, s.kept[i]);
    return status == RAS_END ? RAS_OK : status;
}
