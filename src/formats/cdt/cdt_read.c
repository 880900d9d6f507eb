/* cdt_read.c - CDT as records: a tick, then the rows of its channels.
 *
 * Chunks are read one after the other, so a trace without a footer reads like one with it. A block
 * of ticks is decoded completely before its first record: like the reference reader, this one
 * accepts all of a block or nothing, and what it does not accept is a gap. While records of a block
 * are delivered, the cursor stays at its chunk; the place inside is the driver's. */
#include "formats/cdt/cdt_driver.h"

/* ---- opening: header, META, dialect, footer ---------------------------------------------- */

const char *cdt_dialect(const struct ras_trace *t)
{
    return t->dialect_requested ? t->dialect_requested : t->dialect;
}

/* The producer names itself. An unknown one is recognised by how it stores META, or the chunk after
 * an unusable META. */
static const char *dialect_found(const struct cdt_trace *cdt, struct ras_bytes file)
{
    const struct cdt_meta *m = &cdt->meta;
    struct ras_cdt_chunk chunk = m->loaded.chunk;
    uint64_t next = RAS_CDT_HEADER_SIZE + cdt_chunk_size(&chunk);
    if (cdt->no_meta && (ras_cdt_chunk_get(file, next, &chunk, NULL) < 0 || !chunk.kind))
        chunk = m->loaded.chunk;
    if (cdt_text_is(m->meta.producer.impl, "frida_original"))
        return "frida";
    if (cdt_text_is(m->meta.producer.impl, "zig"))
        return "zig";
    if (cdt_text_is(m->meta.producer.impl, "python"))
        return "python";
    return chunk.flags & RAS_CDT_FLAG_ZSTD ? "python" : "zig";
}

static bool add_text_fact(struct ras_trace *t, const char *key, struct ras_bytes text, bool present)
{
    return !present || fact_str(t, key, text.at, text.len);
}

static bool add_int_fact(struct ras_trace *t, const char *key, int64_t value,
                         const struct ras_cdt_node *node, unsigned member)
{
    if (!ras_cdt_has(node, member))
        return true;
    return node->wide >> member & 1 ? fact_uint(t, key, (uint64_t)value, 0)
                                    : fact_int(t, key, value);
}

static bool add_source_facts(struct ras_trace *t, const struct ras_cdt_trace_source *s)
{
    const struct ras_cdt_node *n = &s->node;
#define TEXT(member, bit) add_text_fact(t, "source." #member, s->member, ras_cdt_has(n, bit))
#define INT(member, bit)  add_int_fact(t, "source." #member, s->member, n, bit)
    return TEXT(path, RAS_CDT_SOURCE_PATH) && TEXT(sha256, RAS_CDT_SOURCE_SHA256) &&
           INT(size, RAS_CDT_SOURCE_SIZE) && INT(mtime_ns, RAS_CDT_SOURCE_MTIME_NS) &&
           TEXT(kind, RAS_CDT_SOURCE_KIND) && INT(tick_rate, RAS_CDT_SOURCE_TICK_RATE) &&
           INT(seed, RAS_CDT_SOURCE_SEED) && INT(mode_id, RAS_CDT_SOURCE_MODE_ID) &&
           TEXT(quest_level, RAS_CDT_SOURCE_QUEST_LEVEL) && INT(run_id, RAS_CDT_SOURCE_RUN_ID) &&
           INT(quest_stage_major, RAS_CDT_SOURCE_QUEST_STAGE_MAJOR) &&
           INT(quest_stage_minor, RAS_CDT_SOURCE_QUEST_STAGE_MINOR) &&
           INT(global_tick_first, RAS_CDT_SOURCE_GLOBAL_TICK_FIRST) &&
           INT(global_tick_last, RAS_CDT_SOURCE_GLOBAL_TICK_LAST) &&
           TEXT(run_start_seed_source, RAS_CDT_SOURCE_RUN_START_SEED_SOURCE) &&
           TEXT(replay_sha256, RAS_CDT_SOURCE_REPLAY_SHA256) &&
           INT(player_count, RAS_CDT_SOURCE_PLAYER_COUNT);
#undef TEXT
#undef INT
}

