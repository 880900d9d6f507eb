/* function_name.h - demangled names of C++ and Rust functions, made shorter. */
#ifndef BASE_FUNCTION_NAME_H
#define BASE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* ns::class::name of a demangled name: without return type, template arguments and parameters.
 * Cut where `room` is too small; always terminated. */
void function_plain_name(const char *name, size_t len, char *to, size_t room);
/* Whether a glob matches a function by its whole name or its plain one. `operator new` and
 * `operator delete` match as `std::operator new`, too: they come from the standard library. */
bool function_matches(const char *pattern, const char *name, size_t len);
#endif
