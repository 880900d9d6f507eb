/* cmd_formats.c - the supported formats, and the verbs for each. */
#include "cli/session.h"

struct options {
    struct common common;
};

static void put_abilities(struct answer *a, unsigned can)
{
    static const char *const names[] = {"read", "stream", "seek", "write", "repair", "replay"};
    for (unsigned i = 0, shown = 0; i < 6; i++)
        if (can >> i & 1)
            answer_format(a, "%s%s", shown++ ? ", " : "", names[i]);
    answer_format(a, "\n");
}

static void put_format(struct answer *a, const struct ras_format_about *f)
{
    answer_format(a, "%-8s  %s\n", f->name, f->title);
    answer_format(a, "          dialects:");
    for (size_t i = 0; f->dialects[i]; i++)
        answer_format(a, " %s", f->dialects[i]);
    answer_format(a, "; files:");
    for (size_t i = 0; f->extensions[i]; i++)
        answer_format(a, " %s", f->extensions[i]);
    answer_format(a, "; can ");
    put_abilities(a, f->can);
}

static int formats_run(void *options)
{
    const struct options *o = options;
    struct answer answer;
    struct ras_error err;
    if (o->common.operands.count)
        return trouble("formats takes no operand, but got '%s'", o->common.operands.items[0]);
    int status = answer_open(&answer, &o->common);
    if (status)
        return status;
    if (o->common.json && ras_formats_json(answer.sink, &err) < 0)
        status = trouble_with(&err);
    const struct ras_format_about *f;
    for (size_t i = 0; !o->common.json && (f = ras_format_at(i)); i++)
        put_format(&answer, f);
    return answer_close(&answer, status);
}

static const struct option_row rows[] = {{0}};

const struct command cmd_formats = {
    .name = "formats",
    .operands = "",
    .about = "list the formats, their dialects and the verbs that support them",
    .text = "The format of a trace is detected from its content, never from its name. gzip and\n"
            "zstd files are decompressed automatically.\n",
    .examples = "rastrum formats\nrastrum formats --json\n",
    .exits = "0; 2 error",
    .refuses = "input-format dialect",
    .rows = rows,
    .size = sizeof(struct options),
    .run = formats_run,
};
