/* gles.c - packets of Appendix A on OpenGL ES 3, with the shaders that the trace brings.
 *
 * Here every packet is judged and every size is known before the driver, in its own process,
 * sees any of it. Where the public replayer's two back ends disagree the specification's text
 * decides: a buffer keeps the size it was created with, every CLEAR clears, and the viewport,
 * like the frame, has its origin at the top left. */
#include "base/error.h"
#include "base/id_table.h"
#include "base/in.h"
#include "base/memory.h"
#include "gpu/backends.h"
#include "gpu/gles_process.h"
#include "gpu/glsl.h"
#include <limits.h>
#include <math.h>
#include <rastrum/aerogpu.h>
#include <stdlib.h>
#include <string.h>

/* Numbers for objects that an id refers to, reused when one is gone. */

struct pool {
    struct id_table ids;
    uint32_t next;
    uint32_t *spare;
    size_t spare_count, spare_room;
};

/* False: `most` are in use. */
static inline bool pool_take(struct pool *pool, uint32_t most, uint32_t *to)
{
    if (pool->spare_count) {
        *to = pool->spare[--pool->spare_count];
        return true;
    }
    if (pool->next >= most)
        return false;
    *to = pool->next++;
    return true;
}

/* Where memory is short the number is just not used again. */
static inline void pool_give(struct pool *pool, uint32_t object)
{
    if (array_grow(&pool->spare, &pool->spare_room, pool->spare_count + 1, sizeof *pool->spare))
        pool->spare[pool->spare_count++] = object;
}

static inline void pool_free(struct pool *pool)
{
    id_table_free(&pool->ids);
    free(pool->spare);
}

enum { MOST_WORDS = 8, NO_OBJECT = -1 };
enum { POSITION_SIZE = 8, COLOR_SIZE = 16, ALIGNMENT = 4, STRIDE_MAX = 2048 };

struct shader {
    char *text;
    uint32_t len;
    uint64_t rounds; /* of its loops, at most */
};

struct program_facts {
    uint32_t locations; /* a bit for each attribute that it reads */
    bool cut, cut_said; /* the driver may end its loops before they are done */
};

/* What the driver has, kept to see whether corners are numbers. */
struct buffer {
    uint8_t *bytes;
    uint32_t size;
};

/* What is set now. It stays set when its id comes to refer to another object, until something else
 * is set. */
struct current {
    int64_t object; /* NO_OBJECT: none */
    bool orphan;
};

struct gpu {
    struct gpu_limits limits;
    struct gpu_events events;
    struct gles_process process;
    bool quiet;
    bool inexact; /* a draw since the last CLEAR has no defined picture */
    uint64_t memory, drawn;
    struct pool buffers, shaders, programs;
    struct buffer *buffer_list;
    uint32_t buffer_count; /* that were ever made */
    struct program_facts *program_list;
    size_t buffer_room, program_room, shader_room;
    struct shader *shader_texts;
    struct current buffer, program;
    uint32_t stride, position, color;
};

/* The packet at hand. */
struct packet {
    const struct gpu_source *source;
    const struct ras_aero_op *op;
    uint32_t word[MOST_WORDS];
    struct ras_error *err;
};

#define REFUSE(p, status, format, ...)                                                             \
    fail((p)->err, status, (p)->source->offset, "%s: " format, (p)->op->name, __VA_ARGS__)

/* ---- objects ----------------------------------------------------------------------------- */

static int take_object(const struct gpu *g, struct pool *pool, const struct packet *p, uint32_t *to)
{
    uint32_t most = g->limits.objects < GLES_OBJECTS_MAX ? g->limits.objects : GLES_OBJECTS_MAX;
    if (pool_take(pool, most, to))
        return RAS_OK;
    return REFUSE(p, RAS_ELIMIT, "more than %" PRIu32 " objects", most);
}

/* The object that an id refers to. */
static int find(const struct pool *pool, uint32_t id, const char *what, const struct packet *p,
                uint32_t *object)
{
    *object = id_table_find(&pool->ids, id);
    if (*object == ID_TABLE_NONE)
        return REFUSE(p, RAS_EFORMAT, "there is no %s %" PRIu32, what, id);
    return RAS_OK;
}

static int name_object(struct pool *pool, uint32_t id, uint32_t object, const struct packet *p)
{
    id_table_remove(&pool->ids, id);
    return id_table_add(&pool->ids, id, object) ? RAS_OK : fail_memory(p->err);
}

