/* fields.c - two values field by field: a row for each place in which they differ. */
#include "base/memory.h"
#include "codec/json_python.h"
#include "core/row.h"
#include "ops/compare/compare_driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct key_pair {
    const struct ras_value *key;
    const struct ras_value *values[2]; /* NULL: that map lacks the key; the last of several */
    size_t order;                      /* where it is first: in `a`, then in `b` */
};

/* A member of one of the maps; the texts of keys are in a shared buffer. */
struct entry {
    const struct ras_value *key;
    int side;
    size_t order, at, len;
    const uint8_t *text;
};

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    size_t least = x->len < y->len ? x->len : y->len;
    int order = least ? memcmp(x->text, y->text, least) : 0;
    if (order)
        return order;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const struct key_pair *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool collect(const struct ras_value *map, int side, struct entry **entries, size_t *count,
                    size_t *room, struct out *texts)
{
    const struct ras_value *end = ras_value_next(map);
    for (const struct ras_value *at = map + 1; at < end; at = ras_value_next(at + 1)) {
        if (!array_grow(entries, room, *count + 1, sizeof **entries))
            return false;
        struct entry *e = &(*entries)[*count];
        *e = (struct entry){.key = at, .side = side, .order = (*count)++, .at = texts->len};
        python_repr(texts, at);
        e->len = texts->len - e->at;
    }
    return !texts->failed;
}

/* Entries with the same key are adjacent: of each side the last one counts. */
static size_t join_entries(const struct entry *entries, size_t count, struct key_pair *pairs)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &entries[i], *before = i ? e - 1 : NULL;
        bool same =
            before && before->len == e->len && (!e->len || !memcmp(before->text, e->text, e->len));
        if (!same)
            pairs[n++] = (struct key_pair){.key = e->key, .order = e->order};
        pairs[n - 1].values[e->side] = e->key + 1;
    }
    return n;
}

/* In the order of their repr, or in stored order. NULL: memory is short. free() it. */
static struct key_pair *key_pairs(const struct ras_value *a, const struct ras_value *b, bool sorted,
                                  size_t *count)
{
    struct entry *entries = NULL;
    struct key_pair *pairs = NULL;
    struct out texts = {0};
    size_t total = 0, room = 0;
    *count = 0;
    if (collect(a, 0, &entries, &total, &room, &texts) &&
        collect(b, 1, &entries, &total, &room, &texts))
        pairs = calloc(total + 1, sizeof *pairs);
    for (size_t i = 0; pairs && i < total; i++)
        entries[i].text = texts.at + entries[i].at;
    if (pairs && total) {
        qsort(entries, total, sizeof *entries, by_text);
        *count = join_entries(entries, total, pairs);
        if (!sorted)
            qsort(pairs, *count, sizeof *pairs, by_order);
    }
    free(entries);
    out_free(&texts);
    return pairs;
}

struct walk {
    struct document *doc;
    const struct ras_compare_options *options;
    const char *alias;
    struct out path;
    fields_class *class_of;
    size_t rows, most; /* from `most` rows on, the rest of a list is skipped */
    unsigned how;
};

/* ---- equality ---------------------------------------------------------------- */

/* INT and UINT are one type, as are the two floats. */
static unsigned type_of(const struct ras_value *v)
{
    switch (v->kind) {
    case RAS_UINT:
        return RAS_INT;
    case RAS_F32:
        return RAS_F64;
    default:
        return v->kind;
    }
}

static double number_of(const struct ras_value *v)
{
    switch (v->kind) {
    case RAS_UINT:
        return (double)v->u;
    case RAS_INT:
        return (double)v->i;
    default:
        return v->kind == RAS_F32 ? (double)v->f32 : v->f64;
    }
}

static bool ints_equal(const struct ras_value *a, const struct ras_value *b)
{
    bool negative = (a->kind == RAS_INT && a->i < 0) || (b->kind == RAS_INT && b->i < 0);
    return a->u == b->u && (a->kind == b->kind || !negative);
}

static uint64_t bits_of(const struct ras_value *v)
{
    if (v->kind == RAS_F32)
        return value_f32_bits(v);
    return v->u;
}

static uint32_t f32_bits(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static bool floats_equal(const struct ras_value *a, const struct ras_value *b, unsigned how)
{
    double x = number_of(a), y = number_of(b);
    if (how & FIELDS_BITS && a->kind == b->kind)
        return bits_of(a) == bits_of(b);
    if (how & FIELDS_F32)
        return f32_bits(x) == f32_bits(y) && (!(how & FIELDS_BITS) || x == y);
    return x == y || (how & FIELDS_NAN_SAME && isnan(x) && isnan(y));
}

static bool scalars_equal(const struct ras_value *a, const struct ras_value *b, unsigned how)
{
    switch (type_of(a)) {
    case RAS_INT:
        return ints_equal(a, b);
    case RAS_F64:
        return floats_equal(a, b, how);
    case RAS_BOOL:
        return a->u == b->u;
    case RAS_STR:
    case RAS_BLOB:
        return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count));
    default:
        return true;
    }
}

