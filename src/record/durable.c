/* durable.c - lanes in mapped files, so that their contents survive a killed process.
 *
 * A lane keeps its address: the file is mapped over its memory. The file says where the ends of
 * the rings are, so that repair needs to know nothing else. In a recording in segments the file
 * moves from one to the next, where another says what the lane has counted before. */
#include "record/recorder.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = RING_PAGE };

static uint64_t pages(uint64_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static uint64_t at_of(const struct lane *lane, const void *member)
{
    return PAGE + (uint64_t)((const char *)member - (const char *)lane);
}

static void *map_shared(uint64_t size, int fd, uint64_t at)
{
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
    return got == MAP_FAILED ? NULL : got;
}

/* Other threads may read the lane meanwhile, but do not write: it is taken, and the file has the
 * same bytes. The raw system call keeps sanitizers from treating it as a write. */
static bool map_over(struct lane *lane, uint64_t size, int fd)
{
    return syscall(SYS_mmap, lane, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                   (off_t)PAGE) != -1;
}

static void replace(void *memory, uint64_t size)
{
    if (memory)
        munmap(memory, size);
}

/* The parts of a lane that are in the file. */
struct parts {
    struct ras_record_event *ring;
    uint8_t *detail, *stream;
};

static struct ring_layout layout(const struct lane *lane)
{
    const struct ras_record_options *o = &recorder.options;
    const struct event_stream *s = &lane->stream;
    uint64_t ring_at = PAGE + pages(sizeof *lane), detail_at = ring_at + o->ring_bytes;
    uint64_t stream_at = detail_at + o->detail_bytes;
    return (struct ring_layout){.size = stream_at + o->detail_bytes,
                                .head_at = at_of(lane, &lane->hot.head),
                                .tail_at = at_of(lane, &lane->tail),
                                .ring_at = ring_at,
                                .capacity = o->ring_bytes / sizeof *lane->hot.ring,
                                .detail_head_at = at_of(lane, &lane->detail.head),
                                .detail_tail_at = at_of(lane, &lane->detail.tail),
                                .detail_wrap_at = at_of(lane, &lane->detail.wrap),
                                .detail_at = detail_at,
                                .detail_size = o->detail_bytes,
                                .stream_head_at = at_of(lane, &s->ring.head),
                                .stream_tail_at = at_of(lane, &s->ring.tail),
                                .stream_wrap_at = at_of(lane, &s->ring.wrap),
                                .stream_at = stream_at,
                                .stream_size = o->detail_bytes,
                                .base_at = at_of(lane, &s->taken_base),
                                .standalone_at = at_of(lane, &s->standalone),
                                .taken_at = at_of(lane, &s->taken),
                                .used_at = at_of(lane, s->used),
                                .used_size = sizeof s->used,
                                .dropped_at = at_of(lane, lane->dropped),
                                .lost_at = at_of(lane, lane->lost),
                                .stream_count_at = at_of(lane, &s->count),
                                .stream_dropped_at = at_of(lane, s->dropped),
                                .details_dropped_at = at_of(lane, &lane->details_dropped)};
}

static void replace_parts(struct parts *p)
{
    const struct ras_record_options *o = &recorder.options;
    replace(p->ring, o->ring_bytes);
    replace(p->detail, o->detail_bytes);
    replace(p->stream, o->detail_bytes);
}

bool durable_make(struct lane *lane)
{
    const struct ras_record_options *o = &recorder.options;
    const struct ring_layout where = layout(lane);
    int fd = recorder.ops->ring(recorder.dir, lane->hot.thread_id, &where);
    if (fd < 0)
        return false;
    struct parts p = {.ring = map_shared(o->ring_bytes, fd, where.ring_at),
                      .detail = map_shared(o->detail_bytes, fd, where.detail_at),
                      .stream = map_shared(o->detail_bytes, fd, where.stream_at)};
    bool good = p.ring && p.detail && p.stream &&
                pwrite(fd, lane, sizeof *lane, PAGE) == (ssize_t)sizeof *lane &&
                map_over(lane, pages(sizeof *lane), fd);
    close(fd);
    if (!good) {
        replace_parts(&p);
        return false;
    }
    replace(lane->hot.ring, lane->capacity * sizeof *p.ring);
    replace(lane->detail.at, lane->detail.size);
    replace(lane->stream.ring.at, lane->stream.ring.size);
    lane->hot.ring = p.ring;
    lane->capacity = where.capacity;
    lane->detail.at = p.detail;
    lane->detail.size = o->detail_bytes;
    lane->stream.ring.size = o->detail_bytes;
    STORE_RELEASE(&lane->stream.ring.at, p.stream);
    lock_take(&recorder.names.lock);
    event_stream_declare();
    lock_give(&recorder.names.lock);
    return true;
}

/* ---- events without a lane -------------------------------------------------------- */

/* A thread may still count there after the recording has ended: the page stays mapped. */
void durable_begin(void)
{
    uint64_t *page = NULL;
    recorder.counts_fd = recorder.ops->counts(recorder.dir, recorder_rotates());
    if (recorder.counts_fd >= 0)
        page = map_shared(PAGE, recorder.counts_fd, PAGE);
    recorder.counts_page = page;
    if (page)
        recorder_strays(page, page + RAS_RECORD_REASONS);
}

void durable_ended(const struct lane *lane)
{
    struct thread_info thread = {.thread_id = lane->hot.thread_id};
    if (recorder.counts_fd < 0)
        return;
    recorder_count(lane, &thread.counts);
    rotate_count(thread.thread_id, &thread.counts);
    recorder.ops->ended(recorder.counts_fd, &thread);
}

void durable_leave(void)
{
    if (recorder.counts_fd >= 0)
        close(recorder.counts_fd);
    recorder.counts_fd = -1;
}

/* The manifest is written. */
void durable_end(void)
{
    durable_leave();
    recorder.ops->forget(recorder.dir);
}

/* ---- the next segment ------------------------------------------------------------- */

static bool lane_is_moved(struct lane *lane)
{
    return LOAD_ACQUIRE(&lane->state) == LANE_LIVE && lane->generation == recorder.generation &&
           lane->hot.thread_id < recorder.thread_count;
}

/* Counting goes on in a page of the next file, at the same address: threads that count meanwhile
 * need not know. What the last page has then is final; it is returned. */
static uint64_t *move_counts(void)
{
    struct segments *s = &recorder.segments;
    int last = recorder.counts_fd, next = recorder.next_counts_fd;
    uint64_t *page = last >= 0 ? map_shared(PAGE, last, PAGE) : NULL;
    if (page && next >= 0 && recorder.counts_page &&
        syscall(SYS_mmap, recorder.counts_page, PAGE, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, next, (off_t)PAGE) != -1) {
        memcpy(s->strays_closing, page, sizeof s->strays_closing);
        memset(s->strays_base, 0, sizeof s->strays_base);
    }
    recorder.counts_fd = next;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l && last >= 0; l = l->next) {
        struct thread_info thread = {.thread_id = l->hot.thread_id};
        if (!lane_is_moved(l))
            continue;
        thread.counts = recorder.threads[thread.thread_id].counts;
        rotate_count(thread.thread_id, &thread.counts);
        recorder.ops->ended(last, &thread);
    }
    if (last >= 0)
        close(last);
    return page;
}

