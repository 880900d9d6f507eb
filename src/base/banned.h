/* banned.h - functions that have no safe use here; included before everything. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#ifndef __ASSEMBLER__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _WIN32
/* Its headers use some of the banned names. */
#include <io.h>
#include <pthread.h>
#include <unistd.h>
/* Functions that Windows lacks: libc_windows.c. */
void *memmem(const void *in, size_t size, const void *what, size_t len);
char *strndup(const char *text, size_t most);
char *strsep(char **rest, const char *marks);
ssize_t getline(char **line, size_t *room, FILE *file);
#endif

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok
#pragma GCC poison atoi atol atoll atof gmtime localtime ctime asctime
#endif
#endif
