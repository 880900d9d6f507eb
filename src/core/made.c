/* made.c - what of the file system this program made itself, and may therefore replace.
 *
 * A name proves nothing: a directory of JSON files is not a session because sessions have
 * JSON files, too. Every file must be of a kind that a format's row lists, by name and by its
 * first bytes, or must be listed by the run.json of the directory or by the list that an export
 * leaves in it. */
#include "codec/inflate.h"
#include "core/made.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/out.h"
#include "core/registry.h"
#include "core/row.h"
#include "core/sink.h"

#include <errno.h>
#include <stdlib.h>

enum { HEAD = 4096, DEPTH_MOST = 12, ENTRIES_MOST = 1 << 20, JSON_MOST = 16 << 20 };

struct entry {
    char *name; /* below the directory */
    bool is_dir, is_file;
};

struct made {
    struct os_folder *folder; /* whatever its name becomes */
    struct entry *entries;    /* ascending: what lies in a directory follows it */
    size_t count, room;
};

/* ---- listing --------------------------------------------------------------------------- */

static int add_entry(struct made *m, const char *name, enum os_kind kind, struct ras_error *err)
{
    if (m->count >= ENTRIES_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "more than %d files", ENTRIES_MOST);
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&m->entries, &m->room, m->count + 1, sizeof *m->entries)) {
        free(copy);
        return fail_memory(err);
    }
    m->entries[m->count++] = (struct entry){copy, kind == OS_FOLDER, kind == OS_FILE};
    return RAS_OK;
}

static int list_below(struct made *m, struct os_folder *folder, char *path, size_t len,
                      unsigned depth, struct ras_error *err);

static int list_one(struct made *m, const struct os_folder *folder, const char *name, char *path,
                    size_t len, unsigned depth, struct ras_error *err)
{
    struct os_about about;
    int n = snprintf(path + len, HEAD - len, "%s%s", len ? "/" : "", name);
    if (n < 0 || (size_t)n >= HEAD - len)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a path of more than %d bytes", HEAD);
    if (os_folder_about(folder, name, false, &about) < 0)
        return fail_os(err, path);
    int status = add_entry(m, path, about.kind, err);
    if (status < 0 || about.kind != OS_FOLDER)
        return status;
    if (depth >= DEPTH_MOST)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is more than %d directories deep", path,
                    DEPTH_MOST);
    struct os_folder *below = os_folder_below(folder, name);
    status =
        below ? list_below(m, below, path, len + (size_t)n, depth + 1, err) : fail_os(err, path);
    os_folder_close(below);
    return status;
}

/* One level and those below it. */
static int list_below(struct made *m, struct os_folder *folder, char *path, size_t len,
                      unsigned depth, struct ras_error *err)
{
    int status = RAS_OK;
    const char *name;
    while (status == RAS_OK && (name = os_folder_next(folder))) {
        status = list_one(m, folder, name, path, len, depth, err);
        path[len] = 0;
    }
    return status;
}

static int entry_by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* ---- what a list in the directory lists ---------------------------------------------------- */

struct listed_file {
    const char *name;
    uint64_t size; /* RAS_NONE: any */
};

struct listed {
    struct listed_file *files; /* in the reader's memory, ascending */
    size_t count, room;
    struct row_reader json;
    struct out text;
};

static int listed_by_name(const void *a, const void *b)
{
    return strcmp(((const struct listed_file *)a)->name, ((const struct listed_file *)b)->name);
}

static bool add_listed(struct listed *l, const char *name, uint64_t size)
{
    if (!array_grow(&l->files, &l->room, l->count + 1, sizeof *l->files))
        return false;
    l->files[l->count++] = (struct listed_file){name, size};
    return true;
}

