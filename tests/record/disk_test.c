/* disk_test.c - a disk that is full, and one that is slow: nothing is lost uncounted. */
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What becomes of writes to large files: this many bytes are taken, each write after a
 * pause. The program is linked so that the library's writes come here. */
static uint64_t room = UINT64_MAX;
static long pause_ns;

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (pause_ns)
        nanosleep(&(struct timespec){0, pause_ns}, NULL);
    if (fd <= 2 || size <= room) {
        room -= fd > 2 && room != UINT64_MAX ? size : 0;
        return __real_write(fd, bytes, size);
    }
    size_t some = room;
    room = 0;
    if (some)
        return __real_write(fd, bytes, some);
    errno = ENOSPC;
    return -1;
}

static const uint64_t events = 300000;

static void play_all(void)
{
    struct script s = script_of(1);
    for (uint64_t i = 0; i < events; i++) {
        struct played p = script_next(&s);
        play(&p);
    }
}

/* What is left, sealed or not, is what was played; as many as were counted. */
static bool check_file(const struct ras_record_counts *c, bool holes)
{
    struct ras_trace *t;
    struct ras_error err = {0};
    struct heard heard;
    if (ras_open(&t, ras_record_dir(), NULL, &err) < 0)
        return !c->stored || complain("open: %s", err.text); /* not even a header */
    bool good = script_check(ras_atf_session(t), 0, holes, &heard);
    if (good && heard.events != c->stored)
        good =
            complain("%" PRIu64 " events are there, %" PRIu64 " stored", heard.events, c->stored);
    ras_close(t);
    return good;
}

static bool run(const struct ras_record_options *like, uint64_t disk, long pause, bool full)
{
    const char *dir = scratch();
    struct ras_record_options options = *like;
    struct ras_record_counts c;
    struct ras_error err = {0};
    options.struct_size = sizeof options;
    options.exact = dir;
    room = disk;
    pause_ns = pause;
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text);
    play_all();
    int status = ras_record_stop(&err);
    room = UINT64_MAX;
    pause_ns = 0;
    ras_record_counts(&c);
    uint64_t dropped = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        dropped += c.dropped[i];
    bool good = check_file(&c, options.policy == RAS_RECORD_DROP);
    if (c.produced != events || c.stored + dropped != events)
        good = complain("%" PRIu64 " produced, %" PRIu64 " stored, %" PRIu64 " dropped", c.produced,
                        c.stored, dropped);
    if (full ? status != RAS_EIO || err.os_errno != ENOSPC || !c.dropped[RAS_RECORD_WRITE]
             : status != RAS_OK)
        good = complain("stop: %d %s", status, err.text);
    if (!full && options.policy == RAS_RECORD_BLOCK && dropped)
        good = complain("%" PRIu64 " dropped by a slow disk", dropped);
    remove_all(dir);
    return good;
}

int main(void)
{
    const struct ras_record_options block = {.ring_bytes = 1 << 17},
                                    drop = {.ring_bytes = 1 << 14, .policy = RAS_RECORD_DROP},
                                    packed = {.ring_bytes = 1 << 17, .compress = true};
    const struct {
        const char *name;
        const struct ras_record_options *options;
        uint64_t disk;
        long pause;
        bool full;
    } cases[] = {{"full, block", &block, 3000000, 0, true},
                 {"full inside a record", &block, 3000001, 0, true},
                 {"full from the start", &block, 5, 0, true},
                 {"full, drop", &drop, 8000, 0, true}, /* half of what surely is in the ring */
                 {"full, compressed", &packed, 200000, 0, true},
                 {"full in the middle of a frame", &packed, 200001, 0, true},
                 {"full inside the first frame", &packed, 80, 0, true},
                 {"full from the start, compressed", &packed, 5, 0, true},
                 {"slow, compressed", &packed, UINT64_MAX, 3000000, false},
                 {"slow, block", &block, UINT64_MAX, 3000000, false},
                 {"slow, drop", &drop, UINT64_MAX, 3000000, false}};
    unsigned failed = 0, count = sizeof cases / sizeof *cases;
    for (unsigned i = 0; i < count; i++)
        if (!run(cases[i].options, cases[i].disk, cases[i].pause, cases[i].full)) {
            printf("disk: %s\n", cases[i].name);
            failed++;
        }
    printf("%u passed, %u failed\n", count - failed, failed);
    return failed > 0;
}
