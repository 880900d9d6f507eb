/* record_lines.c - the options of a recording as the lines that its hooks read. */
#include "cli/record_program.h"
#include "cli/say.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The lines under construction. */
struct words {
    char *at;
    size_t len, room;
};

static int add(struct words *w, const char *name, const char *value)
{
    size_t need = strlen(name) + strlen(value) + 3;
    if (strchr(value, '\n'))
        return trouble("--%s: the value must be a single line", name);
    if (w->room - w->len < need) {
        size_t room = 2 * w->room + need + 256;
        char *bigger = realloc(w->at, room);
        if (!bigger)
            return trouble("out of memory");
        w->at = bigger;
        w->room = room;
    }
    w->len += (size_t)snprintf(w->at + w->len, w->room - w->len, "%s=%s\n", name, value);
    return 0;
}

static int add_number(struct words *w, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return add(w, name, text);
}

/* ---- patterns ----------------------------------------------------------------------------- */

/* Refuse invalid patterns here: the hooks cannot report errors. */
static int check_regex(const char *option, const char *regex, size_t len)
{
    char *condition = malloc(2 * len + 32);
    struct ras_where *where;
    struct ras_error err;
    if (!condition)
        return trouble("out of memory");
    size_t n = (size_t)snprintf(condition, 32, "function ~ \"");
    for (size_t i = 0; i < len; i++) {
        if (regex[i] == '"' || regex[i] == '\\')
            condition[n++] = '\\';
        condition[n++] = regex[i];
    }
    condition[n++] = '"';
    condition[n] = 0;
    int status = ras_where_parse(&where, condition, &err) < 0
                     ? trouble("--%s: /%.*s/: %s", option, (int)len, regex, text_of(&err))
                     : 0;
    if (!status)
        ras_where_free(where);
    free(condition);
    return status;
}

/* GLOB, /REGEX/, and either with @MODULE. */
static int add_pattern(struct words *w, const char *option, const char *text)
{
    const char *at = strrchr(text, '@');
    size_t len = strlen(text);
    if (!len)
        return trouble("--%s needs a pattern", option);
    if (text[0] == '/' && len > 1 && text[len - 1] == '/')
        at = NULL;
    size_t symbol = at ? (size_t)(at - text) : len;
    if (text[0] == '/' && symbol > 1 && text[symbol - 1] == '/') {
        int status = check_regex(option, text + 1, symbol - 2);
        if (status)
            return status;
    }
    return add(w, option, text);
}

static int add_patterns(struct words *w, const char *option, const struct list *list)
{
    int status = 0;
    for (size_t i = 0; !status && i < list->count; i++)
        status = add_pattern(w, option, list->items[i]);
    return status;
}

/* ---- times -------------------------------------------------------------------------------- */

enum { MILLISECOND = 1000000 }; /* in ns */

static int parse_time(const char *option, const char *text, uint64_t least, uint64_t *ns)
{
    struct ras_error err;
    if (ras_time_parse(NULL, text, ns, &err) < 0)
        return trouble("--%s: %s", option, text_of(&err));
    if (*ns < least)
        return trouble("--%s: %s is too short: it takes at least %s, such as 500ms, 10s or 2m",
                       option, text, least == MILLISECOND ? "1ms" : "1ns");
    return 0;
}

static int add_time(struct words *w, const char *option, const char *text, const char *name,
                    uint64_t least, uint64_t unit)
{
    uint64_t ns = 0;
    if (!text)
        return 0;
    int status = parse_time(option, text, least, &ns);
    return status ? status : add_number(w, name, ns / unit);
}

/* All processes of the session share this start time. */
static int add_end(struct words *w, const char *text)
{
    uint64_t ns = 0;
    struct timespec now;
    if (!text)
        return 0;
    int status = parse_time("duration", text, MILLISECOND, &ns);
    clock_gettime(CLOCK_MONOTONIC, &now);
    ns += (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return status ? status : add_number(w, "stop_at", ns);
}

/* ---- triggers ----------------------------------------------------------------------------- */

/* sigabbrev_np(), which musl lacks. */
static const struct {
    const char *name;
    int number;
} signal_names[] = {
    {"HUP", SIGHUP},     {"INT", SIGINT},   {"QUIT", SIGQUIT},     {"ILL", SIGILL},
    {"TRAP", SIGTRAP},   {"ABRT", SIGABRT}, {"BUS", SIGBUS},       {"FPE", SIGFPE},
    {"KILL", SIGKILL},   {"USR1", SIGUSR1}, {"SEGV", SIGSEGV},     {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE},   {"ALRM", SIGALRM}, {"TERM", SIGTERM},     {"STKFLT", SIGSTKFLT},
    {"CHLD", SIGCHLD},   {"CONT", SIGCONT}, {"STOP", SIGSTOP},     {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN},   {"TTOU", SIGTTOU}, {"URG", SIGURG},       {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ},   {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"POLL", SIGPOLL},
    {"WINCH", SIGWINCH}, {"PWR", SIGPWR},   {"SYS", SIGSYS},
};

static int signal_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end != text && !*end)
        return n > 0 && n < NSIG ? (int)n : 0;
    text += strncmp(text, "SIG", 3) ? 0 : 3;
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++)
        if (!strcmp(signal_names[i].name, text))
            return signal_names[i].number;
    return 0;
}

