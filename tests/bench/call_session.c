/* call_session.c - a session of calls for the rows of SQL and of exports: one thread, calls that
 * are nested as those of a program are, of functions that have names. */
#include "bench.h"
#include <rastrum/atf.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEST = 4, MODULE = 7 };

/* Spread over the functions, so that neither counts nor order are even. */
static uint32_t function_of(uint64_t call)
{
    return (uint32_t)(call * 2654435761u >> 7) % BENCH_FUNCTIONS + 1;
}

/* Times ascend by steps that vary, as those of a clock do: even ones would compress to nothing. */
static uint64_t time_of(uint64_t i)
{
    uint64_t noise = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    noise = (noise ^ noise >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    noise = (noise ^ noise >> 27) * UINT64_C(0x94d049bb133111eb);
    return 1000 + 100 * i + (noise >> 33) % 97;
}

static void fill(struct ras_atf_index_event *e, uint64_t i)
{
    unsigned step = i % (2 * NEST);
    unsigned depth = step < NEST ? step : 2 * NEST - 1 - step;
    *e = (struct ras_atf_index_event){.timestamp_ns = time_of(i),
                                      .function_id = (uint64_t)MODULE << 32 |
                                                     function_of(i / (2 * NEST) * NEST + depth),
                                      .event_kind = step < NEST ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                      .call_depth = depth + 1,
                                      .detail_seq = RAS_ATF_NO_DETAIL};
}

static int put_events(struct ras_atf_writer *w, uint64_t events)
{
    struct ras_atf_index_event *e;
    size_t room;
    int status = RAS_OK;
    for (uint64_t i = 0; status == RAS_OK && i < events;) {
        status = ras_atf_writer_reserve(w, &e, &room, NULL);
        room = room < events - i ? room : (size_t)(events - i);
        for (size_t n = 0; status == RAS_OK && n < room; n++, i++)
            fill(&e[n], i);
        if (status == RAS_OK)
            status = ras_atf_writer_commit(w, room, NULL);
    }
    return status;
}

static bool write_events(const char *path, uint64_t events)
{
    const struct ras_atf_index_header header = {.thread_id = 0};
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool done = ras_sink_fd(&sink, fd, NULL) == RAS_OK;
    if (done) {
        done = ras_atf_writer_open(&w, sink, &header, NULL, NULL) == RAS_OK;
        if (done) {
            done = put_events(w, events) == RAS_OK && ras_atf_writer_finalize(w, NULL) == RAS_OK;
            done = ras_atf_writer_close(w, NULL) == RAS_OK && done;
        }
        done = ras_sink_close(sink, NULL) == RAS_OK && done;
    }
    return close(fd) == 0 && done;
}

static bool write_names(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fprintf(out, "{\"threads\":[{\"id\":0,\"has_detail\":false}],\"clock_type\":1,\n\"modules\":"
                 "[{\"module_id\":7,\"path\":\"/usr/bin/demo\"}],\n\"symbols\":[");
    for (uint32_t i = 1; i <= BENCH_FUNCTIONS; i++)
        fprintf(out,
                "%s\n{\"function_id\":\"0x%016" PRIx64
                "\",\"module_id\":7,\"symbol_index\":%" PRIu32 ",\"name\":\"demo_function_%" PRIu32
                "\"}",
                i > 1 ? "," : "", (uint64_t)MODULE << 32 | i, i, i);
    fprintf(out, "],\n\"format_version\":\"2.1\"}\n");
    bool good = !ferror(out);
    return fclose(out) == 0 && good;
}

bool bench_make_calls(const char *session, uint64_t events)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/thread_0", session);
    if (mkdir(session, 0777) < 0 || mkdir(path, 0777) < 0)
        return false;
    snprintf(path, sizeof path, "%s/thread_0/index.atf", session);
    if (!write_events(path, events))
        return false;
    snprintf(path, sizeof path, "%s/manifest.json", session);
    return write_names(path);
}

void bench_remove_calls(const char *session)
{
    static const char *const files[] = {"/thread_0/index.atf", "/manifest.json"};
    char path[4200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s%s", session, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/thread_0", session);
    rmdir(path);
    rmdir(session);
}
