/* recorder.c - starting and stopping the one recorder of a process, its threads, and fork(). */
#include "base/error.h"
#include "base/memory.h"
#include "record/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static uint64_t strays[2][RAS_RECORD_REASONS];

struct recorder recorder = {.stray = strays[0], .stray_events = strays[1], .counts_fd = -1};

/* ---- threads ---------------------------------------------------------------------- */

struct thread_info *recorder_thread(uint32_t thread_id)
{
    size_t need = (size_t)thread_id + 1;
    if (!array_grow(&recorder.threads, &recorder.thread_room, need, sizeof *recorder.threads))
        return NULL;
    for (; recorder.thread_count < need; recorder.thread_count++)
        recorder.threads[recorder.thread_count] =
            (struct thread_info){.thread_id = (uint32_t)recorder.thread_count, .os_tid = -1};
    return &recorder.threads[thread_id];
}

void recorder_fill_thread(struct thread_info *thread, const struct lane *lane)
{
    thread->os_tid = lane->os_tid;
    memcpy(thread->name, lane->name, sizeof thread->name);
    memcpy(thread->path, lane->path, sizeof thread->path);
    memcpy(thread->stack, lane->stack, sizeof thread->stack);
    recorder_count(lane, &thread->counts);
}

/* Those that are alive, too. */
void recorder_update_threads(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (LOAD_ACQUIRE(&l->state) != LANE_LIVE || l->generation != recorder.generation)
            continue;
        struct thread_info *thread = recorder_thread(l->hot.thread_id);
        if (thread)
            recorder_fill_thread(thread, l);
    }
}

/* Other threads may record until exec() is called. */
static bool is_leaving(void)
{
    unsigned alive = 0;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        alive += LOAD_ACQUIRE(&l->state) == LANE_LIVE && l->generation == recorder.generation &&
                 !LOAD(&l->ending);
    return LOAD_ACQUIRE(&recorder.leaving) && alive <= 1;
}

int recorder_write_manifest(bool over, struct ras_error *err)
{
    const struct segments *s = &recorder.segments;
    if (!s->closing) /* else its counts are settled */
        recorder_update_threads();
    struct thread_info *threads = recorder.threads, *own = NULL;
    uint64_t stray[2][RAS_RECORD_REASONS];
    bool rotates = recorder_rotates();
    rotate_strays(false, stray);
    if (rotates && recorder.thread_count) {
        threads = own = malloc(recorder.thread_count * sizeof *own);
        if (!own)
            return fail_memory(err);
        memcpy(own, recorder.threads, recorder.thread_count * sizeof *own);
        for (size_t i = 0; i < recorder.thread_count; i++)
            rotate_count((uint32_t)i, &own[i].counts);
    }
    const struct manifest_info sum = {.threads = threads,
                                      .thread_count = recorder.thread_count,
                                      .names = &recorder.names,
                                      .options = &recorder.options,
                                      .counter = clock_anchor(&recorder.clock).rate,
                                      .complete = over || is_leaving(),
                                      .over = over,
                                      .stray = stray[0],
                                      .stray_events = stray[1],
                                      .windows = recorder.flight.windows,
                                      .window_count = recorder.flight.count,
                                      .anchors = &recorder.anchors,
                                      .crash = crash_noted(),
                                      .segment = rotates ? s->number + 1 : 0,
                                      .deleted_segments = s->closing ? 0 : s->deleted,
                                      .deleted_events = s->closing ? 0 : s->deleted_events};
    int status = recorder.ops->manifest(recorder.output, &sum, err);
    free(own);
    return status;
}

int recorder_begin_manifest(struct output *output, unsigned segment, struct ras_error *err)
{
    static const uint64_t none[RAS_RECORD_REASONS];
    const struct manifest_info sum = {.names = &recorder.names,
                                      .options = &recorder.options,
                                      .counter = clock_anchor(&recorder.clock).rate,
                                      .stray = none,
                                      .stray_events = none,
                                      .anchors = &recorder.anchors,
                                      .segment = segment};
    return recorder.ops->manifest(output, &sum, err);
}

static void add_counts(struct ras_record_counts *to, const struct ras_record_counts *more)
{
    to->produced += more->produced;
    to->stored += more->stored;
    to->events += more->events;
    to->details += more->details;
    to->details_dropped += more->details_dropped;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        to->dropped[i] += more->dropped[i];
        to->events_dropped[i] += more->events_dropped[i];
    }
}

