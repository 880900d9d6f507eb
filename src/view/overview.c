/* overview.c - the route open: what is shown, as far as it is known, and the route show.
 *
 * It is answered before anything is read. Counts come later, from a walk over each source in
 * steps. */
#include "base/os.h"
#include "core/format.h"
#include "ops/info/info_walk.h"
#include "view/fingerprint.h"
#include "view/side_tracks.h"
#include "view/value.h"
#include "view/viewer.h"

#include <stdio.h>
#include <string.h>

enum { FACT_MOST = 4096 };

/* ---- sources ------------------------------------------------------------------------------- */

static const struct ras_info *counts_of(const struct shown_source *s)
{
    return s->counted ? info_walk_counts(s->counts) : NULL;
}

/* As a shell reads it: in single quotes where there are other characters than these. */
static void put_quoted(struct out *out, const char *path, const char *after)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+";
    bool quoted = path[strspn(path, plain)] || *path == '-';
    out_text(out, quoted ? "'" : "");
    for (; *path; path++)
        if (*path == '\'')
            out_text(out, "'\\''");
        else
            out_byte(out, (uint8_t)*path);
    out_text(out, after);
    out_text(out, quoted ? "'" : "");
}

/* What to type; null where there is nothing to repair. */
static void put_repair(struct json *j, const struct shown_source *s, const struct ras_ending *e)
{
    bool whole = e->kind == RAS_OPEN_END || e->kind == RAS_COMPLETE;
    if (whole || !s->path || !(ras_format_of(s->trace)->can & RAS_CAN_REPAIR)) {
        json_null(j, "repair");
        return;
    }
    struct out text = {0};
    out_text(&text, "rastrum repair ");
    put_quoted(&text, s->path, "");
    out_text(&text, " -o ");
    put_quoted(&text, s->name, ".repaired");
    if (text.failed)
        j->out->failed = true;
    else
        json_string(j, "repair", text.at, text.len);
    out_free(&text);
}

static void put_ending_of(struct json *j, const struct shown_source *s)
{
    const struct ras_info *counts = counts_of(s);
    struct ras_ending e = counts ? counts->ending : ras_missing(s->trace);
    bool known = e.kind != RAS_OPEN_END;
    json_object(j, "ending");
    json_text(j, "kind", ras_ending_name(e.kind));
    json_text(j, "part", known ? ras_part_name(s->trace, e.part) : "");
    json_u64_text(j, "offset", known ? e.offset : RAS_NONE);
    json_text(j, "why", e.why ? e.why : "");
    put_repair(j, s, &e);
    json_close(j);
}

static void put_axes_of(struct json *j, const struct shown_source *s)
{
    unsigned axes = ras_format_of(s->trace)->axes;
    json_array(j, "axes");
    if (axes >> RAS_AXIS_TIME & 1)
        json_text(j, NULL, "time");
    if (axes >> RAS_AXIS_TICK & 1)
        json_text(j, NULL, "tick");
    json_close(j);
}

static void put_range(struct json *j, const char *key, bool known, uint64_t first, uint64_t last)
{
    if (!known) {
        json_null(j, key);
        return;
    }
    json_array(j, key);
    json_uint(j, NULL, first);
    json_uint(j, NULL, last);
    json_close(j);
}

static void put_streams_of(struct json *j, const struct shown_source *s)
{
    const struct ras_info *counts = counts_of(s);
    size_t count;
    const struct ras_stream *streams = ras_streams(s->trace, &count);
    json_array(j, "streams");
    for (size_t i = 0; counts && i < counts->stream_count; i++) {
        json_object(j, NULL);
        json_uint(j, "id", counts->streams[i].id);
        json_text(j, "name", counts->streams[i].name);
        json_uint(j, "records", counts->streams[i].records);
        json_close(j);
    }
    for (size_t i = 0; !counts && i < count; i++) {
        json_object(j, NULL);
        json_uint(j, "id", streams[i].id);
        json_text(j, "name", streams[i].name);
        json_null(j, "records");
        json_close(j);
    }
    json_close(j);
}

