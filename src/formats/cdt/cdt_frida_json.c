/* cdt_frida_json.c - typed values from a line of JSON: scalars, arrays and maps, and problems in
 * the words of the reference decoder. */
#include "formats/cdt/cdt_frida_json.h"
#include "codec/base64.h"
#include "codec/json_read.h"
#include "codec/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- problems ---------------------------------------------------------------------------- */

const uint8_t *frida_bad(struct frida_in *d, const uint8_t *at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->problem->what, sizeof d->problem->what, fmt, args);
    va_end(args);
    d->problem->status = RAS_EFORMAT;
    d->problem->at = (uint64_t)(at - d->base);
    d->problem->path[0] = 0;
    return NULL;
}

static const uint8_t *frida_no_memory(struct frida_in *d)
{
    frida_bad(d, d->end, "out of memory");
    d->problem->status = RAS_EMEMORY;
    return NULL;
}

/* A problem of the text has no path; its status distinguishes the two on the way up. */
const uint8_t *frida_malformed(struct frida_in *d, const uint8_t *p, const char *what)
{
    if (p >= d->end)
        frida_bad(d, d->end, "Input data was truncated");
    else
        frida_bad(d, p, "JSON is malformed: %s (byte %zu)", what, (size_t)(p - d->base));
    d->problem->status = RAS_ECUT;
    return NULL;
}

/* The type of the value at p; NULL: it is not JSON. */
static const char *frida_found(const struct frida_in *d, const uint8_t *p, struct json_read *in)
{
    struct json_token token;
    *in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    switch (json_read_next(in, &token)) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "bool";
    case JSON_NUMBER:
        return token.integer ? "int" : "float";
    case JSON_STRING:
        return "str";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    default:
        return NULL;
    }
}

const uint8_t *frida_expected(struct frida_in *d, const uint8_t *p, const char *type, bool null)
{
    struct json_read in;
    const char *name = frida_found(d, p, &in);
    if (name)
        return frida_bad(d, p, "Expected `%s%s`, got `%s`", type, null ? " | null" : "", name);
    return frida_malformed(d, in.fault == JSON_SHORT ? d->end : p + in.fault_at,
                           "invalid character");
}

/* ---- scalars ----------------------------------------------------------------------------- */

/* ---- text --------------------------------------------------------------------- */

/* The slow path, from the opening quote on: escapes, UTF-8. A text without escapes is borrowed from
 * the line. */
static const uint8_t *any_text(struct frida_in *d, const uint8_t *p, struct ras_bytes *out)
{
    struct json_read in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    struct json_token token;
    if (json_read_next(&in, &token) == JSON_BAD) {
        if (in.fault == JSON_SHORT)
            return frida_malformed(d, d->end, "");
        const uint8_t *at = p + in.fault_at;
        return frida_malformed(d, at, *at < 0x80 ? "invalid character" : "invalid UTF-8");
    }
    *out = token.span;
    if (!token.escaped)
        return in.at;
    uint8_t *room = arena_take(d->arena, token.span.len);
    if (!room)
        return frida_no_memory(d);
    const uint8_t *next = in.at;
    if (!json_read_text(&in, &token, room, token.span.len, &out->len))
        return frida_malformed(d, token.span.at, "invalid utf-16 surrogate pair");
    out->at = room;
    return next;
}

const uint8_t *frida_text(struct frida_in *d, const uint8_t *p, bool null, struct ras_bytes *out)
{
    if (*p != '"')
        return frida_expected(d, p, "str", null);
    const uint8_t *stop = json_plain_run(p + 1, d->end + JSON_PADDING);
    if (*stop != '"')
        return any_text(d, p, out);
    *out = (struct ras_bytes){p + 1, (size_t)(stop - p - 1)};
    return stop + 1;
}

/* ---- numbers -------------------------------------------------------------------- */

static struct json_token token_of(const uint8_t *p, const uint8_t *end, bool integer)
{
    return (struct json_token){
        .kind = JSON_NUMBER, .integer = integer, .span = {p, (size_t)(end - p)}};
}

static bool is_number(const uint8_t *p)
{
    return json_digit(*p) || *p == '-';
}

