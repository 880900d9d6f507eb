/* cdt_check.c - the container held to its rules: chunks, footer, index. */
#include "formats/cdt/cdt_check.h"

/* The chunk header at `at` becomes what findings are about. */
static void look_at(struct cdt_checker *k, uint64_t at, uint64_t size)
{
    k->at = at;
    k->size = at > k->file.len ? 0 : size < k->file.len - at ? size : k->file.len - at;
}

static bool is_zig(const struct cdt_checker *k)
{
    return !strcmp(k->dialect, "zig");
}

static void check_flags(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    const unsigned known = RAS_CDT_FLAG_ZSTD | RAS_CDT_FLAG_MSGPACK;
    bool zstd = chunk->flags & RAS_CDT_FLAG_ZSTD;
    if (chunk->flags & ~known)
        CDT_FINDING(k, CDT_CHUNK_RESERVED, "flags 0x%" PRIx32 ", known are 0x%x", chunk->flags,
                    known);
    if (zstd == is_zig(k))
        CDT_FINDING(k, CDT_CHUNK_ZSTD, "the ZSTD flag is %s in a chunk of dialect %s",
                    zstd ? "set" : "not set", k->dialect);
    if (chunk->kind != RAS_CDT_TICK && (chunk->start_tick != -1 || chunk->end_tick != -1))
        CDT_FINDING(k, CDT_CHUNK_TICKS, "%s with ticks %" PRId32 " to %" PRId32 ", not -1 to -1",
                    chunk->kind_text, chunk->start_tick, chunk->end_tick);
}

/* A chunk that does not load: which rule it breaks. */
static enum cdt_rule rule_of(int status, const struct cdt_loaded *l)
{
    if (status == RAS_ECUT)
        return CDT_CHUNK_CUT;
    return l->hashed ? CDT_CHUNK_CHECKSUM : CDT_CHUNK_PAYLOAD;
}

/* ---- META ---------------------------------------------------------------- */

static bool is_text(struct ras_bytes bytes, const char *text)
{
    return bytes.len == strlen(text) && !memcmp(bytes.at, text, bytes.len);
}

static void check_dialect(struct cdt_checker *k, const struct ras_cdt_trace_meta *m)
{
    static const char *const impls[][2] = {
        {"python", "python"}, {"zig", "zig"}, {"frida", "frida_original"}};
    for (size_t i = 0; i < sizeof impls / sizeof *impls; i++) {
        struct ras_bytes impl = m->producer.impl;
        const char *want = impls[i][1];
        if (strcmp(k->dialect, impls[i][0]) != 0)
            continue;
        if (!is_text(impl, want) && !is_text(impl, "rastrum")) /* which writes as others do */
            CDT_FINDING(k, CDT_META_DIALECT, "producer.impl is '%.*s', dialect %s has '%s'",
                        (int)(impl.len < 60 ? impl.len : 60), (const char *)impl.at, k->dialect,
                        want);
    }
}

/* Why there is no META to speak of. */
static enum cdt_rule meta_rule(const struct cdt_trace *cdt, uint64_t size)
{
    const struct cdt_loaded *l = &cdt->meta.loaded;
    if (l->chunk.kind == RAS_CDT_UNKNOWN)
        return CDT_CHUNK_KIND;
    if (l->payload.at)
        return l->chunk.kind == RAS_CDT_META ? CDT_META_DECODE : CDT_META_CHUNK;
    return rule_of(size < cdt_chunk_size(&l->chunk) ? RAS_ECUT : RAS_EFORMAT, l);
}

static void check_meta(struct cdt_checker *k, const struct cdt_trace *cdt)
{
    const struct cdt_meta *m = &cdt->meta;
    look_at(k, RAS_CDT_HEADER_SIZE, cdt_chunk_size(&m->loaded.chunk));
    if (cdt->no_meta) {
        CDT_FINDING(k, meta_rule(cdt, k->size), "%s", cdt->why_meta);
        return;
    }
    check_flags(k, &m->loaded.chunk);
    if (m->loaded.after)
        CDT_FINDING(k, CDT_CHUNK_TRAILING, "%zu bytes after the zstd frame", m->loaded.after);
    if (m->meta.trace_format_version != (int64_t)k->trace->version)
        CDT_FINDING(k, CDT_META_FORMAT,
                    "META says trace_format_version %" PRId64 ", the header %" PRIu64,
                    m->meta.trace_format_version, k->trace->version);
    if (!m->typed)
        CDT_FINDING(k, CDT_META_SCHEMA,
                    "unsupported trace schema version: %" PRId64 " (supported: %d)%s%s",
                    m->meta.trace_schema_version, RAS_CDT_SCHEMA_VERSION, m->complete ? "" : "; ",
                    m->complete ? "" : m->problem.what);
    if (m->complete)
        check_dialect(k, &m->meta);
}