static bool add_facts(struct ras_trace *t, const struct cdt_meta *m)
{
    const struct ras_cdt_trace_meta *meta = &m->meta;
    if (!m->complete)
        return m->typed || fact_int(t, "trace_schema_version", meta->trace_schema_version);
    return fact_int(t, "trace_schema_version", meta->trace_schema_version) &&
           fact_str(t, "created_utc", meta->created_utc.at, meta->created_utc.len) &&
           fact_str(t, "impl", meta->producer.impl.at, meta->producer.impl.len) &&
           fact_str(t, "impl_version", meta->producer.impl_version.at,
                    meta->producer.impl_version.len) &&
           fact_str(t, "platform", meta->producer.platform.at, meta->producer.platform.len) &&
           fact_str(t, "arch", meta->producer.arch.at, meta->producer.arch.len) &&
           add_source_facts(t, &meta->source) &&
           fact_int(t, "tick_range.start_tick", meta->tick_range.start_tick) &&
           fact_int(t, "tick_range.end_tick", meta->tick_range.end_tick) &&
           fact_int(t, "tick_range.tick_count", meta->tick_range.tick_count) &&
           fact_bool(t, "has_status_snapshot", ras_cdt_has(&meta->node, RAS_CDT_META_STATUS));
}

static bool add_schemas(struct ras_trace *t, struct cdt_trace *cdt)
{
    if (!cdt->meta.typed)
        return schema_add(t, &cdt_generic_schema) > 0;
    cdt_schemas_fill(cdt);
    for (unsigned i = 0; i < cdt->meta.model->row_count; i++)
        if (schema_add(t, &cdt->schemas[i].schema) < 0)
            return false;
    return true;
}

/* What is read next is there now; only a server can fail, which ends the step or open. */
static bool reach(const struct ras_trace *t, uint64_t from, uint64_t to)
{
    return source_need(t->source, 0, from, to, NULL, NULL) == RAS_OK;
}

bool cdt_reach_chunk(const struct ras_trace *t, uint64_t offset)
{
    struct ras_cdt_chunk chunk;
    if (!source_is_spread(t->source))
        return true;
    return reach(t, offset, offset + RAS_CDT_CHUNK_HEADER_SIZE) &&
           (ras_cdt_chunk_get(source_arrived(t->source, 0), offset, &chunk, NULL) < 0 ||
            reach(t, offset, offset + cdt_chunk_size(&chunk)));
}

/* The trailer, and the chunk that it points at. */
static void reach_footer(const struct ras_trace *t, struct ras_bytes file)
{
    uint64_t offset;
    if (file.len >= RAS_CDT_TRAILER_SIZE && reach(t, 0, RAS_CDT_HEADER_SIZE) &&
        reach(t, file.len - RAS_CDT_TRAILER_SIZE, file.len) &&
        ras_cdt_trailer_get(file, &offset, NULL) == RAS_OK && offset < file.len)
        (void)cdt_reach_chunk(t, offset);
}

const struct cdt_footer *cdt_footer_now(struct ras_trace *t)
{
    struct cdt_trace *cdt = t->priv;
    struct ras_bytes file = source_arrived(t->source, 0);
    struct ras_error err;
    if (cdt->footer_size != file.len) {
        reach_footer(t, file);
        if (source_is_spread(t->source) && source_fault(t->source, NULL) < 0)
            return NULL;
        int status =
            cdt_footer_load(&cdt->footer_memory, file, t->limits.chunk_bytes, &cdt->footer, &err);
        cdt->nomem = status == RAS_EMEMORY;
        cdt->footer_size = cdt->nomem ? 0 : file.len;
        cdt->sealed = status == RAS_OK;
        snprintf(cdt->unsealed, sizeof cdt->unsealed, "%.*s", (int)sizeof cdt->unsealed - 1,
                 cdt->sealed ? "" : err.text);
    }
    return cdt->sealed ? &cdt->footer : NULL;
}

