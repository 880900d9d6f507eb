/* aerogpu_compare_rows.c - rows of a report: the fields in which two units differ, and units that
 * only one side has.
 *
 * Derived values are not compared: the name of a value, the halves of a blob id, the bits of a
 * float whose value is compared. A field that names a blob is compared by the blob's content. */
#include "codec/sha256.h"
#include "formats/aerogpu/aerogpu_compare.h"
#include "formats/aerogpu/aerogpu_op.h"

#include <stdio.h>

enum { UPLOAD_RESOURCE = 0x104 };

static const struct ras_aero_op *unit_op(const struct aero_unit *u)
{
    return u->kind == AERO_UNIT_PACKET ? ras_aero_packet_op(u->opcode)
                                       : ras_aero_command_op(u->opcode, u->len);
}

/* The bytes after a packet's or command's own header. */
static struct ras_bytes unit_payload(const struct aero_side *s, const struct aero_unit *u)
{
    _Static_assert((int)RAS_AERO_PACKET_HEADER_SIZE == (int)RAS_AERO_COMMAND_HEADER_SIZE,
                   "one header for both");
    return aero_slice(aero_unit_bytes(s, u), RAS_AERO_PACKET_HEADER_SIZE, UINT64_MAX);
}

/* ---- rows ------------------------------------------------------------------------- */

static const char *path_to(const char *base, const char *name, char path[AERO_PATH])
{
    snprintf(path, AERO_PATH, *base ? "%s.%s" : "%s%s", base, name);
    return path;
}

static void row_value(struct aero_compare *m, const char *base, const char *name,
                      struct ras_value a, struct ras_value b)
{
    char path[AERO_PATH];
    const struct ras_compare_options *options = m->compare->options;
    m->rows.count +=
        fields_compare(m->rows.doc, options, NULL, path_to(base, name, path), &a, &b, FIELDS_BITS);
}

bool aero_numbers_same(const struct aero_number *n, const void *a, const void *b)
{
    while (n->name &&
           (n->flags & AERO_NOT_COMPARED || aero_number_of(n, a) == aero_number_of(n, b)))
        n++;
    return !n->name;
}

static struct ras_value number_value(const struct aero_number *n, uint64_t number, char text[24])
{
    if (!(n->flags & AERO_ADDRESS))
        return value_of_uint(number);
    snprintf(text, 24, "0x%016" PRIx64, number);
    return value_of_text(text);
}

void aero_number_rows(struct aero_compare *m, const char *base, const struct aero_number *n,
                      const void *a, const void *b)
{
    char x[24], y[24];
    for (; n->name; n++)
        if (!(n->flags & AERO_NOT_COMPARED) && aero_number_of(n, a) != aero_number_of(n, b))
            row_value(m, base, n->name, number_value(n, aero_number_of(n, a), x),
                      number_value(n, aero_number_of(n, b), y));
}

void aero_row_bytes(struct aero_compare *m, const char *base, const char *name, struct ras_bytes a,
                    struct ras_bytes b)
{
    char path[AERO_PATH];
    m->rows.count +=
        fields_bytes(m->rows.doc, m->compare->options, path_to(base, name, path), a, b);
}

