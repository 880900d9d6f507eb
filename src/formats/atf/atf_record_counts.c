/* atf_record_counts.c - what a durable recording has counted, for those who come after a kill.
 *
 * Threads that record have their counts in their lanes. Those of threads that have ended are
 * added here, and what belongs to no thread is counted in the second page. Once the manifest
 * tells all of it the file goes. */
#include "formats/atf/atf_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 64, RECORDS_AT = 2 * RING_PAGE };
_Static_assert(RAS_RECORD_REASONS <= (int)ATF_REASONS_MOST, "a reader takes them all");

static void counts_path(const char *dir, char *path)
{
    snprintf(path, PATH_ROOM, "%s/" ATF_COUNTS_NAME, dir);
}

int atf_record_counts(const char *dir)
{
    char path[PATH_ROOM];
    uint8_t header[COUNTS_HEADER_SIZE] = {0};
    counts_path(dir, path);
    store_bytes(header + COUNTS_MAGIC, ATF_COUNTS_MAGIC, 8);
    store_u64(header + COUNTS_REASONS, RAS_RECORD_REASONS);
    store_u64(header + COUNTS_STRAY_AT, RING_PAGE);
    store_u64(header + COUNTS_RECORDS_AT, RECORDS_AT);
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0 && (write(fd, header, sizeof header) != (ssize_t)sizeof header ||
                    posix_fallocate(fd, 0, RECORDS_AT))) {
        close(fd);
        unlink(path);
        return -1;
    }
    return fd;
}

static uint64_t reasons_sum(const uint64_t reasons[RAS_RECORD_REASONS])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += reasons[i];
    return sum;
}

/* In one piece: who is killed has written all of it or nothing. */
void atf_record_ended(int fd, const struct thread_info *thread)
{
    const struct ras_record_counts *c = &thread->counts;
    uint8_t record[ENDED_DROPPED + 8 * RAS_RECORD_REASONS] = {0};
    store_u64(record + ENDED_THREAD_ID, thread->thread_id);
    store_u64(record + ENDED_PRODUCED, c->produced);
    store_u64(record + ENDED_EVENTS, c->events);
    store_u64(record + ENDED_EVENTS_DROPPED, reasons_sum(c->events_dropped));
    store_u64(record + ENDED_DETAILS_DROPPED, c->details_dropped);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        store_u64(record + ENDED_DROPPED + 8 * i, c->dropped[i]);
    (void)!write(fd, record, sizeof record);
}

void atf_record_forget(const char *dir)
{
    char path[PATH_ROOM];
    counts_path(dir, path);
    unlink(path);
}
