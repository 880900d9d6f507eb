/* trace.c - opening traces, whatever the format, and what they are. */
#include "base/error.h"
#include "base/memory.h"
#include "base/spool.h"
#include "base/struct_size.h"
#include "core/document.h"
#include "core/marks.h"
#include "core/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ras_field gap_fields[] = {
    {"offset", RAS_UINT, 64, RAS_NULLABLE},
    {"length", RAS_UINT, 64, 0},
    {"why", RAS_STR, 0, 0},
    {"lost", RAS_UINT, 64, RAS_NULLABLE},
};
static const struct ras_schema gap_schema = {"gap", gap_fields, 4, 0};

static const char *const ending_names[] = {
    [RAS_OPEN_END] = "open", [RAS_COMPLETE] = "complete", [RAS_UNSEALED] = "unsealed",
    [RAS_CUT] = "cut",       [RAS_DAMAGED] = "damaged",
};

const char *ras_status_text(int status)
{
    static const char *const failures[] = {
        [-RAS_EIO] = "the operating system refused",
        [-RAS_EFORMAT] = "the bytes contradict the specification",
        [-RAS_EVERSION] = "a version that is not supported",
        [-RAS_ELIMIT] = "a length beyond its limit",
        [-RAS_EMEMORY] = "out of memory",
        [-RAS_EUSAGE] = "wrong use of the library",
        [-RAS_EUNSUPPORTED] = "not supported",
        [-RAS_ECUT] = "the bytes end before the header is complete",
        [-RAS_EREFUSED] = "refused",
        [-RAS_ENOTHING] = "there is nothing to compare or show",
        [-RAS_ENAME] = "an unknown name",
        [-RAS_ECANCELED] = "canceled",
    };
    switch (status) {
    case RAS_OK:
        return "done";
    case RAS_END:
        return "no more records";
    case RAS_WAIT:
        return "no record yet";
    default: /* whatever a world of a user's own returns */
        return status < 0 && status >= RAS_ECANCELED ? failures[-status] : "unknown status";
    }
}

const char *ras_ending_name(enum ras_ending_kind kind)
{
    return ending_names[kind];
}

const char *ras_version(void)
{
    return RASTRUM_VERSION;
}

unsigned ras_version_number(void)
{
    return RAS_VERSION_NUMBER;
}

struct ras_limits limits_of(const struct ras_options *options)
{
    struct ras_limits l = options ? options->limits : (struct ras_limits){0};
    l.record_bytes = l.record_bytes ? l.record_bytes : (uint64_t)1 << 30;
    l.chunk_bytes = l.chunk_bytes ? l.chunk_bytes : (uint64_t)1 << 30;
    l.inflated_bytes = l.inflated_bytes ? l.inflated_bytes : (uint64_t)64 << 30;
    l.pool_bytes = l.pool_bytes ? l.pool_bytes : (uint64_t)1 << 30;
    l.depth = l.depth ? l.depth : 32;
    l.schemas = l.schemas ? l.schemas : 65536;
    if (l.schemas > 65536) /* a record has 16 bits for its schema */
        l.schemas = 65536;
    l.parts = l.parts ? l.parts : 1u << 20;
    l.findings = l.findings ? l.findings : 1000;
    return l;
}

/* The format's own name for a dialect: the caller's may not live as long as the trace. */
static int find_dialect(const struct ras_format *format, const char *dialect, const char **found,
                        struct ras_error *err)
{
    const char *const *known = format->about.dialects;
    *found = NULL;
    if (!dialect)
        return RAS_OK;
    for (size_t i = 0; known[i]; i++)
        if (!strcmp(known[i], dialect))
            *found = known[i];
    if (*found)
        return RAS_OK;
    char all[120] = "";
    for (size_t i = 0, len = 0; known[i] && len < sizeof all; i++)
        len += (size_t)snprintf(all + len, sizeof all - len, " %s", known[i]);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s has no dialect '%s'; there are:%s",
                format->about.name, dialect, all);
}

