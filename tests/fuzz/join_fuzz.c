/* join_fuzz.c - any bytes as the segments of a recording: joined, walked, measured, verified.
 *
 * The first bytes say where the others are divided. Records of a directory are those of its
 * segments, each up to where it is damaged, and figures, spans and findings are made of them. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { PIECES = 4 };

static uint64_t walk(struct ras_trace *t, const char *type)
{
    const struct ras_pick pick = {.type = type};
    const struct ras_scan scan = {.picks = &pick, .pick_count = type ? 1 : 0};
    const struct ras_record *r;
    struct ras_cursor *c;
    struct ras_error err;
    uint64_t count = 0;
    int status = ras_cursor_open(&c, t, &scan, &err);
    while (status == RAS_OK && (status = ras_next(c, &r, &err)) == RAS_OK)
        count++;
    if (status < 0 && status != RAS_EMEMORY && status != RAS_ENAME)
        fuzz_wrong("a walk fails: %s", err.text);
    ras_cursor_close(c);
    return count;
}

/* What one segment has by itself. */
static uint64_t alone(const struct ras_part *part)
{
    struct ras_trace *t;
    const struct ras_options options = {.format = "dial9"};
    if (ras_open_memory(&t, part->bytes.at, part->bytes.len, &options, NULL) < 0)
        return 0;
    uint64_t count = walk(t, NULL);
    ras_close(t);
    return count;
}

static void use(struct ras_trace *t)
{
    struct ras_stats *stats = NULL;
    struct ras_report *report = NULL;
    struct ras_error err;
    (void)walk(t, "span");
    (void)walk(t, "span_segment");
    int status = ras_stats(&stats, t, NULL, &err);
    if (status < 0 && status != RAS_EMEMORY)
        fuzz_wrong("cannot be measured: %s", err.text);
    ras_stats_free(stats);
    status = ras_verify(&report, t, NULL, &err);
    if (status < 0 && status != RAS_EMEMORY)
        fuzz_wrong("cannot be verified: %s", err.text);
    ras_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ras_part parts[PIECES];
    char names[PIECES][24];
    struct ras_trace *t;
    uint64_t expected = 0;
    if (size < PIECES)
        return 0;
    const uint8_t *at = bytes + PIECES;
    size_t left = size - PIECES;
    for (size_t i = 0; i < PIECES; i++) {
        size_t len = i + 1 < PIECES ? left * bytes[i] / 256 : left;
        snprintf(names[i], sizeof names[i], "t.%zu.bin", i + (bytes[PIECES - 1] >> i & 1) * 9 * i);
        parts[i] = (struct ras_part){names[i], {at, len}};
        expected += alone(&parts[i]);
        at += len;
        left -= len;
    }
    if (ras_open_parts(&t, parts, PIECES, NULL, NULL) < 0)
        return 0;
    uint64_t count = walk(t, NULL);
    if (count != expected)
        fuzz_wrong("%llu records, in segments %llu", (unsigned long long)count,
                   (unsigned long long)expected);
    use(t);
    ras_close(t);
    return 0;
}
