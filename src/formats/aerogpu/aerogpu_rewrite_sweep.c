/* aerogpu_rewrite_sweep.c - records that follow each other, in one loop.
 *
 * Where everything in range is taken, records need not be shown one by one: their headers
 * are followed here, and their commands only counted. Whatever is not usual, or where the
 * range begins or ends, stops the sweep and is shown as any record. */
#include "formats/aerogpu/aerogpu_rewrite.h"

enum { SWEEP_BYTES = 1 << 20 };

struct sweep {
    struct rewrite *rw;
    struct aero_copier *k;
    struct ras_cursor *c;
    struct aero_cursor *a;
    bool taking, looks;        /* at commands: what they make and use */
    bool all;                  /* from here on everything is in range */
    struct ras_aero_blob last; /* that was passed */
    uint64_t kept[AERO_COMMAND_TYPE + 1];
};

/* How many commands a stream has, and whether one of them makes or uses anything; false: it must be
 * read with more care. */
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
        if (s->looks)
            *touches |= aero_made_touches(&s->k->made, false, aero_word_at(bytes.at + at));
    }
    *count = n;
    return true;
}

static uint64_t tick_of(const struct sweep *s)
{
    return s->a->tick_flag ? s->a->frame_index : 0;
}

/* What the commands of a stream that was counted make and use. */
static int look_at(const struct sweep *s, struct ras_bytes bytes, uint64_t count,
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

/* The stream that a submission names, if it was passed lately; false: look it up. */
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

/* Whether the record that comes next, and so many children, are all in range; *whole: or all
 * of them out of it. */
static bool in_range(const struct sweep *s, uint64_t children, bool *whole)
{
    const struct ras_rewrite_options *o = s->rw->asked;
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

/* What a record with so many commands behind it is to both passes. RAS_END: it is not for
 * this loop. */
static int pass(struct sweep *s, struct aero_one *one, uint32_t schema, uint64_t commands,
                struct ras_error *err)
{
    bool whole = true, in = s->all || in_range(s, commands, &whole);
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

/* A record whose commands are those of a stream, if one is there. */
static int pass_stream(struct sweep *s, struct aero_one *one, uint32_t schema,
                       struct ras_bytes stream, struct ras_error *err)
{
    uint64_t commands;
    bool whole, touches;
    int status = RAS_OK;
    if (!count_commands(s, stream, &commands, &touches))
        return RAS_END;
    if (touches && in_range(s, commands, &whole) && whole)
        status = look_at(s, stream, commands, err);
    return status == RAS_OK ? pass(s, one, schema, commands, err) : status;
}

static int pass_packet(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                       struct ras_error *err)
{
    bool whole;
    int status = RAS_OK;
    if (!aero_is_packet(payload.at, (uint32_t)payload.len))
        return pass_stream(s, one, AERO_PACKET_TYPE,
                           ras_aero_is_stream(payload) ? payload : (struct ras_bytes){0}, err);
    if (s->looks && aero_made_touches(&s->k->made, true, aero_word_at(payload.at)) &&
        in_range(s, 1, &whole) && whole)
        status = aero_see_command(s->rw, tick_of(s), true, payload, err);
    return status == RAS_OK ? pass(s, one, AERO_PACKET_TYPE, 1, err) : status;
}

static int pass_blob(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                     struct ras_error *err)
{
    struct ras_aero_blob blob;
    if (ras_aero_blob_get(payload, &blob, NULL) < 0)
        return RAS_END;
    int status = pass(s, one, AERO_BLOB_TYPE, 0, err);
    if (status != RAS_OK)
        return status;
    aero_remember(s->a, &blob, one->offset);
    s->last = blob;
    return RAS_OK;
}

static int pass_submission(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                           struct ras_error *err)
{
    struct ras_aero_submission submission;
    struct ras_bytes stream;
    if (ras_aero_submission_get(payload, &submission, NULL) < 0 ||
        !stream_of(s, submission.cmd_stream_blob_id, &stream))
        return RAS_END;
    one->submission = &submission;
    return pass_stream(s, one, AERO_SUBMISSION_TYPE, stream, err);
}

/* BeginFrame and Present, which gives the frame. */
static int pass_marker(struct sweep *s, struct aero_one *one, struct ras_bytes payload,
                       struct ras_error *err)
{
    struct aero_cursor *a = s->a;
    if (payload.len != 4)
        return RAS_END;
    if (one->type == RAS_AERO_PRESENT) {
        if (!a->tick_flag || a->frame_start >= one->offset)
            return RAS_OK; /* closes none */
        int status = pass(s, one, AERO_FRAME_TYPE, 0, err);
        a->tick_flag = status == RAS_OK ? 0 : a->tick_flag;
        return status;
    }
    a->frame_index = aero_word_at(payload.at);
    a->frame_start = one->offset;
    a->tick_flag = RAS_HAS_TICK;
    return RAS_OK;
}

/* One record at p; RAS_END: it is not for this loop. */
static int pass_record(struct sweep *s, size_t source, const uint8_t *p, struct ras_error *err)
{
    struct ras_bytes payload = {p + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(p)};
    struct aero_one one = {.source = source,
                           .type = aero_type_at(p),
                           .base = s->c->base,
                           .offset = (uint64_t)(p - s->c->base),
                           .size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)payload.len};
    switch (one.type) {
    case RAS_AERO_PACKET:
        return pass_packet(s, &one, payload, err);
    case RAS_AERO_BLOB:
        return pass_blob(s, &one, payload, err);
    case RAS_AERO_SUBMISSION:
        return pass_submission(s, &one, payload, err);
    default:
        return pass_marker(s, &one, payload, err);
    }
}

static bool can_sweep(const struct rewrite *rw, const struct taken *t)
{
    const struct aero_cursor *a = t->cursor->priv;
    const struct aero *source = t->cursor->trace->priv;
    const struct aero_copier *k = rw->priv;
    return !rw->asked->span_count && !rw->asked->type_count && !rw->asked->stream_count &&
           !t->cursor->live && t->cursor->seq != RAS_NONE && a->pending == AERO_NOTHING &&
           k->version >= source->header.container_version && !t->cursor->skipping;
}

int aero_sweep(struct rewrite *rw, const struct taken *t, bool taking, struct ras_error *err)
{
    struct ras_cursor *c = t->cursor;
    struct sweep s = {.rw = rw, .k = rw->priv, .c = c, .a = c->priv, .taking = taking};
    const uint8_t *start = c->in.at;
    int status = RAS_OK;
    const struct ras_rewrite_options *o = rw->asked;
    s.looks = taking && o->axis != RAS_AXIS_NONE && !s.k->with_state;
    s.all = o->axis == RAS_AXIS_NONE ||
            (o->axis == RAS_AXIS_SEQ && c->seq >= o->from && o->to == RAS_NONE);
    if (!can_sweep(rw, t))
        return RAS_OK;
    aero_made_ready(&s.k->made);
    while (status == RAS_OK && c->in.at - start < SWEEP_BYTES) {
        const uint8_t *p = c->in.at;
        if (!aero_is_usual(s.a, p, (uint64_t)(c->in.end - p)))
            break;
        status = pass_record(&s, t->source, p, err);
        if (status == RAS_OK)
            c->in.at = p + RAS_AERO_RECORD_HEADER_SIZE + aero_len_at(p);
    }
    for (uint32_t i = 0; taking && i <= AERO_COMMAND_TYPE; i++)
        if (s.kept[i])
            rewrite_kept(rw, ras_schema_at(rw->sources[t->source], i)->name, s.kept[i]);
    return status == RAS_END ? RAS_OK : status;
}