static int charge(struct gpu *g, uint64_t bytes, const struct packet *p)
{
    if (bytes > g->limits.memory_bytes - g->memory)
        return REFUSE(p, RAS_ELIMIT, "%" PRIu64 " bytes beside %" PRIu64 ", at most %" PRIu64,
                      bytes, g->memory, g->limits.memory_bytes);
    g->memory += bytes;
    return RAS_OK;
}

/* ---- calls to the driver ----------------------------------------------------------------- */

static int call_with(struct gpu *g, const struct packet *p, enum gles_kind kind,
                     const uint32_t *words, uint32_t count, struct ras_bytes data)
{
    struct gles_call call = {.kind = kind,
                             .opcode = p->op->opcode,
                             .offset = p->source->offset,
                             .len = (uint32_t)data.len};
    memcpy(call.argument, words, count * sizeof *words);
    return gles_process_put(&g->process, &call, data.at, p->err);
}

#define CALL(g, p, kind, ...)                                                                      \
    call_with(g, p, kind, (const uint32_t[]){__VA_ARGS__},                                         \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (struct ras_bytes){0})

static int drop_buffer(struct gpu *g, uint32_t object, const struct packet *p)
{
    g->memory -= g->buffer_list[object].size;
    free(g->buffer_list[object].bytes);
    g->buffer_list[object] = (struct buffer){0};
    pool_give(&g->buffers, object);
    return CALL(g, p, GLES_DROP_BUFFER, object);
}

static int drop_program(struct gpu *g, uint32_t object, const struct packet *p)
{
    pool_give(&g->programs, object);
    return CALL(g, p, GLES_DROP_PROGRAM, object);
}

/* An id is about to refer to another object: the old one is freed, unless it is set. */
static int replace(struct gpu *g, struct pool *pool, struct current *current, uint32_t id,
                   int (*drop)(struct gpu *, uint32_t, const struct packet *),
                   const struct packet *p)
{
    uint32_t old = id_table_find(&pool->ids, id);
    if (old == ID_TABLE_NONE)
        return RAS_OK;
    id_table_remove(&pool->ids, id);
    if (current->object == old) {
        current->orphan = true;
        return RAS_OK;
    }
    return drop(g, old, p);
}

static int set_current(struct gpu *g, struct current *current, uint32_t object,
                       int (*drop)(struct gpu *, uint32_t, const struct packet *),
                       const struct packet *p)
{
    int status = RAS_OK;
    if (current->orphan && current->object != object)
        status = drop(g, (uint32_t)current->object, p);
    *current = (struct current){.object = object};
    return status;
}

/* ---- packets: resources ------------------------------------------------------------------ */

static int gles_create_buffer(struct gpu *g, const struct packet *p)
{
    uint32_t id = p->word[0], size = p->word[1], object = 0;
    int status = replace(g, &g->buffers, &g->buffer, id, drop_buffer, p);
    if (status == RAS_OK)
        status = charge(g, size, p);
    if (status == RAS_OK)
        status = take_object(g, &g->buffers, p, &object);
    if (status < 0)
        return status;
    struct buffer made = {calloc(size ? size : 1, 1), size};
    if (!made.bytes ||
        !array_grow(&g->buffer_list, &g->buffer_room, (size_t)object + 1, sizeof made)) {
        free(made.bytes);
        return fail_memory(p->err);
    }
    g->buffer_list[object] = made;
    g->buffer_count = object >= g->buffer_count ? object + 1 : g->buffer_count;
    status = name_object(&g->buffers, id, object, p);
    return status == RAS_OK ? CALL(g, p, GLES_BUFFER, object, size) : status;
}

/* The blob at `word` and the one after it, which must be of that kind. */
static int get_blob(const struct packet *p, size_t word, uint32_t kind, struct ras_bytes *data)
{
    uint64_t id = p->word[word] | (uint64_t)p->word[word + 1] << 32;
    return packet_blob(p->source, p->op->name, id, kind, data, p->err);
}

