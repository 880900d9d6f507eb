/* host_windows.c - Windows: see host.h.
 *
 * Files have the access rights of their directory and pages of a map cannot be lost, so that
 * output_guard.h and bus_error.h have little to do. Arguments, paths and the environment are UTF-8:
 * the manifest of the program says so. */
#include "cli/host.h"
#include "cli/absent_verb.h"
#include "cli/bus_error.h"
#include "cli/output_guard.h"
#include "cli/say.h"
#include "cli/sql_verb.h"
#include "cli/world_choice.h"

#include <direct.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* ---- the process --------------------------------------------------------------------------- */

void host_begin(void)
{
    for (int fd = 0; fd <= 2; fd++)
        (void)_setmode(fd, _O_BINARY);
    (void)SetConsoleOutputCP(CP_UTF8);
}

int host_start_thread(pthread_t *thread, void *(*run)(void *), void *user)
{
    return pthread_create(thread, NULL, run, user);
}

void host_ignore_broken_pipes(void)
{
}

void host_watch_interrupts(void (*on_interrupt)(int))
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
}

void survive_bus_errors(void)
{
}

/* ---- the terminal ---------------------------------------------------------------------------- */

size_t host_columns(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info))
        return 0;
    return (size_t)(info.srWindow.Right - info.srWindow.Left + 1);
}

/* A process has one console. */
bool host_is_same_terminal(int a, int b)
{
    return _isatty(a) && _isatty(b);
}

int host_start_pager(void)
{
    return 0;
}

bool host_pager_ran(int pager)
{
    return pager >= 0;
}

void host_check_reader(void)
{
}

/* ---- names ------------------------------------------------------------------------------------
 */

int host_make_folder(const char *path)
{
    return _mkdir(path);
}

static char *full_path(const char *path)
{
    char *whole = _fullpath(NULL, path, 0);
    for (char *p = whole; p && *p; p++)
        *p = *p == '\\' ? '/' : *p;
    return whole;
}

char *host_real_path(const char *path)
{
    return _access(path, 0) == 0 ? full_path(path) : NULL;
}

void host_open_browser(const char *url)
{
    (void)url;
}

/* ---- the output -------------------------------------------------------------------------------
 */

/* Whether `path` is `folder`, or is below it; names differ in more than case. */
static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return !_strnicmp(path, folder, len) && (!path[len] || path[len] == '/');
}

static int check_input(const char *out, const char *out_path, const char *in)
{
    char *in_path = full_path(in);
    int status = 0;
    if (in_path && !_stricmp(in_path, out_path))
        status = trouble("%s is the input: choose another output", out);
    else if (in_path && is_within(out_path, in_path))
        status = trouble("%s is inside the input %s: choose an output outside of it", out, in);
    else if (in_path && is_within(in_path, out_path))
        status = trouble("%s contains the input %s: choose another output", out, in);
    free(in_path);
    return status;
}

int guard_output(const struct common *common)
{
    const char *out = common->out;
    char *out_path = out && strcmp(out, "-") != 0 ? full_path(out) : NULL;
    int status = 0;
    for (size_t i = 0; out_path && !status && i < common->operands.count; i++)
        if (strcmp(common->operands.items[i], "-") != 0)
            status = check_input(out, out_path, common->operands.items[i]);
    free(out_path);
    return status;
}

void guard_private(const struct common *common)
{
    (void)common;
}

void leftovers_watch(const struct common *common)
{
    (void)common;
}

/* ---- what only Linux has -----------------------------------------------------------------------
 */

static int needs_linux(void *options)
{
    (void)options;
    return trouble("this verb is not in the program for Windows: it needs Linux");
}

int sql_each(const struct sql_options *o, const char *query)
{
    (void)o, (void)query;
    return trouble("--each is not in the program for Windows: it needs Linux");
}

int record_state(const struct common *common, const struct state_options *options)
{
    (void)common, (void)options;
    return trouble("recording is not in the program for Windows: it needs Linux");
}

static int no_recorder(const char *dir, struct ras_error *err)
{
    (void)dir;
    snprintf(err->text, sizeof err->text,
             "calls are recorded on Linux only: choose other lines with --lines");
    err->os_errno = 0;
    return err->status = RAS_EUNSUPPORTED;
}

const struct ras_run_calls run_calls = {.start = no_recorder};

#define ONLY_LINUX(word, title)                                                                    \
    ABSENT_VERB(word, title, "not on Windows",                                                     \
                "The program for Windows does not have this verb: it needs Linux.", needs_linux)

const struct command cmd_record = ONLY_LINUX("record", "record a program's calls and events");
const struct command cmd_reduce = ONLY_LINUX("reduce", "find the smallest trace that fails a test");
const struct command cmd_twice = ONLY_LINUX("twice", "find out why a program differs from itself");
const struct command cmd_mcp = ONLY_LINUX("mcp", "serve traces to agents");
