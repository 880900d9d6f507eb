/* value.c - values of records as text. */
#include "view/value.h"

#include <inttypes.h>
#include <stdio.h>

/* A value whose text has about as many bytes; no more than `most` cells are counted. */
static size_t value_size(const struct ras_value *value, size_t most)
{
    size_t size = 0;
    const struct ras_value *end = ras_value_next(value);
    for (; value < end && size <= most; value++)
        size += value->kind == RAS_STR || value->kind == RAS_BLOB ? 4 + value->count : 4;
    return size;
}

static bool put_text_cut(struct json *j, const char *key, const struct ras_value *value,
                         size_t most)
{
    bool cut = value->count > most;
    size_t len = cut ? most : value->count;
    const uint8_t *text = value->at;
    while (cut && len && (text[len] & 0xc0) == 0x80) /* not inside a character */
        len--;
    json_string(j, key, text, len);
    return !cut;
}

static bool put_list_cut(struct json *j, const char *key, const struct ras_value *value)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRIu32 " values", value->count);
    json_text(j, key, text);
    return false;
}

bool json_value_text(struct json *j, const char *key, const struct ras_value *value, unsigned flags,
                     size_t most)
{
    if (value->kind == RAS_NULL) {
        json_null(j, key);
        return true;
    }
    if (value->kind == RAS_STR)
        return put_text_cut(j, key, value, most);
    if (value->kind == RAS_BLOB) {
        bool cut = value->count > most / 2;
        json_blob(j, key, value->at, cut ? most / 2 : value->count);
        return !cut;
    }
    if (value_size(value, most) > most)
        return put_list_cut(j, key, value);
    struct out text = {0};
    json_put_value(&text, value, flags, false);
    if (text.failed)
        j->out->failed = true;
    else if (text.at[0] == '"')
        json_raw(j, key, text.at, text.len);
    else
        json_string(j, key, text.at, text.len);
    out_free(&text);
    return true;
}

const char *unit_text(unsigned unit)
{
    static const char *const names[] = {
        [RAS_UNIT_NS] = "ns",     [RAS_UNIT_MS] = "ms",       [RAS_UNIT_S] = "s",
        [RAS_UNIT_TICK] = "tick", [RAS_UNIT_BYTES] = "bytes", [RAS_UNIT_PERCENT] = "%",
    };
    return unit < sizeof names / sizeof *names ? names[unit] : NULL;
}
