/* replay_frames.c - execute a trace of GPU commands and report its frames: a line each, PNG files,
 * and whether they equal golden ones. */
#include "cli/pictures.h"
#include "cli/replay_verb.h"
#include "cli/session.h"
#include "cli/host.h"
#include <rastrum/gpu.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "X,Y"; 0, or EXIT_TROUBLE after saying why. */
static int pixel_read(const char *text, struct ras_pixel_history *h)
{
    int end = 0;
    if (text[0] < '0' || text[0] > '9' ||
        sscanf(text, "%" SCNu32 ",%" SCNu32 "%n", &h->x, &h->y, &end) != 2 || text[end])
        return trouble("--pixel takes X,Y from the top left, as 320,200: not '%s'", text);
    return 0;
}

/* The last draw that changed the pixel of a picture; 0: none. */
static uint64_t pixel_finish(struct ras_pixel_history *h, const struct ras_picture *p)
{
    (void)ras_pixel_shown(h, p);
    return h->count ? h->changes[h->count - 1].draw : 0;
}

static void put_color(struct answer *a, const uint8_t *c)
{
    answer_format(a, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
}

/* Print the history of the frame with this picture, and clear it. */
static void put_pixel(struct answer *a, struct ras_pixel_history *h, const struct ras_picture *p)
{
    uint64_t draw = pixel_finish(h, p);
    answer_format(a, "  pixel %" PRIu32 ",%" PRIu32 ": ", h->x, h->y);
    put_color(a, h->now);
    if (draw)
        answer_format(a, " last changed by draw %" PRIu64 "\n", draw);
    else
        answer_format(a, h->count ? " last changed by a command that is not a draw\n"
                                  : " not changed by a draw of this frame\n");
    for (size_t i = 0; i < h->count; i++) {
        const struct ras_pixel_change *c = &h->changes[i];
        if (c->draw)
            answer_format(a, "    draw %" PRIu64 " (offset %" PRIu64 "): ", c->draw, c->offset);
        else
            answer_format(a, "    another command: ");
        put_color(a, c->before);
        answer_format(a, " to ");
        put_color(a, c->after);
        answer_format(a, "\n");
    }
}

static void put_json_color(struct ras_json *j, const char *key, const uint8_t *c)
{
    char text[12];
    snprintf(text, sizeof text, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
    ras_json_text(j, key, text);
}

/* Print the history of the frame with this picture, and clear it. */
static void put_json_pixel(struct ras_json *j, struct ras_pixel_history *h,
                           const struct ras_picture *p)
{
    uint64_t draw = pixel_finish(h, p);
    ras_json_object(j, "pixel");
    ras_json_uint(j, "x", h->x);
    ras_json_uint(j, "y", h->y);
    put_json_color(j, "rgba", h->now);
    ras_json_uint_or_null(j, "last_draw", draw ? draw : RAS_NONE);
    ras_json_array(j, "changes");
    for (size_t i = 0; i < h->count; i++) {
        const struct ras_pixel_change *c = &h->changes[i];
        ras_json_object(j, NULL);
        ras_json_uint_or_null(j, "draw", c->draw ? c->draw : RAS_NONE);
        ras_json_uint_or_null(j, "offset", c->draw ? c->offset : RAS_NONE);
        put_json_color(j, "before", c->before);
        put_json_color(j, "after", c->after);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_end(j);
}

#define GOLDEN_MAX ((size_t)256 << 20) /* bytes of a PNG file */

/* While it is executed. */
struct showing {
    const struct replay_options *o;
    const char *path;
    struct answer *a;
    int status; /* exit status of our own errors */
    uint64_t frames;
    uint64_t
        *shown; /* with --golden: the indexes of presented frames, to find those that were not */
    size_t shown_room;
    bool differs, reported_size;
    struct ras_pixel_history pixel;
    struct progress progress;
    uint64_t total; /* frames, for the progress line; 0: not known */
};

/* ---- files --------------------------------------------------------------------------------- */

/* The whole file; NULL: it cannot be read, errno says why. */
static uint8_t *frames_read_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *at = NULL;
    size_t room = 0;
    ssize_t got = fd < 0 ? -1 : 1;
    for (*len = 0; got > 0; *len += (size_t)(got > 0 ? got : 0)) {
        if (*len == room) {
            uint8_t *more = room < GOLDEN_MAX ? realloc(at, room += room + 65536) : NULL;
            if (!more) {
                errno = room > GOLDEN_MAX ? EFBIG : ENOMEM;
                got = -1;
                break;
            }
            at = more;
        }
        got = read(fd, at + *len, room - *len);
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (got >= 0)
        return at;
    free(at);
    errno = why;
    return NULL;
}

/* ---- goldens -------------------------------------------------------------------------------- */

static int report_difference(struct showing *s, const struct ras_rendered *f, const char *path,
                             const struct ras_picture *golden)
{
    struct ras_picture_difference d;
    if (!ras_picture_compare(golden, &f->picture, &d))
        return 0;
    s->differs = true;
    answer_flush(s->a);
    if (d.sizes)
        remark(s->o->common.quiet,
               "%s: frame %" PRIu64 " is %" PRIu32 "x%" PRIu32 ", %s %" PRIu32 "x%" PRIu32,
               shown_path(s->path), f->frame_index, f->picture.width, f->picture.height, path,
               golden->width, golden->height);
    else
        remark(s->o->common.quiet,
               "%s: frame %" PRIu64 " differs from %s: %s from %" PRIu32 ",%" PRIu32 " to %" PRIu32
               ",%" PRIu32 ", by at most %u",
               shown_path(s->path), f->frame_index, path, ras_counted(d.pixels, "pixel").text,
               d.left, d.top, d.right - 1, d.bottom - 1, d.most);
    return write_pictures(s->o->png ? s->o->png : s->o->golden, f->frame_index, golden,
                          &f->picture);
}

static bool remember(struct showing *s, uint64_t index)
{
    if (s->frames == s->shown_room) {
        size_t room = s->shown_room * 2 + 64;
        uint64_t *more = realloc(s->shown, room * sizeof *more);
        if (!more)
            return false;
        s->shown = more;
        s->shown_room = room;
    }
    s->shown[s->frames] = index;
    return true;
}

static int compare_golden(struct showing *s, const struct ras_rendered *f)
{
    struct ras_picture golden = {0};
    struct ras_error err;
    size_t len = 0;
    char *path = frame_path(s->o->golden, f->frame_index, "");
    if (!path || !remember(s, f->frame_index)) {
        free(path);
        return trouble("out of memory");
    }
    int status = 0;
    uint8_t *file = frames_read_file(path, &len);
    if (!file && errno == ENOENT) {
        s->differs = true;
        answer_flush(s->a);
        remark(s->o->common.quiet, "%s: frame %" PRIu64 ": there is no %s", shown_path(s->path),
               f->frame_index, path);
    } else if (!file) {
        status = trouble("%s: %s", path, strerror(errno));
    } else if (ras_png_get((struct ras_bytes){file, len}, &golden, &err) < 0) {
        status = trouble_at(path, &err);
    } else {
        status = report_difference(s, f, path, &golden);
    }
    ras_picture_free(&golden);
    free(file);
    free(path);
    return status;
}

/* Golden frames that the trace did not show. */
static int find_missing(struct showing *s)
{
    DIR *dir = opendir(s->o->golden);
    if (!dir)
        return trouble("%s: %s", s->o->golden, strerror(errno));
    for (const struct dirent *e; (e = readdir(dir));) {
        uint64_t index, i = 0;
        int end = 0;
        char again[64];
        if (sscanf(e->d_name, "frame_%" SCNu64 ".png%n", &index, &end) != 1 || !end)
            continue;
        snprintf(again, sizeof again, "frame_%" PRIu64 ".png", index);
        while (i < s->frames && s->shown[i] != index)
            i++;
        if (strcmp(again, e->d_name) != 0 || i < s->frames)
            continue;
        s->differs = true;
        remark(s->o->common.quiet, "%s: frame %" PRIu64 " of %s was not presented",
               shown_path(s->path), index, s->o->golden);
    }
    closedir(dir);
    return 0;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void put_json_frame(struct showing *s, struct ras_json *j, const struct ras_rendered *f)
{
    ras_json_line(j, 2);
    ras_json_object(j, NULL);
    ras_json_uint(j, "frame", f->frame_index);
    ras_json_uint(j, "offset", f->offset);
    ras_json_uint(j, "width", f->picture.width);
    ras_json_uint(j, "height", f->picture.height);
    ras_json_blob(j, "sha256", f->sha256, RAS_SHA256_SIZE);
    ras_json_uint(j, "draws", f->draws);
    ras_json_text(j, "backend", f->backend);
    ras_json_text(j, "size_from", ras_size_from_name(f->size_from));
    ras_json_array(j, "inexact");
    for (const char *p = f->inexact; *p;) {
        size_t len = strcspn(p, ",");
        ras_json_string(j, NULL, p, len);
        p += len + (p[len] == ',');
    }
    ras_json_end(j);
    if (s->o->pixel)
        put_json_pixel(j, &s->pixel, &f->picture);
    ras_json_end(j);
}

static void put_frame(struct showing *s, const struct ras_rendered *f)
{
    if (s->o->common.json) {
        put_json_frame(s, answer_json(s->a), f);
        return;
    }
    answer_format(s->a, "frame %" PRIu64 ": %" PRIu32 "x%" PRIu32 " sha256=", f->frame_index,
                  f->picture.width, f->picture.height);
    for (size_t i = 0; i < RAS_SHA256_SIZE; i++)
        answer_format(s->a, "%02x", f->sha256[i]);
    if (s->o->draw.given)
        answer_format(s->a, " after draw %" PRIu64, f->draws);
    answer_format(s->a, "%s%s\n", *f->inexact ? " inexact: " : "", f->inexact);
    if (s->o->pixel)
        put_pixel(s->a, &s->pixel, &f->picture);
}

/* Note the origin of a picture size that no command states; golden pictures have a size. */
static void say_size(struct showing *s, const struct ras_rendered *f)
{
    if (s->o->golden || s->reported_size)
        return;
    s->reported_size = say_canvas(s->path, f, s->o->common.quiet);
}

static bool show_frame(void *user, const struct ras_rendered *f)
{
    struct showing *s = user;
    if (s->o->pixel && (s->pixel.x >= f->picture.width || s->pixel.y >= f->picture.height)) {
        s->status = trouble("%s: pixel %" PRIu32 ",%" PRIu32 " is outside of frame %" PRIu64
                            ", which is %" PRIu32 "x%" PRIu32,
                            shown_path(s->path), s->pixel.x, s->pixel.y, f->frame_index,
                            f->picture.width, f->picture.height);
        return false;
    }
    put_frame(s, f);
    if (s->pixel.nomem) {
        s->status = trouble("out of memory");
        return false;
    }
    s->pixel.count = 0;
    answer_flush(s->a); /* flush: a frame may take long, and another program may wait for it */
    say_size(s, f);
    if (s->o->png)
        s->status = write_png(s->o->png, f->frame_index, "", &f->picture);
    if (!s->status && s->o->golden)
        s->status = compare_golden(s, f);
    s->frames++;
    if (s->total)
        progress_at(&s->progress, s->frames, s->total);
    return !s->status;
}

/* Progress counts frames; for a single frame it counts the bytes before it. */
static bool frames_show_progress(void *user, uint64_t done, uint64_t total)
{
    struct showing *s = user;
    return progress_at(&s->progress, done, total);
}

static void show_drawn(void *user, const struct ras_drawn *d)
{
    struct showing *s = user;
    ras_pixel_drawn(&s->pixel, d);
}

static void show_remark(void *user, uint64_t offset, const char *text)
{
    const struct showing *s = user;
    answer_flush(s->a);
    remark(s->o->common.quiet, "%s: offset %" PRIu64 ": %s", shown_path(s->path), offset, text);
}

/* ---- the whole ----------------------------------------------------------------------- */

static int frames_read_options(const struct replay_options *o, struct ras_render_options *how)
{
    static const char *const names[] = {"auto", "gles", "software"};
    for (size_t i = 0; o->backend && i < sizeof names / sizeof *names; i++)
        if (!strcmp(o->backend, names[i]))
            how->backend = (enum ras_backend)i;
    if (read_size(o->size, &how->width, &how->height))
        return EXIT_TROUBLE;
    if (o->timeout.given && (!o->timeout.value || o->timeout.value > 86400))
        return trouble("--timeout takes 1 to 86400 seconds");
    how->limits.time_ms = (uint32_t)(o->timeout.value * 1000);
    how->limits.memory_bytes = o->memory.value;
    how->limits.work = o->work.value;
    how->has_frame = o->frame.given;
    how->frame = o->frame.value;
    how->has_draw = o->draw.given;
    how->draw = o->draw.value;
    return 0;
}

/* Report that the frame does not exist or is not presented. */
static void say_no_frame(const struct showing *s, struct ras_trace *trace)
{
    struct ras_info *info;
    struct ras_error err;
    uint64_t frame = s->o->frame.value;
    bool known = ras_info(&info, trace, NULL, NULL, &err) >= 0;
    if (known && info->has_tick && (frame < info->tick_first || frame > info->tick_last))
        remark(s->o->common.quiet,
               "%s: there is no frame %" PRIu64 ": frames %" PRIu64 " to %" PRIu64,
               shown_path(s->path), frame, info->tick_first, info->tick_last);
    else
        remark(s->o->common.quiet, "%s: frame %" PRIu64 " is not presented", shown_path(s->path),
               frame);
    if (known)
        ras_info_free(info);
}

static int not_there(const struct showing *s, struct ras_trace *trace)
{
    const struct replay_options *o = s->o;
    answer_flush(s->a);
    if (o->draw.given && o->frame.given)
        remark(o->common.quiet, "%s: frame %" PRIu64 " has no draw %" PRIu64, shown_path(s->path),
               o->frame.value, o->draw.value);
    else if (o->draw.given)
        remark(o->common.quiet, "%s: no frame has %s", shown_path(s->path),
               ras_counted(o->draw.value, "draw").text);
    else
        say_no_frame(s, trace);
    return EXIT_NO;
}

static int judge(struct showing *s, struct ras_trace *trace, const struct ras_render *r)
{
    const struct replay_options *o = s->o;
    bool part = o->frame.given || o->draw.given;
    if (!s->status && o->golden && !part)
        s->status = find_missing(s);
    if (s->status || s->differs)
        return s->status ? s->status : EXIT_NO;
    int status = r->inexact || r->unpresented ? EXIT_LOSS : EXIT_YES;
    struct ras_ending ending = ras_ending(trace);
    return part ? status : worse(status, say_ending(s->path, trace, &ending, o->common.quiet));
}

/* The number of frames to show; 0: not known. */
static uint64_t count_frames(struct ras_trace *trace)
{
    struct ras_info *info;
    struct ras_error err;
    uint64_t count = 0;
    if (ras_info(&info, trace, NULL, NULL, &err) < 0)
        return 0;
    for (size_t i = 0; i < info->type_count; i++)
        if (!strcmp(info->types[i].name, "frame"))
            count = info->types[i].records;
    ras_info_free(info);
    return count;
}

int replay_frames(const struct replay_options *o, const char *path, struct ras_trace *trace,
                  struct answer *a)
{
    struct showing s = {.o = o, .path = path, .a = a};
    struct ras_render_options how = {
        .gpu = ras_gpu(), .frame_shown = show_frame, .remark = show_remark, .user = &s};
    struct ras_render r;
    struct ras_error err;
    int status = frames_read_options(o, &how);
    if (!status && o->pixel)
        status = pixel_read(o->pixel, &s.pixel);
    if (status)
        return status;
    how.drawn = o->pixel ? show_drawn : NULL;
    if (o->common.json)
        put_json_frames_head(answer_json(a), shown_path(path));
    /* On a terminal every frame is printed as soon as it is ready. */
    bool single = how.has_frame || how.has_draw;
    progress_start(&s.progress, &o->common, "replay", a->on_screen && !single);
    s.progress.unit = "frames";
    s.progress.percent = single;
    how.progress = single && s.progress.wanted ? frames_show_progress : NULL;
    s.total = s.progress.wanted && !single ? count_frames(trace) : 0;
    status = ras_render(&r, trace, &how, &err);
    progress_stop(&s.progress);
    if (o->common.json)
        put_json_frames_end(answer_json(a), r.unpresented,
                            status < 0 || s.status       ? "error"
                            : status == RAS_END          ? "not presented"
                            : s.differs                  ? "differs"
                            : r.inexact || r.unpresented ? "inexact"
                                                         : "ok");
    answer_flush(a);
    if (status < 0)
        status = trouble_at(path, &err);
    else
        status = status == RAS_END ? not_there(&s, trace) : judge(&s, trace, &r);
    free(s.shown);
    ras_pixel_history_free(&s.pixel);
    return status;
}
