/* cdt_roundtrip.c - CDT traces encoded again: the same payloads, chunk by chunk.
 *
 * Way 0 hands on the bytes of each row; way 1 writes each struct by its members. What
 * is compressed depends on zstd's version, so payloads are compared, and of the footer
 * what does not follow from their size. A payload in a form that no producer writes (a
 * wide int, keys unknown, left out or in another order) is held to its values. */
#include "base/memory.h"
#include "codec/msgpack.h"
#include "formats/cdt/cdt_load.h"
#include "roundtrip.h"

#include <stdlib.h>
#include <string.h>

struct list {
    const void *at;
    size_t count;
};

/* ---- are two structs the same? ------------------------------------------------------------ */

static bool same_struct(const struct cdt_struct *s, const uint8_t *a, const uint8_t *b);

static bool same_bytes(const struct ras_bytes *a, const struct ras_bytes *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->at, b->at, a->len));
}

static bool same_int(const struct ras_cdt_int *a, const struct ras_cdt_int *b)
{
    return a->value == b->value && a->wide == b->wide;
}

static bool same_ints(const struct list *a, const struct list *b, unsigned depth)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (depth ? !same_ints((const struct list *)a->at + i, (const struct list *)b->at + i,
                               depth - 1)
                  : !same_int((const struct ras_cdt_int *)a->at + i,
                              (const struct ras_cdt_int *)b->at + i))
            return false;
    }
    return true;
}

static bool same_items(const struct cdt_field *f, const struct list *a, const struct list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct ras_cdt_timer *x = a->at, *y = b->at;
        const struct ras_bytes *s = a->at, *t = b->at;
        if (f->type == CDT_LIST)
            same = same_struct(f->of, (const uint8_t *)a->at + i * f->of->size,
                               (const uint8_t *)b->at + i * f->of->size);
        else if (f->type == CDT_TIMERS)
            same = same_bytes(&x[i].key, &y[i].key) && same_int(&x[i].value, &y[i].value);
        else
            same = same_bytes(&s[i], &t[i]);
    }
    return same;
}

static bool same_member(const struct cdt_field *f, const uint8_t *a, const uint8_t *b)
{
    const struct list *x = (const struct list *)a, *y = (const struct list *)b;
    switch (f->type) {
    case CDT_STR:
    case CDT_BIN:
        return same_bytes((const struct ras_bytes *)a, (const struct ras_bytes *)b);
    case CDT_STRUCT:
        return same_struct(f->of, a, b);
    case CDT_INTS:
        return same_ints(x, y, 0);
    case CDT_COUNTS:
        return same_ints(x, y, 2);
    case CDT_LIST:
    case CDT_STRS:
    case CDT_TIMERS:
        return same_items(f, x, y);
    case CDT_FIXED:
    case CDT_FIXED_POS:
        return same_ints(&(struct list){a, f->fixed}, &(struct list){b, f->fixed}, 0);
    default:
        return !memcmp(a, b, f->size);
    }
}

static bool same_struct(const struct cdt_struct *s, const uint8_t *a, const uint8_t *b)
{
    const struct ras_cdt_node *x = (const struct ras_cdt_node *)a;
    const struct ras_cdt_node *y = (const struct ras_cdt_node *)b;
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        bool nil = f->need == CDT_NULLABLE && !ras_cdt_has(x, i);
        if (!s->plain && x->wide >> i != y->wide >> i)
            return false;
        if (f->need == CDT_NULLABLE && ras_cdt_has(x, i) != ras_cdt_has(y, i))
            return false;
        if (!nil && !same_member(f, a + f->offset, b + f->offset))
            return false;
    }
    return true;
}

/* ---- ways ---------------------------------------------------------------------------------- */

/* Has a tick what zig would not write? A golden does: hits. */
static bool is_beyond_zig(const struct ras_cdt_tick_record *tick)
{
    const struct ras_cdt_replay_checkpoint *point = &tick->channels.checkpoint;
    return point->events.hit_head.count || ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TUTORIAL) ||
           ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TYPO);
}

