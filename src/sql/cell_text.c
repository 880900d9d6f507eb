/* cell_text.c - texts and bytes of a batch; JSON of what SQLite has no type for. */
#include "sql/cell_text.h"

static bool append_text(void *user, const void *bytes, size_t size)
{
    struct out *out = user;
    out_bytes(out, bytes, size);
    return !out->failed;
}

static struct ras_value scalar_of(const struct ras_column *c, enum ras_type type, size_t row)
{
    struct ras_value v = {.kind = RAS_NULL};
    if (cell_is_null(c, row))
        return v;
    if (type == RAS_T_BOOL)
        v.kind = RAS_BOOL;
    else if (type <= RAS_T_U64)
        v.kind = RAS_UINT;
    else if (type == RAS_T_I64)
        v.kind = RAS_INT;
    if (type <= RAS_T_I64) {
        v.i = cell_integer(c, type, row);
    } else if (type == RAS_T_F32) {
        v.kind = RAS_F32;
        v.f32 = ((const float *)c->values)[row];
    } else if (type == RAS_T_F64) {
        v.kind = RAS_F64;
        v.f64 = ((const double *)c->values)[row];
    } else if (type == RAS_T_TEXT) {
        uint32_t code = ((const uint32_t *)c->values)[row];
        v.kind = RAS_STR;
        v.at = c->names->at[code];
        v.count = c->names->len[code];
    } else if (type == RAS_T_BLOB) {
        v.kind = RAS_BLOB;
        v.at = (const uint8_t *)c->items->values + c->offsets[row];
        v.count = c->offsets[row + 1] - c->offsets[row];
    }
    return v;
}

/* A list, or a scalar where the column holds values of several types, as JSON. */
static struct ras_bytes json_of(struct cell_text *t, const struct ras_column *c,
                                const struct ras_column_about *about, size_t row)
{
    t->out.len = 0;
    if (!t->json && ras_json_open_callback(&t->json, append_text, &t->out, 0, NULL) < 0)
        return (struct ras_bytes){NULL, 0};
    if (about->type == RAS_T_LIST) {
        ras_json_array(t->json, NULL);
        for (uint32_t i = c->offsets[row]; i < c->offsets[row + 1]; i++) {
            struct ras_value v = scalar_of(c->items, about->item, i);
            ras_json_cell(t->json, NULL, &v, about->flags);
        }
        ras_json_end(t->json);
    } else {
        struct ras_value v = scalar_of(c, about->type, row);
        ras_json_cell(t->json, NULL, &v, about->flags);
    }
    ras_json_flush(t->json);
    return (struct ras_bytes){t->out.at, t->out.len};
}

struct ras_bytes cell_text_of(struct cell_text *t, const struct ras_column *c,
                              const struct ras_column_about *about, enum ras_type shown, size_t row)
{
    if (about->type == RAS_T_LIST || (shown == RAS_T_JSON && about->type != RAS_T_JSON))
        return json_of(t, c, about, row);
    if (about->type == RAS_T_TEXT) {
        uint32_t code = ((const uint32_t *)c->values)[row];
        return (struct ras_bytes){(const uint8_t *)c->names->at[code], c->names->len[code]};
    }
    return (struct ras_bytes){(const uint8_t *)c->items->values + c->offsets[row],
                              c->offsets[row + 1] - c->offsets[row]};
}

void cell_text_free(struct cell_text *t)
{
    if (t->json)
        (void)!ras_json_close(t->json, NULL);
    t->json = NULL;
    out_free(&t->out);
}
