/* aerogpu_rewrite.c - records of one or more traces into a new one.
 *
 * Records are copied as they stand, with the frames they lie in; a slice also takes the
 * blobs from outside of it that its records name, and puts them before its first frame.
 * Where blobs are numbered anew, or several traces meet, the ids in packets and
 * submissions follow. */
#include "formats/aerogpu/aerogpu_rewrite.h"

#include <stdlib.h>

/* ---- before the first record --------------------------------------------------------- */

static uint32_t version_of(const struct ras_trace *t)
{
    return ((const struct aero *)t->priv)->header.container_version;
}

static const char *target_of(const struct ras_trace *t)
{
    const struct aero *a = t->priv;
    return a->shape == AERO_CONTAINER && a->header.container_version == 1 ? "v1" : "v2";
}

static bool type_asked(const struct rewrite *rw, const char *name)
{
    for (size_t i = 0; i < rw->asked->type_count; i++)
        if (!strcmp(rw->asked->types[i], name))
            return true;
    return false;
}

/* Traces of one shape and one command ABI can be joined. */
static int check_sources(const struct rewrite *rw, struct ras_error *err)
{
    const struct aero *first = rw->sources[0]->priv;
    for (size_t i = 1; i < rw->count; i++) {
        const struct aero *a = rw->sources[i]->priv;
        if (a->shape != first->shape)
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "trace 1 and trace %zu are not both traces, streams or tables", i + 1);
        if (a->header.command_abi_version != first->header.command_abi_version)
            return fail(err, RAS_EUSAGE, 16,
                        "command_abi_version is 0x%08" PRIx32 " in trace 1, 0x%08" PRIx32
                        " in trace %zu",
                        first->header.command_abi_version, a->header.command_abi_version, i + 1);
    }
    return RAS_OK;
}

static void note_metas(struct rewrite *rw)
{
    const struct aero *first = rw->sources[0]->priv;
    struct ras_bytes kept = ras_aero_meta(aero_source(rw, 0), &first->header);
    for (size_t i = 1; i < rw->count; i++) {
        const struct aero *a = rw->sources[i]->priv;
        struct ras_bytes meta = ras_aero_meta(aero_source(rw, i), &a->header);
        if (meta.len != kept.len || (meta.len && memcmp(meta.at, kept.at, meta.len)))
            rewrite_note(rw, "meta_json of trace %zu differs from that of trace 1 and is left out",
                         i + 1);
    }
}

static int begin(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    k->shape = ((const struct aero *)rw->sources[0]->priv)->shape;
    k->version = strcmp(rw->target, "v1") ? 2 : 1;
    k->commands_asked = type_asked(rw, "command");
    k->shaders_asked = type_asked(rw, "shader");
    k->numbers = !rw->whole ? AERO_ANEW : rw->count > 1 ? AERO_APART : AERO_AS_THEY_ARE;
    int status = check_sources(rw, err);
    if (status < 0)
        return status;
    if (k->shape != AERO_CONTAINER)
        return aero_bare_begin(rw, err);
    if (!rw->asked->target && !rw->asked->newest) /* as new as the newest of them */
        for (size_t i = 0; i < rw->count; i++)
            if (version_of(rw->sources[i]) > k->version)
                k->version = version_of(rw->sources[i]);
    rw->out->target = k->version == 1 ? "v1" : "v2";
    k->feeds = calloc(rw->count, sizeof *k->feeds);
    if (!k->feeds)
        return fail_memory(err);
    for (size_t i = 0; status == RAS_OK && k->numbers == AERO_ANEW && i < rw->count; i++)
        status = aero_feed_fill(rw, i, err);
    note_metas(rw);
    return status;
}

/* ---- what is kept ----------------------------------------------------------------------- */

static uint8_t record_type(const struct taken *t)
{
    switch (t->record->schema) {
    case AERO_PACKET_TYPE:
        return RAS_AERO_PACKET;
    case AERO_BLOB_TYPE:
        return RAS_AERO_BLOB;
    case AERO_SUBMISSION_TYPE:
        return RAS_AERO_SUBMISSION;
    default:
        return 0; /* a frame, or a command, which lies in a record */
    }
}

