/* json_write.c - the writer of JSON: documents member by member, and single values. */
#include "codec/json_write.h"
#include "base/in.h"
#include "codec/number.h"
#include "codec/utf8.h"

#define DEPTH_MOST     64
#define KEY_DEPTH_MOST 3

static const char hex_digits[] = "0123456789abcdef";

/* The high bit of every byte that is below `limit`, at most 0x80. May also mark
 * bytes above a marked one, so it only shows whether there is any. */
static uint64_t bytes_below(uint64_t word, uint8_t limit)
{
    const uint64_t ones = 0x0101010101010101;
    return (word - ones * limit) & ~word & ones * 0x80;
}

static uint64_t bytes_equal(uint64_t word, uint8_t byte)
{
    return bytes_below(word ^ 0x0101010101010101 * byte, 1);
}

/* How many bytes, from the first, need no escape in a string. */
static size_t plain_prefix(const uint8_t *at, size_t len)
{
    size_t i = 0;
    for (; len - i >= 8; i += 8) {
        uint64_t word = load_u64(at + i);
        if ((word & 0x8080808080808080) || bytes_below(word, 0x20) || bytes_equal(word, '"') ||
            bytes_equal(word, '\\') || bytes_equal(word, 0x7f))
            break;
    }
    while (i < len) {
        unsigned fault;
        unsigned size =
            at[i] < 0x80 ? at[i] != '"' && at[i] != '\\' : utf8_sequence(at + i, len - i, &fault);
        if (!size || utf8_controls(at + i, size))
            break;
        i += size;
    }
    return i;
}

static void put_unit(struct out *out, unsigned unit)
{
    const char text[6] = {'\\',
                          'u',
                          hex_digits[unit >> 12],
                          hex_digits[unit >> 8 & 15],
                          hex_digits[unit >> 4 & 15],
                          hex_digits[unit & 15]};
    out_bytes(out, text, sizeof text);
}

/* Escape one character: `"`, `\\`, one that controls a terminal, a byte that is not UTF-8 or, for
 * ASCII text, one that is not printable ASCII. Returns its size. */
static size_t put_escape(struct out *out, const uint8_t *at, size_t len)
{
    static const char letters[128] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                      ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    unsigned fault;
    unsigned size = utf8_sequence(at, len, &fault);
    if (size == 1 && letters[at[0]]) {
        out_bytes(out, (char[]){'\\', letters[at[0]]}, 2);
    } else if (size == 4) {
        unsigned beyond =
            ((at[0] & 7u) << 18 | (at[1] & 63u) << 12 | (at[2] & 63u) << 6 | (at[3] & 63u)) -
            0x10000;
        put_unit(out, 0xd800 + (beyond >> 10));
        put_unit(out, 0xdc00 + (beyond & 0x3ff));
    } else {
        put_unit(out, size ? utf8_code_point(at, size) : 0xdc00u | at[0]);
    }
    return size ? size : 1;
}

static void string_inside(struct out *out, const uint8_t *at, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t plain = plain_prefix(at + i, len - i);
        out_bytes(out, at + i, plain);
        i += plain;
        if (i < len)
            i += put_escape(out, at + i, len - i);
    }
}

void json_put_string(struct out *out, const void *bytes, size_t len)
{
    out_byte(out, '"');
    if (len)
        string_inside(out, bytes, len);
    out_byte(out, '"');
}

void json_put_ascii(struct out *out, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    out_byte(out, '"');
    for (size_t i = 0; i < len;) {
        size_t plain = i;
        while (plain < len && at[plain] >= 0x20 && at[plain] < 0x7f && at[plain] != '"' &&
               at[plain] != '\\')
            plain++;
        out_bytes(out, at + i, plain - i);
        i = plain;
        if (i < len)
            i += put_escape(out, at + i, len - i);
    }
    out_byte(out, '"');
}

