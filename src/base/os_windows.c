/* os_windows.c - Windows: files, directories, maps, times and errors; see os.h.
 *
 * Files are opened such that they can be renamed and removed meanwhile, as on Linux. A directory is
 * a handle; its path is looked up for each call, because it may have been renamed. */
#include "base/os.h"
#include "base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NAME_ROOM = 32768 };

/* ---- errors and names --------------------------------------------------------------------- */

static int errno_of(DWORD code)
{
    static const struct {
        DWORD code;
        int error;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_USER_MAPPED_FILE, EBUSY},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_NOT_SUPPORTED, EOPNOTSUPP},
        {ERROR_INVALID_FUNCTION, EOPNOTSUPP},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return known[i].error;
    return EIO;
}

/* Sets errno from what Windows reports; returns -1. */
static int win_failed(void)
{
    errno = errno_of(GetLastError());
    return -1;
}

/* 0, or -1 with errno. */
static int win_answer(BOOL done)
{
    return done ? 0 : win_failed();
}

/* UTF-16, absolute and marked as such where it is long; free() it. NULL: see errno. */
static wchar_t *win_wide(const char *path)
{
    wchar_t *text = malloc(2 * NAME_ROOM * sizeof *text), *full = text ? text + NAME_ROOM : NULL;
    if (!text) {
        errno = ENOMEM;
        return NULL;
    }
    int len = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, text, NAME_ROOM);
    if (!len) {
        free(text);
        errno = ENOENT;
        return NULL;
    }
    if (len < MAX_PATH - 12 || !wcsncmp(text, L"\\\\", 2))
        return text;
    DWORD whole = GetFullPathNameW(text, NAME_ROOM - 4, full, NULL);
    if (whole && whole < NAME_ROOM - 4) {
        memcpy(text, L"\\\\?\\", 4 * sizeof *text);
        memmove(text + 4, full, (whole + 1) * sizeof *text);
    }
    return text;
}

/* UTF-8 with '/', without the prefix of long paths; free() it. */
static char *narrow(const wchar_t *text)
{
    if (!wcsncmp(text, L"\\\\?\\UNC\\", 8))
        text += 6; /* \\SERVER: its first \ becomes two below */
    else if (!wcsncmp(text, L"\\\\?\\", 4))
        text += 4;
    bool network = text[0] == L'C' && text[1] == L'\\';
    int room = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *path = room > 0 ? malloc((size_t)room) : NULL;
    if (!path)
        return NULL;
    WideCharToMultiByte(CP_UTF8, 0, text, -1, path, room, NULL, NULL);
    if (network)
        path[0] = '/';
    for (char *p = path; *p; p++)
        *p = *p == '\\' ? '/' : *p;
    return path;
}

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* INVALID_HANDLE_VALUE: see errno. */
static HANDLE win_open(const char *path, DWORD access, DWORD disposition, DWORD flags)
{
    wchar_t *name = win_wide(path);
    HANDLE h = INVALID_HANDLE_VALUE;
    if (name)
        h = CreateFileW(name, access, SHARED, NULL, disposition, flags, NULL);
    if (name && h == INVALID_HANDLE_VALUE)
        win_failed();
    free(name);
    return h;
}

/* A descriptor that owns the handle. */
static int descriptor_of(HANDLE h, int flags)
{
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    int fd = _open_osfhandle((intptr_t)h, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0)
        CloseHandle(h);
    return fd;
}

/* ---- what a name or a descriptor refers to ----------------------------------------------- */