static struct ras_bytes payload_of(const struct ras_record *r)
{
    return (struct ras_bytes){r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                              r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
}

static bool is_shader(uint32_t kind)
{
    return kind >= RAS_AERO_SHADER_DXBC && kind <= RAS_AERO_SHADER_GLSL_ES300;
}

/* Asked for by its own type, or for what it holds. */
static bool is_asked(const struct aero_copier *k, const struct taken *t)
{
    struct ras_aero_blob b;
    if (t->wanted || record_type(t) != RAS_AERO_BLOB)
        return t->wanted || (k->commands_asked && record_type(t));
    return k->shaders_asked && ras_aero_blob_get(payload_of(t->record), &b, NULL) == RAS_OK &&
           is_shader(b.kind);
}

static struct aero_part *part_of(const struct aero_copier *k, const struct taken *t)
{
    const struct ras_record *r = t->record;
    uint64_t id = aero_id_at(r->raw + RAS_AERO_RECORD_HEADER_SIZE);
    return aero_part_of(&k->feeds[t->source], id, r->offset + 1);
}

/* ---- the first pass: what is needed -------------------------------------------------------- */

/* A version 1 trace that holds what it must not keeps it; a newer one cannot lose it. */
static int check_version(const struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    struct ras_aero_blob b;
    uint8_t type = record_type(t);
    if (k->version >= version_of(rw->sources[t->source]) || type < RAS_AERO_BLOB)
        return RAS_OK;
    if (type == RAS_AERO_SUBMISSION)
        return fail(err, RAS_EUNSUPPORTED, t->record->offset,
                    "v1 has no AerogpuSubmission records");
    if (ras_aero_blob_get(payload_of(t->record), &b, NULL) == RAS_OK &&
        b.kind >= RAS_AERO_CMD_STREAM)
        return fail(err, RAS_EUNSUPPORTED, t->record->offset, "v1 has no blobs of kind 0x%" PRIx32,
                    b.kind);
    return RAS_OK;
}

static void need_refs(const struct aero_copier *k, const struct taken *t)
{
    struct ras_bytes payload = payload_of(t->record);
    struct aero_refs refs = aero_refs_of(record_type(t), payload);
    uint64_t at;
    while (aero_refs_next(&refs, &at)) {
        struct aero_part *p =
            aero_part_of(&k->feeds[t->source], aero_id_at(payload.at + at), t->record->offset);
        if (p)
            p->needed = true;
    }
}

static void need_blob(struct aero_copier *k, const struct taken *t)
{
    uint64_t id = aero_id_at(t->record->raw + RAS_AERO_RECORD_HEADER_SIZE);
    struct aero_feed *f = &k->feeds[t->source];
    struct aero_part *p = k->numbers == AERO_ANEW ? part_of(k, t) : NULL;
    if (id > f->most)
        f->most = id;
    if (p) {
        p->shown = true;
        p->wanted = is_asked(k, t);
    }
}

/* Resources that a slice uses and does not make: it is told of the first. */
static int need_made(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const struct ras_record *r = t->record;
    bool known = k->made.missing != NULL;
    if (r->schema != AERO_COMMAND_TYPE) {
        k->parent_kept = is_asked(k, t);
        k->parent_packet = record_type(t) == RAS_AERO_PACKET && !ras_aero_is_stream(payload_of(r));
        return RAS_OK;
    }
    if (known || !k->parent_kept)
        return RAS_OK;
    if (!aero_made_add(&k->made, k->parent_packet, (struct ras_bytes){r->raw, r->raw_len}))
        return fail_memory(err);
    if (k->made.missing)
        rewrite_note(rw,
                     "frame %" PRIu64 " uses %s %" PRIu32
                     ", which no command of the slice makes: it does not replay by itself",
                     r->tick, k->made.missing, k->made.missing_id);
    return RAS_OK;
}

static int need(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const struct ras_record *r = t->record;
    if (k->shape != AERO_CONTAINER) {
        aero_bare_need(rw, t);
        return RAS_OK;
    }
    if (!k->any_frame && r->flags & RAS_HAS_TICK) {
        k->any_frame = true;
        k->first_index = (uint32_t)r->tick;
    }
    uint8_t type = record_type(t);
    if (type == RAS_AERO_BLOB)
        need_blob(k, t);
    if (type && type != RAS_AERO_BLOB && k->numbers == AERO_ANEW && is_asked(k, t))
        need_refs(k, t);
    int status = rw->asked->axis != RAS_AXIS_NONE ? need_made(rw, t, err) : RAS_OK;
    return status == RAS_OK && is_asked(k, t) ? check_version(rw, t, err) : status;
}

/* ---- between the passes ---------------------------------------------------------------------- */

/* Ids of the traces in turn, so that none meets another. */
static int set_apart(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    uint64_t base = 0;
    for (size_t i = 0; i < rw->count; i++) {
        struct aero_feed *f = &k->feeds[rw->order[i]];
        if (f->most > UINT64_MAX - base)
            return fail(err, RAS_ELIMIT, RAS_NONE,
                        "blob ids up to %" PRIu64 " cannot follow %" PRIu64, f->most, base);
        f->base = base;
        base += f->most;
    }
    return RAS_OK;
}

/* Blobs from outside of the slice that its records name. */
static int put_needed(struct rewrite *rw, size_t source, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    const struct aero_feed *f = &k->feeds[source];
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < f->part_count; i++) {
        const struct aero_part *p = &f->parts[i];
        if (!p->needed || p->shown)
            continue;
        status = aero_put_record(rw, source, p->offset, p->size, err);
        rewrite_kept(rw, "blob", 1);
    }
    return status;
}

