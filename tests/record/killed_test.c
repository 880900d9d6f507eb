/* killed_test.c - a recording process is killed at any moment; repair brings back all that
 * was flushed, and of a durable recording all that was played.
 *
 *   killed_test plain|durable TIMES [compress]
 *
 * With RASTRUM_EFFORT=full ten times as often. */
#include "script.h"

#include <rastrum/dial9.h>

#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PLAYERS = 3, DETAIL_EVERY = 5, POOLED = 20 };

/* Shared with the process that is killed. */
struct promise {
    uint64_t played[PLAYERS + 1], kept[PLAYERS + 1];
    uint64_t reported[PLAYERS + 1], reported_kept[PLAYERS + 1]; /* of events of their own */
    uint64_t named;
};

static struct promise *promise;
static bool durable, packed;

/* ---- the one that is killed ------------------------------------------------------- */

/* An event with its number, and words that make it longer or shorter. */
static bool record_event(uint32_t type, const uint32_t *pooled, uint64_t number, uint64_t i)
{
    static const char words[] = "as long as it takes to be of any length";
    const struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT, .u = number},
        {.type = RAS_DIAL9_VARINT, .u = i},
        {.type = RAS_DIAL9_STRING, .count = (uint32_t)(i % 37), .at = (const uint8_t *)words},
        {.type = RAS_DIAL9_POOLED_STRING, .u = pooled[i / 100 % POOLED]}};
    if (!ras_event(type, values, 4))
        return false;
    __atomic_store_n(&promise->reported[number], i, __ATOMIC_RELEASE);
    return true;
}

