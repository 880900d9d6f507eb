/* choice.h - which functions are recorded, and how. */
#ifndef HOOKS_CHOICE_H
#define HOOKS_CHOICE_H

#include "hooks/hooks.h"

/* With hooks.lock held: the id of a function that was not known, with its flags; 0: memory
 * is short. */
uint64_t choice_of(struct loaded *, uintptr_t address);
/* Whether it is not to be recorded, without numbering it. */
bool choice_ignores(struct loaded *, uintptr_t address);
#endif
