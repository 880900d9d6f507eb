/* pen_aerogpu.c - the pen of pictures: a frame every tick, in the packets of Appendix A.
 *
 * The first frame makes what all of them use: the shaders, as GLSL ES 3.00 and as WGSL, the
 * pipeline, and a buffer with the scenery. Every frame uploads what moves, clears, draws layer
 * by layer and presents. It sets all that it needs, so that it can be drawn after the first
 * one alone (and after the last one that made a larger buffer). */
#include "base/error.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "core/tick_index.h"
#include "world/run_pens.h"

#include <rastrum/aerogpu.h>
#include <stdlib.h>
#include <string.h>

/* Appendix A. */
enum opcode {
    CREATE_BUFFER = 1,
    UPLOAD_BUFFER,
    CREATE_SHADER,
    CREATE_PIPELINE,
    SET_PIPELINE,
    SET_VERTEX_BUFFER,
    SET_VIEWPORT,
    CLEAR,
    DRAW,
    PRESENT,
};
enum { COMMAND_ABI = 1 };
enum { STAGE_VERTEX, STAGE_FRAGMENT, STAGES };
enum {
    WORDS_MOST = 8,
    COLOUR_AT = 8,           /* of a vertex, after its position */
    MOVING_LEAST = 64 << 10, /* bytes of the first buffer for what moves */
};
_Static_assert(sizeof(struct ras_vertex) == 24, "the one layout that every back end has");

struct pen {
    struct ras_aero_writer *writer;
    struct ras_drawing picture, scenery;
    uint32_t moving, moving_bytes; /* the buffer for what moves, and its size */
    bool begun;
    int status; /* of the tick that is written: after a failure nothing more is */
    struct ras_error *err;
};
enum { SCENERY = 1, PIPELINE = 1 }; /* buffers are counted on from the scenery's */

static const char *const glsl[STAGES], *const wgsl[STAGES];

static void put_packet(struct pen *pen, enum opcode opcode, const uint32_t *words, uint32_t count)
{
    uint8_t packet[RAS_AERO_PACKET_HEADER_SIZE + 4 * WORDS_MOST];
    struct ras_aero_packet head = {.opcode = opcode, .total_dwords = 2 + count};
    uint8_t *to = packet + RAS_AERO_PACKET_HEADER_SIZE;
    ras_aero_packet_put(&head, packet);
    for (uint32_t i = 0; i < count; i++)
        to = store_u32(to, words[i]);
    if (pen->status == RAS_OK)
        pen->status = ras_aero_writer_packet(
            pen->writer, (struct ras_bytes){packet, (size_t)(to - packet)}, pen->err);
}
#define PUT(pen, opcode, ...)                                                                      \
    put_packet(pen, opcode, (const uint32_t[]){__VA_ARGS__},                                       \
               sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint64_t put_blob(struct pen *pen, enum ras_aero_blob_kind kind, struct ras_bytes data)
{
    uint64_t id = 0;
    if (pen->status == RAS_OK)
        pen->status = ras_aero_writer_blob(pen->writer, kind, data, &id, pen->err);
    return id;
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* A user's world is untrusted. */
static int check_drawing(const struct ras_drawing *d, struct ras_error *err)
{
    uint32_t end = 0;
    if (d->count % 3)
        return fail(err, RAS_EUSAGE, 0, "the world draws %" PRIu32 " vertices: no whole triangles",
                    d->count);
    if (d->layer_count > RAS_DRAW_LAYERS)
        return fail(err, RAS_EUSAGE, 0, "the world draws %" PRIu32 " layers, more than %u",
                    d->layer_count, RAS_DRAW_LAYERS);
    for (uint32_t i = 0; i < d->layer_count; end = d->layer_end[i++])
        if (d->layer_end[i] < end || d->layer_end[i] > d->count || d->layer_end[i] % 3)
            return fail(err, RAS_EUSAGE, 0,
                        "the world draws layer %" PRIu32 " up to vertex %" PRIu32 " of %" PRIu32, i,
                        d->layer_end[i], d->count);
    return RAS_OK;
}

static int draw_scene(const struct pen_tick *t, bool scenery, struct ras_drawing *d,
                      struct ras_error *err)
{
    t->type->draw(t->world, scenery, d);
    if (d->count > d->room) {
        if (d->count > RAS_DRAW_VERTICES)
            return fail(err, RAS_ELIMIT, 0, "the world draws %" PRIu32 " vertices, more than %u",
                        d->count, RAS_DRAW_VERTICES);
        size_t room = d->room;
        if (!array_grow(&d->vertices, &room, d->count, sizeof *d->vertices))
            return fail_memory(err);
        d->room = (uint32_t)room;
        t->type->draw(t->world, scenery, d);
        if (d->count > d->room)
            return fail(err, RAS_EUSAGE, 0, "the world does not draw the same twice");
    }
    return check_drawing(d, err);
}

/* Its vertices as they are stored, which on most machines they are. */
static struct ras_bytes stored(struct ras_drawing *d)
{
    uint8_t *at = (uint8_t *)d->vertices;
    size_t size = (size_t)d->count * sizeof *d->vertices;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, sizeof word);
        store_u32(at + i, word);
    }
    return (struct ras_bytes){at, size};
}

