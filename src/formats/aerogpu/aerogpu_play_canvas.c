/* aerogpu_play_canvas.c - how large the canvas of a trace is, which is drawn on where no target is
 * set.
 *
 * No command states it. meta_json may, with canvas_width and canvas_height; canvas_from says what
 * they come from in a slice. Without them the canvas has room for the viewports of draws on it, or
 * is taken to be as large as the targets of other draws: both are guesses, and reported as such. */
#include "base/id_table.h"
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/json_read.h"
#include "core/walk.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include <rastrum/render.h>

#include <stdlib.h>

enum { PACKET_VIEWPORT = 7, PACKET_DRAW = 9 };
enum {
    CREATE_TEXTURE = 0x101,
    CREATE_VIEW = 0x107,
    RENDER_TARGETS = 0x400,
    VIEWPORT = 0x401,
    DRAW = 0x601,
    DRAW_INDEXED = 0x602
};
enum { SIDE_MAX = 16384, TEXTURES_MAX = 65536 };
#define PIXELS_MAX ((uint64_t)1 << 26) /* of a canvas that nobody asked for */

struct size {
    uint32_t width, height;
};

struct search {
    struct ras_trace *trace;
    struct ras_error *err;
    bool bound;           /* targets are set: draws are not on the canvas */
    bool whole;           /* something was drawn on all of the canvas, however large that is */
    struct size viewport; /* right and bottom edge of the one that is set; 0: the canvas' */
    struct ras_canvas edge, target;
    struct id_table handles; /* of textures and of views of them: index in `sizes` */
    struct size *sizes;
    size_t count, room;
};

static const struct ras_canvas usual = {RAS_CANVAS_SIDE, RAS_CANVAS_SIDE, RAS_SIZE_DEFAULT,
                                        RAS_NONE};

static bool is_fit(uint64_t width, uint64_t height)
{
    return width && height && width <= SIDE_MAX && height <= SIDE_MAX &&
           width * height <= PIXELS_MAX;
}

/* ---- meta_json --------------------------------------------------------------------------- */

static bool find_stated(struct ras_bytes meta, struct ras_canvas *canvas)
{
    struct json_read in = json_read_bytes(meta);
    struct json_token key, value;
    uint64_t width = 0, height = 0;
    enum ras_size_from from = RAS_SIZE_META;
    bool object = json_read_next(&in, &key) == JSON_OBJECT;
    while (object && json_read_next(&in, &key) == JSON_KEY &&
           json_read_next(&in, &value) != JSON_BAD) {
        if (JSON_IS(&key, "canvas_width") && !json_u64_of(&value, &width))
            width = 0;
        if (JSON_IS(&key, "canvas_height") && !json_u64_of(&value, &height))
            height = 0;
        if (JSON_IS(&key, "canvas_from"))
            from = JSON_IS(&value, "viewport")  ? RAS_SIZE_VIEWPORT
                   : JSON_IS(&value, "targets") ? RAS_SIZE_TARGETS
                                                : RAS_SIZE_META;
        if (!json_read_skip(&in, &value))
            break;
    }
    if (in.fault || !is_fit(width, height))
        return false;
    *canvas = (struct ras_canvas){(uint32_t)width, (uint32_t)height, from, RAS_AERO_HEADER_SIZE};
    return true;
}

/* ---- commands ---------------------------------------------------------------------------- */

static void enlarge(struct ras_canvas *canvas, struct size size, uint64_t offset)
{
    struct size both = {size.width > canvas->width ? size.width : canvas->width,
                        size.height > canvas->height ? size.height : canvas->height};
    if ((both.width == canvas->width && both.height == canvas->height) ||
        !is_fit(both.width, both.height))
        return;
    canvas->width = both.width;
    canvas->height = both.height;
    canvas->offset = offset;
}

static void take_draw(struct search *s, uint64_t offset)
{
    if (s->bound)
        return;
    s->whole |= !s->viewport.width || !s->viewport.height;
    if (s->viewport.width && s->viewport.height)
        enlarge(&s->edge, s->viewport, offset);
}

static uint32_t field(const struct ras_aero_op *op, struct ras_bytes payload, const char *name)
{
    uint64_t value;
    return op && ras_aero_field_uint(op, payload, name, &value) ? (uint32_t)value : 0;
}

/* The edge at `from` plus `length`, in whole pixels; 0: it is not a usual one. */
static uint32_t edge_of(uint32_t from, uint32_t length)
{
    float at, more;
    memcpy(&at, &from, sizeof at);
    memcpy(&more, &length, sizeof more);
    float end = at + more;
    return more > 0 && end > 0 && end <= SIDE_MAX ? (uint32_t)end + (end > (float)(uint32_t)end)
                                                  : 0;
}

