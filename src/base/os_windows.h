/* os_windows.h - what the two files that stand for Windows share. */
#ifndef BASE_OS_WINDOWS_H
#define BASE_OS_WINDOWS_H

#include "base/os.h"

#include <windows.h>

/* errno by what Windows says; -1. */
int win_failed(void);
int win_answer(BOOL done); /* 0, or -1 with errno */
/* UTF-16, absolute and marked as such where it is long; free() it. NULL: errno says why. */
wchar_t *win_wide(const char *path);
/* INVALID_HANDLE_VALUE: errno says why. */
HANDLE win_open(const char *path, DWORD access, DWORD disposition, DWORD flags);
int win_about(HANDLE, struct os_about *);
int win_about_path(const char *path, DWORD flags, struct os_about *);
/* The path that an open file or directory has now; free() it. NULL: errno says why. */
char *win_path_of(HANDLE);
/* Who may use the old file may use this one. */
void win_keep_list(HANDLE, const char *old_path);
#endif
