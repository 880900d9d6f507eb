/* rewriter.c - slice, merge and convert: walk the sources, let the format copy. */
#include "ops/rewrite/rewriter.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/cursor.h"
#include "core/document.h"
#include "core/registry.h"
#include "core/sink.h"
#include "core/format.h"

#include <stdlib.h>
#include <string.h>

int destination_open(struct destination *d, bool to_folder, struct ras_sink *sink,
                     struct ras_folder *folder, const char *path, bool replace,
                     struct ras_error *err)
{
    *d = (struct destination){sink, folder, !sink && !folder};
    if (to_folder ? sink != NULL : folder != NULL)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a %s cannot be written to a %s",
                    to_folder ? "directory" : "file", to_folder ? "stream" : "folder");
    if (!d->made)
        return RAS_OK;
    return to_folder ? ras_folder_open(&d->folder, path, replace, err)
                     : ras_sink_trace(&d->sink, path, replace, err);
}

int destination_close(struct destination *d, int status, struct ras_error *err)
{
    if (!d->made)
        return status;
    if (status == RAS_OK && d->folder)
        return ras_folder_close(d->folder, err);
    if (status == RAS_OK)
        return ras_sink_close(d->sink, err);
    ras_folder_drop(d->folder);
    ras_sink_drop(d->sink);
    return status;
}

enum { PROGRESS_EVERY = 4 << 20 }; /* bytes walked */

/* ---- what is wanted ------------------------------------------------------------------ */

/* Decided once for each schema of a source. NULL: memory is short. */
static struct choice *choice_of(struct walker *w, size_t source, uint32_t schema)
{
    struct source_choices *m = &w->choices[source];
    size_t old = m->room;
    if (schema >= old && !array_grow(&m->at, &m->room, schema + 1u, sizeof *m->at)) {
        w->rw.nomem = true;
        return NULL;
    }
    for (size_t i = old; i < m->room; i++)
        m->at[i] = (struct choice){0};
    struct choice *choice = &m->at[schema];
    if (!choice->known) {
        choice->known = true;
        choice->wanted =
            rewrite_asks_type(w->rw.options, ras_schema_at(w->rw.sources[source], schema)->name);
    }
    return choice;
}

/* ---- counting ------------------------------------------------------------------------- */

/* Counted by schema while walking, reported by name: schemas may share one. */
static void report_counts(struct walker *w)
{
    for (size_t i = 0; i < w->rw.count; i++)
        for (size_t k = 0; k < w->choices[i].room; k++)
            if (w->choices[i].at[k].kept) {
                rewrite_kept(&w->rw, ras_schema_at(w->rw.sources[i], k)->name,
                             w->choices[i].at[k].kept);
                w->choices[i].at[k].kept = 0;
            }
}

void walker_note_ending(struct walker *w, size_t source, const struct ras_ending *e)
{
    struct ras_rewritten *out = w->rw.out;
    if (e->kind <= out->ending.kind && out->ending.why)
        return;
    char *why = text_copy(e->why, strlen(e->why));
    if (!why) {
        w->rw.nomem = true;
        return;
    }
    free((void *)(uintptr_t)out->ending.why);
    out->ending = *e;
    out->ending.why = why;
    out->ending_source = source;
}

/* ---- the walk -------------------------------------------------------------------------- */

static int step(struct walker *w, size_t source, struct ras_error *err)
{
    struct ras_cursor *c = w->cursors[source];
    int status = walk_next(w->rw.sources[source], c, &w->heads[source], err);
    if (status == RAS_OK)
        return status;
    if (status == RAS_END && w->counting) {
        struct ras_ending e = ras_ending(w->rw.sources[source]);
        walker_note_ending(w, source, &e);
    }
    ras_cursor_close(c);
    w->cursors[source] = NULL;
    return status == RAS_END ? RAS_OK : status;
}

/* Numbers of children are checked one by one: their parents must be read, too. */
static bool sees_all(const struct walker *w)
{
    return (w->ops->with_children && w->rw.options->axis == RAS_AXIS_SEQ) ||
           (w->ops->needs_all && !w->counting);
}

