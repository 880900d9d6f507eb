/* cdt_shape.c - the keys and kinds of values of a payload, in the order and the words of the
 * reference reader of container 2. For payloads that did not decode: it takes its time. */
#include "base/out.h"
#include "codec/json_python.h"
#include "codec/msgpack.h"
#include "formats/cdt/cdt_strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool cdt_breaks(struct cdt_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->text, sizeof t->text, fmt, args);
    va_end(args);
    return false;
}

struct shape {
    struct cdt_text *text;
    char path[256];
};

enum { MEMBERS = 32, NAMES = 16, KEY = 64 };

static bool struct_holds(struct shape *s, const struct cdt_struct *of, struct ras_bytes at,
                         const char *tag);

static bool must_be(struct shape *s, const char *what)
{
    return cdt_breaks(s->text, "%s must be encoded as %s", s->path, what);
}

/* Adds a step to the path; returns its length before. */
__attribute__((format(printf, 2, 3))) static size_t enter(struct shape *s, const char *fmt, ...)
{
    size_t before = strlen(s->path);
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->path + before, sizeof s->path - before, fmt, args);
    va_end(args);
    return before;
}

static struct ras_bytes item_bytes(struct msgpack *in)
{
    const uint8_t *start = in->at;
    msgpack_skip(in);
    return (struct ras_bytes){start, (size_t)(in->at - start)};
}

