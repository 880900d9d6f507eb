/* dial9_memory_test.c - one allocation fails, at any place in a dial9 writer, a repair or a
 * rewrite.
 *
 * A call of a writer that fails for it leaves the stream as it was: when repeated, it does what it
 * would have done. A verb fails or does all of its work, and does not leak.
 *
 *  dial9_memory_test GOLDENS */
#include "../unit/again.h"
#include "trial.h"

#include <stdio.h>

static unsigned passed, failed;

static void check(bool good, const char *what, uint64_t call)
{
    good ? passed++ : failed++;
    if (!good)
        printf("%s with allocation %llu refused\n", what, (unsigned long long)call);
}

/* ---- encoding --------------------------------------------------------------------------- */

/* Repeat every step that failed for lack of memory. False: another failure. */
static bool encode(struct ras_bytes bytes, struct ras_dial9_writer **w)
{
    static struct again a;
    struct ras_dial9_frame frame;
    struct ras_dial9 *reader;
    int status = RAS_EMEMORY;
    for (int i = 0; i < 2 && status == RAS_EMEMORY; i++)
        status = ras_dial9_open(&reader, bytes.at, bytes.len, NULL, NULL);
    if (status < 0)
        return false;
    status = RAS_EMEMORY;
    for (int i = 0; i < 2 && status == RAS_EMEMORY; i++)
        status =
            ras_dial9_writer_open(w, NULL, &(struct ras_dial9_writer_options){.room = 1}, NULL);
    a.reader = reader;
    while (status == RAS_OK) {
        status = ras_dial9_next(reader, &frame, NULL);
        if (status == RAS_EMEMORY)
            status = ras_dial9_next(reader, &frame, NULL);
        if (status != RAS_OK)
            break;
        status = again_frame(&a, *w, &frame, NULL);
        if (status == RAS_EMEMORY)
            status = again_frame(&a, *w, &frame, NULL);
    }
    ras_dial9_close(reader);
    return status == RAS_END;
}

static void check_encoding(const char *name, struct ras_bytes bytes)
{
    struct ras_dial9_writer *first, *w;
    uint64_t before = heap_now().calls;
    if (!encode(bytes, &first)) {
        check(false, name, UINT64_MAX);
        return;
    }
    uint64_t calls = heap_now().calls - before;
    struct ras_bytes wanted = ras_dial9_writer_bytes(first);
    for (uint64_t call = 0; call < calls; call++) {
        w = NULL;
        heap_fail(call);
        bool good = encode(bytes, &w);
        heap_fail(UINT64_MAX);
        struct ras_bytes got = w ? ras_dial9_writer_bytes(w) : (struct ras_bytes){0};
        check(good && got.len == wanted.len && !memcmp(got.at, wanted.at, got.len), name, call);
        good = ras_dial9_writer_close(w, NULL) == RAS_OK;
    }
    if (ras_dial9_writer_close(first, NULL) < 0)
        check(false, name, UINT64_MAX);
}

/* ---- verbs ------------------------------------------------------------------------------ */

enum verb { REPAIR, SLICE, INTERLEAVE, SEED, VERBS };
static const char *const verbs[] = {"repair", "slice", "interleave", "convert"};

static int run(enum verb verb, struct ras_bytes bytes, struct ras_sink **sink)
{
    struct ras_trace *t;
    struct ras_repair *r;
    struct ras_rewritten *w;
    int status = ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL);
    if (status < 0)
        return status;
    status = ras_sink_memory(sink, NULL);
    const struct ras_repair_options to = {.sink = *sink};
    const struct ras_rewrite_options how = {
        .sink = *sink, .interleave = verb == INTERLEAVE, .target = verb == SEED ? "seed" : NULL};
    if (status == RAS_OK && verb == REPAIR) {
        status = ras_repair(&r, t, &to, NULL);
        if (status == RAS_OK)
            ras_repair_free(r);
    } else if (status == RAS_OK) {
        status = ras_rewrite(&w, &t, 1, &how, NULL);
        if (status == RAS_OK)
            ras_rewritten_free(w);
    }
    ras_close(t);
    return status;
}

static void check_verb(const char *name, enum verb verb, struct ras_bytes bytes)
{
    struct ras_sink *first = NULL;
    char what[200];
    snprintf(what, sizeof what, "%s of %s", verbs[verb], name);
    uint64_t before = heap_now().calls;
    if (run(verb, bytes, &first) < 0) {
        ras_sink_drop(first);
        return;
    }
    uint64_t calls = heap_now().calls - before;
    struct ras_bytes wanted = ras_sink_bytes(first);
    for (uint64_t call = 0; call < calls; call++) {
        struct ras_sink *sink = NULL;
        int64_t live = heap_now().live;
        heap_fail(call);
        int status = run(verb, bytes, &sink);
        heap_fail(UINT64_MAX);
        struct ras_bytes got = sink ? ras_sink_bytes(sink) : (struct ras_bytes){0};
        bool good = status == RAS_EMEMORY || (status == RAS_OK && got.len == wanted.len &&
                                              !memcmp(got.at, wanted.at, got.len));
        ras_sink_drop(sink);
        if (status != RAS_EMEMORY && !good)
            printf("status %d, %zu bytes of %zu\n", status, got.len, wanted.len);
        check(good && heap_now().live == live, what, call);
    }
    ras_sink_drop(first);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"all_types", "annotations",  "batches",  "pools",
                                        "nested",    "schema_again", "cut_event"};
    static uint8_t bytes[1 << 16];
    if (argc != 2)
        return 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.trc", argv[1], names[i]);
        FILE *file = fopen(path, "rb");
        struct ras_bytes all = {bytes, file ? fread(bytes, 1, sizeof bytes, file) : 0};
        check(file != NULL, path, UINT64_MAX);
        if (file)
            fclose(file);
        if (strcmp(names[i], "cut_event") && strcmp(names[i], "annotations"))
            check_encoding(names[i], all);
        for (int verb = 0; verb < VERBS; verb++)
            check_verb(names[i], (enum verb)verb, all);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
