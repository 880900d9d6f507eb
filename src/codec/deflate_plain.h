/* deflate_plain.h - the deflate format (RFC 1951) decoded without a library, in pieces. */
#ifndef CODEC_DEFLATE_PLAIN_H
#define CODEC_DEFLATE_PLAIN_H

#include <rastrum/rastrum.h>

enum deflate_state {
    DEFLATE_MORE, /* all input was taken, more is wanted */
    DEFLATE_FULL, /* the output room is used up */
    DEFLATE_END,  /* of the last block; bytes that follow may have been taken: deflate_byte() */
    DEFLATE_BAD,  /* see deflate_why() */
};

struct deflate;
struct deflate *deflate_new(void); /* NULL: out of memory */
void deflate_free(struct deflate *);
void deflate_reset(struct deflate *); /* to the start of a stream */

/* Consume from *in, which is advanced, and produce into out; *made is added to. */
enum deflate_state deflate_step(struct deflate *, struct ras_bytes *in, uint8_t *out, size_t room,
                                size_t *made);
/* The next byte after the end, of which fewer than eight may have been taken; -1: more input. */
int deflate_byte(struct deflate *, struct ras_bytes *in);
const char *deflate_why(const struct deflate *);
#endif