/* Without META: container 1 has one schema; the schema of container 2 is known by its structs. */
static const struct cdt_model *assumed_model(struct ras_trace *t, struct cdt_trace *cdt)
{
    struct ras_bytes file = source_bytes(t->source, 0);
    return cdt_container(file) == 2 ? cdt_model_guess(&cdt->memory, file, t->limits.chunk_bytes)
                                    : &cdt_model_12;
}

/* META is a chunk like the others: if it cannot be read it is a gap, and the ticks are still valid.
 * Only a file that ends inside META is not a trace yet. */
static int load_meta(struct ras_trace *t, struct cdt_trace *cdt, struct ras_error *err)
{
    struct ras_error why;
    struct ras_bytes file = source_arrived(t->source, 0);
    if (!cdt_reach_chunk(t, RAS_CDT_HEADER_SIZE))
        return source_fault(t->source, err);
    int status = cdt_meta_load(&cdt->memory, file, t->limits.chunk_bytes, &cdt->meta, &why);
    t->body = RAS_CDT_HEADER_SIZE + cdt_chunk_size(&cdt->meta.loaded.chunk);
    if (status == RAS_OK)
        return RAS_OK;
    if (status == RAS_EMEMORY || (status == RAS_ECUT && !cdt_footer_now(t)))
        return fail(err, status, why.offset, "%s", why.text);
    t->body = RAS_CDT_HEADER_SIZE;
    cdt->no_meta = true;
    cdt->meta.meta = (struct ras_cdt_trace_meta){0};
    cdt->meta.model = assumed_model(t, cdt);
    cdt->meta.typed = cdt->meta.model;
    if (!cdt->meta.typed)
        cdt->meta.model = &cdt_model_21;
    snprintf(cdt->why_meta, sizeof cdt->why_meta, "%.*s", (int)sizeof cdt->why_meta - 1, why.text);
    note_add(t, "META cannot be used: %s", cdt->why_meta);
    return RAS_OK;
}

int cdt_open(struct ras_trace *t, struct ras_error *err)
{
    struct cdt_trace *cdt = t->priv;
    uint32_t version;
    if (!reach(t, 0, RAS_CDT_HEADER_SIZE))
        return source_fault(t->source, err);
    int status = ras_cdt_header_get(source_arrived(t->source, 0), &version, err);
    if (status < 0)
        return status;
    if (version != cdt_container(source_arrived(t->source, 0)))
        return fail(err, RAS_EVERSION, RAS_CDT_MAGIC_SIZE,
                    "unsupported trace format version: %" PRIu32 " (supported: %" PRIu32 ")",
                    version, cdt_container(source_arrived(t->source, 0)));
    status = load_meta(t, cdt, err);
    if (status < 0)
        return status;
    t->version = version;
    t->dialect = dialect_found(cdt, cdt->no_meta ? source_bytes(t->source, 0)
                                                 : source_arrived(t->source, 0));
    if (!cdt->meta.typed && cdt->no_meta)
        note_add(t, "unknown schema: ticks are shown untyped");
    else if (!cdt->meta.typed)
        note_add(t, "trace schema version %" PRId64 " (supported: %s): ticks are shown untyped",
                 cdt->meta.meta.trace_schema_version, cdt_schemas_text(version));
    (void)cdt_footer_now(t); /* loads it for the reader */
    bool added = !cdt->nomem && add_facts(t, &cdt->meta) && add_schemas(t, cdt);
    return added ? RAS_OK : fail_memory(err);
}

void cdt_close(struct ras_trace *t)
{
    struct cdt_trace *cdt = t->priv;
    cdt_memory_free(&cdt->memory);
    cdt_memory_free(&cdt->footer_memory);
}

