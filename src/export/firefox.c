/* firefox.c - a timeline for the Firefox Profiler: a Gecko profile of version 24.
 *
 * A track is a thread. It has a sample whenever its stack changes, so that the length of calls is
 * exact, and markers for instants; samples of a profiler are a thread of their own. Times are
 * milliseconds with six decimals, printed from integers. */
#include "codec/json_write.h"
#include "export/stack_tree.h"
#include "export/target.h"
#include "export/track_log.h"

#include <stdlib.h>

enum { GECKO_OPEN = 'O', GECKO_CLOSE = 'C', GECKO_SAMPLE = 'S', GECKO_MARKER = 'M' };

struct firefox {
    struct track_log log;
};

/* The tables of a thread while it is written. */
struct gecko_thread {
    struct timeline *t;
    struct stack_tree stacks;
    uint32_t *open; /* stacks of the slices that are open */
    size_t open_count, open_room;
    uint32_t *strings; /* by name: 1 + its number */
    uint32_t *names;   /* by number */
    size_t string_count;
    uint32_t tid;
};

static void gecko_track(struct timeline *t, uint32_t track)
{
    track_log_track(&((struct firefox *)t->state)->log, t, track);
}

static void gecko_put(struct out *out, uint32_t value)
{
    uint8_t bytes[4];
    store_u32(bytes, value);
    out_bytes(out, bytes, sizeof bytes);
}

/* The arguments of a marker, as JSON. */
static void gecko_data(struct timeline *t, struct out *out, const struct timeline_event *e)
{
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    json_text(&j, "type", "event");
    for (size_t i = 0; i < e->arg_count; i++) {
        json_key_name(&j, timeline_name(t, e->args[i].name).at);
        json_cell(&j, NULL, e->args[i].value, e->args[i].flags);
    }
    json_close(&j);
}

static void gecko_event(struct timeline *t, const struct timeline_event *e)
{
    struct firefox *f = t->state;
    struct out *out = &f->log.scratch;
    if (t->nomem)
        return;
    if (e->verb == TIMELINE_SAMPLE) {
        out_byte(out, GECKO_SAMPLE);
        for (size_t i = 0; i < e->frame_count; i++)
            gecko_put(out, stack_tree_name(t, &e->frames[i]));
    } else {
        out_byte(out, e->verb == TIMELINE_INSTANT ? GECKO_MARKER
                      : e->verb == TIMELINE_BEGIN ? GECKO_OPEN
                                                  : GECKO_CLOSE);
        gecko_put(out, e->name);
        if (e->verb == TIMELINE_INSTANT)
            gecko_data(t, out, e);
    }
    track_log_add(&f->log, t, e->track, e->time_ns);
}

/* ---- one thread ------------------------------------------------------------------------- */

static void gecko_time(struct out *out, uint64_t ns)
{
    uint8_t rest[7] = {'.'};
    unsigned below = (unsigned)(ns % 1000000);
    put_two_digits(rest + 1, below / 10000);
    put_two_digits(rest + 3, below / 100 % 100);
    put_two_digits(rest + 5, below % 100);
    out_u64(out, ns / 1000000);
    out_bytes(out, rest, sizeof rest);
}

static uint32_t gecko_string(struct gecko_thread *g, uint32_t name)
{
    if (!g->strings[name]) {
        g->names[g->string_count++] = name;
        g->strings[name] = (uint32_t)g->string_count;
    }
    return g->strings[name] - 1;
}

static void gecko_schema(struct json *j, const char *const *names)
{
    json_object(j, "schema");
    for (size_t i = 0; names[i]; i++)
        json_uint(j, names[i], i);
    json_close(j);
    json_array(j, "data");
}

static void gecko_sample_row(struct timeline *t, struct json *j, uint32_t node, uint64_t time_ns)
{
    json_array(j, NULL);
    if (node == STACK_ROOT)
        json_null(j, NULL);
    else
        json_uint(j, NULL, node - 1);
    json_lead(j);
    gecko_time(&t->out, time_ns);
    json_uint(j, NULL, 0);
    json_close(j);
}

