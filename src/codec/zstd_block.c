/* zstd_block.c - the compressed blocks of zstd frames (RFC 8878, 3.1.1.3): literals, sequences, and
 * both executed. */
#include "codec/zstd_block.h"

enum { RAW_LITERALS, RLE_LITERALS, HUFFMAN_LITERALS, TREELESS_LITERALS };
enum { PREDEFINED, SINGLE_CODE, DESCRIBED, REPEATED };
enum {
    LENGTH_CODES = 36,
    MATCH_CODES = 53,
    OFFSET_CODES = 32,
    JUMP_TABLE_SIZE = 6,
    LOOKAHEAD = 56, /* bits of a stream that one load has in any case */
    AT_ONCE = LOOKAHEAD / ZSTD_HUFFMAN_LOG_MAX,
    COPY = 16,
};

static const char bad_literals[] = "literals are corrupt";
static const char bad_sequences[] = "sequences are corrupt";

/* RFC 8878, 3.1.1.3.2.1.1 */
static const struct zstd_code length_codes[LENGTH_CODES] = {
    {0, 0},     {1, 0},      {2, 0},      {3, 0},     {4, 0},   {5, 0},     {6, 0},     {7, 0},
    {8, 0},     {9, 0},      {10, 0},     {11, 0},    {12, 0},  {13, 0},    {14, 0},    {15, 0},
    {16, 1},    {18, 1},     {20, 1},     {22, 1},    {24, 2},  {28, 2},    {32, 3},    {40, 3},
    {48, 4},    {64, 6},     {128, 7},    {256, 8},   {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
    {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}};
static const struct zstd_code match_codes[MATCH_CODES] = {
    {3, 0},     {4, 0},     {5, 0},      {6, 0},      {7, 0},     {8, 0},   {9, 0},     {10, 0},
    {11, 0},    {12, 0},    {13, 0},     {14, 0},     {15, 0},    {16, 0},  {17, 0},    {18, 0},
    {19, 0},    {20, 0},    {21, 0},     {22, 0},     {23, 0},    {24, 0},  {25, 0},    {26, 0},
    {27, 0},    {28, 0},    {29, 0},     {30, 0},     {31, 0},    {32, 0},  {33, 0},    {34, 0},
    {35, 1},    {37, 1},    {39, 1},     {41, 1},     {43, 2},    {47, 2},  {51, 3},    {59, 3},
    {67, 4},    {83, 4},    {99, 5},     {131, 7},    {259, 8},   {515, 9}, {1027, 10}, {2051, 11},
    {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};
#define OFFSET(n)                                                                                  \
    {                                                                                              \
        1u << (n), n                                                                               \
    }
#define OFFSETS(n) OFFSET(n), OFFSET((n) + 1), OFFSET((n) + 2), OFFSET((n) + 3)
static const struct zstd_code offset_codes[OFFSET_CODES] = {OFFSETS(0),  OFFSETS(4),  OFFSETS(8),
                                                            OFFSETS(12), OFFSETS(16), OFFSETS(20),
                                                            OFFSETS(24), OFFSETS(28)};

/* RFC 8878, 3.1.1.3.2.2 */
static const int16_t length_odds[LENGTH_CODES] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                                  2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                                  2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t match_odds[MATCH_CODES] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
enum { COMMON_OFFSETS = 29 };
static const int16_t offset_odds[COMMON_OFFSETS] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                                    1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

static const struct {
    struct zstd_alphabet alphabet;
    const int16_t *odds; /* of the predefined table */
    uint8_t count, log;
} kinds[ZSTD_TABLES] = {
    [ZSTD_LITERAL_LENGTHS] = {{length_codes, LENGTH_CODES, 9}, length_odds, LENGTH_CODES, 6},
    [ZSTD_OFFSETS] = {{offset_codes, OFFSET_CODES, 8}, offset_odds, COMMON_OFFSETS, 5},
    [ZSTD_MATCH_LENGTHS] = {{match_codes, MATCH_CODES, 9}, match_odds, MATCH_CODES, 6},
};

/* ---- literals --------------------------------------------------------------- */

/* One stream, which must give `count` symbols and end there. */
static bool huffman_stream(const struct zstd_huffman *h, struct ras_bytes in, uint8_t *out,
                           size_t count)
{
    struct zstd_bits bits;
    const unsigned log = h->log;
    if (!zstd_bits_open(&bits, in))
        return false;
    uint8_t *end = out + count;
    /* A load has the next LOOKAHEAD bits at the top, which is enough for AT_ONCE symbols. */
    while (bits.left >= 64 && end - out >= AT_ONCE) {
        size_t byte = (bits.left - LOOKAHEAD) / 8;
        uint64_t word = load_u64(bits.at + byte) << (64 - (bits.left - byte * 8));
        for (unsigned i = 0; i < AT_ONCE; i++) {
            struct zstd_symbol cell = h->cell[word >> (64 - log)];
            *out++ = cell.symbol;
            word <<= cell.bits;
            bits.left -= cell.bits;
        }
    }
    for (; out < end; out++) {
        size_t have = bits.left < log ? bits.left : log;
        size_t at = bits.left - have;
        uint32_t word = (uint32_t)(load_u64(bits.at + at / 8) >> (at & 7)) & ((1u << have) - 1);
        struct zstd_symbol cell = h->cell[word << (log - have)];
        if (cell.bits > bits.left)
            return false;
        bits.left -= cell.bits;
        *out = cell.symbol;
    }
    return !bits.left;
}

static bool four_streams(const struct zstd_huffman *h, struct ras_bytes in, uint8_t *out,
                         size_t count)
{
    if (in.len < JUMP_TABLE_SIZE)
        return false;
    const uint8_t *jumps = in.at;
    size_t each = (count + 3) / 4;
    skip_bytes(&in, JUMP_TABLE_SIZE);
    if (each * 3 > count)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        size_t size = i < 3 ? load_u16(jumps + (size_t)2 * i) : in.len;
        size_t symbols = i < 3 ? each : count - 3 * each;
        if (size > in.len || !huffman_stream(h, (struct ras_bytes){in.at, size}, out, symbols))
            return false;
        skip_bytes(&in, size);
        out += symbols;
    }
    return true;
}

struct literals_head {
    unsigned kind, head, streams;
    size_t made, stored;
};

/* RFC 8878, 3.1.1.3.1.1 */
static bool literals_head_get(struct ras_bytes in, struct literals_head *h)
{
    static const uint8_t plain_size[4] = {1, 2, 1, 3}, packed_size[4] = {3, 3, 4, 5};
    static const uint8_t plain_shift[4] = {3, 4, 3, 4}, packed_bits[4] = {10, 10, 14, 18};
    if (!in.len)
        return false;
    unsigned form = in.at[0] >> 2 & 3;
    bool plain = (in.at[0] & 3) <= RLE_LITERALS;
    *h = (struct literals_head){.kind = in.at[0] & 3, .streams = form ? 4 : 1};
    h->head = plain ? plain_size[form] : packed_size[form];
    if (in.len < h->head)
        return false;
    uint64_t bits = 0;
    for (unsigned i = 0; i < h->head; i++)
        bits |= (uint64_t)in.at[i] << 8 * i;
    if (plain) {
        h->made = (size_t)(bits >> plain_shift[form]);
        h->stored = h->kind == RLE_LITERALS ? 1 : h->made;
    } else {
        h->made = (size_t)(bits >> 4 & ((1u << packed_bits[form]) - 1));
        h->stored = (size_t)(bits >> (4 + packed_bits[form]));
    }
    return h->made <= ZSTD_BLOCK_MAX && h->stored <= in.len - h->head;
}

/* The literals of the block, with slack after them; *in is advanced. NULL, or why not. */
static const char *literals_get(struct zstd_blocks *b, struct ras_bytes *in,
                                struct ras_bytes *literals)
{
    struct literals_head head;
    if (!literals_head_get(*in, &head))
        return bad_literals;
    skip_bytes(in, head.head);
    struct ras_bytes stored = {in->at, head.stored};
    skip_bytes(in, head.stored);
    *literals = (struct ras_bytes){b->literals, head.made};
    if (head.kind == RAW_LITERALS) {
        *literals = stored;
        return NULL;
    }
    if (head.kind == RLE_LITERALS) {
        memset(b->literals, stored.at[0], head.made);
        return NULL;
    }
    const char *why = head.kind == HUFFMAN_LITERALS ? zstd_huffman_get(&b->huffman, &stored) : NULL;
    if (why)
        return why;
    b->has_huffman |= head.kind == HUFFMAN_LITERALS;
    if (!b->has_huffman || !head.made)
        return bad_literals;
    bool good = (head.streams == 4 ? four_streams : huffman_stream)(&b->huffman, stored,
                                                                    b->literals, head.made);
    return good ? NULL : bad_literals;
}

/* ---- sequences --------------------------------------------------------------- */

/* RFC 8878, 3.1.1.3.2.1: how many there are. False: it is cut. */
static bool sequence_count(struct ras_bytes *in, size_t *count)
{
    struct in at = in_bytes(*in);
    *count = in_u8(&at);
    if (*count == 255)
        *count = (size_t)in_u16(&at) + 0x7f00;
    else if (*count >= 128)
        *count = (*count - 128) << 8 | in_u8(&at);
    skip_bytes(in, (size_t)(at.at - in->at));
    return !at.cut;
}

static const char *table_get(struct zstd_blocks *b, unsigned kind, unsigned mode,
                             struct ras_bytes *in)
{
    const struct zstd_alphabet *alphabet = &kinds[kind].alphabet;
    if (mode == REPEATED)
        return b->table[kind] ? NULL : bad_sequences;
    b->table[kind] = mode == PREDEFINED ? &b->common[kind] : &b->own[kind];
    if (mode == DESCRIBED)
        return zstd_fse_get(&b->own[kind], alphabet, in);
    if (mode == PREDEFINED)
        return NULL;
    if (!in->len || *in->at >= alphabet->count)
        return bad_sequences;
    zstd_fse_single(&b->own[kind], alphabet, *in->at);
    skip_bytes(in, 1);
    return NULL;
}

static const char *tables_get(struct zstd_blocks *b, struct ras_bytes *in)
{
    if (!in->len || *in->at & 3) /* reserved bits */
        return bad_sequences;
    unsigned modes = *in->at;
    skip_bytes(in, 1);
    const char *why = NULL;
    for (unsigned kind = 0; kind < ZSTD_TABLES && !why; kind++)
        why = table_get(b, kind, modes >> (6 - 2 * kind) & 3, in);
    return why;
}

/* RFC 8878, 3.1.1.5: values up to 3 mean recent offsets. 0: corrupt. */
static inline uint32_t offset_of(uint32_t recent[3], uint64_t value, uint32_t length)
{
    if (value > 3) {
        recent[2] = recent[1];
        recent[1] = recent[0];
        return recent[0] = (uint32_t)(value - 3);
    }
    unsigned which = (unsigned)value - 1 + !length;
    if (!which)
        return recent[0];
    uint32_t offset = which < 3 ? recent[which] : recent[0] - 1;
    if (which > 1)
        recent[2] = recent[1];
    recent[1] = recent[0];
    return recent[0] = offset;
}

/* Copies of 16 bytes, which may write 15 too many. */
static inline void copy_fast(uint8_t *to, const uint8_t *from, size_t len)
{
    for (size_t i = 0; i < len; i += COPY)
        memcpy(to + i, from + i, COPY);
}

static inline void copy_match(uint8_t *to, size_t offset, size_t len, bool fast)
{
    const uint8_t *from = to - offset;
    if (fast && offset >= COPY) {
        copy_fast(to, from, len);
        return;
    }
    if (offset == 1) {
        memset(to, *from, len);
        return;
    }
    for (size_t i = 0; i < len; i++)
        to[i] = from[i];
}

struct sequence {
    uint32_t literals, match, offset;
};

/* Literals, then a match. False: they do not fit, or reach before the window. */
static inline bool execute(struct zstd_place *p, struct ras_bytes *literals,
                           const struct sequence *s)
{
    if (s->literals > literals->len || (size_t)s->literals + s->match > p->end - p->at)
        return false;
    size_t behind = p->at + s->literals;
    if (!s->offset || s->offset > behind || s->offset > p->window)
        return false;
    bool fast = p->room - p->at >= (size_t)s->literals + s->match + ZSTD_SLACK;
    if (fast)
        copy_fast(p->out + p->at, literals->at, s->literals);
    else
        memcpy(p->out + p->at, literals->at, s->literals);
    skip_bytes(literals, s->literals);
    copy_match(p->out + behind, s->offset, s->match, fast);
    p->at = behind + s->match;
    return true;
}

static inline void advance(uint32_t *state, const struct zstd_cell *cell, struct zstd_bits *bits)
{
    *state = cell->next + (uint32_t)zstd_bits_get(bits, cell->bits);
}

static const char *run_sequences(struct zstd_blocks *b, struct ras_bytes in, size_t count,
                                 struct ras_bytes *literals, struct zstd_place *place)
{
    const struct zstd_fse *const *tables = b->table;
    struct zstd_bits bits;
    uint32_t state[ZSTD_TABLES];
    if (!zstd_bits_open(&bits, in))
        return bad_sequences;
    for (unsigned kind = 0; kind < ZSTD_TABLES; kind++)
        state[kind] = (uint32_t)zstd_bits_get(&bits, tables[kind]->log);
    while (count--) {
        const struct zstd_cell *length = &tables[0]->cell[state[0]];
        const struct zstd_cell *offset = &tables[1]->cell[state[1]];
        const struct zstd_cell *match = &tables[2]->cell[state[2]];
        uint64_t value = offset->base + zstd_bits_get(&bits, offset->extra);
        struct sequence s = {.match = match->base + (uint32_t)zstd_bits_get(&bits, match->extra)};
        s.literals = length->base + (uint32_t)zstd_bits_get(&bits, length->extra);
        s.offset = offset_of(b->recent, value, s.literals);
        if (count) {
            advance(&state[0], length, &bits);
            advance(&state[2], match, &bits);
            advance(&state[1], offset, &bits);
        }
        if (bits.over || !execute(place, literals, &s))
            return bad_sequences;
    }
    return zstd_bits_done(&bits) ? NULL : bad_sequences;
}

/* ---- a block ------------------------------------------------------------------- */

const char *zstd_block_decode(struct zstd_blocks *b, struct ras_bytes body,
                              struct zstd_place *place)
{
    struct ras_bytes literals;
    size_t count;
    const char *why = literals_get(b, &body, &literals);
    if (why)
        return why;
    if (!sequence_count(&body, &count) || (!count && body.len))
        return bad_sequences;
    if (count) {
        why = tables_get(b, &body);
        if (!why)
            why = run_sequences(b, body, count, &literals, place);
        if (why)
            return why;
    }
    if (literals.len > place->end - place->at)
        return bad_literals;
    memcpy(place->out + place->at, literals.at, literals.len);
    place->at += literals.len;
    return NULL;
}

void zstd_blocks_init(struct zstd_blocks *b)
{
    for (unsigned kind = 0; kind < ZSTD_TABLES; kind++)
        zstd_fse_build(&b->common[kind], &kinds[kind].alphabet, kinds[kind].odds, kinds[kind].count,
                       kinds[kind].log);
}

void zstd_blocks_reset(struct zstd_blocks *b)
{
    static const uint32_t first_offsets[3] = {1, 4, 8};
    b->has_huffman = false;
    memset(b->table, 0, sizeof b->table);
    memcpy(b->recent, first_offsets, sizeof first_offsets);
}
