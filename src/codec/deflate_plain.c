/* deflate_plain.c - the deflate format (RFC 1951) decoded without a library, in pieces.
 *
 * A code is found by one load from a table of all that its longest one can be. Whatever is read as
 * one, a symbol with all its bits, is at most 48 bits; it is taken only when all of them are there.
 * Reasons are worded as zlib words them. */
#include "codec/deflate_plain.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODE_BITS_MAX = 15,
    WINDOW_SIZE = 32 << 10,
    LITERALS_MAX = 286,
    DISTANCES_MAX = 30,
    ALL_CODES = 320, /* literals and distances, and those that fixed codes have in addition */
    ORDER_COUNT = 19,
    END_OF_BLOCK = 256,
    SYMBOL_BITS = 48,
};

enum deflate_piece {
    BLOCK_START,
    STORED_SIZE,
    STORED_BYTES,
    CODE_COUNTS,
    CODE_LENGTHS,
    SYMBOLS,
    LAST
};

/* Cells are symbol << 4 | bits; 0: no code. */
struct code_table {
    unsigned bits;
    uint16_t cell[1 << CODE_BITS_MAX];
};

struct deflate {
    enum deflate_piece piece;
    bool last;
    const char *why;
    uint64_t bits;  /* taken, but not used */
    unsigned count; /* of them */
    unsigned literal_count, distance_count, lengths_known;
    uint32_t left;     /* of stored bytes, or of the match */
    uint32_t distance; /* of the match */
    uint8_t lengths[ALL_CODES];
    struct code_table codes, distances; /* codes: also those of code lengths */
    uint64_t total;                     /* bytes made */
    uint8_t window[WINDOW_SIZE];        /* the last ones, at total % WINDOW_SIZE */
};

struct deflate *deflate_new(void)
{
    return calloc(1, sizeof(struct deflate));
}

void deflate_free(struct deflate *d)
{
    free(d);
}

void deflate_reset(struct deflate *d)
{
    d->piece = BLOCK_START;
    d->last = false;
    d->why = "";
    d->bits = d->count = 0;
    d->left = 0;
    d->total = 0;
}

const char *deflate_why(const struct deflate *d)
{
    return d->why;
}

static enum deflate_state bad(struct deflate *d, const char *why)
{
    d->why = why;
    return DEFLATE_BAD;
}

/* ---- bits -------------------------------------------------------------------- */

/* Take bytes until there are `want` bits, at most 56. */
static bool fill_bits(struct deflate *d, struct ras_bytes *in, unsigned want)
{
    while (d->count < want && in->len) {
        d->bits |= (uint64_t)*in->at << d->count;
        d->count += 8;
        in->at++;
        in->len--;
    }
    return d->count >= want;
}

static uint32_t use_bits(struct deflate *d, unsigned count)
{
    uint32_t value = (uint32_t)(d->bits & (((uint64_t)1 << count) - 1));
    d->bits >>= count;
    d->count -= count;
    return value;
}

int deflate_byte(struct deflate *d, struct ras_bytes *in)
{
    (void)use_bits(d, d->count & 7);
    return fill_bits(d, in, 8) ? (int)use_bits(d, 8) : -1;
}

/* ---- codes ------------------------------------------------------------------- */

static uint32_t reversed(uint32_t code, unsigned bits)
{
    uint32_t turned = 0;
    for (; bits; bits--, code >>= 1)
        turned = turned << 1 | (code & 1);
    return turned;
}

/* RFC 1951, 3.2.2. False: too many codes, or too few, but for a single one of a bit where that is
 * allowed. */
