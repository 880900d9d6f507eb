/* cdt_model.c - one typed decoder for every struct of every schema, driven by its table.
 *
 * It accepts what the reference decoder accepts: any int width, ints for floats, any key order, the
 * last of duplicate keys; never a float for an int, nil for a value, a missing required key. The
 * tables of container 2 refuse more: ints for floats, unknown and absent keys, some ranges.
 * Writers emit keys in the order of the tables, so the next key is guessed and compared as a whole:
 * usually no key is looked up. */
#include "formats/cdt/cdt_model.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/msgpack.h"
#include "codec/utf8.h"
#include "formats/cdt/cdt_pack.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cdt_problem_inside(struct cdt_problem *problem, const char *fmt, ...)
{
    char step[64], tail[sizeof problem->path];
    va_list args;
    va_start(args, fmt);
    vsnprintf(step, sizeof step, fmt, args);
    va_end(args);
    memcpy(tail, problem->path, sizeof tail);
    int room = (int)(sizeof tail - strlen(step) - 1);
    snprintf(problem->path, sizeof tail, "%s%.*s", step, room, tail);
}

struct decoder {
    const uint8_t *base, *end;
    struct arena *arena;
    struct cdt_problem *problem;
};

/* The layout of lists for the decoder, whatever they hold. */
struct list {
    const void *at;
    size_t count;
};

static const uint8_t *get_struct(struct decoder *d, const uint8_t *p, const struct cdt_struct *s,
                                 uint8_t *out);

/* ---- problems ----------------------------------------------------------- */

__attribute__((format(printf, 3, 4), cold)) static const uint8_t *decode_fail(struct decoder *d,
                                                                              const uint8_t *at,
                                                                              const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->problem->what, sizeof d->problem->what, fmt, args);
    va_end(args);
    d->problem->status = RAS_EFORMAT;
    d->problem->at = (uint64_t)((at < d->end ? at : d->end) - d->base);
    d->problem->path[0] = 0;
    return NULL;
}

__attribute__((cold)) static const uint8_t *ends(struct decoder *d)
{
    return decode_fail(d, d->end, "the payload ends inside a value");
}

__attribute__((cold)) static const uint8_t *nomem(struct decoder *d)
{
    decode_fail(d, d->end, "out of memory");
    d->problem->status = RAS_EMEMORY;
    return NULL;
}

/* The type of the value at p, in the words of the reference decoder. */
static const char *found(const struct decoder *d, const uint8_t *p)
{
    static const char *const names[] = {
        [MSGPACK_NONE] = "no msgpack", [MSGPACK_NIL] = "null",    [MSGPACK_BOOL] = "bool",
        [MSGPACK_UINT] = "int",        [MSGPACK_INT] = "int",     [MSGPACK_F32] = "float",
        [MSGPACK_F64] = "float",       [MSGPACK_STR] = "str",     [MSGPACK_BIN] = "bytes",
        [MSGPACK_EXT] = "ext",         [MSGPACK_ARRAY] = "array", [MSGPACK_MAP] = "object",
    };
    struct msgpack in = msgpack_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    return names[msgpack_peek(&in)];
}

__attribute__((cold)) static const uint8_t *expected(struct decoder *d, const uint8_t *p,
                                                     const char *type)
{
    if (p >= d->end)
        return ends(d);
    return decode_fail(d, p, "expected %s, got %s", type, found(d, p));
}

/* Returns NULL after adding one more step to the path. */
#define inside(d, ...) (cdt_problem_inside((d)->problem, __VA_ARGS__), (const uint8_t *)NULL)

/* ---- scalars ------------------------------------------------------------ */

/* Text is nearly always short ASCII: eight bytes are checked at once. */
static inline bool text_ok(const uint8_t *p, uint32_t length)
{
    uint64_t high = 0;
    for (uint32_t i = 0; i + 8 <= length; i += 8)
        high |= load_u64(p + i);
    if (length & 7)
        high |= load_u64(p + (length & ~7u)) << (64 - 8 * (length & 7));
    return !(high & 0x8080808080808080u) || utf8_check(p, length, NULL);
}

