/* rotate_test.c - recordings in segments: every event is in one of them, or counted as deleted. */
#include "script.h"

#include <rastrum/change.h>

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLAYERS = 2 };
static const uint64_t each = 150000;

/* Every seventh event has a detail that says which it is. */
static bool with_details;
enum { DETAIL_EACH = 7 };

static void play_detail(const struct played *p)
{
    const struct ras_detail d = {.payload = &p->function_id, .payload_size = 8};
    ras_trace_detail((enum ras_trace_kind)p->kind, p->function_id, &d);
}

static void *rotate_player(void *user)
{
    struct script s = script_of((uint64_t)(uintptr_t)user);
    for (uint64_t i = 0; i < each; i++) {
        struct played p = script_next(&s);
        if (with_details && i % DETAIL_EACH == 0)
            play_detail(&p);
        else
            play(&p);
        if (i % 5000 == 0)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return NULL;
}

static unsigned folders_in(const char *dir)
{
    unsigned count = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        count += !strncmp(e->d_name, "pid_", 4);
    if (d)
        closedir(d);
    return count;
}

/* Events that the last manifest counts as deleted: a segment without threads has no gap that could
 * say so. */
static uint64_t deleted_in(const char *dir)
{
    static char text[1 << 20];
    uint64_t most = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s/manifest.json", dir, e->d_name);
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        const char *at = strstr(text, "\"deleted_events\":");
        uint64_t count = at ? strtoull(at + strlen("\"deleted_events\":"), NULL, 10) : 0;
        most = count > most ? count : most;
    }
    if (d)
        closedir(d);
    return most;
}

/* All segments as one trace: its events, and those that its gaps count. */
static bool count_all(struct ras_trace *t, uint64_t *events, uint64_t *lost)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err = {0};
    const struct ras_scan scan = {.merged = true};
    uint64_t time = 0;
    if (ras_cursor_open(&c, t, &scan, &err) < 0)
        return complain("%s", err.text);
    int status;
    bool good = true;
    *events = *lost = 0;
    while ((status = ras_next(c, &r, &err)) == RAS_OK) {
        if (r->schema == RAS_SCHEMA_GAP) {
            size_t count;
            const struct ras_value *v = ras_values(c, &count);
            *lost += count == 4 ? v[3].u : 0;
            continue;
        }
        ++*events;
        good &= r->time_ns >= time;
        time = r->time_ns;
    }
    ras_cursor_close(c);
    return status == RAS_END && (good || complain("the order is not that of time"));
}

/* Each detail is that of its event, and each seventh event has one. Of all records, *events are no
 * details. */
static bool check_details(struct ras_trace *t, uint64_t *events)
{
    struct ras_atf_session *session = ras_atf_session(t);
    uint64_t details = 0;
    for (size_t i = 0; i < ras_atf_thread_count(session); i++) {
        struct ras_atf_index_event e;
        struct ras_error err;
        for (uint64_t seq = 0; ras_atf_index_at(session, i, seq, &e, &err) == RAS_OK; seq++) {
            struct ras_atf_detail_event d;
            uint64_t id = 0;
            bool wanted = (e.function_id & UINT32_MAX) % DETAIL_EACH == 0;
            bool linked = e.detail_seq != RAS_ATF_NO_DETAIL;
            if (wanted != linked)
                return complain("event %" PRIu64 " has %s detail", seq, linked ? "a" : "no");
            if (!linked)
                continue;
            if (ras_atf_detail_at(session, i, e.detail_seq, &d, &err) != RAS_OK ||
                d.index_seq != seq || d.payload.len != sizeof id)
                return complain("detail %u of event %" PRIu64, e.detail_seq, seq);
            memcpy(&id, d.payload.at, sizeof id);
            if (id != e.function_id)
                return complain("the detail of event %" PRIu64 " is another's", seq);
            details++;
        }
    }
    *events -= details;
    return details > 0 || complain("there are no details");
}

