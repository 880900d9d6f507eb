/* cmd_verify.c - the rules a trace keeps or breaks. */
#include "cli/rundirs.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct options {
    struct common common;
    bool strict, deep, rules;
};

static void put_finding(struct answer *a, const char *path, const char *part,
                        const struct ras_finding *f)
{
    static const char *const colors[] = {"\033[2m", "\033[1;33m", "\033[1;31m"};
    answer_path(a, path, part);
    answer_format(a, ": offset %" PRIu64 ": ", f->offset);
    answer_paint(a, colors[f->severity]);
    answer_format(a, "%s", ras_severity_name(f->severity));
    answer_paint(a, "\033[0m");
    answer_format(a, ": ");
    answer_text(a, f->text, strlen(f->text));
    answer_format(a, " [%s]\n", f->rule->id);
}

static void put_sum(struct answer *a, const char *path, const uint64_t by_severity[3])
{
    answer_path(a, path, "");
    answer_format(a, ": %s: ", by_severity[RAS_ERROR] ? "not ok" : "ok");
    for (int s = RAS_ERROR; s >= RAS_NOTE; s--)
        answer_format(a, "%s%s",
                      ras_counted(by_severity[s], ras_severity_name((enum ras_severity)s)).text,
                      s == RAS_NOTE ? "\n" : ", ");
}

static void verify_put_text(struct answer *a, const char *path, const struct ras_trace *t,
                            const struct ras_report *r)
{
    for (size_t i = 0; i < r->finding_count; i++)
        put_finding(a, path, ras_part_name(t, r->findings[i].part), &r->findings[i]);
    if (r->unlisted) {
        answer_path(a, path, "");
        answer_format(a, ": and %s\n", ras_counted(r->unlisted, "more finding").text);
    }
    put_sum(a, path, r->by_severity);
}

/* One trace, which may be one of a run; its findings are added to *sum. */
static int verify_trace(const struct options *o, const char *path, struct ras_trace *trace,
                        struct answer *answer, uint64_t sum[3])
{
    struct progress progress;
    struct ras_verify_options how = {
        .strict = o->strict, .deep = o->deep, .progress = progress_at, .user = &progress};
    struct ras_report *report;
    struct ras_error err;
    progress_start(&progress, &o->common, "verify", answer->pager > 0);
    int status = ras_verify(&report, trace, &how, &err);
    progress_stop(&progress);
    if (status < 0)
        return trouble_at(path, &err);
    status = report->by_severity[RAS_ERROR] ? EXIT_NO : EXIT_YES;
    for (int s = 0; s < 3; s++)
        sum[s] += report->by_severity[s];
    if (!o->common.json)
        verify_put_text(answer, path, trace, report);
    else if (ras_report_json(answer->sink, path, trace, report, o->strict, &err) < 0)
        status = trouble_at(path, &err);
    ras_report_free(report);
    return status;
}

/* Check run.json against the files. */
static int verify_files(const struct options *o, struct ras_rundir *run, struct answer *answer,
                        struct ras_json *json, uint64_t sum[3])
{
    struct progress progress;
    const struct ras_verify_options how = {
        .strict = o->strict, .deep = o->deep, .progress = progress_at, .user = &progress};
    struct ras_report *report;
    struct ras_error err;
    progress_start(&progress, &o->common, "verify", answer->pager > 0);
    int status = ras_rundir_verify(&report, run, &how, &err);
    progress_stop(&progress);
    if (status < 0)
        return trouble_at(run->path, &err);
    status = report->by_severity[RAS_ERROR] ? EXIT_NO : EXIT_YES;
    for (int s = 0; s < 3; s++)
        sum[s] += report->by_severity[s];
    if (o->common.json)
        ras_json_rundir_report(json, run, report, o->strict);
    for (size_t i = 0; i < report->finding_count && !o->common.json; i++)
        put_finding(answer, run->path, ras_rundir_part(run, report->findings[i].part),
                    &report->findings[i]);
    ras_report_free(report);
    return status;
}

