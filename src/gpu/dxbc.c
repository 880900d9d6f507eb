/* dxbc.c - the container of a shader: its chunks, and the names of what goes in and out. */
#include "base/error.h"
#include "base/in.h"
#include "gpu/program.h"

/* ---- shader tokens ----------------------------------------------------------------------- */

/* The tokens of a SHDR chunk in AeroGPU's own dialect, to code. Opcode token: opcode in bits 0-10,
 * length in dwords in bits 11-23, and nothing above. Operand token: components in bits 0-1 (2:
 * four), selection in bits 2-3 (mask, swizzle, one component), type in bits 4-11, mask or swizzle
 * in bits 12-19, index dimensions in bits 20-21. What has other bits set is another dialect, or
 * newer: it is not executed. */

enum operand_type {
    OPERAND_TEMP = 0,
    OPERAND_INPUT = 1,
    OPERAND_OUTPUT = 2,
    OPERAND_IMMEDIATE = 4,
    OPERAND_SAMPLER = 6,
    OPERAND_RESOURCE = 7,
    OPERAND_CONSTANT = 8,
};

enum selection { SELECT_MASK, SELECT_SWIZZLE, SELECT_ONE };

enum { FIRST_DECLARATION = 0x100, MAX_TEMPS = 512 };

static const uint8_t kinds[] = {
    [OPERAND_TEMP] = REGISTER_TEMP,
    [OPERAND_INPUT] = REGISTER_INPUT,
    [OPERAND_OUTPUT] = REGISTER_OUTPUT,
    [OPERAND_CONSTANT] = REGISTER_UNIFORM,
};

struct operand {
    uint32_t type, components, selection, picks, dimensions;
    uint32_t index[3];
    uint32_t values[4];
};

struct decoder {
    struct program *p;
    struct in in;
    uint8_t written[MAX_TEMPS]; /* components of temporaries, so far */
};

static bool operand_get(struct decoder *d, struct operand *o)
{
    uint32_t token = in_u32(&d->in);
    *o = (struct operand){
        .components = token & 3,
        .selection = token >> 2 & 3,
        .type = token >> 4 & 0xff,
        .picks = token >> 12 & 0xff,
        .dimensions = token >> 20 & 3,
    };
    if (token >> 22) {
        program_refuse(d->p, "operand 0x%08" PRIx32 " has bits that this dialect lacks", token);
        return false;
    }
    for (uint32_t i = 0; i < o->dimensions; i++)
        o->index[i] = in_u32(&d->in);
    if (o->type == OPERAND_IMMEDIATE) {
        uint32_t count = o->components == 2 ? 4 : 1;
        for (uint32_t i = 0; i < 4; i++)
            o->values[i] = i < count ? in_u32(&d->in) : o->values[0];
    }
    return !d->in.cut;
}

static uint32_t pick(const struct operand *o, uint32_t component)
{
    if (o->components != 2)
        return 0;
    if (o->selection == SELECT_SWIZZLE)
        return o->picks >> (2 * component) & 3;
    if (o->selection == SELECT_ONE)
        return o->picks & 3;
    return component;
}

static bool uniform_get(struct decoder *d, const struct operand *o, uint32_t *reg)
{
    struct uniform u = {0};
    if (o->type == OPERAND_CONSTANT) {
        if (o->dimensions != 2 || o->index[0] >= 14 || o->index[1] >= 4096) {
            program_refuse(d->p, "constant %" PRIu32 " of buffer %" PRIu32, o->index[1],
                           o->index[0]);
            return false;
        }
        u.is_constant = 1;
        u.buffer = o->index[0];
        u.index = o->index[1];
    } else {
        memcpy(u.bits, o->values, sizeof u.bits);
    }
    *reg = program_uniform(d->p, &u);
    if (*reg == UINT32_MAX)
        program_refuse(d->p, "more than %d constants", (int)PROGRAM_REGISTERS);
    return *reg != UINT32_MAX;
}