static inline const uint8_t *get_text(struct decoder *d, const uint8_t *p, struct ras_bytes *out)
{
    uint32_t length;
    const uint8_t *text = pack_str(p, &length);
    if (!text)
        return expected(d, p, "str");
    if (text > d->end || length > (size_t)(d->end - text))
        return ends(d);
    if (!text_ok(text, length))
        return decode_fail(d, text, "invalid UTF-8 in a str of %" PRIu32 " bytes", length);
    *out = (struct ras_bytes){text, length};
    return text + length;
}

static const uint8_t *get_bin(struct decoder *d, const uint8_t *p, struct ras_bytes *out)
{
    uint32_t length;
    const uint8_t *bytes = pack_bin(p, &length);
    if (!bytes)
        return expected(d, p, "bytes");
    if (bytes > d->end || length > (size_t)(d->end - bytes))
        return ends(d);
    *out = (struct ras_bytes){bytes, length};
    return bytes + length;
}

static const uint8_t *get_int(struct decoder *d, const uint8_t *p, struct ras_cdt_int *out)
{
    uint64_t value;
    const uint8_t *next = pack_int(p, &value, &out->wide);
    if (!next)
        return expected(d, p, "int");
    out->value = (int64_t)value;
    return next;
}

/* ---- containers --------------------------------------------------------- */

/* The head of an array of structs, or of elements without a struct that take at least a byte each;
 * allocates room for them. */
static const uint8_t *get_array(struct decoder *d, const uint8_t *p, const struct cdt_struct *of,
                                size_t size, struct list *out)
{
    uint32_t count;
    const uint8_t *body = p < d->end ? pack_array(p, &count) : NULL;
    if (!body)
        return expected(d, p, "array");
    if (body > d->end)
        return ends(d);
    uint64_t left = (uint64_t)(d->end - body);
    /* Elements of a small array may be checked, for a more precise message. */
    if (count > left ||
        (count * (uint64_t)size > 65536 && of && count > left / cdt_struct_least(of)))
        return decode_fail(d, p, "array of %" PRIu32 " in the %" PRIu64 " bytes left", count, left);
    *out = (struct list){NULL, count};
    if (count && !(out->at = arena_take(d->arena, (uint64_t)count * size)))
        return nomem(d);
    return body;
}

static const uint8_t *get_list(struct decoder *d, const uint8_t *p, const struct cdt_struct *of,
                               struct list *out)
{
    p = get_array(d, p, of, of->size, out);
    if (!p)
        return NULL;
    uint8_t *item = (uint8_t *)(uintptr_t)out->at;
    for (size_t i = 0; i < out->count; i++, item += of->size) {
        p = get_struct(d, p, of, item);
        if (!p)
            return inside(d, "[%zu]", i);
    }
    return p;
}

static const uint8_t *get_strs(struct decoder *d, const uint8_t *p, struct list *out)
{
    p = get_array(d, p, NULL, sizeof(struct ras_bytes), out);
    if (!p)
        return NULL;
    struct ras_bytes *item = (struct ras_bytes *)(uintptr_t)out->at;
    for (size_t i = 0; i < out->count; i++) {
        p = p < d->end ? get_text(d, p, &item[i]) : ends(d);
        if (!p)
            return inside(d, "[%zu]", i);
    }
    return p;
}

static const uint8_t *get_ints(struct decoder *d, const uint8_t *p, struct list *out)
{
    p = get_array(d, p, NULL, sizeof(struct ras_cdt_int), out);
    if (!p)
        return NULL;
    struct ras_cdt_int *item = (struct ras_cdt_int *)(uintptr_t)out->at;
    for (size_t i = 0; i < out->count; i++) {
        p = p < d->end ? get_int(d, p, &item[i]) : ends(d);
        if (!p)
            return inside(d, "[%zu]", i);
    }
    return p;
}

/* Arrays of arrays, `depth` of them above the arrays of ints. */
static const uint8_t *get_counts(struct decoder *d, const uint8_t *p, unsigned depth,
                                 struct list *out)
{
    if (!depth)
        return get_ints(d, p, out);
    p = get_array(d, p, NULL, sizeof(struct list), out);
    if (!p)
        return NULL;
    struct list *item = (struct list *)(uintptr_t)out->at;
    for (size_t i = 0; i < out->count; i++) {
        p = get_counts(d, p, depth - 1, &item[i]);
        if (!p)
            return inside(d, "[%zu]", i);
    }
    return p;
}

