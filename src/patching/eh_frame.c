/* eh_frame.c - ranges of code from .eh_frame, and the state of the stack where each begins.
 *
 * Only the instructions up to the first change of place are executed: they say whether the range
 * begins like a function that was just called, with the return address on top of the stack and
 * no register saved. */
#include "patching/eh_frame.h"
#include "codec/leb128.h"

enum {
    REGISTER_SP = 7,
    REGISTER_RETURN = 16,
    POINTER_OMITTED = 0xff,
    POINTER_RELATIVE = 0x10,
    POINTER_INDIRECT = 0x80,
};

/* What a common entry says about its ranges. */
struct common_entry {
    uint8_t pointer; /* how addresses are encoded */
    bool has_data, is_signal;
    struct in program; /* instructions for every range */
};

struct frame_state {
    uint64_t cfa_register, cfa_offset;
    bool is_saved;      /* a register other than the return address is */
    bool has_no_caller; /* the return address is undefined */
    bool is_unknown;    /* an instruction is not known */
};

static uint64_t take_unsigned(struct in *in)
{
    bool bad = false;
    uint64_t value = in_leb128(in, &bad);
    in->cut |= bad;
    return value;
}

/* A number of any sign: only skipped here. */
static void skip_leb128(struct in *in)
{
    while (!in->cut && in_u8(in) & 0x80) {
    }
}

/* An address; `*known` becomes false for encodings that cannot be resolved here. */
static uint64_t take_pointer(struct in *in, uint8_t encoding, uint64_t place, bool *known)
{
    uint64_t value = 0;
    switch (encoding & 0x0f) {
    case 0x00: /* FALLTHROUGH */
    case 0x04: /* FALLTHROUGH */
    case 0x0c:
        value = in_u64(in);
        break;
    case 0x03:
        value = in_u32(in);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)in_u32(in);
        break;
    case 0x02:
        value = in_u16(in);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)in_u16(in);
        break;
    default:
        *known = false;
        in->cut = true;
        return 0;
    }
    unsigned base = encoding & 0x70;
    if (encoding & POINTER_INDIRECT || (base && base != POINTER_RELATIVE))
        *known = false;
    return base == POINTER_RELATIVE ? place + value : value;
}

/* The augmentation: letters, and the data that each of them has. */
static bool take_augmentation(struct in *in, const char *letters, struct common_entry *out)
{
    bool known = true;
    if (*letters != 'z')
        return !*letters;
    out->has_data = true;
    uint64_t size = take_unsigned(in);
    struct in data = in_bytes(in_span(in, size));
    for (letters++; *letters; letters++) {
        if (*letters == 'R')
            out->pointer = in_u8(&data);
        else if (*letters == 'L')
            (void)in_u8(&data);
        else if (*letters == 'S')
            out->is_signal = true;
        else if (*letters == 'P') {
            uint8_t encoding = in_u8(&data);
            if (encoding == 0x50) /* aligned: nothing has it */
                return false;
            (void)take_pointer(&data, encoding, 0, &known);
        } else if (*letters != 'B')
            return false;
    }
    return !data.cut;
}

static bool take_common(const struct eh_frame *e, uint64_t at, struct common_entry *out)
{
    *out = (struct common_entry){0};
    if (at >= e->bytes.len)
        return false;
    struct in in = in_bytes((struct ras_bytes){e->bytes.at + at, e->bytes.len - at});
    uint32_t size = in_u32(&in);
    if (size == UINT32_MAX || !size)
        return false;
    struct in entry = in_bytes(in_span(&in, size));
    uint32_t id = in_u32(&entry);
    uint8_t version = in_u8(&entry);
    if (in.cut || entry.cut || id || (version != 1 && version != 3))
        return false;
    const uint8_t *end = memchr(entry.at, 0, in_left(&entry));
    if (!end)
        return false;
    const char *letters = (const char *)in_take(&entry, (uint64_t)(end - entry.at) + 1);
    (void)take_unsigned(&entry); /* the code alignment is 1: places do not matter here */
    skip_leb128(&entry);
    uint64_t column = version == 1 ? in_u8(&entry) : take_unsigned(&entry);
    if (!take_augmentation(&entry, letters, out) || entry.cut || column != REGISTER_RETURN)
        return false;
    out->program = entry;
    return true;
}

/* ---- instructions -------------------------------------------------------------------------- */