/* Functions and types come first: events in the lanes refer to them. What was deleted is counted
 * by this segment from the moment when it has all lanes. */
void durable_move(const char *dir)
{
    char last[sizeof recorder.dir];
    uint64_t *page = move_counts();
    memcpy(last, recorder.dir, sizeof last);
    lock_take(&recorder.names.lock);
    memcpy(recorder.dir, dir, strlen(dir) + 1);
    recorder.declared = 0;
    event_stream_declare();
    lock_give(&recorder.names.lock);
    if (recorder.watch) {
        recorder.watch->moved();
        recorder.watch->map();
    }
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (!lane_is_moved(l))
            continue;
        const struct lane_base base = {.events = l->tail,
                                       .details = l->details,
                                       .counts = recorder.threads[l->hot.thread_id].counts};
        (void)recorder.ops->move(last, dir, l->hot.thread_id, &base, l->begun);
    }
    uint64_t *next = recorder.counts_fd >= 0 ? recorder.counts_page : NULL;
    if (next) {
        next[COUNTS_DELETED] = recorder.segments.deleted;
        next[COUNTS_DELETED_EVENTS] = recorder.segments.deleted_events;
        STORE_RELEASE(&next[COUNTS_HERE], 1);
    }
    if (page)
        STORE_RELEASE(&page[COUNTS_TAKEN_OVER], 1);
    replace(page, PAGE);
}