static int verify_run(const struct options *o, const char *path, struct answer *answer)
{
    struct ras_rundir *run = open_run(&o->common, path);
    struct ras_json *json = NULL;
    struct ras_error err;
    uint64_t sum[3] = {0};
    if (!run)
        return EXIT_TROUBLE;
    answer_item(answer);
    if (o->common.json)
        (void)!ras_json_open(&json, answer->sink, 0, NULL); /* which its close reports */
    int worst = verify_files(o, run, answer, json, sum);
    ras_json_line(json, 1);
    ras_json_array(json, "parts");
    ras_json_newline(json);
    for (size_t i = 0; i < run->pen_count; i++) {
        if (!run->pens[i].trace)
            continue;
        (void)ras_json_sink(json, NULL);
        worst = worse(worst, verify_trace(o, run->pens[i].path, run->pens[i].trace, answer, sum));
    }
    ras_json_end(json);
    ras_json_end(json);
    ras_json_newline(json);
    if (!o->common.json)
        put_sum(answer, run->path, sum);
    else if (ras_json_close(json, &err) < 0 && worst != EXIT_TROUBLE)
        worst = trouble_with(&err);
    ras_rundir_close(run);
    return worst;
}

static int verify(void *options, const char *path, struct answer *answer)
{
    const struct options *o = options;
    uint64_t sum[3] = {0};
    if (is_run(&o->common, path))
        return verify_run(o, path, answer);
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    answer_item(answer);
    int status = verify_trace(o, path, trace, answer, sum);
    ras_close(trace);
    return status;
}

static void put_rules(struct answer *a, const char *format)
{
    const struct ras_rule *rule;
    for (size_t i = 0; (rule = ras_rule_at(format, i)); i++)
        answer_format(a, "%-32s %-8s %-8s %-5s %s\n", rule->id, ras_severity_name(rule->severity),
                      ras_severity_name(rule->strict), rule->deep ? "deep" : "-", rule->about);
}

static int list_rules(const struct options *o)
{
    struct answer answer;
    int status = answer_open(&answer, &o->common);
    if (status)
        return status;
    if (o->common.json) {
        struct ras_error err;
        if (ras_rules_json(answer.sink, &err) < 0)
            status = trouble_with(&err);
        return answer_close(&answer, status);
    }
    answer_format(&answer, "%-32s %-8s %-8s %-5s %s\n", "rule", "usual", "strict", "deep",
                  "requirement");
    put_rules(&answer, "trace");
    put_rules(&answer, "run");
    const struct ras_format_about *f;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        put_rules(&answer, f->name);
    return answer_close(&answer, status);
}

static int verify_operands(void *options)
{
    const struct options *o = options;
    if (o->rules && o->common.operands.count)
        return trouble("--rules takes no trace, but got '%s'", o->common.operands.items[0]);
    return o->rules ? list_rules(o) : each_operand(options, verify);
}

static const struct option_row rows[] = {
    {"strict", 0, OPTION_FLAG, NULL, "also report violations that readers usually tolerate", NULL,
     offsetof(struct options, strict)},
    {"deep", 0, OPTION_FLAG, NULL, "also check hashes, links and references", NULL,
     offsetof(struct options, deep)},
    {"rules", 0, OPTION_FLAG, NULL, "list the rules instead", NULL,
     offsetof(struct options, rules)},
    {0},
};

const struct command cmd_verify = {
    .name = "verify",
    .alias = "doctor",
    .operands = "TRACE...",
    .about = "check a trace against the rules of its format",
    .text = "Prints one line per finding, with its place and the id of the rule, and exits 1 if\n"
            "any of them is an error. --strict reports violations that readers usually\n"
            "tolerate; --deep adds slower checks (hashes, links, references).\n",
    .examples = "rastrum verify run.murk\nrastrum verify --strict --deep --json session/\n"
                "rastrum verify --rules\n",
    .exits = "0 no errors; 1 errors were found; 2 the trace cannot be read",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = verify_operands,
};
