/* record_unmodified.c - programs that were not built to be recorded: which of their modules are
 * patched, and the plans that say how. */
#include "cli/record_program.h"
#include "cli/say.h"
#include "patching/planner.h"
#include <rastrum/symbols.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAN_PATH = PATH_MAX + 256 };

/* A module that was requested. */
struct module {
    char *path;
    struct plan *plan; /* NULL: */
    char why[240];     /* why not */
};

struct unmodified {
    struct module *modules;
    size_t count, room;
    bool nomem;
    bool running; /* hooks that were compiled in are bound to nothing already */
};

/* Patching these would change the recorder, or what it is made with: the C library, the dynamic
 * linker, unwinders, sanitizers. */
static const char *const never[] = {
    "ld-linux*",    "ld-[0-9]*",     "libc.so*",    "libc-[0-9]*", "libpthread[.-]*", "libdl[.-]*",
    "librastrum-*", "libgcc_s[.-]*", "lib?san.so*", "libunwind*",  "linux-vdso*",
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_never_patched(const char *path)
{
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (!fnmatch(never[i], file_name(path), 0))
            return true;
    return false;
}

/* ---- plans ---------------------------------------------------------------------------------- */

static void plan_module(const struct unmodified *u, struct module *m)
{
    struct ras_binary b;
    struct ras_error err = {0};
    if (is_never_patched(m->path)) {
        snprintf(m->why, sizeof m->why, "the recorder depends on it");
    } else if (ras_binary_inspect(m->path, &b, &err) < 0) {
        snprintf(m->why, sizeof m->why, "%s", text_of(&err));
    } else if (b.hooks & HOOKS_KNOWN && !u->running) {
        snprintf(m->why, sizeof m->why, "it was built to be recorded");
    } else if (plan_open_file(&m->plan, m->path, &err) < 0) {
        snprintf(m->why, sizeof m->why, "%s", text_of(&err));
    }
}

static void add_module(struct unmodified *u, const char *path)
{
    for (size_t i = 0; i < u->count; i++)
        if (!strcmp(u->modules[i].path, path))
            return;
    if (u->count == u->room) {
        size_t room = 2 * u->room + 8;
        struct module *more = realloc(u->modules, room * sizeof *more);
        u->nomem |= !more;
        if (!more)
            return;
        u->modules = more;
        u->room = room;
    }
    char *copy = strdup(path);
    u->nomem |= !copy;
    if (!copy)
        return;
    u->modules[u->count] = (struct module){.path = copy};
    plan_module(u, &u->modules[u->count++]);
}

/* ---- which modules -------------------------------------------------------------------------- */

struct selection {
    struct unmodified *into;
    const char *pattern;
    bool found;
};

static void select_module(const char *path, void *user)
{
    struct selection *s = user;
    if (fnmatch(s->pattern, file_name(path), 0) && fnmatch(s->pattern, path, 0))
        return;
    s->found = true;
    add_module(s->into, path);
}

/* Files that the program may load later. */
static void select_files(struct selection *s)
{
    glob_t found;
    if (!strchr(s->pattern, '/') || glob(s->pattern, GLOB_MARK, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char whole[PATH_MAX];
        bool folder = found.gl_pathv[i][strlen(found.gl_pathv[i]) - 1] == '/'; /* GLOB_MARK */
        if (!folder && realpath(found.gl_pathv[i], whole)) {
            s->found = true;
            add_module(s->into, whole);
        }
    }
    globfree(&found);
}

/* What a process has loaded, also by dlopen(). */
static void select_loaded(pid_t pid, struct selection *s)
{
    char maps[64], *line = NULL;
    size_t room = 0;
    snprintf(maps, sizeof maps, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(maps, "re");
    while (file && getline(&line, &room, file) > 0) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = 0;
        const char *rights = strchr(line, ' ');
        if (path && rights && rights[3] == 'x')
            select_module(path, s);
    }
    free(line);
    if (file)
        fclose(file);
}

static int select_matching(struct program *r, const char *program, const char *pattern)
{
    struct selection s = {.into = r->plans, .pattern = pattern};
    select_module(program, &s);
    if (r->attached)
        select_loaded(r->attached, &s);
    else
        program_libraries(r->path, select_module, &s);
    select_files(&s);
    return s.found ? 0
                   : trouble("--unmodified: neither %s nor a library that it is linked with, nor a "
                             "file, matches %s",
                             r->command[0], pattern);
}

static int select_all(struct program *r)
{
    char program[PATH_MAX];
    if (!realpath(r->path, program))
        return trouble("%s: %s", r->path, strerror(errno));
    if (!*r->unmodified) {
        add_module(r->plans, program);
        return 0;
    }
    char *patterns = strdup(r->unmodified), *rest = patterns, *pattern;
    int status = patterns ? 0 : trouble("out of memory");
    while (!status && (pattern = strsep(&rest, ",")))
        status = *pattern ? select_matching(r, program, pattern) : 0;
    free(patterns);
    return status;
}

static size_t patched_count(const struct unmodified *u)
{
    size_t count = 0;
    for (size_t i = 0; i < u->count; i++)
        count += u->modules[i].plan ? u->modules[i].plan->by_reason[PLAN_PATCHED] : 0;
    return count;
}

static int unmodified_select(struct program *r)
{
    r->plans = calloc(1, sizeof *r->plans);
    if (!r->plans)
        return trouble("out of memory");
    r->plans->running = r->attached;
    int status = select_all(r);
    return !status && r->plans->nomem ? trouble("out of memory") : status;
}

int unmodified_plan(struct program *r)
{
    int status = unmodified_select(r);
    const struct unmodified *u = r->plans;
    if (status || patched_count(u))
        return status;
    const struct module *m = u->count ? &u->modules[0] : NULL;
    return trouble("%s: no function of it can be patched: %s", m ? m->path : r->command[0],
                   m && *m->why ? m->why : "rastrum record --explain says why");
}

bool unmodified_try(struct program *r)
{
    return !unmodified_select(r) && patched_count(r->plans);
}

/* ---- the session ---------------------------------------------------------------------------- */

static bool write_plan(const char *path, const struct plan *plan)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    size_t done = 0;
    while (fd >= 0 && done < plan->image_size) {
        ssize_t n = write(fd, plan->image + done, plan->image_size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return fd >= 0 && close(fd) == 0 && done == plan->image_size;
}

/* plans, plans/NAME or plans/NAME/FILE in the session. */
static const char *plan_path(char path[PLAN_PATH], const struct program *r, const char *name,
                             const char *file)
{
    snprintf(path, PLAN_PATH, "%s/plans%s%s%s%s", r->session, *name ? "/" : "", name,
             *file ? "/" : "", file);
    return path;
}

static void say_counts(const struct program *r, const struct module *m)
{
    const struct plan *p = m->plan;
    if (!p) {
        remark(r->common->quiet, "%s: not patched: %s", file_name(m->path), m->why);
        return;
    }
    size_t patched = p->by_reason[PLAN_PATCHED], count = p->count - p->by_reason[PLAN_PART];
    remark(r->common->quiet, "%s: %zu of %s patched%s", file_name(m->path), patched,
           ras_counted(count, "function").text,
           patched < count ? "; --explain says why not the others" : "");
}

int unmodified_write(struct program *r)
{
    char path[PLAN_PATH];
    struct unmodified *u = r->plans;
    if (mkdir(plan_path(path, r, "", ""), 0777) < 0)
        return trouble("%s: %s", path, strerror(errno));
    for (size_t i = 0; i < u->count; i++) {
        const struct module *m = &u->modules[i];
        say_counts(r, m);
        if (!m->plan || !m->plan->by_reason[PLAN_PATCHED])
            continue;
        if (mkdir(plan_path(path, r, m->plan->name, ""), 0777) < 0 && errno == EEXIST)
            continue; /* a copy of the same file */
        if (!write_plan(plan_path(path, r, m->plan->name, PLAN_FILE), m->plan))
            return trouble("%s: %s", path, strerror(errno));
    }
    return 0;
}

/* What the program has loaded while it ran, and hooks have found no plan for. */
static void say_unplanned(const struct program *r)
{
    char path[PLAN_PATH], line[PATH_MAX], first[PATH_MAX] = "";
    size_t count = 0;
    FILE *list = fopen(plan_path(path, r, PLAN_UNPLANNED, ""), "re");
    if (!list)
        return;
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        if (is_never_patched(line))
            continue;
        if (!count++)
            snprintf(first, sizeof first, "%s", line);
    }
    fclose(list);
    unlink(path);
    if (count)
        remark(r->common->quiet,
               "loaded while the program ran, and not patched: %s, such as %s "
               "(--unmodified=PATH patches it)",
               ras_counted(count, "module").text, first);
}

void unmodified_remove(struct program *r)
{
    char path[PLAN_PATH];
    const struct unmodified *u = r->plans;
    say_unplanned(r);
    for (size_t i = 0; i < u->count; i++)
        if (u->modules[i].plan) {
            unlink(plan_path(path, r, u->modules[i].plan->name, PLAN_FILE));
            rmdir(plan_path(path, r, u->modules[i].plan->name, ""));
        }
    rmdir(plan_path(path, r, "", ""));
}

void unmodified_close(struct program *r)
{
    struct unmodified *u = r->plans;
    if (u && *r->session)
        unmodified_remove(r);
    for (size_t i = 0; u && i < u->count; i++) {
        struct module *m = &u->modules[i];
        plan_close(m->plan);
        free(m->path);
    }
    if (u)
        free(u->modules);
    free(u);
    r->plans = NULL;
}

/* ---- what is patched ------------------------------------------------------------------------ */

static const char *shown_name(const struct plan_function *f)
{
    return f->name && *f->name ? f->name : "-";
}

static void explain_module(struct answer *a, const struct module *m, bool with_functions)
{
    const struct plan *p = m->plan;
    answer_name(a, m->path);
    if (!p) {
        answer_format(a, ": not patched: %s\n", m->why);
        return;
    }
    answer_format(a, ": %zu of %s patched\n", p->by_reason[PLAN_PATCHED],
                  ras_counted(p->count - p->by_reason[PLAN_PART], "function").text);
    for (unsigned i = PLAN_PATCHED + 1; i < PLAN_REASONS; i++)
        if (p->by_reason[i])
            answer_format(a, "%8zu  %s%s\n", p->by_reason[i], plan_reason_text((enum plan_reason)i),
                          i == PLAN_PART ? " (not counted)" : "");
    for (size_t i = 0; with_functions && i < p->count; i++) {
        const struct plan_function *f = &p->functions[i];
        answer_format(a, "0x%08" PRIx64 " %-9s ", f->address, plan_reason_word(f->reason));
        answer_name(a, shown_name(f));
        answer_format(a, "\n");
    }
}

static void explain_functions(struct ras_json *j, const struct plan *p)
{
    ras_json_array(j, "list");
    for (size_t i = 0; i < p->count; i++) {
        char address[24];
        snprintf(address, sizeof address, "0x%" PRIx64, p->functions[i].address);
        ras_json_object(j, NULL);
        ras_json_text(j, "address", address);
        ras_json_text(j, "name",
                      *shown_name(&p->functions[i]) == '-' ? NULL : p->functions[i].name);
        ras_json_text(j, "reason", plan_reason_word(p->functions[i].reason));
        ras_json_end(j);
    }
    ras_json_end(j);
}

static void explain_json(struct ras_json *j, const struct module *m, bool with_functions)
{
    const struct plan *p = m->plan;
    ras_json_object(j, NULL);
    ras_json_text(j, "path", m->path);
    ras_json_text(j, "why", p ? NULL : m->why);
    ras_json_uint(j, "functions", p ? p->count - p->by_reason[PLAN_PART] : 0);
    ras_json_uint(j, "instructions", p ? p->instruction_count : 0);
    ras_json_object(j, "reasons");
    for (unsigned i = 0; p && i < PLAN_REASONS; i++)
        ras_json_uint(j, plan_reason_word((enum plan_reason)i), p->by_reason[i]);
    ras_json_end(j);
    if (p && with_functions)
        explain_functions(j, p);
    ras_json_end(j);
}

static int explain_all(struct program *r, bool with_functions)
{
    struct answer a;
    const struct unmodified *u = r->plans;
    int status = answer_open(&a, r->common);
    if (status)
        return status;
    struct ras_json *j = r->common->json ? answer_json(&a) : NULL;
    if (j)
        ras_json_array(j, NULL);
    for (size_t i = 0; i < u->count; i++)
        if (j)
            explain_json(j, &u->modules[i], with_functions);
        else
            explain_module(&a, &u->modules[i], with_functions);
    if (j) {
        ras_json_end(j);
        ras_json_newline(j);
    }
    return answer_close(&a, 0);
}

int unmodified_explain(struct program *r, bool with_functions)
{
    int status = program_check(r);
    if (!status)
        status = unmodified_select(r);
    if (!status)
        status = explain_all(r, with_functions);
    unmodified_close(r);
    return status;
}
