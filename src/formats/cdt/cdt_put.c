/* cdt_put.c - one encoder for every struct of every schema, driven by its table.
 *
 * Python writes every key, nil if there is no value, ints in their shortest form and floats as
 * float64. Zig omits nil, takes ints from signed types and floats from float32, and has a few keys
 * more or less: see the tables. Container 2 is written as Python does: what Zig does with its
 * latest schemas is not known. */
#include "formats/cdt/cdt_put.h"
#include "base/error.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include "formats/cdt/cdt_encoder.h"

#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The layout of lists for the encoder, whatever they hold. */
struct list {
    const void *at;
    size_t count;
};

static uint8_t *encode_struct(struct cdt_encoder *e, uint8_t *p, const struct cdt_struct *s,
                              const uint8_t *from);

/* ---- problems and room ---------------------------------------------------- */

__attribute__((format(printf, 3, 4), cold)) static uint8_t *encode_fail(struct cdt_encoder *e,
                                                                        int status, const char *fmt,
                                                                        ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->problem->what, sizeof e->problem->what, fmt, args);
    va_end(args);
    e->problem->status = status;
    e->problem->at = 0;
    e->problem->path[0] = 0;
    return NULL;
}

__attribute__((noinline)) uint8_t *cdt_put_grow(struct cdt_encoder *e, const uint8_t *p, size_t n)
{
    struct out *out = e->out;
    if (p)
        out->len = (size_t)(p - out->at);
    uint8_t *at = out_room(out, n);
    if (!at)
        return encode_fail(e, RAS_EMEMORY, "out of memory");
    e->end = out->at + out->room;
    return at;
}

/* As float32 if that keeps the value; readers accept either. */
static uint8_t *put_f32(uint8_t *p, double v)
{
    float narrow = (float)v;
    double again = narrow;
    uint32_t bits;
    if (memcmp(&again, &v, sizeof v) != 0)
        return put_f64(p, v);
    memcpy(&bits, &narrow, sizeof bits);
    return put_tagged(p, PACK_F32, bits, 4);
}

static uint8_t *put_span(struct cdt_encoder *e, uint8_t *p, struct ras_bytes span)
{
    p = room(e, p, span.len + ROOM);
    return p && span.len ? (uint8_t *)memcpy(p, span.at, span.len) + span.len : p;
}

uint8_t *cdt_put_text(struct cdt_encoder *e, uint8_t *p, struct ras_bytes text)
{
    size_t n = text.len;
    if (!text_ok(text.at, n))
        return encode_fail(e, RAS_EUSAGE, "invalid UTF-8 in a str of %zu bytes", n);
    if (n < SHORT_TEXT)
        *p++ = (uint8_t)(0xa0 | n);
    else if (n <= UINT8_MAX)
        p = put_tagged(p, 0xd9, n, 1);
    else if (n <= UINT32_MAX)
        p = n <= UINT16_MAX ? put_tagged(p, 0xda, n, 2) : put_tagged(p, 0xdb, n, 4);
    else
        return encode_fail(e, RAS_ELIMIT, "a str of %zu bytes, the most are %" PRIu32, n,
                           UINT32_MAX);
    return put_span(e, p, text);
}

static uint8_t *put_bin(struct cdt_encoder *e, uint8_t *p, struct ras_bytes bytes)
{
    size_t n = bytes.len;
    if (n <= UINT8_MAX)
        p = put_tagged(p, 0xc4, n, 1);
    else if (n <= UINT32_MAX)
        p = n <= UINT16_MAX ? put_tagged(p, 0xc5, n, 2) : put_tagged(p, 0xc6, n, 4);
    else
        return encode_fail(e, RAS_ELIMIT, "%zu bytes, the most are %" PRIu32, n, UINT32_MAX);
    return put_span(e, p, bytes);
}

/* ---- containers ------------------------------------------------------------- */

static uint8_t *put_head(struct cdt_encoder *e, uint8_t *p, size_t count, bool map)
{
    if (count > UINT32_MAX)
        return encode_fail(e, RAS_ELIMIT, "%zu elements, the most are %" PRIu32, count, UINT32_MAX);
    return put_count(p, count, map ? 0x80 : 0x90, map ? 0xde : 0xdc);
}

