/* shown.c - the sides of a view and their traces. */
#include "view/shown.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "ops/info/info_walk.h"
#include "view/tracks.h"

#include <stdlib.h>
#include <string.h>

/* ---- origins ------------------------------------------------------------------------------- */

/* The last component of a path, without slashes at its end; all of it where it has none. */
static char *origin_last_name(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    size_t start = len;
    while (start && path[start - 1] != '/')
        start--;
    if (start == len)
        start = 0;
    return text_copy(path + start, len - start);
}

static int origin_options(struct origin *o, const struct ras_options *options,
                          struct ras_error *err)
{
    if (!options)
        return RAS_OK;
    o->options = *options;
    if (options->format && !(o->format = text_copy(options->format, strlen(options->format))))
        return fail_memory(err);
    if (options->dialect && !(o->dialect = text_copy(options->dialect, strlen(options->dialect))))
        return fail_memory(err);
    o->options.format = o->format;
    o->options.dialect = o->dialect;
    return RAS_OK;
}

int origin_path(struct origin *o, const char *path, const struct ras_options *options,
                struct ras_error *err)
{
    *o = (struct origin){.path = text_copy(path, strlen(path)), .name = origin_last_name(path)};
    int status = o->path && o->name ? origin_options(o, options, err) : fail_memory(err);
    if (status < 0)
        origin_free(o);
    return status;
}

int origin_parts(struct origin *o, const char *name, const struct ras_part *parts, size_t count,
                 const struct ras_options *options, struct ras_error *err)
{
    *o = (struct origin){.name = origin_last_name(name), .parts = parts, .part_count = count};
    int status = o->name ? origin_options(o, options, err) : fail_memory(err);
    if (status < 0)
        origin_free(o);
    return status;
}

void origin_free(struct origin *o)
{
    free(o->path);
    free(o->name);
    free(o->format);
    free(o->dialect);
    *o = (struct origin){0};
}

/* ---- sides --------------------------------------------------------------------------------- */

static int shown_open_parts(struct side *s, const struct ras_options *how, struct ras_error *err)
{
    const struct origin *o = s->origin;
    if (!o->format && ras_rundir_exists_in(o->parts, o->part_count))
        return ras_rundir_open_parts(&s->run, o->name, o->parts, o->part_count, &o->options, err);
    if (o->part_count == 1)
        return ras_open_memory(&s->trace, o->parts[0].bytes.at, o->parts[0].bytes.len, how, err);
    return ras_open_parts(&s->trace, o->parts, o->part_count, how, err);
}

/* Traces that can be read, and whether they are of several formats. */
static size_t run_traces(const struct ras_rundir *run, bool *several)
{
    const char *first = NULL;
    size_t count = 0;
    *several = false;
    for (size_t i = 0; i < run->pen_count; i++) {
        if (!run->pens[i].trace)
            continue;
        count++;
        *several |= first && strcmp(first, run->pens[i].format) != 0;
        first = first ? first : run->pens[i].format;
    }
    return count;
}

/* A folder without run.json in which traces of several formats are: a run that is being written.
 * False: it is something else, or there is too little yet. */
static bool shown_open_begun(struct side *s, const char *path, const struct ras_options *how)
{
    struct os_about about;
    bool several;
    if (s->origin->format || os_about(path, &about) < 0 || about.kind != OS_FOLDER ||
        ras_rundir_open(&s->run, path, how, NULL) < 0)
        return false;
    (void)run_traces(s->run, &several);
    if (several)
        return true;
    ras_rundir_close(s->run);
    s->run = NULL;
    return false;
}

/* What is being written is in a folder of another name until it is complete. */
static int shown_open_path(struct side *s, const char *path, const struct ras_options *how,
                           struct ras_error *err)
{
    struct os_about about;
    if (!s->origin->format && ras_rundir_exists(path))
        return ras_rundir_open(&s->run, path, how, err);
    if (s->origin->options.live && os_about(path, &about) < 0) {
        char *pending = file_pending(path);
        bool begun = pending && (ras_rundir_exists(pending)
                                     ? ras_rundir_open(&s->run, pending, how, NULL) == RAS_OK
                                     : shown_open_begun(s, pending, how));
        free(pending);
        if (begun)
            return RAS_OK;
    }
    if (s->origin->options.live && shown_open_begun(s, path, how))
        return RAS_OK;
    return ras_open(&s->trace, path, how, err);
}

