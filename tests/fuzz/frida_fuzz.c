/* frida_fuzz.c - any lines as a raw capture: refused, or traces that read and are complete.
 *
 * An input that is not a capture from its first line on is used as rows after a valid session, so
 * that runs and ticks are reached. */
#include "../unit/formats/frida_make.h"
#include "fuzz.h"
#include <rastrum/cdt.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct outcome {
    struct ras_cdt_finalized *said;
    struct ras_folder *folder;
    const struct ras_part *parts;
    size_t count;
};

static struct outcome finalize(struct ras_bytes capture, bool salvage)
{
    const struct ras_cdt_finalize_options how = {.created_ns = 1, .salvage = salvage};
    struct outcome o = {0};
    struct ras_error err;
    if (ras_folder_memory(&o.folder, NULL) < 0)
        abort();
    if (ras_cdt_finalize_memory(&o.said, capture, "raw", o.folder, &how, &err) < 0) {
        if (err.status != RAS_ELIMIT)
            fuzz_wrong("neither refused nor done: %s", err.text);
        o.said = NULL;
    }
    o.parts = ras_folder_parts(o.folder, &o.count);
    return o;
}

static void release(struct outcome *o)
{
    ras_cdt_finalized_free(o->said);
    ras_folder_drop(o->folder);
}

/* A finished trace reads from META to the last tick that it states. */
static void check_trace(const struct ras_part *part, uint64_t ticks)
{
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    struct ras_error err;
    int64_t next = 0;
    int status = ras_cdt_open(&cdt, part->bytes.at, part->bytes.len, NULL, &err);
    if (status < 0)
        fuzz_wrong("%s does not open: %s", part->name, err.text);
    if (!ras_cdt_footer(cdt))
        fuzz_wrong("%s is not sealed", part->name);
    while ((status = ras_cdt_tick_next(cdt, &tick, &err)) == RAS_OK)
        if (tick->tick_index != next++)
            fuzz_wrong("tick %lld is at %lld", (long long)tick->tick_index, (long long)next - 1);
    if (status != RAS_END || (uint64_t)next != ticks)
        fuzz_wrong("%s has %lld ticks", part->name, (long long)next);
    ras_cdt_close(cdt);
}

static const struct ras_part *part_of(const struct outcome *o, const char *name)
{
    for (size_t i = 0; i < o->count; i++)
        if (!strcmp(o->parts[i].name, name))
            return &o->parts[i];
    fuzz_wrong("%s was not made", name);
    return NULL;
}

static void check(const struct outcome *o)
{
    size_t files = 0;
    if (!o->said)
        return;
    if (!o->said->refusal && !o->said->run_count)
        fuzz_wrong("nothing refused and nothing made");
    for (size_t i = 0; i < o->said->run_count; i++) {
        const struct ras_cdt_finalized_run *run = &o->said->runs[i];
        const char *const names[] = {run->trace, run->evidence, run->replay, run->sidecar};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            files += names[k] && part_of(o, names[k])->bytes.len;
        check_trace(part_of(o, run->trace), run->ticks);
    }
    if (o->count != files)
        fuzz_wrong("%zu files, %zu of the %zu runs", o->count, files, o->said->run_count);
}

/* The same bytes make the same files. */
static void compare(const struct outcome *a, const struct outcome *b)
{
    if (a->count != b->count)
        fuzz_wrong("%zu files the second time, not %zu", b->count, a->count);
    for (size_t i = 0; i < a->count; i++)
        if (a->parts[i].bytes.len != b->parts[i].bytes.len ||
            memcmp(a->parts[i].bytes.at, b->parts[i].bytes.at, a->parts[i].bytes.len) != 0)
            fuzz_wrong("%s differs the second time", a->parts[i].name);
}

static void try_capture(struct ras_bytes capture)
{
    struct outcome once = finalize(capture, false), twice = finalize(capture, false);
    struct outcome saved = finalize(capture, true);
    check(&once);
    check(&saved);
    compare(&once, &twice);
    if (once.said && saved.said && saved.said->run_count < once.said->run_count)
        fuzz_wrong("salvage loses runs");
    release(&once);
    release(&twice);
    release(&saved);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const heads[] = {FRIDA_SESSION("14"), FRIDA_SESSION("13"),
                                        FRIDA_SESSION("15")};
    const char *head = heads[size ? bytes[0] % 3 : 0];
    size_t more = strlen(head) + strlen(FRIDA_RUN);
    uint8_t *copy = malloc(size + more + 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, bytes, size);
    try_capture((struct ras_bytes){copy, size});
    memcpy(copy, head, strlen(head));
    memcpy(copy + strlen(head), FRIDA_RUN, strlen(FRIDA_RUN));
    if (size)
        memcpy(copy + more, bytes, size);
    try_capture((struct ras_bytes){copy, size + more});
    free(copy);
    return 0;
}
