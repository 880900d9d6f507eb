/* pens_dir.c - the directory of a run: who may write it, and run.json. */
#include "base/error.h"
#include "base/file.h"
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "core/folder.h"
#include "pens/pens_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 2 };

static const char manifest_name[] = "run.json", manifest_new[] = ".run.json",
                  order_name[] = "ticks.idx", stage_name[] = "pens.stage",
                  stage_new[] = ".pens.stage", calls_name[] = "calls";

char *text_cleaned(const char *text)
{
    struct out out = {0};
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        unsigned fault, good = utf8_sequence((const uint8_t *)text + i, len - i, &fault);
        if (good)
            out_bytes(&out, text + i, good);
        else
            out_text(&out, "\xef\xbf\xbd");
        i += good ? good : fault ? fault : len - i;
    }
    out_byte(&out, 0);
    if (out.failed) {
        out_free(&out);
        return NULL;
    }
    return (char *)out.at;
}

/* ---- the directory -------------------------------------------------------------------------- */

/* The files that pens write. */
static bool is_ours(const char *name)
{
    for (unsigned i = 0; i < SCRIBES; i++)
        if (!strcmp(name, scribes[i]->file))
            return true;
    return !strcmp(name, manifest_name) || !strcmp(name, order_name) || !strcmp(name, stage_name) ||
           !strcmp(name, manifest_new) || !strcmp(name, stage_new);
}

/* What is in it already: `run` is set when a run is; another file is refused by name. */
static int check_files(const struct pens_dir *d, bool *run, struct ras_error *err)
{
    int fd = dup(d->fd);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int status = RAS_OK;
    *run = false;
    if (!dir)
        return fail_os(err, d->path);
    for (struct dirent *e; status == RAS_OK && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, calls_name))
            continue;
        *run |= !strcmp(e->d_name, manifest_name);
        if (!is_ours(e->d_name))
            status = fail(err, RAS_EUSAGE, RAS_NONE, "%.100s has other files, such as %.100s",
                          d->path, e->d_name);
    }
    rewinddir(dir);
    closedir(dir);
    return status;
}

static void remove_files(const struct pens_dir *d)
{
    for (unsigned i = 0; i < SCRIBES; i++)
        unlinkat(d->fd, scribes[i]->file, 0);
    unlinkat(d->fd, order_name, 0);
    unlinkat(d->fd, stage_name, 0);
    unlinkat(d->fd, manifest_name, 0);
}

int pens_dir_open(struct pens_dir *d, const char *path, bool replace, struct ras_error *err)
{
    bool run = false;
    *d = (struct pens_dir){.path = text_copy(path, strlen(path)), .fd = -1};
    if (!d->path)
        return fail_memory(err);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return fail_os(err, path);
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0)
        return fail_os(err, path);
    if (flock(d->fd, LOCK_EX | LOCK_NB) < 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%.150s: another program writes this run", path);
    int status = check_files(d, &run, err);
    if (status == RAS_OK && run && !replace)
        status = fail(err, RAS_EUSAGE, RAS_NONE, "%.150s: a run is there already", path);
    if (status == RAS_OK)
        remove_files(d);
    return status;
}

void pens_dir_close(struct pens_dir *d)
{
    if (d->fd >= 0)
        close(d->fd);
    free(d->path);
    *d = (struct pens_dir){.fd = -1};
}

/* ---- run.json ------------------------------------------------------------------------------ */

static void put_named_file(struct json *j, const char *name)
{
    json_object(j, NULL);
    json_text(j, "name", name);
    json_close(j);
}

/* Before the run is closed only the names of its files are known. */
static int put_files(struct json *j, const struct run_facts *f, struct ras_folder *folder,
                     const char *name, struct ras_error *err)
{
    if (f->complete)
        return folder_json(j, folder, name, err);
    json_array(j, "files");
    put_named_file(j, name);
    if (!strcmp(name, order_name) && f->durable)
        put_named_file(j, stage_name);
    json_close(j);
    return RAS_OK;
}

static void put_varies(struct json *j, const char *const *varies)
{
    if (!varies)
        return;
    json_array(j, "varies");
    for (; *varies; varies++)
        json_text(j, NULL, *varies);
    json_close(j);
}

/* That the program handed over nothing is known only when it has closed its run. */
static const char *why_none(const struct run_facts *f, unsigned scribe)
{
    if (f->desk->excluded[scribe])
        return "not requested";
    return f->complete && !f->repaired ? scribes[scribe]->lacks
           : f->complete               ? "nothing of it was stored before the program ended"
                                       : "nothing of it was stored yet";
}

