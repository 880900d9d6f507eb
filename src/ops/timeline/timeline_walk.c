/* timeline_walk.c - a trace, or the traces of a run one after the other, as one timeline. */
#include "core/format.h"
#include "core/registry.h"
#include "ops/rundir/rundir_axes.h"
#include "ops/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_UNTIL_PROGRESS = 16384, TITLE = 200, SLICE_NAME = 256 };

/* ---- slices that the user names --------------------------------------------------------- */

struct slice_rule {
    char type[SLICE_NAME], field[SLICE_NAME];
    bool begins; /* the time of a record is its beginning */
    uint64_t shown;
};

/* "TYPE:FIELD" or "TYPE:FIELD:start"; a type may have colons in it. */
static int slice_parse(const char *text, struct slice_rule *rule, struct ras_error *err)
{
    size_t len = strlen(text);
    if (len > 6 && !strcmp(text + len - 6, ":start")) {
        rule->begins = true;
        len -= 6;
    } else if (len > 4 && !strcmp(text + len - 4, ":end")) {
        len -= 4;
    }
    size_t colon = len;
    while (colon && text[colon - 1] != ':')
        colon--;
    if (colon < 2 || colon == len || len >= SLICE_NAME)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "'%.80s' is not a slice: TYPE:FIELD, TYPE:FIELD:end or TYPE:FIELD:start", text);
    memcpy(rule->type, text, colon - 1);
    memcpy(rule->field, text + colon, len - colon);
    return RAS_OK;
}

static uint64_t slice_length(const struct ras_value *v)
{
    if (v && v->kind == RAS_UINT)
        return v->u;
    return v && v->kind == RAS_INT && v->i >= 0 ? (uint64_t)v->i : RAS_NONE;
}

/* Whether the record is a slice by a rule of the user, and then it is shown. */
static bool slice_by_rule(struct timeline *t, struct slice_rule *rules, const struct ras_cursor *c,
                          const struct ras_record *r)
{
    const struct ras_schema *schema = ras_schema_of(c);
    for (size_t i = 0; i < t->how->slice_count; i++) {
        if (!(r->flags & RAS_HAS_TIME) || !ras_schema_matches(schema, rules[i].type))
            continue;
        uint64_t length = slice_length(ras_value_of(c, rules[i].field));
        if (length == RAS_NONE)
            continue;
        rules[i].shown++;
        uint32_t name = timeline_word(t, schema->name);
        uint32_t track = timeline_track(
            t, &(struct timeline_place){.id = UINT64_C(0xa11ce00000000000) | r->schema,
                                        .parent = TIMELINE_NONE,
                                        .kind = TIMELINE_TRACK,
                                        .name = name,
                                        .number = RAS_NONE});
        uint64_t from = rules[i].begins        ? r->time_ns
                        : length <= r->time_ns ? r->time_ns - length
                                               : 0;
        uint64_t to = rules[i].begins && length <= UINT64_MAX - from ? from + length : r->time_ns;
        timeline_slice(t, track, from, to, name, timeline_word(t, "slice"));
        timeline_args(t, c, NULL);
        return true;
    }
    return false;
}

/* ---- traces whose format says nothing ---------------------------------------------------- */

/* Every record is an instant on the track of its stream. */
static int plain_record(struct timeline *t, void *state, const struct ras_cursor *c,
                        const struct ras_record *r, struct ras_error *err)
{
    (void)state, (void)err;
    char name[40];
    int len = snprintf(name, sizeof name, "stream %" PRIu32, r->stream);
    uint64_t time_ns = r->flags & RAS_HAS_TIME   ? r->time_ns
                       : r->flags & RAS_HAS_TICK ? timeline_tick_ns(t, r->tick)
                                                 : RAS_NONE;
    if (time_ns == RAS_NONE) {
        timeline_lost(t, "records without a time", 1);
        return RAS_OK;
    }
    uint32_t track =
        timeline_track(t, &(struct timeline_place){.id = r->stream,
                                                   .parent = TIMELINE_NONE,
                                                   .kind = TIMELINE_TRACK,
                                                   .name = timeline_text(t, name, (size_t)len),
                                                   .number = RAS_NONE});
    timeline_instant(t, track, time_ns, timeline_word(t, ras_schema_of(c)->name), 0);
    timeline_args(t, c, NULL);
    return RAS_OK;
}

const struct timeline_ops timeline_plain = {
    .group = "records", .fields = (const char *const[]){NULL}, .record = plain_record};

/* ---- one trace --------------------------------------------------------------------------- */

/* A range of a run: that of times is one of the scan where records have the times of the run. Those
 * that have ticks may have other times. */
