/* atf_record_manifest.c - the manifest of a recording: names, counts, drops.
 *
 * It is written while the recording goes on, too, so that a process that is killed
 * leaves the names of its functions behind. */
#include "base/error.h"
#include "base/file.h"
#include "formats/atf/atf_record.h"
#include "record/atom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What of it is made for the occasion. */
struct lists {
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    struct ras_atf_drop *drops;
    struct ras_atf_anchor *anchors;
};

static void lists_free(struct lists *l)
{
    free(l->modules);
    free(l->symbols);
    free(l->drops);
    free(l->anchors);
}

static bool list_names(struct lists *l, const struct names *names, struct ras_atf_manifest *m)
{
    size_t functions = 0;
    for (size_t i = 0; i < names->count; i++)
        functions += names->modules[i].count;
    l->modules = calloc(names->count + 1, sizeof *l->modules);
    l->symbols = calloc(functions + 1, sizeof *l->symbols);
    if (!l->modules || !l->symbols)
        return false;
    for (size_t i = 0; i < names->count; i++) {
        const struct module *from = &names->modules[i];
        uint32_t id = (uint32_t)i + 1;
        l->modules[m->module_count++] =
            (struct ras_atf_module){.module_id = id,
                                    .path = from->path,
                                    .uuid = from->build_id ? from->build_id : "",
                                    .has_address = from->base || from->size,
                                    .base_address = from->base,
                                    .has_size = from->size,
                                    .size = from->size};
        for (size_t k = 0; k < from->count; k++)
            l->symbols[m->symbol_count++] =
                (struct ras_atf_symbol){.function_id = (uint64_t)id << 32 | (k + 1),
                                        .module_id = id,
                                        .symbol_index = (uint32_t)k + 1,
                                        .name = from->functions[k],
                                        .name_len = (uint32_t)strlen(from->functions[k])};
    }
    m->modules = l->modules;
    m->symbols = l->symbols;
    return true;
}

static bool list_drops(struct lists *l, const struct manifest_info *sum, struct ras_atf_manifest *m)
{
    l->drops = calloc(sum->thread_count * RAS_RECORD_REASONS + 1, sizeof *l->drops);
    if (!l->drops)
        return false;
    for (size_t i = 0; i < sum->thread_count; i++)
        for (unsigned k = 0; k < RAS_RECORD_REASONS; k++)
            if (sum->threads[i].counts.dropped[k])
                l->drops[m->drop_count++] = (struct ras_atf_drop){
                    sum->threads[i].thread_id, sum->threads[i].counts.dropped[k],
                    ras_record_reason_name((enum ras_record_reason)k)};
    m->drops = l->drops;
    return true;
}

static bool list_anchors(struct lists *l, const struct manifest_info *sum,
                         struct ras_atf_manifest *m)
{
    const struct media_anchors *from = sum->anchors;
    l->anchors = calloc(from->count + 1, sizeof *l->anchors);
    for (size_t i = 0; l->anchors && i < from->count; i++)
        l->anchors[i] = (struct ras_atf_anchor){from->at[i].time_ns, from->at[i].media_seconds};
    m->anchors = l->anchors;
    m->anchor_count = from->count;
    return l->anchors;
}

/* Who created the threads that have files. */
static void put_paths(const struct output *output, const struct manifest_info *sum)
{
    for (size_t i = 0; i < output->count; i++) {
        uint32_t id = output->threads[i].id;
        bool known = id < sum->thread_count && sum->threads[id].path[0];
        output->threads[i].path = known ? sum->threads[id].path : NULL;
    }
}

/* ---- the recorder's own ----------------------------------------------------------- */

static uint64_t dropped_of(const uint64_t dropped[RAS_RECORD_REASONS])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += dropped[i];
    return sum;
}

/* A member whose key has two parts. */
static void put_pair_count(struct json *j, const char *what, const char *more, uint64_t count)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", what, more);
    json_uint(j, key, count);
}

/* Details and events of a thread that has any. */
static void put_extra(struct json *j, const char *what, uint64_t stored, uint64_t dropped)
{
    if (!stored && !dropped)
        return;
    json_uint(j, what, stored);
    put_pair_count(j, what, "dropped", dropped);
}

static void put_recorded_threads(struct json *j, const struct manifest_info *sum)
{
    json_array(j, "threads");
    for (size_t i = 0; i < sum->thread_count; i++) {
        const struct thread_info *b = &sum->threads[i];
        if (b->os_tid < 0)
            continue;
        json_line(j, 4);
        json_object(j, NULL);
        json_uint(j, "id", b->thread_id);
        json_int(j, "os_tid", b->os_tid);
        atf_manifest_text(j, "name", b->name, strnlen(b->name, sizeof b->name));
        json_uint(j, "produced", b->counts.produced);
        json_uint(j, "stored", b->counts.stored);
        json_uint(j, "dropped", dropped_of(b->counts.dropped));
        put_extra(j, "details", b->counts.details, b->counts.details_dropped);
        put_extra(j, "events", b->counts.events, dropped_of(b->counts.events_dropped));
        json_close(j);
    }
    json_close(j);
}