/* ---- records ----------------------------------------------------------------------------- */

static struct ras_bytes file_of(const struct ras_cursor *c)
{
    return (struct ras_bytes){c->base, (size_t)(c->in.end - c->base)};
}

static void go_to(struct ras_cursor *c, uint64_t offset)
{
    c->in.at = c->base + offset;
}

/* ---- chunks that are not blocks of ticks -------------------------------- */

/* The bytes at `offset` are not a usable chunk, for the given reason. They end at `next`, or at
 * RAS_NONE if the end must be searched for. */
static enum step lost(struct ras_cursor *c, uint64_t offset, uint64_t next, const char *why)
{
    struct cdt_cursor *p = c->priv;
    struct ras_bytes file = file_of(c);
    if (source_pending(c->trace->source)) /* where it continues depends on all bytes that follow */
        return cut(c, "%s", why);
    if (next == RAS_NONE && !reach(c->trace, offset, RAS_NONE))
        return cut(c, "%s", why);
    if (next == RAS_NONE)
        next = cdt_resume(&p->memory, file, offset, c->trace->limits.chunk_bytes);
    if (next == CDT_NO_MEMORY)
        return STEP_NOMEM;
    if (next == RAS_NONE)
        return c->live ? cut(c, "%s", why) : damaged(c, offset, "%s", why);
    p->kept = p->resuming = false;
    go_to(c, next);
    return gap_record(c, offset, next - offset, RAS_NONE, "%s", why);
}

/* The stream ends without closing structures. */
static enum step unsealed(struct ras_cursor *c, uint64_t at, const char *why)
{
    if (c->live)
        return cut(c, "%s", why);
    ending_note(c, RAS_UNSEALED, c->part, at, "%s", why);
    c->in.at = c->in.end;
    c->sealed = true;
    return STEP_END;
}

/* Something else follows the trailer. */
static enum step rest(struct ras_cursor *c, uint64_t at)
{
    uint64_t length = (uint64_t)(c->in.end - c->base) - at;
    if (!reach(c->trace, at, at + RAS_CDT_MAGIC_SIZE))
        return cut(c, "bytes after the trailer");
    bool again = length >= RAS_CDT_MAGIC_SIZE &&
                 cdt_magic_starts((struct ras_bytes){c->base + at, (size_t)length});
    c->in.at = c->in.end;
    c->sealed = true;
    ending_note(c, RAS_DAMAGED, c->part, at, "%" PRIu64 " bytes after the trailer%s", length,
                again ? ": a second trace begins there" : "");
    return STEP_END;
}

/* Fewer bytes than a chunk header are left. */
static enum step short_header(struct ras_cursor *c, uint64_t offset)
{
    size_t left = (size_t)in_left(&c->in);
    enum ras_cdt_kind kind = left ? cdt_kind_starts(c->in.at, left) : RAS_CDT_FOTR;
    if (!left && c->sealed)
        return STEP_END;
    if (kind == RAS_CDT_TICK)
        return cut(c, "truncated chunk header: %d bytes, %zu left", RAS_CDT_CHUNK_HEADER_SIZE,
                   left);
    if (kind == RAS_CDT_FOTR)
        return unsealed(c, offset, left ? "the FOTR chunk is cut short" : "no FOTR chunk");
    return lost(c, offset, RAS_NONE, "bytes that are not a chunk");
}

/* The file ends with a trailer after the last chunk; whether it leads to a usable footer is checked
 * elsewhere. */
static enum step sealed(struct ras_cursor *c, uint64_t offset, uint64_t footer_offset)
{
    c->in.at = c->in.end;
    c->sealed = true;
    const struct cdt_trace *cdt = c->trace->priv;
    bool usable = cdt_footer_now(c->trace);
    if (cdt->nomem)
        return STEP_NOMEM;
    if (source_pending(c->trace->source))
        return cut(c, "missing trace footer");
    if (!usable)
        ending_note(c, RAS_UNSEALED, c->part, offset, "%s", cdt->unsealed);
    else if (footer_offset != offset)
        ending_note(c, RAS_UNSEALED, c->part, offset,
                    "footer_offset is %" PRIu64 ", the last FOTR chunk is at %" PRIu64,
                    footer_offset, offset);
    return STEP_END;
}

