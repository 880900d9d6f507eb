/* cdt_frida_lines.c - reads a capture line by line in constant memory and hashes it. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/inflate.h"
#include "codec/json_scan.h"
#include "formats/cdt/cdt_frida_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = FRIDA_PIECE, LINE_MOST = 64 << 20 };

static void frida_lines_begin(struct frida_lines *l, int fd)
{
    *l = (struct frida_lines){.fd = fd, .sha = sha256_start(), .most = LINE_MOST};
}

void frida_lines_memory(struct frida_lines *l, struct ras_bytes capture)
{
    frida_lines_begin(l, -1);
    l->memory = capture;
    l->size = l->stored = capture.len;
}

void frida_lines_close(struct frida_lines *l)
{
    free(l->buffer);
    l->buffer = NULL;
    if (l->fd > 0) /* not standard input */
        os_close(l->fd);
    l->fd = -1;
}

/* ---- bytes ------------------------------------------------------------------------ */

/* Reads `n` bytes of the capture from `offset` on; it has that many. */
static int lines_get(const struct frida_lines *l, uint64_t offset, uint8_t *to, size_t n,
                     struct ras_error *err)
{
    if (l->fd < 0) {
        memcpy(to, l->memory.at + offset, n);
        return RAS_OK;
    }
    int64_t got = file_read_at(l->fd, to, n, offset, err);
    if (got < 0)
        return (int)got;
    if ((uint64_t)got < n)
        return fail(err, RAS_EIO, offset + (uint64_t)got,
                    "the capture became shorter while it was read: %" PRIu64 " bytes of %" PRIu64,
                    offset + (uint64_t)got, l->size);
    return RAS_OK;
}

static size_t piece_at(const struct frida_lines *l, uint64_t offset)
{
    return l->size - offset < PIECE ? (size_t)(l->size - offset) : PIECE;
}

/* Moves the incomplete line to the front of the buffer and reads more bytes after it. */
static int lines_fill(struct frida_lines *l, struct ras_error *err)
{
    size_t have = l->end - l->at, n = piece_at(l, l->taken);
    if (have > l->most)
        return fail(err, RAS_ELIMIT, l->taken - have, "line %" PRIu64 " is longer than %zu bytes",
                    l->number + 1, l->most);
    if (have)
        memmove(l->buffer, l->buffer + l->at, have);
    l->searched -= l->at;
    l->at = 0;
    l->end = have;
    if (!array_grow(&l->buffer, &l->room, have + n + JSON_PADDING + 1, 1))
        return fail_memory(err);
    int status = lines_get(l, l->taken, l->buffer + have, n, err);
    if (status < 0)
        return status;
    if (!l->hashed)
        sha256_add(&l->sha, l->buffer + have, n);
    l->taken += n;
    l->end += n;
    memset(l->buffer + l->end, 0, JSON_PADDING + 1);
    return RAS_OK;
}

/* All bytes have been hashed. */
static void frida_lines_hashed(struct frida_lines *l)
{
    uint8_t digest[SHA256_SIZE];
    sha256_end(&l->sha, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(l->hex + 2 * i, 3, "%02x", digest[i]);
    l->hashed = true;
}

int frida_lines_hash(struct frida_lines *l, struct ras_error *err)
{
    uint8_t *piece = NULL;
    int status = RAS_OK;
    if (l->hashed)
        return RAS_OK;
    if (l->taken < l->size && !(piece = malloc(PIECE)))
        return fail_memory(err);
    for (uint64_t at = l->taken; status == RAS_OK && at < l->size;) {
        size_t n = piece_at(l, at);
        status = lines_get(l, at, piece, n, err);
        if (status == RAS_OK)
            sha256_add(&l->sha, piece, n);
        at += n;
    }
    free(piece);
    if (status < 0)
        return status;
    frida_lines_hashed(l);
    return RAS_OK;
}

/* ---- lines ------------------------------------------------------------------------- */

/* The characters that Python's bytes.strip() removes. */
static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Finds the next line, blank or not: from l->at to *end. */
static int find_end(struct frida_lines *l, size_t *end, struct ras_error *err)
{
    for (;;) {
        size_t left = l->end - l->searched;
        const uint8_t *newline = left ? memchr(l->buffer + l->searched, '\n', left) : NULL;
        if (newline) {
            *end = (size_t)(newline - l->buffer);
            return RAS_OK;
        }
        l->searched = l->end;
        if (l->taken == l->size) {
            *end = l->end;
            return l->at == l->end ? RAS_END : RAS_OK;
        }
        int status = lines_fill(l, err);
        if (status < 0)
            return status;
    }
}

int frida_lines_next(struct frida_lines *l, struct ras_bytes *line, struct ras_error *err)
{
    size_t end;
    int status;
    while ((status = find_end(l, &end, err)) == RAS_OK) {
        size_t from = l->at, to = end;
        l->number++;
        l->ended = end < l->end;
        l->at = l->searched = end + l->ended;
        while (from < to && is_blank(l->buffer[from]))
            from++;
        while (to > from && is_blank(l->buffer[to - 1]))
            to--;
        if (from == to)
            continue;
        l->buffer[to] = 0;
        *line = (struct ras_bytes){l->buffer + from, to - from};
        return RAS_OK;
    }
    return status;
}

/* ---- opening: a file, a pipe, or wrapped by gzip or zstd --------------------------------- */

#define INFLATED_MOST ((int64_t)64 << 30) /* the same as in struct ras_limits */

/* Replaces the open file by another one. */
static void replace(struct frida_lines *l, int fd)
{
    if (l->fd > 0)
        os_close(l->fd);
    l->fd = fd;
}

/* Copies a pipe to an unlinked file, which then is the capture. */
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

/* Decompresses some bytes of the wrapped capture. */
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

/* Decompresses all of it to the file `to`; hashes the stored bytes. */
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

/* If the capture is wrapped, it is decompressed to a file and read from there. */
static int unwrap_if_wrapped(struct frida_lines *l, struct ras_error *err)
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
    return status == RAS_OK ? unwrap_if_wrapped(l, err) : status;
}
