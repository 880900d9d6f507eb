/* cmd_report.c - a report of a run or trace, or of two that are compared, as one HTML file. */
#include "cli/session.h"
#include "view_http/assets.h"

#include <rastrum/gpu.h>
#include <rastrum/html_report.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    struct number tick, pictures;
    bool big, embed;
};

/* What the report found, on standard output: -o has the report. */
static int report_say(const struct common *common, const struct ras_html_report *found, int status)
{
    struct common plain = *common;
    struct answer a;
    plain.out = NULL;
    if (!common->out || !strcmp(common->out, "-"))
        return status;
    if (answer_open(&a, &plain))
        return EXIT_TROUBLE;
    answer_format(&a, "report=");
    answer_path(&a, common->out, "");
    if (common->operands.count == 2)
        answer_format(&a, " result=%s",
                      found->diverged    ? "diverged"
                      : !found->compared ? "unknown"
                      : found->lost      ? "incomplete"
                                         : "ok");
    if (found->first != RAS_NONE)
        answer_format(&a, " first=%" PRIu64, found->first);
    answer_format(&a, " size=%" PRIu64 "\n", found->size_bytes);
    return answer_close(&a, status);
}

static int report_status(const struct common *common, const struct ras_html_report *found)
{
    if (found->lost)
        trouble("something is missing, cut or damaged: the report says what");
    if (common->operands.count == 2 && !found->compared)
        return trouble("nothing was compared: the report says why");
    return worse(found->diverged ? EXIT_NO : EXIT_YES, found->lost ? EXIT_LOSS : EXIT_YES);
}

static int report_write(const struct options *o)
{
    const struct ras_options open = {
        .format = o->common.input_format, .dialect = o->common.dialect, .debug = debug_options()};
    struct progress progress;
    const struct ras_html_report_options how = {
        .gpu = ras_gpu(),
        .has_tick = o->tick.given,
        .tick = o->tick.value,
        .has_pictures = o->pictures.given,
        .pictures = (uint32_t)o->pictures.value,
        .big = o->big,
        .open = &open,
        .progress = progress_at,
        .user = &progress,
        .viewer = {html_page, o->embed ? html_page_size : 0}};
    struct ras_html_report found;
    struct ras_error err;
    struct answer a;
    if (answer_open(&a, &o->common))
        return EXIT_TROUBLE;
    progress_start(&progress, &o->common, "report", a.on_screen);
    progress.percent = true;
    int done = ras_html_report(&found, o->common.operands.items, o->common.operands.count, &how,
                               a.sink, &err);
    progress_stop(&progress);
    a.none = done < 0;
    int status = answer_close(&a, done < 0 ? trouble_with(&err) : EXIT_YES);
    if (status != EXIT_YES)
        return status;
    return report_say(&o->common, &found, report_status(&o->common, &found));
}

static int report_verb(void *options)
{
    const struct options *o = options;
    size_t count = o->common.operands.count;
    if (o->embed && !html_page_size)
        return trouble("--embed: this build has no viewer to write: it was built without "
                       "clang-14, lld-14 or wasi-libc");
    if (count != 1 && count != 2)
        return trouble("report takes a run or trace, or two that are compared");
    if (o->pictures.given && o->pictures.value > 6)
        return trouble("--pictures takes 0 to 6, not %" PRIu64, o->pictures.value);
    if (o->tick.given && count == 1)
        return trouble("--tick is for two runs or traces");
    for (size_t i = 0; i < count; i++)
        if (!strcmp(o->common.operands.items[i], "-"))
            return trouble("report reads its traces more than once: name a file");
    if (!o->common.out && isatty(STDOUT_FILENO))
        return trouble("report needs -o FILE.html");
    return report_write(o);
}

static const struct option_row rows[] = {
    {"tick", 't', OPTION_NUMBER, "N", "about this tick, not the first divergence", NULL,
     offsetof(struct options, tick)},
    {"pictures", 0, OPTION_NUMBER, "N", "frames to show, 0 to 6 (default 2)", NULL,
     offsetof(struct options, pictures)},
    {"big", 0, OPTION_FLAG, NULL, "write it even if it is larger than 5 MB", NULL,
     offsetof(struct options, big)},
    {"embed", 0, OPTION_FLAG, NULL, "with the viewer and as many ticks of the traces as fit", NULL,
     offsetof(struct options, embed)},
    {0},
};

const struct command cmd_report = {
    .name = "report",
    .operands = "RUN [OTHER]",
    .about = "write a report as one HTML file",
    .text = "Writes what is known of two runs or traces into one HTML file that needs no script,\n"
            "no network and no rastrum to be read: where they diverge and in what, the staff of\n"
            "all lines, evidence, pictures of both, endings and findings, times, settings. Of\n"
            "one run or trace: what it is, endings and findings, figures, the slowest ticks.\n\n"
            "The same traces give the same file.\n",
    .examples = "rastrum report good bad -o report.html\n"
                "rastrum report good bad --tick 302 --pictures 3 -o report.html\n"
                "rastrum report good -o run.html\n"
                "rastrum report golden.cdt candidate.cdt -o state.html\n",
    .exits = "0 written, the two are the same; 1 they diverge; 2 error, or nothing was compared;\n"
             "3 something is missing, cut or damaged",
    .refuses = "json pager color colour",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = report_verb,
};