/* Types that have records, or those that may have. */
static void put_types_of(struct json *j, const struct shown_source *s)
{
    const struct ras_info *counts = counts_of(s);
    json_array(j, "types");
    for (size_t i = 0; counts && i < counts->type_count; i++) {
        json_object(j, NULL);
        json_key(j, "name");
        json_lead(j);
        json_put_name(j->out, counts->types[i].name);
        json_uint(j, "records", counts->types[i].records);
        json_close(j);
    }
    for (size_t i = 1; !counts && i < ras_schema_count(s->trace); i++) {
        const struct ras_schema *schema = ras_schema_at(s->trace, i);
        if (schema->flags & RAS_ON_REQUEST)
            continue;
        json_object(j, NULL);
        json_key(j, "name");
        json_lead(j);
        json_put_name(j->out, schema->name);
        json_null(j, "records");
        json_close(j);
    }
    json_close(j);
}

/* A file that is shorter than it was, or gone: what was read before is shown. */
static void put_note_of_file(struct json *j, const struct shown_source *s)
{
    struct os_about about;
    char text[120];
    if (!s->path || ras_part_count(s->trace) != 1 || source_is_remote(s->trace->source))
        return;
    if (os_about(s->path, &about) < 0) {
        json_text(j, NULL, "the file is no longer there");
    } else if (about.kind == OS_FILE && about.size < ras_size(s->trace)) {
        snprintf(text, sizeof text, "the file has %" PRIu64 " bytes now; it had %" PRIu64,
                 about.size, ras_size(s->trace));
        json_text(j, NULL, text);
    }
}

static void put_facts_of(struct json *j, const struct shown_source *s)
{
    size_t count;
    const struct ras_fact *facts = ras_facts(s->trace, &count);
    json_array(j, "facts");
    for (size_t i = 0; i < count; i++) {
        json_object(j, NULL);
        json_text(j, "key", facts[i].key);
        json_value_text(j, "value", &facts[i].value, facts[i].flags, FACT_MOST);
        json_close(j);
    }
    json_close(j);
    const char *const *notes = ras_notes(s->trace, &count);
    json_array(j, "notes");
    for (size_t i = 0; i < count; i++)
        json_text(j, NULL, notes[i]);
    put_note_of_file(j, s);
    json_close(j);
}

static void put_format_of(struct json *j, const struct shown_source *s)
{
    const struct ras_format_about *about = ras_format_of(s->trace);
    uint64_t version = ras_format_version(s->trace);
    char title[120], number[24];
    snprintf(number, sizeof number, "%" PRIu64, version);
    snprintf(title, sizeof title, "%s v%s", about->label, number);
    json_text(j, "format", about->name);
    json_text(j, "title", title);
    json_text(j, "dialect", ras_dialect(s->trace));
    json_text(j, "version", number);
    json_uint(j, "size", ras_size(s->trace));
}

static void put_source(struct json *j, const struct shown_source *s, unsigned i)
{
    json_object(j, NULL);
    json_uint(j, "src", i);
    json_uint(j, "side", s->side);
    json_text(j, "pen", s->pen);
    json_text(j, "name", s->name);
    json_text(j, "error", s->trace ? NULL : s->err->text);
    if (s->trace) {
        const struct ras_info *counts = counts_of(s);
        put_format_of(j, s);
        json_uint_or_null(j, "records", counts ? counts->records : RAS_NONE);
        put_ending_of(j, s);
        put_axes_of(j, s);
        put_range(j, "ticks", counts && counts->has_tick, counts ? counts->tick_first : 0,
                  counts ? counts->tick_last : 0);
        put_streams_of(j, s);
        put_types_of(j, s);
        put_facts_of(j, s);
    }
    json_close(j);
}

/* ---- sides --------------------------------------------------------------------------------- */

static const char *overview_kind(const struct shown *shown)
{
    if (!shown->side_count)
        return "none";
    if (shown->side_count > 1)
        return "pair";
    return shown->sides[0].run ? "run" : "trace";
}

