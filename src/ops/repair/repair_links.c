/* repair_links.c - write a part into the file that is there, for all of its names.
 *
 * A file of several hard links cannot be replaced by another without separating them. What it is
 * to be is written beside it first, whole and on the disk, and then copied into it: whatever ends
 * the copying, NAME.repaired has all of it, and the undo plan takes that back, too. */
#include "base/file.h"
#include "base/os.h"
#include "core/sink.h"
#include "ops/repair/repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 4096 + 16, PIECE = 1 << 20 };

static void beside(const char *path, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%s.repaired", path);
}

bool repair_is_linked(const char *path)
{
    struct os_about about;
    return os_about_link(path, &about) == 0 && about.kind == OS_FILE && about.links > 1;
}

int repair_check_linked(const char *path, struct ras_error *err)
{
    char name[NAME_SIZE];
    struct os_about about;
    beside(path, name);
    if (!repair_is_linked(path))
        return RAS_OK;
    if (os_about_link(name, &about) == 0)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s exists: a repair of %s was interrupted, and this is all of its result; "
                    "copy it into that file, or remove it",
                    name, path);
    return os_may_write(path) < 0 ? fail_os(err, path) : RAS_OK;
}

/* Room for all of it is taken before the first byte changes. */
static int copy_into(int to, int from, const char *path, struct ras_error *err)
{
    struct os_about new, old;
    if (os_about_fd(from, &new) < 0 || os_about_fd(to, &old) < 0)
        return fail_os(err, path);
    if (new.size > old.size && os_reserve(to, new.size) < 0 &&
        errno != EOPNOTSUPP &&errno != EINVAL) {
        int status = fail_os(err, path);
        (void)os_cut(to, old.size);
        return status;
    }
    uint8_t *piece = malloc(PIECE);
    int status = piece ? RAS_OK : fail_memory(err);
    for (uint64_t at = 0; status == RAS_OK && at < new.size;) {
        int64_t got = file_read_at(from, piece, PIECE, at, err);
        status = got < 0    ? (int)got
                 : got == 0 ? fail(err, RAS_EIO, at, "%s.repaired ends early", path)
                            : file_write_at(to, piece, (size_t)got, at, err);
        at += got > 0 ? (uint64_t)got : 0;
    }
    free(piece);
    if (status == RAS_OK && (os_cut(to, new.size) < 0 || os_sync(to) < 0))
        status = fail_os(err, path);
    return status;
}

int repair_write_linked(const struct plan_map *map, const char *part, struct ras_bytes all,
                        const char *path, struct ras_error *err)
{
    char name[NAME_SIZE];
    struct ras_sink *sink;
    beside(path, name);
    int to = os_open(path, OS_READ_WRITE | OS_NO_LINK);
    if (to < 0)
        return fail_os(err, path);
    int status = sink_file(&sink, name, false, 0600, err);
    if (status == RAS_OK) {
        status = plan_apply(map, part, all, repair_to_sink, sink, err);
        if (status == RAS_OK)
            status = ras_sink_close(sink, err);
        else
            ras_sink_drop(sink);
    }
    int from = status == RAS_OK ? os_open(name, OS_READ) : -1;
    if (status == RAS_OK && from < 0)
        status = fail_os(err, name);
    if (status == RAS_OK) {
        status = copy_into(to, from, path, err);
        if (status == RAS_OK && os_remove(name) < 0)
            status = fail_os(err, name);
        else if (status < 0 && err)
            fail(err, status, RAS_NONE, "%s: not all of it is written: %s has all", path, name);
    }
    if (from >= 0)
        os_close(from);
    os_close(to);
    return status;
}
