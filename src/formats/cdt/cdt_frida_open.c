/* cdt_frida_open.c - a capture on disk, in a pipe, or wrapped: a file whose lines can be read. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "codec/inflate.h"
#include "formats/cdt/cdt_frida_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = FRIDA_PIECE };

#define INFLATED_MOST ((int64_t)64 << 30) /* as struct ras_limits has it for traces */

/* Another file takes the place of the one that is open. */
static void replace(struct frida_lines *l, int fd)
{
    if (l->fd > 0)
        os_close(l->fd);
    l->fd = fd;
}

/* Copy a pipe to an unlinked file, which then is the capture. */
static int spool(struct frida_lines *l, struct ras_error *err)
{
    int to = file_temporary(err), status = to < 0 ? to : RAS_OK;
    struct timespec now;
    uint8_t *piece = malloc(PIECE);
    if (status == RAS_OK && !piece)
        status = fail_memory(err);
    while (status == RAS_OK) {
        int64_t n = os_read(l->fd, piece, PIECE);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            status = fail_os(err, "cannot read the capture");
        if (n > 0)
            status = file_write_all(to, piece, (size_t)n, err);
    }
    free(piece);
    replace(l, to < 0 ? -1 : to);
    clock_gettime(CLOCK_REALTIME, &now);
    l->mtime_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return status;
}

/* ---- wrapping ---------------------------------------------------------------------------- */

/* Some bytes of the wrapped capture to what they stand for. */
static int unwrap_piece(struct inflate *in, struct ras_bytes bytes, uint8_t *room, int to,
                        struct ras_error *err)
{
    enum inflate_state state;
    int status = RAS_OK;
    do {
        size_t made;
        state = inflate_step(in, &bytes, room, PIECE, &made);
        status = file_write_all(to, room, made, err);
    } while (status == RAS_OK && state == INFLATE_FULL);
    if (status == RAS_OK && state == INFLATE_BAD)
        return fail(err, RAS_EFORMAT, inflate_good(in), "%s", inflate_why(in));
    return status;
}

/* All of it to the file `to`; hashed as it is. */
static int unwrap(struct frida_lines *l, struct inflate *in, int to, struct ras_error *err)
{
    uint8_t *piece = malloc((size_t)2 * PIECE);
    int status = piece ? RAS_OK : fail_memory(err);
    for (uint64_t at = 0; status == RAS_OK && at < l->stored;) {
        int64_t n = file_read_at(l->fd, piece, PIECE, at, err);
        if (n <= 0)
            status = n < 0 ? (int)n
                           : fail(err, RAS_EIO, at,
                                  "the capture became shorter: %" PRIu64 " bytes of %" PRIu64, at,
                                  l->stored);
        if (status < 0)
            break;
        sha256_add(&l->sha, piece, (size_t)n);
        status = unwrap_piece(in, (struct ras_bytes){piece, (size_t)n}, piece + PIECE, to, err);
        at += (uint64_t)n;
        if (status == RAS_OK && os_position(to) > INFLATED_MOST)
            status = fail(err, RAS_ELIMIT, at, "it inflates to more than %" PRId64 " bytes",
                          INFLATED_MOST);
    }
    free(piece);
    if (status == RAS_OK)
        frida_lines_hashed(l);
    return status;
}

/* What is wrapped is read from a file without. */
static int look_through(struct frida_lines *l, struct ras_error *err)
{
    uint8_t head[16];
    int64_t n = file_read_at(l->fd, head, sizeof head, 0, err);
    if (n < 0)
        return (int)n;
    struct ras_bytes bytes = {head, (size_t)n};
    if (!gzip_is(bytes) && !zstd_is(bytes))
        return RAS_OK;
    struct inflate *in = gzip_is(bytes) ? gzip_inflate_new() : zstd_inflate_new();
    int to = in ? file_temporary(err) : fail_memory(err), status = to < 0 ? to : RAS_OK;
    if (status == RAS_OK)
        status = unwrap(l, in, to, err);
    inflate_free(in);
    if (to < 0)
        return status;
    replace(l, to);
    struct os_about about;
    if (status == RAS_OK && os_about_fd(to, &about) < 0)
        return fail_os(err, "cannot read the temporary file");
    if (status == RAS_OK)
        l->size = about.size;
    return status;
}

static int cannot_open(struct ras_error *err, const char *path)
{
    char what[sizeof err->text];
    int code = errno;
    snprintf(what, sizeof what, "%s: cannot open", path);
    errno = code;
    return fail_os(err, what);
}

int frida_lines_open(struct frida_lines *l, const char *path, struct ras_error *err)
{
    struct os_about about;
    frida_lines_begin(l, strcmp(path, "-") ? os_open(path, OS_READ) : 0);
    if (l->fd < 0 || os_about_fd(l->fd, &about) < 0)
        return cannot_open(err, path);
    if (about.kind == OS_FOLDER)
        return fail(err, RAS_EIO, RAS_NONE, "%s: a directory, not a raw capture", path);
    l->mtime_ns = about.mtime_ns;
    bool there = about.kind == OS_FILE && os_position(l->fd) == 0;
    int status = there ? RAS_OK : spool(l, err);
    if (status == RAS_OK && os_about_fd(l->fd, &about) < 0)
        status = fail_os(err, path);
    l->size = l->stored = about.size;
    return status == RAS_OK ? look_through(l, err) : status;
}
