/* aerogpu_play.c - execute a trace again: its packets and submissions go to a back end, and every
 * frame that presents something is shown.
 *
 * The picture of a frame is that of its last PRESENT command. To show a single frame everything
 * before it is executed, but packets of Appendix A are drawn only from the last CLEAR on which the
 * picture depends: a CLEAR overwrites the whole picture. */
#include "base/error.h"
#include "base/id_table.h"
#include "base/out.h"
#include "core/gpu_engine.h"
#include "core/format.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_play.h"
#include <rastrum/render.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the picture before and after a draw --------------------------------------------- */

/* Zero-initialised; `pixels` is to be freed. */
struct watch {
    struct aero_inspect *inspect; /* or NULL */
    uint8_t *pixels;              /* before the current draw */
    size_t room;
    uint32_t width, height;
    uint64_t offset; /* of its command */
    bool taken;
};

/* A draw is about to be executed. NULL as back end: it is not watched. */
static int watch_before(struct watch *w, const struct gpu_backend *backend, struct gpu *gpu,
                        uint64_t offset, struct ras_error *err)
{
    struct gpu_present now;
    w->taken = false;
    w->offset = offset;
    if (!backend)
        return RAS_OK;
    int status = backend->picture(gpu, &now, err);
    if (status != RAS_OK)
        return status == RAS_END ? RAS_OK : status;
    size_t size = (size_t)now.picture.width * now.picture.height * 4;
    if (size > w->room) {
        uint8_t *more = realloc(w->pixels, size);
        if (!more)
            return fail_memory(err);
        w->pixels = more;
        w->room = size;
    }
    memcpy(w->pixels, now.picture.rgba, size);
    w->width = now.picture.width;
    w->height = now.picture.height;
    w->taken = true;
    return RAS_OK;
}

/* The draw was executed: both pictures, unless it is not watched or has no target to show. */
static int watch_after(const struct watch *w, const struct gpu_backend *backend, struct gpu *gpu,
                       struct ras_drawn *drawn, struct ras_error *err)
{
    struct gpu_present now;
    if (!w->taken)
        return RAS_OK;
    int status = backend->picture(gpu, &now, err);
    if (status != RAS_OK)
        return status == RAS_END ? RAS_OK : status;
    drawn->offset = w->offset;
    drawn->before = (struct ras_picture){w->width, w->height, w->pixels};
    drawn->after = (struct ras_picture){now.picture.width, now.picture.height, now.picture.rgba};
    return RAS_OK;
}

enum { PACKET_CLEAR = 8, PACKET_DRAW = 9, PACKET_PRESENT = 10, NAMES_SIZE = 512 };
enum { STREAM_SIZE_AT = 8 }; /* of size_bytes in a stream's header */

/* The frame that is being executed, and what it presented last. */
struct frame {
    bool open;
    uint64_t index, draws;
    bool presented, inexact, canvas;
    uint64_t offset; /* of the command that presented it */
    uint32_t width, height;
    char names[NAMES_SIZE]; /* of commands that were not executed */
};

struct play {
    const struct ras_render_options *options;
    struct ras_render *out;
    struct ras_trace *trace;
    struct ras_error *err;
    const struct gpu_backend *backend; /* once something was executed */
    struct gpu *gpu;
    struct frame frame;
    uint8_t *pixels; /* of the frame */
    size_t pixels_room;
    uint64_t quiet_until; /* offset of the first record that must be drawn */
    bool lost;            /* bytes were skipped: later pictures may lack their effect */
    bool found, stop;     /* the requested frame was shown */
    struct watch watch;
    struct ras_canvas canvas; /* once a back end is open */
    /* While a record is executed. */
    uint64_t offset;
    const struct ras_aero_submission *submission;
    struct id_table ranges; /* alloc_id to range */
};

static uint64_t frames_requested(const struct play *p)
{
    return p->options->frame_count && !p->options->has_draw ? p->options->frame_count : 1;
}

static bool is_frame_requested(const struct play *p, uint64_t index)
{
    return !p->options->has_frame ||
           (index >= p->options->frame && index - p->options->frame < frames_requested(p));
}

/* ---- frames -------------------------------------------------------------------------------- */

static void add_name(struct frame *f, const char *name)
{
    size_t used = strlen(f->names);
    f->inexact = true;
    if (used + strlen(name) + 2 <= sizeof f->names)
        snprintf(f->names + used, sizeof f->names - used, "%s%s", used ? "," : "", name);
}

