/* view_bench.c - the timeline of the viewer: building it beside a scan of the same picks, its
 * memory beside the budget, and the time of tiles. */
#include "bench.h"
#include "view/tracks.h"
#include <rastrum/atf.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS = 8,
    FUNCTIONS = 1000,
    DEPTH = 24,
    TILES = 300,
    TRIES = 3,
    BUDGET_MIB = 64,
};

/* ---- a session --------------------------------------------------------------------------- */

struct walker {
    uint64_t random, time_ns;
    uint64_t stack[DEPTH];
    unsigned depth;
};

static uint64_t view_chance(struct walker *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random;
}

/* Calls and returns at random, as deep as DEPTH; all have returned at the end. */
static void walk_on(struct walker *w, struct ras_atf_index_event *e, uint64_t left)
{
    uint64_t chance = view_chance(w);
    bool call = w->depth < left && (!w->depth || (w->depth < DEPTH && chance & 1));
    w->time_ns += 1 + (chance >> 8) % 400;
    if (call)
        w->stack[w->depth++] = (uint64_t)7 << 32 | (1 + (chance >> 20) % FUNCTIONS);
    *e = (struct ras_atf_index_event){.timestamp_ns = w->time_ns,
                                      .function_id = w->stack[w->depth - 1],
                                      .event_kind = call ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                      .call_depth = w->depth,
                                      .detail_seq = RAS_ATF_NO_DETAIL};
    w->depth -= !call;
}

static bool write_walk(const char *path, unsigned thread, uint64_t events)
{
    const struct ras_atf_index_header header = {.thread_id = thread};
    struct walker walker = {.random = 88172645463325252u + thread, .time_ns = 1000 + thread};
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    struct ras_atf_index_event *e;
    size_t room;
    if (ras_sink_file(&sink, path, true, NULL) < 0)
        return false;
    int status = ras_atf_writer_open(&w, sink, &header, NULL, NULL);
    for (uint64_t i = 0; status == RAS_OK && i < events;) {
        status = ras_atf_writer_reserve(w, &e, &room, NULL);
        for (size_t n = 0; status == RAS_OK && n < room && i < events; n++, i++) {
            walk_on(&walker, &e[n], events - i);
            room = i + 1 == events ? n + 1 : room;
        }
        if (status == RAS_OK)
            status = ras_atf_writer_commit(w, room, NULL);
    }
    bool done = status == RAS_OK && ras_atf_writer_finalize(w, NULL) == RAS_OK;
    done = ras_atf_writer_close(w, NULL) == RAS_OK && done;
    return ras_sink_close(sink, NULL) == RAS_OK && done;
}

static bool make_session(const char *session, uint64_t events)
{
    char path[4200];
    bool done = mkdir(session, 0777) == 0;
    for (unsigned i = 0; done && i < THREADS; i++) {
        snprintf(path, sizeof path, "%s/thread_%u", session, i);
        done = mkdir(path, 0777) == 0;
        snprintf(path, sizeof path, "%s/thread_%u/index.atf", session, i);
        done = done && write_walk(path, i, events / THREADS / 2 * 2);
    }
    snprintf(path, sizeof path, "%s/manifest.json", session);
    FILE *out = done ? fopen(path, "w") : NULL;
    if (!out)
        return false;
    fprintf(out, "{\"threads\":[");
    for (unsigned i = 0; i < THREADS; i++)
        fprintf(out, "%s{\"id\":%u,\"has_detail\":false}", i ? "," : "", i);
    fprintf(out, "],\"clock_type\":1,\"modules\":[{\"module_id\":7,\"path\":\"/usr/bin/demo\"}],"
                 "\"symbols\":[");
    for (unsigned i = 1; i <= FUNCTIONS; i++)
        fprintf(out,
                "%s{\"function_id\":\"0x%08x%08x\",\"module_id\":7,\"symbol_index\":%u,"
                "\"name\":\"demo_function_%u\"}",
                i > 1 ? "," : "", 7, i, i, i);
    fprintf(out, "],\"format_version\":\"2.1\"}\n");
    return fclose(out) == 0;
}