/* ---- frames ------------------------------------------------------------------------------ */

static void upload(struct pen *pen, uint32_t buffer, struct ras_drawing *d)
{
    struct ras_bytes data = stored(d);
    uint64_t blob = put_blob(pen, RAS_AERO_BUFFER_DATA, data);
    PUT(pen, UPLOAD_BUFFER, buffer, 0, (uint32_t)data.len, (uint32_t)blob, (uint32_t)(blob >> 32));
}

static uint64_t text_blob(struct pen *pen, enum ras_aero_blob_kind kind, const char *text)
{
    return put_blob(pen, kind, (struct ras_bytes){(const uint8_t *)text, strlen(text)});
}

static void make_shader(struct pen *pen, uint32_t stage)
{
    uint64_t es = text_blob(pen, RAS_AERO_SHADER_GLSL_ES300, glsl[stage]);
    uint64_t web = text_blob(pen, RAS_AERO_SHADER_WGSL, wgsl[stage]);
    PUT(pen, CREATE_SHADER, stage + 1, stage, (uint32_t)es, (uint32_t)(es >> 32), (uint32_t)web,
        (uint32_t)(web >> 32), 0, 0);
}

/* What every frame uses. */
static void make_resources(struct pen *pen, const struct pen_tick *t)
{
    pen->status = draw_scene(t, true, &pen->scenery, pen->err);
    for (uint32_t stage = 0; stage < STAGES; stage++)
        make_shader(pen, stage);
    PUT(pen, CREATE_PIPELINE, PIPELINE, STAGE_VERTEX + 1, STAGE_FRAGMENT + 1);
    uint32_t bytes = pen->scenery.count * (uint32_t)sizeof *pen->scenery.vertices;
    pen->moving = SCENERY;
    pen->begun = true;
    if (pen->status < 0 || !bytes)
        return;
    PUT(pen, CREATE_BUFFER, SCENERY, bytes, 0);
    upload(pen, SCENERY, &pen->scenery);
}

/* A buffer is made for some time to come. */
static void upload_moving(struct pen *pen)
{
    uint32_t bytes = pen->picture.count * (uint32_t)sizeof *pen->picture.vertices;
    if (bytes > pen->moving_bytes) {
        uint32_t size = MOVING_LEAST;
        while (size < 2 * bytes)
            size *= 2;
        PUT(pen, CREATE_BUFFER, ++pen->moving, size, 0);
        pen->moving_bytes = size;
    }
    if (bytes)
        upload(pen, pen->moving, &pen->picture);
}

static void paint(struct pen *pen, uint32_t buffer, const struct ras_drawing *d)
{
    uint32_t from = 0;
    if (!d->count)
        return;
    PUT(pen, SET_VERTEX_BUFFER, buffer, sizeof *d->vertices, 0, COLOUR_AT);
    for (uint32_t i = 0; i <= d->layer_count; i++) {
        uint32_t to = i < d->layer_count ? d->layer_end[i] : d->count;
        if (to > from)
            PUT(pen, DRAW, to - from, from);
        from = to;
    }
}

static void begin_picture(struct pen *pen)
{
    uint32_t backdrop[4];
    memcpy(backdrop, pen->picture.backdrop, sizeof backdrop);
    PUT(pen, SET_VIEWPORT, 0, 0);
    put_packet(pen, CLEAR, backdrop, 4);
    PUT(pen, SET_PIPELINE, PIPELINE);
}

static int aerogpu_pen_tick(void *state, const struct pen_tick *t, struct ras_error *err)
{
    struct pen *pen = state;
    uint32_t frame = ras_aero_writer_count(pen->writer);
    pen->err = err;
    pen->status = draw_scene(t, false, &pen->picture, err);
    if (pen->status == RAS_OK)
        pen->status = ras_aero_writer_begin_frame(pen->writer, frame, err);
    if (pen->status == RAS_OK && !pen->begun)
        make_resources(pen, t);
    if (pen->status < 0) /* the drawings may contradict themselves */
        return pen->status;
    upload_moving(pen);
    begin_picture(pen);
    paint(pen, SCENERY, &pen->scenery);
    paint(pen, pen->moving, &pen->picture);
    put_packet(pen, PRESENT, NULL, 0);
    return pen->status < 0 ? pen->status : ras_aero_writer_present(pen->writer, frame, err);
}