/* ---- footer and index ---------------------------------------------------- */

static void check_footer(struct cdt_checker *k)
{
    static const enum cdt_rule rules[] = {
        [CDT_NO_TRAILER] = CDT_TRAILER,
        [CDT_NO_CHUNK] = CDT_FOOTER_CHUNK,
        [CDT_NO_FOOTER] = CDT_FOOTER_DECODE,
        [CDT_BAD_FOOTER] = CDT_FOOTER_BOUNDS,
    };
    const struct cdt_trace *cdt = k->trace->priv;
    k->footer = cdt_footer_now(k->trace);
    k->report->nomem |= cdt->nomem;
    if (k->footer)
        return;
    uint64_t tail = k->file.len < RAS_CDT_TRAILER_SIZE ? k->file.len : RAS_CDT_TRAILER_SIZE;
    look_at(k, k->file.len - tail, tail);
    if (cdt->footer.stage != CDT_NO_TRAILER && cdt->footer.offset < k->file.len)
        look_at(k, cdt->footer.offset, k->file.len - cdt->footer.offset);
    CDT_FINDING(k, rules[cdt->footer.stage], "%s", cdt->unsealed);
}

/* Does an int of the index say what a header says? */
static bool index_matches(const struct ras_cdt_tick_block_index_entry *e, unsigned member,
                          uint64_t stored, uint64_t header)
{
    return stored == header && (stored >> 63 == 0 || e->node.wide >> member & 1);
}

static void check_entry(struct cdt_checker *k, size_t i, uint64_t *last)
{
    enum { COMPRESSED_LEN = 3, UNCOMPRESSED_LEN, CHECKSUM };
    const struct ras_cdt_tick_block_index_entry *e = &k->footer->footer.tick_blocks.at[i];
    struct ras_cdt_chunk chunk;
    struct ras_error err;
    uint64_t at = (uint64_t)e->file_offset;
    look_at(k, k->footer->offset, k->footer->end - k->footer->offset);
    if (ras_cdt_chunk_get(k->file, at, &chunk, &err) < 0 || chunk.kind != RAS_CDT_TICK) {
        CDT_FINDING(k, CDT_INDEX_CHUNK,
                    "trace index points at non-tick chunk: entry %zu, offset %" PRIu64, i, at);
        return;
    }
    if (e->start_tick != chunk.start_tick || e->end_tick != chunk.end_tick)
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has ticks %" PRId64 " to %" PRId64 ", its chunk %" PRId32
                    " to %" PRId32,
                    i, e->start_tick, e->end_tick, chunk.start_tick, chunk.end_tick);
    if (!index_matches(e, COMPRESSED_LEN, (uint64_t)e->compressed_len, chunk.compressed_len) ||
        !index_matches(e, UNCOMPRESSED_LEN, (uint64_t)e->uncompressed_len, chunk.uncompressed_len))
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has lengths %" PRId64 " and %" PRId64 ", its chunk %" PRIu32
                    " and %" PRIu32,
                    i, e->compressed_len, e->uncompressed_len, chunk.compressed_len,
                    chunk.uncompressed_len);
    if (!index_matches(e, CHECKSUM, e->checksum, chunk.checksum64))
        CDT_FINDING(k, CDT_INDEX_MATCH,
                    "entry %zu has checksum 0x%016" PRIx64 ", its chunk 0x%016" PRIx64, i,
                    e->checksum, chunk.checksum64);
    if (at <= *last)
        CDT_FINDING(k, CDT_INDEX_ORDER,
                    "entry %zu is for offset %" PRIu64 ", the one before for %" PRIu64, i, at,
                    *last);
    *last = at;
}

/* ---- the stream ---------------------------------------------------------- */

