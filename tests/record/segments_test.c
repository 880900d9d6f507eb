/* segments_test.c - a durable recording in segments is killed at any moment: what was played is in
 * the segments that are left, or counted as deleted.
 *
 *   segments_test TIMES
 *
 * With RASTRUM_EFFORT=full ten times as often. */
#include "script.h"

#include <rastrum/change.h>
#include <rastrum/dial9.h>

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The last player is a thread for each event. */
enum { PLAYERS = 4, SHORT_LIVED = PLAYERS, DETAIL_EVERY = 5 };
enum { PIECES_MOST = 1 << 16, SEGMENT_MOST = 20000 };

/* Shared with the process that is killed. */
struct promise {
    uint64_t played[PLAYERS + 1], reported[PLAYERS + 1];
};

static struct promise *promise;
static struct ras_record_options how;

/* ---- the one that is killed ------------------------------------------------------- */

static void play_one(uint64_t number, uint64_t i)
{
    const uint64_t id = number << 32 | i;
    const struct ras_detail d = {.payload = &i, .payload_size = sizeof i};
    enum ras_trace_kind kind = i % 2 ? RAS_TRACE_CALL : RAS_TRACE_RETURN;
    if (i % DETAIL_EVERY == 0)
        ras_trace_detail(kind, id, &d);
    else if (kind == RAS_TRACE_CALL)
        ras_trace_call(id);
    else
        ras_trace_return(id);
}

