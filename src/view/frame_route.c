/* frame_route.c - the routes of Frames: frame, picture, strip, commands, pixel and pixels. */
#include "core/format.h"
#include "ops/rundir/rundir_axes.h"
#include "ops/scene/scene_driver.h"
#include "view/frames.h"
#include "view/leaves.h"
#include "view/route.h"

#include <stdlib.h>

enum { COMMANDS_MOST = 2000 };

static const char bytes_type[] = "application/octet-stream";

static struct frame_how frame_how_of(struct request *r, uint64_t frame, uint64_t draw)
{
    return (struct frame_how){.gpu = r->options->gpu,
                              .frame = frame,
                              .draw = draw,
                              .progress = r->progress,
                              .user = r->user};
}

static int check_pictures(struct request *r, const struct ras_trace *t)
{
    if (!ras_can_render(t))
        return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no pictures",
                    t->format->about.name);
    if (r->options->gpu)
        return RAS_OK;
    r->hint = "rastrum view shows them";
    return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "pictures cannot be drawn here");
}

/* ---- pictures ------------------------------------------------------------------------------- */

static int answer_frame(struct request *r)
{
    struct ras_trace *t = request_source(r, 0)->trace;
    struct frame_kept f = {0};
    struct frame_how how = frame_how_of(r, r->args[1].value, r->args[2].value);
    int status = check_pictures(r, t);
    if (status >= 0)
        status = frame_draw(&f, t, &how, &r->err);
    if (status >= 0)
        status = frame_png(r->out, &f.picture, &r->err);
    r->type = "image/png";
    frame_free(&f);
    return status < 0 ? status : RAS_OK;
}

static void put_facts(struct json *j, const char *key, const struct frame_kept *f)
{
    char size[RAS_CANVAS_TEXT];
    json_object(j, key);
    json_uint(j, "frame", f->index);
    json_uint(j, "width", f->picture.width);
    json_uint(j, "height", f->picture.height);
    json_blob(j, "sha256", f->sha256, sizeof f->sha256);
    json_uint(j, "draws", f->draws);
    json_text(j, "backend", f->backend);
    json_text(j, "size_from", ras_size_from_name(f->canvas.from));
    ras_canvas_text(&f->canvas, size);
    json_text(j, "size_text", f->canvas.from == RAS_SIZE_TARGET ? NULL : size);
    json_array(j, "inexact");
    for (const char *p = f->inexact; *p;) {
        size_t len = strcspn(p, ",");
        json_string(j, NULL, p, len);
        p += len + (p[len] == ',');
    }
    json_close(j);
    json_array(j, "remarks");
    const char *text = (const char *)f->remarks.at;
    for (unsigned i = 0; i < f->remark_count; i++, text += strlen(text) + 1)
        json_text(j, NULL, text);
    json_close(j);
    json_close(j);
}

/* Facts and files in one answer: u32 length of the JSON, the JSON, the files. `head` is an open
 * object to which "files", the list of their lengths, is added. */
struct bundle {
    struct out json, files;
    uint32_t lengths[3];
    unsigned count;
};

static int bundle_add(struct bundle *b, const struct ras_picture *picture, struct ras_error *err)
{
    size_t before = b->files.len;
    int status = frame_png(&b->files, picture, err);
    b->lengths[b->count++] = (uint32_t)(b->files.len - before);
    return status;
}

static int bundle_end(struct request *r, struct bundle *b, struct json *j)
{
    uint8_t length[4];
    json_array(j, "files");
    for (unsigned i = 0; i < b->count; i++)
        json_uint(j, NULL, b->lengths[i]);
    json_close(j);
    json_close(j);
    store_u32(length, (uint32_t)b->json.len);
    out_bytes(r->out, length, sizeof length);
    out_bytes(r->out, b->json.at, b->json.len);
    out_bytes(r->out, b->files.at, b->files.len);
    r->type = bytes_type;
    bool failed = b->json.failed || b->files.failed || r->out->failed;
    return failed ? fail_memory(&r->err) : RAS_OK;
}

static struct json bundle_json(const struct request *r, struct bundle *b)
{
    struct json j = json_start(&b->json, 0);
    json_object(&j, NULL);
    json_u64_text(&j, "generation", r->generation);
    return j;
}

static void bundle_free(struct bundle *b)
{
    out_free(&b->json);
    out_free(&b->files);
}

