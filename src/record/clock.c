/* clock.c - CLOCK_BOOTTIME, followed by the processor's counter. */
#include "record/clock.h"
#include "record/atom.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t ras_record_system_ns(void)
{
    return clock_system_ns();
}

/* The kernel stops using the counter where the processors disagree on it. */
static bool system_uses_counter(void)
{
    char name[16] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* not known */
    ssize_t got = read(fd, name, sizeof name - 1);
    close(fd);
    return got > 0 && (!strncmp(name, "tsc", 3) || !strncmp(name, "arch_sys", 8));
}

bool clock_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8)) /* invariant TSC */
        return false;
    return system_uses_counter();
#elif defined(__aarch64__)
    return system_uses_counter();
#else
    return false;
#endif
}

/* Count and time at one moment: the closest of a few attempts. */
static void sample_clock(uint64_t *ticks, uint64_t *ns)
{
    uint64_t tightest = UINT64_MAX;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t before = RAS_TICKS(), now = clock_system_ns(), after = RAS_TICKS();
        if (after - before >= tightest)
            continue;
        tightest = after - before;
        *ticks = before + tightest / 2;
        *ns = now;
    }
}

static uint64_t rate_of(uint64_t ticks, uint64_t ns)
{
    return ticks ? (uint64_t)(((ras_u128_)ns << 32) / ticks) : 0;
}

bool clock_next(const struct anchor *last, uint64_t ticks, uint64_t ns, struct anchor *next)
{
    uint64_t gone = ticks - last->ticks;
    uint64_t expected = last->ns + (uint64_t)((ras_u128_)gone * last->rate >> 32);
    uint64_t off = expected > ns ? expected - ns : ns - expected;
    *next = (struct anchor){ticks, ns, last->rate};
    if (ticks <= last->ticks || ns <= last->ns || off > CLOCK_STEP_NS + (ns - last->ns) / 1000)
        return false;
    next->rate = rate_of(gone, ns - last->ns);
    return true;
}

static void publish_anchor(struct clock *c, struct anchor next)
{
    struct anchor *to = &c->anchors[(c->count + 1) % CLOCK_ANCHORS];
    STORE(&to->ticks, next.ticks);
    STORE(&to->ns, next.ns);
    STORE(&to->rate, next.rate);
    STORE_RELEASE(&c->count, c->count + 1);
}

void clock_start(struct clock *c, bool counter)
{
    struct anchor first = {0}, second = {0};
    *c = (struct clock){.due = UINT64_MAX};
    if (!counter) {
        publish_anchor(c, first);
        return;
    }
    sample_clock(&first.ticks, &first.ns);
    do {
        sample_clock(&second.ticks, &second.ns);
    } while (second.ns - first.ns < CLOCK_FIRST_NS);
    second.rate = rate_of(second.ticks - first.ticks, second.ns - first.ns);
    publish_anchor(c, second);
    c->due = second.ns + CLOCK_AGAIN_NS / 50; /* the first rate is rough */
}

bool clock_follow(struct clock *c, uint64_t now_ns)
{
    if (now_ns < c->due)
        return false;
    struct anchor last = c->anchors[c->count % CLOCK_ANCHORS], next;
    uint64_t ticks = 0, ns = 0;
    sample_clock(&ticks, &ns);
    bool steady = clock_next(&last, ticks, ns, &next);
    c->steps = steady ? 0 : c->steps + 1;
    c->stepped += !steady;
    c->due = ns + CLOCK_AGAIN_NS;
    if (c->steps >= CLOCK_STEPS_MOST) {
        next.rate = 0;
        c->due = UINT64_MAX;
    }
    publish_anchor(c, next);
    return true;
}

struct anchor clock_anchor(const struct clock *c)
{
    for (;;) {
        uint32_t count = LOAD_ACQUIRE(&c->count);
        const struct anchor *at = &c->anchors[count % CLOCK_ANCHORS];
        struct anchor a = {LOAD(&at->ticks), LOAD(&at->ns), LOAD(&at->rate)};
        if (LOAD_ACQUIRE(&c->count) - count < CLOCK_ANCHORS - 1)
            return a;
    }
}
