/* report_embed.c - the viewer and the traces inside of a report: as many ticks of them as fit.
 *
 * Traces on the axis of ticks are sliced around the place that the report is about, those of times
 * around the time of it; both only where all of them is too large, which the page says. Pieces of
 * rastrum.html are taken as they are: its policy has the hashes of its scripts. */
#include "base/error.h"
#include "codec/base64.h"
#include "codec/compress.h"
#include "core/format.h"
#include "core/source.h"
#include "ops/rundir/rundir_axes.h"
#include "view/report_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, REACH_FIRST = 256, HALVINGS_MOST = 24 };
static const uint64_t embed_most = UINT64_C(3) << 20;  /* of all traces, as text */
static const uint64_t whole_most = UINT64_C(64) << 20; /* of one that is not sliced, before that */

struct embed {
    struct report_page *p;
    struct out *scripts;
    uint64_t reach;           /* ticks before and after the place; RAS_NONE: all */
    unsigned halvings;        /* of the time of traces that have times; 0: all */
    bool sliced;              /* the trace at hand is */
    bool too_long;            /* fewer ticks, or less time, may fit */
    bool time_long;           /* less time of one trace may fit */
    struct out left_out, cut; /* names of traces that are not there, or not whole */
};

/* ---- files ------------------------------------------------------------------------------- */

static bool embed_gzip(struct out *out, struct ras_bytes in)
{
    struct compress *gzip = compress_new(COMPRESS_GZIP);
    bool done = false;
    while (gzip && !done) {
        uint8_t *at = out_room(out, PIECE);
        size_t made = at ? compress_step(gzip, &in, true, at, PIECE, &done) : SIZE_MAX;
        if (made == SIZE_MAX)
            break;
        out->len += made;
    }
    compress_free(gzip);
    return done;
}

static int embed_file(struct embed *e, unsigned side, const char *path, const char *part,
                      struct ras_bytes bytes, struct ras_error *err)
{
    struct out packed = {0};
    bool good = embed_gzip(&packed, bytes);
    out_text(e->scripts, "<script type=\"text/plain\" class=\"rastrum-file\" data-side=\"");
    html_text(e->scripts, e->p->names[side]);
    out_text(e->scripts, "\" data-path=\"");
    html_text(e->scripts, path);
    out_text(e->scripts, *part ? "/" : "");
    html_text(e->scripts, part);
    out_format(e->scripts, "\" data-number=\"%u\">", side);
    base64_put(e->scripts, (struct ras_bytes){packed.at, packed.len});
    out_text(e->scripts, "</script>\n");
    out_free(&packed);
    return good && !e->scripts->failed ? RAS_OK : fail_memory(err);
}

static const char too_large[] = "too large";

/* ---- traces ------------------------------------------------------------------------------ */

static bool embed_goes_on(void *user, uint64_t done, uint64_t total)
{
    const struct embed *e = user;
    const struct ras_html_report_options *o = e->p->options;
    if (!e->sliced && total > whole_most)
        return false;
    return !o->progress || o->progress(o->user, done, total);
}

/* The line of the comparison that a trace is on; NULL: none, or there is nothing to compare. */
static const struct comparison_line *embed_line(const struct embed *e, const struct shown_source *s)
{
    const struct comparison *c = e->p->comparison;
    for (size_t i = 0; c && i < c->line_count; i++)
        if (!strcmp(c->lines[i].format, ras_format_of(s->trace)->name))
            return &c->lines[i];
    return NULL;
}

/* When the tick of the report begins, as run.json has it; RAS_NONE: it is not known. */
static uint64_t embed_tick_time(const struct embed *e, const struct shown_source *s)
{
    const struct ras_rundir *run = e->p->shown->sides[s->side].run;
    uint64_t first, every, time = RAS_NONE;
    const struct ras_value *list =
        run ? rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL}) : NULL;
    if (!list || list->kind != RAS_LIST || e->p->place == RAS_NONE ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL}, &every) ||
        !every || e->p->place < first)
        return RAS_NONE;
    uint64_t n = (e->p->place - first) / every;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v))
        if (!n--)
            return cell_uint(v, &time) ? time : RAS_NONE;
    return RAS_NONE;
}

/* The time of the first record that differs, else of the tick; RAS_NONE: neither is known. */
static uint64_t embed_time(const struct embed *e, const struct shown_source *s)
{
    const struct comparison_line *l = embed_line(e, s);
    const struct ras_divergence *v =
        l && l->diverged && l->here && l->here->divergence_count ? l->here->divergences : NULL;
    uint64_t seq = v ? v->seq[s->side] : RAS_NONE, time = RAS_NONE;
    const struct ras_record *r;
    struct ras_cursor *c;
    if (seq >= RAS_NONE - 1)
        return embed_tick_time(e, s);
    const struct ras_scan scan = {
        .axis = RAS_AXIS_SEQ, .from = seq, .to = seq + 1, .headers_only = true};
    if (ras_cursor_open(&c, s->trace, &scan, NULL) < 0)
        return RAS_NONE;
    if (ras_next(c, &r, NULL) == RAS_OK && r->flags & RAS_HAS_TIME)
        time = r->time_ns;
    ras_cursor_close(c);
    return time == RAS_NONE ? embed_tick_time(e, s) : time;
}