static int keep_shown(struct play *p, const struct gpu_present *now, struct ras_error *err)
{
    struct frame *f = &p->frame;
    size_t size = (size_t)now->picture.width * now->picture.height * 4;
    if (size > p->pixels_room) {
        uint8_t *room = realloc(p->pixels, size);
        if (!room)
            return fail_memory(err);
        p->pixels = room;
        p->pixels_room = size;
    }
    memcpy(p->pixels, now->picture.rgba, size);
    f->presented = true;
    f->inexact = false;
    f->canvas = now->canvas;
    f->names[0] = 0;
    f->offset = now->offset;
    f->width = now->picture.width;
    f->height = now->picture.height;
    for (size_t i = 0; i < now->inexact_count; i++)
        add_name(f, now->inexact[i]);
    if (p->lost)
        add_name(f, "gap");
    return RAS_OK;
}

static void show(struct play *p)
{
    const struct frame *f = &p->frame;
    const struct ras_rendered shown = {.frame_index = f->index,
                                       .offset = f->offset,
                                       .draws = f->draws,
                                       .picture = {f->width, f->height, p->pixels},
                                       .inexact = f->names,
                                       .backend = p->backend->name,
                                       .size_from = f->canvas ? p->canvas.from : RAS_SIZE_TARGET,
                                       .size_offset = f->canvas ? p->canvas.offset : RAS_NONE};
    p->out->frames++;
    p->out->inexact += f->inexact;
    p->found = true;
    bool last = p->options->has_frame && f->index - p->options->frame + 1 >= frames_requested(p);
    p->stop = !p->options->frame_shown(p->options->user, &shown) || last || p->options->has_draw;
}

static int play_end_frame(struct play *p)
{
    struct frame *f = &p->frame;
    if (!f->open)
        return RAS_OK;
    int status = p->gpu && p->backend->end_frame ? p->backend->end_frame(p->gpu, p->err) : RAS_OK;
    f->open = false;
    if (status < 0 || !is_frame_requested(p, f->index) || p->options->has_draw)
        return status;
    if (f->presented) {
        show(p);
        return RAS_OK;
    }
    char text[80];
    p->out->unpresented++;
    snprintf(text, sizeof text, "frame %" PRIu64 " ends without a PRESENT: it has no picture",
             f->index);
    p->options->remark(p->options->user, p->offset, text);
    return RAS_OK;
}

/* The frame that a record belongs to; records between frames belong to none. */
static int play_enter_frame(struct play *p, const struct ras_record *r)
{
    struct frame *f = &p->frame;
    bool inside = r->flags & RAS_HAS_TICK;
    if (f->open && inside && f->index == r->tick)
        return RAS_OK;
    int status = play_end_frame(p);
    if (inside && status == RAS_OK && !p->stop)
        *f = (struct frame){.open = true, .index = r->tick};
    return status;
}

/* ---- callbacks of the back end --------------------------------------------------------- */

static int on_present(void *user, const struct gpu_present *now, struct ras_error *err)
{
    struct play *p = user;
    if (!is_frame_requested(p, p->frame.index) || p->options->has_draw)
        return RAS_OK;
    if (p->frame.open)
        return keep_shown(p, now, err);
    p->out->unpresented++;
    p->options->remark(p->options->user, now->offset,
                       "PRESENT outside of a frame: it is not shown");
    return RAS_OK;
}

/* Whether the caller wants the pictures before and after a draw. */
static bool is_watched(const struct play *p)
{
    return p->options->drawn && p->frame.open && is_frame_requested(p, p->frame.index) &&
           p->offset >= p->quiet_until;
}

static int on_drawing(void *user, uint64_t offset, struct ras_error *err)
{
    struct play *p = user;
    if (p->watch.inspect)
        return p->watch.inspect->drawing(p->watch.inspect, p->backend, p->gpu, offset, err);
    return watch_before(&p->watch, is_watched(p) ? p->backend : NULL, p->gpu, offset, err);
}

