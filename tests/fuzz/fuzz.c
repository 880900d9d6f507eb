/* fuzz.c - what must hold for every trace, whatever its bytes. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICKS_MAX = 16 };

/* What a walk delivered, in short. */
struct sum {
    uint64_t records, digest;
    int status;
    struct ras_ending ending;
};

void fuzz_wrong(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static uint64_t mix_bytes(uint64_t h, const void *at, size_t size)
{
    const uint8_t *p = at;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, size - i < 8 ? size - i : 8);
        h = mix(h, word);
    }
    return mix(h, size);
}

static void take(struct sum *sum, const struct ras_cursor *c, const struct ras_record *r)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    const struct ras_schema *schema = ras_schema_of(c);
    uint64_t h = mix(mix(mix(sum->digest, r->seq), r->time_ns), r->tick);
    h = mix(mix(mix(h, r->offset), r->schema), (uint64_t)r->stream << 16 | r->flags);
    h = mix_bytes(h, r->raw, r->raw_len);
    for (size_t i = 0; i < count; i++) {
        if (v[i].field >= schema->field_count)
            fuzz_wrong("field %u of %s, which has %u", v[i].field, schema->name,
                       schema->field_count);
        h = mix(h, (uint64_t)v[i].kind << 48 | v[i].field);
        if (v[i].kind == RAS_STR || v[i].kind == RAS_BLOB)
            h = mix_bytes(h, v[i].at, v[i].count);
        else if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            h = v[i].count < count - i ? mix(h, v[i].count)
                                       : (fuzz_wrong("a container too long"), 0);
        else if (v[i].kind != RAS_NULL)
            h = mix(h, v[i].kind == RAS_F32 ? (uint32_t)v[i].u : v[i].u);
    }
    sum->digest = h;
    sum->records++;
}

static void go_on(struct sum *sum, struct ras_trace *t, struct ras_cursor *c)
{
    const struct ras_record *r;
    while ((sum->status = ras_next(c, &r, NULL)) == RAS_OK)
        take(sum, c, r);
    sum->ending = ras_ending(t);
}

static struct sum walk(struct ras_trace *t, const struct ras_scan *scan)
{
    struct sum sum = {0};
    struct ras_cursor *c;
    sum.status = ras_cursor_open(&c, t, scan, NULL);
    if (sum.status == RAS_OK)
        go_on(&sum, t, c);
    ras_cursor_close(c);
    return sum;
}

static void compare(const struct sum *a, const struct sum *b, const char *how)
{
    if (a->records != b->records || a->digest != b->digest || a->status != b->status)
        fuzz_wrong("%s: %" PRIu64 " records (status %d), not %" PRIu64 " (status %d)", how,
                   b->records, b->status, a->records, a->status);
    if (a->ending.kind != b->ending.kind || a->ending.offset != b->ending.offset)
        fuzz_wrong("%s: ends %s at %" PRIu64 ", not %s at %" PRIu64, how,
                   ras_ending_name(b->ending.kind), b->ending.offset,
                   ras_ending_name(a->ending.kind), a->ending.offset);
}

/* The same bytes in two steps. The place of the cut follows from the bytes. */
static void grow(const char *format, const uint8_t *bytes, size_t size, const struct sum *whole)
{
    struct ras_options live = {.format = format, .live = true};
    struct ras_trace *t;
    struct ras_cursor *c = NULL;
    struct sum sum = {0};
    size_t first = size ? whole->digest % size : 0;
    if (ras_open_memory(&t, bytes, first, &live, NULL) < 0)
        return;
    sum.status = ras_cursor_open(&c, t, NULL, NULL);
    if (sum.status == RAS_OK)
        go_on(&sum, t, c);
    if (sum.status == RAS_WAIT) {
        if (ras_trace_grow(t, size, false, NULL) < 0)
            fuzz_wrong("does not grow");
        go_on(&sum, t, c);
        compare(whole, &sum, "grown");
    }
    ras_cursor_close(c);
    ras_close(t);
}

static void try_verify(struct ras_trace *t)
{
    struct ras_verify_options all = {.strict = true, .deep = true};
    struct ras_report *report;
    if (ras_verify(&report, t, &all, NULL) == RAS_OK)
        ras_report_free(report);
}

static void try_info(struct ras_trace *t)
{
    struct ras_info *info;
    if (ras_info(&info, t, NULL, NULL, NULL) == RAS_OK)
        ras_info_free(info);
}

static void try_du(struct ras_trace *t, enum ras_du_by by)
{
    struct ras_du *du;
    uint64_t sum = 0;
    if (ras_du(&du, t, by, NULL, NULL, NULL) < 0)
        return;
    for (size_t i = 0; i < du->part_count; i++)
        sum += du->parts[i].bytes;
    if (sum != ras_size(t))
        fuzz_wrong("du adds up to %" PRIu64 " of %" PRIu64, sum, ras_size(t));
    ras_du_free(du);
}

static void walk_requests(struct ras_trace *t)
{
    struct ras_pick picks[PICKS_MAX] = {{0}};
    size_t count = 1;
    for (size_t i = 0; i < ras_schema_count(t) && count < PICKS_MAX; i++)
        if (ras_schema_at(t, i)->flags & RAS_ON_REQUEST)
            picks[count++] = (struct ras_pick){.type = ras_schema_at(t, i)->name};
    if (count == 1)
        return;
    walk(t, &(struct ras_scan){.picks = picks, .pick_count = count});
    walk(t, &(struct ras_scan){.picks = picks + 1, .pick_count = count - 1, .merged = true});
    for (size_t i = 1; i < count; i++)
        walk(t, &(struct ras_scan){.picks = &picks[i], .pick_count = 1});
}

/* All of it takes long, so each input gets some of it; which follows from its
 * records, so that a failure can be repeated. */
static void try_something(struct ras_trace *t, uint64_t chance)
{
    switch (chance % 8) {
    case 0:
        walk(t, &(struct ras_scan){.merged = true});
        break;
    case 1:
        walk(t, &(struct ras_scan){.choices = &(struct ras_choice){"with-detail", 0},
                                   .choice_count = 1});
        break;
    case 2:
        walk(t, &(struct ras_scan){.strict = true});
        break;
    case 3:
        try_info(t);
        break;
    case 4:
    case 5:
        walk_requests(t);
        break;
    default:
        try_verify(t);
    }
    try_du(t, (enum ras_du_by)(chance / 8 % 4));
}

void fuzz_trace(const char *format, const uint8_t *bytes, size_t size)
{
    struct ras_options options = {.format = format};
    struct ras_trace *t;
    struct ras_error err = {0};
    int status = ras_open_memory(&t, bytes, size, &options, &err);
    if (status < 0) {
        if (t || !err.text[0] || err.status != status)
            fuzz_wrong("refused with %d: '%s'", status, err.text);
        return;
    }
    struct sum whole = walk(t, NULL), again = walk(t, NULL);
    if (whole.status != RAS_END)
        fuzz_wrong("ends with status %d", whole.status);
    compare(&whole, &again, "read again");
    try_something(t, whole.digest);
    ras_close(t);
    grow(format, bytes, size, &whole);
}
