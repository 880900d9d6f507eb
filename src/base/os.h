/* os.h - the operating system: the functions that the library needs of each.
 *
 * os_posix.c implements them for Linux, os_windows.c for Windows; in os_none.c all of them fail,
 * for WebAssembly, where traces and outputs are in memory. Only these files, map.h, thread.h and
 * what runs on Linux alone include headers of a system.
 *
 * Descriptors are those of the C library. Unless stated otherwise, an int is 0 or -1 with errno;
 * ENOSYS means that this system cannot do it, and fail_os() turns it into RAS_EUNSUPPORTED. Paths
 * are UTF-8 with '/'. */
#ifndef BASE_OS_H
#define BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files can be created: data that outgrows memory may go to one. */
#ifdef __wasm__
enum { OS_HAS_FILES = 0 };
#else
enum { OS_HAS_FILES = 1 };
#endif

/* ---- what a name or a descriptor refers to ----------------------------------------------- */

enum os_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_OTHER }; /* other: a pipe, a device */

struct os_about {
    enum os_kind kind;
    uint64_t size;
    uint64_t links; /* hard links; 0: it was removed */
    int64_t mtime_ns;
    uint32_t mode, owner, group; /* 0 where the system has none */
};

int os_about(const char *path, struct os_about *); /* follows links */
int os_about_link(const char *path, struct os_about *);
int os_about_fd(int fd, struct os_about *);
/* 0: this process may write to it. */
int os_may_write(const char *path);
/* Without links and dots; free() it. NULL: see errno. */
char *os_real_path(const char *path);

/* ---- open files --------------------------------------------------------------------------- */

enum os_how {
    OS_READ,
    OS_WRITE,
    OS_READ_WRITE,
    OS_NO_WAIT = 4, /* a pipe without a writer does not block */
    OS_NO_LINK = 8, /* a link is not followed: ELOOP */
};

/* Not inherited by child processes; binary; may be renamed while it is open. */
int os_open(const char *path, unsigned how);
/* For writing, empty. `fresh`: EEXIST if the name is taken, and it can be read, too. */
int os_create(const char *path, bool fresh, unsigned mode);
/* An open file without a name, which is removed when it is closed. */
int os_temporary(void);
/* The same in the directory of `beside`, so that os_name_file() can name it. -1: the system cannot
 * do that; use os_create(). */
int os_create_nameless(const char *beside, unsigned mode);
int os_name_file(int fd, const char *name);
int os_dup(int fd);
void os_close(int fd);

/* The number of bytes; fewer than requested are not an error, 0 is the end. */
int64_t os_read(int fd, void *bytes, size_t size);
int64_t os_write(int fd, const void *bytes, size_t size);
int64_t os_read_at(int fd, void *bytes, size_t size, uint64_t offset);
int64_t os_write_at(int fd, const void *bytes, size_t size, uint64_t offset);
int64_t os_position(int fd); /* -1: a pipe has none */
/* Truncate the file and set its position to the end. */
int os_cut(int fd, uint64_t size);
/* Reserve room on the disk for this many bytes; EOPNOTSUPP or EINVAL: it cannot be promised. */
int os_reserve(int fd, uint64_t size);
int os_sync(int fd);
/* Until it is closed no other process locks it: EWOULDBLOCK, where one has. */
int os_lock(int fd);
/* Give the room of these bytes back, which are zero then; -1: it cannot be done. */
int os_punch(int fd, uint64_t from, uint64_t size);
/* Start to write these bytes to the disk, before they are synced. */
void os_begin_writeback(int fd, uint64_t from, uint64_t size);
/* Wait until it can be read or written: 1; 0: timeout. A negative timeout waits forever. */
int os_wait(int fd, bool to_write, int timeout_ms);
/* Copy access rights, owner and attributes from a file that is about to be replaced. Never grants
 * more: where the group cannot be kept its rights are not given to another. */
void os_keep_access(int fd, const struct os_about *old, const char *old_path);

/* ---- names -------------------------------------------------------------------------------- */

/* Atomic; a name that is taken is EEXIST, unless it may be replaced. */
int os_rename(const char *from, const char *to, bool replace);
/* Exchange the names of two directories; atomic where the system can do that. */
int os_swap_folders(const char *a, const char *b);
int os_remove(const char *path);
int os_make_folder(const char *path, unsigned mode);
int os_remove_folder(const char *path);
/* Make new names in it survive a loss of power, where the file system can promise that. */
int os_sync_folder(const char *path);
void os_keep_folder_access(const char *made, const char *old);

/* An open directory, which stays the same when it is renamed. Names are relative to it. */
struct os_folder;
struct os_folder *os_folder_open(const char *path);
/* One level below; a link is not followed. */
struct os_folder *os_folder_below(const struct os_folder *, const char *name);
/* The next name, without . and ..; NULL: there are no more. Valid until the next call. */
const char *os_folder_next(struct os_folder *);
void os_folder_rewind(struct os_folder *);
int os_folder_about(const struct os_folder *, const char *name, bool follow, struct os_about *);
int os_folder_file(const struct os_folder *, const char *name, unsigned how);
void os_folder_remove(const struct os_folder *, const char *name, bool is_folder);
void os_folder_close(struct os_folder *); /* or NULL */

/* ---- the rest ----------------------------------------------------------------------------- */

uint64_t os_boot_ns(void); /* a clock that counts from the start of the machine */
int os_sleep(int ms);      /* -1: interrupted by a signal */
unsigned os_process_id(void);
unsigned os_processors(void); /* at least 1 */
void os_error_text(int code, char *text, size_t room);

/* A shared object, and its symbol `name`; NULL: there is none. */
void *os_library_open(const char *path, char *why, size_t room);
void *os_library_find(void *library, const char *name);
void os_library_close(void *library);
#endif