static bool is_link(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
            tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static int win_about(HANDLE h, struct os_about *about)
{
    const int64_t epoch = 116444736000000000; /* 1970 in steps of 100 ns since 1601 */
    BY_HANDLE_FILE_INFORMATION info;
    FILE_STANDARD_INFO standard;
    *about = (struct os_about){.kind = OS_OTHER, .links = 1};
    if (GetFileType(h) != FILE_TYPE_DISK)
        return h == INVALID_HANDLE_VALUE ? win_failed() : 0;
    if (!GetFileInformationByHandle(h, &info)) {
        LARGE_INTEGER size; /* an inherited handle may have no name or volume that is known here */
        if (!GetFileSizeEx(h, &size))
            return win_failed();
        about->kind = OS_FILE;
        about->size = (uint64_t)size.QuadPart;
        return 0;
    }
    int64_t time = (int64_t)((uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 |
                             info.ftLastWriteTime.dwLowDateTime);
    about->kind = is_link(h)                                         ? OS_LINK
                  : info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? OS_FOLDER
                                                                     : OS_FILE;
    about->size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
    about->links = info.nNumberOfLinks;
    about->mtime_ns = (time - epoch) * 100;
    if (GetFileInformationByHandleEx(h, FileStandardInfo, &standard, sizeof standard) &&
        standard.DeletePending)
        about->links = 0;
    return 0;
}

static int win_about_path(const char *path, DWORD flags, struct os_about *about)
{
    HANDLE h = win_open(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    int done = win_about(h, about);
    CloseHandle(h);
    return done;
}

int os_about(const char *path, struct os_about *about)
{
    return win_about_path(path, 0, about);
}

int os_about_link(const char *path, struct os_about *about)
{
    return win_about_path(path, FILE_FLAG_OPEN_REPARSE_POINT, about);
}

int os_about_fd(int fd, struct os_about *about)
{
    return win_about(handle_of(fd), about);
}

int os_may_write(const char *path)
{
    HANDLE h = win_open(path, GENERIC_WRITE, OPEN_EXISTING, 0);
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    CloseHandle(h);
    return 0;
}

/* The current path of an open file or directory; free() it. NULL: see errno. */
static char *win_path_of(HANDLE h)
{
    wchar_t *text = malloc(NAME_ROOM * sizeof *text);
    DWORD len = text ? GetFinalPathNameByHandleW(h, text, NAME_ROOM, FILE_NAME_NORMALIZED) : 0;
    char *path = NULL;
    if (len && len < NAME_ROOM)
        path = narrow(text);
    else
        win_failed();
    free(text);
    return path;
}

char *os_real_path(const char *path)
{
    HANDLE h = win_open(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (h == INVALID_HANDLE_VALUE)
        return NULL;
    char *real = win_path_of(h);
    CloseHandle(h);
    return real;
}

/* ---- open files --------------------------------------------------------------------------- */

int os_open(const char *path, unsigned how)
{
    static const DWORD access[] = {GENERIC_READ, GENERIC_WRITE, GENERIC_READ | GENERIC_WRITE};
    DWORD flags = (how & 3) == OS_READ ? FILE_FLAG_BACKUP_SEMANTICS : 0; /* a directory, too */
    if (how & OS_NO_LINK)
        flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    HANDLE h = win_open(path, access[how & 3], OPEN_EXISTING, flags);
    if (h != INVALID_HANDLE_VALUE && (how & OS_NO_LINK) && is_link(h)) {
        CloseHandle(h);
        errno = ELOOP;
        return -1;
    }
    return descriptor_of(h, (how & 3) == OS_READ ? _O_RDONLY : 0);
}

/* Access rights come from the directory; `mode` has no meaning here. */
int os_create(const char *path, bool fresh, unsigned mode)
{
    (void)mode;
    DWORD access = fresh ? GENERIC_READ | GENERIC_WRITE | WRITE_DAC : GENERIC_WRITE;
    return descriptor_of(
        win_open(path, access, fresh ? CREATE_NEW : CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL), 0);
}

int os_temporary(void)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 64];
    DWORD len = GetTempPathW(MAX_PATH + 1, folder);
    if (!len || len > MAX_PATH)
        return win_failed();
    for (unsigned i = 0; i < 1000; i++) {
        LARGE_INTEGER now;
        QueryPerformanceCounter(&now);
        swprintf(name, MAX_PATH + 64, L"%lsrastrum-%lx-%llx-%u", folder, GetCurrentProcessId(),
                 (unsigned long long)now.QuadPart, i);
        HANDLE h = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, SHARED, NULL, CREATE_NEW,
                               FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (h != INVALID_HANDLE_VALUE)
            return descriptor_of(h, 0);
        if (GetLastError() != ERROR_FILE_EXISTS)
            break;
    }
    return win_failed();
}

int os_create_nameless(const char *beside, unsigned mode)
{
    (void)beside, (void)mode;
    errno = ENOSYS;
    return -1;
}

int os_name_file(int fd, const char *name)
{
    (void)fd, (void)name;
    errno = ENOSYS;
    return -1;
}

int os_dup(int fd)
{
    HANDLE self = GetCurrentProcess(), copy;
    if (!DuplicateHandle(self, handle_of(fd), self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return win_failed();
    return descriptor_of(copy, 0);
}

void os_close(int fd)
{
    _close(fd);
}

int64_t os_read(int fd, void *bytes, size_t size)
{
    return _read(fd, bytes, size < INT_MAX ? (unsigned)size : INT_MAX);
}

int64_t os_write(int fd, const void *bytes, size_t size)
{
    return _write(fd, bytes, size < INT_MAX ? (unsigned)size : INT_MAX);
}

/* The position of the descriptor does not change. */
static int64_t transfer_at(int fd, void *to, const void *from, size_t size, uint64_t offset)
{
    HANDLE h = handle_of(fd);
    LARGE_INTEGER none = {.QuadPart = 0}, kept;
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD some = size < INT_MAX ? (DWORD)size : INT_MAX, done = 0;
    if (!SetFilePointerEx(h, none, &kept, FILE_CURRENT))
        return win_failed();
    BOOL good = to ? ReadFile(h, to, some, &done, &at) : WriteFile(h, from, some, &done, &at);
    int status = good || (to && GetLastError() == ERROR_HANDLE_EOF) ? 0 : win_failed();
    (void)SetFilePointerEx(h, kept, NULL, FILE_BEGIN);
    return status < 0 ? status : (int64_t)done;
}

int64_t os_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    return transfer_at(fd, bytes, NULL, size, offset);
}

int64_t os_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    return transfer_at(fd, NULL, bytes, size, offset);
}

int64_t os_position(int fd)
{
    if (GetFileType(handle_of(fd)) == FILE_TYPE_DISK)
        return _lseeki64(fd, 0, SEEK_CUR);
    errno = ESPIPE;
    return -1;
}

int os_cut(int fd, uint64_t size)
{
    LARGE_INTEGER end = {.QuadPart = (LONGLONG)size};
    HANDLE h = handle_of(fd);
    return win_answer(SetFilePointerEx(h, end, NULL, FILE_BEGIN) && SetEndOfFile(h));
}

int os_reserve(int fd, uint64_t size)
{
    FILE_ALLOCATION_INFO room = {.AllocationSize.QuadPart = (LONGLONG)size};
    return win_answer(
        SetFileInformationByHandle(handle_of(fd), FileAllocationInfo, &room, sizeof room));
}

int os_lock(int fd)
{
    OVERLAPPED at = {0};
    return win_answer(LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                                 0, 1, 0, &at));
}

int os_sync(int fd)
{
    return win_answer(FlushFileBuffers(handle_of(fd)));
}

int os_punch(int fd, uint64_t from, uint64_t size)
{
    (void)fd, (void)from, (void)size;
    errno = EOPNOTSUPP;
    return -1;
}

void os_begin_writeback(int fd, uint64_t from, uint64_t size)
{
    (void)fd, (void)from, (void)size; /* the system does it by itself */
}

/* A pipe can only be polled for input; files are always ready, and so is everything that is written
 * to. */
int os_wait(int fd, bool to_write, int timeout_ms)
{
    enum { NAP = 10 };
    HANDLE h = handle_of(fd);
    DWORD type = GetFileType(h), held = 0;
    if (to_write || type == FILE_TYPE_DISK)
        return 1;
    if (type == FILE_TYPE_CHAR)
        return WaitForSingleObject(h, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms) ==
               WAIT_OBJECT_0;
    for (int left = timeout_ms;; left -= NAP) {
        if (!PeekNamedPipe(h, NULL, 0, NULL, &held, NULL) || held)
            return 1; /* closed: read() reports it */
        if (timeout_ms >= 0 && left <= 0)
            return 0;
        Sleep(NAP);
    }
}

/* Copy the access control list of the old file; the new one belongs to this user. */
static void win_keep_list(HANDLE h, const char *old_path)
{
    wchar_t *name = win_wide(old_path);
    DWORD need = 0;
    if (!name)
        return;
    GetFileSecurityW(name, DACL_SECURITY_INFORMATION, NULL, 0, &need);
    void *list = need ? malloc(need) : NULL;
    if (list && GetFileSecurityW(name, DACL_SECURITY_INFORMATION, list, need, &need))
        (void)SetKernelObjectSecurity(h, DACL_SECURITY_INFORMATION, list);
    free(list);
    free(name);
}

void os_keep_access(int fd, const struct os_about *old, const char *old_path)
{
    (void)old;
    win_keep_list(handle_of(fd), old_path);
}

/* ---- maps --------------------------------------------------------------------------------- */

/* A section that is longer than its file extends the file, if it is writable. */
void *map_open(int fd, size_t size)
{
    HANDLE h = handle_of(fd);
    LARGE_INTEGER have;
    if (!GetFileSizeEx(h, &have)) {
        win_failed();
        return NULL;
    }
    DWORD how = size > (uint64_t)have.QuadPart ? PAGE_READWRITE : PAGE_READONLY;
    HANDLE section =
        CreateFileMappingW(h, NULL, how, (DWORD)((uint64_t)size >> 32), (DWORD)size, NULL);
    void *at = section ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, size) : NULL;
    if (!at)
        win_failed();
    if (section)
        CloseHandle(section);
    return at;
}