void json_put_name(struct out *out, const char *name)
{
    const char *nul;
    out_byte(out, '"');
    for (; (nul = strstr(name, RAS_NAME_NUL)); name = nul + strlen(RAS_NAME_NUL)) {
        string_inside(out, (const uint8_t *)name, (size_t)(nul - name));
        put_unit(out, 0);
    }
    string_inside(out, (const uint8_t *)name, strlen(name));
    out_byte(out, '"');
}

void json_put_blob(struct out *out, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    out_byte(out, '"');
    while (len) {
        size_t n = len < 4096 ? len : 4096; /* so that a drained buffer stays small */
        uint8_t *text = out_reserve(out, 2 * n);
        if (!text)
            return;
        for (size_t i = 0; i < n; i++) {
            text[2 * i] = (uint8_t)hex_digits[at[i] >> 4];
            text[2 * i + 1] = (uint8_t)hex_digits[at[i] & 15];
        }
        out->len += 2 * n;
        at += n;
        len -= n;
    }
    out_byte(out, '"');
}

/* The word for a float that JSON has no number for; NULL: it has one. */
static const char *special_word(const char *text)
{
    switch (text[0]) {
    case 'n':
        return "NaN";
    case 'i':
        return "Infinity";
    case '-':
        return text[1] == 'i' ? "-Infinity" : NULL;
    default:
        return NULL;
    }
}

static void put_number(struct out *out, const char *text, size_t len)
{
    const char *word = special_word(text);
    if (word)
        json_put_string(out, word, strlen(word));
    else
        out_bytes(out, text, len);
}

void json_put_f64(struct out *out, double value)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f64_text(text, value);
    put_number(out, text, len);
}

void json_put_f32(struct out *out, float value)
{
    char text[NUMBER_TEXT_SIZE];
    size_t len = f32_text(text, value);
    put_number(out, text, len);
}

static void put_float_bits(struct out *out, const struct ras_value *cell)
{
    char text[NUMBER_TEXT_SIZE];
    uint64_t bits;
    size_t len;
    if (cell->kind == RAS_F32) {
        uint32_t half;
        memcpy(&half, &cell->f32, sizeof half);
        bits = half;
        len = f32_text(text, cell->f32);
    } else {
        bits = cell->u;
        len = f64_text(text, cell->f64);
    }
    out_text(out, "{\"bits\":\"");
    out_hex(out, bits, cell->kind == RAS_F32 ? 8 : 16);
    out_text(out, "\",\"text\":\"");
    const char *word = special_word(text);
    out_bytes(out, word ? word : text, word ? strlen(word) : len);
    out_text(out, "\"}");
}

static void put_integer(struct out *out, const struct ras_value *cell, unsigned flags)
{
    if (flags & RAS_HEX) {
        out_byte(out, '"');
        out_hex(out, cell->u, 16);
        out_byte(out, '"');
    } else if (cell->kind == RAS_UINT) {
        out_u64(out, cell->u);
    } else {
        out_i64(out, cell->i);
    }
}

static void put_scalar(struct out *out, const struct ras_value *cell, unsigned flags,
                       bool float_bits)
{
    switch (cell->kind) {
    case RAS_BOOL:
        out_text(out, cell->u ? "true" : "false");
        return;
    case RAS_UINT:
    case RAS_INT:
        put_integer(out, cell, flags);
        return;
    case RAS_F32:
    case RAS_F64:
        if (float_bits)
            put_float_bits(out, cell);
        else if (cell->kind == RAS_F32)
            json_put_f32(out, cell->f32);
        else
            json_put_f64(out, cell->f64);
        return;
    case RAS_STR:
        json_put_string(out, cell->at, cell->count);
        return;
    case RAS_BLOB:
        json_put_blob(out, cell->at, cell->count);
        return;
    default:
        out_text(out, "null");
        return;
    }
}

static bool is_container(const struct ras_value *cell)
{
    return cell->kind == RAS_LIST || cell->kind == RAS_MAP;
}

static void put_value(struct out *out, const struct ras_value *cell, unsigned flags,
                      bool float_bits, unsigned key_depth);

