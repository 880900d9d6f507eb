/* drain.c - the thread that empties the lanes, and sleeps when all are empty. */
#include "record/recorder.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* State of the drain between two passes. */
struct pace {
    uint64_t flush_ns;         /* between two flushes */
    uint64_t due;              /* the next one */
    uint64_t dying_due;        /* when to check again whether ending threads are dead */
    uint64_t dying_pause;      /* grows while they live */
    uint64_t manifest_changes; /* changes of names and threads that the manifest has */
    uint64_t manifest_due;
    bool manifest_leaving;
    uint32_t manifest_crash;
    unsigned quiet; /* flushes that found nothing */
};

enum { QUIET_SLEEP = 2, MANIFEST_PAUSE = 10 };

void drain_notify(void)
{
    if (LOAD_ORDERED(&recorder.drain_state) != DRAIN_NOTIFIED &&
        EXCHANGE(&recorder.drain_state, DRAIN_NOTIFIED) == DRAIN_ASLEEP)
        word_wake(&recorder.drain_state);
}

void drain_wake(void)
{
    STORE_ORDERED(&recorder.drain_state, DRAIN_NOTIFIED);
    word_wake(&recorder.drain_state);
}

static uint64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- one pass ------------------------------------------------------------------- */

static bool is_live(struct lane *lane)
{
    return LOAD_ACQUIRE(&lane->state) == LANE_LIVE && lane->generation == recorder.generation;
}

static bool drain_lanes(bool all)
{
    bool some = false;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (is_live(l))
            some |= lane_drain(l, all);
    return some;
}

static void flush_lanes(void)
{
    struct ras_error err = {0};
    if (recorder.stream_file && event_stream_format()->flush(recorder.stream_file, &err) < 0)
        recorder_failed(&err);
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (!is_live(l) || !l->file || l->broken || l->seen == l->tail)
            continue;
        if (recorder.ops->flush(l->file, &err) < 0)
            recorder_failed(&err);
        l->seen = l->tail;
    }
}

/* Windows of a flight recorder may reach back to its events. */
static void reap_thread(struct lane *lane)
{
    if (recorder.options.flight) {
        flight_keep(lane);
        return;
    }
    lane_close(lane);
    STORE_RELEASE(&lane->state, LANE_FREE);
}

/* Reap lanes whose threads have ended. */
static void reap_threads(struct pace *pace, uint64_t now)
{
    bool dying = false;
    if (now < pace->dying_due)
        return;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (!is_live(l) || l->ended || !LOAD_ACQUIRE(&l->ending))
            continue;
        if (!lane_is_dead(l)) {
            dying = true;
            continue;
        }
        reap_thread(l);
        pace->dying_pause = 0;
    }
    pace->dying_pause = pace->dying_pause < 500000000 ? 2 * pace->dying_pause + 100000 : 1000000000;
    pace->dying_due = dying ? now + pace->dying_pause : 0;
}

static void request_lanes(uint32_t requests)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (is_live(l))
            lane_request(l, requests);
}

/* Write a manifest while recording, so that a killed process has its names on disk. */
static bool write_manifest(struct pace *pace, uint64_t now, bool over)
{
    struct ras_error err = {0};
    uint64_t changed = LOAD(&recorder.names.changed) + recorder.threads_changed;
    bool leaving = LOAD_ACQUIRE(&recorder.leaving);
    uint32_t crash = LOAD_ACQUIRE(&recorder.crash.noted);
    if (!over && leaving == pace->manifest_leaving && crash == pace->manifest_crash &&
        (pace->manifest_changes == changed || now < pace->manifest_due))
        return true;
    pace->manifest_leaving = leaving;
    pace->manifest_crash = crash;
    if (recorder_write_manifest(over, &err) < 0)
        recorder_failed(&err);
    pace->manifest_changes = changed;
    pace->manifest_due = now + MANIFEST_PAUSE * pace->flush_ns;
    return !err.status;
}

/* Threads of the last segment are known even where they have no events there: the gap of what was
 * deleted is theirs. */
static void begin_files(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (is_live(l))
            (void)lane_file_begin(l);
}

static void request_names(void)
{
    if (recorder.watch)
        recorder.watch->names();
}

static void drain_pass(struct pace *pace)
{
    uint64_t now = wall_ns();
    uint32_t wanted = LOAD_ACQUIRE(&recorder.flush_wanted);
    bool flush_requested = wanted != recorder.flush_done,
         flush = flush_requested || now >= pace->due;
    uint64_t clock_ns = ras_record_now();
    request_names();
    if (recorder.stop_at && now >= recorder.stop_at)
        recorder_end();
    lock_take(&recorder.pass);
    if (recorder.options.flight)
        flight_take_triggers(clock_ns);
    bool some = drain_lanes(flush);
    if (recorder.options.flight) {
        flight_end_pass(clock_ns);
        flight_retire(clock_ns);
    }
    if (flush) {
        flush_lanes();
        pace->due = now + pace->flush_ns;
        pace->quiet = some ? 0 : pace->quiet + 1;
        if (pace->quiet == 1) /* their next event wakes us */
            request_lanes(REQUEST_NOTIFY);
    } else if (some) {
        pace->quiet = 0;
    }
    if (clock_follow(&recorder.clock, clock_system_ns()))
        request_lanes(REQUEST_ANCHOR);
    reap_threads(pace, now);
    if (LOAD_ACQUIRE(&recorder.leaving) && recorder.segments.deleted)
        begin_files();
    (void)write_manifest(pace, now, false);
    rotate_if_due(now);
    lock_give(&recorder.pass);
    if (flush_requested) {
        STORE_RELEASE(&recorder.flush_done, wanted);
        word_wake(&recorder.flush_done);
    }
}

