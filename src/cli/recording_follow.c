/* recording_follow.c - events on the screen while a program is recorded.
 *
 * They are read from the files, so that the program never waits for who looks. */
#include "cli/recording.h"
#include "cli/say.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

struct follow {
    struct answer *answer;
    const char *format;
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_export *export;
    uint64_t shown;
};

/* Whether the program has ended; it stays to be waited for. */
static bool has_ended(int pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static bool begin(struct follow *f, const char *session)
{
    const struct ras_options live = {.live = true};
    const struct ras_scan scan = {.follow = true};
    const struct ras_export_options how = {.color = f->answer->color};
    if (ras_open(&f->trace, session, NULL, NULL) < 0)
        return false; /* nothing is there yet, and what grows would be waited for */
    ras_close(f->trace);
    if (ras_open(&f->trace, session, &live, NULL) < 0)
        return false;
    return ras_cursor_open(&f->cursor, f->trace, &scan, NULL) == RAS_OK &&
           ras_export_open(&f->export, f->format, f->trace, &scan, &how, f->answer->sink, NULL) ==
               RAS_OK;
}

static void end(struct follow *f)
{
    if (f->export)
        (void)!ras_export_close(f->export, NULL);
    ras_cursor_close(f->cursor);
    ras_close(f->trace);
    *f = (struct follow){.answer = f->answer, .format = f->format};
}

/* All there is now; false: it cannot be shown any more. */
static bool follow_show(struct follow *f)
{
    const struct ras_record *record;
    int status;
    while ((status = ras_next(f->cursor, &record, NULL)) == RAS_OK) {
        if (ras_export_record(f->export, f->cursor, record, NULL) < 0)
            return false;
        f->shown++;
    }
    return status >= 0 && ras_export_flush(f->export, NULL) == RAS_OK;
}

void recording_follow(struct recording *r, int pid)
{
    struct follow f = {.answer = &r->report, .format = r->common->json ? "jsonl" : "text"};
    const struct timespec pause = {0, 50000000};
    signal(SIGPIPE, SIG_IGN); /* who looks may go; the recording does not end with it */
    bool good = true;
    for (unsigned quiet = 0; good && quiet < 2;) { /* once more for what came with the end */
        bool ended = has_ended(pid);
        uint64_t before = f.shown;
        if (f.trace || begin(&f, r->session)) {
            good = ras_wait(f.trace, 100, NULL) >= 0 && follow_show(&f);
        } else {
            end(&f);
            nanosleep(&pause, NULL);
        }
        quiet = ended && f.shown == before ? quiet + 1 : 0;
    }
    end(&f);
    if (good)
        return;
    ras_sink_drop(r->report.sink); /* nobody is left to hear that it cannot be written */
    r->report.sink = NULL;
}
