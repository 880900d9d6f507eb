/* xxh64.c - XXH64 with seed 0, piece by piece. */
#include "codec/xxh64.h"
#include "base/in.h"

static const uint64_t prime[5] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                  0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};

static uint64_t rotate_word(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static uint64_t stir(uint64_t lane, uint64_t word)
{
    return rotate_word(lane + word * prime[1], 31) * prime[0];
}

static void take_stripe(struct xxh64 *x, const uint8_t *at)
{
    for (unsigned i = 0; i < 4; i++)
        x->lane[i] = stir(x->lane[i], load_u64(at + (size_t)8 * i));
}

struct xxh64 xxh64_start(void)
{
    return (struct xxh64){.lane = {prime[0] + prime[1], prime[1], 0, 0 - prime[0]}};
}

void xxh64_add(struct xxh64 *x, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t kept = x->length % XXH64_STRIPE;
    if (!len)
        return;
    x->length += len;
    if (kept) {
        size_t more = XXH64_STRIPE - kept < len ? XXH64_STRIPE - kept : len;
        memcpy(x->rest + kept, at, more);
        at += more;
        len -= more;
        if (kept + more < XXH64_STRIPE)
            return;
        take_stripe(x, x->rest);
    }
    for (; len >= XXH64_STRIPE; at += XXH64_STRIPE, len -= XXH64_STRIPE)
        take_stripe(x, at);
    memcpy(x->rest, at, len);
}

static uint64_t merged_lanes(const struct xxh64 *x)
{
    uint64_t hash = rotate_word(x->lane[0], 1) + rotate_word(x->lane[1], 7) +
                    rotate_word(x->lane[2], 12) + rotate_word(x->lane[3], 18);
    for (unsigned i = 0; i < 4; i++)
        hash = (hash ^ stir(0, x->lane[i])) * prime[0] + prime[3];
    return hash;
}

uint64_t xxh64_end(const struct xxh64 *x)
{
    uint64_t hash = x->length >= XXH64_STRIPE ? merged_lanes(x) : prime[4];
    const uint8_t *at = x->rest;
    size_t left = x->length % XXH64_STRIPE;
    hash += x->length;
    for (; left >= 8; at += 8, left -= 8)
        hash = rotate_word(hash ^ stir(0, load_u64(at)), 27) * prime[0] + prime[3];
    if (left >= 4) {
        hash = rotate_word(hash ^ load_u32(at) * prime[0], 23) * prime[1] + prime[2];
        at += 4;
        left -= 4;
    }
    for (; left; at++, left--)
        hash = rotate_word(hash ^ *at * prime[4], 11) * prime[0];
    hash = (hash ^ hash >> 33) * prime[1];
    hash = (hash ^ hash >> 29) * prime[2];
    return hash ^ hash >> 32;
}
