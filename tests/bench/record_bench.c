/* record_bench.c - what an event costs the program that is recorded, and how many a disk takes.
 *
 * Beside each figure is what the machine itself takes in the same run: reading the
 * clock, storing 32 bytes, writing a file, copying memory. */
#include "bench.h"
#include <rastrum/dial9.h>
#include <rastrum/record.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BURST = 1 << 14, BURSTS = 400, DISK_EVENTS = 1 << 23, DISK_RUNS = 3 };

static double now_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ns that one of BURST rounds of work() takes, at best. */
static double burst_ns(void (*work)(void), void (*between)(void))
{
    double best = 1e9;
    for (unsigned i = 0; i < BURSTS; i++) {
        double start = now_of(CLOCK_THREAD_CPUTIME_ID);
        work();
        double took = now_of(CLOCK_THREAD_CPUTIME_ID) - start;
        best = took < best ? took : best;
        if (between)
            between();
    }
    return best / BURST * 1e9;
}

/* ---- the machine's own ------------------------------------------------------------ */

static void read_ticks(void)
{
    for (unsigned i = 0; i < BURST; i++)
        bench_use(RAS_TICKS());
}

static void read_boottime(void)
{
    struct timespec t;
    for (unsigned i = 0; i < BURST; i++) {
        clock_gettime(CLOCK_BOOTTIME, &t);
        bench_use((uint64_t)t.tv_nsec);
    }
}

static struct ras_record_event slots[BURST];

static void store_events(void)
{
    for (unsigned i = 0; i < BURST; i++) {
        slots[i] = (struct ras_record_event){i, i, 1, RAS_TRACE_CALL, 1, UINT32_MAX};
        bench_use((uint64_t)(uintptr_t)slots);
    }
}

static void copy_events(void)
{
    static struct ras_record_event other[BURST];
    memcpy(other, slots, sizeof slots);
    bench_use((uint64_t)(uintptr_t)other);
}

/* Events a second that write(2) takes, in blocks of 1 MiB. */
static double write_speed(struct bench *b)
{
    char path[4096];
    double best = 0;
    size_t block = (size_t)1 << 20;
    uint8_t *bytes = calloc(1, block);
    snprintf(path, sizeof path, "%s/plain", bench_folder(b));
    for (unsigned run = 0; bytes && run < DISK_RUNS; run++) {
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        double start = now_of(CLOCK_MONOTONIC);
        size_t left = (size_t)DISK_EVENTS * 32;
        while (left && write(fd, bytes, block) == (ssize_t)block)
            left -= block;
        double rate = DISK_EVENTS / (now_of(CLOCK_MONOTONIC) - start);
        best = !left && rate > best ? rate : best;
        close(fd);
        unlink(path);
    }
    free(bytes);
    return best;
}

/* ---- recording -------------------------------------------------------------------- */

static bool start(struct bench *b, const struct ras_record_options *like)
{
    struct ras_record_options options = *like;
    char dir[4096];
    struct ras_error err;
    snprintf(dir, sizeof dir, "%s/recorded", bench_folder(b));
    options.dir = dir;
    if (ras_record_start(&options, &err) == RAS_OK)
        return true;
    bench_remark(b, "record: %s", err.text);
    return false;
}

static void remove_session(void)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/events.trc", ras_record_dir());
    unlink(path);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/thread_%u/index.atf", ras_record_dir(), i);
        unlink(path);
    }
}

static bool stop(struct bench *b)
{
    struct ras_error err;
    struct ras_record_counts c;
    int status = ras_record_stop(&err);
    ras_record_counts(&c);
    remove_session();
    if (status == RAS_OK && c.stored == c.produced)
        return true;
    bench_remark(b, "record: %s", status < 0 ? err.text : "events were dropped");
    return false;
}

static void emit(void)
{
    for (unsigned i = 0; i < BURST; i += 2) {
        ras_trace_call(1);
        ras_trace_return(1);
    }
}

static void flush(void)
{
    (void)!ras_record_flush(NULL);
}

static void cost(struct bench *b, const char *name, enum ras_record_clock clock, double limit)
{
    const struct ras_record_options options = {.clock = clock};
    if (!start(b, &options)) {
        bench_skip(b, name, "no recording could be started");
        return;
    }
    double ns = burst_ns(emit, flush);
    if (stop(b))
        bench_report(b, name, ns, limit);
}

/* ---- events of a schema ------------------------------------------------------------ */

static const struct ras_dial9_field poll_fields[] = {
    {"worker_id", RAS_DIAL9_VARINT}, {"task_id", RAS_DIAL9_VARINT}, {"queue", RAS_DIAL9_U32}};