/* The stack after an event; false: it does not change it. */
static bool gecko_step(struct gecko_thread *g, const struct log_entry *e, bool samples,
                       uint32_t *node)
{
    if (samples != (e->at[0] == GECKO_SAMPLE) || e->at[0] == GECKO_MARKER)
        return false;
    *node = g->open_count ? g->open[g->open_count - 1] : STACK_ROOT;
    if (samples) {
        *node = STACK_ROOT;
        for (uint32_t i = 1; i < e->len; i += 4)
            *node = stack_tree_child(&g->stacks, g->t, *node, load_u32(e->at + i));
    } else if (e->at[0] == GECKO_CLOSE) {
        g->open_count -= g->open_count > 0;
        *node = g->open_count ? g->open[g->open_count - 1] : STACK_ROOT;
    } else if (array_grow(&g->open, &g->open_room, g->open_count + 1, sizeof *g->open)) {
        *node = stack_tree_child(&g->stacks, g->t, *node, load_u32(e->at + 1));
        g->open[g->open_count++] = *node;
    } else {
        timeline_nomem(g->t);
    }
    return true;
}

static void gecko_samples(struct gecko_thread *g, struct json *j, struct log_walk *w, bool samples)
{
    uint32_t node;
    json_object(j, "samples");
    gecko_schema(j, (const char *const[]){"stack", "time", "eventDelay", NULL});
    for (const struct log_entry *e; (e = log_walk_next(w));)
        if (gecko_step(g, e, samples, &node))
            gecko_sample_row(g->t, j, node, e->time_ns);
    json_close(j);
    json_close(j);
}

