/* cmd_mcp.c - a server for agents over standard input and output: one message a line.
 *
 * A thread reads lines, so that a message that cancels another is noticed while that is answered;
 * the main thread answers them in their order. */
#include "cli/bus_error.h"
#include "cli/command.h"
#include "cli/say.h"
#include "mcp/mcp.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct options {
    struct common common;
    struct list roots;
    bool tools, remote;
};

enum { WAITING_MOST = 64, CHUNK = 65536 };
#define MEMORY_MOST (UINT64_C(512) << 20)
#define KEEP_MIB    "1024" /* of a trace on a server, unless the user says otherwise */

/* A line that waits for its answer; `at` NULL: it was too long. */
struct line {
    char *at;
    size_t len;
};

struct lines {
    struct mcp *mcp;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct line waiting[WAITING_MOST];
    size_t first, count;
    bool ended;
};

/* ---- the reader ----------------------------------------------------------------------------- */

static void lines_add(struct lines *l, struct line line)
{
    pthread_mutex_lock(&l->mutex);
    while (l->count == WAITING_MOST)
        pthread_cond_wait(&l->changed, &l->mutex);
    l->waiting[(l->first + l->count++) % WAITING_MOST] = line;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
}

/* A whole line: it is queued, unless it cancels another one. */
static void lines_take(struct lines *l, const char *text, size_t len, bool too_long)
{
    if (len && text[len - 1] == '\r')
        len--;
    if (too_long) {
        lines_add(l, (struct line){0});
        return;
    }
    const struct ras_bytes message = {(const uint8_t *)text, len};
    if (!len || mcp_cancels(l->mcp, message))
        return;
    char *copy = malloc(len);
    if (copy)
        memcpy(copy, text, len);
    lines_add(l, (struct line){copy, len});
}