static void row_length(struct aero_compare *m, const char *base, const char *name, uint64_t a,
                       uint64_t b)
{
    char path[AERO_PATH];
    const struct ras_value x = value_of_uint(a), y = value_of_uint(b);
    if (a == b || compare_ignores(m->compare->options, path_to(base, name, path)))
        return;
    fields_put_row(m->rows.doc, path, "length_mismatch", &x, &y);
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

/* A blob as a report shows it; differs_at SIZE_MAX: not reported. */
static void show_ref(struct document *d, const struct aero_ref *ref, size_t differs_at)
{
    const char *kind = ref->there ? ras_aero_blob_kind_name(ref->blob.kind) : NULL;
    if (!ref->blob_id) {
        document_null(d);
        return;
    }
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "blob_id", ref->blob_id);
    if (!ref->there) {
        document_put_bool(d, "missing", true);
    } else {
        document_key(d, "kind");
        if (kind)
            document_key(d, kind);
        else
            document_uint(d, ref->blob.kind);
        document_put_uint(d, "size", ref->blob.data.len);
        document_key(d, "sha256");
        put_digest(d, ref->blob.data);
    }
    if (differs_at != SIZE_MAX)
        document_put_uint(d, "differs_at", differs_at);
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

static void row_content(struct aero_compare *m, const char *base, const char *name,
                        const struct aero_ref *a, const struct aero_ref *b)
{
    char path[AERO_PATH];
    struct document *d = m->rows.doc;
    if (aero_refs_same(m, a, b) || compare_ignores(m->compare->options, path_to(base, name, path)))
        return;
    size_t at = first_difference(a, b), row = fields_row(d, path, "content_mismatch");
    document_key(d, "expected");
    show_ref(d, a, at);
    document_key(d, "actual");
    show_ref(d, b, at);
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

/* A number by its type; null where the payload ends before it. */
static struct ras_value number_of(const struct ras_aero_field *f, struct ras_bytes payload)
{
    if (payload.len < f->at + aero_field_width(f))
        return (struct ras_value){.kind = RAS_NULL};
    uint64_t bits = aero_field_number(f, payload);
    if (f->type == RAS_AERO_F32 || f->flags & RAS_AERO_BITS)
        return value_of_f32((uint32_t)bits);
    return f->type == RAS_AERO_I32 ? value_of_int((int32_t)(uint32_t)bits) : value_of_uint(bits);
}

static const char *pair_field_name(const struct pair *p, const struct ras_aero_field *f)
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
    row_content(p->m, p->base, f->alias, &refs[0], &refs[1]);
}

static void differ_number(const struct pair *p, const struct ras_aero_field *f)
{
    if (f->flags & RAS_AERO_ABSENT || f[1].flags & RAS_AERO_HAS_LO)
        return; /* not stored; or the low half of the next field */
    if (f->flags & RAS_AERO_HAS_LO) {
        differ_ref(p, f);
        return;
    }
    row_value(p->m, p->base, pair_field_name(p, f), number_of(f, p->payloads[0]),
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
    if (bytes_same(item.payloads[0], item.payloads[1]))
        return;
    if (f->type != RAS_AERO_STRUCT) {
        const struct ras_aero_field plain = {.type = f->type};
        row_value(p->m, p->base, name, number_of(&plain, item.payloads[0]),
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
    if (compare_ignores(p->m->compare->options, path_to(p->base, f->name, path)))
        return;
    row_length(p->m, p->base, f->name, n, k);
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

/* Of an upload to a texture: the pixel. */
static bool differ_pixel(const struct pair *p, const struct ras_aero_field *f)
{
    const struct ras_bytes data[2] = {span_of(p, f, 0), span_of(p, f, 1)};
    char path[AERO_PATH];
    if (p->units[0]->kind == AERO_UNIT_PACKET || p->units[0]->opcode != UPLOAD_RESOURCE ||
        compare_counts(p->m->compare) ||
        compare_ignores(p->m->compare->options, path_to(p->base, f->name, path)))
        return false;
    return aero_pixel_row(p->m, path, p->units, p->payloads, data);
}

/* Bytes; or the elements that follow in the table, if both are a layout. */
static void differ_bytes(const struct pair *p, const struct ras_aero_field *f)
{
    size_t before = p->m->rows.count;
    if (f[1].flags & RAS_AERO_LAYOUT && aero_field_promised(&f[1], p->payloads[0]) &&
        aero_field_promised(&f[1], p->payloads[1]))
        differ_list(p, &f[1]);
    if (p->m->rows.count == before && !differ_pixel(p, f))
        aero_row_bytes(p->m, p->base, f->name, span_of(p, f, 0), span_of(p, f, 1));
}

/* The end of the field that has this byte, and the start of the next one; `at` and UINT64_MAX if
 * there is none. */
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

/* Bytes that no field covers: padding between fields, and bytes of a newer ABI after them. */
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

/* The fields of two packets or commands of one opcode. */
static void op_rows(struct aero_compare *m, const char *base, const struct aero_unit *a,
                    const struct aero_unit *b)
{
    struct pair p = {.m = m,
                     .base = base,
                     .op = unit_op(a),
                     .units = {a, b},
                     .payloads = {unit_payload(&m->sides[0], a), unit_payload(&m->sides[1], b)}};
    if (!p.op || p.op != unit_op(b)) { /* unknown, or two forms of one opcode */
        aero_row_bytes(m, base, "payload", p.payloads[0], p.payloads[1]);
        return;
    }
    for (const struct ras_aero_field *f = p.op->fields; f->type != RAS_AERO_END; f++) {
        if (f->flags & RAS_AERO_LAYOUT)
            continue; /* compared with the bytes before it */
        if (f->flags & RAS_AERO_LIST)
            differ_list(&p, f);
        else if (f->type == RAS_AERO_BYTES || f->type == RAS_AERO_TEXT)
            differ_bytes(&p, f);
        else
            differ_number(&p, f);
    }
    differ_rest(&p);
}

enum { CELLS_SHOWN = 256 };

/* ---- paths ------------------------------------------------------------------------ */

static const char *op_name(const struct aero_unit *u, char name[16])
{
    const struct ras_aero_op *op = unit_op(u);
    snprintf(name, 16, "0x%x", u->opcode);
    return op ? op->name : name;
}

static void command_path(const struct aero_unit *u, char path[AERO_PATH])
{
    char name[16];
    const char *op = op_name(u, name);
    if (u->within == AERO_UNIT_STREAM)
        snprintf(path, AERO_PATH, "packets[%" PRIu32 "].commands[%" PRIu32 "].%s", u->index,
                 u->command, op);
    else if (u->within == AERO_UNIT_SUBMISSION)
        snprintf(path, AERO_PATH, "submissions[%" PRIu32 "].commands[%" PRIu32 "].%s", u->index,
                 u->command, op);
    else
        snprintf(path, AERO_PATH, "commands[%" PRIu32 "].%s", u->command, op);
}

/* What a unit is called: "packets[3].DRAW". */
static const char *unit_path(const struct aero_unit *u, char path[AERO_PATH])
{
    static const char *const names[AERO_UNIT_KINDS] = {
        [AERO_UNIT_STREAM] = "packets",
        [AERO_UNIT_UNKNOWN] = "packets",
        [AERO_UNIT_SUBMISSION] = "submissions",
        [AERO_UNIT_BLOB] = "blobs",
        [AERO_UNIT_GAP] = "gaps",
        [AERO_UNIT_ALLOC] = "entries",
    };
    char name[16];
    if (u->kind == AERO_UNIT_COMMAND)
        command_path(u, path);
    else if (u->kind == AERO_UNIT_PACKET)
        snprintf(path, AERO_PATH, "packets[%" PRIu32 "].%s", u->index, op_name(u, name));
    else if (u->kind == AERO_UNIT_PRESENT)
        snprintf(path, AERO_PATH, "present");
    else if (u->within == AERO_UNIT_TABLE) /* the header of a bare stream or table */
        snprintf(path, AERO_PATH, u->kind == AERO_UNIT_TABLE ? "table" : "stream");
    else
        snprintf(path, AERO_PATH, "%s[%" PRIu32 "]%s", names[u->kind], u->index,
                 u->kind == AERO_UNIT_STREAM ? ".stream" : "");
    return path;
}

/* ---- pairs ------------------------------------------------------------------------ */

static void stream_rows(struct aero_compare *m, const char *base, const struct ras_aero_stream *a,
                        const struct ras_aero_stream *b)
{
    aero_number_rows(m, base, aero_stream_numbers, a, b);
    aero_row_bytes(m, base, "trailing", a->trailing, b->trailing);
}

static void stream_unit_rows(struct aero_compare *m, const char *base, struct ras_bytes a,
                             struct ras_bytes b)
{
    struct ras_aero_stream x, y;
    if (ras_aero_stream_get(a, &x, NULL) == RAS_OK && ras_aero_stream_get(b, &y, NULL) == RAS_OK)
        stream_rows(m, base, &x, &y);
    else
        aero_row_bytes(m, base, "bytes", a, b);
}

static void table_unit_rows(struct aero_compare *m, const char *base, struct ras_bytes a,
                            struct ras_bytes b)
{
    struct ras_aero_alloc_table x, y;
    struct in p = in_bytes(a), q = in_bytes(b);
    aero_alloc_table_get(&p, &x);
    aero_alloc_table_get(&q, &y);
    aero_number_rows(m, base, aero_table_numbers, &x, &y);
}

static void alloc_unit_rows(struct aero_compare *m, const char *base, struct ras_bytes a,
                            struct ras_bytes b)
{
    struct ras_aero_alloc x, y;
    struct in p = in_bytes(a), q = in_bytes(b);
    aero_alloc_get(&p, &x);
    aero_alloc_get(&q, &y);
    aero_number_rows(m, base, aero_alloc_numbers, &x, &y);
    aero_row_bytes(m, base, "trailing", aero_slice(a, RAS_AERO_ALLOC_SIZE, UINT64_MAX),
                   aero_slice(b, RAS_AERO_ALLOC_SIZE, UINT64_MAX));
}

/* The tables of two submissions: entry by entry where both can be read. */
static void table_rows(struct aero_compare *m, const char *base, const struct aero_ref *a,
                       const struct aero_ref *b)
{
    struct ras_aero_alloc_table x, y;
    char path[AERO_PATH];
    const struct ras_compare_options *options = m->compare->options;
    size_t before = m->rows.count;
    bool all = !options->ignored_count && !options->tolerance_count;
    if (aero_refs_same(m, a, b))
        return;
    snprintf(path, sizeof path, "%.80s.alloc_table", base);
    if (compare_ignores(options, path))
        return;
    bool readable = aero_table_of(a, &x) && aero_table_of(b, &y);
    if (readable) {
        uint32_t least = x.entry_count < y.entry_count ? x.entry_count : y.entry_count;
        aero_number_rows(m, path, aero_table_numbers, &x, &y);
        row_length(m, path, "entries", x.entry_count, y.entry_count);
        for (uint32_t i = 0; i < least && !aero_rows_full(m); i++) {
            struct ras_aero_alloc p = ras_aero_alloc_at(&x, i), q = ras_aero_alloc_at(&y, i);
            snprintf(path, sizeof path, "%.80s.alloc_table.entries[%" PRIu32 "]", base, i);
            aero_number_rows(m, path, aero_alloc_numbers, &p, &q);
        }
    }
    if (!readable || (m->rows.count == before && all)) /* bytes that no field covers */
        row_content(m, base, "alloc_table", a, b);
}

static void range_rows(struct aero_compare *m, const char *base, const struct aero_unit *units[2],
                       const struct ras_aero_submission s[2], uint32_t i)
{
    char path[AERO_PATH];
    struct ras_aero_range a = ras_aero_range_at(&s[0], i), b = ras_aero_range_at(&s[1], i);
    struct aero_ref x = aero_ref_of(m, 0, units[0], a.blob_id);
    struct aero_ref y = aero_ref_of(m, 1, units[1], b.blob_id);
    snprintf(path, sizeof path, "%.80s.memory_ranges[%" PRIu32 "]", base, i);
    aero_number_rows(m, path, aero_range_numbers, &a, &b);
    row_content(m, path, "blob_id", &x, &y);
}

/* The commands of a readable stream are units of their own. */
static void cmd_stream_rows(struct aero_compare *m, const char *base,
                            const struct aero_unit *units[2], const struct ras_aero_submission s[2])
{
    struct ras_aero_stream a, b;
    char path[AERO_PATH];
    struct aero_ref x = aero_ref_of(m, 0, units[0], s[0].cmd_stream_blob_id);
    struct aero_ref y = aero_ref_of(m, 1, units[1], s[1].cmd_stream_blob_id);
    snprintf(path, sizeof path, "%.80s.stream", base);
    if (aero_stream_of(&x, &a) && aero_stream_of(&y, &b))
        stream_rows(m, path, &a, &b);
    else
        row_content(m, base, "cmd_stream_blob_id", &x, &y);
}

static struct ras_bytes extension_of(struct ras_bytes payload, const struct ras_aero_submission *s)
{
    return aero_slice(payload, RAS_AERO_SUBMISSION_SIZE, s->header_size - RAS_AERO_SUBMISSION_SIZE);
}

static void submission_rows(struct aero_compare *m, const char *base,
                            const struct aero_unit *units[2])
{
    struct ras_aero_submission s[2];
    struct ras_bytes payloads[2];
    for (int i = 0; i < 2; i++) {
        payloads[i] = aero_unit_bytes(&m->sides[i], units[i]);
        if (ras_aero_submission_get(payloads[i], &s[i], NULL) < 0)
            return; /* it was checked before: the file has changed */
    }
    aero_number_rows(m, base, aero_submission_numbers, &s[0], &s[1]);
    cmd_stream_rows(m, base, units, s);
    struct aero_ref a = aero_ref_of(m, 0, units[0], s[0].alloc_table_blob_id);
    struct aero_ref b = aero_ref_of(m, 1, units[1], s[1].alloc_table_blob_id);
    table_rows(m, base, &a, &b);
    uint32_t n = s[0].memory_range_count, k = s[1].memory_range_count;
    row_length(m, base, "memory_ranges", n, k);
    for (uint32_t i = 0; i < (n < k ? n : k) && !aero_rows_full(m); i++)
        range_rows(m, base, units, s, i);
    aero_row_bytes(m, base, "extension", extension_of(payloads[0], &s[0]),
                   extension_of(payloads[1], &s[1]));
    aero_row_bytes(m, base, "trailing", s[0].trailing, s[1].trailing);
}

static void blob_rows(struct aero_compare *m, const char *base, const struct aero_unit *units[2])
{
    struct aero_ref a = aero_unit_ref(&m->sides[0], units[0]);
    struct aero_ref b = aero_unit_ref(&m->sides[1], units[1]);
    row_content(m, base, "data", &a, &b);
}

void aero_pair_rows(struct aero_compare *m, const struct aero_unit *a, const struct aero_unit *b)
{
    char base[AERO_PATH];
    const struct aero_unit *units[2] = {a, b};
    struct ras_bytes x = aero_unit_bytes(&m->sides[0], a), y = aero_unit_bytes(&m->sides[1], b);
    size_t before = m->rows.count;
    unit_path(a, base);
    if (compare_ignores(m->compare->options, base))
        return;
    switch (a->kind) {
    case AERO_UNIT_PACKET:
    case AERO_UNIT_COMMAND:
        op_rows(m, base, a, b);
        break;
    case AERO_UNIT_SUBMISSION:
        submission_rows(m, base, units);
        break;
    case AERO_UNIT_STREAM:
        stream_unit_rows(m, base, x, y);
        break;
    case AERO_UNIT_TABLE:
        table_unit_rows(m, base, x, y);
        break;
    case AERO_UNIT_ALLOC:
        alloc_unit_rows(m, base, x, y);
        break;
    case AERO_UNIT_BLOB:
        blob_rows(m, base, units);
        break;
    default:
        aero_row_bytes(m, base, "bytes", x, y);
    }
    if (!before && m->rows.count)
        m->rows.first = *a;
    m->rows.units += m->rows.count > before;
}

/* ---- one-sided units ----------------------------------------------------------- */

/* A value, unless it is too long for a report. */
static void copy_short(struct document *d, const struct ras_value *v)
{
    bool bytes = v->kind == RAS_STR || v->kind == RAS_BLOB;
    if (bytes && v->count > COMPARE_BYTES_SHOWN)
        document_format(d, "%" PRIu32 " bytes", v->count);
    else if (!bytes && (v->kind == RAS_LIST || v->kind == RAS_MAP) && v->count > CELLS_SHOWN)
        document_format(d, "%" PRIu32 " values", v->count);
    else
        document_copy(d, v);
}

static void show_op(struct aero_compare *m, struct document *d, int side, const struct aero_unit *u)
{
    struct cells *c = &m->shown;
    char name[16];
    c->count = 0;
    if (!aero_fields_put(c, 0, unit_op(u), unit_payload(&m->sides[side], u), u->minor)) {
        m->nomem = true;
        document_null(d);
        return;
    }
    size_t map = document_open(d, RAS_MAP);
    document_put_text(d, "name", op_name(u, name));
    size_t fields = document_put_open(d, "fields", RAS_MAP);
    const struct ras_value *end = c->items + c->count;
    for (const struct ras_value *v = c->items + 1; v < end;) {
        document_copy(d, v++); /* the key */
        copy_short(d, v);
        v = ras_value_next(v);
    }
    document_close(d, fields);
    document_close(d, map);
}

/* All but the version of the record and its ranges. */
static void show_submission(struct aero_compare *m, struct document *d, struct ras_bytes payload)
{
    static const struct view all = {.values = true};
    struct ras_aero_submission s;
    struct cells *c = &m->shown;
    size_t map = document_open(d, RAS_MAP);
    c->count = 0;
    if (ras_aero_submission_get(payload, &s, NULL) == RAS_OK &&
        aero_submission_values(c, &all, &s)) {
        const struct ras_value *end = c->items + c->count;
        for (const struct ras_value *v = c->items + 1; v < end && v->kind == RAS_UINT; v++) {
            document_name(d, aero_submission_schema.fields[v->field].name);
            document_copy(d, v);
        }
    }
    m->nomem |= c->nomem;
    document_close(d, map);
}

static void show_unit(struct aero_compare *m, struct document *d, int side,
                      const struct aero_unit *u)
{
    struct ras_bytes b = aero_unit_bytes(&m->sides[side], u);
    struct ras_value cell = {.kind = RAS_BLOB, .count = (uint32_t)b.len, .at = b.at};
    struct aero_ref ref;
    switch (u->kind) {
    case AERO_UNIT_PACKET:
    case AERO_UNIT_COMMAND:
        show_op(m, d, side, u);
        return;
    case AERO_UNIT_SUBMISSION:
        show_submission(m, d, b);
        return;
    case AERO_UNIT_BLOB:
        ref = aero_unit_ref(&m->sides[side], u);
        show_ref(d, &ref, SIZE_MAX);
        return;
    case AERO_UNIT_PRESENT:
        document_bool(d, true);
        return;
    default:
        copy_short(d, &cell);
    }
}

void aero_lone_row(struct aero_compare *m, int side, const struct aero_unit *u)
{
    char path[AERO_PATH];
    struct document *d = m->rows.doc;
    if (compare_ignores(m->compare->options, unit_path(u, path)))
        return;
    size_t row = fields_row(d, path, side ? "missing_expected" : "missing_actual");
    for (int i = 0; i < 2; i++) {
        document_key(d, i ? "actual" : "expected");
        if (i == side)
            show_unit(m, d, side, u);
        else
            document_null(d);
    }
    document_close(d, row);
    m->rows.units++;
    if (!m->rows.count++)
        m->rows.first = *u;
}
