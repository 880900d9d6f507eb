/* glob.h - shell patterns: * ? [a-z] [!a-z]. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>

bool glob_matches(const char *pattern, const char *text);
#endif
