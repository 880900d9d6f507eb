/* answer_bench.c - answers of the viewer that people wait for: the first one of a large trace, the
 * first window of the staff of two runs, and the report of them. */
#include "bench.h"
#include <rastrum/gpu.h>
#include <rastrum/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPENINGS = 5, REPORTS = 3, WINDOWS = 3 };

static double answer_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- the first answer ---------------------------------------------------------------------- */

/* Milliseconds from nothing to the answer of `open`; below 0: it failed. */
static double time_open(const char *path)
{
    struct ras_view_options how = {.no_threads = true};
    struct ras_view *view;
    struct ras_answer answer = {0};
    static const char uri[] = "/v1/open";
    double start = answer_cpu();
    if (ras_view_open(&view, &how, NULL) < 0)
        return -1;
    bool ok = ras_view_add(view, path, NULL, NULL) == RAS_OK &&
              ras_view_answer_uri(view, false, uri, sizeof uri - 1, (struct ras_bytes){0}, &answer,
                                  NULL) == RAS_OK &&
              answer.status == 200;
    double took = answer_cpu() - start;
    ras_view_close(view);
    return ok ? took : -1;
}

/* The slowest of the formats, each the best of some. */
static void measure_open(struct bench *b, uint64_t bytes)
{
    static const char *const goldens[] = {
        "murk/all_payloads.murk", "aerogpu/submission.aerogputrace", "dial9/big-steady.trc"};
    double worst = 0;
    char path[4096];
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const char *dot = strrchr(goldens[i], '.');
        double best = -1;
        snprintf(path, sizeof path, "%s/open%s", bench_folder(b), dot);
        if (!bench_make_long(b, goldens[i], path, bytes)) {
            bench_skip(b, "view.open", "a long trace cannot be made");
            return;
        }
        for (int n = 0; n < OPENINGS; n++) {
            double took = time_open(path);
            best = best < 0 || (took >= 0 && took < best) ? took : best;
        }
        unlink(path);
        bench_remark(b, "view.open: %.2f ms, a trace of %.2f GB, %s", best, (double)bytes / 1e9,
                     dot);
        worst = best > worst ? best : worst;
    }
    bench_report(b, "view.open", worst, 0);
}

/* ---- two runs ------------------------------------------------------------------------------ */

static bool make_run(struct bench *b, const char *dir, char *perturb)
{
    char *argv[] = {(char *)(uintptr_t)bench_program(b),
                    "run",
                    "arena",
                    "--seed",
                    "7",
                    "--ticks",
                    "600",
                    "-q",
                    "-f",
                    "-o",
                    (char *)(uintptr_t)dir,
                    perturb ? "--perturb" : NULL,
                    perturb,
                    NULL};
    struct bench_run run;
    return bench_run(argv, false, &run) && run.status == 0;
}

static bool send(struct ras_view *view, const char *uri, struct ras_answer *answer)
{
    return ras_view_answer_uri(view, false, uri, strlen(uri), (struct ras_bytes){0}, answer,
                               NULL) == RAS_OK;
}

/* A window of 30 ticks, as the page requests it: a job, then its result. */
static double time_window(struct ras_view *view, unsigned from)
{
    struct ras_answer answer;
    char uri[80];
    double start = answer_cpu();
    snprintf(uri, sizeof uri, "/v1/staff?from=%u&to=%u", from, from + 29);
    if (!send(view, uri, &answer))
        return -1;
    while (answer.status == 202)
        if (ras_view_step(view, 8, NULL) < 0 || !send(view, uri, &answer))
            return -1;
    return answer.status == 200 ? answer_cpu() - start : -1;
}

/* The first window of a view that has just been opened: nothing was read before. */
static void measure_staff(struct bench *b, const char *good, const char *bad)
{
    struct ras_view_options how = {.no_threads = true};
    double best = -1, later = 0;
    for (int i = 0; i < WINDOWS; i++) {
        struct ras_view *view;
        if (ras_view_open(&view, &how, NULL) < 0)
            return;
        bool ok = ras_view_add(view, good, NULL, NULL) == RAS_OK &&
                  ras_view_add(view, bad, NULL, NULL) == RAS_OK;
        double first = ok ? time_window(view, 286) : -1;
        later = time_window(view, 320);
        ras_view_close(view);
        if (first < 0 || later < 0) {
            bench_skip(b, "view.staff", "the window cannot be counted");
            return;
        }
        best = best < 0 || first < best ? first : best;
    }
    bench_report(b, "view.staff", best, 0);
    bench_remark(b, "view.staff: the first window %.1f ms, a later one %.1f ms", best, later);
}

static void measure_report(struct bench *b, const char *good, const char *bad)
{
    char out[4200];
    struct bench_run run;
    snprintf(out, sizeof out, "%s.html", bad);
    char *argv[] = {(char *)(uintptr_t)bench_program(b),
                    "report",
                    (char *)(uintptr_t)good,
                    (char *)(uintptr_t)bad,
                    "-f",
                    "-o",
                    out,
                    NULL};
    if (!bench_process(b, argv, REPORTS, &run) || run.status != 1) {
        bench_skip(b, "view.report", "the report cannot be made");
        return;
    }
    bench_report(b, "view.report", run.cpu_ms, 0);
    bench_remark(b, "view.report: %.0f ms of the processor, %.0f ms of the clock", run.cpu_ms,
                 run.wall_ms);
}

void answer_bench(struct bench *b, uint64_t bytes)
{
    char good[4100], bad[4100];
    snprintf(good, sizeof good, "%s/good", bench_folder(b));
    snprintf(bad, sizeof bad, "%s/bad", bench_folder(b));
    measure_open(b, bytes);
    if (!make_run(b, good, NULL) || !make_run(b, bad, "300:rng")) {
        bench_skip(b, "view.staff", "runs cannot be made");
        return;
    }
    measure_staff(b, good, bad);
    measure_report(b, good, bad);
}