static int put_rows(struct ras_cdt *in, const struct ras_cdt_tick_block *block, unsigned way,
                    bool zig, struct ras_cdt_writer *out, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < block->ticks.count; i++) {
        const struct ras_cdt_tick_record *tick = &block->ticks.at[i];
        struct ras_bytes raw = {ras_cdt_payload(in).at + tick->node.at, tick->node.length};
        if (way && zig && is_beyond_zig(tick))
            return RAS_END;
        status = way ? ras_cdt_writer_tick(out, tick, err) : ras_cdt_writer_raw(out, raw, err);
    }
    return status < 0 ? status : ras_cdt_writer_flush(out, err);
}

static int put_trace(struct ras_cdt *in, enum ras_cdt_style style, unsigned way,
                     struct ras_sink *sink, struct ras_error *err)
{
    const struct ras_cdt_trace_footer *footer = ras_cdt_footer(in);
    struct ras_cdt_writer_options options = {.style = style, .chunk_ticks = UINT32_MAX};
    struct ras_cdt_writer *out;
    int status = ras_cdt_writer_open(&out, sink, ras_cdt_meta(in), &options, err);
    for (size_t i = 0; status == RAS_OK && i < footer->tick_blocks.count; i++) {
        const struct ras_cdt_tick_block *block;
        uint64_t at = (uint64_t)footer->tick_blocks.at[i].file_offset;
        status = ras_cdt_block_at(in, at, &block, err);
        if (status == RAS_OK)
            status = put_rows(in, block, way, style == RAS_CDT_ZIG, out, err);
    }
    if (status == RAS_OK)
        return ras_cdt_writer_close(out, err);
    ras_cdt_writer_drop(out);
    return status;
}

/* ---- is it what was there? ------------------------------------------------------------------ */

/* Would python write it so? Shortest ints, heads and texts, floats of 64 bits. */
static bool is_usual(struct ras_bytes payload)
{
    static const struct {
        uint8_t tag, size; /* of what follows it */
        uint64_t least;
    } forms[] = {{0xcc, 1, 128},   {0xcd, 2, 256}, {0xce, 4, 65536}, {0xcf, 8, (uint64_t)1 << 32},
                 {0xd9, 1, 32},    {0xda, 2, 256}, {0xdb, 4, 65536}, {0xdc, 2, 16},
                 {0xdd, 4, 65536}, {0xde, 2, 16},  {0xdf, 4, 65536}};
    struct msgpack in = msgpack_bytes(payload);
    struct msgpack_item item;
    while (msgpack_left(&in)) {
        const uint8_t *head = in.at;
        if (!msgpack_next(&in, &item) || item.kind == MSGPACK_F32)
            return false;
        if (*head >= 0xd0 && *head <= 0xd3) {
            static const int64_t most[] = {-33, -129, -32769, INT64_C(-2147483649)};
            if (item.kind != MSGPACK_INT || item.i > most[*head - 0xd0])
                return false;
        }
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            uint64_t value = 0;
            for (unsigned k = 0; *head == forms[i].tag && k < forms[i].size; k++)
                value = value << 8 | head[1 + k];
            if (*head == forms[i].tag && value < forms[i].least)
                return false;
        }
    }
    return true;
}

/* Do they hold the same bytes, in whatever order? Then only keys have moved. */
static bool same_mix(struct ras_bytes a, struct ras_bytes b)
{
    long counts[256] = {0};
    for (size_t i = 0; i < a.len && a.len == b.len; i++) {
        counts[a.at[i]]++;
        counts[b.at[i]]--;
    }
    for (int i = 0; i < 256; i++)
        if (counts[i])
            return false;
    return true;
}

/* The payload of a chunk, or the struct it holds, in two files. */
struct pair {
    struct cdt_memory memory[2];
    struct cdt_loaded loaded[2];
};

static bool load_pair(struct pair *pair, const struct ras_bytes file[2], const uint64_t at[2])
{
    for (int i = 0; i < 2; i++)
        if (cdt_chunk_load(&pair->memory[i].buffer, file[i], at[i], UINT32_MAX, &pair->loaded[i],
                           NULL) < 0)
            return false;
    return true;
}

static bool same_values(struct pair *pair, const struct cdt_struct *s)
{
    union {
        struct ras_cdt_trace_meta meta;
        struct ras_cdt_tick_block block;
    } values[2];
    struct cdt_problem problem[2];
    for (int i = 0; i < 2; i++)
        if (cdt_payload_decode(&pair->memory[i], s, pair->loaded[i].payload, 0, &values[i],
                               &problem[i], NULL) < 0)
            return false;
    return same_struct(s, (const uint8_t *)&values[0], (const uint8_t *)&values[1]);
}