/* Offset of the first text in a struct; 0: none. */
static size_t text_offset(const struct cdt_struct *s)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->fields[i].type == CDT_STR)
            return s->fields[i].offset;
    return 0;
}

/* Prefetches the cache lines that the next rows will fill: a chunk is larger than the first-level
 * caches. */
static inline void fetch_ahead(const struct cdt_encoder *e, const uint8_t *p)
{
    enum { AHEAD = 768, LINES = 4, LINE = 64 };
    if (e->end - p > AHEAD + LINES * LINE)
        for (int i = 0; i < LINES; i++)
            __builtin_prefetch(p + AHEAD + i * LINE, 1);
}

static uint8_t *put_list(struct cdt_encoder *e, uint8_t *p, const struct cdt_struct *of,
                         const struct list *list)
{
    const uint8_t *item = list->at;
    size_t text = text_offset(of);
    p = put_head(e, p, list->count, false);
    for (size_t i = 0; p && i < list->count; i++, item += of->size) {
        /* Rows are adjacent, but their texts may be anywhere. */
        if (text && i + 1 < list->count)
            __builtin_prefetch(((const struct ras_bytes *)(item + of->size + text))->at);
        fetch_ahead(e, p);
        p = encode_struct(e, p, of, item);
        if (!p)
            return inside(e, "[%zu]", i);
    }
    return p;
}

static uint8_t *encode_strs(struct cdt_encoder *e, uint8_t *p, const struct list *list)
{
    const struct ras_bytes *item = list->at;
    p = put_head(e, p, list->count, false);
    for (size_t i = 0; p && i < list->count; i++) {
        p = room(e, p, ROOM);
        p = p ? put_text(e, p, item[i]) : NULL;
        if (!p)
            return inside(e, "[%zu]", i);
    }
    return p;
}

static uint8_t *encode_ints(struct cdt_encoder *e, uint8_t *p, const struct ras_cdt_int *item,
                            size_t count, bool family)
{
    p = put_head(e, p, count, false);
    for (size_t i = 0; p && i < count; i++) {
        p = room(e, p, ROOM);
        p = p ? put_int(p, item[i].value, item[i].wide, family) : NULL;
    }
    return p;
}

/* Arrays of arrays, `depth` of them above the arrays of ints. */
static uint8_t *encode_counts(struct cdt_encoder *e, uint8_t *p, unsigned depth,
                              const struct list *list)
{
    if (!depth)
        return encode_ints(e, p, list->at, list->count, e->zig);
    const struct list *item = list->at;
    p = put_head(e, p, list->count, false);
    for (size_t i = 0; p && i < list->count; i++) {
        p = room(e, p, ROOM);
        p = p ? encode_counts(e, p, depth - 1, &item[i]) : NULL;
    }
    return p;
}

static uint8_t *encode_timers(struct cdt_encoder *e, uint8_t *p, const struct list *list)
{
    const struct ras_cdt_timer *item = list->at;
    p = put_head(e, p, list->count, true);
    for (size_t i = 0; p && i < list->count; i++) {
        p = room(e, p, ROOM);
        p = p ? put_text(e, p, item[i].key) : NULL;
        p = p ? room(e, p, ROOM) : NULL;
        if (!p)
            return inside(e, ".<key>");
        p = put_int(p, item[i].value.value, item[i].value.wide, e->zig);
    }
    return p;
}

static uint8_t *put_fixed(struct cdt_encoder *e, uint8_t *p, const struct cdt_field *f,
                          const struct ras_cdt_int *item)
{
    for (unsigned i = 0; f->type == CDT_FIXED_POS && i < f->fixed; i++)
        if (item[i].value < 0 && !item[i].wide) {
            encode_fail(e, RAS_EUSAGE, "expected int >= 0, got %" PRId64, item[i].value);
            return inside(e, "[%u]", i);
        }
    return encode_ints(e, p, item, f->fixed, e->zig && f->zig != CDT_ZIG_UNSIGNED);
}

