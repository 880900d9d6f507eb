/* choice.h - which functions are recorded, and how. */
#ifndef HOOKS_CHOICE_H
#define HOOKS_CHOICE_H

#include "hooks/hooks.h"

enum choice {
    CHOICE_FILTER,  /* only these */
    CHOICE_EXCLUDE, /* not these */
    CHOICE_DETAIL,  /* with registers and stack */
    CHOICE_TRIGGER, /* a flight recorder stores a window */
    CHOICES,
};

/* A pattern is a glob on the whole name or /a regular expression/ on any part of it; then
 * @ and a glob on the module, its path or its name. False: it is no pattern, and is told. */
bool choice_add(enum choice, char *pattern);
/* With hooks.lock held: the id of a function that was not known, with its flags; 0: memory
 * is short. */
uint64_t choice_of(struct loaded *, uintptr_t address);
/* Whether it is not to be recorded, without numbering it. */
bool choice_ignores(struct loaded *, uintptr_t address);

/* plain_name.c: of a mangled name, ns::class::name; false: it is none. */
bool plain_name(const char *mangled, char *to, size_t room);
#endif
