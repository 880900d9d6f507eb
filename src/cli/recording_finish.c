/* recording_finish.c - after a program was recorded: seal what it left open, name its functions.
 *
 * The hooks write down every function before its first event, so that this works for a
 * program that was killed as well. */
#include "cli/recording.h"
#include "cli/say.h"
#include <rastrum/atf.h>
#include <rastrum/symbols.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 4400 };

/* ---- functions.map ------------------------------------------------------------------------ */

struct names {
    struct ras_atf_module *modules;
    size_t module_count, module_room;
    struct ras_atf_symbol *symbols;
    uint64_t *addresses; /* of the symbols */
    size_t symbol_count, symbol_room, address_room;
};

static void names_free(struct names *n)
{
    for (size_t i = 0; i < n->module_count; i++) {
        free((void *)(uintptr_t)n->modules[i].path);
        free((void *)(uintptr_t)n->modules[i].uuid);
    }
    for (size_t i = 0; i < n->symbol_count; i++)
        free((void *)(uintptr_t)n->symbols[i].name);
    free(n->modules);
    free(n->symbols);
    free(n->addresses);
}

static bool grow(void *items, size_t *room, size_t count, size_t size)
{
    void *old, *bigger;
    if (count < *room)
        return true;
    memcpy(&old, items, sizeof old);
    size_t more = *room ? 2 * *room : 64;
    bigger = realloc(old, more * size);
    if (!bigger)
        return false;
    memcpy(items, &bigger, sizeof bigger);
    *room = more;
    return true;
}

/* "module ID BASE SIZE BUILD-ID PATH" */
static bool take_module(struct names *n, const char *line)
{
    struct ras_atf_module m = {.has_address = true, .has_size = true};
    char id[80];
    int at = 0;
    if (sscanf(line, "module %" SCNu32 " 0x%" SCNx64 " %" SCNu64 " %79s %n", &m.module_id,
               &m.base_address, &m.size, id, &at) != 4 ||
        !at || !grow(&n->modules, &n->module_room, n->module_count, sizeof m))
        return false;
    m.path = strdup(line + at);
    m.uuid = strdup(strcmp(id, "-") ? id : "");
    n->modules[n->module_count++] = m;
    return m.path && m.uuid;
}

/* "function ID ADDRESS" */
static bool take_function(struct names *n, const char *line)
{
    struct ras_atf_symbol s = {0};
    uint64_t address;
    if (sscanf(line, "function 0x%" SCNx64 " 0x%" SCNx64, &s.function_id, &address) != 2 ||
        !grow(&n->symbols, &n->symbol_room, n->symbol_count, sizeof s) ||
        !grow(&n->addresses, &n->address_room, n->symbol_count, sizeof address))
        return false;
    s.module_id = (uint32_t)(s.function_id >> 32);
    s.symbol_index = (uint32_t)s.function_id;
    n->addresses[n->symbol_count] = address;
    n->symbols[n->symbol_count++] = s;
    return true;
}

/* A line that was cut by a kill is none. */
static bool read_map(struct names *n, FILE *map)
{
    char line[PATH_ROOM];
    bool good = true;
    while (good && fgets(line, sizeof line, map)) {
        size_t len = strlen(line);
        if (!len || line[len - 1] != '\n')
            break;
        line[len - 1] = 0;
        good = line[0] == 'm' ? take_module(n, line) : take_function(n, line);
    }
    return good;
}

static const struct ras_atf_module *module_of(const struct names *n, uint32_t id)
{
    for (size_t i = 0; i < n->module_count; i++)
        if (n->modules[i].module_id == id)
            return &n->modules[i];
    return NULL;
}

