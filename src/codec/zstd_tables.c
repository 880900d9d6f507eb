/* zstd_tables.c - the entropy tables of zstd (RFC 8878, 4): FSE for sequences and weights, Huffman
 * for literals. */
#include "codec/zstd_tables.h"

enum {
    FSE_LOG_MIN = 5,
    FSE_SYMBOLS = 256,
    WEIGHTS_LOG_MAX = 6,
    WEIGHTS_MAX = 255, /* the last weight is not stored */
    DIRECT_WEIGHTS = 128,
};

static const char bad_table[] = "an FSE table is corrupt";
static const char bad_tree[] = "a Huffman tree is corrupt";

/* ---- FSE ------------------------------------------------------------------ */

static void set_code(struct zstd_cell *cell, const struct zstd_alphabet *a, uint8_t code)
{
    cell->base = a->codes ? a->codes[code].base : code;
    cell->extra = a->codes ? a->codes[code].extra : 0;
}

void zstd_fse_build(struct zstd_fse *fse, const struct zstd_alphabet *a, const int16_t *odds,
                    unsigned count, unsigned log)
{
    uint16_t next[FSE_SYMBOLS];
    uint8_t code_of[1 << ZSTD_FSE_LOG_MAX];
    uint32_t size = 1u << log, high = size - 1, at = 0;
    uint32_t step = (size >> 1) + (size >> 3) + 3;
    for (unsigned s = 0; s < count; s++) {
        next[s] = odds[s] < 0 ? 1 : (uint16_t)odds[s];
        if (odds[s] < 0)
            code_of[high--] = (uint8_t)s;
    }
    for (unsigned s = 0; s < count; s++)
        for (int i = 0; i < odds[s]; i++) {
            code_of[at] = (uint8_t)s;
            do
                at = (at + step) & (size - 1);
            while (at > high);
        }
    fse->log = (uint8_t)log;
    for (uint32_t i = 0; i < size; i++) {
        struct zstd_cell *cell = &fse->cell[i];
        uint32_t state = next[code_of[i]]++;
        cell->bits = (uint8_t)(log - zstd_high_bit(state));
        cell->next = (uint16_t)((state << cell->bits) - size);
        set_code(cell, a, code_of[i]);
    }
}

void zstd_fse_single(struct zstd_fse *fse, const struct zstd_alphabet *a, uint8_t code)
{
    fse->log = 0;
    fse->cell[0] = (struct zstd_cell){0};
    set_code(&fse->cell[0], a, code);
}

/* Up to 16 bits from bit `at` on; those after the end are 0. */
static uint32_t forward_bits(struct ras_bytes in, size_t at, unsigned count)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 3 && at / 8 + i < in.len; i++)
        word |= (uint32_t)in.at[at / 8 + i] << 8 * i;
    return word >> (at & 7) & ((1u << count) - 1);
}

/* RFC 8878, 4.1.1: a value of 0 to `remaining`, in one bit less where that is enough. */
static int probability(struct ras_bytes in, size_t *at, uint32_t remaining)
{
    unsigned bits = zstd_high_bit(remaining) + 1;
    uint32_t half = 1u << (bits - 1), short_ones = 2 * half - 1 - remaining;
    uint32_t value = forward_bits(in, *at, bits);
    if ((value & (half - 1)) < short_ones) {
        *at += bits - 1;
        return (int)(value & (half - 1)) - 1;
    }
    *at += bits;
    return (int)(value >= half ? value - short_ones : value) - 1;
}

const char *zstd_fse_get(struct zstd_fse *fse, const struct zstd_alphabet *a, struct ras_bytes *in)
{
    int16_t odds[FSE_SYMBOLS] = {0};
    unsigned log = forward_bits(*in, 0, 4) + FSE_LOG_MIN, count = 0;
    size_t at = 4;
    if (log > a->log_max)
        return bad_table;
    uint32_t remaining = (1u << log) + 1;
    while (remaining > 1 && count < a->count && at <= in->len * 8) {
        int odd = probability(*in, &at, remaining);
        remaining -= (uint32_t)(odd < 0 ? 1 : odd);
        odds[count++] = (int16_t)odd;
        for (uint32_t zeros = odd ? 0 : 3; zeros == 3 && at <= in->len * 8;) {
            zeros = forward_bits(*in, at, 2);
            at += 2;
            count += zeros;
        }
    }
    size_t size = (at + 7) / 8;
    if (remaining != 1 || count > a->count || size > in->len)
        return bad_table;
    skip_bytes(in, size);
    zstd_fse_build(fse, a, odds, count, log);
    return NULL;
}