static int on_drawn(void *user, uint64_t count, struct ras_error *err)
{
    struct play *p = user;
    (void)count;
    p->out->draws++;
    p->frame.draws++;
    struct ras_drawn drawn = {.frame_index = p->frame.index, .draw = p->frame.draws};
    int status = watch_after(&p->watch, p->backend, p->gpu, &drawn, err);
    if (status < 0)
        return status;
    if (drawn.after.rgba)
        p->options->drawn(p->options->user, &drawn);
    return p->options->has_draw && p->frame.open && is_frame_requested(p, p->frame.index) &&
                   p->frame.draws == p->options->draw
               ? RAS_END
               : RAS_OK;
}

static int on_remark(void *user, uint64_t offset, const char *opcode, const char *why,
                     struct ras_error *err)
{
    struct play *p = user;
    char text[240];
    (void)err;
    snprintf(text, sizeof text, "%s: %s", opcode, why);
    p->options->remark(p->options->user, offset, text);
    return RAS_OK;
}

/* ---- references of commands ---------------------------------------------------------- */

static bool get_blob(void *user, uint64_t blob_id, uint32_t *kind, struct ras_bytes *data)
{
    const struct play *p = user;
    struct ras_aero_blob blob;
    bool nomem;
    if (!aero_blob_before(p->trace, blob_id, p->offset, &blob, NULL, &nomem))
        return false;
    *kind = blob.kind;
    *data = blob.data;
    return true;
}

static bool get_memory(void *user, uint32_t alloc_id, struct ras_bytes *bytes)
{
    const struct play *p = user;
    uint32_t i = p->submission ? id_table_find(&p->ranges, alloc_id) : ID_TABLE_NONE, kind;
    return i != ID_TABLE_NONE &&
           get_blob(user, ras_aero_range_at(p->submission, i).blob_id, &kind, bytes);
}

/* A blob that a submission names: it must be before it and of that kind. */
static int find_blob(struct play *p, const char *what, uint64_t blob_id, uint32_t kind,
                     struct ras_bytes *data)
{
    uint32_t found;
    if (!get_blob(p, blob_id, &found, data))
        return fail(p->err, RAS_EFORMAT, p->offset,
                    "AerogpuSubmission: %s: there is no blob %" PRIu64 " before it", what, blob_id);
    if (found == kind)
        return RAS_OK;
    const char *name = ras_aero_blob_kind_name(found);
    return fail(p->err, RAS_EFORMAT, p->offset,
                "AerogpuSubmission: %s: blob %" PRIu64 " is %s (0x%" PRIx32 "), not %s", what,
                blob_id, name ? name : "unknown", found, ras_aero_blob_kind_name(kind));
}

static int check_range(struct play *p, uint32_t i)
{
    struct ras_aero_range r = ras_aero_range_at(p->submission, i);
    struct ras_bytes data;
    char what[40];
    snprintf(what, sizeof what, "range %" PRIu32, i);
    int status = find_blob(p, what, r.blob_id, RAS_AERO_ALLOC_MEMORY, &data);
    if (status < 0)
        return status;
    if (data.len != r.size_bytes)
        return fail(p->err, RAS_EFORMAT, p->offset,
                    "AerogpuSubmission: %s: size_bytes is %" PRIu64 ", the blob has %zu bytes",
                    what, r.size_bytes, data.len);
    if (id_table_find(&p->ranges, r.alloc_id) != ID_TABLE_NONE)
        return fail(p->err, RAS_EFORMAT, p->offset,
                    "AerogpuSubmission: %s: alloc_id %" PRIu32 " occurs twice", what, r.alloc_id);
    return id_table_add(&p->ranges, r.alloc_id, i) ? RAS_OK : fail_memory(p->err);
}

static int play_check_submission(struct play *p, const struct ras_aero_submission *s,
                                 struct ras_bytes *stream)
{
    struct ras_aero_alloc_table table;
    struct ras_error why;
    struct ras_bytes data;
    int status = find_blob(p, "cmd_stream", s->cmd_stream_blob_id, RAS_AERO_CMD_STREAM, stream);
    if (status == RAS_OK && s->alloc_table_blob_id) {
        status = find_blob(p, "alloc_table", s->alloc_table_blob_id, RAS_AERO_ALLOC_TABLE, &data);
        if (status == RAS_OK && ras_aero_alloc_table_get(data, &table, &why) < 0)
            status = fail(p->err, RAS_EFORMAT, p->offset, "AerogpuSubmission: alloc_table: %s",
                          why.text);
    }
    for (uint32_t i = 0; status == RAS_OK && i < s->memory_range_count; i++)
        status = check_range(p, i);
    return status;
}

