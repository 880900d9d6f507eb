/* aerogpu_rewrite_put.c - the bytes of a rewritten trace: header, records, frames, end. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"
#include "formats/aerogpu/aerogpu_state.h"

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

/* As they stand in the source, with what follows there in one piece. */
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

/* meta_json says with which index frames begin, where that is not 0. */
static bool put_meta(struct rewrite *rw, struct ras_bytes text, struct out *out)
{
    const struct aero_copier *k = rw->priv;
    struct aero_meta meta = aero_meta_get(text);
    if (!k->any_frame || meta.first_frame == k->first_index) {
        out_bytes(out, text.at, text.len);
    } else if (meta.first_frame_text.at) {
        size_t front = (size_t)(meta.first_frame_text.at - text.at);
        size_t behind = front + meta.first_frame_text.len;
        out_bytes(out, text.at, front);
        out_u64(out, k->first_index);
        out_bytes(out, text.at + behind, text.len - behind);
    } else if (meta.object) {
        struct json j = json_start_inside(out, 0, !meta.empty);
        out_bytes(out, text.at, meta.close_at);
        json_uint(&j, AERO_FIRST_FRAME, k->first_index);
        out_bytes(out, text.at + meta.close_at, text.len - meta.close_at);
    } else {
        rewrite_note(rw, "frames begin with %" PRIu32 ", which meta_json cannot say: %s",
                     k->first_index, meta.why);
        out_bytes(out, text.at, text.len);
    }
    return !out->failed && out->len <= UINT32_MAX;
}

/* How far to look for the canvas before it is stated. That of the frames up to the slice is
 * believed to be the one of all, where what is written can be taken back: the others are passed
 * anyway while they are copied. */
static uint64_t canvas_until(const struct rewrite *rw)
{
    enum { AHEAD = 1 << 20 };
    const struct aero_copier *k = rw->priv;
    uint64_t body = rw->sources[0]->body;
    if (rw->careful)
        return RAS_NONE;
    return AHEAD + (k->state && k->state->end > body ? k->state->end : body);
}

/* A slice is drawn on the canvas that its source has, be it known by frames that are left out. */
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
static int put_blob(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
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
        return put_blob(rw, one, err);
    if (k->numbers == AERO_AS_THEY_ARE || !change_refs(rw, one, &nomem))
        return aero_put_raw(rw, one->base + one->offset, one->size, err);
    return nomem ? fail_memory(err) : aero_put_bytes(rw, k->buffer, (size_t)one->size, err);
}

/* ---- frames ------------------------------------------------------------------------------ */

enum { MARKER_SIZE = RAS_AERO_RECORD_HEADER_SIZE + 4 };

/* BeginFrame or Present of the frame that is open in what is written. */
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

int aero_put_begin(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const uint8_t *raw = one->base + one->frame_start;
    uint32_t old = index_at(raw), index = old;
    if (!aero_end_frame(k))
        return fail_memory(err);
    bool counted = rw->count > 1; /* on from the first trace's */
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

int aero_put_present(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
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
