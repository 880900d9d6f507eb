/* run_json.c - run.json: what was run, how the axes of its traces belong together, and the
 * hashes of their files. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "codec/json_write.h"
#include "codec/sha256.h"
#include "core/folder.h"
#include "core/sink.h"
#include "world/world_run.h"

#include <stdio.h>
#include <stdlib.h>

const char run_json_name[] = "run.json", run_order_name[] = "ticks.idx";

enum { VERSION = 2, PIECE = 1 << 16 };

/* ---- files ------------------------------------------------------------------------------- */

static int hash_file(int fd, struct sha256 *sha, uint64_t *size, struct ras_error *err)
{
    uint8_t *piece = malloc(PIECE);
    int64_t got = piece ? 1 : fail_memory(err);
    for (*size = 0; got > 0; *size += (uint64_t)got) {
        got = file_read_at(fd, piece, PIECE, *size, err);
        if (got < 0)
            break;
        sha256_add(sha, piece, (size_t)got);
    }
    free(piece);
    return got < 0 ? (int)got : RAS_OK;
}

static int hash_part(const struct pen_run *run, size_t i, struct sha256 *sha, uint64_t *size,
                     struct ras_error *err)
{
    char path[4096];
    size_t count;
    const struct ras_part *part = &folder_files(run->folder, &count)[i];
    const char *place = folder_place(run->folder);
    const struct sink_digest *known = folder_digest(run->folder, i);
    *size = known ? known->size : part->bytes.len;
    if (known) {
        *sha = known->sha;
        return RAS_OK;
    }
    if (!place) {
        sha256_add(sha, part->bytes.at, part->bytes.len);
        return RAS_OK;
    }
    if (snprintf(path, sizeof path, "%s/%s", place, part->name) >= (int)sizeof path)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %zu bytes", strlen(place));
    int fd = os_open(path, OS_READ);
    if (fd < 0)
        return fail_os(err, path);
    int status = hash_file(fd, sha, size, err);
    os_close(fd);
    return status;
}

static int put_file(struct json *j, const struct pen_run *run, const char *name, size_t i,
                    struct ras_error *err)
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    uint64_t size;
    int status = hash_part(run, i, &sha, &size, err);
    if (status < 0)
        return status;
    sha256_end(&sha, digest);
    json_object(j, NULL);
    json_text(j, "name", name);
    json_uint(j, "size_bytes", size);
    json_blob(j, "sha256", digest, sizeof digest);
    json_close(j);
    return RAS_OK;
}

/* The files of a pen: one of its name, or all that are below it. */
static int put_files(struct json *j, const struct pen_run *run, const char *file,
                     struct ras_error *err)
{
    size_t count, len = strlen(file);
    const struct ras_part *parts = folder_files(run->folder, &count);
    int status = RAS_OK;
    json_array(j, "files");
    for (size_t i = 0; status == RAS_OK && i < count; i++) {
        const char *name = parts[i].name;
        if (!strncmp(name, file, len) && (!name[len] || name[len] == '/'))
            status = put_file(j, run, name, i, err);
    }
    json_close(j);
    return status;
}

static void put_varies(struct json *j, const char *name)
{
    const struct pen_type *const *pen = pens;
    while (*pen && strcmp((*pen)->name, name) != 0)
        pen++;
    if (!*pen || !(*pen)->varies)
        return;
    json_array(j, "varies");
    for (const char *const *path = (*pen)->varies; *path; path++)
        json_text(j, NULL, *path);
    json_close(j);
}