static bool name_texture(struct search *s, uint32_t handle, struct size size)
{
    if (s->count >= TEXTURES_MAX)
        return true;
    if (!array_grow(&s->sizes, &s->room, s->count + 1, sizeof *s->sizes))
        return false;
    id_table_remove(&s->handles, handle);
    s->sizes[s->count] = size;
    return id_table_add(&s->handles, handle, (uint32_t)s->count++);
}

static struct size size_of(const struct search *s, uint32_t handle)
{
    uint32_t i = id_table_find(&s->handles, handle);
    return i == ID_TABLE_NONE ? (struct size){0, 0} : s->sizes[i];
}

static void set_targets(struct search *s, const struct ras_aero_op *op, struct ras_bytes payload,
                        uint64_t offset)
{
    const struct ras_bytes colors = ras_aero_field_bytes(op, payload, "colors");
    s->bound = field(op, payload, "color_count") || field(op, payload, "depth_stencil");
    for (size_t i = 0; i + 4 <= colors.len; i += 4) {
        struct size size = size_of(s, load_u32(colors.at + i));
        if (size.width)
            enlarge(&s->target, size, offset);
    }
}

/* False: out of memory. */
static bool take_command(struct search *s, const struct ras_aero_command *c, uint64_t offset)
{
    const struct ras_aero_op *op = ras_aero_command_op(c->opcode, c->size_bytes);
    const struct ras_bytes p = c->payload;
    switch (c->opcode) {
    case CREATE_TEXTURE:
        return name_texture(s, field(op, p, "texture_handle"),
                            (struct size){field(op, p, "width"), field(op, p, "height")});
    case CREATE_VIEW:
        return field(op, p, "base_mip_level") ||
               name_texture(s, field(op, p, "view_handle"),
                            size_of(s, field(op, p, "texture_handle")));
    case RENDER_TARGETS:
        if (op)
            set_targets(s, op, p, offset);
        break;
    case VIEWPORT:
        s->viewport = (struct size){edge_of(field(op, p, "x"), field(op, p, "width")),
                                    edge_of(field(op, p, "y"), field(op, p, "height"))};
        break;
    case DRAW:
    case DRAW_INDEXED:
        take_draw(s, offset);
        break;
    default:
        break;
    }
    return true;
}

static bool take_stream(struct search *s, struct ras_bytes bytes)
{
    const uint8_t *file = source_bytes(s->trace->source, 0).at;
    struct ras_aero_stream stream;
    struct ras_aero_command c;
    uint64_t at = 0;
    bool ok = true;
    if (ras_aero_stream_get(bytes, &stream, NULL) < 0)
        return true;
    while (ok && ras_aero_command_get(stream.commands, &at, &c, NULL) == RAS_OK)
        ok = take_command(s, &c, (uint64_t)(c.payload.at - file) - RAS_AERO_COMMAND_HEADER_SIZE);
    return ok;
}

static void take_packet(struct search *s, struct ras_bytes bytes, uint64_t offset)
{
    struct ras_aero_packet p;
    uint32_t opcode = bytes.len >= 4 ? load_u32(bytes.at) : 0;
    if ((opcode != PACKET_VIEWPORT && opcode != PACKET_DRAW) ||
        ras_aero_packet_get(bytes, &p, NULL) < 0)
        return;
    const struct ras_aero_op *op = ras_aero_packet_op(p.opcode);
    if (p.opcode == PACKET_VIEWPORT)
        s->viewport =
            (struct size){field(op, p.payload, "width_px"), field(op, p.payload, "height_px")};
    if (p.opcode == PACKET_DRAW)
        take_draw(s, offset);
}

/* False: out of memory. */
static bool take_record(struct search *s, const struct ras_aero_record *record, uint64_t offset)
{
    struct ras_aero_submission submission;
    struct ras_aero_blob blob;
    bool nomem = false;
    if (record->record_type == RAS_AERO_PACKET && !ras_aero_is_stream(record->payload))
        take_packet(s, record->payload, offset);
    else if (record->record_type == RAS_AERO_PACKET)
        return take_stream(s, record->payload);
    else if (record->record_type == RAS_AERO_SUBMISSION &&
             ras_aero_submission_get(record->payload, &submission, NULL) == RAS_OK &&
             aero_blob_before(s->trace, submission.cmd_stream_blob_id, offset, &blob, NULL, &nomem))
        return take_stream(s, blob.data);
    return !nomem;
}