/* Keys that are left out make a payload shorter, unknown or repeated ones longer. */
static bool same_chunk(const struct ras_bytes file[2], const uint64_t at[2],
                       const struct cdt_struct *s)
{
    enum { KNOWN = RAS_CDT_FLAG_ZSTD | RAS_CDT_FLAG_MSGPACK };
    struct pair pair = {0};
    bool same = load_pair(&pair, file, at) &&
                !((pair.loaded[0].chunk.flags ^ pair.loaded[1].chunk.flags) & KNOWN) &&
                pair.loaded[0].chunk.start_tick == pair.loaded[1].chunk.start_tick &&
                pair.loaded[0].chunk.end_tick == pair.loaded[1].chunk.end_tick;
    struct ras_bytes a = pair.loaded[0].payload, b = pair.loaded[1].payload;
    if (same && !same_bytes(&a, &b))
        same = (a.len != b.len || !is_usual(a) || same_mix(a, b)) && same_values(&pair, s);
    cdt_memory_free(&pair.memory[0]);
    cdt_memory_free(&pair.memory[1]);
    return same;
}

static bool same_trace(struct ras_cdt *in, struct ras_bytes file, struct ras_bytes made)
{
    struct ras_cdt *again;
    const struct ras_bytes files[2] = {file, made};
    const uint64_t meta[2] = {RAS_CDT_HEADER_SIZE, RAS_CDT_HEADER_SIZE};
    if (ras_cdt_open(&again, made.at, made.len, NULL, NULL) < 0)
        return false;
    const struct ras_cdt_trace_footer *a = ras_cdt_footer(in), *b = ras_cdt_footer(again);
    bool same = b && a->tick_blocks.count == b->tick_blocks.count &&
                a->tick_count == b->tick_count && a->first_tick == b->first_tick &&
                a->last_tick == b->last_tick && same_chunk(files, meta, &cdt_trace_meta);
    for (size_t i = 0; same && i < a->tick_blocks.count; i++) {
        const uint64_t at[2] = {(uint64_t)a->tick_blocks.at[i].file_offset,
                                (uint64_t)b->tick_blocks.at[i].file_offset};
        same = same_chunk(files, at, &cdt_tick_block);
    }
    ras_cdt_close(again);
    return same;
}

int reencode(struct ras_bytes file, unsigned way, struct ras_sink *sink, struct ras_error *err)
{
    struct ras_cdt *in;
    struct ras_sink *made;
    struct ras_cdt_chunk meta;
    if (way > 1 || ras_cdt_open(&in, file.at, file.len, NULL, err) < 0)
        return RAS_END;
    int status = ras_cdt_chunk_get(file, RAS_CDT_HEADER_SIZE, &meta, err);
    /* Container 2 has one style, which is not compressed. */
    bool python = meta.flags & RAS_CDT_FLAG_ZSTD || ras_cdt_meta(in)->trace_schema_version > 12;
    enum ras_cdt_style style = python ? RAS_CDT_PYTHON : RAS_CDT_ZIG;
    if (status == RAS_OK)
        status = ras_sink_memory(&made, err);
    if (status == RAS_OK) {
        status = put_trace(in, style, way, made, err);
        struct ras_bytes bytes = ras_sink_bytes(made);
        if (status == RAS_OK) /* payload-identical is as good as identical */
            bytes = same_trace(in, file, bytes) ? file : bytes;
        if (status == RAS_OK)
            status = ras_sink_write(sink, bytes.at, bytes.len, err);
        ras_sink_drop(made);
    }
    ras_cdt_close(in);
    return status;
}

/* ---- random values ------------------------------------------------------------------- */

struct dice {
    uint64_t state;
    struct arena arena;
    bool zig;
};

static void any_struct(struct dice *d, const struct cdt_struct *s, uint8_t *out);

static unsigned below(struct dice *d, unsigned n)
{
    return (unsigned)((d->state = d->state * 6364136223846793005u + 1442695040888963407u) >> 33) %
           n;
}

/* Any bit pattern, or one that is a float32. */
static double any_float(struct dice *d)
{
    static const double some[] = {0.0, -0.0, 1.5, 0.1, -1e300, 5e-324, 3.4028234663852886e38};
    uint64_t bits = any_number(&d->state);
    double f;
    memcpy(&f, &bits, sizeof f);
    return below(d, 2) ? some[below(d, 7)] : f;
}