/* spec of container 2: every float is finite and has the value of a float32. */
static uint8_t *put_real(struct cdt_encoder *e, uint8_t *p, double v)
{
    float narrow = v >= -FLT_MAX && v <= FLT_MAX ? (float)v : 0;
    if (v != (double)narrow)
        return encode_fail(e, RAS_EUSAGE, "%.17g is not a finite float32", v);
    return put_f64(p, v);
}

static uint8_t *put_range(struct cdt_encoder *e, uint8_t *p, const struct cdt_field *f, int64_t v)
{
    if (v < f->number || v > (int64_t)f->most)
        return encode_fail(e, RAS_EUSAGE, "%" PRId64 " is not within %" PRId64 " and %" PRIu32, v,
                           f->number, f->most);
    return put_int(p, v, false, false);
}

/* An array may not have fewer elements, or ints than a length demands. */
static bool length_fits(const struct cdt_field *f, const struct list *list)
{
    if (!f->narrow || !f->fixed)
        return true;
    return f->type == CDT_LIST ? list->count >= f->fixed : list->count == f->fixed;
}

/* Members that are rare or of variable length. */
uint8_t *cdt_put_other(struct cdt_encoder *e, uint8_t *p, const struct cdt_field *f,
                       const uint8_t *from)
{
    const struct list *list = (const struct list *)from;
    if (!length_fits(f, list))
        return encode_fail(e, RAS_EUSAGE, "%zu elements, expected %u", list->count, f->fixed);
    switch (f->type) {
    case CDT_REAL:
        return put_real(e, p, *(const double *)from);
    case CDT_RANGE:
        return put_range(e, p, f, *(const int64_t *)from);
    case CDT_CHAR:
        return put_text(e, p, *(const struct ras_bytes *)from);
    case CDT_WEAPON:
        if (*(const uint64_t *)from > 53)
            return encode_fail(e, RAS_EUSAGE, "invalid enum value %" PRId64,
                               *(const int64_t *)from);
        return put_uint(p, *(const uint64_t *)from);
    case CDT_STRUCT:
        return encode_struct(e, p, f->of, from);
    case CDT_BIN:
        return put_bin(e, p, *(const struct ras_bytes *)from);
    case CDT_LIST:
    case CDT_UNION:
        return put_list(e, p, f->of, list);
    case CDT_STRS:
        return encode_strs(e, p, list);
    case CDT_INTS:
        return encode_ints(e, p, list->at, list->count, e->zig);
    case CDT_COUNTS:
        return encode_counts(e, p, 2, list);
    case CDT_TIMERS:
        return encode_timers(e, p, list);
    default:
        return put_fixed(e, p, f, (const struct ras_cdt_int *)from);
    }
}

/* ---- structs ------------------------------------------------------------------ */

/* One member as zig writes it. */
static uint8_t *put_member(struct cdt_encoder *e, uint8_t *p, const struct cdt_field *f,
                           const uint8_t *from, bool wide)
{
    switch (f->type) {
    case CDT_FLOAT:
        return (f->zig == CDT_ZIG_F64 ? put_f64 : put_f32)(p, *(const double *)from);
    case CDT_INT:
        return put_int(p, *(const int64_t *)from, wide, f->zig != CDT_ZIG_UNSIGNED);
    case CDT_BOOL:
        return put_bool(p, *(const bool *)from);
    case CDT_STR:
        return put_text(e, p, *(const struct ras_bytes *)from);
    default:
        return cdt_put_other(e, p, f, from);
    }
}

static bool is_nil(const struct cdt_field *f, uint32_t present, unsigned i)
{
    return cdt_may_be_nil(f->need) && !(present >> cdt_bit(f, i) & 1);
}

/* How many keys zig writes for the struct. */
static unsigned zig_count(const struct cdt_struct *s, uint32_t present)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (f->zig != CDT_ZIG_DROP && !is_nil(f, present, i))
            count += f->zig == CDT_ZIG_HASHES ? 3 : 1;
    }
    return count;
}