static int gles_upload_buffer(struct gpu *g, const struct packet *p)
{
    uint32_t at = p->word[1], len = p->word[2], object = 0;
    struct ras_bytes data;
    int status = find(&g->buffers, p->word[0], "buffer", p, &object);
    if (status == RAS_OK)
        status = get_blob(p, 3, RAS_AERO_BUFFER_DATA, &data);
    if (status < 0)
        return status;
    if (data.len != len)
        return REFUSE(p, RAS_EFORMAT, "data_len_bytes is %" PRIu32 ", the blob has %zu bytes", len,
                      data.len);
    const struct buffer *to = &g->buffer_list[object];
    if (at > to->size || len > to->size - at)
        return REFUSE(p, RAS_EFORMAT,
                      "%" PRIu32 " bytes at %" PRIu32 ", the buffer has %" PRIu32 " bytes", len, at,
                      to->size);
    if (len)
        memcpy(to->bytes + at, data.at, len);
    for (const size_t piece = GLES_QUEUE_SIZE / 4; status == RAS_OK && data.len;) {
        struct ras_bytes now = {data.at, data.len < piece ? data.len : piece};
        status = call_with(g, p, GLES_WRITE, (const uint32_t[]){object, at}, 2, now);
        at += (uint32_t)now.len;
        data.at += now.len;
        data.len -= now.len;
    }
    return status;
}

/* Which stage a shader is for is said again by the pipeline: the public replayer uses that one, and
 * ignores the packet's. */
static int gles_create_shader(struct gpu *g, const struct packet *p)
{
    enum { GLSL = 2, WGSL = 4, DXBC = 6 };
    uint32_t id = p->word[0], object = 0;
    struct ras_bytes text;
    if (!p->word[GLSL] && !p->word[GLSL + 1])
        return REFUSE(p, RAS_EUNSUPPORTED,
                      "shader %" PRIu32 " has no GLSL ES 3.00%s, which alone can be compiled here",
                      id,
                      p->word[WGSL] || p->word[WGSL + 1]   ? ", only WGSL"
                      : p->word[DXBC] || p->word[DXBC + 1] ? ", only DXBC"
                                                           : "");
    int status = get_blob(p, GLSL, RAS_AERO_SHADER_GLSL_ES300, &text);
    if (status < 0)
        return status;
    if (text.len > GLES_SHADER_MAX)
        return REFUSE(p, RAS_ELIMIT, "a shader of %zu bytes, at most %zu", text.len,
                      GLES_SHADER_MAX);
    object = id_table_find(&g->shaders.ids, id);
    bool known = object != ID_TABLE_NONE;
    status = known ? RAS_OK : take_object(g, &g->shaders, p, &object);
    if (status == RAS_OK)
        status = charge(g, text.len, p);
    if (status < 0)
        return status;
    char *copy = text_copy(text.at, text.len);
    if (!copy || !array_grow(&g->shader_texts, &g->shader_room, (size_t)object + 1,
                             sizeof *g->shader_texts)) {
        free(copy);
        return fail_memory(p->err);
    }
    if (known) {
        g->memory -= g->shader_texts[object].len;
        free(g->shader_texts[object].text);
    }
    g->shader_texts[object] = (struct shader){copy, (uint32_t)text.len, glsl_rounds(text)};
    return known ? RAS_OK : name_object(&g->shaders, id, object, p);
}

/* The log after the error's two lines, reported line by line. */
static int tell_log(const struct gpu *g, const struct packet *p, int status)
{
    struct ras_error kept = p->err ? *p->err : (struct ras_error){0};
    char line[200];
    const char *at = g->process.shared->text;
    for (at += strcspn(at, "\n"); *at && g->events.remark; at += strcspn(at, "\n")) {
        at++;
        int len = (int)strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", len, at);
        if (len && g->events.remark(g->events.user, p->source->offset, p->op->name, line, p->err))
            break;
    }
    if (p->err)
        *p->err = kept;
    return status;
}

/* Mesa's rasterizer ends loops when a run of a shader has had so many rounds, all loops together,
 * without reporting it. In the fewer bits of mediump a loop may take more rounds than its text
 * says. */
static bool may_be_cut(const struct shader *shader)
{
    return shader->rounds > GLES_ROUNDS;
}