static void trace_free(struct ras_trace *t)
{
    if (t->priv && t->format->close)
        t->format->close(t);
    for (size_t i = 0; i < t->fact_count; i++) {
        free((void *)(uintptr_t)t->facts[i].key);
        if (t->facts[i].value.kind == RAS_STR)
            free((void *)(uintptr_t)t->facts[i].value.at);
    }
    lines_free(t->notes, t->note_count);
    for (size_t i = 0; i < t->stream_count; i++)
        free((void *)(uintptr_t)t->streams[i].name);
    free(t->facts);
    free(t->streams);
    free(t->schemas);
    free(t->priv);
    marks_free(t->marks);
    free(t);
}

/* The bytes are not of the format that was named: say so, where they are of another. */
static void name_other_format(const struct ras_format *named, const struct source *source,
                              struct ras_error *err)
{
    const struct ras_format *other = registry_detect(source, NULL);
    if (other && other != named && err)
        fail(err, RAS_EFORMAT, err->offset, "not %s: its bytes are those of a %s trace",
             named->about.name, other->about.name);
}

/* One attempt to open what the source holds so far. */
static int try_open(struct ras_trace **out, struct source *source,
                    const struct ras_options *options, const struct ras_limits *limits,
                    struct ras_error *err)
{
    const struct ras_format *format;
    if (options && options->format) {
        format = registry_find(options->format);
        if (!format)
            return registry_unknown(options->format, err);
        if (registry_check(format, err) < 0)
            return RAS_EUSAGE;
        /* Bytes may be read as what they are not, but there must be some. */
        if (source_is_dir(source) && !registry_probe(format, source))
            return fail(err, RAS_EFORMAT, RAS_NONE, "no %s trace in this directory",
                        options->format);
        debug_write(options->debug, RAS_DEBUG_PROBE, "%s: named by the caller, not probed",
                    options->format);
    } else {
        format = registry_detect(source, err);
        registry_explain(source, format);
        if (!format)
            return RAS_EFORMAT;
    }
    const char *dialect;
    int status = RAS_OK;
    if (format->segments && source_is_dir(source))
        status = source_join(source, format->segments, err);
    if (status < 0)
        return status;
    status = format->open_reads_end ? source_whole(source, err)
             : format->takes_ranges ? source_spread(source, err)
                                    : (int)RAS_OK;
    if (status < 0)
        return status;
    status = find_dialect(format, options ? options->dialect : NULL, &dialect, err);
    if (status < 0)
        return status;
    struct ras_trace *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(err);
    *t = (struct ras_trace){.format = format,
                            .priv = calloc(1, format->trace_size + 1),
                            .source = source,
                            .limits = *limits,
                            .dialect = format->about.dialects[0],
                            .dialect_requested = dialect,
                            .marks = marks_new()};
    if (source_unlisted(source)) /* what else is missing may be missing for that */
        missing_note(t, UINT32_MAX, 0, "%s: permission denied; skipped", source_unlisted(source));
    if (!t->priv || !t->marks || schema_add(t, &gap_schema) < 0)
        status = fail_memory(err);
    else
        status = format->open(t, err);
    if (source_is_spread(source) && source_fault(source, NULL) < 0)
        status = source_fault(source, err); /* whatever it made of the missing bytes */
    if (status < 0) {
        if (status == RAS_EFORMAT && options && options->format)
            name_other_format(format, source, err);
        trace_free(t);
        return status;
    }
    if (source_unlisted(source))
        note_add(t, "%s: permission denied; skipped", source_unlisted(source));
    t->ending.why = "";
    *out = t;
    return RAS_OK;
}

/* A signal came while opening waited: its handler must get a chance to be heeded. */
static int fail_interrupted(struct ras_error *err)
{
    errno = EINTR;
    return fail_os(err, "waiting for the trace");
}

/* Open; while the header is not all there and more may come, wait for it. Every
 * format shows its magic within MAGIC_MAX bytes; one that has lost it may be known by its end,
 * which is looked for as long as that fits in memory. */
