/* condition_list.c - what a program may depend on beside its input: names, and what each means. */
#include "twice/condition_list.h"

#include <string.h>

uint32_t twice_set_of(const char *const *names, size_t count, const char **unknown)
{
    uint32_t set = 0;
    *unknown = NULL;
    for (size_t i = 0; i < count; i++) {
        unsigned k = 0;
        while (k < TWICE_CONDITIONS && strcmp(twice_condition_rows[k].name, names[i]))
            k++;
        if (k == TWICE_CONDITIONS && !*unknown)
            *unknown = names[i];
        set |= k < TWICE_CONDITIONS ? TWICE_BIT(k) : 0;
    }
    return set;
}

unsigned twice_set_size(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

uint32_t twice_set_chance(uint32_t set)
{
    uint32_t some = 0;
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        some |= twice_condition_rows[i].chance ? TWICE_BIT(i) : 0;
    return set & some;
}

const struct twice_condition_row twice_condition_rows[TWICE_CONDITIONS] = {
    [TWICE_ASLR] = {"aslr", TWICE_NEEDS_NOTHING, true, "addresses are random",
                    "addresses differ: look for an ordering or a hash by pointer, or an address "
                    "that is printed"},
    [TWICE_ENV_SIZE] = {"env-size", TWICE_NEEDS_NOTHING, true, "the environment is larger",
                        "the stack is elsewhere: look for the address of a local variable that is "
                        "hashed, compared or printed"},
    [TWICE_ENV] = {"env", TWICE_NEEDS_NOTHING, false,
                   "other values of PATH, HOME, USER, LOGNAME, SHELL, TERM",
                   "the environment differs: look for getenv()"},
    [TWICE_ARGV0] = {"argv0", TWICE_NEEDS_NOTHING, false, "another path in argv[0]",
                     "it is called by another name: look for argv[0] and "
                     "program_invocation_name"},
    [TWICE_CWD] = {"cwd", TWICE_NEEDS_NOTHING, false, "a copy of the working directory elsewhere",
                   "the working directory differs: look for getcwd() and paths made of it"},
    [TWICE_MALLOC] = {"malloc", TWICE_NEEDS_NOTHING, true,
                      "other bytes in blocks, which are elsewhere; no caches of small blocks",
                      "the heap differs: look for memory that is read before it is set, and for "
                      "an ordering or a hash by pointer"},
    [TWICE_STACK] = {"stack", TWICE_NEEDS_HOOKS, true, "other bytes below the stack pointer",
                     "what is left on the stack differs: look for a local variable that is read "
                     "before it is set"},
    [TWICE_LOCALE] = {"locale", TWICE_NEEDS_NOTHING, false, "a locale with a decimal comma",
                      "the locale differs: look for setlocale(), and numbers that are read or "
                      "printed after it"},
    [TWICE_TZ] = {"tz", TWICE_NEEDS_NOTHING, false, "a time zone of +5:45",
                  "the time zone differs: look for localtime(), mktime() and strftime()"},
    [TWICE_CLOCK] = {"clock", TWICE_NEEDS_PRELOAD, true, "another day and time",
                     "the time differs: look for time(), clock_gettime() and a seed made of them"},
    [TWICE_RANDOM] = {"random", TWICE_NEEDS_PRELOAD, true, "other random numbers of the system",
                      "random numbers of the system differ: look for getrandom(), /dev/urandom and "
                      "a seed made of them"},
    [TWICE_PID] = {"pid", TWICE_NEEDS_NOTHING, false, "another process id",
                   "the process id differs: look for getpid() and a seed or a name made of it"},
    [TWICE_CPUS] = {"cpus", TWICE_NEEDS_NOTHING, true, "all processors instead of one",
                    "it has several processors: look for their number, and for results that "
                    "depend on the order of threads"},
    [TWICE_THREADS] = {"threads", TWICE_NEEDS_PRELOAD, true, "threads start late, and yield",
                       "threads or processes are scheduled otherwise: look for a result that "
                       "depends on which of them comes first"},
    [TWICE_READDIR] = {"readdir", TWICE_NEEDS_PRELOAD, false, "directories in reverse order",
                       "directories are listed in another order: look for readdir() without a "
                       "sort"},
    [TWICE_FILES] = {"files", TWICE_NEEDS_PRELOAD, false,
                     "times of files a day later, and other numbers of them",
                     "times or numbers of files differ: look for stat(), st_mtime and st_ino"},
    [TWICE_FLOAT] = {"float", TWICE_NEEDS_PRELOAD, false, "subnormal numbers are 0",
                     "subnormal numbers are flushed to zero: look for results near 1e-38 or "
                     "1e-308"},
};
