/* where_property.c - every value of a record can be matched by a condition.
 *
 * For every golden: for each scalar of a record a condition for it is written; the record matches
 * it, does not match its opposite, and once a type was seen, evaluating allocates nothing. */
#include "codec/number.h"
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 4000 };

/* A condition that is being written. */
struct text {
    char at[4 * TEXT_MOST + 400];
    size_t len;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->len += (size_t)vsnprintf(t->at + t->len, sizeof t->at - t->len, fmt, args);
    va_end(args);
}

static void put_string(struct text *t, const struct ras_value *v)
{
    const uint8_t *at = v->at;
    put(t, "\"");
    for (uint32_t i = 0; i < v->count; i++)
        if (at[i] >= 0x20 && at[i] < 0x7f && at[i] != '"' && at[i] != '\\')
            put(t, "%c", at[i]);
        else
            put(t, "\\x%02x", at[i]);
    put(t, "\"");
}

static void put_float(struct text *t, const struct ras_value *v)
{
    char number[NUMBER_TEXT_SIZE + 1] = "";
    bool single = v->kind == RAS_F32;
    number[single ? f32_text(number, v->f32) : f64_text(number, v->f64)] = 0;
    const char *word = !strcmp(number, "inf")    ? "Infinity"
                       : !strcmp(number, "-inf") ? "-Infinity"
                                                 : number;
    put(t, "%s", word);
}

/* The value as it is written; false: it cannot be. */
static bool put_value(struct text *t, const struct ras_value *v)
{
    if ((v->kind == RAS_STR || v->kind == RAS_BLOB) && v->count > TEXT_MOST)
        return false;
    switch (v->kind) {
    case RAS_NULL:
        put(t, "null");
        return true;
    case RAS_BOOL:
        put(t, v->u ? "true" : "false");
        return true;
    case RAS_UINT:
        put(t, "%" PRIu64, v->u);
        return true;
    case RAS_INT:
        put(t, "%" PRId64, v->i);
        return true;
    case RAS_F32:
    case RAS_F64:
        put_float(t, v);
        return !isnan(v->kind == RAS_F32 ? (double)v->f32 : v->f64);
    case RAS_STR:
        put_string(t, v);
        return true;
    case RAS_BLOB:
        put(t, "x'");
        for (uint32_t i = 0; i < v->count; i++)
            put(t, "%02x", ((const uint8_t *)v->at)[i]);
        put(t, "'");
        return true;
    default:
        return false;
    }
}

/* ---- asking ---------------------------------------------------------------------------- */

static bool ask(const char *text, struct ras_trace *t, const struct ras_cursor *c,
                const struct ras_record *r)
{
    struct ras_where *w;
    struct ras_error err;
    bool matches = false, again = false;
    if (ras_where_parse(&w, text, &err) < 0 || ras_where_begin(w, t, &err) < 0) {
        complain("%.200s: %s", text, err.text);
        ras_where_free(w);
        return false;
    }
    if (ras_where_matches(w, c, r, &matches, &err) < 0)
        complain("%.200s: %s", text, err.text);
    uint64_t calls = heap_now().calls;
    if (ras_where_matches(w, c, r, &again, &err) < 0 || again != matches)
        complain("%.200s: not the same twice", text);
    if (heap_now().calls != calls)
        complain("%.200s: allocates", text);
    ras_where_free(w);
    return matches;
}

static void ask_for(struct ras_trace *t, const struct ras_cursor *c, const struct ras_record *r,
                    const struct ras_value *v)
{
    static struct text text;
    const struct ras_schema *s = ras_schema_of(c);
    const char *name = s->fields[v->field].name;
    for (unsigned i = 0; i < v->field; i++)
        if (!strcmp(s->fields[i].name, name))
            return; /* of two with the same name the first */
    if (strchr(name, '`'))
        return;
    text.len = 0;
    put(&text, "type == \"%s\" and values.`%s` == ", strpbrk(s->name, "\"\\") ? "" : s->name, name);
    if (strpbrk(s->name, "\"\\") || !put_value(&text, v))
        return;
    if (!ask(text.at, t, c, r))
        complain("%.300s does not find its record", text.at);
    text.len = 0;
    put(&text, "values.`%s` != ", name);
    put_value(&text, v);
    if (ask(text.at, t, c, r))
        complain("%.300s finds its record", text.at);
}

static void ask_for_all(struct ras_trace *t, const struct ras_cursor *c, const struct ras_record *r)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    for (size_t i = 0; i < count; i++) {
        ask_for(t, c, r, &v[i]);
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
}

void where_property(const struct goldens *g, enum effort effort)
{
    size_t most = effort == REDUCED ? 20 : effort == NORMAL ? 60 : 100000;
    for (size_t i = 0; i < g->count; i++) {
        struct ras_trace *t;
        struct ras_cursor *c;
        const struct ras_record *r;
        const struct golden *golden = &g->at[i];
        trial(golden->bytes, golden->size, "%s asked for its values", golden->name);
        if (golden_open(golden, &t, NULL) < 0)
            continue;
        if (ras_cursor_open(&c, t, NULL, NULL) == RAS_OK) {
            for (size_t n = 0; n < most && ras_next(c, &r, NULL) == RAS_OK; n++)
                ask_for_all(t, c, r);
            ras_cursor_close(c);
        }
        ras_close(t);
    }
}