enum range_test { RANGE_OF_SCAN, RANGE_OF_TICKS, RANGE_OF_TICK_TIMES };

struct timeline_walk {
    struct timeline *t;
    const struct timeline_ops *ops;
    enum range_test test;
    struct rundir_place place;
    void *state;
    struct slice_rule *rules;
    struct ras_cursor *cursor;
};

/* The types that are read; NULL: memory is short. free() it. */
static struct ras_pick *walk_picks(const struct timeline *t, const struct timeline_ops *ops,
                                   size_t *count)
{
    static const char *const none[] = {""};
    const char *const *types = t->how->types ? t->how->types : ops->types;
    bool undecoded = ops->raw && !t->how->where && !t->how->slice_count;
    *count = t->how->types ? t->how->type_count : 0;
    while (!t->how->types && types && types[*count])
        ++*count;
    struct ras_pick *picks = calloc(*count + 2, sizeof *picks);
    for (size_t i = 0; picks && i < *count; i++)
        picks[i] = (struct ras_pick){.type = types[i], .fields = undecoded ? none : NULL};
    if (picks && *count) /* damage is reported whatever is picked */
        picks[(*count)++] = (struct ras_pick){.type = "gap"};
    return picks;
}

static enum range_test range_test_of(const struct timeline *t)
{
    enum ras_axis axis = t->run ? t->how->axis : RAS_AXIS_NONE;
    if (axis == RAS_AXIS_TICK)
        return RANGE_OF_TICKS;
    bool has_ticks = t->trace->format->about.axes >> RAS_AXIS_TICK & 1;
    return axis == RAS_AXIS_TIME && has_ticks ? RANGE_OF_TICK_TIMES : RANGE_OF_SCAN;
}

static bool range_has(struct timeline_walk *w, const struct ras_record *r)
{
    struct timeline *t = w->t;
    uint64_t at = RAS_NONE;
    if (w->test == RANGE_OF_SCAN)
        return true;
    if (w->test == RANGE_OF_TICKS)
        at = rundir_record_tick(t->run, t->pen, t->trace, r, &w->place);
    else if (r->flags & RAS_HAS_TICK)
        at = timeline_tick_ns(t, r->tick);
    return at != RAS_NONE && at >= t->how->from && at < t->how->to;
}

static int walk_open(struct timeline_walk *w, struct ras_error *err)
{
    const struct timeline *t = w->t;
    const struct ras_export_options *how = t->how;
    struct ras_scan scan = {.streams = how->streams,
                            .stream_count = how->stream_count,
                            .merged = w->ops->merged,
                            .choices = w->ops->choices};
    w->test = range_test_of(t);
    if (w->test == RANGE_OF_SCAN) {
        scan.axis = how->axis;
        scan.from = how->from;
        scan.to = how->to;
    }
    if (t->run && how->run_streams) {
        scan.streams = how->run_streams[t->pen].ids;
        scan.stream_count = how->run_streams[t->pen].count;
    }
    while (scan.choices && scan.choices[scan.choice_count].name)
        scan.choice_count++;
    struct ras_pick *picks = walk_picks(t, w->ops, &scan.pick_count);
    scan.picks = picks;
    int status = picks ? RAS_OK : fail_memory(err);
    if (status == RAS_OK && how->where)
        status = ras_where_begin(how->where, t->trace, err);
    if (status == RAS_OK)
        status = ras_cursor_open(&w->cursor, t->trace, &scan, err);
    free(picks);
    return status;
}

static int walk_record(struct timeline_walk *w, const struct ras_record *r, struct ras_error *err)
{
    struct timeline *t = w->t;
    bool wanted = true;
    int status = RAS_OK;
    if (r->schema == RAS_SCHEMA_GAP) {
        const struct ras_value *lost = ras_value_of(w->cursor, "lost");
        timeline_gap(t, lost && lost->kind == RAS_UINT ? lost->u : 0);
        return RAS_OK;
    }
    if (!range_has(w, r))
        return RAS_OK;
    if (t->how->where)
        status = ras_where_matches(t->how->where, w->cursor, r, &wanted, err);
    if (status == RAS_OK && wanted &&
        !(t->how->slice_count && slice_by_rule(t, w->rules, w->cursor, r)))
        status = w->ops->record(t, w->state, w->cursor, r, err);
    timeline_settle(t); /* values are borrowed until the next record */
    return status;
}

/* What stuck on the way. */
static int walk_failed(const struct timeline *t, struct ras_error *err)
{
    if (t->sink_err.status < 0) {
        if (err)
            *err = t->sink_err;
        return t->sink_err.status;
    }
    return t->nomem || t->out.failed ? fail_memory(err) : RAS_OK;
}

