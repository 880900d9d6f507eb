/* aerogpu_state_put.c - the commands that a slice needs from before it, as records of its first
 * frame: packets, and streams with what is left of them, each behind the blobs that it names. */
#include "formats/aerogpu/aerogpu_rewrite.h"
#include "formats/aerogpu/aerogpu_state.h"

#include <stdlib.h>

/* One record that is written. */
struct putting {
    struct rewrite *rw;
    const struct aero_step_record *record;
    struct ras_bytes payload; /* of the record in the source */
    struct ras_error *err;
};

static void count_kept(struct rewrite *rw, const char *type, uint64_t records)
{
    rewrite_kept(rw, type, records);
    rewrite_companion(rw, type, records);
}

static int put_head(struct rewrite *rw, uint8_t type, size_t len, struct ras_error *err)
{
    uint8_t head[RAS_AERO_RECORD_HEADER_SIZE] = {type};
    if (len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a record of %zu bytes, at most %" PRIu32, len,
                    UINT32_MAX);
    aero_word_put((uint32_t)len, head + 4);
    return aero_put_bytes(rw, head, sizeof head, err);
}

static int put_blob(struct putting *p, uint32_t kind, struct ras_bytes data, uint64_t *id)
{
    struct aero_copier *k = p->rw->priv;
    uint8_t head[RAS_AERO_BLOB_HEADER_SIZE] = {0};
    *id = ++k->last_id;
    aero_id_put(*id, head);
    aero_word_put(kind, head + 8);
    int status = put_head(p->rw, RAS_AERO_BLOB, sizeof head + data.len, p->err);
    if (status == RAS_OK)
        status = aero_put_bytes(p->rw, head, sizeof head, p->err);
    if (status == RAS_OK && data.len)
        status = aero_put_bytes(p->rw, data.at, data.len, p->err);
    count_kept(p->rw, "blob", 1);
    return status;
}

/* The blobs that the record names, written anew; `copy` of its payload gets their new ids. */
static int put_refs(struct putting *p, uint8_t type, uint8_t *copy)
{
    struct ras_trace *trace = p->rw->sources[p->rw->order[0]];
    struct aero_refs refs = aero_refs_of(type, p->payload);
    struct ras_aero_blob blob;
    bool nomem = false;
    uint64_t at, id;
    for (int status = RAS_OK; aero_refs_next(&refs, &at);) {
        uint64_t old = aero_id_at(p->payload.at + at);
        if (!old || !aero_blob_before(trace, old, p->record->offset, &blob, NULL, &nomem))
            continue;
        if (type == RAS_AERO_SUBMISSION && blob.kind == RAS_AERO_CMD_STREAM)
            continue; /* what is left of it is put by whoever calls */
        status = put_blob(p, blob.kind, blob.data, &id);
        if (status < 0)
            return status;
        aero_id_put(id, copy + at);
    }
    return nomem ? fail_memory(p->err) : RAS_OK;
}

static int put_packet(struct putting *p)
{
    uint8_t *copy = malloc(p->payload.len + 1);
    if (!copy)
        return fail_memory(p->err);
    memcpy(copy, p->payload.at, p->payload.len);
    int status = put_refs(p, RAS_AERO_PACKET, copy);
    if (status == RAS_OK)
        status = put_head(p->rw, RAS_AERO_PACKET, p->payload.len, p->err);
    if (status == RAS_OK)
        status = aero_put_bytes(p->rw, copy, p->payload.len, p->err);
    free(copy);
    count_kept(p->rw, "packet", 1);
    count_kept(p->rw, "command", 1);
    return status;
}

/* Whether commands look at the memory that a submission brings. */
static bool uses_memory(const struct aero_state *state, size_t from, size_t to)
{
    enum { CREATE_BUFFER = 0x100, CREATE_TEXTURE = 0x101, DIRTY_RANGE = 0x103 };
    for (size_t i = from; i < to; i++) {
        const struct aero_step *s = &state->steps[i];
        if (s->kept &&
            (s->opcode == CREATE_BUFFER || s->opcode == CREATE_TEXTURE || s->opcode == DIRTY_RANGE))
            return true;
    }
    return false;
}