static int gles_create_pipeline(struct gpu *g, const struct packet *p)
{
    uint32_t id = p->word[0], vs = 0, fs = 0, object = 0;
    int status = find(&g->shaders, p->word[1], "vertex shader", p, &vs);
    if (status == RAS_OK)
        status = find(&g->shaders, p->word[2], "fragment shader", p, &fs);
    if (status == RAS_OK)
        status = replace(g, &g->programs, &g->program, id, drop_program, p);
    if (status == RAS_OK)
        status = take_object(g, &g->programs, p, &object);
    if (status < 0)
        return status;
    const struct shader *first = &g->shader_texts[vs], *second = &g->shader_texts[fs];
    uint8_t *texts = malloc((size_t)first->len + second->len + 1);
    if (!texts || !array_grow(&g->program_list, &g->program_room, (size_t)object + 1,
                              sizeof *g->program_list)) {
        free(texts);
        return fail_memory(p->err);
    }
    memcpy(texts, first->text, first->len);
    memcpy(texts + first->len, second->text, second->len);
    struct ras_bytes both = {texts, (size_t)first->len + second->len};
    status = gles_process_run(&g->process, p->err); /* failures from here on are the compiler's */
    if (status == RAS_OK)
        status = call_with(g, p, GLES_PROGRAM, (const uint32_t[]){object, first->len}, 2, both);
    free(texts);
    if (status == RAS_OK && (status = gles_process_run(&g->process, p->err)) < 0)
        return tell_log(g, p, status);
    g->program_list[object] = (struct program_facts){
        .locations = g->process.shared->locations,
        .cut = may_be_cut(first) || may_be_cut(second) ||
               (g->process.shared->unchanged && (first->rounds || second->rounds))};
    return status == RAS_OK ? name_object(&g->programs, id, object, p) : status;
}

/* ---- packets: state and drawing ---------------------------------------------------------- */

static int gles_set_pipeline(struct gpu *g, const struct packet *p)
{
    uint32_t object = 0;
    int status = find(&g->programs, p->word[0], "pipeline", p, &object);
    if (status == RAS_OK)
        status = CALL(g, p, GLES_USE, object);
    return status == RAS_OK ? set_current(g, &g->program, object, drop_program, p) : status;
}

static int gles_set_vertex_buffer(struct gpu *g, const struct packet *p)
{
    uint32_t stride = p->word[1], position = p->word[2], color = p->word[3], object = 0;
    if (g->program.object == NO_OBJECT)
        return REFUSE(p, RAS_EFORMAT, "no pipeline is set%s", "");
    int status = find(&g->buffers, p->word[0], "buffer", p, &object);
    if (status < 0)
        return status;
    if (stride % ALIGNMENT || position % ALIGNMENT || color % ALIGNMENT || stride > STRIDE_MAX)
        return REFUSE(p, RAS_EFORMAT,
                      "stride %" PRIu32 ", offsets %" PRIu32 " and %" PRIu32
                      ": multiples of %d, and the stride at most %d",
                      stride, position, color, ALIGNMENT, STRIDE_MAX);
    g->stride = stride;
    g->position = position;
    g->color = color;
    status = CALL(g, p, GLES_VERTICES, object, stride, position, color);
    return status == RAS_OK ? set_current(g, &g->buffer, object, drop_buffer, p) : status;
}

static int gles_set_viewport(struct gpu *g, const struct packet *p)
{
    uint32_t width = p->word[0] ? p->word[0] : g->process.width;
    uint32_t height = p->word[1] ? p->word[1] : g->process.height;
    if (width > g->limits.side || height > g->limits.side)
        return REFUSE(p, RAS_ELIMIT, "%" PRIu32 "x%" PRIu32 " pixels, at most %" PRIu32 " a side",
                      width, height, g->limits.side);
    return CALL(g, p, GLES_VIEWPORT, width, height);
}

/* OpenGL clamps colours, but the result for NaN is undefined. */
static int gles_clear(struct gpu *g, const struct packet *p)
{
    uint32_t words[4];
    for (size_t i = 0; i < 4; i++) {
        float value;
        memcpy(&value, &p->word[i], sizeof value);
        words[i] = isnan(value) ? 0 : p->word[i];
    }
    g->inexact = false;
    return g->quiet ? RAS_OK : call_with(g, p, GLES_CLEAR, words, 4, (struct ras_bytes){0});
}

/* The attribute at `offset` of the last vertex lies in the buffer. A stride of 0 is that of an
 * attribute alone. */
