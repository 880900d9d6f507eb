/* cdt_frida_sidecar.c - the evidence file of a run, version 3: a header, a record for each tick, a
 * footer, each MessagePack with its length before it.
 *
 * The evidence of a tick is what its row says: members that have a struct are in the order of that
 * struct, any other value of JSON is converted as it is. */
#include "base/error.h"
#include "formats/cdt/cdt_frida_json.h"
#include "formats/cdt/cdt_frida_pack.h"
#include "formats/cdt/cdt_frida_run.h"

enum { EVIDENCE_VERSION = 3, TRACE_VERSION = 2, DEEPEST = 64, LENGTH = 4 };

/* ---- records ------------------------------------------------------------------------------ */

/* Returns where its length goes. */
static size_t begin_record(struct out *out, const char *kind, size_t keys)
{
    size_t at = out->len;
    out_bytes(out, "\0\0\0\0", LENGTH);
    frida_put_map(out, 1 + keys);
    frida_put_key(out, "kind");
    frida_put_key(out, kind);
    return at;
}

static void end_record(struct out *out, size_t at)
{
    if (!out->failed)
        store_u32(out->at + at, (uint32_t)(out->len - at - LENGTH));
}

static void put_text_at(struct out *out, const char *key, struct ras_bytes text)
{
    frida_put_key(out, key);
    frida_put_text(out, text);
}

void frida_proof_head(struct out *out, const struct frida *f, const char *trace_sha,
                      const char *replay_sha)
{
    enum { KEYS = 16 };
    const struct frida_session *s = &f->session;
    const struct frida_run_start2 *start = &f->run2.start;
    size_t at = begin_record(out, "header", KEYS);
    frida_put_named(out, "evidence_format_version", EVIDENCE_VERSION);
    frida_put_named(out, "capture_format_version", s->version);
    frida_put_named(out, "trace_format_version", TRACE_VERSION);
    frida_put_named(out, "trace_schema_version", f->run2.model->schema);
    put_text_at(out, "frida_version", s->frida_version);
    put_text_at(out, "session_id", s->session_id);
    put_text_at(out, "ptrs_hash", s->ptrs_hash);
    frida_put_key(out, "module_hash");
    if (s->module_hash.at)
        frida_put_text(out, s->module_hash);
    else
        frida_put_nil(out);
    frida_put_named(out, "run_id", start->run_id);
    frida_put_named(out, "mode_id", start->mode_id);
    frida_put_named(out, "quest_stage_major", start->quest_stage_major);
    frida_put_named(out, "quest_stage_minor", start->quest_stage_minor);
    frida_put_named(out, "tick_count", (int64_t)f->run2.ticks);
    frida_put_key(out, "raw_sha256");
    frida_put_key(out, f->lines.hex);
    frida_put_key(out, "trace_sha256");
    frida_put_key(out, trace_sha);
    frida_put_key(out, "replay_sha256");
    frida_put_key(out, replay_sha);
    end_record(out, at);
}

void frida_proof_end(struct out *out, const struct frida *f)
{
    enum { KEYS = 5 };
    int64_t first = f->run2.start.global_tick_index, more = (int64_t)f->run2.ticks - 1;
    size_t at = begin_record(out, "footer", KEYS);
    frida_put_named(out, "tick_count", more + 1);
    frida_put_named(out, "first_tick", 0);
    frida_put_named(out, "last_tick", more);
    frida_put_named(out, "global_tick_first", first);
    frida_put_named(out, "global_tick_last", first + more);
    end_record(out, at);
}

/* ---- values of JSON ------------------------------------------------------------------------ */

static const uint8_t *put_any(struct frida_in *d, const uint8_t *p, unsigned depth,
                              struct out *out);

/* The count of a map or array comes first and is known last: its head is moved in front. */
static void put_front(struct out *out, size_t at, size_t count, bool map)
{
    uint8_t head[16];
    size_t size = (size_t)(put_count(head, count, map ? 0x80 : 0x90, map ? 0xde : 0xdc) - head);
    uint8_t *end = out_room(out, size);
    if (!end)
        return;
    memmove(out->at + at + size, out->at + at, out->len - at);
    memcpy(out->at + at, head, size);
    out->len += size;
}

