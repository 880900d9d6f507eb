/* os_none.c - no operating system: WebAssembly in a browser.
 *
 * Traces are opened from memory, outputs are written to memory, and only a clock is imported.
 * Everything here fails with ENOSYS, which fail_os() turns into RAS_EUNSUPPORTED. */
#include "base/map.h"
#include "base/os.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char no_files[] =
    "this build has no files: open traces from memory, and write to memory";

static int refuse(void)
{
    errno = ENOSYS;
    return -1;
}

static void *refuse_null(void)
{
    errno = ENOSYS;
    return NULL;
}

/* ---- files -------------------------------------------------------------------------------- */

int os_about(const char *path, struct os_about *about)
{
    (void)path, (void)about;
    return refuse();
}

int os_about_link(const char *path, struct os_about *about)
{
    (void)path, (void)about;
    return refuse();
}

int os_about_fd(int fd, struct os_about *about)
{
    (void)fd, (void)about;
    return refuse();
}

int os_may_write(const char *path)
{
    (void)path;
    return refuse();
}

char *os_real_path(const char *path)
{
    (void)path;
    return refuse_null();
}

int os_open(const char *path, unsigned how)
{
    (void)path, (void)how;
    return refuse();
}

int os_create(const char *path, bool fresh, unsigned mode)
{
    (void)path, (void)fresh, (void)mode;
    return refuse();
}

int os_temporary(void)
{
    return refuse();
}

int os_create_nameless(const char *beside, unsigned mode)
{
    (void)beside, (void)mode;
    return refuse();
}

int os_name_file(int fd, const char *name)
{
    (void)fd, (void)name;
    return refuse();
}

int os_dup(int fd)
{
    (void)fd;
    return refuse();
}

void os_close(int fd)
{
    (void)fd;
}

int64_t os_read(int fd, void *bytes, size_t size)
{
    (void)fd, (void)bytes, (void)size;
    return refuse();
}

int64_t os_write(int fd, const void *bytes, size_t size)
{
    (void)fd, (void)bytes, (void)size;
    return refuse();
}

int64_t os_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    (void)fd, (void)bytes, (void)size, (void)offset;
    return refuse();
}

int64_t os_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    (void)fd, (void)bytes, (void)size, (void)offset;
    return refuse();
}

int64_t os_position(int fd)
{
    (void)fd;
    return refuse();
}

int os_cut(int fd, uint64_t size)
{
    (void)fd, (void)size;
    return refuse();
}

int os_reserve(int fd, uint64_t size)
{
    (void)fd, (void)size;
    return refuse();
}

int os_lock(int fd)
{
    (void)fd;
    return refuse();
}

int os_sync(int fd)
{
    (void)fd;
    return refuse();
}

int os_punch(int fd, uint64_t from, uint64_t size)
{
    (void)fd, (void)from, (void)size;
    return refuse();
}

void os_begin_writeback(int fd, uint64_t from, uint64_t size)
{
    (void)fd, (void)from, (void)size;
}

int os_wait(int fd, bool to_write, int timeout_ms)
{
    (void)fd, (void)to_write, (void)timeout_ms;
    return refuse();
}

void os_keep_access(int fd, const struct os_about *old, const char *old_path)
{
    (void)fd, (void)old, (void)old_path;
}

/* ---- names -------------------------------------------------------------------------------- */

int os_rename(const char *from, const char *to, bool replace)
{
    (void)from, (void)to, (void)replace;
    return refuse();
}

int os_swap_folders(const char *a, const char *b)
{
    (void)a, (void)b;
    return refuse();
}

int os_remove(const char *path)
{
    (void)path;
    return refuse();
}

int os_make_folder(const char *path, unsigned mode)
{
    (void)path, (void)mode;
    return refuse();
}

int os_remove_folder(const char *path)
{
    (void)path;
    return refuse();
}

int os_sync_folder(const char *path)
{
    (void)path;
    return refuse();
}

void os_keep_folder_access(const char *made, const char *old)
{
    (void)made, (void)old;
}

struct os_folder *os_folder_open(const char *path)
{
    (void)path;
    return refuse_null();
}

struct os_folder *os_folder_below(const struct os_folder *f, const char *name)
{
    (void)f, (void)name;
    return refuse_null();
}

const char *os_folder_next(struct os_folder *f)
{
    (void)f;
    return refuse_null();
}

void os_folder_rewind(struct os_folder *f)
{
    (void)f;
}

int os_folder_about(const struct os_folder *f, const char *name, bool follow,
                    struct os_about *about)
{
    (void)f, (void)name, (void)follow, (void)about;
    return refuse();
}

int os_folder_file(const struct os_folder *f, const char *name, unsigned how)
{
    (void)f, (void)name, (void)how;
    return refuse();
}

void os_folder_remove(const struct os_folder *f, const char *name, bool is_folder)
{
    (void)f, (void)name, (void)is_folder;
}

void os_folder_close(struct os_folder *f)
{
    (void)f;
}

/* ---- maps --------------------------------------------------------------------------------- */

void *map_open(int fd, size_t size)
{
    (void)fd, (void)size;
    return refuse_null();
}

void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move)
{
    (void)at, (void)old, (void)size, (void)fd, (void)may_move;
    return refuse_null();
}

void map_close(void *at, size_t size)
{
    (void)at, (void)size;
}

/* ---- the rest ----------------------------------------------------------------------------- */

uint64_t os_boot_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

int os_sleep(int ms)
{
    (void)ms;
    return refuse();
}

unsigned os_process_id(void)
{
    return 1; /* a single one */
}

unsigned os_processors(void)
{
    return 1;
}

void os_error_text(int code, char *text, size_t room)
{
    snprintf(text, room, "%s", code == ENOSYS ? no_files : strerror(code));
}

void *os_library_open(const char *path, char *why, size_t room)
{
    snprintf(why, room, "%s: this build cannot load shared objects", path);
    return NULL;
}

void *os_library_find(void *library, const char *name)
{
    (void)library, (void)name;
    return NULL;
}

void os_library_close(void *library)
{
    (void)library;
}
