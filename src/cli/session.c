/* session.c - what the verbs share: the output, opening traces, interrupts. */
#include "cli/session.h"
#include "cli/host.h"
#include "cli/rundirs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the answer --------------------------------------------------------------- */

static bool want_color(const struct common *common, bool to_terminal)
{
    const char *when = common->color ? common->color : "auto";
    if (strcmp(when, "auto") != 0)
        return !strcmp(when, "always");
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return to_terminal && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* As wide as COLUMNS says, or as the terminal is; 0: neither is known. */
static size_t columns_of(int fd)
{
    const char *said = getenv("COLUMNS");
    uint64_t columns;
    if (said && number_parse(said, &columns) == NUMBER_FINE && columns && columns <= UINT16_MAX)
        return (size_t)columns;
    return host_columns(fd);
}

/* `fd`: the output unless a file is given; only standard output uses a pager. */
static int open_on(struct answer *a, const struct common *common, int fd)
{
    struct ras_error err;
    *a = (struct answer){0};
    a->to_file = common->out && strcmp(common->out, "-") != 0;
    bool terminal = !a->to_file && isatty(fd);
    a->on_terminal = terminal;
    a->columns = terminal ? columns_of(fd) : 0;
    a->on_screen = terminal && host_is_same_terminal(fd, STDERR_FILENO);
    a->color = want_color(common, terminal) && !common->json;
    if (terminal && common->pager && fd == STDOUT_FILENO) {
        a->pager = host_start_pager();
        if (a->pager < 0)
            return EXIT_TROUBLE;
    }
    int status = a->to_file ? ras_sink_report(&a->sink, common->out, common->force, &err)
                            : ras_sink_fd(&a->sink, fd, &err);
    return status < 0 ? trouble_with(&err) : 0;
}

int answer_open(struct answer *a, const struct common *common)
{
    return open_on(a, common, STDOUT_FILENO);
}

int answer_open_aside(struct answer *a, const struct common *common)
{
    return open_on(a, common, STDERR_FILENO);
}

int answer_close(struct answer *a, int status)
{
    struct ras_error err;
    if (a->json || a->nomem) {
        int written = ras_json_close(a->json, &err); /* the sink reports its own failure below */
        if ((written == RAS_EMEMORY || written == RAS_EUSAGE) && status != EXIT_TROUBLE)
            status = trouble_with(&err);
    }
    if (a->to_file && (status == EXIT_TROUBLE || a->none))
        ras_sink_drop(a->sink);
    else if (a->sink && ras_sink_close(a->sink, &err) < 0)
        status = trouble_with(&err);
    if (a->pager > 0) {
        close(STDOUT_FILENO);
        if (!host_pager_ran(a->pager))
            status = EXIT_TROUBLE;
    }
    return status;
}

void answer_format(struct answer *a, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n <= 0)
        return;
    size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    for (const char *p = text, *end = text + len; p < end;) {
        size_t piece = 0;
        while (p + piece < end && p[piece] != '\n' && p[piece] != '\t')
            piece++;
        answer_text(a, p, piece);
        p += piece;
        size_t blank = (size_t)(p < end);
        (void)!ras_sink_write(a->sink, p, blank, NULL); /* sticky: close reports it */
        p += blank;
    }
}

void answer_paint(struct answer *a, const char *color)
{
    if (a->color)
        (void)!ras_sink_write(a->sink, color, strlen(color), NULL);
}

void answer_text(struct answer *a, const void *text, size_t len)
{
    (void)!ras_sink_plain(a->sink, text, len, NULL); /* sticky: close reports it */
}

void answer_name(struct answer *a, const char *name)
{
    answer_text(a, name, strlen(name));
}

void answer_count(struct answer *a, const struct ras_count *count)
{
    if (count->name[strspn(count->name, "abcdefghijklmnopqrstuvwxyz_")]) {
        answer_format(a, "%" PRIu64 " ", count->records);
        answer_name(a, count->name);
    } else {
        answer_format(a, "%s", ras_counted(count->records, count->name).text);
    }
}

