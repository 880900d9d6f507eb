/* crash.c - a program that crashes or is terminated by a signal: drain, seal, then go on as it
 * would have.
 *
 * The handler runs on the thread that got the signal, on a stack of its own. It requests the
 * drain, which is another thread, to finish, waits as long as the drain makes progress and
 * passes the signal on. A handler of the program's own may return or jump, so for that one the
 * drain only flushes, and what is noted of the crash is withdrawn if the program continues. */
#include "record/recorder.h"
#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define WAIT_NS      UINT64_C(2000000000)  /* timeout for a drain without progress */
#define WAIT_MOST_NS UINT64_C(30000000000) /* timeout for one that makes progress */

#define FLUSH_NS   UINT64_C(200000000)  /* timeout for a flush before the program's handler */
#define FLUSH_EACH UINT64_C(1000000000) /* a program may handle many faults: flush this often */

enum { STACK_SIZE = 64 << 10, SIGNAL_LAST = 64 };

/* Crashes, even if the program handles them; and termination signals that it does not handle. */
static const struct {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGTERM, "SIGTERM"},
               {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"}};
enum { CRASHES = 7, SIGNALS = sizeof signals / sizeof *signals };
_Static_assert((int)SIGNALS <= CRASH_SIGNALS, "there is room for what was");

/* Hooks intercept sigaction() of the program: handlers.c. */
#ifdef HOOKS_THREAD_H
#define crash_action __sigaction
int __sigaction(int number, const struct sigaction *act, struct sigaction *old);
#else
#define crash_action sigaction
#endif

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

/* ---- what is known of a crash ------------------------------------------------------------ */

#if defined __x86_64__ && defined __GLIBC__
static const struct {
    const char *name;
    int at;
} registers[] = {{"rax", REG_RAX}, {"rbx", REG_RBX},   {"rcx", REG_RCX}, {"rdx", REG_RDX},
                 {"rsi", REG_RSI}, {"rdi", REG_RDI},   {"rbp", REG_RBP}, {"rsp", REG_RSP},
                 {"r8", REG_R8},   {"r9", REG_R9},     {"r10", REG_R10}, {"r11", REG_R11},
                 {"r12", REG_R12}, {"r13", REG_R13},   {"r14", REG_R14}, {"r15", REG_R15},
                 {"rip", REG_RIP}, {"eflags", REG_EFL}};
_Static_assert(sizeof registers / sizeof *registers <= CRASH_REGISTERS, "there is room for all");

static void take_registers(struct crash_info *c, const ucontext_t *context)
{
    c->has_pc = true;
    c->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    c->sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
    c->register_count = sizeof registers / sizeof *registers;
    for (unsigned i = 0; i < c->register_count; i++) {
        c->registers[i].name = registers[i].name;
        c->registers[i].value = (uint64_t)context->uc_mcontext.gregs[registers[i].at];
    }
}
#elif defined __aarch64__
static void take_registers(struct crash_info *c, const ucontext_t *context)
{
    c->has_pc = true;
    c->pc = context->uc_mcontext.pc;
    c->sp = context->uc_mcontext.sp;
}
#else
static void take_registers(struct crash_info *c, const ucontext_t *context)
{
    (void)c, (void)context;
}
#endif

/* The processor or the kernel gives the address of a fault; a signal that was sent has none. */
static bool has_address(const siginfo_t *info)
{
    int number = info->si_signo;
    return info->si_code > 0 && info->si_code != SI_KERNEL && number != SIGABRT &&
           signal_index(number) < CRASHES;
}

/* Of several signals the first counts, unless the program may still handle it: then the first
 * that it cannot. The time is not before the last event of the thread. */
static bool note_crash(const siginfo_t *info, const void *context, enum crash_noted as)
{
    const struct ras_lane *hot = RAS_LANE;
    uint32_t none = CRASH_NONE, maybe = CRASH_MAYBE;
    if (hot == &lane_ignored || !recorder.running || LOAD(&recorder.sealed) ||
        !(SWAP_IF(&recorder.crash.noted, &none, CRASH_COMING) ||
          (as == CRASH_NOTED && SWAP_IF(&recorder.crash.noted, &maybe, CRASH_COMING))))
        return false;
    bool own = is_thread_lane(hot) && lane_of((struct ras_lane *)(uintptr_t)hot)->generation ==
                                          LOAD_ACQUIRE(&recorder.generation);
    uint64_t now = ras_record_now();
    struct crash_info c = {
        .number = info->si_signo,
        .name = signals[signal_index(info->si_signo)].name,
        .code = info->si_code,
        .time_ns = own && hot->last_ns > now ? hot->last_ns : now,
        .thread_id = own ? hot->thread_id : UINT32_MAX,
        .has_address = has_address(info),
        .address = has_address(info) ? (uint64_t)(uintptr_t)info->si_addr : 0,
    };
    take_registers(&c, context);
    if (recorder.watch)
        recorder.watch->crashed(&c);
    recorder.crash.first = c;
    STORE_RELEASE(&recorder.crash.noted, as);
    return true;
}

const struct crash_info *crash_noted(void)
{
    uint32_t noted = LOAD_ACQUIRE(&recorder.crash.noted);
    return noted == CRASH_NOTED || noted == CRASH_MAYBE ? &recorder.crash.first : NULL;
}

/* ---- a handler of the program's own ----------------------------------------------------- */

static bool is_handled(const struct sigaction *act)
{
    return act->sa_flags & SA_SIGINFO || (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
}

/* The drain may be waiting for a lock that this thread holds, so this has a timeout. */
static void flush_soon(void)
{
    uint64_t now = clock_system_ns(), until = now + FLUSH_NS;
    if (RAS_LANE == &lane_ignored || !LOAD(&recorder.on) || LOAD(&recorder.sealed) ||
        now < LOAD(&recorder.crash.flush_ns))
        return;
    STORE(&recorder.crash.flush_ns, now + FLUSH_EACH);
    uint32_t wanted = __atomic_add_fetch(&recorder.flush_wanted, 1, __ATOMIC_ACQ_REL);
    for (; now < until && !LOAD(&recorder.sealed); now = clock_system_ns()) {
        uint32_t done = LOAD_ACQUIRE(&recorder.flush_done);
        if ((int32_t)(done - wanted) >= 0)
            return;
        drain_wake();
        word_wait(&recorder.flush_done, done, until - now);
    }
}

static void withdraw(void)
{
    uint32_t maybe = CRASH_MAYBE;
    SWAP_IF(&recorder.crash.noted, &maybe, CRASH_NONE);
}

/* A jump to `sp` on another stack, or above the handler on its own, leaves the handler. */
void crash_jump(uintptr_t sp)
{
    enum { HANDLER_MOST = 64 << 20 };
    uintptr_t frame = recorder.crash.frame;
    if (LOAD(&recorder.crash.noted) == CRASH_MAYBE &&
        pthread_equal(recorder.crash.thread, pthread_self()) &&
        (sp > frame || frame - sp > HANDLER_MOST))
        withdraw();
}

/* As the system would have called it: with its mask, and once only if it says so. */
static void call_handler(struct sigaction *was, siginfo_t *info, void *context)
{
    const ucontext_t *before = context;
    struct sigaction act = *was;
    sigset_t mask = act.sa_mask;
    for (int i = 1; i <= SIGNAL_LAST; i++)
        if (sigismember(&before->uc_sigmask, i) == 1)
            sigaddset(&mask, i);
    if (!(act.sa_flags & SA_NODEFER))
        sigaddset(&mask, info->si_signo);
    if (act.sa_flags & (int)SA_RESETHAND)
        *was = (struct sigaction){.sa_handler = SIG_DFL};
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(info->si_signo, info, context);
    else
        act.sa_handler(info->si_signo);
}

static void pass_to_program(struct sigaction *was, siginfo_t *info, void *context)
{
    bool noted = note_crash(info, context, CRASH_MAYBE);
    if (noted) {
        recorder.crash.frame = (uintptr_t)__builtin_frame_address(0);
        recorder.crash.thread = pthread_self();
    }
    flush_soon();
    call_handler(was, info, context);
    if (noted)
        withdraw();
}

/* ---- the handler ------------------------------------------------------------------------- */

static void on_signal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    struct sigaction *was = &recorder.crash.was[signal_index(number)];
    /* Signals that do not come again when the instruction is repeated: those that a process sent,
     * and those that follow an instruction, a breakpoint or a system call. */
    bool sent = info->si_code <= 0, again = sent || number == SIGTRAP || number == SIGSYS;
    if (is_handled(was)) {
        pass_to_program(was, info, context);
    } else if (!sent || was->sa_handler != SIG_IGN) {
        (void)note_crash(info, context, CRASH_NOTED);
        crash_seal(WAIT_NS);
        crash_action(number, was, NULL);
        if (again)
            raise(number);
    }
    errno = error;
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
    return crash_action(number, &ours, NULL) < 0 ? fail_os(err, "signal") : RAS_OK;
}

/* ---- crashes ------------------------------------------------------------------------- */

void crash_catch(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction *was = &recorder.crash.was[i];
        recorder.crash.caught[i] = false;
        if (crash_action(signals[i].number, NULL, was) < 0)
            continue;
        bool unhandled = !(was->sa_flags & SA_SIGINFO) && was->sa_handler == SIG_DFL;
        recorder.crash.caught[i] =
            (i < CRASHES || unhandled) && crash_action(signals[i].number, &ours, NULL) == 0;
    }
}

static bool is_ours(const struct sigaction *act)
{
    return act->sa_flags & SA_SIGINFO && act->sa_sigaction == on_signal;
}

/* Ours stays where the program has none: it does what is the default after it. */
bool crash_exchange(int number, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction now, ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    int i = signal_index(number);
    if (i < 0 || !recorder.crash.caught[i] || crash_action(number, NULL, &now) < 0)
        return false;
    bool own = is_ours(&now), none = act && !is_handled(act) && act->sa_handler == SIG_DFL;
    struct sigaction before = own ? recorder.crash.was[i] : now;
    if (!own && !none)
        return false;
    sigfillset(&ours.sa_mask);
    if (none) {
        recorder.crash.was[i] = *act;
        (void)crash_action(number, &ours, NULL);
    } else if (act && crash_action(number, act, NULL) < 0) {
        return false;
    }
    if (old)
        *old = before;
    return true;
}

/* If the program installed another handler meanwhile, keep that. */
void crash_release(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (recorder.crash.caught[i] && crash_action(signals[i].number, NULL, &now) == 0 &&
            is_ours(&now))
            crash_action(signals[i].number, &recorder.crash.was[i], NULL);
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
