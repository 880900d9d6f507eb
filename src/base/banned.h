/* banned.h - functions that have no safe use here; included before everything. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#ifndef __ASSEMBLER__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
/* Its headers name some of them, and it lacks others that are used. */
#include "base/libc_windows.h"
#include <io.h>
#include <pthread.h>
#include <unistd.h>
#endif

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok
#pragma GCC poison atoi atol atoll atof gmtime localtime ctime asctime
#endif
#endif
