/* make_calls.c - a session of calls for the tests in a browser: make_calls DIRECTORY EVENTS. Eight
 * threads call and return at random, as deep as 24; the same events give the same bytes. */
#include <rastrum/atf.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { THREADS = 8, FUNCTIONS = 1000, DEPTH = 24, MODULE = 7, PATH_SIZE = 4200 };

struct walk {
    uint64_t random, time_ns;
    uint64_t stack[DEPTH];
    unsigned depth;
};

/* The next event of a thread that has so many left: all calls have returned at the end. */
static struct ras_atf_index_event next_event(struct walk *w, uint64_t left)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    bool call = w->depth < left && (!w->depth || (w->depth < DEPTH && w->random & 1));
    w->time_ns += 1 + (w->random >> 8) % 400;
    if (call)
        w->stack[w->depth++] = (uint64_t)MODULE << 32 | (1 + (w->random >> 20) % FUNCTIONS);
    struct ras_atf_index_event e = {.timestamp_ns = w->time_ns,
                                    .function_id = w->stack[w->depth - 1],
                                    .event_kind = call ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                    .call_depth = w->depth,
                                    .detail_seq = RAS_ATF_NO_DETAIL};
    w->depth -= !call;
    return e;
}

static int put_thread(struct ras_atf_writer *w, unsigned thread, uint64_t events)
{
    struct walk walk = {.random = 88172645463325252u + thread, .time_ns = 1000 + thread};
    struct ras_atf_index_event *e;
    size_t room;
    for (uint64_t i = 0; i < events; i += room) {
        int status = ras_atf_writer_reserve(w, &e, &room, NULL);
        if (status < 0)
            return status;
        room = room < events - i ? room : (size_t)(events - i);
        for (size_t n = 0; n < room; n++)
            e[n] = next_event(&walk, events - i - n);
        status = ras_atf_writer_commit(w, room, NULL);
        if (status < 0)
            return status;
    }
    return ras_atf_writer_finalize(w, NULL);
}

static bool make_thread(const char *path, unsigned thread, uint64_t events)
{
    const struct ras_atf_index_header header = {.thread_id = thread};
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    if (ras_sink_file(&sink, path, true, NULL) < 0)
        return false;
    bool done = ras_atf_writer_open(&w, sink, &header, NULL, NULL) == RAS_OK;
    if (done) {
        done = put_thread(w, thread, events) == RAS_OK;
        done = ras_atf_writer_close(w, NULL) == RAS_OK && done;
    }
    return ras_sink_close(sink, NULL) == RAS_OK && done;
}

static bool make_manifest(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(out, "{\"threads\":[");
    for (unsigned i = 0; i < THREADS; i++)
        fprintf(out, "%s{\"id\":%u,\"has_detail\":false}", i ? "," : "", i);
    fprintf(out,
            "],\"clock_type\":3,\"modules\":[{\"module_id\":%d,\"path\":\"/usr/bin/demo\"}],"
            "\"symbols\":[",
            MODULE);
    for (unsigned i = 1; i <= FUNCTIONS; i++)
        fprintf(out,
                "%s{\"function_id\":\"0x%08x%08x\",\"module_id\":%d,\"symbol_index\":%u,"
                "\"name\":\"demo_function_%u\"}",
                i > 1 ? "," : "", MODULE, i, MODULE, i, i);
    fprintf(out, "],\"format_version\":\"2.1\"}\n");
    return fclose(out) == 0;
}

int main(int argc, char **argv)
{
    char path[PATH_SIZE];
    uint64_t events = argc == 3 ? strtoull(argv[2], NULL, 10) / THREADS / 2 * 2 : 0;
    bool done = events && mkdir(argv[1], 0777) == 0;
    for (unsigned i = 0; done && i < THREADS; i++) {
        snprintf(path, sizeof path, "%s/thread_%u", argv[1], i);
        done = mkdir(path, 0777) == 0;
        snprintf(path, sizeof path, "%s/thread_%u/index.atf", argv[1], i);
        done = done && make_thread(path, i, events);
    }
    if (done) {
        snprintf(path, sizeof path, "%s/manifest.json", argv[1]);
        done = make_manifest(path);
    }
    if (!done)
        fprintf(stderr, "make_calls: DIRECTORY EVENTS: cannot be made\n");
    return done ? 0 : 2;
}