/* By debug information; else as the hooks have called it; else by its address. */
static bool name_all(struct names *n, struct ras_symbols *symbols,
                     const struct ras_atf_session *session)
{
    for (size_t i = 0; i < n->symbol_count; i++) {
        struct ras_atf_symbol *s = &n->symbols[i];
        const struct ras_atf_module *m = module_of(n, s->module_id);
        const struct ras_atf_symbol *told = ras_atf_symbol_of(session, 0, s->function_id);
        const char *name = m ? ras_symbols_find(symbols, m->path, m->uuid, n->addresses[i]) : NULL;
        char address[32];
        snprintf(address, sizeof address, "0x%" PRIx64, n->addresses[i]);
        if (!name && told)
            name = ras_symbols_demangle(symbols, told->name);
        s->name = strdup(name ? name : address);
        if (!s->name)
            return false;
        s->name_len = (uint32_t)strlen(s->name);
    }
    return true;
}

static int name_process(const char *dir, const struct ras_trace *trace, struct ras_symbols *symbols)
{
    char path[PATH_ROOM + 32];
    struct names names = {0};
    struct ras_error err;
    snprintf(path, sizeof path, "%s/functions.map", dir);
    FILE *map = fopen(path, "re");
    if (!map)
        return errno == ENOENT ? 0 : trouble("%s: %s", path, strerror(errno));
    struct ras_atf_session *session = ras_atf_session((struct ras_trace *)(uintptr_t)trace);
    bool good = read_map(&names, map) && name_all(&names, symbols, session);
    fclose(map);
    int status = good ? 0 : trouble("%s: out of memory, or not what the hooks write", path);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    if (!status && ras_atf_manifest_name(path, names.modules, names.module_count, names.symbols,
                                         names.symbol_count, &err) < 0)
        status = trouble_at(path, &err);
    snprintf(path, sizeof path, "%s/functions.map", dir);
    if (!status)
        unlink(path); /* the manifest tells all of it now */
    names_free(&names);
    return status;
}

/* ---- a process ------------------------------------------------------------------------------ */

/* A thread that was is told by its footer, and all of them by a manifest. */
static bool is_sealed(struct ras_trace *trace)
{
    struct ras_atf_session *session = ras_atf_session(trace);
    struct ras_atf_thread t;
    bool sealed = ras_atf_manifest(session, 0)->present;
    for (size_t i = 0; sealed && i < ras_atf_thread_count(session); i++)
        sealed = ras_atf_thread_at(session, i, &t, NULL) == RAS_OK && t.has_index &&
                 t.index.footer_at != RAS_NONE && t.index.header.event_count == t.index.count;
    return sealed;
}

/* Close what a process that was killed has left open. The plan that would take it back is
 * of no use: nothing was there before. */
static int seal(struct recording *r, const char *dir, struct ras_trace **trace)
{
    char backup[PATH_ROOM + 32];
    struct ras_error err;
    struct ras_repair *repair;
    snprintf(backup, sizeof backup, "%s.undo.json", dir);
    const struct ras_repair_options how = {.in_place = dir, .backup = backup};
    int status = ras_repair(&repair, *trace, &how, &err);
    if (status < 0)
        return trouble_at(dir, &err);
    if (repair->plan.patch_count)
        r->mended++;
    ras_repair_free(repair);
    unlink(backup);
    ras_close(*trace);
    return ras_open(trace, dir, NULL, &err) < 0 ? trouble_at(dir, &err) : 0;
}

static void count(struct recording *r, struct ras_trace *trace)
{
    struct ras_atf_session *session = ras_atf_session(trace);
    struct ras_atf_thread thread;
    r->processes++;
    for (size_t i = 0; i < ras_atf_thread_count(session); i++)
        if (ras_atf_thread_at(session, i, &thread, NULL) == RAS_OK && thread.has_index) {
            r->threads++;
            r->events += thread.index.count;
        }
    const struct ras_atf_manifest *m = ras_atf_manifest(session, 0);
    for (size_t i = 0; i < m->drop_count; i++)
        r->dropped += m->drops[i].events;
    r->killed += m->unfinished;
    r->lacks_ns = m->window_lacks_ns > r->lacks_ns ? m->window_lacks_ns : r->lacks_ns;
}

/* A thread has a directory as soon as it has an event. */
static bool had_threads(const char *path)
{
    DIR *dir = opendir(path);
    bool found = false;
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));)
        found = !strncmp(entry->d_name, "thread_", 7);
    if (dir)
        closedir(dir);
    return found;
}