static uint8_t *put_hashes(struct cdt_encoder *e, uint8_t *p)
{
    static const char hashes[] = "\xaastate_hash\xa0\xac"
                                 "command_hash\xa0";
    p = room(e, p, ROOM + sizeof hashes);
    return p ? (uint8_t *)memcpy(p, hashes, sizeof hashes - 1) + sizeof hashes - 1 : NULL;
}

static uint8_t *put_zig(struct cdt_encoder *e, uint8_t *p, const struct cdt_struct *s,
                        const uint8_t *from)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)from;
    uint32_t present = s->plain ? 0 : node->present, wides = s->plain ? 0 : node->wide;
    p = put_count(p, zig_count(s, present), 0x80, 0xde);
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (f->zig == CDT_ZIG_DROP || is_nil(f, present, i))
            continue;
        p = room(e, p, ROOM);
        if (p && f->zig == CDT_ZIG_HASHES)
            p = put_hashes(e, p);
        if (!p)
            return NULL;
        p = put_member(e, put_key(p, f), f, from + f->offset, wides >> i & 1);
        if (!p)
            return inside(e, ".%s", f->name);
    }
    return p;
}

static uint8_t *encode_struct(struct cdt_encoder *e, uint8_t *p, const struct cdt_struct *s,
                              const uint8_t *from)
{
    if (s->variants && (s = cdt_variant(s, from))->variants)
        return encode_fail(e, RAS_EUSAGE, "an operation of unknown type");
    p = room(e, p, ROOM * (s->count + 1u));
    if (!p)
        return NULL;
    if (e->zig)
        return put_zig(e, p, s, from);
    return s->put ? s->put(e, p, from) : put_members(e, p, s, from);
}

bool cdt_encode(const struct cdt_struct *s, const void *from, enum ras_cdt_style style,
                struct out *out, struct cdt_problem *problem)
{
    struct cdt_encoder e = {.out = out, .zig = style == RAS_CDT_ZIG, .problem = problem};
    size_t before = out->len;
    problem->ignored = 0;
    uint8_t *p = cdt_put_grow(&e, NULL, ROOM);
    p = p ? encode_struct(&e, p, s, from) : NULL;
    if (p) {
        out->len = (size_t)(p - out->at);
        return true;
    }
    out->len = before;
    out->failed = false;
    cdt_problem_inside(problem, "$");
    return false;
}

size_t cdt_block_head_put(int64_t start_tick, int64_t end_tick, uint32_t count,
                          enum ras_cdt_style style, uint8_t *to)
{
    const struct cdt_struct *s = &cdt_tick_block;
    bool zig = style == RAS_CDT_ZIG;
    uint8_t buffer[3 * ROOM], *p = put_count(buffer, s->count, 0x80, 0xde);
    for (unsigned i = 0; i < s->count; i++) {
        p = put_key(p, &s->fields[i]);
        if (i < 2)
            p = put_int(p, i ? end_tick : start_tick, false, zig);
    }
    p = put_count(p, count, 0x90, 0xdc);
    size_t size = (size_t)(p - buffer);
    memcpy(to, buffer, size);
    return size;
}

/* ---- chunks: checksum, compression, header ----------------------------------------------- */

int cdt_refuse(const struct cdt_problem *problem, uint64_t at, struct ras_error *err)
{
    if (problem->status == RAS_EMEMORY)
        return fail_memory(err);
    return fail(err, problem->status, at, "%s at %s", problem->what, problem->path);
}