static int gles_check_reach(const struct gpu *g, const struct packet *p, const char *what,
                            uint32_t offset, uint32_t size, uint64_t last)
{
    uint64_t stride = g->stride ? g->stride : size;
    uint64_t end = offset + stride * last + size, has = g->buffer_list[g->buffer.object].size;
    if (end <= has)
        return RAS_OK;
    return REFUSE(p, RAS_EFORMAT,
                  "%s of vertex %" PRIu64 " ends at %" PRIu64 ", the buffer has %" PRIu64 " bytes",
                  what, last, end, has);
}

static int gles_check_draw(const struct gpu *g, const struct packet *p)
{
    uint64_t count = p->word[0], last = count + p->word[1] - 1;
    if (g->program.object == NO_OBJECT)
        return REFUSE(p, RAS_EFORMAT, "no pipeline is set%s", "");
    if (count > g->limits.work || count + p->word[1] > INT_MAX)
        return REFUSE(p, RAS_ELIMIT, "%" PRIu64 " vertices from %" PRIu32, count, p->word[1]);
    uint32_t reads = g->program_list[g->program.object].locations & 3;
    if (reads && g->buffer.object == NO_OBJECT)
        return REFUSE(p, RAS_EFORMAT, "no vertex buffer is set%s", "");
    int status = RAS_OK;
    if (count && reads & 1)
        status = gles_check_reach(g, p, "the position", g->position, POSITION_SIZE, last);
    if (count && reads & 2 && status == RAS_OK)
        status = gles_check_reach(g, p, "the colour", g->color, COLOR_SIZE, last);
    return status;
}

/* The result of drawing NaN or infinity depends on the driver. */
static int gles_check_numbers(struct gpu *g, const struct packet *p)
{
    const struct packet_attribute all[] = {{"position", g->position, POSITION_SIZE},
                                           {"colour", g->color, COLOR_SIZE}};
    uint32_t reads = g->program_list[g->program.object].locations;
    for (uint32_t i = 0; i < 2; i++) {
        char text[80];
        if (!(reads >> i & 1) || packet_numbers(&all[i], g->buffer_list[g->buffer.object].bytes,
                                                g->stride, p->word[1], p->word[0], text))
            continue;
        g->inexact = true;
        return g->events.remark
                   ? g->events.remark(g->events.user, p->source->offset, p->op->name, text, p->err)
                   : RAS_OK;
    }
    return RAS_OK;
}

/* A loop that the driver may have ended early makes the picture inexact. */
static int check_loops(struct gpu *g, const struct packet *p)
{
    struct program_facts *facts = &g->program_list[g->program.object];
    bool said = facts->cut_said;
    if (!facts->cut)
        return RAS_OK;
    g->inexact = facts->cut_said = true;
    char text[160];
    snprintf(text, sizeof text,
             "a shader's loops may take more than %u rounds, where OpenGL ends them "
             "without an error",
             GLES_ROUNDS);
    return said || !g->events.remark
               ? RAS_OK
               : g->events.remark(g->events.user, p->source->offset, p->op->name, text, p->err);
}

static int gles_draw(struct gpu *g, const struct packet *p)
{
    int status = gles_check_draw(g, p);
    if (status == RAS_OK && g->events.drawing)
        status = g->events.drawing(g->events.user, p->source->offset, p->err);
    if (status == RAS_OK && p->word[0] && !g->quiet)
        status = gles_check_numbers(g, p);
    if (status == RAS_OK && p->word[0] && !g->quiet)
        status = check_loops(g, p);
    if (status == RAS_OK && p->word[0] && !g->quiet)
        status = CALL(g, p, GLES_DRAW, p->word[0], p->word[1]);
    g->drawn++;
    if (status == RAS_OK && g->events.drawn)
        status = g->events.drawn(g->events.user, g->drawn, p->err);
    return status;
}

/* The canvas, flipped so that its first row is the top one. */
static int read_canvas(struct gpu *g, const struct gles_call *call, struct gpu_present *out,
                       struct ras_error *err)
{
    static const char *const inexact[] = {"DRAW"};
    struct gles_shared *s = g->process.shared;
    int status = gles_process_put(&g->process, call, NULL, err);
    if (status == RAS_OK)
        status = gles_process_run(&g->process, err);
    if (status < 0)
        return status;
    gles_process_flip(&g->process);
    *out = (struct gpu_present){.picture = {g->process.width, g->process.height, s->pixels},
                                .inexact = inexact,
                                .inexact_count = g->inexact,
                                .canvas = true,
                                .offset = call->offset};
    return RAS_OK;
}

