/* comparison.c - what the comparing verbs share: their options, reports and failures. */
#include "cli/comparison.h"
#include "cli/host.h"
#include <rastrum/gpu.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const channel_words[] = {"checkpoint", "sim_state",      "entity_samples",
                                     "rng_stream", "timing_samples", NULL};

/* PATH=EPS; a path may have = in it ([uid=3]), so the last one separates them. */
static int read_tolerance(char *text, struct ras_tolerance *out)
{
    char *equals = strrchr(text, '='), *end = NULL;
    if (equals && equals != text)
        out->eps = strtod(equals + 1, &end);
    if (!end || end == equals + 1 || *end || !isfinite(out->eps) || out->eps < 0)
        return trouble("--tolerance takes PATH=EPS, not '%s'", text);
    *equals = 0;
    out->path = text;
    return 0;
}

int compare_read_options(const struct common *common, const struct compare_choice *c,
                         struct ras_compare_options *out, struct ras_tolerance **tolerances)
{
    *tolerances = calloc(c->tolerances.count + 1, sizeof **tolerances);
    if (!*tolerances)
        return trouble("out of memory");
    for (size_t i = 0; i < c->tolerances.count; i++)
        if (read_tolerance((char *)c->tolerances.items[i], &(*tolerances)[i]))
            return EXIT_TROUBLE;
    if ((c->from.given && c->tick_start.given) || (c->to.given && c->tick_end.given))
        return trouble(
            "--from and --to mean the same as --tick-start and --tick-end: use one pair");
    if (c->to.given && c->to.value == INT64_MIN)
        return trouble("--to %" PRId64 ": no tick is before it", c->to.value);
    *out = (struct ras_compare_options){
        .has_first = c->tick_start.given || c->from.given,
        .first = c->from.given ? c->from.value : c->tick_start.value,
        .has_last = c->tick_end.given || c->to.given,
        .last = c->to.given ? c->to.value - 1 : c->tick_end.value,
        .keep_going = c->keep_going,
        .paranoid = c->paranoid,
        .choices = common->choices,
        .choice_count = common->choice_count,
        .gpu = ras_gpu(),
        .outside = c->outside,
        .channels = c->channels.items,
        .channel_count = c->channels.count,
        .ignored = c->ignored.items,
        .ignored_count = c->ignored.count,
        .tolerances = *tolerances,
        .tolerance_count = c->tolerances.count,
    };
    return 0;
}

int open_sides(const struct common *common, const char *verb, struct ras_trace **sides)
{
    const struct list *paths = &common->operands;
    if (paths->count != 2)
        return trouble("%s takes two traces", verb);
    if (!strcmp(paths->items[0], "-") && !strcmp(paths->items[1], "-"))
        return trouble("standard input can be one of the two traces, not both");
    sides[0] = open_operand(common, paths->items[0], false);
    sides[1] = sides[0] ? open_operand(common, paths->items[1], false) : NULL;
    if (sides[1])
        return 0;
    ras_close(sides[0]);
    return EXIT_TROUBLE;
}

int say_endings(const struct common *common, struct ras_trace *const *sides,
                const struct ras_ending *endings, int status)
{
    for (size_t i = 0; i < 2 && sides[i]; i++)
        status = worse(status,
                       say_ending(common->operands.items[i], sides[i], &endings[i], common->quiet));
    return status;
}

int unknown_name(const char *verb, const char *path, const struct ras_error *err)
{
    const size_t len = strlen(err->text);
    return trouble("%s: %s%s rastrum %s --paths %s lists all", shown_path(path), text_of(err),
                   len && err->text[len - 1] == '?' ? "" : ";", verb, shown_path(path));
}

int compare_failed(const char *path, const char *other, const struct ras_error *err)
{
    if (err->status == RAS_EUNSUPPORTED) /* whatever their names are */
        return trouble_with(err);
    if (err->status == RAS_ENAME)
        return unknown_name("diff", path, err);
    return other ? trouble("%s and %s: %s", shown_path(path), shown_path(other), text_of(err))
                 : trouble_at(path, err);
}

int compat_failed(const char *verb, const char *path, const char *other,
                  const struct ras_error *err)
{
    if (err->status != RAS_EREFUSED)
        return compare_failed(path, other, err);
    char before[40];
    snprintf(before, sizeof before, "%s failed: ", verb);
    say_line(before, err->text);
    return EXIT_NO;
}

int only_cdt(const char *verb, const char *const *paths, struct ras_trace *const *traces,
             size_t count, const char *instead)
{
    if (count > 1 && ras_format_of(traces[0]) != ras_format_of(traces[1]))
        return trouble("%s and %s: different formats: %s and %s", shown_path(paths[0]),
                       shown_path(paths[1]), ras_format_of(traces[0])->name,
                       ras_format_of(traces[1])->name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ras_format_of(traces[i])->name, "cdt") != 0)
            return only_for(verb, "CDT traces", paths[i], traces[i], "%s %s%s%s", instead, paths[0],
                            count > 1 ? " " : "", count > 1 ? paths[1] : "");
    return 0;
}

static void compare_put_path(void *user, const char *path)
{
    answer_name(user, path);
    answer_format(user, "\n");
}

