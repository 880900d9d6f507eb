/* rundir_test.c - run directories: axes, run.json of any bytes, and runs that diverge. */
#include "ops/rundir/rundir_axes.h"
#include <rastrum/columns.h>
#include <rastrum/run.h>

#include <fnmatch.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { TICKS = 24, FEW = 6, AT = 9 };
enum { EVENTS = 3 }; /* which pen of a run has them */

/* ---- places ----------------------------------------------------------------------- */

static char home[] = "rastrum-rundir-XXXXXX";

static int enter(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home);
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return chdir("..") || system(command);
}

static void put(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static struct ras_bytes read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    static uint8_t bytes[65536];
    assert_non_null(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    assert_int_equal(fclose(f), 0);
    return (struct ras_bytes){bytes, size};
}

static void play_for(const char *dir, uint64_t ticks, uint64_t seed, enum ras_perturbation perturb,
                     uint64_t at)
{
    static const char *const pens[] = {"murk", "aerogpu", "dial9"};
    struct ras_run_options how = {.has_seed = true,
                                  .seed = seed,
                                  .ticks = ticks,
                                  .pens = pens,
                                  .pen_count = 3,
                                  .perturb = perturb,
                                  .perturb_tick = at};
    struct ras_run out;
    struct ras_error err = {0};
    static const char recipe[] = "murkworld 1 arena-1\n";
    how.recipe = (struct ras_bytes){(const uint8_t *)recipe, sizeof recipe - 1};
    assert_int_equal(ras_world_type_of(&how.world, how.recipe, NULL), RAS_OK);
    if (ras_run(&out, dir, &how, &err) < 0)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, RAS_OK);
}

static void play(const char *dir, uint64_t seed, enum ras_perturbation perturb)
{
    play_for(dir, TICKS, seed, perturb, AT);
}

static struct ras_rundir *opened(const char *dir)
{
    struct ras_rundir *run;
    struct ras_error err = {0};
    if (ras_rundir_open(&run, dir, NULL, &err) < 0)
        print_error("%s\n", err.text);
    assert_non_null(run);
    return run;
}

static struct ras_rundiff *compared(const char *a, const char *b, struct ras_rundir *runs[2])
{
    struct ras_rundiff *d;
    runs[0] = opened(a);
    runs[1] = opened(b);
    assert_int_equal(ras_rundiff(&d, runs[0], runs[1], NULL, NULL), RAS_OK);
    return d;
}

static void forget(struct ras_rundiff *d, struct ras_rundir *runs[2])
{
    ras_rundiff_free(d);
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
}

/* ---- axes ---------------------------------------------------------------------------- */

static void axes_are_those_of_run_json(void **state)
{
    (void)state;
    static const char json[] =
        "{\"pens\":{},\"axes\":{\"frame\":{\"first\":10,\"first_tick\":3,\"per_tick\":2},"
        "\"odd\":{\"first\":0,\"first_tick\":1,\"per_tick\":0},"
        "\"tick\":{\"first\":3,\"last\":8}}}";
    assert_int_equal(system("mkdir axes"), 0);
    put("axes/run.json", json, sizeof json - 1);
    struct ras_rundir *run = opened("axes");
    assert_int_equal(rundir_tick_on(run, "tick", 7), 7);
    assert_int_equal(rundir_tick_on(run, "frame", 9), RAS_NONE);
    assert_int_equal(rundir_tick_on(run, "frame", 10), 3);
    assert_int_equal(rundir_tick_on(run, "frame", 13), 4);
    assert_int_equal(rundir_tick_on(run, "odd", 3), RAS_NONE);
    assert_int_equal(rundir_tick_on(run, "event", 3), RAS_NONE);
    assert_int_equal(rundir_first(run), 3);
    ras_rundir_close(run);
}

/* ---- runs ---------------------------------------------------------------------------- */

static void same_seed_is_the_same_run(void **state)
{
    (void)state;
    struct ras_rundir *runs[2];
    play("one", 7, RAS_PERTURB_NOTHING);
    play("again", 7, RAS_PERTURB_NOTHING);
    struct ras_rundiff *d = compared("one", "again", runs);
    assert_false(d->diverged);
    assert_int_equal(d->pen_count, 3);
    assert_int_equal(d->compared, 3);
    assert_int_equal(d->first_tick, RAS_NONE);
    assert_null(d->settings);
    forget(d, runs);
}

