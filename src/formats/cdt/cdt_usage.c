/* cdt_usage.c - where a trace's bytes go, before and after compression.
 *
 * A row has no bytes of its own in a compressed chunk: each part of the payload is booked with its
 * share of the stored bytes, rounded so that the shares add up exactly. */
#include "codec/msgpack.h"
#include "formats/cdt/cdt_driver.h"
#include "ops/du/usage.h"

struct books {
    struct usage *usage;
    struct ras_bytes payload;
    uint64_t raw, stored; /* of the whole payload */
    uint64_t booked;      /* of its raw bytes */
    uint64_t frame;
    const struct cdt_model *model;
};

static uint64_t share(const struct books *b, uint64_t raw)
{
    if (!b->raw)
        return 0;
    /* Lengths of chunks have 32 bits, so the product fits. */
    return raw * b->stored / b->raw;
}

static void book(struct books *b, const char *kind, const char *name, const char *field,
                 uint64_t records, uint64_t raw)
{
    if (!raw && !records)
        return;
    uint64_t before = share(b, b->booked);
    b->booked += raw;
    usage_add(b->usage, &(struct booking){.kind = kind,
                                          .name = name,
                                          .field = field,
                                          .records = records,
                                          .raw = raw,
                                          .stored = share(b, b->booked) - before,
                                          .packed = true,
                                          .frame = b->frame});
}

static void book_plain(struct usage *u, const char *kind, const char *name, uint64_t raw,
                       uint64_t stored)
{
    usage_add(u, &(struct booking){.kind = kind,
                                   .name = name,
                                   .raw = raw,
                                   .stored = stored,
                                   .packed = true,
                                   .frame = RAS_NONE});
}

/* The bytes of all rows of one type. */
static uint64_t rows_size(const struct books *b, unsigned row,
                          const struct ras_cdt_tick_record *tick, size_t *count)
{
    const uint8_t *at = cdt_row_first(&cdt_rows[row], tick, count);
    uint64_t size = 0;
    for (size_t i = 0; i < *count; i++, at += b->model->rows[row]->size)
        size += ((const struct ras_cdt_node *)(const void *)at)->length;
    return size;
}

/* The bytes of the rows that lie inside `member` (NULL: any) of a row of type `owner`. */
static uint64_t owned_size(const struct books *b, unsigned owner, const char *member,
                           const struct ras_cdt_tick_record *tick)
{
    uint64_t size = 0;
    size_t count;
    for (unsigned i = 1; i < b->model->row_count; i++)
        if (cdt_rows[i].owner == owner && (!member || !strcmp(cdt_rows[i].member, member)))
            size += rows_size(b, i, tick, &count);
    return size;
}

/* Key and value of each member of one row; the remainder is framing. */
static void book_fields(struct books *b, unsigned row, const struct ras_cdt_tick_record *tick,
                        const struct ras_cdt_node *node, uint64_t own)
{
    const struct cdt_row *r = &cdt_rows[row];
    const struct cdt_struct *of = b->model->rows[row];
    struct msgpack in = msgpack_bytes((struct ras_bytes){b->payload.at + node->at, node->length});
    uint64_t count = 0, fields = 0;
    uint32_t seen = 0;
    (void)msgpack_map(&in, &count);
    while (count--) {
        const uint8_t *start = in.at;
        unsigned i = 0;
        while (i < of->count && !msgpack_key_is(&in, of->fields[i].name, of->fields[i].head & 31u))
            i++;
        if (i == of->count)
            msgpack_skip(&in);
        msgpack_skip(&in);
        if (i == of->count || seen >> i & 1)
            continue; /* an unknown key, or a repeated one: framing */
        seen |= 1u << i;
        uint64_t size = (uint64_t)(in.at - start);
        uint64_t inner = r->list ? 0 : owned_size(b, row, of->fields[i].name, tick);
        size -= inner < size ? inner : size;
        fields += size;
        book(b, "type", r->name, of->fields[i].name, 0, size);
    }
    book(b, "type", r->name, NULL, 1, own > fields ? own - fields : 0);
}

