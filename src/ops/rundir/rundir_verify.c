/* rundir_verify.c - whether run.json and the files of a run directory fit together. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "codec/sha256.h"
#include "core/format.h"
#include "core/passes.h"
#include "core/source.h"
#include "ops/compare/compare_driver.h"
#include "ops/rundir/rundir_axes.h"
#include "ops/verify/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, COMPLETE, TRACE, MISSING, SIZE, HASH, TICKS, ORDER_READ, ORDER_DIFFERS };
enum { PIECE = 1 << 18, NO_FILE = -1 };

/* ---- files ------------------------------------------------------------------------------ */

/* A check of a run directory. */
struct checker {
    const struct ras_rundir *run;
    struct report report;
    struct passes passes; /* over the files, to hash them, to count ticks and to find marks */
};

/* A file of the run, open or in memory. */
struct run_file {
    int fd; /* -1: in memory */
    struct ras_bytes bytes;
    uint64_t size;
};

/* 0; why it cannot be opened, as errno has it; NO_FILE: it is something else. */
static int run_file_open(struct run_file *f, const struct ras_rundir *run, const char *path,
                         const char *name)
{
    struct os_about about;
    const struct ras_part *part;
    *f = (struct run_file){.fd = -1};
    if (rundir_part(run, name, &part)) {
        if (part)
            *f = (struct run_file){-1, part->bytes, part->bytes.len};
        return part ? 0 : ENOENT;
    }
    f->fd = os_open(path, OS_READ | OS_NO_WAIT);
    if (f->fd < 0 || os_about_fd(f->fd, &about) < 0)
        return errno ? errno : EIO;
    f->size = about.size;
    return about.kind == OS_FILE ? 0 : NO_FILE;
}

static int64_t run_file_read(const struct run_file *f, uint8_t *piece, uint64_t at,
                             struct ras_error *err)
{
    if (f->fd >= 0)
        return file_read_at(f->fd, piece, PIECE, at, err);
    uint64_t left = f->size - at, size = left < PIECE ? left : PIECE;
    if (size)
        memcpy(piece, f->bytes.at + at, (size_t)size);
    return (int64_t)size;
}

static int hash_file(struct checker *k, const struct run_file *f, char hex[2 * SHA256_SIZE + 1],
                     struct ras_error *err)
{
    static const char digits[] = "0123456789abcdef";
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE], *piece = malloc(PIECE);
    int64_t got = piece ? 1 : fail_memory(err);
    for (uint64_t at = 0; got > 0; at += (uint64_t)got) {
        got = run_file_read(f, piece, at, err);
        if (got > 0)
            sha256_add(&sha, piece, (size_t)got);
        if (!passes_at(&k->passes, at + (uint64_t)(got > 0 ? got : 0), f->size))
            got = fail_canceled(err);
    }
    passes_next(&k->passes, f->size);
    free(piece);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * SHA256_SIZE] = 0;
    return got < 0 ? (int)got : RAS_OK;
}

static int verify_hash(struct checker *k, uint32_t part, const struct ras_rundir_file *f,
                       const struct run_file *file, struct ras_error *err)
{
    char hex[2 * SHA256_SIZE + 1];
    if (!f->sha256 || !report_wants(&k->report, &rundir_rules[HASH]))
        return RAS_OK;
    int status = hash_file(k, file, hex, err);
    if (status == RAS_OK && strcmp(hex, f->sha256) != 0)
        report_add(&k->report, &rundir_rules[HASH], part, 0, 0,
                   "%.100s has the SHA-256 %.16s..., run.json says %.16s...", f->name, hex,
                   f->sha256);
    return status;
}

static int check_file(struct checker *k, uint32_t part, const struct ras_rundir_file *f,
                      struct ras_error *err)
{
    const struct ras_rundir *run = k->run;
    struct report *report = &k->report;
    struct run_file file;
    size_t size = strlen(run->path) + strlen(f->name) + 2;
    char *path = malloc(size);
    if (!path)
        return fail_memory(err);
    snprintf(path, size, "%s/%s", run->path, f->name);
    int fault = run_file_open(&file, run, path, f->name);
    int status = RAS_OK;
    free(path);
    if (fault == ENOENT || fault == NO_FILE) {
        report_add(report, &rundir_rules[MISSING], part, 0, 0, "%.100s is not %s", f->name,
                   fault == ENOENT ? "there" : "a file");
    } else if (fault) {
        report_add(report, &rundir_rules[MISSING], part, 0, 0, "%.100s cannot be opened: %s",
                   f->name, strerror(fault));
    } else if (f->size_bytes != RAS_NONE && file.size != f->size_bytes) {
        report_add(report, &rundir_rules[SIZE], part, file.size, 0,
                   "%.100s has %" PRIu64 " bytes, run.json says %" PRIu64, f->name, file.size,
                   f->size_bytes);
    } else {
        status = verify_hash(k, part, f, &file, err);
    }
    if (file.fd >= 0)
        os_close(file.fd);
    return status;
}

