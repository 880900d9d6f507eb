/* os_posix.h - what the two files that stand for Linux share. */
#ifndef BASE_OS_POSIX_H
#define BASE_OS_POSIX_H

#include "base/os.h"

struct stat;
void os_about_of(const struct stat *, struct os_about *);
#endif
