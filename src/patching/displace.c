/* displace.c - the first instructions of a function, moved to another place.
 *
 * Distances are written as if the code lay at address 0 of the file: one number added to each of
 * them makes them right where it is mapped. A call becomes a push of the true return address and
 * a jump, so that displaced code is never on the stack. */
#include "patching/displace.h"
#include "patching/x86.h"

#include <string.h>

enum { CALL_SIZE = 5, NEAR_SIZE = 5, NEAR_IF_SIZE = 6 };

struct moving {
    const struct code_map *map;
    struct displaced *out;
    uint32_t base; /* the offset of out->code */
};

static uint8_t *put_bytes(struct moving *m, const void *bytes, size_t size)
{
    uint8_t *at = m->out->code + m->out->code_size;
    memcpy(at, bytes, size);
    m->out->code_size += (uint32_t)size;
    return at;
}

static void put_u32(uint8_t *at, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy(at, &word, sizeof word);
}

static void add_fixup(struct moving *m, uint32_t at, enum patch_plan_kind kind)
{
    m->out->fixups[m->out->fixup_count++] = (struct patch_plan_fixup){at, kind};
}

/* A 32-bit distance to `target`, the last four of the bytes that were put, `more` bytes before
 * the end of its instruction. */
static void put_distance(struct moving *m, uint32_t at, uint32_t end, uint64_t target)
{
    put_u32(m->out->code + at, target - (m->base + end));
    add_fixup(m, at, PATCH_PLAN_RELATIVE);
}

/* jmp */
static void put_jump(struct moving *m, uint64_t target)
{
    static const uint8_t jump[NEAR_SIZE] = {0xe9};
    put_bytes(m, jump, sizeof jump);
    put_distance(m, m->out->code_size - 4, m->out->code_size, target);
}

/* The near form of a conditional jump, short or near. */
static void put_jump_if(struct moving *m, uint8_t condition, uint64_t target)
{
    const uint8_t jump[NEAR_IF_SIZE] = {0x0f, (uint8_t)(0x80 | condition)};
    put_bytes(m, jump, sizeof jump);
    put_distance(m, m->out->code_size - 4, m->out->code_size, target);
}

/* push $low; movl $high, 4(%rsp); jmp */
static void put_call(struct moving *m, uint64_t from, uint64_t target)
{
    uint8_t code[PATCH_PLAN_PUSH] = {0x68, 0, 0, 0, 0, 0xc7, 0x44, 0x24, 0x04};
    put_u32(code + PATCH_PLAN_LOW, from);
    put_u32(code + PATCH_PLAN_HIGH, from >> 32);
    add_fixup(m, m->out->code_size, PATCH_PLAN_RETURN);
    put_bytes(m, code, sizeof code);
    put_jump(m, target);
}

/* Only prefixes that change nothing for a direct jump: branch hints and bnd. */
static bool is_plain_jump(const uint8_t *bytes, const struct x86_instruction *x)
{
    size_t prefixes = (size_t)x->length - x->number_size - 1 - (x->map == 1);
    for (size_t i = 0; i < prefixes; i++)
        if (bytes[i] != 0x2e && bytes[i] != 0x3e && bytes[i] != 0xf2)
            return false;
    return x->number_size == 1 || x->number_size == 4;
}

static bool has_prefix(const uint8_t *bytes, uint8_t prefix)
{
    for (size_t i = 0; i < 4; i++) {
        if (bytes[i] == prefix)
            return true;
        if (bytes[i] != 0x66 && bytes[i] != 0xf2 && bytes[i] != 0xf3 && bytes[i] != 0x2e &&
            bytes[i] != 0x3e && bytes[i] != 0x64 && bytes[i] != 0x65)
            return false;
    }
    return true;
}

/* An instruction that goes on with the next one, or to what a register or memory holds. */
static bool move_plain(struct moving *m, const uint8_t *bytes, const struct x86_instruction *x,
                       uint64_t next)
{
    if (x->rip_at && has_prefix(bytes, 0x67))
        return false;
    uint32_t start = m->out->code_size;
    put_bytes(m, bytes, x->length);
    if (x->rip_at) {
        uint64_t target = next + (uint64_t)x->rip_offset;
        if (target < m->map->from || target > m->map->to)
            return false;
        put_distance(m, start + x->rip_at, m->out->code_size, target);
    }
    m->out->pushes |= !x->vector && x->map == 0 && (x->opcode & 0xf8) == 0x50;
    return true;
}