/* The footer's chunk: the trailer and the end of the file must follow. */
static enum step read_footer(struct ras_cursor *c, uint64_t offset,
                             const struct ras_cdt_chunk *chunk)
{
    struct ras_bytes file = file_of(c);
    uint64_t end = offset + cdt_chunk_size(chunk);
    uint64_t footer_offset;
    if (end > file.len || file.len - end < RAS_CDT_TRAILER_SIZE)
        return unsealed(c, end > file.len ? offset : end,
                        end > file.len ? "the FOTR chunk is cut short" : "missing trace trailer");
    if (c->live && !c->scan.follow)
        return cut(c, "more may follow the trailer");
    if (!reach(c->trace, end, end + RAS_CDT_TRAILER_SIZE))
        return cut(c, "missing trace trailer");
    struct ras_bytes upto = {file.at, (size_t)end + RAS_CDT_TRAILER_SIZE};
    bool extra = upto.len < file.len;
    if (ras_cdt_trailer_get(upto, &footer_offset, NULL) == RAS_OK)
        return extra ? rest(c, upto.len) : sealed(c, offset, footer_offset);
    return unsealed(c, end,
                    extra ? "the FOTR chunk does not end where the trailer should begin"
                          : "missing trace trailer");
}

/* ---- blocks -------------------------------------------------------------- */

/* Chunks that follow each other and were valid are not hashed again: that is most of the work of a
 * second walk. */
static void keep_sure(struct cdt_trace *cdt, uint64_t from, uint64_t to)
{
    if (!cdt->sure_to)
        cdt->sure_from = cdt->sure_to = from;
    if (cdt->sure_to == from)
        cdt->sure_to = to;
}

/* Loads and decodes the TICK chunk at `offset`; a cursor that jumps within one chunk finds it in
 * memory. */
static int read_load_block(struct ras_cursor *c, uint64_t offset, struct ras_error *err)
{
    struct cdt_cursor *p = c->priv;
    struct cdt_trace *cdt = c->trace->priv;
    uint64_t limit = c->trace->limits.chunk_bytes;
    const char *why = NULL;
    int status;
    if (p->kept && p->chunk_at == offset)
        return RAS_OK;
    p->kept = false;
    p->memory.buffer.sure = offset >= cdt->sure_from && offset < cdt->sure_to;
    if (cdt->meta.typed) {
        status = cdt_block_load(&p->memory, file_of(c), offset, limit, cdt->meta.model->block,
                                &p->block, err);
        p->tick_count = p->block.block.ticks.count;
    } else {
        struct cdt_loaded *l = &p->block.loaded;
        status = cdt_chunk_load(&p->memory.buffer, file_of(c), offset, limit, l, err);
        if (status == RAS_OK && !cdt_generic_load(p, l->payload, &why))
            status = fail(err, RAS_EFORMAT, offset, "invalid tick payload: %s", why);
    }
    p->memory.buffer.sure = false;
    if (status < 0)
        return status;
    p->chunk_at = offset;
    p->chunk_end = offset + cdt_chunk_size(&p->block.loaded.chunk);
    keep_sure(cdt, p->chunk_at, p->chunk_end);
    p->kept = true;
    return RAS_OK;
}

