/* viewer.c - a view: what it shows, and the work between two requests. */
#include "view/viewer.h"

#include "base/memory.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "ops/info/info_walk.h"
#include "view/side_tracks.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t memory_default = UINT64_C(64) << 20;

uint64_t view_generation(const struct ras_view *v)
{
    uint64_t generation = v->generation;
    for (unsigned i = 0; i < v->shown.side_count; i++)
        if (v->shown.sides[i].tracks)
            generation += tracks_generation(v->shown.sides[i].tracks);
    return generation;
}

int ras_view_open(struct ras_view **out, const struct ras_view_options *given,
                  struct ras_error *err)
{
    struct ras_view_options options;
    *out = NULL;
    if (!OPTIONS(&options, given, err))
        return RAS_EUSAGE;
    struct ras_view *v = calloc(1, sizeof *v);
    if (!v)
        return fail_memory(err);
    v->options = options;
    if (!v->options.memory_bytes)
        v->options.memory_bytes = memory_default;
    int status = jobs_open(&v->jobs, v->options.memory_bytes, !options.no_threads, err);
    if (status < 0) {
        free(v);
        return status;
    }
    *out = v;
    return RAS_OK;
}

static void view_drop_origins(struct ras_view *v)
{
    for (size_t i = 0; i < SIDES_MOST; i++)
        origin_free(&v->origins[i]);
}

void ras_view_close(struct ras_view *v)
{
    if (!v)
        return;
    jobs_close(v->jobs);
    shown_clear(&v->shown);
    view_drop_origins(v);
    for (size_t i = 0; i < v->offer_count; i++)
        origin_free(&v->offers[i]);
    free(v->offers);
    out_free(&v->out);
    free(v);
}

/* Open the next side. The origin becomes the view's in any case. */
static int view_add(struct ras_view *v, struct origin *origin, struct ras_error *err)
{
    unsigned i = v->shown.side_count;
    if (i == SIDES_MOST) {
        origin_free(origin);
        return fail(err, RAS_EUSAGE, RAS_NONE, "a view shows at most %d traces or runs",
                    (int)SIDES_MOST);
    }
    v->origins[i] = *origin;
    int status = shown_add(&v->shown, &v->origins[i], err);
    if (status < 0)
        origin_free(&v->origins[i]);
    else
        jobs_restart(v->jobs, v->origins, v->shown.side_count);
    v->generation++;
    v->settled = false;
    return status;
}

int ras_view_add(struct ras_view *v, const char *path, const struct ras_options *given,
                 struct ras_error *err)
{
    struct origin origin;
    struct ras_options options;
    if (!OPTIONS(&options, given, err))
        return RAS_EUSAGE;
    int status = origin_path(&origin, path, &options, err);
    return status < 0 ? status : view_add(v, &origin, err);
}

int ras_view_add_parts(struct ras_view *v, const char *name, const struct ras_part *parts,
                       size_t count, const struct ras_options *given, struct ras_error *err)
{
    struct origin origin;
    struct ras_options options;
    if (!OPTIONS(&options, given, err))
        return RAS_EUSAGE;
    if (!count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "there are no files");
    int status = origin_parts(&origin, name, parts, count, &options, err);
    return status < 0 ? status : view_add(v, &origin, err);
}

int ras_view_offer(struct ras_view *v, const char *path, const struct ras_options *given,
                   struct ras_error *err)
{
    struct ras_options options;
    if (!OPTIONS(&options, given, err))
        return RAS_EUSAGE;
    if (v->offer_count == OFFERS_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a view offers at most %d traces or runs",
                    (int)OFFERS_MOST);
    if (!array_grow(&v->offers, &v->offer_room, v->offer_count + 1, sizeof *v->offers))
        return fail_memory(err);
    int status = origin_path(&v->offers[v->offer_count], path, &options, err);
    v->offer_count += status >= 0;
    return status;
}

int view_show(struct ras_view *v, struct origin *origins, size_t count, struct ras_error *err)
{
    int status = RAS_OK;
    jobs_restart(v->jobs, NULL, 0);
    shown_clear(&v->shown);
    view_drop_origins(v);
    for (size_t i = 0; i < count; i++)
        if (status >= 0)
            status = view_add(v, &origins[i], err);
        else
            origin_free(&origins[i]);
    v->generation++;
    return status;
}

