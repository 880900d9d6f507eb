/* cdt_native.c - ras_cdt_open() and related functions: typed ticks from the caller's memory. */
#include "base/error.h"
#include "base/struct_size.h"
#include "formats/cdt/cdt_load.h"
#include "formats/cdt/cdt_put.h"

struct ras_cdt {
    struct ras_bytes file;
    uint64_t limit;
    struct cdt_memory meta_memory, footer_memory, memory;
    struct cdt_meta meta;
    struct cdt_footer footer;
    bool sealed; /* the footer is usable */
    struct cdt_block block;
    uint64_t block_at; /* offset of the block in memory; RAS_NONE: none */
    uint64_t at;       /* of the chunk that the walk is in */
    size_t row;        /* of its block */
    int64_t from;      /* rows below are skipped */
};

static int open_parts(struct ras_cdt *cdt, struct ras_error *err)
{
    uint32_t version;
    int status = ras_cdt_header_get(cdt->file, &version, err);
    if (status < 0)
        return status;
    if (version != cdt_container(cdt->file))
        return fail(err, RAS_EVERSION, RAS_CDT_MAGIC_SIZE,
                    "unsupported trace format version: %" PRIu32 " (supported: %" PRIu32 ")",
                    version, cdt_container(cdt->file));
    status = cdt_meta_load(&cdt->meta_memory, cdt->file, cdt->limit, &cdt->meta, err);
    if (status < 0)
        return status;
    if (!cdt->meta.typed)
        return fail(err, RAS_EVERSION, RAS_CDT_HEADER_SIZE,
                    "unsupported trace schema version: %" PRId64 " (supported: %s)",
                    cdt->meta.meta.trace_schema_version, cdt_schemas_text(version));
    struct ras_error ignored;
    status = cdt_footer_load(&cdt->footer_memory, cdt->file, cdt->limit, &cdt->footer, &ignored);
    cdt->sealed = status == RAS_OK;
    return status == RAS_EMEMORY ? fail_memory(err) : RAS_OK;
}

int ras_cdt_open(struct ras_cdt **out, const void *bytes, size_t size,
                 const struct ras_cdt_options *options, struct ras_error *err)
{
    struct ras_cdt_options own;
    *out = NULL;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_cdt *cdt = calloc(1, sizeof *cdt);
    if (!cdt)
        return fail_memory(err);
    cdt->file = (struct ras_bytes){bytes, size};
    cdt->limit = options->limits.chunk_bytes ? options->limits.chunk_bytes : (uint64_t)1 << 30;
    int status = open_parts(cdt, err);
    if (status < 0) {
        ras_cdt_close(cdt);
        return status;
    }
    cdt->block_at = RAS_NONE;
    ras_cdt_rewind(cdt, INT64_MIN);
    *out = cdt;
    return RAS_OK;
}

void ras_cdt_close(struct ras_cdt *cdt)
{
    if (!cdt)
        return;
    cdt_memory_free(&cdt->meta_memory);
    cdt_memory_free(&cdt->footer_memory);
    cdt_memory_free(&cdt->memory);
    free(cdt);
}

const struct ras_cdt_trace_meta *ras_cdt_meta(const struct ras_cdt *cdt)
{
    return &cdt->meta.meta;
}

const struct ras_cdt_trace_footer *ras_cdt_footer(const struct ras_cdt *cdt)
{
    return cdt->sealed ? &cdt->footer.footer : NULL;
}

struct ras_bytes ras_cdt_payload(const struct ras_cdt *cdt)
{
    return cdt->block_at == RAS_NONE ? (struct ras_bytes){0} : cdt->block.loaded.payload;
}

int ras_cdt_block_at(struct ras_cdt *cdt, uint64_t offset, const struct ras_cdt_tick_block **block,
                     struct ras_error *err)
{
    *block = NULL;
    if (cdt->block_at != offset || offset == RAS_NONE) {
        cdt->block_at = RAS_NONE;
        int status = cdt_block_load(&cdt->memory, cdt->file, offset, cdt->limit,
                                    cdt->meta.model->block, &cdt->block, err);
        if (status < 0)
            return status;
        cdt->block_at = offset;
    }
    *block = &cdt->block.block;
    return RAS_OK;
}

/* Finds the chunk that should hold the tick, by the index or by chunk headers. Like the reference
 * reader, this one takes the first range that matches. */
static uint64_t find_chunk(const struct ras_cdt *cdt, int64_t tick)
{
    for (size_t i = 0; cdt->sealed && i < cdt->footer.footer.tick_blocks.count; i++) {
        const struct ras_cdt_tick_block_index_entry *e = &cdt->footer.footer.tick_blocks.at[i];
        if (e->start_tick <= tick && tick <= e->end_tick)
            return (uint64_t)e->file_offset;
    }
    uint64_t at = RAS_CDT_HEADER_SIZE;
    struct ras_cdt_chunk chunk;
    while (!cdt->sealed && ras_cdt_chunk_get(cdt->file, at, &chunk, NULL) == RAS_OK) {
        if (chunk.kind == RAS_CDT_TICK && chunk.start_tick <= tick && tick <= chunk.end_tick)
            return at;
        at += cdt_chunk_size(&chunk);
    }
    return RAS_NONE;
}

