/* atf_compare.c - compares two sessions thread by thread, call by call, realigned after
 * differences.
 *
 * Threads are matched by their ids, in processes by their order; two lone files are one thread
 * each. Times do not count. Events have a fixed size, so they are read in place and memory holds
 * only the open calls. */
#include "formats/atf/atf_compare.h"

#include <stdlib.h>

/* ---- which threads are the same ------------------------------------------------------ */

/* Threads are numbered by their first event, which is a race: the same program gets other
 * numbers in every recording. Who created a thread, and as which of its threads, does not depend
 * on that: threads are paired by this path where both manifests have it for all threads. */

/* Numbers by their value: "0.10" comes after "0.9". */
static int path_order(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        if (n && m) {
            int order = n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
            if (order)
                return order;
            a += n;
            b += m;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

/* Within one process: below, at or above zero, as for memcmp. */
static int pairing_order(const struct atf_pairing *a, const struct atf_pairing *b)
{
    if (a->path && b->path)
        return path_order(a->path, b->path);
    return a->id < b->id ? -1 : a->id > b->id;
}

static int by_order(const void *a, const void *b)
{
    return pairing_order(a, b);
}

/* The end of the threads from `at` on that belong to one process. */
static size_t process_end(const struct ras_atf_session *s, size_t at)
{
    size_t end = at;
    while (end < s->thread_count && s->threads[end].process == s->threads[at].process)
        end++;
    return end;
}

/* Whether each of them has a path of its own; then they are sorted by it. */
static bool has_paths(struct atf_pairing *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!p[i].path)
            return false;
    qsort(p, count, sizeof *p, by_order);
    for (size_t i = 1; i < count; i++)
        if (!path_order(p[i - 1].path, p[i].path))
            return false;
    return true;
}

static void pair_by_number(struct atf_pairing *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p[i].path = NULL;
    qsort(p, count, sizeof *p, by_order);
}

static struct atf_pairing *list(const struct ras_atf_session *s)
{
    struct atf_pairing *p = calloc(s->thread_count + 1, sizeof *p);
    for (size_t i = 0; p && i < s->thread_count; i++)
        p[i] = (struct atf_pairing){
            .thread = i, .path = atf_thread_path(s, &s->threads[i]), .id = s->threads[i].thread_id};
    return p;
}

/* The threads of both sessions, by process, then by creator, or by number where a creator is not
 * known (*numbers). Free both. False: no memory. */
static bool pair_threads(const struct ras_atf_session *a, const struct ras_atf_session *b,
                         struct atf_pairing *out[2], bool *numbers)
{
    out[0] = list(a);
    out[1] = list(b);
    if (!out[0] || !out[1])
        return false;
    for (size_t i = 0, k = 0; i < a->thread_count || k < b->thread_count;) {
        size_t i_end = process_end(a, i), k_end = process_end(b, k);
        bool paths = has_paths(out[0] + i, i_end - i) && has_paths(out[1] + k, k_end - k);
        if (!paths) {
            pair_by_number(out[0] + i, i_end - i);
            pair_by_number(out[1] + k, k_end - k);
        }
        *numbers |= !paths && i_end - i > 1 && k_end - k > 1;
        i = i_end;
        k = k_end;
    }
    return true;
}

/* ---- one thread --------------------------------------------------------------- */

static uint64_t left(const struct call_side *s)
{
    return s->count - s->at;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int pass_calls(void *user, uint64_t most, uint64_t *passed, struct ras_error *err)
{
    struct atf_compare *d = user;
    struct call_side *a = &d->side[0], *b = &d->side[1];
    (void)err;
    *passed = atf_same_run(d, least(most, least(left(a), left(b))));
    a->at += *passed;
    b->at += *passed;
    return RAS_OK;
}

static bool has_call(const void *user, int side)
{
    const struct atf_compare *d = user;
    return left(&d->side[side]) > 0;
}

static bool is_cut(const void *user, int side)
{
    const struct atf_compare *d = user;
    return d->side[side].lost;
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct atf_compare *d = user;
    *total = d->total;
    return d->passed + d->side[0].at * RAS_ATF_INDEX_EVENT_SIZE;
}

/* Events stay in the file: a window is only a count. */
static int fill_window(void *user, int side, size_t want, struct align_window *w,
                       struct ras_error *err)
{
    struct atf_compare *d = user;
    (void)err;
    d->base[side] = d->side[side].at;
    w->count = (size_t)least(want, left(&d->side[side]));
    w->ended = w->count == left(&d->side[side]);
    return RAS_OK;
}

static bool calls_same(void *user, size_t a, size_t b)
{
    struct atf_compare *d = user;
    return atf_same_call(d, d->base[0] + a, d->base[1] + b);
}

static uint32_t calls_key(const void *user, int side, size_t row)
{
    const struct atf_compare *d = user;
    return atf_call_key(d, side, d->base[side] + row);
}

static int seek_calls(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct atf_compare *d = user;
    (void)err;
    d->side[0].at = d->base[0] + a;
    d->side[1].at = d->base[1] + b;
    return RAS_OK;
}

static const struct align_walk_ops calls = {
    .pass = pass_calls,
    .has_row = has_call,
    .is_cut = is_cut,
    .progress = progress,
    .fill = fill_window,
    .same = calls_same,
    .key = calls_key,
    .similar = atf_calls_similar,
    .put_pair = atf_put_pair,
    .changed = atf_report_pair,
    .alone = atf_report_one_sided,
    .rest = atf_report_rest,
    .seek = seek_calls,
};

/* Threads without an index have only their details, one after the other. */
static int compare_details(struct atf_compare *d)
{
    struct call_side *a = &d->side[0], *b = &d->side[1];
    struct ras_atf_detail_event x, y;
    int status = RAS_OK;
    if (d->no_details)
        return RAS_OK;
    for (uint64_t seq = 0; status == RAS_OK && seq < UINT32_MAX; seq++) {
        bool first = atf_detail_near(a->session, a->thread, &a->hint, (uint32_t)seq, &x);
        bool second = atf_detail_near(b->session, b->thread, &b->hint, (uint32_t)seq, &y);
        struct call_side *ended = first ? b : a;
        if (!first && !second)
            return RAS_OK;
        if (first && second && atf_same_payload(d, &x, &y)) {
            d->c->out->checked++;
            continue;
        }
        if ((!first || !second) && atf_file_verdict(ended->session, ended->t, true).kind >= RAS_CUT)
            return RAS_OK;
        status = atf_report_detail(d, seq, first ? &x : NULL, second ? &y : NULL);
    }
    return status;
}

static void enter_side(struct atf_compare *d, int side, size_t thread)
{
    struct ras_atf_session *s = &((struct atf *)d->c->side[side]->priv)->session;
    struct atf_thread *t = &s->threads[thread];
    bool ready = atf_index_ready(s, t);
    struct call_side *out = &d->side[side];
    struct ras_atf_stack *stack = out->stack;
    const uint8_t *events = ready ? atf_events(s, t) : (const uint8_t *)"";
    if (stack)
        atf_stack_clear(stack);
    *out = (struct call_side){.session = s,
                              .thread = thread,
                              .t = t,
                              .process = &s->processes[t->process],
                              .events = events,
                              .all = ready ? t->index.count : 0,
                              .cut = atf_file_verdict(s, t, false).kind >= RAS_CUT ||
                                     s->processes[t->process].manifest.out.unfinished,
                              .stack = stack};
    out->count = out->all;
    out->lost = out->cut;
}

/* Restrict the comparison to these events of the thread. */
static void narrow(struct call_side *s, uint64_t from, uint64_t to)
{
    s->count = least(to, s->all);
    s->at = least(from, s->count);
    s->lost = s->cut && s->count == s->all;
}

/* Span by span, so that extra events in one span do not shift the next. */
static int compare_spans(struct atf_compare *d, struct ras_error *err)
{
    const struct ras_compare_options *options = d->c->options;
    int status = RAS_OK;
    bool named = options->only_spans;
    for (size_t i = 0; i < options->span_count && status == RAS_OK; i++) {
        const struct ras_compare_span *s = &options->spans[i];
        if (s->stream[0] != d->side[0].t->stream || s->stream[1] != d->side[1].t->stream)
            continue;
        narrow(&d->side[0], s->from[0], s->to[0]);
        narrow(&d->side[1], s->from[1], s->to[1]);
        named = true;
        status = align_walk_run(&d->walk, err);
    }
    return named ? status : align_walk_run(&d->walk, err);
}

static int pair_of_threads(void *user, struct ras_error *err)
{
    struct atf_compare *d = user;
    int status = RAS_OK;
    enter_side(d, 0, d->place[0].thread);
    enter_side(d, 1, d->place[1].thread);
    d->names = d->side[0].process->manifest.out.symbol_count &&
               d->side[1].process->manifest.out.symbol_count;
    memset(d->pairs, 0, sizeof d->pairs);
    if (d->side[0].t->index_file.part < 0 && d->side[1].t->index_file.part < 0)
        status = d->c->options->only_spans ? RAS_OK : compare_details(d);
    else
        status = compare_spans(d, err);
    d->passed += d->side[0].all * RAS_ATF_INDEX_EVENT_SIZE;
    return status;
}

/* ---- all threads --------------------------------------------------------------- */

static struct ras_atf_session *compared_session(const struct atf_compare *d, int side)
{
    return &((struct atf *)d->c->side[side]->priv)->session;
}

static int next_thread(void *user, int side, struct ras_error *err)
{
    struct atf_compare *d = user;
    const struct ras_atf_session *s = compared_session(d, side);
    struct thread_place *p = &d->place[side];
    (void)err;
    if (p->next == s->thread_count)
        return RAS_END;
    size_t was = p->thread;
    p->thread = d->pairing[side][p->next].thread;
    if (p->next++)
        p->process += s->threads[was].process != s->threads[p->thread].process;
    return RAS_OK;
}

static int order_of(const void *user)
{
    const struct atf_compare *d = user;
    const struct thread_place *a = &d->place[0], *b = &d->place[1];
    if (!source_is_dir(compared_session(d, 0)->source) &&
        !source_is_dir(compared_session(d, 1)->source))
        return 0; /* lone files */
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return pairing_order(&d->pairing[0][a->next - 1], &d->pairing[1][b->next - 1]);
}

/* Of a process that was killed a thread may not have been stored. */
static bool may_lack_threads(const struct ras_atf_session *s)
{
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].manifest.out.unfinished)
            return true;
    return false;
}

