/* sqlite_file.c - SQLite's view of a sink: pages are appended, replaced and read back. */
#include "sql/sqlite_file.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { PATH_MOST = 64, GAP_PIECE = 4096 };

struct sink_file {
    sqlite3_file base;
    struct sink_vfs *vfs;
};

/* ---- the file ------------------------------------------------------------------------------- */

static struct sink_vfs *vfs_of(sqlite3_file *file)
{
    return ((struct sink_file *)file)->vfs;
}

static int file_closed(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

/* What lies behind the end is zero, and said to be missing. */
static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    struct sink_vfs *v = vfs_of(file);
    uint64_t end = ras_sink_size(v->sink), from = (uint64_t)at, wanted = (uint64_t)size;
    uint64_t there = from >= end ? 0 : end - from < wanted ? end - from : wanted;
    if (ras_sink_read(v->sink, from < end ? from : end, bytes, (size_t)there, &v->err) < 0)
        return SQLITE_IOERR_READ;
    if (there == wanted)
        return SQLITE_OK;
    memset((char *)bytes + there, 0, (size_t)(wanted - there));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    static const char zeros[GAP_PIECE];
    struct sink_vfs *v = vfs_of(file);
    uint64_t end, from = (uint64_t)at, all = (uint64_t)size;
    int status = RAS_OK;
    while (status == RAS_OK && (end = ras_sink_size(v->sink)) < from) /* pages in between follow */
        status = ras_sink_write(v->sink, zeros,
                                from - end < GAP_PIECE ? (size_t)(from - end) : GAP_PIECE, &v->err);
    end = ras_sink_size(v->sink);
    uint64_t old = status < 0 || end <= from ? 0 : end - from < all ? end - from : all;
    if (old)
        status = ras_sink_patch(v->sink, from, bytes, (size_t)old, &v->err);
    if (status == RAS_OK && old < all)
        status = ras_sink_write(v->sink, (const char *)bytes + old, (size_t)(all - old), &v->err);
    return status < 0 ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct sink_vfs *v = vfs_of(file);
    if ((uint64_t)size >= ras_sink_size(v->sink))
        return SQLITE_OK;
    return ras_sink_rewind(v->sink, (uint64_t)size, &v->err) < 0 ? SQLITE_IOERR_TRUNCATE
                                                                 : SQLITE_OK;
}

/* The sink is synced when it is closed. */
static int file_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)ras_sink_size(vfs_of(file)->sink);
    return SQLITE_OK;
}

/* Nobody else has it. */
static int file_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int file_is_locked(sqlite3_file *file, int *locked)
{
    (void)file;
    *locked = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int what, void *value)
{
    (void)file, (void)what, (void)value;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return GAP_PIECE;
}

static int file_traits(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static const sqlite3_io_methods sink_methods = {
    .iVersion = 1,
    .xClose = file_closed,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_is_locked,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
};

/* ---- the file system ------------------------------------------------------------------------ */

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    struct sink_file *f = (struct sink_file *)file;
    (void)name;
    f->base.pMethods = NULL;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) /* no journal, and temporary tables are in memory */
        return SQLITE_CANTOPEN;
    f->base.pMethods = &sink_methods;
    f->vfs = vfs->pAppData;
    if (given)
        *given = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there)
{
    (void)vfs, (void)name, (void)flags;
    *is_there = 0;
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int room, char *path)
{
    (void)vfs;
    snprintf(path, (size_t)room, "%s", name);
    return SQLITE_OK;
}

static sqlite3_vfs *system_of(sqlite3_vfs *vfs)
{
    return ((struct sink_vfs *)vfs->pAppData)->system;
}

static int vfs_random(sqlite3_vfs *vfs, int size, char *bytes)
{
    return system_of(vfs)->xRandomness(system_of(vfs), size, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    return system_of(vfs)->xSleep(system_of(vfs), us);
}

static int vfs_time(sqlite3_vfs *vfs, double *days)
{
    return system_of(vfs)->xCurrentTime(system_of(vfs), days);
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *text)
{
    (void)vfs;
    if (room > 0)
        *text = 0;
    return 0;
}

int sink_vfs_fail(const struct sink_vfs *v, sqlite3 *db, const char *what, struct ras_error *err)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if (v->err.status < 0) {
        if (err)
            *err = v->err;
        return v->err.status;
    }
    if (code == SQLITE_NOMEM)
        return fail_memory(err);
    return fail(err, code == SQLITE_TOOBIG ? RAS_ELIMIT : RAS_EUNSUPPORTED, RAS_NONE,
                "%.60s: SQLite cannot hold it: %.120s", what, sqlite3_errmsg(db));
}

int sink_vfs_open(struct sink_vfs *v, struct ras_sink *sink, sqlite3 **db, struct ras_error *err)
{
    *v = (struct sink_vfs){.sink = sink};
    *db = NULL;
    if (sqlite3_initialize() != SQLITE_OK || !(v->system = sqlite3_vfs_find(NULL)))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "SQLite cannot be started");
    snprintf(v->name, sizeof v->name, "rastrum-%p", (void *)v); /* one for each file */
    v->vfs = (sqlite3_vfs){.iVersion = 1,
                           .szOsFile = sizeof(struct sink_file),
                           .mxPathname = PATH_MOST,
                           .zName = v->name,
                           .pAppData = v,
                           .xOpen = vfs_open,
                           .xDelete = vfs_delete,
                           .xAccess = vfs_access,
                           .xFullPathname = vfs_full_path,
                           .xRandomness = vfs_random,
                           .xSleep = vfs_sleep,
                           .xCurrentTime = vfs_time,
                           .xGetLastError = vfs_last_error};
    if (sqlite3_vfs_register(&v->vfs, 0) != SQLITE_OK)
        return fail_memory(err);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2("database", db, flags, v->name) != SQLITE_OK)
        return sink_vfs_fail(v, *db, "database", err);
    return RAS_OK;
}

void sink_vfs_close(struct sink_vfs *v)
{
    if (v->vfs.zName)
        sqlite3_vfs_unregister(&v->vfs);
}