static const uint8_t *get_timers(struct decoder *d, const uint8_t *p, struct list *out)
{
    uint32_t count;
    const uint8_t *body = p < d->end ? pack_map(p, &count) : NULL;
    if (!body)
        return expected(d, p, "object");
    if (body > d->end || count > (uint64_t)(d->end - body) / 2)
        return ends(d);
    struct ras_cdt_timer *item = NULL;
    if (count && !(item = arena_take(d->arena, count * sizeof *item)))
        return nomem(d);
    *out = (struct list){item, count};
    p = body;
    for (uint32_t i = 0; i < count; i++) {
        p = p < d->end ? get_text(d, p, &item[i].key) : ends(d);
        if (!p)
            return inside(d, ".<key>");
        p = p < d->end ? get_int(d, p, &item[i].value) : ends(d);
        if (!p)
            return inside(d, "[\"%.*s\"]", (int)item[i].key.len & 31, (const char *)item[i].key.at);
    }
    return p;
}

static const uint8_t *get_fixed(struct decoder *d, const uint8_t *p, const struct cdt_field *f,
                                struct ras_cdt_int *out)
{
    uint32_t count;
    const uint8_t *body = p < d->end ? pack_array(p, &count) : NULL;
    if (!body)
        return expected(d, p, "array");
    if (count != f->fixed)
        return decode_fail(d, p, "expected array of length %u, got %" PRIu32, f->fixed, count);
    p = body;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = p;
        p = p < d->end ? get_int(d, p, &out[i]) : ends(d);
        if (p && f->type == CDT_FIXED_POS && out[i].value < 0 && !out[i].wide)
            p = decode_fail(d, at, "expected int >= 0, got %" PRId64, out[i].value);
        if (!p)
            return inside(d, "[%" PRIu32 "]", i);
    }
    return p;
}

/* ---- container 2 --------------------------------------------------------- */

static const uint8_t *get_real(struct decoder *d, const uint8_t *p, double *out)
{
    const uint8_t *next = *p == PACK_F64 || *p == PACK_F32 ? pack_float(p, out) : NULL;
    return next ? next : expected(d, p, "float");
}

static const uint8_t *get_range(struct decoder *d, const uint8_t *p, const struct cdt_field *f,
                                int64_t *out)
{
    bool wide;
    uint64_t value;
    const uint8_t *next = pack_int(p, &value, &wide);
    if (!next)
        return expected(d, p, "int");
    *out = (int64_t)value;
    if (wide || *out < f->number || *out > (int64_t)f->most)
        return decode_fail(d, p, "%" PRId64 " is not within %" PRId64 " and %" PRIu32, *out,
                           f->number, f->most);
    return next;
}

/* One character of any length in UTF-8. */
static const uint8_t *get_char(struct decoder *d, const uint8_t *p, struct ras_bytes *out)
{
    const uint8_t *next = get_text(d, p, out);
    size_t characters = 0;
    for (size_t i = 0; next && i < out->len; i++)
        characters += (out->at[i] & 0xc0) != 0x80;
    return !next || characters == 1 ? next : decode_fail(d, p, "expected a str of one character");
}

const struct cdt_struct *cdt_variant(const struct cdt_struct *of, const void *at)
{
    const struct ras_bytes *type = &((const struct ras_cdt_replay_operation *)at)->type;
    for (const struct cdt_struct *const *v = of->variants; *v; v++)
        if (cdt_text_is(*type, (*v)->tag))
            return *v;
    return of;
}

/* The tag of the map at p: it may be any of its keys. */
static bool find_tag(const struct decoder *d, const uint8_t *p, struct ras_bytes *tag)
{
    struct msgpack in = msgpack_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    uint64_t count;
    bool found = false;
    if (!msgpack_map(&in, &count))
        return false;
    while (count--) {
        bool here = msgpack_key_is(&in, "type", 4);
        uint32_t length;
        const uint8_t *text = here && in.at < d->end ? pack_str(in.at, &length) : NULL;
        if ((!here && !msgpack_skip(&in)) || !msgpack_skip(&in))
            return false;
        if (here && text)
            *tag = (struct ras_bytes){text, length};
        found |= here && text;
    }
    return found;
}