static bool table_build(struct code_table *t, const uint8_t *lengths, unsigned count, bool lone)
{
    uint32_t of_length[CODE_BITS_MAX + 1] = {0}, next[CODE_BITS_MAX + 2] = {0};
    for (unsigned i = 0; i < count; i++)
        of_length[lengths[i]]++;
    of_length[0] = 0;
    t->bits = 1;
    int32_t free_codes = 1;
    for (unsigned bits = 1; bits <= CODE_BITS_MAX; bits++) {
        free_codes = free_codes * 2 - (int32_t)of_length[bits];
        if (free_codes < 0)
            return false;
        next[bits + 1] = (next[bits] + of_length[bits]) << 1;
        if (of_length[bits])
            t->bits = bits;
    }
    bool none = free_codes == 1 << CODE_BITS_MAX;
    if (free_codes && !none && !(lone && t->bits == 1))
        return false;
    if (free_codes)
        memset(t->cell, 0, sizeof *t->cell << t->bits);
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = lengths[i];
        if (!bits)
            continue;
        for (uint32_t at = reversed(next[bits]++, bits); at < 1u << t->bits; at += 1u << bits)
            t->cell[at] = (uint16_t)(i << 4 | bits);
    }
    return true;
}

/* The cell of the bits at hand; 0: not a code, or *more: too few bits to know. */
static unsigned cell_of(const struct code_table *t, uint64_t bits, unsigned count, bool *more)
{
    unsigned cell = t->cell[bits & ((1u << t->bits) - 1)];
    *more = count < (cell ? cell & 15 : t->bits);
    return *more ? 0 : cell;
}

static void fixed_codes(struct deflate *d)
{
    uint8_t *l = d->lengths;
    memset(l, 8, 144);
    memset(l + 144, 9, 112);
    memset(l + 256, 7, 24);
    memset(l + 280, 8, 8);
    (void)table_build(&d->codes, l, 288, false);
    memset(l, 5, 32);
    (void)table_build(&d->distances, l, 32, false);
    d->piece = SYMBOLS;
}

/* ---- heads of blocks ----------------------------------------------------------- */

static enum deflate_state block_start(struct deflate *d, struct ras_bytes *in)
{
    if (d->last) {
        d->piece = LAST;
        return DEFLATE_END;
    }
    if (!fill_bits(d, in, 3))
        return DEFLATE_MORE;
    d->last = use_bits(d, 1);
    unsigned kind = use_bits(d, 2);
    if (kind == 3)
        return bad(d, "invalid block type");
    if (kind == 1)
        fixed_codes(d);
    else
        d->piece = kind ? CODE_COUNTS : STORED_SIZE;
    return DEFLATE_FULL;
}

static enum deflate_state stored_size(struct deflate *d, struct ras_bytes *in)
{
    (void)use_bits(d, d->count & 7);
    if (!fill_bits(d, in, 32))
        return DEFLATE_MORE;
    uint32_t size = use_bits(d, 16), inverse = use_bits(d, 16);
    if (size != (inverse ^ 0xffff))
        return bad(d, "invalid stored block lengths");
    d->left = size;
    d->piece = STORED_BYTES;
    return DEFLATE_FULL;
}

/* RFC 1951, 3.2.7: the counts, and the lengths of the codes of lengths. */
static enum deflate_state code_counts(struct deflate *d, struct ras_bytes *in)
{
    static const uint8_t order[ORDER_COUNT] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                               11, 4,  12, 3, 13, 2, 14, 1, 15};
    if (!d->left) {
        if (!fill_bits(d, in, 14))
            return DEFLATE_MORE;
        d->literal_count = use_bits(d, 5) + 257;
        d->distance_count = use_bits(d, 5) + 1;
        d->left = use_bits(d, 4) + 4;
        d->lengths_known = 0;
        memset(d->lengths, 0, ORDER_COUNT);
        if (d->literal_count > LITERALS_MAX || d->distance_count > DISTANCES_MAX)
            return bad(d, "too many length or distance symbols");
    }
    for (; d->left; d->left--) {
        if (!fill_bits(d, in, 3))
            return DEFLATE_MORE;
        d->lengths[order[d->lengths_known++]] = (uint8_t)use_bits(d, 3);
    }
    if (!table_build(&d->codes, d->lengths, ORDER_COUNT, false))
        return bad(d, "invalid code lengths set");
    d->lengths_known = 0;
    d->piece = CODE_LENGTHS;
    return DEFLATE_FULL;
}

