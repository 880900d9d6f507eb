/* chrome.c - a timeline as Chrome's JSON trace: one event a line, as they come.
 *
 * Times are microseconds with three decimals, printed from integers. A track is a thread of the
 * process that its group or process is. Flows are bound by id to the events themselves. */
#include "codec/json_write.h"
#include "export/target.h"

#include <stdlib.h>

struct chrome {
    uint32_t *pids; /* by track: of its process */
    size_t room;
    bool any;
};

/* Numbers of the trace are kept; tracks without one are numbered far above them, as is 0, which
 * viewers take for the idle thread. */
enum { OWN_NUMBERS = 1 << 30 };

static uint64_t chrome_number(const struct timeline *t, uint32_t track)
{
    uint64_t number = t->tracks[track].number;
    return number && number < OWN_NUMBERS ? number : OWN_NUMBERS + (uint64_t)track;
}

static bool is_process(const struct timeline *t, uint32_t track)
{
    enum timeline_kind kind = t->tracks[track].kind;
    return kind == TIMELINE_GROUP || kind == TIMELINE_PROCESS;
}

static void chrome_lead(struct timeline *t)
{
    struct chrome *c = t->state;
    out_text(&t->out, c->any ? ",\n" : "\n");
    c->any = true;
}

static void chrome_time(struct out *out, uint64_t ns)
{
    uint8_t rest[4] = {'.', (uint8_t)('0' + ns % 1000 / 100)};
    put_two_digits(rest + 2, (unsigned)(ns % 100));
    out_u64(out, ns / 1000);
    out_bytes(out, rest, sizeof rest);
}

/* ---- tracks --------------------------------------------------------------------------- */

static void chrome_meta(struct timeline *t, uint32_t track, const char *what, const char *key)
{
    struct chrome *c = t->state;
    struct timeline_name name = timeline_name(t, t->tracks[track].name);
    bool process = is_process(t, track);
    chrome_lead(t);
    struct json j = json_start(&t->out, 0);
    json_object(&j, NULL);
    json_text(&j, "ph", "M");
    json_uint(&j, "pid", chrome_number(t, c->pids[track]));
    json_uint(&j, "tid", process ? 0 : chrome_number(t, track));
    json_text(&j, "name", what);
    json_object(&j, "args");
    if (key)
        json_string(&j, key, name.at, name.len);
    else
        json_uint(&j, "sort_index", track);
    json_close(&j);
    json_close(&j);
}

static void chrome_track(struct timeline *t, uint32_t track)
{
    struct chrome *c = t->state;
    const struct timeline_track *of = &t->tracks[track];
    if (!array_grow(&c->pids, &c->room, track + 1u, sizeof *c->pids)) {
        timeline_nomem(t);
        return;
    }
    c->pids[track] =
        is_process(t, track) || of->parent == TIMELINE_NONE ? track : c->pids[of->parent];
    if (of->kind == TIMELINE_COUNTER)
        return;
    bool process = is_process(t, track);
    chrome_meta(t, track, process ? "process_name" : "thread_name", "name");
    chrome_meta(t, track, process ? "process_sort_index" : "thread_sort_index", NULL);
}

/* ---- events --------------------------------------------------------------------------- */

static bool chrome_start(struct timeline *t)
{
    struct json j = json_start(&t->out, 0);
    json_object(&j, NULL);
    json_text(&j, "displayTimeUnit", "ns");
    json_array(&j, "traceEvents");
    return true;
}

static void chrome_flows(struct timeline *t, struct json *j, const struct timeline_event *e)
{
    for (size_t i = 0; i < e->flow_count; i++) {
        if (i) {
            timeline_lost(t, "flows beyond the first of an event", 1);
            continue;
        }
        json_hex(j, "bind_id", e->flows[i], 16);
        json_bool(j, e->flow_ends[i] ? "flow_in" : "flow_out", true);
    }
}

