/* rotate.c - a recording in segments: when one is large or old enough, the next one begins, and the
 * oldest is deleted.
 *
 * A segment is a directory beside the first, with files of its own that are sealed and a manifest
 * that counts its events. */
#include "base/error.h"
#include "base/memory.h"
#include "record/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void rotate_begin(void)
{
    struct segments *s = &recorder.segments;
    struct timespec t;
    uint64_t *events = s->events;
    struct ras_record_counts *before = s->before;
    size_t room = s->room, before_room = s->before_room;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *s = (struct segments){.begun_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec,
                           .events = events,
                           .room = room,
                           .before = before,
                           .before_room = before_room};
}

/* ---- counts ------------------------------------------------------------------------------ */

static uint64_t counts_dropped(const struct ras_record_counts *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += c->dropped[i];
    return sum;
}

void rotate_count(uint32_t thread_id, struct ras_record_counts *c)
{
    static const struct ras_record_counts none;
    const struct segments *s = &recorder.segments;
    const struct ras_record_counts *b = thread_id < s->before_count ? &s->before[thread_id] : &none;
    c->produced -= b->produced;
    c->stored -= b->stored;
    c->events -= b->events;
    c->details -= b->details;
    c->details_dropped -= b->details_dropped;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        c->dropped[i] -= b->dropped[i];
        c->events_dropped[i] -= b->events_dropped[i];
    }
    if (s->closing) /* what is in the rings belongs to the next segment */
        c->produced = c->stored + counts_dropped(c);
}

/* The counts up to here are those of earlier segments. */
static bool keep_counts(uint64_t *stored)
{
    struct segments *s = &recorder.segments;
    size_t count = recorder.thread_count;
    *stored = 0;
    if (!array_grow(&s->before, &s->before_room, count + 1, sizeof *s->before))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct ras_record_counts *c = &recorder.threads[i].counts;
        *stored += c->stored - (i < s->before_count ? s->before[i].stored : 0);
        s->before[i] = *c;
        s->before[i].produced = c->stored + counts_dropped(c);
    }
    s->before_count = count;
    return true;
}

/* ---- deleting ---------------------------------------------------------------------------- */

static void segment_name(unsigned number, char *path, size_t room)
{
    const char *first = recorder.segments.first;
    if (number)
        snprintf(path, room, "%s.%u", first, number + 1);
    else
        snprintf(path, room, "%s", first);
}

/* The C library's functions would allocate from the program's heap. */
struct entry {
    uint64_t inode, next;
    uint16_t size;
    uint8_t kind;
    char name[];
};

/* Files, and directories of files. */
static void empty_folder(int at, unsigned depth)
{
    _Alignas(8) char block[4096];
    for (long got; (got = syscall(SYS_getdents64, at, block, sizeof block)) > 0;) {
        const struct entry *e;
        for (long i = 0; i < got; i += e->size) {
            e = (const struct entry *)(const void *)(block + i);
            if (!strcmp(e->name, ".") || !strcmp(e->name, ".."))
                continue;
            if (unlinkat(at, e->name, 0) == 0 || !depth)
                continue;
            int below = openat(at, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below < 0)
                continue;
            empty_folder(below, depth - 1);
            close(below);
            unlinkat(at, e->name, AT_REMOVEDIR);
        }
    }
}

static void delete_oldest(void)
{
    struct segments *s = &recorder.segments;
    unsigned keep = recorder.options.keep_segments;
    char path[sizeof s->first + 16];
    while (keep && s->number - s->deleted >= keep) {
        segment_name(s->deleted, path, sizeof path);
        int at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at >= 0) {
            empty_folder(at, 2);
            close(at);
            rmdir(path);
        }
        s->deleted_events += s->events[s->deleted++];
    }
}

/* ---- the next one ------------------------------------------------------------------------ */

static void end_files(void)
{
    struct ras_error err = {0};
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (LOAD_ACQUIRE(&l->state) == LANE_LIVE && l->generation == recorder.generation)
            lane_end_segment(l);
    if (recorder.stream_file && event_stream_format()->close(recorder.stream_file, &err) < 0)
        recorder_failed(&err);
    recorder.stream_file = NULL;
}

/* A directory that cannot be made leaves the recording where it is. */
static void next_segment(uint64_t now_ns)
{
    struct segments *s = &recorder.segments;
    struct ras_error err = {0};
    struct output *next;
    char path[sizeof s->first + 16];
    uint64_t stored;
    if (!s->number)
        memcpy(s->first, recorder.dir, sizeof s->first);
    segment_name(s->number + 1, path, sizeof path);
    s->begun_ns = now_ns; /* also if it fails: not with every pass */
    if (strlen(path) >= sizeof recorder.dir ||
        !array_grow(&s->events, &s->room, s->number + 1, sizeof *s->events) ||
        recorder.ops->next(&next, &recorder.options, path, &err) < 0) {
        if (err.status)
            recorder_failed(&err);
        return;
    }
    end_files();
    s->closing = true;
    if (recorder_write_manifest(true, &err) < 0)
        recorder_failed(&err);
    s->closing = false;
    if (!keep_counts(&stored))
        stored = 0;
    recorder.ops->close(recorder.output);
    recorder.output = next;
    s->events[s->number++] = stored;
    s->ended_bytes = 0;
    memcpy(recorder.dir, path, strlen(path) + 1);
    if (recorder.watch)
        recorder.watch->moved();
    delete_oldest();
    recorder.threads_changed++; /* its manifest is due */
}

/* 0: nothing was stored. */
static uint64_t segment_bytes(void)
{
    uint64_t bytes = recorder.segments.ended_bytes;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (LOAD_ACQUIRE(&l->state) != LANE_LIVE || l->generation != recorder.generation)
            continue;
        bytes += l->file ? recorder.ops->stored(l->file) : 0;
    }
    if (recorder.stream_file)
        bytes += event_stream_format()->size(recorder.stream_file);
    return bytes;
}

void rotate_if_due(uint64_t now_ns)
{
    const struct ras_record_options *o = &recorder.options;
    const struct segments *s = &recorder.segments;
    if ((!o->rotate_bytes && !o->rotate_ms) || !segment_bytes() || recorder.failure.status)
        return;
    if ((o->rotate_bytes && segment_bytes() >= o->rotate_bytes) ||
        (o->rotate_ms && now_ns - s->begun_ns >= (uint64_t)o->rotate_ms * 1000000))
        next_segment(now_ns);
}
