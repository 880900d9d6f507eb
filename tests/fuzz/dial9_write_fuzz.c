/* dial9_write_fuzz.c - dial9 streams of any bytes: encoded again, repaired and rewritten. */
#include "../unit/again.h"
#include "fuzz.h"
#include "sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The content of the events, without their ids. */
static struct sum walk(struct ras_trace *t)
{
    struct sum s = {0};
    struct ras_cursor *c;
    const struct ras_record *r;
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        fuzz_wrong("no cursor");
    while (ras_next(c, &r, NULL) == RAS_OK) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        const char *name = ras_schema_of(c)->name;
        mix(&s, name, strlen(name));
        mix(&s, &r->time_ns, sizeof r->time_ns);
        for (size_t i = 0; i < count; i++)
            mix_cell(&s, &v[i]);
        s.records++;
    }
    s.ending = ras_ending(t).kind;
    ras_cursor_close(c);
    return s;
}

static struct ras_trace *open_bytes(struct ras_bytes bytes, const char *dialect)
{
    const struct ras_options how = {.format = "dial9", .dialect = dialect};
    struct ras_trace *t;
    return ras_open_memory(&t, bytes.at, bytes.len, &how, NULL) == RAS_OK ? t : NULL;
}

/* What could be written reads as the same, and is written the same the second time. */
static void encode(const uint8_t *bytes, size_t size, enum ras_dial9_dialect dialect)
{
    struct ras_dial9_writer_options options = {.dialect = dialect};
    struct ras_dial9_writer *once, *twice;
    if (ras_dial9_writer_open(&once, NULL, &options, NULL) < 0 ||
        ras_dial9_writer_open(&twice, NULL, &options, NULL) < 0)
        return;
    (void)again(once, bytes, size, dialect, NULL);
    struct ras_bytes a = ras_dial9_writer_bytes(once);
    int status = again(twice, a.at, a.len, dialect, NULL);
    struct ras_bytes b = ras_dial9_writer_bytes(twice);
    if (status != RAS_END)
        fuzz_wrong("what was encoded does not read: %d", status);
    if (a.len != b.len || memcmp(a.at, b.at, a.len) != 0)
        fuzz_wrong("encoded twice it has %zu bytes, and %zu", a.len, b.len);
    if (ras_dial9_writer_close(once, NULL) < 0 || ras_dial9_writer_close(twice, NULL) < 0)
        fuzz_wrong("memory cannot be closed");
}

static void repair(struct ras_trace *t)
{
    struct ras_sink *sink;
    struct ras_repair *r;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    const struct ras_repair_options to = {.sink = sink};
    if (ras_repair(&r, t, &to, NULL) == RAS_OK) {
        if (r->after.kind != RAS_COMPLETE)
            fuzz_wrong("repaired, but %s", r->after.why);
        ras_repair_free(r);
        struct ras_trace *repaired = open_bytes(ras_sink_bytes(sink), NULL);
        if (!repaired || ras_repair(&r, repaired, NULL, NULL) < 0 || r->plan.patch_count)
            fuzz_wrong("repaired, but there is more to repair");
        ras_repair_free(r);
        ras_close(repaired);
    }
    ras_sink_drop(sink);
}

/* NULL: it was refused. */
static struct ras_sink *rewrite(struct ras_trace *t, const struct ras_rewrite_options *options)
{
    struct ras_rewrite_options how = *options;
    struct ras_rewritten *r;
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        return NULL;
    how.sink = sink;
    if (ras_rewrite(&r, &t, 1, &how, NULL) < 0) {
        ras_sink_drop(sink);
        return NULL;
    }
    ras_rewritten_free(r);
    return sink;
}

/* A slice of everything has the same content, and a slice of that the same bytes. */
static void slice(struct ras_trace *t)
{
    struct sum before = walk(t);
    struct ras_sink *sink = rewrite(t, &(struct ras_rewrite_options){0});
    if (!sink)
        return;
    struct ras_trace *part = open_bytes(ras_sink_bytes(sink), NULL);
    struct sum after = part ? walk(part) : (struct sum){0};
    if (!part || after.ending != RAS_COMPLETE || after.records != before.records ||
        after.digest != before.digest)
        fuzz_wrong("a slice has %llu events of %llu", (unsigned long long)after.records,
                   (unsigned long long)before.records);
    struct ras_sink *more = rewrite(part, &(struct ras_rewrite_options){0});
    struct ras_bytes a = ras_sink_bytes(sink), b = {0};
    if (more)
        b = ras_sink_bytes(more);
    if (a.len != b.len || memcmp(a.at, b.at, a.len) != 0)
        fuzz_wrong("a slice of the slice has %zu bytes, not %zu", b.len, a.len);
    ras_sink_drop(more);
    ras_close(part);
    ras_sink_drop(sink);
}

static void convert(struct ras_trace *t, const struct ras_rewrite_options *how, const char *dialect)
{
    struct ras_sink *sink = rewrite(t, how);
    struct ras_trace *made = sink ? open_bytes(ras_sink_bytes(sink), dialect) : NULL;
    if (sink && (!made || walk(made).ending != RAS_COMPLETE))
        fuzz_wrong("as %s it is not whole", dialect ? dialect : "one batch");
    ras_close(made);
    ras_sink_drop(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    encode(bytes, size, RAS_DIAL9_FULL);
    encode(bytes, size, RAS_DIAL9_SEED);
    struct ras_trace *t = open_bytes((struct ras_bytes){bytes, size}, NULL);
    if (!t)
        return 0;
    repair(t);
    slice(t);
    convert(t, &(struct ras_rewrite_options){.interleave = true}, NULL);
    convert(t, &(struct ras_rewrite_options){.target = "seed"}, "seed");
    ras_close(t);
    return 0;
}