static size_t members_of(const struct ras_value *v)
{
    size_t n = 0;
    const struct ras_value *end = ras_value_next(v);
    for (const struct ras_value *at = v + 1; at < end; n++)
        at = ras_value_next(v->kind == RAS_MAP ? at + 1 : at);
    return n;
}

static bool equal(const struct ras_value *a, const struct ras_value *b, unsigned how);

/* Key by key in the same order. Maps in another order may be equal, too: the caller compares them
 * by key then. */
static bool maps_equal(const struct ras_value *a, const struct ras_value *b, unsigned how)
{
    const struct ras_value *x = a + 1, *y = b + 1;
    const struct ras_value *x_end = ras_value_next(a), *y_end = ras_value_next(b);
    for (; x < x_end && y < y_end; x = ras_value_next(x + 1), y = ras_value_next(y + 1))
        if (type_of(x) != type_of(y) || !scalars_equal(x, y, 0) || !equal(x + 1, y + 1, how))
            return false;
    return x == x_end && y == y_end;
}

static bool equal(const struct ras_value *a, const struct ras_value *b, unsigned how)
{
    if (type_of(a) != type_of(b))
        return false;
    if (a->kind == RAS_MAP)
        return maps_equal(a, b, how);
    if (a->kind != RAS_LIST)
        return scalars_equal(a, b, how);
    const struct ras_value *x = a + 1, *y = b + 1;
    const struct ras_value *x_end = ras_value_next(a), *y_end = ras_value_next(b);
    for (; x < x_end && y < y_end; x = ras_value_next(x), y = ras_value_next(y))
        if (!equal(x, y, how))
            return false;
    return x == x_end && y == y_end;
}

/* ---- rows -------------------------------------------------------------------- */

static const char *python_type(const struct ras_value *v)
{
    static const char *const names[] = {
        [RAS_NULL] = "NoneType", [RAS_BOOL] = "bool", [RAS_UINT] = "int", [RAS_INT] = "int",
        [RAS_F32] = "float",     [RAS_F64] = "float", [RAS_STR] = "str",  [RAS_BLOB] = "bytes",
        [RAS_LIST] = "list",     [RAS_MAP] = "dict"};
    return names[v->kind];
}

static const char *path_text(struct walk *w)
{
    out_byte(&w->path, 0);
    if (w->path.failed)
        return "";
    w->path.len--;
    return (const char *)w->path.at;
}

/* Also by the name above the root. */
static bool by_either_name(struct walk *w,
                           bool (*holds)(struct walk *, const char *path, const void *user),
                           const void *user)
{
    const char *path = path_text(w);
    if (holds(w, path, user))
        return true;
    if (!w->alias)
        return false;
    struct out full = {0};
    out_text(&full, w->alias);
    if (*path && *path != '[')
        out_byte(&full, '.');
    out_bytes(&full, path, strlen(path) + 1);
    bool held = !full.failed && holds(w, (const char *)full.at, user);
    w->doc->cells.nomem |= full.failed;
    out_free(&full);
    return held;
}

static bool is_ignored(struct walk *w, const char *path, const void *user)
{
    (void)user;
    return compare_ignores(w->options, path);
}

static bool is_near(struct walk *w, const char *path, const void *user)
{
    const double *pair = user;
    return compare_near(w->options, path, pair[0], pair[1]);
}

static bool ignored(struct walk *w)
{
    return w->options && w->options->ignored_count && by_either_name(w, is_ignored, NULL);
}

static bool near(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    if (!w->options || !w->options->tolerance_count)
        return false;
    unsigned x = type_of(a), y = type_of(b);
    double pair[2] = {number_of(a), number_of(b)};
    return (x == RAS_INT || x == RAS_F64) && (y == RAS_INT || y == RAS_F64) &&
           by_either_name(w, is_near, pair);
}

static void put_side(struct document *d, const char *key, const struct ras_value *v)
{
    document_name(d, key);
    document_copy(d, v);
}

size_t fields_row(struct document *d, const char *path, const char *kind)
{
    size_t row = document_open(d, RAS_MAP);
    document_put_text(d, "path", *path ? path : "<root>");
    document_put_text(d, "kind", kind);
    return row;
}

void fields_put_row(struct document *d, const char *path, const char *kind,
                    const struct ras_value *a, const struct ras_value *b)
{
    size_t row = fields_row(d, path, kind);
    put_side(d, "expected", a);
    put_side(d, "actual", b);
    document_close(d, row);
}

