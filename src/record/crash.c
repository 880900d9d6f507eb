/* crash.c - a program that crashes or is told to end: drain and seal, then what would have been.
 *
 * The handler runs on the thread that was hit, on a stack of its own. It asks the drain,
 * which is another thread, to finish, waits for a bounded time and passes the signal on
 * to whoever had it before. */
#include "record/recorder.h"
#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { WAIT_MOST_NS = 2000000000, STACK_SIZE = 64 << 10 };

/* Crashes, whoever handles them; and ways to be told to end, where nobody does. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGABRT,
                              SIGTRAP, SIGSYS, SIGTERM, SIGINT, SIGHUP};
enum { CRASHES = 7, SIGNALS = sizeof signals / sizeof *signals };
_Static_assert((int)SIGNALS <= CRASH_SIGNALS, "there is room for what was");

static int place_of(int number)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            return i;
    return -1;
}

/* The event this thread was storing is not published, and the drain need not wait for it. */
void crash_seal(uint32_t how, uint64_t most_ns)
{
    struct ras_lane *hot = ras_lane;
    bool was_on = hot != &lane_deaf && EXCHANGE(&recorder.on, 0);
    if (hot == &lane_deaf || !recorder.running || (!was_on && !LOAD(&recorder.stop)))
        return;
    bool own = hot != &lane_none && hot != &lane_hushed;
    uint32_t busy = own ? LOAD(&hot->busy) : 0;
    uint64_t start = clock_system_ns(), gone = 0;
    if (own)
        STORE_RELEASE(&hot->busy, 0);
    if (was_on)
        STORE_RELEASE(&recorder.stop, how);
    drain_wake();
    while (!LOAD_ACQUIRE(&recorder.sealed) && gone < most_ns) {
        word_wait(&recorder.sealed, 0, most_ns - gone);
        gone = clock_system_ns() - start;
    }
    if (own)
        STORE(&hot->busy, busy);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    struct sigaction was = recorder.crash.was[place_of(number)];
    sigaction(number, &was, NULL);
    if (was.sa_flags & SA_SIGINFO)
        was.sa_sigaction(number, info, context);
    else if (was.sa_handler != SIG_DFL && was.sa_handler != SIG_IGN)
        was.sa_handler(number);
    else if (info->si_code <= 0) /* sent, not caused: it would not come again by itself */
        raise(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int was = errno;
    crash_seal(STOP_CRASH, WAIT_MOST_NS);
    pass_on(number, info, context);
    errno = was;
}

/* ---- a signal that has a window stored ------------------------------------------------ */

static void on_trigger(int number)
{
    (void)number;
    int was = errno;
    if (LOAD_ACQUIRE(&recorder.on) && recorder.options.flight)
        flight_pull(RAS_TRIGGER_SIGNAL, ras_record_now(), 0);
    errno = was;
}

int ras_record_pull_on_signal(int number, struct ras_error *err)
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
        if (sigaction(signals[i], NULL, was) < 0)
            continue;
        bool nobodys = !(was->sa_flags & SA_SIGINFO) && was->sa_handler == SIG_DFL;
        recorder.crash.caught[i] =
            (i < CRASHES || nobodys) && sigaction(signals[i], &ours, NULL) == 0;
    }
}

/* Whoever took a signal over meanwhile keeps it. */
void crash_release(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (recorder.crash.caught[i] && sigaction(signals[i], NULL, &now) == 0 &&
            now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal)
            sigaction(signals[i], &recorder.crash.was[i], NULL);
        recorder.crash.caught[i] = false;
    }
}

/* A stack that overflowed is no place for a handler. */
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