/* A register that may be read: it exists, and the components that are read were written. */
static bool readable(struct decoder *d, const struct operand *o, uint32_t needed)
{
    uint32_t reg = o->index[0];
    if (o->type == OPERAND_INPUT && o->dimensions == 1 && reg < PROGRAM_SEMANTICS)
        return true;
    if (o->type == OPERAND_TEMP && o->dimensions == 1 && reg < MAX_TEMPS) {
        for (uint32_t c = 0; c < 4; c++)
            if ((needed >> c & 1) && !(d->written[reg] >> pick(o, c) & 1)) {
                program_refuse(d->p, "r%" PRIu32 " is read before it is written", reg);
                return false;
            }
        return true;
    }
    program_refuse(d->p, "operand of type %" PRIu32 " with register %" PRIu32, o->type, reg);
    return false;
}

/* A source; `needed`: the components that the instruction reads. */
static bool source_get(struct decoder *d, uint32_t needed, uint32_t from[4])
{
    struct operand o;
    if (!operand_get(d, &o))
        return false;
    uint32_t reg = o.index[0], type = o.type;
    if (o.type == OPERAND_IMMEDIATE || o.type == OPERAND_CONSTANT) {
        if (!uniform_get(d, &o, &reg))
            return false;
        type = OPERAND_CONSTANT;
    } else if (!readable(d, &o, needed)) {
        return false;
    }
    for (uint32_t c = 0; c < 4; c++)
        from[c] = program_open(kinds[type], reg, pick(&o, c));
    return true;
}

static bool target_get(struct decoder *d, struct instruction *i)
{
    struct operand o;
    if (!operand_get(d, &o))
        return false;
    uint32_t reg = o.index[0];
    bool output = o.type == OPERAND_OUTPUT && reg < PROGRAM_SEMANTICS;
    bool temp = o.type == OPERAND_TEMP && reg < MAX_TEMPS;
    i->mask = (uint8_t)(o.picks & 15);
    if (!(output || temp) || o.dimensions != 1 || o.components != 2 || o.selection != SELECT_MASK ||
        !i->mask) {
        program_refuse(d->p, "destination of type %" PRIu32 " with register %" PRIu32, o.type, reg);
        return false;
    }
    i->to = program_open(kinds[o.type], reg, 0);
    return true;
}

static void target_written(struct decoder *d, const struct instruction *i)
{
    uint32_t reg = program_open_register(i->to);
    if (program_open_kind(i->to) == REGISTER_TEMP)
        d->written[reg] |= i->mask;
}

/* ---- instructions ------------------------------------------------------------------------ */

struct opcode {
    uint16_t opcode;
    uint8_t op, sources;
    uint8_t needed; /* components that are read whatever the mask; 0: as the mask says */
    bool texture, sampler;
};

static const struct opcode opcodes[] = {
    {0x01, PROGRAM_MOV, 1, 0, false, false}, {0x02, PROGRAM_ADD, 2, 0, false, false},
    {0x04, PROGRAM_MAD, 3, 0, false, false}, {0x05, PROGRAM_MUL, 2, 0, false, false},
    {0x08, PROGRAM_DP3, 2, 7, false, false}, {0x09, PROGRAM_DP4, 2, 15, false, false},
    {0x3e, PROGRAM_RET, 0, 0, false, false}, {0x45, PROGRAM_SAMPLE, 1, 3, true, true},
    {0x4c, PROGRAM_LD, 1, 11, true, false},
};

static const struct opcode *opcode_find(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i].opcode == opcode)
            return &opcodes[i];
    return NULL;
}

static bool texture_get(struct decoder *d, const struct opcode *row, struct instruction *i)
{
    struct operand texture, sampler = {.type = OPERAND_SAMPLER, .dimensions = 1};
    if (!operand_get(d, &texture) || (row->sampler && !operand_get(d, &sampler)))
        return false;
    if (texture.type != OPERAND_RESOURCE || texture.dimensions != 1 || texture.index[0] >= 128 ||
        sampler.type != OPERAND_SAMPLER || sampler.dimensions != 1 || sampler.index[0] >= 16) {
        program_refuse(d->p, "texture %" PRIu32 " with sampler %" PRIu32, texture.index[0],
                       sampler.index[0]);
        return false;
    }
    for (uint32_t c = 0; c < 4; c++)
        i->swizzle[c] =
            (uint8_t)(texture.selection == SELECT_SWIZZLE ? texture.picks >> (2 * c) & 3 : c);
    i->texture = (uint8_t)texture.index[0];
    i->sampler = (uint8_t)sampler.index[0];
    d->p->reads_textures = true;
    d->p->samplers |= (uint16_t)(row->sampler ? 1u << i->sampler : 0);
    d->p->textures[i->texture / 64] |= UINT64_C(1) << i->texture % 64;
    return true;
}

