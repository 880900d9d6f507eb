/* dxbc.c - the container of a shader: its chunks, and the names of what goes in and out. */
#include "base/error.h"
#include "base/in.h"
#include "gpu/program.h"

enum { DXBC_HEADER = 32, DXBC_CHUNKS = 64, SIGNATURE_ROW = 24 };

/* ---- signatures ------------------------------------------------------------------- */

static uint8_t upper(uint8_t c)
{
    return c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
}

/* A NUL-terminated name at an offset of the chunk, in upper case. */
static bool name_get(struct ras_bytes chunk, uint32_t at, char name[64])
{
    for (size_t n = 0; at < chunk.len && n < 64; n++, at++) {
        name[n] = (char)upper(chunk.at[at]);
        if (!name[n])
            return true;
    }
    return false;
}

static enum program_system system_of(const char *name)
{
    static const struct {
        const char *name;
        enum program_system system;
    } systems[] = {{"SV_POSITION", SYSTEM_POSITION},
                   {"SV_TARGET", SYSTEM_TARGET},
                   {"SV_VERTEXID", SYSTEM_VERTEX_ID},
                   {"SV_INSTANCEID", SYSTEM_INSTANCE_ID}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (!strcmp(name, systems[i].name))
            return systems[i].system;
    return strncmp(name, "SV_", 3) ? SYSTEM_NONE : SYSTEM_OTHER;
}

static void signature_get(struct program *p, struct ras_bytes chunk, struct semantic *all,
                          uint32_t *count)
{
    struct in in = in_bytes(chunk);
    uint32_t rows = in_u32(&in);
    in_u32(&in); /* where the rows begin: 8 */
    if (in.cut || rows > in_left(&in) / SIGNATURE_ROW || rows > PROGRAM_SEMANTICS) {
        program_refuse(p, "signature with %" PRIu32 " rows in %zu bytes", rows, chunk.len);
        return;
    }
    for (uint32_t i = 0; i < rows; i++) {
        char name[64];
        uint32_t name_at = in_u32(&in);
        struct semantic *s = &all[i];
        s->index = in_u32(&in);
        in_u32(&in); /* system value, which the dialect leaves 0 */
        in_u32(&in); /* component type, too */
        s->reg = in_u32(&in);
        s->mask = in_u8(&in);
        in_u24(&in);
        if (!name_get(chunk, name_at, name) || s->reg >= PROGRAM_SEMANTICS) {
            program_refuse(p, "signature row %" PRIu32 " with register %" PRIu32, i, s->reg);
            return;
        }
        s->hash = semantic_hash(name);
        s->system = (uint8_t)system_of(name);
    }
    *count = rows;
}

/* ---- chunks ------------------------------------------------------------------------ */

static bool is_chunk(struct ras_bytes name, const char *wanted)
{
    return name.at && !memcmp(name.at, wanted, 4);
}

static int chunk_take(struct program *p, struct ras_bytes name, struct ras_bytes data,
                      struct ras_bytes *tokens)
{
    if (is_chunk(name, "ISGN"))
        signature_get(p, data, p->inputs, &p->input_count);
    else if (is_chunk(name, "OSGN"))
        signature_get(p, data, p->outputs, &p->output_count);
    else if (is_chunk(name, "SHDR") || is_chunk(name, "SHEX"))
        *tokens = data;
    return RAS_OK;
}

static int chunks_get(struct program *p, struct ras_bytes dxbc, struct ras_bytes *tokens,
                      struct ras_error *err)
{
    struct in in = in_bytes(dxbc);
    struct ras_bytes magic = in_span(&in, 4);
    in_span(&in, 24); /* hash, one, size */
    uint32_t count = in_u32(&in);
    if (in.cut || memcmp(magic.at, "DXBC", 4))
        return fail(err, RAS_EFORMAT, 0, "%zu bytes are no DXBC container", dxbc.len);
    if (count > DXBC_CHUNKS)
        return fail(err, RAS_EFORMAT, 28, "DXBC with %" PRIu32 " chunks, at most %d", count,
                    (int)DXBC_CHUNKS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = in_u32(&in);
        if (in.cut || at > dxbc.len)
            return fail(err, RAS_EFORMAT, 32 + 4 * (uint64_t)i,
                        "DXBC chunk %" PRIu32 " at %" PRIu32 " of %zu bytes", i, at, dxbc.len);
        struct in chunk = in_bytes((struct ras_bytes){dxbc.at + at, dxbc.len - at});
        struct ras_bytes name = in_span(&chunk, 4);
        struct ras_bytes data = in_span(&chunk, in_u32(&chunk));
        if (chunk.cut)
            return fail(err, RAS_EFORMAT, at, "DXBC chunk %" PRIu32 " goes beyond %zu bytes", i,
                        dxbc.len);
        int status = chunk_take(p, name, data, tokens);
        if (status)
            return status;
    }
    if (!tokens->at)
        return fail(err, RAS_EFORMAT, 0, "DXBC without a SHDR chunk");
    return RAS_OK;
}

int program_from_dxbc(struct program **out, struct ras_bytes dxbc, struct ras_error *err)
{
    *out = NULL;
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return fail_memory(err);
    struct ras_bytes tokens = {0};
    int status = chunks_get(p, dxbc, &tokens, err);
    if (!status)
        status = program_tokens(p, tokens, err);
    if (status) {
        program_free(p);
        return status;
    }
    *out = p;
    return RAS_OK;
}
