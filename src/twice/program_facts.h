/* program_facts.h - what the file of a program says about it. */
#ifndef TWICE_PROGRAM_FACTS_H
#define TWICE_PROGRAM_FACTS_H

#include <stdbool.h>

struct program_facts {
    bool has_names;       /* it was not stripped */
    bool has_signals;     /* it may be interrupted at any call */
    const char *unpinned; /* what it calls that cannot be pinned, in words; NULL: not known */
};

/* A file that cannot be read, or is not a program, has none. */
struct program_facts program_facts_of(const char *path);
#endif
