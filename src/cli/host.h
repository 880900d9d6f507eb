/* host.h - what the commands need of the operating system beyond the C library.
 *
 * host_posix.c and host_windows.c implement it. What only Linux has (recording, reduce, twice, mcp,
 * sql --each) is a row of the table there that says so. */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
#include <fcntl.h>
#include <stdio.h>
/* For open(): bytes are not changed, and programs that we start do not have it. */
#define O_CLOEXEC (_O_BINARY | _O_NOINHERIT)
#endif

/* First of all: the standard descriptors, limits and signals of this process. */
void host_begin(void);
/* A thread that is given no signals; 0: it runs. */
int host_start_thread(pthread_t *, void *(*run)(void *), void *user);
/* As wide as the terminal is; 0: not known. */
size_t host_columns(int fd);
/* Whether both are the same terminal. */
bool host_is_same_terminal(int a, int b);
/* Standard output goes through the user's pager from now on: its process id, -1 after saying why,
 * 0: there are none here. */
int host_start_pager(void);
/* It has ended: whether it ever ran. */
bool host_pager_ran(int pager);
/* Ends the program as SIGPIPE would if standard output has no reader any more. */
void host_check_reader(void);
/* Writing to a pipe without a reader is an error, not the end. */
void host_ignore_broken_pipes(void);
void host_watch_interrupts(void (*on_interrupt)(int));
int host_make_folder(const char *path);
/* Absolute, without links and dots, with '/'; free() it. NULL: there is none. */
char *host_real_path(const char *path);
void host_open_browser(const char *url);
#endif