void ras_record_counts(struct ras_record_counts *out)
{
    struct ras_lane *was = lane_suspend();
    uint64_t stray[2][RAS_RECORD_REASONS];
    *out = (struct ras_record_counts){0};
    lock_take(&recorder.pass);
    rotate_strays(true, stray);
    recorder_update_threads();
    for (size_t i = 0; i < recorder.thread_count; i++)
        add_counts(out, &recorder.threads[i].counts);
    lock_give(&recorder.pass);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        out->produced += stray[0][i];
        out->dropped[i] += stray[0][i];
        out->events_dropped[i] += stray[1][i];
    }
    lane_resume(was);
}

bool ras_record_thread_counts(uint32_t thread_id, struct ras_record_counts *out)
{
    struct ras_lane *was = lane_suspend();
    lock_take(&recorder.pass);
    recorder_update_threads();
    bool known = thread_id < recorder.thread_count;
    *out = known ? recorder.threads[thread_id].counts : (struct ras_record_counts){0};
    lock_give(&recorder.pass);
    lane_resume(was);
    return known;
}

const char *ras_record_reason_name(enum ras_record_reason reason)
{
    static const char *const names[] = {
        [RAS_RECORD_RING_FULL] = "ring_full", [RAS_RECORD_REENTRANT] = "reentrant",
        [RAS_RECORD_NO_MEMORY] = "no_memory", [RAS_RECORD_WRITE] = "write_failed",
        [RAS_RECORD_FILE_FULL] = "file_full", [RAS_RECORD_OUTSIDE] = "outside_window",
        [RAS_RECORD_REFUSED] = "refused",     [RAS_RECORD_SHORT] = "too_short",
        [RAS_RECORD_ABANDONED] = "abandoned"};
    return reason < RAS_RECORD_REASONS ? names[reason] : NULL;
}

/* ---- starting ------------------------------------------------------------------- */

static size_t power_above(size_t size, size_t usual)
{
    size_t power = 4096;
    size = size ? size : usual;
    while (power < size && power < (size_t)1 << 40)
        power *= 2;
    return power;
}

static int take_options(const struct ras_record_options *options, struct ras_error *err)
{
    static const struct ras_record_options none;
    struct ras_record_options o = options ? *options : none;
    if (o.clock == RAS_RECORD_CLOCK_COUNTER && !clock_is_steady())
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "the processor's counter is not invariant; use the system clock");
    if ((o.rotate_bytes || o.rotate_ms) && o.flight)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a flight recorder cannot record in segments: its windows bound its files");
    o.ring_bytes = power_above(o.ring_bytes, (size_t)2 << 20);
    o.detail_bytes = power_above(o.detail_bytes, (size_t)1 << 20);
    o.flush_ms = o.flush_ms ? o.flush_ms : 100;
    o.post_ms = o.post_ms ? o.post_ms : 1000;
    o.history_bytes = o.history_bytes ? o.history_bytes : (size_t)512 << 20;
    o.dir = o.dir ? o.dir : "ada_traces";
    char *dir = text_copy(o.dir, strlen(o.dir));
    char *exact = o.exact ? text_copy(o.exact, strlen(o.exact)) : NULL;
    if (!dir || (o.exact && !exact)) {
        free(dir);
        free(exact);
        return fail_memory(err);
    }
    free((void *)(uintptr_t)recorder.options.dir);
    free((void *)(uintptr_t)recorder.options.exact);
    o.dir = dir;
    o.exact = exact;
    recorder.options = o;
    return RAS_OK;
}

/* NULL: count in memory. */
void recorder_strays(uint64_t *stray, uint64_t *stray_events)
{
    STORE(&recorder.stray, stray ? stray : strays[0]);
    STORE(&recorder.stray_events, stray_events ? stray_events : strays[1]);
}