/* Float32 in the order of their values: how many steps are between two is a difference. */
static uint32_t f32_rank(uint32_t bits)
{
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

/* How far apart two floats are. */
static void put_distance(struct document *d, double a, double b)
{
    uint32_t x = f32_bits(a), y = f32_bits(b), p = f32_rank(x), q = f32_rank(y);
    document_name(d, "numeric_delta");
    document_f64(d, b - a);
    document_name(d, "expected_f32_hex");
    document_format(d, "0x%08" PRIx32, x);
    document_name(d, "actual_f32_hex");
    document_format(d, "0x%08" PRIx32, y);
    document_put_uint(d, "f32_ulp_distance", p < q ? q - p : p - q);
}

static void put_f32_row(struct document *d, const char *path, const char *kind,
                        const struct ras_value *a, const struct ras_value *b)
{
    size_t row = fields_row(d, path, kind);
    if (a && a->kind != RAS_NULL)
        put_side(d, "expected", a);
    if (b && b->kind != RAS_NULL)
        put_side(d, "actual", b);
    if (a && b && type_of(a) == RAS_F64 && type_of(b) == RAS_F64)
        put_distance(d, number_of(a), number_of(b));
    document_close(d, row);
}

static void put_row(struct walk *w, const char *kind, const struct ras_value *a,
                    const struct ras_value *b)
{
    (w->how & FIELDS_F32 ? put_f32_row : fields_put_row)(w->doc, path_text(w), kind, a, b);
    w->rows++;
}

/* The type of a value, in Python's words or those of the caller. */
static const char *class_name(const struct walk *w, const struct ras_value *v)
{
    const char *name = v->kind == RAS_MAP && w->class_of ? w->class_of(v) : NULL;
    return name ? name : python_type(v);
}

static void put_types(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value was = value_of_text(class_name(w, a));
    const struct ras_value is = value_of_text(class_name(w, b));
    put_row(w, "type_mismatch", &was, &is);
}

static bool is_nan(const struct ras_value *v)
{
    return type_of(v) == RAS_F64 && isnan(number_of(v));
}

/* Two floats with the same text are reported by their bits. */
static void put_nans(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    char text[2][24];
    const struct ras_value *sides[2] = {a, b};
    struct ras_value cells[2];
    for (int i = 0; i < 2; i++) {
        bool wide = sides[i]->kind == RAS_F64;
        snprintf(text[i], sizeof text[i], "0x%0*" PRIx64, wide ? 16 : 8, bits_of(sides[i]));
        cells[i] = value_of_text(text[i]);
    }
    put_row(w, "bits_mismatch", &cells[0], &cells[1]);
}

/* ---- walking ----------------------------------------------------------------- */

static bool is_identifier(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint8_t c = (uint8_t)text[i];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        if (!letter && c != '_' && c < 0x80 && (!i || c < '0' || c > '9'))
            return false;
    }
    return len;
}

static void enter_key(struct walk *w, const struct ras_value *key)
{
    if (key->kind == RAS_STR && is_identifier(key->at, key->count)) {
        if (w->path.len)
            out_byte(&w->path, '.');
        out_bytes(&w->path, key->at, key->count);
        return;
    }
    out_byte(&w->path, '[');
    json_python(&w->path, key, 0);
    out_byte(&w->path, ']');
}

static void differ(struct walk *w, const struct ras_value *a, const struct ras_value *b);

/* A value that only one side has, at the current path. */
static void one_sided(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    if (!ignored(w))
        put_row(w, a ? "missing_actual" : "missing_expected", a, b);
}

static void differ_lists(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *x = a + 1, *y = b + 1;
    const struct ras_value *x_end = ras_value_next(a), *y_end = ras_value_next(b);
    size_t n = members_of(a), m = members_of(b), here = w->path.len;
    if (n != m)
        put_row(w, "length_mismatch", &(struct ras_value){.kind = RAS_UINT, .u = n},
                &(struct ras_value){.kind = RAS_UINT, .u = m});
    for (size_t i = 0; (x < x_end || y < y_end) && w->rows < w->most; i++) {
        out_format(&w->path, "[%zu]", i);
        if (x < x_end && y < y_end)
            differ(w, x, y);
        else
            one_sided(w, x < x_end ? x : NULL, x < x_end ? NULL : y);
        w->path.len = here;
        x = x < x_end ? ras_value_next(x) : x;
        y = y < y_end ? ras_value_next(y) : y;
    }
}

static void differ_maps(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    size_t count, here = w->path.len;
    struct key_pair *pairs = key_pairs(a, b, w->how & FIELDS_SORTED, &count);
    w->doc->cells.nomem |= !pairs;
    for (size_t i = 0; i < count; i++) {
        const struct ras_value *const *values = pairs[i].values;
        enter_key(w, pairs[i].key);
        if (values[0] && values[1])
            differ(w, values[0], values[1]);
        else
            one_sided(w, values[0], values[1]);
        w->path.len = here;
    }
    free(pairs);
}