/* ---- back ends ----------------------------------------------------------------------- */

static const struct gpu_backend *backend_of(const struct play *p, enum ras_backend which)
{
    return which == RAS_BACKEND_GLES       ? p->options->gpu->gles
           : which == RAS_BACKEND_SOFTWARE ? p->options->gpu->software
                                           : NULL;
}

static bool executes(const struct gpu_backend *b, bool packets)
{
    return packets ? b->packet != NULL : b->submit != NULL;
}

/* The work that a trace may request: in proportion to its bytes, and at least a few seconds. */
static uint64_t work_of(const struct play *p)
{
    uint64_t size = source_bytes(p->trace->source, 0).len;
    if (p->options->limits.work)
        return p->options->limits.work;
    return RAS_RENDER_WORK + (size < UINT64_MAX >> 22 ? size << 19 : UINT64_MAX >> 2);
}

static int open_backend(struct play *p, const struct gpu_backend *b)
{
    const struct ras_render_limits *l = &p->options->limits;
    const struct gpu_setup setup = {
        .limits = {l->memory_bytes, work_of(p), l->side, l->objects, l->time_ms},
        .width = p->canvas.width,
        .height = p->canvas.height,
        .events = {.user = p,
                   .present = on_present,
                   .drawn = on_drawn,
                   .remark = on_remark,
                   .drawing = p->options->drawn || p->watch.inspect ? on_drawing : NULL}};
    int status = b->open(&p->gpu, &setup, p->err);
    if (status == RAS_OK)
        p->backend = b;
    return status;
}

/* The first available back end that executes them. A missing one is reported and the next one used:
 * it draws the same except where an edge touches the centre of a pixel, or refuses. */
static int open_any(struct play *p, bool packets)
{
    int status = RAS_END;
    for (enum ras_backend i = RAS_BACKEND_GLES; i <= RAS_BACKEND_SOFTWARE; i++) {
        const struct gpu_backend *b = backend_of(p, i);
        if (!executes(b, packets))
            continue;
        if (status < 0 && p->err)
            p->options->remark(p->options->user, p->offset, p->err->text);
        status = open_backend(p, b);
        if (status != RAS_EUNSUPPORTED)
            return status;
    }
    return status;
}

/* The back end that executes packets or streams; one for the whole trace, since back ends do not
 * share resources. */
static int choose_backend(struct play *p, bool packets)
{
    const char *kind = packets ? "packets of Appendix A" : "ACMD command streams";
    enum ras_backend requested = p->options->backend;
    if (p->gpu && executes(p->backend, packets))
        return RAS_OK;
    if (p->gpu)
        return fail(p->err, RAS_EUNSUPPORTED, p->offset,
                    "%s in a trace that the %s back end executes: another one must take all of it",
                    kind, p->backend->name);
    int status = aero_canvas_of_options(p->trace, p->options, &p->canvas, p->err);
    if (status < 0)
        return status;
    if (requested == RAS_BACKEND_AUTO)
        return open_any(p, packets);
    const struct gpu_backend *b = backend_of(p, requested);
    if (b && executes(b, packets))
        return open_backend(p, b);
    return fail(p->err, RAS_EUNSUPPORTED, p->offset, "%s are not executed by the back end %s", kind,
                b ? b->name : "requested");
}

static int play_command(struct play *p, struct ras_bytes bytes, uint64_t at, bool packet)
{
    const struct gpu_source source = {
        .user = p, .offset = at, .memory = get_memory, .blob = get_blob};
    int status = choose_backend(p, packet);
    if (status < 0)
        return status;
    bool aside = !p->frame.open || !is_frame_requested(p, p->frame.index) || p->options->has_draw;
    p->backend->quiet(p->gpu, packet ? p->offset < p->quiet_until : aside);
    return packet ? p->backend->packet(p->gpu, bytes, &source, p->err)
                  : p->backend->submit(p->gpu, bytes, &source, p->err);
}

/* ---- records ------------------------------------------------------------------------- */

static int play_packet(struct play *p, struct ras_bytes payload)
{
    uint64_t at = p->offset + RAS_AERO_RECORD_HEADER_SIZE;
    /* A packet is its record; commands of a stream have offsets of their own. */
    return ras_aero_is_stream(payload) ? play_command(p, payload, at, false)
                                       : play_command(p, payload, p->offset, true);
}

