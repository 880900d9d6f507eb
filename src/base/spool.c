/* spool.c - bytes that grow at the end and stay addressable. */
#include "base/spool.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space may be scarce: a mapping grows by an eighth, not to twice its size. */
#define MAP_STEP ((size_t)16 << 20)

/* A disk that is full may be that of the answer or this one: say which. */
static int write_spool(int fd, const void *bytes, size_t n, struct ras_error *err)
{
    struct ras_error why;
    if (file_write_all(fd, bytes, n, &why) == RAS_OK)
        return RAS_OK;
    errno = why.os_errno;
    return fail_os(err, "cannot write the temporary spool file");
}

/* Map at least `need` bytes. The mapping may be longer than the file: pages
 * behind its end are never touched, and become readable as the file grows. */
static int map_room(struct spool *s, size_t need, struct ras_error *err)
{
    if (need <= s->room)
        return RAS_OK;
    size_t room = need + (need / 8 > MAP_STEP ? need / 8 : MAP_STEP);
    void *at = s->room ? mremap(s->at, s->room, room, MREMAP_MAYMOVE)
                       : mmap(NULL, room, PROT_READ, MAP_SHARED, s->fd - 1, 0);
    if (at == MAP_FAILED)
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
    int status = write_spool(fd, s->at, s->len, err);
    if (status < 0) {
        close(fd);
        return status;
    }
    struct spool disk = {.len = s->len, .fd = fd + 1};
    status = map_room(&disk, s->len, err);
    if (status < 0) {
        close(fd);
        return status;
    }
    free(s->at);
    *s = disk;
    return RAS_OK;
}

int spool_append(struct spool *s, const void *bytes, size_t n, struct ras_error *err)
{
    if (!s->fd && n > SPOOL_MEMORY - (s->len < SPOOL_MEMORY ? s->len : SPOOL_MEMORY)) {
        int status = to_disk(s, err);
        if (status < 0)
            return status;
    }
    if (!s->fd) {
        if (!array_grow(&s->at, &s->room, s->len + n, 1))
            return fail_memory(err);
        if (n)
            memcpy(s->at + s->len, bytes, n);
        s->len += n;
        return RAS_OK;
    }
    int status = write_spool(s->fd - 1, bytes, n, err);
    if (status == RAS_OK)
        status = map_room(s, s->len + n, err);
    if (status == RAS_OK)
        s->len += n;
    return status;
}

void spool_adopt(struct spool *s, uint8_t *block, size_t len)
{
    *s = (struct spool){.at = block, .len = len, .room = len};
}

void spool_free(struct spool *s)
{
    if (s->fd) {
        if (s->room)
            munmap(s->at, s->room);
        close(s->fd - 1);
    } else {
        free(s->at);
    }
    *s = (struct spool){0};
}
