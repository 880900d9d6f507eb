/* inflate.h - unwrap a gzip or zstd stream piece by piece, and recover what a
 * damaged one still holds. */
#ifndef CODEC_INFLATE_H
#define CODEC_INFLATE_H

#include <rastrum/rastrum.h>
#include <stdio.h>

enum inflate_state {
    INFLATE_MORE, /* all input was taken, more is wanted */
    INFLATE_FULL, /* the output room is used up; call again, with or without input */
    INFLATE_BAD,  /* cannot go on; for good */
};

/* One stream: any number of gzip members or zstd frames, one after the other.
 * The callers' view is the functions below; gzip.c and zstd_chunk.c embed it. */
struct inflate {
    enum inflate_state (*step)(struct inflate *inflate, struct ras_bytes *in, uint8_t *out,
                               size_t room, size_t *made);
    void (*release)(struct inflate *inflate);
    uint64_t members; /* whole ones; skippable zstd frames do not count */
    uint64_t taken;   /* input bytes so far */
    uint64_t good;    /* input bytes up to the end of the last whole member or frame */
    uint64_t made;    /* output bytes before the step under way */
    uint64_t sure;    /* output bytes up to the end of the last whole zstd frame */
    bool checked;     /* the zstd frame under way has a checksum */
    bool whole, trailing, bad;
    bool open; /* the input ends in a member, but after a whole piece of it */
    char why[112];
};

/* NULL: out of memory. */
struct inflate *gzip_inflate_new(void);
struct inflate *zstd_inflate_new(void);
struct inflate *gzip_plain_new(void); /* without a library */

static inline void inflate_free(struct inflate *inflate)
{
    if (inflate)
        inflate->release(inflate);
}

/* Consume from *in, which is advanced, and produce into out; *made says how
 * much. Bytes can be made in the very step that turns out BAD: they are as good as those before
 * them in the same frame, see inflate_unsure(). */
static inline enum inflate_state inflate_step(struct inflate *inflate, struct ras_bytes *in,
                                              uint8_t *out, size_t room, size_t *made)
{
    *made = 0;
    if (inflate->bad)
        return INFLATE_BAD;
    if (!room)
        return INFLATE_FULL;
    enum inflate_state state = inflate->step(inflate, in, out, room, made);
    inflate->made += *made;
    return state;
}

/* How many of the bytes made last are of a zstd frame whose checksum is not reached yet. */
static inline uint64_t inflate_unsure(const struct inflate *inflate)
{
    return inflate->checked ? inflate->made - inflate->sure : 0;
}

/* Stopped exactly between members, after at least one: a clean end. Zero
 * padding after a member is clean too, other bytes are not. */
static inline bool inflate_whole(const struct inflate *inflate)
{
    return inflate->whole;
}

/* All bytes given so far are decoded, and nothing shows that some are missing: a recorder that
 * flushes leaves this when it is killed. */
static inline bool inflate_open(const struct inflate *inflate)
{
    return inflate->open;
}

/* BAD only because of bytes after a whole member: a warning, nothing is lost. */
static inline bool inflate_trailing(const struct inflate *inflate)
{
    return inflate->trailing;
}

/* Of BAD, "" before; lives as long as the stream. */
static inline const char *inflate_why(const struct inflate *inflate)
{
    return inflate->why;
}

static inline uint64_t inflate_members(const struct inflate *inflate)
{
    return inflate->members;
}

/* How many input bytes the whole members took: where a cut or damaged member,
 * padding or foreign bytes begin. */
static inline uint64_t inflate_good(const struct inflate *inflate)
{
    return inflate->good;
}

/* Whether it starts like one. A short head that agrees so far is enough if it has
 * at least two bytes of gzip or four of zstd. */
bool gzip_is(struct ras_bytes head);
bool zstd_is(struct ras_bytes head); /* skippable frames included */

/* The fast path: all members at once into one malloc'ed block *out, never of
 * more than cap bytes. False: no output; use the streaming form, which
 * also reports what is wrong, if anything is. */
bool gzip_inflate_all(struct ras_bytes in, size_t cap, uint8_t **out, size_t *len,
                      uint64_t *members);

/* ---- for the two implementations --------------------------------------- */

static inline void inflate_take(struct inflate *inflate, struct ras_bytes *in, size_t n)
{
    in->at += n;
    in->len -= n;
    inflate->taken += n;
}

static inline void inflate_member_end(struct inflate *inflate)
{
    inflate->good = inflate->taken;
    inflate->whole = true;
}

static inline enum inflate_state inflate_bad(struct inflate *inflate, const char *what,
                                             const char *why)
{
    inflate->bad = true;
    inflate->whole = false;
    snprintf(inflate->why, sizeof inflate->why, "%s %llu: %s", what,
             (unsigned long long)inflate->members + 1, why);
    return INFLATE_BAD;
}

/* What follows is neither a member nor padding. */
static inline enum inflate_state inflate_foreign(struct inflate *inflate, const char *none,
                                                 const char *after)
{
    inflate->bad = true;
    inflate->whole = false;
    inflate->trailing = inflate->good > 0;
    snprintf(inflate->why, sizeof inflate->why, "%s", inflate->good ? after : none);
    return INFLATE_BAD;
}
#endif