static const uint8_t *put_many(struct frida_in *d, const uint8_t *p, unsigned depth,
                               struct out *out)
{
    bool map = *p == '{', more;
    char close = map ? '}' : ']';
    size_t at = out->len, count = 0;
    struct ras_bytes key;
    if (depth == DEEPEST)
        return frida_bad(d, p, "nested deeper than %d levels", DEEPEST);
    for (p = frida_first(p + 1, close, &more); more; count++) {
        if (map) {
            p = frida_key(d, p, &key);
            if (!p)
                return NULL;
            frida_put_text(out, key);
        }
        p = put_any(d, p, depth + 1, out);
        p = p ? frida_next(d, p, close, &more) : NULL;
        if (!p)
            return NULL;
    }
    put_front(out, at, count, map);
    return p;
}

static const uint8_t *put_json_number(struct frida_in *d, const uint8_t *p, struct out *out)
{
    struct json_number n;
    struct ras_cdt_int whole;
    double real;
    const uint8_t *fault, *end = json_number(p, &n, &fault);
    if (!end)
        return frida_malformed(d, fault, "invalid number");
    if (!n.integer) {
        end = frida_float(d, p, false, &real);
        if (end)
            frida_put_f64(out, real);
        return end;
    }
    end = frida_int(d, p, false, false, &whole);
    if (end)
        frida_put_number(out, whole);
    return end;
}

static const uint8_t *put_any(struct frida_in *d, const uint8_t *p, unsigned depth, struct out *out)
{
    struct ras_bytes text;
    bool truth;
    const uint8_t *end;
    switch (*p) {
    case '{':
    case '[':
        return put_many(d, p, depth, out);
    case '"':
        end = frida_text(d, p, false, &text);
        if (end)
            frida_put_text(out, text);
        return end;
    case 't':
    case 'f':
        end = frida_bool(d, p, false, &truth);
        if (end)
            frida_put_bool(out, truth);
        return end;
    case 'n':
        end = frida_null(p);
        frida_put_nil(out);
        return end ? end : frida_malformed(d, p, "invalid character");
    default:
        return put_json_number(d, p, out);
    }
}

/* ---- ticks --------------------------------------------------------------------------------- */

static void put_timers(struct out *out, const struct frida_list *list)
{
    const struct ras_cdt_timer *item = list->at;
    frida_put_map(out, list->count);
    for (size_t i = 0; i < list->count; i++) {
        frida_put_text(out, item[i].key);
        frida_put_number(out, item[i].value);
    }
}

/* A struct of the evidence, by its table; false: see the problem. */
static bool put_table(struct frida_in *d, const struct cdt_struct *s, const uint8_t *from,
                      struct out *out)
{
    frida_put_map(out, s->count);
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        const void *at = from + f->offset;
        bool good = true;
        frida_put_key(out, f->name);
        if (f->type == CDT_INT)
            frida_put_int(out, *(const int64_t *)at);
        else if (f->type == CDT_BOOL)
            frida_put_bool(out, *(const bool *)at);
        else if (f->type == CDT_TIMERS)
            put_timers(out, at);
        else if (f->type == CDT_STRUCT)
            good = put_table(d, f->of, at, out);
        else
            good = put_any(d, ((const struct ras_bytes *)at)->at, 0, out);
        if (!good) {
            cdt_problem_inside(d->problem, ".%s", f->name);
            return false;
        }
    }
    return true;
}

int frida_proof_tick(struct frida *f, const struct frida_tick2 *row, struct out *out,
                     struct ras_error *err)
{
    enum { KEYS = 4 };
    struct cdt_problem problem;
    struct frida_in d = {f->line.at, f->line.at + f->line.len, f->run2.model, &f->row, &problem};
    size_t at = begin_record(out, "tick", KEYS);
    frida_put_named(out, "run_id", row->run_id);
    frida_put_named(out, "tick_index", row->tick_index);
    frida_put_named(out, "global_tick_index", row->global_tick_index);
    frida_put_key(out, "evidence");
    bool good = put_table(&d, &frida_proof, (const uint8_t *)&row->evidence, out);
    end_record(out, at);
    if (out->failed || (!good && problem.status == RAS_EMEMORY))
        return fail_memory(err);
    return good ? RAS_OK : frida_refuse(f, ".evidence%s: %s", problem.path, problem.what);
}