static void every_perturbation_is_found_at_its_tick(void **state)
{
    (void)state;
    for (int what = RAS_PERTURB_RNG; what < RAS_PERTURBATIONS; what++) {
        struct ras_rundir *runs[2];
        char name[16];
        snprintf(name, sizeof name, "stray%d", what);
        play(name, 7, (enum ras_perturbation)what);
        struct ras_rundiff *d = compared("one", name, runs);
        uint64_t at = 0;
        assert_true(d->diverged);
        assert_true(rundir_uint(runs[1], (const char *const[]){"perturbed", "tick", NULL}, &at));
        assert_true(at >= AT);
        assert_int_equal(d->first_tick, at);
        assert_int_equal(d->pens[0].tick, at); /* the hash of Murk's frame */
        assert_int_equal(d->pens[2].tick, at); /* of dial9: by the order of the events */
        assert_true(d->pens[1].tick == RAS_NONE || d->pens[1].tick >= at);
        forget(d, runs);
    }
}

static struct ras_rundiff *between(struct ras_rundir *runs[2], int64_t first, int64_t last)
{
    const struct ras_compare_options range = {
        .has_first = first >= 0, .first = first, .has_last = last >= 0, .last = last};
    struct ras_rundiff *d;
    assert_int_equal(ras_rundiff(&d, runs[0], runs[1], &range, NULL), RAS_OK);
    return d;
}

static void bounds_are_ticks_for_every_pen(void **state)
{
    struct ras_rundir *runs[2] = {opened("one"), opened("stray1")}; /* it drew a number at AT */
    (void)state;
    struct ras_rundiff *d = between(runs, 2, AT - 1);
    uint64_t before = d->pens[2].diff->checked;
    assert_false(d->diverged);
    assert_int_equal(d->compared, 3);
    assert_int_equal(d->pens[0].diff->checked, AT - 2);
    assert_int_equal(d->pens[1].diff->checked, AT - 2);
    assert_true(before > AT);
    ras_rundiff_free(d);
    d = between(runs, -1, AT - 1);
    assert_false(d->diverged);
    assert_true(d->pens[2].diff->checked > before);
    ras_rundiff_free(d);
    for (int64_t first = 1; first <= TICKS; first++) {
        d = between(runs, first, first);
        assert_int_equal(d->diverged, first >= AT);
        assert_true(d->pens[2].diff->checked >= 1);
        assert_int_equal(d->pens[2].tick, first >= AT ? (uint64_t)first : RAS_NONE);
        ras_rundiff_free(d);
    }
    d = between(runs, TICKS + 1, -1); /* there are none */
    assert_false(d->diverged);
    assert_int_equal(d->checked, 0);
    ras_rundiff_free(d);
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
}

static bool has_text(const struct ras_rundiff *d, const char *text)
{
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_rundiff_json(sink, d, NULL, RAS_LAYOUT_LINE, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "", 1, NULL), RAS_OK);
    bool reported = strstr((const char *)ras_sink_bytes(sink).at, text);
    ras_sink_drop(sink);
    return reported;
}

/* All differing events of the tick are reported, and none of another. */
static void events_of_the_tick_are_reported(void **state)
{
    struct ras_rundir *runs[2] = {opened("one"), opened("other")};
    size_t most = 0;
    char count[40];
    (void)state;
    for (int64_t tick = 1; tick <= TICKS; tick++) {
        struct ras_rundiff *d = between(runs, tick, -1);
        const struct ras_diff *in_tick = d->pens[2].in_tick;
        assert_null(d->pens[0].in_tick);
        assert_non_null(in_tick);
        most = in_tick->divergence_count > most ? in_tick->divergence_count : most;
        for (size_t i = 0; i < in_tick->divergence_count; i++)
            for (int side = 0; side < 2; side++) {
                const struct ras_divergence *v = &in_tick->divergences[i];
                assert_true(v->seq[side] == RAS_NONE ||
                            ras_rundir_tick_of(runs[side], EVENTS, v->stream[side], v->seq[side]) ==
                                (uint64_t)tick);
            }
        snprintf(count, sizeof count, "\"divergence_count\": %zu", in_tick->divergence_count);
        assert_true(has_text(d, count) && has_text(d, "\"divergences\": [{"));
        ras_rundiff_free(d);
    }
    assert_true(most > 2);
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
}