/* True: it could be read, so its length can be believed. */
static bool check_ticks_chunk(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    struct ras_error err;
    check_flags(k, chunk);
    if (k->footer && cdt_footer_place(k->footer, k->at) != k->at)
        CDT_FINDING(k, CDT_INDEX_MISSING, "the TICK chunk at %" PRIu64 " is not in the index",
                    k->at);
    bool typed = ((const struct cdt_trace *)k->trace->priv)->meta.typed;
    uint64_t limit = k->trace->limits.chunk_bytes;
    struct cdt_loaded *l = &k->block.loaded;
    int status = cdt_chunk_load(&k->memory.buffer, k->file, k->at, limit, l, &err);
    k->report->nomem |= status == RAS_EMEMORY;
    if (status < 0) {
        k->lost = true;
        CDT_FINDING(k, rule_of(status, l), "%s", err.text);
        return false;
    }
    if (l->after)
        CDT_FINDING(k, CDT_CHUNK_TRAILING, "%zu bytes after the zstd frame", l->after);
    if (!typed)
        return true;
    struct cdt_problem *problem = &k->block.problem;
    status = cdt_payload_decode(&k->memory, &cdt_tick_block, l->payload, k->at, &k->block.block,
                                problem, &err);
    k->report->nomem |= status == RAS_EMEMORY;
    if (status < 0) {
        k->lost = true;
        CDT_FINDING(k, CDT_BLOCK_DECODE, "invalid replay trace tick payload: %s", err.text);
        return true;
    }
    cdt_check_block(k, &k->block.block);
    return true;
}

/* Bytes that are no chunk: nobody's, where the footer goes around them. */
static void check_stray(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    char kind[12];
    uint64_t place = k->footer ? cdt_footer_place(k->footer, k->at) : RAS_NONE;
    if (chunk->kind != RAS_CDT_UNKNOWN)
        CDT_FINDING(k, CDT_CHUNK_PLACE, "a second %s chunk", chunk->kind_text);
    else if (place != RAS_NONE && place != k->at)
        CDT_FINDING(k, CDT_CHUNK_UNINDEXED, "%" PRIu64 " bytes belong to no chunk", place - k->at);
    else
        CDT_FINDING(k, CDT_CHUNK_KIND, "unknown chunk kind: %s",
                    cdt_kind_show(chunk, kind, sizeof kind));
    k->lost |= place == k->at;
}

/* The footer's chunk and what follows it. True: the walk ends here. */
static bool check_last(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    uint64_t end = k->at + cdt_chunk_size(chunk);
    check_flags(k, chunk);
    if (k->footer && k->footer->offset > k->at) {
        check_stray(k, chunk);
        return false;
    }
    if (end > k->file.len) {
        CDT_FINDING(k, CDT_CHUNK_CUT, "the FOTR chunk is cut short");
        return true;
    }
    uint64_t left = k->file.len - end;
    if (left <= RAS_CDT_TRAILER_SIZE)
        return true;
    look_at(k, end, left);
    struct ras_bytes upto = {k->file.at, (size_t)end + RAS_CDT_TRAILER_SIZE};
    struct ras_bytes behind = {k->file.at + upto.len, k->file.len - upto.len};
    uint64_t ignored;
    bool second = behind.len >= RAS_CDT_MAGIC_SIZE && cdt_magic_starts(behind);
    if (ras_cdt_trailer_get(upto, &ignored, NULL) == RAS_OK || !k->footer || k->footer->end != end)
        CDT_FINDING(k, CDT_TRAILER_REST,
                    "%" PRIu64 " bytes follow the FOTR chunk, the trailer has %d%s", left,
                    RAS_CDT_TRAILER_SIZE, second ? "; a second trace begins after it" : "");
    else
        CDT_FINDING(k, CDT_CHUNK_UNINDEXED,
                    "%" PRIu64 " bytes between the FOTR chunk and the trailer",
                    left - RAS_CDT_TRAILER_SIZE);
    return true;
}

/* What is left is shorter than a chunk header. */
static void check_tail(struct cdt_checker *k)
{
    uint64_t left = k->file.len - k->at;
    if (!left)
        return;
    look_at(k, k->at, left);
    if (cdt_kind_starts(k->file.at + k->at, (size_t)left) == RAS_CDT_UNKNOWN)
        CDT_FINDING(k, CDT_CHUNK_KIND, "%" PRIu64 " bytes that begin no chunk", left);
    else
        CDT_FINDING(k, CDT_CHUNK_CUT, "truncated chunk header: %d bytes, %" PRIu64 " left",
                    RAS_CDT_CHUNK_HEADER_SIZE, left);
}