static int walk_records(struct timeline_walk *w, struct ras_error *err)
{
    struct timeline *t = w->t;
    const struct ras_record *r;
    uint64_t seen = 0, total;
    int status;
    while ((status = walk_next(t->trace, w->cursor, &r, err)) == RAS_OK) {
        status = walk_record(w, r, err);
        if (status == RAS_OK)
            status = walk_failed(t, err);
        if (status < 0)
            break;
        if (++seen % EVENTS_UNTIL_PROGRESS || !t->how->progress)
            continue;
        uint64_t done = t->passed + ras_cursor_progress(w->cursor, &total);
        if (!t->how->progress(t->how->user, done, t->all ? t->all : total)) {
            status = fail_canceled(err);
            break;
        }
    }
    return status < 0 ? status : RAS_OK;
}

/* The tracks of a driver are complete: slices that were kept go out. */
static void walk_flush(struct timeline *t, size_t first)
{
    for (size_t i = first; i < t->track_count; i++)
        timeline_lanes_flush(t, (uint32_t)i);
    timeline_settle(t);
    id_table_free(&t->ids);
    t->ids = (struct id_table){0};
}

static int walk_trace(struct timeline *t, struct slice_rule *rules, struct ras_error *err)
{
    const struct timeline_ops *own = t->trace->format->timeline;
    struct timeline_walk w = {.t = t, .ops = own ? own : &timeline_plain, .rules = rules};
    char title[TITLE];
    size_t first = t->track_count;
    int len = snprintf(title, sizeof title, "%s%s", w.ops->group,
                       !t->run && w.ops->alone ? w.ops->alone : "");
    t->group =
        timeline_new_track(t, &(struct timeline_place){.parent = t->root,
                                                       .kind = TIMELINE_GROUP,
                                                       .name = timeline_text(t, title, (size_t)len),
                                                       .number = RAS_NONE});
    w.state = calloc(1, w.ops->state_size + 1);
    int status = w.state ? walk_open(&w, err) : fail_memory(err);
    if (status == RAS_OK && w.ops->has_symbols)
        status = timeline_symbols_read(t, err);
    if (status == RAS_OK && w.ops->start)
        status = w.ops->start(t, w.state, err);
    if (status == RAS_OK)
        status = walk_records(&w, err);
    if (status == RAS_OK && w.ops->stop)
        w.ops->stop(t, w.state);
    if (status == RAS_OK)
        walk_flush(t, first);
    ras_cursor_close(w.cursor);
    timeline_symbols_free(t->symbols);
    t->symbols = NULL;
    if (w.state && w.ops->release)
        w.ops->release(w.state);
    free(w.state);
    return status;
}

/* ---- options of formats ------------------------------------------------------------------ */