static const struct ras_dial9_schema poll_schema = {"Poll", poll_fields, 3, true};
static uint32_t poll_id;
static uint64_t poll_time;
static struct ras_dial9_writer *poll_writer;

static void emit_polls(void)
{
    struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_U32}};
    for (unsigned i = 0; i < BURST; i++) {
        values[0].u = i & 7;
        values[1].u = i;
        values[2].u = i >> 4;
        (void)ras_event_at(poll_id, poll_time += 500, values, 3);
    }
}

/* The encoder alone, one thread, no ring. */
static void encode_polls(void)
{
    struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_U32}};
    for (unsigned i = 0; i < BURST; i++) {
        values[0].u = i & 7;
        values[1].u = i;
        values[2].u = i >> 4;
        (void)!ras_dial9_writer_event(poll_writer, 0, poll_time += 500, values, 3, NULL);
    }
}

static void empty_writer(void)
{
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    (void)!ras_dial9_writer_append(poll_writer, sink, NULL);
    ras_sink_drop(sink);
}

static void event_cost(struct bench *b)
{
    const struct ras_record_options options = {0};
    uint16_t id;
    if (ras_dial9_writer_open(&poll_writer, NULL, NULL, NULL) < 0 ||
        ras_dial9_writer_schema(poll_writer, &poll_schema, &id, NULL) < 0 ||
        ras_event_schema(&poll_schema, &poll_id, NULL) < 0 || !start(b, &options)) {
        bench_skip(b, "dial9.event", "no recording could be started");
        return;
    }
    double alone = burst_ns(encode_polls, empty_writer), ns = burst_ns(emit_polls, flush);
    (void)!ras_dial9_writer_close(poll_writer, NULL);
    if (stop(b))
        bench_report(b, "dial9.event", ns, alone);
}

static void *produce(void *user)
{
    const uint64_t *events = user;
    for (uint64_t i = 0; i < *events; i += 2) {
        ras_trace_call(i);
        ras_trace_return(i);
    }
    return NULL;
}

/* Events a second, from the first to the sealed file. */
static double disk_speed(struct bench *b, unsigned producers, bool compress)
{
    const struct ras_record_options options = {
        .struct_size = sizeof options, .policy = RAS_RECORD_BLOCK, .compress = compress};
    pthread_t threads[2];
    uint64_t each = DISK_EVENTS / producers;
    double best = 0;
    for (unsigned run = 0; run < DISK_RUNS && start(b, &options); run++) {
        double began = now_of(CLOCK_MONOTONIC);
        for (unsigned i = 0; i < producers; i++)
            if (pthread_create(&threads[i], NULL, produce, &each))
                return 0;
        for (unsigned i = 0; i < producers; i++)
            pthread_join(threads[i], NULL);
        bool good = stop(b);
        double rate = DISK_EVENTS / (now_of(CLOCK_MONOTONIC) - began);
        best = good && rate > best ? rate : best;
    }
    return best;
}

/* A program of its own, recorded as anybody's would be. */
static void hook_cost(struct bench *b, double ticks)
{
    char command[8192];
    double ns = 0;
    snprintf(command, sizeof command, "'%s' record -q --force -o '%s/hooked' -- '%s'",
             bench_program(b), bench_folder(b), HOOK_BENCH);
    FILE *said = popen(command, "r");
    if (said && fscanf(said, "%lf", &ns) == 1 && ns > 0)
        bench_report(b, "hook.cyg", ns, ticks);
    else
        bench_skip(b, "hook.cyg", "the program could not be recorded");
    if (said)
        pclose(said);
}

void record_bench(struct bench *b)
{
    double ticks = burst_ns(read_ticks, NULL), boottime = burst_ns(read_boottime, NULL);
    double disk = write_speed(b);
    cost(b, "record.tsc", RAS_RECORD_CLOCK_AUTO, ticks);
    hook_cost(b, ticks);
    entry_bench(b);
    attach_bench(b);
    event_cost(b);
    cost(b, "record.boottime", RAS_RECORD_CLOCK_SYSTEM, boottime);
    bench_report(b, "record.disk1", disk_speed(b, 1, false), disk);
    bench_report(b, "record.disk2", disk_speed(b, 2, false), disk);
    bench_report(b, "record.packed", disk_speed(b, 1, true), disk);
    bench_remark(b,
                 "record: the counter is read in %.1f ns, CLOCK_BOOTTIME in %.1f ns; 32 bytes are "
                 "stored in %.1f ns, copied in %.1f ns, written in %.1f ns",
                 ticks, boottime, burst_ns(store_events, NULL), burst_ns(copy_events, NULL),
                 1e9 / disk);
}