static void differ(struct walk *w, const struct ras_value *a, const struct ras_value *b)
{
    if (equal(a, b, w->how) || ignored(w) || near(w, a, b))
        return;
    if (type_of(a) != type_of(b) || (w->class_of && class_name(w, a) != class_name(w, b)))
        put_types(w, a, b);
    else if (a->kind == RAS_MAP)
        differ_maps(w, a, b);
    else if (a->kind == RAS_LIST)
        differ_lists(w, a, b);
    else if (w->how & FIELDS_BITS && is_nan(a) && is_nan(b))
        put_nans(w, a, b);
    else
        put_row(w, "value_mismatch", a, b);
}

static size_t compare_at(struct walk *w, const char *root, const struct ras_value *a,
                         const struct ras_value *b)
{
    out_text(&w->path, root);
    differ(w, a, b);
    w->doc->cells.nomem |= w->path.failed;
    out_free(&w->path);
    return w->rows;
}

size_t fields_compare(struct document *doc, const struct ras_compare_options *options,
                      const char *alias, const char *root, const struct ras_value *a,
                      const struct ras_value *b, unsigned how)
{
    struct walk w = {.doc = doc, .options = options, .alias = alias, .how = how, .most = SIZE_MAX};
    return compare_at(&w, root, a, b);
}

size_t fields_compare_typed(struct document *doc, const struct ras_compare_options *options,
                            const char *alias, const char *root, const struct ras_value *a,
                            const struct ras_value *b, unsigned how, fields_class *class_of)
{
    struct walk w = {.doc = doc,
                     .options = options,
                     .alias = alias,
                     .how = how,
                     .class_of = class_of,
                     .most = SIZE_MAX};
    return compare_at(&w, root, a, b);
}

size_t fields_compare_some(struct document *doc, const struct ras_compare_options *options,
                           const char *root, const struct ras_value *a, const struct ras_value *b,
                           unsigned how, size_t most)
{
    struct walk w = {.doc = doc, .options = options, .how = how, .most = most};
    return compare_at(&w, root, a, b);
}

size_t fields_compare_sides(struct document *doc, const struct ras_compare_options *options,
                            const char *alias, const char *root, struct document sides[2],
                            unsigned how)
{
    size_t rows = 0;
    doc->cells.nomem |= sides[0].cells.nomem || sides[1].cells.nomem;
    if (!doc->cells.nomem)
        rows = fields_compare(doc, options, alias, root, sides[0].cells.items, sides[1].cells.items,
                              how);
    document_free(&sides[0]);
    document_free(&sides[1]);
    return rows;
}

/* ---- bytes ------------------------------------------------------------------- */

enum { SHOWN = 32 }; /* bytes of each side, from the first difference on */

/* The bytes of a side that are shown. */
static struct ras_bytes shown_of(struct ras_bytes b, size_t from)
{
    size_t left = from < b.len ? b.len - from : 0;
    return (struct ras_bytes){left ? b.at + from : (const uint8_t *)"",
                              left < SHOWN ? left : SHOWN};
}

static bool is_printable(struct ras_bytes b)
{
    for (size_t i = 0; i < b.len; i++)
        if ((b.at[i] < 0x20 || b.at[i] >= 0x7f) && b.at[i] != '\n')
            return false;
    return b.len;
}

static void put_bytes(struct document *d, const char *key, struct ras_bytes b, size_t from,
                      bool text)
{
    struct ras_bytes shown = shown_of(b, from);
    document_key(d, key);
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "size", b.len);
    document_put_uint(d, "offset", from);
    document_key(d, text ? "text" : "bytes");
    struct ras_value cell = {
        .kind = text ? RAS_STR : RAS_BLOB, .count = (uint32_t)shown.len, .at = shown.at};
    document_copy(d, &cell);
    document_close(d, map);
}

size_t fields_bytes(struct document *doc, const struct ras_compare_options *options,
                    const char *path, struct ras_bytes a, struct ras_bytes b)
{
    size_t least = a.len < b.len ? a.len : b.len, from = 0;
    if (a.len == b.len && (!least || !memcmp(a.at, b.at, least)))
        return 0;
    if (compare_ignores(options, path))
        return 0;
    while (from < least && a.at[from] == b.at[from])
        from++;
    size_t row = fields_row(doc, path, "bytes_mismatch");
    struct ras_bytes x = shown_of(a, from), y = shown_of(b, from);
    bool text = (x.len || y.len) && (!x.len || is_printable(x)) && (!y.len || is_printable(y));
    put_bytes(doc, "expected", a, from, text);
    put_bytes(doc, "actual", b, from, text);
    document_close(doc, row);
    return 1;
}
