/* crash.c - a program that crashes or is terminated by a signal: drain, seal, then go on as it
 * would have.
 *
 * The handler runs on the thread that got the signal, on a stack of its own. It requests the
 * drain, which is another thread, to finish, waits as long as the drain makes progress and
 * passes the signal on to the handler that was installed before. */
#include "record/recorder.h"
#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#define WAIT_NS      UINT64_C(2000000000)  /* timeout for a drain without progress */
#define WAIT_MOST_NS UINT64_C(30000000000) /* timeout for one that makes progress */

enum { STACK_SIZE = 64 << 10 };

/* Crashes, even if the program handles them; and termination signals that it does not handle. */
static const struct {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGTERM, "SIGTERM"},
               {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"}};
enum { CRASHES = 7, SIGNALS = sizeof signals / sizeof *signals };
_Static_assert((int)SIGNALS <= CRASH_SIGNALS, "there is room for what was");

static int signal_index(int number)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            return i;
    return -1;
}

/* ---- sealing -------------------------------------------------------------------------- */

static bool is_thread_lane(const struct ras_lane *hot)
{
    return hot != &lane_none && hot != &lane_suspended && hot != &lane_ignored;
}

/* On a busy machine or a slow disk this takes a while. */
static void wait_sealed(uint64_t most_ns)
{
    uint64_t start = clock_system_ns(), seen_at = start, now = start;
    uint32_t seen = LOAD(&recorder.progress);
    while (!LOAD_ACQUIRE(&recorder.sealed) && now - seen_at < most_ns &&
           now - start < (most_ns > WAIT_MOST_NS ? most_ns : WAIT_MOST_NS)) {
        word_wait(&recorder.sealed, 0, most_ns / 4);
        now = clock_system_ns();
        if (LOAD(&recorder.progress) != seen)
            seen_at = now;
        seen = LOAD(&recorder.progress);
    }
}

/* The event that this thread was storing is not published, and the drain need not wait for it. */
void crash_seal(uint64_t most_ns)
{
    struct ras_lane *hot = RAS_LANE;
    if (hot == &lane_ignored || !recorder.running || (!LOAD(&recorder.on) && !LOAD(&recorder.stop)))
        return;
    uint64_t busy = is_thread_lane(hot) ? LOAD(&hot->busy) : 0;
    if (is_thread_lane(hot))
        STORE_RELEASE(&hot->busy, 0);
    recorder_end();
    drain_wake();
    wait_sealed(most_ns);
    if (is_thread_lane(hot))
        STORE(&hot->busy, busy);
}

/* The first of several signals counts. Its time is not before the last event of its thread. */
static void note_crash(int number)
{
    const struct ras_lane *hot = RAS_LANE;
    uint32_t none = CRASH_NONE;
    if (hot == &lane_ignored || !recorder.running || LOAD(&recorder.sealed) ||
        !SWAP_IF(&recorder.crash.noted, &none, CRASH_COMING))
        return;
    bool own = is_thread_lane(hot) && lane_of((struct ras_lane *)(uintptr_t)hot)->generation ==
                                          LOAD_ACQUIRE(&recorder.generation);
    uint64_t now = ras_record_now();
    recorder.crash.first = (struct crash_info){
        .number = number,
        .name = signals[signal_index(number)].name,
        .time_ns = own && hot->last_ns > now ? hot->last_ns : now,
        .thread_id = own ? hot->thread_id : UINT32_MAX,
    };
    STORE_RELEASE(&recorder.crash.noted, CRASH_NOTED);
}

const struct crash_info *crash_noted(void)
{
    return LOAD_ACQUIRE(&recorder.crash.noted) == CRASH_NOTED ? &recorder.crash.first : NULL;
}

static void pass_signal_on(int number, siginfo_t *info, void *context)
{
    struct sigaction was = recorder.crash.was[signal_index(number)];
    sigaction(number, &was, NULL);
    if (was.sa_flags & SA_SIGINFO)
        was.sa_sigaction(number, info, context);
    else if (was.sa_handler != SIG_DFL && was.sa_handler != SIG_IGN)
        was.sa_handler(number);
    else if (info->si_code <=
             0) /* sent by a process, not by a fault: returning would not raise it again */
        raise(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int was = errno;
    note_crash(number);
    crash_seal(WAIT_NS);
    pass_signal_on(number, info, context);
    errno = was;
}

/* ---- a signal that has a window stored ------------------------------------------------ */

static void on_trigger(int number)
{
    (void)number;
    int was = errno;
    if (LOAD_ACQUIRE(&recorder.on) && recorder.options.flight)
        flight_trigger(RAS_TRIGGER_SIGNAL, ras_record_now(), 0);
    errno = was;
}

int ras_record_trigger_on_signal(int number, struct ras_error *err)
{
    struct sigaction ours = {.sa_handler = on_trigger, .sa_flags = SA_RESTART};
    sigfillset(&ours.sa_mask);
    return sigaction(number, &ours, NULL) < 0 ? fail_os(err, "signal") : RAS_OK;
}

/* ---- crashes ------------------------------------------------------------------------- */

void crash_catch(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction *was = &recorder.crash.was[i];
        recorder.crash.caught[i] = false;
        if (sigaction(signals[i].number, NULL, was) < 0)
            continue;
        bool unhandled = !(was->sa_flags & SA_SIGINFO) && was->sa_handler == SIG_DFL;
        recorder.crash.caught[i] =
            (i < CRASHES || unhandled) && sigaction(signals[i].number, &ours, NULL) == 0;
    }
}

/* If the program installed another handler meanwhile, keep that. */
void crash_release(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (recorder.crash.caught[i] && sigaction(signals[i].number, NULL, &now) == 0 &&
            now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal)
            sigaction(signals[i].number, &recorder.crash.was[i], NULL);
        recorder.crash.caught[i] = false;
    }
}

/* A handler cannot run on a stack that overflowed. */
void crash_give_stack(struct lane *lane)
{
    stack_t now;
    if (recorder.options.no_crash || sigaltstack(NULL, &now) < 0 || !(now.ss_flags & SS_DISABLE))
        return;
    if (!lane->crash_stack) {
        void *at = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        lane->crash_stack = at == MAP_FAILED ? NULL : at;
    }
    if (lane->crash_stack)
        sigaltstack(&(stack_t){.ss_sp = lane->crash_stack, .ss_size = STACK_SIZE}, NULL);
}
