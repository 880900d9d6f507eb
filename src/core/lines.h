/* lines.h - a growing list of remarks, one line each. */
#ifndef CORE_LINES_H
#define CORE_LINES_H

#include "base/id_table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Append a line unless it is there already. `known` has the hashes of a list that may become
 * long, and is for the caller to free; NULL: the list stays short. False: memory is short. */
bool lines_add(char ***lines, size_t *count, size_t *room, struct id_table *known, const char *fmt,
               va_list args) __attribute__((format(printf, 5, 0)));
void lines_free(char **lines, size_t count);
#endif