/* `sized`: only as long as they were. */
static bool add_files(struct listed *l, const struct ras_value *pen, bool sized)
{
    const struct ras_value *files = pen->kind == RAS_MAP ? map_find(pen, "files") : NULL;
    if (!files || files->kind != RAS_LIST)
        return true;
    for (const struct ras_value *v = files + 1; v < ras_value_next(files); v = ras_value_next(v)) {
        const struct ras_value *name = v->kind == RAS_MAP ? map_find(v, "name") : NULL;
        const struct ras_value *size = v->kind == RAS_MAP ? map_find(v, "size_bytes") : NULL;
        uint64_t bytes = RAS_NONE;
        if (!name || name->kind != RAS_STR || strlen(name->at) != name->count)
            continue;
        if (sized && (!size || !cell_uint(size, &bytes)))
            continue;
        if (!add_listed(l, name->at, bytes))
            return false;
    }
    return true;
}

/* A JSON document of the directory; NULL: there is none, or it cannot be understood. */
static int read_list(struct listed *l, const struct os_folder *folder, const char *name,
                     const struct ras_value **json, struct ras_error *err)
{
    struct os_about about;
    int fd = os_folder_file(folder, name, OS_READ | OS_NO_LINK | OS_NO_WAIT);
    *json = NULL;
    if (fd < 0)
        return RAS_OK;
    bool fits = os_about_fd(fd, &about) == 0 && about.kind == OS_FILE && about.size <= JSON_MOST;
    uint8_t *at = fits ? out_room(&l->text, (size_t)about.size + 1) : NULL;
    int64_t got = at ? file_read_at(fd, at, (size_t)about.size, 0, NULL) : -1;
    os_close(fd);
    if (fits && !at)
        return fail_memory(err);
    if (got < 0 || row_read_value(&l->json, (struct ras_bytes){at, (size_t)got}, json, NULL) < 0 ||
        (*json)->kind != RAS_MAP)
        *json = NULL;
    return RAS_OK;
}

static int listed_run(struct listed *l, const struct ras_value *json, struct ras_error *err)
{
    const struct ras_value *pens = map_find(json, "pens"), *order = map_find(json, "order");
    if (!pens || pens->kind != RAS_MAP || !map_find(json, "run_version"))
        return RAS_OK;
    bool ok = add_listed(l, "run.json", RAS_NONE);
    for (const struct ras_value *v = pens + 1; ok && v < ras_value_next(pens);
         v = ras_value_next(v))
        ok = add_files(l, v, false);
    if (ok && order)
        ok = add_files(l, order, false);
    return ok ? RAS_OK : fail_memory(err);
}

static int listed_export(struct listed *l, const struct ras_value *json, struct ras_error *err)
{
    if (!map_find(json, "export_version"))
        return RAS_OK;
    return add_listed(l, MADE_EXPORT, RAS_NONE) && add_files(l, json, true) ? RAS_OK
                                                                            : fail_memory(err);
}

/* A list that cannot be understood lists nothing, not even itself. */
static int read_lists(struct listed *l, const struct os_folder *folder, enum made_kind kind,
                      struct ras_error *err)
{
    static const struct {
        const char *name;
        int (*add)(struct listed *, const struct ras_value *json, struct ras_error *);
    } lists[] = {
        [MADE_TRACES] = {"run.json", listed_run}, [MADE_EXPORTS] = {MADE_EXPORT, listed_export}};
    const struct ras_value *json;
    int status = read_list(l, folder, lists[kind].name, &json, err);
    if (status == RAS_OK && json)
        status = lists[kind].add(l, json, err);
    if (l->count)
        qsort(l->files, l->count, sizeof *l->files, listed_by_name);
    return status;
}

static const struct listed_file *find_listed(const struct listed *l, const char *name)
{
    const struct listed_file key = {.name = name};
    return l->count ? bsearch(&key, l->files, l->count, sizeof *l->files, listed_by_name) : NULL;
}

/* ---- proof ------------------------------------------------------------------------------- */

/* The first bytes of a file; -1: it cannot be read, which proves nothing. */
static int64_t read_beginning(const struct os_folder *folder, const char *name, uint8_t head[HEAD])
{
    int fd = os_folder_file(folder, name, OS_READ | OS_NO_LINK | OS_NO_WAIT);
    if (fd < 0)
        return -1;
    int64_t got = file_read_at(fd, head, HEAD, 0, NULL);
    os_close(fd);
    return got;
}