static int play_submission(struct play *p, struct ras_bytes payload)
{
    struct ras_aero_submission s;
    struct ras_bytes stream;
    struct ras_error why;
    if (ras_aero_submission_get(payload, &s, &why) < 0)
        return fail(p->err, RAS_EFORMAT, p->offset, "AerogpuSubmission: %s", why.text);
    p->submission = &s;
    int status = play_check_submission(p, &s, &stream);
    if (status == RAS_OK) {
        /* An empty stream means a submission that its recorder could not read. */
        uint64_t at =
            stream.len ? (uint64_t)(stream.at - source_bytes(p->trace->source, 0).at) : p->offset;
        status = play_command(p, stream, at, false);
    }
    p->submission = NULL;
    id_table_free(&p->ranges);
    p->ranges = (struct id_table){0};
    return status;
}

/* The requested draw has been executed: show the picture as it is now. */
static int show_now(struct play *p)
{
    struct gpu_present now;
    int status = p->backend->picture(p->gpu, &now, p->err);
    if (status == RAS_END)
        return fail(p->err, RAS_EFORMAT, p->offset,
                    "draw %" PRIu64 " of frame %" PRIu64 " has no color target 0 to show",
                    p->frame.draws, p->frame.index);
    if (status != RAS_OK)
        return status;
    now.offset = p->offset;
    status = keep_shown(p, &now, p->err);
    if (status == RAS_OK)
        show(p);
    return status;
}

/* Unreadable bytes may have changed everything after them, and may have contained the PRESENT of
 * the frame. */
static void play_gap(struct play *p)
{
    if (p->frame.open && p->frame.presented && !p->lost)
        add_name(&p->frame, "gap");
    p->lost = true;
}

static int play_record(struct play *p, const struct ras_record *r)
{
    struct ras_aero_record record;
    uint64_t at = 0;
    p->offset = r->offset;
    if (p->options->progress &&
        r->schema != AERO_FRAME_TYPE && /* the offset of a frame is its start */
        !p->options->progress(p->options->user, r->offset, source_bytes(p->trace->source, 0).len))
        return fail_canceled(p->err);
    if (r->schema == RAS_SCHEMA_GAP) {
        play_gap(p);
        return RAS_OK;
    }
    int status = play_enter_frame(p, r);
    if (status < 0 || p->stop)
        return status;
    if (r->schema == AERO_FRAME_TYPE)
        return play_end_frame(p);
    struct ras_bytes raw = {r->raw, r->raw_len};
    if (ras_aero_record_get(raw, &at, &record, NULL) != RAS_OK)
        return fail(p->err, RAS_EFORMAT, r->offset, "the record changed while it was read");
    status = r->schema == AERO_PACKET_TYPE ? play_packet(p, record.payload)
                                           : play_submission(p, record.payload);
    return status == RAS_END ? show_now(p) : status;
}

/* ---- the walk ------------------------------------------------------------------------ */

/* Every record that is executed, in order, until a callback stops the walk. */
static int walk(struct play *p, int (*one)(struct play *, const struct ras_record *))
{
    static const struct ras_pick picks[] = {
        {.type = "frame"}, {.type = "packet"}, {.type = "submission"}, {.type = "gap"}};
    const bool bare = ((const struct aero *)p->trace->priv)->shape != AERO_CONTAINER;
    const struct ras_scan scan = {.picks = bare ? NULL : picks,
                                  .pick_count = bare ? 0 : sizeof picks / sizeof *picks,
                                  .headers_only = true};
    struct ras_cursor *cursor;
    const struct ras_record *r;
    int status = ras_cursor_open(&cursor, p->trace, &scan, p->err);
    if (status < 0)
        return status;
    while (!p->stop && (status = walk_next(p->trace, cursor, &r, p->err)) == RAS_OK)
        if ((status = one(p, r)) < 0)
            break;
    ras_cursor_close(cursor);
    return status;
}

/* Find the first record that the picture of the requested frame depends on. Submissions depend on
 * everything before them. */