/* As much time as is left after some halvings, around the place; without one, from the start. */
static void embed_time_range(struct embed *e, const struct shown_source *s,
                             struct ras_rewrite_options *how)
{
    struct ras_info *info;
    if (ras_info(&info, s->trace, NULL, NULL, NULL) < 0)
        return;
    if (info->has_time) {
        uint64_t first = info->time_first, half = (info->time_last - first) >> e->halvings;
        uint64_t at = embed_time(e, s), center = at == RAS_NONE || at < first ? first : at;
        how->axis = RAS_AXIS_TIME;
        how->from = center - first > half ? center - half : first;
        how->to = center < RAS_NONE - 2 - half ? center + half + 1 : RAS_NONE - 1;
        e->sliced = true;
    }
    ras_info_free(info);
}

static struct ras_rewrite_options embed_range(struct embed *e, const struct shown_source *s)
{
    struct ras_rewrite_options how = {.to = RAS_NONE, .progress = embed_goes_on, .user = e};
    uint64_t place = e->p->place;
    bool ticks = ras_format_of(s->trace)->axis == RAS_AXIS_TICK;
    e->sliced = e->reach != RAS_NONE && ticks;
    if (e->halvings && ras_format_of(s->trace)->axis == RAS_AXIS_TIME)
        embed_time_range(e, s, &how);
    if (!e->sliced || !ticks)
        return how;
    how.axis = RAS_AXIS_TICK;
    how.from = place == RAS_NONE || place < e->reach ? 0 : place - e->reach;
    how.to = (place == RAS_NONE ? e->reach : place) + e->reach + 1;
    return how;
}

static int embed_parts(struct embed *e, const struct shown_source *s, struct ras_folder *folder,
                       struct ras_sink *sink, struct ras_error *err)
{
    const char *path = e->p->shown->sides[s->side].run ? s->name : "";
    if (!folder)
        return embed_file(e, s->side, path, "", ras_sink_bytes(sink), err);
    size_t count = 0;
    const struct ras_part *parts = ras_folder_parts(folder, &count);
    int status = RAS_OK;
    for (size_t i = 0; i < count && status == RAS_OK; i++)
        status = *path ? embed_file(e, s->side, path, parts[i].name, parts[i].bytes, err)
                       : embed_file(e, s->side, parts[i].name, "", parts[i].bytes, err);
    return status;
}

/* One that can be sliced is, before it is left out. */
static void embed_leave_out(struct embed *e, const struct shown_source *s, size_t before,
                            const char *why)
{
    enum ras_axis axis = ras_format_of(s->trace)->axis;
    e->scripts->len = before;
    if (e->reach == RAS_NONE && axis == RAS_AXIS_TICK)
        e->too_long = true;
    else if (axis == RAS_AXIS_TIME && e->halvings < HALVINGS_MOST && !strcmp(why, too_large))
        e->time_long = true;
    else
        html_format(&e->left_out, "%s%s (%s)", e->left_out.len ? ", " : "", s->name, why);
}

/* A trace that cannot be rewritten, or is too large, is left out. */
static int embed_trace(struct embed *e, const struct shown_source *s, struct ras_error *err)
{
    struct ras_rewrite_options how = embed_range(e, s);
    struct ras_folder *folder = NULL;
    struct ras_sink *sink = NULL;
    struct ras_rewritten *made = NULL;
    struct ras_error why = {0};
    size_t before = e->scripts->len;
    bool is_folder = ras_rewrite_is_folder(s->trace);
    int status = is_folder ? ras_folder_memory(&folder, err) : ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    how.folder = folder;
    how.sink = sink;
    status = ras_rewrite(&made, &s->trace, 1, &how, &why);
    ras_rewritten_free(made);
    if (status == RAS_EMEMORY)
        status = fail_memory(err);
    else if (status < 0)
        embed_leave_out(e, s, before, status == RAS_ECANCELED ? too_large : why.text);
    else
        status = embed_parts(e, s, folder, sink, err);
    bool ticks = ras_format_of(s->trace)->axis == RAS_AXIS_TICK;
    if (status >= 0 && !(e->sliced && ticks) && e->scripts->len - before > embed_most / 3)
        embed_leave_out(e, s, before, too_large);
    else if (status >= 0 && e->sliced && !ticks && e->scripts->len > before)
        html_format(&e->cut, "%s%s of %s", e->cut.len ? ", " : "", s->name, e->p->names[s->side]);
    ras_folder_drop(folder);
    ras_sink_drop(sink);
    return status == RAS_EMEMORY ? status : RAS_OK;
}