static void remove_session(const char *session)
{
    char path[4200];
    for (unsigned i = 0; i < THREADS; i++) {
        snprintf(path, sizeof path, "%s/thread_%u/index.atf", session, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/thread_%u", session, i);
        rmdir(path);
    }
    snprintf(path, sizeof path, "%s/manifest.json", session);
    unlink(path);
    rmdir(session);
}

/* ---- building ---------------------------------------------------------------------------- */

struct view_job {
    struct ras_trace *trace;
    const struct ras_pick *picks;
    size_t pick_count;
    uint64_t records;
    struct tracks *tracks;
    size_t before, after; /* bytes from malloc() */
};

static size_t view_heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void scan_picks(void *user)
{
    struct view_job *j = user;
    const struct ras_scan scan = {.picks = j->picks, .pick_count = j->pick_count};
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t sum = 0;
    size_t count;
    j->records = 0;
    if (ras_cursor_open(&c, j->trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        const struct ras_value *v = ras_values(c, &count);
        sum += r->time_ns + (count ? v[count - 1].u : 0);
        j->records++;
    }
    ras_cursor_close(c);
    bench_use(sum);
}

static void build_tracks(void *user)
{
    struct view_job *j = user;
    const struct tracks_options how = {.budget_bytes = (size_t)BUDGET_MIB << 20};
    tracks_close(j->tracks);
    j->before = view_heap();
    if (tracks_open(&j->tracks, j->trace, NULL, &how, NULL) < 0)
        return;
    while (tracks_step(j->tracks, 8, NULL) == RAS_OK)
        ;
    j->after = view_heap();
}

static void measure_build(struct bench *b, const char *name, struct view_job *j)
{
    double scan = bench_best(b, scan_picks, j), build = bench_best(b, build_tracks, j);
    if (!j->tracks || !j->records) {
        bench_skip(b, name, "it cannot be built");
        return;
    }
    bench_report(b, name, build / scan, 1);
    bench_remark(b, "%s: %.1f ns a record, the scan %.1f ns, %.1f M records", name,
                 build * 1e9 / (double)j->records, scan * 1e9 / (double)j->records,
                 (double)j->records / 1e6);
}

/* ---- tiles ------------------------------------------------------------------------------- */

static double view_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of a tile that is made anew each time the best of some: the machine does other things. One that
 * is made from records is kept, so the first counts. */
static double tile_time(struct tracks *t, uint32_t track, int32_t shift, uint64_t index,
                        struct out *out)
{
    double best = 0;
    int times = shift >= (int32_t)tracks_base(t) ? TRIES : 1;
    for (int i = 0; i < times; i++) {
        out->len = 0;
        double start = view_cpu();
        if (tracks_tile(t, track, shift, index, out, NULL) < 0)
            return 0;
        double took = view_cpu() - start;
        best = !i || took < best ? took : best;
    }
    return best;
}

/* The 99th percentile of tiles at a shift, each at another place of another track, in ms. */
static double tile_p99(struct tracks *t, int32_t shift, double *median, size_t *bytes)
{
    double took[TILES];
    struct walker w = {.random = 42};
    struct out out = {0};
    uint64_t from, to;
    bool is_ticks;
    size_t n = 0;
    if (!tracks_extent(t, &from, &to, &is_ticks))
        return 0;
    for (unsigned tries = 0; n < TILES && tries < 100 * TILES; tries++) {
        uint32_t track = (uint32_t)(view_chance(&w) % tracks_count(t));
        uint64_t time = from + view_chance(&w) % (to - from + 1);
        if (tracks_at(t, track)->kind != TRACK_SLICE)
            continue;
        took[n++] = tile_time(t, track, shift, time >> (shift + 10), &out);
        *bytes += out.len / TILES;
    }
    out_free(&out);
    qsort(took, n, sizeof *took, by_value);
    *median = n ? took[n / 2] : 0;
    return n ? took[n * 99 / 100] : 0;
}

/* The finest level that is kept: the first of which tiles are quick. */
static void measure_tiles(struct bench *b, struct tracks *t)
{
    double worst[2] = {0}, median[2] = {0}, m = 0;
    int32_t base = (int32_t)tracks_base(t), level[2] = {0};
    size_t size[2] = {0};
    for (int32_t shift = base > 5 ? base - 5 : 0; shift < base + 6; shift++) {
        bool kept = shift >= base;
        size_t bytes = 0;
        double p99 = tile_p99(t, shift, &m, &bytes);
        if (p99 <= worst[kept])
            continue;
        worst[kept] = p99;
        median[kept] = m;
        level[kept] = shift;
        size[kept] = bytes;
    }
    bench_report(b, "view.tile.raw", worst[0], 0);
    bench_report(b, "view.tile.pyramid", worst[1], 0);
    for (int i = 0; i < 2; i++)
        bench_remark(b, "view.tile.%s: worst at 2^%d ns, p50 %.3f ms, p99 %.3f ms, %zu KiB",
                     i ? "pyramid" : "raw", level[i], median[i], worst[i], size[i] >> 10);
    bench_remark(b, "view.tile: the finest level kept is 2^%d ns", base);
}

/* ---- the rows ---------------------------------------------------------------------------- */

static void view_calls(struct bench *b, uint64_t events)
{
    static const char *const fields[] = {"timestamp_ns", "function_id", "event_kind", "call_depth"};
    const struct ras_pick pick = {.type = "event", .fields = fields, .field_count = 4};
    struct view_job j = {.picks = &pick, .pick_count = 1};
    char path[4096];
    snprintf(path, sizeof path, "%s/view.atf", bench_folder(b));
    if (make_session(path, events) && ras_open(&j.trace, path, NULL, NULL) == RAS_OK) {
        measure_build(b, "view.build.atf", &j);
        if (j.tracks) {
            double mib = (double)(j.after - j.before) / (1 << 20);
            bench_report(b, "view.memory", mib, BUDGET_MIB);
            bench_remark(b, "view.memory: of malloc(); %.1f MiB by its own count",
                         (double)tracks_memory(j.tracks) / (1 << 20));
            measure_tiles(b, j.tracks);
        }
    } else {
        bench_skip(b, "view.build.atf", "a session cannot be made");
    }
    tracks_close(j.tracks);
    ras_close(j.trace);
    remove_session(path);
}

static void view_events(struct bench *b, uint64_t events)
{
    const struct ras_pick picks[] = {
        {.type = "gap"},
        {.fields = (const char *const[]){"worker_id", "task_id", "spawn_loc", "spawn_loc_id",
                                         "local_queue", "global_queue", "tid", "span_id",
                                         "span_name", "duration_ns", "name"},
         .field_count = 11}};
    struct view_job j = {.picks = picks, .pick_count = 2};
    char path[4096];
    snprintf(path, sizeof path, "%s/view.trc", bench_folder(b));
    if (bench_make_events(path, events) && ras_open(&j.trace, path, NULL, NULL) == RAS_OK)
        measure_build(b, "view.build.dial9", &j);
    else
        bench_skip(b, "view.build.dial9", "a trace cannot be made");
    tracks_close(j.tracks);
    ras_close(j.trace);
    unlink(path);
}

void view_bench(struct bench *b, uint64_t events)
{
    view_calls(b, events);
    view_events(b, events);
}
