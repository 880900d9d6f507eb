/* target.c - the table of export targets, and the entry of the verb. */
#include "export/target.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/json_write.h"
#include "core/folder.h"
#include "core/made.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct target *const targets[] = {
    /* timelines */
    &perfetto_target,
    &chrome_target,
    &speedscope_target,
    &folded_target,
    &pprof_target,
    &firefox_target,
    &ctf_target,
    /* tables */
    &parquet_target,
    &sqlite_target,
    &arrow_target,
    &clickhouse_target,
    &csv_target,
    &jsonl_target,
    &dataset_target,
};
enum { TARGET_COUNT = sizeof targets / sizeof *targets };

const struct ras_export_target *ras_export_target_at(size_t i)
{
    return i < TARGET_COUNT ? &targets[i]->about : NULL;
}

static const struct target *target_find(const char *name)
{
    for (size_t i = 0; name && i < TARGET_COUNT; i++)
        if (!strcmp(targets[i]->about.name, name))
            return targets[i];
    return NULL;
}

const struct ras_export_target *ras_export_target_of(const char *name)
{
    const struct target *found = target_find(name);
    return found ? &found->about : NULL;
}

static int target_unknown(const char *name, struct ras_error *err)
{
    struct ras_near near;
    char meant[120], all[160] = "";
    if (!name)
        return fail(err, RAS_EUSAGE, RAS_NONE, "no target to export to");
    ras_near_start(&near, name);
    for (size_t i = 0, len = 0; i < TARGET_COUNT && len < sizeof all; i++) {
        ras_near_add(&near, targets[i]->about.name);
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", i ? ", " : "",
                                targets[i]->about.name);
    }
    ras_near_text(&near, meant, sizeof meant);
    return fail(err, RAS_ENAME, RAS_NONE, "there is no target '%.40s'%s%shere are: %s", name, meant,
                *meant ? " T" : "; t", all);
}

static bool count_add(struct ras_export_count **counts, size_t *count, const char *what,
                      uint64_t more)
{
    size_t room = *count;
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*counts)[i].what, what)) {
            (*counts)[i].count += more;
            return true;
        }
    if (!more)
        return true;
    if (!array_grow(counts, &room, *count + 1, sizeof **counts))
        return false;
    (*counts)[(*count)++] = (struct ras_export_count){what, more};
    return true;
}

bool export_wrote(struct export_job *job, const char *what, uint64_t count)
{
    return count_add(&job->result->written, &job->result->written_count, what, count);
}

bool export_lost(struct export_job *job, const char *why, uint64_t count)
{
    return count_add(&job->result->lost, &job->result->lost_count, why, count);
}

void ras_export_result_free(struct ras_export_result *result)
{
    if (!result)
        return;
    free(result->written);
    free(result->lost);
    free(result);
}

static int write_timeline(const struct target *target, struct export_job *job,
                          struct ras_error *err)
{
    struct timeline_outcome o = {0};
    int status = timeline_run(target->timeline, job->trace, job->run, job->how, &o, err);
    bool ok = export_wrote(job, "tracks", o.tracks) && export_wrote(job, "slices", o.slices) &&
              export_wrote(job, "instants", o.instants) &&
              export_wrote(job, "counter values", o.counters) &&
              export_wrote(job, "samples", o.samples) && export_wrote(job, "flows", o.flows);
    for (size_t i = 0; ok && i < o.lost_count; i++)
        ok = export_lost(job, o.lost[i].what, o.lost[i].count);
    free(o.lost);
    return status < 0 || ok ? status : fail_memory(err);
}

/* ---- directories --------------------------------------------------------------------------- */

static void list_put(struct out *out, struct ras_folder *folder, const char *target)
{
    size_t count;
    const struct ras_part *files = folder_files(folder, &count);
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    json_uint(&j, "export_version", 1);
    json_text(&j, "to", target);
    json_text(&j, "rastrum", ras_version());
    json_array(&j, "files");
    for (size_t i = 0; i < count; i++) {
        json_object(&j, NULL);
        json_text(&j, "name", files[i].name);
        json_uint(&j, "size_bytes", folder_size(folder, i));
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    out_byte(out, '\n');
}

/* What was written is listed in it, so that another export may replace exactly that. */
static int leave_list(const struct export_job *job, struct ras_error *err)
{
    struct ras_folder *folder = job->how->folder;
    struct ras_sink *sink;
    struct out out = {0};
    if (!folder || !folder_place(folder))
        return RAS_OK;
    int status = folder_settle(folder, err);
    if (status == RAS_OK)
        list_put(&out, folder, job->how->target);
    if (status == RAS_OK && out.failed)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = ras_folder_sink(folder, MADE_EXPORT, &sink, err);
    if (status == RAS_OK)
        status = ras_sink_write(sink, out.at, out.len, err);
    out_free(&out);
    return status;
}

static int export_run(struct ras_export_result **out, struct export_job *job, struct ras_error *err)
{
    const struct target *target = target_find(job->how->target);
    *out = NULL;
    if (!target)
        return target_unknown(job->how->target, err);
    bool has_place = target->about.is_folder ? job->how->folder != NULL : job->how->sink != NULL;
    if (!has_place && !(target->about.is_per_table && job->how->folder))
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is written to a %s", target->about.name,
                    target->about.is_folder ? "folder" : "file");
    job->result = calloc(1, sizeof *job->result);
    if (!job->result)
        return fail_memory(err);
    int status = target->write ? target->write(job, err) : write_timeline(target, job, err);
    if (status >= 0)
        status = leave_list(job, err);
    if (status < 0) {
        ras_export_result_free(job->result);
        return status;
    }
    *out = job->result;
    return RAS_OK;
}

int ras_export(struct ras_export_result **out, struct ras_trace *trace,
               const struct ras_export_options *request, struct ras_error *err)
{
    struct ras_export_options own;
    struct export_job job = {.how = OPTIONS(&own, request, err), .trace = trace};
    *out = NULL;
    return job.how ? export_run(out, &job, err) : RAS_EUSAGE;
}

int ras_export_run(struct ras_export_result **out, struct ras_rundir *run,
                   const struct ras_export_options *request, struct ras_error *err)
{
    struct ras_export_options own;
    struct export_job job = {.how = OPTIONS(&own, request, err), .run = run};
    *out = NULL;
    return job.how ? export_run(out, &job, err) : RAS_EUSAGE;
}