/* Reset the state of the last recording: lanes whose threads are dead are free. */
static void reset_recorder(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        uint32_t state = LOAD_ACQUIRE(&l->state);
        if ((state == LANE_CLOSED || state == LANE_LIVE) && lane_is_dead(l))
            STORE_RELEASE(&l->state, LANE_FREE);
        flight_clear(l);
    }
    recorder.thread_count = 0;
    lock_take(&recorder.names.lock);
    recorder.anchors.count = 0;
    lock_give(&recorder.names.lock);
    flight_reset();
    STORE(&recorder.crash.noted, CRASH_NONE);
    recorder.threads_changed = 1;
    recorder.failure = (struct ras_error){0};
    recorder.counts_page = NULL;
    recorder_strays(NULL, NULL);
    memset(strays, 0, sizeof strays);
    STORE(&recorder.thread_next, 0);
    STORE(&recorder.stop, STOP_NOT);
    STORE(&recorder.sealed, 0);
    STORE(&recorder.ready, 0);
    STORE(&recorder.drain_state, DRAIN_AWAKE);
    STORE(&recorder.flush_wanted, 0);
    STORE(&recorder.flush_done, 0);
    STORE(&recorder.leaving, 0);
}

/* Signals belong to the program: the drain blocks all of them. */
static int start_drain(struct ras_error *err)
{
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    errno = recorder.watch ? recorder.watch->start(drain_run)
                           : pthread_create(&recorder.drain, NULL, drain_run, NULL);
    int status = errno ? fail_os(err, "recording thread") : RAS_OK;
    recorder.running = status == RAS_OK;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return status;
}

static void join_drain(void)
{
    if (recorder.watch)
        recorder.watch->join();
    else
        pthread_join(recorder.drain, NULL);
}

static int start_recording(const struct ras_record_options *options, const struct output_ops *ops,
                           struct ras_error *err)
{
    if (recorder.running)
        return fail(err, RAS_EUSAGE, RAS_NONE, "already recording into %s", recorder.dir);
    STORE(&recorder.pending, 0);
    int status = take_options(options, err);
    if (status == RAS_OK)
        status = lane_key_make(err);
    if (status < 0)
        return status;
    reset_recorder();
    recorder.ops = ops;
    rotate_begin();
    status = ops->open(&recorder.output, &recorder.options, recorder.dir, err);
    if (status < 0)
        return status;
    enum ras_record_clock clock = recorder.options.clock;
    clock_start(&recorder.clock, clock != RAS_RECORD_CLOCK_SYSTEM && clock_is_steady());
    STORE_RELEASE(&recorder.generation, recorder.generation + 1);
    status = start_drain(err);
    if (status < 0) {
        ops->close(recorder.output);
        return status;
    }
    while (!LOAD_ACQUIRE(&recorder.ready))
        word_wait(&recorder.ready, 0, UINT64_MAX);
    STORE_RELEASE(&recorder.on, 1);
    child_watch();
    if (!recorder.options.no_crash)
        crash_catch();
    if (recorder.watch)
        recorder.watch->begun();
    return RAS_OK;
}

int recorder_start(const struct ras_record_options *options, const struct output_ops *ops,
                   struct ras_error *err)
{
    int error = errno; /* a child starts recording with its first event */
    struct ras_lane *was = lane_suspend();
    if (event_stream_ready && !recorder.watch) /* hooks record no such events */
        event_stream_ready();
    lock_take(&recorder.control);
    int status = start_recording(options, ops, err);
    lock_give(&recorder.control);
    lane_resume(was);
    errno = error;
    return status;
}

int ras_anchor(double media_seconds, struct ras_error *err)
{
    struct media_anchors *list = &recorder.anchors;
    struct ras_lane *was = lane_suspend();
    lock_take(&recorder.names.lock);
    bool room = array_grow(&list->at, &list->room, list->count + 1, sizeof *list->at);
    if (room)
        list->at[list->count++] = (struct media_anchor){ras_record_now(), media_seconds};
    STORE(&recorder.names.changed, recorder.names.changed + 1);
    lock_give(&recorder.names.lock);
    lane_resume(was);
    return room ? RAS_OK : fail_memory(err);
}

bool ras_record_is_on(void)
{
    return LOAD_ACQUIRE(&recorder.on);
}

const char *ras_record_dir(void)
{
    return recorder.dir;
}

/* ---- stopping ------------------------------------------------------------------- */

/* Events stop before the drain is requested to finish; STOP_COMING announces that. Safe to call
 * concurrently and from a handler that interrupts it. */
void recorder_end(void)
{
    uint32_t not_yet = STOP_NOT, coming = STOP_COMING;
    (void)SWAP_IF(&recorder.stop, &not_yet, STOP_COMING);
    STORE_ORDERED(&recorder.on, 0);
    (void)SWAP_IF(&recorder.stop, &coming, STOP_REQUESTED);
}

