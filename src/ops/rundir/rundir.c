/* rundir.c - a run directory: run.json, and the traces that it names. */
#include "ops/rundir/rundir_axes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "core/directory.h"
#include "core/fetched.h"
#include "core/source.h"

#include <stdlib.h>

enum { JSON_MOST = 16 << 20, ENTRIES_MOST = 64, FILES_MOST = 65535 };

static const char run_json[] = "run.json";

static char *joined(struct arena *arena, const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = arena_take(arena, size);
    if (path)
        snprintf(path, size, "%s/%s", dir, name);
    return path;
}

/* A copy without trailing slashes, unless it has nothing else. */
static char *without_slashes(struct arena *arena, const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    char *copy = arena_take(arena, len + 1);
    if (copy) {
        memcpy(copy, path, len);
        copy[len] = 0;
    }
    return copy;
}

bool ras_rundir_exists(const char *path)
{
    struct os_about about;
    struct arena room = {0};
    if (fetched_is_url(path))
        return fetched_has(path, run_json);
    char *json = joined(&room, path, run_json);
    bool is = json && os_about(path, &about) == 0 && about.kind == OS_FOLDER &&
              os_about(json, &about) == 0 && about.kind == OS_FILE;
    arena_free(&room);
    return is;
}

static const struct ras_part *part_named(const struct ras_part *parts, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(parts[i].name, name))
            return &parts[i];
    return NULL;
}

bool ras_rundir_exists_in(const struct ras_part *parts, size_t count)
{
    return part_named(parts, count, run_json) != NULL;
}

bool rundir_part(const struct ras_rundir *run, const char *name, const struct ras_part **part)
{
    const struct rundir *h = (const struct rundir *)run;
    *part = h->parts ? part_named(h->parts, h->part_count, name) : NULL;
    return h->parts != NULL;
}

/* ---- run.json ------------------------------------------------------------------------- */

static int read_file(int fd, struct rundir *h, struct ras_bytes *text, struct ras_error *err)
{
    struct os_about about;
    if (os_about_fd(fd, &about) < 0)
        return fail_os(err, "cannot read");
    if (about.size > JSON_MOST)
        return fail(err, RAS_ELIMIT, 0, "%" PRIu64 " bytes, more than %d", about.size, JSON_MOST);
    uint8_t *bytes = arena_take(&h->texts, about.size + 1);
    if (!bytes)
        return fail_memory(err);
    int64_t got = file_read_at(fd, bytes, (size_t)about.size, 0, NULL);
    *text = (struct ras_bytes){bytes, got < 0 ? 0 : (size_t)got};
    return got < 0 ? fail_os(err, "cannot read") : RAS_OK;
}

static int json_bytes(struct rundir *h, struct ras_bytes *text, struct ras_error *err)
{
    const struct ras_part *part;
    if (rundir_part(&h->run, run_json, &part)) {
        *text = part->bytes;
        return text->len <= JSON_MOST
                   ? RAS_OK
                   : fail(err, RAS_ELIMIT, 0, "%zu bytes, more than %d", text->len, JSON_MOST);
    }
    const char *path = joined(&h->texts, h->run.path, run_json);
    if (!path)
        return fail_memory(err);
    int fd = os_open(path, OS_READ | OS_NO_WAIT);
    if (fd < 0)
        return fail_os(err, "cannot open");
    int status = read_file(fd, h, text, err);
    os_close(fd);
    return status;
}

static int read_json(struct rundir *h, struct ras_error *err)
{
    struct ras_bytes text;
    int status = json_bytes(h, &text, err);
    const struct ras_value *json = NULL;
    if (status == RAS_OK)
        status = row_read_value(&h->json, text, &json, err);
    if (status < 0)
        return status;
    if (json->kind != RAS_MAP || !map_find(json, "pens") || map_find(json, "pens")->kind != RAS_MAP)
        return fail(err, RAS_EFORMAT, 0, "no map with the pens of a run");
    h->run.json = json;
    return RAS_OK;
}

const struct ras_value *rundir_find(const struct ras_rundir *run, const char *const *path)
{
    const struct ras_value *at = run->json;
    while (at && *path)
        at = at->kind == RAS_MAP ? map_find(at, *path++) : NULL;
    return at;
}

bool rundir_uint(const struct ras_rundir *run, const char *const *path, uint64_t *value)
{
    const struct ras_value *at = rundir_find(run, path);
    return at && cell_uint(at, value);
}

/* ---- pens ----------------------------------------------------------------------------- */

/* A NUL-terminated text of run.json; NULL: not a string, or it has a NUL inside. */
static const char *text_of(const struct ras_value *map, const char *key)
{
    const struct ras_value *v = map->kind == RAS_MAP ? map_find(map, key) : NULL;
    return v && v->kind == RAS_STR && strlen(v->at) == v->count ? v->at : NULL;
}

/* A path that stays below the directory. */
static bool stays(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/' && at != path;
        if (!*at || *at == '/' || !strncmp(at, "../", 3) || !strcmp(at, ".."))
            return false;
    }
    return true;
}