static enum msgpack_kind kind_at(struct ras_bytes at)
{
    struct msgpack in = msgpack_bytes(at);
    return msgpack_peek(&in);
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool union_holds(struct shape *s, const struct cdt_struct *of, struct ras_bytes at)
{
    struct msgpack in = msgpack_bytes(at);
    struct msgpack_item item = {0};
    struct ras_cdt_replay_operation operation = {0};
    uint64_t count = 0;
    bool found = false;
    if (!of->variants[1])
        return struct_holds(s, of->variants[0], at, of->variants[0]->tag);
    if (!msgpack_map(&in, &count))
        return must_be(s, "a tagged msgpack map");
    while (count--) {
        bool here = msgpack_key_is(&in, "type", 4);
        if (!here)
            msgpack_skip(&in);
        struct msgpack value = msgpack_bytes(item_bytes(&in));
        if (here && msgpack_next(&value, &item))
            operation.type = item.kind == MSGPACK_STR ? item.bytes : (struct ras_bytes){0};
        found |= here;
    }
    if (!found)
        return cdt_breaks(s->text, "%s is missing field(s): type", s->path);
    const struct cdt_struct *variant = cdt_variant(of, &operation);
    if (variant != of)
        return struct_holds(s, variant, at, variant->tag);
    char list[256] = "";
    for (const struct cdt_struct *const *v = of->variants; *v; v++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s'", *list ? ", " : "",
                 (*v)->tag);
    struct out shown = {0};
    python_repr_text(&shown, operation.type.at,
                     operation.type.len < KEY ? operation.type.len : KEY);
    cdt_breaks(s->text, "%s.type has unsupported tag %.*s; expected one of %s", s->path,
               (int)shown.len, shown.at ? (const char *)shown.at : "", list);
    out_free(&shown);
    return false;
}

static bool value_holds(struct shape *s, const struct cdt_field *f, struct ras_bytes at,
                        unsigned depth);

/* Elements that are ints, texts, structs or, while `depth` is not 0, lists. */
static bool element_holds(struct shape *s, const struct cdt_field *f, struct ras_bytes at,
                          unsigned depth)
{
    if (depth)
        return value_holds(s, f, at, depth - 1);
    if (f->type == CDT_LIST)
        return struct_holds(s, f->of, at, NULL);
    if (f->type == CDT_UNION)
        return union_holds(s, f->of, at);
    enum msgpack_kind kind = kind_at(at);
    if (f->type == CDT_STRS)
        return kind == MSGPACK_STR || must_be(s, "a msgpack string");
    return kind == MSGPACK_UINT || kind == MSGPACK_INT || must_be(s, "a msgpack integer");
}

static bool list_holds(struct shape *s, const struct cdt_field *f, struct ras_bytes at,
                       unsigned depth)
{
    struct msgpack in = msgpack_bytes(at);
    uint64_t count;
    if (!msgpack_array(&in, &count))
        return must_be(s, "a msgpack array");
    for (uint64_t i = 0; i < count; i++) {
        size_t before = enter(s, "[%" PRIu64 "]", i);
        if (!element_holds(s, f, item_bytes(&in), depth))
            return false;
        s->path[before] = 0;
    }
    return true;
}

static bool timers_hold(struct shape *s, struct ras_bytes at)
{
    struct msgpack in = msgpack_bytes(at);
    uint64_t count;
    if (!msgpack_map(&in, &count))
        return must_be(s, "a msgpack map");
    while (count--) {
        struct ras_bytes key = item_bytes(&in), value = item_bytes(&in), text = {0};
        struct msgpack name = msgpack_bytes(key);
        size_t before = strlen(s->path);
        if (!msgpack_str(&name, &text)) {
            enter(s, ".<key>");
            return must_be(s, "a msgpack string");
        }
        enter(s, "['%.*s']", (int)(text.len < KEY ? text.len : KEY), (const char *)text.at);
        enum msgpack_kind kind = kind_at(value);
        if (kind != MSGPACK_UINT && kind != MSGPACK_INT)
            return must_be(s, "a msgpack integer");
        s->path[before] = 0;
    }
    return true;
}

/* ---- members ----------------------------------------------------------------------------- */

/* What a scalar must be; NULL: this kind of value is no matter of shape, or it fits. */
static const char *misfit(const struct cdt_field *f, enum msgpack_kind kind)
{
    bool whole = kind == MSGPACK_UINT || kind == MSGPACK_INT;
    switch (f->type) {
    case CDT_REAL:
    case CDT_FLOAT:
        return kind == MSGPACK_F32 || kind == MSGPACK_F64 ? NULL : "a msgpack float";
    case CDT_INT:
    case CDT_RANGE:
        return whole ? NULL : "a msgpack integer";
    case CDT_BOOL:
        return kind == MSGPACK_BOOL ? NULL : "a msgpack bool";
    case CDT_STR:
    case CDT_CHAR:
        return kind == MSGPACK_STR ? NULL : "a msgpack string";
    case CDT_BIN:
        return kind == MSGPACK_BIN ? NULL : "msgpack bytes";
    default:
        return NULL;
    }
}

static bool value_holds(struct shape *s, const struct cdt_field *f, struct ras_bytes at,
                        unsigned depth)
{
    const char *wanted = misfit(f, kind_at(at));
    if (cdt_may_be_nil(f->need) && kind_at(at) == MSGPACK_NIL)
        return true;
    if (wanted)
        return must_be(s, wanted);
    switch (f->type) {
    case CDT_STRUCT:
        return struct_holds(s, f->of, at, NULL);
    case CDT_TIMERS:
        return timers_hold(s, at);
    case CDT_LIST:
    case CDT_UNION:
    case CDT_STRS:
    case CDT_INTS:
    case CDT_COUNTS:
    case CDT_FIXED:
    case CDT_FIXED_POS:
        return list_holds(s, f, at, depth);
    default:
        return true;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* `names` sorted, after "PATH is missing field(s): ". */
static bool name_all(struct shape *s, const char *what, char names[][KEY], size_t count)
{
    char list[CDT_TEXT / 2] = "";
    size_t used = 0;
    qsort(names, count, KEY, by_name);
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", i ? ", " : "", KEY - 1,
                                 names[i]);
    return cdt_breaks(s->text, "%s %s field(s): %s", s->path, what, list);
}

/* The name of a key as Python shows it. */
static void show_key(struct ras_bytes at, char name[KEY])
{
    struct msgpack in = msgpack_bytes(at);
    struct msgpack_item item;
    struct out out = {0};
    if (!msgpack_next(&in, &item))
        item.kind = MSGPACK_NIL;
    if (item.kind == MSGPACK_STR)
        python_repr_text(&out, item.bytes.at, item.bytes.len);
    else if (item.kind == MSGPACK_UINT || item.kind == MSGPACK_INT)
        out_format(&out, "%" PRId64, item.i);
    else
        out_text(&out, "?");
    snprintf(name, KEY, "%.*s", (int)out.len, out.at ? (const char *)out.at : "");
    out_free(&out);
}

/* The keys of a map: where the value of each member is, the last of several. */
static bool keys_hold(struct shape *s, const struct cdt_struct *of, struct ras_bytes at,
                      struct ras_bytes values[MEMBERS])
{
    struct msgpack in = msgpack_bytes(at);
    char missing[MEMBERS][KEY], unknown[NAMES][KEY];
    size_t missing_count = 0, unknown_count = 0;
    uint64_t count;
    if (!msgpack_map(&in, &count))
        return must_be(s, "a msgpack map");
    while (count--) {
        unsigned i = 0;
        const uint8_t *key = in.at;
        while (i < of->count && !msgpack_key_is(&in, of->fields[i].name, of->fields[i].head & 31u))
            i++;
        if (i == of->count) {
            msgpack_skip(&in);
            if (unknown_count < NAMES)
                show_key((struct ras_bytes){key, (size_t)(in.at - key)}, unknown[unknown_count++]);
        }
        struct ras_bytes value = item_bytes(&in);
        if (i < of->count)
            values[i] = value;
    }
    for (unsigned i = 0; i < of->count; i++)
        if (!values[i].at)
            snprintf(missing[missing_count++], KEY, "%s", of->fields[i].name);
    if (missing_count)
        return name_all(s, "is missing", missing, missing_count);
    return !unknown_count || name_all(s, "has unknown", unknown, unknown_count);
}

static bool struct_holds(struct shape *s, const struct cdt_struct *of, struct ras_bytes at,
                         const char *tag)
{
    struct ras_bytes values[MEMBERS] = {0};
    if (!keys_hold(s, of, at, values))
        return false;
    if (tag) { /* the first member of a variant */
        struct msgpack in = msgpack_bytes(values[0]);
        struct ras_bytes text = {0};
        char shown[KEY];
        show_key(values[0], shown);
        if (!msgpack_str(&in, &text) || !cdt_text_is(text, tag))
            return cdt_breaks(s->text, "%s.type must be '%s', got %s", s->path, tag, shown);
    }
    for (unsigned i = tag ? 1 : 0; i < of->count; i++) {
        const struct cdt_field *f = &of->fields[i];
        size_t before = enter(s, ".%s", f->name);
        if (!value_holds(s, f, values[i], f->type == CDT_COUNTS ? 2 : 0))
            return false;
        s->path[before] = 0;
    }
    return true;
}

bool cdt_shape_holds(const struct cdt_struct *of, struct ras_bytes payload, const char *path,
                     struct cdt_text *text)
{
    struct shape s = {.text = text};
    struct msgpack in = msgpack_bytes(payload);
    snprintf(s.path, sizeof s.path, "%s", path);
    if (!msgpack_skip(&in) || in.at != in.end)
        return cdt_breaks(text, "invalid %s msgpack payload", path);
    return struct_holds(&s, of, payload, NULL);
}
