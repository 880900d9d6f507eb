/* cmd_repair.c - a mended copy of a trace, or the plan for one. */
#include "cli/rewriting.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct options {
    struct common common;
    bool dry_run, in_place, drop_dangling;
    const char *backup, *undo;
};

static void put_plan(struct answer *a, const struct ras_plan *plan)
{
    enum { SHOWN = 16 };
    for (size_t i = 0; i < plan->patch_count; i++) {
        const struct ras_patch *p = &plan->patches[i];
        answer_format(a, "  ");
        answer_name(a, p->part);
        answer_format(a, "%sat %" PRIu64 ": ", *p->part ? " " : "", p->at);
        if (p->remove)
            answer_format(a, "remove %" PRIu64 " bytes%s", p->remove, p->insert.len ? ", " : "");
        if (p->insert.len)
            answer_format(a, "insert %zu bytes", p->insert.len);
        for (size_t k = 0; k < p->insert.len && k < SHOWN; k++)
            answer_format(a, "%s%02x", k ? "" : ": ", p->insert.at[k]);
        answer_format(a, "%s\n", p->insert.len > SHOWN ? "..." : "");
    }
}

static void put_losses(struct answer *a, const struct ras_repair *r)
{
    for (size_t i = 0; i < r->recovered_count; i++) {
        answer_format(a, "%s%" PRIu64 " ", i ? ", " : "  recovered ", r->recovered[i].records);
        answer_name(a, r->recovered[i].name);
    }
    answer_format(a, r->recovered_count ? "\n" : "  recovered no records\n");
    if (r->plan.lost_bytes && r->plan.lost_records != RAS_NONE)
        answer_format(a, "  lost %" PRIu64 " bytes, %" PRIu64 " records\n", r->plan.lost_bytes,
                      r->plan.lost_records);
    else if (r->plan.lost_bytes)
        answer_format(a, "  lost %" PRIu64 " bytes\n", r->plan.lost_bytes);
    else if (r->plan.lost_records == RAS_NONE)
        answer_format(a, "  lost what cannot be counted\n");
}

static void put_text(struct answer *a, const char *path, const struct ras_repair *r)
{
    answer_path(a, path, "");
    answer_format(a, ": %s before, %s after: %zu patch%s\n", ras_ending_name(r->before.kind),
                  ras_ending_name(r->after.kind), r->plan.patch_count,
                  r->plan.patch_count == 1 ? "" : "es");
    put_plan(a, &r->plan);
    answer_notes(a, r->plan.notes, r->plan.note_count);
    put_losses(a, r);
    for (size_t i = 0; i < r->left->finding_count; i++) {
        const struct ras_finding *f = &r->left->findings[i];
        if (f->severity != RAS_ERROR)
            continue;
        answer_format(a, "  not mended: ");
        answer_name(a, r->left_parts[i]);
        answer_format(a, "%soffset %" PRIu64 ": ", *r->left_parts[i] ? ": " : "", f->offset);
        answer_name(a, f->text);
        answer_format(a, " [%s]\n", f->rule->id);
    }
}

/* Where a trace that ends well lost bytes: where the plan takes the most out. */
static const struct ras_patch *most_removed(const struct ras_plan *plan)
{
    const struct ras_patch *most = plan->patches;
    for (size_t i = 1; i < plan->patch_count; i++)
        if (plan->patches[i].remove > most->remove)
            most = &plan->patches[i];
    return most;
}

/* What was cut or damaged and could not be kept is a loss; the rest is done. */
static int status_of(const char *path, const struct ras_trace *t, const struct ras_repair *r)
{
    const struct ras_ending *before = &r->before;
    const struct ras_patch *most = most_removed(&r->plan);
    const char *part = ras_part_name(t, before->part);
    char lost[48] = "what it held beyond is lost";
    if (!r->plan.lost_bytes && !r->plan.lost_records)
        return EXIT_YES;
    if (r->plan.lost_bytes)
        snprintf(lost, sizeof lost, "%" PRIu64 " bytes are lost", r->plan.lost_bytes);
    if (before->kind == RAS_COMPLETE && most)
        trouble("%s%s%s: offset %" PRIu64 ": %s", shown_path(path), slash_between(path, most->part),
                most->part, most->at, lost);
    else
        trouble("%s%s%s: offset %" PRIu64 ": %s: %s; %s", shown_path(path),
                slash_between(path, part), part, before->offset, ras_ending_name(before->kind),
                before->why, lost);
    return EXIT_LOSS;
}

