/* cdt_open.c - what a CDT trace is: header, META, dialect, footer. */
#include "formats/cdt/cdt_driver.h"

const char *cdt_dialect(const struct ras_trace *t)
{
    return t->dialect_asked ? t->dialect_asked : t->dialect;
}

/* The producer names itself; an unknown one is told by how it stores META, or
 * the chunk behind a META that cannot be used. */
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
           TEXT(run_start_seed_source, RAS_CDT_SOURCE_RUN_START_SEED_SOURCE);
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
    for (int i = 0; i < CDT_ROWS; i++) {
        cdt_schema_fill(&cdt->schemas[i], &cdt_rows[i]);
        if (schema_add(t, &cdt->schemas[i].schema) < 0)
            return false;
    }
    return true;
}

const struct cdt_footer *cdt_footer_now(struct ras_trace *t)
{
    struct cdt_trace *cdt = t->priv;
    struct ras_bytes file = source_arrived(t->source, 0);
    struct ras_error err;
    if (cdt->footer_size != file.len) {
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

/* META is a chunk like the others: when it cannot be read it is a gap, and the
 * ticks still are what they are. Only a file that ends inside it is no trace yet. */
static int load_meta(struct ras_trace *t, struct cdt_trace *cdt, struct ras_error *err)
{
    struct ras_error why;
    struct ras_bytes file = source_arrived(t->source, 0);
    int status = cdt_meta_load(&cdt->memory, file, t->limits.chunk_bytes, &cdt->meta, &why);
    t->body = RAS_CDT_HEADER_SIZE + cdt_chunk_size(&cdt->meta.loaded.chunk);
    if (status == RAS_OK)
        return RAS_OK;
    if (status == RAS_EMEMORY || (status == RAS_ECUT && !cdt_footer_now(t)))
        return fail(err, status, why.offset, "%s", why.text);
    t->body = RAS_CDT_HEADER_SIZE;
    cdt->no_meta = cdt->meta.typed = true;
    cdt->meta.meta = (struct ras_cdt_trace_meta){0};
    snprintf(cdt->why_meta, sizeof cdt->why_meta, "%.*s", (int)sizeof cdt->why_meta - 1, why.text);
    note_add(t, "META cannot be used: %s", cdt->why_meta);
    return RAS_OK;
}

int cdt_open(struct ras_trace *t, struct ras_error *err)
{
    struct cdt_trace *cdt = t->priv;
    uint32_t version;
    int status = ras_cdt_header_get(source_arrived(t->source, 0), &version, err);
    if (status < 0)
        return status;
    if (version != RAS_CDT_FORMAT_VERSION)
        return fail(err, RAS_EVERSION, RAS_CDT_MAGIC_SIZE,
                    "unsupported trace format version: %" PRIu32 " (supported: %d)", version,
                    RAS_CDT_FORMAT_VERSION);
    status = load_meta(t, cdt, err);
    if (status < 0)
        return status;
    t->version = version;
    t->dialect = dialect_found(cdt, cdt->no_meta ? source_bytes(t->source, 0)
                                                 : source_arrived(t->source, 0));
    if (!cdt->meta.typed)
        note_add(t, "trace schema version %" PRId64 " (supported: %d): ticks are shown untyped",
                 cdt->meta.meta.trace_schema_version, RAS_CDT_SCHEMA_VERSION);
    (void)cdt_footer_now(t); /* what reading needs of it is then at hand */
    bool added = !cdt->nomem && add_facts(t, &cdt->meta) && add_schemas(t, cdt);
    return added ? RAS_OK : fail_memory(err);
}

void cdt_close(struct ras_trace *t)
{
    struct cdt_trace *cdt = t->priv;
    cdt_memory_free(&cdt->memory);
    cdt_memory_free(&cdt->footer_memory);
}
