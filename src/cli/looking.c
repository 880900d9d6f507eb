/* looking.c - what the verbs that look into a trace share. */
#include "cli/looking.h"

#include <string.h>

const struct ras_value *member_of(const struct ras_value *map, const char *key)
{
    static const struct ras_value none = {.kind = RAS_NULL};
    const struct ras_value *found = map && map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
    return found ? found : &none;
}

bool member_is_true(const struct ras_value *map, const char *key)
{
    const struct ras_value *v = member_of(map, key);
    return v->kind == RAS_BOOL && v->u;
}

void put_member(struct answer *a, const char *before, const struct ras_value *map, const char *key)
{
    answer_format(a, "%s%s=", before, key);
    put_value(a, member_of(map, key));
}

static int put_report(const struct looking *l, const struct ras_inspection *seen, struct answer *a)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (!l->json_out)
        return 0;
    int status = report_open(&sink, l->json_out);
    if (status)
        return status;
    int written = ras_json_value(sink, seen->value, seen->bare_nan, RAS_JSON_INDENTED, &err);
    return report_close(sink, l->json_out, a, written < 0 ? &err : NULL, 0);
}

static int inspect_put_answer(const struct looking *l, const struct ras_inspection *seen)
{
    struct answer a;
    struct ras_error err;
    int found = 0, status = l->check ? l->check(l, seen->value) : 0;
    if (!status)
        status = answer_open(&a, l->common);
    if (status)
        return status;
    if (!l->report_last)
        status = put_report(l, seen, &a);
    if (!status && l->common->json) {
        if (ras_json_value(a.sink, seen->value, seen->bare_nan, RAS_JSON_LINE, &err) < 0)
            status = trouble_with(&err);
        answer_format(&a, "\n");
    } else if (!status) {
        l->put_text(&a, l, seen->value);
    }
    if (!status && l->is_no && l->is_no(seen->value))
        found = EXIT_NO;
    if (!status && l->report_last)
        status = put_report(l, seen, &a);
    return answer_close(&a, status ? status : found);
}

/* Nothing found in a trace that was cut is a loss. */
static int say_refusal(const struct looking *l, struct ras_trace *const *traces,
                       const struct ras_error *err)
{
    const char **paths = l->common->operands.items;
    const char *other = l->operands > 1 ? paths[1] : NULL;
    if (err->status == RAS_ENAME)
        return unknown_name(l->verb, paths[0], err);
    if (err->status == RAS_EUSAGE && l->hint)
        return trouble("%s: %s; %s", shown_path(paths[0]), err->text, l->hint);
    int status = l->compat ? compat_failed(l->verb, paths[0], other, err)
                           : comparing_failed(paths[0], other, err);
    if (err->status == RAS_EREFUSED && l->compat)
        status = l->refused;
    else if (err->status == RAS_ENOTHING)
        status = EXIT_NO;
    else
        return status;
    for (size_t i = 0; i < l->operands; i++) {
        struct ras_ending e = ras_ending(traces[i]);
        if (e.kind == RAS_CUT || e.kind == RAS_DAMAGED)
            status = worse(
                status, say_ending(l->common->operands.items[i], traces[i], &e, l->common->quiet));
    }
    return status;
}

int looking_run(const struct looking *l, const struct ras_inspect_options *asked)
{
    struct ras_inspect_options look = *asked;
    struct ras_trace *traces[3] = {NULL, NULL, NULL};
    struct ras_inspection *seen;
    struct ras_error err;
    const struct list *operands = &l->common->operands;
    int status = 0;
    look.compat = l->compat;
    if (operands->count != l->operands + l->more)
        return trouble("%s takes %s", l->verb, l->usage);
    for (size_t i = 0; i < l->operands && !status; i++) {
        traces[i] = open_operand(l->common, operands->items[i], false);
        status = traces[i] ? 0 : EXIT_TROUBLE;
    }
    if (!status)
        status = only_cdt(l->verb, operands->items, traces, l->operands, l->instead);
    struct progress progress;
    progress_start(&progress, l->common, l->verb, false);
    int looked = status ? RAS_OK : ras_inspect(&seen, traces[0], traces[1], &look, &err);
    progress_stop(&progress);
    if (looked < 0) {
        status = say_refusal(l, traces, &err);
    } else if (!status) {
        status = say_endings(l->common, traces, seen->endings, inspect_put_answer(l, seen));
        ras_inspection_free(seen);
    }
    ras_close(traces[0]);
    ras_close(traces[1]);
    return status;
}
