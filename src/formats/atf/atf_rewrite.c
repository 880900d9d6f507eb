/* atf_rewrite.c - events and details of one or more sessions into a new one.
 *
 * A first pass learns which records are taken, so that the second can renumber the links
 * of each as it is copied. A link to a record that is not taken becomes none. */
#include "formats/atf/atf_rewrite.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- sources ------------------------------------------------------------------- */

static bool set_parts(struct rewrite *rw, size_t source)
{
    struct atf_rewrite *k = rw->priv;
    struct ras_atf_session *s = &((struct atf *)rw->sources[source]->priv)->session;
    bool converted =
        !strcmp(rw->target, "spec") && !strcmp(rw->sources[source]->dialect, "production");
    size_t copies = k->copy_count;
    k->by_part[source] = calloc(source_count(s->source) + 1, sizeof **k->by_part);
    for (size_t i = 0; k->by_part[source] && i < s->thread_count; i++) {
        const struct atf_thread *t = &s->threads[i];
        struct atf_copy *c = &k->copies[k->copy_count++];
        *c = (struct atf_copy){.source = source,
                               .thread = i,
                               .converted = converted,
                               .process = k->process_count + t->process,
                               .time_min = UINT64_MAX};
        if (t->index_file.part >= 0)
            k->by_part[source][t->index_file.part] = (uint32_t)k->copy_count;
        if (t->detail_file.part >= 0)
            k->by_part[source][t->detail_file.part] = (uint32_t)k->copy_count;
    }
    for (size_t i = 0; i < s->process_count; i++)
        k->processes[k->process_count++] = (struct atf_process_copy){
            .source = source, .process = i, .copies = copies, .dir = s->processes[i].dir};
    return k->by_part[source];
}

static int set_up(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    size_t threads = 0, processes = 0;
    for (size_t i = 0; i < rw->count; i++) {
        const struct ras_atf_session *s = &((struct atf *)rw->sources[i]->priv)->session;
        threads += s->thread_count;
        processes += s->process_count;
    }
    k->copies = calloc(threads + 1, sizeof *k->copies);
    k->processes = calloc(processes + 1, sizeof *k->processes);
    k->by_part = calloc(rw->count, sizeof(uint32_t *));
    if (!k->copies || !k->processes || !k->by_part)
        return fail_memory(err);
    for (size_t i = 0; i < rw->count; i++)
        if (!set_parts(rw, rw->order[i]))
            return fail_memory(err);
    return RAS_OK;
}

static bool to_folder(const struct ras_trace *t)
{
    return source_is_dir(t->source);
}

static int check_sources(const struct rewrite *rw, struct ras_error *err)
{
    bool spec = !strcmp(rw->target, "spec");
    for (size_t i = 0; i < rw->count; i++) {
        const struct ras_trace *t = rw->sources[i];
        bool production = !strcmp(t->dialect, "production");
        if (rw->count > 1 && !source_is_dir(t->source))
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "trace %zu is a lone file: name the directory of its thread or session",
                        i + 1);
        if (!spec && !production)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "trace %zu is of the spec dialect: nothing is made to the public tracer's "
                        "shape",
                        i + 1);
        if (spec && production && (!rw->whole || !source_is_dir(t->source)))
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                        "only whole sessions are converted from production to spec");
    }
    return RAS_OK;
}

static int rewrite_begin(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    k->alone = !source_is_dir(rw->sources[0]->source);
    int status = check_sources(rw, err);
    if (status == RAS_OK)
        status = set_up(rw, err);
    if (status == RAS_OK)
        status = atf_copy_layout(rw, err);
    /* On the axis of seq only the walk knows; a lone file keeps its links. */
    rw->settled = k->alone || rw->asked->axis == RAS_AXIS_NONE || rw->asked->axis == RAS_AXIS_TIME;
    for (size_t i = 0; status == RAS_OK && rw->settled && !k->alone && i < k->copy_count; i++)
        if (!atf_copy_settle(rw, &k->copies[i]))
            status = fail_memory(err);
    return status;
}

