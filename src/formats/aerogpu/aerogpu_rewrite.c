/* aerogpu_rewrite.c - records of one or more traces into a new one.
 *
 * Records are copied unchanged, with their frames; a slice also gets the blobs from outside of it
 * that its records name, before its first frame. Where blobs are renumbered, or several traces are
 * merged, the ids in packets and submissions are changed with them. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"
#include "formats/aerogpu/aerogpu_state.h"

#include <stdlib.h>

/* ---- blob ids ------------------------------------------------------------------------ */

/* What the first pass knows of the last blob of an id. */
enum { KEPT = 1, PLACE = 2 }; /* from PLACE on: its offset, and whether it is in range */

static uint64_t blob_place(uint64_t offset, bool in_range)
{
    return PLACE + (offset << 1 | in_range);
}

/* The first pass: a Blob record, in the order of the file. */
static int see_blob(struct rewrite *rw, size_t source, uint64_t blob_id, uint64_t offset,
                    bool in_range, bool kept, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    if (in_range && blob_id > f->most)
        f->most = blob_id;
    if (k->numbers != AERO_RENUMBERED)
        return RAS_OK;
    uint64_t limit = rw->sources[0]->limits.pool_bytes;
    if ((f->last.count + 4 * f->last.table.count) * sizeof(uint64_t) > limit)
        return fail(err, RAS_ELIMIT, offset, "more than %zu blobs",
                    f->last.count + f->last.table.count);
    uint64_t known = kept ? KEPT : blob_place(offset, in_range);
    f->places -= aero_map_get(&f->last, blob_id) >= PLACE;
    f->places += known >= PLACE;
    return aero_map_set(&f->last, blob_id, known) ? RAS_OK : fail_memory(err);
}

/* The first pass: a record that is kept names a blob. */
static int need_blob(struct rewrite *rw, size_t source, uint64_t blob_id, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    uint64_t known = aero_map_get(&f->last, blob_id);
    if (known < PLACE)
        return RAS_OK;
    if (!array_grow(&f->needs, &f->need_room, f->need_count + 1, sizeof *f->needs) ||
        !aero_map_set(&f->last, blob_id, KEPT))
        return fail_memory(err);
    f->places--;
    f->needs[f->need_count++] =
        (struct aero_need){.offset = (known - PLACE) >> 1, .in_range = (known - PLACE) & 1};
    return RAS_OK;
}

/* Whether the first pass, at a record that is kept, can end. Needed blobs are before the records
 * that need them: if all records from here on are kept, and no earlier blob can be needed any more,
 * all needs are known. */
static bool knows_all(const struct rewrite *rw)
{
    const struct aero_copier *k = rw->priv;
    const struct ras_rewrite_options *o = rw->options;
    bool all = (o->axis == RAS_AXIS_SEQ && o->to == RAS_NONE && !o->span_count) ||
               o->axis == RAS_AXIS_NONE;
    return rw->count == 1 && all && !o->type_count && !o->stream_count && k->any_frame &&
           !k->feeds[0].places;
}