static int enter(struct walker *w, size_t source, struct ras_error *err)
{
    const struct ras_rewrite_options *o = w->rw.options;
    const struct ras_scan scan = {.axis = sees_all(w) ? RAS_AXIS_NONE : o->axis,
                                  .from = o->from,
                                  .to = o->to,
                                  .merged = o->interleave,
                                  .frames_only = w->ops->with_children && !w->rw.piecemeal,
                                  .headers_only = !w->ops->values};
    int status = ras_cursor_open(&w->cursors[source], w->rw.sources[source], &scan, err);
    if (status < 0)
        return status;
    cursor_stop_collecting(w->cursors[source]); /* drivers move it over records that they copy */
    return step(w, source, err);
}

static int show(struct walker *w, size_t source, pass_function *pass, struct ras_error *err)
{
    const struct ras_record *r = w->heads[source];
    const struct ras_rewrite_options *o = w->rw.options;
    if (r->schema == RAS_SCHEMA_GAP) /* it cannot be copied */
        return RAS_OK;
    if (o->span_count && !sees_all(w) && !rewrite_asks(o, r->seq, NULL))
        return RAS_OK;
    struct choice *choice = choice_of(w, source, r->schema);
    if (!choice)
        return fail_memory(err);
    bool in_range = !sees_all(w) || rewrite_in_range(o, r);
    struct taken t = {source, w->cursors[source], r,
                      in_range && choice->wanted && rewrite_asks_stream(o, r->stream), in_range};
    choice->kept += t.wanted && w->counting;
    if (r->offset - w->reported >= PROGRESS_EVERY && o->progress) { /* also where it went back */
        uint64_t total, done = ras_cursor_progress(t.cursor, &total);
        w->reported = r->offset;
        if (!o->progress(o->user, done, total))
            return fail_canceled(err);
    }
    return pass(&w->rw, &t, err);
}

/* Whether the pass continues. */
static bool goes_on(const struct walker *w, int status)
{
    return status == RAS_OK && (w->counting || !w->rw.settled);
}

/* The source with the earliest record; the first of equals. */
static size_t earliest(const struct walker *w)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < w->rw.count; i++) {
        size_t s = w->rw.order[i];
        if (w->cursors[s] && (best == SIZE_MAX || w->heads[s]->time_ns < w->heads[best]->time_ns))
            best = s;
    }
    return best;
}

static int pass_by_time(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < w->rw.count; i++)
        status = enter(w, w->rw.order[i], err);
    size_t source;
    while (goes_on(w, status) && (source = earliest(w)) != SIZE_MAX) {
        status = show(w, source, pass, err);
        if (goes_on(w, status))
            status = step(w, source, err);
    }
    return status;
}

static int pass_in_turn(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; goes_on(w, status) && i < w->rw.count; i++) {
        size_t source = w->rw.order[i];
        status = enter(w, source, err);
        while (goes_on(w, status) && w->cursors[source]) {
            status = show(w, source, pass, err);
            if (goes_on(w, status))
                status = step(w, source, err);
        }
    }
    return status;
}

/* Pass every record in range to `pass`, source by source or interleaved. */
static int walker_pass(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status =
        w->rw.options->interleave ? pass_by_time(w, pass, err) : pass_in_turn(w, pass, err);
    for (size_t i = 0; i < w->rw.count; i++) {
        ras_cursor_close(w->cursors[i]);
        w->cursors[i] = NULL;
    }
    report_counts(w);
    if (status == RAS_OK && w->rw.nomem)
        status = fail_memory(err);
    return status;
}

/* Fewer bytes are rewritten before a thread has started. */
enum { WORTH_A_THREAD = 1 << 19 };

/* ---- the copy ----------------------------------------------------------------------- */

static int copy_once(struct walker *w, struct ras_error *err)
{
    const struct rewrite_ops *ops = w->ops;
    int status = ops->begin(&w->rw, err);
    if (status == RAS_OK && ops->need && !w->rw.settled)
        status = walker_pass(w, ops->need, err);
    if (status == RAS_OK && ops->between)
        status = ops->between(&w->rw, err);
    w->counting = true;
    if (status == RAS_OK)
        status = walker_pass(w, ops->take, err);
    if (status == RAS_OK)
        status = walker_carry(w, err);
    if (status == RAS_OK)
        status = ops->end(&w->rw, err);
    if (status == RAS_OK && w->rw.nomem)
        status = fail_memory(err);
    dropped_settle(w->rw.out);
    if (ops->stop)
        ops->stop(&w->rw);
    return status;
}