/* A key whose text holds quotes has to be escaped, so it gets a buffer of its own;
 * such keys are rare. */
static void put_key(struct out *out, const struct ras_value *key, bool float_bits,
                    unsigned key_depth)
{
    if (key->kind == RAS_STR) {
        json_put_string(out, key->at, key->count);
        return;
    }
    if (key->kind <= RAS_INT) {
        out_byte(out, '"');
        put_scalar(out, key, 0, false);
        out_byte(out, '"');
        return;
    }
    struct out text = {0};
    put_value(&text, key, 0, float_bits, key_depth + 1);
    json_put_string(out, text.at, text.len);
    out->failed |= text.failed;
    out_free(&text);
}

/* An open container: where its cells begin and end. */
struct level {
    const struct ras_value *first, *end;
    bool map;
};

/* Write what comes before the next value inside `level`: a comma, a key. Returns
 * the value's cell, the end of the level after a key without value. */
static const struct ras_value *put_lead(struct out *out, const struct level *level,
                                        const struct ras_value *at, bool float_bits,
                                        unsigned key_depth)
{
    if (at != level->first)
        out_byte(out, ',');
    if (!level->map)
        return at;
    put_key(out, at, float_bits, key_depth);
    out_byte(out, ':');
    return ras_value_next(at);
}

/* `key_depth` is how many keys this value is inside: each of them escapes the
 * text once more, which doubles it, so only a few are allowed. */
static void put_value(struct out *out, const struct ras_value *cell, unsigned flags,
                      bool float_bits, unsigned key_depth)
{
    struct level levels[DEPTH_MOST];
    unsigned depth = 0;
    const struct ras_value *at = cell;
    const unsigned most = key_depth < KEY_DEPTH_MOST ? DEPTH_MOST : 0;
    for (;;) {
        if (depth && at == levels[depth - 1].end) {
            out_text(out, "null");
        } else if (is_container(at) && depth < most) {
            bool map = at->kind == RAS_MAP;
            out_byte(out, map ? '{' : '[');
            levels[depth++] = (struct level){at + 1, ras_value_next(at), map};
            at++;
        } else {
            put_scalar(out, at, flags, float_bits); /* null for a container too deep */
            at = ras_value_next(at);
        }
        for (; depth && at >= levels[depth - 1].end; depth--)
            out_byte(out, levels[depth - 1].map ? '}' : ']');
        if (!depth)
            return;
        at = put_lead(out, &levels[depth - 1], at, float_bits, key_depth);
    }
}

void json_put_value(struct out *out, const struct ras_value *cell, unsigned flags, bool float_bits)
{
    if (is_container(cell))
        put_value(out, cell, flags, float_bits, 0);
    else
        put_scalar(out, cell, flags, float_bits);
}

/* ---- documents ------------------------------------------------------------------------ */

static void put_line(struct json *j, unsigned indent)
{
    out_byte(j->out, '\n');
    while (indent--)
        out_byte(j->out, ' ');
}

static void put_due_line(struct json *j)
{
    put_line(j, j->indent);
    j->line = false;
    j->laid_out = j->style & (RAS_JSON_SPACED | RAS_JSON_LINES);
}

static void lay_out(struct json *j)
{
    if (j->after == JSON_AFTER_KEY)
        return;
    if (j->after == JSON_AFTER_ITEM)
        out_byte(j->out, ',');
    if (j->line)
        put_due_line(j);
    else if (j->style & RAS_JSON_LINES && j->depth)
        put_line(j, 2 * j->depth);
    else if (j->style & RAS_JSON_SPACED && j->after == JSON_AFTER_ITEM)
        out_byte(j->out, ' ');
}

void json_lead(struct json *j)
{
    if (j->laid_out) {
        lay_out(j);
        j->after = JSON_AFTER_OPEN;
    }
    json_lead_quick(j);
}

void json_line(struct json *j, unsigned indent)
{
    j->line = j->laid_out = true;
    j->indent = indent;
}

