/* glob.h - names matched by shell patterns, and demangled names of C++ and Rust, shortened. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Shell patterns: * ? [a-z] [!a-z]. */
bool glob_matches(const char *pattern, const char *text);

/* ns::class::name of a demangled name: without return type, template arguments and parameters.
 * Cut where `room` is too small; always terminated. */
void function_plain_name(const char *name, size_t len, char *to, size_t room);
/* Whether a glob matches a function by its whole name or its plain one. `operator new` and
 * `operator delete` match as `std::operator new`, too: they come from the standard library. */
bool function_matches(const char *pattern, const char *name, size_t len);
#endif
