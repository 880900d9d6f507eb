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
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void rotate_begin(void)
{
    struct segments *s = &recorder.segments;
    struct timespec t;
    uint64_t *events = s->events;
    struct ras_record_counts *before = s->before;
    size_t room = s->room, before_room = s->before_room, scratch_size = s->scratch_size;
    uint8_t *scratch = s->scratch;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *s = (struct segments){.begun_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec,
                           .events = events,
                           .room = room,
                           .before = before,
                           .before_room = before_room,
                           .scratch = scratch,
                           .scratch_size = scratch_size};
}

/* It is as large as what is taken from a ring at a time. */
uint8_t *rotate_scratch(void)
{
    struct segments *s = &recorder.segments;
    size_t size = PIECE_MOST * sizeof(struct ras_record_event);
    size = size > recorder.options.detail_bytes ? size : recorder.options.detail_bytes;
    if (s->scratch && s->scratch_size >= size)
        return s->scratch;
    if (s->scratch)
        munmap(s->scratch, s->scratch_size);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    s->scratch = at == MAP_FAILED ? NULL : at;
    s->scratch_size = size;
    if (!s->scratch) {
        struct ras_error err;
        (void)fail_memory(&err);
        recorder_failed(&err);
    }
    return s->scratch;
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

void rotate_strays(bool all, uint64_t strays[2][RAS_RECORD_REASONS])
{
    const struct segments *s = &recorder.segments;
    const uint64_t *now[] = {recorder.stray, recorder.stray_events};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
            uint64_t here =
                s->closing ? s->strays_closing[k][i] : LOAD(&now[k][i]) - s->strays_base[k][i];
            strays[k][i] = here + (all ? s->strays_before[k][i] : 0);
        }
}

/* Events that are stored in this segment. */
static uint64_t stored_here(void)
{
    const struct segments *s = &recorder.segments;
    uint64_t stored = 0;
    for (size_t i = 0; i < recorder.thread_count; i++)
        stored +=
            recorder.threads[i].counts.stored - (i < s->before_count ? s->before[i].stored : 0);
    return stored;
}

/* From here on counts are settled: they are those of the segment that ends. */
static void settle_counts(void)
{
    struct segments *s = &recorder.segments;
    recorder_update_threads();
    rotate_strays(false, s->strays_closing);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
            s->strays_base[k][i] += s->strays_closing[k][i];
    s->events[s->number] = stored_here();
    s->closing = true;
}

/* The counts up to here are those of earlier segments. */
static void keep_counts(void)
{
    struct segments *s = &recorder.segments;
    size_t count = recorder.thread_count;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
            s->strays_before[k][i] += s->strays_closing[k][i];
    s->closing = false;
    if (!array_grow(&s->before, &s->before_room, count + 1, sizeof *s->before))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct ras_record_counts *c = &recorder.threads[i].counts;
        s->before[i] = *c;
        s->before[i].produced = c->stored + counts_dropped(c);
    }
    s->before_count = count;
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

bool rotate_is_taken(const char *dir)
{
    _Alignas(8) char block[4096];
    char above[sizeof recorder.segments.first];
    const char *slash = strrchr(dir, '/'), *name = slash ? slash + 1 : dir;
    size_t len = strlen(name);
    bool found = false;
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - dir) : 1, slash ? dir : ".");
    int at = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; at >= 0 && (got = syscall(SYS_getdents64, at, block, sizeof block)) > 0;) {
        const struct entry *e;
        for (long i = 0; i < got; i += e->size) {
            e = (const struct entry *)(const void *)(block + i);
            found |= !strncmp(e->name, name, len) && e->name[len] == '.';
        }
    }
    if (at >= 0)
        close(at);
    return found;
}

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

/* Those that the next segment leaves no room for are counted as deleted; the first of them. */
static unsigned count_oldest(void)
{
    struct segments *s = &recorder.segments;
    unsigned keep = recorder.options.keep_segments, first = s->deleted;
    while (keep && s->number + 1 - s->deleted >= keep)
        s->deleted_events += s->events[s->deleted++];
    return first;
}

/* The name under which a segment is deleted, which no reader takes for one. */
static void hidden_name(const char *path, char *hidden, size_t room)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    snprintf(hidden, room, "%.*s.%s", (int)(name - path), path, name);
}