static int need_by_offset(const void *a, const void *b)
{
    const struct aero_need *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Between the passes: the needed blobs in the order of the file. */
static void feed_sort(struct aero_feed *f)
{
    aero_map_free(&f->last);
    if (f->need_count)
        qsort(f->needs, f->need_count, sizeof *f->needs, need_by_offset);
}

static void feed_free(struct aero_feed *f)
{
    aero_map_free(&f->last);
    free(f->needs);
}

bool aero_reach(struct rewrite *rw, size_t source, uint64_t offset)
{
    struct aero_copier *k = rw->priv;
    struct aero_feed *f = &k->feeds[source];
    for (; f->need_next < f->need_count && f->needs[f->need_next].offset <= offset;
         f->need_next++) {
        const struct aero_need *need = &f->needs[f->need_next];
        const uint8_t *raw = aero_source(rw, source).at + need->offset;
        if (need->offset == offset)
            return true;
        if (need->new_id &&
            !aero_map_set(&f->last, aero_id_at(raw + RAS_AERO_RECORD_HEADER_SIZE), need->new_id))
            rw->nomem = true;
    }
    return false;
}

uint64_t aero_new_ref(struct rewrite *rw, size_t source, uint64_t blob_id)
{
    struct aero_copier *k = rw->priv;
    const struct aero_feed *f = &k->feeds[source];
    if (!blob_id || k->numbers == AERO_UNCHANGED)
        return blob_id;
    if (k->numbers == AERO_CONCATENATED)
        return blob_id + f->base;
    uint64_t id = aero_map_get(&f->last, blob_id);
    return id ? id : ++k->last_id; /* named, but missing: it must not name another blob either */
}

uint64_t aero_new_id(struct rewrite *rw, size_t source, uint64_t blob_id)
{
    struct aero_copier *k = rw->priv;
    if (k->numbers != AERO_RENUMBERED)
        return aero_new_ref(rw, source, blob_id);
    uint64_t id = ++k->last_id;
    if (!aero_map_set(&k->feeds[source].last, blob_id, id))
        rw->nomem = true;
    return id;
}

/* ---- bare streams and tables --------------------------------------------------------- */

/* Magic, abi_version and size_bytes, which streams and tables have at the same offsets. */
static uint32_t abi_of(const struct rewrite *rw, size_t source)
{
    return aero_abi_at(aero_source(rw, source).at);
}

static uint32_t stride_of(const struct rewrite *rw, size_t source)
{
    const struct aero *a = rw->sources[source]->priv;
    return a->shape == AERO_TABLE ? a->table.entry_stride : 0;
}

static int bare_copy_begin(struct rewrite *rw, struct ras_error *err)
{
    size_t first = rw->order[0];
    if (!strcmp(rw->target, "v1"))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "v1 has no such blobs");
    for (size_t i = 1; i < rw->count; i++) {
        if (abi_of(rw, i) != abi_of(rw, first))
            return fail(err, RAS_EUSAGE, 4,
                        "abi_version is 0x%08" PRIx32 " in trace 1, 0x%08" PRIx32 " in trace %zu",
                        abi_of(rw, first), abi_of(rw, i), i + 1);
        if (stride_of(rw, i) != stride_of(rw, first))
            return fail(err, RAS_EUSAGE, 16,
                        "entry_stride is %" PRIu32 " in trace 1, %" PRIu32 " in trace %zu",
                        stride_of(rw, first), stride_of(rw, i), i + 1);
    }
    return RAS_OK;
}

static void bare_copy_need(struct rewrite *rw, const struct taken *t)
{
    struct aero_copier *k = rw->priv;
    k->bare_bytes += t->wanted ? t->record->raw_len : 0;
    k->bare_count += t->wanted;
}

static int bare_copy_header(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    const struct aero *a = rw->sources[rw->order[0]]->priv;
    struct in in = in_bytes(aero_source(rw, rw->order[0]));
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    _Static_assert(RAS_AERO_STREAM_HEADER_SIZE == RAS_AERO_ALLOC_TABLE_HEADER_SIZE, "both: 24");
    uint64_t size = sizeof head + k->bare_bytes;
    struct ras_aero_stream s;
    struct ras_aero_alloc_table t = a->table;
    if (size > UINT32_MAX)
        return fail(err, RAS_ELIMIT, 8, "%" PRIu64 " bytes, size_bytes holds %" PRIu32, size,
                    UINT32_MAX);
    if (k->shape == AERO_STREAM) {
        aero_stream_get(&in, &s);
        s.size_bytes = (uint32_t)size;
        ras_aero_stream_put(&s, head);
    } else {
        t.size_bytes = (uint32_t)size;
        t.entry_count = (uint32_t)k->bare_count;
        ras_aero_alloc_table_put(&t, head);
    }
    return aero_put_bytes(rw, head, sizeof head, err);
}

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

/* Only traces of one shape and one command ABI can be merged. */
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

static int copier_begin(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    k->shape = ((const struct aero *)rw->sources[0]->priv)->shape;
    k->version = strcmp(rw->target, "v1") ? 2 : 1;
    k->wants_commands = rw->options->type_count && rewrite_asks_type(rw->options, "command");
    k->wants_shaders = rw->options->type_count && rewrite_asks_type(rw->options, "shader");
    k->numbers = !rw->whole ? AERO_RENUMBERED : rw->count > 1 ? AERO_CONCATENATED : AERO_UNCHANGED;
    int status = check_sources(rw, err);
    if (status < 0)
        return status;
    if (k->shape != AERO_CONTAINER)
        return bare_copy_begin(rw, err);
    if (!rw->options->target && !rw->options->newest) /* as new as the newest of them */
        for (size_t i = 0; i < rw->count; i++)
            if (version_of(rw->sources[i]) > k->version)
                k->version = version_of(rw->sources[i]);
    rw->out->target = k->version == 1 ? "v1" : "v2";
    k->feeds = calloc(rw->count, sizeof *k->feeds);
    if (!k->feeds)
        return fail_memory(err);
    note_metas(rw);
    const struct ras_rewrite_options *o = rw->options;
    k->with_state = rw->count == 1 && o->axis != RAS_AXIS_NONE && !o->bare && !o->span_count &&
                    !o->type_count && !o->stream_count;
    return RAS_OK;
}

/* ---- records that are kept ----------------------------------------------------------------- */

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
        return 0; /* a frame, or a command, which is part of a record */
    }
}

