/* json_write.h - the writer of JSON: documents member by member, and single values.
 *
 * Only the writer puts commas, quotes, line breaks and brackets. Whatever the bytes,
 * the text is valid JSON and valid UTF-8, harmless to a terminal, and nothing is lost: characters
 * that would control a terminal are escaped, and a byte that is not UTF-8 becomes the lone
 * surrogate \udc80 .. \udcff (Python's "surrogateescape"), which no valid text can hold.
 *
 *     struct json j = json_start(&out, 0);
 *     json_object(&j, NULL);
 *     json_uint(&j, "seed", 7);
 *     json_array(&j, "names");
 *     json_text(&j, NULL, "a");
 *     json_close(&j);
 *     json_close(&j);                      {"seed":7,"names":["a"]}
 *
 * Failure sticks in `out`. ras_json_* of output.h are the same functions for a sink. */
#ifndef CODEC_JSON_WRITE_H
#define CODEC_JSON_WRITE_H

#include "base/out.h"

enum { JSON_LEVELS_MOST = 128 };

/* What the next item comes after. */
enum json_after { JSON_AFTER_OPEN, JSON_AFTER_ITEM, JSON_AFTER_KEY };

struct json {
    struct out *out;
    unsigned style; /* bits of enum ras_json_style */
    unsigned depth;
    enum json_after after;
    bool laid_out;   /* more than commas separates items */
    bool line;       /* the next item, or the end of its container, begins a line */
    unsigned indent; /* of that line */
    uint64_t maps[JSON_LEVELS_MOST / 64]; /* a bit per level: object or array */
};

static inline struct json json_start(struct out *out, unsigned style)
{
    return (struct json){
        .out = out, .style = style, .laid_out = style & (RAS_JSON_SPACED | RAS_JSON_LINES)};
}

/* The same for items of a container whose brackets the caller writes; `holds`: it has items
 * already. */
static inline struct json json_start_inside(struct out *out, unsigned style, bool holds)
{
    struct json j = json_start(out, style);
    j.depth = 1;
    j.after = holds ? JSON_AFTER_ITEM : JSON_AFTER_OPEN;
    return j;
}

/* Every value has a key inside an object and none (NULL) inside an array or outside. The key can
 * also be written before: json_key(), then the value with NULL. */
void json_key(struct json *j, const char *key);
void json_key_text(struct json *j, const void *bytes, size_t len);
/* The name of a type or a field, in which RAS_NAME_NUL is the character U+0000. */
void json_key_name(struct json *j, const char *name);

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_close(struct json *j); /* the innermost that is open */

void json_text(struct json *j, const char *key, const char *text); /* NULL: null */
/* The name of a type or a field; NULL: null. */
void json_name(struct json *j, const char *key, const char *name);
void json_string(struct json *j, const char *key, const void *bytes, size_t len);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_uint_or_null(struct json *j, const char *key, uint64_t value); /* RAS_NONE: null */
void json_int(struct json *j, const char *key, int64_t value);
void json_f64(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* "0x0012", with at least `digits` digits. */
void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits);
/* The bytes as one string of hexadecimal digits. */
void json_blob(struct json *j, const char *key, const void *bytes, size_t len);
/* A value in cells; see json_put_value(). */
void json_cell(struct json *j, const char *key, const struct ras_value *cell, unsigned flags);
/* Text that is JSON already: a value, or with json_members() one or more members of an object. */
void json_raw(struct json *j, const char *key, const void *text, size_t len);
void json_members(struct json *j, const void *text, size_t len);

/* The next item, or the end of its container, begins a line indented by N spaces. */
void json_line(struct json *j, unsigned indent);
/* The same between items: not before the first. */
void json_line_between(struct json *j, unsigned indent);
/* A line ends here: after a document. */
void json_newline(struct json *j);
/* Before a value that the caller writes to `out`. */
void json_lead(struct json *j);

/* ---- the same, inline ------------------------------------------------------------------ */

/* For hot paths and style 0, without pending line breaks. The compiler knows the state of a
 * local writer as long as no function that is not inline has its address. */

/* Before a value that the caller writes to `out`. */
static inline void json_lead_quick(struct json *j)
{
    if (j->after == JSON_AFTER_ITEM)
        out_byte(j->out, ',');
    j->after = j->depth ? JSON_AFTER_ITEM : JSON_AFTER_OPEN;
}

/* Text that is quoted already, with the comma before it, which is dropped before a first item:
 * a key, JSON_KEY("key"); a member; or a key with the object that it opens, JSON_OBJECT("key"). */
#define JSON_KEY(key)    ",\"" key "\":", sizeof(",\"" key "\":") - 1
#define JSON_OBJECT(key) ",\"" key "\":{", sizeof(",\"" key "\":{") - 1
static inline void json_put_quoted(struct json *j, const void *text, size_t len,
                                   enum json_after after)
{
    size_t skip = j->after != JSON_AFTER_ITEM;
    out_bytes(j->out, (const uint8_t *)text + skip, len - skip);
    j->after = after;
}
static inline void json_key_quoted(struct json *j, const void *text, size_t len)
{
    json_put_quoted(j, text, len, JSON_AFTER_KEY);
}

/* Whether the container at this depth, from 0, is an object. */
static inline bool json_in_object(const struct json *j, unsigned depth)
{
    return j->maps[depth / 64] >> depth % 64 & 1;
}

static inline void json_enter_quick(struct json *j, bool map)
{
    uint64_t bit = UINT64_C(1) << j->depth % 64, *word = &j->maps[j->depth / 64];
    *word = map ? *word | bit : *word & ~bit;
    j->depth++;
    j->after = JSON_AFTER_OPEN;
}
static inline void json_open_quick(struct json *j, bool map)
{
    json_lead_quick(j);
    out_byte(j->out, map ? '{' : '[');
    json_enter_quick(j, map);
}
static inline void json_object_quoted(struct json *j, const void *text, size_t len)
{
    json_put_quoted(j, text, len, JSON_AFTER_OPEN);
    json_enter_quick(j, true);
}
/* The ends of all that is open, and of the line. */
static inline void json_end_line_quick(struct json *j)
{
    uint8_t *p = out_reserve(j->out, j->depth + 1u);
    if (p) {
        j->out->len += j->depth + 1u;
        while (j->depth)
            *p++ = json_in_object(j, --j->depth) ? '}' : ']';
        *p = '\n';
    }
    j->after = JSON_AFTER_OPEN;
}

/* ---- single values ------------------------------------------------------------------- */

/* A quoted string; the same with everything but printable ASCII escaped, as Python does. */
void json_put_string(struct out *out, const void *bytes, size_t len);
void json_put_ascii(struct out *out, const void *bytes, size_t len);
void json_put_name(struct out *out, const char *name);
void json_put_blob(struct out *out, const void *bytes, size_t len);

/* The shortest text that reads back to the same bits; a float that JSON has no
 * number for is one of the strings "NaN", "Infinity", "-Infinity". */
void json_put_f64(struct out *out, double value);
void json_put_f32(struct out *out, float value);

/* One value: a cell and, of a container, the cells inside it. With RAS_HEX in
 * `flags` its integers, map keys aside, are "0x%016x" strings; with `float_bits`
 * its floats are {"bits":"0x...","text":"..."}. A map key that is not a string is
 * the JSON text of its value, in a string; keys may repeat. Containers nested
 * deeper than 64 are null, as are keys inside keys inside keys. */
void json_put_value(struct out *out, const struct ras_value *cell, unsigned flags, bool float_bits);
#endif
