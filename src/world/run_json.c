/* run_json.c - run.json: what was run, how the axes of its traces belong together, and the
 * hashes of their files. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "codec/sha256.h"
#include "core/folder.h"
#include "world/running.h"

#include <stdio.h>
#include <stdlib.h>

const char run_json_name[] = "run.json", run_order_name[] = "ticks.idx";

enum { VERSION = 2, PIECE = 1 << 16 };

static void key(struct out *out, const char *name)
{
    json_string(out, name, strlen(name));
    out_byte(out, ':');
}

static void key_text(struct out *out, const char *name, const char *text)
{
    key(out, name);
    json_string(out, text, strlen(text));
}

static void key_number(struct out *out, const char *name, uint64_t value)
{
    key(out, name);
    out_u64(out, value);
}

/* ---- files ------------------------------------------------------------------------------ */

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

static int put_file(struct out *out, const struct pen_run *run, const char *name, size_t i,
                    struct ras_error *err)
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    uint64_t size;
    int status = hash_part(run, i, &sha, &size, err);
    if (status < 0)
        return status;
    sha256_end(&sha, digest);
    out_text(out, "{");
    key_text(out, "name", name);
    out_byte(out, ',');
    key_number(out, "size_bytes", size);
    out_byte(out, ',');
    key(out, "sha256");
    json_hex_bytes(out, digest, sizeof digest);
    out_byte(out, '}');
    return RAS_OK;
}

/* The files of a pen: one of its name, or all that are below it. */
static int put_files(struct out *out, const struct pen_run *run, const char *file,
                     struct ras_error *err)
{
    size_t count, len = strlen(file);
    const struct ras_part *parts = folder_files(run->folder, &count);
    const char *comma = "";
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < count; i++) {
        const char *name = parts[i].name;
        if (strncmp(name, file, len) != 0 || (name[len] && name[len] != '/'))
            continue;
        out_text(out, comma);
        comma = ",";
        status = put_file(out, run, name, i, err);
    }
    return status;
}

static void put_varies(struct out *out, const char *name)
{
    const struct pen_type *const *pen = pens;
    while (*pen && strcmp((*pen)->name, name) != 0)
        pen++;
    if (!*pen || !(*pen)->varies)
        return;
    out_text(out, ",\"varies\":[");
    for (const char *const *path = (*pen)->varies; *path; path++) {
        out_text(out, path == (*pen)->varies ? "" : ",");
        json_string(out, *path, strlen(*path));
    }
    out_byte(out, ']');
}

static int put_pens(struct out *out, const struct pen_run *run, const struct ras_run *told,
                    struct ras_error *err)
{
    int status = RAS_OK;
    out_text(out, ",\n \"pens\":{");
    for (size_t i = 0; status == RAS_OK && i < told->pen_count; i++) {
        const struct ras_run_pen *p = &told->pens[i];
        out_text(out, i ? ",\n  " : "\n  ");
        key(out, p->name);
        out_byte(out, '{');
        if (!p->asked || p->lacks) {
            key_text(out, "left_out", p->asked ? p->lacks : "not asked for");
        } else {
            key_text(out, "file", p->file);
            put_varies(out, p->name);
            out_text(out, ",\"files\":[");
            status = put_files(out, run, p->file, err);
            out_byte(out, ']');
        }
        out_byte(out, '}');
    }
    out_text(out, "}");
    return status;
}

/* ---- the rest --------------------------------------------------------------------------- */

static void put_run(struct out *out, const struct pen_run *run, const struct ras_run *told)
{
    out_format(out, "{\"run_version\":%d", VERSION);
    out_text(out, ",\n ");
    key_text(out, "world", run->type->name);
    out_text(out, ",\n \"recipe\":");
    json_string(out, run->recipe.at, run->recipe.len);
    out_text(out, ",\n ");
    key_number(out, "seed", run->seed);
    out_text(out, ",\n ");
    key_text(out, "player",
             run->asked->commands ? "commands"
             : run->type->play    ? "world"
                                  : "nobody");
    out_text(out, ",\n ");
    key_number(out, "ticks", told->ticks);
    out_byte(out, ',');
    key_number(out, "commands", told->commands);
    out_byte(out, ',');
    key_number(out, "applied", told->applied);
    out_text(out, ",\"snapshot_hash\":\"");
    out_hex(out, told->hash, 16);
    out_text(out, "\",\n \"versions\":{");
    key_text(out, "rastrum", RASTRUM_VERSION);
    out_byte(out, ',');
    key_number(out, "world_interface", RAS_WORLD_ABI);
    out_byte(out, '}');
}

static void put_stray(struct out *out, const struct pen_run *run, const struct ras_run *told)
{
    static const char *const names[RAS_PERTURBATIONS] = {
        [RAS_PERTURB_RNG] = "rng",
        [RAS_PERTURB_FLOAT] = "float",
        [RAS_PERTURB_ORDER] = "order",
        [RAS_PERTURB_DROP] = "drop-command",
    };
    out_text(out, ",\n \"perturbed\":");
    if (told->perturbed_tick == RAS_NONE) {
        out_text(out, "null");
        return;
    }
    out_byte(out, '{');
    key_number(out, "tick", told->perturbed_tick);
    out_byte(out, ',');
    key_text(out, "what", names[run->asked->perturb]);
    out_byte(out, '}');
}

/* A tick is a frame, and the first of both is the first. */
static void put_axes(struct out *out, const struct ras_run *told, const struct run_times *times)
{
    out_text(out, ",\n \"axes\":{\"tick\":{\"first\":1,");
    key_number(out, "last", told->ticks);
    out_text(out, "},\n  \"frame\":{\"first\":0,");
    key_number(out, "last", told->ticks - 1);
    out_text(out, ",\"first_tick\":1,\"per_tick\":1},\n  \"time_ns\":{\"clock\":\"boottime\","
                  "\"approximate\":true,");
    key_number(out, "first", told->begin_ns);
    out_byte(out, ',');
    key_number(out, "last", told->begin_ns + told->elapsed_ns);
    out_text(out, ",\n   \"first_tick\":1,");
    key_number(out, "every", times->every);
    out_text(out, ",\"begin\":[");
    for (uint32_t i = 0; i < times->count; i++) {
        if (i)
            out_byte(out, ',');
        out_u64(out, times->begin_ns[i]);
    }
    out_text(out, "]}}");
}

/* The index of ticks, which is no pen's. */
static int put_order(struct out *out, const struct pen_run *run, struct ras_error *err)
{
    out_text(out, ",\n \"order\":{");
    key_text(out, "file", run_order_name);
    out_text(out, ",\"files\":[");
    int status = put_files(out, run, run_order_name, err);
    out_text(out, "]}");
    return status;
}

int run_json(const struct pen_run *run, const struct ras_run *told, const struct run_times *times,
             struct ras_error *err)
{
    struct out out = {0};
    struct ras_sink *sink;
    put_run(&out, run, told);
    put_stray(&out, run, told);
    put_axes(&out, told, times);
    int status = put_order(&out, run, err);
    if (status == RAS_OK)
        status = put_pens(&out, run, told, err);
    out_text(&out, "}\n");
    if (status == RAS_OK && out.failed)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = ras_folder_sink(run->folder, run_json_name, &sink, err);
    if (status == RAS_OK)
        status = ras_sink_write(sink, out.at, out.len, err);
    if (status == RAS_OK)
        status = ras_folder_finish(run->folder, sink, err);
    out_free(&out);
    return status;
}