static struct ras_bytes payload_of(const struct ras_record *r)
{
    return (struct ras_bytes){r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                              r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
}

/* Requested by its own type, or for its content. */
static bool is_requested(const struct aero_copier *k, const struct taken *t)
{
    struct ras_aero_blob b;
    if (!t->in_range)
        return false;
    if (t->wanted || record_type(t) != RAS_AERO_BLOB)
        return t->wanted || (k->wants_commands && record_type(t));
    return k->wants_shaders && ras_aero_blob_get(payload_of(t->record), &b, NULL) == RAS_OK &&
           aero_is_shader(b.kind);
}

/* A record shown, as both passes and the sweep know it; its type is 0 for a command. */
static struct aero_one one_of(const struct taken *t)
{
    const struct ras_record *r = t->record;
    const struct aero_cursor *a = t->cursor->priv;
    struct aero_one one = {.source = t->source,
                           .type = record_type(t),
                           .base = t->cursor->base,
                           .offset = r->offset,
                           .size = r->raw_len,
                           .in_frame = r->flags & RAS_HAS_TICK,
                           .frame_start = a->frame_start};
    if (r->schema == AERO_FRAME_TYPE) { /* delivered when its Present was read */
        one.type = RAS_AERO_PRESENT;
        one.offset = cursor_offset(t->cursor) - RAS_AERO_RECORD_HEADER_SIZE - 4;
    }
    return one;
}

/* ---- the first pass: needed blobs -------------------------------------------------------- */

/* Invalid records of a version 1 trace are kept; records of a newer one cannot be converted to
 * version 1. */
static int check_target_version(const struct rewrite *rw, const struct taken *t,
                                struct ras_error *err)
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

static int need_refs(struct rewrite *rw, const struct aero_one *one, struct ras_error *err)
{
    const uint8_t *raw = one->base + one->offset;
    struct ras_bytes payload = {raw + RAS_AERO_RECORD_HEADER_SIZE,
                                (size_t)one->size - RAS_AERO_RECORD_HEADER_SIZE};
    int status = RAS_OK;
    uint64_t at;
    if (!aero_has_refs(one->type, payload))
        return RAS_OK;
    struct aero_refs refs = aero_refs_of(one->type, payload);
    while (status == RAS_OK && aero_refs_next(&refs, &at))
        status = need_blob(rw, one->source, aero_id_at(payload.at + at), err);
    return status;
}

int aero_need_one(struct rewrite *rw, const struct aero_one *one, bool in_range, bool kept,
                  struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const uint8_t *raw = one->base + one->offset;
    if (in_range && one->in_frame && !k->any_frame) {
        k->any_frame = true;
        k->first_index =
            aero_word_at(raw - one->offset + one->frame_start + RAS_AERO_RECORD_HEADER_SIZE);
    }
    if (one->type == RAS_AERO_BLOB)
        return see_blob(rw, one->source, aero_id_at(raw + RAS_AERO_RECORD_HEADER_SIZE), one->offset,
                        in_range, kept, err);
    bool names = one->type == RAS_AERO_PACKET || one->type == RAS_AERO_SUBMISSION;
    return kept && names && k->numbers == AERO_RENUMBERED ? need_refs(rw, one, err) : RAS_OK;
}

static int copier_need(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (k->shape != AERO_CONTAINER) {
        bare_copy_need(rw, t);
        return RAS_OK;
    }
    struct aero_one one = one_of(t);
    bool kept = is_requested(k, t);
    int status = aero_need_one(rw, &one, t->in_range, kept, err);
    if (status == RAS_OK && kept)
        status = check_target_version(rw, t, err);
    if (status < 0)
        return status;
    rw->settled = kept && k->version >= version_of(rw->sources[t->source]) && knows_all(rw);
    return rw->settled ? RAS_OK : aero_sweep(rw, t, false, err);
}

/* ---- between the passes ---------------------------------------------------------------------- */

/* The ids of each trace after those of the one before, so that none collide. */
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
    struct aero_feed *f = &k->feeds[source];
    int status = RAS_OK;
    feed_sort(f);
    for (size_t i = 0; status == RAS_OK && i < f->need_count; i++) {
        struct aero_need *need = &f->needs[i];
        if (need->in_range)
            continue;
        const uint8_t *base = aero_source(rw, source).at;
        uint64_t size = aero_len_at(base + need->offset);
        const struct aero_one one = {.source = source,
                                     .type = RAS_AERO_BLOB,
                                     .base = base,
                                     .offset = need->offset,
                                     .size = RAS_AERO_RECORD_HEADER_SIZE + size};
        status = aero_put_record(rw, &one, err);
        need->new_id = k->last_id;
        rewrite_kept(rw, "blob", 1);
    }
    aero_map_free(&f->last); /* new ids are set when the pass reaches a blob */
    return status;
}