static int shown_open_side(const struct shown *shown, struct side *s, struct ras_error *err)
{
    const struct origin *o = s->origin;
    struct ras_options how = o->options;
    how.live = how.live && !shown->is_still;
    return o->path ? shown_open_path(s, o->path, &how, err) : shown_open_parts(s, &how, err);
}

static void shown_add_pen(struct shown *shown, struct side *s, size_t pen)
{
    const struct ras_rundir_pen *p = &s->run->pens[pen];
    if (!p->file)
        return;
    shown->sources[shown->source_count++] = (struct shown_source){.side = shown->side_count,
                                                                  .name = p->file,
                                                                  .pen = p->format ? p->format : "",
                                                                  .path = p->path,
                                                                  .run_pen = pen,
                                                                  .trace = p->trace,
                                                                  .err = &p->err,
                                                                  .counting = p->trace};
    s->count++;
}

static void shown_add_sources(struct shown *shown, struct side *s)
{
    s->first = shown->source_count;
    for (size_t i = 0; s->run && i < s->run->pen_count; i++)
        shown_add_pen(shown, s, i);
    if (s->run)
        return;
    shown->sources[shown->source_count++] =
        (struct shown_source){.side = shown->side_count,
                              .name = s->origin->name,
                              .pen = ras_format_of(s->trace)->name,
                              .path = s->origin->path,
                              .trace = s->trace,
                              .err = &s->err,
                              .counting = true};
    s->count = 1;
}

static void shown_close_side(struct side *s)
{
    tracks_close(s->tracks);
    ras_rundir_close(s->run);
    ras_close(s->trace);
    *s = (struct side){0};
}

int shown_add(struct shown *shown, const struct origin *origin, struct ras_error *err)
{
    if (shown->side_count == SIDES_MOST)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a view shows at most %d traces or runs",
                    (int)SIDES_MOST);
    struct side *s = &shown->sides[shown->side_count];
    *s = (struct side){.origin = origin};
    int status = shown_open_side(shown, s, err);
    if (status < 0)
        return status;
    size_t more = s->run ? s->run->pen_count : 1;
    if (!array_grow(&shown->sources, &shown->source_room, shown->source_count + more,
                    sizeof *shown->sources)) {
        shown_close_side(s);
        return fail_memory(err);
    }
    shown_add_sources(shown, s);
    shown->side_count++;
    return RAS_OK;
}

bool shown_is_old(const struct shown *shown)
{
    bool old = false, several;
    for (unsigned i = 0; i < shown->side_count && !old; i++) {
        const struct side *s = &shown->sides[i];
        struct side now = {.origin = s->origin};
        if (!s->run || !s->run->json_err.status || !s->origin->options.live ||
            shown_open_side(shown, &now, NULL) < 0)
            continue;
        old = now.run && (!now.run->json_err.status ||
                          run_traces(now.run, &several) > run_traces(s->run, &several));
        shown_close_side(&now);
    }
    return old;
}

void shown_clear(struct shown *shown)
{
    for (unsigned i = 0; i < shown->source_count; i++)
        info_walk_close(shown->sources[i].counts);
    for (unsigned i = 0; i < shown->side_count; i++)
        shown_close_side(&shown->sides[i]);
    free(shown->sources);
    *shown = (struct shown){.is_still = shown->is_still};
}

const struct shown_source *shown_pen(const struct shown *shown, unsigned side, const char *pen)
{
    const struct side *s = &shown->sides[side];
    for (unsigned i = s->first; i < s->first + s->count; i++)
        if (shown->sources[i].trace && !strcmp(shown->sources[i].pen, pen))
            return &shown->sources[i];
    return NULL;
}