static struct ras_cdt_int any_int(struct dice *d)
{
    static const int64_t edges[] = {127,
                                    128,
                                    255,
                                    256,
                                    32767,
                                    32768,
                                    65535,
                                    65536,
                                    -32,
                                    -33,
                                    -128,
                                    -129,
                                    -32768,
                                    -32769,
                                    0,
                                    -1,
                                    1,
                                    100000,
                                    INT32_MAX,
                                    INT32_MIN,
                                    UINT32_MAX,
                                    INT64_MIN,
                                    INT64_MAX,
                                    (int64_t)UINT32_MAX + 1,
                                    (int64_t)INT32_MIN - 1};
    if (below(d, 2))
        return (struct ras_cdt_int){edges[below(d, sizeof edges / sizeof *edges)], false};
    uint64_t u = any_number(&d->state);
    return (struct ras_cdt_int){(int64_t)u, u > INT64_MAX && below(d, 2)};
}

static struct ras_bytes any_text(struct dice *d, bool text)
{
    static const uint16_t lengths[] = {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 255, 256, 300};
    size_t n = lengths[below(d, below(d, 4) ? 9 : 13)];
    uint8_t *at = arena_take(&d->arena, n + 1);
    for (size_t i = 0; at && i < n; i++)
        at[i] = (uint8_t)(text ? ' ' + below(d, 95) : below(d, 256));
    if (at && text && n > 2 && below(d, 3) == 0)
        memcpy(at + n - 2, "\xc3\xa9", 2);
    return (struct ras_bytes){at, n};
}

static size_t any_count(struct dice *d)
{
    return below(d, 20) ? below(d, 3) : 15 + below(d, 3);
}

static struct list any_ints(struct dice *d, unsigned depth)
{
    size_t count = any_count(d), size = depth ? sizeof(struct list) : sizeof(struct ras_cdt_int);
    uint8_t *at = arena_take(&d->arena, count * size);
    for (size_t i = 0; i < count; i++) {
        if (depth)
            ((struct list *)at)[i] = any_ints(d, depth - 1);
        else
            ((struct ras_cdt_int *)at)[i] = any_int(d);
    }
    return (struct list){at, count};
}

static struct list any_items(struct dice *d, const struct cdt_field *f)
{
    size_t count = any_count(d);
    size_t size = f->type == CDT_LIST     ? f->of->size
                  : f->type == CDT_TIMERS ? sizeof(struct ras_cdt_timer)
                                          : sizeof(struct ras_bytes);
    uint8_t *at = arena_take(&d->arena, count * size);
    for (size_t i = 0; i < count; i++) {
        if (f->type == CDT_LIST)
            any_struct(d, f->of, at + i * size);
        else if (f->type == CDT_TIMERS)
            ((struct ras_cdt_timer *)at)[i] = (struct ras_cdt_timer){any_text(d, true), any_int(d)};
        else
            ((struct ras_bytes *)at)[i] = any_text(d, true);
    }
    return (struct list){at, count};
}

static void any_fixed(struct dice *d, const struct cdt_field *f, struct ras_cdt_int *out)
{
    for (unsigned i = 0; i < f->fixed; i++) {
        out[i] = any_int(d);
        if (f->type == CDT_FIXED_POS && out[i].value < 0)
            out[i].wide = true;
    }
}

static void any_member(struct dice *d, const struct cdt_field *f, uint8_t *out, bool *wide)
{
    struct ras_cdt_int number = any_int(d);
    switch (f->type) {
    case CDT_INT:
        *(int64_t *)out = number.value;
        *wide = number.wide;
        break;
    case CDT_WEAPON:
        *(int64_t *)out = below(d, 54);
        break;
    case CDT_FLOAT:
        *(double *)out = any_float(d);
        break;
    case CDT_BOOL:
        *(bool *)out = below(d, 2);
        break;
    case CDT_STR:
    case CDT_BIN:
        *(struct ras_bytes *)out = any_text(d, f->type == CDT_STR);
        break;
    case CDT_STRUCT:
        any_struct(d, f->of, out);
        break;
    case CDT_INTS:
    case CDT_COUNTS:
        *(struct list *)out = any_ints(d, f->type == CDT_INTS ? 0 : 2);
        break;
    case CDT_FIXED:
    case CDT_FIXED_POS:
        any_fixed(d, f, (struct ras_cdt_int *)out);
        break;
    default:
        *(struct list *)out = any_items(d, f);
    }
}