/* The commands that frames of a slice need from before it: pictures depend on everything set and
 * drawn. */
static int find_state(struct rewrite *rw, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (!k->with_state)
        return RAS_OK;
    k->state = calloc(1, sizeof *k->state);
    if (!k->state)
        return fail_memory(err);
    int status = aero_state_find(k->state, rw->sources[0], rw->options, err);
    if (status == RAS_OK && k->state->gap)
        rewrite_note(rw, "bytes before the slice cannot be read: its frames may need them");
    return status;
}

static int copier_between(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    if (k->shape != AERO_CONTAINER)
        return bare_copy_header(rw, err);
    int status = k->numbers == AERO_CONCATENATED ? set_apart(rw, err) : RAS_OK;
    if (status == RAS_OK)
        status = find_state(rw, err);
    if (status == RAS_OK)
        status = aero_put_header(rw, err);
    for (size_t i = 0; status == RAS_OK && k->numbers == AERO_RENUMBERED && i < rw->count; i++)
        status = put_needed(rw, rw->order[i], err);
    return status;
}

/* ---- the second pass ------------------------------------------------------------------------- */

/* Resources that a slice uses and does not make: the first is reported. */
int aero_see_command(struct rewrite *rw, uint64_t tick, bool packet, struct ras_bytes command,
                     struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    if (k->made.missing || k->with_state)
        return RAS_OK;
    if (!aero_made_add(&k->made, packet, command))
        return fail_memory(err);
    if (k->made.missing)
        rewrite_note(rw,
                     "frame %" PRIu64 " uses %s %" PRIu32
                     ", which no command of the slice makes: it does not replay by itself",
                     tick, k->made.missing, k->made.missing_id);
    return RAS_OK;
}

/* A record that is kept for another one, though its type was not requested. */
static void count_companion(struct rewrite *rw, const struct taken *t)
{
    if (!t->wanted)
        rewrite_kept(rw, ras_schema_at(rw->sources[t->source], t->record->schema)->name, 1);
}

static int take_shown(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct aero_copier *k = rw->priv;
    const struct ras_record *r = t->record;
    if (k->shape != AERO_CONTAINER)
        return t->wanted ? aero_put_raw(rw, r->raw, r->raw_len, err) : RAS_OK;
    struct aero_one one = one_of(t);
    int status = RAS_OK;
    if (one.type) {
        bool needed = aero_reach(rw, t->source, one.offset);
        k->parent_kept = one.type == RAS_AERO_PRESENT || is_requested(k, t) ||
                         (needed && one.type == RAS_AERO_BLOB);
        k->parent_packet = one.type == RAS_AERO_PACKET && !ras_aero_is_stream(payload_of(r));
    } else if (k->parent_kept && rw->options->axis != RAS_AXIS_NONE) {
        status = aero_see_command(rw, r->tick, k->parent_packet,
                                  (struct ras_bytes){r->raw, r->raw_len}, err);
    }
    if (k->parent_kept)
        count_companion(rw, t);
    if (one.type && k->parent_kept && status == RAS_OK)
        status = aero_take_one(rw, &one, err);
    return status == RAS_OK ? aero_sweep(rw, t, true, err) : status;
}

static int copier_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    int status = take_shown(rw, t, err);
    if (status == RAS_OK && k->search)
        aero_canvas_reach(k->search, cursor_offset(t->cursor));
    if (status == RAS_OK && t->cursor->live) /* the buffer may move with the next record */
        status = aero_put_run(rw, err);
    return status;
}

static int copier_end(struct rewrite *rw, struct ras_error *err)
{
    const struct aero_copier *k = rw->priv;
    rw->again |= k->search && !aero_canvas_confirmed(k->search);
    return k->shape == AERO_CONTAINER ? aero_put_seal(rw, err) : aero_put_run(rw, err);
}

static void copier_stop(struct rewrite *rw)
{
    struct aero_copier *k = rw->priv;
    for (size_t i = 0; k->feeds && i < rw->count; i++)
        feed_free(&k->feeds[i]);
    free(k->feeds);
    aero_drop_state(k);
    aero_canvas_free(k->search);
    aero_ids_free(&k->made.ids);
    out_free(&k->toc);
    free(k->buffer);
}

const struct rewrite_ops aero_rewrite = {
    .targets = (const char *const[]){"v2", "v1", NULL},
    .size = sizeof(struct aero_copier),
    .closes = "frame",
    .needs_all = true,
    .target_of = target_of,
    .begin = copier_begin,
    .need = copier_need,
    .between = copier_between,
    .take = copier_take,
    .end = copier_end,
    .stop = copier_stop,
};