static void *player(void *user)
{
    static const struct ras_dial9_field fields[] = {{"player", RAS_DIAL9_VARINT},
                                                    {"number", RAS_DIAL9_VARINT},
                                                    {"words", RAS_DIAL9_STRING},
                                                    {"letter", RAS_DIAL9_POOLED_STRING}};
    static const struct ras_dial9_schema schema = {"Told", fields, 4, true};
    uint64_t number = (uint64_t)(uintptr_t)user;
    struct script s = script_of(number);
    uint32_t type, pooled[POOLED];
    if (ras_event_schema(&schema, &type, NULL) < 0)
        _exit(3);
    for (uint8_t i = 0; i < POOLED; i++) {
        const uint8_t letter = (uint8_t)('a' + i);
        if (ras_event_string((struct ras_bytes){&letter, 1}, &pooled[i], NULL) < 0)
            _exit(3);
    }
    for (uint64_t i = 1;; i++) {
        if (!record_event(type, pooled, number, i))
            _exit(3);
        struct played p = script_next(&s);
        const struct ras_detail d = {.regs = {i}};
        if (i % DETAIL_EVERY == 0)
            ras_trace_detail((enum ras_trace_kind)p.kind, p.function_id, &d);
        else
            play(&p);
        __atomic_store_n(&promise->played[number], i, __ATOMIC_RELEASE);
        if (i % 1000 == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return NULL;
}

static void promise_flushed(void)
{
    uint64_t played[PLAYERS + 1], reported[PLAYERS + 1];
    for (unsigned i = 1; i <= PLAYERS; i++) {
        played[i] = __atomic_load_n(&promise->played[i], __ATOMIC_ACQUIRE);
        reported[i] = __atomic_load_n(&promise->reported[i], __ATOMIC_ACQUIRE);
    }
    if (ras_record_flush(NULL) < 0)
        _exit(3);
    for (unsigned i = 1; i <= PLAYERS; i++) {
        __atomic_store_n(&promise->kept[i], played[i], __ATOMIC_RELEASE);
        __atomic_store_n(&promise->reported_kept[i], reported[i], __ATOMIC_RELEASE);
    }
}

static void be_killed(const char *dir)
{
    const struct ras_record_options options = {.struct_size = sizeof options,
                                               .exact = dir,
                                               .ring_bytes = 65536,
                                               .detail_bytes = 65536,
                                               .flush_ms = 5,
                                               .durable = durable,
                                               .compress = packed};
    pthread_t thread;
    uint32_t module = ras_record_module("/bin/killed");
    if (ras_record_start(&options, NULL) < 0 || !ras_record_function(module, "player"))
        _exit(3);
    for (uintptr_t i = 1; i <= PLAYERS; i++)
        if (pthread_create(&thread, NULL, player, (void *)i))
            _exit(3);
    for (;;) {
        promise_flushed();
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static uint64_t promised(unsigned number)
{
    return durable ? promise->played[number] : promise->kept[number];
}

static bool anything_promised(void)
{
    uint64_t sum = 0;
    for (unsigned i = 1; i <= PLAYERS; i++)
        sum += __atomic_load_n(durable ? &promise->played[i] : &promise->kept[i], __ATOMIC_ACQUIRE);
    return sum > 0;
}

/* Three times in four it has recorded for a while, however slow the machine is. */
static bool kill_one(const char *dir, unsigned round)
{
    memset(promise, 0, sizeof *promise);
    pid_t child = fork();
    if (child == 0)
        be_killed(dir);
    for (unsigned ms = 0; round % 4 && !anything_promised() && ms < 120000; ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    uint64_t us = (uint64_t)rand() % (round % 4 == 0 ? 5000 : 60000);
    nanosleep(&(struct timespec){0, (long)us * 1000}, NULL);
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || complain("it ended by itself");
}

/* ---- what is left ----------------------------------------------------------------- */

/* Details have the number of their event; in a durable recording none is missing. */
static bool check_details(struct ras_atf_session *s, size_t thread, uint64_t events)
{
    for (uint64_t i = DETAIL_EVERY; i <= events; i += DETAIL_EVERY) {
        struct ras_atf_index_event e;
        struct ras_atf_detail_event d;
        if (ras_atf_index_at(s, thread, i - 1, &e, NULL) != RAS_OK)
            return complain("event %" PRIu64 " is not there", i);
        int status = ras_atf_detail_of(s, thread, &e, &d, NULL);
        struct ras_atf_payload p = {0};
        if (status == RAS_OK)
            (void)ras_atf_payload_get(&d, RAS_ATF_SPEC, &p);
        if (status == RAS_OK ? p.x_regs[0] != i : durable)
            return complain("the detail of event %" PRIu64 " of %" PRIu64 " is %s", i, events,
                            status == RAS_OK ? "another's" : "missing");
    }
    return true;
}

static bool check_thread(struct ras_atf_session *s, size_t i, uint64_t found[PLAYERS + 1])
{
    struct heard heard;
    struct ras_atf_index_event first;
    if (!script_check(s, i, false, &heard) || (heard.events && !heard.whole))
        return false;
    if (heard.events && ras_atf_index_at(s, i, 0, &first, NULL) == RAS_OK)
        found[first.function_id >> 32] = heard.events;
    return check_details(s, i, heard.events);
}

static bool check_repaired(struct ras_trace *t)
{
    uint64_t found[PLAYERS + 1] = {0};
    struct ras_atf_session *s = ras_atf_session(t);
    for (size_t i = 0; i < ras_atf_thread_count(s); i++)
        if (!check_thread(s, i, found))
            return false;
    for (unsigned i = 1; i <= PLAYERS; i++)
        if (found[i] < promised(i) || found[i] > promise->played[i] + 1)
            return complain("script %u: %" PRIu64 " events are left of %" PRIu64
                            " promised, %" PRIu64 " played",
                            i, found[i], promised(i), promise->played[i]);
    return true;
}

/* The strings that a batch has defined so far. */
struct pool {
    bool has[256];
};

static void fill_pool(struct pool *pool, struct ras_dial9_frame *f)
{
    struct ras_bytes text;
    uint32_t id;
    if (f->tag == RAS_DIAL9_HEADER)
        *pool = (struct pool){0};
    if (f->tag == RAS_DIAL9_STRING_POOL)
        while (ras_dial9_next_string(&f->entries, &id, &text))
            pool->has[id & 255] = true;
}

/* Of each player's events every one is there, once and in order, up to the last that is. */
static bool collect(struct ras_bytes bytes, uint64_t heard[PLAYERS + 1])
{
    struct ras_dial9 *r = NULL;
    struct ras_dial9_frame f;
    struct pool pool = {0};
    struct ras_error err = {0};
    int status = ras_dial9_open(&r, bytes.at, bytes.len, NULL, &err);
    while (status == RAS_OK && (status = ras_dial9_next(r, &f, &err)) == RAS_OK) {
        fill_pool(&pool, &f);
        const struct ras_dial9_value *v = f.tag == RAS_DIAL9_EVENT ? f.event.values : NULL;
        if (v && (v[0].u < 1 || v[0].u > PLAYERS || v[1].u != ++heard[v[0].u]))
            return complain("event %" PRIu64 " of player %" PRIu64 " is %" PRIu64, heard[v[0].u],
                            v[0].u, v[1].u);
        if (v && !pool.has[v[3].u & 255])
            return complain("string %" PRIu64 " is not in its batch", v[3].u);
    }
    ras_dial9_close(r);
    return status == RAS_END || (!durable && status == RAS_ECUT) || complain("%s", err.text);
}

static bool check_reported(const struct ras_part *parts, size_t count)
{
    uint64_t heard[PLAYERS + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(parts[i].name, '/');
        if (!strcmp(slash ? slash + 1 : parts[i].name, "events.trc") &&
            !collect(parts[i].bytes, heard))
            return false;
    }
    for (unsigned i = 1; i <= PLAYERS; i++) {
        uint64_t wanted = durable ? promise->reported[i] : promise->reported_kept[i];
        if (heard[i] < wanted || heard[i] > promise->reported[i] + 1)
            return complain("player %u: %" PRIu64 " events are left of %" PRIu64 " promised", i,
                            heard[i], wanted);
    }
    return true;
}

static bool check_left(const struct ras_repair *r)
{
    for (size_t i = 0; i < r->left->finding_count; i++)
        if (r->left->findings[i].severity == RAS_ERROR)
            return complain("%s: %s: %s", r->left_parts[i], r->left->findings[i].rule->id,
                            r->left->findings[i].text);
    if (durable) /* its counts are known, too */
        return (r->after.kind == RAS_COMPLETE && !r->plan.lost_records) ||
               complain("it ends so: %s", r->after.why);
    return r->before.kind < RAS_CUT || /* killed before its first manifest */
           (r->after.kind == RAS_CUT && r->plan.lost_records == RAS_NONE) ||
           complain("nothing says that nobody knows what is missing");
}

static bool repair(const char *dir, struct ras_error *err)
{
    struct ras_trace *t, *repaired = NULL;
    struct ras_folder *folder = NULL;
    struct ras_repair *r = NULL;
    size_t count;
    if (ras_open(&t, dir, NULL, err) < 0)
        return !anything_promised(); /* killed before there was a file */
    bool good = ras_folder_memory(&folder, err) == RAS_OK &&
                ras_repair(&r, t, &(struct ras_repair_options){.folder = folder}, err) == RAS_OK;
    if (good) {
        const struct ras_part *parts = ras_folder_parts(folder, &count);
        good = ras_open_parts(&repaired, parts, count, NULL, err) == RAS_OK && check_left(r) &&
               check_repaired(repaired) && check_reported(parts, count);
    }
    ras_close(repaired);
    ras_repair_free(r);
    ras_folder_drop(folder);
    ras_close(t);
    return good;
}

/* ---- lanes that lie ---------------------------------------------------------------- */

static int spoil_lane(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    uint64_t at = (uint64_t)rand() % 216, value = (uint64_t)rand() << (rand() % 33);
    const char *name = path + ftw->base;
    if (type != FTW_F || (strcmp(name, "lane.ring") != 0 && strcmp(name, "lanes.counts") != 0))
        return 0;
    if (rand() % 2) /* not the header but what it leads to */
        at = 4096 + (uint64_t)rand() % 16384;
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, (long)at, SEEK_SET) < 0 || !fwrite(&value, 8, 1, file))
        puts("killed: a lane cannot be spoiled");
    if (file)
        fclose(file);
    if (rand() % 8 == 0 && truncate(path, rand() % (st->st_size + 1)) < 0)
        puts("killed: a lane cannot be cut");
    return 0;
}

/* Whatever it contains, repair terminates. */
static void repair_spoilt(const char *dir)
{
    for (unsigned i = 0; i < 10; i++) {
        struct ras_trace *t;
        struct ras_repair *r;
        nftw(dir, spoil_lane, 8, FTW_PHYS);
        if (ras_open(&t, dir, NULL, NULL) < 0)
            continue;
        if (ras_repair(&r, t, &(struct ras_repair_options){0}, NULL) == RAS_OK)
            ras_repair_free(r);
        ras_close(t);
    }
}

int main(int argc, char **argv)
{
    const char *effort = getenv("RASTRUM_EFFORT");
    unsigned times = argc >= 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0, failed = 0, some = 0;
    durable = argc >= 3 && !strcmp(argv[1], "durable");
    packed = argc > 3 && !strcmp(argv[3], "compress");
    times *= effort && !strcmp(effort, "full") ? 10 : 1;
    promise =
        mmap(NULL, sizeof *promise, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    srand((unsigned)time(NULL));
    for (unsigned i = 0; i < times && promise != MAP_FAILED; i++) {
        struct ras_error err = {0};
        const char *dir = scratch();
        bool good = kill_one(dir, i) && repair(dir, &err);
        if (!good)
            printf("killed: %s\n", err.text);
        some += anything_promised();
        failed += !good;
        if (durable)
            repair_spoilt(dir);
        remove_all(dir);
    }
    if (!some)
        failed += !complain("it was always killed before anything was promised");
    printf("%u passed, %u failed\n", times - (failed < times ? failed : times), failed);
    return failed > 0;
}