static int answer_picture(struct request *r)
{
    struct ras_trace *t = request_source(r, 0)->trace;
    struct frame_kept f = {0};
    struct bundle b = {0};
    struct frame_how how = frame_how_of(r, r->args[1].value, r->args[2].value);
    int status = check_pictures(r, t);
    if (status >= 0)
        status = frame_draw(&f, t, &how, &r->err);
    if (status >= 0)
        status = bundle_add(&b, &f.picture, &r->err);
    if (status >= 0) {
        struct json j = bundle_json(r, &b);
        put_facts(&j, "picture", &f);
        status = bundle_end(r, &b, &j);
    }
    bundle_free(&b);
    frame_free(&f);
    return status < 0 ? status : RAS_OK;
}

static int answer_strip(struct request *r)
{
    struct ras_trace *t = request_source(r, 0)->trace;
    struct frame_how how = frame_how_of(r, r->args[1].value, 0);
    int status = check_pictures(r, t);
    r->type = bytes_type;
    if (status >= 0)
        status = frame_strip(r->out, t, &how, (uint32_t)r->args[2].value,
                             (uint32_t)r->args[3].value, &r->err);
    return status < 0 ? status : RAS_OK;
}

/* ---- two runs ------------------------------------------------------------------------------- */

/* The traces with pictures of both sides. */
static int both_pictures(struct request *r, struct ras_trace *traces[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct side *s = &r->shown->sides[side];
        traces[side] = NULL;
        for (unsigned i = s->first; i < s->first + s->count && !traces[side]; i++)
            if (r->shown->sources[i].trace && ras_can_render(r->shown->sources[i].trace))
                traces[side] = r->shown->sources[i].trace;
        if (!traces[side])
            return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s has no pictures", s->origin->name);
    }
    return check_pictures(r, traces[0]);
}

static void put_picture_difference(struct json *j, const struct ras_picture_difference *d)
{
    const uint32_t box[] = {d->left, d->top, d->right, d->bottom};
    json_uint(j, "differs", d->pixels);
    json_bool(j, "sizes", d->sizes);
    json_uint(j, "most", d->most);
    json_array(j, "box");
    for (int i = 0; i < 4 && d->pixels; i++)
        json_uint(j, NULL, box[i]);
    json_close(j);
}

/* What differs, as a picture. */
static int add_differences(struct request *r, struct bundle *b, const struct ras_picture *a,
                           const struct ras_picture *other)
{
    uint8_t *rgba = malloc((size_t)a->width * a->height * 4 + 1);
    if (!rgba)
        return fail_memory(&r->err);
    ras_picture_differences(a, other, rgba);
    struct ras_picture seen = {a->width, a->height, rgba};
    int status = bundle_add(b, &seen, &r->err);
    free(rgba);
    return status;
}

static int put_pixels(struct request *r, struct bundle *b, const struct frame_kept kept[2])
{
    struct ras_picture_difference d;
    (void)ras_picture_compare(&kept[0].picture, &kept[1].picture, &d);
    int status = bundle_add(b, &kept[0].picture, &r->err);
    if (status >= 0)
        status = bundle_add(b, &kept[1].picture, &r->err);
    if (status >= 0 && !d.sizes)
        status = add_differences(r, b, &kept[0].picture, &kept[1].picture);
    if (status < 0)
        return status;
    struct json j = bundle_json(r, b);
    put_picture_difference(&j, &d);
    put_facts(&j, "expected", &kept[0]);
    put_facts(&j, "actual", &kept[1]);
    return bundle_end(r, b, &j);
}

/* One canvas for both, as comparing them needs. */
static int common_canvas(struct request *r, struct ras_trace *const traces[2],
                         struct frame_how *how)
{
    struct ras_canvas c[2];
    for (int i = 0; i < 2; i++) {
        int status = ras_canvas_of(traces[i], &c[i], &r->err);
        if (status < 0)
            return status;
    }
    struct ras_canvas both = ras_canvas_of_two(c[0], c[1]);
    how->width = both.width;
    how->height = both.height;
    return RAS_OK;
}

