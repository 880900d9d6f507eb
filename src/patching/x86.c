/* x86.c - lengths of x86-64 instructions, from tables by opcode.
 *
 * A row of 16 letters for 16 opcodes says what follows the opcode:
 *   .  nothing             x  there is no such instruction in 64-bit mode
 *   m  ModRM               b  ModRM and 8 bits            z  ModRM and 32 bits (16 with prefix 66)
 *   1  8 bits              2  16 bits                     3  16 and 8 bits (enter)
 *   4  32 bits (16 with prefix 66)                        v  the same, 64 with REX.W (mov)
 *   a  an address (8 bytes, 4 with prefix 67)             p  prefix or escape: not looked up
 *   t  ModRM, then 8 bits where its reg is 0 or 1 (test)  T  the same with 32 bits
 *   r  ModRM that always names registers (mov of control registers) */
#include "patching/x86.h"

#include <string.h>

enum { LENGTH_MOST = 15 };

static const char one_byte[] = /* clang-format off */
    "mmmm14xxmmmm14xp" /* 00 */
    "mmmm14xxmmmm14xx"
    "mmmm14pxmmmm14px" /* 20 */
    "mmmm14pxmmmm14px"
    "pppppppppppppppp" /* 40: REX */
    "................"
    "xxxmpppp4z1b...." /* 60 */
    "1111111111111111"
    "bzxbmmmmmmmmmmmm" /* 80 */
    "..........x....."
    "aaaa....14......" /* a0 */
    "11111111vvvvvvvv"
    "bb2.ppbz3.2..1x." /* c0 */
    "mmmmxxx.mmmmmmmm"
    "1111111144x1...." /* e0 */
    "p.pp..tT......mm"; /* clang-format on */

static const char two_byte[] = /* clang-format off */
    "mmmmx.....x.xm.b" /* 00 */
    "mmmmmmmmmmmmmmmm"
    "rrrrxxxxmmmmmmmm" /* 20 */
    "......x.pxpxxxxx"
    "mmmmmmmmmmmmmmmm" /* 40 */
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm" /* 60 */
    "bbbbmmm.mmxxmmmm"
    "4444444444444444" /* 80 */
    "mmmmmmmmmmmmmmmm"
    "...mbmxx...mbmmm" /* a0 */
    "mmmmmmmmmmbmmmmm"
    "mmbmbbbm........" /* c0 */
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm" /* e0 */
    "mmmmmmmmmmmmmmmm"; /* clang-format on */

/* What was read so far. */
struct reading {
    const uint8_t *bytes;
    size_t size, at;
    bool rex, wide; /* directly before the opcode */
    bool operand16, address32, repeat;
    char kind;
};

static bool take(struct reading *r, uint8_t *out)
{
    if (r->at >= r->size || r->at >= LENGTH_MOST)
        return false;
    *out = r->bytes[r->at++];
    return true;
}

static uint64_t little(const uint8_t *bytes, size_t size)
{
    uint64_t v = 0;
    for (size_t i = size; i--;)
        v = v << 8 | bytes[i];
    return v;
}

static int64_t extended(uint64_t number, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;
    return (int64_t)(number << unused) >> unused;
}

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};
    return memchr(prefixes, byte, sizeof prefixes);
}

/* Prefixes in any order; a REX counts only directly before the opcode. */
static bool take_prefixes(struct reading *r, uint8_t *opcode)
{
    while (take(r, opcode)) {
        if ((*opcode & 0xf0) == 0x40) {
            r->wide = *opcode & 8;
            r->rex = true;
        } else if (is_prefix(*opcode)) {
            r->wide = r->rex = false;
            r->operand16 |= *opcode == 0x66;
            r->address32 |= *opcode == 0x67;
            r->repeat |= *opcode == 0xf2;
        } else
            return true;
    }
    return false;
}

/* What follows an opcode of a vector instruction; all but one have ModRM. */
static char vector_kind(uint8_t map, uint8_t opcode)
{
    if (map == 1)
        return opcode == 0x77 ? '.'
               : (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                       (opcode >= 0xc4 && opcode <= 0xc6)
                   ? 'b'
                   : 'm';
    return map == 3 || map == 8 ? 'b' : map == 10 ? 'z' : 'm';
}

/* The bytes of VEX (c5, c4), EVEX (62) or XOP (8f) up to the opcode. */
static bool take_vector(struct reading *r, struct x86_instruction *x, uint8_t first)
{
    uint8_t byte, more = first == 0xc5 ? 0 : first == 0x62 ? 2 : 1;
    if (r->rex || r->operand16 || r->repeat || !take(r, &byte))
        return false; /* an exception of the processor, not an instruction */
    x->map = first == 0xc5 ? 1 : first == 0x62 ? byte & 7 : byte & 31;
    while (more--)
        if (!take(r, &byte))
            return false;
    bool known = first == 0x8f   ? x->map >= 8 && x->map <= 10
                 : first == 0x62 ? (x->map >= 1 && x->map <= 3) || x->map == 5 || x->map == 6
                                 : x->map >= 1 && x->map <= 3;
    x->vector = true;
    if (!known || !take(r, &x->opcode))
        return false;
    r->kind = vector_kind(x->map, x->opcode);
    return true;
}

static bool is_vector(const struct reading *r, uint8_t opcode)
{
    if (opcode == 0x8f) /* pop, but with a map of at least 8 in place of ModRM */
        return r->at < r->size && (r->bytes[r->at] & 31) >= 8;
    return opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62;
}

static bool take_opcode(struct reading *r, struct x86_instruction *x)
{
    if (!take_prefixes(r, &x->opcode))
        return false;
    if (is_vector(r, x->opcode))
        return take_vector(r, x, x->opcode);
    r->kind = one_byte[x->opcode];
    if (x->opcode == 0x0f) {
        if (!take(r, &x->opcode))
            return false;
        x->map = x->opcode == 0x38 ? 2 : x->opcode == 0x3a ? 3 : 1;
        r->kind = x->map == 1 ? two_byte[x->opcode] : x->map == 2 ? 'm' : 'b';
        if (x->map > 1 && !take(r, &x->opcode))
            return false;
    }
    return r->kind != 'x' && r->kind != 'p';
}

/* ModRM, SIB and displacement. */
static bool take_operand(struct reading *r, struct x86_instruction *x)
{
    uint8_t sib = 0;
    if (!take(r, &x->modrm))
        return false;
    x->has_modrm = true;
    unsigned mod = x->modrm >> 6, rm = x->modrm & 7;
    if (mod == 3 || r->kind == 'r')
        return true;
    if (rm == 4 && !take(r, &sib))
        return false;
    size_t size = mod == 1 ? 1 : mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5) ? 4 : 0;
    if (mod == 0 && rm == 5) {
        x->rip_at = (uint8_t)r->at;
        if (r->size - r->at >= 4)
            x->rip_offset = extended(little(r->bytes + r->at, 4), 4);
    }
    r->at += size;
    return r->at <= r->size;
}