int ras_record_stop(struct ras_error *err)
{
    struct ras_lane *was = lane_suspend();
    int status = RAS_OK;
    lock_take(&recorder.control);
    if (!recorder.running) {
        status = fail(err, RAS_EUSAGE, RAS_NONE, "no recording is active");
    } else {
        lane_resume(was); /* the drain waits for lanes that are busy */
        was = NULL;
        recorder_end();
        drain_wake();
        join_drain();
        recorder.running = false;
        crash_release();
        status = recorder.failure.status;
        if (status < 0 && err)
            *err = recorder.failure;
    }
    lock_give(&recorder.control);
    lane_resume(was);
    return status;
}

int ras_record_flush(struct ras_error *err)
{
    uint32_t wanted = __atomic_add_fetch(&recorder.flush_wanted, 1, __ATOMIC_ACQ_REL);
    while (LOAD_ACQUIRE(&recorder.on) && !LOAD_ACQUIRE(&recorder.sealed)) {
        uint32_t done = LOAD_ACQUIRE(&recorder.flush_done);
        if ((int32_t)(done - wanted) >= 0)
            return RAS_OK;
        drain_wake();
        word_wait(&recorder.flush_done, done, 100000000);
    }
    return fail(err, RAS_EUSAGE, RAS_NONE, "no recording is active");
}

void recorder_leave(void)
{
    STORE_RELEASE(&recorder.leaving, 1);
    (void)!ras_record_flush(NULL);
}

void recorder_stay(void)
{
    if (EXCHANGE(&recorder.leaving, 0))
        (void)!ras_record_flush(NULL);
}

/* The end of the program, or unloading this library, ends the recording; hooks have their own
 * way of finding the end. */
__attribute__((destructor)) static void unload_recorder(void)
{
    if (recorder.watch)
        return;
    if (recorder.running)
        (void)!ras_record_stop(NULL);
    if (recorder.has_key)
        pthread_key_delete(recorder.key);
    recorder.has_key = false;
}

/* ---- fork() ---------------------------------------------------------------------- */

/* No thread may hold a lock when the memory is copied. */
static void before_fork(void)
{
    lock_take(&recorder.control);
    lock_take(&recorder.pass);
    lock_take(&recorder.place);
    lock_take(&recorder.names.lock);
}

static void after_fork_in_parent(void)
{
    lock_give(&recorder.names.lock);
    lock_give(&recorder.place);
    lock_give(&recorder.pass);
    lock_give(&recorder.control);
}

/* The drain of the hooks has its own descriptor table: in the child the same numbers belong to
 * the program. */
static void leave_files(void)
{
    for (struct lane *l = recorder.lanes; l; l = l->next)
        if (l->file && !recorder.watch)
            recorder.ops->leave(l->file);
    if (recorder.stream_file)
        event_stream_format()->leave(recorder.stream_file);
    recorder.stream_file = NULL;
    if (recorder.output)
        recorder.ops->close(recorder.output);
    recorder.output = NULL;
}

/* Only the thread that forked exists here; no drain empties the copied lanes. */
static void after_fork_in_child(void)
{
    bool was_on = LOAD(&recorder.on);
    after_fork_in_parent(); /* the child holds the locks as the parent does */
    STORE(&recorder.on, 0);
    leave_files();
    if (!recorder.watch)
        durable_leave();
    recorder.counts_fd = -1;
    recorder.counts_page = NULL;
    recorder_strays(NULL, NULL); /* the mapped counters belong to the parent */
    recorder.running = false;
    recorder.lanes = NULL;
    flight_forget_ended();
    recorder.thread_count = 0;
    RAS_LANE = (struct ras_lane *)(uintptr_t)&lane_none;
    STORE(&recorder.pending, was_on && recorder.options.fork == RAS_RECORD_FORK_FOLLOW);
}

void child_watch(void)
{
    if (!recorder.watching)
        recorder.watching = !pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Record into a directory beside the parent's pid_N. */
bool child_begin(void)
{
    struct ras_record_options options = recorder.options;
    char session[sizeof recorder.dir];
    if (!EXCHANGE(&recorder.pending, 0))
        return LOAD_ACQUIRE(&recorder.on);
    memcpy(session, recorder.dir, sizeof session);
    char *slash = strrchr(session, '/');
    if (!slash)
        return false;
    *slash = 0;
    options.exact = session;
    return recorder_start(&options, recorder.ops, NULL) == RAS_OK;
}
