/* part_route.c - the route part: what is visible as a file. A trace that is one file is sliced to
 * a file, anything else to an archive; or its records as text. */
#include "view/side_tracks.h"
#include "view/tar.h"

#include <stdio.h>
#include <stdlib.h>

enum part_as { PART_SLICE, PART_CSV, PART_JSONL };

static const char *const part_words[] = {"slice", "csv", "jsonl", NULL};

enum { PART_EVERY = 1024 }; /* records between two reports of progress */

struct part_range {
    enum ras_axis axis; /* RAS_AXIS_NONE: nothing of it is in the range */
    uint64_t from, to;
};

struct part_request {
    struct request *r;
    unsigned side;
    struct tracks *tracks;
    uint64_t from, to;
    enum part_as as;
    const struct ras_sink *sink; /* what is being written */
    bool is_too_long;
    size_t written; /* traces; 1: records of them */
};

/* The range of a source on its own axis. */
static struct part_range part_range_of(const struct part_request *p, const struct shown_source *s)
{
    enum ras_axis axis =
        ras_format_of(s->trace)->axis; /* times of others may be on another clock */
    uint64_t from, to;
    bool is_ticks = false;
    tracks_extent(p->tracks, &from, &to, &is_ticks);
    if (!is_ticks && axis == RAS_AXIS_TIME)
        return (struct part_range){RAS_AXIS_TIME, p->from, p->to};
    uint64_t first = tracks_tick_at(p->tracks, p->from);
    uint64_t last = tracks_tick_at(p->tracks, p->to - 1);
    if (axis != RAS_AXIS_TICK || last == RAS_NONE)
        return (struct part_range){.axis = RAS_AXIS_NONE};
    return (struct part_range){RAS_AXIS_TICK, first == RAS_NONE ? 0 : first, last + 1};
}

/* A result that is too long ends as soon as it is known. */
static bool part_goes_on(void *user, uint64_t done, uint64_t total)
{
    struct part_request *p = user;
    if (p->sink && ras_sink_size(p->sink) > p->r->options->memory_bytes)
        p->is_too_long = true;
    return !p->is_too_long && request_goes_on(p->r, done, total);
}

static int part_failure(struct part_request *p, int status)
{
    if (!p->is_too_long)
        return status;
    p->r->hint = "choose a shorter range, or slice it on the command line";
    return fail(&p->r->err, RAS_ELIMIT, RAS_NONE, "the part has more than %" PRIu64 " bytes",
                p->r->options->memory_bytes);
}

/* ---- slices -------------------------------------------------------------------------------- */

/* RAS_END: no record is in the range. */
static int part_rewrite(struct part_request *p, const struct shown_source *s, struct ras_sink *sink,
                        struct ras_folder *folder)
{
    struct part_range range = part_range_of(p, s);
    struct ras_rewritten *made = NULL;
    if (range.axis == RAS_AXIS_NONE)
        return RAS_END;
    const struct ras_rewrite_options how = {.axis = range.axis,
                                            .from = range.from,
                                            .to = range.to,
                                            .sink = sink,
                                            .folder = folder,
                                            .progress = part_goes_on,
                                            .user = p};
    p->sink = sink;
    int status = ras_rewrite(&made, &s->trace, 1, &how, &p->r->err);
    uint64_t kept = 0;
    p->sink = NULL;
    for (size_t i = 0; made && i < made->kept_count; i++)
        kept += made->kept[i].records;
    ras_rewritten_free(made);
    return status >= 0 && !kept ? RAS_END : part_failure(p, status);
}

static int part_put_tar(struct part_request *p, const char *name, const char *part,
                        struct ras_bytes bytes)
{
    char path[120];
    struct request *r = p->r;
    int len = snprintf(path, sizeof path, "%s%s%s", name, *part ? "/" : "", part);
    if (len < 0 || (size_t)len >= sizeof path || !tar_put(r->out, path, bytes))
        return fail(&r->err, RAS_ELIMIT, RAS_NONE, "%s is too long a name for an archive", name);
    if (r->out->len > r->options->memory_bytes) {
        p->is_too_long = true;
        return part_failure(p, RAS_ELIMIT);
    }
    return r->out->failed ? fail_memory(&r->err) : RAS_OK;
}

/* A trace that is one file, to the answer itself or into the archive. */
static int part_slice_file(struct part_request *p, const struct shown_source *s, bool archive)
{
    struct request *r = p->r;
    struct ras_sink *sink;
    int status = request_sink(r, &sink);
    if (status < 0)
        return status;
    status = part_rewrite(p, s, sink, NULL);
    if (status >= 0 && status != RAS_END)
        p->written++;
    if (status >= 0 && status != RAS_END && archive)
        status = part_put_tar(p, s->name, "", ras_sink_bytes(sink));
    if (archive || status < 0 || status == RAS_END) {
        ras_sink_drop(sink);
        return status;
    }
    return request_sink_end(r, sink, status);
}

