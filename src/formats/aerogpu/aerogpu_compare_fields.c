/* aerogpu_compare_fields.c - two packets or commands of one opcode, field by field.
 *
 * What is derived is not compared: the name of a value, the halves of a blob id, the bits
 * of a float whose value is told. A field that names a blob compares by its content. */
#include "codec/sha256.h"
#include "formats/aerogpu/aerogpu_compare.h"

#include <stdio.h>

/* ---- rows ------------------------------------------------------------------------- */

static const char *path_to(const char *base, const char *name, char path[AERO_PATH])
{
    snprintf(path, AERO_PATH, *base ? "%s.%s" : "%s%s", base, name);
    return path;
}

void aero_row_value(struct aero_compare *m, const char *base, const char *name, struct ras_value a,
                    struct ras_value b)
{
    char path[AERO_PATH];
    const struct ras_compare_options *asked = m->compare->asked;
    m->rows.count +=
        fields_compare(m->rows.doc, asked, NULL, path_to(base, name, path), &a, &b, FIELDS_BITS);
}

void aero_row_uint(struct aero_compare *m, const char *base, const char *name, uint64_t a,
                   uint64_t b)
{
    if (a != b)
        aero_row_value(m, base, name, value_of_uint(a), value_of_uint(b));
}

void aero_row_bytes(struct aero_compare *m, const char *base, const char *name, struct ras_bytes a,
                    struct ras_bytes b)
{
    char path[AERO_PATH];
    m->rows.count += fields_bytes(m->rows.doc, m->compare->asked, path_to(base, name, path), a, b);
}

void aero_row_length(struct aero_compare *m, const char *base, const char *name, uint64_t a,
                     uint64_t b)
{
    char path[AERO_PATH];
    struct document *d = m->rows.doc;
    if (a == b || compare_ignores(m->compare->asked, path_to(base, name, path)))
        return;
    size_t row = fields_row(d, path, "length_mismatch");
    document_key(d, "expected");
    document_uint(d, a);
    document_key(d, "actual");
    document_uint(d, b);
    document_close(d, row);
    m->rows.count++;
}

static void put_digest(struct document *d, struct ras_bytes data)
{
    uint8_t digest[SHA256_SIZE];
    char text[2 * SHA256_SIZE + 1];
    struct sha256 sha = sha256_start();
    sha256_add(&sha, data.at, data.len);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    document_text(d, text, sizeof text - 1);
}

void aero_ref_put(struct document *d, const struct aero_ref *ref, size_t differs_at)
{
    const char *kind = ref->there ? ras_aero_blob_kind_name(ref->blob.kind) : NULL;
    if (!ref->blob_id) {
        document_null(d);
        return;
    }
    size_t map = document_open(d, RAS_MAP);
    document_key(d, "blob_id");
    document_uint(d, ref->blob_id);
    if (!ref->there) {
        document_key(d, "missing");
        document_bool(d, true);
    } else {
        document_key(d, "kind");
        if (kind)
            document_key(d, kind);
        else
            document_uint(d, ref->blob.kind);
        document_key(d, "size");
        document_uint(d, ref->blob.data.len);
        document_key(d, "sha256");
        put_digest(d, ref->blob.data);
    }
    if (differs_at != SIZE_MAX) {
        document_key(d, "differs_at");
        document_uint(d, differs_at);
    }
    document_close(d, map);
}

/* The first byte that differs; SIZE_MAX where there is none. */
static size_t first_difference(const struct aero_ref *a, const struct aero_ref *b)
{
    struct ras_bytes x = a->blob.data, y = b->blob.data;
    size_t least = x.len < y.len ? x.len : y.len, at = 0;
    if (!a->there || !b->there)
        return SIZE_MAX;
    while (at < least && x.at[at] == y.at[at])
        at++;
    return at < least || x.len != y.len ? at : SIZE_MAX;
}

