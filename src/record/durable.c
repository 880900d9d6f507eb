/* durable.c - lanes that lie in files, so that what they hold outlives a killed process.
 *
 * A lane keeps its address: the file takes the place of the memory behind it. The file
 * tells where in it the ends of the rings are, so that a repair need know no more. */
#include "record/recorder.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

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

/* Others may look at the lane meanwhile, but change nothing: it is taken, and the file
 * holds the same. By the system call itself, which nobody takes for a store. */
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

bool durable_make(struct lane *lane)
{
    const struct ras_record_options *o = &recorder.options;
    uint64_t ring_at = PAGE + pages(sizeof *lane), detail_at = ring_at + o->ring_bytes;
    const struct pen_ring where = {.size = detail_at + o->detail_bytes,
                                   .head_at = at_of(lane, &lane->hot.head),
                                   .tail_at = at_of(lane, &lane->tail),
                                   .ring_at = ring_at,
                                   .capacity = o->ring_bytes / sizeof *lane->hot.ring,
                                   .detail_head_at = at_of(lane, &lane->detail.head),
                                   .detail_tail_at = at_of(lane, &lane->detail.tail),
                                   .detail_wrap_at = at_of(lane, &lane->detail.wrap),
                                   .detail_at = detail_at,
                                   .detail_size = o->detail_bytes};
    int fd = recorder.ops->ring(recorder.dir, lane->hot.thread_id, &where);
    if (fd < 0)
        return false;
    struct ras_record_event *ring = map_shared(o->ring_bytes, fd, ring_at);
    uint8_t *detail = map_shared(o->detail_bytes, fd, detail_at);
    bool good = ring && detail && pwrite(fd, lane, sizeof *lane, PAGE) == (ssize_t)sizeof *lane &&
                map_over(lane, pages(sizeof *lane), fd);
    close(fd);
    if (!good) {
        replace(ring, o->ring_bytes);
        replace(detail, o->detail_bytes);
        return false;
    }
    replace(lane->hot.ring, lane->capacity * sizeof *ring);
    replace(lane->detail.at, lane->detail.size);
    lane->hot.ring = ring;
    lane->capacity = where.capacity;
    lane->detail.at = detail;
    lane->detail.size = o->detail_bytes;
    return true;
}
