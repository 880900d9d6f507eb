/* choices.h - options that some formats have: rows of a driver, and what a caller chose of them. */
#ifndef CORE_CHOICES_H
#define CORE_CHOICES_H

#include "core/format.h"

/* Whether an option was chosen; its value, 0 where it was not. */
bool choice_made(const struct ras_choice *, size_t count, const char *name);
uint64_t choice_value(const struct ras_choice *, size_t count, const char *name);
/* Whether a verb takes these choices for a format. RAS_EUNSUPPORTED: one is refused;
 * RAS_EUSAGE: no format has one of that name for the verb. */
int choices_check(const struct ras_format *, const char *verb, const struct ras_choice *,
                  size_t count, struct ras_error *);
/* A copy of those that the format has, whose names are the rows' own. NULL: memory is short. */
struct ras_choice *choices_copy(const struct ras_format *, const struct ras_choice *,
                                size_t *count);
#endif