void answer_notes(struct answer *a, char *const *notes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        answer_format(a, "  note: ");
        answer_name(a, notes[i]);
        answer_format(a, "\n");
    }
}

void answer_path(struct answer *a, const char *path, const char *part)
{
    const char *shown = shown_path(path);
    answer_text(a, shown, strlen(shown));
    const char *slash = slash_between(path, part);
    answer_text(a, slash, strlen(slash));
    answer_text(a, part, strlen(part));
}

void answer_flush(struct answer *a)
{
    ras_json_flush(a->json);
    (void)!ras_sink_flush(a->sink, NULL); /* sticky: close reports it */
}

void answer_check_reader(const struct answer *a)
{
    if (!a->to_file)
        host_check_reader();
}

struct ras_json *answer_json(struct answer *a)
{
    if (!a->json && !a->nomem)
        a->nomem = ras_json_open(&a->json, a->sink, RAS_JSON_ASCII, NULL) < 0;
    if (a->array && !a->array_open)
        ras_json_array(a->json, NULL);
    a->array_open = a->array;
    return a->json;
}

void answer_item(struct answer *a)
{
    if (a->array)
        (void)ras_json_sink(answer_json(a), NULL);
}

/* ---- traces --------------------------------------------------------------------- */

bool arrives(const char *path)
{
    struct stat st;
    int status = strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st);
    return status == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static uint64_t transfers_end_ms;   /* of the monotonic clock; 0: no limit */
static atomic_bool transfers_ended; /* one that was not finished then */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void transfers_limit(uint64_t ms)
{
    transfers_end_ms = ms ? now_ms() + ms : 0;
    transfers_ended = false;
}

bool transfers_expired(void)
{
    return transfers_ended;
}

bool transfer_goes_on(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    if (transfers_end_ms && now_ms() >= transfers_end_ms)
        transfers_ended = true;
    return !interrupted() && !transfers_ended;
}

struct ras_trace *open_operand(const struct common *common, const char *path, bool live)
{
    struct ras_options options = {.format = common->input_format,
                                  .dialect = common->dialect,
                                  .live = live,
                                  .debug = debug_options(),
                                  .progress = transfer_goes_on};
    struct ras_trace *trace;
    struct ras_error err;
    if (strcmp(path, "-") != 0 && ras_rundir_exists(path))
        return open_in_run(common, path);
    int status = strcmp(path, "-") ? ras_open(&trace, path, &options, &err)
                                   : ras_open_fd(&trace, STDIN_FILENO, &options, &err);
    if (status < 0 && !interrupted())
        trouble_at(path, &err);
    return trace;
}

int worse(int a, int b)
{
    static const int rank[] = {[EXIT_YES] = 0, [EXIT_NO] = 1, [EXIT_LOSS] = 2, [EXIT_TROUBLE] = 3};
    return rank[b] > rank[a] ? b : a;
}

int each_operand(void *options, int (*one)(void *, const char *, struct answer *))
{
    const struct common *common = options;
    if (!common->operands.count)
        return trouble("missing trace: name a file, a directory, or - for standard input");
    struct answer answer;
    int worst = answer_open(&answer, common);
    if (worst)
        return worst;
    answer.array = common->json && common->operands.count > 1;
    for (size_t i = 0; i < common->operands.count; i++)
        worst = worse(worst, one(options, common->operands.items[i], &answer));
    if (answer.array) {
        ras_json_end(answer_json(&answer));
        ras_json_newline(answer.json);
    }
    return answer_close(&answer, worst);
}

/* ---- interrupts ------------------------------------------------------------------- */

static volatile sig_atomic_t interrupt;

static void on_interrupt(int signal)
{
    interrupt = signal;
}

void interrupts_watch(void)
{
    host_watch_interrupts(on_interrupt);
}

int interrupted(void)
{
    return interrupt;
}

void end_if_interrupted(void)
{
    int caught = interrupted();
    if (caught) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
}

void interrupts_forget(void)
{
    interrupt = 0;
}
