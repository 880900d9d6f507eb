/* speedscope.c - calls and samples for speedscope: a profile for every track that has some. */
#include "codec/json_write.h"
#include "export/stack_tree.h"
#include "export/target.h"
#include "export/track_log.h"

#include <stdlib.h>

enum { SCOPE_OPEN = 'O', SCOPE_CLOSE = 'C', SCOPE_SAMPLE = 'S' };

struct speedscope {
    struct track_log log;
    uint32_t *frames; /* by name: 1 + the number of its frame */
    size_t frame_room;
    uint32_t *names; /* by frame */
    size_t name_count, name_room;
};

static uint32_t scope_frame(struct timeline *t, uint32_t name)
{
    struct speedscope *s = t->state;
    size_t had = s->frame_room;
    if (!array_grow(&s->frames, &s->frame_room, name + 1u, sizeof *s->frames) ||
        !array_grow(&s->names, &s->name_room, s->name_count + 1, sizeof *s->names)) {
        timeline_nomem(t);
        return 0;
    }
    if (s->frame_room > had)
        memset(s->frames + had, 0, (s->frame_room - had) * sizeof *s->frames);
    if (!s->frames[name]) {
        s->names[s->name_count++] = name;
        s->frames[name] = (uint32_t)s->name_count;
    }
    return s->frames[name] - 1;
}

static void scope_put(struct out *out, uint32_t value)
{
    uint8_t bytes[4];
    store_u32(bytes, value);
    out_bytes(out, bytes, sizeof bytes);
}

static void scope_track(struct timeline *t, uint32_t track)
{
    track_log_track(&((struct speedscope *)t->state)->log, t, track);
}

static void scope_event(struct timeline *t, const struct timeline_event *e)
{
    struct speedscope *s = t->state;
    struct out *out = &s->log.scratch;
    if (t->nomem)
        return;
    if (e->verb == TIMELINE_SAMPLE) {
        out_byte(out, SCOPE_SAMPLE);
        for (size_t i = 0; i < e->frame_count; i++)
            scope_put(out, scope_frame(t, stack_tree_name(t, &e->frames[i])));
    } else {
        out_byte(out, e->verb == TIMELINE_BEGIN ? SCOPE_OPEN : SCOPE_CLOSE);
        scope_put(out, scope_frame(t, e->name));
    }
    track_log_add(&s->log, t, e->track, e->time_ns);
}

/* ---- the document ----------------------------------------------------------------------- */

static void scope_profile_head(struct timeline *t, struct json *j, uint32_t track, bool sampled,
                               const struct log_walk *w, size_t samples)
{
    struct timeline_name name = timeline_name(t, t->tracks[track].name);
    json_line(j, 0);
    json_object(j, NULL);
    json_text(j, "type", sampled ? "sampled" : "evented");
    json_string(j, "name", name.at, name.len);
    json_text(j, "unit", sampled ? "none" : "nanoseconds");
    json_uint(j, "startValue", sampled ? 0 : w->first_ns);
    json_uint(j, "endValue", sampled ? samples : w->last_ns);
}

static void scope_events(struct json *j, struct log_walk *w)
{
    json_array(j, "events");
    for (const struct log_entry *e; (e = log_walk_next(w));) {
        if (e->at[0] == SCOPE_SAMPLE)
            continue;
        json_object(j, NULL);
        json_text(j, "type", e->at[0] == SCOPE_OPEN ? "O" : "C");
        json_uint(j, "frame", load_u32(e->at + 1));
        json_uint(j, "at", e->time_ns);
        json_close(j);
    }
    json_close(j);
}

static void scope_samples(struct json *j, struct log_walk *w, size_t samples)
{
    json_array(j, "samples");
    for (const struct log_entry *e; (e = log_walk_next(w));) {
        if (e->at[0] != SCOPE_SAMPLE)
            continue;
        json_array(j, NULL);
        for (uint32_t k = 1; k < e->len; k += 4)
            json_uint(j, NULL, load_u32(e->at + k));
        json_close(j);
    }
    json_close(j);
    json_array(j, "weights");
    for (size_t i = 0; i < samples; i++)
        json_uint(j, NULL, 1);
    json_close(j);
}

static void scope_profiles(struct timeline *t, struct json *j, uint32_t track)
{
    struct speedscope *s = t->state;
    size_t samples = 0;
    struct log_walk w;
    log_walk_open(&w, &s->log, t, track);
    for (const struct log_entry *e; (e = log_walk_next(&w));)
        samples += e->at[0] == SCOPE_SAMPLE;
    if (w.count > samples) {
        scope_profile_head(t, j, track, false, &w, samples);
        scope_events(j, &w);
        json_close(j);
    }
    if (samples) {
        scope_profile_head(t, j, track, true, &w, samples);
        scope_samples(j, &w, samples);
        json_close(j);
    }
    log_walk_close(&w);
}

static void scope_frames(struct timeline *t, struct json *j)
{
    struct speedscope *s = t->state;
    json_object(j, "shared");
    json_array(j, "frames");
    for (size_t i = 0; i < s->name_count; i++) {
        struct timeline_name name = timeline_name(t, s->names[i]);
        json_object(j, NULL);
        json_string(j, "name", name.at, name.len);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static int scope_finish(struct timeline *t, struct ras_error *err)
{
    (void)err;
    struct json j = json_start(&t->out, 0);
    json_object(&j, NULL);
    json_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&j, "exporter", "rastrum");
    json_array(&j, "profiles");
    for (size_t i = 0; i < t->track_count && !t->nomem; i++)
        scope_profiles(t, &j, (uint32_t)i);
    json_close(&j);
    scope_frames(t, &j);
    json_close(&j);
    json_newline(&j);
    return RAS_OK;
}

static void scope_release(struct timeline *t)
{
    struct speedscope *s = t->state;
    track_log_free(&s->log);
    free(s->frames);
    free(s->names);
}

const struct target speedscope_target = {
    .about = {.name = "speedscope",
              .about = "profiles of threads: speedscope.app",
              .extension = ".speedscope.json",
              .kind = RAS_EXPORT_TIMELINE},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct speedscope),
                                                .track = scope_track,
                                                .event = scope_event,
                                                .finish = scope_finish,
                                                .release = scope_release,
                                                .no_args = true,
                                                .no_flows = true,
                                                .no_counters = true,
                                                .no_instants = true},
};