/* Reset everything that was found and counted, as if no record had been walked yet. */
static int forget(struct walker *w, struct ras_error *err)
{
    struct rewrite *rw = &w->rw;
    ras_rewritten_free(rw->out);
    rw->out = calloc(1, sizeof *rw->out);
    if (!rw->out)
        return fail_memory(err);
    rw->out->target = rw->target;
    rw->note_room = rw->kept_room = rw->dropped_room = rw->companion_room = rw->carried_room = 0;
    rw->settled = rw->again = rw->nomem = w->counting = false;
    memset(rw->priv, 0, w->ops->size);
    for (size_t i = 0; i < rw->count; i++)
        for (size_t k = 0; k < w->choices[i].room; k++)
            w->choices[i].at[k].kept = 0;
    return RAS_OK;
}

/* A driver may make assumptions that save a pass, where the sink can go back. */
static int copy_all(struct walker *w, struct ras_error *err)
{
    struct rewrite *rw = &w->rw;
    uint64_t start = rw->sink ? ras_sink_size(rw->sink) : 0;
    rw->careful = !rw->sink || !sink_rewinds(rw->sink);
    int status = copy_once(w, err);
    if (!rw->again)
        return status;
    rw->careful = true;
    status = ras_sink_rewind(rw->sink, start, err);
    if (status == RAS_OK)
        status = forget(w, err);
    return status == RAS_OK ? copy_once(w, err) : status;
}

/* ---- options --------------------------------------------------------------------------- */

static int choose_target(struct walker *w, struct ras_error *err)
{
    const struct rewrite_ops *ops = w->ops;
    const struct ras_rewrite_options *o = w->rw.options;
    const struct ras_trace *first = w->rw.sources[0];
    const char *const *targets = ops->targets ? ops->targets : first->format->about.dialects;
    const char *want = o->newest ? targets[0] : o->target;
    if (!want)
        want = ops->target_of ? ops->target_of(first) : first->dialect;
    char all[120] = "";
    for (size_t i = 0, len = 0; targets[i]; i++) {
        if (!strcmp(targets[i], want)) {
            w->rw.target = w->rw.out->target = targets[i];
            return RAS_OK;
        }
        if (len < sizeof all)
            len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", i ? ", " : "", targets[i]);
    }
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s cannot be written as %s, only as %s",
                first->format->about.name, want, all);
}

static int check_asked(const struct walker *w, struct ras_error *err)
{
    const struct ras_format *format = w->rw.sources[0]->format;
    for (size_t i = 1; i < w->rw.count; i++)
        if (w->rw.sources[i]->format != format)
            return fail(err, RAS_EUSAGE, RAS_NONE, "a %s trace cannot be joined with a %s trace",
                        w->rw.sources[i]->format->about.name, format->about.name);
    if (w->rw.options->interleave && !w->ops->interleaves)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces cannot be interleaved",
                    format->about.name);
    return RAS_OK;
}

bool ras_rewrite_is_folder(const struct ras_trace *t)
{
    const struct rewrite_ops *ops = rewrite_ops_of(t->format);
    return ops->to_folder && ops->to_folder(t);
}