void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move)
{
    if (!may_move) {
        errno = ENOMEM;
        return NULL;
    }
    void *moved = map_open(fd, size);
    if (moved)
        map_close(at, old);
    return moved;
}

void map_close(void *at, size_t size)
{
    (void)size;
    UnmapViewOfFile(at);
}

/* ---- the rest ----------------------------------------------------------------------------- */

uint64_t os_boot_ns(void)
{
    LARGE_INTEGER now, second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&second);
    uint64_t ticks = (uint64_t)now.QuadPart, per = (uint64_t)second.QuadPart;
    return ticks / per * 1000000000u + ticks % per * 1000000000u / per;
}

int os_sleep(int ms)
{
    Sleep(ms < 0 ? INFINITE : (DWORD)ms);
    return 0;
}

unsigned os_process_id(void)
{
    return GetCurrentProcessId();
}

unsigned os_processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 1 ? info.dwNumberOfProcessors : 1;
}

void os_error_text(int code, char *text, size_t room)
{
    if (strerror_s(text, room, code) != 0)
        snprintf(text, room, "error %d", code);
}

/* ---- names -------------------------------------------------------------------------------- */

static int move(const char *from, const char *to, DWORD flags)
{
    wchar_t *source = win_wide(from), *target = win_wide(to);
    int done = source && target ? win_answer(MoveFileExW(source, target, flags)) : -1;
    free(source);
    free(target);
    return done;
}