/* ---- axes ------------------------------------------------------------------------------- */

/* Check that a trace on the axis of ticks, or frames, has those of run.json. */
static int check_ticks(struct checker *k, uint32_t part, struct ras_error *err)
{
    const struct ras_rundir *run = k->run;
    struct report *report = &k->report;
    struct ras_trace *trace = run->pens[part].trace;
    const struct compare_ops *ops = trace->format->compare;
    struct ras_info *info;
    uint64_t first, last;
    if (!(trace->format->about.axes & 1u << RAS_AXIS_TICK) || !ops ||
        !rundir_uint(run, (const char *const[]){"axes", ops->word, "first", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", ops->word, "last", NULL}, &last) ||
        !report_wants(report, &rundir_rules[TICKS]))
        return RAS_OK;
    int status = ras_info(&info, trace, passes_inner, &k->passes, err);
    if (status < 0)
        return status;
    passes_next(&k->passes, ras_size(trace));
    if (!info->has_tick || info->tick_first != first || info->tick_last != last)
        report_add(report, &rundir_rules[TICKS], part, 0, 0,
                   "has %ss %" PRIu64 " to %" PRIu64 ", run.json says %" PRIu64 " to %" PRIu64,
                   ops->word, info->tick_first, info->tick_last, first, last);
    ras_info_free(info);
    return RAS_OK;
}

/* ---- order ------------------------------------------------------------------------------ */

/* Find the first mark in which the index and the traces differ. */
static void check_column(struct report *report, const struct ras_rundir *run,
                         const struct tick_column *said, const struct tick_column *found)
{
    uint32_t part = (uint32_t)run->pen_count + 1;
    uint64_t i = 0, least = said->count < found->count ? said->count : found->count;
    while (i < least && tick_column_tick(said, i) == tick_column_tick(found, i) &&
           tick_column_value(said, i) == tick_column_value(found, i))
        i++;
    if (i < least)
        report_add(report, &rundir_rules[ORDER_DIFFERS], part, 0, 0,
                   "%s: mark %" PRIu64 " is of tick %" PRIu64 " at %" PRIu64
                   ", the trace has tick %" PRIu64 " at %" PRIu64,
                   said->name, i, tick_column_tick(said, i), tick_column_value(said, i),
                   tick_column_tick(found, i), tick_column_value(found, i));
    else if (said->count != found->count)
        report_add(report, &rundir_rules[ORDER_DIFFERS], part, 0, 0,
                   "%s: %s, the trace marks %" PRIu64, said->name,
                   ras_counted(said->count, "tick").text, found->count);
}

static void compare_orders(struct report *report, const struct ras_rundir *run,
                           const struct tick_index *said, const struct tick_index *found)
{
    static const struct tick_column none = {.name = ""};
    uint32_t part = (uint32_t)run->pen_count + 1;
    for (size_t i = 0; i < found->count; i++) {
        struct tick_column nothing = {.name = found->columns[i].name};
        const struct tick_column *c = tick_index_find(said, found->columns[i].name);
        if (!c && rundir_order_is_partial(run))
            continue;
        check_column(report, run, c ? c : &nothing, &found->columns[i]);
    }
    for (size_t i = 0; i < said->count; i++)
        if (said->columns[i].kind != TICK_HEAD && strcmp(said->columns[i].name, "tick") != 0 &&
            !tick_index_find(found, said->columns[i].name))
            check_column(report, run, &said->columns[i], &none);
    if (found->descending)
        report_add(report, &rundir_rules[ORDER_DIFFERS], part, 0, 0,
                   "%" PRIu64 " marks of ticks in the traces step back", found->descending);
}

/* Check the index of ticks against the marks in the traces. */
static int check_order(struct checker *k, struct ras_error *err)
{
    const struct ras_rundir *run = k->run;
    struct report *report = &k->report;
    struct tick_index said, found = {.passes = &k->passes};
    struct source *source;
    struct ras_error why;
    uint64_t version;
    bool all = true;
    int status = RAS_OK;
    if (!rundir_uint(run, (const char *const[]){"run_version", NULL}, &version) || version < 2)
        return RAS_OK;
    if (rundir_read_sidecar(run, &source, &said, &why) < 0) {
        report_add(report, &rundir_rules[ORDER_READ], (uint32_t)run->pen_count + 1, 0, 0,
                   "%.150s: ticks are found by a scan of the traces", why.text);
        return why.status == RAS_EMEMORY ? fail_memory(err) : RAS_OK;
    }
    for (size_t i = 0; i < run->pen_count && status == RAS_OK; i++) {
        all &= run->pens[i].trace || run->pens[i].left_out;
        if (!run->pens[i].trace)
            continue;
        status = tick_index_scan(&found, run->pens[i].trace, rundir_first(run), err);
        passes_next(&k->passes, ras_size(run->pens[i].trace));
    }
    if (status == RAS_OK && all) /* missing files are reported separately */
        compare_orders(report, run, &said, &found);
    tick_index_free(&said);
    tick_index_free(&found);
    source_close(source);
    return status;
}

/* ---- the directory ---------------------------------------------------------------------- */

static int check(struct checker *k, struct ras_error *err)
{
    const struct ras_rundir *run = k->run;
    struct report *report = &k->report;
    int status = RAS_OK;
    if (run->json_err.status)
        report_add(report, &rundir_rules[JSON], (uint32_t)run->pen_count,
                   run->json_err.offset == RAS_NONE ? 0 : run->json_err.offset, 0, "%.200s",
                   run->json_err.text);
    if (rundir_is_incomplete(run)) {
        char reached[200];
        (void)rundir_reached(run, reached, sizeof reached);
        report_add(report, &rundir_rules[COMPLETE], (uint32_t)run->pen_count, 0, 0,
                   "the program did not close it: %s; rastrum repair completes it",
                   *reached ? reached : "no tick is in its files");
        status = RAS_OK;
    }
    for (uint32_t i = 0; i < run->pen_count && status == RAS_OK; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        size_t before = report->out.finding_count;
        for (size_t n = 0; n < pen->file_count && status == RAS_OK; n++)
            status = check_file(k, i, &pen->files[n], err);
        if (pen->trace && status == RAS_OK)
            status = check_ticks(k, i, err);
        else if (!pen->trace && !pen->left_out && before == report->out.finding_count)
            report_add(report, &rundir_rules[TRACE], i, 0, 0, "%s: %.200s", pen->format,
                       pen->err.text);
    }
    return status == RAS_OK && !rundir_is_incomplete(run) ? check_order(k, err) : status;
}

/* Bytes that the check passes over: every trace for the marks of its ticks, and where deep rules
 * are checked, each for its hash and for its ticks, too. */
static uint64_t verify_bytes(const struct ras_rundir *run, bool deep)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < run->pen_count; i++)
        if (run->pens[i].trace)
            sum += ras_size(run->pens[i].trace) * (deep ? 3 : 1);
    return sum;
}