static const uint8_t *get_variant(struct decoder *d, const uint8_t *p, const struct cdt_struct *of,
                                  struct ras_cdt_replay_operation *out)
{
    *out = (struct ras_cdt_replay_operation){0};
    if (!find_tag(d, p, &out->type))
        return decode_fail(d, p, "not a map with a type");
    const struct cdt_struct *s = cdt_variant(of, out);
    if (s == of)
        return decode_fail(d, p, "unknown type '%.*s'",
                           (int)(out->type.len < 64 ? out->type.len : 64),
                           (const char *)out->type.at);
    return get_struct(d, p, s, (uint8_t *)out);
}

static const uint8_t *get_union(struct decoder *d, const uint8_t *p, const struct cdt_struct *of,
                                struct list *out)
{
    p = get_array(d, p, NULL, of->size, out);
    if (!p)
        return NULL;
    uint8_t *item = (uint8_t *)(uintptr_t)out->at;
    for (size_t i = 0; i < out->count; i++, item += of->size) {
        p = p < d->end ? get_variant(d, p, of, (struct ras_cdt_replay_operation *)(void *)item)
                       : ends(d);
        if (!p)
            return inside(d, "[%zu]", i);
    }
    return p;
}

static bool all_narrow(const struct list *list, unsigned depth)
{
    const struct ras_cdt_int *item = list->at;
    const struct list *lists = list->at;
    for (size_t i = 0; i < list->count; i++)
        if (depth ? !all_narrow(&lists[i], depth - 1)
                  : item[i].wide || item[i].value < INT32_MIN || item[i].value > INT32_MAX)
            return false;
    return true;
}

/* Whether a list has the length, and its ints the size, that container 2 demands. */
static bool is_narrow(const struct cdt_field *f, const struct list *list)
{
    const struct ras_cdt_timer *timers = list->at;
    if (f->type == CDT_LIST)
        return list->count >= f->fixed;
    if (f->type != CDT_TIMERS)
        return (!f->fixed || list->count == f->fixed) &&
               all_narrow(list, f->type == CDT_COUNTS ? 2 : 0);
    for (size_t i = 0; i < list->count; i++)
        if (timers[i].value.wide || timers[i].value.value < INT32_MIN ||
            timers[i].value.value > INT32_MAX)
            return false;
    return true;
}

/* Skips the value of an ignored key, of any type and depth. */
static const uint8_t *skip_value(struct decoder *d, const uint8_t *p)
{
    if (p > d->end)
        return ends(d);
    struct msgpack in = msgpack_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    d->problem->ignored++;
    return msgpack_skip(&in) ? in.at : decode_fail(d, p + in.fault_at, "%s", in.why);
}

/* A member that a projection leaves out, or of which only the length is wanted. */
static const uint8_t *get_left_out(struct decoder *d, const uint8_t *p, const struct cdt_field *f,
                                   uint8_t *out)
{
    uint32_t count;
    memset(out, 0, f->size);
    if (f->type == CDT_COUNTED) {
        if (!pack_array(p, &count))
            return expected(d, p, "array");
        ((struct list *)out)->count = count;
    }
    return skip_value(d, p);
}

static const uint8_t *get_lists(struct decoder *d, const uint8_t *p, const struct cdt_field *f,
                                uint8_t *out)
{
    struct list *list = (struct list *)out;
    switch (f->type) {
    case CDT_LIST:
        return get_list(d, p, f->of, list);
    case CDT_STRS:
        return get_strs(d, p, list);
    case CDT_INTS:
        return get_ints(d, p, list);
    case CDT_COUNTS:
        return get_counts(d, p, 2, list);
    case CDT_UNION:
        return get_union(d, p, f->of, list);
    default:
        return get_timers(d, p, list);
    }
}

/* Members that are rare or of variable length. */
static const uint8_t *get_other(struct decoder *d, const uint8_t *p, const struct cdt_field *f,
                                uint8_t *out)
{
    if (p >= d->end)
        return ends(d);
    const uint8_t *next;
    switch (f->type) {
    case CDT_BIN:
        return get_bin(d, p, (struct ras_bytes *)out);
    case CDT_LIST:
    case CDT_STRS:
    case CDT_INTS:
    case CDT_COUNTS:
    case CDT_TIMERS:
    case CDT_UNION:
        next = get_lists(d, p, f, out);
        if (next && f->narrow && !is_narrow(f, (const struct list *)out))
            return decode_fail(d, p, "a length or a number out of range");
        return next;
    case CDT_RANGE:
        return get_range(d, p, f, (int64_t *)out);
    case CDT_CHAR:
        return get_char(d, p, (struct ras_bytes *)out);
    case CDT_SKIPPED:
    case CDT_COUNTED:
        return get_left_out(d, p, f, out);
    default:
        return get_fixed(d, p, f, (struct ras_cdt_int *)out);
    }
}