static int part_slice_folder(struct part_request *p, const struct shown_source *s)
{
    struct ras_folder *folder;
    size_t count = 0;
    int status = ras_folder_memory(&folder, &p->r->err);
    if (status < 0)
        return status;
    status = part_rewrite(p, s, NULL, folder);
    if (status >= 0 && status != RAS_END) {
        const struct ras_part *parts = ras_folder_parts(folder, &count);
        p->written++;
        for (size_t i = 0; i < count && status >= 0; i++)
            status = part_put_tar(p, s->name, parts[i].name, parts[i].bytes);
    }
    ras_folder_drop(folder);
    return status;
}

static int part_slice(struct part_request *p)
{
    const struct shown *shown = p->r->shown;
    const struct side *side = &shown->sides[p->side];
    bool archive = side->run || ras_rewrite_is_folder(side->trace);
    int status = RAS_OK;
    for (unsigned i = side->first; i < side->first + side->count && status >= 0; i++) {
        const struct shown_source *s = &shown->sources[i];
        if (!s->trace)
            continue;
        status = ras_rewrite_is_folder(s->trace) ? part_slice_folder(p, s)
                                                 : part_slice_file(p, s, archive);
    }
    if (status < 0)
        return status;
    p->r->type = "application/octet-stream";
    p->r->file_name = archive ? "part.tar" : "part";
    if (archive)
        tar_end(p->r->out);
    return p->r->out->failed ? fail_memory(&p->r->err) : RAS_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

static int part_export_records(struct part_request *p, struct ras_cursor *c, struct ras_printer *x)
{
    const struct ras_record *record;
    struct request *r = p->r;
    int status;
    for (uint64_t n = 0; (status = ras_next(c, &record, &r->err)) == RAS_OK; n++) {
        uint64_t total, done = ras_cursor_progress(c, &total);
        if (n % PART_EVERY == 0 && !part_goes_on(p, done, total))
            return part_failure(p, fail_canceled(&r->err));
        status = ras_printer_record(x, c, record, &r->err);
        if (status < 0)
            return status;
        p->written = 1;
    }
    return status < 0 ? status : RAS_OK;
}

static int part_export(struct part_request *p, const struct shown_source *s, struct ras_sink *sink)
{
    struct part_range range = part_range_of(p, s);
    const struct ras_scan scan = {.axis = range.axis, .from = range.from, .to = range.to};
    const struct ras_printer_options how = {
        .label = p->r->shown->sides[p->side].run ? s->name : NULL, .csv_safe = true};
    struct ras_error *err = &p->r->err, ignored;
    struct ras_cursor *c = NULL;
    struct ras_printer *x = NULL;
    if (range.axis == RAS_AXIS_NONE)
        return RAS_OK;
    int status = ras_printer_open(&x, part_words[p->as], s->trace, &scan, &how, sink, err);
    if (status >= 0)
        status = ras_cursor_open(&c, s->trace, &scan, err);
    if (status >= 0)
        status = part_export_records(p, c, x);
    if (x) {
        int closed = ras_printer_close(x, status < 0 ? &ignored : err);
        status = status < 0 ? status : closed;
    }
    ras_cursor_close(c);
    return status;
}

static int part_text(struct part_request *p)
{
    struct request *r = p->r;
    const struct side *side = &r->shown->sides[p->side];
    struct ras_sink *sink;
    int status = request_sink(r, &sink);
    if (status < 0)
        return status;
    p->sink = sink;
    for (unsigned i = side->first; i < side->first + side->count && status >= 0; i++)
        if (r->shown->sources[i].trace)
            status = part_export(p, &r->shown->sources[i], sink);
    r->type = p->as == PART_CSV ? "text/csv; charset=utf-8" : "application/x-ndjson";
    r->file_name = p->as == PART_CSV ? "part.csv" : "part.jsonl";
    return request_sink_end(r, sink, status);
}

static int answer_part(struct request *r)
{
    struct part_request p = {.r = r,
                             .side = (unsigned)r->args[0].value,
                             .from = r->args[1].value,
                             .to = r->args[2].value,
                             .as = (enum part_as)r->args[3].value};
    if (p.from >= p.to)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "the range is empty");
    int status = request_tracks(r, p.side, &p.tracks);
    if (status >= 0)
        status = p.as == PART_SLICE ? part_slice(&p) : part_text(&p);
    if (status >= 0 && !p.written)
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "no record is in this range");
    return status < 0 ? status : RAS_OK;
}

const struct route part_routes[] = {
    {.path = "part",
     .job = true,
     .is_long = true,
     .args = {{"side", ARG_SIDE},
              {"from", ARG_NUMBER},
              {"to", ARG_NUMBER},
              {"as", ARG_WORD, .words = part_words}},
     .answer = answer_part},
    {0},
};