static void book_tick(struct books *b, const struct ras_cdt_tick_record *tick)
{
    b->frame = tick->tick_index < 0 ? RAS_NONE : (uint64_t)tick->tick_index;
    for (unsigned row = 0; row < b->model->row_count; row++) {
        const struct cdt_row *r = &cdt_rows[row];
        size_t count;
        uint64_t size = rows_size(b, row, tick, &count);
        uint64_t own = size - (r->list ? 0 : owned_size(b, row, NULL, tick));
        if (!usage_by_field(b->usage)) {
            book(b, "type", r->name, NULL, count, own);
            continue;
        }
        const uint8_t *at = cdt_row_first(r, tick, &count);
        for (size_t i = 0; i < count; i++, at += b->model->rows[row]->size) {
            const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
            book_fields(b, row, tick, node, r->list ? node->length : own);
        }
    }
}

/* A TICK chunk; unreadable ones are left to core as not understood. *whole: its length can be
 * trusted. */
static int book_block(struct ras_trace *t, struct usage *u, struct cdt_cursor *scratch, uint64_t at,
                      bool *whole, struct ras_error *err)
{
    const struct cdt_trace *cdt = t->priv;
    struct cdt_loaded *l = &scratch->block.loaded;
    struct ras_bytes file = source_bytes(t->source, 0);
    uint64_t limit = t->limits.chunk_bytes;
    const char *why;
    bool typed = cdt->meta.typed;
    int status = typed ? cdt_block_load(&scratch->memory, file, at, limit, cdt->meta.model->block,
                                        &scratch->block, err)
                       : cdt_chunk_load(&scratch->memory.buffer, file, at, limit, l, err);
    *whole = l->payload.at;
    if (status < 0 || (!typed && !cdt_generic_load(scratch, l->payload, &why)))
        return status == RAS_EMEMORY ? status : RAS_OK;
    struct books b = {.usage = u,
                      .model = cdt->meta.model,
                      .payload = l->payload,
                      .raw = l->payload.len,
                      .stored = l->chunk.compressed_len};
    book_plain(u, "header", "chunk headers", RAS_CDT_CHUNK_HEADER_SIZE, RAS_CDT_CHUNK_HEADER_SIZE);
    if (!typed)
        book(&b, "type", "tick", NULL, scratch->tick_count, scratch->ticks.len);
    for (size_t i = 0; typed && i < scratch->block.block.ticks.count; i++)
        book_tick(&b, &scratch->block.block.ticks.at[i]);
    b.frame = RAS_NONE;
    book(&b, "header", "block heads", NULL, 0, b.raw - b.booked);
    return RAS_OK;
}

static void book_footer(struct ras_trace *t, struct usage *u, uint64_t at,
                        const struct ras_cdt_chunk *chunk)
{
    const struct cdt_footer *footer = cdt_footer_now(t);
    book_plain(u, "index", "FOTR", RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk->uncompressed_len,
               cdt_chunk_size(chunk));
    if (footer && footer->offset == at &&
        footer->end + RAS_CDT_TRAILER_SIZE == source_bytes(t->source, 0).len)
        book_plain(u, "index", "trailer", RAS_CDT_TRAILER_SIZE, RAS_CDT_TRAILER_SIZE);
}

static int book_chunks(struct ras_trace *t, struct usage *u, struct cdt_cursor *scratch,
                       struct ras_error *err)
{
    struct ras_bytes file = source_bytes(t->source, 0);
    struct ras_cdt_chunk chunk;
    uint64_t at = t->body;
    while (!usage_stopped(u) && ras_cdt_chunk_get(file, at, &chunk, NULL) == RAS_OK) {
        uint64_t end = at + cdt_chunk_size(&chunk);
        bool whole = chunk.kind == RAS_CDT_FOTR && end <= file.len;
        int status = RAS_OK;
        if (whole)
            book_footer(t, u, at, &chunk);
        else if (chunk.kind == RAS_CDT_TICK)
            status = book_block(t, u, scratch, at, &whole, err);
        if (status < 0)
            return status;
        if (!whole)
            end = cdt_resume(&scratch->memory, file, at, t->limits.chunk_bytes);
        if (end == CDT_NO_MEMORY)
            return fail_memory(err);
        if (end >= file.len)
            break;
        at = end;
    }
    return RAS_OK;
}

int cdt_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    const struct cdt_trace *cdt = t->priv;
    struct cdt_cursor scratch = {0};
    book_plain(u, "header", "file header", RAS_CDT_HEADER_SIZE, RAS_CDT_HEADER_SIZE);
    if (!cdt->no_meta)
        book_plain(u, "header", "META",
                   RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)cdt->meta.loaded.chunk.uncompressed_len,
                   cdt_chunk_size(&cdt->meta.loaded.chunk));
    int status = book_chunks(t, u, &scratch, err);
    cdt_memory_free(&scratch.memory);
    return status;
}