/* ---- structs ------------------------------------------------------------ */

static uint64_t least_of(const struct cdt_field *f)
{
    uint64_t key = 1u + (f->head & 31u);
    if (!cdt_is_required(f->need))
        return 0;
    return key + (f->type == CDT_STRUCT && f->need == CDT_REQUIRED ? cdt_struct_least(f->of) : 1);
}

uint64_t cdt_struct_least(const struct cdt_struct *s)
{
    uint64_t least = 1;
    for (unsigned i = 0; i < s->count; i++)
        least += least_of(&s->fields[i]);
    return least;
}

static void fill_struct(const struct cdt_struct *s, uint8_t *out, uint32_t missing);

void cdt_member_default(const struct cdt_field *f, uint8_t *out)
{
    static const uint8_t zeros[16] = {0};
    if (f->type == CDT_STRUCT && f->need == CDT_DEFAULT) {
        fill_struct(f->of, out, UINT32_MAX);
        return;
    }
    memset(out, 0, f->size);
    if (f->need != CDT_DEFAULT)
        return;
    if (f->type == CDT_INT)
        memcpy(out, &f->number, sizeof f->number);
    if (f->type == CDT_STR && f->text)
        *(struct ras_bytes *)out = (struct ras_bytes){(const uint8_t *)f->text, strlen(f->text)};
    if (f->type == CDT_BIN)
        *(struct ras_bytes *)out = (struct ras_bytes){zeros, f->fixed};
}

/* Sets missing members (bits) to their defaults. */
static void fill_struct(const struct cdt_struct *s, uint8_t *out, uint32_t missing)
{
    if (missing == UINT32_MAX && !s->plain)
        memset(out, 0, sizeof(struct ras_cdt_node));
    for (unsigned i = 0; i < s->count; i++)
        if (missing >> i & 1)
            cdt_member_default(&s->fields[i], out + s->fields[i].offset);
}

static bool has_required(struct decoder *d, const uint8_t *p, const struct cdt_struct *s,
                         uint32_t missing)
{
    for (unsigned i = 0; i < s->count; i++)
        if (missing >> i & 1 && cdt_is_required(s->fields[i].need))
            return decode_fail(d, p, "missing required key '%s'", s->fields[i].name) != NULL;
    return true;
}

/* Whether the key at p is this one, as a fixstr. Reads at most 32 bytes. */
static inline bool key_is(const uint8_t *p, const struct cdt_field *f)
{
    const uint8_t *key = (const uint8_t *)f;
    unsigned size = 1 + (f->head & 31);
    uint64_t differ = load_u64(p) ^ load_u64(key);
    if (size < 8)
        return !(differ << (64 - 8 * size));
    differ |= load_u64(p + size - 8) ^ load_u64(key + size - 8);
    if (size > 16)
        differ |= load_u64(p + 8) ^ load_u64(key + 8);
    if (size > 24)
        differ |= load_u64(p + 16) ^ load_u64(key + 16);
    return !differ;
}

/* The slow path: any str encoding, any order. *f is NULL for an unknown key that may be ignored. */
static const uint8_t *find_key(struct decoder *d, const uint8_t *p, const struct cdt_struct *s,
                               unsigned guess, const struct cdt_field **f)
{
    uint32_t length;
    const uint8_t *text = pack_str(p, &length);
    if (!text)
        return decode_fail(d, p, "expected a str key, got %s", found(d, p));
    if (text > d->end || length > (size_t)(d->end - text))
        return ends(d);
    for (unsigned n = 0; n < s->count; n++) {
        unsigned i = guess + n < s->count ? guess + n : guess + n - s->count;
        *f = &s->fields[i];
        if (length == ((*f)->head & 31u) && !memcmp(text, (*f)->name, length))
            return text + length;
    }
    *f = NULL;
    if (s->closed)
        return decode_fail(d, p, "unknown key '%.*s'", (int)(length < 64 ? length : 64),
                           (const char *)text);
    return text + length;
}