/* A thread that only one side has; where only spans count, one with events in a span. */
static int lone_thread(void *user, int side, struct ras_error *err)
{
    struct atf_compare *d = user;
    const struct ras_compare_options *options = d->c->options;
    size_t thread = d->place[side].thread;
    (void)err;
    enter_side(d, side, thread);
    if (may_lack_threads(compared_session(d, !side)))
        return RAS_OK;
    bool any = !options->only_spans;
    for (size_t i = 0; i < options->span_count && !any; i++)
        any = options->spans[i].stream[side] == d->side[side].t->stream &&
              options->spans[i].from[side] < least(options->spans[i].to[side], d->side[side].all);
    return any ? atf_report_thread(d, side, thread) : RAS_OK;
}

static const struct place_walk_ops threads = {
    .next = next_thread,
    .order = order_of,
    .lone = lone_thread,
    .pair = pair_of_threads,
};

static int compare_all(struct atf_compare *d, struct ras_error *err)
{
    if (!pair_threads(compared_session(d, 0), compared_session(d, 1), d->pairing, &d->numbers))
        return fail_memory(err);
    return place_walk_run(d->c, &threads, d, err);
}

/* How the files of a session end, without reading through them. */
static int find_ending(struct atf_compare *d, int side, struct ras_error *err)
{
    struct ras_atf_session *s = compared_session(d, side);
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, d->c->side[side], &scan, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < s->thread_count; i++) {
        (void)atf_note_file(c, &s->threads[i], false);
        (void)atf_note_file(c, &s->threads[i], true);
    }
    (void)atf_enter(c, s->thread_count, STAGE_MODULES);
    status = ras_next(c, &r, err);
    ras_cursor_close(c);
    d->c->out->endings[side] = ras_ending(d->c->side[side]);
    return status < 0 ? status : RAS_OK;
}