static int put_pens(struct json *j, const struct run_facts *f, struct ras_folder *folder,
                    struct ras_error *err)
{
    int status = RAS_OK;
    json_line(j, 1);
    json_object(j, "pens");
    for (unsigned i = 0; status == RAS_OK && i < SCRIBES; i++) {
        json_line(j, 2);
        json_object(j, scribes[i]->name);
        if (f->began[i]) {
            json_text(j, "file", scribes[i]->file);
            put_varies(j, scribes[i]->varies);
            status = put_files(j, f, folder, scribes[i]->file, err);
        } else {
            json_text(j, "left_out", why_none(f, i));
            if (!f->complete && !f->desk->excluded[i]) /* its file may begin at any moment */
                status = put_files(j, f, folder, scribes[i]->file, err);
        }
        json_close(j);
    }
    json_line(j, 2);
    json_object(j, "atf");
    if (f->calls)
        json_text(j, "file", calls_name);
    else
        json_text(j, "left_out", "no calls were recorded with it");
    if (!f->calls && !f->complete && status == RAS_OK)
        status = put_files(j, f, folder, calls_name, err);
    json_close(j);
    json_close(j);
    return status;
}

static void put_axes(struct json *j, const struct run_facts *f)
{
    const struct desk *d = f->desk;
    uint64_t first = d->run.first_tick;
    if (!d->ticks && !d->open)
        return;
    json_line(j, 1);
    json_object(j, "axes");
    json_object(j, "tick");
    json_uint(j, "first", first);
    if (f->complete)
        json_uint(j, "last", d->last);
    json_close(j);
    json_object(j, "frame");
    json_uint(j, "first", 0);
    if (f->complete)
        json_uint(j, "last", d->last - first);
    json_uint(j, "first_tick", first);
    json_uint(j, "per_tick", 1);
    json_close(j);
    json_close(j);
}

static void put_repaired(struct json *j, const struct ras_pens_repaired *r)
{
    json_line(j, 1);
    json_object(j, "repaired");
    json_uint(j, "staged", r->staged);
    json_object(j, "reached");
    for (size_t i = 0; i < r->reached_count; i++)
        json_uint_or_null(j, r->reached[i].format, r->reached[i].tick);
    json_close(j);
    json_close(j);
}

static void put_end(struct json *j, const struct run_end *e)
{
    json_object(j, "ended");
    json_uint_or_null(j, "tick", e->tick);
    if (e->known)
        json_bool(j, "inside", e->inside);
    else
        json_null(j, "inside");
    if (e->why)
        json_text(j, "why", e->why);
    json_close(j);
}

static void put_facts(struct json *j, const struct run_facts *f)
{
    const struct desk *d = f->desk;
    json_uint(j, "run_version", VERSION);
    json_line(j, 1);
    json_text(j, "program", d->run.program);
    json_line(j, 1);
    json_string(j, "recipe", d->run.settings.at, d->run.settings.len);
    json_line(j, 1);
    json_uint(j, "seed", d->run.seed);
    json_line(j, 1);
    json_f64(j, "dt_seconds", d->run.dt_seconds);
    json_line(j, 1);
    json_bool(j, "complete", f->complete);
    if (f->complete) {
        json_uint(j, "ticks", d->ticks);
        json_uint(j, "commands", d->commands);
    }
    if (f->ended)
        put_end(j, f->ended);
    if (f->repaired)
        put_repaired(j, f->repaired);
    json_line(j, 1);
    json_object(j, "versions");
    json_text(j, "rastrum", RASTRUM_VERSION);
    json_close(j);
}

static int make_json(struct out *out, const struct run_facts *f, struct ras_folder *folder,
                     struct ras_error *err)
{
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    put_facts(&j, f);
    put_axes(&j, f);
    json_line(&j, 1);
    json_object(&j, "order");
    json_text(&j, "file", order_name);
    json_bool(&j, "partial", true); /* calls, and files that were begun late, mark ticks */
    int status = put_files(&j, f, folder, order_name, err);
    json_close(&j);
    if (status == RAS_OK)
        status = put_pens(&j, f, folder, err);
    json_close(&j);
    json_newline(&j);
    return status == RAS_OK && out->failed ? fail_memory(err) : status;
}

int run_facts_put(const struct run_facts *f, struct ras_folder *folder, struct ras_error *err)
{
    struct out out = {0};
    struct ras_sink *sink;
    int status = make_json(&out, f, folder, err);
    if (status == RAS_OK)
        status = ras_folder_sink(folder, manifest_name, &sink, err);
    if (status == RAS_OK)
        status = sink_write_out(sink, &out, err);
    if (status == RAS_OK)
        status = ras_folder_finish(folder, sink, err);
    out_free(&out);
    return status;
}

int run_facts_write(const struct run_facts *f, int dir, struct ras_folder *folder,
                    struct ras_error *err)
{
    struct out out = {0};
    int status = make_json(&out, f, folder, err);
    int fd = status == RAS_OK
                 ? openat(dir, manifest_new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                 : -1;
    if (status == RAS_OK && fd < 0)
        status = fail_os(err, manifest_name);
    if (status == RAS_OK)
        status = file_write_all(fd, out.at, out.len, err);
    if (fd >= 0 && close(fd) < 0 && status == RAS_OK)
        status = fail_os(err, manifest_name);
    if (status == RAS_OK && renameat(dir, manifest_new, dir, manifest_name) < 0)
        status = fail_os(err, manifest_name);
    out_free(&out);
    return status;
}
