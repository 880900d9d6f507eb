/* report_time.c - the timeline of a report: around the place in question, or all of it. */
#include "base/error.h"
#include "view/report_page.h"
#include "view/svg_time.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BEFORE = 2, AFTER = 5, STEP_MS = 50 };

/* Build all of a side. */
static int build_tracks(struct report_page *p, const struct side *side, struct tracks **out,
                        struct ras_error *err)
{
    const struct tracks_options how = {0};
    int status = tracks_open(out, side->trace, side->run, &how, err);
    while (status == RAS_OK) {
        status = tracks_step(*out, STEP_MS, err);
        if (status == RAS_OK && p->options->progress &&
            !p->options->progress(p->options->user, (uint64_t)(tracks_built(*out) * 1000), 1000))
            status = fail_canceled(err);
    }
    if (status >= 0)
        return RAS_OK;
    tracks_close(*out);
    *out = NULL;
    return status;
}

/* Ticks as times: of the axis itself where it has them. */
struct tick_times {
    uint64_t first;
    size_t count;
    uint64_t *own; /* to be freed */
    const uint64_t *at;
};

static bool find_ticks(struct tick_times *t, const struct tracks *tracks, bool is_ticks,
                       const uint64_t extent[2])
{
    uint64_t every;
    *t = (struct tick_times){0};
    if (!is_ticks) {
        t->count = tracks_ticks(tracks, &t->first, &every, &t->at);
        if (t->count && every != 1)
            t->count = 0;
        return true;
    }
    t->first = extent[0] >> 20;
    uint64_t count = (extent[1] >> 20) - t->first + 1;
    t->count = count < 65536 ? (size_t)count : 65536;
    t->at = t->own = calloc(t->count, sizeof *t->own);
    for (size_t i = 0; t->own && i < t->count; i++)
        t->own[i] = (t->first + i) << 20;
    return t->own;
}

static int by_length(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* How much of a tick is shown: half more than the middle one of these ticks takes. */
static uint64_t column_of(const struct tick_times *t, size_t from, size_t to)
{
    uint64_t lengths[BEFORE + AFTER];
    size_t count = 0;
    for (size_t i = from; i < to && count < BEFORE + AFTER; i++)
        lengths[count++] = t->at[i + 1] - t->at[i];
    if (!count)
        return 0;
    qsort(lengths, count, sizeof *lengths, by_length);
    uint64_t middle = lengths[count / 2];
    return middle + middle / 2 ? middle + middle / 2 : 1;
}

/* The range to show: some ticks around the place, else all there is. */
static void choose_range(const struct report_page *p, const struct tick_times *t,
                         const uint64_t extent[2], struct svg_time *s)
{
    const struct comparison *c = p->comparison;
    bool by_tick = !c || c->run[0] || !c->stream_count;
    s->from = extent[0];
    s->to = extent[1] < UINT64_MAX ? extent[1] + 1 : extent[1];
    if (p->place == RAS_NONE || !by_tick || !t->count || p->place < t->first ||
        p->place - t->first >= t->count)
        return;
    uint64_t at = p->place - t->first, from = at > BEFORE ? at - BEFORE : 0, to = at + AFTER;
    s->from = t->at[from];
    if (to < t->count)
        s->to = t->at[to];
    s->marked = p->place;
    s->column = column_of(t, (size_t)from, to < t->count ? (size_t)to : t->count - 1);
}

static int put_side_time(struct report_page *p, unsigned i, struct ras_error *err)
{
    const struct side *side = &p->shown->sides[i];
    struct tracks *tracks;
    struct tick_times t = {0};
    uint64_t extent[2];
    bool is_ticks, drawn = false;
    int status = build_tracks(p, side, &tracks, err);
    if (status < 0)
        return status == RAS_EMEMORY || status == RAS_ECANCELED ? status : RAS_OK;
    if (tracks_extent(tracks, &extent[0], &extent[1], &is_ticks)) {
        struct svg_time s = {.marked = RAS_NONE};
        if (!find_ticks(&t, tracks, is_ticks, extent))
            status = fail_memory(err);
        choose_range(p, &t, extent, &s);
        s.begins = t.at;
        s.begin_count = t.count;
        s.first_tick = t.first;
        const char *span = is_ticks ? "ticks" : report_ns(&p->texts, (double)(s.to - s.from));
        s.label = arena_format(&p->texts, "timeline of %s, %s", p->names[i], span);
        if (s.column && p->column)
            s.column = p->column; /* one scale for both */
        p->column = s.column;
        out_text(&p->out, "<div class=\"panel time\" tabindex=\"0\"><p><b>");
        html_text(&p->out, p->names[i]);
        out_text(&p->out, "</b>");
        if (s.column && !is_ticks)
            html_format(&p->out, ": each column shows the first %s of a tick",
                        report_ns(&p->texts, (double)s.column));
        out_text(&p->out, "</p>");
        if (status == RAS_OK)
            status = svg_put_time(&p->out, tracks, &s, &drawn, err);
        if (!drawn)
            out_text(&p->out, "<p class=\"dim\">Nothing to draw on a timeline.</p>");
        out_text(&p->out, "</div>\n");
    }
    free(t.own);
    tracks_close(tracks);
    return status;
}

int report_timeline(struct report_page *p, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    int status = RAS_OK;
    report_heading(p, "Timeline");
    if (c && p->place != RAS_NONE) {
        out_text(&p->out, "<p class=\"dim\">");
        html_format(&p->out,
                    "Around %s %s, each side by its own clock: recorded times, which are not "
                    "compared.",
                    c->word, arena_count(&p->texts, p->place));
        out_text(&p->out, "</p>\n");
    }
    for (unsigned i = 0; i < p->shown->side_count && status == RAS_OK; i++)
        status = put_side_time(p, i, err);
    return status;
}
