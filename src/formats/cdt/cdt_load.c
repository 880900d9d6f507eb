/* cdt_load.c - chunks as typed structs: META, the footer, a block of ticks. */
#include "formats/cdt/cdt_load.h"
#include "base/error.h"
#include "codec/msgpack.h"

#include <string.h>

void cdt_memory_free(struct cdt_memory *memory)
{
    cdt_buffer_free(&memory->buffer);
    arena_free(&memory->arena);
}

int cdt_payload_decode(struct cdt_memory *memory, const struct cdt_struct *s,
                       struct ras_bytes payload, uint64_t offset, void *out,
                       struct cdt_problem *problem, struct ras_error *err)
{
    /* No struct takes more than 16 times its encoded size; lists nest, so twice that. */
    enum { RATIO = 32, LEAST = 65536 };
    arena_reset(&memory->arena);
    memory->arena.limit = RATIO * (uint64_t)payload.len + LEAST;
    if (memory->arena.limit < memory->arena.total)
        memory->arena.limit = memory->arena.total;
    if (cdt_decode(s, payload, &memory->arena, out, problem))
        return RAS_OK;
    if (problem->status == RAS_EMEMORY)
        return fail_memory(err);
    return fail(err, RAS_EFORMAT, offset, "%s at %s", problem->what, problem->path);
}

/* Finds the int for `key` in the map at the front of payload; false: not found. */
static bool cdt_map_int(struct ras_bytes payload, const char *key, int64_t *value)
{
    struct msgpack in = msgpack_bytes(payload);
    uint64_t count;
    bool found = false;
    if (!msgpack_map(&in, &count))
        return false;
    while (count--) {
        bool here = msgpack_key_is(&in, key, strlen(key));
        if (here && msgpack_i64(&in, value))
            found = true;
        else if ((!here && !msgpack_skip(&in)) || !msgpack_skip(&in))
            break;
    }
    return found;
}

/* The last two keys of the status have two names in container 1. */
static int decode_meta(struct cdt_memory *memory, struct cdt_meta *out, struct ras_error *err)
{
    const struct cdt_model *late = &cdt_model_12_late;
    struct cdt_problem problem;
    int status = cdt_payload_decode(memory, out->model->meta, out->loaded.payload,
                                    RAS_CDT_HEADER_SIZE, &out->meta, &out->problem, err);
    if (status != RAS_EFORMAT || out->model != &cdt_model_12 ||
        cdt_payload_decode(memory, late->meta, out->loaded.payload, RAS_CDT_HEADER_SIZE, &out->meta,
                           &problem, NULL) != RAS_OK)
        return status;
    out->model = late;
    ras_cdt_set(&out->meta.status.node, RAS_CDT_STATUS_LATER_NAMES);
    return RAS_OK;
}

int cdt_meta_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t limit,
                  struct cdt_meta *out, struct ras_error *err)
{
    struct cdt_loaded *l = &out->loaded;
    int64_t schema;
    *out = (struct cdt_meta){0};
    int status = cdt_chunk_load(&memory->buffer, file, RAS_CDT_HEADER_SIZE, limit, l, err);
    if (status < 0)
        return status;
    if (l->chunk.kind != RAS_CDT_META)
        return fail(err, RAS_EFORMAT, RAS_CDT_HEADER_SIZE, "invalid trace meta chunk: kind %s",
                    l->chunk.kind_text);
    /* Another schema may have other structs, so its number is read first. */
    const uint32_t container = cdt_container(file);
    if (!cdt_map_int(l->payload, "trace_schema_version", &schema))
        schema = container == 2 ? cdt_model_20.schema : RAS_CDT_SCHEMA_VERSION;
    out->model = cdt_model_of(container, schema);
    out->typed = out->model;
    if (!out->typed)
        out->model = container == 2 ? &cdt_model_21 : &cdt_model_12;
    status = decode_meta(memory, out, err);
    out->complete = status == RAS_OK;
    if (out->typed || out->complete || status == RAS_EMEMORY)
        return status;
    out->meta = (struct ras_cdt_trace_meta){.trace_schema_version = schema};
    (void)cdt_map_int(l->payload, "trace_format_version", &out->meta.trace_format_version);
    return RAS_OK;
}