/* Enters the TICK chunk here. STEP_RECORD and p->loaded: the cursor is in it. */
static enum step enter_block(struct ras_cursor *c, uint64_t offset)
{
    struct cdt_cursor *p = c->priv;
    struct ras_error err;
    if (!cdt_reach_chunk(c->trace, offset))
        return cut(c, "missing chunk");
    int status = read_load_block(c, offset, &err);
    if (status == RAS_EMEMORY)
        return STEP_NOMEM;
    /* A sealed file was not cut: a length beyond its end is damage. */
    if (status == RAS_ECUT && (c->live || !cdt_footer_now(c->trace)))
        return cut(c, "%s", err.text);
    if (status < 0) {
        const struct cdt_loaded *l = &p->block.loaded; /* complete, if it has a payload */
        uint64_t end = l->payload.at ? offset + cdt_chunk_size(&l->chunk) : RAS_NONE;
        return lost(c, offset, end, err.text);
    }
    if (!p->resuming)
        p->place = (struct cdt_place){0};
    p->resuming = false;
    p->loaded = true;
    return STEP_RECORD;
}

/* Reports why a chunk that is neither TICK nor FOTR is invalid here. */
static const char *not_ticks(const struct ras_cursor *c, uint64_t offset,
                             const struct ras_cdt_chunk *chunk)
{
    if (offset == RAS_CDT_HEADER_SIZE)
        return ((const struct cdt_trace *)c->trace->priv)->why_meta;
    return chunk->kind == RAS_CDT_META ? "a second META chunk" : "unknown chunk kind";
}

static bool index_ascends(const struct ras_trace *t, const struct cdt_footer *footer)
{
    uint64_t at = t->body;
    const struct ras_cdt_tick_block_index_entry *e = footer->footer.tick_blocks.at;
    for (size_t i = 0; i < footer->footer.tick_blocks.count; i++, e++) {
        uint64_t offset = (uint64_t)e->file_offset;
        if (offset < at || offset >= footer->offset || e->start_tick > e->end_tick ||
            e->start_tick < 0 || (i && e->start_tick <= e[-1].end_tick))
            return false;
        at = offset + RAS_CDT_CHUNK_HEADER_SIZE;
    }
    return true;
}

const struct cdt_footer *cdt_spread_index(struct ras_trace *t)
{
    const struct cdt_footer *footer = source_is_spread(t->source) ? cdt_footer_now(t) : NULL;
    return footer && index_ascends(t, footer) ? footer : NULL;
}

/* By index: where the first block begins that has no tick of the range, nor have those
 * that follow. */
static uint64_t range_end(struct ras_cursor *c)
{
    const struct ras_scan *scan = &c->scan;
    const struct cdt_footer *footer = NULL;
    if (scan->by_index && scan->axis == RAS_AXIS_TICK && scan->to != RAS_NONE)
        footer = cdt_spread_index(c->trace);
    if (!footer)
        return RAS_NONE;
    for (size_t i = 0; i < footer->footer.tick_blocks.count; i++)
        if ((uint64_t)footer->footer.tick_blocks.at[i].start_tick >= scan->to)
            return (uint64_t)footer->footer.tick_blocks.at[i].file_offset;
    return RAS_NONE;
}

/* All that follows is beyond the range: it is not fetched. */
static bool ends_range(struct ras_cursor *c, uint64_t offset)
{
    struct cdt_cursor *p = c->priv;
    if (!p->end_known)
        p->range_end = range_end(c);
    p->end_known = true;
    if (offset < p->range_end)
        return false;
    cursor_stop_collecting(c);
    c->in.at = c->in.end;
    c->sealed = true;
    return true;
}

/* Goes to the next block that has a tick. STEP_RECORD: it is in memory. */
static enum step read_next_block(struct ras_cursor *c)
{
    struct cdt_cursor *p = c->priv;
    for (;;) {
        uint64_t offset = cursor_offset(c);
        struct ras_cdt_chunk chunk;
        struct ras_error err;
        enum step step;
        if (ends_range(c, offset))
            return STEP_END;
        if (!reach(c->trace, offset, offset + RAS_CDT_CHUNK_HEADER_SIZE))
            return cut(c, "missing chunk header");
        if (ras_cdt_chunk_get(file_of(c), offset, &chunk, &err) < 0)
            return short_header(c, offset);
        if (chunk.kind == RAS_CDT_TICK)
            step = enter_block(c, offset);
        else if (chunk.kind == RAS_CDT_FOTR)
            return read_footer(c, offset, &chunk);
        else
            return lost(c, offset, RAS_NONE, not_ticks(c, offset, &chunk));
        if (step != STEP_RECORD || !p->loaded)
            return step;
        if (p->place.tick < p->tick_count)
            return STEP_RECORD;
        p->loaded = false;
        go_to(c, p->chunk_end);
    }
}