static void hide_oldest(unsigned first)
{
    char path[sizeof recorder.segments.first + 16], hidden[2 * sizeof path];
    for (unsigned i = first; i < recorder.segments.deleted; i++) {
        segment_name(i, path, sizeof path);
        hidden_name(path, hidden, sizeof hidden);
        (void)!rename(path, hidden);
    }
}

static void delete_hidden(unsigned first)
{
    char path[sizeof recorder.segments.first + 16], hidden[2 * sizeof path];
    for (unsigned i = first; i < recorder.segments.deleted; i++) {
        segment_name(i, path, sizeof path);
        hidden_name(path, hidden, sizeof hidden);
        int at = open(hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at < 0)
            continue;
        empty_folder(at, 2);
        close(at);
        rmdir(hidden);
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

/* Lanes of a durable recording go on in the next directory before the files of this one are
 * sealed: whenever the process is killed, each is beside the file that it continues. The first
 * segment to delete. */
static unsigned leave_segment(const char *path)
{
    unsigned first;
    if (recorder.options.durable) {
        lock_take(&recorder.place);
        settle_counts();
        first = count_oldest();
        durable_move(path);
        hide_oldest(first);
        lock_give(&recorder.place);
        end_files();
        return first;
    }
    end_files();
    settle_counts();
    first = count_oldest();
    hide_oldest(first);
    memcpy(recorder.dir, path, strlen(path) + 1);
    if (recorder.watch)
        recorder.watch->moved();
    return first;
}

/* A durable one can be read from its beginning, and counts everything. */
static int begin_next(struct output **next, const char *path, struct ras_error *err)
{
    unsigned segment = recorder.segments.number + 2;
    int status = recorder.ops->next(next, &recorder.options, path, err);
    if (status < 0 || !recorder.options.durable)
        return status;
    recorder.next_counts_fd = recorder.ops->counts(path, segment);
    status = recorder_begin_manifest(*next, segment, err);
    if (status == RAS_OK)
        return RAS_OK;
    recorder.ops->close(*next);
    if (recorder.next_counts_fd >= 0)
        close(recorder.next_counts_fd);
    recorder.next_counts_fd = -1;
    return status;
}

/* Its manifest counts everything. */
static void forget_segment(const char *dir)
{
    recorder.ops->forget(dir);
    if (event_stream_format())
        event_stream_format()->forget(dir);
}

/* A directory that cannot be made leaves the recording where it is. */
static void next_segment(uint64_t now_ns)
{
    struct segments *s = &recorder.segments;
    struct ras_error err = {0};
    struct output *next;
    char path[sizeof s->first + 16], last[sizeof recorder.dir];
    if (!s->number)
        memcpy(s->first, recorder.dir, sizeof s->first);
    segment_name(s->number + 1, path, sizeof path);
    s->begun_ns = now_ns; /* also if it fails: not with every pass */
    if (strlen(path) >= sizeof recorder.dir ||
        !array_grow(&s->events, &s->room, s->number + 1, sizeof *s->events) ||
        begin_next(&next, path, &err) < 0) {
        if (err.status)
            recorder_failed(&err);
        return;
    }
    memcpy(last, recorder.dir, sizeof last);
    unsigned first = leave_segment(path);
    bool is_kept = s->deleted <= s->number;
    if (is_kept && recorder_write_manifest(true, &err) < 0)
        recorder_failed(&err);
    else if (is_kept && recorder.options.durable && !recorder.failure.status)
        forget_segment(last);
    keep_counts();
    recorder.ops->close(recorder.output);
    recorder.output = next;
    s->number++;
    s->ended_bytes = 0;
    delete_hidden(first);
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
    if ((!o->rotate_bytes && !o->rotate_ms) || !segment_bytes() || recorder.failure.status ||
        LOAD_ACQUIRE(&recorder.leaving)) /* the manifest before exec() is that of the last one */
        return;
    if ((o->rotate_bytes && segment_bytes() >= o->rotate_bytes) ||
        (o->rotate_ms && now_ns - s->begun_ns >= (uint64_t)o->rotate_ms * 1000000))
        next_segment(now_ns);
}
