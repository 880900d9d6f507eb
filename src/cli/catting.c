/* catting.c - the walk of cat: which records, with which fields, to which output. */
#include "cli/catting.h"
#include "cli/asked.h"

#include <stdlib.h>
#include <string.h>

/* ---- the walk ------------------------------------------------------------------- */

/* What is decoded: the fields that are shown and those that the condition looks at. */
static bool add_fields(struct list *fields, const struct catting *o)
{
    size_t count = 0;
    const char *const *asked = o->where ? ras_where_fields(o->where, &count) : NULL;
    bool fine = true;
    for (size_t i = 0; fine && i < o->fields.count; i++)
        fine = list_add(fields, o->fields.items[i]);
    for (size_t i = 0; fine && o->fields.count && i < count; i++)
        fine = list_add(fields, asked[i]);
    return fine;
}

/* One pick per type, all with the same fields; one for every type when none is named. */
static struct ras_pick *make_picks(const struct list *fields, const struct list *types,
                                   size_t *count)
{
    *count = types->count ? types->count : fields->count ? 1 : 0;
    struct ras_pick *picks = calloc(*count + 1, sizeof *picks);
    for (size_t i = 0; picks && i < *count; i++)
        picks[i] = (struct ras_pick){.type = types->count ? types->items[i] : NULL,
                                     .fields = fields->items,
                                     .field_count = fields->count};
    return picks;
}

/* What is walked, and where it goes. */
struct way {
    struct ras_trace *trace;
    struct ras_cursor *cursor;
    struct ras_export *export;
    struct answer *answer;
    struct progress progress;
    uint64_t seen, shown; /* records */
    bool settled;         /* the names that were given are known to be right */
};

/* Nothing new yet: show what there is, then wait for more. */
static int wait_for_more(struct way *w, struct ras_error *err)
{
    int status = ras_export_flush(w->export, err);
    if (status < 0)
        return status;
    answer_check_reader(w->answer);
    return ras_wait(w->trace, 200, err);
}

static void tell_progress(struct way *w)
{
    uint64_t total, done = ras_cursor_progress(w->cursor, &total);
    progress_at(&w->progress, done, total);
}

/* The next record, be it waited for. */
static int next(struct way *w, const struct ras_record **r, struct ras_error *err)
{
    int status = ras_next(w->cursor, r, err);
    while (status == RAS_WAIT && !interrupted()) {
        status = wait_for_more(w, err);
        if (status >= 0)
            status = ras_next(w->cursor, r, err);
    }
    return status;
}

static int walk(const struct catting *o, struct way *w, struct ras_error *err)
{
    const struct ras_record *r;
    int status = RAS_OK;
    while (!interrupted() && (!o->limit.given || w->shown < o->limit.value)) {
        bool wanted = true;
        status = next(w, &r, err);
        if (status == RAS_OK && o->where)
            status = ras_where_matches(o->where, w->cursor, r, &wanted, err);
        if (status == RAS_OK && wanted) {
            status = ras_export_record(w->export, w->cursor, r, err);
            w->shown++;
        }
        if (status != RAS_OK)
            break;
        if (++w->seen % 65536 == 0)
            tell_progress(w);
    }
    return status;
}

/* Something was asked for and is not there: the names that mean nothing, or no record. A
 * condition asks for a match, so that none is a no; a range or a type may well be empty. */
static int cat_report_none(const struct catting *o, const char *path, struct ras_trace *t,
                           const struct way *w)
{
    const struct asked_names names = {&o->types, &o->fields, o->where};
    int found = w->settled ? EXIT_YES : check_names(path, t, &names, o->common.quiet);
    bool asked = range_asked(&o->range) || o->types.count || o->where;
    if (found == EXIT_YES && asked && !w->shown) {
        remark(o->common.quiet, "%s: no records match", shown_path(path));
        found = o->where ? EXIT_NO : EXIT_YES;
    }
    return found;
}

static int cat_finish(const struct catting *o, const char *path, const struct way *w, int status,
                      const struct ras_error *err)
{
    struct ras_trace *t = w->trace;
    if (status < 0)
        return trouble_at(path, err);
    if (interrupted()) /* whoever follows ends so; else half an answer is none */
        return o->follow ? EXIT_YES : EXIT_TROUBLE;
    struct ras_ending ending = {0};
    if (status != RAS_END) /* the limit was reached: what follows is not known */
        return say_ending(path, t, &ending, o->common.quiet);
    int found = cat_report_none(o, path, t, w);
    ending = ras_ending(t);
    int lost = say_ending(path, t, &ending, o->common.quiet);
    return lost ? lost : found;
}

