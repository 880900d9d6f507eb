/* bc.c - blocks of 4x4 texels: BC1, BC2, BC3 and BC7. */
#include "base/in.h"
#include "gpu/texture.h"

/* ---- bc7 --------------------------------------------------------------------------------- */

/* Blocks of BC7: 16 bytes in one of eight modes, each with its own fields. A block has up to three
 * subsets of texels, selected by the number of a partition; every subset has two colors, and every
 * texel an index that says where between the two of its subset it is. The index of one texel in
 * each subset, its anchor, has a bit less: its highest is 0. Fields follow each other from the
 * lowest bit on: mode, partition, rotation, selection, all reds, greens, blues and alphas of the
 * ends, bits that are added to these, indices, and second indices. */

enum { MODES = 8, PARTITIONS = 64, TEXELS = 16, SUBSETS = 3 };

/* How many bits each field has. */
static const struct mode {
    uint8_t subsets, partition, rotation, selection;
    uint8_t color, alpha; /* of an end; alpha 0: opaque */
    uint8_t own, shared;  /* a lowest bit for each end, or one for both of a subset */
    uint8_t index, second;
} modes[MODES] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

/* Which texels are in the second of two subsets: a bit each. */
static const uint16_t halves[PARTITIONS] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

/* Which of three subsets each texel is in: two bits each. */
static const uint32_t thirds[PARTITIONS] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

/* The anchors of all subsets: a bit each. */
static const uint16_t half_anchors[PARTITIONS] = {
    0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001,
    0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x0005, 0x0101, 0x0005, 0x0005, 0x0101,
    0x0101, 0x8001, 0x0005, 0x0101, 0x0005, 0x0005, 0x0101, 0x0101, 0x0005, 0x0005, 0x8001,
    0x8001, 0x0041, 0x0101, 0x0005, 0x0101, 0x8001, 0x8001, 0x0005, 0x0101, 0x0005, 0x0005,
    0x0005, 0x8001, 0x8001, 0x0041, 0x0041, 0x0005, 0x0041, 0x0101, 0x8001, 0x8001, 0x0005,
    0x0005, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x0005, 0x0005, 0x8001,
};

static const uint16_t third_anchors[PARTITIONS] = {
    0x8009, 0x0109, 0x8101, 0x8009, 0x8101, 0x8009, 0x8009, 0x8101, 0x8101, 0x8101, 0x8041,
    0x8041, 0x8041, 0x8021, 0x8009, 0x0109, 0x8009, 0x0109, 0x8101, 0x8009, 0x8009, 0x0109,
    0x8041, 0x0501, 0x0029, 0x8101, 0x0141, 0x0441, 0x8101, 0x8021, 0x8401, 0x8101, 0x8101,
    0x8009, 0x8009, 0x0421, 0x0441, 0x0501, 0x0301, 0x8401, 0x8041, 0x8009, 0x8101, 0x8021,
    0x8009, 0x8041, 0x8041, 0x8101, 0x8009, 0x8009, 0x8021, 0x8021, 0x8021, 0x8101, 0x8021,
    0x8401, 0x8021, 0x8401, 0x8101, 0xa001, 0x8009, 0x9001, 0x8009, 0x0109,
};