/* Of what zig does not write, the default. */
static void default_member(const struct cdt_field *f, uint8_t *out)
{
    static const uint8_t zeros[16] = {0};
    memset(out, 0, f->size);
    if (f->type == CDT_BIN)
        *(struct ras_bytes *)out = (struct ras_bytes){zeros, sizeof zeros};
}

static void any_struct(struct dice *d, const struct cdt_struct *s, uint8_t *out)
{
    struct ras_cdt_node node = {0};
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        bool wide = false, dropped = d->zig && f->zig == CDT_ZIG_DROP;
        if (dropped)
            default_member(f, out + f->offset);
        else
            any_member(d, f, out + f->offset, &wide);
        if (f->need != CDT_NULLABLE || (!dropped && below(d, 2))) {
            ras_cdt_set(&node, i);
            node.wide |= (uint32_t)wide << i;
        }
    }
    if (!s->plain)
        *(struct ras_cdt_node *)out = node;
}

enum { TICKS = 5 };

/* META and some ticks, whose numbers ascend as they must. */
static void any_trace(struct dice *d, struct ras_cdt_trace_meta *meta,
                      struct ras_cdt_tick_record ticks[TICKS])
{
    int64_t last = below(d, 2) ? 0 : INT32_MAX - 3 * TICKS;
    any_struct(d, &cdt_trace_meta, (uint8_t *)meta);
    meta->trace_schema_version = RAS_CDT_SCHEMA_VERSION;
    meta->node.wide &= ~2u;
    for (int i = 0; i < TICKS; i++) {
        any_struct(d, &cdt_tick_record, (uint8_t *)&ticks[i]);
        ticks[i].tick_index = last += below(d, 3);
        ticks[i].node.wide &= ~1u;
    }
}

static const char *check_trace(struct ras_bytes file, const struct ras_cdt_trace_meta *meta,
                               const struct ras_cdt_tick_record ticks[TICKS])
{
    struct ras_cdt *in;
    const struct ras_cdt_tick_record *tick;
    const char *wrong = NULL;
    if (ras_cdt_open(&in, file.at, file.len, NULL, NULL) < 0)
        return "the trace does not open";
    if (!same_struct(&cdt_trace_meta, (const uint8_t *)ras_cdt_meta(in), (const uint8_t *)meta))
        wrong = "META differs";
    if (!ras_cdt_footer(in) || ras_cdt_footer(in)->tick_count != TICKS)
        wrong = "the footer is absent or counts other ticks";
    for (int i = 0; !wrong && i < TICKS; i++)
        if (ras_cdt_tick_next(in, &tick, NULL) != RAS_OK ||
            !same_struct(&cdt_tick_record, (const uint8_t *)tick, (const uint8_t *)&ticks[i]))
            wrong = "a tick differs";
    if (!wrong && ras_cdt_tick_next(in, &tick, NULL) != RAS_END)
        wrong = "ticks follow that were not written";
    ras_cdt_close(in);
    return wrong;
}

const char *random_trip(uint64_t seed)
{
    struct dice d = {.state = seed, .zig = seed % 3 == 0};
    struct ras_cdt_trace_meta meta;
    struct ras_cdt_tick_record ticks[TICKS];
    struct ras_cdt_writer *w = NULL;
    struct ras_sink *sink;
    struct ras_cdt_writer_options options = {.style = d.zig ? RAS_CDT_ZIG : RAS_CDT_PYTHON,
                                             .chunk_ticks = 1 + below(&d, TICKS)};
    if (ras_sink_memory(&sink, NULL) < 0)
        return "no memory";
    any_trace(&d, &meta, ticks);
    int status = ras_cdt_writer_open(&w, sink, &meta, &options, NULL);
    for (int i = 0; status == RAS_OK && i < TICKS; i++)
        status = ras_cdt_writer_tick(w, &ticks[i], NULL);
    if (status == RAS_OK)
        status = ras_cdt_writer_close(w, NULL);
    const char *wrong = status == RAS_OK ? check_trace(ras_sink_bytes(sink), &meta, ticks)
                                         : "the writer refused a call";
    ras_sink_drop(sink);
    arena_free(&d.arena);
    return wrong;
}
