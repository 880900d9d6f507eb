/* cdt_frida_lines.h - a capture line by line, in constant memory, hashed on the way. */
#ifndef CDT_FRIDA_LINES_H
#define CDT_FRIDA_LINES_H

#include "codec/sha256.h"
#include <rastrum/rastrum.h>

enum { FRIDA_PIECE = 1 << 20 }; /* what is read at a time */

struct frida_lines {
    int fd;                  /* -1: memory */
    struct ras_bytes memory; /* borrowed */
    uint64_t size;           /* of its lines */
    uint64_t stored;         /* of the capture as it is, wrapped or not */
    int64_t mtime_ns;
    uint64_t taken; /* bytes of it that the buffer has had */
    uint8_t *buffer;
    size_t at, searched, end, room; /* the next line; no newline before; what is filled */
    size_t most;                    /* the longest line */
    uint64_t number;                /* of the last line, from 1 */
    bool ended;                     /* by a newline */
    struct sha256 sha;
    bool hashed; /* it was asked for, and holds all bytes */
    char hex[2 * SHA256_SIZE + 1];
};

/* "-" is standard input. A pipe is spooled, as its hash is wanted before its end; what is
 * wrapped by gzip or zstd is unwrapped to such a file. */
int frida_lines_open(struct frida_lines *lines, const char *path,
                     struct ras_error *err) RAS_CHECKED;
void frida_lines_memory(struct frida_lines *lines, struct ras_bytes capture);
void frida_lines_close(struct frida_lines *lines);

/* The next line that is not blank, without blanks around it, followed by a NUL and
 * JSON_PADDING more bytes; it lives until the next call. RAS_OK, RAS_END or an error. */
int frida_lines_next(struct frida_lines *lines, struct ras_bytes *line,
                     struct ras_error *err) RAS_CHECKED;
/* The SHA-256 of the whole capture as text, in lines->hex. What was not read yet is read
 * ahead for it, once. */
int frida_lines_hash(struct frida_lines *lines, struct ras_error *err) RAS_CHECKED;

/* ---- for frida_lines_open() --------------------------------------------------- */

void frida_lines_begin(struct frida_lines *lines, int fd);
/* Everything that is to be hashed was. */
void frida_lines_hashed(struct frida_lines *lines);
#endif
