/* recording_prepare.c - before a program is recorded: its hooks, whether it has any, and where. */
#include "cli/recording.h"
#include "cli/say.h"
#include <rastrum/symbols.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOOKS_NAME "librastrum-hooks.so"
#define HOOKS_DIR  RASTRUM_LIBDIR "/rastrum"

/* ---- the hooks --------------------------------------------------------------------------- */

static bool program_is_there(char *path, size_t room, const char *dir, const char *more)
{
    int len = snprintf(path, room, "%s/%s%s" HOOKS_NAME, dir, more, *more ? "/" : "");
    return len > 0 && (size_t)len < room && access(path, R_OK) == 0;
}

/* A module of its own folder, for no program is linked with it: beside the program, in the place
 * it has beside an installed one, or where it was to be installed. */
static int find_hooks(struct recording *r)
{
    char dir[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", dir, sizeof dir - 1);
    dir[len > 0 ? len : 0] = 0;
    char *slash = strrchr(dir, '/');
    if (slash)
        *slash = 0;
    if (program_is_there(r->library, sizeof r->library, dir, "") ||
        program_is_there(r->library, sizeof r->library, dir, "../" HOOKS_DIR) ||
        program_is_there(r->library, sizeof r->library, RASTRUM_PREFIX, HOOKS_DIR)) {
        if (!strpbrk(r->library, " :"))
            return 0;
        return trouble("%s: cannot be loaded: its path has a space or a colon", r->library);
    }
    return trouble(HOOKS_NAME " is neither in %s nor in %s/%s", dir, RASTRUM_PREFIX, HOOKS_DIR);
}

/* ---- the program ------------------------------------------------------------------------- */

/* Whether it runs; `*there`: it is at least there. */
static bool can_run(const char *path, bool *there)
{
    struct stat st;
    bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    *there |= is_file;
    return is_file && access(path, X_OK) == 0;
}

/* As execvp() finds it; `*there`: a file is called so, whether it runs or not. */
static bool find_program(const char *name, char *path, size_t room, bool *there)
{
    const char *at = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(path, room, "%s", name);
        return can_run(path, there);
    }
    for (at = at ? at : "/bin:/usr/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int len = (int)strcspn(at, ":");
        snprintf(path, room, "%.*s/%s", len ? len : 1, len ? at : ".", name);
        if (can_run(path, there))
            return true;
    }
    return false;
}

/* One line of what the dynamic linker tells of a library: "\tNAME => PATH (ADDRESS)". */
static unsigned hooks_of_line(char *line)
{
    struct ras_binary b;
    char *path = strchr(line, '/'), *end = path ? strrchr(path, '(') : NULL;
    if (!end || end <= path + 1)
        return 0;
    end[-1] = 0;
    return ras_binary_inspect(path, &b, NULL) == RAS_OK ? b.hooks : 0;
}

/* Those of all libraries that the program is linked with. The dynamic linker lists them
 * and does not run the program. */
static unsigned hooks_of_libraries(const char *program)
{
    int ends[2];
    unsigned hooks = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        dup2(ends[1], STDOUT_FILENO);
        int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(quiet, STDERR_FILENO);
        dup2(quiet, STDIN_FILENO);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    char line[PATH_MAX + 256];
    while (list && pid > 0 && fgets(line, sizeof line, list))
        hooks |= hooks_of_line(line);
    if (list)
        fclose(list);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return hooks;
}

static int refuse_unprepared(const char *name, unsigned hooks)
{
    if (hooks & RAS_HOOK_MCOUNT)
        return trouble(
            "%s: built with -pg only: add -mfentry; rastrum record --help says how to compile",
            name);
    return trouble("%s: not built to be recorded: compile it with -finstrument-functions, -pg "
                   "-mfentry or -fpatchable-function-entry=5, or add --children to record the "
                   "programs that it runs; rastrum record --help says more",
                   name);
}

static int check_program(const struct recording *r)
{
    const unsigned good = RAS_HOOK_CYG | RAS_HOOK_FENTRY | RAS_HOOK_PATCHABLE;
    const char *name = r->command[0];
    char path[PATH_MAX];
    struct ras_binary b;
    struct stat st;
    bool there = false;
    if (!find_program(name, path, sizeof path, &there))
        return there ? trouble("%s: permission denied: not an executable file (chmod +x?)", name)
                     : trouble("%s: no such program", name);
    if (r->children)
        return 0;
    if (ras_binary_inspect(path, &b, NULL) < 0)
        return trouble("%s: not an executable for this machine (a script?); --children records "
                       "the programs that it runs",
                       name);
    if (!b.is_dynamic)
        return trouble("%s: statically linked: hooks cannot be loaded into it", name);
    if (stat(path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID) && st.st_uid != getuid())
        return trouble("%s: runs as another user: hooks cannot be loaded into it", name);
    if (b.hooks & good)
        return 0;
    b.hooks |= hooks_of_libraries(path);
    return b.hooks & good ? 0 : refuse_unprepared(name, b.hooks);
}

/* ---- the directory ------------------------------------------------------------------------ */

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    unsigned entries = 0;
    if (!dir)
        return false;
    while (entries < 3 && readdir(dir))
        entries++;
    closedir(dir);
    return entries < 3; /* itself and the one above */
}

static int make_session(struct recording *r)
{
    char whole[PATH_MAX], stamp[32];
    struct tm t;
    time_t now = time(NULL);
    const char *dir = r->dir;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return trouble("%s: %s", dir, strerror(errno));
    if (!realpath(dir, whole))
        return trouble("%s: %s", dir, strerror(errno));
    for (unsigned tries = 0; tries < 3600; tries++, now++) {
        localtime_r(&now, &t);
        strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &t);
        int len = snprintf(r->session, sizeof r->session, "%s/session_%s", whole, stamp);
        if (len < 0 || (size_t)len >= sizeof r->session - 256)
            return trouble("%s: a path of %d bytes is too long for a session", dir, len);
        if (mkdir(r->session, 0777) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return trouble("%s: %s", r->session, strerror(errno));
}

int recording_prepare(struct recording *r)
{
    const char *out = r->common->out;
    struct ras_error err;
    if (out && strlen(out) >= sizeof r->dir)
        return trouble("a path of %zu bytes is too long for a session", strlen(out));
    snprintf(r->dir, sizeof r->dir, "%s", out ? out : "ada_traces");
    if (out && !strcmp(out, "-"))
        return trouble("a session is a directory: use -o DIR");
    if (r->append && r->common->force)
        return trouble("--append and --force cannot be combined");
    bool holds = access(r->dir, F_OK) == 0 && !is_empty(r->dir);
    if (out && holds && !r->common->force && !r->append)
        return trouble("%s exists; --force replaces it, --append adds a session to it", out);
    int status = find_hooks(r);
    if (!status)
        status = check_program(r);
    if (!status && holds && r->common->force && ras_folder_remove(r->dir, &err) < 0)
        status = trouble_with(&err);
    return status ? status : make_session(r);
}