static int answer_pixels(struct request *r)
{
    struct ras_trace *traces[2];
    struct frame_kept kept[2] = {{0}, {0}};
    struct bundle b = {0};
    struct frame_how how = frame_how_of(r, r->args[0].value, r->args[1].value);
    int status = both_pictures(r, traces);
    if (status >= 0)
        status = common_canvas(r, traces, &how);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = frame_draw(&kept[i], traces[i], &how, &r->err);
    if (status >= 0)
        status = put_pixels(r, &b, kept);
    bundle_free(&b);
    frame_free(&kept[0]);
    frame_free(&kept[1]);
    return status < 0 ? status : RAS_OK;
}

/* ---- a pixel -------------------------------------------------------------------------------- */

static void put_color(struct json *j, const char *key, const uint8_t *c)
{
    char text[12];
    snprintf(text, sizeof text, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
    json_text(j, key, text);
}

static void put_history(struct json *j, const struct ras_pixel_history *h)
{
    const struct ras_pixel_change *last = h->count ? &h->changes[h->count - 1] : NULL;
    json_uint(j, "x", h->x);
    json_uint(j, "y", h->y);
    put_color(j, "rgba", h->now);
    json_uint_or_null(j, "last_draw", last && last->draw ? last->draw : RAS_NONE);
    if (last)
        put_color(j, "before", last->before);
    else
        json_null(j, "before");
    json_array(j, "changes");
    for (size_t i = 0; i < h->count; i++) {
        const struct ras_pixel_change *w = &h->changes[i];
        json_object(j, NULL);
        json_uint_or_null(j, "draw", w->draw ? w->draw : RAS_NONE);
        json_u64_text(j, "offset", w->draw ? w->offset : RAS_NONE);
        put_color(j, "before", w->before);
        put_color(j, "after", w->after);
        json_close(j);
    }
    json_close(j);
}

static int answer_pixel(struct request *r)
{
    struct ras_trace *t = request_source(r, 0)->trace;
    struct ras_pixel_history h = {.x = (uint32_t)r->args[2].value, .y = (uint32_t)r->args[3].value};
    struct frame_how how = frame_how_of(r, r->args[1].value, 0);
    int status = check_pictures(r, t);
    if (status >= 0)
        status = frame_pixel(&h, t, &how, &r->err);
    if (status >= 0) {
        struct json j = request_json(r);
        put_history(&j, &h);
        status = request_end(r, &j);
    }
    ras_pixel_history_free(&h);
    return status < 0 ? status : RAS_OK;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void put_fields(struct json *j, const struct ras_cursor *c, struct leaves *l)
{
    size_t count;
    uint64_t changed;
    const struct ras_value *v = ras_values(c, &count);
    leaves_add_record(l, ras_schema_of(c), v, count);
    json_array(j, "fields");
    (void)leaves_put(j, l, NULL, &changed);
    json_close(j);
    l->count = 0;
    arena_reset(&l->texts);
}

static void put_frame_command(struct json *j, const struct scene_commands *of,
                              const struct ras_cursor *c, const struct ras_record *rec,
                              uint64_t draw, struct out *words)
{
    const struct ras_value *name = ras_value_of(c, of->name);
    struct leaves fields = {0};
    words->len = 0;
    of->text(c, words);
    json_object(j, NULL);
    json_u64_text(j, "seq", rec->seq);
    json_u64_text(j, "offset", rec->offset);
    if (name && name->kind == RAS_STR)
        json_string(j, "name", name->at, name->count);
    else
        json_null(j, "name");
    json_string(j, "text", words->len ? (const char *)words->at : "", words->len);
    json_uint_or_null(j, "draw", draw ? draw : RAS_NONE);
    put_fields(j, c, &fields);
    json_close(j);
    leaves_free(&fields);
}

/* The next command of the frame. A bare stream of commands is one frame, 0, and has no ticks. */
static int next_command(struct ras_cursor *c, uint64_t frame, const struct ras_record **rec,
                        struct ras_error *err)
{
    int status = ras_next(c, rec, err);
    if (status != RAS_OK)
        return status < 0 ? status : RAS_END;
    uint64_t tick = (*rec)->flags & RAS_HAS_TICK ? (*rec)->tick : 0;
    return tick == frame ? RAS_OK : RAS_END;
}

/* A cursor before the commands of a frame, whose records are numbered: an index of frames does not
 * know the numbers, then the records before the frame are counted. */
static int open_commands(struct ras_cursor **c, struct ras_trace *t, const struct ras_pick *pick,
                         uint64_t frame, struct ras_error *err)
{
    struct ras_scan scan = {.picks = pick, .pick_count = 1};
    struct ras_mark here;
    int status = ras_cursor_open(c, t, &scan, err);
    if (status < 0 || !frame)
        return status;
    status = ras_seek(*c, RAS_AXIS_TICK, frame, err);
    ras_mark(*c, &here);
    if (status < 0 || here.seq != RAS_NONE)
        return status;
    ras_cursor_close(*c);
    scan.axis = RAS_AXIS_TICK;
    scan.from = frame;
    scan.to = frame + 1;
    return ras_cursor_open(c, t, &scan, err);
}

static int put_commands(struct request *r, struct ras_trace *t, struct json *j)
{
    const struct scene_commands *of = &t->format->scene->commands;
    uint64_t frame = r->args[1].value, from = r->args[2].value, draws = 0, count = 0;
    struct ras_pick pick = {.type = of->type};
    struct ras_cursor *c;
    const struct ras_record *rec;
    struct out words = {0};
    int status = open_commands(&c, t, &pick, frame, &r->err);
    json_array(j, "commands");
    while (status == RAS_OK && (status = next_command(c, frame, &rec, &r->err)) == RAS_OK) {
        bool draw = of->is_draw && of->is_draw(c);
        draws += draw;
        if (count >= from && count - from < COMMANDS_MOST)
            put_frame_command(j, of, c, rec, draw ? draws : 0, &words);
        count++;
    }
    json_close(j);
    json_uint(j, "count", count);
    json_uint(j, "draws", draws);
    json_bool(j, "more", count > from && count - from > COMMANDS_MOST);
    bool nomem = words.failed;
    out_free(&words);
    ras_cursor_close(c);
    if (nomem)
        return fail_memory(&r->err);
    return status < 0 ? status : RAS_OK;
}

/* The tick of a run that a frame belongs to. */
static uint64_t tick_of_frame(const struct request *r, const struct shown_source *s, uint64_t frame)
{
    const struct side *side = &r->shown->sides[s->side];
    return side->run ? rundir_tick_of_axis(side->run, s->trace, frame) : RAS_NONE;
}

static int answer_commands(struct request *r)
{
    const struct shown_source *s = request_source(r, 0);
    const struct scene_ops *scene = s->trace->format->scene;
    if (!scene || !scene->commands.type)
        return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no commands",
                    s->trace->format->about.name);
    struct json j = request_json(r);
    json_uint(&j, "frame", r->args[1].value);
    json_uint_or_null(&j, "tick", tick_of_frame(r, s, r->args[1].value));
    int status = put_commands(r, s->trace, &j);
    return status < 0 ? status : request_end(r, &j);
}

const struct route frame_routes[] = {
    {.path = "frame",
     .job = true,
     .args = {{"src", ARG_SOURCE}, {"n", ARG_NUMBER}, {"draw", ARG_NUMBER, .optional = true}},
     .answer = answer_frame},
    {.path = "picture",
     .job = true,
     .args = {{"src", ARG_SOURCE}, {"n", ARG_NUMBER}, {"draw", ARG_NUMBER, .optional = true}},
     .answer = answer_picture},
    {.path = "strip",
     .job = true,
     .args = {{"src", ARG_SOURCE},
              {"from", ARG_NUMBER},
              {"n", ARG_NUMBER, .optional = true, .most = FRAMES_STRIP_MOST, .value = 16},
              {"side_px", ARG_NUMBER, .optional = true, .most = FRAMES_THUMB_MOST, .value = 92}},
     .answer = answer_strip},
    {.path = "commands",
     .args = {{"src", ARG_SOURCE}, {"n", ARG_NUMBER}, {"from", ARG_NUMBER, .optional = true}},
     .answer = answer_commands},
    {.path = "pixel",
     .job = true,
     .args = {{"src", ARG_SOURCE},
              {"n", ARG_NUMBER},
              {"x", ARG_NUMBER, .most = FRAMES_SIDE_MOST},
              {"y", ARG_NUMBER, .most = FRAMES_SIDE_MOST}},
     .answer = answer_pixel},
    {.path = "pixels",
     .job = true,
     .pair = true,
     .args = {{"n", ARG_NUMBER}, {"draw", ARG_NUMBER, .optional = true}},
     .answer = answer_pixels},
    {0},
};
