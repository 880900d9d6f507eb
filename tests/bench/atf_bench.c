/* atf_bench.c - scanning, merging, showing and writing ATF sessions.
 *
 * Four million events, as one thread and as two, mapped from files as a user's
 * session is; the peer's figures are for as many. Each yardstick is a plain loop
 * that reads the same bytes. */
#include "bench.h"
#include "base/out.h"
#include <rastrum/atf.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 4000000, BATCH = 256 };

static void put(struct out *out, uint64_t value, unsigned size)
{
    uint8_t *p = out_reserve(out, size);
    for (unsigned i = 0; p && i < size; i++)
        p[i] = (uint8_t)(value >> 8 * i);
    out->len += p ? size : 0;
}

static void put_event(struct out *out, uint64_t time, uint32_t thread, uint64_t i)
{
    unsigned step = i % 8, depth = step < 4 ? step + 1 : 8 - step;
    put(out, time, 8);
    put(out, (uint64_t)7 << 32 | depth, 8);
    put(out, thread, 4);
    put(out, step < 4 ? RAS_ATF_CALL : RAS_ATF_RETURN, 4);
    put(out, depth, 4);
    put(out, RAS_ATF_NO_DETAIL, 4);
}

static void put_index(struct out *out, uint32_t thread, uint64_t count, uint64_t start,
                      uint64_t every)
{
    uint64_t last = start + every * (count - 1);
    out_bytes(out, "ATI2\1\1\1\4", 8);
    put(out, 0, 4);
    put(out, thread, 4);
    put(out, RAS_ATF_BOOTTIME, 8);
    put(out, 32, 4);
    put(out, count, 4);
    put(out, 64, 8);
    put(out, 64 + 32 * count, 8);
    put(out, start, 8);
    put(out, last, 8);
    for (uint64_t i = 0; i < count; i++)
        put_event(out, start + every * i, thread, i);
    out_bytes(out, "2ITA\0\0\0", 8);
    put(out, count, 8);
    put(out, start, 8);
    put(out, last, 8);
    put(out, 32 * count, 8);
    for (unsigned i = 0; i < 3; i++)
        put(out, 0, 8);
}

/* One thread of a session below the bench's folder. */
static bool make_thread(struct bench *b, const char *session, unsigned thread, uint64_t count,
                        uint64_t every)
{
    char path[4096];
    struct out out = {0};
    snprintf(path, sizeof path, "%s/%s", bench_folder(b), session);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/thread_%u", bench_folder(b), session, thread);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/thread_%u/index.atf", bench_folder(b), session, thread);
    put_index(&out, thread, count, 1000 + 40 * thread, every);
    FILE *file = out.failed ? NULL : fopen(path, "wb");
    bool good = file && fwrite(out.at, 1, out.len, file) == out.len;
    good = (file ? !fclose(file) : false) && good;
    out_free(&out);
    return good;
}

static void remove_session(struct bench *b, const char *session)
{
    char path[4096];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/thread_%u/index.atf", bench_folder(b), session, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s/thread_%u", bench_folder(b), session, i);
        rmdir(path);
    }
    snprintf(path, sizeof path, "%s/%s", bench_folder(b), session);
    rmdir(path);
}

struct job {
    struct ras_trace *trace, *other;
    struct ras_scan scan;
    uint64_t events;
};