static void *segment_player(void *user)
{
    static const struct ras_dial9_field fields[] = {{"player", RAS_DIAL9_VARINT},
                                                    {"number", RAS_DIAL9_VARINT}};
    static const struct ras_dial9_schema schema = {"Told", fields, 2, true};
    uint64_t number = (uint64_t)(uintptr_t)user;
    uint32_t type;
    if (ras_event_schema(&schema, &type, NULL) < 0)
        _exit(3);
    for (uint64_t i = 1;; i++) {
        const struct ras_dial9_value values[] = {{.type = RAS_DIAL9_VARINT, .u = number},
                                                 {.type = RAS_DIAL9_VARINT, .u = i}};
        if (!ras_event(type, values, 2))
            _exit(3);
        __atomic_store_n(&promise->reported[number], i, __ATOMIC_RELEASE);
        play_one(number, i);
        __atomic_store_n(&promise->played[number], i, __ATOMIC_RELEASE);
        if (i % 1000 == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return NULL;
}

static void *play_once(void *user)
{
    play_one(SHORT_LIVED, *(uint64_t *)user);
    return NULL;
}

static void be_killed(const char *dir)
{
    struct ras_record_options options = how;
    pthread_t thread;
    options.exact = dir;
    if (ras_record_start(&options, NULL) < 0)
        _exit(3);
    for (uintptr_t i = 1; i < SHORT_LIVED; i++)
        if (pthread_create(&thread, NULL, segment_player, (void *)i))
            _exit(3);
    for (uint64_t i = 1;; i++) {
        if (pthread_create(&thread, NULL, play_once, &i) || pthread_join(thread, NULL))
            _exit(3);
        __atomic_store_n(&promise->played[SHORT_LIVED], i, __ATOMIC_RELEASE);
    }
}

static bool kill_one(const char *dir)
{
    memset(promise, 0, sizeof *promise);
    pid_t child = fork();
    if (child == 0)
        be_killed(dir);
    for (unsigned ms = 0; !__atomic_load_n(&promise->played[1], __ATOMIC_ACQUIRE) && ms < 120000;
         ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    nanosleep(&(struct timespec){0, (long)(rand() % 100000) * 1000}, NULL);
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || complain("it ended by itself");
}

/* ---- what is left ----------------------------------------------------------------- */

/* The events of a player in a segment: their numbers follow one another. */
struct pieces {
    struct piece {
        uint64_t first, last;
    } at[PIECES_MOST];
    size_t count;
};
static struct pieces calls[PLAYERS + 1], events[PLAYERS + 1];

static int piece_order(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The pieces have all numbers from *first to *last. */
static bool join_pieces(const char *what, struct pieces *p, uint64_t *first, uint64_t *last)
{
    *first = 1;
    *last = 0;
    qsort(p->at, p->count, sizeof *p->at, piece_order);
    for (size_t i = 0; i < p->count; i++) {
        if (i && p->at[i].first != *last + 1)
            return complain("%s: after %" PRIu64 " comes %" PRIu64, what, *last, p->at[i].first);
        *first = i ? *first : p->at[i].first;
        *last = p->at[i].last;
    }
    return true;
}

static bool see_detail(struct ras_atf_session *s, size_t thread, uint64_t seq,
                       const struct ras_atf_index_event *e)
{
    struct ras_atf_detail_event d;
    uint64_t i = e->function_id & UINT32_MAX, held = 0;
    if (i % DETAIL_EVERY)
        return e->detail_seq == RAS_ATF_NO_DETAIL || complain("event %" PRIu64 " has a detail", i);
    if (e->detail_seq == RAS_ATF_NO_DETAIL ||
        ras_atf_detail_at(s, thread, e->detail_seq, &d, NULL) != RAS_OK || d.index_seq != seq ||
        d.payload.len != sizeof held)
        return complain("the detail of event %" PRIu64 " is not there", i);
    memcpy(&held, d.payload.at, sizeof held);
    return held == i || complain("event %" PRIu64 " has the detail of %" PRIu64, i, held);
}

static bool see_thread(struct ras_atf_session *s, size_t thread)
{
    struct ras_atf_index_event e;
    struct piece piece = {0};
    uint64_t player = 0;
    for (uint64_t seq = 0; ras_atf_index_at(s, thread, seq, &e, NULL) == RAS_OK; seq++) {
        uint64_t i = e.function_id & UINT32_MAX;
        if (seq && (i != piece.last + 1 || player != e.function_id >> 32))
            return complain("after event %" PRIu64 " comes %" PRIu64, piece.last, i);
        player = e.function_id >> 32;
        piece = (struct piece){seq ? piece.first : i, i};
        if (player < 1 || player > PLAYERS || !see_detail(s, thread, seq, &e))
            return false;
    }
    if (how.rotate_bytes && piece.last - piece.first > SEGMENT_MOST)
        return complain("a segment of %" PRIu64 " events of a thread", piece.last - piece.first);
    if (player && calls[player].count < PIECES_MOST)
        calls[player].at[calls[player].count++] = piece;
    return true;
}

/* Events of ras_event() in a segment. */
static bool see_events(const char *path)
{
    struct piece piece[PLAYERS + 1] = {0};
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *record;
    struct ras_error err = {0};
    if (ras_open(&t, path, NULL, &err) < 0)
        return complain("%s: %s", path, err.text);
    if (ras_cursor_open(&c, t, NULL, &err) < 0)
        return complain("%s: %s", path, err.text);
    int status;
    while ((status = ras_next(c, &record, &err)) == RAS_OK) {
        size_t count;
        const struct ras_value *v = ras_values(c, &count);
        if (record->schema == RAS_SCHEMA_GAP || count < 2 || v[0].u < 1 || v[0].u > PLAYERS)
            continue;
        struct piece *p = &piece[v[0].u];
        if (p->first && v[1].u != p->last + 1)
            return complain("%s: after %" PRIu64 " comes %" PRIu64, path, p->last, v[1].u);
        *p = (struct piece){p->first ? p->first : v[1].u, v[1].u};
    }
    ras_cursor_close(c);
    ras_close(t);
    for (unsigned i = 1; i <= PLAYERS; i++)
        if (piece[i].first)
            events[i].at[events[i].count++] = piece[i];
    return status == RAS_END || complain("%s: %s", path, err.text);
}

/* What the manifests say of segments. */
struct said {
    uint64_t lowest, deleted, deleted_events, counters;
};

static uint64_t said_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool see_manifest(const char *path, struct said *said)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f)
        return complain("%s is not there", path);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    uint64_t segment = said_number(text, "\"segment\": "), deleted;
    if (strstr(text, "\"threads\": [],") && !strstr(text, "\"complete\": true"))
        return true; /* no reader takes it for a part: nothing has come here yet */
    if (!strstr(text, "\"complete\": true"))
        return complain("%s counts not everything", path);
    if (strstr(text, "not_stored"))
        return complain("%s counts events that were not stored", path);
    deleted = said_number(text, "\"deleted_segments\": ");
    said->lowest = !said->lowest || segment < said->lowest ? segment : said->lowest;
    if (!deleted)
        return true;
    said->counters++;
    said->deleted = deleted;
    said->deleted_events = said_number(text, "\"deleted_events\": ");
    return true;
}

static bool see_folders(const char *dir, struct said *said)
{
    bool good = true;
    DIR *d = opendir(dir);
    for (struct dirent *e; good && d && (e = readdir(d));) {
        char path[4400];
        if (strncmp(e->d_name, "pid_", 4) != 0 || strstr(e->d_name, ".undo"))
            continue;
        snprintf(path, sizeof path, "%s/%s/manifest.json", dir, e->d_name);
        if (access(path, F_OK) < 0)
            continue;
        good = see_manifest(path, said);
        snprintf(path, sizeof path, "%s/%s/events.trc", dir, e->d_name);
        good = good && (access(path, F_OK) < 0 || see_events(path));
    }
    if (d)
        closedir(d);
    return good;
}

/* Of `unsure` players nothing is left: their last event may have been stored or not. */
static bool check_counts(const struct said *said, uint64_t missing, unsigned unsure)
{
    uint64_t over = said->deleted_events - missing;
    bool being_deleted = said->deleted && said->lowest <= said->deleted;
    if (!how.keep_segments)
        return !missing || complain("%" PRIu64 " of the first events are missing", missing);
    if (said->counters > 1)
        return complain("%" PRIu64 " manifests count what was deleted", said->counters);
    return over <= unsure || being_deleted ||
           complain("%" PRIu64 " events are missing, %" PRIu64 " are counted as deleted", missing,
                    said->deleted_events);
}

/* An ending is known once everything was read. */
static bool is_complete(struct ras_trace *t)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        return complain("it cannot be read");
    while (ras_next(c, &r, NULL) == RAS_OK) {
    }
    ras_cursor_close(c);
    return ras_ending(t).kind == RAS_COMPLETE || complain("it ends so: %s", ras_ending(t).why);
}

static bool check_left(const char *dir)
{
    struct ras_trace *t;
    struct ras_report *report = NULL;
    struct said said = {0};
    struct ras_error err = {0};
    uint64_t missing = 0;
    unsigned unsure = 0;
    memset(calls, 0, sizeof calls);
    memset(events, 0, sizeof events);
    if (ras_open(&t, dir, NULL, &err) < 0)
        return complain("open: %s", err.text);
    struct ras_atf_session *s = ras_atf_session(t);
    bool good = true;
    for (size_t i = 0; good && i < ras_atf_thread_count(s); i++)
        good = see_thread(s, i);
    if (good && ras_verify(&report, t, NULL, &err) < 0)
        good = complain("verify: %s", err.text);
    for (size_t i = 0; good && i < report->finding_count; i++)
        if (report->findings[i].severity == RAS_ERROR)
            good = complain("%s", report->findings[i].text);
    good = good && is_complete(t);
    ras_report_free(report);
    ras_close(t);
    for (unsigned i = 1; good && i <= PLAYERS; i++) {
        uint64_t first, last;
        good = join_pieces("calls", &calls[i], &first, &last);
        if (how.keep_segments && !calls[i].count) {
            first = promise->played[i] + 1;
            last = promise->played[i];
            unsure++;
        }
        if (good && (last < promise->played[i] || last > promise->played[i] + 1))
            good = complain("player %u: the last is %" PRIu64 " of %" PRIu64, i, last,
                            promise->played[i]);
        missing += first - 1;
    }
    good = good && see_folders(dir, &said) && check_counts(&said, missing, unsure);
    for (unsigned i = 1; good && i < SHORT_LIVED; i++) {
        uint64_t first, last;
        good = join_pieces("events", &events[i], &first, &last);
        if (good && how.keep_segments && !events[i].count)
            continue;
        if (good && (last < promise->reported[i] || last > promise->reported[i] + 1 ||
                     (!how.keep_segments && first != 1)))
            good = complain("player %u: events %" PRIu64 " to %" PRIu64 " of %" PRIu64, i, first,
                            last, promise->reported[i]);
    }
    return good;
}

/* ---- closing ---------------------------------------------------------------------- */

static bool repair_all(const char *dir)
{
    struct ras_trace *t;
    struct ras_repair *r = NULL;
    struct ras_error err = {0};
    char backup[4200];
    snprintf(backup, sizeof backup, "%s.undo.json", dir);
    if (ras_open(&t, dir, NULL, &err) < 0)
        return complain("open: %s", err.text);
    const struct ras_repair_options options = {.in_place = dir, .backup = backup};
    bool good = ras_repair(&r, t, &options, &err) == RAS_OK || complain("repair: %s", err.text);
    if (good && r->plan.lost_records)
        good = complain("repair: %" PRIu64 " are lost", r->plan.lost_records);
    ras_repair_free(r);
    ras_close(t);
    remove(backup);
    return good;
}

/* What `rastrum record` does: each process directory by itself. */
static bool finish_all(const char *dir)
{
    bool good = true;
    DIR *d = opendir(dir);
    for (struct dirent *e; good && d && (e = readdir(d));) {
        struct ras_atf_finished finished;
        struct ras_error err = {0};
        char path[4400];
        if (strncmp(e->d_name, "pid_", 4) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        int status = ras_atf_finish(&finished, path, NULL, &err);
        if (status < 0 || (status == RAS_OK && finished.unfinished))
            good = complain("%s: %s", e->d_name, status < 0 ? err.text : "its counts are unknown");
    }
    if (d)
        closedir(d);
    return good;
}

static void choose(unsigned round)
{
    static const unsigned keeps[] = {0, 2, 1, 5};
    how = (struct ras_record_options){.struct_size = sizeof how,
                                      .ring_bytes = 65536,
                                      .detail_bytes = 65536,
                                      .flush_ms = 2,
                                      .durable = true,
                                      .compress = round % 5 == 4,
                                      .keep_segments = keeps[round % 4]};
    if (round % 3)
        how.rotate_bytes = round % 3 == 1 ? 100000 : 20000;
    else
        how.rotate_ms = 3;
}

int main(int argc, char **argv)
{
    const char *effort = getenv("RASTRUM_EFFORT");
    unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0, failed = 0;
    times *= effort && !strcmp(effort, "full") ? 10 : 1;
    promise =
        mmap(NULL, sizeof *promise, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    srand((unsigned)time(NULL));
    for (unsigned i = 0; i < times && promise != MAP_FAILED; i++) {
        const char *dir = scratch();
        choose(i);
        bool good = kill_one(dir) && (i % 2 ? finish_all(dir) : repair_all(dir)) && check_left(dir);
        if (!good)
            printf("segments: round %u, keep %u\n", i, how.keep_segments);
        failed += !good;
        if (good || !getenv("KEEP"))
            remove_all(dir);
    }
    printf("%u passed, %u failed\n", times - failed, failed);
    return failed > 0;
}