/* Check the chunk at k->at; where the next one is, RAS_NONE at the end. */
static uint64_t check_chunk(struct cdt_checker *k, const struct ras_cdt_chunk *chunk)
{
    uint64_t at = k->at, end = at + cdt_chunk_size(chunk);
    look_at(k, at, end - at);
    if (chunk->kind == RAS_CDT_TICK && check_ticks_chunk(k, chunk))
        return end;
    if (chunk->kind == RAS_CDT_FOTR && check_last(k, chunk))
        return RAS_NONE;
    uint64_t next = cdt_resume(&k->memory, k->file, at, k->trace->limits.chunk_bytes);
    k->report->nomem |= next == CDT_NO_MEMORY;
    look_at(k, at, (next < k->file.len ? next : k->file.len) - at);
    bool other = chunk->kind == RAS_CDT_META || chunk->kind == RAS_CDT_UNKNOWN;
    if (other && at != RAS_CDT_HEADER_SIZE) /* a META that cannot be used was told before */
        check_stray(k, chunk);
    return next;
}

static void check_chunks(struct cdt_checker *k)
{
    struct ras_cdt_chunk chunk;
    uint64_t at = k->trace->body;
    while (at < k->file.len) {
        k->at = at;
        if (!report_progress(k->report, at))
            return;
        if (ras_cdt_chunk_get(k->file, at, &chunk, NULL) < 0) {
            check_tail(k);
            return;
        }
        at = check_chunk(k, &chunk);
    }
}

/* ---- counts against content ---------------------------------------------- */

static void check_counts(struct cdt_checker *k, const struct ras_cdt_trace_tick_range *range)
{
    if (!k->rows && !k->lost) {
        look_at(k, k->trace->body, 0);
        CDT_FINDING(k, CDT_TICK_NONE, "the trace holds no ticks");
    }
    if (!k->rows || k->lost)
        return;
    if (k->footer) {
        const struct ras_cdt_trace_footer *f = &k->footer->footer;
        look_at(k, k->footer->offset, k->footer->end - k->footer->offset);
        if ((uint64_t)f->tick_count != k->rows)
            CDT_FINDING(k, CDT_FOOTER_COUNT,
                        "the footer counts %" PRId64 " ticks, the trace holds %" PRIu64,
                        f->tick_count, k->rows);
        if (f->first_tick != k->first_tick || f->last_tick != k->last_tick)
            CDT_FINDING(k, CDT_FOOTER_RANGE,
                        "the footer says ticks %" PRId64 " to %" PRId64 ", the trace %" PRId64
                        " to %" PRId64,
                        f->first_tick, f->last_tick, k->first_tick, k->last_tick);
    }
    look_at(k, RAS_CDT_HEADER_SIZE, k->trace->body - RAS_CDT_HEADER_SIZE);
    if (!range)
        return;
    if (range->start_tick != k->first_tick || range->end_tick != k->last_tick ||
        (uint64_t)range->tick_count != k->rows)
        CDT_FINDING(k, CDT_META_RANGE,
                    "tick_range is %" PRId64 " to %" PRId64 ", %" PRId64
                    " ticks; the trace has %" PRId64 " to %" PRId64 ", %" PRIu64,
                    range->start_tick, range->end_tick, range->tick_count, k->first_tick,
                    k->last_tick, k->rows);
}

int cdt_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    const struct cdt_trace *cdt = t->priv;
    struct cdt_checker k = {.trace = t,
                            .report = report,
                            .file = source_bytes(t->source, 0),
                            .dialect = cdt_dialect(t)};
    uint64_t last = 0;
    (void)err;
    check_meta(&k, cdt);
    check_footer(&k);
    for (size_t i = 0; k.footer && i < k.footer->footer.tick_blocks.count; i++)
        check_entry(&k, i, &last);
    check_chunks(&k);
    if (cdt->meta.typed)
        check_counts(&k, cdt->no_meta ? NULL : &cdt->meta.meta.tick_range);
    cdt_memory_free(&k.memory);
    return RAS_OK;
}