const char *const *ras_rewrite_targets(const struct ras_format_about *about)
{
    const struct ras_format *f = registry_find(about->name);
    return f && f->rewrite ? f->rewrite->targets : NULL;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static uint64_t size_of_all(const struct walker *w)
{
    uint64_t size = 0;
    for (size_t i = 0; i < w->rw.count; i++)
        size += source_size(w->rw.sources[i]->source, 0);
    return size;
}

static int write_all(struct walker *w, struct ras_error *err)
{
    const struct ras_rewrite_options *o = w->rw.options;
    struct destination d;
    int status = destination_open(&d, ras_rewrite_is_folder(w->rw.sources[0]), o->sink, o->folder,
                                  o->path, o->replace, err);
    if (status < 0)
        return status;
    w->rw.sink = d.sink;
    w->rw.folder = d.folder;
    if (d.made && d.sink && w->ops->relays && size_of_all(w) >= WORTH_A_THREAD)
        sink_relay(d.sink);
    return destination_close(&d, copy_all(w, err), err);
}

static int prepare(struct walker *w, struct ras_error *err)
{
    size_t n = w->rw.count;
    w->rw.out = calloc(1, sizeof *w->rw.out);
    w->rw.priv = calloc(1, w->ops->size + 1);
    w->rw.order = calloc(n, sizeof *w->rw.order);
    w->cursors = calloc(n, sizeof(struct ras_cursor *));
    w->heads = calloc(n, sizeof(struct ras_record *));
    w->choices = calloc(n, sizeof *w->choices);
    if (!w->rw.out || !w->rw.priv || !w->rw.order || !w->cursors || !w->heads || !w->choices)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++)
        w->rw.order[i] = i;
    int status = check_asked(w, err);
    for (size_t i = 0; status == RAS_OK && i < n; i++)
        status = source_whole(w->rw.sources[i]->source, err); /* bytes are copied from anywhere */
    return status == RAS_OK ? choose_target(w, err) : status;
}

static void release(struct walker *w)
{
    for (size_t i = 0; w->choices && i < w->rw.count; i++)
        free(w->choices[i].at);
    free(w->choices);
    free((void *)w->heads);
    free((void *)w->cursors);
    free(w->rw.order);
    free(w->rw.priv);
}

int ras_rewrite(struct ras_rewritten **out, struct ras_trace *const *traces, size_t n,
                const struct ras_rewrite_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_rewrite_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct ras_format *format = traces[0]->format;
    trace_report_driver(traces[0], "rewrite", "rewrite", format->rewrite != NULL);
    struct walker w = {.ops = rewrite_ops_of(format),
                       .rw = {.sources = traces,
                              .count = n,
                              .options = options,
                              .whole = options->axis == RAS_AXIS_NONE && !options->type_count &&
                                       !options->stream_count,
                              .piecemeal = options->type_count || options->axis == RAS_AXIS_SEQ}};
    int status = prepare(&w, err);
    if (status == RAS_OK)
        status = write_all(&w, err);
    release(&w);
    if (status != RAS_OK) {
        ras_rewritten_free(w.rw.out);
        return status;
    }
    *out = w.rw.out;
    return RAS_OK;
}

void ras_rewritten_free(struct ras_rewritten *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->kept_count; i++)
        free((void *)(uintptr_t)r->kept[i].name);
    free(r->kept);
    for (size_t i = 0; i < r->companion_count; i++)
        free((void *)(uintptr_t)r->companions[i].name);
    free(r->companions);
    for (size_t i = 0; i < r->dropped_count; i++)
        free((void *)(uintptr_t)r->dropped[i].name);
    free(r->dropped);
    for (size_t i = 0; i < r->carried_count; i++)
        free((void *)(uintptr_t)r->carried[i].name);
    free(r->carried);
    lines_free(r->notes, r->note_count);
    free((void *)(uintptr_t)r->ending.why);
    free(r);
}

int ras_upgrade(const char *path, struct ras_sink *sink, uint64_t *lost_from, uint64_t *lost,
                struct ras_error *err)
{
    const struct ras_options none = {0};
    const struct ras_limits limits = limits_of(&none);
    struct source *s;
    int status = source_open_path(&s, path, &none, &limits, err);
    if (status < 0)
        return status;
    status = source_load(s, 0, err);
    const struct ras_format *format = status == RAS_OK ? registry_detect(s, err) : NULL;
    if (status == RAS_OK && !format)
        status = err ? err->status : RAS_EFORMAT;
    else if (status == RAS_OK && (!format->rewrite || !format->rewrite->upgrade))
        status = fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s has no older version to convert",
                      format->about.name);
    else if (status == RAS_OK)
        status = format->rewrite->upgrade(source_bytes(s, 0), sink, lost_from, err);
    if (status == RAS_OK)
        *lost = source_bytes(s, 0).len - *lost_from;
    source_close(s);
    return status;
}