int ras_rundir_verify(struct ras_report **out, struct ras_rundir *run,
                      const struct ras_verify_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_verify_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    enum { FINDINGS_MOST = 1000 };
    struct checker k = {
        .run = run,
        .report = {.strict = options->strict, .deep = options->deep, .limit = FINDINGS_MOST},
        .passes = {.progress = options->progress,
                   .user = options->user,
                   .all = verify_bytes(run, options->deep)}};
    struct ras_report *r = malloc(sizeof *r);
    int status = r ? check(&k, err) : fail_memory(err);
    if (status >= 0 && k.report.nomem)
        status = fail_memory(err);
    if (r)
        *r = k.report.out;
    if (status < 0)
        ras_report_free(r);
    else
        *out = r;
    return status;
}

const struct ras_rule rundir_rules[] = {
    [JSON] = {"run.json.read", RAS_ERROR, RAS_ERROR, false, "run.json can be understood"},
    [COMPLETE] = {"run.complete", RAS_ERROR, RAS_ERROR, false, "the program closed the run"},
    [TRACE] = {"run.pen.trace", RAS_ERROR, RAS_ERROR, false,
               "every pen's file is a trace of its format"},
    [MISSING] = {"run.file.missing", RAS_ERROR, RAS_ERROR, false,
                 "every file that run.json names can be opened"},
    [SIZE] = {"run.file.size", RAS_ERROR, RAS_ERROR, false, "a file is as large as run.json says"},
    [HASH] = {"run.file.hash", RAS_ERROR, RAS_ERROR, true,
              "a file has the SHA-256 that run.json says"},
    [TICKS] = {"run.axes.ticks", RAS_ERROR, RAS_ERROR, true,
               "a trace has the ticks or frames that run.json says"},
    [ORDER_READ] = {"run.order.read", RAS_WARNING, RAS_ERROR, false,
                    "ticks.idx is there and whole"},
    [ORDER_DIFFERS] = {"run.order.differs", RAS_ERROR, RAS_ERROR, false,
                       "ticks.idx has the ticks where the traces mark them"},
    {0},
};