/* The ticks of all of its traces, once they are counted. */
static void put_ticks_of(struct json *j, const struct shown *shown, const struct side *side)
{
    uint64_t first = RAS_NONE, last = 0;
    bool known = true;
    for (unsigned i = side->first; i < side->first + side->count; i++) {
        const struct shown_source *s = &shown->sources[i];
        const struct ras_info *counts = counts_of(s);
        known = known && (counts || !s->trace);
        if (!counts || !counts->has_tick)
            continue;
        first = counts->tick_first < first ? counts->tick_first : first;
        last = counts->tick_last > last ? counts->tick_last : last;
    }
    put_range(j, "ticks", known && first != RAS_NONE, first, last);
}

static void put_extent_of(struct json *j, const struct side *s)
{
    uint64_t from = RAS_NONE, to = RAS_NONE;
    bool is_ticks = false;
    bool known = s->tracks && tracks_extent(s->tracks, &from, &to, &is_ticks);
    json_text(j, "axis", is_ticks ? "tick" : "ns");
    json_u64_text(j, "from", known ? from : RAS_NONE);
    json_u64_text(j, "to", known ? to : RAS_NONE);
    json_f64(j, "built", s->tracks ? tracks_built(s->tracks) : 0);
}

static void put_side(struct json *j, const struct shown *shown, struct side *s)
{
    if (!*s->fingerprint)
        fingerprint_side(shown, s, s->fingerprint);
    json_object(j, NULL);
    json_text(j, "name", s->origin->name);
    json_text(j, "kind", s->run ? "run" : "trace");
    put_extent_of(j, s);
    put_ticks_of(j, shown, s);
    json_array(j, "sources");
    for (unsigned i = s->first; i < s->first + s->count; i++)
        json_uint(j, NULL, i);
    json_close(j);
    json_text(j, "fingerprint", s->fingerprint);
    json_close(j);
}

static int answer_open(struct request *r)
{
    struct shown *shown = r->shown;
    int status = shown_open_tracks(shown, r->options, &r->err);
    if (status < 0)
        return status;
    struct json j = request_json(r);
    json_text(&j, "version", ras_version());
    json_text(&j, "kind", overview_kind(shown));
    json_bool(&j, "follow", r->options->follow);
    json_array(&j, "sides");
    for (unsigned i = 0; i < shown->side_count; i++)
        put_side(&j, shown, &shown->sides[i]);
    json_close(&j);
    json_array(&j, "sources");
    for (unsigned i = 0; i < shown->source_count; i++)
        put_source(&j, &shown->sources[i], i);
    json_close(&j);
    json_array(&j, "offers");
    for (size_t i = 0; i < r->view->offer_count; i++)
        json_text(&j, NULL, r->view->offers[i].name);
    json_close(&j);
    return request_end(r, &j);
}

/* ---- show ---------------------------------------------------------------------------------- */

static int answer_show(struct request *r)
{
    struct ras_view *v = r->view;
    struct origin origins[SIDES_MOST];
    size_t count = r->args[1].given ? 2 : 1;
    int status = RAS_OK;
    for (size_t i = 0; i < count; i++)
        if (r->args[i].value >= v->offer_count)
            return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no offer %" PRIu64,
                        r->args[i].value);
    for (size_t i = 0; i < count; i++) {
        const struct origin *from = &v->offers[r->args[i].value];
        status = origin_path(&origins[i], from->path, &from->options, &r->err);
        if (status < 0) {
            if (i)
                origin_free(&origins[0]);
            return status;
        }
    }
    status = view_show(v, origins, count, &r->err);
    r->generation = view_generation(v);
    return status < 0 ? status : answer_open(r);
}

const struct route open_routes[] = {
    {.path = "open", .answer = answer_open},
    {.path = "show",
     .post = true,
     .args = {{"first", ARG_NUMBER}, {"second", ARG_NUMBER, .optional = true}},
     .answer = answer_show},
    {0},
};
