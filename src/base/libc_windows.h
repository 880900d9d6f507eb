/* libc_windows.h - functions of the C library that Windows lacks, by their usual names. */
#ifndef BASE_LIBC_WINDOWS_H
#define BASE_LIBC_WINDOWS_H

#include <stddef.h>

void *memmem(const void *in, size_t size, const void *what, size_t len);
char *strndup(const char *text, size_t most);
char *strsep(char **rest, const char *marks);
#endif