/* Segments begin where a size or a time was reached, which are other calls in every recording. */
static int refuse_segments(const struct atf_compare *d, struct ras_error *err)
{
    for (int side = 0; side < 2; side++) {
        const struct ras_atf_session *s = compared_session(d, side);
        for (size_t i = 0; i < s->process_count && s->process_count > 1; i++)
            if (strchr(s->processes[i].name, '.'))
                return fail(err, RAS_EUSAGE, RAS_NONE,
                            "%.100s is a segment of a recording: those of two recordings begin at "
                            "other calls and cannot be compared; record in one piece, or name one "
                            "segment of each",
                            s->processes[i].name);
    }
    return RAS_OK;
}

static int compare_run(struct compare *c, struct ras_error *err)
{
    struct atf_compare *d = c->priv;
    d->c = c;
    int refused = refuse_segments(d, err);
    if (refused < 0)
        return refused;
    d->walk = (struct align_walk){.c = c, .ops = &calls, .user = d};
    d->numbered = compare_chose(c, "number-addresses");
    d->normalise = d->numbered || compare_chose(c, "normalise");
    d->no_details = compare_ignores(c->options, "detail");
    d->no_depth = compare_ignores(c->options, "call_depth");
    d->no_function = compare_ignores(c->options, "function");
    struct ras_atf_session *s = compared_session(d, 0);
    for (size_t i = 0; i < s->thread_count; i++)
        if (atf_index_ready(s, &s->threads[i]))
            d->total += s->threads[i].index.count * RAS_ATF_INDEX_EVENT_SIZE;
    int status = compare_all(d, err);
    if (d->numbers && c->out->divergence_count)
        compare_note(c, "threads are paired by number, in the order of their first events: the"
                        " manifests do not say who created them");
    for (int i = 0; i < 2 && status >= 0; i++)
        status = find_ending(d, i, err);
    if (status >= 0 && (compared_session(d, 0)->nomem || compared_session(d, 1)->nomem))
        return fail_memory(err);
    if (status >= 0 && !c->options->no_tables && compare_chose(c, "profile"))
        status = atf_profile(c, err);
    return status < 0 ? status : RAS_OK;
}