static enum deflate_state code_tables(struct deflate *d)
{
    if (!d->lengths[END_OF_BLOCK])
        return bad(d, "invalid code -- missing end-of-block");
    if (!table_build(&d->codes, d->lengths, d->literal_count, true))
        return bad(d, "invalid literal/lengths set");
    if (!table_build(&d->distances, d->lengths + d->literal_count, d->distance_count, true))
        return bad(d, "invalid distances set");
    d->piece = SYMBOLS;
    return DEFLATE_FULL;
}

static enum deflate_state code_lengths(struct deflate *d, struct ras_bytes *in)
{
    static const uint8_t extra[] = {2, 3, 7}, least[] = {3, 3, 11};
    unsigned all = d->literal_count + d->distance_count;
    while (d->lengths_known < all) {
        bool more;
        (void)fill_bits(d, in, 7 + 7);
        unsigned cell = cell_of(&d->codes, d->bits, d->count, &more);
        if (!cell) /* there is no code at all: as for zlib, a bit is a length of 0 then */
            cell = 1;
        unsigned code = cell >> 4, repeats = 1;
        uint8_t length = (uint8_t)code;
        if (more || (code > 15 && d->count < (cell & 15) + extra[code - 16]))
            return DEFLATE_MORE;
        (void)use_bits(d, cell & 15);
        if (code > 15) {
            repeats = least[code - 16] + use_bits(d, extra[code - 16]);
            length = 0;
            if (code == 16 && d->lengths_known)
                length = d->lengths[d->lengths_known - 1];
            if ((code == 16 && !d->lengths_known) || repeats > all - d->lengths_known)
                return bad(d, "invalid bit length repeat");
        }
        memset(d->lengths + d->lengths_known, length, repeats);
        d->lengths_known += repeats;
    }
    return code_tables(d);
}

/* ---- contents ------------------------------------------------------------------ */

/* What this step has made so far. */
struct made {
    uint8_t *out;
    size_t room, len;
};

static enum deflate_state stored_bytes(struct deflate *d, struct ras_bytes *in, struct made *m)
{
    while (d->left && m->len < m->room && d->count >= 8) {
        m->out[m->len++] = (uint8_t)use_bits(d, 8);
        d->left--;
    }
    size_t size = m->room - m->len < d->left ? m->room - m->len : d->left;
    size = in->len < size ? in->len : size;
    if (size) {
        memcpy(m->out + m->len, in->at, size);
        m->len += size;
        in->at += size;
        in->len -= size;
        d->left -= (uint32_t)size;
    }
    if (d->left)
        return m->len == m->room ? DEFLATE_FULL : DEFLATE_MORE;
    d->piece = BLOCK_START;
    return DEFLATE_FULL;
}

/* As much of the match as there is room for. */
static void copy_back(struct deflate *d, struct made *m)
{
    size_t size = m->room - m->len < d->left ? m->room - m->len : d->left;
    d->left -= (uint32_t)size;
    while (size && d->distance > m->len) { /* from before this step */
        size_t back = d->distance - m->len;
        m->out[m->len++] = d->window[(d->total - back) % WINDOW_SIZE];
        size--;
    }
    for (uint8_t *to = m->out + m->len, *end = to + size; to < end; to++)
        *to = to[-(ptrdiff_t)d->distance];
    m->len += size;
}

struct code_meaning {
    uint16_t base;
    uint8_t extra;
};

/* RFC 1951, 3.2.5. The symbol of the cell is a length: take it with all its bits, and its distance
 * with its. */
