/* aerogpu_compare_pixel.c - the first pixel in which two uploads to a texture differ.
 *
 * A texture may have been created long before, in frames that were passed as equal bytes: it is
 * looked for from the beginning of the trace, once, and then from where the search ended. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_op.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CREATE_TEXTURE2D = 0x101,
    PIXEL = 4,
    UPLOAD_HEAD = 24,
    CREATED = 56,
    TEXTURES_MOST = 1 << 16
};

/* Formats of four bytes a pixel, and where red, green, blue and alpha are. */
static const struct {
    uint32_t format;
    uint8_t order[PIXEL];
} layouts[] = {
    {1, {2, 1, 0, 3}}, {2, {2, 1, 0, 3}}, {3, {0, 1, 2, 3}}, {4, {0, 1, 2, 3}},
    {7, {2, 1, 0, 3}}, {8, {2, 1, 0, 3}}, {9, {0, 1, 2, 3}}, {10, {0, 1, 2, 3}},
};

static const uint8_t *channels_of(uint32_t format)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].format == format)
            return layouts[i].order;
    return NULL;
}

/* ---- textures ---------------------------------------------------------------------------- */

static void add_texture(struct aero_textures *t, const struct ras_record *r,
                        struct ras_bytes command)
{
    struct ras_bytes p = aero_slice(command, RAS_AERO_COMMAND_HEADER_SIZE, UINT64_MAX);
    if (p.len < 32 || t->count >= TEXTURES_MOST ||
        !array_grow(&t->rows, &t->room, t->count + 1, sizeof *t->rows))
        return;
    t->rows[t->count++] = (struct aero_texture){.offset = r->offset,
                                                .handle = load_u32(p.at),
                                                .format = load_u32(p.at + 8),
                                                .width = load_u32(p.at + 12),
                                                .height = load_u32(p.at + 16),
                                                .pitch = load_u32(p.at + 28)};
}

/* Take all textures that are created before this place of the file. */
static void search_up_to(struct aero_side *s, uint64_t offset)
{
    static const char *const fields[] = {"opcode"};
    const struct ras_pick pick = {.type = "command", .fields = fields, .field_count = 1};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    struct aero_textures *t = &s->textures;
    const struct ras_record *r = NULL;
    if (!t->cursor && ras_cursor_open(&t->cursor, s->trace, &scan, NULL) < 0)
        return;
    while (!t->ended && t->at < offset) {
        if (ras_next(t->cursor, &r, NULL) != RAS_OK) {
            t->ended = true;
            return;
        }
        const struct ras_value *opcode = ras_value_of(t->cursor, fields[0]);
        t->at = r->offset;
        if (opcode && opcode->kind == RAS_UINT && opcode->u == CREATE_TEXTURE2D)
            add_texture(t, r, aero_slice(source_bytes(s->trace->source, 0), r->offset, CREATED));
    }
}

/* The texture that the handle names when the unit comes; NULL: none that is known. */
static const struct aero_texture *texture_of(struct aero_side *s, const struct aero_unit *u,
                                             uint32_t handle)
{
    search_up_to(s, u->offset);
    for (size_t i = s->textures.count; i--;)
        if (s->textures.rows[i].handle == handle && s->textures.rows[i].offset < u->offset)
            return &s->textures.rows[i];
    return NULL;
}

void aero_textures_free(struct aero_textures *t)
{
    ras_cursor_close(t->cursor);
    free(t->rows);
    *t = (struct aero_textures){0};
}

/* ---- pixels ------------------------------------------------------------------------------ */

struct pixel {
    uint32_t x, y;
    uint64_t at; /* in the data */
    const uint8_t *order;
};

/* Where byte `from` of an upload at `offset` of the texture is. */
static bool pixel_of(const struct aero_texture *t, uint64_t offset, uint64_t from,
                     struct pixel *out)
{
    uint64_t pitch = t->pitch ? t->pitch : (uint64_t)t->width * PIXEL, place = offset + from;
    out->order = channels_of(t->format);
    if (!out->order || !pitch || place < offset || place / pitch >= t->height ||
        place % pitch / PIXEL >= t->width)
        return false;
    out->y = (uint32_t)(place / pitch);
    out->x = (uint32_t)(place % pitch / PIXEL);
    uint64_t begin = out->y * pitch + (uint64_t)out->x * PIXEL;
    out->at = begin - offset;
    return begin >= offset;
}

static void put_pixel(struct document *d, const char *key, struct ras_bytes data,
                      const struct pixel *p)
{
    const uint8_t *b = data.at + p->at, *o = p->order;
    char color[16];
    snprintf(color, sizeof color, "#%02x%02x%02x%02x", b[o[0]], b[o[1]], b[o[2]], b[o[3]]);
    document_key(d, key);
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "size", data.len);
    document_put_uint(d, "x", p->x);
    document_put_uint(d, "y", p->y);
    document_put_text(d, "color", color);
    document_close(d, map);
}

bool aero_pixel_row(struct aero_compare *m, const char *path,
                    const struct aero_unit *const units[2], const struct ras_bytes payloads[2],
                    const struct ras_bytes data[2])
{
    size_t least = data[0].len < data[1].len ? data[0].len : data[1].len, from = 0;
    struct pixel p[2];
    while (from < least && data[0].at[from] == data[1].at[from])
        from++;
    if (from == least || least < PIXEL)
        return false;
    for (int i = 0; i < 2; i++) {
        if (payloads[i].len < UPLOAD_HEAD)
            return false;
        uint64_t offset = load_u64(payloads[i].at + 8);
        const struct aero_texture *t = texture_of(&m->sides[i], units[i], load_u32(payloads[i].at));
        if (!t || !pixel_of(t, offset, from, &p[i]) || p[i].at > data[i].len - PIXEL)
            return false;
    }
    if (p[0].x != p[1].x || p[0].y != p[1].y || p[0].at != p[1].at)
        return false;
    size_t row = fields_row(m->rows.doc, path, "bytes_mismatch");
    put_pixel(m->rows.doc, "expected", data[0], &p[0]);
    put_pixel(m->rows.doc, "actual", data[1], &p[1]);
    document_close(m->rows.doc, row);
    m->rows.count++;
    return true;
}
