/* repair_fuzz.c - any bytes, repaired: the copy is whole and stays so, and can be sliced. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct ras_trace *open_bytes(struct ras_bytes b, const char *format)
{
    struct ras_trace *t;
    struct ras_error err;
    const struct ras_options how = {.format = format, .limits = {.chunk_bytes = 1 << 24}};
    if (ras_open_memory(&t, b.at, b.len, &how, &err) < 0 && format)
        fuzz_wrong("repaired, but does not open: %s", err.text);
    return t;
}

static void repair_again(struct ras_trace *t)
{
    struct ras_repair *r;
    struct ras_error err;
    if (ras_repair(&r, t, NULL, &err) < 0)
        fuzz_wrong("repaired, but cannot be repaired again: %s", err.text);
    if (r->plan.patch_count)
        fuzz_wrong("repaired again: %zu patches", r->plan.patch_count);
    ras_repair_free(r);
}

static uint64_t count(struct ras_trace *t)
{
    struct ras_info *info;
    struct ras_error err;
    if (ras_info(&info, t, NULL, NULL, &err) < 0)
        fuzz_wrong("repaired, but cannot be walked: %s", err.text);
    uint64_t records = info->records - info->gaps;
    ras_info_free(info);
    return records;
}

/* A slice of everything may be refused, for what the format cannot write; it never
 * holds other records. */
static void slice(struct ras_trace *t)
{
    struct ras_sink *sink;
    struct ras_rewritten *r;
    struct ras_error err;
    if (ras_rewrite_is_folder(t) || ras_sink_memory(&sink, &err) < 0)
        return;
    const struct ras_rewrite_options all = {.sink = sink};
    if (ras_rewrite(&r, &t, 1, &all, &err) == RAS_OK) {
        struct ras_trace *part = open_bytes(ras_sink_bytes(sink), ras_format_of(t)->name);
        if (count(part) != count(t))
            fuzz_wrong("%llu records, %llu in a slice of all", (unsigned long long)count(t),
                       (unsigned long long)count(part));
        ras_close(part);
        ras_rewritten_free(r);
    }
    ras_sink_drop(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ras_sink *sink;
    struct ras_repair *r;
    struct ras_error err;
    struct ras_trace *t = open_bytes((struct ras_bytes){bytes, size}, NULL);
    if (!t)
        return 0;
    if (ras_sink_memory(&sink, &err) == RAS_OK) {
        const struct ras_repair_options how = {.sink = sink};
        int status = ras_repair(&r, t, &how, &err);
        if (status == RAS_OK) {
            /* Damage inside a record stays, and is reported. */
            if (r->after.kind != RAS_COMPLETE && !r->left->by_severity[RAS_ERROR])
                fuzz_wrong("repaired, but %s: %s", ras_ending_name(r->after.kind), r->after.why);
            struct ras_trace *repaired = open_bytes(ras_sink_bytes(sink), ras_format_of(t)->name);
            repair_again(repaired);
            slice(repaired);
            ras_close(repaired);
            ras_repair_free(r);
        } else if (status != RAS_EFORMAT && status != RAS_EUNSUPPORTED && status != RAS_ELIMIT) {
            fuzz_wrong("cannot be repaired: %d: %s", status, err.text);
        }
        ras_sink_drop(sink);
    }
    ras_close(t);
    return 0;
}
