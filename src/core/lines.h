/* lines.h - a growing list of remarks, one line each. */
#ifndef CORE_LINES_H
#define CORE_LINES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Append a line unless it is there already. False: memory is short. */
bool lines_add(char ***lines, size_t *count, size_t *room, const char *fmt, va_list args)
    __attribute__((format(printf, 4, 0)));
void lines_free(char **lines, size_t count);
#endif