static int mend(const struct options *o, const char *path, struct answer *answer)
{
    struct ras_trace *trace = open_operand(&o->common, path, false);
    if (!trace)
        return EXIT_TROUBLE;
    char backup[4096];
    bool to_stream = o->common.out && !strcmp(o->common.out, "-");
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    snprintf(backup, sizeof backup, "%.*s.undo.json", (int)len, path);
    struct ras_repair_options how = {.drop_dangling = o->drop_dangling,
                                     .replace = o->common.force,
                                     .backup = o->backup ? o->backup : backup};
    if (o->in_place)
        how.in_place = path;
    else if (!o->dry_run && to_stream)
        how.sink = answer->sink;
    else if (!o->dry_run)
        how.path = o->common.out;
    struct ras_repair *repair;
    struct ras_error err;
    int status = ras_repair(&repair, trace, &how, &err);
    if (status < 0) {
        ras_close(trace);
        return output_trouble(&o->common, &err);
    }
    answer_item(answer);
    status = EXIT_YES;
    if (how.sink)
        ;
    else if (!o->common.json)
        put_text(answer, path, repair);
    else if (ras_json_repair(answer->sink, path, trace, repair, &err) < 0)
        status = trouble_at(path, &err);
    answer_flush(answer);
    if (!status)
        status = status_of(path, trace, repair);
    if (o->in_place && repair->plan.patch_count)
        remark(o->common.quiet, "%s: --undo %s takes this back", path, how.backup);
    ras_repair_free(repair);
    ras_close(trace);
    return status;
}

static int refuse(const struct options *o)
{
    const char *out = o->common.out;
    if (o->common.operands.count != 1)
        return trouble("repair takes one trace");
    if (o->dry_run + o->in_place + (out != NULL) != 1)
        return trouble("say where the mended copy goes with -o, or --dry-run, or --in-place");
    if (o->in_place && !strcmp(o->common.operands.items[0], "-"))
        return trouble("standard input cannot be mended in place");
    return out ? output_refuse(&o->common, "mended copy") : 0;
}

static int run(void *options)
{
    struct options *o = options;
    struct ras_error err;
    if (o->undo && o->common.operands.count == 1) {
        const char *path = o->common.operands.items[0];
        return ras_repair_undo(path, o->undo, &err) < 0 ? trouble_with(&err) : EXIT_YES;
    }
    int status = refuse(o);
    if (status)
        return status;
    struct answer answer;
    struct common common = o->common;
    if (common.out && strcmp(common.out, "-") != 0)
        common.out = NULL; /* the trace goes there; the report to standard output */
    status = answer_open(&answer, &common);
    return status ? status : answer_close(&answer, mend(o, o->common.operands.items[0], &answer));
}

static const struct option_row rows[] = {
    {"dry-run", 'n', OPTION_FLAG, NULL, "print the plan and write nothing", NULL,
     offsetof(struct options, dry_run)},
    {"in-place", 0, OPTION_FLAG, NULL, "mend the trace itself, after writing a backup plan", NULL,
     offsetof(struct options, in_place)},
    {"backup", 0, OPTION_TEXT, "FILE", "that plan's name (TRACE.undo.json)", NULL,
     offsetof(struct options, backup)},
    {"undo", 0, OPTION_TEXT, "FILE", "take a repair in place back by its backup plan", NULL,
     offsetof(struct options, undo)},
    {"drop-dangling", 0, OPTION_FLAG, NULL, "ATF: links to what is not there become none", NULL,
     offsetof(struct options, drop_dangling)},
    {0},
};

const struct command cmd_repair = {
    .name = "repair",
    .alias = "recover",
    .operands = "TRACE",
    .about = "mend what a crash left",
    .text = "Lists the patches that make a cut or damaged trace whole again, and writes the\n"
            "mended copy with -o (a directory for an ATF session). Records are never altered\n"
            "and none that was whole is lost; what had to be given up is counted, and then\n"
            "the exit status is 3. Nothing is edited in place unless --in-place asks for it.\n",
    .examples = "rastrum repair --dry-run run.murk\nrastrum repair crashed.cdt -o mended.cdt\n"
                "rastrum repair --in-place session/\n"
                "rastrum repair --undo session.undo.json session/\n",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = run,
};