/* ---- Huffman ---------------------------------------------------------------- */

/* A weight, and the next state. False: there were too few bits for that one. */
static bool put_weight(const struct zstd_fse *fse, struct zstd_bits *bits, uint32_t *state,
                       uint8_t *weight)
{
    const struct zstd_cell *cell = &fse->cell[*state];
    *weight = (uint8_t)cell->base;
    *state = cell->next + (uint32_t)zstd_bits_get(bits, cell->bits);
    return !bits->over;
}

/* RFC 8878, 4.2.1.2: two states in turn, until there are too few bits for one. How many; 0: it is
 * corrupt. */
static unsigned packed_weights(struct ras_bytes in, uint8_t weights[WEIGHTS_MAX + 1])
{
    static const struct zstd_alphabet alphabet = {NULL, FSE_SYMBOLS, WEIGHTS_LOG_MAX};
    struct zstd_fse fse;
    struct zstd_bits bits;
    if (zstd_fse_get(&fse, &alphabet, &in) || !zstd_bits_open(&bits, in))
        return 0;
    uint32_t state[2];
    state[0] = (uint32_t)zstd_bits_get(&bits, fse.log);
    state[1] = (uint32_t)zstd_bits_get(&bits, fse.log);
    if (bits.over)
        return 0;
    for (unsigned count = 0; count + 1 < WEIGHTS_MAX;) {
        unsigned turn = count & 1;
        if (!put_weight(&fse, &bits, &state[turn], &weights[count++])) {
            weights[count++] = (uint8_t)fse.cell[state[!turn]].base;
            return count;
        }
    }
    return 0;
}

static unsigned direct_weights(struct ras_bytes in, unsigned count, uint8_t *weights)
{
    if (in.len < (count + 1) / 2)
        return 0;
    for (unsigned i = 0; i < count; i++)
        weights[i] = i & 1 ? in.at[i / 2] & 15 : in.at[i / 2] >> 4;
    return count;
}

/* Add the last weight, which makes their sum a power of two: its log; 0: it is corrupt. */
static unsigned complete_weights(uint8_t *weights, unsigned count)
{
    uint32_t total = 0, ones = 0;
    for (unsigned i = 0; i < count; i++) {
        if (weights[i] > ZSTD_HUFFMAN_LOG_MAX)
            return 0;
        total += weights[i] ? 1u << (weights[i] - 1) : 0;
        ones += weights[i] == 1;
    }
    unsigned log = total ? zstd_high_bit(total) + 1 : 0;
    if (!log || log > ZSTD_HUFFMAN_LOG_MAX)
        return 0;
    uint32_t rest = (1u << log) - total;
    if (rest & (rest - 1))
        return 0;
    weights[count] = (uint8_t)(zstd_high_bit(rest) + 1);
    ones += weights[count] == 1;
    return ones < 2 ? 0 : log; /* there are two of the longest codes */
}

static void fill_tree(struct zstd_huffman *h, const uint8_t *weights, unsigned count, unsigned log)
{
    uint32_t at = 0;
    h->log = (uint8_t)log;
    for (unsigned weight = 1; weight <= log; weight++)
        for (unsigned s = 0; s < count; s++) {
            if (weights[s] != weight)
                continue;
            struct zstd_symbol cell = {(uint8_t)s, (uint8_t)(log + 1 - weight)};
            for (uint32_t end = at + (1u << (weight - 1)); at < end; at++)
                h->cell[at] = cell;
        }
}

const char *zstd_huffman_get(struct zstd_huffman *h, struct ras_bytes *in)
{
    uint8_t weights[WEIGHTS_MAX + 1];
    if (!in->len)
        return bad_tree;
    unsigned head = *in->at, count;
    skip_bytes(in, 1);
    size_t size = head < DIRECT_WEIGHTS ? head : (head - DIRECT_WEIGHTS + 2) / 2;
    if (size > in->len)
        return bad_tree;
    if (head < DIRECT_WEIGHTS)
        count = packed_weights((struct ras_bytes){in->at, size}, weights);
    else
        count = direct_weights(*in, head - DIRECT_WEIGHTS + 1, weights);
    unsigned log = count ? complete_weights(weights, count) : 0;
    if (!log)
        return bad_tree;
    fill_tree(h, weights, count + 1, log);
    skip_bytes(in, size);
    return NULL;
}