static int add_regex_trigger(struct words *w, const char *regex)
{
    size_t room = strlen(regex) + 3;
    char *text = malloc(room);
    if (!text)
        return trouble("out of memory");
    snprintf(text, room, "/%s/", regex);
    int status = add_pattern(w, "trigger", text);
    free(text);
    return status;
}

static int add_trigger(struct words *w, const char *text)
{
    uint64_t ns = 0;
    if (!strncmp(text, "symbol~=", 8))
        return add_regex_trigger(w, text + 8);
    if (!strncmp(text, "symbol=", 7))
        return add_pattern(w, "trigger", text + 7);
    if (!strncmp(text, "time=", 5)) {
        int status = parse_time("trigger time", text + 5, 1, &ns);
        return status ? status : add_number(w, "trigger_ns", ns);
    }
    if (!strncmp(text, "signal=", 7)) {
        int number = signal_of(text + 7);
        return number ? add_number(w, "trigger_signal", (uint64_t)number)
                      : trouble("--trigger: no signal '%s'", text + 7);
    }
    if (!strcmp(text, "crash"))
        return 0;
    return trouble("--trigger takes symbol=NAME, symbol~=REGEX, time=TIME, signal=NAME or crash, "
                   "not '%s'",
                   text);
}

/* In MiB. Beyond 2^40 there is no such memory. */
static int add_history(struct words *w, const struct record_options *a)
{
    if (!a->pre_roll)
        return trouble("--history needs --pre-roll TIME");
    if (!a->history.value || a->history.value > UINT64_C(1) << 20)
        return trouble("--history takes 1 to 1048576 MiB, not %" PRIu64, a->history.value);
    return add_number(w, "history_bytes", a->history.value << 20);
}

static int add_triggers(struct words *w, const struct record_options *a)
{
    int status = a->triggers.count ? add_number(w, "flight", 1) : 0;
    for (size_t i = 0; !status && i < a->triggers.count; i++)
        status = add_trigger(w, a->triggers.items[i]);
    if (!status && !a->triggers.count && (a->pre_roll || a->post_roll || a->history.given))
        status = trouble("--pre-roll, --post-roll and --history need a --trigger");
    if (!status && a->history.given)
        status = add_history(w, a);
    if (!status)
        status = add_time(w, "pre-roll", a->pre_roll, "pre_ms", MILLISECOND, MILLISECOND);
    if (!status)
        status = add_time(w, "post-roll", a->post_roll, "post_ms", MILLISECOND, MILLISECOND);
    return status;
}

/* ---- segments ----------------------------------------------------------------------------- */

/* SIZE is a number and K, M or G, each perhaps followed by iB or B: powers of 1024. False: it is
 * something else. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    char *end;
    double n = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == text || !unit || !(n > 0) || n > 1e6 ||
        (strcmp(end + 1, "") && strcmp(end + 1, "B") && strcmp(end + 1, "iB")))
        return false;
    *bytes = (uint64_t)(n * (double)(UINT64_C(1024) << 10 * (unit - units)));
    return true;
}

static int add_rotate(struct words *w, const struct record_options *a)
{
    uint64_t bytes = 0, ns = 0;
    if (a->keep.given && !a->rotate)
        return trouble("--keep needs --rotate");
    if (!a->rotate)
        return 0;
    if (a->triggers.count)
        return trouble(
            "--rotate cannot be combined with --trigger, which stores only windows around "
            "an event: use --rotate with --keep N to keep the newest events, or "
            "--trigger with --pre-roll TIME for those before an event");
    bool is_size = parse_size(a->rotate, &bytes);
    if (!is_size && (ras_time_parse(NULL, a->rotate, &ns, NULL) < 0 || ns < MILLISECOND))
        return trouble("--rotate takes a size such as 64M or 1G, or a time such as 500ms, 10s or "
                       "5m, not '%s'",
                       a->rotate);
    int status = is_size ? add_number(w, "rotate_bytes", bytes)
                         : add_number(w, "rotate_ms", ns / MILLISECOND);
    if (!status && a->keep.given)
        status = a->keep.value && a->keep.value <= UINT32_MAX ? add_number(w, "keep", a->keep.value)
                                                              : trouble("--keep takes 1 or more");
    return status;
}

int record_lines(const struct record_options *a, char **lines)
{
    struct words w = {0};
    int status = add_number(&w, "durable", a->durable);
    if (!status)
        status = add_number(&w, "compress", a->compress);
    if (!status)
        status = add_number(&w, "drop", a->drop);
    if (!status)
        status = add_patterns(&w, "filter", &a->filters);
    if (!status)
        status = add_patterns(&w, "exclude", &a->excludes);
    if (!status)
        status = add_patterns(&w, "detail", &a->details);
    if (!status && a->max_depth.given)
        status = a->max_depth.value ? add_number(&w, "max_depth", a->max_depth.value)
                                    : trouble("--max-depth takes 1 or more");
    if (!status)
        status = add_time(&w, "min-duration", a->min_duration, "min_duration", 1, 1);
    if (!status)
        status = add_end(&w, a->duration);
    if (!status)
        status = add_triggers(&w, a);
    if (!status)
        status = add_rotate(&w, a);
    *lines = w.at;
    return status;
}
