/* os.h - what is asked of the operating system, in words that every one of them can answer.
 *
 * os_posix.c and os_names_posix.c answer on Linux, os_windows.c on Windows; os_none.c refuses
 * everything, for WebAssembly, where traces and outputs lie in memory. Only these files, map.h,
 * thread.h and what runs on Linux alone include headers of a system.
 *
 * Descriptors are those of the C library. Where nothing else is said, an int is 0 or -1 with
 * errno; ENOSYS stands for what this system cannot do, and fail_os() makes RAS_EUNSUPPORTED of
 * it. Paths are UTF-8 with '/'. */
#ifndef BASE_OS_H
#define BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files can be made: what grows beyond memory may go to one. */
#ifdef __wasm__
enum { OS_HAS_FILES = 0 };
#else
enum { OS_HAS_FILES = 1 };
#endif

/* ---- what a name or a descriptor stands for ----------------------------------------------- */

enum os_kind { OS_FILE, OS_FOLDER, OS_LINK, OS_OTHER }; /* other: a pipe, a device */

struct os_about {
    enum os_kind kind;
    uint64_t size;
    uint64_t links; /* names that it has; 0: it was removed */
    int64_t mtime_ns;
    uint32_t mode, owner, group; /* who may use it; 0 where there is no such thing */
};

int os_about(const char *path, struct os_about *); /* of a link: what it leads to */
int os_about_link(const char *path, struct os_about *);
int os_about_fd(int fd, struct os_about *);
/* 0: this process may write to it. */
int os_may_write(const char *path);
/* Without links and dots; free() it. NULL: errno says why. */
char *os_real_path(const char *path);

/* ---- open files --------------------------------------------------------------------------- */

enum os_how {
    OS_READ,
    OS_WRITE,
    OS_READ_WRITE,
    OS_NO_WAIT = 4, /* a pipe without a writer does not block */
    OS_NO_LINK = 8, /* a link is not followed: ELOOP */
};

/* Not inherited by programs that are started; binary; may be renamed while it is open. */
int os_open(const char *path, unsigned how);
/* To write, empty. `fresh`: EEXIST if the name is taken, and it can be read, too. */
int os_create(const char *path, bool fresh, unsigned mode);
/* An open file without a name, that vanishes with this process. */
int os_temporary(void);
/* The same in the directory of `beside`, so that os_name_file() can name it. -1: the system has
 * no such thing, and os_create() is the way. */
int os_create_nameless(const char *beside, unsigned mode);
int os_name_file(int fd, const char *name);
int os_dup(int fd);
void os_close(int fd);

/* How many bytes; fewer than asked for are no error, 0 is the end. */
int64_t os_read(int fd, void *bytes, size_t size);
int64_t os_write(int fd, const void *bytes, size_t size);
int64_t os_read_at(int fd, void *bytes, size_t size, uint64_t offset);
int64_t os_write_at(int fd, const void *bytes, size_t size, uint64_t offset);
int64_t os_position(int fd); /* -1: a pipe has none */
/* It ends here, and is written on from here. */
int os_cut(int fd, uint64_t size);
/* Room on the disk for this many bytes; EOPNOTSUPP or EINVAL: nobody can promise. */
int os_reserve(int fd, uint64_t size);
int os_sync(int fd);
/* Bytes that will be synced are sent on their way. */
void os_begin_writeback(int fd, uint64_t from, uint64_t size);
/* Until it can be read or written: 1; 0: not within the time, of which a negative one is endless.
 */
int os_wait(int fd, bool to_write, int timeout_ms);
/* Access rights, owner and attributes of a file that is about to be replaced, never more of them:
 * where the group cannot be kept its rights are not given to another. */
void os_keep_access(int fd, const struct os_about *old, const char *old_path);

/* ---- names -------------------------------------------------------------------------------- */

/* In one step; a name that is taken is EEXIST, unless it may be replaced. */
int os_rename(const char *from, const char *to, bool replace);
/* Two directories change names; in one step where the system can. */
int os_swap_folders(const char *a, const char *b);
int os_remove(const char *path);
int os_make_folder(const char *path, unsigned mode);
int os_remove_folder(const char *path);
/* Names given in it outlive a loss of power, where the file system can promise that. */
int os_sync_folder(const char *path);
void os_keep_folder_access(const char *made, const char *old);

/* A directory that stays the same one whatever its name becomes. Names are below it. */
struct os_folder;
struct os_folder *os_folder_open(const char *path);
/* One level below; a link is not followed. */
struct os_folder *os_folder_below(const struct os_folder *, const char *name);
/* From the first one on, without . and ..; NULL: there are no more. Until the next call. */
const char *os_folder_next(struct os_folder *);
void os_folder_rewind(struct os_folder *);
int os_folder_about(const struct os_folder *, const char *name, bool follow, struct os_about *);
int os_folder_file(const struct os_folder *, const char *name, unsigned how);
void os_folder_remove(const struct os_folder *, const char *name, bool is_folder);
void os_folder_close(struct os_folder *); /* or NULL */

/* ---- the rest ----------------------------------------------------------------------------- */

uint64_t os_boot_ns(void); /* a clock that runs from the start of the machine on */
int os_sleep(int ms);      /* -1: a signal came */
unsigned os_process_id(void);
unsigned os_processors(void); /* at least 1 */
void os_error_text(int code, char *text, size_t room);

/* A shared object, and what it calls `name`; NULL: there is none. */
void *os_library_open(const char *path, char *why, size_t room);
void *os_library_find(void *library, const char *name);
void os_library_close(void *library);
#endif
