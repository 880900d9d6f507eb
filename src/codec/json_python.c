/* json_python.c - values laid out as Python's json.dumps does it. */
#include "codec/json_python.h"
#include "base/memory.h"
#include "codec/json_write.h"
#include "codec/number.h"

#include <stdlib.h>

enum { DEPTH_MOST = 64 };

/* number.c writes floats as repr does; JSON has other words for what is no number. */
static void put_float(struct out *out, double value, unsigned how)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f64_text(text, value);
    bool minus = text[0] == '-';
    const char *word = text[minus] == 'n' ? "NaN" : text[minus] == 'i' ? "Infinity" : NULL;
    if (!word) {
        out_bytes(out, text, len);
        return;
    }
    const char *quote = how & JSON_NAN_QUOTED ? "\"" : "";
    out_format(out, "%s%s%s%s", quote, minus && word[0] == 'I' ? "-" : "", word, quote);
}

void python_scalar(struct out *out, const struct ras_value *cell, const struct python_words *words,
                   unsigned how)
{
    switch (cell->kind) {
    case RAS_BOOL:
        out_text(out, cell->u ? words->yes : words->no);
        return;
    case RAS_UINT:
        out_u64(out, cell->u);
        return;
    case RAS_INT:
        out_i64(out, cell->i);
        return;
    case RAS_F32:
    case RAS_F64:
        words->real(out, cell->kind == RAS_F32 ? (double)cell->f32 : cell->f64, how);
        return;
    case RAS_STR:
        words->text(out, cell->at, cell->count);
        return;
    case RAS_BLOB:
        words->blob(out, cell->at, cell->count);
        return;
    default:
        out_text(out, words->none);
    }
}

static void put_scalar(struct out *out, const struct ras_value *cell, unsigned how)
{
    static const struct python_words words = {"null",    "true",         "false",
                                              put_float, json_put_ascii, json_put_blob};
    python_scalar(out, cell, &words, how);
}

static int by_key(const void *a, const void *b)
{
    const struct ras_value *x = *(const struct ras_value *const *)a;
    const struct ras_value *y = *(const struct ras_value *const *)b;
    size_t least = x->count < y->count ? x->count : y->count;
    int order = least ? memcmp(x->at, y->at, least) : 0;
    if (order)
        return order;
    return x->count == y->count ? (x < y ? -1 : 1) : x->count < y->count ? -1 : 1;
}

/* The first cell of each member: elements, or keys, sorted if that is asked for. */
static const struct ras_value **members(const struct ras_value *cell, unsigned how, size_t *count)
{
    const struct ras_value **found = NULL;
    const struct ras_value *end = ras_value_next(cell);
    size_t room = 0;
    bool map = cell->kind == RAS_MAP;
    *count = 0;
    for (const struct ras_value *at = cell + 1; at < end;) {
        if (!array_grow(&found, &room, *count + 1, sizeof *found)) {
            free(found);
            return NULL;
        }
        found[(*count)++] = at;
        at = ras_value_next(map ? at + 1 : at);
    }
    if (map && how & JSON_SORTED && *count)
        qsort(found, *count, sizeof *found, by_key);
    return found;
}

/* A key that is no string is the text of its value. */
static void put_key(struct json *j, const struct ras_value *key, unsigned how)
{
    struct out text = {0};
    if (key->kind == RAS_STR) {
        json_key_text(j, key->at, key->count);
        return;
    }
    put_scalar(&text, key, how);
    json_key_text(j, text.at, text.len);
    j->out->failed |= text.failed;
    out_free(&text);
}

static void put_at(struct json *j, const struct ras_value *cell, unsigned how, unsigned depth)
{
    bool map = cell->kind == RAS_MAP;
    if ((!map && cell->kind != RAS_LIST) || depth == DEPTH_MOST) {
        json_lead(j);
        put_scalar(j->out, cell, how);
        return;
    }
    size_t count;
    const struct ras_value **found = members(cell, how, &count);
    j->out->failed |= cell->count && !found;
    (map ? json_object : json_array)(j, NULL);
    for (size_t i = 0; found && i < count; i++) {
        if (map)
            put_key(j, found[i], how);
        put_at(j, found[i] + map, how, depth + 1);
    }
    json_close(j);
    free(found);
}

void json_python(struct out *out, const struct ras_value *cell, unsigned how)
{
    struct json j = json_start(out, RAS_JSON_SPACED | RAS_JSON_ASCII |
                                        (how & JSON_INDENTED ? RAS_JSON_LINES : 0));
    put_at(&j, cell, how, 0);
}
