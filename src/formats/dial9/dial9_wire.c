/* dial9_wire.c - the bytes of dial9 frames and values: pure get, no memory. */
#include "formats/dial9/dial9_wire.h"
#include "codec/leb128.h"

_Static_assert(sizeof(struct ras_dial9_value) == 16, "one value is two words");

const char *dial9_fault_text(enum wire_fault fault)
{
    switch (fault) {
    case WIRE_VARINT:
        return "varint does not fit 64 bits in 10 bytes";
    case WIRE_TYPE:
        return "a container holds an unknown or optional type tag";
    case WIRE_TOO_DEEP:
        return "values are nested too deep";
    default:
        return "";
    }
}

size_t dial9_name_size(struct ras_bytes name)
{
    size_t size = name.len;
    for (size_t i = 0; i < name.len; i++)
        size += name.at[i] ? 0 : strlen(RAS_NAME_NUL) - 1;
    return size;
}

size_t dial9_name_text(char *text, struct ras_bytes name)
{
    char *p = text;
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i])
            *p++ = (char)name.at[i];
        else
            p = (char *)memcpy(p, RAS_NAME_NUL, strlen(RAS_NAME_NUL)) + strlen(RAS_NAME_NUL);
    }
    *p = 0;
    return (size_t)(p - text);
}

size_t dial9_name_bytes(uint8_t *to, const char *text)
{
    uint8_t *p = to;
    const char *nul;
    for (; (nul = strstr(text, RAS_NAME_NUL)); text = nul + strlen(RAS_NAME_NUL)) {
        memcpy(p, text, (size_t)(nul - text));
        p += nul - text;
        *p++ = 0;
    }
    memcpy(p, text, strlen(text));
    return (size_t)(p - to) + strlen(text);
}

struct label dial9_label_bytes(struct ras_bytes name)
{
    static const char dots[] = "...";
    struct label label;
    size_t most = sizeof label.text - sizeof dots, len = name.len;
    if (len > most)
        for (len = most; len && (name.at[len] & 0xc0) == 0x80; len--)
            ; /* not inside a character */
    for (size_t i = 0; i < len; i++) {
        uint8_t byte = name.at[i];
        label.text[i] = (char)(byte < 0x20 || byte == 0x7f ? '?' : byte);
    }
    memcpy(label.text + len, dots, sizeof dots);
    if (len == name.len)
        label.text[len] = 0;
    return label;
}

struct label dial9_label(const char *name)
{
    return dial9_label_bytes((struct ras_bytes){(const uint8_t *)name, strlen(name)});
}

bool dial9_header_get(struct in *in, uint8_t *version)
{
    const uint8_t *p = in_take(in, RAS_DIAL9_HEADER_SIZE);
    *version = p ? p[DIAL9_MAGIC_SIZE] : 0;
    return p && !memcmp(p, DIAL9_MAGIC, DIAL9_MAGIC_SIZE);
}

bool dial9_header_begins(const struct in *in)
{
    uint64_t left = in_left(in);
    if (left >= RAS_DIAL9_HEADER_SIZE)
        return false;
    return left && !memcmp(in->at, DIAL9_MAGIC, left < DIAL9_MAGIC_SIZE ? left : DIAL9_MAGIC_SIZE);
}

void dial9_field_get(struct in *in, struct wire_field *field)
{
    field->name = in_span(in, in_u16(in));
    field->type = in_u8(in);
}

void dial9_schema_get(struct in *in, struct wire_schema *schema)
{
    schema->type_id = in_u16(in);
    schema->name = in_span(in, in_u16(in));
    schema->has_timestamp = in_u8(in);
    schema->field_count = in_u16(in);
    const uint8_t *start = in->at;
    for (unsigned i = 0; i < schema->field_count && !in->cut; i++) {
        struct wire_field field;
        dial9_field_get(in, &field);
    }
    schema->fields = (struct ras_bytes){start, in->cut ? 0 : (size_t)(in->at - start)};
}

bool dial9_type_known(unsigned type, enum ras_dial9_dialect dialect)
{
    if (dialect == RAS_DIAL9_SEED)
        return type >= RAS_DIAL9_I64 && type <= RAS_DIAL9_U32 &&
               type != RAS_DIAL9_POOLED_STACK_FRAMES;
    type &= ~RAS_DIAL9_OPTIONAL;
    return type >= RAS_DIAL9_I64 && type <= RAS_DIAL9_DYNAMIC_MAP;
}

void dial9_string_get(struct in *in, struct wire_string *entry)
{
    entry->pool_id = in_u32(in);
    entry->text = in_span(in, in_u32(in));
}

void dial9_stack_get(struct in *in, struct wire_stack *entry)
{
    entry->pool_id = in_u32(in);
    entry->frames.count = in_u32(in);
    entry->frames.at = in_take(in, (uint64_t)DIAL9_ADDRESS_SIZE * entry->frames.count);
}