static void *lines_read(void *user)
{
    struct lines *l = user;
    char *text = malloc(MCP_MESSAGE_MOST), *chunk = malloc(CHUNK);
    size_t len = 0;
    bool too_long = false;
    ssize_t got = 1;
    while (text && chunk && got > 0) {
        got = read(STDIN_FILENO, chunk, CHUNK);
        if (got < 0 && errno == EINTR)
            got = 1;
        else
            for (ssize_t i = 0; i < got; i++) {
                if (chunk[i] == '\n') {
                    lines_take(l, text, len, too_long);
                    len = 0;
                    too_long = false;
                } else if (len < MCP_MESSAGE_MOST) {
                    text[len++] = chunk[i];
                } else {
                    too_long = true;
                }
            }
    }
    if (len)
        lines_take(l, text, len, too_long);
    free(text);
    free(chunk);
    pthread_mutex_lock(&l->mutex);
    l->ended = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

/* ---- the answers ---------------------------------------------------------------------------- */

/* The next line; false: there are no more. */
static bool lines_next(struct lines *l, struct line *line)
{
    pthread_mutex_lock(&l->mutex);
    while (!l->count && !l->ended)
        pthread_cond_wait(&l->changed, &l->mutex);
    bool some = l->count > 0;
    if (some) {
        *line = l->waiting[l->first];
        l->first = (l->first + 1) % WAITING_MOST;
        l->count--;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->mutex);
    return some;
}

static int lines_answer(struct lines *l)
{
    struct line line;
    while (lines_next(l, &line)) {
        struct ras_bytes answer =
            line.at ? mcp_answer(l->mcp, (struct ras_bytes){(uint8_t *)line.at, line.len})
                    : mcp_answer_too_long(l->mcp);
        free(line.at);
        if (!answer.len)
            continue;
        if (fwrite(answer.at, 1, answer.len, stdout) != answer.len || putchar('\n') == EOF ||
            fflush(stdout) != 0)
            return errno == EPIPE ? EXIT_YES : trouble("cannot write to standard output");
    }
    return EXIT_YES;
}

/* ---- help of verbs -------------------------------------------------------------------------- */

static bool put_help(const char *verb, struct ras_sink *sink)
{
    char line[400];
    struct ras_error err;
    size_t i = 0;
    while (commands[i] && strcmp(commands[i]->name, verb) != 0)
        i++;
    const struct command *c = commands[i];
    if (!c)
        return false;
    snprintf(line, sizeof line, "rastrum %s [OPTIONS] %s\n%s\n\n", c->name, c->operands, c->about);
    int status = ras_sink_write(sink, line, strlen(line), &err);
    if (status >= 0)
        status = ras_sink_write(sink, c->text, strlen(c->text), &err);
    for (const struct option_row *row = command_rows(c); status >= 0 && row->name; row++) {
        snprintf(line, sizeof line, "  --%s%s%s: %s\n", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "", row->about);
        status = ras_sink_write(sink, line, strlen(line), &err);
    }
    return status >= 0;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/* Memory that is allocated, not files that are mapped; a sanitizer needs more than it has. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > MEMORY_MOST) {
        limit.rlim_cur = MEMORY_MOST;
        (void)!setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}

static int mcp_list_tools(void)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (ras_sink_fd(&sink, STDOUT_FILENO, &err) < 0)
        return trouble("%s", err.text);
    int status = mcp_tools_page(sink, &err);
    if (status >= 0)
        return ras_sink_close(sink, &err) < 0 ? trouble("%s", err.text) : EXIT_YES;
    ras_sink_drop(sink);
    return trouble("%s", err.text);
}

static int mcp_run(void *options)
{
    static const char *const here[] = {"."};
    const struct options *o = options;
    const struct mcp_options how = {.roots = o->roots.count ? o->roots.items : here,
                                    .root_count = o->roots.count ? o->roots.count : 1,
                                    .remote = o->remote,
                                    .remote_hint = "start it with --allow-remote",
                                    .help = put_help};
    struct lines lines = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct ras_error err;
    pthread_t reader;
    if (o->tools)
        return mcp_list_tools();
    if (o->common.operands.count)
        return trouble("mcp takes no traces: clients name them, below --root DIR");
    survive_bus_errors();
    signal(SIGPIPE, SIG_IGN);
    limit_memory();
    setenv("RASTRUM_HTTP_KEEP", KEEP_MIB, 0);
    if (mcp_open(&lines.mcp, &how, &err) < 0)
        return trouble("%s", text_of(&err));
    if (pthread_create(&reader, NULL, lines_read, &lines) != 0)
        return trouble("cannot start a thread");
    int status = lines_answer(&lines);
    if (!lines.ended)
        _exit(status); /* the reader waits for a line that nobody answers */
    pthread_join(reader, NULL);
    mcp_close(lines.mcp);
    return status;
}

static const struct option_row rows[] = {
    {"root", 0, OPTION_NAMES, "DIR",
     "serve only traces below this directory (default: the current one)", NULL,
     offsetof(struct options, roots)},
    {"allow-remote", 0, OPTION_FLAG, NULL,
     "also read traces by URL: http, https, s3; from any server", NULL,
     offsetof(struct options, remote)},
    {"tools", 0, OPTION_FLAG, NULL, "print the tools and their arguments as Markdown, and exit",
     NULL, offsetof(struct options, tools)},
    {0},
};

const struct command cmd_mcp = {
    .name = "mcp",
    .operands = "",
    .about = "serve traces to agents over the Model Context Protocol",
    .text = "A server that an agent's client starts: it reads requests from standard input and\n"
            "writes answers to standard output, one JSON message a line, until its input ends.\n"
            "Its tools answer what info, stats, cat, tree, diff, bisect, sql, verify and replay\n"
            "do, within a budget of tokens. It reads traces below --root DIR only, by URL\n"
            "with --allow-remote, and writes nothing. docs/agents.md describes the tools and how\n"
            "clients are configured.\n",
    .examples = "rastrum mcp --root traces\nrastrum mcp --allow-remote\nrastrum mcp --tools\n",
    .exits = "0 its input ended; 2 error",
    .refuses = "json out output pager color colour exit-zero no-progress input-format dialect "
               "force quiet",
    .rows = rows,
    .size = sizeof(struct options),
    .run = mcp_run,
};
