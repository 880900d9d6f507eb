/* fingerprint.c - the first and last bytes of files, hashed. Stored bytes are read: a compressed
 * trace is not decompressed for it. */
#include "view/fingerprint.h"

#include "base/os.h"
#include "codec/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS_BYTES = 64 * 1024, FILES_MOST = 64 };

static void add_size(struct sha256 *sha, uint64_t size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(size >> 8 * i);
    sha256_add(sha, bytes, sizeof bytes);
}

static void add_bytes(struct sha256 *sha, struct ras_bytes bytes)
{
    size_t most = bytes.len < ENDS_BYTES ? bytes.len : ENDS_BYTES;
    add_size(sha, bytes.len);
    if (!most)
        return;
    sha256_add(sha, bytes.at, most);
    sha256_add(sha, bytes.at + bytes.len - most, most);
}

static void add_range(struct sha256 *sha, int fd, uint64_t from, size_t size, uint8_t *buffer)
{
    while (size) {
        int64_t got = os_read_at(fd, buffer, size, from);
        if (got <= 0)
            return;
        sha256_add(sha, buffer, (size_t)got);
        from += (uint64_t)got;
        size -= (size_t)got;
    }
}

static void add_file(struct sha256 *sha, const char *path, uint8_t *buffer)
{
    struct os_about about;
    int fd = os_open(path, OS_READ | OS_NO_WAIT);
    if (fd < 0 || os_about_fd(fd, &about) < 0 || about.kind != OS_FILE) {
        add_size(sha, 0);
    } else {
        size_t most = about.size < ENDS_BYTES ? (size_t)about.size : ENDS_BYTES;
        add_size(sha, about.size);
        add_range(sha, fd, 0, most, buffer);
        add_range(sha, fd, about.size - most, most, buffer);
    }
    if (fd >= 0)
        os_close(fd);
}

static void add_source(struct sha256 *sha, const struct shown_source *s, uint8_t *buffer)
{
    size_t count = s->trace ? ras_part_count(s->trace) : 0;
    add_size(sha, s->trace ? ras_size(s->trace) : 0);
    for (size_t i = 0; s->path && i < count && i < FILES_MOST; i++) {
        const char *part = ras_part_name(s->trace, i);
        size_t room = strlen(s->path) + strlen(part) + 2;
        char *path = malloc(room);
        if (!path)
            return;
        snprintf(path, room, "%s%s%s", s->path, *part ? "/" : "", part);
        add_file(sha, path, buffer);
        free(path);
    }
}

void fingerprint_side(const struct shown *shown, const struct side *side,
                      char digits[FINGERPRINT_ROOM])
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    uint8_t *buffer = malloc(ENDS_BYTES);
    const struct origin *o = side->origin;
    for (size_t i = 0; i < o->part_count && i < FILES_MOST; i++)
        add_bytes(&sha, o->parts[i].bytes);
    for (unsigned i = side->first; buffer && i < side->first + side->count; i++)
        add_source(&sha, &shown->sources[i], buffer);
    free(buffer);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
}