/* Every event with all its values, through the cursor. */
static void walk(void *user)
{
    struct job *job = user;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t sum = 0;
    size_t count;
    job->events = 0;
    if (ras_cursor_open(&c, job->trace, &job->scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        const struct ras_value *v = ras_values(c, &count);
        sum += v[0].u + v[4].u;
        job->events++;
    }
    ras_cursor_close(c);
    bench_use(sum);
}

static void walk_native(void *user)
{
    struct job *job = user;
    struct ras_atf_session *s = ras_atf_session(job->trace);
    struct ras_atf_index_event events[BATCH];
    uint64_t sum = 0;
    size_t got;
    for (job->events = 0; (got = ras_atf_index_read(s, 0, job->events, events, BATCH));
         job->events += got)
        for (size_t i = 0; i < got; i++)
            sum += events[i].timestamp_ns + events[i].call_depth;
    bench_use(sum);
}

/* With another session of the same calls at other times. */
static void diff(void *user)
{
    struct job *job = user;
    struct ras_diff *d;
    job->events = 0;
    if (ras_diff(&d, job->trace, job->other, NULL, NULL) == RAS_OK && !d->divergence_count)
        job->events = d->checked;
    ras_diff_free(d);
}

/* Nanoseconds an event for reading its 32 bytes and doing nothing with them. */
static double floor_ns(struct bench *b, struct ras_trace *t)
{
    struct ras_atf_session *s = ras_atf_session(t);
    struct ras_cursor *c;
    const struct ras_record *r;
    double ns = 0;
    struct ras_atf_thread thread;
    if (ras_atf_thread_at(s, 0, &thread, NULL) < 0 || ras_cursor_open(&c, t, NULL, NULL) < 0)
        return 0;
    if (ras_next(c, &r, NULL) == RAS_OK)
        ns = 32e9 / bench_read_speed(b, r->raw, (size_t)thread.index.count * 32);
    ras_cursor_close(c);
    return ns;
}

/* Nanoseconds an event. */
static double measure(struct bench *b, const char *name, void (*work)(void *), struct job *job,
                      double yardstick)
{
    double seconds = bench_best(b, work, job);
    if (job->events != EVENTS)
        bench_skip(b, name, "the made session does not read");
    else
        bench_report(b, name, seconds * 1e9 / EVENTS, yardstick);
    return seconds * 1e9 / EVENTS;
}

static bool open_session(struct bench *b, const char *session, struct job *job)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", bench_folder(b), session);
    return ras_open(&job->trace, path, NULL, NULL) == RAS_OK;
}

static void head(struct bench *b, const char *session)
{
    char path[4096];
    struct bench_run run;
    snprintf(path, sizeof path, "%s/%s", bench_folder(b), session);
    char *argv[] = {(char *)(uintptr_t)bench_program(b), "cat", "--limit", "100", path, NULL};
    if (!bench_process(b, argv, 20, &run) || run.status != 0) {
        bench_skip(b, "atf.head100", "the program does not run");
        return;
    }
    bench_report(b, "atf.head100", run.wall_ms, 0);
}

static void diff_bench(struct bench *b, struct job *job, double scanned)
{
    struct job other = {0};
    if (make_thread(b, "again", 0, EVENTS, 101) && open_session(b, "again", &other)) {
        job->other = other.trace;
        (void)measure(b, "diff.atf", diff, job, scanned);
        ras_close(other.trace);
    } else {
        bench_skip(b, "diff.atf", "no room for temporary files");
        bench_skip(b, "columns.atf", "no room for temporary files");
        bench_skip(b, "columns.generic", "no room for temporary files");
    }
    remove_session(b, "again");
}

/* ---- writing --------------------------------------------------------------- */

/* Events, one call for each, into a new file and finalized, as the peer's figure was taken:
 * handed to the system, without waiting for the disk. Making room for the file is not timed. */
struct writing {
    char file[4096];
    int (*write_all)(struct ras_atf_writer *);
    uint64_t events; /* taken; 0: it failed */
    double best;     /* seconds */
};

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void fill(struct ras_atf_index_event *e, uint64_t i)
{
    unsigned step = i % 8, depth = step < 4 ? step + 1 : 8 - step;
    e->timestamp_ns = 1000 + 100 * i;
    e->function_id = (uint64_t)7 << 32 | depth;
    e->thread_id = 0;
    e->event_kind = step < 4 ? RAS_ATF_CALL : RAS_ATF_RETURN;
    e->call_depth = depth;
    e->detail_seq = RAS_ATF_NO_DETAIL;
}

static int put_each(struct ras_atf_writer *w)
{
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && i < EVENTS; i++) {
        struct ras_atf_index_event e;
        fill(&e, i);
        status = ras_atf_writer_put(w, &e, NULL);
    }
    return status;
}

static int call_each(struct ras_atf_writer *w)
{
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && i < EVENTS; i++) {
        struct ras_atf_index_event e;
        fill(&e, i);
        status = ras_atf_writer_event(w, &e, NULL, NULL);
    }
    return status;
}

