/* aerogpu_change_fuzz.c - any bytes, repaired, sliced, merged and converted as a GPU trace; or,
 * where they begin as JSON, built into one. */
#include "fuzz.h"
#include <rastrum/aerogpu.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct ras_trace *open_bytes(struct ras_bytes b)
{
    const struct ras_options how = {.format = "aerogpu"};
    struct ras_trace *t;
    return ras_open_memory(&t, b.at, b.len, &how, NULL) == RAS_OK ? t : NULL;
}

/* What a trace holds, gaps apart, whatever the ids and places of its records. */
struct sum {
    uint64_t records, gaps, bytes;
    enum ras_ending_kind ending;
};

static struct sum walk(struct ras_trace *t)
{
    struct sum sum = {0};
    struct ras_cursor *c;
    const struct ras_record *r;
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        return sum;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        bool gap = r->schema == RAS_SCHEMA_GAP, frame = !strcmp(ras_schema_of(c)->name, "frame");
        sum.gaps += gap;
        sum.records += !gap;
        sum.bytes += gap || frame ? 0 : r->raw_len;
    }
    ras_cursor_close(c);
    sum.ending = ras_ending(t).kind;
    return sum;
}

/* No rule about the closing structures is broken. */
static void verify(struct ras_trace *t, const char *what)
{
    struct ras_report *report;
    if (ras_verify(&report, t, &(struct ras_verify_options){.strict = true}, NULL) < 0)
        fuzz_wrong("%s: it is not verified", what);
    for (size_t i = 0; i < report->finding_count; i++) {
        const char *id = report->findings[i].rule->id;
        if (!strncmp(id, "aerogpu.footer", 14) || !strcmp(id, "aerogpu.toc.bounds") ||
            !strcmp(id, "aerogpu.toc.boundary") || !strcmp(id, "aerogpu.toc.start") ||
            !strcmp(id, "aerogpu.toc.end") || !strcmp(id, "aerogpu.toc.present") ||
            !strcmp(id, "aerogpu.toc.coverage") || !strncmp(id, "aerogpu.record.b", 16) ||
            !strcmp(id, "aerogpu.record.cut") || !strcmp(id, "aerogpu.record.type"))
            fuzz_wrong("%s: %s", what, report->findings[i].text);
    }
    ras_report_free(report);
}

static void repair(struct ras_trace *t, struct sum before)
{
    struct ras_sink *sink;
    struct ras_repair *r, *again;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    if (ras_repair(&r, t, &(struct ras_repair_options){.sink = sink}, NULL) < 0)
        fuzz_wrong("cannot be repaired");
    struct ras_trace *repaired = open_bytes(ras_sink_bytes(sink));
    struct sum after = repaired ? walk(repaired) : (struct sum){0};
    if (!repaired || after.records < before.records || after.bytes < before.bytes)
        fuzz_wrong("repaired, %u records of %u", (unsigned)after.records, (unsigned)before.records);
    if (after.ending != RAS_COMPLETE && !after.gaps)
        fuzz_wrong("repaired, but not whole");
    verify(repaired, "repaired");
    if (ras_repair(&again, repaired, NULL, NULL) < 0 || again->plan.patch_count)
        fuzz_wrong("repaired again");
    ras_repair_free(again);
    ras_repair_free(r);
    ras_close(repaired);
    ras_sink_drop(sink);
}

static struct sum rewrite(struct ras_trace *t, size_t count, struct ras_rewrite_options how)
{
    struct ras_trace *sources[2] = {t, t}, *made;
    struct ras_rewritten *r;
    struct sum sum = {0};
    if (ras_sink_memory(&how.sink, NULL) < 0)
        return sum;
    if (ras_rewrite(&r, sources, count, &how, NULL) == RAS_OK) {
        ras_rewritten_free(r);
        made = open_bytes(ras_sink_bytes(how.sink));
        if (!made)
            fuzz_wrong("rewritten, it does not open");
        sum = walk(made);
        if (sum.ending != RAS_COMPLETE && !sum.gaps)
            fuzz_wrong("rewritten, but not whole");
        verify(made, "rewritten");
        ras_close(made);
    }
    ras_sink_drop(how.sink);
    return sum;
}

static void build(struct ras_bytes jsonl)
{
    struct ras_build_options how = {.format = "aerogpu"};
    struct ras_rewritten *r;
    if (ras_sink_memory(&how.sink, NULL) < 0)
        return;
    if (ras_build(&r, jsonl, &how, NULL) == RAS_OK) {
        ras_rewritten_free(r);
        struct ras_bytes made = ras_sink_bytes(how.sink);
        struct ras_trace *t = open_bytes(made);
        if (!t && made.len >= 8 && !memcmp(made.at, "AEROGPUT", 8))
            fuzz_wrong("built, it does not open");
        if (t && made.at[1] == 'E')
            verify(t, "built");
        ras_close(t);
    }
    ras_sink_drop(how.sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const types[] = {"packet"};
    struct ras_bytes all = {bytes, size};
    if (size && bytes[0] == '{') {
        build(all);
        return 0;
    }
    struct ras_trace *t = size >= 8 && !memcmp(bytes, "AEROGPUT", 8) ? open_bytes(all) : NULL;
    if (!t)
        return 0;
    struct sum before = walk(t);
    repair(t, before);
    struct sum whole = rewrite(t, 1, (struct ras_rewrite_options){0});
    if (whole.records != before.records || whole.bytes != before.bytes)
        fuzz_wrong("sliced whole, %u records of %u", (unsigned)whole.records,
                   (unsigned)before.records);
    rewrite(t, 1, (struct ras_rewrite_options){.axis = RAS_AXIS_TICK, .from = 1, .to = RAS_NONE});
    rewrite(t, 1, (struct ras_rewrite_options){.axis = RAS_AXIS_SEQ, .from = 1, .to = 5});
    rewrite(t, 1, (struct ras_rewrite_options){.types = types, .type_count = 1});
    struct sum twice = rewrite(t, 2, (struct ras_rewrite_options){0});
    if (twice.records && twice.records != 2 * before.records)
        fuzz_wrong("merged with itself, %u records of %u twice", (unsigned)twice.records,
                   (unsigned)before.records);
    ras_close(t);
    return 0;
}