/* ---- records ------------------------------------------------------------- */

/* Steps past the record just delivered; leaves the chunk after its last one. */
static void advance(struct ras_cursor *c, struct cdt_cursor *p,
                    const struct ras_cdt_tick_record *tick, size_t count)
{
    const unsigned rows = cdt_model_in(c->trace)->row_count;
    struct cdt_place *at = &p->place;
    at->item++;
    while (at->item >= count && ++at->row < rows) {
        at->item = 0;
        cdt_row_first(&cdt_rows[at->row], tick, &count);
    }
    if (at->row < rows)
        return;
    at->row = 0;
    at->item = 0;
    if (++at->tick < p->tick_count)
        return;
    p->loaded = false;
    go_to(c, p->chunk_end);
}

/* Records outside the scan's range are only counted. */
static bool in_range(const struct ras_scan *scan, const struct ras_record *r)
{
    if (scan->axis == RAS_AXIS_TICK)
        return r->tick >= scan->from && r->tick < scan->to;
    return scan->axis != RAS_AXIS_TIME || (r->time_ns >= scan->from && r->time_ns < scan->to);
}

static uint16_t axes_of(const struct ras_cdt_tick_record *tick)
{
    bool has_tick = tick->tick_index >= 0 || tick->node.wide & 1;
    bool has_time = tick->elapsed_ms >= 0 && (uint64_t)tick->elapsed_ms <= UINT64_MAX / 1000000;
    return (uint16_t)((has_tick ? RAS_HAS_TICK : 0) | (has_time ? RAS_HAS_TIME : 0));
}

static enum step typed_record(struct ras_cursor *c, struct cdt_cursor *p)
{
    const struct cdt_trace *cdt = c->trace->priv;
    const struct cdt_struct *of = cdt->meta.model->rows[p->place.row];
    const struct ras_cdt_tick_record *tick = &p->block.block.ticks.at[p->place.tick];
    unsigned row = p->place.row;
    size_t count;
    const uint8_t *at = cdt_row_first(&cdt_rows[row], tick, &count);
    at += p->place.item * of->size;
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    uint16_t axes = axes_of(tick);
    if (!row)
        p->place.tick_seq = c->seq;
    c->record = (struct ras_record){
        .tick = axes & RAS_HAS_TICK ? (uint64_t)tick->tick_index : 0,
        .time_ns = axes & RAS_HAS_TIME ? (uint64_t)tick->elapsed_ms * 1000000 : 0,
        .flags = axes,
        .parent = row ? p->place.tick_seq : RAS_NONE,
        .offset = p->chunk_at,
        .schema = (uint16_t)(RAS_SCHEMA_GAP + 1 + row),
        .raw = p->block.loaded.payload.at + node->at,
        .raw_len = node->length};
    const struct view *view = cursor_view(c, c->record.schema);
    if (view->values && in_range(&c->scan, &c->record) &&
        !cdt_values_put(&c->values, view, &cdt->schemas[row], of, at))
        return STEP_NOMEM;
    advance(c, p, tick, count);
    return STEP_RECORD;
}

/* The place that a mark holds: it is valid in the same trace, perhaps not in another. */
static bool place_holds(const struct cdt_cursor *p, const struct cdt_model *model)
{
    size_t count;
    if (p->place.tick >= p->tick_count || p->place.row >= model->row_count)
        return false;
    cdt_row_first(&cdt_rows[p->place.row], &p->block.block.ticks.at[p->place.tick], &count);
    return p->place.item < count;
}

