/* aerogpu_rewrite_put.c - the bytes of a rewritten trace: header, records, frames, end. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

enum { RUN_MAX = 1 << 17 }; /* bytes copied in one piece: longer ones are slower on disks */

/* ---- bytes --------------------------------------------------------------------------- */

int aero_put_run(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (k->run_from == k->run_to)
        return RAS_OK;
    const uint8_t *base = aero_source(rw, k->run_source).at;
    int status =
        ras_sink_write(rw->sink, base + k->run_from, (size_t)(k->run_to - k->run_from), err);
    k->run_from = k->run_to;
    return status;
}

int aero_put_bytes(struct rewrite *rw, const void *bytes, size_t size, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    int status = aero_put_run(rw, err);
    k->at += size;
    return status < 0 ? status : ras_sink_write(rw->sink, bytes, size, err);
}

/* As they stand in the source, with what follows there in one piece. */
int aero_put_raw(struct rewrite *rw, size_t source, uint64_t offset, uint64_t size,
                 struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    bool next = k->run_source == source && k->run_to == offset && k->run_to - k->run_from < RUN_MAX;
    int status = next ? RAS_OK : aero_put_run(rw, err);
    if (!next) {
        k->run_source = source;
        k->run_from = offset;
    }
    k->run_to = offset + size;
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
        out_bytes(out, text.at, meta.close_at);
        out_format(out, "%s\"" AERO_FIRST_FRAME "\":%" PRIu32, meta.empty ? "" : ",",
                   k->first_index);
        out_bytes(out, text.at + meta.close_at, text.len - meta.close_at);
    } else {
        rewrite_note(rw, "frames begin with %" PRIu32 ", which meta_json cannot say: %s",
                     k->first_index, meta.why);
        out_bytes(out, text.at, text.len);
    }
    return !out->failed && out->len <= UINT32_MAX;
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
    h.container_version = k->version;
    h.meta_len = (uint32_t)meta.len;
    ras_aero_header_put(&h, head);
    int status = aero_put_bytes(rw, head, sizeof head, err);
    if (status == RAS_OK && meta.len)
        status = aero_put_bytes(rw, meta.at, meta.len, err);
    out_free(&meta);
    return status;
}

/* ---- records --------------------------------------------------------------------------- */

/* The data of a blob are not copied twice: only its id may change. */
static int put_blob(struct rewrite *rw, size_t source, uint64_t offset, uint64_t size,
                    struct ras_error *err)
{
    enum { DATA_AT = RAS_AERO_RECORD_HEADER_SIZE + 8 };
    const uint8_t *raw = aero_source(rw, source).at + offset;
    uint64_t old = aero_id_at(raw + RAS_AERO_RECORD_HEADER_SIZE);
    uint64_t id = aero_new_id(rw, source, old);
    if (id == old)
        return aero_put_raw(rw, source, offset, size, err);
    uint8_t head[DATA_AT];
    memcpy(head, raw, RAS_AERO_RECORD_HEADER_SIZE);
    aero_id_put(id, head + RAS_AERO_RECORD_HEADER_SIZE);
    int status = aero_put_bytes(rw, head, sizeof head, err);
    return status < 0 ? status : aero_put_raw(rw, source, offset + DATA_AT, size - DATA_AT, err);
}

/* A copy of the record with its references changed; false: none has to be. */
static bool change_refs(struct rewrite *rw, size_t source, uint64_t offset, uint64_t size,
                        bool *nomem)
{
    struct aero_copier *k = rw->priv;
    const uint8_t *raw = aero_source(rw, source).at + offset;
    struct ras_bytes payload = {raw + RAS_AERO_RECORD_HEADER_SIZE,
                                (size_t)size - RAS_AERO_RECORD_HEADER_SIZE};
    bool changed = false;
    uint64_t at;
    if (!aero_has_refs(aero_type_at(raw), payload))
        return false;
    struct aero_refs refs = aero_refs_of(aero_type_at(raw), payload);
    while (aero_refs_next(&refs, &at)) {
        uint64_t old = aero_id_at(payload.at + at), id = aero_new_ref(rw, source, old);
        if (id == old)
            continue;
        if (!changed && !array_grow(&k->buffer, &k->room, (size_t)size, 1)) {
            *nomem = true;
            return true;
        }
        if (!changed)
            memcpy(k->buffer, raw, (size_t)size);
        changed = true;
        aero_id_put(id, k->buffer + RAS_AERO_RECORD_HEADER_SIZE + at);
    }
    return changed;
}

int aero_put_record(struct rewrite *rw, size_t source, uint64_t offset, uint64_t size,
                    struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    bool nomem = false;
    if (aero_type_at(aero_source(rw, source).at + offset) == RAS_AERO_BLOB)
        return put_blob(rw, source, offset, size, err);
    if (k->numbers == AERO_AS_THEY_ARE || !change_refs(rw, source, offset, size, &nomem))
        return aero_put_raw(rw, source, offset, size, err);
    return nomem ? fail_memory(err) : aero_put_bytes(rw, k->buffer, (size_t)size, err);
}

/* ---- frames ------------------------------------------------------------------------------ */

enum { MARKER_SIZE = RAS_AERO_RECORD_HEADER_SIZE + 4 };

/* BeginFrame or Present of the frame that is open in what is written. */
static int put_marker(struct rewrite *rw, size_t source, uint64_t offset, uint32_t old,
                      uint32_t index, struct ras_error *err)
{
    uint8_t marker[MARKER_SIZE];
    if (index == old)
        return aero_put_raw(rw, source, offset, MARKER_SIZE, err);
    memcpy(marker, aero_source(rw, source).at + offset, sizeof marker);
    aero_word_put(index, marker + RAS_AERO_RECORD_HEADER_SIZE);
    return aero_put_bytes(rw, marker, sizeof marker, err);
}

static uint32_t index_at(const struct rewrite *rw, size_t source, uint64_t offset)
{
    return aero_word_at(aero_source(rw, source).at + offset + RAS_AERO_RECORD_HEADER_SIZE);
}

int aero_put_begin(struct rewrite *rw, size_t source, uint64_t offset, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    uint32_t old = index_at(rw, source, offset), index = old;
    if (!aero_end_frame(k))
        return fail_memory(err);
    bool counted = rw->count > 1; /* on from the first trace's */
    uint64_t next = (counted ? k->first_index : 0) + (uint64_t)k->frame_count;
    if (next > UINT32_MAX)
        return fail(err, RAS_ELIMIT, offset, "frame %" PRIu64 ", indexes end with %" PRIu32, next,
                    UINT32_MAX);
    if (counted)
        index = (uint32_t)next;
    k->frame = (struct ras_aero_frame){.frame_index = index, .start_offset = k->at};
    k->frame_count++;
    k->open = true;
    k->frame_source = source;
    k->frame_start = offset;
    return put_marker(rw, source, offset, old, index, err);
}

int aero_put_present(struct rewrite *rw, size_t source, uint64_t offset, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct ras_aero_frame *f = &k->frame;
    uint32_t old = index_at(rw, source, offset);
    uint32_t index = old == index_at(rw, source, k->frame_start) ? f->frame_index : old;
    f->present_offset = k->at;
    int status = put_marker(rw, source, offset, old, index, err);
    f->end_offset = k->at;
    k->open = false;
    return status;
}