int list_paths(const struct common *common, const enum ras_paths *kinds, size_t count)
{
    struct answer a;
    struct ras_error err;
    if (common->operands.count < 1)
        return trouble("--paths needs a trace");
    struct ras_trace *trace = open_operand(common, common->operands.items[0], false);
    int status = trace ? answer_open(&a, common) : EXIT_TROUBLE;
    if (status) {
        ras_close(trace);
        return status;
    }
    for (size_t i = 0; i < count && !status; i++)
        if (ras_paths(trace, kinds[i], compare_put_path, &a, &err) < 0)
            status = trouble_at(common->operands.items[0], &err);
    ras_close(trace);
    return answer_close(&a, status);
}

void put_value(struct answer *a, const struct ras_value *v)
{
    static const struct ras_value none = {.kind = RAS_NULL};
    if (v && v->kind == RAS_STR)
        answer_text(a, v->at, v->count);
    else
        (void)!ras_value_text(a->sink, v ? v : &none, NULL); /* sticky: close reports it */
}

/* A member of a map; null, if it has none. */
static const struct ras_value *channel_member(const struct ras_value *map, const char *key)
{
    static const struct ras_value none = {.kind = RAS_NULL};
    const struct ras_value *found = map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
    return found ? found : &none;
}

size_t map_size(const struct ras_value *map)
{
    size_t count = 0;
    for (const struct ras_value *k = map + 1; k < ras_value_next(map); k = ras_value_next(k + 1))
        count++;
    return count;
}

/* The path of the first field that differs; NULL: the detail has none. */
static const struct ras_value *first_path(const struct ras_value *detail)
{
    const struct ras_value *payload = channel_member(detail, "payload");
    const struct ras_value *rows =
        channel_member(payload->kind == RAS_MAP ? payload : detail, "mismatches");
    if (rows->kind != RAS_LIST)
        rows = channel_member(detail, "row_diffs");
    return rows->kind == RAS_LIST && rows->count ? channel_member(rows + 1, "path") : NULL;
}

/* A line for each channel in the order of its first tick. */
static void put_firsts(struct answer *a, const struct ras_value *map, const char *name,
                       const char *tick, bool paths)
{
    enum { MOST = 16 };
    const struct ras_value *keys[MOST];
    size_t count = 0;
    for (const struct ras_value *k = map + 1; k < ras_value_next(map) && count < MOST;
         k = ras_value_next(k + 1)) {
        size_t at = count++;
        for (; at && channel_member(keys[at - 1] + 1, "tick_index")->i >
                         channel_member(k + 1, "tick_index")->i;
             at--)
            keys[at] = keys[at - 1];
        keys[at] = k;
    }
    for (size_t i = 0; i < count; i++) {
        const struct ras_value *detail = channel_member(keys[i] + 1, "detail");
        const struct ras_value *path = paths ? first_path(detail) : NULL;
        answer_format(a, "%s=", name);
        put_value(a, keys[i]);
        answer_format(a, " %s=", tick);
        put_value(a, channel_member(keys[i] + 1, "tick_index"));
        answer_format(a, " kind=");
        put_value(a, channel_member(keys[i] + 1, "kind"));
        if (path) {
            answer_format(a, " path=");
            put_value(a, path);
        }
        answer_format(a, "\n");
    }
}

void put_channel_firsts(struct answer *a, const struct ras_diff *d)
{
    if (d->channels)
        put_firsts(a, d->channels, "channel", "first_bad_tick", true);
    if (d->diagnostics)
        put_firsts(a, d->diagnostics, "diagnostic_channel", "first_tick", false);
}

/* As `mkdir -p` does, for the directories above the file. */
static void make_parents(const char *path)
{
    char *copy = strdup(path);
    for (char *p = copy ? strchr(copy + 1, '/') : NULL; p; p = strchr(p + 1, '/')) {
        *p = 0;
        (void)host_make_folder(copy);
        *p = '/';
    }
    free(copy);
}

int report_open(struct ras_sink **out, const char *path)
{
    struct ras_error err;
    make_parents(path);
    return ras_sink_report(out, path, true, &err) < 0 ? trouble_with(&err) : 0;
}

int report_close(struct ras_sink *sink, const char *path, struct answer *a,
                 const struct ras_error *written, int status)
{
    struct ras_error err;
    if (written) {
        ras_sink_drop(sink);
        return trouble_with(written);
    }
    if (ras_sink_close(sink, &err) < 0)
        return trouble_with(&err);
    answer_format(a, "json_report=");
    answer_text(a, path, strlen(path));
    answer_format(a, "\n");
    return status;
}

static int put_file(const char *path, struct answer *a, const struct compared *c)
{
    struct ras_error err;
    struct ras_sink *sink;
    int status = report_open(&sink, path);
    if (status)
        return status;
    int written = c->json(sink, c, RAS_LAYOUT_INDENTED, &err);
    return report_close(sink, path, a, written < 0 ? &err : NULL, 0);
}

int put_compared(const struct common *common, const char *json_out, const struct compared *c)
{
    struct answer a;
    struct ras_error err;
    int status = answer_open(&a, common);
    if (status)
        return status;
    if (json_out)
        status = put_file(json_out, &a, c);
    if (!status && common->json) {
        if (c->json(a.sink, c, RAS_LAYOUT_LINE, &err) < 0)
            status = trouble_with(&err);
        answer_format(&a, "\n");
    } else if (!status) {
        c->text(&a, c);
    }
    return answer_close(&a, status ? status : c->verdict);
}