static int fill_blocks(struct ras_atf_writer *w)
{
    struct ras_atf_index_event *e;
    size_t room;
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && i < EVENTS;) {
        status = ras_atf_writer_reserve(w, &e, &room, NULL);
        room = room < EVENTS - i ? room : (size_t)(EVENTS - i);
        for (size_t n = 0; n < room; n++, i++)
            fill(&e[n], i);
        if (status == RAS_OK)
            status = ras_atf_writer_commit(w, room, NULL);
    }
    return status;
}

static bool write_index(int fd, int (*write_all)(struct ras_atf_writer *))
{
    const struct ras_atf_index_header header = {.thread_id = 0};
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    if (fd < 0 || ras_sink_fd(&sink, fd, NULL) < 0)
        return false;
    bool done = ras_atf_writer_open(&w, sink, &header, NULL, NULL) == RAS_OK;
    if (done) {
        done = write_all(w) == RAS_OK && ras_atf_writer_finalize(w, NULL) == RAS_OK;
        done = ras_atf_writer_close(w, NULL) == RAS_OK && done;
    }
    return ras_sink_close(sink, NULL) == RAS_OK && done;
}

static void write_thread(void *user)
{
    struct writing *job = user;
    unlink(job->file);
    double start = cpu_now();
    int fd = open(job->file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    bool done = write_index(fd, job->write_all);
    close(fd);
    double took = cpu_now() - start;
    job->best = took < job->best ? took : job->best;
    job->events = done ? EVENTS : 0;
}

/* As many bytes of nothing, in large pieces. */
static void write_plainly(void *user)
{
    struct writing *job = user;
    static uint8_t piece[256 << 10];
    unlink(job->file);
    double start = cpu_now();
    int fd = open(job->file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    for (size_t left = (size_t)EVENTS * 32; left;) {
        ssize_t n = write(fd, piece, left < sizeof piece ? left : sizeof piece);
        if (n <= 0)
            break;
        left -= (size_t)n;
    }
    close(fd);
    double took = cpu_now() - start;
    job->best = took < job->best ? took : job->best;
}

static double best_of(struct bench *b, int (*write_all)(struct ras_atf_writer *))
{
    struct writing job = {.write_all = write_all, .best = 1e9};
    snprintf(job.file, sizeof job.file, "%s/written.atf", bench_folder(b));
    (void)bench_best(b, write_thread, &job);
    unlink(job.file);
    return job.events == EVENTS ? job.best * 1e9 / EVENTS : 0;
}

static void writing(struct bench *b)
{
    struct writing plain = {.best = 1e9};
    snprintf(plain.file, sizeof plain.file, "%s/plain", bench_folder(b));
    (void)bench_best(b, write_plainly, &plain);
    unlink(plain.file);
    double ns = best_of(b, put_each);
    if (ns > 0)
        bench_report(b, "atf.write", ns, plain.best * 1e9 / EVENTS);
    else
        bench_skip(b, "atf.write", "no room for temporary files");
    bench_remark(b, "atf.write: %.1f ns by ras_atf_writer_event(), %.1f filled in place",
                 best_of(b, call_each), best_of(b, fill_blocks));
}

void atf_bench(struct bench *b)
{
    struct job one = {0}, two = {.scan = {.merged = true}};
    if (make_thread(b, "one", 0, EVENTS, 100) && open_session(b, "one", &one)) {
        double yardstick = floor_ns(b, one.trace);
        double scanned = measure(b, "atf.scan", walk, &one, yardstick);
        diff_bench(b, &one, scanned);
        (void)measure(b, "atf.scan.native", walk_native, &one, yardstick);
        columns_bench(b, one.trace);
        ras_close(one.trace);
        head(b, "one");
    } else {
        bench_skip(b, "atf.scan", "no room for temporary files");
        bench_skip(b, "diff.atf", "no room for temporary files");
    }
    remove_session(b, "one");
    if (make_thread(b, "two", 0, EVENTS / 2, 100) && make_thread(b, "two", 1, EVENTS / 2, 101) &&
        open_session(b, "two", &two)) {
        (void)measure(b, "atf.merge", walk, &two, floor_ns(b, two.trace));
        ras_close(two.trace);
    } else {
        bench_skip(b, "atf.merge", "no room for temporary files");
    }
    remove_session(b, "two");
    writing(b);
    threads_bench(b);
}
