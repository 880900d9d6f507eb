/* child.c - fork(): the child leaves its parent's recording, and may begin one of its own. */
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

/* Nobody may be in the middle of anything when the memory is copied. */
static void before(void)
{
    lock_take(&recorder.control);
    lock_take(&recorder.pass);
    lock_take(&recorder.names.lock);
}

static void in_parent(void)
{
    lock_give(&recorder.names.lock);
    lock_give(&recorder.pass);
    lock_give(&recorder.control);
}

/* The drain of hooks has descriptors of its own: here their numbers are the program's. */
static void leave_files(void)
{
    for (struct lane *l = recorder.lanes; l; l = l->next)
        if (l->file && !recorder.watch)
            recorder.ops->leave(l->file);
    if (recorder.stream_file)
        stream_format()->leave(recorder.stream_file);
    recorder.stream_file = NULL;
    if (recorder.pen)
        recorder.ops->close(recorder.pen);
    recorder.pen = NULL;
}

/* Only the thread that forked is left; lanes are copies that nobody empties. */
static void in_child(void)
{
    bool was_on = LOAD(&recorder.on);
    in_parent(); /* the locks are held here as they are there */
    STORE(&recorder.on, 0);
    leave_files();
    if (!recorder.watch)
        durable_leave();
    recorder.counts_fd = -1;
    recorder_strays(NULL, NULL); /* those in a file are the parent's */
    recorder.running = false;
    recorder.lanes = NULL;
    flight_forget_ended();
    recorder.book_count = 0;
    RAS_LANE = (struct ras_lane *)(uintptr_t)&lane_none;
    STORE(&recorder.pending, was_on && recorder.options.fork == RAS_RECORD_FORK_FOLLOW);
}

void child_watch(void)
{
    if (!recorder.watching)
        recorder.watching = !pthread_atfork(before, in_parent, in_child);
}

/* Beside the parent's pid_N. */
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