void aero_row_content(struct aero_compare *m, const char *base, const char *name,
                      const struct aero_ref *a, const struct aero_ref *b)
{
    char path[AERO_PATH];
    struct document *d = m->rows.doc;
    if (aero_refs_same(m, a, b) || compare_ignores(m->compare->asked, path_to(base, name, path)))
        return;
    size_t at = first_difference(a, b), row = fields_row(d, path, "content_mismatch");
    document_key(d, "expected");
    aero_ref_put(d, a, at);
    document_key(d, "actual");
    aero_ref_put(d, b, at);
    document_close(d, row);
    m->rows.count++;
}

/* ---- fields ----------------------------------------------------------------------- */

/* Two payloads of one opcode, or two items of one list in them. */
struct pair {
    struct aero_compare *m;
    const char *base;
    const struct ras_aero_op *op;
    const struct aero_unit *units[2];
    struct ras_bytes payloads[2];
};

/* A number as its type says; null where the payload ends before it. */
static struct ras_value number_of(const struct ras_aero_field *f, struct ras_bytes payload)
{
    if (payload.len < f->at + aero_field_width(f))
        return (struct ras_value){.kind = RAS_NULL};
    uint64_t bits = aero_field_number(f, payload);
    if (f->type == RAS_AERO_F32 || f->flags & RAS_AERO_BITS)
        return value_of_f32((uint32_t)bits);
    return f->type == RAS_AERO_I32 ? value_of_int((int32_t)(uint32_t)bits) : value_of_uint(bits);
}

static const char *name_of(const struct pair *p, const struct ras_aero_field *f)
{
    bool counts = f->flags & RAS_AERO_STAGE_EX;
    for (int i = 0; i < 2 && counts; i++)
        counts = aero_stage_ex_counts(p->op, p->payloads[i], p->units[i]->minor);
    if (counts)
        return "stage_ex";
    return f->flags & RAS_AERO_BITS ? f->alias : f->name;
}

static void differ_ref(const struct pair *p, const struct ras_aero_field *f)
{
    struct aero_ref refs[2];
    for (int i = 0; i < 2; i++) {
        bool there = p->payloads[i].len >= f->at + 4u;
        uint64_t id = there ? aero_field_whole(f, p->payloads[i]) : 0;
        refs[i] = aero_ref_of(p->m, i, p->units[i], id);
    }
    aero_row_content(p->m, p->base, f->alias, &refs[0], &refs[1]);
}

static void differ_number(const struct pair *p, const struct ras_aero_field *f)
{
    if (f->flags & RAS_AERO_ABSENT || f[1].flags & RAS_AERO_HAS_LO)
        return; /* not stored; the low half of what follows */
    if (f->flags & RAS_AERO_HAS_LO) {
        differ_ref(p, f);
        return;
    }
    aero_row_value(p->m, p->base, name_of(p, f), number_of(f, p->payloads[0]),
                   number_of(f, p->payloads[1]));
}

/* One element of a list, as a number or by its own fields. */
static void differ_element(const struct pair *p, const struct ras_aero_field *f, uint64_t i)
{
    char path[AERO_PATH], name[64];
    uint32_t width = aero_field_width(f);
    struct pair item = *p;
    snprintf(name, sizeof name, "%s[%" PRIu64 "]", f->name, i);
    for (int side = 0; side < 2; side++)
        item.payloads[side] = aero_slice(p->payloads[side], f->at + i * width, width);
    if (item.payloads[0].len == item.payloads[1].len &&
        !memcmp(item.payloads[0].at, item.payloads[1].at, item.payloads[0].len))
        return;
    if (f->type != RAS_AERO_STRUCT) {
        const struct ras_aero_field plain = {.type = f->type};
        aero_row_value(p->m, p->base, name, number_of(&plain, item.payloads[0]),
                       number_of(&plain, item.payloads[1]));
        return;
    }
    item.base = path_to(p->base, name, path);
    for (const struct ras_aero_field *at = f->item; at->type != RAS_AERO_END; at++)
        differ_number(&item, at);
}

