/* ledger.c - the ring of notes, in memory or in a mapped file. */
#include "pens/ledger.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    RING_LEAST = 16 << 20,
    HEAD = 8,         /* of a note: its kind and its size */
    LARGE = 64 << 10, /* a piece that is not kept in the caches */
};
#define RING_MOST  (UINT64_C(4) << 30)
#define STAGE_NAME "pens.stage"

static uint64_t padded(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A page and a ring. Those of a durable ledger are a file, which has its name when the page says
 * what is in it. */
static uint8_t *take_map(int dir, uint64_t size, int *fd, struct ras_error *err)
{
    *fd = -1;
    if (dir >= 0)
        *fd = openat(dir, "." STAGE_NAME, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (dir >= 0 && (*fd < 0 || ftruncate(*fd, (off_t)(STAGE_PAGE + size)) < 0)) {
        (void)fail_os(err, STAGE_NAME);
        return NULL;
    }
    if (*fd >= 0) { /* room on the disk now, and no SIGBUS later */
        int full = posix_fallocate(*fd, 0, (off_t)(STAGE_PAGE + size));
        if (full && full != EOPNOTSUPP && full != EINVAL) {
            errno = full;
            (void)fail_os(err, STAGE_NAME);
            return NULL;
        }
    }
    void *at = mmap(NULL, STAGE_PAGE + size, PROT_READ | PROT_WRITE,
                    *fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, *fd, 0);
    if (at == MAP_FAILED) {
        (void)fail_os(err, STAGE_NAME);
        return NULL;
    }
    return at;
}

static int publish_stage(int dir, struct ras_error *err)
{
    if (dir >= 0 && renameat(dir, "." STAGE_NAME, dir, STAGE_NAME) < 0)
        return fail_os(err, STAGE_NAME);
    return RAS_OK;
}

static void use_map(struct ledger *j, uint8_t *map, uint64_t size, int fd)
{
    j->map = map;
    j->size = size;
    j->fd = fd;
    j->stage = (struct stage *)(void *)map;
}

int ledger_open(struct ledger *j, int dir, struct ras_error *err)
{
    int fd;
    *j = (struct ledger){.dir = dir, .fd = -1};
    if (!mutex_init(&j->lock) || !condition_init(&j->room) || !condition_init(&j->work))
        return fail_memory(err);
    uint8_t *map = take_map(dir, RING_LEAST, &fd, err);
    if (!map) {
        if (fd >= 0)
            close(fd);
        return RAS_EIO;
    }
    use_map(j, map, RING_LEAST, fd);
    *j->stage = (struct stage){.magic = STAGE_MAGIC, .ring_bytes = RING_LEAST};
    j->stage->saved[0].tick = RAS_NONE;
    return publish_stage(dir, err);
}

/* A thread may be about to put a note: it finds the ledger stopped, so the lock stays. */
void ledger_free(struct ledger *j)
{
    mutex_lock(&j->lock);
    __atomic_store_n(&j->stopped, true, __ATOMIC_RELAXED);
    if (j->map)
        munmap(j->map, STAGE_PAGE + j->size);
    if (j->fd >= 0)
        close(j->fd);
    j->map = NULL;
    j->stage = NULL;
    j->fd = j->dir = -1;
    mutex_unlock(&j->lock);
}

static uint8_t *ring_at(uint8_t *map, uint64_t size, uint64_t at)
{
    return map + STAGE_PAGE + at % size;
}

/* Copy what is not saved to the same places of a larger ring. Notes are never split, and those that
 * a smaller ring had split by padding fit anywhere; so they are copied one by one. */
static uint64_t copy_notes(const struct ledger *j, uint8_t *map, uint64_t size, uint64_t *read)
{
    uint64_t to = 0, new_read = 0;
    (void)size;
    for (uint64_t at = j->saved; at < j->head;) {
        uint32_t head[2];
        if (at == j->read)
            new_read = to;
        memcpy(head, ring_at(j->map, j->size, at), sizeof head);
        uint64_t len = HEAD + padded(head[1]);
        if (head[0] != NOTE_PAD) {
            memcpy(ring_at(map, size, to), ring_at(j->map, j->size, at), (size_t)len);
            to += len;
        }
        at += len;
    }
    *read = j->read == j->head ? to : new_read;
    return to;
}

/* With the lock held. */
static int grow_locked(struct ledger *j, struct ras_error *err)
{
    uint64_t size = j->size, need = 2 * (j->head - j->saved + j->wanted), read;
    while (size < need)
        size *= 2;
    if (size > RING_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a tick of more than %" PRIu64 " bytes",
                    RING_MOST / 2);
    int fd;
    uint8_t *map = take_map(j->dir, size, &fd, err);
    if (!map) {
        if (fd >= 0)
            close(fd);
        return RAS_EIO;
    }
    uint64_t head = copy_notes(j, map, size, &read);
    struct stage *s = (struct stage *)(void *)map;
    *s = *j->stage;
    s->ring_bytes = size;
    s->head = head;
    s->current = 0;
    s->saved[0] = j->stage->saved[j->stage->current & 1];
    s->saved[0].from = 0;
    munmap(j->map, STAGE_PAGE + j->size);
    if (j->fd >= 0)
        close(j->fd);
    use_map(j, map, size, fd);
    j->saved = 0;
    j->read = read;
    j->head = head;
    return publish_stage(j->dir, err);
}

int ledger_grow(struct ledger *j, struct ras_error *err)
{
    mutex_lock(&j->lock);
    int status = grow_locked(j, err);
    condition_notify_all(&j->room);
    mutex_unlock(&j->lock);
    return status;
}

/* ---- the program's side -----------------------------------------------------------------------
 */

/* Bytes that the note takes, with the padding before it where it would not fit. */
static uint64_t room_for(const struct ledger *j, uint64_t len)
{
    uint64_t left = j->size - j->head % j->size;
    return len <= left ? len : left + len;
}

static void wait_for_room(struct ledger *j, uint64_t len)
{
    while (!j->stopped && j->head + room_for(j, len) - j->saved > j->size) {
        j->wanted = len;
        condition_notify_all(&j->work);
        condition_wait_ms(&j->room, &j->lock, 100);
    }
    j->wanted = 0;
}

static void put_head(struct ledger *j, uint64_t at, enum note_kind kind, uint64_t size)
{
    const uint32_t head[2] = {(uint32_t)kind, (uint32_t)size};
    memcpy(ring_at(j->map, j->size, at), head, sizeof head);
}

/* The ring's lines are in the caches of the pens' thread: stores that go past the caches need not
 * fetch them, and a picture does not displace what the program works on. */
static void copy_piece(uint8_t *to, const uint8_t *from, size_t len)
{
#ifdef __SSE2__
    if (len >= LARGE) {
        size_t before = -(uintptr_t)to & 15;
        memcpy(to, from, before);
        to += before;
        from += before;
        len -= before;
        for (; len >= 64; len -= 64, to += 64, from += 64)
            for (size_t i = 0; i < 64; i += 16)
                _mm_stream_si128((__m128i *)(void *)(to + i),
                                 _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
        _mm_sfence();
    }
#endif
    memcpy(to, from, len);
}

bool ledger_put(struct ledger *j, enum note_kind kind, const struct piece *pieces, size_t count)
{
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += pieces[i].len;
    uint64_t len = HEAD + padded(size);
    if (size > UINT32_MAX - HEAD)
        return false;
    mutex_lock(&j->lock);
    wait_for_room(j, len);
    bool taken = !j->stopped;
    if (taken) {
        uint64_t left = j->size - j->head % j->size;
        if (len > left) {
            put_head(j, j->head, NOTE_PAD, left - HEAD);
            j->head += left;
        }
        put_head(j, j->head, kind, size);
        uint8_t *to = ring_at(j->map, j->size, j->head) + HEAD;
        for (size_t i = 0; i < count; i++) {
            if (pieces[i].len)
                copy_piece(to, pieces[i].at, pieces[i].len);
            to += pieces[i].len;
        }
        j->head += len;
        __atomic_store_n(&j->stage->head, j->head, __ATOMIC_RELEASE);
        if (j->asleep && j->head - j->read > j->size / 4)
            condition_notify_all(&j->work);
    }
    mutex_unlock(&j->lock);
    return taken;
}

void ledger_stop(struct ledger *j)
{
    mutex_lock(&j->lock);
    __atomic_store_n(&j->stopped, true, __ATOMIC_RELAXED);
    condition_notify_all(&j->room);
    condition_notify_all(&j->work);
    mutex_unlock(&j->lock);
}

/* ---- the pens' side ----------------------------------------------------------------------------
 */

bool ledger_next(struct ledger *j, struct note *note)
{
    mutex_lock(&j->lock);
    uint64_t head = j->head;
    uint32_t words[2] = {NOTE_PAD, 0};
    while (j->read < head) {
        memcpy(words, ring_at(j->map, j->size, j->read), sizeof words);
        if (words[0] != NOTE_PAD)
            break;
        j->read += HEAD + padded(words[1]);
    }
    bool any = j->read < head;
    if (any)
        *note = (struct note){words[0], ring_at(j->map, j->size, j->read) + HEAD, words[1]};
    mutex_unlock(&j->lock);
    return any;
}

void ledger_took(struct ledger *j)
{
    uint32_t words[2];
    mutex_lock(&j->lock);
    memcpy(words, ring_at(j->map, j->size, j->read), sizeof words);
    j->read += HEAD + padded(words[1]);
    if (j->dir < 0) {
        j->saved = j->read;
        if (j->wanted)
            condition_notify_all(&j->room);
    }
    mutex_unlock(&j->lock);
}

void ledger_save(struct ledger *j, const struct stage_saved *saved)
{
    mutex_lock(&j->lock);
    struct stage *s = j->stage;
    uint64_t other = !(s->current & 1);
    s->saved[other] = *saved;
    s->saved[other].from = j->read;
    __atomic_store_n(&s->current, other, __ATOMIC_RELEASE);
    j->saved = j->read;
    condition_notify_all(&j->room);
    mutex_unlock(&j->lock);
}

bool ledger_is_short(struct ledger *j)
{
    mutex_lock(&j->lock);
    bool is = j->wanted && j->head + room_for(j, j->wanted) - j->saved > j->size;
    mutex_unlock(&j->lock);
    return is;
}

void ledger_wait(struct ledger *j, unsigned ms)
{
    mutex_lock(&j->lock);
    if (!j->stopped && !j->flush && !j->wanted && j->head == j->read) {
        j->asleep = true;
        condition_wait_ms(&j->work, &j->lock, ms);
        j->asleep = false;
    }
    mutex_unlock(&j->lock);
}

/* ---- a file -------------------------------------------------------------------------------- */

int ledger_scan(struct ledger_scan *s, struct ras_bytes file, struct ras_error *err)
{
    struct stage stage;
    if (file.len < STAGE_PAGE)
        return fail(err, RAS_EFORMAT, 0, STAGE_NAME " has %zu bytes, fewer than %d", file.len,
                    STAGE_PAGE);
    memcpy(&stage, file.at, sizeof stage);
    *s = (struct ledger_scan){.ring = file.at + STAGE_PAGE,
                              .size = stage.ring_bytes,
                              .saved = stage.saved[stage.current & 1],
                              .head = stage.head};
    s->at = s->saved.from;
    if (stage.magic != STAGE_MAGIC)
        return fail(err, RAS_EFORMAT, 0, STAGE_NAME " is not the ledger of a run");
    if (!s->size || s->size % 8 || s->size != file.len - STAGE_PAGE || s->head < s->at ||
        s->head - s->at > s->size || s->at % 8)
        return fail(err, RAS_EFORMAT, 0,
                    STAGE_NAME " has %" PRIu64 " bytes from %" PRIu64 " to %" PRIu64
                               " in a ring of %" PRIu64,
                    s->head - s->at, s->at, s->head, s->size);
    return RAS_OK;
}

bool ledger_scan_next(struct ledger_scan *s, struct note *note)
{
    uint32_t words[2];
    while (s->head - s->at >= HEAD) {
        uint64_t left = s->size - s->at % s->size;
        const uint8_t *at = s->ring + s->at % s->size;
        memcpy(words, at, sizeof words);
        uint64_t len = HEAD + padded(words[1]);
        if (len > left || len > s->head - s->at || words[0] >= NOTE_KINDS)
            return false;
        s->at += len;
        *note = (struct note){words[0], at + HEAD, words[1]};
        if (words[0] != NOTE_PAD)
            return true;
    }
    return false;
}