static int open_source(struct ras_trace **out, struct source *source,
                       const struct ras_options *options, const struct ras_limits *limits,
                       struct ras_error *err)
{
    enum { MAGIC_MAX = 32, NAP_MS = 100 };
    for (;;) {
        int status = try_open(out, source, options, limits, err);
        size_t enough = source_pending(source) ? SPOOL_MEMORY / 2 : MAGIC_MAX;
        bool early = status == RAS_ECUT || (status == RAS_EFORMAT && !source_is_dir(source) &&
                                            source_arrived(source, 0).len < enough);
        bool more = source_growing(source) || source_can_grow(source);
        if (status == RAS_OK || !early || !more)
            return status;
        int waited = source_wait(source, NAP_MS, err);
        if (waited < 0)
            return waited;
        if (source_interrupted(source))
            return fail_interrupted(err);
    }
}

/* A pipe that is not followed is read to its end first, unless what came so far is
 * of no known format: then its end, which may never come, changes nothing. */
static int read_pipe(struct source *source, const struct ras_options *options,
                     struct ras_error *err)
{
    enum { ENOUGH = 4096 };
    bool judged = options && options->format;
    while (source_arriving(source)) {
        if (!judged && source_arrived(source, 0).len >= ENOUGH) {
            if (!registry_detect(source, err))
                return RAS_EFORMAT;
            judged = true;
        }
        int status = source_wait(source, -1, err);
        if (status < 0)
            return status;
        if (source_interrupted(source))
            return fail_interrupted(err);
    }
    return RAS_OK;
}

static int open_any(struct ras_trace **out, struct source *source, int status,
                    const struct ras_options *options, const struct ras_limits *limits,
                    struct ras_error *err)
{
    if (status == RAS_OK && !(options && options->live))
        status = read_pipe(source, options, err);
    if (status == RAS_OK)
        status = open_source(out, source, options, limits, err);
    if (status < 0)
        source_close(source);
    return status;
}

int ras_open(struct ras_trace **out, const char *path, const struct ras_options *options,
             struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_limits limits = limits_of(options);
    struct source *source;
    int status = source_open_path(&source, path, options, &limits, err);
    return open_any(out, source, status, options, &limits, err);
}

int ras_open_fd(struct ras_trace **out, int fd, const struct ras_options *options,
                struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_limits limits = limits_of(options);
    struct source *source;
    int status = source_open_fd(&source, fd, options, &limits, err);
    return open_any(out, source, status, options, &limits, err);
}

int ras_open_memory(struct ras_trace **out, const void *bytes, size_t size,
                    const struct ras_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_limits limits = limits_of(options);
    struct source *source;
    int status = source_open_memory(&source, bytes, size, options, &limits, err);
    bool live = options->live; /* only its owner can fill it: nothing to wait for */
    if (status == RAS_OK && live)
        status = source_whole(source, err);
    if (status == RAS_OK)
        status = live ? try_open(out, source, options, &limits, err)
                      : open_source(out, source, options, &limits, err);
    if (status < 0)
        source_close(source);
    return status;
}

int ras_open_parts(struct ras_trace **out, const struct ras_part *parts, size_t count,
                   const struct ras_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_limits limits = limits_of(options);
    struct source *source;
    int status = source_open_parts(&source, parts, count, options, &limits, err);
    if (status == RAS_OK)
        status = try_open(out, source, options, &limits, err);
    if (status < 0)
        source_close(source);
    return status;
}

void trace_report_driver(const struct ras_trace *t, const char *verb, const char *member, bool own)
{
    debug_write(source_debug(t->source), RAS_DEBUG_DRIVER,
                own ? "%s: %s of the format %s" : "%s: core, without %s of the format %s", verb,
                member, t->format->about.name);
}

void ras_close(struct ras_trace *t)
{
    if (!t)
        return;
    struct source *source = t->source;
    trace_free(t);
    source_close(source);
}

int ras_trace_grow(struct ras_trace *t, size_t size, bool more, struct ras_error *err)
{
    return source_set_memory(t->source, size, more, err);
}

int ras_wait(struct ras_trace *t, int timeout_ms, struct ras_error *err)
{
    return source_wait(t->source, timeout_ms, err);
}

int ras_clock_time(struct ras_trace *t, const char *clock, double seconds, uint64_t *time_ns,
                   struct ras_error *err)
{
    for (const struct trace_clock *c = t->format->clocks; c && c->name; c++)
        if (!strcmp(c->name, clock))
            return c->time(t, seconds, time_ns, err);
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces have no %s clock",
                t->format->about.name, clock);
}