static void differ_list(const struct pair *p, const struct ras_aero_field *f)
{
    uint64_t n = aero_field_present(f, p->payloads[0]), k = aero_field_present(f, p->payloads[1]);
    uint64_t least = n < k ? n : k;
    char path[AERO_PATH];
    if (compare_ignores(p->m->compare->asked, path_to(p->base, f->name, path)))
        return;
    aero_row_length(p->m, p->base, f->name, n, k);
    for (uint64_t i = 0; i < least && !aero_rows_full(p->m); i++)
        differ_element(p, f, i);
}

static struct ras_bytes span_of(const struct pair *p, const struct ras_aero_field *f, int side)
{
    struct ras_bytes b =
        aero_slice(p->payloads[side], f->at, aero_field_present(f, p->payloads[side]));
    if (f->type == RAS_AERO_TEXT)
        b.len = aero_text_len(b);
    return b;
}

/* Bytes; of a layout, where both are one, the elements that follow in the table. */
static void differ_bytes(const struct pair *p, const struct ras_aero_field *f)
{
    size_t before = p->m->rows.count;
    if (f[1].flags & RAS_AERO_LAYOUT && aero_field_promised(&f[1], p->payloads[0]) &&
        aero_field_promised(&f[1], p->payloads[1]))
        differ_list(p, &f[1]);
    if (p->m->rows.count == before)
        aero_row_bytes(p->m, p->base, f->name, span_of(p, f, 0), span_of(p, f, 1));
}

/* Where the field ends that has this byte, and where the next one begins: `at` and
 * UINT64_MAX where there is none. */
static uint64_t field_end(const struct ras_aero_op *op, struct ras_bytes payload, uint64_t at,
                          uint64_t *next)
{
    uint64_t end = at;
    *next = UINT64_MAX;
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++) {
        if (f->flags & RAS_AERO_ABSENT)
            continue;
        uint64_t last = f->at + aero_field_present(f, payload) * aero_field_width(f);
        if (f->at <= at && last > end)
            end = last;
        if (f->at > at && f->at < *next && last > f->at)
            *next = f->at;
    }
    return end;
}

/* What no field covers: padding between them, and what is newer than the table behind. */
static void differ_rest(const struct pair *p)
{
    struct ras_bytes a = p->payloads[0], b = p->payloads[1];
    uint64_t at = 0, next, end = 0, other = 0;
    while ((end = field_end(p->op, a, at, &next)) > at || next != UINT64_MAX) {
        if (end == at) {
            aero_row_bytes(p->m, p->base, "padding", aero_slice(a, at, next - at),
                           aero_slice(b, at, next - at));
            end = next;
        }
        at = end;
    }
    while ((end = field_end(p->op, b, other, &next)) > other || next != UINT64_MAX)
        other = end > other ? end : next;
    aero_row_bytes(p->m, p->base, "trailing", aero_slice(a, at, UINT64_MAX),
                   aero_slice(b, other, UINT64_MAX));
}

void aero_op_rows(struct aero_compare *m, const char *base, const struct aero_unit *a,
                  const struct aero_unit *b)
{
    struct pair p = {
        .m = m,
        .base = base,
        .op = aero_unit_op(a),
        .units = {a, b},
        .payloads = {aero_unit_payload(&m->sides[0], a), aero_unit_payload(&m->sides[1], b)}};
    if (!p.op || p.op != aero_unit_op(b)) { /* unknown, or two forms of one opcode */
        aero_row_bytes(m, base, "payload", p.payloads[0], p.payloads[1]);
        return;
    }
    for (const struct ras_aero_field *f = p.op->fields; f->type != RAS_AERO_END; f++) {
        if (f->flags & RAS_AERO_LAYOUT)
            continue; /* with the bytes before it */
        if (f->flags & RAS_AERO_LIST)
            differ_list(&p, f);
        else if (f->type == RAS_AERO_BYTES || f->type == RAS_AERO_TEXT)
            differ_bytes(&p, f);
        else
            differ_number(&p, f);
    }
    differ_rest(&p);
}