const uint8_t *frida_int(struct frida_in *d, const uint8_t *p, bool null, bool loose,
                         struct ras_cdt_int *out)
{
    struct json_number n;
    const uint8_t *fault, *end = is_number(p) ? json_number(p, &n, &fault) : NULL;
    if (!is_number(p))
        return frida_expected(d, p, "int", null);
    if (!end)
        return frida_malformed(d, fault, "invalid number");
    if (!n.integer)
        return frida_expected(d, p, "int", null);
    out->wide = false;
    if (n.exact && n.digits <= INT64_MAX) {
        out->value = n.negative ? -(int64_t)n.digits : (int64_t)n.digits;
        return end;
    }
    const struct json_token token = token_of(p, end, true);
    uint64_t value;
    if (json_i64_of(&token, &out->value))
        return end;
    out->wide = json_u64_of(&token, &value);
    if (!out->wide && !loose)
        return frida_bad(d, p, "Integer beyond 64 bits");
    out->value = out->wide ? (int64_t)value : n.negative ? INT64_MIN : INT64_MAX;
    return end;
}

const uint8_t *frida_float(struct frida_in *d, const uint8_t *p, bool null, double *out)
{
    struct json_number n;
    const uint8_t *fault, *end = is_number(p) ? json_number(p, &n, &fault) : NULL;
    if (!is_number(p))
        return frida_expected(d, p, "float", null);
    if (!end)
        return frida_malformed(d, fault, "invalid number");
    if (!n.exact || !decimal_f64(n.digits, n.exponent, out)) {
        const struct json_token token = token_of(p, end, n.integer);
        return json_f64_of(&token, out) ? end : frida_bad(d, p, "Number out of range");
    }
    /* -0 is an int and so has no sign; -0.0 has one. */
    if (n.negative && (n.digits || !n.integer))
        *out = -*out;
    return end;
}

const uint8_t *frida_bool(struct frida_in *d, const uint8_t *p, bool null, bool *out)
{
    *out = load_u32(p) == 0x65757274; /* "true" */
    if (*out)
        return p + 4;
    return load_u32(p) == 0x736c6166 && p[4] == 'e' ? p + 5 : frida_expected(d, p, "bool", null);
}

/* ---- between values --------------------------------------------------------------- */

const uint8_t *frida_skip(struct frida_in *d, const uint8_t *p)
{
    struct json_number n;
    const uint8_t *fault, *end;
    if (*p == '"') {
        end = json_plain_run(p + 1, d->end + JSON_PADDING);
        if (*end == '"')
            return end + 1;
    }
    if (is_number(p) && (end = json_number(p, &n, &fault)))
        return end;
    struct json_read in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    struct json_token token;
    json_read_next(&in, &token);
    if (json_read_skip(&in, &token))
        return in.at;
    return frida_malformed(d, in.fault == JSON_SHORT ? d->end : p + in.fault_at,
                           "invalid character");
}

const uint8_t *frida_next(struct frida_in *d, const uint8_t *p, char close, bool *more)
{
    p = json_white(p);
    *more = *p == ',';
    if (*p == (uint8_t)close)
        return p + 1;
    if (!*more)
        return frida_malformed(d, p, "invalid character");
    const uint8_t *next = json_white(p + 1);
    if (*next == (uint8_t)close)
        return frida_malformed(
            d, next, close == '}' ? "trailing comma in object" : "trailing comma in array");
    return next;
}

const uint8_t *frida_key(struct frida_in *d, const uint8_t *p, struct ras_bytes *key)
{
    if (*p != '"')
        return frida_malformed(d, p, "object keys must be strings");
    p = frida_text(d, p, false, key);
    if (!p)
        return NULL;
    p = json_white(p);
    return *p == ':' ? json_white(p + 1) : frida_malformed(d, p, "expected ':'");
}

/* ---- arrays and maps --------------------------------------------------------------------- */

/* A list being read: when it is full, it moves to twice the room. */
struct growing {
    uint8_t *at;
    size_t count, room, size;
};

/* Returns room for one more element; NULL: out of memory. */
static void *grow(struct frida_in *d, struct growing *g)
{
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 8;
        uint8_t *at = arena_take(d->arena, (uint64_t)room * g->size);
        if (!at)
            return NULL;
        if (g->count)
            memcpy(at, g->at, g->count * g->size);
        g->at = at;
        g->room = room;
    }
    return g->at + g->size * g->count++;
}

/* One element of an array, of the type that the field states. */
typedef const uint8_t *element(struct frida_in *d, const uint8_t *p, const void *of, void *out);

