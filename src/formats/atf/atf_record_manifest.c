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

static bool list_drops(struct lists *l, const struct pen_sum *sum, struct ras_atf_manifest *m)
{
    l->drops = calloc(sum->book_count * RAS_RECORD_REASONS + 1, sizeof *l->drops);
    if (!l->drops)
        return false;
    for (size_t i = 0; i < sum->book_count; i++)
        for (unsigned k = 0; k < RAS_RECORD_REASONS; k++)
            if (sum->books[i].counts.dropped[k])
                l->drops[m->drop_count++] =
                    (struct ras_atf_drop){sum->books[i].thread_id, sum->books[i].counts.dropped[k],
                                          ras_record_reason_name((enum ras_record_reason)k)};
    m->drops = l->drops;
    return true;
}

static bool list_anchors(struct lists *l, const struct pen_sum *sum, struct ras_atf_manifest *m)
{
    const struct pen_anchors *from = sum->anchors;
    l->anchors = calloc(from->count + 1, sizeof *l->anchors);
    for (size_t i = 0; l->anchors && i < from->count; i++)
        l->anchors[i] = (struct ras_atf_anchor){from->at[i].time_ns, from->at[i].media_seconds};
    m->anchors = l->anchors;
    m->anchor_count = from->count;
    return l->anchors;
}

/* Who created the threads that have files. */
static void put_paths(const struct pen *pen, const struct pen_sum *sum)
{
    for (size_t i = 0; i < pen->count; i++) {
        uint32_t id = pen->threads[i].id;
        bool known = id < sum->book_count && sum->books[id].path[0];
        pen->threads[i].path = known ? sum->books[id].path : NULL;
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

/* Details and events of a thread that has any. */
static void put_extra(struct out *out, const char *what, uint64_t stored, uint64_t dropped)
{
    if (stored || dropped)
        out_format(out, ", \"%s\": %" PRIu64 ", \"%s_dropped\": %" PRIu64, what, stored, what,
                   dropped);
}

static void put_threads(struct out *out, const struct pen_sum *sum)
{
    bool first = true;
    out_text(out, ", \"threads\": [");
    for (size_t i = 0; i < sum->book_count; i++) {
        const struct pen_book *b = &sum->books[i];
        if (b->os_tid < 0)
            continue;
        out_format(out,
                   "%s\n    {\"id\": %" PRIu32 ", \"os_tid\": %d, \"name\": ", first ? "" : ",",
                   b->thread_id, b->os_tid);
        atf_manifest_text(out, b->name, strnlen(b->name, sizeof b->name));
        out_format(out,
                   ", \"produced\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"dropped\": %" PRIu64,
                   b->counts.produced, b->counts.stored, dropped_of(b->counts.dropped));
        put_extra(out, "details", b->counts.details, b->counts.details_dropped);
        put_extra(out, "events", b->counts.events, dropped_of(b->counts.events_dropped));
        out_text(out, "}");
        first = false;
    }
    out_text(out, "]");
}

/* Events of threads that could not be given a lane. */
static void put_stray(struct out *out, const char *what, const uint64_t *stray)
{
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t count = LOAD(&stray[i]);
        if (count)
            out_format(out, ", \"%s_%s\": %" PRIu64, what,
                       ras_record_reason_name((enum ras_record_reason)i), count);
    }
}

/* Stretches of time that a flight recorder has stored, and why. */
static void put_windows(struct out *out, const struct pen_sum *sum)
{
    out_text(out, "  \"windows\": [");
    for (size_t i = 0; i < sum->window_count; i++) {
        const struct window *w = &sum->windows[i];
        out_format(out,
                   "%s\n    {\"startNs\": %" PRIu64 ", \"endNs\": %" PRIu64
                   ", \"triggerKind\": \"%s\", \"triggerNs\": %" PRIu64,
                   i ? "," : "", w->from_ns, w->until_ns,
                   ras_record_trigger_name((enum ras_record_trigger)w->by.kind), w->by.time_ns);
        if (w->whole_ns > w->from_ns)
            out_format(out, ", \"wholeFromNs\": %" PRIu64, w->whole_ns);
        if (w->by.function_id)
            out_format(out, ", \"functionId\": \"0x%016" PRIx64 "\"", w->by.function_id);
        out_format(out, ", \"preRollSec\": %g, \"postRollSec\": %g}", sum->options->pre_ms / 1000.0,
                   sum->options->post_ms / 1000.0);
    }
    out_text(out, "],\n");
}

/* What ended the program. */
static void put_crash(struct out *out, const struct pen_crash *c)
{
    out_format(out, ", \"crash\": {\"signal\": %d, \"name\": \"%s\", \"thread_id\": ", c->number,
               c->name);
    if (c->thread_id == UINT32_MAX)
        out_text(out, "null");
    else
        out_format(out, "%" PRIu32, c->thread_id);
    out_format(out, ", \"time_ns\": %" PRIu64 "}", c->time_ns);
}

static void put_recorder(struct out *out, const struct pen_sum *sum)
{
    out_format(out,
               "  \"recorder\": {\"version\": \"%s\", \"complete\": %s, \"policy\": \"%s\", "
               "\"clock\": \"%s\", \"ring_bytes\": %zu",
               RASTRUM_VERSION, sum->complete ? "true" : "false",
               sum->options->policy == RAS_RECORD_DROP ? "drop" : "block",
               sum->counter ? "tsc" : "boottime", sum->options->ring_bytes);
    if (sum->crash)
        put_crash(out, sum->crash);
    put_stray(out, "stray", sum->stray);
    put_stray(out, "stray_events", sum->stray_events);
    put_threads(out, sum);
    out_text(out, "},\n");
    if (sum->options->flight)
        put_windows(out, sum);
}

/* ---- the file --------------------------------------------------------------------- */

/* The old one stays until the new one is whole. */
static int replace(const struct pen *pen, struct ras_bytes text, struct ras_error *err)
{
    char path[4096], fresh[4096];
    snprintf(path, sizeof path, "%s/manifest.json", pen->dir);
    snprintf(fresh, sizeof fresh, "%s/.manifest.new", pen->dir);
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
static int put_all(const struct pen *pen, const struct pen_sum *sum, struct ras_sink *sink,
                   struct ras_error *err)
{
    struct ras_atf_manifest m = {.format_version = "",
                                 .threads = pen->threads,
                                 .thread_count = pen->count,
                                 .clock_type = RAS_ATF_BOOTTIME,
                                 .time_end_ns = pen->time_max};
    struct lists lists = {0};
    struct out out = {0};
    m.time_start_ns = pen->time_min <= pen->time_max ? pen->time_min : 0;
    put_recorder(&out, sum);
    put_paths(pen, sum);
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

int atf_record_manifest(struct pen *pen, const struct pen_sum *sum, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    status = put_all(pen, sum, sink, err);
    if (status == RAS_OK)
        status = replace(pen, ras_sink_bytes(sink), err);
    ras_sink_drop(sink);
    return status;
}