/* Events of threads that could not be given a lane. */
static void put_stray(struct json *j, const char *what, const uint64_t *stray)
{
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t count = LOAD(&stray[i]);
        if (count)
            put_pair_count(j, what, ras_record_reason_name((enum ras_record_reason)i), count);
    }
}

static void put_seconds(struct json *j, const char *key, uint64_t ms)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%g", (double)ms / 1000.0);
    json_raw(j, key, text, (size_t)len);
}

/* Stretches of time that a flight recorder has stored, and why. */
static void put_windows(struct json *j, const struct manifest_info *sum)
{
    atf_member_line(j);
    json_array(j, "windows");
    for (size_t i = 0; i < sum->window_count; i++) {
        const struct window *w = &sum->windows[i];
        json_line(j, 4);
        json_object(j, NULL);
        json_uint(j, "startNs", w->from_ns);
        json_uint(j, "endNs", w->until_ns);
        json_text(j, "triggerKind", ras_record_trigger_name((enum ras_record_trigger)w->by.kind));
        json_uint(j, "triggerNs", w->by.time_ns);
        if (w->whole_ns > w->from_ns)
            json_uint(j, "wholeFromNs", w->whole_ns);
        if (w->by.function_id)
            json_hex(j, "functionId", w->by.function_id, 16);
        put_seconds(j, "preRollSec", sum->options->pre_ms);
        put_seconds(j, "postRollSec", sum->options->post_ms);
        json_close(j);
    }
    json_close(j);
}

/* What ended the program. */
static void put_crash(struct json *j, const struct crash_info *c)
{
    json_object(j, "crash");
    json_int(j, "signal", c->number);
    json_text(j, "name", c->name);
    json_uint_or_null(j, "thread_id", c->thread_id == UINT32_MAX ? RAS_NONE : c->thread_id);
    json_uint(j, "time_ns", c->time_ns);
    json_close(j);
}

static void put_recorder(struct out *out, const struct manifest_info *sum)
{
    struct json j = atf_members_start(out);
    json_object(&j, "recorder");
    json_text(&j, "version", RASTRUM_VERSION);
    json_bool(&j, "complete", sum->complete);
    json_text(&j, "policy", sum->options->policy == RAS_RECORD_DROP ? "drop" : "block");
    json_text(&j, "clock", sum->counter ? "tsc" : "boottime");
    json_uint(&j, "ring_bytes", sum->options->ring_bytes);
    if (sum->crash)
        put_crash(&j, sum->crash);
    put_stray(&j, "stray", sum->stray);
    put_stray(&j, "stray_events", sum->stray_events);
    put_recorded_threads(&j, sum);
    json_close(&j);
    if (sum->options->flight)
        put_windows(&j, sum);
}

/* ---- the file --------------------------------------------------------------------- */

/* The old one stays until the new one is whole. */
static int replace(const struct output *output, struct ras_bytes text, struct ras_error *err)
{
    char path[4096], fresh[4096];
    snprintf(path, sizeof path, "%s/manifest.json", output->dir);
    snprintf(fresh, sizeof fresh, "%s/.manifest.new", output->dir);
    int fd = open(fresh, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    int status = fd < 0 ? fail_os(err, fresh) : file_write_all(fd, text.at, text.len, err);
    if (fd >= 0)
        close(fd);
    if (status == RAS_OK && rename(fresh, path) < 0)
        status = fail_os(err, path);
    if (status < 0)
        unlink(fresh);
    return status;
}

/* The names are looked at once, so that nobody waits for the disk to number a function. */
static int put_recording(const struct output *output, const struct manifest_info *sum,
                         struct ras_sink *sink, struct ras_error *err)
{
    struct ras_atf_manifest m = {.format_version = "",
                                 .threads = output->threads,
                                 .thread_count = output->count,
                                 .clock_type = RAS_ATF_BOOTTIME,
                                 .time_end_ns = output->time_max};
    struct lists lists = {0};
    struct out out = {0};
    m.time_start_ns = output->time_min <= output->time_max ? output->time_min : 0;
    put_recorder(&out, sum);
    put_paths(output, sum);
    const struct atf_manifest_more more = {.no_times = !sum->over, .members = {out.at, out.len}};
    lock_take(&sum->names->lock);
    int status = out.failed || !list_names(&lists, sum->names, &m) ||
                         !list_drops(&lists, sum, &m) || !list_anchors(&lists, sum, &m)
                     ? fail_memory(err)
                     : atf_manifest_write(&m, &more, sink, err);
    lock_give(&sum->names->lock);
    lists_free(&lists);
    out_free(&out);
    return status;
}

int atf_record_manifest(struct output *output, const struct manifest_info *sum,
                        struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    status = put_recording(output, sum, sink, err);
    if (status == RAS_OK)
        status = replace(output, ras_sink_bytes(sink), err);
    ras_sink_drop(sink);
    return status;
}