/* How far an index of 2, 3 or 4 bits is from the first end to the second, in 64ths. */
static const uint8_t weights[3][16] = {
    {0, 21, 43, 64},
    {0, 9, 18, 27, 37, 46, 55, 64},
    {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
};

struct bits {
    uint64_t low, high;
};

static uint32_t take(struct bits *b, uint32_t count)
{
    if (!count)
        return 0;
    uint32_t value = (uint32_t)(b->low & ((UINT64_C(1) << count) - 1));
    b->low = b->low >> count | b->high << (64 - count);
    b->high >>= count;
    return value;
}

struct block {
    const struct mode *mode;
    uint32_t partition, rotation;
    bool swapped;                /* colors go by the second indices, alpha by the first */
    uint8_t ends[SUBSETS][2][4]; /* R, G, B, A */
    uint8_t index[2][TEXELS];
};

/* From `bits` to 8: the highest bits are repeated below the lowest. */
static uint8_t bc7_widen(uint32_t value, uint32_t bits)
{
    return (uint8_t)(value << (8 - bits) | value >> (2 * bits - 8));
}

static void take_ends(struct bits *bits, struct block *b)
{
    const struct mode *m = b->mode;
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t s = 0; s < m->subsets; s++)
            for (uint32_t e = 0; e < 2; e++)
                b->ends[s][e][c] = (uint8_t)take(bits, c < 3 ? m->color : m->alpha);
    uint32_t added = m->own || m->shared;
    for (uint32_t s = 0; s < m->subsets; s++) {
        uint32_t low = take(bits, m->shared);
        for (uint32_t e = 0; e < 2; e++) {
            uint8_t *end = b->ends[s][e];
            low = m->own ? take(bits, 1) : low;
            for (uint32_t c = 0; c < 3; c++)
                end[c] = bc7_widen((uint32_t)end[c] << added | low, m->color + added);
            end[3] = m->alpha ? bc7_widen((uint32_t)end[3] << added | low, m->alpha + added) : 255;
        }
    }
}

static void take_indices(struct bits *bits, const struct block *b, uint32_t count, uint8_t *to)
{
    uint32_t anchors = b->mode->subsets == 1   ? 1
                       : b->mode->subsets == 2 ? half_anchors[b->partition]
                                               : third_anchors[b->partition];
    for (uint32_t i = 0; i < TEXELS; i++)
        to[i] = (uint8_t)take(bits, count - (anchors >> i & 1));
}

static uint32_t subset_of(const struct block *b, uint32_t texel)
{
    if (b->mode->subsets == 1)
        return 0;
    return b->mode->subsets == 2 ? halves[b->partition] >> texel & 1
                                 : thirds[b->partition] >> (2 * texel) & 3;
}

static uint32_t bc7_between(uint32_t a, uint32_t b, uint32_t weight)
{
    return (a * (64 - weight) + b * weight + 32) >> 6;
}

static uint32_t texel_of(const struct block *b, uint32_t texel)
{
    const struct mode *m = b->mode;
    const uint8_t(*ends)[4] = b->ends[subset_of(b, texel)];
    uint32_t first = weights[m->index - 2][b->index[0][texel]];
    uint32_t second = m->second ? weights[m->second - 2][b->index[1][texel]] : first;
    uint32_t color = b->swapped ? second : first, alpha = b->swapped ? first : second;
    uint32_t channels[4], rgba = 0;
    for (uint32_t c = 0; c < 4; c++)
        channels[c] = bc7_between(ends[0][c], ends[1][c], c < 3 ? color : alpha);
    if (b->rotation) { /* alpha and one of the colors change places */
        uint32_t kept = channels[3];
        channels[3] = channels[b->rotation - 1];
        channels[b->rotation - 1] = kept;
    }
    for (uint32_t c = 0; c < 4; c++)
        rgba |= channels[c] << (8 * c);
    return rgba;
}

/* One block, row by row. */
static void bc7_decode(const uint8_t *block, uint32_t texels[16])
{
    struct bits bits = {load_u64(block), load_u64(block + 8)};
    uint32_t number = 0;
    while (number < MODES && !take(&bits, 1))
        number++;
    if (number == MODES) { /* reserved: transparent black */
        memset(texels, 0, TEXELS * sizeof *texels);
        return;
    }
    struct block b = {.mode = &modes[number]};
    b.partition = take(&bits, b.mode->partition);
    b.rotation = take(&bits, b.mode->rotation);
    b.swapped = take(&bits, b.mode->selection);
    take_ends(&bits, &b);
    take_indices(&bits, &b, b.mode->index, b.index[0]);
    if (b.mode->second)
        take_indices(&bits, &b, b.mode->second, b.index[1]);
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[i] = texel_of(&b, i);
}