static int show_records(const struct catting *o, const char *path, struct ras_trace *t,
                        const struct ras_scan *scan, bool live, struct answer *answer)
{
    struct ras_export_options how = {.fields = o->fields.count ? o->fields.items : NULL,
                                     .field_count = o->fields.count,
                                     .float_bits = o->float_bits,
                                     .color = answer->color,
                                     .symbols = !o->no_symbols && !o->follow && !arrives(path),
                                     .to_terminal = answer->on_terminal,
                                     .csv_safe = o->csv_safe};
    struct ras_error err;
    struct way w = {.trace = t, .answer = answer, .settled = !live};
    if (time_find(path, o->time, RAS_TIME_RAW, t, &how.time))
        return EXIT_TROUBLE;
    const char *format = o->format ? o->format : "text";
    if (o->common.operands.count > 1)
        how.label = shown_path(path);
    if (o->where && ras_where_begin(o->where, t, &err) < 0)
        return trouble("%s: --where: %s", shown_path(path), text_of(&err));
    int status = ras_cursor_open(&w.cursor, t, scan, &err);
    if (status == RAS_OK)
        status = ras_export_open(&w.export, format, t, scan, &how, answer->sink, &err);
    progress_start(&w.progress, &o->common, "cat", answer->on_screen);
    if (status == RAS_OK)
        status = walk(o, &w, &err);
    progress_stop(&w.progress);
    struct ras_error late;
    if (ras_export_close(w.export, &late) < 0 && status >= 0) {
        status = late.status;
        err = late;
    }
    ras_cursor_close(w.cursor);
    if (ras_sink_flush(answer->sink, &late) < 0) /* no fault of the trace; closing stdout tells */
        return answer->to_file ? trouble("%s", late.text) : EXIT_TROUBLE;
    return cat_finish(o, path, &w, status, &err);
}

/* The columns of CSV are the fields of the types asked for. */
static bool has_columns_of_types(const struct catting *o)
{
    return o->format && !strcmp(o->format, "csv") && o->types.count && !o->fields.count;
}

static bool may_be_several(const struct list *types)
{
    return types->count > 1 || (types->count && strpbrk(types->items[0], ",*?["));
}

/* Names that mean nothing are an error before anything is printed; what arrives is not known yet.
 */
static int check_before(const struct catting *o, const char *path, struct ras_trace *t, bool live)
{
    const struct asked_names names = {&o->types, &o->fields, o->where};
    if (live)
        return EXIT_YES;
    bool all = has_columns_of_types(o) && ras_format_of(t)->defines_types;
    int status = learn_names(path, t, &names, &o->common, all);
    return status ? status : check_names(path, t, &names, o->common.quiet);
}

static int show_picked(const struct catting *o, const char *path, struct ras_trace *t, bool live,
                       struct answer *answer)
{
    struct ras_scan scan = {.frames_only = o->depth.given && !o->depth.value,
                            .merged = o->merged,
                            .follow = o->follow,
                            .strict = o->strict,
                            .choices = o->common.choices,
                            .choice_count = o->common.choice_count};
    struct asked asked;
    struct list fields = {0};
    struct ras_pick *picks = NULL;
    if (asked_types(&asked, t, &o->types) && add_fields(&fields, o))
        picks = make_picks(&fields, &asked.names, &scan.pick_count);
    scan.picks = picks;
    int status = picks ? range_find(path, &o->range, t, &scan) : trouble("out of memory");
    if (!status)
        status = show_records(o, path, t, &scan, live, answer);
    free(picks);
    free(fields.items);
    asked_free(&asked);
    return status;
}

/* The first time of a pipe is known when all of it has arrived. */
static bool counts_from_first(const struct catting *o)
{
    return range_relative(&o->range) || (o->time && !strcmp(o->time, "relative")) ||
           (o->condition && strchr(o->condition, '+'));
}

int catting_show(void *options, const char *path, struct answer *answer)
{
    const struct catting *o = options;
    bool whole = o->merged || o->header || counts_from_first(o) || /* only then it is known */
                 (has_columns_of_types(o) && may_be_several(&o->types));
    bool live = o->follow || (arrives(path) && !whole);
    struct ras_trace *t = open_operand(&o->common, path, live);
    if (!t)
        return EXIT_TROUBLE;
    if (o->header) {
        int done = cat_lines(o, path, t, answer);
        ras_close(t);
        return done;
    }
    int status = check_before(o, path, t, live);
    if (!status)
        status = show_picked(o, path, t, live, answer);
    ras_close(t);
    return status;
}