static void another_seed_is_reported(void **state)
{
    (void)state;
    struct ras_rundir *runs[2];
    play("other", 8, RAS_PERTURB_NOTHING);
    struct ras_rundiff *d = compared("one", "other", runs);
    assert_true(d->diverged);
    assert_int_equal(d->first_tick, 1);
    assert_non_null(d->settings);
    assert_int_equal(d->settings->kind, RAS_LIST);
    const struct ras_value *path = ras_value_member(d->settings + 1, "path");
    assert_int_equal(path->count, 4);
    assert_memory_equal(path->at, "seed", 4);
    forget(d, runs);
}

/* ---- order --------------------------------------------------------------------------------- */

/* Every record of a tick has that tick, and spans of ticks follow each other. */
static void check_spans(const struct ras_rundir *run, uint64_t ticks)
{
    for (size_t pen = 0; pen < run->pen_count; pen++) {
        struct ras_span span;
        uint64_t end = 0;
        if (!run->pens[pen].trace)
            continue;
        for (uint64_t tick = 1; tick <= ticks; tick++) {
            assert_true(ras_rundir_span_of(run, pen, 0, tick, false, &span));
            assert_true(tick == 1 || span.from >= end);
            assert_true(span.to > span.from);
            assert_int_equal(ras_rundir_tick_of(run, pen, 0, span.from), tick);
            assert_int_equal(ras_rundir_tick_of(run, pen, 0, span.to - 1), tick);
            end = span.to;
        }
        assert_false(ras_rundir_span_of(run, pen, 0, ticks + 1, false, &span));
        assert_false(ras_rundir_span_of(run, pen, 0, 0, false, &span));
    }
    assert_int_equal(ras_rundir_tick_of(run, 99, 0, 1), RAS_NONE);
}

static size_t count_findings(const struct ras_rundir *run, const char *rule)
{
    struct ras_report *report;
    size_t count = 0;
    assert_int_equal(ras_rundir_verify(&report, (struct ras_rundir *)(uintptr_t)run, NULL, NULL),
                     RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++) {
        assert_string_equal(ras_rundir_part(run, report->findings[i].part), "ticks.idx");
        count += !fnmatch(rule, report->findings[i].rule->id, 0);
    }
    assert_int_equal(count, report->finding_count);
    ras_report_free(report);
    return count;
}

static void ticks_are_known_by_order(void **state)
{
    const char *why;
    (void)state;
    struct ras_rundir *run = opened("one");
    assert_int_equal(ras_rundir_order(run, &why), RAS_ORDER_INDEX);
    assert_string_equal(why, "");
    check_spans(run, TICKS);
    assert_int_equal(count_findings(run, "run.order.differs"), 0);
    ras_rundir_close(run);
}

/* However much of the index is left, ticks are known: by it, or by the marks. */
static void an_index_may_be_cut_at_every_byte(void **state)
{
    (void)state;
    play_for("cut", FEW, 7, RAS_PERTURB_NOTHING, 0);
    play_for("bad", FEW, 7, RAS_PERTURB_RNG, 4);
    struct ras_bytes whole = read_all("cut/ticks.idx");
    uint8_t *bytes = malloc(whole.len);
    assert_non_null(bytes);
    memcpy(bytes, whole.at, whole.len);
    struct ras_rundir *bad = opened("bad");
    for (size_t len = 0; len <= whole.len; len++) {
        put("cut/ticks.idx", bytes, len);
        struct ras_rundir *run = opened("cut");
        struct ras_rundiff *d;
        assert_int_equal(ras_rundir_order(run, NULL),
                         len == whole.len ? RAS_ORDER_INDEX : RAS_ORDER_MARKS);
        check_spans(run, FEW);
        assert_int_equal(ras_rundiff(&d, run, bad, NULL, NULL), RAS_OK);
        assert_int_equal(d->pens[2].tick, 4);
        ras_rundiff_free(d);
        assert_int_equal(count_findings(run, "run.order.read"), len < whole.len);
        ras_rundir_close(run);
    }
    assert_int_equal(remove("cut/ticks.idx"), 0);
    struct ras_rundir *run = opened("cut");
    assert_int_equal(ras_rundir_order(run, NULL), RAS_ORDER_MARKS);
    check_spans(run, FEW);
    ras_rundir_close(run);
    ras_rundir_close(bad);
    free(bytes);
}