/* ---- sleeping ------------------------------------------------------------------- */

/* A thread may store an event before it sees the request to notify the drain; the next flush
 * finds it. Only after that flush may the drain sleep without a timeout. */
static uint64_t pause_of(const struct pace *pace)
{
    uint64_t now = wall_ns(), until = pace->quiet < QUIET_SLEEP ? pace->due : UINT64_MAX;
    if (recorder.stop_at && recorder.stop_at < until)
        until = recorder.stop_at;
    if (recorder.options.rotate_ms && pace->due < until)
        until = pace->due;
    if (pace->dying_due && pace->dying_due < until)
        until = pace->dying_due;
    if (recorder.options.flight && pace->due < until &&
        (recorder.flight.open || LOAD(&recorder.flight.due_ns)))
        until = pace->due; /* checked with every flush */
    if (pace->manifest_changes != LOAD(&recorder.names.changed) + recorder.threads_changed &&
        pace->manifest_due < until)
        until = pace->manifest_due;
    return until == UINT64_MAX ? until : until > now ? until - now : 0;
}

static void sleep_until_notified(struct pace *pace)
{
    uint32_t awake = DRAIN_AWAKE;
    uint64_t pause = pause_of(pace);
    if (pause && SWAP_IF(&recorder.drain_state, &awake, DRAIN_ASLEEP))
        word_wait(&recorder.drain_state, DRAIN_ASLEEP, pause);
    if (EXCHANGE(&recorder.drain_state, DRAIN_AWAKE) == DRAIN_NOTIFIED &&
        pace->quiet >= QUIET_SLEEP) {
        pace->quiet = 0;
        pace->due = wall_ns() + pace->flush_ns;
    }
}

/* ---- the end -------------------------------------------------------------------- */

static void pause_ms(unsigned ms)
{
    const struct timespec t = {0, (long)ms * 1000000};
    nanosleep(&t, NULL);
}

/* From here on no thread begins an event; wait for those that are storing one. */
static void close_lanes(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (!is_live(l))
            continue;
        STORE_ORDERED(&l->state, LANE_CLOSED);
        STORE_ORDERED(&l->hot.limit, 0);
        STORE_ORDERED(&l->waiting, 0);
        word_wake(&l->waiting);
    }
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
        pause_ms(2); /* long enough for a store to become visible */
}

static void wait_idle(struct lane *lane)
{
    for (unsigned ms = 0; LOAD_ACQUIRE(&lane->hot.busy) && !lane->ended && ms < 200; ms++)
        pause_ms(1);
}

/* Those of the recording that ends. */
static bool is_closed(struct lane *lane)
{
    return LOAD(&lane->state) == LANE_CLOSED && lane->generation == recorder.generation;
}

/* All threads are idle before the first lane is closed: a trigger found in one lane stores
 * events of others. */
static void finish_lanes(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (is_closed(l))
            wait_idle(l);
    for (unsigned ms = 0; LOAD_ACQUIRE(&recorder.crash.noted) == CRASH_COMING && ms < 200; ms++)
        pause_ms(1);
    if (recorder.options.flight)
        flight_finish_triggers(ras_record_now());
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (is_closed(l))
            lane_close(l);
    if (recorder.options.flight)
        flight_finish_windows(ras_record_now());
}

static void drain_finish(struct pace *pace)
{
    lock_take(&recorder.pass);
    close_lanes();
    lock_give(&recorder.pass);
    request_names();
    lock_take(&recorder.pass);
    finish_lanes();
    struct ras_error err = {0};
    if (recorder.stream_file && crash_noted() &&
        event_stream_format()->crash(recorder.stream_file, crash_noted(), &err) < 0)
        recorder_failed(&err);
    if (recorder.stream_file && event_stream_format()->close(recorder.stream_file, &err) < 0)
        recorder_failed(&err);
    recorder.stream_file = NULL;
    if (recorder.options.durable && event_stream_format() && !err.status)
        event_stream_format()->forget(recorder.dir);
    if (write_manifest(pace, 0, true) && recorder.options.durable)
        durable_end();
    durable_leave();
    recorder.ops->close(recorder.output);
    recorder.output = NULL;
    lock_give(&recorder.pass);
}

void *drain_run(void *unused)
{
    struct pace pace = {.flush_ns = (uint64_t)recorder.options.flush_ms * 1000000};
    (void)unused;
    RAS_LANE = (struct ras_lane *)(uintptr_t)&lane_ignored;
    prctl(PR_SET_NAME, "rastrum-record");
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (recorder.options.durable)
        durable_begin(); /* with its own descriptor table, if it has one */
    STORE_RELEASE(&recorder.ready, 1);
    word_wake(&recorder.ready);
    pace.due = wall_ns() + pace.flush_ns;
    while (LOAD_ACQUIRE(&recorder.stop) != STOP_REQUESTED) {
        drain_pass(&pace);
        if (LOAD_ACQUIRE(&recorder.stop) != STOP_REQUESTED)
            sleep_until_notified(&pace);
    }
    drain_finish(&pace);
    STORE_RELEASE(&recorder.sealed, 1);
    word_wake(&recorder.sealed);
    return NULL;
}