static bool check_session(const char *dir, uint64_t *events, uint64_t *lost)
{
    struct ras_trace *t;
    struct ras_report *report = NULL;
    struct ras_error err = {0};
    if (ras_open(&t, dir, NULL, &err) < 0)
        return complain("open: %s", err.text);
    bool good = count_all(t, events, lost) && (!with_details || check_details(t, events));
    if (good && ras_verify(&report, t, NULL, &err) < 0)
        good = complain("verify: %s", err.text);
    for (size_t i = 0; good && i < report->finding_count; i++)
        if (report->findings[i].severity == RAS_ERROR)
            good = complain("%s", report->findings[i].text);
    if (good && ras_ending(t).kind != RAS_COMPLETE)
        good = complain("it ends so: %s", ras_ending(t).why);
    ras_report_free(report);
    ras_close(t);
    return good;
}

static bool rotate_run(const struct ras_record_options *like, unsigned least)
{
    const char *dir = scratch();
    struct ras_record_options options = *like;
    struct ras_record_counts c;
    struct ras_error err = {0};
    pthread_t threads[PLAYERS];
    uint64_t events = 0, lost = 0;
    options.struct_size = sizeof options;
    options.exact = dir;
    options.flush_ms = 5;
    options.ring_bytes = 1 << 16;
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text);
    for (uintptr_t i = 0; i < PLAYERS; i++)
        if (pthread_create(&threads[i], NULL, rotate_player, (void *)(i + 1)))
            return complain("no thread");
    for (unsigned i = 0; i < PLAYERS; i++)
        pthread_join(threads[i], NULL);
    if (ras_record_stop(&err) < 0)
        return complain("stop: %s", err.text);
    ras_record_counts(&c);
    unsigned folders = folders_in(dir), most = options.keep_segments;
    bool good = check_session(dir, &events, &lost);
    lost = lost ? lost : deleted_in(dir);
    if (good && (folders < least || (most && folders > most)))
        good = complain("%u segments, not %u to %u", folders, least, most);
    if (good && (c.stored != PLAYERS * each || events + lost != c.stored || (!most && lost)))
        good = complain("%" PRIu64 " stored, %" PRIu64 " are there, %" PRIu64 " deleted", c.stored,
                        events, lost);
    remove_all(dir);
    return good;
}

static bool refused(const struct ras_record_options *like)
{
    const char *dir = scratch();
    struct ras_record_options options = *like;
    options.struct_size = sizeof options;
    options.exact = dir;
    int status = ras_record_start(&options, NULL);
    remove_all(dir);
    return status == RAS_EUSAGE || complain("it was started");
}

int main(void)
{
    const struct ras_record_options
        size = {.rotate_bytes = 1 << 20},
        packed = {.rotate_bytes = 50000, .compress = true},
        keep = {.rotate_bytes = 1 << 20, .keep_segments = 3},
        times = {.rotate_ms = 5, .keep_segments = 2, .compress = true},
        one = {.rotate_ms = 1000000}, last = {.rotate_bytes = 1 << 19, .keep_segments = 1},
        lasting_one = {.rotate_bytes = 1 << 19, .keep_segments = 1, .durable = true},
        lasting = {.rotate_bytes = 1 << 20, .durable = true},
        lasting_few = {.rotate_ms = 5, .durable = true, .keep_segments = 2, .compress = true},
        windows = {.rotate_ms = 5, .flight = true};
    bool good[] = {rotate_run(&size, 2),
                   rotate_run(&packed, 2),
                   rotate_run(&keep, 3),
                   rotate_run(&times, 2),
                   rotate_run(&one, 1),
                   rotate_run(&lasting, 2),
                   rotate_run(&lasting_few, 2),
                   refused(&windows),
                   rotate_run(&last, 1),
                   rotate_run(&lasting_one, 1),
                   false,
                   false,
                   false,
                   false,
                   false};
    unsigned count = sizeof good / sizeof *good, failed = 0;
    with_details = true;
    good[10] = rotate_run(&size, 2);
    good[11] = rotate_run(&packed, 2);
    good[12] = rotate_run(&times, 2);
    good[13] = rotate_run(&lasting, 2);
    good[14] = rotate_run(&lasting_few, 2);
    for (unsigned i = 0; i < count; i++)
        failed += !good[i];
    printf("%u passed, %u failed\n", count - failed, failed);
    return failed > 0;
}