/* A wrong byte is found by the reader, or by the comparison with the traces. */
static void an_index_that_differs_is_found(void **state)
{
    (void)state;
    play_for("off", FEW, 7, RAS_PERTURB_NOTHING, 0);
    struct ras_bytes whole = read_all("off/ticks.idx");
    uint8_t *bytes = malloc(whole.len);
    assert_non_null(bytes);
    memcpy(bytes, whole.at, whole.len);
    for (size_t at = 0; at < whole.len; at += 3) {
        bytes[at] ^= 1;
        put("off/ticks.idx", bytes, whole.len);
        bytes[at] ^= 1;
        struct ras_rundir *run = opened("off");
        assert_int_equal(ras_rundir_order(run, NULL), RAS_ORDER_MARKS);
        check_spans(run, FEW);
        assert_true(count_findings(run, "run.order.*") >= 1);
        ras_rundir_close(run);
    }
    free(bytes);
}

/* An index is only valid for its own files. */
static void an_index_of_other_files_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf cut && cp -r one cut && truncate -s -9 cut/events.trc"), 0);
    struct ras_rundir *run = opened("cut");
    const char *why;
    assert_int_equal(ras_rundir_order(run, &why), RAS_ORDER_MARKS);
    assert_non_null(strstr(why, "events.trc"));
    ras_rundir_close(run);
}

/* ---- run.json of any bytes -------------------------------------------------------------- */

/* Whatever it holds, the run is opened and checked, or refused. */
static void look(void)
{
    struct ras_rundir *run;
    struct ras_report *report;
    const struct ras_verify_options deep = {.deep = true};
    if (ras_rundir_open(&run, "broken", NULL, NULL) < 0)
        return;
    for (size_t i = 0; i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        assert_non_null(pen->format);
        assert_true(pen->trace || pen->left_out || pen->err.status);
    }
    assert_int_equal(ras_rundir_verify(&report, run, &deep, NULL), RAS_OK);
    ras_report_free(report);
    ras_rundir_close(run);
}

static void bounds_that_lead_nowhere(void **state)
{
    static const char *const odd[] = {"\"per_tick\":0", "\"per_tick\":9223372036854775807",
                                      "\"per_tick\":18446744073709551615"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char command[200];
        snprintf(command, sizeof command,
                 "rm -rf odd && cp -r one odd && sed -i 's/\"per_tick\":1/%s/' odd/run.json",
                 odd[i]);
        assert_int_equal(system(command), 0);
        struct ras_rundir *runs[2] = {opened("odd"), opened("one")};
        struct ras_rundiff *d = between(runs, 5, 9);
        assert_null(d->pens[1].diff);
        assert_string_equal(d->pens[1].err.text, "run.json does not give ticks by frame");
        assert_int_equal(d->compared, 2);
        ras_rundiff_free(d);
        ras_rundir_close(runs[0]);
        ras_rundir_close(runs[1]);
    }
}

static void any_run_json_is_survived(void **state)
{
    (void)state;
    struct ras_bytes whole = read_all("one/run.json");
    uint8_t *now = malloc(whole.len);
    assert_non_null(now);
    assert_int_equal(system("cp -r one broken"), 0);
    for (size_t len = 0; len < whole.len; len += 1 + len / 64) {
        put("broken/run.json", whole.at, len);
        look();
    }
    uint32_t seed = 1;
    for (unsigned i = 0; i < 400; i++) {
        memcpy(now, whole.at, whole.len);
        seed = seed * 1664525 + 1013904223;
        now[(seed >> 8) % whole.len] = (uint8_t) "\"{}[],:0a\\"[seed % 10];
        put("broken/run.json", now, whole.len);
        look();
    }
    free(now);
}

