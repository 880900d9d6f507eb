/* cell.c - what a cell from JSON means: numbers, texts, bytes. */
#include "base/in.h"
#include "core/row.h"

#include <math.h>

/* "0x" and 1 to 16 digits. */
static bool hex_uint(const struct ras_value *cell, uint64_t *value)
{
    const uint8_t *at = cell->at;
    if (cell->kind != RAS_STR || cell->count < 3 || cell->count > 18 || at[0] != '0' ||
        (at[1] | 0x20) != 'x')
        return false;
    *value = 0;
    for (uint32_t i = 2; i < cell->count; i++) {
        if (hex_digit(at[i]) < 0)
            return false;
        *value = *value << 4 | (uint64_t)hex_digit(at[i]);
    }
    return true;
}

bool cell_uint(const struct ras_value *cell, uint64_t *value)
{
    *value = cell->u;
    return cell->kind == RAS_UINT || hex_uint(cell, value);
}

bool cell_int(const struct ras_value *cell, int64_t *value)
{
    *value = cell->i;
    return cell->kind == RAS_INT || (cell->kind == RAS_UINT && cell->u <= INT64_MAX);
}

bool cell_bool(const struct ras_value *cell, bool *value)
{
    *value = cell->kind == RAS_BOOL && cell->u;
    return cell->kind == RAS_BOOL;
}

static bool text_is(const struct ras_value *cell, const char *text)
{
    return cell->kind == RAS_STR && cell->count == strlen(text) &&
           !memcmp(cell->at, text, cell->count);
}

/* {"bits":...}, with its text or without, and nothing else beside it. */
static const struct ras_value *bits_in(const struct ras_value *cell)
{
    bool is_it =
        cell->kind == RAS_MAP && (cell->count == 2 || (cell->count == 4 && map_find(cell, "text")));
    return is_it ? map_find(cell, "bits") : NULL;
}

bool cell_f64(const struct ras_value *cell, double *value)
{
    uint64_t bits;
    const struct ras_value *exact = bits_in(cell);
    if (exact && hex_uint(exact, &bits)) {
        memcpy(value, &bits, sizeof bits);
        return true;
    }
    *value = cell->kind == RAS_F64        ? cell->f64
             : cell->kind == RAS_UINT     ? (double)cell->u
             : cell->kind == RAS_INT      ? (double)cell->i
             : text_is(cell, "NaN")       ? (double)NAN
             : text_is(cell, "Infinity")  ? (double)INFINITY
             : text_is(cell, "-Infinity") ? -(double)INFINITY
                                          : 0;
    return cell->kind == RAS_F64 || cell->kind == RAS_UINT || cell->kind == RAS_INT ||
           text_is(cell, "NaN") || text_is(cell, "Infinity") || text_is(cell, "-Infinity");
}

bool cell_f32(const struct ras_value *cell, uint32_t *bits)
{
    uint64_t exact;
    double wide;
    const struct ras_value *said = bits_in(cell);
    if (said && hex_uint(said, &exact) && exact <= UINT32_MAX) {
        *bits = (uint32_t)exact;
        return true;
    }
    if (!cell_f64(cell, &wide))
        return false;
    float narrow = (float)wide; /* the shortest text of a float reads back to it */
    memcpy(bits, &narrow, sizeof narrow);
    return true;
}

bool cell_text(const struct ras_value *cell, struct ras_bytes *text)
{
    *text = (struct ras_bytes){cell->kind == RAS_STR ? cell->at : NULL, cell->count};
    return cell->kind == RAS_STR;
}

bool cell_bytes(const struct ras_value *cell, struct arena *arena, struct ras_bytes *bytes)
{
    if (cell->kind != RAS_STR || cell->count % 2)
        return false;
    const uint8_t *at = cell->at;
    uint8_t *out = arena_take(arena, cell->count / 2 + 1u);
    for (uint32_t i = 0; out && i < cell->count; i += 2) {
        if (hex_digit(at[i]) < 0 || hex_digit(at[i + 1]) < 0)
            return false;
        out[i / 2] = (uint8_t)(hex_digit(at[i]) << 4 | hex_digit(at[i + 1]));
    }
    *bytes = (struct ras_bytes){out, cell->count / 2};
    return out != NULL;
}

const struct ras_value *map_find(const struct ras_value *map, const char *key)
{
    const struct ras_value *cell = map + 1, *end = ras_value_next(map);
    while (cell < end) {
        const struct ras_value *value = ras_value_next(cell);
        if (text_is(cell, key))
            return value;
        cell = ras_value_next(value);
    }
    return NULL;
}