static void chrome_args(struct timeline *t, struct json *j, const struct timeline_event *e)
{
    if (!e->arg_count)
        return;
    json_object(j, "args");
    for (size_t i = 0; i < e->arg_count; i++) {
        json_key_name(j, timeline_name(t, e->args[i].name).at);
        json_cell(j, NULL, e->args[i].value, e->args[i].flags);
    }
    json_close(j);
}

static void chrome_counter(struct timeline *t, struct json *j, const struct timeline_event *e)
{
    json_object(j, "args");
    if (e->is_real)
        json_f64(j, "value", e->real);
    else
        json_int(j, "value", e->whole);
    json_close(j);
    (void)t;
}

/* The stack of a sample, the outermost frame first. */
static void chrome_stack(struct timeline *t, struct json *j, const struct timeline_event *e)
{
    json_object(j, "args");
    json_array(j, "stack");
    for (size_t i = 0; i < e->frame_count; i++) {
        struct timeline_name name = timeline_name(t, e->frames[i].name);
        if (name.len)
            json_string(j, NULL, name.at, name.len);
        else
            json_hex(j, NULL, e->frames[i].address, 16);
    }
    json_close(j);
    json_close(j);
}

/* An instant that a flow is bound to must be a slice: one without length. */
static const char *chrome_phase(const struct timeline_event *e)
{
    static const char *const phases[] = {
        [TIMELINE_BEGIN] = "B",   [TIMELINE_END] = "E",   [TIMELINE_OPEN] = "",
        [TIMELINE_INSTANT] = "i", [TIMELINE_COUNT] = "C", [TIMELINE_SAMPLE] = "i"};
    return e->verb == TIMELINE_INSTANT && e->flow_count ? "X" : phases[e->verb];
}

static void chrome_event(struct timeline *t, const struct timeline_event *e)
{
    struct chrome *c = t->state;
    if (e->verb == TIMELINE_OPEN)
        return; /* without an end it lasts to the end of the trace */
    const char *phase = chrome_phase(e);
    struct timeline_name name = timeline_name(t, e->name), category = timeline_name(t, e->category);
    chrome_lead(t);
    struct json j = json_start(&t->out, 0);
    json_object(&j, NULL);
    json_text(&j, "ph", phase);
    json_uint(&j, "pid", chrome_number(t, c->pids[e->track]));
    json_uint(&j, "tid", chrome_number(t, e->track));
    json_key(&j, "ts");
    json_lead(&j);
    chrome_time(&t->out, e->time_ns);
    if (e->verb == TIMELINE_SAMPLE)
        json_text(&j, "name", "sample");
    else if (e->verb != TIMELINE_END)
        json_string(&j, "name", name.at, name.len);
    if (category.len && e->verb != TIMELINE_END)
        json_string(&j, "cat", category.at, category.len);
    if (*phase == 'i')
        json_text(&j, "s", "t");
    if (*phase == 'X')
        json_uint(&j, "dur", 0);
    chrome_flows(t, &j, e);
    if (e->verb == TIMELINE_COUNT)
        chrome_counter(t, &j, e);
    else if (e->verb == TIMELINE_SAMPLE)
        chrome_stack(t, &j, e);
    else
        chrome_args(t, &j, e);
    json_close(&j);
}

static int chrome_finish(struct timeline *t, struct ras_error *err)
{
    (void)err;
    out_text(&t->out, "\n]}\n");
    return RAS_OK;
}

static void chrome_release(struct timeline *t)
{
    free(((struct chrome *)t->state)->pids);
}

const struct target chrome_target = {
    .about = {.name = "chrome",
              .about = "Chrome JSON trace: chrome://tracing, Perfetto",
              .extension = ".json",
              .kind = RAS_EXPORT_TIMELINE},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct chrome),
                                                .start = chrome_start,
                                                .track = chrome_track,
                                                .event = chrome_event,
                                                .finish = chrome_finish,
                                                .release = chrome_release},
};