static void parts_are_reported_one_by_one(void **state)
{
    (void)state;
    struct ras_rundir *runs[2];
    assert_int_equal(system("rm -r broken && cp -r one broken && rm broken/replay.murk &&"
                            " truncate -s 5000 broken/gpu.aerogputrace"),
                     0);
    struct ras_rundiff *d = compared("one", "broken", runs);
    assert_int_equal(d->compared, 2);
    assert_null(d->pens[0].diff);
    assert_int_equal(d->pens[0].failed, 1);
    assert_int_equal(d->pens[0].err.status, RAS_EIO);
    assert_true(d->pens[1].diff->endings[1].kind >= RAS_CUT);
    assert_non_null(d->pens[2].diff);
    assert_int_equal(d->pens[2].diff->divergence_count, 0);
    forget(d, runs);
    assert_false(ras_rundir_exists("."));
    assert_false(ras_rundir_exists("one/run.json"));
    assert_true(ras_rundir_exists("one"));
}

/* ---- tables --------------------------------------------------------------------------- */

static void check_run_ticks(const struct ras_rundir *run, size_t pen)
{
    const struct ras_tables_options options = {.run = run, .pen = pen};
    const struct ras_table_about *t;
    const struct ras_batch *b;
    struct ras_tables *tables;
    struct ras_columns *c;
    uint16_t columns[3] = {0};
    uint64_t known = 0;
    assert_int_equal(ras_tables_open(&tables, run->pens[pen].trace, &options, NULL), RAS_OK);
    t = ras_table_of(tables, "record");
    for (uint16_t i = 0; i < t->column_count; i++)
        for (unsigned k = 0; k < 3; k++)
            if (!strcmp(t->columns[i].name, (const char *const[]){"seq", "stream", "run_tick"}[k]))
                columns[k] = i;
    const struct ras_columns_scan scan = {.table = "record", .columns = columns, .column_count = 3};
    assert_int_equal(ras_columns_open(&c, tables, &scan, NULL), RAS_OK);
    while (ras_columns_next(c, &b, NULL) == RAS_OK)
        for (size_t i = 0; i < b->rows; i++) {
            const struct ras_column *tick = &b->columns[2];
            bool valid = !tick->valid || tick->valid[i / 8] >> i % 8 & 1;
            uint64_t expected =
                ras_rundir_tick_of(run, pen, ((const uint32_t *)b->columns[1].values)[i],
                                   ((const uint64_t *)b->columns[0].values)[i]);
            assert_int_equal(valid, expected != RAS_NONE);
            if (valid)
                assert_int_equal(((const uint64_t *)tick->values)[i], expected);
            known += valid;
        }
    assert_true(known > TICKS);
    ras_columns_close(c);
    ras_tables_close(tables);
}

static void rows_have_the_tick_of_their_run(void **state)
{
    (void)state;
    play("rows", 5, RAS_PERTURB_NOTHING);
    struct ras_rundir *run = opened("rows");
    for (size_t i = 0; i < run->pen_count; i++)
        if (run->pens[i].trace)
            check_run_ticks(run, i);
    ras_rundir_close(run);
}

/* ---- in memory ------------------------------------------------------------------------- */

enum { FILES_MAX = 32 };

static struct ras_part files[FILES_MAX];
static size_t file_count;
static size_t name_skip;

static int keep_file(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)at;
    if (kind != FTW_F)
        return 0;
    uint8_t *bytes = malloc((size_t)about->st_size + 1);
    FILE *f = fopen(path, "rb");
    assert_true(f && bytes && file_count < FILES_MAX);
    assert_int_equal(fread(bytes, 1, (size_t)about->st_size, f), about->st_size);
    fclose(f);
    files[file_count++] =
        (struct ras_part){strdup(path + name_skip), {bytes, (size_t)about->st_size}};
    return 0;
}