static int find_dependency(struct play *p, const struct ras_record *r)
{
    bool inside = r->flags & RAS_HAS_TICK && is_frame_requested(p, r->tick);
    struct ras_aero_packet packet;
    struct ras_bytes payload = {r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                                r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
    if (p->found && !inside)
        p->stop = true;
    p->found |= inside;
    if (r->schema == AERO_FRAME_TYPE)
        p->stop |= inside;
    if (r->schema != AERO_PACKET_TYPE || ras_aero_is_stream(payload) ||
        ras_aero_packet_get(payload, &packet, NULL) < 0)
        return RAS_OK;
    if (packet.opcode == PACKET_CLEAR)
        p->offset = r->offset;
    if (packet.opcode == PACKET_PRESENT && inside && !p->options->has_draw) {
        p->quiet_until = p->offset;
        p->stop |= frames_requested(p) > 1; /* those after it depend on nothing before that */
    }
    if (packet.opcode == PACKET_DRAW && inside && p->options->has_draw &&
        ++p->frame.draws == p->options->draw) {
        p->quiet_until = p->offset;
        p->stop = true;
    }
    return RAS_OK;
}

static int seek(struct play *p)
{
    int status = walk(p, find_dependency);
    p->stop = p->found = false;
    p->offset = 0;
    p->frame = (struct frame){0};
    return status < 0 ? status : RAS_OK;
}

/* The last frame ends; RAS_END: the requested frame or draw does not exist. */
static int finish(struct play *p, int status)
{
    if (status >= 0 && !p->stop)
        status = play_end_frame(p);
    if (status < 0 || p->found || !(p->options->has_frame || p->options->has_draw))
        return status < 0 ? status : RAS_OK;
    return RAS_END;
}

static int play_all(struct play *p)
{
    int status = p->options->has_frame || p->options->has_draw ? seek(p) : RAS_OK;
    if (status == RAS_OK)
        status = walk(p, play_record);
    return finish(p, status);
}

/* ---- a bare stream: one frame ------------------------------------------------- */

/* How many of its bytes are complete commands. */
static int find_end(struct play *p, const struct ras_record *r)
{
    if (r->schema == RAS_SCHEMA_GAP)
        p->lost = true;
    else if (!p->lost)
        p->offset = r->offset + r->raw_len;
    return RAS_OK;
}

/* The complete commands of a stream that was cut or damaged, as a stream of its own. */
static int play_part(struct play *p, struct ras_bytes stream)
{
    uint8_t *part = malloc(stream.len);
    if (!part)
        return fail_memory(p->err);
    memcpy(part, stream.at, stream.len);
    store_u32(part + STREAM_SIZE_AT, (uint32_t)stream.len);
    int status = play_command(p, (struct ras_bytes){part, stream.len}, 0, false);
    free(part);
    return status;
}

static int play_stream(struct play *p)
{
    struct ras_bytes all = source_bytes(p->trace->source, 0);
    p->offset = RAS_AERO_STREAM_HEADER_SIZE;
    int status = walk(p, find_end);
    if (status < 0)
        return status;
    bool all_whole = !p->lost && ras_ending(p->trace).kind == RAS_COMPLETE;
    struct ras_bytes part = {all.at, p->offset < all.len ? (size_t)p->offset : all.len};
    p->lost = false;
    p->frame = (struct frame){.open = true};
    p->offset = 0;
    status = all_whole ? play_command(p, all, 0, false) : play_part(p, part);
    if (status == RAS_END)
        status = show_now(p);
    if (!all_whole)
        play_gap(p);
    return finish(p, status);
}

int aero_render_inspected(struct ras_trace *t, const struct ras_render_options *options,
                          struct aero_inspect *inspect, struct ras_render *out,
                          struct ras_error *err)
{
    const struct aero *a = t->priv;
    struct play p = {
        .options = options, .out = out, .trace = t, .err = err, .watch = {.inspect = inspect}};
    if (a->shape == AERO_TABLE)
        return fail(err, RAS_EUNSUPPORTED, 0, "an allocation table has no frames");
    int status = a->shape == AERO_STREAM ? play_stream(&p) : aero_check_abi(t, err);
    if (status == RAS_OK && a->shape == AERO_CONTAINER)
        status = play_all(&p);
    if (p.gpu && inspect && inspect->ended && status >= 0)
        status = inspect->ended(inspect, p.backend, p.gpu, err);
    if (p.gpu)
        p.backend->close(p.gpu);
    id_table_free(&p.ranges);
    free(p.pixels);
    free(p.watch.pixels);
    return status;
}
