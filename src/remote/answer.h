/* answer.h - what the headers of an answer say. */
#ifndef REMOTE_ANSWER_H
#define REMOTE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_UNKNOWN UINT64_MAX

/* How a file is recognized from one answer to the next. */
struct answer_tag {
    char text[200]; /* empty: the server gave none; longer ones are cut */
    bool cut;
};

struct answer {
    unsigned status;
    bool has_range;    /* Content-Range is well formed */
    uint64_t from, to; /* half-open; equal: "bytes *" */
    uint64_t total;    /* ANSWER_UNKNOWN: it does not say */
    bool bad_range;    /* Content-Range is there, and not well formed */
    uint64_t length;   /* Content-Length */
    struct answer_tag etag, modified;
    char region[40]; /* of the bucket, where that is another */
};

/* One line of headers, with or without its line end. A status line begins a new answer. */
void answer_line(struct answer *, const char *line, size_t len);
/* "bytes 0-9/100", "bytes 0-9/" and a star, "bytes" and a star "/100". */
bool answer_range(const char *text, size_t len, struct answer *);
#endif