static void forget_files(void)
{
    for (; file_count; file_count--) {
        free((void *)(uintptr_t)files[file_count - 1].name);
        free((void *)(uintptr_t)files[file_count - 1].bytes.at);
    }
}

static char *json_of(const struct ras_rundiff *d)
{
    struct ras_sink *sink;
    const struct ras_compare_options options = {0};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_rundiff_json(sink, d, &options, RAS_LAYOUT_LINE, NULL), RAS_OK);
    struct ras_bytes text = ras_sink_bytes(sink);
    char *copy = malloc(text.len + 1);
    assert_non_null(copy);
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    ras_sink_drop(sink);
    return copy;
}

static void a_run_in_memory_is_the_same(void **state)
{
    (void)state;
    struct ras_rundir *runs[2], *memory[2];
    struct ras_rundiff *d;
    play("from", 5, RAS_PERTURB_NOTHING);
    play("to", 5, RAS_PERTURB_RNG);
    d = compared("from", "to", runs);
    char *wanted = json_of(d);
    ras_rundiff_free(d);
    name_skip = strlen("to/");
    assert_int_equal(nftw("to", keep_file, 8, FTW_PHYS), 0);
    assert_true(ras_rundir_exists_in(files, file_count));
    assert_int_equal(ras_rundir_open_parts(&memory[1], "to", files, file_count, NULL, NULL),
                     RAS_OK);
    const char *why;
    assert_int_equal(ras_rundir_order(memory[1], &why), ras_rundir_order(runs[1], &why));
    assert_int_equal(ras_rundiff(&d, runs[0], memory[1], NULL, NULL), RAS_OK);
    char *got = json_of(d);
    assert_string_equal(got, wanted);
    struct ras_report *report;
    assert_int_equal(ras_rundir_verify(&report, memory[1], NULL, NULL), RAS_OK);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
    ras_rundiff_free(d);
    ras_rundir_close(memory[1]);
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
    free(got);
    free(wanted);
    forget_files();
}

/* A file that is missing or changed is reported by its pen or by verify; nothing else is lost. */
static void files_of_memory_are_checked(void **state)
{
    (void)state;
    struct ras_rundir *run;
    struct ras_error err;
    play("whole", 6, RAS_PERTURB_NOTHING);
    name_skip = strlen("whole/");
    assert_int_equal(nftw("whole", keep_file, 8, FTW_PHYS), 0);
    for (size_t i = 0; i < file_count; i++) {
        struct ras_part kept = files[i], last = files[file_count - 1];
        files[i] = last;
        bool has_json = strcmp(kept.name, "run.json") != 0;
        int status = ras_rundir_open_parts(&run, "whole", files, file_count - 1, NULL, &err);
        assert_int_equal(status, has_json ? RAS_OK : RAS_EUSAGE);
        struct ras_report *report;
        if (has_json) {
            assert_int_equal(ras_rundir_verify(&report, run, NULL, NULL), RAS_OK);
            assert_true(report->finding_count > 0);
            ras_report_free(report);
        }
        ras_rundir_close(run);
        files[file_count - 1] = last;
        files[i] = kept;
    }
    forget_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_those_of_run_json),
        cmocka_unit_test(same_seed_is_the_same_run),
        cmocka_unit_test(every_perturbation_is_found_at_its_tick),
        cmocka_unit_test(another_seed_is_reported),
        cmocka_unit_test(bounds_are_ticks_for_every_pen),
        cmocka_unit_test(events_of_the_tick_are_reported),
        cmocka_unit_test(ticks_are_known_by_order),
        cmocka_unit_test(an_index_may_be_cut_at_every_byte),
        cmocka_unit_test(an_index_that_differs_is_found),
        cmocka_unit_test(an_index_of_other_files_is_not_used),
        cmocka_unit_test(bounds_that_lead_nowhere),
        cmocka_unit_test(any_run_json_is_survived),
        cmocka_unit_test(parts_are_reported_one_by_one),
        cmocka_unit_test(rows_have_the_tick_of_their_run),
        cmocka_unit_test(a_run_in_memory_is_the_same),
        cmocka_unit_test(files_of_memory_are_checked),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
