/* cdt_strict.c - the container of version 2 as its reference reader checks it: header, META,
 * footer, index, then each block. The first rule that is broken ends the check. */
#include "formats/cdt/cdt_strict.h"
#include "base/error.h"

#include <stdio.h>

/* Our error texts are those of the reference with numbers after a colon, which it does not
 * print. */
static bool chunk_breaks(struct cdt_text *t, struct ras_bytes file, uint64_t offset,
                         const struct ras_error *ours)
{
    struct ras_cdt_chunk chunk;
    char kind[20];
    if (ras_cdt_chunk_get(file, offset, &chunk, NULL) == RAS_OK && chunk.kind == RAS_CDT_UNKNOWN)
        return cdt_breaks(t, "unknown chunk kind: b'%s'", cdt_kind_python(&chunk, kind));
    int length = !strncmp(ours->text, "unsupported", 11) ? (int)strlen(ours->text)
                                                         : (int)strcspn(ours->text, ":");
    return cdt_breaks(t, "%.*s", length, ours->text);
}

/* Loads META or FOTR: a chunk of that kind, whose range is -1 to -1. */
static bool single_holds(struct ras_trace *trace, struct cdt_memory *memory, uint64_t offset,
                         enum ras_cdt_kind kind, struct cdt_loaded *out, struct cdt_text *t)
{
    const char *name = kind == RAS_CDT_META ? "meta" : "footer";
    struct ras_bytes file = source_bytes(trace->source, 0);
    struct ras_error ours;
    int status =
        cdt_chunk_load(&memory->buffer, file, offset, trace->limits.chunk_bytes, out, &ours);
    t->nomem |= status == RAS_EMEMORY;
    if (status < 0)
        return chunk_breaks(t, file, offset, &ours);
    if (out->chunk.kind != kind)
        return cdt_breaks(t, "invalid trace %s chunk", name);
    return (out->chunk.start_tick == -1 && out->chunk.end_tick == -1) ||
           cdt_breaks(t, "trace %s chunk must use range -1..-1", name);
}

static bool decoded(struct cdt_memory *memory, const struct cdt_struct *of,
                    const struct cdt_loaded *l, const char *path, const char *invalid, void *out,
                    struct cdt_text *t)
{
    struct cdt_problem problem;
    int status = cdt_payload_decode(memory, of, l->payload, 0, out, &problem, NULL);
    t->nomem |= status == RAS_EMEMORY;
    if (status == RAS_OK)
        return true;
    return cdt_shape_holds(of, l->payload, path, t) ? cdt_breaks(t, "%s", invalid) : false;
}

static bool meta_holds(struct ras_trace *trace, struct cdt_memory *memory, struct cdt_text *t)
{
    struct cdt_loaded loaded;
    struct cdt_meta meta = ((const struct cdt_trace *)trace->priv)->meta;
    return single_holds(trace, memory, RAS_CDT_HEADER_SIZE, RAS_CDT_META, &loaded, t) &&
           decoded(memory, &cdt_meta_2, &loaded, "meta", "invalid trace metadata payload",
                   &meta.meta, t) &&
           cdt_meta_rules(&meta, t);
}

/* ---- the footer -------------------------------------------------------------------------- */

static bool footer_holds(const struct ras_cdt_trace_footer *f,
                         const struct ras_cdt_trace_tick_range *range, bool lenient,
                         struct cdt_text *t)
{
    if (f->tick_count <= 0)
        return cdt_breaks(t, "invalid trace footer tick_count");
    if (f->first_tick < 0 || f->last_tick < 0)
        return cdt_breaks(t, "invalid trace footer tick bounds");
    if (f->first_tick > f->last_tick)
        return cdt_breaks(t, "invalid trace footer tick order");
    if (!lenient && f->tick_count - 1 != f->last_tick - f->first_tick)
        return cdt_breaks(t, "trace footer must describe one contiguous tick range");
    if (!f->tick_blocks.count)
        return cdt_breaks(t, "invalid trace footer block index");
    return lenient ||
           (range->start_tick == f->first_tick && range->end_tick == f->last_tick &&
            range->tick_count == f->tick_count) ||
           cdt_breaks(t, "trace metadata tick_range does not match footer");
}

/* One entry, which should begin at `want`; the one before ended with the tick `last`. */
static bool entry_rules(const struct ras_cdt_tick_block_index_entry *e, size_t i, uint64_t want,
                        int64_t last, bool lenient, uint64_t footer, struct cdt_text *t)
{
    if (e->start_tick < 0 || e->end_tick < e->start_tick)
        return cdt_breaks(t, "invalid trace footer block range at index %zu", i);
    if (!lenient && i && e->start_tick - 1 != last)
        return cdt_breaks(t, "non-contiguous trace footer block at index %zu", i);
    if ((uint64_t)e->file_offset != want)
        return cdt_breaks(t, "trace contains an unindexed gap before block %zu", i);
    if ((uint64_t)e->file_offset >= footer)
        return cdt_breaks(t, "trace footer block offset overlaps footer at index %zu", i);
    if (e->compressed_len <= 0 || e->uncompressed_len <= 0)
        return cdt_breaks(t, "invalid trace footer block size at index %zu", i);
    return e->compressed_len == e->uncompressed_len ||
           cdt_breaks(t, "raw CDT block lengths differ at index %zu", i);
}