void json_line_between(struct json *j, unsigned indent)
{
    if (j->after == JSON_AFTER_ITEM)
        json_line(j, indent);
}

void json_newline(struct json *j)
{
    out_byte(j->out, '\n');
}

static void put_text(struct json *j, const void *bytes, size_t len)
{
    (j->style & RAS_JSON_ASCII ? json_put_ascii : json_put_string)(j->out, bytes, len);
}

static void end_key(struct json *j)
{
    out_bytes(j->out, ": ", j->style & (RAS_JSON_SPACED | RAS_JSON_LINES) ? 2 : 1);
    j->after = JSON_AFTER_KEY;
}

void json_key_text(struct json *j, const void *bytes, size_t len)
{
    json_lead(j);
    put_text(j, bytes, len);
    end_key(j);
}

void json_key_name(struct json *j, const char *name)
{
    json_lead(j);
    json_put_name(j->out, name);
    end_key(j);
}

void json_key(struct json *j, const char *key)
{
    json_key_text(j, key, strlen(key));
}

/* What comes before a value: its key, or the separator between items. */
static void begin_value(struct json *j, const char *key)
{
    if (key)
        json_key(j, key);
    json_lead(j);
}

static void open_level(struct json *j, const char *key, bool map)
{
    begin_value(j, key);
    j->after = JSON_AFTER_KEY;
    if (j->depth == JSON_LEVELS_MOST)
        j->out->failed = true;
    else
        json_open_quick(j, map);
}

void json_object(struct json *j, const char *key)
{
    open_level(j, key, true);
}

void json_array(struct json *j, const char *key)
{
    open_level(j, key, false);
}

void json_close(struct json *j)
{
    if (!j->depth) {
        j->out->failed = true;
        return;
    }
    if (j->line)
        put_due_line(j);
    else if (j->style & RAS_JSON_LINES && j->after != JSON_AFTER_OPEN)
        put_line(j, 2 * (j->depth - 1));
    j->depth--;
    out_byte(j->out, json_in_object(j, j->depth) ? '}' : ']');
    j->after = j->depth ? JSON_AFTER_ITEM : JSON_AFTER_OPEN;
}

void json_string(struct json *j, const char *key, const void *bytes, size_t len)
{
    begin_value(j, key);
    put_text(j, bytes, len);
}

void json_text(struct json *j, const char *key, const char *text)
{
    if (text)
        json_string(j, key, text, strlen(text));
    else
        json_null(j, key);
}

void json_name(struct json *j, const char *key, const char *name)
{
    if (name) {
        begin_value(j, key);
        json_put_name(j->out, name);
    } else {
        json_null(j, key);
    }
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    out_u64(j->out, value);
}

void json_uint_or_null(struct json *j, const char *key, uint64_t value)
{
    if (value == RAS_NONE)
        json_null(j, key);
    else
        json_uint(j, key, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    begin_value(j, key);
    out_i64(j->out, value);
}

void json_f64(struct json *j, const char *key, double value)
{
    begin_value(j, key);
    json_put_f64(j->out, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_value(j, key);
    out_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
    begin_value(j, key);
    out_text(j->out, "null");
}

void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits)
{
    begin_value(j, key);
    while (digits < 16 && (!digits || value >> 4 * digits))
        digits++;
    out_byte(j->out, '"');
    out_hex(j->out, value, digits);
    out_byte(j->out, '"');
}

void json_blob(struct json *j, const char *key, const void *bytes, size_t len)
{
    begin_value(j, key);
    json_put_blob(j->out, bytes, len);
}

void json_cell(struct json *j, const char *key, const struct ras_value *cell, unsigned flags)
{
    begin_value(j, key);
    json_put_value(j->out, cell, flags, false);
}

void json_raw(struct json *j, const char *key, const void *text, size_t len)
{
    begin_value(j, key);
    out_bytes(j->out, text, len);
}

void json_members(struct json *j, const void *text, size_t len)
{
    if (len)
        json_raw(j, NULL, text, len);
}
