/* cmd_view.c - show traces in a browser: a server on the loopback interface. */
#include "cli/bus_error.h"
#include "cli/host.h"
#include "cli/rundirs.h"
#include "cli/view_beside.h"
#include "view_http/assets.h"
#include "view_http/http.h"

#include <rastrum/gpu.h>
#include <rastrum/sql.h>
#include <rastrum/world.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    struct number port, idle;
    bool no_open, follow, ipv6;
    const char *memory, *html;
};

enum { WAITS = 100, WAIT_US = 50000 };

static void view_watch_signals(void)
{
    survive_bus_errors(); /* a view goes on */
    host_ignore_broken_pipes();
    interrupts_watch();
}

static bool view_ended(void)
{
    return interrupted();
}

/* ---- what is shown ------------------------------------------------------------------------- */

static int view_check_operands(const struct options *o)
{
    const struct common *c = &o->common;
    for (size_t i = 0; i < c->operands.count; i++)
        if (!strcmp(c->operands.items[i], "-"))
            return trouble("standard input cannot be shown: it is read more than once");
    if (c->operands.count == 2 && runs_among(c) < 0)
        return EXIT_TROUBLE;
    return 0;
}

/* What is being written may not be there yet, or be empty: it is waited for a while. */
static int view_add_one(const struct options *o, struct ras_view *view, const char *path,
                        const struct ras_options *how, struct ras_error *err)
{
    int status = ras_view_add(view, path, how, err);
    for (int i = 0; o->follow && status == RAS_EIO && err->os_errno == ENOENT && i < WAITS; i++) {
        if (interrupted())
            break;
        usleep(WAIT_US);
        status = ras_view_add(view, path, how, err);
    }
    return status;
}

/* One is shown, two are compared, more are offered. What cannot be opened is reported. */
static int view_add_operands(const struct options *o, struct ras_view *view)
{
    const struct list *operands = &o->common.operands;
    const struct ras_options how = {.format = o->common.input_format,
                                    .dialect = o->common.dialect,
                                    .live = o->follow,
                                    .debug = debug_options()};
    size_t added = 0;
    for (size_t i = 0; i < operands->count; i++) {
        struct ras_error err;
        int status = operands->count > 2 ? ras_view_offer(view, operands->items[i], &how, &err)
                                         : view_add_one(o, view, operands->items[i], &how, &err);
        if (status < 0)
            trouble_at(operands->items[i], &err);
        added += status >= 0;
    }
    if (operands->count == 1 && added)
        view_offer_beside(&o->common, view, &how);
    return operands->count && !added ? EXIT_TROUBLE : 0;
}

/* Only where somebody sees it. */
static void view_open_browser(const struct options *o, const char *url)
{
    if (!o->no_open && isatty(STDOUT_FILENO))
        host_open_browser(url);
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int view_serve(const struct options *o, struct ras_view *view)
{
    const struct http_options how = {.port = (uint16_t)o->port.value,
                                     .ipv6 = o->ipv6,
                                     .follow = o->follow,
                                     .idle_minutes = (unsigned)o->idle.value,
                                     .ended = view_ended};
    struct http *http;
    struct ras_error err;
    if (http_open(&http, view, &how, &err) < 0)
        return err.status == RAS_EUNSUPPORTED
                   ? trouble("%s; 'rastrum view --html FILE' writes a page that needs none",
                             err.text)
                   : trouble("%s", err.text);
    printf("%s\n", http_url(http));
    int status = fflush(stdout) == 0 ? 0 : trouble("cannot write to standard output");
    if (!status) {
        view_open_browser(o, http_url(http));
        remark(o->common.quiet || !isatty(STDERR_FILENO), "Ctrl-C ends it");
        status = http_run(http, &err) < 0 ? trouble("%s", err.text) : 0;
    }
    http_close(http);
    return status;
}

static int view_check_numbers(const struct options *o, uint64_t *memory)
{
    if (o->port.value > UINT16_MAX)
        return trouble("--port takes a number up to %d", UINT16_MAX);
    if (o->idle.given && (!o->idle.value || o->idle.value > 100000))
        return trouble("--idle takes minutes from 1 to 100000");
    return o->memory ? size_parse("--memory", o->memory, memory) : 0;
}

/* The viewer as one file. */
static int view_write_page(const struct options *o)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (o->common.operands.count)
        return trouble("--html writes the viewer alone: drop traces on its page");
    if (!html_page_size)
        return trouble("--html: this build has no page of its own: it was built without "
                       "clang-14, lld-14 or wasi-libc");
    int status = ras_sink_report(&sink, o->html, o->common.force, &err);
    if (status < 0)
        return trouble_at(o->html, &err);
    status = ras_sink_write(sink, html_page, html_page_size, &err);
    if (status < 0)
        ras_sink_drop(sink);
    else
        status = ras_sink_close(sink, &err);
    return status < 0 ? trouble_at(o->html, &err) : 0;
}

static int view_run(void *options)
{
    const struct options *o = options;
    struct ras_view_options how = {.struct_size = sizeof how,
                                   .gpu = ras_gpu(),
                                   .sql = ras_sql_queries(),
                                   .follow = o->follow,
                                   .worlds = ras_worlds()};
    struct ras_view *view;
    struct ras_error err;
    if (o->html)
        return view_write_page(o);
    int status = view_check_numbers(o, &how.memory_bytes);
    if (!status)
        status = view_check_operands(o);
    if (status)
        return status;
    view_watch_signals();
    if (ras_view_open(&view, &how, &err) < 0)
        return trouble("%s", text_of(&err));
    status = view_add_operands(o, view);
    if (!status)
        status = view_serve(o, view);
    ras_view_close(view);
    return status;
}

static const struct option_row rows[] = {
    {"port", 0, OPTION_NUMBER, "N", "listen on this port (default: a free one)", NULL,
     offsetof(struct options, port)},
    {"no-open", 0, OPTION_FLAG, NULL, "start no browser", NULL, offsetof(struct options, no_open)},
    {"follow", 0, OPTION_FLAG, NULL, "show what is added while traces are being written", NULL,
     offsetof(struct options, follow)},
    {"memory", 0, OPTION_TEXT, "SIZE", "memory for timelines (256M; default 64M)", NULL,
     offsetof(struct options, memory)},
    {"ipv6", 0, OPTION_FLAG, NULL, "listen on ::1, too", NULL, offsetof(struct options, ipv6)},
    {"idle", 0, OPTION_NUMBER, "MINUTES", "end after so long without a request", NULL,
     offsetof(struct options, idle)},
    {"html", 0, OPTION_TEXT, "FILE", "write the viewer as one page that reads dropped traces", NULL,
     offsetof(struct options, html)},
    {0},
};

const struct command cmd_view = {
    .name = "view",
    .operands = "[TRACE...]",
    .about = "show traces in a browser, compared if there are two",
    .text =
        "Starts a server on the loopback interface and prints the address of its page, which has\n"
        "a token that nobody else knows. One trace or run directory is shown, two are compared,\n"
        "more are listed to choose from. Nothing leaves the machine and nothing is written.\n"
        "Ctrl-C ends it.\n",
    .examples =
        "rastrum view run/\nrastrum view good/ bad/\nrastrum view --no-open --port 8080 a.cdt\n",
    .exits = "0 ended by a signal or after --idle; 2 error",
    .refuses = "json out output pager color colour exit-zero no-progress",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = view_run,
};