static void compare_stop(struct compare *c)
{
    struct atf_compare *d = c->priv;
    ras_atf_stack_free(d->side[0].stack);
    ras_atf_stack_free(d->side[1].stack);
    align_walk_free(&d->walk);
    cells_free(&d->cells);
    free(d->pairing[0]);
    free(d->pairing[1]);
    atf_numbers_free(&d->blocks[0]);
    atf_numbers_free(&d->blocks[1]);
}

static void paths(struct ras_trace *t, enum ras_paths of, struct known_paths *k)
{
    if (of != RAS_PATHS_DIFF)
        return;
    paths_add(k, "function");
    paths_add(k, "call_depth");
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *schema = ras_schema_at(t, i);
        for (size_t f = 0; !strcmp(schema->name, "detail") && f < schema->field_count; f++)
            paths_add(k, "detail.%s...", schema->fields[f].name);
    }
}

static const struct ras_detail_member event_members[] = {
    MEMBER_VALUE("index_seq", NUMBER, "its number in the thread"),
    MEMBER_VALUE("timestamp_ns", NUMBER, "its time"),
    {"event_kind", RAS_DETAIL_VALUE, RAS_DETAIL_TEXT | RAS_DETAIL_NUMBER,
     .about = "`CALL`, `RETURN`, `EXCEPTION`, or the number of another kind"},
    MEMBER_VALUE("call_depth", NUMBER, "0: the outermost call"),
    MEMBER_VALUE("function_id", TEXT, "`0x` and 16 digits"),
    MEMBER_VALUE("function", TEXT, "its name, or its id"),
    MEMBER_OR_NULL("module", TEXT, "path of its module"),
    {0},
};
#define EVENT(key, what)                                                                           \
    {                                                                                              \
        key, RAS_DETAIL_SIDE, RAS_DETAIL_MAP | RAS_DETAIL_NULL, false, event_members, what         \
    }