/* ---- bc ---------------------------------------------------------------------------------- */

/* Block compressed textures: 4x4 texels in 8 bytes (BC1) or 16 (BC2, BC3, BC7). */

static uint32_t from_565(uint32_t c)
{
    uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    r = r << 3 | r >> 2;
    g = g << 2 | g >> 4;
    b = b << 3 | b >> 2;
    return r | g << 8 | b << 16 | 0xff000000u;
}

/* (a * wa + b * wb) / (wa + wb) for each channel, rounded down; opaque. */
static uint32_t bc_between(uint32_t a, uint32_t b, uint32_t wa, uint32_t wb)
{
    uint32_t mixed = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8)
        mixed |= ((a >> shift & 255) * wa + (b >> shift & 255) * wb) / (wa + wb) << shift;
    return mixed;
}

/* The eight bytes that BC1 is, and that BC2 and BC3 end with; these always have four colours. */
static void decode_colors(const uint8_t *block, bool may_be_clear, uint32_t texels[16])
{
    uint32_t first = load_u16(block), second = load_u16(block + 2);
    uint32_t colors[4] = {from_565(first), from_565(second)};
    if (first > second || !may_be_clear) {
        colors[2] = bc_between(colors[0], colors[1], 2, 1);
        colors[3] = bc_between(colors[0], colors[1], 1, 2);
    } else {
        colors[2] = bc_between(colors[0], colors[1], 1, 1);
        colors[3] = 0;
    }
    uint32_t picks = load_u32(block + 4);
    for (int i = 0; i < 16; i++)
        texels[i] = colors[picks >> (2 * i) & 3];
}

static void decode_bc1(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block, true, texels);
}

/* Alpha of 4 bits a texel. */
static void decode_bc2(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block + 8, false, texels);
    uint64_t alpha = load_u64(block);
    for (int i = 0; i < 16; i++)
        texels[i] = (texels[i] & 0xffffff) | (uint32_t)(alpha >> (4 * i) & 15) * 17 << 24;
}

/* Alpha as 3 bits that pick among eight, two of which are given. */
static void decode_bc3(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block + 8, false, texels);
    uint64_t bits = load_u64(block);
    uint32_t alphas[8] = {bits & 255, bits >> 8 & 255};
    uint32_t steps = alphas[0] > alphas[1] ? 7 : 5;
    for (uint32_t i = 1; i < steps; i++)
        alphas[i + 1] = ((steps - i) * alphas[0] + i * alphas[1]) / steps;
    if (steps == 5) {
        alphas[6] = 0;
        alphas[7] = 255;
    }
    for (int i = 0; i < 16; i++)
        texels[i] = (texels[i] & 0xffffff) | alphas[bits >> (16 + 3 * i) & 7] << 24;
}

static void decode_none(const uint8_t *block, uint32_t texels[16])
{
    (void)block;
    memset(texels, 0, 16 * sizeof *texels);
}

void bc_decode(const struct pixel_format *f, const uint8_t *blocks, uint32_t pitch, uint32_t width,
               uint32_t height, uint32_t *to)
{
    static void (*const decoders[])(const uint8_t *, uint32_t[16]) = {
        [PIXEL_COLOR] = decode_none, [PIXEL_DEPTH] = decode_none, [PIXEL_BC1] = decode_bc1,
        [PIXEL_BC2] = decode_bc2,    [PIXEL_BC3] = decode_bc3,    [PIXEL_BC7] = bc7_decode,
    };
    for (uint32_t y = 0; y < height; y += 4)
        for (uint32_t x = 0; x < width; x += 4) {
            uint32_t texels[16];
            decoders[f->kind](blocks + (size_t)(y / 4) * pitch + (size_t)(x / 4) * f->bytes,
                              texels);
            for (uint32_t j = 0; j < 4 && y + j < height; j++)
                for (uint32_t i = 0; i < 4 && x + i < width; i++)
                    to[(size_t)(y + j) * width + x + i] = texels[4 * j + i];
        }
}