static bool is_of(const struct made_file *row, const uint8_t *head, size_t len)
{
    if (!len)
        return true; /* there is nothing to lose */
    size_t begin = row->begins ? strlen(row->begins) : 0;
    if (begin > len || memcmp(head, row->begins ? row->begins : "", begin) != 0)
        return false;
    return !row->holds || memmem(head, len, row->holds, strlen(row->holds));
}

static const struct made_file *find_row(const char *name)
{
    const struct ras_format *format;
    for (size_t i = 0; (format = registry_at(i)); i++)
        for (const struct made_file *row = format->makes; row && row->name; row++)
            if (!strcmp(row->name, name))
                return row;
    return NULL;
}

/* The beginning of what is compressed, as far as it can be had. */
static int64_t unpack_beginning(uint8_t head[HEAD], int64_t len)
{
    struct ras_bytes in = {head, len < 0 ? 0 : (size_t)len};
    uint8_t plain[HEAD];
    size_t made = 0;
    if (!zstd_is(in))
        return len;
    struct inflate *inflate = zstd_inflate_new();
    if (inflate)
        (void)inflate_step(inflate, &in, plain, sizeof plain, &made);
    inflate_free(inflate);
    memcpy(head, plain, made);
    return made ? (int64_t)made : -1;
}

/* *sure: its bytes prove it, not only its name. */
static bool is_made(const struct os_folder *folder, const char *name, bool *sure)
{
    uint8_t head[HEAD];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    const struct made_file *row = find_row(last);
    if (!row)
        return file_is_beside(last);
    int64_t len = unpack_beginning(head, read_beginning(folder, name, head));
    *sure |= len > 0 && (row->begins || row->holds);
    return len >= 0 && is_of(row, head, (size_t)len);
}

static int foreign(const char *path, const char *name, enum made_kind kind, struct ras_error *err)
{
    if (kind == MADE_EXPORTS)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s/%s was not written by an export, which replaces only what another one "
                    "wrote; choose another output",
                    path, name);
    if (!strcmp(name, MADE_EXPORT))
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s was written by an export, and only another one replaces it; choose another "
                    "output",
                    path);
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "%s/%s was not made by rastrum, which replaces only its own files; choose "
                "another output",
                path, name);
}

/* A file that is not listed. */
static bool is_proven(const struct os_folder *folder, const char *name, enum made_kind kind,
                      bool *sure)
{
    const char *slash = strrchr(name, '/');
    if (kind == MADE_TRACES)
        return is_made(folder, name, sure);
    return file_is_beside(slash ? slash + 1 : name);
}

/* A listed file must be as long as it was. */
static int check_listed(const struct made *m, const struct listed_file *file, const char *path,
                        struct ras_error *err)
{
    struct os_about about;
    if (file->size == RAS_NONE)
        return RAS_OK;
    if (os_folder_about(m->folder, file->name, false, &about) < 0)
        return fail_os(err, path);
    if (about.size == file->size)
        return RAS_OK;
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "%s/%s has %" PRIu64 " bytes, and rastrum wrote %" PRIu64
                ": it was changed and is not replaced; choose another output",
                path, file->name, about.size, file->size);
}

static int prove(const struct made *m, const char *path, enum made_kind kind, struct ras_error *err)
{
    struct listed listed = {0};
    int status = read_lists(&listed, m->folder, kind, err);
    bool sure = listed.count > 0;
    const char *unsure = NULL; /* the first that only its name speaks for */
    for (size_t i = 0; status == RAS_OK && i < m->count; i++) {
        const struct entry *e = &m->entries[i];
        bool proven = sure;
        const struct listed_file *file = e->is_file ? find_listed(&listed, e->name) : NULL;
        if (file)
            status = check_listed(m, file, path, err);
        if (e->is_dir || file)
            continue;
        if (!e->is_file || !is_proven(m->folder, e->name, kind, &sure))
            status = foreign(path, e->name, kind, err);
        else if (!proven && !sure && !unsure)
            unsure = e->name;
    }
    if (status == RAS_OK && unsure && !sure)
        status = foreign(path, unsure, kind, err);
    free(listed.files);
    row_reader_free(&listed.json);
    out_free(&listed.text);
    return status;
}

