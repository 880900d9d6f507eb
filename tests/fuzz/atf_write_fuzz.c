/* atf_write_fuzz.c - ATF of any bytes: repaired, sliced, converted and encoded again.
 *
 * The input is a lone file, or, cut in three by its first four bytes, the files of a
 * thread and the manifest beside it. */
#include "fuzz.h"
#include "sum.h"
#include <rastrum/atf.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A trace in memory: a file or the parts of a session. */
struct held {
    struct ras_sink *sink;
    struct ras_folder *folder;
};

static bool is_link(const char *name)
{
    static const char *const names[] = {"detail_seq", "index_seq", "function", "module"};
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* The content of the records, without their positions and references. */
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
        const struct ras_schema *schema = ras_schema_of(c);
        if (r->schema == RAS_SCHEMA_GAP)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (is_link(schema->fields[v[i].field].name))
                continue;
            mix_cell(&s, &v[i]);
        }
        s.records++;
    }
    s.ending = ras_ending(t).kind;
    ras_cursor_close(c);
    return s;
}

/* ---- held traces ----------------------------------------------------------------------- */

static void hold(struct held *h, bool dir)
{
    *h = (struct held){0};
    if ((dir ? ras_folder_memory(&h->folder, NULL) : ras_sink_memory(&h->sink, NULL)) < 0)
        abort();
}

static void drop(struct held *h)
{
    ras_sink_drop(h->sink);
    ras_folder_drop(h->folder);
}

static struct ras_trace *open_held(const struct held *h)
{
    const struct ras_options how = {.format = "atf"};
    struct ras_trace *t;
    if (h->folder) {
        size_t count;
        const struct ras_part *parts = ras_folder_parts(h->folder, &count);
        return ras_open_parts(&t, parts, count, &how, NULL) == RAS_OK ? t : NULL;
    }
    struct ras_bytes b = ras_sink_bytes(h->sink);
    return ras_open_memory(&t, b.at, b.len, &how, NULL) == RAS_OK ? t : NULL;
}

static bool same_bytes(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static bool same(const struct held *a, const struct held *b)
{
    size_t n, m;
    if (a->sink)
        return same_bytes(ras_sink_bytes(a->sink), ras_sink_bytes(b->sink));
    const struct ras_part *x = ras_folder_parts(a->folder, &n);
    const struct ras_part *y = ras_folder_parts(b->folder, &m);
    for (size_t i = 0; n == m && i < n; i++)
        if (strcmp(x[i].name, y[i].name) != 0 || !same_bytes(x[i].bytes, y[i].bytes))
            return false;
    return n == m;
}

/* ---- repaired, rewritten ------------------------------------------------------------------- */

static void repair(struct ras_trace *t, bool dir, bool unlink)
{
    struct held h;
    struct ras_repair *r;
    hold(&h, dir);
    const struct ras_repair_options to = {.sink = h.sink,
                                          .folder = h.folder,
                                          .choices = &(struct ras_choice){"drop-dangling", 0},
                                          .choice_count = unlink};
    if (ras_repair(&r, t, &to, NULL) == RAS_OK) {
        if (r->after.kind != RAS_COMPLETE && !r->plan.note_count)
            fuzz_wrong("repaired, but %s", r->after.why);
        ras_repair_free(r);
        struct ras_trace *repaired = open_held(&h);
        if (!repaired || ras_repair(&r, repaired, &(struct ras_repair_options){0}, NULL) < 0)
            fuzz_wrong("repaired, but it does not read");
        if (r->plan.patch_count)
            fuzz_wrong("repaired, but there is more to repair in %s at %llu",
                       r->plan.patches[0].part, (unsigned long long)r->plan.patches[0].at);
        ras_repair_free(r);
        ras_close(repaired);
    }
    drop(&h);
}

static bool rewrite(struct ras_trace *t, bool dir, struct ras_rewrite_options how, struct held *h)
{
    struct ras_rewritten *r;
    hold(h, dir);
    how.sink = h->sink;
    how.folder = h->folder;
    if (ras_rewrite(&r, &t, 1, &how, NULL) == RAS_OK) {
        ras_rewritten_free(r);
        return true;
    }
    drop(h);
    return false;
}

/* A slice of everything has the same content, and a slice of that the same bytes. */
static void slice(struct ras_trace *t, bool dir)
{
    struct held once, twice;
    struct sum before = walk(t);
    if (!rewrite(t, dir, (struct ras_rewrite_options){0}, &once))
        fuzz_wrong("cannot be sliced");
    struct ras_trace *part = open_held(&once);
    struct sum after = part ? walk(part) : (struct sum){0};
    if (!part || after.ending != RAS_COMPLETE || after.records != before.records ||
        after.digest != before.digest)
        fuzz_wrong("a slice has %llu records of %llu", (unsigned long long)after.records,
                   (unsigned long long)before.records);
    if (!rewrite(part, dir, (struct ras_rewrite_options){0}, &twice) || !same(&once, &twice))
        fuzz_wrong("a slice of the slice differs");
    drop(&twice);
    ras_close(part);
    drop(&once);
}

static void convert(struct ras_trace *t, bool dir, struct ras_rewrite_options how)
{
    struct held h;
    if (!rewrite(t, dir, how, &h))
        return;
    struct ras_trace *made = open_held(&h);
    if (!made || walk(made).ending != RAS_COMPLETE)
        fuzz_wrong("rewritten it is not whole");
    ras_close(made);
    drop(&h);
}

static void try_trace(struct ras_trace *t, bool dir)
{
    static const char *const types[] = {"detail"};
    repair(t, dir, false);
    repair(t, dir, true);
    slice(t, dir);
    convert(t, dir, (struct ras_rewrite_options){.target = "spec"});
    convert(t, dir, (struct ras_rewrite_options){.types = types, .type_count = 1});
    convert(t, dir, (struct ras_rewrite_options){.axis = RAS_AXIS_SEQ, .from = 2, .to = 9});
    convert(t, dir,
            (struct ras_rewrite_options){.axis = RAS_AXIS_TIME, .from = 5, .to = UINT64_MAX / 2});
}

/* ---- inputs --------------------------------------------------------------------------------- */

static void try_session(const uint8_t *bytes, size_t size)
{
    const struct ras_options how = {.format = "atf"};
    struct ras_trace *t;
    if (size < 4)
        return;
    size_t left = size - 4;
    size_t index = ((size_t)bytes[0] | (size_t)bytes[1] << 8) % (left + 1);
    size_t detail = ((size_t)bytes[2] | (size_t)bytes[3] << 8) % (left - index + 1);
    const struct ras_part parts[] = {
        {"thread_0/index.atf", {bytes + 4, index}},
        {"thread_0/detail.atf", {bytes + 4 + index, detail}},
        {"manifest.json", {bytes + 4 + index + detail, left - index - detail}}};
    if (ras_open_parts(&t, parts, 3, &how, NULL) == RAS_OK)
        try_trace(t, true);
    ras_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct ras_options how = {.format = "atf"};
    struct ras_trace *t;
    if (ras_open_memory(&t, bytes, size, &how, NULL) == RAS_OK)
        try_trace(t, false);
    else
        try_session(bytes, size);
    ras_close(t);
    return 0;
}
