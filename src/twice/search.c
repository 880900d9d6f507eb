/* search.c - which conditions make a program differ: pinned runs, one with all changed, halves.
 *
 * A set that differs is split in halves, and each half that still differs likewise, so that several
 * causes are found. Where neither half does, each is tried again, then each condition alone; a set
 * that differs only together is a cause of its own. Each cause is confirmed by runs that differ
 * again, between pinned ones that do not. */
#include "twice/search.h"

/* Pinned runs for each run of a cause that need not show: it must be rarer in these. */
enum { PINNED_FOR_EACH = 3, PINNED_FOR_SEVERAL = 12, PINNED_MOST = 24 };

struct walk {
    const struct twice_search *how;
    struct twice_found *found;
    int failed;                    /* of a callback */
    enum twice_difference ignored; /* a run that differs no more than this counts as the same */
    bool ignored_seen;             /* there was one that differs */
    enum twice_difference most;    /* seen */
    bool no_calls;                 /* calls say nothing more */
    unsigned runs_of[TWICE_CONDITIONS], hits_of[TWICE_CONDITIONS]; /* of a condition by itself */
};

static bool is_over(const struct walk *w)
{
    return w->failed < 0 || w->found->exhausted;
}

/* One run: whether it differs. */
static bool walk_run(struct walk *w, uint32_t set, unsigned attempt)
{
    if (w->found->runs >= w->how->runs_most)
        w->found->exhausted = true;
    if (is_over(w))
        return false;
    w->found->runs++;
    int status = w->how->differs(w->how->user, set, attempt, !w->no_calls);
    if (status < 0)
        w->failed = status;
    bool differs = status > (int)w->ignored;
    w->ignored_seen |= status > TWICE_SAME && !differs;
    if (status > (int)w->most)
        w->most = (enum twice_difference)status;
    size_t only = set ? (size_t)__builtin_ctz(set) : 0;
    if (twice_set_size(set) == 1 && only < sizeof w->runs_of / sizeof *w->runs_of) {
        w->runs_of[only]++;
        w->hits_of[only] += differs;
    }
    return differs;
}

/* Whether one of several runs differs; where chance plays no part, one is enough. */
static bool shows(struct walk *w, uint32_t set, unsigned tries)
{
    tries = twice_set_chance(set) ? tries : 1;
    for (unsigned i = 0; i < tries && !is_over(w); i++)
        if (walk_run(w, set, i))
            return true;
    return false;
}

static void add_cause(struct walk *w, uint32_t set)
{
    struct twice_found *f = w->found;
    for (size_t i = 0; i < f->cause_count; i++)
        if (f->causes[i].set == set)
            return;
    if (f->cause_count < TWICE_CAUSES_MOST)
        f->causes[f->cause_count++] = (struct twice_cause){.set = set};
}

/* The lower half of a set. */
static uint32_t half_of(uint32_t set)
{
    uint32_t half = 0;
    for (unsigned wanted = twice_set_size(set) / 2; wanted; wanted--) {
        uint32_t left = set & ~half;
        half |= left & (~left + 1);
    }
    return half;
}

/* Neither half of a set that differs does: it was chance, or it takes conditions of both. */
static bool split_alone(struct walk *w, uint32_t set)
{
    bool any = false;
    for (unsigned i = 0; i < TWICE_CONDITIONS && !is_over(w); i++)
        if (set & TWICE_BIT(i) && shows(w, TWICE_BIT(i), w->how->tries)) {
            add_cause(w, TWICE_BIT(i));
            any = true;
        }
    return any;
}

/* Leave out of a set that differs only together what it does not need. */
static uint32_t narrow(struct walk *w, uint32_t set)
{
    for (unsigned i = 0; i < TWICE_CONDITIONS && !is_over(w); i++)
        if (set & TWICE_BIT(i) && twice_set_size(set) > 1 &&
            shows(w, set & ~TWICE_BIT(i), w->how->tries))
            set &= ~TWICE_BIT(i);
    return set;
}