static const uint8_t *frida_array(struct frida_in *d, const uint8_t *p, bool null, element *one,
                                  const void *of, size_t size, struct frida_list *out)
{
    struct growing g = {.size = size};
    bool more;
    if (*p != '[')
        return frida_expected(d, p, "array", null);
    p = frida_first(p + 1, ']', &more);
    while (more) {
        void *item = grow(d, &g);
        if (!item)
            return frida_no_memory(d);
        p = one(d, p, of, item);
        if (!p)
            return frida_inside(d, "[%zu]", g.count - 1);
        p = frida_next(d, p, ']', &more);
        if (!p)
            return NULL;
    }
    *out = (struct frida_list){g.at, g.count};
    return p;
}

static const uint8_t *one_struct(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    return frida_struct(d, p, of, false, out);
}

static const uint8_t *one_text(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_text(d, p, false, out);
}

static const uint8_t *one_int(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_int(d, p, false, false, out);
}

static const uint8_t *one_list(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_array(d, p, false, one_int, NULL, sizeof(struct ras_cdt_int), out);
}

static const uint8_t *one_lists(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    (void)of;
    return frida_array(d, p, false, one_list, NULL, sizeof(struct frida_list), out);
}

/* [move_x, move_y, aim_x, aim_y, flags]: belongs to the replay, not to the trace. */
static const uint8_t *one_input(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    enum { FLOATS = 4, COUNT };
    const uint8_t *start = p;
    struct ras_cdt_int flags;
    double axis;
    size_t count = 0;
    bool more;
    (void)of;
    *(bool *)out = true;
    if (*p != '[')
        return frida_expected(d, p, "array", false);
    for (p = frida_first(p + 1, ']', &more); more; count++) {
        p = count == COUNT   ? frida_bad(d, start, "Expected `array` of length %d", COUNT)
            : count < FLOATS ? frida_float(d, p, false, &axis)
                             : frida_int(d, p, false, true, &flags);
        if (!p)
            return count == COUNT ? NULL : frida_inside(d, "[%zu]", count);
        p = frida_next(d, p, ']', &more);
        if (!p)
            return NULL;
    }
    return count == COUNT ? p : frida_bad(d, start, "Expected `array` of length %d", COUNT);
}

/* ---- arrays of a known length -------------------------------------------------------- */

/* msgspec reads all of it before it checks the length. */
static const uint8_t *frida_fixed(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                                  struct ras_cdt_int *out)
{
    const uint8_t *start = p;
    struct frida_list list;
    p = frida_array(d, p, false, one_int, NULL, sizeof *out, &list);
    if (!p)
        return NULL;
    const struct ras_cdt_int *item = list.at;
    for (size_t i = 0; f->type == CDT_FIXED_POS && i < list.count; i++)
        if (item[i].value < 0 && !item[i].wide) {
            frida_bad(d, start, "Expected `int` >= 0");
            return frida_inside(d, "[%zu]", i);
        }
    if (list.count != f->fixed)
        return frida_bad(d, start, "Expected `array` of length %s %u",
                         list.count < f->fixed ? ">=" : "<=", f->fixed);
    memcpy(out, item, list.count * sizeof *out);
    return p;
}

static const uint8_t *get_bytes(struct frida_in *d, const uint8_t *p, struct ras_bytes *out)
{
    struct ras_bytes text;
    const uint8_t *next = *p == '"' ? frida_text(d, p, false, &text) : NULL;
    if (*p != '"')
        return frida_expected(d, p, "bytes", false);
    if (!next)
        return NULL;
    uint8_t *room = arena_take(d->arena, text.len);
    if (!room)
        return frida_no_memory(d);
    out->at = room;
    return base64_get(text, room, &out->len) ? next
                                             : frida_bad(d, p, "Invalid base64 encoded string");
}

/* ---- maps ------------------------------------------------------------------------------ */

struct place {
    struct ras_bytes key;
    size_t index;
};

