/* replaying_frames.c - execute a trace of GPU commands and tell its frames: a line each, PNG
 * files, and whether they are as a golden one has them. */
#include "cli/pictures.h"
#include "cli/replaying.h"
#include "cli/replaying_pixel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOLDEN_MAX ((size_t)256 << 20) /* bytes of a PNG file */

/* While it is executed. */
struct showing {
    const struct replaying *o;
    const char *path;
    struct answer *a;
    int status; /* trouble of our own */
    uint64_t frames;
    uint64_t *shown; /* with --golden: their indexes, to find those that were not */
    size_t shown_room;
    bool differs, told_size;
    struct pixel_history pixel;
    struct progress progress;
    uint64_t total; /* frames, for the line of progress; 0: not known */
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

static int tell_difference(struct showing *s, const struct ras_rendered *f, const char *path,
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
        status = tell_difference(s, f, path, &golden);
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

/* ---- telling --------------------------------------------------------------------------------- */

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

/* Where the size of pictures comes from that no command states; golden ones have a size. */
static void say_size(struct showing *s, const struct ras_rendered *f)
{
    if (s->o->golden || s->told_size)
        return;
    s->told_size = say_canvas(s->path, f, s->o->common.quiet);
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
    s->pixel.count = 0;
    answer_flush(s->a); /* a frame may take its time, and another program wait for it */
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

/* Frames count themselves; of one alone the bytes before it do. */
static bool frames_show_progress(void *user, uint64_t done, uint64_t total)
{
    struct showing *s = user;
    return progress_at(&s->progress, done, total);
}

static void show_drawn(void *user, const struct ras_drawn *d)
{
    struct showing *s = user;
    pixel_drawn(&s->pixel, d);
}

static void show_remark(void *user, uint64_t offset, const char *text)
{
    const struct showing *s = user;
    answer_flush(s->a);
    remark(s->o->common.quiet, "%s: offset %" PRIu64 ": %s", shown_path(s->path), offset, text);
}

/* ---- the whole ----------------------------------------------------------------------- */

static int frames_read_options(const struct replaying *o, struct ras_render_options *how)
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

/* There is no such frame, or it shows nothing. */
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
    const struct replaying *o = s->o;
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
    const struct replaying *o = s->o;
    bool part = o->frame.given || o->draw.given;
    if (!s->status && o->golden && !part)
        s->status = find_missing(s);
    if (s->status || s->differs)
        return s->status ? s->status : EXIT_NO;
    int status = r->inexact || r->unpresented ? EXIT_LOSS : EXIT_YES;
    struct ras_ending ending = ras_ending(trace);
    return part ? status : worse(status, say_ending(s->path, trace, &ending, o->common.quiet));
}

/* How many there are to show; 0: that is not known. */
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

int replay_frames(const struct replaying *o, const char *path, struct ras_trace *trace,
                  struct answer *a)
{
    struct showing s = {.o = o, .path = path, .a = a};
    struct ras_render_options how = {.frame_shown = show_frame, .remark = show_remark, .user = &s};
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
    /* On a screen every frame is a line of its own, as it is ready. */
    bool alone = how.has_frame || how.has_draw;
    progress_start(&s.progress, &o->common, "replay", a->on_screen && !alone);
    s.progress.unit = "frames";
    s.progress.percent = alone;
    how.progress = alone && s.progress.wanted ? frames_show_progress : NULL;
    s.total = s.progress.wanted && !alone ? count_frames(trace) : 0;
    status = ras_render(trace, &how, &r, &err);
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
    free(s.pixel.changes);
    return status;
}
