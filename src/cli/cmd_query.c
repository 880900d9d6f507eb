/* cmd_query.c - the ticks or entities of a trace for which a condition holds. */
#include "cli/detail_text.h"
#include "cli/looking.h"

#include <inttypes.h>
#include <string.h>

struct options {
    struct common common;
    struct number limit;
    bool paths;
    const char *json_out;
};

enum { LINES_MOST = 32 };

static bool is_none(const struct ras_value *v)
{
    return member_of(v, "match_count")->u == 0;
}

/* A tick has hundreds of fields: those of the condition are shown. */
static void put_operands(struct answer *a, const struct ras_value *operands,
                         const struct ras_value *values)
{
    const struct ras_value *v = values + 1;
    for (size_t i = 1; i <= operands->count; i++) {
        answer_format(a, i == 1 ? "" : " ");
        put_value(a, &operands[i]);
        answer_format(a, "=");
        put_short(a, v);
        v = ras_value_next(v);
    }
}

static void query_put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *rows = member_of(v, "rows"), *end = ras_value_next(rows);
    const struct ras_value *values = member_of(v, "values") + 1;
    const bool ticks = member_of(v, "scope")->count == strlen("ticks");
    const uint64_t count = member_of(v, "match_count")->u;
    uint64_t shown = 0;
    answer_format(a, "%s %s\n", ras_counted(count, ticks ? "tick" : "entity sample").text,
                  count == 1 ? "matches" : "match");
    for (const struct ras_value *r = rows + 1; r < end && shown < l->rows; r = ras_value_next(r)) {
        answer_format(a, "  tick ");
        put_value(a, member_of(r, "tick_index"));
        answer_format(a, ": ");
        if (ticks)
            put_operands(a, member_of(v, "operands"), values);
        else
            put_flat(a, r, NULL, "tick_index");
        answer_format(a, "\n");
        values = ras_value_next(values);
        shown++;
    }
    if (shown < count && l->rows)
        answer_format(a, "  and %" PRIu64 " more: --all shows them\n", count - shown);
}

static int query_run(void *options)
{
    const struct options *o = options;
    const struct list *operands = &o->common.operands;
    const struct looking how = {.common = &o->common,
                                .verb = "query",
                                .json_out = o->json_out,
                                .is_no = is_none,
                                .rows = o->limit.given ? o->limit.value : LINES_MOST,
                                .operands = 1,
                                .more = 1,
                                .usage = "a trace and an expression",
                                .hint = "cat --where takes several",
                                .instead = "rastrum cat --where CONDITION",
                                .put_text = query_put_text};
    static const enum ras_paths kinds[] = {RAS_PATHS_TICKS, RAS_PATHS_ENTITIES};
    if (o->paths)
        return list_paths(&o->common, kinds, 2);
    return looking_run(
        &how, &(struct ras_inspect_options){
                  RAS_INSPECT_QUERY, .text = operands->count == 2 ? operands->items[1] : "",
                  .limit = o->limit.value, .no_rows = o->limit.given && !o->limit.value});
}

static const struct option_row rows[] = {
    {"limit", 'n', OPTION_NUMBER, "N", "show N rows (text: 32, JSON: 256); all are counted", NULL,
     offsetof(struct options, limit)},
    {"all", 0, OPTION_ALL, NULL, "show all rows", NULL, offsetof(struct options, limit)},
    {"paths", 0, OPTION_FLAG, NULL, "list the fields of ticks and of entities, and exit", NULL,
     offsetof(struct options, paths)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_query = {
    .name = "query",
    .operands = "TRACE EXPRESSION",
    .about = "find ticks or entities of a CDT trace by a condition",
    .text =
        "The expression is `ticks where L OP R` or `entities where L OP R`, with one of\n"
        "== != >= <= > <. An operand is a field (checkpoint.kills, pos.x), prev(field), true,\n"
        "false, none, or a Python literal; text needs quotes. Only one condition is possible:\n"
        "cat --where takes several. A missing field is None, which is compared with a number as\n"
        "text. All matches are counted; the first 32 are shown unless --limit or --all is given.\n",
    .examples = "rastrum query run.cdt 'ticks where checkpoint.kills > prev(checkpoint.kills)'\n"
                "rastrum query --json run.cdt \"entities where pool_kind == 'bonus'\"\n",
    .exits = "0 a row matches; 1 no row matches; 2 error; 3 the trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = query_run,
};