static size_t number_size(const struct reading *r, const struct x86_instruction *x)
{
    bool relative = !x->vector && ((x->map == 0 && (x->opcode == 0xe8 || x->opcode == 0xe9)) ||
                                   (x->map == 1 && (x->opcode & 0xf0) == 0x80));
    size_t full = r->operand16 && !r->wide && !relative && !x->vector ? 2 : 4;
    bool test = (x->modrm & 0x30) == 0;
    switch (r->kind) {
    case 'b': /* FALLTHROUGH */
    case '1':
        return 1;
    case '2':
        return 2;
    case '3':
        return 3;
    case '4': /* FALLTHROUGH */
    case 'z':
        return full;
    case 'v':
        return r->wide ? 8 : full;
    case 'a':
        return r->address32 ? 4 : 8;
    case 't':
        return test ? 1 : 0;
    case 'T':
        return test ? full : 0;
    default: /* extrq and insertq with two numbers */
        return x->map == 1 && x->opcode == 0x78 && !x->vector && (r->operand16 || r->repeat) ? 2
                                                                                             : 0;
    }
}

/* Opcodes of which only some values of ModRM.reg are instructions. */
static bool is_known_group(const struct x86_instruction *x)
{
    unsigned reg = x->modrm >> 3 & 7;
    if (x->map || x->vector || !x->has_modrm)
        return true;
    if (x->opcode == 0xc6 || x->opcode == 0xc7) /* xabort and xbegin beside mov */
        return reg == 0 || x->modrm == 0xf8;
    return x->opcode == 0xfe   ? reg <= 1
           : x->opcode == 0xff ? reg != 7
                               : x->opcode != 0x8f || reg == 0;
}

static enum x86_flow group5_flow(unsigned reg)
{
    return reg == 2 || reg == 3   ? X86_CALL_INDIRECT
           : reg == 4 || reg == 5 ? X86_JUMP_INDIRECT
                                  : X86_NEXT;
}

static enum x86_flow flow_of(const struct x86_instruction *x)
{
    static const struct {
        uint8_t map, first, last;
        enum x86_flow flow;
    } rows[] = {
        {0, 0x70, 0x7f, X86_JUMP_IF}, {1, 0x80, 0x8f, X86_JUMP_IF}, {0, 0xe0, 0xe3, X86_LOOP},
        {0, 0xe8, 0xe8, X86_CALL},    {0, 0xe9, 0xe9, X86_JUMP},    {0, 0xeb, 0xeb, X86_JUMP},
        {0, 0xc2, 0xc3, X86_RETURN},  {0, 0xca, 0xcb, X86_RETURN},  {0, 0xcf, 0xcf, X86_RETURN},
        {0, 0xcc, 0xcc, X86_STOP},    {0, 0xf4, 0xf4, X86_STOP},    {1, 0x0b, 0x0b, X86_STOP},
        {1, 0xb9, 0xb9, X86_STOP},    {1, 0xff, 0xff, X86_STOP},
    };
    if (x->vector)
        return X86_NEXT;
    if (x->map == 0 && x->opcode == 0xff)
        return group5_flow(x->modrm >> 3 & 7);
    if (x->map == 0 && x->opcode == 0xc7 && x->modrm == 0xf8)
        return X86_LOOP;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (x->map == rows[i].map && x->opcode >= rows[i].first && x->opcode <= rows[i].last)
            return rows[i].flow;
    return X86_NEXT;
}

bool x86_decode(const uint8_t *bytes, size_t size, struct x86_instruction *out)
{
    struct reading r = {.bytes = bytes, .size = size < LENGTH_MOST ? size : LENGTH_MOST};
    *out = (struct x86_instruction){0};
    if (!take_opcode(&r, out))
        return false;
    if (strchr("mbztTr", r.kind) && !take_operand(&r, out))
        return false;
    if (!is_known_group(out))
        return false;
    out->number_size = (uint8_t)number_size(&r, out);
    if (r.size - r.at < out->number_size)
        return false;
    if (out->number_size) {
        out->number_at = (uint8_t)r.at;
        out->number = little(bytes + r.at, out->number_size);
    }
    out->length = (uint8_t)(r.at + out->number_size);
    out->flow = flow_of(out);
    if (out->flow >= X86_JUMP && out->flow <= X86_CALL)
        out->target_offset = extended(out->number, out->number_size);
    return true;
}