static int embed_run_json(struct embed *e, unsigned side, struct ras_error *err)
{
    const struct ras_rundir *run = e->p->shown->sides[side].run;
    const struct ras_limits limits = limits_of(NULL);
    const struct ras_options plain = {0};
    struct source *source;
    const struct ras_part *part;
    char path[4096];
    if (run && !run->json_err.status && rundir_part(run, "run.json", &part))
        return part ? embed_file(e, side, "run.json", "", part->bytes, err) : RAS_OK;
    if (!run || run->json_err.status ||
        snprintf(path, sizeof path, "%s/run.json", run->path) >= (int)sizeof path)
        return RAS_OK;
    int status = source_open_path(&source, path, &plain, &limits, err);
    if (status < 0)
        return status;
    status = embed_file(e, side, "run.json", "", source_bytes(source, 0), err);
    source_close(source);
    return status;
}

static int embed_all(struct embed *e, struct ras_error *err)
{
    const struct shown *shown = e->p->shown;
    int status = RAS_OK;
    e->scripts->len = e->left_out.len = e->cut.len = 0;
    e->too_long = e->time_long = false;
    for (unsigned i = 0; i < shown->side_count && status == RAS_OK; i++)
        status = embed_run_json(e, i, err);
    for (unsigned i = 0; i < shown->source_count && status == RAS_OK; i++)
        if (shown->sources[i].trace)
            status = embed_trace(e, &shown->sources[i], err);
    e->too_long |= e->scripts->len > embed_most;
    return status;
}

/* ---- the page ------------------------------------------------------------------------------ */

/* What is between two texts of the viewer's page, both included; none: empty. */
static struct ras_bytes embed_between(struct ras_bytes page, const char *from, const char *to)
{
    const uint8_t *at = page.len ? memmem(page.at, page.len, from, strlen(from)) : NULL;
    const uint8_t *end = at ? memmem(at, page.len - (size_t)(at - page.at), to, strlen(to)) : NULL;
    return end ? (struct ras_bytes){at, (size_t)(end - at) + strlen(to)} : (struct ras_bytes){0};
}

void embed_policy(struct out *out, struct ras_bytes viewer)
{
    struct ras_bytes policy = embed_between(viewer, "<meta http-equiv", ">");
    out_bytes(out, policy.at, policy.len);
    out_text(out, "\n");
}

/* The styles of the viewer, which its script turns on when it is opened. */
void embed_styles(struct out *out, struct ras_bytes viewer)
{
    static const char start[] = "<style>";
    for (;;) {
        struct ras_bytes style = embed_between(viewer, start, "</style>");
        if (!style.len)
            return;
        out_text(out, "<style media=\"not all\">");
        out_bytes(out, style.at + sizeof start - 1, style.len - (sizeof start - 1));
        out_text(out, "\n");
        size_t passed = (size_t)(style.at - viewer.at) + style.len;
        viewer = (struct ras_bytes){viewer.at + passed, viewer.len - passed};
    }
}

static void embed_say(struct embed *e, struct out *out)
{
    uint64_t place = e->p->place == RAS_NONE ? e->reach : e->p->place;
    out_text(out,
             "<section class=\"embed\"><button type=\"button\" id=\"rastrum-open\" hidden>Open in "
             "the viewer</button> <span class=\"dim\">The traces are in this file");
    if (e->reach != RAS_NONE)
        out_format(out, "; those with ticks from %" PRIu64 " to %" PRIu64,
                   place < e->reach ? 0 : place - e->reach, place + e->reach);
    if (e->cut.len) {
        out_text(out, e->p->place == RAS_NONE ? "; of their times only the first part: "
                                              : "; only around that time: ");
        out_bytes(out, e->cut.at, e->cut.len);
    }
    if (e->left_out.len) {
        out_text(out, "; left out: ");
        out_bytes(out, e->left_out.at, e->left_out.len);
    }
    out_text(out, ".</span></section>\n");
}

int embed_make(struct report_page *p, struct ras_error *err)
{
    struct embed e = {.p = p, .scripts = &p->embedded, .reach = RAS_NONE};
    int status = embed_all(&e, err);
    while (status == RAS_OK && e.reach && (e.too_long || e.time_long) &&
           e.halvings < HALVINGS_MOST) {
        if (e.too_long)
            e.reach = e.reach == RAS_NONE ? REACH_FIRST : e.reach / 2;
        e.halvings++;
        status = embed_all(&e, err);
    }
    if (status == RAS_OK && e.too_long)
        status = fail(err, RAS_ELIMIT, RAS_NONE,
                      "even three ticks of the traces are %zu bytes of text, more than %" PRIu64
                      ": slice them first",
                      p->embedded.len, embed_most);
    if (status == RAS_OK)
        embed_say(&e, &p->embed_note);
    out_free(&e.left_out);
    out_free(&e.cut);
    return status;
}

void embed_put(struct report_page *p)
{
    static const char end[] = "</head>";
    struct ras_bytes code = embed_between(
        p->options->viewer, "<script type=\"text/plain\" id=\"rastrum-module\">", end);
    out_bytes(&p->out, p->embedded.at, p->embedded.len);
    out_bytes(&p->out, code.at, code.len ? code.len - strlen(end) : 0);
    p->out.failed |= p->embedded.failed || p->embed_note.failed;
}