/* Nothing of a process can be read although it had events: of a full disk that is why. */
static void note_unread(struct recording *r, const char *dir, const struct ras_error *err)
{
    struct statvfs disk;
    if (r->unread++)
        return;
    if (statvfs(dir, &disk) == 0 && disk.f_blocks && !disk.f_bavail)
        snprintf(r->why, sizeof r->why, "the disk is full");
    else
        snprintf(r->why, sizeof r->why, "%s", err->text);
}

/* What the trace says of a signal, now that its functions have names. */
static void note_end(struct recording *r, const char *dir)
{
    struct ras_trace *trace;
    size_t count = 0;
    if (*r->ended_by || ras_open(&trace, dir, NULL, NULL) < 0)
        return;
    const struct ras_fact *facts = ras_facts(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, "ended_by"))
            snprintf(r->ended_by, sizeof r->ended_by, "%.*s", (int)facts[i].value.count,
                     (const char *)facts[i].value.at);
    ras_close(trace);
}

/* The signal as it is called: what a kill leaves cannot say it itself. */
static void name_signal(struct ras_atf_exit *how)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
                 {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGXCPU, "SIGXCPU"},
                 {SIGXFSZ, "SIGXFSZ"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uint32_t)names[i].number == how->signal)
            snprintf(how->name, sizeof how->name, "%s", names[i].name);
}

/* We have waited for the program itself: how it ended is known here alone. */
static int note_exit(const struct recording *r, const char *dir)
{
    char path[PATH_ROOM + 32], own[32];
    struct ras_error err;
    snprintf(own, sizeof own, "/pid_%d", r->pid);
    size_t len = strlen(dir), tail = strlen(own);
    if (len < tail || strcmp(dir + len - tail, own) != 0)
        return 0;
    struct ras_atf_exit how = {.known = true};
    if (WIFSIGNALED(r->ended))
        how.signal = (uint32_t)WTERMSIG(r->ended);
    else
        how.status = (uint32_t)WEXITSTATUS(r->ended);
    name_signal(&how);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    return ras_atf_manifest_exit(path, &how, &err) < 0 ? trouble_at(path, &err) : 0;
}

static int finish_process(struct recording *r, const char *dir, struct ras_symbols *symbols)
{
    struct ras_error err;
    struct ras_trace *trace;
    if (ras_open(&trace, dir, NULL, &err) < 0) {
        if (had_threads(dir))
            note_unread(r, dir, &err);
        return 0; /* else it ended before its first event */
    }
    int status = is_sealed(trace) ? 0 : seal(r, dir, &trace);
    if (!trace)
        return status;
    if (!status)
        status = name_process(dir, trace, symbols);
    if (!status)
        status = note_exit(r, dir);
    count(r, trace);
    const struct ras_atf_manifest *m = ras_atf_manifest(ras_atf_session(trace), 0);
    bool ended = m->crash.signal || m->killed || WIFSIGNALED(r->ended);
    ras_close(trace);
    if (ended)
        note_end(r, dir);
    return status;
}

/* A process that PROGRAM has left behind goes on recording: its files are its own. */
static bool is_running(const char *name)
{
    pid_t pid = (pid_t)strtol(name + 4, NULL, 10);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

int recording_finish(struct recording *r)
{
    struct ras_symbols *symbols;
    struct ras_error err;
    char path[PATH_ROOM];
    DIR *dir = opendir(r->session);
    if (!dir)
        return trouble("%s: %s", r->session, strerror(errno));
    int status = ras_symbols_open(&symbols, &err) < 0 ? trouble_with(&err) : 0;
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "pid_", 4))
            continue;
        snprintf(path, sizeof path, "%s/%s", r->session, entry->d_name);
        if (is_running(entry->d_name)) {
            remark(r->common->quiet, "%s: still running; it closes its files itself", path);
            continue;
        }
        status = worse(status, finish_process(r, path, symbols));
    }
    closedir(dir);
    ras_symbols_close(symbols);
    return status;
}
