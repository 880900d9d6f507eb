/* cdt_frida_lines.c - a capture line by line, in constant memory, hashed on the way. */
#include "formats/cdt/cdt_frida_lines.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/json_scan.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = FRIDA_PIECE, LINE_MOST = 64 << 20 };

void frida_lines_begin(struct frida_lines *l, int fd)
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

/* `n` bytes of the capture from `offset` on, which it has. */
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

/* More bytes behind those of a line that is not whole yet, which moves to the front. */
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

void frida_lines_hashed(struct frida_lines *l)
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

/* What Python's bytes.strip() takes away. */
static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The next line, blank or not: from l->at to *end. */
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