/* ---- records -------------------------------------------------------------------- */

static struct atf_copy *copy_of(const struct rewrite *rw, const struct taken *t)
{
    const struct atf_rewrite *k = rw->priv;
    return &k->copies[k->by_part[t->source][t->record->part] - 1];
}

static bool is_event(const struct rewrite *rw, const struct atf_copy *c, const struct taken *t)
{
    return t->record->part == atf_copy_thread(rw, c)->index_file.part;
}

/* The number of a detail, which the file does not tell; details come in order. */
static uint64_t detail_number(const struct rewrite *rw, struct atf_copy *c, uint64_t offset)
{
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_bytes bytes =
        source_bytes(rw->sources[c->source]->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event d;
    if (!c->detail_at)
        c->detail_at = t->detail.at;
    while (c->detail_at < offset &&
           ras_atf_detail_step(&t->detail, bytes, &c->detail_at, &d) == RAS_OK)
        c->detail_seq++;
    return c->detail_seq;
}

/* How many events, with the one shown, are neighbours that are all taken. */
static size_t events_at_once(const struct rewrite *rw, const struct taken *t)
{
    uint64_t more = rewrite_ahead(rw, t), left = atf_left(t->cursor);
    more = more < left ? more : left;
    more = more < ATF_EVENTS_AT_ONCE ? more : ATF_EVENTS_AT_ONCE - 1;
    if (rw->asked->axis != RAS_AXIS_TIME)
        return (size_t)more + 1;
    for (size_t i = 1; i <= more; i++)
        if (!atf_copy_in_time(rw->asked, load_u64(t->record->raw + i * RAS_ATF_INDEX_EVENT_SIZE)))
            return i;
    return (size_t)more + 1;
}

/* Leave events behind that were taken with the one shown. */
static void rewrite_pass_events(const struct taken *t, size_t more)
{
    t->cursor->in.at += more * RAS_ATF_INDEX_EVENT_SIZE;
    t->cursor->seq += more;
}

static int need_events(struct atf_copy *c, const struct rewrite *rw, const struct taken *t,
                       struct ras_error *err)
{
    uint64_t seq =
        (t->record->offset - atf_copy_thread(rw, c)->index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    size_t count = events_at_once(rw, t);
    rewrite_pass_events(t, count - 1);
    return atf_runs_add(&c->events, seq, seq + count) ? RAS_OK : fail_memory(err);
}

static int rewrite_take_events(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    size_t count = events_at_once(rw, t);
    int status = atf_copy_events(rw, t->record->raw, count, err);
    rewrite_pass_events(t, count - 1);
    if (count > 1)
        rewrite_kept(rw, atf_event_schema.name, count - 1);
    return status;
}

static int need(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct atf_copy *c = copy_of(rw, t);
    if (!t->wanted || c->converted)
        return RAS_OK;
    if (is_event(rw, c, t))
        return need_events(c, rw, t, err);
    uint64_t seq = detail_number(rw, c, t->record->offset);
    return atf_runs_add(&c->details, seq, seq + 1) ? RAS_OK : fail_memory(err);
}

static int rewrite_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_copy *c = copy_of(rw, t);
    if (!t->wanted || c->converted)
        return RAS_OK;
    if (k->open != c) {
        int status = atf_copy_close(rw, err);
        if (status == RAS_OK)
            status = atf_copy_open(rw, c, err);
        if (status < 0)
            return status;
    }
    return is_event(rw, c, t) ? rewrite_take_events(rw, t, err)
                              : atf_copy_detail(rw, t->record->raw, t->record->raw_len, err);
}

/* A thread of which anything can be read: its events, or its details alone. */
static bool is_readable(const struct rewrite *rw, const struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    return atf_index_ready(s, t) || atf_detail_ready(s, t);
}

/* Whether its process has copied events of ras_event() and no thread beside which they would be
 * found. */
static bool is_needed(const struct atf_rewrite *k, const struct atf_copy *c)
{
    const struct atf_process_copy *p = &k->processes[c->process];
    return p->carried && !p->placed;
}

/* Whether nothing but this thread can stand for what was written. */
static bool is_last(const struct atf_rewrite *k, size_t i, bool any)
{
    bool last = i + 1 == k->copy_count;
    if (is_needed(k, &k->copies[i]))
        return last || k->copies[i + 1].process != k->copies[i].process;
    return last && !any;
}

/* Threads without records are kept where nothing was to be left out; one is needed
 * in any case: without, nothing opens what was written. */
static int write_rest(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    bool any = false;
    int status = RAS_OK;
    for (size_t i = 0; i < k->copy_count; i++)
        any |= k->copies[i].written;
    for (size_t i = 0; status == RAS_OK && i < k->copy_count; i++) {
        struct atf_copy *c = &k->copies[i];
        if (c->written || !(rw->whole || !any || is_needed(k, c)))
            continue;
        if (!k->alone && !is_readable(rw, c) && !is_last(k, i, any))
            continue;
        if (c->converted) {
            status = atf_copy_to_spec(rw, c, err);
        } else {
            status = atf_copy_open(rw, c, err);
            if (status == RAS_OK)
                status = atf_copy_close(rw, err);
        }
        any = true;
    }
    return status;
}

static int rewrite_end(struct rewrite *rw, struct ras_error *err)
{
    int status = atf_copy_close(rw, err);
    if (status == RAS_OK)
        status = write_rest(rw, err);
    const struct atf_rewrite *k = rw->priv;
    rewrite_dropped(rw, atf_event_schema.name, k->folded); /* there twice, kept once */
    return status == RAS_OK && rw->folder ? atf_copy_manifests(rw, err) : status;
}

/* ---- events of ras_event() ---------------------------------------------------------- */

static struct atf_process_copy *copied_process(struct rewrite *rw, size_t source, size_t part)
{
    struct atf_rewrite *k = rw->priv;
    size_t i = 0;
    while (k->processes[i].source != source)
        i++;
    return &k->processes[i + atf_session_carrier(
                                 &((struct atf *)rw->sources[source]->priv)->session, part)];
}

static char *carry_name(struct rewrite *rw, size_t source, size_t part)
{
    const char *dir = copied_process(rw, source, part)->dir;
    size_t room = strlen(dir) + sizeof ATF_EVENTS_NAME + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s%s%s", dir, *dir ? "/" : "", ATF_EVENTS_NAME);
    return name;
}

static void rewrite_carried(struct rewrite *rw, size_t source, size_t part, uint64_t records)
{
    struct atf_process_copy *p = copied_process(rw, source, part);
    p->looked = true;
    p->carried += records;
}

static void rewrite_stop(struct rewrite *rw)
{
    struct atf_rewrite *k = rw->priv;
    (void)!ras_atf_writer_close(k->writer, NULL);
    ras_sink_drop(k->scratch);
    for (size_t i = 0; i < k->copy_count; i++) {
        free(k->copies[i].events.at);
        free(k->copies[i].details.at);
    }
    for (size_t i = 0; i < k->process_count; i++) {
        free(k->processes[i].made);
        free(k->processes[i].symbols);
        free(k->processes[i].modules);
    }
    for (size_t i = 0; k->by_part && i < rw->count; i++)
        free(k->by_part[i]);
    free((void *)k->by_part);
    free(k->copies);
    free(k->processes);
    free(k->batch);
}

const struct rewrite_ops atf_rewrite = {
    .targets = (const char *const[]){"spec", "production", NULL},
    .size = sizeof(struct atf_rewrite),
    .to_folder = to_folder,
    .begin = rewrite_begin,
    .need = need,
    .take = rewrite_take,
    .end = rewrite_end,
    .carry_name = carry_name,
    .carried = rewrite_carried,
    .stop = rewrite_stop,
};