/* `set` differs. Where no run is left to split it, all of it is the cause. */
static void split(struct walk *w, uint32_t set)
{
    if (twice_set_size(set) <= 1 || is_over(w)) {
        add_cause(w, set);
        return;
    }
    uint32_t halves[2] = {half_of(set), set & ~half_of(set)};
    bool differ[2] = {false, false};
    for (unsigned i = 0; i < 2; i++)
        differ[i] = shows(w, halves[i], w->how->tries);
    for (unsigned i = 0; i < 2 && !differ[0] && !differ[1]; i++)
        differ[i] = twice_set_chance(halves[i]) && shows(w, halves[i], 2 * w->how->tries);
    if (!differ[0] && !differ[1]) {
        bool again = !split_alone(w, set) && shows(w, set, 2 * w->how->tries);
        if (again || w->found->exhausted)
            add_cause(w, narrow(w, set));
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        if (differ[i])
            split(w, halves[i]);
}

/* How many pinned runs must be the same: where the condition did not show in each of its runs,
 * something else that is rare may have. */
static unsigned pinned_for(const struct walk *w, const struct twice_cause *c, unsigned taken)
{
    if (!twice_set_chance(c->set) && twice_set_size(c->set) == 1)
        return 1;
    unsigned k = (unsigned)__builtin_ctz(c->set);
    unsigned wanted = PINNED_FOR_SEVERAL + PINNED_FOR_EACH * taken;
    if (twice_set_size(c->set) == 1)
        wanted = w->hits_of[k] == w->runs_of[k] ? taken + 1 : PINNED_FOR_EACH * w->runs_of[k];
    return wanted < PINNED_MOST ? wanted : PINNED_MOST;
}

/* A second run that differs, and pinned ones that do not. */
static void confirm(struct walk *w, struct twice_cause *c)
{
    unsigned most = twice_set_chance(c->set) ? 3 * w->how->tries : 1, taken = 0;
    while (taken < most && !c->confirmed && !is_over(w))
        c->confirmed = walk_run(w, c->set, ++taken);
    unsigned pinned = pinned_for(w, c, taken);
    for (unsigned i = 0; i < pinned && !is_over(w) && !w->found->uncontrolled; i++)
        w->found->uncontrolled = walk_run(w, 0, i);
}

static const uint32_t races = TWICE_BIT(TWICE_THREADS) | TWICE_BIT(TWICE_CPUS);

/* Where a race is a cause, it may show in runs of other conditions, too: one in which chance plays
 * no part must differ each time. */
static void leave_out_chance(struct walk *w)
{
    struct twice_found *f = w->found;
    size_t kept = 0, raced = 0;
    for (size_t i = 0; i < f->cause_count; i++)
        raced += (f->causes[i].set & races) != 0;
    for (size_t i = 0; i < f->cause_count; i++) {
        const uint32_t set = f->causes[i].set;
        bool keep = true;
        for (unsigned k = 0; raced && !twice_set_chance(set) && k < w->how->tries && keep; k++)
            keep = walk_run(w, set, k) || is_over(w);
        if (keep)
            f->causes[kept++] = f->causes[i];
    }
    f->cause_count = kept;
}

/* What differed once and never again was not this condition, unless it is a race. */
static void confirm_all(struct walk *w)
{
    struct twice_found *f = w->found;
    size_t kept = 0;
    for (size_t i = 0; i < f->cause_count && !is_over(w) && !f->uncontrolled; i++)
        confirm(w, &f->causes[i]);
    for (size_t i = 0; i < f->cause_count && !f->uncontrolled; i++) {
        bool keep = f->causes[i].confirmed || f->exhausted || f->causes[i].set & races;
        if (keep)
            f->causes[kept++] = f->causes[i];
        else
            f->uncontrolled = true;
    }
    f->cause_count = f->uncontrolled ? 0 : kept;
    leave_out_chance(w);
}

/* Pinned runs differ, so that one that differs says nothing. Only where most pinned runs are like
 * the reference and all with threads started late are not, is that the cause, beside whatever else
 * it may be. */
static void race(struct walk *w)
{
    const uint32_t sets[] = {TWICE_BIT(TWICE_THREADS), TWICE_BIT(TWICE_CPUS)};
    const unsigned most = 3 * w->how->tries;
    unsigned odd = 0;
    if (w->how->has_threads && !w->how->has_threads(w->how->user))
        return;
    for (unsigned i = 0; i < most; i++)
        odd += walk_run(w, 0, i);
    for (unsigned k = 0; k < 2 && odd * 4 <= most; k++) {
        unsigned differ = 0;
        for (unsigned i = 0; i < most && sets[k] & w->how->varied; i++)
            differ += walk_run(w, sets[k], i);
        if (differ == most && !is_over(w)) {
            add_cause(w, sets[k]);
            w->found->causes[w->found->cause_count - 1].confirmed = true;
            return;
        }
    }
}

/* Whether pinned runs differ. If their calls alone do, these are not compared from here on. */
static bool pinned_differ(struct walk *w)
{
    for (unsigned i = 1; i < w->how->pinned && !is_over(w); i++)
        if (walk_run(w, 0, i))
            return true;
    w->found->calls_vary = w->ignored_seen;
    w->no_calls |= w->found->calls_vary;
    return false;
}

static bool may_have_threads(const struct walk *w)
{
    return !w->how->has_threads || w->how->has_threads(w->how->user);
}

/* The conditions to split if it differs when all are changed: in one of several runs, since
 * addresses, schedules and random numbers need not show at once, in more than its calls if there is
 * such a run; 0: it does not. How threads share their work, and how often one is woken, changes the
 * calls of any program that has some: where calls come last, or only that differs, it is not a
 * cause. */
static uint32_t all_differ(struct walk *w)
{
    bool threads = may_have_threads(w);
    unsigned tries = 2 * w->how->tries;
    uint32_t set = w->how->varied & ~w->how->apart;
    if (set && shows(w, set, tries)) {
        w->no_calls |= w->how->calls_last;
        return set;
    }
    w->ignored = TWICE_SAME;
    w->no_calls = w->how->calls_never;
    set &= threads ? ~races : TWICE_ALL;
    return w->ignored_seen && !w->found->calls_vary && set && shows(w, set, tries) ? set : 0;
}

/* The calls of pinned runs differ, and nothing else does in any run: of a program without threads
 * that is not controlled; with threads it says nothing. */
static void judge_calls(struct walk *w)
{
    struct twice_found *f = w->found;
    if (may_have_threads(w)) {
        f->calls_vary = true;
        f->uncontrolled = false;
        f->cause_count = 0;
    } else {
        f->uncontrolled = true;
    }
}

int twice_search(const struct twice_search *how, struct twice_found *found)
{
    const enum twice_difference ignored =
        how->calls_last ? TWICE_DIFFERS_IN_CALLS : TWICE_DIFFERS_IN_SHARES;
    struct walk w = {.how = how, .found = found, .ignored = ignored, .no_calls = how->calls_never};
    *found = (struct twice_found){.runs = 1};
    int status = how->reference(how->user);
    if (status < 0)
        return status;
    found->uncontrolled = pinned_differ(&w);
    if (found->uncontrolled) {
        w.ignored = TWICE_DIFFERS_IN_SHARES;
        w.no_calls = how->calls_never;
        race(&w);
        return w.failed;
    }
    uint32_t set = all_differ(&w);
    if (set)
        split(&w, set);
    if (set && !found->cause_count && !is_over(&w))
        found->uncontrolled = true; /* it differed once, and nothing explains it */
    if (!found->uncontrolled)
        (void)split_alone(&w, how->varied & how->apart);
    confirm_all(&w);
    if (w.most <= ignored && (found->calls_vary || found->uncontrolled))
        judge_calls(&w);
    found->shares_vary = w.most == TWICE_DIFFERS_IN_SHARES && !found->cause_count;
    return w.failed;
}