/* In a run each is for the traces that have it: one of them must. */
static int walk_choices(const struct timeline *t, const struct ras_rundir *run,
                        struct ras_error *err)
{
    const struct ras_export_options *how = t->how;
    int status = RAS_OK;
    if (!run)
        return choices_check(t->trace->format, "export", how->choices, how->choice_count, err);
    for (size_t i = 0; status == RAS_OK && i < how->choice_count; i++) {
        int found = RAS_EUNSUPPORTED;
        for (size_t k = 0; found < 0 && k < run->pen_count; k++)
            if (run->pens[k].trace)
                found =
                    choices_check(run->pens[k].trace->format, "export", &how->choices[i], 1, err);
        status = found;
    }
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static bool drain_to_sink(void *user, const uint8_t *bytes, size_t len)
{
    struct timeline *t = user;
    return t->sink_err.status >= 0 && ras_sink_write(t->sink, bytes, len, &t->sink_err) >= 0;
}

/* What did not end stays open; it is counted. */
static void walk_end(struct timeline *t)
{
    timeline_settle(t);
    for (size_t i = 0; i < t->track_count; i++) {
        struct timeline_track *track = &t->tracks[i];
        while (track->open_count) {
            t->closed = track->open[--track->open_count];
            const struct timeline_event e = {.verb = TIMELINE_OPEN,
                                             .track = (uint32_t)i,
                                             .time_ns = track->last_ns,
                                             .name = t->closed.name,
                                             .category = t->closed.category,
                                             .slice = &t->closed};
            timeline_lost(t, "slices without an end, left open", 1);
            t->writer->event(t, &e);
        }
    }
}

static const char *run_text(const struct ras_rundir *run, const char *const *path)
{
    const struct ras_value *v = rundir_find(run, path);
    return v && v->kind == RAS_STR ? v->at : "";
}

static int walk_run(struct timeline *t, struct ras_rundir *run, struct slice_rule *rules,
                    struct ras_error *err)
{
    char title[TITLE], seed[40] = "";
    uint64_t number;
    if (rundir_uint(run, (const char *const[]){"seed", NULL}, &number))
        snprintf(seed, sizeof seed, " seed %" PRIu64, number);
    int len = snprintf(title, sizeof title, "run %.80s%s",
                       run_text(run, (const char *const[]){"world", NULL}), seed);
    t->root =
        timeline_new_track(t, &(struct timeline_place){.parent = TIMELINE_NONE,
                                                       .kind = TIMELINE_GROUP,
                                                       .name = timeline_text(t, title, (size_t)len),
                                                       .number = RAS_NONE});
    int status = RAS_OK;
    for (size_t i = 0; i < run->pen_count; i++)
        t->all += run->pens[i].trace ? ras_size(run->pens[i].trace) : 0;
    for (size_t i = 0; status == RAS_OK && i < run->pen_count; i++) {
        if (!run->pens[i].trace || (t->how->run_streams && !t->how->run_streams[i].count))
            continue;
        t->trace = run->pens[i].trace;
        t->pen = i;
        status = walk_trace(t, rules, err);
        t->passed += ras_size(t->trace);
    }
    return status;
}

void timeline_free(struct timeline *t)
{
    if (t->state && t->writer && t->writer->release)
        t->writer->release(t);
    for (size_t i = 0; i < t->track_count; i++) {
        free(t->tracks[i].open);
        free(t->tracks[i].row_ends);
        timeline_lanes_free(t->tracks[i].lanes);
    }
    free(t->tracks);
    free(t->names);
    free(t->clean);
    free(t->slots);
    if (!t->ticks_borrowed)
        free(t->tick_ns);
    free(t->state);
    arena_free(&t->texts);
    id_table_free(&t->ids);
    out_free(&t->out);
    free(t);
}

/* A rule that no record followed is an error of the user. */
static int rules_check(const struct timeline *t, const struct slice_rule *rules,
                       struct ras_error *err)
{
    for (size_t i = 0; i < t->how->slice_count; i++)
        if (!rules[i].shown)
            return fail(err, RAS_ENAME, RAS_NONE,
                        "slice %.80s: no record of this type has a number in this field",
                        t->how->slices[i]);
    return RAS_OK;
}

static int timeline_all(struct timeline *t, struct ras_rundir *run, struct slice_rule *rules,
                        struct ras_error *err)
{
    int status = walk_choices(t, run, err);
    if (run && t->how->axis == RAS_AXIS_SEQ)
        status = fail(err, RAS_EUSAGE, RAS_NONE,
                      "numbers of records are those of one trace, and a run has several");
    for (size_t i = 0; status == RAS_OK && i < t->how->slice_count; i++)
        status = slice_parse(t->how->slices[i], &rules[i], err);
    if (status == RAS_OK)
        status = timeline_ticks_find(t, err);
    (void)timeline_text(t, "", 0); /* number 0 */
    if (status == RAS_OK && t->writer->start && !t->writer->start(t))
        status = fail_memory(err);
    if (status == RAS_OK)
        status = run ? walk_run(t, run, rules, err) : walk_trace(t, rules, err);
    if (status == RAS_OK)
        status = rules_check(t, rules, err);
    if (status == RAS_OK)
        walk_end(t);
    if (status == RAS_OK)
        status = walk_failed(t, err);
    if (status == RAS_OK && t->writer->finish)
        status = t->writer->finish(t, err);
    out_flush(&t->out);
    return status < 0 ? status : walk_failed(t, err);
}

int timeline_run(const struct timeline_writer *writer, struct ras_trace *trace,
                 struct ras_rundir *run, const struct ras_export_options *how,
                 struct timeline_outcome *outcome, struct ras_error *err)
{
    struct timeline *t = calloc(1, sizeof *t);
    struct slice_rule *rules = calloc(how->slice_count + 1, sizeof *rules);
    if (!t || !rules) {
        free(t);
        free(rules);
        return fail_memory(err);
    }
    *t = (struct timeline){.writer = writer,
                           .how = how,
                           .sink = how->sink,
                           .folder = how->folder,
                           .trace = trace,
                           .run = run,
                           .outcome = outcome,
                           .root = TIMELINE_NONE,
                           .state = calloc(1, writer->state_size + 1)};
    if (how->sink)
        t->out = (struct out){.drain = drain_to_sink, .user = t};
    int status = t->state ? timeline_all(t, run, rules, err) : fail_memory(err);
    timeline_free(t);
    free(rules);
    return status;
}