static int gles_present(struct gpu *g, const struct packet *p)
{
    const struct gles_call call = {
        .kind = GLES_READ, .opcode = p->op->opcode, .offset = p->source->offset};
    struct gpu_present now;
    if (g->quiet || !g->events.present)
        return RAS_OK;
    int status = read_canvas(g, &call, &now, p->err);
    return status == RAS_OK ? g->events.present(g->events.user, &now, p->err) : status;
}

/* ---- the row ----------------------------------------------------------------------------- */

static int gles_packet(struct gpu *g, struct ras_bytes bytes, const struct gpu_source *source,
                       struct ras_error *err)
{
    static int (*const run[])(struct gpu *, const struct packet *) = {
        gles_create_buffer, gles_upload_buffer,     gles_create_shader, gles_create_pipeline,
        gles_set_pipeline,  gles_set_vertex_buffer, gles_set_viewport,  gles_clear,
        gles_draw,          gles_present,
    };
    struct ras_aero_packet raw;
    struct ras_error why;
    if (ras_aero_packet_get(bytes, &raw, &why) < 0)
        return fail(err, RAS_EFORMAT, source->offset, "packet: %s", why.text);
    const struct ras_aero_op *op = ras_aero_packet_op(raw.opcode);
    if (!op)
        return fail(err, RAS_EUNSUPPORTED, source->offset, "packet: unknown opcode 0x%04" PRIx32,
                    raw.opcode);
    struct packet p = {.source = source, .op = op, .err = err};
    if (bytes.len < op->size_bytes)
        return REFUSE(&p, RAS_EFORMAT, "%zu bytes, it takes %" PRIu32, bytes.len, op->size_bytes);
    struct in in = in_bytes(raw.payload);
    for (size_t i = 0; i < (op->size_bytes - RAS_AERO_PACKET_HEADER_SIZE) / 4; i++)
        p.word[i] = in_u32(&in);
    return run[op->opcode - 1](g, &p);
}

static int gles_end_frame(struct gpu *g, struct ras_error *err)
{
    (void)g;
    (void)err;
    return RAS_OK; /* nothing is deferred */
}

static void gles_quiet(struct gpu *g, bool on)
{
    g->quiet = on;
}

static int gles_picture(struct gpu *g, struct gpu_present *now, struct ras_error *err)
{
    const struct gles_call call = {.kind = GLES_READ, .offset = RAS_NONE};
    return read_canvas(g, &call, now, err);
}

static void gles_close(struct gpu *g)
{
    if (!g)
        return;
    gles_process_close(&g->process);
    for (uint32_t i = 0; i < g->shaders.next && i < g->shader_room; i++)
        free(g->shader_texts[i].text);
    pool_free(&g->buffers);
    pool_free(&g->shaders);
    pool_free(&g->programs);
    free(g->shader_texts);
    for (uint32_t i = 0; i < g->buffer_count; i++)
        free(g->buffer_list[i].bytes);
    free(g->buffer_list);
    free(g->program_list);
    free(g);
}

static int gles_open(struct gpu **out, const struct gpu_setup *setup, struct ras_error *err)
{
    struct gpu_limits limits = gpu_limits_of(&setup->limits);
    uint32_t width = setup->width ? setup->width : 64, height = setup->height ? setup->height : 64;
    *out = NULL;
    uint64_t canvas = (uint64_t)width * height * 8; /* the driver's, and the picture */
    if (width > limits.side || height > limits.side || canvas > limits.memory_bytes)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "a canvas of %" PRIu32 "x%" PRIu32 ", at most %" PRIu32 " a side and %" PRIu64
                    " bytes",
                    width, height, limits.side, limits.memory_bytes);
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return fail_memory(err);
    *g = (struct gpu){.limits = limits, .events = setup->events, .memory = canvas};
    g->buffer.object = g->program.object = NO_OBJECT;
    int status = gles_process_open(&g->process, width, height, &limits, err);
    if (status < 0) {
        gles_close(g);
        return status;
    }
    *out = g;
    return RAS_OK;
}

const struct gpu_backend gpu_gles = {
    .name = "gles",
    .open = gles_open,
    .packet = gles_packet,
    .end_frame = gles_end_frame,
    .quiet = gles_quiet,
    .picture = gles_picture,
    .close = gles_close,
};