static bool instruction_get(struct decoder *d, const struct opcode *row)
{
    struct instruction i = {.op = row->op};
    if (row->op != PROGRAM_RET) {
        if (!target_get(d, &i))
            return false;
        for (uint32_t s = 0; s < row->sources; s++)
            if (!source_get(d, row->needed ? row->needed : i.mask, i.from[s]))
                return false;
        if (row->texture && !texture_get(d, row, &i))
            return false;
        i.overlaps = instruction_overlaps(&i, row->sources);
        target_written(d, &i);
    }
    struct instruction *added = program_code(d->p);
    if (!added) {
        program_refuse(d->p, "more than %d instructions", (int)PROGRAM_CODE);
        return false;
    }
    *added = i;
    return true;
}

/* True: go on. */
static bool token_get(struct decoder *d)
{
    const uint8_t *start = d->in.at, *end = d->in.end;
    uint32_t token = in_u32(&d->in);
    uint32_t opcode = token & 0x7ff, length = token >> 11 & 0x1fff;
    const struct opcode *row = opcode_find(opcode);
    if (token >> 24 || !length || length > (uint64_t)(end - start) / 4) {
        program_refuse(d->p, "instruction 0x%08" PRIx32 " is not of this dialect", token);
        return false;
    }
    if (opcode >= FIRST_DECLARATION) {
        d->in.at = start + 4 * (size_t)length;
        return true;
    }
    if (!row) {
        program_refuse(d->p, "instruction 0x%02" PRIx32 " is not known", opcode);
        return false;
    }
    d->in.end = start + 4 * (size_t)length; /* its operands end with it */
    bool good = instruction_get(d, row);
    if (good && d->in.at != d->in.end)
        program_refuse(d->p, "instruction 0x%02" PRIx32 " of %" PRIu32 " dwords has more operands",
                       opcode, length);
    else if (!good)
        program_refuse(d->p, "instruction 0x%02" PRIx32 " ends within its operands", opcode);
    d->in.end = end;
    return !*d->p->refused && row->op != PROGRAM_RET;
}

/* Fill code from the tokens of a SHDR chunk. RAS_EMEMORY is the only failure: what cannot be
 * executed sets `refused`. */
static int program_tokens(struct program *p, struct ras_bytes tokens, struct ras_error *err)
{
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return fail_memory(err);
    d->p = p;
    d->in = in_bytes((struct ras_bytes){tokens.at, tokens.len / 4 * 4});
    uint32_t version = in_u32(&d->in), length = in_u32(&d->in);
    uint32_t type = version >> 16;
    p->is_vertex = type == 1;
    if (d->in.cut || length < 2 || length > tokens.len / 4)
        program_refuse(p, "code of %" PRIu32 " dwords in a chunk of %zu bytes", length, tokens.len);
    else if (type > 1 || (version >> 4 & 15) != 4)
        program_refuse(p, "program type %" PRIu32 " of shader model %" PRIu32, type,
                       version >> 4 & 15);
    else
        d->in.end = tokens.at + 4 * (size_t)length;
    while (!*p->refused && in_left(&d->in) && token_get(d))
        ;
    free(d);
    if (!*p->refused)
        program_lay_out(p);
    return RAS_OK;
}

enum { DXBC_HEADER = 32, DXBC_CHUNKS = 64, SIGNATURE_ROW = 24 };

/* ---- signatures -------------------------------------------------------------------------- */

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

/* ---- chunks ------------------------------------------------------------------------------ */

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
        return fail(err, RAS_EFORMAT, 0, "%zu bytes are not a DXBC container", dxbc.len);
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
