/* perfetto_track.c - the descriptors of the tracks of a Perfetto trace. */
#include "export/perfetto.h"

#include <string.h>

/* TrackDescriptor, and the messages in it. */
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6, UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_BYTES = 3 };

/* Numbers of the trace are kept; what has none is numbered far above them, as is 0, which is the
 * idle process or thread. */
enum { OWN_NUMBERS = 1 << 30 };

static uint64_t perfetto_number(const struct timeline *t, uint32_t track)
{
    uint64_t number = t->tracks[track].number;
    return number && number < OWN_NUMBERS ? number : OWN_NUMBERS + (uint64_t)track;
}

struct perfetto_ids perfetto_ids(const struct timeline *t, uint32_t track)
{
    struct perfetto_ids ids = {0};
    for (uint32_t at = track; at != TIMELINE_NONE; at = t->tracks[at].parent) {
        if (t->tracks[at].kind == TIMELINE_THREAD && !ids.tid)
            ids.tid = perfetto_number(t, at);
        if (t->tracks[at].kind == TIMELINE_PROCESS && !ids.pid)
            ids.pid = perfetto_number(t, at);
    }
    ids.pid = ids.pid ? ids.pid : OWN_NUMBERS;
    ids.tid = ids.tid ? ids.tid : OWN_NUMBERS + (uint64_t)track;
    return ids;
}

static void describe_counter(const struct timeline_track *of, struct out *inner)
{
    const char *unit = of->unit;
    if (unit && !strcmp(unit, "ns"))
        proto_uint(inner, COUNTER_UNIT, UNIT_TIME_NS);
    else if (unit && !strcmp(unit, "bytes"))
        proto_uint(inner, COUNTER_UNIT, UNIT_BYTES);
    else if (unit && !strcmp(unit, "count"))
        proto_uint(inner, COUNTER_UNIT, UNIT_COUNT);
    else if (unit)
        proto_bytes(inner, COUNTER_UNIT_NAME, unit, strlen(unit));
}

void perfetto_describe(const struct timeline *t, uint32_t track, struct out *out, struct out *inner)
{
    const struct timeline_track *of = &t->tracks[track];
    struct timeline_name name = timeline_name(t, of->name);
    struct perfetto_ids ids = perfetto_ids(t, track);
    proto_uint(out, TRACK_UUID, (uint64_t)track + 1);
    /* Processes and threads are always roots. */
    if (of->kind == TIMELINE_PROCESS) {
        proto_uint(inner, PROCESS_PID, ids.pid);
        proto_bytes(inner, PROCESS_NAME, name.at, name.len);
        proto_message(out, TRACK_PROCESS, inner);
        return;
    }
    if (of->kind == TIMELINE_THREAD) {
        proto_uint(inner, THREAD_PID, ids.pid);
        proto_uint(inner, THREAD_TID, ids.tid);
        proto_bytes(inner, THREAD_NAME, name.at, name.len);
        proto_message(out, TRACK_THREAD, inner);
        return;
    }
    proto_bytes(out, TRACK_NAME, name.at, name.len);
    if (of->parent != TIMELINE_NONE)
        proto_uint(out, TRACK_PARENT, (uint64_t)of->parent + 1);
    if (of->kind == TIMELINE_COUNTER) {
        describe_counter(of, inner);
        proto_message(out, TRACK_COUNTER, inner);
    }
}