static enum deflate_state take_match(struct deflate *d, unsigned cell, const struct made *m)
{
    static const struct code_meaning length_of[29] = {
        {3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
        {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
        {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
        {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
    static const struct code_meaning distance_of[DISTANCES_MAX] = {
        {1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
        {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
        {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
        {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
        {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};
    unsigned symbol = (cell >> 4) - END_OF_BLOCK - 1, used = cell & 15;
    bool more;
    if (symbol >= sizeof length_of / sizeof *length_of)
        return bad(d, "invalid literal/length code");
    used += length_of[symbol].extra;
    if (d->count < used)
        return DEFLATE_MORE;
    unsigned far = cell_of(&d->distances, d->bits >> used, d->count - used, &more);
    if (more)
        return DEFLATE_MORE;
    if (!far || far >> 4 >= DISTANCES_MAX)
        return bad(d, "invalid distance code");
    if (d->count < used + (far & 15) + distance_of[far >> 4].extra)
        return DEFLATE_MORE;
    (void)use_bits(d, cell & 15);
    d->left = length_of[symbol].base + use_bits(d, length_of[symbol].extra);
    (void)use_bits(d, far & 15);
    d->distance = distance_of[far >> 4].base + use_bits(d, distance_of[far >> 4].extra);
    if (d->distance > d->total + m->len) {
        d->left = 0;
        return bad(d, "invalid distance too far back");
    }
    return DEFLATE_FULL;
}

static enum deflate_state symbols(struct deflate *d, struct ras_bytes *in, struct made *m)
{
    for (;;) {
        if (d->left)
            copy_back(d, m);
        if (d->left)
            return DEFLATE_FULL;
        bool more;
        (void)fill_bits(d, in, SYMBOL_BITS);
        unsigned cell = cell_of(&d->codes, d->bits, d->count, &more);
        if (more)
            return DEFLATE_MORE;
        if (!cell)
            return bad(d, "invalid literal/length code");
        if (cell >> 4 != END_OF_BLOCK && m->len == m->room)
            return DEFLATE_FULL;
        if (cell >> 4 > END_OF_BLOCK) {
            enum deflate_state state = take_match(d, cell, m);
            if (state != DEFLATE_FULL)
                return state;
            continue;
        }
        (void)use_bits(d, cell & 15);
        if (cell >> 4 == END_OF_BLOCK) {
            d->piece = BLOCK_START;
            return DEFLATE_FULL;
        }
        m->out[m->len++] = (uint8_t)(cell >> 4);
    }
}

/* ---- a step --------------------------------------------------------------------- */

/* The end of what was made, for the next step. */
static void keep_window(struct deflate *d, const struct made *m)
{
    size_t size = m->len < WINDOW_SIZE ? m->len : WINDOW_SIZE;
    d->total += m->len - size;
    for (const uint8_t *at = m->out + m->len - size; size;) {
        size_t to = d->total % WINDOW_SIZE, run = WINDOW_SIZE - to < size ? WINDOW_SIZE - to : size;
        memcpy(d->window + to, at, run);
        at += run;
        size -= run;
        d->total += run;
    }
}

/* One piece. FULL here means "done, go on", while there is room. */
static enum deflate_state next_piece(struct deflate *d, struct ras_bytes *in, struct made *m)
{
    switch (d->piece) {
    case BLOCK_START:
        return block_start(d, in);
    case STORED_SIZE:
        return stored_size(d, in);
    case STORED_BYTES:
        return stored_bytes(d, in, m);
    case CODE_COUNTS:
        return code_counts(d, in);
    case CODE_LENGTHS:
        return code_lengths(d, in);
    case SYMBOLS:
        return symbols(d, in, m);
    case LAST:
        break;
    }
    return DEFLATE_END;
}

enum deflate_state deflate_step(struct deflate *d, struct ras_bytes *in, uint8_t *out, size_t room,
                                size_t *made)
{
    struct made m = {out + *made, room - *made, 0};
    enum deflate_state state;
    enum deflate_piece piece;
    do {
        piece = d->piece;
        state = next_piece(d, in, &m);
        /* A full room ends a step only within contents: what follows them may be the end. */
    } while (state == DEFLATE_FULL && !(m.len == m.room && piece == d->piece));
    keep_window(d, &m);
    *made += m.len;
    return state;
}
