/* run_json.c - run.json: what was run, how the axes of its traces belong together, and the
 * hashes of their files. */
#include "base/error.h"
#include "codec/json_write.h"
#include "core/folder.h"
#include "core/sink.h"
#include "world/world_run.h"

#include <string.h>

const char run_json_name[] = "run.json", run_order_name[] = "ticks.idx";

enum { VERSION = 2 };

/* ---- pens ------------------------------------------------------------------------------- */

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
            status = folder_json(j, run->folder, p->file, err);
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
    int status = folder_json(j, run->folder, run_order_name, err);
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