#define CALLS                                                                                      \
    MEMBER_VALUE("depth", NUMBER, "call depth of the event"),                                      \
    {                                                                                              \
        "path", RAS_DETAIL_CALLS, RAS_DETAIL_LIST, false, NULL,                                    \
            "names of the calls that are open there"                                               \
    }
static const struct ras_detail_member pair_members[] = {
    CALLS,
    EVENT("expected", "the first side's event"),
    EVENT("actual", "the second side's event"),
    MEMBER_ROWS("mismatches", "fields that differ, of the event and of its detail"),
    {0},
};
static const struct ras_detail_member lone_members[] = {
    CALLS,
    EVENT("expected", "the event, or the one where it would be; null: after the last"),
    EVENT("actual", "the event, or the one where it would be; null: after the last"),
    MEMBER_VALUE("event_count", NUMBER, "events that only this side has here"),
    MEMBER_VALUE("call_count", NUMBER, "calls among them"),
    {0},
};
static const struct ras_detail_member thread_members[] = {
    MEMBER_VALUE("process", TEXT, "the process of the thread"),
    MEMBER_VALUE("event_count", NUMBER, "its events"),
    {0},
};
/* In a thread that has no index, an event is only its detail. */
static const struct ras_detail_member detail_members[] = {
    {"depth", RAS_DETAIL_VALUE, RAS_DETAIL_NUMBER, true, NULL, "call depth of the event"},
    {"path", RAS_DETAIL_CALLS, RAS_DETAIL_LIST, true, NULL,
     "names of the calls that are open there"},
    {"expected", RAS_DETAIL_SIDE, RAS_DETAIL_MAP, true, event_members, "the first side's event"},
    {"actual", RAS_DETAIL_SIDE, RAS_DETAIL_MAP, true, event_members, "the second side's event"},
    MEMBER_MAYBE("detail_seq", NUMBER, "in place of the four above, in a thread without an index"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    {0},
};
static const struct ras_detail_member lone_detail_members[] = {
    MEMBER_VALUE("detail_seq", NUMBER, "its number in the thread"),
    MEMBER_ROWS("mismatches", "none"),
    {0},
};
static const struct ras_detail_kind details[] = {
    {"other_function", "calls of different functions", pair_members},
    {"other_return", "a call ends differently, or another call ends", pair_members},
    {"other_kind", "events of different kinds", pair_members},
    {"other_depth", "one function at different depths", pair_members},
    {"other_thread", "events that name different threads", pair_members},
    {"detail_mismatch", "one call with different details", detail_members},
    {"missing_call", "calls that only the first side has", lone_members},
    {"missing_return", "ends of calls that only the first side has", lone_members},
    {"missing_event", "other events that only the first side has", lone_members},
    {"extra_call", "calls that only the second side has", lone_members},
    {"extra_return", "ends of calls that only the second side has", lone_members},
    {"extra_event", "other events that only the second side has", lone_members},
    {"missing_thread", "a thread that only the first side has", thread_members},
    {"extra_thread", "a thread that only the second side has", thread_members},
    {"missing_detail", "no index: a detail that only the first side has", lone_detail_members},
    {"extra_detail", "no index: a detail that only the second side has", lone_detail_members},
    {0},
};

const struct compare_ops atf_compare = {
    .details = details,
    .key = "index_seq",
    .word = "event",
    .line = "calls",
    .maker = "ATF",
    .activity = {NULL, NULL, "calls and returns"},
    .takes = COMPARE_PATHS | COMPARE_SPANS,
    .size = sizeof(struct atf_compare),
    .run = compare_run,
    .stop = compare_stop,
    .paths = paths,
};