/* The rules for a decoded footer, in the reader's order. */
static int footer_rules(const struct cdt_footer *f, struct ras_error *err)
{
    const struct ras_cdt_trace_footer *t = &f->footer;
    if (t->tick_count <= 0)
        return fail(err, RAS_EFORMAT, f->offset, "invalid trace footer tick_count: %" PRId64,
                    t->tick_count);
    if (t->first_tick < 0 || t->last_tick < 0)
        return fail(err, RAS_EFORMAT, f->offset,
                    "invalid trace footer tick bounds: %" PRId64 " to %" PRId64, t->first_tick,
                    t->last_tick);
    if (t->first_tick > t->last_tick)
        return fail(err, RAS_EFORMAT, f->offset,
                    "invalid trace footer tick order: %" PRId64 " to %" PRId64, t->first_tick,
                    t->last_tick);
    if (!t->tick_blocks.count)
        return fail(err, RAS_EFORMAT, f->offset, "invalid trace footer block index: it is empty");
    return RAS_OK;
}

static int by_place(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool sort_places(struct cdt_memory *memory, struct cdt_footer *f)
{
    size_t count = f->footer.tick_blocks.count;
    uint64_t *places = arena_take(&memory->arena, (count + 1) * sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < count; i++)
        places[i] = (uint64_t)f->footer.tick_blocks.at[i].file_offset;
    places[count] = f->offset;
    qsort(places, count + 1, sizeof *places, by_place);
    f->places = places;
    f->place_count = count + 1;
    return true;
}

uint64_t cdt_footer_place(const struct cdt_footer *footer, uint64_t offset)
{
    size_t low = 0, high = footer->place_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (footer->places[mid] < offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low < footer->place_count ? footer->places[low] : RAS_NONE;
}

int cdt_footer_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t limit,
                    struct cdt_footer *out, struct ras_error *err)
{
    struct cdt_loaded loaded;
    struct cdt_problem problem;
    *out = (struct cdt_footer){0};
    int status = ras_cdt_trailer_get(file, &out->offset, err);
    if (status < 0)
        return status;
    out->stage = CDT_NO_CHUNK;
    status = cdt_chunk_load(&memory->buffer, file, out->offset, limit, &loaded, err);
    if (status < 0)
        return status;
    if (loaded.chunk.kind != RAS_CDT_FOTR)
        return fail(err, RAS_EFORMAT, out->offset, "invalid trace footer chunk: kind %s",
                    loaded.chunk.kind_text);
    out->end = out->offset + cdt_chunk_size(&loaded.chunk);
    out->stage = CDT_NO_FOOTER;
    const struct cdt_struct *as = cdt_container(file) == 2 ? &cdt_footer_2 : &cdt_trace_footer;
    status =
        cdt_payload_decode(memory, as, loaded.payload, out->offset, &out->footer, &problem, err);
    if (status == RAS_OK && !sort_places(memory, out))
        status = fail_memory(err);
    if (status < 0)
        return status;
    out->stage = CDT_BAD_FOOTER;
    status = footer_rules(out, err);
    if (status == RAS_OK)
        out->stage = CDT_SEALED;
    return status;
}

int cdt_block_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t offset,
                   uint64_t limit, const struct cdt_struct *s, struct cdt_block *out,
                   struct ras_error *err)
{
    struct ras_error inner;
    int status = cdt_chunk_load(&memory->buffer, file, offset, limit, &out->loaded, err);
    if (status < 0)
        return status;
    if (out->loaded.chunk.kind != RAS_CDT_TICK)
        return fail(err, RAS_EFORMAT, offset, "not a TICK chunk: kind %s",
                    out->loaded.chunk.kind_text);
    status = cdt_payload_decode(memory, s, out->loaded.payload, offset, &out->block, &out->problem,
                                &inner);
    if (status == RAS_EMEMORY)
        return fail_memory(err);
    if (status < 0)
        return fail(err, status, offset, "invalid replay trace tick payload: %.180s", inner.text);
    return RAS_OK;
}