static int by_timer_key(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    size_t len = a->key.len < b->key.len ? a->key.len : b->key.len;
    int order = len ? memcmp(a->key.at, b->key.at, len) : 0;
    if (!order)
        order = (a->key.len > b->key.len) - (a->key.len < b->key.len);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool same_key(const struct place *a, const struct place *b)
{
    return a->key.len == b->key.len && !memcmp(a->key.at, b->key.at, a->key.len);
}

/* Of equal keys the last value counts, in the place of the first. */
static bool join_equal(struct frida_in *d, struct ras_cdt_timer *item, size_t *count)
{
    size_t n = *count, kept = 0;
    struct place *places = arena_take(d->arena, n * sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){item[i].key, i};
    qsort(places, n, sizeof *places, by_timer_key);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (!same_key(&places[first], &places[i]))
            first = i;
        if (first == i)
            continue;
        item[places[first].index].value = item[places[i].index].value;
        item[places[i].index].key.at = NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (item[i].key.at)
            item[kept++] = item[i];
    *count = kept;
    return true;
}

static const uint8_t *get_map(struct frida_in *d, const uint8_t *p, struct frida_list *out)
{
    struct growing g = {.size = sizeof(struct ras_cdt_timer)};
    bool more;
    if (*p != '{')
        return frida_expected(d, p, "object", false);
    p = frida_first(p + 1, '}', &more);
    while (more) {
        struct ras_cdt_timer *item = grow(d, &g);
        if (!item)
            return frida_no_memory(d);
        p = frida_key(d, p, &item->key);
        if (!p)
            return NULL;
        p = frida_int(d, p, false, false, &item->value);
        if (!p)
            return frida_inside(d, "[...]");
        p = frida_next(d, p, '}', &more);
        if (!p)
            return NULL;
    }
    if (g.count > 1 && !join_equal(d, (struct ras_cdt_timer *)(void *)g.at, &g.count))
        return frida_no_memory(d);
    *out = (struct frida_list){g.at, g.count};
    return p;
}

/* ---- form 2 ---------------------------------------------------------------------------- */

/* A struct that its `type` selects. */
static const uint8_t *one_operation(struct frida_in *d, const uint8_t *p, const void *of, void *out)
{
    const struct cdt_struct *all = of, *const *variant = all->variants;
    struct ras_bytes type;
    bool bad;
    if (*p != '{')
        return frida_expected(d, p, "object", false);
    const uint8_t *at = frida_find(d, p, "type", &bad);
    if (!at)
        return bad ? NULL : frida_bad(d, p, "Object missing required field `type`");
    if (!frida_text(d, at, false, &type))
        return frida_inside(d, ".type");
    while (*variant && !cdt_text_is(type, (*variant)->tag))
        variant++;
    if (*variant)
        return frida_struct(d, p, *variant, false, out);
    frida_bad(d, at, "Invalid value '%.*s'", (int)(type.len < 64 ? type.len : 64),
              (const char *)type.at);
    return frida_inside(d, ".type");
}

/* The text of a value, which starts with one of these characters. */
static const uint8_t *get_any(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                              struct ras_bytes *out)
{
    const char *type = *f->text == '{' ? "object" : *f->text == '[' ? "array" : "float";
    if (!*p || !strchr(f->text, *p))
        return frida_expected(d, p, type, f->text[1]);
    const uint8_t *end = frida_skip(d, p);
    if (end)
        *out = (struct ras_bytes){p, (size_t)(end - p)};
    return end;
}

enum { STEP_PRELUDE = 2 }; /* of replay_step */

const uint8_t *frida_container(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                               uint8_t *out)
{
    struct frida_list *list = (struct frida_list *)(void *)out;
    bool null = cdt_may_be_nil(f->need);
    switch ((int)f->type) {
    case CDT_BIN:
        return get_bytes(d, p, (struct ras_bytes *)(void *)out);
    case CDT_LIST:
        return frida_array(d, p, null, one_struct, f->of, f->of->size, list);
    case CDT_STRS:
        return frida_array(d, p, null, one_text, NULL, sizeof(struct ras_bytes), list);
    case CDT_INTS:
        return frida_array(d, p, null, one_int, NULL, sizeof(struct ras_cdt_int), list);
    case CDT_COUNTS:
        return frida_array(d, p, null, one_lists, NULL, sizeof(struct frida_list), list);
    case CDT_TIMERS:
        return get_map(d, p, list);
    case FRIDA_INPUTS:
        return frida_array(d, p, null, one_input, NULL, sizeof(bool), list);
    case FRIDA_CONFIG:
        return frida_config(d, p, (struct frida_config *)(void *)out);
    case CDT_UNION:
        return frida_array(d, p, null, one_operation, f->of,
                           sizeof(struct ras_cdt_replay_operation), list);
    case FRIDA_PRELUDE:
        return frida_container(d, p, &d->model->rows[CDT_ROW_STEP]->fields[STEP_PRELUDE], out);
    case FRIDA_ANY:
        return get_any(d, p, f, (struct ras_bytes *)(void *)out);
    default:
        return frida_fixed(d, p, f, (struct ras_cdt_int *)(void *)out);
    }
}