static int put_pens(struct json *j, const struct pen_run *run, const struct ras_run *result,
                    struct ras_error *err)
{
    int status = RAS_OK;
    json_line(j, 1);
    json_object(j, "pens");
    for (size_t i = 0; status == RAS_OK && i < result->pen_count; i++) {
        const struct ras_run_pen *p = &result->pens[i];
        json_line(j, 2);
        json_object(j, p->name);
        if (!p->requested || p->lacks) {
            json_text(j, "left_out", p->requested ? p->lacks : "not requested");
        } else {
            json_text(j, "file", p->file);
            put_varies(j, p->name);
            status = put_files(j, run, p->file, err);
        }
        json_close(j);
    }
    json_close(j);
    return status;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void put_run(struct json *j, const struct pen_run *run, const struct ras_run *result)
{
    json_uint(j, "run_version", VERSION);
    json_line(j, 1);
    json_text(j, "world", run->type->name);
    json_line(j, 1);
    json_string(j, "recipe", run->recipe.at, run->recipe.len);
    json_line(j, 1);
    json_uint(j, "seed", run->seed);
    json_line(j, 1);
    json_text(j, "player",
              run->options->commands ? "commands"
              : run->type->play      ? "world"
                                     : "nobody");
    json_line(j, 1);
    json_uint(j, "ticks", result->ticks);
    json_uint(j, "commands", result->commands);
    json_uint(j, "applied", result->applied);
    json_hex(j, "snapshot_hash", result->hash, 16);
    json_line(j, 1);
    json_object(j, "versions");
    json_text(j, "rastrum", RASTRUM_VERSION);
    json_uint(j, "world_interface", RAS_WORLD_ABI);
    json_close(j);
}

static void put_stray(struct json *j, const struct pen_run *run, const struct ras_run *result)
{
    static const char *const names[RAS_PERTURBATIONS] = {
        [RAS_PERTURB_RNG] = "rng",
        [RAS_PERTURB_FLOAT] = "float",
        [RAS_PERTURB_ORDER] = "order",
        [RAS_PERTURB_DROP] = "drop-command",
    };
    json_line(j, 1);
    if (result->perturbed_tick == RAS_NONE) {
        json_null(j, "perturbed");
        return;
    }
    json_object(j, "perturbed");
    json_uint(j, "tick", result->perturbed_tick);
    json_text(j, "what", names[run->options->perturb]);
    json_close(j);
}

static void put_axis(struct json *j, const char *key, uint64_t first, uint64_t last)
{
    json_object(j, key);
    json_uint(j, "first", first);
    json_uint(j, "last", last);
}

/* A tick is a frame, and the first of both is the first. */
static void put_axes(struct json *j, const struct ras_run *result, const struct run_times *times)
{
    json_line(j, 1);
    json_object(j, "axes");
    put_axis(j, "tick", 1, result->ticks);
    json_close(j);
    json_line(j, 2);
    put_axis(j, "frame", 0, result->ticks - 1);
    json_uint(j, "first_tick", 1);
    json_uint(j, "per_tick", 1);
    json_close(j);
    json_line(j, 2);
    json_object(j, "time_ns");
    json_text(j, "clock", "boottime");
    json_bool(j, "approximate", true);
    json_uint(j, "first", result->begin_ns);
    json_uint(j, "last", result->begin_ns + result->elapsed_ns);
    json_line(j, 3);
    json_uint(j, "first_tick", 1);
    json_uint(j, "every", times->every);
    json_array(j, "begin");
    for (uint32_t i = 0; i < times->count; i++)
        json_uint(j, NULL, times->begin_ns[i]);
    json_close(j);
    json_close(j);
    json_close(j);
}

/* The index of ticks, which belongs to no pen. */
static int put_order(struct json *j, const struct pen_run *run, struct ras_error *err)
{
    json_line(j, 1);
    json_object(j, "order");
    json_text(j, "file", run_order_name);
    int status = put_files(j, run, run_order_name, err);
    json_close(j);
    return status;
}

int run_json(const struct pen_run *run, const struct ras_run *result, const struct run_times *times,
             struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    struct ras_sink *sink;
    json_object(&j, NULL);
    put_run(&j, run, result);
    put_stray(&j, run, result);
    put_axes(&j, result, times);
    int status = put_order(&j, run, err);
    if (status == RAS_OK)
        status = put_pens(&j, run, result, err);
    json_close(&j);
    json_newline(&j);
    if (status == RAS_OK)
        status = ras_folder_sink(run->folder, run_json_name, &sink, err);
    if (status == RAS_OK)
        status = sink_write_out(sink, &out, err);
    if (status == RAS_OK)
        status = ras_folder_finish(run->folder, sink, err);
    out_free(&out);
    return status;
}