/* Schemas may differ only in what some ticks have: blocks are tried until one schema is left. */
const struct cdt_model *cdt_model_guess(struct cdt_memory *memory, struct ras_bytes file,
                                        uint64_t limit)
{
    static const struct cdt_model *const models[] = {&cdt_model_21, &cdt_model_20, &cdt_model_19};
    enum { MODELS = sizeof models / sizeof *models, BLOCKS = 64 };
    struct ras_cdt_chunk chunk;
    struct cdt_block block;
    unsigned left = (1u << MODELS) - 1, seen = 0;
    uint64_t at = cdt_resume(memory, file, RAS_CDT_HEADER_SIZE, limit);
    for (int n = 0; n < BLOCKS && left & (left - 1); n++) {
        if (at >= file.len || ras_cdt_chunk_get(file, at, &chunk, NULL) < 0)
            break;
        unsigned fits = 0;
        for (unsigned i = 0; chunk.kind == RAS_CDT_TICK && i < MODELS; i++)
            if (cdt_block_load(memory, file, at, limit, models[i]->block, &block, NULL) == RAS_OK)
                fits |= 1u << i;
        left = fits & left ? fits & left : left;
        seen |= fits;
        at += cdt_chunk_size(&chunk);
    }
    for (unsigned i = 0; i < MODELS; i++)
        if (seen & left & 1u << i)
            return models[i];
    return NULL;
}

/* The end that the chunk at `offset` states, if it is plausible. */
static uint64_t stated_end(struct ras_bytes file, uint64_t offset)
{
    struct ras_cdt_chunk chunk;
    if (ras_cdt_chunk_get(file, offset, &chunk, NULL) < 0 || chunk.kind == RAS_CDT_UNKNOWN)
        return RAS_NONE;
    uint64_t end = offset + cdt_chunk_size(&chunk);
    bool known = end <= file.len && file.len - end >= 4 &&
                 cdt_kind_starts(file.at + end, 4) != RAS_CDT_UNKNOWN;
    return known ? end : RAS_NONE;
}

/* Whether these bytes could be the header of a chunk. Random bytes match once in 2^60. */
static bool plausible(const struct ras_cdt_chunk *c)
{
    bool zstd = c->flags & RAS_CDT_FLAG_ZSTD;
    return c->kind != RAS_CDT_UNKNOWN && (c->flags | 1) == 3 && c->start_tick <= c->end_tick &&
           (zstd || c->compressed_len == c->uncompressed_len);
}

/* Searches for a chunk byte by byte. Its checksum proves it, but each candidate may cost a
 * decompression: after CANDIDATES false ones the search gives up. A chunk that is cut ends the
 * search as well, because bytes inside it are not a chunk. */
static uint64_t search(struct cdt_memory *scratch, struct ras_bytes file, uint64_t offset,
                       uint64_t limit)
{
    enum { CANDIDATES = 32 };
    struct cdt_loaded loaded;
    struct ras_cdt_chunk chunk;
    int candidates = 0;
    while (++offset < file.len && file.len - offset >= RAS_CDT_CHUNK_HEADER_SIZE) {
        if (cdt_kind_starts(file.at + offset, 4) == RAS_CDT_UNKNOWN ||
            ras_cdt_chunk_get(file, offset, &chunk, NULL) < 0 || !plausible(&chunk))
            continue;
        int status = cdt_chunk_load(&scratch->buffer, file, offset, limit, &loaded, NULL);
        if (status == RAS_OK || status == RAS_EMEMORY)
            return status == RAS_OK ? offset : CDT_NO_MEMORY;
        if (status == RAS_ECUT || ++candidates == CANDIDATES)
            return RAS_NONE;
    }
    return RAS_NONE;
}

uint64_t cdt_resume(struct cdt_memory *scratch, struct ras_bytes file, uint64_t offset,
                    uint64_t limit)
{
    uint64_t end = stated_end(file, offset);
    return end != RAS_NONE ? end : search(scratch, file, offset, limit);
}