int ras_cdt_tick_at(struct ras_cdt *cdt, int64_t tick_index,
                    const struct ras_cdt_tick_record **tick, struct ras_error *err)
{
    const struct ras_cdt_tick_block *block;
    uint64_t at = find_chunk(cdt, tick_index);
    *tick = NULL;
    if (at == RAS_NONE)
        return RAS_END;
    int status = ras_cdt_block_at(cdt, at, &block, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < block->ticks.count && !*tick; i++)
        if (block->ticks.at[i].tick_index == tick_index)
            *tick = &block->ticks.at[i];
    return *tick ? RAS_OK : RAS_END;
}

void ras_cdt_rewind(struct ras_cdt *cdt, int64_t from)
{
    cdt->at = RAS_CDT_HEADER_SIZE + cdt_chunk_size(&cdt->meta.loaded.chunk);
    cdt->row = 0;
    cdt->from = from;
}

/* Skips the current chunk; `size` is its size, 0 if that cannot be trusted. */
static void step_over(struct ras_cdt *cdt, uint64_t size)
{
    uint64_t next = cdt->at + size;
    if (!size) {
        cdt->block_at = RAS_NONE;
        next = cdt_resume(&cdt->memory, cdt->file, cdt->at, cdt->limit);
    }
    cdt->at = next < cdt->file.len ? next : cdt->file.len;
    cdt->row = 0;
}

/* Ends the walk: after the last chunk, or inside one. */
static int walk_end(struct ras_cdt *cdt, struct ras_error *err)
{
    struct ras_cdt_chunk chunk;
    size_t left = cdt->file.len - (size_t)cdt->at;
    if (!left || cdt_kind_starts(cdt->file.at + cdt->at, left) == RAS_CDT_FOTR)
        return RAS_END;
    int status = ras_cdt_chunk_get(cdt->file, cdt->at, &chunk, err);
    cdt->at = cdt->file.len;
    return status;
}

int ras_cdt_tick_next(struct ras_cdt *cdt, const struct ras_cdt_tick_record **tick,
                      struct ras_error *err)
{
    *tick = NULL;
    for (;;) {
        const struct ras_cdt_tick_block *block;
        struct ras_cdt_chunk chunk;
        if (ras_cdt_chunk_get(cdt->file, cdt->at, &chunk, NULL) < 0)
            return walk_end(cdt, err);
        if (chunk.kind == RAS_CDT_FOTR)
            return RAS_END;
        /* Blocks that end below the requested tick need not be read. */
        bool below = chunk.kind == RAS_CDT_TICK && chunk.end_tick < cdt->from &&
                     chunk.end_tick >= chunk.start_tick;
        int status = below ? RAS_OK : ras_cdt_block_at(cdt, cdt->at, &block, err);
        if (status < 0) {
            bool ticks = chunk.kind == RAS_CDT_TICK;
            bool whole = ticks && cdt->block.loaded.payload.at; /* and yet invalid */
            if (status == RAS_ECUT && ticks && !cdt->sealed)
                cdt->at = cdt->file.len;
            else
                step_over(cdt, whole ? cdt_chunk_size(&chunk) : 0);
            return status;
        }
        while (!below && cdt->row < block->ticks.count) {
            const struct ras_cdt_tick_record *row = &block->ticks.at[cdt->row++];
            if (row->tick_index < cdt->from)
                continue;
            *tick = row;
            return RAS_OK;
        }
        step_over(cdt, cdt_chunk_size(&chunk));
    }
}

/* Adds a row given as bytes, unless the reader would refuse it. */
int ras_cdt_writer_raw(struct ras_cdt_writer *w, struct ras_bytes tick, struct ras_error *err)
{
    struct ras_cdt_tick_record record;
    struct cdt_problem problem;
    struct cdt_memory memory = {0};
    struct out *rows = cdt_writer_rows(w);
    size_t before = rows->len;
    uint8_t *at = out_room(rows, tick.len + CDT_PADDING);
    if (!at) {
        rows->failed = false;
        return fail_memory(err);
    }
    if (tick.len)
        memcpy(at, tick.at, tick.len);
    memset(at + tick.len, 0, CDT_PADDING);
    int status = cdt_payload_decode(&memory, cdt_writer_model(w)->rows[CDT_ROW_TICK],
                                    (struct ras_bytes){at, tick.len}, cdt_writer_at(w), &record,
                                    &problem, err);
    cdt_memory_free(&memory);
    if (status < 0)
        return status;
    if (record.node.wide & 1)
        record.tick_index = INT64_MAX; /* its true value is larger */
    rows->len += tick.len;
    return cdt_writer_take(w, before, record.tick_index, err);
}