/* False: it cannot be moved. */
static bool move_instruction(struct moving *m, const uint8_t *bytes,
                             const struct x86_instruction *x, uint64_t next)
{
    uint64_t target = next + (uint64_t)x->target_offset;
    bool direct = x->flow == X86_JUMP || x->flow == X86_JUMP_IF || x->flow == X86_CALL;
    if (direct && (!is_plain_jump(bytes, x) || target < m->map->from || target >= m->map->to))
        return false;
    switch (x->flow) {
    case X86_JUMP:
        put_jump(m, target);
        return true;
    case X86_JUMP_IF:
        put_jump_if(m, x->opcode & 0x0f, target);
        return true;
    case X86_CALL:
        put_call(m, next, target);
        return true;
    case X86_NEXT:   /* FALLTHROUGH */
    case X86_RETURN: /* FALLTHROUGH */
    case X86_JUMP_INDIRECT:
        return move_plain(m, bytes, x, next);
    default: /* loop, jrcxz, xbegin, an indirect call, int3 */
        return false;
    }
}

static bool is_final(enum x86_flow flow)
{
    return flow == X86_JUMP || flow == X86_RETURN || flow == X86_JUMP_INDIRECT || flow == X86_CALL;
}

/* Whether only padding is in the first `size` of the bytes that are there. */
static bool is_unused(const uint8_t *bytes, uint64_t size, uint64_t there)
{
    struct x86_instruction x;
    for (uint64_t at = 0; at < size; at += x.length) {
        if (bytes[at] == 0xcc)
            x.length = 1;
        else if (!x86_decode(bytes + at, there - at, &x) || x.vector ||
                 !((x.map == 0 && x.opcode == 0x90) || (x.map == 1 && x.opcode == 0x1f)))
            return false;
    }
    return true;
}

static uint64_t after_landing(const uint8_t *bytes, uint64_t size)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    return size >= sizeof landing && !memcmp(bytes, landing, sizeof landing) ? sizeof landing : 0;
}

/* Move instructions until there is room for a jump; the last one's flow. */
static enum displace_result move_all(struct moving *m, const uint8_t *bytes, uint64_t own,
                                     uint64_t room, enum x86_flow *last)
{
    struct x86_instruction x;
    struct displaced *out = m->out;
    *last = X86_NEXT;
    while (out->size < PATCH_PLAN_JUMP && !is_final(*last)) {
        const uint8_t *at = bytes + out->size;
        if (out->size >= own || !x86_decode(at, own - out->size, &x))
            return DISPLACE_SHORT;
        if (!move_instruction(m, at, &x, out->jump + out->size + x.length))
            return DISPLACE_IMMOVABLE;
        out->size += x.length;
        *last = x.flow;
    }
    if (out->size >= PATCH_PLAN_JUMP)
        return DISPLACE_DONE;
    if (room < PATCH_PLAN_JUMP ||
        !is_unused(bytes + out->size, PATCH_PLAN_JUMP - out->size, room - out->size))
        return DISPLACE_SHORT;
    out->size = PATCH_PLAN_JUMP;
    return DISPLACE_DONE;
}

enum displace_result displace(const struct code_map *map, const struct code_function *f,
                              uint64_t end, uint32_t base, struct displaced *out)
{
    const struct code_section *s = code_section_of(map, f->from);
    struct moving m = {.map = map, .out = out, .base = base};
    *out = (struct displaced){0};
    end = s && end > s->to ? s->to : end;
    uint64_t to = f->to < end ? f->to : end;
    if (!s || to <= f->from)
        return DISPLACE_SHORT;
    const uint8_t *bytes = s->bytes + (f->from - s->from);
    uint64_t skipped = after_landing(bytes, to - f->from);
    out->jump = f->from + skipped;
    const uint8_t call[CALL_SIZE] = {0xe8};
    put_bytes(&m, call, sizeof call);
    put_u32(out->code + 1, UINT64_C(0) - (base + CALL_SIZE)); /* the stub at offset 0 */
    enum x86_flow last;
    enum displace_result result =
        move_all(&m, bytes + skipped, to - out->jump, end - out->jump, &last);
    if (result == DISPLACE_DONE && !is_final(last))
        put_jump(&m, out->jump + out->size);
    return result;
}