static void note_saved(struct frame_state *s, uint64_t number)
{
    s->is_saved |= number != REGISTER_RETURN;
}

static void skip_block(struct in *in)
{
    (void)in_span(in, take_unsigned(in));
}

/* An instruction with an operation code of its own. False: a later place begins. */
static bool execute_extended(struct in *in, uint8_t code, struct frame_state *s)
{
    uint64_t number;
    switch (code) {
    case 0x00: /* nop */
        return true;
    case 0x01: /* set_loc, advance_loc1, 2, 4 */
    case 0x02: /* FALLTHROUGH */
    case 0x03: /* FALLTHROUGH */
    case 0x04:
        return false;
    case 0x07: /* undefined */
        number = take_unsigned(in);
        s->has_no_caller |= number == REGISTER_RETURN;
        return true;
    case 0x0c: /* def_cfa */
        s->cfa_register = take_unsigned(in);
        s->cfa_offset = take_unsigned(in);
        return true;
    case 0x0d: /* def_cfa_register */
        s->cfa_register = take_unsigned(in);
        return true;
    case 0x0e: /* def_cfa_offset */
        s->cfa_offset = take_unsigned(in);
        return true;
    case 0x0a: /* remember_state */
    case 0x0b: /* restore_state: nothing has changed since */
        return true;
    case 0x06: /* restore_extended */
    case 0x08: /* same_value */
        (void)take_unsigned(in);
        return true;
    case 0x05: /* offset_extended */
        note_saved(s, take_unsigned(in));
        (void)take_unsigned(in);
        return true;
    case 0x2e: /* args_size */
        (void)take_unsigned(in);
        return true;
    case 0x10: /* expression */
    case 0x16: /* val_expression: also of the return address */
        s->is_saved = true;
        (void)take_unsigned(in);
        skip_block(in);
        return true;
    default: /* def_cfa_expression and others: not the frame of a plain function */
        s->is_unknown = true;
        return false;
    }
}

static void execute(struct in in, struct frame_state *s)
{
    while (!in.cut && in_left(&in)) {
        uint8_t byte = in_u8(&in), high = byte & 0xc0;
        if (high == 0x40 && byte & 0x3f)
            return; /* advance_loc */
        if (high == 0x40)
            continue;
        if (high == 0x80) { /* offset */
            note_saved(s, byte & 0x3f);
            (void)take_unsigned(&in);
        } else if (!high && !execute_extended(&in, byte, s)) {
            return;
        }
    }
    s->is_unknown |= in.cut;
}

/* ---- ranges -------------------------------------------------------------------------------- */

static bool take_range(const struct common_entry *common, struct in entry, uint64_t place,
                       struct eh_frame_range *out)
{
    bool known = common->pointer != POINTER_OMITTED;
    *out = (struct eh_frame_range){0};
    out->from = take_pointer(&entry, common->pointer, place, &known);
    uint64_t size = take_pointer(&entry, common->pointer & 0x0f, 0, &known);
    if (common->has_data)
        skip_block(&entry);
    if (entry.cut || !known || !size || size > UINT64_MAX - out->from)
        return false;
    out->to = out->from + size;
    struct frame_state s = {.cfa_register = REGISTER_SP, .cfa_offset = 8};
    execute(common->program, &s);
    execute(entry, &s);
    out->has_no_caller = s.has_no_caller;
    out->is_part = s.cfa_register != REGISTER_SP || s.cfa_offset != 8 || s.is_saved ||
                   s.is_unknown || common->is_signal;
    return true;
}

struct eh_frame eh_frame_open(struct ras_bytes bytes, uint64_t address)
{
    return (struct eh_frame){.in = in_bytes(bytes), .bytes = bytes, .address = address};
}

bool eh_frame_next(struct eh_frame *e, struct eh_frame_range *out)
{
    while (!e->in.cut && in_left(&e->in) >= 4) {
        uint32_t size = in_u32(&e->in);
        uint64_t at = e->bytes.len - in_left(&e->in); /* of what follows */
        if (size == UINT32_MAX)
            return false; /* 64-bit sizes: no linker writes them */
        if (!size)
            continue; /* the end of one input file's */
        struct in entry = in_bytes(in_span(&e->in, size));
        uint32_t back = in_u32(&entry);
        struct common_entry common;
        if (!entry.cut && !e->in.cut && back && back <= at && take_common(e, at - back, &common) &&
            take_range(&common, entry, e->address + at + 4, out))
            return true;
    }
    return false;
}
