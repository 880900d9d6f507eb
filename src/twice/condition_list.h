/* condition_list.h - what a program may depend on beside its input: names, and what each means. */
#ifndef TWICE_CONDITION_LIST_H
#define TWICE_CONDITION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum twice_condition {
    TWICE_ASLR,
    TWICE_ENV_SIZE,
    TWICE_ENV,
    TWICE_ARGV0,
    TWICE_CWD,
    TWICE_MALLOC,
    TWICE_STACK,
    TWICE_LOCALE,
    TWICE_TZ,
    TWICE_CLOCK,
    TWICE_RANDOM,
    TWICE_PID,
    TWICE_CPUS,
    TWICE_THREADS,
    TWICE_READDIR,
    TWICE_FILES,
    TWICE_FLOAT,
    TWICE_CONDITIONS,
};
#define TWICE_BIT(condition) (UINT32_C(1) << (condition))
#define TWICE_ALL            (TWICE_BIT(TWICE_CONDITIONS) - 1)

/* What must be loaded into the program to change it. */
enum twice_needs { TWICE_NEEDS_NOTHING, TWICE_NEEDS_PRELOAD, TWICE_NEEDS_HOOKS };

struct twice_condition_row {
    const char *name;
    enum twice_needs needs;
    bool chance; /* changed, it need not show in every run */
    const char *about;
    const char *advice; /* after "differs only when ": where to look */
};
extern const struct twice_condition_row twice_condition_rows[TWICE_CONDITIONS];

/* The set of the names in a list; an unknown one is stored in *unknown. */
uint32_t twice_set_of(const char *const *names, size_t count, const char **unknown);
/* How many conditions are in a set. */
unsigned twice_set_size(uint32_t set);
/* Those of a set that need not show in every run. */
uint32_t twice_set_chance(uint32_t set);
#endif