/* Record by record, without a cursor. RAS_END: something cannot be followed. */
static int pass_records(struct search *s)
{
    const struct ras_bytes all = source_bytes(s->trace->source, 0);
    struct ras_aero_record record;
    uint64_t at = s->trace->body, start = at;
    for (; ras_aero_record_get(all, &at, &record, NULL) == RAS_OK; start = at) {
        if (!ras_aero_record_name(record.record_type))
            break;
        if (!take_record(s, &record, start))
            return fail_memory(s->err);
    }
    return start == all.len ||
                   aero_magic_begins(aero_slice(all, start, AERO_MAGIC_SIZE), AERO_MAGIC_TOC)
               ? RAS_OK
               : RAS_END;
}

static int walk_records(struct search *s)
{
    static const struct ras_pick picks[] = {{.type = "packet"}, {.type = "submission"}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2, .headers_only = true};
    struct ras_aero_record record;
    struct ras_cursor *cursor;
    const struct ras_record *r;
    int status = ras_cursor_open(&cursor, s->trace, &scan, s->err);
    if (status < 0)
        return status;
    while ((status = walk_next(s->trace, cursor, &r, s->err)) == RAS_OK) {
        uint64_t at = 0;
        bool some = ras_aero_record_get((struct ras_bytes){r->raw, r->raw_len}, &at, &record,
                                        NULL) == RAS_OK;
        if ((r->schema == AERO_PACKET_TYPE || r->schema == AERO_SUBMISSION_TYPE) && some &&
            !take_record(s, &record, r->offset))
            status = fail_memory(s->err);
    }
    ras_cursor_close(cursor);
    return status < 0 ? status : RAS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Where something is drawn on all of it, viewports that the default has room for tell nothing. */
static void choose(const struct search *s, struct ras_canvas *canvas)
{
    struct ras_canvas edge = s->edge;
    if (s->whole && edge.width <= canvas->width && edge.height <= canvas->height)
        edge.width = 0;
    if (s->whole && edge.width)
        enlarge(&edge, (struct size){canvas->width, canvas->height}, edge.offset);
    if (edge.width)
        *canvas = edge;
    else if (s->target.width)
        *canvas = s->target;
}

static bool is_all_here(const struct source *s)
{
    return !source_can_grow(s) && !source_arriving(s) && !source_pending(s);
}

int aero_canvas(struct ras_trace *t, struct ras_canvas *canvas, struct ras_error *err)
{
    const struct aero *a = t->priv;
    const struct ras_bytes all = source_bytes(t->source, 0);
    struct search s = {.trace = t,
                       .err = err,
                       .edge = {.from = RAS_SIZE_VIEWPORT},
                       .target = {.from = RAS_SIZE_TARGETS}};
    *canvas = usual;
    if (a->shape == AERO_TABLE ||
        (a->shape == AERO_CONTAINER && find_stated(ras_aero_meta(all, &a->header), canvas)))
        return RAS_OK;
    int status = RAS_OK;
    if (a->shape == AERO_CONTAINER)
        status = is_all_here(t->source) ? pass_records(&s) : RAS_END;
    if (status == RAS_END) /* what still comes, or is damaged */
        status = walk_records(&s);
    if (a->shape == AERO_STREAM)
        status = source_whole(t->source, err);
    if (a->shape == AERO_STREAM && status == RAS_OK && !take_stream(&s, source_bytes(t->source, 0)))
        status = fail_memory(err);
    choose(&s, canvas);
    id_table_free(&s.handles);
    free(s.sizes);
    return status;
}

int aero_canvas_asked(struct ras_trace *t, const struct ras_render_options *asked,
                      struct ras_canvas *canvas, struct ras_error *err)
{
    const struct ras_render_limits *l = &asked->limits;
    *canvas = (struct ras_canvas){asked->width ? asked->width : RAS_CANVAS_SIDE,
                                  asked->height ? asked->height : RAS_CANVAS_SIDE, RAS_SIZE_OPTION,
                                  RAS_NONE};
    if (asked->width || asked->height)
        return RAS_OK;
    int status = aero_canvas(t, canvas, err);
    uint64_t size = (uint64_t)canvas->width * canvas->height * 16;
    if ((l->side && (canvas->width > l->side || canvas->height > l->side)) ||
        (l->memory_bytes && size > l->memory_bytes))
        *canvas = usual;
    return status;
}

int aero_canvas_members(struct ras_trace *t, const char *comma, struct out *to,
                        struct ras_error *err)
{
    struct ras_canvas c;
    int status = aero_canvas(t, &c, err);
    if (status < 0)
        return status;
    if ((c.from != RAS_SIZE_VIEWPORT && c.from != RAS_SIZE_TARGETS) ||
        c.offset == RAS_AERO_HEADER_SIZE)
        return RAS_END;
    out_format(
        to, "%s\"canvas_width\":%" PRIu32 ",\"canvas_height\":%" PRIu32 ",\"canvas_from\":\"%s\"",
        comma, c.width, c.height, ras_size_from_name(c.from));
    return RAS_OK;
}
