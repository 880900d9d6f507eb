/* os_windows.c - what Windows answers; see os.h.
 *
 * Files are opened with the right to rename and remove them meanwhile, as elsewhere. */
#include "base/map.h"
#include "base/os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int win_failed(void)
{
    errno = errno_of(GetLastError());
    return -1;
}

int win_answer(BOOL done)
{
    return done ? 0 : win_failed();
}

/* UTF-16, absolute and marked as such where it is long; free() it. NULL: errno says why. */
wchar_t *win_wide(const char *path)
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

/* UTF-8 with '/', without what marks a long one; free() it. */
static char *narrow(const wchar_t *text)
{
    if (!wcsncmp(text, L"\\\\?\\UNC\\", 8))
        text += 6; /* \\SERVER, of which the first \ stands for two below */
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

HANDLE win_open(const char *path, DWORD access, DWORD disposition, DWORD flags)
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

/* A descriptor for a handle, which it takes over. */
static int descriptor_of(HANDLE h, int flags)
{
    if (h == INVALID_HANDLE_VALUE)
        return -1;
    int fd = _open_osfhandle((intptr_t)h, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0)
        CloseHandle(h);
    return fd;
}

/* ---- what a name or a descriptor stands for ----------------------------------------------- */

static bool is_link(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
            tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

int win_about(HANDLE h, struct os_about *about)
{
    const int64_t epoch = 116444736000000000; /* 1970 in steps of 100 ns since 1601 */
    BY_HANDLE_FILE_INFORMATION info;
    FILE_STANDARD_INFO standard;
    *about = (struct os_about){.kind = OS_OTHER, .links = 1};
    if (GetFileType(h) != FILE_TYPE_DISK)
        return h == INVALID_HANDLE_VALUE ? win_failed() : 0;
    if (!GetFileInformationByHandle(h, &info))
        return win_failed();
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

int win_about_path(const char *path, DWORD flags, struct os_about *about)
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

/* The path that an open file or directory has now. */
char *win_path_of(HANDLE h)
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

/* Who may use it is what the directory says; `mode` has no meaning here. */
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

/* Where the descriptor is stays as it was. */
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

int os_sync(int fd)
{
    return win_answer(FlushFileBuffers(handle_of(fd)));
}

void os_begin_writeback(int fd, uint64_t from, uint64_t size)
{
    (void)fd, (void)from, (void)size; /* the system does it when it likes */
}

/* A pipe can only be asked whether it holds something; files are always ready, and so is whatever
 * is written to. */
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
            return 1; /* closed: reading says so */
        if (timeout_ms >= 0 && left <= 0)
            return 0;
        Sleep(NAP);
    }
}

/* The list of who may use the old file; the new one belongs to this user. */
void win_keep_list(HANDLE h, const char *old_path)
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

/* A section that is longer than its file makes the file longer, if it may be written. */
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