/* One member's value. *wide is the bit to set for an int above INT64_MAX. */
static inline const uint8_t *get_member(struct decoder *d, const uint8_t *p,
                                        const struct cdt_field *f, uint8_t *out, bool *wide)
{
    const uint8_t *next;
    switch (f->type) {
    case CDT_FLOAT:
        next = pack_float(p, (double *)out);
        return next ? next : expected(d, p, "float");
    case CDT_REAL:
        return get_real(d, p, (double *)out);
    case CDT_INT:
        next = pack_int(p, (uint64_t *)out, wide);
        return next ? next : expected(d, p, "int");
    case CDT_WEAPON:
        next = pack_int(p, (uint64_t *)out, wide);
        if (next && *(uint64_t *)out > 53)
            return decode_fail(d, p, "invalid enum value %" PRId64, *(int64_t *)out);
        return next ? next : expected(d, p, "int");
    case CDT_BOOL:
        if ((*p | 1) != PACK_TRUE)
            return expected(d, p, "bool");
        *(bool *)out = *p & 1;
        return p + 1;
    case CDT_STR:
        return get_text(d, p, (struct ras_bytes *)out);
    case CDT_STRUCT:
        return get_struct(d, p, f->of, out);
    default:
        return get_other(d, p, f, out);
    }
}

/* From places in the table to bits of the node. */
static uint32_t move_bits(const struct cdt_struct *s, uint32_t places)
{
    uint32_t bits = 0;
    for (unsigned i = 0; places >> i; i++)
        bits |= (places >> i & 1) << cdt_bit(&s->fields[i], i);
    return bits;
}

static const uint8_t *get_struct(struct decoder *d, const uint8_t *p, const struct cdt_struct *s,
                                 uint8_t *out)
{
    const uint8_t *start = p;
    uint32_t count, seen = 0, present = 0, wides = 0;
    unsigned guess = 0;
    p = p < d->end ? pack_map(p, &count) : NULL;
    if (!p)
        return expected(d, start, "object");
    while (count--) {
        if (p >= d->end)
            return ends(d);
        const struct cdt_field *f = s->fields + guess;
        if (guess < s->count && key_is(p, f)) {
            p += 1 + (f->head & 31);
        } else {
            p = find_key(d, p, s, guess, &f);
            if (p && !f)
                p = skip_value(d, p);
            if (!p)
                return NULL;
            if (!f)
                continue;
        }
        guess = (unsigned)(f - s->fields);
        uint32_t bit = 1u << guess++;
        seen |= bit;
        present |= bit;
        wides &= ~bit;
        if (cdt_may_be_nil(f->need) && *p == PACK_NIL) {
            memset(out + f->offset, 0, f->size);
            present &= ~bit;
            p++;
            continue;
        }
        bool wide = false;
        p = get_member(d, p, f, out + f->offset, &wide);
        if (!p)
            return inside(d, ".%s", f->name);
        if (wide)
            wides |= bit;
    }
    if (p > d->end)
        return ends(d);
    uint32_t missing = ~seen & (uint32_t)((UINT64_C(1) << s->count) - 1);
    if (missing) {
        if (!has_required(d, start, s, missing))
            return NULL;
        fill_struct(s, out, missing);
    }
    if (s->moved) {
        present = move_bits(s, present);
        wides = move_bits(s, wides);
    }
    if (!s->plain)
        *(struct ras_cdt_node *)out = (struct ras_cdt_node){(uint32_t)(start - d->base),
                                                            (uint32_t)(p - start), present, wides};
    return p;
}

bool cdt_decode(const struct cdt_struct *s, struct ras_bytes payload, struct arena *arena,
                void *out, struct cdt_problem *problem)
{
    struct decoder d = {payload.at, payload.at + payload.len, arena, problem};
    problem->ignored = 0;
    const uint8_t *p = get_struct(&d, payload.at, s, out);
    if (p && p != d.end)
        p = decode_fail(&d, p, "%zu bytes after the value", (size_t)(d.end - p));
    if (p)
        return true;
    cdt_problem_inside(problem, "$");
    return false;
}