/* w is NULL where the thread has none. */
static void gecko_markers(struct gecko_thread *g, struct json *j, struct log_walk *w)
{
    json_object(j, "markers");
    gecko_schema(j, (const char *const[]){"name", "startTime", "endTime", "phase", "category",
                                          "data", NULL});
    for (const struct log_entry *e; w && (e = log_walk_next(w));) {
        if (e->at[0] != GECKO_MARKER)
            continue;
        json_array(j, NULL);
        json_uint(j, NULL, gecko_string(g, load_u32(e->at + 1)));
        json_lead(j);
        gecko_time(&g->t->out, e->time_ns);
        json_null(j, NULL);
        json_uint(j, NULL, 0);
        json_uint(j, NULL, 0);
        json_raw(j, NULL, e->at + 5, e->len - 5);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

/* A stack is its frame above another stack; a frame is here a name. */
static void gecko_tables(struct gecko_thread *g, struct json *j)
{
    json_object(j, "stackTable");
    gecko_schema(j, (const char *const[]){"prefix", "frame", NULL});
    for (size_t i = 1; i < g->stacks.count; i++) {
        const struct stack_node *n = &g->stacks.nodes[i];
        json_array(j, NULL);
        if (n->parent == STACK_ROOT)
            json_null(j, NULL);
        else
            json_uint(j, NULL, n->parent - 1);
        json_uint(j, NULL, gecko_string(g, n->name));
        json_close(j);
    }
    json_close(j);
    json_close(j);
    json_object(j, "frameTable");
    gecko_schema(j, (const char *const[]){"location", "relevantForJS", "innerWindowID",
                                          "implementation", "line", "column", "category",
                                          "subcategory", NULL});
    for (size_t i = 0; i < g->string_count; i++) {
        json_array(j, NULL);
        json_uint(j, NULL, i);
        json_bool(j, NULL, false);
        for (int k = 0; k < 4; k++)
            json_null(j, NULL);
        json_uint(j, NULL, 0);
        json_uint(j, NULL, 0);
        json_close(j);
    }
    json_close(j);
    json_close(j);
    json_array(j, "stringTable");
    for (size_t i = 0; i < g->string_count; i++) {
        struct timeline_name name = timeline_name(g->t, g->names[i]);
        json_string(j, NULL, name.at, name.len);
    }
    json_close(j);
}

static void gecko_head(struct gecko_thread *g, struct json *j, uint32_t track, bool samples)
{
    struct timeline *t = g->t;
    uint32_t group = t->tracks[track].parent;
    struct timeline_name name = timeline_name(t, t->tracks[track].name);
    struct out label = {0};
    out_bytes(&label, name.at, name.len);
    if (samples)
        out_text(&label, " (samples)");
    json_line(j, 0);
    json_object(j, NULL);
    json_string(j, "name", label.at, label.len);
    out_free(&label);
    json_text(j, "processType", "default");
    name = timeline_name(t, group == TIMELINE_NONE ? 0 : t->tracks[group].name);
    json_string(j, "processName", name.at, name.len);
    json_uint(j, "tid", 2 * track + 1u + samples);
    json_uint(j, "pid", group == TIMELINE_NONE ? 1 : group + 1u);
    json_uint(j, "registerTime", 0);
    json_null(j, "unregisterTime");
}

static bool gecko_thread(struct timeline *t, struct json *j, uint32_t track, struct log_walk *w,
                         bool samples)
{
    struct gecko_thread g = {.t = t,
                             .strings = calloc(t->name_count + 1, sizeof *g.strings),
                             .names = calloc(t->name_count + 1, sizeof *g.names)};
    bool ok = g.strings && g.names;
    if (ok) {
        gecko_head(&g, j, track, samples);
        gecko_samples(&g, j, w, samples);
        gecko_markers(&g, j, samples ? NULL : w);
        gecko_tables(&g, j);
        json_close(j);
    } else {
        timeline_nomem(t);
    }
    stack_tree_free(&g.stacks);
    free(g.open);
    free(g.strings);
    free(g.names);
    return ok;
}

static void gecko_threads(struct timeline *t, struct json *j, uint32_t track)
{
    struct firefox *f = t->state;
    size_t samples = 0;
    struct log_walk w;
    log_walk_open(&w, &f->log, t, track);
    for (const struct log_entry *e; (e = log_walk_next(&w));)
        samples += e->at[0] == GECKO_SAMPLE;
    if (w.count > samples)
        gecko_thread(t, j, track, &w, false);
    if (samples)
        gecko_thread(t, j, track, &w, true);
    log_walk_close(&w);
}

/* ---- the document ----------------------------------------------------------------------- */

static void gecko_meta(struct json *j)
{
    json_object(j, "meta");
    json_uint(j, "version", 24);
    json_uint(j, "startTime", 0);
    json_null(j, "shutdownTime");
    json_f64(j, "interval", 0.000001);
    json_uint(j, "stackwalk", 1);
    json_uint(j, "debug", 0);
    json_uint(j, "gcpoison", 0);
    json_uint(j, "asyncstack", 0);
    json_uint(j, "processType", 0);
    json_text(j, "product", "rastrum");
    json_array(j, "categories");
    json_object(j, NULL);
    json_text(j, "name", "Other");
    json_text(j, "color", "grey");
    json_array(j, "subcategories");
    json_text(j, NULL, "Other");
    json_close(j);
    json_close(j);
    json_close(j);
    json_array(j, "markerSchema");
    json_close(j);
    json_close(j);
}

static int gecko_finish(struct timeline *t, struct ras_error *err)
{
    static const char *const empty[] = {"libs", "pages", "pausedRanges", "processes"};
    (void)err;
    struct json j = json_start(&t->out, 0);
    json_object(&j, NULL);
    gecko_meta(&j);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        json_array(&j, empty[i]);
        json_close(&j);
    }
    json_array(&j, "threads");
    for (size_t i = 0; i < t->track_count && !t->nomem; i++)
        gecko_threads(t, &j, (uint32_t)i);
    json_close(&j);
    json_close(&j);
    json_newline(&j);
    return RAS_OK;
}

static void gecko_release(struct timeline *t)
{
    track_log_free(&((struct firefox *)t->state)->log);
}

const struct target firefox_target = {
    .about = {.name = "firefox",
              .about = "Gecko profile: profiler.firefox.com",
              .extension = ".json",
              .kind = RAS_EXPORT_TIMELINE},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct firefox),
                                                .track = gecko_track,
                                                .event = gecko_event,
                                                .finish = gecko_finish,
                                                .release = gecko_release,
                                                .no_flows = true,
                                                .no_counters = true},
};