enum step cdt_next(struct ras_cursor *c)
{
    struct cdt_cursor *p = c->priv;
    const struct cdt_trace *cdt = c->trace->priv;
    if (!p->loaded) {
        bool resuming = p->resuming;
        enum step step = read_next_block(c);
        if (step != STEP_RECORD || !p->loaded)
            return step;
        if (resuming && cdt->meta.typed && !place_holds(p, cdt->meta.model))
            p->place = (struct cdt_place){0};
    }
    return cdt->meta.typed ? typed_record(c, p) : cdt_generic_tick(c);
}

/* ---- positions ------------------------------------------------------------ */

static bool entry_leads(const struct ras_cursor *c, const struct ras_cdt_tick_block_index_entry *e)
{
    struct ras_cdt_chunk chunk;
    uint64_t at = (uint64_t)e->file_offset;
    return reach(c->trace, at, at + RAS_CDT_CHUNK_HEADER_SIZE) &&
           ras_cdt_chunk_get(file_of(c), at, &chunk, NULL) == RAS_OK &&
           chunk.kind == RAS_CDT_TICK && chunk.start_tick == e->start_tick &&
           chunk.end_tick == e->end_tick && e->end_tick >= 0;
}

/* The chunk before `found` ends there: the index of a spread source may lack a block. `before` is
 * where that begins; 0: the index has none. */
static bool follows(const struct ras_cursor *c, uint64_t before, uint64_t found)
{
    struct ras_cdt_chunk chunk;
    if (!before)
        return found == c->trace->body;
    return reach(c->trace, before, before + RAS_CDT_CHUNK_HEADER_SIZE) &&
           ras_cdt_chunk_get(file_of(c), before, &chunk, NULL) == RAS_OK &&
           before + cdt_chunk_size(&chunk) == found;
}

bool cdt_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    struct cdt_cursor *p = c->priv;
    const struct cdt_footer *footer = cdt_footer_now(c->trace);
    bool spread = source_is_spread(c->trace->source);
    if (axis != RAS_AXIS_TICK || !footer || !cursor_enter(c, 0, c->trace->body) ||
        (spread && !cdt_spread_index(c->trace)))
        return false;
    uint64_t found = footer->offset, last = 0, before = 0;
    for (size_t i = 0; i < footer->footer.tick_blocks.count; i++) {
        const struct ras_cdt_tick_block_index_entry *e = &footer->footer.tick_blocks.at[i];
        bool here = (uint64_t)e->end_tick >= to;
        /* An index that contradicts the chunks is not used: core walks instead. */
        if ((uint64_t)e->file_offset <= last || ((!spread || here) && !entry_leads(c, e)))
            return false;
        last = (uint64_t)e->file_offset;
        if ((uint64_t)e->end_tick >= to) {
            found = last;
            break;
        }
        before = last;
    }
    if (spread && !follows(c, before, found))
        return false;
    go_to(c, found);
    p->loaded = p->resuming = c->sealed = false;
    c->seq = RAS_NONE;
    return true;
}

void cdt_stop(struct ras_cursor *c)
{
    struct cdt_cursor *p = c->priv;
    cdt_memory_free(&p->memory);
}

void cdt_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct cdt_cursor *p = c->priv;
    bool inside = p->loaded || p->resuming;
    mark->state[0] = inside;
    mark->state[1] = inside ? p->place.tick : 0;
    mark->state[2] = inside ? p->place.row : 0;
    mark->state[3] = inside ? p->place.item : 0;
    mark->state[4] = inside ? p->place.tick_seq : 0;
}

void cdt_load_mark(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct cdt_cursor *p = c->priv;
    p->loaded = false;
    p->resuming = mark->state[0];
    p->place = (struct cdt_place){.tick = mark->state[1],
                                  .row = (uint32_t)mark->state[2],
                                  .item = mark->state[3],
                                  .tick_seq = mark->state[4]};
}