static void aerogpu_pen_place(const void *state, struct tick_rows *rows)
{
    tick_rows_put(rows, "aerogpu.frame",
                  (uint64_t)ras_aero_writer_count(((const struct pen *)state)->writer) - 1);
}

/* ---- the pen ----------------------------------------------------------------------------- */

static const char *aerogpu_pen_lacks(const struct ras_world_type *type,
                                     const struct ras_run_options *options)
{
    (void)options;
    return type->draw ? NULL : "it does not draw itself";
}

static void pen_free(struct pen *pen)
{
    free(pen->picture.vertices);
    free(pen->scenery.vertices);
    free(pen);
}

static void aerogpu_pen_drop(void *state)
{
    struct pen *pen = state;
    if (!pen)
        return;
    (void)!ras_aero_writer_close(pen->writer, NULL); /* the run has failed, and said so */
    pen_free(pen);
}

/* The picture has no size of its own; this one shows every creature. */
static void put_meta(struct out *out)
{
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    json_text(&j, "emulator_version", "rastrum " RASTRUM_VERSION);
    json_uint(&j, "command_abi_version", COMMAND_ABI);
    json_uint(&j, "canvas_width", 512);
    json_uint(&j, "canvas_height", 512);
    json_close(&j);
}

static int aerogpu_pen_open(void **out, const struct pen_run *run, struct ras_error *err)
{
    struct pen *pen = calloc(1, sizeof *pen);
    struct ras_sink *sink;
    struct out meta = {0};
    *out = NULL;
    put_meta(&meta);
    if (!pen || meta.failed) {
        out_free(&meta);
        free(pen);
        return fail_memory(err);
    }
    struct ras_aero_writer_options start = {.container_version = 1,
                                            .command_abi_version = COMMAND_ABI,
                                            .meta_json = {meta.at, meta.len}};
    int status = ras_folder_sink(run->folder, aerogpu_pen.file, &sink, err);
    if (status == RAS_OK)
        status = ras_aero_writer_open(&pen->writer, sink, &start, err);
    out_free(&meta);
    if (status < 0)
        aerogpu_pen_drop(pen);
    else
        *out = pen;
    return status;
}

static int aerogpu_pen_close(void *state, struct ras_error *err)
{
    struct pen *pen = state;
    int status = ras_aero_writer_finish(pen->writer, err);
    int closed = ras_aero_writer_close(pen->writer, status == RAS_OK ? err : NULL);
    pen_free(pen);
    return status < 0 ? status : closed;
}

const struct pen_type aerogpu_pen = {
    .name = "aerogpu",
    .file = "gpu.aerogputrace",
    .lacks = aerogpu_pen_lacks,
    .open = aerogpu_pen_open,
    .tick = aerogpu_pen_tick,
    .place = aerogpu_pen_place,
    .close = aerogpu_pen_close,
    .drop = aerogpu_pen_drop,
};

/* Nothing but a position and a colour passed on: any back end can prove what it executes. */
static const char *const glsl[STAGES] = {
    "#version 300 es\n"
    "precision highp float;\n"
    "layout(location = 0) in vec2 position;\n"
    "layout(location = 1) in vec4 colour;\n"
    "out vec4 shade;\n"
    "void main() {\n"
    "    shade = colour;\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n",
    "#version 300 es\n"
    "precision highp float;\n"
    "in vec4 shade;\n"
    "out vec4 pixel;\n"
    "void main() {\n"
    "    pixel = shade;\n"
    "}\n",
};

static const char *const wgsl[STAGES] = {
    "struct Corner {\n"
    "    @builtin(position) position: vec4<f32>,\n"
    "    @location(0) shade: vec4<f32>,\n"
    "}\n"
    "@vertex\n"
    "fn vs_main(@location(0) position: vec2<f32>, @location(1) colour: vec4<f32>) -> Corner {\n"
    "    return Corner(vec4<f32>(position, 0.0, 1.0), colour);\n"
    "}\n",
    "@fragment\n"
    "fn fs_main(@location(0) shade: vec4<f32>) -> @location(0) vec4<f32> {\n"
    "    return shade;\n"
    "}\n",
};