static int between(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    if (k->shape != AERO_CONTAINER)
        return aero_bare_header(rw, err);
    int status = k->numbers == AERO_APART ? set_apart(rw, err) : RAS_OK;
    if (status == RAS_OK)
        status = aero_put_header(rw, err);
    for (size_t i = 0; status == RAS_OK && k->numbers == AERO_ANEW && i < rw->count; i++)
        status = put_needed(rw, rw->order[i], err);
    return status;
}

/* ---- the second pass ------------------------------------------------------------------------- */

/* The frame that the record lies in is open in what is written. */
static int enter_frame(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const struct aero_cursor *a = t->cursor->priv;
    if (!(t->record->flags & RAS_HAS_TICK)) {
        k->open = false; /* whatever was open, this record is in none */
        return RAS_OK;
    }
    if (k->open && k->frame_source == t->source && k->frame_start == a->frame_start)
        return RAS_OK;
    return aero_put_begin(rw, t->source, a->frame_start, err);
}

static bool is_kept(const struct aero_copier *k, const struct taken *t)
{
    if (record_type(t) == RAS_AERO_BLOB && k->numbers == AERO_ANEW) {
        const struct aero_part *p = part_of(k, t);
        return p && (p->wanted || p->needed);
    }
    return is_asked(k, t);
}

/* Kept for another's sake, though its type was not asked for. */
static void count_unasked(struct rewrite *rw, const struct taken *t)
{
    if (!t->wanted)
        rewrite_kept(rw, ras_schema_at(rw->sources[t->source], t->record->schema)->name, 1);
}

static int take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const struct ras_record *r = t->record;
    if (k->shape != AERO_CONTAINER)
        return t->wanted ? aero_put_raw(rw, t->source, r->offset, r->raw_len, err) : RAS_OK;
    bool frame = r->schema == AERO_FRAME_TYPE, command = r->schema == AERO_COMMAND_TYPE;
    if (!command)
        k->parent_kept = frame || is_kept(k, t);
    if (k->parent_kept)
        count_unasked(rw, t);
    if (command || !k->parent_kept)
        return RAS_OK;
    int status = enter_frame(rw, t, err);
    if (status < 0)
        return status;
    if (!frame)
        return aero_put_record(rw, t->source, r->offset, r->raw_len, err);
    uint64_t present = cursor_offset(t->cursor) - RAS_AERO_RECORD_HEADER_SIZE - 4;
    return aero_put_present(rw, t->source, present, err);
}

static int end(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    return k->shape == AERO_CONTAINER ? aero_put_seal(rw, err) : aero_put_run(rw, err);
}

static void stop(struct rewrite *rw)
{
    struct aero_copier *k = rw->priv;
    for (size_t i = 0; k->feeds && i < rw->count; i++)
        aero_feed_free(&k->feeds[i]);
    free(k->feeds);
    aero_ids_free(&k->made.ids);
    free(k->frames);
    free(k->buffer);
}

const struct rewrite_ops aero_rewrite = {
    .targets = (const char *const[]){"v2", "v1", NULL},
    .size = sizeof(struct aero_copier),
    .target_of = target_of,
    .begin = begin,
    .need = need,
    .between = between,
    .take = take,
    .end = end,
    .stop = stop,
};