void dial9_annotation_get(struct in *in, struct ras_dial9_annotation *entry)
{
    entry->field_index = in_u16(in);
    entry->key = in_span(in, in_u16(in));
    entry->value = in_span(in, in_u32(in));
}

/* Step over the elements of a list or the keys and values of a map. */
static enum wire_fault skip_tagged(struct in *in, uint64_t count, unsigned depth)
{
    for (uint64_t i = 0; i < count && !in->cut; i++) {
        struct ras_dial9_value inner;
        uint8_t tag = in_u8(in);
        if (in->cut)
            break;
        /* Public decoders disagree on an optional tag here: refused. */
        if (tag & RAS_DIAL9_OPTIONAL || !dial9_type_known(tag, RAS_DIAL9_FULL))
            return WIRE_TYPE;
        if (depth == 0)
            return WIRE_TOO_DEEP;
        enum wire_fault fault = dial9_value_get(in, tag, depth - 1, &inner);
        if (fault)
            return fault;
    }
    return WIRE_FINE;
}

static enum wire_fault container_get(struct in *in, uint8_t type, unsigned depth,
                                     struct ras_dial9_value *value)
{
    uint32_t count = value->count = in_u32(in);
    value->at = in->at;
    switch (type) {
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_BYTES:
        in_take(in, count);
        return WIRE_FINE;
    case RAS_DIAL9_STACK_FRAMES:
        in_take(in, (uint64_t)DIAL9_ADDRESS_SIZE * count);
        return WIRE_FINE;
    case RAS_DIAL9_STRING_MAP:
        for (uint64_t i = 0; i < 2 * (uint64_t)count && !in->cut; i++)
            in_take(in, in_u32(in));
        return WIRE_FINE;
    case RAS_DIAL9_DYNAMIC_LIST:
        return skip_tagged(in, count, depth);
    default:
        return skip_tagged(in, 2 * (uint64_t)count, depth);
    }
}

enum wire_fault dial9_value_get(struct in *in, uint8_t type, unsigned depth,
                                struct ras_dial9_value *value)
{
    bool bad = false;
    *value = (struct ras_dial9_value){.type = type};
    if (type & RAS_DIAL9_OPTIONAL) {
        value->type = type &= (uint8_t)~RAS_DIAL9_OPTIONAL;
        if (in_u8(in) == 0) { /* anything but 0 is present */
            value->type = 0;
            return WIRE_FINE;
        }
    }
    switch (type) {
    case RAS_DIAL9_I64:
    case RAS_DIAL9_F64:
        value->u = in_u64(in);
        return WIRE_FINE;
    case RAS_DIAL9_BOOL:
        value->u = in_u8(in) != 0;
        return WIRE_FINE;
    case RAS_DIAL9_U8:
        value->u = in_u8(in);
        return WIRE_FINE;
    case RAS_DIAL9_U16:
        value->u = in_u16(in);
        return WIRE_FINE;
    case RAS_DIAL9_U32:
    case RAS_DIAL9_POOLED_STRING:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        value->u = in_u32(in);
        return WIRE_FINE;
    case RAS_DIAL9_VARINT:
        value->u = in_leb128(in, &bad);
        return bad ? WIRE_VARINT : WIRE_FINE;
    default:
        return container_get(in, type, depth, value);
    }
}

const char *ras_dial9_type_name(unsigned type)
{
    static const char *const names[][2] = {
        [RAS_DIAL9_I64] = {"I64", "Optional I64"},
        [RAS_DIAL9_F64] = {"F64", "Optional F64"},
        [RAS_DIAL9_BOOL] = {"Bool", "Optional Bool"},
        [RAS_DIAL9_STRING] = {"String", "Optional String"},
        [RAS_DIAL9_BYTES] = {"Bytes", "Optional Bytes"},
        [RAS_DIAL9_POOLED_STACK_FRAMES] = {"PooledStackFrames", "Optional PooledStackFrames"},
        [RAS_DIAL9_POOLED_STRING] = {"PooledString", "Optional PooledString"},
        [RAS_DIAL9_STACK_FRAMES] = {"StackFrames", "Optional StackFrames"},
        [RAS_DIAL9_VARINT] = {"Varint", "Optional Varint"},
        [RAS_DIAL9_STRING_MAP] = {"StringMap", "Optional StringMap"},
        [RAS_DIAL9_U8] = {"U8", "Optional U8"},
        [RAS_DIAL9_U16] = {"U16", "Optional U16"},
        [RAS_DIAL9_U32] = {"U32", "Optional U32"},
        [RAS_DIAL9_DYNAMIC_LIST] = {"DynamicList", "Optional DynamicList"},
        [RAS_DIAL9_DYNAMIC_MAP] = {"DynamicMap", "Optional DynamicMap"},
    };
    if (type > UINT8_MAX || !dial9_type_known(type, RAS_DIAL9_FULL))
        return NULL;
    return names[type & ~RAS_DIAL9_OPTIONAL][type >> 7];
}