static int put_submission(struct putting *p, struct ras_bytes stream, bool memory)
{
    struct ras_aero_submission s;
    uint64_t id = 0;
    uint8_t plain[RAS_AERO_SUBMISSION_SIZE];
    uint8_t *copy = malloc(p->payload.len + 1);
    if (!copy)
        return fail_memory(p->err);
    memcpy(copy, p->payload.at, p->payload.len);
    int status = ras_aero_submission_get(p->payload, &s, p->err);
    if (status == RAS_OK && memory)
        status = put_refs(p, RAS_AERO_SUBMISSION, copy);
    if (status == RAS_OK)
        status = put_blob(p, RAS_AERO_CMD_STREAM, stream, &id);
    if (status == RAS_OK && memory) {
        struct aero_refs refs = aero_refs_of(RAS_AERO_SUBMISSION, p->payload);
        uint64_t at;
        if (aero_refs_next(&refs, &at)) /* the first one is the stream */
            aero_id_put(id, copy + at);
        status = put_head(p->rw, RAS_AERO_SUBMISSION, p->payload.len, p->err);
        if (status == RAS_OK)
            status = aero_put_bytes(p->rw, copy, p->payload.len, p->err);
    } else if (status == RAS_OK) {
        s.header_size = sizeof plain;
        s.cmd_stream_blob_id = id;
        s.alloc_table_blob_id = 0;
        s.memory_range_count = 0;
        ras_aero_submission_put(&s, plain);
        status = put_head(p->rw, RAS_AERO_SUBMISSION, sizeof plain, p->err);
        if (status == RAS_OK)
            status = aero_put_bytes(p->rw, plain, sizeof plain, p->err);
    }
    free(copy);
    count_kept(p->rw, "submission", 1);
    return status;
}

/* The commands from `from` to `to` that are kept, as a stream of their own. */
static int put_stream(struct putting *p, const struct aero_state *state, size_t from, size_t to)
{
    struct ras_bytes all = p->record->stream;
    struct ras_aero_stream header;
    struct out out = {0};
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    uint64_t size = sizeof head, count = 0;
    int status = ras_aero_stream_get(all, &header, p->err);
    for (size_t i = from; i < to; i++) {
        size += state->steps[i].kept ? state->steps[i].size : 0;
        count += state->steps[i].kept;
    }
    if (status < 0)
        return status;
    header.size_bytes = (uint32_t)size;
    ras_aero_stream_put(&header, head);
    out_bytes(&out, head, sizeof head);
    for (size_t i = from; i < to; i++)
        if (state->steps[i].kept)
            out_bytes(&out, all.at + state->steps[i].at, state->steps[i].size);
    const struct ras_bytes stream = {out.at, out.len};
    if (out.failed)
        status = fail_memory(p->err);
    else if (p->record->submission)
        status = put_submission(p, stream, uses_memory(state, from, to));
    else if ((status = put_head(p->rw, RAS_AERO_PACKET, stream.len, p->err)) == RAS_OK)
        status = aero_put_bytes(p->rw, stream.at, stream.len, p->err);
    out_free(&out);
    if (!p->record->submission)
        count_kept(p->rw, "packet", 1);
    count_kept(p->rw, "command", count);
    return status;
}

int aero_state_put(struct rewrite *rw, const struct aero_state *state, struct ras_error *err)
{
    const uint8_t *base = aero_source(rw, rw->order[0]).at;
    int status = RAS_OK;
    for (size_t i = 0, end; status == RAS_OK && i < state->count; i = end) {
        const struct aero_step *first = &state->steps[i];
        bool kept = false;
        for (end = i; end < state->count && state->steps[end].record == first->record; end++)
            kept |= state->steps[end].kept;
        if (!kept || first->inside)
            continue;
        const struct aero_step_record *record = &state->records[first->record];
        const uint8_t *raw = base + record->offset;
        struct putting p = {rw, record, {raw + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(raw)}, err};
        status = first->packet ? put_packet(&p) : put_stream(&p, state, i, end);
    }
    return status;
}