int made_open(struct made **out, const char *path, enum made_kind kind, struct ras_error *err)
{
    char name[HEAD] = "";
    *out = NULL;
    struct made *m = calloc(1, sizeof *m);
    if (!m)
        return fail_memory(err);
    m->folder = os_folder_open(path);
    int status = m->folder ? list_below(m, m->folder, name, 0, 0, err) : fail_os(err, path);
    if (status == RAS_OK && m->count)
        qsort(m->entries, m->count, sizeof *m->entries, entry_by_name);
    if (status == RAS_OK)
        status = prove(m, path, kind, err);
    if (status < 0) {
        made_free(m);
        return status;
    }
    *out = m;
    return RAS_OK;
}

int made_remove(const struct made *m, const char *path, struct ras_error *err)
{
    for (size_t i = m->count; i-- > 0;)
        os_folder_remove(m->folder, m->entries[i].name, m->entries[i].is_dir);
    if (os_remove_folder(path) == 0 || errno == ENOENT)
        return RAS_OK;
    return fail(err, RAS_EIO, RAS_NONE, "%s still holds files that came meanwhile: they are kept",
                path);
}

void made_free(struct made *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->count; i++)
        free(m->entries[i].name);
    os_folder_close(m->folder);
    free(m->entries);
    free(m);
}

/* ---- a file ------------------------------------------------------------------------------ */

/* A beginning suffices to know a trace, also that of a wrapping. */
static bool is_trace(const uint8_t *head, size_t len)
{
    const struct ras_options none = {0};
    const struct ras_limits limits = limits_of(&none);
    struct source *source;
    if (source_open_memory(&source, head, len, &none, &limits, NULL) < 0)
        return false;
    bool is = registry_detect(source, NULL) != NULL;
    source_close(source);
    return is;
}

/* Whether a file may be replaced: by a trace only a trace, by anything else anything but one.
 * What is empty or not there may be. */
static int check_replaced(const char *path, bool by_trace, struct ras_error *err)
{
    uint8_t head[HEAD];
    int fd = os_open(path, OS_READ | OS_NO_WAIT);
    if (fd < 0) /* not there; or unreadable, and then nothing is known of it */
        return errno == EACCES && by_trace ? fail_os(err, path) : RAS_OK;
    struct os_about about;
    bool regular = os_about_fd(fd, &about) == 0 && about.kind == OS_FILE;
    int64_t len = regular ? file_read_at(fd, head, sizeof head, 0, err) : 0;
    os_close(fd);
    if (len <= 0)
        return (int)len;
    bool trace = is_trace(head, (size_t)len);
    if (trace == by_trace)
        return RAS_OK;
    if (by_trace)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "%s is not a trace, and a trace replaces only a trace; choose another output",
                    path);
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "%s is a trace, and only another trace replaces it; choose another output", path);
}

int made_flags(unsigned flags, bool *replace, struct ras_error *err)
{
    *replace = flags & RAS_REPLACE;
    if (flags & ~(unsigned)RAS_REPLACE)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "flags 0x%x, of which this version of librastrum knows 0x%x", flags,
                    (unsigned)RAS_REPLACE);
    return RAS_OK;
}

int ras_sink_file(struct ras_sink **out, const char *path, unsigned flags, struct ras_error *err)
{
    bool replace;
    *out = NULL;
    int status = made_flags(flags, &replace, err);
    return status == RAS_OK ? sink_file(out, path, replace, 0666, err) : status;
}

static int sink_checked(struct ras_sink **out, const char *path, unsigned flags, bool by_trace,
                        struct ras_error *err)
{
    bool replace;
    *out = NULL;
    int status = made_flags(flags, &replace, err);
    if (status == RAS_OK && replace)
        status = check_replaced(path, by_trace, err);
    return status == RAS_OK ? sink_file(out, path, replace, 0666, err) : status;
}

int ras_sink_report(struct ras_sink **out, const char *path, unsigned flags, struct ras_error *err)
{
    return sink_checked(out, path, flags, false, err);
}

int ras_sink_trace(struct ras_sink **out, const char *path, unsigned flags, struct ras_error *err)
{
    return sink_checked(out, path, flags, true, err);
}