static bool index_holds(const struct ras_cdt_trace_footer *f, uint64_t body, uint64_t footer,
                        bool lenient, struct cdt_text *t)
{
    const struct ras_cdt_tick_block_index_entry *e = f->tick_blocks.at;
    size_t count = f->tick_blocks.count;
    uint64_t want = body;
    for (size_t i = 0; i < count; i++) {
        if (!entry_rules(&e[i], i, want, i ? e[i - 1].end_tick : 0, lenient, footer, t))
            return false;
        want += RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)e[i].compressed_len;
    }
    if (want != footer)
        return cdt_breaks(t, "trace contains an unindexed gap before the footer");
    if (!lenient && e[0].start_tick != f->first_tick)
        return cdt_breaks(t, "trace footer first_tick does not match first block");
    return lenient || e[count - 1].end_tick == f->last_tick ||
           cdt_breaks(t, "trace footer last_tick does not match last block");
}

static bool end_holds(struct ras_trace *trace, struct cdt_memory *memory, bool lenient,
                      struct cdt_text *t)
{
    const struct cdt_trace *cdt = trace->priv;
    struct ras_bytes file = source_bytes(trace->source, 0);
    struct ras_cdt_trace_footer footer;
    struct cdt_loaded loaded;
    uint64_t offset;
    if (ras_cdt_trailer_get(file, &offset, NULL) < 0)
        return cdt_breaks(t, "missing trace trailer");
    if (!single_holds(trace, memory, offset, RAS_CDT_FOTR, &loaded, t) ||
        !decoded(memory, &cdt_footer_2, &loaded, "footer", "invalid trace footer payload", &footer,
                 t))
        return false;
    if (offset + cdt_chunk_size(&loaded.chunk) != file.len - RAS_CDT_TRAILER_SIZE)
        return cdt_breaks(t, "trace footer chunk must immediately precede the trailer");
    return footer_holds(&footer, &cdt->meta.meta.tick_range, lenient, t) &&
           index_holds(&footer, trace->body, offset, lenient, t);
}

bool cdt_container_holds(struct ras_trace *trace, bool lenient, struct cdt_text *t)
{
    struct cdt_memory memory = {0};
    struct ras_bytes file = source_bytes(trace->source, 0);
    uint64_t offset;
    t->nomem = false;
    bool holds = file.len >= RAS_CDT_HEADER_SIZE + RAS_CDT_TRAILER_SIZE ||
                 cdt_breaks(t, "invalid trace size");
    if (holds)
        holds = ras_cdt_trailer_get(file, &offset, NULL) == RAS_OK ||
                cdt_breaks(t, "missing trace trailer");
    holds = holds && meta_holds(trace, &memory, t) && end_holds(trace, &memory, lenient, t);
    cdt_memory_free(&memory);
    return holds;
}

/* ---- a block ----------------------------------------------------------------------------- */

bool cdt_entry_holds(struct ras_trace *trace, const struct ras_cdt_tick_block_index_entry *e,
                     const struct cdt_block *block, int status, const struct ras_error *ours,
                     const char *path, struct cdt_text *t)
{
    struct ras_bytes file = source_bytes(trace->source, 0);
    const struct cdt_loaded *l = &block->loaded;
    const struct ras_cdt_chunk *chunk = &l->chunk;
    if (!l->payload.at)
        return chunk_breaks(t, file, (uint64_t)e->file_offset, ours);
    if (e->compressed_len != chunk->compressed_len)
        return cdt_breaks(t, "trace footer compressed_len does not match chunk header");
    if (e->uncompressed_len != chunk->uncompressed_len)
        return cdt_breaks(t, "trace footer uncompressed_len does not match chunk header");
    if (e->checksum != chunk->checksum64)
        return cdt_breaks(t, "trace footer checksum does not match chunk header");
    if (chunk->kind != RAS_CDT_TICK)
        return cdt_breaks(t, "trace index points at non-tick chunk");
    if (chunk->start_tick != e->start_tick || chunk->end_tick != e->end_tick)
        return cdt_breaks(t, "trace tick chunk range does not match footer index");
    if (status == RAS_OK)
        return true;
    if (!cdt_shape_holds(cdt_model_in(trace)->block, l->payload, path, t))
        return false;
    return cdt_breaks(t, "invalid replay trace tick payload");
}

bool cdt_block_holds(struct ras_trace *trace, const struct ras_cdt_tick_block_index_entry *e,
                     const struct ras_cdt_tick_block *b, struct cdt_text *t)
{
    const struct cdt_trace *cdt = trace->priv;
    const struct ras_cdt_tick_record *rows = b->ticks.at;
    size_t count = b->ticks.count;
    if (b->start_tick != e->start_tick || b->end_tick != e->end_tick)
        return cdt_breaks(t, "trace tick block range does not match footer index");
    if (!count)
        return cdt_breaks(t, "trace tick block must not be empty");
    for (size_t i = 0; i < count; i++) {
        if (cdt_tick_rules(cdt->meta.model, &rows[i], &cdt->meta.meta.source, t) != CDT_OK)
            return false;
        if (i && rows[i].tick_index - 1 != rows[i - 1].tick_index) /* neither is below 0 */
            return cdt_breaks(t, "trace tick block rows must be contiguous");
    }
    if (rows[0].tick_index != b->start_tick)
        return cdt_breaks(t, "trace tick block start does not match first row");
    return rows[count - 1].tick_index == b->end_tick ||
           cdt_breaks(t, "trace tick block end does not match last row");
}
