/* spool.c - bytes that grow at the end and stay addressable. */
#include "base/spool.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Address space may be scarce: a mapping grows by an eighth, not to twice its size. */
#define MAP_STEP ((size_t)16 << 20)

struct spool_old {
    struct spool_old *next;
    void *at;
    size_t mapped; /* bytes; 0: malloc'ed */
};

static void release(void *at, size_t mapped)
{
    if (mapped)
        map_close(at, mapped);
    else
        free(at);
}

static size_t mapped_size(const struct spool *s)
{
    return s->fd ? s->room : 0;
}

/* The bytes are about to move: keep the old place for those who still read it. False: no memory. */
static bool leave(struct spool *s)
{
    struct spool_old *old = s->held && s->at ? malloc(sizeof *old) : NULL;
    if (s->held && s->at && !old)
        return false;
    if (!old) {
        release(s->at, mapped_size(s));
    } else {
        *old = (struct spool_old){s->old, s->at, mapped_size(s)};
        s->old = old;
    }
    return true;
}

void spool_forget(struct spool *s)
{
    while (s->old) {
        struct spool_old *old = s->old;
        s->old = old->next;
        release(old->at, old->mapped);
        free(old);
    }
}

/* Name this file: a full disk may be that of the output or this one. */
static int write_spool(int fd, const void *bytes, size_t n, uint64_t at, struct ras_error *err)
{
    struct ras_error why;
    if (file_write_at(fd, bytes, n, at, &why) == RAS_OK)
        return RAS_OK;
    errno = why.os_errno;
    return fail_os(err, "cannot write the temporary spool file");
}

/* Map at least `need` bytes. The mapping may be longer than the file: pages
 * after its end are never touched, and become readable as the file grows. */
static int map_room(struct spool *s, size_t need, struct ras_error *err)
{
    if (need <= s->room)
        return RAS_OK;
    size_t room = need + (need / 8 > MAP_STEP ? need / 8 : MAP_STEP);
    void *at = NULL;
    if (s->room)
        at = map_resize(s->at, s->room, room, s->fd - 1, !s->held);
    if (!at && (s->held || !s->room)) {
        room += s->room ? need : 0; /* old places together stay smaller than the data */
        at = map_open(s->fd - 1, room);
        if (at && s->room && !leave(s)) {
            map_close(at, room);
            return fail_memory(err);
        }
    }
    if (!at)
        return fail_os(err, "cannot map the spool file");
    s->at = at;
    s->room = room;
    return RAS_OK;
}

/* Move what is in memory to an unlinked file. */
static int to_disk(struct spool *s, struct ras_error *err)
{
    int fd = file_temporary(err);
    if (fd < 0)
        return fd;
    int status = write_spool(fd, s->at, s->len, 0, err);
    if (status < 0) {
        os_close(fd);
        return status;
    }
    struct spool disk = {.len = s->len, .fd = fd + 1, .held = s->held};
    status = map_room(&disk, s->len, err);
    if (status == RAS_OK && !leave(s)) {
        map_close(disk.at, disk.room);
        status = fail_memory(err);
    }
    if (status < 0) {
        os_close(fd);
        return status;
    }
    disk.old = s->old;
    *s = disk;
    return RAS_OK;
}

/* Room for `need` bytes in memory. */
static bool make_room(struct spool *s, size_t need)
{
    if (!s->held || need <= s->room)
        return array_grow(&s->at, &s->room, need, 1);
    uint8_t *at = NULL;
    size_t room = 0;
    if (!array_grow(&at, &room, need > s->room * 2 ? need : s->room * 2, 1))
        return false;
    if (s->len)
        memcpy(at, s->at, s->len);
    if (!leave(s)) {
        free(at);
        return false;
    }
    s->at = at;
    s->room = room;
    return true;
}

int spool_append(struct spool *s, const void *bytes, size_t n, struct ras_error *err)
{
    if (OS_HAS_FILES && !s->fd &&
        n > SPOOL_MEMORY - (s->len < SPOOL_MEMORY ? s->len : SPOOL_MEMORY)) {
        int status = to_disk(s, err);
        if (status < 0)
            return status;
    }
    if (!s->fd) {
        if (!make_room(s, s->len + n))
            return fail_memory(err);
        if (n)
            memcpy(s->at + s->len, bytes, n);
        s->len += n;
        return RAS_OK;
    }
    int status = write_spool(s->fd - 1, bytes, n, s->len, err);
    if (status == RAS_OK)
        status = map_room(s, s->len + n, err);
    if (status == RAS_OK)
        s->len += n;
    return status;
}

void spool_cut(struct spool *s, size_t len)
{
    s->len = len;
}

bool spool_adopt(struct spool *s, uint8_t *block, size_t len)
{
    if (!leave(s))
        return false;
    if (s->fd)
        os_close(s->fd - 1);
    *s = (struct spool){.at = block, .len = len, .room = len, .held = s->held, .old = s->old};
    return true;
}

void spool_free(struct spool *s)
{
    spool_forget(s);
    release(s->at, mapped_size(s));
    if (s->fd)
        os_close(s->fd - 1);
    *s = (struct spool){.held = s->held};
}