/* A directory may replace an empty one, as on Linux. */
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

/* Nothing to do: NTFS keeps a journal of names. */
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

static struct os_folder *folder_at(const char *path, DWORD flags)
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
    return folder_at(path, 0);
}

/* The path of a name in it; free() it. */
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
    struct os_folder *below = path ? folder_at(path, FILE_FLAG_OPEN_REPARSE_POINT) : NULL;
    free(path);
    return below;
}

/* The first name, and the next ones. */
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

/* By the handle, not by its path: with the path of a directory that was exchanged for another, the
 * files of the other would be removed. (wine does not update the path.) */
void os_folder_remove(const struct os_folder *f, const char *name, bool is_folder)
{
    wchar_t *wide = win_wide(name);
    if (!wide)
        return;
    for (wchar_t *p = wide; *p; p++)
        *p = *p == L'/' ? L'\\' : *p;
    UNICODE_STRING below;
    OBJECT_ATTRIBUTES which;
    IO_STATUS_BLOCK done;
    HANDLE h;
    RtlInitUnicodeString(&below, wide);
    InitializeObjectAttributes(&which, &below, OBJ_CASE_INSENSITIVE, f->self, NULL);
    ULONG kind = is_folder ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE;
    if (NtOpenFile(&h, DELETE | SYNCHRONIZE, &which, &done, SHARED,
                   kind | FILE_OPEN_REPARSE_POINT | FILE_SYNCHRONOUS_IO_NONALERT) >= 0) {
        FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
        (void)SetFileInformationByHandle(h, FileDispositionInfo, &gone, sizeof gone);
        CloseHandle(h);
    }
    free(wide);
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