/* ---- work between two requests ------------------------------------------------------------- */

enum { COUNT_EVERY = 4096 };              /* records between two looks at the clock */
#define LOOK_NS (UINT64_C(400) * 1000000) /* between two looks for further traces of a run */

/* Count the records of a source until then. RAS_END: all that are there. */
static int view_count(struct ras_view *v, struct shown_source *s, uint64_t until,
                      struct ras_error *err)
{
    struct ras_error ignored;
    int status = RAS_OK;
    if (!s->counts)
        status = info_walk_open(&s->counts, s->trace, v->options.follow, &ignored);
    while (status == RAS_OK) {
        status = info_walk_step(s->counts, COUNT_EVERY, &ignored);
        if (status == RAS_OK && os_boot_ns() > until)
            return RAS_OK;
    }
    if (status == RAS_EMEMORY)
        return fail_memory(err);
    /* A trace that cannot be walked has no counts; what fails says so in its own route. */
    s->counting = false;
    s->counted = s->counts && status >= 0;
    v->generation++;
    return RAS_END;
}

/* The next source that is not counted. RAS_END: all are. */
static int view_count_all(struct ras_view *v, uint64_t until, struct ras_error *err)
{
    for (unsigned i = 0; i < v->shown.source_count; i++) {
        struct shown_source *s = &v->shown.sources[i];
        if (!s->counting)
            continue;
        int status = view_count(v, s, until, err);
        return status == RAS_END ? RAS_OK : status;
    }
    return RAS_END;
}

/* Build the timelines, one after the other. RAS_END: all are complete. */
static int view_build(struct ras_view *v, unsigned ms, struct ras_error *err)
{
    int status = shown_open_tracks(&v->shown, &v->options, err);
    for (unsigned i = 0; i < v->shown.side_count && status >= 0; i++) {
        status = tracks_step(v->shown.sides[i].tracks, ms, err);
        if (status == RAS_OK)
            return RAS_OK;
    }
    return status < 0 ? status : RAS_END;
}

/* Whether a trace has grown since the last time: then there is more to build and to count. */
static bool view_has_grown(struct ras_view *v)
{
    bool grown = false;
    for (unsigned i = 0; i < v->shown.source_count; i++) {
        struct shown_source *s = &v->shown.sources[i];
        struct ras_error ignored;
        if (!s->trace || ras_wait(s->trace, 0, &ignored) != RAS_OK)
            continue;
        s->counting = s->counted;
        grown = true;
    }
    if (grown)
        jobs_grown(v->jobs);
    return grown;
}

/* A run in progress has more traces than are shown, or is complete: all of it is opened again. */
static void view_renew(struct ras_view *v)
{
    uint64_t now = os_boot_ns();
    struct shown fresh = {.is_still = v->shown.is_still};
    bool whole = true;
    if (now - v->looked_ns < LOOK_NS)
        return;
    v->looked_ns = now;
    if (!shown_is_old(&v->shown))
        return;
    for (unsigned i = 0; i < v->shown.side_count && whole; i++)
        whole = shown_add(&fresh, &v->origins[i], NULL) >= 0;
    if (!whole) { /* it is being moved: the next time */
        shown_clear(&fresh);
        return;
    }
    v->generation = view_generation(v) + 1;
    jobs_restart(v->jobs, NULL, 0);
    shown_clear(&v->shown);
    v->shown = fresh;
    jobs_restart(v->jobs, v->origins, v->shown.side_count);
    v->settled = false;
}

int ras_view_step(struct ras_view *v, unsigned ms, struct ras_error *err)
{
    uint64_t until = os_boot_ns() + (uint64_t)ms * 1000000;
    if (jobs_step(v->jobs, v->options.follow ? NULL : &v->shown))
        return RAS_OK;
    if (v->options.follow)
        view_renew(v);
    if (v->settled && !(v->options.follow && view_has_grown(v)))
        return RAS_END;
    int status = view_build(v, ms, err);
    if (status == RAS_END)
        status = view_count_all(v, until, err);
    v->settled = status == RAS_END;
    return status;
}
