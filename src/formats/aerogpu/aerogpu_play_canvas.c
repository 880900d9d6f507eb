/* aerogpu_play_canvas.c - the size of the canvas of a trace, which is drawn on where no target is
 * set.
 *
 * No command states it. meta_json may, with canvas_width and canvas_height; canvas_from states
 * their origin in a slice. Without them the canvas has room for the viewports of draws on it, or is
 * taken to be as large as the targets of other draws: both are guesses, and reported as such. */
#include "base/id_table.h"
#include "base/in.h"
#include "base/memory.h"
#include "codec/json_read.h"
#include "core/format.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_play.h"
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
#define PIXELS_MAX ((uint64_t)1 << 26) /* of a canvas that no option states */

struct size {
    uint32_t width, height;
};

struct canvas_search {
    struct ras_trace *trace;
    struct ras_error *err;
    struct ras_bytes all;       /* of the source */
    uint64_t at;                /* everything before was read */
    struct aero_cursor *passed; /* has the recent streams */
    struct aero_cursor streams; /* where there is no cursor */
    struct ras_aero_blob last;  /* that was passed */
    int status;                 /* other than RAS_OK: how its records ended */
    struct ras_canvas guess;    /* what a slice states */
    bool stated;                /* commands are ignored */
    bool bound;                 /* targets are set: draws are not on the canvas */
    bool whole;           /* something was drawn on all of the canvas, however large that is */
    struct size viewport; /* right and bottom edge of the one that is set; 0: that of the canvas */
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

static void canvas_draw(struct canvas_search *s, uint64_t offset)
{
    if (s->bound)
        return;
    s->whole |= !s->viewport.width || !s->viewport.height;
    if (s->viewport.width && s->viewport.height)
        enlarge(&s->edge, s->viewport, offset);
}

/* The edge at `from` plus `length`, in whole pixels; 0: it is not a usable one. */
static uint32_t edge_of(uint32_t from, uint32_t length)
{
    float at, more;
    memcpy(&at, &from, sizeof at);
    memcpy(&more, &length, sizeof more);
    float end = at + more;
    return more > 0 && end > 0 && end <= SIDE_MAX ? (uint32_t)end + (end > (float)(uint32_t)end)
                                                  : 0;
}

static bool name_texture(struct canvas_search *s, uint32_t handle, struct size size)
{
    if (s->count >= TEXTURES_MAX)
        return true;
    if (!array_grow(&s->sizes, &s->room, s->count + 1, sizeof *s->sizes))
        return false;
    id_table_remove(&s->handles, handle);
    s->sizes[s->count] = size;
    return id_table_add(&s->handles, handle, (uint32_t)s->count++);
}

static struct size size_of(const struct canvas_search *s, uint32_t handle)
{
    uint32_t i = id_table_find(&s->handles, handle);
    return i == ID_TABLE_NONE ? (struct size){0, 0} : s->sizes[i];
}

static void set_targets(struct canvas_search *s, const struct ras_aero_op *op,
                        struct ras_bytes payload, uint64_t offset)
{
    const struct ras_bytes colors = ras_aero_field_bytes(op, payload, "colors");
    s->bound =
        aero_op_field(op, payload, "color_count") || aero_op_field(op, payload, "depth_stencil");
    for (size_t i = 0; i + 4 <= colors.len; i += 4) {
        struct size size = size_of(s, load_u32(colors.at + i));
        if (size.width)
            enlarge(&s->target, size, offset);
    }
}

/* Whether a command may affect a size, or the target of draws. */
static bool counts(uint32_t opcode)
{
    return opcode == CREATE_TEXTURE || opcode == CREATE_VIEW || opcode == RENDER_TARGETS ||
           opcode == VIEWPORT || opcode == DRAW || opcode == DRAW_INDEXED;
}

/* False: out of memory. */
static bool canvas_command(struct canvas_search *s, const struct ras_aero_command *c,
                           uint64_t offset)
{
    bool draws = c->opcode == DRAW || c->opcode == DRAW_INDEXED;
    const struct ras_aero_op *op = draws ? NULL : ras_aero_command_op(c->opcode, c->size_bytes);
    const struct ras_bytes p = c->payload;
    switch (c->opcode) {
    case CREATE_TEXTURE:
        return name_texture(
            s, aero_op_field(op, p, "texture_handle"),
            (struct size){aero_op_field(op, p, "width"), aero_op_field(op, p, "height")});
    case CREATE_VIEW:
        return aero_op_field(op, p, "base_mip_level") ||
               name_texture(s, aero_op_field(op, p, "view_handle"),
                            size_of(s, aero_op_field(op, p, "texture_handle")));
    case RENDER_TARGETS:
        if (op)
            set_targets(s, op, p, offset);
        break;
    case VIEWPORT:
        s->viewport =
            (struct size){edge_of(aero_op_field(op, p, "x"), aero_op_field(op, p, "width")),
                          edge_of(aero_op_field(op, p, "y"), aero_op_field(op, p, "height"))};
        break;
    case DRAW:
    case DRAW_INDEXED:
        canvas_draw(s, offset);
        break;
    default:
        break;
    }
    return true;
}

/* Of most commands only the header is read: traces have many of them. */
static bool canvas_stream(struct canvas_search *s, struct ras_bytes bytes)
{
    const struct ras_bytes stream = {bytes.at, aero_stream_size(bytes)};
    bool ok = true;
    uint32_t size;
    for (uint64_t at = RAS_AERO_STREAM_HEADER_SIZE; ok && at < stream.len; at += size) {
        if (!(size = aero_command_size(stream, at)))
            break;
        const uint8_t *p = stream.at + at;
        struct ras_aero_command c = {.opcode = aero_word_at(p), .size_bytes = size};
        if (!counts(c.opcode))
            continue;
        c.payload = aero_slice(stream, at + RAS_AERO_COMMAND_HEADER_SIZE,
                               size - RAS_AERO_COMMAND_HEADER_SIZE);
        ok = canvas_command(s, &c, (uint64_t)(p - s->all.at));
    }
    return ok;
}

static void canvas_packet(struct canvas_search *s, struct ras_bytes bytes, uint64_t offset)
{
    uint32_t opcode = bytes.len >= 4 ? aero_word_at(bytes.at) : 0;
    if ((opcode != PACKET_VIEWPORT && opcode != PACKET_DRAW) ||
        !aero_is_packet(bytes.at, (uint32_t)bytes.len))
        return;
    if (opcode == PACKET_DRAW) {
        canvas_draw(s, offset);
        return;
    }
    const struct ras_aero_op *op = ras_aero_packet_op(opcode);
    struct ras_bytes payload = aero_slice(bytes, RAS_AERO_PACKET_HEADER_SIZE, UINT64_MAX);
    s->viewport = (struct size){aero_op_field(op, payload, "width_px"),
                                aero_op_field(op, payload, "height_px")};
}

/* Most submissions name the blob before them. */
static void canvas_blob(struct canvas_search *s, struct ras_bytes payload, uint64_t offset)
{
    if (payload.len < RAS_AERO_BLOB_HEADER_SIZE)
        return;
    s->last = (struct ras_aero_blob){
        .blob_id = aero_id_at(payload.at),
        .kind = aero_word_at(payload.at + 8),
        .data = {payload.at + RAS_AERO_BLOB_HEADER_SIZE, payload.len - RAS_AERO_BLOB_HEADER_SIZE}};
    aero_remember(s->passed, &s->last, offset);
}

/* False: out of memory. */
static bool canvas_submission(struct canvas_search *s, struct ras_bytes payload, uint64_t offset)
{
    struct ras_aero_blob blob;
    uint64_t id;
    bool nomem = false;
    if (!aero_submission_stream(payload, &id))
        return true;
    if (id && id == s->last.blob_id)
        return canvas_stream(s, s->last.data);
    if (aero_stream_before(s->trace, s->passed, s->all, id, offset, &blob, &nomem))
        return canvas_stream(s, blob.data);
    return !nomem;
}

/* False: out of memory. */
static bool canvas_record(struct canvas_search *s, uint8_t type, struct ras_bytes payload,
                          uint64_t offset)
{
    if (type == RAS_AERO_SUBMISSION)
        return canvas_submission(s, payload, offset);
    if (type == RAS_AERO_PACKET && ras_aero_is_stream(payload))
        return canvas_stream(s, payload);
    if (type == RAS_AERO_PACKET)
        canvas_packet(s, payload, offset);
    else if (type == RAS_AERO_BLOB)
        canvas_blob(s, payload, offset);
    return true;
}

/* Records that begin before `until`, one by one without a cursor. RAS_END: a record cannot be
 * followed, or the records end. */
static int canvas_records(struct canvas_search *s, uint64_t until)
{
    while (s->at < until) {
        const uint8_t *p = s->all.at + s->at;
        if (!aero_is_usual(&s->streams, p, s->all.len - s->at))
            return RAS_END;
        struct ras_bytes payload = {p + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(p)};
        if (!canvas_record(s, aero_type_at(p), payload, s->at))
            return fail_memory(s->err);
        s->at += RAS_AERO_RECORD_HEADER_SIZE + payload.len;
    }
    return RAS_OK;
}

/* Whether the records end where they could not be followed. */
static bool is_at_end(const struct canvas_search *s)
{
    return s->at == s->all.len ||
           aero_magic_begins(aero_slice(s->all, s->at, AERO_MAGIC_SIZE), AERO_MAGIC_TOC);
}

static int walk_records(struct canvas_search *s)
{
    static const struct ras_pick picks[] = {{.type = "packet"}, {.type = "submission"}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2, .headers_only = true};
    struct ras_cursor *cursor;
    const struct ras_record *r;
    int status = ras_cursor_open(&cursor, s->trace, &scan, s->err);
    if (status < 0)
        return status;
    s->passed = cursor->priv;
    while ((status = walk_next(s->trace, cursor, &r, s->err)) == RAS_OK) {
        s->all = source_bytes(s->trace->source, 0); /* the buffer may have moved */
        const struct ras_bytes payload = aero_slice((struct ras_bytes){r->raw, r->raw_len},
                                                    RAS_AERO_RECORD_HEADER_SIZE, UINT64_MAX);
        uint8_t type = r->schema == AERO_PACKET_TYPE       ? RAS_AERO_PACKET
                       : r->schema == AERO_SUBMISSION_TYPE ? RAS_AERO_SUBMISSION
                                                           : 0;
        if (type && !canvas_record(s, type, payload, r->offset)) {
            status = fail_memory(s->err);
            break;
        }
    }
    ras_cursor_close(cursor);
    return status < 0 ? status : RAS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* If something is drawn on all of the canvas, viewports that fit into the default are no evidence.
 */
static void choose(const struct canvas_search *s, struct ras_canvas *canvas)
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

static void search_begin(struct canvas_search *s, struct ras_trace *t, struct ras_error *err)
{
    *s = (struct canvas_search){
        .trace = t,
        .err = err,
        .all = source_bytes(t->source, 0),
        .at = t->body,
        .streams = {.types = RAS_AERO_SUBMISSION, .record_limit = UINT32_MAX},
        .edge = {.from = RAS_SIZE_VIEWPORT},
        .target = {.from = RAS_SIZE_TARGETS}};
    s->passed = &s->streams;
}

static void search_end(struct canvas_search *s)
{
    id_table_free(&s->handles);
    free(s->sizes);
}

static int search_container(struct canvas_search *s)
{
    int status = is_all_here(s->trace->source) ? canvas_records(s, s->all.len) : RAS_END;
    if (status != RAS_END || is_at_end(s))
        return status < 0 ? status : RAS_OK;
    struct ras_trace *t = s->trace; /* the trace still grows, or is damaged */
    struct ras_error *err = s->err;
    search_end(s);
    search_begin(s, t, err);
    return walk_records(s);
}

static int search_stream(struct canvas_search *s)
{
    int status = source_whole(s->trace->source, s->err);
    if (status < 0)
        return status;
    s->all = source_bytes(s->trace->source, 0);
    return canvas_stream(s, s->all) ? RAS_OK : fail_memory(s->err);
}

int aero_canvas(struct ras_trace *t, struct ras_canvas *canvas, struct ras_error *err)
{
    const struct aero *a = t->priv;
    struct canvas_search s;
    search_begin(&s, t, err);
    *canvas = usual;
    if (a->shape == AERO_TABLE ||
        (a->shape == AERO_CONTAINER && find_stated(ras_aero_meta(s.all, &a->header), canvas)))
        return RAS_OK;
    int status = a->shape == AERO_CONTAINER ? search_container(&s) : search_stream(&s);
    choose(&s, canvas);
    search_end(&s);
    return status;
}

int aero_canvas_of_options(struct ras_trace *t, const struct ras_render_options *options,
                           struct ras_canvas *canvas, struct ras_error *err)
{
    const struct ras_render_limits *l = &options->limits;
    *canvas = (struct ras_canvas){options->width ? options->width : RAS_CANVAS_SIDE,
                                  options->height ? options->height : RAS_CANVAS_SIDE,
                                  RAS_SIZE_OPTION, RAS_NONE};
    if (options->width || options->height)
        return RAS_OK;
    int status = aero_canvas(t, canvas, err);
    uint64_t size = (uint64_t)canvas->width * canvas->height * 16;
    if ((l->side && (canvas->width > l->side || canvas->height > l->side)) ||
        (l->memory_bytes && size > l->memory_bytes))
        *canvas = usual;
    return status;
}

/* ---- in steps -------------------------------------------------------------------------- */

/* The canvas by the records up to `until`. NULL: all records must be read. */
static struct canvas_search *guess(struct ras_trace *t, uint64_t until)
{
    const struct aero *a = t->priv;
    struct canvas_search *s = is_all_here(t->source) ? malloc(sizeof *s) : NULL;
    if (!s)
        return NULL;
    search_begin(s, t, NULL);
    s->guess = usual;
    s->stated = find_stated(ras_aero_meta(s->all, &a->header), &s->guess);
    aero_canvas_reach(s, until);
    if (!s->stated)
        choose(s, &s->guess);
    return s;
}

void aero_canvas_reach(struct canvas_search *s, uint64_t until)
{
    if (s->at < until && !s->stated && s->status == RAS_OK)
        s->status = canvas_records(s, until < s->all.len ? until : s->all.len);
}

bool aero_canvas_confirmed(struct canvas_search *s)
{
    struct ras_canvas canvas = usual;
    if (s->stated)
        return true;
    aero_canvas_reach(s, RAS_NONE);
    if (s->status == RAS_OK || (s->status == RAS_END && is_at_end(s)))
        choose(s, &canvas);
    else if (aero_canvas(s->trace, &canvas, NULL) < 0)
        return false;
    return canvas.width == s->guess.width && canvas.height == s->guess.height &&
           canvas.from == s->guess.from;
}

void aero_canvas_free(struct canvas_search *s)
{
    if (s)
        search_end(s);
    free(s);
}

int aero_canvas_members(struct ras_trace *t, uint64_t until, struct canvas_search **search,
                        struct json *j, struct ras_error *err)
{
    struct ras_canvas c;
    *search = until == RAS_NONE ? NULL : guess(t, until);
    int status = RAS_OK;
    if (*search)
        c = (*search)->guess;
    else
        status = aero_canvas(t, &c, err);
    if (status < 0)
        return status;
    if ((c.from != RAS_SIZE_VIEWPORT && c.from != RAS_SIZE_TARGETS) ||
        c.offset == RAS_AERO_HEADER_SIZE)
        return RAS_END;
    json_uint(j, "canvas_width", c.width);
    json_uint(j, "canvas_height", c.height);
    json_text(j, "canvas_from", ras_size_from_name(c.from));
    return RAS_OK;
}
