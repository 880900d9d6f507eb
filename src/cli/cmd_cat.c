/* cmd_cat.c - the records of a trace. */
#include "cli/catting.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static const char *const format_words[] = {"text", "jsonl", "csv", NULL};

static int cat_run(void *options)
{
    struct catting *o = options;
    if (o->common.json) { /* a stream of records, not one document */
        o->format = "jsonl";
        o->common.json = false;
    }
    if (o->time && o->format && strcmp(o->format, "text") != 0)
        return trouble("--time applies to text; %s has nanoseconds", o->format);
    if (o->merged && o->follow)
        return trouble("--merged and --follow cannot be combined");
    if (cat_lines_refuse(o))
        return EXIT_TROUBLE;
    struct ras_error err;
    if (o->condition && ras_where_parse(&o->where, o->condition, &err) < 0)
        return trouble("--where: %s", text_of(&err));
    if (o->follow || o->common.out)
        interrupts_watch();
    int status = each_operand(options, catting_show);
    ras_where_free(o->where);
    int caught = interrupted();
    if (caught) { /* end as a program that was interrupted does */
        signal(caught, SIG_DFL);
        raise(caught);
    }
    return status;
}

static const struct option_row rows[] = {
    {"format", 'F', OPTION_TEXT, "NAME", "text (default), jsonl or csv", format_words,
     offsetof(struct catting, format)},
    {"type", 't', OPTION_NAMES, "NAME", "only records of this type; may be repeated", NULL,
     offsetof(struct catting, types)},
    {"fields", 0, OPTION_LIST, "A,B", "only these fields", NULL, offsetof(struct catting, fields)},
    RANGE_ROWS(struct catting, range),
    TIME_ROW(struct catting, time),
    {"where", 'w', OPTION_TEXT, "EXPR", "only records that match this condition", NULL,
     offsetof(struct catting, condition)},
    {"limit", 'n', OPTION_NUMBER, "N", "stop after N records", NULL,
     offsetof(struct catting, limit)},
    {"all", 0, OPTION_ALL, NULL, "print all records (default)", NULL,
     offsetof(struct catting, limit)},
    {"depth", 0, OPTION_NUMBER, "N", "0: leave out nested records", NULL,
     offsetof(struct catting, depth)},
    {"merged", 0, OPTION_FLAG, NULL, "merge all streams in the order of time", NULL,
     offsetof(struct catting, merged)},
    {"follow", 0, OPTION_FLAG, NULL, "wait for more at the end of a growing trace", NULL,
     offsetof(struct catting, follow)},
    {"no-symbols", 0, OPTION_FLAG, NULL, "text: show stacks as addresses, not as names", NULL,
     offsetof(struct catting, no_symbols)},
    {"float-bits", 0, OPTION_FLAG, NULL, "show floats with their bit patterns", NULL,
     offsetof(struct catting, float_bits)},
    {"csv-safe", 0, OPTION_FLAG, NULL, "put ' before CSV text that a spreadsheet would evaluate",
     NULL, offsetof(struct catting, csv_safe)},
    {"header", 0, OPTION_FLAG, NULL, "JSON Lines that convert --from-jsonl rebuilds byte for byte",
     NULL, offsetof(struct catting, header)},
    {"blobs", 0, OPTION_FLAG, NULL, "JSON Lines with the bytes of blobs (AeroGPU)", NULL,
     offsetof(struct catting, blobs)},
    {"strict", 0, OPTION_FLAG, NULL, "stop with an error at a cut, a gap or damage", NULL,
     offsetof(struct catting, strict)},
    {0},
};

const struct command cmd_cat = {
    .name = "cat",
    .alias = "dump",
    .operands = "TRACE...",
    .about = "print the records of a trace as text, JSON Lines or CSV",
    .text =
        "Prints every complete record. If a trace is cut or damaged, a message on standard\n"
        "error says where and the exit status is 3. Ranges are half-open. A plain number on\n"
        "the time axis is in nanoseconds; 12.5ms, 3s and +250us (from the start of the trace)\n"
        "work too, and ISO 8601 if the trace has a wall clock. Records from a pipe are printed\n"
        "as they arrive.\n",
    .examples = "rastrum cat run.murk\n"
                "rastrum cat --format jsonl --type command --fields payload_name,coord run.murk\n"
                "rastrum cat --where 'type == \"command\" and coord[0] > 3' run.murk\n"
                "rastrum cat --from 3s --to 3.5s --merged session/\n"
                "zcat trace.gz | rastrum cat --format csv --type PollStartEvent -\n",
    .exits = "0 printed; 1 no record matches --where; 2 error; 3 printed, but a trace is cut\n"
             "or damaged",
    .rows = rows,
    .size = sizeof(struct catting),
    .reads = true,
    .run = cat_run,
};