static size_t items_in(const struct ras_value *list)
{
    size_t n = 0;
    if (list && list->kind == RAS_LIST)
        for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v))
            n++;
    return n < FILES_MOST ? n : FILES_MOST;
}

static bool read_files(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_value *from)
{
    const struct ras_value *list = map_find(from, "files");
    size_t most = items_in(list);
    pen->files = arena_take(&h->texts, most * sizeof *pen->files);
    if (!pen->files)
        return false;
    for (const struct ras_value *v = most ? list + 1 : NULL; most--; v = ras_value_next(v)) {
        const struct ras_value *size = v->kind == RAS_MAP ? map_find(v, "size_bytes") : NULL;
        struct ras_rundir_file f = {text_of(v, "name"), RAS_NONE, text_of(v, "sha256")};
        if (!f.name || !stays(f.name))
            continue;
        if (size && !cell_uint(size, &f.size_bytes))
            f.size_bytes = RAS_NONE;
        pen->files[pen->file_count++] = f;
    }
    return true;
}

static bool read_varies(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_value *from)
{
    const struct ras_value *list = map_find(from, "varies");
    size_t most = items_in(list);
    pen->varies = arena_take(&h->texts, most * sizeof *pen->varies);
    if (!pen->varies)
        return false;
    for (const struct ras_value *v = most ? list + 1 : NULL; most--; v = ras_value_next(v))
        if (v->kind == RAS_STR && strlen(v->at) == v->count)
            pen->varies[pen->vary_count++] = v->at;
    return true;
}

/* From memory: a file, or all those below a directory. */
static int open_parts(const struct rundir *h, struct ras_rundir_pen *pen,
                      const struct ras_options *how)
{
    const struct ras_part *whole = part_named(h->parts, h->part_count, pen->file);
    if (whole)
        return ras_open_memory(&pen->trace, whole->bytes.at, whole->bytes.len, how, &pen->err);
    struct ras_part *below = calloc(h->part_count, sizeof *below);
    size_t len = strlen(pen->file), count = 0;
    if (!below)
        return fail_memory(&pen->err);
    for (size_t i = 0; i < h->part_count; i++)
        if (!strncmp(h->parts[i].name, pen->file, len) && h->parts[i].name[len] == '/')
            below[count++] = (struct ras_part){h->parts[i].name + len + 1, h->parts[i].bytes};
    int status = count ? ras_open_parts(&pen->trace, below, count, how, &pen->err)
                       : fail(&pen->err, RAS_EIO, RAS_NONE, "%.200s is not there", pen->file);
    free(below);
    return status;
}

static int open_fetched(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_options *how)
{
    pen->path = joined(&h->texts, h->run.path, pen->file);
    return pen->path ? open_parts(h, pen, how) : fail_memory(&pen->err);
}

static int open_path(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_options *how)
{
    pen->path = joined(&h->texts, h->run.path, pen->file);
    return pen->path ? ras_open(&pen->trace, pen->path, how, &pen->err) : fail_memory(&pen->err);
}

static void open_trace(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_options *how)
{
    if ((h->fetched ? open_fetched(h, pen, how)
         : h->parts ? open_parts(h, pen, how)
                    : open_path(h, pen, how)) < 0)
        return;
    const char *found = ras_format_of(pen->trace)->name;
    if (!pen->format)
        pen->format = found;
    if (!strcmp(found, pen->format))
        return;
    ras_close(pen->trace);
    pen->trace = NULL;
    fail(&pen->err, RAS_EFORMAT, RAS_NONE, "a trace of the format %s, not %s", found, pen->format);
}

/* Of a run that its program did not close: a file that had not begun when run.json was written has
 * its name there, and may have begun since. */
static bool find_begun(struct rundir *h, struct ras_rundir_pen *pen, const struct ras_value *from,
                       const struct ras_options *how)
{
    struct ras_rundir_pen begun = *pen;
    if (!rundir_is_incomplete(&h->run))
        return true;
    if (!read_files(h, &begun, from))
        return false;
    if (!begun.file_count)
        return true;
    begun.file = begun.files[0].name;
    begun.left_out = NULL;
    open_trace(h, &begun, how);
    if (begun.trace)
        *pen = begun;
    return true;
}

static bool read_pen(struct rundir *h, const struct ras_value *key, const struct ras_value *from,
                     const struct ras_options *how)
{
    struct ras_rundir_pen *pen = &h->run.pens[h->run.pen_count++];
    pen->format = key->at;
    pen->file = text_of(from, "file");
    pen->left_out = text_of(from, "left_out");
    if (!pen->file) {
        if (!pen->left_out)
            fail(&pen->err, RAS_EFORMAT, RAS_NONE, "run.json does not say where it is");
        return find_begun(h, pen, from, how);
    }
    if (!stays(pen->file)) {
        fail(&pen->err, RAS_EFORMAT, RAS_NONE, "'%.100s' is not a path in the run directory",
             pen->file);
        pen->file = NULL;
        return true;
    }
    if (!read_files(h, pen, from) || !read_varies(h, pen, from))
        return false;
    open_trace(h, pen, how);
    return true;
}

static bool grow_pens(struct rundir *h)
{
    h->run.pens = calloc(ENTRIES_MOST, sizeof *h->run.pens);
    return h->run.pens != NULL;
}