int cdt_chunk_seal(struct out *out, struct ras_cdt_chunk *chunk, struct ras_bytes payload,
                   struct zstd_maker *zstd, struct ras_error *err)
{
    if (payload.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a chunk of %zu bytes, the most are %" PRIu32,
                    payload.len, UINT32_MAX);
    size_t size = zstd ? zstd_chunk_bound(payload.len) : payload.len;
    uint8_t *head = out_room(out, RAS_CDT_CHUNK_HEADER_SIZE + size);
    if (!head)
        return fail_memory(err);
    uint8_t *body = head + RAS_CDT_CHUNK_HEADER_SIZE;
    if (!zstd)
        memcpy(body, payload.at, size);
    else if (!(size = zstd_chunk_put(zstd, payload, body, size)))
        return fail_memory(err);
    chunk->flags = RAS_CDT_FLAG_MSGPACK | (zstd ? RAS_CDT_FLAG_ZSTD : 0u);
    chunk->compressed_len = (uint32_t)size;
    chunk->uncompressed_len = (uint32_t)payload.len;
    chunk->checksum64 = blake2b64(payload.at, payload.len);
    ras_cdt_chunk_put(chunk, head);
    out->len += RAS_CDT_CHUNK_HEADER_SIZE + size;
    return RAS_OK;
}

int cdt_struct_seal(struct out *out, enum ras_cdt_kind kind, const void *from,
                    const struct cdt_model *model, enum ras_cdt_style style, struct ras_error *err)
{
    struct ras_cdt_chunk chunk = {.kind = kind, .start_tick = -1, .end_tick = -1};
    bool packed = cdt_is_packed(model, style);
    struct zstd_maker *zstd = packed ? zstd_maker_new(CDT_ZSTD_LEVEL) : NULL;
    struct out payload = {0};
    struct cdt_problem problem;
    int status = RAS_OK;
    if (packed && !zstd)
        status = fail_memory(err);
    else if (!cdt_encode(kind == RAS_CDT_META ? model->meta : model->footer, from, style, &payload,
                         &problem))
        status = cdt_refuse(&problem, RAS_NONE, err);
    if (status == RAS_OK)
        status =
            cdt_chunk_seal(out, &chunk, (struct ras_bytes){payload.at, payload.len}, zstd, err);
    zstd_maker_free(zstd);
    out_free(&payload);
    return status;
}

struct ras_cdt_tick_block_index_entry cdt_index_entry(const struct ras_cdt_chunk *chunk,
                                                      uint64_t offset)
{
    enum { CHECKSUM = 5 };
    return (struct ras_cdt_tick_block_index_entry){.node = {.wide = 1u << CHECKSUM},
                                                   .start_tick = chunk->start_tick,
                                                   .end_tick = chunk->end_tick,
                                                   .file_offset = (int64_t)offset,
                                                   .compressed_len = chunk->compressed_len,
                                                   .uncompressed_len = chunk->uncompressed_len,
                                                   .checksum = chunk->checksum64};
}

struct ras_cdt_trace_meta cdt_meta_plain(const struct cdt_model *model, bool typed,
                                         enum ras_cdt_style style, int64_t first, int64_t last,
                                         uint64_t rows)
{
    const char *impl = style == RAS_CDT_ZIG ? "zig" : "python";
    return (struct ras_cdt_trace_meta){
        .trace_format_version = model->container,
        .trace_schema_version = typed ? model->schema : 0,
        .producer = {.impl = {(const uint8_t *)impl, strlen(impl)}},
        .tick_range = {.start_tick = first, .end_tick = last, .tick_count = (int64_t)rows}};
}

void cdt_bounds_add(struct cdt_bounds *b, int64_t first, int64_t last, uint64_t rows)
{
    int64_t low = first < last ? first : last, high = first < last ? last : first;
    b->first = b->rows ? b->first : first;
    b->last = last;
    b->low = b->rows && b->low < low ? b->low : low;
    b->high = b->rows && b->high > high ? b->high : high;
    b->rows += rows;
}

struct ras_cdt_trace_footer cdt_footer_of(const struct cdt_bounds *b,
                                          const struct ras_cdt_tick_block_index_entry *index,
                                          size_t count)
{
    bool ordered = b->first <= b->last;
    int64_t first = ordered ? b->first : b->low, last = ordered ? b->last : b->high;
    return (struct ras_cdt_trace_footer){.tick_blocks = {index, count},
                                         .tick_count = (int64_t)b->rows,
                                         .first_tick = first < 0 ? 0 : first,
                                         .last_tick = last < 0 ? 0 : last};
}
