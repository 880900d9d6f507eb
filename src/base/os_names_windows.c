/* os_names_windows.c - what Windows finds by name: files to rename, directories, shared objects.
 *
 * A directory is a handle, whose path is asked for each time: it may have another name by now. */
#include "base/os_windows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------------------------- */

static int move(const char *from, const char *to, DWORD flags)
{
    wchar_t *source = win_wide(from), *target = win_wide(to);
    int done = source && target ? win_answer(MoveFileExW(source, target, flags)) : -1;
    free(source);
    free(target);
    return done;
}

/* A directory takes the place of an empty one, as elsewhere. */
int os_rename(const char *from, const char *to, bool replace)
{
    struct os_about about;
    if (replace && os_about_link(to, &about) == 0 && about.kind == OS_FOLDER &&
        os_remove_folder(to) < 0)
        return -1;
    return move(from, to, MOVEFILE_WRITE_THROUGH | (replace ? MOVEFILE_REPLACE_EXISTING : 0));
}

/* In three steps: a loss of power in between leaves one of them under a third name. */
int os_swap_folders(const char *a, const char *b)
{
    size_t room = strlen(a) + sizeof ".swap-0123456789abcdef";
    char *third = malloc(room);
    if (!third) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(third, room, "%s.swap-%lx", a, (unsigned long)GetCurrentProcessId());
    int done = move(a, third, 0);
    if (done == 0 && (done = move(b, a, 0)) < 0) {
        int code = errno;
        (void)move(third, a, 0);
        errno = code;
    } else if (done == 0 && (done = move(third, b, 0)) < 0) {
        int code = errno;
        (void)move(a, b, 0);
        (void)move(third, a, 0);
        errno = code;
    }
    free(third);
    return done;
}

static int call_wide(const char *path, BOOL(WINAPI *call)(const wchar_t *))
{
    wchar_t *name = win_wide(path);
    int done = name ? win_answer(call(name)) : -1;
    free(name);
    return done;
}

int os_remove(const char *path)
{
    return call_wide(path, DeleteFileW);
}

int os_make_folder(const char *path, unsigned mode)
{
    (void)mode; /* as for os_create() */
    wchar_t *name = win_wide(path);
    int done = name ? win_answer(CreateDirectoryW(name, NULL)) : -1;
    free(name);
    return done;
}

int os_remove_folder(const char *path)
{
    return call_wide(path, RemoveDirectoryW);
}

/* There is nothing to ask for: NTFS keeps a journal of names. */
int os_sync_folder(const char *path)
{
    (void)path;
    return 0;
}

void os_keep_folder_access(const char *made, const char *old)
{
    HANDLE h = win_open(made, WRITE_DAC, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (h == INVALID_HANDLE_VALUE)
        return;
    win_keep_list(h, old);
    CloseHandle(h);
}

/* ---- directories -------------------------------------------------------------------------- */

struct os_folder {
    HANDLE self, search; /* INVALID_HANDLE_VALUE: not begun */
    bool ended;
    char name[4 * MAX_PATH];
};

static struct os_folder *folder_of(const char *path, DWORD flags)
{
    struct os_about about;
    HANDLE h = win_open(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
    if (h == INVALID_HANDLE_VALUE)
        return NULL;
    struct os_folder *f = malloc(sizeof *f);
    int wrong = win_about(h, &about) < 0  ? errno
                : about.kind == OS_LINK   ? ELOOP
                : about.kind != OS_FOLDER ? ENOTDIR
                : !f                      ? ENOMEM
                                          : 0;
    if (wrong) {
        CloseHandle(h);
        free(f);
        errno = wrong;
        return NULL;
    }
    *f = (struct os_folder){.self = h, .search = INVALID_HANDLE_VALUE};
    return f;
}

struct os_folder *os_folder_open(const char *path)
{
    return folder_of(path, 0);
}

/* The path of what is in it; free() it. */
static char *path_below(const struct os_folder *f, const char *name)
{
    char *folder = win_path_of(f->self);
    size_t room = folder ? strlen(folder) + strlen(name) + 2 : 0;
    char *path = folder ? malloc(room) : NULL;
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    free(folder);
    return path;
}

struct os_folder *os_folder_below(const struct os_folder *f, const char *name)
{
    char *path = path_below(f, name);
    struct os_folder *below = path ? folder_of(path, FILE_FLAG_OPEN_REPARSE_POINT) : NULL;
    free(path);
    return below;
}

/* The first of them, and the next ones. */
static bool search(struct os_folder *f, WIN32_FIND_DATAW *found)
{
    if (f->search != INVALID_HANDLE_VALUE)
        return FindNextFileW(f->search, found);
    char *path = path_below(f, "*");
    wchar_t *all = path ? win_wide(path) : NULL;
    if (all)
        f->search = FindFirstFileW(all, found);
    free(path);
    free(all);
    return f->search != INVALID_HANDLE_VALUE;
}

const char *os_folder_next(struct os_folder *f)
{
    WIN32_FIND_DATAW found;
    while (!f->ended) {
        f->ended = !search(f, &found);
        if (!f->ended && wcscmp(found.cFileName, L".") && wcscmp(found.cFileName, L"..") &&
            WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, f->name, (int)sizeof f->name, NULL,
                                NULL))
            return f->name;
    }
    return NULL;
}

void os_folder_rewind(struct os_folder *f)
{
    if (f->search != INVALID_HANDLE_VALUE)
        FindClose(f->search);
    f->search = INVALID_HANDLE_VALUE;
    f->ended = false;
}

int os_folder_about(const struct os_folder *f, const char *name, bool follow,
                    struct os_about *about)
{
    char *path = path_below(f, name);
    int done = path ? win_about_path(path, follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT, about) : -1;
    free(path);
    return done;
}

int os_folder_file(const struct os_folder *f, const char *name, unsigned how)
{
    char *path = path_below(f, name);
    int fd = path ? os_open(path, how) : -1;
    free(path);
    return fd;
}

void os_folder_remove(const struct os_folder *f, const char *name, bool is_folder)
{
    char *path = path_below(f, name);
    if (path)
        (void)(is_folder ? os_remove_folder : os_remove)(path);
    free(path);
}

void os_folder_close(struct os_folder *f)
{
    if (!f)
        return;
    os_folder_rewind(f);
    CloseHandle(f->self);
    free(f);
}

/* ---- shared objects ----------------------------------------------------------------------- */

void *os_library_open(const char *path, char *why, size_t room)
{
    wchar_t *name = win_wide(path);
    HMODULE library = name ? LoadLibraryW(name) : NULL;
    if (!library)
        snprintf(why, room, "%s: cannot be loaded: Windows error %lu", path,
                 (unsigned long)GetLastError());
    free(name);
    return library;
}

void *os_library_find(void *library, const char *name)
{
    FARPROC found = GetProcAddress(library, name);
    void *at;
    memcpy(&at, &found, sizeof at);
    return at;
}

void os_library_close(void *library)
{
    FreeLibrary(library);
}