static int read_pens(struct rundir *h, const struct ras_options *how, struct ras_error *err)
{
    const struct ras_value *pens = map_find(h->run.json, "pens"), *end = ras_value_next(pens);
    if (!grow_pens(h))
        return fail_memory(err);
    for (const struct ras_value *key = pens + 1, *v; key < end; key = ras_value_next(v)) {
        v = key + 1;
        if (h->run.pen_count < ENTRIES_MOST && !read_pen(h, key, v, how))
            return fail_memory(err);
    }
    return RAS_OK;
}

/* ---- without run.json ------------------------------------------------------------------- */

/* The first names of the paths of all files, each once. */
static bool is_another(const struct ras_rundir *run, const char *name, size_t len)
{
    for (size_t i = 0; i < run->pen_count; i++)
        if (!strncmp(run->pens[i].file, name, len) && !run->pens[i].file[len])
            return false;
    return !(len == sizeof run_json - 1 && !memcmp(name, run_json, len)) &&
           !(len == strlen(rundir_sidecar) && !memcmp(name, rundir_sidecar, len));
}

static int find_pens(struct rundir *h, const struct ras_options *how, struct ras_error *err)
{
    struct directory *dir;
    int status = directory_open(&dir, h->run.path, FILES_MOST, err);
    if (status < 0)
        return status;
    if (!grow_pens(h))
        status = fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < directory_count(dir); i++) {
        const char *name = directory_name(dir, i);
        size_t len = strcspn(name, "/");
        if (h->run.pen_count == ENTRIES_MOST || !is_another(&h->run, name, len))
            continue;
        struct ras_rundir_pen *pen = &h->run.pens[h->run.pen_count];
        char *file = arena_take(&h->texts, len + 1);
        if (!file) {
            status = fail_memory(err);
            break;
        }
        memcpy(file, name, len);
        file[len] = 0;
        *pen = (struct ras_rundir_pen){.file = file};
        open_trace(h, pen, how);
        if (pen->trace)
            h->run.pen_count++;
    }
    directory_close(dir);
    return status;
}

/* ---- the directory ------------------------------------------------------------------------ */

static int rundir_open(struct ras_rundir **out, struct rundir *h, const struct ras_options *how,
                       struct ras_error *err)
{
    bool any = false;
    int status = h->run.path ? RAS_OK : fail_memory(err);
    if (status == RAS_OK)
        status = read_json(h, &h->run.json_err) == RAS_OK ? read_pens(h, how, err)
                 : h->parts                               ? RAS_OK
                                                          : find_pens(h, how, err);
    for (size_t i = 0; i < h->run.pen_count; i++)
        any |= h->run.pens[i].trace != NULL;
    if (status == RAS_OK && !any && h->run.json_err.status)
        status = fail(err, RAS_EFORMAT, RAS_NONE, "%s: %.160s; and there is no trace in it",
                      run_json, h->run.json_err.text);
    if (status < 0)
        ras_rundir_close(&h->run);
    else
        *out = &h->run;
    return status;
}

int ras_rundir_open(struct ras_rundir **out, const char *path, const struct ras_options *how,
                    struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    how = OPTIONS(&own, how, err);
    if (!how)
        return RAS_EUSAGE;
    struct rundir *h = calloc(1, sizeof *h);
    if (!h)
        return fail_memory(err);
    h->run.path = without_slashes(&h->texts, path);
    if (fetched_is_url(path)) {
        int status = fetched_open(&h->fetched, path, how, err);
        if (status < 0) {
            ras_rundir_close(&h->run);
            return status;
        }
        h->parts = fetched_parts(h->fetched, &h->part_count);
    }
    return rundir_open(out, h, how, err);
}

int ras_rundir_open_parts(struct ras_rundir **out, const char *name, const struct ras_part *parts,
                          size_t count, const struct ras_options *how, struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    how = OPTIONS(&own, how, err);
    if (!how)
        return RAS_EUSAGE;
    if (!ras_rundir_exists_in(parts, count))
        return fail(err, RAS_EUSAGE, RAS_NONE, "there is no %s among the files", run_json);
    struct rundir *h = calloc(1, sizeof *h);
    if (!h)
        return fail_memory(err);
    h->parts = parts;
    h->part_count = count;
    h->run.path = without_slashes(&h->texts, name);
    return rundir_open(out, h, how, err);
}

void ras_rundir_close(struct ras_rundir *run)
{
    struct rundir *h = (struct rundir *)run;
    if (!h)
        return;
    for (size_t i = 0; i < run->pen_count; i++)
        ras_close(run->pens[i].trace);
    free(run->pens);
    tick_index_free(&h->index);
    source_close(h->sidecar);
    fetched_close(h->fetched);
    row_reader_free(&h->json);
    arena_free(&h->texts);
    free(h);
}

const char *ras_rundir_part(const struct ras_rundir *run, uint32_t part)
{
    if (part == run->pen_count + 1)
        return rundir_sidecar;
    return part < run->pen_count && run->pens[part].file ? run->pens[part].file : run_json;
}
